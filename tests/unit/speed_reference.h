/* A plain reading of speed.md, section 4, up to the variances of a side; every step of it is kept. And the
 * planes of its section 7. */
#ifndef SPEED_REFERENCE_H
#define SPEED_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "exact/math.h"
#include "exact/sin.h"

enum { SPEED_MOST = 1000 * 700, SPEED_LOW = 64 * 64, SPEED_MOST_BLOCKS = 144 };
#define SPEED_EPS 1e-6

typedef struct plane {
    int w, h;
    float at[SPEED_MOST];
} plane;

typedef struct qr_trace {
    int a, b;
    float shift, d[25], e[24];
} qr_trace;

typedef struct side {
    int w, h, nx, ny, blocks, window_x, window_y;
    float low[SPEED_LOW], cen[SPEED_LOW], mean[25], k[25][25];
    float tau[23], om[23], tri_d[25], tri_e[24];
    qr_trace trace[3];
    int steps;
    float lam[25];
    bool under_eps, singular;
    float q[25][25], r[25][25], x[25][SPEED_MOST_BLOCKS], v[SPEED_MOST_BLOCKS];
} side;

/* ---- 4.3 ---- */

static int once_reflected(int i, int n) {
    return i < 0 ? -i : i > n - 1 ? 2 * (n - 1) - i : i;
}

static float cub(float z) {
    const float t = fabsf(z);
    if (t < 1) {
        float u = 1.25f * t;
        u = u - 2.25f;
        u = u * t;
        u = u * t;
        return u + 1;
    }
    float u = t - 5;
    u = u * t;
    u = u + 8;
    u = u * t;
    u = u - 4;
    return t < 2 ? u * -0.75f : 0;
}

static float lan(float z) {
    const double pi = 3.141592653589793, y = (double)z;
    if (z == 0 || !(z > -4 && z < 4))
        return z == 0;
    return (float)(((4 * ty_sin(pi * y)) * ty_sin((pi * y) / 4)) / (((pi * pi) * y) * y));
}

static float resampled_bilinear(const plane *in, float x, float y) {
    const int x1 = once_reflected((int)floorf(x), in->w), x2 = once_reflected((int)ceilf(x), in->w);
    const int y1 = once_reflected((int)floorf(y), in->h), y2 = once_reflected((int)ceilf(y), in->h);
    const float fx = x - (float)x1, fy = y - (float)y1, gx = 1 - fx, gy = 1 - fy;
    const float a = (gy * gx) * in->at[y1 * in->w + x1], b = (gy * fx) * in->at[y1 * in->w + x2];
    const float c = (fy * gx) * in->at[y2 * in->w + x1], d = (fy * fx) * in->at[y2 * in->w + x2];
    return a + b + c + d;
}

/* bicubic and lanczos4; the weights of an axis are those of -4 to 4. */
typedef struct axis {
    int whole;
    float weight[9];
} axis;

static axis axis_at(float at, bool cubic) {
    axis a = {.whole = (int)floorf(at)};
    const float fraction = at - (float)a.whole;
    for (int i = -4; i <= 4; i++)
        a.weight[i + 4] = cubic ? cub((float)i - fraction) : lan((float)i - fraction);
    return a;
}

static float resampled(const plane *in, bool cubic, const axis *x, const axis *y) {
    float sum = 0, weights = 0;
    for (int j = cubic ? -1 : -4; j <= (cubic ? 2 : 4); j++)
        for (int i = cubic ? -1 : -4; i <= (cubic ? 2 : 4); i++) {
            const float weight = x->weight[i + 4] * y->weight[j + 4];
            const float term =
                in->at[once_reflected(y->whole + j, in->h) * in->w + once_reflected(x->whole + i, in->w)] *
                weight;
            weights = weights + weight;
            sum = sum + term;
        }
    return cubic ? sum : sum / weights;
}

static void prescale(const plane *in, double ps, const char *method, plane *out) {
    static axis columns[2000];
    const bool one = fabs(ps - 1) < 0.001, cubic = strcmp(method, "bicubic") == 0;
    out->w = (int)((double)in->w * ps + 0.5);
    out->h = (int)((double)in->h * ps + 0.5);
    const bool copy = one || (out->w == in->w && out->h == in->h);
    const float qx = (float)in->w / (float)out->w, qy = (float)in->h / (float)out->h;
    for (int x = 0; x < out->w && !copy; x++)
        columns[x] = axis_at((float)(((double)x + 0.5) * (double)qx - 0.5), cubic);
    for (int y = 0; y < out->h; y++) {
        const float at_y = (float)(((double)y + 0.5) * (double)qy - 0.5);
        const axis row = axis_at(at_y, cubic);
        for (int x = 0; x < out->w; x++) {
            const float at_x = (float)(((double)x + 0.5) * (double)qx - 0.5);
            float *sample = &out->at[y * out->w + x];
            if (copy)
                *sample = in->at[y * in->w + x];
            else if (strcmp(method, "nearest") == 0)
                *sample = in->at[(int)((float)y * qy) * in->w + (int)((float)x * qx)];
            else if (strcmp(method, "bilinear") == 0)
                *sample = resampled_bilinear(in, at_x, at_y);
            else
                *sample = resampled(in, cubic, &columns[x], &row);
        }
    }
}

/* ---- 4.4 and 4.5 ---- */

static int filter_width(int n, double ks) {
    const float z = (float)n * (float)ks;
    int i = (int)ceilf(z);
    if (i % 2 == 0)
        i++;
    return i < 3 ? 3 : i;
}

static void filter_taps(int n, float deviation, float *g) {
    const double t = (double)deviation;
    float sum = 0;
    for (int i = 0; i < n; i++) {
        const double x = i - (n - 1) / 2;
        const float num = (float)ty_exp((((-0.5 * x) / t) * x) / t),
                    den = (float)(1.0 / (t * 2.5066282746310002));
        g[i] = num / den;
        sum = sum + g[i];
    }
    for (int i = 0; i < n; i++)
        g[i] = g[i] / sum;
}

static float filtered(const float *in, int w, int h, int n, const float *g, int x, int y) {
    float out = 0;
    for (int kx = 0; kx < n; kx++) {
        const int column = once_reflected(x - n / 2 + kx, w);
        float vertical = 0;
        for (int ky = 0; ky < n; ky++) {
            const float term = g[ky] * in[once_reflected(y - n / 2 + ky, h) * w + column];
            vertical = vertical + term;
        }
        const float term = g[kx] * vertical;
        out = out + term;
    }
    return out;
}

static void centre(const plane *pre, double ks, side *s) {
    float lowpass[35], mean[9];
    const int n1 = filter_width(9, ks), n4 = filter_width(2, ks);
    filter_taps(n1, (float)((2.0 * n1) / 5.0), lowpass);
    filter_taps(n4, (float)n4 / 5.0f, mean);
    s->w = pre->w / 16;
    s->h = pre->h / 16;
    s->nx = s->w / 5;
    s->ny = s->h / 5;
    s->blocks = s->nx * s->ny;
    s->window_x = 5 * s->nx - 4;
    s->window_y = 5 * s->ny - 4;
    for (int y = 0; y < s->h; y++)
        for (int x = 0; x < s->w; x++)
            s->low[y * s->w + x] = filtered(pre->at, pre->w, pre->h, n1, lowpass, 16 * x, 16 * y);
    for (int y = 0; y < s->h; y++)
        for (int x = 0; x < s->w; x++)
            s->cen[y * s->w + x] = s->low[y * s->w + x] - filtered(s->low, s->w, s->h, n4, mean, x, y);
}

/* ---- 4.6 ---- */

static float in_window(const side *s, int i, int x, int y) {
    return s->cen[(i / 5 + y) * s->w + i % 5 + x];
}

static void covary(side *s) {
    const int n = s->window_x * s->window_y;
    for (int i = 0; i < 25; i++) {
        float sum = 0;
        for (int p = 0; p < n; p++)
            sum = sum + in_window(s, i, p % s->window_x, p / s->window_x);
        s->mean[i] = sum / (float)n;
    }
    for (int i = 0; i < 25; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int p = 0; p < n; p++) {
                const int x = p % s->window_x, y = p / s->window_x;
                const double a = (double)in_window(s, i, x, y) - (double)s->mean[i];
                const double b = (double)in_window(s, j, x, y) - (double)s->mean[j];
                sum = sum + a * b;
            }
            s->k[i][j] = s->k[j][i] = (float)(sum / n);
        }
}

/* ---- 4.7 ---- */

static void tridiagonalise(side *s) {
    float a[25][25];
    memcpy(a, s->k, sizeof a);
    for (int i = 0; i < 23; i++) {
        const int q = i + 1;
        float squares = 0, v[25], x[25], xv = 0;
        s->tau[i] = s->om[i] = 0;
        for (int r = q + 1; r < 25; r++)
            squares = squares + a[r][i] * a[r][i];
        const float nu = sqrtf(squares), al = a[q][i];
        if (nu != 0) {
            float be = sqrtf(al * al + nu * nu);
            be = al >= 0 ? -be : be;
            s->tau[i] = (be - al) / be;
            const float scale = al - be;
            for (int r = q; r < 25 && scale != 0; r++)
                a[r][i] = a[r][i] / scale;
            if (scale != 0)
                a[q][i] = be;
        }
        const float tau = s->tau[i];
        if (tau == 0)
            continue;
        v[q] = 1;
        for (int r = q + 1; r < 25; r++)
            v[r] = a[r][i];
        for (int r = q; r < 25; r++) {
            x[r] = 0;
            for (int c = q; c < 25; c++)
                x[r] = x[r] + (tau * a[r][c]) * v[c];
        }
        for (int r = q; r < 25; r++)
            xv = xv + x[r] * v[r];
        s->om[i] = (float)((-0.5 * (double)tau) * (double)xv);
        for (int r = q; r < 25; r++)
            x[r] = x[r] + s->om[i] * v[r];
        for (int r = q; r < 25; r++)
            for (int c = q; c < 25; c++)
                a[r][c] = a[r][c] - (x[r] * v[c] + v[r] * x[c]);
    }
    for (int r = 0; r < 25; r++)
        s->tri_d[r] = a[r][r];
    for (int r = 0; r < 24; r++)
        s->tri_e[r] = a[r + 1][r];
}

/* ---- 4.8 ---- */

static float inverse_root(float u) {
    return (float)(1.0 / sqrt((double)u));
}

static void chop(float *d, float *e, int low, int high) {
    for (int r = low; r < high; r++)
        if ((double)fabsf(e[r]) < SPEED_EPS * (double)(fabsf(d[r]) + fabsf(d[r + 1])))
            e[r] = 0;
}

static float wilkinson(const float *d, const float *e, int m) {
    const float dl = (d[m - 2] - d[m - 1]) / 2, t = e[m - 2], hy = sqrtf(dl * dl + t * t);
    float shift;
    if (dl > 0)
        shift = d[m - 1] - t * (t / (dl + hy));
    else if (dl == 0)
        shift = d[m - 1] - fabsf(t);
    else
        shift = d[m - 1] + t * (t / (-dl + hy));
    return SPEED_EPS * (double)fabsf(shift) > (double)(fabsf(d[0]) + fabsf(e[0])) ? 0 : shift;
}

static float qr_step(float *d, float *e, int m) {
    const float shift = wilkinson(d, e, m);
    float x = d[0] - shift, z = e[0], bk = 0, zk = 0, ap = d[0], bp = e[0], aq = d[1], bq = m > 2 ? e[1] : 0;
    for (int k = 0; k <= m - 2; k++) {
        float c = 1, s = 0;
        if (z != 0 && fabsf(z) > fabsf(x)) {
            const float t = -x / z;
            s = inverse_root(1 + t * t);
            c = s * t;
        } else if (z != 0) {
            const float t = -z / x;
            c = inverse_root(1 + t * t);
            s = c * t;
        }
        const float bo = c * bk - s * zk, t1 = c * ap - s * bp, t2 = s * aq - c * bp, t3 = s * ap + c * bp,
                    t4 = s * bp + c * aq, zn = -s * bq, ak = c * t1 + s * t2;
        bk = c * t3 - s * t4;
        zk = zn;
        ap = s * t3 + c * t4;
        bp = c * bq;
        if (k < m - 2)
            aq = d[k + 2];
        if (k < m - 3)
            bq = e[k + 2];
        d[k] = ak;
        if (k > 0)
            e[k - 1] = bo;
        if (k < m - 2)
            e[k + 1] = bp;
        x = bk;
        z = zk;
    }
    d[m - 1] = ap;
    e[m - 2] = bk;
    return shift;
}

static void eigenvalues(side *s) {
    float d[25], e[24];
    memcpy(d, s->tri_d, sizeof d);
    memcpy(e, s->tri_e, sizeof e);
    s->steps = 0;
    chop(d, e, 0, 24);
    for (int b = 24; b > 0 && s->steps < 500;) {
        if (e[b - 1] == 0) {
            b--;
            continue;
        }
        int a = b - 1;
        while (a > 0 && e[a - 1] != 0)
            a--;
        const float shift = qr_step(d + a, e + a, b - a + 1);
        chop(d, e, a, b);
        if (s->steps < 3) {
            qr_trace *t = &s->trace[s->steps];
            t->a = a;
            t->b = b;
            t->shift = shift;
            memcpy(t->d, d, sizeof d);
            memcpy(t->e, e, sizeof e);
        }
        s->steps++;
    }
    s->under_eps = false;
    for (int r = 0; r < 25; r++) {
        s->lam[r] = d[r];
        s->under_eps |= (double)d[r] < SPEED_EPS;
    }
}

/* ---- 4.10 and 4.11 ---- */

static void reflect_both(float z[25][25], float q[25][25], int k, float sign) {
    float v[25], h[25][25], old_z[25][25], old_q[25][25], squares = 0;
    for (int i = k; i < 25; i++) {
        v[i] = z[i][k];
        squares = squares + v[i] * v[i];
    }
    const float nu = sqrtf(squares);
    v[k] = sign >= 0 ? v[k] + nu : v[k] - nu;
    squares = 0;
    for (int i = k; i < 25; i++)
        squares = squares + v[i] * v[i];
    const float nu2 = sqrtf(squares);
    for (int i = k; i < 25; i++)
        v[i] = v[i] / nu2;
    for (int i = k; i < 25; i++)
        for (int j = k; j < 25; j++) {
            const float product = (-2 * v[i]) * v[j];
            h[i][j] = i == j ? product + 1 : product;
        }
    memcpy(old_z, z, sizeof old_z);
    memcpy(old_q, q, sizeof old_q);
    for (int i = k; i < 25; i++)
        for (int j = 0; j < 25; j++) {
            float zij = 0, qij = 0;
            for (int m = k; m < 25; m++) {
                zij = zij + h[i][m] * old_z[m][j];
                qij = qij + h[i][m] * old_q[m][j];
            }
            z[i][j] = zij;
            q[i][j] = qij;
        }
}

static void solve(side *s) {
    float z[25][25];
    memcpy(z, s->k, sizeof z);
    for (int i = 0; i < 25; i++)
        for (int j = 0; j < 25; j++)
            s->q[i][j] = i == j;
    for (int k = 0; k < 24; k++)
        reflect_both(z, s->q, k, s->k[k][k]);
    for (int i = 0; i < 25; i++)
        for (int j = 0; j < 25; j++) {
            s->r[i][j] = 0;
            for (int m = 0; m < 25; m++)
                s->r[i][j] = s->r[i][j] + s->q[i][m] * s->k[m][j];
        }
    for (int i = 0; i < 25; i++)
        s->singular |= (double)fabsf(s->r[i][i]) < SPEED_EPS;
    for (int b = 0; b < s->blocks; b++) {
        float y[25], t[25];
        for (int i = 0; i < 25; i++)
            y[i] = s->cen[(5 * (b / s->nx) + i / 5) * s->w + 5 * (b % s->nx) + i % 5];
        for (int i = 0; i < 25; i++) {
            t[i] = 0;
            for (int m = 0; m < 25; m++)
                t[i] = t[i] + s->q[i][m] * y[m];
        }
        for (int i = 24; i >= 0; i--) {
            for (int m = i + 1; m < 25; m++)
                t[i] = t[i] - s->x[m][b] * s->r[i][m];
            s->x[i][b] = t[i] / s->r[i][i];
        }
        s->v[b] = (s->x[0][b] * y[0]) / 25;
        for (int i = 1; i < 25; i++) {
            const float share = (s->x[i][b] * y[i]) / 25;
            s->v[b] = s->v[b] + share;
        }
    }
}

/* Everything from a converted plane (or difference of two) on. */
static void speed_side(const plane *src, double ks, double ps, const char *method, side *s) {
    static plane pre;
    prescale(src, ps, method, &pre);
    centre(&pre, ks, s);
    covary(s);
    tridiagonalise(s);
    eigenvalues(s);
    s->singular = s->under_eps;
    if (!s->under_eps)
        solve(s);
    for (int b = 0; b < s->blocks && s->singular; b++)
        s->v[b] = 0;
}

/* ---- Section 7 ---- */

static int folded(uint32_t z) {
    z %= 512;
    return (int)(z < 256 ? z : 512 - z);
}

static void formula_plane(uint32_t seed, int w, int h, uint16_t *out) {
    uint32_t state = seed, a[6], b[6], c[6];
    for (int k = 0; k < 6; k++) {
        uint32_t *const drawn[] = {&a[k], &b[k], &c[k]};
        for (int i = 0; i < 3; i++) {
            state = (1103515245u * state + 12345u) & 0x7fffffff;
            *drawn[i] = (state >> 16) % (i < 2 ? 41 : 512);
        }
    }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int sum = 0;
            for (int k = 0; k < 6; k++)
                sum += folded(a[k] * (uint32_t)x + b[k] * (uint32_t)y + c[k]);
            out[y * w + x] = (uint16_t)(sum / 6 > 255 ? 255 : sum / 6);
        }
}

#endif
