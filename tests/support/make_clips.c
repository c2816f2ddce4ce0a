/* make_clips DIRECTORY: writes every synthetic clip as NAME_ref.y4m and NAME_dis.y4m. */
#include <stdio.h>
#include <stdlib.h>

#include "parity/synth.h"

static void write_header(FILE *file, const tally_format *f) {
    fprintf(file, "YUV4MPEG2 W%u H%u F25:1 Ip A1:1 C", f->width, f->height);
    if (f->pixel_format == TALLY_PIXEL_FORMAT_400)
        fputs("mono", file);
    else
        fputs(ty_pixel_format_name(f->pixel_format), file);
    if (f->bit_depth > 8)
        fprintf(file, f->pixel_format == TALLY_PIXEL_FORMAT_400 ? "%u" : "p%u", f->bit_depth);
    fputc('\n', file);
}

static int write_clip(const char *directory, const synth_clip *clip, bool distorted) {
    ty_layout layout;
    ty_error error = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/%s_%s.y4m", directory, clip->name, distorted ? "dis" : "ref");
    FILE *file = fopen(path, "wb");
    if (!file || ty_layout_init(&layout, &clip->format, clip->name, &error) != TALLY_OK) {
        fprintf(stderr, "%s cannot be written\n", path);
        return 1;
    }
    uint8_t *samples = malloc(layout.picture_bytes);
    void *planes[3] = {samples, samples + layout.plane_bytes[0],
                       samples + layout.plane_bytes[0] + layout.plane_bytes[1]};
    write_header(file, &clip->format);
    for (uint32_t t = 0; t < clip->frames; t++) {
        synth_picture(clip, &layout, distorted, t, planes);
        fputs("FRAME\n", file);
        fwrite(samples, 1, layout.picture_bytes, file);
    }
    free(samples);
    const int failed = ferror(file) | fclose(file);
    if (failed)
        fprintf(stderr, "%s cannot be written\n", path);
    return failed != 0;
}

int main(int argc, char **argv) {
    int failed = argc != 2;
    for (const synth_clip *clip = synth_clips; clip->name && !failed; clip++)
        failed = write_clip(argv[1], clip, false) | write_clip(argv[1], clip, true);
    return failed;
}
