/* test_claim_file.c: a claim that is read from a file: what is read, what it is made of, and every allocation that may
 * fail. The faults of files are in cli/test/test_claim_file.sh. */
#include "claim_test.h"

static const char path[] = "examples/pairs.claim", compiled[] = "examples/lis-linear.claim";

static void test_example(void **state)
{
    (void)state;
    at_claim_file *f;
    OK(at_claim_file_load(path, &f, &err));
    const at_claim *c = at_claim_file_claim(f);
    assert_string_equal(c->id, "pairs");
    assert_string_equal(c->task, "match2");
    assert_int_equal(strlen(c->digest), 64);
    assert_int_equal(c->n_params, 4);
    assert_string_equal(c->params[3].name, "variant");
    assert_int_equal(c->n_cells, 6);
    assert_string_equal(c->cells[0].params, "N=1..4 M=2..6");
    assert_int_equal(c->cells[1].how, AT_ENUM_MULTISETS);
    assert_int_equal(c->cells[2].inputs, 10000); /* a tenth of them in the quick tier */
    assert_string_equal(c->cells[3].control, "c=0.02");
    assert_string_equal(c->cells[4].control, "variant=control-1");
    assert_string_equal(c->cells[4].params, c->cells[0].params); /* the first question */
    assert_string_equal(at_cell_arith(&c->cells[5]), "p6");
    assert_true(at_claim_has_program(c));
    at_claim_file_free(f);
}

/* The same weights as those of the claim of the catalogue that it repeats, but for the names. */
static void test_same_model(void **state)
{
    (void)state;
    at_claim_file *f;
    OK(at_claim_file_load(path, &f, &err));
    const at_claim *of_file = at_claim_file_claim(f), *built = at_claim_find("match2");
    for (int M = 2; M < 40; M += 7) {
        at_params p, q;
        at_model m, k;
        at_params_init(&p, of_file->params, of_file->n_params);
        at_params_init(&q, built->params, built->n_params);
        OK(at_params_set(&p, "M", M, &err));
        OK(at_params_set(&q, "M", M, &err));
        OK(at_claim_model(of_file, &p, &m, &err));
        OK(at_claim_model(built, &q, &k, &err));
        char one[65], two[65];
        snprintf(m.name, sizeof m.name, "%s", k.name);
        OK(at_model_hash(&m, one, &err));
        OK(at_model_hash(&k, two, &err));
        assert_string_equal(one, two);
        OK(at_params_parse(&p, "variant=control-1", &err)); /* and another model */
        at_model_release(&m);
        OK(at_claim_model(of_file, &p, &m, &err));
        snprintf(m.name, sizeof m.name, "%s", k.name);
        OK(at_model_hash(&m, one, &err));
        assert_string_not_equal(one, two);
        at_model_release(&m);
        at_model_release(&k);
    }
    at_claim_file_free(f);
}

/* A recurrence that is compiled: asked by its chain, and a control is another recurrence or another weight. */
static void test_compiled(void **state)
{
    (void)state;
    at_claim_file *f;
    OK(at_claim_file_load(compiled, &f, &err));
    const at_claim *c = at_claim_file_claim(f);
    assert_null(c->task);
    assert_non_null(c->chain);
    assert_false(at_claim_has_program(c));
    assert_string_equal(c->cells[2].control, "variant=control-1");
    at_params p;
    char one[65], two[65];
    const char *const sets[] = {"attention=linear", "attention=standard", "variant=control-1",
                                "variant=control-2"};
    for (int k = 0; k < 4; k++) { /* four models */
        at_model m;
        at_params_init(&p, c->params, c->n_params);
        OK(at_params_parse(&p, sets[k], &err));
        OK(at_claim_model(c, &p, &m, &err));
        OK(at_model_hash(&m, k ? two : one, &err));
        assert_true(!k || strcmp(one, two));
        at_model_release(&m);
    }
    at_claim_file_free(f);
}

static void allocations_fail(const char *file)
{
    long n = 1;
    for (;; n++) {
        at_claim_file *f = NULL;
        at_err err = {0};
        at_alloc_inject(n);
        at_status s = at_claim_file_load(file, &f, &err);
        bool fired = at_alloc_injected();
        at_alloc_inject(0);
        at_claim_file_free(f);
        if (!fired)
            break;
        assert_int_equal(s, AT_ENOMEM);
        assert_null(f);
    }
    print_message("%s: %ld allocations failed one by one\n", file, n - 1);
    assert_true(n > 10);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    allocations_fail(path);
    allocations_fail(compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_example), cmocka_unit_test(test_same_model),
                                       cmocka_unit_test(test_compiled),
                                       cmocka_unit_test(test_every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
