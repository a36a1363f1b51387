/* law_dp.c: the size law of compiled recurrences: their rows, 2^6..2^20. */
#include "claim_dp.h"

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
/* m = 2n+1 is about 2 sqrt(L) there; the others look back over all of their inputs. */
const char *const claim_dp_law_local_rows[] = {SQUARE("edit-distance-local"), NULL};

const char *const claim_dp_law_columns[] = {CLAIM_LAW_COLUMNS("problem")};

static at_status shape_of(const at_params *p, at_attention_kind kind, at_model *m, int *prompt, int *rows,
                          at_err *err)
{
    at_dp *d;
    at_dp_instance *x;
    at_status s = claim_dp_bind(p, &d, &x, err);
    if (s)
        return s;
    *prompt = (int)x->n_input + 1;
    *rows = (int)x->n_states + 1;
    s = at_dp_shape(x, &(at_dp_options){.attention = kind, .reals = x->L > CLAIM_LAW_ASSEMBLED}, m, err);
    at_dp_instance_free(x);
    at_dp_free(d);
    return s;
}

at_status claim_dp_law_row(const at_params *p, at_attention_kind kind, double *out, at_err *err)
{
    static const claim_law law = {&claim_dp_chain, claim_dp_model, shape_of};
    at_params small;
    at_status s = quarter(p, &small, err);
    out[0] = at_params_get(p, "problem");
    return s ? s : claim_law_row(&law, kind, p, &small, out + 1, err);
}
