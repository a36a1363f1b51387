/* state.c: a training on disk, and the loop.
 *
 * The file: one line of text, then parameters, first and second moments as they lie in memory (little-endian f32 or f64), then
 * the sha-256 of all before as 64 hex digits. The line is
 *
 *     attest-training 1 f32 STEPS ATTENTION LAYERS HEADS WIDTH HIDDEN VOCABULARY LENGTH BLOCK WINDOWS ENDS
 *         LEARNED NORM BIAS EPS DROPOUT SEED SLOTS\n
 *
 * with reals in hexadecimal, so that nothing is rounded. A training that started from a model has instead of architecture and
 * parameters that model's file image, with the parameters of now as its weights:
 *
 *     attest-training 2 f32 STEPS DROPOUT SEED SLOTS LENGTH PLAIN BYTES\n
 *
 * then BYTES of safetensors, then both moments. A stranger's file is a stranger's: the sum, then the line,
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

/* The file: a line, `n` bytes that hold the parameters, both moments, the sum. */
static at_status state_write(const at_trainer *t, const char *path, const char *line, const void *first,
                             size_t n, at_err *err)
{
    size_t head = strlen(line), part = t->plan.n * t->kernel->size, all = head + n + 2 * part;
    char *to = at_malloc(all + SUM_CHARS + 1);
    if (!to)
        return at_oom(err);
    memcpy(to, line, head);
    memcpy(to + head, first, n);
    memcpy(to + head + n, t->moment1, part);
    memcpy(to + head + n + part, t->moment2, part);
    at_sha256(to, all, to + all);
    at_status s = at_file_write(path, to, all + SUM_CHARS, err);
    at_free(to);
    return s;
}

static at_status save_based(const at_trainer *t, const char *path, at_err *err)
{
    const at_train_arch *a = &t->plan.a;
    at_model m;
    char *image, line[TRAIN_LINE_MOST];
    size_t n;
    at_status s = at_trainer_model(t, 0, &m, err);
    if (s)
        return s;
    s = at_model_image(&m, &image, &n, err);
    at_model_release(&m);
    if (s)
        return s;
    snprintf(line, sizeof line, "attest-training 2 %s %" PRIu64 " %a %" PRIu64 " %d %d %d %zu\n",
             t->arith.kind == AT_F32 ? "f32" : "f64", t->steps, a->dropout, a->seed, a->slots, a->length,
             t->plan.plain != NULL, n);
    s = state_write(t, path, line, image, n, err);
    at_free(image);
    return s;
}

at_status at_trainer_save(const at_trainer *t, const char *path, at_err *err)
{
    if (*(const uint8_t *)&byte_order != 1)
        return at_fail(err, AT_EREFUSED, "training files are written on little-endian machines only");
    if (t->based)
        return save_based(t, path, err);
    char line[TRAIN_LINE_MOST];
    train_line_print(t, line);
    return state_write(t, path, line, t->weights, t->plan.n * t->kernel->size, err);
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

/* The same for a training that started from a model, whose image has *image bytes. */
static size_t line_parse_based(const char *text, size_t n, at_train_options *o, at_arith *arith,
                               uint64_t *steps, size_t *image)
{
    const char *end = memchr(text, '\n', n < TRAIN_LINE_MOST ? n : TRAIN_LINE_MOST);
    if (!end)
        return 0;
    char line[TRAIN_LINE_MOST], number[4];
    size_t head = (size_t)(end - text);
    memcpy(line, text, head);
    line[head] = 0;
    int plain, read = 0;
    *o = (at_train_options){0};
    int got = sscanf(line, "attest-training 2 %3s %" SCNu64 " %la %" SCNu64 " %9d %9d %1d %15zu%n", number,
                     steps, &o->dropout, &o->seed, &o->slots, &o->length, &plain, image, &read);
    if (got != 8 || (size_t)read != head || o->slots < 1 || o->length < 1)
        return 0;
    o->plain = plain != 0;
    *arith = strcmp(number, "f64") ? at_f32 : at_f64;
    return !strcmp(number, "f32") || !strcmp(number, "f64") ? head + 1 : 0;
}

/* Parts of n numbers each (the last: means of squares) from bytes into memory, checked. */
static at_status parts_read(at_trainer *t, const char *path, const char *bytes, void *const *parts,
                            size_t n_parts, at_err *err)
{
    size_t n = t->plan.n, size = t->kernel->size;
    for (size_t i = 0; i < n_parts; i++)
        memcpy(parts[i], bytes + i * n * size, n * size);
    for (size_t i = 0; i < n_parts; i++)
        for (size_t k = 0; k < n; k++) {
            double v = size == sizeof(float) ? (double)((float *)parts[i])[k] : ((double *)parts[i])[k];
            if (!isfinite(v) || (i + 1 == n_parts && v < 0))
                return at_fail(err, AT_EINPUT,
                               "%.200s: number %zu is not finite, or a negative mean of squares", path,
                               i * n + k);
        }
    return AT_OK;
}

static at_status size_wrong(const char *path, size_t have, size_t n, size_t need, at_err *err)
{
    return at_fail(err, AT_EINPUT, "%.200s: %zu bytes of numbers where %zu parameters need %zu", path, have,
                   n, need);
}

/* From an architecture. bytes (n): what follows the line. */
static at_status parse_arch(const char *path, const char *bytes, size_t n, const at_train_arch *a,
                            at_arith arith, int threads, at_trainer **out, at_err *err)
{
    train_plan plan;
    at_arena arena;
    at_arena_init(&arena);
    at_status s = train_plan_make(a, 1, &arena, &plan, err);
    at_arena_release(&arena);
    size_t size = arith.kind == AT_F32 ? sizeof(float) : sizeof(double);
    if (!s && n != 3 * plan.n * size)
        s = size_wrong(path, n, plan.n, 3 * plan.n * size, err);
    if (!s)
        s = at_trainer_new(a, arith, threads, out, err);
    if (s)
        return s;
    at_trainer *t = *out;
    return parts_read(t, path, bytes, (void *const[]){t->weights, t->moment1, t->moment2}, 3, err);
}

/* From a model. */
static at_status parse_based(const char *path, const char *bytes, size_t n, size_t image,
                             const at_train_options *o, at_arith arith, int threads, at_trainer **out,
                             at_err *err)
{
    at_model m;
    if (image > n)
        return at_fail(err, AT_EINPUT, "%.200s: a model of %zu bytes, but %zu follow", path, image, n);
    at_model_init(&m);
    at_status s = at_model_parse(&m, bytes, image, path, err);
    size_t need = 2 * m.n_weights * (arith.kind == AT_F32 ? sizeof(float) : sizeof(double));
    if (!s && n - image > need) /* the fast engine may train fewer numbers than there are weights */
        s = size_wrong(path, n - image, m.n_weights, need, err);
    if (!s)
        s = at_trainer_from_model(&m, arith, threads, o, out, err);
    at_model_release(&m);
    if (s)
        return s;
    at_trainer *t = *out;
    need = 2 * t->plan.n * t->kernel->size;
    if (n - image != need)
        return size_wrong(path, n - image, t->plan.n, need, err);
    return parts_read(t, path, bytes + image, (void *const[]){t->moment1, t->moment2}, 2, err);
}

static at_status state_parse(const char *path, const char *all, size_t n, int threads, at_trainer **out,
                             at_err *err)
{
    char sum[SUM_CHARS + 1];
    at_train_arch a;
    at_train_options o;
    at_arith arith;
    uint64_t steps;
    size_t image;
    at_trainer *t = NULL;
    at_status s;
    if (n > SUM_CHARS)
        at_sha256(all, n - SUM_CHARS, sum);
    if (n <= SUM_CHARS || memcmp(sum, all + n - SUM_CHARS, SUM_CHARS))
        return at_fail(err, AT_EINPUT, "%.200s is no training file, or is damaged", path);
    n -= SUM_CHARS;
    size_t head = line_parse(all, n, &a, &arith, &steps);
    if (head)
        s = parse_arch(path, all + head, n - head, &a, arith, threads, &t, err);
    else if ((head = line_parse_based(all, n, &o, &arith, &steps, &image)))
        s = parse_based(path, all + head, n - head, image, &o, arith, threads, &t, err);
    else
        s = at_fail(err, AT_EINPUT, "%.200s: the first line is not that of a training file of version 1 or 2",
                    path);
    if (s) {
        at_trainer_free(t);
        return s;
    }
    t->steps = steps;
    t->stale = true;
    *out = t;
    return AT_OK;
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
