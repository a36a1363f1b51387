/* lm_text.c: `attest lm score`, `perplexity` and `sample`: a language model and a text.
 *
 * A line is a sentence, an empty one too. A word that the model does not know, or <unk> itself, is an OOV. Where <unk> has a probability
 * there, the OOV has it; else the OOV is left out of the sum and of the number of tokens. */
#include "lm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SENTENCE_MAX (1 << 24) /* tokens */
#define OUT_BYTES    65536

/* ---- sums ----------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t sentences, words, oov, zeros; /* zeros: tokens that the model knows and gives no probability */
    uint64_t tokens, known; /* with </s>: those in log10prob, and those of them that are no OOV */
    double log10prob, log10prob_known;
} sums;

static void sums_add(sums *to, const sums *s)
{
    to->sentences += s->sentences;
    to->words += s->words;
    to->oov += s->oov;
    to->zeros += s->zeros;
    to->tokens += s->tokens;
    to->known += s->known;
    to->log10prob += s->log10prob;
    to->log10prob_known += s->log10prob_known;
}

static double perplexity(double log10prob, uint64_t tokens)
{
    return tokens ? at_pow(10, -log10prob / (double)tokens) : NAN;
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const cli_args *a;
    cli_lm m;
    at_tokens tokens;
    const char *where;
    uint64_t line;
    int *word, n, room;
    double *log10p; /* (room + 1) */
} reader;

static at_status room_grow(reader *r, at_err *err)
{
    int room = r->room ? 2 * r->room : 256;
    if (room > SENTENCE_MAX)
        return at_fail(err, AT_EINPUT, "%s:%llu: more than %d tokens", r->where, (unsigned long long)r->line,
                       SENTENCE_MAX);
    int *word = at_realloc(r->word, (size_t)room * sizeof *word);
    if (word)
        r->word = word;
    double *log10p = at_realloc(r->log10p, (size_t)(room + 1) * sizeof *log10p);
    if (log10p)
        r->log10p = log10p;
    if (!word || !log10p)
        return at_oom(err);
    r->room = room;
    return AT_OK;
}

static at_status line_cut(reader *r, const char *from, const char *end, at_err *err)
{
    at_ngram_token t;
    r->n = 0;
    r->line++;
    at_status s = AT_OK;
    for (const char *at = from; !s && at_ngram_token_next(r->tokens, &at, end, &t);) {
        int id = r->m.find(r->m.of, t.s, t.n);
        if (id >= r->m.words)
            s = at_fail(err, AT_EINPUT, "%s:%llu:%lld: %.*s stands around a sentence, not in it", r->where,
                        (unsigned long long)r->line, (long long)(t.s - from) + 1, (int)t.n, t.s);
        else
            s = r->n < r->room ? AT_OK : room_grow(r, err);
        if (!s)
            r->word[r->n++] = id < 0 ? r->m.unk : id;
    }
    return s;
}

static at_status sentence_score(reader *r, sums *out, at_err *err)
{
    at_status s = r->m.sentence(r->m.of, r->word, r->n, r->log10p, err);
    *out = (sums){.sentences = 1, .words = (uint64_t)r->n};
    for (int i = 0; i <= r->n && !s; i++) {
        bool oov = i < r->n && (r->word[i] < 0 || r->word[i] == r->m.unk);
        double p = r->log10p[i];
        out->oov += oov;
        if (oov && p == -INFINITY)
            continue;
        out->zeros += p == -INFINITY;
        out->tokens++;
        out->log10prob += p;
        out->known += !oov;
        out->log10prob_known += oov ? 0 : p;
    }
    return s;
}

/* ---- score, perplexity ------------------------------------------------------------------------------------------- */

typedef bool told_fn(reader *r, const sums *s, at_text *out);

static at_status text_score(reader *r, const char *text, size_t n, told_fn *tell, at_text *out, sums *all,
                            at_err *err)
{
    at_status s = AT_OK;
    for (const char *from = text, *end = text + n; from < end && !s;) {
        const char *stop = memchr(from, '\n', (size_t)(end - from)), *next = stop ? stop + 1 : end;
        sums one;
        stop = stop ? stop : end;
        if (stop > from && stop[-1] == '\r')
            stop--;
        s = line_cut(r, from, stop, err);
        if (!s && r->m.longest >= 0 && r->n > r->m.longest)
            s = at_fail(err, AT_EDOMAIN, "%s:%llu: %d words; the model takes sentences of at most %d",
                        r->where, (unsigned long long)r->line, r->n, r->m.longest);
        if (!s)
            s = sentence_score(r, &one, err);
        if (!s)
            sums_add(all, &one);
        if (!s && tell && !tell(r, &one, out))
            break;
        from = next;
        at_progress_tick(cli_progress(), "score", (double)(from - text), (double)n);
        if (!s && at_cancel_pending())
            s = at_fail(err, AT_ECANCEL, "interrupted");
    }
    return s;
}

static int lm_run(const cli_args *a, told_fn *tell, at_text *out, sums *all)
{
    const cli_lm_options *o = a->own;
    at_err err = {0};
    char *text = NULL;
    size_t n = 0;
    if (a->n_words < 3)
        return cli_usage(a, "missing: a text file, or - for standard input");
    reader r = {.a = a, .where = a->words[2]};
    at_status s = cli_lm_open(a->words[1], &r.m, &err);
    r.tokens = o->tokens ? (at_tokens)(o->tokens - 1) : r.m.tokens;
    if (!s)
        s = cli_lm_text(a->words[2], r.tokens, &text, &n, &err);
    if (!s)
        s = room_grow(&r, &err);
    if (!s)
        s = text_score(&r, text, n, tell, out, all, &err);
    at_free(text);
    at_free(r.word);
    at_free(r.log10p);
    cli_lm_close(&r.m);
    return s ? cli_fail(a, &err) : CLI_HOLDS;
}

static json_t *number_json(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static bool sentence_tell(reader *r, const sums *s, at_text *out)
{
    if (r->a->json) {
        json_t *j = cli_json_set(json_object(), "log10prob", number_json(s->log10prob));
        j = cli_json_set(j, "oov", json_integer((json_int_t)s->oov));
        j = cli_json_set(j, "words", json_integer((json_int_t)s->words));
        cli_json_line(j, out);
    } else
        at_text_addf(out, "%.12g\t%llu\n", s->log10prob, (unsigned long long)s->oov);
    if (out->n < OUT_BYTES || out->oom)
        return !out->oom;
    bool went = cli_put(out->s, out->n);
    out->n = 0;
    return went;
}

int cli_lm_score(const cli_args *a)
{
    sums all = {0};
    at_text t;
    at_text_init(&t);
    int code = lm_run(a, sentence_tell, &t, &all);
    return cli_put_text(a, &t, code);
}

static json_t *sums_json(const sums *s)
{
    json_t *j = cli_json_set(json_object(), "perplexity", number_json(perplexity(s->log10prob, s->tokens)));
    j = cli_json_set(j, "log10prob", number_json(s->log10prob));
    j = cli_json_set(j, "oov", json_integer((json_int_t)s->oov));
    j = cli_json_set(j, "sentences", json_integer((json_int_t)s->sentences));
    j = cli_json_set(j, "words", json_integer((json_int_t)s->words));
    j = cli_json_set(j, "tokens", json_integer((json_int_t)s->tokens));
    j = cli_json_set(j, "zeros", json_integer((json_int_t)s->zeros));
    j = cli_json_set(j, "perplexity_known", number_json(perplexity(s->log10prob_known, s->known)));
    return cli_json_set(j, "log10prob_known", number_json(s->log10prob_known));
}

int cli_lm_perplexity(const cli_args *a)
{
    sums s = {0};
    int code = lm_run(a, NULL, NULL, &s);
    if (code)
        return code;
    if (a->json)
        return cli_put_json(a, sums_json(&s), CLI_HOLDS);
    at_text t;
    char n[32];
    at_text_init(&t);
    at_text_addf(&t, "perplexity   %.6g", perplexity(s.log10prob, s.tokens));
    if (s.oov)
        at_text_addf(&t, " (without OOVs %.6g)", perplexity(s.log10prob_known, s.known));
    at_text_addf(&t, "\nlog10prob    %.10g over %s tokens, </s> among them\n", s.log10prob,
                 at_count_text(n, s.tokens));
    at_text_addf(&t, "oov          %s", at_count_text(n, s.oov));
    at_text_addf(&t, " of %s words", at_count_text(n, s.words));
    at_text_addf(&t, " in %s sentences\n", at_count_text(n, s.sentences));
    if (s.zeros)
        at_text_addf(&t, "zeros        %s tokens have no probability\n", at_count_text(n, s.zeros));
    return cli_put_text(a, &t, CLI_HOLDS);
}

/* ---- sample --------------------------------------------------------------------------------------------------------- */

typedef struct {
    int *word, n;
    bool ended;
    double log10prob;
} drawn;

/* By the row: the first word at which the running sum passes u of the whole. -1: nothing has a probability. */
static int word_draw(const double *p, int V, double u)
{
    double sum = 0, part = 0;
    int last = -1;
    for (int w = 0; w < V; w++)
        sum += p[w];
    for (int w = 0; w < V; w++)
        if (p[w] > 0) {
            last = w;
            part += p[w];
            if (part > u * sum)
                break;
        }
    return last;
}

static at_status sentence_draw(cli_lm *m, at_rng *r, int most, double *p, drawn *d, at_err *err)
{
    at_status s = AT_OK;
    d->n = 0;
    d->ended = false;
    d->log10prob = 0;
    while (!s && !d->ended && d->n <= most) {
        s = m->row(m->of, d->word, d->n, p, err);
        int w = s ? -1 : word_draw(p, m->words + 1, at_rng_unit(r));
        if (w < 0 || (d->n == most && w < m->words))
            break;
        d->log10prob += at_log(p[w]) / at_log(10);
        d->ended = w == m->words;
        if (!d->ended)
            d->word[d->n++] = w;
        if (at_cancel_pending())
            s = at_fail(err, AT_ECANCEL, "interrupted");
    }
    return s;
}

static at_status drawn_tell(const cli_args *a, const cli_lm *m, at_tokens tokens, const drawn *d, at_err *err)
{
    at_text raw, t;
    at_text_init(&raw);
    at_text_init(&t);
    at_text_add(&raw, "");
    m->say(m->of, tokens, d->word, d->n, &raw);
    if (a->json) {
        json_t *j = cli_json_set(json_object(), "text", raw.oom ? NULL : cli_json_text(raw.s));
        j = cli_json_set(j, "ended", json_boolean(d->ended));
        j = cli_json_set(j, "log10prob", number_json(d->log10prob));
        cli_json_line(j, &t);
    } else {
        at_text_add_plain(&t, raw.oom ? "" : raw.s);
        at_text_add(&t, d->ended ? "\n" : " ...\n");
    }
    at_status s = raw.oom || t.oom ? at_oom(err) : AT_OK;
    if (!s)
        cli_put(t.s, t.n);
    at_text_release(&raw);
    at_text_release(&t);
    return s;
}

int cli_lm_sample(const cli_args *a)
{
    const cli_lm_options *o = a->own;
    at_err err = {0};
    cli_lm m;
    if (a->n_words > 2)
        return cli_usage(a, "sample takes no text");
    at_status s = cli_lm_open(a->words[1], &m, &err);
    int most = m.longest >= 0 && m.longest < o->max_length ? m.longest : o->max_length;
    drawn d = {.word = at_malloc(((size_t)most + 1) * sizeof(int))};
    double *p = at_malloc(((size_t)m.words + 1) * sizeof *p);
    if (!s && (!p || !d.word))
        s = at_oom(&err);
    for (uint64_t i = 0; i < o->count && !s; i++) {
        at_rng r = at_rng_at(a->seed, i);
        s = sentence_draw(&m, &r, most, p, &d, &err);
        if (!s)
            s = drawn_tell(a, &m, o->tokens ? (at_tokens)(o->tokens - 1) : m.tokens, &d, &err);
    }
    at_free(p);
    at_free(d.word);
    cli_lm_close(&m);
    return s ? cli_fail(a, &err) : CLI_HOLDS;
}
