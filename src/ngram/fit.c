/* fit.c: probabilities from counts.
 *
 * Legend: h a context, w a word, h' is h without its first word, c(hw) the count, S(h) = sum of c(hw) over w, V words and </s>.
 *
 *     none  p(w | h) = c(hw) / S(h)
 *     add   p(w | h) = (c(hw) + k) / (S(h) + k V), every word listed behind every context that was seen
 *     abs   p(w | h) = (c(hw) - D) / S(h) + g(h) p(w | h'),  g(h) = sum of the discounts / S(h),  D = t1 / (t1 + 2 t2)
 *     kn    the same with a discount D(1), D(2), D(3) for counts 1, 2 and more:
 *           D(i) = i - (i + 1) Y t(i+1) / t(i),  Y = t1 / (t1 + 2 t2)          (Chen and Goodman 1998, "modified")
 *           and below the highest order c(hw) is the number of different tokens before hw, unless hw begins with <s>
 *
 * t(i): how many k-grams of this order have the count i. Behind the empty context stands 1/V. In the tables an unseen word behind h
 * gets weight(h) p(w | h'), so weight(h) = g(h); for none it is zero. A row sums to 1 since the discounts are what g(h) hands on. */
#include "fit_internal.h"

#include <math.h>
#include <string.h>

const char *const at_smoothing_names[AT_SMOOTHINGS] = {"kn", "abs", "add", "none"};

typedef struct {
    const at_fit *how;
    int words; /* ids, <s> and </s> among them */
    ngram_counted level[AT_NGRAM_ORDER_MAX + 1];
    double *p[AT_NGRAM_ORDER_MAX + 1];      /* by level: of each k-gram */
    double *sum[AT_NGRAM_ORDER_MAX + 1];    /* by level of the context: S, */
    double *handed[AT_NGRAM_ORDER_MAX + 1]; /* and the sum of the discounts */
    at_fitted *said;
    at_err *err;
} fit;

static uint32_t count_of(const fit *f, int k, int i)
{
    const ngram_counted *l = &f->level[k];
    if (k == 1 && i == f->words - 1)
        return 0; /* nothing predicts <s> */
    return f->how->smoothing == AT_SMOOTH_KN && k < f->how->order && !l->begins[i] ? l->left[i] : l->count[i];
}

/* ---- discounts --------------------------------------------------------------------------------------------------- */

static void discounts_find(fit *f, int k)
{
    bool kn = f->how->smoothing == AT_SMOOTH_KN;
    double t[5] = {0}, *d = f->said->discount[k];
    for (int i = 0; i < f->level[k].n; i++) {
        uint32_t c = count_of(f, k, i);
        if (c <= 4)
            t[c]++;
    }
    bool found = t[1] > 0 && t[2] > 0 && (!kn || t[3] > 0);
    double y = found ? t[1] / (t[1] + 2 * t[2]) : 0;
    for (int i = 1; i <= 3 && found; i++) {
        d[i - 1] = kn ? i - (i + 1) * y * t[i + 1] / t[i] : y;
        found = d[i - 1] >= 0 && d[i - 1] <= i;
    }
    f->said->assumed[k] = !found;
    for (int i = 1; i <= 3 && !found; i++)
        d[i - 1] = kn ? i / 2.0 : 0.5;
}

static double discount(const fit *f, int k, uint32_t c)
{
    return c ? f->said->discount[k][c > 3 ? 2 : c - 1] : 0;
}

/* ---- interpolation -------------------------------------------------------------------------------------------------- */

static at_status level_fit(fit *f, int k)
{
    const ngram_counted *l = &f->level[k];
    bool discounted = f->how->smoothing == AT_SMOOTH_KN || f->how->smoothing == AT_SMOOTH_ABS;
    size_t contexts = k == 1 ? 1 : (size_t)f->level[k - 1].n;
    double *sum = f->sum[k - 1] = at_calloc(contexts + 1, sizeof *sum);
    double *handed = f->handed[k - 1] = at_calloc(contexts + 1, sizeof *handed);
    double *p = f->p[k] = at_calloc((size_t)l->n + 1, sizeof *p);
    if (!sum || !handed || !p)
        return at_oom(f->err);
    if (discounted)
        discounts_find(f, k);
    for (int i = 0; i < l->n; i++) {
        uint32_t c = count_of(f, k, i);
        sum[l->parent[i]] += c;
        handed[l->parent[i]] += discount(f, k, c);
    }
    for (int i = 0; i < l->n; i++) {
        double c = count_of(f, k, i), S = sum[l->parent[i]];
        if (k == 1 && i == f->words - 1)
            continue;
        double below = k == 1 ? 1.0 / (f->words - 1) : f->p[k - 1][l->suffix[i]];
        if (discounted)
            p[i] = (c - discount(f, k, (uint32_t)c)) / S + handed[l->parent[i]] / S * below;
        else if (f->how->smoothing == AT_SMOOTH_ADD)
            p[i] = (c + f->how->k) / (S + f->how->k * (f->words - 1));
        else
            p[i] = c / S;
    }
    return AT_OK;
}

static double weight_of(const fit *f, int k, int i)
{
    double S = f->sum[k][i];
    if (S == 0 || f->how->smoothing == AT_SMOOTH_ADD)
        return 0; /* nothing was seen behind it; or every word is listed */
    return f->how->smoothing == AT_SMOOTH_NONE ? -INFINITY : ngram_log10(f->handed[k][i] / S);
}

/* ---- the trie --------------------------------------------------------------------------------------------------------- */

static at_status level_build(fit *f, int k, ngram_builder *b)
{
    const ngram_counted *l = &f->level[k];
    at_status s = AT_OK;
    for (int i = 0; i < l->n && !s; i++) {
        double weight = k < f->how->order ? weight_of(f, k, i) : 0;
        s = ngram_builder_add(
            b, k, &(ngram_entry){l->parent[i], l->word[i], ngram_log10(f->p[k][i]), weight, 0}, f->err);
    }
    return s;
}

/* Of add: every word behind every context that something was seen behind. at: where the k-grams that were seen are now; becomes that of
 * this level, the old one is freed. */
static at_status level_build_full(fit *f, int k, ngram_builder *b, int **at)
{
    const ngram_counted *l = &f->level[k];
    int *now = at_malloc((size_t)(l->n + 1) * sizeof *now), n = 0;
    if (!now)
        return at_oom(f->err);
    at_status s = AT_OK;
    for (int i = 0; i < l->n && !s;) {
        int parent = l->parent[i];
        double rest = ngram_log10(f->how->k / (f->sum[k - 1][parent] + f->how->k * (f->words - 1)));
        for (int w = 0; w < f->words - (k > 1) && !s; w++) {
            bool seen = i < l->n && l->parent[i] == parent && l->word[i] == w;
            double p = k == 1 && w == f->words - 1 ? -INFINITY : seen ? ngram_log10(f->p[k][i]) : rest;
            if (seen)
                now[i++] = n;
            n++;
            s = ngram_builder_add(b, k, &(ngram_entry){k == 1 ? 0 : (*at)[parent], w, p, 0, 0}, f->err);
        }
    }
    at_free(*at);
    *at = now;
    return s;
}

/* Before anything is listed: how much would it be? */
static at_status full_fits(const fit *f)
{
    uint64_t total = (uint64_t)f->words;
    for (int k = 2; k <= f->how->order; k++) {
        const ngram_counted *l = &f->level[k];
        for (int i = 0; i < l->n; i++)
            if (!i || l->parent[i] != l->parent[i - 1])
                total += (uint64_t)f->words - 1;
    }
    if (total > AT_NGRAM_MAX)
        return at_fail(
            f->err, AT_EBUDGET,
            "add lists every word behind every context: %llu n-grams, at most %d; fewer by a smaller "
            "vocabulary or order",
            (unsigned long long)total, AT_NGRAM_MAX);
    return AT_OK;
}

static at_status fit_build(fit *f, ngram_builder *b)
{
    bool full = f->how->smoothing == AT_SMOOTH_ADD;
    int *at = NULL;
    at_status s = full ? full_fits(f) : AT_OK;
    for (int k = 1; k <= f->how->order && !s; k++) {
        int twice;
        s = full ? level_build_full(f, k, b, &at) : level_build(f, k, b);
        if (!s)
            s = ngram_builder_close(b, k, &twice, f->err);
    }
    at_free(at);
    return s;
}

static at_status how_look(const at_fit *how, at_err *err)
{
    if (how->order < 1 || how->order > AT_NGRAM_ORDER_MAX)
        return at_fail(err, AT_EDOMAIN, "order %d: must be 1..%d", how->order, AT_NGRAM_ORDER_MAX);
    if (how->smoothing == AT_SMOOTH_ADD && !(how->k > 0 && how->k <= 1e9))
        return at_fail(err, AT_EDOMAIN, "k of add: must be positive, at most 1e9");
    return AT_OK;
}

at_status at_ngram_fit(const at_fit *how, const char *text, size_t n, const char *where,
                       const at_progress *progress, at_arena *a, at_ngram **out, at_fitted *said, at_err *err)
{
    at_fitted unsaid;
    fit f = {.how = how, .said = said ? said : &unsaid, .err = err};
    ngram_text t = {0};
    ngram_builder b;
    *f.said = (at_fitted){0};
    ngram_builder_init(&b, how->order, a);
    at_status s = how_look(how, err);
    if (!s)
        s = ngram_text_read(how, text, n, where, progress, a, &t, f.said, err);
    f.words = t.lexicon.n;
    if (!s)
        s = ngram_text_count(&t, how->order, progress, f.level, err);
    for (int k = 1; k <= how->order && !s; k++) {
        at_progress_tick(progress, "fit", k - 1, how->order);
        s = level_fit(&f, k);
    }
    if (!s)
        s = fit_build(&f, &b);
    if (!s) {
        b.lexicon = t.lexicon;
        t.lexicon = (ngram_lexicon){0};
        s = ngram_builder_seal(&b, a, out, err);
    } else
        ngram_builder_release(&b);
    ngram_text_release(&t);
    ngram_counted_release(f.level, AT_NGRAM_ORDER_MAX);
    for (int k = 0; k <= AT_NGRAM_ORDER_MAX; k++) {
        at_free(f.p[k]);
        at_free(f.sum[k]);
        at_free(f.handed[k]);
    }
    return s;
}
