/* Tally: video quality scores that are the same bits on every processor.
 *
 * This header is the whole public interface. Read it top to bottom: types, a run (the object that measures one pair of
 * videos), feeding frames, reading scores, reports, and what the library knows about itself.
 *
 * Threads: different runs are independent and may be used from different threads at the same time. One run is used by
 * one thread at a time, except tally_run_cancel() and tally_run_progress(), which any thread may call at any moment.
 *
 * Errors: every function that can fail returns a tally_status. The words for the last failure of a run are in
 * tally_run_error(). A failed run stays failed: later calls return the first failure again; only the getters,
 * tally_run_error() and tally_run_destroy() make sense then.
 *
 * Locale: nothing here reads or depends on the process's locale.
 */
#ifndef TALLY_TALLY_H
#define TALLY_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define TALLY_API
#else
#define TALLY_API __attribute__((visibility("default")))
#endif

#define TALLY_VERSION_MAJOR 0
#define TALLY_VERSION_MINOR 1
#define TALLY_VERSION_PATCH 0

/* ---- Status ------------------------------------------------------------------------------------------------------- */

/* What a call ended with. The numbers are the exit statuses of the `tally` program, one meaning each. */
typedef enum tally_status {
    TALLY_OK = 0,        /* done, scored whole */
    TALLY_USAGE = 1,     /* a wrong argument, option, feature name or order of calls */
    TALLY_INPUT = 2,     /* an input cannot be read, is damaged or holds no frames; a report cannot be written */
    TALLY_MISMATCH = 3,  /* the two inputs do not match (size, format, depth, length) */
    TALLY_DEVICE = 4,    /* the backend, device or CPU level asked for is absent or failed */
    TALLY_INTERNAL = 5,  /* out of memory, or a fault inside Tally */
    TALLY_DIFFERENT = 6, /* two reports or processors differ in a bit */
    TALLY_CANCELLED = 7  /* tally_run_cancel() was called */
} tally_status;

/* A short English name, e.g. "input". Never NULL. */
TALLY_API const char *tally_status_name(tally_status status);

/* ---- Pictures ----------------------------------------------------------------------------------------------------- */

typedef enum tally_pixel_format {
    TALLY_PIXEL_FORMAT_NONE = 0,
    TALLY_PIXEL_FORMAT_400, /* luma only */
    TALLY_PIXEL_FORMAT_420, /* chroma halved both ways */
    TALLY_PIXEL_FORMAT_422, /* chroma halved horizontally */
    TALLY_PIXEL_FORMAT_444  /* chroma at full size */
} tally_pixel_format;

/* The shape that both videos share. Sizes are those of the luma plane, in samples: 1 to 65535 each, at most 2^29 samples
 * together. Bit depth 8 to 16. */
typedef struct tally_format {
    uint32_t width;
    uint32_t height;
    uint32_t bit_depth;
    tally_pixel_format pixel_format;
} tally_format;

/* One picture in the caller's memory. Samples are bytes at a bit depth of 8, else uint16_t in the machine's byte order
 * with the value in the low bits. Chroma planes of odd-sized 4:2:0 and 4:2:2 pictures hold (width + 1) / 2 columns
 * (and rows), as files do; metrics see them rounded down. data[1] and data[2] are ignored for TALLY_PIXEL_FORMAT_400. */
typedef struct tally_picture {
    const void *data[3];  /* first sample of Y, Cb, Cr; 16-bit samples at even addresses */
    ptrdiff_t stride[3];  /* bytes from one row to the next; may be negative; even for 16-bit samples */
} tally_picture;

/* ---- A run -------------------------------------------------------------------------------------------------------- */

/* Measures one pair of videos, once. */
typedef struct tally_run tally_run;

typedef enum tally_log_level { TALLY_LOG_ERROR, TALLY_LOG_WARNING, TALLY_LOG_INFO } tally_log_level;

/* Receives one message without a line end. May be called from any thread of the run, one call at a time. */
typedef void (*tally_log_function)(void *opaque, tally_log_level level, const char *message);

/* How to run. Zero-initialise it, then set what you need: zero means the default everywhere. Copied by
 * tally_run_create(); the strings need not outlive the call. */
typedef struct tally_config {
    uint32_t threads;        /* worker threads; 0: as many as the process may use, or 3 for a GPU; at most 1024 */
    const char *backend;     /* "auto" (default: the fastest there is), "cpu", "opencl", "hip", "cuda": see tally_backend_name().
                              * One that is asked for and absent is TALLY_DEVICE, never replaced by another */
    const char *level;       /* CPU level: "auto" (default: the best this CPU has), "scalar", "v2", "v3", "v4", "neon" */
    uint32_t device;         /* index of the device within the backend; the CPU has only 0 */
    uint64_t every;          /* score frames whose number is divisible by this; 0 and 1: all frames */
    uint64_t from;           /* first frame to score */
    uint64_t to;             /* last frame to score, inclusive; 0: to the end. A range is scored with the frames around it
                              * that its temporal metrics need, so it gives the bits of the whole run */
    bool skip_unsupported;   /* leave out features that cannot take the format (with a warning) instead of failing */
    const char *model_dir;   /* where models are looked for first; NULL: only in the usual places, tally_run_add_model() */
    tally_log_function log;  /* NULL: silent */
    void *log_opaque;
} tally_config;

/* Makes a run. On failure *run is NULL and the reason went to config->log; with a NULL run: TALLY_USAGE. Release it with
 * tally_run_destroy(). config may be NULL: all defaults. */
TALLY_API tally_status tally_run_create(const tally_config *config, tally_run **run);

/* Frees the run and everything got from it. Stops work in progress. NULL is allowed. */
TALLY_API void tally_run_destroy(tally_run *run);

/* Asks for a feature, "NAME" or "NAME=option=value:option=value…", e.g. "psnr=enable_mse=true". May be called several
 * times before the run starts; the same feature with the same options is computed once. Unknown names, unknown options
 * and values out of range are TALLY_USAGE. A run without any feature or model is
 * given every feature there is. */
TALLY_API tally_status tally_run_add_feature(tally_run *run, const char *feature);

/* Asks for a model, "NAME[:option=value…]" or "FILE[:option=value…]", e.g. "vmaf_v0.6.1:enable_transform=true". Its
 * features are added to the run, and shared with other models and tally_run_add_feature(); its score becomes a metric of
 * its own after them. What holds a '/' or ends in ".json" is a file. A name is looked for, as NAME.json, in
 * config.model_dir, in the folders of $TALLY_MODEL_PATH (separated by ':'), in $XDG_DATA_HOME/tally/model (or
 * ~/.local/share/tally/model), and in /usr/local/share/tally/model, /usr/share/tally/model, /usr/local/share/model and
 * /usr/share/model. Options:
 *   name=N                  name of the score; default "vmaf". Each model of a run needs its own. A collection adds
 *                           N_0001, N_0002, …, N_bagging, N_stddev, N_ci_p95_lo, N_ci_p95_hi
 *   disable_clip[=true]     do not clip the score to the model's range
 *   enable_transform[=true] apply the model's score transform, where its file holds one but leaves it disabled
 *   FEATURE.OPTION=VALUE    set an option of one of the model's features, e.g. vif.vif_enhn_gain_limit=1
 * The file's name ends at the first ':' after which one of these begins. A model that is not found, and a wrong option,
 * are TALLY_USAGE; a file that is no model is TALLY_INPUT. Models are scored by tally_run_finish(): each frame that has
 * scores of all of a model's features gets one. Call it before tally_run_add_feature() to have the model's features
 * come first in reports. */
TALLY_API tally_status tally_run_add_model(tally_run *run, const char *model);

/* Fixes the format and allocates all memory. Features that cannot take the format are TALLY_USAGE, with the reason. */
TALLY_API tally_status tally_run_start(tally_run *run, const tally_format *format);

/* Adds the next pair of pictures (frame 0, 1, 2, …). Copies both before it returns; waits while all slots are busy. */
TALLY_API tally_status tally_run_submit(tally_run *run, const tally_picture *reference, const tally_picture *distorted);

/* Waits for all frames and forms the scores that need the end of the sequence. No frame at all is TALLY_INPUT. */
TALLY_API tally_status tally_run_finish(tally_run *run);

/* Makes the run end soon with TALLY_CANCELLED. Safe in a signal handler. */
TALLY_API void tally_run_cancel(tally_run *run);

/* Frames whose scores are complete. */
TALLY_API uint64_t tally_run_progress(const tally_run *run);

/* What went wrong, naming file, frame, feature and value as far as they apply; "" if nothing did. Valid until the next
 * call on the run. */
TALLY_API const char *tally_run_error(const tally_run *run);

/* ---- Files -------------------------------------------------------------------------------------------------------- */

/* How to read two files. Zero-initialise; zero means the default. */
typedef struct tally_file_options {
    tally_format raw;         /* raw YUV input if raw.width is set: then all four members are needed */
    uint64_t skip_reference;  /* frames dropped at the start of that file; frame numbers still start at 0 */
    uint64_t skip_distorted;
    uint64_t frames;          /* at most so many frame pairs; 0: all */
    bool allow_short;         /* a file that ends before the other is no TALLY_MISMATCH */
    void (*progress)(void *opaque, uint64_t done, uint64_t total); /* total 0: unknown; called about ten times a second */
    void *progress_opaque;
} tally_file_options;

/* Scores two files from start to finish in one call: y4m, raw YUV, or whatever FFmpeg's libraries decode; "-" is standard
 * input (for one of the two). options may be NULL. If one file ends early the common part is scored whole and, unless
 * allow_short is set, the call returns TALLY_MISMATCH with all scores available. */
TALLY_API tally_status tally_run_score_files(tally_run *run, const char *reference, const char *distorted,
                                             const tally_file_options *options);

/* ---- Scores ------------------------------------------------------------------------------------------------------- */

/* Metrics in report order. The name stays valid until the run is destroyed; NULL past the end. */
TALLY_API size_t tally_run_metric_count(const tally_run *run);
TALLY_API const char *tally_run_metric_name(const tally_run *run, size_t metric);

/* Number of frames read; scores exist for the frames of the range that are divisible by `every`. */
TALLY_API uint64_t tally_run_frame_count(const tally_run *run);

/* One score. TALLY_USAGE if there is no such metric or no score at that frame. May be infinite where the metric's
 * definition says so (psnr_hvs of identical pictures); never NaN. */
TALLY_API tally_status tally_run_score(const tally_run *run, const char *metric, uint64_t frame, double *score);

/* Pooled over the scored frames. Non-finite scores are left out of mean, harmonic_mean and percentiles and counted in
 * `left_out`; min and max take all. With no score left, the members are 0 and count is 0. */
typedef struct tally_pooled {
    uint64_t count;      /* scores pooled in the means */
    uint64_t left_out;   /* non-finite scores */
    double mean;
    double harmonic_mean; /* count / sum(1 / (score + 1)) - 1 */
    double min, max;
    uint64_t min_frame, max_frame;
    double percentile_1, percentile_5; /* linear interpolation between order statistics */
} tally_pooled;

TALLY_API tally_status tally_run_pool(const tally_run *run, const char *metric, tally_pooled *pooled);

/* Whole-sequence values (e.g. apsnr_y), in report order. */
TALLY_API size_t tally_run_aggregate_count(const tally_run *run);
TALLY_API tally_status tally_run_aggregate(const tally_run *run, size_t index, const char **name, double *value);

/* SHA-256 over the lines "metric frame bits\n" (bits: 16 hex digits of the double), metrics in byte order, frames
 * ascending, as 64 hex digits and a terminating zero. Two machines compare one line. */
TALLY_API tally_status tally_run_digest(const tally_run *run, char digest[65]);

/* ---- Reports ------------------------------------------------------------------------------------------------------ */

typedef enum tally_report_format {
    TALLY_REPORT_JSON = 1,
    TALLY_REPORT_XML,
    TALLY_REPORT_CSV,
    TALLY_REPORT_SUB
} tally_report_format;

#define TALLY_PRECISION_DEFAULT 0 /* "%.6f", or "%.16f" where six places would lose value */
#define TALLY_PRECISION_MAX 17    /* 17 significant digits: reads back as the same double */

/* Writes a report of a finished run, under a temporary name first; "-" is standard output. precision: significant
 * digits 1 to 17, or TALLY_PRECISION_DEFAULT. TALLY_INPUT if it cannot be written. */
TALLY_API tally_status tally_run_write_report(tally_run *run, const char *path, tally_report_format format,
                                              int precision);

/* ---- What there is ------------------------------------------------------------------------------------------------ */

/* "0.1.0". */
TALLY_API const char *tally_version(void);

/* The features built in, in registration order; NULL past the end. */
TALLY_API const char *tally_feature_name(size_t index);

/* A JSON text that describes every feature: options with type, range, default and alias, metrics, formats, sizes.
 * Static; do not free. */
TALLY_API const char *tally_features_json(void);

/* Backends and CPU levels that this build knows, best last; NULL past the end. */
TALLY_API const char *tally_backend_name(size_t index);
TALLY_API const char *tally_level_name(size_t index);

/* Whether this machine can run a level ("scalar" always can). */
TALLY_API bool tally_level_usable(const char *level);

#ifdef __cplusplus
}
#endif
#endif
