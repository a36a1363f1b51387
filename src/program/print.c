/* print.c: a program in a form that reads like its proof. Unnamed linear expressions are printed where
 * they are used. */
#include "program_internal.h"

#include <math.h>

#define LONGEST_VEC 8 /* longer vectors are shortened in print */

static void print_number(at_text *t, double x)
{
    if (x == floor(x) && fabs(x) < 1e15)
        at_text_addf(t, "%.0f", x);
    else
        at_text_addf(t, "%.6g", x);
}

static void print_var(const at_program *P, at_var v, const char *at, at_text *t);

static void print_linear(const at_program *P, const var *x, const char *at, at_text *t)
{
    bool first = true;
    if (x->c0 != 0 || x->n_args == 0) {
        print_number(t, x->c0);
        first = false;
    }
    for (int k = 0; k < x->n_args; k++) {
        double c = x->coef[k];
        at_text_add(t, first ? (c < 0 ? "-" : "") : c < 0 ? " - " : " + ");
        if (fabs(c) != 1) {
            print_number(t, fabs(c));
            at_text_add(t, "*");
        }
        print_var(P, x->args[k], at, t);
        first = false;
    }
}

static void print_var(const at_program *P, at_var v, const char *at, at_text *t)
{
    const var *x = &P->vars[v];
    if (x->name) {
        at_text_add_plain(t, x->name);
        at_text_add(t, at);
        return;
    }
    bool brackets = x->n_args + (x->c0 != 0) > 1;
    at_text_add(t, brackets ? "(" : "");
    print_linear(P, x, at, t);
    at_text_add(t, brackets ? ")" : "");
}

static void print_vec(const at_program *P, at_vec v, const char *at, at_text *t)
{
    at_text_add(t, "(");
    for (int k = 0; k < v.n; k++) {
        if (v.n > LONGEST_VEC && k == LONGEST_VEC - 2) {
            at_text_addf(t, ", ... %d in all ..., ", v.n);
            k = v.n - 1;
        } else if (k)
            at_text_add(t, ", ");
        print_var(P, v.v[k], at, t);
    }
    at_text_add(t, ")");
}

static void print_attention(const at_program *P, const step *s, at_text *t)
{
    const at_attention *a = &s->a;
    bool three = a->weighting == AT_THREEWISE;
    at_text_addf(t, "attend %s", at_weighting_names[a->weighting]);
    if (a->mask.kind != AT_MASK_NONE)
        at_text_addf(t, ", mask %s", at_mask_names[a->mask.kind]);
    at_text_add(t, "\n      query ");
    print_vec(P, a->query, "", t);
    at_text_add(t, "\n      key   ");
    print_vec(P, a->key, "", t);
    if (three) {
        at_text_add(t, "\n      key2  ");
        print_vec(P, a->key2, "", t);
    }
    at_text_add(t, "\n      value ");
    print_vec(P, a->value, "", t);
    if (three) {
        at_text_add(t, " x ");
        print_vec(P, a->value2, "", t);
    }
    if (a->post != AT_POST_ID)
        at_text_addf(t, "\n      score %s", at_post_names[a->post]);
    if (a->kernel) {
        at_text_add(t, "\n      weights phi(query).phi(key) over their sum, phi = elu + 1");
        return;
    }
    at_text_addf(t, "\n      gap %.6g", a->gap);
    if (s->scale > 0)
        at_text_addf(t, ", scale %.6g", s->scale);
    if (s->tie > 0)
        at_text_addf(t, ", tie %.6g", s->tie);
}

static void print_point(const at_program *P, const var *x, at_text *t)
{
    static const char *const verb[] = {
        [OP_RAMP] = "ramp",     [OP_MAX] = "max",     [OP_MIN] = "min",         [OP_ABS] = "abs",
        [OP_SELECT] = "select", [OP_AND] = "and",     [OP_OR] = "or",           [OP_AT_LEAST] = "at_least",
        [OP_EQUALS] = "equals", [OP_TABLE] = "table", [OP_PRODUCT] = "product", [OP_NEAR] = "near",
        [OP_RELU] = "relu",     [OP_PASS] = "pass",   [OP_TIMES] = "times"};
    at_text_addf(t, "%s(", verb[x->op]);
    for (int k = 0; k < x->n_args; k++) {
        at_text_add(t, k ? ", " : "");
        print_var(P, x->args[k], "", t);
    }
    if (x->op == OP_RAMP)
        at_text_addf(t, "; 0 below %.6g, 1 above %.6g", x->c0, x->c1);
    else if (x->op == OP_AT_LEAST || x->op == OP_EQUALS)
        at_text_addf(t, "; %.0f", x->c0);
    else if (x->op == OP_NEAR) {
        at_text_add(t, "; ");
        for (int k = 0; k < x->n_table && k < LONGEST_VEC; k++)
            at_text_addf(t, "%s%.6g", k ? ", " : "", x->table[k]);
        at_text_addf(t, "%s within %.6g", x->n_table > LONGEST_VEC ? ", ..." : "", x->c0);
    } else if (x->op == OP_TABLE)
        at_text_addf(t, "; %d entries", x->n_table);
    at_text_add(t, ")");
}

static void print_input(const at_program *P, const var *x, at_text *t)
{
    if (x->op == OP_POS)
        at_text_addf(t, "position %s", at_pos_names[x->pos]);
    else if (x->op == OP_ROWS)
        at_text_add(t, "position table");
    else if (x->op == OP_REAL)
        at_text_add(t, "input");
    else if (x->field < 0)
        at_text_add(t, "mark of a hidden position");
    else {
        at_text_add(t, "table of ");
        at_text_add_plain(t, P->fields[x->field].name);
    }
}

/* Components of a vector (w[0], w[1], ...) are printed once: columns of one table, values of one step. */
static bool is_component(const at_program *P, at_var v)
{
    const var *x = &P->vars[v];
    if (x->op == OP_ATTEND)
        return x->component > 0;
    return x->stride > 1 && v > 0 && P->vars[v - 1].op == x->op && P->vars[v - 1].table + 1 == x->table;
}

at_status at_program_print(const at_program *P, at_text *t)
{
    if (P->err.code)
        return P->err.code;
    at_text_add(t, "program ");
    at_text_add_plain(t, P->name);
    at_text_addf(t, ", lengths %d..%d", P->n_min, P->N);
    if (P->n_prefix)
        at_text_addf(t, ", %d hidden before", P->n_prefix);
    if (P->n_suffix)
        at_text_addf(t, ", %d hidden after", P->n_suffix);
    if (P->lambda > 0)
        at_text_addf(t, ", GeLU units, lambda %.6g", P->lambda);
    at_text_add(t, "\n");
    for (int f = 0; f < P->n_fields; f++) {
        const at_field *x = &P->fields[f];
        at_text_add(t, "  input ");
        at_text_add_plain(t, x->name);
        if (x->kind == AT_FIELD_TOKEN)
            at_text_addf(t, ": token 0..%d\n", x->size - 1);
        else if (x->kind == AT_FIELD_SUBSET)
            at_text_addf(t, ": %d of 1..%d\n", x->pick, x->size);
        else
            at_text_addf(t, ": %d %s in [%g, %g]\n", x->size, x->kind == AT_FIELD_INT ? "integer" : "real",
                         x->lo, x->hi);
    }
    for (at_var v = 0; v < P->n_vars; v++) {
        const var *x = &P->vars[v];
        if (!x->name || x->op == OP_FIELD || is_component(P, v) || x->op == OP_REAL)
            continue;
        at_text_add(t, "  ");
        at_text_add_plain(t, x->name);
        at_text_add(t, " = ");
        if (op_is_input(x->op))
            print_input(P, x, t);
        else if (x->op == OP_LINEAR)
            print_linear(P, x, "", t);
        else if (x->op == OP_ATTEND)
            print_attention(P, &P->steps[x->step], t);
        else
            print_point(P, x, t);
        at_text_addf(t, "   in %s%.6g..%.6g", x->integer ? "integers " : "", x->lo, x->hi);
        if (x->err > 0)
            at_text_addf(t, ", error <= %.2g", x->err);
        at_text_add(t, "\n");
    }
    if (P->out.n == 0)
        return t->oom ? AT_ENOMEM : AT_OK;
    at_text_add(t, "  output ");
    print_vec(P, P->out, "", t);
    at_text_addf(t, "%s read by %s", P->last ? " at the last position" : "", at_read_names[P->read]);
    if (P->read == AT_READ_THRESHOLD)
        at_text_addf(t, " %g", P->threshold);
    at_text_add(t, "\n");
    return t->oom ? AT_ENOMEM : AT_OK;
}
