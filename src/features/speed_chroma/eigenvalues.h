/* Eigenvalues of a covariance: Householder tridiagonal form, then implicit QR steps with Wilkinson's shift
 * (spec: 4.7 to 4.9). The order in which they come out is part of the score. */
#ifndef TY_SPEED_EIGENVALUES_H
#define TY_SPEED_EIGENVALUES_H

/* The reflection that clears a column below element q: I - tau v v', v[q] = 1. */
typedef struct speed_reflection {
    f32 tau;
    f32 divisor; /* of the column below q; 0: the column is v as it is */
    f32 left;    /* what is left in element q */
} speed_reflection;

FUNCTION(speed_reflection) speed_reflection_of(SHARED_PTR(f32) column, u32 q) {
    speed_reflection r;
    f32 squares = 0.0f;
    for (u32 n = q + 1; n < SPEED_ELEMENTS; n++)
        squares = squares + column[n] * column[n];
    const f32 below = speed_sqrt(squares), at = column[q];
    r.tau = 0.0f;
    r.divisor = 0.0f;
    r.left = at;
    if (below == 0.0f)
        return r;
    const f32 norm = speed_sqrt(at * at + below * below), beta = at >= 0.0f ? -norm : norm;
    r.tau = (beta - at) / beta;
    r.divisor = at - beta;
    if (r.divisor != 0.0f)
        r.left = beta;
    return r;
}

typedef struct speed_rotation {
    f32 c, s;
} speed_rotation;

FUNCTION(speed_rotation) speed_rotation_of(f32 x, f32 z) {
    speed_rotation r;
    r.c = 1.0f;
    r.s = 0.0f;
    if (z == 0.0f)
        return r;
    const u32 steep = speed_magnitude(z) > speed_magnitude(x);
    const f32 t = steep ? -x / z : -z / x;
    const f32 g = speed_inverse_root(1.0f + t * t);
    r.c = steep ? g * t : g;
    r.s = steep ? g : g * t;
    return r;
}

/* Wilkinson's shift, 0 where it would be lost beside the block's first elements. */
FUNCTION(f32) speed_shift(SHARED_PTR(f32) d, SHARED_PTR(f32) e, u32 m) {
    const f32 apart = 0.5f * (d[m - 2] - d[m - 1]), t = e[m - 2];
    const f32 root = speed_sqrt(apart * apart + t * t);
    const f32 shift = apart > 0.0f    ? d[m - 1] - t * (t / (apart + root))
                      : apart == 0.0f ? d[m - 1] - speed_magnitude(t)
                                      : d[m - 1] + t * (t / (-apart + root));
    const f32 first = speed_magnitude(d[0]) + speed_magnitude(e[0]);
    return speed_under_eps(first, speed_magnitude(shift)) ? 0.0f : shift;
}

/* One step on the block with diagonal d[0…m-1], m >= 2. */
FUNCTION(void) speed_qr_step(SHARED_PTR(f32) d, SHARED_PTR(f32) e, u32 m) {
    f32 x = d[0] - speed_shift(d, e, m), z = e[0];
    f32 bk = 0.0f, zk = 0.0f, ap = d[0], bp = e[0], aq = d[1], bq = m > 2 ? e[1] : 0.0f;
    for (u32 k = 0; k + 1 < m; k++) {
        const speed_rotation r = speed_rotation_of(x, z);
        const f32 c = r.c, s = r.s;
        const f32 before = c * bk - s * zk;
        const f32 t1 = c * ap - s * bp, t2 = s * aq - c * bp, t3 = s * ap + c * bp, t4 = s * bp + c * aq;
        const f32 bulge = -s * bq;
        d[k] = c * t1 + s * t2;
        if (k > 0)
            e[k - 1] = before;
        bk = c * t3 - s * t4;
        zk = bulge;
        ap = s * t3 + c * t4;
        bp = c * bq;
        if (k + 2 < m) {
            aq = d[k + 2];
            e[k + 1] = bp;
        }
        if (k + 3 < m)
            bq = e[k + 2];
        x = bk;
        z = zk;
    }
    d[m - 1] = ap;
    e[m - 2] = bk;
}

/* Clears the elements beside the diagonal that are lost beside it. */
FUNCTION(void) speed_chop(SHARED_PTR(f32) d, SHARED_PTR(f32) e, u32 first, u32 last) {
    for (u32 n = first; n < last; n++)
        if (speed_under_eps(speed_magnitude(e[n]), speed_magnitude(d[n]) + speed_magnitude(d[n + 1])))
            e[n] = 0.0f;
}

#define SPEED_QR_STEPS 500 /* never needed: 20 to 45 are */

FUNCTION(void) speed_qr(SHARED_PTR(f32) d, SHARED_PTR(f32) e) {
    u32 last = SPEED_ELEMENTS - 1, steps = 0;
    speed_chop(d, e, 0, last);
    while (last > 0 && steps < SPEED_QR_STEPS) {
        if (e[last - 1] == 0.0f) {
            last--;
            continue;
        }
        u32 first = last - 1;
        while (first > 0 && e[first - 1] != 0.0f)
            first--;
        speed_qr_step(d + first, e + first, last - first + 1);
        speed_chop(d, e, first, last);
        steps++;
    }
}

/* A group is a side, a lane a row of its matrix. */
KERNEL2(speed_eigenvalues, SPEED_MATRIX_LANES, IN(f32, covariance), OUT(f32, partials), speed_shape, shape)
    SHARED(f32, a, SPEED_ELEMENTS * LANES); /* symmetric: a row is a column too */
    SHARED(f32, v, LANES);
    SHARED(f32, x, LANES);
    SHARED(f32, d, LANES);
    SHARED(f32, e, LANES);
    SHARED(speed_reflection, reflection, 1);
    GLOBAL_IN(f32) matrix = covariance + GROUP_Y * (SPEED_ELEMENTS * SPEED_ELEMENTS);
    GLOBAL_OUT(f32) out = partials + (u64)GROUP_Y * shape.partials;

    PHASE(lane) {
        for (u32 r = 0; r < SPEED_ELEMENTS; r++)
            (a + r * LANES)[lane] = lane < SPEED_ELEMENTS ? matrix[r * SPEED_ELEMENTS + (u32)lane] : 0.0f;
    }
    for (u32 i = 0; i + 2 < SPEED_ELEMENTS; i++) {
        const u32 q = i + 1;
        ONCE {
            reflection[0] = speed_reflection_of(a + i * LANES, q);
            e[i] = reflection[0].left;
        }
        const f32 tau = reflection[0].tau, divisor = reflection[0].divisor;
        BARRIER;
        if (tau != 0.0f) {
            PHASE(lane) {
                const f32 element = (a + i * LANES)[lane];
                const f32 below = divisor != 0.0f ? element / divisor : element;
                v[lane] = (u32)lane > q ? below : (u32)lane == q ? 1.0f : 0.0f;
                x[lane] = 0.0f;
            }
            for (u32 c = q; c < SPEED_ELEMENTS; c++)
                EACH(lane) x[lane] = x[lane] + (tau * (a + c * LANES)[lane]) * v[c];
            BARRIER;
            ONCE {
                f32 product = 0.0f;
                for (u32 r = q; r < SPEED_ELEMENTS; r++)
                    product = product + x[r] * v[r];
                d[0] = (-0.5f * tau) * product;
            }
            PHASE(lane) x[lane] = x[lane] + d[0] * v[lane];
            for (u32 r = q; r < SPEED_ELEMENTS; r++)
                EACH(lane) (a + r * LANES)[lane] =
                    (a + r * LANES)[lane] - (x[r] * v[lane] + v[r] * x[lane]);
            BARRIER;
        }
    }
    ONCE {
        for (u32 r = 0; r < SPEED_ELEMENTS; r++)
            d[r] = a[r * LANES + r];
        e[SPEED_ELEMENTS - 2] = a[(SPEED_ELEMENTS - 1) * LANES + SPEED_ELEMENTS - 2];
        speed_qr(d, e);
        f32 least = 1.0f;
        for (u32 r = 0; r < SPEED_ELEMENTS; r++)
            least = d[r] < least ? d[r] : least;
        out[SPEED_SINGULAR] = least <= SPEED_EPS_FLOAT ? 1.0f : 0.0f;
    }
    EACH_FIRST(lane, SPEED_ELEMENTS) out[lane] = d[lane];
END_KERNEL

#endif
