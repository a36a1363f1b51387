/* export.h: models as files of other people's tools.
 *
 *     const at_export_kind *to = at_export_find("onnx", &err);
 *     at_export_write(&m, to, &(at_export_as){.cache = true}, "m.onnx", &err);
 *
 * A format is a row of at_exports and a file src/export/export_NAME.c. All write the same model: what cannot be said in a format is
 * refused by name, and nothing is written then. Hard attention leaves attest only where no other order of summation
 * can choose another key: its scores are exact, or its `tie` is larger than what rounding can make of two that are equal; but for npz in the
 * model's own numbers, which computes nothing. */
#ifndef ATTEST_EXPORT_H
#define ATTEST_EXPORT_H

#include <attest/model.h>

/* In which numbers weights are written and, by whoever runs the file, computed. */
typedef enum {
    AT_EXPORT_STORED, /* those of the model's own file */
    AT_EXPORT_F32,
    AT_EXPORT_F64,
} at_export_dtype;
#define AT_EXPORT_DTYPES ((int)AT_EXPORT_F64 + 1)
extern const char *const at_export_dtypes[AT_EXPORT_DTYPES]; /* "stored", "f32", "f64" */

typedef struct {
    at_export_dtype dtype;
    bool
        cache; /* ONNX, decoders: the graph takes the keys and values of the rows before, and gives back those of all */
} at_export_as;

struct export_files; /* src/export/export_internal.h */
typedef struct {
    const char *name, *doc;
    bool folder; /* several files, in a folder that must not be there yet */
    bool cache;  /* knows at_export_as.cache */
    bool hard;   /* has hard attention */
    bool whole;  /* holds the model and computes nothing; the others take the parts of AT_IN_EXPORT */
    at_status (*write)(const at_model *m, const at_export_as *as, struct export_files *out, at_err *err);
} at_export_kind;
extern const at_export_kind at_exports[];
extern const int at_n_exports;
extern const char *const at_export_names[]; /* of the rows, in their order */
const at_export_kind *at_export_find(const char *name, at_err *err);

/* Found out before the work: can it be written there? */
at_status at_export_probe(const at_export_kind *to, const char *path, at_err *err);
/* Writes the model to a file or a new folder, whole or not at all. */
at_status at_export_write(const at_model *m, const at_export_kind *to, const at_export_as *as,
                          const char *path, at_err *err);

/* Which program variable lives where, as JSON: residual coordinates, heads, fields and what decisions are called. */
at_status at_export_names_print(const at_model *m, at_text *out, at_err *err);

#endif
