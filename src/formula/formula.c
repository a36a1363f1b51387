/* formula.c: parts of formulas, each once. */
#include <stdlib.h>
#include <string.h>

#include <attest/formula.h>

#define NUMBER_MAX 1e12

const char *const at_see_names[AT_SEES] = {"1", "j < i", "j <= i", "j >= i", "j > i"};
const char *const at_read_at_names[AT_ATS] = {"last", "first", "end", "begin"};

const char *const at_formula_attend_names[AT_ATTENDS] = {"own", "softmax", "average", "rightmost",
                                                         "leftmost"};

at_status at_formulas_new(const at_alphabet *sigma, at_arena *a, at_formulas **out, at_err *err)
{
    at_formulas *f = at_new(a, at_formulas, 1);
    if (!f)
        return at_oom(err);
    f->sigma = *sigma;
    f->arena = a;
    *out = f;
    return AT_OK;
}

at_status at_formulas_status(const at_formulas *f, at_err *err)
{
    if (f->err.code && err)
        *err = f->err;
    return f->err.code;
}

static bool same(const at_formula *x, const at_formula *y)
{
    return x->op == y->op && x->value == y->value && x->index == y->index && x->modulus == y->modulus &&
           x->see == y->see && x->first == y->first && x->other == y->other && x->arg[0] == y->arg[0] &&
           x->arg[1] == y->arg[1] && x->arg[2] == y->arg[2];
}

/* How many arguments it has. */
static int args_of(at_formula_op op)
{
    switch (op) {
    case AT_F_CONST:
    case AT_F_LETTER:
    case AT_F_CLASS:
    case AT_F_SET:
    case AT_F_NAME:
    case AT_F_NUMBER:
        return 0;
    case AT_F_NOT:
    case AT_F_PREVIOUS:
    case AT_F_WEAK_PREVIOUS:
    case AT_F_ONCE:
    case AT_F_HENCE:
    case AT_F_NEXT:
    case AT_F_WEAK_NEXT:
    case AT_F_EVENTUALLY:
    case AT_F_ALWAYS:
    case AT_F_CONGRUENT:
    case AT_F_COUNT:
    case AT_F_TIMES:
        return 1;
    case AT_F_AND:
    case AT_F_OR:
    case AT_F_IMPLIES:
    case AT_F_IFF:
    case AT_F_SINCE:
    case AT_F_UNTIL:
    case AT_F_WEAK_UNTIL:
    case AT_F_RELEASE:
    case AT_F_LESS:
    case AT_F_LESS_EQUAL:
    case AT_F_EQUAL:
    case AT_F_ADD:
    case AT_F_SUB:
    case AT_F_MIN:
    case AT_F_MAX:
        return 2;
    case AT_F_FIND:
    case AT_F_IF:
    case AT_F_OPS:
        return 3;
    }
    return 0;
}

static double most_of(const at_formulas *f, const at_formula *x)
{
    double a = x->arg[0] ? x->arg[0]->most : 0, b = x->arg[1] ? x->arg[1]->most : 0,
           c = x->arg[2] ? x->arg[2]->most : 0;
    switch ((int)x->op) {
    case AT_F_NAME:
        return f->names[x->index].body->most;
    case AT_F_NUMBER:
        return (double)llabs(x->value);
    case AT_F_COUNT:
        return AT_FORMULA_LONGEST;
    case AT_F_ADD:
    case AT_F_SUB:
        return a + b;
    case AT_F_TIMES:
        return (double)llabs(x->value) * a;
    case AT_F_IF:
        return b > c ? b : c;
    case AT_F_MIN:
    case AT_F_MAX:
        return a > b ? a : b;
    default:
        return 0;
    }
}

at_formula *at_formula_make(at_formulas *f, at_formula part)
{
    bool pointwise =
        part.op <= AT_F_IFF && part.op != AT_F_NAME; /* what S and V of a FIND are made of, beside names */
    if (f->err.code)
        return NULL;
    part.two = part.other;
    for (int k = 0; k < args_of(part.op); k++) {
        if (!part.arg[k])
            return NULL;
        bool closed = part.op == AT_F_FIND && k < 2; /* j is bound there */
        part.two |= part.arg[k]->two && !closed;
        if (part.arg[k]->two && !closed && !pointwise) {
            at_fail(&f->err, AT_EINPUT, "only letters, names and their connectives are said of j");
            return NULL;
        }
    }
    part.most = most_of(f, &part);
    if (part.most > NUMBER_MAX) {
        at_fail(&f->err, AT_EINPUT, "a number that may reach %.3g; at most %.0g is counted", part.most,
                NUMBER_MAX);
        return NULL;
    }
    for (int k = 0; k < f->n_parts; k++)
        if (same(f->parts[k], &part))
            return f->parts[k];
    if (f->n_parts == AT_FORMULA_MAX) {
        at_fail(&f->err, AT_EINPUT, "more than %d different parts", AT_FORMULA_MAX);
        return NULL;
    }
    at_formula *x = at_new(f->arena, at_formula, 1);
    if (!x) {
        at_oom(&f->err);
        return NULL;
    }
    part.id = f->n_parts;
    *x = part;
    return f->parts[f->n_parts++] = x;
}

at_formula *at_formula_const(at_formulas *f, bool value)
{
    return at_formula_make(f, (at_formula){.op = AT_F_CONST, .value = value});
}

at_formula *at_formula_letter(at_formulas *f, int letter)
{
    return at_formula_make(f, (at_formula){.op = AT_F_LETTER, .index = letter});
}

at_formula *at_formula_number(at_formulas *f, int64_t value)
{
    return at_formula_make(f, (at_formula){.op = AT_F_NUMBER, .value = value});
}

at_formula *at_formula_one(at_formulas *f, at_formula_op op, at_formula *a)
{
    return at_formula_make(f, (at_formula){.op = op, .arg = {a}});
}

at_formula *at_formula_two(at_formulas *f, at_formula_op op, at_formula *a, at_formula *b)
{
    return at_formula_make(f, (at_formula){.op = op, .arg = {a, b}});
}

int at_formulas_find(const at_formulas *f, const char *name, size_t n)
{
    for (int k = 0; k < f->n_names; k++)
        if (strlen(f->names[k].name) == n && memcmp(f->names[k].name, name, n) == 0)
            return k;
    return -1;
}

int at_formulas_define(at_formulas *f, const char *name, at_formula *body)
{
    if (f->err.code || !body)
        return -1;
    if (at_formulas_find(f, name, strlen(name)) >= 0) {
        at_fail(&f->err, AT_EINPUT, "%.40s is defined twice", name);
        return -1;
    }
    if (f->n_names == AT_FORMULA_NAMES) {
        at_fail(&f->err, AT_EINPUT, "more than %d definitions", AT_FORMULA_NAMES);
        return -1;
    }
    const char *copy = at_arena_strdup(f->arena, name);
    if (!copy) {
        at_oom(&f->err);
        return -1;
    }
    f->names[f->n_names] = (at_formula_name){copy, body};
    return f->n_names++;
}

int at_formulas_set(at_formulas *f, const char *name, const bool *in)
{
    if (f->err.code)
        return -1;
    if (f->n_sets == AT_FORMULA_SETS) {
        at_fail(&f->err, AT_EINPUT, "more than %d sets of positions", AT_FORMULA_SETS);
        return -1;
    }
    for (int k = 0; k < f->n_sets; k++)
        if (strcmp(f->sets[k].name, name) == 0) {
            at_fail(&f->err, AT_EINPUT, "%.40s is said twice", name);
            return -1;
        }
    bool *copy = at_new(f->arena, bool, AT_FORMULA_LONGEST + 1);
    const char *own = at_arena_strdup(f->arena, name);
    if (!copy || !own) {
        at_oom(&f->err);
        return -1;
    }
    memcpy(copy, in, AT_FORMULA_LONGEST + 1);
    copy[0] = false;
    f->sets[f->n_sets] = (at_formula_set){own, copy};
    return f->n_sets++;
}

bool at_formula_is_number(const at_formulas *f, const at_formula *x)
{
    while (x->op == AT_F_NAME)
        x = f->names[x->index].body;
    return x->op >= AT_F_NUMBER;
}

static bool op_looks(const at_formula *x, bool back)
{
    if (x->op == AT_F_FIND || x->op == AT_F_COUNT)
        return x->see == AT_SEE_ALL || (back ? x->see < AT_SEE_FROM : x->see >= AT_SEE_FROM);
    return back ? x->op >= AT_F_PREVIOUS && x->op <= AT_F_SINCE : x->op >= AT_F_NEXT && x->op <= AT_F_RELEASE;
}

/* Whether x looks there, or how deep it is. Parts come after what they are made of, and definitions before their names are used,
 * so that one pass over the parts is enough, however often they are shared. */
static int measure(const at_formulas *f, const at_formula *x, int (*own)(const at_formula *), bool sum)
{
    int of[AT_FORMULA_MAX];
    for (int k = 0; k <= x->id; k++) {
        const at_formula *y = f->parts[k];
        int most = y->op == AT_F_NAME ? of[f->names[y->index].body->id] : 0;
        for (int c = 0; c < args_of(y->op); c++)
            most = of[y->arg[c]->id] > most ? of[y->arg[c]->id] : most;
        of[k] = sum ? most + own(y) : most | own(y);
    }
    return of[x->id];
}

static int looks_back(const at_formula *x)
{
    return op_looks(x, true);
}

static int looks_ahead(const at_formula *x)
{
    return op_looks(x, false);
}

static int looks(const at_formula *x)
{
    return op_looks(x, true) || op_looks(x, false);
}

bool at_formula_looks(const at_formulas *f, const at_formula *x, bool back)
{
    return measure(f, x, back ? looks_back : looks_ahead, false);
}

int at_formula_depth(const at_formulas *f, const at_formula *x)
{
    return measure(f, x, looks, true);
}
