/* names.c: the kinds a model is made of, each named once, and small functions of them.
 *
 * The tables are used by the file format, by error messages and by `list`. Those of parts.def are made from its rows; another
 * new kind is one row here beside its enumerator. A missing row would be a NULL name: the model test walks every table. */
#include "model_internal.h"

#define PART(id, name, is, in, doc) [id] = {name, doc, is, in},
#define NAME(id, name, ...)         [id] = name,

const at_model_part at_weighting_parts[AT_WEIGHTINGS] = {
#define AT_WEIGHTING_ROW PART
#include <attest/parts.def>
};
const char *const at_weighting_names[AT_WEIGHTINGS] = {
#define AT_WEIGHTING_ROW NAME
#include <attest/parts.def>
};

bool at_weighting_hard(at_weighting w)
{
    return at_weighting_is(w, AT_IS_TIED);
}

const at_model_part at_mask_parts[AT_MASKS] = {
#define AT_MASK_ROW PART
#include <attest/parts.def>
};
const char *const at_mask_names[AT_MASKS] = {
#define AT_MASK_ROW NAME
#include <attest/parts.def>
};

const at_model_part at_post_parts[AT_POSTS] = {
#define AT_POST_ROW PART
#include <attest/parts.def>
};
const char *const at_post_names[AT_POSTS] = {
#define AT_POST_ROW NAME
#include <attest/parts.def>
};

const at_model_part at_pos_parts[AT_POS_KINDS] = {
#define AT_POS_ROW PART
#include <attest/parts.def>
};
const char *const at_pos_names[AT_POS_KINDS] = {
#define AT_POS_ROW NAME
#include <attest/parts.def>
};

const at_attention_part at_attention_parts[AT_ATTENTIONS] = {
#define AT_ATTENTION_ROW(id, name, weighting, mask, in, doc) [id] = {name, doc, weighting, mask, in},
#include <attest/parts.def>
};
const char *const at_attention_names[AT_ATTENTIONS] = {
#define AT_ATTENTION_ROW NAME
#include <attest/parts.def>
};

const char *const at_field_names[AT_FIELD_KINDS] = {
    [AT_FIELD_TOKEN] = "token",
    [AT_FIELD_SUBSET] = "subset",
    [AT_FIELD_REAL] = "real",
    [AT_FIELD_INT] = "int",
};

const at_model_part at_act_parts[AT_ACTS] = {
#define AT_ACT_ROW PART
#include <attest/parts.def>
};
const char *const at_act_names[AT_ACTS] = {
#define AT_ACT_ROW NAME
#include <attest/parts.def>
};

const at_model_part at_trait_parts[AT_TRAITS] = {
#define AT_TRAIT_ROW PART
#include <attest/parts.def>
};

const char *const at_pairing_names[AT_PAIRINGS] = {
    [AT_PAIR_HALVES] = "halves",
    [AT_PAIR_ADJACENT] = "adjacent",
};

const char *const at_norm_kind_names[AT_NORM_KINDS] = {[AT_NORM_LAYER] = "layer", [AT_NORM_RMS] = "rms"};

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
    [AT_READ_ARGMAX] = "argmax",       [AT_READ_SIGN] = "sign", [AT_READ_THRESHOLD] = "threshold",
    [AT_READ_ROUND] = "round",         [AT_READ_RAW] = "raw",   [AT_READ_SOFTMAX] = "softmax",
    [AT_READ_SPARSEMAX] = "sparsemax",
};

bool at_read_distribution(at_read_kind k)
{
    return k == AT_READ_SOFTMAX || k == AT_READ_SPARSEMAX;
}

bool at_read_numbers(at_read_kind k)
{
    return k == AT_READ_RAW || at_read_distribution(k);
}

at_weighting at_read_weighting(at_read_kind k)
{
    return k == AT_READ_SPARSEMAX ? AT_SPARSEMAX : AT_SOFTMAX;
}

const char *const at_stop_names[AT_STOPS] = {[AT_STOP_EQUALS] = "equals", [AT_STOP_STEPS] = "steps"};

int at_field_width(const at_field *f)
{
    switch (f->kind) {
    case AT_FIELD_SUBSET:
        return f->pick;
    case AT_FIELD_REAL:
    case AT_FIELD_INT:
        return f->size;
    case AT_FIELD_TOKEN:
        break;
    }
    return 1;
}

int at_pos_features(const at_pos *p)
{
    return at_pos_is(p->kind, AT_IS_SIZED) ? p->size : at_pos_is(p->kind, AT_IS_SHIFTED) ? 2 : 1;
}

int at_readout_words(const at_readout *r)
{
    switch (r->kind) {
    case AT_READ_ARGMAX:
        return r->rows;
    case AT_READ_SIGN:
    case AT_READ_THRESHOLD:
        return 2;
    case AT_READ_ROUND:
    case AT_READ_RAW:
    case AT_READ_SOFTMAX:
    case AT_READ_SPARSEMAX:
        break;
    }
    return 0;
}

int at_rnn_parts(at_rnn_cell c)
{
    return c == AT_CELL_GRU ? 3 : 1;
}

bool at_block_dense(const at_block *b)
{
    return b->kind == AT_BLOCK_MLP || b->kind == AT_BLOCK_FLATTEN;
}

bool at_block_gated(const at_block *b)
{
    return b->kind == AT_BLOCK_MLP && b->gated;
}

int64_t at_block_inputs(const at_model *m, const at_block *b)
{
    int64_t T = (int64_t)m->n_prefix + m->n_max + m->n_suffix;
    return (b->kind == AT_BLOCK_FLATTEN ? T : 1) * m->width;
}

bool at_mask_allows(const at_mask *m, int i, int j)
{
    switch (m->kind) {
    case AT_MASK_NONE:
        return true;
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
    }
    return false;
}
