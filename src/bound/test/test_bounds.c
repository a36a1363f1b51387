/* test_bounds.c: the whole list of bounds at once: starts and least sizes agree with verdicts, hypotheses are refused in words, memory
 * may run out. */
#include "bound_test.h"
#include "../../core/test/test_evidence.h"

#include <math.h>

static at_params params_of(const char *id, const char *set)
{
    const at_bound *b = at_bound_find(id);
    assert_non_null(b);
    at_params p;
    at_params_init(&p, b->params, b->n_params);
    OK(at_params_parse(&p, set, &err));
    return p;
}

/* Outside the hypotheses, and outside a row, nothing binds. */
static bool binds_with(const at_bound *b, const at_params *p, const char *name, double x)
{
    at_params q = *p;
    bool out = false;
    at_err err = {0};
    if (at_params_set(&q, name, x, NULL) != AT_OK)
        return false;
    at_status s = at_bound_binds(b, &q, &out, &err);
    assert_true(s == AT_OK || s == AT_EDOMAIN);
    return s == AT_OK && out;
}

/* Settings: each bound near where it bites, and far from it. */
static const struct {
    const char *id, *set;
} settings[] = {
    {"match3-hard", ""},
    {"match3-hard", "N=9 M=34 H=1 m=1 p=1"},
    {"match3-hard", "N=300 M=300 H=1 m=2 p=5"},
    {"match3-hard", "N=3000 M=100000 H=3 m=4 p=6 e=3 sums=exact"},
    {"match3-hard", "N=513 M=5000 H=2 m=2 p=9 e=3 sums=exact"}, /* 507..512, and again from 519 */
    {"match3-hard", "N=513 M=2060 H=2 m=2 p=9 e=3 sums=exact"}, /* 507..512 only */
    {"match3-hard", "N=65536 M=600000 H=7 m=9 p=11 e=5 sums=exact"},
    {"match3-sets", ""},
    {"match3-sets", "N=9 M=34 H=1 m=1 p=1"},
    {"match3-sets", "N=33 M=130 H=1 m=1 p=8 e=5 sums=exact"},
    {"match3-sets",
     "N=30 M=1000 H=1 m=7 p=4 e=3 sums=exact"}, /* in pieces: a larger logarithm is not worth what it costs */
    {"match3-sets", "N=100000 M=4194304 H=3 m=900 p=24 sums=exact"},
    {"match3-sets", "N=5 M=16 H=1 m=1 p=2"}, /* C(6, 2) = 15 < 16 */
    {"triangle", ""},
    {"triangle", "k=100 D=1 H=1 m=1 p=2"},
    {"triangle", "k=2000 D=1 H=1 m=2 p=4 e=3 sums=exact"},
    {"triangle", "k=683 D=1 H=3 m=2 p=4 e=3 sums=exact"},
    {"triangle-row", ""},
    {"triangle-row", "N=188 H=1 m=36 p=2 e=3 sums=exact"}, /* 185 < 186 */
    {"triangle-row", "N=187 H=1 m=36 p=2 e=3 sums=exact"}, /* 185 is not */
    {"triangle-row", "N=100000 D=3 H=4 m=50 p=24 sums=exact"},
    {"qsa-attention-hard", ""},
    {"qsa-attention-hard", "q=10 N=21 m=1 p=3"},
    {"qsa-attention-hard", "q=500 N=1200 m=5 p=7 e=4 sums=exact"},
    {"qsa-radon", ""},
    {"qsa-radon", "q=10 N=25 m=9"},
    {"qsa-radon", "q=3 N=12 m=6"}, /* q = 4 only */
    {"qsa-radon", "q=700 N=5000 m=1000"},
    {"qsa-fnn-hard", ""},
    {"qsa-fnn-hard", "N=7 d=1 q=6 width=7"},
    {"qsa-rnn-hard", ""},
    {"qsa-rnn-hard", "N=41 q=3 bits=40"},
    {"compose-bound", ""},
    {"compose-bound", "n=16 H=1 d=3 p=16"}, /* n log2 n = 64 = H(d+1)p */
    {"compose-bound", "n=9007199254740991 H=1000000 d=1000000 p=1000"},
    {"compose-bound", "n=256 H=1 d=74 p=11 e=8 sums=exact"},
    {"compose-bound", "n=300 H=2 d=20 p=24 sums=exact"},
    {"compose-cot", ""},
    {"compose-cot", "n=10000000 H=1 d=1 p=24 T=345 sums=exact"},
    {"compose-cot", "n=1000000 H=1 d=1 p=8 T=30"},
    {"compose-cot", "n=1200000 H=1 d=2 p=53 T=22 k=24 sums=exact"},
    {"compose-cot", "n=1200000 H=1 d=2 p=53 T=23 k=24 sums=exact"},
    {"compose-cot", "n=1000 H=1 d=2 p=53 T=2 k=5 sums=exact"},
    {"funccomp-params", ""},
    {"funccomp-params", "L=2 H=1 d=2 p=1 n=7 zeros=1200"},
    {"funccomp-params", "L=3 H=2 d=2 p=2 n=2 zeros=20000"},
    {"dp-hard", ""},
    {"dp-hard", "problem=lis n=40 letters=40 layers=1 H=1 w=1 p=8 e=5"},
    {"dp-hard", "problem=lis n=900 letters=5 layers=2 H=2 w=2 p=8 e=5"},
    {"dp-hard", "problem=lis n=700 letters=999 layers=2 H=2 w=2 p=8 e=5"},
    {"dp-hard", "problem=ed n=100 layers=1 H=1 w=1 p=8 e=5"},
    {"dp-hard", "attention=sparse n=3000 B=300 layers=2 H=2 w=2 p=8 e=5 k=2 c=2"},
    {"dp-hard", "attention=sparse problem=lis letters=30 n=900 B=90 layers=3 H=1 w=1 p=4 e=3"},
    {"dp-hard", "attention=sparse problem=ed n=500 B=200 layers=1 H=3 w=8"},
    {"dp-hard", "attention=sparse problem=ed n=160 letters=2 B=162 layers=2 H=1 w=1"},
    {"dp-hard", "attention=sparse problem=lis n=250 letters=99 B=179 layers=2 H=1 w=1"},
    {"dp-hard", "attention=sparse n=300 letters=7 B=90 layers=2 H=1 w=1"},
    {"arith-hard", ""},
    {"arith-hard", "operators=20 prime=5 layers=1 H=1 w=1 p=8 e=5"},
    {"dp-local-hard", ""},
    {"dp-local-hard", "problem=ed-local m=41 letters=26 layers=1 H=1 w=1 p=16 e=8"},
};

/* What a start says, read back: the run of values that bind, as far as a double tells. */
static void start_check(const at_bound *b, const at_params *p, const at_bound_start *s, bool now, int *asked)
{
    const at_param *row = NULL;
    for (int i = 0; i < b->n_params; i++)
        if (!strcmp(b->params[i].name, s->param))
            row = &b->params[i];
    double x = at_params_get(p, s->param), to;
    assert_non_null(row);
    if (!strncmp(s->text, "never", 5) || !strncmp(s->text, "for no", 6)) {
        assert_false(now);
        for (int k = 0; k < 40; k++)
            assert_false(binds_with(b, p, s->param, row->lo + k));
        return;
    }
    if (!strncmp(s->text, "for every", 9)) {
        assert_true(now);
        for (int k = 0; k < 40; k++)
            assert_true(binds_with(b, p, s->param, row->lo + k) || row->lo + k > row->hi);
        return;
    }
    if (isnan(s->at) || s->at > row->hi) /* beyond what can be asked */
        return;
    (*asked)++;
    bool upto = !strncmp(s->text, "up to", 5), ends = upto;
    const char *dash = strstr(s->text, " to ");
    if (!upto && dash && !strchr(dash, '^') && sscanf(dash, " to %lf", &to) == 1 && to <= row->hi)
        ends = true; /* else beyond what can be asked */
    else
        to = upto || strstr(s->text, " only") ? s->at : INFINITY;
    double from = upto ? row->lo : s->at;
    if (!strcmp(s->param, "prime"))
        return; /* asked of every prime below */
    assert_true(binds_with(b, p, s->param, from));
    assert_false(binds_with(b, p, s->param, from - 1));
    if (ends) {
        assert_true(binds_with(b, p, s->param, to));
        assert_false(binds_with(b, p, s->param, to + 1));
    }
    for (int k = 0; k < 200; k++) /* all of a stretch, one by one */
        if (binds_with(b, p, s->param, from + k) != (from + k <= fmin(to, row->hi)))
            fail_msg("%s: \"%s\", but %s = %.0f", b->id, s->text, s->param, from + k);
    for (double v = from; v <= fmin(to, row->hi) && v < 1e12; v = floor(v * 1.37) + 1)
        assert_true(binds_with(b, p, s->param, v));
    if (x >= from && x <= to)
        assert_true(now);
}

/* EVIDENCE compose-cot exact 36 test_starts: where it begins to bind, in every parameter, 200 values one by one */
static void test_starts(void **state)
{
    (void)state;
    int asked = 0, binding = 0, cot = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const at_bound *b = at_bound_find(settings[i].id);
        at_params p = params_of(settings[i].id, settings[i].set);
        at_arena a;
        at_arena_init(&a);
        at_bound_result r;
        OK(at_bound_compute(b, &p, &a, &r, &err));
        bool now;
        OK(at_bound_binds(b, &p, &now, &err));
        assert_int_equal(now, r.verdict == AT_BOUND_BINDS);
        binding += now;
        assert_true(strlen(r.inequality) > 0 && strlen(r.meaning) > 0);
        assert_true(r.bits > AT_BITS_UNSAID && r.bits < AT_BITS_KINDS);
        for (int k = 0; k < r.n_starts; k++)
            start_check(b, &p, &r.starts[k], now, &asked);
        cot += !strcmp(b->id, "compose-cot") ? r.n_starts : 0;
        at_arena_release(&a);
    }
    assert_true(asked > 150);
    assert_true(binding > 15);
    evidence_say("test_starts", "compose-cot", "exact", (uint64_t)cot, "starts");
    for (int i = 0; i < at_n_bounds; i++) { /* every bound is in the list of settings, twice at least */
        int n = 0;
        for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
            n += !strcmp(settings[k].id, at_bounds[i]->id);
        assert_true(n >= 2);
    }
}

/* `least` is the first value of its parameter that does not bind, over a range, times what the unit says. */
static void test_least(void **state)
{
    (void)state;
    static const struct {
        const char *id, *set, *name, *times;
    } row[] = {
        {"match3-hard", "", "m", NULL},
        {"match3-hard", "N=100000 M=1000000 e=3 sums=exact", "m", NULL},
        {"match3-sets", "", "m", NULL},
        {"match3-sets", "N=1000 M=4002 H=1 p=24 sums=exact", "m", NULL},
        {"triangle", "", "m", NULL},
        {"triangle-row", "", "m", NULL},
        {"triangle-row", "D=5 N=100000", "m", NULL},
        {"qsa-attention-hard", "", "m", NULL},
        {"qsa-radon", "q=6 N=40", "m", NULL},
        {"qsa-radon", "q=6 N=17", "m", NULL},
        {"qsa-fnn-hard", "", "width", NULL},
        {"qsa-rnn-hard", "", "bits", NULL},
        {"compose-bound", "", "d", NULL},
        {"compose-bound", "sums=exact", "d", NULL},
        {"compose-cot", "n=1000000", "T", NULL},
        {"compose-cot", "n=1200000 H=1 d=2 p=53 k=24 sums=exact", "T", NULL},
        {"compose-cot", "n=300000 H=1 d=2 p=53 k=24 sums=exact", "T", NULL},
        {"funccomp-params", "zeros=2000 p=1", "L", NULL},
        {"dp-hard", "n=5000", "w", "H"},
        {"dp-hard", "attention=sparse n=9000 B=1500 layers=2", "w", "H"},
        {"dp-hard", "attention=sparse problem=lis n=250 letters=99 B=179 layers=2 H=1", "w", "H"},
        {"arith-hard", "operators=1000", "w", "H"},
        {"dp-local-hard", "m=5000", "w", "H"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const at_bound *b = at_bound_find(row[i].id);
        at_params p = params_of(row[i].id, row[i].set);
        at_arena a;
        at_arena_init(&a);
        at_bound_result r;
        OK(at_bound_compute(b, &p, &a, &r, &err));
        double x = 0;
        for (int k = 0; k < b->n_params; k++)
            if (!strcmp(b->params[k].name, row[i].name))
                x = b->params[k].lo;
        while (binds_with(b, &p, row[i].name, x))
            x++;
        assert_true(x > 1);
        if (row[i].times)
            x *= at_params_get(&p, row[i].times);
        assert_true(r.least == x);
        char text[32];
        snprintf(text, sizeof text, "%.0f", x);
        assert_string_equal(r.least_text, text);
        at_arena_release(&a);
    }
}

/* Numbers that were found by other means. */
static void test_examples(void **state)
{
    (void)state;
    static const struct {
        const char *id, *set, *param, *text;
    } row[] = {
        {"compose-bound", "H=4 d=16 p=32", "n", "from n = 270"},
        {"qsa-fnn-hard", "N=20 d=4", "width", "up to width = 79"},
        {"qsa-rnn-hard", "N=41", "bits", "up to bits = 39"},
        {"compose-bound", "n=16 H=1 d=3 p=16", "p", "up to p = 15"},
        {"funccomp-params", "L=2 H=1 d=2 p=1 n=7 zeros=1200", "L", "up to L = 2"},
        {"match3-hard", "M=2 N=9", "N", "never"},
        {"match3-sets", "M=7 N=9 H=1", "N", "never"}, /* C(1, 0) */
        {"match3-sets", "N=1000 M=4002 H=1 p=24 sums=exact", "m", "up to m = 45"},
        {"match3-sets", "N=5 M=18 H=1 m=1 p=2", "M", "from M = 18"}, /* 2^4 < C(7, 2), and 15 is not */
        {"match3-hard", "N=513 M=5000 H=2 m=2 p=9 e=3 sums=exact", "N",
         "from N = 519 to 1180591620717411303424"},
        {"match3-hard", "N=513 M=2060 H=2 m=2 p=9 e=3 sums=exact", "N", "from N = 507 to 512"},
        {"qsa-attention-hard", "q=10 N=21 m=1 p=3", "q", "at q = 10 only"},
        {"triangle-row", "N=188 H=1 m=36 p=2 e=3 sums=exact", "m",
         "up to m = 36"}, /* 37 * 5 < 186 <= 38 * 5 */
        {"triangle-row", "D=2 H=1 m=21 p=24 e=8 sums=exact", "N", "from N = 4035"}, /* 6 * 21 * 32 < N-2 */
        {"compose-bound", "n=9007199254740991 H=9007199254740991 d=9007199254740991 p=9007199254740991", "n",
         "from n = 10^45.6 (46 digits)"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        at_params p = params_of(row[i].id, row[i].set);
        at_arena a;
        at_arena_init(&a);
        at_bound_result r;
        OK(at_bound_compute(at_bound_find(row[i].id), &p, &a, &r, &err));
        const char *found = NULL;
        for (int k = 0; k < r.n_starts; k++)
            if (!strcmp(r.starts[k].param, row[i].param))
                found = r.starts[k].text;
        assert_non_null(found);
        assert_string_equal(found, row[i].text);
        at_arena_release(&a);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *id, *set, *says;
    } bad[] = {
        {"qsa-attention-hard", "q=10 N=20", "the theorem wants N >= 2q+1, and N=20 q=10"},
        {"qsa-radon", "q=10 N=20", "the theorem wants N >= 2q+1, and N=20 q=10"},
        {"qsa-fnn-hard", "q=20 N=20", "the theorem wants q < N"},
        {"qsa-rnn-hard", "q=19 N=20", "the theorem wants q <= N-2"},
        {"funccomp-params", "L=4 n=60000 zeros=0", "the theorem wants L <= O(log log n): L=4"},
        {"dp-hard", "attention=sparse c=32 B=32", "c < B"},
        {"arith-hard", "prime=9", "modulo a prime"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const at_bound *b = at_bound_find(bad[i].id);
        at_params p = params_of(bad[i].id, bad[i].set);
        at_arena a;
        at_arena_init(&a);
        at_bound_result r;
        at_err err = {0};
        bool binds;
        assert_int_equal(at_bound_compute(b, &p, &a, &r, &err), AT_EDOMAIN);
        assert_non_null(strstr(err.text, bad[i].says));
        assert_int_equal(at_bound_binds(b, &p, &binds, NULL), AT_EDOMAIN);
        at_arena_release(&a);
    }
    at_params p = params_of("compose-bound", "");
    at_err err = {0};
    assert_int_equal(at_params_parse(&p, "n=1", &err), AT_EDOMAIN);
    assert_int_equal(at_params_parse(&p, "p=0", NULL), AT_EDOMAIN);
    assert_non_null(strstr(err.text, "must be an integer in 2.."));
    assert_null(at_bound_find("compose"));
}

static void test_memory(void **state)
{
    (void)state;
    for (int i = 0; i < at_n_bounds; i++) {
        const at_bound *b = at_bounds[i];
        at_params p;
        at_params_init(&p, b->params, b->n_params);
        if (at_params_has(&p, "letters"))
            OK(at_params_parse(&p, "letters=3", &err));
        if (!strcmp(b->id, "dp-hard"))
            OK(at_params_parse(&p, "n=4", &err)); /* runs the recurrence too */
        int failures = 0;
        for (long nth = 1;; nth++) {
            at_arena a;
            at_arena_init(&a);
            at_bound_result r = {.least = -5};
            at_err err = {0};
            at_alloc_inject(nth);
            at_status s = at_bound_compute(b, &p, &a, &r, &err);
            bool fired = at_alloc_injected();
            at_alloc_inject(0);
            at_arena_release(&a);
            if (!fired) {
                assert_int_equal(s, AT_OK);
                break;
            }
            failures++;
            assert_int_equal(s, AT_ENOMEM);
            assert_true(r.least == -5); /* untouched */
        }
        assert_true(failures > 0);
    }
}

/* Parameters know their bound by its table. A copy of the table is as good, another table is refused: by all bounds. */
static void test_other_tables(void **state)
{
    (void)state;
    at_param copy[AT_PARAMS_MAX], other[AT_PARAMS_MAX];
    for (int i = 0; i < at_n_bounds; i++) {
        const at_bound *b = at_bounds[i];
        at_params p, q;
        at_arena a;
        at_bound_result one, two;
        bool yes, again;
        at_arena_init(&a);
        memcpy(copy, b->params, (size_t)b->n_params * sizeof *copy);
        memcpy(other, b->params, (size_t)b->n_params * sizeof *other);
        other[0].name = "nobody";
        at_params_init(&p, b->params, b->n_params);
        at_params_init(&q, copy, b->n_params);
        OK(at_bound_compute(b, &p, &a, &one, &err));
        OK(at_bound_compute(b, &q, &a, &two, &err));
        assert_string_equal(one.inequality, two.inequality);
        assert_true(one.least == two.least || (isnan(one.least) && isnan(two.least)));
        OK(at_bound_binds(b, &p, &yes, &err));
        OK(at_bound_binds(b, &q, &again, &err));
        assert_int_equal(yes, again);
        at_err err = {0}, e2 = {0}, e3 = {0};
        assert_int_equal(b->compute(&q, &a, &two, &err), AT_EINPUT); /* it cannot know whose copy this is */
        at_params_init(&q, other, b->n_params);
        assert_int_equal(at_bound_compute(b, &q, &a, &two, &e2), AT_EINPUT);
        assert_int_equal(at_bound_binds(b, &q, &again, &e3), AT_EINPUT);
        at_arena_release(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starts),  cmocka_unit_test(test_least),  cmocka_unit_test(test_examples),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_memory), cmocka_unit_test(test_other_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
