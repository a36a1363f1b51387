/* test_influence.c: no letter moves an answer further than its bound, on every word of small models of all kinds; a model whose weights are
 * other than those that were bounded is found out; refusals. */
#include <attest/check.h>

#include "../influence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

static at_err err;
#define OK(call)                                                                                             \
    do {                                                                                                     \
        err = (at_err){0};                                                                                   \
        if ((call) != AT_OK)                                                                                 \
            fail_msg("%s: %s", #call, err.text);                                                             \
    } while (0)

typedef struct {
    int letters, n, layers, heads, groups, dense, prefix, suffix, rows;
    bool last, residual, final_norm;
    at_norm norm;
    at_act act;
    at_mask_kind mask;
    at_post post;
    at_pos_kind pos;
    double gain;
} shape;

static void model_draw(const shape *h, uint64_t seed, at_model *m)
{
    enum { D = 4 };
    int each = h->dense ? 2 : 1;
    at_model_init(m);
    m->width = D;
    m->n_min = 1;
    m->n_max = 64;
    m->pos_origin = 1;
    m->n_fields = m->n_pos = 1;
    m->n_prefix = h->prefix;
    m->n_suffix = h->suffix;
    m->prefix = m->suffix = (at_embed){0, D, -1};
    m->fields = at_new(&m->arena, at_field, 1);
    m->pos = at_new(&m->arena, at_pos, 1);
    m->n_blocks = each * h->layers;
    m->blocks = at_new(&m->arena, at_block, m->n_blocks);
    m->fields[0] = (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = h->letters, .embed = {0, D, -1}};
    m->pos[0] = (at_pos){.kind = h->pos, .size = h->pos == AT_POS_TABLE ? 70 : D, .embed = {0, D, -1}};
    for (int b = 0; b < m->n_blocks; b++) {
        at_block *k = &m->blocks[b];
        bool mlp = b % each == 1;
        *k = (at_block){.kind = mlp ? AT_BLOCK_MLP : AT_BLOCK_ATTN,
                        .residual = h->residual,
                        .norm = h->norm,
                        .norm_eps = 0.1,
                        .act = h->act};
        k->n_groups = mlp ? 0 : h->groups;
        k->n_dense = mlp ? h->dense : 0;
        k->groups = at_new(&m->arena, at_group, h->groups);
        k->dense = at_new(&m->arena, at_dense, 4);
        for (int g = 0; g < h->groups; g++)
            k->groups[g] = (at_group){.heads = h->heads,
                                      .dk = 2,
                                      .dv = 2,
                                      .weighting = AT_SOFTMAX,
                                      .scale = 0.7,
                                      .post = h->post,
                                      .bias = g == 0,
                                      .mask = {h->mask, 2, 1, 1}};
        for (int l = 0; l < h->dense; l++)
            k->dense[l].rows = l == h->dense - 1 ? D : 5;
    }
    m->readout = (at_readout){
        .kind = AT_READ_RAW, .rows = h->rows, .last = h->last, .final_norm = h->final_norm, .norm_eps = 0.1};
    OK(at_model_layout(m, &err));
    at_rng r = at_rng_at(seed, 1);
    for (size_t k = 0; k < m->n_weights; k++)
        m->weights[k] = h->gain * at_rng_normal(&r);
    for (int b = 0; b < m->n_blocks; b++)
        for (int k = 0; k < D && m->blocks[b].norm_g >= 0; k++)
            at_model_data(m, m->blocks[b].norm_g)[k] += 1;
}

static shape shape_at(int k)
{
    static const at_mask_kind masks[] = {AT_MASK_NONE, AT_MASK_CAUSAL, AT_MASK_STRICT, AT_MASK_FUTURE,
                                         AT_MASK_BLOCK_SPARSE};
    static const at_pos_kind pos[] = {AT_POS_TABLE, AT_POS_SINUSOIDAL, AT_POS_I_OVER_N, AT_POS_INV_I};
    return (shape){.letters = 2 + k % 3 / 2,
                   .n = 2 + k % 5,
                   .layers = 1 + k % 3,
                   .heads = 1 + k / 3 % 2,
                   .groups = 1 + k / 5 % 2,
                   .dense = k % 4,
                   .prefix = k % 7 == 1,
                   .suffix = k % 7 == 2,
                   .rows = 1 + k % 3,
                   .last = k % 2,
                   .residual = k % 6 != 5,
                   .final_norm = k % 8 == 3,
                   .norm = (at_norm)(k / 2 % 3),
                   .act = k % 5 == 2 ? AT_ACT_GELU : AT_ACT_RELU,
                   .mask = masks[k / 2 % 5],
                   .post = (at_post)(k % 9 == 4   ? AT_POST_NEG_ABS
                                     : k % 9 == 7 ? AT_POST_NEG_RELU
                                                  : AT_POST_ID),
                   .pos = pos[k / 3 % 4],
                   .gain = k % 3 == 0   ? 1
                           : k % 3 == 1 ? 0.4
                                        : 0.15};
}

/* Every word, every change: the largest move of each letter, in f64, of one difference of rows. */
static void all_moves(const at_model *m, int n, int a, int b, double *most, double *wide)
{
    int V = m->fields[0].size, words = 1;
    double x[8], *value;
    at_arena arena;
    at_arena_init(&arena);
    for (int i = 0; i < n; i++)
        words *= V;
    value = at_new(&arena, double, words);
    for (int w = 0; w < words; w++) {
        at_output y;
        at_mark mark = at_arena_mark(&arena);
        for (int i = 0, c = w; i < n; i++, c /= V)
            x[i] = c % V;
        OK(at_run(m, at_f64, &(at_input){n, x}, NULL, &arena, &y, &err));
        const double *z = y.value + (size_t)(y.n - 1) * (size_t)y.rows;
        value[w] = z[a] - (b >= 0 ? z[b] : 0);
        at_arena_reset(&arena, mark);
    }
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0, step = 1; i < n; i++, step *= V) {
        most[i] = 0;
        for (int w = 0; w < words; w++) {
            lo = fmin(lo, value[w]);
            hi = fmax(hi, value[w]);
            for (int v = 0; v < V; v++)
                most[i] = fmax(most[i], fabs(value[w] - value[w + (v - w / step % V) * step]));
        }
    }
    *wide = hi - lo;
    at_arena_release(&arena);
}

static void test_every_word(void **state)
{
    (void)state;
    int binding = 0, all = 0, tight = 0, caught = 0;
    for (int k = 0; k < 240; k++) {
        shape h = shape_at(k);
        at_model m, other;
        at_influence f;
        at_arena a;
        double most[8], wide;
        model_draw(&h, (uint64_t)k, &m);
        at_arena_init(&a);
        int one = h.rows > 1 ? k % 2 : 0, two = h.rows > 1 ? 1 - one : -1;
        OK(at_influence_bound(&m, h.n, one, two, &a, &f, &err));
        all_moves(&m, h.n, one, two, most, &wide);
        for (int u = 0; u < h.n; u++) {
            if (!(most[u] <= f.most[u] + 1e-11))
                fail_msg("model %d letter %d of %d: %.17g, bound %.17g", k, u + 1, h.n, most[u], f.most[u]);
            if (u == f.own)
                continue;
            binding += f.most[u] < f.range;
            tight += most[u] > f.most[u] / 20;
            all++;
        }
        if (f.own < 0)
            assert_true(wide <= f.range + 1e-11);
        /* Control: scores that are ten times as large are another model, and move further than this bound somewhere. */
        OK(at_model_copy(&m, &other, &err));
        for (int b = 0; b < other.n_blocks; b++)
            for (int g = 0; other.blocks[b].kind == AT_BLOCK_ATTN && g < other.blocks[b].n_groups; g++) {
                other.blocks[b].groups[g].scale *= 10;
                double *o = at_model_data(&other, other.blocks[b].groups[g].o);
                for (int e = 0; e < 4 * h.heads * 2; e++)
                    o[e] *= 10;
            }
        all_moves(&other, h.n, one, two, most, &wide);
        bool beyond = false;
        for (int u = 0; u < h.n; u++)
            beyond = beyond || most[u] > f.most[u] + 1e-11;
        caught += beyond;
        at_model_release(&other);
        at_arena_release(&a);
        at_model_release(&m);
    }
    print_message("%d of %d bounds below the range, %d within 20 times what is, %d other models found out\n",
                  binding, all, tight, caught);
    assert_true(6 * binding > all && 6 * tight > all && caught > 20);
}

/* A mean of letters, 1/n each: the bound is what it is, 1/n; it falls like 1/n and the measure agrees. */
static void test_mean(void **state)
{
    (void)state;
    shape h = {.letters = 2,
               .layers = 1,
               .heads = 1,
               .groups = 1,
               .last = true,
               .rows = 1,
               .suffix = 1,
               .residual = true};
    at_model m;
    at_arena a;
    model_draw(&h, 1, &m);
    memset(m.weights, 0, m.n_weights * sizeof *m.weights);
    const at_group *g = &m.blocks[0].groups[0];
    at_model_data(&m, m.fields[0].embed.tensor)[4] = 1; /* letter 1 is (1, 0, 0, 0) */
    at_model_data(&m, g->v)[0] = 1;
    at_model_data(&m, g->o)[0] = 1;
    at_model_data(&m, m.readout.w)[0] = 1;
    at_arena_init(&a);
    for (int n = 4; n <= 64; n *= 4) {
        at_influence f;
        double most[64];
        OK(at_influence_bound(&m, n, 0, -1, &a, &f, &err));
        OK(at_influence_measure(&m, n, 0, -1, 4, 1, most, &err));
        for (int u = 0; u < n; u++) {
            assert_true(fabs(f.most[u] - 1.0 / (n + 1)) < 1e-9 && f.most[u] >= 1.0 / (n + 1));
            assert_true(fabs(most[u] - 1.0 / (n + 1)) < 1e-12);
        }
        assert_true(fabs(f.range - (double)n / (n + 1)) < 1e-9 && f.own == -1);
    }
    at_arena_release(&a);
    at_model_release(&m);
}

static void test_refusals(void **state)
{
    (void)state;
    shape h = shape_at(9);
    at_model m;
    at_influence f;
    at_arena a;
    at_arena_init(&a);
    model_draw(&h, 1, &m);
    err = (at_err){0};
    assert_int_equal(at_influence_bound(&m, 65, 0, -1, &a, &f, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "1..64"));
    err = (at_err){0};
    assert_int_equal(at_influence_bound(&m, 4, 7, -1, &a, &f, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "rows 7 and -1"));
    err = (at_err){0};
    assert_int_equal(at_influence_bound(&m, 4, -1, 0, &a, &f, &err), AT_EINPUT);
    assert_non_null(strstr(err.text, "rows -1 and 0"));
    m.blocks[0].groups[0].weighting = AT_LEFTMOST_HARD;
    err = (at_err){0};
    assert_int_equal(at_influence_bound(&m, 4, 0, -1, &a, &f, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "hahn-restriction"));
    m.blocks[0].groups[0].weighting = AT_SPARSEMAX;
    err = (at_err){0};
    assert_int_equal(at_influence_bound(&m, 4, 0, -1, &a, &f, &err), AT_EREFUSED);
    assert_non_null(strstr(err.text, "sparsemax"));
    at_model_release(&m);
    at_arena_release(&a);
}

static void test_losses(void **state)
{
    (void)state;
    assert_true(fabs(at_influence_loss(0) - 0.69314718) < 1e-8 && at_influence_loss(0) < 0.693147180559946);
    assert_true(at_influence_loss(INFINITY) == 0 && at_influence_loss(1e6) == 0 &&
                at_influence_loss(1300) > 0);
    for (double e = 0.01; e < 50; e *= 1.7) {
        double d = at_influence_loss(e);
        assert_true(d < log1p(exp(-e / 2)) && d > log1p(exp(-e / 2)) * (1 - 1e-6));
        for (double z = -3; z <= 3; z += 0.1) /* whatever the two differences are */
            assert_true((log1p(exp(-(z + e / 2))) + log1p(exp(z - e / 2))) / 2 >= d);
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    shape h = shape_at(7);
    at_model m;
    int failed = 0;
    model_draw(&h, 1, &m);
    for (long nth = 1;; nth++) {
        at_influence f;
        at_arena a;
        at_err said = {0};
        double most[4];
        at_arena_init(&a);
        at_alloc_inject(nth);
        at_status s = at_influence_bound(&m, 4, 0, -1, &a, &f, &said);
        if (!s)
            s = at_influence_measure(&m, 4, 0, -1, 1, 1, most, &said);
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        at_arena_release(&a);
        if (!fired) {
            assert_int_equal(s, AT_OK);
            break;
        }
        assert_int_equal(s, AT_ENOMEM);
        failed++;
    }
    assert_true(failed > 5);
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_word),    cmocka_unit_test(test_mean),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_losses),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
