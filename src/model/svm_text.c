#include "model/svm_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

#define MAX_DEGREE 1000000

typedef struct scan {
    const char *text, *at;
    const char *where;
    ty_error *error;
    char word[128]; /* the last token */
    size_t node_capacity;
    bool type, kernel, degree, gamma, coef0, classes, total, rho; /* header words seen */
} scan;

static tally_status fail(scan *s, const char *problem) {
    size_t line = 1;
    for (const char *c = s->text; c < s->at; c++)
        line += *c == '\n';
    return ty_fail(s->error, TALLY_INPUT, "%s: line %zu (byte %zu): %s%s%s", s->where, line,
                   (size_t)(s->at - s->text), problem, s->word[0] ? ", at " : "", s->word);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next token of this line; "" at its end. */
static tally_status next_in_line(scan *s) {
    while (is_blank(*s->at))
        s->at++;
    const size_t length = strcspn(s->at, " \t\r\n");
    s->word[0] = 0;
    if (length >= sizeof s->word)
        return fail(s, "a word of more than 127 characters");
    memcpy(s->word, s->at, length);
    s->word[length] = 0;
    s->at += length;
    return TALLY_OK;
}

static tally_status next(scan *s) {
    while (is_blank(*s->at) || *s->at == '\n')
        s->at++;
    return next_in_line(s);
}

static bool parse_finite(const char *text, double *value) {
    return ty_parse_double(text, value) && isfinite(*value);
}

/* ---- Header ---- */

static tally_status once(scan *s, bool *seen) {
    if (*seen)
        return fail(s, "the word occurs twice");
    *seen = true;
    return next(s);
}

static tally_status header_double(scan *s, bool *seen, double *value) {
    if (once(s, seen) != TALLY_OK)
        return s->error->status;
    return parse_finite(s->word, value) ? TALLY_OK : fail(s, "not a finite decimal number");
}

static tally_status header_unsigned(scan *s, bool *seen, uint64_t max, uint32_t *value) {
    uint64_t number;
    if (once(s, seen) != TALLY_OK)
        return s->error->status;
    if (!ty_parse_unsigned(s->word, max, &number))
        return fail(s, "not a whole number, or out of range");
    *value = (uint32_t)number;
    return TALLY_OK;
}

static tally_status svm_type(scan *s) {
    if (once(s, &s->type) != TALLY_OK)
        return s->error->status;
    if (strcmp(s->word, "nu_svr") == 0 || strcmp(s->word, "epsilon_svr") == 0)
        return TALLY_OK;
    return fail(s, "only the regressions nu_svr and epsilon_svr give scores");
}

static tally_status kernel_type(scan *s, ty_svm *svm) {
    static const char *const names[] = {"linear", "polynomial", "rbf", "sigmoid"};
    if (once(s, &s->kernel) != TALLY_OK)
        return s->error->status;
    for (unsigned k = TY_SVM_LINEAR; k <= TY_SVM_SIGMOID; k++)
        if (strcmp(s->word, names[k]) == 0) {
            svm->kernel = (ty_svm_kernel)k;
            return TALLY_OK;
        }
    return fail(s, "the kernel must be linear, polynomial, rbf or sigmoid");
}

static tally_status nr_class(scan *s) {
    uint32_t classes = 0;
    if (header_unsigned(s, &s->classes, UINT32_MAX, &classes) != TALLY_OK)
        return s->error->status;
    return classes == 2 ? TALLY_OK : fail(s, "a regression has nr_class 2");
}

static tally_status header_word(scan *s, ty_svm *svm) {
    bool unused = false;
    double ignored;
    if (strcmp(s->word, "svm_type") == 0)
        return svm_type(s);
    if (strcmp(s->word, "kernel_type") == 0)
        return kernel_type(s, svm);
    if (strcmp(s->word, "degree") == 0)
        return header_unsigned(s, &s->degree, MAX_DEGREE, &svm->degree);
    if (strcmp(s->word, "gamma") == 0)
        return header_double(s, &s->gamma, &svm->gamma);
    if (strcmp(s->word, "coef0") == 0)
        return header_double(s, &s->coef0, &svm->coef0);
    if (strcmp(s->word, "nr_class") == 0)
        return nr_class(s);
    if (strcmp(s->word, "total_sv") == 0)
        return header_unsigned(s, &s->total, UINT32_MAX - 1, &svm->vectors);
    if (strcmp(s->word, "rho") == 0)
        return s->classes ? header_double(s, &s->rho, &svm->rho) : fail(s, "nr_class must come before it");
    if (strcmp(s->word, "probA") == 0)
        return s->classes ? header_double(s, &unused, &ignored) : fail(s, "nr_class must come before it");
    return fail(s, s->word[0] ? "an unknown word" : "the text ends before SV");
}

static tally_status check_header(scan *s, const ty_svm *svm) {
    const struct {
        bool missing;
        const char *problem;
    } needs[] = {
        {!s->type, "svm_type is missing"},
        {!s->kernel, "kernel_type is missing"},
        {!s->total, "total_sv is missing"},
        {!s->rho, "rho is missing"},
        {svm->kernel != TY_SVM_LINEAR && !s->gamma, "gamma is missing"},
        {svm->kernel == TY_SVM_POLYNOMIAL && !s->degree, "degree is missing"},
        {(svm->kernel == TY_SVM_POLYNOMIAL || svm->kernel == TY_SVM_SIGMOID) && !s->coef0,
         "coef0 is missing"},
    };
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (needs[i].missing)
            return fail(s, needs[i].problem);
    return TALLY_OK;
}

static tally_status read_header(scan *s, ty_svm *svm) {
    for (;;) {
        if (next(s) != TALLY_OK)
            return s->error->status;
        if (strcmp(s->word, "SV") == 0)
            return check_header(s, svm);
        if (header_word(s, svm) != TALLY_OK)
            return s->error->status;
    }
}

/* ---- Support vectors ---- */

static tally_status append(scan *s, ty_svm *svm, size_t *count, ty_svm_node node) {
    if (*count == s->node_capacity) {
        const size_t capacity = 2 * s->node_capacity;
        ty_svm_node *nodes = realloc(svm->nodes, capacity * sizeof *nodes);
        if (!nodes)
            return ty_fail_memory(s->error, "support vectors");
        svm->nodes = nodes;
        s->node_capacity = capacity;
    }
    svm->nodes[(*count)++] = node;
    return TALLY_OK;
}

/* "index:value" in s->word. */
static tally_status read_pair(scan *s, uint32_t after, ty_svm_node *node) {
    uint64_t index;
    char *colon = strchr(s->word, ':');
    if (!colon)
        return fail(s, "index:value was expected");
    *colon = 0;
    const bool valid = ty_parse_unsigned(s->word, UINT32_MAX, &index) && index > after;
    *colon = ':';
    if (!valid)
        return fail(s, "indices must be whole numbers from 1, ascending");
    node->index = (uint32_t)index;
    return parse_finite(colon + 1, &node->value) ? TALLY_OK
                                                 : fail(s, "the value is not a finite decimal number");
}

static tally_status read_vector(scan *s, ty_svm *svm, uint32_t vector, size_t *count) {
    s->at += *s->at == '\n';
    if (next_in_line(s) != TALLY_OK)
        return s->error->status;
    if (!s->word[0])
        return fail(s, "there are fewer support vectors than total_sv says");
    if (!parse_finite(s->word, &svm->coefficients[vector]))
        return fail(s, "the coefficient is not a finite decimal number");
    svm->starts[vector] = *count;
    ty_svm_node node = {0, 0.0};
    for (;;) {
        if (next_in_line(s) != TALLY_OK)
            return s->error->status;
        if (!s->word[0])
            return TALLY_OK;
        if (read_pair(s, node.index, &node) != TALLY_OK || append(s, svm, count, node) != TALLY_OK)
            return s->error->status;
    }
}

tally_status ty_svm_parse(const char *text, const char *where, ty_svm *svm, ty_error *error) {
    *svm = (ty_svm){0};
    scan s = {.text = text, .at = text, .where = where, .error = error};
    if (read_header(&s, svm) != TALLY_OK || next_in_line(&s) != TALLY_OK)
        return error->status;
    if (s.word[0])
        return fail(&s, "a line end must follow SV");
    /* A vector takes two bytes at least, so a hostile count allocates little. */
    if (svm->vectors > strlen(s.at) / 2 + 1)
        return fail(&s, "there are fewer support vectors than total_sv says");
    svm->coefficients = calloc((size_t)svm->vectors + 1, sizeof *svm->coefficients);
    svm->starts = calloc((size_t)svm->vectors + 1, sizeof *svm->starts);
    s.node_capacity = 256;
    svm->nodes = malloc(s.node_capacity * sizeof *svm->nodes);
    if (!svm->coefficients || !svm->starts || !svm->nodes)
        return ty_fail_memory(error, "support vectors");
    size_t count = 0;
    for (uint32_t v = 0; v < svm->vectors; v++)
        if (read_vector(&s, svm, v, &count) != TALLY_OK)
            return error->status;
    svm->starts[svm->vectors] = count;
    return TALLY_OK;
}

void ty_svm_free(ty_svm *svm) {
    free(svm->coefficients);
    free(svm->starts);
    free(svm->nodes);
    *svm = (ty_svm){0};
}
