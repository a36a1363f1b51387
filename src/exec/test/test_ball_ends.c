/* test_ball_ends.c: ends of balls are compared in machine numbers where these can tell, and else without rounding. Here the same
 * comparisons are made without rounding always: balls whose ends are apart, almost equal and equal, of every size. */
#define ref_forward_ball ends_forward_ball /* the library has its own */
#include "../reference_ball.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* An end without rounding. */
static void end_exact(arf_t out, const NUM *a, int side)
{
    arf_set_mag(out, arb_radref(a));
    if (side < 0)
        arf_neg(out, out);
    arf_add(out, out, arb_midref(a), ARF_PREC_EXACT, ARF_RND_DOWN);
}

static int end_order(const NUM *a, int side_a, const NUM *b, int side_b)
{
    arf_t x, y;
    arf_init(x);
    arf_init(y);
    end_exact(x, a, side_a);
    end_exact(y, b, side_b);
    int order = arf_cmp(x, y);
    arf_clear(y);
    arf_clear(x);
    return order;
}

/* Few midpoints, so that many are equal or next to each other; radii from 0 on, far below and above an ulp. */
static void ball_draw(at_rng *r, int scale, NUM *x)
{
    arb_set_si(x, (slong)at_rng_below(r, 5) - 2);
    arb_t nudge;
    arb_init(nudge);
    if (at_rng_below(r, 2)) {
        arb_set_si(nudge, (slong)at_rng_below(r, 3) - 1);
        arb_mul_2exp_si(nudge, nudge, -48 - (slong)at_rng_below(r, 20));
        arb_add(x, x, nudge, 300);
    }
    arb_clear(nudge);
    mag_zero(arb_radref(x));
    if (at_rng_below(r, 3))
        mag_set_ui_2exp_si(arb_radref(x), at_rng_below(r, 4), -(slong)at_rng_below(r, 80));
    arb_mul_2exp_si(x, x, scale);
}

static void test_ends(void **state)
{
    (void)state;
    static const int scales[] = {0, 40, 900, -1060, 1100, -1100};
    at_rng r = at_rng_at(5, 1);
    NUM a, b;
    int near = 0, equal = 0, apart = 0;
    arb_init(&a);
    arb_init(&b);
    for (int k = 0; k < 200000; k++) {
        int scale = scales[at_rng_below(&r, 6)];
        ball_draw(&r, scale, &a);
        ball_draw(&r, at_rng_below(&r, 8) ? scale : scales[at_rng_below(&r, 6)], &b);
        assert_int_equal(num_lower(&a, &b), end_order(&a, -1, &b, -1) < 0);
        assert_int_equal(num_upper(&a, &b), end_order(&a, 1, &b, 1) < 0);
        assert_int_equal(num_below(&a, &b), end_order(&a, 1, &b, -1) < 0);
        assert_int_equal(num_atmost(&a, &b), end_order(&a, 1, &b, -1) <= 0);
        bool told = ends_apart(&a, 1, &b, -1) != 0, same = arf_equal(arb_midref(&a), arb_midref(&b));
        apart += told;
        equal += !told && same;
        near += !told && !same;
    }
    assert_true(apart > 20000 && equal > 5000 && near > 2000); /* each way was gone */
    arb_indeterminate(&a);
    arb_zero(&b);
    assert_false(num_below(&a, &b) || num_below(&b, &a) || num_atmost(&a, &a) || num_atmost(&b, &a));
    arf_nan(arb_midref(&a));
    mag_zero(arb_radref(&a));
    assert_false(num_atmost(&a, &a) || num_below(&a, &a));
    arb_pos_inf(&a);
    assert_true(num_atmost(&b, &a) && num_atmost(&a, &a) && !num_atmost(&a, &b));
    arb_clear(&b);
    arb_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
