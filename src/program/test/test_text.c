/* test_text.c: the text of a program is the program: print, parse, print is the identity, and the models are one. What
 * people write by hand means what the builders make. Every fault is said in one line, with its place. */
#include "../../core/test/test_scale.h"
#include "random_program.h"
#include "text_test.h"

#include <math.h>

static void test_random_programs(void **state)
{
    (void)state;
    int assembled = 0;
    for (int s = 0; s < TEST_SCALED(2000); s++) {
        maker k = {.r = at_rng_at(77, (uint64_t)s),
                   .how = {.range = 65536, .fields = s % 2, .hard = s % 3 == 1, .noisy = s % 5 == 1}};
        random_program(&k);
        assert_non_null(k.P);
        if (s % 7 == 1)
            at_gelu(k.P, 0x1p40 / 3);
        if (s % 11 == 1)
            at_program_arithmetic(k.P, at_f32);
        if (s % 13 == 1)
            at_program_weaken(k.P, 0.1);
        if (s % 17 == 1)
            at_program_narrow(k.P);
        char what[32];
        snprintf(what, sizeof what, "random program %d", s);
        assembled += text_same(k.P, what);
        at_program_free(k.P);
    }
    print_message("%d random programs, %d of them assembled\n", TEST_SCALED(2000), assembled);
    assert_true(assembled > TEST_SCALED(1200));
}

/* Names that need quotes, names used twice, sums that several steps share, -0, what an author knows, marks with two values,
 * hidden values of vectors, gaps by position, kernels, products of reals. */
static void test_corners(void **state)
{
    (void)state;
    at_program *P = at_program_new("a \"name\"\\\n\xc3\xa9\xff", 4);
    at_prefix(P, 2);
    at_suffix(P, 1);
    at_origin(P, 0);
    at_var f = at_token(P, "number", 3), x = at_number(P, "x", f), y = at_number(P, "x", f);
    at_var w = at_lookup_rows(P, "x", f, 2, (double[]){0.1, -0.0, 1 / 3., 1e300, 0x1p-1074, -5});
    at_hidden_prefix(P, w + 1, 1, 0.7);
    at_hidden_suffix(P, w, 0, -0.0);
    at_var mark = at_mark_prefix(P, "for", 1), pi = at_mark_suffix(P, "pi", 0);
    at_hidden_prefix(P, pi, 0, -1.5);
    at_var both = at_add(P, x, y), not_both = at_sub(P, both, at_const(P, -0.0));
    at_var low = at_min2(P, "low", not_both, both), high = at_max2(P, "", both, at_scaled(P, 1, x));
    at_var turned[2] = {at_sub(P, high, mark), at_sub(P, low, mark)}; /* made in another order than used */
    at_var top = at_max2(P, "top", turned[1], turned[0]);
    at_var deep = top;
    for (int k = 0; k < 40; k++)
        deep = k % 3 ? at_neg(P, deep) : at_add(P, deep, at_scaled(P, -0.0, w));
    at_var k1 = at_known(P, "known", deep, -3, 2.5, true, at_not(P, mark));
    at_var k2 = at_known(P, NULL, k1, -2, 2, false, -1);
    double gaps[7] = {0.5, 1 / 3., 1, 1, 1, 1, 0.25};
    at_var z = at_attend(P, "z",
                         &(at_attention){.query = AT_VEC(k1, k2),
                                         .key = AT_VEC(x, mark),
                                         .value = AT_VEC(w, w + 1, k2),
                                         .gaps = gaps,
                                         .mask = {.kind = AT_MASK_BLOCK_SPARSE, 3, 2, 1},
                                         .error = 0x1p-9,
                                         .most = 3});
    at_var kern = at_attend(P, "z",
                            &(at_attention){.query = AT_VEC(x),
                                            .key = AT_VEC(y),
                                            .value = AT_VEC(z),
                                            .weighting = AT_LINEAR,
                                            .kernel = true,
                                            .base = both,
                                            .base_plus = true});
    at_var whole = at_equals(P, "whole", k1, 1);
    at_attend(P, "sums",
              &(at_attention){.query = AT_VEC(whole),
                              .key = AT_VEC(whole, mark),
                              .value = AT_VEC(whole),
                              .weighting = AT_LINEAR,
                              .mask = {.kind = AT_MASK_CAUSAL},
                              .gap = 1,
                              .adds = 9,
                              .wipe = AT_VEC(whole)});
    at_attend(
        P, "totals",
        &(at_attention){
            .query = AT_VEC(x), .key = AT_VEC(y), .value = AT_VEC(whole), .gap = 1, .most = 4, .total = 2.5});
    at_gelu(P, 0x1p30);
    at_var t = at_times(P, "times", kern, z + 1, 0.001);
    at_var c = at_choose_rows(P, "chosen", x, 0.5, AT_VEC(x, y), AT_VEC(y, t), 0.25);
    at_emit_last(P, AT_VEC(t, c + 1, at_const(P, 2)), AT_READ_SIGN, -0.0);
    assert_int_equal(at_program_status(P, NULL), AT_OK);
    text_same(P, "corners");
    at_program_free(P);
}

/* Lengths from 0: the interpreter, the model and the text know the empty input. */
static void test_empty(void **state)
{
    (void)state;
    at_program *P = at_program_new("largest", 3);
    at_program_lengths(P, 0);
    at_suffix(P, 1);
    at_var x = at_number(P, "x", at_token(P, "token", 4));
    at_var top = at_attend(P, "top",
                           &(at_attention){.query = AT_VEC(at_const(P, 1)),
                                           .key = AT_VEC(x),
                                           .value = AT_VEC(x, at_const(P, 1), x, x, x, x, x, x, x, x),
                                           .weighting = AT_LEFTMOST_HARD,
                                           .gap = 1});
    at_emit_last(P, AT_VEC(top, top + 1, top, top, top, top, top, top, top, top), AT_READ_ROUND, 0);
    at_err err = {0};
    at_model m;
    assert_int_equal(at_assemble(P, &m, NULL, &err), AT_OK);
    assert_int_equal(m.n_min, 0);
    at_arena a;
    at_arena_init(&a);
    static const double rows[3] = {1, 3, 2};
    for (int n = 0; n <= 3; n++) {
        double *want;
        at_output y;
        at_input in = {n, n ? rows : NULL};
        assert_int_equal(at_program_run(P, &in, &a, &want, &err), AT_OK);
        assert_int_equal(at_run(&m, at_f64, &in, NULL, &a, &y, &err), AT_OK);
        assert_int_equal(y.n, 1);
        assert_true(want[0] == (n < 2 ? n : 3) && want[1] == 1);
        for (int k = 0; k < 10; k++)
            assert_true(y.decision[k] == want[k]);
    }
    assert_true(text_same(P, "largest"));
    at_arena_release(&a);
    at_model_release(&m);
    at_program_free(P);

    P = at_program_new("none", 3); /* without a hidden row there is no last position */
    at_program_lengths(P, 0);
    x = at_number(P, "x", at_token(P, "token", 4));
    at_emit_last(P, AT_VEC(x), AT_READ_ROUND, 0);
    double *out;
    at_arena_init(&a);
    assert_int_equal(at_program_run(P, &(at_input){0, NULL}, &a, &out, &err), AT_EDOMAIN);
    assert_int_equal(at_assemble(P, &m, NULL, &err), AT_EDOMAIN);
    assert_non_null(strstr(err.text, "the empty input has no last position"));
    at_arena_release(&a);
    at_program_free(P);
}

/* ---- by hand --------------------------------------------------------------------------------------------------- */

static at_status parse(const char *s, const at_params *given, at_program **out, at_err *err)
{
    return at_program_parse(&(at_program_text){.path = "my.program", .s = s, .n = strlen(s)}, given, out,
                            err);
}

static const char pairs[] =
    "# pairs that sum to 0 modulo M\n"
    "parameter N = 6 in integers 1..64 \"length\"\n"
    "parameter M = 11 in integers 2..1000\n"
    "parameter c = 1\n"
    "program pairs, lengths 1..N, 1 hidden after\n"
    "input x: token 0..M-1\n"
    "cos = table of x (for r: cos(2*pi/M*r))\n"
    "sin = table of x (for r: sin(2*pi/M*r))\n"
    "blank = mark, after (1)\n"
    "paired = attend softmax query (cos, sin, 1) key (cos, -sin, blank) value (1 - blank)\n"
    "    gap 2*sin(pi/M)^2*(1 - 1e-9), scale c*M^2*log(6*N)\n"
    "output (ramp(paired; 0 below 1/6, 1 above 1/3)) read by threshold 1/2\n";

static at_program *pairs_built(int N, int M)
{
    at_program *P = at_program_new("pairs", N);
    double cosine[64], sine[64], s = at_sin(M_PI / M);
    at_suffix(P, 1);
    at_var x = at_token(P, "x", M);
    for (int r = 0; r < M; r++) {
        cosine[r] = at_cos(2 * M_PI / M * r);
        sine[r] = at_sin(2 * M_PI / M * r);
    }
    at_var cosx = at_lookup(P, "cos", x, cosine), sinx = at_lookup(P, "sin", x, sine);
    at_var blank = at_mark_suffix(P, "blank", 0);
    at_var paired = at_attend(P, "paired",
                              &(at_attention){.query = AT_VEC(cosx, sinx, at_const(P, 1)),
                                              .key = AT_VEC(cosx, at_neg(P, sinx), blank),
                                              .value = AT_VEC(at_not(P, blank)),
                                              .scale = 1. * at_pow(M, 2) * at_log(6 * N),
                                              .gap = 2 * at_pow(s, 2) * (1 - 1e-9)});
    at_emit(P, AT_VEC(at_ramp(P, "output.1", paired, 1 / 6., 1 / 3.)), AT_READ_THRESHOLD, 0.5);
    return P;
}

static void test_by_hand(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_param *schema;
    at_params p;
    at_program *P = NULL, *Q;
    at_err err = {0};
    int n;
    assert_int_equal(
        at_program_params(&(at_program_text){"my.program", pairs, strlen(pairs), 1}, &a, &schema, &n, &err),
        AT_OK);
    assert_int_equal(n, 3);
    assert_string_equal(schema[0].doc, "length");
    assert_true(schema[1].integer && schema[1].hi == 1000 && !schema[2].integer);
    at_params_init(&p, schema, n);
    for (int M = 11; M <= 13; M += 2) {
        char one[65], two[65];
        double error;
        assert_int_equal(at_params_set(&p, "M", M, &err), AT_OK);
        if (parse(pairs, M == 11 ? NULL : &p, &P, &err))
            fail_msg("%s", err.text);
        text_same(P, "pairs");
        Q = pairs_built(6, M);
        assert_int_equal(text_model(P, one, &error, &err), AT_OK);
        assert_int_equal(text_model(Q, two, &error, &err), AT_OK);
        assert_string_equal(one, two);
        at_program_free(P);
        at_program_free(Q);
    }
    at_arena_release(&a);
}

/* What is left out is derived: lengths of names, gaps of integers, steps inside others. */
static void test_left_out(void **state)
{
    (void)state;
    static const char text[] = "program p, lengths 1..4 input f: token 0..3 x = number of f i = position i\n"
                               "y = 2*max(x, 3 - 1) - and(at_least(x; 1), at_least(2 - x; 0))/2 + 1/4\n"
                               "z = attend leftmost-hard, mask causal query (2*x) key (i) value (x)\n"
                               "output (y, z, table(x; 1, for k: k)) read by raw";
    static const char good[] = "program p, lengths 1..4 input f: token 0..3 x = number of f i = position i\n"
                               "y = 2*max(x, 3 - 1) - and(at_least(x; 1), at_least(2 - x; 0))/2 + 1/4\n"
                               "z = attend leftmost-hard, mask causal query (2*x) key (i) value (x)\n"
                               "output (y, z, table(x; for k: k == 3)) read by raw";
    static const char exact[] = "program p, lengths 1..4\n"
                                "  input f: token 0..3\n"
                                "  x = number of f\n"
                                "  i = position i\n"
                                "  y.1 = max(x, 2)\n"
                                "  y.2 = at_least(x; 1)\n"
                                "  y.3 = at_least(2 - x; 0)\n"
                                "  y.4 = and(y.2, y.3)\n"
                                "  y = 0.25 + 2*y.1 - 0.5*y.4\n"
                                "  z = attend leftmost-hard, mask causal\n"
                                "      query (2*x)\n"
                                "      key   (i)\n"
                                "      value (x)\n"
                                "      gap 1\n"
                                "  output.1 = table(x; 0, 0, 0, 1)\n"
                                "  output (y, z, output.1) read by raw\n";
    at_program *P = NULL;
    at_err err = {0};
    assert_int_equal(parse(text, NULL, &P, &err), AT_EINPUT);
    err = (at_err){0};
    if (parse(good, NULL, &P, &err))
        fail_msg("%s", err.text);
    at_text t;
    at_text_init(&t);
    assert_int_equal(at_program_print_exact(P, &t), AT_OK);
    assert_string_equal(t.s, exact);
    text_same(P, "by hand");
    at_text_release(&t);
    at_program_free(P);
}

/* Numbers are compared as in C: a table of the answers for 0..3 against 1, by each sign. */
static void test_comparisons(void **state)
{
    (void)state;
    static const struct {
        const char *sign, *table;
    } rows[] = {{"==", "0, 1, 0, 0"}, {"!=", "1, 0, 1, 1"}, {"<", "1, 0, 0, 0"},
                {"<=", "1, 1, 0, 0"}, {">", "0, 0, 1, 1"},  {">=", "0, 1, 1, 1"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_program *P = NULL;
        at_err err = {0};
        at_text t, want;
        at_text_init(&t);
        at_text_init(&want);
        at_text_addf(&t,
                     "program p, lengths 1..4 input f: token 0..3 x = number of f\n"
                     "y = table(x; for k: k %s 1) output (y) read by raw",
                     rows[k].sign);
        at_text_addf(&want, "y = table(x; %s)\n", rows[k].table);
        if (parse(t.s, NULL, &P, &err))
            fail_msg("%s", err.text);
        at_text_release(&t);
        assert_int_equal(at_program_print_exact(P, &t), AT_OK);
        if (!strstr(t.s, want.s))
            fail_msg("%s: %s", rows[k].sign, t.s);
        at_text_release(&t);
        at_text_release(&want);
        at_program_free(P);
    }
}

/* A table that is a division all but at one end is none; a sum nested in either side is cut before it cannot be read. */
static void test_nearly(void **state)
{
    (void)state;
    for (int odd = -1; odd < 8; odd++) {
        double table[8];
        at_program *P = at_program_new("nearly", 4);
        at_var x = at_number(P, "x", at_token(P, "f", 8));
        for (int k = 0; k < 8; k++)
            table[k] = k / 2 + (k == odd ? 0.5 : 0);
        at_emit(P, AT_VEC(at_table(P, "half", x, table)), AT_READ_RAW, 0);
        assert_true(text_same(P, "nearly a division"));
        at_program_free(P);
    }
    for (int side = 0; side < 2; side++) {
        at_program *P = at_program_new("nested", 4);
        at_var x = at_number(P, "x", at_token(P, "f", 2)), deep = x;
        for (int k = 0; k < 100; k++)
            deep = side ? at_sub(P, x, deep) : at_sub(P, deep, x);
        at_emit(P, AT_VEC(at_max2(P, "y", deep, x)), AT_READ_RAW, 0);
        text_same(P, side ? "nested on the right" : "nested on the left");
        at_program_free(P);
    }
    at_program *P = at_program_new("twice", 4); /* the last step is shared: it is written once */
    at_text t;
    at_text_init(&t);
    at_var x = at_number(P, "x", at_token(P, "f", 2)), i = at_position(P, "i", AT_POS_I), v = at_add(P, x, i);
    at_emit(P, AT_VEC(v, v), AT_READ_RAW, 0);
    assert_int_equal(at_program_print_exact(P, &t), AT_OK);
    const char *sum = strstr(t.s, "x + i");
    if (!sum || strstr(sum + 1, "x + i"))
        fail_msg("%s", t.s);
    at_text_release(&t);
    text_same(P, "twice");
    at_program_free(P);
}

/* ---- faults --------------------------------------------------------------------------------------------------------- */

#define HEAD "program p, lengths 1..4, 1 hidden after\ninput f: token 0..3\nx = number of f\n"

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } faults[] = {
        {"", "1:1: expected \"program\""},
        {"progam p", "1:1: expected \"program\" and a name"},
        {"program", "1:8: expected the name of the program"},
        {"program p", "1:1: the lengths are missing"},
        {"program p, lenghts 1..4",
         "1:12: expected lengths, hidden, positions, GeLU, arithmetic, shape, scales or narrow"},
        {"program p, lengths 4..1", "1:23: the longest length is 1; allowed are integers in 4..1048576"},
        {"program p, lengths 1..4.5", "1:23: the longest length is 4.5; allowed are integers"},
        {"program p, lengths 1..N", "1:23: unknown name \"N\""},
        {"parameter N = 4 parameter N = 5", "1:27: a second parameter N"},
        {"parameter N = 4 in integers 5..6", "1:11: the default 4 is outside 5..6"},
        {"parameter N = 4.5 in integers 1..6", "1:11: a fraction"},
        {"program p, lengths 1..4, arithmetic f65", "1:37: "},
        {"program p, lengths 1..4, GeLU lambda -1", "1:1: GeLU units with lambda -1"},
        {HEAD "y = z", "4:5: unknown name \"z\"; a name is made"},
        {HEAD "yellow = x w = yelow", "4:16: unknown name \"yelow\"; did you mean \"yellow\"?"},
        {HEAD "x = f", "4:1: field f must be looked up before use"},
        {HEAD "x = x", "4:1: the name x is taken; another one of this name is x@2"},
        {HEAD "x@3 = x", "4:1: the name x is taken; another one of this name is x@2"},
        {HEAD "y@2 = x", "4:1: y@2 is the first of its name: y"},
        {HEAD "y = x@2", "4:5: there is no x@2"},
        {HEAD "y = @1", "4:5: there is no @1"},
        {HEAD "@2 = x + 1", "4:1: @2; the next one is @1"},
        {HEAD "@1 = max(x, 1)", "4:1: @1 is a sum; a step has a name"},
        {HEAD "for = x", "4:1: \"for\" is a word of the language; a variable of this name stands in quotes"},
        {HEAD "y = 2x", "4:5: a name begins with a letter; a product is written 2*x"},
        {HEAD "y = x*x", "4:6: variables are multiplied by product(x, y)"},
        {HEAD "y = 1/x", "4:6: variables are multiplied by"},
        {HEAD "y = x^2", "4:5: powers are of numbers"},
        {HEAD "y = x == 2", "4:7: == compares numbers; of variables write equals(x; 3)"},
        {HEAD "y = 1e999", "4:5: a number that is too long or too large"},
        {HEAD "y = (x + 1", "4:11: expected \")\" after an expression, found the end"},
        {HEAD "y = x $ 1", "4:7: unexpected $; allowed are names"},
        {HEAD "y = \x80", "4:5: unexpected byte 0x80"},
        {HEAD "y = \"x", "4:5: no closing \" in this line"},
        {HEAD "y = \"\\q\"", "4:6: a \\ in a name"},
        {HEAD "y = \"\\x00\"", "4:6: a \\ in a name"},
        {HEAD "y = frob(x)", "4:5: there is no function frob; of variables there are relu"},
        {HEAD "y = max(x)", "4:5: max takes 2 arguments, not 1"},
        {HEAD "y = sin(x)", "4:5: sin takes numbers"},
        {HEAD "y = ramp(x, 1)", "4:5: ramp takes 1 argument, not 2"},
        {HEAD "y = ramp(x; 1 below 0, 0 above 1)", "4:5: a ramp is 0 below and 1 above"},
        {HEAD "y = ramp(x; 0 below 1, 1 above 0)", "4:5: y: ramp from 1 to 0"},
        {HEAD "y = and(x, x)", "4:5: y needs a boolean, x is not one"},
        {HEAD "y = at_least(x/2; 1)", "4:5: y needs an integer"},
        {HEAD "y = table(x; 1, 2, 3)", "4:21: expected \",\" and more values: 4 rows of 1; found \")\""},
        {HEAD "y = table(x; 1, 2, 3, 4, 5)", "4:24: expected \")\" after 4 rows of 1 values"},
        {HEAD "y = table(x/2; 1)", "4:16: a table is of integers"},
        {HEAD "y = table of x (1, 2)", "4:11: a table is of a token or a subset"},
        {HEAD "y = table of f (1, 2, 3, 4), sideways (1)", "4:30: expected before or after"},
        {HEAD "y = table of f (1, 2, 3, 4), before (1)", "4:30: the program has no hidden positions before"},
        {HEAD "y = table of f (1, 2, ... 4 in all ..., 4)", "4:23: this text was shortened"},
        {HEAD "y = table of f (for k: 1/(k - 1))", "4:24: values is not finite"},
        {HEAD "y = mark", "4:9: a mark says where it is not 0"},
        {HEAD "y = position j", "4:14: expected a position feature or table: i, i^2"},
        {HEAD "y = position sinusoidal", "4:1: position feature y has more than one value"},
        {HEAD "y = x known in 5..6", "4:1: y is said to lie in 5..6, its parts in 0..3"},
        {HEAD "y = x/2 known in integers 0.2..0.8",
         "4:1: y is said to be an integer in a range that holds none"},
        {HEAD "y = max(x, 1) known in 0..2", "4:15: known is said of a sum"},
        {HEAD "y = attend softmx", "4:12: expected a weighting: softmax, leftmost-hard"},
        {HEAD "y = attend softmax query (x) key (x)", "4:12: the value of this attention is missing"},
        {HEAD "y = attend softmax query (x/2) key (x) value (x)", "4:12: the gap is missing"},
        {HEAD "y = attend softmax query (x) key (x, x) value (x)", "4:1: y: query, key and value have 1, 2"},
        {HEAD "y = attend softmax query (x) query (x)", "4:30: query is said twice"},
        {HEAD "y = attend softmax key2 (x) query (x) key (x) value (x)", "4:12: key2 is for threewise"},
        {HEAD "y = attend softmax, mask cuasal", "4:26: expected a mask: none, causal"},
        {HEAD "y = attend softmax, query (x), frob", "4:32: expected query, key, value"},
        {HEAD "y = attend softmax, mask block-sparse(2, 1, 3)",
         "4:45: the number of ends is 3; allowed are integers in 1..2"},
        {HEAD "input g: token 1..3", "4:16: the first token is 1; allowed are integers in 0..0"},
        {HEAD "input g: 3 of 1..2", "4:18: the last element is 2; allowed are integers in 3.."},
        {HEAD "input g: 2 complex in 0..1", "4:12: expected of, real or integer"},
        {HEAD "input g: 2 real in 1..0", "4:1: field g: 2 reals in [1,0]"},
        {HEAD "input g: 20 of 1..60", "4:1: field g: a table of"},
        {HEAD "output (x) read by eye", "4:20: expected a readout: argmax, sign"},
        {HEAD "output (x) read by raw output (x) read by raw", "a second output"},
        {HEAD "3 = x", "4:1: expected NAME = ..., input or output, found \"3\""},
        {"parameter f = 1\n" HEAD, "3:7: the name f is a parameter's"},
    };
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        at_program *P = NULL;
        at_err err = {0};
        at_status s = parse(faults[k].text, NULL, &P, &err);
        const char *says = strncmp(err.text, "my.program:", 11) ? err.text : err.text + 11;
        if (s != AT_EINPUT || P || !strstr(says, faults[k].says))
            fail_msg("\"%s\": said \"%s\", not \"%s\"", faults[k].text, err.text, faults[k].says);
        assert_null(strchr(err.text, '\n'));
    }
    print_message("%zu faults\n", sizeof faults / sizeof *faults);
}

/* What would exhaust a reader is refused, and soon. */
static void test_limits(void **state)
{
    (void)state;
    at_program *P = NULL;
    at_err err = {0};
    at_text t;
    at_text_init(&t);
    at_text_add(&t, HEAD "y = ");
    for (int k = 0; k < 100000; k++)
        at_text_add(&t, "(");
    assert_int_equal(parse(t.s, NULL, &P, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "more than 64 brackets"));
    at_text_release(&t);
    for (int deep = 64; deep <= 65; deep++) { /* 64 are read */
        at_text_add(&t, HEAD "y = ");
        for (int k = 0; k < 2 * deep + 1; k++)
            at_text_add(&t, k < deep ? "(" : k == deep ? "x" : ")");
        at_text_add(&t, " output (y) read by raw");
        err = (at_err){0};
        assert_int_equal(parse(t.s, NULL, &P, &err), deep == 64 ? AT_OK : AT_EINPUT);
        at_text_release(&t);
        at_program_free(P);
        P = NULL;
    }
    at_text_add(&t, HEAD "y = x");
    for (int k = 0; k < 100000; k++)
        at_text_add(&t, "^-2");
    err = (at_err){0};
    assert_int_equal(parse(t.s, NULL, &P, &err), AT_EINPUT);
    at_text_release(&t);
    at_text_add(&t, "program p, lengths 1..1048576\n");
    for (int k = 0; k < 100; k++)
        at_text_addf(&t, "a%d = position table (for k: 0)\n", k);
    err = (at_err){0};
    if (TEST_SCALE == 1) { /* 33 million numbers take half a minute under a sanitizer */
        assert_int_equal(parse(t.s, NULL, &P, &err), AT_EINPUT);
        assert_string_equal(err.text, "my.program:34:23: tables of more than 33554432 numbers in all");
    }
    at_text_release(&t);
    for (int k = 0; k < 2000; k++)
        at_text_add(&t, "x");
    err = (at_err){0};
    assert_int_equal(parse(t.s, NULL, &P, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "the name is too long; at most 1000 bytes"));
    at_text_release(&t);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    long n = 1;
    for (;; n++) {
        at_program *P = NULL;
        at_err err = {0};
        at_text t;
        at_text_init(&t);
        at_alloc_inject(n);
        at_status s = parse(pairs, NULL, &P, &err);
        s = s ? s : at_program_print_exact(P, &t);
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        at_program_free(P);
        at_text_release(&t);
        if (!fired)
            break;
        assert_int_equal(s, AT_ENOMEM);
    }
    print_message("%ld allocations failed one by one\n", n - 1);
    assert_true(n > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_programs), cmocka_unit_test(test_corners),
        cmocka_unit_test(test_empty),           cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_left_out),        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_nearly),          cmocka_unit_test(test_faults),
        cmocka_unit_test(test_limits),          cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
