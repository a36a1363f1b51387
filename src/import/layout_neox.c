/* layout_neox.c: GPT-NeoX and Pythia, as transformers saves them.
 *
 *     embed_in (V, D)   layers.<l>.input_layernorm, post_attention_layernorm {weight, bias}
 *     layers.<l>.attention.query_key_value (3D, D): of each head its queries, keys and values, head after head
 *     layers.<l>.attention.dense (D, D)   mlp.dense_h_to_4h (U, D)   mlp.dense_4h_to_h (D, U)
 *     final_layer_norm   embed_out (V, D), beside the prefix gpt_neox.
 *
 * Rotary positions on a part of each head, in halves; the MLP reads what attention read (use_parallel_residual). */
#include "foreign.h"

#include <math.h>
#include <stdio.h>

static bool is_neox(const foreign *f)
{
    return foreign_has(f, "gpt_neox.embed_in.weight") || foreign_has(f, "embed_in.weight");
}

static void shape_neox(import *p)
{
    import_shape *z = &p->z;
    import_config *c = &p->c;
    p->f.prefix = foreign_has(&p->f, "gpt_neox.embed_in.weight") ? "gpt_neox." : "";
    z->D = config_int(c, "hidden_size", -1, 1, AT_MAX_WIDTH);
    z->layers = config_int(c, "num_hidden_layers", -1, 1, AT_MAX_BLOCKS / 2);
    z->heads = config_int(c, "num_attention_heads", -1, 1, AT_MAX_WIDTH);
    z->hidden = config_int(c, "intermediate_size", -1, 1, AT_MAX_WIDTH);
    z->length = config_int(c, "max_position_embeddings", -1, 1, AT_MAX_LENGTH);
    z->vocab = z->out = config_int(c, "vocab_size", -1, 1, AT_MAX_ROWS);
    z->norms = z->final_norm = true;
    z->eps = config_real(c, "layer_norm_eps", 1e-5, 0, 1);
    z->act = import_act(p, "hidden_act", config_text(c, "hidden_act", "gelu"));
    z->parallel = config_bool(c, "use_parallel_residual", true);
    z->end = config_ends(c, &z->ends);
    z->tied = config_bool(c, "tie_word_embeddings", false);
    double part = 0.25;
    z->rotary = (at_rotary){.pairing = AT_PAIR_HALVES};
    config_rope(c, "rotary_emb_base rope_theta", &z->rotary.theta, &part);
    p->status = p->status ? p->status : c->status;
    if (!p->status && z->D % z->heads)
        import_fail(p, AT_EINPUT, "hidden_size %d is no multiple of num_attention_heads %d", z->D, z->heads);
    z->dk = z->heads ? z->D / z->heads : 1;
    z->rotary.width = (int)(z->dk * part);
    if (!p->status && z->rotary.width % 2)
        import_fail(p, AT_EINPUT, "rotary_pct %g of heads of %d is %d coordinates, which are not even", part,
                    z->dk, z->rotary.width);
    z->bias = foreign_has(&p->f, "layers.0.attention.query_key_value.bias");
    config_agree(c, "attention_bias", z->bias, "biases of attention");
    config_family(c, "gpt_neox");
    p->status = p->status ? p->status : c->status;
    z->scale = 1 / sqrt(z->dk);
}

static void norm_fill(import *p, int g, int b, const char *name)
{
    import_take(p, g, p->z.D, 0, false, "%s.weight", name);
    import_take(p, b, p->z.D, 0, false, "%s.bias", name);
}

static void layer_fill(import *p, int l)
{
    const import_shape *z = &p->z;
    const at_block *a = import_attention(p, l), *m = import_mlp(p, l);
    const at_group *g = &a->groups[0];
    int D = z->D, dk = z->dk, ids[] = {g->q, g->k, g->v}, biases[] = {g->qb, g->kb, g->vb};
    char name[64];
    snprintf(name, sizeof name, "layers.%d.input_layernorm", l);
    norm_fill(p, a->norm_g, a->norm_b, name);
    snprintf(name, sizeof name, "layers.%d.post_attention_layernorm", l);
    norm_fill(p, m->norm_g, m->norm_b, name);
    at_mark mark = at_arena_mark(p->arena);
    const double *w = import_numbers(p, false, (int64_t[FOREIGN_RANK]){3 * (int64_t)D, D},
                                     "layers.%d.attention.query_key_value.weight", l);
    bool biased = import_there(p, "biases", "layers.%d.attention.query_key_value.bias", l);
    const double *b = import_numbers(p, !biased, (int64_t[FOREIGN_RANK]){3 * (int64_t)D},
                                     "layers.%d.attention.query_key_value.bias", l);
    for (int h = 0; h < z->heads && w; h++)
        for (int k = 0; k < 3; k++) {
            size_t row = (size_t)(3 * h + k) * (size_t)dk;
            import_rows(p, ids[k], h * dk, dk, D, w + row * (size_t)D);
            import_rows(p, biases[k], h * dk, dk, 1, b ? b + row : NULL);
        }
    at_arena_reset(p->arena, mark);
    import_take(p, g->o, D, D, false, "layers.%d.attention.dense.weight", l);
    import_take_if(p, "biases", g->ob, D, 0, false, "layers.%d.attention.dense.bias", l);
    import_take(p, m->dense[0].w, z->hidden, D, false, "layers.%d.mlp.dense_h_to_4h.weight", l);
    import_take(p, m->dense[0].b, z->hidden, 0, false, "layers.%d.mlp.dense_h_to_4h.bias", l);
    import_take(p, m->dense[1].w, D, z->hidden, false, "layers.%d.mlp.dense_4h_to_h.weight", l);
    import_take(p, m->dense[1].b, D, 0, false, "layers.%d.mlp.dense_4h_to_h.bias", l);
}

static void fill_neox(import *p)
{
    const import_shape *z = &p->z;
    at_model *m = p->m;
    foreign_pass(&p->f, ".attention.bias"); /* the mask, and what angles are made of */
    foreign_pass(&p->f, ".attention.masked_bias");
    foreign_pass(&p->f, ".rotary_emb.inv_freq");
    import_take(p, m->fields[0].embed.tensor, z->vocab, z->D, false, "embed_in.weight");
    for (int l = 0; l < z->layers && !p->status; l++)
        layer_fill(p, l);
    norm_fill(p, m->readout.norm_g, m->readout.norm_b, "final_layer_norm");
    import_head(p, "embed_out.weight");
}

const import_layout layout_neox = {"neox", "GPT-NeoX and Pythia, transformers", is_neox, shape_neox,
                                   fill_neox};
