/* build.c: the trie of a model, made level by level; and full tables as such a trie. */
#include "ngram_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ngram_builder_init(ngram_builder *b, int order, at_arena *a)
{
    *b = (ngram_builder){.order = order};
    ngram_lexicon_init(&b->lexicon, a);
}

void ngram_builder_release(ngram_builder *b)
{
    for (int k = 0; k <= AT_NGRAM_ORDER_MAX; k++) {
        at_free(b->level[k].e);
        at_free(b->level[k].first);
    }
    ngram_lexicon_release(&b->lexicon);
    *b = (ngram_builder){0};
}

at_status ngram_builder_add(ngram_builder *b, int k, const ngram_entry *e, at_err *err)
{
    ngram_level *l = &b->level[k];
    if (b->total >= AT_NGRAM_MAX)
        return at_fail(err, AT_EBUDGET, "more than %d n-grams", AT_NGRAM_MAX);
    if (l->n == l->room) {
        int room = l->room ? l->room + l->room / 2 : 1024;
        ngram_entry *grown = at_realloc(l->e, (size_t)room * sizeof *grown);
        if (!grown)
            return at_oom(err);
        l->e = grown;
        l->room = room;
    }
    l->e[l->n++] = *e;
    b->total++;
    return AT_OK;
}

static int by_place(const void *x, const void *y)
{
    const ngram_entry *a = x, *b = y;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    if (a->word != b->word)
        return a->word < b->word ? -1 : 1;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

at_status ngram_builder_close(ngram_builder *b, int k, int *twice, at_err *err)
{
    ngram_level *l = &b->level[k], *below = &b->level[k - 1];
    bool sorted = true;
    for (int i = 1; i < l->n && sorted; i++)
        sorted = by_place(&l->e[i - 1], &l->e[i]) < 0;
    if (!sorted)
        qsort(l->e, (size_t)l->n, sizeof *l->e, by_place);
    *twice = -1;
    for (int i = 1; i < l->n && *twice < 0; i++)
        if (l->e[i].parent == l->e[i - 1].parent && l->e[i].word == l->e[i - 1].word)
            *twice = l->e[i].tag;
    if (k == 1)
        return AT_OK;
    if (!(below->first = at_malloc((size_t)(below->n + 1) * sizeof *below->first)))
        return at_oom(err);
    for (int i = 0, at = 0; i <= below->n; i++) {
        while (at < l->n && l->e[at].parent < i)
            at++;
        below->first[i] = at;
    }
    return AT_OK;
}

static int entry_find(const ngram_level *l, int lo, int hi, int word)
{
    for (int end = hi; lo < hi;) {
        int mid = lo + (hi - lo) / 2;
        if (l->e[mid].word < word)
            lo = mid + 1;
        else
            hi = mid;
        if (lo == hi)
            return lo < end && l->e[lo].word == word ? lo : -1;
    }
    return -1;
}

int ngram_builder_find(const ngram_builder *b, const int *word, int k)
{
    int at = word[0];
    for (int j = 2; j <= k && at >= 0; j++)
        at = entry_find(&b->level[j], b->level[j - 1].first[at], b->level[j - 1].first[at + 1], word[j - 1]);
    return at;
}

/* ---- sealing ------------------------------------------------------------------------------------------------ */

static void links_make(struct at_ngram_tables *t, int order)
{
    t->link[0] = 0;
    for (int k = 1; k < order; k++)
        for (int parent = t->base[k - 1]; parent < t->base[k]; parent++)
            for (int i = t->first[parent]; i < t->first[parent + 1]; i++) {
                int at = parent, child = -1;
                while (at && child < 0) {
                    at = t->link[at];
                    child = ngram_child(t, at, t->word[i]);
                }
                t->link[i] = child < 0 ? 0 : child;
            }
}

static bool lexicon_keep(ngram_lexicon *x, at_arena *a, ngram_lexicon *out)
{
    *out = *x;
    out->name = at_new(a, const char *, x->n);
    out->slot = at_new(a, int, x->slots);
    if (!out->name || !out->slot)
        return false;
    memcpy(out->name, x->name, (size_t)x->n * sizeof *x->name);
    memcpy(out->slot, x->slot, x->slots * sizeof *x->slot);
    return true;
}

static int unk_find(const ngram_lexicon *x)
{
    int id = ngram_lexicon_find(x, "<unk>", 5);
    return id >= 0 ? id : ngram_lexicon_find(x, "<UNK>", 5);
}

static at_status seal(ngram_builder *b, at_arena *a, at_ngram **out, at_err *err)
{
    int order = b->order, nodes = 1 + b->total, contexts = nodes - b->level[order].n;
    struct at_ngram_tables *t = at_new(a, struct at_ngram_tables, 1);
    at_ngram *g = at_new(a, at_ngram, 1);
    if (!t || !g || !(t->word = at_new(a, int, nodes)) || !(t->p = at_new(a, double, nodes)) ||
        !(t->backoff = at_new(a, double, contexts)) || !(t->first = at_new(a, int, contexts + 1)) ||
        !(t->link = at_new(a, int, contexts)) || !(t->unigram = at_new(a, double, b->lexicon.n)) ||
        !lexicon_keep(&b->lexicon, a, &t->lexicon))
        return at_oom(err);
    t->base[1] = 1;
    t->word[0] = -1;
    t->first[0] = 1;
    for (int k = 1; k <= order; k++) {
        const ngram_level *l = &b->level[k];
        t->base[k + 1] = t->base[k] + l->n;
        for (int i = 0; i < l->n; i++) {
            int node = t->base[k] + i;
            t->word[node] = l->e[i].word;
            t->p[node] = l->e[i].p;
            if (k < order) {
                t->backoff[node] = l->e[i].backoff;
                t->first[node] = t->base[k + 1] + l->first[i];
            }
        }
    }
    t->first[contexts] = nodes;
    t->count = b->count;
    t->total = b->count_of_row;
    links_make(t, order);
    *g = (at_ngram){order, b->lexicon.n - 2, unk_find(&t->lexicon), t->lexicon.name, t};
    for (int w = 0; w <= g->words; w++)
        t->unigram[w] = ngram_power(t->p[1 + w]);
    *out = g;
    return AT_OK;
}

at_status ngram_builder_seal(ngram_builder *b, at_arena *a, at_ngram **out, at_err *err)
{
    at_status s = seal(b, a, out, err);
    ngram_builder_release(b);
    return s;
}

/* ---- full tables ---------------------------------------------------------------------------------------------- */

/* Rows, as probabilities: p or count / total is there. */
typedef struct {
    int order, words;
    const double *p;
    const uint64_t *count, *total;
} table;

static double cell(const table *t, uint64_t row, int word)
{
    uint64_t at = row * (uint64_t)(t->words + 1) + (uint64_t)word;
    return t->p ? t->p[at] : (double)t->count[at] / (double)t->total[row];
}

static at_status words_add(ngram_builder *b, int words, const char *const *word, at_err *err)
{
    for (int i = 0; i < words; i++) {
        size_t n = strlen(word[i]);
        if (!n || n >= AT_NGRAM_WORD_MAX || strcspn(word[i], " \t\r\n") < n || !strcmp(word[i], "<s>") ||
            !strcmp(word[i], "</s>"))
            return at_fail(err, AT_EINPUT, "'%s' cannot be a word of an n-gram model", word[i]);
        int id = ngram_lexicon_add(&b->lexicon, word[i], n);
        if (id < 0)
            return at_oom(err);
        if (id < i)
            return at_fail(err, AT_EINPUT, "the word '%s' twice", word[i]);
    }
    if (ngram_lexicon_add(&b->lexicon, "</s>", 4) < 0 || ngram_lexicon_add(&b->lexicon, "<s>", 3) < 0)
        return at_oom(err);
    return AT_OK;
}

/* The children of every k-gram. Those of a history have the probabilities of its row; of histories all words are there, so that longer
 * ones find their parents, and of n-grams those that are not zero. Other k-grams only lead to longer ones. */
static at_status level_fill(ngram_builder *b, const table *t, int k, const at_ngram *shape, at_err *err)
{
    const ngram_level *below = &b->level[k - 1];
    int history[AT_NGRAM_ORDER_MAX];
    at_status s = AT_OK;
    for (int i = 0; i < (k == 1 ? 1 : below->n) && !s; i++) {
        for (int at = i, j = k - 1; j > 0; at = b->level[j].e[at].parent, j--)
            history[j - 1] = b->level[j].e[at].word;
        if (k > 1 && history[k - 2] == t->words)
            continue; /* nothing follows </s> */
        bool begun = k > 1 && history[0] == t->words + 1;
        uint64_t row = begun || k == t->order ? at_ngram_history_find(shape, history, k - 1) : UINT64_MAX;
        for (int w = 0; w <= t->words + (k == 1) && !s; w++) {
            double p = row == UINT64_MAX || w > t->words ? 0 : cell(t, row, w);
            bool leads = k < t->order && w < t->words;
            if (k == 1 || leads || p > 0)
                s = ngram_builder_add(b, k, &(ngram_entry){i, w, ngram_log10(p), -INFINITY, 0}, err);
        }
    }
    return s;
}

static at_status table_build(const table *t, const char *const *word, at_arena *a, at_ngram **out,
                             at_err *err)
{
    at_ngram shape = {.order = t->order, .words = t->words};
    ngram_builder b;
    ngram_builder_init(&b, t->order, a);
    b.count = t->count;
    b.count_of_row = t->total;
    at_status s = words_add(&b, t->words, word, err);
    for (int k = 1; k <= t->order && !s; k++) {
        int twice;
        s = level_fill(&b, t, k, &shape, err);
        if (!s)
            s = ngram_builder_close(&b, k, &twice, err);
    }
    if (s) {
        ngram_builder_release(&b);
        return s;
    }
    return ngram_builder_seal(&b, a, out, err);
}

/* Histories, where a table of that size is allowed. */
static at_status rows_of(int order, int words, uint64_t *rows, at_err *err)
{
    if (order < 1 || order > AT_NGRAM_ORDER_MAX)
        return at_fail(err, AT_EDOMAIN, "order %d: must be 1..%d", order, AT_NGRAM_ORDER_MAX);
    if (words < 0 || words > AT_NGRAM_WORDS_MAX - 2)
        return at_fail(err, AT_EDOMAIN, "%d words: must be 0..%d", words, AT_NGRAM_WORDS_MAX - 2);
    *rows = at_ngram_histories(&(at_ngram){.order = order, .words = words});
    if (*rows > AT_NGRAM_MAX / ((uint64_t)words + 1))
        return at_fail(err, AT_EBUDGET, "a table of order %d over %d words has more than %d cells", order,
                       words, AT_NGRAM_MAX);
    return AT_OK;
}

at_status at_ngram_of_table(int order, int words, const char *const *word, const double *p, at_arena *a,
                            at_ngram **out, at_err *err)
{
    uint64_t rows;
    at_status s = rows_of(order, words, &rows, err);
    if (s)
        return s;
    for (uint64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int w = 0; w <= words; w++) {
            double x = p[i * (uint64_t)(words + 1) + (uint64_t)w];
            if (!(x >= 0 && x <= 1))
                return at_fail(err, AT_EDOMAIN, "row %llu: %g is no probability", (unsigned long long)i, x);
            sum += x;
        }
        if (!(fabs(sum - 1) <= 1e-9))
            return at_fail(err, AT_EDOMAIN, "row %llu sums to %.12g, not to 1", (unsigned long long)i, sum);
    }
    return table_build(&(table){order, words, p, NULL, NULL}, word, a, out, err);
}

at_status at_ngram_of_counts(int order, int words, const char *const *word, const uint64_t *count,
                             at_arena *a, at_ngram **out, at_err *err)
{
    uint64_t rows;
    at_status s = rows_of(order, words, &rows, err);
    if (s)
        return s;
    size_t V = (size_t)words + 1;
    uint64_t *kept = at_new(a, uint64_t, rows * V), *total = at_new(a, uint64_t, rows);
    if (!kept || !total)
        return at_oom(err);
    memcpy(kept, count, rows * V * sizeof *kept);
    for (uint64_t i = 0; i < rows; i++) {
        for (size_t w = 0; w < V; w++)
            if (__builtin_add_overflow(total[i], count[i * V + w], &total[i]) || total[i] > INT64_MAX)
                return at_fail(err, AT_EDOMAIN, "row %llu sums to 2^63 or more", (unsigned long long)i);
        if (!total[i])
            return at_fail(err, AT_EDOMAIN, "row %llu has no count", (unsigned long long)i);
    }
    return table_build(&(table){order, words, NULL, kept, total}, word, a, out, err);
}
