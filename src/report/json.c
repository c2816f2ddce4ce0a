#include <inttypes.h>
#include <math.h>

#include "core/layout.h"
#include "core/number.h"
#include "report/escape.h"
#include "report/writer.h"

/* JSON has no word for what is not finite. */
static void put_score(const ty_writer *w, double value) {
    if (isfinite(value))
        ty_write_score(w, value);
    else
        fputs("null", w->out);
}

static void put_head(const ty_writer *w) {
    char fps[64] = "null";
    if (isfinite(w->report->fps) && fabs(w->report->fps) < 1e50)
        ty_print_fixed(w->report->fps, 2, fps, sizeof fps);
    fputs("{\n  \"version\": ", w->out);
    ty_put_json(w->out, tally_version());
    fprintf(w->out, ",\n  \"fps\": %s,\n", fps);
}

/* No line break between a null and the next metric: so do the reference's reports. */
static void put_frame(const ty_writer *w, uint64_t frame) {
    const ty_scores *const scores = w->report->scores;
    const char *separator = "";
    fprintf(w->out, "    {\n      \"frameNum\": %" PRIu64 ",\n      \"metrics\": {\n", frame);
    for (size_t c = 0; c < ty_scores_columns(scores); c++) {
        double value;
        if (!ty_scores_get(scores, c, frame, &value))
            continue;
        fprintf(w->out, "%s        ", separator);
        ty_put_json(w->out, ty_scores_name(scores, c));
        fputs(": ", w->out);
        put_score(w, value);
        separator = isfinite(value) ? ",\n" : ",";
    }
    fputs("\n      }\n    }", w->out);
}

static void put_frames(const ty_writer *w) {
    const char *separator = "";
    fputs("  \"frames\": [\n", w->out);
    for (uint64_t frame = 0; ty_writer_frame(w, &frame); frame++) {
        fputs(separator, w->out);
        put_frame(w, frame);
        separator = ",\n";
    }
    fprintf(w->out, "%s  ],\n", *separator ? "\n" : "");
}

static void put_pooled_metric(const ty_writer *w, size_t column) {
    fputs("    ", w->out);
    ty_put_json(w->out, ty_scores_name(w->report->scores, column));
    fputs(": {\n", w->out);
    if (w->metrics[column].pooled) {
        ty_statistic statistics[TY_STATISTICS];
        ty_pooled_statistics(&w->metrics[column].values, statistics);
        for (size_t i = 0; i < TY_STATISTICS; i++) {
            fprintf(w->out, "      \"%s\": ", statistics[i].name);
            put_score(w, statistics[i].value);
            fputs(i + 1 < TY_STATISTICS ? ",\n" : "\n", w->out);
        }
    }
    fputs("    }", w->out);
}

static void put_pooled(const ty_writer *w) {
    const size_t count = ty_scores_columns(w->report->scores);
    fputs("  \"pooled_metrics\": {\n", w->out);
    for (size_t c = 0; c < count; c++) {
        put_pooled_metric(w, c);
        fputs(c + 1 < count ? ",\n" : "\n", w->out);
    }
    fputs("  },\n", w->out);
}

static void put_aggregates(const ty_writer *w) {
    fputs("  \"aggregate_metrics\": {\n", w->out);
    for (size_t i = 0; i < w->report->aggregate_count; i++) {
        fputs("    ", w->out);
        ty_put_json(w->out, w->report->aggregates[i].name);
        fputs(": ", w->out);
        put_score(w, w->report->aggregates[i].value);
        fputs(i + 1 < w->report->aggregate_count ? ",\n" : "\n", w->out);
    }
    fputs("  },\n", w->out);
}

static void put_text(const ty_writer *w, const char *key, const char *text) {
    fprintf(w->out, "    \"%s\": ", key);
    ty_put_json(w->out, text);
    fputs(",\n", w->out);
}

static void put_number(const ty_writer *w, const char *key, uint64_t number) {
    fprintf(w->out, "    \"%s\": %" PRIu64 ",\n", key, number);
}

static void put_list(const ty_writer *w, const char *key, const char *const *texts, size_t count) {
    fprintf(w->out, "    \"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n      " : "\n      ", w->out);
        ty_put_json(w->out, texts[i]);
    }
    fputs(count ? "\n    ],\n" : "],\n", w->out);
}

static void put_non_finite(const ty_writer *w) {
    const char *separator = "";
    fputs("    \"non_finite\": {", w->out);
    for (size_t c = 0; c < ty_scores_columns(w->report->scores); c++) {
        if (w->metrics[c].values.left_out == 0)
            continue;
        fprintf(w->out, "%s\n      ", separator);
        ty_put_json(w->out, ty_scores_name(w->report->scores, c));
        fprintf(w->out, ": %" PRIu64, w->metrics[c].values.left_out);
        separator = ",";
    }
    fputs(*separator ? "\n    },\n" : "},\n", w->out);
}

static void put_models(const ty_writer *w) {
    const ty_report *const r = w->report;
    fputs("    \"models\": [", w->out);
    for (size_t i = 0; i < r->model_count; i++) {
        fputs(i ? ",\n      {\"name\": " : "\n      {\"name\": ", w->out);
        ty_put_json(w->out, r->models[i].name);
        fputs(", \"file\": ", w->out);
        ty_put_json(w->out, r->models[i].file);
        fputs(", \"sha256\": ", w->out);
        ty_put_json(w->out, r->models[i].sha256);
        fputc('}', w->out);
    }
    fputs(r->model_count ? "\n    ],\n" : "],\n", w->out);
}

/* What the reference's reports do not say. */
static void put_tally(const ty_writer *w) {
    const ty_report *const r = w->report;
    fputs("  \"tally\": {\n", w->out);
    put_text(w, "version", tally_version());
    put_text(w, "backend", r->backend);
    put_text(w, "device", r->device);
    put_text(w, "level", r->level);
    put_number(w, "threads", r->threads);
    put_text(w, "reference", r->reference);
    put_text(w, "distorted", r->distorted);
    put_number(w, "width", r->format.width);
    put_number(w, "height", r->format.height);
    put_number(w, "bit_depth", r->format.bit_depth);
    put_text(w, "pixel_format", ty_pixel_format_name(r->format.pixel_format));
    put_number(w, "frames", r->frames);
    put_number(w, "first", r->first);
    put_number(w, "last", r->last);
    put_number(w, "every", r->every);
    put_list(w, "features", r->features, r->feature_count);
    put_models(w);
    put_list(w, "left_out", r->left_out, r->left_out_count);
    put_non_finite(w);
    fprintf(w->out, "    \"digest\": \"%s\"\n  }\n}\n", w->digest);
}

void ty_write_json(const ty_writer *writer) {
    put_head(writer);
    put_frames(writer);
    put_pooled(writer);
    put_aggregates(writer);
    put_tally(writer);
}
