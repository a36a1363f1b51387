/* onnx_attend.c: one group of attention heads as ONNX operators, for every weighting, mask and post of the model.
 *
 * Shapes: B batch, T positions of this call, A all positions (without a cache A = T), H heads.
 *
 *     q (B,H,T,dk), k (B,H,A,dk), v (B,H,A,dv), s (B,H,T,A) -> weights (B,H,T,A) -> (B,H,T,dv) -> (B,T,H*dv) -> (B,T,D)
 *
 * Masked scores become a number below all others and get no weight by that; where a query may see no key at all (strict
 * masks) the weights are multiplied by the mask, so that they are 0. No operator is used that onnxruntime lacks in double. Of hard attention
 * the keys with top - s <= tie are tied: a difference of exact scores is exact. */
#include "onnx_graph.h"

#include <stdio.h>
#include <string.h>

#define BELOW(g) onnx_number(g, (g)->m->f32 ? -3e38 : -1e300)

onnx_value onnx_linear(onnx_graph *g, onnx_value x, int w, int b)
{
    onnx_value t = onnx_transpose(g, onnx_weight(g, w), 2, (int64_t[]){1, 0});
    onnx_value y = onnx_op(g, "MatMul", ONNX_IN(x, t));
    return b < 0 ? y : onnx_op(g, "Add", ONNX_IN(y, onnx_weight(g, b)));
}

/* ---- masks ------------------------------------------------------------------------------------------------- */

static onnx_value blocks(onnx_emit *e, const at_mask *k)
{
    onnx_graph *g = e->g;
    onnx_value first = onnx_op(g, "Sub", ONNX_IN(e->t, onnx_index(g, (int64_t)k->windows * k->block)));
    onnx_value near = onnx_op(g, "Greater", ONNX_IN(e->j, first));
    onnx_value place = onnx_op(g, "Mod", ONNX_IN(e->j, onnx_index(g, k->block)));
    onnx_value end = onnx_op(g, "GreaterOrEqual", ONNX_IN(place, onnx_index(g, k->block - k->ends)));
    return onnx_op(
        g, "And",
        ONNX_IN(onnx_op(g, "LessOrEqual", ONNX_IN(e->j, e->t)), onnx_op(g, "Or", ONNX_IN(near, end))));
}

static onnx_value allowed(onnx_emit *e, const at_mask *k)
{
    bool past = at_mask_is(k->kind, AT_IS_PAST), strict = at_mask_is(k->kind, AT_IS_STRICT);
    if (at_mask_is(k->kind, AT_IS_BLOCKS))
        return blocks(e, k);
    return onnx_op(e->g,
                   past     ? strict ? "Less" : "LessOrEqual"
                   : strict ? "Greater"
                            : "GreaterOrEqual",
                   ONNX_IN(e->j, e->t));
}

/* NULL in *out: every key. A mask that occurs again is not computed again. */
static at_status mask_of(onnx_emit *e, const at_mask *k, struct onnx_mask **out, at_err *err)
{
    *out = NULL;
    if (at_mask_is(k->kind, AT_IS_ALL))
        return AT_OK;
    if (!at_mask_is(k->kind, AT_IS_PAST | AT_IS_FUTURE))
        return at_fail(err, AT_EREFUSED, "the mask %s has no operators in onnx", at_mask_names[k->kind]);
    for (struct onnx_mask *m = e->masks; m; m = m->next)
        if (m->mask.kind == k->kind &&
            (!at_mask_is(k->kind, AT_IS_BLOCKS) ||
             (m->mask.block == k->block && m->mask.windows == k->windows && m->mask.ends == k->ends))) {
            *out = m;
            return AT_OK;
        }
    struct onnx_mask *m = at_new(e->g->arena, struct onnx_mask, 1);
    if (!m)
        return at_oom(err);
    const char *label = e->g->label;
    e->g->label = "mask";
    *m = (struct onnx_mask){.mask = *k, .allowed = allowed(e, k), .next = e->masks};
    m->number = onnx_cast(e->g, m->allowed, onnx_real(e->g));
    e->g->label = label;
    *out = e->masks = m;
    return AT_OK;
}

static onnx_value masked(onnx_graph *g, onnx_value s, const struct onnx_mask *m, onnx_value below)
{
    return m ? onnx_op(g, "Where", ONNX_IN(m->allowed, s, below)) : s;
}

static onnx_value cut(onnx_graph *g, onnx_value w, const struct onnx_mask *m)
{
    return m ? onnx_op(g, "Mul", ONNX_IN(w, m->number)) : w;
}

/* ---- weightings ------------------------------------------------------------------------------------------------ */

static onnx_value softmax(onnx_graph *g, onnx_value s, const struct onnx_mask *m)
{
    onnx_value w = onnx_op(g, "Softmax", ONNX_IN(masked(g, s, m, BELOW(g))));
    onnx_int(g, "axis", -1);
    return m && at_mask_is(m->mask.kind, AT_IS_STRICT) ? cut(g, w, m) : w;
}

/* With z = s - max in descending order and S_r its sums from the front, the level is max_r (S_r - 1)/r, at least -1. So what is
 * below -2 gets no weight and moves no level, and may as well be -2: that is what masked scores are. */
onnx_value onnx_sparsemax(onnx_graph *g, onnx_value s, const struct onnx_mask *m)
{
    onnx_value top = onnx_reduce(g, "ReduceMax", masked(g, s, m, BELOW(g)), true), two = onnx_number(g, -2);
    onnx_value z = masked(g, onnx_op(g, "Sub", ONNX_IN(s, top)), m, two), sorted[2];
    z = onnx_op(g, "Max", ONNX_IN(z, two));
    onnx_value n = onnx_op(g, "Shape", ONNX_IN(z));
    n = onnx_slice(g, n, ONNX_WHOLE(g, -1), ONNX_WHOLE(g, INT64_MAX), 0);
    onnx_op_many(g, "TopK", ONNX_IN(z, n), sorted, 2);
    onnx_value sums = onnx_op(g, "CumSum", ONNX_IN(sorted[0], onnx_index(g, -1)));
    onnx_value count =
        onnx_op(g, "Range",
                ONNX_IN(onnx_index(g, 1),
                        onnx_op(g, "Add", ONNX_IN(onnx_op(g, "Squeeze", ONNX_IN(n)), onnx_index(g, 1))),
                        onnx_index(g, 1)));
    onnx_value levels = onnx_op(
        g, "Div",
        ONNX_IN(onnx_op(g, "Sub", ONNX_IN(sums, onnx_number(g, 1))), onnx_cast(g, count, onnx_real(g))));
    onnx_value level = onnx_reduce(g, "ReduceMax", levels, true);
    return cut(g, onnx_op(g, "Relu", ONNX_IN(onnx_op(g, "Sub", ONNX_IN(z, level)))), m);
}

static onnx_value hard(onnx_graph *g, const at_group *group, onnx_value s, const struct onnx_mask *m)
{
    onnx_value top = onnx_reduce(g, "ReduceMax", masked(g, s, m, BELOW(g)), true);
    onnx_value tied =
        onnx_op(g, "LessOrEqual", ONNX_IN(onnx_op(g, "Sub", ONNX_IN(top, s)), onnx_number(g, group->tie)));
    if (m)
        tied = onnx_op(g, "And", ONNX_IN(tied, m->allowed));
    onnx_value w = onnx_cast(g, tied, onnx_real(g));
    if (!at_weighting_is(group->weighting, AT_IS_ONE)) {
        onnx_value all = onnx_op(g, "Max", ONNX_IN(onnx_reduce(g, "ReduceSum", w, true), onnx_number(g, 1)));
        return onnx_op(g, "Div", ONNX_IN(w, all));
    }
    onnx_value count = onnx_op(g, "CumSum", ONNX_IN(w, onnx_index(g, -1)));
    onnx_int(g, "reverse", at_weighting_is(group->weighting, AT_IS_LAST));
    onnx_value first =
        onnx_op(g, "And", ONNX_IN(onnx_op(g, "Equal", ONNX_IN(count, onnx_number(g, 1))), tied));
    return onnx_cast(g, first, onnx_real(g));
}

static onnx_value phi(onnx_graph *g, onnx_value x)
{
    onnx_value zero = onnx_number(g, 0), one = onnx_number(g, 1);
    onnx_value low = onnx_op(g, "Exp", ONNX_IN(onnx_op(g, "Min", ONNX_IN(x, zero))));
    return onnx_op(g, "Where",
                   ONNX_IN(onnx_op(g, "Greater", ONNX_IN(x, zero)), onnx_op(g, "Add", ONNX_IN(x, one)), low));
}

static onnx_value over_sum(onnx_graph *g, onnx_value w)
{
    onnx_value sum = onnx_reduce(g, "ReduceSum", w, true), one = onnx_number(g, 1);
    onnx_value some = onnx_op(g, "Greater", ONNX_IN(sum, onnx_number(g, 0)));
    return onnx_op(g, "Div", ONNX_IN(w, onnx_op(g, "Where", ONNX_IN(some, sum, one))));
}

/* ---- a group ------------------------------------------------------------------------------------------------------ */

static at_status post(onnx_graph *g, at_post p, onnx_value *s, at_err *err)
{
    /* minus one of these */
    static const char *const posts[AT_POSTS] = {[AT_POST_NEG_RELU] = "Relu", [AT_POST_NEG_ABS] = "Abs"};
    if (posts[p])
        *s = onnx_op(g, "Neg", ONNX_IN(onnx_op(g, posts[p], ONNX_IN(*s))));
    else if (!at_post_is(p, AT_IS_SAME))
        return at_fail(err, AT_EREFUSED, "the post %s has no operators in onnx", at_post_names[p]);
    return AT_OK;
}

/* The scale as a value. onnxruntime joins a product with a constant into the matrix product before it, and keeps the constant
 * as a float then: in double one that no float holds must not look like a constant. So it is added to 0 times the number of rows. */
static onnx_value scale_of(onnx_emit *e, double scale)
{
    onnx_graph *g = e->g;
    if (g->m->f32 || (double)(float)scale == scale)
        return onnx_number(g, scale);
    onnx_value zero = onnx_op(g, "Mul", ONNX_IN(onnx_cast(g, e->rows, onnx_real(g)), onnx_number(g, 0)));
    return onnx_op(g, "Add", ONNX_IN(zero, onnx_number(g, scale)));
}

static at_status scores(onnx_emit *e, const at_group *group, onnx_value q, onnx_value k, onnx_value *out,
                        at_err *err)
{
    onnx_graph *g = e->g;
    onnx_value turned = onnx_transpose(g, k, 4, (int64_t[]){0, 1, 3, 2});
    *out = onnx_op(g, "MatMul", ONNX_IN(q, turned));
    if (group->scale != 1)
        *out = onnx_op(g, "Mul", ONNX_IN(*out, scale_of(e, group->scale)));
    return post(g, group->post, out, err);
}

/* Pairs of keys as keys of their own: (B,H,A,d) and (B,H,A,d) to (B,H,A*A,d). */
static onnx_value pairs(onnx_graph *g, onnx_value a, onnx_value b, int64_t d)
{
    onnx_value rows = onnx_op(g, "Unsqueeze", ONNX_IN(a, ONNX_WHOLE(g, 3)));
    onnx_value columns = onnx_op(g, "Unsqueeze", ONNX_IN(b, ONNX_WHOLE(g, 2)));
    return onnx_reshape(g, onnx_op(g, "Mul", ONNX_IN(rows, columns)), 4, (int64_t[]){0, 0, -1, d});
}

static struct onnx_mask *pairs_mask(onnx_graph *g, const struct onnx_mask *m, struct onnx_mask *out)
{
    if (!m)
        return NULL;
    onnx_value both = onnx_op(g, "And",
                              ONNX_IN(onnx_op(g, "Unsqueeze", ONNX_IN(m->allowed, ONNX_WHOLE(g, 2))),
                                      onnx_op(g, "Unsqueeze", ONNX_IN(m->allowed, ONNX_WHOLE(g, 1)))));
    *out = *m;
    out->allowed = onnx_reshape(g, both, 2, (int64_t[]){0, -1});
    out->number = onnx_cast(g, out->allowed, onnx_real(g));
    return out;
}

/* Heads of what W y + b gives; with a cache, those of all rows: an input and an output more. */
static onnx_value split(onnx_emit *e, int b, int gi, const char *part, onnx_value y, int w, int bias,
                        int64_t d)
{
    onnx_graph *g = e->g;
    const at_group *group = &e->m->blocks[b].groups[gi];
    int64_t heads = group->heads;
    onnx_value x = onnx_reshape(g, onnx_linear(g, y, w, bias), 4, (int64_t[]){0, 0, heads, d});
    x = onnx_transpose(g, x, 4, (int64_t[]){0, 2, 1, 3});
    if (!e->cache || part[0] == 'q')
        return x;
    char name[64];
    snprintf(name, sizeof name, "past_%d_%d_%s", b, gi, part);
    onnx_port *in = NULL, *out;
    for (onnx_port *p = g->inputs; p; p = p->next)
        if (!strcmp(p->value, name))
            in = p;
    if (in)
        x = onnx_concat(g, 2, ONNX_IN(in->value, x));
    snprintf(name, sizeof name, "present_%d_%d_%s", b, gi, part);
    out = onnx_output(g, name, x, onnx_real(g), 4);
    onnx_dim(out, 0, "batch", 0);
    onnx_dim(out, 1, NULL, heads);
    onnx_dim(out, 2, "all", 0);
    onnx_dim(out, 3, NULL, d);
    return x;
}

static at_status weights(onnx_emit *e, const at_group *group, onnx_value q, onnx_value k,
                         const struct onnx_mask *m, onnx_value *w, at_err *err)
{
    onnx_graph *g = e->g;
    if (at_weighting_is(group->weighting, AT_IS_PHI)) {
        onnx_value turned = onnx_transpose(g, phi(g, k), 4, (int64_t[]){0, 1, 3, 2});
        *w = over_sum(g, cut(g, onnx_op(g, "MatMul", ONNX_IN(phi(g, q), turned)), m));
        return AT_OK;
    }
    onnx_value s;
    at_status st = scores(e, group, q, k, &s, err);
    if (st)
        return st;
    if (at_weighting_is(group->weighting, AT_IS_EXP))
        *w = softmax(g, s, m);
    else if (at_weighting_is(group->weighting, AT_IS_LEVEL))
        *w = onnx_sparsemax(g, s, m);
    else if (at_weighting_is(group->weighting, AT_IS_TIED))
        *w = hard(g, group, s, m);
    else
        return at_fail(err, AT_EREFUSED, "the weighting %s has no operators in onnx",
                       at_weighting_names[group->weighting]);
    return AT_OK;
}

at_status onnx_group(onnx_emit *e, int b, int gi, onnx_value y, onnx_value *out, at_err *err)
{
    onnx_graph *g = e->g;
    const at_group *group = &e->m->blocks[b].groups[gi];
    struct onnx_mask *m, two;
    at_status s = mask_of(e, &group->mask, &m, err);
    if (s)
        return s;
    onnx_value q = split(e, b, gi, "q", y, group->q, group->qb, group->dk);
    onnx_value k = split(e, b, gi, "k", y, group->k, group->kb, group->dk);
    onnx_value v = split(e, b, gi, "v", y, group->v, group->vb, group->dv), w = NULL;
    if (at_weighting_is(group->weighting, AT_IS_PAIRS)) {
        k = pairs(g, k, split(e, b, gi, "k2", y, group->k2, group->k2b, group->dk), group->dk);
        v = pairs(g, v, split(e, b, gi, "v2", y, group->v2, group->v2b, group->dv), group->dv);
        m = pairs_mask(g, m, &two);
    }
    s = weights(e, group, q, k, m, &w, err);
    if (s)
        return s;
    onnx_value mixed = onnx_transpose(g, onnx_op(g, "MatMul", ONNX_IN(w, v)), 4, (int64_t[]){0, 2, 1, 3});
    mixed = onnx_reshape(g, mixed, 3, (int64_t[]){0, 0, (int64_t)group->heads * group->dv});
    *out = onnx_linear(g, mixed, group->o, group->ob);
    return AT_OK;
}
