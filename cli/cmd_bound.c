/* cmd_bound.c: `attest bound`: a lower bound at the user's sizes: does it bind, and from where on? */
#define _GNU_SOURCE
#include "cli.h"

#include <attest/bound.h>
#include <attest/report.h>

#include <stdio.h>
#include <string.h>

/* Its own options. */
typedef struct {
    const char *size; /* NULL: not given */
} own;

#define COLUMNS 80
#define LEFT    22

static int all_list(const cli_args *a)
{
    const own *o = a->own;
    if (a->set || a->plot || o->size)
        return cli_usage(a, "%s is for one bound: attest bound ID",
                         a->set    ? "--set"
                         : a->plot ? "--plot"
                                   : "--size");
    json_t *j = a->json ? json_array() : NULL;
    at_text t;
    at_text_init(&t);
    for (int i = 0; i < at_n_bounds; i++) {
        const at_bound *b = at_bounds[i];
        if (a->json) {
            json_t *one = cli_json_set(json_object(), "id", cli_json_text(b->id));
            j = cli_json_add(j, cli_json_set(one, "text", cli_json_text(b->title)));
        } else
            cli_row(&t, b->id, 20, b->title, COLUMNS);
    }
    if (!a->json)
        return cli_put_text(a, &t, CLI_HOLDS);
    at_text_release(&t);
    return cli_put_json(a, j, CLI_HOLDS);
}

static void row_print(at_text *t, const char *left, const char *right)
{
    char indented[80];
    snprintf(indented, sizeof indented, "  %s", left);
    cli_row(t, indented, LEFT, right, COLUMNS);
}

static int text_print(const cli_args *a, const at_bound *b, const at_params *p, const at_bound_result *r)
{
    at_text t, set;
    at_text_init(&t);
    at_text_init(&set);
    at_params_print(p, &set);
    at_text_addf(&t, "bound %s\n", b->id);
    row_print(&t, "title", b->title);
    row_print(&t, "source", b->source);
    row_print(&t, "statement", b->statement);
    row_print(&t, "constant", b->constant);
    row_print(&t, "at", set.oom ? "" : set.s);
    at_text_addf(&t, "\n%s\n", at_bound_verdict_names[r->verdict]);
    row_print(&t, "bits counted", at_bound_bits_names[r->bits]);
    row_print(&t, "inequality", r->inequality);
    row_print(&t, "so", r->meaning);
    for (int i = 0; i < r->n_lines; i++)
        row_print(&t, r->lines[i].name, r->lines[i].text);
    at_text_add(&t, "\nbinds, the other parameters as they are\n");
    for (int i = 0; i < r->n_starts; i++)
        row_print(&t, r->starts[i].param, r->starts[i].text);
    if (r->least_text) {
        at_text_addf(&t, "\nleast %s not ruled out: ", b->unit);
        at_text_add_plain(&t, r->least_text);
        at_text_add(&t, "\n");
    }
    t.oom |= set.oom;
    at_text_release(&set);
    return cli_put_text(a, &t, CLI_HOLDS);
}

static int json_print(const cli_args *a, const at_bound *b, const at_params *p, const at_bound_result *r)
{
    json_t *j = cli_json_set(json_object(), "id", cli_json_text(b->id)), *part = json_object();
    for (int i = 0; i < p->n; i++) {
        const at_param *q = &p->schema[i];
        part = cli_json_set(part, q->name,
                            q->names ? cli_json_text(q->names[(int)(p->value[i] - q->lo)])
                                     : cli_json_number(p->value[i]));
    }
    j = cli_json_set(j, "params", part);
    j = cli_json_set(j, "verdict", cli_json_text(at_bound_verdict_names[r->verdict]));
    j = cli_json_set(j, "bits", cli_json_text(at_bound_bits_names[r->bits]));
    j = cli_json_set(j, "inequality", cli_json_text(r->inequality));
    j = cli_json_set(j, "meaning", cli_json_text(r->meaning));
    part = json_object();
    for (int i = 0; i < r->n_lines; i++)
        part = cli_json_set(part, r->lines[i].name, cli_json_text(r->lines[i].text));
    j = cli_json_set(j, "lines", part);
    part = json_array();
    for (int i = 0; i < r->n_starts; i++) {
        json_t *one = cli_json_set(json_object(), "param", cli_json_text(r->starts[i].param));
        one = cli_json_set(one, "text", cli_json_text(r->starts[i].text));
        part = cli_json_add(part, cli_json_set(one, "at", cli_json_number(r->starts[i].at)));
    }
    j = cli_json_set(j, "starts", part);
    j = cli_json_set(j, "unit", cli_json_text(b->unit));
    j = cli_json_set(j, "least", cli_json_number(r->least));
    j = cli_json_set(j, "least_text", cli_json_text(r->least_text));
    j = cli_json_set(j, "constant", cli_json_text(b->constant));
    return cli_put_json(a, j, CLI_HOLDS);
}

static at_status picture(const cli_args *a, const at_bound *b, const at_params *p, at_arena *arena,
                         at_err *err)
{
    at_plot plot;
    at_status s = at_bound_plot(b, p, arena, &plot, err);
    return s ? s : cli_plot_draw(&plot, a->plot, err);
}

/* Those of a well-known model first; --set has the last word. */
static at_status params_read(const cli_args *a, const at_bound *b, at_params *p, at_err *err)
{
    const own *o = a->own;
    at_params_init(p, b->params, b->n_params);
    if (o->size) {
        const at_model_sizes *m = at_registry_need(&at_model_sizes_registry, o->size, err);
        at_params asked = *p;
        if (!m || (a->set && at_params_parse(&asked, a->set, err)))
            return err->code;
        bool exact = at_params_has(p, "sums") && at_params_get(&asked, "sums") != 0;
        at_status s = at_bound_sizes(b, m, exact, p, err);
        if (s)
            return s;
    }
    return a->set ? at_params_parse(p, a->set, err) : AT_OK;
}

static int run(const cli_args *a)
{
    if (!a->n_words)
        return all_list(a);
    at_err err = {0};
    const at_bound *b = at_registry_need(&at_bound_registry, a->words[0], &err);
    if (!b)
        return cli_fail(a, &err);
    at_params p;
    at_bound_result r;
    at_arena arena;
    at_arena_init(&arena);
    int code = CLI_HOLDS;
    if (params_read(a, b, &p, &err) || at_bound_compute(b, &p, &arena, &r, &err) ||
        (a->plot && picture(a, b, &p, &arena, &err)))
        code = cli_fail(a, &err);
    else
        code = a->json ? json_print(a, b, &p, &r) : text_print(a, b, &p, &r);
    at_arena_release(&arena);
    return code;
}

static const own usual = {0};

static const cli_option options[] = {
    {CLI_SET},
    {"--size", "MODEL", "heads, widths, layers, bits of a known model: gpt3, ...", CLI_TEXT(own, size)},
    {CLI_JSON},
    {CLI_PLOT},
    {0},
};

const cli_command cmd_bound = {
    .name = "bound",
    .summary = "a lower bound at your sizes: does it bind, and from where on",
    .usage = "[ID] [--size MODEL] [--set K=V]... [--plot FILE.png|svg|pdf]",
    .about = "Puts your numbers into a theorem that rules models out, exactly: the inequality with\n"
             "the numbers in it, the verdict (binding, vacuous, or up to a constant that no proof\n"
             "here makes a number), where it starts to bind in each parameter while the others\n"
             "stay, and the least size that is not ruled out. Without ID, lists the bounds;\n"
             "docs/bounds.md has their proofs. Parameters outside a theorem's hypotheses are\n"
             "refused (exit 2).\n\n"
             "--size puts in what a well-known model has: bert-base, gpt2, gpt2-xl, gpt3, llama-7b,\n"
             "llama-65b, mistral-7b or llama3-405b, at 16 bits a number; --set changes single ones.\n\n"
             "--plot draws the least size that is left over the size of the problem, beside the\n"
             "construction of the catalogue that meets it, where there is one.\n",
    .examples = "attest bound\n"
                "attest bound compose-bound --set H=4,d=16,p=32,n=270\n"
                "attest bound compose-bound --size gpt3 --set n=20000\n"
                "attest bound dp-hard --set problem=lis,n=40,letters=40 --json\n"
                "attest bound qsa-fnn-hard --plot bound.svg\n",
    .options = options,
    CLI_OWN(usual),
    .most = 1,
    .run = run,
};
