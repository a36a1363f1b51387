/* look_make.c: a model run on an input, so that its attention can be looked at. */
#include "picture_internal.h"

#include <string.h>

/* A label a position: what the user wrote, and "blank" (numbered when there are several) where it is hidden. */
static const char **labels_make(const at_model *m, const at_input *x, at_arena *arena)
{
    int T = m->n_prefix + x->n + m->n_suffix, hidden = 0, width = at_model_row_width(m);
    const char **labels = at_new(arena, const char *, T);
    at_text t;
    at_text_init(&t);
    for (int k = 0; labels && k < T; k++) {
        t.n = 0;
        if (k >= m->n_prefix && k < m->n_prefix + x->n)
            at_input_print_row(m, x->v + (size_t)(k - m->n_prefix) * (size_t)width, k - m->n_prefix, &t);
        else if (m->n_prefix + m->n_suffix == 1)
            at_text_add(&t, "blank");
        else
            at_text_addf(&t, "blank%d", ++hidden);
        labels[k] = t.oom ? NULL : at_arena_strdup(arena, t.s ? t.s : "");
        if (!labels[k])
            labels = NULL;
    }
    at_text_release(&t);
    return labels;
}

#define TRACE_MOST ((double)((size_t)4 << 30)) /* bytes of attention matrices */

/* Weights and scores of every head are kept at once: refused before they are allocated. */
static at_status look_check(const at_model *m, int n, at_err *err)
{
    int64_t T = (int64_t)m->n_prefix + n + m->n_suffix, heads = 0;
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++)
            heads += m->blocks[b].groups[g].heads;
    if (T > AT_LOOK_MAX_LENGTH)
        return at_fail(err, AT_EDOMAIN, "%lld positions; at most %d can be looked at", (long long)T,
                       AT_LOOK_MAX_LENGTH);
    if (heads > AT_LOOK_MAX_HEADS)
        return at_fail(err, AT_EDOMAIN, "%lld heads; at most %d can be looked at", (long long)heads,
                       AT_LOOK_MAX_HEADS);
    double bytes = 2. * sizeof(double) * (double)heads * (double)T * (double)T;
    if (bytes > TRACE_MOST)
        return at_fail(err, AT_EDOMAIN,
                       "the attention of %lld heads at %lld positions takes %.0f MiB, at most %.0f",
                       (long long)heads, (long long)T, bytes / 1048576, TRACE_MOST / 1048576);
    return AT_OK;
}

/* A decoder is looked at with what it writes: the prompt and all rows that it is fed. One that writes more than can be
 * looked at is stopped there. */
static at_status continued(const at_model *m, at_arith a, const at_input *x, at_arena *arena, at_input *out,
                           at_err *err)
{
    double *rows = NULL, least;
    int n = 0;
    size_t width = (size_t)at_model_row_width(m);
    at_model cut = *m;
    int most = AT_LOOK_MAX_LENGTH - m->n_prefix - x->n + 1; /* at least 1 by look_check */
    bool shorter = most < m->decode.max_steps;
    if (shorter)
        cut.decode.max_steps = most;
    at_err why = {0};
    at_status s = at_generate(&cut, a, x, arena, &rows, &n, &least, &why);
    bool endless =
        s == AT_EBUDGET && !shorter && n > 0; /* what was written up to its limit can be looked at */
    if (shorter && (s == AT_EBUDGET || (!s && m->decode.stop == AT_STOP_STEPS)) && n == most)
        return at_fail(err, AT_EDOMAIN,
                       "more than %d positions with what it writes; at most %d can be looked at",
                       AT_LOOK_MAX_LENGTH, AT_LOOK_MAX_LENGTH);
    if (s && !endless)
        return at_fail(err, s, "%s", why.text);
    double *all = at_new(arena, double, (size_t)(x->n + n) * width);
    if (!all)
        return at_oom(err);
    memcpy(all, x->v, (size_t)x->n * width * sizeof *all);
    memcpy(all + (size_t)x->n * width, rows, (size_t)n * width * sizeof *all);
    *out = (at_input){x->n + n - 1, all}; /* the last row ends the chain and is not fed back */
    return AT_OK;
}

at_status at_look_rows(const at_model *m, at_arith a, const at_input *x, at_arena *arena, at_look *out,
                       at_err *err)
{
    at_trace *trace = at_new(arena, at_trace, 1);
    at_output *y = at_new(arena, at_output, 1);
    if (!trace || !y)
        return at_oom(err);
    at_status s = look_check(m, x->n, err);
    if (!s)
        s = at_run(m, a, x, trace, arena, y, err);
    if (s)
        return s;
    const char **labels = labels_make(m, x, arena);
    if (!labels)
        return at_oom(err);
    *out = (at_look){.model = m, .trace = trace, .output = y, .labels = labels};
    return AT_OK;
}

at_status at_look_whole(const at_model *m, at_arith a, const at_input *x, at_arena *arena, at_input *out,
                        at_err *err)
{
    at_status s = look_check(m, x->n, err);
    at_input whole = *x;
    if (!s && m->decode.enabled && x->n <= m->decode.prompt_max)
        s = continued(m, a, x, arena, &whole, err);
    *out = whole;
    return s;
}

at_status at_look_make(const at_model *m, at_arith a, const at_input *x, at_arena *arena, at_look *out,
                       at_err *err)
{
    at_input whole;
    at_status s = at_look_whole(m, a, x, arena, &whole, err);
    return s ? s : at_look_rows(m, a, &whole, arena, out, err);
}
