/* front_dp.c: recurrences as a front end: what is said of a compiled one, and, at given sizes, what its analysis says: the
 * length L of the whole sequence, the locality m, and whether it is regular (different inputs have different chains). */
#include <inttypes.h>
#include <string.h>

#include "front_internal.h"

typedef at_status made(const at_dp_instance *x, const at_dp_options *o, at_model *m, at_err *err);

static at_status front_make(made *make, const at_params *p, const at_front_options *o, at_model *m,
                            at_err *err)
{
    void *chain;
    at_status s = ((const at_problem *)p->of)->chain->open(p, &chain, err);
    if (s)
        return s;
    at_dp_options d = {.attention = o->attention, .arith = o->arith, .pack = o->pack, .clear = o->clear};
    s = make(at_dp_chain_instance(chain), &d, m, err);
    at_dp_chain_close(chain);
    return s;
}

static at_status front_model(const at_params *p, const at_front_options *o, at_model *m, at_err *err)
{
    return front_make(at_dp_model, p, o, m, err);
}

static at_status front_shape(const at_params *p, const at_front_options *o, at_model *m, at_err *err)
{
    return front_make(at_dp_shape, p, o, m, err);
}

static at_status bound_open(const at_dp *d, const char *set, at_dp_instance **x, at_err *err)
{
    int64_t size[AT_DP_MAX];
    at_status s = at_dp_sizes_parse(d, set ? set : "", size, err);
    return s ? s : at_dp_bind_all(d, size, x, err);
}

/* But for those that have their usual value. */
static void sizes_say(const at_dp *d, const at_dp_instance *x, at_text *t)
{
    bool any = false;
    for (int k = 0; k < d->n_sizes; k++)
        if (!d->size_usual[k] || x->size[k] != d->size_usual[k]->value) {
            at_text_addf(t, "%s%s=%" PRId64, any ? " " : "", d->sizes[k].name, x->size[k]);
            any = true;
        }
}

/* What could not be proved at these sizes, where, and how to try it. */
static void unproved_say(const at_dp *d, const at_dp_instance *x, at_text *t)
{
    if (x->proved == AT_TRUE)
        return;
    at_text_addf(
        t,
        "unproved: that no input leads outside a range, an input or the states; inputs steer in too many "
        "ways to try them all, first in %.100s:%d:%d. Single prompts can be tried: attest generate MODEL "
        "PROMPT --beside %.100s",
        d->path, x->doubt_line, x->doubt_column, d->path);
}

/* ---- compiled --------------------------------------------------------------------------------------------------- */

/* A declared value by its name; what folds or gathers by what it does: min(k), max. */
static void column_say(const at_dp *d, int k, at_text *t)
{
    const at_dp_value *v = &d->values[k];
    const char *op = v->op == AT_DPX_MIN ? "min" : v->op == AT_DPX_MAX ? "max" : "sum";
    at_text_add(t, k ? "," : "");
    switch (v->kind) {
    case AT_DP_DECLARED:
        at_text_add(t, v->name.name);
        break;
    case AT_DP_FOLDED:
        at_text_addf(t, "%s(%s)", op, v->name.name);
        break;
    case AT_DP_GATHERED:
        at_text_add(t, op);
        break;
    }
}

static bool is_letter(int64_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What stands in a prompt for input k: letters may be typed as they are. */
static void input_say(const at_dp *d, const at_dp_instance *x, int k, at_text *t)
{
    int64_t lo = x->input_lo[k], hi = x->input_hi[k];
    const char *name = d->inputs[k].name.name, *many = x->input_len[k] == 1 ? "" : "s";
    at_text_addf(t, "%" PRId64 " ", x->input_len[k]);
    if (is_letter(lo) && is_letter(hi) && hi - lo < 26)
        at_text_addf(t, "letter%s %s in '%c'..'%c', ", many, name, (char)lo, (char)hi);
    else
        at_text_addf(t, "integer%s %s in %" PRId64 "..%" PRId64 ", ", many, name, lo, hi);
}

/* What a person needs to know to use the model: the rows, and how long the chain is. */
static void compiled_say(const at_dp *d, const at_dp_instance *x, at_said *said)
{
    at_text_add_plain(&said->line, d->title);
    at_text_add(&said->line, d->n_sizes ? ": " : "");
    sizes_say(d, x, &said->line);
    at_text_addf(&said->line, ", %" PRId64 " states, L = %" PRId64, x->n_states, x->L);
    if (x->locality >= 0)
        at_text_addf(&said->line, ", depends on the last %" PRId64 " rows", x->locality);
    at_text *t = &said->lines;
    at_text_add(t, "prompt: ");
    for (int k = 0; k < d->n_inputs; k++)
        input_say(d, x, k, t);
    at_text_add(t, "then |\nrows:   input/");
    for (int k = 0; k < d->n_counters; k++)
        at_text_addf(t, "%s%s", k ? "," : "", d->counters[k].name.name);
    at_text_add(t, "/");
    for (int k = 0; k < d->n_values; k++)
        column_say(d, k, t);
    at_text_add(t, "/answer\n");
    unproved_say(d, x, &said->note);
    at_fact_text(said, "problem", d->title);
    at_fact_number(said, "length", (double)x->L);
    at_fact_number(said, "states", (double)x->n_states);
    at_fact_number(said, "locality", (double)x->locality);
    at_fact_bool(said, "proved", x->proved);
}

static at_status front_compile(const at_reading *r, const char *set, const at_front_options *o, at_model *m,
                               at_said *said, at_err *err)
{
    const at_dp *d = r->problem->self;
    at_dp_instance *x = NULL;
    at_status s = bound_open(d, set, &x, err);
    if (!s)
        s = at_dp_model(
            x, &(at_dp_options){o->attention, .arith = o->arith, .pack = o->pack, .clear = o->clear}, m, err);
    if (!s)
        compiled_say(d, x, said);
    at_dp_instance_free(x);
    return s;
}

/* ---- every size ------------------------------------------------------------------------------------------------- */

static at_status ranges_read(const at_reading *r, const char *set, int64_t *least, int64_t *most, at_err *err)
{
    const at_dp *d = r->problem->self;
    const at_param *schema;
    int n = at_problem_schema(r->problem, AT_VIEW_CHAIN, &schema);
    at_sweep w;
    at_sweep_init(&w, schema, n);
    at_status s = at_sweep_parse(&w, set, err);
    for (int k = 0; !s && k < d->n_sizes; k++) {
        if (!d->size_usual[k] && !at_assignments_name(set, d->sizes[k].name))
            return at_fail(err, AT_EINPUT, "size %s is missing; expected %s=number, or a range, %s=1..9",
                           d->sizes[k].name, d->sizes[k].name, d->sizes[k].name);
        least[k] = (int64_t)at_params_get(&w.first, d->sizes[k].name);
        most[k] = (int64_t)w.last[k]; /* sizes come first */
    }
    return s;
}

static at_status front_every(const at_reading *r, const char *set, at_text *out, at_said *said, at_err *err)
{
    const at_dp *d = r->problem->self;
    int64_t least[AT_DP_MAX], most[AT_DP_MAX];
    at_dp *all = NULL;
    at_dp_instance *x = NULL;
    at_status s = ranges_read(r, set, least, most, err);
    if (!s)
        s = at_dp_every(d, least, most, out, err);
    if (!s) /* a file that cannot be read is not written */
        s = at_dp_parse(out->s, out->n, "the recurrence of every size", &all, err);
    if (!s)
        s = at_dp_bind(all, NULL, &x, err);
    if (!s)
        compiled_say(all, x, said);
    at_dp_instance_free(x);
    at_dp_free(all);
    return s;
}

/* ---- shown -------------------------------------------------------------------------------------------------------- */

#define MOST_INPUTS ((uint64_t)1 << 22) /* of the regularity test: what it keeps of each fits in memory */

typedef struct {
    uint64_t limit; /* inputs that the budget is for */
    at_tri regular;
    int64_t *first, *second;
    uint64_t distinct;
} regularity;

static void input_print(const at_dp_instance *x, const int64_t *in, at_text *t)
{
    for (int64_t i = 0; i < x->n_input; i++)
        at_text_addf(t, "%s%" PRId64, i ? " " : "", in[i]);
}

static void analysis_print(const at_dp *d, const at_dp_instance *x, const regularity *r, at_text *t)
{
    at_text_add(t, "\nat ");
    sizes_say(d, x, t);
    at_text_addf(t,
                 "\n  inputs       %" PRId64 "\n  states       %" PRId64 "\n  L            %" PRId64
                 " rows: inputs, separator, states, answer\n",
                 x->n_input, x->n_states, x->L);
    at_text_addf(t, "  dependencies %d states and %d inputs a state\n", d->n_needs, d->n_takes);
    if (x->locality >= 0)
        at_text_addf(t,
                     "  local        every row after the inputs depends on the %" PRId64 " rows before it\n",
                     x->locality);
    else
        at_text_add(t, "  local        unknown: inputs steer in too many ways\n");
    if (r->regular == AT_TRUE)
        at_text_addf(t, "  regular      yes: %" PRIu64 " inputs, each with a chain of its own\n",
                     r->distinct);
    else if (r->regular == AT_UNKNOWN)
        at_text_addf(t, "  regular      not decided: more than %" PRIu64 " inputs, %s; none was tried\n",
                     r->limit, r->limit < MOST_INPUTS ? "which --budget allows" : "the most that are tried");
    else {
        at_text_addf(t, "  regular      no: %" PRIu64 " chains; the same one for\n               ",
                     r->distinct);
        input_print(x, r->first, t);
        at_text_add(t, "   and\n               ");
        input_print(x, r->second, t);
        at_text_add(t, "\n");
    }
}

static void analysis_say(const at_dp_instance *x, const regularity *r, at_said *said)
{
    said->of = "analysis";
    at_fact_number(said, "inputs", (double)x->n_input);
    at_fact_number(said, "states", (double)x->n_states);
    at_fact_number(said, "length", (double)x->L);
    if (x->locality < 0)
        at_fact_bool(said, "locality", AT_UNKNOWN);
    else
        at_fact_number(said, "locality", (double)x->locality);
    at_fact_bool(said, "proved", x->proved);
    at_fact_bool(said, "regular", r->regular);
    if (r->regular != AT_UNKNOWN)
        at_fact_number(said, "chains", (double)r->distinct);
    if (r->regular == AT_FALSE) {
        at_fact_list(said, "first", r->first, x->n_input);
        at_fact_list(said, "second", r->second, x->n_input);
    }
}

/* Inputs whose chains a budget is for: a chain evaluates every operation at every state. */
static uint64_t inputs_most(double budget, const at_dp *d, const at_dp_instance *x)
{
    double chain = ((double)x->n_states + 1) * ((double)d->n_nodes + 1), most = 1e6 * budget / chain;
    return most < 1 ? 1 : most < (double)MOST_INPUTS ? (uint64_t)most : MOST_INPUTS;
}

static at_status front_show(const at_reading *r, const char *set, const at_show_options *o, at_said *said,
                            at_err *err)
{
    const at_dp *d = r->problem->self;
    at_dp_instance *x = NULL;
    regularity g = {0};
    at_arena arena;
    at_arena_init(&arena);
    at_status s = at_dp_print(d, &said->lines);
    if (s)
        at_oom(err);
    if (!s) {
        at_fact_text(said, "problem", d->title);
        at_fact_text(said, "text", said->lines.s);
    }
    if (!s && set)
        s = bound_open(d, set, &x, err);
    if (!s && x)
        s = at_dp_regular(x, g.limit = inputs_most(o->budget, d, x), &arena, &g.regular, &g.first, &g.second,
                          &g.distinct, err);
    if (!s && x) {
        analysis_print(d, x, &g, &said->lines);
        analysis_say(x, &g, said);
        unproved_say(d, x, &said->note);
    } else if (!s)
        at_text_add(&said->lines, "\n(with --set SIZE=N... : length, locality, regularity)\n");
    at_dp_instance_free(x);
    at_arena_release(&arena);
    return s;
}

const at_front at_front_dp = {.lang = &at_lang_dp,
                              .about = "compiled with standard, linear, sparse or local attention",
                              .packs = true,
                              .model = front_model,
                              .shape = front_shape,
                              .compile = front_compile,
                              .every = front_every,
                              .show = front_show};
