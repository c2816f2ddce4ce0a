/* Reports of a finished run: JSON, XML, CSV and SUB files, and the table for people. */
#ifndef TY_REPORT_H
#define TY_REPORT_H

#include <stdio.h>

#include "core/scores.h"

typedef struct ty_aggregate {
    const char *name;
    double value;
} ty_aggregate;

typedef struct ty_report_model {
    const char *name;   /* of the score */
    const char *file;
    const char *sha256; /* of the file */
} ty_report_model;

/* Everything a report says. Nothing is owned. */
typedef struct ty_report {
    const ty_scores *scores;
    const ty_aggregate *aggregates;
    size_t aggregate_count;
    tally_format format;
    uint64_t frames;            /* frame pairs read */
    double fps;                 /* frames per wall-clock second, finite */
    uint64_t first, last, every; /* the range that was scored (inclusive) and its step */
    const char *reference, *distorted; /* file names as given, or NULL for frames from memory */
    const char *backend, *device, *level; /* what computed it; level is "" for other backends than cpu */
    uint32_t threads;
    const char *const *features; /* the requests in full, e.g. "psnr=enable_mse=true" */
    size_t feature_count;
    const ty_report_model *models;
    size_t model_count;
    const char *const *left_out; /* features skipped as unsupported, with the reason */
    size_t left_out_count;
} ty_report;

/* Writes to `path` by way of a temporary file in the same directory that is renamed when it is whole; "-" is standard
 * output. Every write error is TALLY_INPUT naming the path. */
tally_status ty_report_write(const ty_report *report, const char *path, tally_report_format format, int precision,
                             ty_error *error);

/* The table of metrics for a person. False on a write error. */
bool ty_report_table(const ty_report *report, int precision, FILE *out);

/* One score as text: the reference's rule for TALLY_PRECISION_DEFAULT, else so many significant digits. Always with a
 * decimal point, whatever the locale. Non-finite values give "inf", "-inf", "nan". */
void ty_format_score(double value, int precision, char text[64]);

/* "json", "xml", "csv", "sub" to the enum; 0 for anything else. */
tally_report_format ty_report_format_from_name(const char *name);

#endif
