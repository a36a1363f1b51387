/* next.c: what language models that are problems share: texts as inputs, rows of probabilities as answers. */
#include "next_internal.h"

#include <math.h>
#include <string.h>

static const next_model *model_of(const at_params *p)
{
    return ((const at_problem *)p->of)->self;
}

const void *next_self(const at_params *p)
{
    return model_of(p)->of;
}

int next_length(const at_params *p)
{
    return at_params_int(p, "N");
}

static int tokens(const at_params *p)
{
    return model_of(p)->verbs->tokens(next_self(p));
}

static void word(const at_params *p, int token, char out[AT_WORD_MAX + 1])
{
    model_of(p)->verbs->word(next_self(p), token, out);
}

static int one(const at_params *p)
{
    (void)p;
    return 1;
}

static int outcomes(const at_params *p)
{
    return tokens(p) + 1;
}

static void answer(const at_params *p, const double *x, double *y)
{
    if (!model_of(p)->verbs->row(next_self(p), x, next_length(p), y))
        y[0] = NAN; /* no memory: no answer fits */
}

static void sample(const at_params *p, at_rng *r, double *x)
{
    for (int i = 0; i < next_length(p); i++)
        x[i] = (double)at_rng_below(r, (uint64_t)tokens(p));
}

/* A text as the model writes it; the end is passed over where it can be, else any token stands there. */
static void adversarial(const at_params *p, at_rng *r, double *x)
{
    int V = outcomes(p);
    double *row = at_malloc((size_t)V * sizeof *row);
    for (int i = 0; i < next_length(p); i++) {
        double all = 0, at = at_rng_unit(r);
        int t = (int)at_rng_below(r, (uint64_t)V - 1);
        if (row && model_of(p)->verbs->row(next_self(p), x, i, row))
            for (int k = 0; k < V - 1; k++)
                all += row[k];
        for (int k = 0; all > 0 && k < V - 1; k++)
            if (row[k] > 0) {
                t = k;
                if ((at -= row[k] / all) < 0)
                    break;
            }
        x[i] = t;
    }
    at_free(row);
}

static uint64_t count(const at_params *p, at_enum e)
{
    return e == AT_ENUM_SEQUENCES ? at_words_count(tokens(p), next_length(p)) : 0;
}

static void nth(const at_params *p, at_enum e, uint64_t index, double *x)
{
    (void)e;
    at_words_nth(tokens(p), next_length(p), index, x);
}

at_status next_problem(at_problem *p, const void *of, const next_verbs *verbs, const at_param *params,
                       int n_params, next_model **out, at_err *err)
{
    next_model *m = at_new(&p->arena, next_model, 1);
    if (!m || !p->title)
        return at_oom(err);
    m->of = of;
    m->verbs = verbs;
    m->task = (at_task){.id = p->id,
                        .title = p->title,
                        .definition = p->definition,
                        .params = params,
                        .n_params = n_params,
                        .last = true,
                        .real = true,
                        .tolerance = NEXT_NEAR,
                        .enums = 1u << AT_ENUM_SEQUENCES,
                        .tokens = tokens,
                        .word = word,
                        .row_width = one,
                        .out_width = outcomes,
                        .answer = answer,
                        .sample = sample,
                        .adversarial = adversarial,
                        .count = count,
                        .nth = nth,
                        .simpler = at_words_simpler};
    p->self = m;
    p->task = &m->task;
    *out = m;
    return AT_OK;
}

const char *next_text(at_problem *p, const char *text, size_t n)
{
    char *own = at_new(&p->arena, char, n + 1);
    if (own && n)
        memcpy(own, text, n);
    return own;
}

const void *next_of(const at_problem *p, const at_lang *l)
{
    return p->lang && strcmp(p->lang, l->id) == 0 ? ((const next_model *)p->self)->of : NULL;
}

at_status next_open(at_problem *p, size_t most, at_file_look *look,
                    at_status (*parse)(at_problem *p, const char *text, size_t n, at_err *err), at_err *err)
{
    char *text;
    size_t n;
    at_status s = at_file_read_if(p->path, most, look, &text, &n, err);
    if (s)
        return s;
    s = parse(p, text, n, err);
    at_free(text);
    return s;
}
