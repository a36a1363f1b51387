/* next_internal.h: language models as problems: behind each text of N tokens, the probabilities of what comes next.
 *
 * What a language must say is next_verbs; next_problem makes the task of them, which the language may change afterwards. */
#ifndef ATTEST_NEXT_INTERNAL_H
#define ATTEST_NEXT_INTERNAL_H

#include <attest/lang.h>

#define NEXT_LONGEST 1000
#define NEXT_NEAR    1e-9 /* how far a probability may be off, unless told */

typedef struct {
    int (*tokens)(const void *of); /* of a text; outcomes are one more, the end */
    void (*word)(const void *of, int token, char out[AT_WORD_MAX + 1]);
    /* p (tokens + 1) behind a text. false: there was no memory. */
    bool (*row)(const void *of, const double *x, int n, double *p);
} next_verbs;

typedef struct {
    at_task task;
    const void *of;
    const next_verbs *verbs;
} next_model;

/* p becomes the problem of a language model. params: N among them. */
at_status next_problem(at_problem *p, const void *of, const next_verbs *verbs, const at_param *params,
                       int n_params, next_model **out, at_err *err);
/* What was read, where p is of this language; NULL: it is not. */
const void *next_of(const at_problem *p, const at_lang *l);
/* For languages that change a verb. */
const void *next_self(const at_params *p);
int next_length(const at_params *p);

/* A copy of the text that ends in 0, in p's arena; NULL: there is no memory. */
const char *next_text(at_problem *p, const char *text, size_t n);

/* at_lang.open of at_lang.parse. */
at_status next_open(at_problem *p, size_t most, at_file_look *look,
                    at_status (*parse)(at_problem *p, const char *text, size_t n, at_err *err), at_err *err);

#endif
