/* model_internal.h: what the files of src/model share.
 *
 *   model.c        life cycle, copy, size
 *   names.c        one table of names an enumeration, small functions of its kinds
 *   combine.c      combinations: choose, rank, unrank
 *   validate.c     every range of an architecture, with the words for what is wrong
 *   layout.c       the tensor walk, and what is built on it: measure, layout, validate
 *   json.c         jansson, safe when memory runs out
 *   codec.c        architecture <-> JSON
 *   safetensors.c  file image, save, load, hash
 *   sha256.c       FIPS 180-4
 *   input.c        input rows: check, parse, print
 */
#ifndef ATTEST_MODEL_INTERNAL_H
#define ATTEST_MODEL_INTERNAL_H

#include <attest/model.h>

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
/* Checks the architecture, then counts tensors and weights; allocates nothing. */
at_status model_measure(const at_model *m, int *n_tensors, size_t *n_weights, at_err *err);

/* Is s[0..n) UTF-8 (no surrogates, no overlong forms)? */
bool model_utf8(const char *s, size_t n);

/* JSON, with jansson allocating through at_malloc. */
struct json_t;
void model_json_begin(void);
/* Did an allocation of jansson's fail since model_json_begin? Clears the mark. Ask also after success. */
bool model_json_oom(void);
/* The object in s[0..n), refused before parsing when it nests or branches beyond what a model needs.
 * NULL on failure. Freed with model_json_free, the last one first, by the same thread. */
struct json_t *model_json_parse(const char *s, size_t n, const char *path, const char *what, at_err *err);
void model_json_free(struct json_t *j); /* NULL is allowed */
/* Architecture -> compact JSON with sorted keys, freed with at_free; NULL on failure. */
char *model_arch_print(const at_model *m, at_err *err);
/* JSON -> architecture in m's arena; not yet checked beyond types and counts. */
at_status model_arch_parse(at_model *m, const char *s, size_t n, const char *path, at_err *err);

typedef struct {
    uint32_t h[8];
    uint64_t bytes;
    unsigned char block[64];
} model_sha256;
void model_sha256_init(model_sha256 *s);
void model_sha256_add(model_sha256 *s, const void *data, size_t n);
void model_sha256_hex(model_sha256 *s, char out[65]);

#endif
