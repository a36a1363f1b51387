/* advise.c: which attention for a problem at a length: ruled out, constructible, trained, unknown.
 *
 * Nothing is known here that is not known elsewhere. The problem's parameters are chosen such that the chain, or the input, has the
 * length that is asked for. Then
 *
 *     with a chain of thought     what the front end compiles it to, an attention a row (at_front_shape), and the bounds of the
 *                                 map's panels on such decoders, at the very parameters
 *     without                     the models of claims about its task (at_program_shape), and the bounds of the other panels
 *
 * Weights are not made: sizes, multiply-adds and memory follow from shapes. Sizes that the user asks for turn a row into "ruled
 * out" where the bound binds there, into "unknown" where the construction is larger than that and no bound binds. A bound is then
 * asked about the most permissive model of the width, whose heads are together as wide as the stream. Of a linear decoder that is one head,
 * since H heads of width D/H keep fewer numbers; of a softmax layer these are D heads of width 1, which have most denominators. */
#include "report_internal.h"

#include <attest/front.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64 };

const char *const at_advice_names[AT_ADVICE_KINDS] = {"unknown", "ruled out", "constructible", "trained"};

typedef struct {
    const at_problem *p;
    const at_advice_question *q;
    at_arena *a;
    at_params at; /* of the view that is built */
    bool grow[AT_PARAMS_MAX];
    int total, prompt, written;
    at_advice_row *row;
    int n;
} adviser;

static bool same(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

/* ---- the size that makes the length ------------------------------------------------------------------------- */

/* Rows of prompt and chain, or positions, at these parameters. */
static at_status length_of(const adviser *k, const at_params *at, int *prompt, int *written, at_err *err)
{
    const at_problem *p = k->p;
    *written = 0;
    if (!p->chain || !at_front_of(p)) {
        *prompt = p->task->length ? p->task->length(at) : at_params_int(at, "N");
        return AT_OK;
    }
    void *self;
    at_status s = p->chain->open(at, &self, err);
    if (s)
        return s;
    *prompt = p->chain->prompt_max(self);
    *written = p->chain->rows_max(self);
    p->chain->close(self);
    return AT_OK;
}

/* The parameters with the size at v. */
static at_status size_try(adviser *k, double v, int *total, at_err *err)
{
    at_params at = k->at;
    at_status s = AT_OK;
    for (int i = 0; i < at.n && !s; i++)
        if (k->grow[i])
            s = at_params_set(&at, at.schema[i].name, v, err);
    int prompt = 0, written = 0;
    if (!s)
        s = length_of(k, &at, &prompt, &written, err);
    if (!s && !written && k->p->task->length && at_params_has(&at, "N"))
        s = at_params_set(&at, "N", prompt, err);
    if (s)
        return s;
    *total = prompt + written;
    k->at = at;
    k->prompt = prompt;
    k->written = written;
    k->total = *total;
    return AT_OK;
}

/* The size whose length is nearest. Lengths grow with sizes; a size that cannot be had is too large, as one that is too long. */
static at_status size_find(adviser *k, double lo, double hi, at_err *err)
{
    at_err why = {0};
    int want = k->q->length, total = 0;
    double below = lo,
           above = hi + 1; /* below: known to be possible and no longer than wanted, or the least */
    at_status s = size_try(k, lo, &total, err);
    while (!s && above - below > 1) {
        double v = above > 2 * below + 2 ? 2 * below + 1 : floor((below + above) / 2);
        at_status here = size_try(k, v, &total, &why);
        if (here == AT_ENOMEM || here == AT_ECANCEL)
            return at_fail(err, here, "%s", why.text);
        if (here || total > want)
            above = v;
        else
            below = v;
    }
    if (s)
        return s;
    int over = want + 1;
    at_status far = above <= hi ? size_try(k, above, &over, &why) : AT_EDOMAIN;
    s = size_try(k, below, &total, err);
    if (!s && !far && abs(over - want) < abs(total - want))
        s = size_try(k, above, &total, err);
    if (!s && (k->total > 2 * (double)want || 2 * (double)k->total < want))
        s = at_fail(err, AT_EDOMAIN, "--length %d: the nearest size of %s has %d rows", want, k->p->id,
                    k->total);
    return s;
}

static at_status params_find(adviser *k, at_err *err)
{
    at_view view = at_front_of(k->p) ? at_front_view(k->p) : AT_VIEW_POSITIONS;
    const at_param *schema;
    if (!at_problem_has(k->p, view))
        return at_fail(err, AT_EREFUSED,
                       "%s has rows to learn only: attest knows no construction and no bound", k->p->id);
    int n = at_problem_schema(k->p, view, &schema), growing = 0;
    at_status s = at_problem_params(k->p, view, k->q->set, &k->at, err);
    double lo = 1, hi = 0x1p24;
    bool chain = view == AT_VIEW_CHAIN, derived = !chain && k->p->task->length;
    for (int i = 0; i < n && !s; i++) {
        bool is = chain     ? at_map_counts(k->p, schema[i].name)
                  : derived ? !growing && strcmp(schema[i].name, "N") != 0
                            : same(schema[i].name, "N");
        k->grow[i] = is && !at_assignments_name(k->q->set, schema[i].name);
        if (!k->grow[i])
            continue;
        growing++;
        lo = fmax(lo, schema[i].lo);
        hi = fmin(hi, schema[i].hi);
    }
    if (!s && !growing)
        return at_fail(err, AT_EINPUT, "--set fixes the size of %s, --length too: give one of them",
                       k->p->id);
    return s ? s : size_find(k, lo, hi, err);
}

/* ---- what is built --------------------------------------------------------------------------------------------- */

static at_advice_row *row_add(adviser *k, const char *attention, bool chain)
{
    if (k->n == ROWS)
        return NULL;
    at_advice_row *r = &k->row[k->n++];
    *r = (at_advice_row){.attention = attention,
                         .chain = chain,
                         .per_token = NAN,
                         .total = NAN,
                         .kept = NAN,
                         .bytes = NAN,
                         .least = NAN,
                         .trained_width = NAN,
                         .trained_size = NAN};
    return r;
}

static double bytes_each(const adviser *k)
{
    return ceil((k->q->bits + 8) / 8.0);
}

/* Size, cost and memory of a shape. */
static at_status shape_take(const adviser *k, const at_model *m, at_advice_row *r, at_err *err)
{
    at_cost c;
    uint64_t kept = 0;
    at_model_size(m, &r->size);
    at_status s;
    if (r->chain) {
        s = at_generation_cost(m, k->prompt, k->written, &c, err);
        if (!s)
            s = at_generation_kept(m, k->prompt, k->written, &kept, err);
    } else {
        s = at_run_cost(m, k->total, &c, err);
        for (int b = 0; b < m->n_blocks && !s;
             b++) { /* a block at a time: keys and values of the one that has most */
            uint64_t here = 0;
            for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++) {
                const at_group *x = &m->blocks[b].groups[g];
                here += c.positions * (uint64_t)x->heads * (uint64_t)(x->dk + x->dv);
            }
            kept = here > kept ? here : kept;
        }
    }
    if (s)
        return s;
    r->built = true;
    r->total = (double)c.dense + (double)c.attention;
    r->per_token = r->total / (double)c.positions;
    r->kept = (double)kept;
    r->bytes = bytes_each(k) * (r->kept + (double)r->size.parameters);
    return AT_OK;
}

/* Failures of one row are words, unless nothing can go on. */
static at_status row_fail(const adviser *k, at_advice_row *r, at_status s, const at_err *why, at_err *err)
{
    if (s == AT_ENOMEM || s == AT_ECANCEL)
        return at_fail(err, s, "%s", why->text);
    r->why = at_arena_printf(k->a, "no construction here: %s", why->text);
    return r->why ? AT_OK : at_oom(err);
}

static at_status front_rows(adviser *k, at_map_model *models, at_err *err)
{
    const at_front *f = at_front_of(k->p);
    int kinds = 0;
    const char *const *names = f ? at_front_kinds(f, &kinds) : NULL;
    at_status s = AT_OK;
    for (int kind = 0; kind < kinds && kind < AT_ATTENTIONS && !s; kind++) {
        at_advice_row *r = row_add(k, names[kind], at_front_view(k->p) == AT_VIEW_CHAIN);
        at_model m;
        at_err why = {0};
        if (!r)
            return at_oom(err);
        r->by = f->lang->id;
        at_status here =
            at_front_shape(f, &k->at, &(at_front_options){.attention = (at_attention_kind)kind}, &m, &why);
        if (!here) {
            here = shape_take(k, &m, r, &why);
            models[kind].size = r->size;
            models[kind].mask = at_map_mask(&m);
            at_model_release(&m);
        }
        if (here)
            s = row_fail(k, r, here, &why, err);
    }
    return s;
}

/* "softmax", "softmax, leftmost-hard", in the order of the blocks; and a mask that is not open. */
static const char *attention_of(const at_model *m, at_arena *a)
{
    bool seen[AT_WEIGHTINGS] = {false};
    const char *out = "";
    for (int b = 0; b < m->n_blocks && out; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups && out; g++) {
            at_weighting w = m->blocks[b].groups[g].weighting;
            if (!seen[w])
                out = at_arena_printf(a, "%s%s%s", out, *out ? ", " : "", at_weighting_names[w]);
            seen[w] = true;
        }
    return out && !*out ? "no attention" : out;
}

static at_status claim_row(adviser *k, const at_claim *c, at_err *err)
{
    at_params p;
    at_program *P;
    at_model m;
    at_err why = {0};
    at_advice_row *r = row_add(k, c->id, false);
    if (!r)
        return at_oom(err);
    r->by = c->id;
    at_params_init(&p, c->params, c->n_params);
    at_status s = AT_OK;
    for (int i = 0; i < k->at.n && !s; i++)
        if (at_params_has(&p, k->at.schema[i].name))
            s = at_params_set(&p, k->at.schema[i].name, k->at.value[i], &why);
    if (!s)
        s = at_claim_program(c, &p, &P, &why);
    if (!s) {
        s = at_program_shape(P, &m, &why);
        if (!s) {
            r->attention = attention_of(&m, k->a);
            s = r->attention ? shape_take(k, &m, r, &why) : at_oom(&why);
            at_model_release(&m);
        }
        at_program_free(P);
    }
    return s ? row_fail(k, r, s, &why, err) : AT_OK;
}

static at_status claim_rows(adviser *k, at_err *err)
{
    at_status s = AT_OK;
    for (int i = 0; i < at_n_catalogue && !s; i++) {
        const at_claim *c = at_catalogue[i];
        if (same(c->task, k->p->id) && !c->trial && c->program)
            s = claim_row(k, c, err);
    }
    return s;
}

/* Is the row about this attention? A model of softmax heads is what decoders call standard. */
static bool is_kind(const at_advice_row *r, int kind)
{
    return same(r->attention, at_attention_names[kind]) ||
           (!r->chain && kind == AT_ATTENTION_STANDARD && same(r->attention, at_weighting_names[AT_SOFTMAX]));
}

/* What has no row yet: every attention, with a chain of thought and without. */
static at_status open_rows(adviser *k, at_err *err)
{
    for (int chain = 1; chain >= 0; chain--)
        for (int kind = 0; kind < AT_ATTENTIONS; kind++) {
            bool has = false;
            for (int i = 0; i < k->n; i++)
                has = has || (k->row[i].chain == chain && is_kind(&k->row[i], kind));
            if (!has && !row_add(k, at_attention_names[kind], chain))
                return at_oom(err);
        }
    return AT_OK;
}

/* ---- bounds -------------------------------------------------------------------------------------------------------- */

/* The row that a panel is about: an attention of decoders, else one of its own. */
static at_advice_row *panel_row(adviser *k, const at_map_panel *w, bool decoder)
{
    for (int i = 0; decoder && i < k->n; i++)
        if (k->row[i].chain && same(k->row[i].attention, at_attention_names[w->attention]))
            return &k->row[i];
    return decoder ? NULL : row_add(k, w->architecture, w->chain);
}

/* The words of a template, NAME=VALUE, with those of `put` in place of their own. */
static const char *template_put(const char *template, const char *put, at_arena *a)
{
    at_text t;
    at_text_init(&t);
    for (const char *s = template; *s;) {
        size_t n = strcspn(s, " "), name = strcspn(s, "=") + 1;
        const char *found = put;
        while (*found && strncmp(found, s, name) != 0) {
            found += strcspn(found, " ");
            found += strspn(found, " ");
        }
        const char *word = *found ? found : s;
        at_text_addf(&t, "%.*s ", (int)strcspn(word, " "), word);
        s += n + strspn(s + n, " ");
    }
    const char *out = t.oom ? NULL : at_arena_strdup(a, t.s ? t.s : "");
    at_text_release(&t);
    return out;
}

/* The bound's template with what the user's problem has, parameters of the same names; but the size stays $. */
static const char *template_of(const adviser *k, const at_map_panel *w)
{
    at_text t;
    at_text_init(&t);
    for (int i = 0; i < k->at.n; i++)
        if (strcmp(k->at.schema[i].name, w->size))
            at_text_addf(&t, "%s=%.15g ", k->at.schema[i].name, k->at.value[i]);
    const char *out = t.oom ? NULL : template_put(w->bound_params, t.s ? t.s : "", k->a);
    at_text_release(&t);
    return out;
}

/* Is the problem one that the bound speaks of? */
static bool speaks(const adviser *k, const at_map_panel *w)
{
    for (const char *s = w->speaks ? w->speaks : ""; *s;) {
        size_t n = strcspn(s, " "), name = strcspn(s, "=");
        for (int i = 0; i < k->at.n; i++)
            if (strlen(k->at.schema[i].name) == name && !strncmp(k->at.schema[i].name, s, name) &&
                k->at.value[i] < strtod(s + name + 1, NULL))
                return false;
        s += n + strspn(s + n, " ");
    }
    return true;
}

/* Does the bound bind for every model with a stream of the width that is asked for? */
static at_status too_narrow(adviser *k, const at_map_panel *panel, double size, bool *out, at_err *err)
{
    *out = false;
    if (!(k->q->width > 0) || !panel->stream)
        return AT_OK;
    at_map_panel w = *panel;
    at_map_bound b;
    at_text t;
    at_text_init(&t);
    at_map_fill(&t, panel->stream, k->q->width * (panel->bits == AT_BITS_STATE ? k->q->bits + 8 : 1), NULL);
    w.bound_params = t.oom ? NULL : template_put(panel->bound_params, t.s, k->a);
    at_text_release(&t);
    at_status s = w.bound_params ? at_map_bound_at(&w, size, NULL, k->a, &b, err) : at_oom(err);
    *out = !s && b.kind == AT_MAP_BOUND_PROVED;
    return s;
}

/* What a bound says: with the user's sizes, if there are any, in place of the construction's. */
static at_status bound_take(adviser *k, const at_map_panel *panel, double size, const char *template,
                            const at_map_model *model, bool decoder, at_err *err)
{
    at_map_panel w = *panel;
    at_map_model m = model ? *model : (at_map_model){0};
    at_map_bound b;
    bool narrow = false;
    w.bound_params = template;
    if (w.numbers && same(w.numbers, "p=24 e=8"))
        w.numbers = at_arena_printf(k->a, "p=%d e=8", k->q->bits);
    m.size.layers = k->q->layers > 0 ? (int)k->q->layers : m.size.layers;
    m.size.heads = k->q->width > 0 ? 1 : m.size.heads;
    at_status s = at_map_bound_at(&w, size, model ? &m : NULL, k->a, &b, err);
    if (s || b.kind != AT_MAP_BOUND_PROVED)
        return s;
    double times = w.bound_times > 0 ? w.bound_times : 1, least = b.least * times;
    if (decoder)
        narrow = k->q->width > 0 && k->q->width < least;
    else
        s = too_narrow(k, &w, size, &narrow, err);
    at_advice_row *r = s ? NULL : panel_row(k, panel, decoder);
    if (!r)
        return s;
    r->least = least;
    r->unit = panel->unit;
    r->by = r->by && !narrow ? r->by : panel->bound;
    if (narrow)
        r->kind = AT_ADVICE_RULED_OUT;
    const char *layers =
        model ? at_arena_printf(k->a, " in %d layer%s%s", m.size.layers, m.size.layers == 1 ? "" : "s",
                                k->q->layers > 0 ? "" : ", as the construction has")
              : "";
    const char *note =
        !layers
            ? NULL
            : at_arena_printf(
                  k->a, "bound %s: at least %.15g (%s)%s%s", panel->bound, least, panel->unit, layers,
                  narrow || decoder || !(k->q->width > 0 && k->q->width < least) ? ""
                  : panel->stream ? "; the width that is asked for may do with more heads, or larger numbers"
                                  : "; of widths it says nothing");
    r->why = note && r->why ? at_arena_printf(k->a, "%s; %s", r->why, note) : note;
    return r->why ? AT_OK : at_oom(err);
}

static at_status bounds_take(adviser *k, const at_map_model *models, at_err *err)
{
    const char *known;
    at_status s = at_map_known(k->p, &known, err);
    for (int i = 0; i < at_n_map_panels && known && !s; i++) {
        const at_map_panel *w = &at_map_panels[i];
        bool decoder = w->trained || (w->construction && at_claim_find(w->construction)->chain);
        if (!same(w->task, known) || !w->bound || w->bound_start)
            continue;
        double size = NAN;
        const char *template = NULL;
        if (decoder) {
            template = at_map_bound_template(w, &k->at, k->grow, k->a);
            for (int j = 0; j < k->at.n; j++)
                size = k->grow[j] ? k->at.value[j] : size;
        } else if (at_params_has(&k->at, w->size) && speaks(k, w)) {
            size = at_params_get(&k->at, w->size);
            template = template_of(k, w);
            s = template ? AT_OK : at_oom(err);
        }
        const at_map_model *m = decoder && models[w->attention].size.layers ? &models[w->attention] : NULL;
        if (template && isfinite(size))
            s = bound_take(k, w, size, template, m, decoder, err);
    }
    return s;
}

/* ---- trained -------------------------------------------------------------------------------------------------------- */

static at_status trained_take(adviser *k, at_err *err)
{
    at_study st;
    const char *subject = k->q->subject ? k->q->subject : k->p->id;
    if (!k->q->rows)
        return AT_OK;
    at_status s = at_study_make(k->q->rows, k->q->n_rows, NULL, k->a, &st, err);
    for (int g = 0; g < (s ? 0 : st.n_groups); g++)
        for (int t = 0; t < st.groups[g].n_tasks; t++) {
            const at_study_task *task = &st.groups[g].tasks[t];
            for (int i = 0; same(task->id, subject) && i < k->n; i++)
                for (int kind = 0; k->row[i].chain && kind < AT_TRAINED_ATTENTIONS; kind++)
                    for (int z = 0; same(k->row[i].attention, at_attention_names[kind]) && z < task->n_sizes;
                         z++) {
                        const at_study_least *l = &task->least[kind * task->n_sizes + z];
                        if (l->run && isfinite(l->hi)) { /* sizes ascend: the largest that was learnt stays */
                            k->row[i].trained_width = l->hi;
                            k->row[i].trained_size = (double)task->sizes[z];
                        }
                    }
        }
    return s;
}

/* ---- verdicts --------------------------------------------------------------------------------------------------------- */

/* NULL: the construction is within what was asked for; else what exceeds it. */
static const char *exceeds(const adviser *k, const at_advice_row *r)
{
    const at_advice_question *q = k->q;
    return q->width > 0 && r->size.width > q->width      ? "wider than"
           : q->layers > 0 && r->size.layers > q->layers ? "deeper than"
           : q->memory > 0 && r->bytes > q->memory       ? "more memory than"
                                                         : NULL;
}

static at_status verdict_set(adviser *k, at_advice_row *r, at_err *err)
{
    if (r->kind == AT_ADVICE_RULED_OUT)
        return AT_OK;
    const char *over = r->built ? exceeds(k, r) : NULL, *say = NULL;
    bool known = isfinite(r->trained_width);
    r->kind = r->built && !over ? AT_ADVICE_BUILT : known ? AT_ADVICE_TRAINED : AT_ADVICE_UNKNOWN;
    if (over)
        say = at_arena_printf(k->a, "the construction is %s asked for", over);
    else if (!r->built && !r->why)
        say = r->chain ? "the catalogue has no construction and no bound"
                       : "without a chain the catalogue has no construction and no bound";
    if (say && r->why)
        say = at_arena_printf(k->a, "%s; %s", say, r->why);
    r->why = say ? say : r->why;
    if (known) {
        const char *learnt = at_arena_printf(k->a, "trained: width %g reached 90%% at size %g",
                                             r->trained_width, r->trained_size);
        r->why = learnt && r->why ? at_arena_printf(k->a, "%s; %s", r->why, learnt) : learnt;
    }
    return over && !say ? at_oom(err) : AT_OK;
}

/* The construction that costs least in all; NULL: there is none. */
static const at_advice_row *cheapest(const adviser *k)
{
    const at_advice_row *best = NULL;
    for (int i = 0; i < k->n; i++)
        if (k->row[i].kind == AT_ADVICE_BUILT && (!best || k->row[i].total < best->total))
            best = &k->row[i];
    return best;
}

/* In a sentence; where another row has the same attention, with what builds it. */
static const char *called(const adviser *k, const at_advice_row *r)
{
    if (!strcmp(r->attention, "no attention"))
        return "a model without attention";
    for (int i = 0; i < k->n; i++)
        if (&k->row[i] != r && k->row[i].built && k->row[i].chain == r->chain &&
            !strcmp(k->row[i].attention, r->attention))
            return at_arena_printf(k->a, "%s attention (%s)", r->attention, r->by);
    return at_arena_printf(k->a, "%s attention", r->attention);
}

static const char *sentence_of(const adviser *k)
{
    const at_advice_row *best = cheapest(k), *next = NULL;
    if (!best)
        return "No construction of the catalogue is within these sizes: what is not ruled out is unknown.";
    for (int i = 0; i < k->n; i++) { /* the most expensive beside it */
        const at_advice_row *r = &k->row[i];
        if (r->built && r != best && (!next || r->total > next->total))
            next = r;
    }
    const char *chain = best->chain ? "with" : "without", *first = called(k, best),
               *last = next ? called(k, next) : "";
    if (!first || !last)
        return NULL;
    return next ? at_arena_printf(k->a,
                                  "Take %s %s a chain of thought: width %d and %.3g multiply-adds in all; %s "
                                  "takes width %d and %.3g times the multiply-adds.",
                                  first, chain, best->size.width, best->total, last, next->size.width,
                                  next->total / best->total)
                : at_arena_printf(k->a, "Take %s %s a chain of thought: width %d, %.3g multiply-adds in all.",
                                  first, chain, best->size.width, best->total);
}

at_status at_advise(const at_problem *p, const at_advice_question *q, at_arena *a, at_advice *out,
                    at_err *err)
{
    at_advice_question given = *q;
    given.bits = q->bits ? q->bits : 24;
    adviser *k = at_new(a, adviser, 1);
    at_advice_row *rows = at_new(a, at_advice_row, ROWS);
    at_map_model *models = at_new(a, at_map_model, AT_ATTENTIONS);
    if (!k || !rows || !models)
        return at_oom(err);
    *k = (adviser){.p = p, .q = &given, .a = a, .row = rows};
    memset(models, 0, AT_ATTENTIONS * sizeof *models);
    at_status s = params_find(k, err);
    if (!s)
        s = front_rows(k, models, err);
    if (!s)
        s = claim_rows(k, err);
    if (!s)
        s = open_rows(k, err);
    if (!s)
        s = bounds_take(k, models, err);
    if (!s)
        s = trained_take(k, err);
    for (int i = 0; i < k->n && !s; i++)
        s = verdict_set(k, &rows[i], err);
    if (s)
        return s;
    at_text t;
    at_text_init(&t);
    at_params_print(&k->at, &t);
    *out = (at_advice){.problem = at_arena_strdup(a, at_problem_short(p)),
                       .at = t.oom || !t.s ? NULL : at_arena_strdup(a, t.s),
                       .length = k->total,
                       .n = k->n,
                       .rows = rows,
                       .sentence = sentence_of(k)};
    at_text_release(&t);
    return out->problem && out->at && out->sentence ? AT_OK : at_oom(err);
}
