/* CLAIM indistinguishable: inputs of the deepest player that an L-layer decoder's other positions never see.
 *
 * Source: Chen, Peng, Wu 2024 ("Theoretical limitations of multi-layer Transformer"), theorem 4.1, lemmas 4.3 and 4.4.
 * Statement: let R_{>=L} be inputs of player L and Z_{<L} = Z_{-1} x ... x Z_{L-1} inputs of the others (Z_{-1} all) such that
 * on every z in Z_{<L} all of R_{>=L} send the same messages to players below L in all L epochs. If
 * |R_{>=L}| > N_{L-1}^(N_{L-1} - n_{L-1} |I|), I the values i_{L-1} that Z_{<L} reaches, then the decoder errs.
 *
 * Proof (lemma 4.3): 1. Functions that agree on all n_{L-1} |I| points (w, i) number at most the right side, so two members
 *      of R_{>=L} differ at a point that some z in Z_{<L} asks for.
 *   2. Player -1 has the same messages for both, so says the same; the answers differ.
 * That such sets exist for every small decoder (lemma 4.4) needs sizes that are astronomical. Here: one decoder after the other,
 * at sizes where all prompts can be run (refute_decoder.c: level by level, l = 2..L, by pigeonhole over what players below l
 * see in layers 1..l). For each: is there a decomposition, does it stand the definition when that is gone through pair by
 * pair, and which pair of prompts refutes the decoder.
 *
 * Differs from the paper: views (what messages make of a player's rows, at p bits) stand for messages; see refute_decoder.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../refute/decoder.h"
#include "../claim_internal.h"
#include "../shared/hard_layers.h"

enum { PAIRS, DECOMPOSITIONS };
static const char *const parts[] = {"pairs", "decompositions", NULL};

static const at_param params[] = {
    {"part", "what every decoder must have: a pair that refutes it, or a decomposition", 0, 1, PAIRS, true,
     parts},
    {"L", "functions, players, layers", 2, 4, 2, true},
    {"m", "values of z_0", 1, 4, 2, true},
    {"n1", "values of w_1", 1, 4, 2, true},
    {"n2", "values of w_2 (1 where L is at most 2)", 1, 4, 1, true},
    {"n3", "values of w_3 (1 where L is at most 3)", 1, 4, 1, true},
    {"D", "width of the residual stream", 1, 64, 8, true},
    {"H", "heads", 1, 8, 1, true},
    {"d", "width of a head", 1, 16, 2, true},
    {"p", "bits", 2, 25, 4, true},
    {"steps", "steps of training, for every tenth decoder", 0, 10000, 200, true},
    {"models", "decoders of a row of the table", 1, 1000, 20, true},
    {"correct", "1: the catalogue's decoder, which has a layer more", 0, 1, 0, true},
    {"spoil", "1: one input is put into R that does not belong there", 0, 1, 0, true},
};

#define TO_SHOW     2   /* pairs that a certificate shows */
#define RANDOM_MOST 300 /* inputs of random search, a decoder */

typedef struct {
    at_subject s; /* without a model */
    at_params params;
    hard_arch arch;
    int steps, threads;
    bool correct, spoil;
    const at_check_env *env;
} experiment;

typedef struct {
    uint64_t models, trained;
    uint64_t exists, counted, rechecked,
        spoilt;        /* decompositions; those that stood the definition, and not */
    uint64_t compared; /* pairs of the definition */
    uint64_t pairs[DECODER_NONE + 1], verified, random;
    int reach, most; /* the largest |I| and |R| */
    char *first;     /* the first decomposition, in words */
} tally;

/* ---- in words ------------------------------------------------------------------------------------------------- */

/* Function number k on n values: its values, as digits. */
static void function_print(at_text *t, int k, int n, int tokens)
{
    char s[16] = "";
    for (int j = tokens - 1; j >= 0; j--) {
        s[j] = (char)('0' + k % n);
        k /= n;
    }
    at_text_add(t, s);
}

static void set_print(at_text *t, const char *name, const decoder_set *set, int n, int tokens)
{
    enum { SHOWN = 6 };
    at_text_addf(t, "%s = {", name);
    for (int k = 0; k < set->n && k < SHOWN; k++) {
        at_text_add(t, k ? ", " : "");
        function_print(t, set->at[k], n, tokens);
    }
    at_text_add(t, set->n > SHOWN ? ", ...}" : "}");
}

/* Z_0, ..., Z_{L-1} and R of the last level. */
static char *decomposition_print(const experiment *x, const decoder_decomposition *d, at_arena *a)
{
    static const char *const sides[] = {NULL, "n1", "n2", "n3"};
    const decoder_level *level = &d->level[d->levels - 1];
    char name[16];
    int n = at_params_int(&x->params, "m");
    at_text t;
    at_text_init(&t);
    set_print(&t, "Z_0", &level->Z[1], n, 1);
    for (int l = 1; l <= level->l; l++) {
        n *= l > 1 ? at_params_int(&x->params, sides[l - 1]) : 1;
        snprintf(name, sizeof name, l < level->l ? "Z_%d" : "R", l);
        at_text_add(&t, ", ");
        set_print(&t, name, l < level->l ? &level->Z[l + 1] : &level->R, n, n);
    }
    char *s = t.oom ? NULL : at_arena_strdup(a, t.s);
    at_text_release(&t);
    return s;
}

/* ---- one decoder ------------------------------------------------------------------------------------------------ */

/* An input of player L that was not in R takes the place of its last member: the definition must notice. */
static void level_spoil(const decoder_study *d, decoder_level *level)
{
    int all = d->players[d->L + 1], *last = &level->R.at[level->R.n - 1];
    for (int r = 0; r < all; r++) {
        bool in = false;
        for (int k = 0; k < level->R.n; k++)
            in = in || level->R.at[k] == r;
        if (!in) {
            *last = r;
            return;
        }
    }
}

/* Every level again, by the definition. */
static at_status levels_recheck(const experiment *x, const at_subject *s, decoder_study *d, at_arena *a,
                                tally *t, at_err *err)
{
    bool holds = true;
    if (x->spoil)
        level_spoil(d, &d->d.level[d->d.levels - 1]);
    for (int k = 0; k < d->d.levels; k++) {
        bool level = false;
        at_status st = decoder_recheck(s, &d->d.level[k], a, &level, &t->compared, err);
        if (st)
            return st;
        holds = holds && level;
    }
    t->rechecked += holds;
    t->spoilt += !holds;
    return AT_OK;
}

static at_status pair_check(const at_subject *s, const int prompt[2], at_arena *a, bool *is_pair, at_err *err)
{
    int N = at_params_int(s->params, "N");
    double *x = at_new(a, double, 2 * N);
    at_answer y[2];
    at_tri is;
    if (!x)
        return at_oom(err);
    for (int k = 0; k < 2; k++)
        s->task->nth(s->params, AT_ENUM_SEQUENCES, (uint64_t)prompt[k], x + k * N);
    at_pair pair = {.x = {{N, x}, {N, x + N}}};
    at_status st = at_pair_verify(s, &pair, a, &is, y, NULL, err);
    *is_pair = is == AT_TRUE;
    return st;
}

/* To whoever writes a certificate. */
static at_status pair_show(const experiment *x, const at_subject *s, const int prompt[2], at_arena *a,
                           at_err *err)
{
    int N = at_params_int(s->params, "N");
    double *v = at_new(a, double, 2 * N);
    if (!v)
        return at_oom(err);
    for (int k = 0; k < 2; k++)
        s->task->nth(s->params, AT_ENUM_SEQUENCES, (uint64_t)prompt[k], v + k * N);
    const at_input both[] = {{N, v}, {N, v + N}};
    at_witness w = {.kind = "pair",
                    .m = s->m,
                    .arith = s->arith,
                    .task = s->task,
                    .params = s->params,
                    .x = both,
                    .n = 2};
    return x->env->witness(x->env->ctx, &w, err);
}

static at_status decoder_try(const experiment *x, const at_model *m, uint64_t seed, at_arena *a, tally *t,
                             at_err *err)
{
    at_subject s = x->s;
    s.m = m;
    s.params = &x->params;
    at_mark mark = at_arena_mark(a);
    decoder_study d;
    bool is = false;
    at_status st = at_subject_check(&s, err);
    if (!st && !x->correct)
        st = decoder_fits(&s, err);
    if (!st)
        st = decoder_examine(&s, x->threads, a, &d, err);
    if (st)
        return st;
    t->pairs[d.best]++;
    if (d.best != DECODER_NONE)
        st = pair_check(&s, d.pair, a, &is, err);
    t->verified += is;
    if (!st && is && !x->spoil && x->env->witness && t->verified <= TO_SHOW)
        st = pair_show(x, &s, d.pair, a, err);
    bool show = d.d.exists && !t->first;
    if (!st && d.d.exists) {
        t->exists++;
        t->counted += d.d.counted;
        t->reach = d.d.reachable > t->reach ? d.d.reachable : t->reach;
        t->most = d.d.level[d.d.levels - 1].R.n > t->most ? d.d.level[d.d.levels - 1].R.n : t->most;
        if (show && !(t->first = decomposition_print(x, &d.d, a)))
            st = at_oom(err);
        if (!st)
            st = levels_recheck(x, &s, &d, a, t, err);
        if (!st && !x->spoil) { /* and the pair in it, of course, is one */
            st = pair_check(&s, d.d.prompt, a, &is, err);
            t->rechecked -= !is;
        }
    }
    at_random_search random = {0};
    if (!st)
        st = at_refute_random(&s, &(at_refute_env){.states = RANDOM_MOST, .seed = seed}, &random, err);
    t->random += random.pair;
    if (!show)
        at_arena_reset(a, mark);
    return st;
}

/* ---- many --------------------------------------------------------------------------------------------------------- */

static at_status experiment_init(const at_params *p, int threads, experiment *x, at_err *err)
{
    const at_task *t = at_task_find("funccomp");
    static const char *const names[] = {"L", "m", "n1", "n2", "n3"};
    *x = (experiment){.threads = threads};
    at_params_init(&x->params, t->params, t->n_params);
    for (int k = 0; k < COUNT(names); k++) {
        at_status s = at_params_set(&x->params, names[k], at_params_get(p, names[k]), err);
        if (s)
            return s;
    }
    at_status s = at_params_set(&x->params, "N", t->length(&x->params), err);
    if (!s)
        s = t->validate(&x->params, err);
    if (s)
        return s;
    int values = 1;
    for (int k = 1; k < COUNT(names); k++)
        values *= at_params_int(p, names[k]);
    x->correct = at_params_int(p, "correct");
    x->spoil = at_params_int(p, "spoil");
    x->steps = at_params_int(p, "steps");
    x->s = (at_subject){.task = t, .arith = {AT_PBIT, x->correct ? 24 : at_params_int(p, "p"), 10}};
    x->arch = (hard_arch){.vocabulary = values,
                          .answers = values,
                          .length = at_params_int(&x->params, "N"),
                          .width = at_params_int(p, "D"),
                          .layers = at_params_int(p, "L"),
                          .heads = at_params_int(p, "H"),
                          .dim = at_params_int(p, "d"),
                          .last = true,
                          .strict = true};
    return AT_OK;
}

static at_status model_make(const experiment *x, const at_params *p, bool trained, uint64_t seed, at_model *m,
                            at_err *err)
{
    if (x->correct) {
        const at_claim *c = at_claim_find("funccomp");
        at_params q;
        at_params_init(&q, c->params, c->n_params);
        static const char *const names[] = {"L", "m", "n1", "n2", "n3"};
        for (int k = 0; k < COUNT(names); k++) {
            at_status s = at_params_set(&q, names[k], at_params_get(p, names[k]), err);
            if (s)
                return s;
        }
        return at_claim_model(c, &q, m, err);
    }
    at_status s = hard_layers_draw(&x->arch, seed, m, err);
    if (!s && trained && (s = hard_layers_train(m, x->s.task, &x->params, x->steps, seed, err)))
        at_model_release(m);
    return s;
}

static at_status decoders_try(const at_params *p, uint64_t models, uint64_t trained, uint64_t seed,
                              const at_check_env *env, at_arena *a, tally *t, at_err *err)
{
    static const at_check_env none; /* what NULL means */
    env = env ? env : &none;
    experiment x;
    at_status s = experiment_init(p, env->threads, &x, err);
    x.env = env;
    *t = (tally){.models = models, .trained = trained};
    for (uint64_t k = 0; k < models + trained && !s; k++) {
        at_model m;
        if (at_cancel_pending())
            return at_fail(err, AT_ECANCEL, "interrupted");
        at_progress_tick(env->progress, "decoders", (double)k, (double)(models + trained));
        if ((s = model_make(&x, p, k >= models, seed * 0x10001u + k, &m, err)))
            break;
        s = decoder_try(&x, &m, seed + k, a, t, err);
        at_model_release(&m);
    }
    return s;
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    bool correct = at_params_int(p, "correct"), spoil = at_params_int(p, "spoil");
    uint64_t models = correct ? 1 : limit, trained = correct ? 0 : (limit + 9) / 10, all = models + trained;
    tally t;
    at_status s = decoders_try(p, models, trained, seed, env, a, &t, err);
    if (s)
        return s;
    uint64_t wanted = at_params_int(p, "part") == PAIRS ? t.verified : t.rechecked;
    bool sound = t.rechecked == t.exists && t.verified == all - t.pairs[DECODER_NONE];
    *out = (at_verdict){.evidence = cell->evidence, .inputs = all, .margin = NAN};
    out->holds = !sound || !wanted ? AT_FALSE : wanted == all ? AT_TRUE : AT_UNKNOWN;
    if (correct)
        out->note =
            at_arena_printf(a, "the decoder with a layer more is %srefuted: %ju pairs; random search %ju",
                            t.verified || t.random ? "" : "not ", (uintmax_t)t.verified, (uintmax_t)t.random);
    else if (spoil)
        out->note = at_arena_printf(a, "of %ju decompositions %ju do not stand the definition",
                                    (uintmax_t)t.exists, (uintmax_t)t.spoilt);
    else
        out->note = at_arena_printf(a,
                                    "%ju random, %ju trained decoders: %ju decompositions (%ju by lemma "
                                    "4.3's count), %ju rechecked on %ju pairs, "
                                    "|R| <= %d, |I| <= %d; pairs: %ju unseen by all, %ju last state, %ju "
                                    "readout, %ju other prompts, none for %ju; "
                                    "random search %ju; first: %s",
                                    (uintmax_t)models, (uintmax_t)trained, (uintmax_t)t.exists,
                                    (uintmax_t)t.counted, (uintmax_t)t.rechecked, (uintmax_t)t.compared,
                                    t.most, t.reach, (uintmax_t)t.pairs[DECODER_VIEWS],
                                    (uintmax_t)t.pairs[DECODER_STATE], (uintmax_t)t.pairs[DECODER_VALUE],
                                    (uintmax_t)t.pairs[DECODER_OTHER], (uintmax_t)t.pairs[DECODER_NONE],
                                    (uintmax_t)t.random, t.first ? t.first : "none");
    return out->note ? AT_OK : at_oom(err);
}

/* ---- how often, by precision ---------------------------------------------------------------------------------------- */

static at_status share_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)c;
    uint64_t models = (uint64_t)at_params_int(p, "models");
    tally t;
    at_arena a;
    at_arena_init(&a);
    at_status s = decoders_try(p, models, 0, 1, &(at_check_env){.threads = threads}, &a, &t, err);
    at_arena_release(&a);
    if (s)
        return s;
    double share[] = {(double)t.exists, (double)t.counted};
    uint64_t sum = 0;
    out[0] = at_params_get(p, "p");
    out[1] = share[0] / (double)models;
    out[2] = share[1] / (double)models;
    for (int k = DECODER_VIEWS; k < DECODER_NONE; k++)
        out[3 + k] = (double)(sum += t.pairs[k]) / (double)models;
    out[3 + DECODER_NONE] = (double)t.random / (double)models;
    return AT_OK;
}

#define ROW(p) "D=4 models=20 p=" #p
static const at_claim_table tables[] = {{
    .id = "share",
    .title = "share of 20 random decoders (L = 2, m = n1 = 2, D = 4, one head of width 2) that have a "
             "decomposition, and that are "
             "refuted by two z_L that no message, state or readout separates, or by any two prompts",
    .columns = (const char *const[]){"p", "decomposition", "by count", "message", "state", "readout",
                                     "prompts", "random", NULL},
    .x = "p",
    .rows = (const char *const[]){ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(8), ROW(10), NULL},
    .quick_rows = 1,
    .row = share_row,
}};

static const at_cell cells[] = {
    {"p=3 D=4", NULL, AT_EV_REFUTED, 0, "p3", 40, AT_TIER_QUICK, "p=3 D=4 steps=20"},
    {"part=decompositions p=2 D=4 d=1", NULL, AT_EV_REFUTED, 0, "p2", 40, AT_TIER_QUICK,
     "part=decompositions p=2 D=4 d=1 steps=20"},
    {"p=4", NULL, AT_EV_REFUTED, 0, "p4", 200, AT_TIER_FULL, NULL},
    {"L=3 n1=1 n2=2 p=2 D=4 d=1", NULL, AT_EV_REFUTED, 0, "p2", 10, AT_TIER_FULL, NULL},
    {"p=4", "correct=1", AT_EV_REFUTED, 0, "p24", 10, AT_TIER_QUICK, NULL},
    {"part=decompositions p=2 D=4 d=1 steps=20", "spoil=1", AT_EV_REFUTED, 0, "p2", 40, AT_TIER_QUICK, NULL},
};

const at_claim claim_indistinguishable = {
    .id = "indistinguishable",
    .title = "Inputs that no message of an L-layer decoder separates",
    .source = "Chen, Peng, Wu 2024, theorem 4.1, lemmas 4.3 and 4.4",
    .statement = "When all inputs of player L in R send the same messages to the players below, on all of Z, "
                 "and R has more members "
                 "than there are functions that agree on what Z reaches, an L-layer strict-causal decoder "
                 "errs on L-sequential "
                 "composition.",
    .proof = "Two members of R differ at a point that Z asks for; the last position has the same messages "
             "for both, hence one "
             "answer. Small decoders: all prompts are run, R and Z are found level by level, and the "
             "definition is gone through "
             "again pair by pair.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
    CLAIM_TABLES,
};
