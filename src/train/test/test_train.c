/* test_train.c: training as a whole: f32 beside f64, threads, dropout, learning, resuming, the plain model, refusals.
 *
 * Gradients of f32 against f64: an entry is reached through sums of at most n = 3 D + U + 2 T terms a layer each way, each of
 * which errs by at most n 2^-24 of its terms' sizes; so the error of a tensor, by its largest entry, is allowed
 * 2 layers n 2^-24 = 1.5e-4 (2 layers, D 16, U 24, T 61: n = 194), times 4 for terms that cancel. A mistake is orders larger.
 *
 * Logits against at_run in f64, of the largest logit: the same count, forward only (2^-53 for f64). Balls (at_run_bound) hold
 * dependent errors apart in every sum and say nothing after two norms and two attentions: 1e-4 in f64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../core/test/test_folder.h"
#include "../../core/test/test_scale.h"
#include "../train_internal.h"
#include "train_test.h"

static at_train_arch arch_of(int kind)
{
    at_train_arch a = at_train_arch_default;
    a.attention = (at_attention_kind)kind;
    a.layers = 2, a.heads = 2, a.width = 16, a.hidden = 24, a.vocabulary = 11, a.length = 61;
    a.dropout = 0.2;
    return a;
}

static double *gradient_of(const at_train_arch *a, at_arith arith, int threads, const test_batch *b,
                           double *loss)
{
    at_err err = {0};
    at_trainer *t, *single;
    must(at_trainer_new(a, arith, threads, &t, &err), &err);
    must(at_trainer_new(a, at_f32, 1, &single, &err), &err);
    size_t n = at_trainer_parameters(t);
    double *w = calloc(n, sizeof *w), *g = calloc(n, sizeof *g);
    at_trainer_read(single, w); /* the same weights in both, those of f32 */
    must(at_trainer_write(t, w, &err), &err);
    must(at_trainer_gradient(t, b->s, b->n, loss, g, &err), &err);
    free(w);
    at_trainer_free(t);
    at_trainer_free(single);
    return g;
}

static void single_beside_double(void **state)
{
    (void)state;
    for (int kind = 0; kind < AT_TRAINED_ATTENTIONS; kind++)
        for (int width = 16; width <= 48; width += 32) {
            at_train_arch a = arch_of(kind);
            a.width = width;
            test_batch b;
            test_batch_make(&b, &a, a.length, 5);
            double l32, l64, *f = gradient_of(&a, at_f32, 1, &b, &l32),
                             *d = gradient_of(&a, at_f64, 1, &b, &l64);
            double allowed = 4 * 2 * a.layers * (3 * a.width + 24 + 2 * a.length) * 0x1p-24;
            assert_true(fabs(l32 - l64) <= allowed * l64);
            at_err err = {0};
            at_trainer *t;
            const at_train_tensor *tensor;
            must(at_trainer_new(&a, at_f64, 1, &t, &err), &err);
            for (int k = at_trainer_tensors(t, &tensor) - 1; k >= 0; k--) {
                double largest = 0, off = 0;
                for (size_t i = 0; i < (size_t)tensor[k].rows * (size_t)tensor[k].cols; i++) {
                    largest = fmax(largest, fabs(d[tensor[k].offset + i]));
                    off = fmax(off, fabs(d[tensor[k].offset + i] - f[tensor[k].offset + i]));
                }
                /* softmax does not see a key's bias: only rounding is left of its gradient */
                if (strstr(tensor[k].name, "k.b") && kind != AT_ATTENTION_LINEAR)
                    largest = 1;
                if (!(off <= allowed * largest))
                    fail_msg("%s %s: off by %g of %g", at_attention_names[kind], tensor[k].name, off,
                             largest);
            }
            at_trainer_free(t);
            test_batch_release(&b);
            free(f);
            free(d);
        }
}

/* `steps` steps of f32 training; the parameters afterwards. */
static double *trained(const at_train_arch *a, int threads, int steps, double *loss)
{
    at_err err = {0};
    at_trainer *t;
    must(at_trainer_new(a, at_f32, threads, &t, &err), &err);
    for (int i = 0; i < steps; i++) {
        test_batch b;
        test_batch_make(&b, a, a->length, (uint64_t)i);
        must(at_trainer_step(t, b.s, b.n, &at_adamw_default, loss, &err), &err);
        test_batch_release(&b);
    }
    double *w = calloc(at_trainer_parameters(t), sizeof *w);
    at_trainer_read(t, w);
    at_trainer_free(t);
    return w;
}

static size_t parameters_of(const at_train_arch *a)
{
    at_err err = {0};
    at_trainer *t;
    must(at_trainer_new(a, at_f32, 1, &t, &err), &err);
    size_t n = at_trainer_parameters(t);
    at_trainer_free(t);
    return n;
}

static void threads_agree(void **state)
{
    (void)state;
    for (int kind = 0; kind < AT_TRAINED_ATTENTIONS; kind++) {
        at_train_arch a = arch_of(kind);
        double l1, l2, l3, *one = trained(&a, 1, 4, &l1), *two = trained(&a, 2, 4, &l2),
                           *three = trained(&a, 3, 4, &l3);
        size_t bytes = parameters_of(&a) * sizeof(double);
        assert_memory_equal(one, two, bytes);
        assert_memory_equal(one, three, bytes);
        assert_true(l1 == l2 && l2 == l3);
        a.seed++;
        double *other = trained(&a, 1, 4, &l2);
        assert_memory_not_equal(one, other, bytes);
        free(one);
        free(two);
        free(three);
        free(other);
    }
}

/* p becomes a threshold of 16 bits, keys differ between places, every step drops something else, and the loss stays near
 * the one without dropout (within 30%: coarse, it only catches a wrong scale of what is kept). */
static void dropout_varies(void **state)
{
    (void)state;
    at_train_arch a = arch_of(AT_ATTENTION_STANDARD);
    a.layers = 1, a.width = 64, a.hidden = 8, a.length = 2;
    train_plan p;
    at_arena arena;
    at_err err = {0};
    at_arena_init(&arena);
    must(train_plan_make(&a, 8, &arena, &p, &err), &err);
    assert_int_equal(p.threshold, 13107);
    at_arena_release(&arena);
    uint64_t seen[TRAIN_DROPS * 2 * 2 * 2];
    int n = 0;
    for (int place = 0; place < TRAIN_DROPS; place++)
        for (int k = 0; k < 8; k++) {
            seen[n] = train_drop_key(9, k & 1, place, k >> 1 & 1, k >> 2);
            for (int i = 0; i < n; i++)
                assert_true(seen[i] != seen[n]);
            n++;
        }
    /* steps of rate 0: only dropout changes */
    at_trainer *t;
    test_batch b;
    double quiet, loss, before = 0, mean = 0;
    a.layers = 2, a.length = 20;
    must(at_trainer_new(&a, at_f32, 1, &t, &err), &err);
    test_batch_make(&b, &a, a.length, 1);
    must(at_trainer_loss(t, b.s, b.n, &quiet, &err), &err);
    at_adamw still = at_adamw_default;
    still.rate = 0;
    for (int i = 0; i < 50; i++, before = loss) {
        must(at_trainer_step(t, b.s, b.n, &still, &loss, &err), &err);
        assert_true(loss != before && loss != quiet);
        mean += loss / 50;
    }
    assert_true(fabs(mean - quiet) < 0.3 * quiet);
    test_batch_release(&b);
    at_trainer_free(t);
}

/* ---- learning: parity of three bits, and copying ------------------------------------------------------------------ */

typedef struct {
    at_train_sequence s[16];
    int token[16][8], target[16][8];
    double first, last;
} toy;

static void toy_parity(toy *y)
{
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 4; k++) {
            y->token[i][k] = k < 3 ? i >> k & 1 : 2;
            y->target[i][k] = k < 3 ? -1 : (i ^ i >> 1 ^ i >> 2) & 1;
        }
        y->s[i] = (at_train_sequence){4, y->token[i], y->target[i]};
    }
}

static at_status toy_source(void *ctx, uint64_t step, const at_train_sequence **batch, int *n, at_err *err)
{
    (void)step;
    (void)err;
    *batch = ((toy *)ctx)->s;
    *n = 8;
    return AT_OK;
}

static void toy_seen(void *ctx, uint64_t step, double loss)
{
    toy *y = ctx;
    if (step == 0)
        y->first = loss;
    y->last = loss;
}

static void learns(void **state)
{
    (void)state;
    for (int kind = 0; kind < AT_TRAINED_ATTENTIONS; kind++) {
        at_train_arch a = arch_of(kind);
        a.width = 32, a.hidden = 64, a.heads = 4, a.vocabulary = 3, a.length = 4, a.dropout = 0;
        toy y; /* two layers: in sparse attention the last position does not see the first */
        toy_parity(&y);
        at_err err = {0};
        at_trainer *t;
        must(at_trainer_new(&a, at_f32, 2, &t, &err), &err);
        at_train_loop l = {
            .steps = 400, .adamw = at_adamw_default, .warmup = 20, .decay_rate = true, .seen = toy_seen};
        l.adamw.rate = 3e-3;
        double loss;
        must(at_train_run(t, &l, toy_source, &y, &loss, &err), &err);
        assert_true(y.first > 0.5 && y.last < 0.02 && loss == y.last);
        at_model m;
        at_arena arena;
        at_arena_init(&arena);
        must(at_trainer_model(t, 1, &m, &err), &err);
        for (int i = 0; i < 8; i++) {
            double v[4];
            at_output out;
            for (int k = 0; k < 4; k++)
                v[k] = y.token[i][k];
            must(at_run(&m, at_f64, &(at_input){4, v}, NULL, &arena, &out, &err), &err);
            assert_true(out.decision[3] == y.target[i][3]);
        }
        at_arena_release(&arena);
        at_model_release(&m);
        at_trainer_free(t);
    }
}

static void rates(void **state)
{
    (void)state;
    at_train_loop l = {.steps = 100, .adamw = {.rate = 8}, .warmup = 4, .decay_rate = true};
    assert_true(at_train_rate(&l, 0) == 2 && at_train_rate(&l, 3) == 8 && at_train_rate(&l, 4) == 8);
    assert_true(at_train_rate(&l, 52) == 4 && at_train_rate(&l, 100) == 0);
    l.hold = 4; /* stretches of 4 steps: one rises, 24 fall */
    assert_true(at_train_rate(&l, 0) == 8 && at_train_rate(&l, 3) == 8 && at_train_rate(&l, 7) == 8);
    l.warmup = 8, l.from_zero = true; /* two stretches of four: 0 and a half */
    assert_true(at_train_rate(&l, 0) == 0 && at_train_rate(&l, 3) == 0 && at_train_rate(&l, 4) == 4 &&
                at_train_rate(&l, 8) == 8);
    l.warmup = 4, l.from_zero = false;
    assert_true(at_train_rate(&l, 52) == 4 && at_train_rate(&l, 55) == 4 &&
                at_train_rate(&l, 99) == 8.0 / 24);
}

/* ---- on disk ----------------------------------------------------------------------------------------------------- */

static void batches_run(at_trainer *t, int from, int to)
{
    at_err err = {0};
    for (int i = from; i < to; i++) {
        test_batch b;
        double loss;
        test_batch_make(&b, at_trainer_arch(t), at_trainer_arch(t)->length, (uint64_t)i);
        must(at_trainer_step(t, b.s, b.n, &at_adamw_default, &loss, &err), &err);
        test_batch_release(&b);
    }
}

static void resumes(void **state)
{
    (void)state;
    for (int kind = 0; kind < AT_TRAINED_ATTENTIONS; kind++)
        for (int wide = 0; wide < 2; wide++) {
            at_train_arch a = arch_of(kind);
            at_err err = {0};
            at_trainer *t, *u;
            char *path = test_file_new();
            must(at_trainer_new(&a, wide ? at_f64 : at_f32, 1, &t, &err), &err);
            batches_run(t, 0, 3);
            must(at_trainer_save(t, NULL, path, &err), &err);
            must(at_trainer_load(path, 2, &u, NULL, &err), &err);
            assert_int_equal(at_trainer_steps(u), 3);
            batches_run(t, 3, 6);
            batches_run(u, 3, 6);
            test_same_state(t, u);
            at_trainer_free(t);
            at_trainer_free(u);
            unlink(path);
        }
}

static void damaged_files(void **state)
{
    (void)state;
    at_train_arch a = arch_of(AT_ATTENTION_SPARSE);
    at_err err = {0};
    at_trainer *t;
    char *path = test_file_new(), *bytes;
    size_t n;
    must(at_trainer_new(&a, at_f32, 1, &t, &err), &err);
    must(at_trainer_save(t, NULL, path, &err), &err);
    at_trainer_free(t);
    must(at_file_read(path, 1 << 24, &bytes, &n, &err), &err);
    for (size_t at = 0; at < n; at += n / 37) { /* one byte changed */
        bytes[at] ^= 1;
        must(at_file_write(path, bytes, n, &err), &err);
        at_err bad = {0};
        assert_int_equal(at_trainer_load(path, 1, &t, NULL, &bad), AT_EINPUT);
        bytes[at] ^= 1;
    }
    for (size_t cut = 0; cut < n; cut += n / 11) { /* the end missing */
        must(at_file_write(path, bytes, cut, &err), &err);
        at_err bad = {0};
        assert_int_equal(at_trainer_load(path, 1, &t, NULL, &bad), AT_EINPUT);
    }
    at_free(bytes);
    unlink(path);
}

/* ---- the plain model ----------------------------------------------------------------------------------------------- */

static double most_of(const double *x, int n)
{
    double most = 0;
    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(x[k]));
    return most;
}

static void model_compare(const at_train_arch *a, bool single)
{
    at_err err = {0};
    at_trainer *t;
    at_model m;
    at_arena arena;
    at_arith arith = single ? at_f32 : at_f64;
    must(at_trainer_new(a, arith, 1, &t, &err), &err);
    batches_run(t, 0, 3);
    must(at_trainer_model(t, 1, &m, &err), &err);
    m.decode =
        (at_decode){.enabled = true, .stop = AT_STOP_STEPS, .max_steps = 2, .prompt_min = 1, .prompt_max = 2};
    must(at_model_validate(&m, &err), &err);
    at_arena_init(&arena);
    test_batch b;
    test_batch_make(&b, a, a->length, 77);
    for (int i = 0; i < 2; i++) {
        int n = b.s[i].length, R = a->vocabulary;
        double *v = calloc((size_t)n, sizeof *v), *logits = calloc((size_t)(n * R), sizeof *logits);
        for (int k = 0; k < n; k++)
            v[k] = b.s[i].token[k];
        at_output y;
        must(at_trainer_logits(t, &b.s[i], logits, &err), &err);
        must(at_run(&m, at_f64, &(at_input){n, v}, NULL, &arena, &y, &err), &err);
        double terms = a->layers * (3 * a->width + a->hidden + 2 * a->length), most = most_of(y.value, n * R);
        double allowed = 4 * terms * (single ? 0x1p-24 : 0x1p-53) * most;
        for (int k = 0; k < n * R; k++)
            if (!(fabs(logits[k] - y.value[k]) <= allowed))
                fail_msg("%s, %s, number %d: %.10g is not %.10g +- %.2g", at_attention_names[a->attention],
                         single ? "f32" : "f64", k, logits[k], y.value[k], allowed);
        at_decoder *d;
        must(at_decoder_new(&m, arith, &d, &err), &err);
        for (int k = 0; k < n; k++) {
            double next, margin;
            at_tri decided;
            must(at_decoder_push(d, &v[k], &err), &err);
            must(at_decoder_next(d, &next, &margin, &decided, &err), &err);
            if (y.margin[k] > 2 * allowed)
                assert_true(next == y.decision[k]);
        }
        at_decoder_free(d);
        free(v);
        free(logits);
    }
    test_batch_release(&b);
    at_arena_release(&arena);
    at_model_release(&m);
    at_trainer_free(t);
}

static void models(void **state)
{
    (void)state;
    for (int kind = 0; kind < AT_TRAINED_ATTENTIONS; kind++)
        for (int variant = 0; variant < 2; variant++)
            for (int single = 0; single < 2; single++) {
                at_train_arch a = arch_of(kind);
                a.length = 23;
                if (variant)
                    a.learned_positions = true, a.embed_norm = false, a.head_bias = false, a.block = 4,
                    a.windows = 2;
                model_compare(&a, single);
            }
}

/* ---- refusals -------------------------------------------------------------------------------------------------------- */

static void refusals(void **state)
{
    (void)state;
    at_err err = {0};
    at_trainer *t;
    double loss;
    struct {
        size_t offset;
        int value;
    } bad[] = {{offsetof(at_train_arch, layers), 0},  {offsetof(at_train_arch, heads), 3},
               {offsetof(at_train_arch, width), 20},  {offsetof(at_train_arch, width), 1 << 20},
               {offsetof(at_train_arch, hidden), 7},  {offsetof(at_train_arch, vocabulary), 0},
               {offsetof(at_train_arch, length), -1}, {offsetof(at_train_arch, ends), 9},
               {offsetof(at_train_arch, windows), 0}, {offsetof(at_train_arch, slots), 3}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        at_train_arch a = arch_of(AT_ATTENTION_SPARSE);
        memcpy((char *)&a + bad[i].offset, &bad[i].value, sizeof(int));
        at_err e = {0};
        assert_int_equal(at_trainer_new(&a, at_f32, 1, &t, &e), AT_EDOMAIN);
    }
    at_train_arch a = arch_of(AT_ATTENTION_STANDARD);
    a.dropout = 1;
    assert_int_equal(at_trainer_new(&a, at_f32, 1, &t, &err), AT_EDOMAIN);
    a.dropout = 0;
    assert_int_equal(at_trainer_new(&a, (at_arith){AT_PBIT, 8, 8}, 1, &t, &err), AT_EREFUSED);
    must(at_trainer_new(&a, at_f32, 1, &t, &err), &(at_err){0});
    int word[2] = {0, 11}, none[2] = {-1, -1}, good[2] = {1, 2};
    const at_train_sequence wrong[] = {
        {2, word, good}, {2, good, word}, {2, good, none}, {0, good, good}, {62, good, good}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(at_trainer_step(t, &wrong[i], 1, &at_adamw_default, &loss, &err), AT_EDOMAIN);
    assert_int_equal(at_trainer_steps(t), 0);
    at_trainer_free(t);
}

/* The peak is measured for as long as is asked for, by the processor's time. */
static void peak(void **state)
{
    (void)state;
    at_err err = {0};
    at_trainer *t;
    at_train_arch a = arch_of(AT_ATTENTION_STANDARD);
    must(at_trainer_new(&a, at_f32, 1, &t, &err), &err);
    double start = at_cpu_now(), rate = at_trainer_peak(t, 0.1);
    assert_true(at_cpu_now() - start >= 0.1);
    assert_true(rate > 1e6 && rate < 1e13);
    at_trainer_free(t);
}

static at_status sparse_new(const void *arch, at_trainer **t, at_err *err)
{
    return at_trainer_new(arch, at_f32, 2, t, err);
}

static void memory(void **state)
{
    (void)state;
    at_train_arch a = arch_of(AT_ATTENTION_SPARSE);
    test_batch b;
    test_batch_make(&b, &a, a.length, 3);
    test_starve(sparse_new, &a, &b, 1, TEST_SCALE > 1 ? 100 : LONG_MAX);
    test_batch_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(single_beside_double),
                                       cmocka_unit_test(threads_agree),
                                       cmocka_unit_test(dropout_varies),
                                       cmocka_unit_test(learns),
                                       cmocka_unit_test(rates),
                                       cmocka_unit_test(resumes),
                                       cmocka_unit_test(damaged_files),
                                       cmocka_unit_test(models),
                                       cmocka_unit_test(refusals),
                                       cmocka_unit_test(peak),
                                       cmocka_unit_test(memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
