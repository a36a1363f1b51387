/* state.c: a training on disk, and the loop.
 *
 * The file: one line of text, then parameters, first and second moments as they lie in memory (little-endian f32 or f64), then
 * the sha-256 of all before as 64 hex digits. The line is
 *
 *     attest-training 1 f32 STEPS ATTENTION LAYERS HEADS WIDTH HIDDEN VOCABULARY LENGTH BLOCK WINDOWS ENDS
 *         LEARNED NORM BIAS EPS DROPOUT SEED SLOTS\n
 *
 * with reals in hexadecimal, so that nothing is rounded. A stranger's file is a stranger's: the sum, then the line,
 * then the size it asks for are checked before anything is allocated for it. */
#include "train_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FILE_MOST ((size_t)1 << 36)
#define SUM_CHARS 64

static const uint16_t byte_order = 1;

int train_line_print(const at_trainer *t, char line[TRAIN_LINE_MOST])
{
    const at_train_arch *a = &t->plan.a;
    return snprintf(
        line, TRAIN_LINE_MOST,
        "attest-training 1 %s %" PRIu64 " %s %d %d %d %d %d %d %d %d %d %d %d %d %a %a %" PRIu64 " %d\n",
        t->arith.kind == AT_F32 ? "f32" : "f64", t->steps, at_train_attention_names[a->attention], a->layers,
        a->heads, a->width, a->hidden, a->vocabulary, a->length, a->block, a->windows, a->ends,
        a->learned_positions, a->embed_norm, a->head_bias, a->norm_eps, a->dropout, a->seed, a->slots);
}

at_status at_trainer_save(const at_trainer *t, const char *path, at_err *err)
{
    if (*(const uint8_t *)&byte_order != 1)
        return at_fail(err, AT_EREFUSED, "training files are written on little-endian machines only");
    char line[TRAIN_LINE_MOST];
    int head = train_line_print(t, line);
    size_t part = t->plan.n * t->kernel->size, n = (size_t)head + 3 * part;
    char *all = at_malloc(n + SUM_CHARS + 1);
    if (!all)
        return at_oom(err);
    const void *parts[] = {t->weights, t->moment1, t->moment2};
    memcpy(all, line, (size_t)head);
    for (size_t i = 0; i < 3; i++)
        memcpy(all + (size_t)head + i * part, parts[i], part);
    at_sha256(all, n, all + n);
    at_status s = at_file_write(path, all, n + SUM_CHARS, err);
    at_free(all);
    return s;
}

/* The line into an architecture; its length, or 0. */
static size_t line_parse(const char *text, size_t n, at_train_arch *a, at_arith *arith, uint64_t *steps)
{
    const char *end = memchr(text, '\n', n < TRAIN_LINE_MOST ? n : TRAIN_LINE_MOST);
    if (!end)
        return 0;
    char line[TRAIN_LINE_MOST], number[4], kind[16];
    size_t head = (size_t)(end - text);
    memcpy(line, text, head);
    line[head] = 0;
    int flag[3], read = 0;
    *a = (at_train_arch){0};
    int got = sscanf(line,
                     "attest-training 1 %3s %" SCNu64
                     " %15s %9d %9d %9d %9d %9d %9d %9d %9d %9d %1d %1d %1d %la %la "
                     "%" SCNu64 " %9d%n",
                     number, steps, kind, &a->layers, &a->heads, &a->width, &a->hidden, &a->vocabulary,
                     &a->length, &a->block, &a->windows, &a->ends, &flag[0], &flag[1], &flag[2], &a->norm_eps,
                     &a->dropout, &a->seed, &a->slots, &read);
    if (got != 19 || (size_t)read != head || a->slots < 1 || a->hidden < 1)
        return 0;
    a->learned_positions = flag[0] != 0, a->embed_norm = flag[1] != 0, a->head_bias = flag[2] != 0;
    for (a->attention = 0; a->attention < AT_TRAIN_ATTENTIONS; a->attention++)
        if (!strcmp(kind, at_train_attention_names[a->attention]))
            break;
    *arith = strcmp(number, "f64") ? at_f32 : at_f64;
    bool known = !strcmp(number, "f32") || !strcmp(number, "f64");
    return known && a->attention < AT_TRAIN_ATTENTIONS ? head + 1 : 0;
}

static at_status state_parse(const char *path, const char *all, size_t n, int threads, at_trainer **out,
                             at_err *err)
{
    char sum[SUM_CHARS + 1];
    at_train_arch a;
    at_arith arith;
    uint64_t steps;
    if (n > SUM_CHARS)
        at_sha256(all, n - SUM_CHARS, sum);
    if (n <= SUM_CHARS || memcmp(sum, all + n - SUM_CHARS, SUM_CHARS))
        return at_fail(err, AT_EINPUT, "%.200s is no training file, or is damaged", path);
    size_t head = line_parse(all, n - SUM_CHARS, &a, &arith, &steps);
    if (!head)
        return at_fail(err, AT_EINPUT, "%.200s: the first line is not that of a training file of version 1",
                       path);
    train_plan plan;
    at_arena arena;
    at_arena_init(&arena);
    at_status s = train_plan_make(&a, 1, &arena, &plan, err);
    at_arena_release(&arena);
    size_t size = arith.kind == AT_F32 ? sizeof(float) : sizeof(double);
    if (!s && n - SUM_CHARS - head != 3 * plan.n * size)
        s = at_fail(err, AT_EINPUT, "%.200s: %zu bytes of numbers where %zu parameters need %zu", path,
                    n - SUM_CHARS - head, plan.n, 3 * plan.n * size);
    at_trainer *t = NULL;
    if (!s)
        s = at_trainer_new(&a, arith, threads, &t, err);
    if (s)
        return s;
    void *parts[] = {t->weights, t->moment1, t->moment2};
    for (size_t i = 0; i < 3; i++)
        memcpy(parts[i], all + head + i * plan.n * size, plan.n * size);
    for (size_t i = 0; i < 3 && !s; i++)
        for (size_t k = 0; k < plan.n && !s; k++) {
            double v = size == sizeof(float) ? (double)((float *)parts[i])[k] : ((double *)parts[i])[k];
            if (!isfinite(v) || (i == 2 && v < 0))
                s = at_fail(err, AT_EINPUT, "%.200s: number %zu is not finite, or a negative mean of squares",
                            path, i * plan.n + k);
        }
    t->steps = steps;
    t->stale = true;
    if (s)
        at_trainer_free(t);
    else
        *out = t;
    return s;
}

at_status at_trainer_load(const char *path, int threads, at_trainer **out, at_err *err)
{
    char *all;
    size_t n;
    if (*(const uint8_t *)&byte_order != 1)
        return at_fail(err, AT_EREFUSED, "training files are read on little-endian machines only");
    at_status s = at_file_read(path, FILE_MOST, &all, &n, err);
    if (s)
        return s;
    s = state_parse(path, all, n, threads, out, err);
    at_free(all);
    return s;
}

/* ---- the loop ------------------------------------------------------------------------------------------------- */

double at_train_rate(const at_train_loop *l, uint64_t step)
{
    double rate = l->adamw.rate;
    if (step < l->warmup)
        return rate * (double)(step + 1) / (double)l->warmup;
    if (l->decay_rate && l->steps > l->warmup)
        return step < l->steps ? rate * (double)(l->steps - step) / (double)(l->steps - l->warmup) : 0;
    return rate;
}

/* On several ranks all of them stop in the same place: whatever a rank meets alone (a source that fails, a full disk, a
 * signal) it tells the others where they next agree. */
at_status at_train_run(at_trainer *t, const at_train_loop *l, at_train_source *source, void *ctx,
                       double *last_loss, at_err *err)
{
    at_status s = AT_OK;
    uint64_t saved = t->steps, end = l->until && l->until < l->steps ? l->until : l->steps;
    const char *checkpoint = t->ranks.rank == 0 ? l->checkpoint : NULL;
    bool stop = false;
    while (t->steps < end) {
        const at_train_sequence *batch = NULL;
        uint64_t step = t->steps;
        int n = 0;
        at_adamw o = l->adamw;
        o.rate = at_train_rate(l, step);
        at_progress_tick(l->report, "train", (double)step, (double)l->steps);
        stop = at_cancel_pending();
        if (!s && !stop)
            s = source(ctx, step, &batch, &n, err);
        double loss;
        if ((s = train_agree(t, s, &stop, step, err)) || stop ||
            (s = at_trainer_step(t, batch, n, &o, &loss, err)))
            break;
        *last_loss = loss;
        if (l->seen)
            l->seen(ctx, step, loss);
        if (checkpoint && l->every && t->steps % l->every == 0 && !(s = at_trainer_save(t, checkpoint, err)))
            saved = t->steps;
    }
    if (!s && checkpoint && saved != t->steps)
        s = at_trainer_save(t, checkpoint, err);
    s = train_agree(t, s, NULL, t->steps, err);
    if (!s && t->steps < end)
        s = at_fail(err, AT_ECANCEL, "interrupted after %" PRIu64 " of %" PRIu64 " steps", t->steps,
                    l->steps);
    return s;
}
