/* tally parity: does every processor of this machine give the same bits? */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/backend.h"
#include "core/number.h"
#include "parity/parity.h"
#include "tool.h"

static const char help[] =
    "usage: tally parity [REFERENCE DISTORTED] [OPTIONS]\n"
    "\n"
    "Computes features in every way this machine can, and compares each score bit for bit with the definition (CPU level scalar, one\n"
    "thread). Prints a matrix: '=' all bits equal, a number: so many values differ, '-' nothing to compare, '!' could not run.\n"
    "Without files it uses built-in synthetic clips of all bit depths and pixel formats.\n"
    "\n"
    "      --features LIST    requests as for 'tally score -f', separated by commas; default: every feature, with each option at\n"
    "                         both ends of its range\n"
    "      --backends LIST    backends, separated by commas, 'opencl:1' for a device; default: all that are there\n"
    "      --levels LIST      CPU levels; default: all this CPU has\n"
    "      --threads LIST     thread counts for the best CPU level; default: 1,2,5\n"
    "      --json, --markdown the matrix in that form\n"
    "\n"
    "  tally parity\n"
    "  tally parity --backends cuda --features psnr,psnr_hvs\n"
    "  tally parity reference.y4m distorted.y4m --markdown\n"
    "\n"
    "Exit status: 0 all equal, 6 a bit differs, 4 something that was asked for could not run, 2 an input cannot be read, 1 usage.\n";

enum { OPT_FEATURES = 256, OPT_BACKENDS, OPT_LEVELS, OPT_THREADS, OPT_JSON, OPT_MARKDOWN };

static const struct option long_options[] = {{"features", required_argument, NULL, OPT_FEATURES},
                                             {"backends", required_argument, NULL, OPT_BACKENDS},
                                             {"levels", required_argument, NULL, OPT_LEVELS},
                                             {"threads", required_argument, NULL, OPT_THREADS},
                                             {"json", no_argument, NULL, OPT_JSON},
                                             {"markdown", no_argument, NULL, OPT_MARKDOWN},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

#define MAX_WAYS 64

typedef struct parity_arguments {
    const char *features, *backends, *levels, *threads;
    int form; /* 0, OPT_JSON or OPT_MARKDOWN */
    bool help;
    ty_parity_way ways[MAX_WAYS];
    size_t way_count;
    ty_parity_clip files;
} parity_arguments;

/* Calls `each` with every part of a list; stops at the first status that is not TALLY_OK. */
static int for_each(const char *list, int (*each)(parity_arguments *a, const char *part), parity_arguments *a) {
    char part[128];
    while (*list) {
        const size_t length = strcspn(list, ",");
        snprintf(part, sizeof part, "%.*s", (int)length, list);
        const int status = each(a, part);
        if (status != TALLY_OK)
            return status;
        list += length + (list[length] == ',');
    }
    return TALLY_OK;
}

static void add_way(parity_arguments *a, const char *backend, const char *level, uint32_t device, uint32_t threads) {
    if (a->way_count == MAX_WAYS)
        return;
    ty_parity_way *way = &a->ways[a->way_count++];
    snprintf(way->backend, sizeof way->backend, "%.15s", backend);
    snprintf(way->level, sizeof way->level, "%.15s", level);
    way->device = device;
    way->threads = threads;
    if (level[0])
        snprintf(way->label, sizeof way->label, "%.15s/%u", level, threads);
    else
        snprintf(way->label, sizeof way->label, "%.15s:%u", backend, device);
}

static int add_level(parity_arguments *a, const char *level) {
    if (!tally_level_usable(level))
        return tool_fail(TALLY_DEVICE, "CPU level '%s' is not to be had here", level);
    add_way(a, "cpu", level, 0, 2);
    return TALLY_OK;
}

static const char *best_level(void) {
    const char *best = "scalar";
    for (size_t i = 0; tally_level_name(i); i++)
        if (tally_level_usable(tally_level_name(i)))
            best = tally_level_name(i);
    return best;
}

static int add_threads(parity_arguments *a, const char *count) {
    uint64_t threads;
    if (!tool_unsigned("parity", "--threads", count, 1024, &threads))
        return TALLY_USAGE;
    add_way(a, "cpu", best_level(), 0, threads ? (uint32_t)threads : 1);
    return TALLY_OK;
}

static int add_cpu(parity_arguments *a) {
    for (size_t i = 0; !a->levels && tally_level_name(i); i++)
        if (tally_level_usable(tally_level_name(i)))
            add_level(a, tally_level_name(i));
    const int status = a->levels ? for_each(a->levels, add_level, a) : TALLY_OK;
    if (status != TALLY_OK || (a->levels && !a->threads))
        return status;
    return for_each(a->threads ? a->threads : "1,5", add_threads, a);
}

/* "cuda" or "cuda:1", which must be there. */
static int add_backend(parity_arguments *a, const char *text) {
    char name[32], reason[256] = "";
    uint64_t device = 0;
    const size_t length = strcspn(text, ":");
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    if (text[length] && !tool_unsigned("parity", "--backends", text + length + 1, 1023, &device))
        return TALLY_USAGE;
    if (strcmp(name, "cpu") == 0)
        return add_cpu(a);
    for (const ty_backend *const *b = ty_backends; *b; b++) {
        if (strcmp((*b)->name, name) != 0)
            continue;
        const uint32_t there = (*b)->count(reason, sizeof reason);
        if (device < there) {
            add_way(a, name, "", (uint32_t)device, 3);
            return TALLY_OK;
        }
        return tool_fail(TALLY_DEVICE, "backend %s has no device %u here%s%s", name, (unsigned)device,
                         reason[0] ? ": " : "", reason);
    }
    return tool_usage("parity", "there is no backend '%s' in this build", name);
}

static int add_everything(parity_arguments *a) {
    char text[32], reason[256];
    for (const ty_backend *const *b = ty_backends; *b; b++) {
        const uint32_t devices = (*b)->count(reason, sizeof reason);
        for (uint32_t d = 0; d < devices; d++) {
            snprintf(text, sizeof text, "%s:%u", (*b)->name, d);
            const int status = add_backend(a, text);
            if (status != TALLY_OK)
                return status;
        }
    }
    return TALLY_OK;
}

static int parse(int argc, char **argv, parity_arguments *a) {
    int code;
    while ((code = getopt_long(argc, argv, "h", long_options, NULL)) != -1)
        switch (code) {
        case OPT_FEATURES: a->features = optarg; break;
        case OPT_BACKENDS: a->backends = optarg; break;
        case OPT_LEVELS: a->levels = optarg; break;
        case OPT_THREADS: a->threads = optarg; break;
        case OPT_JSON:
        case OPT_MARKDOWN: a->form = code; break;
        case 'h': a->help = true; return TALLY_OK;
        default: return tool_usage("parity", "the options are not understood");
        }
    if (argc - optind != 0 && argc - optind != 2)
        return tool_usage("parity", "parity takes two files or none, not %d", argc - optind);
    if (argc - optind == 2)
        a->files = (ty_parity_clip){.reference = argv[optind], .distorted = argv[optind + 1]};
    return a->backends ? for_each(a->backends, add_backend, a) : add_everything(a);
}

/* ---- Printing ------------------------------------------------------------------------------------------------------ */

static void cell_text(const ty_parity_cell *cell, char text[24]) {
    if (cell->failure[0])
        strcpy(text, "!");
    else if (cell->differing)
        snprintf(text, 24, "%llu", (unsigned long long)cell->differing);
    else
        strcpy(text, cell->values ? "=" : "-");
}

static const ty_parity_cell *cell_of(const ty_parity *p, size_t request, size_t way) {
    return &p->cells[request * p->way_count + way];
}

static void print_notes(const ty_parity *p) {
    for (size_t r = 0; r < p->request_count; r++)
        for (size_t w = 0; w < p->way_count; w++) {
            const ty_parity_cell *cell = cell_of(p, r, w);
            if (cell->failure[0])
                printf("%s, %s: %s\n", p->requests[r], p->ways[w].label, cell->failure);
            if (cell->differing)
                printf("%s, %s: %llu of %llu values differ, first %s\n", p->requests[r], p->ways[w].label,
                       (unsigned long long)cell->differing, (unsigned long long)cell->values, cell->first);
        }
}

static void print_matrix(const ty_parity *p, bool markdown) {
    char text[24];
    size_t widest = 7;
    for (size_t r = 0; r < p->request_count; r++)
        widest = strlen(p->requests[r]) > widest ? strlen(p->requests[r]) : widest;
    printf(markdown ? "| %-*s |" : "%-*s", (int)widest, "request");
    for (size_t w = 0; w < p->way_count; w++)
        printf(markdown ? " %s |" : "  %8s", p->ways[w].label);
    putchar('\n');
    if (markdown) {
        printf("|---|");
        for (size_t w = 0; w < p->way_count; w++)
            printf("---|");
        putchar('\n');
    }
    for (size_t r = 0; r < p->request_count; r++) {
        printf(markdown ? "| %-*s |" : "%-*s", (int)widest, p->requests[r]);
        for (size_t w = 0; w < p->way_count; w++) {
            cell_text(cell_of(p, r, w), text);
            printf(markdown ? " %s |" : "  %8s", text);
        }
        putchar('\n');
    }
    putchar('\n');
    print_notes(p);
}

static void print_json_text(const char *text) {
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned char)*text);
        else
            putchar(*text);
    }
    putchar('"');
}

static void print_json(const ty_parity *p) {
    printf("{\n  \"version\": \"%s\",\n  \"cells\": [\n", tally_version());
    for (size_t i = 0; i < p->request_count * p->way_count; i++) {
        const ty_parity_cell *cell = &p->cells[i];
        printf("    {\"request\": ");
        print_json_text(p->requests[i / p->way_count]);
        printf(", \"way\": \"%s\", \"values\": %llu, \"differing\": %llu", p->ways[i % p->way_count].label,
               (unsigned long long)cell->values, (unsigned long long)cell->differing);
        if (cell->first[0]) {
            printf(", \"first\": ");
            print_json_text(cell->first);
        }
        if (cell->failure[0]) {
            printf(", \"failure\": ");
            print_json_text(cell->failure);
        }
        printf("}%s\n", i + 1 < p->request_count * p->way_count ? "," : "");
    }
    printf("  ]\n}\n");
}

/* The verdict: a differing bit weighs more than a cell that could not run. */
static int verdict(const ty_parity *p) {
    uint64_t values = 0;
    bool differs = false, failed = false;
    for (size_t i = 0; i < p->request_count * p->way_count; i++) {
        values += p->cells[i].values;
        differs |= p->cells[i].differing > 0;
        failed |= p->cells[i].failure[0] != 0;
    }
    if (differs)
        return TALLY_DIFFERENT;
    if (failed)
        return TALLY_DEVICE;
    return values ? TALLY_OK : tool_fail(TALLY_USAGE, "there was nothing to compare");
}

/* ---- Running ------------------------------------------------------------------------------------------------------- */

static void show_progress(void *opaque, size_t done, size_t total) {
    (void)opaque;
    fprintf(stderr, "\r%zu of %zu runs\033[K", done, total);
}

static char **split(const char *list) {
    size_t parts = 1, i = 0;
    for (const char *at = list; *at; at++)
        parts += *at == ',';
    char **items = calloc(parts + 1, sizeof *items);
    while (items && *list) {
        const size_t length = strcspn(list, ",");
        items[i++] = strndup(list, length);
        list += length + (list[length] == ',');
    }
    return items;
}

static int run_parity(parity_arguments *a) {
    char **requests = a->features ? split(a->features) : ty_parity_all_requests();
    if (!requests)
        return tool_fail(TALLY_INTERNAL, "out of memory");
    ty_parity parity = {.requests = (const char **)requests,
                        .ways = a->ways,
                        .way_count = a->way_count,
                        .clips = a->files.reference ? &a->files : ty_parity_clips,
                        .clip_count = a->files.reference ? 1 : ty_parity_clip_count};
    while (requests[parity.request_count])
        parity.request_count++;
    const bool terminal = isatty(STDERR_FILENO);
    if (terminal)
        parity.progress = show_progress;
    ty_error error = {0};
    int status = (int)ty_parity_run(&parity, &error);
    if (terminal)
        fputs("\r\033[K", stderr);
    if (status != TALLY_OK) {
        tool_fail(error.status, "%s", error.text);
    } else {
        if (a->form == OPT_JSON)
            print_json(&parity);
        else
            print_matrix(&parity, a->form == OPT_MARKDOWN);
        status = verdict(&parity);
    }
    ty_parity_free(&parity);
    ty_parity_free_requests(requests);
    return status;
}

int tool_parity(int argc, char **argv) {
    parity_arguments a = {0};
    const int status = parse(argc, argv, &a);
    if (status == TALLY_OK && a.help)
        fputs(help, stdout);
    return status != TALLY_OK || a.help ? status : run_parity(&a);
}
