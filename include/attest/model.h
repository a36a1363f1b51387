/* model.h: a transformer as plain data. Nothing in it says whether it was proved, compiled or trained.
 *
 * Legend: n user positions, T = prefix + n + suffix positions, D residual width, H heads in a group,
 *         dk query/key width of a head, dv value width of a head, R readout rows.
 *
 *     at_model m;
 *     at_model_init(&m);
 *     ... fill in the architecture ...
 *     at_model_layout(&m, &err);                  // validates, builds the tensor table, zero weights
 *     double *q = at_model_data(&m, m.blocks[0].groups[0].q);      // (H*dk, D), row-major
 *     at_model_save(&m, "model.safetensors", &err);
 *     at_model_release(&m);
 *
 * What a model computes, for positions t = 0..T-1 (index i = t + pos_origin):
 *   x[t]  = sum of embeddings (fields, prefix/suffix rows, position features)
 *   block: y = x, or norm(x) when norm == PRE
 *     ATTN y -> sum over groups of O * concat_h mix_h(y) + biases
 *     MLP  y -> dense layers, activation between them, none after the last
 *     RNN  y -> O h, h the state of a recurrent cell that reads the T positions from the left, 0 before them
 *     FLATTEN y -> an MLP of all T rows side by side as one row (T*D), and back into T rows: only when n_min == n_max
 *     x = (residual ? x : 0) + result; x = norm(x) when norm == POST
 *   out = readout.w * (final_norm ? norm(x) : x) + readout.b, at all user positions or at the last of T.
 */
#ifndef ATTEST_MODEL_H
#define ATTEST_MODEL_H

#include <attest/core.h>

#define AT_NAME_MAX    63     /* bytes in a name */
#define AT_MAX_WIDTH   65536  /* D, dk*H, MLP layer width */
#define AT_MAX_ROWS    262144 /* R */
#define AT_MAX_LENGTH  1048576
#define AT_MAX_BLOCKS  512
#define AT_MAX_GROUPS  4096
#define AT_MAX_FIELDS  16
#define AT_WORD_MAX    31   /* bytes in the word of a token */
#define AT_MAX_WORDS   4096 /* words of a field */
#define AT_MAX_WEIGHTS ((size_t)1 << 31)

/* ---- the table of parts --------------------------------------------------------------------- */

/* Weightings, masks, functions after the score and position features are rows of parts.def: its name in files, what it is,
 * who takes it, and a line about it. An enumeration counts its members beside it (AT_WEIGHTINGS), not in it: a switch over
 * it has a case for each, and no other.
 *
 * What a part is. Weightings: */
enum {
    AT_IS_EXP = 1,        /* weights exp(score) over their sum                                          */
    AT_IS_TIED = 1 << 1,  /* hard: keys within `tie` of the largest score                                */
    AT_IS_ONE = 1 << 2,   /* ... of which one gets all weight, the first ...                             */
    AT_IS_LAST = 1 << 3,  /* ... or the last                                                             */
    AT_IS_LEVEL = 1 << 4, /* max(0, score - level), the level such that they sum to 1                    */
    AT_IS_PHI = 1 << 5,   /* phi(q).phi(k) over their sum: scale and post have no part in it             */
    AT_IS_PAIRS = 1 << 6, /* over pairs of keys: a second key and value (k2, v2)                         */
    /* Masks: */
    AT_IS_PAST = 1 << 7,     /* no key after the query                                                    */
    AT_IS_FUTURE = 1 << 8,   /* no key before it                                                          */
    AT_IS_STRICT = 1 << 9,   /* not its own key                                                           */
    AT_IS_BLOCKS = 1 << 10,  /* has block, windows and ends                                               */
    AT_IS_ALL = 1 << 11,     /* every key                                                                 */
    AT_IS_GROWING = 1 << 12, /* a query's keys are those of the one before it, and one more              */
    /* Functions after the score: */
    AT_IS_SAME = 1 << 13, /* changes nothing                                                             */
    /* Position features: */
    AT_IS_WHOLE = 1 << 14,    /* integers                                                                 */
    AT_IS_MOVING = 1 << 15,   /* depends on the length                                                    */
    AT_IS_SIZED = 1 << 16,    /* has a size: so many features, in pairs                                   */
    AT_IS_SHIFTED = 1 << 17,  /* has a shift                                                              */
    AT_IS_ROWS = 1 << 18,     /* a row of its tensor a position, instead of features times a matrix       */
    AT_IS_POSITIVE = 1 << 19, /* of indices from 1 on                                                    */
    AT_IS_UNIT = 1 << 20,     /* in -1..1 at all lengths (i/n: where indices begin at 0 or 1)            */
    /* Activations: */
    AT_IS_RELU = 1 << 21, /* max(0, z)                                                                   */
    AT_IS_ERF = 1 << 22   /* z Phi(z)                                                                    */
};
/* The families of weightings, of which each definition above is all that there is to know: executors have a kernel for each.
 * A weighting of no family is a function of a row of scores (src/exec/weightings.inc), and is run as such. */
#define AT_IS_FAMILIES (AT_IS_EXP | AT_IS_TIED | AT_IS_LEVEL | AT_IS_PHI)
/* Who takes it, of those that do not take every one. */
enum {
    AT_IN_EXACT = 1,         /* exact arithmetic                                                         */
    AT_IN_DECODE = 1 << 1,   /* decoders                                                                 */
    AT_IN_BATCH = 1 << 2,    /* batched decoding                                                         */
    AT_IN_SPLIT = 1 << 3,    /* protocols: sums split between holders of keys; circuits at p bits        */
    AT_IN_TURNS = 1 << 4,    /* parties that speak in turn, from the left                                */
    AT_IN_TRAIN = 1 << 5,    /* training                                                                 */
    AT_IN_FAMILY = 1 << 6,   /* ... by the fast engine                                                   */
    AT_IN_CERTIFY = 1 << 7,  /* certificates by cases                                                    */
    AT_IN_LAYER = 1 << 8,    /* refuters of one layer                                                    */
    AT_IN_PROGRAM = 1 << 9,  /* programs                                                                 */
    AT_IN_ANALYSE = 1 << 10, /* whoever computes from the weights by itself, instead of running the model:
                                extraction, circuits, influence, refuters, certificates                  */
    AT_IN_EXPORT = 1 << 11   /* files of other tools                                                     */
};
typedef struct {
    const char *name, *doc;
    unsigned is, in;
} at_model_part;

/* ---- inputs ------------------------------------------------------------------------------- */

typedef enum {
    AT_FIELD_TOKEN,  /* one integer 0..size-1; table (size, width)                              */
    AT_FIELD_SUBSET, /* a pick-subset of 1..size as pick integers; table (C(size,pick), width),
                        row = colexicographic rank                                              */
    AT_FIELD_REAL,   /* size reals in [lo,hi]; matrix (size, width): adds v * W                 */
    AT_FIELD_INT,    /* size integers in [lo,hi]; the same                                      */
} at_field_kind;
#define AT_FIELD_KINDS ((int)AT_FIELD_INT + 1)

/* An embedding writes its (rows, width) tensor's contribution to residual coordinates col..col+width-1. */
typedef struct {
    int col, width;
    int tensor; /* set by at_model_layout */
} at_embed;

/* What a person writes for a token: no blanks, not empty; where there are several fields also no '/' and ','. */
typedef struct {
    char s[AT_WORD_MAX + 1];
} at_word;

typedef struct {
    char name[AT_NAME_MAX + 1];
    at_field_kind kind;
    int size, pick; /* pick: SUBSET only */
    double lo, hi;  /* REAL and INT: range of each component */
    at_embed embed;
    at_word *words; /* TOKEN: NULL, or `size` different ones that inputs are written in instead of numbers */
} at_field;

/* Numbers a field takes in an input row: 1, pick, size, size. */
int at_field_width(const at_field *f);

/* Position features, functions of the index i and the length T. 1/i and 1/i^2 need i >= 1; sinusoidal: sin, cos of
 * i / 10000^(2k/size), k < size/2, size features, size even; sqrt-pair: 2 features, i + shift >= 1; table: row i - pos_origin of a
 * table with `size` rows, any encoding. */
typedef enum {
#define AT_POS_ROW(id, ...) id,
#include <attest/parts.def>
} at_pos_kind;
enum {
    at_count_pos_kinds = 0
#define AT_POS_ROW(...) +1
#include <attest/parts.def>
};
#define AT_POS_KINDS ((int)at_count_pos_kinds)
extern const at_model_part at_pos_parts[AT_POS_KINDS];
typedef struct {
    at_pos_kind kind;
    int size;       /* SINUSOIDAL: features; TABLE: rows (at least the largest T); else ignored */
    int shift;      /* SQRT_PAIR only */
    at_embed embed; /* tensor (features, width); TABLE: (size, width) */
} at_pos;
int at_pos_features(const at_pos *p); /* rows of its tensor: 1, 2 or size */
static inline bool at_pos_is(at_pos_kind k, unsigned is)
{
    return at_pos_parts[k].is & is;
}

/* ---- blocks ------------------------------------------------------------------------------- */

/* linear: post must be the identity. threewise: pairs (j1,j2), score sum_k q_ik k_j1k k2_j2k, value v_j1 * v2_j2 elementwise. */
typedef enum {
#define AT_WEIGHTING_ROW(id, ...) id,
#include <attest/parts.def>
} at_weighting;
enum {
    at_count_weightings = 0
#define AT_WEIGHTING_ROW(...) +1
#include <attest/parts.def>
};
#define AT_WEIGHTINGS ((int)at_count_weightings)
extern const at_model_part at_weighting_parts[AT_WEIGHTINGS];
static inline bool at_weighting_is(at_weighting w, unsigned is)
{
    return at_weighting_parts[w].is & is;
}
bool at_weighting_hard(at_weighting w); /* leftmost, rightmost, average: those with a tie */

typedef enum {
#define AT_MASK_ROW(id, ...) id,
#include <attest/parts.def>
} at_mask_kind;
enum {
    at_count_masks = 0
#define AT_MASK_ROW(...) +1
#include <attest/parts.def>
};
#define AT_MASKS ((int)at_count_masks)
extern const at_model_part at_mask_parts[AT_MASKS];
static inline bool at_mask_is(at_mask_kind k, unsigned is)
{
    return at_mask_parts[k].is & is;
}
/* causal j<=i, strict j<i, future j>=i, strict future j>i,
 * block-sparse {j : i-kB < j <= i} or {j <= i : (j-1) mod B >= B-c}, all 1-based over the T positions.
 * A fully masked row yields zeros. */
typedef struct {
    at_mask_kind kind;
    int block, windows, ends; /* BLOCK_SPARSE: B, k, c with 1 <= c <= B, k >= 1 */
} at_mask;
bool at_mask_allows(const at_mask *m, int i, int j); /* 0-based t indices */

typedef enum {
#define AT_POST_ROW(id, ...) id,
#include <attest/parts.def>
} at_post;
enum {
    at_count_posts = 0
#define AT_POST_ROW(...) +1
#include <attest/parts.def>
};
#define AT_POSTS ((int)at_count_posts)
extern const at_model_part at_post_parts[AT_POSTS];
static inline bool at_post_is(at_post p, unsigned is)
{
    return at_post_parts[p].is & is;
}

/* Attentions of decoders: those that are compiled, trained, swept and drawn. The first AT_TRAINED_ATTENTIONS are trained. */
typedef enum {
#define AT_ATTENTION_ROW(id, ...) id,
#include <attest/parts.def>
} at_attention_kind;
enum {
    at_count_attentions = 0
#define AT_ATTENTION_ROW(...) +1
#include <attest/parts.def>
    ,
    at_count_trained = 0
#define AT_ATTENTION_ROW(id, name, weighting, mask, in, doc) +!!((in)&AT_IN_FAMILY)
#include <attest/parts.def>
};
#define AT_ATTENTIONS         ((int)at_count_attentions)
#define AT_TRAINED_ATTENTIONS ((int)at_count_trained)
typedef struct {
    const char *name, *doc;
    at_weighting weighting;
    at_mask_kind mask;
    unsigned in;
} at_attention_part;
extern const at_attention_part at_attention_parts[AT_ATTENTIONS];
extern const char *const at_attention_names[AT_ATTENTIONS];

/* Rotary positions: of every head, before scores, the first `width` coordinates of query and key are turned in pairs. Pair p of a
 * position with index i is turned by the angle i / theta^(2p/width). */
typedef enum {
    AT_PAIR_HALVES,   /* coordinates p and p + width/2 */
    AT_PAIR_ADJACENT, /* 2p and 2p + 1 */
} at_pairing;
#define AT_PAIRINGS ((int)AT_PAIR_ADJACENT + 1)
typedef struct {
    int width;    /* 0: no rotary positions; else even, at most dk */
    double theta; /* 1..1e12 */
    at_pairing pairing;
} at_rotary;

typedef struct {
    int heads, dk, dv;
    at_weighting weighting;
    at_post post;
    double scale; /* score = post(scale * q.k) */
    double tie;   /* the three hard ones: >= 0 */
    at_mask mask;
    bool bias;
    at_rotary rotary; /* not with pairs of keys */
    bool alibi;       /* score = post(scale * q.k) - slope_h |i - j|; not with pairs of keys, nor with phi */
    int rounded; /* 0, or of phi under a growing mask: it is run only where its sums over keys are kept as numbers of so many
                         bits, rounded after every token */
    /* tensors: q k (H*dk, D), v (H*dv, D), o (D, H*dv); with bias: qb kb (H*dk) vb (H*dv) ob (D);
     * THREEWISE: k2 (H*dk, D), v2 (H*dv, D), k2b, v2b; alibi: slope (H). -1 when absent. */
    int q, k, v, o, qb, kb, vb, ob, k2, v2, k2b, v2b, slope;
    const char *name; /* NULL, or what its heads are for (at_model_name_head); no part of the hash */
} at_group;

typedef enum {
#define AT_ACT_ROW(id, ...) id,
#include <attest/parts.def>
} at_act;
enum {
    at_count_acts = 0
#define AT_ACT_ROW(...) +1
#include <attest/parts.def>
};
#define AT_ACTS ((int)at_count_acts)
extern const at_model_part at_act_parts[AT_ACTS];
static inline bool at_act_is(at_act a, unsigned is)
{
    return at_act_parts[a].is & is;
}
/* gelu-tanh is z / (1 + exp(-AT_GELU_SLOPE (z + AT_GELU_CUBE z^3))): these two doubles, the first near 2 sqrt(2/pi). */
#define AT_GELU_SLOPE 1.5957691216057308
#define AT_GELU_CUBE  0.044715
typedef struct {
    int rows;   /* units of this layer */
    int w, b;   /* tensors (rows, previous rows or D), (rows) */
    int gw, gb; /* the same of the gate, in all layers but the last of a gated MLP; else -1 */
} at_dense;

/* With s(x) = 1/(1+exp(-x)), y what is read at a position and h the state before it:
 *   tanh  h = tanh(W y + U h + b)
 *   gru   r = s(Wr y + Ur h + br), z = s(Wz y + Uz h + bz), c = tanh(Wc y + bc + r (Uc h + ub)), h = (1-z) c + z h
 * The three parts of a GRU lie in this order in w, u and b. */
typedef enum { AT_CELL_TANH, AT_CELL_GRU } at_rnn_cell;
#define AT_CELLS ((int)AT_CELL_GRU + 1)
typedef struct {
    at_rnn_cell cell;
    int state;              /* S: width of h; GRU: 3 S <= AT_MAX_WIDTH */
    int w, u, b, ub, o, ob; /* tensors (G*S, D), (G*S, S), (G*S), GRU: (S), (D, S), (D); G = 1, GRU: 3 */
} at_rnn;
int at_rnn_parts(at_rnn_cell c); /* G */

typedef enum { AT_BLOCK_ATTN, AT_BLOCK_MLP, AT_BLOCK_RNN, AT_BLOCK_FLATTEN } at_block_kind;
#define AT_BLOCK_KINDS ((int)AT_BLOCK_FLATTEN + 1)
typedef enum { AT_NORM_NONE, AT_NORM_PRE, AT_NORM_POST } at_norm;
#define AT_NORMS ((int)AT_NORM_POST + 1)
typedef enum {
    AT_NORM_LAYER, /* (x - mean) / sqrt(variance + eps) * g + b */
    AT_NORM_RMS,   /* x / sqrt(mean of squares + eps) * g + b   */
} at_norm_kind;
#define AT_NORM_KINDS ((int)AT_NORM_RMS + 1)
typedef struct {
    at_block_kind kind;
    bool residual;
    /* ATTN, MLP: the block reads what the block before it read, not what that one left. Both have a residual and no POST norm. */
    bool parallel;
    bool gated; /* MLP of two layers or more: a hidden layer is act(gw y + gb) * (w y + b) */
    at_norm norm;
    at_norm_kind norm_kind;
    double norm_eps;
    int norm_g, norm_b; /* tensors (D); -1 without norm */
    at_group *groups;   /* ATTN */
    int n_groups;
    at_act act; /* MLP, FLATTEN */
    at_dense *
        dense; /* MLP: n_dense >= 1, the last has D rows; FLATTEN: T*D rows, and as many inputs of the first */
    int n_dense;
    at_rnn rnn; /* RNN */
} at_block;

/* ---- readout ------------------------------------------------------------------------------- */

typedef enum {
    AT_READ_ARGMAX,    /* index of the largest of R                 */
    AT_READ_SIGN,      /* each of R: 1 if > 0, 0 if < 0             */
    AT_READ_THRESHOLD, /* each of R: 1 if > threshold, else 0       */
    AT_READ_ROUND,     /* each of R: nearest integer                */
    AT_READ_RAW,       /* R reals                                   */
    AT_READ_SOFTMAX,   /* probabilities of R: exp(value) over their sum */
    AT_READ_SPARSEMAX, /* probabilities of R: the point of the simplex nearest to the values */
} at_read_kind;
#define AT_READS ((int)AT_READ_SPARSEMAX + 1)
bool at_read_numbers(at_read_kind k);           /* decisions are R numbers: raw, or probabilities */
bool at_read_distribution(at_read_kind k);      /* softmax, sparsemax */
at_weighting at_read_weighting(at_read_kind k); /* of a distribution: the weighting of this name */
typedef struct {
    at_read_kind kind;
    int rows; /* R */
    double threshold;
    bool last; /* only the last of the T positions, instead of every user position */
    bool tied; /* w is the table of field 0: one TOKEN of R, in all D columns */
    bool final_norm;
    at_norm_kind norm_kind;
    double norm_eps;
    int norm_g, norm_b; /* tensors (D) */
    int w, b;           /* tensors (R, D), (R) */
    at_word *words;     /* NULL, or what decisions are called: at_readout_words(r) of them */
} at_readout;
int at_readout_words(
    const at_readout *r); /* decisions that can have a word: argmax R, sign and threshold 2, else 0 */

/* ---- decoding ------------------------------------------------------------------------------ */

/* A decoder is a model that continues its own input: the readout at the last position is the next row.
 *   argmax, one token field      the next token; R <= size
 *   round, only integer fields   the next row, each coordinate to the nearest integer; R == row width
 * Because a row must not change what came before it, a decoder has masks causal, strict and block-sparse
 * only, no suffix, and no position feature of the length (i/n, i/n^3, n); others are refused by name.
 * n_max bounds prompt and generated rows together. A prompt of another length than prompt_min..prompt_max
 * is refused, and one with a row outside its stretch. */
typedef enum {
    AT_STOP_EQUALS, /* after the row whose number `coordinate` equals `value` (a token model: coordinate 0) */
    AT_STOP_STEPS,  /* after max_steps rows; prompt_max + max_steps <= n_max                             */
} at_stop_kind;
#define AT_STOPS ((int)AT_STOP_STEPS + 1)
/* Rows of a prompt that come one after the other, and what their numbers may be. */
typedef struct {
    int rows_min, rows_max; /* 0 <= rows_min <= rows_max, rows_max >= 1 */
    int width;              /* numbers in lo and in hi: those of a row */
    double *lo, *hi;        /* integers inside the ranges of their fields */
} at_stretch;
#define AT_MAX_STRETCHES 64
typedef struct {
    bool enabled; /* false: not a decoder, the rest is ignored and not stored */
    at_stop_kind stop;
    int coordinate;             /* EQUALS: of the row, 0-based */
    double value;               /* EQUALS: an integer that the coordinate can be */
    int max_steps;              /* 1..n_max; EQUALS: as many rows without a stop are no answer */
    int prompt_min, prompt_max; /* n_min <= prompt_min <= prompt_max < n_max */
    /* What a prompt is, from its first row to its last; at most one stretch has rows_min < rows_max, and their sums are
     * prompt_min and prompt_max. NULL: any rows in the ranges of the fields. */
    at_stretch *prompt;
    int n_prompt;
} at_decode;

/* ---- the model ----------------------------------------------------------------------------- */

typedef struct {
    char name[AT_NAME_MAX + 1]; /* e.g. "block.0.attn.0.q" */
    int rank;
    int64_t shape[2];
    size_t offset, count; /* in weights */
} at_tensor;

typedef struct {
    char name[AT_NAME_MAX + 1]; /* a named residual subspace */
    int col, width;
} at_subspace;

typedef struct {
    char name[AT_NAME_MAX + 1];
    int width;        /* D */
    int n_min, n_max; /* domain of user lengths; outside it the model refuses */
    int pos_origin;   /* index of the first of the T positions, usually 1 */
    at_field *fields;
    int n_fields;
    at_pos *pos;
    int n_pos;
    int n_prefix, n_suffix;
    at_embed prefix, suffix; /* tensors (n_prefix, width), (n_suffix, width) */
    at_block *blocks;
    int n_blocks;
    at_readout readout;
    at_decode decode;
    at_subspace *subspaces;
    int n_subspaces;
    const char *problem; /* NULL, or what it is for, as at_model_remember takes it; no part of its hash */
    const char *
        arithmetic; /* NULL, or the one that its error bounds were proved for (at_model_made_for); no part of its hash */
    bool f32; /* stored on disk as F32 (every weight is a float) instead of F64 */

    at_tensor *tensors; /* the one tensor table */
    int n_tensors;
    double *weights;
    size_t n_weights;
    at_arena arena; /* owns all of the above */
} at_model;

void at_model_init(at_model *m);
void at_model_release(at_model *m);
/* Validates the architecture (ranges, sizes, combinations), fills in every tensor id and the tensor
 * table, allocates zero weights. Fails naming the offending part and the allowed range. */
at_status at_model_layout(at_model *m, at_err *err);
/* The same without weights: m->weights stays NULL and there may be more than AT_MAX_WEIGHTS of them. For sizes and
 * costs; such a model cannot be run, copied, saved or validated. */
at_status at_model_shape(at_model *m, at_err *err);
/* What at_model_layout validates, for a model that has weights already: also that they are finite. */
at_status at_model_validate(const at_model *m, at_err *err);
double *at_model_data(const at_model *m, int tensor); /* NULL for -1, and without weights */
/* The first i >= from with w[i] not +0, n when there is none: how to meet the weights of a model that is mostly zeros. */
size_t at_weights_skip(const double *w, size_t from, size_t n); /* the same, better where zeros are many */
static inline size_t at_weights_next(const double *w, size_t from, size_t n)
{
    return from < n && w[from] != 0 ? from : at_weights_skip(w, from, n);
}
int at_model_row_width(const at_model *m); /* numbers a position takes in an input */
/* Is it an MLP whose hidden layers have gates? (Other blocks ignore `gated`.) */
bool at_block_gated(const at_block *b);
/* Does the block have dense layers, and how many numbers does the first read: D, or T*D of the longest T? */
bool at_block_dense(const at_block *b);
int64_t at_block_inputs(const at_model *m, const at_block *b);

/* What the model is for, a note that goes with its file: "match2 N=6 M=11", or of a problem in a file its last name and the SHA-256
 * of its text, "my.dp sha256=<64 digits> n=4". NULL: nothing. What is no such line is refused. */
#define AT_PROBLEM_TEXT 1000 /* bytes */
at_status at_model_remember(at_model *m, const char *problem, at_err *err);

/* The arithmetic in which the model was proved right when it was made, by its name ("f64", "p12e8"; "exact": over the reals), a note
 * that goes with its file. NULL: none, as for what was trained. What looks like no such name is refused. */
#define AT_ARITHMETIC_TEXT 15 /* bytes */
at_status at_model_made_for(at_model *m, const char *arithmetic, at_err *err);

/* What the heads of a group are for, a note that goes with the file, as people know it: the step of a program that they were made
 * from. Characters that act become '?', and what is longer than AT_NAME_MAX bytes is shortened. NULL: nothing. */
at_status at_model_name_head(at_model *m, int block, int group, const char *name, at_err *err);

/* How people count a head, from 1: attention layers, and heads through all groups of the layer. */
void at_head_number(const at_model *m, int block, int group, int head, int *layer, int *number);

/* Deep copy into out (initialised by this call). */
at_status at_model_copy(const at_model *m, at_model *out, at_err *err);

/* safetensors with the architecture as JSON under __metadata__["attest"]. Load validates everything
 * before use and estimates cost before allocating. */
at_status at_model_save(const at_model *m, const char *path, at_err *err);
at_status at_model_load(at_model *m, const char *path, at_err *err);
at_status at_model_parse(at_model *m, const char *bytes, size_t n, const char *path, at_err *err);
/* What the file of a model says that it is for, read from its header alone; *problem is freed with at_free, NULL: nothing. Of what
 * is no regular file (a pipe is read once) nothing is known. */
at_status at_model_load_problem(const char *path, char **problem, at_err *err);
/* The canonical file image, what at_model_save writes, matrices of zeros sparse; freed with at_free. */
at_status at_model_image(const at_model *m, char **bytes, size_t *n, at_err *err);
/* sha-256 of the canonical image with nothing sparse and no notes (problem, arithmetic, names of heads), as 64 hex digits: the model's identity in the
 * ledger, however it is stored and whatever it is for. */
at_status at_model_hash(const at_model *m, char out[65], at_err *err);
void at_sha256(const void *data, size_t n, char out[65]); /* of anything; out may overlap data */

typedef struct {
    int layers;      /* attention blocks */
    int mlps, heads; /* heads: the most in any one block; a FLATTEN is an MLP here */
    int width;       /* D */
    int head_dim;    /* largest dk or dv */
    int hidden;      /* widest MLP layer, or state of an RNN */
    int rnns;
    /* Numbers that a row offers to those that look at it: a score and dv values a head, the most in any one block. Three-wise heads look
     * at pairs: theirs are counted as if it were at one row. */
    int offered;
    size_t parameters, nonzero;
    double largest; /* largest |weight| or scale */
} at_size;          /* without weights: nonzero is 0, largest of scales only */
void at_model_size(const at_model *m, at_size *out);

/* What a model may have besides weightings, masks, posts, positions and activations: rows of parts.def, too. */
typedef enum {
#define AT_TRAIT_ROW(id, ...) id,
#include <attest/parts.def>
} at_trait;
enum {
    at_count_traits = 0
#define AT_TRAIT_ROW(...) +1
#include <attest/parts.def>
};
#define AT_TRAITS ((int)at_count_traits)
extern const at_model_part at_trait_parts[AT_TRAITS];
/* The first block that has the trait; n_blocks: the readout; -1: nobody. */
int at_model_trait(const at_model *m, at_trait t);
/* Refuses by name the first activation or trait that is not taken by `in` (AT_IN_*); who: "training". */
at_status at_model_takes(const at_model *m, unsigned in, const char *who, at_err *err);

/* Names for the enumerations above: one table each, used by the file format, errors and `list`. */
extern const char *const at_weighting_names[AT_WEIGHTINGS];
extern const char *const at_mask_names[AT_MASKS];
extern const char *const at_post_names[AT_POSTS];
extern const char *const at_pos_names[AT_POS_KINDS];
extern const char *const at_field_names[AT_FIELD_KINDS];
extern const char *const at_act_names[AT_ACTS];
extern const char *const at_block_names[AT_BLOCK_KINDS];
extern const char *const at_rnn_cell_names[AT_CELLS];
extern const char *const at_norm_names[AT_NORMS];
extern const char *const at_norm_kind_names[AT_NORM_KINDS];
extern const char *const at_pairing_names[AT_PAIRINGS];
extern const char *const at_read_names[AT_READS];
extern const char *const at_stop_names[AT_STOPS];

/* ---- inputs of a model ----------------------------------------------------------------------- */

/* n rows of at_model_row_width numbers; integers are exact doubles. */
typedef struct {
    int n;
    const double *v;
} at_input;
/* Is x in the model's domain? The message names the position, the field and the range. */
at_status at_input_check(const at_model *m, const at_input *x, at_err *err);
/* The same for one row of any length of input; position (from 1) is for the message. */
at_status at_input_check_row(const at_model *m, const double *row, int position, at_err *err);
/* One line of text: positions separated by blanks, fields of a position by '/', components by ','. In a prompt of rows of
 * integers a number alone is the first field with zeros behind it, and '|' is the row of zeros that a prompt has at that
 * place (docs/model.md); where all prompts have one length and end in it, it may be left out. */
at_status at_input_parse(const at_model *m, const char *line, at_arena *a, at_input *out, at_err *err);
void at_input_print(const at_model *m, const at_input *x, at_text *out);
/* One row: a label. position: its place in the input, from 0; -1: the model wrote it. */
void at_input_print_row(const at_model *m, const double *row, int position, at_text *out);
void at_written_print(const at_model *m, const at_input *rows, at_text *out); /* rows that the model wrote */

/* Is x a prompt of the decoder? The message says what its prompts are. */
at_status at_prompt_check(const at_model *m, const at_input *x, at_err *err);
/* The same of a number of rows. */
at_status at_prompt_check_length(const at_model *m, int64_t n, at_err *err);
/* A line as at_input_parse reads it, and it must be a prompt. */
at_status at_prompt_parse(const at_model *m, const char *line, at_arena *a, at_input *out, at_err *err);
/* Either of the two, and where a fault stands: bytes from the beginning of the line, 0 where it is the line as a whole. */
at_status at_line_parse(const at_model *m, bool prompt, const char *line, at_arena *a, at_input *out,
                        size_t *place, at_err *err);
/* What prompts are: "3 rows of 1..26, 4 rows of 1..26, |" */
void at_prompt_print(const at_model *m, at_text *out);
/* What one decision of the readout says, as a person reads it. Where it is a token with a word (argmax over the words of the only
 * field) that word, else the number, with all its digits. Whoever shows a decision calls this. */
void at_decision_print(const at_model *m, double decision, at_text *out);
/* The word alone; NULL where decisions are numbers. */
const char *at_decision_word(const at_model *m, double decision);

/* Combinations: C(n,k) (saturating at INT64_MAX), the rank of an ascending k-subset of 1..n, and back. */
int64_t at_choose(int64_t n, int k);
int64_t at_subset_rank(const double *elements, int k); /* elements in any order, distinct, 1-based */
void at_subset_unrank(int64_t rank, int k, int *elements);

#endif
