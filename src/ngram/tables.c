/* tables.c: what the tables say: probabilities, rows, states, histories. See ngram_internal.h for the trie.
 *
 * The probability of a word behind a context: that of the child, where there is one; else the back-off weight of the context times the
 * probability behind the link. Node 0 has every word as a child, so it ends. */
#include "ngram_internal.h"

#include <math.h>

double ngram_power(double log10p)
{
    return log10p == -INFINITY ? 0 : at_pow(10, log10p);
}

double ngram_log10(double p)
{
    return p > 0 ? at_log(p) / 2.30258509299404568402 : -INFINITY;
}

int at_ngram_find(const at_ngram *g, const char *word, size_t n)
{
    return ngram_lexicon_find(&g->of->lexicon, word, n);
}

int at_ngram_count(const at_ngram *g, int k)
{
    return g->of->base[k + 1] - g->of->base[k];
}

int ngram_child(const struct at_ngram_tables *t, int node, int word)
{
    if (!node)
        return 1 + word;
    int lo = t->first[node], end = t->first[node + 1], hi = end;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (t->word[mid] < word)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < end && t->word[lo] == word ? lo : -1;
}

/* ---- states ------------------------------------------------------------------------------------------------- */

int at_ngram_states(const at_ngram *g)
{
    return g->of->base[g->order];
}

bool at_ngram_is_state(const at_ngram *g, int state)
{
    const struct at_ngram_tables *t = g->of;
    return ngram_matters(t, state) && (!state || t->word[state] != at_ngram_eos(g));
}

/* The state after the word: the longest suffix of state and word that matters. */
static int after(const at_ngram *g, int state, int word)
{
    const struct at_ngram_tables *t = g->of;
    if (g->order == 1)
        return 0;
    for (int at = state;; at = t->link[at]) {
        int child = at < t->base[g->order - 1] ? ngram_child(t, at, word) : -1;
        if (child < 0)
            continue;
        while (!ngram_matters(t, child))
            child = t->link[child];
        return child;
    }
}

int at_ngram_state(const at_ngram *g, const int *history, int len)
{
    int state = 0;
    for (int i = len < g->order ? 0 : len - (g->order - 1); i < len; i++)
        state = history[i] < 0 ? 0 : after(g, state, history[i]);
    return state;
}

int at_ngram_start(const at_ngram *g)
{
    return after(g, 0, at_ngram_bos(g));
}

int at_ngram_state_words(const at_ngram *g, int state, int *history)
{
    const struct at_ngram_tables *t = g->of;
    int level = 0;
    while (state >= t->base[level + 1])
        level++;
    for (int k = level; k > 0; k--) {
        history[k - 1] = t->word[state];
        int lo = t->base[k - 1], hi = t->base[k] - 1; /* the last node of level k - 1 with first <= state */
        while (lo < hi) {
            int mid = hi - (hi - lo) / 2;
            if (t->first[mid] <= state)
                lo = mid;
            else
                hi = mid - 1;
        }
        state = lo;
    }
    return level;
}

/* ---- probabilities ---------------------------------------------------------------------------------------------- */

static double log10_of(const struct at_ngram_tables *t, int state, int word)
{
    double weight = 0;
    for (int at = state;; at = t->link[at]) {
        int child = ngram_child(t, at, word);
        if (child >= 0)
            return weight + t->p[child];
        weight += t->backoff[at];
    }
}

double at_ngram_step(const at_ngram *g, int *state, int word)
{
    if (word < 0) {
        *state = 0;
        return -INFINITY;
    }
    double p = log10_of(g->of, *state, word);
    *state = word == at_ngram_eos(g) ? 0 : after(g, *state, word);
    return p;
}

double at_ngram_next(const at_ngram *g, const int *history, int len, int word)
{
    return word < 0 ? -INFINITY : log10_of(g->of, at_ngram_state(g, history, len), word);
}

void at_ngram_state_row(const at_ngram *g, int state, double *p)
{
    const struct at_ngram_tables *t = g->of;
    int chain[AT_NGRAM_ORDER_MAX], n = 0;
    for (int at = state; at; at = t->link[at])
        chain[n++] = at;
    for (int w = 0; w <= g->words; w++)
        p[w] = t->unigram[w];
    while (n--) {
        double weight = ngram_power(t->backoff[chain[n]]);
        if (weight != 1)
            for (int w = 0; w <= g->words; w++)
                p[w] *= weight;
        for (int i = t->first[chain[n]]; i < t->first[chain[n] + 1]; i++)
            p[t->word[i]] = ngram_power(t->p[i]);
    }
}

void at_ngram_row(const at_ngram *g, const int *history, int len, double *p)
{
    at_ngram_state_row(g, at_ngram_state(g, history, len), p);
}

/* ---- histories ---------------------------------------------------------------------------------------------------- */

/* 1 + W + .. + W^(k-1), UINT64_MAX: that, or more. */
static uint64_t before(const at_ngram *g, int k)
{
    uint64_t sum = 0;
    for (int i = 0; i < k; i++)
        if (__builtin_mul_overflow(sum, (uint64_t)g->words, &sum) || __builtin_add_overflow(sum, 1, &sum))
            return UINT64_MAX;
    return sum;
}

uint64_t at_ngram_histories(const at_ngram *g)
{
    return before(g, g->order);
}

int at_ngram_history(const at_ngram *g, uint64_t i, int *history)
{
    int k = 0;
    while (k < g->order - 1 && before(g, k + 1) <= i)
        k++;
    i -= before(g, k);
    int n = k < g->order - 1 ? k + 1 : k;
    for (int at = n - 1; at >= n - k; at--) {
        history[at] = (int)(i % (uint64_t)g->words);
        i /= (uint64_t)g->words;
    }
    if (n > k)
        history[0] = at_ngram_bos(g);
    return n;
}

uint64_t at_ngram_history_find(const at_ngram *g, const int *history, int len)
{
    int most = g->order - 1, n = len < most ? len : most;
    history += len - n;
    bool begun = n && history[0] == at_ngram_bos(g);
    if (!begun && n < most)
        return UINT64_MAX;
    uint64_t i = 0;
    for (int at = begun; at < n; at++) {
        if (history[at] < 0 || history[at] >= g->words)
            return UINT64_MAX;
        i = i * (uint64_t)g->words + (uint64_t)history[at];
    }
    return i + before(g, n - begun);
}

bool at_ngram_fraction(const at_ngram *g, const int *history, int len, int word, uint64_t *over,
                       uint64_t *under)
{
    if (!g->of->count || word < 0 || word > g->words)
        return false;
    uint64_t i = at_ngram_history_find(g, history, len);
    if (i == UINT64_MAX)
        return false;
    *over = g->of->count[i * (uint64_t)(g->words + 1) + (uint64_t)word];
    *under = g->of->total[i];
    return true;
}
