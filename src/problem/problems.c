/* problems.c: built-in problems, and how a model is asked one.
 *
 * A task, a chain and a stream that share a name are one problem. Problems written in a language are made
 * by src/lang, in the same shape. */
#include <limits.h>
#include <stdio.h>

#include "problem_internal.h"
#include "stream.h"

const char *const at_view_names[AT_VIEWS] = {
    [AT_VIEW_POSITIONS] = "positions",
    [AT_VIEW_CHAIN] = "chain",
    [AT_VIEW_ROWS] = "rows",
};

/* What a task or a stream of the same name does not say. */
static const struct {
    const char *id, *lang;
    const at_chain *chain;
} chains[] = {
    {"compose", NULL, &at_chain_compose},
    {"arithmetic", "arithmetic", &at_chain_expr},
};

const char *at_problem_name(int i)
{
    if (i < at_n_tasks)
        return at_tasks[i]->id;
    for (int k = 0, left = i - at_n_tasks; k < at_n_streams; k++)
        if (!at_task_find(at_streams[k]->id) && left-- == 0)
            return at_streams[k]->id;
    return NULL;
}

bool at_problem_find(const char *name, at_problem *out)
{
    out->task = at_task_find(name);
    out->stream = at_stream_find(name);
    for (size_t k = 0; k < sizeof chains / sizeof *chains; k++)
        if (strcmp(chains[k].id, name) == 0) {
            out->lang = chains[k].lang;
            out->chain = chains[k].chain;
        }
    if (!out->task && !out->stream)
        return false;
    out->id = out->task ? out->task->id : out->stream->id;
    out->title = out->task ? out->task->title : out->stream->title;
    out->definition = out->task ? out->task->definition : out->stream->format;
    return true;
}

void at_problem_free(at_problem *p)
{
    if (!p || !p->made)
        return;
    if (p->close)
        p->close(p);
    at_arena_release(&p->arena);
    at_free(p);
}

bool at_problem_has(const at_problem *p, at_view v)
{
    return v == AT_VIEW_POSITIONS ? p->task != NULL
           : v == AT_VIEW_CHAIN   ? p->chain != NULL
                                  : p->stream != NULL;
}

int at_problem_schema(const at_problem *p, at_view v, const at_param **schema)
{
    *schema = NULL;
    if (!at_problem_has(p, v))
        return 0;
    *schema = v == AT_VIEW_POSITIONS ? p->task->params
              : v == AT_VIEW_CHAIN   ? p->chain->params
                                     : p->stream->params;
    return v == AT_VIEW_POSITIONS ? p->task->n_params
           : v == AT_VIEW_CHAIN   ? p->chain->n_params
                                  : p->stream->n_params;
}

/* ---- parameters ------------------------------------------------------------------------------------------ */

static bool view_knows(const at_problem *p, at_view v, const char *name, size_t n)
{
    const at_param *schema;
    int rows = at_problem_schema(p, v, &schema);
    for (int k = 0; k < rows; k++)
        if (strlen(schema[k].name) == n && memcmp(schema[k].name, name, n) == 0)
            return true;
    return false;
}

/* The next assignment of the text, its length and that of its name; what is none is left to the parser. */
static const char *assignment_next(const char *s, size_t *n, size_t *name)
{
    static const char blanks[] = " \t\r\n,";
    s += strspn(s, blanks);
    *n = strcspn(s, blanks);
    const char *eq = memchr(s, '=', *n);
    *name = eq ? (size_t)(eq - s) : 0;
    return s;
}

at_status at_problem_assignments(const at_problem *p, at_view v, const char *set, at_text *out, at_err *err)
{
    size_t n, name;
    at_text_add(out, "");
    for (const char *s = set ? set : ""; *(s = assignment_next(s, &n, &name)); s += n) {
        bool others = false;
        for (int w = 0; w < AT_VIEWS && name && !view_knows(p, v, s, name); w++)
            others = others || view_knows(p, w, s, name);
        if (!others) { /* the view's, or nobody's: then whoever parses it says so */
            at_text_addn(out, s, n);
            at_text_add(out, " ");
        }
    }
    return out->oom ? at_oom(err) : AT_OK;
}

/* A length that nobody set becomes one of lo..hi before the task is asked whether the parameters go together: its hypotheses are of
 * the length that will be used. */
static at_status params_read(const at_problem *p, at_view v, const char *set, int lo, int hi, at_params *out,
                             at_err *err)
{
    const at_param *schema;
    int rows = at_problem_schema(p, v, &schema);
    at_params_init(out, schema, rows);
    out->of = p;
    at_text mine;
    at_text_init(&mine);
    at_status st = at_problem_assignments(p, v, set, &mine, err);
    if (!st)
        st = at_params_parse(out, mine.s, err);
    at_text_release(&mine);
    if (st || v != AT_VIEW_POSITIONS)
        return st;
    if (!at_assignments_name(set, "N")) {
        int usual = at_params_int(out, "N");
        int n = p->task->length ? p->task->length(out) : usual < lo ? lo : usual > hi ? hi : usual;
        st = at_params_set(out, "N", n, err);
    }
    return !st && p->task->validate ? p->task->validate(out, err) : st;
}

at_status at_problem_params(const at_problem *p, at_view v, const char *set, at_params *out, at_err *err)
{
    return params_read(p, v, set, 0, INT_MAX, out, err);
}

/* ---- words of a user's rows -------------------------------------------------------------------------------- */

bool at_problem_is_rows(const at_problem *p)
{
    return p->stream == &at_stream_lines || p->stream == &at_stream_lines_whole;
}

static void rows_choose(at_problem *p, const char *set)
{
    if (at_problem_is_rows(p) && p->made)
        p->stream = at_assignments_name(set, "whole") ? &at_stream_lines_whole : &at_stream_lines;
}

at_status at_problem_words(at_problem *p, const at_vocabulary *v, at_err *err)
{
    if (!at_problem_is_rows(p) || !v->n)
        return AT_OK;
    at_lines *l = (at_lines *)p->self;
    const char **word = at_new(&p->arena, const char *, v->n);
    const char *of = at_arena_strdup(&p->arena, v->of);
    bool good = word && of;
    for (int k = 0; k < v->n && good; k++)
        good = (word[k] = at_arena_strdup(&p->arena, v->word[k])) != NULL;
    if (!good)
        return at_oom(err);
    l->words = (at_vocabulary){.of = of, .word = word, .n = v->n};
    return AT_OK;
}

at_status at_vocabulary_of_source(const at_source *d, const char *of, at_arena *a, at_vocabulary *out,
                                  at_err *err)
{
    int n = at_source_vocabulary(d);
    const char **word = at_new(a, const char *, n);
    bool good = word != NULL;
    char room[AT_STREAM_WORD];
    for (int k = 0; k < n && good; k++)
        good = (word[k] = at_arena_strdup(a, at_source_word(d, k, room))) != NULL;
    *out = (at_vocabulary){.of = of, .word = word, .n = n};
    return good ? AT_OK : at_oom(err);
}

at_status at_vocabulary_of_model(const at_model *m, const char *of, at_arena *a, at_vocabulary *out,
                                 at_err *err)
{
    *out = (at_vocabulary){.of = of};
    if (m->n_fields != 1 || m->fields[0].kind != AT_FIELD_TOKEN || !m->fields[0].words)
        return AT_OK;
    int n = m->fields[0].size;
    const char **word = at_new(a, const char *, n);
    for (int k = 0; k < n && word; k++)
        word[k] = m->fields[0].words[k].s;
    *out = (at_vocabulary){.of = of, .word = word, .n = n};
    return word ? AT_OK : at_oom(err);
}

static at_status words_of_model(at_problem *p, const at_model *m, at_err *err)
{
    at_vocabulary v;
    at_status s = at_vocabulary_of_model(m, "the model", &p->arena, &v, err);
    return s ? s : at_problem_words(p, &v, err);
}

static at_status source_owned(at_problem *p, at_status s, at_source **d)
{
    if (s)
        at_problem_free(p);
    else
        (*d)->problem = p;
    return s;
}

at_status at_problem_source(at_problem *p, const char *set, at_source **out, at_err *err)
{
    at_params q;
    rows_choose(p, set);
    at_view v = p->stream ? AT_VIEW_ROWS : AT_VIEW_POSITIONS;
    at_status s = p->stream || p->task ? at_problem_params(p, v, set, &q, err)
                                       : at_fail(err, AT_EREFUSED, "%s has no rows to learn", p->id);
    if (!s)
        s = p->stream ? at_source_open(p->stream, &q, out, err) : at_source_of_task(p->task, &q, out, err);
    return source_owned(p, s, out);
}

at_status at_problem_positions(at_problem *p, const char *set, at_source **out, at_err *err)
{
    at_params q;
    at_status s = p->task ? at_problem_params(p, AT_VIEW_POSITIONS, set, &q, err)
                          : at_fail(err, AT_EREFUSED, "%s is not asked at positions", p->id);
    return source_owned(p, s ? s : at_source_of_positions(p->task, &q, out, err), out);
}

bool at_problem_rows(const at_problem *p)
{
    return p->stream || (p->task && p->task->tokens && p->task->answers);
}

/* ---- asking ----------------------------------------------------------------------------------------------- */

/* Does the view know all that the problem's views know of these assignments? */
static bool view_takes(const at_problem *p, at_view v, const char *set)
{
    size_t n, name;
    for (const char *s = set ? set : ""; *(s = assignment_next(s, &n, &name)); s += n)
        for (int w = 0; w < AT_VIEWS && name && !view_knows(p, v, s, name); w++)
            if (view_knows(p, w, s, name))
                return false;
    return true;
}

/* The tokens of a model that reads one token a row; 0: it reads something else. */
static int tokens_of(const at_model *m)
{
    return m->n_fields == 1 && m->fields[0].kind == AT_FIELD_TOKEN ? m->fields[0].size : 0;
}

#define TRIED 64 /* inputs, or prompts, that are drawn to see whether the model takes them */

/* The sizes are said: they may be others than those of the model, and --set is what changes them. */
static at_status misfit(const char *id, const at_asked *x, const char *noun, const at_err *why, at_err *err)
{
    at_text sizes;
    at_text_init(&sizes);
    at_text_add(&sizes, "");
    at_params_print(&x->params, &sizes);
    at_status s = sizes.oom ? at_oom(err)
                            : at_fail(err, AT_EINPUT, "%s of %s%s%s does not fit the model: %s", noun, id,
                                      sizes.n ? " at " : "", sizes.s, why->text);
    at_text_release(&sizes);
    return s;
}

static at_status prompts_fit(const at_problem *p, const at_asked *x, const at_model *m, at_err *err)
{
    const at_chain *c = x->chain;
    double *prompt =
        at_calloc((size_t)c->prompt_max(x->self) * (size_t)c->row_width(x->self), sizeof *prompt);
    at_status s = prompt ? AT_OK : at_oom(err);
    for (int k = 0; k < TRIED && !s; k++) {
        at_rng r = at_rng_at(1, (uint64_t)k);
        at_err why = {0};
        int n = 0;
        s = c->sample(x->self, &r, prompt, &n, err);
        bool fits = s || !at_prompt_check(m, &(at_input){n, prompt}, &why);
        for (int i = 0; i < n && fits && !s; i++)
            fits = !at_input_check_row(m, prompt + (size_t)i * (size_t)c->row_width(x->self), i + 1, &why);
        if (!fits)
            s = misfit(p->id, x, "a prompt", &why, err);
    }
    at_free(prompt);
    return s;
}

static at_status inputs_fit(const at_asked *x, const at_model *m, at_err *err)
{
    int n = at_params_int(&x->params, "N");
    double *v = at_calloc((size_t)n * (size_t)x->task->row_width(&x->params) + 1, sizeof *v);
    at_status s = v ? AT_OK : at_oom(err);
    for (int k = 0; k < TRIED && !s; k++) {
        at_rng r = at_rng_at(1, (uint64_t)k);
        (k % 2 ? x->task->adversarial : x->task->sample)(&x->params, &r, v);
        at_err why = {0};
        for (int i = 0; i < n && !s; i++)
            if (at_input_check_row(m, v + (size_t)i * (size_t)x->task->row_width(&x->params), i + 1, &why))
                s = misfit(x->task->id, x, "an input", &why, err);
    }
    at_free(v);
    return s;
}

/* What a decoder reads, beside what the view has; in words when it does not fit. */
static at_status chain_fits(const at_problem *p, const at_asked *x, const at_model *m, at_err *err)
{
    int width = x->chain->row_width(x->self), mine = at_model_row_width(m);
    if (width != mine)
        return at_fail(err, AT_EINPUT, "rows of %s have %d numbers, the model takes %d", p->id, width, mine);
    int tokens = x->view == AT_VIEW_ROWS ? at_source_vocabulary(x->self)
                 : x->chain->tokens      ? x->chain->tokens(x->self)
                                         : 0;
    if (tokens && tokens_of(m) && tokens != tokens_of(m))
        return at_fail(err, AT_EINPUT, "%s has %d tokens here, the model reads %d", p->id, tokens,
                       tokens_of(m));
    if (x->view == AT_VIEW_ROWS && !tokens_of(m))
        return at_fail(err, AT_EINPUT, "rows of %s are tokens, the model reads %s", p->id,
                       at_field_names[m->fields[0].kind]);
    for (int k = 0; x->view == AT_VIEW_ROWS && m->fields[0].words && k < tokens; k++) {
        char word[AT_STREAM_WORD];
        if (strcmp(at_source_word(x->self, k, word), m->fields[0].words[k].s) != 0)
            return at_fail(err, AT_EINPUT, "token %d is '%s' in %s and '%s' in the model", k, word, p->id,
                           m->fields[0].words[k].s);
    }
    return prompts_fit(p, x, m, err);
}

at_status at_task_fits(const at_task *t, const at_params *p, const at_model *m, at_err *err)
{
    int width = t->row_width(p), mine = at_model_row_width(m);
    if (width != mine)
        return at_fail(err, AT_EINPUT, "a position of %s has %d numbers, the model takes %d", t->id, width,
                       mine);
    int outs = m->readout.kind == AT_READ_ARGMAX ? 1 : m->readout.rows;
    if (outs != t->out_width(p))
        return at_fail(err, AT_EINPUT, "%s has %d answers a position, the model %d", t->id, t->out_width(p),
                       outs);
    if (m->readout.last != t->last)
        return at_fail(err, AT_EINPUT, "%s is answered at %s, the model answers at %s", t->id,
                       t->last ? "the last position" : "every position",
                       m->readout.last ? "the last" : "every position");
    const at_asked x = {.view = AT_VIEW_POSITIONS, .params = *p, .task = t};
    return inputs_fit(&x, m, err);
}

static at_status view_open(const at_problem *p, at_view v, const at_model *m, const char *set, at_asked *x,
                           at_err *err)
{
    *x = (at_asked){.view = v};
    at_status s = params_read(p, v, set, m->n_min, m->n_max, &x->params, err);
    if (s)
        return s;
    if (v == AT_VIEW_POSITIONS) {
        x->task = p->task;
        return at_task_fits(p->task, &x->params, m, err);
    }
    x->chain = v == AT_VIEW_CHAIN ? p->chain : &at_chain_stream;
    s = x->chain->open(&x->params, &x->self, err);
    if (!s)
        s = chain_fits(p, x, m, err);
    if (s)
        at_asked_release(x);
    return s;
}

void at_asked_release(at_asked *a)
{
    if (a->self)
        a->chain->close(a->self);
    a->self = NULL;
}

at_status at_problem_ask(at_problem *p, const at_model *m, const char *set, at_asked *out, at_err *err)
{
    /* Decoders are asked what they write, by the chain where it has tokens like theirs; others what they answer. */
    static const at_view decoder[] = {AT_VIEW_CHAIN, AT_VIEW_ROWS}, other[] = {AT_VIEW_POSITIONS};
    const at_view *order = m->decode.enabled ? decoder : other;
    int n = m->decode.enabled ? 2 : 1;
    at_err first = {0};
    rows_choose(p, set);
    at_status why = at_problem_is_rows(p) && p->made ? words_of_model(p, m, err) : AT_OK;
    if (!why && p->suit)
        why = p->suit(p, m, err);
    if (why)
        return why;
    for (int picky = 1; picky >= 0; picky--)
        for (int k = 0; k < n; k++) {
            if (!at_problem_has(p, order[k]) || view_takes(p, order[k], set) != (picky == 1))
                continue;
            at_err here = {0};
            at_status s = view_open(p, order[k], m, set, out, &here);
            if (!s || s == AT_ENOMEM) {
                *err = here;
                return s;
            }
            if (!why) {
                first = here;
                why = s;
            }
        }
    if (why)
        return at_fail(err, why, "%s", first.text);
    if (m->decode.enabled)
        return at_fail(err, AT_EINPUT,
                       "'%s' is for models that answer at positions, and the model is a decoder", p->id);
    return at_fail(err, AT_EINPUT, "'%s' is for decoders, and the model is none", p->id);
}

at_status at_problem_view(at_problem *p, const at_model *m, const char *set, at_view *out, at_err *err)
{
    at_asked x;
    at_status s = at_problem_ask(p, m, set, &x, err);
    if (s)
        return s;
    *out = x.view;
    at_asked_release(&x);
    return AT_OK;
}

/* ---- what a model is for ------------------------------------------------------------------------------------ */

at_status at_problem_remember(const char *name, const char *digest, const at_params *p, at_model *m,
                              at_err *err)
{
    const char *slash = strrchr(name, '/');
    at_text t, set;
    at_text_init(&t);
    at_text_init(&set);
    at_text_add(&set, "");
    at_params_print(p, &set);
    at_text_addf(&t, "%s%s%s", slash ? slash + 1 : name, digest ? " sha256=" : "", digest ? digest : "");
    if (set.n)
        at_text_addf(&t, " %s", set.s);
    at_status s = t.oom || set.oom ? at_oom(err) : at_model_remember(m, t.s, NULL);
    if (s == AT_EINPUT)
        s = AT_OK;
    at_text_release(&t);
    at_text_release(&set);
    return s == AT_ENOMEM ? at_oom(err) : s;
}

at_status at_source_remember(const at_source *d, at_model *m, at_err *err)
{
    const at_problem *p = d->problem;
    const char *name = p ? p->id : d->stream ? d->stream->id : d->task ? d->task->id : NULL;
    m->arithmetic = NULL; /* what was proved before it learnt is not proved of what it has learnt */
    return name ? at_problem_remember(name, p ? p->digest : NULL, &d->p, m, err) : AT_OK;
}
