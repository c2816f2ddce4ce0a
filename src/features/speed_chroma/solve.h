/* Solution of covariance * X = blocks by Householder's QR, and the variances of the blocks (spec: 4.10 and
 * 4.11). The reflections are applied as full matrices, and R is a fresh product of Q and the covariance. */
#ifndef TY_SPEED_SOLVE_H
#define TY_SPEED_SOLVE_H

/* The unit vector whose reflection clears column k of `z` below k. The norm is given the sign of `sign`. */
FUNCTION(void) speed_unit_vector(SHARED_PTR(f32) z, u32 pitch, u32 k, f32 sign, SHARED_PTR(f32) v) {
    f32 squares = 0.0f, new_squares = 0.0f;
    for (u32 i = k; i < SPEED_ELEMENTS; i++) {
        v[i] = z[i * pitch + k];
        squares = squares + v[i] * v[i];
    }
    const f32 norm = speed_sqrt(squares);
    v[k] = sign >= 0.0f ? v[k] + norm : v[k] - norm;
    for (u32 i = k; i < SPEED_ELEMENTS; i++)
        new_squares = new_squares + v[i] * v[i];
    const f32 new_norm = speed_sqrt(new_squares);
    for (u32 i = k; i < SPEED_ELEMENTS; i++)
        v[i] = v[i] / new_norm;
}

/* Q and R of a side that has no eigenvalue under EPS; it is singular, too, if the diagonal of R has an
 * element there. Lanes are columns: 0 to 24 of Z, 32 to 56 of Q. Columns of Z left of k are not needed any
 * more, and computed with the others. */
KERNEL3(speed_factor, SPEED_FACTOR_LANES, IN(f32, covariance), OUT(f32, factors), OUT(f32, partials),
        speed_shape, shape)
    SHARED(f32, zq, SPEED_ELEMENTS * LANES);
    SHARED(f32, product, SPEED_ELEMENTS * LANES);
    SHARED(f32, h, SPEED_ELEMENTS * LANES);
    SHARED(f32, v, LANES);
    PRIVATE(f32, sum);
    GLOBAL_IN(f32) matrix = covariance + GROUP_Y * (SPEED_ELEMENTS * SPEED_ELEMENTS);
    GLOBAL_OUT(f32) flag = partials + (u64)GROUP_Y * shape.partials + SPEED_SINGULAR;
    GLOBAL_OUT(f32) q_out = factors + GROUP_Y * (2 * SPEED_ELEMENTS * SPEED_ELEMENTS);
    GLOBAL_OUT(f32) r_out = q_out + SPEED_ELEMENTS * SPEED_ELEMENTS;
    const u32 singular = flag[0] != 0.0f;
    BARRIER;

    EACH(lane) v[lane] = 0.0f;
    if (!singular) {
        PHASE(lane) {
            const u32 column = (u32)lane % SPEED_MATRIX_LANES, inside = column < SPEED_ELEMENTS;
            for (u32 i = 0; i < SPEED_ELEMENTS; i++) {
                const f32 z = inside ? matrix[i * SPEED_ELEMENTS + (inside ? column : 0)] : 0.0f;
                (zq + i * LANES)[lane] = lane < SPEED_MATRIX_LANES ? z : column == i ? 1.0f : 0.0f;
            }
        }
        for (u32 k = 0; k + 1 < SPEED_ELEMENTS; k++) {
            ONCE speed_unit_vector(zq, LANES, k, matrix[k * SPEED_ELEMENTS + k], v);
            for (u32 i = k; i < SPEED_ELEMENTS; i++)
                EACH(lane) {
                    const f32 reflected = (-2.0f * v[i]) * v[lane];
                    (h + i * LANES)[lane] = (u32)lane == i ? reflected + 1.0f : reflected;
                }
            BARRIER;
            for (u32 i = k; i < SPEED_ELEMENTS; i++) {
                EACH(lane) MY(sum) = 0.0f;
                for (u32 m = k; m < SPEED_ELEMENTS; m++) {
                    const f32 weight = h[i * LANES + m];
                    EACH(lane) MY(sum) = MY(sum) + weight * (zq + m * LANES)[lane];
                }
                EACH(lane) (product + i * LANES)[lane] = MY(sum);
            }
            for (u32 i = k; i < SPEED_ELEMENTS; i++)
                EACH(lane) (zq + i * LANES)[lane] = (product + i * LANES)[lane];
            BARRIER;
        }
        for (u32 i = 0; i < SPEED_ELEMENTS; i++) {
            SHARED_PTR(f32) q = zq + i * LANES + SPEED_MATRIX_LANES;
            EACH_FIRST(lane, SPEED_ELEMENTS) {
                MY(sum) = 0.0f;
                q_out[i * SPEED_ELEMENTS + (u32)lane] = q[lane];
            }
            for (u32 m = 0; m < SPEED_ELEMENTS; m++) {
                const f32 weight = q[m];
                EACH_FIRST(lane, SPEED_ELEMENTS) MY(sum) =
                    MY(sum) + weight * matrix[m * SPEED_ELEMENTS + (u32)lane];
            }
            EACH_FIRST(lane, SPEED_ELEMENTS) {
                r_out[i * SPEED_ELEMENTS + (u32)lane] = MY(sum);
                if ((u32)lane == i && speed_magnitude(MY(sum)) <= SPEED_EPS_FLOAT)
                    flag[0] = 1.0f;
            }
        }
    }
END_KERNEL

/* A lane is a block. */
KERNEL3(speed_solve, SPEED_SOLVE_LANES, IN(f32, centred), IN(f32, factors), OUT(f32, partials), speed_shape,
        shape)
    SHARED(f32, block, SPEED_ELEMENTS * LANES);
    SHARED(f32, solution, SPEED_ELEMENTS * LANES); /* Q * block, then X from its end */
    PRIVATE(f32, sum);
    const u32 first = GROUP_X * LANES;
    const u32 count = shape.blocks - first < LANES ? shape.blocks - first : LANES;
    GLOBAL_IN(f32) plane = centred + (u64)GROUP_Y * shape.height * shape.pitch;
    GLOBAL_IN(f32) q = factors + GROUP_Y * (2 * SPEED_ELEMENTS * SPEED_ELEMENTS);
    GLOBAL_IN(f32) r = q + SPEED_ELEMENTS * SPEED_ELEMENTS;
    GLOBAL_OUT(f32) side = partials + (u64)GROUP_Y * shape.partials;
    GLOBAL_OUT(f32) out = side + SPEED_VARIANCES + first;

    if (side[SPEED_SINGULAR] != 0.0f) {
        EACH_FIRST(lane, count) out[lane] = 0.0f;
    } else {
        for (u32 m = 0; m < SPEED_ELEMENTS; m++)
            EACH(lane) {
                const u32 b = (u32)lane < count ? first + (u32)lane : first;
                const u32 y = b / shape.blocks_x * SPEED_BLOCK + m / SPEED_BLOCK;
                const u32 x = b % shape.blocks_x * SPEED_BLOCK + m % SPEED_BLOCK;
                (block + m * LANES)[lane] = plane[y * shape.pitch + x];
            }
        for (u32 i = 0; i < SPEED_ELEMENTS; i++) {
            EACH(lane) MY(sum) = 0.0f;
            for (u32 m = 0; m < SPEED_ELEMENTS; m++) {
                const f32 weight = q[i * SPEED_ELEMENTS + m];
                EACH(lane) MY(sum) = MY(sum) + weight * (block + m * LANES)[lane];
            }
            EACH(lane) (solution + i * LANES)[lane] = MY(sum);
        }
        for (u32 i = SPEED_ELEMENTS; i-- > 0;) {
            EACH(lane) MY(sum) = (solution + i * LANES)[lane];
            for (u32 m = i + 1; m < SPEED_ELEMENTS; m++) {
                const f32 weight = r[i * SPEED_ELEMENTS + m];
                EACH(lane) MY(sum) = MY(sum) - (solution + m * LANES)[lane] * weight;
            }
            const f32 diagonal = r[i * SPEED_ELEMENTS + i];
            EACH(lane) (solution + i * LANES)[lane] = MY(sum) / diagonal;
        }
        EACH(lane) MY(sum) = solution[lane] * block[lane] / 25.0f;
        for (u32 i = 1; i < SPEED_ELEMENTS; i++)
            EACH(lane) MY(sum) =
                MY(sum) + (solution + i * LANES)[lane] * (block + i * LANES)[lane] / 25.0f;
        EACH_FIRST(lane, count) out[lane] = MY(sum);
    }
END_KERNEL

#endif
