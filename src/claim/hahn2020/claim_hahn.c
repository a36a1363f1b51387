/* CLAIM hahn: a model of unique-hard attention does not see some letter of some word, so it decides neither PARITY nor Dyck-1.
 *
 * Source: Hahn 2020, "Theoretical limitations of self-attention in neural sequence models": for every such model there is a length
 * from which on it is wrong. Strobl et al. 2024 (survey).
 * Statement: for the models at hand, at the length at hand, there are two words that differ in one letter, must be answered differently,
 * and have the same readout to the last bit. By the pair: words are drawn and all their letters changed. By the restriction, which is
 * the theorem: a few letters are fixed, and the answer provably depends on few of the others.
 *
 * Proof: src/refute/restrict_states.c and restrict.c have it beside the code. Every key that is fixed to score highest is a sure
 *   choice of the queries that want it, so heads stop following letters that are free.
 *   models=random: drawn weights, leftmost- and rightmost-hard in turn. models=trained: trained on the problem with softmax attention, which
 *     alone has gradients, and then read as hard attention. models=tree: claim parity-tree at (H + 1)^L + over letters, for H = 1..4
 *     and L = 1, 2: the construction that goes furthest.
 *   part=restriction: the readout is asked again, on all words that agree with the fixed letters where these are at most 4096, else on
 *     64 of them: it is a function of the letters that are said to be seen.
 * Control: the tree at (H + 1)^L letters sees all of them. Neither search may find anything there.
 * Differs from the paper: letters that are fixed are chosen by votes, not drawn; what comes out is a fact about one model and one length, not
 * about all lengths. */
#include "../shared/hard_nets.h"
#include "../shared/word_nets.h"

#include <attest/refute.h>

#include <math.h>
#include <string.h>

enum { PAIR, RESTRICTION };
enum { RANDOM, TRAINED, TREE };
enum { PARITY, DYCK };
static const char *const parts[] = {"pair", "restriction", NULL};
static const char *const kinds[] = {"random", "trained", "tree", NULL};
static const char *const problems[] = {"parity", "dyck", NULL};

static const at_param params[] = {
    {"part", "which search", 0, RESTRICTION, PAIR, true, parts},
    {"models", "which models", 0, TREE, RANDOM, true, kinds},
    {"problem", "what they should decide; dyck: of one kind", 0, DYCK, PARITY, true, problems},
    {"N", "length; of a tree it is (H + 1)^L + over", 1, 4096, 40, true},
    {"H", "heads", 1, 8, 2, true},
    {"L", "layers", 1, 4, 1, true},
    {"over", "letters more than a tree can see", 0, 8, 1, true},
    {"steps", "of a training", 1, 100000, 300, true},
};

enum { TREES = 8, FLIPS = 128, WORDS = 128, ALL = 12, SOME = 64, BATCH = 64 };
#define SHOWN 2 /* models that a certificate shows */

typedef struct {
    at_status status;
    at_err err;
    bool found;
    int n, fixed, seen;           /* of the restriction */
    uint64_t states, completions; /* looked at; words on which the restriction was asked again */
    int unseen, wrong;            /* of FLIPS drawn changes; of WORDS drawn words */
    char words[200];              /* why not found */
} outcome;

typedef struct {
    const at_params *p;
    const at_task *task;
    int part, kind;
    uint64_t seed;
    outcome *out;
} work;

/* ---- models ------------------------------------------------------------------------------------------------------------- */

static at_status tree_make(const work *w, uint64_t i, at_model *m, int *n, at_err *err)
{
    const at_claim *c;
    at_params p;
    int H = 1 + (int)(i % 4), L = 1 + (int)(i / 4 % 2);
    at_status s = at_claim_need("parity-tree", &c, err);
    *n = at_params_int(w->p, "over") + (L == 1 ? H + 1 : (H + 1) * (H + 1));
    if (s)
        return s;
    at_params_init(&p, c->params, c->n_params);
    s = at_params_set(&p, "N", *n, err);
    if (!s)
        s = at_params_set(&p, "H", H, err);
    if (!s)
        s = at_params_set(&p, "L", L, err);
    return s ? s : at_claim_model(c, &p, m, err);
}

static at_status model_make(const work *w, uint64_t i, at_params *tp, at_model *m, at_err *err)
{
    int n = at_params_int(w->p, "N");
    at_params_init(tp, w->task->params, w->task->n_params);
    at_status s = AT_OK;
    if (at_params_has(tp, "k"))
        s = at_params_set(tp, "k", 1, err);
    if (!s && w->kind == TREE) {
        s = tree_make(w, i, m, &n, err);
        if (s)
            return s;
        return at_params_set(tp, "N", n, err);
    }
    word_net net = {.letters = 2,
                    .answers = 2,
                    .longest = n,
                    .width = 8,
                    .layers = at_params_int(w->p, "L"),
                    .heads = at_params_int(w->p, "H"),
                    .dim = 4,
                    .hidden = 16,
                    .gain = 1};
    if (!s)
        s = at_params_set(tp, "N", n, err);
    if (!s)
        s = word_net_draw(&net, w->seed * 1000003 + i, m, err);
    if (s)
        return s;
    if (w->kind == TRAINED)
        s = word_net_train(m, !strcmp(w->task->id, "parity") ? word_row_parity : word_row_dyck, tp, n,
                           at_params_int(w->p, "steps"), w->seed + i, err);
    if (s)
        at_model_release(m);
    else
        word_net_harden(m, i % 2 ? AT_RIGHTMOST_HARD : AT_LEFTMOST_HARD);
    return s;
}

/* ---- beside it: changes and words that are drawn ---------------------------------------------------------------------------- */

typedef struct {
    at_exec *exec;
    at_scratch *scratch;
    int n, R, positions;
    double *x, *y; /* (BATCH, n), (BATCH, positions, R) */
} runner;

static void runner_close(runner *k)
{
    at_scratch_free(k->scratch);
    at_exec_free(k->exec);
    at_free(k->x);
    at_free(k->y);
}

static at_status runner_open(const at_model *m, int n, runner *k, at_err *err)
{
    *k = (runner){.n = n, .R = m->readout.rows};
    at_status s = at_exec_new(m, at_f64, n, &k->exec, err);
    if (!s)
        s = at_scratch_new(k->exec, &k->scratch, err);
    if (!s) {
        k->positions = at_exec_positions(k->exec);
        k->x = at_calloc((size_t)BATCH * (size_t)n, sizeof *k->x);
        k->y = at_calloc((size_t)BATCH * (size_t)k->positions * (size_t)k->R, sizeof *k->y);
        if (!k->x || !k->y)
            s = at_oom(err);
    }
    if (s)
        runner_close(k);
    return s;
}

static double *word_at(const runner *k, int i)
{
    return k->x + (size_t)i * (size_t)k->n;
}

/* The readout of word i at the position that answers. */
static const double *readout_at(const runner *k, int i)
{
    return k->y + ((size_t)(i + 1) * (size_t)k->positions - 1) * (size_t)k->R;
}

static bool are_same(const runner *k, int i, int j)
{
    return !memcmp(readout_at(k, i), readout_at(k, j), (size_t)k->R * sizeof(double));
}

/* Changes of one letter at random: how many are not seen, though every one of them changes the right answer of PARITY. */
static void flips_draw(runner *k, uint64_t seed, outcome *o)
{
    size_t n = (size_t)k->n;
    for (int f = 0; f < FLIPS; f += BATCH / 2) {
        for (int i = 0; i < BATCH; i += 2) {
            at_rng r = at_rng_at(seed, (uint64_t)(f + i / 2));
            double *x = word_at(k, i), *y = word_at(k, i + 1);
            for (size_t j = 0; j < n; j++)
                x[j] = y[j] = (double)at_rng_below(&r, 2);
            size_t u = (size_t)at_rng_below(&r, n);
            y[u] = 1 - y[u];
        }
        at_exec_run(k->exec, k->scratch, k->x, BATCH, k->y);
        for (int i = 0; i < BATCH; i += 2)
            o->unseen += are_same(k, i, i + 1);
    }
}

/* Drawn words of the problem, without changes: how many are answered wrongly. */
static void words_draw(runner *k, const at_model *m, const at_task *t, const at_params *tp, uint64_t seed,
                       outcome *o)
{
    double right[BATCH], decision[2], margin[2];
    for (int f = 0; f < WORDS; f += BATCH) {
        for (int i = 0; i < BATCH; i++) {
            at_rng r = at_rng_at(seed, 1000000 + (uint64_t)(f + i));
            t->sample(tp, &r, word_at(k, i));
            t->answer(tp, word_at(k, i), &right[i]);
        }
        at_exec_run(k->exec, k->scratch, k->x, BATCH, k->y);
        for (int i = 0; i < BATCH; i++) {
            at_decide(&m->readout, 1, readout_at(k, i), decision, margin);
            o->wrong += decision[0] != right[i];
        }
    }
}

/* ---- the restriction, asked again ------------------------------------------------------------------------------------------- */

/* A word with the fixed letters: free ones that are seen are the bits of `seen`, the others those of `index`, or drawn. */
static void completion_write(const at_restriction *r, uint64_t seen, at_rng *drawn, uint64_t index, bool all,
                             double *x)
{
    int s = 0, u = 0;
    for (int i = 0; i < r->n; i++)
        if (r->letter[i] >= 0)
            x[i] = r->letter[i];
        else if (r->seen[i])
            x[i] = (double)(seen >> (s++ & 63) & 1);
        else
            x[i] = all ? (double)(index >> u++ & 1) : (double)at_rng_below(drawn, 2);
}

/* Is the readout the same on all words (or SOME of them) that agree on fixed and seen letters? */
static bool completions_run(runner *k, const at_restriction *r, uint64_t seed, outcome *o)
{
    bool all = r->free <= ALL, same = true;
    uint64_t settings = all ? (uint64_t)1 << r->seen_free : 1;
    uint64_t others = all ? (uint64_t)1 << (r->free - r->seen_free) : SOME;
    at_rng g = at_rng_at(seed, 77);
    for (uint64_t s = 0; s < settings && same; s++) {
        uint64_t seen = all ? s : at_rng_u64(&g);
        for (uint64_t from = 1; from < others && same;
             from += BATCH - 1) { /* the first of each batch is word 0 */
            int n = 1;
            completion_write(r, seen, &g, 0, all, word_at(k, 0));
            for (uint64_t i = from; i < others && n < BATCH; i++)
                completion_write(r, seen, &g, i, all, word_at(k, n++));
            at_exec_run(k->exec, k->scratch, k->x, n, k->y);
            for (int i = 1; i < n; i++, o->completions++)
                same = same && are_same(k, 0, i);
        }
    }
    return same;
}

/* The word of a pair is one of the restriction, and its neighbour differs in a letter that is not seen: found again from scratch. */
static at_status restriction_ask(const work *w, const at_model *m, runner *k, uint64_t i, int n, at_arena *a,
                                 outcome *o)
{
    at_restriction r;
    at_refute_env env = {.seed = w->seed + i};
    at_status s = at_restrict(m, n, !strcmp(w->task->id, "parity") ? -1 : 0, &env, a, &r, &o->err);
    if (s)
        return s;
    o->fixed = n - r.free;
    o->seen = r.seen_free;
    return completions_run(k, &r, w->seed + i, o)
               ? AT_OK
               : at_fail(&o->err, AT_EDOMAIN,
                         "a restriction is wrong: the readout depends on a letter that is not seen");
}

/* ---- a model ------------------------------------------------------------------------------------------------------------------ */

/* show: NULL, or to whom the pair is shown. */
static at_status search_run(const work *w, const at_subject *s, uint64_t i, const at_check_env *show,
                            at_arena *a, outcome *o)
{
    const at_refuter *r = at_refuter_find(w->part == PAIR ? "hahn-pair" : "hahn-restriction");
    at_refute_env env = {.seed = w->seed + i, .threads = 1};
    at_pair pair = {0};
    at_err why = {0};
    at_tri is = AT_FALSE;
    at_answer answer[2];
    at_status bad = at_subject_check(s, &o->err);
    if (!bad && r->fits(s, &why))
        return at_fail(&o->err, why.code, "%s", why.text);
    if (bad)
        return bad;
    bad = r->search(s, &env, a, &pair, &why);
    o->states = pair.states;
    if (bad && bad != AT_EBUDGET)
        return at_fail(&o->err, bad, "%s", why.text);
    if (!bad)
        bad = at_pair_verify(s, &pair, a, &is, answer, &why, &o->err);
    o->found = is == AT_TRUE;
    if (o->found && !bad && show) {
        at_witness shown = {.kind = "pair",
                            .m = s->m,
                            .arith = s->arith,
                            .task = s->task,
                            .params = s->params,
                            .x = pair.x,
                            .n = 2};
        bad = show->witness(show->ctx, &shown, &o->err);
    }
    memcpy(o->words, why.text, sizeof o->words - 1);
    return bad == AT_EBUDGET ? AT_OK : bad;
}

static void one_model(void *ctx, size_t i, int worker)
{
    (void)worker;
    work *w = ctx;
    outcome *o = &w->out[i];
    at_model m = {0};
    at_params tp;
    runner k;
    if (at_cancel_pending()) {
        o->status = at_fail(&o->err, AT_ECANCEL, "interrupted");
        return;
    }
    o->status = model_make(w, i, &tp, &m, &o->err);
    if (o->status)
        return;
    at_arena a;
    at_arena_init(&a);
    at_subject s = {.m = &m, .arith = at_f64, .task = w->task, .params = &tp};
    o->n = at_params_int(&tp, "N");
    o->status = search_run(w, &s, i, NULL, &a, o);
    if (!o->status && !(o->status = runner_open(&m, o->n, &k, &o->err))) {
        flips_draw(&k, w->seed + i, o);
        words_draw(&k, &m, w->task, &tp, w->seed + i, o);
        if (w->part == RESTRICTION && o->found)
            o->status = restriction_ask(w, &m, &k, i, o->n, &a, o);
        runner_close(&k);
    }
    at_arena_release(&a);
    at_model_release(&m);
}

/* The pairs of the first models, which are found once more, for a certificate. */
static at_status pairs_show(const work *w, uint64_t models, const at_check_env *env, at_err *err)
{
    at_status bad = AT_OK;
    for (uint64_t i = 0; i < models && i < SHOWN && !bad; i++) {
        outcome again = {0};
        at_model m = {0};
        at_params tp;
        at_arena a;
        bad = model_make(w, i, &tp, &m, err);
        if (bad)
            break;
        at_arena_init(&a);
        at_subject s = {.m = &m, .arith = at_f64, .task = w->task, .params = &tp};
        bad = search_run(w, &s, i, env, &a, &again);
        if (bad)
            bad = at_fail(err, bad, "%s", again.err.text);
        else if (!again.found) /* a tree */
            bad = hard_rights_show(&(at_witness){.m = &m, .arith = at_f64, .task = w->task, .params = &tp},
                                   w->seed, env, err);
        at_arena_release(&a);
        at_model_release(&m);
    }
    return bad;
}

/* ---- all of them ----------------------------------------------------------------------------------------------------------------- */

static const char *note_make(const work *w, uint64_t models, uint64_t *found, at_arena *a)
{
    uint64_t states = 0, completions = 0, unseen = 0, wrong = 0, misses = 0;
    double fixed = 0, seen = 0;
    const char *words = "";
    at_text t;
    *found = 0;
    for (uint64_t i = 0; i < models; i++) {
        const outcome *o = &w->out[i];
        *found += o->found;
        states += o->states;
        completions += o->completions;
        unseen += (uint64_t)o->unseen;
        wrong += (uint64_t)o->wrong;
        misses += o->wrong == 0;
        fixed += o->fixed;
        seen += o->seen;
        words = o->found || *words ? words : o->words;
    }
    at_text_init(&t);
    at_text_addf(&t, "%s, %ju model%s", problems[w->task == at_task_find("dyck")], (uintmax_t)models,
                 models == 1 ? "" : "s");
    if (w->kind == TREE)
        at_text_addf(&t, " of (H + 1)^L + %d letters, H = 1..4, L = 1..2", at_params_int(w->p, "over"));
    else
        at_text_addf(&t, " (%s) of %d letters, H=%d L=%d", kinds[w->kind], at_params_int(w->p, "N"),
                     at_params_int(w->p, "H"), at_params_int(w->p, "L"));
    at_text_addf(&t, ": %ju refuted by a letter that is not seen, %ju %s", (uintmax_t)*found,
                 (uintmax_t)states, w->part == PAIR ? "runs" : "rounds");
    if (w->part == RESTRICTION && *found)
        at_text_addf(&t,
                     "; on average %.1f letters fixed and %.1f of the others seen, and the readout depends "
                     "on no other on "
                     "%ju words",
                     fixed / (double)*found, seen / (double)*found, (uintmax_t)completions);
    at_text_addf(&t, "; of drawn changes %ju of %ju are not seen; drawn words: %ju of %ju wrong",
                 (uintmax_t)unseen, (uintmax_t)(FLIPS * models), (uintmax_t)wrong,
                 (uintmax_t)(WORDS * models));
    if (misses)
        at_text_addf(&t, " (none in %ju model%s)", (uintmax_t)misses, misses == 1 ? "" : "s");
    if (*found < models)
        at_text_addf(&t, "; not refuted: %s", words);
    const char *note = t.oom || !t.s ? NULL : at_arena_strdup(a, t.s);
    at_text_release(&t);
    return note;
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    work w = {.p = p,
              .task = at_task_find(problems[at_params_int(p, "problem")]),
              .part = at_params_int(p, "part"),
              .kind = at_params_int(p, "models"),
              .seed = seed};
    uint64_t models = w.kind == TREE ? TREES : limit ? limit : 1, found;
    if (w.kind == TREE && at_params_int(p, "problem") != PARITY)
        return at_fail(err, AT_EDOMAIN, "the tree decides parity alone");
    *out = (at_verdict){.holds = AT_UNKNOWN, .evidence = cell->evidence, .inputs = models};
    if (!(w.out = at_new(a, outcome, models)))
        return at_oom(err);
    at_status s = at_parallel(env ? env->threads : 0, models, one_model, &w, err);
    for (uint64_t i = 0; i < models && !s; i++)
        if (w.out[i].status)
            s = at_fail(err, w.out[i].status, "model %ju: %s", (uintmax_t)i, w.out[i].err.text);
    if (!s && env && env->witness)
        s = pairs_show(&w, models, env, err);
    if (s)
        return s;
    if (!(out->note = note_make(&w, models, &found, a)))
        return at_oom(err);
    /* A tree that sees all is right, and none of them may fall; of other models all must. */
    out->holds = found == models ? AT_TRUE : w.kind == TREE && !found ? AT_FALSE : AT_UNKNOWN;
    return AT_OK;
}

/* ---- how many letters are fixed, against the length ----------------------------------------------------------------------------- */

#define DRAWN 5 /* models a row */

static at_status fixed_row(const at_claim *c, const at_params *p, int threads, double *out, at_err *err)
{
    (void)c;
    (void)threads;
    work w = {.p = p, .task = at_task_find("parity"), .kind = RANDOM, .seed = 1};
    double fixed = 0, seen = 0, rounds = 0, found = 0;
    int n = at_params_int(p, "N");
    at_status s = AT_OK;
    for (uint64_t i = 0; i < DRAWN && !s; i++) {
        at_model m;
        at_params tp;
        at_restriction r;
        at_arena a;
        at_err why = {0};
        s = model_make(&w, i, &tp, &m, err);
        if (s)
            return s;
        at_arena_init(&a);
        at_status none = at_restrict(&m, n, -1, NULL, &a, &r, &why);
        if (none && none != AT_EBUDGET)
            s = at_fail(err, none, "%s", why.text);
        found += !none;
        fixed += !none ? n - r.free : 0;
        seen += !none ? r.seen_free : 0;
        rounds += r.passes;
        at_arena_release(&a);
        at_model_release(&m);
    }
    out[0] = n;
    out[1] = at_params_get(p, "L");
    out[2] = found;
    out[3] = found > 0 ? fixed / found : NAN;
    out[4] = found > 0 ? seen / found : NAN;
    out[5] = rounds / DRAWN;
    return s;
}

static const at_claim_table tables[] = {
    {
        .id = "fixed",
        .title = "letters that are fixed until the answer does not depend on all of the others, mean "
                 "of " CLAIM_TEXT(DRAWN) " drawn models of H = 2 heads",
        .columns = (const char *const[]){"N", "L", "found", "fixed", "seen", "rounds", NULL},
        .x = "N",
        .logx = true,
        .by = "L",
        .plots = (const char *const[]){"fixed", "seen", NULL},
        .rows = (const char *const[]){"N=20 L=1", "N=20 L=2", "N=50 L=1", "N=50 L=2", "N=100 L=1",
                                      "N=100 L=2", "N=200 L=1", "N=200 L=2", NULL},
        .quick_rows = 4,
        .row = fixed_row,
    },
};

#define DRAWN_CELL(PART, PROBLEM, HEADS, QUICK)                                                              \
    {                                                                                                        \
        "part=" PART " problem=" PROBLEM " N=200 " HEADS, NULL, AT_EV_REFUTED, 0, "f64", 24, AT_TIER_QUICK,  \
            "part=" PART " problem=" PROBLEM " N=40 " QUICK                                                  \
    }
#define TRAINED_CELL(PART, PROBLEM)                                                                          \
    {                                                                                                        \
        "part=" PART " problem=" PROBLEM " models=trained N=16 H=2 L=2 steps=2000", NULL, AT_EV_REFUTED, 0,  \
            "f64", 8, AT_TIER_QUICK,                                                                         \
            "part=" PART " problem=" PROBLEM " models=trained N=16 H=2 L=2 steps=200"                        \
    }
static const at_cell cells[] = {
    DRAWN_CELL("pair", "parity", "H=4 L=1", "H=4 L=1"),
    DRAWN_CELL("pair", "dyck", "H=4 L=2", "H=4 L=2"),
    DRAWN_CELL("restriction", "parity", "H=4 L=1", "H=4 L=1"),
    DRAWN_CELL("restriction", "parity", "H=4 L=2", "H=2 L=2"),
    DRAWN_CELL("restriction", "dyck", "H=4 L=1", "H=4 L=1"),
    DRAWN_CELL("restriction", "dyck", "H=4 L=2", "H=2 L=2"),
    TRAINED_CELL("pair", "parity"),
    TRAINED_CELL("pair", "dyck"),
    TRAINED_CELL("restriction", "parity"),
    TRAINED_CELL("restriction", "dyck"),
    {"part=pair models=tree", NULL, AT_EV_REFUTED, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=restriction models=tree", NULL, AT_EV_REFUTED, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=pair models=tree", "over=0", AT_EV_REFUTED, 0, "f64", 0, AT_TIER_QUICK, NULL},
    {"part=restriction models=tree", "over=0", AT_EV_REFUTED, 0, "f64", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_hahn = {
    .id = "hahn",
    .title =
        "Unique-hard attention does not see some letter: neither PARITY nor Dyck-1, on the model at hand",
    .source = "Hahn 2020; Strobl et al. 2024",
    .group = "Languages",
    .statement =
        "Of a given model of leftmost- or rightmost-hard attention, at a given length, two words are found "
        "that "
        "differ in one letter, "
        "must be answered differently on PARITY or Dyck-1, and have the same readout; and a few letters "
        "that, "
        "fixed, make the answer "
        "depend on few of the others. A tree of H heads and L layers sees (H + 1)^L letters and no more.",
    .proof = "A key whose letters are fixed so that it scores highest is a sure choice of all queries that "
             "want it. So few "
             "fixed letters make "
             "every state depend on few free ones, layer by layer, from the weights; then a letter that is "
             "not seen is "
             "changed.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    CLAIM_TABLES,
    .cells = cells,
    .n_cells = COUNT(cells),
};
