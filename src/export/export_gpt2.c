/* export_gpt2.c: weights as GPT-2 names them, where the model has its shape.
 *
 *     GPT2LMHeadModel.from_pretrained("folder")
 *
 * That shape: a plain transformer (stack.h) with causal attention, norms before all blocks and before the readout, heads whose widths
 * add up to D at most, one output a token, no bias of the readout, no hidden rows. c_attn is (D, 3D): queries, keys and
 * values of all heads, inputs in rows; GPT-2 divides scores by sqrt(D/H), so the queries hold scale sqrt(D/H). */
#include "stack.h"

#include <math.h>
#include <stdio.h>

static at_status gpt2_fits(stack *s)
{
    const at_model *m = s->m;
    const double *b = at_model_data(m, m->readout.b);
    int D = m->width;
    const char *what = NULL;
    if (!s->norms || !m->n_blocks)
        what = "blocks without a norm before them";
    else if (!s->causal && s->n_layers)
        what = "attention that is not causal";
    else if (m->n_prefix || m->n_suffix)
        what = "hidden rows";
    else if (m->readout.rows != s->tokens)
        what = "other outputs than one a token";
    for (int k = 0; k < m->readout.rows && !what; k++)
        if (b[k] != 0)
            what = "a bias of the readout";
    if (what)
        return at_fail(s->err, AT_EREFUSED, "gpt2 has no place for %s", what);
    if (D % s->heads || D / s->heads < s->dh)
        return at_fail(s->err, AT_EREFUSED,
                       "gpt2 has heads of width D/H: %d heads of width %d do not fit into D = %d", s->heads,
                       s->dh, D);
    s->dh = D / s->heads;
    return AT_OK;
}

/* Third `part` of c_attn (D, 3D) and its bias. */
static void third(const stack *s, int layer, int part, double *w, double *bias)
{
    const at_model *m = s->m;
    size_t D = (size_t)m->width;
    for (int h = 0; h < s->heads && w && bias; h++) {
        stack_head at;
        if (!stack_head_find(s, layer, h, &at))
            continue;
        const at_group *g = at.g;
        const int ids[] = {g->q, g->k, g->v}, biases[] = {g->qb, g->kb, g->vb};
        int d = part == 2 ? g->dv : g->dk;
        double scale = part == 0 ? g->scale * sqrt((double)s->dh) : 1;
        const double *from = at_model_data(m, ids[part]), *b = at_model_data(m, biases[part]);
        for (int e = 0; e < d; e++) {
            size_t row = (size_t)(at.h * d + e), column = (size_t)part * D + (size_t)(h * s->dh + e);
            for (size_t k = 0; k < D; k++)
                w[k * 3 * D + column] = scale * from[row * D + k];
            bias[column] = b ? scale * b[row] : 0;
        }
    }
}

/* c_proj (D, D): inputs are the heads side by side. */
static void projection(const stack *s, int layer, double *to)
{
    size_t D = (size_t)s->m->width;
    for (int h = 0; h < s->heads && to; h++) {
        stack_head at;
        if (!stack_head_find(s, layer, h, &at))
            continue;
        const double *o = at_model_data(s->m, at.g->o);
        size_t columns = (size_t)at.g->heads * (size_t)at.g->dv;
        for (int e = 0; e < at.g->dv; e++)
            for (size_t k = 0; k < D; k++)
                to[(size_t)(h * s->dh + e) * D + k] = o[k * columns + (size_t)(at.h * at.g->dv + e)];
    }
}

static void layer_add(stack *s, int l)
{
    const at_model *m = s->m;
    int D = m->width, M = s->hidden ? s->hidden : 1;
    const stack_layer *at = &s->layers[l];
    double *g = stack_tensor(s, "transformer.h.%d.ln_1.weight", l, D, 0, 0);
    stack_norm(s, at->attention, g, stack_tensor(s, "transformer.h.%d.ln_1.bias", l, D, 0, 0));
    double *w = stack_tensor(s, "transformer.h.%d.attn.c_attn.weight", l, D, 3 * D, 0),
           *b = stack_tensor(s, "transformer.h.%d.attn.c_attn.bias", l, 3 * D, 0, 0);
    for (int part = 0; part < 3; part++)
        third(s, l, part, w, b);
    projection(s, l, stack_tensor(s, "transformer.h.%d.attn.c_proj.weight", l, D, D, 0));
    stack_out_bias(s, l, stack_tensor(s, "transformer.h.%d.attn.c_proj.bias", l, D, 0, 0));
    g = stack_tensor(s, "transformer.h.%d.ln_2.weight", l, D, 0, 0);
    stack_norm(s, at->mlp, g, stack_tensor(s, "transformer.h.%d.ln_2.bias", l, D, 0, 0));
    double *in = stack_tensor(s, "transformer.h.%d.mlp.c_fc.weight", l, D, M, 0),
           *in_b = stack_tensor(s, "transformer.h.%d.mlp.c_fc.bias", l, M, 0, 0);
    double *out = stack_tensor(s, "transformer.h.%d.mlp.c_proj.weight", l, M, D, 0),
           *out_b = stack_tensor(s, "transformer.h.%d.mlp.c_proj.bias", l, D, 0, 0);
    if (at->mlp < 0 || s->oom)
        return;
    const at_dense *dense = m->blocks[at->mlp].dense;
    const double *first = at_model_data(m, dense[0].w), *first_b = at_model_data(m, dense[0].b),
                 *second = at_model_data(m, dense[1].w), *second_b = at_model_data(m, dense[1].b);
    for (int r = 0; r < dense[0].rows; r++) {
        in_b[r] = first_b[r];
        for (int k = 0; k < D; k++) {
            in[(size_t)k * (size_t)M + (size_t)r] = first[(size_t)r * (size_t)D + (size_t)k];
            out[(size_t)r * (size_t)D + (size_t)k] = second[(size_t)k * (size_t)dense[0].rows + (size_t)r];
        }
    }
    for (int k = 0; k < D; k++)
        out_b[k] = second_b[k];
}

static void config_print(const stack *s, at_text *t)
{
    char eps[32], end[16] = "null"; /* without a word GPT-2 stops at 50256 */
    const at_decode *d = &s->m->decode;
    if (d->enabled && d->stop == AT_STOP_EQUALS)
        snprintf(end, sizeof end, "%d", (int)d->value);
    at_text_addf(
        t,
        "{\"architectures\": [\"GPT2LMHeadModel\"], \"model_type\": \"gpt2\",\n"
        " \"n_layer\": %d, \"n_embd\": %d, \"n_head\": %d, \"n_positions\": %d, \"n_ctx\": %d, \"n_inner\": "
        "%d,\n"
        " \"vocab_size\": %d, \"activation_function\": \"%s\", \"layer_norm_epsilon\": %s,\n"
        " \"eos_token_id\": %s, \"tie_word_embeddings\": %s, \"attn_pdrop\": 0.0, \"embd_pdrop\": 0.0, "
        "\"resid_pdrop\": 0.0,\n"
        " \"torch_dtype\": \"%s\"}\n",
        s->n_layers, s->m->width, s->heads, s->rows, s->rows, s->hidden ? s->hidden : 1, s->tokens,
        stack_act(s), at_number_exact(eps, s->eps), end, s->m->readout.tied ? "true" : "false",
        s->m->f32 ? "float32" : "float64");
}

at_status export_gpt2(const at_model *m, const at_export_as *as, export_files *out, at_err *err)
{
    (void)as;
    at_arena arena;
    at_text config;
    at_arena_init(&arena);
    at_text_init(&config);
    stack s = {.m = m, .arena = &arena, .err = err, .format = "gpt2"};
    at_status st = stack_read(&s);
    if (!st)
        st = gpt2_fits(&s);
    if (!st) {
        int D = m->width;
        double *tokens = stack_tensor(&s, "transformer.wte.weight", 0, s.tokens, D, 0);
        stack_embed(&s, tokens, stack_tensor(&s, "transformer.wpe.weight", 0, s.rows, D, 0));
        for (int l = 0; l < s.n_layers; l++)
            layer_add(&s, l);
        double *g = stack_tensor(&s, "transformer.ln_f.weight", 0, D, 0, 0),
               *b = stack_tensor(&s, "transformer.ln_f.bias", 0, D, 0, 0),
               *u = m->readout.tied ? NULL : stack_tensor(&s, "lm_head.weight", 0, s.tokens, D, 0);
        for (int k = 0; k < D && !s.oom; k++)
            g[k] = at_model_data(m, m->readout.norm_g)[k], b[k] = at_model_data(m, m->readout.norm_b)[k];
        for (size_t k = 0; u && k < (size_t)s.tokens * (size_t)D && !s.oom; k++)
            u[k] = at_model_data(m, m->readout.w)[k];
        config_print(&s, &config);
        st = stack_write(&s, &config, out);
    }
    at_text_release(&config);
    at_arena_release(&arena);
    return st;
}
