/* cmd_export.c: `attest export`: a model as a file of other people's tools. */
#include "cli.h"

#include <attest/export.h>

#include <stdio.h>

typedef struct {
    const char *to;
    at_export_dtype dtype;
    bool cache;
} own;

static const own usual = {.to = NULL};

static int run(const cli_args *a)
{
    const own *o = a->own;
    at_err err = {0};
    if (!o->to)
        return cli_usage(a, "--to is missing: onnx, torch, transformerlens, gpt2 or npz");
    if (!a->out)
        return cli_usage(a, "-o is missing: where should it go?");
    const at_export_kind *to = at_export_find(o->to, &err);
    at_model m;
    if (!to || at_export_probe(to, a->out, &err) || cli_subject_load(a, &m, NULL, &err))
        return cli_fail(a, &err);
    bool f32 = o->dtype == AT_EXPORT_STORED ? m.f32 : o->dtype == AT_EXPORT_F32;
    at_status s = at_export_write(&m, to, &(at_export_as){o->dtype, o->cache}, a->out, &err);
    char hash[65] = "";
    if (!s)
        s = at_model_hash(&m, hash, &err);
    at_size z;
    at_model_size(&m, &z);
    at_model_release(&m);
    if (s)
        return cli_fail(a, &err);
    if (a->json) {
        json_t *j = cli_json_set(json_object(), "file", cli_json_text(a->out));
        j = cli_json_set(j, "format", cli_json_text(to->name));
        j = cli_json_set(j, "dtype", cli_json_text(f32 ? "f32" : "f64"));
        j = cli_json_set(j, "cache", json_boolean(o->cache));
        j = cli_json_set(j, "model", cli_json_text(hash));
        j = cli_json_set(j, "size", cli_size_json(&z));
        return cli_put_json(a, j, CLI_HOLDS);
    }
    at_text t;
    at_text_init(&t);
    at_text_add_plain(&t, a->out);
    at_text_addf(&t, ": %s, %s%s: ", to->name, f32 ? "f32" : "f64", o->cache ? ", with a cache" : "");
    cli_size_print(&z, &t);
    at_text_add(&t, "\n");
    return cli_put_text(a, &t, CLI_HOLDS);
}

static void formats_print(at_text *t)
{
    at_text_add(t, "Formats:\n");
    for (int k = 0; k < at_n_exports; k++) {
        char name[32];
        snprintf(name, sizeof name, "  %s", at_exports[k].name);
        cli_row(t, name, 19, at_exports[k].doc, 80);
    }
}

static const cli_option options[] = {
    {"--to", "FORMAT", "onnx, torch, transformerlens, gpt2 or npz", CLI_TEXT(own, to)},
    {CLI_OUT},
    {"--dtype", "D", "its numbers: f32, f64 or stored (default: as in its file)",
     CLI_CHOICE(own, dtype, at_export_dtypes, AT_EXPORT_DTYPES)},
    {"--cache", NULL, "onnx, of a decoder: keys and values of rows go in and out", CLI_FLAG(own, cache)},
    {CLI_SET},
    {CLI_JSON},
    {0},
};

const cli_command cmd_export = {
    .name = "export",
    .summary = "write a model for other people's tools",
    .usage = "MODEL|ID --to FORMAT -o PATH [--dtype f32|f64] [--cache]",
    .about = "Writes a model file, or the model of a claim, as another format: a file, or for\n"
             "torch, transformerlens and gpt2 a new folder; whole or not at all. What a format\n"
             "cannot say is refused by name. Names of residual coordinates and heads go along\n"
             "(docs/export.md).\n",
    .more = formats_print,
    .examples = "attest export match2 --set N=8,M=17 --to onnx -o match2.onnx\n"
                "attest export lis.safetensors --to onnx --cache --dtype f32 -o lis.onnx\n"
                "attest export match2 --to torch -o match2_torch\n",
    .options = options,
    CLI_OWN(usual),
    .least = 1,
    .most = 1,
    .folders = true,
    .missing = "a model file or a claim id",
    .run = run,
};
