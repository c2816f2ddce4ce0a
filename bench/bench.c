/* tally-bench: milliseconds a frame and nanoseconds a pixel for each feature, CPU level and thread count, from memory and
 * from a y4m file; and the ratios that docs/performance.md quotes. Compares things within one run: timings of different
 * runs of a shared machine say little.
 *
 *   tally-bench [--size WxH] [--seconds S] [REQUEST]…
 *
 * A request is a feature, "vif:debug=true" with options, or several in one run: "vif+adm+motion".
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

typedef struct clip {
    tally_format format;
    ty_layout layout;
    uint8_t *samples[PICTURES][2];
    char file[2][512];
    uint32_t file_frames;
} clip;

/* A picture with texture and a distorted one that is near it, so that no kernel takes a short cut for flat content. */
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
            const int value = (int)((x * 3 + y * 5 + (size_t)f * 7) / 8 % 200 + 20) + (int)(state >> 29);
            c->samples[f][0][i] = (uint8_t)value;
            c->samples[f][1][i] = (uint8_t)(value / 6 * 6 + (int)(state >> 30));
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
    char requests[512];
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

static measurement measure_memory(const clip *c, const char *feature, const char *level, uint32_t threads) {
    const uint64_t frames = frames_for(c, feature, level) * threads;
    double rounds[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        rounds[i] = time_memory(c, feature, level, threads, frames) * 1e3 / (double)frames;
    return summarise(rounds);
}

/* Rounds of memory and file alternate, so that a change of the machine's speed meets both. */
static void compare_file(const clip *c, const char *feature, uint32_t threads) {
    double memory[ROUNDS], file[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        memory[i] = time_memory(c, feature, "auto", threads, c->file_frames) * 1e3 / c->file_frames;
        file[i] = time_file(c, feature, "auto", threads) * 1e3 / c->file_frames;
    }
    const measurement m = summarise(memory), f = summarise(file);
    printf("%-16s %u thread%s   memory %8.3f ms (%.3f to %.3f)   y4m %8.3f ms (%.3f to %.3f)   ratio %.2f\n",
           feature ? feature : "(all)", threads, threads > 1 ? "s" : " ", m.median, m.lowest, m.highest, f.median,
           f.lowest, f.highest, f.median / m.median);
}

static void bench_feature(const clip *c, const char *feature) {
    double scalar = 0, one_thread = 0;
    const char *best = NULL;
    for (size_t i = 0; tally_level_name(i); i++) {
        const char *level = tally_level_name(i);
        if (!tally_level_usable(level))
            continue;
        const measurement m = measure_memory(c, feature, level, 1);
        if (i == 0)
            scalar = m.median;
        best = level;
        one_thread = m.median;
        printf("%-16s %-7s 1 thread   %9.3f ms (%.3f to %.3f)  %7.2f ns/pixel  %6.2f x scalar\n",
               feature ? feature : "(all)", level, m.median, m.lowest, m.highest,
               m.median * 1e6 / ((double)width * height), scalar / m.median);
    }
    const measurement two = measure_memory(c, feature, best, 2);
    printf("%-16s %-7s 2 threads  %9.3f ms (%.3f to %.3f)  %7.2f ns/pixel  %6.2f x 1 thread\n",
           feature ? feature : "(all)", best, two.median, two.lowest, two.highest,
           two.median * 1e6 / ((double)width * height), one_thread / two.median);
}

static void parse_size(const char *text) {
    const char *cross = strchr(text, 'x');
    if (!cross || sscanf(text, "%ux%u", &width, &height) != 2) {
        fprintf(stderr, "--size must be WxH\n");
        exit(1);
    }
}

int main(int argc, char **argv) {
    const char *features[64] = {0};
    int count = 0;
    for (int i = 1; i < argc && count < 63; i++) {
        if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
            parse_size(argv[++i]);
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc && ty_parse_double(argv[i + 1], &seconds))
            i++;
        else
            features[count++] = argv[i];
    }
    if (!count)
        for (; count < 63 && tally_feature_name((size_t)count); count++)
            features[count] = tally_feature_name((size_t)count);
    setvbuf(stdout, NULL, _IOLBF, 0); /* lines as they are formed, into a pipe too */
    clip c = {0};
    make_pictures(&c);
    printf("%ux%u, 8 bits, 4:2:0; median of %d rounds (lowest to highest)\n\nLevels and threads, from memory\n", width,
           height, ROUNDS);
    for (int i = 0; i < count; i++)
        bench_feature(&c, features[i]);
    if (argc == 1)
        bench_feature(&c, NULL);
    printf("\nReading a y4m file (in the page cache) against frames in memory, best level\n");
    write_files(&c, 48);
    for (int i = 0; i < count; i++)
        compare_file(&c, features[i], 1);
    if (argc == 1) {
        compare_file(&c, NULL, 1);
        compare_file(&c, NULL, 2);
    }
    unlink(c.file[0]);
    unlink(c.file[1]);
    for (int f = 0; f < PICTURES; f++)
        for (int r = 0; r < 2; r++)
            free(c.samples[f][r]);
    return 0;
}
