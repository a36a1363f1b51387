/* simulate.c: protocols beside models, over many inputs.
 *
 * Inputs are cut into stretches of fixed length; each is one job with a protocol of its own, so that results do not depend on threads. */
#include "claim_simulate.h"

#include <stdio.h>
#include <string.h>

enum { STRETCH = 64, SHOWN = 2 /* models that a certificate shows */ };

const char *const claim_source_names[CLAIM_SOURCES + 1] = {"random", "trained", "compiled", NULL};
const char *const claim_merge_names[] = {"exact", "rounded", NULL};

typedef struct {
    const claim_sim *s;
    claim_tally *tally; /* (stretches) */
    at_err *err;        /* (stretches) */
    at_status *status;
} sim_job;

static void tally_talk(claim_tally *t, const at_talk *k, int parties)
{
    if (k->bits >= t->bits) {
        t->query_bits = k->query_bits;
        t->peak_bits = k->peak_bits;
        t->sum_bits = k->sum_bits;
        t->bits = k->bits;
        t->budget = k->budget;
    }
    for (int p = 0; p < parties; p++)
        t->answered = k->answered[p] > t->answered ? k->answered[p] : t->answered;
    t->rounds = k->rounds > t->rounds ? k->rounds : t->rounds;
    t->cut_bits = k->cut_bits > t->cut_bits ? k->cut_bits : t->cut_bits;
    t->edge_bits = k->edge_bits > t->edge_bits ? k->edge_bits : t->edge_bits;
    t->A = k->A > t->A ? k->A : t->A;
    t->number = k->number;
    t->longest_sum = k->longest_sum > t->longest_sum ? k->longest_sum : t->longest_sum;
}

/* said: what party 0 sent in the first run that is alike. */
static at_status sim_one(const claim_sim *s, at_shared *shared, uint64_t i, double *x, at_arena *a,
                         uint64_t *said, claim_tally *t, at_err *err)
{
    at_talk k;
    bool same = false;
    at_input in = {s->n, x};
    at_err over = {0};
    s->input(s->ctx, i, x);
    at_status st = shared       ? at_shared_run(shared, &in, a, &k, &over)
                   : s->congest ? at_congest_run(s->m, s->arith, &in, s->congest, a, &k, &over)
                   : s->told
                       ? at_told_run(s->m, s->arith, &in, s->teller, s->handed, s->query_only, a, &k, &over)
                       : at_handed_run(s->m, s->arith, &in, s->handed, s->query_only, a, &k, &over);
    if (st && st != AT_EBUDGET)
        return at_fail(err, st, "%s", over.text);
    t->runs++;
    if (!st) {
        tally_talk(t, &k, shared ? s->shared->parties : 2);
        st = at_talk_agrees(s->m, s->arith, &in, &k, a, &same, err);
        if (st)
            return st;
        if (s->alike && i % s->alike == 0)
            *said = k.said[0];
    }
    bool unlike = s->alike && !over.code && k.said[0] != *said;
    if ((!same || unlike) && !t->differ && !t->over && !t->unlike)
        snprintf(t->first, sizeof t->first, "input %ju%s%.200s", (uintmax_t)i, over.text[0] ? ": " : "",
                 over.text);
    if (unlike && !t->unlike++)
        t->first_unlike = i;
    t->over += over.code == AT_EBUDGET;
    t->differ += !same && !over.code;
    if (same && s->right && !s->right(s->ctx, i, k.value))
        t->wrong++;
    return AT_OK;
}

static void sim_stretch(void *ctx, size_t part, int worker)
{
    sim_job *j = ctx;
    const claim_sim *s = j->s;
    uint64_t first = (uint64_t)part * STRETCH, end = first + STRETCH < s->count ? first + STRETCH : s->count;
    at_err *err = &j->err[part];
    at_shared *shared = NULL;
    at_arena a;
    (void)worker;
    at_arena_init(&a);
    double *x = at_new(&a, double, (size_t)s->n *(size_t)at_model_row_width(s->m));
    at_status st = x ? AT_OK : at_oom(err);
    uint64_t said = 0;
    claim_tally before = {0}; /* of the run that the first ones are compared with */
    if (!st && s->shared)
        st = at_shared_new(s->m, s->arith, s->n, s->shared, &shared, err);
    if (!st && s->alike && first % s->alike)
        st = sim_one(s, shared, first - first % s->alike, x, &a, &said, &before, err);
    for (uint64_t i = first; i < end && !st; i++) {
        at_mark mark = at_arena_mark(&a);
        st = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted")
                                 : sim_one(s, shared, i, x, &a, &said, &j->tally[part], err);
        at_arena_reset(&a, mark);
    }
    at_shared_free(shared);
    at_arena_release(&a);
    j->status[part] = st;
}

static void tally_join(claim_tally *t, const claim_tally *u)
{
    at_talk k = {.bits = u->bits,
                 .query_bits = u->query_bits,
                 .peak_bits = u->peak_bits,
                 .sum_bits = u->sum_bits,
                 .budget = u->budget,
                 .A = u->A,
                 .number = u->number,
                 .longest_sum = u->longest_sum,
                 .rounds = u->rounds,
                 .cut_bits = u->cut_bits,
                 .edge_bits = u->edge_bits};
    if (u->number)
        tally_talk(t, &k, 0);
    t->answered = u->answered > t->answered ? u->answered : t->answered;
    if ((u->differ || u->over || u->unlike) && !t->differ && !t->over && !t->unlike)
        memcpy(t->first, u->first, sizeof t->first);
    t->runs += u->runs;
    t->differ += u->differ;
    t->over += u->over;
    if (u->unlike && !t->unlike)
        t->first_unlike = u->first_unlike;
    t->unlike += u->unlike;
    t->wrong += u->wrong;
}

/* ---- what a certificate shows: one run of a model -------------------------------------------------------------------- */

static void talk_print(const claim_sim *s, const at_talk *k, const at_text *said, at_text *t)
{
    at_text_addf(t,
                 ", \"query_bits\": %ju, \"peak_bits\": %ju, \"sum_bits\": %ju, \"A\": %d, \"first\": %d, "
                 "\"positions\": %d, \"value\": [",
                 (uintmax_t)k->query_bits, (uintmax_t)k->peak_bits, (uintmax_t)k->sum_bits, k->A, k->first,
                 k->n);
    for (int i = 0; i < k->n * k->rows; i++)
        at_text_addf(t, "%s%.17g", i ? ", " : "", k->value[i]);
    at_text_add(t, "], \"owner\": [");
    for (int i = 0; i < s->n; i++)
        at_text_addf(t, "%s%d", i ? ", " : "", s->shared->owner[i]);
    at_text_addf(t, "], \"asked\": %d, \"rounded\": %s, \"messages\": [%s]", s->shared->query + 1,
                 s->shared->rounded ? "true" : "false", said->n ? said->s : "");
}

/* Input i once more, with all that is said. same: the readout is the model's. said: NULL, or a hash of party 0's bits. */
static at_status run_again(const claim_sim *s, uint64_t i, double *x, at_arena *a, at_text *more, bool *same,
                           uint64_t *said_first, at_err *err)
{
    at_shared *shared = NULL;
    at_talk k;
    at_text said;
    at_text_init(&said);
    s->input(s->ctx, i, x);
    at_input in = {s->n, x};
    at_shared_plan plan = *s->shared;
    plan.transcript = &said;
    at_status st = at_shared_new(s->m, s->arith, s->n, &plan, &shared, err);
    if (!st)
        st = at_shared_run(shared, &in, a, &k, err);
    at_shared_free(shared);
    if (!st)
        st = at_talk_agrees(s->m, s->arith, &in, &k, a, same, err);
    if (!st) {
        talk_print(s, &k, &said, more);
        at_text_addf(more, ", \"same\": %s", *same ? "true" : "false");
        if (said_first)
            *said_first = k.said[0];
    }
    at_text_release(&said);
    return st;
}

/* The first run whose readout is the model's, or (other) is not. */
static at_status talk_show(const claim_sim *s, bool other, const at_check_env *env, at_err *err)
{
    at_arena a;
    at_text more;
    bool same = other;
    at_arena_init(&a);
    at_text_init(&more);
    double *x = at_new(&a, double, (size_t)s->n *(size_t)at_model_row_width(s->m));
    at_status st = x ? AT_OK : at_oom(err);
    for (uint64_t i = 0; i < s->count && i < STRETCH && !st && same == other; i++) {
        more.n = 0;
        st = run_again(s, i, x, &a, &more, &same, NULL, err);
    }
    if (!st && same != other && !more.oom) {
        at_input in = {s->n, x};
        at_witness w = {.kind = "talk", .m = s->m, .arith = s->arith, .x = &in, .n = 1, .more = more.s};
        st = env->witness(env->ctx, &w, err);
    }
    at_text_release(&more);
    at_arena_release(&a);
    return st;
}

at_status claim_simulate_show(const claim_sim *s, uint64_t i, uint64_t j, const at_check_env *env,
                              at_err *err)
{
    if (!env || !env->witness)
        return AT_OK;
    at_arena a;
    at_text more, talks;
    uint64_t said[2] = {0};
    bool same = false;
    size_t row = (size_t)s->n * (size_t)at_model_row_width(s->m);
    at_arena_init(&a);
    at_text_init(&more);
    at_text_init(&talks);
    double *x = at_new(&a, double, 2 * row);
    at_status st = x ? AT_OK : at_oom(err);
    for (int k = 0; k < 2 && !st; k++) {
        more.n = 0;
        st = run_again(s, k ? j : i, x + (size_t)k * row, &a, &more, &same, &said[k], err);
        if (!st) /* what is printed begins with a comma */
            at_text_addf(&talks, "%s{%s}", k ? ",\n" : "", more.s ? more.s + 2 : "");
    }
    more.n = 0;
    at_text_addf(&more, ", \"alike\": %s, \"talks\": [%s]", said[0] == said[1] ? "true" : "false",
                 talks.s ? talks.s : "");
    if (!st && (more.oom || talks.oom))
        st = at_oom(err);
    if (!st) {
        at_input in[2] = {{s->n, x}, {s->n, x + row}};
        at_witness w = {.kind = "alike", .m = s->m, .arith = s->arith, .x = in, .n = 2, .more = more.s};
        st = env->witness(env->ctx, &w, err);
    }
    at_text_release(&talks);
    at_text_release(&more);
    at_arena_release(&a);
    return st;
}

at_status claim_simulate(const claim_sim *s, const at_check_env *env, claim_tally *t, at_err *err)
{
    static const at_check_env none; /* what NULL means */
    env = env ? env : &none;
    size_t parts = (size_t)((s->count + STRETCH - 1) / STRETCH);
    sim_job j = {.s = s,
                 .tally = at_calloc(parts, sizeof *j.tally),
                 .err = at_calloc(parts, sizeof *j.err),
                 .status = at_calloc(parts, sizeof *j.status)};
    at_status st = j.tally && j.err && j.status ? AT_OK : at_oom(err);
    if (!st)
        st = at_parallel(env->threads, parts, sim_stretch, &j, err);
    for (size_t p = 0; p < parts && !st; p++) {
        if (j.status[p])
            st = at_fail(err, j.status[p], "%s", j.err[p].text);
        else
            tally_join(t, &j.tally[p]);
    }
    if (!st && env->witness && s->shared && !s->alike && !t->over &&
        (t->differ ? !t->shown : t->models < SHOWN)) {
        t->shown = t->differ > 0;
        st = talk_show(s, t->shown, env, err);
    }
    t->models += !st;
    at_free(j.tally);
    at_free(j.err);
    at_free(j.status);
    return st;
}

at_status claim_simulate_each(claim_sim *s, claim_make *make, const at_params *p, uint64_t count,
                              uint64_t seed, const at_check_env *env, claim_tally *t, at_err *err)
{
    static const at_check_env none; /* what NULL means */
    env = env ? env : &none;
    at_status st = AT_OK;
    count += !count; /* of a cell that asks none, at parameters of a user's */
    for (uint64_t i = 0; i < count && !st; i++) {
        at_model m;
        at_progress_tick(env->progress, "models", (double)i, (double)count);
        st = make(p, i, seed, &m, err);
        if (st)
            break;
        s->m = &m;
        st = claim_simulate(s, env, t, err);
        at_model_release(&m);
    }
    return st;
}

at_status claim_count_verdict(at_evidence e, uint64_t inputs, bool holds, at_arena *a, at_verdict *out,
                              at_err *err, const char *fmt, ...)
{
    char text[512];
    va_list list;
    va_start(list, fmt);
    vsnprintf(text, sizeof text, fmt, list);
    va_end(list);
    *out = (at_verdict){.holds = holds ? AT_TRUE : AT_FALSE, .evidence = e, .inputs = inputs};
    out->note = at_arena_strdup(a, text);
    return out->note ? AT_OK : at_oom(err);
}

at_status claim_tally_verdict(const claim_tally *t, const char *more, at_arena *a, at_verdict *out,
                              at_err *err)
{
    if (t->over)
        return claim_count_verdict(AT_EV_SIMULATED, t->runs, false, a, out, err,
                                   "%ju of %ju runs break a budget (first: %s)", (uintmax_t)t->over,
                                   (uintmax_t)t->runs, t->first);
    if (t->differ)
        return claim_count_verdict(AT_EV_SIMULATED, t->runs, false, a, out, err,
                                   "%ju of %ju runs give other bits than the model (first: %s)",
                                   (uintmax_t)t->differ, (uintmax_t)t->runs, t->first);
    if (t->unlike)
        return claim_count_verdict(
            AT_EV_SIMULATED, t->runs, false, a, out, err,
            "in %ju of %ju runs Alice sends other bits for the same tokens (first: %s)", (uintmax_t)t->unlike,
            (uintmax_t)t->runs, t->first);
    if (t->wrong)
        return claim_count_verdict(AT_EV_SIMULATED, t->runs, false, a, out, err,
                                   "%ju of %ju answers are wrong", (uintmax_t)t->wrong, (uintmax_t)t->runs);
    return claim_count_verdict(
        AT_EV_SIMULATED, t->runs, t->runs > 0, a, out, err,
        "%ju model%s, %ju runs equal bit for bit; at most %ju bits of %ju allowed (queries %ju, "
        "maxima %ju, sums %ju); A = %d, longest sum %d%s%s",
        (uintmax_t)t->models, t->models == 1 ? "" : "s", (uintmax_t)t->runs, (uintmax_t)t->bits,
        (uintmax_t)t->budget, (uintmax_t)t->query_bits, (uintmax_t)t->peak_bits, (uintmax_t)t->sum_bits, t->A,
        t->longest_sum, more[0] ? "; " : "", more);
}

void claim_prompt_nth(const void *prompts, uint64_t i, double *x)
{
    const claim_prompts *s = prompts;
    at_rng r = at_rng_at(s->seed, i);
    if (s->all)
        s->t->nth(&s->p, AT_ENUM_SEQUENCES, i, x);
    else
        s->t->sample(&s->p, &r, x);
}

at_status claim_compiled(const char *id, const char *params, at_model *m, at_err *err)
{
    const at_claim *c;
    at_status s = at_claim_need(id, &c, err);
    if (s)
        return s;
    at_params p;
    at_params_init(&p, c->params, c->n_params);
    s = at_params_parse(&p, params, err);
    return s ? s : at_claim_model(c, &p, m, err);
}
