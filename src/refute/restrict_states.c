/* restrict_states.c: what each position holds when some letters of a word are fixed and the others are free, layer by layer.
 *
 * A state is a table: the free letters that it depends on, and its row for each setting of them. Embeddings depend on one
 * letter, or on none. An attention layer: take query i at one of its settings, and one head. A key j has a score for each of its
 * settings that agrees with the query's; let lo_j and hi_j be the least and the largest, m the largest lo of all keys. Key j can be chosen
 * only where
 *     hi_j >= m - tie, and no key k on the preferred side of j has lo_k >= hi_j
 * since a key that is chosen lies within tie of the largest score, while no key before it (leftmost) does; and a key before it whose score is no
 * smaller would. The others are never looked at by this query, whatever the free letters are. So the new state depends on the
 * letters of the query and of the keys that remain (its candidates). Where these are more than `cap`, the layer is blocked: every
 * head then wishes for the key, at the setting, that would score highest and so be a sure choice.
 *
 * What is said of letters that the answer depends on holds for f64 runs and for the reals: lo and hi are widened by what numbers
 * are off (restrict.h). Rows of states are needed as well, to know scores of the next layer; where rounding decides which of two different
 * values a head fetches, that is refused. The last attention layer needs no rows, and only the query that answers. */
#include "restrict.h"

#include <stdlib.h>
#include <string.h>

static const number one = {1, 0};

/* ---- models ----------------------------------------------------------------------------------------------------------- */

static int final_attention(const at_model *m)
{
    int last = m->n_blocks - 1;
    while (last >= 0 && m->blocks[last].kind != AT_BLOCK_ATTN)
        last--;
    return last;
}

at_status states_fit(const at_model *m, at_err *err)
{
    at_status s = at_model_takes(m, AT_IN_ANALYSE, "restrictions", err);
    if (s)
        return s;
    for (int b = 0; b <= final_attention(m); b++)
        if (m->blocks[b].norm != AT_NORM_NONE)
            return at_fail(err, AT_EREFUSED,
                           "block %d has a layer norm: which scores are equal behind it, rounding decides "
                           "(hahn-pair takes it)",
                           b + 1);
    return AT_OK;
}

static double unit_of(const at_model *m)
{
    double widest = m->width, mixed = 0, features = 0;
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *k = &m->blocks[b];
        for (int g = 0; k->kind == AT_BLOCK_ATTN && g < k->n_groups; g++)
            mixed += (double)k->groups[g].heads * fmax(k->groups[g].dv, k->groups[g].dk);
        for (int l = 0; k->kind == AT_BLOCK_MLP && l < k->n_dense; l++)
            widest = fmax(widest, k->dense[l].rows);
    }
    for (int p = 0; p < m->n_pos; p++)
        features += at_pos_is(m->pos[p].kind, AT_IS_ROWS) ? 1 : at_pos_features(&m->pos[p]);
    return (2 * widest + mixed + features + 64) * 0x1p-52;
}

/* y (rows) = W x (cols) + b */
static void affine(restricting *c, int w, int b, int rows, int cols, const number *x, number *y)
{
    const double *W = at_model_data(c->m, w), *B = at_model_data(c->m, b);
    for (int r = 0; r < rows; r++) {
        const double *row = W + (size_t)r * (size_t)cols;
        number_sum s = sum_empty;
        for (size_t k = 0; (k = at_weights_next(row, k, (size_t)cols)) < (size_t)cols; k++)
            sum_add(&s, (number){row[k], 0}, x[k]);
        if (B)
            sum_add(&s, (number){B[r], 0}, one);
        y[r] = sum_end(&s, c->unit);
    }
    c->work += (double)rows * cols;
}

/* ---- embeddings ---------------------------------------------------------------------------------------------------------- */

static void row_add(number_sum *x, const at_model *m, const at_embed *e, int row, number f)
{
    const double *w = at_model_data(m, e->tensor) + (size_t)row * (size_t)e->width;
    for (int k = 0; k < e->width; k++)
        sum_add(&x[e->col + k], f, (number){w[k], 0});
}

static void position_add(number_sum *x, const at_model *m, int t, int T)
{
    for (int k = 0; k < m->n_pos; k++) {
        const at_pos *p = &m->pos[k];
        if (at_pos_is(p->kind, AT_IS_ROWS)) {
            row_add(x, m, &p->embed, t, one);
            continue;
        }
        for (int f = 0; f < at_pos_features(p); f++) {
            double at = at_pos_value(p, f, t + m->pos_origin, T);
            row_add(x, m, &p->embed, f,
                    (number){at, at_pos_is(p->kind, AT_IS_WHOLE) ? 0 : 0x1p-50 * fabs(at) + 0x1p-1000});
        }
    }
}

static at_status embed(restricting *c)
{
    const at_model *m = c->m;
    size_t D = (size_t)m->width;
    number_sum *x = at_new(c->a, number_sum, D);
    c->at = at_new(c->a, holding, c->T);
    if (!x || !c->at)
        return at_oom(c->err);
    for (int t = 0; t < c->T; t++) {
        holding *s = &c->at[t];
        int u = t - m->n_prefix;
        bool word = u >= 0 && u < c->n;
        s->s = word && c->letter[u] < 0;
        s->in = at_new(c->a, int, 1);
        s->x = at_new(c->a, number, D << s->s);
        if (!s->in || !s->x)
            return at_oom(c->err);
        s->in[0] = u;
        for (int v = 0; v < 1 << s->s; v++) {
            for (size_t d = 0; d < D; d++)
                x[d] = sum_empty;
            if (word)
                row_add(x, m, &m->fields[0].embed, s->s ? v : c->letter[u], one);
            else
                row_add(x, m, u < 0 ? &m->prefix : &m->suffix, u < 0 ? t : u - c->n, one);
            position_add(x, m, t, c->T);
            for (size_t d = 0; d < D; d++)
                s->x[(size_t)v * D + d] = sum_end(&x[d], c->unit);
        }
    }
    return AT_OK;
}

/* ---- MLPs ------------------------------------------------------------------------------------------------------------------ */

static number activate(at_act act, number x)
{
    if (at_act_is(act, AT_IS_RELU))
        return x.at + x.off <= 0 ? (number){0, 0} : (number){x.at > 0 ? x.at : 0, x.off};
    at_pfmt f = at_pfmt_of(at_f64);
    return (number){at_p_gelu(&f, x.at), 1.13 * x.off + 0x1p-46 * fabs(x.at) + 0x1p-1000};
}

static at_status mlp_run(restricting *c, const at_block *b)
{
    int D = c->m->width, widest = D;
    for (int l = 0; l < b->n_dense; l++)
        widest = b->dense[l].rows > widest ? b->dense[l].rows : widest;
    number *x = at_new(c->a, number, widest), *y = at_new(c->a, number, widest);
    if (!x || !y)
        return at_oom(c->err);
    for (int t = 0; t < c->T; t++)
        for (int v = 0; v < 1 << c->at[t].s; v++) {
            number *row = c->at[t].x + (size_t)v * (size_t)D, *from = x, *to = y, *swap;
            int cols = D;
            memcpy(from, row, (size_t)D * sizeof *row);
            for (int l = 0; l < b->n_dense; l++, swap = from, from = to, to = swap) {
                affine(c, b->dense[l].w, b->dense[l].b, b->dense[l].rows, cols, from, to);
                cols = b->dense[l].rows;
                for (int k = 0; l < b->n_dense - 1 && k < cols; k++)
                    to[k] = activate(b->act, to[k]);
            }
            for (int d = 0; d < D; d++) {
                number_sum s = sum_empty;
                sum_add(&s, one, from[d]);
                if (b->residual)
                    sum_add(&s, one, row[d]);
                row[d] = sum_end(&s, c->unit);
            }
        }
    return AT_OK;
}

/* ---- attention ---------------------------------------------------------------------------------------------------------------- */

/* Queries, keys and values of all states, by group. */
static at_status project(restricting *c, const at_block *b)
{
    int D = c->m->width;
    for (int t = 0; t < c->T; t++) {
        holding *s = &c->at[t];
        s->q = at_new(c->a, number *, b->n_groups);
        s->k = at_new(c->a, number *, b->n_groups);
        s->v = at_new(c->a, number *, b->n_groups);
        if (!s->q || !s->k || !s->v)
            return at_oom(c->err);
        for (int n = 0; n < b->n_groups; n++) {
            const at_group *g = &b->groups[n];
            int K = g->heads * g->dk, V = g->heads * g->dv, values = 1 << s->s;
            s->q[n] = at_new(c->a, number, values * K);
            s->k[n] = at_new(c->a, number, values * K);
            s->v[n] = at_new(c->a, number, values * V);
            if (!s->q[n] || !s->k[n] || !s->v[n])
                return at_oom(c->err);
            for (int v = 0; v < values; v++) {
                const number *x = s->x + (size_t)v * (size_t)D;
                affine(c, g->q, g->qb, K, D, x, s->q[n] + v * K);
                affine(c, g->k, g->kb, K, D, x, s->k[n] + v * K);
                affine(c, g->v, g->vb, V, D, x, s->v[n] + v * V);
            }
        }
    }
    return AT_OK;
}

/* One query and the head that asks. */
typedef struct {
    const at_group *g;
    int i, group, head, setting;
} asking;

static number score_of(restricting *c, const asking *q, int key, int setting)
{
    const at_group *g = q->g;
    int K = g->heads * g->dk;
    const number *x = c->at[q->i].q[q->group] + q->setting * K + q->head * g->dk;
    const number *y = c->at[key].k[q->group] + setting * K + q->head * g->dk;
    number_sum s = sum_empty, t = sum_empty;
    for (int e = 0; e < g->dk; e++)
        sum_add(&s, x[e], y[e]);
    sum_add(&t, (number){g->scale, 0}, sum_end(&s, c->unit));
    number out = sum_end(&t, c->unit);
    switch (g->post) { /* none brings numbers further apart */
    case AT_POST_ID:
        break;
    case AT_POST_NEG_RELU:
        out.at = out.at > 0 ? -out.at : 0;
        break;
    case AT_POST_NEG_ABS:
        out.at = -fabs(out.at);
        break;
    }
    c->work += g->dk;
    return out;
}

/* The letters that two states share, as bits of the key's settings: *mask, and what the query's setting says of them. */
static int shared_bits(const holding *query, int setting, const holding *key, int *mask)
{
    int says = 0;
    *mask = 0;
    for (int k = 0, q = 0; k < key->s; k++) {
        while (q < query->s && query->in[q] < key->in[k])
            q++;
        if (q < query->s && query->in[q] == key->in[k]) {
            *mask |= 1 << k;
            says |= (setting >> q & 1) << k;
        }
    }
    return says;
}

/* A setting of the letters `from` is one of the letters `to`, which are among them. */
static int setting_of(int setting, const holding *from, const holding *to)
{
    int out = 0;
    for (int k = 0, f = 0; k < to->s; k++) {
        while (from->in[f] != to->in[k])
            f++;
        out |= (setting >> f & 1) << k;
    }
    return out;
}

typedef struct {
    double lo, hi; /* of the scores of one key */
    int best;      /* the setting that has hi */
} span;

/* Keys that can be chosen: their positions, in the order in which they are preferred. wanted: the key of the highest score that
 * still depends on a letter and is not the query itself, -1: none. */
static int candidates(restricting *c, const asking *q, span *at, int *out, wish *wanted)
{
    const at_group *g = q->g;
    double most = -INFINITY, before = -INFINITY, best = -INFINITY;
    bool last = at_weighting_is(g->weighting, AT_IS_LAST);
    int n = 0;
    for (int j = 0; j < c->T; j++) {
        if (!at_mask_allows(&g->mask, q->i, j))
            continue;
        int mask, says = shared_bits(&c->at[q->i], q->setting, &c->at[j], &mask);
        at[j] = (span){INFINITY, -INFINITY, 0};
        for (int v = 0; v < 1 << c->at[j].s; v++) {
            if ((v ^ says) & mask)
                continue;
            number s = score_of(c, q, j, v);
            at[j].lo = fmin(at[j].lo, s.at - s.off);
            if (s.at + s.off > at[j].hi) {
                at[j].hi = s.at + s.off;
                at[j].best = v;
            }
        }
        most = fmax(most, at[j].lo);
    }
    double least = most - g->tie;
    if (g->tie > 0)
        least -= 0x1p-50 * (fabs(most) + g->tie);
    wanted->key = -1;
    for (int k = 0; k < c->T; k++) {
        int j = last ? c->T - 1 - k : k;
        if (!at_mask_allows(&g->mask, q->i, j))
            continue;
        if (at[j].hi >= least && !(before >= at[j].hi)) {
            out[n++] = j;
            if (j != q->i && c->at[j].s && at[j].hi > best) {
                best = at[j].hi;
                *wanted = (wish){j, at[j].best, 1};
            }
        }
        before = fmax(before, at[j].lo);
    }
    return n;
}

/* Of keys with these scores (in the order in which they are preferred) the one that is chosen; -1: rounding decides between different values. */
static int chosen(const number *score, const number *const *value, int n, const at_group *g)
{
    double top = -INFINITY, low = -INFINITY;
    bool exact = true;
    for (int k = 0; k < n; k++) {
        top = fmax(top, score[k].at + score[k].off);
        low = fmax(low, score[k].at - score[k].off);
        exact = exact && score[k].off == 0;
    }
    double slack = exact && is_coarse(top) && is_coarse(g->tie) ? 0 : 0x1p-50 * (fabs(top) + g->tie);
    slack = exact && g->tie == 0 ? 0 : slack;
    int first = -1; /* the first that may be within tie */
    for (int k = 0; k < n; k++) {
        if (score[k].at + score[k].off < low - g->tie - slack)
            continue;
        if (first >= 0 && memcmp(value[k], value[first], (size_t)g->dv * sizeof(number)) != 0)
            return -1;
        first = first < 0 ? k : first;
        if (score[k].at - score[k].off >= top - g->tie + slack) /* it surely is */
            return first;
    }
    return first; /* all that may be have one value */
}

/* The candidates of all heads at all settings of one query. */
typedef struct {
    int heads;  /* of all groups */
    int *first; /* (2^s heads + 1) into key */
    int *key;
} choices;

static at_status choices_find(restricting *c, const at_block *b, int i, span *at, choices *out, bool *in,
                              wish *wishes, int *n_wishes)
{
    int heads = 0, values = 1 << c->at[i].s, n = 0, room = 0, row = 0;
    for (int g = 0; g < b->n_groups; g++)
        heads += b->groups[g].heads;
    int *found = at_new(c->a, int, c->T);
    *out = (choices){.heads = heads, .first = at_new(c->a, int, values *heads + 1)};
    if (!found || !out->first)
        return at_oom(c->err);
    *n_wishes = 0;
    for (int v = 0; v < values; v++)
        for (int g = 0; g < b->n_groups; g++)
            for (int h = 0; h < b->groups[g].heads; h++, row++) {
                wish w;
                int count = candidates(c, &(asking){&b->groups[g], i, g, h, v}, at, found, &w);
                if (n + count > room) {
                    int *more = at_new(c->a, int, room = 2 * (n + count));
                    if (!more)
                        return at_oom(c->err);
                    if (n)
                        memcpy(more, out->key, (size_t)n * sizeof *more);
                    out->key = more;
                }
                if (count)
                    memcpy(out->key + n, found, (size_t)count * sizeof *found);
                n += count;
                out->first[row + 1] = n;
                for (int k = 0; k < count; k++)
                    for (int e = 0; e < c->at[found[k]].s; e++)
                        in[c->at[found[k]].in[e]] = true;
                if (w.key >= 0)
                    wishes[(*n_wishes)++] = w;
            }
    return AT_OK;
}

static at_status undecided(const restricting *c, const at_block *b, int i, int g, int h)
{
    int layer, head;
    at_head_number(c->m, (int)(b - c->m->blocks), g, h, &layer, &head);
    return at_fail(c->err, AT_EREFUSED,
                   "layer %d, head %d, position %d: its scores are not exact, and rounding decides between "
                   "two keys of "
                   "different values; with integer weights they are exact, and hahn-pair asks f64 itself",
                   layer, head, i + 1 - c->m->n_prefix);
}

/* The rows of a state behind the layer, for all settings of its letters. */
static at_status rows_make(restricting *c, const at_block *b, int i, const choices *x, holding *to)
{
    int D = c->m->width, widest = 0;
    for (int g = 0; g < b->n_groups; g++)
        widest =
            b->groups[g].heads * b->groups[g].dv > widest ? b->groups[g].heads * b->groups[g].dv : widest;
    number *mixed = at_new(c->a, number, widest), *sum = at_new(c->a, number, D);
    number *score = at_new(c->a, number, c->T);
    const number **value = at_new(c->a, const number *, c->T);
    number_sum *total = at_new(c->a, number_sum, D);
    to->x = at_new(c->a, number, (size_t)D << to->s);
    if (!mixed || !sum || !score || !value || !total || !to->x)
        return at_oom(c->err);
    for (int v = 0; v < 1 << to->s; v++) {
        int own = setting_of(v, to, &c->at[i]), row = own * x->heads;
        for (int d = 0; d < D; d++) {
            total[d] = sum_empty;
            if (b->residual)
                sum_add(&total[d], one, c->at[i].x[(size_t)own * (size_t)D + (size_t)d]);
        }
        for (int n = 0; n < b->n_groups; n++) {
            const at_group *g = &b->groups[n];
            int V = g->heads * g->dv;
            for (int h = 0; h < g->heads; h++, row++) {
                int count = x->first[row + 1] - x->first[row];
                const int *key = x->key + x->first[row];
                for (int k = 0; k < count; k++) {
                    int setting = setting_of(v, to, &c->at[key[k]]);
                    score[k] = score_of(c, &(asking){g, i, n, h, own}, key[k], setting);
                    value[k] = c->at[key[k]].v[n] + setting * V + h * g->dv;
                }
                int best = count ? chosen(score, value, count, g) : 0;
                if (best < 0)
                    return undecided(c, b, i, n, h);
                for (int e = 0; e < g->dv; e++)
                    mixed[h * g->dv + e] = count ? value[best][e] : (number){0, 0};
            }
            affine(c, g->o, g->ob, D, V, mixed, sum);
            for (int d = 0; d < D; d++)
                sum_add(&total[d], one, sum[d]);
        }
        for (int d = 0; d < D; d++)
            to->x[(size_t)v * (size_t)D + (size_t)d] = sum_end(&total[d], c->unit);
    }
    return AT_OK;
}

static int wish_order(const void *x, const void *y)
{
    const wish *a = x, *b = y;
    if (a->votes != b->votes)
        return a->votes < b->votes ? 1 : -1;
    return a->key != b->key ? (a->key < b->key ? -1 : 1)
                            : (a->setting > b->setting) - (a->setting < b->setting);
}

static int wish_key(const void *x, const void *y)
{
    const wish *a = x, *b = y;
    return a->key != b->key ? (a->key < b->key ? -1 : 1)
                            : (a->setting > b->setting) - (a->setting < b->setting);
}

/* Equal wishes become one; most votes first. */
static void wishes_count(restricting *c)
{
    int n = 0;
    if (!c->n_wishes)
        return;
    qsort(c->wishes, (size_t)c->n_wishes, sizeof *c->wishes, wish_key);
    for (int k = 0; k < c->n_wishes; k++)
        if (n && !wish_key(&c->wishes[n - 1], &c->wishes[k]))
            c->wishes[n - 1].votes += c->wishes[k].votes;
        else
            c->wishes[n++] = c->wishes[k];
    c->n_wishes = n;
    qsort(c->wishes, (size_t)n, sizeof *c->wishes, wish_order);
}

static at_status wishes_add(restricting *c, const wish *w, int n, int *room)
{
    if (c->n_wishes + n > *room) {
        wish *more = at_new(c->a, wish, *room = 2 * (c->n_wishes + n));
        if (!more)
            return at_oom(c->err);
        if (c->n_wishes)
            memcpy(more, c->wishes, (size_t)c->n_wishes * sizeof *more);
        c->wishes = more;
    }
    if (n)
        memcpy(c->wishes + c->n_wishes, w, (size_t)n * sizeof *w);
    c->n_wishes += n;
    return AT_OK;
}

static at_status attention_run(restricting *c, int block)
{
    const at_block *b = &c->m->blocks[block];
    bool final = block == c->final;
    int heads = 0, room = 0;
    for (int g = 0; g < b->n_groups; g++)
        heads += b->groups[g].heads;
    holding *to = at_new(c->a, holding, c->T);
    span *at = at_new(c->a, span, c->T);
    bool *in = at_new(c->a, bool, c->n + 1);
    wish *wishes = at_new(c->a, wish, (size_t)heads << c->cap);
    if (!to || !at || !in || !wishes)
        return at_oom(c->err);
    at_status s = project(c, b);
    for (int i = 0; i < c->T && !s; i++) {
        choices x;
        int n = 0, own = c->at[i].s;
        if (final && i != c->out)
            continue;
        if (at_cancel_pending())
            return at_fail(c->err, AT_ECANCEL, "interrupted");
        memset(in, 0, (size_t)c->n * sizeof *in);
        for (int k = 0; k < own; k++)
            in[c->at[i].in[k]] = true;
        s = choices_find(c, b, i, at, &x, in, wishes, &n);
        if (s)
            return s;
        int count = 0;
        for (int k = 0; k < c->n; k++)
            count += in[k];
        if (final)
            memcpy(c->seen, in, (size_t)c->n * sizeof *in);
        c->blocked = c->blocked || (!final && count > c->cap);
        if (final || count > c->cap) {
            s = wishes_add(c, wishes, n, &room);
            continue;
        }
        to[i] = (holding){.s = count, .in = at_new(c->a, int, count + 1)};
        if (!to[i].in)
            return at_oom(c->err);
        for (int k = 0, e = 0; k < c->n; k++)
            if (in[k])
                to[i].in[e++] = k;
        if (!c->blocked)
            s = rows_make(c, b, i, &x, &to[i]);
    }
    if (!final && !c->blocked) /* else wishes speak of the states before the layer */
        c->at = to;
    return s;
}

at_status states_pass(restricting *c)
{
    c->T = c->m->n_prefix + c->n + c->m->n_suffix;
    c->out = c->m->readout.last ? c->T - 1 : c->m->n_prefix + c->n - 1;
    c->final = final_attention(c->m);
    c->unit = unit_of(c->m);
    c->blocked = false;
    c->n_wishes = 0;
    at_status s = embed(c);
    memset(c->seen, 0, (size_t)c->n * sizeof *c->seen);
    for (int k = 0; !s && k < c->at[c->out].s; k++)
        c->seen[c->at[c->out].in[k]] = true;
    for (int b = 0; b <= c->final && !s && !c->blocked; b++) {
        c->layer = b;
        s = c->m->blocks[b].kind == AT_BLOCK_ATTN ? attention_run(c, b) : mlp_run(c, &c->m->blocks[b]);
    }
    if (!s)
        wishes_count(c);
    return s;
}
