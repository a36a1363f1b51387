/* cmd_train.c: `attest train`: a decoder learns a stream; what comes out is a model file like any other. */
#include "cli.h"

#include <attest/job.h>
#include <attest/report.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Its own options. */
typedef struct {
    const char *state, *from; /* NULL: not given */
} own;

typedef struct {
    const cli_args *args;
    bool headed;
} teller;

static void share_print(char out[16], double share)
{
    if (isnan(share))
        snprintf(out, 16, "-");
    else
        snprintf(out, 16, "%.1f%%", 100 * share);
}

static void told(void *ctx, const at_outcome *o)
{
    teller *t = ctx;
    if (t->args->json || !o->n_exams)
        return;
    const at_exam_point *e = &o->exams[o->n_exams - 1];
    char answer[16], chain[16];
    share_print(answer, e->answer);
    share_print(chain, e->chain);
    at_text line;
    at_text_init(&line);
    if (!t->headed)
        at_text_addf(&line, "%9s %10s %9s %9s %12s\n", "step", "loss", "answers", "chains", "tokens/s");
    t->headed = true;
    at_text_addf(&line, "%9" PRIu64 " %10.4g %9s %9s %12.0f\n", e->step,
                 o->n_loss ? o->loss[o->n_loss - 1].loss : NAN, answer, chain, o->tokens_per_s);
    cli_put_text(t->args, &line, 0);
    cli_flush();
}

static json_t *points_json(const at_outcome *o, bool exams)
{
    json_t *all = json_array();
    for (int k = 0; k < (exams ? o->n_exams : o->n_loss); k++) {
        json_t *one = cli_json_add(json_array(),
                                   json_integer((json_int_t)(exams ? o->exams[k].step : o->loss[k].step)));
        one = cli_json_add(one, cli_json_number(exams ? o->exams[k].answer : o->loss[k].loss));
        if (exams)
            one = cli_json_add(one, cli_json_number(o->exams[k].chain));
        all = cli_json_add(all, one);
    }
    return all;
}

static json_t *outcome_json(const at_recipe *r, const at_outcome *o)
{
    at_text recipe;
    at_text_init(&recipe);
    at_recipe_print(r, &recipe);
    json_t *j = cli_json_set(json_object(), "recipe", recipe.oom ? NULL : cli_json_text(recipe.s));
    at_text_release(&recipe);
    j = cli_json_set(j, "parameters", json_integer((json_int_t)o->parameters));
    j = cli_json_set(j, "steps", json_integer((json_int_t)o->steps));
    j = cli_json_set(j, "ended_soon", json_boolean(o->ended_soon));
    j = cli_json_set(j, "tokens", json_integer((json_int_t)o->tokens));
    j = cli_json_set(j, "gflops", cli_json_number(o->gflops));
    j = cli_json_set(j, "gflops_to_90", cli_json_number(o->gflops_to_90));
    j = cli_json_set(j, "seconds", cli_json_number(o->seconds));
    j = cli_json_set(j, "tokens_per_s", cli_json_number(round(o->tokens_per_s)));
    j = cli_json_set(j, "exam", cli_exam_json(&o->exam));
    j = cli_json_set(j, "loss", points_json(o, false));
    return cli_json_set(j, "exams", points_json(o, true));
}

static int outcome_print(const cli_args *a, const at_recipe *r, const at_outcome *o)
{
    if (a->json)
        return cli_put_json(a, outcome_json(r, o), CLI_HOLDS);
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "%s after %" PRIu64 " of %" PRIu64 " steps, %" PRIu64 " tokens, %.0f GFLOP, %.1f s\n",
                 o->ended_soon ? "enough" : "done", o->steps, r->steps, o->tokens, o->gflops, o->seconds);
    cli_exam_print(&o->exam, &t);
    if (a->out)
        at_text_addf(&t, "model %s\n", a->out);
    if (a->plot)
        at_text_addf(&t, "loss %s\n", a->plot);
    return cli_put_text(a, &t, CLI_HOLDS);
}

/* The loss against the steps. */
static at_status curve_write(const char *what, const at_outcome *o, const char *path, at_arena *arena,
                             at_err *err)
{
    double *x = at_new(arena, double, o->n_loss), *y = at_new(arena, double, o->n_loss);
    if (!x || !y)
        return at_oom(err);
    for (int k = 0; k < o->n_loss; k++) {
        x[k] = (double)o->loss[k].step;
        y[k] = o->loss[k].loss;
    }
    at_series loss = {.label = "loss", .n = o->n_loss, .x = x, .y = y};
    at_plot plot = {
        .title = what, .xlabel = "step", .ylabel = "loss", .logy = true, .series = &loss, .n_series = 1};
    return cli_plot_draw(&plot, path, err);
}

/* What the user asked for, found out before anything is begun. */
static at_status asked(const cli_args *a, at_recipe *r, at_source **d, at_model *from, at_err *err)
{
    const own *given = a->own;
    at_picture_kind kind;
    at_recipe_init(r);
    at_status s = a->recipe ? at_recipe_set(r, a->recipe, err) : AT_OK;
    if (!s && a->plot)
        s = at_picture_kind_of(a->plot, &kind, err);
    const char *const paths[] = {a->out, a->plot, given->state};
    for (int k = 0; k < 3 && !s; k++)
        if ((paths[k] && at_file_probe(paths[k], err)) || !cli_apart(paths[k], paths[(k + 1) % 3], err))
            s = err->code;
    if (!s && !cli_kept(a, err))
        s = err->code;
    if (!s)
        s = cli_source_open(a->set, a->words[0], d, err);
    if (!s && given->from && (s = at_model_load(from, given->from, err)))
        at_source_free(*d);
    return s;
}

static int run(const cli_args *a)
{
    const own *given = a->own;
    at_err err = {0};
    at_source *d;
    at_recipe r;
    at_model from, m;
    at_outcome o;
    at_ranks *ranks = NULL;
    if (at_ranks_open(&ranks, &err))
        return cli_fail(a, &err);
    bool first = at_ranks_rank(ranks) == 0;
    at_status s = asked(a, &r, &d, &from, &err);
    bool begun = !s, learnt = false;
    at_arena arena;
    at_arena_init(&arena);
    at_train_ranks together = at_ranks_training(ranks);
    teller t = {.args = a};
    at_learn_options learn = {.threads = a->threads,
                              .from = given->from ? &from : NULL,
                              .state = given->state,
                              .ranks = at_ranks_count(ranks) > 1 ? &together : NULL,
                              .progress = cli_progress(),
                              .told = first ? told : NULL,
                              .ctx = &t};
    s = at_ranks_agree(ranks, s, NULL, 0, &err);
    if (!s) {
        s = at_learn(d, &r, &learn, &arena, &o, &m, &err);
        learnt = !s;
        cli_progress_clear();
        if (!s && first && a->out)
            s = at_model_save(&m, a->out, &err);
        if (!s && first && a->plot)
            s = curve_write(a->words[0], &o, a->plot, &arena, &err);
    }
    s = at_ranks_close(ranks, s, &err);
    int code = s ? cli_fail(a, &err) : first ? outcome_print(a, &r, &o) : CLI_HOLDS;
    if (learnt)
        at_model_release(&m);
    if (begun && given->from)
        at_model_release(&from);
    if (begun)
        at_source_free(d);
    at_arena_release(&arena);
    return code;
}

static const own usual = {0};

static const cli_option options[] = {
    {CLI_SET},
    {CLI_JSON},
    {CLI_THREADS},
    {CLI_OUT},
    {CLI_PROBLEM},
    {"--state", "FILE", "keep the training here; go on when it is there", CLI_WRITTEN(own, state)},
    {"--from", "MODEL", "begin with the weights of a model file", CLI_READ(own, from)},
    {CLI_PLOT},
    {CLI_RECIPE},
    {0},
};

const cli_command cmd_train = {
    .name = "train",
    .summary = "a decoder learns a stream, step by step; a model file comes out",
    .usage = "STREAM|FILE [--set K=V]... [--SETTING V]... [-o MODEL] [--state FILE]",
    .about =
        "Trains a decoder on a stream (`attest list streams`) or on your own file of lines, with AdamW, on\n"
        "fresh samples, and examines it on prompts of the test part, which are never trained on: greedy\n"
        "completion, token by token. Answers: what stands before <eos> is right; chains: every token\n"
        "before it too. The model (-o) is a plain model: run, generate, look, eval take it (that of a\n"
        "tanh, gru or ffn net, which has no step for one more row: run and eval).\n"
        "\n"
        "With --state the training is kept at every exam and when interrupted, and goes on from there; the\n"
        "result is the same, bit for bit, as without interruption, and for any number of threads. A loss\n"
        "that is not finite stops it with exit 2; what was kept stays. --from begins with the weights of\n"
        "a model file, trained or constructed.",
    .examples = "attest train lis --set n=10,range=25 --width 32 --rate 0.006 -o lis.st\n"
                "attest train arithmetic --attention linear --state run.state\n"
                "attest train ./mine.txt --width 64 --layers 2 --enough 0.99\n",
    .options = options,
    CLI_OWN(usual),
    .least = 1,
    .most = 1,
    .missing = "the name of a stream",
    .ranks = true,
    .run = run,
};
