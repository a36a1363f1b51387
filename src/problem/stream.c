/* stream.c: the table of streams, and what all of them share: opening, sampling, splits, grades.
 *
 * Sample i of a seed uses the random stream (seed, i) and nothing else. Prompts are drawn from it until one belongs
 * to the split that is asked for. The hash that decides about that has a fixed key, not the seed: a test prompt of one
 * seed is a training prompt of none. */
#include <math.h>
#include <stdio.h>

#include "stream.h"

#define STREAMS(ROW)                                                                                         \
    ROW(lis)                                                                                                 \
    ROW(ed)                                                                                                  \
    ROW(ed_local)                                                                                            \
    ROW(arithmetic)                                                                                          \
    ROW(qsa)                                                                                                 \
    ROW(match2)                                                                                              \
    ROW(match3)                                                                                              \
    ROW(compose)                                                                                             \
    ROW(funccomp)                                                                                            \
    ROW(parity)                                                                                              \
    ROW(dyck)                                                                                                \
    ROW(majority)                                                                                            \
    ROW(aa)                                                                                                  \
    ROW(sum)                                                                                                 \
    ROW(ngram)                                                                                               \
    ROW(max)

#define DECLARE(name) extern const at_stream at_stream_##name;
STREAMS(DECLARE)

#define REFER(name) &at_stream_##name,
const at_stream *const at_streams[] = {STREAMS(REFER)};
const int at_n_streams = sizeof at_streams / sizeof at_streams[0];
const at_registry at_stream_registry =
    AT_REGISTRY("stream", "attest list streams", at_streams, sizeof at_streams / sizeof at_streams[0], id);
const char *const at_part_names[AT_PARTS] = {[AT_TRAIN] = "train", [AT_TEST] = "test", [AT_ALL] = "all"};

/* A draw is test with probability 1/10; of arithmetic with under=1 and 64 operators with 1/325: that so many draws in a row are
 * not happens by chance with (324/325)^20000 < 1e-26. */
#define DRAWS_MAX 20000
#define SPLIT_KEY 0x73706c6974u

const at_stream *at_stream_find(const char *id)
{
    return at_registry_find(&at_stream_registry, id);
}

at_status at_source_open(const at_stream *t, const at_params *p, at_source **out, at_err *err)
{
    at_status s = t->verbs->validate ? t->verbs->validate(p, err) : AT_OK;
    if (s)
        return s;
    at_source *d = at_calloc(1, sizeof *d);
    if (!d)
        return at_oom(err);
    *d = (at_source){.stream = t, .verbs = t->verbs, .p = *p};
    if (t->verbs->open && (s = t->verbs->open(d, err))) {
        at_free(d);
        return s;
    }
    *out = d;
    return AT_OK;
}

void at_source_free(at_source *d)
{
    if (!d)
        return;
    if (d->verbs->close)
        d->verbs->close(d);
    at_problem_free(d->problem);
    at_free(d);
}

at_labels at_source_labels(const at_source *d)
{
    return d->verbs->labels ? d->verbs->labels(d) : AT_LABELS_NONE;
}

static const char *source_name(const at_source *d)
{
    return d->stream ? d->stream->id : d->task ? d->task->id : "the file";
}

/* ---- words -------------------------------------------------------------------------------------------- */

int at_source_vocabulary(const at_source *d)
{
    return d->verbs->vocabulary(d);
}

int at_source_longest(const at_source *d)
{
    return d->verbs->longest(d);
}

const char *at_source_word(const at_source *d, int token, char out[AT_STREAM_WORD])
{
    static const char *const common[AT_TOKEN_FIRST] = {"<pad>", "<sep>", "<eos>"};
    snprintf(out, AT_STREAM_WORD, "%s", token >= 0 && token < AT_TOKEN_FIRST ? common[token] : "?");
    if (token >= 0 && token < at_source_vocabulary(d))
        d->verbs->word(d, token, out);
    return out;
}

int at_source_token(const at_source *d, const char *word, size_t n)
{
    char out[AT_STREAM_WORD];
    for (int t = 0; t < at_source_vocabulary(d); t++) {
        at_source_word(d, t, out);
        if (strlen(out) == n && memcmp(out, word, n) == 0)
            return t;
    }
    return -1;
}

void at_source_print(const at_source *d, const int *token, int n, at_text *out)
{
    char word[AT_STREAM_WORD];
    for (int i = 0; i < n; i++)
        at_text_addf(out, "%s%s", i ? " " : "", at_source_word(d, token[i], word));
}

/* ---- samples ------------------------------------------------------------------------------------------- */

void draw_ascending(at_rng *r, int lo, int hi, int m, int *out)
{
    for (int n = 0; n < m; n++) {
        int t = hi - m + 1 + n, e = draw_within(r, lo, t), at = n;
        while (at > 0 && out[at - 1] > e)
            at--;
        if (at > 0 && out[at - 1] == e) {
            out[n] = t; /* larger than all before */
            continue;
        }
        memmove(out + at + 1, out + at, (size_t)(n - at) * sizeof *out);
        out[at] = e;
    }
}

/* Is it a user's file of which nothing is kept for tests? */
static bool is_whole(const at_source *d)
{
    return d->stream == &at_stream_lines_whole;
}

at_part at_source_part(const at_source *d, const at_sequence *s)
{
    if (is_whole(d))
        return AT_TRAIN;
    int n = d->verbs->complete ? s->prompt : s->n;
    if (d->verbs->no_test && d->verbs->no_test(d, s))
        return AT_TRAIN;
    uint64_t h = at_hash64(s->token, (size_t)n * sizeof *s->token, SPLIT_KEY);
    return h % AT_TEST_SHARE == 0 ? AT_TEST : AT_TRAIN;
}

at_status at_source_sample(const at_source *d, uint64_t seed, at_part split, uint64_t index, at_sequence *s,
                           at_err *err)
{
    bool drawn =
        !d->verbs
             ->complete; /* what is thrown away would change the distribution: parts differ in their draws alone */
    at_rng r = at_rng_at(drawn && split == AT_TEST ? ~seed : seed, index);
    for (int draws = 0; draws < DRAWS_MAX; draws++) {
        *s = (at_sequence){.token = s->token};
        d->verbs->draw(d, &r, s);
        if (!drawn && split != AT_ALL && at_source_part(d, s) != split)
            continue;
        return s->n > s->prompt ? AT_OK : at_source_complete(d, s, err);
    }
    if (is_whole(d))
        return at_fail(err, AT_EREFUSED,
                       "whole=1: all lines of the file are for training; tests are in another file (--test)");
    return at_fail(err, AT_EREFUSED,
                   "%s: of %d prompts in a row none is in the %s split; there are too few prompts",
                   source_name(d), DRAWS_MAX, at_part_names[split]);
}

at_status at_source_complete(const at_source *d, at_sequence *s, at_err *err)
{
    if (!d->verbs->complete)
        return at_fail(err, AT_EREFUSED, "%s: what follows a prompt is random", source_name(d));
    s->prompt = s->n;
    if (s->n < 1 || s->n >= at_source_longest(d) || !d->verbs->complete(d, s))
        return at_fail(err, AT_EINPUT, "no prompt of %s: the format is %s", source_name(d),
                       d->stream ? d->stream->format
                       : d->task ? d->task->input_help
                                 : "that of its lines, up to the first <sep>");
    return AT_OK;
}

at_status at_source_balance(const at_source *d, uint64_t seed, at_part split, uint64_t count, uint64_t *tally,
                            at_err *err)
{
    at_sequence s = {.token = at_calloc((size_t)at_source_longest(d), sizeof(int))};
    at_status st = s.token ? AT_OK : at_oom(err);
    memset(tally, 0, (size_t)at_source_vocabulary(d) * sizeof *tally);
    for (uint64_t i = 0; i < count && !st; i++) {
        if (at_cancel_pending())
            st = at_fail(err, AT_ECANCEL, "interrupted");
        else if (!(st = at_source_sample(d, seed, split, i, &s, err)))
            for (int k = s.answer; k < s.n - !at_source_labels(d); k++)
                tally[s.token[k]]++;
    }
    at_free(s.token);
    return st;
}

/* ---- grades -------------------------------------------------------------------------------------------- */

/* Where the answer of a row that ends in <eos> starts, from `from` on; -1: it has none. */
static int answer_find(const at_source *d, const int *t, int from, int n)
{
    if (n <= from || t[n - 1] != AT_TOKEN_EOS)
        return -1;
    if (d->verbs->before_answer < 0)
        return from;
    for (int i = n - 1; i >= from; i--)
        if (t[i] == d->verbs->before_answer)
            return i + 1;
    return d->verbs->before_answer == AT_TOKEN_SEP ? -1
                                                   : from; /* 3 + 4 = 7: the prompt's = is the one before */
}

static void grade_against(const at_source *d, const at_sequence *want, const int *got, int n, at_grade *g)
{
    const int *rest = want->token + want->prompt;
    int end = !at_source_labels(d); /* <eos> */
    int length = want->n - want->prompt, from = end ? answer_find(d, got, 0, n) : 0,
        size = want->n - end - want->answer;
    g->answer = from >= 0 && n - end - from == size &&
                memcmp(got + from, want->token + want->answer, (size_t)size * sizeof *got) == 0;
    for (g->wrong = 0; g->wrong < n && g->wrong < length && got[g->wrong] == rest[g->wrong];)
        g->wrong++;
    g->chain = n == length && g->wrong == n;
    g->wrong = g->chain ? -1 : g->wrong;
}

at_status at_source_grade(const at_source *d, const int *prompt, int n_prompt, const int *completion, int n,
                          at_grade *out, at_err *err)
{
    at_grade g = {AT_UNKNOWN, AT_UNKNOWN, -1};
    if (n_prompt < 1 || n_prompt > at_source_longest(d))
        return at_fail(err, AT_EINPUT, "a prompt of %d tokens; allowed are 1..%d", n_prompt,
                       at_source_longest(d));
    if (d->verbs->complete) {
        at_sequence s = {.n = n_prompt, .token = at_calloc((size_t)at_source_longest(d), sizeof(int))};
        if (!s.token)
            return at_oom(err);
        memcpy(s.token, prompt, (size_t)n_prompt * sizeof *prompt);
        at_status st = at_source_complete(d, &s, err);
        if (!st)
            grade_against(d, &s, completion, n, &g);
        at_free(s.token);
        if (st)
            return st;
    }
    if (d->verbs->steps)
        d->verbs->steps(d, prompt, n_prompt, completion, n, &g);
    *out = g;
    return AT_OK;
}

at_rights at_source_rights(const at_source *d, const int *prompt, int n)
{
    return d->verbs->rights ? d->verbs->rights(d, prompt, n) : (at_rights){1, 1};
}

at_status at_source_draws(const at_source *d, at_part part, const int *prompt, int n, bool *out, at_err *err)
{
    at_err no = {0};
    *out = false;
    if (n < 1 || n >= at_source_longest(d))
        return AT_OK;
    at_sequence s = {.n = n, .prompt = n, .token = at_calloc((size_t)at_source_longest(d), sizeof(int))};
    if (!s.token)
        return at_oom(err);
    memcpy(s.token, prompt, (size_t)n * sizeof *prompt);
    *out = (part == AT_ALL || at_source_part(d, &s) == part) && !at_source_complete(d, &s, &no);
    at_free(s.token);
    return AT_OK;
}

double at_source_probability(const at_source *d, const int *token, int i)
{
    return d->verbs->probability ? d->verbs->probability(d, token, i) : NAN;
}

/* ---- all words --------------------------------------------------------------------------------------------- */

static uint64_t length_count(const words_all *w, int length)
{
    uint64_t n = 1;
    for (int i = 0; i < length; i++)
        if (__builtin_mul_overflow(n, (uint64_t)w->base, &n))
            return UINT64_MAX;
    return n;
}

uint64_t words_count(const words_all *w)
{
    uint64_t all = 0;
    for (int length = w->least; length <= w->most; length += w->step)
        if (__builtin_add_overflow(all, length_count(w, length), &all))
            return UINT64_MAX;
    return all;
}

void words_nth(const words_all *w, uint64_t i, at_sequence *s)
{
    int length = w->least;
    for (uint64_t n; length < w->most && i >= (n = length_count(w, length)); length += w->step)
        i -= n;
    for (int k = length - 1; k >= 0; k--, i /= (uint64_t)w->base)
        s->token[k] = w->lo + (int)(i % (uint64_t)w->base);
    s->n = length;
    prompt_end(s);
}
