/* test_dropout.c: how often each place drops, and by what the rest is multiplied, seen through the public gradient.
 *
 * One word, one layer, and weights that keep every activation from depending on what is dropped: token, position, v and fc2
 * are 0, so x stays 0 and the gradient dx that comes back through the last norm is the same in every step. Then
 *
 *     fc2.b, proj.b, position:  mask dx / (1 - p)                    v.b of a head:  mask proj.w^T (gradient of proj.b) / (1 - p)
 *
 * so a number is dropped exactly where its gradient is 0, and the factor can be read off. dx is that of a trainer
 * with the same weights and no dropout. Counts are binomial: 6 deviations are exceeded with probability 2e-9. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "train_test.h"

#define D     64
#define H     4
#define STEPS 1000

enum { FC2, PROJ, EMBED, WEIGHTS, PLACES };
static const char *const tensor_of[PLACES] = {"layer.0.fc2.b", "layer.0.proj.b", "position", "layer.0.v.b"};

static size_t offset_of(const at_trainer *t, const char *name)
{
    const at_train_tensor *e;
    int n = at_trainer_tensors(t, &e);
    for (int i = 0; i < n; i++)
        if (!strcmp(e[i].name, name))
            return e[i].offset;
    fail_msg("no tensor %s", name);
    return 0;
}

static at_trainer *trainer_make(at_attention_kind kind, at_arith arith, double dropout)
{
    static const char *const zeros[] = {"token",         "position",      "layer.0.v.w",   "layer.0.v.b",
                                        "layer.0.fc2.w", "layer.0.fc2.b", "layer.0.proj.b"};
    at_train_arch a = at_train_arch_default;
    a.attention = kind;
    a.layers = 1, a.heads = H, a.width = D, a.hidden = 8, a.vocabulary = 5, a.length = 1;
    a.learned_positions = true, a.embed_norm = false, a.dropout = dropout, a.seed = 7;
    at_trainer *t;
    at_err err = {0};
    must(at_trainer_new(&a, arith, 1, &t, &err), &err);
    double *w = calloc(at_trainer_parameters(t), sizeof *w);
    const at_train_tensor *e;
    int n = at_trainer_tensors(t, &e);
    at_trainer_read(t, w);
    for (int i = 0; i < n; i++)
        for (size_t z = 0; z < sizeof zeros / sizeof *zeros; z++)
            if (!strcmp(e[i].name, zeros[z]))
                memset(w + e[i].offset, 0, (size_t)e[i].rows * (size_t)e[i].cols * sizeof *w);
    at_rng r = at_rng_at(3, 0);
    for (size_t k = 0, at = offset_of(t, "norm.b"); k < D; k++)
        w[at + k] = at_rng_unit(&r) - 0.5; /* else every logit is 0 */
    must(at_trainer_write(t, w, &err), &err);
    free(w);
    return t;
}

/* g of a place is 0 or want / (1 - p); `sum` of the magnitudes that want is made of. Returns whether it is dropped. */
static bool dropped(double g, double want, double sum, double factor, double unit)
{
    if (g == 0)
        return true;
    assert_true(fabs(g - want * factor) <=
                200 * unit * factor * sum); /* sums of at most 64 products and some */
    return false;
}

static void count_holds(int64_t count, int64_t n, double p)
{
    assert_true(fabs((double)count - p * (double)n) <= 6 * sqrt(p * (1 - p) * (double)n));
}

static void places_drop(at_attention_kind kind, at_arith arith, double p)
{
    at_err err = {0};
    at_trainer *t = trainer_make(kind, arith, p), *plain = trainer_make(kind, arith, 0);
    size_t n = at_trainer_parameters(t), at[PLACES];
    double *g = calloc(3 * n, sizeof *g), *still = g + n, *w = g + 2 * n, loss;
    int word = 2, target = 3;
    at_train_sequence one = {1, &word, &target};
    at_adamw rest = at_adamw_default;
    rest.rate = 0;
    double unit = arith.kind == AT_F32 ? 0x1p-24 : 0x1p-53, exact = (double)lround(p * 65536) / 65536;
    int64_t count[PLACES] = {0}, pairs = 0, again = 0;
    bool before[D] = {false};
    for (int i = 0; i < PLACES; i++)
        at[i] = offset_of(t, tensor_of[i]);
    size_t proj = offset_of(t, "layer.0.proj.w"); /* (D, D): out, in */
    at_trainer_read(t, w);
    must(at_trainer_gradient(plain, &one, 1, &loss, still, &err), &err);
    for (int step = 0; step < STEPS; step++) {
        must(at_trainer_gradient(t, &one, 1, &loss, g, &err), &err);
        bool last = false;
        for (size_t k = 0; k < D; k++) {
            for (int i = FC2; i <= EMBED; i++) {
                double dx = still[at[i] + k];
                bool gone = dropped(g[at[i] + k], dx, fabs(dx), 1 / (1 - exact), unit);
                count[i] += gone;
                if (i == FC2) {
                    pairs +=
                        gone &&
                        last; /* neighbours, and the same place one step later, do not know of each other */
                    again += gone && before[k];
                    last = before[k] = gone;
                }
            }
            double want = 0, sum = 0;
            for (size_t o = 0; o < D; o++) {
                double term = w[proj + o * D + k] * g[at[PROJ] + o];
                want += term, sum += fabs(term);
            }
            double factor = kind == AT_ATTENTION_LINEAR ? 1 : 1 / (1 - exact);
            bool gone = dropped(g[at[WEIGHTS] + k], want, sum, factor, unit);
            count[WEIGHTS] += gone;
            if (k % (D / H))
                assert_true(gone == (g[at[WEIGHTS] + k - 1] == 0)); /* a weight is the whole head's */
        }
        must(at_trainer_step(t, &one, 1, &rest, &loss, &err), &err);
    }
    for (int i = FC2; i <= EMBED; i++)
        count_holds(count[i], (int64_t)STEPS * D, exact);
    if (kind == AT_ATTENTION_LINEAR)
        assert_int_equal(count[WEIGHTS], 0);
    else
        count_holds(count[WEIGHTS] / (D / H), (int64_t)STEPS * H, exact);
    /* pairs that overlap are not independent: twice the deviation of independent ones is more than theirs */
    double both = exact * exact;
    assert_true(fabs((double)pairs - both * STEPS * (D - 1)) <= 12 * sqrt(both * STEPS * (D - 1)));
    assert_true(fabs((double)again - both * (STEPS - 1) * D) <= 12 * sqrt(both * (STEPS - 1) * D));
    free(g);
    at_trainer_free(t);
    at_trainer_free(plain);
}

static void places_drop_as_often(void **state)
{
    (void)state;
    for (int kind = 0; kind < AT_TRAINED_ATTENTIONS; kind++) {
        places_drop((at_attention_kind)kind, at_f32, 0.1);
        places_drop((at_attention_kind)kind, at_f64, 0.4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(places_drop_as_often)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
