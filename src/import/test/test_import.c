/* test_import.c: other people's files, written here, imported, run, and held against a twin that reads the same foreign tensors.
 *
 * The twin is one transformer in double precision, plain loops, that knows the names of each layout and nothing of attest's models. Its
 * logits and those of the imported model in f64 must agree within 1e-11: both add up a few hundred terms of order one. Controls: each
 * layout with one fact changed in its configuration (another theta, no parallel residual, ...) must give other logits. Then what must
 * be refused, each with the words for it. judge/judge_import.py asks the same of PyTorch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/exec.h>
#include <attest/import.h>

/* ---- files ------------------------------------------------------------------------------------------------------- */

typedef struct {
    char name[96];
    int shape[3], rank;
    size_t at, n;
} entry;
typedef struct {
    entry e[80];
    int n;
    double *v; /* all numbers */
    size_t used;
    at_rng rng;
} file;

enum { NUMBERS = 40000 };

static void file_init(file *f, uint64_t seed)
{
    *f = (file){.rng = at_rng_at(seed, 1), .v = calloc(NUMBERS, sizeof(double))};
    assert_non_null(f->v);
}

static const entry *find(const file *f, const char *name)
{
    for (int k = 0; k < f->n; k++)
        if (!strcmp(f->e[k].name, name))
            return &f->e[k];
    return NULL;
}

/* Adds a tensor of floats about 1/sqrt of its columns; gains are near 1. */
static void add(file *f, int a, int b, int c, const char *fmt, ...)
{
    entry *e = &f->e[f->n++];
    va_list ap;
    assert_true(f->n <= 80);
    va_start(ap, fmt);
    vsnprintf(e->name, sizeof e->name, fmt, ap);
    va_end(ap);
    *e = (entry){.shape = {a, b, c}, .rank = 1 + (b > 0) + (c > 0), .at = f->used};
    va_start(ap, fmt);
    vsnprintf(e->name, sizeof e->name, fmt, ap);
    va_end(ap);
    e->n = (size_t)a * (size_t)(b ? b : 1) * (size_t)(c ? c : 1);
    assert_true(f->used + e->n <= NUMBERS);
    size_t length = strlen(e->name);
    bool gain = !b && (!strcmp(e->name + length - 2, ".w") || strstr(e->name, "norm.weight") ||
                       strstr(e->name, "ln_"));
    double scale = b ? 1 / sqrt(c ? b : b) : 0.3;
    for (size_t k = 0; k < e->n; k++)
        f->v[f->used + k] = (float)((gain ? 1 : 0) + scale * at_rng_normal(&f->rng) * (gain ? 0.3 : 1));
    f->used += e->n;
}

/* A safetensors file of floats or doubles; *n bytes, freed by the caller. */
static char *image(const file *f, bool wide, size_t *n)
{
    size_t bytes = wide ? 8 : 4, room = 1024 + (size_t)f->n * 256 + f->used * bytes, at = 8;
    char *s = malloc(room);
    assert_non_null(s);
    at += (size_t)snprintf(s + at, room - at, "{\"__metadata__\":{\"format\":\"pt\"}");
    for (int k = 0; k < f->n; k++) {
        const entry *e = &f->e[k];
        at += (size_t)snprintf(s + at, room - at, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%d", e->name,
                               wide ? "F64" : "F32", e->shape[0]);
        for (int r = 1; r < e->rank; r++)
            at += (size_t)snprintf(s + at, room - at, ",%d", e->shape[r]);
        at += (size_t)snprintf(s + at, room - at, "],\"data_offsets\":[%zu,%zu]}", e->at * bytes,
                               (e->at + e->n) * bytes);
    }
    at += (size_t)snprintf(s + at, room - at, "}");
    at_le_put(s, at - 8, 8);
    for (size_t k = 0; k < f->used; k++, at += bytes) {
        float x = (float)f->v[k];
        memcpy(s + at, wide ? (const void *)&f->v[k] : &x, bytes);
    }
    *n = at;
    return s;
}

/* ---- the twin ------------------------------------------------------------------------------------------------------ */

enum { T = 7, MOST = 64 };

typedef struct {
    at_layout layout;
    int V, D, L, H, G, dk, U, n;
    bool parallel, adjacent, alibi, tied;
    int turned; /* coordinates of rotary positions */
    double theta, eps;
} facts;

typedef double stream[T][MOST];

static const double *get(const file *f, const char *fmt, ...)
{
    char name[96];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    const entry *e = find(f, name);
    return e ? f->v + e->at : NULL;
}

static void norm(int D, bool rms, double eps, const double *g, const double *b, stream x, stream y)
{
    for (int t = 0; t < T; t++) {
        double mean = 0, square = 0;
        for (int d = 0; d < D && !rms; d++)
            mean += x[t][d] / D;
        for (int d = 0; d < D; d++)
            square += (x[t][d] - mean) * (x[t][d] - mean) / D;
        for (int d = 0; d < D; d++)
            y[t][d] = (x[t][d] - mean) / sqrt(square + eps) * (g ? g[d] : 1) + (b ? b[d] : 0);
    }
}

/* y = W x + b; W (out, in), or (in, out) when turned, with rows `step` apart. */
static void line(int in, int out, const double *w, bool turned, int step, const double *b, stream x, stream y)
{
    stream z;
    for (int t = 0; t < T; t++)
        for (int o = 0; o < out; o++) {
            z[t][o] = b ? b[o] : 0;
            for (int i = 0; i < in; i++)
                z[t][o] += (turned ? w[i * step + o] : w[o * step + i]) * x[t][i];
        }
    memcpy(y, z, sizeof z);
}

static void turn(const facts *k, int heads, stream x)
{
    for (int t = 0; t < T; t++)
        for (int h = 0; h < heads; h++)
            for (int p = 0; p < k->turned / 2; p++) {
                double a = t / pow(k->theta, 2.0 * p / k->turned);
                double *u = &x[t][h * k->dk + (k->adjacent ? 2 * p : p)];
                double *v = &x[t][h * k->dk + (k->adjacent ? 2 * p + 1 : p + k->turned / 2)], was = *u;
                *u = was * cos(a) - *v * sin(a);
                *v = *v * cos(a) + was * sin(a);
            }
}

/* G keys for H queries. */
static void attend(const facts *k, stream q, stream key, stream v, stream out)
{
    for (int t = 0; t < T; t++)
        for (int h = 0; h < k->H; h++) {
            int g = h / (k->H / k->G) * k->dk;
            double w[T], sum = 0;
            for (int j = 0; j <= t; j++) {
                double s = 0;
                for (int e = 0; e < k->dk; e++)
                    s += q[t][h * k->dk + e] * key[j][g + e];
                w[j] = exp(s / sqrt(k->dk) - (k->alibi ? pow(2, -8.0 * (h + 1) / k->H) * (t - j) : 0));
                sum += w[j];
            }
            for (int e = 0; e < k->dk; e++) {
                out[t][h * k->dk + e] = 0;
                for (int j = 0; j <= t; j++)
                    out[t][h * k->dk + e] += w[j] / sum * v[j][g + e];
            }
        }
}

static double gelu(double z)
{
    return 0.5 * z * (1 + erf(z / sqrt(2)));
}
static double gelu_tanh(double z)
{
    return 0.5 * z * (1 + tanh(sqrt(2 / acos(-1)) * (z + 0.044715 * z * z * z)));
}
static double silu(double z)
{
    return z / (1 + exp(-z));
}

static void plus(int D, stream x, stream y)
{
    for (int t = 0; t < T; t++)
        for (int d = 0; d < D; d++)
            x[t][d] += y[t][d];
}

static void embed(const facts *k, const double *table, const double *place, const double *tokens, stream x)
{
    for (int t = 0; t < T; t++)
        for (int d = 0; d < k->D; d++)
            x[t][d] = table[(int)tokens[t] * k->D + d] + (place ? place[t * k->D + d] : 0);
}

static void twin_gpt2(const file *f, const facts *k, const double *tokens, stream x)
{
    int D = k->D;
    stream y, q, key, v;
    embed(k, get(f, "wte.weight"), get(f, "wpe.weight"), tokens, x);
    for (int l = 0; l < k->L; l++) {
        const double *w = get(f, "h.%d.attn.c_attn.weight", l), *b = get(f, "h.%d.attn.c_attn.bias", l);
        norm(D, false, k->eps, get(f, "h.%d.ln_1.weight", l), get(f, "h.%d.ln_1.bias", l), x, y);
        line(D, D, w, true, 3 * D, b, y, q);
        line(D, D, w + D, true, 3 * D, b + D, y, key);
        line(D, D, w + 2 * D, true, 3 * D, b + 2 * D, y, v);
        attend(k, q, key, v, y);
        line(D, D, get(f, "h.%d.attn.c_proj.weight", l), true, D, get(f, "h.%d.attn.c_proj.bias", l), y, y);
        plus(D, x, y);
        norm(D, false, k->eps, get(f, "h.%d.ln_2.weight", l), get(f, "h.%d.ln_2.bias", l), x, y);
        line(D, k->U, get(f, "h.%d.mlp.c_fc.weight", l), true, k->U, get(f, "h.%d.mlp.c_fc.bias", l), y, q);
        for (int t = 0; t < T; t++)
            for (int u = 0; u < k->U; u++)
                q[t][u] = gelu_tanh(q[t][u]);
        line(k->U, D, get(f, "h.%d.mlp.c_proj.weight", l), true, D, get(f, "h.%d.mlp.c_proj.bias", l), q, y);
        plus(D, x, y);
    }
    norm(D, false, k->eps, get(f, "ln_f.weight"), get(f, "ln_f.bias"), x, x);
    line(D, k->V, get(f, "wte.weight"), false, D, NULL, x, x);
}

static void twin_neox(const file *f, const facts *k, const double *tokens, stream x)
{
    int D = k->D, dk = k->dk;
    stream y, z, q, key, v;
    embed(k, get(f, "gpt_neox.embed_in.weight"), NULL, tokens, x);
    for (int l = 0; l < k->L; l++) {
        char at[64];
        snprintf(at, sizeof at, "gpt_neox.layers.%d", l);
        const double *w = get(f, "%s.attention.query_key_value.weight", at),
                     *b = get(f, "%s.attention.query_key_value.bias", at);
        norm(D, false, k->eps, get(f, "%s.input_layernorm.weight", at), get(f, "%s.input_layernorm.bias", at),
             x, y);
        line(D, 3 * D, w, false, D, b, y, z);
        for (int t = 0; t < T; t++)
            for (int h = 0; h < k->H; h++)
                for (int e = 0; e < dk; e++) {
                    q[t][h * dk + e] = z[t][h * 3 * dk + e];
                    key[t][h * dk + e] = z[t][h * 3 * dk + dk + e];
                    v[t][h * dk + e] = z[t][h * 3 * dk + 2 * dk + e];
                }
        turn(k, k->H, q);
        turn(k, k->H, key);
        attend(k, q, key, v, y);
        line(D, D, get(f, "%s.attention.dense.weight", at), false, D, get(f, "%s.attention.dense.bias", at),
             y, y);
        memcpy(z, x, sizeof z);
        plus(D, x, y);
        norm(D, false, k->eps, get(f, "%s.post_attention_layernorm.weight", at),
             get(f, "%s.post_attention_layernorm.bias", at), k->parallel ? z : x, y);
        line(D, k->U, get(f, "%s.mlp.dense_h_to_4h.weight", at), false, D,
             get(f, "%s.mlp.dense_h_to_4h.bias", at), y, q);
        for (int t = 0; t < T; t++)
            for (int u = 0; u < k->U; u++)
                q[t][u] = gelu(q[t][u]);
        line(k->U, D, get(f, "%s.mlp.dense_4h_to_h.weight", at), false, k->U,
             get(f, "%s.mlp.dense_4h_to_h.bias", at), q, y);
        plus(D, x, y);
    }
    norm(D, false, k->eps, get(f, "gpt_neox.final_layer_norm.weight"),
         get(f, "gpt_neox.final_layer_norm.bias"), x, x);
    line(D, k->V, get(f, "embed_out.weight"), false, D, NULL, x, x);
}

static void twin_llama(const file *f, const facts *k, const double *tokens, stream x)
{
    int D = k->D, K = k->H * k->dk, S = k->G * k->dk;
    stream y, q, key, v;
    embed(k, get(f, "model.embed_tokens.weight"), NULL, tokens, x);
    for (int l = 0; l < k->L; l++) {
        char at[64];
        snprintf(at, sizeof at, "model.layers.%d", l);
        norm(D, true, k->eps, get(f, "%s.input_layernorm.weight", at), NULL, x, y);
        line(D, K, get(f, "%s.self_attn.q_proj.weight", at), false, D, NULL, y, q);
        line(D, S, get(f, "%s.self_attn.k_proj.weight", at), false, D, NULL, y, key);
        line(D, S, get(f, "%s.self_attn.v_proj.weight", at), false, D, NULL, y, v);
        turn(k, k->H, q);
        turn(k, k->G, key);
        attend(k, q, key, v, y);
        line(K, D, get(f, "%s.self_attn.o_proj.weight", at), false, K, NULL, y, y);
        plus(D, x, y);
        norm(D, true, k->eps, get(f, "%s.post_attention_layernorm.weight", at), NULL, x, y);
        line(D, k->U, get(f, "%s.mlp.gate_proj.weight", at), false, D, NULL, y, q);
        line(D, k->U, get(f, "%s.mlp.up_proj.weight", at), false, D, NULL, y, v);
        for (int t = 0; t < T; t++)
            for (int u = 0; u < k->U; u++)
                q[t][u] = silu(q[t][u]) * v[t][u];
        line(k->U, D, get(f, "%s.mlp.down_proj.weight", at), false, k->U, NULL, q, y);
        plus(D, x, y);
    }
    norm(D, true, k->eps, get(f, "model.norm.weight"), NULL, x, x);
    line(D, k->V, get(f, k->tied ? "model.embed_tokens.weight" : "lm_head.weight"), false, D, NULL, x, x);
}

static void twin_lens(const file *f, const facts *k, const double *tokens, stream x)
{
    static const char *const names[] = {"Q", "K", "V"};
    int D = k->D, dk = k->dk;
    stream y, z[3], o;
    embed(k, get(f, "embed.W_E"), NULL, tokens, x);
    for (int l = 0; l < k->L; l++) {
        norm(D, false, k->eps, NULL, NULL, x, y);
        for (int n = 0; n < 3; n++)
            for (int t = 0; t < T; t++)
                for (int h = 0; h < k->H; h++)
                    for (int e = 0; e < dk; e++) {
                        double s = 0;
                        for (int d = 0; d < D; d++)
                            s += get(f, "blocks.%d.attn.W_%s", l, names[n])[(h * D + d) * dk + e] * y[t][d];
                        z[n][t][h * dk + e] = s;
                    }
        turn(k, k->H, z[0]);
        turn(k, k->H, z[1]);
        attend(k, z[0], z[1], z[2], o);
        line(k->H * dk, D, get(f, "blocks.%d.attn.W_O", l), true, D, NULL, o, y);
        plus(D, x, y);
    }
    norm(D, false, k->eps, NULL, NULL, x, x);
    line(D, k->V, get(f, "unembed.W_U"), true, k->V, get(f, "unembed.b_U"), x, x);
}

/* ---- layouts ----------------------------------------------------------------------------------------------------------- */

static void draw(const facts *k, file *f)
{
    int D = k->D, U = k->U;
    switch (k->layout) {
    case AT_LAYOUT_GPT2:
        add(f, k->V, D, 0, "wte.weight");
        add(f, k->n, D, 0, "wpe.weight");
        add(f, D, 0, 0, "ln_f.weight");
        add(f, D, 0, 0, "ln_f.bias");
        for (int l = 0; l < k->L; l++) {
            for (int n = 1; n <= 2; n++) {
                add(f, D, 0, 0, "h.%d.ln_%d.weight", l, n);
                add(f, D, 0, 0, "h.%d.ln_%d.bias", l, n);
            }
            add(f, D, 3 * D, 0, "h.%d.attn.c_attn.weight", l);
            add(f, 3 * D, 0, 0, "h.%d.attn.c_attn.bias", l);
            add(f, D, D, 0, "h.%d.attn.c_proj.weight", l);
            add(f, D, 0, 0, "h.%d.attn.c_proj.bias", l);
            add(f, D, U, 0, "h.%d.mlp.c_fc.weight", l);
            add(f, U, 0, 0, "h.%d.mlp.c_fc.bias", l);
            add(f, U, D, 0, "h.%d.mlp.c_proj.weight", l);
            add(f, D, 0, 0, "h.%d.mlp.c_proj.bias", l);
        }
        break;
    case AT_LAYOUT_NEOX:
        add(f, k->V, D, 0, "gpt_neox.embed_in.weight");
        add(f, k->V, D, 0, "embed_out.weight");
        add(f, D, 0, 0, "gpt_neox.final_layer_norm.weight");
        add(f, D, 0, 0, "gpt_neox.final_layer_norm.bias");
        for (int l = 0; l < k->L; l++) {
            static const char *const what[] = {"attention.query_key_value", "attention.dense",
                                               "mlp.dense_h_to_4h", "mlp.dense_4h_to_h"};
            const int rows[] = {3 * D, D, U, D}, cols[] = {D, D, D, U};
            add(f, D, 0, 0, "gpt_neox.layers.%d.input_layernorm.weight", l);
            add(f, D, 0, 0, "gpt_neox.layers.%d.input_layernorm.bias", l);
            add(f, D, 0, 0, "gpt_neox.layers.%d.post_attention_layernorm.weight", l);
            add(f, D, 0, 0, "gpt_neox.layers.%d.post_attention_layernorm.bias", l);
            for (int n = 0; n < 4; n++) {
                add(f, rows[n], cols[n], 0, "gpt_neox.layers.%d.%s.weight", l, what[n]);
                add(f, rows[n], 0, 0, "gpt_neox.layers.%d.%s.bias", l, what[n]);
            }
        }
        break;
    case AT_LAYOUT_LLAMA:
        add(f, k->V, D, 0, "model.embed_tokens.weight");
        add(f, D, 0, 0, "model.norm.weight");
        if (!k->tied)
            add(f, k->V, D, 0, "lm_head.weight");
        for (int l = 0; l < k->L; l++) {
            static const char *const what[] = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",
                                               "self_attn.o_proj", "mlp.gate_proj",    "mlp.up_proj",
                                               "mlp.down_proj"};
            int K = k->H * k->dk, S = k->G * k->dk;
            const int rows[] = {K, S, S, D, U, U, D}, cols[] = {D, D, D, K, D, D, U};
            add(f, D, 0, 0, "model.layers.%d.input_layernorm.weight", l);
            add(f, D, 0, 0, "model.layers.%d.post_attention_layernorm.weight", l);
            for (int n = 0; n < 7; n++)
                add(f, rows[n], cols[n], 0, "model.layers.%d.%s.weight", l, what[n]);
        }
        break;
    case AT_LAYOUT_LENS:
        add(f, k->V, D, 0, "embed.W_E");
        add(f, D, k->V, 0, "unembed.W_U");
        add(f, k->V, 0, 0, "unembed.b_U");
        for (int l = 0; l < k->L; l++) {
            add(f, k->H, D, k->dk, "blocks.%d.attn.W_Q", l);
            add(f, k->H, D, k->dk, "blocks.%d.attn.W_K", l);
            add(f, k->H, D, k->dk, "blocks.%d.attn.W_V", l);
            add(f, k->H, k->dk, D, "blocks.%d.attn.W_O", l);
        }
        break;
    case AT_LAYOUT_NANOGPT:
    case AT_LAYOUT_TRACR:
    case AT_LAYOUT_GUESS:
        break;
    }
}

/* Every case: facts, the configuration that says them, and one that says something else. */
static const struct {
    facts k;
    const char *config, *lie;
} cases[] = {
    {{AT_LAYOUT_GPT2, 11, 12, 2, 3, 3, 4, 20, 9, .eps = 1e-5},
     "{\"n_embd\":12,\"n_head\":3,\"n_layer\":2,\"n_positions\":9,\"vocab_size\":11,\"n_inner\":20,"
     "\"activation_function\":"
     "\"gelu_new\",\"layer_norm_epsilon\":1e-5,\"resid_pdrop\":0.1,\"eos_token_id\":10}",
     "{\"n_embd\":12,\"n_head\":3,\"n_layer\":2,\"n_positions\":9,\"vocab_size\":11,\"n_inner\":20,"
     "\"activation_function\":"
     "\"gelu\",\"layer_norm_epsilon\":1e-5}"},
    {{AT_LAYOUT_NEOX, 9, 16, 2, 2, 2, 8, 12, 32, .parallel = true, .turned = 4, .theta = 10000, .eps = 1e-5},
     "{\"hidden_size\":16,\"num_hidden_layers\":2,\"num_attention_heads\":2,\"intermediate_size\":12,\"vocab_"
     "size\":9,"
     "\"max_position_embeddings\":32,\"rotary_pct\":0.5,\"rotary_emb_base\":10000,\"hidden_act\":\"gelu\"}",
     "{\"hidden_size\":16,\"num_hidden_layers\":2,\"num_attention_heads\":2,\"intermediate_size\":12,\"vocab_"
     "size\":9,"
     "\"max_position_embeddings\":32,\"rotary_pct\":0.5,\"hidden_act\":\"gelu\",\"use_parallel_residual\":"
     "false}"},
    {{AT_LAYOUT_LLAMA, 10, 12, 2, 4, 2, 4, 14, 40, .turned = 4, .theta = 500, .eps = 1e-6},
     "{\"hidden_size\":12,\"num_hidden_layers\":2,\"num_attention_heads\":4,\"num_key_value_heads\":2,\"head_"
     "dim\":4,"
     "\"intermediate_size\":14,\"vocab_size\":10,\"max_position_embeddings\":40,\"rope_theta\":500.0,\"rope_"
     "scaling\":null,"
     "\"rms_norm_eps\":1e-6,\"eos_token_id\":[2,3]}",
     "{\"hidden_size\":12,\"num_hidden_layers\":2,\"num_attention_heads\":4,\"num_key_value_heads\":2,\"head_"
     "dim\":4,"
     "\"intermediate_size\":14,\"vocab_size\":10,\"max_position_embeddings\":40,\"rope_theta\":600.0}"},
    {{AT_LAYOUT_LLAMA, 10, 12, 1, 3, 1, 4, 14, 40, .tied = true, .turned = 4, .theta = 10000, .eps = 1e-6},
     "{\"hidden_size\":12,\"num_hidden_layers\":1,\"num_attention_heads\":3,\"num_key_value_heads\":1,"
     "\"intermediate_size\":14,\"vocab_size\":10,\"max_position_embeddings\":40,\"tie_word_embeddings\":"
     "true}",
     "{\"hidden_size\":12,\"num_hidden_layers\":1,\"num_attention_heads\":3,\"num_key_value_heads\":1,"
     "\"hidden_act\":\"gelu\","
     "\"intermediate_size\":14,\"vocab_size\":10,\"max_position_embeddings\":40,\"tie_word_embeddings\":"
     "true}"},
    {{AT_LAYOUT_LENS, 7, 10, 2, 4, 4, 4, 4, 16, .alibi = true, .eps = 1e-5},
     "{\"d_model\":10,\"n_layers\":2,\"n_heads\":4,\"d_head\":4,\"n_ctx\":16,\"d_vocab\":7,\"attn_only\":"
     "true,"
     "\"normalization_type\":\"LNPre\",\"positional_embedding_type\":\"alibi\",\"act_fn\":null}",
     "{\"d_model\":10,\"n_layers\":2,\"n_heads\":4,\"d_head\":4,\"n_ctx\":16,\"d_vocab\":7,\"attn_only\":"
     "true,"
     "\"normalization_type\":\"LNPre\",\"positional_embedding_type\":\"rotary\"}"},
    {{AT_LAYOUT_LENS, 7, 10, 2, 3, 3, 6, 4, 16, .adjacent = true, .turned = 4, .theta = 10000, .eps = 1e-5},
     "{\"d_model\":10,\"n_layers\":2,\"n_heads\":3,\"d_head\":6,\"n_ctx\":16,\"d_vocab\":7,\"attn_only\":"
     "true,"
     "\"normalization_type\":\"LNPre\",\"positional_embedding_type\":\"rotary\",\"rotary_dim\":4,\"rotary_"
     "adjacent_pairs\":true}",
     "{\"d_model\":10,\"n_layers\":2,\"n_heads\":3,\"d_head\":6,\"n_ctx\":16,\"d_vocab\":7,\"attn_only\":"
     "true,"
     "\"normalization_type\":\"LNPre\",\"positional_embedding_type\":\"rotary\",\"rotary_dim\":4,\"rotary_"
     "adjacent_pairs\":false}"},
};
enum { CASES = sizeof cases / sizeof *cases };

static void twin_run(const file *f, const facts *k, const double *tokens, stream x)
{
    if (k->layout == AT_LAYOUT_GPT2)
        twin_gpt2(f, k, tokens, x);
    else if (k->layout == AT_LAYOUT_NEOX)
        twin_neox(f, k, tokens, x);
    else if (k->layout == AT_LAYOUT_LLAMA)
        twin_llama(f, k, tokens, x);
    else
        twin_lens(f, k, tokens, x);
}

/* The largest difference of a logit on some prompts. */
static double compare(const at_model *m, const file *f, const facts *k)
{
    at_arena arena;
    at_err err = {0};
    double far = 0;
    at_arena_init(&arena);
    for (uint64_t seed = 0; seed < 20; seed++) {
        at_rng rng = at_rng_at(seed, 3);
        at_output y;
        double tokens[T];
        stream x;
        for (int t = 0; t < T; t++)
            tokens[t] = (double)at_rng_below(&rng, (uint64_t)k->V);
        if (at_run(m, at_f64, &(at_input){T, tokens}, NULL, &arena, &y, &err))
            fail_msg("%s", err.text);
        twin_run(f, k, tokens, x);
        assert_int_equal(y.n, T);
        for (int t = 0; t < T; t++)
            for (int v = 0; v < k->V; v++)
                far = fmax(far, fabs(x[t][v] - y.value[t * k->V + v]));
    }
    at_arena_release(&arena);
    return far;
}

static void imported(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++)
        for (int wide = 0; wide < 2; wide++) {
            file f;
            size_t n;
            at_model m;
            at_err err = {0};
            at_import_said said;
            at_import_options o = at_import_defaults;
            const facts *k = &cases[c].k;
            o.read = AT_IMPORT_EVERY;
            file_init(&f, (uint64_t)c + 1);
            draw(k, &f);
            char *bytes = image(&f, wide, &n);
            if (at_import_bytes(&m, bytes, n, cases[c].config, strlen(cases[c].config), &o, &said, &err))
                fail_msg("case %d: %s", c, err.text);
            assert_int_equal(said.layout, k->layout);
            assert_int_equal(said.expanded, k->H / k->G);
            assert_true(m.f32 == !wide);
            double far = compare(&m, &f, k);
            if (!(far < 1e-11))
                fail_msg("case %d: differs by %g", c, far);
            at_model_release(&m);
            if (at_import_bytes(&m, bytes, n, cases[c].lie, strlen(cases[c].lie), &o, &said, &err))
                fail_msg("case %d: %s", c, err.text);
            if (!(compare(&m, &f, k) > 1e-6))
                fail_msg("case %d: the other configuration is not noticed", c);
            at_model_release(&m);
            free(bytes);
            free(f.v);
        }
}

/* ---- refusals ------------------------------------------------------------------------------------------------------------ */

static void refuse(const char *bytes, size_t n, const char *config, const char *words)
{
    at_model m;
    at_err err = {0};
    at_status st = at_import_bytes(&m, bytes, n, config, strlen(config), &at_import_defaults, NULL, &err);
    if (!st || at_exit_code(st) != 2 || !strstr(err.text, words))
        fail_msg("\"%s\" (%d) does not say \"%s\"", err.text, (int)st, words);
    assert_int_equal(m.n_tensors, 0);
    at_model_release(&m);
}

static void refusals(void **state)
{
    (void)state;
    const char *good = cases[0].config;
    char text[512];
    file f;
    size_t n;
    file_init(&f, 1);
    draw(&cases[0].k, &f);
    char *bytes = image(&f, false, &n);
    /* keys */
    snprintf(text, sizeof text, "%.*s,\"attention_sink\":4}", (int)strlen(good) - 1, good);
    refuse(bytes, n, text, "key attention_sink is unknown here");
    snprintf(text, sizeof text, "%.*s,\"scale_attn_by_inverse_layer_idx\":true}", (int)strlen(good) - 1,
             good);
    refuse(bytes, n, text, "scale_attn_by_inverse_layer_idx is on");
    refuse(bytes, n, "{\"n_embd\":12,\"n_head\":3,\"n_layer\":2,\"n_positions\":9}", "vocab_size is missing");
    refuse(bytes, n, "{\"n_embd\":12,\"n_head\":5,\"n_layer\":2,\"n_positions\":9,\"vocab_size\":11}",
           "no multiple of n_head");
    refuse(bytes, n,
           "{\"n_embd\":12,\"n_head\":3,\"n_layer\":3,\"n_positions\":9,\"vocab_size\":11,\"n_inner\":20}",
           "h.2.ln_1.weight is missing");
    refuse(bytes, n,
           "{\"n_embd\":12,\"n_head\":3,\"n_layer\":1,\"n_positions\":9,\"vocab_size\":11,\"n_inner\":20}",
           "h.1.attn.c_attn.bias, and others: unknown in this layout");
    refuse(bytes, n,
           "{\"n_embd\":12,\"n_head\":3,\"n_layer\":2,\"n_positions\":9,\"vocab_size\":12,\"n_inner\":20}",
           "wte.weight has the shape (11, 12); needed: (12, 12)");
    refuse(bytes, n,
           "{\"n_embd\":12,\"n_head\":3,\"n_layer\":2,\"n_positions\":9,\"vocab_size\":11,\"activation_"
           "function\":\"mish\"}",
           "activation_function \"mish\" is unknown");
    refuse(bytes, n, "{\"n_embd\":16384,\"n_head\":1,\"n_layer\":2,\"n_positions\":9,\"vocab_size\":2000}",
           "weights");
    refuse(bytes, n, "[1]", "is not a JSON object");
    /* files */
    refuse(bytes, 7, good, "too short");
    refuse(bytes, n - 100, good, "lies beyond the end of the file");
    refuse("PK\003\004 a zip archive as torch.save writes it", 40, good, "a pickle runs programs");
    memcpy(bytes + n - 4, "\0\0\300\177", 4);
    refuse(bytes, n, good, "not finite");
    free(bytes);
    free(f.v);
}

/* Where tensors may lie: they tile the data in any order, and what is right so far is refused for its names. */
static void places(void **state)
{
    static const struct {
        const char *header; /* each tensor: its name, type, side, begin, end */
        size_t data;
        const char *words;
    } rows[] = {
        {"b F32 1 4 8 a F32 1 0 4", 8, "of no layout that is known"},
        {"a F16 1 0 2 b F64 1 2 10", 10, "of no layout that is known"},
        {"b F32 1 4 8 empty F32 0 4 4 a F32 1 0 4", 8, "of no layout that is known"},
        {"a F32 1 0 4 first F32 0 0 0 last F64 0 4 4", 4, "of no layout that is known"},
        {"a F32 1 0 4 b F32 1 0 4", 4, "tensor b begins at byte 0 of the data instead of 4"},
        {"b F32 1 2 6 a F32 1 0 4", 6, "tensor b begins at byte 2 of the data instead of 4"},
        {"a F32 2 0 8 empty F32 0 4 4", 8, "tensor empty begins at byte 4 of the data instead of 8"},
        {"a F32 1 0 4 b F32 1 8 12", 12, "tensor b begins at byte 8 of the data instead of 4"},
        {"a F32 1 4 8", 8, "tensor a begins at byte 4 of the data instead of 0"},
        {"a F32 1 0 4 empty F32 0 8 8", 8, "tensor empty begins at byte 8 of the data instead of 4"},
        {"b F32 1 4 8 a F32 1 0 4", 11, "model.safetensors: 3 bytes of data follow the last tensor, b"},
        {"", 2, "model.safetensors: 2 bytes of data are of no tensor"},
        {"a F32 1 0 4", 3, "tensor a lies beyond the end of the file"},
        {"a F32 1 4 0", 8, "tensor a has data_offsets that are no place"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char bytes[600] = {0}, name[8], type[8];
        size_t at = 8;
        int side, begin, end, read;
        at += (size_t)snprintf(bytes + at, sizeof bytes - at, "{\"__metadata__\":{\"format\":\"pt\"}");
        for (const char *s = rows[k].header;
             sscanf(s, " %7s %7s %d %d %d%n", name, type, &side, &begin, &end, &read) == 5; s += read)
            at += (size_t)snprintf(bytes + at, sizeof bytes - at,
                                   ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%d],\"data_offsets\":[%d,%d]}", name,
                                   type, side, begin, end);
        bytes[at++] = '}';
        at_le_put(bytes, at - 8, 8);
        refuse(bytes, at + rows[k].data, "{}", rows[k].words);
    }
}

/* Memory that fails anywhere leaves nothing behind and says so. */
static void memory(void **state)
{
    (void)state;
    file f;
    size_t n;
    file_init(&f, 1);
    draw(&cases[2].k, &f);
    char *bytes = image(&f, false, &n);
    bool done = false;
    for (long k = 1; !done && k < 400; k++) {
        at_model m;
        at_err err = {0};
        at_alloc_inject(k);
        at_status st = at_import_bytes(&m, bytes, n, cases[2].config, strlen(cases[2].config),
                                       &at_import_defaults, NULL, &err);
        at_alloc_inject(0);
        done = !st;
        if (st && st != AT_ENOMEM)
            fail_msg("allocation %d: %s", (int)k, err.text);
        at_model_release(&m);
    }
    assert_true(done);
    free(bytes);
    free(f.v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(imported), cmocka_unit_test(refusals),
                                       cmocka_unit_test(places), cmocka_unit_test(memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
