/* parse.c: the text of a program into a program: what at_program_print_exact prints, and what people write by hand.
 *
 *     file      = {parameter} "program" NAME {"," frame} {line}
 *     parameter = "parameter" NAME "=" number ["in" ["integers"] number ".." number] [TEXT]
 *     frame     = "lengths" number ".." number | number "hidden" ("before" | "after") | "positions" "from" number
 *               | "GeLU" "lambda" number | "arithmetic" KIND | "shape" "over" "the" "reals" | "scales" "times" number
 *     line      = "input" NAME ":" field | NAME "=" step | "output" vector ["at" "the" "last" "position"] "read" "by" KIND
 *                 [number]
 *     field     = "token" "0" ".." number | number "of" "1" ".." number
 *               | number ("real" | "integer") "in" number ".." number
 *
 * Steps are in parse_steps.c, expressions in parse_expr.c. A name is made before it is used, so one pass is enough. */
#include "parse_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------------------------------ */

static char *copy(parser *p, const token *t)
{
    char *s = at_new(&p->scratch, char, t->n + 1);
    if (!s) {
        text_oom(p);
        return NULL;
    }
    if (t->n) /* the end of the text is no place in it */
        memcpy(s, t->s, t->n);
    return s;
}

static bool name_is_new(parser *p)
{
    const token *t = &p->t;
    char buf[64];
    if (t->kind != T_NAME || t->nth || text_unnamed(t))
        text_fail_here(p, "expected a name, found %s", text_shown(p, buf));
    else if (!t->quoted && text_is_reserved(t->s, t->n))
        text_fail_here(p, "\"%.*s\" is a word of the language; a variable of this name stands in quotes",
                       (int)t->n, t->s);
    return !p->status;
}

static void parameter_read(parser *p)
{
    token at = p->t;
    if (!name_is_new(p))
        return;
    for (int k = 0; k < p->n_constants; k++)
        if (p->constants[k].n == at.n && memcmp(p->constants[k].s, at.s, at.n) == 0)
            text_fail_here(p, "a second parameter %s", p->constants[k].s);
    if (at.quoted)
        text_fail_here(p, "the name of a parameter stands without quotes");
    if (p->n_constants == AT_PARAMS_MAX)
        text_fail_here(p, "more than %d parameters", AT_PARAMS_MAX);
    char *name = copy(p, &at);
    text_next(p);
    text_expect(p, "=", "and the default, as in parameter N = 8");
    at_param *q = &p->schema[p->n_constants < AT_PARAMS_MAX ? p->n_constants : 0];
    at_param made = {
        .name = name, .doc = "", .lo = -1e15, .hi = 1e15, .value = number_read(p, "the default")};
    if (text_accept(p, "in")) {
        made.integer = text_accept(p, "integers");
        made.lo = number_read(p, "the least value");
        text_expect(p, "..", "between the ends of a range");
        made.hi = number_read(p, "the largest value");
    }
    if (p->t.kind == T_NAME && p->t.quoted) {
        made.doc = copy(p, &p->t);
        text_next(p);
    }
    if (p->status)
        return;
    if (!(made.lo <= made.value && made.value <= made.hi))
        text_fail(p, at.line, at.column, "the default %g is outside %g..%g", made.value, made.lo, made.hi);
    else if (made.integer &&
             (made.value != floor(made.value) || made.lo != floor(made.lo) || made.hi != floor(made.hi)))
        text_fail(p, at.line, at.column, "a fraction, where integers are said");
    if (p->status)
        return;
    *q = made;
    bool given = p->given && at_params_has(p->given, name);
    p->constants[p->n_constants++] =
        (constant){name, at.n, given ? at_params_get(p->given, name) : made.value};
}

static void parameters_read(parser *p)
{
    while (!p->status && text_accept(p, "parameter"))
        parameter_read(p);
}

/* ---- the first line ------------------------------------------------------------------------------------------------ */

static void arithmetic_read(parser *p)
{
    at_arith a;
    at_err why = {0};
    token at = p->t;
    char *word = copy(p, &at);
    text_next(p);
    if (p->status)
        return;
    if (at_arith_parse(word, &a, &why))
        text_fail(p, at.line, at.column, "%s", why.text);
    else
        at_program_arithmetic(p->P, a);
}

static void frame_read(parser *p, int *n_min)
{
    at_program *P = p->P;
    if (text_accept(p, "lengths")) {
        *n_min = integer_read(p, "the shortest length", 0, AT_MAX_LENGTH);
        text_expect(p, "..", "between the lengths");
        P->N = integer_read(p, "the longest length", *n_min > 0 ? *n_min : 1, AT_MAX_LENGTH);
    } else if (text_accept(p, "positions")) {
        text_expect(p, "from", "and the index of the first position");
        int origin = integer_read(p, "the index of the first position", -AT_MAX_LENGTH, AT_MAX_LENGTH);
        at_origin(P, origin);
    } else if (text_accept(p, "GeLU")) {
        text_expect(p, "lambda", "and its sharpness");
        double lambda = number_read(p, "lambda");
        if (!p->status)
            at_gelu(P, lambda);
    } else if (text_accept(p, "arithmetic"))
        arithmetic_read(p);
    else if (text_accept(p, "shape")) {
        text_expect(p, "over", "as in shape over the reals");
        text_expect(p, "the", "as in shape over the reals");
        text_expect(p, "reals", "as in shape over the reals");
        at_program_reals(P);
    } else if (text_accept(p, "scales")) {
        text_expect(p, "times", "and a factor");
        double factor = number_read(p, "the factor");
        if (!p->status)
            at_program_weaken(P, factor);
    } else if (text_accept(p, "narrow"))
        at_program_narrow(P);
    else if (p->t.kind == T_NAME && !constant_find(p))
        text_fail_here(p, "expected lengths, hidden, positions, GeLU, arithmetic, shape, scales or narrow");
    else {
        int count = integer_read(p, "the number of hidden positions", 0, AT_MAX_WIDTH);
        text_expect(p, "hidden", "after a number");
        bool after = text_is(p, "after");
        if (!after && !text_is(p, "before"))
            text_fail_here(p, "hidden positions are before or after");
        text_next(p);
        if (!p->status)
            (after ? at_suffix : at_prefix)(P, count);
    }
}

static void head_read(parser *p)
{
    token at = p->t;
    text_expect(p, "program", "and a name, as in program pairs, lengths 1..8");
    if (p->status || p->t.kind != T_NAME || p->t.nth) {
        text_fail_here(p, "expected the name of the program");
        return;
    }
    char *name = copy(p, &p->t);
    text_next(p);
    if (p->status)
        return;
    if (!(p->P = at_program_new(name, 1))) {
        text_oom(p);
        return;
    }
    place_set(p, at.line, at.column);
    int n_min = -1;
    while (!p->status && text_accept(p, ",")) {
        frame_read(p, &n_min);
        if (!p->status)
            program_failed(p);
    }
    if (!p->status && n_min < 0)
        text_fail(p, at.line, at.column, "the lengths are missing, as in program pairs, lengths 1..8");
    if (!p->status)
        at_program_lengths(p->P, n_min);
    if (!p->status)
        program_failed(p);
}

/* ---- lines ---------------------------------------------------------------------------------------------------------- */

static void field_read(parser *p, const char *name)
{
    at_program *P = p->P;
    if (text_accept(p, "token")) {
        integer_read(p, "the first token", 0, 0);
        text_expect(p, "..", "between the first and the last token");
        int last = integer_read(p, "the last token", 0, TABLE_MAX - 1);
        if (!p->status)
            at_token(P, name, last + 1);
        return;
    }
    int count = integer_read(p, "how many there are at a position (or token 0..9)", 1, AT_MAX_WIDTH);
    if (text_accept(p, "of")) {
        integer_read(p, "the first element", 1, 1);
        text_expect(p, "..", "between the first and the last element");
        int size = integer_read(p, "the last element", count, AT_MAX_LENGTH);
        if (!p->status)
            at_subset(P, name, size, count);
        return;
    }
    bool integer = text_is(p, "integer");
    if (!integer && !text_is(p, "real"))
        text_fail_here(p, "expected of, real or integer: 2 of 1..9, 1 real in 0..1, 1 integer in 0..9");
    text_next(p);
    text_expect(p, "in", "and a range, as in 0..1");
    double lo = number_read(p, "the least value");
    text_expect(p, "..", "between the ends of a range");
    double hi = number_read(p, "the largest value");
    if (!p->status && numbers_spend(p, P->n_prefix + P->n_suffix + 2, count))
        (integer ? at_ints : at_reals)(P, name, count, lo, hi);
}

static void output_read(parser *p)
{
    p->naming = "output";
    at_vec out = vec_read(p);
    bool last = text_says(p, "at");
    if (last) {
        text_next(p);
        text_expect(p, "the", "as in at the last position");
        text_expect(p, "last", "as in at the last position");
        text_expect(p, "position", "as in at the last position");
    }
    const token at = p->t;
    bool normed = last && text_says(p, "normed");
    double half = 0;
    if (normed) {
        text_next(p);
        half = number_read(p, "what it is away from 0 by");
    }
    text_expect(p, "read", "and by what, as in read by argmax");
    text_expect(p, "by", "and by what, as in read by argmax");
    int read = text_kind(p, "a readout", at_read_names, AT_READS);
    double threshold = 0;
    if (!p->status && (read == AT_READ_THRESHOLD || p->t.kind == T_NUMBER || text_is(p, "-")))
        threshold = number_read(p, "the threshold");
    if (p->status)
        return;
    if (p->P->out.n)
        text_fail_here(p, "a second output; a program has one");
    else if (normed && (out.n != 1 || read != AT_READ_THRESHOLD || threshold != 0 || !(half > 0)))
        text_fail(
            p, at.line, at.column,
            "what is normed is one output above 0, as in output (x) at the last position normed 0.01 read by "
            "threshold 0");
    else if (normed)
        at_emit_normed(p->P, out.v[0], half);
    else
        (last ? at_emit_last : at_emit)(p->P, out, (at_read_kind)read, threshold);
}

/* Variables that have been made since get their labels. */
static void labels_read(parser *p)
{
    const at_program *P = p->P;
    for (; !p->status && p->known < P->n_vars; p->known++) {
        const char *name = P->vars[p->known].name;
        if (name && !labels_add(&p->names, name, strlen(name), p->known))
            text_oom(p);
    }
}

/* x = ..., where there is an x already, is said to be the second: x@2 = ... */
static void label_check(parser *p, const token *at, const char *name)
{
    const at_program *P = p->P;
    int nth = 0;
    for (at_var v = p->known; v < P->n_vars; v++) {
        const char *s = P->vars[v].name;
        size_t n = s ? strlen(s) : 0, base = strlen(name);
        /* the line's own: name, or name[k] */
        if (!s || strncmp(s, name, base) != 0 || (s[base] && s[base] != '['))
            continue;
        int k = labels_count(&p->names, s, n) + 1;
        nth = k > nth ? k : nth;
    }
    int said = at->nth ? at->nth : 1;
    if (nth && nth != said && nth > 1)
        text_fail(p, at->line, at->column, "the name %s is taken; another one of this name is %s@%d", name,
                  name, nth);
    else if (nth && nth != said)
        text_fail(p, at->line, at->column, "%s@%d is the first of its name: %s", name, said, name);
}

static void unnamed_read(parser *p, const token *at)
{
    if (at->nth != p->unnamed.n + 1) {
        text_fail(p, at->line, at->column, "@%d; the next one is @%d", at->nth, p->unnamed.n + 1);
        return;
    }
    p->naming = "v";
    at_var before = p->P->n_vars, v = var_read(p, NULL);
    if (p->status)
        return;
    if (v < before || p->P->vars[v].op != OP_LINEAR) {
        text_fail(p, at->line, at->column, "@%d is a sum; a step has a name", at->nth);
        return;
    }
    at_var *more = (at_var *)p->unnamed.v;
    if (p->unnamed.n == p->cap_unnamed) {
        more = at_new(&p->P->arena, at_var, p->cap_unnamed = p->cap_unnamed ? 2 * p->cap_unnamed : 16);
        if (!more) {
            text_oom(p);
            return;
        }
        for (int k = 0; k < p->unnamed.n; k++)
            more[k] = p->unnamed.v[k];
        p->unnamed.v = more;
    }
    more[p->unnamed.n++] = v;
}

static void statement_read(parser *p)
{
    token at = p->t;
    char buf[64];
    p->serial = 0;
    place_set(p, at.line, at.column);
    bool made = text_followed_by(p, '=');
    if (!made && text_accept(p, "output")) {
        output_read(p);
        return;
    }
    bool input = !made && text_accept(p, "input");
    token name_at = p->t;
    if (text_unnamed(&name_at) && !input) {
        text_next(p);
        text_expect(p, "=", "after @ and its number");
        unnamed_read(p, &name_at);
        return;
    }
    if (name_at.kind != T_NAME) {
        text_fail_here(p, "expected NAME = ..., input or output, found %s", text_shown(p, buf));
        return;
    }
    token bare = name_at;
    p->t.nth = 0;
    if (!name_is_new(p))
        return;
    for (int k = 0; k < p->n_constants; k++)
        if (!bare.quoted && p->constants[k].n == bare.n && !memcmp(p->constants[k].s, bare.s, bare.n))
            text_fail_here(p, "the name %s is a parameter's", p->constants[k].s);
    char *name = copy(p, &bare);
    p->naming = name;
    text_next(p);
    text_expect(p, input ? ":" : "=",
                input ? "and what it is, as in input x: token 0..9" : "after the name of a line");
    if (p->status)
        return;
    if (input)
        field_read(p, name);
    else
        line_read(p, name);
    if (!p->status && !program_failed(p))
        label_check(p, &name_at, name);
}

/* ---- the whole --------------------------------------------------------------------------------------------------------- */

static void parser_init(parser *p, const at_program_text *t, const at_params *given, at_err *err)
{
    *p = (parser){.path = t->path,
                  .at = t->s,
                  .line_start = t->s,
                  .end = t->s + t->n,
                  .line = t->line > 0 ? t->line : 1,
                  .given = given,
                  .numbers = TEXT_NUMBERS,
                  .err = err};
    at_arena_init(&p->scratch);
    if (t->n > AT_PROGRAM_TEXT_MAX)
        text_fail(p, 1, 1, "more than %zu bytes", AT_PROGRAM_TEXT_MAX);
    text_next(p);
}

static void parser_release(parser *p)
{
    labels_release(&p->names);
    at_arena_release(&p->scratch);
}

at_status at_program_params(const at_program_text *t, at_arena *a, at_param **schema, int *n, at_err *err)
{
    parser p;
    parser_init(&p, t, NULL, err);
    parameters_read(&p);
    *n = p.n_constants;
    *schema = at_new(a, at_param, p.n_constants + 1);
    for (int k = 0; *schema && k < p.n_constants; k++) {
        (*schema)[k] = p.schema[k];
        (*schema)[k].name = at_arena_strdup(a, p.schema[k].name);
        (*schema)[k].doc = at_arena_strdup(a, p.schema[k].doc);
        if (!(*schema)[k].name || !(*schema)[k].doc)
            *schema = NULL;
    }
    at_status s = p.status ? p.status : *schema ? AT_OK : at_oom(err);
    parser_release(&p);
    return s;
}

at_status at_program_parse(const at_program_text *t, const at_params *given, at_program **out, at_err *err)
{
    parser p;
    at_err own = {0}; /* also where the caller wants no words */
    *out = NULL;
    parser_init(&p, t, given, err ? err : &own);
    parameters_read(&p);
    if (!p.status)
        head_read(&p);
    while (!p.status && p.t.kind != T_END) {
        at_mark line = at_arena_mark(&p.scratch);
        statement_read(&p);
        if (!p.status && !program_failed(&p))
            labels_read(&p);
        if (!p.t.quoted) /* a quoted name that was read ahead stands there */
            at_arena_reset(&p.scratch, line);
    }
    if (!p.status)
        at_program_place(p.P, NULL);
    if (!p.status)
        program_failed(&p);
    if (p.status)
        at_program_free(p.P);
    else
        *out = p.P;
    parser_release(&p);
    return p.status;
}

at_status at_program_load(const char *path, const char *set, at_program **out, at_err *err)
{
    char *s;
    size_t n;
    *out = NULL;
    at_status st = at_file_read(path, AT_PROGRAM_TEXT_MAX, &s, &n, err);
    if (st)
        return st;
    at_program_text t = {.path = path, .s = s, .n = n};
    at_arena a;
    at_arena_init(&a);
    at_param *schema;
    at_params p;
    int n_params;
    st = at_program_params(&t, &a, &schema, &n_params, err);
    if (!st) {
        at_params_init(&p, schema, n_params);
        st = set ? at_params_parse(&p, set, err) : AT_OK;
    }
    if (!st)
        st = at_program_parse(&t, &p, out, err);
    at_arena_release(&a);
    at_free(s);
    return st;
}
