/* grid_problem.c: cells of a sweep over a problem that is in no preset: the user's own file, or a name with parameters.
 *
 * The problem is read once a size, before anything is trained, and its rows are shared by the cells: a file that changes while a
 * sweep runs changes nothing. What the ledger keeps has the hash of the file in its key (at_problem_stamp). */
#include <attest/front.h>

#include "job_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The parameter that is the size: one that is a range, else the usual names, else the first. NULL: there is none. */
static at_status axis_find(const at_sweep *w, const char **axis, double *lo, double *hi, at_err *err)
{
    static const char *const usual[] = {"n", "N", "operators"};
    int ranges = 0;
    *axis = NULL;
    for (int i = 0; i < w->first.n; i++) {
        if (w->first.value[i] == w->last[i])
            continue;
        ranges++;
        *axis = w->first.schema[i].name;
        *lo = w->first.value[i];
        *hi = w->last[i];
    }
    if (ranges > 1)
        return at_fail(err, AT_EINPUT, "--set: one parameter may be a range, it is the size of the sweep");
    if (ranges)
        return AT_OK;
    *lo = *hi = 0;
    for (size_t k = 0; k < sizeof usual / sizeof *usual && !*axis; k++)
        for (int i = 0; i < w->first.n && !*axis; i++)
            *axis = strcmp(usual[k], w->first.schema[i].name) ? NULL : usual[k];
    if (!*axis && w->first.n)
        *axis = w->first.schema[0].name;
    return AT_OK;
}

/* Can it be trained and examined at all? Not found out hours later. */
static at_status source_try(const at_source *d, const char *name, at_err *err)
{
    if (!d->verbs->complete && !at_source_is_drawn(d))
        return at_fail(err, AT_EREFUSED,
                       "rows of %.60s have neither one right completion nor known probabilities", name);
    at_sequence s = {.token = at_calloc((size_t)at_source_longest(d), sizeof(int))};
    at_status bad = s.token ? AT_OK : at_oom(err);
    for (int part = 0; part < AT_PARTS && !bad; part++)
        bad = at_source_sample(d, 1, (at_part)part, 0, &s, err);
    at_free(s.token);
    return bad;
}

static at_status source_open(const char *name, const char *set, const char *stamp, at_source **out,
                             at_err *err)
{
    at_problem *p;
    at_status s = at_problem_open(name, &p, err);
    if (s)
        return s;
    if (strcmp(at_problem_stamp(p), stamp)) {
        at_problem_free(p);
        return at_fail(err, AT_EIO, "%.200s: it was changed while it was read", name);
    }
    s = at_problem_source(p, set, out, err);
    if (s)
        return s;
    s = source_try(*out, name, err);
    if (s)
        at_source_free(*out);
    return s;
}

/* What all sizes have: a task with the problem's name in the ledger. */
static at_status task_make(const char *name, const char **stamp, const char *set, at_arena *arena,
                           at_grid_task *t, const char **mine, double *lo, double *hi, at_err *err)
{
    at_problem *p;
    at_status s = at_problem_open(name, &p, err);
    if (s)
        return s;
    at_view v = p->stream ? AT_VIEW_ROWS : AT_VIEW_POSITIONS;
    const at_param *schema;
    at_sweep w;
    at_text text;
    at_text_init(&text);
    int rows = at_problem_schema(p, v, &schema);
    at_sweep_init(&w, schema, rows);
    w.first.of = p;
    if (!p->stream && !p->task)
        s = at_fail(err, AT_EREFUSED, "%s has no rows to learn", p->id);
    if (!s)
        s = at_problem_assignments(p, v, set, &text, err);
    if (!s)
        s = at_sweep_parse(&w, text.s, err);
    if (!s)
        s = axis_find(&w, &t->size, lo, hi, err);
    if (!s) {
        *mine = at_arena_strdup(arena, text.s);
        text.n = 0;
        *stamp = at_arena_strdup(arena, at_problem_stamp(p));
        at_problem_subject(p, &text);
        t->stream = text.oom ? NULL : at_arena_strdup(arena, text.s);
        t->size = at_arena_strdup(arena, t->size ? t->size : "length");
        if (!*mine || !*stamp || !t->stream || !t->size)
            s = at_oom(err);
    }
    at_text_release(&text);
    at_problem_free(p);
    return s;
}

at_status grid_problem(const at_grid *g, const char *name, at_arena *arena, grid_point *add, void *ctx,
                       at_err *err)
{
    at_grid_task *t = at_new(arena, at_grid_task, 1);
    const char *mine = NULL, *stamp = NULL;
    double lo = 0, hi = 0;
    struct stat info;
    if (!t)
        return at_oom(err);
    if (strpbrk(name, "./") && !stat(name, &info) && !S_ISREG(info.st_mode))
        return at_fail(err, AT_EREFUSED, "%.200s: a regular file is needed here: it is read more than once",
                       name);
    t->widths = g->preset->tasks[0].widths;
    at_text set;
    at_text_init(&set);
    at_preset_set(g->preset, name, g->set, &set);
    at_status s = set.oom ? at_oom(err) : task_make(name, &stamp, set.s, arena, t, &mine, &lo, &hi, err);
    at_text_release(&set);
    if (!s && hi - lo >= 64)
        s = at_fail(err, AT_EINPUT, "--set: %s=%g..%g are too many sizes; at most 64", t->size, lo, hi);
    for (double v = lo; v <= hi && !s; v++) {
        at_text text;
        at_source *d;
        at_text_init(&text);
        if (hi > lo)
            at_assignments_put(mine, t->size, strlen(t->size), v, &text);
        else
            at_text_add(&text, mine);
        s = text.oom ? at_oom(err) : source_open(name, text.s, stamp, &d, err);
        at_text_release(&text);
        if (!s)
            s = add(ctx, t, d, stamp, err); /* d is the cells' now, also when this fails */
    }
    return s;
}

/* ---- all cells ---------------------------------------------------------------------------------------------- */

void at_grid_release(at_grid_cell *cells, int n)
{
    for (int i = 0; i < n; i++)
        if (cells[i].source && (!i || cells[i].source != cells[i - 1].source))
            at_source_free(cells[i].source);
}

uint64_t at_grid_stamp(const at_grid_cell *cells, int n)
{
    uint64_t h = 0;
    for (int i = 0; i < n; i++) {
        char begin[17] = "0";
        if (cells[i].stamp)
            memcpy(begin, cells[i].stamp, 16);
        h = h * 31 + strtoull(begin, NULL, 16);
    }
    return h;
}
