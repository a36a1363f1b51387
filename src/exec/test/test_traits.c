/* test_traits.c: what imported models have (rotary and alibi positions, norms without a mean, gates, parallel blocks, tied readouts,
 * GELU by tanh, SiLU) in every executor.
 *
 * The judge is naive.c, written from docs/model.md in MPFR. The reference at p bits must give its numbers bit for bit, balls must
 * contain its real value, f32 and f64 must lie in the bound of their roundings, the fast executor in that of any order, and a decoder
 * must give the bits of the whole pass. Controls: with the trait taken away the judge's value must leave the ball. Whoever does not
 * take a part must say its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../decode.h"
#include "../fast.h"
#include "naive.h"
#include "random_model.h"

enum { MOST = NAIVE_MAX * NAIVE_MAX, ALL = (1 << AT_TRAITS) - 1 };

static void must(at_status st, const at_err *err)
{
    if (st)
        fail_msg("%s", err->text);
}

static bool inside(double value, double radius, mpfr_t twin)
{
    mpfr_t d;
    mpfr_init2(d, 400);
    mpfr_sub_d(d, twin, value, MPFR_RNDN);
    bool in = !mpfr_nan_p(d) && mpfr_cmp_d(d, radius) <= 0 && mpfr_cmp_d(d, -radius) >= 0;
    mpfr_clear(d);
    return in;
}

static void clear(mpfr_t *v, int n)
{
    for (int k = 0; k < n; k++)
        mpfr_clear(v[k]);
}

/* Every mix of traits that a number names, under weightings, masks, norms and activations that take turns. */
static random_spec spec_of(unsigned traits, int turn)
{
    static const at_weighting weightings[] = {AT_SOFTMAX,      AT_LINEAR,    AT_LEFTMOST_HARD,
                                              AT_AVERAGE_HARD, AT_SPARSEMAX, AT_THREEWISE};
    return (random_spec){.weighting = weightings[turn % 6],
                         .mask = (at_mask_kind)(turn % AT_MASKS),
                         .pos = turn % 3 ? RANDOM_NO_POS : AT_POS_TABLE,
                         .seed = (uint64_t)(100 * turn) + traits,
                         .act = (at_act)(turn / 2 % AT_ACTS),
                         .norm = (at_norm)(turn / 3 % AT_NORMS),
                         .final_norm = turn % 2,
                         .layers = 2,
                         .length = 6,
                         .dk = 2 + turn % 3,
                         .read = AT_READ_RAW,
                         .tokens_only = turn % 2 || traits >> AT_TRAIT_TIED & 1,
                         .traits = traits};
}

/* ---- the reference ------------------------------------------------------------------------------------------ */

static void pbits_compare(const at_model *m, const at_input *x, at_arena *arena)
{
    static const at_arith formats[] = {
        {AT_PBIT, 5, 4}, {AT_PBIT, 11, 8}, {AT_PBIT, 24, 8}, {AT_PBIT, 53, 10}};
    mpfr_t *twin = at_new(arena, mpfr_t, MOST);
    at_err err = {0};
    for (int f = 0; f < 4; f++) {
        at_output y;
        must(at_run(m, formats[f], x, NULL, arena, &y, &err), &err);
        int n = naive_run(m, formats[f].bits, formats[f].exp_bits, x, twin);
        assert_int_equal(n, y.n * y.rows);
        for (int k = 0; k < n; k++)
            if (isnan(y.value[k]) ? !mpfr_nan_p(twin[k]) : y.value[k] != mpfr_get_d(twin[k], MPFR_RNDN))
                fail_msg("p%d: value %d is %a, the twin's %a", formats[f].bits, k, y.value[k],
                         mpfr_get_d(twin[k], MPFR_RNDN));
        clear(twin, n);
    }
}

static void bounds_compare(const at_model *m, const at_input *x, at_arena *arena)
{
    at_err err = {0};
    for (int f = 0; f < 2; f++) {
        at_output y, b;
        must(at_run(m, f ? at_f64 : at_f32, x, NULL, arena, &y, &err), &err);
        must(at_run_bound(m, f ? at_f64 : at_f32, x, false, arena, &b, &err), &err);
        for (int k = 0; k < y.n * y.rows; k++)
            assert_true(!isfinite(b.radius[k]) || fabs(y.value[k] - b.value[k]) <= b.radius[k]);
    }
}

/* Does the ball hold the twin's values? *far: some value is outside. */
static void ball_compare(const at_model *m, const at_model *judged, const at_input *x, at_arena *arena,
                         bool *far, int *sharp)
{
    mpfr_t *real = at_new(arena, mpfr_t, MOST);
    at_output y;
    at_err err = {0};
    must(at_run(m, (at_arith){AT_BALL, 128, 0}, x, NULL, arena, &y, &err), &err);
    int n = naive_run(judged, 0, 0, x, real);
    assert_int_equal(n, y.n * y.rows);
    *far = false;
    for (int k = 0; k < n; k++) {
        *far |= isfinite(y.radius[k]) && !inside(y.value[k], y.radius[k] + 0x1p-250, real[k]);
        *sharp += y.radius[k] < 0x1p-40;
    }
    clear(real, n);
}

static void reference(void **state)
{
    (void)state;
    int sharp = 0, turn = 0;
    for (int round = 0; round < 12; round++)
        for (int t = 0; t <= AT_TRAITS; t++, turn++) {
            random_spec s = spec_of(t == AT_TRAITS ? ALL : 1u << t, turn);
            at_model m;
            at_err err = {0};
            at_arena arena;
            at_input x;
            bool far;
            at_arena_init(&arena);
            must(random_model(&s, &m, &err), &err);
            must(random_input(&m, m.n_max, s.seed, false, &arena, &x, &err), &err);
            pbits_compare(&m, &x, &arena);
            bounds_compare(&m, &x, &arena);
            ball_compare(&m, &m, &x, &arena, &far, &sharp);
            assert_false(far);
            at_arena_release(&arena);
            at_model_release(&m);
        }
    assert_true(sharp > 300);
}

/* ---- controls -------------------------------------------------------------------------------------------------- */

static void take_away(at_model *m, at_trait t)
{
    for (int b = 0; b < m->n_blocks; b++) {
        at_block *k = &m->blocks[b];
        for (int g = 0; k->kind == AT_BLOCK_ATTN && g < k->n_groups; g++) {
            if (t == AT_TRAIT_ROTARY)
                k->groups[g].rotary.width = 0;
            if (t == AT_TRAIT_ALIBI)
                k->groups[g].alibi = false;
        }
        if (t == AT_TRAIT_RMS)
            k->norm_kind = AT_NORM_LAYER;
        if (t == AT_TRAIT_GATED)
            k->gated = false;
        if (t == AT_TRAIT_PARALLEL)
            k->parallel = false;
    }
    if (t == AT_TRAIT_TIED)
        m->readout.w = m->blocks[0].groups[0].q; /* (H*dk, D): another matrix of the same width */
}

static void other_pairing(at_model *m)
{
    for (int g = 0; g < m->blocks[0].n_groups; g++)
        m->blocks[0].groups[g].rotary.pairing =
            m->blocks[0].groups[g].rotary.pairing == AT_PAIR_HALVES ? AT_PAIR_ADJACENT : AT_PAIR_HALVES;
}

static void controls(void **state)
{
    (void)state;
    for (int t = 0; t <= AT_TRAITS; t++) { /* the last: pairs the other way round */
        if (t == AT_TRAIT_ROUNDED)         /* refused by whole passes */
            continue;
        random_spec s = {.weighting = AT_SOFTMAX,
                         .mask = AT_MASK_CAUSAL,
                         .pos = RANDOM_NO_POS,
                         .seed = 7,
                         .act = AT_ACT_SILU,
                         .norm = AT_NORM_PRE,
                         .layers = 2,
                         .dk = 4,
                         .heads = 3,
                         .read = AT_READ_RAW,
                         .tokens_only = true,
                         .traits = t < AT_TRAITS ? 1u << t : 1u << AT_TRAIT_ROTARY};
        at_model m, bent;
        at_err err = {0};
        at_arena arena;
        at_input x;
        bool far;
        int sharp = 0;
        at_arena_init(&arena);
        must(random_model(&s, &m, &err), &err);
        must(at_model_copy(&m, &bent, &err), &err);
        must(random_input(&m, m.n_max, 1, false, &arena, &x, &err), &err);
        if (t < AT_TRAITS)
            take_away(&bent, (at_trait)t);
        else
            other_pairing(&bent);
        ball_compare(&m, &bent, &x, &arena, &far, &sharp);
        if (!far)
            fail_msg("%s is not noticed", t < AT_TRAITS ? at_trait_parts[t].name : "pairing");
        at_model_release(&bent);
        at_model_release(&m);
        at_arena_release(&arena);
    }
}

/* ---- the fast executor -------------------------------------------------------------------------------------------- */

static void fast_compare(const at_model *m, at_arith a, const char *isa, const at_input *x, at_arena *arena,
                         long *looked)
{
    at_exec *e = NULL;
    at_scratch *s = NULL;
    at_err err = {0};
    at_output b;
    setenv("ATTEST_ISA", isa, 1);
    must(at_exec_new(m, a, x->n, &e, &err), &err);
    must(at_scratch_new(e, &s, &err), &err);
    unsetenv("ATTEST_ISA");
    int n = at_exec_positions(e) * m->readout.rows;
    double *value = at_new(arena, double, n);
    at_exec_run(e, s, x->v, 1, value);
    must(at_run_bound(m, a, x, true, arena, &b, &err), &err);
    for (int k = 0; k < n; k++) {
        if (!isfinite(b.radius[k]))
            continue;
        ++*looked;
        if (!(fabs(value[k] - b.value[k]) <= b.radius[k] + DBL_EPSILON * fabs(b.value[k])))
            fail_msg("%s, f%d: value %d is %.17g, not %.17g +- %.3g", isa, a.kind == AT_F32 ? 32 : 64, k,
                     value[k], b.value[k], b.radius[k]);
    }
    at_scratch_free(s);
    at_exec_free(e);
}

static void fast(void **state)
{
    (void)state;
    int turn = 0;
    long looked = 0;
    for (int round = 0; round < 12; round++)
        for (int t = 0; t <= AT_TRAITS; t++, turn++) {
            random_spec s = spec_of(t == AT_TRAITS ? ALL : 1u << t, turn);
            at_model m;
            at_err err = {0};
            at_arena arena;
            at_input x;
            at_arena_init(&arena);
            s.last = turn % 4 == 3;
            must(random_model(&s, &m, &err), &err);
            for (size_t i = 0; i < m.n_weights; i++)
                m.weights[i] = (float)m.weights[i];
            must(random_input(&m, m.n_max, s.seed, true, &arena, &x, &err), &err);
            for (int f = 0; f < 4; f++)
                fast_compare(&m, f % 2 ? at_f64 : at_f32, f / 2 ? "portable" : "native", &x, &arena, &looked);
            at_arena_release(&arena);
            at_model_release(&m);
        }
    assert_true(looked > 2000);
}

/* ---- decoding ------------------------------------------------------------------------------------------------------ */

static void decoder(void **state)
{
    (void)state;
    static const at_mask_kind masks[] = {AT_MASK_CAUSAL, AT_MASK_STRICT, AT_MASK_BLOCK_SPARSE};
    static const at_arith ariths[] = {{AT_F32, 0, 0}, {AT_F64, 0, 0}, {AT_PBIT, 12, 8}};
    int turn = 0;
    for (int round = 0; round < 6; round++)
        for (int t = 0; t <= AT_TRAITS; t++, turn++) {
            random_spec s = spec_of(t == AT_TRAITS ? ALL : 1u << t, turn);
            at_model m;
            at_err err = {0};
            at_arena arena;
            at_input x;
            s.mask = masks[turn % 3];
            s.decoder = s.tokens_only = true;
            s.length = 20; /* so that caches are squeezed */
            at_arena_init(&arena);
            must(random_model(&s, &m, &err), &err);
            must(random_input(&m, m.n_max, s.seed, true, &arena, &x, &err), &err);
            for (int a = 0; a < 3; a++) {
                at_decoder *d;
                must(at_decoder_new_keys(&m, ariths[a], &d, &err), &err);
                for (int n = 1; n <= m.n_max; n++) {
                    at_output y;
                    double next, margin;
                    at_tri decided;
                    must(at_decoder_push(d, x.v + n - 1, &err), &err);
                    must(at_decoder_next(d, &next, &margin, &decided, &err), &err);
                    must(at_run(&m, ariths[a], &(at_input){n, x.v}, NULL, &arena, &y, &err), &err);
                    const double *last = y.value + (size_t)(y.n - 1) * (size_t)y.rows;
                    for (int k = 0; k < y.rows; k++)
                        if (memcmp(&d->y.value[k], &last[k], sizeof *last) &&
                            !(isnan(last[k]) && isnan(d->y.value[k])))
                            fail_msg("trait %d, arithmetic %d, length %d: %a is not %a", t, a, n,
                                     d->y.value[k], last[k]);
                }
                at_cost said = at_decoder_cost(d), counted;
                must(at_generation_cost(&m, m.n_max, 1, &counted, &err), &err);
                assert_true(said.mlp == counted.mlp);
                at_decoder_free(d);
            }
            at_arena_release(&arena);
            at_model_release(&m);
        }
}

/* ---- refusals -------------------------------------------------------------------------------------------------------- */

static void refused(at_status st, const at_err *err, const char *name)
{
    assert_int_equal(st, AT_EREFUSED);
    if (!strstr(err->text, name))
        fail_msg("\"%s\" does not say %s", err->text, name);
}

static void refusals(void **state)
{
    (void)state;
    for (int t = 0; t < AT_TRAITS + AT_ACTS; t++) {
        bool act = t >= AT_TRAITS;
        random_spec s = {.weighting = t == AT_TRAIT_ROUNDED ? AT_LINEAR : AT_SOFTMAX,
                         .mask = AT_MASK_CAUSAL,
                         .pos = RANDOM_NO_POS,
                         .norm = t == AT_TRAIT_RMS ? AT_NORM_PRE : AT_NORM_NONE,
                         .act = act ? (at_act)(t - AT_TRAITS) : AT_ACT_RELU,
                         .decoder = true,
                         .tokens_only = true,
                         .one_group = true,
                         .no_prefix = true,
                         .traits = act ? 0 : 1u << t};
        unsigned in = act ? at_act_parts[s.act].in : at_trait_parts[t].in;
        const char *name = act ? at_act_names[s.act] : at_trait_parts[t].name;
        at_model m;
        at_err err = {0};
        at_stage *stage = NULL;
        at_batch *batch = NULL;
        must(random_model(&s, &m, &err), &err);
        m.blocks[0].groups[0].rounded = t == AT_TRAIT_ROUNDED ? 24 : 0;
        at_status st = at_stage_new(&m, (at_arith){AT_PBIT, 12, 8}, &stage, &err);
        if (in & AT_IN_SPLIT)
            must(st, &err);
        else
            refused(st, &err, name);
        at_stage_free(stage);
        err = (at_err){0};
        st = at_batch_new(&m, at_f32, 4, 1, &batch, &err);
        if (in & AT_IN_BATCH)
            must(st, &err);
        else
            refused(st, &err, name);
        at_batch_free(batch);
        for (int g = 0; g < m.blocks[0].n_groups; g++) /* so that nothing but the trait is irrational */
            m.blocks[0].groups[g].weighting = AT_AVERAGE_HARD;
        err = (at_err){0};
        st = at_arith_supports(&m, (at_arith){AT_EXACT, 0, 0}, &err);
        if (in & AT_IN_EXACT)
            must(st, &err);
        else
            assert_int_equal(st, AT_EREFUSED);
        err = (at_err){0};
        st = at_model_takes(&m, AT_IN_ANALYSE, "analysis", &err);
        if (in & AT_IN_ANALYSE)
            must(st, &err);
        else
            refused(st, &err, name);
        at_model_release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference), cmocka_unit_test(controls), cmocka_unit_test(fast),
        cmocka_unit_test(decoder),   cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
