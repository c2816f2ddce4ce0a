/* In builds without FFmpeg's libraries, in the place of libav.c. */
#include "io/source_internal.h"

tally_status ty_libav_open(ty_file *file, ty_source **source, ty_error *error) {
    *source = NULL;
    ty_fail(error, TALLY_INPUT,
            "%s: is no y4m file, and this build of Tally reads no other formats: convert it, e.g. with "
            "ffmpeg -i IN -f yuv4mpegpipe -strict -1 OUT.y4m",
            file->name);
    ty_file_close(file);
    return error->status;
}
