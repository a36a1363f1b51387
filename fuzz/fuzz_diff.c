/* fuzz_diff.c: bytes choose a small model (model_of_bytes.h), and three ways of running it are held against each other.
 *
 * What must hold:
 *   - the file image of the model parses back to the same bytes, and that model gives the same numbers;
 *   - f32, f64: the reference and the fast executor (both instruction sets) lie in the ball of
 *     at_run_bound(any_order), which contains every run whose sums are added in any order, by induction over
 *     operations; where the ball is unbounded (overflow, undecided hard attention) nothing is asked. Overflow on
 *     the way may differ, see `reordered_judge`;
 *   - the fast executor is deterministic: a sequence's values do not depend on its place in the batch;
 *   - p-bit: the reference lies in the ball of at_run_bound for that format;
 *   - decisions of a number that is not finite are never certain.
 *
 * Balls and files take a hundred times as long as the rest, so the fuzzer does all of this for one input in FULL only, drawn by the input's own
 * bytes. For the others one arithmetic and one instruction set are drawn, and values of the fast executor and the reference that agree
 * to a third of their digits or so (`near`) are let pass; what does not agree goes before the ball. One in TRIPS of these goes through its file.
 * Replayed files (the seeds, what a fuzzer found) are always asked everything: what the short way finds, the long way finds too. */
#include "model_of_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BATCH = 5, FULL = 512, TRIPS = 128 };

static void decisions_check(const at_model *m, const at_output *y)
{
    for (int k = 0; k < y->n * y->width; k++)
        for (int r = 0; r < y->rows; r++) {
            double value = y->value[k / y->width * y->rows + r];
            bool its = y->width == 1 || r == k % y->width;
            if (its && !isfinite(value) && y->decided[k] != AT_UNKNOWN)
                broken("a decision from no number", m, value, y->decision[k], y->margin[k]);
        }
}

/* m through its file image, into copy. */
static void round_trip(const at_model *m, at_model *copy)
{
    char *one, *two;
    size_t n_one, n_two;
    at_err err = {0};
    if (at_model_image(m, &one, &n_one, &err) || at_model_parse(copy, one, n_one, "image", &err) ||
        at_model_image(copy, &two, &n_two, &err))
        broken(err.text, m, 0, 0, 0);
    if (n_one != n_two || memcmp(one, two, n_one))
        broken("the image changed", m, 0, 0, 0);
    at_free(one);
    at_free(two);
}

/* Values (n) of the fast executor; a sequence's do not depend on its place in the batch. False: refused. */
static bool fast_run(const at_model *m, at_arith a, const at_input *x, int isa, size_t n, double *value,
                     at_arena *arena)
{
    size_t each = (size_t)x->n * (size_t)at_model_row_width(m);
    double *v = at_new(arena, double, each *BATCH), *all = at_new(arena, double, n *BATCH);
    at_exec *e = NULL;
    at_scratch *s = NULL;
    at_err err = {0};
    if (!v || !all)
        abort();
    for (int b = 0; b < BATCH; b++)
        memcpy(v + (size_t)b * each, x->v, each * sizeof *v);
    isa_set(isa);
    at_status st = at_exec_new(m, a, x->n, &e, &err);
    if (st == AT_EREFUSED)
        return false;
    if (st || at_scratch_new(e, &s, &err) || (size_t)at_exec_positions(e) * (size_t)m->readout.rows != n)
        broken(err.text, m, 0, 0, 0);
    at_exec_run(e, s, v, BATCH, all);
    for (size_t i = n; i < n * BATCH; i++)
        if (!same(all[i], all[i % n]))
            broken("another place in the batch", m, all[i], all[i % n], 0);
    memcpy(value, all, n * sizeof *value);
    at_scratch_free(s);
    at_exec_free(e);
    return true;
}

static void fast_judge(const at_model *m, at_arith a, const at_input *x, const at_output *ball,
                       const double *value, at_arena *arena)
{
    for (int i = 0; i < ball->n * ball->rows; i++)
        reordered_judge(m, a, x, ball, i, value[i], a.kind == AT_F32 ? "fast f32" : "fast f64", arena);
}

static void reference_judge(const at_model *m, at_arith a, const at_input *x, const at_output *y,
                            at_arena *arena, at_output *ball)
{
    at_err err = {0};
    bool fast = a.kind != AT_PBIT;
    if (at_run_bound(m, a, x, fast, arena, ball, &err))
        broken(err.text, m, 0, 0, 0);
    for (int i = 0; i < y->n * y->rows; i++)
        if (!inside(ball, i, y->value[i]))
            broken(fast ? "reference" : "p-bit", m, y->value[i], ball->value[i], ball->radius[i]);
}

/* The model that came back from its file gives the same numbers. */
static void again_check(const at_model *m, const at_model *copy, at_arith a, const at_input *x,
                        const at_output *y, at_arena *arena)
{
    at_output z;
    at_err err = {0};
    if (at_run(copy, a, x, NULL, arena, &z, &err))
        broken(err.text, m, 0, 0, 0);
    for (int i = 0; i < y->n * y->rows; i++)
        if (!same(y->value[i], z.value[i]))
            broken("after the round trip", m, z.value[i], y->value[i], 0);
}

static void full_check(const at_model *m, const at_model *copy, const at_input *x, at_arith pbit,
                       at_arena *arena)
{
    const at_arith ariths[] = {at_f32, at_f64, pbit};
    at_output y, ball;
    at_err err = {0};
    for (int a = 0; a < 3; a++) {
        if (at_run(m, ariths[a], x, NULL, arena, &y, &err))
            broken(err.text, m, 0, 0, 0);
        reference_judge(m, ariths[a], x, &y, arena, &ball);
        decisions_check(m, &y);
        again_check(m, copy, ariths[a], x, &y, arena);
        double *value = at_new(arena, double, ball.n *ball.rows);
        for (int isa = 0; value && isa < 2 && ariths[a].kind != AT_PBIT; isa++)
            if (fast_run(m, ariths[a], x, isa, (size_t)(ball.n * ball.rows), value, arena))
                fast_judge(m, ariths[a], x, &ball, value, arena);
    }
}

static void quick_check(const at_model *m, const at_input *x, uint64_t draw, at_arena *arena)
{
    at_arith a = draw & 1 ? at_f32 : at_f64;
    at_output y, ball;
    at_err err = {0};
    if (at_run(m, a, x, NULL, arena, &y, &err))
        broken(err.text, m, 0, 0, 0);
    decisions_check(m, &y);
    double *value = at_new(arena, double, y.n *y.rows);
    if (value && fast_run(m, a, x, draw >> 1 & 1, (size_t)(y.n * y.rows), value, arena)) {
        bool all = true;
        for (int i = 0; i < y.n * y.rows; i++)
            all = all && near(a, y.value[i], value[i]);
        if (!all) {
            reference_judge(m, a, x, &y, arena, &ball);
            fast_judge(m, a, x, &ball, value, arena);
        }
    }
    if (draw >> 2 & (TRIPS - 1))
        return;
    at_model copy;
    round_trip(m, &copy);
    again_check(m, &copy, a, x, &y, arena);
    at_model_release(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = {data, size, .decoder = false};
    at_model *m = model_of(&b), copy;
    at_arena *arena = scratch_open();
    at_input x;
    at_err err = {0};
    uint64_t draw = at_hash64(data, size, 0);
    bool full = REPLAY || draw % FULL == 0;
    if (full && at_model_validate(m, &err))
        broken(err.text, m, 0, 0, 0);
    input_of(&b, m, arena, &x);
    if (full) {
        round_trip(m, &copy);
        full_check(m, &copy, &x, b.pbit, arena);
        at_model_release(&copy);
    } else {
        quick_check(m, &x, draw / FULL, arena);
    }
    return 0;
}
