/* test_make.c: circuits of models are equal to the executor on all words: drawn models of every weighting that has circuits, in exact
 * arithmetic and at p bits, and compiled ones; another reading of ties differs; what is refused, and what is too large. */
#include <attest/circuit.h>
#include <attest/front.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"

static const at_arith exact = {.kind = AT_EXACT};

static at_arith arith_of(const char *name)
{
    at_arith a;
    assert_int_equal(at_arith_parse(name, &a, &err), AT_OK);
    return a;
}

typedef struct {
    int made, large, varied;
    uint64_t words, differ;
} tally;

/* The circuit of `read` beside the model m. */
static void model_try(const at_model *read, const at_model *m, at_arith a, int n, tally *t)
{
    at_circuit *c;
    at_circuit_compared r;
    at_circuit_size z;
    err = (at_err){0};
    at_status s = at_circuit_of_model(read, a, n, NULL, &c, &err);
    if (s == AT_EBUDGET) {
        t->large++;
        return;
    }
    if (s)
        fail_msg("%s", err.text);
    assert_int_equal(at_circuit_compare(c, m, a, n, 1, &r, &err), AT_OK);
    assert_int_equal(at_circuit_measure(c, &z, &err), AT_OK);
    if (z.depth > at_circuit_depth_bound(m))
        fail_msg("depth %d, and at most %d was said", z.depth, at_circuit_depth_bound(m));
    if (at_weighting_is(read->blocks[0].groups ? read->blocks[0].groups[0].weighting : AT_LEFTMOST_HARD,
                        AT_IS_ONE))
        assert_int_equal(z.thresholds, 0);
    uint64_t words = 1;
    for (int k = 0; k < n; k++)
        words *= (uint64_t)m->fields[0].size;
    assert_int_equal(r.words, words);
    t->made++;
    t->varied += r.yes > 0 && r.yes < r.words;
    t->words += r.words;
    t->differ += r.differ;
    at_circuit_free(c);
}

static tally drawn_try(at_circuit_drawing d, at_weighting as, const char *arith, int n, int models)
{
    tally t = {0};
    for (int k = 0; k < models; k++) {
        at_model m, other;
        assert_int_equal(at_circuit_draw(&d, 7, (uint64_t)k, &m, &err), AT_OK);
        assert_int_equal(at_model_copy(&m, &other, &err), AT_OK);
        for (int b = 0; b < other.n_blocks; b += 2)
            other.blocks[b].groups[0].weighting = as;
        model_try(&other, &m, arith_of(arith), n, &t);
        at_model_release(&other);
        at_model_release(&m);
    }
    return t;
}

static void test_drawn(void **state)
{
    (void)state;
    static const struct {
        at_weighting weighting;
        const char *arith;
        int layers, heads, letters, n, models;
    } cases[] = {
        {AT_LEFTMOST_HARD, "exact", 1, 1, 2, 4, 12}, {AT_LEFTMOST_HARD, "exact", 2, 1, 2, 7, 12},
        {AT_LEFTMOST_HARD, "exact", 1, 2, 3, 5, 12}, {AT_RIGHTMOST_HARD, "exact", 2, 2, 2, 5, 12},
        {AT_LEFTMOST_HARD, "p6", 2, 1, 2, 5, 12},    {AT_AVERAGE_HARD, "exact", 1, 1, 2, 7, 12},
        {AT_AVERAGE_HARD, "exact", 1, 2, 3, 4, 12},  {AT_AVERAGE_HARD, "exact", 2, 1, 2, 4, 12},
        {AT_AVERAGE_HARD, "p5e5", 2, 1, 2, 4, 12},   {AT_SOFTMAX, "p3e5", 1, 1, 2, 6, 12},
        {AT_SOFTMAX, "p4e5", 2, 1, 2, 4, 12},        {AT_SOFTMAX, "p8e5", 1, 2, 2, 4, 12},
        {AT_LINEAR, "p4e5", 1, 1, 2, 5, 12},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        at_circuit_drawing d = {cases[k].layers, cases[k].heads, cases[k].letters, cases[k].n,
                                cases[k].weighting};
        tally t = drawn_try(d, d.weighting, cases[k].arith, cases[k].n, cases[k].models);
        print_message(
            "# %s %s L%d H%d, %d letters, n = %d: %d made, %d too large, %d not constant, %ju words\n",
            at_weighting_names[d.weighting], cases[k].arith, d.layers, d.heads, d.letters, cases[k].n, t.made,
            t.large, t.varied, (uintmax_t)t.words);
        if (t.differ || t.made < cases[k].models * 2 / 3 || t.varied < 2)
            fail_msg("%s %s: %ju words differ, %d made, %d not constant", at_weighting_names[d.weighting],
                     cases[k].arith, (uintmax_t)t.differ, t.made, t.varied);
    }
}

/* Ties read otherwise: the same comparison says so. */
static void test_controls(void **state)
{
    (void)state;
    static const at_weighting pairs[][2] = {{AT_AVERAGE_HARD, AT_LEFTMOST_HARD},
                                            {AT_LEFTMOST_HARD, AT_RIGHTMOST_HARD},
                                            {AT_LEFTMOST_HARD, AT_AVERAGE_HARD}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        at_circuit_drawing d = {1, 1, 2, 6, pairs[k][0]};
        tally t = drawn_try(d, pairs[k][1], "exact", 6, 12);
        if (!t.differ)
            fail_msg("%s read as %s differs nowhere", at_weighting_names[pairs[k][0]],
                     at_weighting_names[pairs[k][1]]);
    }
}

static void test_compiled(void **state)
{
    (void)state;
    static const char *const texts[] = {"(ab)*", ".*abab", "a*b*"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        at_alphabet given, sigma;
        at_regex *e;
        at_dfa *d;
        at_place p;
        at_model m;
        tally t = {0};
        if (at_alphabet_parse("a b", &arena, &given, &err) ||
            at_regex_parse(texts[k], &given, NULL, 1, 1, &arena, &e, &sigma, &err) ||
            at_regex_dfa(e, &sigma, &arena, &d, &err) || at_place_find(d, &arena, &p, &err))
            fail_msg("%s: %s", texts[k], err.text);
        assert_int_equal(at_dfa_model(&p, 8, NULL, &m, &err), AT_OK);
        model_try(&m, &m, exact, 8, &t);
        assert_int_equal(t.made, 1);
        assert_int_equal(t.varied, 1);
        assert_int_equal(t.differ, 0);
        at_model_release(&m);
    }
}

static void refused(at_model *m, at_arith a, int n, const at_circuit_budget *b, at_status code,
                    const char *why)
{
    at_circuit *c = NULL;
    err = (at_err){0};
    at_status s = at_circuit_of_model(m, a, n, b, &c, &err);
    if (s != code || !strstr(err.text, why))
        fail_msg("%d, %s; and not %s", s, err.text, why);
}

static void test_refused(void **state)
{
    (void)state;
    at_model m;
    at_circuit_drawing d = {1, 1, 2, 6, AT_SOFTMAX};
    assert_int_equal(at_circuit_draw(&d, 7, 0, &m, &err), AT_OK);
    refused(&m, exact, 6, NULL, AT_EREFUSED, "softmax attention has irrational weights");
    refused(&m, at_f64, 6, NULL, AT_EREFUSED,
            "f64: a circuit is made in exact arithmetic, or at 2 to 24 bits");
    refused(&m, arith_of("p4e4"), 7, NULL, AT_EDOMAIN, "words of 1 to 6 letters, not of 7");
    refused(&m, arith_of("p4e4"), 6, &(at_circuit_budget){.sums = 2}, AT_EBUDGET,
            "sums over keys can be more than 2");
    m.blocks[0].groups[0].weighting = AT_SPARSEMAX;
    refused(&m, exact, 6, NULL, AT_EREFUSED, "sparsemax attention is no sum over keys");
    m.blocks[0].groups[0].weighting = AT_LEFTMOST_HARD;
    m.readout.kind = AT_READ_RAW;
    refused(&m, exact, 6, NULL, AT_EREFUSED, "its readout is raw");
    m.readout.kind = AT_READ_THRESHOLD;
    m.fields[0].kind = AT_FIELD_INT;
    refused(&m, exact, 6, NULL, AT_EREFUSED, "1 field of another kind");
    at_model_release(&m);
    d = (at_circuit_drawing){2, 1, 2, 6, AT_LEFTMOST_HARD};
    assert_int_equal(at_circuit_draw(&d, 7, 1, &m, &err), AT_OK);
    refused(&m, exact, 6, &(at_circuit_budget){.values = 9}, AT_EBUDGET,
            "block 1 of 4 has more than 9 states, at position 5 of 7");
    refused(&m, exact, 6, &(at_circuit_budget){.gates = 12}, AT_EBUDGET,
            "more than 12 gates, at position 7 of 7 of block 3 of 4");
    refused(&m, exact, 6, &(at_circuit_budget){.wires = 9}, AT_EBUDGET, "more than 9 wires");
    at_model_release(&m);
}

static void test_memory(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        at_model m;
        at_circuit_drawing d = {1, 1, 2, 3, kind ? AT_AVERAGE_HARD : AT_LEFTMOST_HARD};
        assert_int_equal(at_circuit_draw(&d, 7, 1, &m, &err), AT_OK);
        for (long nth = 1;; nth++) {
            at_circuit *c;
            err = (at_err){0};
            at_alloc_inject(nth);
            at_status s = at_circuit_of_model(&m, exact, 3, NULL, &c, &err);
            bool fired = at_alloc_injected();
            at_alloc_inject(0);
            if (!s)
                at_circuit_free(c);
            assert_int_equal(s, fired ? AT_ENOMEM : AT_OK);
            if (!fired)
                break;
        }
        at_model_release(&m);
    }
}

/* ---- printed without being kept ------------------------------------------------------------------------------------------ */

static at_status text_sink(void *ctx, const char *text, size_t n, at_err *e)
{
    (void)e;
    at_text_addn(ctx, text, n);
    return AT_OK;
}

static void test_stream(void **state)
{
    (void)state;
    static const struct {
        at_weighting weighting;
        int layers, heads, letters, n;
    } cases[] = {
        {AT_LEFTMOST_HARD, 1, 1, 2, 6}, {AT_RIGHTMOST_HARD, 1, 2, 3, 3}, {AT_LEFTMOST_HARD, 2, 1, 2, 3}};
    int varied = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (uint64_t index = 0; index < 6; index++) {
            at_model m;
            at_circuit *c;
            at_circuit_compared r;
            at_circuit_streamed z;
            at_text t;
            at_circuit_drawing d = {cases[k].layers, cases[k].heads, cases[k].letters, cases[k].n,
                                    cases[k].weighting};
            assert_int_equal(at_circuit_draw(&d, 7, index, &m, &err), AT_OK);
            for (int b = 0; b < m.n_blocks; b += 2)
                m.blocks[b].groups[0].tie = 0;
            if (at_circuit_of_stream(&m, exact, d.length, NULL, &c, &err))
                fail_msg("%s", err.text);
            assert_int_equal(at_circuit_compare(c, &m, exact, d.length, 1, &r, &err), AT_OK);
            assert_int_equal(r.differ, 0);
            varied += r.yes && r.yes < r.words;
            at_circuit_free(c);
            /* what is printed has a .names a gate, and the constant */
            at_text_init(&t);
            assert_int_equal(at_circuit_stream(&m, exact, d.length, text_sink, &t, &z, &err), AT_OK);
            uint64_t names = 0;
            for (const char *at = t.s; (at = strstr(at, ".names")); at++)
                names++;
            assert_int_equal(names, z.gates + 1);
            at_text_release(&t);
            at_model_release(&m);
        }
    assert_true(varied > 2);
    at_model m;
    at_circuit *c;
    at_circuit_drawing d = {1, 1, 2, 6, AT_AVERAGE_HARD};
    assert_int_equal(at_circuit_draw(&d, 7, 0, &m, &err), AT_OK);
    assert_int_equal(at_circuit_of_stream(&m, exact, 6, NULL, &c, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "circuits are printed for leftmost- and rightmost-hard attention"));
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_drawn, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_controls, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_compiled, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_stream, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_memory, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
