/* reduce.c: enumerations that stand for more inputs than they list, and what a model must be for that.
 *
 * A reduction is a theorem with a hypothesis about the model. The hypothesis is looked for in the weights, here and
 * nowhere else; where it is not found the enumeration stands for itself, and the verdict rests on samples.
 *
 *   sequences  nothing is left out.
 *   multisets  the model's outputs move with its positions (at_model_symmetric), as the task's answers do.
 *   subsets    every query is asked, vectors are drawn: samples, whatever the model.
 *   cases      what a file lists: samples.
 *   pairs      under every question the output is affine in the reals, and keys and values are the same under all
 *              questions, so that a position's output depends on its own question only (affine.c).
 *
 * Pairs. The task lists its questions, and under each of them the reals 0 and the unit vectors; its answers are linear in
 * the reals. So model minus answer at position i is e0 + sum_j e_j x_j with |x_j| <= 1 (in units of M), and its largest size
 * is |e0| + sum_j |e_j|, reached where x_j is the sign of e_j, or the opposite. That is the bound of the pair (position,
 * question) over all reals. Under each question four inputs are run: the worst signs of its worst position, their
 * opposites, and all of one sign. The bound and the runs must stay within the tolerance. */
#include "check_internal.h"

#include <math.h>
#include <string.h>

#define RUNS       4    /* a question */
#define MORE_LEAST 2000 /* drawn inputs where pairs stand for themselves only */

typedef struct {
    const at_model *m;
    const at_task *t;
    const at_params *p;
    reduction *r;
    double *bound;    /* (questions) */
    bool *affine;     /* (questions) */
    uint64_t *digest; /* (questions, 2) */
} planning;

static bool rounds_little(at_arith a)
{
    return a.kind != AT_F32 && a.kind != AT_PBIT && a.kind != AT_QUOTIENT;
}

/* Question k: its bound, and the signs of its worst position. */
static at_status question_plan(void *ctx, uint64_t k, int worker, at_piece *out, at_err *err)
{
    (void)worker;
    (void)out;
    planning *w = ctx;
    reduction *r = w->r;
    at_arena a;
    at_arena_init(&a);
    int n = r->n, rows = w->m->readout.rows;
    size_t row = (size_t)n * (size_t)r->row;
    double *x = at_new(&a, double, row), *zero = at_new(&a, double, row);
    double *base = at_new(&a, double, n), *here = at_new(&a, double, n), *right = at_new(&a, double, n *n);
    affine f = {0};
    at_status s = x && zero && base && here && right ? AT_OK : at_oom(err);
    if (!s) {
        w->t->nth(w->p, AT_ENUM_PAIRS, k * ((uint64_t)n + 1), zero);
        w->t->answer(w->p, zero, base);
        for (int j = 0; j < n; j++) { /* right (n, n): of position i to real j */
            w->t->nth(w->p, AT_ENUM_PAIRS, k * ((uint64_t)n + 1) + 1 + (uint64_t)j, x);
            w->t->answer(w->p, x, here);
            for (int i = 0; i < n; i++)
                right[(size_t)i * (size_t)n + (size_t)j] = here[i] - base[i];
        }
        s = affine_make(w->m, &(at_input){n, zero}, r->column, r->unit, &a, &f, err);
    }
    double worst = -1;
    for (int i = 0; !s && i < n && !w->m->readout.last; i++) {
        const double *c = f.coefficient + (size_t)i * ((size_t)n + 1), *y = right + (size_t)i * (size_t)n;
        double e0 = f.at_zero[i * rows] - base[i], sum = fabs(e0) + c[n];
        for (int j = 0; j < n; j++)
            sum += fabs(c[j] - y[j]);
        if (sum <= worst)
            continue;
        worst = isnan(sum) ? INFINITY : sum;
        for (int j = 0; j < n; j++)
            r->sign[k * (uint64_t)n + (uint64_t)j] = (c[j] - y[j] < 0) == (e0 < 0) ? 1 : -1;
    }
    if (!s) {
        w->bound[k] = worst;
        w->affine[k] = f.affine;
        memcpy(w->digest + 2 * k, f.digest, sizeof f.digest);
    }
    at_arena_release(&a);
    return s;
}

static at_status pairs_plan(const at_model *m, const at_task *t, const at_params *p, const at_question *q,
                            const at_check_env *env, at_arena *a, reduction *r, at_err *err)
{
    r->n = at_params_int(p, "N");
    r->row = t->row_width(p);
    size_t row = (size_t)r->n * (size_t)r->row;
    r->questions = t->count(p, AT_ENUM_PAIRS) / ((uint64_t)r->n + 1);
    r->sign = at_new(a, signed char, r->questions *(uint64_t)r->n);
    double *zero = at_new(a, double, row), *one = at_new(a, double, row);
    planning w = {m,
                  t,
                  p,
                  r,
                  at_new(a, double, r->questions),
                  at_new(a, bool, r->questions),
                  at_new(a, uint64_t, 2 * r->questions)};
    if (!r->sign || !zero || !one || !w.bound || !w.affine || !w.digest)
        return at_oom(err);
    t->nth(p, AT_ENUM_PAIRS, 0, zero);
    t->nth(p, AT_ENUM_PAIRS, 1, one);
    while (r->column < r->row && one[r->column] == zero[r->column])
        r->column++;
    r->unit = one[r->column] - zero[r->column];
    at_check_env alone = {.threads = env ? env->threads : 0, .progress = env ? env->progress : NULL};
    at_piece none = {0, NAN, -1, 0};
    at_status s = pieces_run(r->questions, &alone, t->id, false, question_plan, &w, &none, err);
    if (s)
        return s;
    bool apart = true; /* a position's question is its own affair */
    r->exact = true;
    for (uint64_t k = 0; k < r->questions; k++) {
        apart = apart && !memcmp(w.digest, w.digest + 2 * k, 2 * sizeof *w.digest);
        r->exact = r->exact && w.affine[k];
        r->bound = fmax(r->bound, w.bound[k]);
    }
    bool licensed = r->exact = r->exact && apart;
    if (r->exact && !rounds_little(q->arith)) {
        r->exact = false;
        r->note = "every question with the reals that are worst before rounding";
    } else if (r->exact)
        r->note = "every question of every position; the weights make outputs affine in the reals, these "
                  "are the worst";
    else
        r->note =
            apart ? "the weights do not make outputs affine in the reals: every question, then drawn inputs"
                  : "outputs may depend on other positions' questions: every question, then drawn inputs";
    r->bounded = r->exact;
    r->count = RUNS * r->questions;
    if (!licensed) {
        r->drawn_from = r->count;
        r->count += r->count > MORE_LEAST ? r->count : MORE_LEAST;
    } else
        r->drawn_from = r->count;
    return AT_OK;
}

void reduction_nth(const reduction *r, const at_task *t, const at_params *p, uint64_t seed, uint64_t k,
                   double *x)
{
    if (k >= r->drawn_from) {
        at_rng draw = at_rng_at(seed, k);
        (k % 2 ? t->adversarial : t->sample)(p, &draw, x);
        return;
    }
    uint64_t question = k / RUNS;
    const signed char *sign = r->sign + question * (uint64_t)r->n;
    t->nth(p, AT_ENUM_PAIRS, question * ((uint64_t)r->n + 1), x);
    for (int j = 0; j < r->n; j++) {
        int one = k % RUNS < 2 ? sign[j] : 1;
        x[(size_t)j * (size_t)r->row + (size_t)r->column] += (k % 2 ? -one : one) * r->unit;
    }
}

at_status reduction_make(const at_model *m, const at_task *t, const at_params *p, const at_question *q,
                         const at_check_env *env, at_arena *a, reduction *r, at_err *err)
{
    *r = (reduction){.exact = true};
    if (!(t->enums & 1u << q->how))
        return at_fail(err, AT_EREFUSED, "task %s cannot be enumerated by %s", t->id, at_enum_names[q->how]);
    r->count = t->count(p, q->how);
    switch (q->how) {
    case AT_ENUM_SEQUENCES:
    case AT_ENUMS:
        return AT_OK;
    case AT_ENUM_MULTISETS:
        if (!t->symmetric || !at_model_symmetric(m))
            return at_fail(err, AT_EREFUSED,
                           "multisets stand for all sequences only in a symmetric task and model");
        r->note = "every multiset; permuting positions permutes the outputs (no positions, no mask)";
        return AT_OK;
    case AT_ENUM_SUBSETS:
        r->exact = false; /* every query, but not every vector */
        r->note = "every subset is a query; the vectors are drawn";
        return AT_OK;
    case AT_ENUM_CASES:
        r->exact = false;
        r->note = "every case of the file; other inputs were not asked";
        return AT_OK;
    case AT_ENUM_PAIRS:
        return r->count ? pairs_plan(m, t, p, q, env, a, r, err) : AT_OK;
    }
    return AT_OK;
}
