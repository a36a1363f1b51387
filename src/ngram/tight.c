/* tight.c: do the probabilities of all finite sentences sum to 1?
 *
 * A model is a Markov chain of states that ends with </s>. Among finitely many states the chain ends with probability 1 exactly when
 * every state that it can reach can reach the end: so a search over the graph of positive probabilities decides, without numbers.
 * The sum itself is x of the start where x(s) = p(</s> | s) + sum over w of p(w | s) x(state after w), for the states that can reach the
 * end; of the others x is 0.
 *
 * Edges are not stored. A state's words are those of its contexts from the longest on, as far as weights are positive; the words of
 * the empty context lead where the state does not matter, so that each of them is followed once. */
#include "ngram_internal.h"

#include "../num/flint_compat.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define ROWS_ADDED 4e9 /* states times words up to which rows are added up */

typedef struct {
    const at_ngram *g;
    const struct at_ngram_tables *t;
    int *number;              /* (contexts): of the states that are met, in the order of meeting; else -1 */
    int *state, *before, *by; /* (met): which, and the number and word that led to it first */
    int n;                    /* met */
    int *mark, stamp;         /* (V): words that the contexts of this state have */
    int *marked, n_marked;
    int *rest, n_rest; /* words of the empty context that have not been followed from it */
    bool *good;        /* (met): can reach </s> */
    int *leads;        /* (met): words of the empty context that lead to it */
    int rest_good;     /* words of the empty context that lead to a state that can */
    int *live, n_live; /* (met): number among the states that can, -1 */
} search;

/* Does the word occur behind the empty context, and where does it lead? */
static int empty_leads(const search *x, int word)
{
    int state = 0;
    return at_ngram_step(x->g, &state, word) == -INFINITY ? -1 : state;
}

/* Where child i of a context of `state` leads, the first context to have its word. */
static int child_leads(const search *x, int state, int i)
{
    if (i >= x->t->base[x->g->order]) { /* n words: the last n - 1 are to be found */
        at_ngram_step(x->g, &state, x->t->word[i]);
        return state;
    }
    while (!ngram_matters(x->t, i))
        i = x->t->link[i];
    return i;
}

/* Words of positive probability behind the contexts of `state` but the empty one, each with `met`; true: and those of the empty one
 * that are not marked. Stops, false, when met says so. */
typedef bool met_fn(search *x, int number, int word, int to);
static bool words_meet(search *x, int number, met_fn *met, bool *stopped)
{
    const struct at_ngram_tables *t = x->t;
    x->stamp++;
    x->n_marked = 0;
    *stopped = false;
    for (int at = x->state[number]; at; at = t->link[at]) {
        for (int i = t->first[at]; i < t->first[at + 1]; i++) {
            int w = t->word[i];
            if (x->mark[w] == x->stamp)
                continue;
            x->mark[w] = x->stamp;
            x->marked[x->n_marked++] = w;
            if (w == x->g->words || t->p[i] == -INFINITY)
                continue;
            if (!met(x, number, w, child_leads(x, x->state[number], i))) {
                *stopped = true;
                return false;
            }
        }
        if (t->backoff[at] == -INFINITY)
            return false;
    }
    return true;
}

/* ---- what <s> reaches ------------------------------------------------------------------------------------------- */

static bool state_meet(search *x, int number, int word, int to)
{
    if (x->number[to] < 0) {
        x->number[to] = x->n;
        x->state[x->n] = to;
        x->before[x->n] = number;
        x->by[x->n++] = word;
    }
    return true;
}

static at_status all_meet(search *x, const at_progress *progress, at_err *err)
{
    bool stopped;
    for (int w = 0; w < x->g->words; w++)
        if (empty_leads(x, w) >= 0)
            x->rest[x->n_rest++] = w;
    state_meet(x, -1, -1, at_ngram_start(x->g));
    for (int i = 0; i < x->n; i++) {
        if (words_meet(x, i, state_meet, &stopped)) {
            int left = 0;
            for (int k = 0; k < x->n_rest; k++)
                if (x->mark[x->rest[k]] == x->stamp)
                    x->rest[left++] = x->rest[k];
                else
                    state_meet(x, i, x->rest[k], empty_leads(x, x->rest[k]));
            x->n_rest = left;
        }
        if (i % 1024 == 0) {
            at_progress_tick(progress, "search states", i, x->n);
            if (at_cancel_pending())
                return at_fail(err, AT_ECANCEL, "interrupted");
        }
    }
    return AT_OK;
}

/* ---- what reaches </s> ------------------------------------------------------------------------------------------ */

static void good_make(search *x, int number)
{
    x->good[number] = true;
    x->rest_good += x->leads[number];
}

static bool not_good(search *x, int number, int word, int to)
{
    (void)number;
    (void)word;
    return !x->good[x->number[to]];
}

/* Does a word lead from here to a state that is known to be good? */
static bool becomes_good(search *x, int number)
{
    bool stopped;
    if (!words_meet(x, number, not_good, &stopped))
        return stopped;
    int left = x->rest_good;
    for (int k = 0; k < x->n_marked; k++) {
        int w = x->marked[k], to = w < x->g->words ? empty_leads(x, w) : -1;
        left -= to >= 0 && x->number[to] >= 0 && x->good[x->number[to]];
    }
    return left > 0;
}

static at_status good_find(search *x, at_err *err)
{
    for (int w = 0; w < x->g->words; w++) {
        int to = empty_leads(x, w);
        if (to >= 0 && x->number[to] >= 0)
            x->leads[x->number[to]]++;
    }
    for (int i = 0; i < x->n; i++) {
        int state = x->state[i];
        if (at_ngram_step(x->g, &state, x->g->words) > -INFINITY)
            good_make(x, i);
    }
    for (bool more = true; more;) {
        more = false;
        for (int i = x->n - 1; i >= 0; i--)
            if (!x->good[i] && becomes_good(x, i)) {
                good_make(x, i);
                more = true;
            }
        if (at_cancel_pending())
            return at_fail(err, AT_ECANCEL, "interrupted");
    }
    return AT_OK;
}

/* ---- the sum as a fraction ---------------------------------------------------------------------------------------- */

/* (V) whole numbers in the proportions of the row. */
static void row_whole(const search *x, int number, double *row, fmpz *whole)
{
    int history[AT_NGRAM_ORDER_MAX], n = at_ngram_state_words(x->g, x->state[number], history);
    uint64_t over, under;
    at_ngram_state_row(x->g, x->state[number], row);
    for (int w = 0; w <= x->g->words; w++) {
        if (at_ngram_fraction(x->g, history, n, w, &over, &under)) {
            fmpz_set_ui(&whole[w], over);
            continue;
        }
        int e;
        double m = frexp(row[w], &e); /* row = m 2^53 / 2^(53 - e), and e > -1074 */
        fmpz_set_d(&whole[w], ldexp(m, 53));
        fmpz_mul_2exp(&whole[w], &whole[w], (ulong)(e + 1200));
    }
}

/* One equation: row `at` of (I - P) x = end. */
static void equation_set(const search *x, int number, double *row, fmpz *whole, fmpq_mat_t A, fmpq_mat_t end)
{
    int at = x->live[number];
    fmpz_t sum;
    fmpq_t part;
    fmpz_init(sum);
    fmpq_init(part);
    row_whole(x, number, row, whole);
    for (int w = 0; w <= x->g->words; w++)
        fmpz_add(sum, sum, &whole[w]);
    for (int w = 0; w < x->g->words; w++) {
        int to = x->state[number];
        if (fmpz_is_zero(&whole[w]))
            continue;
        at_ngram_step(x->g, &to, w);
        int k = x->live[x->number[to]];
        if (k >= 0) /* whole numbers first: they are divided below */
            fmpz_sub(fmpq_mat_entry_num(A, at, k), fmpq_mat_entry_num(A, at, k), &whole[w]);
    }
    for (int k = 0; k < x->n_live; k++) {
        fmpq_set_fmpz_frac(part, fmpq_mat_entry_num(A, at, k), sum);
        fmpq_set(fmpq_mat_entry(A, at, k), part);
    }
    fmpq_add_si(fmpq_mat_entry(A, at, at), fmpq_mat_entry(A, at, at), 1);
    fmpq_set_fmpz_frac(fmpq_mat_entry(end, at, 0), &whole[x->g->words], sum);
    fmpz_clear(sum);
    fmpq_clear(part);
}

static at_status mass_solve(const search *x, at_arena *a, at_tight *out, at_err *err)
{
    size_t V = (size_t)x->g->words + 1;
    double *row = at_malloc(V * sizeof *row);
    if (!row)
        return at_oom(err);
    fmpq_mat_t A, end, X;
    fmpz *whole = _fmpz_vec_init((slong)V);
    mpq_t near;
    fmpq_mat_init(A, x->n_live, x->n_live);
    fmpq_mat_init(end, x->n_live, 1);
    fmpq_mat_init(X, x->n_live, 1);
    for (int i = 0; i < x->n; i++)
        if (x->good[i])
            equation_set(x, i, row, whole, A, end);
    int solved = fmpq_mat_solve(X, A, end);
    assert(solved); /* every state here reaches the end, so the powers of P vanish */
    const fmpq *mass = fmpq_mat_entry(X, x->live[0], 0);
    assert(solved && out->tight == !!fmpq_is_one(mass));
    (void)solved;
    char *text = fmpq_get_str(NULL, 10, mass);
    out->mass = at_arena_strdup(a, text);
    flint_free(text);
    mpq_init(near);
    fmpq_get_mpq(near, mass);
    out->mass_near = mpq_get_d(near);
    out->solved = true;
    mpq_clear(near);
    fmpq_mat_clear(A);
    fmpq_mat_clear(end);
    fmpq_mat_clear(X);
    _fmpz_vec_clear(whole, (slong)V);
    at_free(row);
    return out->mass ? AT_OK : at_oom(err);
}

static at_status mass_find(search *x, at_arena *a, at_tight *out, at_err *err)
{
    for (int i = 0; i < x->n; i++)
        x->live[i] = x->good[i] ? x->n_live++ : -1;
    if (x->n_live <= AT_TIGHT_SOLVED && x->good[0])
        return mass_solve(x, a, out, err);
    bool known = out->tight || !x->good[0];
    out->mass = known ? out->tight ? "1" : "0" : NULL;
    out->mass_near = known ? out->tight : NAN;
    return AT_OK;
}

/* ---- all of it ------------------------------------------------------------------------------------------------------ */

static at_status rows_add(const search *x, const at_progress *progress, at_tight *out, at_err *err)
{
    int V = x->g->words + 1;
    double *row = at_malloc((size_t)V * sizeof *row);
    if (!row)
        return at_oom(err);
    for (int i = 0; i < x->n && !at_cancel_pending(); i++) {
        double sum = 0;
        at_ngram_state_row(x->g, x->state[i], row);
        for (int w = 0; w < V; w++)
            sum += row[w];
        out->off = fmax(out->off, fabs(sum - 1));
        if (i % 256 == 0)
            at_progress_tick(progress, "add up rows", i, x->n);
    }
    at_free(row);
    return at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted") : AT_OK;
}

/* The first state that cannot reach the end, and the words that lead there. */
static at_status trap_find(const search *x, at_arena *a, at_tight *out, at_err *err)
{
    int first = -1;
    for (int i = x->n - 1; i >= 0; i--)
        if (!x->good[i]) {
            first = i;
            out->dead++;
        }
    out->tight = first < 0;
    if (out->tight)
        return AT_OK;
    for (int i = first; i; i = x->before[i])
        out->n_path++;
    out->trap = at_new(a, int, AT_NGRAM_ORDER_MAX);
    out->path = at_new(a, int, out->n_path + 1);
    if (!out->trap || !out->path)
        return at_oom(err);
    out->n_trap = at_ngram_state_words(x->g, x->state[first], out->trap);
    for (int i = first, k = out->n_path; i; i = x->before[i])
        out->path[--k] = x->by[i];
    return AT_OK;
}

static bool search_new(search *x, at_arena *scratch)
{
    int S = at_ngram_states(x->g), V = x->g->words + 1;
    if (!(x->number = at_new(scratch, int, S)) || !(x->state = at_new(scratch, int, S)) ||
        !(x->before = at_new(scratch, int, S)) || !(x->by = at_new(scratch, int, S)) ||
        !(x->good = at_new(scratch, bool, S)) || !(x->leads = at_new(scratch, int, S)) ||
        !(x->live = at_new(scratch, int, S)) || !(x->mark = at_new(scratch, int, V)) ||
        !(x->marked = at_new(scratch, int, V)) || !(x->rest = at_new(scratch, int, V)))
        return false;
    memset(x->number, -1, (size_t)S * sizeof *x->number);
    return true;
}

at_status at_ngram_tight(const at_ngram *g, const at_progress *progress, at_arena *a, at_tight *out,
                         at_err *err)
{
    search x = {.g = g, .t = g->of};
    at_arena scratch;
    at_arena_init(&scratch);
    *out = (at_tight){0};
    at_status s = search_new(&x, &scratch) ? all_meet(&x, progress, err) : at_oom(err);
    if (!s)
        s = good_find(&x, err);
    if (!s)
        s = trap_find(&x, a, out, err);
    out->states = x.n;
    if (!s && (double)x.n * g->words > ROWS_ADDED)
        out->off = NAN;
    else if (!s)
        s = rows_add(&x, progress, out, err);
    if (!s)
        s = mass_find(&x, a, out, err);
    at_arena_release(&scratch);
    return s;
}
