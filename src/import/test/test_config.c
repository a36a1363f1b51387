/* test_config.c: a configuration that says something else than what is made of it: refused by its key, or made.
 *
 * Small models of every layout (the seeds of fuzz_import) are imported with keys put before those that they have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/import.h>

static const at_import_options every = {.layout = AT_LAYOUT_GUESS, .read = AT_IMPORT_EVERY};

/* Imports the seed NAME with some keys of its configuration set, or set anew; lens-headless: lens, and b_U has another name. */
static at_status with_keys(at_model *m, const char *name, const char *keys, at_import_options o, at_err *err)
{
    char path[100], *bytes;
    size_t n;
    bool headless = !strcmp(name, "lens-headless");
    snprintf(path, sizeof path, "fuzz/corpus/import/%s", headless ? "lens" : name);
    assert_int_equal(at_file_read(path, 1 << 20, &bytes, &n, err), AT_OK);
    for (size_t k = 0; headless && k + 11 < n; k++)
        if (!memcmp(bytes + k, "unembed.b_U", 11))
            bytes[k + 10] = 'X';
    if (*bytes != 'g')
        o.layout = (at_layout)(*bytes - '0');
    size_t own = strlen(bytes + 1); /* the layout, the configuration, 0, tensors */
    json_t *all = json_loads(bytes + 1, 0, NULL), *more = json_loads(keys, 0, NULL);
    assert_non_null(more);
    json_object_update(all, more);
    char *config = json_dumps(all, 0);
    json_decref(all);
    json_decref(more);
    at_status s = at_import_bytes(m, bytes + own + 2, n - own - 2, config, strlen(config), &o, NULL, err);
    free(config);
    at_free(bytes);
    return s;
}

static void refused(void **state)
{
    static const struct {
        const char *seed, *keys, *words;
    } rows[] = {
        /* the same names, another family: Gemma adds 1 to its gains, Helium turns adjacent pairs */
        {"llama", "{\"model_type\":\"gemma\"}", "model_type \"gemma\" may compute something else"},
        {"llama", "{\"model_type\":\"helium\"}", "known: llama mistral qwen2"},
        {"gpt2", "{\"model_type\":\"imagegpt\"}", "--ignore model_type"},
        {"neox", "{\"model_type\":\"mine\"}", "model_type \"mine\""},
        {"nanogpt", "{\"model_type\":\"gpt_bigcode\"}", "model_type \"gpt_bigcode\""},
        /* gains that are not there, and gains that were folded and are there all the same */
        {"alibi", "{\"normalization_type\":\"LN\"}", "tensor blocks.0.ln1.w is missing"},
        {"alibi", "{\"normalization_type\":\"RMS\"}", "tensor blocks.0.ln1.w is missing"},
        {"lens", "{\"normalization_type\":\"LNPre\"}", "LNPre, but there are tensors of gains"},
        {"lens", "{\"normalization_type\":\"RMSPre\"}", "RMSPre, but there are tensors of gains"},
        /* angles */
        {"llama", "{\"rope_parameters\":{\"rope_theta\":500}}", "rope_parameters without a rope_type"},
        {"llama", "{\"rope_parameters\":{\"type\":\"linear\",\"factor\":2}}",
         "rope_parameters: type \"linear\" is not understood"},
        {"llama", "{\"rope_scaling\":{\"rope_type\":\"default\",\"type\":\"dynamic\"}}",
         "rope_scaling: type \"dynamic\" is not understood"},
        {"llama", "{\"rope_scaling\":{\"type\":2}}", "rope_scaling without a rope_type"},
        {"llama", "{\"rope_parameters\":{\"rope_type\":\"default\",\"factor\":2}}",
         "rope_parameters: key factor"},
        {"llama", "{\"rope_parameters\":{\"rope_type\":\"default\",\"partial_rotary_factor\":0.5}}",
         "key partial_rotary_factor"},
        {"llama", "{\"rope_parameters\":{\"rope_type\":\"yarn\"}}", "rope_type \"yarn\" is not understood"},
        {"llama", "{\"rope_parameters\":{\"rope_type\":\"default\",\"rope_theta\":0}}",
         "a number in 1..1e+12"},
        {"llama", "{\"rope_parameters\":7}", "rope_parameters without a rope_type"},
        {"llama", "{\"rope_theta\":10000,\"rope_parameters\":{\"rope_type\":\"default\",\"rope_theta\":500}}",
         "rope_theta is 10000, but rope_parameters.rope_theta is 500"},
        {"llama",
         "{\"rope_parameters\":{\"rope_type\":\"default\",\"rope_theta\":700},\"rope_theta\":null,"
         "\"rope_scaling\":{\"rope_type\":\"default\",\"rope_theta\":500}}",
         "rope_parameters.rope_theta is 700, but rope_scaling.rope_theta is 500"},
        {"neox",
         "{\"rotary_emb_base\":10000,\"rope_parameters\":{\"rope_type\":\"default\",\"rope_theta\":500}}",
         "rotary_emb_base is 10000, but rope_parameters.rope_theta is 500"},
        {"neox", "{\"rotary_emb_base\":10000,\"rope_theta\":500}",
         "rotary_emb_base and rope_theta are the same"},
        {"neox",
         "{\"rotary_pct\":0.5,\"rope_parameters\":{\"rope_type\":\"default\",\"partial_rotary_factor\":1}}",
         "rotary_pct is 0.5, but rope_parameters.partial_rotary_factor is 1"},
        {"llama", "{\"use_mrope\":true}", "use_mrope is on"},
        {"neox", "{\"rope_scaling\":{\"type\":\"linear\",\"factor\":2}}",
         "rope_scaling: type \"linear\" is not understood"},
        {"lens", "{\"rotary_scaling_factor\":2}", "rotary_scaling_factor must be a number in 1..1"},
        {"lens", "{\"use_yarn_rope\":true}", "use_yarn_rope is on"},
        {"llama", "{\"layer_types\":\"full_attention\"}",
         "layer_types must be a list of 1 texts, one a layer"},
        {"llama", "{\"layer_types\":[]}", "layer_types must be a list of 1 texts"},
        {"llama", "{\"layer_types\":[\"full_attention\",\"full_attention\"]}",
         "layer_types must be a list of 1 texts"},
        {"llama", "{\"layer_types\":[\"sliding_attention\"]}", "layer_types: layer 0 is sliding_attention"},
        {"llama", "{\"layer_types\":[7]}", "layer_types: layer 0 is no text"},
        {"llama", "{\"num_hidden_layers\":0,\"layer_types\":[]}",
         "num_hidden_layers must be an integer in 1.."},
        /* two names of one thing */
        {"gpt2", "{\"n_positions\":4,\"n_ctx\":3}",
         "config.json: n_positions and n_ctx are the same, and disagree"},
        {"gpt2", "{\"hidden_size\":3}", "n_embd and hidden_size are the same"},
        {"nanogpt", "{\"n_ctx\":4}", "block_size and n_ctx are the same"},
        /* what the tensors say, and the configuration denies */
        {"llama", "{\"mlp_bias\":true}", "mlp_bias is true, but there are no biases of MLPs"},
        {"gpt2", "{\"bias\":false}", "bias is false, but there are tensors of biases"},
        {"neox", "{\"attention_bias\":false}", "attention_bias is false, but there are tensors of biases"},
        {"llama", "{\"tie_word_embeddings\":true}", "lm_head.weight is not the table of tokens"},
        {"neox", "{\"tie_word_embeddings\":true}", "embed_out.weight is not the table of tokens"},
        {"lens-headless", "{}", "tensor unembed.b_U is missing, and blocks.0.attn.b_Q is there"},
        {"lens", "{\"attention_dir\":\"sideways\"}", "attention_dir \"sideways\" is unknown"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_model m;
        at_err err = {0};
        at_status s = with_keys(&m, rows[k].seed, rows[k].keys, every, &err);
        if (!s || at_exit_code(s) != 2 || !strstr(err.text, rows[k].words))
            fail_msg("%s, %s: \"%s\" (%d) does not say \"%s\"", rows[k].seed, rows[k].keys, err.text, (int)s,
                     rows[k].words);
        assert_int_equal(m.n_tensors, 0);
        at_model_release(&m);
    }
}

static void taken(void **state)
{
    static const struct {
        const char *seed, *keys, *ignore;
    } rows[] = {
        {"llama",
         "{\"model_type\":\"qwen2\",\"use_mrope\":false,\"use_sliding_window\":false,\"sliding_window\":8}",
         NULL},
        {"llama", "{\"model_type\":\"mine\",\"layer_types\":[\"full_attention\"]}", "model_type"},
        {"llama", "{\"rope_theta\":null,\"rope_parameters\":{\"rope_type\":\"default\",\"rope_theta\":700}}",
         NULL},
        {"llama", "{\"rope_parameters\":{\"rope_type\":\"default\",\"rope_theta\":500}}", NULL},
        {"llama", "{\"rope_scaling\":{\"type\":\"default\"}}", NULL},
        {"neox",
         "{\"rotary_pct\":null,\"rope_parameters\":{\"rope_type\":\"default\",\"partial_rotary_factor\":1}}",
         NULL},
        /* what HookedTransformerConfig.to_dict() says of every model */
        {"lens",
         "{\"attn_types\":null,\"decoder_start_token_id\":null,\"experts_per_token\":null,\"final_rms\":"
         "false,"
         "\"layer_norm_folding\":false,\"norm_topk_prob\":false,\"num_experts\":null,\"rotary_base_local\":"
         "null,"
         "\"rotary_scaling_factor\":1.0,\"tie_word_embeddings\":false,\"use_yarn_rope\":false,\"uses_rms_"
         "norm\":false,"
         "\"yarn_attention_factor\":1.0,\"yarn_beta_fast\":32.0,\"yarn_beta_slow\":1.0,\"yarn_factor\":1.0,"
         "\"yarn_original_max_position_embeddings\":4096}",
         NULL},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_model m;
        at_err err = {0};
        at_import_options o = every;
        o.ignore = rows[k].ignore;
        if (with_keys(&m, rows[k].seed, rows[k].keys, o, &err))
            fail_msg("%s, %s: %s", rows[k].seed, rows[k].keys, err.text);
        if (!strcmp(rows[k].seed, "llama") && k)
            assert_float_equal(m.blocks[0].groups[0].rotary.theta, k == 2 ? 700 : 500, 0);
        if (!strcmp(rows[k].seed, "neox"))
            assert_int_equal(m.blocks[0].groups[0].rotary.width, 4);
        at_model_release(&m);
    }
}

/* A GPT-2 whose matrices are turned is taken for nanoGPT: what is wrong then is said of nanoGPT. */
static void guessed(void **state)
{
    static const char taken_for[] = " (taken for gpt2; --as names another)";
    static const struct {
        const char *seed, *keys;
        at_layout layout;
        const char *end; /* of the message */
    } rows[] = {
        {"gpt2", "{\"n_layer\":null}", AT_LAYOUT_GUESS, "n_layer is missing"},
        {"gpt2", "{\"vocab_size\":4}", AT_LAYOUT_GUESS, "needed: (4, 2)"},
        {"gpt2", "{\"n_layer\":2}", AT_LAYOUT_GUESS, "h.1.ln_1.weight is missing"},
        {"gpt2", "{\"sink\":2}", AT_LAYOUT_GUESS, "--ignore sink"},
        {"gpt2", "{\"sink\":2}", AT_LAYOUT_GPT2, "--ignore sink"},
        {"gpt2", "{\"vocab_size\":4}", AT_LAYOUT_GPT2, "needed: (4, 2)"},
        {"gpt2", "{\"n_layer\":0}", AT_LAYOUT_GUESS, "must be an integer in 1..256"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_model m;
        at_err err = {0};
        at_import_options o = every;
        o.layout = rows[k].layout;
        with_keys(&m, rows[k].seed, rows[k].keys, o, &err);
        char want[100];
        bool strange = rows[k].layout == AT_LAYOUT_GUESS && !strstr(rows[k].end, "an integer");
        snprintf(want, sizeof want, "%s%s", rows[k].end, strange ? taken_for : "");
        size_t n = strlen(err.text), tail = strlen(want);
        if (n < tail || strcmp(err.text + n - tail, want))
            fail_msg("%s: \"%s\" does not end in \"%s\"", rows[k].keys, err.text, want);
    }
}

/* What the options say, and these models are not. */
static void asked(void **state)
{
    static const struct {
        const char *seed, *keys;
        at_import_read read;
        int steps;
        const char *ignore, *words; /* NULL: taken */
    } rows[] = {
        {"lens", "{\"d_vocab\":2}", AT_IMPORT_USUAL, 0, NULL,
         "config.json: d_vocab_out is 3, more than the 2 of d_vocab: a decoder"},
        {"lens", "{\"d_vocab\":2}", AT_IMPORT_NEXT, 0, NULL, "--read last, or every"},
        {"lens", "{\"d_vocab\":2}", AT_IMPORT_LAST, 0, NULL, "tensor embed.W_E has the shape (3, 2)"},
        {"lens", "{}", AT_IMPORT_NEXT, 0, NULL, NULL},
        /* steps are for decoders */
        {"gpt2", "{}", AT_IMPORT_LAST, 3, NULL, "--steps 3: a decoder makes rows, and --read last is none"},
        {"gpt2", "{}", AT_IMPORT_EVERY, 3, NULL, "and --read every is none"},
        {"lens", "{\"attention_dir\":\"bidirectional\"}", AT_IMPORT_USUAL, 2, NULL,
         "and --read every is none"},
        {"gpt2", "{}", AT_IMPORT_USUAL, 3, NULL, NULL},
        /* what is used is not passed over, and what is not may be */
        {"gpt2", "{}", AT_IMPORT_USUAL, 0, "n_head", "key n_head is understood here, and used"},
        {"gpt2", "{\"attention_sink\":4}", AT_IMPORT_USUAL, 0, "attention_sink,n_ctx",
         "key n_ctx is understood here"},
        {"llama", "{\"rope_scaling\":{\"type\":\"default\"}}", AT_IMPORT_USUAL, 0, "rope_scaling",
         "key rope_scaling is understood"},
        {"llama", "{\"rope_scaling\":null,\"sink\":1}", AT_IMPORT_USUAL, 0,
         "rope_scaling,sink,resid_pdrop,nothing", NULL},
        {"llama", "{}", AT_IMPORT_USUAL, 0, "model_type", NULL},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_model m;
        at_err err = {0};
        at_import_options o = every;
        o.read = rows[k].read;
        o.steps = rows[k].steps;
        o.ignore = rows[k].ignore;
        at_status s = with_keys(&m, rows[k].seed, rows[k].keys, o, &err);
        if (rows[k].words ? !s || at_exit_code(s) != 2 || !strstr(err.text, rows[k].words) : s)
            fail_msg("%s, %s: \"%s\" (%d) does not say \"%s\"", rows[k].seed, rows[k].keys, err.text, (int)s,
                     rows[k].words ? rows[k].words : "");
        at_model_release(&m);
    }
}

/* final_rms: layer norms in the blocks, and an RMS norm behind them. */
static void last_norm(void **state)
{
    at_model m;
    at_err err = {0};
    (void)state;
    assert_int_equal(
        with_keys(&m, "alibi", "{\"normalization_type\":\"LNPre\",\"final_rms\":true}", every, &err), AT_OK);
    assert_int_equal(m.blocks[0].norm_kind, AT_NORM_LAYER);
    assert_int_equal(m.readout.norm_kind, AT_NORM_RMS);
    at_model_release(&m);
    assert_int_equal(with_keys(&m, "alibi", "{\"normalization_type\":\"LNPre\"}", every, &err), AT_OK);
    assert_int_equal(m.readout.norm_kind, AT_NORM_LAYER);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(taken),
                                       cmocka_unit_test(asked), cmocka_unit_test(guessed),
                                       cmocka_unit_test(last_norm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
