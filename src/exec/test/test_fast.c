/* test_fast.c: the fast executor against the reference.
 *
 * Tolerance. at_run_bound(any_order) gives for each readout a ball that contains every run of the model
 * whose sums are added in any order, fused or not, and whose operations err by at most 4 half-ulps each:
 * by induction over the operations, nothing is estimated. The fast executor is such a run: its exponential
 * errs by at most 2 ulp (tested below), folding log2(e) into queries is one more rounding of each factor
 * of a score, and its tables are rounded once. So the test asks that values lie in that ball, widened by
 * the rounding of its midpoint to a double. Weights are rounded to float first, so that f32 starts from
 * the same numbers. Where the bound is infinite (hard attention that cannot be decided) nothing is asked;
 * these are counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../exec_internal.h"
#include "../fast.h"
#include "random_model.h"

static const at_arith ariths[2] = {{.kind = AT_F32}, {.kind = AT_F64}};
static const char *const isas[2] = {"native", "portable"};

typedef struct {
    long values, unbounded, sharp;
} tally;

static void model_single(at_model *m)
{
    for (size_t i = 0; i < m->n_weights; i++)
        m->weights[i] = (float)m->weights[i];
}

/* Inputs with `count` different sequences of length n, side by side. */
static double *inputs(const at_model *m, int n, int count, uint64_t seed, bool whole, at_arena *a)
{
    size_t each = (size_t)n * (size_t)at_model_row_width(m);
    double *v = at_new(a, double, each *(size_t)count);
    assert_non_null(v);
    for (int b = 0; b < count; b++) {
        at_input x;
        assert_int_equal(random_input(m, n, seed + (uint64_t)b, whole, a, &x, NULL), AT_OK);
        memcpy(v + (size_t)b * each, x.v, each * sizeof *v);
    }
    for (size_t i = 0; i < each * (size_t)count; i++)
        v[i] = (float)v[i];
    return v;
}

static double *fast_run(const at_model *m, at_arith a, int isa, int n, const double *v, int batch,
                        at_arena *arena)
{
    at_exec *e = NULL;
    at_scratch *s = NULL;
    at_err err = {0};
    setenv("ATTEST_ISA", isas[isa], 1);
    if (at_exec_new(m, a, n, &e, &err) || at_scratch_new(e, &s, &err))
        fail_msg("%s", err.text);
    unsetenv("ATTEST_ISA");
    double *value =
        at_new(arena, double, (size_t)batch *(size_t)at_exec_positions(e) * (size_t)m->readout.rows);
    assert_non_null(value);
    at_exec_run(e, s, v, batch, value);
    at_scratch_free(s);
    at_exec_free(e);
    return value;
}

/* Both arithmetics and instruction sets on two sequences of length n, the second in the last lane. */
static void compare_model(const at_model *m, const random_spec *s, int n, tally *k)
{
    at_arena arena;
    at_arena_init(&arena);
    enum { BATCH = 8 };
    double *v = inputs(m, n, BATCH, s->seed, s->integers, &arena);
    size_t each = (size_t)n * (size_t)at_model_row_width(m);
    for (int a = 0; a < 2; a++) {
        double *got[2];
        for (int isa = 0; isa < 2; isa++)
            got[isa] = fast_run(m, ariths[a], isa, n, v, BATCH, &arena);
        for (int b = 0; b < BATCH; b += BATCH - 1) {
            at_output y;
            at_input x = {n, v + (size_t)b * each};
            assert_int_equal(at_run_bound(m, ariths[a], &x, true, &arena, &y, NULL), AT_OK);
            for (int isa = 0; isa < 2; isa++)
                for (int i = 0; i < y.n * y.rows; i++) {
                    double value = got[isa][(size_t)b * (size_t)(y.n * y.rows) + (size_t)i];
                    k->values++;
                    if (!isfinite(y.radius[i])) {
                        k->unbounded++;
                        continue;
                    }
                    k->sharp += y.radius[i] <= (a ? 0x1p-30 : 0x1p-8);
                    if (!(fabs(value - y.value[i]) <= y.radius[i] + DBL_EPSILON * fabs(y.value[i])))
                        fail_msg("%s, mask %s, pos %d, n %d, %s, %s: value %d is %.17g, not %.17g +- %.3g",
                                 at_weighting_names[s->weighting], at_mask_names[s->mask], (int)s->pos, n,
                                 a ? "f64" : "f32", isas[isa], i, value, y.value[i], y.radius[i]);
                }
        }
    }
    at_arena_release(&arena);
}

static void compare(const random_spec *s, int n, tally *k)
{
    at_model m;
    assert_int_equal(random_model(s, &m, NULL), AT_OK);
    model_single(&m);
    compare_model(&m, s, n, k);
    at_model_release(&m);
}

/* Every weighting x mask x position encoding (or none); norms, activations, posts, readout positions and head
 * widths rotate. */
static void test_all_kinds(void **state)
{
    (void)state;
    tally k = {0};
    uint64_t turn = 0;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int mask = 0; mask < AT_MASKS; mask++)
            for (int pos = 0; pos <= AT_POS_KINDS; pos++, turn++) {
                random_spec s = {.weighting = (at_weighting)w,
                                 .mask = (at_mask_kind)mask,
                                 .pos = (at_pos_kind)pos,
                                 .seed = 100 + turn,
                                 .length = 9,
                                 .dk = 1 + (int)(turn % 7),
                                 .dv = 1 + (int)(turn % 3),
                                 .act = (at_act)(turn % AT_ACTS),
                                 .norm = (at_norm)(turn / 2 % AT_NORMS),
                                 .post = (at_post)(turn / 3 % AT_POSTS),
                                 .tie = turn % 2 ? 0.25 : 0,
                                 .final_norm = turn % 5 == 0,
                                 .last = turn % 4 == 0,
                                 .tokens_only = turn % 3 == 0,
                                 .layers = 1 + (turn % 8 == 0),
                                 .no_bias = turn % 7 == 0,
                                 .read = (at_read_kind)(AT_READ_RAW + turn / 2 % 3)};
                compare(&s, 7, &k);
            }
    print_message("%ld values, %ld unbounded, %ld sharply bounded\n", k.values, k.unbounded, k.sharp);
    assert_true(k.unbounded * 10 <= k.values);
    assert_true(k.sharp * 2 >= k.values);
}

/* Several prefix and suffix rows, with and without tables; blocks without a residual. */
static void test_own_rows(void **state)
{
    (void)state;
    tally k = {0};
    for (int turn = 0; turn < 4; turn++) {
        random_spec s = {.pos = RANDOM_NO_POS, .length = 20, .tokens_only = turn % 2, .read = AT_READ_RAW};
        at_model m;
        assert_int_equal(random_model(&s, &m, NULL), AT_OK);
        m.n_prefix = turn;
        m.n_suffix = 3 - turn;
        m.blocks[0].residual = turn < 2;
        m.blocks[1].residual = turn == 3;
        assert_int_equal(at_model_layout(&m, NULL), AT_OK);
        at_rng rng = at_rng_at(4, (uint64_t)turn);
        for (size_t i = 0; i < m.n_weights; i++)
            m.weights[i] = at_rng_normal(&rng) / 2;
        model_single(&m);
        compare_model(&m, &s, 9, &k);
        at_model_release(&m);
    }
    assert_int_equal(k.unbounded, 0);
}

/* Lengths 1..40: every remainder modulo the numbers of lanes, queries and positions in a tile. */
static void test_lengths(void **state)
{
    (void)state;
    tally k = {0};
    for (int n = 1; n <= 40; n++) {
        random_spec s = {.weighting = (at_weighting)(n % 4 == 0 ? n / 4 % AT_WEIGHTINGS : AT_SOFTMAX),
                         .mask = (at_mask_kind)(n % AT_MASKS),
                         .pos = n % 2 ? RANDOM_NO_POS : AT_POS_I_OVER_N,
                         .seed = (uint64_t)n,
                         .length = n + 2,
                         .tokens_only = n % 2,
                         .one_group = true,
                         .dv = 1 + n % 3,
                         .read = AT_READ_RAW};
        if (s.weighting == AT_THREEWISE && n > 16)
            s.weighting = AT_LINEAR;
        compare(&s, n, &k);
    }
    assert_true(k.unbounded * 10 <= k.values);
}

/* More keys than a chunk of scores holds, under every mask: the running maximum moves. */
static void test_chunks(void **state)
{
    (void)state;
    tally k = {0};
    int lengths[AT_MASKS] = {3 * FAST_CHUNK + 5, FAST_CHUNK + 1, FAST_CHUNK,
                             2 * FAST_CHUNK,     FAST_CHUNK + 3, 120};
    for (int mask = 0; mask < AT_MASKS; mask++) {
        random_spec s = {.mask = (at_mask_kind)mask,
                         .pos = AT_POS_I_OVER_N,
                         .seed = 9 + (uint64_t)mask,
                         .length = lengths[mask] + 2,
                         .one_group = true,
                         .heads = 1,
                         .dv = 1 + mask % 2,
                         .last = mask == AT_MASK_NONE,
                         .read = AT_READ_RAW};
        compare(&s, lengths[mask], &k);
    }
    assert_int_equal(k.unbounded, 0);
}

/* Integer weights and inputs: scores are exact and tie, so hard attention must choose the same keys. */
static void test_ties(void **state)
{
    (void)state;
    const at_weighting hard[] = {AT_LEFTMOST_HARD, AT_RIGHTMOST_HARD, AT_AVERAGE_HARD};
    for (int w = 0; w < 3; w++)
        for (int mask = 0; mask < AT_MASKS; mask++)
            for (int post = 0; post < 2 * AT_POSTS; post++) {
                random_spec s = {.weighting = hard[w],
                                 .mask = (at_mask_kind)mask,
                                 .pos = RANDOM_NO_POS,
                                 .post = (at_post)(post % AT_POSTS),
                                 .tie = post < AT_POSTS ? 0
                                                        : 1, /* some scores are exactly 1 below the maximum */
                                 .seed = (uint64_t)(mask + 7 * post),
                                 .integers = true,
                                 .tokens_only = mask % 2,
                                 .read = AT_READ_RAW};
                at_model m;
                at_arena arena;
                assert_int_equal(random_model(&s, &m, NULL), AT_OK);
                at_arena_init(&arena);
                double *v = inputs(&m, 6, 8, s.seed, true, &arena);
                for (int a = 0; a < 2; a++)
                    for (int isa = 0; isa < 2; isa++) {
                        double *got = fast_run(&m, ariths[a], isa, 6, v, 8, &arena);
                        for (int b = 0; b < 8; b++) {
                            at_output y;
                            at_input x = {6, v + (size_t)(b * 6 * at_model_row_width(&m))};
                            assert_int_equal(at_run(&m, ariths[a], &x, NULL, &arena, &y, NULL), AT_OK);
                            for (int i = 0; i < y.n * y.rows; i++) {
                                /* averages divide: at most an ulp apart in a layer, values stay below 2^12 */
                                double slack = hard[w] == AT_AVERAGE_HARD ? (a ? 0x1p-38 : 0x1p-9) : 0;
                                double value = got[b * y.n * y.rows + i];
                                assert_true(fabs(y.value[i]) < 4096);
                                if (!(fabs(value - y.value[i]) <= slack))
                                    fail_msg("%s, mask %s: %.17g, not %.17g", at_weighting_names[hard[w]],
                                             at_mask_names[mask], value, y.value[i]);
                            }
                        }
                    }
                at_arena_release(&arena);
                at_model_release(&m);
            }
}

/* Ties over more keys than a chunk holds: the second pass sees the scores of the first. */
static void test_long_ties(void **state)
{
    (void)state;
    enum { N = 2 * FAST_CHUNK + 3 };
    for (int w = AT_LEFTMOST_HARD; w <= AT_AVERAGE_HARD; w++)
        for (int mask = AT_MASK_NONE; mask <= AT_MASK_CAUSAL; mask++) {
            random_spec s = {.weighting = (at_weighting)w,
                             .mask = (at_mask_kind)mask,
                             .pos = RANDOM_NO_POS,
                             .tie = 1,
                             .length = N + 2,
                             .seed = (uint64_t)mask,
                             .integers = true,
                             .layers = 1,
                             .read = AT_READ_RAW};
            at_model m;
            at_arena arena;
            at_output y;
            assert_int_equal(random_model(&s, &m, NULL), AT_OK);
            at_arena_init(&arena);
            double *v = inputs(&m, N, 1, 3, true, &arena);
            assert_int_equal(at_run(&m, ariths[1], &(at_input){N, v}, NULL, &arena, &y, NULL), AT_OK);
            for (int isa = 0; isa < 2; isa++) {
                double *got = fast_run(&m, ariths[1], isa, N, v, 1, &arena);
                for (int i = 0; i < y.n * y.rows; i++)
                    assert_true(fabs(got[i] - y.value[i]) <= (w == AT_AVERAGE_HARD ? 0x1p-38 : 0));
            }
            at_arena_release(&arena);
            at_model_release(&m);
        }
}

static void place_check(const random_spec *s, double factor, at_arith a, int isa)
{
    enum { N = 11, BATCH = 21 };
    at_model m;
    at_arena arena;
    assert_int_equal(random_model(s, &m, NULL), AT_OK);
    for (size_t i = 0; i < m.n_weights; i++)
        m.weights[i] *= factor;
    at_arena_init(&arena);
    size_t in = (size_t)N * (size_t)at_model_row_width(&m), out = N * (size_t)m.readout.rows;
    double *v = inputs(&m, N, BATCH, 5, false, &arena), *back = at_new(&arena, double, in *BATCH);
    assert_non_null(back);
    for (int b = 0; b < BATCH; b++)
        memcpy(back + (size_t)(BATCH - 1 - b) * in, v + (size_t)b * in, in * sizeof *v);
    double *whole = fast_run(&m, a, isa, N, v, BATCH, &arena);
    double *turned = fast_run(&m, a, isa, N, back, BATCH, &arena);
    for (int b = 0; b < BATCH; b++) {
        double *alone = fast_run(&m, a, isa, N, v + (size_t)b * in, 1, &arena);
        assert_memory_equal(alone, whole + (size_t)b * out, out * sizeof *alone);
        assert_memory_equal(alone, turned + (size_t)(BATCH - 1 - b) * out, out * sizeof *alone);
    }
    at_arena_release(&arena);
    at_model_release(&m);
}

/* A sequence's values are the same bits alone, in any place of a batch, in either order of running. With
 * larger factors scores spread, more weights vanish, and which keys are passed over differs between
 * batches. */
static void test_place(void **state)
{
    (void)state;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int turn = 0; turn < 8; turn++)
            for (int factor = 1; factor <= (w == AT_SOFTMAX || w == AT_THREEWISE ? 5 : 1); factor++) {
                random_spec s = {.weighting = (at_weighting)w,
                                 .mask = turn & 4 ? AT_MASK_CAUSAL : AT_MASK_NONE,
                                 .pos = RANDOM_NO_POS,
                                 .seed = 31 + (uint64_t)(w + 10 * factor),
                                 .length = 13,
                                 .tokens_only = factor % 2,
                                 .dv = 1 + turn / 4,
                                 .read = AT_READ_RAW};
                place_check(&s, 0.5 + 0.5 * factor, ariths[turn & 1], turn >> 1 & 1);
            }
}

/* Three-wise attention at 20000 positions: no allocation as large as one row of T x T scores would need. */
static void test_three_memory(void **state)
{
    (void)state;
    enum { N = 20000 };
    random_spec s = {.weighting = AT_THREEWISE,
                     .pos = RANDOM_NO_POS,
                     .length = N + 2,
                     .tokens_only = true,
                     .read = AT_READ_RAW};
    at_model m;
    assert_int_equal(random_model(&s, &m, NULL), AT_OK);
    at_exec *e;
    at_scratch *scratch;
    assert_int_equal(at_exec_new(&m, ariths[0], N, &e, NULL), AT_OK);
    assert_true(at_exec_scores(e) == 3.0 * N * (N + 2.0) * (N + 2.0));
    at_alloc_ceiling((size_t)8 << 20); /* (T, D = 6) of 32 bytes is 3.7 MiB; T^2 floats are 1.5 GiB */
    assert_int_equal(at_scratch_new(e, &scratch, NULL), AT_OK);
    at_alloc_ceiling(0);
    at_scratch_free(scratch);
    at_exec_free(e);
    at_model_release(&m);
}

/* A score that overflows to NaN in f32 is never hidden by a maximum or a comparison. */
static void test_overflow(void **state)
{
    (void)state;
    int found = 0;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int isa = 0; isa < 2; isa++) {
            random_spec s = {.weighting = (at_weighting)w,
                             .pos = RANDOM_NO_POS,
                             .seed = 3,
                             .tokens_only = true,
                             .one_group = true,
                             .read = AT_READ_RAW};
            at_model m;
            at_arena arena;
            assert_int_equal(random_model(&s, &m, NULL), AT_OK);
            const at_group *g = &m.blocks[0].groups[0];
            double *k = at_model_data(&m, g->k);
            for (int i = 0; i < 6 * m.width; i++)
                k[i] *= 1e39; /* infinite as a float: keys become infinities of both signs, or NaN */
            at_arena_init(&arena);
            double *v = inputs(&m, 6, 1, 1, false, &arena),
                   *got = fast_run(&m, ariths[0], isa, 6, v, 1, &arena);
            at_output y;
            at_input x = {6, v};
            assert_int_equal(at_run(&m, ariths[0], &x, NULL, &arena, &y, NULL), AT_OK);
            for (int i = 0; i < y.n * y.rows; i++) {
                if (isnan(y.value[i]) && !isnan(got[i]))
                    fail_msg("%s hides an overflow", at_weighting_names[w]);
                found += isnan(y.value[i]);
            }
            at_arena_release(&arena);
            at_model_release(&m);
        }
    assert_true(found > 2 * AT_WEIGHTINGS);
}

/* A value that overflows counts even where its weight vanishes: 0 * infinity is NaN, as in the reference. */
static void test_overflow_passed_over(void **state)
{
    (void)state;
    for (int three = 0; three < 2; three++)
        for (int dv = 1; dv <= 2; dv++) {
            random_spec s = {.weighting = three ? AT_THREEWISE : AT_SOFTMAX,
                             .pos = RANDOM_NO_POS,
                             .tokens_only = true,
                             .one_group = true,
                             .no_bias = true,
                             .heads = 1,
                             .dk = 1,
                             .dv = dv,
                             .read = AT_READ_RAW};
            at_model m;
            at_arena arena;
            assert_int_equal(random_model(&s, &m, NULL), AT_OK);
            const at_group *g = &m.blocks[0].groups[0];
            const int tensors[] = {g->q, g->k, g->v, g->k2, g->v2};
            const double first[] = {400, 1, 3e38, 1, 3e38}; /* query: coordinate 0, keys 1, values 2 */
            for (int k = 0; k < (three ? 5 : 3); k++) {
                double *w = at_model_data(&m, tensors[k]);
                memset(w, 0, m.tensors[tensors[k]].count * sizeof *w);
                w[k < 3 ? k : k - 2] = first[k];
            }
            double *token = at_model_data(&m, m.fields[0].embed.tensor),
                   *prefix = at_model_data(&m, m.prefix.tensor);
            for (int t = 0; t < m.fields[0].size; t++, token += m.width)
                token[0] = token[1] = 1, token[2] = 0;
            prefix[0] = 1, prefix[1] = -1, prefix[2] = 10;
            memcpy(at_model_data(&m, m.suffix.tensor), token - m.width, (size_t)m.width * sizeof *token);
            at_arena_init(&arena);
            double *v = inputs(&m, 5, 1, 1, false, &arena);
            at_output y;
            at_input x = {5, v};
            assert_int_equal(at_run(&m, ariths[0], &x, NULL, &arena, &y, NULL), AT_OK);
            assert_true(isnan(y.value[0]));
            for (int isa = 0; isa < 2; isa++)
                assert_true(isnan(fast_run(&m, ariths[0], isa, 5, v, 1, &arena)[0]));
            at_arena_release(&arena);
            at_model_release(&m);
        }
}

static void test_refusals(void **state)
{
    (void)state;
    random_spec s = {.pos = RANDOM_NO_POS};
    at_model m;
    at_exec *e = NULL;
    at_err err = {0};
    assert_int_equal(random_model(&s, &m, NULL), AT_OK);
    assert_int_equal(at_exec_new(&m, (at_arith){.kind = AT_EXACT}, 3, &e, &err), AT_EREFUSED);
    err = (at_err){0};
    assert_int_equal(at_exec_new(&m, ariths[0], 7, &e, &err), AT_EDOMAIN);
    assert_string_equal(err.text, "length 7 is outside 1..6");
    assert_null(e);
    at_model_release(&m);
}

/* Each allocation fails once: the call says so and leaks nothing. */
static void test_allocation(void **state)
{
    (void)state;
    for (int tokens = 0; tokens < 2; tokens++) {
        random_spec s = {.weighting = AT_THREEWISE,
                         .pos = tokens ? RANDOM_NO_POS : AT_POS_I,
                         .norm = AT_NORM_POST,
                         .tokens_only = tokens,
                         .final_norm = true,
                         .width = 40,
                         .length = 40};
        at_model m;
        assert_int_equal(random_model(&s, &m, NULL), AT_OK);
        for (long nth = 1;; nth++) {
            at_exec *e = NULL;
            at_scratch *scratch = NULL;
            at_alloc_inject(nth);
            at_status st = at_exec_new(&m, ariths[1], 30, &e, NULL);
            if (!st)
                st = at_scratch_new(e, &scratch, NULL);
            bool fired = at_alloc_injected();
            at_alloc_inject(0);
            at_scratch_free(scratch);
            at_exec_free(e);
            assert_int_equal(st, fired ? AT_ENOMEM : AT_OK);
            if (!fired) {
                assert_true(nth > 4);
                break;
            }
        }
        at_model_release(&m);
    }
}

/* ---- exponentials ---------------------------------------------------------------------------------- */

/* Error in ulps of the result, by long double (11 bits more than double). */
static double ulps(double got, long double want, int mantissa)
{
    int e;
    frexpl(want, &e);
    return (double)(fabsl((long double)got - want) / ldexpl(1, e - mantissa));
}

static void exps_check_f(const fast_kernel *k)
{
    enum { BLOCK = 4096 };
    static float x[BLOCK] __attribute__((aligned(32))), two[BLOCK] __attribute__((aligned(32))),
        nat[BLOCK] __attribute__((aligned(32)));
    double worst2 = 0, worst = 0;
    uint32_t bits = 0x80000000u, stop = 0xc3000000u; /* -0 to -128 */
    while (bits < stop) {
        for (int i = 0; i < BLOCK; i++, bits += 641)
            memcpy(&x[i], &bits, sizeof bits);
        k->exps(x, two, nat, BLOCK / k->lanes);
        for (int i = 0; i < BLOCK; i++) {
            if (x[i] >= -126)
                worst2 = fmax(worst2, ulps((double)two[i], (long double)exp2((double)x[i]), 24));
            else
                assert_true(two[i] == 0);
            if (x[i] >= -87)
                worst = fmax(worst, ulps((double)nat[i], (long double)exp((double)x[i]), 24));
            else
                assert_true(nat[i] == 0);
        }
    }
    print_message("%s f32: exp2 %.3f ulp, exp %.3f ulp\n", k->isa, worst2, worst);
    assert_true(worst2 <= 2 && worst <= 2);
}

static void exps_check_d(const fast_kernel *k)
{
    enum { BLOCK = 4096, ROUNDS = 100 };
    static double x[BLOCK] __attribute__((aligned(32))), two[BLOCK] __attribute__((aligned(32))),
        nat[BLOCK] __attribute__((aligned(32)));
    double worst2 = 0, worst = 0;
    at_rng rng = at_rng_at(17, 0);
    for (int round = 0; round < ROUNDS; round++) {
        /* uniform, in the last octave, over scales, and near halves, where the reduction turns */
        for (int i = 0; i < BLOCK; i++) {
            double u = at_rng_unit(&rng);
            x[i] = i % 4 == 0   ? -1030 * u
                   : i % 4 == 1 ? -u
                   : i % 4 == 2 ? -exp2(-40 * u)
                                : -(double)i / 8 - u * 0x1p-30;
        }
        k->exps(x, two, nat, BLOCK / k->lanes);
        for (int i = 0; i < BLOCK; i++) {
            if (x[i] >= -1022)
                worst2 = fmax(worst2, ulps(two[i], exp2l(x[i]), 53));
            else
                assert_true(two[i] == 0);
            if (x[i] >= -708)
                worst = fmax(worst, ulps(nat[i], expl(x[i]), 53));
            else
                assert_true(nat[i] == 0);
        }
    }
    print_message("%s f64: exp2 %.3f ulp, exp %.3f ulp\n", k->isa, worst2, worst);
    assert_true(worst2 <= 2 && worst <= 2);
}

static void exps_check_ends(const fast_kernel *k, bool single)
{
    float f[8] __attribute__((aligned(32))) = {-INFINITY, NAN, 0, -FLT_MAX, -INFINITY, NAN, 0, -FLT_MAX};
    double d[4] __attribute__((aligned(32))) = {-INFINITY, NAN, 0, -DBL_MAX};
    float f2[8] __attribute__((aligned(32))), fe[8] __attribute__((aligned(32)));
    double d2[4] __attribute__((aligned(32))), de[4] __attribute__((aligned(32)));
    k->exps(single ? (void *)f : (void *)d, single ? (void *)f2 : (void *)d2,
            single ? (void *)fe : (void *)de, (single ? 8 : 4) / k->lanes);
    for (int i = 0; i < 4; i++) {
        double two = single ? (double)f2[i] : d2[i], nat = single ? (double)fe[i] : de[i];
        if (i == 1)
            assert_true(isnan(two) && isnan(nat));
        else
            assert_true(two == (i == 2) && nat == (i == 2));
    }
}

static void test_exps(void **state)
{
    (void)state;
    exps_check_f(&fast_portable_f);
    exps_check_d(&fast_portable_d);
    exps_check_ends(&fast_portable_f, true);
    exps_check_ends(&fast_portable_d, false);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        exps_check_f(&fast_avx2_f);
        exps_check_d(&fast_avx2_d);
        exps_check_ends(&fast_avx2_f, true);
        exps_check_ends(&fast_avx2_d, false);
    }
#endif
}

/* Runs of fast_mask_run say what at_mask_allows says. */
static void test_mask_runs(void **state)
{
    (void)state;
    enum { T = 23 };
    for (int kind = 0; kind < AT_MASKS; kind++)
        for (int block = 1; block <= 5; block++)
            for (int windows = 1; windows <= 2; windows++)
                for (int ends = 1; ends <= block; ends++)
                    for (int rows = 1; rows <= FAST_QUERIES; rows += FAST_QUERIES - 1)
                        for (int i = 0; i + rows <= T; i++) {
                            at_mask m = {(at_mask_kind)kind, block, windows, ends};
                            for (int j = 0, end; j < T; j = end) {
                                unsigned who = fast_mask_run(&m, T, i, rows, j, &end);
                                assert_true(end > j && end <= T);
                                for (int c = j; c < end; c++)
                                    for (int r = 0; r < rows; r++)
                                        assert_int_equal(who >> r & 1, at_mask_allows(&m, i + r, c));
                            }
                        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exps),         cmocka_unit_test(test_mask_runs),
        cmocka_unit_test(test_all_kinds),    cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_chunks),       cmocka_unit_test(test_ties),
        cmocka_unit_test(test_long_ties),    cmocka_unit_test(test_place),
        cmocka_unit_test(test_overflow),     cmocka_unit_test(test_overflow_passed_over),
        cmocka_unit_test(test_three_memory), cmocka_unit_test(test_allocation),
        cmocka_unit_test(test_refusals),     cmocka_unit_test(test_own_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
