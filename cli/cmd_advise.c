/* cmd_advise.c: `attest advise`: which attention for this problem at this length? */
#include "cli.h"

#include <attest/job.h>
#include <attest/report.h>

#include <string.h>

/* Its own options. */
typedef struct {
    const char *problem; /* NULL: not given */
    int length;          /* 0: not given */
    int width, layers, bits;
    double memory; /* MiB */
} own;

static json_t *row_json(const at_advice_row *r)
{
    json_t *o = cli_json_set(json_object(), "attention", cli_json_text(r->attention));
    o = cli_json_set(o, "chain", json_boolean(r->chain));
    o = cli_json_set(o, "verdict", cli_json_text(at_advice_names[r->kind]));
    o = cli_json_set(o, "by", cli_json_text(r->by));
    o = cli_json_set(o, "why", cli_json_text(r->why));
    o = cli_json_set(o, "size", r->built ? cli_size_json(&r->size) : json_null());
    o = cli_json_set(o, "per_token", cli_json_number(r->per_token));
    o = cli_json_set(o, "total", cli_json_number(r->total));
    o = cli_json_set(o, "kept", cli_json_number(r->kept));
    o = cli_json_set(o, "bytes", cli_json_number(r->bytes));
    o = cli_json_set(o, "least", cli_json_number(r->least));
    o = cli_json_set(o, "unit", cli_json_text(r->unit));
    o = cli_json_set(o, "trained_width", cli_json_number(r->trained_width));
    return cli_json_set(o, "trained_size", cli_json_number(r->trained_size));
}

static int advice_print(const cli_args *a, const at_advice *v)
{
    if (a->json) {
        json_t *all = json_array();
        for (int i = 0; i < v->n; i++)
            all = cli_json_add(all, row_json(&v->rows[i]));
        json_t *o = cli_json_set(json_object(), "build", cli_json_text(at_build_id()));
        o = cli_json_set(o, "problem", cli_json_text(v->problem));
        o = cli_json_set(o, "at", cli_json_text(v->at));
        o = cli_json_set(o, "length", json_integer(v->length));
        o = cli_json_set(o, "sentence", cli_json_text(v->sentence));
        return cli_put_json(a, cli_json_set(o, "rows", all), CLI_HOLDS);
    }
    at_text t;
    at_err err = {0};
    at_text_init(&t);
    if (at_advice_text(v, cli_columns(), &t, &err)) {
        at_text_release(&t);
        return cli_fail(a, &err);
    }
    return cli_put_text(a, &t, CLI_HOLDS);
}

static at_status page_write(const at_advice *v, const char *path, at_err *err)
{
    at_text html;
    at_text_init(&html);
    at_status s = at_advice_html(v, &html, err);
    if (!s)
        s = at_file_write(path, html.s, html.n, err);
    at_text_release(&html);
    return s;
}

static at_status advise(const cli_args *a, at_arena *arena, at_advice *out, at_err *err)
{
    const own *o = a->own;
    at_row *rows = NULL;
    size_t n = 0;
    at_problem *p;
    at_status s = a->db ? at_ledger_read(a->db, &rows, &n, arena, err) : AT_OK;
    if (s || (s = at_problem_open(o->problem, &p, err)))
        return s;
    at_text subject;
    at_text_init(&subject);
    at_problem_subject(p, &subject);
    at_advice_question q = {.subject = subject.s,
                            .set = a->set,
                            .length = o->length,
                            .width = o->width,
                            .layers = o->layers,
                            .memory = o->memory * 0x1p20,
                            .bits = o->bits,
                            .rows = rows,
                            .n_rows = n};
    s = subject.oom ? at_oom(err) : at_advise(p, &q, arena, out, err);
    at_text_release(&subject);
    at_problem_free(p);
    return s;
}

static int run(const cli_args *a)
{
    const own *o = a->own;
    at_err err = {0};
    at_advice v;
    if (!o->problem)
        return cli_usage(a, "no problem given; add --problem P (`attest list problems`, or a file)");
    if (!o->length)
        return cli_usage(a, "no length given; add --length L, rows of input and chain in all");
    size_t tail = a->out ? strlen(a->out) : 0;
    if (a->out && (tail < 5 || strcmp(a->out + tail - 5, ".html") != 0))
        return cli_usage(a, "-o %.60s: the page is FILE.html", a->out);
    at_arena arena;
    at_arena_init(&arena);
    at_status s = advise(a, &arena, &v, &err);
    if (!s && a->out)
        s = page_write(&v, a->out, &err);
    int code = s ? cli_fail(a, &err) : advice_print(a, &v);
    at_arena_release(&arena);
    return code;
}

static const own usual = {.bits = 24};

static const cli_option options[] = {
    {"--problem", "P", "the problem: a name or a file", CLI_TEXT(own, problem), .alias = "--task"},
    {"--length", "L", "rows of prompt and chain in all, or positions", CLI_WHOLE(own, length, 1, 1 << 20)},
    {CLI_SET},
    {"--width", "D", "at most so wide a residual stream", CLI_WHOLE(own, width, 1, 1 << 24)},
    {"--layers", "K", "at most so many attention layers", CLI_WHOLE(own, layers, 1, 4096)},
    {"--precision", "p", "bits of a mantissa, exponents have 8 (default 24: f32)",
     CLI_WHOLE(own, bits, 2, 53)}, /* those of pN */
    {"--memory", "MIB", "at most so much for weights and caches", CLI_NUMBER(own, memory, 0, 1e9)},
    {CLI_JSON},
    {CLI_DB},
    {CLI_OUT},
    {0},
};

const cli_command cmd_advise = {
    .name = "advise",
    .summary = "which attention for this problem at this length",
    .usage = "--problem P --length L [--width D] [--layers K] [--precision p] [--memory MIB] [--db FILE] [-o "
             "PAGE.html]",
    .about =
        "One table, a row an attention, with a chain of thought and without: ruled out (by which bound),\n"
        "constructible (how wide, how many weights, what a token and all of it cost, how much memory), "
        "trained\n"
        "(with --db: what reached 90% in a ledger of `attest sweep`), or unknown; and one sentence.\n"
        "\n"
        "The problem's size is chosen such that prompt and chain, or the input, have about L rows; --set "
        "gives\n"
        "its other parameters. Sizes are those of what the problem compiles to, or of the catalogue's "
        "models,\n"
        "from shapes; bounds are those of `attest bound`. With --width, --layers or --memory a construction\n"
        "beyond that is no help. An attention is ruled out where its bound binds for every model with a "
        "stream\n"
        "of that width: of layers of softmax, for any number of heads that are together so wide; of "
        "decoders\n"
        "with as many layers as the construction has, or --layers says.\n",
    .examples = "attest advise --problem ed --length 4096\n"
                "attest advise --problem prefix-sum --length 65536 --width 16\n"
                "attest advise --problem match3 --length 4096 --set M=17\n"
                "attest advise --problem lis --length 1000 --db attest-sweep.db -o lis.html\n",
    .options = options,
    CLI_OWN(usual),
    .least = 0,
    .most = 0,
    .run = run,
};
