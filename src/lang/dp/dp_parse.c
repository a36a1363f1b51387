/* dp_parse.c: the declarations of a problem.
 *
 *     file  = "problem" TEXT {decl}
 *     decl  = "size" NAME range {"," NAME range}              range = "in" expr ".." expr
 *           | "input" NAME ["[" expr ["," expr] "]"] range
 *           | "table" NAME "[" NUMBER ["," NUMBER] "]" "=" ["-"] NUMBER {"," ["-"] NUMBER}
 *           | "state" NAME range {"," NAME range}             begins a block: what follows belongs to it
 *           | "value" NAME range {"," NAME range}
 *           | "take" NAME "=" INPUT "[" expr "]" ["when" expr]
 *           | "need" NAME "=" "(" expr {"," expr} ")" ["when" expr]
 *           | "let" NAME "=" expr
 *           | VALUE "=" expr                                  once a value
 *           | "answer" expr ["at" "(" expr {"," expr} ")"]    once
 *
 * A name is declared before it is used and means one thing in its block of states, so one pass resolves everything, the
 * tree has no cycles through lets, and a look-up can only be steered by those above it. */
#include "dp_internal.h"

#include <stdio.h>
#include <string.h>

enum {
    OF_SIZES = DP_SIZE,
    OF_STATE = DP_SIZE | DP_COUNTER,
    OF_LOOKUP = DP_SIZE | DP_COUNTER | DP_TAKE | DP_READ,
    OF_RULE = DP_SIZE | DP_COUNTER | DP_TAKE | DP_NEED | DP_READ | DP_FOLD
};

/* ---- names ---------------------------------------------------------------------------------------- */

/* Reads a new name into *out; it becomes known with dp_name_declare, after its declaration. */
bool dp_name_new(dp_parser *p, unsigned kind, int count, at_dp_name *out)
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
        dp_fail(p, t.line, t.column, "too many: %s is number %d of its kind; at most %d", what, count + 1,
                AT_DP_MAX);
    if (p->status != AT_OK)
        return false;
    memcpy(out->name, t.s, t.n);
    out->name[t.n] = 0;
    out->line = t.line;
    out->column = t.column;
    dp_next(p);
    return p->status == AT_OK;
}

void dp_name_declare(dp_parser *p, unsigned kind, int index, const at_dp_name *name)
{
    if (p->status == AT_OK)
        p->entry[p->n_entries++] = (dp_entry){kind, index, name};
}

void dp_range_read(dp_parser *p, unsigned allowed, const char *where, at_dpx **lo, at_dpx **hi)
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
        if (!dp_name_new(p, DP_SIZE, k, &d->sizes[k < AT_DP_MAX ? k : 0]))
            return;
        dp_range_read(p, OF_SIZES, "the range of a size", &d->size_lo[k], &d->size_hi[k]);
        if (dp_accept(p, "default")) {
            int line = p->t.line, column = p->t.column;
            const at_dpx *e = d->size_usual[k] = dp_expr_read(p, 0, "the default of a size");
            if (e && e->op != AT_DPX_CONST)
                dp_fail(p, line, column, "the default of a size is a number");
        } else if (k && d->size_usual[k - 1])
            dp_fail(p, p->t.line, p->t.column, "a size without a default; those with one come last");
        dp_name_declare(p, DP_SIZE, k, &d->sizes[k]);
        d->n_sizes++;
    } while (dp_accept(p, ","));
}

static void input_read(dp_parser *p)
{
    at_dp *d = p->d;
    int k = d->n_inputs;
    at_dp_input *in = &d->inputs[k < AT_DP_MAX ? k : 0];
    if (!dp_name_new(p, DP_INPUT, k, &in->name))
        return;
    in->scalar = dp_is(p, "in");
    if (in->scalar) {
        in->length = dp_node_new(p, AT_DPX_CONST, in->name.line, in->name.column, NULL, NULL, NULL);
        if (in->length)
            in->length->value = 1;
    } else {
        dp_expect(p, "[", "and the length, as in a[n], or a range, as in 0..9");
        in->length = dp_expr_read(p, OF_SIZES, "the length of an input");
        if (dp_accept(p, ",")) {
            in->rows = in->length;
            in->cols = dp_expr_read(p, OF_SIZES, "the length of an input");
            if (p->status == AT_OK)
                in->length =
                    dp_node_new(p, AT_DPX_MUL, in->rows->line, in->rows->column, in->rows, in->cols, NULL);
        }
        dp_expect(p, "]", "after the length");
    }
    dp_range_read(p, OF_SIZES, "the range of an input", &in->lo, &in->hi);
    dp_name_declare(p, DP_INPUT, k, &in->name);
    d->n_inputs++;
}

/* A number that stands in the file as it is; most: of all that are allowed. */
static int64_t number_read(dp_parser *p, const char *what, int64_t least, int64_t most)
{
    int line = p->t.line, column = p->t.column;
    char buf[64];
    bool minus = dp_accept(p, "-");
    int64_t value = minus ? -p->t.number : p->t.number;
    if (p->t.kind != DP_NUMBER)
        dp_fail(p, line, column, "expected %s, a number, found %s", what, dp_shown(p, buf));
    else if (value < least || value > most)
        dp_fail(p, line, column, "%s is %lld; allowed are %lld..%lld", what, (long long)value,
                (long long)least, (long long)most);
    dp_next(p);
    return value;
}

static void table_read(dp_parser *p)
{
    at_dp *d = p->d;
    int k = d->n_tables;
    at_dp_table *t = &d->tables[k < AT_DP_MAX ? k : 0];
    if (!dp_name_new(p, DP_TABLE, k, &t->name))
        return;
    dp_expect(p, "[", "and the length, as in table w[3] = 4, 5, 6");
    t->n = (int)number_read(p, "the length of a table", 1, DP_NODES);
    if (dp_accept(p, ",")) {
        t->cols = (int)number_read(p, "the columns of a table", 1, DP_NODES / t->n);
        t->n *= t->cols;
    }
    dp_expect(p, "]", "after the length");
    dp_expect(p, "=", "and its numbers");
    t->value = p->status == AT_OK ? at_new(&d->arena, int64_t, t->n) : NULL;
    if (p->status == AT_OK && !t->value) {
        p->status = at_oom(p->err);
        p->t.kind = DP_END;
    }
    for (int i = 0; i < t->n && p->status == AT_OK; i++) {
        if (i && !dp_accept(p, ","))
            dp_fail(p, p->t.line, p->t.column, "the table %s has %d numbers, and needs %d", t->name.name, i,
                    t->n);
        t->value[i] = number_read(p, "an entry of a table", -AT_DP_NUMBER, AT_DP_NUMBER);
    }
    if (dp_is(p, ","))
        dp_fail(p, p->t.line, p->t.column, "too many numbers; the table %s has %d", t->name.name, t->n);
    dp_name_declare(p, DP_TABLE, k, &t->name);
    d->n_tables++;
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

void dp_counter_range_check(dp_parser *p, const at_dpx *e)
{
    const at_dpx *bad = p->status == AT_OK ? bent_part(e) : NULL;
    if (bad)
        dp_fail(p, bad->line, bad->column,
                "the range of a counter must be linear in earlier counters: + - min max, and products with "
                "sizes");
}

/* What belongs to the states before is not seen by the next ones, but for values: those are read in place. */
static void block_leave(dp_parser *p)
{
    int n = 0;
    for (int i = 0; i < p->n_entries; i++) {
        const dp_entry *e = &p->entry[i];
        bool leaves = e->kind & (DP_COUNTER | DP_TAKE | DP_NEED);
        if (e->kind == DP_LET)
            leaves = dp_node_of(p->d->lets[e->index].rule)->uses & ~(unsigned)DP_SIZE;
        if (!leaves)
            p->entry[n++] = *e;
    }
    p->n_entries = n;
}

static void state_read(dp_parser *p)
{
    at_dp *d = p->d;
    if (d->n_blocks == AT_DP_BLOCKS) {
        dp_fail(p, p->t.line, p->t.column, "too many blocks of states; at most %d", AT_DP_BLOCKS);
        return;
    }
    if (d->n_blocks)
        block_leave(p);
    at_dp_block *b = &d->blocks[d->n_blocks++];
    b->fold = -1;
    do {
        at_dp_counter *c = &b->counter[b->n < AT_DP_MAX ? b->n : 0];
        if (!dp_name_new(p, DP_COUNTER, b->n, &c->name))
            return;
        dp_range_read(p, OF_STATE, "the range of a counter", &c->lo, &c->hi);
        dp_counter_range_check(p, c->lo);
        dp_counter_range_check(p, c->hi);
        dp_name_declare(p, DP_COUNTER, b->n, &c->name);
        b->n++;
    } while (dp_accept(p, ","));
}

static void value_read(dp_parser *p)
{
    at_dp *d = p->d;
    do {
        int k = d->n_values;
        at_dp_value *v = &d->values[k < AT_DP_MAX ? k : 0];
        if (!dp_name_new(p, DP_VALUE, k, &v->name))
            return;
        dp_range_read(p, OF_SIZES, "the range of a value", &v->lo, &v->hi);
        v->block = dp_block_now(p);
        dp_name_declare(p, DP_VALUE, k, &v->name);
        d->n_values++;
    } while (dp_accept(p, ","));
}

int dp_steer(dp_parser *p, int round, const at_dpx *e)
{
    if (!e)
        return round;
    p->d->steering |= dp_node_of(e)->takes;
    for (int n = 0; n < p->d->n_needs; n++)
        if (dp_node_of(e)->reads >> n & 1)
            p->d->needs[n].steers = true;
    return round > dp_node_of(e)->round ? round : dp_node_of(e)->round;
}

/* What is read in place inside a take or a need joins the same list, so there may be no room behind it. */
static bool room_left(dp_parser *p, unsigned kind, int count, const at_dp_name *name)
{
    if (p->status == AT_OK && count >= AT_DP_MAX)
        dp_fail(p, name->line, name->column, "too many: %s is number %d of its kind; at most %d",
                dp_kind_word(kind), count + 1, AT_DP_MAX);
    return p->status == AT_OK;
}

static void take_read(dp_parser *p)
{
    at_dp *d = p->d;
    at_dp_take take = {0}, *t = &take;
    if (!dp_name_new(p, DP_TAKE, d->n_takes, &t->name))
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
    t->block = dp_block_now(p);
    dp_next(p);
    p->allowed = OF_LOOKUP;
    p->where = "a look-up";
    if (d->inputs[t->input].scalar)
        dp_fail(p, name.line, name.column, "%s is one number; write %s where it is read",
                d->inputs[t->input].name.name, d->inputs[t->input].name.name);
    t->index = dp_place_read(p, d->inputs[t->input].cols, &t->column);
    if (dp_accept(p, "when"))
        t->when = dp_truth_read(p, OF_LOOKUP, "a look-up");
    t->round = dp_steer(p, dp_steer(p, 0, t->index), t->when);
    if (!room_left(p, DP_TAKE, d->n_takes, &t->name))
        return;
    d->takes[d->n_takes] = take;
    dp_name_declare(p, DP_TAKE, d->n_takes, &d->takes[d->n_takes].name);
    d->n_takes++;
}

void dp_tuple_read(dp_parser *p, int block, unsigned allowed, const char *where, at_dpx **out)
{
    int n = p->d->blocks[block].n;
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
    at_dp_need need = {0}, *n = &need;
    if (!dp_name_new(p, DP_NEED, d->n_needs, &n->name))
        return;
    dp_expect(p, "=", "and a state, as in (i-1, j)");
    n->block = n->reader = dp_block_now(p);
    dp_tuple_read(p, n->block, OF_LOOKUP, "a need", n->counter);
    if (dp_accept(p, "when"))
        n->when = dp_truth_read(p, OF_LOOKUP, "a need");
    for (int c = 0; c < d->blocks[n->block].n; c++)
        n->round = dp_steer(p, n->round, n->counter[c]);
    n->round = dp_steer(p, n->round, n->when);
    if (!room_left(p, DP_NEED, d->n_needs, &n->name))
        return;
    d->needs[d->n_needs] = need;
    dp_name_declare(p, DP_NEED, d->n_needs, &d->needs[d->n_needs].name);
    d->n_needs++;
}

static void let_read(dp_parser *p)
{
    at_dp *d = p->d;
    int k = d->n_lets;
    at_dp_let *l = &d->lets[k < AT_DP_MAX ? k : 0];
    if (!dp_name_new(p, DP_LET, k, &l->name))
        return;
    dp_expect(p, "=", "and an expression");
    l->rule = dp_expr_read(p, OF_RULE, "a let");
    dp_name_declare(p, DP_LET, k, &l->name);
    d->n_lets++;
}

/* The block of the values that e reads at one state; block: of those before, or -1. */
static int answer_block(dp_parser *p, const at_dpx *e, int block)
{
    if (e->op == AT_DPX_VALUE) {
        int own = p->d->values[e->index].block;
        if (block >= 0 && own != block)
            dp_fail(p, e->line, e->column,
                    "the answer reads values of two blocks of states; it has one state");
        return own;
    }
    for (int i = 0; i < 3 && e->arg[i]; i++)
        block = answer_block(p, e->arg[i], block);
    return block;
}

static void answer_read(dp_parser *p)
{
    at_dp *d = p->d;
    if (d->answer) {
        dp_fail(p, p->t.line, p->t.column, "the answer is given already in line %d", d->answer->line);
        return;
    }
    d->answer = dp_expr_read(p, DP_SIZE | DP_VALUE, "the answer");
    d->answer_block = d->answer ? answer_block(p, d->answer, -1) : -1;
    if (d->answer_block < 0)
        d->answer_block = dp_block_now(p);
    if (dp_accept(p, "at"))
        dp_tuple_read(p, d->answer_block, OF_SIZES, "the state of the answer", d->answer_state);
}

static void rule_read(dp_parser *p, const dp_entry *name)
{
    at_dp_value *v = &p->d->values[name->index];
    dp_token at = p->t;
    dp_next(p);
    dp_expect(p, "=", "and an expression");
    if (v->block != dp_block_now(p))
        dp_fail(p, at.line, at.column, "%s belongs to other states; its rule stands before the next block",
                v->name.name);
    else if (v->rule)
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
} declarations[] = {{"size", size_read},   {"input", input_read}, {"state", state_read},
                    {"value", value_read}, {"take", take_read},   {"need", need_read},
                    {"let", let_read},     {"table", table_read}, {"answer", answer_read}};
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
                "unexpected %s; expected an operation, or size, input, table, state, value, take, need, let, "
                "answer or the name of a value",
                dp_shown(p, text));
}

static void declaration_read(dp_parser *p)
{
    const dp_entry *name = p->t.kind == DP_NAME ? dp_lookup(p, &p->t) : NULL;
    if (name && name->kind == DP_VALUE) { /* a value may be called table, which is no reserved word */
        rule_read(p, name);
        return;
    }
    for (int i = 0; i < DECLARATIONS; i++)
        if (dp_accept(p, declarations[i].word)) {
            declarations[i].read(p);
            return;
        }
    declaration_unknown(p);
}

/* What is missing is missed at the end of the file. */
static void whole_check(dp_parser *p)
{
    const at_dp *d = p->d;
    int line = p->t.line, column = p->t.column;
    if (!d->n_blocks)
        dp_fail(p, line, column, "no state is declared; write: state i in 1..n");
    if (!d->n_values)
        dp_fail(p, line, column, "no value is declared; write: value cost in 0..9");
    for (int v = 0; v < d->n_values; v++)
        if (!d->values[v].rule && d->values[v].kind == AT_DP_DECLARED)
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
    if (p.status == AT_OK)
        dp_finish(&p);
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
