/* ask.c: a question of one's own as a claim: does this model solve that problem?
 *
 * What is made has cells like a claim of the catalogue, so that ledger, report and exit codes need to know nothing of it. It has
 * no control: the checks that answer it are those that reject the controls of the catalogue. */
#define _GNU_SOURCE /* memmem */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <attest/front.h>

#include "ask_internal.h"
#include "claim_internal.h"

#define QUICK_CHAINS ((uint64_t)20000) /* of a decoder */
#define SAMPLES      1000
#define MOST_LENGTHS 8 /* of the model's own that are asked unless told, and the longest */

/* ---- cells --------------------------------------------------------------------------------------------------- */

static at_status cell_add(asking *k, at_cell c, const char *params)
{
    at_claim_file *f = k->f;
    if (f->n_cells == FILE_CELLS)
        return at_fail(k->err, AT_EDOMAIN, "more than %d questions; ask for fewer lengths", FILE_CELLS);
    c.params = at_arena_strdup(&f->arena, params);
    c.arith = c.evidence == AT_EV_CERTIFIED ? "ball" : k->q->arith ? k->q->arith : "f64";
    c.tier = AT_TIER_QUICK;
    if (c.evidence == AT_EV_SAMPLED)
        c.inputs = 10 * (k->inputs      ? k->inputs /* of which the quick tier takes a tenth */
                         : k->q->inputs ? k->q->inputs
                                        : SAMPLES);
    f->cells[f->n_cells++] = c;
    return c.params ? AT_OK : at_oom(k->err);
}

/* Is running so many inputs a matter of minutes? What is compiled is small. */
static bool is_quick(const asking *k, const at_params *p, uint64_t n)
{
    at_arith a = at_f64;
    if (k->q->arith && at_arith_parse(k->q->arith, &a, NULL))
        return false; /* whoever runs it says why */
    double cost = k->m ? at_input_cost(k->m, at_params_int(p, "N")) : 0;
    cost *= a.kind == AT_F32 || a.kind == AT_F64         ? 1
            : a.kind == AT_PBIT || a.kind == AT_QUOTIENT ? AT_REFERENCE_COST
                                                         : AT_BALL_COST;
    return n <= QUICK_INPUTS && (double)n * cost <= QUICK_WORK;
}

/* How a task's inputs at these parameters are asked. */
static at_status positions_how(asking *k, const at_task *t, const at_params *p, at_cell *c)
{
    static const at_enum orders[] = {AT_ENUM_SEQUENCES, AT_ENUM_MULTISETS, AT_ENUM_PAIRS, AT_ENUM_SUBSETS,
                                     AT_ENUM_CASES};
    *c = (at_cell){.evidence = AT_EV_SAMPLED};
    if (k->q->how == AT_ASK_CERTIFIED) {
        bool fewer = t->enums >> AT_ENUM_MULTISETS & 1 && k->m && at_model_symmetric(k->m);
        *c = (at_cell){.evidence = AT_EV_CERTIFIED,
                       .how = fewer ? AT_ENUM_MULTISETS : AT_ENUM_SEQUENCES,
                       .count_all = true};
        return AT_OK;
    }
    bool any = false;
    for (size_t i = 0; i < sizeof orders / sizeof *orders && k->q->how != AT_ASK_SAMPLED; i++) {
        at_enum e = orders[i];
        if (!(t->enums >> e & 1) || (e == AT_ENUM_MULTISETS && !(k->m && at_model_symmetric(k->m))))
            continue;
        uint64_t n = t->count(p, e);
        if (!n)
            continue;
        /* Fewer that stand for all are better, and a forced exact check takes what there is. */
        bool quick = is_quick(k, p, n) || e == AT_ENUM_CASES; /* a list is run whole */
        if (quick || (k->q->how == AT_ASK_EXACT && !any))
            *c = (at_cell){.evidence = AT_EV_EXACT, .how = e, .count_all = true};
        any = true;
        if (quick)
            return AT_OK;
    }
    if (k->q->how == AT_ASK_EXACT && !any)
        return at_fail(k->err, AT_EREFUSED, "the inputs of %s cannot be enumerated; --sampled N draws them",
                       t->id);
    return AT_OK;
}

at_status ask_lengths(const asking *k, int64_t *lo, int64_t *hi)
{
    const char *s = k->q->lengths, *dots = strstr(s, "..");
    size_t n = dots ? (size_t)(dots - s) : strlen(s);
    if (!at_parse_i64(s, n, lo) || !at_parse_i64(dots ? dots + 2 : s, strlen(dots ? dots + 2 : s), hi) ||
        *lo < 0 || *hi < *lo)
        return at_fail(k->err, AT_EINPUT, "lengths '%.40s': must be as in 0..6, or one number", s);
    return AT_OK;
}

static at_status lengths_parse(asking *k, const at_param *row, int64_t *lo, int64_t *hi)
{
    const char *s = k->q->lengths;
    at_status st = ask_lengths(k, lo, hi);
    if (st)
        return st;
    if (*lo < row->lo || *hi > row->hi)
        return at_fail(k->err, AT_EDOMAIN, "lengths '%.40s': %s has inputs of lengths %.0f..%.0f", s,
                       k->q->problem->id, row->lo, row->hi);
    if (k->m && (*lo < k->m->n_min || *hi > k->m->n_max))
        return at_fail(k->err, AT_EDOMAIN, "lengths '%.40s': the model takes lengths %d..%d", s, k->m->n_min,
                       k->m->n_max);
    return AT_OK;
}

static at_status length_ask(asking *k, int64_t n, const char *set)
{
    const at_task *t = k->q->problem->task;
    at_params p;
    at_sweep w;
    at_cell c;
    at_text line;
    at_text_init(&line);
    at_text_addf(&line, "%s%sN=%" PRId64, set, *set ? " " : "", n);
    at_sweep_init(&w, t->params, t->n_params);
    w.first.of = k->q->problem;
    at_status s = line.oom ? at_oom(k->err) : at_sweep_parse(&w, line.s, k->err);
    if (!s)
        at_sweep_nth(&w, at_sweep_count(&w) - 1, &p); /* the largest of ranges */
    if (!s && t->validate)
        s = t->validate(&p, k->err); /* of a file of cases: is there one of this length? */
    if (!s)
        s = positions_how(k, t, &p, &c);
    if (!s)
        s = cell_add(k, c, line.s);
    at_text_release(&line);
    return s;
}

/* A cell a length: those of --lengths, or of N in `set`, or the first few that model and problem have in common. */
static at_status positions_ask(asking *k, const char *set)
{
    const at_task *t = k->q->problem->task;
    at_params p;
    at_sweep w;
    at_sweep_init(&w, t->params, t->n_params);
    w.first.of = k->q->problem;
    at_status s = at_sweep_parse(&w, set, k->err);
    if (s)
        return s;
    int row = 0;
    while (row < t->n_params && strcmp(t->params[row].name, "N") != 0)
        row++;
    if (at_assignments_name(set, "N") || t->length) {
        if (k->q->lengths)
            return at_fail(k->err, AT_EINPUT, "lengths are given twice, by --lengths and by N");
        if (t->length && !at_assignments_name(set, "N"))
            return at_sweep_nth(&w, 0, &p), length_ask(k, t->length(&p), set);
        at_cell c;
        at_sweep_nth(&w, at_sweep_count(&w) - 1, &p);
        s = positions_how(k, t, &p, &c);
        return s ? s : cell_add(k, c, set);
    }
    int64_t lo, hi;
    if (k->q->lengths) {
        s = lengths_parse(k, &t->params[row], &lo, &hi);
    } else {
        lo = k->m->n_min > t->params[row].lo ? k->m->n_min : (int64_t)t->params[row].lo;
        hi = k->m->n_max < t->params[row].hi ? k->m->n_max : (int64_t)t->params[row].hi;
        if (hi < lo)
            return at_fail(k->err, AT_EDOMAIN, "%s has lengths %.0f..%.0f, the model takes %d..%d",
                           k->q->problem->id, t->params[row].lo, t->params[row].hi, k->m->n_min, k->m->n_max);
    }
    for (int64_t n = lo; n <= hi && !s; n++) {
        if (!k->q->lengths && !(t->enums >> AT_ENUM_CASES & 1) && n - lo == MOST_LENGTHS && n < hi)
            n = hi;
        at_err none = {0}, *err = k->err;
        k->err = &none;
        s = length_ask(k, n, set);
        k->err = err;
        if (s == AT_EDOMAIN && !k->q->lengths) /* a length between others that has no inputs */
            s = AT_OK;
        else if (s)
            at_fail(err, s, "%s", none.text);
    }
    if (!s && !k->f->n_cells)
        return at_fail(k->err, AT_EDOMAIN, "%s has no inputs at lengths %" PRId64 "..%" PRId64,
                       k->q->problem->id, lo, hi);
    return s;
}

/* ---- decoders, and what is compiled -------------------------------------------------------------------------------------------------- */

static at_cell chain_cell(const asking *k)
{
    if (k->q->how == AT_ASK_SAMPLED || k->inputs)
        return (at_cell){.evidence = AT_EV_SAMPLED};
    bool listed = k->m && k->view == AT_VIEW_CHAIN &&
                  k->q->problem->chain->listed; /* few, and how many are wrong counts */
    return (at_cell){.evidence = AT_EV_EXACT,
                     .inputs = k->q->how == AT_ASK_EXACT || listed ? 0 : QUICK_CHAINS,
                     .count_all = listed};
}

/* Words of length N are asked of the model for the longest words that are asked: such a model takes them all. */
static at_status sizes_take(const at_params *p, at_params *out, at_err *err)
{
    *out = *p;
    for (int k = 0; k < p->n; k++)
        if (!strcmp(p->schema[k].name, LONGEST))
            return at_params_set(out, "N", p->value[k], err);
    return AT_OK;
}

/* Does this kind of attention compile at every point? Else why not. */
static at_status kind_tried(asking *k, const at_sweep *w, at_attention_kind kind, at_err *why)
{
    const at_front *f = at_front_of(k->q->problem);
    at_status s = AT_OK;
    uint64_t n = at_sweep_count(w);
    for (uint64_t i = 0; i < n && !s; i++) {
        at_params point, p;
        at_model m;
        at_sweep_nth(w, i, &point);
        at_front_options o = {.attention = kind};
        s = sizes_take(&point, &p, why);
        if (!s)
            s = f->model(&p, &o, &m, why);
        if (!s)
            at_model_release(&m);
        else {
            at_text t;
            at_text_init(&t);
            at_params_print(&p, &t);
            at_err inner = *why;
            at_fail(why, s, "%s: %.300s", t.oom ? "" : t.s, inner.text);
            at_text_release(&t);
        }
    }
    return s;
}

static at_status decoder(const at_params *p, at_model *m, at_err *err)
{
    at_front_options o = {.attention = (at_attention_kind)at_params_int(p, ATTENTION)};
    at_params sizes;
    at_status s = sizes_take(p, &sizes, err);
    return s ? s : at_front_of(p->of)->model(&sizes, &o, m, err);
}

/* The sizes that are asked unless they are told: from the least to three. */
static at_status sizes_usual(asking *k, const char *set, at_text *out)
{
    const at_param *schema;
    int n = at_problem_schema(k->q->problem, k->view, &schema);
    at_text_add(out, set);
    if (k->view == AT_VIEW_CHAIN && k->q->problem->chain->nested)
        n = 0;
    for (int i = 0; i < n; i++)
        if (schema[i].integer && !schema[i].names && !at_assignments_name(set, schema[i].name) &&
            k->q->problem->self && schema[i].value > 0)
            at_text_addf(out, "%s%s=%.0f..%.0f", out->n ? " " : "", schema[i].name, fmax(schema[i].lo, 0),
                         schema[i].value);
    return out->oom ? at_oom(k->err) : AT_OK;
}

/* The kinds of attention that the compiler may be asked for. */
static const char *const *kinds_of(const at_problem *p, int *n)
{
    return at_front_kinds(at_front_of(p), n);
}

int ask_kind(const asking *k)
{
    return k->q->attention < 0 && at_front_of(k->q->problem)->kinds ? 0 : k->q->attention;
}

at_status ask_kinds(asking *k, const at_sweep *w, const char *params)
{
    at_status s = AT_OK;
    int kinds;
    const char *const *names = kinds_of(k->q->problem, &kinds);
    if (kinds == 1 && k->q->attention > 0)
        return at_fail(k->err, AT_EREFUSED, "%s has one kind of attention, %s", k->q->problem->id, *names);
    for (int kind = 0; kind < kinds && !s; kind++) {
        at_err why = {0};
        int wanted = ask_kind(k);
        if (wanted >= 0 && wanted != kind)
            continue;
        at_status no = kind_tried(k, w, (at_attention_kind)kind, &why);
        if (no == AT_ENOMEM || no == AT_ECANCEL || (no && (kinds == 1 || wanted >= 0)))
            return at_fail(k->err, no, "%s", why.text);
        if (no) {
            if (k->left_out)
                at_text_addf(k->left_out, "%s: %s\n", names[kind], why.text);
            continue;
        }
        at_cell c = chain_cell(k);
        if (k->view == AT_VIEW_POSITIONS) {
            at_params p;
            at_sweep_nth(w, at_sweep_count(w) - 1, &p); /* the largest of ranges */
            s = positions_how(k, k->q->problem->task, &p, &c);
        }
        at_text line;
        at_text_init(&line);
        at_text_addf(&line, "%s " ATTENTION "=%s", params, names[kind]);
        if (k->lengths)
            at_text_addf(&line, " " LONGEST "=%d", k->longest);
        if (!s)
            s = line.oom ? at_oom(k->err) : cell_add(k, c, line.s);
        at_text_release(&line);
    }
    return s;
}

/* Are these sizes of the problem? A range may depend on an earlier size. */
static at_status point_tried(const asking *k, const at_params *p, at_err *why)
{
    const at_task *t = k->q->problem->task;
    if (k->view == AT_VIEW_POSITIONS)
        return t->validate ? t->validate(p, why) : AT_OK;
    void *self;
    at_status s = k->q->problem->chain->open(p, &self, why);
    if (!s)
        k->q->problem->chain->close(self);
    return s;
}

/* One cell a kind where all points are sizes of the problem; else each that is one is asked by itself. */
static at_status points_ask(asking *k, const at_sweep *w, const char *params)
{
    uint64_t n = at_sweep_count(w), none = 0;
    at_err first = {0};
    for (uint64_t i = 0; i < n; i++) {
        at_params p;
        at_err why = {0};
        at_sweep_nth(w, i, &p);
        at_status s = point_tried(k, &p, &why);
        if (s == AT_ENOMEM)
            return at_fail(k->err, s, "%s", why.text);
        if (s && !none++)
            first = why;
    }
    if (!none)
        return ask_kinds(k, w, params);
    if (none == n)
        return at_fail(k->err, AT_EDOMAIN, "%s", first.text);
    if (k->left_out)
        at_text_addf(k->left_out, "%" PRIu64 " of %" PRIu64 " sizes: %s\n", none, n, first.text);
    at_status s = AT_OK;
    for (uint64_t i = 0; i < n && !s; i++) {
        at_sweep one = *w;
        at_err why = {0};
        at_sweep_nth(w, i, &one.first);
        memcpy(one.last, one.first.value, sizeof one.last);
        if (point_tried(k, &one.first, &why))
            continue;
        one.first.n -= 1 + k->lengths; /* but the attention and the longest, which each cell says */
        at_text line;
        at_text_init(&line);
        at_params_print(&one.first, &line);
        one.first.n += 1 + k->lengths;
        s = line.oom ? at_oom(k->err) : ask_kinds(k, &one, line.s);
        at_text_release(&line);
    }
    return s;
}

static at_status compiled_ask(asking *k, const char *set)
{
    if (ask_reaches(k) && k->view == AT_VIEW_POSITIONS)
        return ask_words(k, set);
    at_text sizes;
    at_text_init(&sizes);
    at_status s = AT_OK;
    if (k->q->lengths && at_assignments_name(set, "N"))
        s = at_fail(k->err, AT_EINPUT, "lengths are given twice, by --lengths and by N");
    at_text told;
    at_text_init(&told);
    at_text_addf(&told, "%s%s%s", set, k->q->lengths ? " N=" : "", k->q->lengths ? k->q->lengths : "");
    if (!s)
        s = told.oom ? at_oom(k->err) : sizes_usual(k, told.s, &sizes);
    at_text_release(&told);
    at_sweep w;
    at_sweep_init(&w, k->f->claim.params, k->f->claim.n_params);
    w.first.of = k->q->problem;
    if (!s)
        s = at_sweep_parse(&w, sizes.s, k->err);
    if (!s && k->lengths) {
        at_params p;
        at_sweep_nth(&w, at_sweep_count(&w) - 1, &p);
        k->longest = at_params_int(&p, "N");
        w.first.value[p.n - 1] = w.last[p.n - 1] = k->longest;
    }
    if (!s)
        s = points_ask(k, &w, sizes.s);
    at_text_release(&sizes);
    if (!s && !k->f->n_cells)
        return at_fail(k->err, AT_EREFUSED, "no kind of attention compiles %s at these sizes",
                       k->q->problem->id);
    return !s && ask_reaches(k) ? ask_chains(k, set) : s;
}

/* ---- the claim ---------------------------------------------------------------------------------------------------- */

/* Letters, digits and - alone: it is an anchor in the report. */
static char *slug(at_arena *a, const char *problem, const char *model)
{
    char *out = at_arena_printf(a, "%s%s%s", problem, model ? "-" : "", model ? model : "");
    for (char *c = out; c && *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '-';
    return out;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static at_status schema_take(asking *k)
{
    const at_param *schema;
    int n = at_problem_schema(k->q->problem, k->view, &schema);
    at_claim *c = &k->f->claim;
    at_param *rows = at_new(&k->f->arena, at_param, n + 2);
    if (!rows)
        return at_oom(k->err);
    if (n) /* a file of cases has no parameters */
        memcpy(rows, schema, (size_t)n * sizeof *rows);
    if (!k->m) {
        int kinds;
        const char *const *names = kinds_of(k->q->problem, &kinds);
        const at_param *N = NULL;
        for (int i = 0; i < n && k->view == AT_VIEW_POSITIONS; i++)
            N = strcmp(rows[i].name, "N") ? N : &rows[i];
        rows[n++] = (at_param){ATTENTION, "the kind of attention", 0, kinds - 1, 0, true, names};
        if (N)
            rows[n++] = (at_param){
                LONGEST, "the longest words that the model takes", N->lo, N->hi, N->value, true, NULL};
        k->lengths = N != NULL;
    }
    c->params = rows;
    c->n_params = n;
    return AT_OK;
}

static at_status tolerance_take(asking *k, const at_params *p)
{
    const at_task *t = k->q->problem->task;
    if (k->view != AT_VIEW_POSITIONS || !t->real)
        return k->q->tolerance > 0 ? at_fail(k->err, AT_EINPUT,
                                             "answers of %s are no reals: --tolerance says nothing of them",
                                             k->q->problem->id)
                                   : AT_OK;
    k->f->tolerance = k->q->tolerance;
    if (!(k->f->tolerance > 0))
        k->f->tolerance = at_task_tolerance(t, p);
    return k->f->tolerance > 0
               ? AT_OK
               : at_fail(k->err, AT_EINPUT,
                         "answers of %s are reals: how far off may they be? (--tolerance E)", t->id);
}

/* The view that the model is asked in, at the first point of ranges: "n=1..6" is "n=1". */
static at_status view_find(asking *k, at_asked *x)
{
    at_text first;
    at_text_init(&first);
    at_text_add(&first, "");
    for (const char *s = k->q->set ? k->q->set : ""; *s;) {
        size_t n = strcspn(s, " ,"), blanks = strspn(s + n, " ,");
        const char *dots = memmem(s, n, "..", 2);
        at_text_addn(&first, s, dots ? (size_t)(dots - s) : n);
        at_text_addn(&first, s + n, blanks);
        s += n + blanks;
    }
    at_status s = first.oom ? at_oom(k->err) : at_problem_ask(k->q->problem, k->m, first.s, x, k->err);
    at_text_release(&first);
    return s;
}

static void option_add(at_text *t, const char *option, const char *value)
{
    if (!value || !*value)
        return;
    at_text_addf(t, " %s ", option);
    at_text_add_word(t, value);
}

/* The question as `attest check` takes it. */
static at_status words_take(asking *k)
{
    const at_ask *q = k->q;
    const char *problem = q->problem->path ? q->problem->path : q->problem->id;
    char number[32] = "";
    at_text t;
    at_text_init(&t);
    at_text_add_word(&t, q->model ? q->model : problem);
    if (q->model)
        option_add(&t, "--problem", problem);
    option_add(&t, "--set", q->set);
    option_add(&t, "--lengths", q->lengths);
    if (!q->model && q->attention >= 0)
        option_add(&t, "--attention", at_front_kinds(at_front_of(q->problem), &(int){0})[q->attention]);
    switch (q->how) {
    case AT_ASK_ANY:
        break;
    case AT_ASK_EXACT:
        at_text_add(&t, " --exact");
        break;
    case AT_ASK_SAMPLED:
        snprintf(number, sizeof number, "%llu", (unsigned long long)(q->inputs ? q->inputs : SAMPLES));
        option_add(&t, "--sampled", number);
        break;
    case AT_ASK_CERTIFIED:
        at_text_add(&t, " --certify");
        break;
    }
    if (q->arith && strcmp(q->arith, "f64"))
        option_add(&t, "--precision", q->arith);
    if (q->tolerance > 0) {
        snprintf(number, sizeof number, "%.17g", q->tolerance);
        option_add(&t, "--tolerance", number);
    }
    k->f->words = t.oom ? NULL : at_arena_strdup(&k->f->arena, t.s);
    at_text_release(&t);
    return k->f->words ? AT_OK : at_oom(k->err);
}

static at_status claim_fill(asking *k)
{
    at_claim *c = &k->f->claim;
    at_problem *p = k->q->problem;
    at_asked x = {.view = at_front_view(p)};
    at_status s = k->m ? view_find(k, &x) : AT_OK;
    if (s)
        return s;
    k->view = x.view;
    s = tolerance_take(k, &x.params);
    at_asked_release(&x);
    if (s)
        return s;
    c->id = slug(&k->f->arena, base_of(p->id), k->m ? base_of(k->q->model) : NULL);
    c->title = k->m ? at_arena_printf(&k->f->arena, "%s solves %s", base_of(k->q->model), p->id)
                    : at_arena_printf(&k->f->arena, "%s, compiled", p->title);
    c->statement = p->definition;
    c->source = p->path ? p->path : "built in";
    c->proof = "";
    c->look_params = "";
    c->problem = p;
    c->file = k->f;
    c->cells = k->f->cells;
    k->f->path = k->f->text = "";
    s = words_take(k);
    if (s)
        return s;
    if (!c->id || !c->title)
        return at_oom(k->err);
    k->f->variants[0].given = k->q->given;
    if (k->m)
        k->f->variants[0].model = at_arena_strdup(&k->f->arena, k->q->model);
    else
        c->decoder = decoder;
    k->f->n_variants = 1;
    if (k->view == AT_VIEW_CHAIN)
        c->chain = p->chain;
    else if (k->view == AT_VIEW_ROWS)
        c->chain = &at_chain_stream;
    c->digest = p->digest;
    s = schema_take(k);
    if (!s && !k->m) { /* what is compiled is asked by the tolerance that the problem has */
        at_params usual;
        at_params_init(&usual, p->task ? p->task->params : NULL, p->task ? p->task->n_params : 0);
        usual.of = p;
        s = tolerance_take(k, &usual);
    }
    if (!s && k->q->how == AT_ASK_CERTIFIED)
        s = k->view == AT_VIEW_POSITIONS
                ? claim_certificate_of(p, c, k->err)
                : at_fail(k->err, AT_EREFUSED,
                          "decoders are checked by generating; nothing can be certified");
    bool lengths =
        k->view == AT_VIEW_CHAIN && p->chain->nested && !k->q->model; /* of its inputs: N says the longest */
    if (!s && k->view != AT_VIEW_POSITIONS && k->q->lengths && !lengths)
        s = at_fail(k->err, AT_EINPUT, "%s has no lengths here; its sizes are parameters (--set)", p->id);
    at_text mine;
    at_text_init(&mine);
    if (!s)
        s = at_problem_assignments(p, k->view, k->q->set, &mine, k->err);
    if (!s)
        s = !k->m                          ? compiled_ask(k, mine.s)
            : k->view == AT_VIEW_POSITIONS ? positions_ask(k, mine.s)
                                           : cell_add(k, chain_cell(k), mine.s);
    at_text_release(&mine);
    c->n_cells = k->f->n_cells;
    return s;
}

at_status at_claim_ask(const at_ask *q, at_claim_file **out, at_text *left_out, at_err *err)
{
    at_model m;
    at_err own = {0};
    asking k = {.q = q, .left_out = left_out, .err = err ? err : &own};
    *out = NULL;
    if (!q->model && !at_front_of(q->problem))
        return at_fail(err, AT_EREFUSED, "%s cannot be compiled; give a model, and %s as --problem",
                       q->problem->id, q->problem->id);
    bool loads = q->model && !q->given;
    at_status s = loads ? at_model_load(&m, q->model, err) : AT_OK;
    if (s)
        return s;
    k.m = loads ? &m : q->given;
    k.f = at_calloc(1, sizeof *k.f);
    if (!k.f)
        s = at_oom(err);
    else
        at_arena_init(&k.f->arena);
    if (!s)
        s = claim_fill(&k);
    if (loads)
        at_model_release(&m);
    if (s)
        at_claim_file_free(k.f);
    else
        *out = k.f;
    return s;
}
