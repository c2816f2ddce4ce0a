/* tally-bench-devices BACKEND [--size WxH] [--depth N] [--frames N] [REQUEST|+]…: what a frame costs on a device.
 *
 * For each request ("vif", "psnr=enable_mse=true"; requests joined by "+" are one run): milliseconds a frame in steady state with the
 * frames in pinned memory, the floor (the bytes of the planes that are read, over the rate that uploads alone reach in the same
 * run), their ratio, and the time from a y4m file in the page cache through the whole library.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/run.h"

#define ROUNDS 5

static tally_format format = {3840, 2160, 8, TALLY_PIXEL_FORMAT_420};
static uint64_t frames = 200;
static const char *backend;

static void fail(tally_run *run) {
    fprintf(stderr, "%s\n", tally_run_error(run));
    exit(1);
}

static void add_requests(tally_run *run, const char *requests) {
    char request[512];
    for (const char *at = requests; *at;) {
        const size_t length = strcspn(at, "+");
        snprintf(request, sizeof request, "%.*s", (int)length, at);
        if (tally_run_add_feature(run, request) != TALLY_OK)
            fail(run);
        at += length + (at[length] == '+');
    }
}

static tally_run *make_run(const char *requests) {
    const tally_config config = {.backend = backend};
    tally_run *run;
    if (tally_run_create(&config, &run) != TALLY_OK) {
        fprintf(stderr, "backend %s cannot be opened; see 'tally devices'\n", backend);
        exit(1);
    }
    add_requests(run, requests);
    return run;
}

/* Blocks of texture and blocks of smooth ramps, which the distorted picture shows as bands: neither kind of metric finds a
 * picture without work. */
static void fill(void *memory, size_t bytes, uint32_t seed, bool distorted) {
    const uint32_t mask = (1u << format.bit_depth) - 1;
    uint32_t state = seed;
    for (size_t i = 0; i < bytes / (format.bit_depth > 8 ? 2 : 1); i++) {
        const uint32_t x = (uint32_t)(i % format.width), y = (uint32_t)(i / format.width);
        state = state * 1664525 + 1013904223;
        const uint32_t noise = (x / 128 + y / 128) % 2 ? state >> 29 : 0;
        uint32_t value = (x * 3 + y * 5 + seed * 7) / 8 + noise;
        value = (distorted ? value / 6 * 6 + noise / 2 : value) & mask;
        if (format.bit_depth > 8)
            ((uint16_t *)memory)[i] = (uint16_t)value;
        else
            ((uint8_t *)memory)[i] = (uint8_t)value;
    }
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The slots' own memory is pinned; it is filled before the clock starts and never touched again. */
static double steady_state(const char *requests, double *lowest, double *highest) {
    double rounds[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        tally_run *run = make_run(requests);
        if (tally_run_start(run, &format) != TALLY_OK)
            fail(run);
        const uint64_t warm_up = 16;
        double start = 0;
        for (uint64_t f = 0; f < frames + warm_up; f++) {
            ty_slot *slot = ty_engine_acquire(run->engine, f);
            if (!slot)
                fail(run);
            if (f < warm_up)
                for (int r = 0; r < 2; r++)
                    for (uint32_t p = 0; p < run->layout.planes; p++)
                        fill(slot->own[r][p], run->layout.plane_bytes[p], (uint32_t)f + 1, r == 1);
            if (f == warm_up) {
                while (ty_engine_done(run->engine) < warm_up - 2)
                    usleep(100);
                start = ty_seconds();
            }
            ty_engine_submit(run->engine, slot);
            run->frames++;
        }
        if (tally_run_finish(run) != TALLY_OK)
            fail(run);
        rounds[round] = (ty_seconds() - start) * 1e3 / (double)frames;
        tally_run_destroy(run);
    }
    qsort(rounds, ROUNDS, sizeof *rounds, compare_doubles);
    *lowest = rounds[0];
    *highest = rounds[ROUNDS - 1];
    return rounds[ROUNDS / 2];
}

/* Milliseconds that uploading `bytes` takes, alone, from pinned memory, many in a row. */
static double upload_floor(const ty_backend *b, size_t bytes) {
    ty_error error = {0};
    ty_device *device;
    ty_queue *queue;
    ty_memory host, memory;
    const ty_device_request request = {.sample_bits = 8};
    if (b->host_memory)
        return 0;
    if (b->open(&request, &device, &error) != TALLY_OK || b->queue_create(device, &queue, &error) != TALLY_OK ||
        b->allocate(device, TY_MEMORY_STAGING, bytes, &host, &error) != TALLY_OK ||
        b->allocate(device, TY_MEMORY_DEVICE, bytes, &memory, &error) != TALLY_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = ty_seconds();
        for (int i = 0; i < 100; i++)
            b->upload(queue, &memory, host.host, bytes, &error);
        b->finish(queue, &error);
        const double each = (ty_seconds() - start) * 1e3 / 100;
        best = each < best ? each : best;
    }
    b->queue_destroy(queue);
    b->close(device);
    return best;
}

static const ty_backend *find_backend(void) {
    for (const ty_backend *const *b = ty_backends; *b; b++)
        if (strcmp((*b)->name, backend) == 0)
            return *b;
    fprintf(stderr, "there is no backend '%s'\n", backend);
    exit(1);
}

/* Bytes of the planes that the request reads, of both pictures. */
static size_t bytes_read(const char *requests) {
    tally_run *run = make_run(requests);
    if (tally_run_start(run, &format) != TALLY_OK)
        fail(run);
    bool used[2][3] = {{false}};
    size_t bytes = 0;
    for (uint32_t i = 0; i < run->instances.count; i++)
        for (uint32_t b = 0; b < run->instances.items[i].plan.buffer_count; b++) {
            const ty_buffer_spec *spec = &run->instances.items[i].plan.buffers[b];
            if (spec->kind == TY_BUFFER_PLANE && !used[spec->picture][spec->plane]) {
                used[spec->picture][spec->plane] = true;
                bytes += spec->bytes;
            }
        }
    tally_run_destroy(run);
    return bytes;
}

static void write_file(const char *path, uint32_t count, bool distorted) {
    FILE *file = fopen(path, "wb");
    const size_t luma = (size_t)format.width * format.height, bytes = (luma + luma / 2) * (format.bit_depth > 8 ? 2 : 1);
    void *picture = malloc(bytes);
    if (!file || !picture) {
        perror(path);
        exit(1);
    }
    fprintf(file, "YUV4MPEG2 W%u H%u F25:1 Ip C420", format.width, format.height);
    fprintf(file, format.bit_depth > 8 ? "p%u\n" : "\n", format.bit_depth);
    fill(picture, bytes, 1, distorted);
    for (uint32_t f = 0; f < count; f++) {
        fputs("FRAME\n", file);
        fwrite(picture, 1, bytes, file);
    }
    free(picture);
    fclose(file);
}

static double from_file(const char *requests, const char *const paths[2], uint32_t count) {
    double best = 1e9;
    for (int round = 0; round < 3; round++) {
        tally_run *run = make_run(requests);
        if (tally_run_score_files(run, paths[0], paths[1], NULL) != TALLY_OK)
            fail(run);
        const double each = run->seconds * 1e3 / count; /* from the start of the first frame: without opening the device */
        best = each < best ? each : best;
        tally_run_destroy(run);
    }
    return best;
}

int main(int argc, char **argv) {
    const char *requests[64];
    int count = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: tally-bench-devices BACKEND [--size WxH] [--depth N] [--frames N] [REQUEST[+REQUEST]]…\n");
        return 1;
    }
    backend = argv[1];
    for (int i = 2; i < argc && count < 64; i++) {
        if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
            sscanf(argv[++i], "%ux%u", &format.width, &format.height);
        else if (strcmp(argv[i], "--depth") == 0 && i + 1 < argc)
            format.bit_depth = (uint32_t)atoi(argv[++i]);
        else if (strcmp(argv[i], "--frames") == 0 && i + 1 < argc)
            frames = (uint64_t)atoi(argv[++i]);
        else
            requests[count++] = argv[i];
    }
    for (size_t f = 0; argc == 2 && tally_feature_name(f) && count < 64; f++)
        requests[count++] = tally_feature_name(f);
    const uint32_t file_frames = 60;
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    char names[2][512];
    for (int r = 0; r < 2; r++)
        snprintf(names[r], sizeof names[r], "%s/tally-bench-%d-%d.y4m", folder, (int)getpid(), r);
    const char *const paths[2] = {names[0], names[1]};
    write_file(paths[0], file_frames, false);
    write_file(paths[1], file_frames, true);
    printf("%s, %ux%u, %u bits, 4:2:0; ms a frame, median of %d rounds of %u frames\n", backend, format.width,
           format.height, format.bit_depth, ROUNDS, (unsigned)frames);
    printf("%-44s %8s %9s %18s %7s %9s\n", "request", "floor", "pinned", "(lowest, highest)", "ratio", "from y4m");
    for (int i = 0; i < count; i++) {
        double lowest, highest;
        const double floor = upload_floor(find_backend(), bytes_read(requests[i]));
        const double each = steady_state(requests[i], &lowest, &highest);
        printf("%-44s %8.3f %9.3f (%7.3f, %7.3f) %7.2f %9.3f\n", requests[i], floor, each, lowest, highest,
               floor > 0 ? each / floor : 0, from_file(requests[i], paths, file_frames));
        fflush(stdout);
    }
    unlink(paths[0]);
    unlink(paths[1]);
    return 0;
}
