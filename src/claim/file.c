/* file.c: a claim without C: read from a file, and asked like the others.
 *
 * Its program is parsed at the parameters that are asked for. Its parameters are those of its problem and of its program;
 * where controls change the text or the model, there is one more, `variant`, and a control is an assignment to it. So cells,
 * sweeps, the ledger and the report need to know nothing of files. */
#include "claim_file.h"
#include "claim_internal.h"

#include <inttypes.h>
#include <string.h>

#include <attest/front.h>

static const variant *variant_of(const at_claim_file *f, const at_params *p)
{
    int k = at_params_has(p, VARIANT) ? at_params_int(p, VARIANT) : 0;
    return &f->variants[k >= 0 && k < f->n_variants ? k : 0];
}

at_status claim_file_program(const at_claim_file *f, const at_params *p, at_program **out, at_err *err)
{
    const variant *v = variant_of(f, p);
    *out = NULL;
    if (v->model || v->source)
        return at_fail(err, AT_EREFUSED, "claim %s has a model and no program", f->claim.id);
    return at_program_parse(&v->text, p, out, err);
}

at_status mutation_find(const mutation *w, const at_model *m, double **out, at_err *err)
{
    at_guess g = {w->tensor};
    const at_tensor *t = NULL;
    for (int k = 0; k < m->n_tensors; k++) {
        at_guess_add(&g, m->tensors[k].name);
        if (strcmp(m->tensors[k].name, w->tensor) == 0)
            t = &m->tensors[k];
    }
    if (!t && at_guess_found(&g))
        return at_fail(err, AT_EINPUT, "the model has no tensor %.60s; did you mean %s?", w->tensor,
                       at_guess_found(&g));
    if (!t)
        return at_fail(err, AT_EINPUT, "the model has no tensor %.60s; there are %s, ..., %s", w->tensor,
                       m->tensors[0].name, m->tensors[m->n_tensors - 1].name);
    int64_t columns = t->rank == 2 ? t->shape[1] : 1, n = (int64_t)t->count;
    if (w->column >= 0 && (t->rank != 2 || w->column >= columns || w->at >= t->shape[0]))
        return at_fail(err, AT_EINPUT, "%s[%" PRId64 ",%" PRId64 "]: it has %" PRId64 " rows of %" PRId64,
                       t->name, w->at, w->column, t->shape[0], columns);
    int64_t i = w->column >= 0 ? w->at * columns + w->column : w->at;
    if (i >= n)
        return at_fail(err, AT_EINPUT, "%s[%" PRId64 "]: must be in 0..%" PRId64, t->name, i, n - 1);
    *out = at_model_data(m, (int)(t - m->tensors)) + i;
    return **out == w->value ? at_fail(err, AT_EINPUT, "%s[%" PRId64 "] is %.17g already", t->name, i, **out)
                             : AT_OK;
}

/* The problem's own parameters, of those that the claim has. */
static at_status compiled(const at_problem *q, const at_params *p, at_model *m, at_err *err)
{
    at_params own;
    const at_param *rows;
    int n = at_problem_schema(q, at_front_view(q), &rows);
    at_params_init(&own, rows, n);
    own.of = q;
    at_status s = AT_OK;
    for (int k = 0; k < own.n && !s; k++)
        if (at_params_has(p, own.schema[k].name))
            s = at_params_set(&own, own.schema[k].name, at_params_get(p, own.schema[k].name), err);
    at_front_options o = {.attention = (at_attention_kind)at_params_int(p, ATTENTION)};
    return s ? s : at_front_of(q)->model(&own, &o, m, err);
}

static at_status assembled(const at_claim_file *f, const at_params *p, at_model *m, at_err *err)
{
    at_program *P = NULL;
    at_status s = claim_file_program(f, p, &P, err);
    if (!s)
        s = at_assemble(P, m, NULL, err);
    at_program_free(P);
    return s;
}

at_status claim_file_model(const at_claim_file *f, const at_params *p, at_model *m, at_err *err)
{
    const variant *v = variant_of(f, p);
    double *weight;
    at_status s = v->given    ? at_model_copy(v->given, m, err)
                  : v->model  ? at_model_load(m, v->model, err)
                  : v->source ? compiled(v->source, p, m, err)
                              : assembled(f, p, m, err);
    if (s || !v->weight.tensor)
        return s;
    s = mutation_find(&v->weight, m, &weight, err);
    if (!s) {
        m->f32 = m->f32 && (double)(float)v->weight.value == v->weight.value;
        *weight = v->weight.value;
        s = at_model_validate(m, err);
    }
    if (s)
        at_model_release(m);
    return s;
}

bool claim_file_has_program(const at_claim_file *f)
{
    return !f->variants[0].model && !f->variants[0].source && !f->claim.decoder;
}

const at_problem *claim_file_problem(const at_claim_file *f, const at_params *p)
{
    const variant *v = variant_of(f, p);
    return v->problem ? v->problem : f->claim.problem;
}

double claim_file_tolerance(const at_claim_file *f)
{
    return f->tolerance;
}

const at_claim *at_claim_file_claim(const at_claim_file *f)
{
    return &f->claim;
}

const char *at_claim_file_text(const at_claim_file *f)
{
    return f->text;
}

const char *at_claim_file_words(const at_claim_file *f)
{
    return f->words;
}

void at_claim_file_free(at_claim_file *f)
{
    if (!f)
        return;
    while (f->n_problems)
        at_problem_free(f->problems[--f->n_problems]);
    at_arena_release(&f->arena);
    at_free(f);
}

at_status at_claim_file_load(const char *path, at_claim_file **out, at_err *err)
{
    char *text;
    size_t n;
    *out = NULL;
    at_status s = at_file_read(path, AT_PROGRAM_TEXT_MAX, &text, &n, err);
    if (s)
        return s;
    at_claim_file *f = at_calloc(1, sizeof *f);
    if (!f) {
        at_free(text);
        return at_oom(err);
    }
    at_arena_init(&f->arena);
    f->path = at_arena_strdup(&f->arena, path);
    at_text words;
    at_text_init(&words);
    at_text_add_word(&words, path);
    f->words = words.oom ? NULL : at_arena_strdup(&f->arena, words.s);
    at_text_release(&words);
    at_sha256(text, n, f->digest);
    f->text = at_arena_strdup(&f->arena, text); /* a zero byte ends it, and the reader refuses that */
    s = f->path && f->text && f->words ? claim_file_read(f, text, n, err) : at_oom(err);
    at_free(text);
    if (s)
        at_claim_file_free(f);
    else
        *out = f;
    return s;
}
