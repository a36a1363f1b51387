/* map_problem.c: the panels of one problem: the catalogue's, or those that its front end and the ledger make.
 *
 * What a front end compiles has no claim. Its models are made at sizes that grow, shapes only, and handed to the map as data.
 * Bounds are the catalogue's, where the problem is one of its own at parameters that the bound speaks of; else there is none. Sizes at
 * which an attention does not apply are left out, and words say why. */
#include "report_internal.h"

#include <attest/front.h>

#include <stdio.h>
#include <string.h>

enum { SIZES = 16, ROWS_ENOUGH = 4096, PANELS = 64 };

typedef struct {
    const at_problem *p;
    const char *subject, *name; /* in the ledger, and in the map */
    at_arena *a;
    at_text words;
    at_map_panel *panels; /* room for PANELS */
    int n;
    /* of what is compiled */
    at_params fixed;          /* of the chain: what is set, and defaults */
    bool grow[AT_PARAMS_MAX]; /* which parameters are the size */
    const char *axis;         /* their names */
    double size[SIZES];
    int n_sizes;
    const at_map_model *models[AT_ATTENTIONS]; /* what was compiled; NULL: nothing */
    const char *sizes[AT_ATTENTIONS], *notes[AT_ATTENTIONS];
} maker;

static bool same(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

static at_map_panel *panel_add(maker *k)
{
    return k->n < PANELS ? &k->panels[k->n++] : NULL;
}

/* ---- the catalogue's -------------------------------------------------------------------------------------- */

static void catalogue_take(maker *k)
{
    for (int i = 0; i < at_n_map_panels; i++) {
        const at_map_panel *w = &at_map_panels[i];
        at_map_panel *out = same(w->problem ? w->problem : w->task, k->p->id) ? panel_add(k) : NULL;
        if (out)
            *out = *w;
    }
}

/* ---- sizes ------------------------------------------------------------------------------------------------- */

static bool mentions(const at_dpx *e, int size)
{
    if (!e)
        return false;
    if (e->op == AT_DPX_SIZE)
        return e->index == size;
    return mentions(e->arg[0], size) || mentions(e->arg[1], size) || mentions(e->arg[2], size);
}

/* Is the parameter what the inputs or states are counted by, and not how large numbers are? */
bool at_map_counts(const at_problem *p, const char *name)
{
    if (!same(p->lang, at_lang_dp.id))
        return same(name, "operators") || same(name, "n") || same(name, "N");
    const at_dp *d = p->self;
    bool out = false;
    for (int i = 0; i < d->n_sizes; i++) {
        if (strcmp(d->sizes[i].name, name))
            continue;
        for (int k = 0; k < d->n_inputs; k++)
            out = out || mentions(d->inputs[k].length, i);
        for (int k = 0; k < d->n_counters; k++)
            out = out || mentions(d->counters[k].lo, i) || mentions(d->counters[k].hi, i);
    }
    return out;
}

/* From lo to hi: all of them where they are few, else twice as large each time, and the last. */
static void ladder(maker *k, double lo, double hi)
{
    bool few = hi - lo < SIZES / 2;
    lo = lo < 1 ? 1 : lo; /* axes are logarithmic */
    for (double v = few || lo > 2 ? lo : 2; v <= hi && k->n_sizes < SIZES - 1; v = few ? v + 1 : 2 * v)
        k->size[k->n_sizes++] = v;
    if (k->n_sizes && k->size[k->n_sizes - 1] < hi && hi < 0x1p20)
        k->size[k->n_sizes++] = hi;
}

/* Which parameters grow, and through which sizes: a range in `set`, or all that count something and are not set. */
static at_status sizes_find(maker *k, const char *set, bool *asked, at_err *err)
{
    const at_param *schema;
    at_view view = at_front_view(k->p);
    int rows = at_problem_schema(k->p, view, &schema), ranges = 0, growing = 0;
    at_sweep w;
    at_text mine, axis;
    at_sweep_init(&w, schema, rows);
    w.first.of = k->p;
    at_text_init(&mine);
    at_text_init(&axis);
    at_status s = at_problem_assignments(k->p, view, set, &mine, err);
    if (!s)
        s = at_sweep_parse(&w, mine.s, err);
    at_text_release(&mine);
    if (s)
        return s;
    double lo = 0, hi = 0x1p40;
    for (int i = 0; i < rows; i++)
        if (w.last[i] != w.first.value[i]) {
            ranges++;
            lo = w.first.value[i];
            hi = w.last[i];
        }
    if (ranges > 1)
        return at_fail(err, AT_EINPUT, "--set: one parameter may be a range, it is the size of the map");
    for (int i = 0; i < rows; i++) {
        bool range = w.last[i] != w.first.value[i];
        k->grow[i] =
            ranges ? range : !at_assignments_name(set, schema[i].name) && at_map_counts(k->p, schema[i].name);
        growing += k->grow[i];
    }
    for (int i = 0; i < rows && !growing; i++) /* all is set: one size */
        if (at_map_counts(k->p, schema[i].name) || i == rows - 1) {
            k->grow[i] = true;
            growing = 1;
            lo = hi = w.first.value[i];
            ranges = 1;
        }
    for (int i = 0; i < rows; i++) {
        if (!k->grow[i])
            continue;
        at_text_addf(&axis, "%s%s", axis.n ? "=" : "", schema[i].name);
        if (!ranges) {
            lo = schema[i].lo > lo ? schema[i].lo : lo;
            hi = schema[i].hi < hi ? schema[i].hi : hi;
        }
    }
    at_sweep_nth(&w, 0, &k->fixed);
    k->fixed.of = k->p;
    k->axis = axis.oom || !axis.s ? NULL : at_arena_strdup(k->a, axis.s);
    at_text_release(&axis);
    ladder(k, lo, hi);
    *asked = ranges > 0;
    return k->axis ? AT_OK : at_oom(err);
}

static at_status params_at(const maker *k, double size, at_params *out, at_err *err)
{
    *out = k->fixed;
    at_status s = AT_OK;
    for (int i = 0; i < out->n && !s; i++)
        if (k->grow[i])
            s = at_params_set(out, out->schema[i].name, size, err);
    return s;
}

/* Is this a size of the problem, and how many rows, or positions, does it have at most? */
static at_status rows_of(const at_problem *p, const at_params *q, int *rows, at_err *err)
{
    void *self;
    if (!p->chain) {
        *rows = at_params_int(q, "N");
        return p->task->validate ? p->task->validate(q, err) : AT_OK;
    }
    at_status s = p->chain->open(q, &self, err);
    if (s)
        return s;
    *rows = p->chain->rows_max(self);
    p->chain->close(self);
    return AT_OK;
}

/* Sizes that nobody asked for end where a chain is long enough to see how things grow. */
static at_status sizes_cut(maker *k, bool asked, at_err *err)
{
    int n = 0;
    at_err first = {0};
    bool enough = false;
    for (int i = 0; i < k->n_sizes && !enough; i++) {
        at_params q;
        int rows = 0;
        at_err why = {0};
        at_status s = params_at(k, k->size[i], &q, &why);
        if (!s)
            s = rows_of(k->p, &q, &rows, &why);
        if (s == AT_ENOMEM || s == AT_ECANCEL)
            return at_fail(err, s, "%s", why.text);
        if (s) {
            first = first.code ? first : why;
            continue;
        }
        enough = !asked && rows > ROWS_ENOUGH;
        if (!enough || !n)
            k->size[n++] = k->size[i];
    }
    k->n_sizes = n;
    return n ? AT_OK : at_fail(err, AT_EDOMAIN, "no size of %s can be had: %s", k->p->id, first.text);
}

/* ---- compiled ------------------------------------------------------------------------------------------------ */

static at_status shape_make(const at_front *f, const at_params *q, at_attention_kind kind, at_map_model *out,
                            at_err *err)
{
    at_model m;
    at_status s = at_front_shape(f, q, &(at_front_options){.attention = kind}, &m, err);
    if (s)
        return s;
    at_model_size(&m, &out->size);
    out->mask = at_map_mask(&m);
    at_model_release(&m);
    return AT_OK;
}

/* What the tables have no column for, at the largest size. */
static const char *note_make(const maker *k, const at_map_model *m, double size)
{
    return at_arena_printf(k->a,
                           "%d attention layer%s, %d heads of width %d, hidden %d, %zu parameters at %s=%g.",
                           m->size.layers, m->size.layers == 1 ? "" : "s", m->size.heads, m->size.head_dim,
                           m->size.hidden, m->size.parameters, k->axis, size);
}

static at_status attention_add(maker *k, const at_front *f, at_attention_kind kind, at_err *err)
{
    static const struct {
        const char *name, *unit;
        at_map_measure measure;
    } units[] = {{"width", "width", AT_MAP_WIDTH}, {"params", "parameters", AT_MAP_PARAMETERS}};
    int kinds;
    const char *name = at_front_kinds(f, &kinds)[kind];
    at_map_model *models = at_new(k->a, at_map_model, k->n_sizes + 1);
    at_text sizes;
    if (!models)
        return at_oom(err);
    at_text_init(&sizes);
    int n = 0;
    at_err first = {0};
    double at = 0, last = 0;
    at_status s = AT_OK;
    for (int i = 0; i < k->n_sizes && !s; i++) {
        at_params q;
        at_err why = {0};
        at_status here = params_at(k, k->size[i], &q, &why);
        if (!here)
            here = shape_make(f, &q, kind, &models[n], &why);
        if (here == AT_ENOMEM || here == AT_ECANCEL)
            s = at_fail(err, here, "%s", why.text);
        else if (here) {
            at = first.code ? at : k->size[i];
            first = first.code ? first : why;
        } else {
            at_text_addf(&sizes, "%s%.15g", n ? " " : "", k->size[i]);
            last = k->size[i];
            n++;
        }
    }
    if (first.code)
        at_text_addf(&k->words, "Left out: %s%s%s, %s = %g: %s\n", name, n ? "" : " attention",
                     n ? " at some sizes" : "", k->axis, at, first.text);
    const char *list = s || !n || sizes.oom ? NULL : at_arena_strdup(k->a, sizes.s);
    const char *note = n && !s ? note_make(k, &models[n - 1], last) : NULL;
    at_text_release(&sizes);
    if (s || !n)
        return s;
    if (!list || !note)
        return at_oom(err);
    at_text_addf(&k->words, "%s: %s\n", name, note);
    k->models[kind] = models;
    k->sizes[kind] = list;
    k->notes[kind] = note;
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        at_map_panel *w = panel_add(k);
        const char *architecture = at_arena_printf(k->a, "%s, %s", name, units[u].name);
        if (!architecture || !w)
            return at_oom(err);
        *w = (at_map_panel){.task = k->name,
                            .architecture = architecture,
                            .size = k->axis,
                            .sizes = list,
                            .unit = units[u].unit,
                            .measure = units[u].measure,
                            .models = models,
                            .attention = kind,
                            .note = note};
        if (units[u].measure == AT_MAP_WIDTH && kind < AT_TRAINED_ATTENTIONS && !f->only && !f->kinds)
            w->trained = k->subject;
    }
    return AT_OK;
}

/* The problem that a shipped recurrence is, where a panel of the catalogue is about it; else NULL. */
static at_status example_mapped(const char *name, const char **out, at_err *err)
{
    at_problem *p;
    at_status s = at_problem_open(name, &p, err);
    if (s)
        return s;
    for (int i = 0; i < at_n_map_panels; i++)
        if (same(at_map_panels[i].task, p->id))
            *out = at_map_panels[i].task;
    at_problem_free(p);
    return AT_OK;
}

static at_status example_same(const char *name, const at_text *mine, bool *out, at_err *err)
{
    at_dp *d;
    at_text other;
    at_status s = at_dp_example_load(name, &d, err);
    if (s)
        return s;
    at_text_init(&other);
    s = at_dp_print(d, &other) || other.oom ? at_oom(err) : AT_OK;
    *out = !s && same(mine->s, other.s);
    at_text_release(&other);
    at_dp_free(d);
    return s;
}

/* A file that says, but for blanks and comments, what a recurrence of the catalogue says: the problem's name, else NULL. */
static at_status shipped(const at_problem *p, const char **out, at_err *err)
{
    at_text mine;
    at_status s = AT_OK;
    *out = NULL;
    if (!p->path || !same(p->lang, at_lang_dp.id))
        return AT_OK;
    at_text_init(&mine);
    if (at_dp_print(p->self, &mine) || mine.oom)
        s = at_oom(err);
    for (int i = 0; i < at_n_dp_examples && !s && !*out; i++) {
        const char *name = at_dp_examples[i].name;
        bool is = false;
        s = example_same(name, &mine, &is, err);
        if (!s && is)
            s = example_mapped(name, out, err);
    }
    at_text_release(&mine);
    return s;
}

/* ---- bounds of what is compiled ------------------------------------------------------------------------------- */

/* What the catalogue's bounds on a problem need of it: which parameters must be the size (two at most), and which of the others
 * a number of the bound's template is: "letters=99" with lis' top. letters (of prompts) must be all. */
static const struct {
    const char *problem, *size[2], *key, *param;
} bounded[] = {
    {"lis", {"n", NULL}, "letters=", "top"},
    {"prefix-sum", {"n", NULL}, "letters=", "q"},
    {"ed", {"n1", "n2"}, NULL, NULL},
    {"ed-local", {"n1", "n2"}, NULL, NULL},
    {"arithmetic", {"operators", NULL}, "prime=", "p"},
};

/* A template with the number behind `key` put to v. */
static const char *template_with(const char *template, const char *key, double v, at_arena *a)
{
    const char *at = key ? strstr(template, key) : NULL;
    if (!at)
        return template;
    at += strlen(key);
    return at_arena_printf(a, "%.*s%.15g%s", (int)(at - template), template, v,
                           at + strspn(at, "0123456789"));
}

/* Which row of `bounded` speaks of the problem at these parameters, of which grow[j] are its size; -1: none. */
static int bounded_row(const char *known, const at_params *p, const bool *grow)
{
    for (int i = 0; i < (int)(sizeof bounded / sizeof *bounded); i++) {
        if (!same(bounded[i].problem, known))
            continue;
        bool fits = !at_params_has(p, "letters") || at_params_get(p, "letters") == 0;
        for (int j = 0; j < p->n; j++) {
            bool size =
                same(p->schema[j].name, bounded[i].size[0]) || same(p->schema[j].name, bounded[i].size[1]);
            fits = fits && size == grow[j];
        }
        fits = fits && (!bounded[i].param || at_params_get(p, bounded[i].param) >= 2);
        return fits ? i : -1;
    }
    return -1;
}

const char *at_map_bound_template(const at_map_panel *w, const at_params *p, const bool *grow, at_arena *a)
{
    int row = bounded_row(w->task, p, grow);
    double v = row >= 0 && bounded[row].param ? at_params_get(p, bounded[row].param) : 0;
    return row < 0 || !w->bound ? NULL : template_with(w->bound_params, bounded[row].key, v, a);
}

at_status at_map_known(const at_problem *p, const char **out, at_err *err)
{
    *out = NULL;
    for (int i = 0; i < at_n_map_panels; i++)
        if (same(at_map_panels[i].problem ? at_map_panels[i].problem : at_map_panels[i].task, p->id))
            *out = at_map_panels[i].task;
    return *out ? AT_OK : shipped(p, out, err);
}

/* The catalogue's panels with a bound, at the sizes and with the models of what is compiled. */
static at_status bounds_add(maker *k, const char *known, int *added, at_err *err)
{
    int row = bounded_row(known, &k->fixed, k->grow);
    for (int i = 0; row >= 0 && i < at_n_map_panels; i++) {
        const at_map_panel *w = &at_map_panels[i];
        if (!same(w->task, known) || !w->bound || (w->construction && !k->models[w->attention]))
            continue;
        at_map_panel *out = panel_add(k);
        double v = bounded[row].param ? at_params_get(&k->fixed, bounded[row].param) : 0;
        const char *template = template_with(w->bound_params, bounded[row].key, v, k->a);
        if (!out || !template)
            return at_oom(err);
        *out = *w;
        out->task = k->name;
        out->bound_params = template;
        out->trained = NULL; /* the panel of the width has it */
        out->construction = out->construction_params = NULL;
        if (w->construction) {
            out->size = k->axis;
            out->sizes = k->sizes[w->attention];
            out->models = k->models[w->attention];
            out->note = k->notes[w->attention];
        }
        ++*added;
    }
    return AT_OK;
}

static at_status compiled_make(maker *k, const char *set, bool in_catalogue, at_err *err)
{
    const at_front *f = at_front_of(k->p);
    bool asked = false;
    at_status s = sizes_find(k, set, &asked, err);
    if (!s)
        s = sizes_cut(k, asked, err);
    for (int kind = 0; kind < (f->only || f->kinds ? 1 : AT_ATTENTIONS) && !s; kind++)
        s = attention_add(k, f, (at_attention_kind)kind, err);
    const char *known = k->p->id;
    int added = 0;
    if (!s && !in_catalogue)
        s = shipped(k->p, &known, err);
    if (!s && known)
        s = bounds_add(k, known, &added, err);
    if (!s && !added)
        at_text_addf(&k->words, "No bound is known to attest for %s%s: how small a model could be is open.\n",
                     k->name, known ? " at these parameters" : "");
    if (!s && known)
        at_text_addf(&k->words,
                     "It is a problem of the catalogue: attest map --problem %s shows it at its own sizes.\n",
                     known);
    return s;
}

/* ---- trained ------------------------------------------------------------------------------------------------- */

/* Has a panel the trainings of this attention? */
static bool has_trained(const maker *k, at_attention_kind kind)
{
    for (int i = 0; i < k->n; i++)
        if (same(k->panels[i].trained, k->subject) && k->panels[i].attention == kind)
            return true;
    return false;
}

/* The attentions that this subject was trained with, as bits, and what its sizes are called. */
static at_status trained_look(maker *k, const at_row *rows, size_t n, unsigned *attentions, const char **axis,
                              size_t *others, at_err *err)
{
    size_t stem = strcspn(k->subject, "#");
    for (size_t i = 0; i < n; i++) {
        const char *name = rows[i].key.subject;
        at_finding f;
        if (!at_row_is_trained(&rows[i]) || !name)
            continue;
        if (strcmp(name, k->subject)) {
            *others += k->subject[stem] && !strncmp(name, k->subject, stem + 1);
            continue;
        }
        at_status s = at_finding_of_row(&rows[i], k->a, &f, err);
        if (s)
            return s;
        if (f.kind != AT_FINDING_TRAINING || f.broken)
            continue;
        for (int kind = 0; kind < AT_TRAINED_ATTENTIONS; kind++)
            if (same(f.training.attention, at_attention_names[kind]))
                *attentions |= 1u << kind;
        *axis = f.training.size_name ? f.training.size_name : *axis;
    }
    return AT_OK;
}

static at_status trained_add(maker *k, const at_row *rows, size_t n, at_err *err)
{
    unsigned attentions = 0;
    const char *axis = "size";
    size_t others = 0;
    at_status s = trained_look(k, rows, n, &attentions, &axis, &others, err);
    for (int kind = 0; kind < AT_TRAINED_ATTENTIONS && !s; kind++) {
        at_map_panel *w =
            attentions >> kind & 1 && !has_trained(k, (at_attention_kind)kind) ? panel_add(k) : NULL;
        if (w)
            *w = (at_map_panel){.task = k->name,
                                .architecture = at_attention_names[kind],
                                .size = axis,
                                .unit = "width",
                                .trained = k->subject,
                                .attention = (at_attention_kind)kind};
    }
    if (!s && others)
        at_text_addf(&k->words,
                     "%zu training%s of another text of this file's name %s not counted; this one is %s.\n",
                     others, others == 1 ? "" : "s", others == 1 ? "is" : "are", k->subject);
    if (!s && !attentions)
        at_text_addf(&k->words,
                     "%s: attest sweep %s --db LEDGER, then attest map --problem %s --db LEDGER.\n",
                     rows ? "The ledger has no model trained of it"
                          : "No ledger was given, so no trained model is here",
                     k->p->path ? k->p->path : k->p->id, k->p->path ? k->p->path : k->p->id);
    return s;
}

/* ---- all of it ------------------------------------------------------------------------------------------------- */

static at_status panels_make(maker *k, const char *set, const at_row *rows, size_t n, at_err *err)
{
    const at_front *f = at_front_of(k->p);
    at_status s = AT_OK;
    catalogue_take(k);
    bool in_catalogue = k->n > 0;
    if (set && !f)
        return at_fail(err, AT_EREFUSED, "--set: %s is not compiled, so there are no sizes to choose",
                       k->p->id);
    if (f && (set || !in_catalogue)) {
        k->n = 0;
        s = compiled_make(k, set, in_catalogue, err);
    } else if (!in_catalogue)
        at_text_addf(
            &k->words,
            "%s is not compiled and no claim of the map is about it: only trained models can be here. No "
            "bound is known to attest for it.\n",
            k->name);
    return s ? s : trained_add(k, rows, n, err);
}

at_status at_map_problem(const at_problem *p, const char *subject, const char *set, const at_row *rows,
                         size_t n_rows, const char *build, at_arena *a, at_map *out, at_err *err)
{
    maker *k = at_new(a, maker, 1);
    at_map_panel *panels = at_new(a, at_map_panel, PANELS);
    if (!k || !panels)
        return at_oom(err);
    *k = (maker){.p = p, .a = a, .panels = panels}; /* the map outlives the problem */
    k->subject = at_arena_strdup(a, subject);
    k->name = at_arena_strdup(a, at_problem_short(p));
    if (!k->subject || !k->name)
        return at_oom(err);
    at_text_init(&k->words);
    at_status s = panels_make(k, set, rows, n_rows, err);
    if (!s)
        s = at_map_make(panels, k->n, rows, n_rows, build, a, out, err);
    if (!s && k->words.oom)
        s = at_oom(err);
    if (!s && k->words.n && !(out->words = at_arena_strdup(a, k->words.s)))
        s = at_oom(err);
    at_text_release(&k->words);
    return s;
}
