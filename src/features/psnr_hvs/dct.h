/* psnr_hvs: the integer lifting DCT of eight values (spec 4.4), kernel text. */
#ifndef TY_PSNR_HVS_DCT_H
#define TY_PSNR_HVS_DCT_H

/* Half, rounded toward zero. */
FUNCTION(i32) psnr_hvs_half(i32 z) {
    return (z + (i32)((u32)z >> 31)) >> 1;
}

/* z * c / 2^n, rounded. To 12 bits the sum stays below 3.8e8. */
FUNCTION(i32) psnr_hvs_rotate(i32 z, i32 c, i32 n) {
    return (z * c + (1 << (n - 1))) >> n;
}

/* Transforms x[0], x[step], … x[7 * step] in place. */
FUNCTION(void) psnr_hvs_dct(SHARED_PTR(i32) x, u32 step) {
    i32 a = x[0 * step], e = x[1 * step], c = x[2 * step], g = x[3 * step];
    i32 h = x[4 * step], d = x[5 * step], f = x[6 * step], b = x[7 * step];
    b = a - b;
    const i32 half_b = psnr_hvs_half(b);
    a = a - half_b;
    e = e + f;
    const i32 half_e = psnr_hvs_half(e);
    f = f - half_e;
    d = c - d;
    c = c - psnr_hvs_half(d);
    g = g + h;
    const i32 half_g = psnr_hvs_half(g);
    h = half_g - h;

    a = a + half_g;
    g = a - g;
    c = half_e - c;
    e = c - e;
    a = a - psnr_hvs_rotate(e, 13573, 15);
    e = e + psnr_hvs_rotate(a, 11585, 14);
    a = a - psnr_hvs_rotate(e, 13573, 15);
    g = g - psnr_hvs_rotate(c, 21895, 15);
    c = c + psnr_hvs_rotate(g, 15137, 14);
    g = g - psnr_hvs_rotate(c, 21895, 15);

    d = d + psnr_hvs_rotate(f, 19195, 15);
    f = f + psnr_hvs_rotate(d, 11585, 14);
    d = d - psnr_hvs_rotate(f, 7489, 13);
    h = psnr_hvs_half(f) - h;
    f = f - h;
    d = half_b - d;
    b = b - d;
    h = h + psnr_hvs_rotate(b, 3227, 15);
    b = b - psnr_hvs_rotate(h, 6393, 15);
    h = h + psnr_hvs_rotate(b, 3227, 15);
    f = f + psnr_hvs_rotate(d, 2485, 13);
    d = d - psnr_hvs_rotate(f, 18205, 15);
    f = f + psnr_hvs_rotate(d, 2485, 13);

    x[0 * step] = a, x[1 * step] = b, x[2 * step] = c, x[3 * step] = d;
    x[4 * step] = e, x[5 * step] = f, x[6 * step] = g, x[7 * step] = h;
}

#endif
