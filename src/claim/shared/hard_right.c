/* hard_right.c: nets that are right about sparse averaging: they carry every vector.
 *
 * Feed-forward, N d units in the first layer, as few as any right net has (bound qsa-fnn-hard). |z| <= 1 leaves room for the subset's
 * rank r_i, of 0..R-1, in the same number:
 *   1. Row i is z_i + 8 r_i e_1. Units of the first layer: a = the coordinates of all rows, plus 1; they are at least 0.
 *   2. s_iv = [r_i >= v] = relu(t) - relu(t - 1), t = (a_i1 - 8v + 5)/2, is at least 5/2 or at most -1/2. Beside these the a go on.
 *   3. b_ij = [j in y_i] is linear in the s_iv, and z_jc = a_jc - 1 - 8 [c = 1] sum_v s_jv. relu(z_jc + 2 b_ij - 1) is
 *      z_jc + 1 for j in y_i, else 0.
 *   4. Their sum over j, divided by q, less 1 is the mean: there are q of them.
 * Recurrent, (N-1) d numbers of state: coordinate (j, c) of a GRU's state opens at position j only and keeps tanh(z/8); gates are far
 * enough from 0 for the rest to stay to the bit. The last position selects from 8 tanh(z/8), within 0.0053 of z (8 tanh(1/8) =
 * 0.99482), and its own vector from its row. With few bits tanh(z) itself is kept instead: what is computed of z/8 would be all error. */
#include "hard_nets.h"

#include <math.h>
#include <string.h>

#define GATE   64.0
#define SMALL  8.0
#define APART  8.0   /* of ranks */
#define WEIGHT (1e7) /* most weights of a layer */

/* ---- feed-forward ------------------------------------------------------------------------------------------------ */

typedef struct {
    int N, q, d, R;
    double *member; /* (R, N) */
} subsets;

static bool subsets_list(const hard_qsa *z, at_arena *a, subsets *out)
{
    int element[256];
    *out = (subsets){z->N, z->q, z->d, (int)at_choose(z->N, z->q), NULL};
    if (!(out->member = at_new(a, double, (size_t)out->R *(size_t)z->N)))
        return false;
    for (int r = 0; r < out->R; r++) {
        at_subset_unrank(r, z->q, element);
        for (int k = 0; k < z->q; k++)
            out->member[r * z->N + element[k] - 1] = 1;
    }
    return true;
}

/* Step 2: units of s_jv, v = 1..R-1, first the one of t, and of a_u. */
static int step_unit(const subsets *y, int j, int v)
{
    return 2 * (j * (y->R - 1) + v - 1);
}
static int kept_unit(const subsets *y, int u)
{
    return 2 * y->N * (y->R - 1) + u;
}

static void first_layers(const subsets *y, int idle, at_model *m, const at_dense *layer)
{
    int inputs = y->N * y->d;
    double *w = at_model_data(m, layer[0].w), *b = at_model_data(m, layer[0].b),
           *w2 = at_model_data(m, layer[1].w), *b2 = at_model_data(m, layer[1].b);
    for (int u = idle; u < inputs; u++) {
        w[(size_t)u * (size_t)inputs + (size_t)u] = b[u] = 1;
        w2[(size_t)kept_unit(y, u) * (size_t)inputs + (size_t)u] = 1;
    }
    for (int j = 0; j < y->N; j++)
        for (int v = 1; v < y->R; v++)
            for (int k = 0; k < 2; k++) {
                int s = step_unit(y, j, v) + k;
                w2[(size_t)s * (size_t)inputs + (size_t)(j * y->d)] = 0.5;
                b2[s] = (5 - APART * v) / 2 - k;
            }
}

/* Adds factor * s_jv to a row of the layer behind. */
static void step_add(const subsets *y, double *row, int j, int v, double factor)
{
    row[step_unit(y, j, v)] += factor;
    row[step_unit(y, j, v) + 1] -= factor;
}

static void last_layers(const subsets *y, at_model *m, const at_dense *layer)
{
    int N = y->N, d = y->d, hidden = layer[1].rows, units = layer[2].rows;
    double *w = at_model_data(m, layer[2].w), *b = at_model_data(m, layer[2].b),
           *v = at_model_data(m, layer[3].w), *c = at_model_data(m, layer[3].b);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int e = 0; e < d; e++) {
                int u = (i * N + j) * d + e;
                double *row = w + (size_t)u * (size_t)hidden;
                row[kept_unit(y, j * d + e)] = 1;
                b[u] = -2 + 2 * y->member[j];
                for (int r = 1; r < y->R; r++) {
                    step_add(y, row, i, r, 2 * (y->member[r * N + j] - y->member[(r - 1) * N + j]));
                    if (!e)
                        step_add(y, row, j, r, -APART);
                }
                v[(size_t)(i * d + e) * (size_t)units + (size_t)u] = 1.0 / y->q;
                c[i * d + e] = -1;
            }
}

static at_status ffn_right(const hard_qsa *z, at_model *m, at_err *err)
{
    hard_qsa of = *z;
    int N = z->N, d = z->d;
    double R = (double)at_choose(N, z->q), inner = 2 * N * (R - 1) + N * d;
    if (inner * N * N * d > WEIGHT)
        return at_fail(err, AT_EDOMAIN, "N=%d q=%d d=%d: a layer of %.0f weights is above %.0f", N, z->q, d,
                       inner * N * N * d, WEIGHT);
    of.units = N * d;
    of.skip = false;
    subsets y;
    at_status s = hard_qsa_shape(&of, d, m, err);
    if (!s)
        s = hard_qsa_layers(m, &m->blocks[0], 4, (const int[]){N * d, (int)inner, N * N * d, N * d}, err);
    if (!s && !subsets_list(&of, &m->arena, &y))
        s = at_oom(err);
    if (!s) {
        hard_qsa_fields(&of, (at_embed){0, d, -1}, (at_embed){0, d, -1}, m);
        s = at_model_layout(m, err);
    }
    if (s) {
        at_model_release(m);
        return s;
    }
    for (int e = 0; e < d; e++)
        at_model_data(m, m->fields[0].embed.tensor)[e * d + e] = at_model_data(m, m->readout.w)[e * d + e] =
            1;
    for (int r = 0; r < y.R; r++)
        at_model_data(m, m->fields[1].embed.tensor)[r * d] = APART * r;
    first_layers(&y, z->idle, m, m->blocks[0].dense);
    last_layers(&y, m, m->blocks[0].dense);
    return AT_OK;
}

/* ---- recurrent ---------------------------------------------------------------------------------------------------- */

/* Row: z (d), 1 on y and -1 off it (N), indicator of the position (N), what was kept ((N-1) d), the answer (d). */
static at_status rnn_shape(const hard_qsa *z, at_model *m, at_err *err)
{
    hard_qsa of = *z;
    int N = z->N, d = z->d, S = (N - 1) * d, D = d + 2 * N + S + d;
    of.units = S;
    of.cell = AT_CELL_GRU;
    at_status s = hard_qsa_shape(&of, D, m, err);
    if (!s && !(m->pos = at_new(&m->arena, at_pos, 1)))
        s = at_oom(err);
    if (s)
        return s;
    hard_qsa_fields(&of, (at_embed){0, d, -1}, (at_embed){d, N, -1}, m);
    m->n_pos = 1;
    m->pos[0] = (at_pos){.kind = AT_POS_TABLE, .size = N, .embed = {d + N, N, -1}};
    m->n_blocks = 2;
    m->blocks[0].residual = true;
    m->blocks[1] = (at_block){.kind = AT_BLOCK_MLP, .act = AT_ACT_RELU, .residual = true};
    s = hard_qsa_layers(m, &m->blocks[1], 2, (const int[]){N * d, D}, err);
    return s ? s : at_model_layout(m, err);
}

static void rnn_gates(const hard_qsa *z, at_model *m)
{
    double small = z->small > 0 ? z->small : SMALL;
    const at_rnn *r = &m->blocks[0].rnn;
    int N = z->N, d = z->d, S = (N - 1) * d, D = m->width, kept = d + 2 * N;
    double *w = at_model_data(m, r->w), *b = at_model_data(m, r->b), *o = at_model_data(m, r->o);
    for (int k = 0; k < S; k++) {
        w[(size_t)(S + k) * (size_t)D + (size_t)(d + N + k / d)] =
            -2 * GATE; /* the gate z of the GRU: 1 keeps */
        b[S + k] = GATE;
        if (k >= z->idle)
            w[(size_t)(2 * S + k) * (size_t)D + (size_t)(k % d)] = 1 / small;
        o[(size_t)(kept + k) * (size_t)S + (size_t)k] = small;
    }
}

static at_status rnn_right(const hard_qsa *z, at_model *m, at_err *err)
{
    int N = z->N, d = z->d, units = N * d, element[256];
    at_status s =
        N < 2 ? at_fail(err, AT_EDOMAIN, "N=%d: a state takes two positions", N) : rnn_shape(z, m, err);
    if (s) {
        at_model_release(m);
        return s;
    }
    int D = m->width, answer = D - d, kept = d + 2 * N;
    double *table = at_model_data(m, m->fields[1].embed.tensor);
    for (int64_t k = 0; k < at_choose(N, z->q); k++) {
        at_subset_unrank(k, z->q, element);
        for (int j = 0; j < N; j++)
            table[k * N + j] = -1;
        for (int e = 0; e < z->q; e++)
            table[k * N + element[e] - 1] = 1;
    }
    rnn_gates(z, m);
    const at_dense *layer = m->blocks[1].dense;
    double *select = at_model_data(m, layer[0].w), *sum = at_model_data(m, layer[1].w),
           *less = at_model_data(m, layer[1].b);
    for (int e = 0; e < d; e++) {
        at_model_data(m, m->fields[0].embed.tensor)[e * d + e] = 1;
        at_model_data(m, m->readout.w)[(size_t)e * (size_t)D + (size_t)(answer + e)] = 1;
        less[answer + e] = -1;
    }
    for (int j = 0; j < N; j++)
        at_model_data(m, m->pos[0].embed.tensor)[j * N + j] = 1;
    for (int k = 0; k < units; k++) {
        double *row = select + (size_t)k * (size_t)D;
        row[k / d < N - 1 ? kept + k : k % d] = 1;
        row[d + k / d] = 1;
        sum[(size_t)(answer + k % d) * (size_t)units + (size_t)k] = 1.0 / z->q;
    }
    return AT_OK;
}

at_status hard_qsa_right(const hard_qsa *z, at_model *m, at_err *err)
{
    return z->recurrent ? rnn_right(z, m, err) : ffn_right(z, m, err);
}

at_status hard_qsa_right_of(const at_params *p, bool recurrent, at_model *m, at_err *err)
{
    hard_qsa z = {.N = at_params_int(p, "N"),
                  .q = at_params_int(p, "q"),
                  .d = at_params_int(p, "d"),
                  .recurrent = recurrent,
                  .idle = at_params_int(p, "idle"),
                  .small = recurrent ? at_params_get(p, "small") : 0};
    if (z.q > z.N)
        return at_fail(err, AT_EDOMAIN, "q=%d: must be at most N=%d", z.q, z.N);
    return hard_qsa_right(&z, m, err);
}

/* ---- is it right? -------------------------------------------------------------------------------------------------- */

/* Input number i: first those that ask every subset, one at the last position where only that answers, else N; then drawn and
 * adversarial ones by turns. */
static void input_fill(const hard_right *h, bool last, uint64_t i, uint64_t all, double *x)
{
    const at_task *t = at_task_find("qsa");
    int N = at_params_int(&h->task, "N"), q = at_params_int(&h->task, "q"),
        width = at_params_int(&h->task, "d") + q, element[256];
    at_rng r = at_rng_at(h->seed, i);
    if (i < all && !last) {
        t->nth(&h->task, AT_ENUM_SUBSETS, i, x);
        return;
    }
    (i % 2 ? t->adversarial : t->sample)(&h->task, &r, x);
    if (i < all) {
        at_subset_unrank((int64_t)i, q, element);
        for (int e = 0; e < q; e++)
            x[N * width - q + e] = element[e];
    }
}

at_status hard_right_trial(const hard_right *h, const at_model *m, uint64_t limit, const at_check_env *env,
                           at_arena *a, at_verdict *out, at_err *err)
{
    int N = at_params_int(&h->task, "N"), q = at_params_int(&h->task, "q"), d = at_params_int(&h->task, "d");
    uint64_t each = (uint64_t)at_choose(N, q), wrong = 0;
    uint64_t all = m->readout.last ? each : (each + (uint64_t)N - 1) / (uint64_t)N, n = all + limit;
    at_subject subject = {.m = m,
                          .arith = h->arith,
                          .task = at_task_find("qsa"),
                          .params = &h->task,
                          .tolerance = h->tolerance};
    double *x = at_new(a, double, N *(d + q));
    at_status s = x ? AT_OK : at_oom(err);
    for (uint64_t i = 0; i < n && !s; i++) {
        at_arena scratch;
        at_answer y;
        at_arena_init(&scratch);
        input_fill(h, m->readout.last, i, all, x);
        s = at_subject_answer(&subject, &(at_input){N, x}, &scratch, &y, err);
        wrong += !s && !y.correct;
        at_arena_release(&scratch);
    }
    if (s)
        return s;
    *out = (at_verdict){
        .holds = wrong ? AT_FALSE : AT_TRUE, .evidence = AT_EV_SAMPLED, .inputs = n, .margin = NAN};
    out->note = at_arena_printf(a, "%d %s: wrong on %ju of %ju inputs, which ask for each of %ju subsets",
                                h->size, h->of, (uintmax_t)wrong, (uintmax_t)n, (uintmax_t)each);
    if (!out->note)
        return at_oom(err);
    at_witness shown = {.m = m,
                        .arith = h->arith,
                        .task = at_task_find("qsa"),
                        .params = &h->task,
                        .tolerance = h->tolerance};
    return env && env->witness && !wrong ? hard_rights_show(&shown, h->seed, env, err) : AT_OK;
}

at_status hard_qsa_right_trial(const at_params *p, const at_cell *cell, bool recurrent, uint64_t limit,
                               uint64_t seed, const at_check_env *env, at_arena *a, at_verdict *out,
                               at_err *err)
{
    hard_qsa_claim c;
    at_model m;
    at_status s = hard_qsa_open(p, cell, seed, &c, err);
    if (!s)
        s = hard_qsa_right_of(p, recurrent, &m, err);
    if (s)
        return s;
    hard_right h = {.task = c.task,
                    .arith = c.arith,
                    .seed = seed,
                    .tolerance = at_params_get(p, "tolerance"),
                    .size = recurrent ? m.blocks[0].rnn.state : m.blocks[0].dense[0].rows,
                    .of = recurrent ? "numbers of state" : "units in the first layer"};
    s = hard_right_trial(&h, &m, limit, env, a, out, err);
    at_model_release(&m);
    return s;
}
