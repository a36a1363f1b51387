/* claim_words.h: what claims about languages of words share: their lengths, the hidden position before a word, and
 * tables of the least precision and the size against the length.
 *
 * The parameter N is the length of the words that are asked about, `most` the longest that the model takes, where
 * that is more: one model is asked about all its lengths by "N=0..16 most=16". */
#ifndef ATTEST_CLAIM_WORDS_H
#define ATTEST_CLAIM_WORDS_H

#include "../claim_internal.h"

#define CLAIM_WORD_LONGEST 4096
#define CLAIM_WORD_MOST                                                                                      \
    {                                                                                                        \
        "most", "longest word that the model takes, where that is more than N", 0, CLAIM_WORD_LONGEST, 0,    \
            true                                                                                             \
    }
#define CLAIM_WORD_PARAMS(n) {"N", "length", 0, CLAIM_WORD_LONGEST, n, true}, CLAIM_WORD_MOST

/* In the parameters of a cell: every length to n, by one model for words to n letters. */
#define CLAIM_TO(n) " N=0.." #n " most=" #n
/* The same by the model for words of 1,000 letters. */
#define CLAIM_TO_OF_LONG(n) " N=0.." #n " most=1000"

/* The longest word of the model: at least one letter. */
int claim_word_longest(const at_params *p);

/* A program with one hidden position, index 0, before the word; letters are tokens 0..letters-1. */
typedef struct {
    at_program *P;
    int N; /* longest word */
    at_var letter, begin;
} claim_word;
at_status claim_word_new(const char *name, const at_params *p, int letters, claim_word *out, at_err *err);
/* 1 at letters for which `is` has 1, 0 elsewhere and before the word. */
at_var claim_word_is(const claim_word *w, const char *name, const double *is);

/* Is the count c at least t (an integer), from c u and u >= 1/(N + 1)? steep: 1, or less for a ramp that is too flat.
 * */
at_var claim_at_least(const claim_word *w, const char *name, at_var cu, at_var u, double t, double steep);

/* Tables of N, the least p from which on words of length N are answered rightly (`inputs` random and adversarial ones
 * at each p), a bound in theory, and the size. */
#define CLAIM_WORD_COLUMNS(THEORY) "N", "least p", THEORY, "layers", "heads", "width", "units", "parameters"
at_status claim_word_row(const at_claim *c, const at_params *p, double theory, uint64_t inputs, int threads,
                         double *out, at_err *err);

/* Tables of how many of `inputs` words of length N are answered wrongly in f32 and in f64 by the same model. */
at_status claim_word_f32_row(const at_claim *c, const at_params *p, uint64_t inputs, int threads, double *out,
                             at_err *err);
#define CLAIM_WORD_F32(WHAT, INPUTS_, ...)                                                                   \
    {                                                                                                        \
        .id = "f32",                                                                                         \
        .title =                                                                                             \
            "words that are wrong in f32 and in f64, of " CLAIM_TEXT(INPUTS_) " words, against N: " WHAT,    \
        .columns = (const char *const[]){"N", "wrong in f32", "wrong in f64", NULL},                         \
        .rows = (const char *const[]){__VA_ARGS__, NULL}, .quick_rows = 2, .row = f32_row                    \
    }

/* The same for any claim with a parameter N, decoders included; nothing where the model is refused at this size. */
#define CLAIM_F32_WORDS 50
at_status claim_f32_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err);
#define CLAIM_F32(WHAT, ...)                                                                                 \
    {                                                                                                        \
        .id = "f32",                                                                                         \
        .title = "words that are wrong in f32 and in f64, of " CLAIM_TEXT(                                   \
            CLAIM_F32_WORDS) " words, against N: " WHAT,                                                     \
        .columns = (const char *const[]){"N", "wrong in f32", "wrong in f64", NULL},                         \
        .rows = (const char *const[]){__VA_ARGS__, NULL}, .quick_rows = 1, .row = claim_f32_row              \
    }

#endif
