/* model_internal.h: what the files of src/model share.
 *
 *   model.c        life cycle, copy, size
 *   names.c        one table of names an enumeration, small functions of its kinds
 *   combine.c      combinations: choose, rank, unrank
 *   validate.c     every range of an architecture, with the words for what is wrong
 *   layout.c       the tensor walk, and what is built on it: measure, layout, validate
 *   json.c         jansson, safe when memory runs out
 *   codec.c        architecture <-> JSON
 *   tensors.c      files of named tensors (tensors.h)
 *   source.c       their bytes, from memory, a file or a pipe, header first
 *   safetensors.c  file image, save, load, hash
 *   sha256.c       FIPS 180-4
 *   input.c        input rows: check, parse, print
 *   prompt.c       what prompts of a decoder are
 */
#ifndef ATTEST_MODEL_INTERNAL_H
#define ATTEST_MODEL_INTERNAL_H

#include "tensors.h"

#define MODEL_FORMAT    1                  /* version of the architecture's JSON */
#define MODEL_MAX_POS   256                /* position features */
#define MODEL_MAX_DENSE 64                 /* layers of an MLP */
#define MODEL_MAX_PICK  64                 /* elements of a subset: ranking is quadratic in them */
#define MODEL_MAX_INT   9007199254740992.0 /* 2^53: integers up to here are exact doubles */

/* One tensor of an architecture, as the walk meets it. Absent ones are met too, with rank 0, so that
 * their ids become -1. */
typedef struct {
    char name[AT_NAME_MAX + 1];
    int rank; /* 0 absent, 1 or 2 */
    int64_t shape[2];
    int *id; /* where the architecture keeps its id */
} model_slot;
typedef at_status model_visit(void *ctx, const model_slot *s, at_err *err);

/* Visits every tensor of a valid architecture in the one fixed order. */
at_status model_walk(at_model *m, model_visit *visit, void *ctx, at_err *err);
/* Every range and combination, except the total of weights, which model_measure adds. */
at_status model_check(const at_model *m, at_err *err);

/* Rows of the prompt of a decoder of integers are mostly zeros, and may be written short (input.c). */
bool prompt_rows_short(const at_model *m);
/* The stretch of row t of a prompt of n rows; NULL: none is given. */
const at_stretch *prompt_stretch(const at_model *m, int t, int n);
/* Is row t the bar? n: rows of the prompt, or of an input that begins with one. */
bool prompt_bar(const at_model *m, int t, int n);
/* Is row t of a prompt of n rows, which fits its fields, in its stretch? */
at_status prompt_check_row(const at_model *m, const double *row, int t, int n, at_err *err);
/* A bar was written where prompts have none. */
at_status prompt_bar_refuse(const at_model *m, int t, at_err *err);

#endif
