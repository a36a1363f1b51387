/* prompts.c: prompts as items of a collision search.
 *
 * What a decoder writes after n rows depends on its state after n-1 of them (or after fewer, when the rows in between are
 * the same), on how many there were, and on the last row. So two prompts that agree in this are continued alike; when other
 * chains are right after them, one continuation is wrong. Chains are compared only where states agree, so prompts need not be drawn from a
 * set of pairwise different chains: pairs that have one chain are passed over. */
#include "prompts.h"

#include <string.h>

double number_bits(at_arith a)
{
    return a.kind == AT_PBIT ? a.bits + a.exp_bits : a.kind == AT_F32 ? 32 : 64;
}

uint64_t prompts_count(const at_subject *s)
{
    uint64_t n = s->chain->count(s->self);
    return n > INT64_MAX ? INT64_MAX : n;
}

at_status prompts_nth(const prompts *p, uint64_t i, double *prompt, int *n, at_err *err)
{
    const at_chain *c = p->s->chain;
    if (c->count(p->s->self) <= INT64_MAX)
        return c->nth(p->s->self, i, prompt, n, err);
    at_rng r = at_rng_at(p->seed, i);
    return c->sample(p->s->self, &r, prompt, n, err);
}

at_status prompts_open(prompts *p, const at_refute_env *env, at_arena *a, at_err *err)
{
    const at_subject *s = p->s;
    size_t longest = (size_t)s->chain->prompt_max(s->self), rows = (size_t)s->chain->rows_max(s->self);
    p->row = (size_t)subject_row(s);
    p->workers = env->threads > 0 ? env->threads : at_cores();
    p->reader = at_new(a, prompt_reader, p->workers);
    for (int k = 0; k < 2; k++)
        if (!(p->pair[k] = at_new(a, double, longest * p->row)) ||
            !(p->rows[k] = at_new(a, double, rows * p->row)))
            return at_oom(err);
    at_status bad = p->reader ? AT_OK : at_oom(err);
    for (int k = 0; k < p->workers && !bad; k++) {
        p->reader[k].prompt = at_new(a, double, longest * p->row);
        if (!p->reader[k].prompt)
            return at_oom(err);
        bad = (s->rounded_sums ? at_generator_new_rounded : at_generator_new)(s->m, s->arith, &p->reader[k].g,
                                                                              err);
    }
    int n;
    if (!bad)
        bad = p->make(p, 0, p->pair[0], &n, err);
    if (!bad)
        bad = at_generator_state(p->reader[0].g, p->pair[0], p->read ? p->read : n - 1, NULL, &p->bytes, err);
    p->bytes += p->row * sizeof(double);
    return bad;
}

void prompts_close(prompts *p)
{
    for (int k = 0; p->reader && k < p->workers; k++)
        at_generator_free(p->reader[k].g);
}

static at_status state_of(void *ctx, int worker, uint64_t i, void *out, at_err *err)
{
    const prompts *p = ctx;
    prompt_reader *k = &p->reader[worker];
    int n;
    size_t bytes, last = p->row * sizeof(double);
    at_status bad = p->make(p, i, k->prompt, &n, err);
    int read = p->read ? p->read : n - 1;
    if (!bad)
        bad = at_generator_state(k->g, k->prompt, read, NULL, &bytes, err);
    if (!bad && bytes + last != p->bytes)
        return at_fail(err, AT_EREFUSED, "prompts of different lengths have states of different sizes");
    if (!bad)
        bad = at_generator_state(k->g, k->prompt, read, out, &bytes, err);
    if (!bad)
        memcpy((char *)out + bytes, k->prompt + (size_t)(n - 1) * p->row, last);
    return bad;
}

/* Other chains are right after the two. What is no prompt has no chain and is of no use. */
static bool useful(void *ctx, uint64_t i, uint64_t k)
{
    const prompts *p = ctx;
    const at_subject *s = p->s;
    uint64_t item[2] = {i, k};
    int n[2], rows[2];
    for (int e = 0; e < 2; e++) {
        at_err none = {0};
        if (p->make(p, item[e], p->pair[e], &n[e], &none) ||
            s->chain->answer(s->self, p->pair[e], n[e], p->rows[e], &rows[e], &none))
            return false;
    }
    return n[0] == n[1] &&
           (rows[0] != rows[1] || memcmp(p->rows[0], p->rows[1], (size_t)rows[0] * p->row * sizeof(double)));
}

at_status prompts_collide(prompts *p, const at_refute_env *env, at_arena *a, at_collision *got, at_pair *out,
                          at_err *err)
{
    const at_collide_job job = {
        .ctx = p, .count = p->count, .bytes = p->bytes, .state = state_of, .useful = useful};
    double cost = work_of_rows(p->s->m, p->read ? p->read : subject_length_max(p->s));
    at_refute_env rest = work_left(env, out, cost);
    at_status bad = at_collide(&job, &rest, got, err);
    if (bad)
        return bad;
    work_spend(out, got->states, cost);
    uint64_t item[2] = {got->first, got->second};
    for (int k = 0; k < 2 && got->found && !bad; k++) {
        double *x = at_new(a, double, (size_t)p->s->chain->prompt_max(p->s->self) * p->row);
        if (!x)
            return at_oom(err);
        bad = p->make(p, item[k], x, &out->x[k].n, err);
        out->x[k].v = x;
    }
    return bad;
}

at_status decoder_check(const at_subject *s, at_err *why)
{
    if (!s->chain)
        return at_fail(why, AT_EREFUSED, "speaks of decoders and their chains only");
    if (!s->m->decode.enabled)
        return at_fail(why, AT_EREFUSED, "the model is no decoder");
    if (s->arith.kind != AT_F32 && s->arith.kind != AT_F64 && s->arith.kind != AT_PBIT)
        return at_fail(why, AT_EREFUSED, "decoders run in f32, f64 or p bits");
    return AT_OK;
}
