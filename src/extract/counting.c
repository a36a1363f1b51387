/* counting.c: what a model must be to be turned into counts, its steps outside of attention, and the streams that it can have. */
#include "extract_internal.h"

#include <math.h>
#include <string.h>

static at_status arith_fits(at_arith a, at_err *err)
{
    char name[16];
    at_arith_name(a, name);
    if (a.kind == AT_PBIT)
        return at_fail(err, AT_EREFUSED,
                       "%s rounds both sums of a mean before it divides, so what comes out depends on the "
                       "length in ways "
                       "that no one formula has; q%de%d rounds the quotient alone: --precision q4e3",
                       name, a.bits, a.exp_bits);
    if (a.kind != AT_QUOTIENT)
        return at_fail(
            err, AT_EREFUSED,
            "in %s a stream has no few values; counts are made of models in qNeE: --precision q4e3", name);
    if (a.bits > 12 || a.exp_bits > 5)
        return at_fail(err, AT_EREFUSED,
                       "%s: at most 12 bits and 5 exponent bits are worked with: --precision q4e3", name);
    return AT_OK;
}

static at_status group_fits(const at_group *g, bool ordered, at_err *err)
{
    bool back = at_mask_is(g->mask.kind, AT_IS_GROWING), all = at_mask_is(g->mask.kind, AT_IS_ALL);
    bool one = at_weighting_is(g->weighting, AT_IS_ONE), pairs = at_weighting_is(g->weighting, AT_IS_PAIRS);
    bool mean = at_weighting_is(g->weighting, AT_IS_EXP) || at_weighting_hard(g->weighting);
    if (!mean || one || pairs)
        return at_fail(err, AT_EREFUSED, "%s attention is no mean that counts decide%s",
                       at_weighting_names[g->weighting],
                       one ? "; it chooses by order: --to ltl or dfa" : "; softmax and average-hard are");
    if (ordered ? !back : !all)
        return at_fail(err, AT_EREFUSED, "the mask %s: %s", at_mask_names[g->mask.kind],
                       ordered ? all ? "C-RASP is made of causal and strict ones; without a mask: --to foc"
                                     : "C-RASP is made of causal and strict ones"
                       : back  ? "FOC[MOD;+] knows no order; causal and strict ones: --to crasp"
                               : "FOC[MOD;+] is made of models without masks");
    return AT_OK;
}

static at_status model_fits(const at_model *m, bool ordered, at_err *err)
{
    at_status s = at_model_takes(m, AT_IN_ANALYSE, "extraction", err);
    if (s)
        return s;
    if (m->n_fields != 1 || m->fields[0].kind != AT_FIELD_TOKEN || m->fields[0].size > AT_LETTERS_MAX)
        return at_fail(err, AT_EREFUSED, "it does not read words of at most %d letters", AT_LETTERS_MAX);
    if (m->decode.enabled || !m->readout.last || m->readout.kind != AT_READ_THRESHOLD || m->readout.rows != 1)
        return at_fail(err, AT_EREFUSED, "it does not answer yes or no, once for the whole word");
    if (m->n_suffix != 1)
        return at_fail(err, AT_EREFUSED,
                       "there %s behind the word, and one is needed, where the answer is read",
                       m->n_suffix ? "is more than one hidden position" : "is no hidden position");
    for (int k = 0; k < m->n_blocks && !s; k++) {
        const at_block *b = &m->blocks[k];
        if (b->kind != AT_BLOCK_ATTN && b->kind != AT_BLOCK_MLP)
            return at_fail(err, AT_EREFUSED, "block %d is neither attention nor an MLP", k + 1);
        for (int g = 0; b->kind == AT_BLOCK_ATTN && g < b->n_groups && !s; g++) {
            s = group_fits(&b->groups[g], ordered, err);
            if (!s && b->groups[g].mask.kind != b->groups[0].mask.kind)
                s = at_fail(err, AT_EREFUSED, "block %d has different masks", k + 1);
        }
    }
    return s;
}

at_status counting_open(counting *k, const at_model *m, at_arith arith, bool ordered, int most,
                        at_arena *scratch, at_arena *kept, at_err *err)
{
    at_alphabet sigma = {m->n_fields ? m->fields[0].size : 0, NULL};
    *k = (counting){.m = m,
                    .a = scratch,
                    .err = err,
                    .most = most ? most : AT_EXTRACT_VALUES,
                    .ordered = ordered,
                    .p.named = ordered};
    at_status s = model_fits(m, ordered, err);
    if (!s)
        s = at_model_period(m, &k->period, err);
    if (!s)
        s = arith_fits(arith, err);
    if (!s)
        s = at_arith_range(m, arith, err);
    if (s)
        return s;
    const char **letter = at_new(kept, const char *, sigma.n);
    if (!letter)
        return at_oom(err);
    for (int c = 0; c < sigma.n; c++) {
        const at_field *f = &m->fields[0];
        letter[c] = f->words ? at_arena_strdup(kept, f->words[c].s) : at_arena_printf(kept, "%d", c);
        if (!letter[c])
            return at_oom(err);
    }
    sigma.letter = letter;
    s = at_formulas_new(&sigma, kept, &k->p.f, err);
    return s ? s : at_stage_new(m, arith, &k->stage, err);
}

void counting_embed(counting *k, int letter, int hidden, int row, double *x)
{
    const at_model *m = k->m;
    double token = letter;
    int t = hidden >= 0 ? hidden : m->n_prefix + row;
    at_stage_embed(k->stage, letter >= 0 ? &token : NULL, t, letter < 0 && hidden < 0 ? t + 1 : t + 2, x);
}

/* Behind the last block: a stream becomes yes or no. */
static at_status stream_answer(counting *k, double *x)
{
    double v;
    at_status s = at_stage_readout(k->stage, x, 1, &v, k->err);
    if (!s && !isfinite(v))
        return at_fail(k->err, AT_EREFUSED, "its readout is not finite in this arithmetic");
    memset(x, 0, (size_t)k->m->width * sizeof *x);
    x[0] = !s && v > k->m->readout.threshold;
    return s;
}

at_status counting_advance(counting *k, bool answers, int *b, double *x)
{
    const at_model *m = k->m;
    double *y = at_new(k->a, double, 2 * (size_t)m->width);
    if (!y)
        return at_oom(k->err);
    for (; *b < m->n_blocks && m->blocks[*b].kind != AT_BLOCK_ATTN; ++*b) {
        at_stage_read(k->stage, *b, x, 1, y);
        at_status s = at_stage_mlp(k->stage, *b, y, 1, y + m->width, k->err);
        if (s)
            return s;
        at_stage_close(k->stage, *b, y + m->width, 1, x);
    }
    for (int d = 0; d < m->width; d++) {
        x[d] += 0.0; /* a zero has no sign here: no step asks for it */
        if (!isfinite(x[d]))
            return at_fail(k->err, AT_EREFUSED,
                           "its stream leaves the numbers of this arithmetic before block %d", *b + 1);
    }
    return answers && *b == m->n_blocks ? stream_answer(k, x) : AT_OK;
}

at_formula *class_truth(past *p, int period, int r)
{
    return at_formula_make(p->f, (at_formula){.op = AT_F_CLASS, .index = r, .modulus = period});
}

at_status counting_close(counting *k, at_status s, at_extracted_count *out, at_err *err)
{
    out->formulas = s ? NULL : k->p.f;
    out->period = k->period;
    for (int n = 0; !s && n < k->p.f->n_parts; n++)
        out->inequalities += k->p.f->parts[n]->op == AT_F_LESS_EQUAL;
    at_stage_free(k->stage);
    if (s == AT_EBUDGET)
        return at_fail(err, s, "%s (in attention layer %d)", k->err->text, out->layers);
    return s ? at_fail(err, s, "%s", k->err->text) : AT_OK;
}

at_status streams_meet(counting *k, streams *s, size_t width, const double *x, int block, int *out)
{
    size_t bytes = width * sizeof *x;
    for (int i = 0; i < s->n; i++)
        if (memcmp(s->x + (size_t)i * width, x, bytes) == 0) {
            *out = i;
            return AT_OK;
        }
    if (s->n == k->most)
        return at_fail(k->err, AT_EBUDGET, "before block %d its stream has more than %d values", block,
                       k->most);
    if (s->n == s->room) {
        int room = s->room ? 2 * s->room : 16;
        double *more = at_new(k->a, double, (size_t)room *width);
        at_formula **holds = at_new(k->a, at_formula *, room);
        if (!more || !holds)
            return at_oom(k->err);
        if (s->n) {
            memcpy(more, s->x, (size_t)s->n * bytes);
            memcpy(holds, s->holds, (size_t)s->n * sizeof *holds);
        }
        s->x = more;
        s->holds = holds;
        s->room = room;
    }
    memcpy(s->x + (size_t)s->n * width, x, bytes);
    s->holds[s->n] = past_const(&k->p, false);
    *out = s->n++;
    return AT_OK;
}
