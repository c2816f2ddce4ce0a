/* What one window adds to the score: the weight of its samples times their similarity. Kernel text.
 *
 * The specification's doubles, each operation rounded and in its order. All operands and results are 0 or
 * normal: moments are integers below 2^48, products stay below 2^200, and c1 and c2 times the squared weight
 * are above 1 (the least weight is 68 * 68). */
#ifndef TY_SSIM_TERM_H
#define TY_SSIM_TERM_H

typedef struct ssim_fixed_sums {
    u32 weight;                       /* of the samples inside of the picture, at most 2^16 */
    u32 r, d, rr, rd, dd;             /* weighted sums */
    u32 rr_upper, rd_upper, dd_upper; /* of upper halves, to be taken times 2^16 */
} ssim_fixed_sums;

#if TY_HAS_F64

#define SSIM_FIXED_TERM f64

/* Exact. Vector instructions convert signed integers. */
FUNCTION(f64) ssim_fixed_double(u32 sum) {
    return (f64)(i32)(sum ^ 0x80000000u) + 0x1p31;
}

#if SAMPLE_BITS == 8
FUNCTION(f64) ssim_fixed_mean(u32 sum) {
    return (f64)(i32)sum;
} /* below 2^24 */
FUNCTION(f64) ssim_fixed_square(u32 lower, u32 upper) {
    (void)upper;
    return ssim_fixed_double(lower);
}
#else
FUNCTION(f64) ssim_fixed_mean(u32 sum) {
    return ssim_fixed_double(sum);
}
FUNCTION(f64) ssim_fixed_square(u32 lower, u32 upper) {
    return ssim_fixed_double(upper) * 0x1p16 + ssim_fixed_double(lower);
}
#endif

FUNCTION(f64) ssim_fixed_term(ssim_fixed_sums s, u64 unit1, u64 unit2) {
    const f64 n = (f64)(i32)s.weight;
    const f64 c1 = (F64_OF_BITS(unit1) * n) * n, c2 = (F64_OF_BITS(unit2) * n) * n;
    const f64 r = ssim_fixed_mean(s.r), d = ssim_fixed_mean(s.d);
    const f64 rr = ssim_fixed_square(s.rr, s.rr_upper), rd = ssim_fixed_square(s.rd, s.rd_upper);
    const f64 dd = ssim_fixed_square(s.dd, s.dd_upper);
    const f64 xx = r * r, xy = r * d, yy = d * d;
    const f64 upper = (n * (2.0 * xy + c1)) * (c2 + 2.0 * (rd * n - xy));
    const f64 lower = ((xx + yy) + c1) * ((((rr * n - xx) + dd * n) - yy) + c2);
    return upper / lower;
}

#else

#define SSIM_FIXED_TERM u64 /* the bits of a double */

FUNCTION(u64) ssim_fixed_double(u32 lower, u32 upper) {
    const u64 sum = ((u64)upper << 16) + lower;
    return sum == 0 ? 0 : double_round(0, sum, 0);
}

FUNCTION(u64) ssim_fixed_term(ssim_fixed_sums s, u64 unit1, u64 unit2) {
    const u64 n = ssim_fixed_double(s.weight, 0);
    const u64 c1 = double_multiply(double_multiply(unit1, n), n);
    const u64 c2 = double_multiply(double_multiply(unit2, n), n);
    const u64 r = ssim_fixed_double(s.r, 0), d = ssim_fixed_double(s.d, 0);
    const u64 rr = ssim_fixed_double(s.rr, s.rr_upper), rd = ssim_fixed_double(s.rd, s.rd_upper);
    const u64 dd = ssim_fixed_double(s.dd, s.dd_upper);
    const u64 xx = double_multiply(r, r), xy = double_multiply(r, d), yy = double_multiply(d, d);
    const u64 covariance = double_subtract(double_multiply(rd, n), xy);
    const u64 means = double_multiply(n, double_add(double_add(xy, xy), c1));
    const u64 upper = double_multiply(means, double_add(c2, double_add(covariance, covariance)));
    const u64 variances =
        double_subtract(double_add(double_subtract(double_multiply(rr, n), xx), double_multiply(dd, n)), yy);
    const u64 lower = double_multiply(double_add(double_add(xx, yy), c1), double_add(variances, c2));
    return double_divide(upper, lower);
}

#endif

#endif
