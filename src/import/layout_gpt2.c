/* layout_gpt2.c: GPT-2 as transformers saves it, and nanoGPT, which has the same names.
 *
 *     wte (V, D)   wpe (n, D)   h.<l>.ln_1, ln_2 {weight, bias} (D)
 *     h.<l>.attn.c_attn (D, 3D): queries, keys and values of all heads side by side     attn.c_proj (D, D)
 *     h.<l>.mlp.c_fc (D, U)   mlp.c_proj (U, D)   ln_f {weight, bias}   lm_head (V, D), tied to wte
 *
 * GPT-2 multiplies from the left, [in, out]; nanoGPT's are Linear, (out, in), perhaps without biases, and its GELU is the one by erf. */
#include "foreign.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const prefixes[] = {"", "transformer.", "_orig_mod.transformer."};

static void prefix_find(import *p)
{
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
        p->f.prefix = prefixes[k];
        if (foreign_find(&p->f, "wte.weight"))
            return;
    }
    p->f.prefix = "";
}

/* Rows of the table of tokens, where it is one. */
static const foreign_tensor *table_of(const foreign *f, const char *tail)
{
    foreign g = *f;
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
        g.prefix = prefixes[k];
        const foreign_tensor *t = foreign_find(&g, tail);
        if (t)
            return t;
    }
    return NULL;
}

static bool linear(const foreign *f) /* (out, in): (3D, D) */
{
    const foreign_tensor *t = table_of(f, "h.0.attn.c_attn.weight");
    return t && t->rank == 2 && t->shape[0] > t->shape[1];
}

static bool is_gpt2(const foreign *f)
{
    return table_of(f, "wte.weight") && table_of(f, "h.0.attn.c_attn.weight") && !linear(f);
}

static bool is_nanogpt(const foreign *f)
{
    return table_of(f, "wte.weight") && linear(f);
}

/* lm_head stands beside the prefix, not behind it. */
static const char *head_name(const import *p)
{
    return !strncmp(p->f.prefix, "_orig", 5) ? "_orig_mod.lm_head.weight" : "lm_head.weight";
}

static void shape_common(import *p, bool nano)
{
    import_shape *z = &p->z;
    import_config *c = &p->c;
    prefix_find(p);
    z->D = config_int(c, "n_embd hidden_size", -1, 1, AT_MAX_WIDTH);
    z->layers = config_int(c, "n_layer num_hidden_layers", -1, 1, AT_MAX_BLOCKS / 2);
    z->heads = config_int(c, "n_head num_attention_heads", -1, 1, AT_MAX_WIDTH);
    z->length = config_int(c, nano ? "block_size" : "n_positions n_ctx max_position_embeddings", -1, 1,
                           AT_MAX_LENGTH);
    z->vocab = z->out = config_int(c, "vocab_size", -1, 1, AT_MAX_ROWS);
    z->hidden = nano ? 4 * z->D : config_int(c, "n_inner", 4 * z->D, 1, AT_MAX_WIDTH);
    z->table = z->length;
    z->norms = z->final_norm = true;
    z->eps = config_real(c, "layer_norm_epsilon", 1e-5, 0, 1);
    z->act = import_act(p, "activation_function",
                        config_text(c, "activation_function", nano ? "gelu" : "gelu_new"));
    z->end = config_ends(c, &z->ends);
    if (nano)
        config_alike(c, "block_size n_ctx");
    config_must(c, "add_cross_attention", false);
    config_must(c, "scale_attn_by_inverse_layer_idx", false);
    p->status = p->status ? p->status : c->status;
    if (!p->status && z->D % z->heads)
        import_fail(p, AT_EINPUT, "n_embd %d is no multiple of n_head %d", z->D, z->heads);
    z->dk = z->heads ? z->D / z->heads : 1;
    z->bias = foreign_has(&p->f, "h.0.attn.c_attn.bias");
    config_agree(c, "bias", z->bias, "biases");
    config_family(c, nano ? "gpt2 nanogpt" : "gpt2");
    z->scale = config_bool(c, "scale_attn_weights", true) ? 1 / sqrt(z->dk) : 1;
    z->tied =
        config_bool(c, "tie_word_embeddings", true); /* a head that is saved all the same: fill looks at it */
}

static void shape_gpt2(import *p)
{
    shape_common(p, false);
}

static void shape_nanogpt(import *p)
{
    shape_common(p, true);
}

static void norm_fill(import *p, int g, int b, const char *name)
{
    import_take(p, g, p->z.D, 0, false, "%s.weight", name);
    import_take_if(p, "biases", b, p->z.D, 0, false, "%s.bias", name);
}

static void layer_fill(import *p, int l, bool turned)
{
    const import_shape *z = &p->z;
    const at_block *a = import_attention(p, l), *m = import_mlp(p, l);
    const at_group *g = &a->groups[0];
    int D = z->D, ids[] = {g->q, g->k, g->v}, biases[] = {g->qb, g->kb, g->vb};
    char name[64];
    snprintf(name, sizeof name, "h.%d.ln_1", l);
    norm_fill(p, a->norm_g, a->norm_b, name);
    snprintf(name, sizeof name, "h.%d.ln_2", l);
    norm_fill(p, m->norm_g, m->norm_b, name);
    at_mark mark = at_arena_mark(p->arena);
    int64_t conv[FOREIGN_RANK] = {D, 3 * (int64_t)D}, flat[FOREIGN_RANK] = {3 * (int64_t)D, D};
    const double *w = import_numbers(p, false, turned ? conv : flat, "h.%d.attn.c_attn.weight", l);
    const double *b = import_numbers(p, !import_there(p, "biases", "h.%d.attn.c_attn.bias", l),
                                     (int64_t[FOREIGN_RANK]){3 * (int64_t)D}, "h.%d.attn.c_attn.bias", l);
    for (int k = 0; k < 3 && w && !p->status; k++) {
        double *to = at_model_data(p->m, ids[k]);
        for (size_t r = 0; r < (size_t)D; r++)
            for (size_t c = 0; c < (size_t)D; c++)
                to[r * (size_t)D + c] = turned ? w[c * 3 * (size_t)D + (size_t)k * (size_t)D + r]
                                               : w[((size_t)k * (size_t)D + r) * (size_t)D + c];
        import_rows(p, biases[k], 0, 1, D, b ? b + (size_t)k * (size_t)D : NULL);
    }
    at_arena_reset(p->arena, mark);
    import_take(p, g->o, D, D, turned, "h.%d.attn.c_proj.weight", l);
    import_take_if(p, "biases", g->ob, D, 0, false, "h.%d.attn.c_proj.bias", l);
    import_take(p, m->dense[0].w, z->hidden, D, turned, "h.%d.mlp.c_fc.weight", l);
    import_take_if(p, "biases", m->dense[0].b, z->hidden, 0, false, "h.%d.mlp.c_fc.bias", l);
    import_take(p, m->dense[1].w, D, z->hidden, turned, "h.%d.mlp.c_proj.weight", l);
    import_take_if(p, "biases", m->dense[1].b, D, 0, false, "h.%d.mlp.c_proj.bias", l);
}

static void fill(import *p, bool turned)
{
    const import_shape *z = &p->z;
    at_model *m = p->m;
    foreign_pass(&p->f, ".attn.bias"); /* the mask */
    foreign_pass(&p->f, ".attn.masked_bias");
    import_take(p, m->fields[0].embed.tensor, z->vocab, z->D, false, "wte.weight");
    import_take(p, m->pos[0].embed.tensor, z->table, z->D, false, "wpe.weight");
    for (int l = 0; l < z->layers && !p->status; l++)
        layer_fill(p, l, turned);
    norm_fill(p, m->readout.norm_g, m->readout.norm_b, "ln_f");
    import_head(p, head_name(p));
}

static void fill_gpt2(import *p)
{
    fill(p, true);
}

static void fill_nanogpt(import *p)
{
    fill(p, false);
}

const import_layout layout_gpt2 = {"gpt2", "GPT-2, transformers", is_gpt2, shape_gpt2, fill_gpt2};
const import_layout layout_nanogpt = {"nanogpt", "nanoGPT", is_nanogpt, shape_nanogpt, fill_nanogpt};
