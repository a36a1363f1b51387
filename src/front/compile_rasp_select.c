/* compile_rasp_select.c: selectors of RASP as scores.
 *
 * A selector is a sum of products of query and key variables, by one of three ways to read it (compile_rasp.h), and a mask:
 *
 *     strings, truths, constants        TABLE: one-hot products
 *     k == q, integers                  ZERO:  k - q
 *     k < q                             LESS:  k - q + 1; where both are indices, a mask
 *     the same of means                 ZERO and LESS: (k - q) / step, step how near to each other two can be
 *     ZERO and ZERO                     ZERO:  B a + b, B > |b|
 *     ZERO and TABLE                    ZERO:  a + B (1 - t), B > |a|
 *     LESS and TABLE, LESS or TABLE     LESS:  a + (1 - lo) (1 - t);  a - hi t
 *     not LESS                          LESS:  1 - a
 *     k < q, or k == q and LESS         LESS:  B (k - q) + b: the order of a dictionary, which sorting needs
 *     ZERO or TABLE of the key alone    ZERO:  a with its key parts set to 0 where t is 1
 *
 * The rest becomes a TABLE with a class for each value of the query: possible for finite ranges, but its size grows with them. */
#include <math.h>

#include "compile_rasp.h"

static double lo_of(const rasp_maker *m, at_var v)
{
    return v < 0 ? 0 : at_program_var(m->P, v).lo;
}

static double hi_of(const rasp_maker *m, at_var v)
{
    return v < 0 ? 0 : at_program_var(m->P, v).hi;
}

static at_status form_new(rasp_maker *m, rasp_way way, int n, rasp_form **out)
{
    rasp_form *f = *out = at_new(m->a, rasp_form, 1);
    if (!f)
        return at_oom(m->err);
    *f = (rasp_form){.way = way,
                     .times = 1,
                     .q = at_new(m->a, at_var, n + 1),
                     .k = at_new(m->a, at_var, n + 1),
                     .side = RASP_ANYWHERE};
    return f->q && f->k ? AT_OK : at_oom(m->err);
}

static void part_add(rasp_form *f, at_var q, at_var k)
{
    f->q[f->n] = q;
    f->k[f->n++] = k;
}

static bool is_zero(const rasp_maker *m, at_var v)
{
    return lo_of(m, v) == 0 && hi_of(m, v) == 0;
}

/* A table of the key alone, or of nothing. */
static at_status key_table(rasp_maker *m, at_var k, rasp_form **out)
{
    at_status s = form_new(m, RASP_BY_TABLE, 1, out);
    if (!s)
        part_add(*out, m->user, k);
    return s;
}

/* ---- one comparison ---------------------------------------------------------------------------------------------------------- */

static bool is_indices(const rasp_maker *m, int node)
{
    return m->r->node[node].op == AT_RASP_INDICES;
}

static rasp_side side_of(at_rasp_op compare)
{
    return compare == AT_RASP_LT   ? RASP_BEFORE
           : compare == AT_RASP_LE ? RASP_UP_TO
           : compare == AT_RASP_GT ? RASP_AFTER
                                   : RASP_FROM;
}

/* k - q, times `sign`, plus c. */
static at_status difference(rasp_maker *m, int node, rasp_way way, const rasp_value *k, const rasp_value *q,
                            double sign, double c, rasp_form **out)
{
    double den = k->den * q->den; /* both are small */
    at_status s = form_new(m, way, 2, out);
    if (s)
        return s;
    if (den > 1e6)
        return rasp_refuse(m, node, "fractions with a common denominator above a million");
    part_add(*out, m->user, at_add(m->P, at_scaled(m->P, sign * q->den, k->v), at_scaled(m->P, c, m->user)));
    part_add(*out, at_scaled(m->P, -sign * k->den, q->v), m->user);
    double a = sign * q->den * lo_of(m, k->v), b = sign * q->den * hi_of(m, k->v),
           d = -sign * k->den * lo_of(m, q->v), e = -sign * k->den * hi_of(m, q->v);
    (*out)->lo = fmin(a, b) + fmin(d, e) + fmin(c, 0);
    (*out)->hi = fmax(a, b) + fmax(d, e) + fmax(c, 0);
    (*out)->times = den;
    return AT_OK;
}

/* The value of a number, where an integer is kept times its denominator. */
static double unit_of(const rasp_value *x)
{
    return x->sort == RASP_MEAN ? 1 : 1 / x->den;
}

/* (k - q) / step, times `sign`, plus c, of means: step is how near to 0 their difference can come, since their denominators are those of
 * two positions. So it is 0, or at least 1 in size, which is all that the ways to read it need. */
static at_status mean_difference(rasp_maker *m, int node, rasp_way way, const rasp_value *k,
                                 const rasp_value *q, double sign, double c, rasp_form **out)
{
    double scale = k->den * q->den;
    for (int i = 0; i < k->n_means + q->n_means; i++)
        scale *= m->N;
    at_status s = form_new(m, way, 2, out);
    if (s)
        return s;
    if (scale > 1e9)
        return rasp_refuse(m, node, "a selector that compares means whose denominators can be %.3g", scale);
    double a = sign * scale * unit_of(k), b = -sign * scale * unit_of(q);
    part_add(*out, m->user, at_add(m->P, at_scaled(m->P, a, k->v), at_scaled(m->P, c, m->user)));
    part_add(*out, at_scaled(m->P, b, q->v), m->user);
    (*out)->lo = fmin(a * lo_of(m, k->v), a * hi_of(m, k->v)) + fmin(b * lo_of(m, q->v), b * hi_of(m, q->v)) +
                 fmin(c, 0);
    (*out)->hi = fmax(a * lo_of(m, k->v), a * hi_of(m, k->v)) + fmax(b * lo_of(m, q->v), b * hi_of(m, q->v)) +
                 fmax(c, 0);
    (*out)->times = scale;
    return AT_OK;
}

static at_status ordered(rasp_maker *m, int node, at_rasp_op compare, const rasp_value *k,
                         const rasp_value *q, rasp_form **out)
{
    bool means = k->sort == RASP_MEAN || q->sort == RASP_MEAN;
    at_status (*of)(rasp_maker *, int, rasp_way, const rasp_value *, const rasp_value *, double, double,
                    rasp_form **) = means ? mean_difference : difference;
    if (compare == AT_RASP_EQ)
        return of(m, node, RASP_BY_ZERO, k, q, 1, 0, out);
    bool less = compare == AT_RASP_LT || compare == AT_RASP_LE;
    return of(m, node, RASP_BY_LESS, k, q, less ? 1 : -1, compare == AT_RASP_LT || compare == AT_RASP_GT,
              out);
}

static at_status text_table(rasp_maker *m, at_rasp_op compare, const rasp_value *k, const rasp_value *q,
                            rasp_form **out)
{
    at_status s = form_new(m, RASP_BY_TABLE, q->n, out);
    for (int i = 0; i < q->n && !s; i++) {
        rasp_value one = {
            .sort = RASP_TEXT, .n = 1, .string = q->string + i, .is = &m->user, .constant = true};
        at_var *b = at_new(m->a, at_var, k->n + 1), is;
        int n = 0;
        if (!b)
            return at_oom(m->err);
        for (int t = 0; t < k->n; t++) {
            at_rasp_atom pair[2] = {{AT_RASP_STRING, 0, 1, k->string[t]},
                                    {AT_RASP_STRING, 0, 1, one.string[0]}},
                         y;
            at_rasp_node c = {.op = compare};
            if (!at_rasp_apply(&c, pair, m->a, &y) && y.num)
                b[n++] = k->is[t];
        }
        is = n == 0   ? at_const(m->P, 0)
             : n == 1 ? b[0]
                      : at_known(m->P, NULL, at_sum(m->P, NULL, (at_vec){n, b}, NULL, 0), 0, 1, true, -1);
        part_add(*out, q->is[i], is);
    }
    return s;
}

/* A class for each value that the query can be. */
static at_status number_table(rasp_maker *m, int node, at_rasp_op compare, const rasp_value *k,
                              const rasp_value *q, rasp_form **out)
{
    double lo = lo_of(m, q->v), hi = hi_of(m, q->v);
    if (q->sort != RASP_INTEGER || k->sort == RASP_TEXT)
        return rasp_refuse(
            m, node, "a selector that compares a mean with an s-op; compare it with a constant, or round it");
    if (hi - lo + 1 > RASP_CLASSES)
        return rasp_refuse(m, node, "a selector that needs %.15g classes of queries; at most %d are made",
                           hi - lo + 1, RASP_CLASSES);
    at_status s = form_new(m, RASP_BY_TABLE, (int)(hi - lo) + 1, out);
    for (double x = lo; x <= hi && !s; x++) {
        rasp_value c = {
            .sort = RASP_INTEGER, .den = q->den, .constant = true, .v = at_scaled(m->P, x, m->user)};
        at_var is, kept;
        s = rasp_compare(m, node, AT_RASP_EQ, q, &c, &is);
        if (!s)
            s = rasp_compare(m, node, compare, k, &c, &kept);
        if (!s)
            part_add(*out, is, kept);
    }
    return s;
}

static at_status compared(rasp_maker *m, int node, bool table, rasp_form **out)
{
    const at_rasp_node *v = &m->r->node[node];
    const rasp_value *k = &m->value[v->arg[0]], *q = &m->value[v->arg[1]];
    at_var b;
    at_status s;
    if (q->constant) {
        s = rasp_compare(m, node, v->compare, k, q, &b);
        return s ? s : key_table(m, b, out);
    }
    if (k->constant) {
        s = rasp_compare(m, node, v->compare, k, q, &b);
        if (!s)
            s = form_new(m, RASP_BY_TABLE, 2, out);
        if (!s) {
            part_add(*out, b, m->user);
            part_add(*out, rasp_not(m, b), at_const(m->P, 0));
        }
        return s;
    }
    if ((k->sort == RASP_TEXT) != (q->sort == RASP_TEXT))
        return key_table(m, v->compare == AT_RASP_NE ? m->user : at_const(m->P, 0), out);
    if (k->sort == RASP_TEXT && q->n <= RASP_CLASSES)
        return text_table(m, v->compare, k, q, out);
    rasp_value rk, rq;
    if (k->sort == RASP_TEXT) {
        s = rasp_ranks(m, k, q, &rk, &rq);
        if (s)
            return s;
        k = &rk;
        q = &rq;
    }
    if (k->boolean && q->boolean) {
        rasp_value yes = {.sort = RASP_INTEGER, .den = 1, .constant = true, .v = m->user}, no = yes;
        no.v = at_scaled(m->P, 0, m->user);
        at_var one, zero;
        s = rasp_compare(m, node, v->compare, k, &yes, &one);
        if (!s)
            s = rasp_compare(m, node, v->compare, k, &no, &zero);
        if (!s)
            s = form_new(m, RASP_BY_TABLE, 2, out);
        if (!s) {
            part_add(*out, q->v, one);
            part_add(*out, rasp_not(m, q->v), zero);
        }
        return s;
    }
    if (table || v->compare == AT_RASP_NE)
        return number_table(m, node, v->compare, k, q, out);
    if (v->compare != AT_RASP_EQ && is_indices(m, v->arg[0]) && is_indices(m, v->arg[1])) {
        s = key_table(m, m->user, out);
        if (!s)
            (*out)->side = side_of(v->compare);
        return s;
    }
    return ordered(m, node, v->compare, k, q, out);
}

/* ---- combinations -------------------------------------------------------------------------------------------------------------- */

static bool is_table(const rasp_form *f)
{
    return f->way == RASP_BY_TABLE;
}

/* Everything that the mask shows, and nothing else. */
static bool is_mask(const rasp_maker *m, const rasp_form *f)
{
    return is_table(f) && f->n == 1 && f->q[0] == m->user && f->k[0] == m->user && f->side != RASP_ANYWHERE;
}

static rasp_side opposite(rasp_side k)
{
    return k == RASP_UP_TO    ? RASP_AFTER
           : k == RASP_BEFORE ? RASP_FROM
           : k == RASP_FROM   ? RASP_BEFORE
                              : RASP_UP_TO;
}

static at_status together(rasp_maker *m, const rasp_form *a, double x, const rasp_form *b, double y,
                          rasp_way way, rasp_form **out)
{
    at_status s = form_new(m, way, a->n + b->n, out);
    for (int i = 0; i < a->n && !s; i++)
        part_add(*out, at_scaled(m->P, x, a->q[i]), a->k[i]);
    for (int i = 0; i < b->n && !s; i++)
        part_add(*out, at_scaled(m->P, y, b->q[i]), b->k[i]);
    if (!s)
        (*out)->times = fmax(a->times, b->times);
    return s;
}

/* 1 - t of a table. */
static at_status inverse(rasp_maker *m, const rasp_form *t, rasp_form **out)
{
    at_status s = form_new(m, RASP_BY_TABLE, t->n, out);
    for (int i = 0; i < t->n && !s; i++)
        part_add(*out, t->q[i], rasp_not(m, t->k[i]));
    return s;
}

/* A mask as a comparison of indices; a table with one, too. */
static at_status as_less(rasp_maker *m, int node, const rasp_form *f, rasp_form **out);

static at_status both_tables(rasp_maker *m, int node, const rasp_form *a, const rasp_form *b, bool either,
                             rasp_form **out)
{
    bool same = a->n == b->n;
    for (int i = 0; same && i < a->n; i++)
        same = a->q[i] == b->q[i];
    int n = same ? a->n : a->n * b->n;
    if (n > RASP_CLASSES)
        return rasp_refuse(m, node, "a selector that needs %d classes of queries; at most %d are made", n,
                           RASP_CLASSES);
    at_status s = form_new(m, RASP_BY_TABLE, n, out);
    for (int i = 0; i < a->n && !s; i++)
        for (int j = same ? i : 0; j < (same ? i + 1 : b->n); j++) {
            at_var x = a->k[i], y = b->k[j];
            const char *name = rasp_label(m, node);
            at_var q = same || b->q[j] == m->user ? a->q[i]
                       : a->q[i] == m->user       ? b->q[j]
                                                  : at_and(m->P, name, a->q[i], b->q[j]);
            at_var k = x == y          ? x
                       : is_zero(m, x) ? (either ? y : x)
                       : is_zero(m, y) ? (either ? x : y)
                       : x == m->user  ? (either ? x : y)
                       : y == m->user  ? (either ? y : x)
                                       : (either ? at_or : at_and)(m->P, name, x, y);
            part_add(*out, q, k);
        }
    return s;
}

/* a and t, t a table without a mask, a no table. */
static at_status and_table(rasp_maker *m, const rasp_form *a, const rasp_form *t, rasp_form **out)
{
    rasp_form *no;
    double B = a->way == RASP_BY_ZERO ? fmax(-a->lo, a->hi) + 1 : fmax(1 - a->lo, 1);
    at_status s = inverse(m, t, &no);
    if (!s)
        s = together(m, a, 1, no, B, a->way, out);
    if (!s) {
        (*out)->lo = a->lo;
        (*out)->hi = a->hi + B;
        (*out)->side = a->side;
    }
    return s;
}

static at_status as_less(rasp_maker *m, int node, const rasp_form *f, rasp_form **out)
{
    rasp_form *order, *bare;
    at_status s;
    if (f->way == RASP_BY_LESS && f->side == RASP_ANYWHERE) {
        *out = (rasp_form *)f;
        return AT_OK;
    }
    if (is_table(f) && f->side == RASP_ANYWHERE) { /* 1 - t <= 0 */
        s = inverse(m, f, out);
        if (!s) {
            (*out)->way = RASP_BY_LESS;
            (*out)->hi = 1;
        }
        return s;
    }
    if (!is_table(f))
        return rasp_refuse(m, node, "a selector that no score says");
    at_rasp_op compare = f->side == RASP_BEFORE  ? AT_RASP_LT
                         : f->side == RASP_UP_TO ? AT_RASP_LE
                         : f->side == RASP_FROM  ? AT_RASP_GE
                                                 : AT_RASP_GT;
    rasp_value here = {.sort = RASP_INTEGER, .den = 1, .v = m->indices};
    s = ordered(m, node, compare, &here, &here, &order);
    if (s || is_mask(m, f)) {
        *out = order;
        return s;
    }
    s = key_table(m, m->user, &bare);
    if (s)
        return s;
    *bare = *f;
    bare->side = RASP_ANYWHERE;
    return and_table(m, order, bare, out);
}

static at_status and_forms(rasp_maker *m, int node, rasp_form *a, rasp_form *b, rasp_form **out, bool *made)
{
    at_status s;
    *made = true;
    if (a->side != RASP_ANYWHERE && b->side != RASP_ANYWHERE) {
        rasp_form *x = is_table(a) ? a : b, *y = x == a ? b : a;
        if (!is_table(x) || y->way == RASP_BY_ZERO) {
            *made = a->side == b->side; /* then one of them will do */
            if (!*made)
                return AT_OK;
            rasp_form *bare;
            s = form_new(m, b->way, 0, &bare);
            if (s)
                return s;
            *bare = *b;
            bare->side = RASP_ANYWHERE;
            return and_forms(m, node, a, bare, out, made);
        }
        s = as_less(m, node, x, &a);
        b = y;
        if (s)
            return s;
    }
    rasp_side side = a->side != RASP_ANYWHERE ? a->side : b->side;
    if (is_mask(m, a) || is_mask(m, b)) {
        const rasp_form *f = is_mask(m, a) ? b : a;
        s = form_new(m, f->way, 0, out);
        if (!s) {
            **out = *f;
            (*out)->side = side;
        }
        return s;
    }
    if (is_table(a) && is_table(b))
        s = both_tables(m, node, a, b, false, out);
    else if (is_table(a) || is_table(b))
        s = and_table(m, is_table(a) ? b : a, is_table(a) ? a : b, out);
    else if (a->way == RASP_BY_ZERO && b->way == RASP_BY_ZERO) {
        double B = fmax(-b->lo, b->hi) + 1;
        s = together(m, a, B, b, 1, RASP_BY_ZERO, out);
        if (!s) {
            (*out)->lo = B * a->lo + b->lo;
            (*out)->hi = B * a->hi + b->hi;
        }
    } else {
        *made = false;
        return AT_OK;
    }
    if (!s)
        (*out)->side = side;
    return s;
}

static at_status not_form(rasp_maker *m, int node, rasp_form *a, rasp_form **out, bool *made)
{
    at_status s;
    *made = true;
    if (is_mask(m, a)) {
        s = key_table(m, m->user, out);
        if (!s)
            (*out)->side = opposite(a->side);
        return s;
    }
    if (is_table(a) && a->side == RASP_ANYWHERE)
        return inverse(m, a, out);
    if (a->way == RASP_BY_ZERO || (a->way == RASP_BY_LESS && a->side != RASP_ANYWHERE)) {
        *made = false;
        return AT_OK;
    }
    rasp_form *less, *one;
    s = as_less(m, node, a, &less);
    if (!s)
        s = key_table(m, m->user, &one);
    if (!s)
        s = together(m, less, -1, one, 1, RASP_BY_LESS, out);
    if (!s) {
        (*out)->lo = -less->hi; /* hidden keys, too */
        (*out)->hi = 1 - less->lo;
    }
    return s;
}

static at_status or_forms(rasp_maker *m, int node, rasp_form *a, rasp_form *b, rasp_form **out, bool *made)
{
    at_status s;
    *made = true;
    if (is_table(a) && is_table(b) && a->side == RASP_ANYWHERE && b->side == RASP_ANYWHERE)
        return both_tables(m, node, a, b, true, out);
    rasp_form *t = is_table(b) && b->side == RASP_ANYWHERE   ? b
                   : is_table(a) && a->side == RASP_ANYWHERE ? a
                                                             : NULL,
              *f = t == b ? a : b;
    if (!t || (f->side != RASP_ANYWHERE && !is_table(f))) {
        *made = false;
        return AT_OK;
    }
    if (f->way == RASP_BY_ZERO) { /* with a table of the key alone */
        if (t->n != 1 || t->q[0] != m->user) {
            *made = false;
            return AT_OK;
        }
        s = form_new(m, RASP_BY_ZERO, f->n, out);
        for (int i = 0; i < f->n && !s; i++)
            part_add(*out, f->q[i],
                     at_select(m->P, rasp_label(m, node), t->k[0], at_const(m->P, 0), f->k[i]));
        if (!s) {
            (*out)->lo = fmin(f->lo, 0);
            (*out)->hi = fmax(f->hi, 0);
        }
        return s;
    }
    s = as_less(m, node, f, &f);
    double B = fmax(f->hi, 0);
    if (!s)
        s = together(m, f, 1, t, -B, RASP_BY_LESS, out);
    if (!s) {
        (*out)->lo = f->lo - B;
        (*out)->hi = f->hi;
    }
    return s;
}

/* k < q, or k == q and something: node is the EITHER. */
static at_status dictionary(rasp_maker *m, int node, rasp_form **out, bool *made)
{
    const at_rasp_node *v = &m->r->node[node];
    *made = false;
    for (int way = 0; way < 2; way++) {
        const at_rasp_node *first = &m->r->node[v->arg[way]], *second = &m->r->node[v->arg[1 - way]];
        if (first->op != AT_RASP_SELECT || second->op != AT_RASP_BOTH ||
            (first->compare != AT_RASP_LT && first->compare != AT_RASP_GT))
            continue;
        for (int turn = 0; turn < 2; turn++) {
            const at_rasp_node *same = &m->r->node[second->arg[turn]];
            rasp_form *rest, *less, *order;
            if (same->op != AT_RASP_SELECT || same->compare != AT_RASP_EQ || same->arg[0] != first->arg[0] ||
                same->arg[1] != first->arg[1])
                continue;
            rasp_value k = m->value[first->arg[0]], q = m->value[first->arg[1]];
            if (k.sort != q.sort || k.sort == RASP_MEAN || k.constant || q.constant)
                return AT_OK;
            at_status s = rasp_select(m, second->arg[1 - turn], &rest);
            if (s || rest->way == RASP_BY_ZERO || (rest->way == RASP_BY_LESS && rest->side != RASP_ANYWHERE))
                return s;
            s = as_less(m, node, rest, &less);
            if (!s && k.sort == RASP_TEXT)
                s = rasp_ranks(m, &k, &q, &k, &q);
            if (!s)
                s = ordered(m, node, first->compare == AT_RASP_LT ? AT_RASP_LE : AT_RASP_GE, &k, &q, &order);
            double B = fmax(fmax(less->hi, 1 - less->lo), 1);
            if (!s)
                s = together(m, order, B, less, 1, RASP_BY_LESS, out);
            if (!s) {
                (*out)->lo = B * order->lo + less->lo;
                (*out)->hi = B * order->hi + less->hi;
                *made = true;
            }
            return s;
        }
    }
    return AT_OK;
}

/* As a table, whatever it costs. */
static at_status tabled(rasp_maker *m, int node, rasp_form **out)
{
    const at_rasp_node *v = &m->r->node[node];
    rasp_form *a, *b;
    at_status s;
    if (v->op == AT_RASP_SELECT)
        return compared(m, node, true, out);
    if (v->op == AT_RASP_ALL)
        return key_table(m, v->atom.num ? m->user : at_const(m->P, 0), out);
    s = tabled(m, v->arg[0], &a);
    if (s || v->op == AT_RASP_NEITHER)
        return s ? s : inverse(m, a, out);
    s = tabled(m, v->arg[1], &b);
    return s ? s : both_tables(m, node, a, b, v->op == AT_RASP_EITHER, out);
}

at_status rasp_select(rasp_maker *m, int node, rasp_form **out)
{
    const at_rasp_node *v = &m->r->node[node];
    rasp_form *a, *b;
    bool made = false;
    at_status s = AT_OK;
    if (m->form[node]) {
        *out = m->form[node];
        return AT_OK;
    }
    if (v->op == AT_RASP_SELECT)
        s = compared(m, node, false, out);
    else if (v->op == AT_RASP_ALL)
        s = key_table(m, v->atom.num ? m->user : at_const(m->P, 0), out);
    else {
        if (v->op == AT_RASP_EITHER)
            s = dictionary(m, node, out, &made);
        if (!s && !made)
            s = rasp_select(m, v->arg[0], &a);
        if (!s && !made && v->op == AT_RASP_NEITHER)
            s = not_form(m, node, a, out, &made);
        else if (!s && !made) {
            s = rasp_select(m, v->arg[1], &b);
            if (!s)
                s = (v->op == AT_RASP_BOTH ? and_forms : or_forms)(m, node, a, b, out, &made);
        }
        if (!s && !made)
            s = tabled(m, node, out);
    }
    if (!s)
        m->form[node] = *out;
    return s;
}
