/* lm.h: what `attest lm` asks of a language model, wherever its probabilities come from.
 *
 * Ids are those of attest/ngram.h: words 0 .. W-1, </s> is W, <s> is W + 1. A sentence is its words alone: <s> before it and </s> behind
 * it belong to the question. A source of another kind fills one of these in cli_lm_open, by how its file begins. */
#ifndef ATTEST_CLI_LM_H
#define ATTEST_CLI_LM_H

#include "cli.h"

#include <attest/ngram.h>

typedef struct {
    int words, unk;                                       /* W; the id of <unk>, -1: there is none */
    at_tokens tokens;                                     /* that its words are */
    int longest;                                          /* words of a sentence, at most; -1: any number */
    int (*find)(const void *of, const char *s, size_t n); /* -1: unknown */
    /* log10 p (n + 1) of each word behind those before it, and of </s>; an unknown word (-1) has -INFINITY. */
    at_status (*sentence)(void *of, const int *word, int n, double *log10p, at_err *err);
    /* p (W + 1) of what may follow n words. */
    at_status (*row)(void *of, const int *word, int n, double *p, at_err *err);
    void (*say)(const void *of, at_tokens tokens, const int *word, int n, at_text *out); /* as text */
    void (*close)(void *of); /* NULL: the arena holds all of it */
    void *of;
    at_arena arena;
} cli_lm;

at_status cli_lm_open(const char *path, cli_lm *out, at_err *err); /* closed in any case */
bool cli_lm_is_model(const char *path);
bool cli_lm_is_pfsa(const char *path);                      /* a probabilistic automaton, by its suffix */
at_status cli_lm_no_machine(const char *path, at_err *err); /* refuses a .ptm file, in words */
void cli_lm_close(cli_lm *m);
at_status cli_lm_open_model(const char *path, cli_lm *out,
                            at_err *err); /* a model file; out->arena is ready */

/* The options of all of `attest lm`. */
typedef struct {
    int order;
    at_smoothing smoothing;
    unsigned tokens; /* 0: not said; else 1 + at_tokens */
    double k;
    int vocabulary, min_count, max_length;
    uint64_t count;
} cli_lm_options;

/* A whole text, - is standard input. */
at_status cli_lm_text(const char *path, at_tokens tokens, char **text, size_t *n, at_err *err);

int cli_lm_score(const cli_args *a);
int cli_lm_perplexity(const cli_args *a);
int cli_lm_sample(const cli_args *a);

#endif
