/* logic.h: communication complexity of small functions, computed: matrices, fooling sets, ranks, exact depth.
 *
 *     at_cc_matrix m;
 *     at_cc_named("disj", 3, &arena, &m, &err);
 *     at_cc_tree t;
 *     at_cc_depth(&m, &arena, &t, &err);      // t.depth == 4, and t is a protocol with 4 bits
 *
 * Alice has a row a, Bob a column b, both want f(a, b). A protocol is a binary tree: at a node one of them says a bit that depends
 * on its own input (and on the node), at a leaf f is the same for all inputs that come there. D(f) is the least depth: bits said
 * until both know f. Proofs of all bounds: docs/communication.md. */
#ifndef ATTEST_LOGIC_H
#define ATTEST_LOGIC_H

#include <attest/core.h>

/* ---- matrices ------------------------------------------------------------------------------------------ */

#define AT_CC_SIDE  16384             /* most rows, most columns */
#define AT_CC_CELLS ((size_t)1 << 27) /* most cells */

typedef struct {
    int rows, cols;
    int values;        /* they are 0..values-1; at most 256 */
    const uint8_t *at; /* (rows, cols) */
} at_cc_matrix;

/* From a callback; AT_EDOMAIN when a value is outside 0..255 or there are too many rows, columns or cells. */
typedef int at_cc_value(const void *ctx, int a, int b);
at_status at_cc_make(int rows, int cols, at_cc_value *f, const void *ctx, at_arena *arena, at_cc_matrix *out,
                     at_err *err);

/* Functions with a name; inputs of n bits, as integers. */
typedef struct {
    const char *id, *about;
    int most;              /* n is 1..most */
    bool columns_are_bits; /* n columns instead of 2^n */
    int (*value)(int n, int a, int b);
} at_cc_fn;
extern const at_cc_fn at_cc_fns[]; /* disj intersect eq gt ip index */
extern const int at_n_cc_fns;
const at_cc_fn *at_cc_find(const char *id); /* NULL when unknown */
at_status at_cc_named(const char *id, int n, at_arena *arena, at_cc_matrix *out, at_err *err);

/* ---- fooling sets ---------------------------------------------------------------------------------------
 *
 * Cells of value v such that of any two, (a, b) and (c, d), (a, d) or (c, b) has another value. No monochromatic rectangle
 * contains two of them. */
typedef struct {
    int a, b;
} at_cc_cell;

/* FALSE: bad is the first pair of places in `set` that spoils it, in the order (0,1) (0,2) (1,2) (0,3) ...; a cell of another value
 * is paired with itself. AT_EINPUT: a cell outside the matrix. */
at_status at_cc_fool_verify(const at_cc_matrix *m, int v, const at_cc_cell *set, int n, at_tri *holds,
                            int bad[2], at_err *err);

typedef struct {
    int v, n;
    at_cc_cell *cell; /* (n) */
    bool largest;     /* there is no larger one: searched to the end */
} at_cc_fool;
typedef struct {
    int restarts;  /* of the greedy search; 0: 16 */
    uint64_t work; /* steps, most of them comparisons of two cells; 0: 20,000,000, about a second */
    uint64_t seed;
} at_cc_effort;
/* Greedy, the diagonals first; then branch and bound where v is in at most 4096 cells. effort may be NULL. What is returned has been
 * verified. */
at_status at_cc_fool_search(const at_cc_matrix *m, int v, const at_cc_effort *effort, at_arena *arena,
                            at_cc_fool *out, at_err *err);

/* ---- ranks ----------------------------------------------------------------------------------------------
 *
 * Of the 0/1 matrix M_v with a one where f is v. */
at_status at_cc_rank_gf2(const at_cc_matrix *m, int v, int *rank, at_err *err);

typedef struct {
    int least;  /* the rank over Q is this or more: proved */
    bool exact; /* and not more: proved */
} at_cc_rank;
/* least is the larger of the ranks modulo 2 and, where the different rows and columns are at most 1024 each, modulo 2^31 - 1; exact
 * when it is the number of different rows or columns that are not zero, or by elimination over the integers (at most 128). */
at_status at_cc_rank_q(const at_cc_matrix *m, int v, at_cc_rank *out, at_err *err);

/* ---- lower bounds -----------------------------------------------------------------------------------------
 *
 * A protocol has at least max(|fooling set|, rank) leaves of value v, for each v, and depth at least log2 of all its leaves. */
typedef struct {
    int v;
    at_cc_fool fool;
    int rank_gf2;
    at_cc_rank rank_q;
    int leaves; /* the largest of the three */
} at_cc_side;
typedef struct {
    at_cc_side *side; /* (n) one for each value that occurs */
    int n;
    int leaves, bits; /* sum over values; D(f) >= bits = ceil(log2 leaves) */
} at_cc_bounds;
at_status at_cc_bound(const at_cc_matrix *m, const at_cc_effort *effort, at_arena *arena, at_cc_bounds *out,
                      at_err *err);
int at_cc_log2(uint64_t n); /* ceil(log2 n), n >= 1 */

/* ---- exact ------------------------------------------------------------------------------------------------ */

#define AT_CC_EXACT 10 /* most different rows, most different columns */

typedef struct {
    int turn;     /* 0 Alice, 1 Bob, -1 a leaf */
    int value;    /* leaf: of f */
    uint32_t one; /* bit k: rows (columns) of class k say 1 */
    int child[2]; /* by the bit that is said */
} at_cc_node;
typedef struct {
    int depth, leaves, n;
    at_cc_node *node; /* (n) 0 is the root */
    int rows, cols;
    uint8_t *row_class, *col_class; /* (rows), (cols): equal rows are one class, and so are equal columns */
} at_cc_tree;
/* D(f), and a protocol of that depth, run on every input. AT_EREFUSED: more than AT_CC_EXACT different rows or columns. */
at_status at_cc_depth(const at_cc_matrix *m, at_arena *arena, at_cc_tree *out, at_err *err);
/* What is said on (a, b), and how many bits; both inputs must be there. */
int at_cc_tree_run(const at_cc_tree *t, int a, int b, int *bits);
/* TRUE when the answer is f everywhere and no run is longer than `depth`. */
at_tri at_cc_tree_check(const at_cc_matrix *m, const at_cc_tree *t);

/* ---- disjointness ----------------------------------------------------------------------------------------- */

#define AT_CC_DISJ 12 /* n up to which the certificate is computed */

/* D(DISJ_n) >= *bits = n + 1, n >= 1. Computed for min(n, AT_CC_DISJ): the pairs (S, complement of S) are a fooling set, pair by
 * pair, and the matrix has full rank over GF(2), hence over Q; for larger n the bound rests on the proof of two lines in
 * docs/communication.md, and the note (one line, in the arena; may be NULL) says so. The pairs (a, b) with a and b that intersect
 * are as hard: a protocol for one is a protocol for the other. */
at_status at_cc_disj_bits(int n, at_arena *arena, int *bits, const char **note, at_err *err);

#endif
