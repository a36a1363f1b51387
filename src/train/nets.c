/* nets.c: random models to start a training from, where the fast family is not what is wanted: attention of pairs or of triples, with or
 * without a mask, and its rivals, recurrent and feed-forward nets.
 *
 *     attention, three-wise   token + learned position; layers of x += attend(norm(x)), x += fc2(gelu(fc1(norm(x)))); norm; head
 *     rnn                     token; layers of x = O h; head
 *     ffn                     token; one FLATTEN of `layers` hidden layers, ReLU; head
 *
 * In place of the token there may be fields of any kind; a subset enters by its elements, a token each, in ascending order. PURE attention has no norms and heads as wide as the residual, BARE attention is
 * nothing but x = attend(x): both see a blank position behind the input, where a query that finds nothing can look, and embeddings lie side
 * by side: numbers have a coordinate each, tables and positions share the others.
 *
 * Weights are Xavier's (uniform in +-sqrt(6 / (rows + cols)), gates of a GRU each for itself), gains 1, biases 0. Tensor i has a
 * stream of its own. What comes out is a plain model like any other. */
#include "train_internal.h"

#include <math.h>
#include <stdio.h>
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
    if ((n->kind == AT_NET_ATTENTION || n->kind == AT_NET_THREEWISE) && n->form == AT_NET_NORMED &&
        n->width % n->heads)
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
    bool bare = n->form == AT_NET_BARE;
    int every = bare ? 1 : 2, dk = n->form == AT_NET_NORMED && heads ? n->width / n->heads : n->width;
    m->n_blocks = heads ? every * n->layers : n->kind == AT_NET_RNN ? n->layers : 1;
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
        *k = (at_block){.kind = b % every ? AT_BLOCK_MLP : AT_BLOCK_ATTN,
                        .residual = !bare,
                        .norm = n->form == AT_NET_NORMED ? AT_NORM_PRE : AT_NORM_NONE,
                        .norm_eps = n->form == AT_NET_NORMED ? 1e-5 : 0,
                        .act = AT_ACT_GELU};
        if (b % every) {
            ok = layers_make(m, k, 1, wide, n->width);
            continue;
        }
        k->n_groups = 1;
        if ((ok = (k->groups = at_new(&m->arena, at_group, 1))))
            k->groups[0] = (at_group){.heads = n->heads,
                                      .dk = dk,
                                      .dv = dk,
                                      .weighting = n->kind == AT_NET_THREEWISE ? AT_THREEWISE : AT_SOFTMAX,
                                      .scale = 1 / sqrt(dk),
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

static bool is_embedding(const at_model *m, int tensor)
{
    bool is = tensor == m->suffix.tensor && m->n_suffix;
    for (int f = 0; f < m->n_fields; f++)
        is = is || m->fields[f].embed.tensor == tensor;
    for (int k = 0; k < m->n_pos; k++)
        is = is || m->pos[k].embed.tensor == tensor;
    return is;
}

static void weights_draw(const at_model *m, double embeddings, uint64_t seed)
{
    for (int i = 0; i < m->n_tensors; i++) {
        const at_tensor *t = &m->tensors[i];
        double *w = m->weights + t->offset, rows = (double)t->shape[0] / parts_of(m, i);
        double range =
            embeddings > 0 && is_embedding(m, i) ? embeddings : sqrt(6.0 / (rows + (double)t->shape[1]));
        bool gain = strstr(t->name, "norm.g") != NULL;
        at_rng r = at_rng_at(seed, (uint64_t)i);
        for (size_t k = 0; k < t->count; k++)
            w[k] = t->rank == 1 ? gain : range * (2 * at_rng_unit(&r) - 1);
    }
}

/* The fields of the model: those asked for, a subset by its elements where these are few. An element of a subset has its number, from 1, in
 * `pick` until places are found. */
static bool fields_make(const at_train_net *n, at_model *m)
{
    const at_field words = {.name = "token", .kind = AT_FIELD_TOKEN, .size = n->vocabulary},
                   *given = n->fields ? n->fields : &words;
    int count = n->fields ? n->n_fields : 1, room = AT_MAX_FIELDS - count;
    if (!(m->fields = at_new(&m->arena, at_field, AT_MAX_FIELDS)))
        return false;
    for (int f = 0; f < count; f++) {
        int q = given[f].kind == AT_FIELD_SUBSET && given[f].pick - 1 <= room ? given[f].pick : 0;
        room -= q ? q - 1 : 0;
        for (int k = 1; k <= q; k++) {
            at_field *to = &m->fields[m->n_fields++];
            *to = (at_field){.kind = AT_FIELD_TOKEN, .size = given[f].size + 1, .pick = k};
            snprintf(to->name, sizeof to->name, "%.40s%d", given[f].name, k);
        }
        if (!q)
            m->fields[m->n_fields++] = given[f];
    }
    for (int f = 0; f < m->n_fields; f++)
        m->fields[f].embed = (at_embed){0, n->width, -1};
    return true;
}

/* How many coordinates a field takes for itself; 0: its share of what is left. */
static int own_width(const at_field *f)
{
    return f->kind == AT_FIELD_REAL || f->kind == AT_FIELD_INT ? f->size : 0;
}

/* Is it a further element of the subset before it, with which it shares its place? */
static bool is_further(const at_field *f)
{
    return f->kind == AT_FIELD_TOKEN && f->pick > 1;
}

/* Embeddings side by side, where there is room for each; else all of them in all of the width. */
static void places_make(int D, at_model *m)
{
    int shares = m->n_pos, at = 0, left = D;
    for (int f = 0; f < m->n_fields; f++) {
        left -= own_width(&m->fields[f]);
        shares += !own_width(&m->fields[f]) && !is_further(&m->fields[f]);
    }
    for (int f = 0; f < m->n_fields + m->n_pos && left >= shares; f++) {
        at_embed *e = f < m->n_fields ? &m->fields[f].embed : &m->pos[0].embed;
        if (f < m->n_fields && is_further(&m->fields[f])) {
            *e = m->fields[f - 1].embed;
            continue;
        }
        int width = f < m->n_fields ? own_width(&m->fields[f]) : 0;
        if (!width) {
            width = left / shares--;
            left -= width;
        }
        *e = (at_embed){at, width, -1};
        at += width;
    }
}

static at_status net_fill(const at_train_net *n, at_model *m, at_err *err)
{
    bool heads = n->kind == AT_NET_ATTENTION || n->kind == AT_NET_THREEWISE;
    strcpy(m->name, at_net_names[n->kind]);
    m->width = n->width;
    m->n_min = n->kind == AT_NET_FFN ? n->length : 1;
    m->n_max = n->length;
    m->n_pos = heads && !n->nowhere;
    m->n_suffix = heads && n->form != AT_NET_NORMED;
    m->suffix = (at_embed){0, n->width, -1};
    m->pos = at_new(&m->arena, at_pos, 1);
    if (!fields_make(n, m) || !m->pos || !blocks_make(n, m))
        return at_oom(err);
    m->pos[0] = (at_pos){.kind = AT_POS_TABLE, .size = n->length + m->n_suffix, .embed = {0, n->width, -1}};
    if (n->form != AT_NET_NORMED)
        places_make(n->width, m);
    for (int f = 0; f < m->n_fields; f++)
        m->fields[f].pick = m->fields[f].kind == AT_FIELD_TOKEN ? 0 : m->fields[f].pick;
    m->readout = (at_readout){.kind = n->read,
                              .rows = n->answers ? n->answers : n->vocabulary,
                              .last = n->last,
                              .final_norm = heads && n->form == AT_NET_NORMED,
                              .norm_eps = 1e-5};
    at_status s = at_model_layout(m, err);
    if (!s)
        weights_draw(m, n->range, n->seed);
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
