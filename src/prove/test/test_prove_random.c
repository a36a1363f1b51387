/* test_prove_random.c: the system against the reference on random programs; and random pairs that no word of up to 7 letters tells apart.
 *
 * ATTEST_PROVE_PAIRS=400 asks for so many pairs; 60 unless said. */
#include <attest/lang.h>
#include <attest/prove.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "../../core/test/test_scale.h"
#include "../../lang/test/crasp_random.h"
#include "../prove_internal.h"

static at_formulas *read_text(const char *text, at_arena *a)
{
    at_formulas *f;
    int longest;
    char *copy = at_arena_strdup(a, text);
    if (at_crasp_read(copy, "x.crasp", a, &f, &longest, &err))
        fail_msg("%s\n%s", text, err.text);
    return f;
}

/* What the system says of a word: it is asked whether the program is empty, so its words are bad. */
static bool system_says(prove_system *s, const int *word, int n)
{
    int *now = at_new(s->arena, int, s->fields + 1), *next = at_new(s->arena, int, s->fields + 1);
    prove_state_start(s, now);
    bool last = false;
    for (int i = 0; i < n; i++) {
        prove_state_look(s);
        last = prove_value(s, s->bad[word[i]], now);
        prove_state_step(s, now, word[i], next);
        memcpy(now, next, (size_t)s->fields * sizeof *now);
    }
    prove_state_look(s);
    return s->at_end ? prove_value(s, s->bad[s->S], now) : last;
}

static void test_system(void **state)
{
    (void)state;
    int made = 0, refused = 0, capped = 0, yes = 0;
    for (int t = 0; t < TEST_SCALED(1500); t++) {
        cr_program p;
        at_text text;
        at_text_init(&text);
        cr_draw(&p, 77, (uint64_t)t, t % 2, &arena);
        bool end = t % 3 == 0;
        cr_text(&p, end ? "accept end\n" : "", &text);
        at_formulas *f = read_text(text.s, &arena);
        at_prove_question q = {.a = f, .what = AT_PROVE_EMPTY};
        prove_system *s;
        at_status st = prove_system_make(&q, &arena, &s, &err);
        if (st) {
            assert_true(st == AT_EREFUSED || st == AT_EBUDGET);
            err = (at_err){0};
            refused++;
        } else {
            made++;
            for (int c = 0; c < s->counts.n; c++)
                capped += s->counts.at[c].cap > 0;
            for (int n = !end; n <= 6; n++)
                for (int k = 0; k < 1 << n; k++) {
                    int w[CR_WORD];
                    at_tri v;
                    for (int i = 0; i < n; i++)
                        w[i] = k >> i & 1;
                    assert_int_equal(at_formulas_run(f, w, n, &v, &err), AT_OK);
                    if (system_says(s, w, n) != (v == AT_TRUE))
                        fail_msg("%s\non word %d of length %d", text.s, k, n);
                    yes += v == AT_TRUE;
                }
        }
        at_text_release(&text);
        at_arena_release(&arena);
        at_arena_init(&arena);
    }
    printf("# %d programs, %d refused, %d counts capped, %d words accepted\n", made, refused, capped, yes);
    assert_true(made > TEST_SCALED(300) && refused > 0 && capped > 0);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------------------------ */

enum { WORDS = 254, LETTERS = 7 };

static void truth_put(at_rng *r, int depth, at_text *t);

static void sum_put(at_rng *r, int depth, at_text *t)
{
    int n = 1 + (int)at_rng_below(r, 2);
    for (int k = 0; k < n; k++) {
        int64_t c = 1 + (int64_t)at_rng_below(r, 4) / 3;
        at_text_add(t, k ? (at_rng_below(r, 2) ? " - " : " + ") : "");
        if (c > 1)
            at_text_addf(t, "%d ", (int)c);
        at_text_add(t, "#[");
        truth_put(r, depth - 1, t);
        at_text_add(t, "]");
    }
}

static void truth_put(at_rng *r, int depth, at_text *t)
{
    static const char *const signs[] = {"<", "<=", "=", ">=", ">", "!="};
    uint64_t kind = depth > 0 ? at_rng_below(r, 6) : 0;
    if (kind == 0)
        at_text_add(t, at_rng_below(r, 2) ? "Q_a" : "Q_b");
    else if (kind == 1) {
        at_text_add(t, "!(");
        truth_put(r, depth - 1, t);
        at_text_add(t, ")");
    } else if (kind == 2) {
        at_text_add(t, "(");
        truth_put(r, depth - 1, t);
        at_text_add(t, at_rng_below(r, 2) ? ") & (" : ") | (");
        truth_put(r, depth - 1, t);
        at_text_add(t, ")");
    } else {
        sum_put(r, depth, t);
        at_text_addf(t, " %s ", signs[at_rng_below(r, 6)]);
        if (at_rng_below(r, 2))
            at_text_addf(t, "%d", (int)at_rng_below(r, 4));
        else
            sum_put(r, depth, t);
    }
}

typedef struct {
    uint64_t bits[4];
    char *text;
} drawn;

static int by_answers(const void *x, const void *y)
{
    const drawn *a = x, *b = y;
    int c = memcmp(a->bits, b->bits, sizeof a->bits);
    return c ? c : strcmp(a->text, b->text);
}

static void draw(at_rng *r, drawn *out, at_arena *keep)
{
    at_text t;
    at_text_init(&t);
    at_text_add(&t, "alphabet a b\n");
    truth_put(r, 3, &t);
    out->text = at_arena_strdup(keep, t.s);
    at_formulas *f = read_text(t.s, &arena);
    memset(out->bits, 0, sizeof out->bits);
    for (int n = 1, at = 0; n <= LETTERS; n++)
        for (int k = 0; k < 1 << n; k++, at++) {
            int w[LETTERS];
            at_tri v;
            for (int i = 0; i < n; i++)
                w[i] = k >> i & 1;
            assert_int_equal(at_formulas_run(f, w, n, &v, &err), AT_OK);
            if (v == AT_TRUE)
                out->bits[at / 64] |= (uint64_t)1 << at % 64;
        }
    at_text_release(&t);
    at_arena_release(&arena);
    at_arena_init(&arena);
}

/* Neither says yes to all words or to none, which would be too easy. */
static bool constant(const drawn *d)
{
    int yes = 0;
    for (int k = 0; k < 4; k++)
        yes += __builtin_popcountll(d->bits[k]);
    return yes == 0 || yes == WORDS;
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A proof against long random words: none may differ. */
static void long_words(const at_prove_question *q, uint64_t seed)
{
    for (int k = 0; k < 40; k++) {
        at_rng r = at_rng_at(seed, (uint64_t)k);
        int n = 8 + (int)at_rng_below(&r, 40), w[64];
        uint64_t bias = 1 + at_rng_below(&r, 9);
        for (int i = 0; i < n; i++)
            w[i] = at_rng_below(&r, 10) < bias;
        at_tri x, y;
        assert_int_equal(at_formulas_run(q->a, w, n, &x, &err), AT_OK);
        assert_int_equal(at_formulas_run(q->b, w, n, &y, &err), AT_OK);
        assert_int_equal(x, y);
    }
}

static void test_pairs(void **state)
{
    (void)state;
    const char *asked = getenv("ATTEST_PROVE_PAIRS");
    int wanted = asked ? atoi(asked) : TEST_SCALED(60), n = asked ? 12000 : TEST_SCALED(3000);
    wanted = wanted < 1 ? 1 : wanted > 4000 ? 4000 : wanted;
    at_arena keep;
    at_arena_init(&keep);
    drawn *all = at_new(&keep, drawn, n);
    at_rng r = at_rng_at(2026, 11);
    for (int k = 0; k < n; k++)
        draw(&r, &all[k], &keep);
    qsort(all, (size_t)n, sizeof *all, by_answers);
    int pairs = 0, counts[3] = {0}, way[AT_PROVE_WAYS] = {0}, run = 0;
    double *took = at_new(&keep, double, wanted);
    for (int k = 0; k + 1 < n && pairs < wanted; k++) {
        bool same = !memcmp(all[k].bits, all[k + 1].bits, sizeof all[k].bits);
        run = same ? run + 1 : 0;
        if (!same || run > 6 || constant(&all[k]) || !strcmp(all[k].text, all[k + 1].text))
            continue;
        at_prove_question q = {.a = read_text(all[k].text, &arena), .b = read_text(all[k + 1].text, &arena)};
        at_proof p;
        double from = at_cpu_now();
        if (at_prove(&q, &arena, &p, &err))
            fail_msg("%s\n%s\n%s", all[k].text, all[k + 1].text, err.text);
        took[pairs] = at_cpu_now() - from;
        counts[p.holds]++;
        way[p.way]++;
        if (took[pairs] > 3 || p.holds == AT_UNKNOWN)
            printf("# %.1f s, %s, %d counts, %s:\n#   %s\n#   %s\n", took[pairs], at_prove_way_names[p.way],
                   p.counts, p.note, all[k].text + 13, all[k + 1].text + 13);
        if (p.holds == AT_FALSE)
            assert_true(p.n_word > LETTERS);
        if (p.holds == AT_TRUE) {
            assert_int_equal(p.rechecked, AT_TRUE);
            long_words(&q, (uint64_t)pairs);
        }
        pairs++;
        at_arena_release(&arena);
        at_arena_init(&arena);
    }
    qsort(took, (size_t)pairs, sizeof *took, by_time);
    printf(
        "# %d pairs: %d equal, %d differ, %d unknown; search %d, regions %d, induction %d, Spacer %d; median "
        "%.3f s, most %.2f s\n",
        pairs, counts[AT_TRUE], counts[AT_FALSE], counts[AT_UNKNOWN], way[AT_BY_SEARCH], way[AT_BY_REGIONS],
        way[AT_BY_INDUCTION], way[AT_BY_SPACER], took[pairs / 2], took[pairs - 1]);
    assert_int_equal(pairs, wanted);
    if (at_prove_has_solver())
        assert_true(100 * counts[AT_UNKNOWN] <= pairs); /* 99 of 100 are decided */
    at_arena_release(&keep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_system, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_pairs, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
