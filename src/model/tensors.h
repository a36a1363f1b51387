/* tensors.h: files of named tensors (safetensors), for whoever writes and reads them: models here, trainings in src/train.
 *
 *   8 bytes   length of the header, little-endian
 *   header    JSON: {"__metadata__": {KEY: TEXT, ...},
 *                    NAME: {"data_offsets": [0, 96], "dtype": "F64", "shape": [3, 4]}, ...}; blanks up to 8 bytes
 *   data      the tensors, F64 or F32 and I32, little-endian, tiling the rest of the file
 *
 * A table says which tensors a file must have. Writing is canonical: sorted keys, table order of data. Reading accepts any order of
 * data, since other writers sort. The headers in include/ are for users; this one is for modules above. */
#ifndef ATTEST_MODEL_TENSORS_H
#define ATTEST_MODEL_TENSORS_H

#include <attest/model.h>

/* ---- JSON, with jansson allocating through at_malloc ---------------------------------------------- */

#define MODEL_JSON_VALUES   ((size_t)1 << 20) /* of one text; a tensor takes MODEL_TENSOR_VALUES */
#define MODEL_TENSOR_VALUES 9

struct json_t;
void model_json_begin(void);
/* Did an allocation of jansson's fail since model_json_begin? Clears the mark. Ask also after success. */
bool model_json_oom(void);
/* The object in s[0..n), refused before parsing when it nests or branches beyond what a model needs.
 * NULL on failure. Freed with model_json_free, the last one first, by the same thread. */
struct json_t *model_json_parse(const char *s, size_t n, const char *path, const char *what, at_err *err);
void model_json_free(struct json_t *j); /* NULL is allowed */

/* Is s[0..n) UTF-8 (no surrogates, no overlong forms)? */
bool model_utf8(const char *s, size_t n);

/* ---- an architecture without its weights ------------------------------------------------------------ */

/* Architecture -> compact JSON with sorted keys, freed with at_free; NULL on failure. */
char *model_arch_print(const at_model *m, at_err *err);
/* JSON -> architecture in m's arena; not yet checked beyond types and counts. */
at_status model_arch_parse(at_model *m, const char *s, size_t n, const char *path, at_err *err);
/* Checks the architecture, then counts tensors and weights; allocates nothing. */
at_status model_measure(const at_model *m, int *n_tensors, size_t *n_weights, at_err *err);

/* ---- sha-256 in portions -------------------------------------------------------------------------- */

typedef struct {
    uint32_t h[8];
    uint64_t bytes;
    unsigned char block[64];
} model_sha256;
void model_sha256_init(model_sha256 *s);
void model_sha256_add(model_sha256 *s, const void *data, size_t n);
void model_sha256_hex(model_sha256 *s, char out[65]);

/* ---- the container -------------------------------------------------------------------------------- */

#define TENSORS_HEADER_MAX ((size_t)64 << 20)

typedef struct {
    char name[AT_NAME_MAX + 17];
    int rank; /* 1 or 2 */
    int64_t shape[2];
    bool index; /* I32, whatever the others are */
} tensors_entry;

typedef struct {
    int n;
    bool f32;                                               /* else f64 */
    void (*at)(const void *ctx, int i, tensors_entry *out); /* out is zero before */
    const void *ctx;
} tensors_table;

typedef struct {
    const char *key, *text; /* text NULL: left out */
} tensors_meta;

/* All before the data, *n bytes, a multiple of 8; freed with at_free. */
at_status tensors_header_print(const tensors_table *t, const tensors_meta *meta, int n_meta, char **bytes,
                               size_t *n, at_err *err);

/* What a file's first 8 bytes say, if a file of `file` bytes (at least 8) can hold it. */
at_status tensors_header_length(const char first[8], size_t file, const char *path, size_t *n, at_err *err);
/* Where a file's bytes come from: memory, a file, or a pipe, of which nothing is read before it is asked for. */
typedef struct {
    const char *path, *bytes; /* bytes NULL: use fd */
    int fd;
    bool pipe;
    size_t n;    /* bytes of the whole; a pipe's is SIZE_MAX, not known */
    size_t data; /* where the tensors begin; after tensors_source_header */
    char *held;  /* a pipe's tensors; after tensors_source_expect */
} tensors_source;
void tensors_source_memory(tensors_source *s, const char *path, const char *bytes, size_t n);
/* Opens a file or pipe, and refuses devices and folders. tensors_source_close in any case. */
at_status tensors_source_open(tensors_source *s, const char *path, at_err *err);
void tensors_source_close(tensors_source *s);
/* In this order: the header's JSON (freed with at_free); how many bytes of tensors there are, where `need` are wanted (of a pipe
 * not more than these are read); bytes of tensors, once *have == need. */
at_status tensors_source_header(tensors_source *s, char **header, size_t *n, at_err *err);
at_status tensors_source_expect(tensors_source *s, size_t need, size_t *have, at_err *err);
at_status tensors_source_read(const tensors_source *s, size_t at, void *to, size_t n, at_err *err);

/* Are all keys of __metadata__ among these, and all values texts? */
at_status tensors_meta_check(const struct json_t *root, const char *const *keys, int n, const char *path,
                             at_err *err);
/* The text under a key of __metadata__; NULL when there is none. */
const char *tensors_meta_get(const struct json_t *root, const char *key, size_t *n);

/* How many elements the header says that the vector NAME has; -1 when it has none, or something else. */
int64_t tensors_length(const struct json_t *root, const char *name);

/* Where a tensor's bytes are, relative to the data. */
typedef struct {
    int64_t begin, end;
    int tensor;
} tensors_place;
/* Sorts places by where they begin, and looks if they tile the data: which one does not begin where those before it end, n when all
 * do. *end: where that is, or where all of them end. Empty ones lie between others. */
int tensors_tile(tensors_place *places, int n, int64_t *end);
/* Places (t->n) of all tensors in file order. Refuses missing and extra tensors, other types and shapes, overlaps and holes;
 * so the last one's end is how many bytes of data there must be. Changes root when it fails. */
at_status tensors_places(const tensors_table *t, struct json_t *root, const char *path, tensors_place *places,
                         at_err *err);

#endif
