/* question.h: one model, one problem: what `refute`, `look` and `protocol` ask. */
#ifndef ATTEST_CLI_QUESTION_H
#define ATTEST_CLI_QUESTION_H

#include "cli.h"

#include <attest/refute.h>

typedef struct {
    const char *name;   /* of the problem, as it was typed or as the model says */
    const char *set;    /* its parameters, likewise */
    at_subject subject; /* the model beside what it should compute */
    at_problem *problem;
    at_asked asked;
    char *text; /* its parameters, canonical */
    bool drawn; /* the input was drawn, not typed */
    cli_recalled known;
} cli_question;

/* The model that the first word means, when a->set is for a problem too: a file, or a claim's own, which takes the assignments
 * that it knows. problem: NULL, then this is cli_subject_load. */
at_status cli_question_model(const cli_args *a, const char *problem, at_model *m, const char **input,
                             at_err *err);
/* The problem of this name with a->set (NULL: the one that the model remembers), as it is asked of the model; of a decoder also the claim of this name that has a chain.
 * tolerance: of real answers, 0: not given. */
at_status cli_question_open(const cli_args *a, const char *name, double tolerance, const at_model *m,
                            cli_question *q, at_err *err);
/* The same, and an input: `line`, or where that is NULL one that is drawn by a->seed. A length that is not set is that of the
 * input, or `length` (below 0: not given), or of those that model and problem have in common the one nearest to the problem's
 * own. */
at_status cli_question_input(const cli_args *a, const char *name, double tolerance, const at_model *m,
                             const char *line, int length, at_arena *arena, cli_question *q, at_input *x,
                             at_err *err);
void cli_question_release(cli_question *q);

/* What was asked: the problem, its parameters, the arithmetic, the tolerance. Ends without a newline. */
void cli_question_print(const cli_question *q, at_text *t);
/* The numbers of an answer at one position: reals, words, or decisions. */
void cli_numbers_print(const at_subject *s, const double *x, int n, at_text *t);
/* Rows that were written beside those that are right, a line each, or two lines of tokens. */
void cli_rows_print(const at_subject *s, const at_answer *y, at_text *t);
/* How many positions, or rows of a chain, are right, and of how many. */
int cli_right_count(const at_subject *s, const at_answer *y, const at_input *x, int *of);
/* "right at 5 of 6 positions", "all 7 rows are right" */
void cli_right_print(const at_subject *s, const at_answer *y, const at_input *x, at_text *t);

#endif
