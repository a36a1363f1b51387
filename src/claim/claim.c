/* claim.c: finding claims, and what all of them share. */
#include <attest/front.h>

#include "shared/claim_copy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const at_claim *at_claim_find(const char *id)
{
    return at_registry_find(&at_claim_registry, id);
}

at_status at_claim_need(const char *id, const at_claim **out, at_err *err)
{
    *out = at_registry_need(&at_claim_registry, id, err);
    return *out ? AT_OK : AT_EINPUT;
}

bool at_claim_has_program(const at_claim *c)
{
    return c->file ? claim_file_has_program(c->file) : c->program != NULL;
}

at_status at_claim_program(const at_claim *c, const at_params *p, at_program **out, at_err *err)
{
    *out = NULL;
    if (!at_claim_has_program(c))
        return at_fail(err, AT_EREFUSED, "claim %s has no program", c->id);
    return c->file ? claim_file_program(c->file, p, out, err) : c->program(p, out, err);
}

double at_claim_tolerance(const at_claim *c, const at_params *p)
{
    return c->file ? claim_file_tolerance(c->file) : c->tolerance ? c->tolerance(p) : 0;
}

static at_status model_make(const at_claim *c, const at_params *p, at_model *m, at_err *err)
{
    if (c->decoder)
        return c->decoder(p, m, err);
    if (c->file)
        return claim_file_model(c->file, p, m, err);
    at_program *P = NULL;
    at_status s = at_claim_program(c, p, &P, err);
    if (!s)
        s = at_assemble(P, m, NULL, err);
    at_program_free(P);
    return s;
}

/* The problem whose chain this is, and its parameters, where the claim has them all. */
static at_status chain_remember(const at_claim *c, const at_params *p, at_model *m, at_err *err)
{
    for (int i = 0; at_problem_name(i); i++) {
        at_problem q = {0};
        at_params own;
        bool all = at_problem_find(at_problem_name(i), &q) && q.chain == c->chain;
        at_params_init(&own, all ? c->chain->params : NULL, all ? c->chain->n_params : 0);
        for (int k = 0; k < own.n; k++)
            if ((all = all && at_params_has(p, own.schema[k].name)))
                own.value[k] = at_params_get(p, own.schema[k].name);
        if (all)
            return at_problem_remember(q.id, NULL, &own, m, err);
    }
    return AT_OK;
}

/* What it is for, unless whoever made it has said so. */
static at_status claim_remember(const at_claim *c, const at_params *p, at_model *m, at_err *err)
{
    const at_task *t;
    at_params tp;
    if (m->problem || c->asks) /* what it asks has no name */
        return AT_OK;
    if (c->chain)
        return chain_remember(c, p, m, err);
    if (at_claim_task(c, p, &t, &tp, NULL) || !t)
        return AT_OK;
    return at_problem_remember(t->id, c->problem ? c->problem->digest : NULL, &tp, m, err);
}

/* The letters of the task, where the model reads its tokens; one answer for a whole word is yes or no. */
static at_status claim_letters(const at_claim *c, const at_params *p, at_model *m, at_err *err)
{
    const at_task *t;
    at_params tp;
    if (c->file || at_claim_task(c, p, &t, &tp, NULL) || !t || !t->word || m->fields[0].words)
        return AT_OK; /* what was read from a file stays as it is */
    at_word *words = at_new(&m->arena, at_word, m->fields[0].size);
    for (int k = 0; words && k < m->fields[0].size; k++)
        t->word(&tp, k, words[k].s);
    m->fields[0].words = words;
    return !words ? at_oom(err) : t->last ? at_model_verdicts(m, err) : at_model_validate(m, err);
}

typedef struct {
    at_model m;
    bool there;
} last_frame;

static at_status frame_keep(void *ctx, uint64_t step, const at_model *m, at_err *err)
{
    last_frame *l = ctx;
    (void)step;
    if (l->there)
        at_model_release(&l->m);
    at_status s = at_model_copy(m, &l->m, err);
    l->there = !s;
    return s;
}

/* The last model of a training. */
static at_status model_train(const at_claim *c, const at_params *p, at_model *m, at_err *err)
{
    last_frame l = {0};
    at_status s = c->film(p, frame_keep, &l, err);
    if (s && l.there)
        at_model_release(&l.m);
    else if (!s)
        *m = l.m;
    return s;
}

bool at_claim_is_limit(const at_claim *c)
{
    return c->trial && !c->group;
}

at_status at_claim_model(const at_claim *c, const at_params *p, at_model *m, at_err *err)
{
    if (c->film)
        return model_train(c, p, m, err);
    if (c->trial)
        return at_fail(err, AT_EREFUSED, "claim %s is %s: it has no model of its own", c->id,
                       at_claim_is_limit(c) ? "a limit" : "checked by trials");
    at_status s = model_make(c, p, m, err);
    if (s)
        return s;
    s = claim_letters(c, p, m, err);
    if (!s)
        s = claim_remember(c, p, m, err);
    if (s)
        at_model_release(m);
    return s;
}

at_status claim_certificate_of(const at_problem *p, at_claim *c, at_err *err)
{
    const at_task *t = p->task;
    for (int i = 0; i < at_n_catalogue; i++) {
        const at_claim *of = at_catalogue[i];
        if (!of->task || strcmp(of->task, p->id) != 0 || !(of->split || of->box))
            continue;
        c->split = of->split;
        c->box = of->box;
        return AT_OK;
    }
    if (t->enums >> AT_ENUM_CASES & 1)
        return at_fail(err, AT_EREFUSED, "%s lists cases, and a certificate is about all inputs of a size",
                       p->id);
    if (t->real || !(t->enums >> AT_ENUM_SEQUENCES & 1))
        return at_fail(err, AT_EREFUSED,
                       "no case split and no boxes are known for %s, and its %s: nothing can be certified",
                       p->id, t->real ? "answers are reals" : "inputs cannot be listed");
    return AT_OK;
}

at_status at_claim_task(const at_claim *c, const at_params *p, const at_task **t, at_params *tp, at_err *err)
{
    const at_problem *of = c->problem;
    at_status bad = c->asks ? c->asks(p, &of, err) : AT_OK;
    if (bad)
        return bad;
    if (of ? !of->task || c->chain : !c->task) {
        *t = NULL;
        at_params_init(tp, NULL, 0);
        return AT_OK;
    }
    if (!(*t = of ? of->task : at_task_find(c->task)))
        return at_fail(err, AT_EINPUT, "claim %s: unknown task '%s'", c->id, c->task);
    at_params_init(tp, (*t)->params, (*t)->n_params);
    tp->of = of;
    for (int k = 0; k < tp->n; k++)
        if (at_params_has(p, tp->schema[k].name)) {
            at_status s = at_params_set(tp, tp->schema[k].name, at_params_get(p, tp->schema[k].name), err);
            if (s)
                return s;
        }
    if ((*t)->length && !at_params_has(p, "N")) {
        at_status s = at_params_set(tp, "N", (*t)->length(tp), err);
        if (s)
            return s;
    }
    return (*t)->validate ? (*t)->validate(tp, err) : AT_OK;
}

/* ---- cells -------------------------------------------------------------------------------------------------- */

static const char arith_is[] = "arith=";

static bool control_of_arith(const at_cell *cell)
{
    return cell->control && strncmp(cell->control, arith_is, sizeof arith_is - 1) == 0;
}

const char *at_cell_arith(const at_cell *cell)
{
    return control_of_arith(cell) ? cell->control + sizeof arith_is - 1 : cell->arith;
}

at_status at_cell_sweep(const at_claim *c, const at_cell *cell, at_tier tier, const char *set, at_sweep *out,
                        at_err *err)
{
    at_sweep_init(out, c->params, c->n_params);
    out->first.of = c->problem;
    at_status s = at_sweep_parse(out, tier == AT_TIER_QUICK && cell->quick ? cell->quick : cell->params, err);
    if (!s && set)
        s = at_sweep_parse(out, set, err);
    return !s && cell->control && !control_of_arith(cell) ? at_sweep_parse(out, cell->control, err) : s;
}

at_status at_claim_chain_open(const at_claim *c, const at_params *p, void **self, at_err *err)
{
    at_params of = *p;
    if (c->file)
        of.of = claim_file_problem(c->file, p);
    return c->chain->open(&of, self, err);
}

static at_status chain_check(const at_claim *c, const at_params *p, const at_model *m, const at_question *q,
                             const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    void *self;
    at_status s = at_claim_chain_open(c, p, &self, err);
    if (s)
        return s;
    s = at_check_chain(m, c->chain, self, q, env, a, out, err);
    c->chain->close(self);
    return s;
}

/* How many are wrong, where that was asked. */
static at_status wrong_note(const at_cell *cell, at_arena *a, at_verdict *out, at_err *err)
{
    char wrong[32], all[32];
    if (!cell->count_all || !out->wrong)
        return AT_OK;
    out->note =
        at_arena_printf(a, "wrong on %s of %s inputs%s%s", at_count_text(wrong, out->wrong),
                        at_count_text(all, out->inputs), out->note ? "; " : "", out->note ? out->note : "");
    return out->note ? AT_OK : at_oom(err);
}

at_status at_claim_check(const at_claim *c, const at_cell *cell, const at_params *p, const at_model *m,
                         uint64_t limit, uint64_t seed, const at_check_env *env, at_arena *a, at_verdict *out,
                         at_err *err)
{
    if (c->trial) {
        at_status bad = c->trial(p, cell, limit, seed, env, a, out, err);
        out->margin = NAN; /* there is no model to have one */
        return bad;
    }
    const at_task *t;
    at_params tp;
    at_question q = {.evidence = cell->evidence,
                     .how = cell->how,
                     .limit = limit,
                     .seed = seed,
                     .count_all = cell->count_all,
                     .plain = cell->plain,
                     .tolerance = at_claim_tolerance(c, p)};
    at_status s = at_arith_parse(at_cell_arith(cell), &q.arith, err);
    if (s)
        return s;
    if (cell->evidence == AT_EV_CERTIFIED && c->split) {
        at_err why = {0};
        s = at_check_certified(m, p, c->split, env, a, out, &why);
        if (s != AT_EREFUSED || !c->file)
            return s ? at_fail(err, s, "%s", why.text) : AT_OK;
    } /* a model of another shape: input by input */
    if (c->chain) {
        s = chain_check(c, p, m, &q, env, a, out, err);
        return s ? s : wrong_note(cell, a, out, err);
    }
    s = at_claim_task(c, p, &t, &tp, err);
    if (!s && cell->evidence == AT_EV_CERTIFIED && c->box)
        return at_check_box(m, p, c->box, t, &tp, q.tolerance, env, a, out, err);
    if (!s)
        s = at_check(m, t, &tp, &q, env, a, out, err);
    return s ? s : wrong_note(cell, a, out, err);
}

double claim_eps(const at_params *p)
{
    return at_params_get(p, "eps");
}

at_status claim_copy_domain(const at_params *p, at_err *err)
{
    double eps = claim_eps(p), M = at_params_get(p, "M");
    return eps <= M ? AT_OK : at_fail(err, AT_EDOMAIN, "eps=%g: must be at most M, and M is %g", eps, M);
}

void claim_circle(at_program *P, at_var x, int M, at_var *cosx, at_var *sinx)
{
    double *table = at_calloc(2 * (size_t)M, sizeof *table);
    if (!table) {
        at_program_oom(P);
        return;
    }
    for (int r = 0; r < M; r++) {
        table[r] = at_cos(2 * M_PI / M * r);
        table[M + r] = at_sin(2 * M_PI / M * r);
    }
    *cosx = at_lookup(P, "cos", x, table);
    *sinx = at_lookup(P, "sin", x, table + M);
    at_free(table);
}

#define MOST_AVERAGE 4096 /* key width and dimension of the vectors */

void claim_average_emit(at_program *P, const claim_average *a)
{
    at_var v[3][MOST_AVERAGE];
    if (a->m > MOST_AVERAGE || a->d > MOST_AVERAGE) {
        at_program_fail(P, "width %d is above %d", a->m > a->d ? a->m : a->d, MOST_AVERAGE);
        return;
    }
    at_program_lengths(P, a->N);
    at_var z = at_reals(P, "z", a->d, -1, 1);
    at_var y = at_subset(P, "y", a->N, a->q);
    at_var first[3] = {at_lookup_rows(P, "w", y, a->m, a->queries), at_position_rows(P, "u", a->m, a->keys),
                       z};
    int n[3] = {a->m, a->m, a->d};
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < n[r]; k++)
            v[r][k] = first[r] + k;
    at_var mean = at_attend(P, "mean",
                            &(at_attention){.query = {a->m, v[0]},
                                            .key = {a->m, v[1]},
                                            .value = {a->d, v[2]},
                                            .weighting = AT_SOFTMAX,
                                            .scale = a->scale,
                                            .gap = a->gap,
                                            .error = a->eps});
    for (int k = 0; k < a->d; k++)
        v[2][k] = mean + k;
    at_emit(P, (at_vec){a->d, v[2]}, AT_READ_RAW, 0);
}

/* ---- least precision --------------------------------------------------------------------------------------- */

at_status claim_least_precision(const at_claim *c, const at_params *p, uint64_t inputs, int threads,
                                double *least, at_err *err)
{
    double largest;
    return claim_precision_and_size(c, p, inputs, threads, least, &largest, err);
}

at_status claim_precision_and_size(const at_claim *c, const at_params *p, uint64_t inputs, int threads,
                                   double *least, double *largest, at_err *err)
{
    at_model m;
    at_size z;
    *least = *largest = NAN;
    at_status s = at_claim_model(c, p, &m, err);
    if (s)
        return s;
    at_model_size(&m, &z);
    *largest = z.largest;
    at_check_env env = {.threads = threads};
    bool holds = true; /* not monotone by nature: every p from 53 down is tried, until one fails */
    for (int bits = 53; bits >= 2 && holds && !s; bits--) {
        char arith[16];
        snprintf(arith, sizeof arith, "p%d", bits);
        at_cell cell = {.evidence = AT_EV_SAMPLED, .arith = arith, .plain = true};
        at_arena a;
        at_arena_init(&a);
        at_verdict v;
        s = at_claim_check(c, &cell, p, &m, inputs, 1, &env, &a, &v, err);
        holds = !s && v.holds == AT_TRUE;
        if (holds)
            *least = bits;
        at_arena_release(&a);
    }
    at_model_release(&m);
    return s;
}
