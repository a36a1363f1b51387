/* model_of_bytes.h: a small model from the bytes of a fuzzer's input, many thousand times a second.
 *
 *     bytes b = {data, size, .decoder = false};
 *     at_model *m = model_of(&b);           // the same bytes, the same model; borrowed until the next call
 *     input_of(&b, m, &arena, &x);
 *
 * Layout of the input: CHOICES bytes pick the architecture (see `spec_read`, `bend`), the rest are mutations of three bytes
 * each: which weight (two bytes) and which awkward number it becomes. Missing bytes are zeros. Every weight and input is a
 * float, so that f32 and f64 start from the same numbers.
 *
 * An input that a fuzzer makes from another mostly has that one's architecture, and often its seed. So models are kept as they
 * were before bytes bent them: all that bytes may change (see `bend`) is set anew for every input. */
#ifndef ATTEST_FUZZ_MODEL_OF_BYTES_H
#define ATTEST_FUZZ_MODEL_OF_BYTES_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/exec/exec_internal.h"

#ifdef FUZZ_REPLAY
enum { REPLAY = true };
#else
enum { REPLAY = false };
/* Memory that was freed is watched for less long, and fewer callers of malloc are remembered, than is usual. A replayed
 * file is told everything. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "malloc_context_size=1:quarantine_size_mb=4:thread_local_quarantine_size_kb=64";
}
#endif

/* Seeds are few, so most weights were drawn before: the normal numbers of every stream, as far as it was read. */
static double normal_again(at_rng *r)
{
    enum { STREAMS = 1 << 14, DRAWS = 160 };
    static struct stream {
        uint64_t key;
        size_t n; /* 0: nobody's */
        double value[DRAWS];
    } streams[STREAMS], *now;
    size_t k = r->counter / 2, at = r->key % STREAMS; /* a normal number takes two draws */
    if (!now || now->key != r->key) {
        while (streams[at].n && streams[at].key != r->key)
            at = (at + 1) % STREAMS;
        now = &streams[at];
        now->key = r->key;
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

enum { CHOICES = 24, MUTATIONS = 64 };

typedef struct {
    const uint8_t *data;
    size_t size;
    bool decoder; /* models that continue their input, and longer ones */
    size_t at;
    uint64_t made; /* the choices so far, as one number */
    int n;         /* length of the input, 1..n_max */
    at_arith pbit; /* a p-bit format */
    random_spec spec;
} bytes;

static unsigned next(bytes *b, unsigned below)
{
    unsigned v = b->at < b->size ? b->data[b->at] : 0;
    b->at++;
    return v % below;
}

/* A choice that the architecture depends on. */
static unsigned pick(bytes *b, unsigned below)
{
    unsigned v = next(b, below);
    b->made = b->made * below + v;
    return v;
}

/* Most models are short: what goes wrong does so at few positions already, and soon. Caches of decoders are squeezed after
 * twenty rows or so. */
static int length(const bytes *b, unsigned byte)
{
    return byte < 200 ? 3 + (int)byte % 4 : 3 + (int)byte % (b->decoder ? 30 : 10);
}

static at_mask_kind mask_pick(bytes *b)
{
    static const at_mask_kind backwards[] = {AT_MASK_CAUSAL, AT_MASK_STRICT, AT_MASK_BLOCK_SPARSE};
    return b->decoder ? backwards[pick(b, 3)] : (at_mask_kind)pick(b, AT_MASKS);
}

/* A decoder knows no length. */
static at_pos_kind pos_pick(bytes *b)
{
    at_pos_kind k = (at_pos_kind)pick(b, AT_POS_KINDS + 1);
    return b->decoder && (k == AT_POS_I_OVER_N || k == AT_POS_I_OVER_N3 || k == AT_POS_N) ? AT_POS_I : k;
}

/* The last of the choices, so that files of a time without traits, whose last byte is 0, keep their models. Half of all models have
 * none. */
static unsigned traits_pick(bytes *b)
{
    enum { ALL = 1 << AT_TRAITS };
    bytes last = {b->data, b->size, .at = CHOICES - 1};
    unsigned byte = next(&last, 256), traits = byte < 128 ? 0 : byte % ALL;
    b->made = b->made * ALL + traits;
    return traits;
}

static void spec_read(bytes *b)
{
    random_spec *s = &b->spec;
    *s = (random_spec){
        .weighting = (at_weighting)pick(b, AT_WEIGHTINGS), .mask = mask_pick(b), .pos = pos_pick(b)};
    s->seed = next(b, 256);
    s->length = length(b, next(b, 256));
    b->made = b->made * 64 + (uint64_t)s->length;
    s->width = 6 + (int)pick(b, 3);
    s->heads = 1 + (int)pick(b, 3);
    s->dk = 1 + (int)pick(b, 5);
    s->dv = 1 + (int)pick(b, 5);
    s->layers = 1 + (int)pick(b, 2);
    s->act = (at_act)pick(b, AT_ACTS);
    s->norm = (at_norm)pick(b, AT_NORMS);
    s->post = (at_post)pick(b, AT_POSTS);
    s->read = (at_read_kind)pick(b, AT_READS);
    s->rows = 1 + b->decoder + (int)pick(b, 4 - b->decoder);
    s->tie = 0.125 * pick(b, 3);
    unsigned flags = pick(b, 128);
    s->final_norm = flags & 1;
    s->one_group = flags & 2;
    s->no_bias = flags & 4;
    s->integers = flags & 8;
    s->tokens_only = flags & 16;
    s->last = flags & 32;
    s->decoder = b->decoder;
    s->no_prefix = b->decoder && flags & 64;
    s->traits = traits_pick(b);
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
        bool kept = block->parallel || (k + 1 < m->n_blocks && m->blocks[k + 1].parallel);
        block->residual = kept || !(residual >> k & 1);
        for (int g = 0; block->kind == AT_BLOCK_ATTN && g < block->n_groups; g++) {
            at_group *group = &block->groups[g];
            if (group->weighting != AT_LINEAR)
                group->scale = (double[]){0.75, 1, -2.5, 1000}[scale];
            if (group->mask.kind == AT_MASK_BLOCK_SPARSE)
                group->mask = (at_mask){AT_MASK_BLOCK_SPARSE, 3, 1 + (int)mask / 9, 1 + (int)mask % 3};
        }
    }
    for (size_t k = 0, at = CHOICES; k < MUTATIONS && at < b->size; k++, at += 3) {
        bytes change = {b->data, b->size, .at = at};
        size_t which = next(&change, 256), high = next(&change, 256);
        m->weights[(which | high << 8) % m->n_weights] =
            (float)awkward[next(&change, sizeof awkward / sizeof *awkward)];
    }
}

/* One model for each place; a new one drives out the old one. */
static at_model *model_kept(bytes *b)
{
    enum { KEPT = 8192 };
    static struct kept {
        bool full;
        uint64_t made, seed;
        at_model m;
        double *drawn; /* (n_weights) as the seed has them */
    } all[KEPT];
    struct kept *k = &all[at_hash64(&b->made, sizeof b->made, 0) % KEPT];
    at_err err = {0};
    bool fresh = !k->full || k->made != b->made;
    if (fresh) {
        if (k->full) {
            at_model_release(&k->m);
            free(k->drawn);
        }
        if (random_model(&b->spec, &k->m, &err) || !(k->drawn = malloc(k->m.n_weights * sizeof *k->drawn))) {
            fprintf(stderr, "%s\n", err.text);
            abort();
        }
        k->full = true;
        k->made = b->made;
    } else if (k->seed != b->spec.seed) {
        weights_fill(&k->m, b->spec.integers, b->spec.seed);
    }
    if (fresh || k->seed != b->spec.seed)
        for (size_t i = 0; i < k->m.n_weights; i++)
            k->drawn[i] = (float)k->m.weights[i];
    k->seed = b->spec.seed;
    memcpy(k->m.weights, k->drawn, k->m.n_weights * sizeof *k->drawn);
    return &k->m;
}

static at_model *model_of(bytes *b)
{
    spec_read(b);
    at_model *m = model_kept(b);
    b->n = 1 + (int)next(b, (unsigned)m->n_max);
    b->pbit = (at_arith){.kind = AT_PBIT, .bits = 2 + (int)next(b, 52)};
    b->pbit.exp_bits = 3 + (int)next(b, 8);
    bend(b, m);
    return m;
}

/* An arena for one input, empty but for the memory of the last one. */
static at_arena *scratch_open(void)
{
    static at_arena arena;
    static at_mark begin;
    if (!arena.head) {
        if (!at_arena_alloc(&arena, 1 << 16, 1))
            abort();
        begin = (at_mark){arena.head, 0};
    }
    at_arena_reset(&arena, begin);
    return &arena;
}

/* b->n rows in the domain, floats. */
static void input_of(const bytes *b, const at_model *m, at_arena *arena, at_input *x)
{
    if (random_input(m, b->n, b->spec.seed, b->spec.integers, arena, x, NULL))
        abort();
    for (int i = 0; i < b->n * at_model_row_width(m); i++)
        ((double *)x->v)[i] = (float)x->v[i];
}

static _Noreturn void broken(const char *what, const at_model *m, double value, double mid, double radius)
{
    fprintf(stderr, "%s: %.17g, ball %.17g +- %.3g (%s, %s, %d blocks)\n", what, value, mid, radius,
            at_weighting_names[m->blocks[0].groups[0].weighting],
            at_mask_names[m->blocks[0].groups[0].mask.kind], m->n_blocks);
    abort();
}

/* ---- comparing ---------------------------------------------------------------------------------------- */

/* Values that agree to a third of their digits or so need no ball. */
static bool near(at_arith a, double v, double w)
{
    static const double NEAR[] = {[AT_F32] = 0x1p-11, [AT_F64] = 0x1p-30};
    return v == w || (isnan(v) && isnan(w)) || fabs(v - w) <= NEAR[a.kind] * fmax(1, fmin(fabs(v), fabs(w)));
}

static bool same(double v, double w)
{
    return v == w || (isnan(v) && isnan(w));
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

static double largest_weight(const at_model *m)
{
    at_size s;
    at_model_size(m, &s);
    return s.largest;
}

/* Linear attention in another order is another product too, (q k) v as q (k v), whose parts may overflow f32 alone when weights are
 * large: then f64, which has room for all models made here, has to answer. */
static bool overflow_allowed(const at_model *m, at_arith a)
{
    return a.kind == AT_F32 && m->blocks[0].groups[0].weighting == AT_LINEAR && largest_weight(m) > 100;
}

/* Value i of a run that adds in another order than the reference, given the ball of all orders. Such a run also multiplies by
 * weights that are zero, which the reference skips: after an overflow it may say NaN, if the bound that skips no weight says that
 * too. */
static void reordered_judge(const at_model *m, at_arith a, const at_input *x, const at_output *ball, int i,
                            double value, const char *what, at_arena *arena)
{
    at_output dense;
    if (inside(ball, i, value) || (!isfinite(value) && overflow_allowed(m, a)))
        return;
    if (!isfinite(value))
        bound_dense(m, a, x, arena, &dense);
    if (isfinite(value) || isfinite(dense.radius[i]))
        broken(what, m, value, ball->value[i], ball->radius[i]);
}

static const char *const isas[] = {"native", "portable"};

static void isa_set(int isa)
{
    static int now = -1;
    if (isa != now)
        setenv("ATTEST_ISA", isas[isa], 1);
    now = isa;
}

#endif
