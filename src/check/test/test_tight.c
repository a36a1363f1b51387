/* test_tight.c: bounds on the end behind every text: drawn models never give it less; what grows is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <attest/check.h>
#include <attest/program.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 2, LONGEST = 5 };

/* One head that looks for the first word, an MLP, and logits; grows: the index of a position is taken from the end's. */
static void model_make(at_model *m, at_weighting by, bool grows)
{
    at_err err = {0};
    double is[] = {1, 0, 0, 1};
    at_program *P = at_program_new("lm", LONGEST);
    at_program_lengths(P, 0);
    at_var token = at_token(P, "word", WORDS);
    at_prefix(P, 1);
    at_var own = at_lookup_rows(P, "is", token, WORDS, is), begin = at_mark_prefix(P, "begin", 0);
    at_attention a = {.query = AT_VEC(at_const(P, 1)),
                      .key = AT_VEC(own),
                      .value = AT_VEC(own, own + 1, begin),
                      .weighting = by,
                      .mask = {.kind = AT_MASK_CAUSAL},
                      .gap = 1};
    at_var before = at_attend(P, "before", &a);
    at_var both = at_relu(P, "both", at_sum(P, "both", AT_VEC(own, before + 1), NULL, -1));
    at_var end = at_sum(P, "end", AT_VEC(both, before, begin), (double[]){-3, 2, 1}, 0.5);
    if (grows)
        end = at_sub(P, end, at_position(P, "here", AT_POS_I));
    at_emit_last(P, AT_VEC(own, both, end), AT_READ_SOFTMAX, 0);
    if (at_program_status(P, &err) || at_assemble(P, m, NULL, &err))
        fail_msg("%s", err.text);
    at_program_free(P);
}

/* The least log10 of the end over all texts. */
static double least_of(const at_model *m)
{
    double least = 0;
    at_err err = {0};
    for (int n = 0; n <= LONGEST; n++)
        for (uint64_t k = 0; k < at_words_count(WORDS, n); k++) {
            double x[LONGEST + 1];
            at_arena a;
            at_output y;
            at_arena_init(&a);
            at_words_nth(WORDS, n, k, x);
            if (at_run(m, at_f64, &(at_input){n, x}, NULL, &a, &y, &err))
                fail_msg("%s", err.text);
            least = fmin(least, log10(y.decision[WORDS]));
            at_arena_release(&a);
        }
    return least;
}

static void test_bound(void **state)
{
    (void)state;
    static const at_weighting by[] = {AT_SOFTMAX, AT_RIGHTMOST_HARD, AT_AVERAGE_HARD, AT_SPARSEMAX};
    int models = 0;
    double closest = INFINITY;
    for (size_t k = 0; k < sizeof by / sizeof *by; k++)
        for (uint64_t draw = 0; draw < 40; draw++) {
            at_model m;
            at_err err = {0};
            double bound;
            model_make(&m, by[k], false);
            for (size_t w = 0; draw && w < m.n_weights; w++) { /* draw 0 is as it was made */
                at_rng r = at_rng_at(draw, w);
                if (m.weights[w] != 0)
                    m.weights[w] *= 2 * at_rng_unit(&r) - 1;
            }
            if (at_end_least(&m, &bound, &err))
                fail_msg("draw %d, %s: %s", (int)draw, at_weighting_names[by[k]], err.text);
            double least = least_of(&m);
            assert_true(bound <= least + 1e-12);
            closest = fmin(closest, least - bound);
            models++;
            at_model_release(&m);
        }
    print_message("%d models; the nearest bound is %.3g below\n", models, closest);
    assert_true(closest < 0.5); /* and it is a bound, not merely small */
}

/* A recurrent net, whose state lies in -1..1 whatever was read. */
static void test_recurrent(void **state)
{
    (void)state;
    for (uint64_t draw = 0; draw < 20; draw++) {
        at_model m;
        at_err err = {0};
        double bound;
        at_model_init(&m);
        snprintf(m.name, sizeof m.name, "rnn");
        m.width = 3;
        m.n_min = 0;
        m.n_max = LONGEST;
        m.n_prefix = 1;
        m.n_fields = m.n_blocks = 1;
        m.fields = at_new(&m.arena, at_field, 1);
        m.fields[0] = (at_field){.name = "word", .kind = AT_FIELD_TOKEN, .size = WORDS, .embed = {0, 3, -1}};
        m.prefix = (at_embed){0, 3, -1};
        m.blocks = at_new(&m.arena, at_block, 1);
        m.blocks[0] = (at_block){.kind = AT_BLOCK_RNN,
                                 .residual = draw % 2,
                                 .rnn = {.cell = draw % 3 ? AT_CELL_TANH : AT_CELL_GRU, .state = 5}};
        m.readout = (at_readout){.kind = AT_READ_SOFTMAX, .rows = WORDS + 1, .last = true};
        if (at_model_layout(&m, &err))
            fail_msg("%s", err.text);
        for (size_t w = 0; w < m.n_weights; w++) {
            at_rng r = at_rng_at(draw, w);
            m.weights[w] = at_rng_normal(&r);
        }
        if (at_model_validate(&m, &err) || at_end_least(&m, &bound, &err))
            fail_msg("%s", err.text);
        double least = least_of(&m);
        assert_true(isfinite(bound) && bound <= least + 1e-12 && bound > least - 20);
        at_model_release(&m);
    }
}

static void test_refused(void **state)
{
    (void)state;
    at_model m;
    at_err err = {0};
    double bound;
    model_make(&m, AT_RIGHTMOST_HARD, true);
    assert_int_equal(at_end_least(&m, &bound, &err), AT_EREFUSED);
    assert_string_equal(
        err.text, "the position feature i grows with the length, and nothing shows that the readout does "
                  "not: the end may become ever less likely");
    m.readout.kind = AT_READ_SPARSEMAX;
    err = (at_err){0};
    assert_int_equal(at_end_least(&m, &bound, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "its readout is sparsemax"));
    m.readout.kind = AT_READ_ARGMAX;
    err = (at_err){0};
    assert_int_equal(at_end_least(&m, &bound, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "no language model"));
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bound), cmocka_unit_test(test_recurrent),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
