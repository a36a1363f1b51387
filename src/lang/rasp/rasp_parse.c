/* rasp_parse.c: words into statements and expressions.
 *
 * How operators bind is that of the public grammar, tightest first:
 *
 *     x[i]  f(x)      not x  -x  +x      ^      * /      %      + -      == <= >= > <      and or      if else      in
 *
 * and all of them to the left: `not a == b` is `(not a) == b`, `a or b and c` is `(a or b) and c`, `a and x in l` is
 * `(a and x) in l`, and `a if p else b if q else c` is `(a if p else b) if q else c`. */
#include <stdlib.h>
#include <string.h>

#include "rasp_internal.h"

enum { P_IN = 1, P_IF, P_AND, P_COMPARE, P_ADD, P_MOD, P_MUL, P_POW, P_UNARY };

static const rasp_token *here(const rasp_reader *r)
{
    return &r->t[r->at];
}

static bool mark_is(const rasp_reader *r, int m)
{
    return here(r)->kind == T_MARK && here(r)->mark == m;
}

static bool word_is(const rasp_reader *r, int w)
{
    return here(r)->kind == T_NAME && here(r)->mark == w;
}

static bool mark_take(rasp_reader *r, int m)
{
    bool is = mark_is(r, m);
    r->at += is;
    return is;
}

static bool word_take(rasp_reader *r, int w)
{
    bool is = word_is(r, w);
    r->at += is;
    return is;
}

static at_status unexpected(const rasp_reader *r, const char *wanted)
{
    char seen[64];
    return rasp_fail(r, here(r), "%s here; %s", rasp_seen(r, here(r), seen), wanted);
}

static at_status need(rasp_reader *r, int m, const char *what)
{
    return mark_take(r, m) ? AT_OK : unexpected(r, what);
}

static at_status expr_new(rasp_reader *r, rasp_form form, const rasp_token *at, rasp_expr **out)
{
    *out = at_new(r->a, rasp_expr, 1);
    if (!*out)
        return at_oom(r->err);
    **out = (rasp_expr){.form = form, .line = at->line, .column = at->column, .depth = 1};
    return AT_OK;
}

/* Appends a part; *end is the last one. */
static at_status part_add(rasp_reader *r, rasp_expr *e, rasp_expr **end, rasp_expr *part)
{
    *(e->first ? &(*end)->next : &e->first) = part;
    *end = part;
    if (part->depth >= e->depth)
        e->depth = part->depth + 1;
    if (e->depth > 4 * AT_RASP_DEPTH)
        return at_fail(r->err, AT_EINPUT, "%.150s:%d:%d: more than %d operations in each other", r->path,
                       e->line, e->column, 4 * AT_RASP_DEPTH);
    return AT_OK;
}

static at_status expr_parse(rasp_reader *r, int least, rasp_expr **out);

/* Expressions with commas between them, as parts of e. */
static at_status parts_parse(rasp_reader *r, rasp_expr *e, rasp_expr **end)
{
    at_status s;
    do {
        rasp_expr *x;
        s = expr_parse(r, 0, &x);
        if (!s)
            s = part_add(r, e, end, x);
    } while (!s && mark_take(r, ','));
    return s;
}

static at_status names_parse(rasp_reader *r, rasp_names **out)
{
    rasp_names **at = out;
    do {
        if (here(r)->kind != T_NAME)
            return unexpected(r, "a name was expected");
        if (here(r)->mark < W_RESERVED)
            return unexpected(r, "it has a meaning of its own and cannot be set");
        if (!(*at = at_new(r->a, rasp_names, 1)))
            return at_oom(r->err);
        (*at)->symbol = here(r)->mark;
        at = &(*at)->next;
        r->at++;
    } while (mark_take(r, ','));
    return AT_OK;
}

/* for NAMES in EXPR, behind the value of a comprehension */
static at_status iterator_parse(rasp_reader *r, rasp_expr *e, rasp_expr **end)
{
    rasp_expr *over;
    at_status s = names_parse(r, &e->names);
    if (!s && !word_take(r, W_IN))
        s = unexpected(r, "'in' was expected");
    if (!s)
        s = expr_parse(r, 0, &over);
    return s ? s : part_add(r, e, end, over);
}

static at_status list_parse(rasp_reader *r, rasp_expr **out)
{
    rasp_expr *end = NULL, *x;
    at_status s = expr_new(r, X_LIST, here(r) - 1, out);
    if (s || mark_take(r, ']'))
        return s;
    s = expr_parse(r, 0, &x);
    if (!s)
        s = part_add(r, *out, &end, x);
    if (!s && word_take(r, W_FOR)) {
        (*out)->form = X_LISTCOMP;
        s = iterator_parse(r, *out, &end);
    } else if (!s && mark_take(r, ','))
        s = parts_parse(r, *out, &end);
    return s ? s : need(r, ']', "',' or ']' was expected");
}

static at_status dict_parse(rasp_reader *r, rasp_expr **out)
{
    rasp_expr *end = NULL, *x;
    at_status s = expr_new(r, X_DICT, here(r) - 1, out);
    if (s || mark_take(r, '}'))
        return s;
    do {
        for (int k = 0; k < 2 && !s; k++) {
            if (k)
                s = need(r, ':', "':' was expected, as in {\"a\": 1}");
            if (!s)
                s = expr_parse(r, 0, &x);
            if (!s)
                s = part_add(r, *out, &end, x);
        }
        if (!s && (*out)->first->next == end && word_take(r, W_FOR)) {
            (*out)->form = X_DICTCOMP;
            s = iterator_parse(r, *out, &end);
            break;
        }
    } while (!s && mark_take(r, ','));
    return s ? s : need(r, '}', "',' or '}' was expected");
}

static bool compare_of(const rasp_token *t, at_rasp_op *out)
{
    static const struct {
        int mark;
        at_rasp_op op;
    } rows[] = {{M_EQ, AT_RASP_EQ}, {M_NE, AT_RASP_NE}, {'<', AT_RASP_LT},
                {M_LE, AT_RASP_LE}, {'>', AT_RASP_GT},  {M_GE, AT_RASP_GE}};
    for (int k = 0; t->kind == T_MARK && k < 6; k++)
        if (rows[k].mark == t->mark) {
            *out = rows[k].op;
            return true;
        }
    return false;
}

/* What begins with a word and a bracket: round(, select(, ... */
static at_status builtin_parse(rasp_reader *r, rasp_form form, at_rasp_op op, rasp_expr **out)
{
    rasp_expr *end = NULL;
    const rasp_token *at = here(r);
    r->at++;
    at_status s = need(r, '(', "'(' was expected");
    if (!s)
        s = expr_new(r, form, at, out);
    if (s)
        return s;
    (*out)->op = op;
    if (form != X_SELECT)
        s = parts_parse(r, *out, &end);
    for (int k = 0; form == X_SELECT && k < 2 && !s; k++) {
        rasp_expr *x;
        s = expr_parse(r, 0, &x);
        if (!s)
            s = part_add(r, *out, &end, x);
        if (!s)
            s = need(r, ',', "',' was expected, as in select(KEY, QUERY, ==)");
    }
    if (!s && form == X_SELECT) {
        if (!compare_of(here(r), &(*out)->op))
            return unexpected(r, "a comparison was expected: == != < <= > >=");
        r->at++;
    }
    if (s)
        return s;
    int n = 0;
    for (const rasp_expr *x = (*out)->first; x; x = x->next)
        n++;
    bool right = form == X_SELECT      ? true
                 : form == X_AGGREGATE ? n == 2 || n == 3
                 : form == X_RANGE     ? n <= 3
                 : form == X_ZIP       ? true
                                       : n == 1;
    if (!right)
        return rasp_fail(r, at, "%s of %d; %s", r->sym.s[at->mark], n,
                         form == X_AGGREGATE
                             ? "it is written aggregate(SELECTOR, VALUE) or with a default behind"
                         : form == X_RANGE ? "a range has one to three numbers"
                                           : "it takes one");
    return need(r, ')', "')' was expected");
}

static at_status number_parse(rasp_reader *r, const rasp_token *t, at_rasp_atom *out)
{
    int64_t num = 0, den = 1;
    bool behind = false;
    for (const char *s = t->s; *s; s++)
        if (*s == '.')
            behind = true;
        else {
            num = 10 * num + (*s - '0');
            den *= behind ? 10 : 1;
        }
    for (; den > 1 && num % 2 == 0 && den % 2 == 0; den /= 2)
        num /= 2;
    for (; den > 1 && num % 5 == 0 && den % 5 == 0; den /= 5)
        num /= 5;
    (void)r;
    *out = (at_rasp_atom){AT_RASP_NUMBER, num, num ? den : 1, NULL};
    return AT_OK;
}

static at_status primary_parse(rasp_reader *r, rasp_expr **out)
{
    const rasp_token *t = here(r);
    at_status s;
    if (mark_take(r, '(')) {
        s = expr_parse(r, 0, out);
        return s ? s : need(r, ')', "')' was expected");
    }
    if (mark_take(r, '['))
        return list_parse(r, out);
    if (mark_take(r, '{'))
        return dict_parse(r, out);
    if (t->kind == T_INT || t->kind == T_FLOAT || t->kind == T_STRING) {
        r->at++;
        s = expr_new(r, X_ATOM, t, out);
        if (s)
            return s;
        (*out)->atom = (at_rasp_atom){AT_RASP_STRING, 0, 1, t->s};
        return t->kind == T_STRING ? AT_OK : number_parse(r, t, &(*out)->atom);
    }
    if (t->kind == T_NAME) {
        static const struct {
            int word;
            rasp_form form;
            at_rasp_op op;
        } rows[] = {{W_ROUND, X_OP, AT_RASP_ROUND},       {W_INDICATOR, X_OP, AT_RASP_INDICATOR},
                    {W_SELECT, X_SELECT, AT_RASP_SELECT}, {W_AGGREGATE, X_AGGREGATE, AT_RASP_AGGREGATE},
                    {W_RANGE, X_RANGE, AT_RASP_CONST},    {W_ZIP, X_ZIP, AT_RASP_CONST},
                    {W_LEN, X_LEN, AT_RASP_CONST}};
        for (int k = 0; k < 7; k++)
            if (rows[k].word == t->mark)
                return builtin_parse(r, rows[k].form, rows[k].op, out);
        if (t->mark < W_TOKENS_ASIS)
            return unexpected(r, "an expression was expected");
        r->at++;
        s = expr_new(r, X_NAME, t, out);
        if (!s)
            (*out)->symbol = t->mark;
        return s;
    }
    return unexpected(r, "an expression was expected");
}

static at_status postfix_parse(rasp_reader *r, rasp_expr **e)
{
    at_status s = AT_OK;
    while (!s && (mark_is(r, '[') || mark_is(r, '('))) {
        bool call = mark_is(r, '(');
        rasp_expr *x, *end = NULL, *index;
        s = expr_new(r, call ? X_CALL : X_INDEX, here(r), &x);
        if (s)
            return s;
        x->line = (*e)->line;
        x->column = (*e)->column;
        r->at++;
        s = part_add(r, x, &end, *e);
        *e = x;
        if (call) {
            if (!s && !mark_is(r, ')'))
                s = parts_parse(r, x, &end);
            if (!s)
                s = need(r, ')', "',' or ')' was expected");
        } else {
            if (!s)
                s = expr_parse(r, 0, &index);
            if (!s)
                s = part_add(r, x, &end, index);
            if (!s)
                s = need(r, ']', "']' was expected");
        }
    }
    return s;
}

static at_status prefix_parse(rasp_reader *r, rasp_expr **out)
{
    const rasp_token *t = here(r);
    rasp_expr *x, *end = NULL;
    if (!mark_is(r, '-') && !mark_is(r, '+') && !word_is(r, W_NOT)) {
        at_status s = primary_parse(r, out);
        return s ? s : postfix_parse(r, out);
    }
    r->at++;
    at_status s = expr_parse(r, P_UNARY, &x);
    if (!s)
        s = expr_new(r, t->kind == T_MARK && t->mark == '+' ? X_PLUS : X_OP, t, out);
    if (s)
        return s;
    (*out)->op = t->kind == T_NAME ? AT_RASP_NOT : AT_RASP_NEG;
    return part_add(r, *out, &end, x);
}

/* How strongly the operator that stands here binds; 0: none does. */
static int binary_of(const rasp_reader *r, at_rasp_op *op)
{
    static const struct {
        int mark, strength;
        at_rasp_op op;
    } rows[] = {{'^', P_POW, AT_RASP_POW}, {'*', P_MUL, AT_RASP_MUL}, {'/', P_MUL, AT_RASP_DIV},
                {'%', P_MOD, AT_RASP_MOD}, {'+', P_ADD, AT_RASP_ADD}, {'-', P_ADD, AT_RASP_SUB}};
    const rasp_token *t = here(r);
    *op = AT_RASP_IF;
    if (t->kind == T_NAME) {
        *op = t->mark == W_AND  ? AT_RASP_AND
              : t->mark == W_OR ? AT_RASP_OR
              : t->mark == W_IN ? AT_RASP_IN
                                : *op;
        return t->mark == W_AND || t->mark == W_OR ? P_AND
               : t->mark == W_IF                   ? P_IF
               : t->mark == W_IN                   ? P_IN
                                                   : 0;
    }
    if (compare_of(t, op))
        return *op == AT_RASP_NE ? 0 : P_COMPARE; /* != is for select alone */
    for (int k = 0; t->kind == T_MARK && k < 6; k++)
        if (rows[k].mark == t->mark) {
            *op = rows[k].op;
            return rows[k].strength;
        }
    return 0;
}

static at_status binary_parse(rasp_reader *r, at_rasp_op op, int strength, rasp_expr **left)
{
    rasp_expr *e, *x, *end = NULL;
    at_status s = expr_new(r, X_OP, here(r), &e);
    if (s)
        return s;
    e->op = op;
    r->at++;
    if (op == AT_RASP_IF) { /* then if condition else */
        s = expr_parse(r, 0, &x);
        if (!s)
            s = part_add(r, e, &end, x);
        if (!s && !word_take(r, W_ELSE))
            s = unexpected(r, "'else' was expected, as in X if CONDITION else Y");
    }
    if (!s)
        s = part_add(r, e, &end, *left);
    if (!s)
        s = expr_parse(r, strength + 1, &x);
    if (!s)
        s = part_add(r, e, &end, x);
    *left = e;
    return s;
}

static at_status expr_parse(rasp_reader *r, int least, rasp_expr **out)
{
    at_rasp_op op;
    int strength;
    if (++r->depth > AT_RASP_DEPTH)
        return rasp_fail(r, here(r), "nested more than %d deep", AT_RASP_DEPTH);
    at_status s = prefix_parse(r, out);
    while (!s && (strength = binary_of(r, &op)) && strength >= least)
        s = binary_parse(r, op, strength, out);
    if (!s && here(r)->kind == T_MARK && here(r)->mark == M_NE && least <= P_COMPARE)
        s = unexpected(r, "only select compares so; write not (X == Y)");
    r->depth--;
    return s;
}

/* ---- statements --------------------------------------------------------------------------------------------------------- */

static at_status statement_parse(rasp_reader *r, rasp_statement **out);

static at_status body_parse(rasp_reader *r, rasp_statement **out)
{
    at_status s = AT_OK;
    while (!s && !mark_is(r, '}') && !word_is(r, W_RETURN)) {
        s = statement_parse(r, out);
        out = s ? out : &(*out)->next;
    }
    return s;
}

/* Expressions with commas between them, linked. */
static at_status values_parse(rasp_reader *r, rasp_expr **out)
{
    rasp_expr holder = {.depth = 1}, *end = NULL;
    at_status s = parts_parse(r, &holder, &end);
    *out = holder.first;
    return s;
}

static at_status def_parse(rasp_reader *r, rasp_statement *d)
{
    d->sort = S_DEF;
    r->at++;
    if (here(r)->kind == T_NAME && here(r)->mark >= W_RESERVED && r->t[r->at + 1].kind == T_MARK &&
        r->t[r->at + 1].mark == ',')
        return r->at++, unexpected(r, "'(' was expected");
    at_status s = names_parse(r, &d->names);
    if (!s)
        s = need(r, '(', "'(' was expected, as in def f(x) { return x; }");
    if (!s && !mark_is(r, ')'))
        s = names_parse(r, &d->names->next);
    if (!s)
        s = need(r, ')', "',' or ')' was expected");
    if (!s)
        s = need(r, '{', "'{' was expected");
    if (!s)
        s = body_parse(r, &d->body);
    if (!s && !word_take(r, W_RETURN))
        s = unexpected(r, "a function ends with 'return ...;'");
    if (!s)
        s = values_parse(r, &d->value);
    if (!s)
        s = need(r, ';', "';' was expected");
    return s ? s : need(r, '}', "'}' was expected: nothing follows the return of a function");
}

static at_status for_parse(rasp_reader *r, rasp_statement *d)
{
    d->sort = S_FOR;
    r->at++;
    at_status s = names_parse(r, &d->names);
    if (!s && !word_take(r, W_IN))
        s = unexpected(r, "'in' was expected");
    if (!s)
        s = expr_parse(r, 0, &d->value);
    if (!s)
        s = need(r, '{', "'{' was expected");
    if (!s)
        s = body_parse(r, &d->body);
    return s ? s : need(r, '}', "'}' was expected");
}

/* s-op, or selector, as a word. */
static bool subset_take(rasp_reader *r)
{
    const rasp_token *t = here(r);
    if (word_take(r, W_SELECTOR))
        return true;
    if (t->kind != T_NAME || strcmp(r->sym.s[t->mark], "s") != 0 || t[1].kind != T_MARK || t[1].mark != '-' ||
        t[2].kind != T_NAME || strcmp(r->sym.s[t[2].mark], "op") != 0)
        return false;
    r->at += 3;
    return true;
}

/* What only the prompt of the public interpreter has: set example X, show example, examples on, ... Without a semicolon. */
static at_status verb_parse(rasp_reader *r, rasp_statement *d, bool *is)
{
    size_t from = r->at;
    int word = here(r)->kind == T_NAME ? here(r)->mark : -1;
    *is = true;
    d->sort = S_NOTHING;
    if (word == W_SET || word == W_SHOW) {
        r->at++;
        subset_take(r);
        if (word_take(r, W_EXAMPLE)) {
            d->sort = word == W_SET ? S_EXAMPLE : S_NOTHING;
            return word == W_SET ? expr_parse(r, 0, &d->value) : AT_OK;
        }
    } else if (word == W_FULL) {
        r->at++;
        if (here(r)->kind == T_NAME && strcmp(r->sym.s[here(r)->mark], "seq") == 0) {
            for (int k = 0; k < 3 && here(r)->kind == T_NAME; k++) /* seq display on */
                r->at++;
            return AT_OK;
        }
    } else if (word == W_EXIT || word == W_QUIT) {
        r->at++;
        if (mark_take(r, '('))
            mark_take(r, ')');
        mark_take(r, ';');
        if (r->at - from > 1 || here(r)->kind != T_MARK) {
            r->stop = true;
            return AT_OK;
        }
    } else {
        subset_take(r);
        if (word_take(r, W_EXAMPLES) && here(r)->kind == T_NAME) {
            r->at++; /* on, off */
            return AT_OK;
        }
    }
    r->at = from;
    *is = false;
    return AT_OK;
}

/* Is what stands here names and then '='? */
static bool assigns(const rasp_reader *r)
{
    size_t k = r->at;
    while (r->t[k].kind == T_NAME && r->t[k + 1].kind == T_MARK && r->t[k + 1].mark == ',')
        k += 2;
    return r->t[k].kind == T_NAME && r->t[k + 1].kind == T_MARK && r->t[k + 1].mark == '=';
}

static at_status plain_parse(rasp_reader *r, rasp_statement *d)
{
    at_status s = AT_OK;
    if (word_is(r, W_LOAD) || word_is(r, W_DRAW)) {
        bool load = word_take(r, W_LOAD);
        d->sort = S_NOTHING;
        if (load && here(r)->kind != T_STRING)
            return unexpected(r, "it is written load \"rasplib\";");
        if (load && strcmp(here(r)->s, "rasplib") != 0 && strcmp(here(r)->s, "RASP_support/rasplib") != 0)
            return unexpected(r, "only \"rasplib\" can be loaded, and it is there anyhow");
        if (load)
            r->at++;
        else {
            r->at++;
            s = need(r, '(', "'(' was expected");
            if (!s)
                s = values_parse(r, &d->value);
            d->value = NULL;
            if (!s)
                s = need(r, ')', "')' was expected");
        }
    } else if (assigns(r)) {
        d->sort = S_ASSIGN;
        s = names_parse(r, &d->names);
        r->at += !s; /* = */
        if (!s)
            s = values_parse(r, &d->value);
    } else {
        d->sort = S_EXPR;
        s = expr_parse(r, 0, &d->value);
    }
    return s ? s : need(r, ';', "';' was expected, or an operator");
}

static at_status statement_parse(rasp_reader *r, rasp_statement **out)
{
    rasp_statement *d = *out = at_new(r->a, rasp_statement, 1);
    bool is;
    if (!d)
        return at_oom(r->err);
    d->line = here(r)->line;
    d->column = here(r)->column;
    if (++r->depth > AT_RASP_DEPTH)
        return rasp_fail(r, here(r), "nested more than %d deep", AT_RASP_DEPTH);
    at_status s;
    if (mark_take(r, ';')) { /* nothing */
        d->sort = S_NOTHING;
        s = AT_OK;
    } else if (word_is(r, W_DEF))
        s = def_parse(r, d);
    else if (word_is(r, W_FOR))
        s = for_parse(r, d);
    else {
        s = verb_parse(r, d, &is);
        if (!s && !is)
            s = plain_parse(r, d);
    }
    r->depth--;
    return s;
}

at_status rasp_parse(rasp_reader *r, rasp_statement **out)
{
    at_status s = AT_OK;
    *out = NULL;
    r->depth = 0;
    while (!s && !r->stop && here(r)->kind != T_END) {
        if (word_is(r, W_RETURN) || mark_is(r, '}'))
            return unexpected(r, "a statement was expected");
        s = statement_parse(r, out);
        out = s ? out : &(*out)->next;
    }
    return s;
}
