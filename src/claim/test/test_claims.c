/* test_claims.c: the whole catalogue: every quick cell holds, every control is rejected by an input that is
 * run again here, the sizes are the claimed ones, and a model is the same after building it twice, after a
 * save and a load, and as the program that it was assembled from.
 *
 * Of each kind of evidence the cell that goes furthest:
 * EVIDENCE match2 exact 5379616 test_every_cell: N=7 M=28 f64, and 1 more
 * EVIDENCE match2 certified all test_every_cell: N=512 M=1280 ball
 * EVIDENCE match2 sampled 4000 test_every_cell: N=64 M=1024 f32
 * EVIDENCE match3-threewise exact 6561 test_every_cell: N=4 M=9 f64
 * EVIDENCE match3-threewise certified all test_every_cell: N=64 M=119 ball
 * EVIDENCE match3-threewise sampled 1000 test_every_cell: N=32 M=257 f64
 * EVIDENCE match3-bigram exact 16807 test_every_cell: N=5 M=7 f64
 * EVIDENCE match3-bigram sampled 200 test_every_cell: N=256 M=1009 f64
 * EVIDENCE match3-local exact 15625 test_every_cell: N=6 M=5 K=1 f64, and 1 more
 * EVIDENCE match3-local sampled 1000 test_every_cell: N=128 M=101 K=4 f64, and 1 more
 * EVIDENCE match3-slots exact 2793 test_every_cell: N=2..4 M=7 p24e8
 * EVIDENCE match3-slots sampled 40 test_every_cell: N=12 M=50 p24e8
 * EVIDENCE qsa-rip sampled 2000 test_every_cell: N=32 q=2 f32, and 1 more
 * EVIDENCE qsa-moment sampled 2000 test_every_cell: N=16 q=4 f64, and 2 more
 * EVIDENCE lemma-a1 certified all test_every_cell: M=1 eps=0.01 ball, and 1 more
 * EVIDENCE lemma-a1 sampled 2000 test_every_cell: N=4 M=1 eps=0.01 p16
 * EVIDENCE lemma-a2 certified all test_every_cell: h=8 eps=0.01 ball, and 1 more
 * EVIDENCE lemma-a2 sampled 10000 test_every_cell: N=4 h=8 eps=0.01 f64, and 1 more
 * EVIDENCE lemma-a3 certified all test_every_cell: d1=3 d2=2 ball, and 2 more
 * EVIDENCE lemma-a3 sampled 10000 test_every_cell: N=4 f64, and 1 more
 * EVIDENCE lemma-a4 certified all test_every_cell: M=1 alpha=0.5 ball, and 1 more
 * EVIDENCE lemma-a4 sampled 10000 test_every_cell: N=4 f64, and 1 more
 * EVIDENCE lemma-a5 certified all test_every_cell: n=64 ball, and 1 more
 * EVIDENCE lemma-a5 exact 4225 test_every_cell: N=2 n=64 spread=0 f64
 * EVIDENCE lemma-a5 sampled 400 test_every_cell: N=4 n=64 p20
 * EVIDENCE lemma-a6 certified all test_every_cell: n=64 ball
 * EVIDENCE lemma-a6 exact 4225 test_every_cell: N=2 n=64 spread=0 f64
 * EVIDENCE lemma-a6 sampled 400 test_every_cell: N=4 n=64 p20
 * EVIDENCE lemma-a7 certified all test_every_cell: n=8 ball
 * EVIDENCE lemma-a7 exact 4096 test_every_cell: n=64 spread=0 f64
 * EVIDENCE lemma-a7 sampled 400 test_every_cell: N=4 n=16 eps=0.1 p24
 * EVIDENCE lemma-a8 sampled 1000 test_every_cell: N=64 d=4 f64, and 3 more
 * EVIDENCE lemma-a9 exact 88 test_every_cell: N=450 m=22 f64, and 2 more
 * EVIDENCE lemma-a9 sampled 1000 test_every_cell: N=100 m=10 f64, and 2 more
 * EVIDENCE lemma-a11-rating sampled 1000 test_every_cell: N=100 K=5 f64, and 3 more
 * EVIDENCE lemma-a11-index exact 1800 test_every_cell: N=450 f64, and 2 more
 * EVIDENCE lemma-a11-index sampled 1800 test_every_cell: N=450 f32, and 2 more
 * EVIDENCE lemma-a12 exact 400 test_every_cell: N=100 B=10 f64, and 1 more
 * EVIDENCE lemma-a12 sampled 400 test_every_cell: N=100 B=10 f32, and 2 more
 * EVIDENCE dp-standard exact 1640 test_every_cell: problem=knapsack a=0..3 b=4..5 letters=3 f64, and 6 more
 * EVIDENCE dp-standard sampled 4 test_every_cell: problem=edit-distance a=20 b=20 f64, and 4 more
 * EVIDENCE dp-linear exact 2048 test_every_cell: problem=edit-distance a=8 b=3 letters=2 pack=1 clear=1 f32, and 9 more
 * EVIDENCE dp-linear sampled 4 test_every_cell: problem=edit-distance a=20 b=20 f64, and 6 more
 * EVIDENCE dp-sparse exact 1640 test_every_cell: problem=knapsack a=0..3 b=4..5 letters=3 f64, and 7 more
 * EVIDENCE dp-sparse sampled 4 test_every_cell: problem=edit-distance a=20 b=20 f64, and 4 more
 * EVIDENCE dp-local exact 1600 test_every_cell: problem=edit-distance a=0..3 b=0..3 letters=3 f32, and 5 more
 * EVIDENCE dp-local sampled 4 test_every_cell: problem=edit-distance-local a=20 b=20 f64, and 1 more
 * EVIDENCE arith-standard exact 3690 test_every_cell: p=5 operators=2 f64, and 2 more
 * EVIDENCE arith-standard sampled 20 test_every_cell: p=11 operators=16 least=16 f64, and 2 more
 * EVIDENCE arith-sparse exact 3690 test_every_cell: p=5 operators=2 f64, and 2 more
 * EVIDENCE arith-sparse sampled 20 test_every_cell: p=11 operators=16 least=16 f64, and 2 more
 * EVIDENCE compose-one exact 2219 test_every_cell: n=2..3 f64, and 5 more
 * EVIDENCE compose-one sampled 1000 test_every_cell: n=16 f64, and 5 more
 * EVIDENCE compose-two exact 59049 test_every_cell: n=3 k=3 f64, and 4 more
 * EVIDENCE compose-two sampled 1000 test_every_cell: n=64 f64, and 4 more
 * EVIDENCE compose-chain exact 59049 test_every_cell: n=3 k=3 f64, and 3 more
 * EVIDENCE compose-chain sampled 1000 test_every_cell: n=16 k=16 f64, and 2 more
 * EVIDENCE funccomp exact 65536 test_every_cell: L=4 m=2 n1=1 n2=1 n3=2 f64, and 6 more
 * EVIDENCE funccomp sampled 1000 test_every_cell: L=2 m=4 n1=4 f64, and 4 more
 * EVIDENCE fo-mon exact 3279 test_every_cell: formula=abc-at-fib N=1..7 most=7 f64, and 9 more
 * EVIDENCE fo-mon sampled 10 test_every_cell: formula=squares-alternate N=200 f64
 * EVIDENCE ltl-c exact 2047 test_every_cell: formula=majority N=0..10 most=10 f64, and 8 more
 * EVIDENCE ltl-c sampled 100 test_every_cell: formula=dyck N=10 p12, and 1 more
 * EVIDENCE turing exact 2047 test_every_cell: machine=increment N=10 T=24 f64, and 10 more
 * EVIDENCE turing sampled 2 test_every_cell: machine=counter N=11 T=10000 f64
 * EVIDENCE fo exact 131071 test_every_cell: language=ab-star N=0..16 most=16 f64, and 10 more
 * EVIDENCE fo sampled 10 test_every_cell: language=depth-3 N=1000 f64, and 1 more
 * EVIDENCE crasp exact 8191 test_every_cell: language=dyck-1 N=0..12 most=12 f64, and 12 more
 * EVIDENCE crasp sampled 20 test_every_cell: language=dyck-1 N=1000 f64, and 1 more
 * EVIDENCE foc exact 8191 test_every_cell: language=parity N=0..12 most=12 f64, and 10 more
 * EVIDENCE foc sampled 10 test_every_cell: language=parity N=1000 f64, and 1 more
 * EVIDENCE sscm exact 5461 test_every_cell: language=either N=0..6 most=6 f64, and 9 more
 * EVIDENCE sscm sampled 10 test_every_cell: language=equal-abc N=1000 f64, and 1 more
 * EVIDENCE fo-mod exact 8191 test_every_cell: language=aa-star N=0..12 most=12 f64, and 9 more
 * EVIDENCE fo-mod sampled 10 test_every_cell: language=thirds-then-a N=1000 f64
 * EVIDENCE automaton-shortcut exact 2047 test_every_cell: language=parity N=0..10 most=10 f64, and 10 more
 * EVIDENCE automaton-shortcut sampled 100 test_every_cell: language=a5 N=64 f64
 * EVIDENCE automaton-solvable exact 2047 test_every_cell: language=s3 N=0..10 most=10 f64, and 12 more
 * EVIDENCE automaton-solvable sampled 10 test_every_cell: language=s3-reset N=1000 f64
 * EVIDENCE automaton-cot exact 511 test_every_cell: language=a5 N=8 f64, and 7 more
 * EVIDENCE automaton-cot sampled 10 test_every_cell: language=a5 N=200 f64
 * EVIDENCE majority exact 16383 test_every_cell: N=0..13 most=13 f64, and 4 more
 * EVIDENCE majority sampled 200 test_every_cell: N=1000 f64, and f32
 * EVIDENCE shuffle-dyck exact 16383 test_every_cell: N=0..13 k=1 f64, and 4 more
 * EVIDENCE shuffle-dyck sampled 40 test_every_cell: N=1000 k=3 f64, and f32
 * EVIDENCE dyck exact 8191 test_every_cell: N=0..12 k=1 f64 in each form, and 8 more
 * EVIDENCE dyck sampled 200 test_every_cell: N=40 k=3 f64, and 3 more
 * EVIDENCE parity exact 16383 test_every_cell: N=0..13 most=13 f64 in each form, and f32
 * EVIDENCE parity sampled 40 test_every_cell: N=1000 f64 in each form
 * EVIDENCE parity-tree exact 16383 test_every_cell: N=0..13 H=1 L=4 f64, and 5 more
 * EVIDENCE parity-tree sampled 20 test_every_cell: N=100 H=4 L=3 f64
 * EVIDENCE rasp exact 2046 test_every_cell: program=dyck1 N=1..10 most=10 f64, and 19 more
 * EVIDENCE rasp sampled 10 test_every_cell: program=sort N=100 f64, and 3 more
 * EVIDENCE ngram-heads exact 364 test_every_cell: W=3 N=0..5 f64, and 7 more
 * EVIDENCE ngram-heads sampled 200 test_every_cell: N=100 n=4 W=3 f64
 * EVIDENCE ngram-layers exact 364 test_every_cell: W=3 N=0..5 f64, and 7 more
 * EVIDENCE ngram-layers sampled 200 test_every_cell: N=100 n=4 W=3 f64
 * EVIDENCE ngram-single exact 364 test_every_cell: W=3 N=0..5 f64, and 7 more
 * EVIDENCE ngram-single sampled 200 test_every_cell: N=100 n=4 W=3 f64 */
#include "../../core/test/test_folder.h"
#include "claim_test.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- verdicts ------------------------------------------------------------------------------------------- */

/* The counterexample by other means: at_run and the task's answer, and nothing of the checker. */
static void assert_wrong(const point *c, const at_counterexample *cx, at_arith arith)
{
    at_arena a;
    at_arena_init(&a);
    at_params tp = c->tp;
    OK(at_params_set(&tp, "N", cx->n, &err));
    double *answer = at_new(&a, double, (c->t->last ? 1 : cx->n) * c->out); /* the empty word has one, too */
    at_output y;
    at_input x = {cx->n, cx->x};
    OK(at_run(&c->m, arith, &x, NULL, &a, &y, &err));
    c->t->answer(&tp, cx->x, answer);
    assert_int_equal(y.width, c->out);
    double off = 0;
    for (int k = 0; k < c->out; k++) {
        int at = (c->t->last ? 0 : cx->position) * c->out + k;
        assert_int_equal(y.decided[at], AT_TRUE);
        off += (y.decision[at] - answer[at]) * (y.decision[at] - answer[at]);
    }
    if (c->tolerance > 0 || !c->t->fractions || arith.kind != AT_EXACT) {
        assert_true(sqrt(off) > c->tolerance);
        at_arena_release(&a);
        return;
    }
    /* fractions, which may be one double */
    uint64_t over[16], under[16];
    const char *const *said;
    bool same = true;
    assert_true(c->t->last && c->out <= 16);
    OK(at_run_fractions(&c->m, &x, &a, &said, &err));
    c->t->fractions(&tp, cx->x, over, under);
    for (int k = 0; k < c->out; k++) {
        unsigned long long p, q = 1;
        assert_true(sscanf(said[k], "%llu/%llu", &p, &q) >= 1);
        same = same && (__int128)p * under[k] == (__int128)q * over[k];
    }
    assert_false(same);
    at_arena_release(&a);
}

/* The same for a decoder: at_generate and the reference's chain. */
static void assert_chain_wrong(const point *c, const at_counterexample *cx, at_arith arith)
{
    at_arena a;
    at_arena_init(&a);
    void *self;
    OK(c->claim->chain->open(&c->p, &self, &err));
    size_t width = (size_t)c->claim->chain->row_width(self);
    double *want = at_new(&a, double, (size_t)c->claim->chain->rows_max(self) * width), *rows = NULL, least;
    int n_want, n = 0;
    at_err given_up = {0};
    at_input x = {cx->n, cx->x};
    OK(c->claim->chain->answer(self, cx->x, cx->n, want, &n_want, &err));
    at_status s = at_generate(&c->m, arith, &x, &a, &rows, &n, &least, &given_up);
    assert_true(s == AT_OK || s == AT_EBUDGET);
    bool same = !s && n == n_want;
    for (size_t k = 0; same && k < (size_t)n * width; k++)
        same = rows[k] == want[k];
    assert_false(same && least > 0); /* a tie is no answer */
    c->claim->chain->close(self);
    at_arena_release(&a);
}

/* How many inputs an exact point has. */
static uint64_t point_inputs(const point *c, const at_cell *cell)
{
    void *self;
    if (c->t)
        return c->t->count(&c->tp, cell->how);
    OK(c->claim->chain->open(&c->p, &self, &err));
    uint64_t n = c->claim->chain->count(self);
    c->claim->chain->close(self);
    return n;
}

#define SANITIZED_MOST 300 /* inputs of an exact point that are all run under a sanitizer */

/* Every point of a cell; the verdict over all of them, at the first that does not hold. Under a sanitizer some inputs of the
 * large points are drawn: *some becomes true then. */
static at_verdict cell_run(point *c, const at_cell *cell, at_arena *a, bool *some)
{
    at_verdict v = {0};
    at_check_env env = {0};
    at_sweep sweep;
    uint64_t inputs = 0;
    uint64_t limit = cell->evidence == AT_EV_SAMPLED ? (cell->inputs + 9) / 10 : 0;
    if (!cell->control) /* which needs them all to be found out */
        limit = TEST_SCALED(limit);
    *some = false;
    OK(at_cell_sweep(c->claim, cell, AT_TIER_QUICK, NULL, &sweep, &err));
    for (uint64_t k = 0; k < at_sweep_count(&sweep); k++) {
        if (k)
            at_model_release(&c->m);
        at_sweep_nth(&sweep, k, &c->p);
        OK(at_claim_task(c->claim, &c->p, &c->t, &c->tp, &err));
        OK(at_claim_model(c->claim, &c->p, &c->m, &err));
        at_cell asked = *cell;
        if (TEST_SCALE > 1 && cell->evidence == AT_EV_EXACT && !cell->control &&
            point_inputs(c, cell) > SANITIZED_MOST) {
            asked.evidence = AT_EV_SAMPLED;
            *some = true;
        }
        OK(at_claim_check(c->claim, &asked, &c->p, &c->m, *some ? 40 : limit, 7, &env, a, &v, &err));
        inputs = v.inputs >= INT64_MAX - inputs ? INT64_MAX : inputs + v.inputs;
        if (v.holds != AT_TRUE)
            break;
    }
    v.inputs = inputs;
    return v;
}

static void cell_check(const at_claim *claim, const at_cell *cell)
{
    at_arena a;
    at_arena_init(&a);
    point c = {.claim = claim};
    bool some;
    at_verdict v = cell_run(&c, cell, &a, &some);
    c.tolerance = at_claim_tolerance(claim, &c.p);
    c.out = c.t ? c.t->out_width(&c.tp) : 0;
    if (cell->control) {
        if (v.holds != AT_FALSE)
            fail_msg("%s: control %s is not rejected", claim->id, cell->control);
        assert_true(v.has_counterexample);
        assert_false(v.cx.unknown);
        at_arith arith;
        OK(at_arith_parse(at_cell_arith(cell), &arith, &err));
        (claim->chain ? assert_chain_wrong : assert_wrong)(&c, &v.cx, arith);
    } else {
        if (v.holds != AT_TRUE)
            fail_msg("%s %s: not shown (%s)", claim->id, cell->params, v.note ? v.note : "");
        assert_false(v.has_counterexample);
        bool fractions =
            c.t && c.t->real && c.t->fractions && c.tolerance == 0; /* equal ones have no margin */
        assert_true(v.margin > 0 || (fractions && isnan(v.margin)));
        assert_true(v.inputs > 0);
        /* vectors are drawn, so asking every subset is not every input; values are the worst before rounding, so
         * every pair is every input only where rounding is small */
        bool small = !strcmp(cell->arith, "f64") || !strcmp(cell->arith, "ball");
        bool drawn = some || cell->how == AT_ENUM_SUBSETS || (cell->how == AT_ENUM_PAIRS && !small);
        at_evidence e = drawn ? AT_EV_SAMPLED : cell->evidence;
        assert_int_equal(v.evidence, e);
        char far[96];
        snprintf(far, sizeof far, "%.70s %s", cell->quick ? cell->quick : cell->params, cell->arith);
        evidence_say("test_every_cell", claim->id, at_evidence_names[v.evidence], v.inputs, far);
    }
    point_release(&c);
    at_arena_release(&a);
}

static void test_every_cell(void **state)
{
    (void)state;
    for (int i = 0; i < at_n_catalogue; i++) {
        const at_claim *claim = at_catalogue[claim_order(i)];
        int held = 0, rejected = 0;
        if (claim->trial) /* test_limits.c */
            continue;
        for (int k = 0; k < claim->n_cells; k++)
            if (claim->cells[k].tier == AT_TIER_QUICK) {
                cell_check(claim, &claim->cells[k]);
                held += !claim->cells[k].control;
                rejected += !!claim->cells[k].control;
            }
        if (!held || !rejected)
            fail_msg("%s: %d quick cells, %d quick controls", claim->id, held, rejected);
    }
}

/* ---- one model for all lengths ----------------------------------------------------------------------------- */

/* The number behind `key` in a cell's parameters, or the end of its range; -1: none, or no range. */
static int number_behind(const char *params, const char *key, bool range)
{
    const char *at = params ? strstr(params, key) : NULL;
    const char *end = at && range ? strstr(at, "..") : NULL;
    const char *blank = at ? strchr(at, ' ') : NULL;
    if (!at || (range && (!end || (blank && blank < end))))
        return -1;
    return atoi(range ? end + 2 : at + strlen(key));
}

/* A model for words to 16 letters that errs on one of 3 is found only by asking that model about it: a cell over a range
 * of lengths asks one model, for the longest of them or for longer ones. One cell a claim asks the model for long words
 * about the short ones. */
static void test_one_model_for_all_lengths(void **state)
{
    (void)state;
    for (int i = 0; i < at_n_catalogue; i++) {
        const at_claim *c = at_catalogue[i];
        bool ranges = false, far = false;
        for (int k = 0; k < c->n_cells && c->group && !strcmp(c->group, "Languages"); k++) {
            const char *both[] = {c->cells[k].params, c->cells[k].quick};
            for (int t = 0; t < 2; t++) {
                int longest = number_behind(both[t], "N=", true),
                    most = number_behind(both[t], "most=", false);
                ranges |= longest >= 0;
                far |= longest >= 0 && most >= 100 && !c->cells[k].control;
                if (longest > most)
                    fail_msg("%s %s: a model a length, each asked about its own alone", c->id, both[t]);
            }
        }
        if (ranges && !far)
            fail_msg("%s: no model for words of 100 letters or more is asked about every short one", c->id);
    }
}

/* ---- splits: what a certificate takes on trust, at a size where every input can be looked at -------------- */

static void split_check(const char *id, const char *params)
{
    point c = point_at(id, params, NULL);
    const at_split *s = c.claim->split;
    at_case cases[64];
    at_case_bounds b[64];
    size_t n = at_split_cases(&c.p, s, NULL);
    assert_true(n <= 64);
    at_split_cases(&c.p, s, cases);
    OK(at_cases_complete(&c.p, s, cases, n, &err));
    OK(at_certify(&c.m, &c.p, s, cases, 0, n, b, &err));
    for (uint64_t i = 0; i < c.t->count(&c.tp, AT_ENUM_SEQUENCES); i++) {
        at_arena a;
        at_arena_init(&a);
        double x[8], answer[8];
        at_output y;
        at_input in = {c.n, x};
        c.t->nth(&c.tp, AT_ENUM_SEQUENCES, i, x);
        c.t->answer(&c.tp, x, answer);
        OK(at_run(&c.m, (at_arith){AT_BALL, 128, 0}, &in, NULL, &a, &y, &err));
        for (int t = 0; t < c.n; t++) {
            uint64_t hits = s->hits_of(&c.p, x, t), lo, hi;
            size_t k = 0;
            s->hits(&c.p, (int)x[t], &lo, &hi);
            assert_true(lo <= hits && hits <= hi);
            assert_true((hits > 0) == answer[t]);
            while (k < n && !(cases[k].query == (int)x[t] && cases[k].lo <= hits && hits <= cases[k].hi))
                k++;
            assert_true(k < n && cases[k].expected == answer[t] && b[k].holds == AT_TRUE);
            assert_true(y.value[t] + y.radius[t] >= b[k].out_lo && y.value[t] - y.radius[t] <= b[k].out_hi);
        }
        at_arena_release(&a);
    }
    point_release(&c);
}

static void test_splits(void **state)
{
    (void)state;
    int splits = 0;
    for (int i = 0; i < at_n_catalogue; i++)
        if (at_catalogue[i]->split) {
            split_check(at_catalogue[i]->id, "N=4 M=5");
            split_check(at_catalogue[i]->id, "N=3 M=6");
            splits++;
        }
    assert_true(splits >= 2);
}

/* ---- sizes ------------------------------------------------------------------------------------------------ */

static void test_sizes(void **state)
{
    (void)state;
    static const int moduli[] = {2, 3, 7, 64, 501};
    for (int k = 0; k < 5; k++) {
        int M = moduli[k];
        char text[64];
        snprintf(text, sizeof text, "N=9 M=%d", M);
        at_size z = size_at("match2", text);
        assert_int_equal(z.layers, 1);
        assert_int_equal(z.heads, 1);
        assert_int_equal(z.head_dim, 3);
        assert_int_equal(z.width, 3);
        assert_true(z.hidden <= 3); /* two units, or the residual itself */
        z = size_at("match3-threewise", text);
        assert_int_equal(z.layers, 1);
        assert_int_equal(z.heads, 1);
        assert_int_equal(z.head_dim, 5);
        z = size_at("match3-bigram", text);
        assert_int_equal(z.layers, 2);
        assert_int_equal(z.heads, 1);
        assert_int_equal(z.width, 3);
        if (z.hidden > 8 * M + 64)
            fail_msg("match3-bigram M=%d: %d MLP units", M, z.hidden);
    }
    for (int K = 1; K <= 3; K++) {
        char text[64];
        snprintf(text, sizeof text, "N=20 M=7 K=%d", K);
        at_size z = size_at("match3-local", text);
        assert_int_equal(z.layers, 1);
        assert_int_equal(z.heads, 1);
        assert_int_equal(z.head_dim, (int)ceil(4 * (2 * K + 1) * log(20 + 2 * K)));
        for (int N = 5; N <= 40; N += 35) { /* whatever the length */
            snprintf(text, sizeof text, "N=%d M=7 K=%d keys=powers", N, K);
            z = size_at("match3-local", text);
            assert_true(z.layers == 1 && z.heads == 1 && z.head_dim == 2 * K + 2);
        }
    }
    static const struct { /* the same at every length */
        const char *id, *params;
        int layers, heads, units;
    } words[] = {{"majority", "", 1, 1, 0},
                 {"shuffle-dyck", " k=3", 2, 1, 12},
                 {"dyck", " k=3", 4, 1, 8},
                 {"dyck", " k=3 form=leftmost", 4, 1, 8},
                 {"dyck", " k=2 form=depth D=5", 6, 2, 4},
                 {"parity", "", 2, 1, 6},
                 {"parity", " form=count", 2, 1, 0},
                 {"parity", " form=norm", 2, 1, 6},
                 {"parity-tree", " H=3 L=4", 4, 3, 8}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        for (int N = 8; N <= 512; N *= 8) {
            char text[64];
            snprintf(text, sizeof text, "N=%d%s", N, words[k].params);
            at_size z = size_at(words[k].id, text);
            assert_int_equal(z.layers, words[k].layers);
            assert_int_equal(z.heads, words[k].heads);
            if (z.hidden > words[k].units)
                fail_msg("%s %s: %d MLP units", words[k].id, text, z.hidden);
        }
    for (int q = 1; q <= 3; q++) {
        char text[64];
        snprintf(text, sizeof text, "N=12 q=%d d=5", q);
        at_size z = size_at("qsa-moment", text);
        assert_int_equal(z.layers, 1);
        assert_int_equal(z.head_dim, 2 * q > 5 ? 2 * q : 5);
        assert_int_equal(z.width, 5 + 2 * (2 * q));
        z = size_at("qsa-rip", text);
        int m = (int)ceil(8 * q * log(12));
        assert_int_equal(z.layers, 1);
        assert_int_equal(z.head_dim, m);
        assert_int_equal(z.width, 5 + 2 * m);
    }
}

/* ---- one model, however it came about ---------------------------------------------------------------------- */

static void test_hash_is_stable(void **state)
{
    (void)state;
    for (int k = 0; k < at_n_catalogue; k++) {
        char one[65], two[65], other[65];
        if (at_catalogue[k]->trial)
            continue;
        point a = small_point(k), b = small_point(k);
        point c = point_at(at_catalogue[k]->id, at_catalogue[k]->look_params,
                           at_params_has(&a.p, "N")         ? "N=4"
                           : at_params_has(&a.p, "a")       ? "a=4"
                           : at_params_has(&a.p, "k")       ? "k=3"
                           : at_params_has(&a.p, "m")       ? "m=3"
                           : at_params_has(&a.p, "missing") ? "n=4"
                                                            : "operators=2");
        OK(at_model_hash(&a.m, one, &err));
        OK(at_model_hash(&b.m, two, &err));
        OK(at_model_hash(&c.m, other, &err));
        assert_string_equal(one, two);
        assert_string_not_equal(one, other);
        point_release(&a);
        point_release(&b);
        point_release(&c);
    }
}

static at_verdict small_verdict(const point *c, at_arena *a)
{
    at_cell cell = {.evidence = AT_EV_SAMPLED, .arith = "f64"};
    at_verdict v;
    OK(at_claim_check(c->claim, &cell, &c->p, &c->m, c->t ? 500 : 50, 7, &(at_check_env){0}, a, &v, &err));
    return v;
}

static void test_save_and_load(void **state)
{
    (void)state;
    char dir[TEST_FOLDER], path[TEST_PATH];
    assert_non_null(test_folder_new(dir));
    snprintf(path, sizeof path, "%s/model.safetensors", dir);
    for (int k = 0; k < at_n_catalogue; k++) {
        if (at_catalogue[k]->trial)
            continue;
        at_arena a;
        at_arena_init(&a);
        char one[65], two[65];
        point c = small_point(k);
        at_verdict v = small_verdict(&c, &a);
        OK(at_model_hash(&c.m, one, &err));
        OK(at_model_save(&c.m, path, &err));
        at_model_release(&c.m);
        OK(at_model_load(&c.m, path, &err));
        OK(at_model_hash(&c.m, two, &err));
        assert_string_equal(one, two);
        at_verdict w = small_verdict(&c, &a);
        assert_int_equal(v.holds, AT_TRUE);
        assert_int_equal(w.holds, AT_TRUE);
        assert_int_equal(v.inputs, w.inputs);
        assert_true(v.margin == w.margin);
        point_release(&c);
        at_arena_release(&a);
    }
    unlink(path);
    rmdir(dir);
}

/* The interpreter never sees a weight. Reals, and what is rounded, differ by at most the error that the assembler promised. A
 * decision's value is a ramp or trapezoid far in its flat part, so it is the interpreter's but for rounding,
 * which test_balls.c bounds by 2^-20. */
static void test_program_is_model(void **state)
{
    (void)state;
    for (int k = 0; k < at_n_catalogue; k++) {
        if (at_catalogue[k]->chain || at_catalogue[k]->trial) /* src/front/test runs the former */
            continue;
        point c;
        point_params(&c, at_catalogue[k]->id, at_catalogue[k]->look_params, NULL);
        at_program *P;
        double promised;
        OK(at_claim_program(c.claim, &c.p, &P, &err));
        OK(at_assemble(P, &c.m, &promised, &err));
        bool raw = c.m.readout.kind == AT_READ_RAW, numbers = at_read_numbers(c.m.readout.kind);
        bool rounds = c.m.readout.kind == AT_READ_ROUND;
        double allowed = (raw || rounds ? promised : 0) + 0x1p-20;
        assert_true(!raw || promised <= c.tolerance * (1 + 0x1p-30)); /* and its rounding */
        int differ = 0;                                               /* that answers vary at all */
        double first = NAN;
        for (uint64_t i = 0; i < 200; i++) {
            at_arena a;
            at_arena_init(&a);
            double *x = at_new(&a, double, c.n *c.row), *value;
            at_rng r = at_rng_at(11, i);
            (i % 2 ? c.t->adversarial : c.t->sample)(&c.tp, &r, x);
            at_input in = {c.n, x};
            at_output y;
            OK(at_program_run(P, &in, &a, &value, &err));
            OK(at_run(&c.m, at_f64, &in, NULL, &a, &y, &err));
            double *decision = at_new(&a, double, c.n *c.out), *margin = at_new(&a, double, c.n *c.out);
            int positions = c.t->last ? 1 : c.n;
            at_decide(&c.m.readout, positions, value, decision, margin);
            for (int j = 0; j < positions * c.out; j++) {
                double off = fabs(y.value[j] - value[j]);
                if (!(off <= allowed))
                    fail_msg("%s input %d: %g off, allowed %g", c.claim->id, (int)i, off, allowed);
                if (!numbers)
                    assert_true(decision[j] == y.decision[j]);
                first = isnan(first) ? decision[0] : first;
                differ += decision[j] != first;
            }
            at_arena_release(&a);
        }
        assert_true(differ > 0);
        at_program_free(P);
        point_release(&c);
    }
}

/* ---- finding, and refusing --------------------------------------------------------------------------------- */

static void test_find(void **state)
{
    (void)state;
    for (int i = 0; i < at_n_catalogue; i++) {
        assert_ptr_equal(at_claim_find(at_catalogue[i]->id), at_catalogue[i]);
        if (at_catalogue[i]->chain || at_catalogue[i]->trial || at_catalogue[i]->asks)
            assert_null(at_catalogue[i]->task);
        else
            assert_non_null(at_task_find(at_catalogue[i]->task));
    }
    at_err err = {0};
    const at_claim *c;
    assert_int_equal(at_claim_need("match22", &c, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "did you mean 'match2'"));
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *id, *params, *words;
    } cases[] = {
        {"qsa-rip", "N=2 q=3", "at most"},    {"qsa-rip", "N=1024 q=4", "2^27"},
        {"qsa-rip", "N=64 q=2 m=2", "draws"}, {"qsa-moment", "N=3 q=4", "at most"},
        {"qsa-moment", "N=512 q=4", "2^22"},
    };
    for (int k = 0; k < 5; k++) {
        const at_claim *c = at_claim_find(cases[k].id);
        at_params p;
        at_model m;
        at_err err = {0};
        at_params_init(&p, c->params, c->n_params);
        assert_int_equal(at_params_parse(&p, cases[k].params, &err), AT_OK);
        assert_int_equal(at_claim_model(c, &p, &m, &err), AT_EDOMAIN);
        assert_non_null(strstr(err.text, cases[k].words));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),          cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_sizes),         cmocka_unit_test(test_hash_is_stable),
        cmocka_unit_test(test_save_and_load), cmocka_unit_test(test_program_is_model),
        cmocka_unit_test(test_splits),        cmocka_unit_test(test_one_model_for_all_lengths),
        cmocka_unit_test(test_every_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
