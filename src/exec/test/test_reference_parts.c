/* test_reference_parts.c: what the loop of test_reference.c does not look at: decisions and their margins,
 * masked rows, undecided choices, traces, exact sums, refusals, memory. Models are small enough to do by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "../exec_internal.h"
#include "random_model.h"

static const at_arith ball = {AT_BALL, 128, 0}, exact = {AT_EXACT, 0, 0};
static const at_arith all[] = {
    {AT_F32, 0, 0}, {AT_F64, 0, 0}, {AT_PBIT, 11, 8}, {AT_BALL, 128, 0}, {AT_EXACT, 0, 0}};
enum { ALL = sizeof all / sizeof *all };

static void must(at_status st, const at_err *err)
{
    if (st)
        fail_msg("%s", err->text);
}

/* ---- models by hand ------------------------------------------------------------------------------------- */

/* One attention head (dk = dv = 1, no bias) between a token table of 4 rows and D = 6 and a readout; the MLP and
 * everything else is zero. Rows: coordinate 0 is the key, 1 the value, 2 the query, 3 receives the mix,
 * 4 a position feature. */
static void hand_model(at_weighting w, at_mask_kind mask, at_pos_kind pos, at_read_kind read, int rows,
                       at_model *m)
{
    at_err err = {0};
    random_spec s = {.weighting = w,
                     .mask = mask,
                     .pos = pos,
                     .heads = 1,
                     .dk = 1,
                     .dv = 1,
                     .one_group = true,
                     .no_bias = true,
                     .tokens_only = true,
                     .read = read,
                     .rows = rows};
    must(random_model(&s, m, &err), &err);
    memset(m->weights, 0, m->n_weights * sizeof *m->weights);
    at_group *g = &m->blocks[0].groups[0];
    g->scale = 1;
    at_model_data(m, g->k)[0] = 1;
    at_model_data(m, g->v)[1] = 1;
    at_model_data(m, g->q)[2] = 1;
    at_model_data(m, g->o)[3] = 1;
    at_model_data(m, m->readout.w)[3] = 1;
}

static void token_set(at_model *m, int token, double key, double value, double query)
{
    double *e = at_model_data(m, m->fields[0].embed.tensor) + token * m->width;
    e[0] = key;
    e[1] = value;
    e[2] = query;
}

/* ---- decisions ------------------------------------------------------------------------------------------------ */

static void decide(at_read_kind kind, int rows, const double *v, double decision, double margin)
{
    at_readout r = {.kind = kind, .rows = rows, .threshold = 0.25};
    double d = -7, g = -7;
    at_decide(&r, 1, v, &d, &g);
    if (isnan(decision))
        assert_true(isnan(d));
    else
        assert_true(d == decision);
    assert_true(g == margin);
}

static void decisions(void **state)
{
    (void)state;
    decide(AT_READ_ARGMAX, 3, (double[]){1, 3, 2.5}, 1, 0.5);
    decide(AT_READ_ARGMAX, 3, (double[]){1, 3, 3}, 1, 0);
    decide(AT_READ_ARGMAX, 1, (double[]){1}, 0, INFINITY);
    decide(AT_READ_ARGMAX, 2, (double[]){1, NAN}, NAN, 0);
    decide(AT_READ_ARGMAX, 2, (double[]){1, INFINITY}, NAN, 0);
    /* 1 - 2^-60 rounds to 1 as a double, which is not a lower bound */
    decide(AT_READ_ARGMAX, 2, (double[]){1, 0x1p-60}, 0, nextafter(1, 0));
    decide(AT_READ_ARGMAX, 2, (double[]){DBL_MAX, -DBL_MAX}, 0, DBL_MAX);
    decide(AT_READ_SIGN, 1, (double[]){-0.5}, 0, 0.5);
    decide(AT_READ_SIGN, 1, (double[]){0.5}, 1, 0.5);
    decide(AT_READ_THRESHOLD, 1, (double[]){0.25}, 0, 0);
    decide(AT_READ_THRESHOLD, 1, (double[]){0.5}, 1, 0.25);
    decide(AT_READ_THRESHOLD, 1, (double[]){0}, 0, 0.25);
    decide(AT_READ_ROUND, 1, (double[]){2.5}, 2, 0);
    decide(AT_READ_ROUND, 1, (double[]){3.5}, 4, 0);
    decide(AT_READ_ROUND, 1, (double[]){-1.75}, -2, 0.25);
    decide(AT_READ_RAW, 1, (double[]){-1.75}, -1.75, 0);
    decide(AT_READ_RAW, 1, (double[]){-INFINITY}, NAN, 0);
}

/* A model that reads token value v in row 0 (and `rival` in row 1): its decision in one arithmetic. */
static void outcome(at_read_kind kind, at_arith a, double v, double rival, at_tri decided, double decision,
                    double margin)
{
    at_model m;
    at_err err = {0};
    at_arena arena;
    at_output y;
    at_arena_init(&arena);
    hand_model(AT_LEFTMOST_HARD, AT_MASK_NONE, RANDOM_NO_POS, kind, kind == AT_READ_ARGMAX ? 2 : 1, &m);
    double *w = at_model_data(&m, m.readout.w);
    memset(w, 0, sizeof *w * (size_t)(m.readout.rows * m.width));
    w[1] = 1;
    if (kind == AT_READ_ARGMAX)
        w[m.width] = 1;
    m.readout.threshold = 0.25;
    token_set(&m, 1, rival, v, 0);
    must(at_run(&m, a, &(at_input){1, (double[]){1}}, NULL, &arena, &y, &err), &err);
    assert_int_equal(y.decided[0], decided);
    assert_true(y.decision[0] == decision);
    assert_true(y.margin[0] == margin);
    at_arena_release(&arena);
    at_model_release(&m);
}

static void outcomes(void **state)
{
    (void)state;
    for (int k = 0; k < ALL; k++) {
        bool b = all[k].kind == AT_BALL;
        outcome(AT_READ_ARGMAX, all[k], 1, 0.5, AT_TRUE, 0, 0.5);
        outcome(AT_READ_ARGMAX, all[k], 0.5, 1, AT_TRUE, 1, 0.5);
        outcome(AT_READ_ARGMAX, all[k], 1, 1, b ? AT_UNKNOWN : AT_TRUE, 0, 0);
        outcome(AT_READ_SIGN, all[k], 0, 0, AT_UNKNOWN, 0, 0);
        outcome(AT_READ_SIGN, all[k], -2, 0, AT_TRUE, 0, 2);
        outcome(AT_READ_THRESHOLD, all[k], 0.25, 0, AT_TRUE, 0, 0);
        outcome(AT_READ_THRESHOLD, all[k], 1, 0, AT_TRUE, 1, 0.75);
        outcome(AT_READ_ROUND, all[k], 2.5, 0, b ? AT_UNKNOWN : AT_TRUE, b ? 3 : 2, 0);
        outcome(AT_READ_ROUND, all[k], -1.5, 0, b ? AT_UNKNOWN : AT_TRUE, b ? -1 : -2, 0);
        outcome(AT_READ_ROUND, all[k], 1.75, 0, AT_TRUE, 2, 0.25);
        outcome(AT_READ_RAW, all[k], 1.75, 0, AT_TRUE, 1.75, 0);
    }
}

/* ---- attention ------------------------------------------------------------------------------------------------- */

/* A row without keys mixes zeros: first position under strict, last under strict future. */
static void masked_rows(void **state)
{
    (void)state;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int future = 0; future < 2; future++)
            for (int k = 0; k < ALL; k++) {
                at_model m;
                at_err err = {0};
                at_arena arena;
                at_output y;
                at_trace tr;
                at_arena_init(&arena);
                hand_model(w, future ? AT_MASK_STRICT_FUTURE : AT_MASK_STRICT, RANDOM_NO_POS, AT_READ_RAW, 1,
                           &m);
                for (int t = 0; t < 4; t++)
                    token_set(&m, t, 0, 3, 1);
                /* prefix and suffix rows hold the value 3 too */
                at_model_data(&m, m.prefix.tensor)[1] = at_model_data(&m, m.suffix.tensor)[1] = 3;
                if (w == AT_THREEWISE)
                    at_model_data(&m, m.blocks[0].groups[0].v2)[1] = 1;
                at_status st = at_run(&m, all[k], &(at_input){2, (double[]){0, 1}}, &tr, &arena, &y, &err);
                if (st == AT_EREFUSED) {
                    assert_int_equal(all[k].kind, AT_EXACT);
                } else {
                    must(st, &err);
                    for (int i = 0; i < tr.T; i++) {
                        double mixed = tr.state[1][i * tr.D + 3], sum = 0;
                        bool empty = i == (future ? tr.T - 1 : 0);
                        for (int j = 0; j < tr.T; j++) {
                            sum += tr.heads[0].w[i * tr.T + j];
                            if (tr.heads[0].score)
                                assert_int_equal(isinf(tr.heads[0].score[i * tr.T + j]) != 0,
                                                 future ? j <= i : j >= i);
                        }
                        assert_true(empty ? mixed == 0 && sum == 0
                                          : fabs(mixed - (w == AT_THREEWISE ? 9 : 3)) < 0.01 &&
                                                fabs(sum - 1) < 0.01);
                    }
                }
                at_arena_release(&arena);
                at_model_release(&m);
            }
}

/* Position 3 has key 3 * (1/3), position 2 the key 1: a tie that rationals see and balls cannot. Values -1
 * and 1: the ball must hold both, and the sign is Unknown. */
static void undecided(void **state)
{
    (void)state;
    const at_weighting kinds[] = {AT_LEFTMOST_HARD, AT_RIGHTMOST_HARD, AT_AVERAGE_HARD, AT_SPARSEMAX};
    const double truth[] = {1, -1, 0, 0};
    for (int k = 0; k < 4; k++) {
        at_model m;
        at_err err = {0};
        at_arena arena;
        at_output y;
        at_arena_init(&arena);
        hand_model(kinds[k], AT_MASK_NONE, AT_POS_INV_I, AT_READ_SIGN, 1, &m);
        /* all rows: key += 3/i; token 1 at i = 2 corrects 3/2 to 1; the ends (i = 1, 4) get key <= -1 */
        at_model_data(&m, m.pos[0].embed.tensor)[3] = 3; /* coordinate 1 + 3 = 4 */
        at_model_data(&m, m.blocks[0].groups[0].k)[4] = 1;
        at_model_data(&m, m.prefix.tensor)[0] = at_model_data(&m, m.suffix.tensor)[0] = -4;
        token_set(&m, 1, -0.5, 1, 1);
        token_set(&m, 2, 0, -1, 1);
        at_input x = {2, (double[]){1, 2}};
        must(at_run(&m, exact, &x, NULL, &arena, &y, &err), &err);
        assert_true(y.value[0] == truth[k] && y.value[1] == truth[k]);
        assert_int_equal(y.decided[0], truth[k] == 0 ? AT_UNKNOWN : AT_TRUE);
        must(at_run(&m, ball, &x, NULL, &arena, &y, &err), &err);
        assert_true(fabs(y.value[0] - truth[k]) <= y.radius[0]);
        assert_int_equal(y.decided[0], AT_UNKNOWN);
        if (kinds[k] == AT_SPARSEMAX)
            assert_true(y.radius[0] < 0x1p-100); /* no choice to make: sparsemax is continuous */
        else
            assert_true(y.radius[0] >= 1 && y.radius[0] < 1.001);
        /* a tie of width 1/8 makes them decidable again */
        m.blocks[0].groups[0].tie = 0.125;
        must(at_run(&m, ball, &x, NULL, &arena, &y, &err), &err);
        if (at_weighting_hard(kinds[k]))
            assert_true(y.radius[0] < 0x1p-100 && fabs(y.value[0] - truth[k]) <= y.radius[0]);
        at_arena_release(&arena);
        at_model_release(&m);
    }
}

/* A score and a tie that overflow: every key is within an infinite tie of an infinite maximum. */
static void infinite_tie(void **state)
{
    (void)state;
    const at_weighting kinds[] = {AT_LEFTMOST_HARD, AT_RIGHTMOST_HARD, AT_AVERAGE_HARD};
    const double truth[] = {5, 7, 4};
    for (int k = 0; k < 3; k++) {
        at_model m;
        at_err err = {0};
        at_arena arena;
        at_output y;
        at_arena_init(&arena);
        hand_model(kinds[k], AT_MASK_NONE, RANDOM_NO_POS, AT_READ_RAW, 1, &m);
        m.blocks[0].groups[0].tie = 1e300;
        at_model_data(&m, m.prefix.tensor)[1] = 5;
        at_model_data(&m, m.suffix.tensor)[1] = 7;
        token_set(&m, 1, 1e30, 1, 1e30);
        token_set(&m, 2, 0, 3, 1e30);
        at_input x = {2, (double[]){1, 2}};
        const at_arith narrow[] = {{.kind = AT_F32}, {AT_PBIT, 24, 8}};
        for (int a = 0; a < 2; a++) {
            must(at_run(&m, narrow[a], &x, NULL, &arena, &y, &err), &err);
            assert_true(y.value[0] == truth[k] && y.value[1] == truth[k]);
        }
        at_exec *e;
        at_scratch *s;
        double value[2];
        must(at_exec_new(&m, narrow[0], 2, &e, &err), &err);
        must(at_scratch_new(e, &s, &err), &err);
        at_exec_run(e, s, x.v, 1, value);
        assert_true(value[0] == truth[k] && value[1] == truth[k]);
        at_scratch_free(s);
        at_exec_free(e);
        at_arena_release(&arena);
        at_model_release(&m);
    }
}

/* What is read out is the last state of the trace, at every coordinate of every row that is read, also when a head is wider than
 * the model. */
static void states_are_read(void **state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        at_model m;
        at_err err = {0};
        at_arena arena;
        at_output y;
        at_trace tr;
        at_input x;
        at_arena_init(&arena);
        random_spec s = {.weighting = AT_SOFTMAX,
                         .pos = AT_POS_INV_I,
                         .seed = (uint64_t)k,
                         .width = 7,
                         .heads = k % 4 ? 2 : 9,
                         .dv = k % 4 ? 2 : 5,
                         .layers = 1 + k % 3,
                         .read = AT_READ_RAW,
                         .last = k % 2};
        must(random_model(&s, &m, &err), &err);
        must(random_input(&m, 5, 3, false, &arena, &x, &err), &err);
        must(at_run(&m, at_f64, &x, &tr, &arena, &y, &err), &err);
        assert_int_equal(tr.n_states, m.n_blocks + 1);
        assert_int_equal(tr.T, 7);
        for (int i = 0; i < y.n; i++)
            for (int r = 0; r < y.rows; r++) {
                const double *at = tr.state[tr.n_states - 1] + (s.last ? tr.T - 1 : i + m.n_prefix) * tr.D,
                             *w = at_model_data(&m, m.readout.w) + r * tr.D;
                double v = at_model_data(&m, m.readout.b)[r], size = fabs(v);
                for (int d = 0; d < tr.D; d++) {
                    v += w[d] * at[d];
                    size += fabs(w[d] * at[d]);
                }
                assert_true(fabs(v - y.value[i * y.rows + r]) <= 1e-14 * size);
            }
        at_arena_release(&arena);
        at_model_release(&m);
    }
}

/* At p bits the sums over keys are exact, so the order of the keys does not matter to a single bit; and partial
 * sums of two parties, merged, give the mix of the run. */
static void exact_sums(void **state)
{
    (void)state;
    at_model m;
    at_err err = {0};
    at_arena arena;
    at_output y, z;
    at_trace tr;
    at_arith a = {AT_PBIT, 8, 8};
    at_pfmt f = at_pfmt_of(a);
    at_arena_init(&arena);
    random_spec s = {.weighting = AT_SOFTMAX,
                     .pos = RANDOM_NO_POS,
                     .seed = 5,
                     .length = 22,
                     .heads = 1,
                     .dk = 3,
                     .dv = 1,
                     .one_group = true,
                     .no_bias = true,
                     .read = AT_READ_RAW};
    must(random_model(&s, &m, &err), &err);
    at_input x;
    must(random_input(&m, 20, 11, false, &arena, &x, &err), &err);
    int wide = at_model_row_width(&m);
    double *v = at_new(&arena, double, 20 * wide);
    for (int t = 0; t < 20; t++)
        memcpy(v + t * wide, x.v + (t * 7 + 3) % 20 * wide, sizeof *v * (size_t)wide);
    must(at_run(&m, a, &x, NULL, &arena, &y, &err), &err);
    must(at_run(&m, a, &(at_input){20, v}, NULL, &arena, &z, &err), &err);
    for (int t = 0; t < 20; t++)
        assert_memory_equal(z.value + t * 3, y.value + (t * 7 + 3) % 20 * 3, 3 * sizeof(double));

    /* the hand model: key, value and query in coordinates of their own, so the states show the mix */
    at_model_release(&m);
    hand_model(AT_SOFTMAX, AT_MASK_NONE, RANDOM_NO_POS, AT_READ_RAW, 1, &m);
    for (int t = 0; t < 5; t++)
        token_set(&m, t, 0.3 * t, 1.7 - 0.9 * t, 1);
    must(at_run(&m, a, &(at_input){6, (double[]){0, 3, 1, 4, 2, 4}}, &tr, &arena, &y, &err), &err);
    at_acc num[2], den[2];
    for (int party = 0; party < 2; party++) {
        at_acc_zero(&num[party]);
        at_acc_zero(&den[party]);
        for (int j = party * 4; j < party * 4 + 4; j++) {
            /* the prefix and suffix rows have key 0; the largest score is that of token 4 */
            double top = at_p_round(&f, 0.3 * 4), w = at_p_exp(&f, at_p_sub(&f, tr.state[0][j * tr.D], top));
            at_acc_add(&den[party], w);
            at_acc_add_product(&num[party], w, tr.state[0][j * tr.D + 1]);
        }
    }
    at_acc_merge(&num[0], &num[1]);
    at_acc_merge(&den[0], &den[1]);
    assert_true(tr.state[1][2 * tr.D + 3] ==
                at_p_div(&f, at_acc_round(&num[0], &f), at_acc_round(&den[0], &f)));
    assert_true(y.value[1] == tr.state[1][2 * tr.D + 3]);
    at_arena_release(&arena);
    at_model_release(&m);
}

/* ---- refusals and memory ----------------------------------------------------------------------------------------- */

static void refusals(void **state)
{
    (void)state;
    at_model m;
    at_err err = {0};
    at_arena arena;
    at_output y = {.n = -5};
    at_arena_init(&arena);
    random_spec s = {.weighting = AT_SOFTMAX, .pos = AT_POS_I};
    must(random_model(&s, &m, &err), &err);
    at_input x;
    must(random_input(&m, 4, 1, false, &arena, &x, &err), &err);
    assert_int_equal(at_run(&m, exact, &x, NULL, &arena, &y, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "block 0, group 0 has weighting softmax"));
    x.n = 99;
    assert_int_equal(at_run(&m, at_f64, &x, NULL, &arena, &y, NULL), AT_EDOMAIN);
    x.n = 4;
    assert_int_equal(at_run(&m, (at_arith){AT_BALL, 1, 0}, &x, NULL, &arena, &y, NULL), AT_EDOMAIN);
    assert_int_equal(at_run(&m, (at_arith){AT_ARITH_KINDS, 1, 0}, &x, NULL, &arena, &y, NULL), AT_EDOMAIN);
    assert_int_equal(at_run_bound(&m, ball, &x, false, &arena, &y, NULL), AT_EINPUT);
    assert_int_equal(y.n, -5); /* outputs are written on success only */
    at_arena_release(&arena);
    at_model_release(&m);
}

/* Every allocation fails once: the run reports it, leaks nothing (LeakSanitizer), leaves outputs alone. */
static void allocation_failures(void **state)
{
    (void)state;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int k = 0; k < ALL; k++) {
            at_model m;
            at_err err = {0};
            at_arena inputs;
            at_arena_init(&inputs);
            int T = w == AT_THREEWISE ? 16 : 40; /* large enough for several chunks of the arena */
            random_spec s = {.weighting = w, .pos = AT_POS_INV_I, .length = T, .width = 16};
            must(random_model(&s, &m, &err), &err);
            at_input x;
            must(random_input(&m, T - 2, 1, false, &inputs, &x, &err), &err);
            long nth = 0;
            bool fired = !at_arith_supports(&m, all[k], NULL);
            while (fired) {
                at_arena arena;
                at_output y = {.n = -5};
                at_trace tr = {.T = -5};
                at_arena_init(&arena);
                at_alloc_inject(++nth);
                at_status st = at_run(&m, all[k], &x, &tr, &arena, &y, NULL);
                fired = at_alloc_injected();
                at_alloc_inject(0);
                assert_int_equal(st, fired ? AT_ENOMEM : AT_OK);
                assert_int_equal(y.n, fired ? -5 : T - 2);
                assert_int_equal(tr.T, fired ? -5 : T);
                at_arena_release(&arena);
            }
            assert_true(nth == 0 || nth >= 3); /* refused, or failures in results and in scratch */
            at_arena_release(&inputs);
            at_model_release(&m);
        }
}

/* Integers of a row that an arithmetic has not: the last power that it has is allowed, the next integer is named. */
static void integers_beyond_are_named(void **state)
{
    (void)state;
    at_field fields[2] = {{.kind = AT_FIELD_REAL, .lo = -1e9, .hi = 1e9, .name = "x"},
                          {.kind = AT_FIELD_INT, .name = "count"}};
    const at_model m = {.n_fields = 2, .fields = fields};
    const struct {
        at_arith arith;
        double most;
        const char *says;
    } cases[] = {{at_f32, 16777216, "f32 has every integer up to 16777216, and field count goes to 16777217"},
                 {{AT_PBIT, 8, 5}, 256, "p8e5 has every integer up to 256, and field count goes to 257"},
                 {at_f64, 9007199254740991, NULL},
                 {{AT_BALL, 24}, 1e12, NULL},
                 {{AT_EXACT}, 1e12, NULL}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int side = 0; side < 2; side++) {
            at_err err = {0};
            double *end = side ? &fields[1].lo : &fields[1].hi, sign = side ? -1 : 1;
            fields[1].lo = fields[1].hi = 0;
            *end = sign * cases[k].most;
            must(at_arith_doubts(&m, cases[k].arith, &err), &err);
            if (!cases[k].says)
                continue;
            *end = sign * (cases[k].most + 1);
            assert_int_equal(at_arith_doubts(&m, cases[k].arith, &err), AT_EDOMAIN);
            assert_non_null(strstr(err.text, cases[k].says));
        }
}

/* An arithmetic that errs more than the one for which a model was proved, or whose numbers do not go as far; what errs less is not
 * doubted. */
static void weaker_arithmetics_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *made, *asked, *says; /* says NULL: no doubt */
    } rows[] = {{NULL, "p3", NULL},
                {"f64", "f64", NULL},
                {"f64", "ball", NULL},
                {"f64", "exact", NULL},
                {"f64", "f32", "for f64; f32 has fewer bits: nothing was proved there"},
                {"f64", "p52", "for f64; p52 has fewer bits: nothing was proved there"},
                {"f64", "p53e9", "for f64; p53e9 has a smaller range: nothing was proved there"},
                {"f32", "f64", NULL},
                {"f32", "p24e8", NULL},
                {"p24e8", "f32", NULL},
                {"f32", "p24e7", "p24e7 has a smaller range"},
                {"f32", "p23e8", "p23e8 has fewer bits"},
                {"p12e8", "p12e8", NULL},
                {"p12e8", "p11e8", "p11e8 has fewer bits"},
                {"p12e8", "q12e8", NULL},
                {"q12e8", "q12e8", NULL},
                {"q12e8", "f64", "f64 rounds its means more often"},
                {"exact", "ball", NULL},
                {"exact", "f64", "for real numbers; f64 rounds"},
                {"ball", "f64", "for real numbers; f64 rounds"},
                {"z9", "p2", NULL}}; /* of a later version */
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_arith a;
        at_err err = {0};
        const at_model m = {.arithmetic = rows[k].made};
        must(at_arith_parse(rows[k].asked, &a, &err), &err);
        assert_int_equal(at_arith_doubts(&m, a, &err), rows[k].says ? AT_EDOMAIN : AT_OK);
        if (rows[k].says)
            assert_non_null(strstr(err.text, rows[k].says));
    }
}

/* What a format cannot hold: the last number that it can is allowed, the next is refused by name. */
static void numbers_out_of_range_are_named(void **state)
{
    (void)state;
    at_model m;
    at_err err = {0};
    const at_arith few = {AT_PBIT, 8, 5};
    at_pfmt f = at_pfmt_of(few);
    hand_model(AT_SOFTMAX, AT_MASK_NONE, AT_POS_I2, AT_READ_RAW, 1, &m);
    must(at_arith_range(&m, few, &err), &err);
    double *scale = &m.blocks[0].groups[0].scale, *w = at_model_data(&m, m.readout.w);
    for (int sign = -1; sign <= 1; sign += 2) {
        *scale = sign * f.max;
        must(at_arith_range(&m, few, &err), &err);
        *scale = sign * nextafter(f.max, INFINITY);
        err = (at_err){0};
        assert_int_equal(at_arith_range(&m, few, &err), AT_EDOMAIN);
        assert_non_null(strstr(err.text, "block 0, group 0 has the scale"));
        must(at_arith_range(&m, at_f64, &err), &err);
        *scale = 1;
        w[2] = sign * f.max;
        must(at_arith_range(&m, few, &err), &err);
        w[2] = sign * 2 * f.max;
        err = (at_err){0};
        assert_int_equal(at_arith_range(&m, few, &err), AT_EDOMAIN);
        assert_non_null(strstr(err.text, "weight 3 of "));
        w[2] = 0;
    }
    /* Positions count where a decoder is written: i^2 up to the last. */
    m.pos_origin = 1;
    m.n_max = 255 - m.n_prefix;
    m.decode.enabled = true;
    must(at_arith_range(&m, few, &err), &err); /* 255^2 = 65025 <= 65280 */
    m.n_max++;
    err = (at_err){0};
    assert_int_equal(at_arith_range(&m, few, &err), AT_EDOMAIN);
    assert_non_null(strstr(err.text, "position feature 0 (i^2) reaches 65536"));
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decisions),
        cmocka_unit_test(outcomes),
        cmocka_unit_test(masked_rows),
        cmocka_unit_test(undecided),
        cmocka_unit_test(infinite_tie),
        cmocka_unit_test(states_are_read),
        cmocka_unit_test(exact_sums),
        cmocka_unit_test(refusals),
        cmocka_unit_test(allocation_failures),
        cmocka_unit_test(integers_beyond_are_named),
        cmocka_unit_test(weaker_arithmetics_are_told),
        cmocka_unit_test(numbers_out_of_range_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
