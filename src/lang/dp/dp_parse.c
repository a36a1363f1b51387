/* dp_parse.c: the declarations of a problem.
 *
 *     file  = "problem" TEXT {decl}
 *     decl  = "size" NAME range {"," NAME range}              range = "in" expr ".." expr
 *           | "input" NAME "[" expr "]" range
 *           | "state" NAME range {"," NAME range}             once
 *           | "value" NAME range {"," NAME range}
 *           | "take" NAME "=" INPUT "[" expr "]" ["when" expr]
 *           | "need" NAME "=" "(" expr {"," expr} ")" ["when" expr]
 *           | "let" NAME "=" expr
 *           | VALUE "=" expr                                  once a value
 *           | "answer" expr ["at" "(" expr {"," expr} ")"]    once
 *
 * A name is declared before it is used and means one thing in the whole file, so one pass resolves everything, the
 * tree has no cycles through lets, and a look-up can only be steered by those above it. */
#include "dp_internal.h"

#include <stdio.h>
#include <string.h>

enum {
    OF_SIZES = DP_SIZE,
    OF_STATE = DP_SIZE | DP_COUNTER,
    OF_LOOKUP = DP_SIZE | DP_COUNTER | DP_TAKE,
    OF_RULE = DP_SIZE | DP_COUNTER | DP_TAKE | DP_NEED
};

/* ---- names ---------------------------------------------------------------------------------------- */

/* Reads a new name into *out; it becomes known with name_declare, after its declaration. */
static bool name_new(dp_parser *p, unsigned kind, int count, at_dp_name *out)
{
    dp_token t = p->t;
    char buf[64];
    const char *what = dp_kind_word(kind);
    const dp_entry *old = dp_lookup(p, &t);
    if (t.kind != DP_NAME)
        dp_fail(p, t.line, t.column, "expected the name of %s, found %s", what, dp_shown(p, buf));
    else if (dp_reserved(&t))
        dp_fail(p, t.line, t.column, "\"%.*s\" is a word of the language; %s needs another name", (int)t.n,
                t.s, what);
    else if (t.n >= sizeof out->name)
        dp_fail(p, t.line, t.column, "the name is too long; at most %zu letters", sizeof out->name - 1);
    else if (old)
        dp_fail(p, t.line, t.column, "the name %s is taken by %s of line %d", old->name->name,
                dp_kind_word(old->kind), old->name->line);
    else if (count >= AT_DP_MAX)
        dp_fail(p, t.line, t.column, "too many: %s is the ninth of its kind; at most %d", what, AT_DP_MAX);
    if (p->status != AT_OK)
        return false;
    memcpy(out->name, t.s, t.n);
    out->name[t.n] = 0;
    out->line = t.line;
    out->column = t.column;
    dp_next(p);
    return p->status == AT_OK;
}

static void name_declare(dp_parser *p, unsigned kind, int index, const at_dp_name *name)
{
    if (p->status == AT_OK)
        p->entry[p->n_entries++] = (dp_entry){kind, index, name};
}

static void range_read(dp_parser *p, unsigned allowed, const char *where, at_dpx **lo, at_dpx **hi)
{
    dp_expect(p, "in", "and a range, as in 1..9");
    *lo = dp_expr_read(p, allowed, where);
    dp_expect(p, "..", "between the ends of a range");
    *hi = dp_expr_read(p, allowed, where);
}

/* ---- one function a declaration --------------------------------------------------------------------- */

static void size_read(dp_parser *p)
{
    at_dp *d = p->d;
    do {
        int k = d->n_sizes;
        if (!name_new(p, DP_SIZE, k, &d->sizes[k < AT_DP_MAX ? k : 0]))
            return;
        range_read(p, OF_SIZES, "the range of a size", &d->size_lo[k], &d->size_hi[k]);
        if (dp_accept(p, "default")) {
            int line = p->t.line, column = p->t.column;
            const at_dpx *e = d->size_usual[k] = dp_expr_read(p, 0, "the default of a size");
            if (e && e->op != AT_DPX_CONST)
                dp_fail(p, line, column, "the default of a size is a number");
        } else if (k && d->size_usual[k - 1])
            dp_fail(p, p->t.line, p->t.column, "a size without a default; those with one come last");
        name_declare(p, DP_SIZE, k, &d->sizes[k]);
        d->n_sizes++;
    } while (dp_accept(p, ","));
}

static void input_read(dp_parser *p)
{
    at_dp *d = p->d;
    int k = d->n_inputs;
    at_dp_input *in = &d->inputs[k < AT_DP_MAX ? k : 0];
    if (!name_new(p, DP_INPUT, k, &in->name))
        return;
    dp_expect(p, "[", "and the length, as in a[n]");
    in->length = dp_expr_read(p, OF_SIZES, "the length of an input");
    dp_expect(p, "]", "after the length");
    range_read(p, OF_SIZES, "the range of an input", &in->lo, &in->hi);
    name_declare(p, DP_INPUT, k, &in->name);
    d->n_inputs++;
}

/* Ranges are linear in the counters, with min and max, so that a few ReLUs find the next state: the first part of e
 * that is not, or NULL. A let cannot use a counter here, since there is none before the state. */
static const at_dpx *bent_part(const at_dpx *e)
{
    const dp_node *n = dp_node_of(e);
    if (!(n->uses & DP_COUNTER) || e->op == AT_DPX_COUNTER)
        return NULL;
    bool straight = e->op == AT_DPX_ADD || e->op == AT_DPX_SUB || e->op == AT_DPX_NEG ||
                    e->op == AT_DPX_MIN || e->op == AT_DPX_MAX;
    if (e->op == AT_DPX_MUL)
        straight = !(dp_node_of(e->arg[0])->uses & DP_COUNTER) || !(dp_node_of(e->arg[1])->uses & DP_COUNTER);
    if (!straight)
        return e;
    const at_dpx *bad = NULL;
    for (int i = 0; i < 3 && e->arg[i] && !bad; i++)
        bad = bent_part(e->arg[i]);
    return bad;
}

static void counter_range_check(dp_parser *p, const at_dpx *e)
{
    const at_dpx *bad = p->status == AT_OK ? bent_part(e) : NULL;
    if (bad)
        dp_fail(p, bad->line, bad->column,
                "the range of a counter must be linear in earlier counters: + - min max, and products with "
                "sizes");
}

static void state_read(dp_parser *p)
{
    at_dp *d = p->d;
    if (d->n_counters) {
        dp_fail(p, p->t.line, p->t.column, "the state is declared already in line %d; put all counters there",
                d->counters[0].name.line);
        return;
    }
    do {
        int k = d->n_counters;
        at_dp_counter *c = &d->counters[k < AT_DP_MAX ? k : 0];
        if (!name_new(p, DP_COUNTER, k, &c->name))
            return;
        range_read(p, OF_STATE, "the range of a counter", &c->lo, &c->hi);
        counter_range_check(p, c->lo);
        counter_range_check(p, c->hi);
        name_declare(p, DP_COUNTER, k, &c->name);
        d->n_counters++;
    } while (dp_accept(p, ","));
}

static void value_read(dp_parser *p)
{
    at_dp *d = p->d;
    do {
        int k = d->n_values;
        at_dp_value *v = &d->values[k < AT_DP_MAX ? k : 0];
        if (!name_new(p, DP_VALUE, k, &v->name))
            return;
        range_read(p, OF_SIZES, "the range of a value", &v->lo, &v->hi);
        name_declare(p, DP_VALUE, k, &v->name);
        d->n_values++;
    } while (dp_accept(p, ","));
}

/* The takes in e steer a later look-up or a dependency; returns the round that this makes. */
static int steer(dp_parser *p, int round, const at_dpx *e)
{
    if (!e)
        return round;
    p->d->steering |= dp_node_of(e)->takes;
    return round > dp_node_of(e)->round ? round : dp_node_of(e)->round;
}

static void take_read(dp_parser *p)
{
    at_dp *d = p->d;
    int k = d->n_takes;
    at_dp_take *t = &d->takes[k < AT_DP_MAX ? k : 0];
    if (!name_new(p, DP_TAKE, k, &t->name))
        return;
    dp_expect(p, "=", "and an element, as in a[i]");
    dp_token name = p->t;
    char buf[64];
    const dp_entry *in = name.kind == DP_NAME ? dp_lookup(p, &name) : NULL;
    if (name.kind != DP_NAME || dp_reserved(&name))
        dp_fail(p, name.line, name.column, "expected the name of an input, found %s", dp_shown(p, buf));
    else if (!in)
        dp_unknown(p, &name, DP_INPUT, "a take looks up an input");
    else if (in->kind != DP_INPUT)
        dp_fail(p, name.line, name.column, "%s is %s; a take looks up an input", in->name->name,
                dp_kind_word(in->kind));
    if (p->status != AT_OK)
        return;
    t->input = in->index;
    dp_next(p);
    dp_expect(p, "[", "and the position, as in a[i]");
    t->index = dp_expr_read(p, OF_LOOKUP, "a look-up");
    dp_expect(p, "]", "after the position");
    if (dp_accept(p, "when"))
        t->when = dp_truth_read(p, OF_LOOKUP, "a look-up");
    t->round = steer(p, steer(p, 0, t->index), t->when);
    name_declare(p, DP_TAKE, k, &t->name);
    d->n_takes++;
}

/* "(" expr {"," expr} ")", one expression a counter. */
static void tuple_read(dp_parser *p, unsigned allowed, const char *where, at_dpx **out)
{
    int n = p->d->n_counters;
    if (!n)
        dp_fail(p, p->t.line, p->t.column, "no state is declared above; write: state i in 1..n");
    dp_expect(p, "(", "and a state, as in (i-1, j)");
    for (int k = 0; k < n; k++) {
        out[k] = dp_expr_read(p, allowed, where);
        if (k + 1 < n)
            dp_expect(p, ",", "(a state has one number for each counter)");
    }
    if (dp_is(p, ","))
        dp_fail(p, p->t.line, p->t.column, "too many numbers; a state has %d", n);
    dp_expect(p, ")", "after the state");
}

static void need_read(dp_parser *p)
{
    at_dp *d = p->d;
    int k = d->n_needs;
    at_dp_need *n = &d->needs[k < AT_DP_MAX ? k : 0];
    if (!name_new(p, DP_NEED, k, &n->name))
        return;
    dp_expect(p, "=", "and a state, as in (i-1, j)");
    tuple_read(p, OF_LOOKUP, "a need", n->counter);
    if (dp_accept(p, "when"))
        n->when = dp_truth_read(p, OF_LOOKUP, "a need");
    for (int c = 0; c < d->n_counters; c++)
        n->round = steer(p, n->round, n->counter[c]);
    n->round = steer(p, n->round, n->when);
    name_declare(p, DP_NEED, k, &n->name);
    d->n_needs++;
}

static void let_read(dp_parser *p)
{
    at_dp *d = p->d;
    int k = d->n_lets;
    at_dp_let *l = &d->lets[k < AT_DP_MAX ? k : 0];
    if (!name_new(p, DP_LET, k, &l->name))
        return;
    dp_expect(p, "=", "and an expression");
    l->rule = dp_expr_read(p, OF_RULE, "a let");
    name_declare(p, DP_LET, k, &l->name);
    d->n_lets++;
}

static void answer_read(dp_parser *p)
{
    at_dp *d = p->d;
    if (d->answer) {
        dp_fail(p, p->t.line, p->t.column, "the answer is given already in line %d", d->answer->line);
        return;
    }
    d->answer = dp_expr_read(p, DP_SIZE | DP_VALUE, "the answer");
    if (dp_accept(p, "at"))
        tuple_read(p, OF_SIZES, "the state of the answer", d->answer_state);
}

static void rule_read(dp_parser *p, const dp_entry *name)
{
    at_dp_value *v = &p->d->values[name->index];
    dp_token at = p->t;
    dp_next(p);
    dp_expect(p, "=", "and an expression");
    if (v->rule)
        dp_fail(p, at.line, at.column, "%s is given already in line %d", v->name.name, v->rule->line);
    else
        v->rule = dp_expr_read(p, OF_RULE, "a rule");
}

/* ---- the file ------------------------------------------------------------------------------------- */

static void problem_read(dp_parser *p)
{
    char buf[64];
    dp_expect(p, "problem", "at the beginning, as in problem \"edit distance\"");
    if (p->t.kind != DP_STRING)
        dp_fail(p, p->t.line, p->t.column, "expected the title in quotes, found %s", dp_shown(p, buf));
    else if (p->t.n >= sizeof p->d->title)
        dp_fail(p, p->t.line, p->t.column, "the title is too long; at most %zu bytes",
                sizeof p->d->title - 1);
    if (p->status != AT_OK)
        return;
    memcpy(p->d->title, p->t.s, p->t.n);
    const char *s = p->d->title;
    for (uint32_t c; (c = at_text_next(&s));) /* a title is printed as it is */
        if (c == AT_TEXT_REPLACEMENT || at_text_acts(c)) {
            dp_fail(p, p->t.line, p->t.column, "the title holds what is not seen, or is not UTF-8");
            return;
        }
    dp_next(p);
}

static const struct {
    const char *word;
    void (*read)(dp_parser *p);
} declarations[] = {{"size", size_read},   {"input", input_read},  {"state", state_read},
                    {"value", value_read}, {"take", take_read},    {"need", need_read},
                    {"let", let_read},     {"answer", answer_read}};
enum { DECLARATIONS = sizeof declarations / sizeof *declarations };

/* The next token begins no declaration: says so, with the nearest word. */
static void declaration_unknown(dp_parser *p)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)(p->t.n < 40 ? p->t.n : 40), p->t.s);
    at_guess g = {text};
    for (int k = 0; k < DECLARATIONS; k++)
        at_guess_add(&g, declarations[k].word);
    for (int v = 0; v < p->d->n_values; v++)
        at_guess_add(&g, p->d->values[v].name.name);
    const char *best = p->t.kind == DP_NAME ? at_guess_found(&g) : NULL;
    if (best)
        dp_fail(p, p->t.line, p->t.column, "unexpected \"%s\"; did you mean \"%s\"?", text, best);
    else
        dp_fail(p, p->t.line, p->t.column,
                "unexpected %s; expected an operation, or size, input, state, value, take, need, let, answer "
                "or the "
                "name of a value",
                dp_shown(p, text));
}

static void declaration_read(dp_parser *p)
{
    for (int i = 0; i < DECLARATIONS; i++)
        if (dp_accept(p, declarations[i].word)) {
            declarations[i].read(p);
            return;
        }
    const dp_entry *name = p->t.kind == DP_NAME ? dp_lookup(p, &p->t) : NULL;
    if (name && name->kind == DP_VALUE)
        rule_read(p, name);
    else
        declaration_unknown(p);
}

/* What is missing is missed at the end of the file. */
static void whole_check(dp_parser *p)
{
    const at_dp *d = p->d;
    int line = p->t.line, column = p->t.column;
    if (!d->n_counters)
        dp_fail(p, line, column, "no state is declared; write: state i in 1..n");
    if (!d->n_values)
        dp_fail(p, line, column, "no value is declared; write: value cost in 0..9");
    for (int v = 0; v < d->n_values; v++)
        if (!d->values[v].rule)
            dp_fail(p, line, column, "the value %s of line %d has no rule; write: %s = ...",
                    d->values[v].name.name, d->values[v].name.line, d->values[v].name.name);
    if (!d->answer)
        dp_fail(p, line, column, "no answer is given; write: answer %s",
                d->n_values ? d->values[0].name.name : "");
}

at_status at_dp_parse(const char *text, size_t n, const char *path, at_dp **out, at_err *err)
{
    if (n > DP_TEXT)
        return at_fail(err, AT_EINPUT, "%.100s:1:1: the file has %zu bytes; at most %d", path, n, DP_TEXT);
    at_dp *d = at_calloc(1, sizeof *d);
    if (!d)
        return at_oom(err);
    at_arena_init(&d->arena);
    d->path = at_arena_strdup(&d->arena, path);
    dp_parser p = {
        .path = path, .at = text, .end = text + n, .line_start = text, .line = 1, .err = err, .d = d};
    if (!d->path)
        p.status = at_oom(err);
    dp_next(&p);
    problem_read(&p);
    while (p.t.kind != DP_END)
        declaration_read(&p);
    if (p.status == AT_OK)
        whole_check(&p);
    if (p.status != AT_OK) {
        at_dp_free(d);
        return p.status;
    }
    at_sha256(text, n, d->digest);
    for (int k = 0; k < at_n_dp_examples; k++)
        if (strlen(at_dp_examples[k].text) == n && memcmp(at_dp_examples[k].text, text, n) == 0)
            d->known = at_dp_examples[k].name;
    *out = d;
    return AT_OK;
}

at_status at_dp_load(const char *path, at_dp **out, at_err *err)
{
    char *text;
    size_t n;
    at_status s = at_file_read(path, DP_TEXT, &text, &n, err);
    if (s != AT_OK)
        return s;
    s = at_dp_parse(text, n, path, out, err);
    at_free(text);
    return s;
}

void at_dp_free(at_dp *d)
{
    if (!d)
        return;
    at_arena_release(&d->arena);
    at_free(d);
}
