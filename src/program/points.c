/* points.c: what is known of a pointwise step before its units are made: flat radii, staircases, what GeLU units add to its
 * error. mlp.c says how steps become units, and proves the GeLU bounds. */
#include "program_internal.h"

#include <math.h>

#define FLAT       0.25 /* flat radius around integers when the error bound is smaller */
#define WIDE_TABLE 16   /* a table of more corners makes many units */

/* Places where the polygon through a table turns. */
static int table_turns(const var *v)
{
    int turns = 0;
    for (int k = 2; k < v->n_table; k++)
        turns += v->table[k] - v->table[k - 1] != v->table[k - 1] - v->table[k - 2];
    return turns;
}

bool point_is_wide(const var *v)
{
    return (v->op == OP_TABLE && table_turns(v) > WIDE_TABLE) ||
           (v->op == OP_NEAR && v->n_table > WIDE_TABLE / 4) || (v->op == OP_PRODUCT);
}

/* With GeLU units half way between the error and 1/2: corners want a distance from the argument. */
static double radius_for(const at_program *P, double err)
{
    if (!(P->lambda > 0))
        return fmax(FLAT, ceil(err * 0x1p10) * 0x1p-10);
    return err <= FLAT / 2 ? FLAT : fmin(floor((err + 0.5) * 0x1p9), 511) * 0x1p-10;
}

/* The flat radius for an argument of error `real` in real numbers and `err` with rounding: the former's, unless rounding
 * takes the argument beyond it by more than a little. */
double flat_radius(const at_program *P, double real, double err)
{
    double flat = radius_for(P, real);
    return err <= flat + 0x1p-24 ? flat : radius_for(P, err);
}

bool point_is_stairs(const at_program *P, const var *v)
{
    return P->vars[v->args[0]].real > 0 || (v->op == OP_PRODUCT && P->vars[v->args[1]].real > 0);
}

double point_slope(const at_program *P, const var *v)
{
    const var *x = &P->vars[v->args[0]], *z = &P->vars[v->args[v->n_args > 1]];
    double slope = 0;
    for (int k = 1; v->op == OP_TABLE && k < v->n_table; k++)
        slope = fmax(slope, fabs(v->table[k] - v->table[k - 1]));
    if (v->op == OP_PRODUCT) /* of sq(x+y)/4 and of sq(x-y)/4 */
        slope = fmax(fabs(x->lo), fabs(x->hi)) + fmax(fabs(z->lo), fabs(z->hi)) + 1;
    return slope;
}

/* How far a step leaves its range because its arguments leave theirs. */
double point_over(const at_program *P, const var *v, const double over[3], double err)
{
    if (P->lambda > 0)
        return err;
    switch (v->op) {
    case OP_RAMP:
    case OP_NEAR:
    case OP_AT_LEAST:
    case OP_COMPARE:
    case OP_EQUALS:
        return 0;
    case OP_SELECT: {
        const var *x = &P->vars[v->args[1]], *y = &P->vars[v->args[2]];
        return over[1] + over[2] + over[0] * (x->hi - x->lo + y->hi - y->lo + fabs(x->lo - y->lo));
    }
    case OP_AND:
    case OP_OR:
        return over[0] + over[1];
    case OP_RELU:
    case OP_PASS:
    case OP_MAX:
    case OP_MIN:
    case OP_ABS:
        return fmax(over[0], over[1]);
    case OP_FIELD:
    case OP_EMBED:
    case OP_REAL:
    case OP_POS:
    case OP_ROWS:
    case OP_LINEAR:
    case OP_TIMES:
    case OP_TABLE:
    case OP_PRODUCT:
    case OP_ATTEND:
    default:
        return err;
    }
}

/* ---- what GeLU units add to errors --------------------------------------------------------------------- */

/* At least gap(u') for every u' >= u >= 0: gap falls after 0.7518, and Phi(-u) <= 4 phi(u) / (3u + sqrt(u^2 + 8)) (Sampford 1953), which is
 * 2% too much at 1 and less further on. Never 0: a tie that must be exact is none. */
double mlp_gelu_gap(double u)
{
    if (u < 1)
        return AT_GELU_GAP;
    double phi = 0x1.9884533d43651p-2 * at_exp(-u * u / 2);
    return fmin(AT_GELU_GAP, 4 * u * phi / (3 * u + sqrt(u * u + 8)) * (1 + 0x1p-30) + 0x1p-60);
}

/* A table as in table_form: positive and negative weights, and their corners' distance. */
static double table_unit_error(const at_program *P, int n, const double *t, bool stairs, double flat,
                               double e)
{
    double plus = 0, minus = 0, slope = 0;
    for (int k = 1; k < n; k++) {
        double next = t[k] - t[k - 1], turn = next - slope;
        if (stairs)
            plus += fabs(next) / (1 - 2 * flat);
        else
            *(turn > 0 ? &plus : &minus) += fabs(turn);
        slope = next;
    }
    /* Without error the argument is at a corner, where G(0) = 0, or at least 1 away from it. */
    double distance = stairs ? fmax(flat - e, 0) : 1;
    return fmax(plus, minus) * mlp_gelu_gap(P->lambda * distance) / P->lambda;
}

/* The sum of sq/4 tables, without building them: the steps of a table of squares add up to its variation. */
static double product_unit_error(const at_program *P, const var *x, const var *z, bool stairs, double flat,
                                 double e)
{
    double total = 0;
    double range[2][2] = {{x->lo + z->lo, x->hi + z->hi}, {x->lo - z->hi, x->hi - z->lo}};
    for (int k = 0; k < 2; k++) {
        double lo = range[k][0], hi = range[k][1], most = fmax(lo * lo, hi * hi) / 4;
        total += stairs ? 2 * most / (1 - 2 * flat) : (hi - lo) / 2 + fmax(fabs(lo), fabs(hi));
    }
    double distance = stairs ? fmax(flat - e, 0) : 1;
    return total * mlp_gelu_gap(P->lambda * distance) / P->lambda;
}

double times_scale(const at_program *P, const var *v)
{
    double size = 0;
    for (int k = 0; k < 2; k++) {
        const var *x = &P->vars[v->args[k]];
        size += fmax(fabs(x->lo), fabs(x->hi)) + x->real;
    }
    return size * size / sqrt(24 * v->c0) * (1 + 0x1p-30); /* size^4 / (24 L^2) = c0 */
}

double point_unit_error(const at_program *P, const var *v, const double e[3])
{
    const var *x = &P->vars[v->args[0]], *z = &P->vars[v->args[v->n_args > 1]];
    double one = AT_GELU_GAP / P->lambda, flat = flat_radius(P, x->real, e[0]), both = e[0] + e[1];
    double jump = mlp_gelu_gap(P->lambda * fmax(flat - e[0], 0)) / P->lambda / (1 - 2 * flat);
    switch (v->op) {
    case OP_PASS:
        return 0;
    case OP_TIMES:
        return v->c0;
    case OP_RAMP:
        return one / (v->c1 - v->c0);
    case OP_ABS:
    case OP_SELECT:
        return 2 * one;
    case OP_AT_LEAST:
    case OP_COMPARE:
        return jump;
    case OP_EQUALS:
        return 2 * jump;
    case OP_TABLE:
        return table_unit_error(P, v->n_table, v->table, point_is_stairs(P, v), flat, e[0]);
    case OP_PRODUCT:
        return product_unit_error(P, x, z, point_is_stairs(P, v), flat_radius(P, x->real + z->real, both),
                                  both);
    case OP_NEAR:
        return 2 * v->n_table * one / v->c1;
    case OP_FIELD:
    case OP_EMBED:
    case OP_REAL:
    case OP_POS:
    case OP_ROWS:
    case OP_LINEAR:
    case OP_RELU:
    case OP_MAX:
    case OP_MIN:
    case OP_AND:
    case OP_OR:
    case OP_ATTEND:
    default: /* one unit of weight 1 */
        return one;
    }
}
