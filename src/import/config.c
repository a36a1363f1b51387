/* config.c: other people's config.json, key by key.
 *
 * A configuration has keys that say what a model computes, and keys that do not: how it was trained, saved, tokenised. A key that
 * nobody here understands may be of either kind. So it is refused by its name, unless it is on the list of those that are known to
 * change nothing in evaluation, or the user says so (--ignore). */
#include "foreign.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Known to change nothing. */
static const char *const harmless[] = {"NTK_by_parts_factor",
                                       "NTK_by_parts_high_freq_factor",
                                       "NTK_by_parts_low_freq_factor",
                                       "NTK_original_ctx_len",
                                       "_attn_implementation",
                                       "_attn_implementation_autoset",
                                       "_commit_hash",
                                       "_name_or_path",
                                       "architectures",
                                       "attention_dropout",
                                       "attn_dropout",
                                       "attn_pdrop",
                                       "attn_types",
                                       "auto_map",
                                       "bos_token_id",
                                       "checkpoint_index",
                                       "checkpoint_label_type",
                                       "checkpoint_value",
                                       "classifier_dropout",
                                       "default_prepend_bos",
                                       "device",
                                       "dropout",
                                       "dropout_rate",
                                       "dtype",
                                       "embd_pdrop",
                                       "from_checkpoint",
                                       "gradient_checkpointing",
                                       "hidden_dropout",
                                       "id2label",
                                       "init_mode",
                                       "init_weights",
                                       "initializer_range",
                                       "is_llama_config",
                                       "label2id",
                                       "layer_norm_folding",
                                       "load_in_4bit",
                                       "model_name",
                                       "n_devices",
                                       "n_params",
                                       "norm_topk_prob",
                                       "original_architecture",
                                       "output_attentions",
                                       "output_hidden_states",
                                       "output_past",
                                       "pad_token_id",
                                       "pretraining_tp",
                                       "problem_type",
                                       "reorder_and_upcast_attn",
                                       "resid_pdrop",
                                       "return_dict",
                                       "seed",
                                       "summary_activation",
                                       "summary_first_dropout",
                                       "summary_proj_to_labels",
                                       "summary_type",
                                       "summary_use_proj",
                                       "task_specific_params",
                                       "tokenizer_class",
                                       "tokenizer_name",
                                       "tokenizer_prepends_bos",
                                       "torch_dtype",
                                       "transformers_version",
                                       "trust_remote_code",
                                       "ungroup_grouped_query_attention",
                                       "unk_token_id",
                                       "use_attn_in",
                                       "use_attn_result",
                                       "use_cache",
                                       "use_hook_mlp_in",
                                       "use_hook_tokens",
                                       "use_split_qkv_input",
                                       "uses_rms_norm",
                                       "window_size",
                                       "yarn_attention_factor",
                                       "yarn_beta_fast",
                                       "yarn_beta_slow",
                                       "yarn_factor",
                                       "yarn_original_max_position_embeddings"};

/* Is `word` one of those in `words`, between separators? */
static bool among(const char *words, char between, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = words; at && *at;) {
        const char *end = strchr(at, between);
        size_t m = end ? (size_t)(end - at) : strlen(at);
        if (m == n && !strncmp(at, word, n))
            return true;
        at = end ? end + 1 : NULL;
    }
    return false;
}

static void config_fail(import_config *c, const char *key, const char *why)
{
    if (!c->status)
        c->status = at_fail(c->err, AT_EINPUT, "%s: %s %s", c->path, key, why);
}

/* The value of one key; it is known from now on. null is as if it were not there. */
json_t *config_get(import_config *c, const char *key)
{
    json_t *v = json_object_get(c->o, key);
    if (v && c->n_seen < CONFIG_KEYS)
        c->seen[c->n_seen++] = json_object_iter_key(json_object_iter_at(c->o, key));
    return json_is_null(v) ? NULL : v;
}

bool config_has(import_config *c, const char *key)
{
    return config_get(c, key) != NULL;
}

static bool alike(const json_t *a, const json_t *b)
{
    return json_is_number(a) && json_is_number(b) ? json_number_value(a) == json_number_value(b)
                                                  : json_equal(a, b);
}

/* The first of several names that is there, all of which must say the same; *key: that name, or the first of them. */
static json_t *first(import_config *c, const char *keys, char key[64])
{
    json_t *found = NULL;
    key[0] = 0;
    for (const char *at = keys; *at;) {
        char name[64];
        size_t n = strcspn(at, " ");
        n = n < sizeof name ? n : sizeof name - 1;
        memcpy(name, at, n);
        name[n] = 0;
        json_t *v = config_get(c, name);
        if (found && v && !alike(found, v) && !c->status)
            c->status =
                at_fail(c->err, AT_EINPUT, "%s: %s and %s are the same, and disagree", c->path, key, name);
        if (!key[0] || (v && !found))
            memcpy(key, name, sizeof name);
        found = found ? found : v;
        at += n + (at[n] == ' ');
    }
    return found;
}

void config_alike(import_config *c, const char *keys)
{
    char key[64];
    first(c, keys, key);
}

/* The value of a key that may be missing only where the default is in its range; NULL: *out is that, or the least after a failure. */
static json_t *ranged(import_config *c, const char *keys, double def, double least, char key[64], double *out)
{
    json_t *v = first(c, keys, key);
    *out = c->status || def < least ? least : def;
    if (!c->status && !v && def < least) {
        c->strange = true;
        config_fail(c, key, "is missing");
    }
    return c->status ? NULL : v;
}

int config_int(import_config *c, const char *keys, int def, int least, int most)
{
    char key[64];
    double none;
    json_t *v = ranged(c, keys, def, least, key, &none);
    if (!v)
        return (int)none;
    json_int_t n = json_integer_value(v);
    if (json_is_integer(v) && n >= least && n <= most)
        return (int)n;
    c->status = at_fail(c->err, AT_EINPUT, "%s: %s must be an integer in %d..%d", c->path, key, least, most);
    return least;
}

double config_real(import_config *c, const char *keys, double def, double least, double most)
{
    char key[64];
    double none;
    json_t *v = ranged(c, keys, def, least, key, &none);
    if (!v)
        return none;
    double x = json_number_value(v);
    if (json_is_number(v) && x >= least && x <= most)
        return x;
    c->status = at_fail(c->err, AT_EINPUT, "%s: %s must be a number in %g..%g", c->path, key, least, most);
    return least;
}

bool config_bool(import_config *c, const char *keys, bool def)
{
    char key[64];
    json_t *v = first(c, keys, key);
    if (v && !json_is_boolean(v))
        config_fail(c, key, "must be true or false");
    return v ? json_is_true(v) : def;
}

const char *config_text(import_config *c, const char *keys, const char *def)
{
    char key[64];
    json_t *v = first(c, keys, key);
    if (v && !json_is_string(v))
        config_fail(c, key, "must be a string");
    return v && json_is_string(v) ? json_string_value(v) : def;
}

int config_ends(import_config *c, int *many)
{
    json_t *v = config_get(c, "eos_token_id");
    bool list = json_is_array(v), fine = true;
    *many = list ? (int)json_array_size(v) : v != NULL;
    for (int k = 0; k < *many; k++) {
        const json_t *one = list ? json_array_get(v, (size_t)k) : v;
        json_int_t n = json_integer_value(one);
        fine = fine && json_is_integer(one) && n >= -1 && n <= AT_MAX_ROWS;
    }
    if (!fine)
        config_fail(c, "eos_token_id", "must be a token's number, or a list of them");
    return fine && *many ? (int)json_integer_value(list ? json_array_get(v, 0) : v) : -1;
}

void config_must(import_config *c, const char *key, bool on)
{
    json_t *v = config_get(c, key);
    bool is = v && !json_is_false(v) && (!json_is_number(v) || json_number_value(v) > 0);
    if (v && is != on)
        config_fail(c, key,
                    on ? "is off, which is not understood here: refused"
                       : "is on, which is not understood here: refused");
}

void config_agree(import_config *c, const char *key, bool there, const char *tensors)
{
    char why[80];
    snprintf(why, sizeof why, "is %s, but there are %s %s", there ? "false" : "true",
             there ? "tensors of" : "no", tensors);
    if (config_bool(c, key, there) != there)
        config_fail(c, key, why);
}

/* A number of rotary positions, which several places may say: alike. */
typedef struct {
    char place[96]; /* that said it first; "": it has its default */
    double v, least, most;
} rope_number;

static rope_number rope_key(import_config *c, const char *keys, double def, double least, double most)
{
    rope_number r = {.v = config_real(c, keys, def, least, most), .least = least, .most = most};
    char key[64];
    if (first(c, keys, key))
        snprintf(r.place, sizeof r.place, "%s", key);
    return r;
}

/* The same of rope_parameters; it stays where it is not there. */
static void rope_read(import_config *c, const char *place, const json_t *o, const char *key, rope_number *r)
{
    const json_t *v = json_object_get(o, key);
    double x = json_number_value(v);
    if (!v || c->status)
        return;
    if (!json_is_number(v) || x < r->least || x > r->most)
        c->status = at_fail(c->err, AT_EINPUT, "%s: %s.%s must be a number in %g..%g", c->path, place, key,
                            r->least, r->most);
    else if (r->place[0] && x != r->v)
        c->status = at_fail(c->err, AT_EINPUT, "%s: %s is %.17g, but %s.%s is %.17g", c->path, r->place, r->v,
                            place, key, x);
    else {
        r->v = x;
        snprintf(r->place, sizeof r->place, "%s.%s", place, key);
    }
}

/* Angles are those of kind default, which older writers call type; whatever else they may be, it is refused. */
static void rope_kind(import_config *c, const char *place, const json_t *o)
{
    static const char *const keys[] = {"rope_type", "type"};
    int said = 0;
    for (size_t k = 0; k < sizeof keys / sizeof *keys && !c->status; k++) {
        const char *kind = json_string_value(json_object_get(o, keys[k]));
        said += kind != NULL;
        if (kind && strcmp(kind, "default"))
            c->status = at_fail(c->err, AT_EINPUT, "%s: %s: %s \"%.40s\" is not understood here: refused",
                                c->path, place, keys[k], kind);
    }
    if (o && !said)
        config_fail(c, place, "without a rope_type is not understood here: refused");
}

void config_rope(import_config *c, const char *keys, double *theta, double *part)
{
    static const char *const places[] = {"rope_parameters", "rope_scaling"};
    rope_number turn = rope_key(c, keys, 10000, 1, 1e12), share = {.v = 1};
    if (part)
        share = rope_key(c, "rotary_pct partial_rotary_factor", *part, 0, 1);
    for (int k = 0; k < 2 && !c->status; k++) {
        json_t *o = config_get(c, places[k]);
        rope_kind(c, places[k], o);
        for (void *i = json_object_iter(o); i && !c->status; i = json_object_iter_next(o, i)) {
            const char *key = json_object_iter_key(i);
            if (strcmp(key, "rope_type") && strcmp(key, "type") && strcmp(key, "rope_theta") &&
                !(part && !strcmp(key, "partial_rotary_factor")))
                c->status = at_fail(c->err, AT_EINPUT, "%s: %s: key %.60s is not understood here: refused",
                                    c->path, places[k], key);
        }
        rope_read(c, places[k], o, "rope_theta", &turn);
        if (part)
            rope_read(c, places[k], o, "partial_rotary_factor", &share);
    }
    *theta = turn.v;
    if (part)
        *part = share.v;
}

void config_family(import_config *c, const char *families)
{
    const char *family = config_text(c, "model_type", NULL);
    if (!c->status && family && !among(families, ' ', family) &&
        !(c->ignore && among(c->ignore, ',', "model_type")))
        c->status = at_fail(
            c->err, AT_EINPUT,
            "%s: model_type \"%.60s\" may compute something else with tensors of these names (known: %s); "
            "if it does not: --ignore model_type",
            c->path, family, families);
}

at_status config_end(import_config *c)
{
    for (void *i = json_object_iter(c->o); i && !c->status; i = json_object_iter_next(c->o, i)) {
        const char *key = json_object_iter_key(i);
        bool ignored = c->ignore && among(c->ignore, ',', key), known = false;
        for (int k = 0; k < c->n_seen && !known; k++)
            known = !strcmp(c->seen[k], key);
        /* model_type says nothing that is computed: config_family has passed over it. */
        if (known && ignored && strcmp(key, "model_type") && !json_is_null(json_object_iter_value(i)))
            c->status = at_fail(c->err, AT_EINPUT,
                                "%s: key %.80s is understood here, and used: --ignore cannot pass over it",
                                c->path, key);
        known = known || ignored;
        for (size_t k = 0; k < sizeof harmless / sizeof *harmless && !known; k++)
            known = !strcmp(harmless[k], key);
        c->strange |= !c->status && !known && !json_is_null(json_object_iter_value(i));
        if (!known && !json_is_null(json_object_iter_value(i)))
            c->status = at_fail(
                c->err, AT_EINPUT,
                "%s: key %.80s is unknown here and may change what the model computes; if it does not: "
                "--ignore %.80s",
                c->path, key, key);
    }
    return c->status;
}
