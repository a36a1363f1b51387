/* model.c: the life of a model: begin, copy, measure, end.
 *
 * A model is one arena. Whoever fills in an architecture allocates fields, blocks, groups and layers in
 * m->arena (at_new(&m->arena, at_block, 3)); at_model_layout adds the tensor table and one block of
 * weights. at_model_release frees all of it and leaves an empty model, so releasing twice is harmless. */
#include <math.h>
#include <string.h>

#include "model_internal.h"

void at_model_init(at_model *m)
{
    memset(m, 0, sizeof *m);
    at_arena_init(&m->arena);
    m->n_min = 1;
    m->pos_origin = 1;
    m->prefix.tensor = m->suffix.tensor = -1;
    m->readout.norm_g = m->readout.norm_b = m->readout.w = m->readout.b = -1;
}

void at_model_release(at_model *m)
{
    at_arena_release(&m->arena);
    at_model_init(m);
}

double *at_model_data(const at_model *m, int tensor)
{
    return tensor < 0 || tensor >= m->n_tensors || !m->weights ? NULL
                                                               : m->weights + m->tensors[tensor].offset;
}

int at_model_row_width(const at_model *m)
{
    int width = 0;
    for (int k = 0; k < m->n_fields; k++)
        width += at_field_width(&m->fields[k]);
    return width;
}

/* n elements of the given size, copied into the arena. An empty array is NULL, which is not a failure,
 * so success is told apart by the return value. */
static bool duplicate(at_arena *a, void *to, const void *from, size_t n, size_t size)
{
    void *p = NULL;
    if (n > 0) {
        p = at_arena_alloc(a, n, size);
        if (!p)
            return false;
        memcpy(p, from, n * size);
    }
    memcpy(to, &p, sizeof p);
    return true;
}
#define DUPLICATE(a, to, from, n) duplicate((a), &(to), (from), (size_t)(n), sizeof *(from))

/* The bits of +0, and of no other number. */
static bool is_zero(double w)
{
    uint64_t bits;
    memcpy(&bits, &w, sizeof bits);
    return bits == 0;
}

size_t at_weights_skip(const double *w, size_t from, size_t n)
{
    size_t i = from;
    for (; n - i >= 16; i += 16) { /* most weights of a constructed model are zeros: sixteen at a time */
        uint64_t bits[16], any = 0;
        memcpy(bits, w + i, sizeof bits);
        for (int k = 0; k < 16; k++)
            any |= bits[k];
        if (any)
            break;
    }
    while (i < n && is_zero(w[i]))
        i++;
    return i;
}

/* What is zero is not written, so that the copy takes no more memory than the model. */
static bool weights_copy(at_arena *a, const at_model *m, double **out)
{
    if (!(*out = m->n_weights ? at_new(a, double, m->n_weights) : NULL))
        return !m->n_weights;
    for (size_t i = 0; (i = at_weights_next(m->weights, i, m->n_weights)) < m->n_weights; i++)
        (*out)[i] = m->weights[i];
    return true;
}

at_status at_model_copy(const at_model *m, at_model *out, at_err *err)
{
    if (!m->weights && m->n_weights) {
        at_model_init(out);
        return at_fail(err, AT_EREFUSED, "the model has shapes but no weights");
    }
    at_model c = *m;
    at_arena_init(&c.arena);
    at_arena *a = &c.arena;
    bool ok = DUPLICATE(a, c.fields, m->fields, m->n_fields) && DUPLICATE(a, c.pos, m->pos, m->n_pos) &&
              DUPLICATE(a, c.subspaces, m->subspaces, m->n_subspaces) &&
              DUPLICATE(a, c.tensors, m->tensors, m->n_tensors) && weights_copy(a, m, &c.weights) &&
              DUPLICATE(a, c.blocks, m->blocks, m->n_blocks);
    for (int k = 0; ok && k < m->n_fields; k++)
        if (m->fields[k].words)
            ok = DUPLICATE(a, c.fields[k].words, m->fields[k].words, m->fields[k].size);
    if (ok && m->readout.words)
        ok = DUPLICATE(a, c.readout.words, m->readout.words, at_readout_words(&m->readout));
    c.problem = m->problem ? at_arena_strdup(a, m->problem) : NULL;
    c.arithmetic = m->arithmetic ? at_arena_strdup(a, m->arithmetic) : NULL;
    ok = ok && (c.problem || !m->problem) && (c.arithmetic || !m->arithmetic) &&
         DUPLICATE(a, c.decode.prompt, m->decode.prompt, m->decode.n_prompt);
    for (int k = 0; ok && k < m->decode.n_prompt; k++) {
        const at_stretch *from = &m->decode.prompt[k];
        ok = DUPLICATE(a, c.decode.prompt[k].lo, from->lo, from->width) &&
             DUPLICATE(a, c.decode.prompt[k].hi, from->hi, from->width);
    }
    for (int b = 0; ok && b < m->n_blocks; b++) {
        const at_block *from = &m->blocks[b];
        at_block *to = &c.blocks[b];
        ok = DUPLICATE(a, to->groups, from->groups, from->n_groups) &&
             DUPLICATE(a, to->dense, from->dense, from->n_dense);
        for (int g = 0; ok && g < from->n_groups; g++)
            if (from->groups[g].name)
                ok = (to->groups[g].name = at_arena_strdup(a, from->groups[g].name));
    }
    if (!ok) {
        at_arena_release(a);
        at_model_init(out);
        return at_oom(err);
    }
    *out = c;
    return AT_OK;
}

static void raise_to(int *most, int value)
{
    if (value > *most)
        *most = value;
}

void at_model_size(const at_model *m, at_size *out)
{
    at_size s = {.width = m->width, .parameters = m->n_weights};
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *k = &m->blocks[b];
        if (k->kind == AT_BLOCK_RNN) {
            s.rnns++;
            raise_to(&s.hidden, k->rnn.state);
            continue;
        }
        if (at_block_dense(k)) {
            s.mlps++;
            for (int l = 0; l + 1 < k->n_dense; l++)
                raise_to(&s.hidden, k->dense[l].rows);
            continue;
        }
        s.layers++;
        int heads = 0, offered = 0;
        for (int g = 0; g < k->n_groups; g++) {
            const at_group *a = &k->groups[g];
            heads += a->heads;
            offered += a->heads * (a->dv + 1);
            raise_to(&s.head_dim, a->dk);
            raise_to(&s.head_dim, a->dv);
            s.largest = fmax(s.largest, fabs(a->scale));
        }
        raise_to(&s.heads, heads);
        raise_to(&s.offered, offered);
    }
    size_t n = m->weights ? m->n_weights : 0;
    for (size_t i = 0; (i = at_weights_next(m->weights, i, n)) < n; i++) {
        s.nonzero += m->weights[i] != 0;
        s.largest = fmax(s.largest, fabs(m->weights[i]));
    }
    *out = s;
}
