/* compile_rasp_attend.c: aggregate and selector_width as heads.
 *
 * CLAIM rasp. A hidden position is the key "none":
 * 1. aggregate. Scores are 2t, or -|2d|, or -max(0, 2d), of the selector's sum t or d: integers, and those that are selected have the
 *    largest there can be, 2 or 0. NONE has the score between that and the next, 1 or -1, so it is the best where nothing is
 *    selected, and there alone; its value is the default. The best keys are the selected ones, and their mean is what
 *    aggregate says. Gap 1.
 * 2. selector_width. NONE is selected like the others, and is the only one with value 1: the mean is 1/(w + 1), w the width. The
 *    inverse look-up (program.h, at_at_share) makes w of it: position j holds j.
 * 3. A hidden position asks for NONE alone, or, under a strict mask, sees nothing: what comes out there is known, and taken away.
 * None of this grows with the length. Where a selector looks to the right, NONE is behind the word. */
#include <math.h>
#include <string.h>

#include "compile_rasp.h"

typedef struct {
    at_vec query, key;
    at_post post;
    at_mask mask;
    at_var none;
    bool blind; /* NONE itself sees nothing: a strict mask */
} head;

static at_status head_make(rasp_maker *m, int node, const rasp_form *f, bool width, head *h)
{
    static const at_mask_kind masks[] = {[RASP_ANYWHERE] = AT_MASK_NONE,
                                         [RASP_BEFORE] = AT_MASK_STRICT,
                                         [RASP_UP_TO] = AT_MASK_CAUSAL,
                                         [RASP_FROM] = AT_MASK_FUTURE,
                                         [RASP_AFTER] = AT_MASK_STRICT_FUTURE};
    bool right = f->side == RASP_FROM || f->side == RASP_AFTER;
    at_var *q = at_new(m->a, at_var, f->n + 3), *k = at_new(m->a, at_var, f->n + 3), one = at_const(m->P, 1);
    if (!q || !k)
        return at_oom(m->err);
    if (right && m->end < 0)
        return rasp_refuse(m, node, "a selector to the right without a position behind the word");
    bool table = f->way == RASP_BY_TABLE;
    double times = width ? 1 : 2, none = m->o->none ? m->o->none : 1;
    int n = 0;
    h->none = right ? m->end : m->begin;
    h->mask = (at_mask){.kind = masks[f->side]};
    h->post = table ? AT_POST_ID : f->way == RASP_BY_ZERO ? AT_POST_NEG_ABS : AT_POST_NEG_RELU;
    h->blind = f->side == RASP_BEFORE || f->side == RASP_AFTER;
    for (int c = 0; c < f->n; c++) {
        q[n] = at_scaled(m->P, times, f->q[c]);
        k[n++] = f->k[c];
    }
    q[n] = one;
    if (table)
        k[n++] = at_scaled(m->P, none, h->none);
    else { /* the other hidden position is never selected, and hidden positions select NONE */
        at_var other = m->end < 0 ? -1 : right ? m->begin : m->end;
        at_var far = other < 0 ? at_const(m->P, 0) : at_scaled(m->P, times, other);
        k[n++] = at_add(m->P, far, at_scaled(m->P, none - width, h->none));
        q[n] = at_scaled(m->P, times, m->hidden);
        k[n++] = m->user;
    }
    h->query = (at_vec){n, q};
    h->key = (at_vec){n, k};
    return AT_OK;
}

/* The error that a head of softmax should have: what it is made from must have less, so the wish is weaker with every head on the
 * way, and where the selector multiplies what it compares. `second`: the look-up behind a width. */
static double wanted(const rasp_maker *m, int node, const rasp_form *f, int second)
{
    double size = m->N + 2.0, e = 0x1p-42 / size / size, most = 0x1p-8 / size / size;
    for (int k = 2 * m->depth[node] + second - 2; k > 0; k--)
        e *= 256 * size;
    e *= f->times;
    return !m->o->softmax ? 0 : e < most ? e : most;
}

/* x without what comes out at hidden positions: c, or 0 at NONE where it is blind. */
static at_var without(rasp_maker *m, const head *h, at_var x, double c)
{
    x = rasp_without(m, x, c);
    return h->blind && c ? at_add(m->P, x, at_scaled(m->P, c, h->none)) : x;
}

static at_status width_make(rasp_maker *m, int node, const rasp_form *f)
{
    head h;
    at_status s = head_make(m, node, f, true, &h);
    if (s)
        return s;
    rasp_serves(m, node);
    at_var share = at_attend(m->P, rasp_label(m, node),
                             &(at_attention){.query = h.query,
                                             .key = h.key,
                                             .value = AT_VEC(h.none),
                                             .weighting = m->weighting,
                                             .mask = h.mask,
                                             .post = h.post,
                                             .gap = 1,
                                             .error = wanted(m, node, f, 0)});
    if (h.blind) /* a width of 0 there */
        share = at_add(m->P, share, h.none);
    at_var w = at_at_share(m->P, rasp_label(m, node), share, AT_VEC(m->here),
                           &(at_counting){.weighting = m->weighting,
                                          .here = m->here,
                                          .least = 1 / (m->N + 1.0),
                                          .error = wanted(m, node, f, 1)});
    rasp_serves(m, -1);
    m->value[node] =
        (rasp_value){.sort = RASP_INTEGER, .den = 1, .v = at_known(m->P, NULL, w, 0, m->N, true, -1)};
    return AT_OK;
}

static at_status aggregate_make(rasp_maker *m, int node, const rasp_form *f)
{
    const at_rasp_node *v = &m->r->node[node];
    const rasp_value *x = &m->value[v->arg[1]];
    const at_rasp_range *g = &m->range[node];
    rasp_value *out = &m->value[node];
    head h;
    at_status s = head_make(m, node, f, false, &h);
    if (s)
        return s;
    bool text = x->sort == RASP_TEXT, truths = m->range[v->arg[1]].kind == AT_RASP_BOOL,
         once = text || truths || m->range[v->arg[0]].once;
    int n = text ? g->n : 1;
    at_var *value = at_new(m->a, at_var, n), *is = at_new(m->a, at_var, n);
    double *none = at_new(m->a, double, n);
    if (!value || !none || !is)
        return at_oom(m->err);
    *out = (rasp_value){
        .sort = text ? RASP_TEXT : x->sort, .n = text ? n : 0, .string = g->string, .is = is, .den = x->den};
    if (x->sort == RASP_MEAN)
        return rasp_refuse(m, node, "the mean of a mean; compare or round what is averaged");
    if (text) {
        for (int k = 0; k < n; k++) {
            at_var b = rasp_one_of(m, x, g->string[k]);
            none[k] = strcmp(v->given ? v->atom.s : "", g->string[k]) == 0;
            value[k] = b < 0 ? at_const(m->P, 0) : b;
        }
    } else {
        bool used = v->given && !m->range[v->arg[0]].always;
        double den = used ? (double)v->atom.den : 1, up = x->den;
        while (fmod(up, den) != 0)
            up += x->den;
        if (up > 1e6)
            return rasp_refuse(m, node, "fractions with a common denominator above a million");
        out->den = up;
        none[0] = used ? (double)v->atom.num * (up / den) : 0;
        value[0] = at_scaled(m->P, up / x->den, x->v);
    }
    for (int k = 0; k < n; k++)
        if (none[k])
            value[k] = at_add(m->P, value[k], at_scaled(m->P, none[k], h.none));
    rasp_serves(m, node);
    at_var first = at_attend(m->P, rasp_label(m, node),
                             &(at_attention){.query = h.query,
                                             .key = h.key,
                                             .value = {n, value},
                                             .weighting = m->weighting,
                                             .mask = h.mask,
                                             .post = h.post,
                                             .gap = 1,
                                             .unique = once,
                                             .most = once ? 1 : 0,
                                             .error = wanted(m, node, f, 0)});
    rasp_serves(m, -1);
    for (int k = 0; k < n && first >= 0; k++) {
        is[k] = without(m, &h, first + k, none[k]);
        if (text || (truths && out->den == 1 && none[k] >= 0 && none[k] <= 1))
            is[k] = at_known(m->P, NULL, is[k], 0, 1, true, -1);
    }
    if (text)
        return AT_OK;
    out->v = is[0];
    out->is = NULL;
    out->boolean = g->kind == AT_RASP_BOOL;
    if (!once) { /* v is den times the mean */
        out->sort = RASP_MEAN;
        out->v = at_scaled(m->P, 1 / out->den, is[0]);
        out->mean[0] = v->arg[0];
        out->n_means = 1;
    }
    return AT_OK;
}

at_status rasp_attend(rasp_maker *m, int node)
{
    const at_rasp_node *v = &m->r->node[node];
    rasp_form *f;
    at_status s = rasp_select(m, v->arg[0], &f);
    if (s)
        return s;
    return v->op == AT_RASP_WIDTH ? width_make(m, node, f) : aggregate_make(m, node, f);
}
