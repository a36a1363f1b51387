/* foc.c: softmax without masks, its quotients rounded alone, as a formula of FOC[MOD;+].
 *
 * CLAIM foc-upper. Without masks all positions of one letter, and of one class modulo the period, have the same stream before every layer: what
 * they see is the same, and so is what they are. So the streams of all such kinds together, and of the hidden positions, are one of
 * finitely many rows of values, a case, and which case it is before the next layer is decided by linear inequalities (mean.c) of the
 * numbers of positions of each kind in the whole word. Case by case and layer by layer that is a combination of inequalities between counts
 * of letters in classes of positions: FOC[MOD;+]. Behind the last layer only the hidden position behind the word is read. Where its
 * positions repeat, the stream of that one depends on the length modulo the period, a congruence. */
#include "extract_internal.h"

#include <string.h>

typedef struct {
    counting k;
    int D, kinds; /* letters in classes, then positions before the word, then the one behind it */
    at_formula **count;
    streams now, next;
    const double *from; /* the case at hand (kinds, D) */
    int *asked;         /* (kinds): the query that it is; -1: it is not asked for any more */
    int block, next_block;
} formula;

static at_status case_meet(formula *c, streams *s, const double *x, int *out)
{
    return streams_meet(&c->k, s, (size_t)c->kinds * (size_t)c->D, x, c->next_block + 1, out);
}

static at_status leaf_meet(void *own, const double *next, int *leaf, at_err *err)
{
    formula *c = own;
    (void)err;
    size_t D = (size_t)c->D;
    double *x = at_new(c->k.a, double, (size_t)c->kinds *D);
    at_status s = x ? AT_OK : at_oom(c->k.err);
    for (int k = 0; k < c->kinds && !s; k++) {
        int b = c->block + 1;
        if (c->asked[k] < 0)
            continue;
        memcpy(x + (size_t)k * D, next + (size_t)c->asked[k] * D, D * sizeof *x);
        s = counting_advance(&c->k, k == c->kinds - 1, &b, x + (size_t)k * D);
        c->next_block = b;
    }
    return s ? s : case_meet(c, &c->next, x, leaf);
}

/* The kinds of a case, those with the same stream as one: what is seen. */
static at_status case_run(formula *c, int index, bool last)
{
    past *p = &c->k.p;
    size_t D = (size_t)c->D;
    int n = 0, queries = 0;
    c->from = c->now.x + (size_t)index * (size_t)c->kinds * D;
    offer *o = at_new(c->k.a, offer, c->kinds);
    const double **query = at_new(c->k.a, const double *, c->kinds);
    if (!o || !query)
        return at_oom(c->k.err);
    for (int k = 0; k < c->kinds; k++) {
        const double *x = c->from + (size_t)k * D;
        int at = 0;
        while (at < n && (!o[at].count != !c->count[k] || memcmp(o[at].x, x, D * sizeof *x) != 0))
            at++;
        if (at == n)
            o[n++] = (offer){.x = x, .count = c->count[k], .constant = !c->count[k]};
        else if (c->count[k])
            o[at].count = at_formula_two(p->f, AT_F_ADD, o[at].count, c->count[k]);
        else
            o[at].constant++;
        c->asked[k] = -1;
        for (int q = 0; q < queries && !last; q++)
            if (memcmp(query[q], x, D * sizeof *x) == 0)
                c->asked[k] = q;
        if (c->asked[k] < 0 && (!last || k == c->kinds - 1)) {
            c->asked[k] = queries;
            query[queries++] = x;
        }
    }
    const choice *root;
    mixing w = {.p = p,
                .stage = c->k.stage,
                .a = c->k.a,
                .err = c->k.err,
                .block = c->block,
                .n_offers = n,
                .offers = o,
                .n_queries = queries,
                .query = query,
                .most = c->k.most,
                .meet = leaf_meet,
                .own = c};
    at_formula *holds = c->now.holds[index];
    at_status s = mixing_run(&w, &root);
    for (int v = 0; !s && v < c->next.n; v++)
        c->next.holds[v] = past_or(p, c->next.holds[v], past_and(p, holds, choice_reaches(&w, root, v)));
    return s ? s : past_status(p, c->k.err);
}

/* ---- the first layer ------------------------------------------------------------------------------------------------------------ */

static at_formula *all_counted(past *p, at_formula *what)
{
    return at_formula_make(p->f, (at_formula){.op = AT_F_COUNT, .see = AT_SEE_ALL, .arg = {what}});
}

static at_status first_make(formula *c)
{
    past *p = &c->k.p;
    const at_model *m = c->k.m;
    size_t D = (size_t)c->D;
    int P = c->k.period, S = p->f->sigma.n, words = S * P, v;
    at_status s = AT_OK;
    c->kinds = words + m->n_prefix + 1;
    c->count = at_new(c->k.a, at_formula *, c->kinds);
    c->asked = at_new(c->k.a, int, c->kinds);
    double *x = at_new(c->k.a, double, (size_t)c->kinds *D);
    if (!c->count || !c->asked || !x)
        return at_oom(c->k.err);
    for (int k = 0; k < words; k++) {
        at_formula *is = at_formula_letter(p->f, k / P);
        c->count[k] = all_counted(p, P > 1 ? past_and(p, is, class_truth(p, P, (k % P + 1) % P)) : is);
    }
    for (int r = 0; r < P && !s; r++) { /* letters modulo the period */
        for (int k = 0; k < c->kinds && !s; k++) {
            int letter = k < words ? k / P : -1, hidden = k < words || k == c->kinds - 1 ? -1 : k - words;
            c->next_block = 0;
            counting_embed(&c->k, letter, hidden, k < words ? k % P : r, x + (size_t)k * D);
            s = counting_advance(&c->k, k == c->kinds - 1, &c->next_block, x + (size_t)k * D);
        }
        if (!s)
            s = case_meet(c, &c->now, x, &v);
        at_formula *is = past_const(p, true);
        if (P > 1)
            is = at_formula_make(p->f, (at_formula){.op = AT_F_CONGRUENT,
                                                    .index = r,
                                                    .modulus = P,
                                                    .arg = {all_counted(p, past_const(p, true))}});
        if (!s)
            c->now.holds[v] = past_or(p, c->now.holds[v], is);
    }
    return s ? s : past_status(p, c->k.err);
}

static at_status formula_make(formula *c, at_extracted_count *out)
{
    const at_model *m = c->k.m;
    at_status s = first_make(c);
    while (!s && c->next_block < m->n_blocks) {
        out->values = c->now.n > out->values ? c->now.n : out->values;
        out->layers++;
        c->block = c->next_block;
        bool last = true;
        for (int b = c->block + 1; b < m->n_blocks; b++)
            last &= m->blocks[b].kind != AT_BLOCK_ATTN;
        c->next = (streams){0};
        for (int k = 0; k < c->now.n && !s; k++)
            s = case_run(c, k, last);
        c->now = c->next;
    }
    at_formula *accept = past_const(&c->k.p, false);
    for (int k = 0; k < c->now.n && !s; k++) {
        const double *end = c->now.x + ((size_t)(k + 1) * (size_t)c->kinds - 1) * (size_t)c->D;
        if (*end != 0)
            accept = past_or(&c->k.p, accept, c->now.holds[k]);
    }
    return s ? s : past_accept(&c->k.p, accept, c->k.err);
}

at_status at_extract_foc(const at_model *m, at_arith arith, int values, at_arena *a, at_extracted_count *out,
                         at_err *err)
{
    at_err own = {0};
    at_arena scratch;
    formula c = {.D = m->width};
    *out = (at_extracted_count){0};
    at_arena_init(&scratch);
    at_status s = counting_open(&c.k, m, arith, false, values, &scratch, a, &own);
    if (!s)
        s = formula_make(&c, out);
    s = counting_close(&c.k, s, out, err);
    at_arena_release(&scratch);
    return s;
}
