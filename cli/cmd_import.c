/* cmd_import.c: `attest import`: a model of other people's tools into a file of ours. */
#include "cli.h"

#include <attest/import.h>

typedef struct {
    const char *config, *ignore;
    at_layout layout;
    at_import_read read;
    int steps;
} own;
static const own usual = {.layout = AT_LAYOUT_GUESS, .read = AT_IMPORT_USUAL};

static json_t *said_json(const cli_args *a, const at_model *m, const at_import_said *s, const char *hash)
{
    at_size z;
    at_model_size(m, &z);
    json_t *j = cli_json_set(json_object(), "file", cli_json_text(a->out));
    j = cli_json_set(j, "layout", cli_json_text(at_layout_names[s->layout]));
    j = cli_json_set(j, "files", json_integer(s->files));
    j = cli_json_set(j, "keys_expanded", json_integer(s->expanded));
    j = cli_json_set(j, "tied", json_boolean(s->tied));
    j = cli_json_set(j, "ends", json_integer(s->ends));
    j = cli_json_set(j, "sha256", cli_json_text(hash));
    return cli_json_set(j, "size", cli_size_json(&z));
}

static void said_print(const cli_args *a, const at_model *m, const at_import_said *s, at_text *t)
{
    at_size z;
    at_model_size(m, &z);
    at_text_add_plain(t, a->out);
    at_text_addf(t, ": %s, ", at_layout_names[s->layout]);
    cli_size_print(&z, t);
    at_text_addf(t, "; %s", m->f32 ? "F32" : "F64");
    if (s->files > 1)
        at_text_addf(t, ", from %d files", s->files);
    if (s->expanded > 1)
        at_text_addf(t, ", every key written out %d times", s->expanded);
    if (s->tied)
        at_text_add(t, ", readout tied");
    if (s->ends > 1)
        at_text_addf(t, ", stops at %d alone, the first of %d tokens that end a text", (int)m->decode.value,
                     s->ends);
    at_text_add(t, "\n");
}

static int run(const cli_args *a)
{
    const own *o = a->own;
    at_err err = {0};
    at_model m;
    at_import_said said;
    char hash[65] = "";
    if (!a->out)
        return cli_usage(a, "-o is missing: where should the model go?");
    at_import_options with = {o->config, o->layout, o->read, o->steps, o->ignore, a->out};
    at_status s = at_import(&m, a->words[0], &with, &said, &err);
    if (!s)
        s = at_model_save(&m, a->out, &err);
    if (!s && a->json)
        s = at_model_hash(&m, hash, &err);
    int code;
    if (s)
        code = cli_fail(a, &err);
    else if (a->json)
        code = cli_put_json(a, said_json(a, &m, &said, hash), CLI_HOLDS);
    else {
        at_text t;
        at_text_init(&t);
        said_print(a, &m, &said, &t);
        code = cli_put_text(a, &t, CLI_HOLDS);
    }
    at_model_release(&m);
    return code;
}

static const cli_option options[] = {
    {"--config", "FILE", "the configuration (default: config.json beside the tensors)",
     CLI_READ(own, config)},
    {"--as", "LAYOUT", "gpt2, neox, llama, nanogpt, transformerlens or tracr",
     CLI_CHOICE(own, layout, at_layout_names, AT_LAYOUTS)},
    {"--read", "WHERE", "next (a decoder), last or every position",
     CLI_CHOICE(own, read, at_import_read_names, AT_IMPORT_READS)},
    {"--steps", "N", "rows that a decoder makes (default: to the end of a text)",
     CLI_WHOLE(own, steps, 1, AT_MAX_LENGTH)},
    {"--ignore", "KEYS", "keys of the configuration to pass over, with commas", CLI_TEXT(own, ignore)},
    {CLI_JSON},
    {CLI_OUT},
    {0},
};

const cli_command cmd_import = {
    .name = "import",
    .summary = "turn other people's model into a model file",
    .usage = "FOLDER|FILE [--config FILE] [--as LAYOUT] -o MODEL",
    .about = "Reads safetensors and a config.json of GPT-2, GPT-NeoX, Llama, nanoGPT,\n"
             "TransformerLens or tracr, and saves what they compute as a model, whole or not at\n"
             "all. A tensor or key that is not understood is refused by name. Without --as the names\n"
             "of the tensors decide; without --read, causal attention makes a decoder. A model that\n"
             "is too large for --max-memory is refused like bad input, with exit 2.\n",
    .examples = "attest import examples/copycat -o copycat.safetensors\n"
                "attest import model.safetensors --config cfg.json --as llama -o m.safetensors\n",
    .options = options,
    CLI_OWN(usual),
    .least = 1,
    .most = 1,
    .missing = "a folder or a file",
    .run = run,
};
