/* exam.c: greedy completions of a source's prompts, graded.
 *
 * A stretch of prompts is completed in parallel, one generator a thread, then graded and told in order; so nothing
 * depends on the threads, and what is told can be printed at once. */
#include "learn_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define STRETCH 256 /* prompts completed before they are told */

typedef struct {
    at_err wrong;
    at_sequence s; /* the sample; of it only the prompt is given to the model */
    int *completion;
    int n;
    double margin;
    at_grade grade;
    bool stopped;
} paper;

typedef struct {
    const at_model *m;
    const at_source *d;
    uint64_t seed, first;
    at_part part;
    at_generator **generator; /* (threads) */
    double **prompt;          /* (threads) rows for the model */
    paper *papers;            /* (STRETCH) */
} hall;

double at_exam_answer(const at_exam *e)
{
    return e->count ? (double)e->answers / (double)e->count : NAN;
}

double at_exam_chain(const at_exam *e)
{
    return e->count ? (double)e->chains / (double)e->count : NAN;
}

static at_status paper_write(hall *h, paper *p, uint64_t index, int worker)
{
    at_err *err = &p->wrong;
    p->n = 0;
    p->margin = INFINITY;
    at_status s = at_source_sample(h->d, h->seed, h->part, index, &p->s, err);
    if (s)
        return s;
    const double *rows;
    int n = 0;
    double margin = NAN;
    if (p->s.prompt <= h->m->decode.prompt_max) {
        for (int i = 0; i < p->s.prompt; i++)
            h->prompt[worker][i] = p->s.token[i];
        at_err no_answer = {0};
        s = at_generator_run(h->generator[worker], h->prompt[worker], p->s.prompt, &rows, &n, &margin,
                             &no_answer);
        if (s && s != AT_EBUDGET)
            return at_fail(err, s, "%s", no_answer.text);
        for (int i = 0; i < n; i++)
            p->completion[i] = (int)rows[i];
        p->n = n;
        if (n && margin < p->margin)
            p->margin = margin;
    }
    p->stopped = n && p->completion[n - 1] == AT_TOKEN_EOS;
    return at_source_grade(h->d, p->s.token, p->s.prompt, p->completion, p->n, &p->grade, err);
}

static void paper_run(void *ctx, size_t k, int worker)
{
    hall *h = ctx;
    h->papers[k].wrong = (at_err){0};
    paper_write(h, &h->papers[k], h->first + k, worker);
}

static at_status model_fits(const at_model *m, const at_source *d, at_err *err)
{
    if (!m->decode.enabled || m->n_fields != 1 || m->fields[0].kind != AT_FIELD_TOKEN ||
        m->readout.kind != AT_READ_ARGMAX)
        return at_fail(err, AT_EREFUSED, "the model does not write tokens one after the other");
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

static at_status hall_open(hall *h, int threads, at_arith arith, at_arena *a, at_err *err)
{
    int longest = at_source_longest(h->d), most = h->m->decode.max_steps;
    h->generator = at_new(a, at_generator *, threads);
    h->prompt = at_new(a, double *, threads);
    h->papers = at_new(a, paper, STRETCH);
    if (!h->generator || !h->prompt || !h->papers)
        return at_oom(err);
    for (int k = 0; k < STRETCH; k++) {
        h->papers[k].s.token = at_new(a, int, longest);
        h->papers[k].completion = at_new(a, int, most);
        if (!h->papers[k].s.token || !h->papers[k].completion)
            return at_oom(err);
    }
    for (int k = 0; k < threads; k++) {
        if (!(h->prompt[k] = at_new(a, double, longest)))
            return at_oom(err);
        at_status s = at_generator_new(h->m, arith, &h->generator[k], err);
        if (s)
            return s;
    }
    return AT_OK;
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
    int threads = o->threads > 0 ? o->threads : at_cores();
    at_arena arena;
    at_arena_init(&arena);
    hall h = {.m = m, .d = d, .seed = seed, .part = part};
    at_status s = model_fits(m, d, err);
    if (!s)
        s = hall_open(&h, threads, o->arith, &arena, err);
    *out = (at_exam){.margin = INFINITY};
    uint64_t wrong = 0;
    double places = 0;
    for (h.first = 0; h.first < count && !s; h.first += STRETCH) {
        size_t n = count - h.first < STRETCH ? (size_t)(count - h.first) : STRETCH;
        at_progress_tick(o->progress, "exam", (double)h.first, (double)count);
        if (at_cancel_pending()) {
            s = at_fail(err, AT_ECANCEL, "interrupted after %" PRIu64 " of %" PRIu64 " prompts", h.first,
                        count);
            break;
        }
        s = at_parallel(threads, n, paper_run, &h, err);
        for (size_t k = 0; k < n && !s; k++) {
            const paper *p = &h.papers[k];
            if (p->wrong.code)
                s = at_fail(err, p->wrong.code, "%s", p->wrong.text);
            else if (p->grade.answer == AT_UNKNOWN)
                s = at_fail(err, AT_EREFUSED, "this stream has no right answers to compare with");
            else {
                paper_count(p, out, &wrong, &places);
                if (o->told)
                    o->told(o->ctx, &(at_exam_case){h.first + k, p->s.token, p->completion, p->s.prompt, p->n,
                                                    p->grade});
            }
        }
    }
    out->first_wrong = wrong ? places / (double)wrong : NAN;
    for (int k = 0; h.generator && k < threads; k++)
        at_generator_free(h.generator[k]);
    at_arena_release(&arena);
    return s;
}
