/* test_cert.c: certificates say what they must, and the same each time; what has none is refused in words; every claim can be cited.
 * That they are true is what tools/test/test_verify.sh shows. */
#include <attest/cert.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

static at_status make(const char *id, const char *set, at_arena *a, at_cert_made *out, at_err *err)
{
    at_cert_question q = {.claim = at_claim_find(id),
                          .set = set,
                          .seed = 1,
                          .version = "test",
                          .build = "test",
                          .date = "2026-01-31"};
    return at_cert_make(&q, a, out, err);
}

/* The digest of the first line is that of all that follows it. */
static void assert_sealed(const at_text *t)
{
    char digest[65];
    const char *rest = strchr(t->s, '\n') + 1;
    at_sha256(rest, t->n - (size_t)(rest - t->s), digest);
    assert_non_null(strstr(t->s, digest));
    assert_true(strstr(t->s, digest) < rest);
}

static int times(const char *s, const char *what)
{
    int n = 0;
    for (; (s = strstr(s, what)); s++)
        n++;
    return n;
}

static void cells_are_written(void **state)
{
    (void)state;
    at_err err = {0};
    at_arena a;
    at_cert_made made, again;
    at_arena_init(&a);
    assert_int_equal(make("match2", "N=2 M=4", &a, &made, &err), AT_OK);
    assert_int_equal(make("match2", "N=2 M=4", &a, &again, &err), AT_OK);
    assert_int_equal(made.holds, AT_TRUE);
    assert_true(made.cells == 6 && made.left_out == 0 && made.n_models > 1);
    assert_true(made.text.n == again.text.n && !memcmp(made.text.s, again.text.s, made.text.n));
    assert_sealed(&made.text);
    assert_true(times(made.text.s, "\"role\": ") == made.cells);
    assert_true(times(made.text.s, "\"evidence\": \"exact\"") > 0);
    assert_true(times(made.text.s, "\"evidence\": \"refuted\"") > 0);
    assert_true(times(made.text.s, "\"evidence\": \"certified\"") == 1);
    assert_non_null(strstr(made.text.s, "any j in 1..N: (x[i] + x[j]) mod M == 0"));
    for (int i = 0; i < made.n_models; i++)
        assert_non_null(strstr(made.text.s, made.models[i].hash));
    at_text_release(&made.text);
    at_text_release(&again.text);
    assert_int_equal(make("lemma-a3", NULL, &a, &made, &err),
                     AT_OK); /* data; and balls, which are left out */
    assert_true(made.cells == 2 && made.left_out == 4 && strstr(made.why, "ball"));
    assert_non_null(strstr(made.text.s, "\"data\": {\"A\": [["));
    at_text_release(&made.text);
    at_arena_release(&a);
}

/* Of the histories of fewer than n - 1 words there are 1 + W + ..., each with W + 1 counts; of a transcript, whose each position is. */
static void tables_are_whole(void **state)
{
    (void)state;
    at_err err = {0};
    at_arena a;
    at_cert_made made;
    at_arena_init(&a);
    assert_int_equal(make("ngram-heads", "n=3 W=2 N=4", &a, &made, &err), AT_OK);
    const char *counts = strstr(made.text.s, "\"counts\": [[");
    assert_non_null(counts);
    size_t n = (size_t)(strstr(counts, "]]") - counts);
    int rows = 0, numbers = 1;
    for (size_t i = 11; i < n; i++) {
        rows += counts[i] == '[' && counts[i + 1] != '[';
        numbers += counts[i] == ',';
    }
    assert_int_equal(rows, 1 + 2 + 4);
    assert_int_equal(numbers, 7 * 3);
    at_text_release(&made.text);
    assert_int_equal(make("compose-bound", "n=2", &a, &made, &err), AT_OK);
    const char *owner = strstr(made.text.s, "\"owner\": [");
    assert_non_null(owner);
    assert_memory_equal(owner, "\"owner\": [1, 1, 2, 2, 0]", 24);
    at_text_release(&made.text);
    at_arena_release(&a);
}

/* A control that is right is a fault, and the certificate says so: c = 1 breaks nothing. */
static void a_claim_that_fails(void **state)
{
    (void)state;
    at_err err = {0};
    at_arena a;
    at_cert_made made;
    at_arena_init(&a);
    assert_int_equal(make("match2", "N=3 M=5 c=0.02", &a, &made, &err), AT_OK);
    assert_int_equal(made.holds, AT_FALSE);
    assert_true(times(made.text.s, "\"role\": \"claim\", \"evidence\": \"refuted\"") > 0);
    at_text_release(&made.text);
    at_arena_release(&a);
}

static void what_has_none(void **state)
{
    (void)state;
    at_err err = {0};
    at_arena a;
    at_cert_made made;
    at_arena_init(&a);
    assert_int_equal(make("disjointness", "part=rank n=2 f=disj", &a, &made, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "shows nothing"));
    at_text_release(&made.text);
    at_arena_release(&a);
}

/* A limit: what is shown stands in it, each with its model, and a control's, too. */
static void trials_show(void **state)
{
    (void)state;
    at_err err = {0};
    at_arena a;
    at_cert_made made;
    at_arena_init(&a);
    assert_int_equal(make("compose-bound", "prompts=20 steps=5", &a, &made, &err), AT_OK);
    assert_int_equal(made.holds, AT_TRUE);
    assert_int_equal(made.left_out, 0);
    assert_sealed(&made.text);
    assert_true(times(made.text.s, "\"kind\": \"talk\"") >= 4);
    assert_true(times(made.text.s, "\"kind\": \"pair\"") >= 4);
    assert_int_equal(times(made.text.s, "\"kind\": \"right\""), 1);
    assert_int_equal(times(made.text.s, "\"kind\": \"rule\""), 2);
    assert_int_equal(times(made.text.s, "\"same\": false"), 1); /* sums rounded before they are merged */
    at_text_release(&made.text);
    at_arena_release(&a);
}

/* Extractions show models, what is equal to them as text, and the word on which a control is not. */
static void extractions_show(void **state)
{
    (void)state;
    static const struct {
        const char *id, *set, *language;
    } all[] = {{"ac0", "n=4", "\"language\": \"aag\""},
               {"tc0", "n=4", "\"language\": \"aag\""},
               {"fo-extract", "part=formulas", "\"language\": \"ltl\""}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        at_err err = {0};
        at_arena a;
        at_cert_made made;
        at_arena_init(&a);
        assert_int_equal(make(all[k].id, all[k].set, &a, &made, &err), AT_OK);
        assert_sealed(&made.text);
        assert_true(times(made.text.s, "\"kind\": \"same\"") >= 2);
        assert_true(times(made.text.s, "\"kind\": \"other\"") >= 1);
        assert_true(times(made.text.s, all[k].language) >= 2);
        at_text_release(&made.text);
        at_arena_release(&a);
    }
}

/* Two words that differ in the letter that is named, with their answers; of trained models nothing must follow. */
static void pair_checked(const json_t *shown, int k)
{
    const json_t *one = json_array_get(json_object_get(shown, "inputs"), (size_t)(2 * k)),
                 *two = json_array_get(json_object_get(shown, "inputs"), (size_t)(2 * k + 1)),
                 *right = json_object_get(shown, "right");
    long long odd = 0, letter = json_integer_value(json_object_get(shown, "letter"));
    for (size_t i = 0; i < json_array_size(one); i++) {
        long long x = json_integer_value(json_array_get(one, i)),
                  y = json_integer_value(json_array_get(two, i));
        assert_true(x == 0 || x == 1);
        assert_int_equal(y, (long long)i + 1 == letter ? 1 - x : x);
        odd ^= x;
    }
    assert_int_equal(json_integer_value(json_array_get(right, (size_t)(2 * k))), odd);
    assert_int_equal(json_integer_value(json_array_get(right, (size_t)(2 * k + 1))), 1 - odd);
}

static void pairs_show(void **state)
{
    (void)state;
    at_err err = {0};
    at_arena a;
    at_cert_made made;
    at_arena_init(&a);
    assert_int_equal(make("parity-soft", "N=16", &a, &made, &err), AT_OK);
    json_t *all = json_loads(made.text.s, 0, NULL);
    assert_non_null(all);
    const json_t *cell, *shown;
    size_t c, i, n = 0, free = 0;
    json_array_foreach(json_object_get(all, "cells"), c, cell)
        json_array_foreach(json_object_get(cell, "shown"), i, shown)
    {
        bool trained = strstr(json_string_value(json_object_get(cell, "note")), "(trained)");
        assert_int_equal(json_is_false(json_object_get(shown, "must")), trained);
        free += trained;
        for (int k = 0; k < 3; k++, n++)
            pair_checked(shown, k);
    }
    assert_true(n >= 3 * 8 && free == 1);
    json_decref(all);
    at_text_release(&made.text);
    at_arena_release(&a);
}

/* Texts that need no model, and machines beside theirs: every cell shows some. */
static void texts_show(void **state)
{
    (void)state;
    static const struct {
        const char *id, *set, *kind;
        int number;
    } all[] = {{"lm-tight", NULL, "\"kind\": \"mass\"", 64},
               {"pfsa-cot", "longest=2", "\"kind\": \"sums\"", 17},
               {"crasp-equal", NULL, "\"kind\": \"equal\"", 24}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        at_err err = {0};
        at_arena a;
        at_cert_made made;
        at_arena_init(&a);
        assert_int_equal(make(all[k].id, all[k].set, &a, &made, &err), AT_OK);
        assert_int_equal(made.holds, AT_TRUE);
        assert_int_equal(made.left_out, 0);
        assert_sealed(&made.text);
        assert_int_equal(times(made.text.s, all[k].kind), all[k].number);
        at_text_release(&made.text);
        at_arena_release(&a);
    }
}

static void every_claim_is_cited(void **state)
{
    (void)state;
    for (int i = 0; i < at_n_catalogue; i++) {
        at_text t;
        at_text_init(&t);
        int n = at_cite(at_catalogue[i], "1", "build", "2026", &t);
        if (!n)
            fail_msg("no source of %s is known: %s", at_catalogue[i]->id, at_catalogue[i]->source);
        assert_int_equal(times(t.s, "@"), n + 1);
        assert_int_equal(times(t.s, "{"), times(t.s, "}"));
        assert_null(strpbrk(t.s, "^~<>|$#%&")); /* TeX: behind a backslash, or in words */
        for (const char *at = t.s; (at = strchr(at, '_')); at++)
            assert_int_equal(at[-1], '\\');
        at_text_release(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_written),    cmocka_unit_test(tables_are_whole),
        cmocka_unit_test(a_claim_that_fails),   cmocka_unit_test(what_has_none),
        cmocka_unit_test(trials_show),          cmocka_unit_test(pairs_show),
        cmocka_unit_test(extractions_show),     cmocka_unit_test(texts_show),
        cmocka_unit_test(every_claim_is_cited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
