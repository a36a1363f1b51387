/* study.c: the trained rows of a ledger, sorted into presets, tasks and cells, with medians over the seeds.
 *
 * A run counts once: when the same question (subject, parameters, question) was answered by several builds, this
 * build's row counts, else the latest; the others stay in the list as superseded.
 *
 * Everything is sorted once and then cut into runs of equal keys, so that 5000 rows take n log n steps and no
 * dense grid of sizes x widths is ever allocated: a foreign ledger may name 5000 of each.
 *
 * Least width: walk the widths that were tried for the task upwards, beside the cells of one attention and size. The
 * first width without a cell is where the least width might already lie (lo); the first cell whose median
 * reaches 90% is where it lies at most (hi). */
#include "report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int text_order(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* The tasks of the paper in its order, then others by name. */
static int task_rank(const char *id)
{
    static const char *const known[] = {"lis", "ed", "ed-local", "arithmetic"};
    for (int k = 0; k < 4; k++)
        if (!strcmp(id, known[k]))
            return k;
    return 4;
}

int at_study_of_paper(const at_study_group *g)
{
    int n = 0;
    for (int k = 0; k < g->n_tasks; k++)
        n += task_rank(g->tasks[k].id) < 4;
    return n;
}

static int task_order(const at_trained *a, const at_trained *b)
{
    int c = a->broken || b->broken ? 0 : text_order(a->d.preset, b->d.preset);
    c = c ? c : ORDER(task_rank(a->task), task_rank(b->task));
    return c ? c : text_order(a->task, b->task);
}

static int cell_order(const at_trained *a, const at_trained *b)
{
    int c = ORDER(a->attention, b->attention);
    c = c ? c : ORDER(a->d.size, b->d.size);
    return c ? c : ORDER(a->d.width, b->d.width);
}

/* A total order, so that the result does not depend on qsort: what is equal in everything is the same. */
static int key_order(const at_trained *a, const at_trained *b)
{
    const at_cell_key *k = &a->row->key, *l = &b->row->key;
    int c = ORDER(a->row->rec.seed, b->row->rec.seed);
    c = c ? c : text_order(k->params, l->params);
    c = c ? c : text_order(k->question, l->question);
    c = c ? c : ORDER(a->other_build, b->other_build);
    c = c ? c : -text_order(a->row->rec.when, b->row->rec.when); /* the latest first */
    c = c ? c : text_order(k->build, l->build);
    return c ? c : text_order(k->model_hash, l->model_hash);
}

static int run_order(const void *x, const void *y)
{
    const at_trained *a = x, *b = y;
    if (!a->broken != !b->broken)
        return a->broken ? 1 : -1;
    int c = task_order(a, b);
    c = c || a->broken ? c : cell_order(a, b);
    return c ? c : key_order(a, b);
}

static int question_order(const void *x, const void *y)
{
    const at_trained *a = *(at_trained *const *)x, *b = *(at_trained *const *)y;
    int c = text_order(a->task, b->task);
    c = c ? c : text_order(a->row->key.params, b->row->key.params);
    c = c ? c : text_order(a->row->key.question, b->row->key.question);
    return c ? c : key_order(a, b);
}

static bool same_question(const at_trained *a, const at_trained *b)
{
    return !text_order(a->task, b->task) && !text_order(a->row->key.params, b->row->key.params) &&
           !text_order(a->row->key.question, b->row->key.question) && a->row->rec.seed == b->row->rec.seed;
}

/* refs: scratch of n_runs */
static void superseded_mark(at_study *st, at_trained **refs)
{
    size_t n = 0;
    for (size_t i = 0; i < st->n_runs; i++)
        if (!st->runs[i].broken)
            refs[n++] = &st->runs[i];
    qsort(refs, n, sizeof *refs, question_order);
    for (size_t i = 1; i < n; i++)
        if (same_question(refs[i - 1], refs[i])) {
            refs[i]->superseded = true;
            st->n_superseded++;
        }
}

/* ---- cells ---------------------------------------------------------------------------------------- */

static int double_order(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return ORDER(a, b);
}

double at_study_median(double *v, int n)
{
    if (n < 1)
        return NAN;
    qsort(v, (size_t)n, sizeof *v, double_order);
    return n % 2 ? v[n / 2] : v[n / 2 - 1] / 2 + v[n / 2] / 2;
}

/* The same where NaN means none: a seed that never got there stands at infinity. NaN unless most have one. */
static double known_median(double *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = isnan(v[i]) ? INFINITY : v[i];
    double m = at_study_median(v, n);
    return isinf(m) ? NAN : m;
}

/* The recipes of two questions, "train ... seed=1": seeds apart, are they different? */
static bool recipes_differ(const char *a, const char *b)
{
    static const char seed[] = " seed=";
    const char *x = a ? strstr(a, seed) : NULL, *y = b ? strstr(b, seed) : NULL;
    if (!x || !y)
        return false;
    if (x - a != y - b || memcmp(a, b, (size_t)(x - a)))
        return true;
    x += strlen(seed);
    y += strlen(seed);
    return strcmp(x + strspn(x, "0123456789"), y + strspn(y, "0123456789")) != 0;
}

/* The steps that were done say nothing: a seed that has learnt enough ends sooner. */
static bool differ(const at_trained *a, const at_trained *b)
{
    return recipes_differ(a->row->key.question, b->row->key.question) || a->d.batch != b->d.batch ||
           a->d.layers != b->d.layers || a->d.heads != b->d.heads || a->d.rate != b->d.rate ||
           text_order(a->row->key.params, b->row->key.params);
}

/* v: scratch of n numbers */
static at_study_cell cell_make(at_trained *const *runs, int n, double *v)
{
    const at_trained *first = runs[0];
    at_study_cell e = {.attention = first->attention, .size = first->d.size, .width = first->d.width};
    e.n = n;
    e.runs = runs;
    e.mark = first->mark;
    e.least = INFINITY;
    for (int i = 0; i < n; i++) {
        v[i] = runs[i]->d.answer;
        e.least = v[i] < e.least ? v[i] : e.least;
        e.most = v[i] > e.most ? v[i] : e.most;
        e.mark = runs[i]->mark == first->mark ? e.mark : AT_THEORY_SILENT;
        e.mixed = e.mixed || differ(runs[i], first);
    }
    e.median = at_study_median(v, n);
    for (int i = 0; i < n; i++)
        v[i] = runs[i]->d.chain;
    e.chain = at_study_median(v, n);
    for (int i = 0; i < n; i++)
        v[i] = runs[i]->d.gflops_chain;
    e.gflops_chain = known_median(v, n);
    for (int i = 0; i < n; i++)
        v[i] = runs[i]->d.gflops_to_90;
    e.gflops_to_90 = known_median(v, n);
    return e;
}

static int i64_order(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return ORDER(a, b);
}

/* Sorts, and drops what is there twice. */
static int distinct(int64_t *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, i64_order);
    int k = 0;
    for (int i = 0; i < n; i++)
        if (!k || v[k - 1] != v[i])
            v[k++] = v[i];
    return k;
}

static void least_fill(const at_study_task *t, at_study_least *least)
{
    for (int k = 0; k < AT_TRAINED_ATTENTIONS * t->n_sizes; k++)
        least[k] = (at_study_least){(double)t->widths[0], INFINITY, false, false, NAN};
    for (int i = 0; i < t->n_cells;) {
        const at_study_cell *e = &t->cells[i];
        const int64_t *size = bsearch(&e->size, t->sizes, (size_t)t->n_sizes, sizeof *size, i64_order);
        at_study_least *l = &least[(int)e->attention * t->n_sizes + (size - t->sizes)];
        bool gap = false; /* a width below was not run */
        int w = 0;
        l->run = true;
        for (; i < t->n_cells && t->cells[i].attention == e->attention && t->cells[i].size == e->size; i++) {
            if (t->cells[i].median >= AT_STUDY_REACHED &&
                !(l->gflops <= t->cells[i].gflops_chain)) /* NaN: none so far */
                l->gflops = t->cells[i].gflops_chain;
            if (isfinite(l->hi))
                continue;
            for (; t->widths[w] != t->cells[i].width; w++)
                if (!gap) {
                    gap = true;
                    l->lo = (double)t->widths[w];
                }
            w++;
            if (t->cells[i].median >= AT_STUDY_REACHED) {
                l->hi = (double)t->cells[i].width;
                l->lo = gap ? l->lo : l->hi;
            }
        }
        if (isfinite(l->hi) || gap)
            continue;
        l->above = w == t->n_widths;
        l->lo = (double)t->widths[l->above ? w - 1 : w];
    }
}

const at_study_cell *at_study_find(const at_study_task *t, at_attention_kind attention, int64_t size,
                                   int64_t width)
{
    at_trained key = {.attention = attention, .d.size = size, .d.width = width};
    int lo = 0, hi = t->n_cells;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        at_trained at = {.attention = t->cells[mid].attention};
        at.d.size = t->cells[mid].size;
        at.d.width = t->cells[mid].width;
        int c = cell_order(&at, &key);
        if (!c)
            return &t->cells[mid];
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

/* The runs (n, sorted by cell) of one preset and task. */
static bool task_make(at_trained *const *runs, int n, at_arena *a, at_study_task *out)
{
    double *scratch = at_new(a, double, n);
    int64_t *sizes = at_new(a, int64_t, n), *widths = at_new(a, int64_t, n), *lengths = at_new(a, int64_t, n);
    at_study_cell *cells = at_new(a, at_study_cell, n);
    if (!scratch || !sizes || !widths || !lengths || !cells)
        return false;
    *out = (at_study_task){.id = runs[0]->task, .size_name = runs[0]->d.size_name};
    for (int i = 0; i < n; i++) {
        sizes[i] = runs[i]->d.size;
        widths[i] = runs[i]->d.width;
    }
    out->n_sizes = distinct(sizes, n);
    out->n_widths = distinct(widths, n);
    for (int i = 0; i < n; i++) {
        const int64_t *at = bsearch(&runs[i]->d.size, sizes, (size_t)out->n_sizes, sizeof *sizes, i64_order);
        int64_t *l = &lengths[at - sizes];
        *l = runs[i]->d.length > *l ? runs[i]->d.length : *l;
    }
    for (int i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && !cell_order(runs[i], runs[k]); k++)
            ;
        cells[out->n_cells++] = cell_make(runs + i, k - i, scratch);
    }
    out->sizes = sizes;
    out->widths = widths;
    out->lengths = lengths;
    out->cells = cells;
    at_study_least *least = at_new(a, at_study_least, AT_TRAINED_ATTENTIONS * out->n_sizes);
    if (!least)
        return false;
    least_fill(out, least);
    out->least = least;
    return true;
}

static bool groups_make(at_study *st, at_trained **counted, int n, at_arena *a)
{
    at_study_group *groups = at_new(a, at_study_group, n + 1);
    at_study_task *tasks = at_new(a, at_study_task, n + 1);
    if (!groups || !tasks)
        return false;
    int n_tasks = 0;
    at_study_group *g = NULL;
    for (int i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && !task_order(counted[i], counted[k]); k++)
            ;
        if (!g || text_order(g->preset, counted[i]->d.preset)) {
            g = &groups[st->n_groups++];
            *g = (at_study_group){counted[i]->d.preset, 0, tasks + n_tasks};
        }
        if (!task_make(counted + i, k - i, a, &tasks[n_tasks++]))
            return false;
        g->n_tasks++;
    }
    st->groups = groups;
    return true;
}

at_status at_study_make(const at_row *rows, size_t n, const char *build, at_arena *a, at_study *out,
                        at_err *err)
{
    at_study st = {0};
    size_t most = 0;
    for (size_t i = 0; i < n; i++)
        most += at_row_is_trained(&rows[i]);
    if (most > AT_STUDY_MAX_RUNS)
        return at_fail(err, AT_EDOMAIN, "%zu trained rows: at most %d are studied at once", most,
                       AT_STUDY_MAX_RUNS);
    st.runs = at_new(a, at_trained, most + 1);
    at_trained **refs = at_new(a, at_trained *, most + 1);
    if (!st.runs || !refs)
        return at_oom(err);
    for (size_t i = 0; i < n; i++) {
        if (!at_row_is_trained(&rows[i]))
            continue;
        at_trained *t = &st.runs[st.n_runs++];
        if (!at_trained_read(&rows[i], build, a, t))
            return at_oom(err);
        st.n_broken += t->broken != NULL;
        st.n_other += t->other_build;
    }
    qsort(st.runs, st.n_runs, sizeof *st.runs, run_order);
    superseded_mark(&st, refs);
    int counted = 0;
    for (size_t i = 0; i < st.n_runs; i++)
        if (!st.runs[i].broken && !st.runs[i].superseded)
            refs[counted++] = &st.runs[i];
    if (!groups_make(&st, refs, counted, a))
        return at_oom(err);
    *out = st;
    return AT_OK;
}
