/* fast.h: the plan that the fast executor runs (private to exec).
 *
 * A plan is a model prepared for one length in one arithmetic: weights rounded to F (float or double), matrices with
 * few nonzeros compressed, everything up to the projections of the first attention block tabulated where it depends
 * on one symbol and its place. Kernels exist four times, {float, double} x {AVX2, portable}, all from
 * fast_kernels.inc.
 *
 * Legend: L lanes (8 floats or 4 doubles; half in portable C), one lane a sequence; T positions, D width,
 *         dk and dv head widths, R readout rows, V one vector of L numbers. Activations are (T, D) of V: code
 *         reads as for one sequence, and runs L at once.
 *
 * Invariant: lanes never mix, so a sequence's values depend on no other sequence. */
#ifndef ATTEST_EXEC_FAST_H
#define ATTEST_EXEC_FAST_H

#include <attest/exec.h>

#define FAST_QUERIES 4  /* rows of scores that share the loads of one key */
#define FAST_CHUNK   96 /* keys scored between two visits of the running maximum */
#define FAST_TILE    4  /* positions that share the load of one weight */
#define FAST_SUMS    8  /* sums under way: those of a tile, or of as many rows at one position */

/* A (rows, cols) matrix and a bias. Dense: w (rows, cols). Sparse (start != NULL): row r has the entries
 * start[r]..start[r+1]-1 of w, in columns col[]. */
typedef struct {
    int rows, cols;
    int *start, *col;
    void *w; /* F */
    void *b; /* (rows) F, or NULL */
} fast_matrix;

typedef struct {
    at_weighting weighting;
    at_post post;
    at_mask mask;
    int dk, dv;
    double scale, tie; /* scale: of scores, before post */
    double factor;     /* of score differences in the exponent, base 2; softmax and three-wise */
    fast_matrix q;     /* (dk, D) */
    fast_matrix kv;    /* (dk + dv, D): key rows, then value rows */
    fast_matrix kv2;   /* the same for three-wise attention, else 0 rows */
    fast_matrix o;     /* (D, dv) */
    double slope;      /* alibi: of distances; 0 without */
    at_rotary rotary;  /* width 0: none */
    void *turn;        /* (T, width) F: cosine and sine of each pair */
    void *table;       /* (fold_rows, table_row) F: kv, kv2, then q; NULL when not folded */
    int table_row;     /* a multiple of L */
} fast_head;

typedef struct {
    at_block_kind kind;
    bool residual;
    bool parallel; /* reads what the block before it read, ... */
    bool kept;     /* ... which kept it for this */
    at_norm norm;
    at_norm_kind norm_kind;
    double norm_eps;
    void *norm_g, *norm_b; /* (D) F */
    int n_heads;           /* ATTN: of all groups */
    fast_head *heads;
    void *ob;   /* (D) F: output biases of all groups, summed; NULL when none */
    at_act act; /* MLP */
    int n_dense;
    fast_matrix *dense;
    fast_matrix *gate; /* NULL, or of each layer but the last */
    int lo, hi;        /* positions whose result somebody reads */
} fast_block;

typedef struct {
    at_field_kind kind;
    int pick, size; /* SUBSET: pick; REAL, INT: size */
    int at;         /* first number of the field in an input row */
    int col, width;
    int table_row; /* TOKEN, SUBSET: width rounded up to a multiple of L; else width */
    void *table;   /* (rows, table_row) F */
} fast_field;

/* What an argmax readout comes to: the largest value, the first row that has it, and the largest of the others. */
typedef struct {
    double best, second; /* second: -INFINITY where there is one row */
    int row;
    bool finite; /* all values are */
} fast_top;

struct fast_kernel;

struct at_exec {
    at_arena arena;
    const struct fast_kernel *kernel;
    bool single; /* F is float */
    int n, T, D, R;
    int n_prefix, row_width;
    int read_lo, read_hi; /* positions read out */
    int n_fields;
    fast_field *fields;
    void *base; /* (T, D) F: position features, prefix and suffix rows */
    /* Folded: blocks before the first attention block are not run, and that one gathers from tables; needs one symbol
     * a position. Their rows: (places, symbols), then those of prefix and suffix. */
    bool folded;
    int fold_block; /* the attention block */
    int symbols;    /* of the field */
    int places;     /* user positions that differ: n with position features, else 1 */
    void *fold_x;   /* (fold_rows, fold_x_row) F: the residual stream; NULL: not read */
    int fold_x_row; /* a multiple of L */
    int n_blocks;
    fast_block *blocks;
    bool final_norm, any_norm, any_parallel, any_gate;
    at_norm_kind norm_kind;
    double norm_eps;
    void *norm_g, *norm_b;
    fast_matrix readout;
    at_readout ro; /* what is decided from it */
    double scores;
    int max_dk, max_kv, max_kv2, max_dv, max_hidden; /* over heads and MLPs */
    bool all_scores;                                 /* some head keeps a whole row of scores ... */
    bool any_lane;                                   /* ... and has the reference weigh it */
};

/* Everything a thread needs; pointers to V (or int where said). */
struct at_scratch {
    at_arena arena;
    void *x, *y, *normed; /* (T, D) */
    void *before;         /* (T, D): what a block read, for parallel ones after it */
    void *q;              /* (T, dk) */
    void *kv, *kv2;       /* (T, dk + dv) */
    void *gathered;       /* (a row of the tables) */
    void *mix;            /* (T, dv) */
    void *small;          /* alpha, accumulators, running sums */
    void *scores;         /* (FAST_CHUNK, FAST_QUERIES), or (T) when a whole row is kept */
    const void **rows;    /* value row of each buffered score */
    void *lane;           /* (3, T) F, and ... */
    uint8_t *flag;        /* ... (T): the scores of a lane, where the reference weighs them */
    void *hidden;         /* 2 of (FAST_TILE, hidden), 3 with gates */
    double *weigh;        /* (3, R): a row of the readout that becomes a distribution, its weights, scratch */
    double *value;        /* (L, positions, R) doubles, and ... */
    fast_top *top;        /* ... (L, positions), of argmax; for decisions */
    int *symbols;         /* (T, L) int: symbols, or rows of the tables */
};

typedef struct fast_kernel {
    const char *isa;
    int lanes, vector; /* L, bytes in V */
    /* count <= L sequences; value (count, positions, R), or NULL: top (count, positions). */
    void (*run)(const at_exec *e, at_scratch *s, const double *v, int count, double *value, fast_top *top);
    void (*fold)(const at_exec *e, at_scratch *s); /* fills the tables of a folded plan */
    /* For the test of their error: 2^x and e^x of count vectors, x <= 0. */
    void (*exps)(const void *x, void *two, void *natural, int count);
} fast_kernel;

extern const fast_kernel fast_portable_f, fast_portable_d;
#if defined(__x86_64__)
extern const fast_kernel fast_avx2_f, fast_avx2_d;
#endif

/* Keys that queries i..i+rows-1 may see, as runs: the set of allowed queries (bit r: query i+r) is
 * constant from key j up to *end (exclusive). */
unsigned fast_mask_run(const at_mask *m, int T, int i, int rows, int j, int *end);

/* The weights of a row of n scores, as the reference has them (weightings.inc); what they are divided by is returned. z (n) and
 * flag (n) are scratch. */
float ref_weigh_f(at_weighting k, double tie, const float *s, size_t n, float *w, float *z, uint8_t *flag);
double ref_weigh_d(at_weighting k, double tie, const double *s, size_t n, double *w, double *z,
                   uint8_t *flag);

/* Fills e (kernel, single, n and arena are set) from m. */
at_status fast_plan(at_exec *e, const at_model *m, at_err *err);

#endif
