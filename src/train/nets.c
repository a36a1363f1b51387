/* nets.c: random models to start a training from, where the fast family is not what is wanted: attention of pairs or of triples, with or
 * without a mask, and its rivals, recurrent and feed-forward nets.
 *
 *     attention, three-wise   token + learned position; layers of x += attend(norm(x)), x += fc2(gelu(fc1(norm(x)))); norm; head
 *     rnn                     token; layers of x = O h; head
 *     ffn                     token; one FLATTEN of `layers` hidden layers, ReLU; head
 *
 * Weights are Xavier's (uniform in +-sqrt(6 / (rows + cols)), gates of a GRU each for itself), gains 1, biases 0. Tensor i has a
 * stream of its own. What comes out is a plain model like any other. */
#include "train_internal.h"

#include <math.h>
#include <string.h>

const char *const at_net_names[AT_NETS] = {[AT_NET_ATTENTION] = "attention",
                                           [AT_NET_THREEWISE] = "three-wise",
                                           [AT_NET_RNN] = "rnn",
                                           [AT_NET_FFN] = "ffn"};

const at_train_net at_train_net_default = {
    .kind = AT_NET_ATTENTION, .vocabulary = 2, .length = 16, .width = 32, .layers = 1, .heads = 4, .seed = 1};

#define MAX_LAYERS 128

static at_status net_check(const at_train_net *n, at_err *err)
{
    const struct {
        const char *what;
        int64_t v, lo, hi;
    } ranges[] = {{"kind of net", (int64_t)n->kind, 0, AT_NETS - 1},
                  {"vocabulary", n->vocabulary, 1, AT_MAX_WIDTH},
                  {"answers", n->answers, 0, AT_MAX_WIDTH},
                  {"length", n->length, 1, AT_MAX_LENGTH},
                  {"width", n->width, 1, AT_MAX_WIDTH},
                  {"layers", n->layers, 1, n->kind == AT_NET_FFN ? 63 : MAX_LAYERS},
                  {"hidden", n->hidden, 0, AT_MAX_WIDTH},
                  {"heads", n->heads, n->kind == AT_NET_RNN || n->kind == AT_NET_FFN ? 0 : 1, AT_MAX_WIDTH}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (ranges[i].v < ranges[i].lo || ranges[i].v > ranges[i].hi)
            return at_fail(err, AT_EDOMAIN, "%s is %lld; allowed: %lld..%lld", ranges[i].what,
                           (long long)ranges[i].v, (long long)ranges[i].lo, (long long)ranges[i].hi);
    if ((n->kind == AT_NET_ATTENTION || n->kind == AT_NET_THREEWISE) && n->width % n->heads)
        return at_fail(err, AT_EDOMAIN, "width %d is no multiple of %d heads", n->width, n->heads);
    return AT_OK;
}

/* Dense layers: `hidden` layers of `units`, then `out`. */
static bool layers_make(at_model *m, at_block *b, int hidden, int64_t units, int64_t out)
{
    b->n_dense = hidden + 1;
    b->dense = at_new(&m->arena, at_dense, b->n_dense);
    for (int l = 0; b->dense && l < b->n_dense; l++) {
        int64_t rows = l < hidden ? units : out;
        b->dense[l].rows = rows > INT32_MAX ? INT32_MAX : (int)rows; /* at_model_layout refuses it by name */
    }
    return b->dense;
}

static bool blocks_make(const at_train_net *n, at_model *m)
{
    bool heads = n->kind == AT_NET_ATTENTION || n->kind == AT_NET_THREEWISE, ok = true;
    int64_t wide = n->hidden ? n->hidden : 4 * (int64_t)n->width;
    m->n_blocks = heads ? 2 * n->layers : n->kind == AT_NET_RNN ? n->layers : 1;
    m->blocks = at_new(&m->arena, at_block, m->n_blocks);
    for (int b = 0; m->blocks && b < m->n_blocks && ok; b++) {
        at_block *k = &m->blocks[b];
        if (n->kind == AT_NET_RNN) {
            *k = (at_block){.kind = AT_BLOCK_RNN,
                            .rnn = {.cell = n->cell, .state = n->hidden ? n->hidden : n->width}};
            continue;
        }
        if (n->kind == AT_NET_FFN) {
            *k = (at_block){.kind = AT_BLOCK_FLATTEN, .act = AT_ACT_RELU};
            ok = layers_make(m, k, n->layers, wide, at_block_inputs(m, k));
            continue;
        }
        *k = (at_block){.kind = b % 2 ? AT_BLOCK_MLP : AT_BLOCK_ATTN,
                        .residual = true,
                        .norm = AT_NORM_PRE,
                        .norm_eps = 1e-5,
                        .act = AT_ACT_GELU};
        if (b % 2) {
            ok = layers_make(m, k, 1, wide, n->width);
            continue;
        }
        k->n_groups = 1;
        if ((ok = (k->groups = at_new(&m->arena, at_group, 1))))
            k->groups[0] = (at_group){.heads = n->heads,
                                      .dk = n->width / n->heads,
                                      .dv = n->width / n->heads,
                                      .weighting = n->kind == AT_NET_THREEWISE ? AT_THREEWISE : AT_SOFTMAX,
                                      .scale = 1 / sqrt(n->width / n->heads),
                                      .mask = {n->causal ? AT_MASK_CAUSAL : AT_MASK_NONE, 0, 0, 0},
                                      .bias = true};
    }
    return m->blocks && ok;
}

/* Parts of a tensor that are drawn each for itself. */
static int parts_of(const at_model *m, int tensor)
{
    for (int b = 0; b < m->n_blocks; b++) {
        const at_rnn *r = &m->blocks[b].rnn;
        if (m->blocks[b].kind == AT_BLOCK_RNN && (r->w == tensor || r->u == tensor))
            return at_rnn_parts(r->cell);
    }
    return 1;
}

static void weights_draw(const at_model *m, uint64_t seed)
{
    for (int i = 0; i < m->n_tensors; i++) {
        const at_tensor *t = &m->tensors[i];
        double *w = m->weights + t->offset, rows = (double)t->shape[0] / parts_of(m, i);
        double range = sqrt(6.0 / (rows + (double)t->shape[1]));
        bool gain = strstr(t->name, "norm.g") != NULL;
        at_rng r = at_rng_at(seed, (uint64_t)i);
        for (size_t k = 0; k < t->count; k++)
            w[k] = t->rank == 1 ? gain : range * (2 * at_rng_unit(&r) - 1);
    }
}

static at_status net_fill(const at_train_net *n, at_model *m, at_err *err)
{
    bool heads = n->kind == AT_NET_ATTENTION || n->kind == AT_NET_THREEWISE;
    strcpy(m->name, at_net_names[n->kind]);
    m->width = n->width;
    m->n_min = n->kind == AT_NET_FFN ? n->length : 1;
    m->n_max = n->length;
    m->n_fields = 1;
    m->n_pos = heads;
    m->fields = at_new(&m->arena, at_field, 1);
    m->pos = at_new(&m->arena, at_pos, 1);
    if (!m->fields || !m->pos || !blocks_make(n, m))
        return at_oom(err);
    m->fields[0] = (at_field){
        .name = "token", .kind = AT_FIELD_TOKEN, .size = n->vocabulary, .embed = {0, n->width, -1}};
    m->pos[0] = (at_pos){.kind = AT_POS_TABLE, .size = n->length, .embed = {0, n->width, -1}};
    m->readout = (at_readout){.kind = AT_READ_ARGMAX,
                              .rows = n->answers ? n->answers : n->vocabulary,
                              .last = n->last,
                              .final_norm = heads,
                              .norm_eps = 1e-5};
    at_status s = at_model_layout(m, err);
    if (!s)
        weights_draw(m, n->seed);
    return s;
}

at_status at_train_net_model(const at_train_net *n, at_model *m, at_err *err)
{
    at_model_init(m);
    at_status s = net_check(n, err);
    if (!s)
        s = net_fill(n, m, err);
    if (s)
        at_model_release(m);
    return s;
}
