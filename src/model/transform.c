/* The map from a score to the score that is reported. */
#include "model/model.h"

static double polynomial(const ty_transform *t, double z) {
    const double *p = t->coefficient;
    if (!t->has_coefficient[0] && !t->has_coefficient[1] && !t->has_coefficient[2])
        return z;
    double u = 0.0;
    if (t->has_coefficient[0])
        u = u + p[0];
    if (t->has_coefficient[1])
        u = u + p[1] * z;
    if (t->has_coefficient[2])
        u = u + p[2] * z * z;
    return u;
}

bool ty_transform_ascends(const ty_transform *t, uint32_t k) {
    return t->x[k] < t->x[k + 1] && t->y[k] <= t->y[k + 1];
}

static bool applies(const ty_transform *t, uint32_t k, double u) {
    return (t->x[k] <= u && u <= t->x[k + 1]) || (k == 0 && u < t->x[0]) ||
           (k == t->knots - 2 && u > t->x[t->knots - 1]);
}

static double on_segment(const ty_transform *t, uint32_t k, double u) {
    const double *x = t->x, *y = t->y;
    if (y[k] == y[k + 1])
        return y[k];
    const bool at_zero = x[k] == 0;
    const double a = at_zero ? (y[k + 1] - y[k]) / x[k + 1] : (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
    const double b = at_zero ? y[k] : y[k] - x[k] * a;
    return a * u + b;
}

/* The segments before the first one that does not ascend count; where two meet, the later one. */
static double piecewise_linear(const ty_transform *t, double u) {
    if (!t->has_knots || t->knots < 2)
        return u;
    double v = 0.0;
    for (uint32_t k = 0; k + 1 < t->knots && ty_transform_ascends(t, k); k++)
        if (applies(t, k, u))
            v = on_segment(t, k, u);
    return v;
}

static double transform(const ty_transform *t, double z) {
    double v = piecewise_linear(t, polynomial(t, z));
    if (t->out_lte_in && v > z)
        v = z;
    if (t->out_gte_in && v < z)
        v = z;
    return v;
}

/* Written so that NaN passes through. */
static double clip(const double limits[2], double z) {
    if (z < limits[0])
        z = limits[0];
    if (z > limits[1])
        z = limits[1];
    return z;
}

double ty_member_finish(const ty_member *m, double score) {
    if (m->transform.present && m->transform.enabled)
        score = transform(&m->transform, score);
    return m->has_clip ? clip(m->clip, score) : score;
}
