/* claim_ngram.h: what claims about n-gram language models share (the proofs are in src/front/compile_ngram.c).
 *
 * The parameters N and `most` are as in claim_words.h; W words, order n and seed say which language model (the task next-word). */
#ifndef ATTEST_CLAIM_NGRAM_H
#define ATTEST_CLAIM_NGRAM_H

#include "claim_words.h"

#include <attest/front.h>

extern const char *const claim_ngram_weightings[], *const claim_ngram_reads[];
#define CLAIM_NGRAM_PARAMS(FIRST)                                                                            \
    CLAIM_WORD_PARAMS(6), {"W", "words", 1, 8, 2, true}, {"n", "order of the model", 1, 6, 3, true},         \
        {"seed", "of its counts", 0, 1e6, 1, true},                                                          \
        {"sum", "of the counts of every row; 0: as they are drawn", 0, 1024, 0, true},                       \
        {"weighting", "how heads find words", 0, 3, FIRST, true, claim_ngram_weightings},                    \
        {"read", "what probabilities are read by", 0, 1, 0, true, claim_ngram_reads},                        \
        {"eps", "how far probabilities may be off; 0: equal fractions", 0, 1, 1e-9, false},                  \
    {                                                                                                        \
        "broken", "the furthest word is not found, or slots are not turned", 0, 1, 0, true                   \
    }

at_status claim_ngram_program(const at_params *p, at_ngram_form form, at_program **out, at_err *err);

/* Tables of sizes against n and W, beside what Svete and Cotterell's Theorem 5.1 has in its O(): n W for the width, W^(n-1) for the
 * representation of a history, which here is the units; and of what f32 and f64 get wrong against N. */
#define CLAIM_NGRAM_COLUMNS                                                                                  \
    "n", "W", "n W", "width", "W^(n-1)", "histories", "units", "layers", "heads", "parameters"
at_status claim_ngram_row(const at_claim *c, const at_params *p, double *out, at_err *err);
#define CLAIM_NGRAM_INPUTS 200
#define CLAIM_NGRAM_TABLES                                                                                   \
    {.id = "size",                                                                                           \
     .title = "size against the order n and the number of words W, beside Theorem 5.1: width O(n W), a "     \
              "history O(W^(n-1)), here units",                                                              \
     .columns = (const char *const[]){CLAIM_NGRAM_COLUMNS, NULL},                                            \
     .rows = (const char *const[]){"n=2 W=2", "n=3 W=2", "n=4 W=2", "n=5 W=2", "n=3 W=4", "n=3 W=8", NULL},  \
     .quick_rows = 6,                                                                                        \
     .row = size_row},                                                                                       \
        CLAIM_WORD_F32("softmax heads", CLAIM_NGRAM_INPUTS, "N=16 weighting=softmax eps=0.001",              \
                       "N=64 weighting=softmax eps=0.001", "N=100 weighting=softmax eps=0.001",              \
                       "N=200 weighting=softmax eps=0.001", "N=1000 weighting=softmax eps=0.001")
#define CLAIM_NGRAM_ROWS                                                                                     \
    static at_status size_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)  \
    {                                                                                                        \
        (void)threads;                                                                                       \
        return claim_ngram_row(c, p, out, err);                                                              \
    }                                                                                                        \
    static at_status f32_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)   \
    {                                                                                                        \
        return claim_word_f32_row(c, p, CLAIM_NGRAM_INPUTS, threads, out, err);                              \
    }

#define CLAIM_NGRAM_EXACT(WITH)                                                                              \
    {                                                                                                        \
        "N=0..10 most=10 n=4 " WITH, NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,          \
            "N=0..7 most=7 n=4 " WITH                                                                        \
    }
/* Without exp, and with rows over 16, which doubles hold, nothing is rounded: equal fractions. */
#define CLAIM_NGRAM_FRACTIONS(WITH, CONTROL)                                                                 \
    {                                                                                                        \
        "N=0..6 most=6 n=4 read=sparsemax sum=16 eps=0" WITH, CONTROL, AT_EV_EXACT, AT_ENUM_SEQUENCES,       \
            "exact", 0, AT_TIER_QUICK, "N=0..5 most=5 n=4 read=sparsemax sum=16 eps=0" WITH                  \
    }
#define CLAIM_NGRAM_CONTROL(WITH)                                                                            \
    {                                                                                                        \
        "N=0..6 most=6 n=4" WITH, "broken=1", AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK, NULL  \
    }

/* The first row at which the place that is meant no longer has the largest score, in f32 and in f64, beside 2^((p-3)/3): neighbours
 * differ by 1/(8 s^3). Of heads that look n-2 rows back, and of those that look one back. The scores are computed as the executor
 * does, row by row; no text is run. */
at_status claim_ngram_break_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err);
int claim_ngram_break(bool f32, int back, int most); /* most + 1: not up to there */
#define CLAIM_NGRAM_BREAK(...)                                                                               \
    {.id = "break",                                                                                          \
     .title = "the first row at which rounding hides the place that is looked for, back rows before, and "   \
              "2^((p-3)/3)",                                                                                 \
     .columns = (const char *const[]){"back", "f32", "2^7", "f64", "2^(50/3)", NULL},                        \
     .rows = (const char *const[]){__VA_ARGS__, NULL},                                                       \
     .quick_rows = 1,                                                                                        \
     .row = claim_ngram_break_row},

/* All that the claims have in common: parameters, the program in this form, tables and cells. */
#define CLAIM_NGRAM(FORM, ...)                                                                               \
    static const at_param params[] = {CLAIM_NGRAM_PARAMS(0)};                                                \
    static at_status program(const at_params *p, at_program **out, at_err *err)                              \
    {                                                                                                        \
        return claim_ngram_program(p, FORM, out, err);                                                       \
    }                                                                                                        \
    CLAIM_NGRAM_ROWS                                                                                         \
    static const at_claim_table tables[] = {__VA_ARGS__ CLAIM_NGRAM_TABLES};                                 \
    static const at_cell cells[] = {                                                                         \
        CLAIM_NGRAM_EXACT(""),                                                                               \
        CLAIM_NGRAM_EXACT("read=sparsemax eps=1e-15"),                                                       \
        CLAIM_NGRAM_EXACT("weighting=sparsemax read=sparsemax eps=1e-15"),                                   \
        CLAIM_NGRAM_EXACT("weighting=softmax"),                                                              \
        {"N=0..6 most=6 W=3 seed=2", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,          \
         "N=0..5 most=5 W=3 seed=2"},                                                                        \
        {"N=0..6 most=6 eps=0.001", NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f32", 0, AT_TIER_QUICK, NULL},    \
        {"N=100 n=4 W=3", NULL, AT_EV_SAMPLED, 0, "f64", 2000, AT_TIER_QUICK, NULL},                         \
        CLAIM_NGRAM_FRACTIONS("", NULL),                                                                     \
        CLAIM_NGRAM_FRACTIONS(" weighting=sparsemax", NULL),                                                 \
        CLAIM_NGRAM_CONTROL(""),                                                                             \
        CLAIM_NGRAM_CONTROL(" weighting=softmax read=sparsemax"),                                            \
        CLAIM_NGRAM_FRACTIONS("", "broken=1"),                                                               \
        CLAIM_NGRAM_FRACTIONS("", "sum=10"),                                                                 \
    };
#define CLAIM_NGRAM_FIELDS                                                                                   \
    .source = "Svete and Cotterell 2024", .group = "Language models", .task = "next-word",                   \
    .tolerance = claim_eps, CLAIM_FIELDS, CLAIM_TABLES, .look = "0 1 1 0", .look_params = "N=6"

#endif
