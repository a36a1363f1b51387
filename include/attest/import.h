/* import.h: models of other people's tools, read into plain models (docs/import.md).
 *
 *     at_import_options o = at_import_defaults;
 *     at_import_said said;
 *     at_model m;
 *     at_import(&m, "gpt2/", &o, &said, &err);      // a folder with config.json and model.safetensors, or one file
 *     at_model_save(&m, "gpt2.safetensors", &err);
 *     at_model_release(&m);
 *
 * What comes out computes what theirs computes in evaluation, up to rounding: a model is made whole, or refused with the tensor or
 * the key that is wrong. Nothing is executed: pickles are refused, with the lines that convert them. */
#ifndef ATTEST_IMPORT_H
#define ATTEST_IMPORT_H

#include <attest/model.h>

typedef enum {
    AT_LAYOUT_GPT2,
    AT_LAYOUT_NEOX,
    AT_LAYOUT_LLAMA,
    AT_LAYOUT_NANOGPT,
    AT_LAYOUT_LENS,
    AT_LAYOUT_TRACR,
    AT_LAYOUT_GUESS, /* by the names of tensors */
} at_layout;
#define AT_LAYOUTS ((int)AT_LAYOUT_GUESS)
extern const char *const at_layout_names[AT_LAYOUTS]; /* gpt2, neox, llama, nanogpt, transformerlens, tracr */

/* Where the readout is asked. */
typedef enum {
    AT_IMPORT_NEXT,  /* a decoder: the next token */
    AT_IMPORT_LAST,  /* at the last position */
    AT_IMPORT_EVERY, /* at every position */
    AT_IMPORT_USUAL, /* NEXT where attention is causal, else EVERY */
} at_import_read;
#define AT_IMPORT_READS ((int)AT_IMPORT_USUAL)
extern const char *const at_import_read_names[AT_IMPORT_READS]; /* next, last, every */

typedef struct {
    const char *config; /* NULL: config.json in the folder, or beside the file */
    at_layout layout;
    at_import_read read;
    /* NEXT: so many rows are generated; 0: until the token that ends a text, at most half of what it takes. Else it must be 0. */
    int steps;
    /* NULL, or keys of the configuration that are passed over, separated by commas; one that is used is refused. */
    const char *ignore;
    const char *target; /* NULL, or where the model will be saved: refused when it is a file that is read */
} at_import_options;
extern const at_import_options at_import_defaults;

typedef struct {
    at_layout layout;
    int files;    /* of tensors */
    int expanded; /* keys that each key of theirs became: grouped keys are written out; 1: none were grouped */
    bool tied;
    int ends; /* tokens that end a text, of which a decoder stops at the first; 0: it does not stop at one */
} at_import_said;

/* m is initialised by this call, and empty after a failure. said may be NULL. */
at_status at_import(at_model *m, const char *path, const at_import_options *o, at_import_said *said,
                    at_err *err);
/* The same from memory, for one file: the tensors, and the configuration (NULL: none). */
at_status at_import_bytes(at_model *m, const char *bytes, size_t n, const char *config, size_t n_config,
                          const at_import_options *o, at_import_said *said, at_err *err);

#endif
