/* size_law.c: how large the decoders of recurrences are and what generating a chain costs, against its length L.
 *
 * Rows up to L = 2^12 are of assembled models, whose decoder writes the chain of a drawn prompt and counts its
 * multiply-adds; they must be those computed from the shapes, or the row fails. Beyond, the numbers come from the shapes
 * alone. Exponents are slopes between the row and the same recurrence at about a quarter of L. */
#include "claim_dp.h"

#include <inttypes.h>
#include <math.h>

#define ASSEMBLED 4300 /* L up to here: models are assembled and run */

typedef struct {
    double L, width;
    at_size size;
    at_cost cost;
} law;

/* The decoder's own count on one prompt. */
static at_status count_run(const at_params *p, const at_model *m, int prompt, int rows, at_cost *out,
                           at_err *err)
{
    void *self;
    at_status s = claim_dp_chain.open(p, &self, err);
    if (s)
        return s;
    int row = claim_dp_chain.row_width(self), n, n_want;
    at_arena a;
    at_arena_init(&a);
    double *x = at_new(&a, double, prompt *row), *want = at_new(&a, double, rows *row), margin;
    double *next = at_new(&a, double, row);
    at_rng r = at_rng_at(1, 0);
    at_decoder *d = NULL;
    s = x && want && next ? claim_dp_chain.sample(self, &r, x, &n, err) : at_oom(err);
    if (!s)
        s = claim_dp_chain.answer(self, x, n, want, &n_want, err);
    if (!s)
        s = at_decoder_new(m, at_f64, &d, err);
    for (int k = 0; k < prompt && !s; k++)
        s = at_decoder_push(d, x + (size_t)k * (size_t)row, err);
    for (int k = 0; k < rows && !s; k++) {
        at_tri decided;
        s = at_decoder_next(d, next, &margin, &decided, err);
        for (int j = 0; j < row && !s; j++)
            if (next[j] != want[(size_t)k * (size_t)row + (size_t)j])
                s = at_fail(err, AT_EREFUSED, "row %d of the chain is wrong", k + 1);
        if (!s && k + 1 < rows)
            s = at_decoder_push(d, next, err);
    }
    if (!s)
        *out = at_decoder_cost(d);
    at_decoder_free(d);
    at_arena_release(&a);
    claim_dp_chain.close(self);
    return s;
}

static at_status law_at(const at_params *p, at_dp_attention kind, bool assemble, law *out, at_err *err)
{
    at_dp *d;
    at_dp_instance *x;
    at_model shape, m;
    at_dp_options o = {.attention = kind};
    at_status s = claim_dp_bind(p, &d, &x, err);
    if (s)
        return s;
    int prompt = (int)x->n_input + 1, rows = (int)x->n_states + 1;
    out->L = (double)x->L;
    s = at_dp_shape(x, &o, &shape, err);
    if (!s) {
        s = at_generation_cost(&shape, prompt, rows, &out->cost, err);
        at_model_size(&shape, &out->size);
        out->width = shape.width;
        at_model_release(&shape);
    }
    if (!s && assemble) {
        at_cost counted;
        at_size real;
        s = at_dp_model(x, &o, &m, err);
        if (!s) {
            s = count_run(p, &m, prompt, rows, &counted, err);
            at_model_size(&m, &real);
            at_model_release(&m);
        }
        if (!s && (counted.dense != out->cost.dense || counted.attention != out->cost.attention ||
                   real.parameters != out->size.parameters))
            s = at_fail(err, AT_EREFUSED,
                        "L = %.0f: %" PRIu64 " + %" PRIu64 " multiply-adds counted, %" PRIu64 " + %" PRIu64
                        " computed",
                        out->L, counted.dense, counted.attention, out->cost.dense, out->cost.attention);
    }
    at_dp_instance_free(x);
    at_dp_free(d);
    return s;
}

/* The same recurrence at about a quarter of the length: half of both sizes where states are pairs. */
static at_status quarter(const at_params *p, at_params *out, at_err *err)
{
    at_dp *d;
    at_dp_instance *x;
    *out = *p;
    at_status s = claim_dp_bind(p, &d, &x, err);
    if (s)
        return s;
    bool pairs = d->n_counters > 1;
    at_dp_instance_free(x);
    at_dp_free(d);
    s = at_params_set(out, "a", at_params_int(p, "a") / (pairs ? 2 : 4), err);
    return !s && pairs ? at_params_set(out, "b", at_params_int(p, "b") / 2, err) : s;
}

/* Fifteen lengths, 2^6..2^20, for every recurrence: in those of two sizes L is (n+1)^2+1 or near it. */
#define EACH(P, A, B) "problem=" P " a=" A " b=" B
#define SQUARE(P)                                                                                            \
    EACH(P, "7", "7"), EACH(P, "10", "10"), EACH(P, "15", "15"), EACH(P, "22", "22"), EACH(P, "31", "31"),   \
        EACH(P, "45", "45"), EACH(P, "63", "63"), EACH(P, "90", "90"), EACH(P, "127", "127"),                \
        EACH(P, "180", "180"), EACH(P, "255", "255"), EACH(P, "361", "361"), EACH(P, "511", "511"),          \
        EACH(P, "723", "723"), EACH(P, "1022", "1022")
#define TRIANGLE(P)                                                                                          \
    EACH(P, "9", "99"), EACH(P, "14", "99"), EACH(P, "20", "99"), EACH(P, "29", "99"), EACH(P, "43", "99"),  \
        EACH(P, "62", "99"), EACH(P, "88", "99"), EACH(P, "125", "99"), EACH(P, "178", "99"),                \
        EACH(P, "253", "99"), EACH(P, "359", "99"), EACH(P, "509", "99"), EACH(P, "721", "99"),              \
        EACH(P, "1021", "99"), EACH(P, "1445", "99")
#define HALF(P)                                                                                              \
    EACH(P, "6", "6"), EACH(P, "8", "8"), EACH(P, "11", "11"), EACH(P, "16", "16"), EACH(P, "22", "22"),     \
        EACH(P, "32", "32"), EACH(P, "45", "45"), EACH(P, "64", "64"), EACH(P, "90", "90"),                  \
        EACH(P, "128", "128"), EACH(P, "181", "181"), EACH(P, "256", "256"), EACH(P, "362", "362"),          \
        EACH(P, "512", "512"), EACH(P, "724", "724")
#define LINE(P)                                                                                              \
    EACH(P, "31", "5"), EACH(P, "63", "5"), EACH(P, "127", "5"), EACH(P, "255", "5"), EACH(P, "511", "5"),   \
        EACH(P, "1023", "5"), EACH(P, "2047", "5"), EACH(P, "4095", "5"), EACH(P, "8191", "5"),              \
        EACH(P, "16383", "5"), EACH(P, "32767", "5"), EACH(P, "65535", "5"), EACH(P, "131071", "5"),         \
        EACH(P, "262143", "5"), EACH(P, "524287", "5")
const char *const claim_dp_law_rows[] = {
    SQUARE("edit-distance"), TRIANGLE("lis"),
    LINE("prefix-sum"),      SQUARE("edit-distance-local"),
    SQUARE("lcs"),           HALF("grid"),
    TRIANGLE("palindrome"),  SQUARE("knapsack"),
    SQUARE("coins"),         NULL,
};
const char *const claim_dp_law_local_rows[] = {SQUARE("edit-distance-local"), LINE("prefix-sum"), NULL};

const char *const claim_dp_law_columns[] = {"problem", "L",          "layers",      "heads",     "width",
                                            "units",   "parameters", "dense",       "attention", "total",
                                            "width ^", "dense ^",    "attention ^", "total ^",   NULL};

const char *const claim_dp_law_plots[] = {"width", "dense", "attention", "total", NULL};

at_status claim_dp_law_row(const at_params *p, at_dp_attention kind, double *out, at_err *err)
{
    law now, before;
    at_params small;
    at_status s = quarter(p, &small, err);
    if (!s)
        s = law_at(&small, kind, false, &before, err);
    if (!s)
        s = law_at(p, kind, false, &now, err);
    if (!s && now.L <= ASSEMBLED)
        s = law_at(p, kind, true, &now, err);
    if (s)
        return s;
    double dense = (double)now.cost.dense, attention = (double)now.cost.attention,
           step = log(now.L / before.L);
    double old_dense = (double)before.cost.dense, old_attention = (double)before.cost.attention;
    double row[] = {at_params_get(p, "problem"),
                    now.L,
                    now.size.layers,
                    now.size.heads,
                    now.width,
                    now.size.hidden,
                    (double)now.size.parameters,
                    dense,
                    attention,
                    dense + attention,
                    log(now.width / before.width) / step,
                    log(dense / old_dense) / step,
                    log(attention / old_attention) / step,
                    log((dense + attention) / (old_dense + old_attention)) / step};
    for (int k = 0; k < COUNT(row); k++)
        out[k] = row[k];
    return AT_OK;
}
