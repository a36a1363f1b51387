/* test_bound_plot.c: bounds drawn beside constructions: a construction of the same kind never lies below what is ruled out. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <attest/bound.h>
#include <attest/report.h>

#include <math.h>
#include <string.h>

#define OK(call)                                                                                             \
    do {                                                                                                     \
        at_err err = {0};                                                                                    \
        if ((call) != AT_OK)                                                                                 \
            fail_msg("%s: %s", #call, err.text);                                                             \
    } while (0)

static const struct {
    const char *id, *set;
    int series;
} row[] = {
    {"match3-hard", "", 2},
    {"triangle", "", 1},
    {"qsa-attention-hard", "p=1", 2},
    {"qsa-fnn-hard", "", 2},
    {"qsa-rnn-hard", "", 1},
    {"compose-bound", "H=1 p=8", 2}, /* compose-one has one head; at n = 128 it needs more than 8 bits */
    {"compose-cot", "", 1},
    {"funccomp-params", "p=1", 1},
    {"dp-hard", "p=8 e=5 layers=1 H=1 n=50", 2},
    {"dp-hard", "p=8 e=5 layers=2 H=1 n=50 B=10 problem=lis attention=sparse", 2},
    {"dp-hard", "p=8 e=5 layers=1 H=1 n=8 problem=ed", 2},
    {"arith-hard", "", 1},
    {"dp-local-hard", "", 1},
};

static void test_every_bound(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const at_bound *b = at_bound_find(row[i].id);
        at_params p;
        at_arena a;
        at_plot plot;
        at_text svg;
        at_arena_init(&a);
        at_text_init(&svg);
        at_params_init(&p, b->params, b->n_params);
        OK(at_params_parse(&p, row[i].set, &err));
        OK(at_bound_plot(b, &p, &a, &plot, &err));
        assert_int_equal(plot.n_series, row[i].series);
        const at_series *least = &plot.series[0], *built = &plot.series[1];
        assert_true(least->n >= 8);
        for (int k = 1; k < least->n; k++) { /* larger problems never need less */
            assert_true(least->x[k] > least->x[k - 1]);
            assert_true(least->y[k] >= least->y[k - 1]);
        }
        for (int k = 0, j = 0; k < built->n && plot.n_series == 2 && !b->construction_note; k++) {
            while (j < least->n && least->x[j] < built->x[k])
                j++;
            assert_true(j < least->n && least->x[j] == built->x[k]);
            assert_true(built->y[k] >= least->y[j]);
        }
        OK(at_plot_svg(&plot, &svg, &err));
        assert_non_null(strstr(svg.s, b->id));
        at_text_release(&svg);
        at_arena_release(&a);
    }
}

static void test_memory(void **state)
{
    (void)state;
    const at_bound *b = at_bound_find("match3-hard");
    at_params p;
    at_params_init(&p, b->params, b->n_params);
    OK(at_params_parse(&p, "N=3", &err));
    for (long nth = 1;; nth++) {
        at_arena a;
        at_plot plot;
        at_err err = {0};
        at_arena_init(&a);
        at_alloc_inject(nth);
        at_status s = at_bound_plot(b, &p, &a, &plot, &err);
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        at_arena_release(&a);
        if (!fired) {
            assert_int_equal(s, AT_OK);
            break;
        }
        assert_int_equal(s, AT_ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_bound), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
