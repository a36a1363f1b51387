/* learn.c: a training from beginning to end: lessons, exams on the way, a last exam, curves.
 *
 * Exams on the way see test samples of the recipe's seed; the last one those of another seed, so that a training which
 * ends because an exam went well is not judged by the luck of that exam. The state is written before each exam: what is
 * resumed there takes the exam again and comes to the same end. */
#include "learn_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define LAST_SEED  ((uint64_t)1 << 32) /* added for the last exam */
#define EXAMS_MOST 10000               /* their lines must fit in a note */
#define ENDS_MOST  100 /* exams at the ends of plans that grew later, beside those at multiples */

/* ---- the loop's callbacks ---------------------------------------------------------------------------------------- */

static at_status batch_give(void *ctx, uint64_t step, const at_train_sequence **batch, int *n, at_err *err)
{
    journal *j = ctx;
    at_status s = at_lesson_batch(j->lesson, step, batch, n, err);
    j->given = 0;
    for (int k = 0; k < *n && !s; k++)
        j->given += at_trainer_flops(j->t, (*batch)[k].length) / 1e9;
    return s;
}

static void step_seen(void *ctx, uint64_t step, double loss)
{
    journal *j = ctx;
    at_outcome *o = j->out;
    o->gflops += j->given;
    o->tokens += at_lesson_tokens(j->lesson);
    j->tokens_now += at_lesson_tokens(j->lesson);
    j->sum += loss;
    j->last_loss = loss;
    o->seconds = at_now() - j->begun;
    o->tokens_per_s = o->seconds > 0 ? (double)j->tokens_now / o->seconds : 0;
    if ((step + 1) % j->stretch == 0 && o->n_loss < AT_LOSS_POINTS) {
        const at_train_loop l = learn_loop(j->r);
        o->loss[o->n_loss++] = (at_loss_point){step + 1, j->sum / (double)j->stretch};
        if (j->o->line)
            j->o->line(j->o->ctx, &(at_learn_line){step + 1, j->sum / (double)j->stretch,
                                                   at_train_rate(&l, step), o->tokens_per_s, NAN, NAN});
        j->sum = 0;
    }
}

/* The bar says loss and speed, too. */
static void tick(void *ctx, const char *what, double done, double total)
{
    journal *j = ctx;
    char line[96];
    snprintf(line, sizeof line, "%s  loss %.4g, %.0f tokens/s", what, j->last_loss, j->out->tokens_per_s);
    at_progress_tick(j->o->progress, line, done, total);
}

static at_status note_write(void *ctx, at_text *out, at_err *err)
{
    return journal_print(ctx, out, err);
}

learn_exams learn_exams_of(const at_source *d, const at_learn_options *o)
{
    return (learn_exams){o->test ? o->test : d, o->test ? AT_ALL : AT_TEST};
}

/* ---- exams ---------------------------------------------------------------------------------------------------------- */

/* With a test file of its own: is there anything to ask? */
static at_status test_try(const journal *j, at_err *err)
{
    at_model m;
    learn_exams x = learn_exams_of(j->d, j->o);
    if (!j->o->test)
        return AT_OK;
    at_status s = at_lesson_model(j->t, j->d, &m, err);
    if (s)
        return s;
    s = learn_askable(&m, x.d, x.part, &(at_exam_options){.trained = j->d}, err);
    at_model_release(&m);
    return s;
}

static at_status exam_take(journal *j, bool last, at_exam *out, at_err *err)
{
    const at_recipe *r = j->r;
    const at_train_ranks *ranks = j->o->ranks;
    at_model m;
    learn_exams x = learn_exams_of(j->d, j->o);
    at_exam_options e = {.threads = j->o->threads,
                         .distinct = r->distinct,
                         .progress = last ? j->o->progress : NULL,
                         .trained = j->o->test ? j->d : NULL};
    uint64_t count = last ? r->count : r->exam_count, all = last && j->o->test ? at_exam_prompts(x.d) : 0;
    if (all > count && all < UINT64_MAX)
        count = all;
    at_err why = {0};
    at_status s = at_lesson_model(j->t, j->d, &m, err);
    *out = (at_exam){0};
    if (!s) {
        s = at_exam_run(&m, x.d, r->seed + (last ? LAST_SEED : 0), x.part, count, &e, out, &why);
        at_model_release(&m);
        if (s == AT_ECANCEL)
            at_fail(err, s, "interrupted after %" PRIu64 " of %" PRIu64 " steps, in %s exam", j->out->steps,
                    r->steps, last ? "the last" : "an");
        else if (s)
            at_fail(err, s, "%s", why.text);
    }
    bool stop = false; /* a rank that cannot go on takes the others with it */
    return ranks ? ranks->agree(ranks->ctx, s, &stop, out->answers, err) : s;
}

/* The best exam so far; -1: there was none. */
static int best_of(const at_outcome *o)
{
    int best = -1;
    for (int k = 0; k < o->n_exams; k++)
        if (!isnan(o->exams[k].answer) && (best < 0 || o->exams[k].answer > o->exams[best].answer))
            best = k;
    return best;
}

static at_status model_show(journal *j, bool better, at_err *err)
{
    at_model m;
    const at_learn_options *o = j->o;
    bool stop = false;
    at_status s = AT_OK;
    if (o->shown && !(s = at_lesson_model(j->t, j->d, &m, err))) {
        if (!(s = at_source_remember(j->d, &m, err)))
            s = o->shown(o->ctx, j->out->steps, better, &m, err);
        at_model_release(&m);
    }
    return o->ranks ? o->ranks->agree(o->ranks->ctx, s, &stop, j->out->steps, err) : s;
}

static bool is_multiple(uint64_t step, uint64_t every)
{
    return every && step && step % every == 0;
}

/* The exam that is due after these steps, unless it was taken before an interruption. */
static at_status exam_due(journal *j, at_err *err)
{
    at_outcome *o = j->out;
    uint64_t every = j->r->exam_every;
    if (!every || !o->steps || (o->steps % every && o->steps < j->r->steps) || o->n_exams == j->most_exams ||
        (o->n_exams && o->exams[o->n_exams - 1].step >= o->steps))
        return is_multiple(o->steps, j->o->keep_every) ? model_show(j, false, err) : AT_OK;
    at_exam e;
    at_status s = exam_take(j, false, &e, err);
    if (s)
        return s;
    double answer = at_exam_answer(&e);
    int best = best_of(o);
    bool better = !isnan(answer) && (best < 0 || answer > o->exams[best].answer);
    o->exams[o->n_exams++] = (at_exam_point){o->steps, answer, at_exam_chain(&e)};
    if (answer >= 0.9 && isnan(o->gflops_to_90))
        o->gflops_to_90 = o->gflops;
    o->out_of_patience = answer < j->r->enough && j->r->patience && !better &&
                         (uint64_t)(o->n_exams - 1 - best) >= j->r->patience;
    o->ended_soon = (answer >= j->r->enough || o->out_of_patience) && o->steps < j->r->steps;
    if (j->o->told)
        j->o->told(j->o->ctx, o);
    if (j->o->line)
        j->o->line(j->o->ctx,
                   &(at_learn_line){o->steps, NAN, NAN, o->tokens_per_s, answer, at_exam_chain(&e)});
    return model_show(j, better, err);
}

/* ---- trainings -------------------------------------------------------------------------------------------------------- */

at_train_loop learn_loop(const at_recipe *r)
{
    return (at_train_loop){.steps = r->steps,
                           .adamw = r->adamw,
                           .warmup = r->warmup,
                           .decay_rate = r->decay_rate,
                           .hold = r->hold,
                           .from_zero = r->from_zero};
}

/* The next step at which something is due. */
static uint64_t until_next(const journal *j)
{
    const uint64_t every[] = {j->r->exam_every, j->o->keep_every};
    uint64_t until = j->r->steps;
    for (int k = 0; k < 2; k++) {
        uint64_t next = every[k] ? (j->out->steps / every[k] + 1) * every[k] : until;
        until = next < until ? next : until;
    }
    return until;
}

static at_status train_on(journal *j, at_err *err)
{
    const at_recipe *r = j->r;
    const at_progress bar = {tick, j};
    at_train_loop loop = learn_loop(r);
    loop.checkpoint = j->o->state;
    loop.note = note_write;
    loop.report = j->o->progress ? &bar : NULL;
    loop.seen = step_seen;
    at_status s = exam_due(j, err);
    while (!s && j->out->steps < r->steps && !j->out->ended_soon && !j->out->diverged) {
        double loss;
        at_err why = {0};
        loop.until = until_next(j);
        s = at_train_run(j->t, &loop, batch_give, j, &loss, &why);
        j->out->steps = at_trainer_steps(j->t);
        if (s == AT_EDOMAIN && j->o->diverged_ends && at_trainer_diverged(j->t)) {
            j->out->diverged = true; /* the step that failed changed nothing */
            s = AT_OK;
        } else if (s == AT_EDOMAIN && j->o->state && !access(j->o->state, F_OK))
            at_fail(err, s, "%s; %.200s keeps the last good state", why.text, j->o->state);
        else if (s)
            at_fail(err, s, "%s", why.text);
        else
            s = exam_due(j, err);
    }
    return s;
}

at_status learn_keep(const at_recipe *r, const at_learn_options *o, at_trainer *t, at_err *err)
{
    at_status s = r->spared ? at_trainer_spare(t, r->spared, err) : AT_OK;
    return s || !o->freeze ? s : at_trainer_freeze(t, o->freeze, o->freeze_others, err);
}

static at_status trainer_begin(const at_source *d, const at_recipe *r, const at_learn_options *o,
                               at_trainer **t, at_err *err)
{
    if (o->from) {
        at_train_options begin = at_train_options_default;
        begin.dropout = r->arch.dropout;
        begin.seed = r->seed;
        begin.plain = at_source_positions(d);
        begin.length =
            at_source_longest(d); /* memory is for rows that there are, not for all that the model allows */
        if (begin.length < o->from->n_min)
            begin.length = o->from->n_min;
        if (begin.length > o->from->n_max)
            begin.length = o->from->n_max;
        at_status s = learn_fits(o->from, d, err);
        return s ? s : at_trainer_from_model(o->from, at_f32, o->threads, &begin, t, err);
    }
    if (r->net != AT_LEARN_DECODER || at_source_positions(d))
        return learn_net_trainer(d, r, o->threads, t, err);
    at_train_arch arch = r->arch;
    arch.vocabulary = at_source_vocabulary(d);
    int rows = at_source_labels(d) ? learn_reads(d) : at_source_longest(d);
    if (arch.length && (arch.length < rows || arch.learned_positions))
        return at_fail(err, AT_EDOMAIN,
                       arch.learned_positions
                           ? "length=%d: learned positions beyond the rows of %d would never be learnt"
                           : "length=%d: the stream has rows of %d",
                       arch.length, rows);
    arch.length = arch.length ? arch.length : rows;
    arch.seed = r->seed;
    return at_trainer_new(&arch, at_f32, o->threads, t, err);
}

/* Can it read the source's rows? Neither a model that it begins with nor a state need be made for them. */
static at_status trainer_fits(const at_trainer *t, const at_source *d, at_err *err)
{
    const at_train_arch *a = at_trainer_arch(t);
    if (at_source_positions(d))
        return AT_OK; /* at_lesson_suit asks the model itself */
    int words = at_source_vocabulary(d), reads = learn_reads(d);
    if (a->vocabulary == words && a->length >= reads)
        return AT_OK;
    return at_fail(
        err, AT_EREFUSED,
        "the model has %d words and reads rows of %d; the stream has %d words and rows of up to %d",
        a->vocabulary, a->length, words, reads);
}

at_status learn_trainer(const at_source *d, const at_recipe *r, const at_learn_options *o, at_trainer **t,
                        at_err *err)
{
    at_status s = trainer_begin(d, r, o, t, err);
    if (!s)
        s = trainer_fits(*t, d, err);
    return s ? s : learn_keep(r, o, *t, err);
}

/* Where a state is there it is gone on with. */
static at_status trainer_make(journal *j, at_err *err)
{
    const at_learn_options *o = j->o;
    at_status s;
    if (o->state && !access(o->state, F_OK)) {
        char *note = NULL;
        s = at_trainer_load(o->state, o->threads, &j->t, &note, err);
        if (!s)
            s = journal_parse(j, o->state, note, err);
        at_free(note);
        if (!s)
            s = trainer_fits(j->t, j->d, err);
        if (!s)
            s = learn_keep(j->r, o, j->t, err);
        if (!s)
            j->out->steps = at_trainer_steps(j->t);
    } else
        s = learn_trainer(j->d, j->r, o, &j->t, err);
    return s || !o->ranks ? s : at_trainer_ranks(j->t, o->ranks, err);
}

at_status at_learn(const at_source *d, const at_recipe *r, const at_learn_options *o, at_arena *arena,
                   at_outcome *out, at_model *m, at_err *err)
{
    journal j = {.d = d,
                 .r = r,
                 .o = o,
                 .out = out,
                 .from = "-",
                 .most_exams = r->exam_every ? (int)(r->steps / r->exam_every) + 1 + ENDS_MOST : 0,
                 .stretch = (r->steps + AT_LOSS_POINTS - 1) / AT_LOSS_POINTS,
                 .begun = at_now()};
    *out = (at_outcome){.gflops_to_90 = NAN};
    if (r->exam_every && r->steps / r->exam_every > EXAMS_MOST)
        return at_fail(err, AT_EDOMAIN, "%" PRIu64 " steps with an exam every %" PRIu64 "; at most %d exams",
                       r->steps, r->exam_every, EXAMS_MOST);
    out->loss = at_new(arena, at_loss_point, AT_LOSS_POINTS);
    out->exams = at_new(arena, at_exam_point, j.most_exams + 1);
    if (!out->loss || !out->exams)
        return at_oom(err);
    learn_exams x = learn_exams_of(d, o);
    at_status s = learn_examinable(x.d, r->seed, x.part, err); /* not found out when all is done */
    if (!s && o->from)
        s = at_model_hash(o->from, j.from, err);
    if (!s)
        s = trainer_make(&j, err);
    if (!s)
        s = at_lesson_new(d, r->seed, r->batch, r->samples, o->threads, &j.lesson, err);
    if (!s && r->distinct)
        s = at_lesson_distinct(j.lesson, err);
    if (!s)
        s = at_lesson_suit(j.lesson, j.t, err);
    if (!s)
        s = test_try(&j, err);
    if (!s) {
        out->parameters = at_trainer_parameters(j.t);
        s = train_on(&j, err);
    }
    if (!s)
        s = exam_take(&j, true, &out->exam, err);
    out->seconds = at_now() - j.begun;
    if (!s && m)
        s = at_lesson_model(j.t, d, m, err);
    if (!s && m && (s = at_source_remember(d, m, err)))
        at_model_release(m);
    at_lesson_free(j.lesson);
    at_trainer_free(j.t);
    return s;
}
