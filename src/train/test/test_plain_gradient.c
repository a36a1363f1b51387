/* test_plain_gradient.c: the plain engine. Gradients of every tensor against differences (gradient_check.c) for every kind
 * of part, and logits against at_run_bound.
 *
 * Logits in f64 must lie in the ball that at_run_bound gives for sums in any order, each operation erring by up to 4
 * half-ulps; the ball must be small enough to say something. It does not speak of the C library's sine at our positions, whose error
 * (some 2^-53 times the index) is far below what the ball adds for everything after it. In f32 likewise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../exec/exec_internal.h"
#include "plain_model.h"
#include "train_test.h"
#include "../../core/test/test_scale.h"

#define SMOOTH 1e-3
#define STEEP  1e-4 /* cubes of numbers in exponents: large third derivatives */
#define KINKED 1e-5

static const at_train_options only_plain = {.seed = 5, .plain = true};

/* most: the largest radius that says something; INFINITY (f32, after long recurrences): for half of the numbers any. */
static void logits_check(const at_model *m, at_trainer *t, at_arith arith, const test_batch *b, double most)
{
    at_err err = {0};
    at_arena arena;
    int asked = 0, open = 0;
    at_arena_init(&arena);
    for (int i = 0; i < b->n; i++) {
        int n = b->s[i].length;
        double v[64], logits[64 * PLAIN_ANSWERS];
        at_output y;
        for (int k = 0; k < n; k++)
            v[k] = b->s[i].token[k];
        must(at_trainer_logits(t, &b->s[i], logits, &err), &err);
        must(at_run_bound(m, arith, &(at_input){n, v}, true, &arena, &y, &err), &err);
        assert_int_equal(y.n, m->readout.last ? 1 : n);
        for (int k = 0; k < y.n * y.rows; k++) {
            asked++;
            open += !(y.radius[k] < most);
            if (isfinite(y.radius[k]) && !(fabs(logits[k] - y.value[k]) <= y.radius[k]))
                fail_msg("logit %d: %.17g is not %.17g +- %.2g", k, logits[k], y.value[k], y.radius[k]);
        }
    }
    if (isfinite(most) ? open > 0 : 2 * open > asked)
        fail_msg("%d of %d radii say nothing (%s, %d layers)", open, asked, at_act_names[m->blocks[1].act],
                 m->blocks[1].n_dense);
    at_arena_release(&arena);
}

/* h: the step of differences; unseen: see test_gradient. */
static void shape_check(const plain_shape *s, double h, const char *unseen, double dropout)
{
    static int asked;
    at_err err = {0};
    at_model m;
    at_trainer *t;
    test_batch b;
    at_train_options o = only_plain;
    if (TEST_SCALE > 1 && asked++ % 3) /* under a sanitizer every third shape */
        return;
    o.dropout = dropout;
    plain_model_make(s, 11, &m);
    test_batch_draw(&b, PLAIN_WORDS, PLAIN_ANSWERS, s->n_min, s->n_max, s->last, 7);
    must(at_trainer_from_model(&m, at_f64, 1, &o, &t, &err), &err);
    logits_check(&m, t, at_f64, &b, 1e-6);
    test_gradient(t, &b, h, 0, unseen);
    at_trainer_free(t);
    for (size_t i = 0; i < m.n_weights; i++) /* the same weights in both */
        m.weights[i] = (float)m.weights[i];
    must(at_trainer_from_model(&m, at_f32, 1, &o, &t, &err), &err);
    logits_check(&m, t, at_f32, &b, INFINITY);
    at_trainer_free(t);
    test_batch_release(&b);
    at_model_release(&m);
}

static const at_mask masks[] = {{AT_MASK_NONE, 0, 0, 0},          {AT_MASK_CAUSAL, 0, 0, 0},
                                {AT_MASK_STRICT, 0, 0, 0},        {AT_MASK_FUTURE, 0, 0, 0},
                                {AT_MASK_STRICT_FUTURE, 0, 0, 0}, {AT_MASK_BLOCK_SPARSE, 3, 1, 1}};

/* A bias of keys moves all scores of a query alike: what normalises scores does not see it. */
static void softmax_masks(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof masks / sizeof *masks; k++) {
        plain_shape s = plain_usual;
        s.mask = masks[k];
        shape_check(&s, SMOOTH, ".kb", 0);
    }
}

/* More positions than a tile of queries, or a panel of keys, has. */
static void long_masks(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof masks / sizeof *masks; k++)
        for (int linear = 0; linear < 2; linear++) {
            plain_shape s = plain_usual;
            s.weighting = linear ? AT_LINEAR : AT_SOFTMAX;
            s.mask = masks[k];
            s.n_min = 50, s.n_max = 60;
            shape_check(&s, linear ? KINKED : SMOOTH, linear ? NULL : ".kb", 0);
        }
}

static void linear_masks(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof masks / sizeof *masks; k++) {
        plain_shape s = plain_usual;
        s.weighting = AT_LINEAR;
        s.mask = masks[k];
        shape_check(&s, KINKED, NULL, 0);
    }
}

static void threewise_masks(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof masks / sizeof *masks; k++) {
        plain_shape s = plain_usual;
        s.weighting = AT_THREEWISE;
        s.mask = masks[k];
        s.bias = k % 2 == 0;
        shape_check(&s, STEEP, NULL, 0);
    }
}

static void sparsemax_and_posts(void **state)
{
    (void)state;
    plain_shape s = plain_usual;
    s.weighting = AT_SPARSEMAX;
    shape_check(&s, KINKED, ".kb", 0);
    const at_weighting kinds[] = {AT_SOFTMAX, AT_THREEWISE, AT_SPARSEMAX};
    for (size_t k = 0; k < 3; k++)
        for (int post = AT_POST_NEG_RELU; post < AT_POSTS; post++) {
            s.weighting = kinds[k];
            s.post = (at_post)post;
            shape_check(&s, KINKED, NULL, 0);
        }
}

static void norms(void **state)
{
    (void)state;
    for (int norm = 0; norm < AT_NORMS; norm++)
        for (int residual = 0; residual < 2; residual++)
            for (int final = 0; final < 2; final++) {
                plain_shape s = plain_usual;
                s.norm = (at_norm)norm;
                s.residual = residual;
                s.final_norm = final;
                shape_check(&s, SMOOTH, ".kb", 0);
            }
}

/* Balls of z^3 in exponents, and of quotients by exponentials, are too wide in f32 behind four layers. */
static void mlps(void **state)
{
    (void)state;
    for (int act = 0; act < AT_ACTS; act++)
        for (int depth = 1; depth <= (at_act_is((at_act)act, AT_IS_RELU | AT_IS_ERF) ? 4 : 3); depth++) {
            plain_shape s = plain_usual;
            s.act = (at_act)act;
            s.depth = depth;
            s.n_max = depth == 2 ? 37 : 9; /* more than one stretch of rows */
            shape_check(&s, act == AT_ACT_RELU ? KINKED : SMOOTH, ".kb", 0);
        }
}

enum { ROTARY = 1 << AT_TRAIT_ROTARY, ALIBI = 1 << AT_TRAIT_ALIBI, ALL = (1 << AT_TRAITS) - 1 };

/* What imported models have, one by one and all of it, with norms before and without. Turned keys show their bias. */
static void traits(void **state)
{
    (void)state;
    for (int t = 0; t <= AT_TRAITS; t++)
        for (int norm = AT_NORM_NONE; norm <= AT_NORM_PRE; norm++) {
            plain_shape s = plain_usual;
            s.traits = t < AT_TRAITS ? 1u << t : ALL;
            s.norm = (at_norm)norm;
            s.act = (at_act)((t + norm) % AT_ACTS);
            s.depth = 2 + t % 2;
            s.mask = masks[t % 2];
            shape_check(&s, s.act == AT_ACT_RELU ? KINKED : SMOOTH, s.traits & ROTARY ? NULL : ".kb", 0);
        }
}

/* ... with other weightings, masks with holes, and more positions than a tile. */
static void traits_attend(void **state)
{
    (void)state;
    const struct {
        unsigned traits;
        at_weighting weighting;
        at_post post;
        int mask, n_max;
        double h;
    } cases[] = {{ROTARY, AT_LINEAR, AT_POST_ID, 1, 9, KINKED},
                 {ALIBI, AT_SPARSEMAX, AT_POST_ID, 0, 9, KINKED},
                 {ALIBI | ROTARY, AT_SOFTMAX, AT_POST_NEG_ABS, 1, 9, KINKED},
                 {ALIBI | ROTARY, AT_SOFTMAX, AT_POST_ID, 5, 9, SMOOTH},
                 {ALIBI | ROTARY, AT_SOFTMAX, AT_POST_ID, 3, 60, SMOOTH}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plain_shape s = plain_usual;
        s.traits = cases[k].traits;
        s.weighting = cases[k].weighting;
        s.post = cases[k].post;
        s.mask = masks[cases[k].mask];
        s.alone = k % 2;
        s.n_max = cases[k].n_max;
        s.n_min = s.n_max > 9 ? 50 : 1;
        shape_check(&s, cases[k].h, s.traits & ROTARY ? NULL : ".kb", 0);
    }
}

static void positions(void **state)
{
    (void)state;
    for (int kind = -1; kind < AT_POS_KINDS; kind++) {
        plain_shape s = plain_usual;
        s.position = kind;
        shape_check(&s, KINKED, ".kb", 0);
    }
}

static void recurrent(void **state)
{
    (void)state;
    for (int cell = 0; cell < AT_CELLS; cell++)
        for (int norm = 0; norm < AT_NORMS; norm++) {
            plain_shape s = plain_usual;
            s.rival = AT_BLOCK_RNN;
            s.cell = (at_rnn_cell)cell;
            s.norm = (at_norm)norm;
            s.residual = norm != AT_NORM_POST;
            s.last = norm == AT_NORM_PRE;
            s.n_max = 17;
            shape_check(&s, SMOOTH, NULL, 0);
        }
}

static void flattened(void **state)
{
    (void)state;
    for (int depth = 1; depth <= 3; depth++) {
        plain_shape s = plain_usual;
        s.rival = AT_BLOCK_FLATTEN;
        s.depth = depth;
        s.n_min = s.n_max = 5;
        s.prefix = s.suffix = depth == 2;
        s.act = depth == 3 ? AT_ACT_RELU : AT_ACT_GELU;
        s.last = depth == 3;
        shape_check(&s, depth == 3 ? KINKED : SMOOTH, NULL, 0);
    }
}

static void ends(void **state)
{
    (void)state;
    for (int last = 0; last < 2; last++) {
        plain_shape s = plain_usual;
        s.last = last;
        s.prefix = 2, s.suffix = 1;
        s.n_min = 3;
        s.mask.kind = AT_MASK_NONE;
        s.alone = true;
        shape_check(&s, SMOOTH, ".kb", 0);
    }
}

static void dropout(void **state)
{
    (void)state;
    plain_shape s = plain_usual;
    shape_check(&s, SMOOTH, ".kb", 0.3);
    s.norm = AT_NORM_POST;
    shape_check(&s, SMOOTH, ".kb", 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(softmax_masks),
                                       cmocka_unit_test(long_masks),
                                       cmocka_unit_test(linear_masks),
                                       cmocka_unit_test(threewise_masks),
                                       cmocka_unit_test(sparsemax_and_posts),
                                       cmocka_unit_test(norms),
                                       cmocka_unit_test(mlps),
                                       cmocka_unit_test(traits),
                                       cmocka_unit_test(traits_attend),
                                       cmocka_unit_test(positions),
                                       cmocka_unit_test(recurrent),
                                       cmocka_unit_test(flattened),
                                       cmocka_unit_test(ends),
                                       cmocka_unit_test(dropout)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
