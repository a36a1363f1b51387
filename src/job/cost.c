/* cost.c: what a grid of trainings would cost on this machine, before any of them begins.
 *
 * One training of each attention and width (of those above MEASURED the widest below it) is tried for a few steps of TRIED rows,
 * on the smallest size that has it: CPU seconds a GFLOP, and a prompt. The others are counted by their GFLOP: what is larger is
 * hardly less efficient, so that this is about right for it, and long trainings that end soon cost less. */
#include "job_internal.h"

#include <math.h>
#include <string.h>

#define MEASURED 256 /* widths up to which trainings are tried */
#define TRIED    16  /* rows of a step that is tried */
#define ROWS     32  /* whose mean length is taken */

typedef struct {
    int attention, width;
    double per_gflop;                /* CPU seconds, of a step */
    double per_prompt, prompt_gflop; /* CPU seconds, and GFLOP of reading it whole */
} tried;

static at_status source_of(const at_grid_cell *c, at_source **out, at_err *err)
{
    const at_stream *t = at_stream_find(c->task->stream);
    at_params p;
    if (c->source) {
        *out = c->source;
        return AT_OK;
    }
    at_params_init(&p, t->params, t->n_params);
    at_status s = at_params_parse(&p, c->params, err);
    return s ? s : at_source_open(t, &p, out, err);
}

/* GFLOP of a step with one row, by the mean over some; of the net that the recipe means. */
static at_status row_gflop(const at_grid_cell *c, const at_source *d, double *out, at_err *err)
{
    at_train_arch a = c->recipe.arch;
    at_sequence s = {.token = at_calloc((size_t)at_source_longest(d), sizeof(int))};
    at_status st = s.token ? AT_OK : at_oom(err);
    a.vocabulary = at_source_vocabulary(d);
    a.length = a.length ? a.length : at_source_longest(d);
    *out = 0;
    for (uint64_t i = 0; i < ROWS && !st; i++) {
        double flops = 0;
        if (!(st = at_source_sample(d, 1, AT_TRAIN, i, &s, err)))
            st = at_train_arch_flops(&a, s.n - 1, &flops, err);
        *out += flops / 1e9 / ROWS;
    }
    at_free(s.token);
    return st;
}

static at_status try_cell(const at_grid_cell *c, const at_source *d, double gflop, tried *out, at_err *err)
{
    at_recipe r = c->recipe;
    at_learn_cost cost;
    r.batch = r.batch < TRIED ? r.batch : TRIED;
    r.distinct = false; /* this is about steps, not about a million rows that differ */
    at_status s = at_learn_estimate(d, &r, &(at_learn_options){.threads = 1}, &cost, err);
    *out = (tried){.attention = (int)r.arch.attention,
                   .width = r.arch.width,
                   .per_gflop = cost.cpu_step / (gflop * r.batch),
                   .per_prompt = cost.cpu_prompt,
                   .prompt_gflop = gflop / 3};
    return s;
}

/* What was tried of this attention, the nearest width; NULL: nothing. */
static const tried *nearest(const tried *all, int n, const at_grid_cell *c)
{
    const tried *best = NULL;
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
        double far = fabs(at_log((double)all[i].width / c->recipe.arch.width));
        if (all[i].attention == (int)c->recipe.arch.attention && far < least) {
            least = far;
            best = &all[i];
        }
    }
    return best;
}

static bool is_to_try(const tried *all, int n, const at_grid_cell *c)
{
    const tried *near = nearest(all, n, c);
    return !near || (c->recipe.arch.width <= MEASURED && near->width != c->recipe.arch.width);
}

at_status at_grid_cost(const at_grid_cell *cells, int n, const at_progress *progress, double *cpu,
                       at_err *err)
{
    tried *all = at_calloc((size_t)n + 1, sizeof *all);
    int n_tried = 0;
    at_status s = all ? AT_OK : at_oom(err);
    for (int i = 0; i < n && !s; i++) {
        const at_grid_cell *c = &cells[i];
        const at_recipe *r = &c->recipe;
        at_source *d = NULL;
        double gflop = 0;
        at_progress_tick(progress, "cost", i, n);
        s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted") : source_of(c, &d, err);
        if (!s)
            s = row_gflop(c, d, &gflop, err);
        if (!s && is_to_try(all, n_tried, c))
            s = try_cell(c, d, gflop, &all[n_tried++], err);
        if (!s) {
            const tried *t = nearest(all, n_tried, c);
            double exams = r->exam_every ? ceil((double)r->steps / (double)r->exam_every) : 0;
            double prompts = exams * (double)r->exam_count + (double)r->count;
            cpu[i] = t->per_gflop * gflop * (double)r->batch * (double)r->steps +
                     prompts * t->per_prompt * fmax(1, gflop / 3 / t->prompt_gflop);
        }
        if (!c->source)
            at_source_free(d);
    }
    at_free(all);
    return s;
}
