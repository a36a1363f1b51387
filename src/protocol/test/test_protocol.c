/* test_protocol.c: what parties compute together is what the model computes, bit for bit.
 *
 * Random models over every weighting, mask and arithmetic that can be split, with hidden rows, two groups and several blocks; random
 * dealings of the positions; trees of every shape. Then the codes, the counts, the budgets, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "../../core/test/test_evidence.h"
#include "../../exec/test/random_model.h"
#include "../protocol_internal.h"

static void must(at_status st, const at_err *err)
{
    if (st)
        fail_msg("%s", err->text);
}

static at_arith arith(const char *name)
{
    at_arith a;
    at_err err = {0};
    must(at_arith_parse(name, &a, &err), &err);
    return a;
}

static const char *const ariths[] = {"p4e5", "p8e5", "p12", "p24e8", "p30", "p53"};
static const at_weighting splits[] = {AT_SOFTMAX, AT_LEFTMOST_HARD, AT_RIGHTMOST_HARD, AT_AVERAGE_HARD,
                                      AT_LINEAR};
enum { ARITHS = sizeof ariths / sizeof *ariths, SPLITS = sizeof splits / sizeof *splits };

/* ---- codes -------------------------------------------------------------------------------------------------- */

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Every number of a small format, and what is not finite, comes back from exactly p + exp_bits bits. */
static void numbers_return(void **state)
{
    (void)state;
    at_code c = at_code_of(arith("p4e5"), 7, false);
    assert_int_equal(c.number, 9);
    for (uint64_t u = 0; u < 512; u++) {
        at_bits in = {0}, out = {0};
        at_bits_put(&in, u, 9);
        at_bits_reader r = {.from = &in};
        double x = at_code_number_read(&c, &r);
        assert_false(r.over);
        if (!isnan(x))
            assert_true(at_p_round(&c.f, x) == x);
        at_code_number(&c, &out, x);
        assert_int_equal(out.n, 9);
        at_bits_reader again = {.from = &out};
        uint64_t v = at_bits_get(&again, 9);
        assert_true(v == u || isnan(x));
        at_bits_release(&in);
        at_bits_release(&out);
    }
    for (int a = 0; a < ARITHS; a++) {
        at_code d = at_code_of(arith(ariths[a]), 5, false);
        double edge[] = {0, -0.0, d.f.tiny, -d.f.norm, d.f.max, -d.f.max, INFINITY, -INFINITY, NAN, 1, 1.5};
        for (size_t k = 0; k < sizeof edge / sizeof *edge; k++) {
            at_bits b = {0};
            at_code_number(&d, &b, edge[k]);
            at_bits_reader r = {.from = &b};
            assert_true(same(at_code_number_read(&d, &r), edge[k]));
            assert_int_equal(b.n, d.number);
            at_bits_release(&b);
        }
    }
}

/* T products of the largest and of the smallest numbers fit in A bits, and come back exactly. */
static void sums_return(void **state)
{
    (void)state;
    for (int a = 0; a < ARITHS; a++)
        for (int wide = 0; wide < 2; wide++) {
            int T = 9;
            at_code c = at_code_of(arith(ariths[a]), T, wide);
            at_rng rng = at_rng_at(5, (uint64_t)a);
            for (int k = 0; k < 400; k++) {
                at_acc s = {0}, t = {0};
                at_bits b = {0};
                for (int j = 0; j < T; j++) {
                    double big = at_rng_below(&rng, 2) ? c.f.max : c.f.tiny,
                           w = at_rng_below(&rng, 2)   ? (wide ? c.f.max : 1)
                               : at_rng_below(&rng, 2) ? c.f.tiny
                                                       : 0,
                           v = at_rng_below(&rng, 3) ? big : at_p_round(&c.f, at_rng_normal(&rng));
                    if (k % 3 && at_rng_below(&rng, 2))
                        v = -v;
                    at_acc_add_product(&s, w, v);
                }
                if (k == 7)
                    at_acc_add(&s, -INFINITY);
                if (k == 8)
                    at_acc_add(&s, NAN);
                at_code_sum(&c, &b, &s);
                assert_int_equal(b.n, c.A);
                at_bits_reader r = {.from = &b};
                at_code_sum_read(&c, &r, &t);
                assert_true(!r.over && r.at == b.n);
                assert_true(same(at_acc_round(&s, &c.f), at_acc_round(&t, &c.f)));
                if (s.special == 0)
                    assert_int_equal(at_acc_bits(&s), at_acc_bits(&t));
                at_bits_release(&b);
            }
        }
}

/* What is not finite, in the bits that the header gives it: 2^W - 1, its negative, and -2^W, in two's complement. */
static void specials_known(void **state)
{
    (void)state;
    for (int a = 0; a < ARITHS; a++) {
        at_code c = at_code_of(arith(ariths[a]), 9, a % 2);
        static const double value[3] = {INFINITY, -INFINITY, NAN};
        for (int k = 0; k < 3; k++) {
            at_acc s = {0};
            at_bits b = {0};
            at_acc_add(&s, value[k]);
            at_code_sum(&c, &b, &s);
            assert_int_equal(b.n, c.W + 1);
            at_bits_reader r = {.from = &b};
            for (int i = 0; i <= c.W; i++) {
                bool top = i == c.W;
                assert_int_equal(at_bits_get(&r, 1), k == 0 ? !top : k == 1 ? top || i == 0 : top);
            }
            at_bits_release(&b);
        }
    }
}

/* ---- models -------------------------------------------------------------------------------------------------- */

static void model_make(at_weighting w, at_mask_kind mask, int layers, uint64_t seed, at_model *m)
{
    at_err err = {0};
    random_spec s = {.weighting = w,
                     .mask = mask,
                     .pos = seed % 2 ? AT_POS_INV_I : AT_POS_I_OVER_N,
                     .layers = layers,
                     .norm = (at_norm)(seed % 3),
                     .act = (at_act)(seed / 3 % 2),
                     .tie = at_weighting_hard(w) && seed % 3 ? 0.25 : 0,
                     .integers = seed % 5 == 0,
                     .read = AT_READ_RAW,
                     .last = seed % 7 == 0,
                     .final_norm = seed % 2,
                     .seed = seed};
    must(random_model(&s, m, &err), &err);
}

static void input_make(const at_model *m, uint64_t seed, at_arena *arena, at_input *x)
{
    at_err err = {0};
    must(random_input(m, m->n_max, seed, false, arena, x, &err), &err);
}

static bool shared_agrees(const at_model *m, at_arith a, const at_input *x, const at_shared_plan *plan,
                          at_arena *arena, at_talk *t)
{
    at_err err = {0};
    at_shared *s;
    bool equal;
    must(at_shared_new(m, a, x->n, plan, &s, &err), &err);
    must(at_shared_run(s, x, arena, t, &err), &err);
    must(at_talk_agrees(m, a, x, t, arena, &equal, &err), &err);
    at_shared_free(s);
    assert_true(t->bits == t->query_bits + t->peak_bits + t->sum_bits && t->bits <= t->budget);
    return equal;
}

/* EVIDENCE arcomm simulated 230 parties_agree: random models of every weighting and mask that splits, 2..4 parties, six arithmetics. */
static void parties_agree(void **state)
{
    (void)state;
    int split_runs = 0;
    for (int w = 0; w < SPLITS; w++)
        for (int mask = 0; mask < AT_MASKS; mask++)
            for (uint64_t seed = 0; seed < 8; seed++) {
                at_model m;
                at_arena arena;
                at_arena_init(&arena);
                model_make(splits[w], (at_mask_kind)mask, 1 + (int)(seed % 3), seed, &m);
                at_input x;
                input_make(&m, seed, &arena, &x);
                int owner[16];
                at_rng rng = at_rng_at(seed, 77);
                int parties = 2 + (int)(seed % 3);
                for (int i = 0; i < x.n; i++)
                    owner[i] = (int)at_rng_below(&rng, (uint64_t)parties);
                at_talk t;
                int asked = m.readout.last || seed % 2 ? -1 : 2;
                assert_true(shared_agrees(
                    &m, arith(ariths[(seed + (uint64_t)mask) % ARITHS]), &x,
                    &(at_shared_plan){.parties = parties, .owner = owner, .query = asked}, &arena, &t));
                split_runs += t.messages > 0;
                at_arena_release(&arena);
                at_model_release(&m);
            }
    assert_true(split_runs > 200);
    evidence_say("parties_agree", "arcomm", "simulated", (uint64_t)split_runs, "runs");
}

/* One preparation, many inputs: nothing of a run is left for the next. And models whose first block is an MLP: everyone's rows go through it
 * before the first query, the known one too. */
static void parties_again(void **state)
{
    (void)state;
    for (int parties = 2; parties <= 4; parties++)
        for (uint64_t seed = 1; seed <= 6; seed++) {
            at_model m;
            at_arena arena;
            at_err err = {0};
            at_shared *s;
            int owner[16];
            bool late = seed % 2; /* the attention block that the random model begins with is left out */
            at_arena_init(&arena);
            model_make(splits[seed % SPLITS], AT_MASK_NONE, late ? 2 : 1, seed + 14, &m);
            m.blocks += late;
            m.n_blocks -= late;
            for (int i = 0; i < m.n_max; i++)
                owner[i] = (i * 5 + (int)seed) % parties;
            at_arith a = arith(ariths[seed % ARITHS]);
            at_shared_plan plan = {.parties = parties, .owner = owner, .query = m.readout.last ? -1 : 3};
            plan.known = !m.readout.last && seed % 3 != 2;
            must(at_shared_new(&m, a, m.n_max, &plan, &s, &err), &err);
            for (uint64_t k = 0; k < 4; k++) {
                at_input x;
                at_talk t;
                bool equal;
                input_make(&m, 10 * seed + k, &arena, &x);
                must(at_shared_run(s, &x, &arena, &t, &err), &err);
                must(at_talk_agrees(&m, a, &x, &t, &arena, &equal, &err), &err);
                assert_true(equal);
                assert_int_equal(t.epochs, 1);
            }
            at_shared_free(s);
            at_arena_release(&arena);
            m.blocks -= late;
            m.n_blocks += late;
            at_model_release(&m);
        }
}

static void handing_agrees(void **state)
{
    (void)state;
    for (int w = 0; w < SPLITS; w++)
        for (int mask = 0; mask < AT_MASKS; mask++)
            for (uint64_t seed = 1; seed < 6; seed++) {
                at_model m;
                at_arena arena;
                at_err err = {0};
                at_arena_init(&arena);
                model_make(splits[w], (at_mask_kind)mask, 1, seed, &m);
                at_input x;
                input_make(&m, seed, &arena, &x);
                at_talk t;
                bool equal;
                at_arith a = arith(ariths[seed % ARITHS]);
                must(at_handed_run(&m, a, &x, (int)seed % x.n, false, &arena, &t, &err), &err);
                must(at_talk_agrees(&m, a, &x, &t, &arena, &equal, &err), &err);
                assert_true(equal);
                at_arena_release(&arena);
                at_model_release(&m);
            }
}

/* Every row tells, whoever asks: the readout is the model's; where nothing is told it is another one in some run. EVIDENCE triangle-row
 * simulated 4500 telling_agrees: random models, every weighting and mask, hidden rows included. */
static void telling_agrees(void **state)
{
    (void)state;
    uint64_t runs = 0, others = 0;
    for (int w = 0; w < SPLITS; w++)
        for (int mask = 0; mask < AT_MASKS; mask++)
            for (uint64_t seed = 1; seed < 6; seed++) {
                at_model m;
                at_arena arena;
                at_err err = {0};
                at_input x;
                at_talk t;
                bool equal;
                at_arith a = arith(ariths[seed % ARITHS]);
                at_arena_init(&arena);
                model_make(splits[w], (at_mask_kind)mask, 1, seed, &m);
                input_make(&m, seed, &arena, &x);
                for (int row = 0; row < x.n; row++)
                    for (int asks = m.readout.last ? x.n - 1 : 0; asks < x.n; asks++) {
                        if (row == asks || (m.readout.last && m.n_suffix))
                            continue;
                        must(at_told_run(&m, a, &x, row, asks, false, &arena, &t, &err), &err);
                        must(at_talk_agrees(&m, a, &x, &t, &arena, &equal, &err), &err);
                        assert_true(equal);
                        assert_int_equal(t.query_bits, 0);
                        runs++;
                        must(at_told_run(&m, a, &x, row, asks, true, &arena, &t, &err), &err);
                        assert_int_equal(t.bits, 0);
                        must(at_talk_agrees(&m, a, &x, &t, &arena, &equal, &err), &err);
                        others += !equal;
                    }
                at_arena_release(&arena);
                at_model_release(&m);
            }
    assert_true(others > runs / 10);
    evidence_say("telling_agrees", "triangle-row", "simulated", runs, "runs");
}

/* EVIDENCE triangle simulated 120 trees_agree: random models on trees of every shape, hidden rows included. */
static void trees_agree(void **state)
{
    (void)state;
    uint64_t runs = 0;
    for (int w = 0; w < SPLITS; w++)
        for (int mask = 0; mask < AT_MASKS; mask++)
            for (uint64_t seed = 0; seed < 4; seed++) {
                at_model m;
                at_arena arena;
                at_err err = {0};
                at_arena_init(&arena);
                model_make(splits[w], (at_mask_kind)mask, 1 + (int)(seed % 3), seed, &m);
                at_input x;
                input_make(&m, seed, &arena, &x);
                int parent[16], side[16];
                at_rng rng = at_rng_at(seed, 3);
                for (int i = 0; i < x.n; i++) {
                    parent[i] = i ? seed == 0 ? i - 1 : (int)at_rng_below(&rng, (uint64_t)i) : -1;
                    side[i] = i >= x.n / 2;
                }
                at_talk t, slow;
                bool equal;
                at_arith a = arith(ariths[(seed + (uint64_t)w) % ARITHS]);
                at_congest_plan plan = {.parent = parent, .side = side, .bandwidth = 1000};
                must(at_congest_run(&m, a, &x, &plan, &arena, &t, &err), &err);
                must(at_talk_agrees(&m, a, &x, &t, &arena, &equal, &err), &err);
                assert_true(equal);
                int layers = 0;
                for (int b = 0; b < m.n_blocks; b++)
                    layers += m.blocks[b].kind == AT_BLOCK_ATTN;
                assert_int_equal(t.epochs, layers);
                plan.bandwidth = 0;
                must(at_congest_run(&m, a, &x, &plan, &arena, &slow, &err), &err);
                assert_true(slow.bits == t.bits && slow.cut_bits == t.cut_bits && slow.rounds >= t.rounds);
                assert_true(slow.rounds * 2 * 3 >= slow.edge_bits); /* 3 bits a round each way, 6 nodes */
                runs++;
                at_arena_release(&arena);
                at_model_release(&m);
            }
    evidence_say("trees_agree", "triangle", "simulated", runs, "runs");
}

/* ---- what imported models have ---------------------------------------------------------------------------------- */

/* Takes a trait away that parties have to know positions or earlier rows for; false: it is another one. */
static bool take_away(at_model *m, int t)
{
    for (int b = 0; b < m->n_blocks; b++) {
        at_block *k = &m->blocks[b];
        if (t == AT_TRAIT_PARALLEL)
            k->parallel = false;
        for (int g = 0; k->kind == AT_BLOCK_ATTN && g < k->n_groups; g++) {
            at_group *a = &k->groups[g];
            if (t == AT_TRAIT_ROTARY)
                a->rotary.width = 0;
            for (int h = 0; t == AT_TRAIT_ALIBI && a->alibi && h < a->heads; h++)
                at_model_data(m, a->slope)[h] = 0;
        }
    }
    return t == AT_TRAIT_ROTARY || t == AT_TRAIT_ALIBI || t == AT_TRAIT_PARALLEL;
}

/* Each trait, and all of them, by three parties, on a tree and by one message; and the model without it computes something else. */
static void traits_agree(void **state)
{
    (void)state;
    enum { ALL = (1 << AT_TRAITS) - 1 };
    static const at_mask_kind masks[] = {AT_MASK_NONE, AT_MASK_CAUSAL, AT_MASK_STRICT};
    int differ[AT_TRAITS + 1] = {0};
    for (int t = 0; t <= AT_TRAITS; t++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            random_spec s = {.weighting = seed % 2 ? splits[seed / 2 % SPLITS] : AT_SOFTMAX,
                             .mask = masks[seed % 3],
                             .pos = RANDOM_NO_POS,
                             .dk = 4,
                             .layers = 1 + (int)(seed % 2),
                             .norm = seed % 3 ? AT_NORM_PRE : AT_NORM_NONE,
                             .act = (at_act)(seed % AT_ACTS),
                             .tokens_only = true,
                             .read = AT_READ_RAW,
                             .seed = seed,
                             .traits = t < AT_TRAITS ? 1u << t : ALL};
            at_model m;
            at_arena arena;
            at_err err = {0};
            at_input x;
            at_talk talk, tree, letter;
            at_arith a = arith(ariths[2 + seed % 4]);
            bool equal;
            int owner[16], parent[16], side[16];
            at_arena_init(&arena);
            must(random_model(&s, &m, &err), &err);
            input_make(&m, seed, &arena, &x);
            for (int i = 0; i < x.n; i++) {
                owner[i] = (i * 5 + (int)seed) % 3;
                parent[i] = i ? (i - 1) / 2 : -1;
                side[i] = i % 2;
            }
            at_shared_plan plan = {.parties = 3, .owner = owner, .query = -1};
            assert_true(shared_agrees(&m, a, &x, &plan, &arena, &talk));
            at_congest_plan net = {.parent = parent, .side = side, .bandwidth = 1000};
            must(at_congest_run(&m, a, &x, &net, &arena, &tree, &err), &err);
            must(at_talk_agrees(&m, a, &x, &tree, &arena, &equal, &err), &err);
            assert_true(equal);
            if (s.layers == 1) {
                must(at_handed_run(&m, a, &x, 4, false, &arena, &letter, &err), &err);
                must(at_talk_agrees(&m, a, &x, &letter, &arena, &equal, &err), &err);
                assert_true(equal);
            }
            if (take_away(&m, t)) {
                must(at_talk_agrees(&m, a, &x, &talk, &arena, &equal, &err), &err);
                differ[t] += !equal;
            }
            at_arena_release(&arena);
            at_model_release(&m);
        }
    assert_true(differ[AT_TRAIT_ROTARY] > 4 && differ[AT_TRAIT_ALIBI] > 4 && differ[AT_TRAIT_PARALLEL] > 4);
}

/* Rows of before an attention block that is parallel itself are in no message. */
static void letter_is_short(void **state)
{
    (void)state;
    random_spec s = {.weighting = AT_SOFTMAX, .pos = RANDOM_NO_POS, .layers = 2, .read = AT_READ_RAW};
    at_model m;
    at_arena arena;
    at_err err = {0};
    at_input x;
    at_talk t;
    at_arena_init(&arena);
    must(random_model(&s, &m, &err), &err);
    input_make(&m, 1, &arena, &x);
    m.blocks++, m.n_blocks = 3; /* MLP, attention, MLP */
    m.blocks[2].parallel = true;
    must(at_handed_run(&m, arith("p12"), &x, 2, false, &arena, &t, &err), &err);
    m.blocks[1].parallel = true;
    assert_int_equal(at_handed_run(&m, arith("p12"), &x, 2, false, &arena, &t, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "parallel"));
    m.blocks--, m.n_blocks = 4;
    at_arena_release(&arena);
    at_model_release(&m);
}

/* ---- counts ------------------------------------------------------------------------------------------------- */

/* One softmax head, one query, two parties: what is sent is what the header says, and not a bit more. */
static void counts_known(void **state)
{
    (void)state;
    at_model m;
    at_arena arena;
    at_err err = {0};
    at_arena_init(&arena);
    random_spec s = {.weighting = AT_SOFTMAX,
                     .pos = RANDOM_NO_POS,
                     .one_group = true,
                     .tokens_only = true,
                     .heads = 2,
                     .dk = 3,
                     .dv = 2,
                     .read = AT_READ_RAW,
                     .seed = 3};
    must(random_model(&s, &m, &err), &err);
    at_input x;
    input_make(&m, 1, &arena, &x);
    int owner[16] = {0, 1, 1, 0, 1, 0};
    at_arith a = arith("p8e5");
    at_talk t;
    at_shared_plan plan = {.parties = 2, .owner = owner, .query = 0};
    assert_true(shared_agrees(&m, a, &x, &plan, &arena, &t));
    int T = m.n_prefix + x.n + m.n_suffix;
    assert_int_equal(T, 8);
    assert_int_equal(t.number, 13);
    assert_int_equal(t.A, 2 * 8 + 3 + 3 * 16 - 5); /* 2p + log2 T + 3*2^(e-1) - 5 */
    assert_int_equal(t.messages, 2);
    assert_int_equal(t.query_bits, 2 * 3 * 13);
    assert_int_equal(t.peak_bits, 2 * 2 * 13);
    assert_int_equal(t.sum_bits, 2 * 3 * t.A);
    assert_true(t.longest_sum > 8 && t.longest_sum < t.A);
    assert_int_equal(t.sent[1], t.answered[1]);
    assert_int_equal(t.answered[1], t.sum_bits + 2 * 13);
    /* known to everyone: the same answer without the query */
    plan.known = true;
    at_talk k;
    assert_true(shared_agrees(&m, a, &x, &plan, &arena, &k));
    assert_int_equal(k.query_bits, 0);
    assert_int_equal(k.sum_bits, t.sum_bits);
    /* three parties: queries to both, maxima and the largest, sums */
    int three[16] = {0, 1, 2, 0, 1, 2};
    plan = (at_shared_plan){.parties = 3, .owner = three, .query = 0};
    assert_true(shared_agrees(&m, a, &x, &plan, &arena, &t));
    assert_int_equal(t.messages, 8);
    assert_int_equal(t.query_bits, 2 * 2 * 3 * 13);
    assert_int_equal(t.peak_bits, 2 * 2 * 2 * 13);
    /* handing over: the query, its score and value of each head, and the row for the skip connection */
    at_talk h;
    must(at_handed_run(&m, a, &x, 0, false, &arena, &h, &err), &err);
    assert_int_equal(h.bits, (2 * 3 + 2 * (1 + 2) + (uint64_t)(m.blocks[0].residual ? m.width : 0)) * 13);
    at_arena_release(&arena);
    at_model_release(&m);
}

/* Every edge carries, for each layer and position, one query, two maxima and the sums: D N H (m b + 2b + (m+1) A) bits over a cut of one
 * edge, whatever lies behind it. */
static void cut_known(void **state)
{
    (void)state;
    at_model m;
    at_arena arena;
    at_err err = {0};
    at_arena_init(&arena);
    random_spec s = {.weighting = AT_SOFTMAX,
                     .pos = RANDOM_NO_POS,
                     .one_group = true,
                     .tokens_only = true,
                     .heads = 2,
                     .dk = 3,
                     .dv = 3,
                     .layers = 2,
                     .read = AT_READ_RAW,
                     .seed = 3};
    must(random_model(&s, &m, &err), &err);
    at_input x;
    input_make(&m, 1, &arena, &x);
    int parent[16] = {-1, 0, 0, 0, 3, 3}, side[16] = {0, 0, 0, 1, 1, 1};
    at_talk t;
    must(at_congest_run(&m, arith("p8e5"), &x, &(at_congest_plan){.parent = parent, .side = side}, &arena, &t,
                        &err),
         &err);
    uint64_t T = (uint64_t)(m.n_prefix + x.n + m.n_suffix), each = 3 * 13 + 2 * 13 + 4 * (uint64_t)t.A;
    assert_int_equal(t.cut_bits, 2 * T * 2 * each);
    assert_int_equal(t.edge_bits, t.cut_bits);
    assert_int_equal(t.bits, 5 * t.cut_bits);
    assert_int_equal(t.bits, t.budget);
    at_arena_release(&arena);
    at_model_release(&m);
}

/* What a party says depends on its own rows and on what it was told, and on nothing else. */
static void words_are_own(void **state)
{
    (void)state;
    at_model m;
    at_arena arena;
    at_err err = {0};
    at_arena_init(&arena);
    random_spec s = {
        .weighting = AT_LINEAR, .pos = RANDOM_NO_POS, .tokens_only = true, .read = AT_READ_RAW, .seed = 4};
    must(random_model(&s, &m, &err), &err);
    at_input x;
    input_make(&m, 1, &arena, &x);
    double *v = (double *)x.v;
    int owner[16] = {1, 1, 2, 2, 2, 0}, size = m.fields[0].size;
    at_talk t[3], h[3];
    for (int k = 0; k < 3; k++) { /* as it is; party 2 has another row; party 1 has another row */
        if (k == 1)
            v[3] = (double)(((int)v[3] + 1) % size);
        if (k == 2)
            v[1] = (double)(((int)v[1] + 1) % size);
        assert_true(shared_agrees(&m, arith("p8e5"), &x,
                                  &(at_shared_plan){.parties = 3, .owner = owner, .query = 5}, &arena,
                                  &t[k]));
        must(at_handed_run(&m, arith("p8e5"), &x, 1, false, &arena, &h[k], &err), &err);
    }
    assert_true(t[0].said[1] == t[1].said[1] &&
                t[0].said[2] != t[1].said[2]); /* no maxima: no one hears of the others */
    assert_true(t[1].said[2] == t[2].said[2] && t[1].said[1] != t[2].said[1]);
    assert_true(t[0].said[0] == t[2].said[0]);
    assert_true(h[0].said[0] == h[1].said[0] && h[1].said[0] != h[2].said[0]); /* Alice holds row 1 */
    at_arena_release(&arena);
    at_model_release(&m);
}

/* A budget of 2p bits for a sum is too small, and the failure says so; rounding the sums first gives another model. */
static void budgets_bite(void **state)
{
    (void)state;
    int over = 0, differ = 0;
    for (uint64_t seed = 1; seed < 20; seed++) {
        at_model m;
        at_arena arena;
        at_err err = {0};
        at_arena_init(&arena);
        model_make(AT_SOFTMAX, AT_MASK_NONE, 1, seed, &m);
        at_input x;
        input_make(&m, seed, &arena, &x);
        int owner[16] = {0, 1, 1, 0, 1, 0};
        at_arith a = arith("p8e5");
        at_shared *s;
        at_talk t;
        at_shared_plan plan = {.parties = 2, .owner = owner, .query = -1, .sum_budget = 2 * 8};
        must(at_shared_new(&m, a, x.n, &plan, &s, &err), &err);
        if (at_shared_run(s, &x, &arena, &t, &err) == AT_EBUDGET) {
            assert_non_null(strstr(err.text, "its budget is"));
            over++;
        }
        at_shared_free(s);
        plan.sum_budget = 0;
        plan.rounded = true;
        differ += !shared_agrees(&m, a, &x, &plan, &arena, &t);
        at_arena_release(&arena);
        at_model_release(&m);
    }
    assert_int_equal(over, 19);
    assert_true(differ > 10);
}

/* ---- refusals ------------------------------------------------------------------------------------------------ */

static void refused(at_status st, const at_err *err, const char *words)
{
    if (!st || !strstr(err->text, words))
        fail_msg("expected a refusal with \"%s\", got \"%s\"", words, st ? err->text : "none");
}

static void refusals(void **state)
{
    (void)state;
    at_model m;
    int owner[16] = {0};
    at_shared *s;
    at_shared_plan plan = {.parties = 2, .owner = owner, .query = -1};
    at_err err = {0};
    static const at_weighting whole[] = {AT_SPARSEMAX, AT_THREEWISE};
    for (int w = 0; w < 2; w++) {
        model_make(whole[w], AT_MASK_NONE, 1, 1, &m);
        err = (at_err){0};
        refused(at_shared_new(&m, arith("p8"), m.n_max, &plan, &s, &err), &err, at_weighting_names[whole[w]]);
        at_model_release(&m);
    }
    model_make(AT_SOFTMAX, AT_MASK_NONE, 2, 1, &m);
    static const char *const others[] = {"f64", "f32", "ball", "exact"};
    for (int k = 0; k < 4; k++) {
        err = (at_err){0};
        refused(at_shared_new(&m, arith(others[k]), m.n_max, &plan, &s, &err), &err, "only p-bit arithmetic");
    }
    err = (at_err){0};
    refused(at_shared_new(&m, arith("p8"), m.n_max + 1, &plan, &s, &err), &err, "the model takes");
    err = (at_err){0};
    plan.parties = 1;
    refused(at_shared_new(&m, arith("p8"), m.n_max, &plan, &s, &err), &err, "1 parties; allowed: 2..64");
    plan.parties = 2;
    plan.known = true;
    plan.query = 0;
    err = (at_err){0};
    refused(at_shared_new(&m, arith("p8"), m.n_max, &plan, &s, &err), &err, "one attention block");
    plan = (at_shared_plan){.parties = 2, .owner = owner, .query = -1, .autoregressive = true};
    err = (at_err){0};
    refused(at_shared_new(&m, arith("p8"), m.n_max, &plan, &s, &err), &err, "has mask none");
    owner[1] = 1;
    err = (at_err){0};
    refused(at_shared_new(&m, arith("p8"), m.n_max, &plan, &s, &err), &err, "descending order");
    /* each party against the one just before it: 1, 0, 1 */
    owner[0] = 1, owner[1] = 0, owner[2] = 1;
    err = (at_err){0};
    refused(at_shared_new(&m, arith("p8"), 3, &plan, &s, &err), &err,
            "position 3 belongs to party 1 and comes after party 0");
    owner[0] = owner[2] = 0;
    owner[1] = 2;
    plan.autoregressive = false;
    err = (at_err){0};
    refused(at_shared_new(&m, arith("p8"), m.n_max, &plan, &s, &err), &err, "belongs to party 2");
    at_arena arena;
    at_arena_init(&arena);
    at_input x;
    at_talk t;
    input_make(&m, 1, &arena, &x);
    err = (at_err){0};
    refused(at_handed_run(&m, arith("p8"), &x, 0, false, &arena, &t, &err), &err, "one attention block only");
    err = (at_err){0};
    refused(at_told_run(&m, arith("p8"), &x, 1, 1, false, &arena, &t, &err), &err,
            "and not 1, which is asked");
    err = (at_err){0};
    refused(at_told_run(&m, arith("p8"), &x, x.n, 1, false, &arena, &t, &err), &err, "tells; allowed: 0..");
    int parent[16] = {-1, 0, 2}, side[16] = {0};
    err = (at_err){0};
    refused(at_congest_run(&m, arith("p8"), &x, &(at_congest_plan){.parent = parent, .side = side}, &arena,
                           &t, &err),
            &err, "node 2 has parent 2");
    at_arena_release(&arena);
    at_model_release(&m);
}

/* ---- memory: every allocation fails once --------------------------------------------------------------------------- */

static void no_memory(void **state)
{
    (void)state;
    at_model m;
    at_arena arena;
    model_make(AT_SOFTMAX, AT_MASK_CAUSAL, 2, 1, &m);
    at_arena_init(&arena);
    at_input x;
    input_make(&m, 1, &arena, &x);
    int owner[16] = {1, 1, 0, 0, 0, 0}, parent[16] = {-1, 0, 0, 1, 1, 2}, side[16] = {0, 0, 0, 1, 1, 1};
    for (int which = 0; which < 3; which++) {
        bool fired = true;
        if (which == 2) {
            at_model_release(&m);
            model_make(AT_SOFTMAX, AT_MASK_CAUSAL, 1, 1, &m);
        }
        for (long nth = 1; fired; nth++) {
            at_err err = {0};
            at_talk t;
            at_shared *s = NULL;
            at_arena own;
            at_arena_init(&own);
            at_alloc_inject(nth);
            at_status st;
            if (which == 0) {
                st = at_shared_new(&m, arith("p8"), x.n,
                                   &(at_shared_plan){.parties = 2, .owner = owner, .query = -1}, &s, &err);
                if (!st)
                    st = at_shared_run(s, &x, &own, &t, &err);
            } else if (which == 1) {
                st = at_congest_run(&m, arith("p8"), &x,
                                    &(at_congest_plan){.parent = parent, .side = side, .bandwidth = 64}, &own,
                                    &t, &err);
            } else {
                st = at_handed_run(&m, arith("p8"), &x, 1, false, &own, &t, &err);
            }
            fired = at_alloc_injected();
            at_alloc_inject(0);
            at_shared_free(s);
            at_arena_release(&own);
            assert_int_equal(st, fired ? AT_ENOMEM : AT_OK);
        }
    }
    at_arena_release(&arena);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_return),  cmocka_unit_test(sums_return),   cmocka_unit_test(specials_known),
        cmocka_unit_test(parties_agree),   cmocka_unit_test(parties_again), cmocka_unit_test(handing_agrees),
        cmocka_unit_test(telling_agrees),  cmocka_unit_test(trees_agree),   cmocka_unit_test(traits_agree),
        cmocka_unit_test(letter_is_short), cmocka_unit_test(counts_known),  cmocka_unit_test(cut_known),
        cmocka_unit_test(words_are_own),   cmocka_unit_test(budgets_bite),  cmocka_unit_test(refusals),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
