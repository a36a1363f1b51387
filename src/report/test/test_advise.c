/* test_advise.c: advice says what the catalogue says elsewhere: sizes of compiled shapes, bounds at the very sizes, and "unknown" where
 * nothing is known. */
#include <attest/claim.h>
#include <attest/front.h>
#include <attest/report.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void advise(const char *problem, const at_advice_question *q, at_arena *a, at_advice *out)
{
    at_err err = {0};
    at_problem *p;
    if (at_problem_open(problem, &p, &err) || at_advise(p, q, a, out, &err))
        fail_msg("%s: %s", problem, err.text);
    at_problem_free(p);
}

static const at_advice_row *row_of(const at_advice *v, const char *attention, bool chain)
{
    for (int i = 0; i < v->n; i++)
        if (v->rows[i].chain == chain && !strcmp(v->rows[i].attention, attention))
            return &v->rows[i];
    fail_msg("no row %s", attention);
    return NULL;
}

/* The table of the README: the size law of edit distance at L = 4097 (docs/dp.md). */
static void edit_distance(void **state)
{
    (void)state;
    at_arena a;
    at_advice v;
    at_arena_init(&a);
    advise("ed", &(at_advice_question){.length = 4096}, &a, &v);
    assert_int_equal(v.length, 4097);
    const at_advice_row *standard = row_of(&v, "standard", true), *sparse = row_of(&v, "sparse", true),
                        *linear = row_of(&v, "linear", true);
    assert_int_equal(standard->size.width, 22);
    assert_int_equal(sparse->size.width, 942);
    assert_int_equal(linear->size.width, 1499);
    assert_true(standard->total < sparse->total && sparse->total < linear->total);
    assert_true(linear->kept < standard->kept); /* that is what linear attention is for */
    assert_true(standard->kind == AT_ADVICE_BUILT && linear->kind == AT_ADVICE_BUILT);
    assert_int_equal(row_of(&v, "standard", false)->kind, AT_ADVICE_UNKNOWN);
    assert_non_null(strstr(v.sentence, "standard attention with a chain"));
    at_arena_release(&a);
}

/* A width between the bound and the construction is unknown, one below the bound is ruled out, by its name. */
static void widths(void **state)
{
    (void)state;
    at_arena a;
    at_advice v;
    at_arena_init(&a);
    advise("prefix-sum", &(at_advice_question){.length = 65536, .width = 16}, &a, &v);
    assert_int_equal(row_of(&v, "linear", true)->kind, AT_ADVICE_RULED_OUT);
    assert_string_equal(row_of(&v, "linear", true)->by, "dp-hard");
    assert_int_equal(row_of(&v, "standard", true)->kind, AT_ADVICE_BUILT);
    double least = row_of(&v, "linear", true)->least;
    assert_non_null(strstr(row_of(&v, "linear", true)->why, " in 1 layer, as the construction has"));
    advise("prefix-sum", &(at_advice_question){.length = 65536, .width = least}, &a, &v);
    assert_int_equal(row_of(&v, "linear", true)->kind, AT_ADVICE_UNKNOWN);
    advise("prefix-sum", &(at_advice_question){.length = 65536, .width = least - 1}, &a, &v);
    assert_int_equal(row_of(&v, "linear", true)->kind, AT_ADVICE_RULED_OUT);
    advise("prefix-sum", &(at_advice_question){.length = 65536, .width = least - 1, .layers = 8}, &a, &v);
    assert_int_equal(row_of(&v, "linear", true)->kind, AT_ADVICE_UNKNOWN); /* 8 layers remember more */
    advise("prefix-sum", &(at_advice_question){.length = 4096, .memory = 1000}, &a, &v);
    assert_int_equal(row_of(&v, "standard", true)->kind, AT_ADVICE_UNKNOWN);
    at_arena_release(&a);
}

/* Positions: the claims' own models, and the bound on one layer. */
static void positions(void **state)
{
    (void)state;
    at_arena a;
    at_advice v;
    at_arena_init(&a);
    advise("match2", &(at_advice_question){.length = 100, .set = "M=17"}, &a, &v);
    const at_advice_row *r = row_of(&v, "softmax", false);
    assert_true(r->kind == AT_ADVICE_BUILT && !strcmp(r->by, "match2") && r->size.head_dim == 3);
    assert_int_equal(v.length, 100);
    advise("match3", &(at_advice_question){.length = 100, .set = "M=50"}, &a, &v);
    assert_true(row_of(&v, "threewise", false)->built);
    advise("compose", &(at_advice_question){.length = 2001, .width = 2}, &a, &v);
    assert_int_equal(row_of(&v, "one layer", false)->kind, AT_ADVICE_RULED_OUT);
    at_arena_release(&a);
}

/* Is the row there, and ruled out? */
static bool ruled_out(const char *problem, const char *set, int length, double width, const char *attention,
                      at_arena *a)
{
    at_advice v;
    advise(problem, &(at_advice_question){.length = length, .set = set, .width = width}, a, &v);
    for (int i = 0; i < v.n; i++)
        if (!strcmp(v.rows[i].attention, attention) && !v.rows[i].chain)
            return v.rows[i].kind == AT_ADVICE_RULED_OUT;
    return false;
}

/* Bounds of layers: at the problem's own parameters, of the problems that they speak of, and for any number of heads in the stream. */
static void streams(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    /* M = 9: every residue may be counted by a unit of its own. The panel of the map has M = 65536. */
    assert_false(ruled_out("match3", "M=9", 1000, 3, "one softmax layer", &a));
    assert_true(ruled_out("match3", "M=65536", 1000, 3, "one softmax layer", &a));
    /* 2 * 118 * 42 < 1000 log2 1000 = 9965.8 <= 2 * 119 * 42: 119 heads of width 1 */
    assert_true(ruled_out("compose", NULL, 2001, 118, "one layer", &a));
    assert_false(ruled_out("compose", NULL, 2001, 119, "one layer", &a));
    assert_false(ruled_out("compose", "k=1", 2001, 2, "one layer", &a)); /* one function is looked up */
    /* 999 bits: 31 numbers of 32 bits are too few */
    assert_true(ruled_out("qsa", NULL, 1000, 31, "recurrent net", &a));
    assert_false(ruled_out("qsa", NULL, 1000, 32, "recurrent net", &a));
    assert_false(ruled_out("qsa", "q=8", 1000, 16, "exact self-attn.", &a));
    assert_true(ruled_out("qsa", "q=8", 1000, 15, "exact self-attn.", &a));
    assert_true(ruled_out("qsa", "d=3", 1000, 2999, "feed-forward net", &a));
    assert_false(ruled_out("qsa", "d=3", 1000, 3000, "feed-forward net", &a));
    at_arena_release(&a);
}

/* Each bound that has a number says what a width is to it: a panel that is added must, too. */
static void every_panel(void **state)
{
    (void)state;
    int layers = 0;
    for (int i = 0; i < at_n_map_panels; i++) {
        const at_map_panel *w = &at_map_panels[i];
        const at_claim *c = w->construction ? at_claim_find(w->construction) : NULL;
        if (!w->bound || w->bound_start || w->trained || (c && c->chain) || w->measure == AT_MAP_STEPS)
            continue; /* decoders' are asked at one head */
        layers++;
        if (!w->stream)
            fail_msg("%s, %s: what does a width mean?", w->task, w->architecture);
    }
    assert_true(layers >= 8);
}

static void refused(void **state)
{
    (void)state;
    at_err err = {0};
    at_problem *p;
    at_arena a;
    at_advice v;
    at_arena_init(&a);
    assert_int_equal(at_problem_open("ed", &p, &err), AT_OK);
    assert_int_equal(at_advise(p, &(at_advice_question){.length = 4096, .set = "n1=3 n2=4"}, &a, &v, &err),
                     AT_EINPUT);
    assert_int_equal(at_advise(p, &(at_advice_question){.length = 1000000000}, &a, &v, &err), AT_EDOMAIN);
    at_problem_free(p);
    at_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edit_distance), cmocka_unit_test(widths),      cmocka_unit_test(positions),
        cmocka_unit_test(streams),       cmocka_unit_test(every_panel), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
