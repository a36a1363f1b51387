/* sweep.c: the cells of a grid, trained, into the ledger.
 *
 * Small models train faster side by side than one after the other on more threads: so many cells run at a time as there are
 * threads, each on one, and ranks share what is left (ranks.c). A cell is a function of its key, so who runs it does not
 * matter, and what this very build has finished is served from the ledger. */
#include "job_internal.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#define SWEEP_VERSION 1

typedef struct {
    const at_grid_cell *cells;
    int n, done;
    const at_sweep_job *job;
    at_spread *spread;
    bool *before;         /* (n) rank 0: was the cell in the ledger when the sweep began? */
    pthread_mutex_t lock; /* of the ledger, the progress and err */
    at_err *err;          /* the first failure of a cell */
} sweep;

/* GFLOP of writing one chain of the greatest length, with caches. */
static double chain_gflops(const at_source *d, const at_model *m)
{
    at_sequence s = {.token = at_calloc((size_t)at_source_longest(d), sizeof(int))};
    int prompt = 1, rows = 1;
    for (uint64_t i = 0; s.token && i < 100; i++)
        if (!at_source_sample(d, 1, AT_TEST, i, &s, NULL) && s.n > prompt + rows) {
            prompt = s.prompt;
            rows = s.n - s.prompt;
        }
    at_free(s.token);
    at_cost cost;
    if (at_generation_cost(m, prompt, rows, &cost, NULL))
        return NAN;
    return 2e-9 * ((double)cost.dense + (double)cost.attention);
}

/* What was learnt, for the record. Curves have at most AT_TRAINING_POINTS points (at_learn sees to it). */
static at_status detail_make(const at_grid_cell *c, const at_source *d, const at_outcome *o,
                             const at_model *m, double twice, const at_mark_of *mark, at_arena *arena,
                             const char **out, at_err *err)
{
    const at_train_arch *a = &c->recipe.arch;
    size_t n_loss = (size_t)o->n_loss, n_exams = (size_t)o->n_exams;
    const at_shares *shares = o->exam.drawn ? &o->exam.shares : NULL;
    double *v = at_new(arena, double, 2 * n_loss + 3 * n_exams + 1), *w = v + 2 * n_loss;
    if (!v)
        return at_oom(err);
    for (size_t k = 0; k < n_loss; k++) {
        v[k] = (double)o->loss[k].step;
        v[n_loss + k] = o->loss[k].loss;
    }
    for (size_t k = 0; k < n_exams; k++) {
        w[k] = (double)o->exams[k].step;
        w[n_exams + k] = fmin(o->exams[k].answer, 1); /* e^-KL where KL is 0 but for rounding */
        w[2 * n_exams + k] = fmin(o->exams[k].chain, 1);
    }
    at_finding f = {.kind = AT_FINDING_TRAINING,
                    .training = {.preset = c->preset->id,
                                 .attention = at_attention_names[a->attention],
                                 .size_name = c->task->size,
                                 .width = a->width,
                                 .layers = a->layers,
                                 .heads = a->heads,
                                 .parameters = (int64_t)o->parameters,
                                 .size = (int64_t)c->size,
                                 .length = at_source_longest(d),
                                 .steps = (int64_t)o->steps,
                                 .batch = c->recipe.batch,
                                 .tokens = (int64_t)o->tokens,
                                 .rate = c->recipe.adamw.rate,
                                 .answer = fmin(at_exam_answer(&o->exam), 1),
                                 .chain = fmin(at_exam_chain(&o->exam), 1),
                                 .first_wrong = o->exam.first_wrong,
                                 .gflops_to_90 = o->gflops_to_90,
                                 .gflops_chain = chain_gflops(d, m),
                                 .gflops_trained = o->gflops,
                                 .twice = twice,
                                 .kl = shares ? fmax(shares->kl, 0) : NAN,
                                 .entropy = shares ? shares->entropy : NAN,
                                 .mark = mark->mark,
                                 .why = mark->why,
                                 .flags = o->diverged ? "diverged" : NULL,
                                 .n_loss = o->n_loss,
                                 .n_accuracy = o->n_exams,
                                 .loss_step = v,
                                 .loss = v + n_loss,
                                 .accuracy_step = w,
                                 .answer_at = w + n_exams,
                                 .chain_at = w + 2 * n_exams}};
    return at_finding_write(&f, arena, out, err);
}

/* Answers at lengths beyond n, up to 2n, of words that it was not trained on; NaN: the preset does not ask. */
static at_status twice_ask(const at_grid_cell *c, const at_model *m, double *out, at_err *err)
{
    const at_stream *t = at_stream_find(c->task->stream);
    at_params p;
    at_source *d;
    at_exam e;
    *out = NAN;
    if (!c->preset->twice || !t || c->source)
        return AT_OK;
    at_params_init(&p, t->params, t->n_params);
    at_status s = at_params_parse(&p, c->params, err);
    if (s)
        return s;
    double n = at_params_get(&p, "n");
    for (int k = 0; k < p.n; k++)
        p.value[k] = !strcmp(p.schema[k].name, "n")       ? 2 * n
                     : !strcmp(p.schema[k].name, "least") ? n + 2 /* even where n is */
                                                          : p.value[k];
    if ((s = at_source_open(t, &p, &d, err)))
        return s;
    s = at_exam_run(m, d, c->recipe.seed, AT_TEST, c->recipe.count, &(at_exam_options){.threads = 1}, &e,
                    err);
    if (!s)
        *out = at_exam_answer(&e); /* NaN where no row fits */
    at_source_free(d);
    return s;
}

/* Trains the cell; rec's strings live in the arena. */
static at_status cell_train(const at_grid_cell *c, at_arena *arena, at_record *rec, at_err *err)
{
    const at_stream *t = c->source ? NULL : at_stream_find(c->task->stream);
    at_params p;
    at_source *d = c->source;
    at_outcome o;
    at_model m;
    at_mark_of mark;
    at_status s = AT_OK;
    if (t) {
        at_params_init(&p, t->params, t->n_params);
        s = at_params_parse(&p, c->params, err);
        if (!s)
            s = at_source_open(t, &p, &d, err);
    }
    if (s)
        return s;
    s = at_grid_mark(c, &mark, err);
    if (!s)
        s = at_learn(d, &c->recipe, &(at_learn_options){.threads = 1, .diverged_ends = true}, arena, &o, &m,
                     err);
    if (!s) {
        double twice;
        s = twice_ask(c, &m, &twice, err);
        if (!s)
            s = detail_make(c, d, &o, &m, twice, &mark, arena, &rec->detail, err);
        rec->verdict = at_exam_answer(&o.exam) >= 0.9 ? "holds" : "fails";
        rec->inputs = o.exam.count;
        rec->margin = o.exam.drawn ? NAN : o.exam.margin; /* nothing is decided */
        rec->seconds = o.seconds;
        at_model_release(&m);
    }
    if (!c->source)
        at_source_free(d);
    return s;
}

static at_status key_make(const at_grid_cell *c, at_arena *arena, at_cell_key *key, at_err *err)
{
    static const char none[] = "0000000000000000000000000000000000000000000000000000000000000000";
    at_text t;
    at_text_init(&t);
    at_text_add(&t, "train ");
    at_recipe_print(&c->recipe, &t);
    const char *question = t.oom ? NULL : at_arena_strdup(arena, t.s);
    at_text_release(&t);
    *key = (at_cell_key){
        .subject = c->task->stream,
        .params = c->params,
        .question = question,
        /* a training begins without a model; of a file it is what it learns from that is meant */
        .model_hash = c->stamp ? c->stamp : none,
        .check_version = SWEEP_VERSION,
        .build = at_build_id()};
    return question ? AT_OK : at_oom(err);
}

/* Under the lock: a finished cell is counted and told. */
static void cell_tell(sweep *w, const at_grid_cell *c, const at_row *row, bool served)
{
    w->done++;
    if (w->job->told)
        w->job->told(w->job->ctx, &(at_sweep_event){c, row, served, w->done, w->n});
    at_progress_tick(w->job->progress, "sweep", w->done, w->n);
}

/* Cell i, found or trained; false: it failed, and err says why. */
static bool cell_run(sweep *w, size_t i)
{
    const at_grid_cell *c = &w->cells[i];
    at_ledger *l = at_spread_ledger(w->spread);
    at_arena arena;
    at_row row = {0}, *old = NULL;
    at_err err = {0};
    at_arena_init(&arena);
    pthread_mutex_lock(&w->lock);
    at_status s = key_make(c, &arena, &row.key, &err);
    if (!s)
        s = at_ledger_find(l, &row.key, &old, &arena, &err);
    at_progress_tick(w->job->progress, "sweep", w->done, w->n);
    pthread_mutex_unlock(&w->lock);
    row.rec = (at_record){.role = "trained",
                          .evidence = "sampled",
                          .arithmetic = "f32",
                          .margin = NAN,
                          .seed = c->recipe.seed,
                          .isa = at_exec_isa(),
                          .version = at_version()};
    if (!s && !old)
        s = cell_train(c, &arena, &row.rec, &err);
    pthread_mutex_lock(&w->lock);
    if (!s && !old)
        s = at_ledger_put(l, &row.key, &row.rec, &err);
    if (!s)
        cell_tell(w, c, old ? old : &row, old != NULL);
    else
        at_fail(w->err, s, "%s", err.text);
    pthread_mutex_unlock(&w->lock);
    at_arena_release(&arena);
    return !s;
}

/* One thread: cells, as long as there are any. */
static void worker_run(void *ctx, size_t i, int worker)
{
    (void)i, (void)worker;
    sweep *w = ctx;
    at_err err = {0};
    size_t cell;
    at_status s;
    while (!(s = at_spread_next(w->spread, &cell, &err)) && cell < (size_t)w->n)
        if ((s = at_spread_done(w->spread, cell, cell_run(w, cell), &err)))
            break;
    pthread_mutex_lock(&w->lock);
    if (s)
        at_fail(w->err, s, "%s", err.text);
    pthread_mutex_unlock(&w->lock);
}

/* ---- the sum over all ranks ------------------------------------------------------------------------------------- */

typedef void row_fn(sweep *w, int i, const at_row *row, at_sweep_summary *out);

/* Every cell that the ledger holds, in the order of the grid. */
static at_status cells_visit(sweep *w, at_ledger *l, row_fn *fn, at_sweep_summary *out, at_err *err)
{
    at_status s = AT_OK;
    for (int i = 0; i < w->n && !s; i++) {
        at_arena arena;
        at_cell_key key;
        at_row *row = NULL;
        at_arena_init(&arena);
        s = key_make(&w->cells[i], &arena, &key, err);
        if (!s)
            s = at_ledger_find(l, &key, &row, &arena, err);
        if (!s && row)
            fn(w, i, row, out);
        at_arena_release(&arena);
    }
    return s;
}

static void cell_note(sweep *w, int i, const at_row *row, at_sweep_summary *out)
{
    (void)row, (void)out;
    w->before[i] = true;
}

static void cell_count(sweep *w, int i, const at_row *row, at_sweep_summary *out)
{
    out->cells++;
    out->good += !strcmp(row->rec.verdict, "holds");
    out->served += w->before[i];
    if (w->job->counted)
        w->job->counted(w->job->ctx, &(at_sweep_event){&w->cells[i], row, w->before[i], out->cells, w->n});
}

/* Ranks do not talk while they work: what they did together is in the merged ledger. */
static at_status cells_count(sweep *w, at_sweep_summary *out, at_err *err)
{
    at_ledger *l;
    at_status s = at_ledger_open(w->job->db, AT_LEDGER_READ, &l, err);
    if (s)
        return s;
    s = cells_visit(w, l, cell_count, out, err);
    at_ledger_close(l);
    return s;
}

at_status at_job_sweep(const at_grid_cell *cells, int n, const at_sweep_job *job, at_sweep_summary *out,
                       at_err *err)
{
    double start = at_now();
    at_err mine = {0};
    sweep w = {.cells = cells, .n = n, .job = job, .err = &mine};
    *out = (at_sweep_summary){0};
    at_status s = at_spread_open(job->ranks, job->db, (size_t)n, 0, &w.spread, err);
    if (s)
        return s;
    bool first = at_ranks_rank(job->ranks) == 0, alone = at_ranks_count(job->ranks) == 1;
    int threads = job->threads > 0 ? job->threads : at_cores();
    w.before = at_calloc((size_t)n + 1, sizeof *w.before);
    if (!w.before || pthread_mutex_init(&w.lock, NULL)) {
        at_free(w.before);
        return at_spread_close(w.spread, at_oom(err), err);
    }
    if (first) /* its own ledger is a copy of the common one, and the others write into theirs */
        s = cells_visit(&w, at_spread_ledger(w.spread), cell_note, out, err);
    if (!s)
        s = at_parallel(threads, (size_t)threads, worker_run, &w, err);
    pthread_mutex_destroy(&w.lock);
    if (!s && mine.code == AT_ECANCEL) /* steps of one training say nothing here */
        s = at_fail(err, AT_ECANCEL,
                    "interrupted after %d of %d trainings%s; the next run goes on from there", w.done, n,
                    alone ? "" : " on this rank");
    else if (!s && mine.code)
        s = at_fail(err, mine.code, "%s", mine.text);
    s = at_spread_close(w.spread, s, err);
    if (!s && first)
        s = cells_count(&w, out, err);
    at_free(w.before);
    out->seconds = at_now() - start;
    return s;
}
