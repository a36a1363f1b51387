/* test_shrink.c: what a counterexample may be shrunk to, on a task where every kind of answer has its token. */
#include "../check_internal.h"
#include "check_test.h"

/* The right answer is 0 everywhere. The model says what the table says, and decides above 1/2. */
enum { LONGEST = 1000 };
enum { RIGHT, OPEN, WRONG, WORSE, TOKENS };
static const double table[TOKENS] = {0, 0.5, 1, 2};

static const at_param schema[] = {{"N", "length", 1, LONGEST, 2, true}};

static int one(const at_params *p)
{
    (void)p;
    return 1;
}

static int runs; /* of inputs that were judged */

static void answer(const at_params *p, const double *x, double *y)
{
    (void)x;
    runs++;
    memset(y, 0, (size_t)at_params_int(p, "N") * sizeof *y);
}

/* One token less, at one position. */
static bool simpler(const at_params *p, const double *x, int n, int k, double *out)
{
    (void)p;
    memcpy(out, x, (size_t)n * sizeof *x);
    for (int i = 0; i < n; i++)
        if (x[i] > 0 && k-- == 0) {
            out[i]--;
            return true;
        }
    return false;
}

static bool no_wrong(const at_params *p, const double *x)
{
    for (int i = 0; i < at_params_int(p, "N"); i++)
        if (x[i] == WRONG)
            return false;
    return true;
}

static bool some_open(const at_params *p, const double *x)
{
    for (int i = 0; i < at_params_int(p, "N"); i++)
        if (x[i] == OPEN)
            return true;
    return false;
}

static const at_task toy = {.id = "toy",
                            .params = schema,
                            .n_params = 1,
                            .row_width = one,
                            .out_width = one,
                            .answer = answer,
                            .simpler = simpler};

static at_model model(bool raw)
{
    at_program *P = at_program_new("toy", LONGEST);
    at_var v = at_lookup(P, "v", at_token(P, "x", TOKENS), table);
    at_emit(P, AT_VEC(v), raw ? AT_READ_RAW : AT_READ_THRESHOLD, 0.5);
    at_model m;
    OK(at_assemble(P, &m, NULL, &err));
    at_program_free(P);
    return m;
}

typedef struct {
    bool confirmed;
    at_counterexample cx;
    double x[LONGEST];
} shrunk;

static bool plain;

static shrunk shrink(const at_task *t, at_arith arith, double tolerance, int n, const double *x)
{
    at_model m = model(t->real);
    at_question q = {.evidence = AT_EV_SAMPLED, .arith = arith, .tolerance = tolerance, .plain = plain};
    at_params p;
    at_params_init(&p, schema, 1);
    OK(at_params_set(&p, "N", n, &err));
    shrunk s = {0};
    at_arena a;
    at_arena_init(&a);
    OK(counterexample_shrink(&m, t, &p, &q, x, n, &a, &s.cx, &s.confirmed, &err));
    if (s.confirmed)
        memcpy(s.x, s.cx.x, (size_t)s.cx.n * sizeof *s.x);
    at_arena_release(&a);
    at_model_release(&m);
    return s;
}

#define SHRINK(t, ...)                                                                                       \
    shrink(t, at_f64, 0, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})

static void is(const shrunk *s, int n, int token, int position, double got, bool unknown)
{
    assert_true(s->confirmed);
    assert_int_equal(s->cx.n, n);
    assert_true(s->x[position] == token);
    assert_int_equal(s->cx.position, position);
    assert_true(s->cx.expected == 0 && s->cx.got == got);
    assert_int_equal(s->cx.unknown, unknown);
}

/* An input that is surely wrong becomes one that is surely wrong, though one that is only open would be shorter
 * (dropping a position) or simpler (a smaller token). */
static void test_sure_stays_sure(void **state)
{
    (void)state;
    shrunk s = SHRINK(&toy, WORSE);
    is(&s, 1, WRONG, 0, 1, false);
    s = SHRINK(&toy, WORSE, OPEN);
    is(&s, 1, WRONG, 0, 1, false);
    s = SHRINK(&toy, RIGHT, WORSE, OPEN, RIGHT);
    is(&s, 1, WRONG, 0, 1, false);
    s = SHRINK(&toy, OPEN, RIGHT, WORSE); /* the open position comes first, but is not what is told */
    is(&s, 1, WRONG, 0, 1, false);
    at_task t = toy; /* of whose inputs [OPEN] is the only shorter one */
    t.holds = some_open;
    s = SHRINK(&t, WORSE, OPEN);
    is(&s, 2, WRONG, 0, 1, false);
    s = SHRINK(&t, OPEN, WORSE);
    is(&s, 2, WRONG, 1, 1, false);
}

/* An input that is open shrinks to any that fails. */
static void test_open_shrinks(void **state)
{
    (void)state;
    shrunk s = SHRINK(&toy, RIGHT, OPEN, RIGHT);
    is(&s, 1, OPEN, 0, s.cx.got, true);
    s = SHRINK(&toy, RIGHT, RIGHT);
    assert_false(s.confirmed);
}

/* What is no input of the task is not a simpler input. */
static void test_stays_in_the_task(void **state)
{
    (void)state;
    at_task t = toy;
    t.holds = no_wrong;
    shrunk s = SHRINK(&t, RIGHT, WORSE);
    is(&s, 1, WORSE, 0, 1, false);
}

/* Real answers: off by more than the tolerance is wrong; a ball that reaches into it is open. */
static void test_real(void **state)
{
    (void)state;
    at_task t = toy;
    t.real = true;
    double x[] = {RIGHT, WORSE, OPEN};
    shrunk s = shrink(&t, at_f64, 0.75, 3, x);
    is(&s, 1, WRONG, 0, 1, false);
    s = shrink(&t, at_f64, 0.25, 3, x);
    is(&s, 1, OPEN, 0, 0.5, false);
    s = shrink(&t, at_f64, 1, 3, x); /* 1 is within it */
    is(&s, 1, WORSE, 0, 2, false);
    s = shrink(&t, at_f64, 2, 3, x);
    assert_false(s.confirmed);
}

/* A long input loses halves before it loses positions: of 1,000 one is left after some dozens of runs. As it was met, it is run
 * once. */
static void test_long(void **state)
{
    (void)state;
    double x[LONGEST] = {0};
    for (int at = 0; at < LONGEST; at += 111) {
        x[at] = WORSE;
        runs = 0;
        shrunk s = shrink(&toy, at_f64, 0, LONGEST, x);
        is(&s, 1, WRONG, 0, 1, false);
        assert_in_range(runs, 10, 150);
        runs = 0;
        plain = true;
        s = shrink(&toy, at_f64, 0, LONGEST, x);
        plain = false;
        is(&s, LONGEST, WORSE, at, 1, false);
        assert_int_equal(runs, 1);
        x[at] = RIGHT;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sure_stays_sure),
        cmocka_unit_test(test_open_shrinks),
        cmocka_unit_test(test_stays_in_the_task),
        cmocka_unit_test(test_real),
        cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
