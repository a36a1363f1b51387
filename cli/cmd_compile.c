/* cmd_compile.c: `attest compile`: a problem in some language in, a model out. What is known of languages stands in front.h. */
#include "cli.h"

#include <stdio.h>

typedef struct {
    const char *attention; /* NULL: the usual one */
    const char *alphabet, *output;
    const char *line[3]; /* in the order of `lines` */
    bool textbook, pack, clear;
} own;

/* Languages that are written on the command line, by the names of their options. */
static const char *const lines[] = {"--regex", "--ltl", "--brasp"};
enum { LINES = sizeof lines / sizeof lines[0] };
_Static_assert(LINES == sizeof(((own *)0)->line) / sizeof(char *), "as many as there is room for");

/* A file, a name, or the text of --regex and such. */
static int reading_open(const cli_args *a, at_reading *r)
{
    const own *o = a->own;
    at_err err = {0};
    int k = -1;
    for (int n = 0; n < LINES; n++) {
        if (o->line[n] && (k >= 0 || a->n_words))
            return cli_usage(a, "'%.60s' and %s: one of both is compiled", k >= 0 ? lines[k] : a->words[0],
                             lines[n]);
        k = o->line[n] ? n : k;
    }
    if (k < 0 && !a->n_words)
        return cli_usage(a, "a file is missing (or arithmetic, or --regex EXPRESSION)");
    if (k != 0 && o->textbook)
        return cli_usage(a, "--textbook is for --regex");
    at_status s = o->textbook ? at_regex_textbook(o->line[0], &err) : AT_OK;
    if (!s)
        s = k >= 0 ? at_front_open_line(lines[k] + 2, o->line[k], o->alphabet, r, &err)
                   : at_front_open_over(a->words[0], o->alphabet, r, &err);
    return s ? cli_fail(a, &err) : 0;
}

/* Sizes that are ranges: a text of the same language, which serves them all. */
static int every_write(const cli_args *a, const at_reading *r)
{
    const own *o = a->own;
    at_err err = {0};
    at_said said;
    at_text file, t;
    if (!r->front->every)
        return cli_usage(a, "a range of sizes is for recurrences (.dp)");
    if (!at_ends_with(a->out, r->front->lang->suffix))
        return cli_usage(a, "a range of sizes makes a recurrence: -o FILE.dp, which is then compiled");
    if (o->attention || o->pack || o->clear || a->has_precision)
        return cli_usage(
            a, "a range of sizes makes a recurrence; --attention, --pack and --precision are for its model");
    at_said_init(&said);
    at_text_init(&file);
    at_text_init(&t);
    at_status s = r->front->every(r, a->set, &file, &said, &err);
    if (!s)
        s = at_file_write(a->out, file.s, file.n, &err);
    int code;
    if (s)
        code = cli_fail(a, &err);
    else if (a->json)
        code = cli_put_json(a, cli_said_json(&said, a->out), CLI_HOLDS);
    else {
        at_text_add_plain(&t, a->out);
        at_text_addf(&t, ": %s\n", said.line.s);
        cli_said_print(&said, &t);
        code = cli_put_text(a, &t, CLI_HOLDS);
    }
    at_text_release(&file);
    at_said_release(&said);
    return code;
}

static int run(const cli_args *a)
{
    const own *given = a->own;
    if (!a->out)
        return cli_usage(a, "no model file given; add -o MODEL");
    at_err err = {0};
    at_reading r;
    at_model m;
    at_said said;
    int code = reading_open(a, &r);
    if (code)
        return code;
    if (given->pack && !r.front->packs) {
        at_reading_release(&r);
        return cli_usage(a, "--pack is for recurrences (.dp)");
    }
    if (given->clear && !given->pack) {
        at_reading_release(&r);
        return cli_usage(a, "--clear goes with --pack");
    }
    size_t name;
    int64_t lo, hi;
    if (a->set && at_assignments_range(a->set, &name, &lo, &hi)) {
        code = every_write(a, &r);
        at_reading_release(&r);
        return code;
    }
    at_said_init(&said);
    at_text set;
    at_text_init(&set);
    at_front_options o = {
        .arith = a->has_precision ? &a->precision : NULL, .pack = given->pack, .clear = given->clear};
    at_status s = at_front_kind(r.front, given->attention, &o.attention, &err);
    if (!s)
        s = cli_output_set(a->set, given->output, &set, &err);
    if (!s)
        s = at_front_compile(&r, set.s, &o, &m, &said, &err);
    if (!s) {
        s = at_model_save(&m, a->out, &err);
        at_model_release(&m);
    }
    if (s)
        code = cli_fail(a, &err);
    else if (a->json)
        code = cli_put_json(a, cli_said_json(&said, a->out), CLI_HOLDS);
    else {
        at_text t;
        at_text_init(&t);
        at_text_addf(&t, "%s\n", said.line.s);
        at_text_add_plain(&t, a->out);
        at_text_add(&t, ": ");
        cli_size_print(&said.size, &t);
        at_text_add(&t, "\n");
        cli_said_print(&said, &t);
        code = cli_put_text(a, &t, CLI_HOLDS);
    }
    at_text_release(&set);
    at_said_release(&said);
    at_reading_release(&r);
    return code;
}

static void languages_print(at_text *t)
{
    at_text_add(t, "Languages:\n");
    for (int k = 0; k < at_n_fronts; k++) {
        char name[64], left[80];
        if (!at_fronts[k]->about)
            continue;
        at_text about;
        at_text_init(&about);
        cli_front_say(at_fronts[k], name, &about);
        snprintf(left, sizeof left, "  %s", name);
        cli_row(t, left, 18, about.oom ? "" : about.s, 80);
        t->oom |= about.oom;
        at_text_release(&about);
    }
}

static const cli_option options[] = {
    {CLI_SET, .alias = "--size"},
    {CLI_JSON},
    {CLI_OUT},
    {CLI_PRECISION, .arithmetics = CLI_FLOATS},
    {"--attention", "KIND", "standard, linear, sparse, local; of words shortcut, solvable",
     CLI_TEXT(own, attention)},
    {"--pack", NULL, "of recurrences, linear or sparse: a smaller decoder", CLI_FLAG(own, pack)},
    {"--clear", NULL, "with --pack: memory is used again; runs in f32 decoders only", CLI_FLAG(own, clear)},
    {"--regex", "RE", "a regular expression instead of a file", CLI_TEXT(own, line[0])},
    {"--ltl", "F", "a formula of temporal logic instead of a file", CLI_TEXT(own, line[1])},
    {"--brasp", "TEXT", "a program in B-RASP instead of a file", CLI_TEXT(own, line[2])},
    {CLI_ALPHABET(own)},
    {CLI_OUTPUT(own)},
    {"--textbook", NULL, "refuse a+b, which elsewhere means a|b", CLI_FLAG(own, textbook)},
    {0},
};
static const own usual = {0};

const cli_command cmd_compile = {
    .name = "compile",
    .summary = "a language, a recurrence or a program into a model",
    .usage =
        "FILE|arithmetic|--regex RE|--ltl F [--set SIZE=N]... [--attention KIND] [--precision P] -o MODEL",
    .about =
        "FILE.dp is a dynamic programme (docs/dp.md teaches the language in a page); it is bound to the\n"
        "sizes given by --set (or --size), and becomes a decoder whose chain of thought is the table of the\n"
        "recurrence, one state a row, then the answer. A shipped one may be called by its name (`attest "
        "list\n"
        "problems`). With standard softmax attention its tensor\n"
        "shapes do not grow with the size (where the position of a state is linear in its counters);\n"
        "with linear or block-sparse attention the width grows like the square root of the length; local\n"
        "attention, block-sparse with blocks of the recurrence's locality, is of constant size again.\n"
        "One model serves one size; with a range (--set n1=0..6) a recurrence is written, -o FILE.dp, whose\n"
        "model serves all of them: sizes stand in its prompt. Its errors are bounded, rounding included, in "
        "the arithmetic of\n"
        "--precision (f32, f64 or pN, default f64); what cannot be right in it is refused.\n\n"
        "`arithmetic` stands for expressions modulo a prime p (default 11) with at most `operators`\n"
        "operators (default 16): the decoder evaluates the leftmost possible operation, step by step\n"
        "(docs/expressions.md). Attention is standard or sparse; its shapes depend on p alone. A file of\n"
        "that name is written ./arithmetic.\n\n"
        "FILE.program is the text of a program (docs/program.md), as `attest show ID --exact` prints it or "
        "as\n"
        "written by hand; --set gives its parameters.\n\n"
        "A .regex, .dfa, .jff or .dot file, or --regex, is a language of words (docs/languages.md): hard\n"
        "attention where it can recognise it; on demand constant depth where groups are solvable\n"
        "(--attention solvable), or log2 N layers (--attention shortcut). So are formulas and programs, "
        ".ltl, .brasp and others; header lines of --ltl and --brasp end with \";\".",
    .more = languages_print,
    .examples = "attest compile examples/edit-distance.dp --set n1=6,n2=7 -o ed.safetensors\n"
                "attest compile examples/lis.dp --set n=8,top=20 --attention sparse -o lis.st\n"
                "attest generate ed.safetensors '11 9 20 20 5 14 19 9 20 20 9 14 7 |'\n"
                "attest compile examples/lcs.dp --set n1=0..6,n2=0..6 -o any.dp\n"
                "attest compile arithmetic --set p=11,operators=6 --attention sparse -o ar.st\n"
                "attest generate ar.st '( 3 + 4 ) * 2 ='\n"
                "attest compile examples/pairs.program --set N=8,M=17 -o pairs.st\n"
                "attest compile --regex '(ab)*' --set N=16 -o ab.st\n"
                "attest compile --ltl '(!b) S a' --alphabet 'a b c' --set N=16 -o since.st\n"
                "attest compile examples/sort.rasp --set N=16 --output rank -o rank.st\n",
    .options = options,
    CLI_OWN(usual),
    .most = 1,
    .run = run,
};
