/* mark.c: what the catalogue's theory says of a cell of a sweep.
 *
 * The axis of a heat map is the width, so that is what is compared: a cell is constructible when a decoder that the catalogue
 * builds and checks for this problem, size and attention has no more width. Its layers, heads, blocks and rows are its
 * own: it writes rows of states (docs/dp.md), or, for expressions, the very tokens.
 *
 * A cell is impossible when a bound rules out a decoder of its layers, heads and width that is always right. That is asked where
 * what is counted is what the stream has its decoders write: linear attention on lis. A chain there is any l_1 ... l_n with l_1 = 1
 * and l_i at most one above the largest before (numbers l_i n - i have it), so at least k^(n-k) chains begin with 1 ... k and go on
 * with any of these: as many as a prefix sum of n-k numbers modulo k has (dp-hard). The smallest decoder, width 8, remembers
 * 512 bits; the other tasks of the presets have fewer chains than 2^512, so nothing is asked there. */
#include "job_internal.h"

#include <attest/bound.h>
#include <attest/front.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static at_status params_of(const at_grid_cell *c, at_params *p, at_err *err)
{
    const at_stream *t = at_stream_find(c->task->stream);
    at_params_init(p, t->params, t->n_params);
    return at_params_parse(p, c->params, err);
}

/* The sizes of the recurrence that a task is an instance of. */
static bool recurrence_of(const char *stream, const at_params *p, const char **problem, char sizes[64])
{
    int n = at_params_has(p, "n") ? at_params_int(p, "n") : 0;
    if (!strcmp(stream, "lis")) {
        *problem = "lis";
        snprintf(sizes, 64, "n=%d top=%d", n, at_params_int(p, "range"));
        return true;
    }
    /* The recurrence has row and column 0 at 2 a letter, and a decoder of it one length of words. */
    if ((!strcmp(stream, "ed") || !strcmp(stream, "ed-local")) && !at_params_int(p, "border") &&
        at_params_int(p, "fixed")) {
        *problem = strcmp(stream, "ed") ? "edit-distance-local" : "edit-distance";
        snprintf(sizes, 64, "n1=%d n2=%d", n, n);
        return true;
    }
    return false;
}

static at_status recurrence_shape(const char *problem, const char *sizes, at_attention_kind kind, at_model *m,
                                  at_err *err)
{
    at_dp *d;
    at_dp_instance *x;
    int64_t size[AT_DP_MAX];
    at_status s = at_dp_example_load(problem, &d, err);
    if (s)
        return s;
    s = at_dp_sizes_parse(d, sizes, size, err);
    if (!s)
        s = at_dp_bind(d, size, &x, err);
    if (!s) {
        s = at_dp_shape(x, &(at_dp_options){.attention = kind}, m, err);
        at_dp_instance_free(x);
    }
    at_dp_free(d);
    return s;
}

/* Is a linear decoder of this cell ruled out on lis? */
static at_status linear_lis(const at_grid_cell *c, int n, at_mark_of *out, at_err *err)
{
    const at_train_arch *m = &c->recipe.arch;
    const at_bound *b = at_bound_find("dp-hard");
    int k = 2; /* the best */
    for (int i = 3; i < n; i++)
        k = (n - i) * at_log2(i) > (n - k) * at_log2(k) ? i : k;
    if (!b || n - k < 1)
        return AT_OK;
    char set[160];
    snprintf(set, sizeof set,
             "problem=prefix-sum attention=linear n=%d letters=%d layers=%d H=%d w=%d p=24 e=8", n - k, k,
             m->layers, m->heads, m->width / m->heads);
    at_params p;
    at_bound_result r;
    at_arena a;
    at_arena_init(&a);
    at_params_init(&p, b->params, b->n_params);
    at_status s = at_params_parse(&p, set, err);
    if (!s)
        s = at_bound_compute(b, &p, &a, &r, err);
    if (!s && r.verdict == AT_BOUND_BINDS) {
        out->mark = "impossible";
        snprintf(out->why, sizeof out->why, "dp-hard: at least %d^%d chains; %.110s", k, n - k, r.inequality);
    }
    at_arena_release(&a);
    return s;
}

/* What the front end of a problem makes of it at these parameters, beside the cell. */
static at_status compiled_mark(const at_grid_cell *c, at_mark_of *out, at_err *err)
{
    const at_problem *q = c->source->problem;
    const at_front *f = q ? at_front_of(q) : NULL;
    at_attention_kind kind = c->recipe.arch.attention;
    at_params p;
    at_model m;
    at_size z;
    at_err why = {0};
    if (!f) {
        snprintf(out->why, sizeof out->why, "no construction of it is known");
        return AT_OK;
    }
    at_status s = at_problem_params(q, AT_VIEW_CHAIN, c->params, &p, &why);
    if (!s)
        s = at_front_shape(f, &p, &(at_front_options){.attention = kind}, &m, &why);
    if (s == AT_ENOMEM || s == AT_ECANCEL)
        return at_fail(err, s, "%s", why.text);
    if (s) { /* this attention does not apply */
        snprintf(out->why, sizeof out->why, "%.150s", why.text);
        return AT_OK;
    }
    at_model_size(&m, &z);
    at_model_release(&m);
    bool fits = z.width <= c->recipe.arch.width;
    out->mark = fits ? "constructible" : "silent";
    snprintf(out->why, sizeof out->why, "compiled, %s: %d layers, %d heads, width %d %s %d",
             at_attention_names[kind], z.layers, z.heads, z.width, fits ? "<=" : ">", c->recipe.arch.width);
    return AT_OK;
}

at_status at_grid_mark(const at_grid_cell *c, at_mark_of *out, at_err *err)
{
    at_params p;
    at_model m;
    at_attention_kind kind = c->recipe.arch.attention;
    const char *problem, *family = "dp";
    char sizes[64];
    *out = (at_mark_of){.mark = "silent"};
    if (c->source && !at_stream_find(c->task->stream))
        return compiled_mark(c, out, err);
    at_status s = params_of(c, &p, err);
    if (s)
        return s;
    if (!strcmp(c->task->stream, "arithmetic")) {
        family = "arith";
        if (kind == AT_ATTENTION_LINEAR) {
            snprintf(out->why, sizeof out->why, "no construction with linear attention is in the catalogue");
            return AT_OK;
        }
        s = at_expr_model(&(at_expr_spec){.p = at_params_int(&p, "p"),
                                          .operators = at_params_int(&p, "operators"),
                                          .kind = kind},
                          &m, err);
    } else if (recurrence_of(c->task->stream, &p, &problem, sizes))
        s = recurrence_shape(problem, sizes, kind, &m, err);
    else {
        snprintf(out->why, sizeof out->why,
                 "no construction for this task at these parameters is in the catalogue");
        return AT_OK;
    }
    if (s)
        return s;
    at_size z;
    at_model_size(&m, &z);
    at_model_release(&m);
    bool fits = z.width <= c->recipe.arch.width;
    out->mark = fits ? "constructible" : "silent";
    snprintf(out->why, sizeof out->why, "%s-%s: %d layers, %d heads, width %d %s %d", family,
             at_attention_names[kind], z.layers, z.heads, z.width, fits ? "<=" : ">", c->recipe.arch.width);
    if (!strcmp(c->task->stream, "lis") && kind == AT_ATTENTION_LINEAR)
        return linear_lis(c, at_params_int(&p, "n"), out, err);
    return AT_OK;
}
