/* refute.c: refuters one after the other, until one hands over a failing input that holds up when it is run again. */
#include "refute_internal.h"

#include <math.h>
#include <string.h>

#define SHRINK_WORK  2e8 /* multiply-adds for making a finding simpler, and so many runs at least */
#define SHRINK_LEAST 256.0
#define RANDOM_WORK  1e7 /* the rival's least */

const at_refuter *at_refuter_find(const char *id)
{
    return at_registry_find(&at_refuter_registry, id);
}

static bool inputs_equal(const at_subject *s, const at_pair *x, const at_pair *y)
{
    for (int k = 0; k < 2; k++)
        if (x->x[k].n != y->x[k].n ||
            memcmp(x->x[k].v, y->x[k].v, (size_t)x->x[k].n * (size_t)subject_row(s) * sizeof(double)) != 0)
            return false;
    return true;
}

/* Run again, shrunk, and run again once more: *held says whether it does. Outputs of the shrunk pair are equal, as those of what was
 * found; what the note says of states is known of the latter only, and says so. */
static at_status finding_confirm(const at_subject *s, const at_refuter *r, at_arena *a, at_refutation *out,
                                 bool *held, at_err *why, at_err *err)
{
    at_tri is = AT_FALSE;
    at_status bad = AT_OK;
    for (int pass = 0; pass < 2 && !bad; pass++) {
        if (r->single) {
            bad = at_subject_answer(s, &out->pair.x[0], a, &out->answer[0], err);
            is = !bad && !out->answer[0].correct ? AT_TRUE : AT_FALSE;
            if (!bad && is != AT_TRUE)
                at_fail(why, AT_EDOMAIN, "what it found is answered rightly");
        } else
            bad = at_pair_verify(s, &out->pair, a, &is, out->answer, why, err);
        if (!pass && !bad && is == AT_TRUE) {
            at_pair found = out->pair;
            bad = pair_shrink(s, r->single, (uint64_t)fmax(SHRINK_WORK / work_of_input(s), SHRINK_LEAST), a,
                              &out->pair, err);
            if (!bad && !r->single && found.note && !inputs_equal(s, &found, &out->pair) &&
                !(out->pair.note = at_arena_printf(a, "%s (before the two were made simpler)", found.note)))
                bad = at_oom(err);
        }
    }
    *held = !bad && is == AT_TRUE;
    return bad;
}

static at_status refuter_try(const at_subject *s, const at_refuter *r, const at_refute_env *env, at_arena *a,
                             at_refutation *out, at_err *err)
{
    at_attempt *t = &out->attempts[out->n_attempts++];
    at_err words = {0};
    double start = at_now();
    *t = (at_attempt){.id = r->id, .status = r->fits(s, &words)};
    if (!t->status) {
        at_pair p = {.bits = NAN};
        t->status = r->search(s, env, a, &p, &words);
        t->states = p.states;
        t->work = p.work;
        bool held = false;
        if (!t->status) {
            out->pair = p;
            at_status bad = finding_confirm(s, r, a, out, &held, &words, err);
            if (bad)
                return bad;
        }
        if (held) {
            out->refuted = AT_TRUE;
            out->method = r->id;
            at_refutation_place(s, out);
        } else if (!t->status) /* never believed without being seen */
            t->status = AT_EBUDGET;
    }
    t->seconds = at_now() - start;
    t->words = at_arena_strdup(a, words.text);
    if (!t->words)
        return at_oom(err);
    if (t->status && t->status != AT_EBUDGET && t->status != AT_EREFUSED)
        return at_fail(err, t->status, "%s", words.text);
    return AT_OK;
}

at_status at_refute(const at_subject *s, const at_refute_env *env, const char *only, at_arena *a,
                    at_refutation *out, at_err *err)
{
    static const at_refute_env none; /* what NULL means */
    env = env ? env : &none;
    const at_refuter *one = NULL;
    *out = (at_refutation){.refuted = AT_UNKNOWN};
    at_status bad = at_subject_check(s, err);
    if (!bad && only)
        bad = (one = at_registry_need(&at_refuter_registry, only, err)) ? AT_OK : AT_EINPUT;
    out->attempts = at_new(a, at_attempt, at_n_refuters + 1);
    if (bad || !out->attempts)
        return bad ? bad : at_oom(err);
    double start = at_now();
    for (int i = 0; i < at_n_refuters && !bad && out->refuted != AT_TRUE; i++) {
        if (one && at_refuters[i] != one)
            continue;
        at_refute_env left = *env;
        if (env->work > 0 && (left.work = env->work - out->work) <= 0)
            break;
        if (!one && i + 1 < at_n_refuters) /* half of what is left: those that come later must have a turn */
            left.work /= 2;
        bad = refuter_try(s, at_refuters[i], &left, a, out, err);
        out->work += out->attempts[out->n_attempts - 1].work;
        if (!bad && at_cancel_pending())
            bad = at_fail(err, AT_ECANCEL, "interrupted");
    }
    out->seconds = at_now() - start;
    if (bad || subject_listed(s)) /* a list was gone through: drawing from it again finds nothing else */
        return bad;
    /* The rival gets as much as the refuters spent. */
    at_refute_env same = *env;
    same.states = 0;
    same.work = fmax(out->work, RANDOM_WORK);
    return at_refute_random(s, &same, &out->random, err);
}
