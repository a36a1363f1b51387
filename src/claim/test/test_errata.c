/* test_errata.c: docs/errata.md, "PairID as on the slides": a self-attention unit with q = c (cos, sin), k = (cos, -sin), any values, no blank
 * token and no skip connection. Its output MLP sees the mean of the values and nothing else. */
#include "claim_test.h"

#define M 4 /* cosines of multiples of a right angle: 1, 0, -1, 0 */

static const int cosine[M] = {1, 0, -1, 0}, sine[M] = {0, 1, 0, -1};

/* The unit with values e_x: any other values are a linear function of these, so what is equal here is equal for all. */
static void unit_make(at_model *m, int N, double c)
{
    at_model_init(m);
    m->width = 2 + M;
    m->n_min = m->n_max = N;
    m->n_fields = m->n_blocks = 1;
    m->fields = at_new(&m->arena, at_field, 1);
    m->blocks = at_new(&m->arena, at_block, 1);
    assert_true(m->fields && m->blocks);
    m->fields[0] = (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = M, .embed = {0, m->width, -1}};
    m->blocks[0] = (at_block){.kind = AT_BLOCK_ATTN, .n_groups = 1, .groups = at_new(&m->arena, at_group, 1)};
    at_group *g = m->blocks[0].groups;
    assert_non_null(g);
    *g = (at_group){.heads = 1, .dk = 2, .dv = M, .weighting = AT_SOFTMAX, .scale = c};
    m->readout = (at_readout){.kind = AT_READ_RAW, .rows = M};
    OK(at_model_layout(m, &err));
    double *table = m->weights + m->tensors[m->fields[0].embed.tensor].offset;
    double *q = m->weights + m->tensors[g->q].offset, *k = m->weights + m->tensors[g->k].offset,
           *v = m->weights + m->tensors[g->v].offset, *o = m->weights + m->tensors[g->o].offset,
           *read = m->weights + m->tensors[m->readout.w].offset;
    for (int x = 0; x < M; x++) {
        double *row = table + (size_t)x * (2 + M);
        row[0] = cosine[x];
        row[1] = sine[x];
        row[2 + x] = 1;
        v[x * (2 + M) + 2 + x] = o[(2 + x) * M + x] = read[x * (2 + M) + 2 + x] = 1;
    }
    q[0] = q[2 + M + 1] = k[0] = 1;
    k[2 + M + 1] = -1;
    OK(at_model_validate(m, &err));
}

/* On X in {0, 1}^N the scores of a 0 are (1 at 0, 0 at 1), those of a 1 are (0, -1): they differ by a constant, so softmax makes the same
 * weights of them, whatever c is. A 0 has a partner (itself), a 1 has none. In integers, then with the executor, bit for bit. */
static void test_pairid_without_blank_and_skip(void **state)
{
    (void)state;
    static const double scales[] = {1, 16 * 2.4849066497880004 /* M^2 ln(6 * 2) */, 1000};
    const at_task *t = at_task_find("match2");
    int wrong = 0, inputs = 0;
    for (int N = 2; N <= 6; N++) {
        at_params p;
        char text[32];
        at_params_init(&p, t->params, t->n_params);
        snprintf(text, sizeof text, "N=%d M=%d", N, M);
        OK(at_params_parse(&p, text, &err));
        for (int word = 0; word < 1 << N; word++) {
            double x[6], right[6];
            bool both = word > 0 && word < (1 << N) - 1;
            for (int i = 0; i < N; i++)
                x[i] = word >> i & 1;
            t->answer(&p, x, right);
            bool differ = false;
            for (int i = 0; i < N; i++) {
                int a = (int)x[i];
                assert_true(right[i] == (a == 0));
                differ = differ || right[i] != right[0];
                for (int j = 0; j < N; j++) /* score(i, j) - score(i, 0) is the same for all i */
                    assert_int_equal(cosine[(a + (int)x[j]) % M] - cosine[(a + (int)x[0]) % M],
                                     cosine[(int)x[j]] - cosine[(int)x[0]]);
            }
            assert_int_equal(differ, both);
            inputs++;
            wrong += both;
        }
        for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
            at_model m;
            at_exec *e;
            at_scratch *s;
            double x[6] = {0}, y[6 * M];
            unit_make(&m, N, scales[k]);
            OK(at_exec_new(&m, at_f64, N, &e, &err));
            OK(at_scratch_new(e, &s, &err));
            x[1] = 1; /* 0 1 0 0 ..: answers 1 0 1 1 .. */
            at_exec_run(e, s, x, 1, y);
            for (int i = 1; i < N; i++)
                assert_memory_equal(y, y + i * M, M * sizeof *y);
            assert_true(y[0] > y[1] && y[2] == 0 && y[3] == 0);
            at_scratch_free(s);
            at_exec_free(e);
            at_model_release(&m);
        }
    }
    assert_int_equal(inputs, 4 + 8 + 16 + 32 + 64);
    assert_int_equal(wrong, inputs - 2 * 5); /* all but those of one token */
    /* with the blank it is right on every input */
    point c = point_at("match2", "N=6 M=4", NULL);
    at_exec *e;
    at_scratch *s;
    OK(at_exec_new(&c.m, at_f64, 6, &e, &err));
    OK(at_scratch_new(e, &s, &err));
    for (int word = 0; word < 1 << 6; word++) {
        double x[6], y[6], right[6];
        for (int i = 0; i < 6; i++)
            x[i] = word >> i & 1;
        at_exec_run(e, s, x, 1, y);
        c.t->answer(&c.tp, x, right);
        for (int i = 0; i < 6; i++)
            assert_true(fabs(y[i] - right[i]) < 1e-9);
    }
    at_scratch_free(s);
    at_exec_free(e);
    point_release(&c);
}

/* In the limit of a large c, at other moduli: does what is seen (the mean of the values of the best keys, with or without x_i beside it) decide the
 * answer? The best keys as counts, over every input. */
static int undecided(int modulus, int N, bool skip)
{
    enum { MOST = 20000 };
    static int seen[MOST][16], answers[MOST];
    int n = 0, bad = 0, total = 1;
    for (int i = 0; i < N; i++)
        total *= modulus;
    for (int word = 0; word < total; word++) {
        int x[4];
        for (int i = 0, rest = word; i < N; i++, rest /= modulus)
            x[i] = rest % modulus;
        for (int i = 0; i < N; i++) {
            int key[16] = {0}, nearest = modulus, best = 0;
            for (int j = 0; j < N; j++) { /* cos(2 pi s/M) falls with the distance of s to 0 */
                int s = (x[i] + x[j]) % modulus, distance = s < modulus - s ? s : modulus - s;
                if (distance < nearest) {
                    memset(key, 0, sizeof key);
                    nearest = distance;
                    best = 0;
                }
                if (distance == nearest) {
                    key[x[j]]++;
                    best++;
                }
            }
            for (int a = 0; a < modulus; a++)
                key[a] *= 12 / best; /* shares: best is 1, 2, 3 or 4 */
            key[15] = skip ? x[i] : 0;
            int k = 0;
            while (k < n && memcmp(seen[k], key, sizeof key) != 0)
                k++;
            assert_true(k < MOST);
            if (k == n) {
                memcpy(seen[n], key, sizeof key);
                answers[n++] = 0;
            }
            answers[k] |= nearest == 0 ? 1 : 2;
        }
    }
    for (int k = 0; k < n; k++)
        bad += answers[k] == 3;
    return bad;
}

static void test_pairid_in_the_limit(void **state)
{
    (void)state;
    /* M, N, and how many means belong to positions with a partner and to positions without one. With x_i beside the mean: none. */
    static const int rows[][3] = {{3, 2, 2}, {4, 2, 4}, {5, 2, 5}, {7, 2, 7}, {7, 3, 7}, {8, 3, 8}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        assert_int_equal(undecided(rows[k][0], rows[k][1], false), rows[k][2]);
        assert_int_equal(undecided(rows[k][0], rows[k][1], true), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairid_without_blank_and_skip),
        cmocka_unit_test(test_pairid_in_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
