/* problem.c: what is asked, as text that needs no attest: a rule, or the text of a language; and which inputs there are.
 *
 * Inputs that are listed in the order of digits, the last number fastest, need no list: the first and the last of them say it all.
 * That an enumeration is such a one is found out, not assumed: their number must be the product of the digits, and inputs in
 * between must be what the digits say. */
#include "cert_internal.h"

#include <attest/lang.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LISTED_MOST 20000 /* inputs that are written one by one */
#define TRIES       64    /* of inputs in between */

static bool is_dp(const at_chain *c)
{
    return c->rows_max == at_dp_chain_rows_max;
}

/* ---- the definition ------------------------------------------------------------------------------------------- */

static void definition(at_text *t, const char *name, const char *language, const char *text)
{
    at_text_add(t, "\"problem\": {\"name\": ");
    cert_string(t, name);
    at_text_add(t, ", \"language\": ");
    cert_string(t, language);
    at_text_add(t, ", \"text\": ");
    cert_string(t, text);
}

/* The words of a model's tokens, in their order; where it has none, their numbers. */
static void model_words(const at_model *m, at_text *t)
{
    const at_field *f = &m->fields[0];
    at_text_add(t, ", \"alphabet\": [");
    for (int i = 0; i < f->size; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        at_text_add(t, i ? ", " : "");
        cert_string(t, f->words ? f->words[i].s : number);
    }
    at_text_add(t, "]");
}

/* The letters of tokens, in their order: the task's, or those that the model reads. */
static void letters(const cert_point *k, at_text *t)
{
    const at_task *w = k->task;
    const at_word *words = k->m->fields[0].words;
    if (!w->tokens || !(w->word || words))
        return;
    at_text_add(t, ", \"alphabet\": [");
    for (int i = 0; i < w->tokens(&k->tp); i++) {
        char word[AT_WORD_MAX + 1];
        if (w->word)
            w->word(&k->tp, i, word);
        at_text_add(t, i ? ", " : "");
        cert_string(t, w->word ? word : words[i].s);
    }
    at_text_add(t, "]");
}

static at_status task_define(const cert_point *k, at_text *t, at_err *err)
{
    const at_problem *of = k->tp.of;
    const char *rule = k->task == at_task_find(k->task->id) ? cert_rule(k->task->id) : NULL;
    if (of && of->lang && of->text)
        definition(t, of->id, of->lang, of->text);
    else if (rule)
        definition(t, k->task->id, "rule", rule);
    else
        return at_fail(err, AT_EREFUSED, "the task %s has no rule that a verifier could read", k->task->id);
    at_text_add(t, ", \"parameters\": ");
    cert_params(t, &k->tp);
    letters(k, t);
    if (k->task->real)
        at_text_addf(t, ", \"width\": %d", k->task->out_width(&k->tp));
    at_status s = rule ? cert_data(k, t, err) : AT_OK;
    at_text_addf(t, ", \"answers\": \"%s\"}", k->task->last ? "once" : "all");
    return s;
}

/* A recurrence with its sizes; other chains by what they are. */
static at_status chain_define(const cert_point *k, at_text *t, at_err *err)
{
    const at_chain *c = k->chain;
    if (is_dp(c)) {
        const at_dp_instance *x = at_dp_chain_instance(k->self);
        at_text text;
        at_text_init(&text);
        at_status s = at_dp_print(x->d, &text) || text.oom ? at_oom(err) : AT_OK;
        if (!s)
            definition(t, x->d->title, "dp", text.s);
        at_text_release(&text);
        if (s)
            return s;
        at_text_add(t, ", \"parameters\": {");
        for (int i = 0; i < x->d->n_sizes; i++) {
            at_text_add(t, i ? ", " : "");
            cert_string(t, x->d->sizes[i].name);
            at_text_addf(t, ": %" PRId64, x->size[i]);
        }
        at_text_add(t, "}");
    } else if (c == &at_chain_compose) {
        definition(t, "compose", "rule", "fold v = x[N] for t in 1..r: x[(t-1)*n + v + 1]");
        at_text_addf(t, ", \"parameters\": {\"n\": %d, \"k\": %d, \"N\": %d}, \"rows\": \"k\"",
                     at_params_int(&k->p, "n"), at_params_int(&k->p, "k"),
                     at_params_int(&k->p, "n") * at_params_int(&k->p, "k") + 1);
    } else if (c == &at_chain_expr) {
        definition(t, "arithmetic", "arithmetic", "rewrite the leftmost handle until a number is left");
        at_text_addf(t, ", \"parameters\": {\"p\": %d}", at_params_int(&k->p, "p"));
    } else if (!strcmp(c->id, "running-sums")) { /* as tokens: 1 is <sep>, 2 is <eos>, 3 is 0 */
        definition(t, c->id, "rule",
                   "if r == a + 1 then 1 else if r == a + 3 then 2 else 3 + (sum j in 1..min(r, a): x[j] - "
                   "3) mod b");
        at_text_addf(t, ", \"parameters\": {\"a\": %d, \"b\": %d}, \"rows\": \"a + 3\"",
                     at_params_int(&k->p, "a"), at_params_int(&k->p, "b"));
    } else if (c->print) {
        at_text text;
        at_text_init(&text);
        c->print(k->self, &text);
        if (!text.oom)
            definition(t, c->id, c->language, text.s);
        bool oom = text.oom;
        at_text_release(&text);
        if (oom)
            return at_oom(err);
        at_text_add(t, ", \"parameters\": {}");
        model_words(k->m, t);
    } else
        return at_fail(err, AT_EREFUSED, "the chain %s has no text that a verifier could read", c->id);
    at_text_add(t, ", \"answers\": \"chain\"}");
    return AT_OK;
}

/* ---- the inputs --------------------------------------------------------------------------------------------------- */

typedef struct {
    const cert_point *k;
    uint64_t count;
    int most, width; /* rows at most, numbers a row */
    double *x, *low, *high;
    int n; /* rows of low and of high */
} inputs;

static at_status input_get(const inputs *f, uint64_t i, double *x, int *n, at_err *err)
{
    const cert_point *k = f->k;
    if (!k->task)
        return k->chain->nth(k->self, i, x, n, err);
    k->task->nth(&k->tp, k->cell->how, i, x);
    *n = at_params_int(&k->tp, "N");
    return AT_OK;
}

/* Is input i what its digits say? */
static bool digits_say(const inputs *f, uint64_t i)
{
    for (int c = f->n * f->width - 1; c >= 0; c--) {
        uint64_t size = (uint64_t)(f->high[c] - f->low[c]) + 1;
        if (f->x[c] != f->low[c] + (double)(i % size))
            return false;
        i /= size;
    }
    return true;
}

static at_status digits_are(inputs *f, bool *out, at_err *err)
{
    int n, last;
    *out = false;
    at_status s = input_get(f, 0, f->low, &n, err);
    if (!s)
        s = input_get(f, f->count - 1, f->high, &last, err);
    uint64_t product = 1;
    for (int c = 0; !s && n == last && c < n * f->width; c++) {
        double d = f->high[c] - f->low[c];
        if (!(d >= 0) || d != floor(d) || __builtin_mul_overflow(product, (uint64_t)d + 1, &product))
            return AT_OK;
    }
    if (s || n != last || product != f->count)
        return s;
    f->n = n;
    at_rng r = at_rng_at(f->k->seed, 0);
    for (int i = 0; i < TRIES && !s; i++) {
        uint64_t at = at_rng_below(&r, f->count);
        s = input_get(f, at, f->x, &n, err);
        if (!s && (n != f->n || !digits_say(f, at)))
            return AT_OK;
    }
    *out = !s;
    return s;
}

void cert_rows(at_text *t, const double *v, int rows, int width)
{
    at_text_add(t, "[");
    for (int i = 0; i < rows; i++) {
        at_text_add(t, i ? "," : "");
        for (int c = 0; c < width; c++) {
            at_text_add(t, c ? "," : width > 1 ? "[" : "");
            cert_number(t, v[i * width + c]);
        }
        at_text_add(t, width > 1 ? "]" : "");
    }
    at_text_add(t, "]");
}

static at_status listed_put(inputs *f, at_text *t, at_err *err)
{
    at_status s = AT_OK;
    int n;
    if (f->count > LISTED_MOST)
        return at_fail(err, AT_EREFUSED, "%" PRIu64 " inputs in no order of digits; at most %d are listed",
                       f->count, LISTED_MOST);
    at_text_add(t, "\"domain\": {\"how\": \"listed\", \"inputs\": [");
    for (uint64_t i = 0; i < f->count && !s; i++) {
        s = input_get(f, i, f->x, &n, err);
        at_text_add(t, i ? "," : "");
        if (!s)
            cert_rows(t, f->x, n, f->width);
    }
    at_text_add(t, "]}");
    return s;
}

static at_status domain_put(inputs *f, at_text *t, at_err *err)
{
    const cert_point *k = f->k;
    bool digits = false;
    if (k->task && k->cell->how != AT_ENUM_SEQUENCES && k->cell->how != AT_ENUM_MULTISETS)
        return at_fail(err, AT_EREFUSED, "an enumeration by %s", at_enum_names[k->cell->how]);
    if (k->task && k->cell->how == AT_ENUM_MULTISETS) {
        at_text_addf(t, "\"domain\": {\"how\": \"multisets\", \"tokens\": %d, \"length\": %d}",
                     k->task->tokens(&k->tp), at_params_int(&k->tp, "N"));
        return AT_OK;
    }
    at_status s = digits_are(f, &digits, err);
    if (s || !digits)
        return s ? s : listed_put(f, t, err);
    at_text_add(t, "\"domain\": {\"how\": \"digits\", \"low\": ");
    cert_rows(t, f->low, f->n, f->width);
    at_text_add(t, ", \"high\": ");
    cert_rows(t, f->high, f->n, f->width);
    at_text_add(t, "}");
    return AT_OK;
}

void cert_beside(const at_witness *w, at_text *t)
{
    definition(t, "what stands beside", w->language, w->text);
    at_text_add(t, ", \"parameters\": {}");
    if (w->m)
        model_words(w->m, t);
    at_text_addf(t, ", \"answers\": \"once\"}, \"lengths\": [%d, %d]", w->least, w->most);
}

at_status cert_definition(const cert_point *k, at_text *t, at_err *err)
{
    return k->task ? task_define(k, t, err) : chain_define(k, t, err);
}

at_status cert_problem(const cert_point *k, at_text *t, at_err *err)
{
    at_status s = cert_definition(k, t, err);
    at_text_add(t, ", ");
    bool refuted = k->v->has_counterexample && k->v->holds == AT_FALSE;
    if (s || k->v->evidence != AT_EV_EXACT || refuted) {
        if (!s)
            at_text_add(t, "\"domain\": null");
        return s;
    }
    const at_chain *c = k->chain;
    inputs f = {.k = k,
                .count = k->task ? k->task->count(&k->tp, k->cell->how) : c->count(k->self),
                .most = k->task ? at_params_int(&k->tp, "N") : c->prompt_max(k->self),
                .width = k->task ? k->task->row_width(&k->tp) : c->row_width(k->self)};
    size_t room = (size_t)f.most * (size_t)f.width + 1;
    f.x = at_new(k->a, double, room);
    f.low = at_new(k->a, double, room);
    f.high = at_new(k->a, double, room);
    return f.x && f.low && f.high ? domain_put(&f, t, err) : at_oom(err);
}
