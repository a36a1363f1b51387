/* test_extract.c: models of unique-hard attention as automata. Compiled ones give the least automaton of their language, of all
 * lengths; drawn ones agree with the executor on every short word, and have no period, as the theorem says; what is refused. */
#include <attest/check.h>
#include <attest/front.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"

static at_place place_of(const char *text)
{
    at_alphabet given, sigma;
    at_regex *e;
    at_dfa *d;
    at_place p;
    if (at_alphabet_parse("a b", &arena, &given, &err) ||
        at_regex_parse(text, &given, NULL, 1, 1, &arena, &e, &sigma, &err) ||
        at_regex_dfa(e, &sigma, &arena, &d, &err) || at_place_find(d, &arena, &p, &err))
        fail_msg("%s: %s", text, err.text);
    return p;
}

static void test_compiled(void **state)
{
    (void)state;
    static const char *const texts[] = {"(ab)*",    "a*b*",    ".*abab", "~(.*aa.*)", "(a(a(ab)*b)*b)*",
                                        ".*a.{4}",  "∅",       "~∅",     "ε",         "a{0,4}",
                                        ".*a..b.*", "(ab|ba)*"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        at_place p = place_of(texts[k]);
        at_model m;
        at_dfa *d;
        int *word, n;
        assert_int_equal(at_dfa_model(&p, 3, NULL, &m, &err), AT_OK); /* made for three letters */
        if (at_extract_dfa(&m, &arena, &d, &err))
            fail_msg("%s: %s", texts[k], err.text);
        if (!at_dfa_equal(d, p.least))
            fail_msg("%s: %d states, and it has %d", texts[k], d->states, p.states);
        at_model_release(&m);
        /* the control: a position that sees its own letter; on nothing and everything it is right all the same */
        assert_int_equal(at_dfa_model(&p, 3, &(at_dfa_options){.causal = true}, &m, &err), AT_OK);
        assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_OK);
        assert_int_equal(at_dfa_differ(d, p.least, &arena, &word, &n, &err), AT_OK);
        if (p.states > 2 && n < 0)
            fail_msg("%s: the control is the same language", texts[k]);
        at_model_release(&m);
    }
}

/* Two layers of two heads each over random small integers; `drawn` decides masks, weightings and whether there is a prefix. */
static void model_draw(at_rng *r, at_model *m)
{
    at_program *P = at_program_new("drawn", 12);
    bool prefix = at_rng_below(r, 2);
    double rows[2][6];
    at_var bit[12];
    int n = 3;
    if (prefix)
        at_prefix(P, 1);
    else
        at_suffix(P, 1);
    at_program_lengths(P, 0);
    at_var x = at_token(P, "x", 2);
    for (int a = 0; a < 2; a++)
        for (int k = 0; k < 3; k++)
            rows[a][k] = (double)at_rng_below(r, 2);
    double table[6] = {rows[0][0], rows[0][1], rows[0][2], rows[1][0], rows[1][1], rows[1][2]};
    at_var first = at_lookup_rows(P, "bit", x, 3, table);
    for (int k = 0; k < 3; k++) {
        bit[k] = first + k;
        (prefix ? at_hidden_prefix : at_hidden_suffix)(P, bit[k], 0, (double)at_rng_below(r, 2));
    }
    for (int layer = 0; layer < 2; layer++) {
        at_var next[12];
        int more = 0;
        for (int h = 0; h < 2; h++) {
            char name[32];
            snprintf(name, sizeof name, "h%d_%d", layer, h);
            double c[12], d[12];
            for (int k = 0; k < n; k++) {
                c[k] = (double)at_rng_below(r, 5) - 2;
                d[k] = (double)at_rng_below(r, 3) - 1;
            }
            at_var got = at_attend(
                P, name,
                &(at_attention){
                    .query = AT_VEC(at_sum(P, NULL, (at_vec){n, bit}, d, 1), at_const(P, 1)),
                    .key = AT_VEC(at_sum(P, NULL, (at_vec){n, bit}, c, 0), bit[at_rng_below(r, (uint64_t)n)]),
                    .value = AT_VEC(bit[at_rng_below(r, (uint64_t)n)]),
                    .weighting = at_rng_below(r, 2) ? AT_RIGHTMOST_HARD : AT_LEFTMOST_HARD,
                    .mask = {.kind = at_rng_below(r, 3) ? AT_MASK_STRICT : AT_MASK_CAUSAL},
                    .gap = 1});
            got = at_known(P, name, got, 0, 1, true, -1);
            at_var other = bit[at_rng_below(r, (uint64_t)n)];
            snprintf(name, sizeof name, "b%d_%d", layer, h);
            next[more++] =
                at_rng_below(r, 2) ? at_and(P, name, got, at_not(P, other)) : at_or(P, name, got, other);
            next[more++] = got;
        }
        for (int k = 0; k < more; k++)
            bit[n++] = next[k];
    }
    at_emit_last(P,
                 AT_VEC(at_sum(P, NULL, AT_VEC(bit[n - 1], bit[n - 2], bit[n - 4]), (double[]){1, 1, -1}, 0)),
                 AT_READ_THRESHOLD, 0.5);
    if (at_assemble(P, m, NULL, &err))
        fail_msg("%s", err.text);
    at_program_free(P);
}

static void test_drawn(void **state)
{
    (void)state;
    int varied = 0, largest = 0;
    for (int t = 0; t < 60; t++) {
        at_rng r = at_rng_at(5, (uint64_t)t);
        at_model m;
        at_dfa *d;
        at_place p;
        model_draw(&r, &m);
        if (at_extract_dfa(&m, &arena, &d, &err))
            fail_msg("model %d: %s", t, err.text);
        for (int n = 0; n <= 8; n++)
            for (int w = 0; w < 1 << n; w++) {
                double x[8];
                int word[8];
                at_output y;
                at_mark mark = at_arena_mark(&arena);
                for (int i = 0; i < n; i++)
                    x[i] = word[i] = w >> i & 1;
                assert_int_equal(at_run(&m, at_f64, &(at_input){n, x}, NULL, &arena, &y, &err), AT_OK);
                if ((y.decision[0] != 0) != at_dfa_accepts(d, word, n))
                    fail_msg("model %d on word %d of length %d", t, w, n);
                at_arena_reset(&arena, mark);
            }
        assert_int_equal(at_place_find(d, &arena, &p, &err), AT_OK);
        assert_int_equal(p.star_free, AT_TRUE);
        varied += p.states > 1;
        largest = p.states > largest ? p.states : largest;
        at_model_release(&m);
    }
    assert_true(varied > 20 && largest > 4);
}

static void test_refused(void **state)
{
    (void)state;
    at_place p = place_of("(ab)*"), parity = place_of("(b*ab*a)*b*"), even = place_of("(..)*");
    at_model m;
    at_dfa *d;
    assert_int_equal(at_shortcut_model(&parity, 8, NULL, &m, &err), AT_OK);
    assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "it has positions"));
    at_model_release(&m);
    err = (at_err){0};
    assert_int_equal(at_dfa_model(&even, 8, &(at_dfa_options){.positions = true}, &m, &err), AT_OK);
    assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_EREFUSED);
    at_model_release(&m);
    assert_int_equal(at_dfa_model(&p, 8, NULL, &m, &err), AT_OK);
    at_group *g = &m.blocks[0].groups[0]; /* the first block is attention */
    for (int k = 0; k < m.n_blocks; k++)
        if (m.blocks[k].kind == AT_BLOCK_ATTN)
            g = &m.blocks[k].groups[0];
    g->weighting = AT_AVERAGE_HARD; /* which no automaton can follow in general */
    err = (at_err){0};
    assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "average-hard attention mixes keys"));
    g->weighting = AT_RIGHTMOST_HARD;
    g->mask.kind = AT_MASK_FUTURE;
    err = (at_err){0};
    assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "the mask future"));
    g->mask.kind = AT_MASK_STRICT;
    double *w = at_model_data(&m, g->v);
    w[0] = 0.1; /* times 0.1 again it is rounded */
    at_model_data(&m, g->o)[0] = 0.1;
    for (int k = 0; k < m.width; k++)
        w[k] = 0.1;
    err = (at_err){0};
    assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "rounded"));
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_compiled, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_drawn, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
