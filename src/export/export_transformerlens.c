/* export_transformerlens.c: weights as TransformerLens names them, with the settings of its HookedTransformer.
 *
 *     cfg = HookedTransformerConfig(**json.load(open("config.json")), dtype=torch.float64)
 *     m = HookedTransformer(cfg); m.load_state_dict(safetensors.torch.load_file("model.safetensors"), strict=False)
 *
 * W_Q, W_K, W_V (H, D, d), W_O (H, d, D), W_in (D, M), W_out (M, D), W_E (V, D), W_pos (T, D), W_U (D, R). The model's scale
 * is multiplied into W_Q and b_Q, and TransformerLens is told to use none of its own. not strict: masks are made, not stored. Hidden rows of
 * the model are tokens after the field's (metadata hidden_tokens), to be written before and after the input. */
#include "stack.h"

/* to (H, D, d) and bias (H, d) = the head's rows of w (heads*d', D) and b */
static void into(const stack *s, int layer, double *to, double *bias, char part)
{
    const at_model *m = s->m;
    int D = m->width, from = s->layers[layer].attention < 0 ? 0 : s->columns[s->layers[layer].attention].from;
    for (int h = 0; h < s->heads && to && bias; h++) {
        stack_head at;
        if (!stack_head_find(s, layer, h, &at))
            continue;
        const at_group *g = at.g;
        int d = part == 'v' ? g->dv : g->dk;
        double scale = part == 'q' ? g->scale : 1;
        const double *w = at_model_data(m, part == 'q' ? g->q : part == 'k' ? g->k : g->v);
        const double *b = at_model_data(m, part == 'q' ? g->qb : part == 'k' ? g->kb : g->vb);
        for (int e = 0; e < d; e++) {
            size_t row = (size_t)(at.h * d + e);
            for (int k = 0; k < D; k++)
                to[((size_t)h * (size_t)s->width + (size_t)(from + k)) * (size_t)s->dh + (size_t)e] =
                    scale * w[row * (size_t)D + (size_t)k];
            bias[h * s->dh + e] = b ? scale * b[row] : 0;
        }
    }
}

static void outof(const stack *s, int layer, double *to)
{
    int D = s->m->width,
        at_to = s->layers[layer].attention < 0 ? 0 : s->columns[s->layers[layer].attention].to;
    for (int h = 0; h < s->heads && to; h++) {
        stack_head at;
        if (!stack_head_find(s, layer, h, &at))
            continue;
        const double *o = at_model_data(s->m, at.g->o);
        size_t columns = (size_t)at.g->heads * (size_t)at.g->dv;
        for (int e = 0; e < at.g->dv; e++)
            for (int k = 0; k < D; k++)
                to[((size_t)h * (size_t)s->dh + (size_t)e) * (size_t)s->width + (size_t)(at_to + k)] =
                    o[(size_t)k * columns + (size_t)(at.h * at.g->dv + e)];
    }
}

/* to (columns, most) = w' of w (rows, columns), rows <= most */
static void turned(const double *w, int rows, int columns, int most, double *to)
{
    for (int r = 0; r < rows && to; r++)
        for (int k = 0; k < columns; k++)
            to[(size_t)k * (size_t)most + (size_t)r] = w[(size_t)r * (size_t)columns + (size_t)k];
}

static void copied(const double *from, int n, double *to)
{
    for (int k = 0; k < n && to; k++)
        to[k] = from[k];
}

static void layer_add(stack *s, int l)
{
    const at_model *m = s->m;
    int D = m->width, W = s->width, H = s->heads, d = s->dh, M = s->hidden;
    static const char *const names[] = {"blocks.%d.attn.W_Q", "blocks.%d.attn.W_K", "blocks.%d.attn.W_V",
                                        "blocks.%d.attn.b_Q", "blocks.%d.attn.b_K", "blocks.%d.attn.b_V"};
    for (int k = 0; k < 3; k++) {
        double *w = stack_tensor(s, names[k], l, H, W, d), *b = stack_tensor(s, names[k + 3], l, H, d, 0);
        into(s, l, w, b, "qkv"[k]);
    }
    outof(s, l, stack_tensor(s, "blocks.%d.attn.W_O", l, H, d, W));
    stack_out_bias(s, l, stack_tensor(s, "blocks.%d.attn.b_O", l, W, 0, 0));
    const stack_layer *at = &s->layers[l];
    if (s->norms) {
        double *g = stack_tensor(s, "blocks.%d.ln1.w", l, D, 0, 0);
        stack_norm(s, at->attention, g, stack_tensor(s, "blocks.%d.ln1.b", l, D, 0, 0));
    }
    if (!M)
        return;
    if (s->norms) {
        double *g = stack_tensor(s, "blocks.%d.ln2.w", l, D, 0, 0);
        stack_norm(s, at->mlp, g, stack_tensor(s, "blocks.%d.ln2.b", l, D, 0, 0));
    }
    double *in = stack_tensor(s, "blocks.%d.mlp.W_in", l, W, M, 0),
           *in_b = stack_tensor(s, "blocks.%d.mlp.b_in", l, M, 0, 0);
    double *out = stack_tensor(s, "blocks.%d.mlp.W_out", l, M, W, 0),
           *out_b = stack_tensor(s, "blocks.%d.mlp.b_out", l, W, 0, 0);
    if (at->mlp < 0)
        return;
    const at_dense *dense = m->blocks[at->mlp].dense;
    const stack_columns *c = &s->columns[at->mlp];
    if (s->oom)
        return;
    turned(at_model_data(m, dense[0].w), dense[0].rows, D, M, in + (size_t)c->from * (size_t)M);
    copied(at_model_data(m, dense[0].b), dense[0].rows, in_b);
    turned(at_model_data(m, dense[1].w), D, dense[0].rows, W, out + c->to);
    copied(at_model_data(m, dense[1].b), D, out_b + c->to);
}

static void config_print(const stack *s, at_text *t)
{
    char eps[32];
    at_text_addf(
        t,
        "{\"n_layers\": %d, \"d_model\": %d, \"n_ctx\": %d, \"d_head\": %d, \"n_heads\": %d, \"d_mlp\": %d,\n"
        " \"d_vocab\": %d, \"d_vocab_out\": %d, \"act_fn\": \"%s\", \"attn_only\": %s,\n"
        " \"attention_dir\": \"%s\", \"normalization_type\": %s, \"eps\": %s,\n"
        " \"use_attn_scale\": false, \"positional_embedding_type\": \"standard\"}\n",
        s->n_layers, s->width, s->rows, s->dh, s->heads, s->hidden, s->tokens, s->m->readout.rows,
        stack_act(s), s->hidden ? "false" : "true", s->causal ? "causal" : "bidirectional",
        s->norms ? "\"LN\"" : "null", at_number_exact(eps, s->norms ? s->eps : 1e-5));
}

at_status export_transformerlens(const at_model *m, const at_export_as *as, export_files *out, at_err *err)
{
    (void)as;
    at_arena arena;
    at_text config;
    at_arena_init(&arena);
    at_text_init(&config);
    stack s = {.m = m, .arena = &arena, .err = err, .format = "transformerlens"};
    at_status st = stack_read(&s);
    if (!st) {
        int D = m->width, R = m->readout.rows;
        double *tokens = stack_tensor(&s, "embed.W_E", 0, s.tokens, s.width, 0);
        stack_embed(&s, tokens, stack_tensor(&s, "pos_embed.W_pos", 0, s.rows, s.width, 0));
        for (int l = 0; l < s.n_layers; l++)
            layer_add(&s, l);
        if (s.norms) {
            copied(at_model_data(m, m->readout.norm_g), D, stack_tensor(&s, "ln_final.w", 0, D, 0, 0));
            copied(at_model_data(m, m->readout.norm_b), D, stack_tensor(&s, "ln_final.b", 0, D, 0, 0));
        }
        double *u = stack_tensor(&s, "unembed.W_U", 0, s.width, R, 0);
        turned(at_model_data(m, m->readout.w), R, D, R, u ? u + (size_t)s.end * (size_t)R : NULL);
        copied(at_model_data(m, m->readout.b), R, stack_tensor(&s, "unembed.b_U", 0, R, 0, 0));
        config_print(&s, &config);
        st = stack_write(&s, &config, out);
    }
    at_text_release(&config);
    at_arena_release(&arena);
    return st;
}
