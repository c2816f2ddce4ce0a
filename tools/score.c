/* tally score: scores a video against its reference. */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/number.h"
#include "core/run.h"
#include "progress.h"
#include "tool.h"

static const char help[] =
    "usage: tally score REFERENCE DISTORTED [OPTIONS]\n"
    "\n"
    "Scores DISTORTED against REFERENCE and prints a table. Files are y4m, raw YUV, or anything FFmpeg's libraries decode;\n"
    "'-' is standard input (for one of them).\n"
    "\n"
    "What to score\n"
    "  -f, --feature NAME[=option=value[:option=value]…]   a feature; may repeat; without any -f or -m every feature\n"
    "                              is scored ('tally features')\n"
    "  -m, --model NAME|FILE[:option=value…]   a model's score, with its features; may repeat ('tally models')\n"
    "                              options: name=SCORE, disable_clip, enable_transform, FEATURE.OPTION=VALUE\n"
    "      --model-dir DIR         where models are looked for first\n"
    "      --skip-unsupported      leave out what cannot take the input instead of failing\n"
    "Which frames (numbered from 0 after skipping)\n"
    "      --skip-ref N, --skip-dis N   drop the first N frames of that file\n"
    "  -n, --frames N              compare at most N frames\n"
    "      --from N, --to M        score frames N to M only; the bits are those of the whole run\n"
    "      --every N               score frames whose number is divisible by N\n"
    "      --allow-short           a file that ends before the other is no error\n"
    "Raw YUV\n"
    "      --size WxH --pixel-format 400|420|422|444 --bit-depth 8…16      (all three)\n"
    "Reports\n"
    "  -o, --output FILE           write a report; may repeat; '-' is standard output\n"
    "      --format json|xml|csv|sub   its format; default: by the file's ending, else json\n"
    "      --precision N|max       significant digits, 1 to 17 (max); default: six places, more where needed\n"
    "  -q, --quiet                 no progress, no warnings, no table if a report is written\n"
    "How to compute (the scores are the same bits whatever you choose)\n"
    "      --threads N             worker threads; default: one for each processor, 3 for a GPU\n"
    "      --level scalar|v2|v3|v4|neon|auto   CPU level; default auto: the best this CPU has\n"
    "      --backend auto|cpu|opencl|hip|cuda   default auto: the fastest there is ('tally devices')\n"
    "      --device N              device of the backend; default 0\n"
    "\n"
    "Examples\n"
    "  tally score original.mov encode.mp4\n"
    "  tally score original.mov encode.mp4 -m vmaf_v0.6.1 -m vmaf_v0.6.1neg:name=vmaf_neg\n"
    "  tally score ref.y4m dis.y4m -f psnr=enable_mse=true -f psnr_hvs -o scores.json --precision max\n"
    "  tally score ref.yuv dis.yuv --size 1920x1080 --pixel-format 420 --bit-depth 10 -o scores.csv\n"
    "  ffmpeg -v error -i encode.mp4 -f yuv4mpegpipe - | tally score ref.y4m - --every 10\n"
    "\n"
    "Exit status: 0 scored whole, 1 usage, 2 an input cannot be read or is damaged, 3 the inputs do not match (or one ended\n"
    "early: the common part is scored), 4 device, 5 internal.\n";

enum {
    OPT_HELP = 256, OPT_SKIP_UNSUPPORTED, OPT_SKIP_REF, OPT_SKIP_DIS, OPT_FROM, OPT_TO, OPT_EVERY, OPT_ALLOW_SHORT,
    OPT_SIZE, OPT_PIXEL_FORMAT, OPT_BIT_DEPTH, OPT_FORMAT, OPT_PRECISION, OPT_THREADS, OPT_LEVEL, OPT_BACKEND,
    OPT_DEVICE, OPT_MODEL_DIR
};

static const struct option long_options[] = {{"feature", required_argument, NULL, 'f'},
                                             {"model", required_argument, NULL, 'm'},
                                             {"model-dir", required_argument, NULL, OPT_MODEL_DIR},
                                             {"skip-unsupported", no_argument, NULL, OPT_SKIP_UNSUPPORTED},
                                             {"skip-ref", required_argument, NULL, OPT_SKIP_REF},
                                             {"skip-dis", required_argument, NULL, OPT_SKIP_DIS},
                                             {"frames", required_argument, NULL, 'n'},
                                             {"from", required_argument, NULL, OPT_FROM},
                                             {"to", required_argument, NULL, OPT_TO},
                                             {"every", required_argument, NULL, OPT_EVERY},
                                             {"allow-short", no_argument, NULL, OPT_ALLOW_SHORT},
                                             {"size", required_argument, NULL, OPT_SIZE},
                                             {"pixel-format", required_argument, NULL, OPT_PIXEL_FORMAT},
                                             {"bit-depth", required_argument, NULL, OPT_BIT_DEPTH},
                                             {"output", required_argument, NULL, 'o'},
                                             {"format", required_argument, NULL, OPT_FORMAT},
                                             {"precision", required_argument, NULL, OPT_PRECISION},
                                             {"quiet", no_argument, NULL, 'q'},
                                             {"threads", required_argument, NULL, OPT_THREADS},
                                             {"level", required_argument, NULL, OPT_LEVEL},
                                             {"backend", required_argument, NULL, OPT_BACKEND},
                                             {"device", required_argument, NULL, OPT_DEVICE},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

typedef struct score_arguments {
    tally_config config;
    tally_file_options files;
    const char **features, **models, **outputs; /* at most one for each argument of the command line */
    size_t feature_count, model_count, output_count;
    tally_report_format format;
    int precision;
    bool quiet, help;
    const char *reference, *distorted;
} score_arguments;

static bool parse_size(const char *text, tally_format *raw) {
    char width[16];
    const char *cross = strchr(text, 'x');
    uint64_t w, h;
    if (!cross || (size_t)(cross - text) >= sizeof width)
        return false;
    memcpy(width, text, (size_t)(cross - text));
    width[cross - text] = 0;
    if (!ty_parse_unsigned(width, 65535, &w) || !ty_parse_unsigned(cross + 1, 65535, &h) || w == 0 || h == 0)
        return false;
    raw->width = (uint32_t)w;
    raw->height = (uint32_t)h;
    return true;
}

static bool parse_pixel_format(const char *text, tally_format *raw) {
    for (tally_pixel_format f = TALLY_PIXEL_FORMAT_400; f <= TALLY_PIXEL_FORMAT_444; f++)
        if (strcmp(text, ty_pixel_format_name(f)) == 0) {
            raw->pixel_format = f;
            return true;
        }
    return false;
}

static bool parse_precision(const char *text, int *precision) {
    uint64_t digits;
    if (strcmp(text, "max") == 0)
        *precision = TALLY_PRECISION_MAX;
    else if (ty_parse_unsigned(text, TALLY_PRECISION_MAX, &digits) && digits > 0)
        *precision = (int)digits;
    else
        return false;
    return true;
}

/* Options with an unsigned number as their argument. Returns false if `code` is none of them. */
static bool unsigned_option(int code, const char *text, score_arguments *a, bool *valid) {
    uint64_t value = 0;
    const char *name = code == 'n' ? "--frames" : NULL;
    for (const struct option *o = long_options; o->name && !name; o++)
        if (o->val == code)
            name = o->name;
    char dashed[40];
    snprintf(dashed, sizeof dashed, "%s%s", code == 'n' ? "" : "--", name ? name : "");
    const uint64_t frames_max = UINT64_C(1) << 62;
    switch (code) {
    case OPT_SKIP_REF: *valid = tool_unsigned("score", dashed, text, frames_max, &a->files.skip_reference); return true;
    case OPT_SKIP_DIS: *valid = tool_unsigned("score", dashed, text, frames_max, &a->files.skip_distorted); return true;
    case 'n': *valid = tool_unsigned("score", dashed, text, frames_max, &a->files.frames); return true;
    case OPT_FROM: *valid = tool_unsigned("score", dashed, text, frames_max, &a->config.from); return true;
    case OPT_TO:
        *valid = tool_unsigned("score", dashed, text, frames_max, &a->config.to) &&
                 (a->config.to > 0 || tool_usage("score", "--to 0: must be at least 1") == TALLY_OK);
        return true;
    case OPT_EVERY: *valid = tool_unsigned("score", dashed, text, frames_max, &a->config.every); return true;
    case OPT_BIT_DEPTH:
        *valid = tool_unsigned("score", dashed, text, 16, &value);
        a->files.raw.bit_depth = (uint32_t)value;
        return true;
    case OPT_THREADS:
        *valid = tool_unsigned("score", dashed, text, 1024, &value);
        a->config.threads = (uint32_t)value;
        return true;
    case OPT_DEVICE:
        *valid = tool_unsigned("score", dashed, text, 1023, &value);
        a->config.device = (uint32_t)value;
        return true;
    default: return false;
    }
}

/* Every other option. Returns the exit status. */
static int other_option(int code, const char *text, score_arguments *a) {
    switch (code) {
    case 'f': a->features[a->feature_count++] = text; return TALLY_OK;
    case 'm': a->models[a->model_count++] = text; return TALLY_OK;
    case OPT_MODEL_DIR: a->config.model_dir = text; return TALLY_OK;
    case 'o': a->outputs[a->output_count++] = text; return TALLY_OK;
    case 'q': a->quiet = true; return TALLY_OK;
    case 'h': a->help = true; return TALLY_OK;
    case OPT_SKIP_UNSUPPORTED: a->config.skip_unsupported = true; return TALLY_OK;
    case OPT_ALLOW_SHORT: a->files.allow_short = true; return TALLY_OK;
    case OPT_LEVEL: a->config.level = text; return TALLY_OK;
    case OPT_BACKEND: a->config.backend = text; return TALLY_OK;
    case OPT_SIZE:
        return parse_size(text, &a->files.raw)
                   ? TALLY_OK
                   : tool_usage("score", "--size %s: must be WIDTHxHEIGHT, each from 1 to 65535", text);
    case OPT_PIXEL_FORMAT:
        return parse_pixel_format(text, &a->files.raw)
                   ? TALLY_OK
                   : tool_usage("score", "--pixel-format %s: must be 400, 420, 422 or 444", text);
    case OPT_FORMAT:
        return (a->format = ty_report_format_from_name(text))
                   ? TALLY_OK
                   : tool_usage("score", "--format %s: must be json, xml, csv or sub", text);
    case OPT_PRECISION:
        return parse_precision(text, &a->precision)
                   ? TALLY_OK
                   : tool_usage("score", "--precision %s: must be 1 to 17 or max", text);
    default: return tool_usage("score", "that option is not understood");
    }
}

static int check_arguments(const score_arguments *a) {
    const tally_format *raw = &a->files.raw;
    const int given = (raw->width != 0) + (raw->pixel_format != 0) + (raw->bit_depth != 0);
    if (given != 0 && given != 3)
        return tool_usage("score", "raw YUV needs all of --size, --pixel-format and --bit-depth");
    if (given == 3 && raw->bit_depth < 8)
        return tool_usage("score", "--bit-depth %u: must be 8 to 16", raw->bit_depth);
    if (a->config.to && a->config.from > a->config.to)
        return tool_usage("score", "--from %llu is after --to %llu", (unsigned long long)a->config.from,
                          (unsigned long long)a->config.to);
    size_t to_standard_output = 0;
    for (size_t i = 0; i < a->output_count; i++)
        to_standard_output += strcmp(a->outputs[i], "-") == 0;
    if (to_standard_output > 1)
        return tool_usage("score", "only one report can go to standard output");
    return TALLY_OK;
}

static int parse(int argc, char **argv, score_arguments *a) {
    int code;
    while ((code = getopt_long(argc, argv, "f:m:n:o:qh", long_options, NULL)) != -1) {
        bool valid = true;
        if (code == '?' || code == ':')
            return tool_usage("score", "the options are not understood");
        if (unsigned_option(code, optarg, a, &valid)) {
            if (!valid)
                return TALLY_USAGE;
            continue;
        }
        const int status = other_option(code, optarg, a);
        if (status != TALLY_OK || a->help)
            return status;
    }
    if (argc - optind != 2)
        return tool_usage("score", "score takes two files, the reference and the distorted one, not %d", argc - optind);
    a->reference = argv[optind];
    a->distorted = argv[optind + 1];
    return check_arguments(a);
}

/* ---- Running ------------------------------------------------------------------------------------------------------ */

static tally_run *running;

static void interrupted(int signal_number) {
    (void)signal_number;
    tally_run_cancel(running);
}

static void log_message(void *opaque, tally_log_level level, const char *message) {
    const bool quiet = *(const bool *)opaque;
    progress_clear();
    if (level == TALLY_LOG_ERROR || !quiet)
        fprintf(stderr, "tally: %s%s\n", level == TALLY_LOG_WARNING ? "warning: " : "", message);
}

static tally_report_format format_for(const score_arguments *a, const char *path) {
    const char *dot = strrchr(path, '.');
    tally_report_format by_name = dot ? ty_report_format_from_name(dot + 1) : 0;
    return a->format ? a->format : by_name ? by_name : TALLY_REPORT_JSON;
}

static int write_outputs(const score_arguments *a, tally_run *run) {
    bool standard_output_taken = false;
    for (size_t i = 0; i < a->output_count; i++) {
        standard_output_taken |= strcmp(a->outputs[i], "-") == 0;
        const tally_status status =
            tally_run_write_report(run, a->outputs[i], format_for(a, a->outputs[i]), a->precision);
        if (status != TALLY_OK)
            return tool_fail(status, "%s", tally_run_error(run));
    }
    if (a->quiet && a->output_count > 0)
        return TALLY_OK;
    ty_report report;
    if (ty_run_report(run, &report) != TALLY_OK)
        return tool_fail(TALLY_INTERNAL, "%s", tally_run_error(run));
    const bool written = ty_report_table(&report, a->precision, standard_output_taken ? stderr : stdout);
    ty_run_report_free(&report);
    return written ? TALLY_OK : tool_fail(TALLY_INPUT, "the table cannot be written");
}

/* Ends as a program that did not handle the signal would, so that shells and make notice. */
static int end_interrupted(void) {
    fputs("tally: interrupted\n", stderr);
    signal(SIGINT, SIG_DFL);
    raise(SIGINT);
    return TALLY_INTERNAL;
}

static int run_score(score_arguments *a) {
    a->config.log = log_message;
    a->config.log_opaque = &a->quiet;
    tally_run *run;
    tally_status status = tally_run_create(&a->config, &run);
    if (status != TALLY_OK)
        return (int)status;
    /* Models come first in reports, as in the reference's. */
    for (size_t i = 0; i < a->model_count && status == TALLY_OK; i++)
        status = tally_run_add_model(run, a->models[i]);
    for (size_t i = 0; i < a->feature_count && status == TALLY_OK; i++)
        status = tally_run_add_feature(run, a->features[i]);
    if (status == TALLY_OK) {
        running = run;
        const struct sigaction action = {.sa_handler = interrupted, .sa_flags = SA_RESETHAND};
        sigaction(SIGINT, &action, NULL);
        progress_start(a->quiet, &a->files);
        status = tally_run_score_files(run, a->reference, a->distorted, &a->files);
        progress_clear();
    }
    int result = (int)status;
    if (status == TALLY_CANCELLED)
        result = end_interrupted();
    else if (status != TALLY_OK)
        tool_fail(status, "%s", tally_run_error(run));
    /* A file that ended early leaves the scores of the common part. */
    if (run->stage == TY_RUN_FINISHED && (status == TALLY_OK || status == TALLY_MISMATCH)) {
        const int written = write_outputs(a, run);
        result = written != TALLY_OK ? written : result;
    }
    running = NULL;
    tally_run_destroy(run);
    return result;
}

int tool_score(int argc, char **argv) {
    score_arguments a = {0};
    a.features = calloc((size_t)argc + 1, sizeof *a.features);
    a.models = calloc((size_t)argc + 1, sizeof *a.models);
    a.outputs = calloc((size_t)argc + 1, sizeof *a.outputs);
    int status = a.features && a.models && a.outputs ? parse(argc, argv, &a) : tool_fail(TALLY_INTERNAL, "out of memory");
    if (status == TALLY_OK && a.help)
        fputs(help, stdout);
    else if (status == TALLY_OK)
        status = run_score(&a);
    free(a.features);
    free(a.models);
    free(a.outputs);
    return status;
}
