/* study_order.c: what the paper says of the order of its models, held against our cells.
 *
 * A least width is known only to lie in an interval (study.c), so that a comparison has three outcomes, and so has a
 * statement made of comparisons:
 *     disagrees    at least one comparison goes against it
 *     agrees       there are comparisons, and all of them go its way
 *     cannot tell  everything else: ties where the paper says "less", cells that were not run, widths above the
 *                  largest on both sides, tasks that were not trained
 * Widths are compared as numbers of the grid: between two widths of the grid nothing is said. Tasks that the paper does not
 * have (a user's files) are left out. */
#include "report_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *at_study_least_text(char out[48], const at_study_least *l)
{
    if (!l->run)
        snprintf(out, 48, "not run");
    else if (l->above)
        snprintf(out, 48, "> %.0f", l->lo);
    else if (l->lo == l->hi)
        snprintf(out, 48, "%.0f", l->lo);
    else if (isfinite(l->hi))
        snprintf(out, 48, "\xE2\x89\xA4 %.0f", l->hi);
    else
        snprintf(out, 48, "\xE2\x89\xA5 %.0f", l->lo);
    return out;
}

static bool less(const at_study_least *a, const at_study_least *b) /* for sure */
{
    return a->run && b->run && (a->hi < b->lo || (b->above && a->hi <= b->lo));
}

static bool at_most(const at_study_least *a, const at_study_least *b) /* for sure */
{
    return a->run && b->run && a->hi <= b->lo;
}

/* ---- a tally of comparisons ------------------------------------------------------------------------- */

enum { FOR, AGAINST, OPEN, EXAMPLES_MOST = 6 };
typedef struct {
    int n[3];
    at_text words[3]; /* the first few of each */
} tally;

static void tally_begin(tally *t)
{
    *t = (tally){0};
    for (int k = 0; k < 3; k++)
        at_text_init(&t->words[k]);
}

/* Counts one comparison; NULL when it is one too many to be told. */
static at_text *tally_add(tally *t, int outcome)
{
    at_text *w = &t->words[outcome];
    if (t->n[outcome]++ >= EXAMPLES_MOST)
        return NULL;
    at_text_add(w, w->n ? "; " : "");
    return w;
}

static bool tally_end(tally *t, const char *statement, const char *none, at_arena *a, at_study_order *out)
{
    int all = t->n[FOR] + t->n[AGAINST] + t->n[OPEN];
    int told = t->n[AGAINST] ? AGAINST : t->n[OPEN] ? OPEN : FOR;
    static const char *const lead[] = {"", "Against it: ", "Open: "};
    bool oom = t->words[FOR].oom || t->words[AGAINST].oom || t->words[OPEN].oom;
    at_text w;
    at_text_init(&w);
    if (!all)
        at_text_add(&w, none);
    else
        at_text_addf(&w, "%d for it, %d against it, %d open. %s%s", t->n[FOR], t->n[AGAINST], t->n[OPEN],
                     lead[told], t->words[told].s ? t->words[told].s : "");
    if (t->n[told] > EXAMPLES_MOST)
        at_text_addf(&w, "; and %d more", t->n[told] - EXAMPLES_MOST);
    out->statement = statement;
    out->verdict = t->n[AGAINST] ? AT_FALSE : t->n[FOR] && !t->n[OPEN] ? AT_TRUE : AT_UNKNOWN;
    out->why = oom || w.oom ? NULL : at_arena_strdup(a, w.s);
    at_text_release(&w);
    for (int k = 0; k < 3; k++)
        at_text_release(&t->words[k]);
    return out->why != NULL;
}

/* ---- statements ----------------------------------------------------------------------------------------- */

static const at_study_task *task_find(const at_study_group *g, const char *id)
{
    for (int k = 0; k < g->n_tasks; k++)
        if (!strcmp(g->tasks[k].id, id))
            return &g->tasks[k];
    return NULL;
}

static const at_study_least *least_of(const at_study_task *t, int attention, int size)
{
    return &t->least[attention * t->n_sizes + size];
}

static void place_add(at_text *w, const at_study_task *t, int size)
{
    if (w)
        at_text_addf(w, "%s %s=%lld: ", t->id, t->size_name, (long long)t->sizes[size]);
}

static void width_add(at_text *w, const char *name, const at_study_least *l)
{
    char width[48];
    if (w)
        at_text_addf(w, "%s%s%s", name, *name ? " " : "", at_study_least_text(width, l));
}

static const char *const paper_tasks[] = {"lis", "ed", "ed-local", "arithmetic"};
enum { PAPER_TASKS = 4 };
/* Those of its first figure, which says what grows and by how much. */
static const char *const figure_tasks[] = {"lis", "ed", "arithmetic"};
enum { LIS, ED, ARITHMETIC, FIGURE_TASKS };

static bool standard_least(const at_study_group *g, at_arena *a, at_study_order *out)
{
    tally t;
    tally_begin(&t);
    for (int k = 0; k < PAPER_TASKS; k++) {
        const at_study_task *task = task_find(g, paper_tasks[k]);
        for (int s = 0; task && s < task->n_sizes; s++)
            for (int m = AT_ATTENTION_SPARSE; m <= AT_ATTENTION_LINEAR; m++) {
                const at_study_least *x = least_of(task, AT_ATTENTION_STANDARD, s), *y = least_of(task, m, s);
                at_text *w = tally_add(&t, less(x, y) ? FOR : less(y, x) ? AGAINST : OPEN);
                place_add(w, task, s);
                width_add(w, "standard", x);
                if (w)
                    at_text_add(w, ", ");
                width_add(w, at_attention_names[m], y);
            }
    }
    bool any = t.n[FOR] + t.n[AGAINST] + t.n[OPEN] > 0;
    for (int k = 0; any && k < PAPER_TASKS; k++) { /* "every task" is said of all of them */
        at_text *w = task_find(g, paper_tasks[k]) ? NULL : tally_add(&t, OPEN);
        if (w)
            at_text_addf(w, "%s not trained", paper_tasks[k]);
    }
    return tally_end(&t, "Standard attention needs the least width, at every task and size.",
                     "None of the paper's tasks was trained.", a, out);
}

static bool standard_flat(const at_study_group *g, at_arena *a, at_study_order *out)
{
    tally t;
    tally_begin(&t);
    for (int k = 0; k < PAPER_TASKS; k++) {
        const at_study_task *task = task_find(g, paper_tasks[k]);
        for (int s = 1; task && s < task->n_sizes; s++) {
            const at_study_least *x = least_of(task, AT_ATTENTION_STANDARD, s - 1),
                                 *y = least_of(task, AT_ATTENTION_STANDARD, s);
            at_text *w = tally_add(&t, at_most(y, x) ? FOR : less(x, y) ? AGAINST : OPEN);
            if (w)
                at_text_addf(w, "%s %s=%lld to %lld: ", task->id, task->size_name,
                             (long long)task->sizes[s - 1], (long long)task->sizes[s]);
            width_add(w, "", x);
            if (w)
                at_text_add(w, ", then ");
            width_add(w, "", y);
        }
    }
    return tally_end(&t, "The least width of standard attention does not grow with the size.",
                     "No task of the paper was trained at two sizes.", a, out);
}

/* The least widths of one attention over the sizes; of many sizes the first and the last. */
static void widths_add(at_text *w, const at_study_task *t, int attention)
{
    char width[48];
    for (int s = 0; s < t->n_sizes; s++) {
        if (t->n_sizes > 6 && s > 0 && s < t->n_sizes - 1) {
            at_text_add(w, s == 1 ? ", .." : "");
            continue;
        }
        at_text_addf(w, "%s%s", s ? ", " : "", at_study_least_text(width, least_of(t, attention, s)));
    }
}

/* Is the smallest width that was tried enough, at every size, for this attention and for standard? Then the grid does not say what
 * grows below it. */
static bool at_floor(const at_study_task *t, int m)
{
    for (int s = 0; s < t->n_sizes; s++) {
        const at_study_least *x = least_of(t, m, s), *y = least_of(t, AT_ATTENTION_STANDARD, s);
        if (!x->run || !y->run || x->hi > (double)t->widths[0] || y->hi > (double)t->widths[0])
            return false;
    }
    return true;
}

static bool efficient_grows(const at_study_group *g, int m, const char *statement, at_arena *a,
                            at_study_order *out)
{
    tally t;
    tally_begin(&t);
    for (int k = 0; k < FIGURE_TASKS; k++) {
        const at_study_task *task = task_find(g, figure_tasks[k]);
        if (!task || at_floor(task, m))
            continue;
        const at_study_least *first = least_of(task, m, 0), *last = least_of(task, m, task->n_sizes - 1);
        bool grows = less(first, last), flat = task->n_sizes == 1 || at_most(last, first);
        bool larger = false, smaller = false, never = true;
        for (int s = 0; s < task->n_sizes; s++) {
            const at_study_least *x = least_of(task, m, s), *y = least_of(task, AT_ATTENTION_STANDARD, s);
            larger = larger || less(y, x);
            smaller = smaller || less(x, y);
            never = never && at_most(x, y);
        }
        bool agrees = grows || (larger && !smaller), against = flat && never && smaller;
        at_text *w = tally_add(&t, agrees ? FOR : against ? AGAINST : OPEN);
        if (!w)
            continue;
        at_text_addf(w, "%s by rising %s: %s ", task->id, task->size_name, at_attention_names[m]);
        widths_add(w, task, m);
        at_text_add(w, " (standard ");
        widths_add(w, task, AT_ATTENTION_STANDARD);
        at_text_add(w, ")");
    }
    return tally_end(&t, statement,
                     "No task was trained in which the smallest width is not enough at every size.", a, out);
}

/* The width of an attention as a multiple of standard's, as an interval. */
typedef struct {
    double lo, hi;
    bool above; /* more than lo */
} ratio;

static ratio ratio_of(const at_study_least *x, const at_study_least *standard)
{
    if (!x->run || !standard->run)
        return (ratio){0, INFINITY, false};
    return (ratio){x->lo / standard->hi, x->hi / standard->lo, x->above};
}

static bool more(ratio x, ratio y) /* for sure */
{
    return x.lo > y.hi || (x.above && x.lo >= y.hi);
}

/* Which of the three tasks of the paper's first figure has the most excess (LIS), or the least (arithmetic)? */
static bool excess_order(const at_study_group *g, int which, const char *statement, at_arena *a,
                         at_study_order *out)
{
    tally t;
    tally_begin(&t);
    for (int m = AT_ATTENTION_SPARSE; m <= AT_ATTENTION_LINEAR; m++) {
        ratio r[FIGURE_TASKS];
        const at_study_task *task[FIGURE_TASKS];
        bool agrees = true, against = false;
        for (int k = 0; k < FIGURE_TASKS; k++) {
            task[k] = task_find(g, figure_tasks[k]);
            int s = task[k] ? task[k]->n_sizes - 1 : 0;
            r[k] = task[k] ? ratio_of(least_of(task[k], m, s), least_of(task[k], AT_ATTENTION_STANDARD, s))
                           : (ratio){0, INFINITY, false};
        }
        for (int k = 0; k < FIGURE_TASKS; k++) {
            ratio x = which == LIS ? r[which] : r[k], y = which == LIS ? r[k] : r[which];
            agrees = agrees && (k == which || more(x, y));
            against = against || (k != which && more(y, x));
        }
        at_text *w = tally_add(&t, agrees ? FOR : against ? AGAINST : OPEN);
        if (w)
            at_text_addf(w, "%s to standard", at_attention_names[m]);
        for (int k = 0; w && k < FIGURE_TASKS; k++) {
            at_text_add(w, k ? ", " : " ");
            if (!task[k]) {
                at_text_addf(w, "%s not trained", figure_tasks[k]);
                continue;
            }
            int s = task[k]->n_sizes - 1;
            at_text_addf(w, "%s (%s=%lld) ", figure_tasks[k], task[k]->size_name,
                         (long long)task[k]->sizes[s]);
            width_add(w, "", least_of(task[k], m, s));
            width_add(w, " to", least_of(task[k], AT_ATTENTION_STANDARD, s));
        }
    }
    return tally_end(&t, statement, "", a, out);
}

static bool local_easier(const at_study_group *g, at_arena *a, at_study_order *out)
{
    const at_study_task *ed = task_find(g, "ed"), *local = task_find(g, "ed-local");
    tally t;
    tally_begin(&t);
    static const at_study_least none = {0, INFINITY, false, false, NAN};
    for (int m = AT_ATTENTION_SPARSE; ed && local && m <= AT_ATTENTION_LINEAR; m++)
        for (int i = 0, j = 0; i < ed->n_sizes || j < local->n_sizes;) { /* sizes of both, merged */
            bool e = i < ed->n_sizes && (j == local->n_sizes || ed->sizes[i] <= local->sizes[j]);
            bool l = j < local->n_sizes && (i == ed->n_sizes || local->sizes[j] <= ed->sizes[i]);
            const at_study_least *x = e ? least_of(ed, m, i) : &none, *y = l ? least_of(local, m, j) : &none;
            at_text *w = tally_add(&t, at_most(y, x) ? FOR : less(x, y) ? AGAINST : OPEN);
            if (w)
                at_text_addf(w, "%s %s=%lld: ", at_attention_names[m], ed->size_name,
                             (long long)(e ? ed->sizes[i] : local->sizes[j]));
            width_add(w, "ed", x);
            if (w)
                at_text_add(w, ", ");
            width_add(w, "ed-local", y);
            i += e;
            j += l;
        }
    return tally_end(&t, "ED-local needs no more width than ED, with sparse and with linear attention.",
                     "ED and ED-local were not both trained.", a, out);
}

/* What a statement speaks of: tasks and attentions, a bit each. */
typedef struct {
    unsigned tasks, attentions;
    bool largest; /* of their largest sizes alone */
    bool all;     /* not decided without all of these tasks */
} subject;

/* Tasks by their places in paper_tasks. */
#define BIT(k) (1u << (k))
enum {
    IN_FIGURE = BIT(0) | BIT(1) | BIT(3),
    IN_ALL = IN_FIGURE | BIT(2),
    STANDARD = BIT(AT_ATTENTION_STANDARD)
};
enum {
    SPARSE = BIT(AT_ATTENTION_SPARSE),
    LINEAR = BIT(AT_ATTENTION_LINEAR),
    EVERY = STANDARD | SPARSE | LINEAR
};
static const subject subjects[AT_STUDY_ORDERS] = {
    {IN_ALL, EVERY, false, true},
    {IN_ALL, STANDARD, false, false},
    {IN_FIGURE, STANDARD | LINEAR, false, false},
    {IN_FIGURE, STANDARD | SPARSE, false, false},
    {IN_FIGURE, EVERY, true, true},
    {IN_FIGURE, EVERY, true, true},
    {BIT(1) | BIT(2), SPARSE | LINEAR, false, true}, /* ed, ed-local */
};

/* What would decide a statement that is open: its tasks that were not trained, and its widths that were not enough. */
static bool takes_add(const at_study_group *g, const subject *of, at_arena *a, at_study_order *o)
{
    at_text w;
    int n = 0, none = 0;
    if (o->verdict != AT_UNKNOWN || !o->why)
        return o->why != NULL;
    at_text_init(&w);
    at_text_addf(&w, "%s%s", o->why, *o->why && o->why[strlen(o->why) - 1] != '.' ? "." : "");
    for (int k = 0; k < PAPER_TASKS && of->all; k++)
        if (of->tasks & BIT(k) && !task_find(g, paper_tasks[k]))
            at_text_addf(&w, "%s%s", none++ ? ", " : " Deciding it takes trainings of ", paper_tasks[k]);
    for (int k = 0; k < PAPER_TASKS; k++) {
        const at_study_task *t = of->tasks & BIT(k) ? task_find(g, paper_tasks[k]) : NULL;
        for (int m = 0; t && m < AT_TRAINED_ATTENTIONS; m++)
            for (int s = of->largest ? t->n_sizes - 1 : 0; s < t->n_sizes; s++)
                if (of->attentions & BIT(m) && least_of(t, m, s)->above && n++ < EXAMPLES_MOST)
                    at_text_addf(&w, "%s%s %s %s=%lld",
                                 n > 1  ? ", "
                                 : none ? "; and more than the widest, or longer ones, of "
                                        : " Deciding it takes more than the widest, or longer trainings: ",
                                 t->id, at_attention_names[m], t->size_name, (long long)t->sizes[s]);
    }
    at_text_add(&w, n > EXAMPLES_MOST ? ", ...." : n || none ? "." : "");
    o->why = w.oom ? NULL : at_arena_strdup(a, w.s);
    at_text_release(&w);
    return o->why != NULL;
}

at_status at_study_orders(const at_study_group *g, at_arena *a, at_study_order out[AT_STUDY_ORDERS],
                          at_err *err)
{
    bool ok = standard_least(g, a, &out[0]) && standard_flat(g, a, &out[1]) &&
              efficient_grows(g, AT_ATTENTION_LINEAR,
                              "The least width of linear attention grows with the size, or is larger than "
                              "standard's.",
                              a, &out[2]) &&
              efficient_grows(g, AT_ATTENTION_SPARSE,
                              "The least width of sparse attention grows with the size, or is larger than "
                              "standard's.",
                              a, &out[3]) &&
              excess_order(
                  g, LIS,
                  "The width that sparse and linear attention need beyond standard's (as a multiple, at the "
                  "largest size) is most on LIS.",
                  a, &out[4]) &&
              excess_order(g, ARITHMETIC, "It is least on arithmetic.", a, &out[5]) &&
              local_easier(g, a, &out[6]);
    for (int k = 0; k < AT_STUDY_ORDERS && ok; k++)
        ok = takes_add(g, &subjects[k], a, &out[k]);
    return ok ? AT_OK : at_oom(err);
}
