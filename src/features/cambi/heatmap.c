#define _FILE_OFFSET_BITS 64
#include "features/cambi/heatmap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE (TY_OPTION_STRING_SIZE + 80)

static void file_name(char *path, const char *folder, const cambi_geometry *picture, uint32_t scale) {
    snprintf(path, PATH_SIZE, "%s/cambi_heatmap_scale_%u_%ux%u_16b.gray", folder, scale,
             picture->widths[scale], picture->heights[scale]);
}

static tally_status fail_folder(const char *folder, const char *reason, ty_error *error) {
    return ty_fail(error, TALLY_INPUT, "feature cambi: option heatmaps_path=%s: %s", folder, reason);
}

tally_status ty_cambi_heatmaps_check(const char *folder, ty_error *error) {
    char path[TY_OPTION_STRING_SIZE];
    struct stat info;
    snprintf(path, sizeof path, "%s", folder);
    while (stat(path, &info) != 0) { /* up to the folder in which the missing ones are to be made */
        char *slash = strrchr(path, '/');
        if (errno != ENOENT)
            return fail_folder(folder, errno == ENOTDIR ? "a part of it is no folder" : strerror(errno), error);
        if (!slash)
            strcpy(path, ".");
        else
            slash[slash == path] = 0;
    }
    if (!S_ISDIR(info.st_mode))
        return fail_folder(folder, "this is no folder", error);
    return access(path, W_OK | X_OK) == 0 ? TALLY_OK : fail_folder(folder, strerror(errno), error);
}

static bool make_folders(const char *folder) {
    char path[TY_OPTION_STRING_SIZE];
    snprintf(path, sizeof path, "%s", folder);
    for (char *at = path + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = 0;
        mkdir(path, 0770); /* what is missing in the end, the last call tells */
        *at = '/';
    }
    return mkdir(path, 0770) == 0 || errno == EEXIST;
}

tally_status ty_cambi_heatmaps_begin(const char *folder, const cambi_geometry *picture, bool empty,
                                     ty_error *error) {
    char path[PATH_SIZE];
    if (!make_folders(folder))
        return fail_folder(folder, strerror(errno), error);
    for (uint32_t scale = 0; scale < CAMBI_SCALES; scale++) {
        file_name(path, folder, picture, scale);
        FILE *file = fopen(path, empty ? "wb" : "ab");
        if (!file || fclose(file) != 0)
            return ty_fail(error, TALLY_INPUT, "feature cambi: %s cannot be written: %s", path,
                           strerror(errno));
    }
    return TALLY_OK;
}

static uint16_t word_of(float contrast, double scale) {
    const double word = scale * (double)contrast;
    return word < 65535.0 ? (uint16_t)word : 65535;
}

/* The largest contrast there can be, rounded down, becomes full scale; what lies above it is cut off. Rounded down to 0,
 * all contrasts are 0. */
static double full_scale(const cambi_geometry *picture, uint32_t steps) {
    const uint32_t most = ty_cambi_largest_weight(steps) * picture->window * picture->window / 4;
    return most ? 65535.0 / (double)most : 0.0;
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
    int reason = errno;
    if (file && fclose(file) != 0 && written) {
        reason = errno;
        written = false;
    }
    free(row);
    return written ? TALLY_OK
                   : ty_fail(error, TALLY_INPUT, "feature cambi, frame %llu: %s cannot be written: %s",
                             (unsigned long long)frame, path, strerror(reason));
}
