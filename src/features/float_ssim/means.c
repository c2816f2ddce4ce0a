#include "features/float_ssim/means.h"

#include <math.h>

#include "exact/math.h"

ssim_windows ty_ssim_windows(uint32_t width, uint32_t height, bool with_means) {
    return (ssim_windows){.width = width - (SSIM_TAPS - 1),
                          .height = height - (SSIM_TAPS - 1),
                          .pitch = SSIM_PITCH(width),
                          .stored = with_means ? SSIM_WITH_MEANS : SSIM_WITHOUT_MEANS,
                          .stored_pitch = SSIM_PITCH(width) - SSIM_LANES};
}

size_t ty_ssim_windows_bytes(const ssim_windows *shape) {
    return (size_t)shape->height * shape->stored * shape->stored_pitch * sizeof(float);
}

void ty_ssim_plan_windows(ty_plan *plan, const ssim_windows *shape, ty_buffer reference, ty_buffer distorted,
                          ty_buffer windows) {
    const ty_buffer buffers[] = {reference, distorted, windows};
    ty_plan_launch(plan, "float_ssim_windows", SSIM_LANES, shape->stored_pitch / SSIM_LANES,
                   (shape->height + SSIM_ROWS - 1) / SSIM_ROWS, shape, sizeof *shape, 3, buffers);
}

ty_buffer ty_ssim_plan_plane(ty_plan *plan, ty_picture_role role) {
    const ty_layout *layout = plan->layout;
    const ssim_picture picture = {.width = layout->width[0],
                                  .height = layout->height[0],
                                  .stride = layout->stored_width[0],
                                  .pitch = SSIM_PITCH(layout->width[0]),
                                  .factor = 1,
                                  .plane_width = layout->width[0],
                                  .scale = 1.0f / (float)(1u << (layout->format.bit_depth - 8))};
    const ty_buffer plane = ty_plan_scratch(plan, (size_t)picture.pitch * picture.height * sizeof(float));
    const ty_buffer buffers[] = {ty_plan_plane(plan, role, 0, 0), plane};
    ty_plan_launch(plan, "float_ssim_plane", SSIM_LANES, picture.pitch / SSIM_LANES, picture.height, &picture,
                   sizeof picture, 2, buffers);
    return plane;
}

/* Double and float as the specification mixes them: numerators of l and c in double, their denominators in
 * float. */
static double luminance(float mean_r, float mean_d) {
    const float squares = mean_r * mean_r + mean_d * mean_d;
    return (2 * (double)mean_r * (double)mean_d + (double)SSIM_C1) / (double)(squares + SSIM_C1);
}

static double contrast(float deviations, float variances) {
    return (2 * (double)deviations + (double)SSIM_C2) / (double)variances;
}

ssim_means ty_ssim_means(const float *windows, const ssim_windows *shape) {
    double score = 0, sum_l = 0, sum_c = 0, sum_s = 0;
    const size_t pitch = shape->stored_pitch;
    for (uint32_t y = 0; y < shape->height; y++) {
        const float *row = windows + y * shape->stored * pitch;
        const float *structure = row + SSIM_STRUCTURE * pitch;
        const float *deviations = row + SSIM_DEVIATIONS * pitch, *variances = row + SSIM_VARIANCES * pitch;
        const float *mean_r = row + SSIM_MEAN_REFERENCE * pitch, *mean_d = row + SSIM_MEAN_DISTORTED * pitch;
        for (uint32_t x = 0; x < shape->width; x++) {
            const double s = (double)structure[x], c = contrast(deviations[x], variances[x]);
            sum_c += c;
            sum_s += s;
            if (shape->stored != SSIM_WITH_MEANS)
                continue;
            const double l = luminance(mean_r[x], mean_d[x]);
            sum_l += l;
            score += l * c * s;
        }
    }
    const double count = (double)((uint64_t)shape->width * shape->height);
    return (ssim_means){(float)(score / count), (float)(sum_l / count), (float)(sum_c / count),
                        (float)(sum_s / count)};
}

double ty_ssim_cap(const ty_layout *layout) {
    const uint32_t peak = (1u << layout->format.bit_depth) - 1;
    const uint32_t samples = layout->width[0] * layout->height[0];
    return ceil(10.0 * ty_log10((double)(peak * peak) / (0.5 / (double)samples)));
}

double ty_ssim_decibels(double score, double cap) {
    const double decibels = -10.0 * ty_log10(1.0 - score);
    return decibels < cap ? decibels : cap;
}
