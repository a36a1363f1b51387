/* parse_calls.c: FUNCTION "(" ... ")": functions of numbers, and pointwise steps.
 *
 * min, max and abs are both: of numbers they are a number, of variables a step. */
#include "parse_internal.h"

#include <math.h>
#include <string.h>

const char *step_name(parser *p, const char *name)
{
    if (name)
        return name;
    char *s = at_arena_printf(&p->scratch, "%.900s.%d", p->naming ? p->naming : "v", ++p->serial);
    if (!s)
        text_oom(p);
    return s ? s : "";
}

/* Functions of numbers. Those of the C library differ from machine to machine; these do not. */
typedef enum {
    F_SIN,
    F_COS,
    F_EXP,
    F_LOG,
    F_LOG2,
    F_SQRT,
    F_FLOOR,
    F_CEIL,
    F_ABS,
    F_MIN,
    F_MAX,
    F_MOD,
    FUNCTIONS
} function;
static const char *const functions[FUNCTIONS] = {"sin",   "cos",  "exp", "log", "log2", "sqrt",
                                                 "floor", "ceil", "abs", "min", "max",  "mod"};

static bool word_is(const token *w, const char *word)
{
    return strlen(word) == w->n && memcmp(word, w->s, w->n) == 0;
}

static bool number_function(const token *w, int count, const double *x, double *out)
{
    int f = 0;
    while (f < FUNCTIONS && !word_is(w, functions[f]))
        f++;
    if (f == FUNCTIONS || count != (f < F_MIN ? 1 : 2))
        return false;
    switch ((function)f) {
    case F_SIN:
        *out = at_sin(x[0]);
        break;
    case F_COS:
        *out = at_cos(x[0]);
        break;
    case F_EXP:
        *out = at_exp(x[0]);
        break;
    case F_LOG:
        *out = at_log(x[0]);
        break;
    case F_LOG2:
        *out = at_log2(x[0]);
        break;
    case F_SQRT:
        *out = sqrt(x[0]);
        break;
    case F_FLOOR:
        *out = floor(x[0]);
        break;
    case F_CEIL:
        *out = ceil(x[0]);
        break;
    case F_ABS:
        *out = fabs(x[0]);
        break;
    case F_MIN:
        *out = fmin(x[0], x[1]);
        break;
    case F_MAX:
        *out = fmax(x[0], x[1]);
        break;
    case F_MOD: /* of negative numbers too it is 0 or more */
        *out = x[0] - x[1] * floor(x[0] / x[1]);
        break;
    case FUNCTIONS:
        return false;
    }
    return true;
}

/* Steps by the variables that they take. */
typedef struct {
    const char *word;
    int args;
} step_word;
static const step_word steps[] = {
    {"relu", 1},  {"pass", 1},      {"abs", 1},    {"max", 2},   {"min", 2},      {"and", 2},
    {"or", 2},    {"product", 2},   {"select", 3}, {"ramp", 1},  {"at_least", 1}, {"equals", 1},
    {"table", 1}, {"floor_div", 1}, {"near", 1},   {"times", 2}, {"compare", 1},  {"const", 1}};

bool call_is(parser *p)
{
    if (p->t.kind != T_NAME || p->t.quoted || p->t.nth || !text_followed_by(p, '('))
        return false;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        if (word_is(&p->t, steps[k].word))
            return true;
    for (int k = 0; k < FUNCTIONS; k++)
        if (word_is(&p->t, functions[k]))
            return true;
    text_fail_here(
        p,
        "there is no function %.*s; of variables there are relu pass abs max min and or select product "
        "times ramp near compare at_least equals table floor_div, of numbers sin cos exp log log2 sqrt floor "
        "ceil "
        "abs min max mod",
        (int)(p->t.n < 40 ? p->t.n : 40), p->t.s);
    return false;
}

static at_var near_read(parser *p, const char *name, at_var x)
{
    double *centre = NULL;
    int n = 0, cap = 0;
    do {
        if (n == cap) {
            double *more = at_new(&p->scratch, double, cap = cap ? 2 * cap : 8);
            if (!more) {
                text_oom(p);
                return -1;
            }
            for (int k = 0; k < n; k++)
                more[k] = centre[k];
            centre = more;
        }
        centre[n++] = number_read(p, "a centre");
    } while (text_accept(p, ","));
    text_expect(p, "within", "and a radius, as in near(x; 1, 2 within 0.25 slope 0.5)");
    double r = number_read(p, "the radius");
    text_expect(p, "slope", "and the width of the slope");
    double w = number_read(p, "the width of the slope");
    return p->status ? -1 : at_near(p->P, name, x, centre, n, r, w);
}

static at_var table_read(parser *p, const char *name, at_var x)
{
    const var *v = &p->P->vars[x];
    if (!v->integer || v->hi - v->lo >= TABLE_MAX) {
        text_fail_here(p, "a table is of integers with at most %d values", TABLE_MAX);
        return -1;
    }
    double lo = v->lo;
    const double *values = list_read(p, "values", (int64_t)(v->hi - lo) + 1, 1, lo, true);
    return p->status ? -1 : at_table(p->P, name, x, values);
}

/* After the ; of a step that has one. */
static at_var details_read(parser *p, const token *w, const char *name, const at_var *x)
{
    at_program *P = p->P;
    text_expect(p, ";", "after the variables of this step");
    if (p->status)
        return -1;
    if (word_is(w, "ramp")) {
        bool zero = number_read(p, "0") == 0;
        text_expect(p, "below", "as in ramp(x; 0 below 1/4, 1 above 3/4)");
        double a = number_read(p, "where it begins");
        text_expect(p, ",", "between the ends of a ramp");
        bool one = number_read(p, "1") == 1;
        text_expect(p, "above", "as in ramp(x; 0 below 1/4, 1 above 3/4)");
        double b = number_read(p, "where it ends");
        if (!zero || !one)
            text_fail(p, w->line, w->column, "a ramp is 0 below and 1 above");
        return p->status ? -1 : at_ramp(P, name, x[0], a, b);
    }
    if (word_is(w, "near"))
        return near_read(p, name, x[0]);
    if (word_is(w, "table"))
        return table_read(p, name, x[0]);
    if (word_is(w, "times")) {
        text_expect(p, "error", "as in times(x, y; error 0.001)");
        double e = number_read(p, "the error");
        return p->status ? -1 : at_times(P, name, x[0], x[1], e);
    }
    if (word_is(w, "floor_div")) {
        int m = integer_read(p, "what it is divided by", 1, INT32_MAX);
        const var *v = &P->vars[x[0]];
        if (!p->status && v->integer && v->hi - v->lo < TABLE_MAX)
            numbers_spend(p, (int64_t)(v->hi - v->lo) + 1, 1);
        return p->status ? -1 : at_floor_div(P, name, x[0], m);
    }
    double t = number_read(p, "what it is compared with");
    return p->status                ? -1
           : word_is(w, "at_least") ? at_at_least(P, name, x[0], t)
                                    : at_equals(P, name, x[0], t);
}

static at_var step_make(parser *p, const token *w, const char *name, const at_var *x)
{
    at_program *P = p->P;
    return word_is(w, "relu")      ? at_relu(P, name, x[0])
           : word_is(w, "pass")    ? at_pass(P, name, x[0])
           : word_is(w, "compare") ? compare_unit(P, name, x[0])
           : word_is(w, "abs")     ? at_absolute(P, name, x[0])
           : word_is(w, "max")     ? at_max2(P, name, x[0], x[1])
           : word_is(w, "min")     ? at_min2(P, name, x[0], x[1])
           : word_is(w, "and")     ? at_and(P, name, x[0], x[1])
           : word_is(w, "or")      ? at_or(P, name, x[0], x[1])
           : word_is(w, "product") ? at_product(P, name, x[0], x[1])
           : word_is(w, "select")  ? at_select(P, name, x[0], x[1], x[2])
                                   : details_read(p, w, name, x);
}

term call_read(parser *p, const char *name)
{
    token w = p->t;
    sum arg[3];
    double x[3];
    at_var v[3];
    int n = 0, want = 0;
    bool numbers = true;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        want = word_is(&w, steps[k].word) ? steps[k].args : want;
    text_next(p);
    text_expect(p, "(", "after a function");
    do {
        arg[n] = expr_read(p);
        x[n] = arg[n].c0;
        numbers = numbers && !arg[n].n;
        n++;
    } while (n < 3 && text_accept(p, ","));
    term out = constant_term(0);
    if (p->status || (numbers && text_is(p, ")") && number_function(&w, n, x, &out.coef))) {
        text_expect(p, ")", "after the arguments");
        return out;
    }
    if (!want || !p->P)
        text_fail(p, w.line, w.column,
                  p->P ? "%.*s takes numbers" : "%.*s is a step on variables; here is none", (int)w.n, w.s);
    else if (n != want)
        text_fail(p, w.line, w.column, "%.*s takes %d argument%s, not %d", (int)w.n, w.s, want,
                  want == 1 ? "" : "s", n);
    for (int k = 0; k < n && !p->status; k++) {
        v[k] = arg[k].n ? operand(p, &arg[k]).v : at_const(p->P, x[k]);
        program_failed(p);
    }
    if (p->status)
        return out;
    place_set(p, w.line, w.column);
    out = (term){1, v[0], true};
    if (!word_is(&w, "const"))
        out.v = step_make(p, &w, step_name(p, name), v);
    program_failed(p);
    text_expect(p, ")", "after the arguments");
    return out;
}
