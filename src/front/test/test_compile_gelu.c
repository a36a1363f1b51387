/* test_compile_gelu.c: a compiled recurrence is as good with GeLU units as with ReLU units.
 *
 * The program that at_dp_program writes is assembled with lambda = 2^64 (what selections and maxima add to an
 * address must not move a score) and run over the interpreter's whole chain: the row read at each position is the
 * chain's next row, for every drawn input.
 *
 * EVIDENCE lemma-a2 sampled 80 test_recurrences: edit distance and subsequences compiled with GeLU units, 40 chains each */
#include "../../core/test/test_evidence.h"
#include "../../lang/test/dp_test.h"

#include <attest/front.h>

#include <math.h>

#define INPUTS 40

/* The sequence (inputs, separator, states) as rows of the model, and the row after each. */
static int chain_rows(const at_dp_instance *x, const int64_t *in, const at_dp_chain *c, int width,
                      double *rows)
{
    int nc = x->d->n_counters, nv = x->d->n_values, n = 0;
    memset(rows, 0, (size_t)(x->L + 1) * (size_t)width * sizeof *rows);
    for (int64_t i = 0; i < x->n_input; i++)
        rows[n++ * width] = (double)in[i];
    n++; /* the separator is a row of zeros */
    for (int64_t s = 0; s < x->n_states; s++, n++) {
        for (int k = 0; k < nc; k++)
            rows[n * width + 1 + k] = (double)x->state[s * nc + k];
        for (int k = 0; k < nv; k++)
            rows[n * width + 1 + nc + k] = (double)c->value[s * nv + k];
    }
    rows[n * width + width - 1] = (double)c->answer;
    return n;
}

static void recurrence_check(const char *file, const char *sizes)
{
    at_dp *d = dp_example(file);
    at_dp_instance *x = dp_bound(d, sizes);
    at_program *P;
    at_model m;
    at_err err = {0};
    if (at_dp_program(x, &(at_dp_options){.attention = AT_ATTENTION_STANDARD}, &P, &err))
        fail_msg("%s", err.text);
    at_gelu(P, 0x1p64);
    if (at_assemble(P, &m, NULL, &err))
        fail_msg("%s: %s", file, err.text);
    int width = at_model_row_width(&m), gelu = 0;
    for (int b = 0; b < m.n_blocks; b++)
        gelu += m.blocks[b].kind == AT_BLOCK_MLP && m.blocks[b].act == AT_ACT_GELU;
    assert_true(gelu > 0);
    double least = INFINITY;
    for (uint64_t k = 0; k < INPUTS; k++) {
        at_arena a;
        at_arena_init(&a);
        at_rng r = at_rng_at(9, k);
        int64_t *in = at_new(&a, int64_t, x->n_input);
        for (int64_t i = 0, which = 0; i < x->n_input; i++) {
            while (which + 1 < d->n_inputs && i >= x->input_first[which + 1])
                which++;
            uint64_t values = (uint64_t)(x->input_hi[which] - x->input_lo[which] + 1);
            in[i] = x->input_lo[which] + (int64_t)at_rng_below(&r, values);
        }
        at_dp_chain c;
        if (at_dp_run(x, in, &a, &c, &err))
            fail_msg("%s", err.text);
        double *rows = at_new(&a, double, (x->L + 1) * width);
        at_input all = {chain_rows(x, in, &c, width, rows), rows};
        at_output y;
        if (at_run(&m, at_f64, &all, NULL, &a, &y, &err))
            fail_msg("%s", err.text);
        assert_int_equal(y.width, width);
        for (int i = (int)x->n_input; i < all.n; i++) /* from the separator on */
            for (int j = 0; j < width; j++) {
                if (y.decision[i * width + j] != rows[(i + 1) * width + j])
                    fail_msg("%s, input %d, row %d: coordinate %d is %g, not %g", file, (int)k, i + 1, j,
                             y.value[i * width + j], rows[(i + 1) * width + j]);
                least = fmin(least, y.margin[i * width + j]);
            }
        at_arena_release(&a);
    }
    print_message("%s %s: least margin %.3g\n", file, sizes, least);
    assert_true(least > 0.1);
    at_model_release(&m);
    at_program_free(P);
    at_dp_instance_free(x);
    at_dp_free(d);
}

static void test_recurrences(void **state)
{
    (void)state;
    recurrence_check("edit-distance", "n1=3,n2=4");
    recurrence_check("lis", "n=5,top=6");
    evidence_say("test_recurrences", "lemma-a2", "sampled", 2 * INPUTS, "chains");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recurrences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
