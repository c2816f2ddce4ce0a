/* The OpenCL backend on whatever device there is (PoCL will do): memory, kernels, queues, marks, and its cache. */
#include "unit.h"

#include <dirent.h>
#include <ftw.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/backend.h"
#include "backends/opencl/cache.h"
#include "features/psnr/stages.h"

#define WIDTH 100
#define HEIGHT 7

static const ty_backend *opencl;
static char cache_folder[] = "/tmp/tally_opencl_XXXXXX";

static ty_device *open_device(void) {
    const ty_device_request request = {0, NULL, 8};
    ty_error error = {0};
    ty_device *device = NULL;
    if (opencl->open(&request, &device, &error) != TALLY_OK)
        fail_msg("%s", error.text);
    return device;
}

static void assert_done(tally_status status, const ty_error *error) {
    if (status != TALLY_OK)
        fail_msg("%s", error->text);
}

typedef struct marker {
    ty_queue *queue;
    ty_mark *mark;
    ty_error error;
} marker;

static void *set_often(void *opaque) {
    marker *m = opaque;
    for (int i = 0; i < 5000 && opencl->mark_set(m->queue, m->mark, &m->error) == TALLY_OK; i++)
        ;
    return NULL;
}

/* A frame with two kept buffers sets its mark a second time while the next frame may be waiting for the first. */
static void a_mark_is_set_while_it_is_waited_for(void **state) {
    (void)state;
    ty_device *device = open_device();
    marker m = {0};
    ty_error e = {0};
    ty_queue *waiting;
    pthread_t setter;
    assert_done(opencl->queue_create(device, &m.queue, &e), &e);
    assert_done(opencl->queue_create(device, &waiting, &e), &e);
    assert_done(opencl->mark_create(device, &m.mark, &e), &e);
    assert_done(opencl->mark_set(m.queue, m.mark, &e), &e);
    assert_int_equal(pthread_create(&setter, NULL, set_often, &m), 0);
    for (int i = 0; i < 5000; i++)
        assert_done(opencl->mark_wait(waiting, m.mark, &e), &e);
    pthread_join(setter, NULL);
    assert_done(m.error.status, &m.error);
    assert_done(opencl->finish(m.queue, &e), &e);
    assert_done(opencl->finish(waiting, &e), &e);
    opencl->mark_destroy(m.mark);
    opencl->queue_destroy(m.queue);
    opencl->queue_destroy(waiting);
    opencl->close(device);
}

/* Sums of squared differences of rows 2 apart from each other, computed in one queue, read in another. */
static void compute_once(void) {
    ty_device *device = open_device();
    ty_error e = {0};
    ty_queue *computing, *reading;
    ty_mark *computed;
    ty_memory reference, distorted, sums, staging;
    const ty_device_kernel *kernel;
    uint64_t result[HEIGHT];
    assert_done(opencl->queue_create(device, &computing, &e), &e);
    assert_done(opencl->queue_create(device, &reading, &e), &e);
    assert_done(opencl->mark_create(device, &computed, &e), &e);
    assert_done(opencl->allocate(device, TY_MEMORY_DEVICE, WIDTH * HEIGHT, &reference, &e), &e);
    assert_done(opencl->allocate(device, TY_MEMORY_DEVICE, WIDTH * HEIGHT, &distorted, &e), &e);
    assert_done(opencl->allocate(device, TY_MEMORY_DEVICE, sizeof result, &sums, &e), &e);
    assert_done(opencl->allocate(device, TY_MEMORY_STAGING, WIDTH * HEIGHT, &staging, &e), &e);
    assert_done(opencl->find_kernel(device, "psnr", "psnr_rows", &kernel, &e), &e);

    memset(staging.host, 100, WIDTH * HEIGHT);
    assert_done(opencl->upload(computing, &reference, staging.host, WIDTH * HEIGHT, &e), &e);
    assert_done(opencl->finish(computing, &e), &e);
    for (int y = 0; y < HEIGHT; y++)
        memset((char *)staging.host + y * WIDTH, 100 + y, WIDTH);
    assert_done(opencl->upload(computing, &distorted, staging.host, WIDTH * HEIGHT, &e), &e);
    const psnr_plane plane = {WIDTH, WIDTH};
    const ty_memory *buffers[] = {&reference, &distorted, &sums};
    const ty_launch launch = {.lanes = PSNR_LANES,
                              .groups_x = 1,
                              .groups_y = HEIGHT,
                              .buffer_count = 3,
                              .buffers = buffers,
                              .value = &plane,
                              .value_size = sizeof plane};
    assert_done(opencl->launch(computing, kernel, &launch, &e), &e);
    assert_done(opencl->mark_set(computing, computed, &e), &e);
    assert_done(opencl->mark_wait(reading, computed, &e), &e);
    assert_done(opencl->download(reading, result, &sums, sizeof result, &e), &e);
    assert_done(opencl->finish(reading, &e), &e);
    for (uint64_t y = 0; y < HEIGHT; y++)
        assert_int_equal(result[y], y * y * WIDTH);

    opencl->release(device, &distorted);
    assert_int_equal(distorted.device, 0);
    opencl->mark_destroy(computed);
    opencl->queue_destroy(computing);
    opencl->queue_destroy(reading);
    opencl->close(device);
}

static void kernels_run_and_queues_wait(void **state) {
    (void)state;
    compute_once();
}

/* Overwrites every file of the cache folder with `damage`, or cuts it short. Returns how many there are. */
static int damage_cache(bool cut) {
    char folder[300], path[600];
    int files = 0;
    snprintf(folder, sizeof folder, "%s/tally", cache_folder);
    DIR *dir = opendir(folder);
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        if (strncmp(entry->d_name, "opencl-", 7) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        files++;
        FILE *file = fopen(path, "r+b");
        assert_non_null(file);
        fseek(file, 100, SEEK_SET);
        fputs("damage", file);
        fclose(file);
        if (cut)
            assert_int_equal(truncate(path, 90), 0);
    }
    if (dir)
        closedir(dir);
    return files;
}

static void damaged_cache_is_ignored(void **state) {
    (void)state;
    compute_once();
    assert_int_equal(damage_cache(false), 1);
    compute_once();
    assert_int_equal(damage_cache(true), 1);
    compute_once();
}

static void cache_without_a_folder(void **state) {
    (void)state;
    char key[65];
    size_t size;
    memset(key, 'a', 64);
    key[64] = 0;
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    ty_cache_write(key, "x", 1);
    assert_null(ty_cache_read(key, &size));
    compute_once();
    setenv("XDG_CACHE_HOME", cache_folder, 1);
    ty_cache_write(key, "x", 1);
    char *stored = ty_cache_read(key, &size);
    assert_non_null(stored);
    assert_int_equal(size, 1);
    assert_int_equal(stored[0], 'x');
    free(stored);
}

static void what_is_missing_is_named(void **state) {
    (void)state;
    ty_device *device = open_device();
    ty_device_info info;
    const ty_device_kernel *kernel;
    ty_error no_kernel = {0}, no_device = {0}, no_memory = {0};
    ty_memory memory;
    assert_int_equal(opencl->find_kernel(device, "psnr", "psnr_cubes", &kernel, &no_kernel), TALLY_DEVICE);
    assert_non_null(strstr(no_kernel.text, "psnr_cubes"));
    assert_non_null(strstr(no_kernel.text, "CL_INVALID_KERNEL_NAME (-46)"));
    assert_int_equal(opencl->inspect(1000, &info, &no_device), TALLY_DEVICE);
    assert_non_null(strstr(no_device.text, "device 1000"));
    assert_int_equal(opencl->allocate(device, TY_MEMORY_DEVICE, (size_t)1 << 60, &memory, &no_memory), TALLY_DEVICE);
    assert_non_null(strstr(no_memory.text, "CL_"));
    opencl->close(device);
}

/* A run whose plan fits nowhere, and the same bits through the whole engine. */
static double score_on(const char *backend) {
    enum { W = 33, H = 19, FRAMES = 5 };
    static uint8_t samples[2][3][W * H];
    const tally_config config = {.backend = backend, .threads = 3};
    const tally_format format = {W, H, 8, TALLY_PIXEL_FORMAT_444};
    tally_run *run;
    assert_int_equal(tally_run_create(&config, &run), TALLY_OK);
    assert_int_equal(tally_run_add_feature(run, "psnr"), TALLY_OK);
    assert_int_equal(tally_run_start(run, &format), TALLY_OK);
    double total = 0;
    for (uint32_t f = 0; f < FRAMES; f++) {
        tally_picture pictures[2] = {{{0}, {0}}, {{0}, {0}}};
        for (uint32_t r = 0; r < 2; r++)
            for (uint32_t p = 0; p < 3; p++) {
                for (uint32_t i = 0; i < W * H; i++)
                    samples[r][p][i] = (uint8_t)(i * 7 + p * 31 + f * 3 + r * (i % 11));
                pictures[r].data[p] = samples[r][p];
                pictures[r].stride[p] = W;
            }
        assert_int_equal(tally_run_submit(run, &pictures[0], &pictures[1]), TALLY_OK);
    }
    assert_int_equal(tally_run_finish(run), TALLY_OK);
    for (uint32_t f = 0; f < FRAMES; f++)
        total += score_of(run, "psnr_y", f) + score_of(run, "psnr_cr", f);
    tally_run_destroy(run);
    return total;
}

static void the_engine_gives_the_cpus_bits(void **state) {
    (void)state;
    assert_same_double(score_on("opencl"), score_on("cpu"));
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place) {
    (void)info, (void)type, (void)place;
    return remove(path);
}

int main(void) {
    char reason[256];
    for (const ty_backend *const *b = ty_backends; *b; b++)
        if (strcmp((*b)->name, "opencl") == 0)
            opencl = *b;
    if (!opencl || opencl->count(reason, sizeof reason) == 0) {
        printf("SKIPPED: no OpenCL device: %s\n", opencl ? reason : "not in this build");
        return 77;
    }
    if (!mkdtemp(cache_folder))
        return 1;
    setenv("XDG_CACHE_HOME", cache_folder, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mark_is_set_while_it_is_waited_for),
        cmocka_unit_test(kernels_run_and_queues_wait), cmocka_unit_test(damaged_cache_is_ignored),
        cmocka_unit_test(cache_without_a_folder),      cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(the_engine_gives_the_cpus_bits),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    nftw(cache_folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return failed;
}
