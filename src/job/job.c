/* job.c: the catalogue, cell by cell, into the ledger. A cell that this very build has decided already is
 * served from there; an unfinished one goes on where it stopped. */
#include "job_internal.h"

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

static at_status unit_run(unit *u, at_job_summary *sum, at_err *err)
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
    if (!s)
        s = u->table ? unit_table(u, err) : unit_check(u, err);
    if (s)
        return s;
    bool served = u->rec.when != NULL; /* only rows of the ledger have a date yet */
    if (!served && u->job->ledger)
        s = at_ledger_put(u->job->ledger, &u->key, &u->rec, err);
    if (s)
        return s;
    sum->cells += !u->table;
    sum->served += served;
    sum->bad += !u->good && !u->unknown;
    sum->unknown += u->unknown;
    if (u->cell && u->cell->control) {
        sum->controls++;
        sum->rejected += u->good;
    }
    at_row row = {u->key, u->rec};
    if (u->job->told)
        u->job->told(u->job->ctx, &(at_job_event){u->claim, &row, u->good, served, u->counterexample});
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

/* With --set a question is asked once, however many cells it comes from; and a control that takes bits away is left out,
 * since how many are too few was found at the cell's own sizes. */
static bool is_asked(const at_claim *c, int k, const at_job *job)
{
    if (!in_tier(&c->cells[k], job))
        return false;
    if (job->set && at_cell_arith(&c->cells[k]) != c->cells[k].arith)
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
    for (int i = 0; i < n && !s; i++) {
        const at_claim *c = claims[i];
        int before = out->bad + out->unknown;
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
                      .arena = &a};
            s = unit_run(&u, out, err);
            at_arena_release(&a);
        }
        out->held += !s && out->bad + out->unknown == before;
    }
    out->seconds = at_now() - start;
    return s;
}
