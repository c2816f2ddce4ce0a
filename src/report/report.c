#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/output.h"
#include "report/writer.h"

/* ---- What all writers need ---- */

static bool has_scores(const ty_scores *scores, size_t column) {
    double value;
    for (uint64_t frame = 0; frame < ty_scores_frames(scores); frame++)
        if (ty_scores_get(scores, column, frame, &value))
            return true;
    return false;
}

tally_status ty_writer_open(ty_writer *writer, const ty_report *report, int precision, ty_error *error) {
    const size_t columns = ty_scores_columns(report->scores);
    *writer = (ty_writer){.report = report, .precision = precision};
    writer->metrics = calloc(columns + 1, sizeof *writer->metrics);
    if (!writer->metrics || !ty_scores_digest(report->scores, writer->digest))
        return ty_fail_memory(error, "report");
    for (size_t c = 0; c < columns; c++) {
        ty_pooled_metric *const metric = &writer->metrics[c];
        metric->pooled = ty_scores_pool(report->scores, c, &metric->values);
        if (!metric->pooled && has_scores(report->scores, c))
            return ty_fail_memory(error, "pooled scores");
    }
    return TALLY_OK;
}

void ty_writer_close(ty_writer *writer) {
    free(writer->metrics);
    writer->metrics = NULL;
}

bool ty_writer_frame(const ty_writer *writer, uint64_t *frame) {
    const ty_scores *const scores = writer->report->scores;
    const size_t columns = ty_scores_columns(scores);
    double value;
    for (; *frame < ty_scores_frames(scores); ++*frame)
        for (size_t c = 0; c < columns; c++)
            if (ty_scores_get(scores, c, *frame, &value))
                return true;
    return false;
}

void ty_write_score(const ty_writer *writer, double value) {
    char text[64];
    ty_format_score(value, writer->precision, text);
    fputs(text, writer->out);
}

void ty_pooled_statistics(const tally_pooled *pooled, ty_statistic statistics[TY_STATISTICS]) {
    const double all = pooled->min < pooled->max ? (double)NAN : pooled->min;
    const bool finite = pooled->count > 0;
    statistics[0] = (ty_statistic){"min", pooled->min};
    statistics[1] = (ty_statistic){"max", pooled->max};
    statistics[2] = (ty_statistic){"mean", finite ? pooled->mean : all};
    statistics[3] = (ty_statistic){"harmonic_mean", finite ? pooled->harmonic_mean : all};
}

uint64_t ty_pooled_unseen(const tally_pooled *pooled) {
    return pooled->count > 0 ? pooled->left_out : 0;
}

/* ---- Formats ---- */

typedef struct report_format {
    const char *name;
    void (*write)(const ty_writer *writer);
} report_format;

static const report_format formats[] = {[TALLY_REPORT_JSON] = {"json", ty_write_json},
                                        [TALLY_REPORT_XML] = {"xml", ty_write_xml},
                                        [TALLY_REPORT_CSV] = {"csv", ty_write_csv},
                                        [TALLY_REPORT_SUB] = {"sub", ty_write_sub}};

tally_report_format ty_report_format_from_name(const char *name) {
    for (unsigned f = TALLY_REPORT_JSON; f <= TALLY_REPORT_SUB; f++)
        if (strcmp(name, formats[f].name) == 0)
            return (tally_report_format)f;
    return (tally_report_format)0;
}

static tally_status check(tally_report_format format, int precision, ty_error *error) {
    if (format < TALLY_REPORT_JSON || format > TALLY_REPORT_SUB)
        return ty_fail(error, TALLY_USAGE, "unknown report format %d", (int)format);
    if (precision < 0 || precision > TALLY_PRECISION_MAX)
        return ty_fail(error, TALLY_USAGE, "precision %d is out of range (1 to %d significant digits)",
                       precision, TALLY_PRECISION_MAX);
    return TALLY_OK;
}

tally_status ty_report_write(const ty_report *report, const char *path, tally_report_format format,
                             int precision, ty_error *error) {
    tally_status status = check(format, precision, error);
    if (status != TALLY_OK)
        return status;
    ty_writer writer;
    ty_output output;
    status = ty_writer_open(&writer, report, precision, error);
    if (status == TALLY_OK)
        status = ty_output_open(&output, path, error);
    if (status == TALLY_OK) {
        writer.out = output.file;
        formats[format].write(&writer);
        status = ty_output_close(&output, error);
    }
    ty_writer_close(&writer);
    return status;
}

bool ty_report_table(const ty_report *report, int precision, FILE *out) {
    ty_error error = {0};
    if (check(TALLY_REPORT_JSON, precision, &error) != TALLY_OK)
        return false;
    ty_writer writer;
    const bool ready = ty_writer_open(&writer, report, precision, &error) == TALLY_OK;
    if (ready) {
        writer.out = out;
        ty_write_table(&writer);
    }
    ty_writer_close(&writer);
    return ready && fflush(out) == 0 && !ferror(out);
}
