/* finding_table.c: tables of numbers, and what refuters tried, as structs and as JSON. */
#include "finding_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ----------------------------------------------------------------------------------------------------------- */

static bool entry_read(finding_reader *r, const json_t *v, at_table_entry *out)
{
    *out = (at_table_entry){.number = NAN};
    if (json_is_string(v))
        return (out->text = finding_text(r, v)) != NULL;
    return json_is_null(v) || finding_number(v, -INFINITY, INFINITY, &out->number);
}

static bool row_read(finding_reader *r, const json_t *row, int n, at_table_entry *e)
{
    if (!json_is_array(row) || json_array_size(row) != (size_t)n)
        return false;
    for (int k = 0; k < n; k++)
        if (!entry_read(r, json_array_get(row, (size_t)k), &e[k]))
            return false;
    return true;
}

static bool columns_read(finding_reader *r, const json_t *list, at_table_detail *t)
{
    size_t n = json_array_size(list);
    const char **columns = finding_new(r, AT_TABLE_COLUMNS, sizeof *columns);
    if (!columns)
        return false;
    if (n < 1 || n > AT_TABLE_COLUMNS)
        return finding_broken(r, "columns", "are not 1..64 names");
    for (size_t k = 0; k < n; k++)
        if (!(columns[k] = finding_text(r, json_array_get(list, k))))
            return finding_broken(r, "columns", "are not 1..64 names");
    t->columns = columns;
    t->n_columns = (int)n;
    return true;
}

static bool rows_read(finding_reader *r, const json_t *list, at_table_detail *t)
{
    size_t n = json_array_size(list);
    if (!json_is_array(list))
        return finding_broken(r, "rows", "are no list");
    at_table_entry *e = finding_new(r, n * (size_t)t->n_columns, sizeof *e);
    if (!e)
        return false;
    for (size_t k = 0; k < n; k++)
        if (!row_read(r, json_array_get(list, k), t->n_columns, e + k * (size_t)t->n_columns)) {
            char wanted[96];
            snprintf(wanted, sizeof wanted, "have a row %zu that is not %d numbers, words or null", k + 1,
                     t->n_columns);
            return finding_broken(r, "rows", wanted);
        }
    t->entries = e;
    t->n_rows = (int)n;
    return true;
}

/* Missing: none. */
static bool plots_read(finding_reader *r, const json_t *list, at_table_detail *t)
{
    size_t n = json_array_size(list);
    at_table_plot *p = finding_new(r, n, sizeof *p);
    if (!p)
        return false;
    if (list && (!json_is_array(list) || n > AT_TABLE_COLUMNS))
        return finding_broken(r, "plots", "are not at most 64 columns");
    for (size_t k = 0; k < n; k++) {
        const json_t *one = json_array_get(list, k), *exponent = json_object_get(one, "exponent");
        p[k] = (at_table_plot){finding_text(r, json_object_get(one, "column")), NAN};
        if (!p[k].column ||
            (exponent && !json_is_null(exponent) && !finding_number(exponent, -1e6, 1e6, &p[k].exponent)))
            return finding_broken(r, "plots", "have one that is not a column and its exponent");
    }
    t->plots = p;
    t->n_plots = (int)n;
    return true;
}

void finding_read_table(finding_reader *r, json_t *o)
{
    at_table_detail *t = &r->f->table;
    json_t *part = json_object_get(o, "table");
    if (!json_is_object(part)) {
        finding_broken(r, "table", "is no object");
        return;
    }
    if (!columns_read(r, json_object_get(part, "columns"), t) ||
        !rows_read(r, json_object_get(part, "rows"), t) || !plots_read(r, json_object_get(part, "plots"), t))
        return;
    json_object_del(part, "columns");
    json_object_del(part, "rows");
    json_object_del(part, "plots");
    finding_take_text(r, part, "id", &t->id);
    finding_take_text(r, part, "title", &t->title);
    finding_take_text(r, part, "x", &t->x);
    finding_take_text(r, part, "by", &t->by);
    finding_take_bool(part, "logx", &t->logx);
    finding_take_bool(part, "logy", &t->logy);
    if (json_object_size(part) == 0)
        json_object_del(o, "table");
}

static json_t *row_json(const at_table_entry *e, int n)
{
    json_t *row = json_array();
    for (int k = 0; k < n; k++)
        row = finding_add(row, e[k].text ? finding_string(e[k].text) : finding_real(e[k].number));
    return row;
}

json_t *finding_table_json(const at_table_detail *t)
{
    json_t *columns = json_array(), *rows = json_array(), *plots = json_array(), *o = json_object();
    for (int k = 0; k < t->n_columns; k++)
        columns = finding_add(columns, finding_string(t->columns[k]));
    for (int k = 0; k < t->n_rows; k++)
        rows = finding_add(rows, row_json(t->entries + (size_t)k * (size_t)t->n_columns, t->n_columns));
    for (int k = 0; k < t->n_plots; k++) {
        json_t *one = finding_set_text(json_object(), "column", t->plots[k].column);
        plots = finding_add(plots, finding_set(one, "exponent", finding_real(t->plots[k].exponent)));
    }
    o = finding_set(o, "columns", columns);
    o = finding_set(o, "rows", rows);
    o = finding_set(o, "plots", plots);
    o = finding_set_text(o, "id", t->id);
    o = finding_set_text(o, "title", t->title);
    o = finding_set_text(o, "x", t->x);
    o = finding_set_text(o, "by", t->by);
    o = finding_set(o, "logx", json_boolean(t->logx));
    return finding_set(json_object(), "table", finding_set(o, "logy", json_boolean(t->logy)));
}

at_status at_table_row_write(const at_table_entry *e, int n, at_arena *a, const char **json, at_err *err)
{
    json_t *row = row_json(e, n);
    char *text = row ? json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(row);
    *json = text ? at_arena_strdup(a, text) : NULL;
    free(text);
    return *json ? AT_OK : at_oom(err);
}

bool at_table_row_read(const char *json, int n, at_arena *a, at_table_entry *e)
{
    at_finding none = {.kind = AT_FINDING_TABLE};
    finding_reader r = {.a = a, .f = &none};
    json_t *row = json_loads(json, 0, NULL);
    bool ok = row_read(&r, row, n, e);
    json_decref(row);
    return ok;
}

/* ---- refutations ------------------------------------------------------------------------------------------------------ */

static const char *const attempt_columns[] = {"refuter", "states", "multiply-adds", "what came of it"};

/* A count of a record: damaged ones are left for `more`, and are 0. */
static uint64_t count_take(json_t *o, const char *key)
{
    double x;
    if (!finding_count(json_object_get(o, key), FINDING_COUNT_MOST, &x))
        return 0;
    json_object_del(o, key);
    return (uint64_t)x;
}

/* [refuter, states, multiply-adds, words], or, as the first versions wrote it, an object that counts no multiply-adds. */
static bool attempt_read(finding_reader *r, const json_t *row, at_attempt_detail *out)
{
    bool old = json_is_object(row);
    const json_t *work = old ? NULL : json_array_get(row, 2);
    double states;
    *out = (at_attempt_detail){
        .refuter = finding_text(r, old ? json_object_get(row, "refuter") : json_array_get(row, 0)),
        .work = NAN,
        .words = finding_text(r, old ? json_object_get(row, "words") : json_array_get(row, 3))};
    if ((!old && json_array_size(row) != 4) || !out->refuter || !out->words ||
        !finding_count(old ? json_object_get(row, "states") : json_array_get(row, 1), FINDING_COUNT_MOST,
                       &states) ||
        (!old && !json_is_null(work) && !finding_number(work, 0, INFINITY, &out->work)))
        return false;
    out->states = (uint64_t)states;
    return true;
}

static void attempts_read(finding_reader *r, json_t *o)
{
    at_refutation_detail *t = &r->f->refutation;
    const json_t *rows = json_object_get(o, "attempts");
    if (json_is_object(rows))
        rows = json_object_get(rows, "rows");
    size_t n = json_array_size(rows);
    at_attempt_detail *all = finding_new(r, n, sizeof *all);
    if (!all || !json_is_array(rows))
        return;
    for (size_t k = 0; k < n; k++)
        if (!attempt_read(r, json_array_get(rows, k), &all[k]))
            return;
    t->attempts = all;
    t->n_attempts = (int)n;
    json_object_del(o, "attempts");
}

/* All of what was found, or nothing: a method, one or two inputs. */
static void found_read(finding_reader *r, json_t *o)
{
    at_refutation_detail *t = &r->f->refutation;
    const json_t *pair = json_object_get(o, "pair");
    size_t n = json_array_size(pair);
    if (!json_is_string(json_object_get(o, "method")) || n < 1 || n > 2)
        return;
    for (size_t k = 0; k < n; k++)
        if (!json_is_string(json_array_get(pair, k)))
            return;
    for (size_t k = 0; k < n; k++)
        t->pair[k] = finding_text(r, json_array_get(pair, k));
    t->n_pair = (int)n;
    json_object_del(o, "pair");
    finding_take_text(r, o, "method", &t->method);
    finding_take_text(r, o, "wrong", &t->wrong);
}

void finding_read_refutation(finding_reader *r, json_t *o)
{
    at_refutation_detail *t = &r->f->refutation;
    t->runs = count_take(o, "runs");
    t->states = count_take(o, "states");
    t->random_inputs = count_take(o, "random_inputs");
    finding_take_bool(o, "random_pair", &t->random_pair);
    finding_take_bool(o, "random_wrong", &t->random_wrong);
    attempts_read(r, o);
    found_read(r, o);
}

json_t *finding_refutation_json(const at_refutation_detail *t)
{
    json_t *o = json_object(), *columns = json_array(), *rows = json_array(), *pair = json_array();
    o = finding_set(o, "runs", finding_whole((double)t->runs));
    o = finding_set(o, "states", finding_whole((double)t->states));
    o = finding_set(o, "random_inputs", finding_whole((double)t->random_inputs));
    o = finding_set(o, "random_pair", json_boolean(t->random_pair));
    o = finding_set(o, "random_wrong", json_boolean(t->random_wrong));
    for (size_t k = 0; k < sizeof attempt_columns / sizeof *attempt_columns; k++)
        columns = finding_add(columns, json_string(attempt_columns[k]));
    for (int k = 0; k < t->n_attempts; k++) {
        const at_attempt_detail *x = &t->attempts[k];
        json_t *row = finding_add(json_array(), finding_string(x->refuter));
        row = finding_add(row, finding_whole((double)x->states));
        row = finding_add(row, finding_real(x->work));
        rows = finding_add(rows, finding_add(row, finding_string(x->words)));
    }
    json_t *tried = finding_set(json_object(), "columns", columns);
    o = finding_set(o, "attempts", finding_set(tried, "rows", rows));
    for (int k = 0; k < t->n_pair; k++)
        pair = finding_add(pair, finding_string(t->pair[k]));
    if (!t->method) {
        json_decref(pair);
        return o;
    }
    o = finding_set_text(o, "method", t->method);
    o = finding_set_text(o, "wrong", t->wrong);
    return finding_set(o, "pair", pair);
}
