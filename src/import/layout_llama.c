/* layout_llama.c: Llama and what has its names (Mistral, Qwen2), as transformers saves them.
 *
 *     model.embed_tokens (V, D)   model.layers.<l>.input_layernorm, post_attention_layernorm (D)
 *     self_attn.q_proj (H dk, D)   k_proj, v_proj (G dk, D)   o_proj (D, H dk)   biases where they are
 *     mlp.gate_proj, up_proj (U, D)   down_proj (D, U)   model.norm   lm_head (V, D), perhaps tied
 *
 * RMS norms, a gated MLP, rotary positions on whole heads, in halves. G < H: every key serves H/G queries, and is written out H/G times. */
#include "foreign.h"

#include <jansson.h>

#include <math.h>
#include <string.h>

static bool is_llama(const foreign *f)
{
    return foreign_has(f, "model.layers.0.self_attn.q_proj.weight") ||
           foreign_has(f, "layers.0.self_attn.q_proj.weight");
}

/* A window that is no shorter than the longest text changes nothing. */
static void window_check(import *p)
{
    import_config *c = &p->c;
    bool used = config_bool(c, "use_sliding_window", true);
    int window = config_int(c, "sliding_window", 0, 0, INT32_MAX);
    config_int(c, "max_window_layers", 0, 0, INT32_MAX);
    json_t *kinds = config_get(c, "layer_types");
    if (used && window && window < p->z.length)
        import_fail(p, AT_EINPUT, "sliding_window %d is shorter than max_position_embeddings %d: refused",
                    window, p->z.length);
    if (kinds && (!json_is_array(kinds) || json_array_size(kinds) != (size_t)p->z.layers))
        import_fail(p, AT_EINPUT, "layer_types must be a list of %d texts, one a layer", p->z.layers);
    for (size_t k = 0; k < json_array_size(kinds); k++) {
        const char *kind = json_string_value(json_array_get(kinds, k));
        if (!kind || strcmp(kind, "full_attention"))
            import_fail(p, AT_EINPUT, "layer_types: layer %zu is %.40s: refused", k, kind ? kind : "no text");
    }
}

static void shape_llama(import *p)
{
    import_shape *z = &p->z;
    import_config *c = &p->c;
    p->f.prefix = foreign_has(&p->f, "model.embed_tokens.weight") ? "model." : "";
    z->D = config_int(c, "hidden_size", -1, 1, AT_MAX_WIDTH);
    z->layers = config_int(c, "num_hidden_layers", -1, 1, AT_MAX_BLOCKS / 2);
    z->heads = config_int(c, "num_attention_heads", -1, 1, AT_MAX_WIDTH);
    z->kv_heads = config_int(c, "num_key_value_heads", z->heads, 1, AT_MAX_WIDTH);
    z->dk = config_int(c, "head_dim", z->heads ? z->D / z->heads : 1, 1, AT_MAX_WIDTH);
    z->hidden = config_int(c, "intermediate_size", -1, 1, AT_MAX_WIDTH);
    z->length = config_int(c, "max_position_embeddings", -1, 1, AT_MAX_LENGTH);
    z->vocab = z->out = config_int(c, "vocab_size", -1, 1, AT_MAX_ROWS);
    z->norms = z->final_norm = z->gated = true;
    z->norm_kind = AT_NORM_RMS;
    z->eps = config_real(c, "rms_norm_eps", 1e-6, 0, 1);
    z->act = import_act(p, "hidden_act", config_text(c, "hidden_act", "silu"));
    z->end = config_ends(c, &z->ends);
    z->tied = config_bool(c, "tie_word_embeddings", false);
    config_agree(c, "mlp_bias", foreign_has(&p->f, "layers.0.mlp.gate_proj.bias"), "biases of MLPs");
    config_must(c, "rope_interleaved", false);
    config_must(c, "use_mrope", false);
    config_family(c, "llama mistral qwen2");
    z->rotary = (at_rotary){.width = z->dk, .pairing = AT_PAIR_HALVES};
    config_rope(c, "rope_theta", &z->rotary.theta, NULL);
    window_check(p);
    p->status = p->status ? p->status : c->status;
    if (!p->status && (z->heads % z->kv_heads || z->dk % 2))
        import_fail(
            p, AT_EINPUT,
            "%d heads of %d coordinates with %d keys: heads must be a multiple of keys, and coordinates even",
            z->heads, z->dk, z->kv_heads);
    z->bias = foreign_has(&p->f, "layers.0.self_attn.q_proj.bias") ||
              foreign_has(&p->f, "layers.0.self_attn.o_proj.bias");
    config_agree(c, "attention_bias", z->bias, "biases of attention");
    p->status = p->status ? p->status : c->status;
    z->scale = 1 / sqrt(z->dk);
}

/* Keys or values (G dk, D), each head of them written H/G times. */
static void grouped_fill(import *p, int l, int w, int b, const char *what)
{
    const import_shape *z = &p->z;
    int dk = z->dk, D = z->D, each = z->heads / z->kv_heads;
    int64_t rows = (int64_t)z->kv_heads * dk;
    at_mark mark = at_arena_mark(p->arena);
    const double *from =
        import_numbers(p, false, (int64_t[FOREIGN_RANK]){rows, D}, "layers.%d.self_attn.%s.weight", l, what);
    bool biased = import_there(p, "biases", "layers.%d.self_attn.%s.bias", l, what);
    const double *bias =
        import_numbers(p, !biased, (int64_t[FOREIGN_RANK]){rows}, "layers.%d.self_attn.%s.bias", l, what);
    for (int h = 0; h < z->heads && from; h++) {
        size_t row = (size_t)(h / each) * (size_t)dk;
        import_rows(p, w, h * dk, dk, D, from + row * (size_t)D);
        import_rows(p, b, h * dk, dk, 1, bias ? bias + row : NULL);
    }
    at_arena_reset(p->arena, mark);
}

static void layer_fill(import *p, int l)
{
    const import_shape *z = &p->z;
    const at_block *a = import_attention(p, l), *m = import_mlp(p, l);
    const at_group *g = &a->groups[0];
    int D = z->D, K = z->heads * z->dk;
    import_take(p, a->norm_g, D, 0, false, "layers.%d.input_layernorm.weight", l);
    import_take(p, m->norm_g, D, 0, false, "layers.%d.post_attention_layernorm.weight", l);
    import_take(p, g->q, K, D, false, "layers.%d.self_attn.q_proj.weight", l);
    import_take_if(p, "biases", g->qb, K, 0, false, "layers.%d.self_attn.q_proj.bias", l);
    grouped_fill(p, l, g->k, g->kb, "k_proj");
    grouped_fill(p, l, g->v, g->vb, "v_proj");
    import_take(p, g->o, D, K, false, "layers.%d.self_attn.o_proj.weight", l);
    import_take_if(p, "output bias", g->ob, D, 0, false, "layers.%d.self_attn.o_proj.bias", l);
    import_take(p, m->dense[0].gw, z->hidden, D, false, "layers.%d.mlp.gate_proj.weight", l);
    import_take_if(p, "hidden biases", m->dense[0].gb, z->hidden, 0, false, "layers.%d.mlp.gate_proj.bias",
                   l);
    import_take(p, m->dense[0].w, z->hidden, D, false, "layers.%d.mlp.up_proj.weight", l);
    import_take_if(p, "hidden biases", m->dense[0].b, z->hidden, 0, false, "layers.%d.mlp.up_proj.bias", l);
    import_take(p, m->dense[1].w, D, z->hidden, false, "layers.%d.mlp.down_proj.weight", l);
    import_take_if(p, "hidden biases", m->dense[1].b, D, 0, false, "layers.%d.mlp.down_proj.bias", l);
}

static void fill_llama(import *p)
{
    const import_shape *z = &p->z;
    at_model *m = p->m;
    foreign_pass(&p->f, ".rotary_emb.inv_freq");
    import_take(p, m->fields[0].embed.tensor, z->vocab, z->D, false, "embed_tokens.weight");
    for (int l = 0; l < z->layers && !p->status; l++)
        layer_fill(p, l);
    import_take(p, m->readout.norm_g, z->D, 0, false, "norm.weight");
    import_head(p, "lm_head.weight");
}

const import_layout layout_llama = {"llama", "Llama, Mistral, Qwen2, transformers", is_llama, shape_llama,
                                    fill_llama};
