/* test_traced.c: what numbers inside of an MLP are off by. Networks are drawn, their inputs moved within what they are off by, and run in
 * other orders of summation: no number may leave what was said of it. A step made of two units is flat: what it is off by does not
 * grow. */
#include "../extract_traced.h"

#include <attest/core.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { WIDTH = 4, ROWS = 6, LAYERS = 3 };

typedef struct {
    int rows[LAYERS], layers;
    double w[LAYERS][ROWS][ROWS], b[LAYERS][ROWS];
    number x[WIDTH], y[ROWS]; /* input, and what is said of the output */
    double plain[ROWS];       /* what the output is off by without tracing */
} net;

static const double unit = 64 * 0x1p-52;

static void net_trace(net *n)
{
    double by[2][ROWS * WIDTH], own[2][ROWS], all[2][ROWS], off[WIDTH];
    traced t[2] = {{by[0], own[0], all[0]}, {by[1], own[1], all[1]}};
    causes d = {.off = off};
    number in[ROWS], out[ROWS], rough_in[ROWS], rough[ROWS];
    traced_begin(&t[1], &d, WIDTH, n->x);
    for (int k = 0; k < WIDTH; k++)
        in[k] = rough_in[k] = n->x[k];
    for (int l = 0; l < n->layers; l++) {
        int wide = l ? n->rows[l - 1] : WIDTH, column[ROWS] = {0, 1, 2, 3, 4, 5};
        for (int k = 0; k < n->rows[l]; k++) {
            sums s = sum_of_nothing, r = sum_of_nothing;
            for (int c = 0; c < wide; c++) {
                product_add(&s, (number){n->w[l][k][c], 0}, in[c]);
                product_add(&r, (number){n->w[l][k][c], 0}, rough_in[c]);
            }
            product_add(&s, (number){n->b[l][k], 0}, (number){1, 0});
            product_add(&r, (number){n->b[l][k], 0}, (number){1, 0});
            assert_true(sum_end(&s, unit, &out[k]) && sum_end(&r, unit, &rough[k]));
            traced_row(&t[1 - l % 2], &t[l % 2], k, wide, column, n->w[l][k], &s, unit, &d, &out[k]);
            if (l < n->layers - 1) {
                traced_relu(&t[l % 2], &d, k, &out[k]);
                rough[k] = number_relu(rough[k]);
            }
        }
        for (int k = 0; k < n->rows[l]; k++) {
            in[k] = n->y[k] = out[k];
            rough_in[k] = rough[k];
            n->plain[k] = rough[k].off;
        }
    }
}

/* The outputs of an input, sums from the front or from the back. */
static void net_run(const net *n, const double *x, bool back, double *y)
{
    double in[ROWS], out[ROWS];
    for (int k = 0; k < WIDTH; k++)
        in[k] = x[k];
    for (int l = 0; l < n->layers; l++) {
        int wide = l ? n->rows[l - 1] : WIDTH;
        for (int k = 0; k < n->rows[l]; k++) {
            out[k] = back ? 0 : n->b[l][k];
            for (int c = 0; c < wide; c++)
                out[k] += n->w[l][k][back ? wide - 1 - c : c] * in[back ? wide - 1 - c : c];
            out[k] += back ? n->b[l][k] : 0;
            out[k] = l < n->layers - 1 && out[k] < 0 ? 0 : out[k];
        }
        for (int k = 0; k < n->rows[l]; k++)
            in[k] = y[k] = out[k];
    }
}

static double draw(at_rng *r, double most)
{
    return most * (2 * at_rng_unit(r) - 1);
}

static void test_drawn(void **state)
{
    (void)state;
    int tighter = 0, unsure = 0;
    for (int trial = 0; trial < 3000; trial++) {
        at_rng r = at_rng_at(3, (uint64_t)trial);
        net n = {.layers = 2 + (int)at_rng_below(&r, 2)};
        double size = trial % 3 ? 0x1p-20 : 0.2;
        for (int l = 0; l < n.layers; l++) {
            n.rows[l] = 1 + (int)at_rng_below(&r, ROWS);
            for (int k = 0; k < n.rows[l]; k++) {
                n.b[l][k] = draw(&r, 2);
                for (int c = 0; c < ROWS; c++)
                    n.w[l][k][c] = trial % 2 ? draw(&r, 2) : (double)at_rng_below(&r, 5) - 2;
            }
        }
        for (int k = 0; k < WIDTH; k++)
            n.x[k] = (number){draw(&r, 3), at_rng_below(&r, 3) ? size * at_rng_unit(&r) : 0};
        net_trace(&n);
        for (int k = 0; k < n.rows[n.layers - 1]; k++) {
            assert_true(n.y[k].off <= n.plain[k]);
            tighter += n.y[k].off < 0.9 * n.plain[k];
        }
        for (int move = 0; move < 40; move++) {
            double x[WIDTH], y[ROWS];
            for (int k = 0; k < WIDTH; k++) /* corners first */
                x[k] = n.x[k].at + (move < 16 ? (move >> k & 1 ? 1 : -1) : draw(&r, 1)) * n.x[k].off;
            for (int back = 0; back < 2; back++) {
                net_run(&n, x, back, y);
                for (int k = 0; k < n.rows[n.layers - 1]; k++) {
                    double far = fabs(y[k] - n.y[k].at);
                    if (!(far <= n.y[k].off * (1 + 0x1p-40)))
                        fail_msg("net %d: off by %g, said %g", trial, far, n.y[k].off);
                    unsure += far > 0.9 * n.y[k].off && far > 0;
                }
            }
        }
    }
    assert_true(tighter > 2000 &&
                unsure > 2000); /* it says more than the plain way, and not more than is so */
}

/* [x >= 1] by two units, sixty times: the plain way doubles what it is off by, and more, each time. */
static void test_steps(void **state)
{
    (void)state;
    net n = {.layers = 2, .rows = {2, 1}, .w = {{{2}, {2}}, {{1, -1}}}, .b = {{-0.5, -1.5}}};
    number traced_x = {1, 1e-12}, plain_x = traced_x;
    for (int k = 0; k < 60; k++) {
        n.x[0] = plain_x;
        net_trace(&n);
        plain_x.off = n.plain[0];
        n.x[0] = traced_x;
        net_trace(&n);
        traced_x.off = n.y[0].off;
        assert_true(n.y[0].at == 1 && n.y[0].off < 1e-12);
    }
    assert_true(plain_x.off > 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drawn), cmocka_unit_test(test_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
