/* refute_hahn.c: Hahn's limits on the model at hand: a letter that the answer of a unique-hard model does not see.
 *
 * Every letter of a word decides PARITY, and every letter of a balanced word decides whether it is one: changed alone, the right
 * answer changes. A model of unique-hard attention looks at few letters. So there is a word and a letter of it that the model does not see,
 * and of the word and its neighbour one is answered wrongly.
 *
 *   hahn-pair         words are drawn; each letter of each is changed that changes the right answer; all are run. A pair is two with the
 *                     same readout, to the last bit. Any problem of words with one answer will do. n + 1 runs a word.
 *   hahn-restriction  the theorem: a few letters are fixed until the answer depends on few of the free ones (restrict.c). Any
 *                     word that agrees with them and any free letter that is not seen are a pair. For parity, and for brackets with
 *                     words of their first kind.
 *
 * Ties. A pair whose hard choices rounding could have turned (at_run_ties) is passed over: it would speak of f64, not of the
 * model. */
#include "restrict.h"

#include <string.h>

/* ---- which models ------------------------------------------------------------------------------------------------------ */

at_status unique_hard_fits(const at_model *m, at_err *err)
{
    int heads = 0;
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *k = &m->blocks[b];
        if (k->kind == AT_BLOCK_RNN || k->kind == AT_BLOCK_FLATTEN)
            return at_fail(err, AT_EREFUSED, "block %d (%s) reads all letters; attention is spoken of", b + 1,
                           at_block_names[k->kind]);
        for (int g = 0; k->kind == AT_BLOCK_ATTN && g < k->n_groups; g++) {
            at_weighting w = k->groups[g].weighting;
            heads += k->groups[g].heads;
            if (at_weighting_is(w, AT_IS_EXP))
                return at_fail(err, AT_EREFUSED,
                               "block %d: %s attention sees every letter a little; `attest influence` bounds "
                               "how much",
                               b + 1, at_weighting_names[w]);
            if (!at_weighting_is(w, AT_IS_ONE))
                return at_fail(err, AT_EREFUSED,
                               "block %d: %s attention mixes keys; leftmost- and rightmost-hard choose one",
                               b + 1, at_weighting_names[w]);
        }
    }
    return heads ? AT_OK : at_fail(err, AT_EREFUSED, "it has no attention");
}

/* Words of letters, one answer. */
static at_status words_fit(const at_subject *s, at_err *why)
{
    if (!s->task || !s->task->last || s->task->real || !s->task->tokens || subject_listed(s))
        return at_fail(why, AT_EREFUSED, "speaks of words with one answer, as parity and dyck are");
    return unique_hard_fits(s->m, why);
}

/* ---- the pair ---------------------------------------------------------------------------------------------------------- */

enum { WORDS = 64, BATCH = 64 }; /* words that are drawn at most; runs at once */

typedef struct {
    const at_subject *s;
    int n, letters;
    at_exec *exec; /* NULL: by the reference */
    at_scratch *scratch;
    int positions, R;
    double *x;     /* (BATCH, n) */
    double *value; /* (BATCH, positions, R) */
    double *right; /* (out width) */
    double *base;  /* (R): the readout of the word itself */
    /* of the changes of one word */
    int changes, unseen, turned;
} flipping;

static at_status runner_open(flipping *f, at_arena *a, at_err *err)
{
    const at_subject *s = f->s;
    f->R = s->m->readout.rows;
    f->positions = s->m->readout.last ? 1 : f->n;
    at_status bad = AT_OK;
    if (s->arith.kind == AT_F32 || s->arith.kind == AT_F64) {
        bad = at_exec_new(s->m, s->arith, f->n, &f->exec, err);
        if (!bad)
            bad = at_scratch_new(f->exec, &f->scratch, err);
        if (!bad)
            f->positions = at_exec_positions(f->exec);
    }
    f->x = at_new(a, double, (size_t)BATCH *(size_t)f->n);
    f->value = at_new(a, double, (size_t)BATCH *(size_t)f->positions *(size_t)f->R);
    f->right = at_new(a, double, s->task->out_width(s->params));
    f->base = at_new(a, double, f->R);
    return bad ? bad : f->x && f->value && f->right && f->base ? AT_OK : at_oom(err);
}

/* The readouts of the first `batch` words of f->x. */
static at_status batch_run(flipping *f, int batch, at_err *err)
{
    if (f->exec) {
        at_exec_run(f->exec, f->scratch, f->x, batch, f->value);
        return AT_OK;
    }
    at_status bad = AT_OK;
    for (int b = 0; b < batch && !bad; b++) {
        at_arena a;
        at_output y;
        at_arena_init(&a);
        bad = at_run(f->s->m, f->s->arith, &(at_input){f->n, f->x + (size_t)b * (size_t)f->n}, NULL, &a, &y,
                     err);
        if (!bad)
            memcpy(f->value + (size_t)b * (size_t)f->positions * (size_t)f->R, y.value,
                   (size_t)f->positions * (size_t)f->R * sizeof *y.value);
        at_arena_release(&a);
    }
    return bad;
}

/* The readout that answers, of word b of a batch. */
static const double *answer_of(const flipping *f, int b)
{
    return f->value + ((size_t)b * (size_t)f->positions + (size_t)f->positions - 1) * (size_t)f->R;
}

/* Could rounding have turned a choice in either word? */
static at_status is_turned(const flipping *f, const double *x, const double *y, bool *is, at_err *err)
{
    at_status bad = AT_OK;
    *is = false;
    for (int k = 0; k < 2 && !bad && !*is; k++) {
        at_ties t;
        bad = at_run_ties(f->s->m, f->s->arith, &(at_input){f->n, k ? y : x}, &t, err);
        *is = !bad && t.unsure > 0;
    }
    return bad;
}

/* Words behind the first of a batch are that word with one letter changed: is one of them not told apart from it? The first such pair
 * that holds when it is run again goes to out. */
static at_status batch_look(flipping *f, int batch, const double *x, at_arena *a, at_pair *out, at_err *err)
{
    at_status bad = batch_run(f, batch, err);
    for (int b = 0; b < batch && !bad; b++) {
        const double *y = f->x + (size_t)b * (size_t)f->n;
        if (memcmp(answer_of(f, b), f->base, (size_t)f->R * sizeof *f->base) != 0)
            continue;
        f->unseen++;
        if (out->x[0].n)
            continue;
        bool turned;
        at_tri is = AT_FALSE;
        at_answer answer[2];
        bad = is_turned(f, x, y, &turned, err);
        f->turned += !bad && turned;
        if (bad || turned)
            continue;
        double *copy = at_new(a, double, 2 * (size_t)f->n);
        if (!copy)
            return at_oom(err);
        memcpy(copy, x, (size_t)f->n * sizeof *x);
        memcpy(copy + f->n, y, (size_t)f->n * sizeof *y);
        at_pair p = {.x = {{f->n, copy}, {f->n, copy + f->n}}};
        bad = at_pair_verify(f->s, &p, a, &is, answer, NULL, err);
        if (!bad && is == AT_TRUE) {
            out->x[0] = p.x[0];
            out->x[1] = p.x[1];
        }
    }
    return bad;
}

/* All changes of one letter of the word x that change the right answer. */
static at_status word_try(flipping *f, const double *x, at_arena *a, at_pair *out, at_err *err)
{
    const at_subject *s = f->s;
    int batch = 0;
    f->changes = f->unseen = 0;
    at_status bad = at_task_answer(s->task, s->params, x, f->right, err);
    double right = f->right[0];
    memcpy(f->x, x, (size_t)f->n * sizeof *x);
    if (!bad)
        bad = batch_run(f, 1, err);
    memcpy(f->base, answer_of(f, 0), (size_t)f->R * sizeof *f->base);
    for (int u = 0; u < f->n && !bad; u++)
        for (int v = 0; v < f->letters && !bad; v++) {
            double *y = f->x + (size_t)batch * (size_t)f->n;
            if (v == (int)x[u])
                continue;
            memcpy(y, x, (size_t)f->n * sizeof *x);
            y[u] = v;
            bad = at_task_answer(s->task, s->params, y, f->right, err);
            if (bad || f->right[0] == right)
                continue;
            f->changes++;
            if (++batch == BATCH) {
                bad = batch_look(f, batch, x, a, out, err);
                batch = 0;
            }
        }
    return bad ? bad : batch_look(f, batch, x, a, out, err);
}

static at_status pair_note(const flipping *f, int words, at_arena *a, at_pair *out, at_err *err)
{
    int u = 0;
    while (out->x[0].v[u] == out->x[1].v[u])
        u++;
    out->note =
        at_arena_printf(a,
                        "letter %d is not seen: of the %d changes of one letter of word %d that change "
                        "the right answer, %d change no bit of the readout",
                        u + 1, f->changes, words, f->unseen);
    return out->note ? AT_OK : at_oom(err);
}

static at_status pair_search(const at_subject *s, const at_refute_env *env, at_arena *a, at_pair *out,
                             at_err *err)
{
    *out = (at_pair){.bits = NAN};
    flipping f = {.s = s, .n = at_params_int(s->params, "N"), .letters = s->task->tokens(s->params)};
    if (!f.n)
        return at_fail(err, AT_EBUDGET, "the empty word has no letter");
    double *x = at_new(a, double, f.n), cost = work_of_input(s);
    int words = 0, all = 0;
    at_status bad = x ? runner_open(&f, a, err) : at_oom(err);
    for (; words < WORDS && !bad && !out->x[0].n && !at_refute_over(env, out->states, out->work);) {
        int n;
        bad = subject_draw(s, env->seed, (uint64_t)words, x, &n, err);
        if (!bad)
            bad = word_try(&f, x, a, out, err);
        words++;
        all += f.changes;
        work_spend(out, (uint64_t)f.changes + 1, cost);
        at_progress_tick(env->progress, "letters changed", words, WORDS);
    }
    at_scratch_free(f.scratch);
    at_exec_free(f.exec);
    if (bad)
        return bad;
    if (out->x[0].n)
        return pair_note(&f, words, a, out, err);
    if (f.turned)
        return at_fail(err, AT_EBUDGET,
                       "%d changes of %d words are not seen, but rounding could have turned a choice there: "
                       "with scores that are exact they would count",
                       f.turned, words);
    return at_fail(err, AT_EBUDGET, "each of %d changes in %d words is seen", all, words);
}

const at_refuter refuter_hahn_pair = {
    .id = "hahn-pair",
    .about =
        "unique-hard attention on words: one letter changed, which the right answer sees and the readout "
        "does not",
    .fits = words_fit,
    .search = pair_search,
};

/* ---- the restriction --------------------------------------------------------------------------------------------------- */

/* Greatest depth of balanced words, 0: any; -1: all words are meant. */
static int depth_of(const at_subject *s)
{
    if (!strcmp(s->task->id, "parity"))
        return -1;
    return at_params_has(s->params, "D") ? at_params_int(s->params, "D") : 0;
}

static at_status restriction_fits(const at_subject *s, at_err *why)
{
    at_status bad = words_fit(s, why);
    if (bad)
        return bad;
    if (strcmp(s->task->id, "parity") != 0 && strcmp(s->task->id, "dyck") != 0 &&
        strcmp(s->task->id, "shuffle-dyck") != 0)
        return at_fail(why, AT_EREFUSED, "speaks of parity, dyck and shuffle-dyck (hahn-pair of all words)");
    if (s->arith.kind != AT_F64)
        return at_fail(why, AT_EREFUSED, "speaks of f64 and of the reals (hahn-pair of every arithmetic)");
    return at_restriction_fits(s->m, why);
}

/* A word with the fixed letters, and the letter that is changed: free, not seen. */
static at_status completion_make(const at_subject *s, const at_restriction *r, uint64_t seed, double *x,
                                 int *u, at_err *err)
{
    at_rng g = at_rng_at(seed, 0x72657374u);
    int depth = depth_of(s);
    bool is = true;
    if (depth >= 0) {
        at_status bad = brackets_complete(r->n, depth, r->letter, &g, x, &is, err);
        if (bad)
            return bad;
    } else
        for (int i = 0; i < r->n; i++)
            x[i] = r->letter[i] < 0 ? (double)at_rng_below(&g, 2) : r->letter[i];
    *u = 0;
    while (r->letter[*u] >= 0 || r->seen[*u])
        ++*u;
    return is ? AT_OK : at_fail(err, AT_EBUDGET, "the fixed letters leave no balanced word");
}

static at_status restriction_search(const at_subject *s, const at_refute_env *env, at_arena *a, at_pair *out,
                                    at_err *err)
{
    *out = (at_pair){.bits = NAN};
    at_restriction r;
    int n = at_params_int(s->params, "N"), u;
    if (!n)
        return at_fail(err, AT_EBUDGET, "the empty word has no letter");
    double *x = at_new(a, double, 2 * (size_t)n);
    at_status bad = x ? at_restrict(s->m, n, depth_of(s), env, a, &r, err) : at_oom(err);
    if (x) {
        out->states = (uint64_t)r.passes;
        out->work = r.work;
    }
    if (!bad)
        bad = completion_make(s, &r, env->seed, x, &u, err);
    if (bad)
        return bad;
    memcpy(x + n, x, (size_t)n * sizeof *x);
    x[n + u] = 1 - x[u];
    out->x[0] = (at_input){n, x};
    out->x[1] = (at_input){n, x + n};
    out->note =
        at_arena_printf(a,
                        "with %d of %d letters fixed the answer depends on %d of the other %d, whatever they "
                        "are; letter %d is none of these",
                        n - r.free, n, r.seen_free, r.free, u + 1);
    return out->note ? AT_OK : at_oom(err);
}

const at_refuter refuter_hahn_restriction = {
    .id = "hahn-restriction",
    .about =
        "unique-hard attention on parity and brackets: a few letters fixed, and the answer depends on few "
        "others",
    .fits = restriction_fits,
    .search = restriction_search,
};
