#include <inttypes.h>

#include "report/escape.h"
#include "report/writer.h"

/* A comma after every field, also the last. A score that is missing leaves its cell empty. */
void ty_write_csv(const ty_writer *writer) {
    const ty_scores *const scores = writer->report->scores;
    const size_t columns = ty_scores_columns(scores);
    fputs("Frame,", writer->out);
    for (size_t c = 0; c < columns; c++) {
        ty_put_csv(writer->out, ty_scores_name(scores, c));
        fputc(',', writer->out);
    }
    fputc('\n', writer->out);
    for (uint64_t frame = 0; ty_writer_frame(writer, &frame); frame++) {
        fprintf(writer->out, "%" PRIu64 ",", frame);
        for (size_t c = 0; c < columns; c++) {
            double value;
            if (ty_scores_get(scores, c, frame, &value))
                ty_write_score(writer, value);
            fputc(',', writer->out);
        }
        fputc('\n', writer->out);
    }
}
