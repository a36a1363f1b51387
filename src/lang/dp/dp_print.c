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
    [AT_DPX_ADD] = {" + ", SUM, SUM, TERM},       [AT_DPX_SUB] = {" - ", SUM, SUM, TERM},
    [AT_DPX_MUL] = {"*", TERM, TERM, FACTOR},     [AT_DPX_MOD] = {" mod ", TERM, TERM, FACTOR},
    [AT_DPX_DIV] = {" div ", TERM, TERM, FACTOR}, [AT_DPX_EQ] = {" == ", TRUTH, SUM, SUM},
    [AT_DPX_NE] = {" != ", TRUTH, SUM, SUM},      [AT_DPX_LT] = {" < ", TRUTH, SUM, SUM},
    [AT_DPX_LE] = {" <= ", TRUTH, SUM, SUM},      [AT_DPX_AND] = {" and ", ALL, ALL, TRUTH},
    [AT_DPX_OR] = {" or ", ANY, ANY, ALL},        [AT_DPX_IF] = {NULL, ANY, ANY, ANY},
};

static void print(const dp_writer *w, const at_dpx *e, int place);

/* min(min(a, b), c) is written min(a, b, c). */
static void list_print(const dp_writer *w, const at_dpx *e, at_dpx_op op)
{
    if (e->op != op) {
        print(w, e, ANY);
        return;
    }
    list_print(w, e->arg[0], op);
    at_text_add(w->out, ", ");
    print(w, e->arg[1], ANY);
}

static void infix_print(const dp_writer *w, const at_dpx *e, int place)
{
    bool brackets = infix[e->op].level < place;
    at_text_add(w->out, brackets ? "(" : "");
    print(w, e->arg[0], infix[e->op].left);
    at_text_add(w->out, infix[e->op].sign);
    print(w, e->arg[1], infix[e->op].right);
    at_text_add(w->out, brackets ? ")" : "");
}

void dp_write_states(const dp_writer *w, int block, at_dpx *const *from, at_dpx *const *to)
{
    for (int c = 0; c < w->d->blocks[block].n; c++) {
        at_text_add(w->out, c ? ", " : "(");
        print(w, from[c], ANY);
        if (to && to[c] != from[c]) {
            at_text_add(w->out, "..");
            print(w, to[c], ANY);
        }
    }
    at_text_add(w->out, ")");
}

/* "[i, j]": index is (i - 1)*cols + j where there are columns. */
static void place_print(const dp_writer *w, const at_dpx *index, const at_dpx *column)
{
    at_text_add(w->out, "[");
    print(w, column ? index->arg[0]->arg[0]->arg[0] : index, ANY);
    if (column) {
        at_text_add(w->out, ", ");
        print(w, column, ANY);
    }
    at_text_add(w->out, "]");
}

void dp_write_take(const dp_writer *w, const at_dp_take *t)
{
    at_text_add(w->out, w->d->inputs[t->input].name.name);
    if (!w->d->inputs[t->input].scalar)
        place_print(w, t->index, t->column);
}

static void fold_print(const dp_writer *w, const at_dp_value *v, int place)
{
    at_text_add(w->out, place > ANY ? "(" : "");
    at_text_add(w->out, v->op == AT_DPX_MIN ? "min " : v->op == AT_DPX_MAX ? "max " : "sum ");
    if (v->kind == AT_DP_FOLDED) {
        at_text_addf(w->out, "over %s in ", v->name.name);
        print(w, v->lo, ANY);
        at_text_add(w->out, "..");
        print(w, v->hi, ANY);
        at_text_add(w->out, " of ");
        print(w, v->term, ANY);
    } else {
        bool brackets = v->term->op != AT_DPX_VALUE;
        at_text_add(w->out, brackets ? "(" : "");
        print(w, v->term, ANY);
        at_text_add(w->out, brackets ? ") over " : " over ");
        dp_write_states(w, v->block, v->from, v->to);
    }
    at_text_add(w->out, place > ANY ? ")" : "");
}

static const char *counter_name(const at_dp *d, const at_dpx *e)
{
    const char *name = dp_counter_name(d, e->field, e->index);
    return name ? name : "block";
}

static void need_print(const dp_writer *w, const at_dpx *e)
{
    const at_dp *d = w->d;
    const at_dp_need *n = &d->needs[e->index];
    if (n->name.name[0])
        at_text_addf(w->out, "%s.%s", n->name.name, d->values[e->field].name.name);
    else {
        at_text_add(w->out, d->values[e->field].name.name);
        dp_write_states(w, n->block, n->counter + d->hidden, NULL);
    }
}

static void print(const dp_writer *w, const at_dpx *e, int place)
{
    const at_dp *d = w->d;
    if (w->instead && w->instead(w, e))
        return;
    switch (e->op) {
    case AT_DPX_CONST:
        if (dp_node_of(e)->truth)
            at_text_add(w->out, e->value ? "true" : "false");
        else
            at_text_addf(w->out, "%lld", (long long)e->value);
        break;
    case AT_DPX_SIZE:
        at_text_add(w->out, d->sizes[e->index].name);
        break;
    case AT_DPX_COUNTER:
        at_text_add(w->out, counter_name(d, e));
        break;
    case AT_DPX_TAKE:
        if (d->takes[e->index].name.name[0])
            at_text_add(w->out, d->takes[e->index].name.name);
        else
            dp_write_take(w, &d->takes[e->index]);
        break;
    case AT_DPX_NEED:
        need_print(w, e);
        break;
    case AT_DPX_OVER:
        at_text_add(w->out, d->values[e->index].name.name);
        break;
    case AT_DPX_FOLD:
    case AT_DPX_BEFORE:
        fold_print(w, &d->values[e->index], place);
        break;
    case AT_DPX_FIRST: /* of what is gathered, and not written by anybody */
        at_text_add(w->out, "first");
        break;
    case AT_DPX_TABLE:
        at_text_add(w->out, d->tables[e->index].name.name);
        place_print(w, e->arg[0], e->arg[1]);
        break;
    case AT_DPX_VALUE:
        at_text_add(w->out, d->values[e->index].name.name);
        break;
    case AT_DPX_LET:
        at_text_add(w->out, d->lets[e->index].name.name);
        break;
    case AT_DPX_MIN:
    case AT_DPX_MAX:
        at_text_add(w->out, e->op == AT_DPX_MIN ? "min(" : "max(");
        list_print(w, e, e->op);
        at_text_add(w->out, ")");
        break;
    case AT_DPX_ABS:
        at_text_add(w->out, "abs(");
        print(w, e->arg[0], ANY);
        at_text_add(w->out, ")");
        break;
    case AT_DPX_NEG:
        at_text_add(w->out, "-");
        print(w, e->arg[0], FACTOR);
        break;
    case AT_DPX_NOT:
        at_text_add(w->out, place > TRUTH ? "(not " : "not ");
        print(w, e->arg[0], TRUTH);
        at_text_add(w->out, place > TRUTH ? ")" : "");
        break;
    case AT_DPX_IF:
        at_text_add(w->out, place > ANY ? "(if " : "if ");
        print(w, e->arg[0], ANY);
        at_text_add(w->out, " then ");
        print(w, e->arg[1], ANY);
        at_text_add(w->out, " else ");
        print(w, e->arg[2], ANY);
        at_text_add(w->out, place > ANY ? ")" : "");
        break;
    case AT_DPX_ADD:
    case AT_DPX_SUB:
    case AT_DPX_MUL:
    case AT_DPX_MOD:
    case AT_DPX_DIV:
    case AT_DPX_EQ:
    case AT_DPX_NE:
    case AT_DPX_LT:
    case AT_DPX_LE:
    case AT_DPX_AND:
    case AT_DPX_OR:
    default:
        infix_print(w, e, place);
    }
}

void dp_write(const dp_writer *w, const at_dpx *e)
{
    print(w, e, ANY);
}

void at_dpx_print(const at_dp *d, const at_dpx *e, at_text *out)
{
    print(&(dp_writer){.d = d, .out = out}, e, ANY);
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

/* Where there are several blocks, what is said besides begins with the block (dp_finish.c). */
static void when_print(const at_dp *d, const at_dpx *when, at_text *out)
{
    if (when && d->n_blocks > 1)
        when = when->op == AT_DPX_AND ? when->arg[1] : NULL;
    if (!when)
        return;
    at_text_add(out, " when ");
    at_dpx_print(d, when, out);
}

static void input_print(const at_dp *d, const at_dp_input *in, at_text *out)
{
    at_text_addf(out, "input %s", in->name.name);
    if (!in->scalar) {
        at_text_add(out, "[");
        at_dpx_print(d, in->cols ? in->rows : in->length, out);
        if (in->cols) {
            at_text_add(out, ", ");
            at_dpx_print(d, in->cols, out);
        }
        at_text_add(out, "]");
    }
    range_print(d, "", &(at_dp_name){0}, in->lo, in->hi, out);
}

void dp_write_table(const at_dp_table *t, at_text *out)
{
    at_text_addf(out, "table %s[%d", t->name.name, t->cols ? t->n / t->cols : t->n);
    if (t->cols)
        at_text_addf(out, ", %d", t->cols);
    for (int i = 0; i < t->n; i++)
        at_text_addf(out, "%s%lld", i ? ", " : "] = ", (long long)t->value[i]);
}

/* Of the declared values of a block. */
static void rules_print(const at_dp *d, int block, at_text *out)
{
    for (int v = 0; v < d->n_values; v++) {
        if (d->values[v].kind != AT_DP_DECLARED || d->values[v].block != block)
            continue;
        at_text_addf(out, "%s = ", d->values[v].name.name);
        at_dpx_print(d, d->values[v].rule, out);
        at_text_add(out, "\n");
    }
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
        input_print(d, &d->inputs[k], out);
        break;
    case DP_TABLE:
        dp_write_table(&d->tables[k], out);
        break;
    case DP_COUNTER: /* a block of them */
        if (k)
            rules_print(d, k - 1, out);
        for (int c = 0; c < d->blocks[k].n; c++)
            range_print(d, c ? ", " : "state ", &d->blocks[k].counter[c].name, d->blocks[k].counter[c].lo,
                        d->blocks[k].counter[c].hi, out);
        break;
    case DP_VALUE:
        range_print(d, "value ", &d->values[k].name, d->values[k].lo, d->values[k].hi, out);
        break;
    case DP_TAKE:
        at_text_addf(out, "take %s = ", d->takes[k].name.name);
        dp_write_take(&(dp_writer){.d = d, .out = out}, &d->takes[k]);
        when_print(d, d->takes[k].when, out);
        break;
    case DP_NEED:
        at_text_addf(out, "need %s = ", d->needs[k].name.name);
        dp_write_states(&(dp_writer){.d = d, .out = out}, d->needs[k].block, d->needs[k].counter + d->hidden,
                        NULL);
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
        return k < d->n_blocks ? &d->blocks[k].counter[0].name : NULL;
    case DP_VALUE:
        return k < d->n_values ? &d->values[k].name : NULL;
    case DP_TAKE:
        return k < d->n_takes ? &d->takes[k].name : NULL;
    case DP_NEED:
        return k < d->n_needs ? &d->needs[k].name : NULL;
    case DP_TABLE:
        return k < d->n_tables ? &d->tables[k].name : NULL;
    default:
        return k < d->n_lets ? &d->lets[k].name : NULL;
    }
}

/* What is read in place has no name, and folds are printed where they stand. */
static bool declared(const at_dp *d, unsigned kind, int k)
{
    return kind == DP_VALUE ? d->values[k].kind == AT_DP_DECLARED : name_of(d, kind, k)->name[0];
}

at_status at_dp_print(const at_dp *d, at_text *out)
{
    enum { DECLARED = 8 };
    int next[DECLARED] = {0}; /* of each kind, the first that is not printed yet */
    at_text_addf(out, "problem \"%s\"\n", d->title);
    for (;;) {
        const at_dp_name *first = NULL;
        int kind = 0;
        for (int k = 0; k < DECLARED; k++) {
            const at_dp_name *n = name_of(d, 1u << k, next[k]);
            while (n && !declared(d, 1u << k, next[k]))
                n = name_of(d, 1u << k, ++next[k]);
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
    rules_print(d, d->n_blocks - 1, out);
    at_text_add(out, "answer ");
    at_dpx_print(d, d->answer, out);
    if (d->answer_state[0]) {
        at_text_add(out, " at ");
        dp_write_states(&(dp_writer){.d = d, .out = out}, d->answer_block, d->answer_state + d->hidden, NULL);
    }
    at_text_add(out, "\n");
    return out->oom ? AT_ENOMEM : AT_OK;
}
