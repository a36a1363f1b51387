/* compile_dp.c: a dynamic programme becomes a program, and so a decoder that reasons step by step.
 *
 * The sequence is   (s, 0, 0, 0) ...  (0, 0, 0, 0)  (0, i, dp, 0) ...  (0, 0, 0, answer)
 * inputs, a separator, one row a state in order, the answer. At the last row the program computes the next
 * one; it is fed back, rounded, until a row without a state comes after the separator.
 *
 *   1. The next state: counters with carries, as on an odometer; after the separator the first state.
 *   2. Where its dependencies stand: inputs at their index, states at n + 1 + rank. The rank is linear when
 *      bounds do not depend on other counters; an inner counter whose bounds depend on the outer one needs the
 *      outer one's offset: quadratic for triangles, where standard attention looks the square up (one layer more); else
 *      from a table of sqrt(L) units. Of more counters those before the last one that depends on others are
 *      packed into one number, and a table of it has the offset: a unit or two a line.
 *   3. COPY, one way a kind of attention (program.h).
 *   4. The transition, from min, max, comparisons and selections. What folds and what the answer gathers is read in
 *      this very row, which is the one before.
 *   5. At the last state the answer instead.
 * Look-ups that are steered by other look-ups, or by values, simply come one attention layer later.
 *
 * Sizes are constants of the model: one model serves one size (dp_every.c makes a recurrence without sizes). With standard attention its tensor shapes do not
 * depend on the size (as long as offsets are quadratic), and so with local attention, block-sparse with blocks of m rows, m
 * the locality; with linear and sparse attention the width grows like sqrt(L). */
#include "compile_dp.h"

#include "dp_blocks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the program ------------------------------------------------------------------------------------------- */

/* Rows hold zeros where they say nothing, so 0 always counts. */
static double largest(const int64_t *a, int n)
{
    double m = 0;
    for (int k = 0; k < n; k++)
        m = (double)a[k] > m ? (double)a[k] : m;
    return m;
}

static double smallest(const int64_t *a, int n)
{
    double m = 0;
    for (int k = 0; k < n; k++)
        m = (double)a[k] < m ? (double)a[k] : m;
    return m;
}

/* Step 5: the values that the answer asks for: this row's when it asks for the last state, else a copy. */
static void final_values(dp_compiler *c)
{
    const at_dp *d = c->d;
    int64_t at[AT_DP_MAX];
    bool last = true;
    for (int m = 0; m < d->n_counters; m++) {
        double v = (double)c->x->state[(c->x->n_states - 1) * d->n_counters + m];
        at[m] = (int64_t)v;
        if (d->answer_state[m] && dpc_is_const(c, dpc_translate(c, d->answer_state[m]), &v)) {
            last = last && at[m] == (int64_t)v;
            at[m] = (int64_t)v;
        }
    }
    at_var columns[AT_DP_MAX];
    memcpy(c->final, c->value, sizeof c->final);
    dpc_place(c, d->answer->line, d->answer->column);
    int64_t rank = at_dp_rank(c->x, at);
    if (last || rank < 0)
        return; /* without that state, values are read in a branch that is not taken */
    at_var first = c->n_copied
                       ? c->copy(c->copier, "final", at_const(c->P, (double)(c->x->n_input + 2 + rank)),
                                 dpc_copied(c, columns), false)
                       : 0;
    for (int k = 0; k < c->n_copied && first >= 0; k++)
        c->final[c->copied[k]] = first + k;
}

static void build(dp_compiler *c)
{
    const at_dp *d = c->d;
    const at_dp_instance *x = c->x;
    at_program *P = c->P;
    int64_t top = 0, bottom = 0;
    for (int64_t k = 0; k < x->n_states * d->n_counters; k++) {
        top = x->state[k] > top ? x->state[k] : top;
        bottom = x->state[k] < bottom ? x->state[k] : bottom;
    }
    double value_lo = smallest(x->value_lo, d->n_values), value_hi = largest(x->value_hi, d->n_values);
    for (int k = 0; k < d->n_values; k++)
        if (dpc_too_large((double)x->value_lo[k], (double)x->value_hi[k]))
            dpc_fail(c, d->values[k].name.line, d->values[k].name.column,
                     "%s lies in %jd..%jd at these sizes; compiled are numbers in -2^40..2^40",
                     d->values[k].kind == AT_DP_DECLARED ? d->values[k].name.name : "this",
                     (intmax_t)x->value_lo[k], (intmax_t)x->value_hi[k]);
    if (c->pack && c->pack->blocks)
        at_program_narrow(P);
    else if (c->pack)
        at_prefix(P, 1);
    at_program_lengths(P, (int)x->n_input + 1);
    c->s = at_ints(P, "input", 1, smallest(x->input_lo, d->n_inputs), largest(x->input_hi, d->n_inputs));
    at_var state = at_ints(P, "state", d->n_counters, (double)bottom, (double)top);
    at_var value = at_ints(P, "value", d->n_values, value_lo, value_hi);
    at_ints(P, "answer", 1, smallest(&x->answer_lo, 1), largest(&x->answer_hi, 1));
    for (int m = 0; m < d->n_counters; m++)
        c->state[m] = state + m;
    for (int k = 0; k < d->n_values; k++)
        c->value[k] = value + k;
    c->copier = c->pack ? NULL : at_copier_new(P, &c->copying);
    at_var out[2 + 2 * AT_DP_MAX], zero = at_const(P, 0), is_last = at_const(P, 1);
    bool any = x->n_states > 0; /* without states the answer follows the separator */
    if (any) {
        is_last = dpc_next_state(c);
        dpc_copied_find(c);
        dpc_fetch(c);
        if (!c->pack)
            final_values(c);
    }
    for (int k = 0; !any && k < d->n_values; k++)
        c->final[k] = zero; /* in a branch that is not taken */
    int n = 0;
    out[n++] = zero;
    for (int m = 0; m < d->n_counters; m++) {
        dpc_place_name(c, &d->counters[m].name);
        out[n++] = any ? at_select(P, dpc_fresh(c), is_last, zero, c->next[m]) : zero;
    }
    for (int k = 0; k < d->n_values; k++) /* step 4 */
        out[n++] = any ? at_select(P, dpc_fresh(c), is_last, zero, dpc_value(c, k)) : zero;
    c->answers = true;
    out[n++] = at_select(P, "answer'", is_last, dpc_translate(c, d->answer), zero);
    at_emit(P, (at_vec){n, out}, AT_READ_ROUND, 0);
    at_copier_free(c->copier);
}

/* What the options leave out of the construction, for controls. */
static at_status fewer_apply(const at_dp_instance *x, const at_dp_options *o, at_copying *copying,
                             at_err *err)
{
    int L = (int)x->L, W = (int)ceil(sqrt(L)), m = (int)x->locality, all = 0;
    copying->length = L;
    switch (o->attention) {
    case AT_ATTENTION_LOCAL:
        if (m < 0)
            return at_fail(err, AT_EREFUSED,
                           "local attention needs the locality of the recurrence, which is unknown here: "
                           "inputs steer its %jd states in too many ways",
                           (intmax_t)x->n_states);
        /* Row i writes row i+1, which needs rows i+1-m..i; a window of m rows ends at row i. */
        all = m > 1 ? m : 1;
        copying->block = all - o->fewer;
        break;
    case AT_ATTENTION_LINEAR:
        all = (L - 1) / W + 1;
        copying->blocks = all - o->fewer;
        break;
    case AT_ATTENTION_SPARSE:
        all = W;
        copying->slots = all - o->fewer;
        break;
    case AT_ATTENTION_STANDARD:
        return AT_OK;
    }
    return o->fewer < all
               ? AT_OK
               : at_fail(err, AT_EDOMAIN, "%d fewer, and there are only %d; one must be left", o->fewer, all);
}

static at_copy_fn *copy_of(at_attention_kind k)
{
    switch (k) {
    case AT_ATTENTION_STANDARD:
        return at_copy_standard;
    case AT_ATTENTION_LINEAR:
        return at_copy_linear;
    case AT_ATTENTION_SPARSE:
        return at_copy_sparse;
    case AT_ATTENTION_LOCAL:
        return at_copy_window;
    }
    return NULL;
}

/* error: of copies; 0: what integers need. */
static at_status program_of(const at_dp_instance *x, const at_dp_options *o, double error, at_program **out,
                            at_err *err)
{
    const at_dp *d = x->d;
    dp_compiler c = {.x = x, .d = d, .copy = copy_of(o->attention), .copying = {.error = error}};
    if (x->L > AT_MAX_LENGTH)
        return at_fail(err, AT_EDOMAIN, "%.100s:%d:%d: L = %jd rows at these sizes; at most %d", d->path,
                       d->n_sizes ? d->sizes[0].line : 1, d->n_sizes ? d->sizes[0].column : 1, (intmax_t)x->L,
                       AT_MAX_LENGTH);
    at_status s = o->pack ? dp_pack_open(x, o, &c.pack, err) : fewer_apply(x, o, &c.copying, err);
    if (s)
        return s;
    for (int k = 0; k < AT_DP_MAX; k++)
        c.let[k] = c.take[k] = c.need[k] = c.final[k] = c.square[k] = c.now[k] = -1;
    memset(c.exact, -1, sizeof c.exact);
    c.memo = at_malloc((size_t)d->n_nodes * sizeof *c.memo);
    if (!c.memo) {
        dp_pack_close(c.pack);
        return at_oom(err);
    }
    memset(c.memo, -1, (size_t)d->n_nodes * sizeof *c.memo);
    if (!(c.P = at_program_new(d->title, (int)x->L))) {
        at_free(c.memo);
        dp_pack_close(c.pack);
        return at_oom(err);
    }
    if (o->scale != 0)
        at_program_weaken(c.P, o->scale);
    if (o->arith)
        at_program_arithmetic(c.P, *o->arith);
    if (o->reals)
        at_program_reals(c.P);
    build(&c);
    at_free(c.memo);
    dp_pack_close(c.pack);
    s = c.wrong.code ? at_fail(err, c.wrong.code, "%s", c.wrong.text) : at_program_status(c.P, err);
    if (s)
        at_program_free(c.P);
    else
        *out = c.P;
    return s;
}

at_status at_dp_program(const at_dp_instance *x, const at_dp_options *o, at_program **out, at_err *err)
{
    return program_of(x, o, 0, out, err);
}

/* Rows are rounded before they are fed back, so errors below 1/2 vanish; half of that is kept in reserve. A rule may multiply
 * the error of a copy (1000000 x): then copies are made as exact as doubles are. */
#define ERROR_MOST  0.25
#define ERROR_LEAST 0x1p-64

/* Says where it comes from: the first step whose error is at least half of the worst, its place in the file, its range. */
static at_status too_vague(const at_program *P, const at_dp_options *o, at_err *err)
{
    double most = 0;
    at_var_info worst = {0};
    char arith[16];
    at_arith_name(o->arith ? *o->arith : at_f64, arith);
    for (at_var v = 0; v < at_program_vars(P); v++)
        most = fmax(most, at_program_var(P, v).err);
    for (at_var v = at_program_vars(P) - 1; v >= 0; v--) {
        at_var_info i = at_program_var(P, v);
        if (i.name && !(i.err < most / 2))
            worst = i;
    }
    return at_fail(err, AT_EDOMAIN,
                   "%s%sthis, in %.17g..%.17g, has an error of up to %.3g in %s, and %g is the most that "
                   "rounding rows removes",
                   worst.place ? worst.place : "", worst.place ? ": " : "", worst.lo, worst.hi, worst.err,
                   arith, ERROR_MOST);
}

static at_status assembled(const at_dp_instance *x, const at_dp_options *o, bool weights, at_model *m,
                           at_err *err)
{
    at_status s = AT_OK;
    for (int k = 0; k < 2; k++) {
        double bound = 0;
        at_program *P;
        at_err why = {0};
        s = program_of(x, o, k ? ERROR_LEAST : 0, &P, err);
        if (s)
            return s;
        s = weights ? at_assemble(P, m, &bound, &why) : at_program_shape(P, m, &why);
        bool vague = !s && !(bound < ERROR_MOST);
        if (vague) {
            at_model_release(m);
            s = too_vague(P, o, &why);
        }
        at_program_free(P);
        if (!s)
            return AT_OK;
        if (s != AT_EDOMAIN || k) /* the first refusal may be for an error that is too large */
            return at_fail(err, s, "%s", why.text);
    }
    return s;
}

/* What a prompt is: each input in its own range, and the separator. */
static at_status prompt_say(const at_dp_instance *x, at_model *m, at_err *err)
{
    const at_dp *d = x->d;
    int width = at_model_row_width(m), n = 0;
    at_stretch *s = at_new(&m->arena, at_stretch, d->n_inputs + 1);
    for (int k = 0; s && k <= d->n_inputs; k++) {
        bool bar = k == d->n_inputs;
        int rows = bar ? 1 : (int)x->input_len[k];
        if (!rows)
            continue;
        double *lo = at_new(&m->arena, double, width), *hi = at_new(&m->arena, double, width);
        if (!lo || !hi)
            return at_oom(err);
        lo[0] = bar ? 0 : (double)x->input_lo[k];
        hi[0] = bar ? 0 : (double)x->input_hi[k];
        s[n++] = (at_stretch){rows, rows, width, lo, hi};
    }
    m->decode.prompt = s;
    m->decode.n_prompt = n;
    return s ? AT_OK : at_oom(err);
}

/* Which recurrence at which sizes. */
static at_status sizes_remember(const at_dp_instance *x, at_model *m, at_err *err)
{
    const at_dp *d = x->d;
    at_param rows[AT_DP_MAX];
    at_params p;
    for (int k = 0; k < d->n_sizes; k++)
        rows[k] = (at_param){.name = d->sizes[k].name, .value = (double)x->size[k], .integer = true};
    at_params_init(&p, rows, d->n_sizes);
    return at_problem_remember(d->known ? d->known : d->path, d->known ? NULL : d->digest, &p, m, err);
}

static at_status decoder_of(const at_dp_instance *x, const at_dp_options *o, bool weights, at_model *m,
                            at_err *err)
{
    const char *path = x->d->path;
    at_err why = {0};
    at_status s = assembled(x, o, weights, m, &why);
    if (s &&
        (s == AT_ENOMEM || !strncmp(why.text, path, strnlen(path, 100)))) /* or it names its place already */
        return at_fail(err, s, "%s", why.text);
    if (s)
        return at_fail(err, s, "%.100s: %s", path, why.text);
    /* The answer is the first row without a state. It is not fed back, so n_max = L leaves one to spare. */
    m->decode = (at_decode){.enabled = true,
                            .stop = AT_STOP_EQUALS,
                            .coordinate = 1,
                            .value = 0,
                            .max_steps = (int)x->n_states + 1,
                            .prompt_min = (int)x->n_input + 1,
                            .prompt_max = (int)x->n_input + 1};
    s = prompt_say(x, m, err);
    if (!s)
        s = sizes_remember(x, m, err);
    if (!s)
        s = weights ? at_model_validate(m, err) : at_model_shape(m, err); /* either checks the stop rule */
    if (s)
        at_model_release(m);
    return s;
}

at_status at_dp_model(const at_dp_instance *x, const at_dp_options *o, at_model *m, at_err *err)
{
    return decoder_of(x, o, true, m, err);
}

at_status at_dp_shape(const at_dp_instance *x, const at_dp_options *o, at_model *m, at_err *err)
{
    return decoder_of(x, o, false, m, err);
}
