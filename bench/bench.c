/* tally-bench: milliseconds a frame and nanoseconds a pixel for each feature, CPU level and thread count, from memory and
 * from a y4m file; and the ratios that docs/performance.md quotes. Compares things within one run: timings of different
 * runs of a shared machine say little.
 *
 *   tally-bench [--size WxH] [--seconds S] [REQUEST]…
 *
 * A request is a feature, also with options ("vif=debug=true"), or several in one run ("vif+adm+motion"). Without requests: each
 * feature, what public models need, and all features in one run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/number.h"
#include "core/run.h"

#define ROUNDS 5
#define PICTURES 4 /* different frames, so that no round finds its samples in the first cache */

static uint32_t width = 1920, height = 1080;
static double seconds = 0.4; /* for one measurement */

/* What public models need, in one run. */
static const char *const models[][2] = {
    {"vmaf_v0.6.1", "vif+adm+motion"},
    {"vmaf_v1.0.16_3d0h",
     "cambi=cambi_high_res_speedup=1080:cambi_vis_lum_threshold=0.06:cambi_max_val=17"
     "+speed_chroma=speed_nn_floor=0.1:speed_sigma_nn=0.19:speed_weight_var_mode=5:speed_max_val=45"
     "+adm=adm_dlm_weight=0.7:adm_enhn_gain_limit=1:adm_noise_weight=0.02:adm_norm_view_dist=3:adm_ref_display_height=1080"
     ":adm_min_val=0.5:adm_csf_mode=2+motion=motion_max_val=18"},
};

typedef struct clip {
    tally_format format;
    ty_layout layout;
    uint8_t *samples[PICTURES][2];
    char file[2][512];
    uint32_t file_frames;
} clip;

/* Blocks of texture and blocks of smooth ramps, and a distorted picture near it that shows the ramps as bands: no metric finds a
 * picture without work. */
static void make_pictures(clip *c) {
    ty_error error = {0};
    c->format = (tally_format){width, height, 8, TALLY_PIXEL_FORMAT_420};
    if (ty_layout_init(&c->layout, &c->format, "bench", &error) != TALLY_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    uint32_t state = 1;
    for (int f = 0; f < PICTURES; f++) {
        for (int r = 0; r < 2; r++)
            c->samples[f][r] = malloc(c->layout.picture_bytes);
        for (size_t i = 0; i < c->layout.picture_bytes; i++) {
            state = state * 1664525 + 1013904223;
            const size_t x = i % width, y = i / width;
            const int noise = (x / 128 + y / 128) % 2 ? (int)(state >> 29) : 0;
            const int value = (int)((x * 3 + y * 5 + (size_t)f * 7) / 8 % 200 + 20) + noise;
            c->samples[f][0][i] = (uint8_t)value;
            c->samples[f][1][i] = (uint8_t)(value / 6 * 6 + noise / 2);
        }
    }
}

static void set_picture(const clip *c, int f, int r, tally_picture *picture) {
    size_t offset = 0;
    for (uint32_t p = 0; p < 3; p++) {
        picture->data[p] = c->samples[f][r] + offset;
        picture->stride[p] = c->layout.stored_width[p];
        offset += c->layout.plane_bytes[p];
    }
}

static void write_files(clip *c, uint32_t frames) {
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    c->file_frames = frames;
    for (int r = 0; r < 2; r++) {
        snprintf(c->file[r], sizeof c->file[r], "%s/tally-bench-%d-%d.y4m", folder, (int)getpid(), r);
        FILE *file = fopen(c->file[r], "wb");
        if (!file) {
            perror(c->file[r]);
            exit(1);
        }
        fprintf(file, "YUV4MPEG2 W%u H%u F25:1 Ip C420\n", width, height);
        for (uint32_t f = 0; f < frames; f++) {
            fputs("FRAME\n", file);
            fwrite(c->samples[f % PICTURES][r], 1, c->layout.picture_bytes, file);
        }
        fclose(file);
    }
}

static void fail(tally_run *run) {
    fprintf(stderr, "%s\n", tally_run_error(run));
    exit(1);
}

static tally_run *make_run(const char *feature, const char *level, uint32_t threads) {
    const tally_config config = {.level = level, .threads = threads};
    tally_run *run;
    if (tally_run_create(&config, &run) != TALLY_OK)
        exit(1);
    char requests[1024];
    snprintf(requests, sizeof requests, "%s", feature ? feature : "");
    for (char *rest, *request = strtok_r(requests, "+", &rest); request; request = strtok_r(NULL, "+", &rest))
        if (tally_run_add_feature(run, request) != TALLY_OK)
            fail(run);
    return run;
}

/* Frames that the caller already holds: slots point at them, nothing is copied. Seconds for `frames` frames. */
static double time_memory(const clip *c, const char *feature, const char *level, uint32_t threads, uint64_t frames) {
    tally_run *run = make_run(feature, level, threads);
    if (tally_run_start(run, &c->format) != TALLY_OK)
        fail(run);
    const double start = ty_seconds();
    for (uint64_t f = 0; f < frames; f++) {
        ty_slot *slot = ty_engine_acquire(run->engine, f);
        if (!slot)
            fail(run);
        for (int r = 0; r < 2; r++) {
            tally_picture picture;
            set_picture(c, (int)(f % PICTURES), r, &picture);
            for (int p = 0; p < 3; p++)
                slot->samples[r][p] = picture.data[p];
        }
        ty_engine_submit(run->engine, slot);
        run->frames++;
    }
    if (tally_run_finish(run) != TALLY_OK)
        fail(run);
    const double elapsed = ty_seconds() - start;
    tally_run_destroy(run);
    return elapsed;
}

static double time_file(const clip *c, const char *feature, const char *level, uint32_t threads) {
    tally_run *run = make_run(feature, level, threads);
    const double start = ty_seconds();
    if (tally_run_score_files(run, c->file[0], c->file[1], NULL) != TALLY_OK)
        fail(run);
    const double elapsed = ty_seconds() - start;
    tally_run_destroy(run);
    return elapsed;
}

/* ---- Measuring: the median of rounds, and how far they spread ------------------------------------------------------ */

typedef struct measurement {
    double median, lowest, highest; /* milliseconds a frame */
} measurement;

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static measurement summarise(double *rounds) {
    qsort(rounds, ROUNDS, sizeof *rounds, compare_doubles);
    return (measurement){rounds[ROUNDS / 2], rounds[0], rounds[ROUNDS - 1]};
}

static uint64_t frames_for(const clip *c, const char *feature, const char *level) {
    const double one = time_memory(c, feature, level, 1, 2) / 2;
    const double frames = seconds / one;
    return frames < 3 ? 3 : frames > 2000 ? 2000 : (uint64_t)frames;
}

/* Rounds of memory and file alternate, so that a change of the machine's speed meets both. */
static void compare_file(const clip *c, const char *name, const char *feature, uint32_t threads) {
    double memory[ROUNDS], file[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        memory[i] = time_memory(c, feature, "auto", threads, c->file_frames) * 1e3 / c->file_frames;
        file[i] = time_file(c, feature, "auto", threads) * 1e3 / c->file_frames;
    }
    const measurement m = summarise(memory), f = summarise(file);
    printf("%-17s %u thread%s   memory %8.3f ms (%.3f to %.3f)   y4m %8.3f ms (%.3f to %.3f)   ratio %.2f\n",
           name, threads, threads > 1 ? "s" : " ", m.median, m.lowest, m.highest, f.median,
           f.lowest, f.highest, f.median / m.median);
}

/* A level and a thread count; its rounds, milliseconds a frame. */
typedef struct contender {
    const char *level;
    uint32_t threads;
    uint64_t frames;
    double rounds[ROUNDS], speed[ROUNDS]; /* speed: in units of the contender that it is compared with */
} contender;

static void print_contender(const char *name, contender *c, const char *unit) {
    const measurement m = summarise(c->rounds), speed = summarise(c->speed);
    printf("%-17s %-7s %u thread%s  %9.3f ms (%.3f to %.3f)  %7.2f ns/pixel  %6.2f x %s (%.2f to %.2f)\n", name, c->level,
           c->threads, c->threads > 1 ? "s" : " ", m.median, m.lowest, m.highest, m.median * 1e6 / ((double)width * height),
           speed.median, unit, speed.lowest, speed.highest);
}

/* All contenders in each round, so that a change of the machine's speed meets all of them: every level with one thread,
 * compared with scalar; the best level with two, compared with one. */
static void bench_request(const clip *c, const char *name, const char *request) {
    contender all[8];
    size_t levels = 0;
    for (size_t i = 0; tally_level_name(i) && levels < 7; i++)
        if (tally_level_usable(tally_level_name(i)))
            all[levels++] = (contender){.level = tally_level_name(i), .threads = 1};
    all[levels] = (contender){.level = all[levels - 1].level, .threads = 2};
    for (size_t i = 0; i <= levels; i++)
        all[i].frames = frames_for(c, request, all[i].level) * all[i].threads;
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i <= levels; i++) {
            const contender *other = &all[i < levels ? 0 : levels - 1];
            all[i].rounds[round] =
                time_memory(c, request, all[i].level, all[i].threads, all[i].frames) * 1e3 / (double)all[i].frames;
            all[i].speed[round] = other->rounds[round] / all[i].rounds[round];
        }
    for (size_t i = 0; i <= levels; i++)
        print_contender(name, &all[i], i < levels ? "scalar" : "1 thread");
}

static void parse_size(const char *text) {
    const char *cross = strchr(text, 'x');
    if (!cross || sscanf(text, "%ux%u", &width, &height) != 2) {
        fprintf(stderr, "--size must be WxH\n");
        exit(1);
    }
}

int main(int argc, char **argv) {
    const char *names[64] = {0}, *requests[64] = {0};
    int count = 0;
    for (int i = 1; i < argc && count < 60; i++) {
        if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
            parse_size(argv[++i]);
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc && ty_parse_double(argv[i + 1], &seconds))
            i++;
        else
            requests[count] = names[count] = argv[i], count++;
    }
    if (!count) {
        for (; count < 60 && tally_feature_name((size_t)count); count++)
            requests[count] = names[count] = tally_feature_name((size_t)count);
        for (size_t m = 0; m < sizeof models / sizeof *models; m++, count++) {
            names[count] = models[m][0];
            requests[count] = models[m][1];
        }
        names[count++] = "(all)";
    }
    setvbuf(stdout, NULL, _IOLBF, 0); /* lines as they are formed, into a pipe too */
    clip c = {0};
    make_pictures(&c);
    printf("%ux%u, 8 bits, 4:2:0; median of %d rounds (lowest to highest)\n\nLevels and threads, from memory\n", width,
           height, ROUNDS);
    for (int i = 0; i < count; i++)
        bench_request(&c, names[i], requests[i]);
    printf("\nReading a y4m file (in the page cache) against frames in memory, best level\n");
    write_files(&c, 48);
    for (int i = 0; i < count; i++)
        compare_file(&c, names[i], requests[i], 1);
    unlink(c.file[0]);
    unlink(c.file[1]);
    for (int f = 0; f < PICTURES; f++)
        for (int r = 0; r < 2; r++)
            free(c.samples[f][r]);
    return 0;
}
