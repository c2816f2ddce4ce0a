/* What the writers of the four formats and the table share. Writers print to `out` without looking at errors:
 * the stream remembers them, and whoever opened it asks. */
#ifndef TY_WRITER_H
#define TY_WRITER_H

#include "report/report.h"

/* A metric's pooled scores; not pooled if it has no score at all. */
typedef struct ty_pooled_metric {
    bool pooled;
    tally_pooled values;
} ty_pooled_metric;

typedef struct ty_writer {
    const ty_report *report;
    ty_pooled_metric *metrics; /* one for each column */
    int precision;
    char digest[65];
    FILE *out;
} ty_writer;

/* Pools everything and forms the digest; `out` is the caller's to set. Release with ty_writer_close(), also
 * after a failure. */
tally_status ty_writer_open(ty_writer *writer, const ty_report *report, int precision, ty_error *error);
void ty_writer_close(ty_writer *writer);

void ty_write_json(const ty_writer *writer);
void ty_write_xml(const ty_writer *writer);
void ty_write_csv(const ty_writer *writer);
void ty_write_sub(const ty_writer *writer);
void ty_write_table(const ty_writer *writer);

/* The next frame from *frame on with a score in any column: reports list no others. */
bool ty_writer_frame(const ty_writer *writer, uint64_t *frame);

/* Prints a score as ty_format_score() does. */
void ty_write_score(const ty_writer *writer, double value);

typedef struct ty_statistic {
    const char *name;
    double value;
} ty_statistic;

#define TY_STATISTICS 4

/* min, max, mean and harmonic_mean, in the order of the reference's reports. The means are those of the
 * finite scores; where there is none they are the infinity that all scores share (NaN if they are of both
 * signs), as in the reference's reports. */
void ty_pooled_statistics(const tally_pooled *pooled, ty_statistic statistics[TY_STATISTICS]);

/* How many scores are missing in the printed means: 0 where these are infinite themselves. */
uint64_t ty_pooled_unseen(const tally_pooled *pooled);

#endif
