/* Bagged mean, deviation and 95 % confidence interval of a bootstrap collection. */
#include <math.h>
#include <stdlib.h>

#include "model/model.h"

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double mean_of(const double *q, uint32_t count) {
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++)
        sum = sum + q[i];
    return sum / (double)count;
}

static double deviation_of(const double *q, uint32_t count, double mean) {
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++)
        sum = sum + (q[i] - mean) * (q[i] - mean);
    return sqrt(sum / (double)count);
}

static double percentile(const double *sorted, uint32_t count, double p) {
    const double r = p * (double)(count - 1) / 100.0;
    const double low = floor(r), high = ceil(r);
    if (low == high)
        return sorted[(size_t)low];
    return sorted[(size_t)low] * (high - r) + sorted[(size_t)high] * (r - low);
}

ty_bootstrap ty_bootstrap_score(const ty_member *first, double *q, uint32_t count) {
    static const double step = 0.01;
    const double mean = mean_of(q, count), deviation = deviation_of(q, count, mean);
    qsort(q, count, sizeof *q, ascending);
    /* The deviation is that of the scores before transform and clip; the slope of these carries it over. */
    const double above = ty_member_finish(first, mean + step), below = ty_member_finish(first, mean - step);
    return (ty_bootstrap){.bagging = ty_member_finish(first, mean),
                          .stddev = deviation * ((above - below) / (2.0 * step)),
                          .ci_p95_lo = ty_member_finish(first, percentile(q, count, 2.5)),
                          .ci_p95_hi = ty_member_finish(first, percentile(q, count, 97.5))};
}
