/* size_law.c: how large decoders are and what generating a chain costs, against its length L.
 *
 * Rows up to L = 2^12 are of assembled models, whose decoder writes the chain of a drawn prompt and counts its
 * multiply-adds; they must be those computed from the shapes, or the row fails. Beyond, the numbers come from the shapes
 * alone, of the construction over the reals: whether doubles can run it there is another question. Exponents are slopes between
 * the row and the same problem at about a quarter of L. */
#include "claim_law.h"

#include <inttypes.h>
#include <math.h>

typedef struct {
    double L;
    at_size size;
    at_cost cost;
} law;

/* The decoder's own count on the prompt x of n rows, which is followed by n_want rows. */
static at_status count_run(const at_model *m, const double *x, int n, const double *want, int n_want,
                           at_cost *out, at_err *err)
{
    size_t row = (size_t)at_model_row_width(m);
    at_decoder *d = NULL;
    double *next = at_malloc(row * sizeof *next), margin;
    at_status s = next ? at_decoder_new(m, at_f64, &d, err) : at_oom(err);
    for (int k = 0; k < n && !s; k++)
        s = at_decoder_push(d, x + (size_t)k * row, err);
    for (int k = 0; k < n_want && !s; k++) {
        at_tri decided;
        s = at_decoder_next(d, next, &margin, &decided, err);
        for (size_t j = 0; j < row && !s; j++)
            if (next[j] != want[(size_t)k * row + j])
                s = at_fail(err, AT_EREFUSED, "row %d of the chain is wrong", k + 1);
        if (!s && k + 1 < n_want)
            s = at_decoder_push(d, next, err);
    }
    if (!s)
        *out = at_decoder_cost(d);
    at_decoder_free(d);
    at_free(next);
    return s;
}

/* A drawn prompt through the assembled model: counted and computed must be the same. */
static at_status count_check(const claim_law *c, at_attention_kind kind, const at_params *p,
                             const law *computed, at_err *err)
{
    void *self;
    at_model m;
    at_cost got, want = {0};
    at_size size = {0};
    at_status s = c->chain->open(p, &self, err);
    if (s)
        return s;
    at_arena a;
    at_arena_init(&a);
    int row = c->chain->row_width(self), n, n_rows;
    double *x = at_new(&a, double, c->chain->prompt_max(self) * row);
    double *rows = at_new(&a, double, c->chain->rows_max(self) * row);
    at_rng r = at_rng_at(1, 0);
    s = x && rows ? c->chain->sample(self, &r, x, &n, err) : at_oom(err);
    if (!s)
        s = c->chain->answer(self, x, n, rows, &n_rows, err);
    if (!s)
        s = c->model(p, kind, &m, err);
    if (!s) {
        s = count_run(&m, x, n, rows, n_rows, &got, err);
        if (!s)
            s = at_generation_cost(&m, n, n_rows, &want, err);
        at_model_size(&m, &size);
        at_model_release(&m);
        if (!s && size.parameters != computed->size.parameters)
            s = at_fail(err, AT_EREFUSED, "L = %.0f: %zu parameters assembled, %zu by the shapes",
                        computed->L, (size_t)size.parameters, (size_t)computed->size.parameters);
        if (!s && n + n_rows == computed->L) /* the longest: what the shapes alone said about it */
            want = computed->cost;
        if (!s && (got.dense != want.dense || got.attention != want.attention))
            s = at_fail(err, AT_EREFUSED,
                        "L = %.0f: %" PRIu64 " + %" PRIu64 " multiply-adds counted, %" PRIu64 " + %" PRIu64
                        " computed",
                        computed->L, got.dense, got.attention, want.dense, want.attention);
    }
    at_arena_release(&a);
    c->chain->close(self);
    return s;
}

/* From the shapes, for the longest prompt and chain. */
static at_status law_at(const claim_law *c, at_attention_kind kind, const at_params *p, law *out, at_err *err)
{
    at_model m;
    int prompt, rows;
    at_status s = c->shape(p, kind, &m, &prompt, &rows, err);
    if (s)
        return s;
    out->L = prompt + rows;
    at_model_size(&m, &out->size);
    s = at_generation_cost(&m, prompt, rows, &out->cost, err);
    at_model_release(&m);
    return s;
}

at_status claim_law_row(const claim_law *c, at_attention_kind kind, const at_params *p,
                        const at_params *quarter, double *out, at_err *err)
{
    law now, before;
    at_status s = law_at(c, kind, quarter, &before, err);
    if (!s)
        s = law_at(c, kind, p, &now, err);
    if (!s && now.L <= CLAIM_LAW_ASSEMBLED)
        s = count_check(c, kind, p, &now, err);
    if (s)
        return s;
    double dense = (double)now.cost.dense, attention = (double)now.cost.attention,
           step = at_log(now.L / before.L);
    double old_dense = (double)before.cost.dense, old_attention = (double)before.cost.attention;
    double width = now.size.width;
    double row[] = {now.L,
                    now.size.layers,
                    now.size.heads,
                    width,
                    now.size.hidden,
                    (double)now.size.parameters,
                    dense,
                    attention,
                    dense + attention,
                    at_log(width / before.size.width) / step,
                    at_log(dense / old_dense) / step,
                    at_log(attention / old_attention) / step,
                    at_log((dense + attention) / (old_dense + old_attention)) / step};
    for (int k = 0; k < COUNT(row); k++)
        out[k] = row[k];
    return AT_OK;
}

const char *const claim_law_plots[] = {"width", "dense", "attention", "total", NULL};

const char *const claim_chain_precision_columns[] = {"L", "least p", "2 log2 L + 2", NULL};

at_status claim_chain_precision_row(const at_claim *c, const at_params *p, double L, int inputs, int threads,
                                    double *out, at_err *err)
{
    out[0] = L;
    out[2] = 2 * at_log2(L) + 2;
    return claim_least_precision(c, p, (uint64_t)inputs, threads, &out[1], err);
}
