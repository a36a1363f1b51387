/* export_torch.c: a module in Python that PyTorch runs, and its weights; neither needs attest.
 *
 * The module is straight-line code, a few lines a block, written for reading: tensors have the names of the model file with dots as
 * underscores, heads and coordinates are named in comments, and functions stand there only where they are called
 * (torch_parts.inc). model.safetensors beside it is at the same time a model file of attest, with all matrices dense. */
#include "export_internal.h"

#include <stdio.h>
#include <string.h>

#define PART(id, text) NEED_##id,
enum {
#include "torch_parts.inc"
    NEEDS
};
#define PART(id, text) [NEED_##id] = text,
static const char *const functions[NEEDS] = {
#include "torch_parts.inc"
};

typedef struct {
    const at_model *m;
    at_text *t; /* the class */
    bool need[NEEDS];
} module;

/* A number as Python reads it back. */
static const char *number(char out[32], double v)
{
    return at_number_exact(out, v);
}

static void tensor(module *c, int id)
{
    at_text_add(c->t, "self.");
    for (const char *s = c->m->tensors[id].name; *s; s++)
        at_text_addn(c->t, *s == '.' ? "_" : s, 1);
}

/* x W' + b */
static void affine(module *c, const char *x, int w, int b)
{
    at_text_addf(c->t, "%s @ ", x);
    tensor(c, w);
    at_text_add(c->t, ".T");
    if (b >= 0) {
        at_text_add(c->t, " + ");
        tensor(c, b);
    }
}

static void normed(module *c, const char *to, const char *x, double eps, int gain, int bias)
{
    char n[32];
    c->need[NEED_NORM] = true;
    at_text_addf(c->t, "        %s = norm(%s, ", to, x);
    tensor(c, gain);
    at_text_add(c->t, ", ");
    tensor(c, bias);
    at_text_addf(c->t, ", %s)\n", number(n, eps));
}

/* ---- the embedding -------------------------------------------------------------------------------------------- */

static void adds(module *c, const at_embed *e, const char *rows)
{
    at_text_addf(c->t, "        res[:, %s, %d:%d] += ", rows, e->col, e->col + e->width);
}

static void field(module *c, int k)
{
    const at_field *f = &c->m->fields[k];
    char name[EXPORT_NAME], rows[64];
    export_field_name(c->m, k, name);
    snprintf(rows, sizeof rows, "%d:%d + n", c->m->n_prefix, c->m->n_prefix);
    adds(c, &f->embed, rows);
    if (f->kind == AT_FIELD_TOKEN || f->kind == AT_FIELD_SUBSET) {
        tensor(c, f->embed.tensor);
        if (f->kind == AT_FIELD_TOKEN)
            at_text_addf(c->t, "[%s]\n", name);
        else
            at_text_addf(c->t, "[rank(%s, %d)]\n", name, f->size);
        c->need[NEED_SUBSET] = c->need[NEED_SUBSET] || f->kind == AT_FIELD_SUBSET;
        return;
    }
    at_text_addf(c->t, "%s.to(REAL) @ ", name);
    tensor(c, f->embed.tensor);
    at_text_add(c->t, "\n");
}

/* What each feature is in Python, of the indices i and the number of positions T; by row of the table of parts. */
static const char *const features[AT_POS_KINDS] = {
    [AT_POS_I] = "i[:, None]",
    [AT_POS_I2] = "(i * i)[:, None]",
    [AT_POS_INV_I] = "(1 / i)[:, None]",
    [AT_POS_INV_I2] = "(1 / (i * i))[:, None]",
    [AT_POS_I_OVER_N] = "(i / T)[:, None]",
    [AT_POS_I_OVER_N3] = "(i / T ** 3)[:, None]",
    [AT_POS_N] = "torch.full_like(i, T)[:, None]",
    [AT_POS_ALTERNATE] = "(1 - 2 * (i % 2))[:, None]",
};

static at_status position(module *c, int k, at_err *err)
{
    const at_pos *p = &c->m->pos[k];
    adds(c, &p->embed, ":");
    if (at_pos_is(p->kind, AT_IS_ROWS)) {
        tensor(c, p->embed.tensor);
        at_text_add(c->t, "[:T]\n");
        return AT_OK;
    }
    if (at_pos_is(p->kind, AT_IS_SIZED)) {
        c->need[NEED_SINUSOIDAL] = true;
        at_text_addf(c->t, "sinusoidal(i, %d)", p->size);
    } else if (at_pos_is(p->kind, AT_IS_SHIFTED))
        at_text_addf(c->t, "torch.sqrt(torch.stack([1 / (i + %d), (i + %d) / (i + %d)], 1))", p->shift,
                     p->shift - 1, p->shift);
    else if (features[p->kind])
        at_text_add(c->t, features[p->kind]);
    else
        return at_fail(err, AT_EREFUSED, "the position feature %s has no words in torch",
                       at_pos_names[p->kind]);
    at_text_add(c->t, ".to(REAL) @ ");
    tensor(c, p->embed.tensor);
    at_text_add(c->t, "\n");
    return AT_OK;
}

static void hidden(module *c, const at_embed *e, const char *rows)
{
    adds(c, e, rows);
    tensor(c, e->tensor);
    at_text_add(c->t, "\n");
}

static at_status embedding(module *c, at_err *err)
{
    const at_model *m = c->m;
    char first[EXPORT_NAME], rows[64];
    at_status s = AT_OK;
    export_field_name(m, 0, first);
    at_text_addf(c->t,
                 "        n = %s.shape[1]\n"
                 "        T = %d + n + %d  # positions: hidden ones before and after the input count\n"
                 "        res = torch.zeros(%s.shape[0], T, %d, dtype=REAL)\n"
                 "        i = torch.arange(T, dtype=torch.float64) + %d\n",
                 first, m->n_prefix, m->n_suffix, first, m->width, m->pos_origin);
    for (int k = 0; k < m->n_fields; k++)
        field(c, k);
    snprintf(rows, sizeof rows, ":%d", m->n_prefix);
    if (m->n_prefix)
        hidden(c, &m->prefix, rows);
    snprintf(rows, sizeof rows, "%d + n:", m->n_prefix);
    if (m->n_suffix)
        hidden(c, &m->suffix, rows);
    for (int k = 0; k < m->n_pos && !s; k++)
        s = position(c, k, err);
    return s;
}

/* ---- attention ------------------------------------------------------------------------------------------------- */

static at_status mask(module *c, const at_mask *k, at_err *err)
{
    at_text_add(c->t, "        allowed = ");
    if (at_mask_is(k->kind, AT_IS_ALL))
        at_text_add(c->t, "(j >= 0) & (t >= 0)\n");
    else if (at_mask_is(k->kind, AT_IS_BLOCKS))
        at_text_addf(c->t, "(j <= t) & ((j > t - %jd) | (j %% %d >= %d))\n", (intmax_t)k->windows * k->block,
                     k->block, k->block - k->ends);
    else if (at_mask_is(k->kind, AT_IS_PAST | AT_IS_FUTURE))
        at_text_addf(c->t, "j %s%s t\n", at_mask_is(k->kind, AT_IS_PAST) ? "<" : ">",
                     at_mask_is(k->kind, AT_IS_STRICT) ? "" : "=");
    else
        return at_fail(err, AT_EREFUSED, "the mask %s has no words in torch", at_mask_names[k->kind]);
    return AT_OK;
}

static void projected(module *c, const char *to, int heads, int w, int b)
{
    at_text_addf(c->t, "        %s = heads(", to);
    affine(c, "y", w, b);
    at_text_addf(c->t, ", %d)\n", heads);
}

/* scale and post around the products */
static at_status scored(module *c, const at_group *g, const char *products, at_err *err)
{
    char n[32];
    static const char *const posts[AT_POSTS] = {
        [AT_POST_ID] = "", [AT_POST_NEG_RELU] = "-torch.relu", [AT_POST_NEG_ABS] = "-torch.abs"};
    const char *post = posts[g->post];
    if (!post)
        return at_fail(err, AT_EREFUSED, "the post %s has no words in torch", at_post_names[g->post]);
    at_text_addf(c->t, "        s = %s(", post);
    if (g->scale != 1)
        at_text_addf(c->t, "%s * ", number(n, g->scale));
    at_text_addf(c->t, "(%s))\n", products);
    return AT_OK;
}

static at_status hard(module *c, const at_group *g)
{
    int kind = !at_weighting_is(g->weighting, AT_IS_ONE)   ? NEED_AVERAGE
               : at_weighting_is(g->weighting, AT_IS_LAST) ? NEED_RIGHTMOST
                                                           : NEED_LEFTMOST;
    char n[32];
    c->need[NEED_HARD] = c->need[kind] = true;
    at_text_addf(c->t, "        w = %s(tied(s, allowed, %s))\n",
                 kind == NEED_AVERAGE     ? "average"
                 : kind == NEED_RIGHTMOST ? "rightmost"
                                          : "leftmost",
                 number(n, g->tie));
    return AT_OK;
}

static at_status weighted(module *c, const at_group *g, at_err *err)
{
    unsigned is = at_weighting_parts[g->weighting].is;
    if (is & AT_IS_PHI) {
        c->need[NEED_LINEAR] = true;
        at_text_add(c->t, "        w = linear(q, k, allowed)\n");
        return AT_OK;
    }
    at_status s = scored(
        c, g, is & AT_IS_PAIRS ? "torch.einsum(\"bhie,bhje,bhle->bhijl\", q, k, k2)" : "q @ k.mT", err);
    if (s)
        return s;
    if (is & AT_IS_TIED)
        return hard(c, g);
    if (!(is & (AT_IS_EXP | AT_IS_LEVEL)))
        return at_fail(err, AT_EREFUSED, "the weighting %s has no words in torch",
                       at_weighting_names[g->weighting]);
    bool pairs = is & AT_IS_PAIRS, level = is & AT_IS_LEVEL;
    c->need[NEED_SOFTMAX] = c->need[NEED_SOFTMAX] || !level;
    c->need[NEED_PAIRS] = c->need[NEED_PAIRS] || pairs;
    c->need[NEED_SPARSEMAX] = c->need[NEED_SPARSEMAX] || level;
    at_text_addf(c->t, "        w = %s(s, allowed)\n",
                 level   ? "sparsemax"
                 : pairs ? "softmax_pairs"
                         : "softmax");
    return AT_OK;
}

static at_status group(module *c, int b, int k, at_err *err)
{
    const at_group *g = &c->m->blocks[b].groups[k];
    int layer, first;
    bool pairs = at_weighting_is(g->weighting, AT_IS_PAIRS);
    at_head_number(c->m, b, k, 0, &layer, &first);
    at_text_addf(c->t, "        # layer %d, head%s %d", layer, g->heads > 1 ? "s" : "", first);
    if (g->heads > 1)
        at_text_addf(c->t, "..%d", first + g->heads - 1);
    at_text_addf(c->t, " (%s, mask %s)%s", at_weighting_names[g->weighting], at_mask_names[g->mask.kind],
                 g->name ? ": " : "");
    at_text_add_plain(c->t, g->name ? g->name : "");
    at_text_add(c->t, "\n");
    at_status s = mask(c, &g->mask, err);
    if (s)
        return s;
    c->need[NEED_HEADS] = true;
    projected(c, "q", g->heads, g->q, g->qb);
    projected(c, "k", g->heads, g->k, g->kb);
    projected(c, "v", g->heads, g->v, g->vb);
    if (pairs) {
        projected(c, "k2", g->heads, g->k2, g->k2b);
        projected(c, "v2", g->heads, g->v2, g->v2b);
    }
    s = weighted(c, g, err);
    at_text_addf(c->t, "        r = %s", k ? "r + " : "");
    affine(c, pairs ? "joined(torch.einsum(\"bhijl,bhjd,bhld->bhid\", w, v, v2))" : "joined(w @ v)", g->o,
           g->ob);
    at_text_add(c->t, "\n");
    return s;
}

/* ---- the other blocks -------------------------------------------------------------------------------------------- */

/* What stands before an argument, and behind it. */
static const char *act_of(at_act act, const char **end)
{
    *end = ")";
    switch (act) {
    case AT_ACT_RELU:
        return "torch.relu(";
    case AT_ACT_GELU_TANH:
        *end = ", approximate=\"tanh\")";
        return "torch.nn.functional.gelu(";
    case AT_ACT_GELU:
        return "torch.nn.functional.gelu(";
    case AT_ACT_SILU:
        return "torch.nn.functional.silu(";
    }
    return "(";
}

static void dense(module *c, const at_block *b)
{
    bool flat = b->kind == AT_BLOCK_FLATTEN;
    at_text_addf(c->t, "        r = y%s\n", flat ? ".flatten(1)" : "");
    for (int l = 0; l < b->n_dense; l++) {
        const char *end = ")", *begin = l == b->n_dense - 1 ? "(" : act_of(b->act, &end);
        at_text_addf(c->t, "        r = %s", begin);
        affine(c, "r", b->dense[l].w, b->dense[l].b);
        at_text_addf(c->t, "%s\n", end);
    }
    if (flat)
        at_text_add(c->t, "        r = r.reshape(res.shape)\n");
}

static void recurrent(module *c, const at_rnn *r)
{
    bool gru = r->cell == AT_CELL_GRU;
    c->need[gru ? NEED_GRU : NEED_TANH] = true;
    at_text_add(c->t, "        a = ");
    affine(c, "y", r->w, r->b);
    at_text_addf(c->t,
                 "\n        states = [torch.zeros(res.shape[0], %d, dtype=REAL)]\n"
                 "        for p in range(T):\n"
                 "            states.append(%s(a[:, p], states[-1], ",
                 r->state, gru ? "gru_cell" : "tanh_cell");
    tensor(c, r->u);
    if (gru) {
        at_text_add(c->t, ", ");
        tensor(c, r->ub);
    }
    at_text_add(c->t, "))\n        r = ");
    affine(c, "torch.stack(states[1:], 1)", r->o, r->ob);
    at_text_add(c->t, "\n");
}

static at_status block(module *c, int i, at_err *err)
{
    const at_block *b = &c->m->blocks[i];
    at_status s = AT_OK;
    at_text_addf(c->t, "\n        # block %d: %s\n", i, at_block_names[b->kind]);
    if (b->norm == AT_NORM_PRE)
        normed(c, "y", "res", b->norm_eps, b->norm_g, b->norm_b);
    else
        at_text_add(c->t, "        y = res\n");
    for (int k = 0; b->kind == AT_BLOCK_ATTN && k < b->n_groups && !s; k++)
        s = group(c, i, k, err);
    if (at_block_dense(b))
        dense(c, b);
    else if (b->kind == AT_BLOCK_RNN)
        recurrent(c, &b->rnn);
    at_text_addf(c->t, "        res = %sr\n", b->residual ? "res + " : "");
    if (b->norm == AT_NORM_POST)
        normed(c, "res", "res", b->norm_eps, b->norm_g, b->norm_b);
    return s;
}

/* ---- the readout ---------------------------------------------------------------------------------------------------- */

static void readout(module *c)
{
    const at_readout *r = &c->m->readout;
    char n[32];
    at_text_add(
        c->t,
        "    def read(self, res):\n        \"\"\"Values (batch, rows, R) at rows of the stream.\"\"\"\n");
    if (r->final_norm)
        normed(c, "res", "res", r->norm_eps, r->norm_g, r->norm_b);
    at_text_add(c->t, "        values = ");
    affine(c, "res", r->w, r->b);
    at_text_addf(c->t, "\n        return %s\n\n",
                 r->kind == AT_READ_SOFTMAX ? "torch.softmax(values, -1)"
                 : r->kind == AT_READ_SPARSEMAX
                     ? "sparsemax(values, torch.ones_like(values, dtype=torch.bool))"
                     : "values");
    c->need[NEED_SPARSEMAX] = c->need[NEED_SPARSEMAX] || r->kind == AT_READ_SPARSEMAX;
    at_text_add(c->t, "    def decide(self, values):\n        return ");
    switch (r->kind) {
    case AT_READ_ARGMAX:
        at_text_add(c->t, "values.argmax(-1)\n");
        break;
    case AT_READ_SIGN:
    case AT_READ_THRESHOLD:
        at_text_addf(c->t, "(values > %s).long()\n", number(n, r->kind == AT_READ_SIGN ? 0 : r->threshold));
        break;
    case AT_READ_ROUND:
        at_text_add(c->t, "torch.round(values).long()  # half-way cases to the even one\n");
        break;
    case AT_READ_RAW:
    case AT_READ_SOFTMAX:
    case AT_READ_SPARSEMAX:
        at_text_add(c->t, "values\n");
        break;
    }
}

static void generation(module *c)
{
    const at_model *m = c->m;
    const at_decode *d = &m->decode;
    char n[32];
    at_text_addf(c->t,
                 "\n    @torch.no_grad()\n"
                 "    def generate(self, *prompt):\n"
                 "        \"\"\"The rows that follow a prompt, a tensor a field, (n) or (n, size). None: no "
                 "stop.\"\"\"\n"
                 "        fields, rows = [torch.as_tensor(p)[None] for p in prompt], []\n"
                 "        for step in range(1, min(%d, %d - fields[0].shape[1]) + 1):\n"
                 "            row = self.decide(self.read(self.stream(*fields)[:, -1:]))[0, 0]\n"
                 "            rows.append(row.tolist())\n",
                 d->max_steps, m->n_max);
    if (m->readout.kind == AT_READ_ARGMAX)
        at_text_add(c->t, "            fields = [torch.cat([fields[0], row.reshape(1, 1)], 1)]\n");
    else {
        at_text_add(c->t, "            parts = row.split([");
        for (int k = 0; k < m->n_fields; k++)
            at_text_addf(c->t, "%s%d", k ? ", " : "", m->fields[k].size);
        at_text_add(c->t, "])\n            fields = [torch.cat([f, p.reshape(1, 1, -1)], 1) for f, p in "
                          "zip(fields, parts)]\n");
    }
    if (d->stop == AT_STOP_EQUALS)
        at_text_addf(c->t, "            if row.flatten()[%d] == %s:\n", d->coordinate, number(n, d->value));
    else
        at_text_addf(c->t, "            if step == %d:\n", d->max_steps);
    at_text_add(c->t, "                return rows\n        return None\n");
}

/* ---- the module ----------------------------------------------------------------------------------------------------- */

static void arguments(module *c)
{
    for (int k = 0; k < c->m->n_fields; k++) {
        char name[EXPORT_NAME];
        export_field_name(c->m, k, name);
        at_text_addf(c->t, ", %s", name);
    }
}

static at_status class_print(module *c, at_err *err)
{
    const at_model *m = c->m;
    at_text_add(
        c->t,
        "class Model(torch.nn.Module):\n"
        "    def __init__(self, path=pathlib.Path(__file__).with_name(\"model.safetensors\")):\n"
        "        super().__init__()\n"
        "        for name, tensor in load(path).items():\n"
        "            self.register_parameter(name.replace(\".\", \"_\"), torch.nn.Parameter(tensor))\n\n"
        "    def stream(self");
    arguments(c);
    at_text_add(c->t, "):\n        \"\"\"The residual stream (batch, T, D) after the last block.\"\"\"\n");
    at_status s = embedding(c, err);
    at_text_add(c->t, "        t, j = torch.arange(T)[:, None], torch.arange(T)  # queries, keys\n");
    for (int b = 0; b < m->n_blocks && !s; b++)
        s = block(c, b, err);
    at_text_add(c->t, "        return res\n\n");
    readout(c);
    at_text_add(c->t, "\n    def forward(self");
    arguments(c);
    char first[EXPORT_NAME];
    export_field_name(m, 0, first);
    at_text_add(c->t, "):\n        res = self.stream(");
    for (int k = 0; k < m->n_fields; k++) {
        char name[EXPORT_NAME];
        export_field_name(m, k, name);
        at_text_addf(c->t, "%s%s", k ? ", " : "", name);
    }
    if (m->readout.last)
        at_text_add(c->t, ")\n        return self.read(res[:, -1:])\n");
    else
        at_text_addf(c->t, ")\n        return self.read(res[:, %d:%d + %s.shape[1]])\n", m->n_prefix,
                     m->n_prefix, first);
    if (m->decode.enabled)
        generation(c);
    return s;
}

static void head_print(const module *c, at_text *t)
{
    const at_model *m = c->m;
    at_text_add(t, "# ");
    at_text_add_plain(t, m->name);
    at_text_add(
        t, ": a model that attest wrote for PyTorch. It needs torch and model.safetensors beside it.\n#\n"
           "#     values = Model()(");
    for (int k = 0; k < m->n_fields; k++) {
        char name[EXPORT_NAME];
        export_field_name(m, k, name);
        at_text_addf(t, "%s%s", k ? ", " : "", name);
    }
    at_text_addf(t, ")     # (batch, %s, %d)\n#\n# Inputs, %d..%d rows:\n", m->readout.last ? "1" : "n",
                 m->readout.rows, m->n_min, m->n_max);
    for (int k = 0; k < m->n_fields; k++) {
        const at_field *f = &m->fields[k];
        char name[EXPORT_NAME], lo[32], hi[32];
        export_field_name(m, k, name);
        if (f->kind == AT_FIELD_TOKEN)
            at_text_addf(t, "#     %s (batch, n): tokens 0..%d\n", name, f->size - 1);
        else if (f->kind == AT_FIELD_SUBSET)
            at_text_addf(t, "#     %s (batch, n, %d): different integers 1..%d\n", name, f->pick, f->size);
        else
            at_text_addf(t, "#     %s (batch, n, %d): %s in %s..%s\n", name, f->size,
                         f->kind == AT_FIELD_INT ? "integers" : "reals", at_number_exact(lo, f->lo),
                         at_number_exact(hi, f->hi));
    }
    at_text_addf(t, "#\n# What lives where in the residual stream of width %d:\n", m->width);
    export_labels_print(m, "#     ", t);
    at_text_addf(t, "import json%s, pathlib, struct\nimport torch\n\nREAL = torch.%s\n%s",
                 c->need[NEED_SUBSET] ? ", math" : "", m->f32 ? "float32" : "float64",
                 c->need[NEED_SOFTMAX] || c->need[NEED_SPARSEMAX] || c->need[NEED_HARD]
                     ? m->f32 ? "BELOW = -3e38  # every score\n" : "BELOW = -1e300  # every score\n"
                     : "");
    at_text_add(t, "\n\ndef load(path):\n"
                   "    \"\"\"The tensors of a safetensors file, by their names.\"\"\"\n"
                   "    raw = pathlib.Path(path).read_bytes()\n"
                   "    data = 8 + struct.unpack(\"<Q\", raw[:8])[0]\n"
                   "    tensors = {}\n"
                   "    for name, t in json.loads(raw[8:data]).items():\n"
                   "        if name != \"__metadata__\":\n"
                   "            begin, end = t[\"data_offsets\"]\n"
                   "            own = bytearray(raw[data + begin:data + end])\n"
                   "            tensors[name] = torch.frombuffer(own, dtype=REAL).reshape(t[\"shape\"])\n"
                   "    return tensors\n");
}

at_status export_torch(const at_model *m, const at_export_as *as, export_files *out, at_err *err)
{
    (void)as;
    at_text body;
    at_text_init(&body);
    module c = {.m = m, .t = &body};
    at_status s = class_print(&c, err);
    if (!s) {
        at_text *t = export_file(out, "model.py");
        head_print(&c, t);
        for (int k = 0; k < NEEDS; k++)
            if (c.need[k])
                at_text_addf(t, "\n\n%s", functions[k]);
        at_text_add(t, "\n\n");
        at_text_addn(t, body.s ? body.s : "", body.n);
        t->oom = t->oom || body.oom;
    }
    at_text_release(&body);
    if (!s)
        s = archive_model_print(m, export_file(out, "model.safetensors"), err);
    return s ? s : at_export_names_print(m, export_file(out, "names.json"), err);
}
