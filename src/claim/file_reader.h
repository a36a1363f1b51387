/* file_reader.h: what the two halves of the reader of claim files share: file_read.c reads statements, file_make.c makes a claim
 * of them. */
#ifndef ATTEST_CLAIM_FILE_READER_H
#define ATTEST_CLAIM_FILE_READER_H

#include "claim_file.h"

enum {
    CLAIM,
    STATEMENT,
    SOURCE,
    PROOF,
    PROBLEM,
    PROGRAM,
    MODEL,
    COMPILE,
    TOLERANCE,
    LOOK,
    CHECK,
    CONTROL,
    WORDS
};

/* What a control changes, other than a parameter or the arithmetic. */
typedef struct {
    const char *from, *to; /* replace, where from is not NULL */
    const char *model;     /* NULL, or another model */
    mutation weight;
    spot at;
    int cell;
} change;

typedef struct {
    at_claim_file *f;
    const char *at, *end, *line_start;
    int line;
    at_status status;
    at_err *err;
    bool said[WORDS];
    at_problem *problem; /* what is to be computed, and in which view it is asked */
    at_view view;
    char *set; /* of the problem line; NULL: nothing */
    spot problem_at, source_at;
    const char *attention; /* of compile; NULL: the usual one */
    spot attention_at;
    change changes[FILE_CELLS];
    int n_changes;
    bool asked; /* is there a first question? */
    at_cell first;
    bool bare[FILE_CELLS]; /* controls that take the first question */
    at_param schema[AT_PARAMS_MAX];
    int n_schema;
} reader;

/* A cell whose enumeration is not said has this one until all is known. */
#define ENUM_UNSAID ((at_enum)AT_ENUMS)

void file_fail(reader *r, int line, int column, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void file_oom(reader *r);
/* s: of a call that failed with `why`; at that place of the file, unless memory ran out. */
void file_why(reader *r, spot at, at_status s, const at_err *why);
char *file_copy(reader *r, const char *s, size_t n);
/* The file owns it from now on. */
void file_hold(reader *r, at_problem *p);

/* What was read, as a whole: fills in f->claim. */
void file_make(reader *r);

#endif
