/* foc_exists.c: quantifiers over counts eliminated (Presburger 1929; this way: Cooper 1972).
 *
 * A truth about x is brought to and, or, and atoms t <= 0, t = 0, m | t, not m | t. All coefficients of x are made equal to d or -d by
 * factors, then d x is called x, with d | x; and x >= 0. Take the least solution x of such a truth, and D a common multiple of the moduli:
 * at x - D the congruences are as at x, so an atom that bounds x from below must have become false. Then x is at most D - 1 above that
 * bound; x of an equality is its other side. So it is enough to try the lower bounds b with x = b, ..., b + D - 1, and there are some,
 * since x >= 0. Where an equality is demanded (under and only), its other side is the only one to try. */
#include <stdlib.h>
#include <string.h>

#include "foc_internal.h"

enum {
    TERMS = 48,   /* of a sum */
    BOUNDS = 64,  /* of a quantifier */
    CASES = 512,  /* tried for one */
    NODES = 60000 /* made for one */
};

/* k[0] part[0] + ... + c; parts are counts, and variables of quantifiers. */
typedef struct {
    int n;
    struct {
        const at_formula *part;
        int64_t k;
    } term[TERMS];
    int64_t c;
} linear;

typedef enum { Q_FALSE, Q_TRUE, Q_AND, Q_OR, Q_LESS, Q_ZERO, Q_DIVIDES, Q_NOT_DIVIDES } q_op;
typedef struct q {
    q_op op;
    struct q *a, *b;
    const linear *t;
    int64_t m;
} q;

typedef struct {
    at_formulas *f;
    const at_formula *x; /* the variable, as a part */
    at_arena *arena;
    at_err *err;
    at_status status;
    int nodes;
    int64_t all;    /* the common coefficient */
    int64_t period; /* of its congruences */
    linear bound[BOUNDS];
    int n_bounds;
} worker;

static void refuse(worker *w, const char *what)
{
    if (!w->status)
        w->status = at_fail(w->err, AT_EREFUSED, "this quantifier is not eliminated: %s", what);
}

/* ---- sums ----------------------------------------------------------------------------------------------------------------------- */

static void add(worker *w, linear *t, const at_formula *part, int64_t k)
{
    int i = 0;
    while (i < t->n && t->term[i].part != part)
        i++;
    if (i == TERMS) {
        refuse(w, "a sum of more than 48 counts");
        return;
    }
    if (i == t->n) {
        t->term[t->n].part = part;
        t->term[t->n++].k = 0;
    }
    t->term[i].k += k;
    if (llabs(t->term[i].k) > AT_FORMULA_NUMBER)
        refuse(w, "a coefficient beyond 1000000");
    if (!t->term[i].k)
        t->term[i] = t->term[--t->n];
}

static void add_const(worker *w, linear *t, int64_t k)
{
    t->c += k;
    if (llabs(t->c) > AT_FORMULA_NUMBER)
        refuse(w, "a constant beyond 1000000");
}

static void add_all(worker *w, linear *t, const linear *s, int64_t k)
{
    for (int i = 0; i < s->n && !w->status; i++)
        add(w, t, s->term[i].part, k * s->term[i].k);
    add_const(w, t, k * s->c);
}

static int64_t coefficient(const linear *t, const at_formula *part)
{
    for (int i = 0; i < t->n; i++)
        if (t->term[i].part == part)
            return t->term[i].k;
    return 0;
}

/* t += k v */
static void sum_add(worker *w, linear *t, const at_formula *v, int64_t k)
{
    if (w->status)
        return;
    if (llabs(k) > AT_FORMULA_NUMBER) {
        refuse(w, "a coefficient beyond 1000000");
        return;
    }
    if (v->op == AT_F_NUMBER)
        add_const(w, t, k * v->value);
    else if (v->op == AT_F_ADD || v->op == AT_F_SUB) {
        sum_add(w, t, v->arg[0], k);
        sum_add(w, t, v->arg[1], v->op == AT_F_ADD ? k : -k);
    } else if (v->op == AT_F_TIMES)
        sum_add(w, t, v->arg[0], k * v->value);
    else
        add(w, t, v, k);
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return llabs(a);
}

static int64_t lcm(worker *w, int64_t a, int64_t b)
{
    int64_t m = a / gcd(a, b) * b;
    if (m > 10000)
        refuse(w, "moduli and coefficients with a common multiple beyond 10000");
    return w->status ? 1 : m;
}

static int64_t modulo(int64_t k, int64_t m)
{
    return (k % m + m) % m;
}

/* ---- truths --------------------------------------------------------------------------------------------------------------------- */

static q *node(worker *w, q v)
{
    q *out = w->status ? NULL : at_new(w->arena, q, 1);
    if (!w->status && !out)
        w->status = at_oom(w->err);
    if (++w->nodes > NODES)
        refuse(w, "it takes too many cases");
    if (w->status)
        return NULL;
    *out = v;
    return out;
}

static q *constant(worker *w, bool value)
{
    return node(w, (q){.op = value ? Q_TRUE : Q_FALSE});
}

static q *join(worker *w, q_op op, q *a, q *b)
{
    if (!a || !b)
        return NULL;
    q_op all = op == Q_AND ? Q_TRUE : Q_FALSE, none = op == Q_AND ? Q_FALSE : Q_TRUE;
    if (a->op == none || b->op == all || a == b)
        return a;
    if (b->op == none || a->op == all)
        return b;
    return node(w, (q){.op = op, .a = a, .b = b});
}

/* Counts and variables are never negative, which decides some atoms. */
static q *less_atom(worker *w, linear *t)
{
    int64_t g = 0;
    bool none_up = true, none_down = true;
    for (int i = 0; i < t->n; i++) {
        g = gcd(g, t->term[i].k);
        none_up &= t->term[i].k < 0;
        none_down &= t->term[i].k > 0;
    }
    if (none_up && t->c <= 0)
        return constant(w, true);
    if (none_down && t->c > 0)
        return constant(w, false);
    for (int i = 0; i < t->n && g > 1; i++)
        t->term[i].k /= g;
    if (g > 1) /* upwards: g s + c <= 0 says s <= floor(-c / g) */
        t->c = t->c > 0 ? (t->c + g - 1) / g : -(-t->c / g);
    return node(w, (q){.op = Q_LESS, .t = t});
}

static q *zero_atom(worker *w, linear *t)
{
    int64_t g = 0;
    bool none_up = true, none_down = true;
    for (int i = 0; i < t->n; i++) {
        g = gcd(g, t->term[i].k);
        none_up &= t->term[i].k < 0;
        none_down &= t->term[i].k > 0;
    }
    if (!t->n)
        return constant(w, t->c == 0);
    if (t->c % g || (none_up && t->c < 0) || (none_down && t->c > 0))
        return constant(w, false);
    for (int i = 0; i < t->n; i++)
        t->term[i].k /= g;
    t->c /= g;
    return node(w, (q){.op = Q_ZERO, .t = t});
}

static q *divides_atom(worker *w, linear *t, int64_t m, bool not )
{
    linear *s = at_new(w->arena, linear, 1);
    if (!s) {
        w->status = w->status ? w->status : at_oom(w->err);
        return NULL;
    }
    int64_t g = m;
    for (int i = 0; i < t->n; i++)
        if (modulo(t->term[i].k, m)) {
            s->term[s->n].part = t->term[i].part;
            s->term[s->n++].k = modulo(t->term[i].k, m);
        }
    s->c = modulo(t->c, m);
    if (!s->n)
        return constant(w, (s->c == 0) != not );
    for (int i = 0; i < s->n; i++)
        g = gcd(g, s->term[i].k);
    if (s->c % g)
        return constant(w, not );
    for (int i = 0; i < s->n; i++)
        s->term[i].k /= g;
    s->c /= g;
    return node(w, (q){.op = not ? Q_NOT_DIVIDES : Q_DIVIDES, .t = s, .m = m / g});
}

static linear *sum_of(worker *w, const at_formula *a, const at_formula *b)
{
    linear *t = w->status ? NULL : at_new(w->arena, linear, 1);
    if (!t) {
        w->status = w->status ? w->status : at_oom(w->err);
        return NULL;
    }
    sum_add(w, t, a, 1);
    if (b)
        sum_add(w, t, b, -1);
    return w->status ? NULL : t;
}

/* s <= 0 turned round: -s + 1 <= 0. */
static q *more(worker *w, const linear *s)
{
    linear *t = at_new(w->arena, linear, 1);
    if (!t) {
        w->status = at_oom(w->err);
        return NULL;
    }
    add_all(w, t, s, -1);
    add_const(w, t, 1);
    return w->status ? NULL : less_atom(w, t);
}

static q *q_of(worker *w, const at_formula *v, bool not )
{
    linear *t;
    if (w->status)
        return NULL;
    switch ((int)v->op) {
    case AT_F_CONST:
        return constant(w, (v->value != 0) != not );
    case AT_F_NOT:
        return q_of(w, v->arg[0], !not );
    case AT_F_AND:
    case AT_F_OR: {
        q *a = q_of(w, v->arg[0], not ), *b = q_of(w, v->arg[1], not );
        return join(w, (v->op == AT_F_AND) != not ? Q_AND : Q_OR, a, b);
    }
    case AT_F_LESS:
    case AT_F_LESS_EQUAL:
        t = sum_of(w, v->arg[0], v->arg[1]);
        if (!t)
            return NULL;
        add_const(w, t, v->op == AT_F_LESS);
        return not ? more(w, t) : less_atom(w, t);
    case AT_F_EQUAL:
        t = sum_of(w, v->arg[0], v->arg[1]);
        if (!t)
            return NULL;
        if (not ) {
            linear *turned = sum_of(w, v->arg[1], v->arg[0]);
            return turned ? join(w, Q_OR, more(w, t), more(w, turned)) : NULL;
        }
        return zero_atom(w, t);
    case AT_F_CONGRUENT:
        t = sum_of(w, v->arg[0], NULL);
        if (!t)
            return NULL;
        add_const(w, t, -v->index);
        return divides_atom(w, t, v->modulus, not );
    default:
        refuse(w, "it holds more than comparisons and congruences of counts");
        return NULL;
    }
}

/* ---- the variable --------------------------------------------------------------------------------------------------------------- */

static void coefficients_meet(worker *w, const q *v)
{
    if (!v || w->status)
        return;
    if (v->op == Q_AND || v->op == Q_OR) {
        coefficients_meet(w, v->a);
        coefficients_meet(w, v->b);
    } else if (v->t && coefficient(v->t, w->x))
        w->all = lcm(w, w->all, llabs(coefficient(v->t, w->x)));
}

/* An atom with x as all x, in the scale in which that has coefficient 1 or -1. */
static void scaled(worker *w, const q *v, linear *out, int64_t *m)
{
    int64_t k = llabs(coefficient(v->t, w->x)), by = w->all / k;
    *out = (linear){0};
    add_all(w, out, v->t, by);
    for (int i = 0; i < out->n; i++)
        if (out->term[i].part == w->x)
            out->term[i].k /= w->all;
    *m = v->m * by;
}

/* The lower bounds, and a common multiple of the moduli. */
static void bounds_meet(worker *w, const q *v)
{
    linear t;
    int64_t m;
    if (!v || w->status)
        return;
    if (v->op == Q_AND || v->op == Q_OR) {
        bounds_meet(w, v->a);
        bounds_meet(w, v->b);
        return;
    }
    if (!v->t || !coefficient(v->t, w->x))
        return;
    scaled(w, v, &t, &m);
    if (w->status)
        return;
    if (v->op == Q_DIVIDES || v->op == Q_NOT_DIVIDES) {
        w->period = lcm(w, w->period, m);
        return;
    }
    int64_t sign = coefficient(&t, w->x);
    if (v->op == Q_LESS && sign > 0)
        return;
    if (w->n_bounds == BOUNDS) {
        refuse(w, "more than 64 lower bounds");
        return;
    }
    linear *b = &w->bound[w->n_bounds++];
    *b = (linear){0};
    add(w, &t, w->x, -sign);
    add_all(w, b, &t, -sign); /* x + s = 0 and -x + s <= 0 */
}

/* The other side of an equality that is demanded. */
static bool demanded(worker *w, const q *v, linear *out)
{
    int64_t m;
    if (!v || w->status)
        return false;
    if (v->op == Q_AND)
        return demanded(w, v->a, out) || demanded(w, v->b, out);
    if (v->op != Q_ZERO || !coefficient(v->t, w->x))
        return false;
    linear t;
    scaled(w, v, &t, &m);
    int64_t sign = coefficient(&t, w->x);
    add(w, &t, w->x, -sign);
    *out = (linear){0};
    add_all(w, out, &t, -sign);
    return !w->status;
}

/* v with b for (all x). */
static q *replaced(worker *w, q *v, const linear *b)
{
    if (!v || w->status)
        return NULL;
    if (v->op == Q_AND || v->op == Q_OR)
        return join(w, v->op, replaced(w, v->a, b), replaced(w, v->b, b));
    if (!v->t || !coefficient(v->t, w->x))
        return v;
    int64_t m;
    linear *t = at_new(w->arena, linear, 1);
    if (!t) {
        w->status = at_oom(w->err);
        return NULL;
    }
    scaled(w, v, t, &m);
    int64_t sign = coefficient(t, w->x);
    add(w, t, w->x, -sign);
    add_all(w, t, b, sign);
    if (w->status)
        return NULL;
    return v->op == Q_LESS   ? less_atom(w, t)
           : v->op == Q_ZERO ? zero_atom(w, t)
                             : divides_atom(w, t, m, v->op == Q_NOT_DIVIDES);
}

/* x = b is a whole number that is not negative, and v holds for it. */
static q *tried(worker *w, q *v, const linear *b)
{
    linear *below = at_new(w->arena, linear, 1), *same = at_new(w->arena, linear, 1);
    if (!below || !same) {
        w->status = at_oom(w->err);
        return NULL;
    }
    add_all(w, below, b, -1);
    add_all(w, same, b, 1);
    if (w->status)
        return NULL;
    q *fits = join(w, Q_AND, less_atom(w, below), divides_atom(w, same, w->all, false));
    return join(w, Q_AND, fits, replaced(w, v, b));
}

/* ---- back to formulas ------------------------------------------------------------------------------------------------------------- */

/* The terms of this sign, as a sum. */
static at_formula *side(worker *w, const linear *t, int sign, int64_t c)
{
    at_formula *sum = NULL;
    for (int i = 0; i < t->n; i++) {
        if (sign * t->term[i].k <= 0)
            continue;
        at_formula *part = w->f->parts[t->term[i].part->id];
        int64_t k = sign * t->term[i].k;
        if (k != 1)
            part = at_formula_make(w->f, (at_formula){.op = AT_F_TIMES, .value = k, .arg = {part}});
        sum = sum ? at_formula_two(w->f, AT_F_ADD, sum, part) : part;
    }
    if (!sum)
        return at_formula_number(w->f, c);
    return c ? at_formula_two(w->f, AT_F_ADD, sum, at_formula_number(w->f, c)) : sum;
}

static at_formula *formula_of(worker *w, const q *v)
{
    at_formulas *f = w->f;
    if (!v || w->status)
        return NULL;
    at_formula *a, *b;
    switch (v->op) {
    case Q_FALSE:
    case Q_TRUE:
        return at_formula_const(f, v->op == Q_TRUE);
    case Q_AND:
    case Q_OR:
        a = formula_of(w, v->a);
        b = formula_of(w, v->b);
        return at_formula_two(f, v->op == Q_AND ? AT_F_AND : AT_F_OR, a, b);
    case Q_LESS:
    case Q_ZERO:
        a = side(w, v->t, 1, v->t->c > 0 ? v->t->c : 0);
        b = side(w, v->t, -1, v->t->c < 0 ? -v->t->c : 0);
        return at_formula_two(f, v->op == Q_LESS ? AT_F_LESS_EQUAL : AT_F_EQUAL, a, b);
    case Q_DIVIDES:
    case Q_NOT_DIVIDES:
        a = side(w, v->t, 1, 0);
        a = at_formula_make(f, (at_formula){.op = AT_F_CONGRUENT,
                                            .index = (int)modulo(-v->t->c, v->m),
                                            .modulus = (int)v->m,
                                            .arg = {a}});
        return v->op == Q_DIVIDES ? a : at_formula_one(f, AT_F_NOT, a);
    }
    return NULL;
}

at_formula *foc_eliminate(at_formulas *f, at_formula *v, int name, at_arena *a, at_err *err)
{
    worker w = {.f = f, .arena = a, .err = err, .all = 1, .period = 1};
    linear only;
    w.x = at_formula_make(f, (at_formula){.op = AT_F_NAME, .index = name});
    if (!w.x)
        return NULL;
    q *t = q_of(&w, v, false), *any = constant(&w, false);
    coefficients_meet(&w, t);
    if (demanded(&w, t, &only))
        any = tried(&w, t, &only);
    else {
        w.period = w.all;
        w.n_bounds = 1; /* 0 <= x */
        bounds_meet(&w, t);
        if (!w.status && (int64_t)w.n_bounds * w.period > CASES)
            refuse(&w, "more than 512 cases");
        for (int k = 0; k < w.n_bounds && !w.status; k++)
            for (int64_t j = 0; j < w.period && !w.status; j++) {
                linear b = w.bound[k];
                add_const(&w, &b, j);
                any = join(&w, Q_OR, any, tried(&w, t, &b));
            }
    }
    return formula_of(&w, any);
}
