/* layout_lens.c: TransformerLens (HookedTransformer), whose names say what is what.
 *
 *     embed.W_E (V, D)   pos_embed.W_pos (n, D)   blocks.<l>.ln1, ln2 {w, b} (D)
 *     blocks.<l>.attn.W_Q, W_K, W_V (H, D, dk)   W_O (H, dk, D)   b_Q, b_K, b_V (H, dk)   b_O (D)
 *     blocks.<l>.mlp.W_in (D, U)   W_out (U, D)   b_in, b_out   gated: W_gate (D, U), whose act multiplies W_in
 *     ln_final {w, b}   unembed.W_U (D, V)   b_U (V)
 *
 * Norms: LN, RMS, or LNPre, RMSPre, whose gains were folded into what follows: gain 1, shift 0. Positions: a table, rotary in
 * either pairing, or alibi. W_K and W_V of fewer heads (G, D, dk) stand under _W_K, _W_V. */
#include "foreign.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_lens(const foreign *f)
{
    return foreign_has(f, "embed.W_E");
}

static void norms_read(import *p)
{
    import_shape *z = &p->z;
    const char *kind = config_text(&p->c, "normalization_type", NULL);
    z->norms = z->final_norm = kind != NULL && strcmp(kind, "None");
    if (!z->norms)
        return;
    if (!strcmp(kind, "RMS") || !strcmp(kind, "RMSPre"))
        z->norm_kind = AT_NORM_RMS;
    else if (strcmp(kind, "LN") && strcmp(kind, "LNPre"))
        import_fail(p, AT_EINPUT,
                    "normalization_type \"%.40s\" is unknown; known: LN, LNPre, RMS, RMSPre, null", kind);
    z->folded = strstr(kind, "Pre") != NULL;
    if (z->folded && (foreign_has(&p->f, "blocks.0.ln1.w") || foreign_has(&p->f, "ln_final.w")))
        import_fail(p, AT_EINPUT, "normalization_type is %.40s, but there are tensors of gains", kind);
}

static void positions_read(import *p)
{
    import_shape *z = &p->z;
    import_config *c = &p->c;
    const char *kind = config_text(c, "positional_embedding_type", "standard");
    int width = config_int(c, "rotary_dim", z->dk, 0, AT_MAX_WIDTH);
    double theta = config_real(c, "rotary_base", 10000, 1, 1e12);
    bool near = config_bool(c, "rotary_adjacent_pairs", false);
    config_real(c, "rotary_scaling_factor", 1, 1, 1);
    if (!strcmp(kind, "standard"))
        z->table = z->length;
    else if (!strcmp(kind, "rotary"))
        z->rotary = (at_rotary){width, theta, near ? AT_PAIR_ADJACENT : AT_PAIR_HALVES};
    else if (!strcmp(kind, "alibi"))
        z->alibi = true;
    else
        import_fail(p, AT_EINPUT,
                    "positional_embedding_type \"%.40s\" is unknown; known: standard, rotary, alibi", kind);
}

static void shape_lens(import *p)
{
    static const char *const off[] = {"use_local_attn",
                                      "parallel_block",
                                      "post_embedding_ln",
                                      "use_NTK_by_parts_rope",
                                      "use_normalization_before_and_after",
                                      "attn_scores_soft_cap",
                                      "output_logits_soft_cap",
                                      "num_experts",
                                      "use_qk_norm",
                                      "scale_attn_by_inverse_layer_idx",
                                      "tie_word_embeddings",
                                      "use_yarn_rope"};
    import_shape *z = &p->z;
    import_config *c = &p->c;
    z->D = config_int(c, "d_model", -1, 1, AT_MAX_WIDTH);
    z->layers = config_int(c, "n_layers", -1, 1, AT_MAX_BLOCKS / 2);
    z->heads = config_int(c, "n_heads", -1, 1, AT_MAX_WIDTH);
    z->kv_heads = config_int(c, "n_key_value_heads", z->heads, 1, AT_MAX_WIDTH);
    z->dk = config_int(c, "d_head", -1, 1, AT_MAX_WIDTH);
    z->no_mlp = config_bool(c, "attn_only", false);
    z->hidden = config_int(c, "d_mlp", 4 * z->D, z->no_mlp ? 0 : 1, AT_MAX_WIDTH);
    z->length = config_int(c, "n_ctx", -1, 1, AT_MAX_LENGTH);
    z->vocab = config_int(c, "d_vocab", -1, 1, AT_MAX_ROWS);
    z->out = config_int(c, "d_vocab_out", z->vocab, 1, AT_MAX_ROWS);
    z->out_of = "d_vocab_out";
    z->vocab_of = "d_vocab";
    z->eps = config_real(c, "eps", 1e-5, 0, 1);
    if (!z->no_mlp)
        z->act = import_act(p, "act_fn", config_text(c, "act_fn", NULL));
    else
        config_text(c, "act_fn", NULL);
    z->gated = config_bool(c, "gated_mlp", false);
    z->parallel = config_bool(c, "parallel_attn_mlp", false);
    const char *direction = config_text(c, "attention_dir", "causal");
    z->causal = !strcmp(direction, "causal");
    if (!z->causal && strcmp(direction, "bidirectional"))
        import_fail(p, AT_EINPUT, "attention_dir \"%.40s\" is unknown; known: causal, bidirectional",
                    direction);
    z->end = config_ends(c, &z->ends);
    z->final_rms = config_bool(c, "final_rms", false);
    norms_read(p);
    positions_read(p);
    for (size_t k = 0; k < sizeof off / sizeof *off; k++)
        config_must(c, off[k], false);
    p->status = p->status ? p->status : c->status;
    if (!p->status && z->heads % z->kv_heads)
        import_fail(p, AT_EINPUT, "n_heads %d is no multiple of n_key_value_heads %d", z->heads, z->kv_heads);
    z->bias = foreign_has(&p->f, "blocks.0.attn.b_Q") || foreign_has(&p->f, "blocks.0.attn.b_O");
    double scale = config_real(c, "attn_scale", sqrt(z->dk), -1, 1e9);
    z->scale = !config_bool(c, "use_attn_scale", true) ? 1 : scale > 0 ? 1 / scale : 1 / sqrt(z->dk);
    p->status = p->status ? p->status : c->status;
}

static void norm_fill(import *p, int g, int b, const char *name, bool shifted)
{
    if (!p->z.norms)
        return;
    if (p->z.folded)
        import_ones(p, g);
    else
        import_take(p, g, p->z.D, 0, false, "%s.w", name);
    if (shifted && !p->z.folded)
        import_take_if(p, "shifts", b, p->z.D, 0, false, "%s.b", name);
}

/* (G, D, dk) of theirs, each head turned to (dk, D), written H/G times; biases (G, dk). */
static void heads_fill(import *p, int l, int w, int b, const char *what, int theirs)
{
    const import_shape *z = &p->z;
    size_t D = (size_t)z->D, dk = (size_t)z->dk;
    const char *mark_of = theirs < z->heads ? "_" : ""; /* grouped */
    at_mark mark = at_arena_mark(p->arena);
    const double *from = import_numbers(p, false, (int64_t[FOREIGN_RANK]){theirs, z->D, z->dk},
                                        "blocks.%d.attn.%sW_%s", l, mark_of, what);
    bool biased = import_there(p, "biases", "blocks.%d.attn.%sb_%s", l, mark_of, what);
    const double *bias = import_numbers(p, !biased, (int64_t[FOREIGN_RANK]){theirs, z->dk},
                                        "blocks.%d.attn.%sb_%s", l, mark_of, what);
    double *to = at_model_data(p->m, w);
    for (int h = 0; h < z->heads && from && !p->status; h++) {
        size_t own = (size_t)(h / (z->heads / theirs));
        for (size_t r = 0; r < dk; r++)
            for (size_t c = 0; c < D; c++)
                to[((size_t)h * dk + r) * D + c] = from[(own * D + c) * dk + r];
        import_rows(p, b, h * z->dk, z->dk, 1, bias ? bias + own * dk : NULL);
    }
    at_arena_reset(p->arena, mark);
}

/* (H, dk, D) of theirs is (H dk, D): turned it is ours, (D, H dk). */
static void output_fill(import *p, int l, const at_group *g)
{
    const import_shape *z = &p->z;
    size_t D = (size_t)z->D, K = (size_t)z->heads * (size_t)z->dk;
    at_mark mark = at_arena_mark(p->arena);
    const double *from =
        import_numbers(p, false, (int64_t[FOREIGN_RANK]){z->heads, z->dk, z->D}, "blocks.%d.attn.W_O", l);
    double *to = at_model_data(p->m, g->o);
    for (size_t r = 0; r < D && from; r++)
        for (size_t c = 0; c < K; c++)
            to[r * K + c] = from[c * D + r];
    at_arena_reset(p->arena, mark);
    import_take_if(p, "biases", g->ob, z->D, 0, false, "blocks.%d.attn.b_O", l);
}

static void layer_fill(import *p, int l)
{
    const import_shape *z = &p->z;
    const at_block *a = import_attention(p, l);
    const at_group *g = &a->groups[0];
    char name[64];
    snprintf(name, sizeof name, "blocks.%d.ln1", l);
    norm_fill(p, a->norm_g, a->norm_b, name, true);
    heads_fill(p, l, g->q, g->qb, "Q", z->heads);
    heads_fill(p, l, g->k, g->kb, "K", z->kv_heads);
    heads_fill(p, l, g->v, g->vb, "V", z->kv_heads);
    output_fill(p, l, g);
    if (z->no_mlp)
        return;
    const at_block *m = import_mlp(p, l);
    snprintf(name, sizeof name, "blocks.%d.ln2", l);
    norm_fill(p, m->norm_g, m->norm_b, name, true);
    if (z->gated)
        import_take(p, m->dense[0].gw, z->hidden, z->D, true, "blocks.%d.mlp.W_gate", l);
    import_take(p, m->dense[0].w, z->hidden, z->D, true, "blocks.%d.mlp.W_in", l);
    import_take_if(p, "biases", m->dense[0].b, z->hidden, 0, false, "blocks.%d.mlp.b_in", l);
    import_take(p, m->dense[1].w, z->D, z->hidden, true, "blocks.%d.mlp.W_out", l);
    import_take_if(p, "biases", m->dense[1].b, z->D, 0, false, "blocks.%d.mlp.b_out", l);
}

static void fill_lens(import *p)
{
    static const char *const buffers[] = {".attn.mask", ".attn.IGNORE", ".attn.rotary_sin",
                                          ".attn.rotary_cos", ".attn.alibi"};
    const import_shape *z = &p->z;
    at_model *m = p->m;
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        foreign_pass(&p->f, buffers[k]);
    import_take(p, m->fields[0].embed.tensor, z->vocab, z->D, false, "embed.W_E");
    if (z->table)
        import_take(p, m->pos[0].embed.tensor, z->table, z->D, false, "pos_embed.W_pos");
    for (int l = 0; l < z->layers && !p->status; l++)
        layer_fill(p, l);
    norm_fill(p, m->readout.norm_g, m->readout.norm_b, "ln_final", !z->final_rms);
    import_take(p, m->readout.w, z->out, z->D, true, "unembed.W_U");
    /* Without others it may be there, but not the other way round. */
    const char *with = z->bias ? "biases" : "readout";
    import_take_if(p, with, m->readout.b, z->out, 0, false, "unembed.b_U");
}

const import_layout layout_lens = {"transformerlens", "TransformerLens", is_lens, shape_lens, fill_lens};
