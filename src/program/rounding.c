/* rounding.c: what floating-point evaluation adds to errors.
 *
 * Model of the arithmetic: p bits, unit roundoff u = 2^-p. Weights are rounded once. A sum of n products is computed in an
 * order that is not known, products rounded or fused. So each product and each addition is off by at most u times its
 * result. Positive terms add up to at most `up`, negative ones to `down`: no partial sum is larger than the larger of both, and
 * the sum of n products of sizes that add up to `mass` is off by at most u ((n - 1) max(up, down) + mass) / (1 - n u).
 * Rows of matrices are added in ascending order by every executor, the constant first or last. There it is enough that the sums
 * of the first terms add up to `run`: u (run + n |c0| + mass) / (1 - n u). A staircase of large units that cancel one by one
 * has small ones.
 *
 * Exact sums. Let all terms be multiples of 2^g, and no partial sum larger than 2^(p+g): then every partial sum is a number
 * of the format, and nothing is rounded. More generally let the terms lie within off_k of such multiples, off = sum off_k.
 * At every node of the tree of additions the sum of the multiples is a number of the format, so that the node, rounded to
 * the nearest, errs by at most its own distance from it: distances at most double there. With d operations on top of each
 * other the result is off by at most (2^d - 1) off. So integers that are near are as good as integers, at any size that the
 * format holds. The multiples must be numbers of the format, so g is not below its smallest exponent.
 *
 * Small and large. Below the smallest normal number a product errs by up to u times that number; sums there are exact.
 * What may exceed the largest number has no bound: errors are then infinite, and never NaN (bound_of), which maxima would forget.
 * The smaller of both bounds is taken. docs/program.md says what each step makes of it. */
#include "program_internal.h"

#include <math.h>
#include <string.h>

#define DEEPEST 60            /* doublings that are worth counting */
#define SAFE    (1 + 0x1p-30) /* the bounds are themselves computed in doubles */

double bound_of(double e)
{
    return e >= 0 ? e : INFINITY;
}

double extent_size(extent x)
{
    return fmax(fabs(x.lo), fabs(x.hi));
}

extent extent_of(const var *v)
{
    bool grid = v->grain > GRAIN_NONE;
    return (extent){v->lo - v->over, v->hi + v->over, grid ? v->err : 0, v->grain};
}

/* A double is its 52 digits, and a 1 before them unless it is subnormal, times 2^(exponent - 1075). */
int grain_of(double c)
{
    uint64_t bits;
    if (c == 0)
        return 2000;
    if (!isfinite(c))
        return GRAIN_NONE;
    memcpy(&bits, &c, sizeof bits);
    int e = (int)(bits >> 52 & 0x7ff);
    uint64_t digits = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)(e > 0) << 52;
    return (e > 0 ? e : 1) - 1075 + __builtin_ctzll(digits);
}

double sum_error(double a, double b)
{
    double s = a + b, t = s - a;
    return fabs((a - (s - t)) + (b - t));
}

static bool is_power(double c)
{
    int e;
    return c == 0 || frexp(fabs(c), &e) == 0.5;
}

void tally_add(tally *t, double c, extent x)
{
    if (c == 0)
        return;
    double a = c * x.lo, b = c * x.hi;
    t->terms++;
    t->products = t->products || !is_power(c);
    t->shrinks = t->shrinks || fabs(c) < 1;
    t->mass += fabs(c) * extent_size(x);
    t->up += fmax(fmax(a, b), 0);
    t->down += fmax(-fmin(a, b), 0);
    t->off += fabs(c) * x.off;
    int g = x.grain <= GRAIN_NONE ? GRAIN_NONE : grain_of(c) + x.grain;
    t->grain = g < t->grain ? g : t->grain;
}

/* What products that may fall below the smallest normal number add: u times it, each, and rounded further. */
static double underflow_of(const tally *t, double u, const at_pfmt *f)
{
    return t->products || t->shrinks ? 2 * t->terms * u * f->norm : 0;
}

static double rounding_of(const tally *t, double u, const at_pfmt *f)
{
    double ops = t->terms - 1 + t->products, adds = t->terms - 1, part = fmax(t->up, t->down);
    if (u == 0)
        return 0;
    if (!(t->mass <= f->max) || ops * u > 0.25)
        return INFINITY;
    bool grid = t->grain > GRAIN_NONE && ldexp(1, t->grain) >= f->tiny &&
                (fmax(t->up, t->down) + t->off) * SAFE <= ldexp(1, f->p + t->grain);
    if (grid && t->off == 0)
        return 0;
    double any = u / (1 - ops * u) * (adds * part + t->products * t->mass) * SAFE + underflow_of(t, u, f);
    return grid && ops <= DEEPEST ? fmin(any, t->off * (ldexp(1, (int)ops) - 1) * SAFE) : any;
}

double tally_rounding(const at_program *P, const tally *t)
{
    return rounding_of(t, P->unit, &P->fmt);
}

static double weight_rounded(const at_program *P, double c, double *off)
{
    double r = P->unit > 0 ? at_p_round(&P->fmt, c) : c;
    *off = fabs(c - r);
    return r;
}

double form_rounding(const at_program *P, const form *f, const extent *x, extent *out)
{
    tally t = TALLY_NONE;
    double off, weights = 0;
    for (int k = 0; k < f->n; k++) {
        tally_add(&t, weight_rounded(P, f->coef[k], &off), x[f->unit[k]]);
        weights += off > 0 ? off * extent_size(x[f->unit[k]]) : 0;
    }
    t.up = fmax(t.up - f->spared[0], 0) + (f->spared[0] > 0 ? weights : 0);
    t.down = fmax(t.down - f->spared[1], 0) + (f->spared[1] > 0 ? weights : 0);
    double c0 = weight_rounded(P, f->c0, &off);
    tally_add(&t, 1, (extent){c0, c0, 0, grain_of(c0)});
    t.terms -= c0 == 0;
    if (P->unit > 0 && !(t.mass <= P->fmt.max)) { /* a weight, a product or a sum may be infinite */
        *out = (extent){-INFINITY, INFINITY, 0, GRAIN_NONE};
        return INFINITY;
    }
    /* Rows of matrices are added in ascending order, the constant first or last; f->run is of weights before they are
     * rounded. */
    double ops = t.terms - 1 + t.products, u = P->unit;
    double run =
        u / (1 - ops * u) * (f->run + f->n * (fabs(c0) + weights) + t.products * t.mass) * (1 + 0x1p-20) +
        underflow_of(&t, u, &P->fmt);
    double r = fmin(tally_rounding(P, &t), ops * u > 0.25 ? INFINITY : run) + weights + off;
    *out = (extent){-t.down - r, t.up + r, t.off + r, t.grain};
    if (t.grain <= GRAIN_NONE)
        *out = (extent){-t.down - r, t.up + r, 0, GRAIN_NONE};
    return r;
}

double meaning_rounding(const at_program *P, const var *v)
{
    tally t = TALLY_NONE;
    for (int k = 0; k < v->n_args; k++) {
        const var *a = &P->vars[v->args[k]];
        tally_add(&t, v->coef[k], (extent){a->lo, a->hi, 0, a->grain});
    }
    if (v->c0 != 0)
        tally_add(&t, 1, (extent){v->c0, v->c0, 0, grain_of(v->c0)});
    at_pfmt doubles = at_pfmt_of(at_f64);
    return rounding_of(&t, P->meaning, &doubles);
}

/* ---- grains ------------------------------------------------------------------------------------------- */

static void grain_take(int *g, double x)
{
    int h = grain_of(x);
    *g = h < *g ? h : *g;
}

static int table_grain(const at_program *P, const var *v, int64_t rows)
{
    int g = 2000;
    for (int64_t r = 0; r < rows; r++)
        grain_take(&g, v->table[r * v->stride]);
    for (int k = 0; v->prefix && k < P->n_prefix; k++)
        grain_take(&g, v->prefix[k]);
    for (int k = 0; v->suffix && k < P->n_suffix; k++)
        grain_take(&g, v->suffix[k]);
    return g;
}

static int64_t table_rows(const at_program *P, const var *v)
{
    return v->op == OP_ROWS ? program_longest(P) : v->field >= 0 ? field_rows(&P->fields[v->field]) : 0;
}

int var_grain(const at_program *P, const var *v)
{
    int g = 2000;
    switch (v->op) {
    case OP_EMBED:
    case OP_ROWS:
        g = table_grain(P, v, table_rows(P, v));
        break;
    case OP_TABLE:
        g = table_grain(P, v, v->n_table);
        break;
    case OP_LINEAR:
        for (int k = 0; k < v->n_args; k++) {
            int a = P->vars[v->args[k]].grain;
            a = a <= GRAIN_NONE ? GRAIN_NONE : a + grain_of(v->coef[k]);
            g = v->coef[k] != 0 && a < g ? a : g;
        }
        grain_take(&g, v->c0);
        if (v->known && v->integer)
            g = 0;
        break;
    case OP_RELU:
    case OP_PASS:
    case OP_MAX:
    case OP_MIN:
    case OP_ABS:
    case OP_SELECT:
        for (int k = v->op == OP_SELECT; k < v->n_args; k++)
            g = P->vars[v->args[k]].grain < g ? P->vars[v->args[k]].grain : g;
        break;
    case OP_ATTEND: {
        const at_attention *a = &P->steps[v->step].a;
        bool one = at_weighting_is(a->weighting, AT_IS_ONE) || a->unique || a->adds > 0;
        g = one && !at_weighting_is(a->weighting, AT_IS_PAIRS) ? P->vars[a->value.v[v->component]].grain
                                                               : GRAIN_NONE;
        if (a->total > 0) /* divided by a power of two, at most this one */
            g = P->vars[a->value.v[v->component]].grain + grain_of(1.0 / a->most);
        g = v->integer && g < 0 ? 0 : g;
        break;
    }
    case OP_RAMP: /* from one integer to the next */
        g = P->vars[v->args[0]].grain >= 0 && grain_of(v->c0) >= 0 && v->c1 - v->c0 == 1 ? 0 : GRAIN_NONE;
        break;
    case OP_FIELD:
    case OP_REAL:
    case OP_POS:
    case OP_TIMES:
    case OP_AND:
    case OP_OR:
    case OP_AT_LEAST:
    case OP_COMPARE:
    case OP_EQUALS:
    case OP_PRODUCT:
    case OP_NEAR:
    default:
        g = v->integer ? 0 : GRAIN_NONE;
    }
    return g < GRAIN_NONE ? GRAIN_NONE : g;
}

/* ---- inputs --------------------------------------------------------------------------------------------- */

static double entry_rounding(const at_program *P, double x)
{
    double off;
    weight_rounded(P, x, &off);
    return off;
}

/* Tables are weights; position features and field values are rounded once into the arithmetic. A fraction is rounded
 * in the interpreter as well: in the same way, where the arithmetic is its own. */
void input_rounding(const at_program *P, var *v)
{
    double most = fmax(fabs(v->lo), fabs(v->hi));
    v->err = 0;
    if (P->unit > 0 && most > P->fmt.max)
        v->err = INFINITY;
    else if (v->op == OP_REAL)
        v->err = v->integer && most <= ldexp(1, P->fmt.p) ? 0
                 : P->fmt.p == 53                         ? 0
                                                          : fmax(most, P->fmt.norm) * P->unit;
    else if (v->op == OP_POS) {
        bool own = P->fmt.p == 53 && P->unit > 0 && at_pos_rounds_once(v->pos);
        if (!(v->integer && most <= ldexp(1, P->fmt.p)) && !(own && most <= 0x1p53))
            v->err = fmax(most, P->fmt.norm) * (P->unit + P->meaning);
    } else if (P->fmt.p < 53) {
        int64_t rows = table_rows(P, v);
        for (int64_t r = 0; r < rows; r++)
            v->err = fmax(v->err, entry_rounding(P, v->table[r * v->stride]));
        for (int k = 0; v->prefix && k < P->n_prefix; k++)
            v->err = fmax(v->err, entry_rounding(P, v->prefix[k]));
        for (int k = 0; v->suffix && k < P->n_suffix; k++)
            v->err = fmax(v->err, entry_rounding(P, v->suffix[k]));
    }
    v->over = v->err;
}
