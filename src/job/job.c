/* job.c: the catalogue, cell by cell, into the ledger. A cell that this very build has decided already is
 * served from there; an unfinished one goes on where it stopped. */
#include "job_internal.h"

#include <math.h>
#include <string.h>

static at_status unit_params(unit *u, at_err *err)
{
    at_status s =
        u->cell ? at_cell_sweep(u->claim, u->cell, u->job->tier, u->job->set, &u->sweep, err) : AT_OK;
    if (s)
        return s;
    at_text t;
    at_text_init(&t);
    if (u->cell)
        at_sweep_print(&u->sweep, &t);
    else
        at_text_add(&t, u->table->id);
    u->key.params = t.oom ? NULL : at_arena_strdup(u->arena, t.s);
    at_text_release(&t);
    return u->key.params ? AT_OK : at_oom(err);
}

/* A control that is left out, as a row that says why. */
static at_status unit_idle(unit *u, at_err *err)
{
    u->key.question = at_arena_printf(u->arena, "control %s", u->cell->control);
    u->key.model_hash = "";
    u->rec.evidence = "not asked";
    u->rec.verdict = "idle";
    u->rec.arithmetic = at_cell_arith(u->cell);
    u->rec.margin = NAN;
    at_finding f = {.kind = AT_FINDING_VERDICT, .verdict = {.control = u->cell->control, .note = u->idle}};
    at_status s = detail_finish(u, &f, err);
    return s ? s : u->key.question ? AT_OK : at_oom(err);
}

static at_status unit_run(unit *u, at_job_summary *sum, at_tally *tally, at_err *err)
{
    if (u->cell) {
        u->asked = *u->cell;
        if (u->job->arith && u->asked.evidence != AT_EV_CERTIFIED)
            u->asked.arith = u->job->arith;
        u->cell = &u->asked;
    }
    const char *role = u->table ? "table" : u->cell->control ? "control" : "claim";
    u->key.subject = u->claim->id;
    u->key.check_version = AT_CHECK_VERSION;
    u->key.build = at_build_id();
    u->rec = (at_record){.role = role, .seed = u->job->seed, .version = at_version()};
    at_status s = unit_params(u, err);
    bool asked = !u->idle;
    if (!s)
        s = u->table ? unit_table(u, err) : asked ? unit_check(u, err) : unit_idle(u, err);
    if (s)
        return s;
    bool served = u->rec.when != NULL; /* only rows of the ledger have a date yet */
    at_row row = {u->key, u->rec};
    char now[32];
    if (!served && at_ledger_now(now))
        row.rec.when = now;
    if (!served && asked && u->job->ledger)
        s = at_ledger_put(u->job->ledger, &row.key, &row.rec, err);
    if (s)
        return s;
    at_standing standing = at_row_standing(&row);
    at_tally_add(tally, &row);
    sum->cells += !u->table && asked;
    sum->served += served;
    sum->bad += standing == AT_FALLS;
    sum->unknown += standing == AT_OPEN;
    if (at_row_is_control(&row) && standing != AT_ABSENT) {
        sum->controls++;
        sum->rejected += standing == AT_STANDS;
    }
    bool good = standing == AT_STANDS || standing == AT_ABSENT;
    if (u->job->told)
        u->job->told(u->job->ctx, &(at_job_event){u->claim, &row, good, served, u->counterexample});
    return AT_OK;
}

static bool in_tier(const at_cell *c, const at_job *job)
{
    return c->tier == AT_TIER_QUICK || job->tier == AT_TIER_FULL;
}

/* Do cells i and k ask the same under --set? Then their points have become equal too. */
static bool same_question(const at_claim *c, int i, int k, const at_job *job)
{
    const at_cell *a = &c->cells[i], *b = &c->cells[k];
    at_sweep p, q;
    if (a->evidence != b->evidence || a->how != b->how || a->inputs != b->inputs ||
        !a->control != !b->control || (a->control && strcmp(a->control, b->control) != 0) ||
        ((!job->arith || a->evidence == AT_EV_CERTIFIED) && strcmp(a->arith, b->arith) != 0) ||
        at_cell_sweep(c, a, job->tier, job->set, &p, NULL) ||
        at_cell_sweep(c, b, job->tier, job->set, &q, NULL))
        return false;
    bool same = true;
    for (int j = 0; j < p.first.n; j++)
        same = same && p.first.value[j] == q.first.value[j] && p.last[j] == q.last[j];
    return same;
}

/* Does --set name the parameter that the control changes? "M=4096" under --set N=1,M=5. */
static bool is_set(const char *control, const char *set)
{
    char name[AT_NAME_MAX + 1] = "";
    size_t n = strcspn(control, "=");
    memcpy(name, control, n <= AT_NAME_MAX ? n : 0);
    return at_assignments_name(set, name);
}

/* NULL, or why --set leaves this control out. */
static const char *idle_of(const at_cell *cell, const at_job *job)
{
    if (!job->set || !cell->control)
        return NULL;
    if (at_cell_arith(cell) != cell->arith)
        return "left out: how many bits are too few is known at its own size only";
    if (is_set(cell->control, job->set))
        return "left out: it changes a parameter that --set fixes";
    return NULL;
}

/* With --set a question is asked once, however many cells it comes from. */
static bool is_asked(const at_claim *c, int k, const at_job *job)
{
    if (!in_tier(&c->cells[k], job))
        return false;
    for (int i = 0; job->set && i < k; i++)
        if (in_tier(&c->cells[i], job) && same_question(c, i, k, job))
            return false;
    return true;
}

at_status at_job_check(const at_claim *const *claims, int n, const at_job *job, at_job_summary *out,
                       at_err *err)
{
    *out = (at_job_summary){.claims = n};
    double start = at_now();
    at_status s = AT_OK;
    at_standing *standing = at_calloc((size_t)n, sizeof *standing);
    if (!standing)
        return at_oom(err);
    for (int i = 0; i < n && !s; i++) {
        const at_claim *c = claims[i];
        at_tally tally = {0};
        /* --set asks about one point: tables have points of their own */
        int n_tables = job->set ? 0 : c->n_tables;
        for (int k = 0; k < c->n_cells + n_tables && !s; k++) {
            const at_cell *cell = k < c->n_cells ? &c->cells[k] : NULL;
            if (cell && !is_asked(c, k, job))
                continue;
            at_arena a;
            at_arena_init(&a);
            unit u = {.claim = c,
                      .cell = cell,
                      .table = cell ? NULL : &c->tables[k - c->n_cells],
                      .job = job,
                      .arena = &a,
                      .idle = cell ? idle_of(cell, job) : NULL};
            s = unit_run(&u, out, &tally, err);
            at_arena_release(&a);
        }
        standing[i] = at_tally_standing(&tally);
        out->held += !s && standing[i] == AT_STANDS;
    }
    out->standing = at_standing_of_all(standing, (size_t)n);
    at_free(standing);
    out->seconds = at_now() - start;
    return s;
}
