/* exam.c: greedy completions of a source's prompts, graded.
 *
 * A stretch of prompts is completed, all at once by the batched decoder or, for models and arithmetics that it refuses, one
 * generator a thread, or, where there is no step for what the model is made of, by running it on the whole row so far for every
 * token; then graded in parallel, and told in order. So nothing depends on the threads, and what is told
 * can be printed at once. */
#include "learn_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STRETCH 256                 /* prompts completed before they are told */
#define COUNTED ((uint64_t)1 << 22) /* prompts up to which distinct ones are counted */
#define BATCH   64                  /* of them at a time */

typedef struct {
    at_err wrong;
    at_sequence s; /* the sample; of it only the prompt is given to the model */
    double *prompt;
    int *completion;
    int n;
    double margin;
    at_grade grade;
    bool stopped, unfit, seen;
} paper;

/* What a whole run needs, a thread. */
typedef struct {
    at_arena arena;
    double *row; /* (room_of), the arena's */
} reader;

typedef struct {
    const at_model *m;
    at_model
        short_of; /* m, its prompts and chains no longer than those of the source: decoders take memory for them */
    const at_source *d;
    uint64_t seed, first;
    at_part part;
    const at_exam_options *o;
    int threads;
    at_arith arith;
    at_decode rule;
    int most;                 /* tokens of a completion that are kept */
    at_batch *batch;          /* NULL: generators instead */
    at_generator **generator; /* (threads); NULL: whole runs instead */
    reader *readers;          /* (threads) */
    paper *papers;            /* (STRETCH) */
    uint64_t *listed;         /* NULL, or the numbers of all prompts of the part */
    uint64_t *differ;         /* NULL, or which samples are asked */
    uint64_t *print;          /* (count) NULL, or a hash of each prompt */
    at_input prompt[STRETCH];
    at_batch_chain chain[STRETCH];
} hall;

double at_exam_answer(const at_exam *e)
{
    if (e->drawn)
        return at_exp(-e->shares.kl);
    if (e->real && !(e->tolerance > 0))
        return e->trivial > 0 ? fmax(1 - e->square / e->trivial, 0) : 0;
    if (e->positions)
        return (double)e->right / (double)e->positions;
    return e->count ? (double)e->answers / (double)e->count : NAN;
}

double at_exam_chain(const at_exam *e)
{
    return e->drawn ? at_exp(-e->shares.kl) : e->count ? (double)e->chains / (double)e->count : NAN;
}

/* Is the right row longer, or the input shorter, than the model takes? All but the last token of a row are read. */
static bool is_unfit(const hall *h, const at_sequence *s)
{
    if (at_source_labels(h->d))
        return s->prompt < h->m->n_min || s->prompt > h->m->n_max;
    return s->n - 1 > h->m->n_max || s->prompt < h->rule.prompt_min || s->prompt > h->rule.prompt_max;
}

/* How many prompts there are; UINT64_MAX: they cannot be listed. Labels are asked at positions, so it is the task that lists. */
uint64_t at_exam_prompts(const at_source *d)
{
    if (at_source_labels(d))
        return d->task->enums >> AT_ENUM_SEQUENCES & 1 ? d->task->count(&d->p, AT_ENUM_SEQUENCES)
                                                       : UINT64_MAX;
    return d->verbs->count && d->verbs->complete ? d->verbs->count(d) : UINT64_MAX;
}

/* x: room for the longest row. */
static void prompts_nth(const at_source *d, uint64_t i, double *x, at_sequence *s)
{
    *s = (at_sequence){.token = s->token};
    if (!at_source_labels(d)) {
        d->verbs->nth(d, i, s);
        return;
    }
    d->task->nth(&d->p, AT_ENUM_SEQUENCES, i, x);
    for (s->n = 0; s->n < learn_reads(d); s->n++)
        s->token[s->n] = (int)x[s->n];
    s->prompt = s->n;
}

static bool is_asked(const hall *h, const paper *p)
{
    return !p->wrong.code && !p->unfit && (!p->seen || h->o->seen_too);
}

static void paper_draw(void *ctx, size_t k, int worker)
{
    (void)worker;
    hall *h = ctx;
    paper *p = &h->papers[k];
    p->wrong = (at_err){0};
    p->n = 0;
    p->margin = INFINITY;
    p->unfit = false;
    if (h->listed) {
        prompts_nth(h->d, h->listed[h->first + k], p->prompt, &p->s);
        if (at_source_complete(h->d, &p->s, &p->wrong))
            p->s.prompt = 0;
    } else if (at_source_sample(h->d, h->seed, h->part, h->differ ? h->differ[h->first + k] : h->first + k,
                                &p->s, &p->wrong))
        p->s.prompt = 0;
    if (h->print)
        h->print[h->first + k] = at_hash64(p->s.token, (size_t)p->s.prompt * sizeof(int), 0);
    for (int i = 0; i < p->s.prompt; i++)
        p->prompt[i] = p->s.token[i];
    p->unfit = !p->wrong.code && is_unfit(h, &p->s);
    p->seen = false;
    if (h->o->trained && !p->wrong.code)
        at_source_draws(h->o->trained, AT_TRAIN, p->s.token, p->s.prompt, &p->seen, &p->wrong);
    h->prompt[k] = (at_input){is_asked(h, p) ? p->s.prompt : 0, p->prompt};
}

/* No row is longer than `most`; what goes beyond is wrong whatever it says. */
static void paper_keep(paper *p, int most, const double *rows, int n, double margin)
{
    n = n < most ? n : most;
    for (int i = 0; i < n; i++)
        p->completion[i] = (int)rows[i];
    p->n = n;
    if (n)
        p->margin = margin;
}

static void paper_generate(void *ctx, size_t k, int worker)
{
    hall *h = ctx;
    paper *p = &h->papers[k];
    const double *rows;
    int n = 0;
    double margin;
    at_err none = {0};
    if (!is_asked(h, p))
        return;
    at_status s = at_generator_run(h->generator[worker], p->prompt, p->s.prompt, &rows, &n, &margin, &none);
    if (s && s != AT_EBUDGET)
        at_fail(&p->wrong, s, "%s", none.text);
    else
        paper_keep(p, h->most, rows, n, margin);
}

/* What the model says at the last of n tokens. */
static at_status reader_next(const hall *h, reader *r, int n, double *token, double *margin, bool *decided,
                             at_err *err)
{
    at_mark before = at_arena_mark(&r->arena);
    at_output y;
    at_status s = at_cancel_pending()
                      ? at_fail(err, AT_ECANCEL, "interrupted")
                      : at_run(h->m, h->arith, &(at_input){n, r->row}, NULL, &r->arena, &y, err);
    if (!s) {
        *token = y.decision[y.n - 1];
        *margin = y.margin[y.n - 1];
        *decided = y.decided[y.n - 1] == AT_TRUE;
    }
    at_arena_reset(&r->arena, before);
    return s;
}

static void paper_read(void *ctx, size_t k, int worker)
{
    hall *h = ctx;
    paper *p = &h->papers[k];
    reader *r = &h->readers[worker];
    const at_decode *rule = &h->rule;
    bool one = learn_one_length(h->m), end = false;
    int n = p->s.prompt, most = h->m->n_max - n + one;
    if (!is_asked(h, p))
        return;
    most = h->most < most ? h->most : most;
    for (int i = 0; i < (one ? h->m->n_max : n); i++)
        r->row[i] = i < n ? p->prompt[i] : AT_TOKEN_PAD;
    while (p->n < most && !end) {
        double token, margin;
        bool decided;
        if (reader_next(h, r, one ? h->m->n_max : n, &token, &margin, &decided, &p->wrong))
            return;
        p->margin = fmin(p->margin, margin);
        if (!decided)
            return;
        if (n < h->m->n_max)
            r->row[n++] = token;
        p->completion[p->n++] = (int)token;
        end = rule->stop == AT_STOP_EQUALS && token == rule->value;
    }
}

/* Rows of labels: one run says all answers. */
static void paper_answer(void *ctx, size_t k, int worker)
{
    hall *h = ctx;
    paper *p = &h->papers[k];
    reader *r = &h->readers[worker];
    int n = p->s.prompt;
    if (!is_asked(h, p))
        return;
    at_mark before = at_arena_mark(&r->arena);
    at_output y;
    if (!at_run(h->m, h->arith, &(at_input){n, p->prompt}, NULL, &r->arena, &y, &p->wrong))
        for (; p->n < y.n && p->n < h->most && y.decided[p->n] == AT_TRUE; p->n++) {
            p->completion[p->n] = (int)y.decision[p->n];
            p->margin = fmin(p->margin, y.margin[p->n]);
        }
    at_arena_reset(&r->arena, before);
}

static void paper_grade(void *ctx, size_t k, int worker)
{
    (void)worker;
    hall *h = ctx;
    paper *p = &h->papers[k];
    if (!is_asked(h, p))
        return;
    p->stopped = at_source_labels(h->d) ? p->n == h->most : p->n && p->completion[p->n - 1] == AT_TOKEN_EOS;
    at_source_grade(h->d, p->s.token, p->s.prompt, p->completion, p->n, &p->grade, &p->wrong);
}

/* The next n papers, from the prompt to the grade. */
static at_status papers_run(hall *h, size_t n, at_err *err)
{
    at_status s = at_parallel(h->threads, n, paper_draw, h, err);
    if (!s && h->batch) {
        s = at_batch_run(h->batch, h->prompt, n, h->chain, err);
        for (size_t k = 0; k < n && !s; k++)
            paper_keep(&h->papers[k], h->most, h->chain[k].rows, h->chain[k].n, h->chain[k].margin);
    } else if (!s)
        s = at_parallel(h->threads, n,
                        at_source_labels(h->d) ? paper_answer
                        : h->generator         ? paper_generate
                                               : paper_read,
                        h, err);
    return s ? s : at_parallel(h->threads, n, paper_grade, h, err);
}

bool at_exam_takes(const at_model *m)
{
    return m->n_fields == 1 && m->fields[0].kind == AT_FIELD_TOKEN && m->readout.kind == AT_READ_ARGMAX &&
           (m->decode.enabled || m->readout.rows == m->fields[0].size);
}

at_status learn_fits(const at_model *m, const at_source *d, at_err *err)
{
    if (at_source_positions(d))
        return at_task_fits(d->task, &d->p, m, err);
    if (!at_exam_takes(m))
        return at_fail(err, AT_EREFUSED, "the model does not write tokens one after the other");
    at_labels labels = at_source_labels(d);
    if (labels && m->readout.last != (labels == AT_LABELS_LAST))
        return at_fail(err, AT_EREFUSED, "the model answers at %s, the stream asks at %s",
                       m->readout.last ? "the last position only" : "every position",
                       m->readout.last ? "every position" : "the last one only");
    int words = at_source_vocabulary(d);
    if (m->fields[0].size != words)
        return at_fail(err, AT_EREFUSED,
                       "the model has %d words, the stream %d: other sizes, or another task",
                       m->fields[0].size, words);
    char word[AT_STREAM_WORD];
    for (int k = 0; k < words && m->fields[0].words; k++)
        if (strcmp(m->fields[0].words[k].s, at_source_word(d, k, word)))
            return at_fail(err, AT_EREFUSED, "word %d is '%.40s' in the model and '%.40s' in the stream", k,
                           m->fields[0].words[k].s, word);
    return AT_OK;
}

at_status learn_examinable(const at_source *d, uint64_t seed, at_part part, at_err *err)
{
    if (at_source_positions(d))
        return AT_OK;
    at_sequence s = {.token = at_calloc((size_t)at_source_longest(d), sizeof(int))};
    at_status st = s.token ? at_source_sample(d, seed, part, 0, &s, err) : at_oom(err);
    s.n = s.prompt;
    if (!st && !at_source_is_drawn(d))
        st = at_source_complete(d, &s, err);
    at_free(s.token);
    return st;
}

static void generators_close(hall *h)
{
    for (int k = 0; h->generator && k < h->threads; k++)
        at_generator_free(h->generator[k]);
    h->generator = NULL;
}

static at_status generators_open(hall *h, at_arena *a, at_err *err)
{
    at_status s = AT_OK;
    h->batch = NULL;
    if (!(h->generator = at_new(a, at_generator *, h->threads)))
        return at_oom(err);
    for (int k = 0; k < h->threads && !s; k++)
        s = at_generator_new(&h->short_of, h->arith, &h->generator[k], err);
    if (s)
        generators_close(h);
    return s;
}

/* Tokens of a row that is read whole: a prompt and what is written behind it; of one length only, all that it has. */
static int room_of(const hall *h)
{
    int64_t longest = (int64_t)at_source_longest(h->d) + h->most;
    return learn_one_length(h->m) || longest > h->m->n_max ? h->m->n_max : (int)longest;
}

static at_status readers_open(hall *h, at_arena *a, at_err *err)
{
    at_status s = at_arith_supports(h->m, h->arith, err);
    if (s)
        return s;
    if (!(h->readers = at_new(a, reader, h->threads)))
        return at_oom(err);
    for (int k = 0; k < h->threads; k++) {
        reader *r = &h->readers[k];
        at_arena_init(&r->arena);
        if (!(r->row = at_new(&r->arena, double, room_of(h))))
            return at_oom(err);
    }
    return AT_OK;
}

static at_status hall_open(hall *h, at_arena *a, at_err *err)
{
    int longest = at_source_longest(h->d);
    at_err refused = {0};
    h->most = at_source_labels(h->d)        ? longest - learn_reads(h->d)
              : h->rule.max_steps < longest ? h->rule.max_steps
                                            : longest;
    h->short_of = *h->m;
    at_decode *rule = &h->short_of.decode;
    rule->max_steps = rule->max_steps < h->most ? rule->max_steps : h->most;
    rule->prompt_max = rule->prompt_max < longest ? rule->prompt_max : longest;
    rule->prompt_max = rule->prompt_max < rule->prompt_min ? rule->prompt_min : rule->prompt_max;
    h->papers = at_new(a, paper, STRETCH);
    if (!h->papers)
        return at_oom(err);
    for (int k = 0; k < STRETCH; k++) {
        h->papers[k].s.token = at_new(a, int, longest);
        h->papers[k].prompt = at_new(a, double, longest);
        h->papers[k].completion = at_new(a, int, h->most);
        if (!h->papers[k].s.token || !h->papers[k].prompt || !h->papers[k].completion)
            return at_oom(err);
    }
    if (at_source_labels(h->d))
        return readers_open(h, a, err);
    at_status s = at_batch_new(&h->short_of, h->arith, BATCH, h->threads, &h->batch, &refused);
    for (int k = 0; k < 2 && s == AT_EREFUSED; k++) {
        refused = (at_err){0};
        s = k == 0 ? generators_open(h, a, &refused) : readers_open(h, a, &refused);
    }
    return s ? at_fail(err, s, "%s", refused.text) : AT_OK;
}

static void hall_close(hall *h)
{
    at_batch_free(h->batch);
    generators_close(h);
    for (int k = 0; h->readers && k < h->threads; k++)
        at_arena_release(&h->readers[k].arena);
}

/* All prompts of the part, where they are few: *count becomes how many. */
static at_status prompts_list(hall *h, at_arena *a, uint64_t *count, at_err *err)
{
    uint64_t all = at_exam_prompts(h->d), n = 0;
    if (all > *count * AT_TEST_SHARE || all > COUNTED) /* a quick no: a part may be a tenth of them */
        return AT_OK;
    uint64_t *list = at_new(a, uint64_t, all < *count ? all : *count);
    double *x = at_new(a, double, at_source_longest(h->d));
    at_sequence s = {.token = at_new(a, int, at_source_longest(h->d))};
    if (!list || !x || !s.token)
        return at_oom(err);
    for (uint64_t i = 0; i < all; i++) {
        prompts_nth(h->d, i, x, &s);
        if (h->part != AT_ALL && at_source_part(h->d, &s) != h->part)
            continue;
        if (n == *count)
            return AT_OK;
        list[n++] = i;
    }
    if (n) {
        h->listed = list;
        *count = n;
    }
    return AT_OK;
}

at_status learn_askable(const at_model *m, const at_source *d, at_part part, const at_exam_options *o,
                        at_err *err)
{
    uint64_t all = at_exam_prompts(d), unfit = 0, seen = 0;
    const hall h = {.m = m, .d = d, .o = o, .rule = learn_rule(m)};
    paper p = {.s = {.token = at_calloc((size_t)at_source_longest(d), sizeof(int))}};
    at_status s = p.s.token ? AT_OK : at_oom(err);
    bool any = all > COUNTED; /* too many to look at */
    for (uint64_t i = 0; i < all && !any && !s; i++) {
        prompts_nth(d, i, NULL, &p.s);
        if (part != AT_ALL && at_source_part(d, &p.s) != part)
            continue;
        p.seen = false;
        s = at_source_complete(d, &p.s, err);
        if (!s && o->trained)
            s = at_source_draws(o->trained, AT_TRAIN, p.s.token, p.s.prompt, &p.seen, err);
        p.unfit = !s && is_unfit(&h, &p.s);
        unfit += p.unfit;
        seen += !p.unfit && p.seen;
        any = is_asked(&h, &p);
    }
    at_free(p.s.token);
    return s || any ? s
                    : at_fail(err, AT_EREFUSED,
                              "no prompt of the test file can be asked: %" PRIu64
                              " are trained on, the rows of %" PRIu64 " do not fit into a model of length %d",
                              seen, unfit, m->n_max);
}

/* Of drawn prompts the first *count that differ; *count becomes how many these are. */
static at_status prompts_differ(hall *h, at_arena *a, uint64_t *count, at_err *err)
{
    uint64_t most = *count;
    if (!(h->differ = at_new(a, uint64_t, most)))
        return at_oom(err);
    return at_source_distinct(h->d, h->seed, h->part, most, true, h->threads, h->differ, count, err);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t distinct_count(uint64_t *print, uint64_t n)
{
    uint64_t distinct = n > 0;
    qsort(print, (size_t)n, sizeof *print, by_number);
    for (uint64_t i = 1; i < n; i++)
        distinct += print[i] != print[i - 1];
    return distinct;
}

static void paper_count(const paper *p, at_exam *out, uint64_t *wrong, double *places)
{
    out->count++;
    out->answers += p->grade.answer == AT_TRUE;
    out->chains += p->grade.chain == AT_TRUE;
    out->unfinished += !p->stopped;
    out->tokens += (uint64_t)p->n;
    if (p->margin < out->margin)
        out->margin = p->margin;
    if (p->grade.wrong >= 0) {
        ++*wrong;
        *places += p->grade.wrong + 1;
    }
}

at_status at_exam_run(const at_model *m, const at_source *d, uint64_t seed, at_part part, uint64_t count,
                      const at_exam_options *o, at_exam *out, at_err *err)
{
    if (at_source_positions(d))
        return positions_exam(m, d, seed, count, o, out, err);
    at_arena arena;
    if (at_source_is_drawn(d)) {
        *out = (at_exam){.drawn = true, .first_wrong = NAN, .margin = INFINITY};
        at_status st = at_shares_exam(m, d, count, seed, o->arith, &out->shares, err);
        out->count = out->shares.rows;
        out->whole = out->shares.whole;
        return st;
    }
    at_arena_init(&arena);
    hall *h = at_new(&arena, hall, 1);
    at_status s = h ? learn_fits(m, d, err) : at_oom(err);
    if (!s)
        s = learn_examinable(d, seed, part, err);
    *out = (at_exam){.margin = INFINITY};
    uint64_t wrong = 0;
    double places = 0;
    if (!s) {
        *h = (hall){.m = m,
                    .d = d,
                    .seed = seed,
                    .part = part,
                    .o = o,
                    .threads = o->threads > 0 ? o->threads : at_cores(),
                    .arith = o->arith,
                    .rule = learn_rule(m)};
        s = hall_open(h, &arena, err);
    }
    if (!s)
        s = prompts_list(h, &arena, &count, err);
    if (!s && o->distinct && !h->listed)
        s = prompts_differ(h, &arena, &count, err);
    if (!s && count <= COUNTED && !(h->print = at_new(&arena, uint64_t, count)))
        s = at_oom(err);
    for (uint64_t first = 0; first < count && !s; first += STRETCH) {
        size_t n = count - first < STRETCH ? (size_t)(count - first) : STRETCH;
        at_progress_tick(o->progress, "exam", (double)first, (double)count);
        if (at_cancel_pending()) {
            s = at_fail(err, AT_ECANCEL, "interrupted after %" PRIu64 " of %" PRIu64 " prompts", first,
                        count);
            break;
        }
        h->first = first;
        s = papers_run(h, n, err);
        for (size_t k = 0; k < n && !s; k++) {
            paper *p = &h->papers[k];
            if (p->wrong.code)
                s = at_fail(err, p->wrong.code, "%s", p->wrong.text);
            out->unfit += p->unfit;
            out->seen += !p->unfit && p->seen;
            if (!s && !is_asked(h, p))
                p->grade = (at_grade){AT_UNKNOWN, AT_UNKNOWN, -1};
            else if (!s && p->grade.answer == AT_UNKNOWN)
                s = at_fail(err, AT_EREFUSED, "this stream has no right answers to compare with");
            else if (!s) {
                if (h->print)
                    h->print[out->count] = h->print[first + k];
                out->several += at_source_rights(d, p->s.token, p->s.prompt).answers > 1;
                paper_count(p, out, &wrong, &places);
            }
            if (!s && o->told)
                o->told(o->ctx, &(at_exam_case){h->differ ? h->differ[first + k] : first + k, p->s.token,
                                                p->completion, p->s.prompt, p->n, is_asked(h, p), p->grade});
        }
    }
    if (!s) {
        out->whole = h->listed != NULL;
        out->distinct = h->print ? distinct_count(h->print, out->count) : 0;
    }
    out->first_wrong = wrong ? places / (double)wrong : NAN;
    if (h)
        hall_close(h);
    at_arena_release(&arena);
    return s;
}
