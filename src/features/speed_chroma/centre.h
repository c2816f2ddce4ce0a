/* The decimated plane less its local mean (spec: 4.5). */
#ifndef TY_SPEED_CENTRE_H
#define TY_SPEED_CENTRE_H

/* A lane is a column. Those behind the plane are 0. */
KERNEL3(speed_centre, SPEED_CENTRE_LANES, IN(f32, taps), IN(f32, low), OUT(f32, centred), speed_shape,
        shape)
    PRIVATE(u32, column);
    PRIVATE(f32, vertical);
    PRIVATE(f32, sum);
    const u32 side = GROUP_Y / shape.height, y = GROUP_Y % shape.height;
    const u32 left = GROUP_X * LANES;
    const u32 count = shape.pitch - left < LANES ? shape.pitch - left : LANES;
    const i32 reach = (i32)(shape.taps / 2);
    const i32 last = (i32)shape.width - 1;
    GLOBAL_IN(f32) plane = low + (u64)side * shape.height * shape.pitch;
    GLOBAL_IN(f32) row = plane + y * shape.pitch + left;
    GLOBAL_OUT(f32) out = centred + (u64)GROUP_Y * shape.pitch + left;

    EACH(lane) MY(sum) = 0.0f;
    for (u32 k = 0; k < shape.taps; k++) {
        EACH(lane) {
            const i32 x = (i32)left + lane < last ? (i32)left + lane : last;
            MY(column) = (u32)speed_reflect(x - reach + (i32)k, (i32)shape.width);
            MY(vertical) = 0.0f;
        }
        for (u32 v = 0; v < shape.taps; v++) {
            GLOBAL_IN(f32) under =
                plane + (u32)speed_reflect((i32)(y + v) - reach, (i32)shape.height) * shape.pitch;
            const f32 tap = taps[v];
            EACH(lane) MY(vertical) = MY(vertical) + tap * under[MY(column)];
        }
        const f32 tap = taps[k];
        EACH(lane) MY(sum) = MY(sum) + tap * MY(vertical);
    }
    EACH_FIRST(lane, count) out[lane] = (i32)left + lane <= last ? row[lane] - MY(sum) : 0.0f;
END_KERNEL

#endif
