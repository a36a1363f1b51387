/* CLAIM ngram-learn: trained decoders learn random n-gram language models, and not with one symbol less in sight
 *
 * Source: Svete, Borenstein, Zhou, Augenstein and Cotterell 2024, "Can Transformers Learn n-gram Language Models?", which trains on random
 * models over the order n, the alphabet and the rank of the logits. Statement: a decoder trained on texts that a random n-gram model drew has
 * probabilities nearer to it, in KL, than any that sees only the last n-2 symbols can have.
 *
 * The stream `ngram` draws the model and its texts of N symbols. The KL of the trained decoder is a sum over all texts, each with its
 * probability (src/learn/shares.c): no text is drawn for it. What the best predictor loses that sees the last k symbols and the position alone is
 *     gap(k) = mean over positions i of H(w_i | w_(i-k) .. w_(i-1)) - H(w_i | all before),
 * a difference of entropies of the model, summed over all texts, too. No training and no size gets a predictor with such a window below
 * it. The claim asks for less than `share` of gap(n-2).
 * Control: a decoder of the same size trained and asked with the last n-2 symbols alone (short=1). */
#include "../claim_internal.h"

#include <attest/learn.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const at_param params[] = {
    {"n", "order of the model", 2, 6, 3, true},
    {"symbols", "size of the alphabet", 2, 16, 2, true},
    {"rank", "of the logits; 0: no bound", 0, 16, 0, true},
    {"N", "symbols of a text", 2, 12, 5, true},
    {"model", "names the random model", 0, 1e9, 1, true},
    {"width", "of the decoder", 8, 256, 16, true},
    {"layers", "of the decoder", 1, 4, 1, true},
    {"steps", "of the training, 64 texts each", 1, 100000, 1000, true},
    {"seed", "of the weights and of the texts that it learns from", 0, 1e6, 1, true},
    {"share", "of what the best predictor with one symbol less loses", 0, 1, 0.5, false},
    {"short", "1: the decoder sees the last n-2 symbols alone", 0, 1, 0, true},
};

enum { BATCH = 64 };
#define RATE 0.01

static at_status source_open(const at_params *p, at_source **out, at_err *err)
{
    static const char *const same[] = {"n", "symbols", "rank", "N", "model"};
    const at_stream *t = at_stream_find("ngram");
    at_params q;
    at_status s = AT_OK;
    at_params_init(&q, t->params, t->n_params);
    for (size_t k = 0; k < sizeof same / sizeof *same && !s; k++)
        s = at_params_set(&q, same[k], at_params_get(p, same[k]), err);
    return s ? s : at_source_open(t, &q, out, err);
}

/* ---- what a short window loses ------------------------------------------------------------------------------------------------ */

typedef struct {
    const at_source *d;
    int seen, V, n; /* symbols in sight; outcomes; positions */
    size_t windows; /* V^seen */
    double *joint;  /* (n, windows, V): of what stands in sight and what follows */
    double entropy; /* with all in sight, summed over positions */
} gap_sum;

/* Every position of a text: what is in sight, and what may follow. */
static at_status gap_row(void *ctx, const int *token, int n, double probability, at_err *err)
{
    gap_sum *g = ctx;
    (void)err;
    for (int i = 1; i < n; i++) {
        size_t window = 0;
        for (int k = i - g->seen; k < i; k++)
            window = window * (size_t)g->V + (k >= 1 ? (size_t)token[k] : 0); /* 0: before the first */
        double p = at_source_probability(g->d, token, i);
        g->joint[((size_t)(i - 1) * g->windows + window) * (size_t)g->V + (size_t)token[i]] += probability;
        g->entropy -= probability * at_log(p);
    }
    return AT_OK;
}

static at_status gap_find(const at_source *d, int seen, double *out, at_err *err)
{
    at_arena a;
    uint64_t rows;
    gap_sum g = {
        .d = d, .seen = seen, .V = at_source_vocabulary(d), .n = at_source_longest(d) - 1, .windows = 1};
    for (int k = 0; k < seen; k++)
        g.windows *= (size_t)g.V;
    at_arena_init(&a);
    g.joint = at_new(&a, double, (size_t)g.n *g.windows *(size_t)g.V);
    at_status s = g.joint ? at_source_rows(d, AT_SHARES_WHOLE, gap_row, &g, &rows, err) : at_oom(err);
    if (!s && rows > AT_SHARES_WHOLE)
        s = at_fail(err, AT_EBUDGET, "more than %d texts; all are summed over", AT_SHARES_WHOLE);
    double H = 0;
    for (size_t w = 0; !s && w < (size_t)g.n * g.windows; w++) {
        const double *row = g.joint + w * (size_t)g.V;
        double all = 0;
        for (int v = 0; v < g.V; v++)
            all += row[v];
        for (int v = 0; v < g.V; v++)
            H -= row[v] > 0 ? row[v] * at_log(row[v] / all) : 0;
    }
    *out = (H - g.entropy) / g.n;
    at_arena_release(&a);
    return s;
}

/* ---- what is shown --------------------------------------------------------------------------------------------------------- */

/* The model, the probabilities behind every history of fewer than n symbols, the KL and the gap, for whoever writes down what the verdict
 * rests on. window: symbols in sight; -1: all. */
static at_status shares_show(const at_params *p, const at_source *d, const at_model *m, double kl, double gap,
                             int window, const at_check_env *env, at_err *err)
{
    int n = at_params_int(p, "n"), S = at_params_int(p, "symbols"), token[16] = {AT_TOKEN_SEP};
    uint64_t all = 1;
    at_text t;
    at_text_init(&t);
    at_text_addf(&t,
                 ", \"length\": %d, \"share\": %.17g, \"window\": %d, \"kl\": %.17g, \"gap\": %.17g, "
                 "\"table\": [",
                 at_params_int(p, "N"), at_params_get(p, "share"), window, kl, gap);
    for (int k = 0; k < n; k++, all *= (uint64_t)S)
        for (uint64_t h = 0; h < all; h++) {
            uint64_t rest = h;
            for (int i = k; i >= 1; i--, rest /= (uint64_t)S)
                token[i] = AT_TOKEN_FIRST + (int)(rest % (uint64_t)S);
            at_text_add(&t, k ? ",\n[[" : "[[");
            for (int i = 1; i <= k; i++)
                at_text_addf(&t, "%s%d", i > 1 ? "," : "", token[i] - AT_TOKEN_FIRST);
            at_text_add(&t, "],[");
            for (int w = 0; w < S; w++) {
                token[k + 1] = AT_TOKEN_FIRST + w;
                at_text_addf(&t, "%s%.17g", w ? "," : "", at_source_probability(d, token, k + 1));
            }
            at_text_add(&t, "]]");
        }
    at_text_add(&t, "]");
    at_witness w = {.kind = "shares", .m = m, .arith = at_f64, .more = t.s};
    at_status s = t.oom ? at_oom(err) : env->witness(env->ctx, &w, err);
    at_text_release(&t);
    return s;
}

/* ---- a decoder with a short window ---------------------------------------------------------------------------------------------- */

typedef struct {
    at_trainer *t;
    int seen, V;
    double *logits; /* (positions, V) */
} short_net;

/* All before token i, <pad> in the place of the symbols that are out of sight: so the position is known, as the gap has it. */
static void window_take(const int *token, int i, int seen, int *out)
{
    for (int k = 0; k < i; k++)
        out[k] = k == 0 || k >= i - seen ? token[k] : AT_TOKEN_PAD;
}

static at_status short_give(void *ctx, const int *token, int rows, int n, int stride, double *value,
                            at_err *err)
{
    short_net *k = ctx;
    int window[16];
    at_status s = AT_OK;
    for (int r = 0; r < rows; r++)
        for (int i = 1; i < n && !s; i++) {
            window_take(token + r * stride, i, k->seen, window);
            s = at_trainer_logits(k->t, &(at_train_sequence){i, window, NULL}, k->logits, err);
            if (!s)
                memcpy(value + ((size_t)r * (size_t)(n - 1) + (size_t)(i - 1)) * (size_t)k->V,
                       k->logits + (size_t)(i - 1) * (size_t)k->V, (size_t)k->V * sizeof *value);
        }
    return s;
}

static at_status short_train(const at_params *p, const at_source *d, short_net *k, at_err *err)
{
    int longest = at_source_longest(d), token[BATCH][16], target[BATCH][16];
    uint64_t steps = (uint64_t)at_params_int(p, "steps"), seed = (uint64_t)at_params_int(p, "seed");
    at_train_sequence batch[BATCH];
    at_adamw how = at_adamw_default;
    at_sequence row = {.token = at_calloc((size_t)longest, sizeof(int))};
    at_status s = row.token ? AT_OK : at_oom(err);
    for (uint64_t step = 0; step < steps && !s; step++) {
        for (int b = 0; b < BATCH && !s; b++) {
            at_rng r = at_rng_at(seed + 1, step * BATCH + (uint64_t)b);
            s = at_source_sample(d, seed, AT_TRAIN, step * BATCH + (uint64_t)b, &row, err);
            if (s)
                break;
            int i = 1 + (int)at_rng_below(&r, (uint64_t)row.n - 1);
            window_take(row.token, i, k->seen, token[b]);
            for (int j = 0; j < i; j++)
                target[b][j] = j == i - 1 ? row.token[i] : -1;
            batch[b] = (at_train_sequence){i, token[b], target[b]};
        }
        double loss;
        how.rate = RATE * (1 - (double)step / (double)steps);
        how.decay = 0;
        if (!s)
            s = at_trainer_step(k->t, batch, BATCH, &how, &loss, err);
        if (!s && at_cancel_pending())
            s = at_fail(err, AT_ECANCEL, "interrupted");
    }
    at_free(row.token);
    return s;
}

static at_status short_learn(const at_params *p, const at_source *d, double gap, const at_check_env *env,
                             at_shares *out, at_err *err)
{
    short_net k = {.seen = at_params_int(p, "n") - 2, .V = at_source_vocabulary(d)};
    at_train_arch arch = at_train_arch_default;
    arch.width = at_params_int(p, "width");
    arch.layers = at_params_int(p, "layers");
    arch.heads = 2;
    arch.dropout = 0;
    arch.vocabulary = k.V;
    arch.length = at_source_longest(d) - 1;
    arch.seed = (uint64_t)at_params_int(p, "seed");
    at_status s = at_trainer_new(&arch, at_f32, 1, &k.t, err);
    if (!s && !(k.logits = at_calloc((size_t)arch.length * (size_t)k.V, sizeof *k.logits)))
        s = at_oom(err);
    if (!s)
        s = short_train(p, d, &k, err);
    if (!s)
        s = at_shares_mark(d, short_give, &k, 0, 0, out, err);
    if (!s && env && env->witness) {
        at_model m;
        s = at_trainer_model(k.t, 1, &m, err);
        if (!s) {
            s = shares_show(p, d, &m, out->kl, gap, k.seen, env, err);
            at_model_release(&m);
        }
    }
    at_free(k.logits);
    at_trainer_free(k.t);
    return s;
}

/* ---- the trial -------------------------------------------------------------------------------------------------------------------- */

static at_status whole_learn(const at_params *p, const at_source *d, int threads, double gap,
                             const at_check_env *env, at_shares *out, at_err *err)
{
    at_model m;
    at_recipe r;
    at_outcome o;
    at_arena a;
    char set[200];
    at_recipe_init(&r);
    snprintf(set, sizeof set,
             "width=%d layers=%d heads=2 batch=%d steps=%d rate=%g warmup=0 fall=1 decay=0 dropout=0 seed=%d "
             "exams=0",
             at_params_int(p, "width"), at_params_int(p, "layers"), BATCH, at_params_int(p, "steps"), RATE,
             at_params_int(p, "seed"));
    at_arena_init(&a);
    at_status s = at_recipe_set(&r, set, err);
    if (!s)
        s = at_learn(d, &r, &(at_learn_options){.threads = threads}, &a, &o, &m, err);
    if (!s) {
        *out = o.exam.shares;
        if (env && env->witness)
            s = shares_show(p, d, &m, out->kl, gap, -1, env, err);
        at_model_release(&m);
    }
    at_arena_release(&a);
    return s;
}

/* Trains, and finds the gap. */
static at_status learnt(const at_params *p, int threads, const at_check_env *env, at_shares *h, double *gap,
                        at_err *err)
{
    at_source *d;
    at_status s = source_open(p, &d, err);
    if (s)
        return s;
    s = gap_find(d, at_params_int(p, "n") - 2, gap, err);
    if (!s)
        s = at_params_int(p, "short") ? short_learn(p, d, *gap, env, h, err)
                                      : whole_learn(p, d, threads, *gap, env, h, err);
    at_source_free(d);
    return s;
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    (void)limit, (void)seed;
    at_shares h;
    double gap;
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = cell->evidence};
    at_status s = learnt(p, 1, env, &h, &gap, err);
    if (s)
        return s;
    out->inputs = 1;
    out->holds = !h.whole ? AT_UNKNOWN : h.kl <= at_params_get(p, "share") * gap ? AT_TRUE : AT_FALSE;
    out->note = at_arena_printf(
        a,
        "over all %ju texts: entropy %.3f, KL %.2g nats a token; the last %d symbol%s alone lose at "
        "least %.2g",
        (uintmax_t)h.rows, h.entropy, h.kl, at_params_int(p, "n") - 2, at_params_int(p, "n") == 3 ? "" : "s",
        gap);
    return out->note ? AT_OK : at_oom(err);
}

/* ---- tables ------------------------------------------------------------------------------------------------------------------------ */

static at_status learnt_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)c;
    at_shares h;
    double gap;
    at_status s = learnt(p, threads, NULL, &h, &gap, err);
    if (s)
        return s;
    out[0] = at_params_get(p, "n");
    out[1] = at_params_get(p, "symbols");
    out[2] = at_params_get(p, "rank");
    out[3] = at_params_get(p, "steps");
    out[4] = h.entropy;
    out[5] = h.cross;
    out[6] = h.kl;
    out[7] = gap;
    return AT_OK;
}

#define COLUMNS "n", "symbols", "rank", "steps", "entropy", "cross entropy", "KL", "gap of n-2"
static const at_claim_table tables[] = {
    {.id = "heat",
     .title =
         "KL after 1000 steps of 64 texts of n+1 symbols, against the order and the alphabet: nats a token",
     .columns = (const char *const[]){COLUMNS, NULL},
     .rows = (const char *const[]){"n=2 symbols=2 N=3", "n=3 symbols=2 N=4", "n=2 symbols=4 N=3",
                                   "n=3 symbols=4 N=4", "n=4 symbols=2 N=5", "n=4 symbols=4 N=5",
                                   "n=2 symbols=8 N=3", "n=3 symbols=8 N=4", "n=4 symbols=6 N=5",
                                   "n=2 symbols=6 N=3", "n=3 symbols=6 N=4", NULL},
     .quick_rows = 4,
     .heat = (const char *const[]){"n", "symbols", "KL", NULL},
     .row = learnt_row},
    {.id = "rank",
     .title = "KL against the rank of the logits, n=3, 8 symbols, 1000 steps: nats a token",
     .columns = (const char *const[]){COLUMNS, NULL},
     .x = "rank",
     .plots = (const char *const[]){"KL", NULL},
     .rows = (const char *const[]){"symbols=8 N=4 rank=1", "symbols=8 N=4 rank=2", "symbols=8 N=4 rank=4",
                                   "symbols=8 N=4 rank=8", NULL},
     .quick_rows = 1,
     .row = learnt_row},
    {.id = "curve",
     .title = "KL against the steps of the training, n=2 and 3, 4 symbols: nats a token",
     .columns = (const char *const[]){COLUMNS, NULL},
     .x = "steps",
     .by = "n",
     .plots = (const char *const[]){"KL", NULL},
     .logx = true,
     .logy = true,
     .rows = (const char *const[]){"n=2 symbols=4 N=4 steps=25", "n=2 symbols=4 N=4 steps=100",
                                   "n=3 symbols=4 N=4 steps=25", "n=3 symbols=4 N=4 steps=100",
                                   "n=2 symbols=4 N=4 steps=400", "n=3 symbols=4 N=4 steps=400",
                                   "n=2 symbols=4 N=4 steps=1600", "n=3 symbols=4 N=4 steps=1600", NULL},
     .quick_rows = 4,
     .row = learnt_row},
};

#define LEARNT(PARAMS, CONTROL)                                                                              \
    {                                                                                                        \
        PARAMS, CONTROL, AT_EV_SIMULATED, 0, "f32", 1, AT_TIER_QUICK, NULL                                   \
    }
static const at_cell cells[] = {
    LEARNT("n=2 steps=400", NULL),
    LEARNT("n=3 symbols=4 N=4 steps=600", NULL),
    LEARNT("n=3 symbols=3 rank=1 N=4 steps=600", NULL),
    LEARNT("n=4 steps=1000", NULL),
    LEARNT("n=2 steps=400", "short=1"),
    LEARNT("n=3 symbols=4 N=4 steps=600", "short=1"),
};

const at_claim claim_ngram_learn = {
    .id = "ngram-learn",
    .title = "Trained decoders learn random n-gram language models",
    .source = "Svete, Borenstein, Zhou, Augenstein and Cotterell 2024",
    .group = "Language models",
    .statement =
        "A decoder trained on texts of a random n-gram model has probabilities nearer to it, in KL over all "
        "texts, than half of what the best predictor loses that sees only the last n-2 symbols; one that "
        "sees "
        "no more has not.",
    .proof = "By training. That the window loses so much is a difference of two entropies of the model, "
             "summed over all "
             "texts: no training gets below it.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
    CLAIM_TABLES,
};
