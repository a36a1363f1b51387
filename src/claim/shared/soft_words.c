/* soft_words.c: the influence of one letter on softmax models, bounded and measured, and what follows for cross entropy.
 *
 * Let two words be answered differently, and let them differ in letter u alone. A model that gives the two answers the logits z and z' has a
 * difference delta = z - z' on the first word and delta' on the second, and |delta - delta'| <= e, the bound of u. Its cross entropy is at least
 * ln(1 + exp(-delta)) on the one and ln(1 + exp(delta')) on the other, more where there are further answers. The mean of the two is
 * least where delta = -delta' = e/2: so it is at least ln(1 + exp(-e/2)), which tends to ln 2, a coin's, as e falls like 1/n.
 *   PARITY   u is the letter of the least bound; words and neighbours are as likely as one another, so the mean over all words is at least that.
 *   Dyck-2   u is the first letter, an opening bracket of either kind; balanced brackets follow, and then its partner must come.
 *
 * Asked of each model at three lengths: is the measured influence of every letter at most its bound; is the mean of every pair that
 * is drawn at least what it must be; and does the bound say anything at the greatest length, that is, is it less than the range of the answer?
 *   models=random, trained   word_nets.h. Trained on the problem, words of one length; sinusoids go on beyond it.
 *   models=first             one head whose score is 1/i: position 1 has the largest weight, exp(1)/n of it.
 *   models=growing           the constructions of claims parity (form count) and dyck: their scales grow with the length. */
#include "soft_words.h"

#include "word_nets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const soft_models[] = {"random", "trained", "first", "growing", NULL};
const char *const soft_masks[] = {"none", "causal", NULL};
const char *const soft_read[] = {"softmax", "leftmost-hard", NULL};

enum { LENGTHS = 3, WORDS = 3, PAIRS = 32 };

/* ---- models ---------------------------------------------------------------------------------------------------------------- */

/* Brackets of two kinds that are balanced: n letters, n even. */
static void balanced_draw(at_rng *r, int n, double *x)
{
    int depth = 0;
    for (int i = 0; i < n; i++) {
        bool up = depth < n - i && (!depth || at_rng_below(r, 2));
        if (up)
            x[i] = 2 * (double)at_rng_below(r, 2);
        for (int k = i - 1, level = 0; !up && level >= 0; k--) { /* its partner: the last that is open */
            level += (int)x[k] % 2 ? 1 : -1;
            if (level < 0)
                x[i] = x[k] + 1;
        }
        depth += up ? 1 : -1;
    }
}

static void dyck2_row(const void *self, at_rng *r, int n, double *x, int *answer)
{
    (void)self;
    x[0] = 2 * (double)at_rng_below(r, 2);
    balanced_draw(r, n - 1, x + 1);
    *answer = (int)x[0] + 1;
}

/* x = (letter, 1/i, mean of letters): one head with score 1/i. */
static at_status first_make(int letters, int longest, at_model *m, at_err *err)
{
    enum { LETTER, PLACE, MEAN, WIDTH };
    at_model_init(m);
    snprintf(m->name, sizeof m->name, "position 1");
    m->width = WIDTH;
    m->n_min = 1;
    m->n_max = longest;
    m->pos_origin = 1;
    m->n_fields = m->n_pos = m->n_blocks = 1;
    m->fields = at_new(&m->arena, at_field, 1);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->blocks = at_new(&m->arena, at_block, 1);
    at_group *g = at_new(&m->arena, at_group, 1);
    at_status s = m->fields && m->pos && m->blocks && g ? AT_OK : at_oom(err);
    if (!s) {
        m->fields[0] =
            (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = letters, .embed = {LETTER, 1, -1}};
        m->pos[0] = (at_pos){.kind = AT_POS_INV_I, .embed = {PLACE, 1, -1}};
        *g = (at_group){.heads = 1, .dk = 1, .dv = 1, .weighting = AT_SOFTMAX, .scale = 1, .bias = true};
        m->blocks[0] = (at_block){.kind = AT_BLOCK_ATTN, .residual = true, .groups = g, .n_groups = 1};
        m->readout = (at_readout){.kind = AT_READ_ARGMAX, .rows = letters, .last = true};
        s = at_model_layout(m, err);
    }
    if (s) {
        at_model_release(m);
        return s;
    }
    double *letter = at_model_data(m, m->fields[0].embed.tensor), *read = at_model_data(m, m->readout.w);
    for (int v = 0; v < letters; v++)
        letter[v] = letters == 2 ? v : v >= 2; /* the kind of a bracket */
    at_model_data(m, m->pos[0].embed.tensor)[0] = 1;
    at_model_data(m, g->qb)[0] = 1;
    at_model_data(m, g->k)[PLACE] = 1;
    at_model_data(m, g->v)[LETTER] = 1;
    at_model_data(m, g->o)[MEAN] = 1;
    for (int v = 0; v < letters; v++)
        read[v * WIDTH + MEAN] = v >= letters / 2 ? 1 : -1;
    return AT_OK;
}

static at_status growing_make(soft_problem what, int n, at_model *m, at_err *err)
{
    const at_claim *c;
    at_params p;
    at_status s = at_claim_need(what == SOFT_PARITY ? "parity" : "dyck", &c, err);
    if (s)
        return s;
    at_params_init(&p, c->params, c->n_params);
    s = at_params_parse(&p, what == SOFT_PARITY ? "form=count" : "k=2", err);
    if (!s)
        s = at_params_set(&p, "N", n, err);
    return s ? s : at_claim_model(c, &p, m, err);
}

static at_status model_make(soft_problem what, const at_params *p, uint64_t seed, at_model *m, at_err *err)
{
    int kind = at_params_int(p, "models"), letters = what == SOFT_PARITY ? 2 : 4, N = at_params_int(p, "N");
    int taught = at_params_int(p, "taught") + (what == SOFT_DYCK2 ? 1 - at_params_int(p, "taught") % 2 : 0);
    if (kind == SOFT_FIRST)
        return first_make(letters, N, m, err);
    if (kind == SOFT_GROWING)
        return growing_make(what, N, m, err);
    word_net h = {.letters = letters,
                  .answers = letters,
                  .longest = N > taught ? N : taught,
                  .width = 8,
                  .layers = at_params_int(p, "L"),
                  .heads = at_params_int(p, "H"),
                  .dim = 4,
                  .hidden = 16,
                  .mask = at_params_int(p, "mask") ? AT_MASK_CAUSAL : AT_MASK_NONE,
                  .gain = at_params_get(p, "gain")};
    at_status s = word_net_draw(&h, seed, m, err);
    if (s || kind == SOFT_RANDOM)
        return s;
    at_params tp;
    const at_task *t = at_task_find("parity");
    at_params_init(&tp, t->params, t->n_params);
    s = at_params_set(&tp, "N", taught, err);
    if (!s)
        s = word_net_train(m, what == SOFT_PARITY ? word_row_parity : dyck2_row, &tp, taught,
                           at_params_int(p, "steps"), seed, err);
    if (s)
        at_model_release(m);
    return s;
}

/* The rows of the readout whose difference decides. */
static void rows_of(soft_problem what, const at_model *m, int *a, int *b)
{
    *a = m->readout.rows == 1 ? 0 : what == SOFT_PARITY ? 1 : 3;
    *b = m->readout.rows == 1 ? -1 : what == SOFT_PARITY ? 0 : 1;
}

/* ---- cross entropy of pairs ------------------------------------------------------------------------------------------------------ */

/* -log of the probability of row `right` among all R. */
static double entropy_of(const double *z, int R, int right)
{
    double sum = 0, peak = z[0];
    for (int r = 1; r < R; r++)
        peak = fmax(peak, z[r]);
    for (int r = 0; r < R; r++)
        sum += at_exp(z[r] - peak);
    return peak + at_log(sum) - z[right];
}

/* A word of n letters, the same with another letter u, and their answers. */
static void pair_draw(soft_problem what, at_rng *r, int n, int u, double *x, int right[2])
{
    right[0] = 0;
    if (what == SOFT_PARITY)
        for (int i = 0; i < n; i++)
            right[0] ^= (int)(x[i] = (double)at_rng_below(r, 2));
    else
        dyck2_row(NULL, r, n, x, &right[0]);
    memcpy(x + n, x, (size_t)n * sizeof *x);
    x[n + u] = what == SOFT_PARITY ? 1 - x[u] : 2 - x[u];
    right[1] = what == SOFT_PARITY ? 1 - right[0] : 4 - right[0];
}

/* Pairs of words of n letters that differ in letter u: their mean cross entropy, and that of the pair that has least. */
static at_status pairs_run(soft_problem what, const at_model *m, int n, int u, uint64_t seed, double *mean,
                           double *least, at_err *err)
{
    at_exec *e = NULL;
    at_scratch *scratch = NULL;
    double *x = at_calloc(2 * (size_t)n, sizeof *x);
    at_status s = x ? at_exec_new(m, at_f64, n, &e, err) : at_oom(err);
    if (!s)
        s = at_scratch_new(e, &scratch, err);
    int P = s ? 0 : at_exec_positions(e), R = m->readout.rows;
    double *y = at_calloc(2 * (size_t)(P + 1) * (size_t)R, sizeof *y);
    if (!s && !y)
        s = at_oom(err);
    *mean = 0;
    *least = INFINITY;
    for (int k = 0; k < PAIRS && !s; k++) {
        at_rng r = at_rng_at(seed, (uint64_t)k);
        int right[2];
        pair_draw(what, &r, n, u, x, right);
        at_exec_run(e, scratch, x, 2, y);
        double both = 0;
        for (int w = 0; w < 2; w++)
            both += entropy_of(y + ((size_t)(w + 1) * (size_t)P - 1) * (size_t)R, R, right[w]) / 2;
        *mean += both / PAIRS;
        *least = fmin(*least, both);
    }
    at_free(x);
    at_free(y);
    at_scratch_free(scratch);
    at_exec_free(e);
    return s;
}

/* ---- one model at one length ----------------------------------------------------------------------------------------------------- */

typedef struct {
    int n, u;               /* u: the letter that pairs differ in */
    double bound, measured; /* of all letters but that of the position that answers, the largest */
    double at_u, range;
    bool says;                 /* the bound of u is less than the range */
    double floor, mean, least; /* cross entropy: at least, measured, of the least pair */
    double excess;             /* the largest measured minus its own bound; above 0 it is violated */
    int where;
} finding;

/* What measuring itself may be off by: readouts in f64, sums of a few thousand terms. */
static double slack_of(const at_influence *f)
{
    return 1e-10 * (1 + (isfinite(f->range) ? f->range : 0));
}

static at_status length_ask(soft_problem what, const at_model *m, const at_model *measured, int n,
                            uint64_t seed, finding *out, at_err *err)
{
    at_arena a;
    at_influence f;
    int row, other;
    rows_of(what, m, &row, &other);
    at_arena_init(&a);
    double *most = at_new(&a, double, n);
    at_status s = most ? at_influence_bound(m, n, row, other, &a, &f, err) : at_oom(err);
    if (!s)
        s = at_influence_measure(measured, n, row, other, WORDS, seed, most, err);
    if (!s) {
        *out = (finding){.n = n,
                         .u = what == SOFT_PARITY ? f.least : 0,
                         .bound = f.most[f.worst],
                         .range = f.range,
                         .says = at_influence_says(&f, what == SOFT_PARITY ? f.least : 0),
                         .excess = -INFINITY};
        out->at_u = f.most[out->u];
        out->floor = at_influence_loss(out->at_u);
        for (int u = 0; u < n; u++) {
            if (u == f.own)
                continue;
            out->measured = fmax(out->measured, most[u]);
            if (most[u] - f.most[u] - slack_of(&f) > out->excess) {
                out->excess = most[u] - f.most[u] - slack_of(&f);
                out->where = u;
            }
        }
        out->mean = out->least = NAN;
        if (m->readout.rows > 1)
            s = pairs_run(what, measured, n, out->u, seed, &out->mean, &out->least, err);
    }
    at_arena_release(&a);
    return s;
}

/* ---- a trial ------------------------------------------------------------------------------------------------------------------------ */

typedef struct {
    at_status status;
    at_err err;
    finding at[LENGTHS];
    int lengths;
    int from; /* the first length, of doublings from 4 on, at which the bound is less than the range; 0: none */
} outcome;

typedef struct {
    soft_problem what;
    const at_params *p;
    uint64_t seed;
    outcome *out;
} work;

/* Beginnings of Dyck-2 have an odd number of letters here. */
static int length_of(soft_problem what, int n)
{
    return what == SOFT_DYCK2 && n % 2 == 0 ? n - 1 : n;
}

static at_status from_find(const work *w, const at_model *m, outcome *o)
{
    int N = at_params_int(w->p, "N"), a, b;
    rows_of(w->what, m, &a, &b);
    for (int n = 4; n <= N && !o->from; n *= 2) {
        at_arena arena;
        at_influence f;
        int length = length_of(w->what, n);
        at_arena_init(&arena);
        at_status s = at_influence_bound(m, length, a, b, &arena, &f, &o->err);
        if (!s && at_influence_says(&f, w->what == SOFT_PARITY ? f.least : 0))
            o->from = length;
        at_arena_release(&arena);
        if (s)
            return s;
    }
    return AT_OK;
}

static void one_model(void *ctx, size_t i, int worker)
{
    (void)worker;
    work *w = ctx;
    outcome *o = &w->out[i];
    at_model m = {0}, other = {0};
    int N = at_params_int(w->p, "N"), kind = at_params_int(w->p, "models");
    bool hard = at_params_int(w->p, "read");
    if (at_cancel_pending()) {
        o->status = at_fail(&o->err, AT_ECANCEL, "interrupted");
        return;
    }
    o->status = model_make(w->what, w->p, w->seed * 1000003 + i, &m, &o->err);
    if (o->status)
        return;
    if (!(o->status = at_model_copy(&m, &other, &o->err))) {
        if (hard)
            word_net_harden(&other, AT_LEFTMOST_HARD);
        o->lengths = kind == SOFT_GROWING ? 1 : LENGTHS;
        for (int k = 0; k < o->lengths && !o->status; k++)
            o->status = length_ask(w->what, &m, &other, length_of(w->what, N >> (o->lengths - 1 - k)),
                                   w->seed + i, &o->at[k], &o->err);
        if (!o->status && kind == SOFT_TRAINED)
            o->status = from_find(w, &m, o);
        at_model_release(&other);
    }
    at_model_release(&m);
}

/* ---- what is shown ------------------------------------------------------------------------------------------------------------- */

enum { SHOWN_MODELS = 2, SHOWN_PAIRS = 3 };

/* Model i at its greatest length: pairs that differ in one letter, its bound, and the loss that follows, for whoever writes down what the
 * verdict rests on. */
static at_status moves_show(const work *w, uint64_t i, const at_check_env *env, at_arena *a, at_err *err)
{
    const outcome *o = &w->out[i];
    const finding *f = &o->at[o->lengths - 1];
    int u = f->excess > 0 ? f->where : f->u, row, other, n = f->n;
    double *x = at_new(a, double, (size_t)SHOWN_PAIRS * 2 * (size_t)n);
    at_input in[2 * SHOWN_PAIRS];
    at_model m;
    at_text t;
    at_status s = x ? model_make(w->what, w->p, w->seed * 1000003 + i, &m, err) : at_oom(err);
    if (s)
        return s;
    if (at_params_int(w->p, "read"))
        word_net_harden(&m, AT_LEFTMOST_HARD);
    rows_of(w->what, &m, &row, &other);
    at_text_init(&t);
    at_text_addf(&t,
                 ", \"letter\": %d, \"rows\": [%d, %d], \"bound\": %.17g, \"nats\": %.17g, \"must\": %s, ",
                 u + 1, row, other, f->excess > 0 ? f->bound : f->at_u, f->excess > 0 ? 0 : f->floor,
                 at_params_int(w->p, "models") == SOFT_TRAINED ? "false" : "true");
    at_text_addf(&t, isfinite(f->range) ? "\"range\": %.17g, \"right\": [" : "\"range\": null, \"right\": [",
                 f->range);
    for (int k = 0; k < SHOWN_PAIRS; k++) {
        at_rng r = at_rng_at(w->seed + i, 1000 + (uint64_t)k);
        int right[2];
        double *pair = x + (size_t)k * 2 * (size_t)n;
        pair_draw(w->what, &r, n, u, pair, right);
        in[2 * k] = (at_input){n, pair};
        in[2 * k + 1] = (at_input){n, pair + n};
        at_text_addf(&t, "%s%d, %d", k ? ", " : "", right[0], right[1]);
    }
    at_text_add(&t, "]");
    at_witness shown = {
        .kind = "moves", .m = &m, .arith = at_f64, .x = in, .n = 2 * SHOWN_PAIRS, .more = t.s};
    s = t.oom ? at_oom(err) : env->witness(env->ctx, &shown, err);
    at_text_release(&t);
    at_model_release(&m);
    return s;
}

/* FALSE where a bound or a loss is violated, or (but for trained models) a bound says nothing at the greatest length. */
static const char *note_make(const work *w, uint64_t models, at_arena *a, at_tri *holds)
{
    int kind = at_params_int(w->p, "models"), bound = 0, from = 0;
    double slope = 0, ratio = 0, floor[LENGTHS] = {0}, mean[LENGTHS] = {0}, scaled = 0;
    for (uint64_t i = 0; i < models; i++) {
        const outcome *o = &w->out[i];
        const finding *last = &o->at[o->lengths - 1];
        for (int k = 0; k < o->lengths; k++) {
            const finding *f = &o->at[k];
            if (f->excess > 0) {
                *holds = AT_FALSE;
                return at_arena_printf(
                    a,
                    "violated: of %d letters, letter %d moves the answer of model %ju by more than its "
                    "bound, by %.3g more; the largest bound is %.3g, the largest measured %.3g",
                    f->n, f->where + 1, (uintmax_t)i, f->excess, f->bound, f->measured);
            }
            if (f->least < f->floor - 1e-12) {
                *holds = AT_FALSE;
                return at_arena_printf(
                    a, "violated: of %d letters, a pair of model %ju has %.6g nats, less than %.6g", f->n,
                    (uintmax_t)i, f->least, f->floor);
            }
            floor[k] += f->floor / (double)models;
            mean[k] += f->mean / (double)models;
        }
        bound += last->says;
        from = o->from > from ? o->from : from;
        ratio = fmax(ratio, last->measured / last->bound);
        slope += at_log(last->bound / o->at[0].bound) / at_log((double)last->n / o->at[0].n) / (double)models;
        scaled += last->n * last->bound / (double)models;
    }
    const finding *f = &w->out[0].at[w->out[0].lengths - 1];
    *holds = kind == SOFT_TRAINED ? AT_TRUE : bound == (int)models ? AT_TRUE : AT_FALSE;
    if (*holds == AT_FALSE)
        return at_arena_printf(
            a,
            "vacuous, not violated: of %d letters, one moves the answer by at most %.3g, and all together "
            "by %.3g (measured: one by %.3g); %ju of %ju models",
            f->n, f->at_u, f->range, f->measured, (uintmax_t)(models - (uint64_t)bound), (uintmax_t)models);
    at_text t;
    at_text_init(&t);
    at_text_addf(&t,
                 "%ju model%s (%s), lengths %d, %d, %d: n times the bound is %.3g at %d, exponent %.2f; "
                 "measured at most "
                 "%.2g of it; at least %.4f, %.4f, %.4f nats, measured %.4f, %.4f, %.4f",
                 (uintmax_t)models, models == 1 ? "" : "s", soft_models[kind], w->out[0].at[0].n,
                 w->out[0].at[1].n, f->n, scaled, f->n, slope, ratio, floor[0], floor[1], floor[2], mean[0],
                 mean[1], mean[2]);
    if (kind == SOFT_TRAINED && bound)
        at_text_addf(&t, "; it binds in %d of them at %d letters, the last from %d on", bound, f->n, from);
    else if (kind == SOFT_TRAINED)
        at_text_addf(&t, "; it is vacuous in all of them to %d letters", f->n);
    const char *note = t.oom || !t.s ? NULL : at_arena_strdup(a, t.s);
    at_text_release(&t);
    return note;
}

at_status soft_trial(soft_problem what, const at_params *p, const at_cell *cell, uint64_t limit,
                     uint64_t seed, const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    int kind = at_params_int(p, "models");
    uint64_t models = kind == SOFT_FIRST || kind == SOFT_GROWING || !limit ? 1 : limit;
    work w = {.what = what, .p = p, .seed = seed, .out = at_new(a, outcome, models)};
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = cell->evidence, .inputs = models};
    if (!w.out)
        return at_oom(err);
    at_status s = at_parallel(env ? env->threads : 0, models, one_model, &w, err);
    for (uint64_t i = 0; i < models && !s; i++)
        if (w.out[i].status)
            s = at_fail(err, w.out[i].status, "model %ju: %s", (uintmax_t)i, w.out[i].err.text);
    if (s)
        return s;
    if (!(out->note = note_make(&w, models, a, &out->holds)))
        return at_oom(err);
    for (uint64_t i = 0; i < models && i < SHOWN_MODELS && !s && env && env->witness; i++)
        s = moves_show(&w, i, env, a, err);
    return s;
}

at_status soft_row(soft_problem what, const at_params *p, double *out, at_err *err)
{
    at_model m;
    finding f;
    at_status s = model_make(what, p, 1000003, &m, err);
    if (s)
        return s;
    s = length_ask(what, &m, &m, length_of(what, at_params_int(p, "N")), 1, &f, err);
    at_model_release(&m);
    if (s)
        return s;
    double row[] = {f.n, f.bound, f.n * f.bound, f.n * f.measured, f.range, f.floor, f.mean};
    memcpy(out, row, sizeof row);
    return AT_OK;
}
