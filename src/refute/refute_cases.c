/* refute_cases.c: where all that is known of a problem is a list (a file of cases), every one of them, once.
 *
 * Other searches make inputs of their own; of such a problem nobody knows what would be right there. */
#include "refute_internal.h"

#include <math.h>

static at_status fits(const at_subject *s, at_err *why)
{
    return subject_listed(s) ? AT_OK : at_fail(why, AT_EREFUSED, "speaks of files of cases only");
}

typedef struct {
    const at_subject *s;
    const at_refute_env *env;
    at_arena *a;
    at_pair *out;
    double cost;
    uint64_t right;
} going;

/* Every case of these parameters (of a task; NULL: of the chain), until one is wrong: out->x[0]. *over: the budget ended. */
static at_status cases_run(going *k, const at_params *p, bool *over, at_err *err)
{
    const at_subject *s = k->s;
    uint64_t count = p ? s->task->count(p, AT_ENUM_CASES) : s->chain->count(s->self);
    int most = p ? at_params_int(p, "N") : s->chain->prompt_max(s->self);
    double *x = at_new(k->a, double, (size_t)most *(size_t)subject_row(s) + 1);
    at_status bad = x ? AT_OK : at_oom(err);
    for (uint64_t i = 0; i < count && !bad && !k->out->note; i++) {
        if ((*over = at_refute_over(k->env, k->out->states, k->out->work)))
            return AT_OK;
        at_arena run;
        at_answer y;
        int n = most;
        if (p)
            s->task->nth(p, AT_ENUM_CASES, i, x);
        else
            bad = s->chain->nth(s->self, i, x, &n, err);
        at_arena_init(&run);
        if (!bad)
            bad = at_subject_answer(s, &(at_input){n, x}, &run, &y, err);
        work_spend(k->out, 1, k->cost);
        if (!bad && !y.correct) {
            k->out->x[0] = (at_input){n, x};
            k->out->note = "a case of the file";
        }
        at_arena_release(&run);
        k->right += !bad && !k->out->note;
    }
    return bad;
}

static at_status search(const at_subject *s, const at_refute_env *env, at_arena *a, at_pair *out, at_err *err)
{
    *out = (at_pair){.bits = NAN};
    going k = {.s = s, .env = env, .a = a, .out = out, .cost = work_of_input(s)};
    bool over = false;
    at_status bad = AT_OK;
    if (s->chain)
        bad = cases_run(&k, NULL, &over, err);
    const at_param *row = s->task ? s->task->params : NULL; /* a file of cases has one, N */
    int n = !s->task ? 1 : s->any_length ? (int)row->lo : at_params_int(s->params, "N");
    int last = !s->task ? 0 : s->any_length ? (int)row->hi : n;
    for (; n <= last && !bad && !over && !out->note; n++) {
        at_params p = *s->params;
        bad = at_params_set(&p, "N", n, err);
        if (!bad)
            bad = cases_run(&k, &p, &over, err);
    }
    if (bad || out->note)
        return bad;
    return at_fail(err, AT_EBUDGET, "%s%ju case%s of the file%s right", over ? "the first " : "all ",
                   (uintmax_t)k.right, k.right == 1 ? "" : "s", k.right == 1 ? " is" : " are");
}

const at_refuter refuter_cases = {
    .id = "cases",
    .about = "files of cases: every case is run, one after the other",
    .fits = fits,
    .search = search,
    .single = true,
};
