/* claim_file.h: a claim that was read from a file, as its files see it. docs/claimfile.md has the format. */
#ifndef ATTEST_CLAIM_FILE_INTERNAL_H
#define ATTEST_CLAIM_FILE_INTERNAL_H

#include <attest/claim.h>

#define FILE_CELLS 256       /* checks and controls of a file */
#define VARIANT    "variant" /* the parameter that tells a control that changes text or model from the rest */

/* What the model is made of: 0 as the file says it, k > 0 as the k-th control that changes that. */
typedef struct {
    const char *model;    /* NULL, or the path of a model */
    at_program_text text; /* of a program */
    const char *what;     /* NULL, or the change in words */
    int line, column;
} variant;

/* Where a cell stands. */
typedef struct {
    int line, column;
} spot;

struct at_claim_file {
    at_claim claim;
    at_arena arena;
    char digest[65];
    const char *path, *text;
    const char *words; /* what `attest check` is given */
    double tolerance;
    variant variants[FILE_CELLS + 1];
    int n_variants;
    at_cell cells[FILE_CELLS];
    spot spots[FILE_CELLS];
    int n_cells;
};

/* Reads the text of f; fills all of it. */
at_status claim_file_read(at_claim_file *f, const char *text, size_t n, at_err *err);

#endif
