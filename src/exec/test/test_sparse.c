/* test_sparse.c: what skips zeros gives the bits of what does not.
 *
 * Random models of which few weights are not 0, through the reference, the decoder and the fast executor, against twins of the same code:
 *   dense   nothing is skipped: the same bits wherever the run stays finite
 *   kept    weights that are 0 are skipped, inputs are not: the same bits always, also where numbers overflow. (That zero weights are
 *           skipped is the rule of the reference, docs/exec.md: there is no 0 * infinity.)
 *   greedy, deaf   skip too much, and must be told apart */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../core/test/test_scale.h"
#include "../decode.h"
#include "../fast.h"
#include "random_decoder.h"
#include "random_model.h"

extern const decode_ops dense_f32_decode, dense_f64_decode, dense_pbit_decode, kept_f32_decode,
    kept_f64_decode, kept_pbit_decode, greedy_f64_decode, deaf_f64_decode;
ref_forward dense_f32, dense_f64, dense_pbit, kept_f32, kept_f64, kept_pbit, greedy_f64, deaf_f64;
at_status dense_plan(at_exec *e, const at_model *m, at_err *err);

typedef struct {
    ref_forward *forward;
    const decode_ops *ops;
} twin;
static const twin dense[] = {[AT_F32] = {dense_f32, &dense_f32_decode},
                             [AT_F64] = {dense_f64, &dense_f64_decode},
                             [AT_PBIT] = {dense_pbit, &dense_pbit_decode}};
static const twin kept[] = {[AT_F32] = {kept_f32, &kept_f32_decode},
                            [AT_F64] = {kept_f64, &kept_f64_decode},
                            [AT_PBIT] = {kept_pbit, &kept_pbit_decode}};
static const twin greedy = {greedy_f64, &greedy_f64_decode}, deaf = {deaf_f64, &deaf_f64_decode};

enum { LENGTH = 8 };

/* Of a thousand weights of matrices `thousandth` are not 0; gain: of the others. Some zeros are -0. */
static void sample(at_model *m, at_weighting w, at_mask_kind mask, int thousandth, double gain, bool decoder,
                   uint64_t seed)
{
    at_err err = {0};
    random_spec s = {.weighting = w,
                     .mask = mask,
                     .pos = AT_POS_I,
                     .seed = seed,
                     .length = LENGTH + 2,
                     .width = 48,
                     .dk = 7,
                     .dv = 30,
                     .layers = 2,
                     .act = seed % 3 ? AT_ACT_RELU : AT_ACT_GELU,
                     .norm = seed % 5 == 4 ? AT_NORM_PRE : AT_NORM_NONE,
                     .no_bias = seed % 2,
                     .decoder = decoder,
                     .tokens_only = seed % 2};
    must(random_model(&s, m, &err), &err);
    at_rng r = at_rng_at(seed, 5);
    for (int i = 0; i < m->n_tensors; i++)
        for (size_t k = 0; k < m->tensors[i].count; k++) {
            double *x = m->weights + m->tensors[i].offset + k;
            *x *= gain;
            if (m->tensors[i].rank == 2 && (int)at_rng_below(&r, 1000) >= thousandth)
                *x = at_rng_below(&r, 9) ? 0.0 : -0.0;
        }
}

/* ---- the reference ---------------------------------------------------------------------------------- */

static bool all_finite(const double *v, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!isfinite(v[k]))
            return false;
    return true;
}

/* Equal bits, but for the sign and the payload of NaN. */
static bool same(const double *a, const double *b, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (memcmp(&a[k], &b[k], sizeof *a) && !(isnan(a[k]) && isnan(b[k])))
            return false;
    return true;
}

/* Is every number that the run computes on the way finite? States after each block, and the values. */
static bool run_finite(const at_trace *t, const at_output *y)
{
    bool finite = all_finite(y->value, (size_t)y->n * (size_t)y->rows);
    for (int k = 0; k < t->n_states && finite; k++)
        finite = all_finite(t->state[k], (size_t)t->T * (size_t)t->D);
    return finite;
}

/* Does the twin give what at_run gives? */
static bool run_same(const at_model *m, at_arith a, const twin *w, const at_input *x, bool *finite)
{
    at_arena arena;
    at_err err = {0};
    at_output y, z;
    at_trace t;
    at_arena_init(&arena);
    must(at_run(m, a, x, &t, &arena, &y, &err), &err);
    must(at_run(m, a, x, NULL, &arena, &z, &err), &err); /* room for the twin's */
    ref_ctx c = {.m = m, .arena = &arena, .err = &err, .prec = a.bits, .f = at_pfmt_of(a)};
    size_t n = (size_t)y.n * (size_t)y.rows;
    memset(z.value, 1, n * sizeof *z.value);
    must(w->forward(&c, x, NULL, &z), &err);
    bool is = same(y.value, z.value, n);
    *finite = run_finite(&t, &y);
    at_arena_release(&arena);
    return is;
}

/* ---- the decoder ------------------------------------------------------------------------------------- */

/* A decoder whose steps are the twin's. Its matrices are made again, by the twin. */
static void decoder_turn(at_decoder *d, const twin *w)
{
    const at_model *m = d->c.m;
    at_err err = {0};
    d->c.err = &err;
    d->ops = w->ops;
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *k = &m->blocks[b];
        for (int g = 0; k->kind == AT_BLOCK_ATTN && g < k->n_groups; g++) {
            const at_group *a = &k->groups[g];
            decode_group *o = &d->blocks[b].groups[g];
            int D = m->width, K = a->heads * a->dk, V = a->heads * a->dv;
            must(w->ops->matrix(d, a->q, a->qb, K, D, &o->q), &err);
            must(w->ops->matrix(d, a->k, a->kb, K, D, &o->k), &err);
            must(w->ops->matrix(d, a->v, a->vb, V, D, &o->v), &err);
            must(w->ops->matrix(d, a->o, a->ob, D, V, &o->o), &err);
            if (at_weighting_is(a->weighting, AT_IS_PAIRS)) {
                must(w->ops->matrix(d, a->k2, a->k2b, K, D, &o->k2), &err);
                must(w->ops->matrix(d, a->v2, a->v2b, V, D, &o->v2), &err);
            }
        }
        for (int l = 0, in = m->width; k->kind == AT_BLOCK_MLP && l < k->n_dense; in = k->dense[l++].rows)
            must(
                w->ops->matrix(d, k->dense[l].w, k->dense[l].b, k->dense[l].rows, in, &d->blocks[b].dense[l]),
                &err);
    }
    must(w->ops->matrix(d, m->readout.w, m->readout.b, m->readout.rows, m->width, &d->readout), &err);
}

/* How many matrices are kept by columns too. */
static int turned_count(const at_decoder *d)
{
    int n = 0;
    for (int b = 0; b < d->c.m->n_blocks; b++)
        for (int l = 0; d->blocks[b].dense && l < d->blocks[b].b->n_dense; l++)
            n += d->blocks[b].dense[l].first != NULL;
    return n;
}

/* Row by row: do decoder and twin give the same values? Linear attention from sums. */
static bool decode_same(const at_model *m, at_arith a, const twin *w, const at_input *x, bool *finite,
                        int *turned)
{
    at_decoder *d, *e;
    at_err err = {0};
    int width = at_model_row_width(m), n;
    bool is = true;
    must(at_decoder_new(m, a, &d, &err), &err);
    must(at_decoder_new(m, a, &e, &err), &err);
    decoder_turn(e, w);
    must(decoder_reset(e, &err), &err); /* prefix rows by the twin */
    *turned += turned_count(d);
    *finite = true;
    for (int t = 0; t < x->n; t++) {
        double row[64], margin;
        at_tri decided;
        must(at_decoder_push(d, x->v + t * width, &err), &err);
        must(at_decoder_push(e, x->v + t * width, &err), &err);
        must(at_decoder_next(d, row, &margin, &decided, &err), &err);
        must(at_decoder_next(e, row, &margin, &decided, &err), &err);
        const double *u = at_decoder_values(d, &n), *v = at_decoder_values(e, &n);
        is = is && same(u, v, (size_t)n);
        *finite = *finite && all_finite(u, (size_t)n);
    }
    at_decoder_free(d);
    at_decoder_free(e);
    return is;
}

/* ---- all of it --------------------------------------------------------------------------------------- */

static const int thousandths[] = {0, 20, 150, 500, 1000};
enum {
    DENSITIES = sizeof thousandths / sizeof *thousandths,
    DENSITY_STEP = 2
}; /* another half for each mask */

/* gain 0.5 and large ones that overflow on the way. */
static const double gains[] = {0.5, 1e60};

static void decoders(void **state)
{
    (void)state;
    int runs = 0, finite_runs = 0, turned = 0, overflows = 0;
    uint64_t seed = 0;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int k = TEST_SCALE > 1 ? w % 3 : 0;
             k<3; k += TEST_SCALE> 1 ? 3 : 1) /* under a sanitizer one mask each */
            for (int d = (w + k) % DENSITY_STEP; d < DENSITIES; d += DENSITY_STEP)
                for (int g = 0; g < 2; g++, seed++) {
                    at_model m;
                    at_arena arena;
                    at_input x;
                    at_err err = {0};
                    at_arena_init(&arena);
                    sample(&m, (at_weighting)w, decoder_masks[k], thousandths[d], gains[g], true, seed);
                    must(random_input(&m, LENGTH, seed, false, &arena, &x, &err), &err);
                    for (int i = 0; i < DECODER_ARITHS; i++, runs++) {
                        at_arith a = decoder_ariths[i];
                        bool run_is_finite, finite, ignored;
                        bool one = run_same(&m, a, &dense[a.kind], &x, &run_is_finite);
                        bool two = decode_same(&m, a, &dense[a.kind], &x, &finite, &turned);
                        if (run_is_finite && !(one && two))
                            fail_msg("%s %s, %d of 1000, arithmetic %d: zeros skipped are seen (%d %d)",
                                     at_weighting_names[w], at_mask_names[decoder_masks[k]], thousandths[d],
                                     i, one, two);
                        if (!run_same(&m, a, &kept[a.kind], &x, &ignored) ||
                            !decode_same(&m, a, &kept[a.kind], &x, &ignored, &turned))
                            fail_msg("%s %s, %d of 1000, arithmetic %d, gain %g: inputs skipped are seen",
                                     at_weighting_names[w], at_mask_names[decoder_masks[k]], thousandths[d],
                                     i, gains[g]);
                        finite_runs += run_is_finite;
                        overflows += !run_is_finite;
                    }
                    at_arena_release(&arena);
                    at_model_release(&m);
                }
    printf("%d runs, %d finite, %d not; %d matrices by columns too\n", runs, finite_runs, overflows, turned);
    assert_true(finite_runs > runs / 3 && overflows > runs / 10 && turned > TEST_SCALED(200));
}

/* A few weights that are infinite after rounding to f32, or make a key or a value so: then a zero is not nothing, 0 * infinity. */
static void spikes(void **state)
{
    (void)state;
    int told = 0, ignored = 0;
    for (uint64_t seed = 0; seed < TEST_SCALED(120); seed++) {
        at_model m;
        at_arena arena;
        at_input x;
        at_err err = {0};
        bool finite;
        at_arena_init(&arena);
        sample(&m, seed % 2 ? AT_LINEAR : AT_SOFTMAX, AT_MASK_CAUSAL, seed % 2 ? 20 : 150, 0.5, true, seed);
        at_rng r = at_rng_at(seed, 9);
        /* In one matrix only, so that the numbers before it are what they were: one of an MLP, or keys. */
        int tensor = seed % 2 ? m.blocks[0].groups[0].k : m.blocks[1].dense[seed / 2 % 2].w;
        double *w = at_model_data(&m, tensor);
        for (int k = 0; k < 4; k++)
            w[at_rng_below(&r, m.tensors[tensor].count)] = seed % 4 < 2 ? 1e39 : 1.7e308;
        for (int k = 0; seed % 4 == 3 && k < m.width; k++) /* a key that is finite until it is summed */
            w[k] = 1.7e308;
        must(random_input(&m, LENGTH, seed, false, &arena, &x, &err), &err);
        for (int i = 0; i < DECODER_ARITHS; i++) {
            at_arith a = decoder_ariths[i];
            if (!run_same(&m, a, &kept[a.kind], &x, &finite) ||
                !decode_same(&m, a, &kept[a.kind], &x, &finite, &ignored))
                fail_msg("model %d, arithmetic %d: inputs skipped are seen", (int)seed, i);
            told += !finite;
        }
        at_arena_release(&arena);
        at_model_release(&m);
    }
    printf("%d of %d decoders overflow\n", told, TEST_SCALED(120) * DECODER_ARITHS);
    assert_true(told > TEST_SCALED(100));
}

/* What skips too much is told apart. */
static void controls(void **state)
{
    (void)state;
    int run_told = 0, greedy_told = 0, deaf_told = 0, ignored = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        at_model m;
        at_arena arena;
        at_input x;
        at_err err = {0};
        bool finite;
        at_arena_init(&arena);
        sample(&m, seed % 2 ? AT_LINEAR : AT_SOFTMAX, AT_MASK_CAUSAL, 150, 0.5, true, seed);
        must(random_input(&m, LENGTH, seed, false, &arena, &x, &err), &err);
        run_told += !run_same(&m, at_f64, &deaf, &x, &finite);
        greedy_told += !decode_same(&m, at_f64, &greedy, &x, &finite, &ignored);
        deaf_told += !decode_same(&m, at_f64, &deaf, &x, &finite, &ignored);
        at_arena_release(&arena);
        at_model_release(&m);
    }
    printf("of 20: %d and %d told apart that skip small weights, %d that skip inputs below 0\n", run_told,
           deaf_told, greedy_told);
    assert_true(run_told >= 15 && deaf_told >= 15 && greedy_told >= 15);
}

static void fast_values(at_exec *e, const at_model *m, const at_input *x, double *out, size_t n)
{
    at_scratch *s;
    at_err err = {0};
    (void)m;
    must(at_scratch_new(e, &s, &err), &err);
    memset(out, 1, n * sizeof *out);
    at_exec_run(e, s, x->v, 1, out);
    at_scratch_free(s);
}

/* The fast executor with and without compressed matrices. The order of a sum is the same, so its bits are. */
static void fast(void **state)
{
    (void)state;
    int compared = 0;
    uint64_t seed = 0;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int k = 0; k < AT_MASKS; k++)
            for (int d = 0; d<DENSITIES; d += TEST_SCALE> 1 ? 2 : 1, seed++)
                for (int i = 0; i < 2; i++) {
                    at_arith a = i ? at_f64 : at_f32;
                    at_model m;
                    at_arena arena;
                    at_input x;
                    at_err err = {0};
                    at_exec *e, *other;
                    at_arena_init(&arena);
                    sample(&m, (at_weighting)w, (at_mask_kind)k, thousandths[d], 0.5, false, seed);
                    must(random_input(&m, 5, seed, false, &arena, &x, &err), &err);
                    size_t n = (size_t)(m.readout.last ? 1 : 5) * (size_t)m.readout.rows;
                    double *u = at_new(&arena, double, n), *v = at_new(&arena, double, n);
                    must(at_exec_new(&m, a, 5, &e, &err), &err);
                    must(at_exec_new(&m, a, 5, &other, &err), &err);
                    must(dense_plan(other, &m, &err), &err); /* all of it again */
                    assert_null(other->readout.start);
                    if (other->folded) { /* its tables are filled by its own matrices */
                        at_scratch *fill;
                        must(at_scratch_new(other, &fill, &err), &err);
                        other->kernel->fold(other, fill);
                        at_scratch_free(fill);
                    }
                    fast_values(e, &m, &x, u, n);
                    fast_values(other, &m, &x, v, n);
                    if (all_finite(u, n)) {
                        compared++;
                        if (!same(u, v, n))
                            fail_msg("%s %s, %d of 1000, %s: %.17g, dense %.17g", at_weighting_names[w],
                                     at_mask_names[k], thousandths[d], i ? "f64" : "f32", u[0], v[0]);
                    }
                    at_exec_free(e);
                    at_exec_free(other);
                    at_arena_release(&arena);
                    at_model_release(&m);
                }
    printf("%d runs compared\n", compared);
    assert_true(compared > (TEST_SCALE > 1 ? 200 : 300));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoders),
        cmocka_unit_test(spikes),
        cmocka_unit_test(controls),
        cmocka_unit_test(fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
