#include <inttypes.h>
#include <string.h>

#include "report/escape.h"
#include "report/writer.h"

#define NUMBERS 6
#define CELL 96

static const char *const heads[NUMBERS] = {"mean", "min (@frame)", "max", "harmonic mean", "p1", "p5"};

/* The text of one number of a metric. */
static void cell(const ty_writer *w, size_t column, size_t number, char text[CELL]) {
    const ty_pooled_metric *const metric = &w->metrics[column];
    if (!metric->pooled) {
        snprintf(text, CELL, "-");
        return;
    }
    ty_statistic s[TY_STATISTICS];
    ty_pooled_statistics(&metric->values, s);
    const double low = metric->values.count ? metric->values.percentile_1 : s[2].value;
    const double low5 = metric->values.count ? metric->values.percentile_5 : s[2].value;
    const double values[NUMBERS] = {s[2].value, s[0].value, s[1].value, s[3].value, low, low5};
    char value[64];
    ty_format_score(values[number], w->precision, value);
    if (number == 1)
        snprintf(text, CELL, "%s @%" PRIu64, value, metric->values.min_frame);
    else
        snprintf(text, CELL, "%s", value);
}

static int wider(int width, const char *text) {
    const size_t length = strlen(text);
    return length > (size_t)width ? (int)length : width;
}

static int name_width(const ty_writer *w) {
    int width = wider(0, "metric");
    for (size_t c = 0; c < ty_scores_columns(w->report->scores); c++)
        width = wider(width, ty_scores_name(w->report->scores, c));
    for (size_t i = 0; i < w->report->aggregate_count; i++)
        width = wider(width, w->report->aggregates[i].name);
    return width;
}

static int number_width(const ty_writer *w, size_t number) {
    int width = wider(0, heads[number]);
    for (size_t c = 0; c < ty_scores_columns(w->report->scores); c++) {
        char text[CELL];
        cell(w, c, number, text);
        width = wider(width, text);
    }
    return width;
}

static void put_name(const ty_writer *w, const char *name, int width) {
    ty_put_plain(w->out, name);
    fprintf(w->out, "%*s", width - (int)strlen(name), "");
}

static void put_metrics(const ty_writer *w, int first) {
    int widths[NUMBERS];
    put_name(w, "metric", first);
    for (size_t i = 0; i < NUMBERS; i++) {
        widths[i] = number_width(w, i);
        fprintf(w->out, "  %*s", widths[i], heads[i]);
    }
    fputc('\n', w->out);
    for (size_t c = 0; c < ty_scores_columns(w->report->scores); c++) {
        put_name(w, ty_scores_name(w->report->scores, c), first);
        for (size_t i = 0; i < NUMBERS; i++) {
            char text[CELL];
            cell(w, c, i, text);
            fprintf(w->out, "  %*s", widths[i], text);
        }
        fputc('\n', w->out);
    }
}

static void put_left_out(const ty_writer *w) {
    const char *separator = "not finite, left out of means and percentiles: ";
    for (size_t c = 0; c < ty_scores_columns(w->report->scores); c++) {
        const tally_pooled *const p = &w->metrics[c].values;
        if (p->left_out == 0)
            continue;
        fputs(separator, w->out);
        ty_put_plain(w->out, ty_scores_name(w->report->scores, c));
        fprintf(w->out, " %" PRIu64 " of %" PRIu64, p->left_out, p->left_out + p->count);
        separator = ", ";
    }
    if (*separator == ',')
        fputc('\n', w->out);
}

static void put_aggregates(const ty_writer *w, int first) {
    if (w->report->aggregate_count > 0)
        fputs("\nwhole sequence\n", w->out);
    for (size_t i = 0; i < w->report->aggregate_count; i++) {
        put_name(w, w->report->aggregates[i].name, first);
        fputs("  ", w->out);
        ty_write_score(w, w->report->aggregates[i].value);
        fputc('\n', w->out);
    }
}

void ty_write_table(const ty_writer *writer) {
    const int first = name_width(writer);
    put_metrics(writer, first);
    put_left_out(writer);
    put_aggregates(writer, first);
    fprintf(writer->out, "\ndigest %s\n", writer->digest);
}
