/* test_extract.c: models of unique-hard attention as automata. Compiled ones give the least automaton of their language, of all
 * lengths, also with positions that repeat, and where numbers are rounded; drawn ones agree with the executor on every short word, and
 * lie where the theorem says; what is refused. */
#include <attest/check.h>
#include <attest/front.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "../../core/test/test_scale.h"

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
        at_extracted d;
        int *word, n;
        assert_int_equal(at_dfa_model(&p, 3, NULL, &m, &err), AT_OK); /* made for three letters */
        if (at_extract_dfa(&m, &arena, &d, &err))
            fail_msg("%s: %s", texts[k], err.text);
        if (!at_dfa_equal(d.dfa, p.least))
            fail_msg("%s: %d states, and it has %d", texts[k], d.dfa->states, p.states);
        at_model_release(&m);
        /* the control: a position that sees its own letter; on nothing and everything it is right all the same */
        assert_int_equal(at_dfa_model(&p, 3, &(at_dfa_options){.causal = true}, &m, &err), AT_OK);
        assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_OK);
        assert_int_equal(at_dfa_differ(d.dfa, p.least, &arena, &word, &n, &err), AT_OK);
        if (p.states > 2 && n < 0)
            fail_msg("%s: the control is the same language", texts[k]);
        at_model_release(&m);
    }
}

/* Positions modulo a number: as 0 and 1, or as cos and sin, whose sums are rounded. Longer words than the file takes count. */
static void test_modular(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int m;
    } rows[] = {{"(..)*", 2},          {"(aa)*", 2},    {"(a.)*", 2},
                {"(...)*a", 3},        {".*b(aa)*", 2}, {"((ab|ba)*)&(.{4})*", 4},
                {".*a(..)*b(..)*", 2}, {"(.{5})*", 5}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int circle = 0; circle < 2; circle++) {
            at_place p = place_of(rows[k].text);
            at_model m;
            at_extracted d;
            int *word, n, N = 2 * rows[k].m; /* two periods, and the hidden position */
            at_dfa_options o = {.positions = true, .circle = circle};
            assert_int_equal(at_dfa_model(&p, N, &o, &m, &err), AT_OK);
            if (at_extract_dfa(&m, &arena, &d, &err))
                fail_msg("%s, circle %d: %s", rows[k].text, circle, err.text);
            if (!at_dfa_equal(d.dfa, p.least))
                fail_msg("%s, circle %d: %d states, and it has %d", rows[k].text, circle, d.dfa->states,
                         p.states);
            assert_int_equal(d.period, rows[k].m);
            assert_int_equal(d.rounded, circle);
            at_model_release(&m);
            /* the control: positions of another period */
            o.off = 1;
            assert_int_equal(at_dfa_model(&p, N + 2, &o, &m, &err), AT_OK);
            assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_OK);
            assert_int_equal(d.period, rows[k].m + 1);
            assert_int_equal(at_dfa_differ(d.dfa, p.least, &arena, &word, &n, &err), AT_OK);
            if (n < 0)
                fail_msg("%s, circle %d: the control is the same language", rows[k].text, circle);
            at_model_release(&m);
        }
}

/* One row of a table changed is another language, or no period at all. */
static void test_table(void **state)
{
    (void)state;
    at_place p = place_of("(..)*");
    at_model m;
    at_extracted d;
    int *word, n;
    assert_int_equal(at_dfa_model(&p, 11, &(at_dfa_options){.positions = true}, &m, &err), AT_OK);
    assert_int_equal(m.pos[0].size, 12);
    int width = m.pos[0].embed.width;
    double *w = at_model_data(&m, m.pos[0].embed.tensor), kept[24];
    assert_int_equal(width, 2);
    memcpy(kept, w, sizeof kept);
    for (int i = 0; i < 24; i++) /* the rows 10, 01, 00, and again: of period 3, shown four times */
        w[i] = i / 2 % 3 == i % 2;
    assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_OK);
    assert_int_equal(d.period, 3);
    assert_int_equal(at_dfa_differ(d.dfa, p.least, &arena, &word, &n, &err), AT_OK);
    assert_true(n >= 0);
    memcpy(w, kept, sizeof kept);
    w[23] = -w[23] + 3; /* the last row alone: there is no period that is shown twice */
    assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "position feature 1 (table of 12 rows) does not show a period twice"));
    memcpy(w, kept, sizeof kept);
    m.pos[0].size = 4; /* as if the file took three letters: period 2, shown twice */
    assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_OK);
    assert_true(at_dfa_equal(d.dfa, p.least));
    m.pos[0].size = 3;
    err = (at_err){0};
    assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_EREFUSED);
    m.pos[0].size = 12;
    at_model_release(&m);
}

/* A score that is as far from the largest as the tie, up to rounding, is nobody's guess. */
static void test_undecided(void **state)
{
    (void)state;
    at_place p = place_of("(...)*a");
    at_model m;
    at_extracted d;
    assert_int_equal(at_dfa_model(&p, 12, &(at_dfa_options){.positions = true, .circle = true}, &m, &err),
                     AT_OK);
    for (int k = 0; k < m.n_blocks; k++)
        for (int n = 0; m.blocks[k].kind == AT_BLOCK_ATTN && n < m.blocks[k].n_groups; n++) {
            at_group *g = &m.blocks[k].groups[n];
            assert_true(g->tie > 0);
            g->tie = k < 3 ? 0 : g->tie;
        }
    assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "scores may be equal or not, without a tie"));
    for (int k = 0; k < m.n_blocks; k++)
        for (int n = 0; m.blocks[k].kind == AT_BLOCK_ATTN && n < m.blocks[k].n_groups; n++)
            m.blocks[k].groups[n].tie = 1; /* resets score 1, all else 0 */
    err = (at_err){0};
    assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "as far from the largest as the tie"));
    at_model_release(&m);
    assert_int_equal(at_dfa_model(&p, 12, &(at_dfa_options){.positions = true, .circle = true}, &m, &err),
                     AT_OK);
    m.readout.threshold = 1;
    err = (at_err){0};
    assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "the readout may be above its threshold or not"));
    at_model_release(&m);
}

/* A readout exactly at its threshold has margin 0, so a check says undecided of its words; so does this, without rounding, too. */
static void test_at_threshold(void **state)
{
    (void)state;
    at_place p = place_of("(ab)*");
    for (int accepts = 0; accepts < 2; accepts++) { /* words that were accepted, then the others */
        at_model m;
        at_extracted d;
        assert_int_equal(at_dfa_model(&p, 8, &(at_dfa_options){0}, &m, &err), AT_OK);
        assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_OK);
        m.readout.threshold = accepts;
        err = (at_err){0};
        assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_EREFUSED);
        assert_non_null(strstr(err.text, "undecided: a word ends exactly at the threshold of the readout"));
        m.readout.threshold = accepts ? 0.9999999 : 1e-300;
        assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_OK);
        assert_true(at_dfa_equal(d.dfa, p.least));
        at_model_release(&m);
    }
}

/* What a drawn model has: no positions, a table of 0 and 1, (-1)^i, or a table of thirds, whose sums are rounded. */
enum { NO_POSITIONS, BITS, ALTERNATE, THIRDS };

/* here: what scores are made of; the result is a boolean. */
static at_var positions_draw(at_program *P, at_rng *r, int kind, at_var *here)
{
    double rows[13];
    int period = 2 + (int)at_rng_below(r, 3);
    if (kind == ALTERNATE) {
        *here = at_position(P, "sign", AT_POS_ALTERNATE);
        return at_known(P, "even", at_sum(P, NULL, AT_VEC(*here), (double[]){0.5}, 0.5), 0, 1, true, -1);
    }
    for (int i = 0; i < 13; i++)
        rows[i] = i >= period    ? rows[i - period]
                  : kind == BITS ? (double)at_rng_below(r, 2)
                                 : (double)at_rng_below(r, 7) / 3;
    *here = at_position_rows(P, "place", 1, rows);
    return kind == BITS ? *here : at_known(P, "high", at_ramp(P, "high", *here, 0.75, 0.9), 0, 1, true, -1);
}

/* Two layers of two heads each over random small integers; `drawn` decides masks, weightings and whether there is a prefix. */
static void model_draw(at_rng *r, int kind, at_model *m)
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
    at_var here = at_const(P, 0);
    if (kind != NO_POSITIONS) {
        bit[n] = positions_draw(P, r, kind, &here);
        n++;
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
                &(at_attention){.query = AT_VEC(at_sum(P, NULL, (at_vec){n, bit}, d, 1), at_const(P, 1)),
                                .key = AT_VEC(at_add(P, here, at_sum(P, NULL, (at_vec){n, bit}, c, 0)),
                                              bit[at_rng_below(r, (uint64_t)n)]),
                                .value = AT_VEC(bit[at_rng_below(r, (uint64_t)n)]),
                                .weighting = at_rng_below(r, 2) ? AT_RIGHTMOST_HARD : AT_LEFTMOST_HARD,
                                .mask = {.kind = at_rng_below(r, 3) ? AT_MASK_STRICT : AT_MASK_CAUSAL},
                                .gap = kind == THIRDS ? 1.0 / 3 : 1});
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

/* The automaton and the executor on every word of at most `longest` letters. */
static void words_run(const at_model *m, const at_dfa *d, int longest, int t)
{
    for (int n = 0; n <= longest; n++)
        for (int w = 0; w < 1 << n; w++) {
            double x[8];
            int word[8];
            at_output y;
            at_mark mark = at_arena_mark(&arena);
            for (int i = 0; i < n; i++)
                x[i] = word[i] = w >> i & 1;
            assert_int_equal(at_run(m, at_f64, &(at_input){n, x}, NULL, &arena, &y, &err), AT_OK);
            if ((y.decision[0] != 0) != at_dfa_accepts(d, word, n))
                fail_msg("model %d on word %d of length %d", t, w, n);
            at_arena_reset(&arena, mark);
        }
}

static void test_drawn(void **state)
{
    (void)state;
    int varied = 0, largest = 0;
    for (int t = 0; t < 60; t++) {
        at_rng r = at_rng_at(5, (uint64_t)t);
        at_model m;
        at_extracted d;
        at_place p;
        model_draw(&r, NO_POSITIONS, &m);
        if (at_extract_dfa(&m, &arena, &d, &err))
            fail_msg("model %d: %s", t, err.text);
        words_run(&m, d.dfa, TEST_SCALE > 1 ? 6 : 8, t);
        assert_int_equal(at_place_find(d.dfa, &arena, &p, &err), AT_OK);
        assert_int_equal(p.star_free, AT_TRUE);
        varied += p.states > 1;
        largest = p.states > largest ? p.states : largest;
        at_model_release(&m);
    }
    assert_true(varied > 20 && largest > 4);
}

/* 240 models with positions that repeat, 80 of each kind. */
static void test_drawn_modular(void **state)
{
    (void)state;
    int run = 0, varied = 0, largest = 0, modular = 0, rounded = 0, refused = 0, known = 0;
    for (int t = 0; t < 240; t++) {
        at_rng r = at_rng_at(6, (uint64_t)t);
        at_model m;
        at_extracted d;
        at_place p;
        model_draw(&r, BITS + t % 3, &m);
        at_mark mark = at_arena_mark(&arena);
        err = (at_err){0};
        at_status s = at_extract_dfa(&m, &arena, &d, &err);
        if (s == AT_EREFUSED && strstr(err.text, "tie"))
            refused++;
        else if (s)
            fail_msg("model %d: %s", t, err.text);
        else {
            run++;
            words_run(&m, d.dfa, TEST_SCALE > 1 ? 5 : 7, t);
            assert_int_equal(at_place_find(d.dfa, &arena, &p, &err), AT_OK);
            assert_int_not_equal(p.fo_mod, AT_FALSE);
            known += p.fo_mod == AT_TRUE;
            varied += p.states > 1;
            modular += p.star_free == AT_FALSE;
            rounded += d.rounded && p.states > 1;
            largest = p.states > largest ? p.states : largest;
        }
        at_arena_reset(&arena, mark);
        at_model_release(&m);
    }
    print_message(
        "%d models, %d refused: %d not constant, %d of them rounded, %d not star-free, %d in FO[<, MOD], "
        "at most %d states\n",
        run, refused, varied, rounded, modular, known, largest);
    assert_true(run >= 200 && varied > 80 && modular > 40 && rounded > 20 && largest > 6 && known >= 200);
}

static void test_refused(void **state)
{
    (void)state;
    at_place p = place_of("(ab)*"), parity = place_of("(b*ab*a)*b*"), even = place_of("(..)*");
    at_model m;
    at_extracted d;
    assert_int_equal(at_shortcut_model(&parity, 8, NULL, &m, &err), AT_OK);
    assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "softmax attention mixes keys"));
    at_model_release(&m);
    err = (at_err){0};
    assert_int_equal(at_dfa_model(&even, 8, &(at_dfa_options){.positions = true}, &m, &err), AT_OK);
    m.pos[0].kind = AT_POS_I_OVER_N;
    assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "position feature 1 (i/n) does not repeat"));
    m.pos[0].kind = AT_POS_SINUSOIDAL; /* radians: never the same again */
    err = (at_err){0};
    assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "(sinusoidal) does not repeat"));
    m.pos[0].kind = AT_POS_TABLE;
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
    for (int k = 0; k < m.width; k++) /* nothing is said of such numbers */
        at_model_data(&m, m.readout.w)[k] = 1e300 * (1 + 0.1 * k);
    err = (at_err){0};
    assert_int_equal(at_extract_dfa(&m, &arena, &d, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "beyond 2^900"));
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_compiled, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_modular, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_table, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_undecided, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_at_threshold, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_drawn, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_drawn_modular, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
