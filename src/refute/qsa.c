/* qsa.c: what the refuters of sparse averaging share: does the model read vectors as reals, and which subset to ask for.
 *
 * Two inputs with the same question S have targets (1/q) sum over S of z and of z'. Along coordinate c the sum of z - z' is
 * largest for the q positions with the largest differences: so the best question of a coordinate and a sign is a sort. */
#include "qsa.h"

#include <math.h>
#include <string.h>

at_status qsa_fits(const at_subject *s, qsa_sizes *out, at_err *why)
{
    if (!s->task || strcmp(s->task->id, "qsa"))
        return at_fail(why, AT_EREFUSED, "speaks of task qsa only");
    int N = at_params_int(s->params, "N"), q = at_params_int(s->params, "q"),
        d = at_params_int(s->params, "d");
    *out = (qsa_sizes){N, q, d, d + q};
    const at_field *f = s->m->fields;
    if (!s->m->n_fields || f->kind != AT_FIELD_REAL || f->size != d)
        return at_fail(why, AT_EREFUSED, "the model's first field must be the vector: real, %d numbers", d);
    if (!(f->lo <= -1 && f->hi >= 1))
        return at_fail(why, AT_EREFUSED, "the model takes vectors in %g..%g; needed: -1..1", f->lo, f->hi);
    if (at_model_row_width(s->m) != out->row)
        return at_fail(why, AT_EREFUSED, "the model takes %d numbers a position, the task has %d",
                       at_model_row_width(s->m), out->row);
    return AT_OK;
}

/* The q largest of sign * diff[., c]: their sum, and where they are (ascending). */
static double largest(const qsa_sizes *z, const double *diff, int c, double sign, double *subset)
{
    double sum = 0;
    for (int k = 0; k < z->q; k++)
        subset[k] = 0; /* not taken yet */
    for (int k = 0; k < z->q; k++) {
        int best = -1;
        for (int j = 0; j < z->N; j++) {
            bool taken = false;
            for (int e = 0; e < k; e++)
                taken |= (int)subset[e] == j + 1;
            if (!taken && (best < 0 || sign * diff[j * z->d + c] > sign * diff[best * z->d + c]))
                best = j;
        }
        sum += sign * diff[best * z->d + c];
        subset[k] = best + 1;
    }
    for (int k = 1; k < z->q; k++) /* few: by insertion */
        for (int e = k; e > 0 && subset[e - 1] > subset[e]; e--) {
            double t = subset[e];
            subset[e] = subset[e - 1];
            subset[e - 1] = t;
        }
    return sum;
}

double qsa_ask(const qsa_sizes *z, const double *diff, double *subset, int *side)
{
    double most = -INFINITY;
    int best = 0;
    for (int c = 0; c < z->d; c++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            double sum = largest(z, diff, c, sign, subset);
            if (sum > most) {
                most = sum;
                best = sign > 0 ? c : -1 - c;
            }
        }
    largest(z, diff, best < 0 ? -1 - best : best, best < 0 ? -1 : 1, subset);
    if (side)
        *side = best;
    double square = 0;
    for (int c = 0; c < z->d; c++) {
        double sum = 0;
        for (int k = 0; k < z->q; k++)
            sum += diff[((int)subset[k] - 1) * z->d + c];
        square += sum * sum;
    }
    return sqrt(square) / z->q;
}

void qsa_blank(const qsa_sizes *z, double *x)
{
    memset(x, 0, (size_t)z->N * (size_t)z->row * sizeof *x);
    for (int i = 0; i < z->N; i++)
        for (int k = 0; k < z->q; k++)
            x[i * z->row + z->d + k] = k + 1;
}
