/* train.c: a net that learns a problem, from random weights or from those of a model. */
#include <math.h>

#include <attest/front.h>
#include <attest/learn.h>

#include "api_internal.h"

/* The rows of a problem by the words of the model to begin with, or its positions in their own numbers. */
static at_status source_open(const char *problem, const char *set, const at_recipe *r, const at_model *from,
                             at_source **out, at_err *err)
{
    at_problem *p;
    at_vocabulary words = {0};
    at_arena arena;
    at_arena_init(&arena);
    at_status s = at_problem_open(problem, &p, err);
    if (!s && p->task && (at_learn_net_pure(r->net) || !at_problem_rows(p)))
        s = at_problem_positions(p, set, out, err);
    else if (!s) {
        s = from ? at_vocabulary_of_model(from, "the model to begin with", &arena, &words, err) : AT_OK;
        if (!s)
            s = at_problem_words(p, &words, err);
        if (s)
            at_problem_free(p);
        else
            s = at_problem_source(p, set, out, err);
    }
    at_arena_release(&arena);
    return s;
}

static json_t *outcome_json(const at_recipe *r, const at_outcome *o)
{
    at_text recipe;
    at_text_init(&recipe);
    at_recipe_print(r, &recipe);
    json_t *loss = json_array(), *exams = json_array();
    for (int k = 0; k < o->n_loss; k++)
        loss = result_add(loss, result_numbers((double[]){(double)o->loss[k].step, o->loss[k].loss}, 2));
    for (int k = 0; k < o->n_exams; k++)
        exams = result_add(
            exams,
            result_numbers((double[]){(double)o->exams[k].step, o->exams[k].answer, o->exams[k].chain}, 3));
    json_t *j = result_set(json_object(), "recipe", result_taken(&recipe));
    j = result_set(j, "parameters", result_number((double)o->parameters));
    j = result_set(j, "steps", result_number((double)o->steps));
    j = result_set(j, "ended_soon", json_boolean(o->ended_soon));
    j = result_set(j, "tokens", result_number((double)o->tokens));
    j = result_set(j, "gflops", result_number(o->gflops));
    j = result_set(j, "seconds", result_number(o->seconds));
    j = result_set(j, "exam", result_exam(&o->exam));
    j = result_set(j, "loss", loss);
    return result_set(j, "exams", exams);
}

at_status at_net_train(const char *problem, const char *set, const char *recipe, const at_net *from,
                       const at_env *env, at_net **out, at_result **result, at_err *err)
{
    api_begin(err);
    if (api_need("problem", problem, err))
        return AT_EINPUT;
    env = api_env(env);
    at_recipe r;
    at_source *d = NULL;
    at_outcome o;
    at_model m, first;
    at_arena arena;
    at_recipe_init(&r);
    at_arena_init(&arena);
    r.seed = env->seed;
    at_status s = recipe ? at_recipe_set(&r, recipe, err) : AT_OK;
    if (!s && from)
        s = api_model(from, &first, err);
    if (!s)
        s = source_open(problem, set, &r, from ? &first : NULL, &d, err);
    if (!s)
        s = at_learn(d, &r,
                     &(at_learn_options){
                         .threads = env->threads, .from = from ? &first : NULL, .progress = &env->progress},
                     &arena, &o, &m, err);
    if (!s) {
        at_net *net;
        s = api_net(&m, &net, err);
        if (!s && result && (s = result_end(outcome_json(&r, &o), result, err)))
            at_net_free(net);
        if (!s)
            *out = net;
    }
    at_source_free(d);
    at_arena_release(&arena);
    return s;
}
