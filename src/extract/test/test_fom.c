/* test_fom.c: sentences of FOM[BIT]: the evaluator against one that lists all tuples; MORE by majority alone; exponentials by areas, at many
 * precisions; a sentence that is made by hand-sized weights; what is refused; memory that runs out. */
#include "../../num/flint_compat.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "../fom.h"

#include <attest/exec.h>

static fom_maker maker(void)
{
    return (fom_maker){.a = &arena, .err = &err, .next = 3, .zero = 0, .one = 1, .h = 2};
}

/* ---- a slow twin ------------------------------------------------------------------------------------------------------------ */

static int n_now, value[FOM_VARIABLES];
static const int *word_now;

static bool slow(const fom_node *f);

static long slow_count(const fom_node *f, int side, int i)
{
    if (i == f->k)
        return slow(f->arg[side]);
    long sum = 0;
    int kept = value[f->x[i]];
    for (int d = 0; d < n_now; d++) {
        value[f->x[i]] = d;
        sum += slow_count(f, side, i + 1);
    }
    value[f->x[i]] = kept;
    return sum;
}

static bool slow(const fom_node *f)
{
    switch (f->op) {
    case FOM_TRUE:
        return true;
    case FOM_LETTER:
        return word_now[value[f->x[0]]] == f->k;
    case FOM_BIT:
        return value[f->x[0]] >> value[f->y[0]] & 1;
    case FOM_LESS:
        for (int i = 0; i < f->k; i++)
            if (value[f->x[i]] != value[f->y[i]])
                return value[f->x[i]] < value[f->y[i]];
        return false;
    case FOM_NOT:
        return !slow(f->arg[0]);
    case FOM_AND:
        for (int i = 0; i < f->n; i++)
            if (!slow(f->arg[i]))
                return false;
        return true;
    case FOM_OR:
        for (int i = 0; i < f->n; i++)
            if (slow(f->arg[i]))
                return true;
        return false;
    case FOM_EXISTS:
        return slow_count(f, 0, 0) > 0;
    case FOM_MORE:
        return slow_count(f, 0, 0) > slow_count(f, 1, 0);
    case FOM_NAMED:
        return slow(f->arg[0]);
    }
    return false;
}

enum { SCOPE = 6 };

/* A formula of the variables 0..scope-1. */
static const fom_node *drawn(fom_maker *m, at_rng *r, int scope, int depth)
{
    int x[3], y[3];
    for (int i = 0; i < 3; i++) {
        x[i] = (int)at_rng_below(r, (uint64_t)scope);
        y[i] = (int)at_rng_below(r, (uint64_t)scope);
    }
    uint64_t op = at_rng_below(r, depth ? 10 : 4);
    if (scope + 2 > SCOPE && op >= 7)
        op -= 4;
    switch (op) {
    case 0:
        return fom_letter(m, (int)at_rng_below(r, 2), x[0]);
    case 1:
        return fom_bit(m, x[0], y[0]);
    case 2:
    case 3:
        return fom_less(m, x, y, 1 + (int)at_rng_below(r, 3));
    case 4:
        return fom_not(m, drawn(m, r, scope, depth - 1));
    case 5:
        return fom_both(m, drawn(m, r, scope, depth - 1), drawn(m, r, scope, depth - 1));
    case 6:
        return fom_either(m, drawn(m, r, scope, depth - 1), drawn(m, r, scope, depth - 1));
    case 7: {
        int v[] = {scope, scope + 1}, k = 1 + (int)at_rng_below(r, 2);
        return fom_exists(m, v, k, drawn(m, r, scope + k, depth - 1));
    }
    default: {
        int v[] = {scope, scope + 1}, k = 1 + (int)at_rng_below(r, 2);
        return fom_more(m, v, k, drawn(m, r, scope + k, depth - 1), drawn(m, r, scope + k, depth - 1));
    }
    }
}

static bool fast(at_fom_runner *r, const fom_node *f, const int *word, int n)
{
    bool holds;
    at_fom s = {.root = f};
    if (at_fom_holds(r, &s, word, n, &holds, &err))
        fail_msg("%s", err.text);
    return holds;
}

static void test_twin(void **state)
{
    (void)state;
    at_fom_runner *r;
    int yes = 0, all = 0;
    assert_int_equal(at_fom_runner_new(&r, &err), AT_OK);
    for (uint64_t k = 0; k < 3000; k++) {
        at_mark mark = at_arena_mark(&arena);
        fom_maker m = maker();
        at_rng g = at_rng_at(5, k);
        int v[] = {0, 1};
        const fom_node *f = fom_more(&m, v, 2, drawn(&m, &g, 2, 4), drawn(&m, &g, 2, 4));
        f = k % 2 ? f : fom_exists(&m, v, 2, drawn(&m, &g, 2, 5));
        assert_non_null(f);
        for (int n = 1; n <= 3; n++)
            for (int w = 0; w < 1 << n; w++, all++) {
                int word[] = {w & 1, w >> 1 & 1, w >> 2 & 1};
                n_now = n;
                word_now = word;
                bool says = slow(f);
                yes += says;
                if (fast(r, f, word, n) != says)
                    fail_msg("sentence %ju, n = %d, word %d", (uintmax_t)k, n, w);
            }
        at_arena_reset(&arena, mark);
    }
    assert_true(yes > all / 10 && yes < all * 9 / 10);
    at_fom_runner_free(r);
}

/* ---- MORE by majority ------------------------------------------------------------------------------------------------------- */

/* More than half of all pairs (u, x): f where u is 0, not g where u is 1, and of the other u half: the odd ones; where n is odd they are one layer
 * less than half, and u = 2 has the odd x. */
static const fom_node *by_majority(fom_maker *m, const fom_node *f, const fom_node *g, int u, int x)
{
    int last = m->next++, other = m->next++, two = m->next++;
    const fom_node *is_zero = fom_not(m, fom_less(m, &m->zero, &u, 1));
    const fom_node *is_one =
        fom_both(m, fom_less(m, &m->zero, &u, 1), fom_not(m, fom_less(m, &m->one, &u, 1)));
    const fom_node *behind = fom_less(m, &m->one, &u, 1);
    const fom_node *end = fom_not(m, fom_exists(m, &other, 1, fom_less(m, &last, &other, 1)));
    const fom_node *even_n = fom_exists(m, &last, 1, fom_both(m, end, fom_bit(m, last, m->zero)));
    const fom_node *is_two = fom_both(
        m, behind,
        fom_not(
            m, fom_exists(m, &two, 1, fom_both(m, fom_less(m, &m->one, &two, 1), fom_less(m, &two, &u, 1)))));
    const fom_node *rest = fom_both(m, fom_not(m, even_n), fom_both(m, is_two, fom_bit(m, x, m->zero)));
    const fom_node *fill = fom_both(m, behind, fom_either(m, fom_bit(m, u, m->zero), rest));
    const fom_node *all =
        fom_either(m, fom_both(m, is_zero, f), fom_either(m, fom_both(m, is_one, fom_not(m, g)), fill));
    return fom_more(m, (int[]){u, x}, 2, all, fom_not(m, all));
}

static void test_majority(void **state)
{
    (void)state;
    fom_maker m = maker();
    at_fom_runner *r;
    int x = m.next++, u = m.next++, seen[2] = {0};
    assert_int_equal(at_fom_runner_new(&r, &err), AT_OK);
    const fom_node *f = fom_either(&m, fom_letter(&m, 1, x), fom_letter(&m, 3, x));
    const fom_node *g = fom_either(&m, fom_letter(&m, 2, x), fom_letter(&m, 3, x));
    const fom_node *one = fom_more(&m, &x, 1, f, g), *two = by_majority(&m, f, g, u, x);
    const fom_node *same =
        fom_either(&m, fom_both(&m, one, two), fom_both(&m, fom_not(&m, one), fom_not(&m, two)));
    int y = m.next++;
    const fom_node *first = fom_not(&m, fom_exists(&m, &y, 1, fom_less(&m, &y, &m.zero, 1)));
    const fom_node *next = fom_both(
        &m, fom_less(&m, &m.zero, &m.one, 1),
        fom_not(&m, fom_exists(&m, &y, 1,
                               fom_both(&m, fom_less(&m, &m.zero, &y, 1), fom_less(&m, &y, &m.one, 1)))));
    const fom_node *asks[] = {same, one};
    for (int n = 3; n <= 6; n++)
        for (int w = 0; w < 1 << 2 * n; w++) {
            int word[6];
            for (int i = 0; i < n; i++)
                word[i] = w >> 2 * i & 3;
            for (int k = 0; k < 2; k++) {
                const fom_node *all = fom_exists(&m, (int[]){m.zero, m.one}, 2,
                                                 fom_both(&m, first, fom_both(&m, next, asks[k])));
                bool is = fast(r, all, word, n);
                if (k == 0 && !is)
                    fail_msg("n = %d, word %d", n, w);
                seen[is] += k;
            }
        }
    assert_true(seen[0] > 100 && seen[1] > 100);
    at_fom_runner_free(r);
}

/* ---- exponentials ------------------------------------------------------------------------------------------------------------- */

static const double gaps[] = {0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4};

/* The sum that below_exp counts, in whole numbers. */
static bool area_says(uint64_t x, uint64_t y, uint64_t P, uint64_t h, double d)
{
    unsigned __int128 M = (unsigned __int128)y * h * P * P * h, sum = 0;
    for (uint64_t k = x * h; k < y * h; k++)
        sum += 2 * M / (2 * k + 1);
    return 4 * sum >= (unsigned __int128)(uint64_t)(4 * d) * M;
}

/* P = 2h, h to 64: the weight that is found is the one that the executor has. */
static void test_exponentials(void **state)
{
    (void)state;
    int asked = 0;
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (int p = 2; p <= 7; p++) {
            at_pfmt f = at_pfmt_of((at_arith){AT_QUOTIENT, p, 6});
            int E = (int)floor(-gaps[g] / log(2));
            uint64_t P = (uint64_t)1 << p, h = P / 2, y = P << -E,
                     W = (uint64_t)ldexp(at_p_exp(&f, -gaps[g]), p - 1 - E);
            assert_true(W >= P / 2 && W <= P);
            assert_true(area_says(2 * W - 1, y, P, h, gaps[g]));
            assert_false(area_says(2 * W + 1, y, P, h, gaps[g]));
            asked++;
        }
    assert_int_equal(asked, 48);
}

/* P to 2^200: e^-d is further below the nearest middle than the sum can be off: ln(y/x) - d > h (y - x)/M + 1/(12 (x h - 1)^2). */
static void test_exponentials_far(void **state)
{
    (void)state;
    enum { BITS = 1200 };
    arb_t e, x, y, left, off, t;
    arb_init(e), arb_init(x), arb_init(y), arb_init(left), arb_init(off), arb_init(t);
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (int p = 3; p <= 200; p++) {
            int E = (int)floor(-gaps[g] / log(2));
            arb_set_d(e, -gaps[g]);
            arb_exp(t, e, BITS);
            arb_mul_2exp_si(t, t, p - E - 1); /* e^-d y / 2 */
            arb_set_d(off, 0.5);
            arb_sub(t, t, off, BITS);
            arb_floor(t, t, BITS);
            arb_mul_2exp_si(x, t, 1);
            arb_add_ui(x, x, 1, BITS); /* the odd number below e^-d y */
            arb_set_ui(y, 1);
            arb_mul_2exp_si(y, y, p - E);
            arb_div(left, y, x, BITS);
            arb_log(left, left, BITS);
            arb_add(left, left, e, BITS);
            arb_set_ui(off, 1); /* (y - x) h / M < 1 / (P^2 h) = 2^(1 - 3p) */
            arb_mul_2exp_si(off, off, 1 - 3 * p);
            arb_mul_2exp_si(t, x, p - 1);
            arb_sub_ui(t, t, 1, BITS);
            arb_mul(t, t, t, BITS);
            arb_mul_ui(t, t, 12, BITS);
            arb_inv(t, t, BITS);
            arb_add(off, off, t, BITS);
            if (!arb_gt(left, off))
                fail_msg("d = %g, p = %d", gaps[g], p);
        }
    arb_clear(e), arb_clear(x), arb_clear(y), arb_clear(left), arb_clear(off), arb_clear(t);
    flint_cleanup();
}

/* ---- models --------------------------------------------------------------------------------------------------------------------- */

/* Letters 0 and 1 score 0 and `gap`, and have values -1 and 1; the answer is at a position that scores 0 and has value 0. */
static void model_make(at_model *m, double gap, int blocks, at_weighting w)
{
    at_model_init(m);
    strcpy(m->name, "by hand");
    m->width = 3;
    m->n_min = 0;
    m->n_max = 12;
    m->n_suffix = m->n_fields = 1;
    m->n_blocks = blocks;
    m->fields = at_new(&m->arena, at_field, 1);
    m->blocks = at_new(&m->arena, at_block, blocks);
    strcpy(m->fields[0].name, "x");
    m->fields[0].kind = AT_FIELD_TOKEN;
    m->fields[0].size = 2;
    m->fields[0].embed.width = m->suffix.width = 3;
    for (int b = 0; b < blocks; b++) {
        m->blocks[b] = (at_block){.kind = AT_BLOCK_ATTN, .residual = true, .n_groups = 1};
        m->blocks[b].groups = at_new(&m->arena, at_group, 1);
        m->blocks[b].groups[0] =
            (at_group){.heads = 1, .dk = 1, .dv = 1, .weighting = w, .bias = true, .scale = 1};
    }
    m->readout = (at_readout){.kind = AT_READ_THRESHOLD, .rows = 1, .last = true};
    assert_int_equal(at_model_layout(m, &err), AT_OK);
    double *x = at_model_data(m, m->fields[0].embed.tensor);
    x[1] = -1, x[3] = gap, x[4] = 1;
    for (int b = 0; b < blocks; b++) {
        const at_group *g = &m->blocks[b].groups[0];
        at_model_data(m, g->qb)[0] = 1;
        at_model_data(m, g->k)[0] = 1;
        at_model_data(m, g->v)[1] = 1;
        at_model_data(m, g->o)[2] = 1;
    }
    at_model_data(m, m->readout.w)[2] = 1;
}

/* At ceil(log2 n) bits: yes when the mean is not rounded to 0, (W n_1 - n_0 > ...): the executor says the same. */
static void test_words(void **state)
{
    (void)state;
    at_fom_options o = {.c = 1, .exp_bits = 5};
    at_fom_runner *r;
    at_extracted_fom x;
    at_model m;
    int yes = 0;
    assert_int_equal(at_fom_runner_new(&r, &err), AT_OK);
    model_make(&m, 1, 1, AT_SOFTMAX);
    if (at_extract_fom(&m, &o, &arena, &x, &err))
        fail_msg("%s", err.text);
    assert_int_equal(x.exponentials, 1);
    for (int n = 0; n <= 9; n++)
        for (int ones = 0; ones <= n; ones++) {
            int word[9];
            double in[9];
            bool holds;
            at_output y;
            for (int i = 0; i < n; i++)
                in[i] = word[i] = i >= n - ones;
            assert_int_equal(at_run(&m, at_fom_arith(&o, n), &(at_input){n, in}, NULL, &arena, &y, &err),
                             AT_OK);
            assert_int_equal(at_fom_holds(r, x.sentence, word, n, &holds, &err), AT_OK);
            assert_int_equal(holds, y.decision[0] != 0);
            yes += holds;
        }
    assert_true(yes > 10 && yes < 45);
    at_text t;
    at_text_init(&t);
    at_fom_print(x.sentence, &t);
    assert_non_null(strstr(t.s, "BIT("));
    assert_non_null(strstr(t.s, "(more ("));
    at_text_release(&t);
    at_fom_runner_free(r);
    at_model_release(&m);
}

static void refused(at_model *m, const char *words)
{
    at_extracted_fom x;
    assert_int_equal(at_extract_fom(m, &(at_fom_options){.c = 1, .exp_bits = 5}, &arena, &x, &err),
                     AT_EREFUSED);
    if (!strstr(err.text, words))
        fail_msg("%s", err.text);
    err = (at_err){0};
    at_model_release(m);
}

static void test_refusals(void **state)
{
    (void)state;
    at_model m;
    model_make(&m, 1, 2, AT_SOFTMAX);
    refused(&m, "not one attention layer");
    model_make(&m, 1, 1, AT_LEFTMOST_HARD);
    refused(&m, "not one softmax or average-hard head");
    model_make(&m, 1.25, 1, AT_SOFTMAX);
    refused(&m, "more than 2 bits");
    model_make(&m, 12, 1, AT_SOFTMAX);
    refused(&m, "below the normal numbers");
    model_make(&m, 1, 1, AT_SOFTMAX);
    m.readout.threshold = 0.75;
    refused(&m, "neither 0 nor a power of two");
    model_make(&m, 1, 1, AT_SOFTMAX);
    at_model_data(&m, m.readout.w)[2] = 2;
    refused(&m, "not the mean itself");
    model_make(&m, 1, 1, AT_SOFTMAX); /* what parties take, and sentences do not */
    m.blocks[0].groups[0].rotary = (at_rotary){.width = 2, .theta = 10};
    refused(&m, "rotary");
    model_make(&m, 1, 1, AT_SOFTMAX);
    m.blocks[0].groups[0].alibi = true;
    refused(&m, "alibi");
}

static void test_memory(void **state)
{
    (void)state;
    at_model m;
    model_make(&m, 1, 1, AT_SOFTMAX);
    for (long k = 1;; k += 1 + k / 8) {
        at_arena own;
        at_extracted_fom x;
        at_err e = {0};
        at_arena_init(&own);
        at_alloc_inject(k);
        at_status s = at_extract_fom(&m, &(at_fom_options){.c = 1, .exp_bits = 5}, &own, &x, &e);
        bool failed = at_alloc_injected();
        at_alloc_inject(0);
        at_arena_release(&own);
        if (!failed) {
            assert_int_equal(s, AT_OK);
            break;
        }
        assert_int_equal(s, AT_ENOMEM);
    }
    at_model_release(&m);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, arena_setup, arena_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_twin),  TEST(test_majority), TEST(test_exponentials), TEST(test_exponentials_far),
        TEST(test_words), TEST(test_refusals), TEST(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
