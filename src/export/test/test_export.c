/* test_export.c: when hard attention may leave, that whoever lacks memory leaves nothing behind, and that a module's weights are the model. */
#include <attest/export.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../core/test/test_folder.h"
#include "../export_internal.h"

static at_err err;

/* One token field, an origin, one group of hard attention without mask on a width of 2; weights are to be filled in. */
static void model_make(at_model *m, int tokens, at_weighting weighting, double tie, bool f32)
{
    at_model_init(m);
    snprintf(m->name, sizeof m->name, "toy");
    m->width = 2;
    m->n_min = 1;
    m->n_max = 6;
    m->pos_origin = 1;
    m->f32 = f32;
    m->n_fields = 1;
    m->fields = at_new(&m->arena, at_field, 1);
    m->fields[0] =
        (at_field){.name = "x", .kind = AT_FIELD_TOKEN, .size = tokens, .embed = {.col = 0, .width = 2}};
    m->n_blocks = 1;
    m->blocks = at_new(&m->arena, at_block, 1);
    m->blocks[0] = (at_block){.kind = AT_BLOCK_ATTN, .residual = true, .n_groups = 1};
    m->blocks[0].groups = at_new(&m->arena, at_group, 1);
    m->blocks[0].groups[0] =
        (at_group){.heads = 1, .dk = 2, .dv = 2, .weighting = weighting, .scale = 1, .tie = tie};
    m->readout = (at_readout){.kind = AT_READ_RAW, .rows = 1};
    assert_int_equal(at_model_layout(m, &err), AT_OK);
}

static void weights_fill(at_model *m, at_rng *r, const double *from, int n)
{
    for (size_t i = 0; i < m->n_weights; i++)
        m->weights[i] = from[at_rng_below(r, (uint64_t)n)];
}

static at_status sure(const at_model *m)
{
    err = (at_err){0};
    return export_sure(m, &err);
}

static void test_exact_or_tied(void **state)
{
    (void)state;
    at_model m;
    at_rng r = at_rng_at(1, 1);
    model_make(&m, 4, AT_LEFTMOST_HARD, 0, false);
    weights_fill(&m, &r, (double[]){-2, -1, 0, 0.5, 1}, 5);
    assert_int_equal(sure(&m), AT_OK); /* multiples of 1/2^k, small */
    for (size_t i = 0; i < m.n_weights; i++)
        m.weights[i] = 0.1;
    assert_int_equal(sure(&m), AT_EREFUSED);
    assert_non_null(strstr(err.text, "block 0, group 0: leftmost-hard with tie 0"));
    m.blocks[0].groups[0].tie = 0.5;
    assert_int_equal(sure(&m), AT_OK); /* tied by more than rounding */
    m.blocks[0].groups[0].tie = 1e-18;
    assert_int_equal(sure(&m), AT_EREFUSED);
    m.blocks[0].groups[0].weighting = AT_SOFTMAX; /* nothing is chosen */
    assert_int_equal(sure(&m), AT_OK);
    at_model_release(&m);

    /* 1000 * 1001 * 1001: exact in 53 bits, not in 24. */
    model_make(&m, 1, AT_RIGHTMOST_HARD, 0, false);
    for (size_t i = 0; i < m.n_weights; i++)
        m.weights[i] = 1001;
    assert_int_equal(sure(&m), AT_OK);
    m.f32 = true;
    assert_int_equal(sure(&m), AT_EREFUSED);
    assert_non_null(strstr(err.text, "in f32"));
    at_model_release(&m);
}

/* What is called exact is never a matter of rounding in a run; what is refused sometimes is. */
static void test_sure_against_runs(void **state)
{
    (void)state;
    static const double halves[] = {-1, -0.5, 0, 0.5, 1, 3}, tenths[] = {-0.7, -0.1, 0.1, 0.3, 0.6, 1.1};
    static const at_weighting kinds[] = {AT_LEFTMOST_HARD, AT_RIGHTMOST_HARD, AT_AVERAGE_HARD};
    int taken = 0, refused = 0, turned = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        at_rng r = at_rng_at(seed, 2);
        at_model m;
        bool whole = seed % 2 == 0;
        model_make(&m, 5, kinds[seed % 3], 0, false);
        weights_fill(&m, &r, whole ? halves : tenths, 6);
        at_status s = sure(&m);
        assert_true(s == AT_OK || s == AT_EREFUSED);
        uint64_t unsure = 0;
        for (int k = 0; k < 10; k++) {
            double x[6];
            for (int t = 0; t < 6; t++)
                x[t] = (double)at_rng_below(&r, 5);
            at_ties ties;
            assert_int_equal(at_run_ties(&m, at_f64, &(at_input){6, x}, &ties, &err), AT_OK);
            unsure += ties.unsure;
        }
        if (s == AT_OK)
            assert_true(unsure == 0);
        taken += s == AT_OK;
        refused += s != AT_OK;
        turned += s != AT_OK && unsure > 0;
        at_model_release(&m);
    }
    assert_true(taken >= 50 && refused >= 50);
    assert_true(turned > 0);
}

static void bytes_fill(at_model *m)
{
    model_make(m, 3, AT_SOFTMAX, 0, false);
    at_rng r = at_rng_at(3, 3);
    weights_fill(m, &r, (double[]){-1, 0.25, 2}, 3);
    assert_int_equal(at_model_name_head(m, 0, 0, "a \"head\"", &err), AT_OK);
}

/* Every allocation of every format fails once: out of memory, and no file. */
static void test_memory(void **state)
{
    (void)state;
    at_model m;
    char folder[TEST_FOLDER], path[TEST_PATH];
    assert_non_null(test_folder_new(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    bytes_fill(&m);
    for (int k = 0; k < at_n_exports; k++) {
        const at_export_kind *to = &at_exports[k];
        int failures = 0;
        for (long nth = 1;; nth++) {
            struct stat st;
            err = (at_err){0};
            at_alloc_inject(nth);
            at_status s = at_export_write(&m, to, &(at_export_as){.cache = false}, path, &err);
            bool fired = at_alloc_injected();
            at_alloc_inject(0);
            if (!fired) /* gpt2 has no place for a model without norms; ONNX may be left out of this build */
                break;
            assert_int_equal(s, AT_ENOMEM);
            assert_true(lstat(path, &st) != 0);
            failures++;
        }
        assert_true(failures > 0);
        char command[TEST_PATH + 16];
        snprintf(command, sizeof command, "rm -rf '%s'", path);
        assert_int_equal(system(command), 0);
    }
    assert_int_equal(rmdir(folder), 0); /* nothing half-written beside it */
    at_model_release(&m);
}

static void test_weights_are_the_model(void **state)
{
    (void)state;
    at_model m, back;
    at_text t;
    char one[65], two[65];
    for (int f32 = 0; f32 < 2; f32++) {
        bytes_fill(&m);
        m.f32 = f32;
        assert_int_equal(at_model_remember(&m, "match2 N=6 M=11", &err), AT_OK);
        at_text_init(&t);
        assert_int_equal(archive_model_print(&m, &t, &err), AT_OK);
        assert_int_equal(at_model_parse(&back, t.s, t.n, "archive", &err), AT_OK);
        assert_int_equal(at_model_hash(&m, one, &err), AT_OK);
        assert_int_equal(at_model_hash(&back, two, &err), AT_OK);
        assert_string_equal(one, two);
        assert_string_equal(back.problem, "match2 N=6 M=11");
        assert_string_equal(back.blocks[0].groups[0].name, "a \"head\"");
        at_text_release(&t);
        at_model_release(&back);
        at_model_release(&m);
    }
}

static void test_field_names(void **state)
{
    (void)state;
    at_model m;
    char name[EXPORT_NAME];
    static const char *const own[] = {"x", "letter", "a_1"}, *const others[] = {"",       "1a",      "x y",
                                                                                "values", "input_0", "lambda",
                                                                                "res"};
    model_make(&m, 2, AT_SOFTMAX, 0, false);
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
        strcpy(m.fields[0].name, own[k]);
        export_field_name(&m, 0, name);
        assert_string_equal(name, own[k]);
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        strcpy(m.fields[0].name, others[k]);
        export_field_name(&m, 0, name);
        assert_string_equal(name, "input_0");
    }
    at_model_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_or_tied), cmocka_unit_test(test_sure_against_runs),
        cmocka_unit_test(test_memory),        cmocka_unit_test(test_weights_are_the_model),
        cmocka_unit_test(test_field_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
