/* mark.c: what the catalogue's theory says of a cell of a sweep.
 *
 * The axis of a heat map is the width, so that is what is compared: a cell is constructible when a decoder that the catalogue
 * builds and checks for this problem, size and attention has no more width. Its layers, heads, blocks and rows are its
 * own: it writes rows of states (docs/dp.md), or, for expressions, the very tokens. No claim of the catalogue rules a width out at
 * the sizes of a sweep yet, so nothing is called impossible. */
#include "job_internal.h"

#include <attest/front.h>

#include <stdio.h>
#include <string.h>

static const at_dp_attention kinds[AT_TRAIN_ATTENTIONS] = {
    [AT_TRAIN_STANDARD] = AT_DP_STANDARD, [AT_TRAIN_SPARSE] = AT_DP_SPARSE, [AT_TRAIN_LINEAR] = AT_DP_LINEAR};

static at_status params_of(const at_grid_cell *c, at_params *p, at_err *err)
{
    const at_stream *t = at_stream_find(c->task->stream);
    at_params_init(p, t->params, t->n_params);
    return at_params_parse(p, c->params, err);
}

/* The sizes of the recurrence that a task is an instance of. */
static bool recurrence_of(const char *stream, const at_params *p, const char **problem, char sizes[64])
{
    int n = at_params_int(p, "n");
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

static at_status recurrence_shape(const char *problem, const char *sizes, at_dp_attention kind, at_model *m,
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

at_status at_grid_mark(const at_grid_cell *c, at_mark_of *out, at_err *err)
{
    at_params p;
    at_model m;
    at_dp_attention kind = kinds[c->recipe.arch.attention];
    const char *problem, *family = "dp";
    char sizes[64];
    *out = (at_mark_of){.mark = "silent"};
    at_status s = params_of(c, &p, err);
    if (s)
        return s;
    if (!strcmp(c->task->stream, "arithmetic")) {
        family = "arith";
        if (kind == AT_DP_LINEAR) {
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
             at_dp_attention_names[kind], z.layers, z.heads, z.width, fits ? "<=" : ">",
             c->recipe.arch.width);
    return AT_OK;
}
