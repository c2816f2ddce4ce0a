#include <inttypes.h>
#include <math.h>

#include "core/number.h"
#include "report/escape.h"
#include "report/writer.h"

/* Every attribute is followed by one blank, also the last one. */
static void put_score(const ty_writer *w, const char *name, double value) {
    ty_put_xml_name(w->out, name);
    fputs("=\"", w->out);
    ty_write_score(w, value);
    fputs("\" ", w->out);
}

static void put_head(const ty_writer *w) {
    const ty_report *const r = w->report;
    char fps[64] = "0.00";
    if (isfinite(r->fps) && fabs(r->fps) < 1e50)
        ty_print_fixed(r->fps, 2, fps, sizeof fps);
    fputs("<VMAF version=\"", w->out);
    ty_put_xml(w->out, tally_version());
    fprintf(w->out, "\">\n  <params qualityWidth=\"%u\" qualityHeight=\"%u\" />\n  <fyi fps=\"%s\" />\n",
            (unsigned)r->format.width, (unsigned)r->format.height, fps);
}

static void put_frames(const ty_writer *w) {
    const ty_scores *const scores = w->report->scores;
    fputs("  <frames>\n", w->out);
    for (uint64_t frame = 0; ty_writer_frame(w, &frame); frame++) {
        fprintf(w->out, "    <frame frameNum=\"%" PRIu64 "\" ", frame);
        for (size_t c = 0; c < ty_scores_columns(scores); c++) {
            double value;
            if (ty_scores_get(scores, c, frame, &value))
                put_score(w, ty_scores_name(scores, c), value);
        }
        fputs("/>\n", w->out);
    }
    fputs("  </frames>\n", w->out);
}

static void put_pooled_metric(const ty_writer *w, const ty_pooled_metric *metric) {
    ty_statistic statistics[TY_STATISTICS];
    ty_pooled_statistics(&metric->values, statistics);
    for (size_t i = 0; i < TY_STATISTICS; i++)
        put_score(w, statistics[i].name, statistics[i].value);
    const uint64_t unseen = ty_pooled_unseen(&metric->values);
    if (unseen > 0)
        fprintf(w->out, "left_out=\"%" PRIu64 "\" ", unseen);
}

static void put_pooled(const ty_writer *w) {
    fputs("  <pooled_metrics>\n", w->out);
    for (size_t c = 0; c < ty_scores_columns(w->report->scores); c++) {
        fputs("    <metric name=\"", w->out);
        ty_put_xml(w->out, ty_scores_name(w->report->scores, c));
        fputs("\" ", w->out);
        if (w->metrics[c].pooled)
            put_pooled_metric(w, &w->metrics[c]);
        fputs("/>\n", w->out);
    }
    fputs("  </pooled_metrics>\n", w->out);
}

void ty_write_xml(const ty_writer *writer) {
    put_head(writer);
    put_frames(writer);
    put_pooled(writer);
    fputs("  <aggregate_metrics ", writer->out);
    for (size_t i = 0; i < writer->report->aggregate_count; i++)
        put_score(writer, writer->report->aggregates[i].name, writer->report->aggregates[i].value);
    fputs("/>\n</VMAF>\n", writer->out);
}
