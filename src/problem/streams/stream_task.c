/* stream_task.c: the positions of a task as rows to learn: the input, then its answers.
 *
 *     3 60 12 7 60               max: answered at the last position
 *     3 8 5 0 1 1                match2, M = 13: answered at every position
 *
 * These rows are read, not written: the model reads x and answers y_i at position i, at the last one or at all of
 * them. So there is no separator and no end, tokens are the task's own integers, and what is trained on such rows is
 * a model of the task as the checker asks for it. Every other draw is adversarial, as in a sampled check: uniform
 * inputs alone hardly ever show what is hard about a task. */
#include <stdio.h>

#include "../problem_internal.h"
#include "../stream.h"

static int length(const at_source *d)
{
    return source_int(d, "N");
}

static int vocabulary(const at_source *d)
{
    int tokens = d->task->tokens(&d->p), answers = d->task->answers(&d->p);
    return tokens > answers ? tokens : answers;
}

static void word(const at_source *d, int token, char out[AT_STREAM_WORD])
{
    (void)d;
    snprintf(out, AT_STREAM_WORD, "%d", token);
}

static at_labels labels(const at_source *d)
{
    return d->task->last ? AT_LABELS_LAST : AT_LABELS_ALL;
}

static int answers(const at_source *d)
{
    return d->task->last ? 1 : length(d);
}

static int longest(const at_source *d)
{
    return length(d) + answers(d);
}

static void draw(const at_source *d, at_rng *r, at_sequence *s)
{
    double x[AT_LENGTH_MAX];
    (at_rng_below(r, 2) ? d->task->adversarial : d->task->sample)(&d->p, r, x);
    for (int i = 0; i < length(d); i++)
        sequence_add(s, (int)x[i]);
    s->prompt = s->n;
}

static bool complete(const at_source *d, at_sequence *s)
{
    double x[AT_LENGTH_MAX], y[AT_LENGTH_MAX];
    int N = length(d);
    if (s->n != N || !tokens_within(s->token, N, 0, d->task->tokens(&d->p) - 1))
        return false;
    for (int i = 0; i < N; i++)
        x[i] = s->token[i];
    if (d->task->holds && !d->task->holds(&d->p, x))
        return false;
    at_err none;
    if (at_task_answer(d->task, &d->p, x, y, &none))
        return false;
    s->answer = s->n;
    for (int i = 0; i < answers(d); i++)
        sequence_add(s, (int)y[i]);
    return true;
}

static at_status open(at_source *d, at_err *err)
{
    if (!d->task)
        d->task = at_task_find(d->stream->id);
    at_status s = d->task->validate ? d->task->validate(&d->p, err) : AT_OK;
    if (!s && (!d->task->tokens || !d->task->answers || d->task->answers(&d->p) < 1))
        s = at_fail(err, AT_EREFUSED,
                    "task %s: rows to learn are of tasks with a token a position and tokens as answers",
                    d->task->id);
    return s;
}

static const at_stream_verbs verbs = {
    STREAM_VERBS,        .unlisted = "rows of labels are asked at positions, which the task lists",
    .open = open,        .labels = labels,
    .before_answer = -1,
};

at_status at_source_of_task(const at_task *t, const at_params *p, at_source **out, at_err *err)
{
    at_source *d = at_calloc(1, sizeof *d);
    if (!d)
        return at_oom(err);
    *d = (at_source){.task = t, .verbs = &verbs, .p = *p};
    at_status s = open(d, err);
    if (s)
        at_free(d);
    else
        *out = d;
    return s;
}

/* ---- positions in the task's own numbers: nothing of what a stream does ---------------------------------- */

static int no_words(const at_source *d)
{
    (void)d;
    return 0;
}

static void no_row(const at_source *d, at_rng *r, at_sequence *s)
{
    (void)d;
    (void)r;
    (void)s;
}

static const at_stream_verbs positions = {
    .vocabulary = no_words,
    .word = word,
    .longest = length,
    .draw = no_row,
    .unlisted = "positions in a task's own numbers are no rows",
    .before_answer = -1,
};

bool at_source_positions(const at_source *d)
{
    return d->verbs == &positions;
}

at_status at_source_of_positions(const at_task *t, const at_params *p, at_source **out, at_err *err)
{
    at_field fields[AT_MAX_FIELDS];
    at_status s = t->validate ? t->validate(p, err) : AT_OK;
    if (!s && (!at_task_fields(t, p, fields) || at_params_int(p, "N") < 1))
        s = at_fail(err, AT_EREFUSED, "task %s: %s, so nothing can learn it", t->id,
                    at_params_int(p, "N") < 1 ? "N is 0" : "it is not said what fields a position has");
    if (s)
        return s;
    at_source *d = at_calloc(1, sizeof *d);
    if (!d)
        return at_oom(err);
    *d = (at_source){.task = t, .verbs = &positions, .p = *p};
    *out = d;
    return AT_OK;
}

const at_stream at_stream_max = {
    .id = "max",
    .title = "The largest of N tokens, answered at the last of them",
    .format = "x_1 ... x_N y, where y is the answer at x_N",
    .params = at_max_params,
    .n_params = AT_MAX_PARAMS,
    .verbs = &verbs,
};
