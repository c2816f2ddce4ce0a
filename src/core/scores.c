#include "core/scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sha256.h"

/* A column is a directory of chunks: scores never move, and a run allocates at chunk boundaries only. */
#define CHUNK_FRAMES 256
#define MAX_CHUNKS (PTRDIFF_MAX / sizeof(chunk))

typedef struct chunk {
    double value[CHUNK_FRAMES];
    uint64_t present[CHUNK_FRAMES / 64];
} chunk;

typedef struct score_column {
    char *name;
    chunk **chunks; /* NULL where no frame was set */
    size_t chunk_count;
} score_column;

struct ty_scores {
    score_column *columns;
    size_t count, capacity;
    size_t *slots;     /* hash table of names: column + 1, or 0; at most half full */
    size_t slot_count; /* a power of two */
    uint64_t reserved; /* frames that a new column must have room for as well */
    uint64_t frames;
};

ty_scores *ty_scores_create(void) {
    return calloc(1, sizeof(ty_scores));
}

static void column_free(score_column *c) {
    for (size_t i = 0; i < c->chunk_count; i++)
        free(c->chunks[i]);
    free(c->chunks);
    free(c->name);
}

void ty_scores_destroy(ty_scores *scores) {
    if (!scores)
        return;
    for (size_t i = 0; i < scores->count; i++)
        column_free(&scores->columns[i]);
    free(scores->columns);
    free(scores->slots);
    free(scores);
}

/* ---- Names ---- */

/* FNV-1a. */
static size_t hash(const char *name) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return (size_t)(h ^ h >> 32);
}

static size_t *slot_of(size_t *slots, size_t slot_count, const score_column *columns, const char *name) {
    size_t at = hash(name) & (slot_count - 1);
    while (slots[at] && strcmp(columns[slots[at] - 1].name, name) != 0)
        at = (at + 1) & (slot_count - 1);
    return &slots[at];
}

size_t ty_scores_find(const ty_scores *scores, const char *name) {
    if (scores->slot_count == 0)
        return SIZE_MAX;
    return *slot_of(scores->slots, scores->slot_count, scores->columns, name) - 1;
}

/* Room for one more column and its name. */
static bool grow(ty_scores *scores) {
    if (scores->count < scores->capacity)
        return true;
    const size_t capacity = scores->capacity ? scores->capacity * 2 : 16;
    if (capacity > PTRDIFF_MAX / (2 * sizeof(score_column)))
        return false;
    score_column *columns = realloc(scores->columns, capacity * sizeof *columns);
    if (!columns)
        return false;
    scores->columns = columns;
    size_t *slots = calloc(2 * capacity, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < scores->count; i++)
        *slot_of(slots, 2 * capacity, columns, columns[i].name) = i + 1;
    free(scores->slots);
    scores->slots = slots;
    scores->slot_count = 2 * capacity;
    scores->capacity = capacity;
    return true;
}

size_t ty_scores_columns(const ty_scores *scores) {
    return scores->count;
}

const char *ty_scores_name(const ty_scores *scores, size_t column) {
    return column < scores->count ? scores->columns[column].name : NULL;
}

/* ---- Values ---- */

static bool directory_reserve(score_column *c, size_t count) {
    if (count <= c->chunk_count)
        return true;
    size_t size = c->chunk_count ? c->chunk_count : 4;
    while (size < count)
        size *= 2;
    chunk **chunks = realloc(c->chunks, size * sizeof(chunk *));
    if (!chunks)
        return false;
    for (size_t i = c->chunk_count; i < size; i++)
        chunks[i] = NULL;
    c->chunks = chunks;
    c->chunk_count = size;
    return true;
}

static chunk *chunk_make(score_column *c, uint64_t index) {
    if (index >= MAX_CHUNKS || !directory_reserve(c, (size_t)index + 1))
        return NULL;
    if (!c->chunks[index])
        c->chunks[index] = calloc(1, sizeof(chunk));
    return c->chunks[index];
}

static bool column_reserve(score_column *c, uint64_t frames) {
    const uint64_t count = frames / CHUNK_FRAMES + (frames % CHUNK_FRAMES != 0);
    if (count > MAX_CHUNKS)
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (!chunk_make(c, i))
            return false;
    return true;
}

bool ty_scores_add_column(ty_scores *scores, const char *name) {
    if (!grow(scores))
        return false;
    score_column c = {.name = strdup(name)};
    if (!c.name || !column_reserve(&c, scores->reserved)) {
        column_free(&c);
        return false;
    }
    scores->columns[scores->count++] = c;
    *slot_of(scores->slots, scores->slot_count, scores->columns, name) = scores->count;
    return true;
}

bool ty_scores_reserve(ty_scores *scores, uint64_t frames) {
    for (size_t i = 0; i < scores->count; i++)
        if (!column_reserve(&scores->columns[i], frames))
            return false;
    if (frames > scores->reserved)
        scores->reserved = frames;
    return true;
}

bool ty_scores_set(ty_scores *scores, size_t column, uint64_t frame, double value) {
    if (column >= scores->count)
        return false;
    chunk *const at = chunk_make(&scores->columns[column], frame / CHUNK_FRAMES);
    if (!at)
        return false;
    const unsigned i = frame % CHUNK_FRAMES;
    at->value[i] = value;
    at->present[i / 64] |= UINT64_C(1) << i % 64;
    if (frame >= scores->frames)
        scores->frames = frame + 1;
    return true;
}

/* The chunk that may hold a frame, or NULL. */
static const chunk *chunk_at(const score_column *c, uint64_t frame) {
    return frame / CHUNK_FRAMES < c->chunk_count ? c->chunks[frame / CHUNK_FRAMES] : NULL;
}

static bool has(const chunk *at, uint64_t frame) {
    const unsigned i = frame % CHUNK_FRAMES;
    return at && at->present[i / 64] >> i % 64 & 1;
}

bool ty_scores_get(const ty_scores *scores, size_t column, uint64_t frame, double *value) {
    if (column >= scores->count)
        return false;
    const chunk *const at = chunk_at(&scores->columns[column], frame);
    if (!has(at, frame))
        return false;
    *value = at->value[frame % CHUNK_FRAMES];
    return true;
}

uint64_t ty_scores_frames(const ty_scores *scores) {
    return scores->frames;
}

/* Moves *frame to the first frame from there on that has a score. */
static bool next_score(const score_column *c, uint64_t *frame, double *value) {
    const uint64_t end = (uint64_t)c->chunk_count * CHUNK_FRAMES;
    while (*frame < end) {
        const chunk *const at = chunk_at(c, *frame);
        if (has(at, *frame)) {
            *value = at->value[*frame % CHUNK_FRAMES];
            return true;
        }
        *frame = at ? *frame + 1 : (*frame / CHUNK_FRAMES + 1) * CHUNK_FRAMES;
    }
    return false;
}

/* ---- Pooling ---- */

/* min and max take infinite scores too; the first of equal scores gives the frame. */
static void widen(tally_pooled *pooled, uint64_t frame, double value) {
    const bool first = pooled->count + pooled->left_out == 0;
    if (first || value < pooled->min) {
        pooled->min = value;
        pooled->min_frame = frame;
    }
    if (first || value > pooled->max) {
        pooled->max = value;
        pooled->max_frame = frame;
    }
}

/* Everything but the percentiles. */
static void pool_in_order(const score_column *c, tally_pooled *pooled) {
    double sum = 0.0, inverse = 0.0, value;
    for (uint64_t frame = 0; next_score(c, &frame, &value); frame++) {
        widen(pooled, frame, value);
        if (!isfinite(value)) {
            pooled->left_out++;
            continue;
        }
        sum = sum + value;
        inverse = inverse + 1.0 / (value + 1.0);
        pooled->count++;
    }
    if (pooled->count > 0) {
        pooled->mean = sum / (double)pooled->count;
        pooled->harmonic_mean = (double)pooled->count / inverse - 1.0;
    }
}

/* -0 comes before +0: an unstable sort would otherwise leave a percentile's sign to the C library. */
static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    if (x != y)
        return x < y ? -1 : 1;
    return !!signbit(y) - !!signbit(x);
}

/* Linear interpolation between the order statistics q[0] … q[n - 1], at r = p * (n - 1) / 100. */
static double percentile(const double *q, size_t n, double p) {
    const double r = p * (double)(n - 1) / 100.0;
    const double low = floor(r), high = ceil(r);
    if (low == high)
        return q[(size_t)low];
    const double below = q[(size_t)low] * (high - r);
    const double above = q[(size_t)high] * (r - low);
    return below + above;
}

static bool pool_percentiles(const score_column *c, tally_pooled *pooled) {
    const size_t n = (size_t)pooled->count;
    if (n == 0)
        return true;
    double *const q = malloc(n * sizeof *q);
    if (!q)
        return false;
    double value;
    size_t i = 0;
    for (uint64_t frame = 0; next_score(c, &frame, &value); frame++)
        if (isfinite(value))
            q[i++] = value;
    qsort(q, n, sizeof *q, ascending);
    pooled->percentile_1 = percentile(q, n, 1.0);
    pooled->percentile_5 = percentile(q, n, 5.0);
    free(q);
    return true;
}

bool ty_scores_pool(const ty_scores *scores, size_t column, tally_pooled *pooled) {
    *pooled = (tally_pooled){0};
    if (column >= scores->count)
        return false;
    pool_in_order(&scores->columns[column], pooled);
    return pooled->count + pooled->left_out > 0 && pool_percentiles(&scores->columns[column], pooled);
}

/* ---- Digest ---- */

static int by_name(const void *a, const void *b) {
    return strcmp((*(const score_column *const *)a)->name, (*(const score_column *const *)b)->name);
}

bool ty_scores_digest(const ty_scores *scores, char digest[65]) {
    const score_column **const sorted = malloc((scores->count + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < scores->count; i++)
        sorted[i] = &scores->columns[i];
    qsort(sorted, scores->count, sizeof *sorted, by_name);

    ty_sha256 sha;
    ty_sha256_start(&sha);
    for (size_t i = 0; i < scores->count; i++) {
        double value;
        for (uint64_t frame = 0; next_score(sorted[i], &frame, &value); frame++)
            ty_sha256_add_score(&sha, sorted[i]->name, frame, value);
    }
    ty_sha256_finish(&sha, digest);
    free(sorted);
    return true;
}
