/* cmd_generate.c: `attest generate`: a prompt in, its continuation out, from the model file alone.
 *
 * Rows of integers print one a line, tokens on one line; the least margin comes last. Without an answer
 * (undecided, out of range, no stop) what was generated stands, one line says why, and the exit code is 3. */
#define _GNU_SOURCE
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Its own options. */
typedef struct {
    int steps;          /* 0: not given */
    const char *beside; /* NULL: not given */
    bool answer;
} own;

#define PROMPT_MOST ((size_t)64 << 20) /* bytes */

typedef struct {
    double *rows; /* (n, row width) */
    int n;
    double margin;
    bool stopped; /* by the model's own rule */
    /* a front end, or --beside: what the reference writes, and whether that is the same */
    const char *reference;
    bool agrees;
    at_input beside; /* its rows */
    bool ending;     /* which are asked for at the end alone */
} chain;

static bool is_tokens(const at_model *m)
{
    return m->readout.kind == AT_READ_ARGMAX;
}

/* Rows of the model and of the interpreter, side by side. */
static void beside_print(const at_model *m, const chain *c, at_text *t)
{
    size_t width = (size_t)at_model_row_width(m);
    int open = c->ending && c->n > c->beside.n ? c->n - c->beside.n : 0; /* rows that are not asked for */
    cli_pad(t, "written", 28);
    at_text_add(t, c->ending ? "case\n" : "interpreter\n");
    for (int k = 0; k < c->n || k < c->beside.n; k++) {
        at_text one;
        at_text_init(&one);
        at_text_add(&one, "");
        if (k < c->n)
            at_input_print_row(m, c->rows + (size_t)k * width, -1, &one);
        cli_pad(t, one.oom ? "" : one.s, 28);
        at_text_release(&one);
        const double *want =
            k >= open && k - open < c->beside.n ? c->beside.v + (size_t)(k - open) * width : NULL;
        if (want)
            at_input_print_row(m, want, -1, t);
        bool same = k < open ||
                    (k < c->n && want && !memcmp(c->rows + (size_t)k * width, want, width * sizeof *want));
        at_text_add(t, same ? "\n" : "   <- differs\n");
    }
    at_text_addf(t, "least margin %.6g\n%s\n", c->margin,
                 c->ending   ? c->agrees ? "the end is that of the case" : "the end is not that of the case"
                 : c->agrees ? "every row is the interpreter's"
                             : "not the interpreter's chain");
}

static void chain_print(const at_model *m, const chain *c, at_text *t)
{
    int width = at_model_row_width(m);
    if (c->beside.v) {
        beside_print(m, c, t);
        return;
    }
    for (int k = 0; k < c->n; k++) {
        at_input_print_row(m, c->rows + (size_t)k * (size_t)width, -1, t);
        at_text_add(t, is_tokens(m) && k + 1 < c->n ? " " : "\n");
    }
    if (c->n)
        at_text_addf(t, "least margin %.6g\n", c->margin);
    if (c->reference && c->stopped)
        at_text_addf(t, "reference: %s\n", c->agrees ? "the same" : c->reference);
}

static json_t *chain_json(const cli_args *a, const at_model *m, const at_input *prompt, const chain *c)
{
    int width = at_model_row_width(m);
    char arith[16];
    at_arith_name(a->precision, arith);
    at_text text;
    at_text_init(&text);
    at_input_print(m, prompt, &text);
    json_t *j = cli_json_set(json_object(), "prompt", text.oom ? NULL : cli_json_text(text.s));
    at_text_release(&text);
    j = cli_json_set(j, "arithmetic", cli_json_text(arith));
    json_t *rows = json_array();
    for (int k = 0; k < c->n; k++) {
        json_t *row = json_array();
        for (int e = 0; e < width; e++)
            row = cli_json_add(row, cli_json_number(c->rows[(size_t)k * (size_t)width + (size_t)e]));
        rows = cli_json_add(rows, row);
    }
    j = cli_json_set(j, "rows", rows);
    if (at_decision_word(m, 0)) {
        json_t *words = json_array();
        for (int k = 0; k < c->n; k++)
            words = cli_json_add(words, cli_json_text(at_decision_word(m, c->rows[k])));
        j = cli_json_set(j, "words", words);
    }
    j = cli_json_set(j, "steps", cli_json_number(c->n));
    j = cli_json_set(j, "least_margin", cli_json_number(c->margin));
    if (c->reference) {
        at_text_init(&text);
        at_text_add(&text, "");
        at_written_print(m, &(at_input){c->n, c->rows}, &text);
        j = cli_json_set(j, "chain", text.oom ? NULL : cli_json_text(text.s));
        at_text_release(&text);
        j = cli_json_set(j, "reference", cli_json_text(c->reference));
        j = cli_json_set(j, "agrees", json_boolean(c->agrees));
    }
    if (((const own *)a->own)->answer) {
        at_text_init(&text);
        at_front_answer(m, prompt, &(at_input){c->n, c->rows}, &text);
        j = cli_json_set(j, "answer", text.oom ? NULL : cli_json_text(text.s));
        at_text_release(&text);
    }
    at_err doubt = {0};
    if (at_arith_doubts(m, a->precision, &doubt))
        j = cli_json_set(j, "note", cli_json_text(doubt.text));
    return cli_json_set(j, "stopped", json_boolean(c->stopped));
}

/* ---- problems --------------------------------------------------------------------------------------------- */

/* What is right after this prompt. Nothing of it reaches the model. */
static at_status right_find(const cli_args *a, const at_model *m, const at_input *prompt, at_arena *arena,
                            at_input *out, bool *ending, at_err *err)
{
    const own *given = a->own;
    at_problem *p;
    at_asked x;
    cli_recalled known;
    at_status s = cli_recall(a, a->words[0], given->beside, true, &known, err);
    if (!s)
        s = at_problem_open(given->beside, &p, err);
    if (s) {
        cli_recalled_release(&known);
        return s;
    }
    s = at_problem_ask(p, m, known.set.s, &x, err);
    cli_recalled_release(&known);
    if (s) {
        at_problem_free(p);
        return s;
    }
    int n_rows = 0;
    double *rows = at_new(arena, double, (size_t)x.chain->rows_max(x.self) * (size_t)at_model_row_width(m));
    at_err why = {0};
    s = rows ? x.chain->answer(x.self, prompt->v, prompt->n, rows, &n_rows, &why) : at_oom(&why);
    if (s) { /* the sizes may be others than those of the prompt */
        at_text sizes;
        at_text_init(&sizes);
        at_text_add(&sizes, "");
        at_params_print(&x.params, &sizes);
        at_fail(err, s, sizes.n && !sizes.oom ? "%s (at %s; --set says others)" : "%s", why.text, sizes.s);
        at_text_release(&sizes);
    }
    if (!s)
        *out = (at_input){n_rows, rows};
    *ending = !s && x.chain->ending && x.chain->ending(x.self, prompt->v, prompt->n);
    at_asked_release(&x);
    at_problem_free(p);
    return s;
}

static at_status reference_compare(const at_model *m, const at_input *reference, at_arena *arena, chain *c,
                                   at_err *err)
{
    at_text t;
    at_text_init(&t);
    at_written_print(m, reference, &t);
    c->reference = t.oom ? NULL : at_arena_strdup(arena, t.s);
    at_text_release(&t);
    size_t numbers = (size_t)reference->n * (size_t)at_model_row_width(m);
    c->agrees = c->ending ? c->n >= reference->n : c->n == reference->n;
    const double *end = c->agrees ? c->rows + (size_t)c->n * (size_t)at_model_row_width(m) - numbers : NULL;
    for (size_t k = 0; c->agrees && k < numbers; k++)
        c->agrees = end[k] == reference->v[k];
    return c->reference ? AT_OK : at_oom(err);
}

/* The prompt: the words of the command line, or all of standard input; line breaks are blanks. */
static at_status prompt_read(const cli_args *a, at_text *line, at_err *err)
{
    bool words = a->n_words > 2 || strcmp(a->words[1], "-");
    at_text_add(line, "");
    for (int i = 1; words && i < a->n_words; i++)
        at_text_addf(line, "%s%s", i > 1 ? " " : "", a->words[i]);
    char buffer[4096];
    size_t n;
    while (!words && line->n <= PROMPT_MOST && !line->oom && !at_cancel_pending() &&
           (n = fread(buffer, 1, sizeof buffer, stdin)) > 0) {
        if (memchr(buffer, 0, n))
            return at_fail(err, AT_EINPUT, "standard input: a zero byte");
        at_text_addn(line, buffer, n);
    }
    if (line->oom)
        return at_oom(err);
    if (at_cancel_pending())
        return at_fail(err, AT_ECANCEL, "interrupted");
    if (!words && ferror(stdin))
        return at_fail(err, AT_EIO, "standard input: %s", strerror(errno));
    if (line->n > PROMPT_MOST)
        return at_fail(err, AT_EINPUT, "standard input: more than %zu bytes", PROMPT_MOST);
    return AT_OK;
}

/* A failure, of a line of standard input with its number. */
static int prompt_fail(const cli_args *a, long number, at_err *err)
{
    at_err where = {0};
    if (!number)
        return cli_fail(a, err);
    at_fail(&where, err->code, "line %ld: %s", number, err->text);
    return cli_fail(a, &where);
}

/* m: the model, its max_steps lowered by --steps. number: of the line; 0: there are none. */
static int prompt_run(const cli_args *a, const at_model *m, bool cut, const char *line, long number,
                      at_arena *arena)
{
    const own *given = a->own;
    at_err err = {0};
    at_input prompt, reference = {0};
    chain c = {0};
    const at_front *f = at_front_speaking(m);
    at_status st = f ? f->prompt(m, line, arena, &prompt, &reference, &err)
                     : at_prompt_parse(m, line, arena, &prompt, &err);
    if (!st)
        st = at_arith_range(m, a->precision, &err);
    if (!st && given->beside && !f)
        st = right_find(a, m, &prompt, arena, &c.beside, &c.ending, &err);
    if (st)
        return prompt_fail(a, number, &err);
    bool judged = f || c.beside.v;
    if (c.beside.v)
        reference = c.beside;
    st = at_generate(m, a->precision, &prompt, arena, &c.rows, &c.n, &c.margin, &err);
    if (st && st != AT_EBUDGET)
        return prompt_fail(a, number, &err);
    if (!st && cut && m->decode.stop == AT_STOP_STEPS)
        st = at_fail(&err, AT_EBUDGET, "no stop after %d steps", c.n);
    c.stopped = !st;
    if (judged && reference_compare(m, &reference, arena, &c, &err) == AT_ENOMEM)
        return prompt_fail(a, number, &err);
    int code, holds = judged && c.stopped && !c.agrees ? CLI_FAILS : CLI_HOLDS;
    if (a->json)
        code = cli_put_json(a, chain_json(a, m, &prompt, &c), holds);
    else {
        at_text t;
        at_text_init(&t);
        if (given->answer) {
            at_front_answer(m, &prompt, &(at_input){c.n, c.rows}, &t);
            at_text_add(&t, "\n");
        } else
            chain_print(m, &c, &t);
        code = cli_put_text(a, &t, holds);
    }
    return code == CLI_HOLDS && st ? prompt_fail(a, number, &err) : code;
}

/* With --answer: a prompt a line, an answer a line. A chain without an end is told and passed over, a bad line ends it. */
static int lines_run(const cli_args *a, const at_model *m, bool cut)
{
    at_err err = {0};
    at_text line;
    at_text_init(&line);
    int code = CLI_HOLDS;
    for (long number = 1; cli_line_read(&line, &err); number++) {
        at_arena arena;
        at_arena_init(&arena);
        int one = prompt_run(a, m, cut, line.s, number, &arena);
        at_arena_release(&arena);
        code = one ? one : code;
        if ((one && one != CLI_UNDECIDED && one != CLI_FAILS) || !cli_flush())
            break;
    }
    at_text_release(&line);
    return err.code ? cli_fail(a, &err) : code;
}

static int run(const cli_args *a)
{
    const own *given = a->own;
    at_err err = {0};
    at_model m;
    at_text line;
    if (at_model_load(&m, a->words[0], &err))
        return cli_fail(a, &err);
    at_arena arena;
    at_arena_init(&arena);
    at_text_init(&line);
    int code;
    bool cut = given->steps && given->steps < m.decode.max_steps;
    if (cut)
        m.decode.max_steps = given->steps;
    if (a->set && !given->beside)
        code = cli_usage(a, "--set gives the parameters of a problem, which --beside names");
    else if (!m.decode.enabled)
        code = cli_usage(a, "%.200s: the model is no decoder: it has no stop rule", a->words[0]);
    else if (given->answer && a->n_words == 2 && !strcmp(a->words[1], "-"))
        code = lines_run(a, &m, cut);
    else if (prompt_read(a, &line, &err))
        code = cli_fail(a, &err);
    else
        code = prompt_run(a, &m, cut, line.s, 0, &arena);
    if (code == CLI_HOLDS && at_arith_doubts(&m, a->precision, &err))
        cli_tell(a, &err);
    at_text_release(&line);
    at_arena_release(&arena);
    at_model_release(&m);
    return code;
}

static const own usual = {0};

static const cli_option options[] = {
    {CLI_SET},
    {CLI_JSON},
    {CLI_PRECISION, .arithmetics = CLI_FLOATS},
    {"--steps", "N", "at most N rows, 1..1048576 (default: what the model allows)",
     CLI_WHOLE(own, steps, 1, AT_MAX_LENGTH)},
    {"--beside", "P", "what problem P says beside it (set by --set)", CLI_TEXT(own, beside),
     .alias = "--problem"},
    {"--answer", NULL, "print what the chain ends with, and no more", CLI_FLAG(own, answer)},
    {0},
};

const cli_command cmd_generate = {
    .name = "generate",
    .summary = "let a decoder continue a prompt",
    .usage = "MODEL INPUT|- [--precision P] [--steps N] [--beside P --set K=V...] [--answer]",
    .about =
        "Feeds INPUT (or standard input; line breaks are blanks) to a decoder and prints the\n"
        "rows that it adds until its stop rule holds: one row a line, tokens on one line, then\n"
        "the least margin of all decisions. Where rows have several fields, a number without '/'\n"
        "is the first field with zeros behind it, and | is the row of zeros where prompts have one.\n"
        "Rows that the model adds are printed in full. Nothing but the model file is used. A prompt\n"
        "of another length, or with a row that its place does not allow, is refused (exit 2), and the\n"
        "message says what prompts are. When a row is undecided or leaves the model's domain, or the\n"
        "rule never holds, the rows so far are printed, a line says why, and the exit code is 3.\n\n"
        "With --beside what is right after the same prompt is printed beside it, by the reference of\n"
        "problem P: a .dp file, or a name (`attest list problems`). Its sizes are those that the model file\n"
        "remembers, if it was made for P, and --set says others. Exit 1 where they differ.\n\n"
        "For a model of arithmetic INPUT is an expression; one that cannot be evaluated is refused\n"
        "(exit 2), and the last line says whether the chain is the reference's (exit 1 if not).\n\n"
        "A last token that every prompt has need not be typed, and letters of one character need no\n"
        "blanks between them. With --answer only what a chain ends with is printed: the verdict of a\n"
        "Turing machine or its tape, the value of an expression, the answer of a recurrence. Of a\n"
        "machine that does not stop within its budget this is the tape so far (exit 3). From standard\n"
        "input --answer takes a prompt a line, and prints a line for each.\n",
    .examples = "attest generate ed.safetensors '11 9 20 20 5 14 19 9 20 20 9 14 7 |'\n"
                "attest generate ed.safetensors - --precision p13 < prompt.txt\n"
                "attest generate lis.st '3 1 2 |' --beside examples/lis.dp\n"
                "attest generate lis.st '3 1 2 |' --steps 2 --json\n"
                "attest generate ar.safetensors '( 3 + 4 ) * 2 ='\n"
                "attest generate increment.safetensors 1011 --answer\n"
                "attest generate increment.safetensors - --answer < words.txt\n",
    .options = options,
    CLI_OWN(usual),
    .least = 2,
    .most = -1,
    .missing = "a model file and a prompt",
    .run = run,
};
