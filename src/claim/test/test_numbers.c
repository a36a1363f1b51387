/* test_numbers.c: the numbers that the claims print and rely on: least precision, off-support values, key
 * widths, and the error bounds that proofs promise to the assembler. */
#include "../shared/rip.h"
#include "claim_test.h"

#include <stdlib.h>

/* ---- least precision ------------------------------------------------------------------------------------ */

static at_verdict at_bits(const point *c, int bits, at_arena *a)
{
    at_question q = {.evidence = AT_EV_SAMPLED, .limit = 400, .seed = 1, .arith = {AT_PBIT, bits, 10}};
    at_verdict v;
    OK(at_check(&c->m, c->t, &c->tp, &q, &(at_check_env){0}, a, &v, &err));
    return v;
}

static const at_claim_table *table_of(const char *id, const char *table)
{
    const at_claim *c = at_claim_find(id);
    for (int k = 0; k < c->n_tables; k++)
        if (!strcmp(c->tables[k].id, table))
            return &c->tables[k];
    fail_msg("%s has no table %s", id, table);
    return NULL;
}

static void row_at(const char *id, const char *table, const char *params, double *out)
{
    const at_claim *c = at_claim_find(id);
    at_params p;
    at_params_init(&p, c->params, c->n_params);
    OK(at_params_parse(&p, params, &err));
    OK(table_of(id, table)->row(c, &p, 2, out, &err));
}

static void test_least_precision(void **state)
{
    (void)state;
    double least[3], row[8];
    static const char *const at[] = {"N=8 M=4", "N=8 M=16", "N=8 M=64"};
    for (int k = 0; k < 3; k++) {
        row_at("match2", "precision", at[k], row);
        least[k] = row[1];
    }
    print_message("least p at M = 4, 16, 64: %g %g %g\n", least[0], least[1], least[2]);
    assert_true(least[0] <= least[1] && least[1] <= least[2]);
    assert_true(least[1] < 24);
    point c = point_at("match2", at[1], NULL);
    for (int above = 0; above < 4; above++) {
        at_arena a;
        at_arena_init(&a);
        assert_int_equal(at_bits(&c, (int)least[1] + above, &a).holds, AT_TRUE);
        at_arena_release(&a);
    }
    at_arena a;
    at_arena_init(&a);
    at_verdict v = at_bits(&c, (int)least[1] - 1, &a);
    assert_int_equal(v.holds, AT_FALSE);
    assert_true(v.has_counterexample);
    at_output y;
    at_input x = {v.cx.n, v.cx.x};
    OK(at_run(&c.m, (at_arith){AT_PBIT, (int)least[1] - 1, 10}, &x, NULL, &a, &y, &err));
    assert_true(y.decision[v.cx.position] == v.cx.got && v.cx.got != v.cx.expected);
    at_arena_release(&a);
    point_release(&c);
}

/* ---- off-support values ------------------------------------------------------------------------------------ */

/* max over S and j outside S of |<w, u_j>| with w the least-norm solution of U_S^T w = 1, by Gaussian
 * elimination on the Gram matrix with pivots, in f64. Errors: q <= 4 and a well-conditioned Gram matrix, so
 * 1e-10 is a million times what elimination loses; draws that are not are left out by `worst`. */
static double off_support_directly(const int8_t *sign, int N, int m, int q, double *least_pivot)
{
    double worst = 0;
    int S[4];
    for (int64_t r = 0; r < at_choose(N, q); r++) {
        at_subset_unrank(r, q, S);
        double A[4][5], w[64] = {0};
        for (int a = 0; a < q; a++) {
            for (int b = 0; b < q; b++) {
                A[a][b] = 0;
                for (int k = 0; k < m; k++)
                    A[a][b] += (double)sign[(S[a] - 1) * m + k] * sign[(S[b] - 1) * m + k] / m;
            }
            A[a][4] = 1;
        }
        for (int c = 0; c < q; c++) {
            int best = c;
            for (int a = c; a < q; a++)
                best = fabs(A[a][c]) > fabs(A[best][c]) ? a : best;
            for (int b = 0; b < 5; b++) {
                double t = A[c][b];
                A[c][b] = A[best][b];
                A[best][b] = t;
            }
            *least_pivot = fmin(*least_pivot, fabs(A[c][c]));
            for (int a = 0; a < q; a++)
                for (int b = 4; a != c && b >= c; b--)
                    A[a][b] -= A[a][c] / A[c][c] * A[c][b];
        }
        for (int a = 0; a < q; a++)
            for (int k = 0; k < m; k++)
                w[k] += A[a][4] / A[a][a] * sign[(S[a] - 1) * m + k] / sqrt(m);
        for (int j = 1; j <= N; j++) {
            double v = 0;
            bool inside = false;
            for (int a = 0; a < q; a++)
                inside = inside || S[a] == j;
            for (int k = 0; k < m; k++)
                v += w[k] * sign[(j - 1) * m + k] / sqrt(m);
            if (inside && *least_pivot > 1e-3)
                assert_true(fabs(v - 1) < 1e-10);
            else if (!inside)
                worst = fmax(worst, fabs(v));
        }
    }
    return worst;
}

static void test_off_support(void **state)
{
    (void)state;
    int compared = 0;
    for (int q = 1; q <= 4; q++)
        for (uint64_t seed = 0; seed < 12; seed++) {
            int N = 9, m = 24 + 8 * (int)(seed % 5);
            int8_t sign[9 * 64];
            rip_draw(N, m, seed, sign);
            double pivot = INFINITY, direct = off_support_directly(sign, N, m, q, &pivot);
            if (pivot < 1e-3)
                continue;
            double exact = rip_off_support(sign, N, m, q, INFINITY, 0);
            if (!(fabs(exact - direct) <= 1e-10 * (1 + direct)))
                fail_msg("q=%d seed=%d: %.17g by integers, %.17g by elimination", q, (int)seed, exact,
                         direct);
            assert_true(rip_off_support(sign, N, m, q, direct / 2, 0) >
                        direct / 2); /* stopping early says no */
            compared++;
        }
    assert_true(compared > 40);
    int8_t same[2 * 8];
    memset(same, 1, sizeof same); /* two equal keys: no w separates them */
    assert_true(rip_off_support(same, 2, 8, 1, 2, 0) >= 1);
    assert_true(isinf(rip_off_support(same, 2, 8, 2, 2, 0)));
}

/* Least widths found elsewhere, with other random signs: 230/82 at N=64 q=3 and 212/64 at N=256 q=2. The
 * least over a few draws of random signs spreads by some tenths; a wrong formula would be off by factors. */
static void test_widths(void **state)
{
    (void)state;
    static const struct {
        const char *at;
        double half, most;
    } known[] = {{"N=64 q=3", 230, 82}, {"N=256 q=2", 212, 64}};
    for (int k = 0; k < (TEST_SCALE > 1 ? 1 : 2); k++) {
        double row[8];
        row_at("qsa-rip", "width", known[k].at, row);
        print_message("%s: m' = %g (o = 0.5), %g (o = 0.9)\n", known[k].at, row[2], row[3]);
        assert_true(fabs(row[2] / known[k].half - 1) < 0.2);
        assert_true(fabs(row[3] / known[k].most - 1) < 0.2);
    }
}

/* ---- what match3-bigram promises to the assembler ------------------------------------------------------------ */

/* The coordinate that holds a variable: a subspace lists the names that took turns in it. */
static int column_of(const at_model *m, const char *name)
{
    for (int s = 0; s < m->n_subspaces; s++) {
        char names[AT_NAME_MAX + 1], *rest = names;
        strcpy(names, m->subspaces[s].name);
        for (char *word; (word = strtok_r(rest, " ", &rest));)
            if (!strcmp(word, name))
                return m->subspaces[s].col;
    }
    fail_msg("no coordinate holds %s", name);
    return 0;
}

/* After layer 1 u is x_i + M x_{i+1} within 0.11; after layer 2 d is y - k* within 0.375. */
static void bigram_errors(int N, int M, double *first, double *second)
{
    char text[40];
    snprintf(text, sizeof text, "N=%d M=%d", N, M);
    point c = point_at("match3-bigram", text, NULL);
    int attn[2], seen = 0, u_col = column_of(&c.m, "u"), d_col = column_of(&c.m, "d");
    for (int b = 0; b < c.m.n_blocks; b++)
        if (c.m.blocks[b].kind == AT_BLOCK_ATTN) {
            assert_true(seen < 2);
            attn[seen++] = b;
        }
    *first = *second = 0;
    for (uint64_t i = 0; i < 12; i++) {
        at_arena a;
        at_arena_init(&a);
        double *x = at_new(&a, double, N);
        at_rng r = at_rng_at(5, i);
        if (i == 0) /* the widest spread: M-1 and 0 in turn */
            for (int j = 0; j < N; j++)
                x[j] = j % 2 ? M - 1 : 0;
        else
            (i % 2 ? c.t->adversarial : c.t->sample)(&c.tp, &r, x);
        at_input in = {N, x};
        at_trace trace;
        at_output y;
        OK(at_run(&c.m, at_f64, &in, &trace, &a, &y, &err));
        double *k = at_new(&a, double, N + 1);
        for (int j = 0; j <= N; j++)
            k[j] = j + 1 < N ? fmod(x[j] + x[j + 1], M) : j < N ? x[j] + 3 * M : 3 * M + 1;
        for (int j = 0; j < N; j++) {
            double u = x[j] + M * (j + 1 < N ? x[j + 1] : M), own = x[j] ? M - x[j] : 0, best = k[0];
            *first = fmax(*first, fabs(trace.state[attn[0] + 1][j * 3 + u_col] - u));
            for (int l = 0; l <= N; l++)
                best = fabs(k[l] - own - 0.25) < fabs(best - own - 0.25) ? k[l] : best;
            *second = fmax(*second, fabs(trace.state[attn[1] + 1][j * 3 + d_col] - (own - best)));
        }
        at_arena_release(&a);
    }
    point_release(&c);
}

static void test_bigram_errors(void **state)
{
    (void)state;
    static const int size[][2] = {{2, 2},    {6, 7},     {256, 7},   {16, 31},
                                  {64, 101}, {256, 101}, {16, 1009}, {256, 1009}};
    double first = 0, second = 0;
    for (int k = 0; k < 8; k++) {
        double one, two;
        bigram_errors(size[k][0], size[k][1], &one, &two);
        if (!(one <= 0.11) || !(two <= 0.375))
            fail_msg("N=%d M=%d: errors %g and %g", size[k][0], size[k][1], one, two);
        first = fmax(first, one);
        second = fmax(second, two);
    }
    print_message("match3-bigram: errors %.3g (promised 0.11) and %.3g (0.375)\n", first, second);
    assert_true(first > 0.01); /* the layer is soft: this measures something */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_precision),
        cmocka_unit_test(test_off_support),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_bigram_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
