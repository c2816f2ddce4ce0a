/* The ordered sum of a device against the plain loop, on many sequences of every kind.
 *
 * usage: ordered_sum_sweep BACKEND SEQUENCES SEED [DEVICE]
 *
 * Exit status 0: no difference; 1: a difference; 77: there is no such device. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/device_sum.h"
#include "sum_terms.h"

#define SUMS 480 /* side by side */
#define MOST 6000

static const ty_backend *backend;
static ty_device *device;
static ty_queue *queue;

static int fail(const ty_error *error) {
    fprintf(stderr, "ordered_sum_sweep: %s\n", error->text);
    return 1;
}

/* Returns how many of the sums differ, or -1. */
static int run_batch(ty_device_sum *sum, const ty_memory *terms_memory, const ty_memory *result_memory, float *terms,
                     size_t count, uint64_t seed, ty_error *error) {
    float expected[SUMS], results[SUMS];
    int different = 0;
    for (uint32_t y = 0; y < SUMS; y++)
        expected[y] = sum_terms(y, seed + y / SUM_KINDS, 0.0f, terms + y * count, count);
    if (backend->upload(queue, terms_memory, terms, SUMS * count * sizeof *terms, error) != TALLY_OK ||
        ty_device_sum_enqueue(sum, backend, device, queue, terms_memory, 0, count, SUMS, result_memory, error) !=
            TALLY_OK ||
        backend->download(queue, results, result_memory, sizeof results, error) != TALLY_OK ||
        backend->finish(queue, error) != TALLY_OK)
        return -1;
    for (uint32_t y = 0; y < SUMS; y++)
        if (sum_bits(results[y]) != sum_bits(expected[y])) {
            if (different++ == 0)
                fprintf(stderr, "kind %u, seed %" PRIu64 ", %zu terms: %08x, not %08x\n", y % SUM_KINDS,
                        seed + y / SUM_KINDS, count, sum_bits(results[y]), sum_bits(expected[y]));
        }
    return different;
}

static int sweep(uint64_t sequences, uint64_t seed, ty_error *error) {
    ty_device_sum sum = {0};
    ty_memory terms_memory, result_memory, staging;
    const size_t bytes = sizeof(float) * SUMS * MOST;
    if (backend->allocate(device, TY_MEMORY_DEVICE, bytes, &terms_memory, error) != TALLY_OK ||
        backend->allocate(device, TY_MEMORY_STAGING, bytes, &staging, error) != TALLY_OK ||
        backend->allocate(device, TY_MEMORY_DEVICE, sizeof(float) * SUMS, &result_memory, error) != TALLY_OK)
        return fail(error);
    uint64_t done = 0, terms = 0, different = 0, state = seed;
    for (; done < sequences; done += SUMS) {
        const size_t count = 1 + sum_random(&state) % MOST;
        const int wrong =
            run_batch(&sum, &terms_memory, &result_memory, staging.host, count, seed * 1000003 + done, error);
        if (wrong < 0)
            return fail(error);
        different += (uint64_t)wrong;
        terms += SUMS * count;
    }
    printf("%s: %" PRIu64 " sequences, %" PRIu64 " terms, %" PRIu64 " different\n", backend->name, done, terms, different);
    return different != 0;
}

int main(int argc, char **argv) {
    ty_error error = {0};
    char reason[256];
    if (argc < 4) {
        fputs("usage: ordered_sum_sweep BACKEND SEQUENCES SEED [DEVICE]\n", stderr);
        return 1;
    }
    for (const ty_backend *const *b = ty_backends; *b; b++)
        if (strcmp((*b)->name, argv[1]) == 0 && !(*b)->host_memory)
            backend = *b;
    if (!backend || backend->count(reason, sizeof reason) == 0) {
        printf("SKIPPED: no device of backend %s: %s\n", argv[1], backend ? reason : "not in this build");
        return 77;
    }
    const ty_device_request request = {argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 0, NULL, 8};
    if (backend->open(&request, &device, &error) != TALLY_OK ||
        backend->queue_create(device, &queue, &error) != TALLY_OK)
        return fail(&error);
    const int status = sweep(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), &error);
    backend->queue_destroy(queue);
    backend->close(device);
    return status;
}
