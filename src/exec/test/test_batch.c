/* test_batch.c: batched decoding against the whole pass, and against itself.
 *
 * Tolerance. at_run_bound(any_order) gives for each logit a ball that contains every run of the model in the arithmetic,
 * whatever the order of its sums, fused or not, and with up to 4 half-ulps an operation; at_run and batches both lie in
 * it. A word is decided where the lower end of one logit is above the upper ends of all others: there both must say it.
 * The balls also enclose the margin. Positions see only what is before them, so that one pass over a finished chain stands
 * for all the passes over its beginnings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/test/test_scale.h"
#include "../exec_internal.h"
#include "random_decoder.h"
#include "trained_decoder.h"

enum { MOST = 512 };
/* The first two where the machine has them. */
static const char *const isas[] = {"native", "avx2", "portable"};
enum { ISAS = sizeof isas / sizeof *isas };

static at_batch *batch_new(const at_model *m, at_arith a, int batch, int threads)
{
    at_batch *b = NULL;
    at_err err = {0};
    must(at_batch_new(m, a, batch, threads, &b, &err), &err);
    return b;
}

static void batch_run(at_batch *b, const at_input *x, size_t n, at_batch_chain *out)
{
    at_err err = {0};
    must(at_batch_run(b, x, n, out, &err), &err);
}

/* ---- the whole pass ------------------------------------------------------------------------------------------- */

typedef struct {
    int words, decided; /* seen, and told apart by balls */
} tally;

/* The margins that balls allow at a position: lo..hi; the word, or -1 where they cannot tell. */
static int ball_word(const at_output *y, int i, double *lo, double *hi)
{
    const double *v = y->value + (size_t)i * (size_t)y->rows, *r = y->radius + (size_t)i * (size_t)y->rows;
    int best = 0;
    for (int k = 1; k < y->rows; k++)
        best = v[k] > v[best] ? k : best;
    double above = -INFINITY, below = -INFINITY; /* the others, at most and at least */
    for (int k = 0; k < y->rows; k++)
        if (k != best) {
            above = fmax(above, v[k] + r[k]);
            below = fmax(below, v[k] - r[k]);
        }
    *lo = fmax(0, v[best] - r[best] - above);
    *hi = v[best] + r[best] - below;
    return v[best] - r[best] > above ? best : -1;
}

/* A chain (words of prompt and answer, n in all) against balls and at_run; *lo, *hi enclose its least margin, each[i] is its
 * margin after i + 1 words (from `prompt` on). */
static void chain_check(const at_model *m, at_arith a, const double *word, int n, int prompt, double least,
                        const double *each, tally *t)
{
    at_arena arena;
    at_arena_init(&arena);
    at_err err = {0};
    at_output ball, y;
    at_input x = {n - 1, word};
    must(at_run_bound(m, a, &x, true, &arena, &ball, &err), &err);
    must(at_run(m, a, &x, NULL, &arena, &y, &err), &err);
    double least_lo = INFINITY, least_hi = INFINITY;
    for (int i = prompt - 1; i < n - 1; i++) {
        double lo, hi;
        int want = ball_word(&ball, i, &lo, &hi);
        least_lo = fmin(least_lo, lo);
        least_hi = fmin(least_hi, hi);
        t->words++;
        if (want < 0)
            continue;
        t->decided++;
        assert_true(y.decision[i] == want && word[i + 1] == want);
        if (each)
            assert_true(each[i] >= lo && each[i] <= hi);
    }
    assert_true(least >= least_lo && least <= least_hi);
    at_arena_release(&arena);
}

/* One chain as long as the model allows; then each of its beginnings as a prompt, which is asked for one word: the same
 * word, and the least of their margins is the chain's, to the bit. */
static void model_check(const at_model *from, at_arith a, tally *t)
{
    at_model m = *from;
    double word[MOST], each[MOST], least = INFINITY;
    enum { PROMPT = 3 };
    int n = m.n_max;
    assert_true(n <= MOST);
    for (int i = 0; i < PROMPT; i++)
        word[i] = (i * 5 + 2) % m.fields[0].size;
    m.decode = (at_decode){true, AT_STOP_STEPS, 0, 0, n - PROMPT, 1, PROMPT};
    at_batch *b = batch_new(&m, a, 1, 1);
    at_batch_chain chain, *one = calloc(MOST, sizeof *one);
    batch_run(b, &(at_input){PROMPT, word}, 1, &chain);
    assert_int_equal(chain.status, AT_OK);
    assert_int_equal(chain.n, n - PROMPT);
    memcpy(word + PROMPT, chain.rows, (size_t)chain.n * sizeof *word);
    at_batch_free(b);
    m.decode.max_steps = 1;
    m.decode.prompt_max = n - 1;
    b = batch_new(&m, a, 9, 2);
    at_input begin[MOST];
    for (int i = PROMPT; i < n; i++)
        begin[i] = (at_input){i, word};
    batch_run(b, begin + PROMPT, (size_t)(n - PROMPT), one);
    for (int i = PROMPT; i < n; i++) {
        const at_batch_chain *c = &one[i - PROMPT];
        assert_true(c->status == AT_OK && c->n == 1 && c->rows[0] == word[i]);
        each[i - 1] = c->margin;
        least = fmin(least, c->margin);
    }
    assert_memory_equal(&least, &chain.margin, sizeof least);
    chain_check(&m, a, word, n, PROMPT, least, each, t);
    at_batch_free(b);
    free(one);
}

enum {
    ROTARY = 1 << AT_TRAIT_ROTARY,
    ALIBI = 1 << AT_TRAIT_ALIBI,
    RMS = 1 << AT_TRAIT_RMS,
    GATED = 1 << AT_TRAIT_GATED,
    PARALLEL = 1 << AT_TRAIT_PARALLEL,
    TIED = 1 << AT_TRAIT_TIED
};
/* Attentions of several shapes; widths that fill vectors and that do not. */
static const trained_spec shapes[] = {
    {.width = 8, .heads = 1},
    {.width = 16, .heads = 4, .sinusoids = true, .embed_norm = true},
    {.width = 24, .heads = 3, .words = 40},
    {.width = 40, .heads = 2, .hidden = 37, .relu = true},
    {.width = 13, .dk = 3, .dv = 5, .heads = 3, .embed_norm = true},
    {.width = 10, .dk = 17, .dv = 33, .heads = 1, .layers = 1},
    {.linear = true, .width = 8, .heads = 1},
    {.linear = true, .width = 16, .heads = 4, .sinusoids = true, .embed_norm = true},
    {.linear = true, .width = 24, .heads = 3, .words = 40},
    {.linear = true, .width = 13, .dk = 3, .dv = 5, .heads = 3},
    {.linear = true, .width = 10, .dk = 17, .dv = 57, .heads = 1, .layers = 1},
    {.width = 16, .block = 4, .windows = 1, .ends = 1},
    {.width = 16, .block = 4, .windows = 2, .ends = 3, .embed_norm = true},
    {.width = 16, .block = 7, .windows = 1, .ends = 2, .heads = 4},
    {.width = 24, .block = 5, .windows = 3, .ends = 5, .heads = 3},
    {.width = 16, .block = 1, .windows = 1, .ends = 1},
    {.width = 16, .block = 16, .windows = 1, .ends = 1},
    {.width = 16, .block = 20, .windows = 3, .ends = 1}, /* the window holds everything */
    {.width = 13, .dk = 3, .dv = 5, .heads = 3, .block = 6, .windows = 1, .ends = 4},
    {.width = 64, .heads = 2, .layers = 1}, /* values of 32 and 64 numbers: vectors of 64 bytes */
    {.width = 128, .heads = 2, .layers = 1},
    {.width = 16, .layers = 1, .sharp = 100}, /* exp of a score alone would overflow */
    {.width = 16, .layers = 1, .sharp = 100, .block = 4, .windows = 1, .ends = 1},
    /* what imported models have */
    {.gelu_tanh = true, .traits = TIED},
    {.silu = true, .width = 24, .heads = 3, .traits = ROTARY | RMS | GATED},
    {.width = 32, .heads = 2, .traits = ROTARY | PARALLEL},
    {.width = 13, .dk = 3, .dv = 5, .heads = 3, .hidden = 37, .gelu_tanh = true, .traits = ALIBI},
    {.width = 16, .block = 4, .windows = 1, .ends = 1, .traits = ALIBI | RMS},
    {.width = 16, .block = 7, .windows = 1, .ends = 3, .heads = 4, .traits = ALIBI | ROTARY},
    {.linear = true, .silu = true, .embed_norm = true, .traits = ROTARY | RMS | GATED | PARALLEL | TIED},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void whole_pass(void **state)
{
    (void)state;
    for (int isa = 0; isa < ISAS; isa++) {
        setenv("ATTEST_ISA", isas[isa], 1);
        for (int f64 = 0; f64 < 2; f64++) {
            tally t = {0, 0};
            int step = TEST_SCALE > 1 ? 3 : 1 + isa;
            for (int k = isa; k < 2 * SHAPES; k += step) { /* f32: two thin layers, and a thicker one */
                trained_spec s = shapes[k / 2];
                s.seed = (uint64_t)k;
                s.nonzero = f64 ? 4 : s.sharp != 0 ? 1 : k % 2 + 1;
                if (!f64 && k % 2)
                    s.layers = 1;
                at_model m;
                trained_decoder(&s, &m);
                model_check(&m, f64 ? at_f64 : at_f32, &t);
                at_model_release(&m);
            }
            print_message("# %s %s: %d of %d words decided\n", isas[isa], f64 ? "f64" : "f32", t.decided,
                          t.words);
            assert_true(t.decided >= t.words - t.words / (f64 ? 1000 : 50));
        }
    }
    unsetenv("ATTEST_ISA");
}

/* Some hundred positions, and the width that trained models have. */
static void long_chains(void **state)
{
    (void)state;
    static const trained_spec all[] = {{.n_max = 200},
                                       {.n_max = 200, .linear = true},
                                       {.n_max = 400, .block = 16, .windows = 1, .ends = 1},
                                       {.n_max = 150, .block = 9, .windows = 2, .ends = 2},
                                       {.n_max = 60, .width = 64, .heads = 4},
                                       {.n_max = 60, .width = 64, .heads = 4, .linear = true}};
    tally t = {0, 0};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        trained_spec s = all[k];
        s.seed = 100 + k;
        s.nonzero = 1;
        at_model m;
        trained_decoder(&s, &m);
        model_check(&m, at_f32, &t);
        at_model_release(&m);
    }
    print_message("# f32, long: %d of %d words decided\n", t.decided, t.words);
    assert_true(t.decided >= t.words - t.words / 20);
}

/* ---- controls: a batch of another model ------------------------------------------------------------------------ */

/* How many margins of `batched`, after each beginning of a row of words, the balls of `judged` do not allow. */
static int strangers(const at_model *batched, const at_model *judged)
{
    enum { WORDS = 24 };
    at_model m = *batched;
    double word[WORDS];
    at_input x[WORDS];
    at_batch_chain c[WORDS];
    at_arena arena;
    at_output ball;
    at_err err = {0};
    int far = 0;
    for (int i = 0; i < WORDS; i++) {
        word[i] = (i * 7 + 2) % m.fields[0].size;
        x[i] = (at_input){i + 1, word};
    }
    m.decode = (at_decode){true, AT_STOP_STEPS, 0, 0, 1, 1, WORDS};
    at_batch *b = batch_new(&m, at_f64, 5, 1);
    batch_run(b, x, WORDS, c);
    at_arena_init(&arena);
    must(at_run_bound(judged, at_f64, &x[WORDS - 1], true, &arena, &ball, &err), &err);
    for (int i = 0; i < WORDS; i++) {
        double lo, hi;
        int want = ball_word(&ball, i, &lo, &hi);
        far += want >= 0 && (c[i].rows[0] != want || c[i].margin < lo || c[i].margin > hi);
    }
    at_arena_release(&arena);
    at_batch_free(b);
    return far;
}

/* Tensors of the same name and size are the same numbers. */
static void weights_share(const at_model *from, const at_model *to)
{
    for (int k = 0; k < to->n_tensors; k++)
        for (int j = 0; j < from->n_tensors; j++)
            if (!strcmp(from->tensors[j].name, to->tensors[k].name) &&
                from->tensors[j].count == to->tensors[k].count)
                memcpy(to->weights + to->tensors[k].offset, from->weights + from->tensors[j].offset,
                       to->tensors[k].count * sizeof(double));
}

/* A batch lies in the balls of its model, and not in those of the model without one of its parts. */
static void parts_matter(void **state)
{
    (void)state;
    enum { PAIRING = AT_TRAITS, TANH, SILU, PARTS };
    for (int t = 0; t < PARTS; t++) {
        if (t < AT_TRAITS && !(at_trait_parts[t].in & AT_IN_BATCH))
            continue; /* refused, see exec/test_traits */
        trained_spec s = {.seed = 9, .gelu_tanh = t == TANH, .silu = t == SILU}, without = {.seed = 10};
        at_model m, bent;
        s.traits = t < AT_TRAITS ? 1u << t : t == PAIRING ? ROTARY : 0;
        without.traits = t == PAIRING ? ROTARY : 0;
        trained_decoder(&s, &m);
        trained_decoder(&without, &bent);
        weights_share(&m, &bent);
        for (int b = 0; t == PAIRING && b < bent.n_blocks; b++)
            if (bent.blocks[b].kind == AT_BLOCK_ATTN)
                bent.blocks[b].groups->rotary.pairing = AT_PAIR_ADJACENT;
        assert_int_equal(strangers(&m, &m), 0);
        if (!strangers(&m, &bent))
            fail_msg("part %d is not noticed", t);
        at_model_release(&bent);
        at_model_release(&m);
    }
}

/* A decoder that does nothing but GeLU: word i says gelu(x_i), and `beside` beside it, so that the margin is |gelu(x_i) - beside|. */
static void gelu_model(int words, double beside, at_model *m)
{
    at_model_init(m);
    strcpy(m->name, "gelu");
    m->width = 2;
    m->n_min = m->pos_origin = 1;
    m->n_max = 2;
    m->n_fields = m->n_blocks = 1;
    m->fields = at_new(&m->arena, at_field, 1);
    m->blocks = at_new(&m->arena, at_block, 1);
    m->blocks[0] = (at_block){.kind = AT_BLOCK_MLP, .act = AT_ACT_GELU, .n_dense = 2};
    m->blocks[0].dense = at_new(&m->arena, at_dense, 2);
    m->blocks[0].dense[0].rows = m->blocks[0].dense[1].rows = 2;
    m->fields[0] = (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = words, .embed = {0, 2, -1}};
    m->readout = (at_readout){.kind = AT_READ_ARGMAX, .rows = 2};
    m->decode = (at_decode){true, AT_STOP_STEPS, 0, 0, 1, 1, 1};
    at_err err = {0};
    must(at_model_layout(m, &err), &err);
    const int one[] = {m->blocks[0].dense[0].w, m->blocks[0].dense[1].w, m->readout.w};
    for (int k = 0; k < 3; k++)
        at_model_data(m, one[k])[0] = 1;
    at_model_data(m, m->readout.b)[1] = beside;
}

/* The ball (of the rounded erfc, some 70 half-ulps) is much narrower than after a norm. */
static void gelu(void **state)
{
    (void)state;
    enum { WORDS = 2001 };
    at_model m;
    at_err err = {0};
    gelu_model(WORDS, 0, &m);
    double word[WORDS];
    at_input x[WORDS];
    for (int i = 0; i < WORDS; i++) {
        at_model_data(&m, m.fields[0].embed.tensor)[2 * i] = (i - 1000) * 0.009;
        word[i] = i;
        x[i] = (at_input){1, &word[i]};
    }
    for (int k = 0; k < 2 * ISAS; k++) {
        at_arith a = k % 2 ? at_f64 : at_f32;
        setenv("ATTEST_ISA", isas[k / 2], 1);
        at_batch *b = batch_new(&m, a, 0, 1);
        at_batch_chain c[WORDS];
        batch_run(b, x, WORDS, c);
        for (int i = 0; i < WORDS; i++) {
            at_arena arena;
            at_arena_init(&arena);
            at_output ball;
            must(at_run_bound(&m, a, &x[i], true, &arena, &ball, &err), &err);
            double r = ball.radius[0] + ball.radius[1];
            assert_true(fabs(c[i].margin - fabs(ball.value[0])) <= r);
            double v = (i - 1000) * 0.009, units = r / (fabs(ball.value[0]) * ldexp(1, k % 2 ? -53 : -24));
            assert_true(v == 0 ||
                        units <= 150 + 25 * v * v); /* narrow indeed: the condition of erfc is v^2 */
            at_arena_release(&arena);
        }
        at_batch_free(b);
    }
    unsetenv("ATTEST_ISA");
    at_model_release(&m);
}

/* Far from 0, where squares are no floats, GeLU is x or 0. */
static void gelu_far(void **state)
{
    (void)state;
    static const double far[] = {13, 20, 100, 8192, 8193, 1e6, 1e18, 1.8e19, 1.9e19, 1e30, 3.4e38};
    enum { WORDS = 2 * sizeof far / sizeof *far };
    at_model m;
    gelu_model(WORDS, 1, &m);
    double word[WORDS];
    at_input x[WORDS];
    for (int i = 0; i < WORDS; i++) {
        at_model_data(&m, m.fields[0].embed.tensor)[2 * i] = i % 2 ? -far[i / 2] : far[i / 2];
        word[i] = i;
        x[i] = (at_input){1, &word[i]};
    }
    for (int k = 0; k < 2 * ISAS; k++) {
        at_batch_chain c[WORDS];
        setenv("ATTEST_ISA", isas[k / 2], 1);
        at_batch *b = batch_new(&m, k % 2 ? at_f64 : at_f32, 0, 1);
        batch_run(b, x, WORDS, c);
        for (int i = 0; i < WORDS; i++) {
            double v = k % 2 ? far[i / 2] : (double)(float)far[i / 2];
            assert_int_equal(c[i].status, AT_OK);
            assert_true(c[i].rows[0] == i % 2);
            double want = i % 2 ? 1 : v - 1; /* margins are rounded down */
            assert_true(c[i].margin <= want && c[i].margin >= want * (1 - 0x1p-51));
        }
        at_batch_free(b);
    }
    unsetenv("ATTEST_ISA");
    at_model_release(&m);
}

/* ---- neighbours ------------------------------------------------------------------------------------------------ */

enum { PROMPTS = 60 };

/* Prompts of all lengths; where `bad`, some too long, empty or with a word that is none. */
static void prompts_draw(const at_model *m, uint64_t seed, bool bad, double *word, at_input *x)
{
    at_rng r = at_rng_at(seed, 1);
    for (int i = 0; i < PROMPTS; i++, word += m->n_max + 2) {
        x[i] = (at_input){1 + (int)at_rng_below(&r, (uint64_t)m->decode.prompt_max), word};
        for (int k = 0; k < m->n_max + 2; k++)
            word[k] = (double)at_rng_below(&r, (uint64_t)m->fields[0].size);
        if (bad && i % 7 == 3)
            x[i].n = i % 2 ? m->decode.prompt_max + 1 : 0;
        if (bad && i % 7 == 5)
            word[x[i].n / 2] = i % 2 ? m->fields[0].size : 0.5;
    }
}

static bool same_chain(const at_batch_chain *a, const at_batch_chain *b)
{
    return a->status == b->status && a->n == b->n && !memcmp(&a->margin, &b->margin, sizeof a->margin) &&
           (a->n == 0 || !memcmp(a->rows, b->rows, (size_t)a->n * sizeof *a->rows)) && !a->why == !b->why &&
           (!a->why || !strcmp(a->why, b->why));
}

/* The same bits alone, among others, in another order, on several threads, and when the batch was used before. */
static void neighbours(void **state)
{
    (void)state;
    double *word = calloc((size_t)PROMPTS * 60, sizeof *word);
    int lengths = 0;
    for (int k = 0; k < SHAPES; k++)
        for (int f64 = 0; f64 < 2; f64++) {
            at_model m;
            trained_spec s = shapes[k];
            s.seed = 300 + (uint64_t)k;
            trained_decoder(&s, &m);
            at_input x[PROMPTS], back[PROMPTS];
            prompts_draw(&m, s.seed, true, word, x);
            for (int i = 0; i < PROMPTS; i++)
                back[i] = x[PROMPTS - 1 - i];
            at_arith a = f64 ? at_f64 : at_f32;
            at_batch *alone = batch_new(&m, a, 1, 1), *many = batch_new(&m, a, 64, 2),
                     *some = batch_new(&m, a, 7, 3);
            at_batch_chain want[PROMPTS], got[PROMPTS], one;
            batch_run(many, x, PROMPTS, want);
            for (int i = 0; i < PROMPTS; i++) {
                batch_run(alone, &x[i], 1, &one);
                assert_true(same_chain(&one, &want[i]));
                lengths += one.n > 1 && one.status == AT_OK;
            }
            batch_run(some, x, PROMPTS, got);
            for (int i = 0; i < PROMPTS; i++)
                assert_true(same_chain(&got[i], &want[i]));
            batch_run(some, back, PROMPTS, got);
            for (int i = 0; i < PROMPTS; i++)
                assert_true(same_chain(&got[i], &want[PROMPTS - 1 - i]));
            at_batch_free(alone);
            at_batch_free(many);
            at_batch_free(some);
            at_model_release(&m);
        }
    assert_true(lengths > 100);
    free(word);
}

/* Status, words and rows as at_generator_run gives them; balls say, of every fourth chain, that all of it is decided in f64. */
static void as_generators(void **state)
{
    (void)state;
    double *word = calloc((size_t)PROMPTS * 60, sizeof *word);
    int answers = 0, steps = 0, full = 0, refused = 0;
    for (int k = 0; k < SHAPES; k++) {
        at_model m;
        trained_spec s = shapes[k];
        s.seed = 500 + (uint64_t)k;
        s.n_max = 20;
        trained_decoder(&s, &m);
        m.decode.max_steps = 12;
        if (k % 4 == 3)
            m.decode = (at_decode){true, AT_STOP_STEPS, 0, 0, 6, 2, 13};
        at_input x[PROMPTS];
        prompts_draw(&m, s.seed, true, word, x);
        at_batch_chain c[PROMPTS];
        at_batch *b = batch_new(&m, at_f64, 0, 2);
        batch_run(b, x, PROMPTS, c);
        at_generator *g;
        at_err err = {0};
        must(at_generator_new(&m, at_f64, &g, &err), &err);
        for (int i = 0; i < PROMPTS; i++) {
            const double *rows = NULL;
            int n = 0;
            double margin = 0;
            err = (at_err){0};
            at_status st = at_generator_run(g, x[i].v, x[i].n, &rows, &n, &margin, &err);
            refused += st == AT_EDOMAIN;
            answers += st == AT_OK;
            full += st == AT_EBUDGET && x[i].n + n == m.n_max;
            steps += st == AT_EBUDGET && n == m.decode.max_steps;
            if (st != AT_EDOMAIN && i % 4 == 0) {
                double all[64];
                tally t = {0, 0};
                memcpy(all, x[i].v, (size_t)x[i].n * sizeof *all);
                memcpy(all + x[i].n, rows, (size_t)n * sizeof *all);
                chain_check(&m, at_f64, all, x[i].n + n, x[i].n, margin, NULL, &t);
                assert_int_equal(t.decided, t.words);
            }
            assert_true(c[i].status == st && c[i].n == n);
            if (n)
                assert_memory_equal(rows, c[i].rows, (size_t)n * sizeof *rows);
            assert_string_equal(st ? err.text : "", st ? c[i].why : "");
        }
        at_generator_free(g);
        at_batch_free(b);
        at_model_release(&m);
    }
    assert_true(answers > 50 && steps > 50 && full > 50 && refused > 50);
    free(word);
}

/* Numbers that overflow are never a word: all of them, or one that would not win. */
static void undecided(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * SHAPES; k++) {
        const trained_spec *shape = &shapes[k % SHAPES];
        at_model m;
        trained_decoder(shape, &m);
        const at_group *g = m.blocks[shape->embed_norm].groups;
        for (size_t i = 0; k < SHAPES && i < m.tensors[g->v].count; i++)
            at_model_data(&m, g->v)[i] = 3e38;
        if (k >= SHAPES)
            at_model_data(&m, m.readout.b)[k % m.readout.rows] = -1e300;
        at_batch *b = batch_new(&m, at_f32, 4, 1);
        double word[] = {2, 3, 4, 5, 6, 7, 8};
        at_batch_chain c;
        batch_run(b, &(at_input){7, word}, 1, &c);
        assert_true(c.status == AT_EBUDGET && c.n == 0 && c.margin == 0);
        assert_string_equal(c.why, "step 1: the row is undecided");
        at_batch_free(b);
        at_model_release(&m);
    }
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static size_t bytes_at(trained_spec s, int n)
{
    at_model m;
    s.n_max = n;
    trained_decoder(&s, &m);
    m.decode = (at_decode){true, AT_STOP_STEPS, 0, 0, n - 1, 1, 1};
    at_batch *b = batch_new(&m, at_f32, 1, 1);
    at_batch_chain c;
    double word = 2;
    batch_run(b, &(at_input){1, &word}, 1, &c);
    assert_int_equal(c.n, n - 1);
    size_t bytes = at_batch_bytes(b);
    at_batch_free(b);
    at_model_release(&m);
    return bytes;
}

/* Of a sequence: linear none that grows; sparse window and ends, up to twice, in whole panels of at most 16; standard T. */
static void memory(void **state)
{
    (void)state;
    size_t row = 2 * 32 * sizeof(float) * 2; /* k and v of 16 a layer: of width 16 with vectors of 8 */
    assert_int_equal(bytes_at((trained_spec){.linear = true}, 40),
                     bytes_at((trained_spec){.linear = true}, 400));
    for (int T = 64; T <= 1024; T *= 4) {
        int B = (int)sqrt(T);
        size_t live = (size_t)(B + T / B);
        assert_true(bytes_at((trained_spec){.block = B, .windows = 1, .ends = 1}, T) <=
                    row * 2 * (live + 32));
        size_t all = bytes_at((trained_spec){0}, T);
        assert_true(all >= row / 2 * (size_t)(T - 1) && all <= row * 2 * (size_t)(T + 16));
    }
}

static void no_memory(void **state)
{
    (void)state;
    double word[] = {2, 3, 4, 5, 6, 7, 8, 99};
    at_input x[] = {{3, word}, {7, word}, {8, word}, {1, word}, {2, word + 3}};
    for (int kind = 0; kind < 3; kind++) {
        at_model m;
        trained_decoder(&(trained_spec){.linear = kind == 1,
                                        .block = kind == 2 ? 4 : 0,
                                        .windows = kind == 2,
                                        .ends = kind == 2,
                                        .embed_norm = true},
                        &m);
        at_batch_chain want[5], got[5];
        at_batch *first = batch_new(&m, at_f32, 2, 1);
        batch_run(first, x, 5, want);
        int fails = 0;
        for (long nth = 1, fired = 1; fired; nth++) {
            at_err err = {0};
            at_batch *b = NULL;
            at_alloc_inject(nth);
            at_status st = at_batch_new(&m, at_f32, 2, nth % 2 ? 1 : 2, &b, &err);
            if (!st)
                st = at_batch_run(b, x, 5, got, &err);
            fired = at_alloc_injected();
            at_alloc_inject(0);
            assert_int_equal(st, fired ? AT_ENOMEM : AT_OK);
            fails += fired;
            if (b) {
                batch_run(b, x, 5, got);
                for (int i = 0; i < 5; i++)
                    assert_true(same_chain(&want[i], &got[i]));
            }
            at_batch_free(b);
        }
        assert_true(fails > 5);
        at_batch_free(first);
        at_model_release(&m);
    }
    at_batch_free(NULL);
}

/* ---- refusals -------------------------------------------------------------------------------------------------- */

static void refused(const at_model *m, at_arith a, int batch, at_status status, const char *words)
{
    at_batch *b = NULL;
    at_err err = {0};
    assert_int_equal(at_batch_new(m, a, batch, 1, &b, &err), status);
    assert_null(b);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
}

static void refusals(void **state)
{
    (void)state;
    at_model m;
    trained_decoder(&(trained_spec){0}, &m);
    refused(&m, (at_arith){AT_PBIT, 12, 8}, 1, AT_EREFUSED, "f32 and f64");
    refused(&m, at_f32, -1, AT_EDOMAIN, "0..4096");
    refused(&m, at_f32, 4097, AT_EDOMAIN, "0..4096");
    at_group *g = m.blocks[2].groups, was = *g;
    for (int w = 0; w < AT_WEIGHTINGS; w++)
        if (w != AT_SOFTMAX && w != AT_LINEAR && w != AT_THREEWISE) {
            g->weighting = (at_weighting)w;
            refused(&m, at_f32, 1, AT_EREFUSED, at_weighting_names[w]);
        }
    *g = was;
    g->post = AT_POST_NEG_ABS;
    refused(&m, at_f32, 1, AT_EREFUSED, at_post_names[AT_POST_NEG_ABS]);
    *g = was;
    g->mask.kind = AT_MASK_STRICT;
    refused(&m, at_f32, 1, AT_EREFUSED, "mask strict (block 2)");
    g->weighting = AT_LINEAR;
    g->mask = (at_mask){AT_MASK_BLOCK_SPARSE, 4, 1, 1};
    refused(&m, at_f32, 1, AT_EREFUSED, "linear attention with mask");
    *g = was;
    m.decode.enabled = false;
    refused(&m, at_f32, 1, AT_EREFUSED, "no decoder");
    m.decode.enabled = true;
    m.decode.max_steps = 0;
    refused(&m, at_f32, 1, AT_EDOMAIN, "max_steps");
    at_model_release(&m);
    random_decoder(&(decoder_spec){.mask = AT_MASK_CAUSAL, .pos = AT_POS_I, .seed = 1}, &m);
    refused(&m, at_f32, 1, AT_EREFUSED, "prefix");
    at_model_release(&m);
    random_decoder(&(decoder_spec){.mask = AT_MASK_CAUSAL, .pos = AT_POS_I, .seed = 3}, &m);
    refused(&m, at_f32, 1, AT_EREFUSED, "one group");
    at_model_release(&m);
    random_decoder(&(decoder_spec){.mask = AT_MASK_CAUSAL, .pos = AT_POS_I, .integers = true, .seed = 3}, &m);
    refused(&m, at_f32, 1, AT_EREFUSED, "one token field");
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_pass),    cmocka_unit_test(long_chains), cmocka_unit_test(parts_matter),
        cmocka_unit_test(gelu),          cmocka_unit_test(gelu_far),    cmocka_unit_test(neighbours),
        cmocka_unit_test(as_generators), cmocka_unit_test(undecided),   cmocka_unit_test(memory),
        cmocka_unit_test(no_memory),     cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
