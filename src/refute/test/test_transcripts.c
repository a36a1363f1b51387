/* test_transcripts.c: everything that at_refute says of some small models, held against transcripts.txt.
 *
 * What is found is judged by other means: test_items.c, test_decoder.c and test_null_space.c find it by trying everything, and here each
 * pair is run again and each note compared with what the search itself handed over. The file was read beside these once; it keeps the
 * words, the counts and the order of attempts from changing unnoticed. Arithmetic is that of p bits or without any function of libm, so
 * that every machine writes the same numbers. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../../core/test/test_golden.h"
#include "../refute_internal.h"
#include "small_models.h"

#include <stdio.h>

static const char path[] = "src/refute/test/transcripts.txt";

static void numbers_add(at_text *t, const char *name, const double *v, int n)
{
    at_text_addf(t, "  %s", name);
    for (int k = 0; k < n; k++)
        at_text_addf(t, " %.17g", v[k]);
    at_text_add(t, "\n");
}

static void answer_add(at_text *t, const at_answer *y)
{
    at_text_addf(t, "  %s, first wrong %d, %d of %d\n", y->correct ? "right" : "wrong", y->position, y->n,
                 y->n_right);
    numbers_add(t, "got", y->got, y->n * y->width);
    numbers_add(t, "right", y->right, y->n_right * y->width);
    numbers_add(t, "values", y->value, (y->n < 1 ? y->n : 1) * y->values);
}

/* The pair holds, its place is one, and its note says whether it is what the search handed over. */
static void finding_check(const at_subject *s, const at_refutation *r, const at_refute_env *env, at_arena *a)
{
    const at_refuter *by = refuter(r->method);
    at_tri is;
    at_answer y[2];
    at_pair raw;
    if (by->single) {
        OK(at_subject_answer(s, &r->pair.x[0], a, &y[0], &err));
        assert_true(!y[0].correct && y[0].position == r->position && r->wrong == 0);
        return;
    }
    OK(at_pair_verify(s, &r->pair, a, &is, y, NULL, &err));
    assert_int_equal(is, AT_TRUE);
    assert_false(at_answer_right(s, &y[r->wrong], r->position));
    assert_true(r->wrong == 0 || at_answer_right(s, &y[0], r->position));
    OK(by->search(s, env, a, &raw, &err));
    bool same = true;
    for (int k = 0; k < 2; k++)
        same = same && raw.x[k].n == r->pair.x[k].n &&
               !memcmp(raw.x[k].v, r->pair.x[k].v, (size_t)(raw.x[k].n * subject_row(s)) * sizeof(double));
    assert_true(same == !strstr(r->pair.note, "(before the two were made simpler)"));
}

static void transcript_add(at_text *t, const char *name, const at_subject *s, const char *only,
                           uint64_t states, int *simpler)
{
    at_arena a;
    at_refutation r;
    at_refute_env env = {.states = states, .work = 3e6, .seed = 1, .threads = 1};
    at_arena_init(&a);
    if (at_subject_check(s, &err) || at_refute(s, &env, only, &a, &r, &err))
        fail_msg("%s: %s", name, err.text);
    at_text_addf(t, "# %s\n%s", name, r.refuted == AT_TRUE ? "refuted" : "unknown");
    if (r.refuted == AT_TRUE) {
        at_text_addf(t,
                     " by %s: %llu states, %.0f multiply-adds, %g bits\n  %s\n  position %d, %d is wrong\n",
                     r.method, (unsigned long long)r.pair.states, r.pair.work, r.pair.bits, r.pair.note,
                     r.position, r.wrong);
        for (int k = 0; k < 2 && r.pair.x[k].n; k++) {
            numbers_add(t, "input", r.pair.x[k].v, r.pair.x[k].n * subject_row(s));
            answer_add(t, &r.answer[k]);
        }
        if (only)
            finding_check(s, &r, &env, &a);
        *simpler += r.pair.note && strstr(r.pair.note, "made simpler");
    } else
        at_text_add(t, "\n");
    for (int k = 0; k < r.n_attempts; k++)
        at_text_addf(t, "  %s: %s, %llu states, %.0f: %s\n", r.attempts[k].id,
                     r.attempts[k].status == AT_OK        ? "found"
                     : r.attempts[k].status == AT_EBUDGET ? "not found"
                                                          : "does not fit",
                     (unsigned long long)r.attempts[k].states, r.attempts[k].work,
                     r.attempts[k].words ? r.attempts[k].words : "");
    at_text_addf(t, "  random: %llu of %.0f%s%s; in all %.0f\n\n", (unsigned long long)r.random.tried,
                 r.random.work, r.random.wrong ? ", wrong" : "", r.random.pair ? ", a pair" : "", r.work);
    at_arena_release(&a);
}

/* ---- models ---------------------------------------------------------------------------------------------------------- */

static void nets_add(at_text *t, int *simpler)
{
    static const struct {
        const char *name, *arith, *only;
        net_shape h;
        double tolerance;
    } rows[] = {
        {"ffn of rank 3 of 4", "f64", "null-space", {.N = 4, .q = 2, .d = 1, .units = 3, .gain = 1}, 0.1},
        {"ffn with a skip, d=2",
         "f64",
         NULL,
         {.N = 3, .q = 1, .d = 2, .units = 3, .gain = 0.5, .skip = true, .mlp = true},
         0.2},
        {"ffn of full rank", "p20", NULL, {.N = 3, .q = 1, .d = 1, .units = 3, .gain = 0.5}, 0.2},
        {"rnn, tanh",
         "p4e5",
         "rnn-state",
         {.N = 6, .q = 2, .d = 1, .units = 1, .gain = 0.7, .recurrent = true},
         0.1},
        {"rnn, gru, d=2",
         "p4e5",
         "rnn-state",
         {.N = 5, .q = 2, .d = 2, .units = 2, .gain = 1, .recurrent = true, .cell = AT_CELL_GRU},
         0.05},
        {"rnn that keeps much",
         "p24e8",
         NULL,
         {.N = 5, .q = 2, .d = 2, .units = 3, .gain = 1, .recurrent = true},
         0.05},
    };
    const at_task *task = at_task_find("qsa");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_model m;
        char set[64];
        snprintf(set, sizeof set, "N=%d q=%d d=%d", rows[k].h.N, rows[k].h.q, rows[k].h.d);
        at_params p = params_of(task, set);
        net_draw(&rows[k].h, k + 1, &m);
        at_subject s = {.m = &m, .task = task, .params = &p, .tolerance = rows[k].tolerance};
        OK(at_arith_parse(rows[k].arith, &s.arith, &err));
        transcript_add(t, rows[k].name, &s, rows[k].only, 300, simpler);
        at_model_release(&m);
    }
}

static void decoders_add(at_text *t, int *simpler)
{
    static const struct {
        const char *name, *arith, *only;
        decoder_shape h;
        digits chain;
    } rows[] = {
        {"linear decoder",
         "p2e4",
         "running-sums",
         {.layers = 1, .weighting = AT_LINEAR, .mask = {.kind = AT_MASK_CAUSAL}},
         {3, 6, 6, true, false}},
        {"linear decoder, prompts of several lengths",
         "p3e4",
         NULL,
         {.layers = 2, .weighting = AT_LINEAR, .mask = {.kind = AT_MASK_CAUSAL}, .prefix = 1},
         {3, 5, 7, false, true}},
        {"block-sparse decoder of one layer",
         "p6e5",
         "one-block",
         {.layers = 1, .mask = {AT_MASK_BLOCK_SPARSE, 3, 1, 1}, .prefix = 1},
         {4, 10, 10, false, false}},
        {"block-sparse decoder of two layers",
         "p2e4",
         NULL,
         {.layers = 2, .mask = {AT_MASK_BLOCK_SPARSE, 3, 1, 1}},
         {3, 11, 11, false, false}},
        {"softmax decoder",
         "p8e5",
         NULL,
         {.layers = 1, .mask = {.kind = AT_MASK_CAUSAL}},
         {3, 5, 5, true, false}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_model m;
        decoder_shape h = rows[k].h;
        h.words = rows[k].chain.base + 1;
        h.longest = rows[k].chain.longest;
        h.heads = h.dk = h.dv = 1;
        h.width = 2;
        decoder_draw(&h, k + 1, &m);
        at_subject s = {.m = &m,
                        .chain = &digits_chain,
                        .self = &rows[k].chain,
                        .rounded_sums = h.weighting == AT_LINEAR};
        OK(at_arith_parse(rows[k].arith, &s.arith, &err));
        transcript_add(t, rows[k].name, &s, rows[k].only, 300, simpler);
        at_model_release(&m);
    }
}

static void layers_add(at_text *t, int *simpler)
{
    static const struct {
        const char *name, *task, *set, *only;
        shape h;
        int bits;
    } rows[] = {
        {"one layer on compose",
         "compose",
         "n=4 N=9",
         "one-layer",
         {4, 9, 3, 1, 1, 1, 1, true, .read = AT_READ_ARGMAX, .rows = 4},
         4},
        {"one layer on compose of one function",
         "compose",
         "n=4 k=1 N=5",
         "one-layer",
         {4, 5, 4, 1, 2, 1, 1, true, .read = AT_READ_ARGMAX, .rows = 4, .prefix = 1},
         3},
        {"one layer on compose of three",
         "compose",
         "n=3 k=3 N=10",
         NULL,
         {3, 10, 3, 1, 1, 2, 1, true, .norm = true, .read = AT_READ_ARGMAX, .rows = 3},
         4},
        {"one layer on match3",
         "match3",
         "N=7 M=26",
         "one-layer",
         {26, 7, 3, 1, 1, 1, 1, .read = AT_READ_ARGMAX, .rows = 2},
         4},
        {"a layer on match2",
         "match2",
         "N=3 M=5",
         NULL,
         {5, 3, 3, 1, 1, 1, 1, .read = AT_READ_ARGMAX, .rows = 2},
         8},
        {"two layers on funccomp",
         "funccomp",
         "L=2 m=2 n1=1 N=6",
         "indistinguishable",
         {2, 6, 2, 2, 1, 1, 1, true, true, .read = AT_READ_ARGMAX, .rows = 2},
         2},
        {"three layers on funccomp",
         "funccomp",
         "L=3 m=2 n1=1 n2=1 N=8",
         NULL,
         {2, 8, 3, 3, 1, 1, 1, true, true, .read = AT_READ_ARGMAX, .rows = 2},
         6},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const at_task *task = at_task_find(rows[k].task);
        at_model m;
        at_params p = params_of(task, rows[k].set);
        model_draw(&rows[k].h, k + 1, &m);
        at_subject s = {.m = &m, .arith = {AT_PBIT, rows[k].bits, 8}, .task = task, .params = &p};
        transcript_add(t, rows[k].name, &s, rows[k].only, 3000, simpler);
        at_model_release(&m);
    }
}

static void test_transcripts(void **state)
{
    at_text made;
    int simpler = 0;
    at_text_init(&made);
    nets_add(&made, &simpler);
    decoders_add(&made, &simpler);
    layers_add(&made, &simpler);
    assert_false(made.oom);
    assert_true(simpler >= 3);
    golden_check(path, made.s, *state);
    at_text_release(&made);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_transcripts, golden_asked(argc, argv) ? (void *)argv : NULL),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
