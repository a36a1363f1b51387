/* test_plain_learn.c: every random net learns what it can in a second, through the same trainer, and the model that comes back
 * answers it: parity of three bits (attention, RNNs, feed-forward net), match3 of four residues mod 5 (three-wise). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "train_test.h"

enum { LONGEST = 4, MOST = 625 };

typedef struct {
    int n, length, words;
    at_train_sequence s[MOST];
    int token[MOST][LONGEST], target[MOST][LONGEST];
} table;

/* The last answer is the parity of the bits; the others are left open. */
static void parity(table *y)
{
    y->n = 8, y->length = 3, y->words = 2;
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) {
            y->token[i][k] = i >> k & 1;
            y->target[i][k] = k < 2 ? -1 : (i ^ i >> 1 ^ i >> 2) & 1;
        }
}

/* Position i: are there a, b with x_i + x_a + x_b = 0 mod 5? */
static void match3(table *y)
{
    y->n = MOST, y->length = 4, y->words = 5;
    for (int i = 0; i < MOST; i++) {
        for (int k = 0, rest = i; k < 4; k++, rest /= 5)
            y->token[i][k] = rest % 5;
        for (int k = 0; k < 4; k++) {
            y->target[i][k] = 0;
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++)
                    y->target[i][k] |= (y->token[i][k] + y->token[i][a] + y->token[i][b]) % 5 == 0;
        }
    }
}

static at_status source(void *ctx, uint64_t step, const at_train_sequence **batch, int *n, at_err *err)
{
    (void)err;
    table *y = ctx;
    int size = y->n < 64 ? y->n : 64, from = (int)(step * 64 % (uint64_t)(y->n - size + 1));
    *batch = y->s + from;
    *n = size;
    return AT_OK;
}

/* Share of right answers of m, by the reference in f64. */
static double right(const at_model *m, const table *y)
{
    at_err err = {0};
    int asked = 0, hit = 0;
    for (int i = 0; i < y->n; i++) {
        at_arena arena;
        at_output out;
        double v[LONGEST];
        at_arena_init(&arena);
        for (int k = 0; k < y->length; k++)
            v[k] = y->token[i][k];
        must(at_run(m, at_f64, &(at_input){y->length, v}, NULL, &arena, &out, &err), &err);
        for (int k = 0; k < y->length; k++)
            if (y->target[i][k] >= 0) {
                asked++;
                hit += out.decision[m->readout.last ? 0 : k] == y->target[i][k];
            }
        at_arena_release(&arena);
    }
    return (double)hit / asked;
}

static void learn(const at_train_net *net, table *y, uint64_t steps, double rate)
{
    at_err err = {0};
    at_model m, trained;
    at_trainer *t;
    double first, last;
    for (int i = 0; i < y->n; i++)
        y->s[i] = (at_train_sequence){y->length, y->token[i], y->target[i]};
    must(at_train_net_model(net, &m, &err), &err);
    double before = right(&m, y);
    must(at_trainer_from_model(&m, at_f32, 2, &at_train_options_default, &t, &err), &err);
    must(at_trainer_loss(t, y->s, y->n, &first, &err), &err);
    at_train_loop l = {.steps = steps, .adamw = at_adamw_default, .warmup = 20, .decay_rate = true};
    l.adamw.rate = rate;
    must(at_train_run(t, &l, source, y, &last, &err), &err);
    must(at_trainer_model(t, 0, &trained, &err), &err);
    double after = right(&trained, y);
    if (!(first > 0.5 && before < 1 && after == 1))
        fail_msg("%s: loss %.3f to %.4f, right %.3f to %.3f", at_net_names[net->kind], first, last, before,
                 after);
    at_model_release(&m);
    at_model_release(&trained);
    at_trainer_free(t);
}

static void learns_parity(void **state)
{
    (void)state;
    table *y = calloc(1, sizeof *y);
    parity(y);
    for (int kind = 0; kind < AT_NETS; kind++)
        for (int cell = 0; cell < (kind == AT_NET_RNN ? AT_CELLS : 1); cell++) {
            at_train_net net = at_train_net_default;
            net.kind = (at_net_kind)kind;
            net.cell = (at_rnn_cell)cell;
            net.length = 3;
            net.last = kind != AT_NET_ATTENTION;
            net.layers = kind == AT_NET_FFN ? 2 : 1;
            learn(&net, y, 300, 1e-2);
        }
    free(y);
}

static void learns_match3(void **state)
{
    (void)state;
    table *y = calloc(1, sizeof *y);
    match3(y);
    at_train_net net = at_train_net_default;
    net.kind = AT_NET_THREEWISE;
    net.vocabulary = 5, net.answers = 2, net.length = 4, net.width = 16, net.heads = 2;
    learn(&net, y, 600, 1e-2);
    free(y);
}

static void refused(at_train_net n, at_status status, const char *words)
{
    at_err err = {0};
    at_model m;
    assert_int_equal(at_train_net_model(&n, &m, &err), status);
    if (!strstr(err.text, words))
        fail_msg("\"%s\" does not say \"%s\"", err.text, words);
}

static void refusals(void **state)
{
    (void)state;
    at_train_net n = at_train_net_default;
#define REFUSED(change, words)                                                                               \
    do {                                                                                                     \
        at_train_net bad = n;                                                                                \
        change;                                                                                              \
        refused(bad, AT_EDOMAIN, words);                                                                     \
    } while (0)
    REFUSED(bad.kind = AT_NETS, "kind of net is 4");
    REFUSED(bad.vocabulary = 0, "vocabulary is 0");
    REFUSED(bad.answers = -1, "answers is -1");
    REFUSED(bad.length = 0, "length is 0");
    REFUSED(bad.width = 0, "width is 0");
    REFUSED(bad.layers = 0, "layers is 0");
    REFUSED(bad.layers = 1000, "layers is 1000");
    REFUSED(bad.heads = 5, "no multiple");
    REFUSED(bad.heads = 0, "heads is 0");
    REFUSED((bad.kind = AT_NET_FFN, bad.length = 100000), "numbers of all positions");
    REFUSED((bad.kind = AT_NET_RNN, bad.cell = AT_CELLS), "cell number 2");
    REFUSED((bad.kind = AT_NET_RNN, bad.hidden = -3), "hidden is -3");
#undef REFUSED
    for (int kind = 0; kind < AT_NETS; kind++) {
        bool all = false;
        n.kind = (at_net_kind)kind;
        for (long nth = 1; !all; nth++) {
            at_err err = {0};
            at_model m;
            at_alloc_inject(nth);
            at_status s = at_train_net_model(&n, &m, &err);
            all = !at_alloc_injected();
            at_alloc_inject(0);
            assert_int_equal(s, all ? AT_OK : AT_ENOMEM);
            at_model_release(&m);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(learns_parity), cmocka_unit_test(learns_match3),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
