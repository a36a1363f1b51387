/* compile_rasp.c: RASP as average-hard or softmax attention.
 *
 * A flat program (lang.h) is made node by node: s-ops by compile_rasp_point.c, selectors by compile_rasp_select.c, aggregate and
 * selector_width by compile_rasp_attend.c, which has the proof. What a score or a table cannot say is refused with its place. */
#include "compile_rasp.h"

#include <stdio.h>
#include <string.h>

at_status rasp_refuse(const rasp_maker *m, int node, const char *fmt, ...)
{
    const at_rasp_node *v = &m->r->node[node];
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return at_fail(m->err, AT_EREFUSED, "%.150s:%d:%d: %s", v->path, v->line, v->column, text);
}

const char *rasp_label(rasp_maker *m, int node)
{
    const at_rasp_node *v = &m->r->node[node];
    if (v->name)
        snprintf(m->label, sizeof m->label, "%.50s", v->name);
    else
        snprintf(m->label, sizeof m->label, "_%d_%d", v->line, v->column);
    return m->label;
}

void rasp_serves(rasp_maker *m, int node)
{
    const at_rasp_node *v = node < 0 ? NULL : &m->r->node[node];
    if (v && !v->name)
        snprintf(m->label, sizeof m->label, "line %d, column %d", v->line, v->column);
    at_program_label(m->P, !v ? NULL : v->name ? v->name : m->label);
}

static at_status letter_make(rasp_maker *m, int node, at_var field)
{
    const at_rasp_node *v = &m->r->node[node];
    const at_alphabet *sigma = &m->r->sigma;
    const at_rasp_range *g = &m->range[node];
    rasp_value *out = &m->value[node];
    double table[AT_LETTERS_MAX] = {0};
    if (v->op == AT_RASP_INTS) {
        for (int k = 0; k < sigma->n; k++) {
            int64_t i = 0;
            at_parse_i64(sigma->letter[k], strlen(sigma->letter[k]), &i);
            table[k] = (double)i;
        }
        *out = (rasp_value){.sort = RASP_INTEGER, .den = 1, .v = at_lookup(m->P, "tokens_int", field, table)};
        return AT_OK;
    }
    *out = (rasp_value){.sort = RASP_TEXT, .n = g->n, .string = g->string, .is = at_new(m->a, at_var, g->n)};
    if (!out->is)
        return at_oom(m->err);
    for (int k = 0; k < g->n; k++) {
        char name[64];
        memset(table, 0, sizeof table);
        table[at_alphabet_find(sigma, g->string[k], strlen(g->string[k]))] = 1;
        snprintf(name, sizeof name, "is_%.40s", g->string[k]);
        out->is[k] = at_lookup(m->P, name, field, table);
    }
    return AT_OK;
}

static at_status constant_make(rasp_maker *m, int node)
{
    const at_rasp_node *v = &m->r->node[node];
    rasp_value *out = &m->value[node];
    *out = (rasp_value){.sort = RASP_INTEGER, .den = (double)v->atom.den, .constant = true};
    if (v->atom.kind != AT_RASP_STRING) {
        if (v->atom.num > 1000000000 || v->atom.num < -1000000000 || v->atom.den > 1000000)
            return rasp_refuse(m, node, "a constant beyond 10^9, or with a denominator beyond 10^6");
        out->v = at_scaled(m->P, (double)v->atom.num, m->user);
        out->boolean = v->atom.kind == AT_RASP_BOOL;
        return AT_OK;
    }
    *out = (rasp_value){.sort = RASP_TEXT,
                        .n = 1,
                        .string = m->range[node].string,
                        .is = at_new(m->a, at_var, 1),
                        .constant = true};
    if (!out->is)
        return at_oom(m->err);
    out->is[0] = m->user;
    return AT_OK;
}

static at_status node_make(rasp_maker *m, int node, at_var field)
{
    const at_rasp_node *v = &m->r->node[node];
    char place[200];
    snprintf(place, sizeof place, "%.150s:%d:%d", v->path, v->line, v->column);
    at_program_place(m->P, place);
    if (v->op == AT_RASP_CONST)
        return constant_make(m, node);
    if (v->op == AT_RASP_TOKENS || v->op == AT_RASP_INTS)
        return letter_make(m, node, field);
    if (v->op == AT_RASP_INDICES) {
        m->value[node] = (rasp_value){.sort = RASP_INTEGER, .den = 1, .v = m->indices};
        return AT_OK;
    }
    if (v->op == AT_RASP_AGGREGATE || v->op == AT_RASP_WIDTH)
        return rasp_attend(m, node);
    return at_rasp_selects(v->op) ? AT_OK : rasp_point(m, node); /* selectors are made where they are used */
}

static at_status output_make(rasp_maker *m, int node)
{
    const rasp_value *x = &m->value[node];
    const at_alphabet *sigma = &m->r->sigma;
    if (x->sort == RASP_MEAN || (x->sort == RASP_INTEGER && x->den != 1))
        return rasp_refuse(m, node, "the output can be a fraction; compare or round it");
    if (x->sort == RASP_INTEGER) {
        at_emit(m->P, AT_VEC(x->v), x->boolean ? AT_READ_THRESHOLD : AT_READ_ROUND, x->boolean ? 0.5 : 0);
        return AT_OK;
    }
    bool letters = at_rasp_letters(m->r, &m->range[node]);
    int n = letters ? sigma->n : x->n;
    at_var *out = at_new(m->a, at_var, n);
    if (!out)
        return at_oom(m->err);
    for (int k = 0; k < n; k++) {
        at_var is = letters ? rasp_one_of(m, x, sigma->letter[k]) : x->is[k];
        out[k] = is < 0 ? at_const(m->P, 0) : is;
    }
    at_emit(m->P, (at_vec){n, out}, AT_READ_ARGMAX, 0);
    return AT_OK;
}

/* May a mask look to the right? Then a position behind the word is needed; `not` turns masks round. */
static bool looks_right(const at_rasp *r, const bool *need, int last)
{
    bool order = false, turned = false;
    for (int k = 0; k <= last; k++) {
        const at_rasp_node *v = &r->node[k];
        if (!need[k])
            continue;
        turned |= v->op == AT_RASP_NEITHER ||
                  (v->op == AT_RASP_SELECT && (v->compare == AT_RASP_GT || v->compare == AT_RASP_GE));
        order |= v->op == AT_RASP_SELECT && r->node[v->arg[0]].op == AT_RASP_INDICES &&
                 r->node[v->arg[1]].op == AT_RASP_INDICES;
    }
    return order && turned;
}

static at_status program_make(rasp_maker *m, int node, const bool *need)
{
    at_program *P = m->P;
    bool right = looks_right(m->r, need, node);
    at_prefix(P, 1);
    if (right)
        at_suffix(P, 1);
    at_origin(P, 0);
    at_var field = at_token(P, "letter", m->r->sigma.n);
    m->begin = at_mark_prefix(P, "begin", 0);
    m->end = right ? at_mark_suffix(P, "end", 0) : -1;
    m->hidden = right ? at_add(P, m->begin, m->end) : m->begin;
    m->user = at_known(P, "user", at_not(P, m->hidden), 0, 1, true, -1);
    m->here = at_position(P, "j", AT_POS_I);
    m->indices = at_sub(P, m->here, m->user);
    if (right)
        m->indices = at_select(P, "indices", m->end, at_const(P, 0), m->indices);
    m->indices = at_known(P, "indices", m->indices, 0, m->N - 1, true, -1);
    at_status s = AT_OK;
    for (int k = 0; k <= node && !s; k++)
        if (need[k])
            s = node_make(m, k, field);
    at_program_place(P, NULL);
    return s ? s : output_make(m, node);
}

at_status at_rasp_program(const at_rasp *r, int node, int N, const at_rasp_options *o, at_program **out,
                          at_err *err)
{
    at_arena arena;
    at_rasp_range *g;
    static const at_rasp_options usual = {0};
    rasp_maker m = {.r = r, .N = N, .a = &arena, .err = err, .o = o ? o : &usual};
    *out = NULL;
    m.weighting = m.o->softmax ? AT_SOFTMAX : AT_AVERAGE_HARD;
    at_arena_init(&arena);
    at_status s = at_rasp_ranges(r, N, &arena, &g, err);
    bool *need = at_new(&arena, bool, node + 1);
    m.value = at_new(&arena, rasp_value, node + 1);
    m.form = at_new(&arena, rasp_form *, node + 1);
    m.depth = at_new(&arena, int, node + 1);
    m.P = at_program_new("rasp", N);
    if (!s && (!need || !m.value || !m.form || !m.depth || !m.P))
        s = at_oom(err);
    if (!s) {
        m.range = g;
        need[node] = true;
        for (int k = node; k >= 0; k--)
            for (int i = 0; need[k] && i < 3; i++)
                if (r->node[k].arg[i] >= 0)
                    need[r->node[k].arg[i]] = true;
        for (int k = 0; k <= node; k++) {
            for (int i = 0; i < 3 && r->node[k].arg[i] >= 0; i++)
                m.depth[k] =
                    m.depth[r->node[k].arg[i]] > m.depth[k] ? m.depth[r->node[k].arg[i]] : m.depth[k];
            m.depth[k] += r->node[k].op == AT_RASP_AGGREGATE || r->node[k].op == AT_RASP_WIDTH;
        }
        if (m.o->arith)
            at_program_arithmetic(m.P, *m.o->arith);
        if (m.o->scale)
            at_program_weaken(m.P, m.o->scale);
        s = program_make(&m, node, need);
    }
    if (!s)
        s = at_program_status(m.P, err);
    if (s)
        at_program_free(m.P);
    else
        *out = m.P;
    at_arena_release(&arena);
    return s;
}

/* The letters as words of the input; strings and truths as words of the output. */
static at_status words_give(const at_rasp *r, int node, at_model *m, at_err *err)
{
    int n = at_readout_words(&m->readout);
    at_arena arena;
    at_rasp_range *g;
    at_arena_init(&arena);
    at_status s = at_rasp_ranges(r, m->n_max, &arena, &g, err);
    at_word *in = at_new(&m->arena, at_word, r->sigma.n), *out = at_new(&m->arena, at_word, n + 1);
    if (!s && (!in || !out))
        s = at_oom(err);
    bool fit = true;
    for (int k = 0; !s && k < r->sigma.n; k++)
        snprintf(in[k].s, sizeof in[k].s, "%s", r->sigma.letter[k]);
    for (int k = 0; !s && k < n; k++) {
        const at_rasp_range *x = &g[node];
        const char *word = x->kind == AT_RASP_NUMBER ? (k ? "1" : "0") /* as indicator makes */
                           : x->kind == AT_RASP_BOOL ? (k ? "True" : "False")
                           : at_rasp_letters(r, x)   ? r->sigma.letter[k]
                                                     : x->string[k];
        word = *word ? word : "\"\"";
        fit &= strlen(word) < sizeof out[k].s && !strpbrk(word, " \t");
        snprintf(out[k].s, sizeof out[k].s, "%s", word);
    }
    at_arena_release(&arena);
    if (!s) {
        m->fields[0].words = in;
        m->readout.words = n && fit ? out : NULL;
        s = at_model_validate(m, err);
    }
    if (s)
        at_model_release(m);
    return s;
}

at_status at_rasp_model(const at_rasp *r, int node, int N, const at_rasp_options *o, at_model *m, at_err *err)
{
    at_program *P;
    at_status s = at_rasp_program(r, node, N, o, &P, err);
    if (s)
        return s;
    s = front_assemble(P, m, err);
    return s ? s : words_give(r, node, m, err);
}

/* ---- RASP as a front end -------------------------------------------------------------------------------------------------- */

static at_status front_model(const at_params *p, const at_front_options *o, at_model *m, at_err *err)
{
    const at_problem *of = p->of;
    const at_rasp *r = at_rasp_of(of);
    at_rasp_options how = {.arith = o->arith, .softmax = r->softmax || o->attention == 1};
    at_status s =
        at_rasp_model(r, r->output_node[at_params_int(p, "output")], at_params_int(p, "N"), &how, m, err);
    return s ? s : front_remember(p, m, err);
}

/* The flat program, and what it takes at these parameters, or why it cannot be compiled. */
static at_status front_show(const at_reading *r, const char *set, const at_show_options *o, at_said *said,
                            at_err *err)
{
    const at_problem *of = r->problem;
    const at_rasp *x = at_rasp_of(of);
    at_params q;
    at_model m;
    at_err why = {0};
    at_fact_text(said, "problem", of->title);
    if (o->exact) {
        at_rasp_print(x, &said->lines);
        return AT_OK;
    }
    at_status s = at_problem_params(of, AT_VIEW_POSITIONS, set, &q, err);
    if (s)
        return s;
    at_text_addf(&said->lines, "%s\n\n", of->title);
    at_rasp_print(x, &said->lines);
    at_fact_text(said, "output", x->output[at_params_int(&q, "output")]);
    at_fact_number(said, "N", at_params_int(&q, "N"));
    s = front_model(&q, &(at_front_options){0}, &m, &why);
    if (s == AT_ENOMEM)
        return at_oom(err);
    at_text_add(&said->lines, "\n");
    if (s)
        at_text_addf(&said->lines, "not compiled: %s\n", why.text);
    else {
        at_size z;
        at_model_size(&m, &z);
        at_model_release(&m);
        at_params_print(&q, &said->lines);
        at_text_addf(&said->lines,
                     ": %d attention layers, %d head%s, width %d, hidden %d, %zu parameters, largest %.3g\n",
                     z.layers, z.heads, z.heads == 1 ? "" : "s", z.width, z.hidden, z.parameters, z.largest);
        at_fact_number(said, "layers", z.layers);
        at_fact_number(said, "heads", z.heads);
        at_fact_number(said, "width", z.width);
        at_fact_number(said, "parameters", (double)z.parameters);
    }
    at_fact_bool(said, "compiles", s ? AT_FALSE : AT_TRUE);
    return AT_OK;
}

static const char *const kinds[] = {"average-hard", "softmax", NULL};
const at_front at_front_rasp = {.lang = &at_lang_rasp,
                                .about = "RASP: average-hard attention, or softmax",
                                .kinds = kinds,
                                .model = front_model,
                                .show = front_show,
                                .exact = true};
