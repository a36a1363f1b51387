/* layout_tracr.c: programs that tracr compiled, their Haiku parameters saved under their names.
 *
 *     token_embed/embeddings (V, D)   pos_embed/embeddings (n, D)
 *     transformer/layer_<l>/attn/query, key, value /{w (D, H dk), b (H dk)}   attn/linear/{w (H dk, D), b (D)}
 *     transformer/layer_<l>/mlp/linear_1/{w (D, U), b}   linear_2/{w (U, D), b}
 *
 * No norms; scores over sqrt(key_size); attention sees every position unless `causal`. There is no matrix to read out: a tracr model
 * reads coordinates of its stream. The configuration names them all (residual_labels) and says which are read: `output`, the name
 * before the colon. Those are the rows, in order, and argmax of them the answer: its number is the value's place in the basis. The
 * labels become the model's subspaces, so that `attest show` and `look` know where each variable of the program lives. */
#include "foreign.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_tracr(const foreign *f)
{
    return foreign_has(f, "token_embed/embeddings");
}

/* Is coordinate k one of the output? */
static bool read_out(const json_t *labels, size_t k, const char *output)
{
    const char *label = json_string_value(json_array_get(labels, k));
    size_t n = strlen(output);
    return label && !strncmp(label, output, n) && (label[n] == ':' || !label[n]);
}

static void output_read(import *p)
{
    import_shape *z = &p->z;
    json_t *labels = config_get(&p->c, "residual_labels");
    const char *output = config_text(&p->c, "output", NULL);
    if (p->status || p->c.status)
        return;
    if (!output || !json_is_array(labels) || json_array_size(labels) != (size_t)z->D) {
        import_fail(p, AT_EINPUT,
                    "residual_labels (%d strings) and output (the name before the colon) say what is read; "
                    "one is missing",
                    z->D);
        return;
    }
    z->out = 0;
    for (size_t k = 0; k < (size_t)z->D; k++)
        z->out += read_out(labels, k, output);
    if (!z->out)
        import_fail(p, AT_EINPUT, "output \"%.60s\": no label of residual_labels begins with it and a colon",
                    output);
}

static void shape_tracr(import *p)
{
    import_shape *z = &p->z;
    import_config *c = &p->c;
    const foreign_tensor *token = foreign_find(&p->f, "token_embed/embeddings"),
                         *place = foreign_find(&p->f, "pos_embed/embeddings");
    if (!token || !place || token->rank != 2 || place->rank != 2 || token->shape[0] < 1 ||
        token->shape[0] > AT_MAX_ROWS || token->shape[1] < 1 || token->shape[1] > AT_MAX_WIDTH ||
        place->shape[0] < 1 || place->shape[0] > AT_MAX_LENGTH) {
        import_fail(p, AT_EINPUT, "tensors token_embed/embeddings and pos_embed/embeddings must be matrices");
        return;
    }
    z->vocab = (int)token->shape[0];
    z->out_of = "output";
    z->vocab_of = "token_embed/embeddings";
    z->D = (int)token->shape[1];
    z->length = z->table = (int)place->shape[0];
    z->layers = config_int(c, "num_layers", -1, 1, AT_MAX_BLOCKS / 2);
    z->heads = config_int(c, "num_heads", -1, 1, AT_MAX_WIDTH);
    z->dk = config_int(c, "key_size", -1, 1, AT_MAX_WIDTH);
    z->hidden = config_int(c, "mlp_hidden_size", -1, 1, AT_MAX_WIDTH);
    z->causal = config_bool(c, "causal", false);
    const char *act = config_text(c, "activation_function", "relu");
    z->act = import_act(p, "activation_function",
                        !strcmp(act, "gelu") ? "gelu_new" : act); /* jax.nn.gelu is by tanh */
    config_must(c, "layer_norm", false);
    z->every = true;
    z->bias = true;
    z->scale = 1 / sqrt(z->dk);
    output_read(p);
    p->status = p->status ? p->status : c->status;
}

static void layer_fill(import *p, int l)
{
    static const char *const what[] = {"query", "key", "value"};
    const import_shape *z = &p->z;
    const at_group *g = &import_attention(p, l)->groups[0];
    const at_block *m = import_mlp(p, l);
    int K = z->heads * z->dk, ids[] = {g->q, g->k, g->v}, biases[] = {g->qb, g->kb, g->vb};
    for (int k = 0; k < 3; k++) {
        import_take(p, ids[k], K, z->D, true, "transformer/layer_%d/attn/%s/w", l, what[k]);
        import_take_if(p, "biases", biases[k], K, 0, false, "transformer/layer_%d/attn/%s/b", l, what[k]);
    }
    import_take(p, g->o, z->D, K, true, "transformer/layer_%d/attn/linear/w", l);
    import_take_if(p, "biases", g->ob, z->D, 0, false, "transformer/layer_%d/attn/linear/b", l);
    import_take(p, m->dense[0].w, z->hidden, z->D, true, "transformer/layer_%d/mlp/linear_1/w", l);
    import_take_if(p, "biases", m->dense[0].b, z->hidden, 0, false, "transformer/layer_%d/mlp/linear_1/b", l);
    import_take(p, m->dense[1].w, z->D, z->hidden, true, "transformer/layer_%d/mlp/linear_2/w", l);
    import_take_if(p, "biases", m->dense[1].b, z->D, 0, false, "transformer/layer_%d/mlp/linear_2/b", l);
}

/* A one at the coordinate of each row; every label a subspace. */
static void labels_fill(import *p)
{
    at_model *m = p->m;
    const json_t *labels = json_object_get(p->c.o, "residual_labels");
    const char *output = json_string_value(json_object_get(p->c.o, "output"));
    double *w = at_model_data(m, m->readout.w);
    at_subspace *s = at_new(&m->arena, at_subspace, p->z.D);
    if (!s) {
        p->status = at_oom(p->err);
        return;
    }
    for (size_t k = 0, row = 0; k < (size_t)p->z.D; k++) {
        const char *label = json_string_value(json_array_get(labels, k));
        size_t n = label ? strlen(label) : 0;
        while (n > AT_NAME_MAX || (n && !model_utf8(label, n)))
            n--;
        s[k] = (at_subspace){.col = (int)k, .width = 1};
        if (n)
            memcpy(s[k].name, label, n);
        if (read_out(labels, k, output))
            w[row++ * (size_t)p->z.D + k] = 1;
    }
    m->subspaces = s;
    m->n_subspaces = p->z.D;
}

static void fill_tracr(import *p)
{
    const import_shape *z = &p->z;
    at_model *m = p->m;
    import_take(p, m->fields[0].embed.tensor, z->vocab, z->D, false, "token_embed/embeddings");
    import_take(p, m->pos[0].embed.tensor, z->table, z->D, false, "pos_embed/embeddings");
    for (int l = 0; l < z->layers && !p->status; l++)
        layer_fill(p, l);
    if (!p->status)
        labels_fill(p);
}

const import_layout layout_tracr = {"tracr", "tracr, Haiku parameters", is_tracr, shape_tracr, fill_tracr};
