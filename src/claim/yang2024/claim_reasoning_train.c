/* CLAIM reasoning-train: what width a decoder needs to learn chains of thought, standard attention beside linear and block-sparse.
 *
 * Source: Yang et al. 2024, section 5 (figure 1): with standard attention one width is enough for every size; with linear and
 * block-sparse attention the width that is needed grows with the size, most on LIS.
 *
 * This is measured, not proved: trainings with one recipe for all attentions, from the same seed, on the longest increasing
 * subsequence, examined on prompts that were never trained on. A width is enough when 90% of the answers are right; nearer to 90%
 * than three standard deviations of such an exam nothing is said.
 *
 * Parts, `first` beside `second`:
 *   needs   at n the width is enough for the first and not for the second: the second needs more
 *   grows   at the smaller size m it is enough for both, at n for the first alone: the need of the second grows, that of the
 *           first does not
 * Control: the two exchanged. The grid over widths, sizes and tasks is `attest sweep`; its statements are in docs/sweep.md.
 *
 * Differs from the paper: sizes of 5 to 8 numbers for 40 to 250, two layers for three, minutes for days. */
#include <attest/claim.h>
#include <attest/learn.h>

#include "../shared/claim_limit.h"

#include <math.h>
#include <stdio.h>

#define PROMPTS 500
#define ENOUGH  0.9
#define RECIPE                                                                                               \
    "layers=2 batch=32 words=1.7 rate=0.008 beta2=0.98 dropout=0 steps=1600 exams=0 count=500 "              \
    "attention=%s width=%d seed=%d"

static const char *const parts[] = {"needs", "grows", NULL};
static const at_param params[] = {
    {"part", "what is compared", 0, 1, 0, true, parts},
    {"first", "standard, sparse or linear", 0, AT_TRAINED_ATTENTIONS - 1, AT_ATTENTION_STANDARD, true,
     at_attention_names},
    {"second", "standard, sparse or linear", 0, AT_TRAINED_ATTENTIONS - 1, AT_ATTENTION_LINEAR, true,
     at_attention_names},
    {"exchanged", "1: first and second change places", 0, 1, 0, true, NULL},
    {"n", "numbers of a prompt", 2, 64, 7, true, NULL},
    {"m", "grows: those of the smaller size", 2, 64, 5, true, NULL},
    {"D", "width", 8, 256, 16, true, NULL},
    {"seed", "of weights and samples", 0, 1000000, 1, true, NULL},
};

/* What is right, as a rule (docs/certfile.md) over a prompt x[1..N], whose last token is <sep>: the largest increasing set. */
#define LIS                                                                                                  \
    "fold v = 0 for s in 1..2**(N-1)-1: if all i in 1..N-1: both(s, 2**(i-1)) == 0 or all j in 1..i-1: "     \
    "both(s, 2**(j-1)) == 0 or x[j] < x[i] then max(v, sum i in 1..N-1: both(s, 2**(i-1)) > 0) else v"

/* Prompts of another exam and how many are answered rightly, for whoever writes down what the verdict rests on. */
enum { SHOWN = 200, SHOWN_SEED = 4711 };
typedef struct {
    double *x; /* (SHOWN, n + 1) */
    int n, prompts, right;
} shown;

static void shown_add(void *ctx, const at_exam_case *c)
{
    shown *k = ctx;
    if (!c->asked || c->n_prompt != k->n || k->prompts == SHOWN)
        return;
    for (int i = 0; i < k->n; i++)
        k->x[k->prompts * k->n + i] = c->prompt[i];
    k->prompts++;
    k->right += c->grade.answer == AT_TRUE;
}

static at_status exam_show(const at_model *m, const at_source *d, int n, bool enough, const at_check_env *env,
                           at_arena *a, at_err *err)
{
    shown k = {.x = at_new(a, double, SHOWN *(n + 1)), .n = n + 1};
    at_input in[SHOWN];
    at_exam e;
    at_status s =
        k.x ? at_exam_run(m, d, SHOWN_SEED, AT_TEST, SHOWN,
                          &(at_exam_options){.threads = env->threads, .told = shown_add, .ctx = &k}, &e, err)
            : at_oom(err);
    if (s)
        return s;
    for (int i = 0; i < k.prompts; i++)
        in[i] = (at_input){k.n, k.x + i * k.n};
    const char *more = at_arena_printf(a, ", \"right\": %d, \"enough\": %s, \"share\": %g", k.right,
                                       enough ? "true" : "false", ENOUGH);
    at_witness w = {.kind = "exam",
                    .m = m,
                    .arith = at_f64,
                    .language = "rule",
                    .text = LIS,
                    .x = in,
                    .n = k.prompts,
                    .more = more};
    return more ? env->witness(env->ctx, &w, err) : at_oom(err);
}

/* The share of right answers after a training, and the model. */
static at_status learn(const at_params *p, int attention, int n, const at_check_env *env, at_arena *a,
                       double *share, at_source **source, at_model *m, at_err *err)
{
    const at_stream *lis = at_stream_find("lis");
    char set[64], recipe[256];
    at_params q;
    at_recipe r;
    at_source *d;
    at_outcome o;
    snprintf(set, sizeof set, "n=%d range=%d", n, 5 * n / 2);
    snprintf(recipe, sizeof recipe, RECIPE, at_attention_names[attention], at_params_int(p, "D"),
             at_params_int(p, "seed"));
    at_params_init(&q, lis->params, lis->n_params);
    at_recipe_init(&r);
    at_status s = at_params_parse(&q, set, err);
    if (!s)
        s = at_recipe_set(&r, recipe, err);
    if (!s)
        s = at_source_open(lis, &q, &d, err);
    if (s)
        return s;
    s = at_learn(d, &r, &(at_learn_options){.threads = env->threads, .diverged_ends = true}, a, &o, m, err);
    if (s) {
        at_source_free(d);
        return s;
    }
    *share = at_exam_answer(&o.exam);
    *source = d;
    return AT_OK;
}

/* Is the width enough? UNKNOWN: too near to tell. */
static at_tri enough(double share)
{
    double near = 3 * sqrt(ENOUGH * (1 - ENOUGH) / PROMPTS);
    return fabs(share - ENOUGH) < near ? AT_UNKNOWN : share > ENOUGH ? AT_TRUE : AT_FALSE;
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    static const at_check_env none; /* what NULL means */
    env = env ? env : &none;
    (void)limit, (void)seed; /* an exam has its prompts whatever the tier: fewer would not tell */
    bool exchanged = at_params_int(p, "exchanged"), grows = at_params_int(p, "part") == 1;
    int n = at_params_int(p, "n"), m = at_params_int(p, "m");
    int of[2] = {at_params_int(p, exchanged ? "second" : "first"),
                 at_params_int(p, exchanged ? "first" : "second")};
    const struct {
        int attention, n;
        bool enough;
    } wanted[] = {{of[0], n, true}, {of[1], n, false}, {of[0], m, true}, {of[1], m, true}};
    *out = (at_verdict){.holds = AT_TRUE, .evidence = cell->evidence, .margin = NAN};
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "D = %d on LIS: ", at_params_int(p, "D"));
    at_status s = AT_OK;
    for (int k = 0; k < (grows ? 4 : 2) && !s && out->holds == AT_TRUE; k++) {
        double share = 0;
        at_source *d;
        at_model trained;
        s = learn(p, wanted[k].attention, wanted[k].n, env, a, &share, &d, &trained, err);
        if (s)
            break;
        at_tri got = enough(share);
        out->holds = got == AT_UNKNOWN ? AT_UNKNOWN : (got == AT_TRUE) == wanted[k].enough;
        if (env->witness && (exchanged ? out->holds == AT_FALSE : out->holds == AT_TRUE))
            s = exam_show(&trained, d, wanted[k].n, wanted[k].enough, env, a, err);
        at_model_release(&trained);
        at_source_free(d);
        out->inputs += PROMPTS;
        at_text_addf(&t, "%s%s %.1f%% at n = %d", k ? ", " : "", at_attention_names[wanted[k].attention],
                     100 * share, wanted[k].n);
        if (out->holds != AT_TRUE)
            at_text_addf(&t, ", %s",
                         got == AT_UNKNOWN  ? "too near to 90% to tell"
                         : wanted[k].enough ? "where it should be enough"
                                            : "where it should not be enough");
    }
    out->note = t.oom ? NULL : at_arena_strdup(a, t.s);
    at_text_release(&t);
    return s || out->note ? s : at_oom(err);
}

static const at_cell cells[] = {
    {"part=needs first=standard second=linear", NULL, AT_EV_SAMPLED, 0, "f32", 500, AT_TIER_QUICK, NULL},
    {"part=needs first=standard second=linear", "exchanged=1", AT_EV_SAMPLED, 0, "f32", 500, AT_TIER_QUICK,
     NULL},
    {"part=grows first=standard second=linear", NULL, AT_EV_SAMPLED, 0, "f32", 500, AT_TIER_FULL, NULL},
    {"part=grows first=standard second=sparse", NULL, AT_EV_SAMPLED, 0, "f32", 500, AT_TIER_FULL, NULL},
    {"part=grows first=standard second=sparse", "exchanged=1", AT_EV_SAMPLED, 0, "f32", 500, AT_TIER_FULL,
     NULL},
    {"part=needs first=standard second=linear seed=2", NULL, AT_EV_SAMPLED, 0, "f32", 500, AT_TIER_FULL,
     NULL},
    {"part=needs first=standard second=sparse seed=2", NULL, AT_EV_SAMPLED, 0, "f32", 500, AT_TIER_FULL,
     NULL},
};

const at_claim claim_reasoning_train = {
    .id = "reasoning-train",
    .title = "Linear and block-sparse decoders need more width than standard ones to learn LIS",
    .source = "Yang et al. 2024 (section 5, figure 1)",
    .group = "Learnt",
    .statement =
        "Trained with the same recipe on chains of longest increasing subsequences, a decoder with standard "
        "attention learns with a width that is not enough for linear or block-sparse attention; what these "
        "need grows with the number of inputs where what standard attention needs does not.",
    .proof =
        "None: it is measured. Trainings from scratch, 90% of answers on prompts that were never trained "
        "on; nearer to 90% than three standard deviations nothing is said.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
};
