/* test_size.c: how compiled decoders grow with the chain: shapes without weights against those of real models, the same
 * shapes at every size with standard attention, square roots with linear and sparse attention, up to L = 2^20. */
#include <attest/front.h>

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* Sizes of every shipped example: small, middle, large. What is no length (a modulus, the greatest letter) changes
 * too. */
static const struct {
    const char *file;
    int64_t size[4][3];
} examples[] = {
    {"coins", {{3, 5}, {4, 16}, {7, 40}, {60, 1000}}},
    {"edit-distance", {{3, 4}, {5, 5}, {20, 17}, {1022, 1022}}},
    {"edit-distance-local", {{3, 4}, {5, 5}, {17, 20}, {200, 300}}},
    {"grid", {{3, 4}, {5, 5}, {20, 17}, {200, 300}}},
    {"knapsack", {{3, 5}, {4, 16}, {7, 40}, {60, 1000}}},
    {"lcs", {{3, 4}, {5, 5}, {20, 17}, {200, 300}}},
    {"lis", {{3, 3}, {5, 5}, {40, 100}, {1445, 999}}},
    {"palindrome", {{3}, {5}, {40}, {1445}}},
    {"prefix-sum", {{3, 2}, {10, 7}, {100, 97}, {524287, 7}}},
    {"common-substring", {{3, 4}, {5, 5}, {20, 17}, {200, 250}}},
    {"floyd-warshall", {{3}, {4}, {10}, {30}}},
    {"interleaving", {{3, 4}, {5, 5}, {20, 17}, {120, 128}}},
    {"max-product", {{3}, {10}, {100}, {1000}}},
    {"max-subarray", {{3}, {10}, {100}, {4000}}},
    {"stairs", {{3}, {10}, {100}, {4000}}},
    {"stock", {{3}, {10}, {100}, {500}}},
    /* tables of offsets, or of an input that steers, grow, so that there are two sizes only */
    {"alignment", {{2, 3}, {4, 4}}},
    {"bit-count", {{3}, {20}}},
    {"bitonic", {{3}, {5}}},
    {"cyk", {{3}, {5}}},
    {"dice", {{2, 7}, {3, 9}}},
    {"egg-drop", {{2, 5}, {3, 8}}},
    {"jumps", {{3}, {6}}},
    {"matrix-chain", {{3}, {5}}},
    {"palindrome-cuts", {{3}, {5}}},
    {"rod-cutting", {{3}, {6}}},
    {"search-tree", {{3}, {5}}},
    {"subset-sum", {{3, 5}, {4, 16}}},
    {"viterbi", {{3}, {6}}},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

typedef struct {
    at_dp *d;
    at_dp_instance *x;
} problem;

static problem open_problem(const char *file, const int64_t *size)
{
    char path[256];
    at_err err = {0};
    problem p;
    snprintf(path, sizeof path, "examples/%s.dp", file);
    if (at_dp_load(path, &p.d, &err) || at_dp_bind(p.d, size, &p.x, &err))
        fail_msg("%s", err.text);
    return p;
}

static void close_problem(problem *p)
{
    at_dp_instance_free(p->x);
    at_dp_free(p->d);
}

static void shape(const problem *p, int kind, at_model *m)
{
    at_err err = {0};
    if (at_dp_shape(p->x, &(at_dp_options){.attention = (at_attention_kind)kind}, m, &err))
        fail_msg("%s", err.text);
}

static void same_shapes(const char *what, const at_model *a, const at_model *b)
{
    if (a->n_tensors != b->n_tensors || a->n_weights != b->n_weights || a->width != b->width)
        fail_msg("%s: %d tensors, %zu weights, width %d; and %d, %zu, %d", what, a->n_tensors, a->n_weights,
                 a->width, b->n_tensors, b->n_weights, b->width);
    for (int t = 0; t < a->n_tensors; t++) {
        assert_string_equal(a->tensors[t].name, b->tensors[t].name);
        assert_memory_equal(a->tensors[t].shape, b->tensors[t].shape, sizeof a->tensors[t].shape);
        assert_int_equal(a->tensors[t].offset, b->tensors[t].offset);
    }
}

/* The list above is the whole shelf. */
static void test_list(void **state)
{
    (void)state;
    DIR *dir = opendir("examples");
    assert_non_null(dir);
    int found = 0;
    for (struct dirent *f; (f = readdir(dir));) {
        size_t n = strlen(f->d_name);
        if (n < 4 || strcmp(f->d_name + n - 3, ".dp") != 0)
            continue;
        bool listed = false;
        for (int k = 0; k < EXAMPLES; k++)
            listed =
                listed || (strlen(examples[k].file) == n - 3 && !strncmp(examples[k].file, f->d_name, n - 3));
        if (!listed)
            fail_msg("examples/%s is not in the list of this test", f->d_name);
        found++;
    }
    closedir(dir);
    assert_int_equal(found, EXAMPLES);
}

/* Shapes are those of the model with weights, the stop rule and the costs too. */
static void test_same(void **state)
{
    (void)state;
    for (int k = 0; k < EXAMPLES; k++)
        for (int s = 0; s < 2; s++) {
            problem p = open_problem(examples[k].file, examples[k].size[s]);
            for (int kind = 0; kind < AT_ATTENTIONS; kind++) {
                at_model m, real;
                at_err err = {0};
                at_cost c, want;
                at_size z, real_z;
                shape(&p, kind, &m);
                assert_int_equal(
                    at_dp_model(p.x, &(at_dp_options){.attention = (at_attention_kind)kind}, &real, &err),
                    AT_OK);
                same_shapes(examples[k].file, &m, &real);
                assert_null(m.weights);
                assert_null(at_model_data(&m, 0));
                assert_int_equal(m.decode.max_steps, real.decode.max_steps);
                at_model_size(&m, &z);
                at_model_size(&real, &real_z);
                assert_true(z.parameters == real_z.parameters && z.hidden == real_z.hidden && z.nonzero == 0);
                int prompt = (int)p.x->n_input + 1, rows = (int)p.x->n_states + 1;
                assert_int_equal(at_generation_cost(&m, prompt, rows, &c, &err), AT_OK);
                assert_int_equal(at_generation_cost(&real, prompt, rows, &want, &err), AT_OK);
                assert_memory_equal(&c, &want, sizeof c);
                /* it cannot be used as a model */
                at_model copy;
                at_generator *g;
                assert_int_not_equal(at_model_validate(&m, &err), AT_OK);
                assert_int_not_equal(at_model_copy(&m, &copy, &err), AT_OK);
                assert_int_not_equal(at_generator_new(&m, at_f64, &g, &err), AT_OK);
                at_model_release(&real);
                at_model_release(&m);
            }
            close_problem(&p);
        }
}

/* Standard attention: nothing grows but positions. L from 10 to 2^20. */
static void test_standard(void **state)
{
    (void)state;
    for (int k = 0; k < EXAMPLES; k++) {
        at_model m[4];
        if (!examples[k].size[2][0])
            continue;
        int64_t length[4];
        for (int s = 0; s < 4; s++) {
            problem p = open_problem(examples[k].file, examples[k].size[s]);
            shape(&p, AT_ATTENTION_STANDARD, &m[s]);
            length[s] = p.x->L;
            close_problem(&p);
            same_shapes(examples[k].file, &m[s], &m[0]);
        }
        print_message("%s: %zu parameters, width %d, from L = %d to %d\n", examples[k].file, m[0].n_weights,
                      m[0].width, (int)length[0], (int)length[3]);
        for (int s = 0; s < 4; s++)
            at_model_release(&m[s]);
    }
}

/* Linear and sparse attention at L = 2^20: the width is a few times sqrt(L), and the same few times at 2^14. */
static void test_roots(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int64_t size[2][2];
    } points[] = {{"edit-distance", {{126, 126}, {1022, 1022}}}, {"prefix-sum", {{8191, 7}, {524287, 7}}}};
    for (int k = 0; k < 2; k++)
        for (int kind = AT_ATTENTION_LINEAR; kind <= AT_ATTENTION_SPARSE; kind++) {
            double per_root[2];
            int layers[2];
            for (int s = 0; s < 2; s++) {
                problem p = open_problem(points[k].file, points[k].size[s]);
                at_model m;
                at_size z;
                at_cost c;
                at_err err = {0};
                shape(&p, kind, &m);
                at_model_size(&m, &z);
                assert_int_equal(
                    at_generation_cost(&m, (int)p.x->n_input + 1, (int)p.x->n_states + 1, &c, &err), AT_OK);
                assert_true(c.dense < UINT64_MAX && c.attention < UINT64_MAX);
                per_root[s] = z.width / sqrt((double)p.x->L);
                layers[s] = z.layers;
                print_message("%s %s, L = %d: width %d, %zu parameters, %.3g dense, %.3g attention\n",
                              points[k].file, at_attention_names[kind], (int)p.x->L, z.width, z.parameters,
                              (double)c.dense, (double)c.attention);
                at_model_release(&m);
                close_problem(&p);
            }
            assert_true(fabs(per_root[1] / per_root[0] - 1) < 0.05);
            assert_int_equal(layers[0], layers[1]);
        }
}

static void test_memory(void **state)
{
    (void)state;
    problem p = open_problem("lis", (int64_t[]){3, 3});
    bool fired = true;
    for (long nth = 1; fired; nth += 7) { /* every seventh allocation: all kinds of them */
        at_model m;
        at_err err = {0};
        at_alloc_inject(nth);
        at_status st = at_dp_shape(p.x, &(at_dp_options){.attention = AT_ATTENTION_STANDARD}, &m, &err);
        fired = at_alloc_injected();
        at_alloc_inject(0);
        assert_int_equal(st, fired ? AT_ENOMEM : AT_OK);
        if (!st)
            at_model_release(&m);
    }
    close_problem(&p);
}

/* Where doubles are not shown to be enough there still is a shape, over the reals; a model there is not. Where they are it is the
 * same shape. */
static void test_reals(void **state)
{
    (void)state;
    at_dp_options o = {.attention = AT_ATTENTION_SPARSE, .reals = true};
    for (int large = 0; large < 2; large++) {
        problem p = open_problem("knapsack", large ? (int64_t[]){180, 180} : (int64_t[]){4, 16});
        at_model m, real;
        at_err err = {0};
        if (at_dp_shape(p.x, &o, &real, &err))
            fail_msg("%s", err.text);
        at_status s = at_dp_shape(p.x, &(at_dp_options){.attention = AT_ATTENTION_SPARSE}, &m, &err);
        assert_int_equal(s, large ? AT_EDOMAIN : AT_OK);
        if (!s) {
            same_shapes("knapsack, over the reals", &m, &real);
            at_model_release(&m);
        }
        at_model_release(&real);
        err = (at_err){0};
        assert_int_equal(at_dp_model(p.x, &o, &m, &err), AT_EREFUSED);
        assert_non_null(strstr(err.text, "it is for its shape alone, over the reals"));
        close_problem(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_list),     cmocka_unit_test(test_same),
                                       cmocka_unit_test(test_standard), cmocka_unit_test(test_roots),
                                       cmocka_unit_test(test_memory),   cmocka_unit_test(test_reals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
