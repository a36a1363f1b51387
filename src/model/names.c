/* names.c: the kinds a model is made of, each named once.
 *
 * The tables are used by the file format, by error messages and by `list`; a new kind is one row here
 * beside its enumerator. A missing row would be a NULL name: the model test walks every table. */
#include "model_internal.h"

const char *const at_weighting_names[AT_WEIGHTINGS] = {
    [AT_SOFTMAX] = "softmax",
    [AT_LEFTMOST_HARD] = "leftmost-hard",
    [AT_RIGHTMOST_HARD] = "rightmost-hard",
    [AT_AVERAGE_HARD] = "average-hard",
    [AT_SPARSEMAX] = "sparsemax",
    [AT_LINEAR] = "linear",
    [AT_THREEWISE] = "threewise",
};

bool at_weighting_hard(at_weighting w)
{
    return w == AT_LEFTMOST_HARD || w == AT_RIGHTMOST_HARD || w == AT_AVERAGE_HARD;
}

const char *const at_mask_names[AT_MASKS] = {
    [AT_MASK_NONE] = "none",
    [AT_MASK_CAUSAL] = "causal",
    [AT_MASK_STRICT] = "strict",
    [AT_MASK_FUTURE] = "future",
    [AT_MASK_STRICT_FUTURE] = "strict-future",
    [AT_MASK_BLOCK_SPARSE] = "block-sparse",
};

const char *const at_post_names[AT_POSTS] = {
    [AT_POST_ID] = "id",
    [AT_POST_NEG_RELU] = "neg-relu",
    [AT_POST_NEG_ABS] = "neg-abs",
};

const char *const at_pos_names[AT_POS_KINDS] = {
    [AT_POS_I] = "i",
    [AT_POS_I2] = "i^2",
    [AT_POS_INV_I] = "1/i",
    [AT_POS_INV_I2] = "1/i^2",
    [AT_POS_I_OVER_N] = "i/n",
    [AT_POS_I_OVER_N3] = "i/n^3",
    [AT_POS_N] = "n",
    [AT_POS_ALTERNATE] = "alternate",
    [AT_POS_SINUSOIDAL] = "sinusoidal",
    [AT_POS_SQRT_PAIR] = "sqrt-pair",
    [AT_POS_TABLE] = "table",
};

const char *const at_field_names[AT_FIELD_KINDS] = {
    [AT_FIELD_TOKEN] = "token",
    [AT_FIELD_SUBSET] = "subset",
    [AT_FIELD_REAL] = "real",
    [AT_FIELD_INT] = "int",
};

const char *const at_act_names[AT_ACTS] = {[AT_ACT_RELU] = "relu", [AT_ACT_GELU] = "gelu"};

const char *const at_block_names[AT_BLOCK_KINDS] = {
    [AT_BLOCK_ATTN] = "attn",
    [AT_BLOCK_MLP] = "mlp",
    [AT_BLOCK_RNN] = "rnn",
    [AT_BLOCK_FLATTEN] = "flatten",
};

const char *const at_rnn_cell_names[AT_CELLS] = {[AT_CELL_TANH] = "tanh", [AT_CELL_GRU] = "gru"};

const char *const at_norm_names[AT_NORMS] = {
    [AT_NORM_NONE] = "none",
    [AT_NORM_PRE] = "pre",
    [AT_NORM_POST] = "post",
};

const char *const at_read_names[AT_READS] = {
    [AT_READ_ARGMAX] = "argmax", [AT_READ_SIGN] = "sign", [AT_READ_THRESHOLD] = "threshold",
    [AT_READ_ROUND] = "round",   [AT_READ_RAW] = "raw",
};

const char *const at_stop_names[AT_STOPS] = {[AT_STOP_EQUALS] = "equals", [AT_STOP_STEPS] = "steps"};

int at_field_width(const at_field *f)
{
    switch (f->kind) {
    case AT_FIELD_SUBSET:
        return f->pick;
    case AT_FIELD_REAL:
    case AT_FIELD_INT:
        return f->size;
    default:
        return 1;
    }
}

int at_pos_features(const at_pos *p)
{
    switch (p->kind) {
    case AT_POS_SINUSOIDAL:
    case AT_POS_TABLE:
        return p->size;
    case AT_POS_SQRT_PAIR:
        return 2;
    default:
        return 1;
    }
}

int at_rnn_parts(at_rnn_cell c)
{
    return c == AT_CELL_GRU ? 3 : 1;
}

bool at_block_dense(const at_block *b)
{
    return b->kind == AT_BLOCK_MLP || b->kind == AT_BLOCK_FLATTEN;
}

int64_t at_block_inputs(const at_model *m, const at_block *b)
{
    int64_t T = (int64_t)m->n_prefix + m->n_max + m->n_suffix;
    return (b->kind == AT_BLOCK_FLATTEN ? T : 1) * m->width;
}

bool at_mask_allows(const at_mask *m, int i, int j)
{
    switch (m->kind) {
    case AT_MASK_CAUSAL:
        return j <= i;
    case AT_MASK_STRICT:
        return j < i;
    case AT_MASK_FUTURE:
        return j >= i;
    case AT_MASK_STRICT_FUTURE:
        return j > i;
    case AT_MASK_BLOCK_SPARSE:
        /* The definition is 1-based, so its (j-1) is our j; the window i - kB < j is the same in both. */
        return j <= i &&
               ((int64_t)i - (int64_t)m->windows * m->block < j || j % m->block >= m->block - m->ends);
    default:
        return true;
    }
}
