/* data.c: numbers that the definition of a task needs beside its parameters: weights of a net, counts of an n-gram model.
 *
 * attest draws them from a seed. A verifier need not know how: they are data of the problem, whole numbers or doubles, and the
 * rule of the task (rules.c) names them. */
#include "cert_internal.h"

#include <string.h>

static void table(at_text *t, const char *name, const double *v, int rows, int columns)
{
    at_text_addf(t, "%s\"%s\": ", t->s[t->n - 1] == '{' ? "" : ", ", name);
    cert_rows(t, v, rows, columns);
}

static at_status relu_net(const at_params *p, at_arena *a, at_text *t, at_err *err)
{
    int d1 = at_params_int(p, "d1"), h = at_params_int(p, "h"), d2 = at_params_int(p, "d2");
    double *w = at_new(a, double, (size_t)h *(size_t)(d1 + 1 + d2) + (size_t)d2);
    if (!w)
        return at_oom(err);
    double *b1 = w + h * d1, *w2 = b1 + h, *b2 = w2 + d2 * h;
    at_relu_net_weights(p, w, b1, w2, b2);
    table(t, "w1", w, h, d1);
    table(t, "b1", b1, h, 1);
    table(t, "w2", w2, d2, h);
    table(t, "b2", b2, d2, 1);
    return AT_OK;
}

static at_status linear_map(const at_params *p, at_arena *a, at_text *t, at_err *err)
{
    int d1 = at_params_int(p, "d1"), d2 = at_params_int(p, "d2");
    double *w = at_new(a, double, (size_t)d1 *(size_t)d2);
    if (!w)
        return at_oom(err);
    at_linear_map_weights(p, w);
    table(t, "A", w, d2, d1);
    return AT_OK;
}

/* A row a history: those of fewer words first, each as a number to base W. */
static at_status next_word(const at_params *p, at_arena *a, at_text *t, at_err *err)
{
    int W = at_params_int(p, "W"), n = at_params_int(p, "n"), histories = 1;
    for (int k = 1, all = 1; k < n; k++)
        histories += all *= W;
    uint64_t *count = at_new(a, uint64_t, W + 1);
    double *v = at_new(a, double, (size_t)histories *(size_t)(W + 1));
    if (!count || !v)
        return at_oom(err);
    for (int i = 0; i < histories; i++) {
        at_next_word_counts(p, (uint64_t)i, count);
        for (int w = 0; w <= W; w++)
            v[i * (W + 1) + w] = (double)count[w];
    }
    table(t, "counts", v, histories, W + 1);
    return AT_OK;
}

static const struct {
    const char *task;
    at_status (*put)(const at_params *p, at_arena *a, at_text *t, at_err *err);
} tables[] = {{"relu-net", relu_net}, {"linear-map", linear_map}, {"next-word", next_word}};

at_status cert_data(const cert_point *k, at_text *t, at_err *err)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (!strcmp(tables[i].task, k->task->id)) {
            at_text_add(t, ", \"data\": {");
            at_status s = tables[i].put(&k->tp, k->a, t, err);
            at_text_add(t, "}");
            return s;
        }
    return AT_OK;
}
