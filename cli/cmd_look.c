/* cmd_look.c: `attest look`: the attention of every head on one input, in the terminal or as a picture. */
#define _GNU_SOURCE
#include "cli.h"

#include <stdio.h>
#include <string.h>

static at_status look_draw(const void *look, at_picture_kind kind, const char *path, at_err *err)
{
    return at_look_picture(look, kind, path, err);
}

static int show(const cli_args *a, const at_look *l)
{
    at_err err = {0};
    at_text t;
    at_text_init(&t);
    if (!a->out) {
        at_look_terminal(l, cli_columns(), cli_color(), &t);
        return cli_put_text(a, &t, CLI_HOLDS);
    }
    if (cli_draw(look_draw, l, a->out, &err))
        return cli_fail(a, &err);
    at_text_add_plain(&t, a->out);
    at_text_addf(&t, ": %d head%s, %d positions\n", l->trace->n_heads, l->trace->n_heads == 1 ? "" : "s",
                 l->trace->T);
    return cli_put_text(a, &t, CLI_HOLDS);
}

/* An input of the problem that the model was made for, the first that is drawn. */
static at_status own_draw(const cli_args *a, const at_model *m, at_text *out, at_err *err)
{
    cli_recalled known = {0};
    at_problem *p = NULL;
    at_asked x = {.view = AT_VIEW_POSITIONS};
    at_status s = cli_recall(a, a->words[0], true, &known, err);
    if (!s)
        s = at_problem_open(known.problem.s, &p, err);
    if (!s)
        s = at_problem_ask(p, m, known.set.s, &x, err);
    int n = !s && x.task ? at_params_int(&x.params, "N") : 0;
    if (!s && x.chain)
        n = x.chain->prompt_max(x.self);
    double *v = at_calloc((size_t)n * (size_t)at_model_row_width(m) + 1, sizeof *v);
    at_rng r = at_rng_at(1, 0);
    if (!s && !v)
        s = at_oom(err);
    if (!s && x.task)
        x.task->sample(&x.params, &r, v);
    else if (!s)
        s = x.chain->sample(x.self, &r, v, &n, err);
    if (!s)
        at_input_print(m, &(at_input){n, v}, out);
    at_free(v);
    at_asked_release(&x);
    at_problem_free(p);
    cli_recalled_release(&known);
    return s;
}

static int run(const cli_args *a)
{
    at_err err = {0};
    at_picture_kind kind;
    at_model m;
    const char *own = NULL;
    if (a->out && at_picture_kind_of(a->out, &kind, &err)) /* before the work, not after it */
        return cli_fail(a, &err);
    if (cli_subject_load(a, &m, &own, &err))
        return cli_fail(a, &err);
    at_text line;
    at_text_init(&line);
    for (int i = 1; i < a->n_words; i++)
        at_text_addf(&line, "%s%s", i > 1 ? " " : "", a->words[i]);
    if (a->n_words == 1 && own)
        at_text_add(&line, own);
    if (a->n_words == 1 && !own && m.problem)
        own_draw(a, &m, &line, &err);

    at_arena arena;
    at_arena_init(&arena);
    at_input x;
    at_look look;
    int code = CLI_USAGE;
    if (line.oom)
        at_oom(&err);
    else if (!line.s && !err.code)
        at_fail(&err, AT_EINPUT, "an input is missing: attest look %.60s INPUT", a->words[0]);
    else if (!err.code && !at_input_parse(&m, line.s, &arena, &x, &err) &&
             !at_look_make(&m, a->precision, &x, &arena, &look, &err))
        code = show(a, &look);
    if (err.code)
        code = cli_fail(a, &err);
    at_arena_release(&arena);
    at_text_release(&line);
    at_model_release(&m);
    return code;
}

static const cli_option options[] = {
    {CLI_SET},
    {CLI_OUT},
    {CLI_PRECISION},
    {0},
};

const cli_command cmd_look = {
    .name = "look",
    .summary = "see where a model attends, in the terminal or as a picture",
    .usage = "MODEL|ID [INPUT] [-o PICTURE.png|svg|pdf]",
    .about = "Runs one input and draws the attention of every head: rows are queries, columns keys,\n"
             "hidden positions are named blank. Without -o as a sketch in the terminal. Without INPUT it is\n"
             "one of the problem that the file of the model says it was made for. With a claim\n"
             "id instead of a file its model is built at once, and INPUT has a default. (A file that\n"
             "is named like a claim is written ./NAME.)\n",
    .examples = "attest look match2\n"
                "attest look match2 3 14 5 --set M=17\n"
                "attest look match2.safetensors 3 14 5 12 -o match2.svg\n",
    .options = options,
    .least = 1,
    .most = -1,
    .missing = "a model file or a claim id",
    .run = run,
};
