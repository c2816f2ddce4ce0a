/* What both SSIM features do with the windows of a frame: their means, and the scale of decibels. */
#ifndef TY_FLOAT_SSIM_MEANS_H
#define TY_FLOAT_SSIM_MEANS_H

#include "core/layout.h"
#include "core/plan.h"

#include "features/float_ssim/stages.h"

/* Means over all windows of a frame: of the product of all three terms, of luminance, contrast and structure.
 */
typedef struct ssim_means {
    float score, l, c, s;
} ssim_means;

/* `windows`: what the kernel float_ssim_windows stored. Without stored means, score and l are 0. */
ssim_means ty_ssim_means(const float *windows, const ssim_windows *shape);

/* The windows of planes of that size; with or without their means. */
ssim_windows ty_ssim_windows(uint32_t width, uint32_t height, bool with_means);

size_t ty_ssim_windows_bytes(const ssim_windows *shape);

/* Adds the launch that fills `windows` from the planes of both pictures. */
void ty_ssim_plan_windows(ty_plan *plan, const ssim_windows *shape, ty_buffer reference, ty_buffer distorted,
                          ty_buffer windows);

/* Adds a plane of floats at the size and depth of a picture, for its luma. */
ty_buffer ty_ssim_plan_plane(ty_plan *plan, ty_picture_role role);

/* The highest decibels that a picture of this format can be given (spec 4.2 g). */
double ty_ssim_cap(const ty_layout *layout);

/* -10 log10(1 - score), and `cap` where that is more, or not a number. */
double ty_ssim_decibels(double score, double cap);

#endif
