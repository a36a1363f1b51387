/* test_hard.c: refuters on the nets of hard_nets.h. What they find is checked here once more by other means: by the formulas of
 * the task, by plain runs, by states. What is right must be left alone, and must be right.
 * The cells are run by test_limits.c. */
#include "claim_test.h"

#include <math.h>
#include <string.h>

#include "../shared/claim_dp.h"
#include "../shared/claim_expr.h"
#include "../shared/hard_nets.h"
#include "../shared/word_nets.h"

static const at_refuter *refuter(const char *id)
{
    for (int i = 0; i < at_n_refuters; i++)
        if (!strcmp(at_refuters[i]->id, id))
            return at_refuters[i];
    fail_msg("no refuter %s", id);
    return NULL;
}

static void task_params(const hard_qsa *z, at_params *p)
{
    const at_task *t = at_task_find("qsa");
    at_params_init(p, t->params, t->n_params);
    OK(at_params_set(p, "N", z->N, &err));
    OK(at_params_set(p, "q", z->q, &err));
    OK(at_params_set(p, "d", z->d, &err));
}

static double distance(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sqrt(sum);
}

/* Both in the domain, and at position i outputs within `same`, answers farther apart than twice the tolerance. */
static void qsa_pair_check(const at_subject *s, const at_pair *p, double same, int i)
{
    int N = at_params_int(s->params, "N"), d = at_params_int(s->params, "d"),
        W = d + at_params_int(s->params, "q");
    at_arena a;
    at_arena_init(&a);
    double *right[2];
    at_output y[2];
    for (int k = 0; k < 2; k++) {
        assert_int_equal(p->x[k].n, N);
        for (int j = 0; j < N; j++)
            assert_true(distance(p->x[k].v + j * W, (double[8]){0}, d) <= 1);
        OK(at_run(s->m, s->arith, &p->x[k], NULL, &a, &y[k], &err));
        right[k] = at_new(&a, double, N *d);
        s->task->answer(s->params, p->x[k].v, right[k]);
    }
    int at = s->m->readout.last ? 0 : i;
    assert_true(distance(y[0].value + at * d, y[1].value + at * d, d) <= same);
    assert_true(distance(right[0] + i * d, right[1] + i * d, d) > 2 * s->tolerance + same);
    at_arena_release(&a);
}

static void test_ffn(void **state)
{
    (void)state;
    const hard_qsa sizes[] = {{.N = 6, .q = 2, .d = 2, .gain = 1}, {.N = 20, .q = 1, .d = 1, .gain = 1}};
    for (int k = 0; k < 4; k++) {
        hard_qsa z = sizes[k / 2];
        z.skip = k % 2;
        at_params p;
        task_params(&z, &p);
        for (z.units = 1; z.units <= (z.N - z.skip) * z.d; z.units++) {
            at_err why = {0};
            at_model m;
            at_arena a;
            at_arena_init(&a);
            z.seed = (uint64_t)z.units;
            OK(hard_qsa_random(&z, &m, &err));
            at_subject s = {
                .m = &m, .arith = at_f64, .task = at_task_find("qsa"), .params = &p, .tolerance = 0.25};
            at_pair pair;
            OK(refuter("null-space")->fits(&s, &err));
            at_status got = refuter("null-space")->search(&s, &(at_refute_env){.seed = 1}, &a, &pair, &why);
            if (z.units < (z.N - z.skip) * z.d) {
                OK(got);
                /* with a skip the last position answers, which keeps its own vector */
                qsa_pair_check(&s, &pair, 1e-9, z.N - 1);
            } else /* as many units as numbers: a random layer tells all apart */
                assert_int_equal(got, AT_EBUDGET);
            at_model_release(&m);
            at_arena_release(&a);
        }
    }
}

static void test_ffn_refusals(void **state)
{
    (void)state;
    hard_qsa z = {.N = 5, .q = 1, .d = 1, .units = 3, .gain = 1, .seed = 1};
    at_params p;
    task_params(&z, &p);
    at_err why[4] = {{0}};
    at_model m;
    OK(hard_qsa_random(&z, &m, &err));
    at_subject s = {.m = &m, .arith = at_f64, .task = at_task_find("qsa"), .params = &p, .tolerance = 0.25};
    const at_refuter *r = refuter("null-space");
    m.blocks[0].norm = AT_NORM_PRE;
    assert_int_equal(r->fits(&s, &why[0]), AT_EREFUSED);
    assert_non_null(strstr(why[0].text, "norm"));
    m.blocks[0].norm = AT_NORM_NONE;
    m.fields[0].kind = AT_FIELD_INT;
    assert_int_equal(r->fits(&s, &why[1]), AT_EREFUSED);
    assert_non_null(strstr(why[1].text, "real"));
    m.fields[0].kind = AT_FIELD_REAL;
    s.task = at_task_find("match2");
    assert_int_equal(r->fits(&s, &why[2]), AT_EREFUSED);
    s.task = at_task_find("qsa");
    assert_int_equal(refuter("rnn-state")->fits(&s, &why[3]), AT_EREFUSED);
    assert_non_null(strstr(why[3].text, "flatten"));
    OK(r->fits(&s, &err));
    at_model_release(&m);
}

static void test_rnn(void **state)
{
    (void)state;
    const struct {
        hard_qsa z;
        at_arith arith;
    } cases[] = {{{.N = 30, .q = 1, .d = 1, .units = 4, .gain = 2}, {AT_PBIT, 6, 4}},
                 {{.N = 12, .q = 2, .d = 2, .units = 2, .gain = 1}, {AT_PBIT, 6, 4}},
                 {{.N = 12, .q = 1, .d = 1, .units = 2, .gain = 2}, {AT_PBIT, 12, 8}}};
    for (int k = 0; k < 3; k++)
        for (uint64_t seed = 0; seed < 6; seed++) {
            at_model m;
            at_arena a;
            at_arena_init(&a);
            hard_qsa z = cases[k].z;
            z.recurrent = true;
            z.seed = seed;
            z.cell = seed % 2 ? AT_CELL_GRU : AT_CELL_TANH;
            at_params p;
            task_params(&z, &p);
            OK(seed == 5 && z.d == 1 ? hard_qsa_trained(&z, 10, &m, &err) : hard_qsa_random(&z, &m, &err));
            at_subject s = {.m = &m,
                            .arith = cases[k].arith,
                            .task = at_task_find("qsa"),
                            .params = &p,
                            .tolerance = 0.2};
            at_pair pair, again;
            OK(refuter("rnn-state")->fits(&s, &err));
            OK(refuter("rnn-state")->search(&s, &(at_refute_env){.threads = 1}, &a, &pair, &err));
            qsa_pair_check(&s, &pair, 0, z.N - 1);
            OK(refuter("rnn-state")->search(&s, &(at_refute_env){.threads = 2}, &a, &again, &err));
            size_t bytes = (size_t)(z.N * (z.d + z.q)) * sizeof(double);
            assert_memory_equal(pair.x[0].v, again.x[0].v, bytes);
            assert_memory_equal(pair.x[1].v, again.x[1].v, bytes);
            assert_true(pair.bits == z.units * (cases[k].arith.bits + cases[k].arith.exp_bits));
            at_model_release(&m);
            at_arena_release(&a);
        }
}

/* A right recurrent net at p2e4, one number asked for: wherever it is, every multiple of 1/512 comes back within 1/2. (The others add
 * relu(h - 1) = 0.) EVIDENCE qsa-rnn-hard exact 3075 test_right_small: all multiples of 1/512 at three positions */
static void test_right_small(void **state)
{
    (void)state;
    const hard_qsa z = {.N = 3, .q = 1, .d = 1, .recurrent = true, .small = 1};
    at_arith arith;
    at_model m;
    int asked = 0;
    OK(at_arith_parse("p2e4", &arith, &err));
    OK(hard_qsa_right(&z, &m, &err));
    assert_int_equal(m.blocks[0].rnn.state, 2);
    for (int y = 1; y <= 3; y++)
        for (int k = -512; k <= 512; k++, asked++) {
            at_arena a;
            at_output out;
            double x[6] = {-1, 1, 1, 1, -1, y};
            at_arena_init(&a);
            x[2 * (y - 1)] = k / 512.;
            OK(at_run(&m, arith, &(at_input){3, x}, NULL, &a, &out, &err));
            if (!(fabs(out.value[0] - k / 512.) < 0.5))
                fail_msg("z = %d/512 at %d comes back as %g", k, y, out.value[0]);
            at_arena_release(&a);
        }
    at_model_release(&m);
    evidence_say("test_right_small", "qsa-rnn-hard", "exact", (uint64_t)asked, "numbers");
}

/* The unit whose scores read bits: its width, and scores that are 1 on the subset and 0 off it, to the bit. */
static void test_right_bits(void **state)
{
    (void)state;
    for (int R = 1; R <= 22; R++)
        for (int N = 4; N <= 24; N += 5) {
            hard_bits b = {.N = N, .q = 2, .d = 1, .R = R};
            at_model m;
            at_arith arith;
            OK(at_arith_parse("p24e8", &arith, &err));
            OK(hard_bits_model(&b, &m, &err));
            assert_int_equal(m.blocks[0].groups[0].dk, 2 * ((N + R - 1) / R) + 5);
            double x[3 * 24];
            at_arena a;
            at_output out;
            at_trace t;
            at_arena_init(&a);
            for (int i = 0; i < N; i++) {
                x[3 * i] = i % 2 ? 1 : -1;
                x[3 * i + 1] = 1 + i % (N - 1);
                x[3 * i + 2] = x[3 * i + 1] + 1;
            }
            OK(at_run(&m, arith, &(at_input){N, x}, &t, &a, &out, &err));
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) {
                    double w = t.heads[0].w[i * N + j];
                    bool in = j + 1 == x[3 * i + 1] || j + 1 == x[3 * i + 2];
                    assert_true(in ? w == 0.5 : w < 1e-20);
                }
            at_arena_release(&a);
            at_model_release(&m);
        }
}

/* The right nets answer as the task does, on drawn and on adversarial inputs, and are not refuted. */
static void test_right(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        hard_qsa z = {.N = 7, .q = 1 + k / 2, .d = 1 + k / 2, .recurrent = k % 2};
        at_err why = {0};
        at_params p;
        task_params(&z, &p);
        at_model m;
        OK(hard_qsa_right(&z, &m, &err));
        at_subject s = {.m = &m,
                        .arith = at_f64,
                        .task = at_task_find("qsa"),
                        .params = &p,
                        .tolerance = z.recurrent ? 0.008 : 1e-9};
        for (uint64_t i = 0; i < 100; i++) {
            at_arena a;
            at_arena_init(&a);
            at_rng r = at_rng_at(3, i);
            double *x = at_new(&a, double, z.N *(z.d + z.q));
            (i % 2 ? s.task->sample : s.task->adversarial)(&p, &r, x);
            at_answer y;
            OK(at_subject_answer(&s, &(at_input){z.N, x}, &a, &y, &err));
            assert_true(y.correct);
            at_arena_release(&a);
        }
        at_arena a;
        at_arena_init(&a);
        at_pair pair;
        const at_refuter *f = refuter(z.recurrent ? "rnn-state" : "null-space");
        assert_int_equal(f->search(&s, &(at_refute_env){.states = 500, .threads = 1}, &a, &pair, &why),
                         AT_EBUDGET);
        at_arena_release(&a);
        at_model_release(&m);
    }
}

/* The right net, whoever it is said to be. */
static at_status right_make(const void *ctx, uint64_t i, at_model *m, at_subject *s, at_err *e)
{
    (void)i;
    static const hard_qsa z = {.N = 7, .q = 1, .d = 1};
    at_status st = hard_qsa_right(&z, m, e);
    *s = (at_subject){.m = m, .arith = at_f64, .task = at_task_find("qsa"), .params = ctx, .tolerance = 1e-9};
    return st;
}

/* A trial in which no model is refuted: of right and wide models that is what a control must show, of small ones nothing is known. */
static void test_nothing_found(void **state)
{
    (void)state;
    static const struct {
        int weights;
        at_tri holds;
    } cases[] = {
        {HARD_RANDOM, AT_UNKNOWN}, {HARD_TRAINED, AT_UNKNOWN}, {HARD_RIGHT, AT_FALSE}, {HARD_WIDE, AT_FALSE}};
    at_params p;
    task_params(&(hard_qsa){.N = 7, .q = 1, .d = 1}, &p);
    for (int k = 0; k < 4; k++) {
        at_arena a;
        at_verdict v = {0};
        at_arena_init(&a);
        hard_trial t = {.refuter = "null-space",
                        .models = "nets",
                        .weights = cases[k].weights,
                        .states = 200,
                        .luck = 20,
                        .make = right_make,
                        .ctx = &p};
        OK(hard_trial_run(&t, 2, 1, &(at_check_env){.threads = 1}, &a, &v, &err));
        assert_int_equal(v.holds, cases[k].holds);
        at_arena_release(&a);
    }
}

static void test_training(void **state)
{
    (void)state;
    at_model m[3];
    hard_qsa z = {.N = 5, .q = 1, .d = 1, .units = 24, .gain = 1, .seed = 4};
    OK(hard_qsa_random(&z, &m[0], &err));
    for (int k = 1; k < 3; k++)
        OK(hard_qsa_trained(&z, 400, &m[k], &err));
    assert_memory_equal(m[1].weights, m[2].weights, m[1].n_weights * sizeof(double));
    at_params p;
    task_params(&z, &p);
    double error[2] = {0, 0};
    for (uint64_t i = 0; i < 50; i++)
        for (int k = 0; k < 2; k++) {
            at_arena a;
            at_arena_init(&a);
            at_rng r = at_rng_at(9, i);
            double x[10], right[5];
            at_output y;
            at_task_find("qsa")->sample(&p, &r, x);
            at_task_find("qsa")->answer(&p, x, right);
            OK(at_run(&m[k], at_f64, &(at_input){5, x}, NULL, &a, &y, &err));
            for (int j = 0; j < 5; j++)
                error[k] += (y.value[j] - right[j]) * (y.value[j] - right[j]) / 250;
            at_arena_release(&a);
        }
    assert_true(error[1] < error[0] / 2); /* it learnt something */
    for (int k = 0; k < 3; k++)
        at_model_release(&m[k]);
    assert_int_equal(hard_qsa_trained(&(hard_qsa){.N = 5, .q = 2, .d = 1, .units = 3}, 1, &m[0], NULL),
                     AT_EREFUSED);
}

/* ---- decoders ------------------------------------------------------------------------------------------------------ */

/* Two prompts that are continued alike, by the plain decoder, while the chain wants two continuations. */
static void chain_pair_check(const at_subject *s, const at_pair *p)
{
    at_arena a;
    at_arena_init(&a);
    double *rows[2], *right[2], margin[2];
    int n[2], want[2];
    size_t w = (size_t)s->chain->row_width(s->self) * sizeof(double);
    for (int k = 0; k < 2; k++) {
        at_err none = {0};
        at_status st = (s->rounded_sums ? at_generate_rounded : at_generate)(
            s->m, s->arith, &p->x[k], &a, &rows[k], &n[k], &margin[k], &none);
        assert_true(!st || st == AT_EBUDGET);
        right[k] = at_arena_alloc(&a, (size_t)s->chain->rows_max(s->self), w);
        OK(s->chain->answer(s->self, p->x[k].v, p->x[k].n, right[k], &want[k], &err));
    }
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(rows[0], rows[1], (size_t)n[0] * w);
    assert_true(want[0] != want[1] || memcmp(right[0], right[1], (size_t)want[0] * w));
    at_arena_release(&a);
}

static hard_decoder running_shape(const hard_running *c, uint64_t seed)
{
    return (hard_decoder){.words = AT_TOKEN_FIRST + c->q,
                          .rule = {.stop = AT_STOP_EQUALS,
                                   .value = AT_TOKEN_EOS,
                                   .max_steps = c->n + 3,
                                   .prompt_min = c->n + 1,
                                   .prompt_max = c->n + 1},
                          .weighting = AT_LINEAR,
                          .mask = {.kind = AT_MASK_CAUSAL},
                          .layers = 1,
                          .heads = 1,
                          .dk = 1,
                          .dv = 1,
                          .width = 6,
                          .hidden = 8,
                          .seed = seed};
}

static void test_linear(void **state)
{
    (void)state;
    hard_running c = {.n = 20, .q = 2};
    for (uint64_t seed = 0; seed < 6; seed++) {
        at_err why = {0};
        hard_decoder d = running_shape(&c, seed);
        d.mask.kind = seed % 2 ? AT_MASK_STRICT : AT_MASK_CAUSAL;
        d.layers = 1 + (int)(seed / 2 % 2);
        at_model m;
        at_arena a;
        at_arena_init(&a);
        OK(hard_decoder_random(&d, &m, &err));
        if (seed == 5)
            OK(hard_decoder_train(&m, hard_running_row, &c, 5, 1, &err));
        at_subject s = {.m = &m,
                        .arith = {AT_PBIT, 5, 4},
                        .chain = &hard_running_chain,
                        .self = &c,
                        .rounded_sums = true};
        const at_refuter *r = refuter("running-sums");
        at_pair pair;
        OK(r->fits(&s, &err));
        OK(r->search(&s, &(at_refute_env){.threads = 1 + (int)(seed % 2)}, &a, &pair, &err));
        chain_pair_check(&s, &pair);
        assert_true(pair.bits == d.layers * 2 * 9);
        /* the states before the separator, once more */
        at_generator *g;
        unsigned char got[2][64];
        size_t bytes;
        OK(at_generator_new_rounded(&m, s.arith, &g, &err));
        for (int k = 0; k < 2; k++)
            OK(at_generator_state(g, pair.x[k].v, c.n, got[k], &bytes, &err));
        assert_memory_equal(got[0], got[1], bytes);
        at_generator_free(g);
        s.rounded_sums = false;
        assert_int_equal(r->fits(&s, &why), AT_EREFUSED); /* exact sums */
        assert_int_equal(refuter("one-block")->fits(&s, &why), AT_EREFUSED);
        at_model_release(&m);
        at_arena_release(&a);
    }
}

static void test_expressions(void **state)
{
    (void)state;
    at_params p;
    at_params_init(&p, claim_expr_params, claim_expr_n_params);
    OK(at_params_parse(&p, "p=5 operators=8 least=8", &err));
    void *self;
    OK(at_chain_expr.open(&p, &self, &err));
    for (uint64_t seed = 0; seed < 4; seed++) {
        hard_decoder d = running_shape(&(hard_running){.n = 1, .q = 1}, seed);
        d.words = at_expr_vocabulary(5);
        d.rule = (at_decode){.stop = AT_STOP_EQUALS,
                             .value = AT_EXPR_EOS,
                             .max_steps = at_chain_expr.rows_max(self),
                             .prompt_min = 2,
                             .prompt_max = at_chain_expr.prompt_max(self)};
        d.dv = 3;
        at_model m;
        at_arena a;
        at_arena_init(&a);
        OK(hard_decoder_random(&d, &m, &err));
        if (seed == 3)
            OK(hard_decoder_train(&m, hard_expression_row, self, 5, 1, &err));
        at_subject s = {
            .m = &m, .arith = {AT_PBIT, 4, 4}, .chain = &at_chain_expr, .self = self, .rounded_sums = true};
        at_pair pair;
        OK(refuter("running-sums")->fits(&s, &err));
        OK(refuter("running-sums")->search(&s, &(at_refute_env){.threads = 1}, &a, &pair, &err));
        chain_pair_check(&s, &pair);
        assert_true(pair.bits == 32);
        at_model_release(&m);
        at_arena_release(&a);
    }
    at_chain_expr.close(self);
}

static void test_sparse(void **state)
{
    (void)state;
    hard_running c = {.n = 26, .q = 8};
    for (uint64_t seed = 0; seed < 6; seed++) {
        at_err why = {0};
        hard_decoder d = running_shape(&c, seed);
        d.weighting = seed % 2 ? AT_SOFTMAX : AT_SPARSEMAX;
        d.mask = (at_mask){AT_MASK_BLOCK_SPARSE, 8, 1, 1};
        d.layers = 1 + (int)(seed / 2 % 2);
        d.width = 3;
        at_model m;
        at_arena a;
        at_arena_init(&a);
        OK(hard_decoder_random(&d, &m, &err));
        at_subject s = {.m = &m, .arith = {AT_PBIT, 4, 4}, .chain = &hard_running_chain, .self = &c};
        const at_refuter *r = refuter("one-block");
        at_pair pair;
        OK(r->fits(&s, &err));
        OK(r->search(&s, &(at_refute_env){.threads = 1, .seed = seed}, &a, &pair, &err));
        chain_pair_check(&s, &pair);
        for (int i = 7; i <= c.n; i++) /* the rest of the block, and all behind */
            assert_true(pair.x[0].v[i] == pair.x[1].v[i]);
        assert_true(pair.bits == (d.layers == 2 ? 3 * 8 : 0));
        assert_int_equal(refuter("running-sums")->fits(&s, &why), AT_EREFUSED);
        hard_running brief = {.n = 8 * d.layers, .q = 8}; /* nowhere to forget the block */
        s.self = &brief;
        assert_int_equal(r->fits(&s, &why), AT_EREFUSED);
        at_model_release(&m);
        at_arena_release(&a);
    }
}

/* Every allocation of a search failing once: it says so, and nothing leaks. */
static void test_memory(void **state)
{
    (void)state;
    hard_running c = {.n = 17, .q = 2};
    hard_qsa z = {.N = 8, .q = 1, .d = 1, .units = 2, .gain = 1, .seed = 1};
    at_params p;
    task_params(&z, &p);
    const char *const ids[] = {"null-space", "rnn-state", "running-sums", "one-block"};
    for (int k = 0; k < 4; k++) {
        hard_decoder d = running_shape(&c, 1);
        if (k == 3) {
            d.weighting = AT_SOFTMAX;
            d.mask = (at_mask){AT_MASK_BLOCK_SPARSE, 8, 1, 1};
        }
        z.recurrent = k == 1;
        at_model m;
        OK(k < 2 ? hard_qsa_random(&z, &m, &err) : hard_decoder_random(&d, &m, &err));
        at_subject s = {.m = &m, .arith = k ? (at_arith){AT_PBIT, 4, 4} : at_f64, .tolerance = 0.2};
        if (k < 2)
            s.task = at_task_find("qsa"), s.params = &p;
        else
            s.chain = &hard_running_chain, s.self = &c, s.rounded_sums = true;
        for (long n = 1; n < 10000; n++) {
            at_arena a;
            at_arena_init(&a);
            at_pair pair;
            at_alloc_inject(n);
            at_status st =
                refuter(ids[k])->search(&s, &(at_refute_env){.threads = 1, .states = 600}, &a, &pair, NULL);
            bool fired = at_alloc_injected();
            at_alloc_inject(0);
            at_arena_release(&a);
            if (!fired) {
                assert_int_equal(st, AT_OK);
                break;
            }
            assert_true(st == AT_ENOMEM || st == AT_OK);
        }
        at_model_release(&m);
    }
}

static void test_running_chain(void **state)
{
    (void)state;
    hard_running c = {.n = 4, .q = 3};
    double x[5], rows[7], want[] = {4, 3, 5, 5, 1, 5, 2};
    int n, m;
    assert_int_equal(hard_running_chain.count(&c), 81);
    OK(hard_running_chain.nth(&c, 27 + 18 + 2 * 3 + 0, x, &n, &err)); /* 1 2 2 0 */
    OK(hard_running_chain.answer(&c, x, n, rows, &m, &err));
    assert_int_equal(m, 7);
    assert_memory_equal(rows, want, sizeof want); /* 1 0 2 2 <sep> 2 <eos> */
    x[1] = AT_TOKEN_SEP;
    assert_int_equal(hard_running_chain.answer(&c, x, n, rows, &m, NULL), AT_EINPUT);
}

/* Regular or not, by running every input here: pairs of one chain are what the note names. */
static void test_regular(void **state)
{
    (void)state;
    const at_claim *c = at_claim_find("dp-hard");
    const struct {
        const char *set;
        at_tri regular;
        uint64_t chains;
    } cases[] = {{"part=regular problem=lis a=5 b=5", AT_FALSE, 120},
                 {"part=regular problem=prefix-sum a=7 b=3", AT_TRUE, 2187},
                 {"part=regular problem=edit-distance-local a=1 b=2", AT_TRUE, 17576}};
    for (int k = 0; k < 3; k++) {
        at_arena a;
        at_arena_init(&a);
        at_params p;
        at_verdict v;
        at_params_init(&p, c->params, c->n_params);
        OK(at_params_parse(&p, cases[k].set, &err));
        OK(hard_dp_regular(&p, &a, &v, &err));
        assert_int_equal(v.holds, cases[k].regular);
        assert_int_equal(v.inputs, cases[k].chains);
        at_arena_release(&a);
    }
}

/* Weights are drawn one after another, a stream a tensor, all of them: no 0 is left. */
static void drawn_whole(const at_model *m, uint64_t seed)
{
    for (int i = 0; i < m->n_tensors; i++) {
        const at_tensor *t = &m->tensors[i];
        at_rng r = at_rng_at(seed, (uint64_t)i);
        double scale = m->weights[t->offset] / at_rng_normal(&r);
        assert_true(scale > 0);
        if ((m->pos[0].kind == AT_POS_TABLE && i == m->pos[0].embed.tensor) ||
            (m->fields[0].kind == AT_FIELD_TOKEN && i == m->fields[0].embed.tensor))
            assert_true(fabs(scale - 1) < 1e-12); /* of tables */
        for (size_t k = 1; k < t->count; k++)
            assert_true(fabs(m->weights[t->offset + k] / (scale * at_rng_normal(&r)) - 1) < 1e-12);
    }
}

/* What drawn nets are made of: blocks, rows of their readout, weights. */
static void test_drawn_nets(void **state)
{
    (void)state;
    at_model m;
    for (int hidden = 0; hidden < 6; hidden += 5) {
        word_net h = {.letters = 2,
                      .answers = 2,
                      .longest = 6,
                      .width = 4,
                      .layers = 2,
                      .heads = 1,
                      .dim = 2,
                      .hidden = hidden,
                      .gain = 1};
        OK(word_net_draw(&h, 9, &m, &err));
        assert_int_equal(m.n_blocks, hidden ? 4 : 2);
        for (int b = 0; b < m.n_blocks; b++)
            assert_int_equal(m.blocks[b].kind, hidden && b % 2 ? AT_BLOCK_MLP : AT_BLOCK_ATTN);
        if (hidden)
            assert_int_equal(m.blocks[1].dense[0].rows, 5);
        drawn_whole(&m, 9);
        at_model_release(&m);
    }
    at_field fields[] = {{.name = "i", .kind = AT_FIELD_INT, .size = 1, .lo = 0, .hi = 8},
                         {.name = "v", .kind = AT_FIELD_INT, .size = 1, .lo = 0, .hi = 8}};
    hard_decoder d = {.fields = fields,
                      .n_fields = 2,
                      .rule = {.stop = AT_STOP_STEPS, .prompt_min = 1, .prompt_max = 2, .max_steps = 2},
                      .weighting = AT_SOFTMAX,
                      .mask = {AT_MASK_CAUSAL, 0, 0, 0},
                      .layers = 1,
                      .heads = 1,
                      .dk = 2,
                      .dv = 2,
                      .width = 4,
                      .hidden = 3,
                      .seed = 5};
    OK(hard_decoder_random(&d, &m, &err));
    assert_int_equal(m.readout.rows, 2);
    drawn_whole(&m, 5);
    at_model_release(&m);
    d.words = 7;
    OK(hard_decoder_random(&d, &m, &err));
    assert_int_equal(m.readout.rows, 7);
    drawn_whole(&m, 5);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ffn),           cmocka_unit_test(test_ffn_refusals),
        cmocka_unit_test(test_rnn),           cmocka_unit_test(test_right),
        cmocka_unit_test(test_right_small),   cmocka_unit_test(test_right_bits),
        cmocka_unit_test(test_training),      cmocka_unit_test(test_linear),
        cmocka_unit_test(test_sparse),        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_memory),        cmocka_unit_test(test_running_chain),
        cmocka_unit_test(test_regular),       cmocka_unit_test(test_drawn_nets),
        cmocka_unit_test(test_nothing_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
