/* crasp.c: softmax under causal or strict masks, its quotients rounded alone, as a program that counts.
 *
 * CLAIM foc-upper. Before each attention layer the stream of a position has one of finitely many values, and V(l, v) says that it is v.
 * Before the first layer that is a matter of the letter, and of the position modulo the period. What a position with value v becomes is
 * decided by linear inequalities (mean.c) of the numbers of positions up to it (strict: before it) that have value u, which are
 * counts of V(l, u): so V(l + 1, w) is a truth of C-RASP. Hidden positions before the word add constants; the one behind it, where
 * the answer is read, sees all counts. Values whose keys and values are the same for all heads are counted together. */
#include "extract_internal.h"

#include <string.h>

typedef struct {
    counting k;
    int D;
    streams word, end;           /* before the layer at hand */
    streams next_word, next_end; /* and before the next one */
    double *before;              /* (n_prefix, D) */
    int block, next_block;
    streams *into;  /* where leaves go */
    double *became; /* a prefix position, which has one outcome */
} program;

static at_status stream_meet(program *c, streams *s, const double *x, int *out)
{
    return streams_meet(&c->k, s, (size_t)c->D, x, c->next_block + 1, out);
}

/* A leaf of decisions: the stream after this layer and what follows it. */
static at_status leaf_meet(void *own, const double *next, int *leaf, at_err *err)
{
    program *c = own;
    (void)err;
    double *x = at_new(c->k.a, double, c->D);
    int b = c->block + 1;
    if (!x)
        return at_oom(c->k.err);
    memcpy(x, next, (size_t)c->D * sizeof *x);
    at_status s = counting_advance(&c->k, c->into == &c->next_end, &b, x);
    c->next_block = b;
    *leaf = 0;
    if (!s && c->became)
        memcpy(c->became, x, (size_t)c->D * sizeof *x);
    else if (!s)
        s = stream_meet(c, c->into, x, leaf);
    return s;
}

/* ---- offers ---------------------------------------------------------------------------------------------------------------- */

/* Which values of words offer the same keys and values to all heads: the first of their kind. */
static at_status kinds_find(program *c, int *kind)
{
    const at_block *b = &c->k.m->blocks[c->block];
    size_t D = (size_t)c->D, width = 0;
    for (int g = 0; g < b->n_groups; g++)
        width += (size_t)b->groups[g].heads * (size_t)(b->groups[g].dk + b->groups[g].dv);
    double *y = at_new(c->k.a, double, D), *all = at_new(c->k.a, double, (size_t)c->word.n *width + 1);
    if (!y || !all)
        return at_oom(c->k.err);
    for (int v = 0; v < c->word.n; v++) {
        double *at = all + (size_t)v * width;
        at_stage_read(c->k.stage, c->block, c->word.x + (size_t)v * D, 1, y);
        for (int g = 0; g < b->n_groups; g++) {
            double *values = at + (size_t)b->groups[g].heads * (size_t)b->groups[g].dk;
            at_stage_project(c->k.stage, c->block, g, y, NULL, 1, NULL, at, values);
            at = values + (size_t)b->groups[g].heads * (size_t)b->groups[g].dv;
        }
        for (size_t e = 0; e < width; e++)
            all[(size_t)v * width + e] += 0.0;
        kind[v] = v;
        for (int u = 0; u < v; u++)
            if (memcmp(all + (size_t)u * width, all + (size_t)v * width, width * sizeof *all) == 0) {
                kind[v] = kind[u];
                break;
            }
    }
    return AT_OK;
}

/* What a position sees: a count for each kind of value, and what stands before the word. */
static at_status offers_make(program *c, const int *kind, offer **out, int *n)
{
    past *p = &c->k.p;
    const at_mask *mask = &c->k.m->blocks[c->block].groups[0].mask;
    at_see see = at_mask_is(mask->kind, AT_IS_STRICT) ? AT_SEE_BEFORE : AT_SEE_UPTO;
    *out = at_new(c->k.a, offer, c->word.n + c->k.m->n_prefix + 1);
    if (!*out)
        return at_oom(c->k.err);
    *n = 0;
    for (int v = 0; v < c->word.n; v++) {
        if (kind[v] != v)
            continue;
        at_formula *any = past_const(p, false);
        for (int u = v; u < c->word.n; u++)
            if (kind[u] == v)
                any = past_or(p, any, c->word.holds[u]);
        at_formula *count = at_formula_make(p->f, (at_formula){.op = AT_F_COUNT, .see = see, .arg = {any}});
        (*out)[(*n)++] =
            (offer){.x = c->word.x + (size_t)v * (size_t)c->D, .count = past_name(p, "C", count)};
    }
    for (int t = 0; t < c->k.m->n_prefix; t++)
        (*out)[(*n)++] = (offer){.x = c->before + (size_t)t * (size_t)c->D, .constant = 1};
    return past_status(p, c->k.err);
}

/* ---- one layer --------------------------------------------------------------------------------------------------------------- */

static at_status query_run(program *c, const offer *offers, int n, const double *x, streams *into,
                           at_formula *holds)
{
    const choice *root;
    past *p = &c->k.p;
    const double *query[1] = {x};
    mixing w = {.p = p,
                .stage = c->k.stage,
                .a = c->k.a,
                .err = c->k.err,
                .block = c->block,
                .n_offers = n,
                .offers = offers,
                .n_queries = 1,
                .query = query,
                .most = c->k.most,
                .meet = leaf_meet,
                .own = c};
    c->into = into;
    at_status s = mixing_run(&w, &root);
    for (int v = 0; !s && into && v < into->n; v++)
        into->holds[v] = past_or(p, into->holds[v], past_and(p, holds, choice_reaches(&w, root, v)));
    return s ? s : past_status(p, c->k.err);
}

/* Positions before the word see one another and nothing else. */
static at_status before_run(program *c, bool strict, double *next)
{
    int P = c->k.m->n_prefix;
    offer *o = at_new(c->k.a, offer, P + 1);
    at_status s = o ? AT_OK : at_oom(c->k.err);
    for (int t = 0; t < P && !s; t++) {
        o[t] = (offer){.x = c->before + (size_t)t * (size_t)c->D, .constant = 1};
        c->became = next + (size_t)t * (size_t)c->D;
        s = query_run(c, o, strict ? t : t + 1, o[t].x, NULL, NULL);
    }
    c->became = NULL;
    return s;
}

static void streams_name(program *c, streams *s, const char *begin)
{
    for (int v = 0; v < s->n; v++)
        s->holds[v] = past_name(&c->k.p, begin, s->holds[v]);
}

static at_status layer_run(program *c)
{
    const at_model *m = c->k.m;
    bool strict = at_mask_is(m->blocks[c->block].groups[0].mask.kind, AT_IS_STRICT);
    int *kind = at_new(c->k.a, int, c->word.n + 1), n = 0;
    double *before = at_new(c->k.a, double, (size_t)(m->n_prefix + 1) * (size_t)c->D);
    offer *offers = NULL;
    at_status s = kind && before ? kinds_find(c, kind) : at_oom(c->k.err);
    if (!s)
        s = offers_make(c, kind, &offers, &n);
    c->next_word = c->next_end = (streams){0};
    bool last = true;
    for (int b = c->block + 1; b < m->n_blocks; b++)
        last &= m->blocks[b].kind != AT_BLOCK_ATTN;
    for (int v = 0; v < c->word.n && !s && !last; v++) { /* behind the last layer only the end is read */
        int own = 0;
        for (int u = 0; u < kind[v]; u++)
            own += kind[u] == u;
        offers[own].some = !strict;
        s = query_run(c, offers, n, c->word.x + (size_t)v * (size_t)c->D, &c->next_word, c->word.holds[v]);
        offers[own].some = false;
    }
    for (int v = 0; v < c->end.n && !s; v++) {
        const double *x = c->end.x + (size_t)v * (size_t)c->D;
        offers[n] = (offer){.x = x, .constant = 1};
        s = query_run(c, offers, strict ? n : n + 1, x, &c->next_end, c->end.holds[v]);
    }
    if (!s && !last)
        s = before_run(c, strict, before);
    streams_name(c, &c->next_word, "V");
    streams_name(c, &c->next_end, "E");
    c->word = c->next_word;
    c->end = c->next_end;
    c->before = before;
    return s ? s : past_status(&c->k.p, c->k.err);
}

/* ---- the first layer ------------------------------------------------------------------------------------------------------------ */

/* The last position is r modulo the period, or r is 0 and there is none; behind the word. */
static at_formula *length_truth(program *c, int r)
{
    past *p = &c->k.p;
    at_formula *there = at_formula_make(
        p->f, (at_formula){.op = AT_F_IF,
                           .arg = {at_formula_one(p->f, AT_F_PREVIOUS, class_truth(p, c->k.period, r)),
                                   at_formula_number(p->f, 1), at_formula_number(p->f, 0)}});
    at_formula *is = at_formula_two(p->f, AT_F_LESS_EQUAL, at_formula_number(p->f, 1), there);
    if (r)
        return is;
    at_formula *all = at_formula_make(
        p->f, (at_formula){.op = AT_F_COUNT, .see = AT_SEE_UPTO, .arg = {past_const(p, true)}});
    return past_or(p, is, at_formula_two(p->f, AT_F_EQUAL, all, at_formula_number(p->f, 0)));
}

static at_status first_make(program *c)
{
    past *p = &c->k.p;
    const at_model *m = c->k.m;
    int P = c->k.period, S = p->f->sigma.n, v;
    at_status s = AT_OK;
    double *x = at_new(c->k.a, double, c->D);
    c->before = at_new(c->k.a, double, (size_t)(m->n_prefix + 1) * (size_t)c->D);
    if (!x || !c->before)
        return at_oom(c->k.err);
    for (int a = 0; a < S && !s; a++)
        for (int r = 0; r < P && !s; r++) {
            c->next_block = 0;
            counting_embed(&c->k, a, -1, r, x);
            s = counting_advance(&c->k, false, &c->next_block, x);
            if (!s)
                s = stream_meet(c, &c->word, x, &v);
            at_formula *is = at_formula_letter(p->f, a);
            if (P > 1)
                is = past_and(p, is, class_truth(p, P, (r + 1) % P));
            if (!s)
                c->word.holds[v] = past_or(p, c->word.holds[v], is);
        }
    for (int r = 0; r < P && !s; r++) {
        c->next_block = 0;
        counting_embed(&c->k, -1, -1, r, x);
        s = counting_advance(&c->k, true, &c->next_block, x);
        if (!s)
            s = stream_meet(c, &c->end, x, &v);
        if (!s)
            c->end.holds[v] = past_or(p, c->end.holds[v], P > 1 ? length_truth(c, r) : past_const(p, true));
    }
    for (int t = 0; t < m->n_prefix && !s; t++) {
        c->next_block = 0;
        counting_embed(&c->k, -1, t, 0, c->before + (size_t)t * (size_t)c->D);
        s = counting_advance(&c->k, false, &c->next_block, c->before + (size_t)t * (size_t)c->D);
    }
    streams_name(c, &c->word, "V");
    streams_name(c, &c->end, "E");
    return s ? s : past_status(p, c->k.err);
}

static at_status program_make(program *c, at_extracted_count *out)
{
    at_status s = first_make(c);
    while (!s && c->next_block < c->k.m->n_blocks) {
        int values = c->word.n > c->end.n ? c->word.n : c->end.n;
        out->values = values > out->values ? values : out->values;
        out->layers++;
        c->block = c->next_block;
        s = layer_run(c);
    }
    at_formula *accept = past_const(&c->k.p, false);
    for (int v = 0; v < c->end.n && !s; v++)
        if (c->end.x[(size_t)v * (size_t)c->D] != 0)
            accept = past_or(&c->k.p, accept, c->end.holds[v]);
    return s ? s : past_accept(&c->k.p, accept, c->k.err);
}

at_status at_extract_crasp(const at_model *m, at_arith arith, int values, at_arena *a,
                           at_extracted_count *out, at_err *err)
{
    at_err own = {0};
    at_arena scratch;
    program c = {.D = m->width};
    *out = (at_extracted_count){0};
    at_arena_init(&scratch);
    at_status s = counting_open(&c.k, m, arith, true, values, &scratch, a, &own);
    if (!s)
        s = program_make(&c, out);
    s = counting_close(&c.k, s, out, err);
    at_arena_release(&scratch);
    return s;
}
