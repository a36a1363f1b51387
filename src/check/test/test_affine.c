/* test_affine.c: outputs as forms in the reals, against runs.
 *
 * What the weights are said to show is true of every run: for random models, the output of a position is the form that was read
 * off under its own question, whatever the others ask, if the digests agree; and models that break one part of the hypothesis
 * each are not said to fulfil it. */
#include "../check_internal.h"
#include "../form.h"
#include "check_test.h"

/* ---- forms against arrays ---------------------------------------------------------------------------------- */

#define COLUMNS 200
#define FORMS   6

static form form_draw(at_rng *r, at_arena *a, double *dense)
{
    form x = {.term = at_new(a, form_term, COLUMNS), .spread = (double)at_rng_below(r, 3)};
    memset(dense, 0, COLUMNS * sizeof *dense);
    for (int j = (int)at_rng_below(r, 90); j < COLUMNS; j += 1 + (int)at_rng_below(r, 90)) {
        dense[j] = (double)at_rng_below(r, 5) - 2;
        x.term[x.n++] = (form_term){j, dense[j]};
    }
    return x;
}

static void test_forms(void **state)
{
    (void)state;
    at_arena a;
    at_arena_init(&a);
    form_sum sum;
    OK(form_sum_init(&sum, COLUMNS, &a, &err));
    int zeros = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        at_rng r = at_rng_at(seed, 1);
        double dense[COLUMNS], right[COLUMNS] = {0}, spread = 0;
        bool has[COLUMNS] = {0};
        for (int k = (int)at_rng_below(&r, FORMS); k >= 0; k--) {
            form x = form_draw(&r, &a, dense);
            double w = (double)at_rng_below(&r, 5) - 2;
            form_add(&sum, w, &x);
            spread += fabs(w) * x.spread;
            for (int j = 0; j < COLUMNS; j++)
                right[j] += w * dense[j];
            for (int i = 0; i < x.n; i++)
                has[x.term[i].column] = true;
        }
        form y;
        OK(form_take(&sum, &a, &y, &err));
        assert_true(y.spread == spread);
        int n = 0;
        for (int j = 0; j < COLUMNS; j++)
            if (has[j]) {
                assert_int_equal(y.term[n].column, j); /* those that cancelled, too */
                assert_true(y.term[n].value == right[j]);
                zeros += right[j] == 0;
                n++;
            }
        assert_int_equal(y.n, n);
        assert_true(form_live(&y) == (n > 0 || spread > 0));
        form same = {.term = at_new(&a, form_term, n + 1)}, other;
        for (int i = 0; i < n; i++)
            if (y.term[i].value != 0)
                same.term[same.n++] = (form_term){y.term[i].column, -y.term[i].value};
        assert_true(form_equal(&y, &same, -1) && form_equal(&same, &y, -1));
        assert_true(form_equal(&y, &same, 1) == (same.n == 0));
        for (int i = 0; i < same.n; i++) { /* the same value of another real */
            other = same;
            other.term = at_new(&a, form_term, same.n);
            memcpy(other.term, same.term, (size_t)same.n * sizeof *same.term);
            other.term[i].column = i + 1 < same.n ? COLUMNS : other.term[i].column + 1;
            assert_false(form_equal(&y, &other, -1));
        }
    }
    assert_true(zeros > 100);
    at_arena_release(&a);
}

/* ---- models made here -------------------------------------------------------------------------------------- */

enum {
    X,
    ASK,
    I,
    I2,
    FREE
}; /* coordinates: the real, the question, the index, its square, then nothing yet */

/* N positions, D coordinates; a row of the input is that of `copy`. The caller makes the blocks, then model_lay. */
static at_model model_new(int N, int D, int blocks)
{
    at_model m;
    at_model_init(&m);
    m.width = D;
    m.n_min = m.n_max = N;
    m.pos_origin = 1;
    m.n_fields = 2;
    m.fields = at_new(&m.arena, at_field, 2);
    m.fields[0] = (at_field){.name = "x", .kind = AT_FIELD_REAL, .size = 1, .lo = -1, .hi = 1};
    m.fields[0].embed = (at_embed){X, 1, -1};
    m.fields[1] = (at_field){.name = "t", .kind = AT_FIELD_INT, .size = 1, .lo = 1, .hi = N};
    m.fields[1].embed = (at_embed){ASK, 1, -1};
    m.n_pos = 2;
    m.pos = at_new(&m.arena, at_pos, 2);
    m.pos[0] = (at_pos){.kind = AT_POS_I, .embed = {I, 1, -1}};
    m.pos[1] = (at_pos){.kind = AT_POS_I2, .embed = {I2, 1, -1}};
    m.n_blocks = blocks;
    m.blocks = at_new(&m.arena, at_block, blocks);
    m.readout = (at_readout){.kind = AT_READ_RAW, .rows = 1};
    return m;
}

static void block_attention(at_model *m, int b, bool residual, int groups)
{
    m->blocks[b] = (at_block){.kind = AT_BLOCK_ATTN,
                              .residual = residual,
                              .norm_g = -1,
                              .norm_b = -1,
                              .n_groups = groups,
                              .groups = at_new(&m->arena, at_group, groups)};
}

static void block_mlp(at_model *m, int b, bool residual, int units)
{
    m->blocks[b] = (at_block){.kind = AT_BLOCK_MLP,
                              .residual = residual,
                              .norm_g = -1,
                              .norm_b = -1,
                              .n_dense = 2,
                              .dense = at_new(&m->arena, at_dense, 2)};
    m->blocks[b].dense[0].rows = units;
    m->blocks[b].dense[1].rows = m->width;
}

static void model_lay(at_model *m, double unit)
{
    OK(at_model_layout(m, &err));
    *at_model_data(m, m->fields[0].embed.tensor) = 1;
    *at_model_data(m, m->fields[1].embed.tensor) = unit;
    *at_model_data(m, m->pos[0].embed.tensor) = unit;
    *at_model_data(m, m->pos[1].embed.tensor) = unit;
}

static double *weight(const at_model *m, int tensor, int row, int column)
{
    for (int k = 0; k < m->n_tensors; k++)
        if (k == tensor)
            return at_model_data(m, tensor) + (size_t)row * (size_t)m->tensors[k].shape[1] + column;
    fail_msg("no tensor %d", tensor);
    return NULL;
}

/* Scores -(j - what_i)^2, what_i being a coordinate: hard attention to position what_i. */
static at_group seek(void)
{
    return (at_group){.heads = 1, .dk = 2, .dv = 4, .weighting = AT_RIGHTMOST_HARD, .scale = 1, .bias = true};
}

static void seek_fill(at_model *m, const at_group *g, int what)
{
    *weight(m, g->q, 0, what) = 2;
    at_model_data(m, g->qb)[1] = -1;
    *weight(m, g->k, 0, I) = 1;
    *weight(m, g->k, 1, I2) = 1;
}

/* Value c of the head is coordinate `from`, and goes to coordinate `to`. */
static void carry(at_model *m, const at_group *g, int c, int from, int to)
{
    *weight(m, g->v, c, from) = 1;
    *weight(m, g->o, to, c) = 1;
}

/* ---- what others ask ---------------------------------------------------------------------------------------- */

/* Whoever asks for an earlier position gets what the one before him has fetched, and that is right as long as he asked the
 * same. The values of layer 2 have the coefficient 1 under every question, of another real each time. */
static at_model hearsay(int N)
{
    enum { Y = FREE, S, Z, D };
    at_model m = model_new(N, D, 3);
    block_attention(&m, 0, true, 1);
    m.blocks[0].groups[0] = seek();
    block_mlp(&m, 1, true, 3); /* s = i - min(i - t, 1) */
    block_attention(&m, 2, true, 1);
    m.blocks[2].groups[0] = seek();
    model_lay(&m, 1);
    seek_fill(&m, &m.blocks[0].groups[0], ASK);
    carry(&m, &m.blocks[0].groups[0], 0, X, Y);
    const at_dense *in = &m.blocks[1].dense[0], *out = &m.blocks[1].dense[1];
    static const double units[3][3] = {{0, 1, 0}, {-1, 1, 0}, {-1, 1, -1}}; /* of t, i, 1 */
    static const double parts[3] = {1, -1, 1};
    for (int u = 0; u < 3; u++) {
        *weight(&m, in->w, u, ASK) = units[u][0];
        *weight(&m, in->w, u, I) = units[u][1];
        at_model_data(&m, in->b)[u] = units[u][2];
        *weight(&m, out->w, S, u) = parts[u];
    }
    seek_fill(&m, &m.blocks[2].groups[0], S);
    carry(&m, &m.blocks[2].groups[0], 0, Y, Z);
    at_model_data(&m, m.readout.w)[Z] = 1;
    OK(at_model_validate(&m, &err));
    return m;
}

/* The same without layer 2, whose queries and keys stay: right, and its weights show it. */
static at_model firsthand(int N)
{
    at_model m = hearsay(N);
    *weight(&m, m.blocks[2].groups[0].v, 0, FREE) = 0;
    at_model_data(&m, m.readout.w)[FREE] = 1;
    return m;
}

static at_status copy_ask(const at_model *m, int N, at_arena *a, at_verdict *v, at_err *why)
{
    const at_task *t = at_task_find("copy");
    at_params p;
    at_params_init(&p, t->params, t->n_params);
    OK(at_params_set(&p, "N", N, &err));
    at_question q = {
        .evidence = AT_EV_EXACT, .how = AT_ENUM_PAIRS, .arith = at_f64, .tolerance = 0.01, .seed = 3};
    return at_check(m, t, &p, &q, &(at_check_env){.threads = 1}, a, v, why);
}

static at_verdict copy_check(const at_model *m, int N, at_arena *a)
{
    at_verdict v;
    OK(copy_ask(m, N, a, &v, &err));
    return v;
}

static void test_hearsay(void **state)
{
    (void)state;
    for (int N = 3; N <= 6; N++) {
        at_arena a;
        at_arena_init(&a);
        at_model m = hearsay(N), right = firsthand(N);
        at_verdict v = copy_check(&m, N, &a);
        assert_int_equal(v.holds, AT_FALSE);
        assert_true(v.has_counterexample && fabs(v.cx.expected - v.cx.got) > 0.01);
        v = copy_check(&right, N, &a);
        assert_int_equal(v.holds, AT_TRUE);
        assert_int_equal(v.evidence, AT_EV_EXACT);
        at_model_release(&m);
        at_model_release(&right);
        at_arena_release(&a);
    }
}

/* Layer 2 of the model that is right reads what breaks one part of the hypothesis each. Nothing comes of it, since its values
 * are 0, but the weights no longer show that. */
static void test_hypotheses(void **state)
{
    (void)state;
    enum { Y = FREE, S, Z, N = 4 };
    static const struct {
        char row; /* of layer 2 */
        int reads;
        at_evidence evidence;
    } rows[] = {{'q', I, AT_EV_EXACT},   {'q', ASK, AT_EV_EXACT}, {'q', Y, AT_EV_SAMPLED},
                {'q', X, AT_EV_SAMPLED}, {'q', Z, AT_EV_SAMPLED}, {'k', I, AT_EV_EXACT},
                {'k', Y, AT_EV_SAMPLED}, {'k', Z, AT_EV_SAMPLED}, {'k', ASK, AT_EV_SAMPLED},
                {'k', S, AT_EV_SAMPLED}, {'v', I, AT_EV_EXACT},   {'v', X, AT_EV_EXACT},
                {'v', Y, AT_EV_SAMPLED}, {'v', Z, AT_EV_EXACT},   {'v', ASK, AT_EV_SAMPLED}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        at_model m = firsthand(N);
        const at_group *fetch = &m.blocks[0].groups[0], *g = &m.blocks[2].groups[0];
        carry(&m, fetch, 1, X, Z); /* Z is x - x, whose 0 the weights do not promise */
        carry(&m, fetch, 2, X, Z);
        *weight(&m, fetch->o, Z, 2) = -1;
        at_model_data(&m, m.readout.w)[Z] = 0;
        int tensor = rows[k].row == 'q' ? g->q : rows[k].row == 'k' ? g->k : g->v;
        *weight(&m, tensor, 0, rows[k].reads) += 1e-6;
        at_arena a;
        at_arena_init(&a);
        at_verdict v = copy_check(&m, N, &a);
        assert_int_equal(v.holds, AT_TRUE);
        if (v.evidence != rows[k].evidence)
            fail_msg("%c reads coordinate %d: %s", rows[k].row, rows[k].reads, at_evidence_names[v.evidence]);
        at_arena_release(&a);
        at_model_release(&m);
    }
}

/* A readout that rounds is right at the corners, where every real is 0 or the largest, and nowhere else. */
static void test_rounded(void **state)
{
    (void)state;
    enum { N = 4 };
    at_arena a;
    at_arena_init(&a);
    at_model m = firsthand(N);
    m.readout.kind = AT_READ_ROUND;
    at_verdict v;
    at_err why = {0};
    at_status s = copy_ask(&m, N, &a, &v, &why);
    if (s ? s != AT_EREFUSED && s != AT_EINPUT : v.holds != AT_FALSE)
        fail_msg("%d %s", s, s ? why.text : at_evidence_names[v.evidence]);
    at_arena_release(&a);
    at_model_release(&m);
}

/* ---- random models ------------------------------------------------------------------------------------------ */

#define MODELS 6000
#define LONG   5
#define WIDE   7

static double draw(at_rng *r)
{
    return (double)at_rng_below(r, 9) / 4 - 1;
}

/* Weights of about a third of the entries of a tensor; only in the columns and rows whose bits are set. */
static void sprinkle(const at_model *m, int tensor, at_rng *r, unsigned rows, unsigned columns)
{
    for (int i = 0; tensor >= 0 && i < m->tensors[tensor].shape[0]; i++)
        for (int j = 0; j < m->tensors[tensor].shape[1]; j++)
            if (rows >> i & columns >> j & 1 && at_rng_below(r, 3) == 0)
                *weight(m, tensor, i, j) = draw(r);
}

/* Mostly models that fulfil the hypothesis, now and then one whose queries, keys, values or units read anything. */
static at_model model_draw(uint64_t seed)
{
    at_rng r = at_rng_at(seed, 9);
    unsigned all = (1u << WIDE) - 1, places = 1u << I | 1u << I2, data = all & ~places & ~(1u << ASK);
    int blocks = 1 + (int)at_rng_below(&r, 3);
    at_model m = model_new(LONG, WIDE, blocks);
    for (int b = 0; b < blocks; b++) {
        if (at_rng_below(&r, 3) == 0) {
            block_mlp(&m, b, at_rng_below(&r, 4), 4);
            continue;
        }
        block_attention(&m, b, at_rng_below(&r, 4), 1 + (int)at_rng_below(&r, 2));
        for (int g = 0; g < m.blocks[b].n_groups; g++) {
            static const at_weighting kinds[] = {AT_SOFTMAX, AT_LEFTMOST_HARD, AT_AVERAGE_HARD, AT_LINEAR};
            m.blocks[b].groups[g] = (at_group){.heads = 1 + (int)at_rng_below(&r, 2),
                                               .dk = 2,
                                               .dv = 2,
                                               .weighting = kinds[at_rng_below(&r, 4)],
                                               .scale = 1,
                                               .bias = true,
                                               .mask = {(at_mask_kind)at_rng_below(&r, AT_MASKS), 2, 1, 1}};
        }
    }
    model_lay(&m, 0.25);
    for (int b = 0; b < blocks; b++) {
        const at_block *x = &m.blocks[b];
        bool last = b + 1 == blocks, odd = at_rng_below(&r, 8) == 0;
        for (int g = 0; x->kind == AT_BLOCK_ATTN && g < x->n_groups; g++) {
            const at_group *y = &x->groups[g];
            sprinkle(&m, y->q, &r, all, odd ? all : last ? places | 1u << ASK : places);
            sprinkle(&m, y->k, &r, all, odd ? all : places);
            sprinkle(&m, y->v, &r, all, odd ? all : data | places);
            sprinkle(&m, y->o, &r, odd ? all : data, all);
        }
        if (x->kind == AT_BLOCK_MLP) {
            const at_dense *in = &x->dense[0], *out = &x->dense[1];
            sprinkle(&m, in->w, &r, all, odd ? all : data | places);
            for (int u = 0; u < in->rows; u++)
                at_model_data(&m, in->b)[u] = 16 * draw(&r);
            for (int d = 0; d < WIDE && at_rng_below(&r, 2); d++) { /* a number carried by a pair */
                *weight(&m, in->w, 1, d) = -*weight(&m, in->w, 0, d);
                at_model_data(&m, in->b)[0] = at_model_data(&m, in->b)[1] = 0;
            }
            sprinkle(&m, out->w, &r, odd ? all : data, all);
            if (at_model_data(&m, in->b)[0] == 0)
                for (int d = 0; d < WIDE; d++)
                    *weight(&m, out->w, d, 1) = -*weight(&m, out->w, d, 0);
        }
    }
    for (int d = 0; d < WIDE; d++)
        at_model_data(&m, m.readout.w)[d] = draw(&r);
    OK(at_model_validate(&m, &err));
    return m;
}

/* Weights are at most 1, so an MLP (7 inputs, 4 units) or a layer of attention (7 inputs, at most 8 values) makes numbers at
 * most 64 times as large, and 16 more; 3 of them stay below 2^23 and add up fewer than 2^8 numbers in a row. Roundings are
 * then less than 2^31 2^-53. */
#define ROUNDING 0x1p-22

/* Does the model do what its forms say, when everybody asks something of his own? */
static bool run_agrees(const at_model *m, const affine *f, at_rng *r)
{
    at_arena a;
    at_arena_init(&a);
    double x[2 * LONG];
    for (int i = 0; i < LONG; i++) {
        x[2 * i] = at_rng_below(r, 2) ? (at_rng_below(r, 2) ? 1 : -1) : draw(r) / 2;
        x[2 * i + 1] = 1 + (double)at_rng_below(r, LONG);
    }
    at_output y;
    OK(at_run(m, at_f64, &(at_input){LONG, x}, NULL, &a, &y, &err));
    bool agrees = true;
    for (int i = 0; i < LONG; i++) {
        const affine *own = &f[(int)x[2 * i + 1] - 1];
        const double *c = own->coefficient + (size_t)i * (LONG + 1);
        double right = own->at_zero[i];
        for (int j = 0; j < LONG; j++)
            right += c[j] * x[2 * j];
        agrees = agrees && fabs(y.value[i] - right) <= c[LONG] + ROUNDING;
    }
    at_arena_release(&a);
    return agrees;
}

/* f (LONG): under the question that each of them is. True: the weights show that everybody's question is his own affair. */
static bool questions_ask(const at_model *m, affine *f, at_arena *a)
{
    bool all = true;
    for (int t = 0; t < LONG; t++) {
        double zero[2 * LONG] = {0};
        for (int i = 0; i < LONG; i++)
            zero[2 * i + 1] = t + 1;
        OK(affine_make(m, &(at_input){LONG, zero}, 0, 1, a, &f[t], &err));
        all = all && f[t].affine && !memcmp(f[t].digest, f[0].digest, sizeof f[0].digest);
    }
    return all;
}

/* Everybody fetches a real and forgets all else, then all listen to the first. */
static void test_rumour(void **state)
{
    (void)state;
    at_model m = model_new(LONG, FREE + 1, 2);
    block_attention(&m, 0, false, 1);
    block_attention(&m, 1, false, 1);
    m.blocks[0].groups[0] = seek();
    m.blocks[1].groups[0] = seek();
    m.blocks[1].groups[0].weighting = AT_LEFTMOST_HARD;
    model_lay(&m, 1);
    seek_fill(&m, &m.blocks[0].groups[0], ASK);
    carry(&m, &m.blocks[0].groups[0], 0, X, FREE);
    carry(&m, &m.blocks[1].groups[0], 0, FREE, FREE);
    at_model_data(&m, m.readout.w)[FREE] = 1;
    at_arena a;
    at_arena_init(&a);
    affine f[LONG];
    assert_false(questions_ask(&m, f, &a));
    at_rng r = at_rng_at(1, 1);
    for (int t = 0; t < LONG; t++) { /* though it is affine under each, with the same coefficient */
        assert_true(f[t].affine);
        for (int j = 0; j < LONG; j++)
            assert_true(f[t].coefficient[j] == (j == t));
    }
    assert_false(run_agrees(&m, f, &r));
    at_arena_release(&a);
    at_model_release(&m);
}

static void test_runs(void **state)
{
    (void)state;
    int shown = 0, deep = 0, refused = 0, needed = 0;
    for (uint64_t seed = 0; seed < MODELS; seed++) {
        at_model m = model_draw(seed);
        at_arena a;
        at_arena_init(&a);
        affine f[LONG];
        bool all = questions_ask(&m, f, &a), asks = false;
        for (int t = 0; t < LONG; t++)
            for (int i = 0; i < LONG * (LONG + 1); i++)
                asks = asks || fabs(f[t].coefficient[i] - f[0].coefficient[i]) > 0.01;
        at_rng r = at_rng_at(seed, 10);
        bool agrees = true;
        for (int k = 0; k < 20; k++)
            agrees = run_agrees(&m, f, &r) && agrees;
        if (all && !agrees)
            fail_msg("model %d is said to be affine and is not", (int)seed);
        shown += all;
        deep += all && asks && m.n_blocks > 1;
        refused += !all;
        needed += !all && !agrees;
        at_arena_release(&a);
        at_model_release(&m);
    }
    print_message(
        "%d shown, %d of them by questions and more than a block; %d not shown, %d of them rightly\n", shown,
        deep, refused, needed);
    assert_true(shown > MODELS / 4 && deep > MODELS / 100 && needed > MODELS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms),      cmocka_unit_test(test_hearsay),
                                       cmocka_unit_test(test_hypotheses), cmocka_unit_test(test_rounded),
                                       cmocka_unit_test(test_rumour),     cmocka_unit_test(test_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
