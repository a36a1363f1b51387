/* test_table_rows.c: the columns of the claims' tables that a formula gives, at the first row of each table. The formula is
 * the column's title, worked out here by hand; what is measured (least p, certified error, sizes) is tested elsewhere. */
#include "../claim_internal.h"
#include "claim_test.h"

/* Natural and binary logarithms of small numbers, written out. */
#define LN2   0.69314718055994531
#define LN3   1.0986122886681098
#define LN10  2.3025850929940457
#define L2_3  1.5849625007211562 /* log2 3 */
#define L2_5  2.3219280948873623
#define L2_7  2.8073549220576042
#define L2_11 3.4594316186372973

static const struct {
    const char *claim, *table, *column;
    double value;
} numbers[] = {
    {"match2", "precision", "M", 4},
    {"qsa-rip", "width", "N", 64},
    {"qsa-rip", "width", "q", 1},
    {"qsa-rip", "width", "q ln N", 6 * LN2},
    {"qsa-rip", "width", "one-hot keys", 64},
    {"qsa-moment", "precision", "N", 8},
    {"qsa-moment", "precision", "q", 1},
    {"qsa-moment", "precision", "2q log2 (N/2) + 2", 6},
    {"lemma-a1", "size", "stated units", 4},
    {"lemma-a1", "precision", "L", 2},
    {"lemma-a1", "precision", "p", 12},
    {"lemma-a1", "precision", "2M^4/(3L^2)", 1 / 6.},
    {"lemma-a1", "precision", "M L 2^-p", 2. / 4096},
    {"lemma-a1", "precision", "M 2^(p/3)", 16},
    {"lemma-a2", "size", "stated units", 4},
    {"lemma-a3", "size", "stated units", 2},
    {"lemma-a4", "size", "stated units", 6}, /* 2 + 2d, d = 2 */
    {"lemma-a5", "size", "stated units", 8},
    {"lemma-a6", "size", "stated units", 8},
    {"lemma-a7", "size", "stated units", 2},
    {"lemma-a9", "precision", "L", 16},
    {"lemma-a9", "precision", "m", 4},
    {"lemma-a9", "precision", "ln(2Mm^3/eps)", 7 * LN2 + 2 * LN10},
    {"lemma-a11-index", "precision", "2 log2 L + 2", 8},
    {"lemma-a11-index", "precision", "ln(4ML/eps)", 5 * LN2 + 2 * LN10},
    {"lemma-a12", "precision", "L", 9},
    {"lemma-a12", "precision", "B", 3},
    {"lemma-a12", "precision", "2 log2 L + 2", 4 * L2_3 + 2},
    {"lemma-a12", "precision", "max(ln(16MB^2L/eps), 2L)", 18},
    {"dp-standard", "precision", "L", 10},
    {"dp-standard", "precision", "2 log2 L + 2", 2 * (1 + L2_5) + 2},
    {"dp-standard", "size-law", "L", 65}, /* 8 x 8 states and the answer */
    {"dp-local", "size-law", "L", 65},
    {"dp-linear", "precision", "2 log2 L + 2", 2 * (1 + L2_5) + 2},
    {"dp-sparse", "precision", "2 log2 L + 2", 2 * (1 + L2_5) + 2},
    {"dp-local", "precision", "2 log2 L + 2", 2 * (1 + L2_5) + 2},
    {"arith-standard", "precision", "L", 14},
    {"arith-standard", "precision", "2 log2 L + 2", 2 * (1 + L2_7) + 2},
    {"arith-sparse", "precision", "2 log2 L + 2", 2 * (1 + L2_7) + 2},
    {"automaton-solvable", "size", "log2 N", 2},
    {"automaton-solvable", "size", "order", 2},
    {"automaton-solvable", "size", "length", 1},
    {"automaton-solvable", "size", "derived", 1},
    {"automaton-solvable", "size", "layers", 2},
    {"compose-one", "gap", "n", 2},
    {"compose-one", "gap", "n log2 n", 2},
    {"compose-two", "size", "n", 2},
    {"compose-two", "size", "2 log2(2n+1) + 2", 2 * L2_5 + 2},
    {"compose-two", "size", "n log2 n", 2},
    {"compose-chain", "size", "L", 11},
    {"compose-chain", "size", "2 log2 L + 2", 2 * L2_11 + 2},
    {"turing", "precision", "L", 11}, /* BOS, a letter, <start>, 6 steps, halt, <end> */
    {"turing", "precision", "3 log2 L", 3 * L2_11},
    {"funccomp", "size", "N", 8},
    {"funccomp", "size", "2 log2 N + 2", 8},
    {"compose-cot", "rate", "n", 1e5},
    {"compose-cot", "rate", "sqrt(n/(Hdp))", 3.125 * 3.1622776601683795},
    {"crasp", "precision", "N", 4},
    {"crasp", "precision", "log2 1/margin", L2_5 + 1},
    {"foc", "precision", "2 log2(N+1)", 2 * L2_5},
    {"sscm", "precision", "log2 1/margin", 3},
    {"majority", "precision", "N", 4},
    {"majority", "precision", "log2 1/margin", L2_5 + 1},
    {"shuffle-dyck", "precision", "log2 N + 3", 5},
    {"dyck", "precision-softmax", "3 log2 N", 6},
    {"dyck", "f32", "wrong in f64", 0},
    {"parity", "precision-tent", "log2 N + 2", 4},
    {"parity", "precision-count", "2 log2 N + 2", 6},
    {"parity-tree", "precision", "2 log2(N+1)", 2 * L2_5},
    {"parity-tree", "reach", "first wrong", 3},
    {"parity-tree", "reach", "(H + 1)^L + 1", 3},
    {"fo-mod", "size", "m", 2}, /* even length */
    {"rasp", "size", "N", 8},
    {"rasp", "size", "least p", 4},      /* measured */
    {"ngram-heads", "break", "back", 1}, /* n = 3: the row before, by the second head */
    {"ngram-heads", "break", "2^7", 128},
    {"ngram-heads", "size", "n W", 4},
    {"ngram-heads", "size", "W^(n-1)", 2},
    {"ngram-heads", "size", "histories", 3},
};

static const at_claim_table *table_of(const at_claim *c, const char *id)
{
    for (int k = 0; k < c->n_tables; k++)
        if (!strcmp(c->tables[k].id, id))
            return &c->tables[k];
    fail_msg("%s has no table %s", c->id, id);
    return NULL;
}

static void test_formulas(void **state)
{
    (void)state;
    double row[16] = {0};
    const at_claim_table *last = NULL;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        const at_claim *c = at_claim_find(numbers[k].claim);
        assert_non_null(c);
        const at_claim_table *t = table_of(c, numbers[k].table);
        if (t != last) {
            at_params p;
            at_params_init(&p, c->params, c->n_params);
            OK(at_params_parse(&p, t->rows[0], &err));
            OK(t->row(c, &p, 0, row, &err));
            last = t;
        }
        int j = 0;
        while (t->columns[j] && strcmp(t->columns[j], numbers[k].column))
            j++;
        if (!t->columns[j])
            fail_msg("%s, table %s: no column '%s'", c->id, t->id, numbers[k].column);
        if (!(fabs(row[j] - numbers[k].value) <= 1e-12 * numbers[k].value))
            fail_msg("%s, table %s, %s: %.17g, not %.17g", c->id, t->id, t->columns[j], row[j],
                     numbers[k].value);
    }
}

/* log2((q/eps) ln N) at N=8, q=1, eps=1/10; log2 of match2's scale M^2 ln 6N at N=8, M=4. */
static void test_scales(void **state)
{
    (void)state;
    double row[16];
    at_params p;
    const at_claim *c = at_claim_find("qsa-rip");
    at_params_init(&p, c->params, c->n_params);
    OK(at_params_parse(&p, "N=8 q=1 eps=0.1", &err));
    OK(table_of(c, "precision")->row(c, &p, 0, row, &err));
    assert_true(fabs(exp2(row[3]) - 30 * LN2) < 1e-9);
    c = at_claim_find("match2");
    at_params_init(&p, c->params, c->n_params);
    OK(at_params_parse(&p, "N=8 M=4", &err));
    OK(table_of(c, "precision")->row(c, &p, 0, row, &err));
    assert_true(fabs(exp2(row[2]) - 16 * (4 * LN2 + LN3)) < 1e-9);
}

/* Where f32 breaks: 3 log2 L bits of 24 are enough for runs of a Turing machine to L = 256, not beyond; f64 is right there. Where a model
 * is refused the row has its length, and no more. */
static void test_f32(void **state)
{
    (void)state;
    static const char *const sizes[] = {"machine=counter N=4 T=62", "machine=counter N=7 T=510",
                                        "machine=counter N=8 T=1022 form=none"};
    const at_claim *c = at_claim_find("turing");
    for (int k = 0; k < 3; k++) {
        double row[16] = {NAN, NAN, NAN};
        at_params p;
        at_params_init(&p, c->params, c->n_params);
        OK(at_params_parse(&p, sizes[k], &err));
        OK(table_of(c, "f32")->row(c, &p, 1, row, &err));
        assert_true(row[0] == at_params_get(&p, "N"));
        if (k == 2)
            assert_true(isnan(row[1]) && isnan(row[2]));
        else
            assert_true(row[1] >= k && row[1] <= 50 * k && row[2] == 0);
    }
}

static bool has_column(const at_claim *c, const char *name)
{
    for (int k = 0; k < c->n_tables; k++)
        for (int j = 0; c->tables[k].columns[j]; j++)
            if (!strcmp(c->tables[k].columns[j], name))
                return true;
    return false;
}

/* Every claim with models of languages says how many bits are enough, what they take, and how far f32 goes. Of fo two bits are enough
 * at every length. */
static void test_languages(void **state)
{
    (void)state;
    int asked = 0;
    for (int k = 0; k < at_n_catalogue; k++) {
        const at_claim *c = at_catalogue[k];
        if (!c->group || strcmp(c->group, "Languages") || c->trial)
            continue;
        asked++;
        if (!has_column(c, "least p"))
            fail_msg("%s has no table of the least p", c->id);
        if (!has_column(c, "parameters"))
            fail_msg("%s has no table of its size", c->id);
        if (!has_column(c, "wrong in f32") && strcmp(c->id, "fo"))
            fail_msg("%s does not say where f32 breaks", c->id);
    }
    assert_true(asked >= 16);
}

/* The look-up by a count is assembled at every length: where the weight of all other keys is near half a unit, too. */
static void test_lengths(void **state)
{
    (void)state;
    const at_claim *c = at_claim_find("dyck");
    for (int N = 1000; N <= 4096; N += 172) {
        at_params p;
        at_model m;
        at_params_init(&p, c->params, c->n_params);
        OK(at_params_set(&p, "N", N, &err));
        OK(at_claim_model(c, &p, &m, &err));
        at_model_release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas), cmocka_unit_test(test_scales),  cmocka_unit_test(test_languages),
        cmocka_unit_test(test_f32),      cmocka_unit_test(test_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
