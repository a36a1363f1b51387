/* dp_print.c: a problem printed back from its tree.
 *
 * Declarations come in the order of the source (a name stands before its uses), one a line, then the rules and the
 * answer. Brackets only where precedence asks for them; reading the text again gives the same tree. */
#include "dp_internal.h"

/* How tightly an operation binds; an argument that binds less than its place demands gets brackets. */
enum { ANY, ALL, TRUTH, SUM, TERM, FACTOR };

static const struct {
    const char *sign;       /* of an operation with one or two arguments in a row */
    int level, left, right; /* its own, and what its arguments must have */
} infix[] = {
    [AT_DPX_ADD] = {" + ", SUM, SUM, TERM},    [AT_DPX_SUB] = {" - ", SUM, SUM, TERM},
    [AT_DPX_MUL] = {"*", TERM, TERM, FACTOR},  [AT_DPX_MOD] = {" mod ", TERM, TERM, FACTOR},
    [AT_DPX_EQ] = {" == ", TRUTH, SUM, SUM},   [AT_DPX_NE] = {" != ", TRUTH, SUM, SUM},
    [AT_DPX_LT] = {" < ", TRUTH, SUM, SUM},    [AT_DPX_LE] = {" <= ", TRUTH, SUM, SUM},
    [AT_DPX_AND] = {" and ", ALL, ALL, TRUTH}, [AT_DPX_OR] = {" or ", ANY, ANY, ALL},
    [AT_DPX_IF] = {NULL, ANY, ANY, ANY},
};

static void print(const at_dp *d, const at_dpx *e, int place, at_text *out);

/* min(min(a, b), c) is written min(a, b, c). */
static void list_print(const at_dp *d, const at_dpx *e, at_dpx_op op, at_text *out)
{
    if (e->op != op) {
        print(d, e, ANY, out);
        return;
    }
    list_print(d, e->arg[0], op, out);
    at_text_add(out, ", ");
    print(d, e->arg[1], ANY, out);
}

static void infix_print(const at_dp *d, const at_dpx *e, int place, at_text *out)
{
    bool brackets = infix[e->op].level < place;
    at_text_add(out, brackets ? "(" : "");
    print(d, e->arg[0], infix[e->op].left, out);
    at_text_add(out, infix[e->op].sign);
    print(d, e->arg[1], infix[e->op].right, out);
    at_text_add(out, brackets ? ")" : "");
}

static void print(const at_dp *d, const at_dpx *e, int place, at_text *out)
{
    switch (e->op) {
    case AT_DPX_CONST:
        at_text_addf(out, "%lld", (long long)e->value);
        break;
    case AT_DPX_SIZE:
        at_text_add(out, d->sizes[e->index].name);
        break;
    case AT_DPX_COUNTER:
        at_text_add(out, d->counters[e->index].name.name);
        break;
    case AT_DPX_TAKE:
        at_text_add(out, d->takes[e->index].name.name);
        break;
    case AT_DPX_NEED:
        at_text_addf(out, "%s.%s", d->needs[e->index].name.name, d->values[e->field].name.name);
        break;
    case AT_DPX_VALUE:
        at_text_add(out, d->values[e->index].name.name);
        break;
    case AT_DPX_LET:
        at_text_add(out, d->lets[e->index].name.name);
        break;
    case AT_DPX_MIN:
    case AT_DPX_MAX:
        at_text_add(out, e->op == AT_DPX_MIN ? "min(" : "max(");
        list_print(d, e, e->op, out);
        at_text_add(out, ")");
        break;
    case AT_DPX_ABS:
        at_text_add(out, "abs(");
        print(d, e->arg[0], ANY, out);
        at_text_add(out, ")");
        break;
    case AT_DPX_NEG:
        at_text_add(out, "-");
        print(d, e->arg[0], FACTOR, out);
        break;
    case AT_DPX_NOT:
        at_text_add(out, place > TRUTH ? "(not " : "not ");
        print(d, e->arg[0], TRUTH, out);
        at_text_add(out, place > TRUTH ? ")" : "");
        break;
    case AT_DPX_IF:
        at_text_add(out, place > ANY ? "(if " : "if ");
        print(d, e->arg[0], ANY, out);
        at_text_add(out, " then ");
        print(d, e->arg[1], ANY, out);
        at_text_add(out, " else ");
        print(d, e->arg[2], ANY, out);
        at_text_add(out, place > ANY ? ")" : "");
        break;
    case AT_DPX_ADD:
    case AT_DPX_SUB:
    case AT_DPX_MUL:
    case AT_DPX_MOD:
    case AT_DPX_EQ:
    case AT_DPX_NE:
    case AT_DPX_LT:
    case AT_DPX_LE:
    case AT_DPX_AND:
    case AT_DPX_OR:
    default:
        infix_print(d, e, place, out);
    }
}

void at_dpx_print(const at_dp *d, const at_dpx *e, at_text *out)
{
    print(d, e, ANY, out);
}

/* ---- declarations ----------------------------------------------------------------------------------- */

static void range_print(const at_dp *d, const char *before, const at_dp_name *name, const at_dpx *lo,
                        const at_dpx *hi, at_text *out)
{
    at_text_addf(out, "%s%s in ", before, name->name);
    at_dpx_print(d, lo, out);
    at_text_add(out, "..");
    at_dpx_print(d, hi, out);
}

static void tuple_print(const at_dp *d, at_dpx *const *e, at_text *out)
{
    for (int c = 0; c < d->n_counters; c++) {
        at_text_add(out, c ? ", " : "(");
        at_dpx_print(d, e[c], out);
    }
    at_text_add(out, ")");
}

static void when_print(const at_dp *d, const at_dpx *when, at_text *out)
{
    if (!when)
        return;
    at_text_add(out, " when ");
    at_dpx_print(d, when, out);
}

static void declaration_print(const at_dp *d, unsigned kind, int k, at_text *out)
{
    switch (kind) {
    case DP_SIZE:
        range_print(d, "size ", &d->sizes[k], d->size_lo[k], d->size_hi[k], out);
        if (d->size_usual[k]) {
            at_text_add(out, " default ");
            at_dpx_print(d, d->size_usual[k], out);
        }
        break;
    case DP_INPUT:
        at_text_addf(out, "input %s[", d->inputs[k].name.name);
        at_dpx_print(d, d->inputs[k].length, out);
        range_print(d, "]", &(at_dp_name){0}, d->inputs[k].lo, d->inputs[k].hi, out);
        break;
    case DP_COUNTER:
        range_print(d, k ? ", " : "state ", &d->counters[k].name, d->counters[k].lo, d->counters[k].hi, out);
        if (k + 1 < d->n_counters)
            return; /* they stand in one line */
        break;
    case DP_VALUE:
        range_print(d, "value ", &d->values[k].name, d->values[k].lo, d->values[k].hi, out);
        break;
    case DP_TAKE:
        at_text_addf(out, "take %s = %s[", d->takes[k].name.name, d->inputs[d->takes[k].input].name.name);
        at_dpx_print(d, d->takes[k].index, out);
        at_text_add(out, "]");
        when_print(d, d->takes[k].when, out);
        break;
    case DP_NEED:
        at_text_addf(out, "need %s = ", d->needs[k].name.name);
        tuple_print(d, d->needs[k].counter, out);
        when_print(d, d->needs[k].when, out);
        break;
    default:
        at_text_addf(out, "let %s = ", d->lets[k].name.name);
        at_dpx_print(d, d->lets[k].rule, out);
    }
    at_text_add(out, "\n");
}

static const at_dp_name *name_of(const at_dp *d, unsigned kind, int k)
{
    switch (kind) {
    case DP_SIZE:
        return k < d->n_sizes ? &d->sizes[k] : NULL;
    case DP_INPUT:
        return k < d->n_inputs ? &d->inputs[k].name : NULL;
    case DP_COUNTER:
        return k < d->n_counters ? &d->counters[k].name : NULL;
    case DP_VALUE:
        return k < d->n_values ? &d->values[k].name : NULL;
    case DP_TAKE:
        return k < d->n_takes ? &d->takes[k].name : NULL;
    case DP_NEED:
        return k < d->n_needs ? &d->needs[k].name : NULL;
    default:
        return k < d->n_lets ? &d->lets[k].name : NULL;
    }
}

at_status at_dp_print(const at_dp *d, at_text *out)
{
    int next[7] = {0}; /* of each kind, the first that is not printed yet */
    at_text_addf(out, "problem \"%s\"\n", d->title);
    for (;;) {
        const at_dp_name *first = NULL;
        int kind = 0;
        for (int k = 0; k < 7; k++) {
            const at_dp_name *n = name_of(d, 1u << k, next[k]);
            if (n &&
                (!first || n->line < first->line || (n->line == first->line && n->column < first->column))) {
                first = n;
                kind = k;
            }
        }
        if (!first)
            break;
        declaration_print(d, 1u << kind, next[kind]++, out);
    }
    for (int v = 0; v < d->n_values; v++) {
        at_text_addf(out, "%s = ", d->values[v].name.name);
        at_dpx_print(d, d->values[v].rule, out);
        at_text_add(out, "\n");
    }
    at_text_add(out, "answer ");
    at_dpx_print(d, d->answer, out);
    if (d->answer_state[0]) {
        at_text_add(out, " at ");
        tuple_print(d, d->answer_state, out);
    }
    at_text_add(out, "\n");
    return out->oom ? AT_ENOMEM : AT_OK;
}
