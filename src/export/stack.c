/* stack.c: reading a model as a plain transformer (stack.h).
 *
 * Nothing is approximated. Heads of one layer come from all groups of its block, side by side; narrower ones are filled up with zeros, which
 * adds products of zeros to scores and nothing to what is written. A layer that lacks attention or an MLP gets one of zeros. A block without
 * residual forgets what was there; since every block of these formats keeps it, such a block writes into D fresh columns, and all
 * after it read those instead (where norms would see the old ones it is refused). Hidden rows
 * become tokens of their own after the field's; whoever runs the model writes them before and after the input. Position features
 * become a table, row t the sum of all at position t. */
#include "stack.h"

#include <string.h>

static at_status refuse(const stack *s, const char *what)
{
    return at_fail(s->err, AT_EREFUSED, "%s has no place for %s", s->format, what);
}

static at_status refuse_block(const stack *s, int b, const char *what)
{
    return at_fail(s->err, AT_EREFUSED, "block %d: %s has no place for %s", b, s->format, what);
}

static at_status group_fits(stack *s, int b, const at_group *g, bool first)
{
    if (!at_weighting_is(g->weighting, AT_IS_EXP) || at_weighting_is(g->weighting, AT_IS_PAIRS))
        return at_fail(s->err, AT_EREFUSED, "block %d: %s has softmax attention alone, not %s", b, s->format,
                       at_weighting_names[g->weighting]);
    if (!at_post_is(g->post, AT_IS_SAME))
        return refuse_block(s, b, "a function after the score");
    bool causal = at_mask_is(g->mask.kind, AT_IS_GROWING) && !at_mask_is(g->mask.kind, AT_IS_STRICT);
    if (!causal && !at_mask_is(g->mask.kind, AT_IS_ALL))
        return at_fail(s->err, AT_EREFUSED, "block %d: %s has no mask %s", b, s->format,
                       at_mask_names[g->mask.kind]);
    if (!first && causal != s->causal)
        return refuse_block(s, b, "another mask than in the block before");
    s->causal = causal;
    int wide = g->dk > g->dv ? g->dk : g->dv;
    s->dh = wide > s->dh ? wide : s->dh;
    return AT_OK;
}

const char *stack_act(const stack *s)
{
    switch (s->act) {
    case AT_ACT_RELU:
        return "relu";
    case AT_ACT_GELU:
        return "gelu";
    case AT_ACT_GELU_TANH:
        return "gelu_new";
    case AT_ACT_SILU:
        return "silu";
    }
    return "";
}

static at_status mlp_fits(stack *s, int b)
{
    const at_block *k = &s->m->blocks[b];
    if (k->n_dense != 2)
        return refuse_block(s, b, "an MLP of other than one hidden layer");
    if (s->hidden && k->act != s->act)
        return refuse_block(s, b, "two kinds of activation");
    s->act = k->act;
    s->hidden = k->dense[0].rows > s->hidden ? k->dense[0].rows : s->hidden;
    return AT_OK;
}

static at_status block_fits(stack *s, int b, bool first_attention)
{
    const at_block *k = &s->m->blocks[b];
    if (k->kind != AT_BLOCK_ATTN && k->kind != AT_BLOCK_MLP)
        return at_fail(s->err, AT_EREFUSED, "block %d: %s has no block %s", b, s->format,
                       at_block_names[k->kind]);
    if (!k->residual && k->norm != AT_NORM_NONE)
        return refuse_block(s, b, "a block with a norm and without residual");
    if (k->norm == AT_NORM_POST)
        return refuse_block(s, b, "a norm after a block");
    if (b && ((k->norm == AT_NORM_PRE) != s->norms || (s->norms && k->norm_eps != s->eps)))
        return refuse_block(s, b, "another norm than in the block before");
    s->norms = k->norm == AT_NORM_PRE;
    s->eps = s->norms ? k->norm_eps : 0;
    if (k->kind == AT_BLOCK_MLP)
        return mlp_fits(s, b);
    int heads = 0;
    for (int g = 0; g < k->n_groups; g++) {
        at_status st = group_fits(s, b, &k->groups[g], first_attention && g == 0);
        if (st)
            return st;
        heads += k->groups[g].heads;
    }
    s->heads = heads > s->heads ? heads : s->heads;
    return AT_OK;
}

static at_status ends_fit(stack *s)
{
    const at_model *m = s->m;
    if (m->n_fields != 1 || m->fields[0].kind != AT_FIELD_TOKEN)
        return refuse(s, "an input other than one token a position");
    for (int k = 0; k < m->n_pos; k++)
        if (at_pos_is(m->pos[k].kind, AT_IS_MOVING))
            return at_fail(s->err, AT_EREFUSED, "%s has no position feature %s, which depends on the length",
                           s->format, at_pos_names[m->pos[k].kind]);
    if (m->n_blocks && m->readout.final_norm != s->norms)
        return refuse(s, s->norms ? "norms before blocks and none before the readout"
                                  : "a norm before the readout alone");
    if (m->readout.final_norm && m->n_blocks && m->readout.norm_eps != s->eps)
        return refuse(s, "norms of different eps");
    if (m->readout.final_norm && !m->n_blocks)
        s->norms = true, s->eps = m->readout.norm_eps;
    return AT_OK;
}

at_status stack_read(stack *s)
{
    const at_model *m = s->m;
    bool attention = false;
    s->heads = s->dh = 1;
    s->width = m->width;
    s->layers = at_new(s->arena, stack_layer, m->n_blocks + 1);
    s->columns = at_new(s->arena, stack_columns, m->n_blocks + 1);
    s->tensors = at_new(s->arena, archive_tensor, 20 * (m->n_blocks + 1));
    at_status st = s->layers && s->tensors && s->columns ? AT_OK : at_oom(s->err);
    for (int b = 0; b < m->n_blocks && !st; b++) {
        st = block_fits(s, b, !attention);
        s->columns[b].from = s->end;
        if (!m->blocks[b].residual) {
            s->end = s->width;
            s->width += m->width;
        }
        s->columns[b].to = s->end;
        bool here = m->blocks[b].kind == AT_BLOCK_ATTN;
        attention = attention || here;
        /* An MLP goes with the attention before it, or alone. */
        if (here || !s->n_layers || s->layers[s->n_layers - 1].mlp >= 0)
            s->layers[s->n_layers++] = (stack_layer){-1, -1};
        *(here ? &s->layers[s->n_layers - 1].attention : &s->layers[s->n_layers - 1].mlp) = b;
    }
    if (!st)
        st = ends_fit(s);
    if (!st && s->width > AT_MAX_WIDTH)
        st = refuse(s, "so many blocks without residual");
    s->tokens = m->fields[0].size + m->n_prefix + m->n_suffix;
    s->rows = m->n_prefix + m->n_max + m->n_suffix;
    return st;
}

double *stack_tensor(stack *s, const char *name, int layer, int64_t a, int64_t b, int64_t c)
{
    const int64_t sizes[] = {a, b, c};
    archive_tensor *t = &s->tensors[s->n_tensors];
    size_t count = 1;
    for (int k = 0; k < 3; k++)
        if (sizes[k]) {
            t->shape[t->rank++] = sizes[k];
            count *= (size_t)sizes[k];
        }
    const char *percent = strchr(name, '%');
    t->name = percent ? at_arena_printf(s->arena, "%.*s%d%s", (int)(percent - name), name, layer, percent + 2)
                      : at_arena_strdup(s->arena, name);
    double *w = at_new(s->arena, double, count);
    t->w = w;
    s->oom = s->oom || !t->name || !w;
    s->n_tensors++;
    return w;
}

static void row_add(const at_model *m, const at_embed *e, int64_t row, double times, double *to)
{
    const double *w = at_model_data(m, e->tensor) + row * e->width;
    for (int k = 0; k < e->width; k++)
        to[e->col + k] += times * w[k];
}

void stack_embed(const stack *s, double *tokens, double *positions)
{
    const at_model *m = s->m;
    int size = m->fields[0].size;
    if (!tokens || !positions)
        return;
    for (int k = 0; k < size; k++)
        row_add(m, &m->fields[0].embed, k, 1, tokens + (size_t)k * (size_t)s->width);
    for (int k = 0; k < m->n_prefix; k++)
        row_add(m, &m->prefix, k, 1, tokens + (size_t)(size + k) * (size_t)s->width);
    for (int k = 0; k < m->n_suffix; k++)
        row_add(m, &m->suffix, k, 1, tokens + (size_t)(size + m->n_prefix + k) * (size_t)s->width);
    for (int t = 0; t < s->rows; t++)
        for (int k = 0; k < m->n_pos; k++) {
            const at_pos *p = &m->pos[k];
            double *to = positions + (size_t)t * (size_t)s->width;
            if (at_pos_is(p->kind, AT_IS_ROWS))
                row_add(m, &p->embed, t, 1, to);
            else
                for (int f = 0; f < at_pos_features(p); f++)
                    row_add(m, &p->embed, f, at_pos_value(p, f, m->pos_origin + t, s->rows), to);
        }
}

bool stack_head_find(const stack *s, int layer, int head, stack_head *out)
{
    int b = s->layers[layer].attention;
    for (int g = 0; b >= 0 && g < s->m->blocks[b].n_groups; g++) {
        const at_group *one = &s->m->blocks[b].groups[g];
        if (head < one->heads) {
            *out = (stack_head){one, head};
            return true;
        }
        head -= one->heads;
    }
    return false;
}

void stack_out_bias(const stack *s, int layer, double *to)
{
    int b = s->layers[layer].attention;
    for (int g = 0; to && b >= 0 && g < s->m->blocks[b].n_groups; g++) {
        const double *ob = at_model_data(s->m, s->m->blocks[b].groups[g].ob);
        for (int k = 0; ob && k < s->m->width; k++)
            to[s->columns[b].to + k] += ob[k];
    }
}

void stack_norm(const stack *s, int block, double *gain, double *bias)
{
    if (!gain || !bias)
        return;
    const double *g = block < 0 ? NULL : at_model_data(s->m, s->m->blocks[block].norm_g);
    const double *b = block < 0 ? NULL : at_model_data(s->m, s->m->blocks[block].norm_b);
    for (int k = 0; k < s->m->width; k++) {
        gain[k] = g ? g[k] : 1;
        bias[k] = b ? b[k] : 0;
    }
}

at_status stack_write(stack *s, const at_text *config, export_files *out)
{
    at_text hidden, columns;
    at_text_init(&hidden);
    int size = s->m->fields[0].size;
    at_text_addf(&hidden, "{\"prefix\": [");
    for (int k = 0; k < s->m->n_prefix; k++)
        at_text_addf(&hidden, "%s%d", k ? ", " : "", size + k);
    at_text_add(&hidden, "], \"suffix\": [");
    for (int k = 0; k < s->m->n_suffix; k++)
        at_text_addf(&hidden, "%s%d", k ? ", " : "", size + s->m->n_prefix + k);
    at_text_add(&hidden, "]}");
    at_text_init(&columns);
    at_text_add(&columns, "[");
    for (int b = 0; b < s->m->n_blocks; b++)
        at_text_addf(&columns, "%s[%d, %d]", b ? ", " : "", s->columns[b].from, s->columns[b].to);
    at_text_add(&columns, "]");
    const archive_note notes[] = {{"format", "pt"}, {"hidden_tokens", hidden.s}, {"columns", columns.s}};
    at_text *c = export_file(out, "config.json");
    at_text_addn(c, config->s ? config->s : "", config->n);
    c->oom = c->oom || config->oom;
    at_status st = s->oom || hidden.oom || columns.oom
                       ? at_oom(s->err)
                       : archive_print(s->tensors, s->n_tensors, notes, 3, s->m->f32,
                                       export_file(out, "model.safetensors"), s->err);
    at_text_release(&columns);
    at_text_release(&hidden);
    return st ? st : at_export_names_print(s->m, export_file(out, "names.json"), s->err);
}
