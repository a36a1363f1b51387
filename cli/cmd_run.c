/* cmd_run.c: `attest run`: inputs in, one a line, outputs out, one line each.
 *
 * A line is done when it is read: a bad one ends the run, but the outputs of those before it stand. Of an
 * output that the arithmetic cannot decide we say `?`, and exit 3 in the end. */
#define _GNU_SOURCE
#include "cli.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const cli_args *a;
    const at_model *m;
    at_arith arith;
    int code; /* so far */
} runner;

static void line_print(const at_model *m, const at_output *y, at_text *t)
{
    for (int i = 0; i < y->n * y->width; i++) {
        if (i)
            at_text_add(t, i % y->width ? "," : " ");
        if (y->decided[i] == AT_TRUE)
            at_decision_print(m, y->decision[i], t);
        else
            at_text_add(t, "?");
    }
    at_text_add(t, "\n");
}

/* The words of decisions that are tokens. */
static json_t *words_json(const at_model *m, const at_output *y)
{
    json_t *all = json_array();
    for (int i = 0; i < y->n; i++) {
        bool known = y->decided[i] == AT_TRUE;
        all = cli_json_add(all, known ? cli_json_text(at_decision_word(m, y->decision[i])) : json_null());
    }
    return all;
}

static json_t *line_json(const runner *r, const at_input *x, const at_output *y)
{
    at_text input;
    at_text_init(&input);
    at_input_print(r->m, x, &input);
    char arith[16];
    at_arith_name(r->arith, arith);
    json_t *j =
        cli_json_set(json_object(), "input", input.oom ? NULL : cli_json_text(input.s ? input.s : ""));
    at_text_release(&input);
    j = cli_json_set(j, "arithmetic", cli_json_text(arith));
    j = cli_json_set(j, "outputs", cli_json_matrix(y->decision, y->n, y->width, y->decided));
    if (at_decision_word(r->m, 0))
        j = cli_json_set(j, "words", words_json(r->m, y));
    j = cli_json_set(j, "margins", cli_json_matrix(y->margin, y->n, y->width, NULL));
    j = cli_json_set(j, "values", cli_json_matrix(y->value, y->n, y->rows, NULL));
    return cli_json_set(j, "radii", cli_json_matrix(y->radius, y->n, y->rows, NULL));
}

/* False: a failure is in err, or was told already and is in r->code. */
static bool line_run(runner *r, const char *line, at_err *err)
{
    at_arena arena;
    at_arena_init(&arena);
    at_input x;
    at_output y;
    at_status s = at_input_parse(r->m, line, &arena, &x, err);
    at_err other = {0};
    if (s && r->m->decode.enabled &&
        !at_prompt_parse(r->m, line, &arena, &x, &other)) { /* as generate takes it */
        s = AT_OK;
        *err = (at_err){0};
    }
    if (!s)
        s = at_run(r->m, r->arith, &x, NULL, &arena, &y, err);
    bool ok = !s;
    if (ok) {
        for (int i = 0; i < y.n * y.width; i++)
            if (y.decided[i] != AT_TRUE)
                r->code = CLI_UNDECIDED;
        int told;
        if (r->a->json)
            told = cli_put_json(r->a, line_json(r, &x, &y), CLI_HOLDS);
        else {
            at_text t;
            at_text_init(&t);
            line_print(r->m, &y, &t);
            told = cli_put_text(r->a, &t, CLI_HOLDS);
        }
        ok = told == CLI_HOLDS;
        r->code = ok ? r->code : told;
    }
    at_arena_release(&arena);
    return ok;
}

static void lines_run(runner *r)
{
    at_err err = {0};
    at_text line;
    at_text_init(&line);
    long number = 0;
    do
        number++;
    while (cli_line_read(&line, &err) && line_run(r, line.s, &err) && cli_flush());
    at_text_release(&line);
    if (err.code) {
        at_err where = {0};
        at_fail(&where, err.code, "line %ld: %s", number, err.text);
        r->code = cli_fail(r->a, &where);
    }
}

/* The words of the command line are one input: quotes around it are not needed. */
static void words_run(runner *r)
{
    at_err err = {0};
    at_text line;
    at_text_init(&line);
    for (int i = 1; i < r->a->n_words; i++)
        at_text_addf(&line, "%s%s", i > 1 ? " " : "", r->a->words[i]);
    if (line.oom)
        at_oom(&err);
    else
        line_run(r, line.s, &err);
    at_text_release(&line);
    if (err.code)
        r->code = cli_fail(r->a, &err);
}

static int run(const cli_args *a)
{
    at_err err = {0};
    at_model m;
    if (at_model_load(&m, a->words[0], &err))
        return cli_fail(a, &err);
    runner r = {.a = a, .m = &m, .arith = a->precision};
    if (at_arith_supports(&m, r.arith, &err) || at_arith_range(&m, r.arith, &err))
        r.code = cli_fail(a, &err);
    else if (a->n_words == 1 || (a->n_words == 2 && !strcmp(a->words[1], "-")))
        lines_run(&r);
    else
        words_run(&r);
    if (r.code == CLI_HOLDS && at_arith_doubts(&m, r.arith, &err))
        cli_tell(a, &err);
    at_model_release(&m);
    return r.code;
}

static const cli_option options[] = {
    {CLI_JSON},
    {CLI_PRECISION},
    {0},
};

const cli_command cmd_run = {
    .name = "run",
    .summary = "run inputs through a model",
    .usage = "MODEL [INPUT|-] [--precision P]",
    .about = "Reads inputs one a line from standard input (or takes INPUT, which needs no quotes)\n"
             "and prints a line of outputs for each. Positions are separated by blanks, fields of a\n"
             "position by '/', components of a field by ','. An output that the arithmetic cannot\n"
             "decide prints as ? and the exit code becomes 3. An output that is a token with a word prints\n"
             "as the word. JSON: an object a line with outputs (of tokens: their numbers), words (of\n"
             "tokens), margins, values and (ball) radii.\n",
    .examples = "attest run match2.safetensors 3 14 5\n"
                "attest run match2.safetensors - --precision p12 < inputs.txt\n"
                "attest run match2.safetensors 3 14 5 --precision ball --json\n",
    .options = options,
    .least = 1,
    .most = -1,
    .missing = "a model file",
    .run = run,
};
