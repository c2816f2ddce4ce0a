#include <inttypes.h>

#include "report/escape.h"
#include "report/writer.h"

/* MicroDVD subtitles: each frame's scores are shown during that frame. */
void ty_write_sub(const ty_writer *writer) {
    const ty_scores *const scores = writer->report->scores;
    for (uint64_t frame = 0; ty_writer_frame(writer, &frame); frame++) {
        fprintf(writer->out, "{%" PRIu64 "}{%" PRIu64 "}frame: %" PRIu64 "|", frame, frame + 1, frame);
        for (size_t c = 0; c < ty_scores_columns(scores); c++) {
            double value;
            if (!ty_scores_get(scores, c, frame, &value))
                continue;
            ty_put_sub(writer->out, ty_scores_name(scores, c));
            fputs(": ", writer->out);
            ty_write_score(writer, value);
            fputc('|', writer->out);
        }
        fputc('\n', writer->out);
    }
}
