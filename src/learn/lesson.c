/* lesson.c: batches of a source, and trained weights as a decoder of its rows.
 *
 * A row of n tokens becomes n-1 positions: position i reads token i and should say token i+1; where that belongs to
 * the prompt there is no target. Of rows of labels position i should say its own answer instead. Sample numbers, not
 * draws, make the batch: any step can be asked for at any time. The order of a later epoch is a permutation with the epoch as
 * key (four rounds of Feistel; what falls beyond the samples is permuted again). */
#include "learn_internal.h"

#include <inttypes.h>
#include <string.h>

#define DISTINCT_MOST ((uint64_t)1 << 27) /* a gigabyte of numbers */

struct at_lesson {
    const at_source *d;
    uint64_t seed, samples, step, tokens;
    int batch, longest, threads;
    int *token, *target; /* (batch, longest) */
    double *x, *y;       /* positions: (batch, numbers), (batch, answers); NULL: rows */
    bool words;          /* their answers are words */
    at_train_sequence *sequence;
    at_err *wrong;    /* (batch) */
    uint64_t *differ; /* (samples) NULL, or which samples these are */
    learn_cut *cut;   /* NULL: rows are sequences */
};

at_status at_lesson_new(const at_source *d, uint64_t seed, int batch, uint64_t samples, int threads,
                        at_lesson **out, at_err *err)
{
    if (batch < 1 || batch > LESSON_BATCH_MOST)
        return at_fail(err, AT_EDOMAIN, "a batch of %d; allowed: 1..%d", batch, LESSON_BATCH_MOST);
    at_lesson *l = at_calloc(1, sizeof *l);
    if (!l)
        return at_oom(err);
    *l = (at_lesson){.d = d,
                     .seed = seed,
                     .samples = samples,
                     .batch = batch,
                     .longest = at_source_longest(d),
                     .threads = threads};
    size_t n = (size_t)batch * (size_t)l->longest;
    if (at_source_positions(d)) {
        l->x = at_calloc((size_t)batch * positions_numbers(d), sizeof *l->x);
        l->y = at_calloc((size_t)batch * positions_answers(d), sizeof *l->y);
    }
    l->token = at_calloc(n, sizeof(int));
    l->target = at_calloc(n, sizeof(int));
    l->sequence = at_calloc((size_t)batch, sizeof *l->sequence);
    l->wrong = at_calloc((size_t)batch, sizeof *l->wrong);
    if ((at_source_positions(d) && (!l->x || !l->y)) || !l->token || !l->target || !l->sequence ||
        !l->wrong) {
        at_lesson_free(l);
        return at_oom(err);
    }
    *out = l;
    return AT_OK;
}

void at_lesson_free(at_lesson *l)
{
    if (!l)
        return;
    at_free(l->token);
    at_free(l->target);
    at_free(l->x);
    at_free(l->y);
    at_free(l->sequence);
    at_free(l->wrong);
    learn_cut_free(l->cut);
    at_free(l->differ);
    at_free(l);
}

at_status at_lesson_distinct(at_lesson *l, at_err *err)
{
    uint64_t found = 0;
    if (!l->samples || l->samples > DISTINCT_MOST)
        return at_fail(err, AT_EREFUSED, "rows that differ: samples is %" PRIu64 ", must be in 1..%" PRIu64,
                       l->samples, DISTINCT_MOST);
    if (!l->differ && !(l->differ = at_calloc(l->samples, sizeof *l->differ)))
        return at_oom(err);
    at_status s =
        at_source_distinct(l->d, l->seed, AT_TRAIN, l->samples, false, l->threads, l->differ, &found, err);
    if (!s && found < l->samples)
        s = at_fail(err, AT_EREFUSED,
                    "samples is %" PRIu64 ", but only %" PRIu64 " rows that differ were found", l->samples,
                    found);
    return s;
}

static uint64_t feistel(uint64_t x, int half, uint64_t key)
{
    uint64_t mask = ((uint64_t)1 << half) - 1, left = x >> half, right = x & mask;
    for (uint64_t round = 0; round < 4; round++) {
        uint64_t in[2] = {right, round}, next = left ^ (at_hash64(in, sizeof in, key) & mask);
        left = right;
        right = next;
    }
    return left << half | right;
}

/* Which sample stands at place i of all that are ever read. */
static uint64_t sample_at(const at_lesson *l, uint64_t i)
{
    if (!l->samples)
        return i;
    uint64_t epoch = i / l->samples, x = i % l->samples, key[2] = {l->seed, epoch};
    int half = 1;
    while (half < 31 && (uint64_t)1 << (2 * half) < l->samples)
        half++;
    if (epoch && l->samples <= (uint64_t)1 << 62)
        do
            x = feistel(x, half, at_hash64(key, sizeof key, 0));
        while (x >= l->samples);
    return l->differ ? l->differ[x] : x;
}

int learn_reads(const at_source *d)
{
    int longest = at_source_longest(d);
    return at_source_labels(d) == AT_LABELS_ALL ? longest / 2 : longest - 1;
}

/* Of positions: a word at each, or at the last, or numbers. */
static void input_make(at_lesson *l, size_t k, uint64_t index)
{
    int N = at_params_int(&l->d->p, "N"), *target = l->target + k * (size_t)l->longest;
    double *x = l->x + k * positions_numbers(l->d), *y = l->y + k * positions_answers(l->d);
    if (positions_sample(l->d, l->seed, index, x, y, &l->wrong[k]))
        return;
    for (int i = 0; i < N; i++)
        target[i] = !l->d->task->last ? (int)y[i] : i + 1 < N ? -1 : (int)*y;
    l->sequence[k] = (at_train_sequence){
        .length = N, .x = x, .target = l->words ? target : NULL, .y = l->words ? NULL : y};
}

static void row_make(void *ctx, size_t k, int worker)
{
    (void)worker;
    at_lesson *l = ctx;
    if (l->x) {
        uint64_t number = l->step * (uint64_t)l->batch + k;
        l->wrong[k] = (at_err){0};
        input_make(l, k, l->samples ? number % l->samples : number);
        return;
    }
    int *token = l->token + k * (size_t)l->longest, *target = l->target + k * (size_t)l->longest;
    uint64_t index = l->step * (uint64_t)l->batch + k;
    at_sequence s = {.token = token};
    l->wrong[k] = (at_err){0};
    if (at_source_sample(l->d, l->seed, AT_TRAIN, sample_at(l, index), &s, &l->wrong[k]))
        return;
    bool labels = at_source_labels(l->d);
    int reads = labels ? s.prompt : s.n - 1,
        ahead = labels ? s.n - s.prompt : 1; /* from a token to its target */
    for (int i = 0; i < reads; i++)
        target[i] = i + ahead < s.prompt ? -1 : token[i + ahead];
    l->sequence[k] = (at_train_sequence){reads, token, target};
}

at_status at_lesson_batch(void *ctx, uint64_t step, const at_train_sequence **batch, int *n, at_err *err)
{
    at_lesson *l = ctx;
    l->step = step;
    at_status s = at_parallel(l->threads, (size_t)l->batch, row_make, l, err);
    l->tokens = 0;
    for (int k = 0; k < l->batch && !s; k++) {
        if (l->wrong[k].code)
            s = at_fail(err, l->wrong[k].code, "%s", l->wrong[k].text);
        l->tokens += (uint64_t)l->sequence[k].length;
    }
    *batch = l->sequence;
    *n = l->batch;
    return s || !l->cut ? s : learn_cut_rows(l->cut, batch, n, err);
}

uint64_t at_lesson_tokens(const at_lesson *l)
{
    return l->tokens;
}

/* The rule by which m writes rows, if what it is made of allows one. */
static at_status rule_add(at_model *m, at_err *err)
{
    at_err why = {0};
    if (learn_one_length(m))
        return AT_OK;
    m->decode = learn_rule(m);
    at_status s = at_model_validate(m, &why);
    if (s == AT_EREFUSED)
        m->decode = (at_decode){0};
    else if (s)
        return at_fail(err, s, "%s", why.text);
    return AT_OK;
}

at_status at_lesson_model(const at_trainer *t, const at_source *d, at_model *m, at_err *err)
{
    bool fast = at_trainer_arch(t)->layers > 0; /* else a model with lengths of its own */
    if (at_source_positions(d))
        return at_trainer_model(t, fast ? at_params_int(&d->p, "N") : 0, m, err);
    at_labels labels = at_source_labels(d);
    at_status s = at_trainer_model(t, !fast ? 0 : labels ? learn_reads(d) : 1, m, err);
    if (s)
        return s;
    if (labels) { /* no decoder: it answers where it is asked, and its words are the task's integers */
        if (fast)
            m->readout.last = labels == AT_LABELS_LAST;
        if ((s = at_model_validate(m, err)))
            at_model_release(m);
        return s;
    }
    int words = at_source_vocabulary(d);
    if (words <= AT_MAX_WORDS && !m->fields[0].words) {
        char word[AT_STREAM_WORD];
        if (!(m->fields[0].words = at_new(&m->arena, at_word, words)))
            s = at_oom(err);
        for (int k = 0; k < words && !s; k++)
            strcpy(m->fields[0].words[k].s, at_source_word(d, k, word));
    }
    if (!s && !m->decode.enabled)
        s = rule_add(m, err);
    if (!s)
        s = at_model_validate(m, err);
    if (s)
        at_model_release(m);
    return s;
}

at_status at_lesson_suit(at_lesson *l, const at_trainer *t, at_err *err)
{
    at_model m;
    at_status s = at_lesson_model(t, l->d, &m, err);
    if (s)
        return s;
    learn_cut_free(l->cut);
    l->cut = NULL;
    at_labels labels = at_source_labels(l->d);
    s = learn_shared(&m, l->d, err);
    if (!s && l->x) {
        s = learn_fits(&m, l->d, err);
        l->words = m.readout.kind == AT_READ_ARGMAX;
    } else if (!s && labels)
        s = learn_fits(&m, l->d, err);
    else if (!s && m.readout.last)
        s = learn_cut_new(l->longest, at_source_vocabulary(l->d), learn_one_length(&m) ? m.n_max : 0, &l->cut,
                          err);
    else if (!s && !m.decode.enabled)
        s = at_fail(err, AT_EREFUSED,
                    "the model says at every position what follows, but may see it there: a decoder, or an "
                    "answer at the last position, can be trained on a stream");
    at_model_release(&m);
    return s;
}
