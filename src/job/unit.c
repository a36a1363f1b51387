/* unit.c: one cell of the catalogue, from parameters to a record for the ledger.
 *
 * A cell is one point of a claim's parameters or a box of them ("a=0..4 b=0..4"): then it holds when it holds at every
 * point. Pieces of point k are kept under numbers from k 2^32 on. */
#include "job_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_POINTS 4096

/* ---- pieces of a check ------------------------------------------------------------------------------------------ */

/* Where the pieces of one point are. */
typedef struct {
    shelf *all;
    uint64_t first;
} pieces;

static bool piece_have(void *ctx, uint64_t piece, at_piece *out)
{
    const pieces *p = ctx;
    const char *text = shelf_find(p->all, p->first + piece);
    return text && sscanf(text, "%" SCNu64 " %la %" SCNd64 " %" SCNu64, &out->inputs, &out->margin, &out->bad,
                          &out->wrong) == 4;
}

static at_status piece_done(void *ctx, uint64_t piece, const at_piece *p, at_err *err)
{
    const pieces *here = ctx;
    char text[96];
    snprintf(text, sizeof text, "%" PRIu64 " %a %" PRId64 " %" PRIu64, p->inputs, p->margin, p->bad,
             p->wrong);
    return shelf_put(here->all, here->first + piece, text, err);
}

/* ---- cells ---------------------------------------------------------------------------------------------------------- */

/* The points of a cell: parameters and models, and one hash of them all. */
typedef struct {
    uint64_t n, built;
    at_params *p;
    at_model *m; /* none are built of a limit */
} points;

static void points_release(points *x)
{
    for (uint64_t k = 0; k < x->built; k++)
        at_model_release(&x->m[k]);
}

static at_status points_make(unit *u, points *x, at_err *err)
{
    *x = (points){.n = at_sweep_count(&u->sweep)};
    if (x->n > MOST_POINTS)
        return at_fail(err, AT_EDOMAIN, "ranges with %" PRIu64 " points; at most %d", x->n, MOST_POINTS);
    x->p = at_new(u->arena, at_params, x->n);
    x->m = at_new(u->arena, at_model, x->n);
    char *hash = at_new(u->arena, char, 65 * x->n);
    if (!x->p || !x->m || !hash)
        return at_oom(err);
    at_status s = AT_OK;
    for (uint64_t k = 0; k < x->n && !s; k++) {
        at_sweep_nth(&u->sweep, k, &x->p[k]);
        if (u->claim->trial)
            continue;
        s = at_claim_model(u->claim, &x->p[k], &x->m[k], err);
        x->built += !s;
        if (!s)
            s = at_model_hash(&x->m[k], hash + 64 * k, err);
    }
    if (!s && x->n > 1 && x->built) /* one hash of all */
        at_sha256(hash, 64 * x->n, hash);
    u->key.model_hash = hash;
    if (s)
        points_release(x);
    return s;
}

/* One verdict over all points: it ends at the first that does not hold. *at is the point it speaks of. */
static at_status points_check(unit *u, const points *x, uint64_t limit, at_verdict *v, uint64_t *at,
                              at_err *err)
{
    const at_cell *c = u->cell;
    shelf kept = {.ledger = u->job->ledger, .key = &u->key, .arena = u->arena};
    at_status s = shelf_load(&kept, err);
    at_verdict sum = {.holds = AT_TRUE, .evidence = c->evidence, .margin = INFINITY};
    for (*at = 0; !s; ++*at) {
        pieces here = {&kept, *at << 32};
        at_check_env env = {.threads = u->job->threads,
                            .progress = u->job->progress,
                            .have = piece_have,
                            .done = piece_done,
                            .ctx = &here};
        s = at_claim_check(u->claim, c, &x->p[*at], &x->m[*at], limit, u->job->seed, &env, u->arena, v, err);
        if (s == AT_EBUDGET) { /* too large to enumerate: undecided, and the other cells may still answer */
            *v = (at_verdict){.holds = AT_UNKNOWN, .evidence = c->evidence, .margin = NAN};
            v->note = at_arena_strdup(u->arena, err->text);
            *err = (at_err){0};
            s = v->note ? AT_OK : at_oom(err);
        }
        sum.inputs += v->inputs;
        sum.margin = fmin(sum.margin, v->margin);
        if (v->evidence == AT_EV_SAMPLED)
            sum.evidence = AT_EV_SAMPLED; /* the weakest */
        if (s || v->holds != AT_TRUE || *at + 1 == x->n)
            break;
    }
    v->inputs = sum.inputs;
    v->evidence = sum.evidence;
    v->margin = isfinite(sum.margin) ? sum.margin : NAN;
    return s;
}

/* A control that is not rejected at the size that --set asks for: does the same check reject it at its own? Then it has
 * nothing to say here; else the check is at fault. */
static at_status idle_find(unit *u, uint64_t limit, at_err *err)
{
    at_job job = *u->job;
    unit own = *u;
    points x;
    at_verdict v = {.holds = AT_UNKNOWN};
    uint64_t at = 0;
    job.set = NULL;
    job.ledger = NULL;
    own.job = &job;
    at_status s = at_cell_sweep(u->claim, u->cell, job.tier, NULL, &own.sweep, err);
    if (!s)
        s = points_make(&own, &x, err);
    if (s)
        return s;
    s = points_check(&own, &x, limit, &v, &at, err);
    points_release(&x);
    if (s || v.holds != AT_FALSE)
        return s;
    at_text t;
    at_text_init(&t);
    at_sweep_print(&own.sweep, &t);
    u->idle =
        t.oom ? NULL
              : at_arena_printf(u->arena, "not rejected at this size; the same check rejects it at %s", t.s);
    at_text_release(&t);
    return u->idle ? AT_OK : at_oom(err);
}

at_status unit_check(unit *u, at_err *err)
{
    const at_cell *c = u->cell;
    const char *arith = at_cell_arith(c);
    /* A certificate is about all inputs; that of a trial about so many models. */
    uint64_t limit = c->evidence == AT_EV_EXACT                           ? c->inputs
                     : c->evidence == AT_EV_CERTIFIED && !u->claim->trial ? 0
                     : u->job->tier == AT_TIER_FULL                       ? c->inputs
                                                                          : (c->inputs + 9) / 10;
    points x;
    at_arith a;
    at_status s = at_arith_parse(arith, &a, err);
    if (!s)
        s = points_make(u, &x, err);
    if (s)
        return s;
    u->key.question = at_arena_printf(
        u->arena, "%s %s%s%s seed=%" PRIu64 " limit=%" PRIu64 "%s%s%s%s%s", at_evidence_names[c->evidence],
        c->evidence == AT_EV_EXACT && !u->claim->trial ? at_enum_names[c->how] : "",
        c->evidence == AT_EV_EXACT && !u->claim->trial ? " " : "", arith, u->job->seed, limit,
        c->count_all ? " all" : "", c->control ? " control " : "", c->control ? c->control : "",
        u->claim->digest ? " file=" : "", u->claim->digest ? u->claim->digest : "");
    at_row *old = NULL;
    if (!u->key.question)
        s = at_oom(err);
    if (!s && u->job->ledger)
        s = at_ledger_find(u->job->ledger, &u->key, &old, u->arena, err);
    if (!s && old) {
        u->rec = old->rec;
        points_release(&x);
        return AT_OK;
    }
    at_verdict v = {.holds = AT_UNKNOWN};
    uint64_t at = 0;
    double start = at_now();
    if (!s)
        s = points_check(u, &x, limit, &v, &at, err);
    if (!s && c->control && u->job->set && v.holds == AT_TRUE)
        s = idle_find(u, limit, err);
    u->rec.seconds = at_now() - start;
    if (!s) {
        u->rec.arithmetic = arith;
        u->rec.isa = c->evidence == AT_EV_CERTIFIED ? "arb" : at_exec_isa();
        s = detail_verdict(u, u->claim->trial ? NULL : &x.m[at], x.n > 1 ? &x.p[at] : NULL, a, &v, err);
    }
    points_release(&x);
    return s;
}

/* ---- tables ------------------------------------------------------------------------------------------------------------ */

#define MOST_COLUMNS 16

/* Numbers as they are kept; a parameter that has names is written by name. */
static void row_entries(const unit *u, const double *x, at_table_entry *e)
{
    for (int k = 0; u->table->columns[k]; k++) {
        e[k] = (at_table_entry){.number = x[k]};
        for (int i = 0; i < u->claim->n_params; i++) {
            const at_param *q = &u->claim->params[i];
            if (q->names && strcmp(q->name, u->table->columns[k]) == 0 && x[k] >= q->lo && x[k] <= q->hi)
                e[k].text = q->names[(int)(x[k] - q->lo)];
        }
    }
}

/* One row: from the shelf, or computed and put there. One that is damaged is computed again. */
static at_status table_row(unit *u, shelf *rows, int r, int columns, at_table_entry *e, at_err *err)
{
    const at_claim_table *t = u->table;
    const char *known = shelf_find(rows, (uint64_t)r), *text;
    if (known && at_table_row_read(known, columns, u->arena, e))
        return AT_OK;
    double x[MOST_COLUMNS];
    at_params p;
    at_params_init(&p, u->claim->params, u->claim->n_params);
    for (int k = 0; k < MOST_COLUMNS; k++)
        x[k] = NAN;
    at_status s = at_params_parse(&p, t->rows[r], err);
    if (!s)
        s = t->row(u->claim, &p, u->job->threads, x, err);
    if (s)
        return s;
    row_entries(u, x, e);
    s = at_table_row_write(e, columns, u->arena, &text, err);
    return s ? s : shelf_put(rows, (uint64_t)r, text, err);
}

at_status unit_table(unit *u, at_err *err)
{
    const at_claim_table *t = u->table;
    int rows = 0;
    while (t->rows[rows] && (u->job->tier == AT_TIER_FULL || rows < t->quick_rows))
        rows++;
    u->key.model_hash = "";
    u->key.question =
        at_arena_printf(u->arena, "table %s rows=%d%s%s", t->id, rows, u->claim->digest ? " file=" : "",
                        u->claim->digest ? u->claim->digest : "");
    if (!u->key.question)
        return at_oom(err);
    at_row *old = NULL;
    at_status s = u->job->ledger ? at_ledger_find(u->job->ledger, &u->key, &old, u->arena, err) : AT_OK;
    if (s)
        return s;
    if (old) {
        u->rec = old->rec;
        return AT_OK;
    }
    shelf done = {.ledger = u->job->ledger, .key = &u->key, .arena = u->arena};
    s = shelf_load(&done, err);
    int columns = 0, n_plots = 0;
    while (t->columns[columns])
        columns++;
    while (t->plots && t->plots[n_plots])
        n_plots++;
    at_table_entry *e = at_new(u->arena, at_table_entry, (size_t)rows * (size_t)columns + 1);
    at_table_plot *plots = at_new(u->arena, at_table_plot, n_plots + 1);
    if (!s && (!e || !plots))
        s = at_oom(err);
    double start = at_now();
    for (int r = 0; r < rows && !s; r++) {
        at_progress_tick(u->job->progress, t->id, r, rows);
        s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted")
                                : table_row(u, &done, r, columns, e + (size_t)r * (size_t)columns, err);
    }
    if (s)
        return s;
    for (int k = 0; k < n_plots; k++)
        plots[k] = (at_table_plot){t->plots[k], t->theory ? t->theory[k] : NAN};
    at_finding f = {.kind = AT_FINDING_TABLE,
                    .table = {.id = t->id,
                              .title = t->title,
                              .x = t->x,
                              .by = t->by,
                              .logx = t->logx,
                              .logy = t->logy,
                              .n_columns = columns,
                              .n_rows = rows,
                              .n_plots = n_plots,
                              .columns = t->columns,
                              .entries = e,
                              .plots = plots}};
    u->rec.evidence = "table";
    u->rec.verdict = "computed";
    u->rec.arithmetic = "";
    u->rec.margin = NAN;
    u->rec.inputs = (uint64_t)rows;
    u->rec.seconds = at_now() - start;
    u->rec.isa = at_exec_isa();
    return detail_finish(u, &f, err);
}
