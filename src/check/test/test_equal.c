/* test_equal.c: two models: what is equal, what is not, the first difference, and what may not be compared. */
#include "check_test.h"

#include <attest/front.h>

/* A table: every position alone, a token of 3, an integer of -1..1, a 2-subset of 1..4; the sum of what they are worth. */
static at_model table(at_read_kind read)
{
    at_model m;
    at_model_init(&m);
    m.width = 1;
    m.n_min = 1;
    m.n_max = 2;
    m.pos_origin = 1;
    m.fields = at_new(&m.arena, at_field, 3);
    m.n_fields = 3;
    m.fields[0] = (at_field){.name = "t", .kind = AT_FIELD_TOKEN, .size = 3, .embed = {0, 1, -1}};
    m.fields[1] =
        (at_field){.name = "i", .kind = AT_FIELD_INT, .size = 1, .lo = -1, .hi = 1, .embed = {0, 1, -1}};
    m.fields[2] = (at_field){.name = "s", .kind = AT_FIELD_SUBSET, .size = 4, .pick = 2, .embed = {0, 1, -1}};
    m.readout = (at_readout){.kind = read, .rows = 1, .threshold = 500};
    OK(at_model_layout(&m, &err));
    for (int k = 0; k < 3; k++)
        at_model_data(&m, m.fields[0].embed.tensor)[k] = 100 * k;
    *at_model_data(&m, m.fields[1].embed.tensor) = 10;
    for (int k = 0; k < 6; k++)
        at_model_data(&m, m.fields[2].embed.tensor)[k] = k;
    *at_model_data(&m, m.readout.w) = 1;
    return m;
}

static at_equality equal(const at_model *a, const at_model *b, const at_equal_question *q, int threads,
                         at_arena *arena)
{
    at_equal_question asked = *q;
    at_equality e;
    if (!asked.arith.bits)
        asked.arith = at_f64;
    OK(at_equal(a, b, &asked, &(at_check_env){.threads = threads}, arena, &e, &err));
    return e;
}

/* Every input, whatever its fields; and one row of one table is found, as the simplest input that has it. */
static void test_fields(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_model m = table(AT_READ_THRESHOLD), other = table(AT_READ_THRESHOLD);
    at_equality e = equal(&m, &other, &(at_equal_question){0}, 2, &a);
    assert_true(e.equal == AT_TRUE && e.evidence == AT_EV_EXACT && !e.has_witness);
    assert_int_equal(e.inputs, 54 + 54 * 54);
    assert_true(e.least == 1 && e.most == 2);
    for (int rank = 0; rank < 6; rank++) {
        double *worth = at_model_data(&other, other.fields[2].embed.tensor) + rank;
        *worth += 1000;
        for (int threads = 1; threads < 4; threads++) {
            e = equal(&m, &other, &(at_equal_question){0}, threads, &a);
            assert_true(e.equal == AT_FALSE && e.has_witness);
            assert_int_equal(e.index, rank); /* t = 0, i = -1, and the subset is the last digit */
            assert_int_equal(e.inputs, rank + 1);
            assert_int_equal(e.x.n, 1);
            assert_true(e.x.v[0] == 0 && e.x.v[1] == 0); /* shrunk from -1 */
            assert_int_equal(at_subset_rank(e.x.v + 2, 2), rank);
            assert_true(e.output[0][0] == 0 && e.output[1][0] == 1 && e.position == 0);
        }
        *worth -= 1000;
    }
    for (int k = 0; k < 3; k++) { /* the first digit: 3 integers and 6 subsets come before the next token */
        at_model_data(&other, other.fields[0].embed.tensor)[k] += 1000;
        e = equal(&m, &other, &(at_equal_question){0}, 2, &a);
        assert_true(e.equal == AT_FALSE && e.index == 18 * (uint64_t)k && e.x.v[0] == k);
        e = equal(&m, &other, &(at_equal_question){.has_lengths = true, .least = 2, .most = 2}, 2, &a);
        assert_true(e.equal == AT_FALSE && e.index == 18 * (uint64_t)k); /* at the second position first */
        at_model_data(&other, other.fields[0].embed.tensor)[k] -= 1000;
    }
    e = equal(&m, &m, &(at_equal_question){.has_lengths = true, .least = 2, .most = 2}, 1, &a);
    assert_true(e.equal == AT_TRUE && e.inputs == 54 * 54 && e.common_least == 1);
    at_model_release(&m);
    at_model_release(&other);
    at_arena_release(&a);
}

/* The first input that differs, found by running all of them one by one. */
static uint64_t first_by_hand(const subject *s, const subject *t, int *n)
{
    uint64_t count = 1;
    for (*n = 1; *n <= s->N; ++*n) {
        count *= (uint64_t)s->M;
        for (uint64_t i = 0; i < count; i++) {
            at_arena a;
            at_arena_init(&a);
            double x[8];
            uint64_t rest = i;
            for (int k = *n - 1; k >= 0; k--, rest /= (uint64_t)s->M)
                x[k] = (double)(rest % (uint64_t)s->M);
            at_output y, z;
            OK(at_run(&s->m, at_f64, &(at_input){*n, x}, NULL, &a, &y, &err));
            OK(at_run(&t->m, at_f64, &(at_input){*n, x}, NULL, &a, &z, &err));
            bool differs = false;
            for (int k = 0; k < *n; k++)
                differs = differs || y.decision[k] != z.decision[k];
            at_arena_release(&a);
            if (differs)
                return i;
        }
    }
    return UINT64_MAX;
}

static void test_first(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    subject s = pairs(4, 9, 1);
    double scales[] = {0.02, 0.1, 0.2, 0.3, 2};
    int differ = 0;
    for (int k = 0; k < 5; k++) {
        subject t = pairs(4, 9, scales[k]);
        int n;
        uint64_t first = first_by_hand(&s, &t, &n);
        at_equality one = equal(&s.m, &t.m, &(at_equal_question){0}, 1, &a);
        at_equality two = equal(&s.m, &t.m, &(at_equal_question){0}, 5, &a);
        assert_int_equal(one.equal, first == UINT64_MAX ? AT_TRUE : AT_FALSE);
        assert_true(one.equal == two.equal && one.inputs == two.inputs && one.index == two.index &&
                    one.margin == two.margin);
        if (one.equal == AT_FALSE) {
            differ++;
            assert_int_equal(one.index, first);
            assert_int_equal(one.most, n);
            assert_int_equal(one.x.n, two.x.n);
            assert_memory_equal(one.x.v, two.x.v, (size_t)one.x.n * sizeof *one.x.v);
            assert_true(one.output[0][one.position] != one.output[1][one.position]);
        } else
            assert_int_equal(one.inputs, 9 + 81 + 729 + 6561);
        at_model_release(&t.m);
    }
    assert_true(differ > 0 && differ < 5);
    at_model_release(&s.m);
    at_arena_release(&a);
}

/* A problem's inputs: those of its task, at its length. */
static void test_problem(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    subject s = pairs(4, 9, 1), t = pairs(4, 9, 0.02);
    at_asked x = {.view = AT_VIEW_POSITIONS, .params = s.p, .task = s.t};
    at_equal_question q = {.asked = &x, .has_lengths = true, .least = 3, .most = 3};
    at_equality e = equal(&s.m, &s.m, &q, 2, &a);
    assert_true(e.equal == AT_TRUE && e.inputs == 729 && e.evidence == AT_EV_EXACT);
    e = equal(&s.m, &t.m, &q, 2, &a);
    assert_true(e.equal == AT_FALSE && e.x.n <= 3);
    q.sampled = 50;
    e = equal(&s.m, &s.m, &q, 2, &a); /* samples decide nothing ... */
    assert_true(e.equal == AT_UNKNOWN && e.evidence == AT_EV_SAMPLED && e.inputs == 50);
    e = equal(&s.m, &t.m, &q, 2, &a); /* ... but a witness does */
    assert_true(e.equal == AT_FALSE && e.evidence == AT_EV_SAMPLED && e.has_witness);
    at_model_release(&s.m);
    at_model_release(&t.m);
    at_arena_release(&a);
}

/* Reals: the same numbers, or a distance; a ball around them decides nothing. */
static void test_reals(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_model m = table(AT_READ_RAW), other = table(AT_READ_RAW);
    double *worth = at_model_data(&other, other.fields[0].embed.tensor) + 2;
    assert_int_equal(equal(&m, &other, &(at_equal_question){0}, 2, &a).equal, AT_TRUE);
    *worth = nextafter(*worth, 300); /* 200 and one bit more */
    at_equality e = equal(&m, &other, &(at_equal_question){0}, 2, &a);
    assert_true(e.equal == AT_FALSE && e.x.v[0] == 2 && e.output[0][0] != e.output[1][0]);
    *worth = 200.25;
    assert_int_equal(equal(&m, &other, &(at_equal_question){.tolerance = 0.25}, 2, &a).equal, AT_TRUE);
    assert_int_equal(equal(&m, &other, &(at_equal_question){.tolerance = 0.2}, 2, &a).equal, AT_FALSE);
    at_model_release(&m);
    at_model_release(&other);
    subject s = pairs(2, 5, 1); /* a softmax is known up to a radius */
    s.m.readout.kind = AT_READ_RAW;
    at_equal_question q = {.tolerance = 0};
    OK(at_arith_parse("ball", &q.arith, &err));
    e = equal(&s.m, &s.m, &q, 2, &a);
    assert_true(e.equal == AT_UNKNOWN && e.undecided > 0 && e.note && e.has_witness);
    q.tolerance = 1e-9;
    assert_int_equal(equal(&s.m, &s.m, &q, 2, &a).equal, AT_TRUE);
    at_model_release(&s.m);
    at_arena_release(&a);
}

static at_model decoder(at_attention_kind kind)
{
    at_dp *d;
    at_dp_instance *x;
    at_model m;
    OK(at_dp_example_load("prefix-sum", &d, &err));
    OK(at_dp_bind(d, (int64_t[]){4, 3}, &x, &err));
    OK(at_dp_model(x, &(at_dp_options){kind}, &m, &err));
    at_dp_instance_free(x);
    at_dp_free(d);
    return m;
}

static void test_decoders(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_model m = decoder(AT_ATTENTION_STANDARD), other = decoder(AT_ATTENTION_LINEAR);
    at_equality e = equal(&m, &other, &(at_equal_question){0}, 2, &a);
    assert_true(e.equal == AT_TRUE && e.evidence == AT_EV_EXACT && e.inputs == 81 && !e.endless);
    other.decode.max_steps = 3; /* gives up */
    for (int threads = 1; threads < 4; threads++) {
        e = equal(&m, &other, &(at_equal_question){0}, threads, &a);
        assert_true(e.equal == AT_FALSE && e.inputs == 1 && e.position == 3);
        assert_true(e.rows[0] == 5 && e.rows[1] == 3 && e.ended[0] && !e.ended[1]);
    }
    other.decode.max_steps = 5;  /* the same rows, but not an end of its own */
    other.decode.coordinate = 0; /* of an input, which is written as 0 */
    other.decode.value = 1;
    e = equal(&m, &other, &(at_equal_question){0}, 2, &a);
    assert_true(e.equal == AT_FALSE && e.rows[0] == 5 && e.rows[1] == 5 && e.ended[0] && !e.ended[1]);
    other.decode.max_steps = 3;
    m.decode.max_steps = 3; /* both alike, and it is said */
    e = equal(&m, &other, &(at_equal_question){0}, 2, &a);
    assert_true(e.equal == AT_TRUE && e.endless == 81);
    at_model_release(&m);
    at_model_release(&other);
    at_arena_release(&a);
}

static void refused(const at_model *a, const at_model *b, const at_equal_question *q, const char *part)
{
    at_arena arena;
    at_equality e;
    at_err err = {0};
    at_arena_init(&arena);
    assert_int_not_equal(at_equal(a, b, q, &(at_check_env){0}, &arena, &e, &err), AT_OK);
    if (!strstr(err.text, part))
        fail_msg("'%s' does not say '%s'", err.text, part);
    at_arena_release(&arena);
}

static void test_refusals(void **state)
{
    (void)state;
    at_equal_question q = {.arith = at_f64};
    at_model m = table(AT_READ_THRESHOLD), other = table(AT_READ_THRESHOLD), real = table(AT_READ_RAW);
    subject s = pairs(4, 9, 1), t = pairs(4, 8, 1);
    at_model d = decoder(AT_ATTENTION_STANDARD);
    refused(&s.m, &t.m, &q, "field 1 (x): size 9 in the first model, 8 in the second");
    refused(&s.m, &m, &q, "the first model has 1 field a position, the second 3");
    refused(&m, &real, &q, "the first model answers integers, the second reals");
    refused(&d, &m, &q, "field");
    other.fields[1].hi = 2;
    refused(&m, &other, &q, "field 2 (i): -1..1 in the first model, -1..2 in the second");
    other.fields[1].hi = 1;
    other.fields[1].kind = AT_FIELD_REAL;
    refused(&m, &other, &q, "field 2 (i): int in the first model, real in the second");
    other.fields[1].kind = AT_FIELD_INT;
    other.n_min = other.n_max = 7;
    refused(&m, &other, &q, "no length in common: the first model takes 1..2, the second 7..7");
    q = (at_equal_question){.arith = at_f64, .has_lengths = true, .least = 1, .most = 9};
    refused(&m, &m, &q, "lengths 1..9: must be in 1..2");
    q = (at_equal_question){.arith = at_f64, .exact = true};
    m.n_max = 40;
    refused(&m, &m, &q, "too many inputs of lengths 1..40");
    at_model_release(&m);
    at_model_release(&other);
    at_model_release(&real);
    at_model_release(&s.m);
    at_model_release(&t.m);
    at_model_release(&d);
}

/* What cannot be listed is drawn, and said to be. */
static void test_drawn(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    at_model m = table(AT_READ_THRESHOLD), other = table(AT_READ_THRESHOLD);
    m.fields[1].kind = other.fields[1].kind = AT_FIELD_REAL;
    at_equality e = equal(&m, &other, &(at_equal_question){.seed = 4}, 2, &a);
    assert_true(e.equal == AT_UNKNOWN && e.evidence == AT_EV_SAMPLED && e.note && e.inputs == 2000);
    at_model_data(&other, other.fields[0].embed.tensor)[1] = 900;
    e = equal(&m, &other, &(at_equal_question){.seed = 4}, 2, &a);
    assert_true(e.equal == AT_FALSE && e.x.n == 1 && e.x.v[0] == 1 && e.x.v[1] == 0);
    assert_int_equal(at_subset_rank(e.x.v + 2, 2), 0);
    at_model_release(&m);
    at_model_release(&other);
    at_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields), cmocka_unit_test(test_first),    cmocka_unit_test(test_problem),
        cmocka_unit_test(test_reals),  cmocka_unit_test(test_decoders), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
