/* map.c: the map: for each task and architecture the least size against the size of the problem.
 *
 * A panel (map_panels.c) names a construction, a bound, a stream and a claim that refutes; here they become points:
 *
 *     built     the construction's shape at the panel's sizes: no weights are made
 *     checked   cells of the ledger about the construction that hold, at the sizes that their models had
 *     bound     the calculator's least size at the same sizes (map_bound.c)
 *     trained   the study of the ledger's trainings: the least width that reached 90%, else the widest that did not
 *     refuted   cells of the ledger that refute models, at the sizes of these
 *
 * Invariants:
 *   1. A bound that lies above the construction of its panel is not drawn: one of the two is wrong, the panel says so with the
 *      numbers, and the map counts it.
 *   2. A construction whose claim does not hold in the ledger has no checked points, and the panel says so. */
#include "report_internal.h"

#include <attest/claim.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_MOST = 32, ROWS_MOST = 100000 };

/* A panel while it is made. */
typedef struct {
    const at_map_panel *panel;
    const at_claim *claim; /* of the construction; NULL: none */
    at_arena *a;
    int n;                          /* sizes */
    double size[SIZES_MOST];        /* (n) ascending */
    at_map_model model[SIZES_MOST]; /* (n) of the construction */
    double built[SIZES_MOST];       /* (n) */
    int n_bound;
    double bound_size[SIZES_MOST];  /* (n_bound) ascending */
    at_map_bound bound[SIZES_MOST]; /* (n_bound) */
    at_text note;
    at_map_place out;
} panel;

static bool same(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

static void note_add(panel *q, const char *s)
{
    at_text_add(&q->note, q->note.n ? " " : "");
    at_text_add(&q->note, s);
}

/* ---- points ----------------------------------------------------------------------------------------- */

typedef struct {
    double x, y;
    const at_row *row; /* NULL, or what it rests on */
} point;

static int point_order(const void *a, const void *b)
{
    const point *p = a, *q = b;
    int c = (p->x > q->x) - (p->x < q->x);
    return c ? c : (p->y > q->y) - (p->y < q->y);
}

/* Sorted, each once; those that cannot stand on logarithmic axes are left out. */
static bool points_set(panel *q, at_map_kind kind, point *p, int n)
{
    double *x = at_new(q->a, double, n + 1), *y = at_new(q->a, double, n + 1);
    const char **what = at_new(q->a, const char *, n + 1);
    bool rests = false;
    if (!x || !y || !what)
        return false;
    int k = 0;
    qsort(p, (size_t)n, sizeof *p, point_order);
    for (int i = 0; i < n; i++) {
        bool again = k && x[k - 1] == p[i].x && y[k - 1] == p[i].y;
        if (p[i].x > 0 && p[i].y > 0 && p[i].x <= 1e300 && p[i].y <= 1e300 && !again) {
            char text[AT_EVIDENCE_TEXT] = "";
            if (p[i].row)
                at_row_evidence(p[i].row, "input", text);
            if (!(what[k] = at_arena_strdup(q->a, text)))
                return false;
            rests = rests || p[i].row;
            x[k] = p[i].x;
            y[k++] = p[i].y;
        }
    }
    q->out.points[kind] = (at_map_points){k, x, y, rests ? what : NULL};
    return true;
}

/* ---- templates --------------------------------------------------------------------------------------- */

/* The parameters of a claim or a bound from a template. */
static at_status template_parse(const char *template, double size, at_params *p, at_err *err)
{
    at_text t;
    at_text_init(&t);
    at_map_fill(&t, template ? template : "", size, NULL);
    at_status s = t.oom ? at_oom(err) : at_params_parse(p, t.s ? t.s : "", err);
    at_text_release(&t);
    return s;
}

/* "8 16 32", ascending: how many; 0: it is not that. */
static int sizes_read(const char *s, double out[SIZES_MOST])
{
    int n = 0;
    while (*s) {
        char *end;
        double v = strtod(s, &end);
        if (end == s || n == SIZES_MOST || !(v > (n ? out[n - 1] : 0)))
            return 0;
        out[n++] = v;
        s = end + strspn(end, " ");
    }
    return n;
}

/* ---- constructions -------------------------------------------------------------------------------------- */

static double times(double factor)
{
    return factor > 0 ? factor : 1;
}

static double measured(const at_map_panel *p, const at_map_model *m)
{
    const at_size *z = &m->size;
    const double v[AT_MAP_MEASURES] = {[AT_MAP_WIDTH] = z->width,
                                       [AT_MAP_HEAD_DIM] = z->head_dim,
                                       [AT_MAP_HEADS_DIM] = (double)z->heads * z->head_dim,
                                       [AT_MAP_HIDDEN] = z->hidden,
                                       [AT_MAP_LAYERS] = z->layers,
                                       [AT_MAP_PARAMETERS] = (double)z->parameters,
                                       [AT_MAP_STEPS] = m->steps,
                                       [AT_MAP_UNITS] = m->units,
                                       [AT_MAP_VALUES] = z->offered - 1};
    return v[p->measure] * times(p->times);
}

at_mask at_map_mask(const at_model *m)
{
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++)
            if (at_mask_is(m->blocks[b].groups[g].mask.kind, AT_IS_BLOCKS))
                return m->blocks[b].groups[g].mask;
    return (at_mask){0};
}

/* The rows of its chains before the answer. */
static at_status steps_of(const at_claim *c, const at_params *p, int *out, at_err *err)
{
    void *self;
    if (!c->chain)
        return at_fail(err, AT_EINPUT, "claim %s writes no chain: it has no steps", c->id);
    at_status s = at_claim_chain_open(c, p, &self, err);
    if (s)
        return s;
    *out = c->chain->rows_max(self) - 1;
    c->chain->close(self);
    return AT_OK;
}

/* Of a program its shape; else the model itself is made. */
static at_status shape_of(const at_claim *c, const at_params *p, at_map_model *out, at_err *err)
{
    at_program *P = NULL;
    at_model m;
    at_status s = c->program ? at_claim_program(c, p, &P, err) : c->right(p, &m, err);
    if (!s && P)
        s = at_program_shape(P, &m, err);
    at_program_free(P);
    if (s)
        return s;
    const at_block *b = &m.blocks[0];
    at_model_size(&m, &out->size);
    out->mask = at_map_mask(&m);
    out->units = b->kind == AT_BLOCK_RNN ? b->rnn.state : b->kind == AT_BLOCK_FLATTEN ? b->dense[0].rows : 0;
    at_model_release(&m);
    return AT_OK;
}

/* What a row of the ledger does not say of its model. */
static at_status beyond(const at_map_panel *w, const at_claim *c, const at_params *p, at_map_model *out,
                        at_err *err)
{
    return w->measure == AT_MAP_STEPS ? steps_of(c, p, &out->steps, err) : shape_of(c, p, out, err);
}

/* The models are there already. */
static at_status models_take(panel *q, at_err *err)
{
    point p[SIZES_MOST];
    for (int i = 0; i < q->n; i++) {
        q->model[i] = q->panel->models[i];
        q->built[i] = measured(q->panel, &q->model[i]);
        p[i] = (point){q->size[i], q->built[i], NULL};
    }
    return points_set(q, AT_MAP_BUILT, p, q->n) ? AT_OK : at_oom(err);
}

static at_status built_make(panel *q, at_err *err)
{
    if (q->panel->models)
        return models_take(q, err);
    if (!q->panel->construction)
        return AT_OK;
    at_status s = at_claim_need(q->panel->construction, &q->claim, err);
    if (!s && !q->claim->program && !q->claim->right)
        s = at_fail(err, AT_EINPUT, "claim %s has no program: it cannot be on the map", q->claim->id);
    point p[SIZES_MOST];
    for (int i = 0; i < q->n && !s && q->panel->grows; i++) { /* no shape: only what is measured is known */
        at_text t;
        at_text_init(&t);
        at_map_fill(&t, q->panel->grows, q->size[i], NULL);
        q->built[i] = t.s ? strtod(t.s, NULL) * times(q->panel->times) : 0;
        p[i] = (point){q->size[i], q->built[i], NULL};
        s = t.oom ? at_oom(err) : AT_OK;
        at_text_release(&t);
    }
    for (int i = 0; i < q->n && !s && !q->panel->grows; i++) {
        at_params at;
        at_params_init(&at, q->claim->params, q->claim->n_params);
        s = template_parse(q->panel->construction_params, q->size[i], &at, err);
        if (!s)
            s = shape_of(q->claim, &at, &q->model[i], err);
        if (!s && q->panel->measure == AT_MAP_STEPS)
            s = steps_of(q->claim, &at, &q->model[i].steps, err);
        q->built[i] = s ? 0 : measured(q->panel, &q->model[i]);
        p[i] = (point){q->size[i], q->built[i]};
    }
    return s ? s : points_set(q, AT_MAP_BUILT, p, q->n) ? AT_OK : at_oom(err);
}

/* ---- cells of the ledger --------------------------------------------------------------------------------- */

/* The size that a row's detail has of its model, if it has one: *has. */
static at_status row_size(const at_row *r, bool *has, at_size *out, at_err *err)
{
    at_arena a;
    at_finding f;
    at_arena_init(&a);
    at_status s = at_finding_of_row(r, &a, &f, err);
    *has = !s && f.kind == AT_FINDING_VERDICT && f.verdict.size;
    if (*has) {
        const at_size_detail *z = f.verdict.size;
        *out = (at_size){.layers = z->layers,
                         .heads = z->heads,
                         .width = z->width,
                         .head_dim = z->head_dim,
                         .hidden = z->hidden,
                         .parameters = z->parameters};
    }
    at_arena_release(&a);
    return s;
}

static bool is_ours(const at_row *r, const char *build)
{
    return !build || same(r->key.build, build);
}

/* Does a rest on more than b? first: what to say where neither does. */
static bool stronger(const at_row *a, const at_row *b, bool first)
{
    at_strength x = at_row_strength(a), y = at_row_strength(b);
    return x != y ? x > y : a->rec.inputs != b->rec.inputs ? a->rec.inputs > b->rec.inputs : first;
}

static at_status checked_make(panel *q, const at_row *rows, size_t n, const char *build, at_err *err)
{
    if (!q->claim)
        return AT_OK;
    int most = 0, k = 0, fails = 0;
    for (size_t i = 0; i < n; i++)
        most += same(rows[i].key.subject, q->claim->id) && most < ROWS_MOST;
    point *p = at_new(q->a, point, most + 1);
    if (!p)
        return at_oom(err);
    for (size_t i = 0; i < n && k < most; i++) {
        const at_row *r = &rows[i];
        at_map_model z = {0};
        at_sweep w;
        double x;
        if (!same(r->key.subject, q->claim->id) || !is_ours(r, build) || !same(r->rec.role, "claim"))
            continue;
        fails += same(r->rec.verdict, "fails");
        bool has = false, belongs = same(r->rec.verdict, "holds") &&
                                    at_map_belongs(q->claim, q->panel->construction_params, r, &w, &x);
        if (belongs && row_size(r, &has, &z.size, err))
            return AT_ENOMEM;
        if (belongs && (q->panel->measure >= AT_MAP_STEPS || (!has && q->claim->right))) {
            at_params last = w.first;
            at_err none = {0};
            memcpy(last.value, w.last, sizeof last.value);
            at_status bad = beyond(q->panel, q->claim, &last, &z, &none);
            if (bad == AT_ENOMEM)
                return at_oom(err);
            has = !bad;
        }
        if (has)
            p[k++] = (point){x, measured(q->panel, &z), r};
    }
    if (fails) {
        k = 0;
        note_add(q, "The construction FAILS in this ledger and is not drawn as checked.");
    }
    point *some = at_new(q->a, point, k + 1);
    int n_some = 0, n_all = 0;
    if (!some)
        return at_oom(err);
    for (int i = 0; i < k; i++) { /* of rows at one place the strongest, of equal ones the most inputs */
        bool best = true;
        for (int j = 0; j < k && best; j++)
            best = j == i || p[j].x != p[i].x || p[j].y != p[i].y || !stronger(p[j].row, p[i].row, j < i);
        if (best && at_row_strength(p[i].row) <= AT_STRENGTH_SOME)
            some[n_some++] = p[i];
        else if (best)
            some[k - ++n_all] = p[i];
    }
    return points_set(q, AT_MAP_SAMPLED, some, n_some) &&
                   points_set(q, AT_MAP_CHECKED, some + k - n_all, n_all)
               ? AT_OK
               : at_oom(err);
}

/* ---- trained models --------------------------------------------------------------------------------------- */

/* The widest run of one attention and size; 0: none. */
static double widest(const at_study_task *t, at_attention_kind m, int64_t size)
{
    double w = 0;
    for (int i = 0; i < t->n_cells; i++)
        if (t->cells[i].attention == m && t->cells[i].size == size)
            w = fmax(w, (double)t->cells[i].width);
    return w;
}

/* Of several presets at one size the least width that suffices, else the widest that does not. */
static void trained_add(point *got, int *n_got, point *vain, int *n_vain, double x, double hi, double most)
{
    point *list = isfinite(hi) ? got : vain;
    int *n = isfinite(hi) ? n_got : n_vain, k = 0;
    double y = isfinite(hi) ? hi : most;
    while (k < *n && list[k].x != x)
        k++;
    if (k == *n)
        list[(*n)++] = (point){x, y};
    else if (isfinite(hi) ? y < list[k].y : y > list[k].y)
        list[k].y = y;
}

static at_status trained_make(panel *q, const at_study *st, at_err *err)
{
    if (!q->panel->trained)
        return AT_OK;
    int most = 0, n_got = 0, n_vain = 0;
    for (int g = 0; g < st->n_groups; g++)
        for (int k = 0; k < st->groups[g].n_tasks; k++)
            most += st->groups[g].tasks[k].n_sizes;
    point *got = at_new(q->a, point, most + 1), *vain = at_new(q->a, point, most + 1);
    if (!got || !vain)
        return at_oom(err);
    for (int g = 0; g < st->n_groups; g++)
        for (int k = 0; k < st->groups[g].n_tasks; k++) {
            const at_study_task *t = &st->groups[g].tasks[k];
            for (int i = 0; same(t->id, q->panel->trained) && i < t->n_sizes; i++) {
                const at_study_least *l = &t->least[(int)q->panel->attention * t->n_sizes + i];
                if (l->run)
                    trained_add(got, &n_got, vain, &n_vain, (double)t->sizes[i], l->hi,
                                widest(t, q->panel->attention, t->sizes[i]));
            }
        }
    int kept = 0;
    for (int i = 0; i < n_vain; i++) {
        bool beaten = false;
        for (int k = 0; k < n_got; k++)
            beaten = beaten || got[k].x == vain[i].x;
        if (!beaten)
            vain[kept++] = vain[i];
    }
    return points_set(q, AT_MAP_TRAINED, got, n_got) && points_set(q, AT_MAP_IN_VAIN, vain, kept)
               ? AT_OK
               : at_oom(err);
}

/* ---- refutations -------------------------------------------------------------------------------------------- */

static at_status refuted_make(panel *q, const at_row *rows, size_t n, const char *build, at_err *err)
{
    const at_claim *c = q->panel->refuted ? at_claim_find(q->panel->refuted) : NULL;
    int most = 0, k = 0;
    for (size_t i = 0; c && i < n; i++)
        most += same(rows[i].key.subject, c->id) && most < ROWS_MOST;
    point *p = at_new(q->a, point, most + 1);
    if (!p)
        return at_oom(err);
    for (size_t i = 0; c && i < n && k < most; i++) {
        const at_row *r = &rows[i];
        at_sweep w;
        double x;
        if (same(r->key.subject, c->id) && is_ours(r, build) && same(r->rec.role, "claim") &&
            same(r->rec.evidence, "refuted") && same(r->rec.verdict, "holds") &&
            at_map_belongs(c, q->panel->refuted_params, r, &w, &x))
            p[k++] = (point){q->panel->refuted_size ? at_map_size(q->panel->refuted_size, &w, r) : x,
                             at_map_size(q->panel->refuted_unit, &w, r)};
    }
    return points_set(q, AT_MAP_REFUTED, p, k) ? AT_OK : at_oom(err);
}

/* ---- bounds and the verdict ----------------------------------------------------------------------------------- */

/* Which of the construction's sizes is bound size i? -1: none, or there is no construction. */
static int built_at(const panel *q, int i)
{
    for (int k = 0; k < q->n; k++)
        if (q->size[k] == q->bound_size[i])
            return k;
    return -1;
}

/* Is there a number of this kind at bound size i, with a construction beside it? The construction over it, else NaN. */
static double ratio(const panel *q, int i, at_map_bound_kind kind)
{
    int k = built_at(q, i);
    const at_map_bound *b = &q->bound[i];
    return k >= 0 && b->kind == kind && b->least > 0 ? q->built[k] / b->least : NAN;
}

static void contradiction_find(panel *q)
{
    const at_map_panel *w = q->panel;
    for (int i = 0; i < q->n_bound; i++) {
        if (!(ratio(q, i, AT_MAP_BOUND_PROVED) < 1))
            continue;
        at_text_addf(&q->note,
                     "%sCONTRADICTION at %s = %.15g: bound %s says at least %.6g, construction %s has %.6g "
                     "(%s). One of them is wrong; the bound is not drawn.",
                     q->note.n ? " " : "", w->size, q->bound_size[i], w->bound, q->bound[i].least,
                     w->construction, q->built[built_at(q, i)], w->unit);
        q->out.verdict = AT_MAP_CONTRADICTS;
        return;
    }
}

static at_status bound_make(panel *q, at_err *err)
{
    const at_map_panel *w = q->panel;
    point p[2][SIZES_MOST];
    int n[2] = {0};
    at_status s = AT_OK;
    for (int i = 0; w->bound && i < q->n_bound && !s; i++) {
        at_map_bound *b = &q->bound[i];
        int k = built_at(q, i);
        s = at_map_bound_at(w, q->bound_size[i], k >= 0 ? &q->model[k] : NULL, q->a, b, err);
        b->least *= times(w->bound_times);
        int shape = b->kind == AT_MAP_BOUND_SHAPE;
        if (!s && b->kind != AT_MAP_BOUND_NONE && isfinite(b->least))
            p[shape][n[shape]++] = (point){q->bound_size[i], b->least};
    }
    if (s)
        return s;
    contradiction_find(q);
    if (q->out.verdict == AT_MAP_CONTRADICTS)
        return AT_OK;
    return points_set(q, AT_MAP_PROVED, p[0], n[0]) && points_set(q, AT_MAP_SHAPE, p[1], n[1]) ? AT_OK
                                                                                               : at_oom(err);
}

/* How the construction over a bound up to a constant grows: the slope on logarithmic axes between the first and the last size
 * that both have. */
static double growth(const panel *q)
{
    int first = -1, last = -1;
    for (int i = 0; i < q->n_bound; i++)
        if (!isnan(ratio(q, i, AT_MAP_BOUND_SHAPE))) {
            first = first < 0 ? i : first;
            last = i;
        }
    if (first == last)
        return NAN;
    return log(ratio(q, last, AT_MAP_BOUND_SHAPE) / ratio(q, first, AT_MAP_BOUND_SHAPE)) /
           log(q->bound_size[last] / q->bound_size[first]);
}

static void verdict_set(panel *q)
{
    at_map_place *o = &q->out;
    o->gap = o->ratio = o->ratio_size = NAN;
    if (o->verdict == AT_MAP_CONTRADICTS)
        return;
    for (int i = q->n_bound - 1; i >= 0; i--) { /* the largest size that both have */
        double r = ratio(q, i, AT_MAP_BOUND_PROVED);
        if (isnan(r))
            continue;
        o->ratio = r;
        o->ratio_size = q->bound_size[i];
        o->verdict = r > 1 ? AT_MAP_GAP : AT_MAP_TIGHT;
        o->gap = r > 1 ? r : NAN;
        return;
    }
    double slope = growth(q);
    if (!isnan(slope)) {
        o->verdict = slope < 0.1 ? AT_MAP_SAME : AT_MAP_GROWING;
        o->gap = slope < 0.1 ? NAN : slope;
        return;
    }
    bool constant = q->n > 1 && q->built[0] == q->built[q->n - 1];
    o->verdict = constant ? AT_MAP_CONSTANT : AT_MAP_OPEN;
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

static const char *words_of(const panel *q)
{
    static const char *const words[] = {"open",          "constant",    "tight",      "gap x%.2g",
                                        "tight up to c", "gap %s^%.2g", "CONTRADICTS"};
    const at_map_place *o = &q->out;
    if (o->verdict == AT_MAP_GAP)
        return o->gap < 99.5 ? at_arena_printf(q->a, "gap x%.2g", o->gap)
                             : at_arena_printf(q->a, "gap x%.0f", o->gap);
    if (o->verdict == AT_MAP_GROWING)
        return at_arena_printf(q->a, "gap %s^%.2g", q->panel->size, o->gap);
    return words[o->verdict];
}

/* "@2048", where the bound and the construction have sizes of their own. */
static const char *at_words(panel *q, double size)
{
    return q->panel->bound_sizes ? at_arena_printf(q->a, "@%.7g", size) : "";
}

static const char *bound_words(panel *q)
{
    if (!q->panel->bound)
        return "\xE2\x80\x93";
    for (int i = q->n_bound - 1; i >= 0; i--) {
        const at_map_bound *b = &q->bound[i];
        if (b->kind == AT_MAP_BOUND_NONE)
            continue;
        const char *at = at_words(q, q->bound_size[i]);
        if (b->kind == AT_MAP_BOUND_WORDS) { /* of "from n = 10^52.9 (53 digits)" the number */
            const char *number = strstr(b->text, "= ");
            number = number ? number + 2 : b->text;
            return at_arena_printf(q->a, "%.*s", (int)strcspn(number, " "), number);
        }
        return at ? at_arena_printf(q->a, "%s %.4g%s", b->kind == AT_MAP_BOUND_PROVED ? "\xE2\x89\xA5" : "~",
                                    b->least, at)
                  : NULL;
    }
    return q->n_bound && q->bound[0].refused ? "not drawn" : "vacuous";
}

/* "p=24 e=8: floats, exact sums"; numbers that depend on the size are those of the largest. */
static const char *bits_words(panel *q)
{
    const at_map_panel *w = q->panel;
    if (!w->numbers)
        return at_bound_bits_names[w->bits];
    at_text t;
    at_text_init(&t);
    double size = q->bound_size[q->n_bound - 1];
    at_map_fill(&t, w->numbers, size, NULL);
    const char *out =
        t.oom ? NULL
        : strchr(w->numbers, '$')
            ? at_arena_printf(q->a, "%s at %s = %g: %s", t.s, w->size, size, at_bound_bits_names[w->bits])
            : at_arena_printf(q->a, "%s: %s", t.s, at_bound_bits_names[w->bits]);
    at_text_release(&t);
    return out;
}

static const char *built_words(panel *q)
{
    if (!q->n)
        return "\xE2\x80\x93";
    const char *at = at_words(q, q->size[q->n - 1]);
    return at ? at_arena_printf(q->a, "%.6g%s%s", q->built[q->n - 1], at,
                                q->out.points[AT_MAP_CHECKED].n   ? " *"
                                : q->out.points[AT_MAP_SAMPLED].n ? " ~"
                                                                  : "")
              : NULL;
}

static const char *trained_words(panel *q)
{
    const at_map_points *t = &q->out.points[AT_MAP_TRAINED], *v = &q->out.points[AT_MAP_IN_VAIN];
    if (!t->n && !v->n)
        return "\xE2\x80\x93";
    bool vain = v->n && (!t->n || v->x[v->n - 1] > t->x[t->n - 1]);
    const at_map_points *p = vain ? v : t;
    return at_arena_printf(q->a, "%s%g@%g", vain ? "> " : "", p->y[p->n - 1], p->x[p->n - 1]);
}

/* 1e6 for a million, and other large numbers to three digits. */
static void size_short(char out[16], double v)
{
    if (v < 1e5) {
        snprintf(out, 16, "%.0f", v);
        return;
    }
    int e = (int)floor(log10(v) + 1e-12);
    snprintf(out, 16, "%.3ge%d", v / pow(10, e), e);
}

static at_status words_set(panel *q, at_err *err)
{
    at_map_place *o = &q->out;
    const at_map_points *shape = &o->points[AT_MAP_SHAPE];
    if (shape->n)
        note_add(q, "The bound is up to a constant (dashed).");
    for (int i = 0; q->panel->bound_start && i < q->n_bound; i++)
        if (q->bound[i].kind == AT_MAP_BOUND_WORDS)
            at_text_addf(&q->note, "%s%s = %.7g: %s.", q->note.n ? " " : "", q->panel->size, q->bound_size[i],
                         q->bound[i].text);
    for (int i = 0; i < q->n_bound; i++)
        if (q->bound[i].refused) {
            note_add(q, q->bound[i].refused);
            break;
        }
    if (q->panel->note)
        note_add(q, q->panel->note);
    o->panel = q->panel;
    o->words = words_of(q);
    double lo = q->n ? q->size[0] : INFINITY, hi = q->n ? q->size[q->n - 1] : 0;
    for (int i = 0; q->panel->bound && i < q->n_bound; i++) {
        lo = fmin(lo, q->bound_size[i]);
        hi = fmax(hi, q->bound_size[i]);
    }
    bool alone = !q->n && !q->n_bound; /* trained models alone say which sizes there are */
    for (int k = AT_MAP_TRAINED; alone && k <= AT_MAP_IN_VAIN; k++)
        for (int i = 0; i < o->points[k].n; i++) {
            lo = fmin(lo, o->points[k].x[i]);
            hi = fmax(hi, o->points[k].x[i]);
        }
    lo = fmin(lo, hi);
    char first[16], last[16];
    size_short(first, lo);
    size_short(last, hi);
    o->sizes = at_arena_printf(q->a, "%s %s..%s", q->panel->size, first, last);
    o->bound = bound_words(q);
    o->bits = q->panel->bound ? bits_words(q) : NULL;
    o->built = built_words(q);
    o->trained = trained_words(q);
    o->note = q->note.n && !q->note.oom ? at_arena_strdup(q->a, q->note.s) : NULL;
    bool ok = o->words && o->sizes && o->bound && (o->bits || !q->panel->bound) && o->built && o->trained &&
              !q->note.oom;
    return ok && (o->note || !q->note.n) ? AT_OK : at_oom(err);
}

/* ---- the map ----------------------------------------------------------------------------------------------------- */

static at_status panel_make(panel *q, const at_row *rows, size_t n, const char *build, const at_study *st,
                            at_err *err)
{
    const at_map_panel *w = q->panel;
    bool built = w->construction || w->models;
    q->n = built ? sizes_read(w->sizes, q->size) : 0;
    q->n_bound = w->bound ? sizes_read(w->bound_sizes ? w->bound_sizes : w->sizes, q->bound_size) : 0;
    if ((built && !q->n) || (w->bound && !q->n_bound) || !(built || w->bound || w->trained))
        return at_fail(err, AT_EINPUT, "panel %s, %s of the map: its sizes must be 1..%d rising numbers",
                       w->task, w->architecture, SIZES_MOST);
    at_status s = built_make(q, err);
    if (!s)
        s = checked_make(q, rows, n, build, err);
    if (!s)
        s = bound_make(q, err);
    if (!s)
        s = trained_make(q, st, err);
    if (!s)
        s = refuted_make(q, rows, n, build, err);
    if (s)
        return s;
    verdict_set(q);
    return words_set(q, err);
}

at_status at_map_make(const at_map_panel *panels, int n, const at_row *rows, size_t n_rows, const char *build,
                      at_arena *a, at_map *out, at_err *err)
{
    at_map_place *places = at_new(a, at_map_place, n + 1);
    panel *q = at_new(a, panel, 1);
    if (!places || !q)
        return at_oom(err);
    size_t trained = 0;
    for (size_t i = 0; i < n_rows; i++)
        trained += at_row_is_trained(&rows[i]);
    at_study st = {0};
    at_status s = trained <= AT_STUDY_MAX_RUNS ? at_study_make(rows, n_rows, build, a, &st, err) : AT_OK;
    at_map m = {.n = n, .places = places};
    for (int k = 0; k < n && !s; k++) {
        *q = (panel){.panel = &panels[k], .a = a};
        at_text_init(&q->note);
        s = panel_make(q, rows, n_rows, build, &st, err);
        at_text_release(&q->note);
        places[k] = q->out;
        m.contradictions += q->out.verdict == AT_MAP_CONTRADICTS;
    }
    if (!s)
        *out = m;
    return s;
}
