/* compile_formula.c: formulas (formula.h) as transformers: one attention layer a level of temporal and counting operators.
 *
 * CLAIM fo-mon, ltl-c, crasp, foc rest on it.
 * 1. A truth is a boolean at every position, hidden ones included, where it does no harm: nothing finds or counts them.
 * 2. FIND (and with it since, until and the others, see temporal) attends where S holds: score 1, else 0. Hard attention of its own
 *    side then is at the j that is meant; where there is none it fetches an S that is 0, or sees nothing, which is 0, too.
 *    What S needs to know of i is a query: one component for every assignment of those facts.
 *    Attention of another kind gets j/(2(T + 1)) on top (the first: minus that), less than 1/2 in all, so that the best j is the only one, by
 *    that much.
 * 3. A count is a mean over what the mask shows. With a hidden position among it, whose mark has mean u, it is c u, and so are sums
 *    of counts. x <= y is decided for x u - y u + u/2, which is at least u/2 away from 0.
 * 4. Where counts of different masks meet, or their residues are asked for, the count look-up fetches the index of position c, or its
 *    residue: integers. */
#include "formula_maker.h"

#include <stdio.h>

/* ---- names ------------------------------------------------------------------------------------------------------ */

const at_formula *formula_body(const at_formulas *f, const at_formula *x)
{
    while (x->op == AT_F_NAME)
        x = f->names[x->index].body;
    return x;
}

const char *formula_label(maker *k, const at_formula *x, const char *what)
{
    char name[64];
    for (int d = 0; d < k->f->n_names; d++)
        if (k->f->names[d].body == x) {
            snprintf(name, sizeof name, "%.40s%s%s", k->f->names[d].name, *what ? "." : "", what);
            return at_arena_strdup(&k->arena, name);
        }
    static const char *const words[AT_F_OPS] = {[AT_F_CONST] = "const",     [AT_F_LETTER] = "letter",
                                                [AT_F_CLASS] = "mod",       [AT_F_SET] = "set",
                                                [AT_F_NOT] = "not",         [AT_F_AND] = "and",
                                                [AT_F_OR] = "or",           [AT_F_IMPLIES] = "implies",
                                                [AT_F_IFF] = "iff",         [AT_F_PREVIOUS] = "Y",
                                                [AT_F_WEAK_PREVIOUS] = "Z", [AT_F_ONCE] = "O",
                                                [AT_F_HENCE] = "H",         [AT_F_SINCE] = "S",
                                                [AT_F_NEXT] = "X",          [AT_F_WEAK_NEXT] = "N",
                                                [AT_F_EVENTUALLY] = "F",    [AT_F_ALWAYS] = "G",
                                                [AT_F_UNTIL] = "U",         [AT_F_WEAK_UNTIL] = "W",
                                                [AT_F_RELEASE] = "R",       [AT_F_FIND] = "find",
                                                [AT_F_LESS] = "less",       [AT_F_LESS_EQUAL] = "at_most",
                                                [AT_F_EQUAL] = "equal",     [AT_F_CONGRUENT] = "congruent",
                                                [AT_F_COUNT] = "count",     [AT_F_IF] = "if",
                                                [AT_F_MIN] = "min",         [AT_F_MAX] = "max"};
    snprintf(name, sizeof name, "%s%d%s%s", words[x->op] ? words[x->op] : "sum", x->id, *what ? "." : "",
             what);
    return at_arena_strdup(&k->arena, name);
}

void formula_serves(maker *k, const at_formula *const *x, int n)
{
    at_text t;
    at_text_init(&t);
    for (int c = 0; c < n; c++) {
        int d = 0;
        while (d < k->f->n_names && k->f->names[d].body != x[c])
            d++;
        at_text_add(&t, c ? ", " : "");
        if (d < k->f->n_names)
            at_text_add(&t, k->f->names[d].name);
        else
            at_formula_print(k->f, x[c], &t);
    }
    if (t.oom)
        k->status = at_oom(k->err);
    at_program_label(k->P, t.n ? t.s : NULL);
    at_text_release(&t);
}

/* ---- small pieces ----------------------------------------------------------------------------------------------- */

at_var formula_refuse(maker *k, const char *what)
{
    if (!k->status)
        k->status = at_fail(k->err, AT_EREFUSED, "%s", what);
    return at_const(k->P, 0);
}

bool formula_is_const(const at_formula *x, int value)
{
    return x->op == AT_F_CONST && x->value == value;
}

/* Letters are nowhere else. */
at_var formula_real(maker *k, const at_formula *x, at_var b)
{
    if (k->begin == k->end && !k->begin)
        return b;
    if (x && (x->op == AT_F_LETTER || x->op == AT_F_CLASS || x->op == AT_F_SET))
        return b;
    if (x && formula_is_const(x, 1))
        return k->real;
    return at_all(k->P, x ? formula_label(k, x, "real") : "real", AT_VEC(b, k->real));
}

at_mask formula_mask(const maker *k, at_see see)
{
    static const at_mask_kind kinds[AT_SEES] = {AT_MASK_NONE, AT_MASK_STRICT, AT_MASK_CAUSAL, AT_MASK_FUTURE,
                                                AT_MASK_STRICT_FUTURE};
    at_mask_kind kind = kinds[see];
    if (k->o->causal)
        kind = see == AT_SEE_BEFORE ? AT_MASK_CAUSAL : see == AT_SEE_AFTER ? AT_MASK_FUTURE : kind;
    return (at_mask){.kind = kind};
}

/* ---- truths ----------------------------------------------------------------------------------------------------------- */

static at_var class_make(maker *k, const at_formula *x)
{
    double *row = at_new(&k->arena, double, k->T);
    if (!row) {
        k->status = at_oom(k->err);
        return -1;
    }
    for (int t = 0; t < k->T; t++) {
        int i = t - k->begin + 1;
        row[t] = i >= 1 && i <= k->N &&
                 (x->op == AT_F_SET ? k->f->sets[x->index].in[i] : i % x->modulus == x->index);
    }
    at_var c = at_position_rows(k->P, formula_label(k, x, ""), 1, row);
    return k->end ? at_all(k->P, formula_label(k, x, "here"), AT_VEC(c, k->real)) : c;
}

/* All that are joined by one connective, each once. */
static void parts_gather(const at_formula *x, at_formula_op op, const at_formula **part, int *n, bool *seen)
{
    if (seen[x->id])
        return;
    seen[x->id] = true;
    if (x->op == op) {
        parts_gather(x->arg[0], op, part, n, seen);
        parts_gather(x->arg[1], op, part, n, seen);
    } else
        part[(*n)++] = x;
}

/* Rows of & or |: a unit for JOINED of them, so that sums stay small, then one for these. */
enum { JOINED = 30 };

static at_var row_make(maker *k, const at_formula *x)
{
    size_t most = (size_t)x->id + 1;
    const at_formula **part = at_calloc(most, sizeof *part);
    at_var *v = at_calloc(most, sizeof *v);
    bool *seen = at_calloc(most, sizeof *seen);
    int n = 0;
    if (part && v && seen) {
        parts_gather(x, x->op, part, &n, seen);
        for (int c = 0; c < n; c++)
            v[c] = formula_truth(k, part[c]);
    } else if (!k->status)
        k->status = at_oom(k->err);
    while (n > 1 && !k->status) {
        int rows = 0;
        for (int c = 0; c < n; c += JOINED)
            v[rows++] =
                (x->op == AT_F_AND ? at_all : at_any)(k->P, formula_label(k, x, n > JOINED ? "some" : ""),
                                                      (at_vec){n - c < JOINED ? n - c : JOINED, v + c});
        n = rows;
    }
    at_var y = n && !k->status ? v[0] : at_const(k->P, 0);
    at_free(part);
    at_free(v);
    at_free(seen);
    return y;
}

static at_var truth_of(maker *k, const at_formula *x)
{
    at_program *P = k->P;
    at_var v[2], a, b;
    switch (x->op) {
    case AT_F_CONST:
        return at_const(P, (double)x->value);
    case AT_F_LETTER:
        return k->letter[x->index];
    case AT_F_CLASS:
    case AT_F_SET:
        return class_make(k, x);
    case AT_F_NAME:
        return formula_truth(k, formula_body(k->f, x));
    case AT_F_NOT:
        return at_not(P, formula_truth(k, x->arg[0]));
    case AT_F_AND:
    case AT_F_OR:
        return row_make(k, x);
    case AT_F_IMPLIES:
        a = formula_truth(k, x->arg[0]);
        return at_any(P, formula_label(k, x, ""), AT_VEC(at_not(P, a), formula_truth(k, x->arg[1])));
    case AT_F_IFF:
        a = formula_truth(k, x->arg[0]);
        b = formula_truth(k, x->arg[1]);
        v[0] = at_all(P, formula_label(k, x, "both"), AT_VEC(a, b));
        v[1] = at_all(P, formula_label(k, x, "neither"), AT_VEC(at_not(P, a), at_not(P, b)));
        return at_known(P, formula_label(k, x, ""), at_add(P, v[0], v[1]), 0, 1, true, -1);
    case AT_F_PREVIOUS:
    case AT_F_WEAK_PREVIOUS:
    case AT_F_ONCE:
    case AT_F_HENCE:
    case AT_F_SINCE:
    case AT_F_NEXT:
    case AT_F_WEAK_NEXT:
    case AT_F_EVENTUALLY:
    case AT_F_ALWAYS:
    case AT_F_UNTIL:
    case AT_F_WEAK_UNTIL:
    case AT_F_RELEASE:
        return formula_temporal(k, x);
    case AT_F_FIND:
        return formula_find(k, x);
    case AT_F_LESS:
    case AT_F_LESS_EQUAL:
    case AT_F_EQUAL:
        return formula_compare(k, x);
    case AT_F_CONGRUENT:
        return formula_congruent(k, x);
    case AT_F_NUMBER:
    case AT_F_COUNT:
    case AT_F_ADD:
    case AT_F_SUB:
    case AT_F_TIMES:
    case AT_F_IF:
    case AT_F_MIN:
    case AT_F_MAX:
    case AT_F_OPS:
        break;
    }
    return formula_refuse(k, "a number where a truth is wanted");
}

at_var formula_truth(maker *k, const at_formula *x)
{
    x = formula_body(k->f, x);
    if (k->truth[x->id] < 0 && !k->status)
        k->truth[x->id] = truth_of(k, x);
    return k->truth[x->id];
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------- */

static void use(maker *k, const at_formula *x)
{
    if (x->op == AT_F_NAME) {
        use(k, k->f->names[x->index].body);
        return;
    }
    if (k->used[x->id])
        return;
    k->used[x->id] = true;
    k->depth[x->id] = at_formula_depth(k->f, x);
    for (int n = 0; n < 3; n++)
        if (x->arg[n])
            use(k, x->arg[n]);
    if (x->op == AT_F_COUNT) {
        k->begin |= formula_family(x) != FUTURE;
        k->end |= formula_family(x) == FUTURE;
    }
    unsigned of = x->op == AT_F_LESS || x->op == AT_F_LESS_EQUAL || x->op == AT_F_EQUAL
                      ? formula_families(k, x->arg[0]) | formula_families(k, x->arg[1])
                      : 0;
    bool own = k->f->attend == AT_ATTEND_OWN;
    k->whole |= x->op == AT_F_CONGRUENT || (of & (of - 1)) != 0;
    k->whole |= !own && x->op >= AT_F_PREVIOUS && x->op <= AT_F_FIND;
}

static void inputs_make(maker *k)
{
    at_program *P = k->P;
    const at_formulas *f = k->f;
    char name[64];
    k->T = k->N + k->begin + k->end;
    if (k->begin)
        at_prefix(P, 1);
    if (k->end)
        at_suffix(P, 1);
    at_origin(P, k->begin ? 0 : 1);
    at_program_lengths(P, f->at == AT_AT_END || f->at == AT_AT_BEGIN ? 0 : 1);
    at_var x = at_token(P, "letter", f->sigma.n);
    for (int a = 0; a < f->sigma.n; a++) {
        double table[AT_LETTERS_MAX] = {0};
        table[a] = 1;
        snprintf(name, sizeof name, "is_%d", a);
        k->letter[a] = at_lookup(P, name, x, table);
    }
    k->begin_mark = k->begin ? at_mark_prefix(P, "begin", 0) : -1;
    k->end_mark = k->end ? at_mark_suffix(P, "end", 0) : -1;
    at_var real = at_const(P, 1);
    real = k->begin ? at_sub(P, real, k->begin_mark) : real;
    real = k->end ? at_sub(P, real, k->end_mark) : real;
    k->real = k->begin || k->end ? at_known(P, "word", real, 0, 1, true, -1) : real;
    if (k->whole) {
        k->here = at_position(P, "j", AT_POS_I);
        k->here2 = at_position(P, "j2", AT_POS_I2);
    }
}

/* The verdict, brought to the last position of the sequence. */
static at_var verdict_make(maker *k)
{
    at_var y = formula_truth(k, k->f->accept);
    if (k->status)
        return -1;
    switch (k->f->at) {
    case AT_AT_LAST:
        return k->end ? formula_find_simple(k, NULL, false, AT_SEE_BEFORE, k->real, formula_real(k, NULL, y))
                      : y;
    case AT_AT_FIRST:
        return formula_find_simple(k, NULL, true, AT_SEE_ALL, k->real, formula_real(k, NULL, y));
    case AT_AT_BEGIN:
        return formula_find_simple(k, NULL, true, AT_SEE_ALL, k->begin_mark, y);
    case AT_AT_END:
    case AT_ATS:
        break;
    }
    return y;
}

static at_status maker_run(maker *k, at_err *err)
{
    const at_formulas *f = k->f;
    size_t n = (size_t)f->n_parts + 1;
    k->truth = at_new(&k->arena, at_var, n);
    k->count = at_new(&k->arena, at_var, n);
    k->integer = at_new(&k->arena, at_var, n);
    k->used = at_new(&k->arena, bool, n);
    k->depth = at_new(&k->arena, int, n);
    k->letter = at_new(&k->arena, at_var, f->sigma.n);
    if (!k->truth || !k->count || !k->integer || !k->used || !k->depth || !k->letter)
        return at_oom(err);
    for (size_t c = 0; c < n; c++)
        k->truth[c] = k->count[c] = k->integer[c] = -1;
    k->u[PAST] = k->u[FUTURE] = k->u[ALL] = k->here = k->here2 = -1;
    use(k, f->accept);
    k->end |= f->at == AT_AT_END;
    if (f->attend != AT_ATTEND_OWN) /* the verdict must be found */
        k->whole |= f->at == AT_AT_FIRST || f->at == AT_AT_BEGIN || (f->at == AT_AT_LAST && k->end);
    k->begin |= f->at == AT_AT_BEGIN || k->whole;
    inputs_make(k);
    at_var y = verdict_make(k);
    if (k->status)
        return k->status;
    at_emit_last(k->P, AT_VEC(y), AT_READ_THRESHOLD, 0.5);
    return at_program_status(k->P, err);
}

at_status at_formulas_program(const at_formulas *f, int N, const at_formulas_options *o, at_program **out,
                              at_err *err)
{
    static const at_formulas_options usual = {0};
    maker k = {.f = f, .o = o ? o : &usual, .N = N, .err = err};
    *out = NULL;
    k.P = at_program_new("formula", N);
    if (!k.P)
        return at_oom(err);
    if (k.o->arith)
        at_program_arithmetic(k.P, *k.o->arith);
    at_arena_init(&k.arena);
    at_status s = maker_run(&k, err);
    at_arena_release(&k.arena);
    if (s)
        at_program_free(k.P);
    else
        *out = k.P;
    return s;
}
