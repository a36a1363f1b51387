/* truths.c: what a counting program says at a position, as nodes over the state before it (system.c has the whole).
 *
 * A truth at a position is worked out for each letter that may stand there, from the state before it:
 *
 *     #[j <= i] f     c + [f here]       c: how often f held before
 *     #[j < i] f      c
 *     Y f, Z f        a bit: f at the position before; it begins as false, of Z as true
 *     O f, H f        #[f] >= 1, #[!f] = 0, so that both ways of writing them are one
 *     f S g           a bit: g | f & the bit
 *     i mod m = r     an automaton that counts positions
 *
 * Where it is read, #[1] f is #[j <= i] f: nothing stands behind. A number is a list of pieces, a truth and a linear form each; exactly
 * one truth holds. Comparisons multiply pieces out, and take [f here] apart by cases, so that forms speak of old counts alone. */
#include "prove_internal.h"

#include <stdlib.h>
#include <string.h>

enum { PIECES = 64, TERMS = 48, HERE = 8 };

/* var >= 0 is a count, var < 0 the truth of node ~var at this letter, 0 or 1. */
typedef struct {
    int n, *var;
    int64_t *coef, k;
} linear;
typedef struct {
    int guard;
    linear l;
} piece;
typedef struct {
    int n;
    piece *at;
} number;

/* One program. */
typedef struct {
    prove_system *s;
    const at_formulas *f;
    const int *letter; /* (S): what our letters are called there */
    int *truth; /* (2, parts, S + 1): node + 1, 0 where it is not known yet; [1]: where the word is read */
} maker;

static int truth_at(maker *m, const at_formula *x, int letter, bool top);
static number number_at(maker *m, const at_formula *x, int letter, bool top);

static int refuse(maker *m, const char *what)
{
    if (!m->s->err.code)
        at_fail(&m->s->err, AT_EREFUSED,
                "%s: proofs are for programs that count and remember what stands before; see docs/prove.md",
                what);
    return 0;
}

/* ---- counts, bits and automata -------------------------------------------------------------------------------------------------- */

/* The truth of x at every letter, or of its negation. */
static int *row_of(maker *m, const at_formula *x, bool negated)
{
    prove_system *s = m->s;
    int *row = prove_keep(s, (size_t)s->S, sizeof *row);
    for (int a = 0; row && a < s->S; a++) {
        int v = truth_at(m, x, a, false);
        row[a] = negated ? prove_not(s, v) : v;
    }
    return row;
}

/* -1: never one more, or a failure. */
static int count_of(maker *m, const at_formula *x, bool negated)
{
    prove_system *s = m->s;
    int *row = row_of(m, x, negated), some = 0;
    for (int a = 0; row && a < s->S; a++)
        some |= row[a];
    if (!row || !some)
        return -1;
    for (int k = 0; k < s->counts.n; k++)
        if (!memcmp(s->counts.at[k].by, row, (size_t)s->S * sizeof *row))
            return k;
    if (s->counts.n == AT_PROVE_COUNTS) {
        at_fail(&s->err, AT_EBUDGET, "more than %d different counts", AT_PROVE_COUNTS);
        return -1;
    }
    prove_count *c = prove_push(s, &s->counts);
    if (!c)
        return -1;
    *c = (prove_count){.by = row, .f = m->f, .of = x, .negated = negated};
    return s->counts.n - 1;
}

/* Bits by what they are made of: next of the rows, and the bit itself where there are two (since). */
static int bit_of(maker *m, const at_formula *x, const at_formula *with, bool initial)
{
    prove_system *s = m->s;
    size_t n = (size_t)s->S;
    int *key = prove_keep(s, 2 * n, sizeof *key), *next = prove_keep(s, n, sizeof *next);
    int *one = row_of(m, x, false), *two = with ? row_of(m, with, false) : NULL;
    if (!key || !next || !one || (with && !two))
        return 0;
    for (size_t a = 0; a < n; a++) {
        key[a] = one[a];
        key[n + a] = with ? two[a] : -1;
    }
    for (int k = 0; k < s->bits.n; k++)
        if (s->bits.at[k].initial == initial && !memcmp(s->bits.at[k].key, key, 2 * n * sizeof *key))
            return prove_bit_node(s, k);
    prove_bit *b = prove_push(s, &s->bits);
    if (!b)
        return 0;
    *b = (prove_bit){.initial = initial, .next = next, .f = m->f, .of = x, .with = with, .key = key};
    int self = prove_bit_node(s, s->bits.n - 1);
    for (size_t a = 0; a < n; a++)
        next[a] = with ? prove_or(s, two[a], prove_and(s, one[a], self)) : one[a];
    return self;
}

/* Positions modulo m, of which `states` are over. */
static int ring_of(maker *m, int modulus)
{
    prove_system *s = m->s;
    for (int k = 0; k < s->parts.n; k++)
        if (s->parts.at[k].f && s->parts.at[k].states == modulus)
            return k;
    if (modulus > 4096)
        return refuse(m, "a modulus above 4096"), -1;
    int *to = prove_keep(s, (size_t)modulus * (size_t)s->S, sizeof *to);
    for (int q = 0; to && q < modulus; q++)
        for (int a = 0; a < s->S; a++)
            to[q * s->S + a] = (q + 1) % modulus;
    return to ? prove_part_add(s, (prove_part){.states = modulus, .to = to, .f = m->f}) : -1;
}

static int class_at(maker *m, const at_formula *x, int letter)
{
    prove_system *s = m->s;
    if (letter == s->S)
        return 0;
    int ring = ring_of(m, x->modulus);
    bool *in = ring < 0 ? NULL : prove_keep(s, (size_t)x->modulus, sizeof *in);
    if (!in)
        return 0;
    in[(x->index + x->modulus - 1) % x->modulus] = true;
    return prove_in(s, ring, in);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------------------------- */

static linear linear_new(prove_system *s, int n)
{
    return (linear){0, prove_keep(s, (size_t)n, sizeof(int)), prove_keep(s, (size_t)n, sizeof(int64_t)), 0};
}

static void term_add(prove_system *s, linear *l, int var, int64_t coef, int room)
{
    if (s->err.code)
        return;
    if (var < 0 && ~var <= 1) { /* a truth that is known */
        l->k += ~var ? coef : 0;
        return;
    }
    for (int i = 0; i < l->n; i++)
        if (l->var[i] == var) {
            l->coef[i] += coef;
            return;
        }
    if (l->n == room) {
        at_fail(&s->err, AT_EBUDGET, "a sum of more than %d different counts", TERMS);
        return;
    }
    l->var[l->n] = var;
    l->coef[l->n++] = coef;
}

/* x + by y */
static linear linear_add(prove_system *s, const linear *x, const linear *y, int64_t by)
{
    int room = x->n + y->n < TERMS ? x->n + y->n : TERMS;
    linear out = linear_new(s, room);
    if (s->err.code)
        return out;
    out.k = x->k + by * y->k;
    for (int i = 0; i < x->n; i++)
        term_add(s, &out, x->var[i], x->coef[i], room);
    for (int i = 0; i < y->n; i++)
        term_add(s, &out, y->var[i], by * y->coef[i], room);
    return out;
}

static number number_new(prove_system *s, int n)
{
    if (n > PIECES && !s->err.code)
        at_fail(&s->err, AT_EBUDGET, "more than %d cases of one number (if, min, max)", PIECES);
    return (number){0, prove_keep(s, (size_t)n, sizeof(piece))};
}

static number number_one(prove_system *s, linear l)
{
    number out = number_new(s, 1);
    if (out.at)
        out.at[out.n++] = (piece){1, l};
    return out;
}

static void piece_add(number *x, int guard, linear l)
{
    if (guard)
        x->at[x->n++] = (piece){guard, l};
}

static number sum_of(prove_system *s, const number *x, const number *y, int64_t by)
{
    number out = number_new(s, x->n * y->n);
    for (int i = 0; i < x->n && !s->err.code; i++)
        for (int j = 0; j < y->n && !s->err.code; j++)
            piece_add(&out, prove_and(s, x->at[i].guard, y->at[j].guard),
                      linear_add(s, &x->at[i].l, &y->at[j].l, by));
    return out;
}

/* l <= 0, where [f here] is taken apart by cases. */
static int linear_at_most(prove_system *s, const linear *l)
{
    int here = 0, var = 0;
    for (int i = 0; i < l->n; i++)
        if (l->var[i] < 0 && l->coef[i]) {
            here++;
            var = l->var[i];
        }
    if (here > HERE)
        at_fail(&s->err, AT_EBUDGET, "more than %d truths of one position in one sum", HERE);
    int *count = prove_keep(s, (size_t)l->n, sizeof *count);
    int64_t *coef = prove_keep(s, (size_t)l->n, sizeof *coef);
    if (!count || !coef)
        return 0;
    if (!here) {
        int n = 0;
        for (int i = 0; i < l->n; i++)
            if (l->var[i] >= 0) {
                count[n] = l->var[i];
                coef[n++] = l->coef[i];
            }
        return prove_at_most(s, n, count, coef, l->k);
    }
    linear rest = {0, count, coef, l->k};
    int64_t more = 0;
    for (int i = 0; i < l->n; i++)
        if (l->var[i] == var)
            more = l->coef[i];
        else {
            count[rest.n] = l->var[i];
            coef[rest.n++] = l->coef[i];
        }
    int no = linear_at_most(s, &rest);
    rest.k += more;
    int yes = linear_at_most(s, &rest);
    return prove_or(s, prove_and(s, ~var, yes), prove_and(s, prove_not(s, ~var), no));
}

/* x - y + more <= 0 */
static int number_at_most(prove_system *s, const number *x, const number *y, int64_t more)
{
    number d = sum_of(s, x, y, -1);
    int out = 0;
    for (int i = 0; i < d.n && !s->err.code; i++) {
        d.at[i].l.k += more;
        out = prove_or(s, out, prove_and(s, d.at[i].guard, linear_at_most(s, &d.at[i].l)));
    }
    return out;
}

/* How often x, or its negation, holds before this position, or up to it. */
static linear count_linear(maker *m, const at_formula *x, bool negated, int letter, bool upto)
{
    prove_system *s = m->s;
    int c = count_of(m, x, negated);
    linear l = linear_new(s, 2);
    if (c < 0 || s->err.code)
        return l;
    term_add(s, &l, c, 1, 2);
    if (upto && letter < s->S)
        term_add(s, &l, ~s->counts.at[c].by[letter], 1, 2);
    return l;
}

static number count_at(maker *m, const at_formula *x, int letter, bool top)
{
    prove_system *s = m->s;
    linear l = linear_new(s, 1);
    switch (x->see) {
    case AT_SEE_BEFORE:
        return number_one(s, count_linear(m, x->arg[0], false, letter, false));
    case AT_SEE_UPTO:
        return number_one(s, count_linear(m, x->arg[0], false, letter, true));
    case AT_SEE_ALL:
        if (top)
            return number_one(s, count_linear(m, x->arg[0], false, letter, true));
        break;
    case AT_SEE_FROM:
        if (top) {
            if (letter < s->S)
                term_add(s, &l, ~truth_at(m, x->arg[0], letter, true), 1, 1);
            return number_one(s, l);
        }
        break;
    case AT_SEE_AFTER:
        if (top)
            return number_one(s, l);
        break;
    case AT_SEES:
        break;
    }
    refuse(m, "a count of what stands behind");
    return number_one(s, l);
}

static number number_at(maker *m, const at_formula *x, int letter, bool top)
{
    prove_system *s = m->s;
    number none = {0}, a, b, out;
    int guard;
    linear l = linear_new(s, 1);
    if (s->err.code)
        return none;
    switch ((int)x->op) {
    case AT_F_NAME:
        return number_at(m, m->f->names[x->index].body, letter, top);
    case AT_F_NUMBER:
        l.k = x->value;
        return number_one(s, l);
    case AT_F_COUNT:
        return count_at(m, x, letter, top);
    case AT_F_ADD:
    case AT_F_SUB:
        a = number_at(m, x->arg[0], letter, top);
        b = number_at(m, x->arg[1], letter, top);
        return s->err.code ? none : sum_of(s, &a, &b, x->op == AT_F_ADD ? 1 : -1);
    case AT_F_TIMES:
        a = number_at(m, x->arg[0], letter, top);
        b = number_one(s, l);
        return s->err.code ? none : sum_of(s, &b, &a, x->value);
    case AT_F_IF:
        guard = truth_at(m, x->arg[0], letter, top);
        a = number_at(m, x->arg[1], letter, top);
        b = number_at(m, x->arg[2], letter, top);
        break;
    case AT_F_MIN:
    case AT_F_MAX:
        a = number_at(m, x->arg[0], letter, top);
        b = number_at(m, x->arg[1], letter, top);
        guard = s->err.code ? 0 : number_at_most(s, &a, &b, 0);
        guard = x->op == AT_F_MIN ? guard : prove_not(s, guard);
        break;
    default:
        refuse(m, "a number of another kind");
        return none;
    }
    /* a where the guard holds, else b */
    if (s->err.code)
        return none;
    if (guard && a.n == 1 && b.n == 1 && !a.at[0].l.n && !b.at[0].l.n) { /* two constants: one piece */
        linear both = linear_new(s, 1);
        both.k = b.at[0].l.k;
        term_add(s, &both, ~guard, a.at[0].l.k - b.at[0].l.k, 1);
        return number_one(s, both);
    }
    out = number_new(s, a.n + b.n);
    for (int i = 0; i < a.n && !s->err.code; i++)
        piece_add(&out, prove_and(s, guard, a.at[i].guard), a.at[i].l);
    for (int i = 0; i < b.n && !s->err.code; i++)
        piece_add(&out, prove_and(s, prove_not(s, guard), b.at[i].guard), b.at[i].l);
    return out;
}

/* ---- truths ----------------------------------------------------------------------------------------------------------------------- */

/* x, or its negation, held once: #[x] >= 1. At the end the operator looks there, too, where it is not strict. */
static int once_at(maker *m, const at_formula *x, bool negated, int letter)
{
    prove_system *s = m->s;
    bool now = !m->f->strict;
    linear l = count_linear(m, x, negated, letter, now);
    if (s->err.code)
        return 0;
    for (int i = 0; i < l.n; i++)
        l.coef[i] = -l.coef[i];
    l.k = 1 - l.k;
    int out = linear_at_most(s, &l);
    if (now && letter == s->S) {
        int here = truth_at(m, x, letter, false);
        out = prove_or(s, out, negated ? prove_not(s, here) : here);
    }
    return out;
}

static int since_at(maker *m, const at_formula *x, int letter)
{
    prove_system *s = m->s;
    int bit = bit_of(m, x->arg[0], x->arg[1], false);
    if (m->f->strict)
        return bit;
    return prove_or(s, truth_at(m, x->arg[1], letter, false),
                    prove_and(s, truth_at(m, x->arg[0], letter, false), bit));
}

static int compare_at(maker *m, const at_formula *x, int letter, bool top)
{
    prove_system *s = m->s;
    number a = number_at(m, x->arg[0], letter, top), b = number_at(m, x->arg[1], letter, top);
    if (s->err.code)
        return 0;
    if (x->op != AT_F_EQUAL)
        return number_at_most(s, &a, &b, x->op == AT_F_LESS);
    int le = number_at_most(s, &a, &b, 0);
    return prove_and(s, le, number_at_most(s, &b, &a, 0));
}

static int truth_make(maker *m, const at_formula *x, int letter, bool top)
{
    prove_system *s = m->s;
    int a, b;
    switch (x->op) {
    case AT_F_CONST:
        return x->value != 0;
    case AT_F_LETTER:
        return letter < s->S && x->index == m->letter[letter];
    case AT_F_CLASS:
        return class_at(m, x, letter);
    case AT_F_NAME:
        return truth_at(m, m->f->names[x->index].body, letter, top);
    case AT_F_NOT:
        return prove_not(s, truth_at(m, x->arg[0], letter, top));
    case AT_F_AND:
    case AT_F_OR:
    case AT_F_IMPLIES:
    case AT_F_IFF:
        a = truth_at(m, x->arg[0], letter, top);
        b = truth_at(m, x->arg[1], letter, top);
        return x->op == AT_F_AND  ? prove_and(s, a, b)
               : x->op == AT_F_OR ? prove_or(s, a, b)
               : x->op == AT_F_IMPLIES
                   ? prove_or(s, prove_not(s, a), b)
                   : prove_or(s, prove_and(s, a, b), prove_and(s, prove_not(s, a), prove_not(s, b)));
    case AT_F_PREVIOUS:
        return bit_of(m, x->arg[0], NULL, false);
    case AT_F_WEAK_PREVIOUS:
        return bit_of(m, x->arg[0], NULL, true);
    case AT_F_ONCE:
        return once_at(m, x->arg[0], false, letter);
    case AT_F_HENCE:
        return prove_not(s, once_at(m, x->arg[0], true, letter));
    case AT_F_SINCE:
        return since_at(m, x, letter);
    case AT_F_LESS:
    case AT_F_LESS_EQUAL:
    case AT_F_EQUAL:
        return compare_at(m, x, letter, top);
    case AT_F_SET:
        return refuse(m, "a set of positions");
    case AT_F_CONGRUENT:
        return refuse(m, "a congruence of counts");
    case AT_F_FIND:
        return refuse(m, "a search of B-RASP");
    case AT_F_NEXT:
    case AT_F_WEAK_NEXT:
    case AT_F_EVENTUALLY:
    case AT_F_ALWAYS:
    case AT_F_UNTIL:
    case AT_F_WEAK_UNTIL:
    case AT_F_RELEASE:
        return refuse(m, "an operator that looks ahead");
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
    return refuse(m, "a number where a truth is wanted");
}

static int truth_at(maker *m, const at_formula *x, int letter, bool top)
{
    if (m->s->err.code)
        return 0;
    int *kept = &m->truth[((top ? m->f->n_parts : 0) + x->id) * (m->s->S + 1) + letter];
    if (!*kept) {
        int v = truth_make(m, x, letter, top);
        *kept = v + 1;
    }
    return *kept - 1;
}

/* ---- both sides ------------------------------------------------------------------------------------------------------------------- */
/* What a program says: (S + 1) nodes. Where the question is asked at the end and it is read at the last letter, it is remembered. */
at_status prove_program_make(prove_system *s, const at_formulas *f, const int *letter, int *out)
{
    if (f->at != AT_AT_LAST && f->at != AT_AT_END)
        return at_fail(&s->err, AT_EREFUSED, "a program that is read at the %s of the word; last and end are",
                       at_read_at_names[f->at]);
    maker m = {s, f, letter, prove_keep(s, 2 * (size_t)f->n_parts * (size_t)(s->S + 1), sizeof(int))};
    if (!m.truth)
        return s->err.code;
    if (!s->at_end)
        for (int a = 0; a < s->S; a++)
            out[a] = truth_at(&m, f->accept, a, true);
    else if (f->at == AT_AT_END)
        out[s->S] = truth_at(&m, f->accept, s->S, true);
    else {
        int *next = prove_keep(s, (size_t)s->S, sizeof *next),
            *key = prove_keep(s, 2 * (size_t)s->S, sizeof *key);
        for (int a = 0; next && a < s->S; a++)
            next[a] = truth_at(&m, f->accept, a, true);
        prove_bit *b = next && key ? prove_push(s, &s->bits) : NULL;
        if (!b)
            return s->err.code;
        memset(key, -1, 2 * (size_t)s->S * sizeof *key);
        *b = (prove_bit){.next = next, .f = f, .of = f->accept, .key = key};
        out[s->S] = prove_bit_node(s, s->bits.n - 1);
    }
    return s->err.code;
}
