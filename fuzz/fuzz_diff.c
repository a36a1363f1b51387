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
 *   - decisions of a number that is not finite are never certain.
 *
 * Balls and files take a hundred times as long as the rest, so the fuzzer does all of this for one input in FULL only, drawn by the input's own
 * bytes. For the others one arithmetic and one instruction set are drawn, and values of the fast executor and the reference that agree
 * to a third of their digits or so (NEAR) are let pass; what does not agree goes before the ball. Replayed files (the seeds, what a fuzzer found)
 * are always asked everything: what the short way finds, the long way finds too. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/exec/exec_internal.h"

/* Seeds are few, so most weights were drawn before: the normal numbers of every stream, as far as it was read. */
static double normal_again(at_rng *r)
{
    enum { STREAMS = 1 << 14, DRAWS = 160 };
    static struct stream {
        uint64_t key;
        size_t n;
        double *value; /* (DRAWS), NULL: nobody's */
    } streams[STREAMS], *now;
    size_t k = r->counter / 2, at = r->key % STREAMS; /* a normal number takes two draws */
    if (!now || now->key != r->key) {
        while (streams[at].value && streams[at].key != r->key)
            at = (at + 1) % STREAMS;
        now = &streams[at];
        now->key = r->key;
        if (!now->value && !(now->value = malloc(DRAWS * sizeof *now->value)))
            abort();
    }
    if (k < now->n)
        r->counter += 2;
    else if (k == now->n && k < DRAWS)
        now->value[now->n++] = at_rng_normal(r);
    else
        return at_rng_normal(r);
    return now->value[k];
}

#define at_rng_normal(r) normal_again(r)
#include "../src/exec/test/random_model.c"
#undef at_rng_normal
#include "../src/model/model_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHOICES = 24, BATCH = 5, MUTATIONS = 64, FULL = 256, TRIPS = 32 };
#ifdef FUZZ_REPLAY
enum { REPLAY = true };
#else
enum { REPLAY = false };
#endif
static const double NEAR[] = {[AT_F32] = 0x1p-11, [AT_F64] = 0x1p-30};

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

/* Most models are short: what goes wrong does so at few positions already, and soon. */
static int length(unsigned byte)
{
    return byte < 200 ? 3 + (int)byte % 4 : 3 + (int)byte % 10;
}

static random_spec spec(bytes *b, int *n)
{
    random_spec s = {.weighting = (at_weighting)next(b, AT_WEIGHTINGS),
                     .mask = (at_mask_kind)next(b, AT_MASKS),
                     .pos = (at_pos_kind)next(b, AT_POS_KINDS + 1),
                     .seed = next(b, 256),
                     .length = length(next(b, 256)),
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

static const char *const isas[] = {"native", "portable"};

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
    setenv("ATTEST_ISA", isas[isa], 1);
    at_status st = at_exec_new(m, a, x->n, &e, &err);
    if (st == AT_EREFUSED)
        return false;
    if (st || at_scratch_new(e, &s, &err) || (size_t)at_exec_positions(e) * (size_t)m->readout.rows != n)
        broken(err.text, m, 0, 0, 0);
    at_exec_run(e, s, v, BATCH, all);
    for (size_t i = n; i < n * BATCH; i++)
        if (!(all[i] == all[i % n] || (isnan(all[i]) && isnan(all[i % n]))))
            broken("another place in the batch", m, all[i], all[i % n], 0);
    memcpy(value, all, n * sizeof *value);
    at_scratch_free(s);
    at_exec_free(e);
    return true;
}

static void fast_judge(const at_model *m, at_arith a, const at_input *x, const at_output *ball,
                       const double *value, at_arena *arena)
{
    bool reordered = m->blocks[0].groups[0].weighting == AT_LINEAR && largest_weight(m) > 100;
    for (int i = 0; i < ball->n * ball->rows; i++) {
        at_output dense;
        if (inside(ball, i, value[i]))
            continue;
        if (!isfinite(value[i]) && a.kind == AT_F32 && reordered)
            continue;
        if (!isfinite(value[i]))
            bound_dense(m, a, x, arena, &dense);
        if (isfinite(value[i]) || isfinite(dense.radius[i]))
            broken(a.kind == AT_F32 ? "fast f32" : "fast f64", m, value[i], ball->value[i], ball->radius[i]);
    }
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
        if (!(y->value[i] == z.value[i] || (isnan(y->value[i]) && isnan(z.value[i]))))
            broken("after the round trip", m, z.value[i], y->value[i], 0);
}

static void full_check(const at_model *m, const at_model *copy, const at_input *x, int bits, int exp_bits,
                       at_arena *arena)
{
    const at_arith ariths[] = {at_f32, at_f64, {AT_PBIT, bits, exp_bits}};
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

static bool near(at_arith a, double v, double w)
{
    return v == w || (isnan(v) && isnan(w)) || fabs(v - w) <= NEAR[a.kind] * fmax(1, fmin(fabs(v), fabs(w)));
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
    uint64_t draw = at_hash64(data, size, 0);
    if (REPLAY || draw % FULL == 0) {
        round_trip(&m, &copy);
        full_check(&m, &copy, &x, bits, exp_bits, &arena);
        at_model_release(&copy);
    } else {
        quick_check(&m, &x, draw / FULL, &arena);
    }
    at_arena_release(&arena);
    at_model_release(&m);
    return 0;
}
