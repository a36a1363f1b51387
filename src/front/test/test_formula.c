/* test_formula.c: random formulas, compiled and run on all short words, against what they mean (at_formulas_run).
 *
 * Every operator, every place where a formula is read, every kind of attention, and counts of every mask occur, which is counted; broken
 * constructions (a strict mask that sees itself, a comparison too flat, no order among keys) must be noticed. */
#include <attest/front.h>

#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 4, LETTERS = 2 };

typedef struct {
    at_formulas *f;
    at_rng r;
    int seen[AT_F_OPS];
} maker;

static int below(maker *k, int n)
{
    return (int)at_rng_below(&k->r, (uint64_t)n);
}

static at_formula *part(maker *k, at_formula x)
{
    k->seen[x.op]++;
    return at_formula_make(k->f, x);
}

static at_formula *truth(maker *k, int depth);

static at_formula *number(maker *k, int depth)
{
    if (depth <= 0 || !below(k, 5))
        return part(k, (at_formula){.op = AT_F_NUMBER, .value = below(k, 7) - 3});
    at_formula *a, *b;
    switch (below(k, 8)) {
    case 0:
        a = number(k, depth - 1);
        return part(k, (at_formula){.op = AT_F_ADD, .arg = {a, number(k, depth - 1)}});
    case 1:
        a = number(k, depth - 1);
        return part(k, (at_formula){.op = AT_F_SUB, .arg = {a, number(k, depth - 1)}});
    case 2:
        return part(k,
                    (at_formula){.op = AT_F_TIMES, .value = below(k, 5) - 2, .arg = {number(k, depth - 1)}});
    case 3:
        a = number(k, depth - 1);
        return part(k,
                    (at_formula){.op = below(k, 2) ? AT_F_MIN : AT_F_MAX, .arg = {a, number(k, depth - 1)}});
    case 4:
        a = truth(k, depth - 1);
        b = number(k, depth - 1);
        return part(k, (at_formula){.op = AT_F_IF, .arg = {a, b, number(k, depth - 1)}});
    default:
        a = truth(k, depth - 1);
        return part(k, (at_formula){.op = AT_F_COUNT, .see = (at_see)below(k, AT_SEES), .arg = {a}});
    }
}

/* Of i and j. */
static at_formula *pair(maker *k, int depth)
{
    if (depth <= 0 || !below(k, 4)) {
        if (!below(k, 3))
            return part(k, (at_formula){.op = AT_F_LETTER, .index = below(k, LETTERS)});
        if (k->f->n_names && !below(k, 3)) {
            int d = below(k, k->f->n_names);
            if (!at_formula_is_number(k->f, k->f->names[d].body))
                return part(k, (at_formula){.op = AT_F_NAME, .index = d, .other = below(k, 2)});
        }
        return part(k, (at_formula){.op = AT_F_LETTER, .index = below(k, LETTERS), .other = true});
    }
    at_formula *a = pair(k, depth - 1);
    at_formula_op op = AT_F_NOT + (at_formula_op)below(k, 5);
    return part(k, (at_formula){.op = op, .arg = {a, op == AT_F_NOT ? NULL : pair(k, depth - 1)}});
}

static at_formula *truth(maker *k, int depth)
{
    if (depth <= 0 || !below(k, 6)) {
        if (!below(k, 6))
            return part(k, (at_formula){.op = AT_F_CLASS, .modulus = 2 + below(k, 2), .index = below(k, 2)});
        if (!below(k, 8))
            return part(k, (at_formula){.op = AT_F_SET, .index = below(k, 2)});
        if (!below(k, 8))
            return part(k, (at_formula){.op = AT_F_CONST, .value = below(k, 2)});
        return part(k, (at_formula){.op = AT_F_LETTER, .index = below(k, LETTERS)});
    }
    at_formula *a, *b;
    at_formula_op op = AT_F_NOT + (at_formula_op)below(k, AT_F_CONGRUENT + 1 - AT_F_NOT);
    if (op == AT_F_FIND) {
        a = pair(k, 2);
        b = pair(k, 2);
        return part(k, (at_formula){.op = op,
                                    .see = (at_see)below(k, AT_SEES),
                                    .first = below(k, 2),
                                    .arg = {a, b, truth(k, depth - 1)}});
    }
    if (op >= AT_F_LESS && op <= AT_F_EQUAL) {
        a = number(k, depth - 1);
        return part(k, (at_formula){.op = op, .arg = {a, number(k, depth - 1)}});
    }
    if (op == AT_F_CONGRUENT) {
        int m = 2 + below(k, 3);
        return part(
            k, (at_formula){.op = op, .modulus = m, .index = below(k, m), .arg = {number(k, depth - 1)}});
    }
    a = truth(k, depth - 1);
    bool one =
        op == AT_F_NOT || (op >= AT_F_PREVIOUS && op <= AT_F_HENCE) || (op >= AT_F_NEXT && op <= AT_F_ALWAYS);
    return part(k, (at_formula){.op = op, .arg = {a, one ? NULL : truth(k, depth - 1)}});
}

/* Words to length N on which a model says otherwise; -1: it is refused. */
static int wrong(const at_formulas *f, const at_formulas_options *o, at_err *err)
{
    at_model m;
    if (at_formulas_model(f, N, o, &m, err))
        return -1;
    int bad = 0;
    for (int n = f->at == AT_AT_LAST || f->at == AT_AT_FIRST; n <= N; n++)
        for (int x = 0; x < 1 << n; x++) {
            int word[N];
            double in[N];
            at_arena a;
            at_output y;
            at_tri v;
            at_arena_init(&a);
            for (int i = 0; i < n; i++)
                in[i] = word[i] = x >> i & 1;
            assert_int_equal(at_formulas_run(f, word, n, &v, err), AT_OK);
            assert_true(v != AT_UNKNOWN);
            if (at_run(&m, at_f64, &(at_input){n, in}, NULL, &a, &y, err))
                fail_msg("%s", err->text);
            bad += (y.value[0] > 0.5) != (v == AT_TRUE);
            at_arena_release(&a);
        }
    at_model_release(&m);
    return bad;
}

static const at_alphabet ab = {LETTERS, (const char *const[]){"a", "b"}};

static void draw(maker *k, uint64_t seed, at_arena *a)
{
    at_err err = {0};
    k->r = at_rng_at(seed, 0);
    assert_int_equal(at_formulas_new(&ab, a, &k->f, &err), AT_OK);
    bool in[AT_FORMULA_LONGEST + 1] = {0};
    for (int i = 1; i <= N; i++)
        in[i] = below(k, 2);
    at_formulas_set(k->f, "set", in);
    in[2] = !in[2];
    at_formulas_set(k->f, "other", in);
    for (int d = below(k, 3); d > 0; d--)
        at_formulas_define(k->f, d == 1 ? "P" : "Q", truth(k, 2));
    k->f->accept = truth(k, 1 + below(k, 4));
    k->f->at = (at_read_at)below(k, AT_ATS);
    k->f->attend = (at_formula_attend)below(k, AT_ATTENDS);
    k->f->strict = below(k, 2);
    if (at_formulas_status(k->f, &err))
        fail_msg("%s", err.text);
}

static void test_random(void **state)
{
    (void)state;
    maker k = {0};
    int refused = 0, made = getenv("FORMULAS") ? atoi(getenv("FORMULAS")) : 600;
    for (int seed = 0; seed < made; seed++) {
        at_arena a;
        at_err err = {0};
        at_arena_init(&a);
        draw(&k, (uint64_t)seed, &a);
        int bad = wrong(k.f, NULL, &err);
        if (bad > 0)
            fail_msg("seed %d: %d words wrong", seed, bad);
        if (bad < 0)
            print_message("seed %d: %s\n", seed, err.text);
        refused += bad < 0;
        at_arena_release(&a);
    }
    print_message("%d formulas right on all words to length %d, %d refused\n", made - refused, N, refused);
    assert_true(refused * 50 <= made);
    for (int op = AT_F_CONST; op < AT_F_OPS; op++)
        assert_true(k.seen[op] > 0 || made < 600);
}

/* #a = #b, and at no prefix #a < #b: Dyck words. */
static void dyck(maker *k, at_arena *a)
{
    at_err err = {0};
    assert_int_equal(at_formulas_new(&ab, a, &k->f, &err), AT_OK);
    at_formula *up = at_formula_make(
        k->f, (at_formula){.op = AT_F_COUNT, .see = AT_SEE_UPTO, .arg = {at_formula_letter(k->f, 0)}});
    at_formula *down = at_formula_make(
        k->f, (at_formula){.op = AT_F_COUNT, .see = AT_SEE_UPTO, .arg = {at_formula_letter(k->f, 1)}});
    at_formula *bad = at_formula_two(k->f, AT_F_LESS, up, down);
    at_formula *ever =
        at_formula_make(k->f, (at_formula){.op = AT_F_COUNT, .see = AT_SEE_UPTO, .arg = {bad}});
    at_formula *never = at_formula_two(k->f, AT_F_EQUAL, ever, at_formula_number(k->f, 0));
    k->f->accept = at_formula_two(k->f, AT_F_AND, never, at_formula_two(k->f, AT_F_EQUAL, up, down));
    k->f->at = AT_AT_END;
}

static void test_dyck(void **state)
{
    (void)state;
    maker k = {0};
    at_arena a;
    at_err err = {0};
    at_arena_init(&a);
    dyck(&k, &a);
    assert_int_equal(wrong(k.f, NULL, &err), 0);
    int bad = wrong(k.f, &(at_formulas_options){.slope = 1.0 / 6}, &err);
    print_message("comparisons six times too flat: %d words wrong\n", bad);
    assert_true(bad > 0);
    at_arena_release(&a);
}

/* Each broken construction is noticed on some of the formulas. */
static void test_broken(void **state)
{
    (void)state;
    static const at_formulas_options broken[] = {{.causal = true}, {.unsorted = true}};
    for (size_t b = 0; b < sizeof broken / sizeof *broken; b++) {
        int noticed = 0, refused = 0;
        maker k = {0};
        for (uint64_t seed = 0; seed < 300; seed++) {
            at_arena a;
            at_err err = {0};
            at_arena_init(&a);
            draw(&k, seed, &a);
            int bad = wrong(k.f, &broken[b], &err);
            noticed += bad > 0;
            refused += bad < 0;
            at_arena_release(&a);
        }
        print_message("broken construction %zu: noticed %d of 300 times, %d refused\n", b, noticed, refused);
        assert_true(noticed > 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_dyck),
                                       cmocka_unit_test(test_broken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
