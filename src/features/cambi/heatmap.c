#define _FILE_OFFSET_BITS 64
#include "features/cambi/heatmap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_SIZE (TY_OPTION_STRING_SIZE + 80)

static void file_name(char *path, const char *folder, const cambi_geometry *picture, uint32_t scale) {
    snprintf(path, PATH_SIZE, "%s/cambi_heatmap_scale_%u_%ux%u_16b.gray", folder, scale,
             picture->widths[scale], picture->heights[scale]);
}

static tally_status make_folders(const char *folder, ty_error *error) {
    char path[TY_OPTION_STRING_SIZE];
    struct stat info;
    snprintf(path, sizeof path, "%s", folder);
    for (char *at = path + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = 0;
        mkdir(path, 0770); /* what is missing in the end, the last call tells */
        *at = '/';
    }
    if (mkdir(path, 0770) != 0 && errno != EEXIST)
        return ty_fail(error, TALLY_USAGE,
                       "feature cambi: option heatmaps_path=%s: the folder cannot be made: %s", folder,
                       strerror(errno));
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return ty_fail(error, TALLY_USAGE, "feature cambi: option heatmaps_path=%s: this is no folder",
                       folder);
    return TALLY_OK;
}

tally_status ty_cambi_heatmaps_create(const char *folder, const cambi_geometry *picture, ty_error *error) {
    char path[PATH_SIZE];
    if (make_folders(folder, error) != TALLY_OK)
        return error->status;
    for (uint32_t scale = 0; scale < CAMBI_SCALES; scale++) {
        file_name(path, folder, picture, scale);
        FILE *file = fopen(path, "wb");
        if (!file || fclose(file) != 0)
            return ty_fail(error, TALLY_USAGE,
                           "feature cambi: option heatmaps_path=%s: %s cannot be written: %s", folder, path,
                           strerror(errno));
    }
    return TALLY_OK;
}

/* The largest contrast there can be, rounded down, becomes full scale; what lies above it is cut off. */
static uint16_t word_of(float contrast, double scale) {
    const double word = scale * (double)contrast;
    return word < 65535.0 ? (uint16_t)word : 65535;
}

static double full_scale(const cambi_geometry *picture, uint32_t steps) {
    const uint32_t most = ty_cambi_largest_weight(steps) * picture->window * picture->window / 4;
    return 65535.0 / (double)most;
}

static bool write_rows(FILE *file, const float *contrasts, uint32_t width, uint32_t height, uint32_t stride,
                       double scale, uint16_t *row) {
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++)
            row[x] = word_of(contrasts[(size_t)y * stride + x], scale);
        if (fwrite(row, sizeof *row, width, file) != width)
            return false;
    }
    return true;
}

tally_status ty_cambi_heatmap_write(const char *folder, const cambi_geometry *picture, uint32_t scale,
                                    uint32_t steps, uint64_t frame, const float *contrasts, uint32_t stride,
                                    ty_error *error) {
    const uint32_t width = picture->widths[scale], height = picture->heights[scale];
    char path[PATH_SIZE];
    file_name(path, folder, picture, scale);
    uint16_t *row = malloc(width * sizeof *row);
    if (!row)
        return ty_fail_memory(error, "heat map");
    FILE *file = fopen(path, "r+b");
    bool written = file && fseeko(file, (off_t)(2 * frame * width * height), SEEK_SET) == 0 &&
                   write_rows(file, contrasts, width, height, stride, full_scale(picture, steps), row);
    const int reason = errno;
    if (file && fclose(file) != 0)
        written = false;
    free(row);
    return written ? TALLY_OK
                   : ty_fail(error, TALLY_INPUT, "feature cambi, frame %llu: %s cannot be written: %s",
                             (unsigned long long)frame, path, strerror(reason));
}
