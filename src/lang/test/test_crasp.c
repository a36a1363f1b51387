/* test_crasp.c: C-RASP and K_t[#]: random programs against a judge written here (crasp_random.h), printed and read again, known
 * languages, the files of the public interpreter, and what is refused. */
#include <attest/lang.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "count_test.h"
#include "crasp_random.h"

static at_formulas *read_text(const char *text, bool cr)
{
    return formulas_read(cr ? at_cr_read : at_crasp_read, text);
}

static at_formulas *again(const at_formulas *f)
{
    return formulas_again(at_crasp_read, at_crasp_print, f);
}

/* 400 random programs, half of them with classes and single positions too: the reference agrees with the judge on all words over two
 * letters to length 6, and so does what is printed. A judge that takes strict masks for others must disagree with many. */
static void test_random(void **state)
{
    (void)state;
    int yes = 0, words = 0, noticed = 0, seen[CR_OPS] = {0}, masks[6] = {0};
    for (int t = 0; t < 400; t++) {
        cr_program p;
        at_text text;
        at_text_init(&text);
        cr_draw(&p, 31, (uint64_t)t, t % 2, &arena);
        bool end = t % 3 == 0;
        cr_text(&p, end ? "accept end\n" : "", &text);
        at_formulas *f = read_text(text.s, false), *g = again(f);
        bool differs = false;
        for (int n = !end; n <= 6; n++)
            for (int k = 0; k < 1 << n; k++) {
                int w[CR_WORD];
                for (int i = 0; i < n; i++)
                    w[i] = k >> i & 1;
                bool is = cr_accepts(&p, w, n, n + end, false);
                if (accepts(f, w, n) != is)
                    fail_msg("%s\non word %d of length %d: %d", text.s, k, n, is);
                assert_int_equal(accepts(g, w, n), is);
                differs |= cr_accepts(&p, w, n, n + end, true) != is;
                yes += is;
                words++;
            }
        noticed += differs;
        for (int k = 0; k < CR_OPS; k++)
            seen[k] += p.seen[k];
        for (int k = 0; k < 6; k++)
            masks[k] += p.masks[k];
        at_text_release(&text);
        at_arena_release(&arena);
        at_arena_init(&arena);
    }
    for (int k = 0; k < CR_OPS; k++)
        assert_true(seen[k] > 20);
    for (int k = 0; k < 6; k++)
        assert_true(masks[k] > 20);
    assert_true(yes > words / 5 && yes < words * 4 / 5);
    assert_true(noticed > 20);
}

/* ---- known languages ---------------------------------------------------------------------------------------------------------- */

static bool is_dyck(const int *w, int n)
{
    int d = 0;
    for (int i = 0; i < n; i++)
        if ((d += w[i] ? -1 : 1) < 0)
            return false;
    return d == 0;
}

static bool is_majority(const int *w, int n)
{
    int d = 0;
    for (int i = 0; i < n; i++)
        d += w[i] ? 1 : -1;
    return d > 0;
}

static bool is_block(const int *w, int n)
{
    for (int i = 0; i < n; i++)
        if (w[i] != i * 3 / n)
            return false;
    return n % 3 == 0;
}

static bool is_abba(const int *w, int n) /* as a subsequence */
{
    static const int abba[] = {0, 1, 1, 0};
    int k = 0;
    for (int i = 0; i < n; i++)
        k += k < 4 && w[i] == abba[k];
    return k == 4;
}

static bool has_ab(const int *w, int n)
{
    for (int i = 1; i < n; i++)
        if (w[i - 1] == 0 && w[i] == 1)
            return true;
    return false;
}

static bool is_even_as(const int *w, int n)
{
    for (int i = 0; i < n; i++)
        if (w[i])
            return false;
    return n % 2 == 0;
}

static bool is_deep(const int *w, int n) /* some a with two b before it */
{
    int b = 0;
    for (int i = 0; i < n; i++) {
        b += w[i] == 1;
        if (w[i] == 0 && b >= 2)
            return true;
    }
    return false;
}

#define DYCK                                                                                                 \
    "A(i) := # [j <= i] Q_((j)   # counts\nB(i) := # [j <= i] Q_)(j)\nV(i) := A(i) < B(i)\n"                 \
    "C(i) := # [j <= i] V(j)\n"

static void test_known(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool cr;
        int letters, most;
        bool (*is)(const int *w, int n);
    } known[] = {
        {"alphabet ( )\n" DYCK "Y(i) := C(i) = 0 and A(i) = B(i)\n", false, 2, 10, is_dyck},
        {"alphabet ( )\n" DYCK "Y(i) := C(i) = 0 and A(i) = B(i)\nN(i) := not Y(i)\naccept Y\n", false, 2, 10,
         is_dyck},
        {"alphabet \"()\"\naccept end\n" DYCK "accept C = 0 & A == B", false, 2, 10, is_dyck},
        {"alphabet ( )\n#[#[Q[\"(\"]] < #[Q[\")\"]]] = 0\nand #[Q_(] = #[Q_)]\n", false, 2, 10, is_dyck},
        {"alphabet 0 1\nA = #[Q_0]; B = #[Q_1]\nA < B", false, 2, 10, is_majority},
        {"alphabet a b c\nBC(i) := #[j<=i] (Q_b(j) | Q_c(j)); C(i) := #[j<=i] Q_c(j)\n"
         "A(i) := #[j<=i] (Q_a(j) & BC(j) = 0); B(i) := #[j<=i] (Q_b(j) & C(j) = 0)\n"
         "Y(i) := A(i) = #[j<=i] Q_a(j) and B(i) = #[j<=i] Q_b(j) and\n"
         "        A(i) = B(i) and B(i) = C(i)\n",
         false, 3, 7, is_block},
        {"A = #[Q_a]\nAB = #[Q_b & A > 0]\nABB = #[Q_b & AB > 1]\n#[Q_a & ABB > 0] > 0", false, 2, 9,
         is_abba},
        {"#[Q_a & #[Q_b] >= 2] > 0", false, 2, 9, is_deep},
        {"alphabet a b\n#[Qa & #[\"b\"] >= 2] > 0", false, 2, 9, is_deep},
        {"alphabet a b\nP(i) := # [j = i - 1] Q_a(j)\n# [j <= i] (Q_b(j) and P(j) >= 1) >= 1", false, 2, 9,
         has_ab},
        {"alphabet a b\ni mod 2 = 0 and #[!Q_a] = 0", false, 2, 9, is_even_as},
        {"// a comment\n#import pred\n\nafter = #[pred] \"a\"\nab = \"b\" && (after == 1)   // here\nhas = "
         "(# ab) > 0\n",
         true, 2, 9, has_ab},
        {"//! alphabet a b\n#import pos_even\nothers = # !\"a\"\nY = !pos_even && (others == 0)\n", true, 2,
         9, is_even_as},
        {"up = # \"(\"\ndown = # \")\"\nunder = up < down\never = # under\nfine = (ever == 0) && (up == "
         "down)\n",
         true, 2, 10, is_dyck},
        {"//! alphabet 0 1\nones = (# \"1\" - 1 if \"1\" else # \"1\") + (1 if \"1\" else 0)\n"
         "others = 2 * # true - # true - ones\nY = others != ones && max(ones, others) == ones\n",
         true, 2, 9, is_majority},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        at_formulas *f = read_text(known[k].text, known[k].cr), *g = again(f);
        assert_int_equal(f->sigma.n, known[k].letters);
        int all = 1, yes = 0;
        for (int n = 0; n <= known[k].most; n++, all *= known[k].letters)
            for (int x = 0; x < all && (n || f->at == AT_AT_END); x++) {
                int w[16];
                for (int i = 0, v = x; i < n; i++, v /= known[k].letters)
                    w[i] = v % known[k].letters;
                bool is = known[k].is(w, n);
                if (accepts(f, w, n) != is || accepts(g, w, n) != is)
                    fail_msg("%s\non word %d of length %d", known[k].text, x, n);
                yes += is;
            }
        assert_true(yes > 0);
    }
}

/* Printed forms, as they are. */
static void test_printed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool cr;
        const char *printed;
    } rows[] = {
        {"#[Q_a & #[Q_b] >= 2] > 0", false,
         "alphabet a b\naccept last\n0 < # [j <= i] (Q_a(j) and 2 <= # [k <= j] Q_b(k))\n"},
        {"#[2 <= #[Q_b]] + #[1 < #[Q_a]] > #[1]", false,
         "alphabet a b\naccept last\n# [j <= i] true < # [j <= i] (2 <= # [k <= j] Q_b(k)) + # [j <= i] (1 < "
         "# [k <= j] Q_a(k))\n"},
        {"alphabet ( )\naccept end\nA(i) = #[1] Q_((j) ; B(i) := 2 A(i) - (3 - 1) != 4 | !(A(i) < 1 & true)",
         false,
         "alphabet ( )\naccept end\nA(i) := # [1] Q[\"(\"](j)\n"
         "B(i) := not 2 A(i) - (3 - 1) = 4 or not (A(i) < 1 and true)\n"},
        {"#import pred4\nx = \"a\" && (#[pred4] (\"b\" || \"a\") == 1)", true,
         "alphabet a b\naccept last\nx(i) := Q_a(i) and # [j = i - 4] (Q_b(j) or Q_a(j)) = 1\n"},
        {"attention average\nA = if Q_a then 1 else -2\nmin(A, 3) + -A <= -(2 A) - -1", false,
         "alphabet a\naccept last\nattention average\nA(i) := if Q_a(i) then 1 else -2\n"
         "accept min(A(i), 3) + -1 A(i) <= -2 A(i) - -1\n"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_text t;
        at_text_init(&t);
        at_formulas *f = read_text(rows[k].text, rows[k].cr);
        at_crasp_print(f, &t);
        assert_string_equal(t.s, rows[k].printed);
        at_text_release(&t);
        again(f);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool cr;
        const char *says;
    } bad[] = {
        {"", false, "x.crasp:1:1: no letters; begin with a line alphabet a b"},
        {"alphabet a b\n", false, "nothing is defined"},
        {"alphabet a b\nA(i) := # [j <= i] Q_c(j)\n", false,
         "x.crasp:2:22: 'c' is no letter of the alphabet: a b"},
        {"alphabet a b\nCount(i) := #[j<=i] Q_a(j)\nY(i) := Cuont(i) = 0", false,
         "x.crasp:3:9: 'Cuont' is not defined; did you mean 'Count'?"},
        {"alphabet a b\nA(i) := # [j <= i] Q_a(i)\n", false, "x.crasp:2:24: this is said of j"},
        {"alphabet a b\nA(i) := Q_a(j)\n", false, "x.crasp:2:13: this is said of i"},
        {"alphabet a b\n#[Q_a(i)] > 0\n", false, "no position has a name; leave (i) out"},
        {"alphabet a b\nA(i) := # [j <= i] Q_a(j)\n", false, "the last definition, A, is a number"},
        {"alphabet a b\nA(i) := Q_a(i)\nA(i) := Q_b(i)\n", false, "x.crasp:3:1: 'A' is defined twice"},
        {"alphabet a b\nA(i) := Q_a(i) + 1\n", false, "x.crasp:2:9: a truth stands where a number must"},
        {"alphabet a b\nA(i) := #[Q_a] and Q_b\n", false, "x.crasp:2:9: a number stands where a truth must"},
        {"alphabet a b\nA(i) := # [j = i] Q_a(j) > 0\n", false,
         "a mask is 1, j < i, j <= i, j > i, j >= i or j = i - 4"},
        {"alphabet a b\nA(i) := # [j = i - 65] Q_a(j) > 0\n", false, "at most 64 positions back"},
        {"alphabet a b\nA(i) := # [i <= i] Q_a(i) > 0\n", false, "a name of its own"},
        {"alphabet a b\n#[Q_a] mod 2 = 0\n", false, "C-RASP has no congruences of counts; FOC[MOD;+] has"},
        {"alphabet a b\n0 < #[Q_a] < 3\n", false, "one comparison at a time"},
        {"alphabet a b\n#[Q_a] < 10000000\n", false, "a number beyond 1000000"},
        {"alphabet a b\n(#[Q_a] > 0\n", false, ") is missing"},
        {"alphabet a b\n#[Q_a > 0\n", false, "x.crasp:2:3: a truth stands where a number must"},
        {"alphabet a b\n#[Q_a\n", false, "] is missing"},
        {"alphabet a b\nQ_a Q_b\n", false, "x.crasp:2:5: the end of the statement is missing before 'Q_b'"},
        {"alphabet a b\nj(i) := Q_a(i)\n", false, "'j' cannot be defined"},
        {"alphabet a b\nQ_a(i) := Q_b(i)\n", false, "Q_ begins a letter"},
        {"alphabet a b\nQ_a\nQ_b\n", false, "x.crasp:3:1: another truth"},
        {"alphabet a b\nA = Q_a\naccept A\naccept A", false, "a second accept"},
        {"alphabet a b\nA = i\n", false, "of a position only its class is known"},
        {"alphabet a b\nsemantics strict\nQ_a\n", false, "semantics is of LTL"},
        {"alphabet \"a\"b\"\nQ_a\n", false, "a letter with a quote"},
        {"alphabet x a\"b\nQ_x\n", false, "a letter with a quote"},
        {"x = # \"a\"\n#import succ\n", true, "x.crasp:2:9: 'succ' is no predicate that is known"},
        {"x = (#[pred] \"a\") > 0\n", true, "x.crasp:1:8: 'pred' is no imported predicate"},
        {"x = Q_a && \"a\"\n", true, "'Q_a' is not defined; a letter is written \"a\""},
        {"\"a\"\n", true, "a statement is NAME = value"},
        {"x = 1 if \"a\"\ny = x > 0", true, "else is missing"},
        {"//! nonsense\nx = \"a\"", true, "//! is followed by alphabet"},
        {"x = \"a b\"", true, "a letter has 1 to 31 bytes"},
        {"x = \"a#b\"", true, "a letter of several characters has no \", ; or #"},
        {"\"a;b\"", false, "a letter of several characters has no \", ; or #"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        at_formulas *f;
        int longest;
        char *copy = at_arena_strdup(&arena, bad[k].text);
        err = (at_err){0};
        if ((bad[k].cr ? at_cr_read : at_crasp_read)(copy, "x.crasp", &arena, &f, &longest, &err) !=
                AT_EINPUT ||
            !strstr(err.text, bad[k].says))
            fail_msg("%s\n%s", bad[k].text, err.text);
    }
}

/* A megabyte of brackets, of not, of counts and of minus; definitions that double, of which nothing may be worked out twice. */
static void test_large(void **state)
{
    (void)state;
    static const char *const parts[] = {"(", "not ", "!", "#[", "-", "if ", "min(", "# [j <= i] "};
    size_t n = 1 << 20;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        at_text t;
        at_formulas *f;
        int longest;
        at_text_init(&t);
        at_text_add(&t, "alphabet a b\n");
        while (t.n < n)
            at_text_add(&t, parts[k]);
        err = (at_err){0};
        assert_int_equal(at_crasp_read(t.s, "x.crasp", &arena, &f, &longest, &err), AT_EINPUT);
        if (!strstr(err.text, "nested more than 200 deep") &&
            !strstr(err.text, "relates a new position to j"))
            fail_msg("%s: %s", parts[k], err.text);
        at_text_release(&t);
    }
    at_text t;
    at_text_init(&t);
    at_text_add(&t, "alphabet a b\nA0 = Q_a\n");
    for (int k = 1; k < 400; k++)
        at_text_addf(&t, "A%d = A%d & (A%d | Q_b)\n", k, k - 1, k - 1);
    at_formulas *f = read_text(t.s, false);
    assert_int_equal(at_formula_depth(f, f->accept), 0);
    assert_false(at_formula_looks(f, f->accept, true));
    assert_true(accepts(f, (int[]){0}, 1));
    assert_false(accepts(f, (int[]){1}, 1));
    at_text_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_known, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_printed, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_large, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
