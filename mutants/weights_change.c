/* weights_change.c: one change of a model's weights. */
#include "weights.h"

#include <string.h>

const char *const change_names[CHANGES] = {"sign", "zero", "x1.5", "swap", "head"};

#define TRIES 10000 /* a model in which so many draws change nothing has no such place */

/* The columns of O that head h of a group reads from. */
static bool head_draw(const at_model *m, at_rng *r, change *out)
{
    int blocks = 0;
    for (int b = 0; b < m->n_blocks; b++)
        blocks += m->blocks[b].kind == AT_BLOCK_ATTN;
    if (!blocks)
        return false;
    int pick = (int)at_rng_below(r, (uint64_t)blocks), b = 0;
    while (m->blocks[b].kind != AT_BLOCK_ATTN || pick-- > 0)
        b++;
    const at_block *x = &m->blocks[b];
    const at_group *g = &x->groups[at_rng_below(r, (uint64_t)x->n_groups)];
    int64_t h = (int64_t)at_rng_below(r, (uint64_t)g->heads);
    *out = (change){
        .kind = CHANGE_HEAD, .tensor = g->o, .row = -1, .column = h * g->dv, .other = (h + 1) * g->dv};
    return true;
}

static bool place_draw(const at_model *m, at_rng *r, change *out)
{
    out->tensor = (int)at_rng_below(r, (uint64_t)m->n_tensors);
    const at_tensor *t = &m->tensors[out->tensor];
    int64_t columns = t->rank == 2 ? t->shape[1] : 1, rows = (int64_t)t->count / (columns ? columns : 1);
    if (!t->count || (out->kind == CHANGE_SWAP && (t->rank != 2 || rows < 2)))
        return false;
    out->row = (int64_t)at_rng_below(r, (uint64_t)rows);
    out->column = (int64_t)at_rng_below(r, (uint64_t)columns);
    if (out->kind == CHANGE_SWAP) {
        out->other = (int64_t)at_rng_below(r, (uint64_t)rows - 1);
        out->other += out->other >= out->row;
    }
    return true;
}

static int64_t columns_of(const at_tensor *t)
{
    return t->rank == 2 ? t->shape[1] : 1;
}

/* Does the change leave other numbers than there were? Two zeros are one number. */
static bool change_matters(const at_model *m, const change *c)
{
    const at_tensor *t = &m->tensors[c->tensor];
    const double *w = m->weights + t->offset;
    int64_t columns = columns_of(t);
    if (c->kind == CHANGE_SWAP) {
        for (int64_t k = 0; k < columns; k++)
            if (w[c->row * columns + k] != w[c->other * columns + k])
                return true;
        return false;
    }
    if (c->kind == CHANGE_HEAD) {
        for (int64_t r = 0; r < t->shape[0]; r++)
            for (int64_t k = c->column; k < c->other; k++)
                if (w[r * columns + k] != 0)
                    return true;
        return false;
    }
    return w[c->row * columns + c->column] != 0;
}

bool change_draw(const at_model *m, at_rng *r, change *out)
{
    for (int k = 0; k < TRIES; k++) {
        *out = (change){.kind = (change_kind)at_rng_below(r, CHANGES)};
        /* A kind that finds no place in a hundred draws gives way to another. */
        for (int at = 0; at < 100; at++)
            if ((out->kind == CHANGE_HEAD ? head_draw(m, r, out) : place_draw(m, r, out)) &&
                change_matters(m, out))
                return true;
    }
    return false;
}

void change_apply(at_model *m, const change *c)
{
    const at_tensor *t = &m->tensors[c->tensor];
    double *w = m->weights + t->offset;
    int64_t columns = columns_of(t);
    double *one = w + c->row * columns + c->column;
    switch (c->kind) {
    case CHANGE_SIGN:
        *one = -*one;
        break;
    case CHANGE_ZERO:
        *one = 0;
        break;
    case CHANGE_LARGER:
        *one *= 1.5;
        break;
    case CHANGE_SWAP:
        for (int64_t k = 0; k < columns; k++) {
            double kept = w[c->row * columns + k];
            w[c->row * columns + k] = w[c->other * columns + k];
            w[c->other * columns + k] = kept;
        }
        break;
    case CHANGE_HEAD:
        for (int64_t r = 0; r < t->shape[0]; r++)
            memset(w + r * columns + c->column, 0, (size_t)(c->other - c->column) * sizeof *w);
        break;
    case CHANGES:
        break;
    }
}

void change_print(const at_model *m, const change *c, at_text *out)
{
    const at_tensor *t = &m->tensors[c->tensor];
    at_text_addf(out, "%s %s", change_names[c->kind], t->name);
    if (c->kind == CHANGE_SWAP)
        at_text_addf(out, "[%jd]<->[%jd]", (intmax_t)c->row, (intmax_t)c->other);
    else if (c->kind == CHANGE_HEAD)
        at_text_addf(out, "[:,%jd..%jd]", (intmax_t)c->column, (intmax_t)c->other - 1);
    else
        at_text_addf(out, "[%jd,%jd]", (intmax_t)c->row, (intmax_t)c->column);
}
