/* convert.c: trained parameters as a plain model, and a plain model as the start of a training.
 *
 *     token            -> the table of the one field
 *     position         -> a table; sinusoids -> the sinusoidal feature with an identity matrix
 *     norm0            -> a block of its own: x = norm(x + 0), an MLP without units, residual, norm after
 *     layer            -> an attention block (one group of H heads) and an MLP block, residual, norm before
 *     norm, head       -> the readout; a head without bias gets zeros
 *
 * Dropout belongs to training: its factors have mean 1, so nothing is left of it.
 *
 * The other way, a model is of the fast family when the family's model made of its parameters is that model: the
 * architecture is guessed from the shapes, the parameters are taken out, put into a new model, and the two hashes compared. So
 * nothing the fast engine does not train (sinusoids, the empty MLP of norm0) can be other than it assumes. */
#include "train_internal.h"

#include <math.h>
#include <string.h>

static at_status architecture(const train_plan *p, int n_min, at_model *m, at_err *err)
{
    const at_train_arch *a = &p->a;
    int D = p->D, first = a->embed_norm ? 1 : 0;
    strcpy(m->name, "trained");
    m->width = D;
    m->n_min = n_min;
    m->n_max = p->T;
    m->pos_origin = 1;
    m->n_fields = 1;
    m->n_pos = 1;
    m->n_blocks = 2 * a->layers + first;
    m->fields = at_new(&m->arena, at_field, 1);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->blocks = at_new(&m->arena, at_block, m->n_blocks);
    if (!m->fields || !m->pos || !m->blocks)
        return at_oom(err);
    m->fields[0] = (at_field){.name = "token", .kind = AT_FIELD_TOKEN, .size = p->R, .embed = {0, D, -1}};
    m->pos[0] = (at_pos){.kind = a->learned_positions ? AT_POS_TABLE : AT_POS_SINUSOIDAL,
                         .size = a->learned_positions ? p->T : D,
                         .embed = {0, D, -1}};
    for (int b = 0; b < m->n_blocks; b++) {
        at_block *k = &m->blocks[b];
        bool start = b < first, attention = !start && (b - first) % 2 == 0;
        *k = (at_block){.kind = attention ? AT_BLOCK_ATTN : AT_BLOCK_MLP,
                        .residual = true,
                        .norm = start ? AT_NORM_POST : AT_NORM_PRE,
                        .norm_eps = a->norm_eps,
                        .act = AT_ACT_GELU};
        if (attention) {
            k->n_groups = 1;
            if (!(k->groups = at_new(&m->arena, at_group, 1)))
                return at_oom(err);
            k->groups[0] = (at_group){.heads = p->H,
                                      .dk = p->d,
                                      .dv = p->d,
                                      .weighting = at_attention_parts[a->attention].weighting,
                                      .scale = 1 / sqrt(p->d),
                                      .mask = {at_attention_parts[a->attention].mask, 0, 0, 0},
                                      .bias = true};
            if (at_mask_is(k->groups[0].mask.kind, AT_IS_BLOCKS))
                k->groups[0].mask = (at_mask){AT_MASK_BLOCK_SPARSE, a->block, a->windows, a->ends};
        } else {
            k->n_dense = start ? 1 : 2;
            if (!(k->dense = at_new(&m->arena, at_dense, k->n_dense)))
                return at_oom(err);
            k->dense[0].rows = start ? D : p->U;
            k->dense[k->n_dense - 1].rows = D;
        }
    }
    m->readout.kind = AT_READ_ARGMAX;
    m->readout.rows = p->R;
    m->readout.final_norm = true;
    m->readout.norm_eps = a->norm_eps;
    return at_model_layout(m, err);
}

/* `count` parameters from `at` on become the weights of a tensor, or come from them. */
static void move(const at_model *m, int tensor, double *w, size_t at, size_t count, bool gather)
{
    double *data = at_model_data(m, tensor);
    memcpy(gather ? w + at : data, gather ? data : w + at, count * sizeof(double));
}

/* Every parameter w and its place in m, one way or the other. */
static void weights(const train_plan *p, double *w, const at_model *m, bool gather)
{
    size_t D = (size_t)p->D, U = (size_t)p->U, R = (size_t)p->R;
    int first = p->a.embed_norm ? 1 : 0;
    move(m, m->fields[0].embed.tensor, w, p->token, R * D, gather);
    if (p->a.learned_positions)
        move(m, m->pos[0].embed.tensor, w, p->position, (size_t)p->T * D, gather);
    for (size_t k = 0; !p->a.learned_positions && !gather && k < D; k++)
        at_model_data(m, m->pos[0].embed.tensor)[k * D + k] = 1;
    if (first) {
        move(m, m->blocks[0].norm_g, w, p->norm0, D, gather);
        move(m, m->blocks[0].norm_b, w, p->norm0 + D, D, gather);
    }
    for (int l = 0; l < p->a.layers; l++) {
        const train_layer *a = &p->layer[l];
        const at_block *attn = &m->blocks[first + 2 * l], *mlp = attn + 1;
        const at_group *g = attn->groups;
        const int matrix[] = {g->q, g->k, g->v}, bias[] = {g->qb, g->kb, g->vb};
        move(m, attn->norm_g, w, a->norm1, D, gather);
        move(m, attn->norm_b, w, a->norm1 + D, D, gather);
        for (size_t i = 0; i < 3; i++) {
            move(m, matrix[i], w, a->qkv.w + i * D * D, D * D, gather);
            move(m, bias[i], w, a->qkv.b + i * D, D, gather);
        }
        move(m, g->o, w, a->proj.w, D * D, gather);
        move(m, g->ob, w, a->proj.b, D, gather);
        move(m, mlp->norm_g, w, a->norm2, D, gather);
        move(m, mlp->norm_b, w, a->norm2 + D, D, gather);
        move(m, mlp->dense[0].w, w, a->fc1.w, U * D, gather);
        move(m, mlp->dense[0].b, w, a->fc1.b, U, gather);
        move(m, mlp->dense[1].w, w, a->fc2.w, D * U, gather);
        move(m, mlp->dense[1].b, w, a->fc2.b, D, gather);
    }
    move(m, m->readout.norm_g, w, p->norm, D, gather);
    move(m, m->readout.norm_b, w, p->norm + D, D, gather);
    move(m, m->readout.w, w, p->head.w, R * D, gather);
    if (p->a.head_bias)
        move(m, m->readout.b, w, p->head.b, R, gather);
}

at_status at_trainer_model(const at_trainer *t, int n_min, at_model *m, at_err *err)
{
    double *w = at_calloc(t->plan.n, sizeof *w);
    at_model_init(m);
    at_status s = !w         ? at_oom(err)
                  : t->based ? at_model_copy(&t->base, m, err)
                             : architecture(&t->plan, n_min, m, err);
    if (!s) {
        if (n_min)
            m->n_min = n_min;
        at_trainer_read(t, w);
        if (t->plan.plain)
            memcpy(m->weights, w, t->plan.n * sizeof *w);
        else
            weights(&t->plan, w, m, false);
        m->f32 = t->arith.kind == AT_F32;
        s = at_model_validate(m, err);
    }
    if (s)
        at_model_release(m);
    at_free(w);
    return s;
}

/* ---- from a model ------------------------------------------------------------------------------------------ */

/* What the architecture must be if m is of the family; false: it is not. */
static bool guess(const at_model *m, const at_train_options *o, at_train_arch *a)
{
    int first = m->n_blocks > 0 && m->blocks[0].kind == AT_BLOCK_MLP;
    if (m->n_fields != 1 || m->n_pos != 1 || m->n_blocks < first + 2 ||
        m->blocks[first].kind != AT_BLOCK_ATTN || m->blocks[first].n_groups != 1 ||
        m->blocks[first + 1].kind != AT_BLOCK_MLP)
        return false;
    const at_group *g = m->blocks[first].groups;
    *a = (at_train_arch){.attention = at_weighting_is(g->weighting, AT_IS_PHI) ? AT_ATTENTION_LINEAR
                                      : at_mask_is(g->mask.kind, AT_IS_BLOCKS) ? AT_ATTENTION_SPARSE
                                                                               : AT_ATTENTION_STANDARD,
                         .layers = (m->n_blocks - first) / 2,
                         .heads = g->heads,
                         .width = m->width,
                         .hidden = m->blocks[first + 1].dense[0].rows,
                         .vocabulary = m->readout.rows,
                         .length = m->n_max,
                         .block = g->mask.block,
                         .windows = g->mask.windows,
                         .ends = g->mask.ends,
                         .learned_positions = at_pos_is(m->pos[0].kind, AT_IS_ROWS),
                         .embed_norm = first,
                         .head_bias = true,
                         .norm_eps = m->readout.norm_eps,
                         .dropout = o->dropout,
                         .seed = o->seed,
                         .slots = o->slots};
    return true;
}

static bool same_tensors(const at_model *a, const at_model *b)
{
    bool same = a->n_tensors == b->n_tensors;
    for (int k = 0; same && k < a->n_tensors; k++)
        same = !strcmp(a->tensors[k].name, b->tensors[k].name) &&
               a->tensors[k].count == b->tensors[k].count && a->tensors[k].shape[0] == b->tensors[k].shape[0];
    return same;
}

/* Is m the model that the family makes of m's parameters? */
static at_status family_compare(const at_model *m, const train_plan *p, bool *is, at_err *err)
{
    at_model of;
    char one[65], two[65];
    at_model_init(&of);
    double *w = at_calloc(p->n, sizeof *w);
    at_status s = w ? architecture(p, 1, &of, err) : at_oom(err);
    if (!s && same_tensors(m, &of)) {
        weights(p, w, m, true);
        weights(p, w, &of, false);
        memcpy(of.name, m->name, sizeof of.name); /* what the family leaves open */
        memcpy(of.fields[0].name, m->fields[0].name, sizeof m->fields[0].name);
        of.fields[0].words = m->fields[0].words;
        of.n_min = m->n_min;
        of.decode = m->decode;
        of.subspaces = m->subspaces, of.n_subspaces = m->n_subspaces;
        of.f32 = m->f32;
        s = at_model_hash(m, one, err);
        if (!s)
            s = at_model_hash(&of, two, err);
        *is = !s && !strcmp(one, two);
    }
    at_free(w);
    at_model_release(&of);
    return s;
}

static at_status family_find(const at_model *m, const at_train_options *o, at_train_arch *a, bool *is,
                             at_err *err)
{
    train_plan p;
    at_arena arena;
    at_err why = {0};
    *is = false;
    if (!guess(m, o, a))
        return AT_OK;
    at_arena_init(&arena);
    at_status s = train_plan_make(a, 1, &arena, &p, &why);
    if (!s)
        s = family_compare(m, &p, is, &why);
    at_arena_release(&arena);
    /* a range of the family that m is outside of: then m is not of it */
    return s == AT_ENOMEM ? at_oom(err) : AT_OK;
}

at_status train_family_parameters(const at_model *m, const at_train_options *o, size_t *n, at_err *err)
{
    train_plan p;
    at_train_arch a;
    at_arena arena;
    at_arena_init(&arena);
    at_status s = guess(m, o, &a) ? train_plan_places(&a, 1, &arena, &p, err)
                                  : at_fail(err, AT_EINPUT, "not an architecture of the fast engine");
    at_arena_release(&arena);
    if (!s)
        *n = p.n;
    return s;
}

at_status train_family_fill(at_model *m, const at_train_options *o, at_err *err)
{
    train_plan p;
    at_train_arch a;
    at_arena arena;
    at_model of;
    if (!guess(m, o, &a))
        return at_fail(err, AT_EINPUT, "not an architecture of the fast engine");
    at_arena_init(&arena);
    at_model_init(&of);
    at_status s = train_plan_places(&a, 1, &arena, &p, err);
    double *w = s ? NULL : at_calloc(p.n, sizeof *w);
    if (!s)
        s = w ? architecture(&p, 1, &of, err) : at_oom(err);
    if (!s && !same_tensors(m, &of))
        s = at_fail(err, AT_EINPUT, "not an architecture of the fast engine");
    if (!s)
        weights(&p, w, m, false);
    at_free(w);
    at_model_release(&of);
    at_arena_release(&arena);
    return s;
}

static at_status start(at_trainer *t, const at_train_options *o, at_err *err)
{
    at_train_arch arch;
    bool fast = false;
    at_status s = o->plain ? AT_OK : family_find(&t->base, o, &arch, &fast, err);
    if (!s && fast)
        s = train_plan_fast(t, &arch, err);
    else if (!s)
        s = plain_plan_make(t, o, err);
    if (!s)
        s = train_memory(t, err);
    double *w = s ? NULL : at_calloc(t->plan.n, sizeof *w);
    if (!s && !w)
        s = at_oom(err);
    if (!s && fast)
        weights(&t->plan, w, &t->base, true);
    if (!s)
        s = at_trainer_write(t, fast ? w : t->base.weights, err);
    at_free(w);
    return s;
}

at_status at_trainer_from_model(const at_model *m, at_arith a, int threads, const at_train_options *o,
                                at_trainer **out, at_err *err)
{
    at_trainer *t = NULL;
    at_status s = at_model_validate(m, err);
    if (!s)
        s = train_begin(a, threads, &t, err);
    if (!s)
        s = at_model_copy(m, &t->base, err);
    if (!s) {
        t->based = true;
        s = start(t, o, err);
    }
    if (s)
        at_trainer_free(t);
    else
        *out = t;
    return s;
}
