/* count.c: a text as ids, and its k-grams counted, level by level.
 *
 * Level k numbers the k-grams by (number of the first k - 1 words, last word). Positions of the text are sorted so by two passes of
 * counting, first by word, then by that number; so a level costs time in proportion to the text. */
#include "fit_internal.h"

#include <stdlib.h>
#include <string.h>

#define TOKENS_MAX ((size_t)1 << 28)
#define OFTEN      ((size_t)1 << 16) /* bytes between two ticks */

/* ---- the text as ids ------------------------------------------------------------------------------------------- */

enum { SENTENCE = -1 }; /* stands before each one while words are not numbered yet */

typedef struct {
    const at_fit *how;
    const char *where;
    ngram_lexicon all; /* every word of the text */
    uint64_t *seen;    /* (all.room) */
    int seen_room;
    int *id;
    size_t n, room;
    at_err *err;
} scan;

static at_status id_push(scan *c, int id)
{
    if (c->n == TOKENS_MAX)
        return at_fail(c->err, AT_EBUDGET, "%s: more than %zu tokens", c->where, TOKENS_MAX);
    if (c->n == c->room) {
        size_t room = c->room ? 2 * c->room : 4096;
        int *grown = at_realloc(c->id, room * sizeof *grown);
        if (!grown)
            return at_oom(c->err);
        c->id = grown;
        c->room = room;
    }
    c->id[c->n++] = id;
    return AT_OK;
}

static at_status word_see(scan *c, const char *s, size_t n, uint64_t times, int *id)
{
    if ((*id = ngram_lexicon_add(&c->all, s, n)) < 0)
        return at_oom(c->err);
    if (*id >= c->seen_room) {
        int room = c->seen_room ? 2 * c->seen_room : 1024;
        uint64_t *grown = at_realloc(c->seen, (size_t)room * sizeof *grown);
        if (!grown)
            return at_oom(c->err);
        memset(grown + c->seen_room, 0, (size_t)(room - c->seen_room) * sizeof *grown);
        c->seen = grown;
        c->seen_room = room;
    }
    c->seen[*id] += times;
    return AT_OK;
}

static at_status token_take(scan *c, const at_ngram_token *t, size_t line, const char *from)
{
    long long at = (long long)line, column = t->s == t->own ? 1 : t->s - from + 1;
    int id;
    if (t->n >= AT_NGRAM_WORD_MAX)
        return at_fail(c->err, AT_EINPUT, "%s:%lld:%lld: a word of %zu bytes: at most %d", c->where, at,
                       column, t->n, AT_NGRAM_WORD_MAX - 1);
    if (memchr(t->s, 0, t->n))
        return at_fail(c->err, AT_EINPUT, "%s:%lld:%lld: a zero byte in a word", c->where, at, column);
    if ((t->n == 3 && !memcmp(t->s, "<s>", 3)) || (t->n == 4 && !memcmp(t->s, "</s>", 4)))
        return at_fail(c->err, AT_EINPUT, "%s:%lld:%lld: %.*s stands around a sentence, not in it", c->where,
                       at, column, (int)t->n, t->s);
    at_status s = word_see(c, t->s, t->n, 1, &id);
    return s ? s : id_push(c, id);
}

static at_status lines_read(scan *c, const char *text, size_t n, const at_progress *progress, at_fitted *said)
{
    const char *end = text + n, *told = text;
    at_status s = AT_OK;
    for (const char *from = text; from < end && !s;) {
        const char *stop = memchr(from, '\n', (size_t)(end - from)), *next = stop ? stop + 1 : end;
        stop = stop ? stop : end;
        if (stop > from && stop[-1] == '\r')
            stop--;
        said->sentences++;
        s = id_push(c, SENTENCE);
        at_ngram_token t;
        for (const char *at = from; !s && at_ngram_token_next(c->how->tokens, &at, stop, &t);) {
            s = token_take(c, &t, said->sentences, from);
            said->tokens++;
        }
        from = next;
        if (from - told >= (ptrdiff_t)OFTEN) {
            told = from;
            at_progress_tick(progress, "read text", (double)(from - text), (double)n);
            if (at_cancel_pending())
                return at_fail(c->err, AT_ECANCEL, "interrupted");
        }
    }
    return s;
}

typedef struct {
    int id;
    uint64_t seen;
} rank;

static int by_rank(const void *x, const void *y)
{
    const rank *a = x, *b = y;
    if (a->seen != b->seen)
        return a->seen > b->seen ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

/* The words that stay: the most frequent first, those met earlier first among equals. to (all.n): the new id of each. */
static at_status words_choose(scan *c, ngram_lexicon *out, int *to, rank *order)
{
    const char *blank = ngram_blank(c->how->tokens);
    int kept = 0, n = 0;
    for (int i = 0; i < c->all.n; i++)
        order[n++] = (rank){i, c->seen[i]};
    qsort(order, (size_t)n, sizeof *order, by_rank);
    if (ngram_lexicon_add(out, "<unk>", 5) < 0)
        return at_oom(c->err);
    for (int i = 0; i < n; i++) {
        const char *name = c->all.name[order[i].id];
        bool stays = order[i].seen >= c->how->min_count && order[i].seen > 0 &&
                     (c->how->vocabulary <= 0 || kept < c->how->vocabulary);
        bool special = (blank && !strcmp(name, blank)) || !strcmp(name, "<unk>");
        to[order[i].id] = stays || special ? ngram_lexicon_add(out, name, strlen(name)) : 0;
        if (to[order[i].id] < 0)
            return at_oom(c->err);
        kept += stays && !special;
    }
    if (out->n > AT_NGRAM_WORDS_MAX - 2)
        return at_fail(c->err, AT_EBUDGET,
                       "%s: %d different words: at most %d; fewer by --vocabulary or --min-count", c->where,
                       out->n, AT_NGRAM_WORDS_MAX - 2);
    if (ngram_lexicon_add(out, "</s>", 4) < 0 || ngram_lexicon_add(out, "<s>", 3) < 0)
        return at_oom(c->err);
    return AT_OK;
}

/* Numbers the tokens anew, and puts </s> before each <s> but the first, and at the end: there is room for them. */
static void ids_end(const scan *c, const int *to, ngram_text *out, at_fitted *said)
{
    int eos = out->lexicon.n - 2, bos = eos + 1;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (c->id[i] == SENTENCE) {
            if (i)
                out->id[n++] = eos;
            out->id[n++] = bos;
            continue;
        }
        out->id[n++] = to[c->id[i]];
        said->unknown += !to[c->id[i]];
    }
    out->id[n++] = eos;
    out->n = n;
}

static at_status text_end(scan *c, at_arena *a, ngram_text *out, at_fitted *said)
{
    int *to = at_malloc((size_t)(c->all.n + 1) * sizeof *to);
    rank *order = at_malloc((size_t)(c->all.n + 1) * sizeof *order);
    ngram_lexicon_init(&out->lexicon, a);
    out->id = at_malloc((c->n + said->sentences) * sizeof *out->id);
    at_status s = to && order && out->id ? words_choose(c, &out->lexicon, to, order) : at_oom(c->err);
    if (!s)
        ids_end(c, to, out, said);
    else
        ngram_text_release(out);
    at_free(to);
    at_free(order);
    return s;
}

at_status ngram_text_read(const at_fit *how, const char *text, size_t n, const char *where,
                          const at_progress *progress, at_arena *a, ngram_text *out, at_fitted *said,
                          at_err *err)
{
    scan c = {.how = how, .where = where, .err = err};
    const char *blank = ngram_blank(how->tokens);
    at_arena names;
    int id;
    at_arena_init(&names);
    ngram_lexicon_init(&c.all, &names);
    *out = (ngram_text){0};
    at_status s = blank ? word_see(&c, blank, strlen(blank), 0, &id) : AT_OK;
    if (!s)
        s = lines_read(&c, text, n, progress, said);
    if (!s && !said->sentences)
        s = at_fail(err, AT_EINPUT, "%s: no sentence in it; one a line", where);
    if (!s)
        s = text_end(&c, a, out, said);
    at_free(c.id);
    at_free(c.seen);
    ngram_lexicon_release(&c.all);
    at_arena_release(&names);
    return s;
}

void ngram_text_release(ngram_text *t)
{
    at_free(t->id);
    ngram_lexicon_release(&t->lexicon);
    *t = (ngram_text){0};
}

/* ---- k-grams ------------------------------------------------------------------------------------------------------ */

static bool counted_new(ngram_counted *l, int n, bool suffix)
{
    size_t m = (size_t)(n ? n : 1);
    *l = (ngram_counted){.n = n};
    return (l->parent = at_calloc(m, sizeof *l->parent)) && (l->word = at_calloc(m, sizeof *l->word)) &&
           (!suffix || (l->suffix = at_calloc(m, sizeof *l->suffix))) &&
           (l->count = at_calloc(m, sizeof *l->count)) && (l->left = at_calloc(m, sizeof *l->left)) &&
           (l->begins = at_calloc(m, sizeof *l->begins));
}

void ngram_counted_release(ngram_counted *level, int order)
{
    for (int k = 1; k <= order; k++) {
        ngram_counted *l = &level[k];
        at_free(l->parent);
        at_free(l->word);
        at_free(l->suffix);
        at_free(l->count);
        at_free(l->left);
        at_free(l->begins);
        *l = (ngram_counted){0};
    }
}

/* What both passes need: positions before and after, where each key's positions begin. */
typedef struct {
    const int *id;
    size_t n;
    int eos;
    int *node,
        *next; /* (n): the (k-1)-gram that begins here, and the k-gram; -1: the sentence is too short */
    uint32_t *from, *to; /* (n): positions */
    uint32_t *begin;     /* (keys + 1) */
    size_t keys;
} sorter;

/* Stable: `count` positions of from, by key, to `to`. */
static void pass(sorter *x, size_t count, const int *key, size_t shift, size_t keys)
{
    memset(x->begin, 0, (keys + 1) * sizeof *x->begin);
    for (size_t i = 0; i < count; i++)
        x->begin[key[x->from[i] + shift] + 1]++;
    for (size_t i = 0; i < keys; i++)
        x->begin[i + 1] += x->begin[i];
    for (size_t i = 0; i < count; i++)
        x->to[x->begin[key[x->from[i] + shift]]++] = x->from[i];
    uint32_t *was = x->from;
    x->from = x->to;
    x->to = was;
}

static bool keys_room(sorter *x, size_t keys)
{
    if (keys <= x->keys)
        return true;
    at_free(x->begin);
    x->begin = at_malloc((keys + 1) * sizeof *x->begin);
    x->keys = x->begin ? keys : 0;
    return x->begin;
}

/* Level k from level k - 1: x->node becomes that of level k. */
static at_status level_count(sorter *x, int k, int words, ngram_counted *level, at_err *err)
{
    ngram_counted *below = &level[k - 1], *l = &level[k];
    size_t count = 0, shift = (size_t)k - 1;
    for (size_t i = 0; i < x->n; i++)
        if (x->node[i] >= 0 && x->id[i + shift - 1] != x->eos)
            x->from[count++] = (uint32_t)i;
    if (!keys_room(x, (size_t)(below->n > words ? below->n : words)))
        return at_oom(err);
    pass(x, count, x->id, shift, (size_t)words);
    pass(x, count, x->node, 0, (size_t)below->n);
    int n = 0;
    for (size_t i = 0; i < count; i++)
        n += !i || x->node[x->from[i]] != x->node[x->from[i - 1]] ||
             x->id[x->from[i] + shift] != x->id[x->from[i - 1] + shift];
    if (n > AT_NGRAM_MAX)
        return at_fail(err, AT_EBUDGET, "%d different %d-grams: at most %d n-grams of all orders", n, k,
                       AT_NGRAM_MAX);
    if (!counted_new(l, n, true))
        return at_oom(err);
    memset(x->next, -1, x->n * sizeof *x->next);
    int at = -1;
    for (size_t i = 0; i < count; i++) {
        uint32_t p = x->from[i];
        int parent = x->node[p], word = x->id[p + shift];
        if (at < 0 || l->parent[at] != parent || l->word[at] != word) {
            at++;
            l->parent[at] = parent;
            l->word[at] = word;
            l->suffix[at] = x->node[p + 1];
            l->begins[at] = below->begins[parent];
            below->left[l->suffix[at]]++;
        }
        l->count[at]++;
        x->next[p] = at;
    }
    int *was = x->node;
    x->node = x->next;
    x->next = was;
    return AT_OK;
}

static at_status first_count(sorter *x, int words, ngram_counted *l, at_err *err)
{
    if (!counted_new(l, words, false))
        return at_oom(err);
    for (int w = 0; w < words; w++) {
        l->word[w] = w;
        l->begins[w] = w == words - 1;
    }
    for (size_t i = 0; i < x->n; i++) {
        l->count[x->id[i]]++;
        x->node[i] = x->id[i];
    }
    return AT_OK;
}

at_status ngram_text_count(const ngram_text *t, int order, const at_progress *progress, ngram_counted *level,
                           at_err *err)
{
    sorter x = {.id = t->id, .n = t->n, .eos = t->lexicon.n - 2};
    x.node = at_malloc(t->n * sizeof *x.node);
    x.next = at_malloc(t->n * sizeof *x.next);
    x.from = at_malloc(t->n * sizeof *x.from);
    x.to = at_malloc(t->n * sizeof *x.to);
    at_status s =
        x.node && x.next && x.from && x.to ? first_count(&x, t->lexicon.n, &level[1], err) : at_oom(err);
    for (int k = 2; k <= order && !s; k++) {
        at_progress_tick(progress, "count n-grams", k - 2, order - 1);
        s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted")
                                : level_count(&x, k, t->lexicon.n, level, err);
    }
    at_free(x.node);
    at_free(x.next);
    at_free(x.from);
    at_free(x.to);
    at_free(x.begin);
    return s;
}
