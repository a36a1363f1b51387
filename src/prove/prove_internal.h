/* prove_internal.h: counting programs as a transition system over integers, and what the parts of a proof share.
 *
 * The system. A state is a value of each count, a truth of each bit and a state of each automaton. Per letter there is one system
 * without letters: a truth at a letter becomes a node over the old state alone, so that Q_a and !Q_b are the same over a and b, and
 * counts of the same thing are one count. All comparisons become "form <= k" over the old counts, forms being integer vectors with
 * gcd 1 and a first coefficient above 0.
 *
 * Legend: S letters, nodes are numbers, 0 false and 1 true. Letter S is the end, where no letter is. */
#ifndef ATTEST_PROVE_INTERNAL_H
#define ATTEST_PROVE_INTERNAL_H

#include <attest/prove.h>

typedef enum { PN_FALSE, PN_TRUE, PN_BIT, PN_IN, PN_NOT, PN_AND, PN_OR, PN_LESS } prove_op;

typedef struct {
    prove_op op;
    int a, b; /* BIT a; IN: automaton a in set b; NOT a; a AND b; LESS: form a <= k */
    int64_t k;
} prove_node;

typedef struct {
    int n, *count;
    int64_t *coef;
    int n_cuts;
    int64_t *cut; /* ascending: every k that it is compared with by a node that matters */
} prove_form;

typedef struct {
    int *by; /* (S): what makes it one more */
    bool live;
    int cap; /* 0, or: values from here on are alike, and are kept as this one */
    const at_formulas *f;
    const at_formula *of;
    bool negated;
} prove_count;

typedef struct {
    bool initial;
    int *next; /* (S) */
    bool live;
    const at_formulas *f;
    const at_formula *of, *with; /* with: of `of since with` */
    int *key;                    /* (2 S): what it is made of, to find it again */
} prove_bit;

typedef struct {
    int states, start;
    int *to; /* (states, S) */
    bool live;
    const at_formulas *f; /* positions modulo `states` */
} prove_part;

typedef struct {
    int part;
    bool *in;
} prove_set;

#define PROVE_LIST(T)                                                                                        \
    struct {                                                                                                 \
        T *at;                                                                                               \
        int n, room;                                                                                         \
    }

typedef struct {
    at_arena *arena;
    at_err err; /* sticks */
    int S;
    PROVE_LIST(prove_node) nodes;
    PROVE_LIST(prove_form) forms;
    PROVE_LIST(prove_count) counts;
    PROVE_LIST(prove_bit) bits;
    PROVE_LIST(prove_part) parts;
    PROVE_LIST(prove_set) sets;
    int *slot, slots;  /* of nodes, by hash */
    bool at_end;       /* bad is asked at the end, else at each letter */
    int *bad;          /* (S + 1): [S] at the end, the others at a letter */
    int n_free, *free; /* counts that matter and are not capped */
    int fields;        /* of a state: counts, bits, parts */
    /* scratch of evaluation */
    int *seen, stamp;
    bool *value;
} prove_system;

/* Grows a list by one zeroed element; NULL after a failure, which sticks. */
void *prove_grow(prove_system *s, void *list, size_t bytes);
#define prove_push(s, list) ((__typeof__((list)->at))prove_grow((s), (list), sizeof *(list)->at))

/* Zeroed memory of the system's arena; NULL after a failure, which sticks. */
void *prove_keep(prove_system *s, size_t n, size_t bytes);
int prove_part_add(prove_system *s, prove_part x); /* its number; -1: a failure */

int prove_not(prove_system *s, int a);
int prove_and(prove_system *s, int a, int b);
int prove_or(prove_system *s, int a, int b);
int prove_bit_node(prove_system *s, int bit);
int prove_in(prove_system *s, int part, const bool *in);
/* sum coef count + k <= 0; terms with the same count may occur once only. coef and count are changed. */
int prove_at_most(prove_system *s, int n, int *count, int64_t *coef, int64_t k);

at_status prove_system_make(const at_prove_question *q, at_arena *a, prove_system **out, at_err *err);
/* What a program says: (S + 1) nodes. */
at_status prove_program_make(prove_system *s, const at_formulas *f, const int *letter, int *out);
/* (ours): what our letters are called there; NULL: they are others. */
int *prove_letters(const at_alphabet *ours, const at_alphabet *theirs, at_arena *a, at_err *err);
at_prove_words prove_words_of(const at_prove_question *q);

/* A state: (fields) counts, then bits, then states of parts. */
void prove_state_start(const prove_system *s, int *state);
/* Must be called before values at another state are asked for. */
void prove_state_look(prove_system *s);
bool prove_value(prove_system *s, int node, const int *state);
void prove_state_step(prove_system *s, const int *state, int letter, int *next);
int64_t prove_form_value(const prove_form *f, const int *state);

/* ---- search ------------------------------------------------------------------------------------------------------------------- */

typedef struct {
    int *states; /* (n, fields), as they were met: malloc'ed */
    int *parent, *letter;
    size_t n;
    bool whole;        /* there are no others */
    int depth;         /* all words of so many letters were looked at */
    int *word, n_word; /* n_word -1: none is bad */
} prove_search;
at_status prove_search_run(prove_system *s, size_t most, at_arena *a, prove_search *out, at_err *err);
void prove_search_release(prove_search *x);

/* ---- affine hulls ------------------------------------------------------------------------------------------------------------- */

/* The smallest affine space through points of (n) integers: equations sum e[i] x[i] + e[n] = 0. */
typedef struct {
    int n, points;  /* that are affinely independent, at most n + 1 */
    int64_t *point; /* (n + 1, n) */
    int equations;
    int64_t *equation; /* (n + 1, n + 1) */
} prove_hull;
at_status prove_hull_init(prove_hull *h, int n, at_arena *a, at_err *err);
bool prove_hull_has(const prove_hull *h, const int64_t *x);
at_status prove_hull_join(prove_hull *h, const int64_t *x, at_err *err); /* x is not in it */

/* ---- the solver --------------------------------------------------------------------------------------------------------------- */

/* Linear conditions over the free counts: sum a[i] x[i] + a[n] = 0 or >= 0. */
typedef struct {
    int n; /* rows */
    bool *equal;
    int64_t *a; /* (rows, n_free + 1) */
} prove_rows;

typedef struct prove_solver prove_solver;
/* NULL: this build has none, or the library is not there. */
at_status prove_solver_open(prove_system *s, unsigned steps, prove_solver **out, at_err *err);
void prove_solver_close(prove_solver *v);
unsigned prove_solver_spent(const prove_solver *v);
/* Is there x in `from` with x + d in none of the n `to`? Then x: (n_free). */
at_tri prove_solver_escape(prove_solver *v, const prove_rows *from, const int64_t *d,
                           const prove_rows *const *to, int n, int64_t *x);
/* Of equations (n, n_free + 1), which together are kept by every letter: drops those that are not. */
at_status prove_solver_equations(prove_solver *v, int *n, int64_t *equation, at_err *err);
/* Spacer, with these equations eliminated. AT_TRUE: out is an invariant, with the equations. */
at_status prove_solver_spacer(prove_solver *v, int n, const int64_t *equation, at_arena *a, at_tri *holds,
                              at_invariant *out, at_err *err);
/* The three queries of at_prove_recheck. */
at_status prove_solver_recheck(prove_solver *v, const at_invariant *x, at_arena *a, at_tri *out,
                               const char **why, at_err *err);

/* ---- regions ------------------------------------------------------------------------------------------------------------------ */

typedef enum { PROVE_EQUATIONS, PROVE_PAIRS, PROVE_TRIPLES } prove_bounds;
typedef struct {
    bool closed; /* an inductive invariant was found ... */
    bool safe;   /* ... in which no state is bad */
    int locations;
    at_invariant invariant;
} prove_regions;
at_status prove_regions_run(prove_system *s, prove_solver *v, const prove_search *seen, prove_bounds bounds,
                            unsigned steps, at_arena *a, prove_regions *out, at_err *err);
/* The states of a whole search as an invariant. */
at_status prove_states_print(const prove_system *s, const prove_search *seen, at_arena *a, at_invariant *out,
                             at_err *err);
/* The conditions on one state: what is finite of it, then rows (may be NULL). */
void prove_location_print(const prove_system *s, const int *state, const prove_rows *rows, at_text *out);

#endif
