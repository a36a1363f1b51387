/* test_sscm.c: counter machines: random ones against a machine that steps, written here; printed and read again; what is refused. */
#include <attest/lang.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "count_test.h"

enum { COUNTERS = 2, LETTERS = 3, ATOMS = 4 };

/* accept: atoms joined one after the other, a and b or c and d, brackets where `open` says. */
typedef struct {
    int step[COUNTERS][LETTERS];
    int n;
    struct {
        bool last, not, join_and;
        int k[COUNTERS], sign, to; /* k x <sign> to */
        unsigned set;              /* of last letters; 0: none */
    } atom[ATOMS];
} machine;

static bool compare(int a, int sign, int b)
{
    return sign == 0   ? a < b
           : sign == 1 ? a <= b
           : sign == 2 ? a == b
           : sign == 3 ? a != b
           : sign == 4 ? a >= b
                       : a > b;
}

/* confused: a control: the last step is forgotten. */
static bool steps(const machine *m, const int *word, int n, bool confused)
{
    int c[COUNTERS] = {0};
    for (int i = 0; i < n - confused; i++)
        for (int k = 0; k < COUNTERS; k++)
            c[k] += m->step[k][word[i]];
    bool value = false;
    for (int a = 0; a < m->n; a++) {
        bool here;
        if (m->atom[a].last)
            here = m->atom[a].set ? n && (m->atom[a].set >> word[n - 1] & 1) : !n;
        else
            here = compare(m->atom[a].k[0] * c[0] + m->atom[a].k[1] * c[1], m->atom[a].sign, m->atom[a].to);
        here ^= m->atom[a].not ;
        value = !a ? here : m->atom[a].join_and ? value && here : value || here;
    }
    return value;
}

static void draw(machine *m, uint64_t seed, at_rng *r)
{
    *r = at_rng_at(51, seed);
    *m = (machine){.n = 1 + (int)at_rng_below(r, ATOMS)};
    for (int k = 0; k < COUNTERS; k++)
        for (int c = 0; c < LETTERS; c++)
            m->step[k][c] = (int)at_rng_below(r, 7) - 3;
    for (int a = 0; a < m->n; a++) {
        m->atom[a].last = !at_rng_below(r, 3);
        m->atom[a].not = !at_rng_below(r, 4);
        m->atom[a].join_and = at_rng_below(r, 2);
        m->atom[a].sign = (int)at_rng_below(r, 6);
        m->atom[a].to = (int)at_rng_below(r, 5) - 2;
        m->atom[a].set = (unsigned)at_rng_below(r, 1 << LETTERS);
        for (int k = 0; k < COUNTERS; k++)
            m->atom[a].k[k] = (int)at_rng_below(r, 5) - 2;
    }
}

static void put(const machine *m, at_rng *r, at_text *t)
{
    static const char *const signs[] = {"<", "<=", "=", "!=", ">=", ">"}, names[] = "xy";
    at_text_add(t, "alphabet a b (\ncounters x y\n");
    for (int c = 0; c < LETTERS; c++) {
        at_text_addf(t, "%s:", c == 2 ? (at_rng_below(r, 2) ? "(" : "\"(\"") : c ? "b" : "a");
        for (int k = 0; k < COUNTERS; k++)
            if (m->step[k][c])
                at_text_addf(t, " %c%+d", names[k], m->step[k][c]);
        at_text_add(t, at_rng_below(r, 2) ? " ; " : "\n");
    }
    at_text_add(t, "\naccept ");
    for (int a = 1; a < m->n; a++)
        at_text_add(t, "(");
    for (int a = 0; a < m->n; a++) {
        if (a)
            at_text_add(t, m->atom[a].join_and ? " and " : " or ");
        at_text_add(t, m->atom[a].not ? "not " : "");
        if (!m->atom[a].last)
            at_text_addf(t, "(%d x + %d y %s %d)", m->atom[a].k[0], m->atom[a].k[1], signs[m->atom[a].sign],
                         m->atom[a].to);
        else if (!m->atom[a].set)
            at_text_add(t, "last is none");
        else {
            bool any = false;
            at_text_add(t, "last in {");
            for (int c = 0; c < LETTERS; c++)
                if (m->atom[a].set >> c & 1) {
                    at_text_addf(t, "%s%c", any ? ", " : "", "ab("[c]);
                    any = true;
                }
            at_text_add(t, "}");
        }
        if (a)
            at_text_add(t, ")");
    }
    at_text_add(t, "\n");
}

static at_formulas *read_text(const char *text)
{
    return formulas_read(at_sscm_read, text);
}

static at_formulas *again(const at_formulas *f)
{
    return formulas_again(at_sscm_read, at_sscm_print, f);
}

/* 200 random machines on all words over three letters to length 5. */
static void test_random(void **state)
{
    (void)state;
    int yes = 0, words = 0, noticed = 0;
    for (int s = 0; s < 200; s++) {
        machine m;
        at_rng r;
        at_text t;
        at_text_init(&t);
        draw(&m, (uint64_t)s, &r);
        put(&m, &r, &t);
        at_formulas *f = read_text(t.s), *g = again(f);
        bool differs = false;
        for (int n = 0, all = 1; n <= 5; n++, all *= LETTERS)
            for (int k = 0; k < all; k++) {
                int w[5];
                for (int i = 0, x = k; i < n; i++, x /= LETTERS)
                    w[i] = x % LETTERS;
                bool is = steps(&m, w, n, false);
                if (accepts(f, w, n) != is || accepts(g, w, n) != is)
                    fail_msg("%s\non word %d of length %d: %d", t.s, k, n, is);
                differs |= steps(&m, w, n, true) != is;
                yes += is;
                words++;
            }
        noticed += differs;
        at_text_release(&t);
        at_arena_release(&arena);
        at_arena_init(&arena);
    }
    assert_true(yes > words / 5 && yes < words * 4 / 5);
    assert_true(noticed > 100);
}

static void test_printed(void **state)
{
    (void)state;
    at_text t;
    at_text_init(&t);
    at_sscm_print(
        read_text("alphabet a b c\nattention average\ncounters x y # two\na: x+1 ; b: x-1 y+1\nc: y-2\n"
                  "accept x = 0 and y >= 0 and\n 2x - y <= 3 and last in {a, c} or last is none\n"),
        &t);
    assert_string_equal(
        t.s, "alphabet a b c\naccept end\nattention average\ncounters x y\na: x+1\nb: x-1 y+1\nc: y-2\n"
             "accept x = 0 and 0 <= y and 2 x - y <= 3 and last in {a, c} or last is none\n");
    at_text_release(&t);
    at_formulas *f = again(
        read_text("alphabet \":;,\"\ncounters x\n:: x+1; \";\": x-1\naccept x = 0 and not last is ,\n"));
    assert_true(accepts(f, (int[]){0, 2, 1}, 3));
    assert_false(accepts(f, (int[]){0, 1, 2}, 3));
    assert_true(accepts(f, NULL, 0));
    f = again(read_text("alphabet a none\ncounters x\na: x+1\naccept last is none"));
    assert_true(accepts(f, NULL, 0));
    assert_false(accepts(f, (int[]){0, 1}, 2));
    f = again(read_text("alphabet a none\ncounters x\na: x+1\naccept last is \"none\""));
    assert_false(accepts(f, NULL, 0));
    assert_true(accepts(f, (int[]){0, 1}, 2));
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"counters x\naccept x = 0", "x.sscm:1:1: no alphabet"},
        {"alphabet a b\ncounters x\n", "no line accept"},
        {"alphabet a b\ncounters x\nc: x+1\naccept x = 0",
         "x.sscm:3:1: 'c' is no letter of the alphabet: a b"},
        {"alphabet a b\ncounters x\na: y+1\naccept x = 0", "x.sscm:3:4: 'y' is no counter"},
        {"alphabet a b\ncounters x\na: x*2\naccept x = 0", "+ or - and how much is missing before '*'"},
        {"alphabet a b\ncounters x\na: x+1\na: x+1\naccept x = 0",
         "x.sscm:4:1: the letter 'a' has two lines"},
        {"alphabet a b\ncounters x\na: x+1 x+1\naccept x = 0", "two steps of one counter"},
        {"alphabet a b\ncounters x x\naccept x = 0", "x.sscm:2:12: the counter 'x' stands twice"},
        {"alphabet a b\ncounters last\naccept true", "'last' is no name for a counter"},
        {"alphabet a b\ncounters count\naccept cuont = 0",
         "x.sscm:3:8: 'cuont' is no counter; did you mean 'count'?"},
        {"alphabet a b\ncounters x\naccept x", "a number stands where a truth must"},
        {"alphabet a b\ncounters x\naccept x mod 2 = 0", "counters are compared, not divided"},
        {"alphabet a b\ncounters x\naccept last in a", "last in {a, c}, last is a or last is none"},
        {"alphabet a b\ncounters x\naccept last in {a b}", "is missing"},
        {"alphabet a b\ncounters x\naccept last in {c}", "'c' is no letter of the alphabet"},
        {"alphabet a b\naccept last\ncounters x\naccept x = 0", "a counter machine decides at the end"},
        {"alphabet a b\ncounters x\naccept x = 0\na: x+1", "x.sscm:4:1: accept is the last line"},
        {"alphabet a b\ncounters x\nnonsense\naccept x = 0", "a line is counters x y, a: x+1 y-2, or accept"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        at_formulas *f;
        int longest;
        err = (at_err){0};
        if (at_sscm_read(at_arena_strdup(&arena, bad[k].text), "x.sscm", &arena, &f, &longest, &err) !=
                AT_EINPUT ||
            !strstr(err.text, bad[k].says))
            fail_msg("%s\n%s", bad[k].text, err.text);
    }
    at_text t;
    at_formulas *f;
    int longest;
    err = (at_err){0};
    at_text_init(&t);
    at_text_add(&t, "alphabet a b\ncounters x\naccept ");
    while (t.n < 1 << 20)
        at_text_add(&t, "(");
    assert_int_equal(at_sscm_read(t.s, "x.sscm", &arena, &f, &longest, &err), AT_EINPUT);
    if (!strstr(err.text, "nested more than 200 deep"))
        fail_msg("%s", err.text);
    at_text_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_printed, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(test_refused, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
