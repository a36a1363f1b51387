/* automaton.h: finite automata over an alphabet of words, their monoids, and where a regular language lies.
 *
 *     at_alphabet ab = {2, (const char *const[]){"a", "b"}};
 *     at_dfa *d;
 *     at_dfa_new(&ab, 2, &arena, &d, &err);                   // PARITY: a changes the state, b does not
 *     d->to[0] = 1; d->to[1] = 0; d->to[2] = 0; d->to[3] = 1; // (states, letters)
 *     d->accept[0] = true;
 *     at_place p;
 *     at_place_find(d, &arena, &p, &err);                     // p.star_free, p.fo_mod, p.solvable, with witnesses
 *
 * Letters are 0 .. letters-1, states 0 .. states-1. A deterministic automaton here is complete: every state has a
 * transition for every letter. Everything lives in the caller's arena. */
#ifndef ATTEST_AUTOMATON_H
#define ATTEST_AUTOMATON_H

#include <attest/core.h>

#define AT_LETTERS_MAX 64    /* of an alphabet */
#define AT_LETTER_MAX  32    /* bytes of a letter with its NUL */
#define AT_STATES_MAX  20000 /* of a deterministic automaton */
#define AT_NFA_MAX     400000
#define AT_MONOID_MAX  20000 /* elements, beyond which nothing is said */
#define AT_FACTOR_MAX  64    /* order of a cyclic factor of a group */

/* ---- alphabets and words ------------------------------------------------------------------------------------ */

typedef struct {
    int n;
    const char *const *letter; /* (n) different words without blanks */
} at_alphabet;

/* Words between blanks ("a b <eos>"), or one word in quotes, letter by letter ("\"ab\""). Double letters, more than
 * AT_LETTERS_MAX and letters longer than AT_LETTER_MAX - 1 bytes are refused. */
at_status at_alphabet_parse(const char *text, at_arena *a, at_alphabet *out, at_err *err);
int at_alphabet_find(const at_alphabet *s, const char *letter, size_t n); /* -1 when there is none */
/* The rest of a sentence about a letter that is none: " a b; did you mean 'b'?". g has its name, and other names that may have been meant. */
void at_alphabet_others(const at_alphabet *s, at_guess *g, at_text *out);
/* The letters of a word as one writes it: "abba" where every letter is one character, else blanks between them; the
 * empty word is the empty text, or blanks. *n: letters. */
at_status at_alphabet_word(const at_alphabet *s, const char *text, at_arena *a, int **word, int *n,
                           at_err *err);
/* The other way round; the empty word is printed as ε. */
void at_alphabet_print(const at_alphabet *s, const int *word, int n, at_text *out);

/* ---- deterministic automata --------------------------------------------------------------------------------- */

typedef struct {
    at_alphabet sigma;
    int states, start;
    int *to;      /* (states, letters) */
    bool *accept; /* (states) */
} at_dfa;

/* All rejecting, every transition to state 0. */
at_status at_dfa_new(const at_alphabet *sigma, int states, at_arena *a, at_dfa **out, at_err *err);
bool at_dfa_accepts(const at_dfa *d, const int *word, int n);
/* The least automaton of the same language, its states numbered as they are met from the start, letter by letter: equal
 * languages give equal automata. */
at_status at_dfa_minimize(const at_dfa *d, at_arena *a, at_dfa **out, at_err *err);
bool at_dfa_equal(const at_dfa *a, const at_dfa *b); /* as they are: for minimal ones, of the languages */
/* A shortest word on which two automata over one alphabet differ; *n is -1 when there is none. */
at_status at_dfa_differ(const at_dfa *x, const at_dfa *y, at_arena *a, int **word, int *n, at_err *err);
at_status at_dfa_complement(const at_dfa *d, at_arena *a, at_dfa **out, at_err *err);
at_status at_dfa_intersect(const at_dfa *x, const at_dfa *y, at_arena *a, at_dfa **out, at_err *err);

/* ---- automata that choose ----------------------------------------------------------------------------------- */

/* Edges carry a letter, or -1: none is read. One state to begin, one to end in. The first failure sticks (`failed`), so that
 * whoever builds one looks once, in at_nfa_determinize. */
typedef struct {
    int from, letter, to;
} at_edge;
typedef struct {
    at_alphabet sigma;
    int states;
    size_t n, room;
    at_edge *edge;
    at_status failed;
} at_nfa;
void at_nfa_init(at_nfa *x, const at_alphabet *sigma);
void at_nfa_release(at_nfa *x);
int at_nfa_state(at_nfa *x); /* a new one */
void at_nfa_edge(at_nfa *x, int from, int letter, int to);
/* A copy of d from state `from` to state `to`. */
void at_nfa_embed(at_nfa *x, const at_dfa *d, int from, int to);
/* By subsets, then minimised. AT_EBUDGET beyond AT_STATES_MAX states. */
at_status at_nfa_determinize(const at_nfa *x, int from, int to, at_arena *a, at_dfa **out, at_err *err);

/* ---- the monoid of transitions ------------------------------------------------------------------------------- */

/* Element 0 is the identity (the empty word), the others in the order of their shortest words. Of a minimal automaton this
 * is the syntactic monoid. */
typedef struct {
    const at_dfa *d;
    int n;
    uint16_t *image;   /* (n, states): where each state goes */
    int *before, *by;  /* (n): element k is element before[k], then letter by[k]; of the identity -1 */
    int *right, *left; /* (n, letters): k then the letter; the letter then k */
    int *slot;         /* (slots): a hash table of elements, -1 where there is none */
    size_t slots;
} at_monoid;
/* *out is NULL, and that is no failure, when there are more than `limit` elements. */
at_status at_monoid_make(const at_dfa *d, int limit, at_arena *a, at_monoid **out, at_err *err);
int at_monoid_times(const at_monoid *m, int f, int g); /* f, then g */
int at_monoid_length(const at_monoid *m, int f);       /* of its shortest word */
void at_monoid_word(const at_monoid *m, int f, int *word);
/* The least t >= 1 with f^(k+t) = f^k for some k. */
int at_monoid_period(const at_monoid *m, int f);

/* Green's relations: elements with the same number are related. */
typedef struct {
    int *r, *l, *d; /* (n) */
} at_green;
at_status at_monoid_green(const at_monoid *m, at_arena *a, at_green *out, at_err *err);

/* A maximal subgroup, one for each class D that has one: its order, and that of the last group of its derived series: 1 when the
 * group is solvable, else what is left is perfect. */
typedef struct {
    int identity; /* its idempotent */
    int order, core;
    int n_generators, *generator; /* elements */
} at_subgroup;
at_status at_monoid_subgroups(const at_monoid *m, at_arena *a, at_subgroup **out, int *n, at_err *err);

/* The permutations of a monoid, a group G, as a tower of cyclic ones: G = G_0 > G_1 > ... > G_n = 1, each normal in the one before
 * it, G_k/G_{k+1} cyclic of order factor[k], generated by by[k]. So each permutation is by[n-1]^s[n-1], then ..., then
 * by[0]^s[0] for exactly one row of exponents s[k] in 0 .. factor[k]-1. Factors are prime powers; those between a group and
 * its derived group come from a direct product. */
typedef struct {
    int order, n;
    int *factor, *by; /* (n) */
    int *element;     /* (order): those of all rows of exponents, s[n-1] running fastest */
    int *exponent;    /* (elements of the monoid, n): the row of a permutation */
    int length;       /* of a composition series: how many primes the factors have */
    int derived;      /* length of the derived series */
} at_tower;
/* AT_EREFUSED when the group is not solvable, AT_EBUDGET when it or a factor is too large. */
at_status at_monoid_tower(const at_monoid *m, at_arena *a, at_tower **out, at_err *err);
bool at_monoid_permutes(const at_monoid *m, int f); /* is element f a permutation of the states? */

/* ---- cascades of resets ---------------------------------------------------------------------------------------- */

/* An automaton whose monoid has no periods, as coordinates that are only kept or reset (Krohn and Rhodes, by holonomy). Level t
 * has a coordinate in 0 .. size[t]-1. A letter keeps it, or resets it to a value that depends on the letter and on the
 * coordinates of the levels before t, as they were before the letter. A node is a row of values of the first `depth` levels
 * that is met, node 0 the empty one. */
typedef struct {
    int levels, letters;
    int *size, *initial; /* (levels) */
    int nodes;
    int *depth, *parent, *value; /* (nodes): its last value, and the row before it; of node 0 parent -1 */
    int *reset; /* (nodes, letters), where depth < levels: what level `depth` is reset to; -1: kept */
    int *state; /* (nodes), where depth == levels: the state that the coordinates stand for */
} at_cascade;
/* AT_EREFUSED when the monoid has a period; AT_EBUDGET when too many rows are met. */
at_status at_cascade_make(const at_monoid *m, at_arena *a, at_cascade **out, at_err *err);
/* The reference: coordinates (levels) after a letter. */
void at_cascade_step(const at_cascade *c, int letter, int *coordinate);
int at_cascade_state(const at_cascade *c, const int *coordinate); /* -1: never met */

/* ---- where a regular language lies ---------------------------------------------------------------------------- */

/* star_free: FO[<]. fo_mod: FO[<, MOD], which is AC0 among regular languages. solvable: ACC0; where it is false the language
 * is complete for NC1. Unknown beyond AT_MONOID_MAX elements. */
typedef struct {
    int states, monoid; /* of the minimal automaton; elements, -1: too many */
    at_tri star_free, fo_mod, solvable;
    int *witness,
        n_witness; /* star_free is false: a shortest word u with u^(k+period) = u^k, and no less than period */
    int period;
    int modulus;                     /* s: all words of length s, 2s, ... act alike */
    int *mod_witness, n_mod_witness; /* fo_mod is false: such a word, of a length that s divides */
    int mod_period;
    int n_groups;
    at_subgroup *groups; /* the subgroups that are not trivial */
    at_dfa *least;       /* the minimal automaton */
    at_monoid *m;        /* NULL: too many elements */
} at_place;
at_status at_place_find(const at_dfa *d, at_arena *a, at_place *out, at_err *err);

/* The least automaton of the same words with positions: letter a m + r is letter a at a position that is r modulo m, counted from
 * 0; where a position is wrong the word is rejected. AT_EBUDGET beyond AT_LETTERS_MAX such letters. */
at_status at_dfa_modular(const at_dfa *d, int m, at_arena *a, at_dfa **out, at_err *err);
/* The place of the language with positions modulo m, which is star-free: m is the least divisor of the modulus for which it is. fo_mod
 * must be true. */
at_status at_place_modular(const at_place *p, at_arena *a, int *m, at_place *out, at_err *err);

#endif
