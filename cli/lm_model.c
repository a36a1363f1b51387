/* lm_model.c: language models from files: models that answer with probabilities (docs/model.md, Readout). */
#include "lm.h"

#include <attest/exec.h>
#include <math.h>

typedef struct {
    at_model m;
    const at_ngram *names; /* a unigram model over the same words, for their ids and how they are written */
} language;

static int model_find(const void *of, const char *s, size_t n)
{
    return at_ngram_find(((const language *)of)->names, s, n);
}

static void model_say(const void *of, at_tokens tokens, const int *word, int n, at_text *out)
{
    at_ngram_say(((const language *)of)->names, tokens, word, n, out);
}

static at_status model_row(void *of, const int *word, int n, double *p, at_err *err)
{
    language *l = of;
    at_arena a;
    at_output y;
    at_arena_init(&a);
    double *x = at_new(&a, double, n + 1);
    at_status s = x ? AT_OK : at_oom(err);
    for (int i = 0; i < n && !s; i++)
        x[i] = word[i];
    if (!s)
        s = at_run(&l->m, at_f64, &(at_input){n, x}, NULL, &a, &y, err);
    for (int w = 0; w < l->m.readout.rows && !s; w++)
        p[w] = y.value[w];
    at_arena_release(&a);
    return s;
}

/* Behind a word that is not known nothing is known. */
static at_status model_sentence(void *of, const int *word, int n, double *log10p, at_err *err)
{
    language *l = of;
    double *p = at_malloc((size_t)l->m.readout.rows * sizeof *p);
    at_status s = p ? AT_OK : at_oom(err);
    bool known = true;
    for (int i = 0; i <= n && !s; i++) {
        int next = i < n ? word[i] : l->m.readout.rows - 1;
        log10p[i] = -INFINITY;
        if (known && next >= 0) {
            s = model_row(of, word, i, p, err);
            log10p[i] = !s && p[next] > 0 ? at_log(p[next]) / at_log(10) : -INFINITY;
        }
        known = known && next >= 0;
    }
    at_free(p);
    return s;
}

/* One token field with words, and as many outcomes, and the end. */
static at_status language_check(const at_model *m, const char *path, at_err *err)
{
    const at_field *f = &m->fields[0];
    if (m->n_fields != 1 || f->kind != AT_FIELD_TOKEN || !f->words)
        return at_fail(err, AT_EREFUSED, "%.200s: no language model: its input is not one word a position",
                       path);
    if (!at_read_distribution(m->readout.kind) || !m->readout.last || m->readout.rows != f->size + 1)
        return at_fail(err, AT_EREFUSED,
                       "%.200s: no language model: its readout must be softmax or sparsemax, at the last "
                       "position, over %d words and the end",
                       path, f->size);
    return AT_OK;
}

static at_status names_make(const at_model *m, at_arena *a, const at_ngram **out, at_err *err)
{
    int W = m->fields[0].size;
    const char **word = at_new(a, const char *, W);
    double *p = at_new(a, double, W + 1);
    at_ngram *g;
    if (!word || !p)
        return at_oom(err);
    for (int w = 0; w < W; w++)
        word[w] = m->fields[0].words[w].s;
    for (int w = 0; w <= W; w++)
        p[w] = 1.0 / (W + 1);
    at_status s = at_ngram_of_table(1, W, word, p, a, &g, err);
    if (!s)
        *out = g;
    return s;
}

static void model_close(void *of)
{
    at_model_release(&((language *)of)->m);
}

at_status cli_lm_open_model(const char *path, cli_lm *out, at_err *err)
{
    language *l = at_new(&out->arena, language, 1);
    at_status s = l ? at_model_load(&l->m, path, err) : at_oom(err);
    if (s)
        return s;
    *out = (cli_lm){.arena = out->arena,
                    .words = l->m.fields[0].size,
                    .longest = l->m.n_max,
                    .find = model_find,
                    .sentence = model_sentence,
                    .row = model_row,
                    .say = model_say,
                    .close = model_close,
                    .of = l};
    s = language_check(&l->m, path, err);
    if (!s)
        s = names_make(&l->m, &out->arena, &l->names, err);
    if (s)
        return s;
    out->unk = l->names->unk;
    out->tokens = at_ngram_tokens(l->names);
    return AT_OK;
}
