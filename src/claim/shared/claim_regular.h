/* claim_regular.h: what the claims about regular languages share: the languages themselves, by name. */
#ifndef ATTEST_CLAIM_REGULAR_H
#define ATTEST_CLAIM_REGULAR_H

#include <attest/front.h>

#include "../claim_internal.h"
#include "claim_words.h"

/* The values of the parameter `language`, NULL at the end, and how many there are. */
extern const char *const claim_regular_names[];
enum { CLAIM_REGULAR = 26, CLAIM_REGULAR_PARITY = 15 };

/* Of a chain: the longest word. Claims that compile for words up to a length have CLAIM_WORD_PARAMS. */
#define CLAIM_REGULAR_LENGTH                                                                                 \
    {                                                                                                        \
        "N", "length", 0, AT_WORD_LONGEST, 8, true                                                           \
    }
#define CLAIM_REGULAR_LANGUAGE                                                                               \
    {                                                                                                        \
        "language", "which language", 0, CLAIM_REGULAR - 1, 0, true, claim_regular_names                     \
    }

/* The problem of the language that the parameters name (at_claim.asks): made when it is first asked for, and kept. */
at_status claim_regular_asks(const at_params *p, const at_problem **out, at_err *err);
/* Where it lies; all in the arena. */
at_status claim_regular_place(const at_params *p, at_arena *a, at_place *out, at_err *err);
/* The functions of a claim that compiles these languages by at_KIND_program and at_KIND_model, by the names that CLAIM_FIELDS
 * has; options_of(p) says how. */
#define CLAIM_REGULAR_FUNCTIONS(kind)                                                                        \
    static at_status program(const at_params *p, at_program **out, at_err *err)                              \
    {                                                                                                        \
        at_arena a;                                                                                          \
        at_arena_init(&a);                                                                                   \
        at_place place;                                                                                      \
        at_##kind##_options o = options_of(p);                                                               \
        at_status s = claim_regular_place(p, &a, &place, err);                                               \
        if (!s)                                                                                              \
            s = at_##kind##_program(&place, claim_word_longest(p), &o, out, err);                            \
        at_arena_release(&a);                                                                                \
        return s;                                                                                            \
    }                                                                                                        \
    static at_status model(const at_params *p, at_model *m, at_err *err)                                     \
    {                                                                                                        \
        at_arena a;                                                                                          \
        at_arena_init(&a);                                                                                   \
        at_place place;                                                                                      \
        at_##kind##_options o = options_of(p);                                                               \
        at_status s = claim_regular_place(p, &a, &place, err);                                               \
        if (!s)                                                                                              \
            s = at_##kind##_model(&place, claim_word_longest(p), &o, m, err);                                \
        at_arena_release(&a);                                                                                \
        return s;                                                                                            \
    }

/* A row of a table: states, monoid, layers, hidden units, width, parameters and the least p on so many words of length N. */
at_status claim_regular_row(const at_claim *c, const at_params *p, uint64_t inputs, int threads,
                            double out[7], at_err *err);
#define CLAIM_REGULAR_COLUMNS "states", "monoid", "layers", "hidden", "width", "parameters", "least p", NULL

/* The chain of states that a word leads to: prompts are words of 0..N letters and |, then the state after each letter, yes or no,
 * <eos> (front.h has the tokens). */
extern const at_chain claim_regular_chain;

/* Every word of at most so many letters, in the full tier and in the quick one. */
#define CLAIM_REGULAR_ALL(language, far, near)                                                               \
    {                                                                                                        \
        "language=" language CLAIM_TO(far), NULL, AT_EV_EXACT, AT_ENUM_SEQUENCES, "f64", 0, AT_TIER_QUICK,   \
            "language=" language CLAIM_TO(near)                                                              \
    }

#endif
