/* Support vector regression in LIBSVM's text format (Chang and Lin, 2011). */
#ifndef TY_SVM_TEXT_H
#define TY_SVM_TEXT_H

#include "core/error.h"

typedef enum ty_svm_kernel { TY_SVM_LINEAR, TY_SVM_POLYNOMIAL, TY_SVM_RBF, TY_SVM_SIGMOID } ty_svm_kernel;

/* One component of a support vector that is not left out; left out means 0. */
typedef struct ty_svm_node {
    uint32_t index; /* from 1, ascending within a vector; may lie beyond the features */
    double value;
} ty_svm_node;

typedef struct ty_svm {
    ty_svm_kernel kernel;
    uint32_t degree;
    double gamma, coef0, rho; /* all numbers are finite */
    uint32_t vectors;
    double *coefficients; /* [vectors] */
    size_t *starts;       /* [vectors + 1]: where each vector's nodes begin */
    ty_svm_node *nodes;
} ty_svm;

/* Reads the text. `where` names it in errors (TALLY_INPUT), which give line and byte. Release with
 * ty_svm_free(), also after a failure. */
tally_status ty_svm_parse(const char *text, const char *where, ty_svm *svm, ty_error *error);
void ty_svm_free(ty_svm *svm);

#endif
