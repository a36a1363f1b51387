/* test_fold.c: less work, same bits. Tables up to the first attention block against the kernels that they stand for,
 * one position read out against all of them, and decisions made in the lanes against those made of values: each pair
 * is equal bit for bit. That either is right at all is test_fast.c's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../exec_internal.h"
#include "../fast.h"
#include "random_model.h"

enum { N = 6, BATCH = 19 }; /* full groups of lanes and a short one */
static const at_arith ariths[2] = {{.kind = AT_F32}, {.kind = AT_F64}};
static const char *const isas[2] = {"native", "portable"};

/* BATCH inputs of length N. */
static double *inputs(const at_model *m, uint64_t seed, at_arena *a)
{
    size_t each = (size_t)N * (size_t)at_model_row_width(m);
    double *v = at_new(a, double, each *BATCH);
    for (int b = 0; b < BATCH; b++) {
        at_input x;
        assert_int_equal(random_input(m, N, seed + (uint64_t)b, false, a, &x, NULL), AT_OK);
        memcpy(v + (size_t)b * each, x.v, each * sizeof *v);
    }
    return v;
}

static at_exec *exec_of(const at_model *m, int arith, int isa)
{
    at_exec *e;
    at_err err = {0};
    setenv("ATTEST_ISA", isas[isa], 1);
    if (at_exec_new(m, ariths[arith], N, &e, &err))
        fail_msg("%s", err.text);
    unsetenv("ATTEST_ISA");
    return e;
}

static double *values(at_exec *e, const double *v, at_arena *a)
{
    at_scratch *s;
    double *out = at_new(a, double, (size_t)(BATCH * at_exec_positions(e) * e->R));
    assert_int_equal(at_scratch_new(e, &s, NULL), AT_OK);
    at_exec_run(e, s, v, BATCH, out);
    at_scratch_free(s);
    return out;
}

static size_t bytes(const at_exec *e)
{
    return (size_t)(BATCH * at_exec_positions(e) * e->R) * sizeof(double);
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

/* With tables and without; then with a value changed in every row of a table. How often that is seen is returned, of
 * 4: it is not where the positions read out see or choose hidden keys only. */
static int tables_compare(const at_model *m, uint64_t seed, bool expected)
{
    int seen = 0;
    for (int k = 0; k < 4; k++) {
        at_arena a;
        at_arena_init(&a);
        double *v = inputs(m, seed, &a);
        at_exec *e = exec_of(m, k % 2, k / 2);
        assert_int_equal(e->folded, expected);
        double *with = values(e, v, &a);
        e->folded = false;
        double *without = values(e, v, &a);
        if (memcmp(with, without, bytes(e)))
            fail_msg("seed %d, %s, %s: tables change values", (int)seed, k % 2 ? "f64" : "f32", isas[k / 2]);
        if (expected) {
            const fast_head *h = &e->blocks[e->fold_block].heads[0];
            size_t rows = (size_t)e->symbols * (size_t)e->places;
            e->folded = true;
            for (size_t i = 0; i < rows; i++) { /* a value of every symbol at every place */
                size_t at = i * (size_t)h->table_row + (size_t)h->dk;
                if (e->single)
                    ((float *)h->table)[at] += 1;
                else
                    ((double *)h->table)[at] += 1;
            }
            seen += memcmp(values(e, v, &a), with, bytes(e)) != 0;
        }
        at_exec_free(e);
        at_arena_release(&a);
    }
    return seen;
}

/* Every weighting x mask x position encoding (or none), over one token a position; norms, activations and readouts
 * rotate; every other model begins with its MLP. */
static void test_tables(void **state)
{
    (void)state;
    uint64_t turn = 0;
    int seen = 0;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int mask = 0; mask < AT_MASKS; mask++)
            for (int pos = 0; pos <= AT_POS_KINDS; pos++, turn++) {
                random_spec s = {.weighting = (at_weighting)w,
                                 .mask = (at_mask_kind)mask,
                                 .pos = (at_pos_kind)pos,
                                 .seed = 300 + turn,
                                 .length = 9,
                                 .width = 6 + (int)(turn % 5),
                                 .dk = 1 + (int)(turn % 9),
                                 .dv = 1 + (int)(turn % 4),
                                 .act = (at_act)(turn % AT_ACTS),
                                 .norm = (at_norm)(turn / 2 % AT_NORMS),
                                 .layers = 1 + (turn % 3 == 0),
                                 .last = turn % 4 == 0,
                                 .no_bias = turn % 7 == 0,
                                 .tokens_only = true,
                                 .read = AT_READ_RAW};
                at_model m;
                assert_int_equal(random_model(&s, &m, NULL), AT_OK);
                if (turn % 2) {
                    at_block first = m.blocks[0];
                    m.blocks[0] = m.blocks[1];
                    m.blocks[1] = first;
                }
                m.blocks[turn % 2].residual = turn % 5 > 0;
                seen += tables_compare(&m, s.seed, true);
                at_model_release(&m);
            }
    print_message("a change of the tables is seen in %d of %d runs\n", seen, (int)turn * 4);
    assert_true(seen > (int)turn * 4 * 3 / 4); /* else nobody reads them */
}

/* Other fields than one symbol, and tables that would be too large: none are made. */
static void test_no_tables(void **state)
{
    (void)state;
    at_model m;
    random_spec s = {.pos = AT_POS_I, .length = 9, .read = AT_READ_RAW, .seed = 5};
    assert_int_equal(random_model(&s, &m, NULL), AT_OK);
    tables_compare(&m, 5, false);
    at_model_release(&m);
    s.tokens_only = true;
    assert_int_equal(random_model(&s, &m, NULL), AT_OK);
    m.fields[0].size = 50000; /* times N places */
    assert_int_equal(at_model_layout(&m, NULL), AT_OK);
    for (size_t i = 0; i < m.n_weights; i++)
        m.weights[i] = (double)(i % 7) / 8 - 0.25;
    tables_compare(&m, 5, false);
    at_model_release(&m);
}

/* ---- one position ------------------------------------------------------------------------------------------------- */

/* What is read out at the last position is what stands there when all are read out. */
static void test_last(void **state)
{
    (void)state;
    uint64_t turn = 0;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        for (int mask = 0; mask < AT_MASKS; mask++, turn++) {
            random_spec s = {.weighting = (at_weighting)w,
                             .mask = (at_mask_kind)mask,
                             .pos = turn % 2 ? AT_POS_I_OVER_N : RANDOM_NO_POS,
                             .seed = 900 + turn,
                             .length = 9,
                             .dk = 1 + (int)(turn % 9),
                             .act = (at_act)(turn % AT_ACTS),
                             .norm = (at_norm)(turn % AT_NORMS),
                             .layers = 1 + (int)(turn % 2),
                             .tokens_only = turn % 3 > 0,
                             .rows = 1 + (int)(turn % 20),
                             .read = AT_READ_RAW};
            at_model m;
            assert_int_equal(random_model(&s, &m, NULL), AT_OK);
            m.n_suffix = 0; /* the last position is the last of the user's */
            assert_int_equal(at_model_layout(&m, NULL), AT_OK);
            at_rng r = at_rng_at(7, turn);
            for (size_t i = 0; i < m.n_weights; i++)
                m.weights[i] = at_rng_normal(&r) / 2;
            for (int k = 0; k < 4; k++) {
                at_arena a;
                at_arena_init(&a);
                double *v = inputs(&m, s.seed, &a);
                m.readout.last = false;
                at_exec *e = exec_of(&m, k % 2, k / 2);
                m.readout.last = true;
                at_exec *one = exec_of(&m, k % 2, k / 2);
                double *all = values(e, v, &a), *last = values(one, v, &a);
                assert_true(at_exec_positions(e) == N && at_exec_positions(one) == 1);
                size_t R = (size_t)e->R;
                for (size_t b = 0; b < BATCH; b++)
                    assert_memory_equal(last + b * R, all + (b * N + N - 1) * R, R * sizeof *last);
                at_exec_free(e);
                at_exec_free(one);
                at_arena_release(&a);
            }
            at_model_release(&m);
        }
}

/* ---- decisions ------------------------------------------------------------------------------------------------------ */

/* Decisions and margins by definition: the first of the largest, and the least gap to another one. */
static void decide_plainly(const at_readout *ro, const double *value, double *decision, double *margin)
{
    int best = 0;
    *decision = NAN;
    *margin = 0;
    for (int r = 0; r < ro->rows; r++) {
        if (!isfinite(value[r]))
            return;
        if (value[r] > value[best])
            best = r;
    }
    *decision = best;
    *margin = INFINITY;
    for (int r = 0; r < ro->rows; r++)
        if (r != best)
            *margin = fmin(*margin, ref_gap(value[best], value[r]));
}

static void decisions_compare(const at_model *m, uint64_t seed, int *ties, int *wild)
{
    for (int k = 0; k < 4; k++) {
        at_arena a;
        at_arena_init(&a);
        double *v = inputs(m, seed, &a);
        at_exec *e = exec_of(m, k % 2, k / 2);
        at_scratch *s;
        assert_int_equal(at_scratch_new(e, &s, NULL), AT_OK);
        bool argmax = m->readout.kind == AT_READ_ARGMAX;
        int positions = at_exec_positions(e), width = argmax ? 1 : e->R, count = BATCH * positions * width;
        double *value = values(e, v, &a), *room = at_new(&a, double, (size_t)(4 * count));
        double *decision = room, *margin = room + count, *want = room + 2 * count, *least = room + 3 * count;
        at_exec_decide(e, s, v, BATCH, decision, margin);
        at_decide(&m->readout, BATCH * positions, value, want, least);
        for (int i = 0; i < count; i++) {
            assert_true(decision[i] == want[i] || (isnan(decision[i]) && isnan(want[i])));
            assert_true(margin[i] == least[i]);
            if (!argmax)
                continue;
            decide_plainly(&m->readout, value + (size_t)i * (size_t)e->R, &want[i], &least[i]);
            assert_true(decision[i] == want[i] || (isnan(decision[i]) && isnan(want[i])));
            assert_true(margin[i] == least[i]);
            *ties += margin[i] == 0 && !isnan(decision[i]);
            *wild += isnan(decision[i]);
        }
        at_scratch_free(s);
        at_exec_free(e);
        at_arena_release(&a);
    }
}

/* Every readout; of argmax with one row and many, with equal rows, and with values that are no numbers. */
static void test_decisions(void **state)
{
    (void)state;
    int ties = 0, wild = 0, none = 0;
    for (int read = 0; read < AT_READS; read++)
        for (int turn = 0; turn < 12; turn++) {
            random_spec s = {.pos = AT_POS_I,
                             .seed = 40 + (uint64_t)turn,
                             .length = 9,
                             .rows = 1 + turn * turn % 70,
                             .tokens_only = turn % 2,
                             .last = turn % 3 == 0,
                             .integers = turn % 4 == 0,
                             .read = (at_read_kind)read};
            at_model m;
            assert_int_equal(random_model(&s, &m, NULL), AT_OK);
            bool argmax = read == AT_READ_ARGMAX;
            decisions_compare(&m, s.seed, argmax ? &ties : &none, argmax ? &wild : &none);
            double *w = m.weights + m.tensors[m.readout.w].offset;
            if (turn == 7) /* products that no float and no double holds */
                for (size_t i = 0; i < m.tensors[m.readout.w].count; i++)
                    w[i] *= 1e300 * 1e8;
            if (turn == 8) { /* equal rows */
                double *bias = m.readout.b < 0 ? NULL : m.weights + m.tensors[m.readout.b].offset;
                for (int i = m.width; i < m.width * m.readout.rows; i++)
                    w[i] = w[i % m.width];
                for (int i = 1; bias && i < m.readout.rows; i++)
                    bias[i] = bias[0];
            }
            decisions_compare(&m, s.seed, argmax ? &ties : &none, argmax ? &wild : &none);
            at_model_release(&m);
        }
    print_message("%d ties, %d without a decision\n", ties, wild);
    assert_true(ties > 100 && wild > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables), cmocka_unit_test(test_no_tables),
                                       cmocka_unit_test(test_last), cmocka_unit_test(test_decisions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
