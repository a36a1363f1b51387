/* decode.h: a decoder, as decode.c keeps it and decode.inc works on it (private to exec).
 *
 * Legend: t position (the model's prefix counts), D width, H heads of a group, dk, dv head widths,
 *         N one number of the arithmetic: float or double, decode_ops.size bytes. */
#ifndef ATTEST_EXEC_DECODE_H
#define ATTEST_EXEC_DECODE_H

#include "exec_internal.h"

/* The nonzero weights of a (rows, cols) matrix, rounded once, in one of two orders that give the same sums.
 *
 * Scattered weights (of compiled models): row by row, and only the lines, rows that have a weight or a bias; the
 * others are 0. Where there are many of them they are kept by columns too, for inputs that are mostly zeros (decode.inc).
 * Weights in long runs (of trained models): column by column in runs of consecutive rows:
 * y += w[:,k] * x[k] for ascending k adds to every y[r] in the order of the reference, and the sums of
 * different rows do not wait for each other. */
typedef struct {
    int row, n;
} decode_run;
typedef struct {
    int rows, cols;
    void *w;    /* N, in the order of the lines or of the runs */
    void *bias; /* N: (n_lines); with runs (rows), or NULL */
    /* by rows */
    int n_lines;
    decode_run *line; /* (n_lines) ascending rows, each with its number of weights; NULL: by columns */
    int *col;         /* the column of each weight */
    /* the same by columns; NULL: they are few */
    int *first;  /* (cols + 1) first weight of a column */
    int *to;     /* the row of each weight */
    void *w_col; /* N */
    /* by columns */
    bool finite;     /* every weight after rounding: then x[k] = 0 adds nothing */
    size_t *start;   /* (cols + 1) first run of a column */
    decode_run *run; /* weights follow each other in the order of the runs */
} decode_matrix;

/* Of one head of width 2: the rows whose keys (x, sign * y) are vertices of their upper hull (decode_near.inc). */
typedef struct {
    int *row;    /* (cap) ascending */
    int n, done; /* vertices; rows that were put in */
    int sign;    /* 1 or -1: that of the second number of queries; 0: there was none */
    int begun;   /* how many rows there were when the sign was chosen */
    int peak;    /* the vertex that the last query found */
    bool off;    /* x descends somewhere: this is no hull */
} decode_hull;

/* What a group remembers. Either rows: keys and values of the positions that a later query may see, in ascending
 * order of position, with some dead ones among them until the next compaction. Or sums over all
 * keys so far: of phi(k)_c * v_e and of phi(k)_c. */
typedef struct {
    const at_group *g;
    decode_matrix q, k, v, k2, v2, o;
    bool sums;
    int used, cap;        /* rows */
    int *pos;             /* (cap) */
    void *kc, *vc;        /* (cap, H*dk), (cap, H*dv) N */
    void *kc2, *vc2;      /* the same for three-wise */
    void *sum_kv, *sum_k; /* (H, dk, dv), (H, dk): N, or at_acc at p bits */
    int seen;             /* keys in the sums */
    bool lost;            /* rows were squeezed out since the last reset */
    /* Keys of weight 0 may be left out (decode_near.inc): */
    bool near;
    decode_hull *hull; /* (H), or NULL: not of width 2 */
    double *most;      /* (H*dk) the largest number of all keys */
    int wild;          /* the first row with an infinity or a NaN, if it is one of those in use */
    int *last;         /* (H) where the last scan found the largest score, */
    int *patience;     /* and how many queries will not be scanned */
} decode_group;

typedef struct {
    const at_block *b;
    decode_group *groups;   /* ATTN */
    decode_matrix *dense;   /* MLP, */
    decode_matrix *gate_of; /* and the gates of a gated one */
    decode_matrix w, u, o;  /* RNN, */
    void *h;                /* its state (S) N, */
    void *gate[2];          /* and scratch (G*S) N: of the input, of the state */
} decode_block;

struct decode_ops;

struct at_decoder {
    ref_ctx c; /* arena: this one; err: of the call */
    at_arena arena;
    const struct decode_ops *ops;
    bool exact_sums; /* p-bit: running sums are at_acc */
    int t;           /* positions done */
    decode_block *blocks;
    decode_matrix readout;
    void *x, *normed, *part, *result; /* (D) N; x: the last position after the last block */
    void *query, *mixed;              /* the widest H*dk, H*dv */
    void *before;                     /* (D): what parallel blocks read */
    void *hidden[3];                  /* the widest MLP layer, twice; the widest gate */
    const at_rotary *turn_of; /* the first rotary group, its angles N (feature_rows + 1, turn_width), */
    void *turn;               /* of which the last row is for others, */
    int turn_width, turned;   /* as wide as the widest; rows filled in */
    void *read;               /* (R) */
    int *live;                /* columns of an input that are not 0: the widest matrix */
    void *rounded;            /* sums of one head, rounded: the largest dk * (dv + 1) */
    at_output y;              /* of the last position */
    size_t scratch_rows, scratch_numbers;
    int *key, *every, *near; /* (scratch_rows) rows that the mask shows, all: 0, 1, ..., those of weight */
    uint64_t looked;         /* keys that were given to head_query so far */
    uint8_t *flag;           /* (scratch_rows) */
    void *s, *w, *z, *extra; /* (scratch_numbers) N: scores, weights, sorted, three-wise products */
    void *feature; /* (feature_rows + 1, n_features) N: position features of each t, each pos in turn;
                                the last row is of the t that is not kept */
    int n_features, feature_rows, featured; /* featured: rows filled in */
    at_cost cost;                           /* of what was done so far */
    /* For rewinding: all sums, N or at_acc, and states of cells after each of the first positions. */
    void *saved;      /* (save_rows + 1, sum_bytes) bytes, row t after t positions */
    size_t sum_bytes; /* of one position; 0: neither sums nor states */
    int save_rows;    /* the last t there is room for */
};

typedef struct decode_ops {
    size_t size; /* of N */
    bool near;   /* keys of weight 0 may be left out */
    at_status (*matrix)(at_decoder *d, int w, int b, int rows, int cols, decode_matrix *out);
    void (*step)(at_decoder *d,
                 const double *row); /* position t; row NULL: a prefix row. Memory is reserved. */
    void (*read)(at_decoder *d);     /* d->y from d->x */
} decode_ops;
extern const decode_ops ref_forward_f32_decode, ref_forward_f64_decode, ref_forward_pbit_decode;

/* The next position, a row known to be in the domain; row NULL: a prefix row of the model. */
at_status decoder_advance(at_decoder *d, const double *row, at_err *err);
/* Back to the beginning: as a new decoder, but memory and weights stay. */
at_status decoder_reset(at_decoder *d, at_err *err);
/* All that later positions depend on but their rows. state NULL: only *bytes. */
at_status decoder_state(const at_decoder *d, void *state, size_t *bytes, at_err *err);
/* Room for what decoder_rewind needs: the sums of the first positions, as far as that is little memory. */
at_status decoder_save_room(at_decoder *d, int positions, at_err *err);
void decoder_save(at_decoder *d); /* after a position: its sums, if there is room */
/* Back to after `positions` positions of those done since the reset; false: that is not possible. What a query of the
 * last position left is gone, so a position must be computed before the next readout. */
bool decoder_rewind(at_decoder *d, int positions);

#endif
