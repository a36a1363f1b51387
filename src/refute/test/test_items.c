/* test_items.c: what refuters by collision find is what comparing all items with all finds.
 *
 * A refuter of states numbers its items (docs: the head of its file), and hands over the pair with the smallest second item, and
 * the smallest first of that. Here items are made again from these words, every state is computed from the beginning, and all pairs
 * are looked at: the refuter must find this pair, after so many states, or none exactly when there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../qsa.h"
#include "../refute_internal.h"
#include "small_models.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 700 }; /* items that are compared */

typedef struct {
    bool found;
    int first, second;
} twins;

typedef struct {
    double row[64];
    int n;
    size_t bytes;
    unsigned char state[4096];
} item;

static item *items; /* (MOST) */

/* ---- prompts ----------------------------------------------------------------------------------------------------- */

static void state_fill(const at_subject *s, int read, item *k)
{
    at_generator *g;
    OK((s->rounded_sums ? at_generator_new_rounded : at_generator_new)(s->m, s->arith, &g, &err));
    OK(at_generator_state(g, k->row, read, NULL, &k->bytes, &err));
    assert_true(k->bytes <= sizeof k->state);
    OK(at_generator_state(g, k->row, read, k->state, &k->bytes, &err));
    at_generator_free(g);
}

static bool chains_differ(const at_subject *s, const item *x, const item *y)
{
    double rows[2][2];
    int n[2];
    OK(s->chain->answer(s->self, x->row, x->n, rows[0], &n[0], &err));
    OK(s->chain->answer(s->self, y->row, y->n, rows[1], &n[1], &err));
    return n[0] != n[1] || memcmp(rows[0], rows[1], (size_t)n[0] * sizeof(double)) != 0;
}

static twins prompts_compare(const at_subject *s, int n)
{
    for (int k = 1; k < n; k++)
        for (int i = 0; i < k; i++)
            if (items[i].n == items[k].n && items[i].bytes == items[k].bytes &&
                !memcmp(items[i].state, items[k].state, items[i].bytes) &&
                items[i].row[items[i].n - 1] == items[k].row[items[k].n - 1] &&
                chains_differ(s, &items[i], &items[k]))
                return (twins){true, i, k};
    return (twins){.first = -1};
}

/* The refuter's answer is this one. Gives the words it has: of the pair, or of what was tried. */
static void search_compare(const at_subject *s, const char *id, int n, uint64_t seed, twins want, double cost,
                           double bits, char words[512])
{
    for (int threads = 1; threads <= 2; threads++) {
        at_arena a;
        at_pair p;
        at_arena_init(&a);
        OK(refuter(id)->fits(s, &err));
        err = (at_err){0};
        at_refute_env env = {.states = (uint64_t)n, .seed = seed, .threads = threads};
        at_status st = refuter(id)->search(s, &env, &a, &p, &err);
        assert_int_equal(st, want.found ? AT_OK : AT_EBUDGET);
        snprintf(words, 512, "%s", st ? err.text : p.note);
        assert_int_equal(p.states, want.found ? want.second + 1 : n);
        assert_true(p.work == (double)p.states * cost);
        assert_true(p.bits == bits);
        for (int k = 0; k < 2 && want.found; k++) {
            const item *x = &items[k ? want.second : want.first];
            assert_int_equal(p.x[k].n, x->n);
            assert_memory_equal(p.x[k].v, x->row, (size_t)x->n * sizeof(double));
        }
        if (want.found) {
            at_tri is;
            at_answer y[2];
            OK(at_pair_verify(s, &p, &a, &is, y, NULL, &err));
            assert_int_equal(is, AT_TRUE);
        }
        at_arena_release(&a);
    }
}

static void test_sums(void **state)
{
    (void)state;
    static const struct {
        int layers, heads, dk, dv, prefix;
        const char *arith;
        digits chain;
    } rows[] = {
        {1, 1, 1, 1, 0, "p2e3", {3, 6, 6, true}},        {1, 1, 1, 1, 2, "p3e4", {3, 5, 7, false}},
        {2, 1, 1, 2, 0, "p2e4", {4, 6, 6, false}},       {1, 2, 1, 1, 1, "p4e4", {2, 9, 9, true}},
        {1, 1, 2, 2, 0, "f32", {3, 5, 5, true}},         {1, 1, 1, 1, 0, "f64", {2, 6, 6, true}},
        {1, 1, 1, 1, 0, "p53e5", {2, 5, 5, true}},       {1, 1, 1, 1, 0, "p2e3", {3, 4, 4, true, true}},
        {1, 1, 1, 1, 1, "p2e3", {3, 3, 5, false, true}},
    };
    int found = 0, none = 0, passed = 0;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            const digits *d = &rows[r].chain;
            at_model m;
            at_subject s = {.m = &m, .chain = &digits_chain, .self = d};
            char words[512], expected[512];
            decoder_draw(&(decoder_shape){.words = d->base + 1,
                                          .longest = d->longest,
                                          .layers = rows[r].layers,
                                          .heads = rows[r].heads,
                                          .dk = rows[r].dk,
                                          .dv = rows[r].dv,
                                          .width = 3,
                                          .prefix = rows[r].prefix,
                                          .weighting = AT_LINEAR,
                                          .mask = {.kind = AT_MASK_CAUSAL}},
                         seed, &m);
            OK(at_arith_parse(rows[r].arith, &s.arith, &err));
            s.rounded_sums = s.arith.kind == AT_PBIT;
            OK(at_subject_check(&s, &err));
            uint64_t count = digits_count(d);
            int n = count < MOST / 2 ? (int)count : MOST / 2;
            for (int i = 0; i < n; i++) {
                at_rng rng = at_rng_at(seed, (uint64_t)i);
                OK(d->counted ? digits_nth(d, (uint64_t)i, items[i].row, &items[i].n, &err)
                              : digits_sample(d, &rng, items[i].row, &items[i].n, &err));
                state_fill(&s, items[i].n - 1, &items[i]);
            }
            twins want = prompts_compare(&s, n);
            double numbers = rows[r].layers * rows[r].heads * rows[r].dk * (rows[r].dv + 1);
            double bits = numbers * (s.arith.kind == AT_F32   ? 32
                                     : s.arith.kind == AT_F64 ? 64
                                                              : s.arith.bits + s.arith.exp_bits);
            search_compare(&s, "running-sums", n, seed, want, work_of_rows(&m, d->longest), bits, words);
            if (want.found)
                snprintf(expected, sizeof expected,
                         "the running sums of every layer (%g bits) are the same after both prompts", bits);
            else
                snprintf(expected, sizeof expected,
                         "%d prompts: no two with different chains have the same running sums (%g bits)", n,
                         bits);
            assert_string_equal(words, expected);
            found += want.found;
            none += !want.found;
            passed += want.found && want.second > 20;
            at_model_release(&m);
        }
    assert_true(found >= 8 && none >= 5 && passed >= 2);
}

/* Item i is prompt 0 with the inside of the first whole block of prompt i + 1; what is compared is the state when that block has left all
 * windows. */
static void test_blocks(void **state)
{
    (void)state;
    static const struct {
        int layers, prefix, block, windows, ends, base;
        const char *arith;
    } rows[] = {
        {1, 0, 3, 1, 1, 3, "p8e5"}, {1, 2, 3, 1, 1, 4, "f64"},  {1, 1, 4, 2, 2, 3, "f32"},
        {2, 0, 3, 1, 1, 3, "p2e3"}, {2, 3, 3, 1, 1, 4, "p2e3"}, {2, 1, 4, 1, 2, 3, "p2e3"},
        {2, 0, 3, 1, 1, 3, "f64"},
    };
    int found = 0, none = 0;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            int B = rows[r].block, P = rows[r].prefix, M = rows[r].layers, n = 40;
            int begin = (B - P % B) % B, end = begin + B - rows[r].ends,
                read = begin + B * (1 + M * rows[r].windows);
            digits d = {rows[r].base, read + 2, read + 2, false};
            at_model m;
            at_subject s = {.m = &m, .chain = &digits_chain, .self = &d};
            double base[64];
            int length;
            char words[512], expected[512];
            decoder_draw(&(decoder_shape){.words = d.base + 1,
                                          .longest = d.longest,
                                          .layers = M,
                                          .heads = 1,
                                          .dk = 1,
                                          .dv = 1,
                                          .width = 2,
                                          .prefix = P,
                                          .weighting = AT_SOFTMAX,
                                          .mask = {AT_MASK_BLOCK_SPARSE, B, rows[r].windows, rows[r].ends}},
                         seed, &m);
            OK(at_arith_parse(rows[r].arith, &s.arith, &err));
            OK(at_subject_check(&s, &err));
            at_rng rng = at_rng_at(seed, 0);
            OK(digits_sample(&d, &rng, base, &length, &err));
            for (int i = 0; i < n; i++) {
                rng = at_rng_at(seed, (uint64_t)i + 1);
                OK(digits_sample(&d, &rng, items[i].row, &items[i].n, &err));
                for (int k = 0; k < length; k++)
                    if (k < begin || k >= end)
                        items[i].row[k] = base[k];
                state_fill(&s, read, &items[i]);
            }
            twins want = prompts_compare(&s, n);
            double vectors = rows[r].windows * rows[r].ends * M * (M - 1) / 2.0;
            double bits = vectors * 2 *
                          (s.arith.kind == AT_F32   ? 32
                           : s.arith.kind == AT_F64 ? 64
                                                    : s.arith.bits + s.arith.exp_bits);
            search_compare(&s, "one-block", n, seed, want, work_of_rows(&m, read), bits, words);
            if (want.found)
                snprintf(expected, sizeof expected,
                         "rows %d..%d differ; from row %d on all that is seen, in %d layers, is the same",
                         begin + 1, end, read + 1, M);
            else
                snprintf(
                    expected, sizeof expected,
                    "%d insides of rows %d..%d: no two with different chains leave the same ends and window",
                    n, begin + 1, end);
            assert_string_equal(words, expected);
            assert_true(want.found || M > 1); /* one layer keeps nothing */
            found += want.found && M > 1;
            none += !want.found;
            at_model_release(&m);
        }
    assert_true(found >= 3 && none >= 2);
}

/* ---- beginnings ---------------------------------------------------------------------------------------------------- */

/* How far apart can one question put the two? All questions of q positions are asked; d = 1. */
static double question_best(int N, int q, const double *x, const double *y)
{
    double best = 0;
    for (unsigned set = 0; set < 1u << N; set++) {
        double sum = 0;
        if (__builtin_popcount(set) != q)
            continue;
        for (int i = 0; i < N; i++)
            if (set >> i & 1)
                sum += x[i] - y[i];
        best = fmax(best, fabs(sum) / q);
    }
    return best;
}

/* Items of a pass: w vectors of +-1 times `lengths` lengths, the last position fastest, then zeros up to position m. */
static void beginning_make(const at_subject *s, const qsa_sizes *z, int w, int m, int lengths, uint64_t i,
                           item *k)
{
    at_recurrence *r;
    double row[8] = {0}, net[64];
    k->n = z->N;
    memset(k->row, 0, sizeof k->row);
    for (int t = w - 1; t >= 0; t--, i /= 2 * (uint64_t)lengths) {
        int digit = (int)(i % (2 * (uint64_t)lengths));
        k->row[t] = (digit % 2 ? -1 : 1) * (1 - (double)(digit / 2) / lengths);
    }
    OK(at_recurrence_new(s->m, s->arith, z->N, &r, &err));
    k->bytes = (size_t)at_recurrence_numbers(r) * sizeof *net;
    at_recurrence_begin(r, net);
    for (int e = 0; e < z->q; e++)
        row[1 + e] = e + 1;
    for (int t = 0; t < m; t++) {
        row[0] = k->row[t];
        OK(at_recurrence_step(r, t, row, net, NULL, &err));
    }
    memcpy(k->state, net, k->bytes);
    at_recurrence_free(r);
}

static void test_beginnings(void **state)
{
    (void)state;
    static const struct {
        net_shape h;
        const char *arith;
        double tolerance;
        int limit;
    } rows[] = {
        {{.N = 4, .q = 1, .units = 1, .gain = 0.5}, "p3e4", 0.3, 600},
        {{.N = 5, .q = 2, .units = 1, .gain = 1, .prefix = 1}, "p3e4", 0.3, 600},
        {{.N = 5, .q = 2, .units = 2, .gain = 1, .cell = AT_CELL_GRU}, "p4e4", 0.1, 600},
        {{.N = 4, .q = 2, .units = 2, .gain = 1, .before = true, .mlp = true}, "p12", 0.1, 300},
        {{.N = 12, .q = 1, .units = 1, .gain = 0.4}, "p4e4", 0.4, 600},
        {{.N = 11, .q = 3, .units = 1, .gain = 0.4}, "p4e4", 0.55, 600},
        {{.N = 11, .q = 2, .units = 2, .gain = 1}, "p20", 0.1, 400},
        {{.N = 3, .q = 1, .units = 3, .gain = 1}, "p24e8", 0.2, 1000},
        {{.N = 2, .q = 1, .units = 1, .gain = 1}, "p4e4", 0.2, 100},
    };
    const at_task *t = at_task_find("qsa");
    int found[3] = {0}, none = 0;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            net_shape h = rows[r].h;
            at_model m;
            at_arena a;
            at_pair p;
            char set[64];
            h.d = 1;
            h.recurrent = true;
            qsa_sizes z = {h.N, h.q, 1, h.q + 1};
            snprintf(set, sizeof set, "N=%d q=%d d=1", h.N, h.q);
            at_params params = params_of(t, set);
            net_draw(&h, seed, &m);
            at_subject s = {.m = &m, .task = t, .params = &params, .tolerance = rows[r].tolerance};
            OK(at_arith_parse(rows[r].arith, &s.arith, &err));
            OK(at_subject_check(&s, &err));
            int states = 0, last = 0, pass = 0;
            double work = 0, step = work_of_rows(&m, h.N) / h.N;
            double need = 2 * s.tolerance + ldexp(s.tolerance, -20);
            twins want = {0};
            for (; pass < 3 && !want.found && states < rows[r].limit; pass++) {
                int lengths = pass == 2 ? 8 : 1, w = pass == 0 && h.N > 9 ? 8 : h.N - 1;
                double count = pow(2 * lengths, w);
                last = rows[r].limit - states;
                last = count < last ? (int)count : last;
                assert_true(last <= MOST);
                for (int i = 0; i < last; i++)
                    beginning_make(&s, &z, w, h.N - 1, lengths, (uint64_t)i, &items[i]);
                for (int k = 1; k < last && !want.found; k++)
                    for (int i = 0; i < k && !want.found; i++)
                        if (!memcmp(items[i].state, items[k].state, items[i].bytes) &&
                            question_best(h.N, h.q, items[i].row, items[k].row) > need)
                            want = (twins){true, i, k};
                last = want.found ? want.second + 1 : last;
                states += last;
                work += last * step * (2 + h.N - 1 - w);
            }
            at_arena_init(&a);
            OK(refuter("rnn-state")->fits(&s, &err));
            at_refute_env env = {.states = (uint64_t)rows[r].limit, .threads = 1 + (int)(seed % 2)};
            err = (at_err){0};
            at_status st = refuter("rnn-state")->search(&s, &env, &a, &p, &err);
            assert_int_equal(st, want.found ? AT_OK : AT_EBUDGET);
            assert_int_equal(p.states, states);
            assert_true(fabs(p.work - work) <= 1e-9 * work);
            assert_true(p.bits == h.units * (s.arith.bits + s.arith.exp_bits));
            none += !want.found;
            if (want.found) {
                double x[2][16] = {{0}}, apart;
                at_tri is;
                at_answer y[2];
                found[pass - 1]++;
                OK(at_pair_verify(&s, &p, &a, &is, y, NULL, &err));
                assert_int_equal(is, AT_TRUE);
                for (int k = 0; k < 2; k++)
                    for (int i = 0; i < h.N; i++) {
                        x[k][i] = items[k ? want.second : want.first].row[i];
                        assert_true(p.x[k].v[i * z.row] == x[k][i]);
                        for (int e = 0; e < h.q && i + 1 < h.N; e++)
                            assert_true(p.x[k].v[i * z.row + 1 + e] == e + 1);
                    }
                /* the last position asks the best question */
                apart = fabs(y[0].right[(y[0].n - 1)] - y[1].right[(y[1].n - 1)]);
                assert_true(fabs(apart - question_best(h.N, h.q, x[0], x[1])) < 1e-12);
            }
            at_arena_release(&a);
            at_model_release(&m);
        }
    assert_true(found[0] >= 5 && found[1] + found[2] >= 1 && none >= 3);
}

/* ---- questions --------------------------------------------------------------------------------------------------------- */

/* qsa_ask against every subset: along which coordinate, and which way, is the sum of differences largest? */
static void test_questions(void **state)
{
    (void)state;
    int negative = 0, later = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        at_rng r = at_rng_at(seed, 5);
        qsa_sizes z = {.N = 2 + (int)at_rng_below(&r, 6), .d = 1 + (int)at_rng_below(&r, 3)};
        z.q = 1 + (int)at_rng_below(&r, (uint64_t)z.N);
        z.row = z.d + z.q;
        double diff[8 * 3], subset[8], best = -INFINITY, mean[3] = {0}, length = 0;
        int side, coordinate = 0, which = 0;
        unsigned asked = 0;
        for (int k = 0; k < z.N * z.d; k++)
            diff[k] = at_rng_normal(&r);
        for (int c = 0; c < z.d; c++)
            for (int sign = 1; sign >= -1; sign -= 2)
                for (unsigned set = 0; set < 1u << z.N; set++) {
                    double sum = 0;
                    if (__builtin_popcount(set) != z.q)
                        continue;
                    for (int i = 0; i < z.N; i++)
                        sum += set >> i & 1 ? sign * diff[i * z.d + c] : 0;
                    if (sum > best)
                        best = sum, coordinate = c, which = sign, asked = set;
                }
        double apart = qsa_ask(&z, diff, subset, &side);
        assert_int_equal(side, which > 0 ? coordinate : -1 - coordinate);
        for (int k = 0; k < z.q; k++) {
            assert_true(k == 0 || subset[k] > subset[k - 1]);
            assert_true(asked >> ((int)subset[k] - 1) & 1);
            for (int c = 0; c < z.d; c++)
                mean[c] += diff[((int)subset[k] - 1) * z.d + c] / z.q;
        }
        for (int c = 0; c < z.d; c++)
            length += mean[c] * mean[c];
        assert_true(fabs(apart - sqrt(length)) < 1e-12);
        assert_true(apart == qsa_ask(&z, diff, subset, NULL));
        negative += which < 0;
        later += coordinate > 0;
    }
    assert_true(negative > 50 && later > 50);
}

/* What the refuters of sparse averaging must have, one lack at a time. */
static void test_questions_fit(void **state)
{
    (void)state;
    const at_task *t = at_task_find("qsa");
    at_params p = params_of(t, "N=3 q=2 d=2");
    at_model m;
    qsa_sizes z;
    net_draw(&(net_shape){.N = 3, .q = 2, .d = 2, .units = 4, .gain = 1}, 1, &m);
    at_subject s = {.m = &m, .arith = at_f64, .task = t, .params = &p, .tolerance = 0.1};
    OK(qsa_fits(&s, &z, &err));
    assert_true(z.N == 3 && z.q == 2 && z.d == 2 && z.row == 4);
    static const struct {
        at_field_kind kind;
        int size;
        double lo, hi;
    } lack[] = {{AT_FIELD_INT, 2, -1, 1},
                {AT_FIELD_REAL, 1, -1, 1},
                {AT_FIELD_REAL, 2, -0.5, 1},
                {AT_FIELD_REAL, 2, -1, 0.5}};
    for (size_t k = 0; k < sizeof lack / sizeof *lack; k++) {
        m.fields[0].kind = lack[k].kind;
        m.fields[0].size = lack[k].size;
        m.fields[0].lo = lack[k].lo;
        m.fields[0].hi = lack[k].hi;
        err = (at_err){0};
        assert_int_equal(qsa_fits(&s, &z, &err), AT_EREFUSED);
        assert_non_null(strstr(err.text, k < 2 ? "first field must be the vector" : "needed: -1..1"));
    }
    m.n_fields = 0;
    err = (at_err){0};
    assert_int_equal(qsa_fits(&s, &z, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "first field must be the vector"));
    m.n_fields = 2;
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),          cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_beginnings),    cmocka_unit_test(test_questions),
        cmocka_unit_test(test_questions_fit),
    };
    items = calloc(MOST, sizeof *items);
    int failed = items ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
    free(items);
    return failed;
}
