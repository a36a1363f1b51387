/* test_talks.c: every count and every bit of some conversations, held against talks.txt.
 *
 * That what the parties compute is what the model computes is asserted of each of them here, and of many more in test_protocol.c, where
 * bits are counted by hand as well. The file keeps messages from changing unnoticed: who sent how many bits, a hash of all that each sent,
 * rounds, and what came out. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "../../core/test/test_golden.h"
#include "../../exec/test/random_model.h"
#include "../protocol_internal.h"

static const char path[] = "src/protocol/test/talks.txt";

static void must(at_status st, const at_err *err)
{
    if (st)
        fail_msg("%s", err->text);
}

static void talk_add(at_text *out, const char *name, const at_model *m, at_arith a, const at_input *x,
                     const at_talk *t, int parties, at_arena *arena)
{
    at_err err = {0};
    bool equal;
    uint64_t sent = 0;
    must(at_talk_agrees(m, a, x, t, arena, &equal, &err), &err);
    assert_true(equal);
    at_text_addf(out, "# %s\n%ju messages, %ju bits: queries %ju, maxima %ju, sums %ju; budget %ju\n", name,
                 (uintmax_t)t->messages, (uintmax_t)t->bits, (uintmax_t)t->query_bits,
                 (uintmax_t)t->peak_bits, (uintmax_t)t->sum_bits, (uintmax_t)t->budget);
    at_text_addf(out, "A %d, number %d, longest sum %d, epochs %d, rounds %ju, cut %ju, edge %ju\n", t->A,
                 t->number, t->longest_sum, t->epochs, (uintmax_t)t->rounds, (uintmax_t)t->cut_bits,
                 (uintmax_t)t->edge_bits);
    for (int p = 0; p < parties; p++) {
        at_text_addf(out, "party %d: %ju bits, answers %ju, %016jx\n", p, (uintmax_t)t->sent[p],
                     (uintmax_t)t->answered[p], (uintmax_t)t->said[p]);
        sent += t->sent[p];
    }
    assert_true(sent == t->bits && t->bits == t->query_bits + t->peak_bits + t->sum_bits &&
                t->bits <= t->budget);
    at_text_addf(out, "positions from %d:", t->first);
    for (int k = 0; k < t->n * t->rows; k++)
        at_text_addf(out, " %.17g", t->value[k]);
    at_text_add(out, "\n\n");
}

static void test_talks(void **state)
{
    static const struct {
        at_weighting weighting;
        at_mask_kind mask;
        int layers;
        const char *arith;
        at_norm norm;
    } rows[] = {
        {AT_SOFTMAX, AT_MASK_NONE, 1, "p6e5", AT_NORM_NONE},
        {AT_SOFTMAX, AT_MASK_CAUSAL, 2, "p12", AT_NORM_PRE},
        {AT_LINEAR, AT_MASK_CAUSAL, 1, "p8e5", AT_NORM_NONE},
        {AT_AVERAGE_HARD, AT_MASK_STRICT, 1, "p8e5", AT_NORM_POST},
        {AT_LEFTMOST_HARD, AT_MASK_NONE, 2, "p4e5", AT_NORM_NONE},
        {AT_RIGHTMOST_HARD, AT_MASK_BLOCK_SPARSE, 1, "p24e8", AT_NORM_NONE},
    };
    at_text made;
    at_err err = {0};
    at_text_init(&made);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_model m;
        at_arena arena;
        at_arith a;
        at_input x;
        at_talk t;
        char name[96];
        random_spec spec = {.weighting = rows[k].weighting,
                            .mask = rows[k].mask,
                            .pos = AT_POS_I_OVER_N,
                            .layers = rows[k].layers,
                            .norm = rows[k].norm,
                            .tie = at_weighting_hard(rows[k].weighting) ? 0.25 : 0,
                            .act = AT_ACT_RELU,
                            .read = AT_READ_RAW,
                            .rows = 1,
                            .seed = k + 1};
        at_arena_init(&arena);
        must(random_model(&spec, &m, &err), &err);
        must(at_arith_parse(rows[k].arith, &a, &err), &err);
        must(random_input(&m, m.n_max, k, false, &arena, &x, &err), &err);
        for (int parties = 2; parties <= 3; parties++) {
            int owner[16];
            at_shared *s;
            for (int i = 0; i < x.n; i++) /* descending: what the autoregressive model needs */
                owner[i] = parties - 1 - i * parties / x.n;
            bool order = rows[k].mask == AT_MASK_CAUSAL || rows[k].mask == AT_MASK_STRICT;
            at_shared_plan plan = {.parties = parties, .owner = owner, .query = -1, .autoregressive = order};
            must(at_shared_new(&m, a, x.n, &plan, &s, &err), &err);
            must(at_shared_run(s, &x, &arena, &t, &err), &err);
            snprintf(name, sizeof name, "%s, %s, %s: %d parties%s", at_weighting_names[rows[k].weighting],
                     at_mask_names[rows[k].mask], rows[k].arith, parties, order ? " in order" : "");
            talk_add(&made, name, &m, a, &x, &t, parties, &arena);
            at_shared_free(s);
        }
        int parent[16] = {-1, 0, 0, 1, 1, 4}, side[16] = {0, 0, 1, 0, 1, 1};
        must(at_congest_run(&m, a, &x, &(at_congest_plan){.parent = parent, .side = side, .bandwidth = 7},
                            &arena, &t, &err),
             &err);
        talk_add(&made, "a tree of 6 nodes", &m, a, &x, &t, x.n, &arena);
        if (rows[k].layers == 1) {
            must(at_handed_run(&m, a, &x, 4, false, &arena, &t, &err), &err);
            talk_add(&made, "handed over", &m, a, &x, &t, 2, &arena);
        }
        at_arena_release(&arena);
        at_model_release(&m);
    }
    assert_false(made.oom);
    golden_check(path, made.s, *state);
    at_text_release(&made);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_talks, golden_asked(argc, argv) ? (void *)argv : NULL),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
