/* schedule.c: phases and lifetimes: when each variable is computed, and how long it is kept.
 *
 * Phases. 0 is the embedding; odd phases are MLPs, even ones attention layers. A pointwise step belongs
 * to the first odd phase at or after its arguments' (several levels of one MLP), an attention step to the
 * first even phase after them: as soon as possible, so independent steps share a layer.
 *
 * In a narrow program (at_program_narrow) a pointwise step belongs to the last odd phase that serves all who read it: its arguments are
 * kept, often inputs that others need as well, and it is not.
 *
 * Liveness. What no output depends on has no phase of its own to reach: it gets no unit, head or
 * coordinate, and keeps nothing else alive. */
#include "schedule.h"

#define LEVELS_MAX 60 /* hidden levels of one MLP: a model allows 64 layers */

/* ---- phases ---------------------------------------------------------------------------------------- */

static int phase_of_vec(const schedule *S, at_vec v)
{
    int p = 0;
    for (int k = 0; k < v.n; k++)
        if (S->phase[v.v[k]] > p)
            p = S->phase[v.v[k]];
    return p;
}

static int max2(int a, int b)
{
    return a > b ? a : b;
}

static void live_vec(const schedule *S, at_vec v)
{
    for (int k = 0; k < v.n; k++)
        S->live[v.v[k]] = true;
}

/* Later variables only use earlier ones, so one pass backwards finds everything an output depends on. A
 * step with one live component is needed whole. */
static void schedule_live(const at_program *P, const schedule *S)
{
    live_vec(S, P->out);
    for (at_var id = P->n_vars - 1; id >= 0; id--) {
        const var *v = &P->vars[id];
        if (!S->live[id])
            continue;
        live_vec(S, (at_vec){v->n_args, v->args});
        if (v->op != OP_ATTEND)
            continue;
        const at_attention *a = &P->steps[v->step].a;
        if (v->component > 0)
            S->live[id - v->component] = true;
        live_vec(S, a->query);
        live_vec(S, a->key);
        live_vec(S, a->value);
        live_vec(S, a->wipe);
        if (at_weighting_is(a->weighting, AT_IS_PAIRS)) {
            live_vec(S, a->key2);
            live_vec(S, a->value2);
        }
    }
}

static void latest_vec(int *latest, at_vec v, int p)
{
    for (int k = 0; k < v.n; k++)
        latest[v.v[k]] = latest[v.v[k]] < p ? latest[v.v[k]] : p;
}

/* The last phase that serves all who read a variable, attention staying where it is. */
static void latest_find(const at_program *P, const schedule *S, int *latest)
{
    for (at_var id = 0; id < P->n_vars; id++)
        latest[id] = S->last;
    for (at_var id = P->n_vars - 1; id >= 0; id--) {
        const var *v = &P->vars[id];
        if (!S->live[id])
            continue;
        if (v->op != OP_ATTEND) {
            latest_vec(latest, (at_vec){v->n_args, v->args}, latest[id]);
            continue;
        }
        const at_attention *a = &P->steps[v->step].a;
        latest_vec(latest, a->query, S->phase[id] - 1);
        latest_vec(latest, a->key, S->phase[id] - 1);
        latest_vec(latest, a->value, S->phase[id] - 1);
        if (at_weighting_is(a->weighting, AT_IS_PAIRS)) {
            latest_vec(latest, a->key2, S->phase[id] - 1);
            latest_vec(latest, a->value2, S->phase[id] - 1);
        }
    }
}

/* latest: NULL, or the phase before which no pointwise step is made, unless it is even. */
static void phases_pass(const at_program *P, schedule *S, const int *latest)
{
    S->last = 0;
    for (at_var id = 0; id < P->n_vars; id++) {
        const var *v = &P->vars[id];
        int p = phase_of_vec(S, (at_vec){v->n_args, v->args});
        if (op_is_point(v->op))
            p = max2(p | 1, latest && S->live[id] ? (latest[id] - 1) | 1 : 0);
        else if (v->op == OP_ATTEND) {
            const at_attention *a = &P->steps[v->step].a;
            p = max2(max2(phase_of_vec(S, a->query), phase_of_vec(S, a->key)), phase_of_vec(S, a->value));
            p = max2(p, phase_of_vec(S, a->wipe));
            if (at_weighting_is(a->weighting, AT_IS_PAIRS))
                p = max2(p, max2(phase_of_vec(S, a->key2), phase_of_vec(S, a->value2)));
            p = p % 2 ? p + 1 : p + 2;
        } else if (op_is_input(v->op))
            p = 0;
        /* Levels within an MLP. A form over many units is made narrow before a step reads it: one more
         * level between, where it is a unit or two, keeps the matrices small. */
        int level = 0;
        bool wide = false;
        for (int k = 0; k < v->n_args; k++) {
            at_var a = v->args[k];
            if (S->phase[a] != p)
                continue;
            level = max2(level, S->level[a] + (op_is_point(v->op) && S->wide[a]));
            wide = wide || S->wide[a];
        }
        int deep = op_is_point(v->op) + (v->clean ? CLEAN_LEVELS : 0);
        if (deep && level + deep > LEVELS_MAX) { /* this MLP is as deep as can be: another one */
            p += 2;
            level = 0;
        }
        S->phase[id] = p;
        if (S->live[id])
            S->last = max2(S->last, p);
        S->level[id] = p % 2 ? level + deep : 0;
        S->wide[id] = v->narrow || (op_is_point(v->op) ? point_is_wide(v) : v->op == OP_LINEAR && wide);
    }
}

at_status schedule_phases(const at_program *P, schedule *S, at_arena *arena, at_err *err)
{
    schedule_live(P, S);
    phases_pass(P, S, NULL);
    if (!P->few)
        return AT_OK;
    int *latest = at_new(arena, int, P->n_vars);
    if (!latest)
        return at_oom(err);
    latest_find(P, S, latest);
    phases_pass(P, S, latest);
    return AT_OK;
}

/* ---- lifetimes ---------------------------------------------------------------------------------------- */

/* A linear expression is written to a coordinate of its own only by an MLP that computes one of its parts,
 * and only if it has several; otherwise its parts are kept and it is folded into whoever reads it. */
static bool is_folded(const at_program *P, const schedule *S, at_var v)
{
    const var *x = &P->vars[v];
    return x->op == OP_LINEAR && !S->in_place[v] && (S->phase[v] % 2 == 0 || x->n_args < 2);
}

/* v is used by a step of phase p: the coordinate that holds it, or those of its parts, must last. */
static void use(const at_program *P, schedule *S, at_var v, int p)
{
    const var *x = &P->vars[v];
    if (!is_folded(P, S, v)) {
        S->until[v] = max2(S->until[v], p);
        return;
    }
    for (int k = 0; k < x->n_args; k++)
        use(P, S, x->args[k], p);
}

static void use_vec(const at_program *P, schedule *S, at_vec v, int p)
{
    for (int k = 0; k < v.n; k++)
        use(P, S, v.v[k], p);
}

static void lifetimes_pass(const at_program *P, schedule *S)
{
    for (at_var id = 0; id < P->n_vars; id++)
        S->until[id] = -1;
    use_vec(P, S, P->out, S->last + 1);
    for (at_var id = P->n_vars - 1; id >= 0; id--) {
        const var *v = &P->vars[id];
        int p = S->phase[id];
        if (!S->live[id])
            continue;
        if (v->op == OP_ATTEND) {
            const at_attention *a = &P->steps[v->step].a;
            use_vec(P, S, a->query, p);
            use_vec(P, S, a->key, p);
            use_vec(P, S, a->value, p);
            use_vec(P, S, a->wipe, p);
            if (at_weighting_is(a->weighting, AT_IS_PAIRS)) {
                use_vec(P, S, a->key2, p);
                use_vec(P, S, a->value2, p);
            }
        } else if (op_is_point(v->op) || (v->op == OP_LINEAR && p % 2)) {
            for (int k = 0; k < v->n_args; k++)
                if (S->phase[v->args[k]] < p)
                    use(P, S, v->args[k], p);
        } else if (S->in_place[id]) { /* base + attention: both end here */
            at_var base = v->args[0], mix = v->args[1];
            S->until[base] = max2(S->until[base], p);
            S->until[mix] = max2(S->until[mix], p);
        }
    }
}

/* Two sums cannot both take over the coordinate of one base. */
static bool base_is_taken(const at_program *P, const schedule *S, at_var id)
{
    for (at_var other = 0; other < id; other++)
        if (S->in_place[other] && P->vars[other].args[0] == P->vars[id].args[0])
            return true;
    return false;
}

void schedule_lifetimes(const at_program *P, schedule *S)
{
    for (at_var id = 0; id < P->n_vars; id++) {
        const var *v = &P->vars[id];
        const var *base = v->accumulate ? &P->vars[v->args[0]] : NULL;
        S->in_place[id] = base && S->live[id] && S->phase[v->args[0]] < S->phase[id] &&
                          !is_folded(P, S, v->args[0]) && !base_is_taken(P, S, id);
    }
    for (bool again = true; again;) {
        lifetimes_pass(P, S);
        again = false;
        for (at_var id = 0; id < P->n_vars; id++)
            if (S->in_place[id] && (S->until[P->vars[id].args[0]] > S->phase[id] ||
                                    S->until[P->vars[id].args[1]] > S->phase[id] || S->until[id] < 0 ||
                                    is_folded(P, S, P->vars[id].args[0]))) {
                S->in_place[id] = false;
                again = true;
            }
    }
}
