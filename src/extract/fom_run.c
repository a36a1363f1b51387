/* fom_run.c: does a sentence of FOM[BIT] hold of a word?
 *
 * By what the quantifiers say, with two short cuts. Some variables of a formula may not be known yet: then it is true, false or not known, and what is
 * true already is not looked into (the leading digits of a number often decide). And tuples are counted, not listed, where that is plain: a part
 * that only some of the variables are in is counted apart and multiplied, parts of which no two hold at once are added, and below a known
 * number there are as many numbers as it says. Counts are ranges while variables outside are not known. */
#include "fom.h"

#include <string.h>

enum { MEMOS = 1 << 13, ARGS = 8, LIST = 160 };
static const uint64_t STEPS = (uint64_t)1 << 34;

typedef struct {
    bool used;
    at_tri is;
    int n, x[ARGS];
    char name[40];
} memo;

struct at_fom_runner {
    const int *word;
    int n, value[FOM_VARIABLES];              /* -1: not known */
    fom_set known, powers[FOM_VARIABLES + 1]; /* n^k, or 0 where that is too large */
    uint64_t steps;
    at_err *err;
    memo memos[MEMOS];
};

typedef struct {
    fom_set lo, hi;
} range;

static at_tri eval(at_fom_runner *r, const fom_node *f);

static void assign(at_fom_runner *r, int x, int value)
{
    fom_set bit = (fom_set)1 << x;
    r->value[x] = value;
    r->known = value < 0 ? r->known & ~bit : r->known | bit;
}

/* n^k */
static fom_set power(const at_fom_runner *r, int k)
{
    if (!r->powers[k])
        at_fail(r->err, AT_EBUDGET, "words of %d letters have more tuples of %d than are counted", r->n, k);
    return r->powers[k];
}

static int members(fom_set s)
{
    return __builtin_popcountll((uint64_t)s) + __builtin_popcountll((uint64_t)(s >> 64));
}

static int first(fom_set s)
{
    return (uint64_t)s ? __builtin_ctzll((uint64_t)s) : 64 + __builtin_ctzll((uint64_t)(s >> 64));
}

/* Where digits are not known: the least and the largest number. */
static range number(const at_fom_runner *r, const int *x, int k)
{
    range v = {0, 0};
    fom_set n = (fom_set)r->n;
    for (int i = 0; i < k; i++) {
        int d = r->value[x[i]];
        v.lo = v.lo * n + (fom_set)(d < 0 ? 0 : d);
        v.hi = v.hi * n + (fom_set)(d < 0 ? r->n - 1 : d);
    }
    return v;
}

/* ---- counts ---------------------------------------------------------------------------------------------------------------------- */

static range product(range a, range b)
{
    return (range){a.lo * b.lo, a.hi * b.hi};
}

static range list_count(at_fom_runner *r, const fom_node **f, int n, fom_set v);

/* A number against tuples that run over all numbers. *out: how many. */
static bool less_count(const at_fom_runner *r, const fom_node *f, fom_set v, range *out)
{
    if (f->of_x == v && f->x_differ && !(f->of_y & v)) {
        *out = number(r, f->y, f->k);
        return true;
    }
    if (f->of_y == v && f->y_differ && !(f->of_x & v)) {
        range c = number(r, f->x, f->k);
        fom_set all = power(r, f->k);
        *out = (range){all - 1 - c.hi, all - 1 - c.lo};
        return true;
    }
    return false;
}

/* How many settings of the variables v satisfy f. */
static range node_count(at_fom_runner *r, const fom_node *f, fom_set v)
{
    fom_set mine = f->free & v;
    range c = {0, 0};
    if (!mine) {
        at_tri t = eval(r, f);
        c = (range){t == AT_TRUE, t != AT_FALSE};
    } else if (f->op == FOM_NOT) {
        fom_set all = power(r, members(mine));
        c = node_count(r, f->arg[0], mine);
        c = (range){all - c.hi, all - c.lo};
    } else if (f->op == FOM_OR && f->apart) {
        for (int i = 0; i < f->n; i++) {
            range p = node_count(r, f->arg[i], mine);
            c = (range){c.lo + p.lo, c.hi + p.hi};
        }
    } else if (f->op == FOM_AND) {
        c = list_count(r, f->arg, f->n, mine);
    } else if (f->op != FOM_LESS || !less_count(r, f, mine, &c)) {
        c = list_count(r, &f, 1, mine);
    }
    if (mine == v || !c.hi)
        return c;
    fom_set rest = power(r, members(v) - members(mine));
    return product(c, (range){rest, rest});
}

/* All of f (n) hold together and hang together: setting after setting of the first variable. */
static range list_try(at_fom_runner *r, const fom_node **f, int n, fom_set v)
{
    int x = first(v);
    fom_set less = v & ~((fom_set)1 << x);
    range sum = {0, 0};
    for (int d = 0; d < r->n && !r->err->code; d++) {
        const fom_node *open[LIST];
        int m = 0;
        bool may = true;
        assign(r, x, d);
        for (int i = 0; i < n && may; i++) {
            at_tri t = eval(r, f[i]);
            may = t != AT_FALSE;
            if (t == AT_UNKNOWN)
                open[m++] = f[i];
        }
        if (may) {
            range c = list_count(r, open, m, less);
            sum = (range){sum.lo + c.lo, sum.hi + c.hi};
        }
    }
    assign(r, x, -1);
    return sum;
}

/* Counted without a look at settings one by one; false: it cannot be. */
static bool plain_count(at_fom_runner *r, const fom_node *f, fom_set v, range *out)
{
    if (f->op == FOM_LESS)
        return less_count(r, f, v, out);
    if (f->op != FOM_NOT && f->op != FOM_AND && !(f->op == FOM_OR && f->apart))
        return false;
    *out = node_count(r, f, v);
    return true;
}

/* Settings of v that satisfy all of f (n): what has no variable in common is counted apart. */
static range list_count(at_fom_runner *r, const fom_node **f, int n, fom_set v)
{
    range c = {1, 1};
    const fom_node *open[LIST], *together[LIST];
    fom_set left = v, seen = 0, often = 0;
    int m = 0;
    for (int i = 0; i < n; i++) {
        often |= seen & f[i]->free;
        seen |= f[i]->free;
    }
    for (int i = 0; i < n && c.hi; i++) {
        fom_set mine = f[i]->free & v;
        range p = {0, 0};
        if (!mine) {
            at_tri t = eval(r, f[i]);
            c = product(c, (range){t == AT_TRUE, t != AT_FALSE});
        } else if (!(mine & often) && plain_count(r, f[i], mine, &p)) { /* it alone speaks of these */
            left &= ~mine;
            c = product(c, p);
        } else {
            open[m++] = f[i];
        }
    }
    while (m && c.hi) {
        fom_set part = open[0]->free & v;
        int k = 0, rest = 0;
        for (bool grown = true; grown;) {
            grown = false;
            for (int i = 0; i < m; i++) {
                fom_set s = open[i]->free & v;
                if (s & part && s & ~part) {
                    part |= s;
                    grown = true;
                }
            }
        }
        for (int i = 0; i < m; i++)
            if (open[i]->free & part)
                together[k++] = open[i];
            else
                open[rest++] = open[i];
        m = rest;
        left &= ~part;
        range p = {0, 0};
        if (k != 1 || !plain_count(r, together[0], part, &p))
            p = list_try(r, together, k, part);
        c = product(c, p);
    }
    if (!left || !c.hi)
        return c;
    fom_set free = power(r, members(left));
    return product(c, (range){free, free});
}

/* ---- truth ------------------------------------------------------------------------------------------------------------------------ */

static at_tri exists(at_fom_runner *r, const fom_node *f, int i)
{
    at_tri any = AT_FALSE;
    if (i == f->k)
        return eval(r, f->arg[0]);
    for (int d = 0; d < r->n && any != AT_TRUE && !r->err->code; d++) {
        assign(r, f->x[i], d);
        at_tri t = eval(r, f->arg[0]);
        if (t == AT_UNKNOWN && i + 1 < f->k)
            t = exists(r, f, i + 1);
        any = t == AT_FALSE ? any : t;
    }
    assign(r, f->x[i], -1);
    return any;
}

static at_tri more(at_fom_runner *r, const fom_node *f)
{
    fom_set v = 0;
    for (int i = 0; i < f->k; i++)
        v |= (fom_set)1 << f->x[i];
    range a = node_count(r, f->arg[0], v), b = node_count(r, f->arg[1], v);
    return a.lo > b.hi ? AT_TRUE : a.hi <= b.lo ? AT_FALSE : AT_UNKNOWN;
}

/* Where the answer to a name of these numbers is kept, and whether it is there. */
static memo *memo_find(at_fom_runner *r, const fom_node *f, bool *found)
{
    memo key = {.n = r->n};
    strncpy(key.name, f->name, sizeof key.name - 1);
    for (int i = 0; i < f->k; i++)
        key.x[i] = r->value[f->x[i]];
    uint64_t at = at_hash64(key.x, sizeof key.x, at_hash64(key.name, sizeof key.name, (uint64_t)r->n));
    memo *m = &r->memos[at % MEMOS];
    *found = m->used && m->n == key.n && !memcmp(m->x, key.x, sizeof key.x) && !strcmp(m->name, key.name);
    if (!*found)
        *m = key;
    return m;
}

static at_tri named(at_fom_runner *r, const fom_node *f)
{
    bool found = false;
    if (f->free & ~r->known)
        return AT_UNKNOWN;
    if (at_cancel_pending()) {
        at_fail(r->err, AT_ECANCEL, "interrupted");
        return AT_UNKNOWN;
    }
    if (!f->name)
        return eval(r, f->arg[0]);
    memo *m = memo_find(r, f, &found);
    if (found)
        return m->is;
    memo key = *m;
    at_tri t = eval(r, f->arg[0]); /* may use the same place */
    if (!r->err->code) {
        *m = key;
        m->is = t;
        m->used = true;
    }
    return t;
}

static at_tri eval(at_fom_runner *r, const fom_node *f)
{
    at_tri t;
    if (++r->steps > STEPS)
        at_fail(r->err, AT_EBUDGET, "a sentence took more than %ju steps at %d letters", (uintmax_t)STEPS,
                r->n);
    if (r->err->code)
        return AT_UNKNOWN;
    switch (f->op) {
    case FOM_TRUE:
        return AT_TRUE;
    case FOM_LETTER:
        return r->value[f->x[0]] < 0 ? AT_UNKNOWN : r->word[r->value[f->x[0]]] == f->k ? AT_TRUE : AT_FALSE;
    case FOM_BIT:
        if (r->value[f->x[0]] < 0 || r->value[f->y[0]] < 0)
            return AT_UNKNOWN;
        return r->value[f->y[0]] < 31 && r->value[f->x[0]] >> r->value[f->y[0]] & 1 ? AT_TRUE : AT_FALSE;
    case FOM_LESS: {
        range x = number(r, f->x, f->k), y = number(r, f->y, f->k);
        return x.hi < y.lo ? AT_TRUE : x.lo >= y.hi ? AT_FALSE : AT_UNKNOWN;
    }
    case FOM_NOT:
        t = eval(r, f->arg[0]);
        return t == AT_UNKNOWN ? t : t == AT_TRUE ? AT_FALSE : AT_TRUE;
    case FOM_AND:
        t = AT_TRUE;
        for (int i = 0; i < f->n && t != AT_FALSE; i++)
            t = at_tri_and(t, eval(r, f->arg[i]));
        return t;
    case FOM_OR:
        t = AT_FALSE;
        for (int i = 0; i < f->n && t != AT_TRUE; i++) {
            at_tri one = eval(r, f->arg[i]);
            t = one == AT_FALSE ? t : one;
        }
        return t;
    case FOM_EXISTS:
        return exists(r, f, 0);
    case FOM_MORE:
        return more(r, f);
    case FOM_NAMED:
        return named(r, f);
    }
    return AT_UNKNOWN;
}

at_status at_fom_runner_new(at_fom_runner **out, at_err *err)
{
    *out = at_calloc(1, sizeof **out);
    return *out ? AT_OK : at_oom(err);
}

void at_fom_runner_free(at_fom_runner *r)
{
    at_free(r);
}

at_status at_fom_holds(at_fom_runner *r, const at_fom *f, const int *word, int n, bool *out, at_err *err)
{
    at_err own = {0};
    r->word = word;
    r->n = n;
    r->known = 0;
    r->steps = 0;
    r->err = &own;
    for (int i = 0; i < FOM_VARIABLES; i++)
        r->value[i] = -1;
    r->powers[0] = 1;
    for (int i = 1; i <= FOM_VARIABLES; i++)
        r->powers[i] = r->powers[i - 1] > ~(fom_set)0 / (fom_set)(n + 1) ? 0 : r->powers[i - 1] * (fom_set)n;
    at_tri t = eval(r, f->root);
    if (own.code)
        return at_fail(err, own.code, "%s", own.text);
    *out = t == AT_TRUE;
    return t != AT_UNKNOWN
               ? AT_OK
               : at_fail(err, AT_EREFUSED, "a sentence is not decided; this is a fault of attest");
}
