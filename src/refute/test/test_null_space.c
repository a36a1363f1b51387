/* test_null_space.c: feed-forward nets on sparse averaging whose first layer has a rank that is known because it was made so.
 *
 * The first layer's matrix is a product of two drawn ones with r columns between them, so that it sees r of the N d numbers. A pair must
 * be v and -v with v in the null space (so that no output differs), inside the unit balls, one vector of length 1; with full rank there is
 * none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../qsa.h"
#include "../refute_internal.h"
#include "small_models.h"

#include <stdio.h>

typedef struct {
    net_shape h;
    int rank; /* of the first layer, as it is made */
    double tolerance;
} row;

static void rank_set(at_model *m, int rank, uint64_t seed)
{
    const at_block *b = m->blocks;
    while (b->kind != AT_BLOCK_FLATTEN)
        b++;
    int units = b->dense[0].rows, in = at_block_inputs(m, b);
    double *w = at_model_data(m, b->dense[0].w);
    at_rng r = at_rng_at(seed, 9);
    memset(w, 0, (size_t)(units * in) * sizeof *w);
    for (int k = 0; k < rank; k++) {
        double left[64], right[64];
        assert_true(units <= 64 && in <= 64);
        for (int u = 0; u < units; u++)
            left[u] = at_rng_normal(&r);
        for (int i = 0; i < in; i++)
            right[i] = at_rng_normal(&r);
        for (int u = 0; u < units; u++)
            for (int i = 0; i < in; i++)
                w[u * in + i] += left[u] * right[i];
    }
}

static double length_of(const double *x, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sqrt(sum);
}

/* v and -v, asked for one subset everywhere; gives the distance of the targets. */
static double pair_check(const at_subject *s, const qsa_sizes *z, const at_pair *p, int skipped, at_arena *a)
{
    at_answer y[2];
    at_tri is;
    double longest = 0, mean[4] = {0};
    for (int i = 0; i < z->N; i++) {
        const double *u = p->x[0].v + i * z->row, *v = p->x[1].v + i * z->row;
        for (int c = 0; c < z->d; c++)
            assert_true(u[c] == -v[c] && !(u[c] == 0 && signbit(u[c])) && !(v[c] == 0 && signbit(v[c])));
        assert_memory_equal(u + z->d, v + z->d, (size_t)z->q * sizeof *u);
        assert_memory_equal(u + z->d, p->x[0].v + z->d, (size_t)z->q * sizeof *u);
        longest = fmax(longest, length_of(u, z->d));
        assert_true(i != skipped || length_of(u, z->d) == 0);
    }
    assert_true(longest <= 1 && longest > 1 - 0x1p-48);
    OK(at_pair_verify(s, p, a, &is, y, NULL, &err));
    assert_int_equal(is, AT_TRUE);
    for (int k = 0; k < z->q; k++)
        for (int c = 0; c < z->d; c++)
            mean[c] += 2 * p->x[0].v[((int)p->x[0].v[z->d + k] - 1) * z->row + c] / z->q;
    return length_of(mean, z->d);
}

static void test_ranks(void **state)
{
    (void)state;
    static const row rows[] = {
        {{.N = 4, .q = 2, .d = 1, .units = 3, .gain = 1}, 3, 0.1},
        {{.N = 4, .q = 2, .d = 1, .units = 6, .gain = 1}, 2, 0.1},
        {{.N = 4, .q = 1, .d = 1, .units = 6, .gain = 1}, 4, 0.1},  /* full */
        {{.N = 4, .q = 2, .d = 1, .units = 3, .gain = 1}, 3, 0.99}, /* no two are so far apart */
        {{.N = 3, .q = 2, .d = 2, .units = 5, .gain = 1}, 3, 0.1},
        {{.N = 5, .q = 3, .d = 2, .units = 4, .gain = 1, .before = true}, 4, 0.1},
        {{.N = 4, .q = 2, .d = 2, .units = 4, .gain = 1, .prefix = 2}, 4, 0.1},
        {{.N = 4, .q = 2, .d = 2, .units = 9, .gain = 1, .skip = true, .mlp = true}, 3, 0.1},
        {{.N = 4, .q = 2, .d = 2, .units = 9, .gain = 1, .skip = true, .mlp = true},
         6,
         0.1}, /* full but for the skip */
        {{.N = 4, .q = 2, .d = 1, .units = 2, .gain = 1}, 0, 0.1},
    };
    const at_task *t = at_task_find("qsa");
    int found = 0, full = 0, near = 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            const net_shape *h = &rows[k].h;
            char set[64], words[256];
            at_model m;
            at_arena a;
            at_pair p;
            snprintf(set, sizeof set, "N=%d q=%d d=%d", h->N, h->q, h->d);
            at_params params = params_of(t, set);
            net_draw(h, seed, &m);
            rank_set(&m, rows[k].rank, seed);
            qsa_sizes z = {h->N, h->q, h->d, h->q + h->d};
            int n = h->N * h->d, seen = n - (h->skip ? h->d : 0);
            at_subject s = {
                .m = &m, .arith = at_f64, .task = t, .params = &params, .tolerance = rows[k].tolerance};
            at_arena_init(&a);
            OK(at_subject_check(&s, &err));
            OK(refuter("null-space")->fits(&s, &err));
            err = (at_err){0};
            at_status st = refuter("null-space")->search(&s, &(at_refute_env){.threads = 1}, &a, &p, &err);
            assert_true(isnan(p.bits));
            if (rows[k].rank >= seen) {
                assert_int_equal(st, AT_EBUDGET);
                snprintf(words, sizeof words,
                         "the first layer (%d units) has rank %d: it tells all %d numbers apart", h->units,
                         seen, seen);
                assert_string_equal(err.text, words);
                full++;
            } else if (st == AT_EBUDGET) {
                snprintf(words, sizeof words, "null space of dimension %d of %d: targets differ by",
                         seen - rows[k].rank, seen);
                assert_memory_equal(err.text, words, strlen(words));
                assert_true(s.tolerance > 0.9);
                near++;
            } else {
                assert_int_equal(st, AT_OK);
                double apart = pair_check(&s, &z, &p, h->skip ? h->N - 1 : -1, &a);
                snprintf(words, sizeof words,
                         "z - z' is in the null space of the first layer (%d units, rank %d of %d); "
                         "targets differ by %.3g",
                         h->units, rows[k].rank, seen, apart);
                assert_string_equal(p.note, words);
                found++;
            }
            if (rows[k].rank < seen) { /* a beginning at every coordinate that is seen */
                assert_int_equal(p.states, seen);
                assert_true(p.work == seen * (WORK_STATE + 3.0 * n * n));
                /* one beginning alone; it may do */
                st = refuter("null-space")
                         ->search(&s, &(at_refute_env){.states = 1, .threads = 1}, &a, &p, &err);
                assert_true((st == AT_OK || st == AT_EBUDGET) && p.states == 1);
            }
            at_arena_release(&a);
            at_model_release(&m);
        }
    assert_true(found >= 24 && full >= 8 && near >= 1);
}

/* Nothing is seen of the vectors: every question is as good, and the first coordinate is e_1 against -e_1 to the last bit. */
static void test_nothing_seen(void **state)
{
    (void)state;
    const at_task *t = at_task_find("qsa");
    at_params params = params_of(t, "N=3 q=1 d=1");
    at_model m;
    at_arena a;
    at_pair p;
    net_draw(&(net_shape){.N = 3, .q = 1, .d = 1, .units = 2, .gain = 1}, 1, &m);
    rank_set(&m, 0, 1);
    at_subject s = {.m = &m, .arith = at_f64, .task = t, .params = &params, .tolerance = 0.5};
    at_arena_init(&a);
    OK(refuter("null-space")->search(&s, &(at_refute_env){.threads = 1}, &a, &p, &err));
    /* a little less than 1, so that rounding leaves it in the ball: (d + 8) 2^-53 */
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) {
            assert_true(p.x[k].v[2 * i] == (i ? 0 : (k ? -1 : 1) * (1 - 9 * 0x1p-53)));
            assert_true(p.x[k].v[2 * i + 1] == 1);
        }
    at_arena_release(&a);
    at_model_release(&m);
}

/* What comes before the first layer, and what leads around it. */
static void test_fits(void **state)
{
    (void)state;
    const at_task *t = at_task_find("qsa");
    at_params params = params_of(t, "N=4 q=2 d=1");
    static const struct {
        net_shape h;
        int block;
        at_norm norm;
        at_block_kind kind; /* of the block, where it is another */
        const char *words;
    } rows[] = {
        {{.mlp = true}, 0, AT_NORM_PRE, AT_BLOCK_KINDS, "block 0 has a norm before the first layer"},
        {{.before = true}, 0, AT_NORM_POST, AT_BLOCK_KINDS, "block 0 has a norm before the first layer"},
        {{.mlp = true}, 0, AT_NORM_NONE, AT_BLOCK_ATTN, "block 0 is attn"},
        {{.mlp = true}, 0, AT_NORM_NONE, AT_BLOCK_MLP, "block 0 is not linear"},
        {{.before = true}, 1, AT_NORM_NONE, AT_BLOCK_RNN, "block 1 is rnn"},
        {{.skip = true, .mlp = true},
         1,
         AT_NORM_NONE,
         AT_BLOCK_ATTN,
         "a skip leads around the first layer to block 1"},
        {{.mlp = true}, 1, AT_NORM_NONE, AT_BLOCK_ATTN, NULL},
        {{.mlp = true}, 1, AT_NORM_PRE, AT_BLOCK_KINDS, NULL},
        {{.mlp = true}, 0, AT_NORM_POST, AT_BLOCK_KINDS, NULL},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        net_shape h = rows[k].h;
        at_model m;
        h.N = 4, h.q = 2, h.d = 1, h.units = 3, h.gain = 1;
        net_draw(&h, 1, &m);
        at_subject s = {.m = &m, .arith = at_f64, .task = t, .params = &params, .tolerance = 0.1};
        m.blocks[rows[k].block].norm = rows[k].norm;
        if (rows[k].kind != AT_BLOCK_KINDS)
            m.blocks[rows[k].block].kind = rows[k].kind;
        err = (at_err){0};
        assert_int_equal(refuter("null-space")->fits(&s, &err), rows[k].words ? AT_EREFUSED : AT_OK);
        if (rows[k].words)
            assert_non_null(strstr(err.text, rows[k].words));
        at_model_release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_nothing_seen),
        cmocka_unit_test(test_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
