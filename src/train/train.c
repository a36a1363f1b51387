/* train.c: a trainer: memory, threads, steps.
 *
 * A step: sequence i of the batch goes to slot i mod S (S from the architecture, never from the threads); a slot is
 * one work item that adds its sequences' gradients in order; then slots are added as a tree and AdamW runs, both a
 * stretch of parameters at a time; the packed weights are renewed before they are next used. So every number is made by
 * the same operations in the same order whoever makes it, threads and ranks (ranks.c) alike. */
#include "train_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STRETCH ((size_t)16384) /* parameters updated as one work item; a multiple of every vector */

#if defined(__x86_64__)
/* Vectors of 16 floats need rows that are multiples of them, and pay from heads of that width on. */
static bool avx512_wanted(const at_train_arch *a, bool single)
{
    return at_exec_avx512() &&
           (!single || (a->width % 16 == 0 && a->hidden % 16 == 0 && a->width >= 16 * (int64_t)a->heads));
}
#endif

static const train_kernel *kernel_choose(bool single)
{
#if defined(__x86_64__)
    if (!strcmp(at_exec_isa(), "avx2"))
        return single ? &train_avx2_f : &train_avx2_d;
#endif
    return single ? &train_portable_f : &train_portable_d;
}

at_status train_plan_fast(at_trainer *t, const at_train_arch *arch, at_err *err)
{
#if defined(__x86_64__)
    bool single = t->arith.kind == AT_F32;
    if (avx512_wanted(arch, single))
        t->kernel = single ? &train_avx512_f : &train_avx512_d;
#endif
    return train_plan_make(arch, t->kernel->panel, &t->arena, &t->plan, err);
}

static size_t padded(const at_trainer *t)
{
    return (t->plan.n + 15) / 16 * 16;
}

static size_t stretches_of(const at_trainer *t)
{
    return (padded(t) + STRETCH - 1) / STRETCH;
}

/* Xavier: uniform in +-sqrt(6 / (rows + cols)); gains 1, shifts and biases 0. Tensor i has a stream of its own. */
static void weights_draw(at_trainer *t)
{
    const train_plan *p = &t->plan;
    for (int i = 0; i < p->n_tensors; i++) {
        const at_train_tensor *e = &p->tensor[i];
        size_t n = (size_t)e->rows * (size_t)e->cols, len = strlen(e->name);
        double range = sqrt(6.0 / (e->rows + e->cols)), w[256];
        if (e->offset == p->token && p->a.token_range > 0)
            range = p->a.token_range;
        bool gain = !strcmp(e->name + len - 2, ".g"), shift = !strcmp(e->name + len - 2, ".b");
        at_rng r = at_rng_at(p->a.seed, (uint64_t)i);
        for (size_t k = 0, some; k < n; k += some) {
            some = n - k < 256 ? n - k : 256; /* doubles of all of them would be the peak of memory */
            for (size_t s = 0; s < some; s++)
                w[s] = gain ? 1 : shift ? 0 : range * (2 * at_rng_unit(&r) - 1);
            t->kernel->write(w, some, (char *)t->weights + (e->offset + k) * t->kernel->size);
        }
    }
}

at_status train_memory(at_trainer *t, at_err *err)
{
    size_t n = padded(t), z = t->kernel->size, S = (size_t)t->plan.a.slots;
    size_t work = t->kernel->work_size(&t->plan);
    t->weights = at_arena_alloc(&t->arena, n, z);
    t->moment1 = at_arena_alloc(&t->arena, n, z);
    t->moment2 = at_arena_alloc(&t->arena, n, z);
    t->gradient = at_arena_alloc(&t->arena, S * n, z);
    t->packed = at_arena_alloc(&t->arena, t->plan.packed, z);
    t->loss = at_new(&t->arena, double, S);
    t->work = at_new(&t->arena, void *, t->threads);
    t->square = at_new(&t->arena, double, stretches_of(t));
    if (!t->square || !t->weights || !t->moment1 || !t->moment2 || !t->gradient || !t->packed || !t->loss ||
        !t->work)
        return at_oom(err);
    for (int i = 0; i < t->threads; i++)
        if (!(t->work[i] = at_arena_alloc(&t->arena, work, z)))
            return at_oom(err);
    t->stale = true;
    return AT_OK;
}

at_status train_begin(at_arith a, int threads, at_trainer **out, at_err *err)
{
    if (a.kind != AT_F32 && a.kind != AT_F64)
        return at_fail(err, AT_EREFUSED, "training runs in f32 and f64 only");
    at_trainer *t = at_calloc(1, sizeof *t);
    if (!t)
        return at_oom(err);
    at_arena_init(&t->arena);
    at_model_init(&t->base);
    t->arith = a;
    t->kernel = kernel_choose(a.kind == AT_F32);
    t->threads = threads > 0 ? threads : at_cores();
    if (t->threads > 256)
        t->threads = 256;
    *out = t;
    return AT_OK;
}

at_status at_trainer_new(const at_train_arch *arch, at_arith a, int threads, at_trainer **out, at_err *err)
{
    at_trainer *t = NULL;
    at_status s = train_begin(a, threads, &t, err);
    if (!s)
        s = train_plan_fast(t, arch, err);
    if (!s)
        s = train_memory(t, err);
    if (!s)
        weights_draw(t);
    if (s)
        at_trainer_free(t);
    else
        *out = t;
    return s;
}

void at_trainer_free(at_trainer *t)
{
    if (!t)
        return;
    at_model_release(&t->base);
    at_arena_release(&t->arena);
    at_free(t);
}

/* ---- batches ------------------------------------------------------------------------------------------------ */

typedef struct {
    at_trainer *t;
    const at_train_sequence *batch;
    int n, slots;
    int parts; /* gradients that are left to add: slots, or on several ranks the heads of blocks */
    train_share share;
    double weight;
    bool drop, back;
    const at_adamw *o; /* NULL: no step */
    double scale;      /* of the gradient in this step */
} job;

/* Answers that are no words, of a sequence of the plain engine. */
static at_status answers_check(const at_trainer *t, const at_train_sequence *s, int place, int64_t *targets,
                               at_err *err)
{
    const at_readout *r = &t->plan.plain->readout;
    bool bits = r->kind == AT_READ_SIGN || r->kind == AT_READ_THRESHOLD;
    for (int i = 0; i < (r->last ? 1 : s->length); i++) {
        const double *y = s->y + (size_t)i * (size_t)r->rows;
        for (int k = 0; k < r->rows && !isnan(*y); k++)
            if (!isfinite(y[k]) || (bits && y[k] != 0 && y[k] != 1))
                return at_fail(err, AT_EDOMAIN, "sequence %d, position %d: answer %d is %g; allowed: %s",
                               place, i + 1, k + 1, y[k], bits ? "0 and 1" : "finite numbers");
        *targets += !isnan(*y);
    }
    return AT_OK;
}

/* Is what stands in its places what this model reads and says? */
static at_status kinds_check(const at_trainer *t, const at_train_sequence *s, int place, at_err *err)
{
    const train_plan *p = &t->plan;
    bool words = !p->plain || p->plain->readout.kind == AT_READ_ARGMAX;
    at_err why = {0};
    if (s->x && !p->plain)
        return at_fail(err, AT_EDOMAIN, "sequence %d: this engine reads words only", place);
    if (!s->x && !p->V)
        return at_fail(err, AT_EDOMAIN, "sequence %d: the model reads numbers, not words", place);
    if (words ? s->y != NULL : s->target != NULL)
        return at_fail(err, AT_EDOMAIN, "sequence %d: the model answers with %s", place,
                       words ? "words" : "numbers");
    for (int i = 0; s->x && i < s->length; i++)
        if (at_input_check_row(p->plain, s->x + (size_t)i * (size_t)at_model_row_width(p->plain), i + 1,
                               &why))
            return at_fail(err, AT_EDOMAIN, "sequence %d, %s", place, why.text);
    return AT_OK;
}

static at_status sequence_check(const at_trainer *t, const at_train_sequence *s, int place, int64_t *targets,
                                at_err *err)
{
    const train_plan *p = &t->plan;
    if (s->length < p->least || s->length > p->T)
        return at_fail(err, AT_EDOMAIN, "sequence %d has length %d; allowed: %d..%d", place, s->length,
                       p->least, p->T);
    if (kinds_check(t, s, place, err) || (s->y && answers_check(t, s, place, targets, err)))
        return AT_EDOMAIN;
    for (int i = 0; i < s->length; i++) {
        if (!s->x && (s->token[i] < 0 || s->token[i] >= p->V))
            return at_fail(err, AT_EDOMAIN, "sequence %d, position %d: word %d is outside 0..%d", place,
                           i + 1, s->token[i], p->V - 1);
        if (s->target && (s->target[i] < -1 || s->target[i] >= p->R))
            return at_fail(err, AT_EDOMAIN, "sequence %d, position %d: target %d is outside -1..%d", place,
                           i + 1, s->target[i], p->R - 1);
        if (p->last && i + 1 < s->length && s->target && s->target[i] >= 0)
            return at_fail(
                err, AT_EDOMAIN,
                "sequence %d, position %d has a target, but the model reads the last position only", place,
                i + 1);
        *targets += s->target && s->target[i] >= 0;
    }
    return AT_OK;
}

static at_status job_begin(job *j, at_err *err)
{
    int64_t targets = 0;
    for (int i = 0; i < j->n; i++)
        if (sequence_check(j->t, &j->batch[i], i, &targets, err))
            return AT_EDOMAIN;
    if (!targets)
        return at_fail(err, AT_EDOMAIN, "a batch without targets has no loss");
    j->weight = 1.0 / (double)targets;
    j->slots = j->t->plan.a.slots < j->n ? j->t->plan.a.slots : j->n;
    return AT_OK;
}

static void *slot_of(const at_trainer *t, size_t slot)
{
    return (char *)t->gradient + slot * padded(t) * t->kernel->size;
}

static void slot_run(void *ctx, size_t place, int worker)
{
    job *j = ctx;
    at_trainer *t = j->t;
    size_t slot = (size_t)j->share.first + place;
    void *g = j->back ? slot_of(t, slot) : NULL;
    uint64_t stream = train_mix(t->plan.a.seed + train_mix(t->steps + 0x9e3779b97f4a7c15u));
    t->loss[slot] = 0;
    if (g)
        memset(g, 0, padded(t) * t->kernel->size);
    for (int i = (int)slot; i < j->n; i += j->slots) {
        train_item item = {&j->batch[i], train_mix(stream + (uint64_t)i), j->drop, j->weight};
        t->loss[slot] +=
            t->kernel->sequence(&t->plan, t->weights, t->packed, t->work[worker], &item, g, NULL);
    }
}

/* Parameters lo..hi of stretch i. */
static void stretch_bounds(const at_trainer *t, size_t i, size_t *lo, size_t *hi)
{
    *lo = i * STRETCH;
    *hi = *lo + STRETCH < padded(t) ? *lo + STRETCH : padded(t);
}

static void reduce_run(void *ctx, size_t i, int worker)
{
    (void)worker;
    job *j = ctx;
    at_trainer *t = j->t;
    size_t lo, hi;
    stretch_bounds(t, i, &lo, &hi);
    t->kernel->reduce(t->gradient, padded(t), j->parts, lo, hi);
    train_frozen_clear(t, lo, hi);
}

/* What clipping needs: in double, in order, so that it is the same number on every machine that has the same gradient. */
static void square_run(void *ctx, size_t i, int worker)
{
    job *j = ctx;
    at_trainer *t = j->t;
    size_t lo, hi;
    double g[256], sum = 0;
    reduce_run(ctx, i, worker);
    stretch_bounds(t, i, &lo, &hi);
    for (size_t some; lo < hi; lo += some) {
        some = hi - lo < 256 ? hi - lo : 256;
        t->kernel->read((const char *)t->gradient + lo * t->kernel->size, some, g);
        for (size_t k = 0; k < some; k++)
            sum += g[k] * g[k];
    }
    t->square[i] = sum;
}

static void update_run(void *ctx, size_t i, int worker)
{
    (void)worker;
    job *j = ctx;
    at_trainer *t = j->t;
    size_t lo, hi;
    stretch_bounds(t, i, &lo, &hi);
    train_spared_step(t, j->o, j->scale, lo, hi);
    t->kernel->update(j->o, j->scale, t->steps + 1, t->weights, t->moment1, t->moment2, t->gradient, lo, hi);
    train_spared_place(t, lo, hi);
    train_frozen_restore(t, lo, hi);
}

static void both_run(void *ctx, size_t i, int worker)
{
    reduce_run(ctx, i, worker);
    update_run(ctx, i, worker);
}

/* On several ranks the others make this step: no failure may keep us from it. */
static at_status stretches_run(job *j, void (*run)(void *, size_t, int), at_err *err)
{
    size_t n = stretches_of(j->t);
    if (j->t->ranks.ranks <= 1)
        return at_parallel(j->t->threads, n, run, j, err);
    if (at_parallel(j->t->threads, n, run, j, NULL))
        for (size_t i = 0; i < n; i++)
            run(j, i, 0);
    return AT_OK;
}

/* Slots are added up; then, with j->o, the step. */
static at_status step_make(job *j, at_err *err)
{
    at_trainer *t = j->t;
    j->scale = 1;
    if (!j->o)
        return stretches_run(j, reduce_run, err);
    if (!(j->o->clip > 0))
        return stretches_run(j, both_run, err);
    at_status s = stretches_run(j, square_run, err);
    if (s)
        return s;
    double square = 0;
    for (size_t i = 0; i < stretches_of(t); i++)
        square += t->square[i];
    if (square > j->o->clip * j->o->clip)
        j->scale = j->o->clip / sqrt(square);
    return stretches_run(j, update_run, err);
}

static void block_run(void *ctx, size_t i, int worker)
{
    (void)worker;
    job *j = ctx;
    size_t lo, hi;
    stretch_bounds(j->t, i, &lo, &hi);
    train_share_reduce(j->t, &j->share, padded(j->t), lo, hi);
}

static void pack_run(void *ctx, size_t i, int worker)
{
    (void)worker;
    at_trainer *t = ctx;
    t->kernel->pack(&t->plan, t->weights, t->packed, (int)i);
}

static at_status freshen(at_trainer *t, at_err *err)
{
    if (!t->stale)
        return AT_OK;
    at_status s = at_parallel(t->threads, (size_t)t->plan.n_matrices, pack_run, t, err);
    t->stale = s != AT_OK;
    return s;
}

/* Ranks must be given the same batch; threads, memory and thus failures are their own. */
static uint64_t batch_print(const job *j)
{
    uint64_t print = j->t->steps;
    for (int i = 0; i < j->n; i++) {
        const at_train_sequence *s = &j->batch[i];
        size_t n = (size_t)s->length;
        if (s->x)
            print = at_hash64(s->x, n * (size_t)at_model_row_width(j->t->plan.plain) * sizeof *s->x, print);
        else
            print = at_hash64(s->token, n * sizeof *s->token, print);
        if (s->y)
            print = at_hash64(s->y, (j->t->plan.last ? 1 : n) * (size_t)j->t->plan.R * sizeof *s->y, print);
        if (s->target)
            print = at_hash64(s->target, n * sizeof *s->target, print);
    }
    return j->o ? at_hash64(j->o, sizeof *j->o, print) : print;
}

/* Mean loss of the batch; with j->back also the gradient, with j->o also the step. */
static at_status job_run(job *j, double *loss, at_err *err)
{
    at_trainer *t = j->t;
    bool shared = t->ranks.ranks > 1;
    at_status s = job_begin(j, err);
    if (!s)
        s = freshen(t, err);
    j->share = train_share_of(t, j->slots);
    j->parts = shared ? j->share.blocks : j->slots;
    if (!s)
        s = at_parallel(t->threads, (size_t)(j->share.last - j->share.first), slot_run, j, err);
    if (!s && j->back && shared)
        s = at_parallel(t->threads, stretches_of(t), block_run, j, err);
    s = train_agree(t, s, NULL, !s && shared ? batch_print(j) : 0, err);
    if (!s)
        s = train_share_gather(t, &j->share, j->back, padded(t), err);
    if (s)
        return s;
    for (int by = 1; by < j->slots; by *= 2)
        for (int k = 0; k + by < j->slots; k += 2 * by)
            t->loss[k] += t->loss[k + by];
    double mean = t->loss[0] * j->weight;
    t->diverged = !isfinite(mean);
    if (t->diverged)
        return at_fail(err, AT_EDOMAIN, "the loss is not finite after %llu steps; a smaller rate may help",
                       (unsigned long long)t->steps);
    s = j->back ? step_make(j, err) : AT_OK;
    if (s)
        return s;
    if (j->o) {
        t->steps++;
        t->stale = true;
    }
    *loss = mean;
    return AT_OK;
}

at_status at_trainer_step(at_trainer *t, const at_train_sequence *batch, int n, const at_adamw *o,
                          double *loss, at_err *err)
{
    if (!(o->rate >= 0 && o->beta1 >= 0 && o->beta1 < 1 && o->beta2 >= 0 && o->beta2 < 1 && o->eps > 0 &&
          o->decay >= 0 && o->rate * o->decay <= 1 && o->clip >= 0 && isfinite(o->rate) &&
          isfinite(o->decay) && isfinite(o->eps)))
        return at_fail(err, AT_EDOMAIN, "AdamW: rate, decay, clip >= 0; 0 <= beta < 1; eps > 0");
    job j = {.t = t, .batch = batch, .n = n, .drop = true, .back = true, .o = o};
    return job_run(&j, loss, err);
}

at_status at_trainer_loss(at_trainer *t, const at_train_sequence *batch, int n, double *loss, at_err *err)
{
    job j = {.t = t, .batch = batch, .n = n};
    return job_run(&j, loss, err);
}

at_status at_trainer_gradient(at_trainer *t, const at_train_sequence *batch, int n, double *loss,
                              double *gradient, at_err *err)
{
    job j = {.t = t, .batch = batch, .n = n, .drop = true, .back = true};
    at_status s = job_run(&j, loss, err);
    if (!s)
        t->kernel->read(t->gradient, t->plan.n, gradient);
    return s;
}

at_status at_trainer_logits(at_trainer *t, const at_train_sequence *s, double *logits, at_err *err)
{
    int64_t targets = 0;
    at_status st = sequence_check(t, s, 0, &targets, err);
    if (!st)
        st = freshen(t, err);
    if (st)
        return st;
    at_train_sequence bare = {s->length, s->token, NULL, s->x, NULL};
    train_item item = {&bare, 0, false, 0};
    t->kernel->sequence(&t->plan, t->weights, t->packed, t->work[0], &item, NULL, logits);
    return AT_OK;
}

/* ---- what there is -------------------------------------------------------------------------------------------- */

const at_train_arch *at_trainer_arch(const at_trainer *t)
{
    return &t->plan.a;
}

uint64_t at_trainer_steps(const at_trainer *t)
{
    return t->steps;
}

bool at_trainer_diverged(const at_trainer *t)
{
    return t->diverged;
}

const char *at_trainer_isa(const at_trainer *t)
{
    return t->kernel->isa;
}

#define PEAK_ROUNDS 100000

double at_trainer_peak(const at_trainer *t, double seconds)
{
    double done = 0, start = at_cpu_now(), passed = 0;
    while (passed < seconds || !(passed > 0)) {
        done += t->kernel->peak(PEAK_ROUNDS);
        passed = at_cpu_now() - start;
    }
    return done / passed;
}

size_t at_trainer_parameters(const at_trainer *t)
{
    return t->plan.n;
}

int at_trainer_tensors(const at_trainer *t, const at_train_tensor **out)
{
    *out = t->plan.tensor;
    return t->plan.n_tensors;
}

void at_trainer_read(const at_trainer *t, double *out)
{
    t->kernel->read(t->weights, t->plan.n, out);
}

at_status at_trainer_write(at_trainer *t, const double *in, at_err *err)
{
    for (size_t i = 0; i < t->plan.n; i++)
        if (!isfinite(t->arith.kind == AT_F32 ? (double)(float)in[i] : in[i]))
            return at_fail(err, AT_EDOMAIN, "parameter %zu is not finite", i);
    t->kernel->write(in, t->plan.n, t->weights);
    t->stale = true;
    return AT_OK;
}

static double family_flops(const train_plan *p, int T)
{
    double D = p->D, pairs = 0;
    for (int i = 0; i < T; i++) {
        int64_t reach = (int64_t)p->a.windows * p->a.block;
        if (p->a.attention == AT_ATTENTION_SPARSE && i >= reach)
            pairs += (double)reach + train_ends_before(p, (int)(i - reach + 1));
        else
            pairs += i + 1;
    }
    double dense = T * (2 * D * (4 * D + 2.0 * p->U)), attention = 4 * D * pairs;
    if (p->a.attention == AT_ATTENTION_LINEAR)
        attention = 4 * D * p->d * T;
    return 3 * (p->a.layers * (dense + attention) + 2 * D * p->R * T);
}

double at_trainer_flops(const at_trainer *t, int T)
{
    return t->plan.plain ? plain_flops(t->plan.plain, T) : family_flops(&t->plan, T);
}

at_status at_train_arch_flops(const at_train_arch *arch, int T, double *flops, at_err *err)
{
    at_arena arena;
    train_plan p;
    at_arena_init(&arena);
    at_status s = train_plan_places(arch, 16, &arena, &p, err);
    if (!s)
        *flops = family_flops(&p, T);
    at_arena_release(&arena);
    return s;
}
