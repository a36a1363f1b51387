/* fronts.c: the table of front ends, and what they share. */
#include <assert.h>
#include <string.h>

#include "front_internal.h"

/* Files that are problems, but have no compiler. */
static const at_front front_lines = {.lang = &at_lang_lines}, front_cases = {.lang = &at_lang_cases};

static const at_front front_ltl = {.lang = &at_lang_ltl, AT_FRONT_FORMULAS},
                      front_brasp = {.lang = &at_lang_brasp, AT_FRONT_FORMULAS};
static const at_front front_crasp = {.lang = &at_lang_crasp, AT_FRONT_FORMULAS},
                      front_cr = {.lang = &at_lang_cr, AT_FRONT_FORMULAS},
                      front_foc = {.lang = &at_lang_foc, AT_FRONT_FORMULAS},
                      front_sscm = {.lang = &at_lang_sscm, AT_FRONT_FORMULAS};

extern const at_front at_front_dp, at_front_expr, at_front_program;
extern const at_front at_front_tm;
extern const at_front at_front_regex, at_front_dfa, at_front_jff, at_front_dot, at_front_gv;
extern const at_front at_front_rasp;
extern const at_front at_front_arpa, at_front_pfsa, at_front_ptm;
const at_front *const at_fronts[] = {
    &at_front_dp,      /* the first: files without a suffix that is known are compiled by it */
    &front_lines,      /* lines to learn */
    &front_cases,      /* input and answer */
    &at_front_expr,    /* arithmetic */
    &at_front_program, /* texts of programs */
    &at_front_regex,   /* regular expressions */
    &at_front_dfa,     /* automata */
    &at_front_jff,     /* those of JFLAP */
    &at_front_dot,     /* those of Graphviz */
    &at_front_gv,      /* the same by another suffix */
    &front_ltl,        /* temporal logic */
    &front_brasp,      /* B-RASP */
    &front_crasp,      /* C-RASP */
    &front_cr,         /* as its interpreter reads it */
    &at_front_tm,      /* Turing machines */
    &front_foc,        /* counts without order */
    &front_sscm,       /* counter machines */
    &at_front_rasp,    /* RASP */
    &at_front_arpa,    /* n-gram language models */
    &at_front_pfsa,    /* probabilistic automata */
    &at_front_ptm,     /* probabilistic Turing machines */
};
const int at_n_fronts = sizeof at_fronts / sizeof at_fronts[0];

const at_front *at_front_of(const at_problem *p)
{
    for (int k = 0; p->lang && k < at_n_fronts; k++)
        if (strcmp(at_fronts[k]->lang->id, p->lang) == 0)
            return at_fronts[k]->model ? at_fronts[k] : NULL;
    return NULL;
}

at_view at_front_view(const at_problem *p)
{
    return p->chain ? AT_VIEW_CHAIN : AT_VIEW_POSITIONS;
}

const at_front *at_front_of_file(const char *path)
{
    for (int k = 0; k < at_n_fronts; k++) {
        const char *suffix = at_fronts[k]->lang->suffix;
        if (suffix && at_ends_with(path, suffix))
            return at_fronts[k];
    }
    return NULL;
}

const at_front *at_front_of_word(const char *word)
{
    at_problem *p;
    at_err none = {0};
    if (at_is_file(word) || at_problem_open(word, &p, &none))
        return at_front_of_file(word);
    const at_front *f = at_front_of(p);
    at_problem_free(p);
    return f;
}

const at_front *at_front_speaking(const at_model *m)
{
    for (int k = 0; k < at_n_fronts; k++)
        if (at_fronts[k]->speaks && at_fronts[k]->speaks(m))
            return at_fronts[k];
    return NULL;
}

const char *const *at_front_kinds(const at_front *f, int *n)
{
    *n = f->only ? 1 : AT_ATTENTIONS;
    for (int k = 0; f->kinds && (!k || f->kinds[k - 1]); k++)
        *n = k;
    return f->kinds ? f->kinds : f->only ? &f->only : at_attention_names;
}

at_status at_front_kind(const at_front *f, const char *name, at_attention_kind *out, at_err *err)
{
    int n;
    const char *const *names = at_front_kinds(f, &n);
    *out = AT_ATTENTION_STANDARD;
    if (!name)
        return AT_OK;
    for (int k = 0; k < n; k++)
        if (strcmp(names[k], name) == 0) {
            *out = (at_attention_kind)k;
            return AT_OK;
        }
    const char *near = at_nearest(name, names, (size_t)n);
    if (near)
        return at_fail(err, AT_EINPUT, "unknown attention '%.40s'; did you mean '%s'?", name, near);
    at_text all;
    at_text_init(&all);
    for (int k = 0; k < n; k++)
        at_text_addf(&all, "%s%s", k == 0 ? "" : k == n - 1 ? " or " : ", ", names[k]);
    at_status s = at_fail(err, AT_EINPUT, "--attention '%.40s': %s %s", name,
                          n > 1 ? "must be" : "there is one kind,", all.oom ? "" : all.s);
    at_text_release(&all);
    return s;
}

at_status at_front_shape(const at_front *f, const at_params *p, const at_front_options *o, at_model *m,
                         at_err *err)
{
    return (f->shape ? f->shape : f->model)(p, o, m, err);
}

bool at_front_is_problem(const at_front *f)
{
    return f->lang->suffix && f->lang->open;
}

void at_front_answer(const at_model *m, const at_input *prompt, const at_input *rows, at_text *out)
{
    at_text_add(out, "");
    for (int k = 0; k < at_n_fronts; k++)
        if (at_fronts[k]->answer && at_fronts[k]->answer(m, prompt, rows, out))
            return;
    int width = at_model_row_width(m), last = rows->n - 1;
    const at_decode *d = &m->decode;
    bool tokens = m->readout.kind == AT_READ_ARGMAX;
    if (tokens && last > 0 && d->stop == AT_STOP_EQUALS && rows->v[last] == d->value)
        last--;
    if (last >= 0 && tokens)
        at_input_print_row(m, rows->v + last, -1, out);
    else if (last >= 0)
        at_text_addf(out, "%.17g", rows->v[(size_t)(last + 1) * (size_t)width - 1]);
}

at_status front_remember(const at_params *p, at_model *m, at_err *err)
{
    const at_problem *of = p->of;
    at_status s = at_problem_remember(of->id, of->digest, p, m, err);
    if (s)
        at_model_release(m);
    return s;
}

/* ---- reading -------------------------------------------------------------------------------------------------- */

/* A problem by its name; *out stays NULL where there is none of that name. */
static at_status name_open(const char *word, at_reading *out, at_err *err)
{
    at_err unknown = {0};
    at_status s = at_problem_read(word, NULL, NULL, &out->problem, &unknown);
    if (s == AT_ENOMEM)
        return at_oom(err);
    if (s)
        return AT_OK;
    out->front = at_front_of(out->problem);
    if (out->front)
        return AT_OK;
    at_reading_release(out);
    return at_fail(err, AT_EREFUSED,
                   "%.60s cannot be compiled: it is written in no language (a file of that name: ./%.60s)",
                   word, word);
}

at_status at_front_open(const char *word, at_reading *out, at_err *err)
{
    return at_front_open_over(word, NULL, out, err);
}

at_status at_front_open_over(const char *word, const char *alphabet, at_reading *out, at_err *err)
{
    *out = (at_reading){.front = at_front_of_file(word), .word = word};
    if (out->front && !at_front_is_problem(out->front))
        return alphabet ? at_fail(err, AT_EREFUSED, "an alphabet beside %.150s, which is %s", word,
                                  out->front->lang->about)
                        : AT_OK;
    if (!out->front && !at_is_file(word)) {
        at_status s = name_open(word, out, err);
        if (s || out->problem) {
            if (!s && alphabet) {
                at_reading_release(out);
                s = at_fail(err, AT_EREFUSED, "an alphabet beside '%.60s', which is no file", word);
            }
            return s;
        }
    }
    if (!out->front)
        out->front = at_fronts[0];
    return at_problem_read(word, out->front->lang, alphabet, &out->problem, err);
}

at_status at_front_open_line(const char *lang, const char *text, const char *alphabet, at_reading *out,
                             at_err *err)
{
    *out = (at_reading){.word = text};
    for (int k = 0; k < at_n_fronts && !out->front; k++)
        if (at_fronts[k]->lang->line && strcmp(at_fronts[k]->lang->id, lang) == 0)
            out->front = at_fronts[k];
    if (!out->front)
        return at_fail(err, AT_EREFUSED, "%.40s is not written on the command line", lang);
    return at_problem_line(out->front->lang, text, alphabet, &out->problem, err);
}

void at_reading_release(at_reading *r)
{
    at_problem_free(r->problem);
    r->problem = NULL;
}

at_status at_front_params(const at_reading *r, at_arena *a, const at_param **schema, int *n, at_err *err)
{
    if (r->front->params)
        return r->front->params(r, a, schema, n, err);
    *n = at_problem_schema(r->problem, at_front_view(r->problem), schema);
    return AT_OK;
}

/* ---- compiling and showing, of a problem ------------------------------------------------------------------------ */

/* "title: n=3 top=9" */
static void title_say(const at_problem *p, const at_params *q, at_said *said)
{
    at_text_add_plain(&said->line, p->title);
    at_text_add(&said->line, q->n ? ": " : "");
    at_params_print(q, &said->line);
}

at_status front_problem_compile(const at_reading *r, const char *set, const at_front_options *o, at_model *m,
                                at_said *said, at_err *err)
{
    const at_problem *p = r->problem;
    at_params q;
    at_status s = at_problem_params(p, at_front_view(p), set, &q, err);
    if (!s)
        s = r->front->model(&q, o, m, err);
    if (s)
        return s;
    at_fact_text(said, "problem", p->title);
    title_say(p, &q, said);
    at_text_addf(&said->line, ", L = %d", m->n_max);
    for (int k = 0; k < q.n; k++)
        at_fact_number(said, q.schema[k].name, q.value[k]);
    at_fact_number(said, "length", m->n_max);
    at_text_addf(&said->lines, "%s: %s\n", p->chain ? "prompt" : "input",
                 p->chain ? p->chain->input_help : p->task->input_help);
    return AT_OK;
}

at_status at_front_compile(const at_reading *r, const char *set, const at_front_options *o, at_model *m,
                           at_said *said, at_err *err)
{
    const at_front *f = r->front;
    if (!f->compile && !f->model)
        return at_fail(err, AT_EREFUSED, "%.200s cannot be compiled: it is %s", r->word, f->lang->about);
    int kinds;
    const char *const *names = at_front_kinds(f, &kinds);
    if ((int)o->attention >= kinds)
        return at_fail(err, AT_EREFUSED, "%.200s has one kind of attention, %s", r->word, *names);
    at_status s = (f->compile ? f->compile : front_problem_compile)(r, set, o, m, said, err);
    if (s)
        return s;
    at_model_size(m, &said->size);
    said->sized = true;
    s = at_said_status(said, err);
    if (s)
        at_model_release(m);
    return s;
}

at_status front_problem_show(const at_reading *r, const char *set, const at_show_options *o, at_said *said,
                             at_err *err)
{
    (void)o;
    const at_problem *p = r->problem;
    at_fact_text(said, "problem", p->title);
    at_fact_text(said, "definition", p->definition);
    at_text_add_plain(&said->lines, p->title);
    at_text_add(&said->lines, "\n  ");
    at_text_add_plain(&said->lines, p->definition);
    at_text_add(&said->lines, "\n");
    for (int v = 0; v < AT_VIEWS; v++) {
        at_params q;
        if (!at_problem_has(p, v))
            continue;
        at_status s = at_problem_params(p, v, set, &q, err);
        if (s)
            return s;
        at_text_addf(&said->lines, "  asked by its %s%s", at_view_names[v], q.n ? ":" : "");
        said->of = at_view_names[v];
        for (int k = 0; k < q.n; k++) {
            at_text_addf(&said->lines, " %s=%.17g", q.schema[k].name, q.value[k]);
            at_fact_number(said, q.schema[k].name, q.value[k]);
        }
        at_text_add(&said->lines, "\n");
    }
    return AT_OK;
}

at_status at_front_show(const at_reading *r, const char *set, const at_show_options *o, at_said *said,
                        at_err *err)
{
    at_status s = (r->front->show ? r->front->show : front_problem_show)(r, set, o, said, err);
    return s ? s : at_said_status(said, err);
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

void at_said_init(at_said *s)
{
    *s = (at_said){0};
    at_text_init(&s->line);
    at_text_init(&s->lines);
    at_text_init(&s->note);
    at_arena_init(&s->arena);
}

void at_said_release(at_said *s)
{
    at_text_release(&s->line);
    at_text_release(&s->lines);
    at_text_release(&s->note);
    at_arena_release(&s->arena);
}

at_status at_said_status(const at_said *s, at_err *err)
{
    return s->oom || s->line.oom || s->lines.oom || s->note.oom ? at_oom(err) : AT_OK;
}

static at_fact *fact_add(at_said *s, const char *name, at_fact_kind kind)
{
    assert(s->n_facts < AT_FACTS_MAX);
    at_fact *f = &s->facts[s->n_facts++];
    *f = (at_fact){.of = s->of, .name = at_arena_strdup(&s->arena, name), .kind = kind};
    s->oom |= !f->name;
    return f;
}

void at_fact_text(at_said *s, const char *name, const char *value)
{
    at_fact *f = fact_add(s, name, AT_FACT_TEXT);
    f->text = at_arena_strdup(&s->arena, value);
    s->oom |= !f->text;
}

void at_fact_number(at_said *s, const char *name, double value)
{
    fact_add(s, name, AT_FACT_NUMBER)->number = value;
}

void at_fact_bool(at_said *s, const char *name, at_tri value)
{
    fact_add(s, name, value == AT_UNKNOWN ? AT_FACT_UNKNOWN : AT_FACT_BOOL)->number = value == AT_TRUE;
}

void at_fact_list(at_said *s, const char *name, const int64_t *v, int64_t n)
{
    at_fact *f = fact_add(s, name, AT_FACT_LIST);
    int64_t *kept = at_new(&s->arena, int64_t, n);
    f->list = kept;
    f->n = n;
    s->oom |= !kept && n > 0;
    for (int64_t k = 0; kept && k < n; k++)
        kept[k] = v[k];
}
