/* test_program_errors.c: every failure of a builder is said in words, once, and stays. */
#include <attest/program.h>

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

/* A program with one token x (0..4), one boolean, one fraction and one large integer to go wrong with. */
typedef struct {
    at_program *P;
    at_var field, x, b, part, large;
} bench;

static bench bench_new(void)
{
    bench k = {.P = at_program_new("wrong", 8)};
    assert_non_null(k.P);
    at_suffix(k.P, 1);
    k.field = at_token(k.P, "f", 5);
    k.x = at_number(k.P, "x", k.field);
    k.b = at_at_least(k.P, "b", k.x, 2);
    k.part = at_position(k.P, "part", AT_POS_I_OVER_N);
    k.large = at_sum(k.P, "large", AT_VEC(k.x), (double[]){0x1p52}, 0);
    assert_int_equal(at_program_status(k.P, NULL), AT_OK);
    return k;
}

/* The program has failed with this code and these words; assembling, running and printing say so too. */
static void bench_end(bench k, at_status code, const char *words)
{
    at_err err = {0}, again = {0}, third = {0};
    if (at_program_status(k.P, &err) != code || !strstr(err.text, words))
        fail_msg("said \"%s\", not \"%s\"", err.text, words);
    assert_non_null(strstr(err.text, "program wrong: "));
    assert_int_equal(at_token(k.P, "later", 3), -1); /* sticky */
    assert_int_equal(at_const(k.P, 1), -1);
    at_emit(k.P, AT_VEC(k.x), AT_READ_RAW, 0);
    at_model m;
    assert_int_equal(at_assemble(k.P, &m, NULL, &again), code);
    assert_string_equal(err.text, again.text);
    at_arena a;
    at_arena_init(&a);
    double *out, in[1] = {1};
    assert_int_equal(at_program_run(k.P, &(at_input){1, in}, &a, &out, &third), code);
    at_arena_release(&a);
    at_text t;
    at_text_init(&t);
    assert_int_equal(at_program_print(k.P, &t), code);
    at_text_release(&t);
    at_program_free(k.P);
}

#define WRONG(words, call)                                                                                   \
    do {                                                                                                     \
        bench k = bench_new();                                                                               \
        (void)(call);                                                                                        \
        bench_end(k, AT_EDOMAIN, words);                                                                     \
    } while (0)

static at_var done(bench k) /* for calls that return nothing */
{
    return k.x;
}

static void test_inputs(void **state)
{
    (void)state;
    double nan_table[5] = {0, 1, NAN, 0, 0}, inf_rows[9] = {[3] = INFINITY};
    WRONG("field f must be looked up before use", at_absolute(k.P, "y", k.field));
    WRONG("field f must be looked up before use", at_neg(k.P, k.field));
    WRONG("y looks up something that is not a field", at_lookup(k.P, "y", k.x, nan_table));
    WRONG("y looks up something that is not a field", at_number(k.P, "y", k.x));
    WRONG("y looks up something that is not a field", at_number(k.P, "y", 1000));
    WRONG("y looks up something that is not a field", at_number(k.P, "y", -1));
    WRONG("field s is a subset", at_number(k.P, "y", at_subset(k.P, "s", 9, 4)));
    WRONG("table of y has a value that is not finite", at_lookup(k.P, "y", k.field, nan_table));
    WRONG("table of y has a value that is not finite", at_position_rows(k.P, "y", 1, inf_rows));
    WRONG("y: 0 tables", at_lookup_rows(k.P, "y", k.field, 0, nan_table));
    WRONG("y: -1 tables", at_position_rows(k.P, "y", -1, inf_rows));
    WRONG("field g: size 0", at_token(k.P, "g", 0));
    WRONG("field g: size 3, pick 4", at_subset(k.P, "g", 3, 4));
    WRONG("field g: a table of 118264581564861424 rows", at_subset(k.P, "g", 60, 30));
    WRONG("field g: 0 reals", at_reals(k.P, "g", 0, 0, 1));
    WRONG("field g: 2 integers in [0,1.5]", at_ints(k.P, "g", 2, 0, 1.5));
    WRONG("field g: 2 reals in [1,0]", at_reals(k.P, "g", 2, 1, 0));
    WRONG("field g: 1 reals in [0,inf]", at_reals(k.P, "g", 1, 0, INFINITY));
    WRONG("position feature y has more than one value", at_position(k.P, "y", AT_POS_SINUSOIDAL));
    WRONG("y marks hidden position 1, which does not exist", at_mark_suffix(k.P, "y", 1));
    WRONG("y marks hidden position 0, which does not exist", at_mark_prefix(k.P, "y", 0));
    for (int use = 0; use < 4; use++) { /* whatever an attention has read has its range */
        bench k = bench_new();
        at_var seen = at_number(k.P, "seen", k.field);
        at_vec a = AT_VEC(seen), b = AT_VEC(k.x);
        if (use < 3)
            at_attend(
                k.P, "y",
                &(at_attention){
                    .query = use == 0 ? a : b, .key = use == 1 ? a : b, .value = use == 2 ? a : b, .gap = 1});
        else
            at_absolute(k.P, "y", seen);
        at_hidden_suffix(k.P, seen, 0, 9);
        bench_end(k, AT_EDOMAIN, "a hidden value of seen is set after its first use");
    }
    bench many = bench_new();
    for (int i = 0; i < AT_MAX_FIELDS; i++)
        at_token(many.P, "another", 2);
    bench_end(many, AT_EDOMAIN, "more than 16 fields");
}

static void test_frame(void **state)
{
    (void)state;
    WRONG("prefix is set after input x", (at_prefix(k.P, 1), done(k)));
    WRONG("suffix is set after input x", (at_suffix(k.P, 2), done(k)));
    WRONG("origin is set after input x", (at_origin(k.P, 0), done(k)));
    WRONG("shortest length -1 is outside 0..8", (at_program_lengths(k.P, -1), done(k)));
    WRONG("shortest length 9 is outside 0..8", (at_program_lengths(k.P, 9), done(k)));
    WRONG("shortest length is set after input n",
          (at_program_lengths(k.P, 5), at_position(k.P, "n", AT_POS_N), at_program_lengths(k.P, 4), done(k)));
    WRONG("prefix -1 is outside 0..", (at_prefix(k.P, -1), done(k)));
    WRONG("a hidden value is set where there is none", (at_hidden_suffix(k.P, k.x, 1, 0), done(k)));
    WRONG("a hidden value is set where there is none", (at_hidden_prefix(k.P, k.x, 0, 0), done(k)));
    WRONG("a hidden value is set where there is none", (at_hidden_suffix(k.P, k.part, 0, 0), done(k)));
    WRONG("a hidden value of x is set after its first use", (at_hidden_suffix(k.P, k.x, 0, 1), done(k)));
    bench k = bench_new(); /* a use by attention only */
    at_var t = at_lookup(k.P, "t", k.field, (double[]){1, 2, 3, 4, 5});
    at_attend(k.P, "y",
              &(at_attention){.query = AT_VEC(k.x), .key = AT_VEC(t), .value = AT_VEC(k.x), .gap = 1});
    at_hidden_suffix(k.P, t, 0, 9);
    bench_end(k, AT_EDOMAIN, "a hidden value of t is set after its first use");
    bench o = bench_new(); /* a use by the output only */
    t = at_lookup(o.P, "t", o.field, (double[]){1, 2, 3, 4, 5});
    at_emit(o.P, AT_VEC(t), AT_READ_RAW, 0);
    at_hidden_suffix(o.P, t, 0, 9);
    bench_end(o, AT_EDOMAIN, "a hidden value of t is set after its first use");
    bench h = bench_new();
    t = at_lookup(h.P, "t", h.field, (double[]){1, 2, 3, 4, 5});
    at_hidden_suffix(h.P, t, 0, NAN);
    bench_end(h, AT_EDOMAIN, "a hidden value of t is not finite");
    static const int lengths[] = {0, -3, AT_MAX_LENGTH + 1};
    for (int i = 0; i < 3; i++) {
        at_program *P = at_program_new("long", lengths[i]);
        at_err err = {0};
        assert_int_equal(at_program_status(P, &err), AT_EDOMAIN);
        assert_non_null(strstr(err.text, "is outside 1..1048576"));
        at_program_free(P);
    }
}

static void test_steps(void **state)
{
    (void)state;
    WRONG("y needs a boolean, x is not one", at_and(k.P, "y", k.x, k.b));
    WRONG("y needs a boolean, x is not one", at_or(k.P, "y", k.b, k.x));
    WRONG("y needs an integer below 2^53, part is not one", at_select(k.P, "y", k.part, k.x, k.x));
    WRONG("y needs an integer below 2^53, part is not one", at_at_least(k.P, "y", k.part, 1));
    WRONG("y needs an integer below 2^53, large is not one", at_product(k.P, "y", k.large, k.x));
    WRONG("y needs an integer below 2^53, its argument is not one",
          at_equals(k.P, "y", at_scaled(k.P, 0.5, k.x), 1));
    WRONG("y compares an integer with 0.5", at_at_least(k.P, "y", k.x, 0.5));
    WRONG("y compares an integer with inf", at_equals(k.P, "y", k.x, INFINITY));
    WRONG("y: ramp from 1 to 1", at_ramp(k.P, "y", k.part, 1, 1));
    WRONG("y: ramp from 2 to 1", at_ramp(k.P, "y", k.part, 2, 1));
    WRONG("y: ramp from -inf to 1", at_ramp(k.P, "y", k.part, -INFINITY, 1));
    WRONG("y uses a variable that does not exist", at_ramp(k.P, "y", 99, 0, 1));
    WRONG("y uses a variable that does not exist", at_max2(k.P, "y", k.x, -1));
    WRONG("? uses a variable that does not exist", at_add(k.P, k.x, 99));
    WRONG("an expression has no finite range", at_scaled(k.P, NAN, k.x));
    WRONG("an expression has no finite range", at_const(k.P, INFINITY));
    WRONG("y divides by 0", at_floor_div(k.P, "y", k.x, 0));
    WRONG("y: a table of 40000001 entries, at most 16777216",
          at_floor_div(k.P, "y", at_scaled(k.P, 1e7, k.x), 2));
    WRONG("y: the factors' ranges add up to more than", at_product(k.P, "y", at_scaled(k.P, 1e7, k.x), k.x));
    WRONG("table of y has a value that is not finite", at_table(k.P, "y", k.x, (double[]){0, 0, NAN, 0, 0}));
    WRONG("y: 0 centres", at_near(k.P, "y", k.x, NULL, 0, 1, 1));
    WRONG("radius -1", at_near(k.P, "y", k.x, (double[]){0}, 1, -1, 1));
    WRONG("slope width 0", at_near(k.P, "y", k.x, (double[]){0}, 1, 1, 0));
    WRONG("y: 1 centres", at_near(k.P, "y", k.x, (double[]){NAN}, 1, 1, 1));
    WRONG("no output", (at_emit(k.P, (at_vec){0, NULL}, AT_READ_RAW, 0), done(k)));
    WRONG("does not exist or a bare field", (at_emit(k.P, AT_VEC(k.field), AT_READ_RAW, 0), done(k)));
}

#define ATTEND(...) at_attend(k.P, "y", &(at_attention){__VA_ARGS__})

static void test_attention(void **state)
{
    (void)state;
    WRONG("y: attention needs", ATTEND(.query = AT_VEC(k.x), .key = AT_VEC(k.x), .value = AT_VEC(k.x)));
    WRONG("a gap above 0", ATTEND(.query = AT_VEC(k.x), .key = AT_VEC(k.x), .value = AT_VEC(k.x), .gap = -1));
    WRONG("a gap above 0",
          ATTEND(.query = AT_VEC(k.x), .key = AT_VEC(k.x), .value = AT_VEC(k.x), .gap = NAN));
    WRONG("a gap above 0",
          ATTEND(.query = AT_VEC(k.x), .key = AT_VEC(k.x), .value = AT_VEC(k.x), .gap = INFINITY));
    WRONG("needs a boolean", ATTEND(.query = AT_VEC(k.x), .key = AT_VEC(k.x), .value = AT_VEC(k.x), .gap = 1,
                                    .weighting = AT_LINEAR));
    WRONG("one value when it has a base",
          ATTEND(.query = AT_VEC(k.x), .key = AT_VEC(k.x), .value = AT_VEC(k.x, k.b), .gap = 1, .base = k.x,
                 .base_plus = true));
    WRONG("query, key and value have 1, 2 and 1 components",
          ATTEND(.query = AT_VEC(k.x), .key = AT_VEC(k.x, k.x), .value = AT_VEC(k.x), .gap = 1));
    WRONG("query, key and value have 1, 1 and 0 components",
          ATTEND(.query = AT_VEC(k.x), .key = AT_VEC(k.x), .gap = 1));
    WRONG("query, key and value have 1, 1 and 1 components", /* no second key */
          ATTEND(.query = AT_VEC(k.x), .key = AT_VEC(k.x), .value = AT_VEC(k.x), .gap = 1,
                 .weighting = AT_THREEWISE));
    WRONG("does not exist or a bare field",
          ATTEND(.query = AT_VEC(k.field), .key = AT_VEC(k.x), .value = AT_VEC(k.x), .gap = 1));
    WRONG("does not exist or a bare field",
          ATTEND(.query = AT_VEC(k.x), .key = AT_VEC(k.x), .value = AT_VEC(77), .gap = 1));
    WRONG("y uses a variable that does not exist",
          ATTEND(.query = AT_VEC(k.x), .key = AT_VEC(k.x), .value = AT_VEC(k.x), .gap = 1, .base = 99,
                 .base_plus = true));
}

/* ---- what only assembly can find: the message names the variable ------------------------------------------ */

static void assembly_fails(bench k, at_var out, const char *words)
{
    at_emit(k.P, AT_VEC(out), AT_READ_RAW, 0);
    at_err err = {0};
    at_model m;
    double bound = -1;
    if (at_assemble(k.P, &m, &bound, &err) != AT_EDOMAIN || !strstr(err.text, words))
        fail_msg("said \"%s\", not \"%s\"", err.text, words);
    assert_true(bound == -1); /* written only on success */
    at_program_free(k.P);
}

/* An integer with error e (half of what is wanted is kept for score errors): the value of x at the key whose score is largest. */
static at_var noisy(bench k, const char *name, double e)
{
    return at_attend(k.P, name,
                     &(at_attention){.query = AT_VEC(k.x),
                                     .key = AT_VEC(k.x),
                                     .value = AT_VEC(k.x),
                                     .gap = 1,
                                     .error = 2 * e,
                                     .unique = true});
}

static void test_assembly(void **state)
{
    (void)state;
    bench k = bench_new();
    assembly_fails(k, at_equals(k.P, "same", noisy(k, "about", 0.7), 3),
                   "program wrong: same: its argument, in 0..4, has error 0.7");
    k = bench_new();
    assembly_fails(k, at_product(k.P, "times", noisy(k, "a", 0.4), noisy(k, "c", 0.4)),
                   "times: its argument, in 0..4, has error 0.8");
    k = bench_new(); /* a score of noisy integers leaves nothing of the gap */
    at_var n = noisy(k, "about", 0.3);
    assembly_fails(k, ATTEND(.query = AT_VEC(n), .key = AT_VEC(k.x), .value = AT_VEC(k.x), .gap = 1),
                   "attention y: score error");
    k = bench_new(); /* ties spread the weight: no scale is good enough */
    n = noisy(k, "about", 0.01);
    assembly_fails(
        k, ATTEND(.query = AT_VEC(n), .key = AT_VEC(k.x), .value = AT_VEC(k.x), .gap = 1, .error = 1e-9),
        "attention y: error 1e-09 cannot be reached");
    k = bench_new(); /* hard attention takes what is within gap/2 */
    n = noisy(k, "about", 0.075);
    assembly_fails(k,
                   ATTEND(.query = AT_VEC(n), .key = AT_VEC(k.x), .value = AT_VEC(k.x), .gap = 1,
                          .weighting = AT_LEFTMOST_HARD),
                   "attention y: score error 0.3 breaks its ties");
    k = bench_new(); /* average-hard unique or not */
    n = noisy(k, "about", 0.075);
    assembly_fails(k,
                   ATTEND(.query = AT_VEC(n), .key = AT_VEC(k.x), .value = AT_VEC(k.x), .gap = 1,
                          .unique = true, .weighting = AT_AVERAGE_HARD),
                   "attention y: score error 0.3 breaks its ties");
    k = bench_new(); /* the errors of two components add up */
    n = noisy(k, "about", 0.0375);
    assembly_fails(k,
                   ATTEND(.query = AT_VEC(n, n), .key = AT_VEC(k.x, k.x), .value = AT_VEC(k.x), .gap = 1,
                          .weighting = AT_AVERAGE_HARD),
                   "attention y: score error 0.3 breaks its ties");
    k = bench_new(); /* and those of query and key: 0.01 * 4.01 twice */
    n = noisy(k, "about", 0.01);
    assembly_fails(k,
                   ATTEND(.query = AT_VEC(n), .key = AT_VEC(n), .value = AT_VEC(k.x), .gap = 0.2,
                          .weighting = AT_AVERAGE_HARD),
                   "attention y: score error 0.0802 breaks its ties");
    k = bench_new();
    assembly_fails(k,
                   ATTEND(.query = AT_VEC(k.x), .key = AT_VEC(k.x), .value = AT_VEC(k.x), .gap = 0.25,
                          .scale = 2, .weighting = AT_SPARSEMAX),
                   "attention y: scale 2 leaves other keys an error, 4 is needed");
    k = bench_new();
    assembly_fails(k, at_floor_div(k.P, "half", at_scaled(k.P, 50000, k.x), 2),
                   "program wrong: half: an MLP layer of more than 65536 units");
    k = bench_new(); /* no output at all */
    at_err err = {0};
    at_model m;
    assert_int_equal(at_assemble(k.P, &m, NULL, &err), AT_EDOMAIN);
    assert_string_equal(err.text, "program wrong has no output");
    at_program_free(k.P);
}

/* Numbers that p24e5 does not hold: its largest is just below 65536, its smallest normal one 2^-14. */
static void test_overflow(void **state)
{
    (void)state;
    const at_arith half = {.kind = AT_PBIT, .bits = 24, .exp_bits = 5};
#define OVERFLOW(words, out)                                                                                 \
    do {                                                                                                     \
        bench k = bench_new();                                                                               \
        at_program_arithmetic(k.P, half);                                                                    \
        at_var far = at_scaled(k.P, 16383, k.x), one = at_const(k.P, 1);                                     \
        assembly_fails(k, (out), words);                                                                     \
        (void)far, (void)one;                                                                                \
    } while (0)
    OVERFLOW("v: an output, whose error in p24e5 has no bound",
             at_sum(k.P, "v", AT_VEC(k.x), (double[]){1e6}, 0));
    OVERFLOW("v: an output, whose error in p24e5 has no bound", at_sum(k.P, "v", AT_VEC(k.x), NULL, 1e6));
    OVERFLOW("v: an output, whose error in p24e5 has no bound",
             at_select(k.P, "v", k.b, at_const(k.P, 1e5), k.x));
    OVERFLOW("v: an output, whose error in p24e5 has no bound", /* fits, but not twice */
             at_max2(k.P, "v", k.x, at_sub(k.P, at_pass(k.P, "p", far), at_scaled(k.P, -1, far))));
    OVERFLOW("y: an output, whose error in p24e5 has no bound", /* a sum of nine */
             ATTEND(.query = AT_VEC(one), .key = AT_VEC(k.x), .value = AT_VEC(far), .gap = 1,
                    .weighting = AT_AVERAGE_HARD));
    OVERFLOW("attention y: its scores, times",
             ATTEND(.query = AT_VEC(one), .key = AT_VEC(far), .value = AT_VEC(k.x), .gap = 1));
    OVERFLOW("attention y: its scores, times",
             ATTEND(.query = AT_VEC(one), .key = AT_VEC(far), .value = AT_VEC(k.x), .gap = 0.125,
                    .weighting = AT_SPARSEMAX));
    OVERFLOW("attention y: score error inf leaves nothing of the gap 1",
             ATTEND(.query = AT_VEC(k.x), .key = AT_VEC(far), .value = AT_VEC(k.x), .gap = 1,
                    .weighting = AT_LEFTMOST_HARD));
    OVERFLOW("y: an output, whose error in p24e5 has no bound", /* no key of the class: all weights vanish */
             ATTEND(.query = AT_VEC(k.b, at_not(k.P, k.b)), .key = AT_VEC(k.b, at_not(k.P, k.b)),
                    .value = AT_VEC(k.x), .gap = 1, .weighting = AT_LINEAR));
    OVERFLOW("attention y: its scale 100000 may overflow",
             ATTEND(.query = AT_VEC(k.b, at_not(k.P, k.b)), .key = AT_VEC(k.b, at_not(k.P, k.b)),
                    .value = AT_VEC(k.x), .gap = 1, .scale = 1e5, .weighting = AT_LINEAR));
#undef OVERFLOW
}

/* The interpreter refuses what the model would refuse. */
static void test_domain(void **state)
{
    (void)state;
    bench k = bench_new();
    at_emit(k.P, AT_VEC(k.x), AT_READ_RAW, 0);
    at_arena a;
    at_arena_init(&a);
    double *out, token[9] = {5};
    at_err err = {0}, none = {0}, full = {0};
    assert_int_equal(at_program_run(k.P, &(at_input){1, token}, &a, &out, &err), AT_EDOMAIN);
    assert_non_null(strstr(err.text, "out of range 0..4"));
    token[0] = 4;
    assert_int_equal(at_program_run(k.P, &(at_input){9, token}, &a, &out, &none), AT_EDOMAIN);
    assert_int_equal(at_program_run(k.P, &(at_input){0, token}, &a, &out, &full), AT_EDOMAIN);
    at_err ok = {0};
    assert_int_equal(at_program_run(k.P, &(at_input){1, token}, &a, &out, &ok), AT_OK);
    assert_true(out[0] == 4);
    at_arena_release(&a);
    at_program_free(k.P);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs),    cmocka_unit_test(test_frame),    cmocka_unit_test(test_steps),
        cmocka_unit_test(test_attention), cmocka_unit_test(test_assembly), cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
