/* learn.c: a training from beginning to end: lessons, exams on the way, a last exam, curves.
 *
 * Exams on the way see test samples of the recipe's seed; the last one those of another seed, so that a training which
 * ends because an exam went well is not judged by the luck of that exam. */
#include "learn_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define LAST_SEED ((uint64_t)1 << 32) /* added for the last exam */

/* What the loop's ctx is. */
typedef struct {
    at_lesson *lesson;
    const at_trainer *t;
    at_outcome *out;
    uint64_t stretch; /* steps in a point of the curve */
    double sum;       /* of the losses of the stretch so far */
    double begun, last_loss;
    const at_progress *progress;
} journal;

static at_status journal_batch(void *ctx, uint64_t step, const at_train_sequence **batch, int *n, at_err *err)
{
    journal *j = ctx;
    at_status s = at_lesson_batch(j->lesson, step, batch, n, err);
    for (int k = 0; k < *n && !s; k++)
        j->out->gflops += at_trainer_flops(j->t, (*batch)[k].length) / 1e9;
    j->out->tokens += at_lesson_tokens(j->lesson);
    return s;
}

static void journal_seen(void *ctx, uint64_t step, double loss)
{
    journal *j = ctx;
    at_outcome *o = j->out;
    j->sum += loss;
    j->last_loss = loss;
    o->seconds = at_now() - j->begun;
    if ((step + 1) % j->stretch == 0 && o->n_loss < AT_LOSS_POINTS) {
        o->loss[o->n_loss++] = (at_loss_point){step + 1, j->sum / (double)j->stretch};
        j->sum = 0;
    }
}

/* The bar says loss and speed, too. */
static void journal_tick(void *ctx, const char *what, double done, double total)
{
    journal *j = ctx;
    char line[96];
    snprintf(line, sizeof line, "%s  loss %.4g, %.0f tokens/s", what, j->last_loss,
             j->out->seconds > 0 ? (double)j->out->tokens / j->out->seconds : 0);
    at_progress_tick(j->progress, line, done, total);
}

static at_status exam_take(const at_trainer *t, const at_source *d, const at_recipe *r,
                           const at_learn_options *o, bool last, at_exam *out, at_err *err)
{
    at_model m;
    at_status s = at_lesson_model(t, d, &m, err);
    at_exam_options e = {.threads = o->threads, .progress = last ? o->progress : NULL};
    if (!s) {
        s = at_exam_run(&m, d, r->seed + (last ? LAST_SEED : 0), AT_TEST, last ? r->count : r->exam_count, &e,
                        out, err);
        at_model_release(&m);
    } else
        *out = (at_exam){0};
    bool stop = false; /* a rank that cannot go on takes the others with it */
    return o->ranks ? o->ranks->agree(o->ranks->ctx, s, &stop, out->answers, err) : s;
}

static at_status train_on(at_trainer *t, const at_source *d, const at_recipe *r, const at_learn_options *o,
                          journal *j, at_err *err)
{
    const at_progress bar = {journal_tick, j};
    at_train_loop loop = {.steps = r->steps,
                          .adamw = r->adamw,
                          .warmup = r->warmup,
                          .decay_rate = r->decay_rate,
                          .report = o->progress ? &bar : NULL,
                          .seen = journal_seen};
    at_status s = AT_OK;
    while (!s && at_trainer_steps(t) < r->steps && !j->out->ended_soon) {
        double loss;
        loop.until = r->exam_every ? (at_trainer_steps(t) / r->exam_every + 1) * r->exam_every : r->steps;
        s = at_train_run(t, &loop, journal_batch, j, &loss, err);
        j->out->steps = at_trainer_steps(t);
        if (s || !r->exam_every)
            continue;
        at_exam e;
        s = exam_take(t, d, r, o, false, &e, err);
        if (s)
            continue;
        double answer = at_exam_answer(&e);
        j->out->exams[j->out->n_exams++] = (at_exam_point){j->out->steps, answer, at_exam_chain(&e)};
        if (answer >= 0.9 && isnan(j->out->gflops_to_90))
            j->out->gflops_to_90 = j->out->gflops;
        j->out->ended_soon = answer >= r->enough && j->out->steps < r->steps;
        if (o->told)
            o->told(o->ctx, j->out);
    }
    return s;
}

static at_status trainer_make(const at_source *d, const at_recipe *r, const at_learn_options *o,
                              at_trainer **t, at_err *err)
{
    at_status s;
    if (o->from) {
        at_train_options begin = at_train_options_default;
        begin.dropout = r->arch.dropout;
        begin.seed = r->seed;
        s = learn_fits(o->from, d, err);
        if (!s)
            s = at_trainer_from_model(o->from, at_f32, o->threads, &begin, t, err);
    } else {
        at_train_arch arch = r->arch;
        arch.vocabulary = at_source_vocabulary(d);
        arch.length = at_source_longest(d);
        arch.seed = r->seed;
        s = at_trainer_new(&arch, at_f32, o->threads, t, err);
    }
    return s || !o->ranks ? s : at_trainer_ranks(*t, o->ranks, err);
}

at_status at_learn(const at_source *d, const at_recipe *r, const at_learn_options *o, at_arena *arena,
                   at_outcome *out, at_model *m, at_err *err)
{
    *out = (at_outcome){.gflops_to_90 = NAN};
    out->loss = at_new(arena, at_loss_point, AT_LOSS_POINTS);
    out->exams = at_new(arena, at_exam_point, r->exam_every ? r->steps / r->exam_every + 2 : 1);
    if (!out->loss || !out->exams)
        return at_oom(err);
    at_trainer *t = NULL;
    journal j = {.out = out, .stretch = (r->steps + AT_LOSS_POINTS - 1) / AT_LOSS_POINTS, .begun = at_now()};
    at_status s = trainer_make(d, r, o, &t, err);
    if (!s)
        s = at_lesson_new(d, r->seed, r->batch, r->samples, o->threads, &j.lesson, err);
    j.t = t;
    j.progress = o->progress;
    if (!s) {
        out->parameters = at_trainer_parameters(t);
        s = train_on(t, d, r, o, &j, err);
    }
    if (!s)
        s = exam_take(t, d, r, o, true, &out->exam, err);
    out->seconds = at_now() - j.begun;
    if (!s && m)
        s = at_lesson_model(t, d, m, err);
    at_lesson_free(j.lesson);
    at_trainer_free(t);
    return s;
}
