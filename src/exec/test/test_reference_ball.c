/* test_reference_ball.c: kernels of ball arithmetic on wide balls, where the radius must do its work. Models alone
 * make balls so narrow that a forgotten radius hides behind the others' worst cases. The file under test is
 * included, because its functions are private.
 *
 * Method: draw balls, run the kernel; draw points in the balls (ends and the middle more often), run the kernel on
 * the points; the first result must contain the second. */
#include "../reference_ball.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { KEYS = 6, ROUNDS = 1500, POINTS = 6 };

static ref_ctx real(int prec)
{
    return (ref_ctx){.prec = prec};
}

/* Midpoints on a grid of 1/4, so that points coincide and tie; a quarter of the balls are points. */
static void draw_ball(at_rng *r, NUM *x)
{
    static const double radii[] = {0, 0x1p-40, 0.01, 0.25, 0.25, 0.7};
    arb_set_d(x, ((double)at_rng_below(r, 25) - 12) / 4);
    mag_set_d(arb_radref(x), radii[at_rng_below(r, 6)]);
}

/* A point of x: an end, the middle, or anywhere. */
static void draw_point(at_rng *r, const NUM *x, NUM *p)
{
    double u = (double)at_rng_below(r, 3) - 1;
    if (at_rng_below(r, 2))
        u = 2 * at_rng_unit(r) - 1;
    NUM t;
    arb_init(&t);
    arf_set_mag(arb_midref(p), arb_radref(x));
    mag_zero(arb_radref(p));
    arb_set_d(&t, u);
    arb_mul(p, p, &t, 1000);
    arb_set_arf(&t, arb_midref(x));
    arb_add(p, p, &t, 1000);
    arb_clear(&t);
}

static void functions(void **state)
{
    (void)state;
    typedef void fn(const ref_ctx *, NUM *, const NUM *);
    fn *const fns[] = {num_relu, num_negabs, num_phi, num_gelu, num_exp};
    at_rng r = at_rng_at(1, 0);
    NUM x, p, y, q;
    arb_init(&x), arb_init(&p), arb_init(&y), arb_init(&q);
    ref_ctx coarse = real(30), fine = real(300);
    for (int k = 0; k < ROUNDS * 5; k++) {
        draw_ball(&r, &x);
        draw_point(&r, &x, &p);
        fns[k % 5](&coarse, &y, &x);
        fns[k % 5](&fine, &q, &p);
        assert_true(arb_contains(&y, &q));
        /* tight at the corner: up to the rounding at 30 bits, the relu of a ball is no wider than the ball */
        if (k % 5 == 0)
            assert_true(mag_get_d(arb_radref(&y)) <= mag_get_d(arb_radref(&x)) * (1 + 0x1p-20));
        if (k % 5 == 1 && arb_is_exact(&x))
            assert_true(arb_is_nonpositive(&y));
    }
    arb_clear(&x), arb_clear(&p), arb_clear(&y), arb_clear(&q);
}

typedef struct {
    NUM s[KEYS], v[KEYS], w[KEYS], z[KEYS], den, out;
    uint8_t flag[KEYS];
} query;

static void query_init(query *a)
{
    for (int j = 0; j < KEYS; j++)
        arb_init(&a->s[j]), arb_init(&a->v[j]), arb_init(&a->w[j]), arb_init(&a->z[j]);
    arb_init(&a->den), arb_init(&a->out);
}
static void query_clear(query *a)
{
    for (int j = 0; j < KEYS; j++)
        arb_clear(&a->s[j]), arb_clear(&a->v[j]), arb_clear(&a->w[j]), arb_clear(&a->z[j]);
    arb_clear(&a->den), arb_clear(&a->out);
}
static mix_kind query_run(ref_ctx *c, const at_group *g, query *a, size_t n)
{
    mix_kind kind = row_weigh(c, g, a->s, n, a->w, &a->den, a->z, a->flag);
    row_mix(c, kind, a->w, &a->den, a->flag, n, a->v, 1, NULL, &a->out);
    return kind;
}

/* Every weighting: the value mixed from balls contains the value mixed from points of them. */
static void weightings(void **state)
{
    (void)state;
    at_rng r = at_rng_at(2, 0);
    query ball, point;
    query_init(&ball);
    query_init(&point);
    int unions = 0, means = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int w = 0; w < AT_WEIGHTINGS; w++) {
            at_group g = {.weighting = w, .scale = 1, .tie = round % 3 == 0 ? 0.5 : 0};
            size_t n = 1 + (size_t)at_rng_below(&r, KEYS);
            for (size_t j = 0; j < n; j++) {
                draw_ball(&r, &ball.s[j]);
                draw_ball(&r, &ball.v[j]);
                if (w == AT_LINEAR) /* its scores are positive */
                    arb_add_ui(&ball.s[j], &ball.s[j], 4, 60);
                if (round % 2) /* narrow scores: choices are mostly decided */
                    mag_set_d(arb_radref(&ball.s[j]), at_rng_below(&r, 2) ? 0 : 0x1p-30);
            }
            ref_ctx coarse = real(30), fine = real(300);
            mix_kind kind = query_run(&coarse, &g, &ball, n);
            unions += kind == MIX_HULL && w == AT_AVERAGE_HARD;
            means += kind == MIX_MEAN && w == AT_AVERAGE_HARD;
            for (int k = 0; k < POINTS; k++) {
                for (size_t j = 0; j < n; j++) {
                    draw_point(&r, &ball.s[j], &point.s[j]);
                    draw_point(&r, &ball.v[j], &point.v[j]);
                }
                query_run(&fine, &g, &point, n);
                if (!arb_contains(&ball.out, &point.out))
                    fail_msg("%s of %zu keys, round %d: %.17g is outside %.17g", at_weighting_names[w], n,
                             round, num_double(&point.out), num_double(&ball.out));
            }
        }
    assert_true(unions > ROUNDS / 10 && means > ROUNDS / 10);
    query_clear(&point);
    query_clear(&ball);
}

/* The weights themselves, too: sparsemax of balls contains sparsemax of points, weight by weight. */
static void sparsemax_weights(void **state)
{
    (void)state;
    at_rng r = at_rng_at(3, 0);
    query ball, point;
    query_init(&ball);
    query_init(&point);
    for (int round = 0; round < ROUNDS * 4; round++) {
        ref_ctx coarse = real(30), fine = real(300);
        int n = 2 + (int)at_rng_below(&r, KEYS - 1);
        for (int j = 0; j < n; j++) {
            draw_ball(&r, &ball.s[j]);
            draw_point(&r, &ball.s[j], &point.s[j]);
        }
        weigh_sparsemax(&coarse, ball.s, n, ball.w, ball.z);
        weigh_sparsemax(&fine, point.s, n, point.w, point.z);
        for (int j = 0; j < n; j++)
            assert_true(arb_overlaps(&ball.w[j], &point.w[j]));
    }
    query_clear(&point);
    query_clear(&ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions), cmocka_unit_test(weightings),
                                       cmocka_unit_test(sparsemax_weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
