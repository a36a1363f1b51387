/* prepare.c: what is asked before a training: how long will it take, and which rate? Both train a little and throw it away. */
#include "learn_internal.h"

#include <math.h>

#define TRIED      6 /* steps that are timed; the first of them is not, it packs weights and touches memory */
#define ENOUGH     1.0 /* seconds after which no further one is timed */
#define PROMPTS    16  /* of a timed exam */
#define LEAST_RATE 1e-7
#define SMOOTH     0.9 /* of the mean that is carried on */
#define STEEP      10  /* steps over which a slope is taken: a factor of about 3 */
#define TOO_MUCH   4   /* times the least loss: the end of a scan */

typedef struct {
    at_trainer *t;
    at_lesson *lesson;
} trial;

static void trial_close(trial *k)
{
    at_lesson_free(k->lesson);
    at_trainer_free(k->t);
}

static at_status trial_open(const at_source *d, const at_recipe *r, const at_learn_options *o, trial *k,
                            at_err *err)
{
    *k = (trial){0};
    at_status s = learn_trainer(d, r, o, &k->t, err);
    if (!s)
        s = at_lesson_new(d, r->seed, r->batch, r->samples, o->threads, &k->lesson, err);
    return s ? s : at_lesson_suit(k->lesson, k->t, err);
}

static at_status step_take(const trial *k, uint64_t step, const at_adamw *w, double *loss, double *gflop,
                           at_err *err)
{
    const at_train_sequence *batch;
    int n = 0;
    at_status s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted")
                                      : at_lesson_batch(k->lesson, step, &batch, &n, err);
    for (int i = 0; gflop && i < n && !s; i++)
        *gflop += at_trainer_flops(k->t, batch[i].length) / 1e9;
    return s ? s : at_trainer_step(k->t, batch, n, w, loss, err);
}

static at_status steps_time(const trial *k, const at_recipe *r, at_learn_cost *out, at_err *err)
{
    at_adamw still = r->adamw;
    double loss, begun = 0, spent = 0, gflop = 0, cpu = 0;
    int timed = 0;
    at_status s = AT_OK;
    still.rate = 0; /* a random net must not diverge while it is timed */
    for (int i = 0; i < TRIED && spent < ENOUGH && !s; i++) {
        begun = i == 1 ? at_now() : begun;
        cpu = i == 1 ? at_cpu_now() : cpu;
        gflop = i == 1 ? 0 : gflop;
        s = step_take(k, (uint64_t)i, &still, &loss, &gflop, err);
        spent = i ? at_now() - begun : 0;
        timed = i;
    }
    out->step = timed ? spent / timed : 0;
    out->cpu_step = timed ? (at_cpu_now() - cpu) / timed : 0;
    out->gflop = timed ? gflop / timed * (double)r->steps : 0;
    return s;
}

static at_status prompts_time(const trial *k, const at_source *d, const at_recipe *r,
                              const at_learn_options *o, at_learn_cost *out, at_err *err)
{
    at_model m;
    at_exam e;
    at_status s = at_lesson_model(k->t, d, &m, err);
    if (s)
        return s;
    learn_exams x = learn_exams_of(d, o);
    double begun = at_now(), cpu = at_cpu_now();
    s = at_exam_run(&m, x.d, r->seed, x.part, PROMPTS, &(at_exam_options){.threads = o->threads}, &e, err);
    out->prompt = (at_now() - begun) / PROMPTS;
    out->cpu_prompt = (at_cpu_now() - cpu) / PROMPTS;
    at_model_release(&m);
    return s;
}

at_status at_learn_estimate(const at_source *d, const at_recipe *r, const at_learn_options *o,
                            at_learn_cost *out, at_err *err)
{
    trial k;
    *out = (at_learn_cost){0};
    at_status s = trial_open(d, r, o, &k, err);
    if (!s) {
        out->parameters = at_trainer_parameters(k.t);
        s = steps_time(&k, r, out, err);
    }
    if (!s)
        s = prompts_time(&k, d, r, o, out, err);
    if (!s) {
        double exams = r->exam_every ? ceil((double)r->steps / (double)r->exam_every) : 0;
        double prompts = exams * (double)r->exam_count + (double)r->count;
        out->seconds = out->step * (double)r->steps + out->prompt * prompts;
        out->cpu = out->cpu_step * (double)r->steps + out->cpu_prompt * prompts;
    }
    trial_close(&k);
    return s;
}

/* Where the smoothed loss fell most, from one point to that STEEP steps on; the rate in the middle. */
static double steepest(const at_rate_scan *scan)
{
    double most = 0, rate = NAN;
    for (int i = 0; i + STEEP < scan->n; i++) {
        double fell = scan->point[i].loss - scan->point[i + STEEP].loss;
        if (fell > most) {
            most = fell;
            rate = scan->point[i + STEEP / 2].rate;
        }
    }
    return rate;
}

at_status at_learn_rates(const at_source *d, const at_recipe *r, const at_learn_options *o, at_rate_scan *out,
                         at_err *err)
{
    trial k;
    *out = (at_rate_scan){.suggest = NAN};
    at_status s = trial_open(d, r, o, &k, err);
    at_adamw w = r->adamw;
    double mean = 0, weight = 0, least = INFINITY;
    for (int i = 0; i < AT_RATE_STEPS && !s && !out->diverged; i++) {
        double loss = NAN;
        at_err why = {0};
        w.rate = LEAST_RATE * at_pow(1 / LEAST_RATE, (double)i / (AT_RATE_STEPS - 1));
        at_progress_tick(o->progress, "rates", i, AT_RATE_STEPS);
        s = step_take(&k, (uint64_t)i, &w, &loss, NULL, &why);
        mean = SMOOTH * mean + (1 - SMOOTH) * loss;
        weight = SMOOTH * weight + (1 - SMOOTH);
        if (s == AT_EDOMAIN && isnan(loss)) { /* the last step was too large */
            s = AT_OK;
            out->diverged = true;
        } else if (s)
            at_fail(err, s, "%s", why.text);
        else {
            out->point[out->n++] = (at_rate_point){w.rate, mean / weight};
            least = fmin(least, mean / weight);
            out->diverged = mean / weight > TOO_MUCH * least;
        }
    }
    out->suggest = steepest(out);
    trial_close(&k);
    return s;
}
