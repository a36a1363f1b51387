/* cmd_compile.c: `attest compile`: a recurrence, or arithmetic, in; a decoder that reasons step by step out. Or the text of a
 * program (program_file.c). */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static json_t *compiled_json(const at_dp *d, const at_dp_instance *x, const at_size *z, const char *out)
{
    json_t *j = cli_json_set(json_object(), "problem", cli_json_text(d->title));
    j = cli_json_set(j, "model", cli_json_text(out));
    j = cli_json_set(j, "length", cli_json_number((double)x->L));
    j = cli_json_set(j, "states", cli_json_number((double)x->n_states));
    j = cli_json_set(j, "locality", cli_json_number((double)x->locality));
    j = cli_json_set(j, "proved", x->proved == AT_TRUE ? json_true() : json_null());
    return cli_json_set(j, "size", cli_size_json(z));
}

/* What a person needs to know to use the model: the rows, and how long the chain is. */
static void compiled_print(const at_dp *d, const at_dp_instance *x, const at_size *z, const char *out,
                           at_text *t)
{
    at_text_add_plain(t, d->title);
    at_text_add(t, ": ");
    for (int k = 0; k < d->n_sizes; k++)
        if (!d->size_usual[k] || x->size[k] != d->size_usual[k]->value)
            at_text_addf(t, "%s%s=%" PRId64, k ? " " : "", d->sizes[k].name, x->size[k]);
    at_text_addf(t, ", %" PRId64 " states, L = %" PRId64, x->n_states, x->L);
    if (x->locality >= 0)
        at_text_addf(t, ", depends on the last %" PRId64 " rows", x->locality);
    at_text_add(t, "\n");
    at_text_add_plain(t, out);
    at_text_add(t, ": ");
    cli_size_print(z, t);
    at_text_add(t, "\nprompt: ");
    for (int k = 0; k < d->n_inputs; k++)
        at_text_addf(t, "%" PRId64 " integers %s in %" PRId64 "..%" PRId64 ", ", x->input_len[k],
                     d->inputs[k].name.name, x->input_lo[k], x->input_hi[k]);
    at_text_add(t, "then |\nrows:   input/");
    for (int k = 0; k < d->n_counters; k++)
        at_text_addf(t, "%s%s", k ? "," : "", d->counters[k].name.name);
    at_text_add(t, "/");
    for (int k = 0; k < d->n_values; k++)
        at_text_addf(t, "%s%s", k ? "," : "", d->values[k].name.name);
    at_text_add(t, "/answer\n");
    cli_unproved_print(d, x, t);
}

/* ---- arithmetic: no file, but a family of its own ------------------------------------------------------ */

static const at_param expr_params[] = {
    {"p", "the prime", 2, AT_EXPR_PRIME_MAX, 11, true, NULL},
    {"operators", "the most that a prompt has", 1, AT_EXPR_OPERATORS_MAX, 16, true, NULL},
};

static int run_arithmetic(const cli_args *a)
{
    at_err err = {0};
    at_params p;
    at_model m;
    at_size z;
    at_params_init(&p, expr_params, 2);
    at_status s = a->set ? at_params_parse(&p, a->set, &err) : AT_OK;
    at_expr_spec spec = {.p = at_params_int(&p, "p"),
                         .operators = at_params_int(&p, "operators"),
                         .kind = a->attention,
                         .arith = &a->precision};
    if (!s)
        s = at_expr_model(&spec, &m, &err);
    if (s)
        return cli_fail(a, &err);
    int longest = m.n_max;
    at_model_size(&m, &z);
    s = at_model_save(&m, a->out, &err);
    at_model_release(&m);
    if (s)
        return cli_fail(a, &err);
    if (a->json) {
        json_t *j = cli_json_set(json_object(), "problem", cli_json_text("arithmetic"));
        j = cli_json_set(j, "model", cli_json_text(a->out));
        j = cli_json_set(j, "p", cli_json_number(spec.p));
        j = cli_json_set(j, "operators", cli_json_number(spec.operators));
        j = cli_json_set(j, "length", cli_json_number(longest));
        return cli_put_json(a, cli_json_set(j, "size", cli_size_json(&z)), CLI_HOLDS);
    }
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "arithmetic: p=%d operators=%d, L = %d\n", spec.p, spec.operators, longest);
    at_text_add_plain(&t, a->out);
    at_text_add(&t, ": ");
    cli_size_print(&z, &t);
    at_text_addf(&t, "\nprompt: an expression over 0..%d with + - * / ( ), at most %d operators\n",
                 spec.p - 1, spec.operators);
    return cli_put_text(a, &t, CLI_HOLDS);
}

static int run(const cli_args *a)
{
    if (!a->out)
        return cli_usage(a, "no model file given; add -o MODEL");
    if (!strcmp(a->words[0], "arithmetic"))
        return run_arithmetic(a);
    if (cli_is_program(a->words[0]))
        return cli_program_compile(a);
    at_err err = {0};
    at_dp *d;
    if (at_dp_load(a->words[0], &d, &err))
        return cli_fail(a, &err);
    int64_t size[AT_DP_MAX];
    at_dp_instance *x = NULL;
    at_model m;
    at_size z;
    at_status s = at_dp_sizes_parse(d, a->set ? a->set : "", size, &err);
    if (!s)
        s = at_dp_bind_all(d, size, &x, &err);
    if (!s)
        s = at_dp_model(x, &(at_dp_options){a->attention, .arith = &a->precision}, &m, &err);
    int code = CLI_USAGE;
    if (!s) {
        at_model_size(&m, &z);
        s = at_model_save(&m, a->out, &err);
        at_model_release(&m);
    }
    if (s)
        code = cli_fail(a, &err);
    else if (a->json)
        code = cli_put_json(a, compiled_json(d, x, &z, a->out), CLI_HOLDS);
    else {
        at_text t;
        at_text_init(&t);
        compiled_print(d, x, &z, a->out, &t);
        code = cli_put_text(a, &t, CLI_HOLDS);
    }
    at_dp_instance_free(x);
    at_dp_free(d);
    return code;
}

static const cli_option options[] = {
    {CLI_SET, .alias = "--size"},
    {CLI_JSON},
    {CLI_OUT},
    {CLI_PRECISION, .arithmetics = CLI_FLOATS},
    {CLI_ATTENTION},
    {0},
};

const cli_command cmd_compile = {
    .name = "compile",
    .summary = "a recurrence or arithmetic into a decoder, or a program into a model",
    .usage = "FILE.dp|FILE.program|arithmetic [--set SIZE=N]... [--attention KIND] [--precision P] -o MODEL",
    .about =
        "Reads a dynamic programme (docs/dp.md teaches the language in a page), binds it to the\n"
        "sizes given by --set (or --size), and writes a decoder whose chain of thought is the table of the\n"
        "recurrence, one state a row, then the answer. With standard softmax attention its tensor\n"
        "shapes do not grow with the size (where the position of a state is linear in its counters);\n"
        "with linear or block-sparse attention the width grows like the square root of the length; local\n"
        "attention, block-sparse with blocks of the recurrence's locality, is of constant size again.\n"
        "One model serves one size. Its errors are bounded, rounding included, in the arithmetic of\n"
        "--precision (f32, f64 or pN, default f64); what cannot be right in it is refused.\n\n"
        "`arithmetic` stands for expressions modulo a prime p (default 11) with at most `operators`\n"
        "operators (default 16): the decoder evaluates the leftmost possible operation, step by step\n"
        "(docs/expressions.md). Attention is standard or sparse; its shapes depend on p alone. A file of\n"
        "that name is written ./arithmetic.\n\n"
        "FILE.program is the text of a program (docs/program.md), as `attest show ID --exact` prints it or "
        "as\n"
        "written by hand; --set gives its parameters.",
    .examples = "attest compile examples/edit-distance.dp --set n1=6,n2=7 -o ed.safetensors\n"
                "attest compile examples/lis.dp --set n=8,top=20 --attention sparse -o lis.st\n"
                "attest generate ed.safetensors '11 9 20 20 5 14 19 9 20 20 9 14 7 |'\n"
                "attest compile arithmetic --set p=11,operators=6 --attention sparse -o ar.st\n"
                "attest generate ar.st '( 3 + 4 ) * 2 ='\n"
                "attest compile examples/pairs.program --set N=8,M=17 -o pairs.st\n",
    .options = options,
    .least = 1,
    .most = 1,
    .missing = "a .dp or .program file (or arithmetic)",
    .run = run,
};
