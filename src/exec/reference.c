/* reference.c: running one sequence in any arithmetic: what is refused, results, dispatch.
 *
 * The forward pass itself is in rows.inc (kernels) and reference.inc (order of kernels); an arithmetic is
 * one file that includes both. The rounding rules are in docs/exec.md.
 *
 * Memory: results are allocated first, scratch after them, so that giving scratch back keeps the results; on a
 * failure everything goes back and the outputs are untouched. */
#include <math.h>
#include <string.h>

#include "exec_internal.h"

const at_arith at_f32 = {.kind = AT_F32};
const at_arith at_f64 = {.kind = AT_F64};

/* ---- what an arithmetic cannot do ---------------------------------------------------------------------- */

/* How large a feature gets at the last index of a decoder. */
static double feature_top(const at_model *m, const at_pos *p)
{
    double most = 0;
    int64_t T = (int64_t)m->n_prefix + m->n_max;
    for (int f = 0; !at_pos_is(p->kind, AT_IS_ROWS) && f < at_pos_features(p); f++)
        most = fmax(most, fabs(at_pos_value(p, f, m->pos_origin + T - 1, T)));
    return most;
}

at_status at_arith_range(const at_model *m, at_arith a, at_err *err)
{
    if (a.kind != AT_F32 && a.kind != AT_PBIT && a.kind != AT_QUOTIENT)
        return AT_OK;
    at_pfmt f = at_pfmt_of(a);
    char name[16];
    at_arith_name(a, name);
    for (int t = 0; t < m->n_tensors; t++)
        for (size_t k = 0; k < m->tensors[t].count; k++) {
            double w = m->weights[m->tensors[t].offset + k];
            if (!(fabs(at_p_round(&f, w)) <= f.max))
                return at_fail(err, AT_EDOMAIN, "%s holds numbers up to %.6g; weight %zu of %s is %.6g", name,
                               f.max, k + 1, m->tensors[t].name, w);
        }
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++)
            if (!(fabs(m->blocks[b].groups[g].scale) <= f.max))
                return at_fail(err, AT_EDOMAIN,
                               "%s holds numbers up to %.6g; block %d, group %d has the scale %.6g", name,
                               f.max, b, g, m->blocks[b].groups[g].scale);
    for (int k = 0; k < m->n_pos && m->decode.enabled; k++) {
        double top = feature_top(m, &m->pos[k]);
        if (!(top <= f.max))
            return at_fail(err, AT_EDOMAIN,
                           "%s holds numbers up to %.6g; position feature %d (%s) reaches %.6g", name, f.max,
                           k, at_pos_names[m->pos[k].kind], top);
    }
    return AT_OK;
}

/* Do the error bounds of the model, proved for some arithmetic, hold in this one? Every operation of it must err no more, and its
 * numbers reach as far. Means of QUOTIENT round once, so that only QUOTIENT follows from it. */
static at_status made_for(const at_model *m, at_arith a, const char *name, at_err *err)
{
    at_arith own;
    at_err none = {0};
    if (!m->arithmetic || at_arith_parse(m->arithmetic, &own, &none))
        return AT_OK; /* of a later version */
    at_pfmt f = at_pfmt_of(a), g = at_pfmt_of(own);
    bool reals = own.kind == AT_BALL || own.kind == AT_EXACT;
    const char *has = reals                                           ? "rounds"
                      : own.kind == AT_QUOTIENT && a.kind != own.kind ? "rounds its means more often"
                      : f.p < g.p                                     ? "has fewer bits"
                      : f.emax < g.emax                               ? "has a smaller range"
                                                                      : NULL;
    return has ? at_fail(err, AT_EDOMAIN,
                         "the error bounds of the model were proved for %s; %s %s: nothing was proved there",
                         reals ? "real numbers" : m->arithmetic, name, has)
               : AT_OK;
}

at_status at_arith_doubts(const at_model *m, at_arith a, at_err *err)
{
    int p = at_pfmt_of(a).p;
    if (a.kind == AT_BALL || a.kind == AT_EXACT)
        return AT_OK;
    char name[16];
    at_arith_name(a, name);
    if (made_for(m, a, name, err))
        return AT_EDOMAIN;
    for (int k = 0; k < m->n_fields; k++) {
        const at_field *f = &m->fields[k];
        double most = fmax(fabs(f->lo), fabs(f->hi));
        if (f->kind == AT_FIELD_INT && most > ldexp(1, p))
            return at_fail(err, AT_EDOMAIN,
                           "%s has every integer up to %.17g, and field %s goes to %.17g: what is larger may "
                           "be rounded, and "
                           "margins do not tell",
                           name, ldexp(1, p), f->name, most);
    }
    return AT_OK;
}

at_status at_arith_supports(const at_model *m, at_arith a, at_err *err)
{
    if (a.kind != AT_EXACT)
        return AT_OK;
    for (int k = 0; k < m->n_pos; k++)
        if (!(at_pos_parts[m->pos[k].kind].in & AT_IN_EXACT))
            return at_fail(err, AT_EREFUSED,
                           "exact arithmetic has no irrational numbers: position feature %d is %s", k,
                           at_pos_names[m->pos[k].kind]);
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *block = &m->blocks[b];
        if (block->norm != AT_NORM_NONE)
            return at_fail(err, AT_EREFUSED, "exact arithmetic has no square root: block %d has norm %s", b,
                           at_norm_names[block->norm]);
        if (block->kind == AT_BLOCK_RNN)
            return at_fail(err, AT_EREFUSED, "exact arithmetic has no exp: block %d is an rnn of cell %s", b,
                           at_rnn_cell_names[block->rnn.cell]);
        if (at_block_dense(block) && block->n_dense > 1 && !(at_act_parts[block->act].in & AT_IN_EXACT))
            return at_fail(err, AT_EREFUSED, "exact arithmetic has no %s: block %d has activation %s",
                           at_act_is(block->act, AT_IS_ERF) ? "erf" : "exp", b, at_act_names[block->act]);
        for (int g = 0; block->kind == AT_BLOCK_ATTN && g < block->n_groups; g++)
            if (!(at_weighting_parts[block->groups[g].weighting].in & AT_IN_EXACT))
                return at_fail(err, AT_EREFUSED,
                               "exact arithmetic has no exp: block %d, group %d has weighting %s", b, g,
                               at_weighting_names[block->groups[g].weighting]);
    }
    if (m->readout.final_norm)
        return at_fail(err, AT_EREFUSED, "exact arithmetic has no square root: the readout has a norm");
    if (at_read_distribution(m->readout.kind) &&
        !(at_weighting_parts[at_read_weighting(m->readout.kind)].in & AT_IN_EXACT))
        return at_fail(err, AT_EREFUSED, "exact arithmetic has no exp: the readout is %s",
                       at_read_names[m->readout.kind]);
    return at_model_takes(m, AT_IN_EXACT, "exact arithmetic", err);
}

at_status exec_whole(const at_model *m, at_err *err)
{
    int b = at_model_trait(m, AT_TRAIT_ROUNDED);
    return b < 0 ? AT_OK
                 : at_fail(err, AT_EREFUSED,
                           "block %d is cleared by rounding its sums after every token, and whole passes do "
                           "not: decode it row "
                           "by row (attest generate)",
                           b);
}

/* ---- results -------------------------------------------------------------------------------------------------- */

static at_status output_alloc(const at_model *m, int n, at_arena *arena, at_output *y, at_err *err)
{
    *y = (at_output){.n = m->readout.last ? 1 : n, .rows = m->readout.rows};
    y->width = m->readout.kind == AT_READ_ARGMAX ? 1 : y->rows;
    size_t values = (size_t)y->n * (size_t)y->rows, decisions = (size_t)y->n * (size_t)y->width;
    y->value = at_new(arena, double, values);
    y->radius = at_new(arena, double, values);
    y->decision = at_new(arena, double, decisions);
    y->margin = at_new(arena, double, decisions);
    y->decided = at_new(arena, uint8_t, decisions);
    return y->value && y->radius && y->decision && y->margin && y->decided ? AT_OK : at_oom(err);
}

static at_status trace_alloc(const at_model *m, int T, at_arena *arena, at_trace *t, at_err *err)
{
    size_t square = (size_t)T * (size_t)T;
    int heads = 0;
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++)
            heads += m->blocks[b].groups[g].heads;
    *t = (at_trace){.T = T, .D = m->width, .n_states = m->n_blocks + 1};
    t->heads = at_new(arena, at_trace_head, heads ? heads : 1);
    t->state = at_new(arena, double *, t->n_states);
    if (!t->heads || !t->state)
        return at_oom(err);
    for (int k = 0; k < t->n_states; k++)
        if (!(t->state[k] = at_new(arena, double, (size_t)T *(size_t)m->width)))
            return at_oom(err);
    for (int b = 0; b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++)
            for (int h = 0; h < m->blocks[b].groups[g].heads; h++) {
                at_trace_head *head = &t->heads[t->n_heads++];
                *head =
                    (at_trace_head){.block = b, .group = g, .head = h, .w = at_new(arena, double, square)};
                if (!head->w)
                    return at_oom(err);
                if (at_weighting_is(m->blocks[b].groups[g].weighting, AT_IS_PAIRS))
                    continue;
                if (!(head->score = at_new(arena, double, square)))
                    return at_oom(err);
                for (size_t k = 0; k < square; k++)
                    head->score[k] = -INFINITY;
            }
    return AT_OK;
}

/* ---- running ------------------------------------------------------------------------------------------------------ */

static at_status run(ref_ctx *c, ref_forward *forward, const at_input *x, at_trace *trace, at_output *y)
{
    at_mark mark = at_arena_mark(c->arena);
    at_output out;
    at_trace tr;
    at_status st = output_alloc(c->m, x->n, c->arena, &out, c->err);
    if (!st && trace)
        st = trace_alloc(c->m, c->m->n_prefix + x->n + c->m->n_suffix, c->arena, &tr, c->err);
    if (!st)
        st = forward(c, x, trace ? &tr : NULL, &out);
    if (st) {
        at_arena_reset(c->arena, mark);
        return st;
    }
    *y = out;
    if (trace)
        *trace = tr;
    return AT_OK;
}

/* f32 and f64 as p-bit formats. */
static at_pfmt format_of(at_arith a)
{
    if (a.kind == AT_PBIT || a.kind == AT_QUOTIENT)
        return at_pfmt_of(a);
    bool f32 = a.kind == AT_F32;
    return at_pfmt_of((at_arith){.kind = AT_PBIT, .bits = f32 ? 24 : 53, .exp_bits = f32 ? 8 : 11});
}

static at_status check(const at_model *m, at_arith a, const at_input *x, at_err *err)
{
    if ((unsigned)a.kind >= AT_ARITH_KINDS)
        return at_fail(err, AT_EDOMAIN, "arithmetic number %u out of range 0..%d", (unsigned)a.kind,
                       AT_ARITH_KINDS - 1);
    if (a.kind == AT_BALL && a.bits < 2)
        return at_fail(err, AT_EDOMAIN, "ball arithmetic with %d bits; at least 2 are needed", a.bits);
    at_status st = at_arith_supports(m, a, err);
    if (!st)
        st = exec_whole(m, err);
    return st ? st : at_input_check(m, x, err);
}

at_status at_run(const at_model *m, at_arith a, const at_input *x, at_trace *trace, at_arena *arena,
                 at_output *y, at_err *err)
{
    static ref_forward *const forwards[AT_ARITH_KINDS] = {
        [AT_F32] = ref_forward_f32,   [AT_F64] = ref_forward_f64,     [AT_PBIT] = ref_forward_pbit,
        [AT_BALL] = ref_forward_ball, [AT_EXACT] = ref_forward_exact, [AT_QUOTIENT] = ref_forward_pbit,
    };
    at_status st = check(m, a, x, err);
    if (st)
        return st;
    ref_ctx c = {.m = m, .arena = arena, .err = err, .prec = a.bits, .quotient = a.kind == AT_QUOTIENT};
    if (a.kind == AT_F32 || a.kind == AT_F64 || a.kind == AT_PBIT || c.quotient)
        c.f = format_of(a);
    return run(&c, forwards[a.kind], x, trace, y);
}

/* Lines of a text, n of them, as texts in the arena. */
static at_status lines_keep(const at_text *t, size_t n, at_arena *arena, const char *const **out, at_err *err)
{
    const char **line = at_new(arena, const char *, n);
    char *s = at_arena_strdup(arena, t->s);
    if (!line || !s)
        return at_oom(err);
    for (size_t k = 0; k < n; k++) {
        line[k] = s;
        s += strcspn(s, "\n");
        *s++ = 0;
    }
    *out = line;
    return AT_OK;
}

at_status at_run_fractions(const at_model *m, const at_input *x, at_arena *arena, const char *const **out,
                           at_err *err)
{
    at_output y;
    at_text text;
    at_status st = check(m, (at_arith){.kind = AT_EXACT}, x, err);
    if (st)
        return st;
    at_text_init(&text);
    at_text_add(&text, "");
    ref_ctx c = {.m = m, .arena = arena, .err = err, .fractions = &text};
    st = run(&c, ref_forward_exact, x, NULL, &y);
    if (!st && text.oom)
        st = at_oom(err);
    if (!st)
        st = lines_keep(&text, (size_t)y.n * (size_t)y.rows, arena, out, err);
    at_text_release(&text);
    return st;
}

/* The longest sum in the model: over a row of weights, over keys, over pairs of keys, or over outcomes. */
static double longest_sum(const at_model *m, int T)
{
    double most = m->width > T ? m->width : T;
    if (at_read_distribution(m->readout.kind))
        most = fmax(most, m->readout.rows);
    for (int b = 0; b < m->n_blocks; b++) {
        const at_block *k = &m->blocks[b];
        for (int g = 0; k->kind == AT_BLOCK_ATTN && g < k->n_groups; g++) {
            const at_group *a = &k->groups[g];
            most = fmax(most, fmax(a->dk, (double)a->heads * a->dv));
            if (at_weighting_is(a->weighting, AT_IS_PAIRS))
                most = fmax(most, (double)T * T);
        }
        for (int l = 0; at_block_dense(k) && l < k->n_dense; l++)
            most = fmax(most, fmax(k->dense[l].rows, (double)at_block_inputs(m, k)));
        if (k->kind == AT_BLOCK_RNN)
            most = fmax(most, k->rnn.state);
    }
    return most + 1; /* the bias */
}

/* The error of a sum of n terms in any order, in half-ulps u of the sum of their sizes: n/(1-nu), and 4 for
 * what else an implementation does to a term. Infinite when u is no longer small against 1/n. */
static double sum_units(double n, const at_pfmt *f)
{
    double nu = ldexp(n, -f->p);
    return nu < 0.5 ? n * (1 + 2 * nu) + 4 : INFINITY;
}

static at_status run_literal(const at_model *m, at_arith a, const at_input *x, bool any_order, at_ties *ties,
                             at_arena *arena, at_output *y, at_err *err)
{
    at_pfmt f = format_of(a);
    ref_ctx c = {.m = m,
                 .arena = arena,
                 .err = err,
                 .f = f,
                 .prec = 128,
                 .literal = true,
                 .any_order = any_order,
                 .gelu_parts = any_order || a.kind == AT_F64,
                 .terms = sum_units(longest_sum(m, m->n_prefix + x->n + m->n_suffix), &f),
                 .ties = ties};
    return run(&c, ref_forward_ball, x, NULL, y);
}

at_status at_run_bound(const at_model *m, at_arith a, const at_input *x, bool any_order, at_arena *arena,
                       at_output *y, at_err *err)
{
    at_status st = check(m, a, x, err);
    if (!st && (a.kind == AT_BALL || a.kind == AT_EXACT))
        st = at_fail(err, AT_EINPUT, "a rounding bound needs f32, f64 or p-bit arithmetic");
    return st ? st : run_literal(m, a, x, any_order, NULL, arena, y, err);
}

at_status at_run_ties(const at_model *m, at_arith a, const at_input *x, at_ties *out, at_err *err)
{
    at_ties ties = {0};
    at_arena arena;
    at_output y;
    at_status st = check(m, a, x, err);
    if (st)
        return st;
    at_arena_init(&arena);
    if (a.kind == AT_EXACT || a.kind == AT_BALL) {
        ref_ctx c = {.m = m, .arena = &arena, .err = err, .prec = a.bits, .ties = &ties};
        st = run(&c, a.kind == AT_BALL ? ref_forward_ball : ref_forward_exact, x, NULL, &y);
    } else
        st = run_literal(m, a, x, false, &ties, &arena, &y, err);
    at_arena_release(&arena);
    if (!st)
        *out = ties;
    return st;
}
