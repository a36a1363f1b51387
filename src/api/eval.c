/* eval.c: how many of a problem's prompts, or inputs, a model answers rightly. */
#include <string.h>

#include <attest/front.h>
#include <attest/learn.h>

#include "api_internal.h"

#define USUAL 1000 /* prompts */

json_t *result_exam(const at_exam *e)
{
    json_t *j = result_set(json_object(), "answer_accuracy", result_number(at_exam_answer(e)));
    j = result_set(j, "chain_accuracy", result_number(at_exam_chain(e)));
    if (e->drawn) {
        j = result_set(j, "entropy", result_number(e->shares.entropy));
        j = result_set(j, "cross_entropy", result_number(e->shares.cross));
        return result_set(j, "kl", result_number(e->shares.kl));
    }
    j = result_set(j, "prompts", result_number((double)e->count));
    j = result_set(j, "unfit", result_number((double)e->unfit));
    j = result_set(j, "whole", json_boolean(e->whole));
    j = result_set(j, "unfinished", result_number((double)e->unfinished));
    j = result_set(j, "least_margin", result_number(e->margin));
    if (e->positions) {
        j = result_set(j, "positions", result_number((double)e->positions));
        j = result_set(j, "positions_right", result_number((double)e->right));
    }
    if (e->real) {
        j = result_set(j, "mean_square", result_number(e->square));
        j = result_set(j, "trivial_mean_square", result_number(e->trivial));
        j = result_set(j, "largest_error", result_number(e->worst));
    }
    return j;
}

/* Rows by the model's words where it writes tokens, else positions. The problem is the source's from now on. */
static at_status source_open(const at_model *m, question *q, at_source **out, at_err *err)
{
    at_problem *p = q->problem;
    at_vocabulary words;
    at_arena a;
    if (!at_exam_takes(m) || !at_problem_rows(p)) {
        if (!p->task || m->decode.enabled)
            return at_fail(err, AT_EREFUSED,
                           "%.100s has no positions that this model answers; a check with sampled=N asks it",
                           q->name.s);
        q->problem = NULL;
        return at_problem_positions(p, q->set.s, out, err);
    }
    at_arena_init(&a);
    at_status s = at_vocabulary_of_model(m, "the model", &a, &words, err);
    if (!s)
        s = at_problem_words(p, &words, err);
    if (!s) {
        q->problem = NULL;
        s = at_problem_source(p, q->set.s, out, err);
    }
    at_arena_release(&a);
    return s;
}

static at_status part_find(const char *name, at_part *out, at_err *err)
{
    for (int k = 0; k < AT_PARTS; k++)
        if (strcmp(name, at_part_names[k]) == 0) {
            *out = (at_part)k;
            return AT_OK;
        }
    return at_fail(err, AT_EINPUT, "split=%.40s: must be train, test or all", name);
}

at_status at_net_eval(const at_net *net, const char *problem, const char *set, const char *how,
                      const at_env *env, at_result **out, at_err *err)
{
    api_begin(err);
    env = api_env(env);
    const char *split = at_part_names[AT_TEST], *precision = NULL;
    uint64_t count = 0;
    const option known[] = {{"count", OPTION_COUNT, &count},
                            {"split", OPTION_TEXT, &split},
                            {"precision", OPTION_TEXT, &precision}};
    at_exam_options o = {.threads = env->threads, .progress = &env->progress};
    at_part part = AT_TEST;
    question q = {0};
    at_source *d = NULL;
    at_model m;
    at_exam e;
    at_arena a;
    at_arena_init(&a);
    at_status s = options_read(how, known, OPTIONS(known), &a, err);
    if (!s)
        s = part_find(split, &part, err);
    if (!s && precision)
        s = api_precision(precision, &o.arith, err);
    if (!s)
        s = api_model(net, &m, err);
    if (!s)
        s = question_open(net, problem, set, true, &q, err);
    if (!s)
        s = source_open(&m, &q, &d, err);
    if (!s && !count) /* of a file all its lines, where all are asked for */
        count = part == AT_ALL && d->problem && at_problem_is_rows(d->problem) ? at_exam_prompts(d) : USUAL;
    if (!s)
        s = at_exam_run(&m, d, env->seed, part, count, &o, &e, err);
    if (!s) {
        json_t *j = result_set(result_exam(&e), "problem", result_text(q.name.s));
        j = result_set(j, "set", result_text(q.set.s ? q.set.s : ""));
        s = result_end(result_set(j, "split", result_text(split)), out, err);
    }
    at_source_free(d);
    question_release(&q);
    at_arena_release(&a);
    return s;
}
