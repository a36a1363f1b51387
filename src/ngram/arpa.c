/* arpa.c: ARPA files, read and printed.
 *
 *     \data\                       what stands before this is not read, nor what stands behind \end\
 *     ngram 1=4                    how many k-grams, k = 1, 2, ..
 *     ngram 2=3
 *
 *     \1-grams:
 *     -0.60206  rain  -0.30103     log10 p, the words, log10 of the back-off weight, which may be missing: then 0
 *     -99       <s>   -0.30103     -99 or less: zero
 *     ...
 *     \end\
 *
 * Between fields stand blanks or tabs; lines may end in CR LF; empty lines are nothing. Words are bytes. Every fault is one message
 * "file:line:column: ...". */
#include "ngram_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BACKOFF_MAX 99

typedef struct {
    const char *s, *end; /* of the line, without blanks at its end */
    const char *from;    /* its first byte, for columns */
    int number;
} arpa_line;

typedef struct {
    const char *at, *end, *where;
    arpa_line line;
    int64_t said[AT_NGRAM_ORDER_MAX + 1]; /* by \data\ */
    ngram_builder b;
    double eos[2], bos[2];                  /* p and back-off; */
    bool has_eos, has_bos;                  /* they come behind all words */
    int prefix[AT_NGRAM_ORDER_MAX], parent; /* the context of the line before */
    int n_prefix;
    at_err *err;
} reader;

static at_status fault(reader *r, const char *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static at_status fault(reader *r, const char *at, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return at_fail(r->err, AT_EINPUT, "%s:%d:%d: %s", r->where, r->line.number, (int)(at - r->line.from) + 1,
                   text);
}

/* The next line that is not empty; false: there is none, and the line is the end of the file. */
static bool line_next(reader *r)
{
    while (r->at < r->end) {
        const char *from = r->at, *end = memchr(from, '\n', (size_t)(r->end - from));
        end = end ? end : r->end;
        r->at = end < r->end ? end + 1 : end;
        const char *s = from;
        while (s < end && (*s == ' ' || *s == '\t' || *s == '\r'))
            s++;
        while (end > s && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
            end--;
        r->line = (arpa_line){s, end, from, r->line.number + 1};
        if (s < end)
            return true;
    }
    r->line = (arpa_line){r->end, r->end, r->end, r->line.number + 1};
    return false;
}

static bool line_is(const reader *r, const char *s)
{
    size_t n = strlen(s);
    return (size_t)(r->line.end - r->line.s) == n && !memcmp(r->line.s, s, n);
}

/* ---- \data\ ------------------------------------------------------------------------------------------------- */

/* ngram K=N */
static at_status count_read(reader *r, int k)
{
    const char *s = r->line.s + 5, *equals = memchr(s, '=', (size_t)(r->line.end - s));
    int64_t order, n;
    while (s < r->line.end && (*s == ' ' || *s == '\t'))
        s++;
    if (!equals || !at_parse_i64(s, (size_t)(equals - s), &order))
        return fault(r, s, "a count is written: ngram %d=17", k);
    if (order != k)
        return fault(r, s, "ngram %d= was expected: orders stand in sequence", k);
    if (k > AT_NGRAM_ORDER_MAX)
        return fault(r, s, "order %d: at most %d", k, AT_NGRAM_ORDER_MAX);
    for (s = equals + 1; s < r->line.end && (*s == ' ' || *s == '\t'); s++)
        ;
    if (!at_parse_i64(s, (size_t)(r->line.end - s), &n) || n < 0)
        return fault(r, s, "a count is a whole number");
    int64_t total = n, most = k == 1 ? AT_NGRAM_WORDS_MAX : AT_NGRAM_MAX;
    for (int j = 1; j < k; j++)
        total += r->said[j];
    if (n > most || total > AT_NGRAM_MAX)
        return fault(r, s, "at most %d words, and %d n-grams of all orders", AT_NGRAM_WORDS_MAX,
                     AT_NGRAM_MAX);
    r->said[k] = n;
    return AT_OK;
}

static at_status data_find(reader *r)
{
    while (line_next(r))
        if (line_is(r, "\\data\\"))
            return AT_OK;
    return fault(r, r->line.s, "no line \\data\\");
}

/* Stops at the line behind the counts. */
static at_status counts_read(reader *r)
{
    int k = 0;
    at_status s = data_find(r);
    while (!s && line_next(r) && r->line.end - r->line.s > 5 && !memcmp(r->line.s, "ngram", 5))
        s = count_read(r, ++k);
    if (!s && !k)
        s = fault(r, r->line.s, "no counts: ngram 1=17");
    r->b.order = k;
    return s;
}

/* ---- k-grams -------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *s;
    size_t n;
} field;

static at_status fields_cut(reader *r, int k, field *f, int *n)
{
    *n = 0;
    for (const char *s = r->line.s; s < r->line.end;) {
        const char *from = s;
        while (s < r->line.end && *s != ' ' && *s != '\t')
            s++;
        if (*n == k + 2)
            return fault(r, from, "more than a probability, %d word%s and a back-off weight", k,
                         k > 1 ? "s" : "");
        f[(*n)++] = (field){from, (size_t)(s - from)};
        while (s < r->line.end && (*s == ' ' || *s == '\t'))
            s++;
    }
    if (*n < k + 1)
        return fault(r, r->line.end, "a probability and %d word%s were expected", k, k > 1 ? "s" : "");
    return AT_OK;
}

static at_status number_read(reader *r, field f, double most, const char *what, double *x)
{
    if (!at_parse_double(f.s, f.n, x))
        return fault(r, f.s, "'%.*s' is no number", f.n > 40 ? 40 : (int)f.n, f.s);
    if (*x > most)
        return fault(r, f.s, "%.*s: the logarithm of a %s is at most %g", f.n > 40 ? 40 : (int)f.n, f.s, what,
                     most);
    if (*x <= AT_NGRAM_ZERO)
        *x = -INFINITY;
    return AT_OK;
}

/* Ids while \1-grams: is read: words only; afterwards </s> and <s> too. */
static at_status word_read(reader *r, field f, int *id)
{
    *id = ngram_lexicon_find(&r->b.lexicon, f.s, f.n);
    return *id >= 0
               ? AT_OK
               : fault(r, f.s, "the word '%.*s' is not among the 1-grams", f.n > 80 ? 80 : (int)f.n, f.s);
}

static at_status unigram_read(reader *r, field f, double p, double backoff)
{
    bool eos = f.n == 4 && !memcmp(f.s, "</s>", 4), bos = f.n == 3 && !memcmp(f.s, "<s>", 3);
    bool again = eos ? r->has_eos : bos ? r->has_bos : ngram_lexicon_find(&r->b.lexicon, f.s, f.n) >= 0;
    if (f.n >= AT_NGRAM_WORD_MAX)
        return fault(r, f.s, "a word of %zu bytes: at most %d", f.n, AT_NGRAM_WORD_MAX - 1);
    if (memchr(f.s, 0, f.n))
        return fault(r, f.s, "a zero byte in a word");
    if (again)
        return fault(r, f.s, "the 1-gram '%.*s' stands here twice", (int)f.n, f.s);
    if (eos || bos) {
        double *to = eos ? r->eos : r->bos;
        *(eos ? &r->has_eos : &r->has_bos) = true;
        to[0] = bos ? -INFINITY : p; /* nothing predicts <s>, whatever files say of it */
        to[1] = backoff;
        return AT_OK;
    }
    int id = ngram_lexicon_add(&r->b.lexicon, f.s, f.n);
    return id < 0 ? at_oom(r->err)
                  : ngram_builder_add(&r->b, 1, &(ngram_entry){0, id, p, backoff, 0}, r->err);
}

static at_status unigrams_end(reader *r)
{
    if (!r->has_eos || !r->has_bos)
        return fault(r, r->line.s, "no %s among the 1-grams", r->has_eos ? "<s>" : "</s>");
    int eos = ngram_lexicon_add(&r->b.lexicon, "</s>", 4), bos = ngram_lexicon_add(&r->b.lexicon, "<s>", 3);
    if (eos < 0 || bos < 0)
        return at_oom(r->err);
    at_status s = ngram_builder_add(&r->b, 1, &(ngram_entry){0, eos, r->eos[0], r->eos[1], 0}, r->err);
    return s ? s : ngram_builder_add(&r->b, 1, &(ngram_entry){0, bos, r->bos[0], r->bos[1], 0}, r->err);
}

/* The entry of the context word[0..n), which most often is that of the line before. */
static int context_find(reader *r, const int *word, int n)
{
    if (n != r->n_prefix || memcmp(word, r->prefix, (size_t)n * sizeof *word)) {
        memcpy(r->prefix, word, (size_t)n * sizeof *word);
        r->n_prefix = n;
        r->parent = ngram_builder_find(&r->b, word, n);
    }
    return r->parent;
}

static at_status ngram_read(reader *r, int k)
{
    field f[AT_NGRAM_ORDER_MAX + 2];
    int n, word[AT_NGRAM_ORDER_MAX];
    double p, backoff = 0;
    at_status s = fields_cut(r, k, f, &n);
    if (!s)
        s = number_read(r, f[0], 0, "probability", &p);
    if (!s && n == k + 2)
        s = number_read(r, f[k + 1], BACKOFF_MAX, "back-off weight", &backoff);
    if (!s && n == k + 2 && k == r->b.order)
        s = fault(r, f[k + 1].s, "n-grams of the highest order have no back-off weight");
    if (!s && k == 1)
        return unigram_read(r, f[1], p, backoff);
    for (int i = 0; i < k && !s; i++)
        s = word_read(r, f[i + 1], &word[i]);
    if (s)
        return s;
    int eos = r->b.lexicon.n - 2, bos = eos + 1;
    for (int i = 0; i < k; i++)
        if ((word[i] == bos && i) || (word[i] == eos && i < k - 1))
            return AT_OK; /* no sentence has it */
    int parent = context_find(r, word, k - 1);
    if (parent < 0)
        return fault(r, f[1].s, "the words before the last are not among the %d-grams", k - 1);
    return ngram_builder_add(&r->b, k, &(ngram_entry){parent, word[k - 1], p, backoff, r->line.number},
                             r->err);
}

/* From the line \k-grams: to the one behind the last k-gram. */
static at_status section_read(reader *r, int k)
{
    char title[32];
    snprintf(title, sizeof title, "\\%d-grams:", k);
    if (!line_is(r, title))
        return fault(r, r->line.s, "%s was expected", title);
    int64_t n = 0;
    at_status s = AT_OK;
    while (!s && line_next(r) && r->line.s[0] != '\\') {
        if (n++ == r->said[k])
            return fault(r, r->line.s, "more %d-grams than the %lld of \\data\\", k, (long long)r->said[k]);
        s = ngram_read(r, k);
    }
    if (!s && n < r->said[k])
        s = fault(r, r->line.s, "%lld %d-grams stand above; \\data\\ says %lld", (long long)n, k,
                  (long long)r->said[k]);
    if (!s && k == 1)
        s = unigrams_end(r);
    int twice = -1;
    if (!s)
        s = ngram_builder_close(&r->b, k, &twice, r->err);
    if (!s && twice >= 0)
        s = at_fail(r->err, AT_EINPUT, "%s:%d:1: the %d-gram stands here for the second time", r->where,
                    twice, k);
    r->n_prefix = 0;
    return s;
}

at_status at_ngram_read(const char *text, size_t n, const char *where, at_arena *a, at_ngram **out,
                        at_err *err)
{
    reader r = {.at = text, .end = text + n, .where = where, .err = err};
    ngram_builder_init(&r.b, 0, a);
    at_status s = counts_read(&r);
    for (int k = 1; k <= r.b.order && !s; k++)
        s = section_read(&r, k);
    if (!s && !line_is(&r, "\\end\\"))
        s = fault(&r, r.line.s, "\\end\\ was expected");
    if (s) {
        ngram_builder_release(&r.b);
        return s;
    }
    return ngram_builder_seal(&r.b, a, out, err);
}

/* What stands before \data\ are remarks, and few. */
at_status at_ngram_look(const char *path, const char *first, size_t n, at_err *err)
{
    reader r = {.at = first, .end = first + n, .where = path, .err = err};
    if (memchr(first, 0, n))
        return at_fail(err, AT_EINPUT, "%.200s: a byte is 0: no ARPA file", path);
    return data_find(&r);
}

at_status at_ngram_load(const char *path, at_arena *a, at_ngram **out, at_err *err)
{
    char *text;
    size_t n;
    at_status s = at_file_read_if(path, AT_NGRAM_FILE_MAX, at_ngram_look, &text, &n, err);
    if (s)
        return s;
    s = at_ngram_read(text, n, path, a, out, err);
    at_free(text);
    return s;
}

#define OFTEN 4096 /* n-grams between two ticks */

/* ---- printing ------------------------------------------------------------------------------------------------- */

/* A decimal of up to 15 digits that became a double is found again by 15 digits; others need 16 or 17. */
static void number_print(double x, at_text *out)
{
    char s[40];
    int digits = 15;
    if (x == -INFINITY)
        x = AT_NGRAM_ZERO;
    do
        snprintf(s, sizeof s, "%.*g", digits, x + 0.0);
    while (digits++ < 17 && strtod(s, NULL) != x);
    at_text_add(out, s);
}

void at_ngram_print(const at_ngram *g, const at_progress *progress, at_text *out)
{
    const struct at_ngram_tables *t = g->of;
    int word[AT_NGRAM_ORDER_MAX];
    at_text_add(out, "\\data\\\n");
    for (int k = 1; k <= g->order; k++)
        at_text_addf(out, "ngram %d=%d\n", k, at_ngram_count(g, k));
    for (int k = 1; k <= g->order; k++) {
        at_text_addf(out, "\n\\%d-grams:\n", k);
        for (int i = t->base[k]; i < t->base[k + 1] && !out->oom; i++) {
            if (i % OFTEN == 0)
                at_progress_tick(progress, "write", i, t->base[g->order + 1]);
            at_ngram_state_words(g, i, word);
            number_print(t->p[i], out);
            for (int j = 0; j < k; j++) {
                at_text_add(out, j ? " " : "\t");
                at_text_add(out, g->word[word[j]]);
            }
            if (k < g->order && t->backoff[i] != 0) {
                at_text_add(out, "\t");
                number_print(t->backoff[i], out);
            }
            at_text_add(out, "\n");
        }
    }
    at_text_add(out, "\n\\end\\\n");
}
