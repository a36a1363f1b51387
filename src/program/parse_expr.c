/* parse_expr.c: numbers and linear expressions.
 *
 *     expr   = sum [("==" | "!=" | "<" | "<=" | ">" | ">=") sum]        compared: numbers only, 1 or 0
 *     sum    = term {("+" | "-") term}
 *     term   = unary {("*" | "/") unary}                                one variable at most
 *     unary  = "-" unary | power          power = atom ["^" unary]
 *     atom   = NUMBER | NAME | "(" expr ")" | FUNCTION "(" ... ")"
 *
 * One grammar for numbers and for sums of variables: what holds no variable is a number. Brackets around a sum of
 * variables make it an expression of its own, which is then one operand; x alone is x itself. */
#include "parse_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static term term_read(parser *p);

static bool deeper(parser *p)
{
    if (++p->depth > TEXT_DEPTH)
        text_fail_here(p, "more than %d brackets within each other", TEXT_DEPTH);
    return !p->status;
}

bool program_failed(parser *p)
{
    if (!p->status && p->P->err.code) {
        p->status =
            at_fail(p->err, p->P->err.code == AT_ENOMEM ? AT_ENOMEM : AT_EINPUT, "%s", p->P->err.text);
        p->t = (token){.kind = T_END};
    }
    if (p->P->n_vars > TEXT_VARS)
        text_fail_here(p, "more than %d variables", TEXT_VARS);
    return p->status != AT_OK;
}

void place_set(parser *p, int line, int column)
{
    char place[160];
    snprintf(place, sizeof place, "%.100s:%d:%d", p->path, line, column);
    at_program_place(p->P, place);
}

/* ---- names ------------------------------------------------------------------------------------------------ */

const constant *constant_find(const parser *p)
{
    for (int k = p->n_constants - 1; k >= 0 && !p->t.quoted && !p->t.nth; k--)
        if (p->constants[k].n == p->t.n && memcmp(p->constants[k].s, p->t.s, p->t.n) == 0)
            return &p->constants[k];
    return NULL;
}

static void unknown(parser *p)
{
    char text[48];
    snprintf(text, sizeof text, "%.*s", (int)(p->t.n < 47 ? p->t.n : 47), p->t.s);
    at_guess g = {text}; /* of equally near ones the last that was made */
    for (at_var v = p->P ? p->P->n_vars - 1 : -1; v >= 0; v--)
        if (p->P->vars[v].name)
            at_guess_add(&g, p->P->vars[v].name);
    char constants[sizeof p->constants / sizeof *p->constants]
                  [48]; /* theirs may not end: they are parts of the text */
    for (int k = 0; k < p->n_constants; k++) {
        snprintf(constants[k], sizeof constants[k], "%.*s",
                 (int)(p->constants[k].n < 47 ? p->constants[k].n : 47), p->constants[k].s);
        at_guess_add(&g, constants[k]);
    }
    const char *near = at_guess_found(&g);
    if (p->t.nth)
        text_fail_here(p, "there is no %s@%d", text, p->t.nth);
    else if (near)
        text_fail_here(p, "unknown name \"%s\"; did you mean \"%s\"?", text, near);
    else
        text_fail_here(p, "unknown name \"%s\"; %s", text,
                       p->P ? "a name is made, as in x = ..., before it is used"
                            : "known here are pi, numbers and the parameters above");
}

at_var name_read(parser *p)
{
    at_var v = -1;
    if (text_unnamed(&p->t))
        v = p->t.nth <= p->unnamed.n ? p->unnamed.v[p->t.nth - 1] : -1;
    else if (p->t.kind == T_NAME)
        v = labels_find(&p->names, p->t.s, p->t.n, p->t.nth ? p->t.nth : 1);
    if (v < 0 && !p->status)
        unknown(p);
    text_next(p);
    return p->status ? -1 : v;
}

/* ---- sums --------------------------------------------------------------------------------------------------- */

static void sum_add(parser *p, sum *s, term t, bool minus)
{
    double c = minus ? -t.coef : t.coef;
    if (t.v < 0) {
        s->c0 = s->has_c0 ? s->c0 + c : c;
        s->has_c0 = true;
        return;
    }
    if (s->n == s->cap) {
        int cap = s->cap ? 2 * s->cap : 4;
        at_var *arg = at_new(&p->scratch, at_var, cap);
        double *coef = at_new(&p->scratch, double, cap);
        if (!arg || !coef) {
            text_oom(p);
            return;
        }
        for (int k = 0; k < s->n; k++) {
            arg[k] = s->arg[k];
            coef[k] = s->coef[k];
        }
        s->arg = arg;
        s->coef = coef;
        s->cap = cap;
    }
    s->arg[s->n] = t.v;
    s->coef[s->n++] = c;
}

static at_var sum_make(parser *p, const sum *s, const char *name)
{
    if (p->status)
        return -1;
    at_var v = at_sum(p->P, name, (at_vec){s->n, s->arg}, s->coef, s->c0);
    program_failed(p);
    return v;
}

static sum sum_read(parser *p)
{
    sum s = {0};
    term t = term_read(p);
    sum_add(p, &s, t, false);
    s.plain = t.plain;
    while (!p->status && (text_is(p, "+") || text_is(p, "-"))) {
        bool minus = text_is(p, "-");
        text_next(p);
        sum_add(p, &s, term_read(p), minus);
        s.plain = false;
    }
    return s;
}

static bool compare(const char *o, double a, double b)
{
    bool equal = a == b, below = a < b;
    switch (*o) {
    case '=':
        return equal;
    case '!':
        return !equal;
    case '<':
        return below || (o[1] && equal);
    default:
        return (!below && !equal) || (o[1] && equal);
    }
}

sum expr_read(parser *p)
{
    static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">="};
    sum s = sum_read(p);
    for (size_t k = 0; k < sizeof signs / sizeof *signs && !p->status; k++) {
        if (!text_is(p, signs[k]))
            continue;
        token at = p->t;
        text_next(p);
        sum r = sum_read(p);
        if (s.n || r.n)
            text_fail(p, at.line, at.column,
                      "%s compares numbers; of variables write equals(x; 3) or at_least(x; 3)", signs[k]);
        return (sum){.has_c0 = true, .c0 = compare(signs[k], s.c0, r.c0)};
    }
    return s;
}

/* ---- factors ------------------------------------------------------------------------------------------------- */

term constant_term(double c)
{
    return (term){c, -1, false};
}

term operand(parser *p, const sum *s)
{
    if (!s->n)
        return constant_term(s->c0);
    if (s->plain)
        return (term){1, s->arg[0], true};
    return (term){1, sum_make(p, s, NULL), false};
}

static term atom_read(parser *p)
{
    char buf[64];
    const char *wanted =
        p->wanted; /* the name of the line goes to the first step of it, if that is what it begins with */
    p->wanted = NULL;
    if (p->t.kind == T_NUMBER) {
        double c = p->t.number;
        text_next(p);
        return constant_term(c);
    }
    if (text_accept(p, "(")) {
        sum s = {0};
        if (deeper(p))
            s = expr_read(p);
        p->depth--;
        text_expect(p, ")", "after an expression");
        return operand(p, &s);
    }
    if (call_is(p)) {
        term t = constant_term(0);
        if (deeper(p))
            t = call_read(p, wanted);
        p->depth--;
        if (wanted && t.v >= 0 && p->P->vars[t.v].op != OP_LINEAR)
            p->made = t.v;
        return t;
    }
    const constant *c = p->t.kind == T_NAME ? constant_find(p) : NULL;
    if (c || text_is(p, "pi")) {
        double x = c ? c->value : M_PI;
        text_next(p);
        return constant_term(x);
    }
    if (p->t.kind == T_NAME && !p->t.quoted && text_is_reserved(p->t.s, p->t.n) && !p->t.nth)
        text_fail_here(p, "\"%.*s\" is a word of the language; a variable of this name stands in quotes",
                       (int)p->t.n, p->t.s);
    else if (p->t.kind != T_NAME)
        text_fail_here(p, "expected a number, a name or ( , found %s", text_shown(p, buf));
    else if (!p->P)
        unknown(p);
    return (term){1, p->status ? -1 : name_read(p), true};
}

static term unary_read(parser *p)
{
    bool minus = false;
    while (text_accept(p, "-")) {
        minus = !minus;
        p->wanted = NULL;
    }
    token at = p->t;
    term t = atom_read(p);
    if (!p->status && text_is(p, "^")) {
        text_next(p);
        term e = constant_term(0);
        if (deeper(p))
            e = unary_read(p);
        p->depth--;
        if (t.v >= 0 || e.v >= 0)
            text_fail(p, at.line, at.column, "powers are of numbers; of an integer write product(x, x)");
        t = constant_term(at_pow(t.coef, e.coef));
    }
    if (minus) {
        t.coef = -t.coef;
        t.plain = false;
    }
    return t;
}

static term term_read(parser *p)
{
    term t = unary_read(p);
    while (!p->status && (text_is(p, "*") || text_is(p, "/"))) {
        token at = p->t;
        bool over = text_is(p, "/");
        text_next(p);
        term u = unary_read(p);
        if (u.v >= 0 && (t.v >= 0 || over))
            text_fail(p, at.line, at.column,
                      "variables are multiplied by product(x, y) for integers, or times(x, y; error e)");
        t.coef = over ? t.coef / u.coef : t.coef * u.coef;
        t.v = u.v >= 0 ? u.v : t.v;
        t.plain = false;
    }
    return t;
}

/* ---- what others read ----------------------------------------------------------------------------------------- */

double number_read(parser *p, const char *what)
{
    token at = p->t;
    sum s = expr_read(p);
    if (p->status)
        return 0;
    if (s.n)
        text_fail(p, at.line, at.column, "%s is a number, not a variable", what);
    else if (!isfinite(s.c0))
        text_fail(p, at.line, at.column, "%s is not finite", what);
    return p->status ? 0 : s.c0;
}

int integer_read(parser *p, const char *what, double lo, double hi)
{
    token at = p->t;
    double x = number_read(p, what);
    if (!p->status && (x != floor(x) || x < lo || x > hi))
        text_fail(p, at.line, at.column, "%s is %.15g; allowed are integers in %.0f..%.0f", what, x, lo, hi);
    return p->status ? 0 : (int)x;
}

/* What an author knows of a sum: known in [integers] lo..hi [where b]; or assumed, which nobody looks after. */
typedef struct {
    bool said, known, integer;
    double lo, hi;
    at_var when;
} knowledge;

static knowledge knowledge_read(parser *p)
{
    knowledge k = {.known = text_says(p, "known"), .when = -1};
    k.said = k.known || text_says(p, "assumed");
    if (!k.said)
        return k;
    text_next(p);
    text_expect(p, "in", "and a range, as in known in integers 0..9");
    k.integer = text_accept(p, "integers");
    k.lo = number_read(p, "the least value");
    text_expect(p, "..", "between the ends of a range");
    k.hi = number_read(p, "the largest value");
    if (k.known && text_says(p, "where")) {
        text_next(p);
        k.when = var_read(p, NULL);
    }
    return k;
}

at_var var_read(parser *p, const char *name)
{
    if (p->status)
        return -1;
    p->wanted = name;
    p->made = -1;
    sum s = expr_read(p);
    p->wanted = NULL;
    if (p->status)
        return -1;
    at_var first = p->made;
    token at = p->t;
    knowledge k = knowledge_read(p);
    if (first >= 0 && s.plain && s.arg[0] == first) {
        if (k.said)
            text_fail(p, at.line, at.column,
                      "known is said of a sum; name the step first, as in t = max(x, y) z = t known in 0..9");
        return p->status ? -1 : first;
    }
    if (first >= 0) { /* it is only the first operand of a sum, which has the line's name */
        const char *own = step_name(p, NULL);
        if (!p->status && !(p->P->vars[first].name = at_arena_strdup(&p->P->arena, own)))
            text_oom(p);
    }
    if (!name && s.plain && !k.said)
        return p->status ? -1 : s.arg[0];
    at_var v = sum_make(p, &s, name);
    if (k.said && v >= 0)
        linear_know(p->P, v, k.lo, k.hi, k.integer, k.known, k.when);
    return p->status || program_failed(p) ? -1 : v;
}

at_vec vec_read(parser *p)
{
    at_var *v = NULL;
    int n = 0, cap = 0;
    text_expect(p, "(", "before the components");
    do {
        if (n == cap) {
            at_var *more = at_new(&p->scratch, at_var, cap = cap ? 2 * cap : 8);
            if (!more) {
                text_oom(p);
                break;
            }
            for (int k = 0; k < n; k++)
                more[k] = v[k];
            v = more;
        }
        if (n == AT_MAX_WIDTH)
            text_fail_here(p, "more than %d components", AT_MAX_WIDTH);
        v[n < cap ? n : 0] = var_read(p, NULL);
        n++;
    } while (!p->status && text_accept(p, ","));
    text_expect(p, ")", "after the components");
    return p->status ? (at_vec){0, NULL} : (at_vec){n, v};
}

/* for k: RULE {, RULE}: read again for every row, with another k. */
static void rule_read(parser *p, const char *what, int64_t rows, int m, double first, double *out)
{
    if (p->t.kind != T_NAME || p->t.quoted || p->t.nth || text_is_reserved(p->t.s, p->t.n)) {
        text_fail_here(p, "expected a name that runs over the rows, as in for k: k*k");
        return;
    }
    constant *k = &p->constants[p->n_constants++];
    *k = (constant){p->t.s, p->t.n, first};
    text_next(p);
    text_expect(p, ":", "after the name that runs over the rows");
    parser start = *p;
    p->P = NULL; /* no variables in here */
    for (int64_t r = 0; r < rows && !p->status; r++) {
        if (r) { /* back to the rule */
            p->at = start.at;
            p->line = start.line;
            p->line_start = start.line_start;
            p->t = start.t;
        }
        k->value = first + (double)r;
        for (int c = 0; c < m && !p->status; c++) {
            if (c)
                text_expect(p, ",", "between the columns of a rule");
            out[r * m + c] = number_read(p, what);
        }
    }
    p->P = start.P;
    p->n_constants--;
}

bool numbers_spend(parser *p, int64_t rows, int m)
{
    if (rows > p->numbers / m)
        text_fail_here(p, "tables of more than %jd numbers in all", (intmax_t)TEXT_NUMBERS);
    else
        p->numbers -= rows * m;
    return !p->status;
}

double *list_read(parser *p, const char *what, int64_t rows, int m, double first, bool open)
{
    char buf[64];
    if (!open)
        text_expect(p, "(", "before the numbers");
    if (p->status || !numbers_spend(p, rows, m))
        return NULL;
    double *out = at_new(&p->scratch, double, (size_t)(rows * m) + 1);
    if (!out) {
        text_oom(p);
        return NULL;
    }
    if (text_accept(p, "for"))
        rule_read(p, what, rows, m, first, out);
    else
        for (int64_t k = 0; k < rows * m && !p->status; k++) {
            const char *sign = m > 1 && k % m == 0 ? ";" : ",";
            if (k && !text_accept(p, sign))
                text_fail_here(p, "expected \"%s\" and more %s: %jd row%s of %d; found %s", sign, what,
                               (intmax_t)rows, rows == 1 ? "" : "s", m, text_shown(p, buf));
            out[k] = number_read(p, what);
        }
    if (!p->status && !text_is(p, ")"))
        text_fail_here(p, "expected \")\" after %jd row%s of %d %s, found %s", (intmax_t)rows,
                       rows == 1 ? "" : "s", m, what, text_shown(p, buf));
    if (!open)
        text_expect(p, ")", "after the numbers");
    return p->status ? NULL : out;
}
