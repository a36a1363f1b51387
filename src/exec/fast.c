/* fast.c: the fast executor's public face: choice of kernels, lifetimes, the loop over a batch.
 *
 * A batch is cut into groups of L sequences, one a lane; the last group may be short. See fast.h for the
 * plan, fast_plan.c for how it is made and fast_kernels.inc for how it is run. */
#include "exec_internal.h"
#include "fast.h"

#include <math.h>

#include <stdlib.h>
#include <string.h>

static bool avx2_wanted(void)
{
#if defined(__x86_64__)
    const char *isa = getenv("ATTEST_ISA");
    return !(isa && strcmp(isa, "portable") == 0) && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

static const fast_kernel *kernel_choose(bool single)
{
#if defined(__x86_64__)
    if (avx2_wanted())
        return single ? &fast_avx2_f : &fast_avx2_d;
#endif
    return single ? &fast_portable_f : &fast_portable_d;
}

const char *at_exec_isa(void)
{
    return kernel_choose(true)->isa;
}

bool at_exec_avx512(void)
{
#if defined(__x86_64__)
    const char *isa = getenv("ATTEST_ISA");
    return avx2_wanted() && !(isa && strcmp(isa, "avx2") == 0) && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw");
#else
    return false;
#endif
}

at_status at_exec_new(const at_model *m, at_arith a, int n, at_exec **out, at_err *err)
{
    if (a.kind != AT_F32 && a.kind != AT_F64)
        return at_fail(err, AT_EREFUSED, "the fast executor runs f32 and f64 only");
    at_status whole = exec_whole(m, err);
    if (whole)
        return whole;
    if (n < m->n_min || n > m->n_max)
        return at_fail(err, AT_EDOMAIN, "length %d is outside %d..%d", n, m->n_min, m->n_max);
    at_exec *e = at_calloc(1, sizeof *e);
    if (!e)
        return at_oom(err);
    at_arena_init(&e->arena);
    e->single = a.kind == AT_F32;
    e->kernel = kernel_choose(e->single);
    e->n = n;
    at_status s = fast_plan(e, m, err);
    at_scratch *scratch = NULL;
    if (!s && e->folded && !(s = at_scratch_new(e, &scratch, err)))
        e->kernel->fold(e, scratch);
    at_scratch_free(scratch);
    if (s) {
        at_exec_free(e);
        return s;
    }
    *out = e;
    return AT_OK;
}

void at_exec_free(at_exec *e)
{
    if (!e)
        return;
    at_arena_release(&e->arena);
    at_free(e);
}

/* The sum of a request list, taken in one place so that a failure is seen once. */
typedef struct {
    at_arena *arena;
    bool failed;
} taker;

static void *take(taker *t, size_t count, size_t size)
{
    void *p = t->failed ? NULL : at_arena_alloc(t->arena, count, size);
    t->failed |= !p;
    return p;
}

at_status at_scratch_new(const at_exec *e, at_scratch **out, at_err *err)
{
    at_scratch *s = at_calloc(1, sizeof *s);
    if (!s)
        return at_oom(err);
    at_arena_init(&s->arena);
    taker t = {&s->arena, false};
    size_t T = (size_t)e->T, D = (size_t)e->D, V = (size_t)e->kernel->vector, K = (size_t)e->max_dk,
           W = (size_t)e->max_dv;
    size_t buffered = e->all_scores && T > FAST_CHUNK ? T : FAST_CHUNK;
    s->x = take(&t, T * D, V);
    s->y = take(&t, T * D, V);
    s->normed = take(&t, e->any_norm ? T * D : 1, V);
    s->before = take(&t, e->any_parallel ? T * D : 1, V);
    s->q = take(&t, T * K, V);
    s->kv = take(&t, T * (size_t)e->max_kv, V);
    s->kv2 = take(&t, T * (size_t)e->max_kv2, V);
    s->gathered =
        take(&t, e->folded ? K + (size_t)e->max_kv + (size_t)e->max_kv2 + (size_t)e->kernel->lanes : 1, V);
    s->mix = take(&t, T * W, V);
    s->small = take(&t, FAST_QUERIES * (K + 2 * W + 2) + K * (W + 1), V);
    s->scores = take(&t, buffered * FAST_QUERIES, V);
    s->rows = take(&t, buffered, sizeof *s->rows);
    s->lane = take(&t, e->any_lane ? 3 * T : 1, sizeof(double));
    s->flag = take(&t, e->any_lane ? T : 1, sizeof *s->flag);
    s->hidden = take(&t, (e->any_gate ? 3 : 2) * FAST_TILE * (size_t)e->max_hidden, V);
    size_t decided = (size_t)at_exec_positions(e) * (size_t)e->kernel->lanes;
    bool argmax = e->ro.kind == AT_READ_ARGMAX;
    s->value = take(&t, argmax ? 1 : decided * (size_t)e->R, sizeof *s->value);
    s->top = take(&t, argmax ? decided : 1, sizeof *s->top);
    s->weigh = take(&t, at_read_distribution(e->ro.kind) ? 3 * (size_t)e->R : 1, sizeof *s->weigh);
    s->symbols = take(&t, T * (size_t)e->kernel->lanes, sizeof *s->symbols);
    if (t.failed) {
        at_scratch_free(s);
        return at_oom(err);
    }
    *out = s;
    return AT_OK;
}

void at_scratch_free(at_scratch *s)
{
    if (!s)
        return;
    at_arena_release(&s->arena);
    at_free(s);
}

/* Where the readout is a distribution, values (rows, R) become probabilities: the reference weighs them, in numbers as wide as the
 * executor's own. */
static void distributions(const at_exec *e, const at_scratch *s, double *value, size_t rows)
{
    size_t R = (size_t)e->R;
    at_weighting by = at_read_weighting(e->ro.kind);
    if (!at_read_distribution(e->ro.kind))
        return;
    for (; rows; rows--, value += R) {
        if (e->single) {
            float *row = (float *)s->weigh, *w = row + R;
            for (size_t k = 0; k < R; k++)
                row[k] = (float)value[k];
            float den = ref_weigh_f(by, 0, row, R, w, w + R, NULL);
            for (size_t k = 0; k < R; k++)
                value[k] = (double)(w[k] / den);
        } else {
            double *w = s->weigh, den = ref_weigh_d(by, 0, value, R, w, w + R, NULL);
            for (size_t k = 0; k < R; k++)
                value[k] = w[k] / den;
        }
    }
}

void at_exec_run(const at_exec *e, at_scratch *s, const double *v, int batch, double *value)
{
    size_t in = (size_t)e->n * (size_t)e->row_width, out = (size_t)at_exec_positions(e) * (size_t)e->R;
    for (int b = 0; out && b < batch;
         b += e->kernel->lanes) { /* of the empty input perhaps nothing is read */
        int count = batch - b < e->kernel->lanes ? batch - b : e->kernel->lanes;
        e->kernel->run(e, s, v + (size_t)b * in, count, value + (size_t)b * out, NULL);
        distributions(e, s, value + (size_t)b * out, (size_t)count * (size_t)at_exec_positions(e));
    }
}

static void top_decide(const fast_top *t, int count, double *decision, double *margin)
{
    for (int k = 0; k < count; k++, t++) {
        decision[k] = t->finite ? t->row : NAN;
        margin[k] = !t->finite ? 0 : isinf(t->second) ? INFINITY : ref_gap(t->best, t->second);
    }
}

void at_exec_decide(const at_exec *e, at_scratch *s, const double *v, int batch, double *decision,
                    double *margin)
{
    bool argmax = e->ro.kind == AT_READ_ARGMAX;
    int positions = at_exec_positions(e);
    size_t in = (size_t)e->n * (size_t)e->row_width, out = (size_t)positions * (argmax ? 1 : (size_t)e->R);
    for (int b = 0; out && b < batch; b += e->kernel->lanes) {
        int count = batch - b < e->kernel->lanes ? batch - b : e->kernel->lanes;
        e->kernel->run(e, s, v + (size_t)b * in, count, argmax ? NULL : s->value, s->top);
        if (argmax) {
            top_decide(s->top, count * positions, decision + (size_t)b * out, margin + (size_t)b * out);
            continue;
        }
        distributions(e, s, s->value, (size_t)count * (size_t)positions);
        at_decide(&e->ro, count * positions, s->value, decision + (size_t)b * out, margin + (size_t)b * out);
    }
}

int at_exec_positions(const at_exec *e)
{
    return e->read_hi - e->read_lo;
}

double at_exec_scores(const at_exec *e)
{
    return e->scores;
}
