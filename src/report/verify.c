#include "report/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/number.h"
#include "report/escape.h"
#include "report/report.h"
#include "report/saved.h"

/* ---- Comparing two lists ---- */

typedef struct difference {
    size_t equal, differ, only_a, only_b;
    const ty_saved_score *a, *b; /* the first difference; NULL on the side where it is missing */
} difference;

static size_t total(const difference *d) {
    return d->differ + d->only_a + d->only_b;
}

static uint64_t bits(double value) {
    uint64_t b;
    memcpy(&b, &value, sizeof b);
    return b;
}

/* The sign behind a null is known only if its report is exact. */
static bool same(const ty_saved_score *a, const ty_saved_score *b, bool exact) {
    if (!exact && (a->null || b->null))
        return a->null && b->null;
    return bits(a->value) == bits(b->value);
}

static int order(const ty_saved_score *a, const ty_saved_score *b) {
    if (!a || !b)
        return a ? -1 : 1;
    const int metric = strcmp(a->metric, b->metric);
    return metric ? metric : (a->frame > b->frame) - (a->frame < b->frame);
}

static void note(difference *d, size_t *counter, const ty_saved_score *a, const ty_saved_score *b) {
    if (total(d) == 0) {
        d->a = a;
        d->b = b;
    }
    ++*counter;
}

static difference compare(const ty_saved_list *a, const ty_saved_list *b, bool exact) {
    difference d = {0};
    size_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        const ty_saved_score *const x = i < a->count ? &a->scores[i] : NULL;
        const ty_saved_score *const y = j < b->count ? &b->scores[j] : NULL;
        const int which = order(x, y);
        if (which < 0)
            note(&d, &d.only_a, x, NULL);
        else if (which > 0)
            note(&d, &d.only_b, NULL, y);
        else if (same(x, y, exact))
            d.equal++;
        else
            note(&d, &d.differ, x, y);
        i += which <= 0;
        j += which >= 0;
    }
    return d;
}

/* Whether `printed` is what `exact` looks like when it is written with one precision and read back. The lists
 * have the same metrics and frames. */
static bool printed_with(const ty_saved_list *exact, const ty_saved_list *printed, int precision) {
    for (size_t i = 0; i < exact->count; i++) {
        const ty_saved_score *const e = &exact->scores[i], *const p = &printed->scores[i];
        char text[64];
        double again;
        if (e->null != p->null)
            return false;
        ty_format_score(e->value, precision, text);
        if (!e->null && (!ty_parse_double(text, &again) || bits(again) != bits(p->value)))
            return false;
    }
    return true;
}

static bool printed_from(const ty_saved_list *exact, const ty_saved_list *printed) {
    for (int precision = TALLY_PRECISION_DEFAULT; precision <= TALLY_PRECISION_MAX; precision++)
        if (printed_with(exact, printed, precision))
            return true;
    return false;
}

/* ---- Words ---- */

static void put_names(FILE *out, const ty_saved *a, const ty_saved *b) {
    ty_put_plain(out, a->path);
    fputs(" and ", out);
    ty_put_plain(out, b->path);
}

static bool has_metric(const ty_saved_list *list, const char *metric) {
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->scores[i].metric, metric) == 0)
            return true;
    return false;
}

static void put_side(FILE *out, const ty_saved *saved, const ty_saved_list *list, const ty_saved_score *score,
                     const char *metric) {
    char text[64];
    fputs("  ", out);
    ty_put_plain(out, saved->path);
    if (!score) {
        fputs(has_metric(list, metric) ? ": no score at this frame\n" : ": no such metric\n", out);
    } else if (score->null && !saved->exact) {
        fputs(": null\n", out);
    } else {
        ty_format_score(score->value, TALLY_PRECISION_MAX, text);
        fprintf(out, ": %s (%016" PRIx64 ")\n", text, bits(score->value));
    }
}

static void put_difference(FILE *out, const ty_saved *a, const ty_saved *b, const ty_saved_list *list_a,
                           const ty_saved_list *list_b, const difference *d) {
    const ty_saved_score *const first = d->a ? d->a : d->b;
    put_names(out, a, b);
    fprintf(out, " differ at %s ", list_a == &a->scores ? "metric" : "aggregate");
    ty_put_plain(out, first->metric);
    if (list_a == &a->scores)
        fprintf(out, ", frame %" PRIu64, first->frame);
    fputs(":\n", out);
    put_side(out, a, list_a, d->a, first->metric);
    put_side(out, b, list_b, d->b, first->metric);
    fprintf(out, "%zu values differ, %zu are only in the first, %zu only in the second; %zu are equal\n",
            d->differ, d->only_a, d->only_b, d->equal);
}

static void put_equal(FILE *out, const ty_saved *a, const ty_saved *b, const char *digest) {
    put_names(out, a, b);
    fprintf(out, " tally: %zu values, digest %s\n", a->scores.count, digest);
}

static void put_inexact(FILE *out, const ty_saved *saved) {
    if (saved->exact)
        return;
    ty_put_plain(out, saved->path);
    fputs(saved->digest
              ? " was written with fewer than 17 digits or edited: its digest is not that of its numbers\n"
              : " states no digest: only its printed numbers were compared\n",
          out);
}

/* ---- Verdicts ---- */

static tally_status compare_printed(const ty_saved *a, const ty_saved *b, FILE *out) {
    const bool exact = a->exact && b->exact;
    const difference scores = compare(&a->scores, &b->scores, exact);
    /* Aggregates are in no digest, so only exact scores vouch for the digits of both. */
    const difference aggregates = exact ? compare(&a->aggregates, &b->aggregates, false) : (difference){0};
    if (total(&scores) > 0)
        put_difference(out, a, b, &a->scores, &b->scores, &scores);
    else if (total(&aggregates) > 0)
        put_difference(out, a, b, &a->aggregates, &b->aggregates, &aggregates);
    else
        return TALLY_OK;
    return TALLY_DIFFERENT;
}

/* Both state a digest, and at least one was not written whole. */
static tally_status compare_digests(const ty_saved *a, const ty_saved *b, FILE *out, ty_error *error) {
    if (strcmp(a->digest, b->digest) != 0) {
        if (compare_printed(a, b, out) == TALLY_OK) {
            put_names(out, a, b);
            fprintf(out, " differ, but not in the digits printed: digests %s and %s\n", a->digest, b->digest);
        }
        return TALLY_DIFFERENT;
    }
    const difference d = compare(&a->scores, &b->scores, false);
    const ty_saved *const printed = a->exact ? b : a, *const whole = a->exact ? a : b;
    if (d.only_a + d.only_b > 0 || (whole->exact && !printed_from(&whole->scores, &printed->scores)))
        return ty_fail(error, TALLY_INPUT, "%s: its numbers are not those of its digest: edited or damaged",
                       printed->path);
    put_equal(out, a, b, a->digest);
    return TALLY_OK;
}

static tally_status decide(const ty_saved *a, const ty_saved *b, FILE *out, ty_error *error) {
    if (!a->digest && !b->digest)
        return ty_fail(
            error, TALLY_INPUT,
            "neither %s nor %s states a digest (\"tally.digest\"), so nothing shows that their numbers are "
            "whole",
            a->path, b->path);
    tally_status status;
    if (a->digest && b->digest && !(a->exact && b->exact)) {
        status = compare_digests(a, b, out, error);
    } else {
        const ty_saved *const stated = a->digest ? a : b;
        if (!stated->exact)
            return ty_fail(
                error, TALLY_INPUT,
                "%s: its digest is not that of its numbers: written with fewer than 17 digits (use "
                "--precision max) or edited",
                stated->path);
        status = compare_printed(a, b, out);
        if (status == TALLY_OK)
            put_equal(out, a, b, stated->digest);
    }
    if (status == TALLY_OK || status == TALLY_DIFFERENT) {
        put_inexact(out, a);
        put_inexact(out, b);
    }
    return status;
}

tally_status ty_verify(const char *path_a, const char *path_b, FILE *out, ty_error *error) {
    if (strcmp(path_a, "-") == 0 && strcmp(path_b, "-") == 0)
        return ty_fail(error, TALLY_USAGE, "only one of the two reports can be standard input");
    ty_saved a = {0}, b = {0};
    tally_status status = ty_saved_open(&a, path_a, error);
    if (status == TALLY_OK)
        status = ty_saved_open(&b, path_b, error);
    if (status == TALLY_OK)
        status = decide(&a, &b, out, error);
    if ((status == TALLY_OK || status == TALLY_DIFFERENT) && (fflush(out) != 0 || ferror(out)))
        status = ty_fail(error, TALLY_INPUT, "the verdict cannot be written: %s", strerror(errno));
    ty_saved_close(&a);
    ty_saved_close(&b);
    return status;
}
