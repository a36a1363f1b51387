/* cmd_extract.c: `attest extract`: a model turned back into something that is not a model. A kind a row. */
#include "extract.h"

#include <string.h>

static const cli_extract_kind *const kinds[] = {&cli_extract_dfa,    &cli_extract_ltl, &cli_extract_brasp,
                                                &cli_extract_crasp,  &cli_extract_foc, &cli_extract_fom,
                                                &cli_extract_circuit};
enum { KINDS = sizeof kinds / sizeof *kinds, VALUES = 4096 };
static const at_registry registry = AT_REGISTRY("kind", "attest extract --help", kinds, KINDS, name);

typedef struct {
    const char *to;
    int length, values, gates;
} own;

/* The kind that --to names; --length where it is of one length, and only there. */
static at_status kind_find(const own *o, const cli_extract_kind **out, at_err *err)
{
    if (!(*out = at_registry_need(&registry, o->to, err)))
        return err->code;
    if (o->length && !(*out)->sized)
        return at_fail(err, AT_EINPUT, "--length has no effect: %s is of words of all lengths", o->to);
    if (!o->length && (*out)->sized)
        return at_fail(err, AT_EINPUT, "%s is of words of one length: --length N", o->to);
    if (o->gates && !(*out)->sized)
        return at_fail(err, AT_EINPUT, "--gates has no effect: %s has none; circuit has", o->to);
    if (o->values > VALUES && !(*out)->sized)
        return at_fail(err, AT_EDOMAIN, "--values %d: %s takes 1 to %d, circuit more", o->values, o->to,
                       VALUES);
    return AT_OK;
}

static at_status written(const cli_args *a, const cli_extracted *x, at_err *err)
{
    if (x->file.oom || x->said.oom || !x->facts)
        return at_oom(err);
    return a->out ? at_file_write(a->out, x->file.s, x->file.n, err) : AT_OK;
}

static int put(const cli_args *a, cli_extracted *x)
{
    if (a->json) {
        x->facts = a->out ? cli_json_set(x->facts, "file", cli_json_text(a->out))
                          : cli_json_set(x->facts, "text", cli_json_text(x->file.s));
        json_t *j = x->facts;
        x->facts = NULL;
        return cli_put_json(a, j, CLI_HOLDS);
    }
    at_text t;
    at_text_init(&t);
    if (a->out) {
        at_text_add_plain(&t, a->out);
        at_text_add(&t, ": ");
    }
    at_text_add(&t, a->out ? x->said.s : x->file.s);
    return cli_put_text(a, &t, CLI_HOLDS);
}

static int run(const cli_args *a)
{
    const own *o = a->own;
    const cli_extract_kind *kind = NULL;
    at_err err = {0};
    at_model m;
    at_arena arena;
    at_arena_init(&arena);
    cli_extracted x = {.facts = json_object()};
    at_text_init(&x.file);
    at_text_init(&x.said);
    x.facts = cli_json_set(x.facts, "model", cli_json_text(a->words[0]));
    x.facts = cli_json_set(x.facts, "to", cli_json_text(o->to));
    at_status s = kind_find(o, &kind, &err);
    bool loaded = !s && !at_model_load(&m, a->words[0], &err);
    if (!s && !loaded)
        s = err.code;
    if (!s && a->out)
        s = at_file_probe(a->out, &err);
    if (!s)
        s = kind->make(&(cli_extract_asked){&m, a, o->length, o->values, o->gates}, &arena, &x, &err);
    if (!s)
        s = written(a, &x, &err);
    int code = s ? cli_fail(a, &err) : put(a, &x);
    if (loaded)
        at_model_release(&m);
    json_decref(x.facts);
    at_text_release(&x.file);
    at_text_release(&x.said);
    at_arena_release(&arena);
    return code;
}

static void kinds_help(at_text *t)
{
    at_text_add(t, "\nKinds:\n");
    for (int k = 0; k < KINDS; k++)
        at_text_addf(t, "  %-8s %s\n", kinds[k]->name, kinds[k]->about);
}

static const own usual = {.to = "dfa"};
static const cli_option options[] = {
    {"--to", "KIND", "what to make of it (default dfa)", CLI_TEXT(own, to)},
    {"--length", "N", "of the words, where a kind is of one length", CLI_WHOLE(own, length, 1, 4096)},
    {"--values", "N", "before one layer, at most (default 400; of a circuit 40000)",
     CLI_WHOLE(own, values, 1, 10000000)},
    {"--gates", "N", "of a circuit, at most (default 4000000)", CLI_WHOLE(own, gates, 1, 100000000)},
    {CLI_OUT},
    {CLI_PRECISION},
    {CLI_JSON},
    {0},
};

const cli_command cmd_extract = {
    .name = "extract",
    .summary = "a model turned back into an automaton, a formula or a circuit",
    .usage = "MODEL [--to KIND] [-o FILE] [--length N] [--values N] [--gates N] [--precision P] [--json]",
    .about =
        "Reads a model file and writes what it accepts as something that is not a model: equal to it, and\n"
        "not by sampling. A model outside the class of a kind is refused with the reason.\n"
        "docs/logic.md has an example from an expression to weights and back.\n"
        "\n"
        "Without -o it is printed; with -o FILE it is written, and what it is like is said. Exit code: 0\n"
        "made, 2 bad input or a model outside the class, 3 it would be larger than the budget.",
    .more = kinds_help,
    .examples = "attest extract m.safetensors\n"
                "attest extract m.safetensors --to dfa -o m.dfa\n"
                "attest extract m.safetensors --to ltl -o m.ltl\n"
                "attest extract majority.safetensors --to foc --precision q4e3\n"
                "attest extract m.safetensors --to circuit --length 8 -o m.blif\n",
    .options = options,
    CLI_OWN(usual),
    .least = 1,
    .most = 1,
    .missing = "a model file",
    .run = run,
};
