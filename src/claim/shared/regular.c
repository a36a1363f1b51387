/* regular.c: the regular languages that claims are about, by name: an expression, or where an automaton of GAP's kind is
 * shorter, that. */
#include "claim_regular.h"
#include "claim_text.h"

#include <string.h>

#define LANGUAGES(ROW)                                                                                       \
    /* star-free */                                                                                          \
    ROW("ab-star", "alphabet a b\n(ab)*")                                                                    \
    ROW("a-then-b", "alphabet a b\na*b*")                                                                    \
    ROW("no-aa", "alphabet a b\n~(.*aa.*)")                                                                  \
    ROW("ends-abab", "alphabet a b\n.*abab")                                                                 \
    ROW("third-last-a", "alphabet a b\n.*a..")                                                               \
    ROW("depth-3", "alphabet a b\n(a(a(ab)*b)*b)*")                                                          \
    ROW("subsequence-abc", "alphabet a b c\n.*a.*b.*c.*")                                                    \
    ROW("abc-or-cba", "alphabet a b c\n(abc)*|(cba)*")                                                       \
    ROW("ab-a-cd", "alphabet a b c d\nab*a(c|d)*b?")                                                         \
    ROW("nothing", "alphabet a b\n∅")                                                                        \
    /* star-free once positions modulo a number are known */                                                 \
    ROW("even-length", "alphabet a b\n(..)*")                                                                \
    ROW("aa-star", "alphabet a b\n(aa)*")                                                                    \
    ROW("odd-places-a", "alphabet a b\n(a.)*")                                                               \
    ROW("thirds-then-a", "alphabet a b\n(...)*a")                                                            \
    ROW("ab-ba-cc", "alphabet a b c\n(ab|ba|cc)*")                                                           \
    /* groups */                                                                                             \
    ROW("parity", "alphabet a b\n(b*ab*a)*b*")                                                               \
    ROW("thirds-of-a", "alphabet a b\n(b*ab*ab*a)*b*")                                                       \
    ROW("even-since-b", "alphabet a b\n.*b(aa)*")                                                            \
    ROW("s3", "letter a: 2 3 1; letter b: 2 1 3; accept 1")                                                  \
    ROW("a4", "letter a: 2 3 1 4; letter b: 2 1 4 3; accept 1")                                              \
    ROW("d4", "letter a: 2 3 4 1; letter b: 1 4 3 2; accept 1")                                              \
    ROW("a5", "letter a: 2 3 4 5 1; letter b: 2 3 1 4 5; accept 1")                                          \
    ROW("q8", "letter a: 2 3 4 1 6 7 8 5; letter b: 5 8 7 6 3 2 1 4; accept 1")                              \
    ROW("s4", "letter a: 2 3 4 1; letter b: 2 1 3 4; accept 1")                                              \
    ROW("s3-reset", "letter a: 2 3 1; letter b: 2 1 3; letter c: 2 2 2; accept 1")                           \
    ROW("a4-reset", "letter a: 2 3 1 4; letter b: 2 1 4 3; letter c: 4 4 4 4; accept 1")

#define NAME(name, text) name,
const char *const claim_regular_names[] = {LANGUAGES(NAME) NULL};
#define TEXT(name, text) text,
static const char *const texts[] = {LANGUAGES(TEXT)};
_Static_assert(sizeof texts / sizeof *texts == CLAIM_REGULAR, "as many languages as the header says");

static at_problem *made[CLAIM_REGULAR];

at_status claim_regular_asks(const at_params *p, const at_problem **out, at_err *err)
{
    int k = at_params_int(p, "language");
    const char *lang = strncmp(texts[k], "letter", 6) ? "regex" : "dfa";
    return claim_text_asks(lang, claim_regular_names[k], texts[k], &made[k], out, err);
}

at_status claim_regular_place(const at_params *p, at_arena *a, at_place *out, at_err *err)
{
    const at_problem *q;
    at_status s = claim_regular_asks(p, &q, err);
    return s ? s : at_place_find(at_recogniser_of(q)->dfa, a, out, err);
}

at_status claim_regular_row(const at_claim *c, const at_params *p, uint64_t inputs, int threads,
                            double out[7], at_err *err)
{
    at_arena a;
    at_arena_init(&a);
    at_place place;
    at_model m;
    at_size z;
    at_status s = claim_regular_place(p, &a, &place, err);
    if (!s)
        s = claim_least_precision(c, p, inputs, threads, &out[6], err);
    if (!s)
        s = at_claim_model(c, p, &m, err);
    if (!s) {
        at_model_size(&m, &z);
        at_model_release(&m);
        out[0] = place.states;
        out[1] = place.monoid;
        out[2] = z.layers;
        out[3] = z.hidden;
        out[4] = z.width;
        out[5] = (double)z.parameters;
    }
    at_arena_release(&a);
    return s;
}
