/* unit.c: one cell of the catalogue, from parameters to a record for the ledger. */
#include "job_internal.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_SHOWN 12 /* attention entries printed with a counterexample */

/* ---- a counterexample in words -------------------------------------------------------------------------- */

static void label_of(const at_model *m, const at_input *x, int t, at_text *out)
{
    int u = t - m->n_prefix;
    if (u >= 0 && u < x->n)
        at_input_print_row(m, x->v + (size_t)u * (size_t)at_model_row_width(m), out);
    else
        at_text_add(out, "blank");
}

/* The largest entries of one row of attention weights, in the order of positions; of equal ones the first. */
static void row_print(const at_model *m, const at_input *x, const double *w, int T, at_text *out)
{
    int best[ROW_SHOWN], n = 0; /* falling */
    for (int j = 0; j < T; j++) {
        int at = n < ROW_SHOWN ? n++ : ROW_SHOWN;
        for (; at > 0 && w[j] > w[best[at - 1]]; at--)
            if (at < ROW_SHOWN)
                best[at] = best[at - 1];
        if (at < ROW_SHOWN)
            best[at] = j;
    }
    for (int j = 0; j < T; j++) {
        bool shown = false;
        for (int k = 0; k < n; k++)
            shown = shown || best[k] == j;
        if (shown) {
            at_text_add(out, " ");
            label_of(m, x, j, out);
            at_text_addf(out, ":%.3g", w[j]);
        }
    }
    if (T > n)
        at_text_add(out, " ...");
}

at_status at_counterexample_text(const at_model *m, at_arith a, const at_counterexample *cx, at_text *out,
                                 at_err *err)
{
    at_input x = {cx->n, cx->x};
    at_text_add(out, "input      ");
    at_input_print(m, &x, out);
    at_text_addf(out, "\nposition   %d of %d: expected %.10g, got %s%.10g\n", cx->position + 1, cx->n,
                 cx->expected, cx->unknown ? "undecided " : "", cx->got);
    at_arena arena;
    at_arena_init(&arena);
    at_trace trace;
    at_output y;
    at_status s = at_run(m, a, &x, &trace, &arena, &y, err);
    for (int h = 0; !s && h < trace.n_heads; h++) {
        const at_trace_head *t = &trace.heads[h];
        int layer = 0;
        for (int b = 0; b <= t->block; b++)
            layer += m->blocks[b].kind == AT_BLOCK_ATTN;
        at_text_addf(out, "attention  layer %d head %d, row %d:", layer, t->group + t->head + 1,
                     cx->position + 1);
        row_print(m, &x, t->w + (size_t)(cx->position + m->n_prefix) * (size_t)trace.T, trace.T, out);
        at_text_add(out, "\n");
    }
    at_arena_release(&arena);
    return s ? s : out->oom ? at_oom(err) : AT_OK;
}

/* ---- detail: JSON for the ledger ---------------------------------------------------------------------------- */

static void add(json_t *o, const char *key, json_t *value)
{
    json_object_set_new(o, key, value);
}

/* JSON has no infinities: null. */
static json_t *number_json(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *size_json(const at_model *m)
{
    at_size z;
    at_model_size(m, &z);
    json_t *o = json_object();
    add(o, "layers", json_integer(z.layers));
    add(o, "heads", json_integer(z.heads));
    add(o, "width", json_integer(z.width));
    add(o, "head_dim", json_integer(z.head_dim));
    add(o, "hidden", json_integer(z.hidden));
    add(o, "parameters", json_integer((json_int_t)z.parameters));
    add(o, "nonzero", json_integer((json_int_t)z.nonzero));
    add(o, "largest_weight", json_real(z.largest));
    return o;
}

static json_t *counterexample_json(const at_model *m, const at_counterexample *cx, const char *text)
{
    at_text in;
    at_text_init(&in);
    at_input x = {cx->n, cx->x};
    at_input_print(m, &x, &in);
    json_t *o = json_object();
    add(o, "input", json_string(in.s ? in.s : ""));
    add(o, "position", json_integer(cx->position + 1));
    add(o, "expected", number_json(cx->expected));
    add(o, "got", number_json(cx->got));
    const char *row = strstr(text, "attention  ");
    add(o, "attention", json_string(row ? row + strlen("attention  ") : ""));
    at_text_release(&in);
    return o;
}

static at_status detail_finish(unit *u, json_t *o, at_err *err)
{
    char *text = o ? json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(o);
    if (!text)
        return at_oom(err);
    u->rec.detail = at_arena_strdup(u->arena, text);
    free(text);
    return u->rec.detail ? AT_OK : at_oom(err);
}

/* ---- pieces of a check ------------------------------------------------------------------------------------------ */

static bool piece_have(void *ctx, uint64_t piece, at_piece *out)
{
    const char *text = shelf_find(ctx, piece);
    return text && sscanf(text, "%" SCNu64 " %la %" SCNd64, &out->inputs, &out->margin, &out->bad) == 3;
}

static at_status piece_done(void *ctx, uint64_t piece, const at_piece *p, at_err *err)
{
    char text[96];
    snprintf(text, sizeof text, "%" PRIu64 " %a %" PRId64, p->inputs, p->margin, p->bad);
    return shelf_put(ctx, piece, text, err);
}

/* ---- cells ---------------------------------------------------------------------------------------------------------- */

static at_status verdict_record(unit *u, const at_model *m, at_arith a, const at_verdict *v, at_err *err)
{
    bool control = u->cell->control != NULL;
    u->rec.evidence = v->holds == AT_FALSE ? "refuted" : at_evidence_names[v->evidence];
    u->rec.verdict = v->holds == AT_TRUE ? "holds" : v->holds == AT_FALSE ? "fails" : "unknown";
    u->rec.inputs = v->inputs;
    u->rec.margin = v->margin;
    u->unknown = v->holds == AT_UNKNOWN;
    /* A control is rejected only by a counterexample that was run again. */
    u->good = control ? v->holds == AT_FALSE && v->has_counterexample : v->holds == AT_TRUE;
    json_t *o = json_object();
    add(o, "size", size_json(m));
    if (control)
        add(o, "control", json_string(u->cell->control));
    if (v->note)
        add(o, "note", json_string(v->note));
    if (v->has_counterexample) {
        at_text t;
        at_text_init(&t);
        at_status s = at_counterexample_text(m, a, &v->cx, &t, err);
        if (!s) {
            add(o, "counterexample", counterexample_json(m, &v->cx, t.s));
            u->counterexample = at_arena_strdup(u->arena, t.s);
        }
        at_text_release(&t);
        if (s || !u->counterexample) {
            json_decref(o);
            return s ? s : at_oom(err);
        }
    }
    return detail_finish(u, o, err);
}

at_status unit_check(unit *u, at_err *err)
{
    const at_cell *c = u->cell;
    const at_task *t;
    at_params tp;
    at_model m;
    at_question q = {.evidence = c->evidence, .how = c->how, .seed = u->job->seed};
    at_status s = at_arith_parse(c->arith, &q.arith, err);
    if (!s)
        s = at_claim_task(u->claim, &u->params, &t, &tp, err);
    if (s)
        return s;
    q.limit = c->evidence != AT_EV_SAMPLED   ? 0
              : u->job->tier == AT_TIER_FULL ? c->inputs
                                             : (c->inputs + 9) / 10;
    q.tolerance = u->claim->tolerance ? u->claim->tolerance(&u->params) : 0;
    s = at_claim_model(u->claim, &u->params, &m, err);
    if (s)
        return s;
    char *hash = at_new(u->arena, char, 65);
    s = hash ? at_model_hash(&m, hash, err) : at_oom(err);
    u->key.model_hash = hash;
    u->key.question = at_arena_printf(
        u->arena, "%s %s%s%s seed=%" PRIu64 " limit=%" PRIu64 "%s%s", at_evidence_names[c->evidence],
        c->evidence == AT_EV_EXACT ? at_enum_names[c->how] : "", c->evidence == AT_EV_EXACT ? " " : "",
        c->arith, q.seed, q.limit, c->control ? " control " : "", c->control ? c->control : "");
    at_row *old = NULL;
    if (!s && !u->key.question)
        s = at_oom(err);
    if (!s && u->job->ledger)
        s = at_ledger_find(u->job->ledger, &u->key, &old, u->arena, err);
    if (!s && old) {
        u->rec = old->rec;
        u->unknown = strcmp(old->rec.verdict, "unknown") == 0;
        u->good = strcmp(old->rec.verdict, c->control ? "fails" : "holds") == 0;
        at_model_release(&m);
        return AT_OK;
    }
    shelf pieces = {.ledger = u->job->ledger, .key = &u->key, .arena = u->arena};
    if (!s)
        s = shelf_load(&pieces, err);
    at_verdict v;
    if (!s) {
        at_check_env env = {u->job->threads, u->job->progress, piece_have, piece_done, &pieces};
        double start = at_now();
        if (c->evidence == AT_EV_CERTIFIED && !u->claim->split)
            s = at_fail(err, AT_EINPUT, "claim %s has no case split to certify", u->claim->id);
        else if (c->evidence == AT_EV_CERTIFIED)
            s = at_check_certified(&m, &u->params, u->claim->split, &env, u->arena, &v, err);
        else
            s = at_check(&m, t, &tp, &q, &env, u->arena, &v, err);
        if (s == AT_EBUDGET) { /* too large to enumerate: undecided, and the other cells may still answer */
            v = (at_verdict){.holds = AT_UNKNOWN, .evidence = c->evidence, .margin = NAN};
            v.note = at_arena_strdup(u->arena, err->text);
            *err = (at_err){0};
            s = v.note ? AT_OK : at_oom(err);
        }
        u->rec.seconds = at_now() - start;
    }
    if (!s) {
        u->rec.arithmetic = c->arith;
        u->rec.isa = c->evidence == AT_EV_CERTIFIED ? "arb" : at_exec_isa();
        s = verdict_record(u, &m, q.arith, &v, err);
    }
    at_model_release(&m);
    return s;
}

/* ---- tables ------------------------------------------------------------------------------------------------------------ */

#define MOST_COLUMNS 16

static json_t *numbers_json(const double *x, int n)
{
    json_t *a = json_array();
    for (int k = 0; k < n; k++)
        json_array_append_new(a, number_json(x[k]));
    return a;
}

/* One row: from the shelf, or computed and put there. */
static at_status table_row(unit *u, shelf *rows, int r, json_t *all, at_err *err)
{
    const at_claim_table *t = u->table;
    int columns = 0;
    while (t->columns[columns])
        columns++;
    const char *known = shelf_find(rows, (uint64_t)r);
    json_t *a = known ? json_loads(known, 0, NULL) : NULL;
    at_status s = AT_OK;
    if (a && (!json_is_array(a) || json_array_size(a) != (size_t)columns)) { /* damaged: computed again */
        json_decref(a);
        a = NULL;
    }
    if (!a) {
        double x[MOST_COLUMNS];
        at_params p = u->params;
        for (int k = 0; k < MOST_COLUMNS; k++)
            x[k] = NAN;
        s = at_params_parse(&p, t->rows[r], err);
        if (!s)
            s = t->row(u->claim, &p, u->job->threads, x, err);
        if (s)
            return s;
        a = numbers_json(x, columns);
        char *text = json_dumps(a, JSON_COMPACT | JSON_REAL_PRECISION(17));
        s = text ? shelf_put(rows, (uint64_t)r, text, err) : at_oom(err);
        free(text);
    }
    json_array_append_new(all, a);
    return s;
}

at_status unit_table(unit *u, at_err *err)
{
    const at_claim_table *t = u->table;
    int rows = 0;
    while (t->rows[rows] && (u->job->tier == AT_TIER_FULL || rows < t->quick_rows))
        rows++;
    u->key.model_hash = "";
    u->key.question = at_arena_printf(u->arena, "table %s rows=%d", t->id, rows);
    if (!u->key.question)
        return at_oom(err);
    at_row *old = NULL;
    at_status s = u->job->ledger ? at_ledger_find(u->job->ledger, &u->key, &old, u->arena, err) : AT_OK;
    if (s)
        return s;
    u->good = true;
    if (old) {
        u->rec = old->rec;
        return AT_OK;
    }
    shelf done = {.ledger = u->job->ledger, .key = &u->key, .arena = u->arena};
    s = shelf_load(&done, err);
    json_t *all = json_array(), *columns = json_array();
    for (int k = 0; t->columns[k]; k++)
        json_array_append_new(columns, json_string(t->columns[k]));
    double start = at_now();
    for (int r = 0; r < rows && !s; r++) {
        at_progress_tick(u->job->progress, t->id, r, rows);
        s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted") : table_row(u, &done, r, all, err);
    }
    json_t *table = json_object(), *o = json_object();
    add(table, "id", json_string(t->id));
    add(table, "title", json_string(t->title));
    add(table, "columns", columns);
    add(table, "rows", all);
    add(table, "x", json_string(t->x));
    add(table, "logx", json_boolean(t->logx));
    add(o, "table", table);
    u->rec.evidence = "table";
    u->rec.verdict = "computed";
    u->rec.arithmetic = "";
    u->rec.margin = NAN;
    u->rec.inputs = (uint64_t)rows;
    u->rec.seconds = at_now() - start;
    u->rec.isa = at_exec_isa();
    at_status f = detail_finish(u, o, err);
    return s ? s : f;
}
