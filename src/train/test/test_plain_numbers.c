/* test_plain_numbers.c: the plain engine on what is no word: every kind of field as input, bits and reals as answers.
 *
 * Gradients of every tensor against differences (gradient_check.c); losses against their formulas, written here from what at_run gives;
 * threads and states on disk bit by bit; and a gradient that is wrong in one table is noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../train_internal.h"
#include "plain_model.h"
#include "train_test.h"

enum { N = 6, R = 3, ROW = 1 + 2 + 2 + 1 }; /* token | 2-subset | 2 reals | integer */

static const at_train_options only_plain = {.seed = 5};

/* The usual model with four fields; what is read out is `kind`. */
static void model_make(at_read_kind kind, bool last, at_weighting weighting, at_model *m)
{
    at_err err = {0};
    plain_shape s = plain_usual;
    s.weighting = weighting;
    s.mask.kind = AT_MASK_NONE;
    s.suffix = 1, s.n_min = 2, s.n_max = N, s.last = last, s.bias = false;
    plain_model_make(&s, 11, m);
    m->n_fields = 4;
    m->fields = at_new(&m->arena, at_field, 4);
    assert_non_null(m->fields);
    m->fields[0] = (at_field){.name = "t", .kind = AT_FIELD_TOKEN, .size = 3, .embed = {0, 7, -1}};
    m->fields[1] =
        (at_field){.name = "s", .kind = AT_FIELD_SUBSET, .size = 4, .pick = 2, .embed = {1, 5, -1}};
    m->fields[2] =
        (at_field){.name = "r", .kind = AT_FIELD_REAL, .size = 2, .lo = -1, .hi = 1, .embed = {0, 3, -1}};
    m->fields[3] =
        (at_field){.name = "i", .kind = AT_FIELD_INT, .size = 1, .lo = -2, .hi = 2, .embed = {4, 3, -1}};
    m->readout.kind = kind;
    m->readout.rows = R;
    m->readout.threshold = kind == AT_READ_THRESHOLD ? 0.25 : 0;
    must(at_model_layout(m, &err), &err);
    plain_model_draw(m, 11);
}

typedef struct {
    test_batch b;
    double x[TEST_BATCH][N * ROW], y[TEST_BATCH][N * R];
} numbers;

static void numbers_draw(numbers *d, at_read_kind kind, bool last, uint64_t seed)
{
    at_rng r = at_rng_at(seed, 2);
    *d = (numbers){.b.n = TEST_BATCH};
    for (int i = 0; i < TEST_BATCH; i++) {
        int n = i ? 2 + (int)at_rng_below(&r, N - 1) : N;
        for (int t = 0; t < n; t++) {
            double *x = d->x[i] + t * ROW;
            x[0] = (double)at_rng_below(&r, 3);
            x[1] = 1 + (double)at_rng_below(&r, 3);
            x[2] = x[1] + 1 + (double)at_rng_below(&r, (uint64_t)(4 - (int)x[1]));
            x[3] = 2 * at_rng_unit(&r) - 1;
            x[4] = 2 * at_rng_unit(&r) - 1;
            x[5] = (double)at_rng_below(&r, 5) - 2;
        }
        for (int k = 0; k < (last ? 1 : n) * R; k++)
            d->y[i][k] = kind == AT_READ_RAW     ? at_rng_normal(&r)
                         : kind == AT_READ_ROUND ? (double)at_rng_below(&r, 5)
                                                 : (double)at_rng_below(&r, 2);
        if (!last)
            d->y[i][R] = NAN; /* of the second position nothing is asked */
        d->b.s[i] = (at_train_sequence){.length = n, .x = d->x[i], .y = d->y[i]};
    }
}

static const at_read_kind kinds[] = {AT_READ_SIGN, AT_READ_THRESHOLD, AT_READ_ROUND, AT_READ_RAW};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

/* Mean over the positions that are asked, by the reference executor. */
static double loss_by_formula(const at_model *m, const numbers *d)
{
    at_err err = {0};
    at_arena a;
    double sum = 0;
    int asked = 0;
    at_arena_init(&a);
    for (int i = 0; i < d->b.n; i++) {
        at_output y;
        must(at_run(m, at_f64, &(at_input){d->b.s[i].length, d->x[i]}, NULL, &a, &y, &err), &err);
        for (int t = 0; t < y.n; t++) {
            const double *right = d->y[i] + t * R;
            if (isnan(*right))
                continue;
            asked++;
            for (int k = 0; k < R; k++) {
                double v = y.value[t * R + k] - m->readout.threshold;
                sum += m->readout.kind == AT_READ_SIGN || m->readout.kind == AT_READ_THRESHOLD
                           ? log(1 + exp(right[k] > 0 ? -v : v))
                           : (v - right[k]) * (v - right[k]);
            }
        }
    }
    at_arena_release(&a);
    return sum / asked;
}

static void gradients(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * KINDS; k++) {
        at_err err = {0};
        at_model m;
        at_trainer *t;
        numbers d;
        double loss;
        bool last = k >= KINDS;
        model_make(kinds[k % KINDS], last, k % 2 ? AT_SOFTMAX : AT_THREEWISE, &m);
        numbers_draw(&d, kinds[k % KINDS], last, (uint64_t)k);
        must(at_trainer_from_model(&m, at_f64, 1, &only_plain, &t, &err), &err);
        must(at_trainer_loss(t, d.b.s, d.b.n, &loss, &err), &err);
        double want = loss_by_formula(&m, &d);
        if (!(fabs(loss - want) <= 1e-10 * want)) /* some hundred operations of 2^-53 each */
            fail_msg("%s: loss %.17g, by its formula %.17g", at_read_names[m.readout.kind], loss, want);
        test_gradient(t, &d.b, k % 2 ? 1e-3 : 1e-4, 0, NULL);
        at_trainer_free(t);
        at_model_release(&m);
    }
}

/* The step that a gradient promises is not the one that comes out when one table's gradient has another sign. */
static void wrong_gradient(void **state)
{
    (void)state;
    at_err err = {0};
    at_model m;
    at_trainer *t;
    numbers d;
    double before, loss, h = 1e-6;
    model_make(AT_READ_RAW, false, AT_SOFTMAX, &m);
    numbers_draw(&d, AT_READ_RAW, false, 3);
    must(at_trainer_from_model(&m, at_f64, 1, &only_plain, &t, &err), &err);
    size_t n = at_trainer_parameters(t);
    double *w = calloc(3 * n, sizeof *w), *g = w + n, *moved = w + 2 * n;
    at_trainer_read(t, w);
    must(at_trainer_gradient(t, d.b.s, d.b.n, &before, g, &err), &err);
    for (int f = 0; f < 4; f++) {
        const at_tensor *e = &m.tensors[m.fields[f].embed.tensor];
        for (int wrong = 0; wrong < 2; wrong++) {
            double square = 0;
            memcpy(moved, w, n * sizeof *w);
            for (size_t i = e->offset; i < e->offset + e->count; i++) {
                moved[i] += (wrong ? h : -h) * g[i];
                square += g[i] * g[i];
            }
            must(at_trainer_write(t, moved, &err), &err);
            must(at_trainer_loss(t, d.b.s, d.b.n, &loss, &err), &err);
            double fell = (before - loss) / (h * square);
            assert_true(square > 1e-6);
            assert_true(wrong ? fell < -0.9 : fell > 0.9 && fell < 1.1);
        }
    }
    free(w);
    at_trainer_free(t);
    at_model_release(&m);
}

static void steps_do(at_trainer *t, int from, int to)
{
    at_err err = {0};
    double loss;
    for (int k = from; k < to; k++) {
        numbers d;
        numbers_draw(&d, AT_READ_RAW, false, 100 + (uint64_t)k);
        must(at_trainer_step(t, d.b.s, d.b.n, &at_adamw_default, &loss, &err), &err);
    }
}

static void same_bits(void **state)
{
    (void)state;
    at_err err = {0};
    at_model m;
    at_trainer *t[4];
    char *path = test_file_new();
    model_make(AT_READ_RAW, false, AT_SOFTMAX, &m);
    for (int k = 0; k < 3; k++) {
        must(at_trainer_from_model(&m, at_f32, k + 1, &only_plain, &t[k], &err), &err);
        steps_do(t[k], 0, 3);
    }
    must(at_trainer_save(t[2], NULL, path, &err), &err);
    must(at_trainer_load(path, 1, &t[3], NULL, &err), &err);
    for (int k = 0; k < 4; k++)
        steps_do(t[k], 3, 6);
    for (int k = 1; k < 4; k++)
        test_same_state(t[0], t[k]);
    for (int k = 0; k < 4; k++)
        at_trainer_free(t[k]);
    unlink(path);
    at_model_release(&m);
}

static void refused(at_trainer *t, const at_train_sequence *s, const char *words)
{
    at_err err = {0};
    double loss;
    assert_int_equal(at_trainer_loss(t, s, 1, &loss, &err), AT_EDOMAIN);
    if (!strstr(err.text, words))
        fail_msg("\"%s\" does not say \"%s\"", err.text, words);
}

static void refusals(void **state)
{
    (void)state;
    at_err err = {0};
    at_model m;
    at_trainer *t;
    numbers d;
    int token[N] = {0}, target[N] = {0};
    model_make(AT_READ_SIGN, false, AT_SOFTMAX, &m);
    numbers_draw(&d, AT_READ_SIGN, false, 1);
    must(at_trainer_from_model(&m, at_f32, 1, &only_plain, &t, &err), &err);
    at_train_sequence s = d.b.s[0];
    refused(t, &(at_train_sequence){.length = N, .token = token, .y = s.y}, "reads numbers");
    refused(t, &(at_train_sequence){.length = N, .x = s.x, .target = target}, "answers with numbers");
    refused(t, &(at_train_sequence){.length = N, .x = s.x}, "without targets");
    d.y[0][2 * R + 1] = 0.5;
    refused(t, &s, "position 3: answer 2 is 0.5; allowed: 0 and 1");
    d.y[0][2 * R + 1] = 1;
    d.x[0][1] = 4, d.x[0][2] = 4;
    refused(t, &s, "position 1");
    at_trainer_free(t);
    at_model_release(&m);

    plain_model_make(&plain_usual, 1, &m);
    must(at_trainer_from_model(&m, at_f32, 1, &only_plain, &t, &err), &err);
    refused(t, &(at_train_sequence){.length = 2, .token = token, .y = d.y[0]}, "answers with words");
    at_trainer_free(t);
    at_model_release(&m);
    at_train_arch a = at_train_arch_default;
    a.vocabulary = 3, a.length = N;
    must(at_trainer_new(&a, at_f32, 1, &t, &err), &err);
    refused(t, &(at_train_sequence){.length = 2, .x = d.x[0], .target = target}, "reads words only");
    at_trainer_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gradients), cmocka_unit_test(wrong_gradient),
                                       cmocka_unit_test(same_bits), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
