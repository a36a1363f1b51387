/* rasp_print.c: a flat program as a program again: one operation a line. Read again it prints as the same text. */
#include <string.h>

#include "rasp_internal.h"

typedef struct {
    const at_rasp *r;
    int *number;       /* (nodes): of _NUMBER; 0: not needed, or a leaf */
    const char **name; /* (nodes): the output that it is, NULL: none */
    at_text *t;
} printer;

static bool is_leaf(const at_rasp_node *v)
{
    return v->op <= AT_RASP_INDICES || v->op == AT_RASP_ALL;
}

static void arg_print(const printer *p, int k)
{
    const at_rasp_node *v = &p->r->node[k];
    if (v->op == AT_RASP_CONST)
        at_rasp_atom_print(&v->atom, p->t);
    else if (v->op == AT_RASP_ALL)
        at_text_add(p->t, v->atom.num ? "select(1, 1, ==)" : "select(0, 1, ==)");
    else if (is_leaf(v))
        at_text_add(p->t, v->op == AT_RASP_TOKENS ? "tokens_str"
                          : v->op == AT_RASP_INTS ? "tokens_int"
                                                  : "indices");
    else if (p->name[k])
        at_text_add(p->t, p->name[k]);
    else
        at_text_addf(p->t, "_%d", p->number[k]);
}

static void table_print(const printer *p, const at_rasp_table *x, bool dict)
{
    for (int k = 0; k < x->n; k++) {
        at_text_add(p->t, k ? ", " : dict ? "{" : "[");
        at_rasp_atom_print(&x->key[k], p->t);
        if (dict) {
            at_text_add(p->t, ": ");
            at_rasp_atom_print(&x->value[k], p->t);
        }
    }
    if (!x->n)
        at_text_add(p->t, dict ? "{" : "[");
    at_text_add(p->t, dict ? "}" : "]");
}

static const char *sign_of(at_rasp_op op)
{
    static const char *const signs[AT_RASP_OPS] = {
        [AT_RASP_ADD] = " + ",      [AT_RASP_SUB] = " - ", [AT_RASP_MUL] = " * ",
        [AT_RASP_DIV] = " / ",      [AT_RASP_MOD] = " % ", [AT_RASP_POW] = " ^ ",
        [AT_RASP_EQ] = " == ",      [AT_RASP_NE] = " != ", [AT_RASP_LT] = " < ",
        [AT_RASP_LE] = " <= ",      [AT_RASP_GT] = " > ",  [AT_RASP_GE] = " >= ",
        [AT_RASP_AND] = " and ",    [AT_RASP_OR] = " or ", [AT_RASP_BOTH] = " and ",
        [AT_RASP_EITHER] = " or ",  [AT_RASP_NEG] = "-",   [AT_RASP_NOT] = "not ",
        [AT_RASP_NEITHER] = "not ",
    };
    return signs[op];
}

/* f(x, y) */
static void call_print(const printer *p, const char *f, const at_rasp_node *v, int n)
{
    at_text_add(p->t, f);
    for (int k = 0; k < n; k++) {
        at_text_add(p->t, k ? ", " : "(");
        arg_print(p, v->arg[k]);
    }
}

static void node_print(const printer *p, const at_rasp_node *v)
{
    at_text *t = p->t;
    switch (v->op) {
    case AT_RASP_CONST:
    case AT_RASP_TOKENS:
    case AT_RASP_INTS:
    case AT_RASP_INDICES:
    case AT_RASP_ALL:
        arg_print(p, (int)(v - p->r->node));
        break;
    case AT_RASP_NEG:
    case AT_RASP_NOT:
    case AT_RASP_NEITHER:
        at_text_add(t, sign_of(v->op));
        arg_print(p, v->arg[0]);
        break;
    case AT_RASP_ROUND:
        call_print(p, "round", v, 1);
        at_text_add(t, ")");
        break;
    case AT_RASP_INDICATOR:
        call_print(p, "indicator", v, 1);
        at_text_add(t, ")");
        break;
    case AT_RASP_ADD:
    case AT_RASP_SUB:
    case AT_RASP_MUL:
    case AT_RASP_DIV:
    case AT_RASP_MOD:
    case AT_RASP_POW:
    case AT_RASP_EQ:
    case AT_RASP_NE:
    case AT_RASP_LT:
    case AT_RASP_LE:
    case AT_RASP_GT:
    case AT_RASP_GE:
    case AT_RASP_AND:
    case AT_RASP_OR:
    case AT_RASP_BOTH:
    case AT_RASP_EITHER:
        arg_print(p, v->arg[0]);
        at_text_add(t, sign_of(v->op));
        arg_print(p, v->arg[1]);
        break;
    case AT_RASP_IF:
        arg_print(p, v->arg[1]);
        at_text_add(t, " if ");
        arg_print(p, v->arg[0]);
        at_text_add(t, " else ");
        arg_print(p, v->arg[2]);
        break;
    case AT_RASP_LOOKUP:
        table_print(p, v->table, true);
        at_text_add(t, "[");
        arg_print(p, v->arg[0]);
        at_text_add(t, "]");
        break;
    case AT_RASP_IN:
        arg_print(p, v->arg[0]);
        at_text_add(t, " in ");
        table_print(p, v->table, false);
        break;
    case AT_RASP_SELECT:
        call_print(p, "select", v, 2);
        at_text_addf(t, ", %.*s)", (int)strlen(sign_of(v->compare)) - 2, sign_of(v->compare) + 1);
        break;
    case AT_RASP_AGGREGATE:
        call_print(p, "aggregate", v, 2);
        if (v->given) {
            at_text_add(t, ", ");
            at_rasp_atom_print(&v->atom, t);
        }
        at_text_add(t, ")");
        break;
    case AT_RASP_WIDTH:
        if (p->r->node[v->arg[0]].op == AT_RASP_ALL && p->r->node[v->arg[0]].atom.num) {
            at_text_add(t, "length");
            break;
        }
        call_print(p, "selector_width", v, 1);
        at_text_add(t, ")");
        break;
    case AT_RASP_OPS:
        break;
    }
}

bool rasp_quoted(const char *letter)
{
    return *letter == '=' || *letter == ',' || strchr(letter, '#');
}

/* A name that says something else here. */
static bool is_taken(const char *s)
{
    return strcmp(s, "length") == 0 || strcmp(s, "selector_width") == 0 || strcmp(s, "out") == 0;
}

void at_rasp_print(const at_rasp *r, at_text *out)
{
    int n = 0;
    printer p = {r, at_calloc((size_t)r->n_nodes + 1, sizeof(int)),
                 at_calloc((size_t)r->n_nodes + 1, sizeof(char *)), out};
    bool *need = at_calloc((size_t)r->n_nodes + 1, 1);
    if (!p.number || !p.name || !need)
        out->oom = true;
    for (int k = 0; !out->oom && k < r->n_outputs; k++) {
        int v = r->output_node[k];
        need[v] = true;
        if (!p.name[v] && !is_taken(r->output[k]))
            p.name[v] = r->output[k];
    }
    for (int k = r->n_nodes - 1; !out->oom && k >= 0; k--)
        for (int i = 0; need[k] && i < 3; i++)
            if (r->node[k].arg[i] >= 0)
                need[r->node[k].arg[i]] = true;
    if (!out->oom) {
        bool quoted = false;
        for (int k = 0; k < r->sigma.n; k++)
            quoted |= k ? strchr(r->sigma.letter[k], '#') != NULL : rasp_quoted(r->sigma.letter[k]);
        at_text_add(out, quoted ? "alphabet \"" : "alphabet");
        for (int k = 0; k < r->sigma.n; k++)
            at_text_addf(out, "%s%s", quoted ? "" : " ", r->sigma.letter[k]);
        at_text_add(out, quoted ? "\"\n" : "\n");
        if (r->longest >= 0)
            at_text_addf(out, "length 1..%d\n", r->longest);
        if (r->softmax)
            at_text_add(out, "attention softmax\n");
        if (strcmp(r->output[r->usual], "out") != 0)
            at_text_addf(out, "output %s\n", r->output[r->usual]);
    }
    for (int k = 0; !out->oom && k < r->n_nodes; k++) {
        const at_rasp_node *v = &r->node[k];
        if (!need[k] || is_leaf(v))
            continue;
        p.number[k] = ++n;
        arg_print(&p, k);
        at_text_add(out, " = ");
        node_print(&p, v);
        at_text_add(out, ";\n");
    }
    for (int k = 0; !out->oom && k < r->n_outputs; k++) { /* more names for one s-op, and for leaves */
        int v = r->output_node[k];
        if (is_leaf(&r->node[v]) || !p.name[v] || strcmp(p.name[v], r->output[k]) != 0) {
            if (strcmp(r->output[k], "out") != 0)
                at_text_addf(out, "%s = ", r->output[k]);
            arg_print(&p, v);
            at_text_add(out, ";\n");
        }
    }
    at_free(p.number);
    at_free(p.name);
    at_free(need);
}
