/* file_make.c: the statements of a claim file, as a whole, into a claim.
 *
 * What is claimed is asked in one view of the problem: at positions of programs and of models that answer there, by the chain or
 * the rows of decoders. The view has the parameters; those of the program, or `attention` of what is compiled, come after them,
 * then `variant`, where a control changes what the model is made of. */
#include "file_reader.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <attest/front.h>

#include "claim_internal.h"

/* ---- parameters ----------------------------------------------------------------------------------------------- */

static void param_add(reader *r, const at_param *q)
{
    if (r->n_schema == AT_PARAMS_MAX)
        file_fail(r, r->source_at.line, r->source_at.column, "more than %d parameters", AT_PARAMS_MAX);
    else
        r->schema[r->n_schema++] = *q;
}

static at_param *param_find(reader *r, const char *name)
{
    for (int k = 0; k < r->n_schema; k++)
        if (!strcmp(r->schema[k].name, name))
            return &r->schema[k];
    return NULL;
}

/* Of a program, or of what is compiled. Of those that the problem has too, ranges are met. */
static void params_join(reader *r, const at_param *own, int n, bool defaults)
{
    for (int k = 0; k < n && !r->status; k++) {
        at_param *both = param_find(r, own[k].name);
        if (!strcmp(own[k].name, VARIANT))
            file_fail(r, r->source_at.line, r->source_at.column,
                      "a parameter " VARIANT "; controls need this name");
        else if (!both)
            param_add(r, &own[k]);
        else {
            both->lo = fmax(both->lo, own[k].lo);
            both->hi = fmin(both->hi, own[k].hi);
            both->value = fmax(both->lo, fmin(both->hi, defaults ? own[k].value : both->value));
            both->integer = both->integer || own[k].integer;
            if (both->lo > both->hi)
                file_fail(r, r->source_at.line, r->source_at.column,
                          "parameter %s: the program's range and the problem's have nothing in common",
                          own[k].name);
        }
    }
}

/* The problem's line has the defaults. */
static void defaults_take(reader *r)
{
    at_text mine;
    at_params p;
    at_err why = {0};
    at_text_init(&mine);
    at_text_add(&mine, "");
    at_params_init(&p, r->schema, r->n_schema);
    at_status s = AT_OK;
    if (r->said[MODEL]) /* views may differ in what they know */
        s = at_problem_assignments(r->problem, r->view, r->set, &mine, &why);
    else
        at_text_add(&mine, r->set ? r->set : "");
    if (!s)
        s = mine.oom ? at_oom(&why) : at_params_parse(&p, mine.s, &why);
    at_text_release(&mine);
    file_why(r, r->problem_at, s, &why);
    for (int k = 0; k < r->n_schema; k++)
        r->schema[k].value = p.value[k];
}

static void schema_make(reader *r)
{
    at_claim_file *f = r->f;
    const at_param *rows;
    at_param *own = NULL;
    int n_own = 0, n = at_problem_schema(r->problem, r->view, &rows);
    for (int k = 0; k < n; k++)
        param_add(r, &rows[k]);
    if (r->said[PROGRAM]) {
        at_status s = at_program_params(&f->variants[0].text, &f->arena, &own, &n_own, r->err);
        if (s && !r->status)
            r->status = s; /* it begins with its own place */
        params_join(r, own, n_own, true);
    }
    if (r->said[COMPILE]) {
        const at_problem *source = f->variants[0].source;
        const at_front *front = at_front_of(source);
        int kinds;
        const char *const *names = at_front_kinds(front, &kinds);
        at_attention_kind number;
        at_err none = {0};
        file_why(r, r->attention ? r->attention_at : r->source_at,
                 at_front_kind(front, r->attention, &number, &none), &none);
        at_param kind = {.name = ATTENTION,
                         .doc = "the kind of attention",
                         .hi = kinds - 1,
                         .value = (double)number,
                         .integer = true,
                         .names = names};
        n = at_problem_schema(source, at_front_view(source), &rows);
        params_join(r, rows, n, false);
        if (param_find(r, ATTENTION))
            file_fail(r, r->source_at.line, r->source_at.column,
                      "a parameter " ATTENTION "; compiling needs this name");
        param_add(r, &kind);
    }
    if (!r->status)
        defaults_take(r);
}

/* ---- the view ------------------------------------------------------------------------------------------------ */

static void source_find(reader *r)
{
    variant *v = &r->f->variants[0];
    if (!r->problem) {
        r->problem = (at_problem *)v->source;
        r->problem_at = r->source_at;
    }
    if (!v->source)
        v->source = r->problem;
    if (!at_front_of(v->source))
        file_fail(r, r->source_at.line, r->source_at.column,
                  "%.100s cannot be compiled (`attest list languages`)", v->source->id);
    else {
        r->view = at_front_view(v->source);
        if (!at_problem_has(r->problem, r->view))
            file_fail(r, r->problem_at.line, r->problem_at.column, "what is compiled %s, and %.100s has none",
                      r->view == AT_VIEW_CHAIN ? "writes a chain" : "answers at positions", r->problem->id);
    }
}

/* A file of cases is read by a model: that of the program at its own defaults. */
static at_status cases_suit(reader *r, at_err *why)
{
    at_param *own = NULL;
    int n_own = 0;
    at_params p;
    at_program *P = NULL;
    at_model m;
    at_view view;
    at_status s = at_program_params(&r->f->variants[0].text, &r->f->arena, &own, &n_own, why);
    if (s)
        return s;
    at_params_init(&p, own, n_own);
    s = at_program_parse(&r->f->variants[0].text, &p, &P, why);
    if (!s)
        s = at_assemble(P, &m, NULL, why);
    at_program_free(P);
    if (s)
        return s;
    s = at_problem_view(r->problem, &m, NULL, &view, why);
    at_model_release(&m);
    return s;
}

static void view_find(reader *r)
{
    at_err why = {0};
    at_model m;
    if (r->said[COMPILE]) {
        source_find(r);
        return;
    }
    if (r->said[PROGRAM]) {
        r->view = AT_VIEW_POSITIONS;
        if (r->problem->suit)
            file_why(r, r->problem_at, cases_suit(r, &why), &why);
        else if (!at_problem_has(r->problem, r->view))
            file_fail(r, r->problem_at.line, r->problem_at.column,
                      "a program answers at positions, and %.100s is for decoders", r->problem->id);
        return;
    }
    at_status s = at_model_load(&m, r->f->variants[0].model, &why);
    file_why(r, r->source_at, s, &why);
    if (s)
        return;
    file_why(r, r->problem_at, at_problem_view(r->problem, &m, r->set, &r->view, &why), &why);
    at_model_release(&m);
}

/* ---- controls that change what there is ------------------------------------------------------------------------ */

/* A text in which one text, which stands in it once, is replaced; NULL after failure. */
static char *text_replace(reader *r, const change *k, const char *s, size_t length, const char *what)
{
    size_t n = strlen(k->from), found = 0, at = 0;
    for (size_t i = 0; n && i + n <= length; i++)
        if (memcmp(s + i, k->from, n) == 0) {
            found++;
            at = i;
        }
    if (found != 1) {
        file_fail(r, k->at.line, k->at.column, "\"%.60s\" stands %zu times in the %s; it must be once",
                  k->from, found, what);
        return NULL;
    }
    char *out =
        at_arena_printf(&r->f->arena, "%.*s%s%.*s", (int)at, s, k->to, (int)(length - at - n), s + at + n);
    if (!out)
        file_oom(r);
    return out;
}

/* A recurrence with a change in it; NULL after failure. */
static const at_problem *problem_change(reader *r, const change *k, const at_problem *p)
{
    at_problem *out = NULL;
    at_err why = {0};
    if (!p->text) {
        file_fail(r, k->at.line, k->at.column, "%.100s has no text of which something could be replaced",
                  p->id);
        return NULL;
    }
    const char *text = text_replace(r, k, p->text, strlen(p->text), p->task ? "text" : "recurrence");
    at_status s =
        text ? at_problem_parse(p->lang, p->path ? p->path : p->id, text, strlen(text), &out, &why) : AT_OK;
    if (s == AT_ENOMEM)
        file_oom(r);
    else if (s)
        file_fail(r, k->at.line, k->at.column, "the control cannot be built: %.300s", why.text);
    if (out)
        file_hold(r, out);
    return out;
}

static void variant_text(reader *r, const change *k, variant *v)
{
    const variant *first = &r->f->variants[0];
    if (r->said[PROGRAM]) {
        const at_program_text *t = &first->text;
        const char *s = text_replace(r, k, t->s, t->n, "program");
        v->text = (at_program_text){t->path, s, s ? strlen(s) : 0, t->line};
    } else if (r->said[COMPILE])
        v->source = problem_change(r, k, first->source);
    else if (r->view == AT_VIEW_CHAIN && r->problem->text)
        v->problem = problem_change(r, k, r->problem);
    else
        file_fail(r, k->at.line, k->at.column,
                  "there is no program to replace a text of; control model FILE, or weight");
    v->what = at_arena_printf(&r->f->arena, "\"%s\" becomes \"%s\"", k->from, k->to);
}

static void variant_make(reader *r, const change *c, variant *v)
{
    at_arena *a = &r->f->arena;
    *v = r->f->variants[0];
    v->line = c->at.line;
    v->column = c->at.column;
    v->weight = c->weight;
    if (c->model) {
        *v = (variant){.line = c->at.line, .column = c->at.column, .model = c->model};
        v->what = at_arena_printf(a, "the model %s", c->model);
    } else if (c->weight.tensor && c->weight.column >= 0)
        v->what = at_arena_printf(a, "%s[%" PRId64 ",%" PRId64 "] becomes %.17g", c->weight.tensor,
                                  c->weight.at, c->weight.column, c->weight.value);
    else if (c->weight.tensor)
        v->what = at_arena_printf(a, "%s[%" PRId64 "] becomes %.17g", c->weight.tensor, c->weight.at,
                                  c->weight.value);
    else
        variant_text(r, c, v);
}

static void variants_make(reader *r)
{
    at_claim_file *f = r->f;
    const char **names = at_new(&f->arena, const char *, r->n_changes + 2);
    at_text doc;
    f->n_variants = 1;
    if (!r->n_changes)
        return;
    at_text_init(&doc);
    at_text_add(&doc, "what the model is made of");
    for (int k = 0; k < r->n_changes && names && !r->status; k++) {
        const change *c = &r->changes[k];
        variant *v = &f->variants[f->n_variants++];
        variant_make(r, c, v);
        names[k + 1] = at_arena_printf(&f->arena, "control-%d", k + 1);
        f->cells[c->cell].control = at_arena_printf(&f->arena, VARIANT "=control-%d", k + 1);
        if (!r->status && (!names[k + 1] || !f->cells[c->cell].control || !v->what))
            file_oom(r);
        at_text_addf(&doc, "; control-%d: %s", k + 1, v->what ? v->what : "");
    }
    at_param q = {.name = VARIANT, .hi = r->n_changes, .integer = true, .names = names};
    q.doc = doc.oom || !names ? NULL : file_copy(r, doc.s, doc.n);
    at_text_release(&doc);
    if (!q.doc) {
        file_oom(r);
        return;
    }
    names[0] = "as-written";
    param_add(r, &q);
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

/* Of a file of cases that is asked without a length: all lengths. */
static void lengths_take(reader *r, at_cell *c, spot at)
{
    const at_task *t = r->problem->task;
    if (r->view != AT_VIEW_POSITIONS || t->enums != 1u << AT_ENUM_CASES ||
        at_assignments_name(c->params, "N") || at_assignments_name(r->set, "N"))
        return;
    int lo = (int)t->params[0].lo, hi = (int)t->params[0].hi;
    for (int n = lo; n <= hi && !r->status; n++) {
        at_params p;
        at_err why = {0};
        at_params_init(&p, t->params, t->n_params);
        p.of = r->problem;
        p.value[0] = n;
        if (t->validate(&p, &why))
            file_fail(r, at.line, at.column, "%.200s: lengths of cases are %d..%d; say which, as in N=%d",
                      why.text, lo, hi, lo);
    }
    c->params = at_arena_printf(&r->f->arena, "%s%sN=%d..%d", c->params, *c->params ? " " : "", lo, hi);
    if (!c->params)
        file_oom(r);
}

/* The enumeration that was asked for, or the first that the problem has. */
static void enumeration_take(reader *r, at_cell *c, spot at)
{
    const at_task *t = r->problem->task;
    if (r->view != AT_VIEW_POSITIONS) {
        if (c->how != ENUM_UNSAID)
            file_fail(r, at.line, at.column, "prompts have one enumeration, not %s; say exact alone",
                      at_enum_names[c->how]);
        c->how = AT_ENUM_SEQUENCES;
        c->count_all = r->view == AT_VIEW_CHAIN && r->problem->chain->listed;
        return;
    }
    for (int e = 0; e < AT_ENUMS && c->how == ENUM_UNSAID; e++)
        c->how = t->enums >> e & 1 ? (at_enum)e : c->how;
    c->count_all = c->how == AT_ENUM_CASES; /* they are few, and how many are wrong is the question */
    if (c->how == ENUM_UNSAID)
        file_fail(r, at.line, at.column, "the inputs of %.100s cannot be enumerated; sampled N draws them",
                  r->problem->id);
    else if (!(t->enums >> c->how & 1))
        file_fail(r, at.line, at.column, "problem %.100s has no enumeration of %s", r->problem->id,
                  at_enum_names[c->how]);
}

static void certificate_take(reader *r, spot at)
{
    at_err why = {0};
    if (r->view == AT_VIEW_POSITIONS)
        file_why(r, at, claim_certificate_of(r->problem, &r->f->claim, &why), &why);
    else
        file_fail(r, at.line, at.column, "decoders are checked by generating; nothing can be certified");
}

/* Every cell has parameters that exist, and what it asks for the problem has. */
static void cells_check(reader *r)
{
    at_claim_file *f = r->f;
    for (int k = 0; k < f->n_cells && !r->status; k++) {
        at_cell *c = &f->cells[k];
        at_err why = {0};
        at_sweep sweep;
        at_arith a;
        spot at = f->spots[k];
        lengths_take(r, c, at);
        if (!r->status && (at_cell_sweep(&f->claim, c, AT_TIER_FULL, NULL, &sweep, &why) ||
                           at_arith_parse(at_cell_arith(c), &a, &why)))
            file_fail(r, at.line, at.column, "%s", why.text);
        else if (!r->status && c->evidence == AT_EV_EXACT)
            enumeration_take(r, c, at);
        else if (!r->status && c->evidence == AT_EV_CERTIFIED && a.kind != AT_BALL)
            file_fail(r, at.line, at.column,
                      "a certificate speaks of real arithmetic over the stored weights, not of %s",
                      at_cell_arith(c));
        else if (!r->status && c->evidence == AT_EV_CERTIFIED)
            certificate_take(r, at);
    }
}

/* ---- everything can be built, before anything is run -------------------------------------------------------------- */

/* Those of the parameters that the view has, as text. */
static at_status view_params(const reader *r, const at_params *p, at_text *out, at_err *err)
{
    const at_param *rows;
    int n = at_problem_schema(r->problem, r->view, &rows);
    at_params own;
    at_params_init(&own, rows, n);
    for (int k = 0; k < n; k++)
        own.value[k] = at_params_get(p, rows[k].name);
    at_text_add(out, "");
    at_params_print(&own, out);
    return out->oom ? at_oom(err) : AT_OK;
}

/* Does the model take the problem at these parameters, in the view that the claim is asked in? */
static at_status model_fits(const reader *r, const at_model *m, const at_params *p, at_err *why)
{
    at_text set;
    at_view view = r->view;
    at_text_init(&set);
    at_status s = view_params(r, p, &set, why);
    if (!s)
        s = at_problem_view(r->problem, m, set.s, &view, why);
    at_text_release(&set);
    if (!s && view != r->view)
        return at_fail(why, AT_EINPUT, "the model is asked by %s, the others by %s", at_view_names[view],
                       at_view_names[r->view]);
    int n = !s && view == AT_VIEW_POSITIONS ? at_params_int(p, "N") : -1;
    if (n >= 0 && (n < m->n_min || n > m->n_max))
        return at_fail(why, AT_EDOMAIN, "N=%d: the model takes lengths %d..%d", n, m->n_min, m->n_max);
    return s;
}

static bool cell_uses(const reader *r, int cell, int k)
{
    for (int i = 0; i < r->n_changes; i++)
        if (r->changes[i].cell == cell)
            return k == i + 1;
    return k == 0;
}

static void build_failed(reader *r, int k, spot cell, at_status s, const at_err *why)
{
    const variant *v = &r->f->variants[k];
    if (s == AT_ENOMEM)
        file_oom(r);
    else if (s && k)
        file_fail(r, v->line, v->column, "the control cannot be built: %.300s", why->text);
    else
        file_why(r, cell, s, why);
}

/* A model file is asked at the first and the last point of each cell, what is compiled at the first. */
static void cells_build(reader *r, int k)
{
    at_claim_file *f = r->f;
    const variant *v = &f->variants[k];
    at_model m;
    at_err why = {0};
    at_status s = v->model ? at_model_load(&m, v->model, &why) : AT_OK;
    bool loaded = v->model && !s;
    build_failed(r, k, r->source_at, s, &why);
    for (int i = 0; i < f->n_cells && !r->status; i++) {
        at_sweep w;
        at_params p;
        if (!cell_uses(r, i, k) || at_cell_sweep(&f->claim, &f->cells[i], AT_TIER_FULL, NULL, &w, NULL))
            continue;
        for (int last = 0; last <= (v->model != NULL) && !r->status; last++) {
            at_sweep_nth(&w, last ? at_sweep_count(&w) - 1 : 0, &p);
            s = v->model ? AT_OK : at_claim_model(&f->claim, &p, &m, &why);
            bool made = !s && !v->model;
            if (!s)
                s = model_fits(r, &m, &p, &why);
            if (made)
                at_model_release(&m);
            build_failed(r, k, f->spots[i], s, &why);
        }
    }
    double *weight;
    if (loaded && v->weight.tensor && !r->status)
        build_failed(r, k, r->source_at, mutation_find(&v->weight, &m, &weight, &why), &why);
    if (loaded)
        at_model_release(&m);
}

static void program_build(reader *r, int k)
{
    const variant *v = &r->f->variants[k];
    at_params p;
    at_program *P = NULL;
    at_model m;
    at_err why = {0};
    at_params_init(&p, r->f->claim.params, r->f->claim.n_params);
    p.of = r->problem;
    at_status s = at_program_parse(&v->text, &p, &P, &why);
    at_program_free(P);
    if (!s && v->weight.tensor) {
        at_params_set(&p, VARIANT, k, NULL);
        s = at_claim_model(&r->f->claim, &p, &m, &why);
        if (!s)
            at_model_release(&m);
    }
    if (s && s != AT_ENOMEM && !k)
        r->status = at_fail(r->err, s, "%s", why.text); /* it begins with its own place */
    else
        build_failed(r, k, r->source_at, s, &why);
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

static void whole_check(reader *r)
{
    static const struct {
        int word;
        const char *name, *why;
    } needed[] = {{CLAIM, "claim", "a file begins with claim ID \"TITLE\""},
                  {PROBLEM, "problem", "problem NAME says what is to be computed"},
                  {CHECK, "check", "check says what is asked, as in check exact sequences"},
                  {CONTROL, "control",
                   "control says what must make the claim fail: a check that rejects nothing says nothing"}};
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++)
        if (!r->said[needed[k].word] && (needed[k].word != PROBLEM || !r->f->variants[0].source))
            file_fail(r, r->line, 1, "%s is missing: %s", needed[k].name, needed[k].why);
    if (!r->said[PROGRAM] && !r->said[MODEL] && !r->said[COMPILE])
        file_fail(r, r->line, 1, "program, model or compile is missing: what is to be checked");
}

static void tolerance_check(reader *r)
{
    bool real = r->view == AT_VIEW_POSITIONS && r->problem->task->real;
    if (real && !r->said[TOLERANCE])
        file_fail(r, r->problem_at.line, r->problem_at.column,
                  "answers of %s are reals; tolerance NUMBER says how far they may be off", r->problem->id);
    if (!real && r->said[TOLERANCE])
        file_fail(r, r->problem_at.line, r->problem_at.column,
                  "answers of %s are integers; there is no tolerance", r->problem->id);
}

/* What a verdict rests on: the file, and that of the problem. */
static void digest_take(reader *r)
{
    at_claim_file *f = r->f;
    char both[2 * sizeof f->digest];
    f->claim.digest = f->digest;
    if (!r->problem->digest)
        return;
    memcpy(both, f->digest, 64);
    memcpy(both + 64, r->problem->digest, 64);
    at_sha256(both, 128, f->digest);
}

static void claim_fill(reader *r)
{
    at_claim_file *f = r->f;
    at_claim *c = &f->claim;
    at_param *schema = at_new(&f->arena, at_param, r->n_schema + 1);
    if (!schema) {
        file_oom(r);
        return;
    }
    memcpy(schema, r->schema, (size_t)r->n_schema * sizeof *schema);
    c->params = schema;
    c->n_params = r->n_schema;
    c->problem = r->problem;
    if (r->view == AT_VIEW_POSITIONS)
        c->task = r->problem->task->id;
    else
        c->chain = r->view == AT_VIEW_CHAIN ? r->problem->chain : &at_chain_stream;
    c->cells = f->cells;
    c->n_cells = f->n_cells;
    c->statement = c->statement ? c->statement : c->title;
    c->source = c->source ? c->source : f->path;
    c->proof = c->proof ? c->proof : "";
    c->look_params = "";
    c->file = f;
    digest_take(r);
}

void file_make(reader *r)
{
    at_claim_file *f = r->f;
    whole_check(r);
    if (!r->status)
        view_find(r);
    if (!r->status)
        tolerance_check(r);
    for (int k = 0; k < f->n_cells; k++)
        if (r->bare[k]) {
            const char *control = f->cells[k].control;
            f->cells[k] = r->first;
            f->cells[k].control = control;
        }
    if (!r->status)
        schema_make(r);
    if (!r->status)
        variants_make(r);
    if (!r->status)
        claim_fill(r);
    if (!r->status)
        cells_check(r);
    for (int k = 0; k < f->n_variants && !r->status; k++) {
        if (r->said[PROGRAM] && !f->variants[k].model)
            program_build(r, k);
        else
            cells_build(r, k);
    }
}
