/* claim_file.h: a claim that was read from a file, as its files see it. docs/claimfile.md has the format. */
#ifndef ATTEST_CLAIM_FILE_INTERNAL_H
#define ATTEST_CLAIM_FILE_INTERNAL_H

#include <attest/claim.h>

#define FILE_CELLS 256         /* checks and controls of a file */
#define ATTENTION  "attention" /* the parameter of what is compiled */
#define VARIANT    "variant" /* the parameter that tells a control that changes text or model from the rest */

/* One weight with another value: number `at` of a tensor, or (row, column) where column >= 0. */
typedef struct {
    const char *tensor; /* NULL: none */
    int64_t at, column;
    double value;
} mutation;

/* What the model is made of: 0 as the file says it, k > 0 as the k-th control that changes that. */
typedef struct {
    const char *model;         /* NULL, or the path of a model */
    const at_model *given;     /* NULL, or that model itself */
    const at_problem *source;  /* NULL, or what is compiled */
    at_program_text text;      /* of a program */
    mutation weight;           /* then changed in what was made */
    const at_problem *problem; /* NULL, or what is to be computed instead */
    const char *what;          /* NULL, or the change in words */
    int line, column;
} variant;

/* Where a cell stands. */
typedef struct {
    int line, column;
} spot;

struct at_claim_file {
    at_claim claim;
    at_problem *problems[FILE_CELLS + 2]; /* that it owns: of the problem line, of compile, of controls */
    int n_problems;
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

/* The weight that a mutation names; refused where there is none, or where it has that value already. */
at_status mutation_find(const mutation *w, const at_model *m, double **out, at_err *err);

/* Reads the text of f; fills all of it. */
at_status claim_file_read(at_claim_file *f, const char *text, size_t n, at_err *err);

#endif
