/* test_reference_rivals.c: recurrent and flattening blocks in every arithmetic.
 *
 * The judge is a forward pass written here from the formulas in model.h, in double with the C library's tanh. at_run_bound in any
 * order encloses it: that bound allows each operation 4 half-ulps, and tanh as the library computes it (2 ulp) errs less than
 * the five operations that the reference takes for it, the last of which rounds a number near 1. So
 *
 *   f64     reference and judge lie in the f64 bound's ball
 *   ball    the judge lies within the f64 radius of the real value
 *   f32, p  runs lie in their literal bound's ball
 *   exact   refuses an rnn by name; runs a flattening ReLU net, whose value the real ball contains */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../exec_internal.h"

enum { D = 4, S = 3, WORDS = 3, MOST = 6, R = 2 };

static void must(at_status s, const at_err *err)
{
    if (s)
        fail_msg("status %d: %s", (int)s, err->text);
}

typedef struct {
    at_block_kind kind;
    at_rnn_cell cell;
    at_act act;
    bool residual;
} spec;

static void model_make(const spec *s, uint64_t seed, at_model *m)
{
    at_err err = {0};
    at_rng r = at_rng_at(seed, 0);
    at_model_init(m);
    m->width = D, m->n_max = MOST, m->n_prefix = 1;
    m->n_min = s->kind == AT_BLOCK_FLATTEN ? MOST : 1;
    m->prefix = (at_embed){0, D, -1};
    m->n_fields = m->n_blocks = 1;
    m->fields = at_new(&m->arena, at_field, 1);
    m->blocks = at_new(&m->arena, at_block, 1);
    at_dense *d = at_new(&m->arena, at_dense, 2);
    assert_true(m->fields && m->blocks && d);
    m->fields[0] = (at_field){.kind = AT_FIELD_TOKEN, .size = WORDS, .embed = {0, D, -1}};
    d[0].rows = 5, d[1].rows = (MOST + 1) * D;
    m->blocks[0] = (at_block){.kind = s->kind,
                              .residual = s->residual,
                              .rnn = {.cell = s->cell, .state = S},
                              .act = s->act,
                              .dense = d,
                              .n_dense = s->kind == AT_BLOCK_FLATTEN ? 2 : 0};
    m->readout.kind = AT_READ_RAW, m->readout.rows = R;
    must(at_model_layout(m, &err), &err);
    for (size_t i = 0; i < m->n_weights; i++)
        m->weights[i] = (double)(float)(0.7 * at_rng_normal(&r));
}

/* ---- the judge ------------------------------------------------------------------------------------------------ */

static double dot(const double *w, const double *x, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += w[k] * x[k];
    return sum;
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void judge_rnn(const at_model *m, int T, double x[][D], double out[][D])
{
    const at_rnn *r = &m->blocks[0].rnn;
    const double *w = at_model_data(m, r->w), *u = at_model_data(m, r->u), *b = at_model_data(m, r->b),
                 *ub = at_model_data(m, r->ub), *o = at_model_data(m, r->o), *ob = at_model_data(m, r->ob);
    double h[S] = {0};
    for (int t = 0; t < T; t++) {
        double next[S];
        for (int e = 0; e < S; e++) {
            double wy[3], uh[3];
            for (int part = 0; part < at_rnn_parts(r->cell); part++) {
                wy[part] = dot(w + (part * S + e) * D, x[t], D) + b[part * S + e];
                uh[part] = dot(u + (part * S + e) * S, h, S);
            }
            if (r->cell == AT_CELL_TANH) {
                next[e] = tanh(wy[0] + uh[0]);
            } else {
                double reset = sigmoid(wy[0] + uh[0]), z = sigmoid(wy[1] + uh[1]);
                next[e] = (1 - z) * tanh(wy[2] + reset * (uh[2] + ub[e])) + z * h[e];
            }
        }
        memcpy(h, next, sizeof h);
        for (int d = 0; d < D; d++)
            out[t][d] = dot(o + d * S, h, S) + ob[d];
    }
}

static void judge_flatten(const at_model *m, int T, double x[][D], double out[][D])
{
    const at_block *b = &m->blocks[0];
    const double *w0 = at_model_data(m, b->dense[0].w), *b0 = at_model_data(m, b->dense[0].b),
                 *w1 = at_model_data(m, b->dense[1].w), *b1 = at_model_data(m, b->dense[1].b);
    double hidden[5];
    for (int e = 0; e < 5; e++) {
        double s = dot(w0 + e * T * D, x[0], T * D) + b0[e];
        hidden[e] = b->act == AT_ACT_RELU ? fmax(s, 0) : s * 0.5 * erfc(-s * M_SQRT1_2);
    }
    for (int k = 0; k < T * D; k++)
        out[k / D][k % D] = dot(w1 + k * 5, hidden, 5) + b1[k];
}

static void judge(const at_model *m, const at_input *in, double *value)
{
    double x[MOST + 1][D], out[MOST + 1][D];
    int T = in->n + 1;
    for (int t = 0; t < T; t++)
        memcpy(x[t],
               t ? at_model_data(m, m->fields[0].embed.tensor) + (size_t)in->v[t - 1] * D
                 : at_model_data(m, m->prefix.tensor),
               sizeof x[t]);
    (m->blocks[0].kind == AT_BLOCK_RNN ? judge_rnn : judge_flatten)(m, T, x, out);
    for (int t = 1; t < T; t++)
        for (int k = 0; k < R; k++) {
            double sum = at_model_data(m, m->readout.b)[k];
            for (int d = 0; d < D; d++)
                sum += at_model_data(m, m->readout.w)[k * D + d] *
                       (out[t][d] + (m->blocks[0].residual ? x[t][d] : 0));
            *value++ = sum;
        }
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

static const spec specs[] = {
    {AT_BLOCK_RNN, AT_CELL_TANH, 0, false},    {AT_BLOCK_RNN, AT_CELL_TANH, 0, true},
    {AT_BLOCK_RNN, AT_CELL_GRU, 0, false},     {AT_BLOCK_RNN, AT_CELL_GRU, 0, true},
    {AT_BLOCK_FLATTEN, 0, AT_ACT_RELU, false}, {AT_BLOCK_FLATTEN, 0, AT_ACT_GELU, true}};
enum { SPECS = sizeof specs / sizeof *specs };

static at_input draw(const at_model *m, at_rng *r, double *v)
{
    int n = m->n_min + (int)at_rng_below(r, (uint64_t)(m->n_max - m->n_min + 1));
    for (int k = 0; k < n; k++)
        v[k] = (double)at_rng_below(r, WORDS);
    return (at_input){n, v};
}

static void inside(const at_output *ball, const double *value, double most, const char *what)
{
    for (int k = 0; k < ball->n * ball->rows; k++) {
        if (!(fabs(value[k] - ball->value[k]) <= ball->radius[k]))
            fail_msg("%s: %.17g is not %.17g +- %.2g", what, value[k], ball->value[k], ball->radius[k]);
        if (!(ball->radius[k] < most))
            fail_msg("%s: a radius of %.2g says nothing", what, ball->radius[k]);
    }
}

static void arithmetics(void **state)
{
    (void)state;
    const struct {
        const char *name;
        double most; /* radius */
    } rounded[] = {{"f32", 1e-3}, {"p24e8", 1e-3}, {"p16", 0.5}, {"p30", 1e-5}};
    for (int k = 0; k < SPECS; k++)
        for (uint64_t seed = 0; seed < 12; seed++) {
            at_err err = {0};
            at_model m;
            at_arena a;
            at_rng r = at_rng_at(seed, 7);
            double v[MOST], value[MOST * R];
            at_output bound, y, real;
            at_arith arith;
            at_arena_init(&a);
            model_make(&specs[k], seed, &m);
            at_input x = draw(&m, &r, v);
            judge(&m, &x, value);
            must(at_run_bound(&m, at_f64, &x, true, &a, &bound, &err), &err);
            must(at_run(&m, at_f64, &x, NULL, &a, &y, &err), &err);
            inside(&bound, value, 1e-10, "judge");
            inside(&bound, y.value, 1e-10, "f64");
            must(at_arith_parse("ball", &arith, &err), &err);
            must(at_run(&m, arith, &x, NULL, &a, &real, &err), &err);
            for (int i = 0; i < y.n * R; i++) {
                assert_true(real.radius[i] < 1e-14); /* of which most is the middle rounded to a double */
                assert_true(fabs(real.value[i] - value[i]) <= bound.radius[i] + real.radius[i]);
            }
            for (size_t p = 0; p < sizeof rounded / sizeof *rounded; p++) {
                must(at_arith_parse(rounded[p].name, &arith, &err), &err);
                must(at_run(&m, arith, &x, NULL, &a, &y, &err), &err);
                must(at_run_bound(&m, arith, &x, false, &a, &bound, &err), &err);
                inside(&bound, y.value, rounded[p].most, rounded[p].name);
            }
            at_arena_release(&a);
            at_model_release(&m);
        }
}

/* Saturated gates: exp overflows, and what is left is 0 or 1. */
static void saturated(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int p = 0; p < 3; p++) {
            at_err err = {0};
            at_model m;
            at_arena a;
            at_output y;
            at_arith arith;
            double v[3] = {0, 1, 2}, value[3 * R];
            at_arena_init(&a);
            model_make(&specs[k], 3, &m);
            for (size_t i = 0; i < m.tensors[m.blocks[0].rnn.b].count; i++)
                at_model_data(&m, m.blocks[0].rnn.b)[i] = i % 2 ? 1e4 : -1e4;
            must(at_arith_parse(p == 0 ? "f64" : p == 1 ? "f32" : "p12", &arith, &err), &err);
            at_input x = {3, v};
            judge(&m, &x, value);
            must(at_run(&m, arith, &x, NULL, &a, &y, &err), &err);
            for (int i = 0; i < 3 * R;
                 i++) /* gates are exact: sums of at most 8 terms of size 8 are rounded */
                assert_true(fabs(y.value[i] - value[i]) <= 64 *
                                                               (p == 2   ? 0x1p-12
                                                                : p == 1 ? 0x1p-24
                                                                         : 0x1p-53) *
                                                               8);
            at_arena_release(&a);
            at_model_release(&m);
        }
}

static void says(const at_err *err, const char *words)
{
    if (!strstr(err->text, words))
        fail_msg("\"%s\" does not say \"%s\"", err->text, words);
}

static void exact_and_refusals(void **state)
{
    (void)state;
    for (int k = 0; k < SPECS; k++) {
        at_err err = {0};
        at_model m;
        at_arena a;
        at_output y, real;
        at_arith exact, ball;
        double v[MOST] = {0, 1, 2, 0, 1, 2};
        at_input x = {MOST, v};
        at_exec *e;
        at_decoder *d;
        at_batch *batch;
        at_cost cost;
        at_trace trace;
        at_arena_init(&a);
        model_make(&specs[k], 1, &m);
        bool rnn = specs[k].kind == AT_BLOCK_RNN;
        must(at_arith_parse("exact", &exact, &err), &err);
        must(at_arith_parse("ball", &ball, &err), &err);
        if (specs[k].kind == AT_BLOCK_FLATTEN && specs[k].act == AT_ACT_RELU) {
            must(at_run(&m, exact, &x, NULL, &a, &y, &err), &err);
            must(at_run(&m, ball, &x, NULL, &a, &real, &err), &err);
            inside(&real, y.value, 1e-14, "exact");
        } else {
            assert_int_equal(at_run(&m, exact, &x, NULL, &a, &y, &err), AT_EREFUSED);
            says(&err, rnn ? "block 0 is an rnn of cell" : "erf");
        }
        err = (at_err){0};
        must(at_run(&m, at_f64, &x, &trace, &a, &y, &err), &err);
        assert_int_equal(trace.n_heads, 0);
        assert_int_equal(trace.n_states, 2);
        assert_int_equal(at_exec_new(&m, at_f32, MOST, &e, &err), AT_EREFUSED);
        says(&err, "block 0: the fast executor has no kernel for");
        err = (at_err){0};
        m.readout.kind = AT_READ_ARGMAX;
        m.decode = (at_decode){
            .enabled = true, .stop = AT_STOP_STEPS, .max_steps = 1, .prompt_min = 1, .prompt_max = 2};
        assert_int_equal(at_decoder_new(&m, at_f64, &d, &err),
                         rnn ? AT_OK : AT_EREFUSED); /* test_decode_cells.c */
        if (rnn)
            at_decoder_free(d);
        else
            says(&err, "decoder: block 0 reads inputs of one length");
        err = (at_err){0};
        m.n_prefix = rnn ? 0 : m.n_prefix; /* which it refuses first */
        must(rnn ? at_model_layout(&m, &err) : AT_OK, &err);
        assert_int_equal(at_batch_new(&m, at_f32, 2, 1, &batch, &err), AT_EREFUSED);
        says(&err, rnn ? "block 0: batched decoding has no step for rnn" : "decoder: block 0");
        err = (at_err){0};
        assert_int_equal(at_generation_cost(&m, 1, 1, &cost, &err), rnn ? AT_OK : AT_EREFUSED);
        says(&err, rnn ? "" : "block 0");
        at_arena_release(&a);
        at_model_release(&m);
    }
}

static void memory(void **state)
{
    (void)state;
    for (int k = 0; k < SPECS; k++) {
        at_model m;
        double v[MOST] = {0, 1, 2, 0, 1, 2};
        at_arith ariths[2] = {at_f64};
        at_err first = {0};
        must(at_arith_parse("ball", &ariths[1], &first), &first);
        model_make(&specs[k], 1, &m);
        for (int i = 0; i < 2; i++) {
            bool all = false;
            for (long nth = 1; !all; nth++) {
                at_err err = {0};
                at_arena a;
                at_output y;
                at_arena_init(&a);
                at_alloc_inject(nth);
                at_status s = at_run(&m, ariths[i], &(at_input){MOST, v}, NULL, &a, &y, &err);
                all = !at_alloc_injected();
                at_alloc_inject(0);
                assert_int_equal(s, all ? AT_OK : AT_ENOMEM);
                at_arena_release(&a);
            }
        }
        at_model_release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arithmetics), cmocka_unit_test(saturated),
                                       cmocka_unit_test(exact_and_refusals), cmocka_unit_test(memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
