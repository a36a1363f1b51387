/* model_internal.h: what the files of src/model share.
 *
 *   model.c        life cycle, copy, size
 *   names.c        one table of names an enumeration, small functions of its kinds
 *   traits.c       which parts a model has, and who takes them
 *   combine.c      combinations: choose, rank, unrank
 *   validate.c     every range of an architecture, with the words for what is wrong
 *   layout.c       the tensor walk, and what is built on it: measure, layout, validate
 *   json.c         jansson, safe when memory runs out
 *   codec.c        architecture <-> JSON
 *   tensors.c      files of named tensors (tensors.h)
 *   source.c       their bytes, from memory, a file or a pipe, header first
 *   stored.c       which matrices of a file are sparse, and what tensors it has
 *   safetensors.c  file image, save, load, hash
 *   remember.c     what a model is for
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

/* Zero weights for a model that at_model_shape laid out, of at most AT_MAX_WEIGHTS. */
at_status model_weights_make(at_model *m, at_err *err);

/* How the tensors of a model lie in a file (stored.c). A sparse matrix is three tensors instead of one: NAME.values, its
 * weights that are not +0, row by row; NAME.columns, the column of each; NAME.starts, where each row begins, and the end. */
typedef struct {
    const at_model *m;
    int64_t *kept; /* (n_tensors) values of a sparse matrix; -1: dense */
    int *sparse;   /* (n_sparse) the sparse ones, ascending */
    int n_sparse;
} model_stored;
typedef enum { STORED_WEIGHTS, STORED_COLUMNS, STORED_STARTS } stored_part;
/* Everything dense; sparse what is smaller so (the canonical choice); what a header says. Freed with stored_free, also after failures. */
at_status stored_dense(model_stored *s, const at_model *m, at_err *err);
at_status stored_choose(model_stored *s, const at_model *m, at_err *err);
/* heads.c: the names of heads as they stand in files. */
void model_heads_print(const at_model *m, at_text *out);
at_status model_heads_read(at_model *m, const char *text, at_err *err); /* NULL: none */

at_status stored_read(model_stored *s, const at_model *m, const struct json_t *root, const char *path,
                      at_err *err);
void stored_free(model_stored *s);
/* The tensors of the file: first the weights of each tensor of the model (dense, or values), then columns and starts of each sparse
 * one in turn: so numbers of 8 bytes come before those of 4, and everything lies where its type wants it. */
tensors_table stored_table(const model_stored *s);
int stored_index(const model_stored *s, int sparse,
                 stored_part part);                     /* in that table, of the sparse one number `sparse` */
size_t stored_bytes(const model_stored *s);             /* of data */
void stored_names(const model_stored *s, at_text *out); /* the text of __metadata__.sparse */

/* Rows of the prompt of a decoder of integers are mostly zeros, and may be written short (input.c). */
bool prompt_rows_short(const at_model *m);
/* A field of words alone; the token in which every prompt ends, of those, or -1: there is none, or a choice. */
bool words_alone(const at_model *m);
int prompt_tail(const at_model *m);
/* The stretch of row t of a prompt of n rows; NULL: none is given. */
const at_stretch *prompt_stretch(const at_model *m, int t, int n);
/* Is row t the bar? n: rows of the prompt, or of an input that begins with one. */
bool prompt_bar(const at_model *m, int t, int n);
/* Is row t of a prompt of n rows, which fits its fields, in its stretch? */
at_status prompt_check_row(const at_model *m, const double *row, int t, int n, at_err *err);
/* A bar was written where prompts have none. */
at_status prompt_bar_refuse(const at_model *m, int t, at_err *err);

#endif
