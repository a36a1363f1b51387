/* test_compile_expr.c: the decoder of expressions writes the reference's chain.
 *
 * The judge is at_expr_chain, which rewrites tokens and knows no weights. Every expression with up to 2 operators is
 * run, modulo 2, 3 and 5, and of those with 3 operators modulo 5 every STRIDE-th; ATTEST_ALL=1 runs all 169,335 (20 s a
 * kind on one core). With 16 operators modulo 11 drawn ones, half of them with all brackets there can be. */
#include <attest/front.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../core/test/test_scale.h"

#define STRIDE 9
#define MOST   600 /* numbers in a sequence of this test */

static at_model model_of(at_expr_spec s)
{
    at_model m;
    at_err err = {0};
    if (at_expr_model(&s, &m, &err))
        fail_msg("p=%d operators=%d: %s", s.p, s.operators, err.text);
    return m;
}

static at_generator *generator_of(const at_model *m, const char *arith)
{
    at_arith a;
    at_err err = {0};
    at_generator *g;
    assert_int_equal(at_arith_parse(arith, &a, &err), AT_OK);
    if (at_generator_new(m, a, &g, &err))
        fail_msg("%s", err.text);
    return g;
}

/* Prompt and chain as rows: n tokens, "=", the chain. Returns the length of the prompt. */
static int sequence(int p, const int *token, int n, double *rows, int *n_rows)
{
    int chain[AT_EXPR_CHAIN(16)], length = at_expr_chain(p, token, n, chain);
    for (int i = 0; i < n; i++)
        rows[i] = token[i];
    rows[n] = AT_EXPR_EQUALS;
    for (int i = 0; i < length; i++)
        rows[n + 1 + i] = chain[i];
    *n_rows = n + 1 + length;
    return n + 1;
}

static bool chain_right(at_generator *g, int p, const int *token, int n, double *margin)
{
    double want[MOST], least;
    const double *rows;
    int all, made, prompt = sequence(p, token, n, want, &all);
    at_err err = {0};
    bool right = !at_generator_run(g, want, prompt, &rows, &made, &least, &err) && made == all - prompt &&
                 !memcmp(rows, want + prompt, (size_t)made * sizeof *rows);
    if (right)
        *margin = fmin(*margin, least);
    return right;
}

/* Chains that are wrong, of every stride-th expression in the space. */
static uint64_t wrong_listed(const at_model *m, const char *arith, const at_expr_space *s, uint64_t stride,
                             double *margin)
{
    at_generator *g = generator_of(m, arith);
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < s->count; i += stride) {
        int token[AT_EXPR_TOKENS(3)], n = at_expr_nth(s, i, token);
        wrong += !chain_right(g, s->p, token, n, margin);
    }
    at_generator_free(g);
    return wrong;
}

/* Drawn: every second one is long. */
static int wrong_drawn(const at_model *m, const char *arith, int p, int k, int count, double *margin)
{
    at_generator *g = generator_of(m, arith);
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        at_rng r = at_rng_at(3, (uint64_t)i);
        int token[AT_EXPR_TOKENS(16)];
        int n = i % 2 ? at_expr_sample(p, k, &r, token) : at_expr_sample_long(p, k, &r, token);
        wrong += !chain_right(g, p, token, n, margin);
    }
    at_generator_free(g);
    return wrong;
}

static const at_attention_kind kinds[2] = {AT_ATTENTION_STANDARD, AT_ATTENTION_SPARSE};

static void listed_check(int p, int least, int k, const char *ariths, uint64_t stride)
{
    at_expr_space s;
    at_err err = {0};
    assert_int_equal(at_expr_space_init(&s, p, least, k, &err), AT_OK);
    for (int kind = 0; kind < 2; kind++) {
        at_model m = model_of((at_expr_spec){.p = p, .operators = k, .kind = kinds[kind]});
        char list[64], *save = NULL;
        snprintf(list, sizeof list, "%s", ariths);
        for (char *arith = strtok_r(list, " ", &save); arith; arith = strtok_r(NULL, " ", &save)) {
            double margin = INFINITY;
            uint64_t wrong = wrong_listed(&m, arith, &s, stride, &margin);
            print_message(
                "mod %d, %d to %d operators, %s, %s: %llu of %llu expressions, %llu wrong, margin %.3g\n", p,
                least, k, at_attention_names[kinds[kind]], arith,
                (unsigned long long)((s.count + stride - 1) / stride), (unsigned long long)s.count,
                (unsigned long long)wrong, margin);
            assert_int_equal(wrong, 0);
            assert_true(margin > 0.1);
        }
        at_model_release(&m);
    }
    at_expr_space_release(&s);
}

static void test_listed(void **state)
{
    (void)state;
    listed_check(5, 0, 2, "f64 f32 p9", TEST_SCALE);
    listed_check(2, 0, 2, "f64", 1);
    listed_check(3, 0, 2, "f64", 1);
    listed_check(5, 3, 3, "f64", getenv("ATTEST_ALL") ? 1 : STRIDE * TEST_SCALE);
    listed_check(5, 3, 3, "f32 p10", 97 * TEST_SCALE);
}

static void test_drawn(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        at_model m = model_of((at_expr_spec){.p = 11, .operators = 16, .kind = kinds[kind]});
        double margin = INFINITY;
        assert_int_equal(wrong_drawn(&m, "f64", 11, 16, 40, &margin), 0);
        assert_int_equal(wrong_drawn(&m, "f64", 11, 7, 20, &margin),
                         0); /* fewer operators than it may have */
        assert_int_equal(wrong_drawn(&m, "f32", 11, 16, 10, &margin), 0);
        assert_int_equal(wrong_drawn(&m, "p20", 11, 16, 10, &margin), 0);
        print_message("mod 11, 16 operators, %s: margin %.3g\n", at_attention_names[kinds[kind]], margin);
        assert_true(margin > 0.1);
        assert_true(wrong_drawn(&m, "p19", 11, 16, 6, &margin) > 0); /* 20 bits are the least */
        at_model_release(&m);
    }
    at_model m = model_of((at_expr_spec){.p = 97, .operators = 5, .kind = AT_ATTENTION_STANDARD});
    double margin = INFINITY;
    assert_int_equal(wrong_drawn(&m, "f64", 97, 5, 100, &margin), 0);
    at_model_release(&m);
}

/* Tensors do not know the number of operators. */
static void test_shapes(void **state)
{
    (void)state;
    static const int operators[] = {1, 3, 6, 16, 100, AT_EXPR_OPERATORS_MAX};
    for (int kind = 0; kind < 2; kind++) {
        at_model first = model_of((at_expr_spec){.p = 11, .operators = 3, .kind = kinds[kind]});
        at_size z;
        at_model_size(&first, &z);
        assert_true(z.layers == 3 && z.heads == 5);
        for (size_t k = 0; k < sizeof operators / sizeof *operators; k++) {
            at_model m = model_of((at_expr_spec){.p = 11, .operators = operators[k], .kind = kinds[kind]});
            assert_int_equal(m.n_tensors, first.n_tensors);
            for (int t = 0; t < m.n_tensors; t++) {
                assert_string_equal(m.tensors[t].name, first.tensors[t].name);
                assert_memory_equal(m.tensors[t].shape, first.tensors[t].shape, sizeof m.tensors[t].shape);
            }
            at_model_release(&m);
        }
        at_model_release(&first);
    }
}

/* Token by token, in one pass over the whole sequence, and by the meaning of the program: the same next tokens. */
static void test_ways(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < 6; i++) {
            at_expr_spec spec = {.p = 11, .operators = 8, .kind = kinds[kind]};
            at_model m = model_of(spec);
            at_program *P;
            at_err err = {0};
            at_output y;
            at_rng r = at_rng_at(4, (uint64_t)i);
            int token[AT_EXPR_TOKENS(8)], all;
            double rows[MOST], *value, margin = INFINITY, least = INFINITY;
            int n = i % 2 ? at_expr_sample(11, 8, &r, token) : at_expr_sample_long(11, 8, &r, token);
            int prompt = sequence(11, token, n, rows, &all);
            at_input x = {all - 1, rows};
            assert_int_equal(at_run(&m, at_f64, &x, NULL, &a, &y, &err), AT_OK);
            assert_int_equal(at_expr_program(&spec, &P, &err), AT_OK);
            if (at_program_run(P, &x, &a, &value, &err))
                fail_msg("%s", err.text);
            for (int t = prompt - 1; t < all - 1; t++) {
                int best = 0, V = at_expr_vocabulary(11);
                for (int v = 0; v < V; v++)
                    best = value[t * V + v] > value[t * V + best] ? v : best;
                assert_true(y.decision[t] == rows[t + 1] && best == rows[t + 1]);
                least = fmin(least, y.margin[t]);
            }
            at_generator *g = generator_of(&m, "f64");
            assert_true(chain_right(g, 11, token, n, &margin));
            assert_true(margin == least); /* bit for bit */
            at_generator_free(g);
            at_program_free(P);
            at_model_release(&m);
        }
    at_arena_release(&a);
}

/* Controls: what is broken on purpose is seen. */
static void test_broken(void **state)
{
    (void)state;
    at_expr_space s;
    at_err err = {0};
    double margin = INFINITY;
    assert_int_equal(at_expr_space_init(&s, 5, 0, 2, &err), AT_OK);
    for (int kind = 0; kind < 2; kind++) { /* a + b before * */
        at_model m =
            model_of((at_expr_spec){.p = 5, .operators = 2, .kind = kinds[kind], .any_handle = true});
        assert_true(wrong_listed(&m, "f64", &s, 1, &margin) > 0);
        at_model_release(&m);
    }
    at_model m = model_of((at_expr_spec){
        .p = 5, .operators = 2, .kind = AT_ATTENTION_STANDARD, .scale = 0.01}); /* mixes tokens */
    assert_true(wrong_listed(&m, "f64", &s, 1, &margin) > 0);
    at_model_release(&m);
    m = model_of((at_expr_spec){.p = 5, .operators = 2, .kind = AT_ATTENTION_STANDARD});
    assert_true(wrong_listed(&m, "p8", &s, 1, &margin) > 0); /* 9 bits are the least */
    at_model_release(&m);
    at_expr_space_release(&s);
    for (int k = 1; k <= 16;
         k += k < 4 ? 1 : 4) { /* a block of 4k is the least: one less, and long ones go wrong */
        m = model_of((at_expr_spec){.p = 5, .operators = k, .kind = AT_ATTENTION_SPARSE, .block = 4 * k});
        assert_int_equal(wrong_drawn(&m, "f64", 5, k, 20, &margin), 0);
        at_model_release(&m);
        m = model_of((at_expr_spec){.p = 5, .operators = k, .kind = AT_ATTENTION_SPARSE, .block = 4 * k - 1});
        assert_true(wrong_drawn(&m, "f64", 5, k, 20, &margin) > 0);
        at_model_release(&m);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        at_expr_spec s;
        const char *says;
    } rows[] = {
        {{.p = 9, .operators = 3}, "p=9: must be a prime in 2..251"},
        {{.p = 257, .operators = 3}, "p=257: must be a prime in 2..251"},
        {{.p = 5, .operators = 0}, "operators=0: must be in 1..720"},
        {{.p = 5, .operators = 721}, "operators=721: must be in 1..720"},
        {{.p = 5, .operators = 3, .kind = AT_ATTENTION_LINEAR},
         "expressions are compiled with standard or sparse attention; with linear attention no constant "
         "width serves "
         "all lengths"},
        {{.p = 5, .operators = 3, .kind = AT_ATTENTION_SPARSE, .block = -1},
         "block=-1: must be at least 1, or 0 for 4 operators"},
    };
    at_model m;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_err err = {0};
        assert_int_equal(at_exit_code(at_expr_model(&rows[k].s, &m, &err)), 2);
        assert_string_equal(err.text, rows[k].says);
    }
    m = model_of((at_expr_spec){.p = 5, .operators = 2, .kind = AT_ATTENTION_STANDARD});
    int p, operators;
    assert_true(at_expr_model_is(&m, &p, &operators) && p == 5 && operators == 2);
    double prompt[9] = {10, 3, 10, 3, 10, 3, 10, 3, 9}; /* 0 + 0 + 0 + 0 =: one operator too many */
    const double *made;
    double margin;
    int n;
    at_generator *g = generator_of(&m, "f64");
    at_err err = {0};
    assert_int_equal(at_exit_code(at_generator_run(g, prompt, 9, &made, &n, &margin, &err)), 2);
    assert_string_equal(err.text, "prompt of length 9 out of range 2..8; a prompt is: 1..7 rows of +..4, =");
    at_generator_free(g);
    m.decode.prompt_max =
        4 * (AT_EXPR_OPERATORS_MAX + 1); /* who believes it makes room for a chain of that many */
    assert_false(at_expr_model_is(&m, &p, &operators));
    m.decode.prompt_max = 8;
    assert_true(at_expr_model_is(&m, &p, &operators));
    m.fields[0].words[3].s[0] = '&';
    assert_false(at_expr_model_is(&m, &p, &operators));
    m.fields[0].words = NULL;
    assert_false(at_expr_model_is(&m, &p, &operators));
    at_model_release(&m);
}

static void test_memory(void **state)
{
    (void)state;
    at_expr_spec s = {.p = 3, .operators = 2, .kind = AT_ATTENTION_SPARSE};
    at_model m;
    long k = 1;
    for (bool fired = true; fired; k++) {
        at_err err = {0};
        at_alloc_inject(k);
        at_status st = at_expr_model(&s, &m, &err);
        fired = at_alloc_injected();
        at_alloc_inject(0);
        assert_int_equal(st, fired ? AT_ENOMEM : AT_OK);
        if (!st)
            at_model_release(&m);
    }
    print_message("%ld allocations, each failed once\n", k - 2);
    assert_true(k > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listed), cmocka_unit_test(test_drawn),  cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_ways),   cmocka_unit_test(test_broken), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
