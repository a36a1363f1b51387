/* prove.h: what holds of counting programs on words of all lengths: equal, included, empty.
 *
 *     at_prove_question q = {.a = one, .b = other, .what = AT_PROVE_EQUAL};      // two C-RASP programs
 *     at_proof p;
 *     at_prove(&q, &arena, &p, &err);
 *     // p.holds AT_TRUE: proved, p.invariant says why; AT_FALSE: p.word, a shortest one; AT_UNKNOWN: p.note
 *
 * Programs are formulas that speak of letters, of counts of what stands before (#[j <= i], #[j < i]), of the position before and of
 * what was once, always or since; they are read at the last letter, or at the end. Others are refused by name. Everything
 * lives in the caller's arena. docs/prove.md has the method and what it cannot do. */
#ifndef ATTEST_PROVE_H
#define ATTEST_PROVE_H

#include <attest/formula.h>

#define AT_PROVE_COUNTS 64    /* different counts of a question */
#define AT_PROVE_NODES  60000 /* different truths that it is made of */

typedef enum { AT_PROVE_EQUAL, AT_PROVE_INCLUDED, AT_PROVE_EMPTY, AT_PROVE_ASKS } at_prove_ask;
extern const char *const at_prove_ask_names[AT_PROVE_ASKS]; /* equal, included, empty */

/* Is a equal to b, included in it, or empty? b is a program or an automaton over the same letters, or, of empty, nothing. */
typedef struct {
    const at_formulas *a, *b; /* b NULL: language, or nothing */
    const at_dfa *language;
    at_prove_ask what;
    size_t states; /* that are searched at most; 0: AT_PROVE_STATES */
    unsigned
        steps; /* of the solver at most, in its own unit, for each part of the proof; 0: AT_PROVE_STEPS */
} at_prove_question;
#define AT_PROVE_STATES 1000000
#define AT_PROVE_STEPS  20000000u

/* Which words are meant. A program that is read at the last letter has no answer for the empty word. */
typedef enum {
    AT_WORDS_LAST,  /* both at the last letter: words of one letter or more */
    AT_WORDS_END,   /* both at the end: all words, the empty one among them */
    AT_WORDS_MIXED, /* one at the last letter, the other at the end: words of one letter or more */
    AT_WORDS_KINDS
} at_prove_words;
extern const char *const at_prove_words_text[AT_WORDS_KINDS];

typedef enum {
    AT_BY_NOTHING,
    AT_BY_SEARCH,    /* every state was met; or a word was */
    AT_BY_REGIONS,   /* equations and bounds in each region that the comparisons cut out */
    AT_BY_INDUCTION, /* these, and k steps */
    AT_BY_SPACER,    /* an invariant of Z3's engine for Horn clauses */
    AT_PROVE_WAYS
} at_prove_way;
extern const char *const at_prove_way_names[AT_PROVE_WAYS]; /* nothing, search, regions, induction, spacer */

/* What every reachable state satisfies: one of the parts (any), or all of them. A part is a formula of SMT-LIB over c0, c1, ..
 * (counts), b0, b1, .. (truths that are remembered) and q0, q1, .. (states of automata). No part: nothing to recheck. */
typedef struct {
    bool any;
    int n;
    const char **part;
    int k; /* steps that are needed to see that no state is bad; 1: none */
} at_invariant;

/* A variable of the invariant and what it stands for. */
typedef struct {
    char name[16];
    const at_formulas *f;        /* NULL: an automaton */
    const at_formula *of, *with; /* what is counted, or remembered; with: `of` since `with` */
    bool negated;                /* its negation is */
    int states; /* of an automaton: that of the question, or (f not NULL) positions modulo so many */
} at_prove_variable;

typedef struct {
    at_tri holds;
    at_prove_words words;
    at_prove_way way;
    int *word, n_word; /* holds is false: a shortest word, and what a and b say of it */
    bool says[2];
    bool empty[2]; /* do they have the empty word? Of AT_WORDS_END, and of an automaton */
    int searched;  /* all words up to this length were looked at */
    size_t states; /* that were met */
    at_invariant invariant;
    at_tri rechecked; /* the invariant, by a second query over the system as it is written */
    int n_variables;
    at_prove_variable *variables;
    int counts, bits;  /* counts that are not bounded; truths remembered */
    const char *lacks; /* NULL, or the package without which nothing more can be said */
    char note[240];    /* holds is unknown: what was reached */
} at_proof;

/* Failures: a formula that is refused (AT_EREFUSED), other letters (AT_EINPUT), too large (AT_EBUDGET), interrupted. */
at_status at_prove(const at_prove_question *q, at_arena *a, at_proof *out, at_err *err);
/* Is the formula an invariant of the question that shows it: does it hold at the start, is it kept by every letter, and is no state bad
 * in it? Unknown where there is no solver, or it gives up. why: NULL, or which of the three fails. */
at_status at_prove_recheck(const at_prove_question *q, const at_invariant *v, at_arena *a, at_tri *out,
                           const char **why, at_err *err);
bool at_prove_has_solver(void);

/* ---- regular languages in C-RASP ------------------------------------------------------------------------------------------------- */

/* Is a regular language one of C-RASP, that is of K_t[#]: letters, connectives, linear comparisons of counts of prefixes, and no
 * positions? Accepting at the end marker, or at the last letter (then without the empty word). "Yes" comes with a program. "No" is a
 * theorem of Yang et al.; it comes with two states that no potential tells apart. */
typedef struct {
    at_tri in;
    int rounds;    /* of refinement, at most, over the components */
    int component; /* no: states of the component */
    int letter; /* no, at the last letter: the language of all u with u letter in it is not at the end marker; else -1 */
    int *word[2], n[2];         /* no: words of that language's automaton that lead to two states */
    const at_formulas *program; /* yes; NULL: it is too large to be written */
} at_crasp_place;
#define AT_CRASP_STATES 300 /* beyond, unknown */
at_status at_crasp_place_find(const at_dfa *d, at_read_at at, at_arena *a, at_crasp_place *out, at_err *err);

#endif
