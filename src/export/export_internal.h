/* export_internal.h: what the files of src/export share.
 *
 *   exports.c      the table of formats; numbers, refusals and files that all have in common
 *   sure.c         can rounding turn a choice of hard attention?
 *   labels.c       names of coordinates and heads, as JSON and as lines for people
 *   archive.c      safetensors with tensors of up to three sizes
 *   export_npz.c   arrays of numpy
 *   export_onnx.c  a graph of operators: onnx_graph.c builds and packs it, onnx_attend.c has attention
 *   export_torch.c a module in Python
 *   stack.c        the plain transformer (embedding, layers of attention and MLP, unembedding) that a model may be;
 *                  export_transformerlens.c and export_gpt2.c name its weights */
#ifndef ATTEST_EXPORT_INTERNAL_H
#define ATTEST_EXPORT_INTERNAL_H

#include <attest/exec.h>
#include <attest/export.h>

#define EXPORT_FILES 4

typedef struct export_files {
    struct {
        const char *name; /* in the folder; of a format that is one file "" */
        at_text bytes;
    } file[EXPORT_FILES];
    int n;
} export_files;
/* The text of a new file. At most EXPORT_FILES. */
at_text *export_file(export_files *f, const char *name);

/* ---- sure.c ------------------------------------------------------------------------------------------ */

/* Hard attention is refused, by block and group, where rounding could choose another key than the model over the reals. */
at_status export_sure(const at_model *m, at_err *err);

/* ---- labels.c ---------------------------------------------------------------------------------------- */

void export_json_text(at_text *t, const char *s); /* in quotes; s is UTF-8 */
/* What stands in the head of a program: coordinates and heads, each line after `start`. Characters that act are '?'. */
void export_labels_print(const at_model *m, const char *start, at_text *out);
void export_heads_print(const at_model *m, at_text *out); /* the note `heads` of a model file */
/* A name that Python and ONNX take for the k-th field: its own where that is a word and of no other, else input_K. */
#define EXPORT_NAME (AT_NAME_MAX + 16)
void export_field_name(const at_model *m, int k, char out[EXPORT_NAME]);

/* ---- archive.c --------------------------------------------------------------------------------------- */

typedef struct {
    const char *name; /* plain: nothing in it must be escaped */
    int rank;
    int64_t shape[3];
    const double *w;
} archive_tensor;
typedef struct {
    const char *key, *text; /* text NULL: left out */
} archive_note;
/* The numbers as they lie in files: float or double, little-endian. */
void export_numbers_add(at_text *out, const double *w, size_t n, bool f32);
at_status archive_print(const archive_tensor *t, int n, const archive_note *note, int n_notes, bool f32,
                        at_text *out, at_err *err);
/* The model's own file with every matrix dense: any reader of safetensors sees its tensors, and attest loads it. */
at_status archive_model_print(const at_model *m, at_text *out, at_err *err);

/* ---- the formats --------------------------------------------------------------------------------------- */

typedef at_status export_write(const at_model *m, const at_export_as *as, export_files *out, at_err *err);
export_write export_npz, export_onnx, export_torch, export_transformerlens, export_gpt2;

#endif
