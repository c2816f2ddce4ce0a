/* From the features of a frame to the score before transform and clip. Every operation is rounded by itself,
 * in the order that the spec states. */
#include "exact/math.h"
#include "exact/tanh.h"
#include "model/model.h"

/* The rounded inverse of the rounded forward map, not the feature's score. */
static double back(const ty_member *m, const double *x, uint32_t i) {
    return m->rescale ? (x[i] - m->features[i].intercept) / m->features[i].slope : x[i];
}

static void correct_chroma(const ty_member *m, double *x) {
    if (back(m, x, m->chroma_to) != 0.0)
        return;
    const ty_member_feature *to = &m->features[m->chroma_to];
    const double v = -m->chroma_parameter * back(m, x, m->chroma_from) + m->chroma_parameter;
    x[m->chroma_to] = m->rescale ? to->slope * v + to->intercept : v;
}

static double squared_distance(const double *x, uint32_t count, const ty_svm_node *node,
                               const ty_svm_node *end) {
    double sum = 0.0;
    for (uint32_t k = 1; k <= count; k++) {
        const double e = x[k - 1] - (node < end && node->index == k ? (node++)->value : 0.0);
        sum = sum + e * e;
    }
    for (; node < end; node++)
        sum = sum + node->value * node->value;
    return sum;
}

static double dot(const double *x, uint32_t count, const ty_svm_node *node, const ty_svm_node *end) {
    double sum = 0.0;
    for (; node < end && node->index <= count; node++)
        sum = sum + x[node->index - 1] * node->value;
    return sum;
}

static double power(double base, uint32_t degree) {
    double result = 1.0;
    for (uint32_t t = degree; t > 0; t /= 2) {
        if (t % 2)
            result = result * base;
        base = base * base;
    }
    return result;
}

static double kernel(const ty_svm *svm, const double *x, uint32_t count, uint32_t vector) {
    const ty_svm_node *node = svm->nodes + svm->starts[vector], *end = svm->nodes + svm->starts[vector + 1];
    switch (svm->kernel) {
    case TY_SVM_RBF:
        return ty_exp(-svm->gamma * squared_distance(x, count, node, end));
    case TY_SVM_POLYNOMIAL:
        return power(svm->gamma * dot(x, count, node, end) + svm->coef0, svm->degree);
    case TY_SVM_SIGMOID:
        return ty_tanh(svm->gamma * dot(x, count, node, end) + svm->coef0);
    default:
        return dot(x, count, node, end);
    }
}

double ty_member_predict(const ty_member *m, const double *features) {
    double x[TY_MODEL_MAX_FEATURES];
    for (uint32_t i = 0; i < m->feature_count; i++)
        x[i] = m->rescale ? m->features[i].slope * features[i] + m->features[i].intercept : features[i];
    if (m->chroma_correction)
        correct_chroma(m, x);
    double sum = 0.0;
    for (uint32_t v = 0; v < m->svm.vectors; v++)
        sum = sum + m->svm.coefficients[v] * kernel(&m->svm, x, m->feature_count, v);
    const double y = sum - m->svm.rho;
    return m->rescale ? (y - m->intercept) / m->slope : y;
}
