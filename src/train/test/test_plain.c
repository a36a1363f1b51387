/* test_plain.c: training that starts from a model: which engine it gets, both engines beside each other, threads, states on disk,
 * what comes back, refusals, memory.
 *
 * Engine against engine, in f64 without dropout: two programs that share no arithmetic. A gradient's entry is reached through sums of
 * at most n = 3 D + U + 2 T terms a layer each way, each of which errs by at most n 2^-53 of its terms' sizes, in each
 * engine: 2 * 2 layers n 2^-53 of a tensor's largest entry, times 4 for terms that cancel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../core/test/test_folder.h"
#include "../train_internal.h"
#include "plain_model.h"
#include "train_test.h"

static at_train_arch arch_of(int kind)
{
    at_train_arch a = at_train_arch_default;
    a.attention = (at_attention_kind)kind;
    a.layers = 2, a.heads = 2, a.width = 16, a.hidden = 24, a.vocabulary = 11, a.length = 37;
    a.dropout = 0;
    return a;
}

/* ---- two engines -------------------------------------------------------------------------------------------- */

/* The fast engine's gradient in the model's order: written as parameters, it comes out as the weights of a model. */
static void engines_compare(const at_train_arch *a)
{
    at_err err = {0};
    at_trainer *fast, *again, *plain;
    at_model m, gradient;
    test_batch b;
    double loss[3];
    at_train_options only = {.seed = 1, .plain = true};
    must(at_trainer_new(a, at_f64, 1, &fast, &err), &err);
    size_t n = at_trainer_parameters(fast);
    double *w = calloc(n, sizeof *w), *g = calloc(n, sizeof *g);
    at_rng r = at_rng_at(4, 4);
    at_trainer_read(fast, w);
    for (size_t i = 0; i < n; i++)
        w[i] += 0.1 * at_rng_normal(&r);
    must(at_trainer_write(fast, w, &err), &err);
    must(at_trainer_model(fast, 1, &m, &err), &err);
    must(at_trainer_from_model(&m, at_f64, 1, &at_train_options_default, &again, &err), &err);
    must(at_trainer_from_model(&m, at_f64, 1, &only, &plain, &err), &err);
    assert_true(again->plan.plain == NULL && plain->plan.plain != NULL);
    assert_int_equal(at_trainer_parameters(plain), m.n_weights);
    test_batch_make(&b, a, a->length, 3);
    must(at_trainer_gradient(fast, b.s, b.n, &loss[0], g, &err), &err);
    must(at_trainer_loss(again, b.s, b.n, &loss[1], &err), &err);
    double *mine = calloc(m.n_weights, sizeof *mine);
    must(at_trainer_gradient(plain, b.s, b.n, &loss[2], mine, &err), &err);
    double allowed = 4.0 * 2 * 2 * a->layers * (3 * a->width + a->hidden + 2 * a->length) * 0x1p-53;
    assert_true(loss[0] == loss[1]);
    assert_true(fabs(loss[0] - loss[2]) <= allowed * loss[0]);
    must(at_trainer_write(fast, g, &err), &err);
    must(at_trainer_model(fast, 1, &gradient, &err), &err);
    for (int k = 0; k < m.n_tensors; k++) {
        const at_tensor *e = &m.tensors[k];
        /* what the fast engine does not train: sinusoids, the empty MLP of norm0, a head's bias that is not there */
        if ((!strcmp(e->name, "pos.0.embed") && !a->learned_positions) ||
            !strncmp(e->name, "block.0.mlp", 11) || (!strcmp(e->name, "readout.b") && !a->head_bias))
            continue;
        double largest = 0, off = 0;
        for (size_t i = e->offset; i < e->offset + e->count; i++) {
            largest = fmax(largest, fabs(gradient.weights[i]));
            off = fmax(off, fabs(gradient.weights[i] - mine[i]));
        }
        if (strstr(e->name, ".kb") && a->attention != AT_ATTENTION_LINEAR)
            largest = 1; /* softmax does not see it: rounding alone is left */
        if (!(off <= allowed * largest))
            fail_msg("%s %s: off by %g of %g", at_attention_names[a->attention], e->name, off, largest);
    }
    test_batch_release(&b);
    free(w), free(g), free(mine);
    at_model_release(&m);
    at_model_release(&gradient);
    at_trainer_free(fast);
    at_trainer_free(again);
    at_trainer_free(plain);
}

static void engines_agree(void **state)
{
    (void)state;
    for (int kind = 0; kind < AT_TRAINED_ATTENTIONS; kind++)
        for (int variant = 0; variant < 2; variant++) {
            at_train_arch a = arch_of(kind);
            if (variant)
                a.learned_positions = true, a.embed_norm = false, a.head_bias = false, a.block = 4,
                a.windows = 2, a.heads = 4;
            engines_compare(&a);
        }
}

/* What the family leaves open does not matter; anything else does. */
static void recognised(void **state)
{
    (void)state;
    at_err err = {0};
    at_train_arch a = arch_of(AT_ATTENTION_SPARSE);
    at_trainer *t;
    for (int change = 0; change < 12; change++) {
        at_model m;
        must(at_trainer_new(&a, at_f64, 1, &t, &err), &err);
        must(at_trainer_model(t, 1, &m, &err), &err);
        at_trainer_free(t);
        at_block *attn = &m.blocks[1], *mlp = &m.blocks[2];
        strcpy(m.name, "other");
        m.n_min = 2;
        m.decode = (at_decode){
            .enabled = true, .stop = AT_STOP_STEPS, .max_steps = 2, .prompt_min = 2, .prompt_max = 3};
        if (change == 1)
            attn->groups[0].scale *= 2;
        else if (change == 2)
            attn->groups[0].mask.windows++;
        else if (change == 3)
            mlp->act = AT_ACT_RELU;
        else if (change == 4)
            mlp->residual = false;
        else if (change == 5)
            m.readout.last = true;
        else if (change == 6)
            m.pos_origin = 0;
        else if (change == 7)
            at_model_data(&m, m.pos[0].embed.tensor)[1] = 1e-3;
        else if (change == 8)
            at_model_data(&m, m.blocks[0].dense[0].b)[0] = 1e-3;
        else if (change == 9)
            m.blocks[4].norm_eps *= 2;
        else if (change == 10)
            m.blocks[3].groups[0].mask.kind = AT_MASK_CAUSAL;
        else if (change == 11)
            mlp->norm = AT_NORM_POST;
        must(at_model_validate(&m, &err), &err);
        must(at_trainer_from_model(&m, at_f32, 1, &at_train_options_default, &t, &err), &err);
        if ((t->plan.plain == NULL) != (change == 0))
            fail_msg("change %d is taken for %s of the fast family", change, change ? "one" : "none");
        at_model back;
        must(at_trainer_model(t, 0, &back, &err), &err);
        assert_string_equal(back.name, "other");
        assert_true(back.decode.enabled && back.n_min == 2 && back.f32);
        for (size_t i = 0; i < m.n_weights; i++)
            assert_true(back.weights[i] == (float)m.weights[i]);
        at_model_release(&back);
        at_model_release(&m);
        at_trainer_free(t);
    }
}

/* ---- steps ---------------------------------------------------------------------------------------------------- */

static void steps_do(at_trainer *t, int from, int to)
{
    at_err err = {0};
    at_adamw o = at_adamw_default;
    o.rate = 1e-2;
    for (int i = from; i < to; i++) {
        test_batch b;
        double loss;
        test_batch_draw(&b, PLAIN_WORDS, PLAIN_ANSWERS, 1, 9, false, (uint64_t)i);
        must(at_trainer_step(t, b.s, b.n, &o, &loss, &err), &err);
        test_batch_release(&b);
    }
}

static void threads_agree(void **state)
{
    (void)state;
    const at_weighting kinds[] = {AT_SOFTMAX, AT_LINEAR, AT_THREEWISE};
    for (size_t k = 0; k < 3; k++) {
        at_err err = {0};
        plain_shape s = plain_usual;
        s.weighting = kinds[k];
        at_model m, out[3];
        plain_model_make(&s, 2, &m);
        for (int threads = 1; threads <= 3; threads++) {
            at_trainer *t;
            at_train_options o = {.seed = 9, .dropout = 0.2, .slots = 4};
            must(at_trainer_from_model(&m, at_f32, threads, &o, &t, &err), &err);
            steps_do(t, 0, 4);
            must(at_trainer_model(t, 0, &out[threads - 1], &err), &err);
            assert_memory_equal(out[threads - 1].weights, out[0].weights, m.n_weights * sizeof(double));
            at_trainer_free(t);
        }
        assert_memory_not_equal(m.weights, out[0].weights, m.n_weights * sizeof(double));
        for (int i = 0; i < 3; i++)
            at_model_release(&out[i]);
        at_model_release(&m);
    }
}

/* Both engines, both arithmetics: stopped and resumed is never stopped. */
static void resumes(void **state)
{
    (void)state;
    char *path = test_file_new();
    for (int variant = 0; variant < 4; variant++) {
        at_err err = {0};
        at_model m;
        at_trainer *t, *u;
        at_train_options o = {.seed = 9, .dropout = 0.25};
        if (variant & 1) {
            at_train_arch a = arch_of(AT_ATTENTION_LINEAR);
            a.vocabulary = PLAIN_WORDS;
            test_family_model(&a, at_f32, &m);
        } else {
            plain_model_make(&plain_usual, 2, &m);
        }
        must(at_trainer_from_model(&m, variant & 2 ? at_f64 : at_f32, 1, &o, &t, &err), &err);
        assert_true((t->plan.plain == NULL) == (variant & 1));
        steps_do(t, 0, 3);
        must(at_trainer_save(t, NULL, path, &err), &err);
        must(at_trainer_load(path, 2, &u, NULL, &err), &err);
        test_same_state(t, u);
        steps_do(t, 3, 6);
        steps_do(u, 3, 6);
        test_same_state(t, u);
        at_trainer_free(t);
        at_trainer_free(u);
        at_model_release(&m);
    }
    unlink(path);
}

/* ---- ranks ------------------------------------------------------------------------------------------------------- */

/* What a rank shows the others when they meet. */
static at_status shown(void *ctx, at_status mine, bool *stop, uint64_t same, at_err *err)
{
    (void)stop, (void)err;
    *(uint64_t *)ctx = same;
    return mine;
}

/* Ranks that start from models with the same weights and another mask must not agree. */
static void ranks_compare_models(void **state)
{
    (void)state;
    uint64_t print[3];
    for (int k = 0; k < 3; k++) {
        at_err err = {0};
        at_model m;
        at_trainer *t;
        plain_model_make(&plain_usual, 2, &m);
        if (k == 2)
            m.blocks[0].groups[0].mask.kind = AT_MASK_STRICT;
        must(at_trainer_from_model(&m, at_f32, 1, &at_train_options_default, &t, &err), &err);
        at_train_ranks r = {.rank = k % 2, .ranks = 2, .agree = shown, .ctx = &print[k]};
        must(at_trainer_ranks(t, &r, &err), &err);
        at_trainer_free(t);
        at_model_release(&m);
    }
    assert_true(print[0] == print[1] && print[0] != print[2]);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void refused(const at_model *m, at_status status, const char *words, const at_train_options *o)
{
    at_err err = {0};
    at_trainer *t;
    assert_int_equal(at_trainer_from_model(m, at_f32, 1, o, &t, &err), status);
    if (!strstr(err.text, words))
        fail_msg("\"%s\" does not say \"%s\"", err.text, words);
}

static void refusals(void **state)
{
    (void)state;
    at_err err = {0};
    at_model m;
    const at_train_options *usual = &at_train_options_default;
    for (int w = AT_LEFTMOST_HARD; w <= AT_AVERAGE_HARD; w++) {
        plain_shape s = plain_usual;
        s.weighting = (at_weighting)w;
        plain_model_make(&s, 1, &m);
        refused(&m, AT_EREFUSED, "block 0, group 0", usual);
        refused(&m, AT_EREFUSED, at_weighting_names[w], usual);
        at_model_release(&m);
    }
    plain_model_make(&plain_usual, 1, &m);
    m.readout.kind = AT_READ_SPARSEMAX;
    refused(&m, AT_EREFUSED, "sparsemax", usual);
    m.readout.kind = AT_READ_ARGMAX;
    refused(&m, AT_EDOMAIN, "dropout", &(at_train_options){.dropout = 1});
    refused(&m, AT_EDOMAIN, "slots", &(at_train_options){.slots = 3});
    refused(&m, AT_EDOMAIN, "length", &(at_train_options){.length = 10});
    m.weights[3] = 1e300; /* no float */
    refused(&m, AT_EDOMAIN, "not finite", usual);
    m.weights[3] = NAN;
    refused(&m, AT_EDOMAIN, "not finite", usual);
    m.weights[3] = 0;

    at_trainer *t;
    double loss;
    m.n_min = 2;
    m.readout.last = true;
    must(at_trainer_from_model(&m, at_f32, 1, &(at_train_options){.length = 4}, &t, &err), &err);
    int word[5] = {0, 4, 3, 1, 0}, high[2] = {0, 5}, end[5] = {-1, -1, -1, -1, 3}, four[2] = {-1, 4},
        two[2] = {1, 1};
    const at_train_sequence bad[] = {
        {1, word, word}, {5, word, end}, {2, high, end + 3}, {2, word, four}, {2, word, two}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(at_trainer_step(t, &bad[i], 1, &at_adamw_default, &loss, &err), AT_EDOMAIN);
    err = (at_err){0};
    must(at_trainer_step(t, &(at_train_sequence){4, word, end + 1}, 1, &at_adamw_default, &loss, &err), &err);
    at_model back;
    assert_int_equal(at_trainer_model(t, 10, &back, &err), AT_EDOMAIN); /* n_min beyond n_max */
    assert_true(at_trainer_flops(t, 4) > 0 && at_trainer_flops(t, 4) < at_trainer_flops(t, 5));
    at_trainer_free(t);
    at_model_release(&m);
}

static at_status continued(const void *model, at_trainer **t, at_err *err)
{
    return at_trainer_from_model(model, at_f32, 2, &at_train_options_default, t, err);
}

/* Beyond the first allocations, which are ours, most belong to the JSON of models (tested there), and some are
 * left out. */
static void memory(void **state)
{
    (void)state;
    for (int fast = 0; fast < 2; fast++) {
        at_err err = {0};
        at_trainer *t;
        at_model m;
        test_batch b;
        if (fast) {
            at_train_arch a = arch_of(AT_ATTENTION_STANDARD);
            a.vocabulary = PLAIN_ANSWERS;
            test_family_model(&a, at_f64, &m);
        } else {
            plain_model_make(&plain_usual, 1, &m);
        }
        must(continued(&m, &t, &err), &err);
        assert_true((t->plan.plain == NULL) == fast);
        at_trainer_free(t);
        test_batch_draw(&b, PLAIN_ANSWERS, PLAIN_ANSWERS, 1, 9, false, 3);
        test_starve(continued, &m, &b, 0, 60);
        test_batch_release(&b);
        at_model_release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(engines_agree),
                                       cmocka_unit_test(recognised),
                                       cmocka_unit_test(threads_agree),
                                       cmocka_unit_test(resumes),
                                       cmocka_unit_test(ranks_compare_models),
                                       cmocka_unit_test(refusals),
                                       cmocka_unit_test(memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
