/* fuzz_diff.c: bytes choose a small model, and three ways of running it are held against each other.
 *
 * Layout of the input: CHOICES bytes pick the architecture (see `spec`, `bend`), the rest are mutations of three
 * bytes each: which weight (two bytes) and which awkward number it becomes. Missing bytes are zeros.
 * Every weight and input is a float, so that f32 and f64 start from the same numbers.
 *
 * What must hold:
 *   - the file image of the model parses back to the same bytes, and that model gives the same numbers;
 *   - f32, f64: the reference and the fast executor (both instruction sets) lie in the ball of
 *     at_run_bound(any_order), which contains every run whose sums are added in any order, by induction over
 *     operations; where the ball is unbounded (overflow, undecided hard attention) nothing is asked. The
 *     fast executor also multiplies by weights that are zero, which the reference skips: after an overflow it
 *     may say NaN, if the bound that skips no weight says that too. And linear attention is a product in
 *     another order there, (q k) v as q (k v), whose parts may overflow f32 alone when weights are large: then
 *     f64, which has room for all models made here, has to answer;
 *   - the fast executor is deterministic: a sequence's values do not depend on its place in the batch;
 *   - p-bit: the reference lies in the ball of at_run_bound for that format;
 *   - decisions of a number that is not finite are never certain. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/exec/exec_internal.h"
#include "../src/exec/test/random_model.c"
#include "../src/model/model_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHOICES = 24, BATCH = 5, MUTATIONS = 64 };

typedef struct {
    const uint8_t *data;
    size_t size, at;
} bytes;

static unsigned next(bytes *b, unsigned below)
{
    unsigned v = b->at < b->size ? b->data[b->at] : 0;
    b->at++;
    return v % below;
}

static _Noreturn void broken(const char *what, const at_model *m, double value, double mid, double radius)
{
    fprintf(stderr, "fuzz_diff: %s: %.17g, ball %.17g +- %.3g (%s, %d blocks)\n", what, value, mid, radius,
            at_weighting_names[m->blocks[0].groups[0].weighting], m->n_blocks);
    abort();
}

static random_spec spec(bytes *b, int *n)
{
    random_spec s = {.weighting = (at_weighting)next(b, AT_WEIGHTINGS),
                     .mask = (at_mask_kind)next(b, AT_MASKS),
                     .pos = (at_pos_kind)next(b, AT_POS_KINDS + 1),
                     .seed = next(b, 256),
                     .length = 3 + (int)next(b, 10),
                     .width = 6 + (int)next(b, 3),
                     .heads = 1 + (int)next(b, 3),
                     .dk = 1 + (int)next(b, 5),
                     .dv = 1 + (int)next(b, 5),
                     .layers = 1 + (int)next(b, 2),
                     .act = (at_act)next(b, AT_ACTS),
                     .norm = (at_norm)next(b, AT_NORMS),
                     .post = (at_post)next(b, AT_POSTS),
                     .read = (at_read_kind)next(b, AT_READS),
                     .rows = 1 + (int)next(b, 4),
                     .tie = 0.125 * next(b, 3)};
    unsigned flags = next(b, 256);
    s.final_norm = flags & 1;
    s.one_group = flags & 2;
    s.no_bias = flags & 4;
    s.integers = flags & 8;
    s.tokens_only = flags & 16;
    s.last = flags & 32;
    *n = 1 + (int)next(b, (unsigned)s.length - 2);
    return s;
}

/* What random_model leaves at one value, and the mutations of weights. */
static void bend(bytes *b, at_model *m)
{
    static const double awkward[] = {0,    1,     -1,     0.1,   -0.1,  3,        -7,   100,
                                     -1e4, 1e-30, -1e-38, 1e-44, 1e10,  -1e19,    1e15, -2e19,
                                     0.5,  -0.5,  1e-7,   -1e-7, 65504, 16777217, 1e5,  -88};
    unsigned residual = next(b, 256), scale = next(b, 4), mask = next(b, 27);
    for (int k = 0; k < m->n_blocks; k++) {
        at_block *block = &m->blocks[k];
        block->residual = !(residual >> k & 1);
        for (int g = 0; block->kind == AT_BLOCK_ATTN && g < block->n_groups; g++) {
            at_group *group = &block->groups[g];
            if (group->weighting != AT_LINEAR)
                group->scale = (double[]){0.75, 1, -2.5, 1000}[scale];
            if (group->mask.kind == AT_MASK_BLOCK_SPARSE)
                group->mask = (at_mask){AT_MASK_BLOCK_SPARSE, 3, 1 + (int)mask / 9, 1 + (int)mask % 3};
        }
    }
    for (size_t k = 0; k < MUTATIONS && CHOICES + 3 * k < b->size; k++) {
        b->at = CHOICES + 3 * k;
        size_t which = next(b, 256), high = next(b, 256);
        m->weights[(which | high << 8) % m->n_weights] = awkward[next(b, sizeof awkward / sizeof *awkward)];
    }
    for (size_t i = 0; i < m->n_weights; i++)
        m->weights[i] = (float)m->weights[i];
}

/* A radius is of the exact midpoint, which was rounded to a double. */
static bool inside(const at_output *ball, int i, double value)
{
    return !isfinite(ball->radius[i]) ||
           fabs(value - ball->value[i]) <= ball->radius[i] + DBL_EPSILON * fabs(ball->value[i]);
}

/* The bound with every weight in use: the least double stands for zero (and is zero in f32). */
static void bound_dense(const at_model *m, at_arith a, const at_input *x, at_arena *arena, at_output *ball)
{
    at_model full;
    if (at_model_copy(m, &full, NULL))
        abort();
    for (size_t i = 0; i < full.n_weights; i++)
        if (full.weights[i] == 0)
            full.weights[i] = DBL_TRUE_MIN;
    if (at_run_bound(&full, a, x, true, arena, ball, NULL))
        abort();
    at_model_release(&full);
}

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

static double largest_weight(const at_model *m)
{
    at_size s;
    at_model_size(m, &s);
    return s.largest;
}

static void fast_check(const at_model *m, at_arith a, const at_input *x, const at_output *ball,
                       at_arena *arena)
{
    static const char *const isas[] = {"native", "portable"};
    bool reordered = m->blocks[0].groups[0].weighting == AT_LINEAR && largest_weight(m) > 100;
    size_t each = (size_t)x->n * (size_t)at_model_row_width(m), n = (size_t)(ball->n * ball->rows);
    double *v = at_new(arena, double, each *BATCH), *value = at_new(arena, double, n *BATCH);
    if (!v || !value)
        abort();
    for (int b = 0; b < BATCH; b++)
        memcpy(v + (size_t)b * each, x->v, each * sizeof *v);
    for (int isa = 0; isa < 2; isa++) {
        at_exec *e = NULL;
        at_scratch *s = NULL;
        at_err err = {0};
        setenv("ATTEST_ISA", isas[isa], 1);
        at_status st = at_exec_new(m, a, x->n, &e, &err);
        if (st == AT_EREFUSED)
            continue;
        if (st || at_scratch_new(e, &s, &err) || at_exec_positions(e) != ball->n)
            broken(err.text, m, 0, 0, 0);
        at_exec_run(e, s, v, BATCH, value);
        for (int i = 0; i < (int)n; i++) {
            at_output dense;
            if (inside(ball, i, value[i]))
                continue;
            if (!isfinite(value[i]) && a.kind == AT_F32 && reordered)
                continue;
            if (!isfinite(value[i]))
                bound_dense(m, a, x, arena, &dense);
            if (isfinite(value[i]) || isfinite(dense.radius[i]))
                broken(a.kind == AT_F32 ? "fast f32" : "fast f64", m, value[i], ball->value[i],
                       ball->radius[i]);
        }
        for (size_t i = n; i < n * BATCH; i++)
            if (!(value[i] == value[i % n] || (isnan(value[i]) && isnan(value[i % n]))))
                broken("another place in the batch", m, value[i], value[i % n], 0);
        at_scratch_free(s);
        at_exec_free(e);
    }
}

static void runs_check(const at_model *m, const at_model *copy, const at_input *x, int bits, int exp_bits,
                       at_arena *arena)
{
    const at_arith ariths[] = {at_f32, at_f64, {AT_PBIT, bits, exp_bits}};
    at_output y, z, ball;
    at_err err = {0};
    for (int a = 0; a < 3; a++) {
        bool fast = ariths[a].kind != AT_PBIT;
        if (at_run(m, ariths[a], x, NULL, arena, &y, &err) ||
            at_run(copy, ariths[a], x, NULL, arena, &z, &err) ||
            at_run_bound(m, ariths[a], x, fast, arena, &ball, &err))
            broken(err.text, m, 0, 0, 0);
        for (int i = 0; i < y.n * y.rows; i++)
            if (!inside(&ball, i, y.value[i]))
                broken(fast ? "reference" : "p-bit", m, y.value[i], ball.value[i], ball.radius[i]);
        decisions_check(m, &y);
        for (int i = 0; i < y.n * y.rows; i++)
            if (!(y.value[i] == z.value[i] || (isnan(y.value[i]) && isnan(z.value[i]))))
                broken("after the round trip", m, z.value[i], y.value[i], 0);
        if (fast)
            fast_check(m, ariths[a], x, &ball, arena);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = {data, size, 0};
    at_model m, copy;
    at_arena arena;
    at_input x;
    at_err err = {0};
    int n;
    random_spec s = spec(&b, &n);
    if (random_model(&s, &m, &err))
        abort();
    int bits = 2 + (int)next(&b, 52), exp_bits = 3 + (int)next(&b, 8);
    bend(&b, &m);
    at_arena_init(&arena);
    if (at_model_validate(&m, &err) || random_input(&m, n, s.seed, s.integers, &arena, &x, &err))
        abort();
    for (int i = 0; i < n * at_model_row_width(&m); i++)
        ((double *)x.v)[i] = (float)x.v[i];
    round_trip(&m, &copy);
    runs_check(&m, &copy, &x, bits, exp_bits, &arena);
    at_arena_release(&arena);
    at_model_release(&copy);
    at_model_release(&m);
    return 0;
}
