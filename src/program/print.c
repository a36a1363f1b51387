/* print.c: a program as text, in a form that reads like its proof (docs/program.md).
 *
 * Two forms of one language. The exact one holds everything that the program holds, in digits that read back, so that
 * at_program_parse makes the same program of it. The short one is for people: six digits, long lists shortened by "...",
 * and, as comments, what assembly has derived. A linear expression without a name is printed where it is used, or has a
 * line of its own, @1 = ... (print_labels.c). */
#include "text_internal.h"

#include <math.h>
#include <string.h>

/* Longer vectors and lists of numbers are shortened in the short form. */
#define LONGEST_VEC  8
#define LONGEST_LIST 5
#define LINE         8 /* of the exact form: so many stand in a line */

typedef struct {
    const at_program *P;
    at_text *t;
    bool exact;
    int *nth; /* print_labels */
    at_arena arena;
} printer;

static void number(const printer *p, double x)
{
    text_number_print(x, p->exact, p->t);
}

/* ---- expressions ------------------------------------------------------------------------------------------- */

static void print_linear(const printer *p, const var *x);

static void print_label(const printer *p, const char *name, int nth)
{
    if (name)
        text_name_print(name, p->t);
    if (!name || nth > 1)
        at_text_addf(p->t, "@%d", nth);
}

/* As an operand of a sum. */
static void print_operand(const printer *p, at_var v)
{
    const var *x = &p->P->vars[v];
    if (x->name || p->nth[v]) {
        print_label(p, x->name, p->nth[v]);
        return;
    }
    at_text_add(p->t, x->n_args ? "(" : "const(");
    print_linear(p, x);
    at_text_add(p->t, ")");
}

/* As a whole expression: a component, an argument. */
static void print_var(const printer *p, at_var v)
{
    const var *x = &p->P->vars[v];
    if (x->name || p->nth[v])
        print_label(p, x->name, p->nth[v]);
    else
        print_linear(p, x);
}

static bool is_zero(double c) /* and not -0 */
{
    return c == 0 && !signbit(c);
}

static void print_linear(const printer *p, const var *x)
{
    at_text *t = p->t;
    bool first = is_zero(x->c0) && x->n_args > 0;
    if (!first)
        number(p, x->c0);
    for (int k = 0; k < x->n_args; k++) {
        double c = x->coef[k];
        bool minus = signbit(c);
        at_text_add(t, first ? (minus ? "-" : "") : minus ? " - " : " + ");
        /* x alone is x itself, 1*x an expression of its own */
        bool alone = !x->name && x->n_args == 1 && first && c == 1;
        if (fabs(c) != 1 || alone) {
            number(p, fabs(c));
            at_text_add(t, "*");
        }
        print_operand(p, x->args[k]);
        first = false;
    }
}

static void print_vec(const printer *p, at_vec v)
{
    at_text_add(p->t, "(");
    for (int k = 0; k < v.n; k++) {
        if (!p->exact && v.n > LONGEST_VEC && k == LONGEST_VEC - 2) {
            at_text_addf(p->t, ", ... %d in all ..., ", v.n);
            k = v.n - 1;
        } else if (k)
            at_text_add(p->t, p->exact && k % LINE == 0 ? ",\n        " : ", ");
        print_var(p, v.v[k]);
    }
    at_text_add(p->t, ")");
}

/* Numbers in rows of m, from x on; of a table with more columns they are stride apart. */
static void print_list(const printer *p, const double *x, int64_t n, int m)
{
    at_text *t = p->t;
    for (int64_t k = 0; k < n; k++) {
        if (!p->exact && n > LONGEST_LIST && k == LONGEST_LIST - 2) {
            at_text_addf(t, ", ... %jd in all ..., ", (intmax_t)n);
            k = n - 1;
        } else if (k) {
            at_text_add(t, m > 1 && k % m == 0 ? ";" : ",");
            at_text_add(t, p->exact && k % LINE == 0 ? "\n        " : " ");
        }
        number(p, x[k]);
    }
}

static void print_numbers(const printer *p, const double *x, int64_t n, int m)
{
    at_text_add(p->t, "(");
    print_list(p, x, n, m);
    at_text_add(p->t, ")");
}

/* ---- steps --------------------------------------------------------------------------------------------------- */

static bool next_clause(const printer *p, bool first)
{
    at_text_add(p->t, first ? "\n      " : ", ");
    return false;
}

static void print_promises(const printer *p, const step *s)
{
    const at_attention *a = &s->a;
    at_text *t = p->t;
    bool first = true;
    if (a->kernel) {
        first = next_clause(p, first);
        at_text_add(t, "kernel"); /* weights phi(query).phi(key) over their sum, phi = elu + 1 */
    }
    if (a->adds > 0) {
        first = next_clause(p, first);
        at_text_add(t, "adds ");
        number(p, a->adds);
    }
    if (a->gaps) {
        first = next_clause(p, first);
        at_text_add(t, "gaps ");
        print_numbers(p, a->gaps, program_longest(p->P), 1);
    } else if (!is_zero(a->gap) || !a->kernel) {
        first = next_clause(p, first);
        at_text_add(t, "gap ");
        number(p, a->gap);
    }
    if (!is_zero(a->scale)) {
        first = next_clause(p, first);
        at_text_add(t, "scale ");
        number(p, a->scale);
    }
    if (!is_zero(a->error)) {
        first = next_clause(p, first);
        at_text_add(t, "error ");
        number(p, a->error);
    }
    if (a->unique) {
        first = next_clause(p, first);
        at_text_add(t, "unique");
    }
    if (a->most) {
        first = next_clause(p, first);
        at_text_addf(t, "most %d", a->most);
    }
    if (a->total > 0) {
        next_clause(p, first);
        at_text_add(t, "total ");
        number(p, a->total);
    }
}

static void print_attention(const printer *p, const step *s)
{
    const at_attention *a = &s->a;
    at_text *t = p->t;
    bool three = at_weighting_is(a->weighting, AT_IS_PAIRS);
    at_text_addf(t, "attend %s", at_weighting_names[a->weighting]);
    if (!at_mask_is(a->mask.kind, AT_IS_ALL))
        at_text_addf(t, ", mask %s", at_mask_names[a->mask.kind]);
    if (at_mask_is(a->mask.kind, AT_IS_BLOCKS))
        at_text_addf(t, "(%d, %d, %d)", a->mask.block, a->mask.windows, a->mask.ends);
    if (a->base_plus) {
        at_text_add(t, "\n      base  ");
        print_var(p, a->base);
    }
    at_text_add(t, "\n      query ");
    print_vec(p, a->query);
    at_text_add(t, "\n      key   ");
    print_vec(p, a->key);
    if (three) {
        at_text_add(t, "\n      key2  ");
        print_vec(p, a->key2);
    }
    at_text_add(t, "\n      value ");
    print_vec(p, a->value);
    if (three) {
        at_text_add(t, "\n      value2 ");
        print_vec(p, a->value2);
    }
    if (a->wipe.n) {
        at_text_add(t, "\n      wipe  ");
        print_vec(p, a->wipe);
    }
    if (!at_post_is(a->post, AT_IS_SAME))
        at_text_addf(t, "\n      score %s", at_post_names[a->post]);
    print_promises(p, s);
}

static void print_point(const printer *p, const var *x)
{
    at_text *t = p->t;
    int divisor = x->op == OP_TABLE ? table_divisor(p->P, x) : 0;
    at_text_addf(t, "%s(", divisor ? "floor_div" : point_word(x->op));
    for (int k = 0; k < x->n_args; k++) {
        at_text_add(t, k ? ", " : "");
        print_var(p, x->args[k]);
    }
    if (x->op == OP_RAMP) {
        at_text_add(t, "; 0 below ");
        number(p, x->c0);
        at_text_add(t, ", 1 above ");
        number(p, x->c1);
    } else if (x->op == OP_AT_LEAST || x->op == OP_EQUALS) {
        at_text_add(t, "; ");
        number(p, x->c0);
    } else if (x->op == OP_TIMES) {
        at_text_add(t, "; error ");
        number(p, x->c0);
    } else if (x->op == OP_NEAR) {
        at_text_add(t, "; ");
        print_list(p, x->table, x->n_table, 1);
        at_text_add(t, " within ");
        number(p, x->c0);
        at_text_add(t, " slope ");
        number(p, x->c1);
    } else if (divisor)
        at_text_addf(t, "; %d", divisor);
    else if (x->op == OP_TABLE) {
        at_text_add(t, "; ");
        print_list(p, x->table, x->n_table, 1);
    }
    at_text_add(t, ")");
}

/* ---- inputs ---------------------------------------------------------------------------------------------------- */

static void print_columns(const printer *p, const var *x, int64_t rows)
{
    at_text_addf(p->t, x->stride > 1 ? ", %d columns " : " ", x->stride);
    print_numbers(p, x->table, rows * x->stride, x->stride);
}

static bool is_number(const var *x, int64_t rows) /* a token as the number it is */
{
    for (int64_t r = 0; r < rows; r++)
        if (x->table[r] != (double)r || signbit(x->table[r]))
            return false;
    return x->stride == 1;
}

static bool all_zero(const double *x, int n)
{
    for (int k = 0; k < n; k++)
        if (!is_zero(x[k]))
            return false;
    return true;
}

static void print_hidden(const printer *p, const char *word, const double *x, int n)
{
    if (all_zero(x, n))
        return;
    at_text_addf(p->t, ", %s ", word);
    print_numbers(p, x, n, 1);
}

/* Of a vector each component has hidden values of its own: (a, b; c, d) has a row a position. */
static void print_hidden_rows(printer *p, const char *word, at_var first, int m, bool suffix, int n)
{
    const var *x = &p->P->vars[first];
    if (m == 1) {
        print_hidden(p, word, suffix ? x->suffix : x->prefix, n);
        return;
    }
    double *all = at_new(&p->arena, double, (size_t)m *(size_t)n + 1);
    if (!all) {
        p->t->oom = true;
        return;
    }
    for (int k = 0; k < n; k++)
        for (int c = 0; c < m; c++)
            all[k * m + c] = (suffix ? x[c].suffix : x[c].prefix)[k];
    if (all_zero(all, m * n))
        return;
    at_text_addf(p->t, ", %s ", word);
    print_numbers(p, all, (int64_t)m * n, m);
}

static void print_input(printer *p, at_var v)
{
    const at_program *P = p->P;
    const var *x = &P->vars[v];
    at_text *t = p->t;
    if (x->op == OP_POS) {
        at_text_addf(t, "position %s", at_pos_names[x->pos]);
        return;
    }
    if (x->op == OP_ROWS) {
        at_text_add(t, "position table");
        print_columns(p, x, program_longest(P));
        return;
    }
    int64_t rows = x->field < 0 ? 0 : field_rows(&P->fields[x->field]);
    bool number_of = x->field >= 0 && P->fields[x->field].kind == AT_FIELD_TOKEN && is_number(x, rows);
    at_text_add(t, x->field < 0 ? "mark" : number_of ? "number of " : "table of ");
    if (x->field >= 0)
        print_operand(p, x->args[0]);
    if (x->field >= 0 && !number_of)
        print_columns(p, x, rows);
    int m = x->field < 0 ? 1 : x->stride;
    size_t before = t->n;
    print_hidden_rows(p, "before", v, m, false, P->n_prefix);
    print_hidden_rows(p, "after", v, m, true, P->n_suffix);
    if (x->field < 0 && t->n == before) { /* 0 everywhere; a mark is read with its values only */
        at_text_add(t, P->n_suffix ? ", after (0" : ", before (0");
        for (int k = 1; k < (P->n_suffix ? P->n_suffix : P->n_prefix); k++)
            at_text_add(t, ", 0");
        at_text_add(t, ")");
    }
}

static void print_field(const printer *p, const var *x)
{
    const at_field *f = &p->P->fields[x->field];
    at_text *t = p->t;
    if (f->kind == AT_FIELD_TOKEN)
        at_text_addf(t, ": token 0..%d", f->size - 1);
    else if (f->kind == AT_FIELD_SUBSET)
        at_text_addf(t, ": %d of 1..%d", f->pick, f->size);
    else {
        at_text_addf(t, ": %d %s in ", f->size, f->kind == AT_FIELD_INT ? "integer" : "real");
        number(p, f->lo);
        at_text_add(t, "..");
        number(p, f->hi);
    }
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

/* How many variables the line of v makes, of which it is the first; 0: the line of an earlier one has made it. */
static int line_width(const at_program *P, at_var v)
{
    const var *x = &P->vars[v];
    switch (x->op) {
    case OP_REAL:
        return x->component ? 0 : P->fields[x->field].size;
    case OP_ATTEND:
        return x->component ? 0 : P->steps[x->step].a.value.n;
    case OP_EMBED:
    case OP_ROWS:
        if (x->stride > 1 && v > 0 && P->vars[v - 1].op == x->op && P->vars[v - 1].table + 1 == x->table)
            return 0;
        return x->stride > 1 ? x->stride : 1;
    case OP_LINEAR:
        return x->accumulate ? 0 : 1; /* base + attention: one line, that of the attention */
    case OP_FIELD:
    case OP_POS:
    case OP_RAMP:
    case OP_RELU:
    case OP_PASS:
    case OP_TIMES:
    case OP_MAX:
    case OP_MIN:
    case OP_ABS:
    case OP_SELECT:
    case OP_AND:
    case OP_OR:
    case OP_AT_LEAST:
    case OP_COMPARE:
    case OP_EQUALS:
    case OP_TABLE:
    case OP_PRODUCT:
    case OP_NEAR:
    default:
        return 1;
    }
}

/* The label of a line: of a vector its name without [0], and the largest number that one of its components has. */
static void print_line_label(printer *p, at_var v, int width)
{
    const var *x = &p->P->vars[v];
    bool base = x->op == OP_ATTEND && p->P->steps[x->step].a.base_plus;
    const var *named = base ? x + 1 : x;
    int nth = p->nth[v + base];
    if (width == 1) {
        print_label(p, named->name, nth);
        return;
    }
    for (int k = 0; k < width; k++)
        nth = nth > p->nth[v + k] ? nth : p->nth[v + k];
    char *name = at_arena_strdup(&p->arena, x->name);
    if (!name) {
        p->t->oom = true;
        return;
    }
    name[strlen(name) - 3] = 0; /* [0] */
    print_label(p, name, nth);
}

static void print_range(const printer *p, const var *x)
{
    at_text_add(p->t, x->integer ? "integers " : "");
    number(p, x->lo);
    at_text_add(p->t, "..");
    number(p, x->hi);
}

static void print_known(const printer *p, const var *x)
{
    if (x->op != OP_LINEAR || linear_is_plain(p->P, x))
        return;
    at_text_add(p->t, x->known ? " known in " : " assumed in ");
    print_range(p, x);
    if (!x->known || x->when < 0)
        return;
    at_text_add(p->t, " where ");
    print_var(p, x->when);
}

static void print_derived(const printer *p, const var *x)
{
    at_text *t = p->t;
    at_text_add(t, "   # in ");
    print_range(p, x);
    if (x->op == OP_ATTEND) {
        const step *s = &p->P->steps[x->step];
        if (s->scale > 0 && s->a.scale == 0)
            at_text_addf(t, ", scale %.6g", s->scale);
        if (s->tie > 0)
            at_text_addf(t, ", tie %.6g", s->tie);
    }
    if (x->err > 0)
        at_text_addf(t, ", error <= %.2g", x->err);
}

static void print_line(printer *p, at_var v)
{
    const var *x = &p->P->vars[v];
    int width = line_width(p->P, v);
    bool field = x->op == OP_FIELD || x->op == OP_REAL;
    if (!width || (!x->name && !p->nth[v]))
        return;
    at_text_add(p->t, field ? "  input " : "  ");
    print_line_label(p, v, width);
    at_text_add(p->t, field ? "" : " = ");
    if (field)
        print_field(p, x);
    else if (op_is_input(x->op))
        print_input(p, v);
    else if (x->op == OP_LINEAR)
        print_linear(p, x);
    else if (x->op == OP_ATTEND)
        print_attention(p, &p->P->steps[x->step]);
    else
        print_point(p, x);
    print_known(p, x);
    if (!p->exact && !field)
        print_derived(p, x);
    at_text_add(p->t, "\n");
}

static void print_head(const printer *p)
{
    const at_program *P = p->P;
    at_text *t = p->t;
    at_text_add(t, "program ");
    text_name_print(P->name, t);
    at_text_addf(t, ", lengths %d..%d", P->n_min, P->N);
    if (P->n_prefix)
        at_text_addf(t, ", %d hidden before", P->n_prefix);
    if (P->n_suffix)
        at_text_addf(t, ", %d hidden after", P->n_suffix);
    if (P->origin != 1)
        at_text_addf(t, ", positions from %d", P->origin);
    if (P->lambda > 0) {
        at_text_add(t, ", GeLU lambda ");
        number(p, P->lambda);
    }
    char arith[16];
    at_arith_name(P->arith, arith);
    if (P->meaning == 0)
        at_text_add(t, ", shape over the reals");
    else if (strcmp(arith, "f64") != 0)
        at_text_addf(t, ", arithmetic %s", arith);
    if (P->weaken != 1) {
        at_text_add(t, ", scales times ");
        number(p, P->weaken);
    }
    if (P->few)
        at_text_add(t, ", narrow");
    at_text_add(t, "\n");
}

static at_status print(const at_program *P, bool exact, at_text *t)
{
    if (P->err.code)
        return P->err.code;
    printer p = {.P = P, .t = t, .exact = exact};
    at_arena_init(&p.arena);
    if (!(p.nth = print_labels(P, &p.arena))) {
        at_arena_release(&p.arena);
        return AT_ENOMEM;
    }
    print_head(&p);
    for (at_var v = 0; v < P->n_vars; v++)
        print_line(&p, v);
    if (P->out.n) {
        at_text_add(t, "  output ");
        print_vec(&p, P->out);
        at_text_add(t, P->last ? " at the last position" : "");
        if (P->half > 0) {
            at_text_add(t, " normed ");
            number(&p, P->half);
        }
        at_text_addf(t, " read by %s", at_read_names[P->read]);
        if (P->read == AT_READ_THRESHOLD || !is_zero(P->threshold)) {
            at_text_add(t, " ");
            number(&p, P->threshold);
        }
        at_text_add(t, "\n");
    }
    at_arena_release(&p.arena);
    return t->oom ? AT_ENOMEM : AT_OK;
}

at_status at_program_print(const at_program *P, at_text *t)
{
    return print(P, false, t);
}

at_status at_program_print_exact(const at_program *P, at_text *t)
{
    return print(P, true, t);
}
