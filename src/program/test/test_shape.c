/* test_shape.c: what assembly costs (layers, heads, width, units), how programs print, and odd shapes. */
#include <attest/program.h>

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

static at_size assembled(at_program *P, at_model *m)
{
    at_err err = {0};
    at_size z;
    if (at_assemble(P, m, NULL, &err))
        fail_msg("%s", err.text);
    at_model_size(m, &z);
    return z;
}

/* Interpreter and model on every input of length n over 0..M-1 (one token field); equal within tol. */
static void agree(at_program *P, const at_model *m, int n, int M, double tol)
{
    double x[8] = {0};
    for (int i = 0; i < n;) {
        at_arena a;
        at_arena_init(&a);
        at_err err = {0};
        double *want;
        at_output y;
        at_input in = {n, x};
        assert_int_equal(at_program_run(P, &in, &a, &want, &err), AT_OK);
        assert_int_equal(at_run(m, at_f64, &in, NULL, &a, &y, &err), AT_OK);
        for (int k = 0; k < y.n * y.rows; k++)
            if (!(fabs(y.value[k] - want[k]) <= tol))
                fail_msg("value %d: %.17g, interpreted %.17g", k, y.value[k], want[k]);
        at_arena_release(&a);
        for (i = 0; i < n && ++x[i] == M; i++)
            x[i] = 0;
    }
}

static at_program *match2(int N, int M)
{
    at_program *P = at_program_new("match2", N);
    double c[16], s[16];
    for (int r = 0; r < M; r++) {
        c[r] = cos(2 * M_PI * r / M);
        s[r] = sin(2 * M_PI * r / M);
    }
    at_suffix(P, 1);
    at_var x = at_token(P, "x", M), cosx = at_lookup(P, "cos", x, c), sinx = at_lookup(P, "sin", x, s);
    at_var blank = at_mark_suffix(P, "blank", 0);
    at_var paired = at_attend(P, "paired",
                              &(at_attention){.query = AT_VEC(cosx, sinx, at_const(P, 1)),
                                              .key = AT_VEC(cosx, at_neg(P, sinx), blank),
                                              .value = AT_VEC(at_not(P, blank)),
                                              .weighting = AT_SOFTMAX,
                                              .gap = 1 - cos(2 * M_PI / M)});
    at_emit(P, AT_VEC(at_ramp(P, "y", paired, 1 / 6., 1 / 3.)), AT_READ_THRESHOLD, 0.5);
    return P;
}

static void test_match2_size(void **state)
{
    (void)state;
    at_program *P = match2(4, 5);
    at_model m;
    at_size z = assembled(P, &m);
    assert_int_equal(z.layers, 1);
    assert_int_equal(z.mlps, 1);
    assert_int_equal(z.heads, 1);
    assert_int_equal(z.width, 3);
    assert_int_equal(z.head_dim, 3);
    assert_int_equal(z.hidden, 2);
    assert_false(m.blocks[0].residual); /* nothing older is needed */
    assert_string_equal(m.subspaces[0].name, "blank paired y");
    agree(P, &m, 4, 5, 1e-5);
    at_model_release(&m);
    at_program_free(P);
}

/* A bigram: the previous token, then a comparison of both. The residual stream holds x, the index and its square;
 * the previous token is added in place. */
static void test_base_is_updated_in_place(void **state)
{
    (void)state;
    at_program *P = at_program_new("bigram", 5);
    at_var x = at_number(P, "x", at_token(P, "f", 3)), i = at_position(P, "i", AT_POS_I);
    at_var sum = at_attend(P, "sum",
                           &(at_attention){.query = AT_VEC(at_const(P, 1)),
                                           .key = AT_VEC(i),
                                           .value = AT_VEC(at_scaled(P, 3, x)),
                                           .gap = 1,
                                           .unique = true,
                                           .weighting = AT_RIGHTMOST_HARD,
                                           .mask = {.kind = AT_MASK_STRICT},
                                           .base = x,
                                           .base_plus = true});
    at_emit(P, AT_VEC(at_equals(P, "y", sum, 4)), AT_READ_RAW, 0);
    at_model m;
    at_size z = assembled(P, &m);
    assert_int_equal(z.width, 2);
    assert_true(m.blocks[0].residual);
    assert_string_equal(m.subspaces[1].name, "x sum"); /* the index came first, y took over its place */
    agree(P, &m, 5, 3, 0);
    at_model_release(&m);
    at_program_free(P);
    /* used later, the base keeps its place and the sum is folded */
    P = at_program_new("kept", 5);
    x = at_number(P, "x", at_token(P, "f", 3));
    i = at_position(P, "i", AT_POS_I);
    sum = at_attend(P, "sum",
                    &(at_attention){.query = AT_VEC(at_const(P, 1)),
                                    .key = AT_VEC(i),
                                    .value = AT_VEC(x),
                                    .gap = 1,
                                    .weighting = AT_LEFTMOST_HARD,
                                    .base = x,
                                    .base_plus = true});
    at_emit(P, AT_VEC(sum, x), AT_READ_RAW, 0);
    z = assembled(P, &m);
    assert_int_equal(z.width, 3);
    agree(P, &m, 4, 3, 0);
    at_model_release(&m);
    at_program_free(P);
}

/* old + (new - old) with old = 1/27 would not be new: an integer takes over from an integer only. */
static void test_integers_stay_exact(void **state)
{
    (void)state;
    at_program *P = at_program_new("exact", 3);
    at_var x = at_number(P, "x", at_token(P, "f", 4)), part = at_position(P, "part", AT_POS_I_OVER_N3);
    at_var y = at_equals(P, "y", x, 2),
           z = at_max2(P, "z", part, at_scaled(P, 0.5, x)); /* both old ones die here */
    at_emit(P, AT_VEC(y, z, at_position(P, "i", AT_POS_I)), AT_READ_RAW, 0);
    at_model m;
    assembled(P, &m);
    assert_true(m.blocks[0].residual);
    agree(P, &m, 3, 4, 0x1p-50);
    int found = 0;
    for (int c = 0; c < m.n_subspaces; c++)
        found += strcmp(m.subspaces[c].name, "x y") == 0 || strcmp(m.subspaces[c].name, "part z") == 0;
    assert_int_equal(found, 2);
    at_model_release(&m);
    at_program_free(P);
}

static at_var copy(at_program *P, const char *name, at_var q, at_var v)
{
    return at_attend(P, name,
                     &(at_attention){.query = AT_VEC(q),
                                     .key = AT_VEC(v),
                                     .value = AT_VEC(v),
                                     .gap = 1,
                                     .weighting = AT_LEFTMOST_HARD});
}

static void test_independent_steps_share_a_layer(void **state)
{
    (void)state;
    at_program *P = at_program_new("packed", 4);
    at_var x = at_number(P, "x", at_token(P, "f", 3)), one = at_const(P, 1);
    at_var a = copy(P, "a", one, x), b = copy(P, "b", at_neg(P, one), x);
    at_var c = at_equals(P, "c", x, 1),
           d = at_equals(P, "d", a, 2); /* c: before the attention, d: after it */
    at_emit(P, AT_VEC(a, b, c, d), AT_READ_RAW, 0);
    at_model m;
    at_size z = assembled(P, &m);
    assert_int_equal(z.layers, 1);
    assert_int_equal(z.heads, 2);
    assert_int_equal(z.mlps, 2);
    agree(P, &m, 4, 3, 0);
    at_model_release(&m);
    at_program_free(P);
    P = at_program_new("chained", 4);
    x = at_number(P, "x", at_token(P, "f", 3));
    a = copy(P, "a", at_const(P, 1), x);
    at_emit(P, AT_VEC(copy(P, "b", a, x)), AT_READ_RAW, 0);
    z = assembled(P, &m);
    assert_int_equal(z.layers, 2);
    agree(P, &m, 4, 3, 0);
    at_model_release(&m);
    at_program_free(P);
}

/* With and without code that nothing depends on: the same bytes. */
static void test_dead_code_costs_nothing(void **state)
{
    (void)state;
    char hash[2][65];
    for (int dead = 0; dead < 2; dead++) {
        at_program *P = at_program_new("dead", 4);
        at_var x = at_number(P, "x", at_token(P, "f", 3));
        if (dead) {
            at_var i = at_position(P, "i", AT_POS_I), u = at_product(P, "u", x, i);
            at_var w = copy(P, "w", u, at_sum(P, "lin", AT_VEC(u, x), NULL, 1));
            at_table(P, "t", w, (double[32]){1, 2});
            at_attend(P, "acc",
                      &(at_attention){.query = AT_VEC(x),
                                      .key = AT_VEC(w),
                                      .value = AT_VEC(u),
                                      .gap = 1,
                                      .base = x,
                                      .base_plus = true});
            at_add(P, w, x);
        }
        at_var y = at_attend(P, "y",
                             &(at_attention){.query = AT_VEC(x),
                                             .key = AT_VEC(x),
                                             .gap = 1,
                                             .weighting = AT_AVERAGE_HARD,
                                             .value = AT_VEC(x, at_const(P, 7))});
        at_emit(P, AT_VEC(y), AT_READ_RAW, 0);
        at_model m;
        at_err err = {0};
        at_size z = assembled(P, &m);
        assert_int_equal(z.layers, 1);
        assert_int_equal(z.mlps, 0);
        assert_int_equal(z.width, 1);
        agree(P, &m, 3, 3, 0x1p-50);
        assert_int_equal(at_model_hash(&m, hash[dead], &err), AT_OK);
        at_model_release(&m);
        at_program_free(P);
    }
    assert_string_equal(hash[0], hash[1]);
}

static void test_odd_shapes(void **state)
{
    (void)state;
    at_model m;
    at_program *P = at_program_new("constant", 3); /* no block, and nothing in the residual stream */
    at_token(P, "f", 2);
    at_emit(P, AT_VEC(at_const(P, 2.5), at_sum(P, "s", AT_VEC(at_const(P, 1)), (double[]){-3}, 1)),
            AT_READ_RAW, 0);
    at_size z = assembled(P, &m);
    assert_int_equal(m.n_blocks, 0);
    assert_int_equal(z.width, 1);
    agree(P, &m, 2, 2, 0);
    at_model_release(&m);
    at_program_free(P);
    P = at_program_new("inputs", 1); /* no block, length 1 */
    at_var x = at_number(P, "x", at_token(P, "f", 3));
    at_emit(P, AT_VEC(x, x, at_not(P, x)), AT_READ_RAW, 0);
    assembled(P, &m);
    assert_int_equal(m.n_blocks, 0);
    agree(P, &m, 1, 3, 0);
    at_model_release(&m);
    at_program_free(P);
    P = at_program_new("masked", 3); /* a constant value, and rows without a key: 0 */
    x = at_number(P, "x", at_token(P, "f", 2));
    at_emit(P,
            AT_VEC(at_attend(P, "c",
                             &(at_attention){.query = AT_VEC(at_const(P, 0)),
                                             .key = AT_VEC(at_const(P, 0)),
                                             .value = AT_VEC(at_const(P, 5)),
                                             .gap = 1,
                                             .mask = {.kind = AT_MASK_STRICT}})),
            AT_READ_RAW, 0);
    assembled(P, &m);
    agree(P, &m, 3, 2, 1e-5);
    at_model_release(&m);
    at_program_free(P);
    P = at_program_new("divide", 2); /* floor of negative numbers; a table with one entry */
    x = at_number(P, "x", at_token(P, "f", 9));
    at_var d = at_floor_div(P, "d", at_sum(P, NULL, AT_VEC(x), (double[]){-3}, 5), 4);
    at_emit(P, AT_VEC(d, at_table(P, "one", at_const(P, 3), (double[]){42})), AT_READ_RAW, 0);
    assembled(P, &m);
    assert_true(at_program_var(P, d).lo == -5 && at_program_var(P, d).hi == 1);
    agree(P, &m, 2, 9, 0);
    at_model_release(&m);
    at_program_free(P);
}

/* 200 steps in a row: an MLP holds 60 levels, so there are four of them and no attention. */
static void test_long_chain(void **state)
{
    (void)state;
    at_program *P = at_program_new("chain", 2);
    at_var x = at_number(P, "x", at_token(P, "f", 4)), y = x;
    for (int k = 0; k < 200; k++)
        y = at_absolute(P, NULL, at_sum(P, NULL, AT_VEC(y), (double[]){-1}, k % 3));
    at_emit(P, AT_VEC(at_equals(P, "y", at_min2(P, "m", y, at_const(P, 9)), 1), x), AT_READ_RAW, 0);
    at_model m;
    at_size z = assembled(P, &m);
    assert_int_equal(z.mlps, 4);
    assert_int_equal(z.layers, 0);
    agree(P, &m, 2, 4, 0);
    at_model_release(&m);
    at_program_free(P);
}

/* Long and foreign names end between two characters. */
static void test_long_names(void **state)
{
    (void)state;
    char name[130];
    for (int i = 0; i < 64; i++)
        memcpy(name + 2 * i, "\xc3\xa9", 2); /* 64 letters of two bytes: 63 is in the middle of one */
    name[128] = 0;
    at_program *P = at_program_new(name, 2);
    at_emit(P, AT_VEC(at_number(P, name, at_token(P, name, 2))), AT_READ_RAW, 0);
    at_model m;
    assembled(P, &m);
    assert_int_equal(strlen(m.name), 62);
    assert_int_equal(strlen(m.subspaces[0].name), 62);
    at_model_release(&m);
    at_program_free(P);
}

/* Read at the last position: of the input, or of the suffix. */
static void test_last_position(void **state)
{
    (void)state;
    for (int suffix = 0; suffix < 2; suffix++) {
        at_program *P = at_program_new("last", 4);
        at_suffix(P, suffix);
        at_var x = at_number(P, "x", at_token(P, "x", 3));
        if (suffix)
            at_hidden_suffix(P, x, 0, 7);
        at_var here = at_position(P, "here", AT_POS_I);
        at_var sum = at_sum(P, "sum", AT_VEC(x, here), (double[]){1, 10}, 0);
        at_emit_last(P, AT_VEC(sum), AT_READ_ROUND, 0);
        at_model m;
        assembled(P, &m);
        assert_true(m.readout.last);
        for (int n = 1; n <= 4; n++)
            agree(P, &m, n, 3, 0);
        at_arena a;
        at_arena_init(&a);
        at_err err = {0};
        double x4[4] = {0, 1, 2, 1}, *out;
        at_output y;
        assert_int_equal(at_program_run(P, &(at_input){4, x4}, &a, &out, &err), AT_OK);
        assert_int_equal(at_run(&m, at_f64, &(at_input){4, x4}, NULL, &a, &y, &err), AT_OK);
        assert_int_equal(y.n, 1);
        assert_true(*out == (suffix ? 57 : 41) && y.decision[0] == *out);
        at_text t;
        at_text_init(&t);
        assert_int_equal(at_program_print(P, &t), AT_OK);
        assert_non_null(strstr(t.s, "at the last position read by round"));
        at_text_release(&t);
        at_arena_release(&a);
        at_model_release(&m);
        at_program_free(P);
    }
}

static void test_print(void **state)
{
    (void)state;
    at_program *P = match2(4, 4);
    at_model m;
    assembled(P, &m);
    at_text t;
    at_text_init(&t);
    assert_int_equal(at_program_print(P, &t), AT_OK);
    assert_string_equal(
        t.s, "program match2, lengths 1..4, 1 hidden after\n"
             "  input x: token 0..3\n"
             "  cos = table of x (1, 6.12323e-17, -1, -1.83697e-16)   # in -1..1\n"
             "  sin = table of x (0, 1, 1.22465e-16, -1)   # in -1..1\n"
             "  blank = mark, after (1)   # in integers 0..1\n"
             "  paired = attend softmax\n"
             "      query (cos, sin, 1)\n"
             "      key   (cos, -sin, blank)\n"
             "      value (1 - blank)\n"
             "      gap 1   # in 0..1, scale 16.1655, error <= 4.8e-07\n"
             "  y = ramp(paired; 0 below 0.166667, 1 above 0.333333)   # in 0..1, error <= 2.9e-06\n"
             "  output (y) read by threshold 0.5\n");
    at_text_release(&t);
    at_model_release(&m);
    at_program_free(P);
    P = at_program_new("all\x1b[2J", 3); /* every step; an escape in a name is harmless */
    at_prefix(P, 1);
    at_program_lengths(P, 2);
    at_var f = at_token(P, "f", 3), x = at_number(P, "x", f), s = at_subset(P, "s", 4, 2);
    at_var w = at_lookup_rows(P, "w", s, 2, (double[12]){1}), r = at_reals(P, "r", 2, -1, 2);
    at_var i = at_position(P, "i", AT_POS_I), b = at_at_least(P, "b", x, 1);
    at_var q[10];
    for (int k = 0; k < 10; k++)
        q[k] = k % 2 ? x : w + 1;
    at_var c = at_and(P, "b[1]", b, at_equals(P, "e", x, 2)); /* a bracket of one's own is no component */
    at_var n = at_near(P, "near", r, (double[]){0.5, 1}, 2, 0.25, 0.125);
    at_var g = at_select(P, "g", c, n, at_max2(P, "max", r + 1, at_scaled(P, -0.5, x)));
    at_var z = at_attend(P, "z",
                         &(at_attention){.query = {10, q},
                                         .key = {10, q},
                                         .value = AT_VEC(i, g),
                                         .gap = 2,
                                         .mask = {.kind = AT_MASK_CAUSAL},
                                         .post = AT_POST_NEG_ABS,
                                         .weighting = AT_RIGHTMOST_HARD});
    at_var u = at_table(P, "t", z, (double[4]){3, 1}), h = at_floor_div(P, "h", i, 2),
           p = at_product(P, "p", u, h);
    at_emit(P, AT_VEC(p, z + 1, at_sub(P, p, i)), AT_READ_ARGMAX, 0);
    at_text_init(&t);
    assert_int_equal(at_program_print(P, &t), AT_OK);
    assert_string_equal(t.s,
                        "program \"all\\x1b[2J\", lengths 2..3, 1 hidden before\n"
                        "  input f: token 0..2\n"
                        "  x = number of f   # in integers 0..2\n"
                        "  input s: 2 of 1..4\n"
                        "  w = table of s, 2 columns (1, 0; 0, ... 12 in all ..., 0)   # in integers 0..1\n"
                        "  input r: 2 real in -1..2\n"
                        "  i = position i   # in integers 1..4\n"
                        "  b = at_least(x; 1)   # in integers 0..1\n"
                        "  e = equals(x; 2)   # in integers 0..1\n"
                        "  b[1] = and(b, e)   # in integers 0..1\n"
                        "  near = near(r[0]; 0.5, 1 within 0.25 slope 0.125)   # in 0..2\n"
                        "  max = max(r[1], -0.5*x)   # in -1..2\n"
                        "  g = select(b[1], near, max)   # in -1..2\n"
                        "  z = attend rightmost-hard, mask causal\n"
                        "      query (w[1], x, w[1], x, w[1], x, ... 10 in all ..., x)\n"
                        "      key   (w[1], x, w[1], x, w[1], x, ... 10 in all ..., x)\n"
                        "      value (i, g)\n"
                        "      score neg-abs\n"
                        "      gap 2   # in integers 1..4\n"
                        "  t = table(z[0]; 3, 1, 0, 0)   # in integers 0..3\n"
                        "  h = floor_div(i; 2)   # in integers 0..2\n"
                        "  p = product(t, h)   # in integers 0..6\n"
                        "  output (p, z[1], p - i) read by argmax\n");
    at_text_release(&t);
    at_program_free(P);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/* Builds, assembles, prints and runs a program with every kind of allocation; the first failure, or OK. */
static at_status whole_life(void)
{
    at_program *P = at_program_new("life", 3);
    if (!P)
        return AT_ENOMEM;
    at_suffix(P, 1);
    at_var x = at_number(P, "x", at_token(P, "f", 3)), r = at_reals(P, "r", 2, 0, 1);
    at_var w = at_position_rows(P, "w", 2, (double[8]){1, 2, 3}), last = at_mark_suffix(P, "last", 0);
    at_var t = at_table(P, "t", x, (double[]){4, 0, 1}), n = at_near(P, "n", r, (double[]){0.5}, 1, 0.1, 0.1);
    for (int k = 0; k < 40; k++) /* the list of variables grows */
        t = at_sum(P, k % 8 ? NULL : "step", AT_VEC(t, k % 8 ? w : x), (double[]){1, k % 8 ? 0 : 1}, 0);
    at_var p = at_product(P, "p", x, at_floor_div(P, "h", x, 2));
    at_var three = at_attend(P, "three",
                             &(at_attention){.query = AT_VEC(x, last),
                                             .key = AT_VEC(w, x),
                                             .gap = 1,
                                             .key2 = AT_VEC(x, x),
                                             .value = AT_VEC(p),
                                             .value2 = AT_VEC(n),
                                             .weighting = AT_THREEWISE});
    at_var y = at_attend(P, "y",
                         &(at_attention){.query = AT_VEC(x),
                                         .key = AT_VEC(w + 1),
                                         .value = AT_VEC(t),
                                         .gap = 1,
                                         .weighting = AT_LEFTMOST_HARD,
                                         .base = p,
                                         .base_plus = true});
    at_emit(P, AT_VEC(y, at_max2(P, "m", three, r + 1)), AT_READ_RAW, 0);
    at_model m;
    at_err err = {0};
    at_arena a;
    at_arena_init(&a);
    at_text text;
    at_text_init(&text);
    double *out, in[6] = {1, 0.5, 0.25, 2, 0, 1};
    at_status st = at_assemble(P, &m, NULL, &err);
    if (!st) {
        st = at_program_print(P, &text);
        st = st ? st : at_program_run(P, &(at_input){2, in}, &a, &out, &err);
        at_model_release(&m);
    }
    at_text_release(&text);
    at_arena_release(&a);
    at_program_free(P);
    return st;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    at_alloc_inject(0);
    assert_int_equal(whole_life(), AT_OK);
    long n = 1;
    for (;; n++) {
        at_alloc_inject(n);
        at_status st = whole_life();
        if (!at_alloc_injected()) {
            assert_int_equal(st, AT_OK);
            break;
        }
        if (st != AT_ENOMEM)
            fail_msg("allocation %ld failed, status %d", n, st);
    }
    at_alloc_inject(0);
    print_message("%ld allocations failed one by one\n", n - 1);
    assert_true(n > 10);
}

/* The arena serves most requests from one chunk, so a failure inside it is rare: a ceiling of 0 bytes does not
 * exist, but a chunk that is full does. Programs of growing size move the boundary through every request. */
static void test_failures_inside_arenas(void **state)
{
    (void)state;
    int failures = 0;
    for (int pad = 0; pad < 260; pad++) {
        at_alloc_inject(0);
        at_program *P = at_program_new("pad", 3);
        assert_non_null(P);
        at_var x = at_number(P, "x", at_token(P, "f", 3));
        for (int k = 0; k < pad; k++)
            at_const(P, k);           /* 64 bytes of the arena each */
        at_alloc_inject(1 + pad % 2); /* the next chunk (or list) is refused */
        at_var y = at_attend(P, "y",
                             &(at_attention){.query = AT_VEC(x),
                                             .key = AT_VEC(x),
                                             .value = AT_VEC(x),
                                             .gap = 1,
                                             .weighting = AT_AVERAGE_HARD});
        y = at_near(P, "n", y, (double[]){1}, 1, 0.5, 0.5);
        at_emit(P, AT_VEC(y, at_table(P, "t", x, (double[]){1, 2, 3})), AT_READ_RAW, 0);
        at_model m;
        at_err err = {0};
        at_status st = at_assemble(P, &m, NULL, &err);
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        assert_int_equal(st, fired ? AT_ENOMEM : AT_OK);
        failures += fired;
        if (!st)
            at_model_release(&m);
        at_program_free(P);
    }
    assert_true(failures > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_match2_size),
        cmocka_unit_test(test_base_is_updated_in_place),
        cmocka_unit_test(test_integers_stay_exact),
        cmocka_unit_test(test_independent_steps_share_a_layer),
        cmocka_unit_test(test_dead_code_costs_nothing),
        cmocka_unit_test(test_odd_shapes),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_last_position),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_failures_inside_arenas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
