/* test_hashes.c: what compiles to a decoder gives the same bits on every machine: hashes of all examples in all attentions, with the
 * bounds on their errors, and of decoders of expressions, against hashes.txt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../core/test/test_golden.h"

#include <attest/front.h>

static const char path[] = "src/front/test/hashes.txt";

#define OK(call)                                                                                             \
    do {                                                                                                     \
        at_err err = {0};                                                                                    \
        if ((call) != AT_OK)                                                                                 \
            fail_msg("%s: %s", #call, err.text);                                                             \
    } while (0)

static const struct {
    const char *file;
    int64_t size[2];
} examples[] = {
    {"coins", {3, 7}},         {"edit-distance-local", {3, 4}},
    {"edit-distance", {3, 2}}, {"grid", {3, 2}},
    {"knapsack", {3, 5}},      {"lcs", {3, 4}},
    {"lis", {4, 5}},           {"palindrome", {4}},
    {"prefix-sum", {6, 5}},
};

/* The bound on the error of the rows that it writes, before they are rounded. */
static void error_add(at_text *out, const at_dp_instance *x, const at_dp_options *o)
{
    at_program *P = NULL;
    at_model m;
    double error;
    if (!at_dp_program(x, o, &P, NULL) && !at_assemble(P, &m, &error, NULL)) {
        at_text_addf(out, "%.9g ", error);
        at_model_release(&m);
    }
    at_program_free(P);
}

/* The model is released; one that is refused is a line too. */
static void model_add(at_text *out, at_status s, at_model *m)
{
    char hash[65];
    if (s) {
        assert_true(s == AT_EREFUSED || s == AT_EDOMAIN);
        at_text_add(out, "refused\n");
        return;
    }
    OK(at_model_hash(m, hash, &err));
    at_text_addf(out, "%.16s\n", hash);
    at_model_release(m);
}

static void test_hashes(void **state)
{
    at_text made;
    at_text_init(&made);
    const at_arith ariths[] = {at_f64, at_f32};
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char file[80];
        at_dp *d;
        at_dp_instance *x;
        snprintf(file, sizeof file, "examples/%s.dp", examples[i].file);
        OK(at_dp_load(file, &d, &err));
        OK(at_dp_bind(d, examples[i].size, &x, &err));
        static const at_attention_kind order[AT_ATTENTIONS] = {AT_ATTENTION_STANDARD, AT_ATTENTION_LINEAR,
                                                               AT_ATTENTION_SPARSE, AT_ATTENTION_LOCAL};
        for (int k = 0; k < 2 * AT_ATTENTIONS; k++) {
            at_model m;
            at_dp_options o = {.attention = order[k / 2], .arith = &ariths[k % 2]};
            at_text_addf(&made, "%s %s %s: ", examples[i].file, at_attention_names[o.attention],
                         k % 2 ? "f32" : "f64");
            error_add(&made, x, &o);
            model_add(&made, at_dp_model(x, &o, &m, NULL), &m);
        }
        at_dp_instance_free(x);
        at_dp_free(d);
    }
    for (int k = 0; k < 2; k++) {
        at_model m;
        at_expr_spec s = {.p = 5, .operators = 3, .kind = k ? AT_ATTENTION_SPARSE : AT_ATTENTION_STANDARD};
        at_text_addf(&made, "expressions %s: ", at_attention_names[s.kind]);
        model_add(&made, at_expr_model(&s, &m, NULL), &m);
    }
    golden_check(path, made.s, *state);
    at_text_release(&made);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_hashes, golden_asked(argc, argv) ? (void *)argv : NULL),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
