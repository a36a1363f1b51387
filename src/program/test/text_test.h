/* text_test.h: is the text of a program the program? */
#ifndef ATTEST_TEST_TEXT_TEST_H
#define ATTEST_TEST_TEXT_TEST_H

#include <attest/program.h>

#include <stdarg.h>
#include <stdio.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

static inline at_status text_model(at_program *P, char hash[65], double *error, at_err *err)
{
    at_model m;
    at_status s = at_assemble(P, &m, error, err);
    if (!s) {
        s = at_model_hash(&m, hash, err);
        at_model_release(&m);
    }
    return s;
}

/* Printed, read and printed again it is the same text; both programs assemble to one model with one error bound, or are
 * refused alike. Returns whether they assembled. */
static inline bool text_same(at_program *P, const char *what)
{
    at_text one, two, brief;
    at_program *Q = NULL;
    at_err err = {0}, of_p = {0}, of_q = {0};
    at_text_init(&one);
    at_text_init(&two);
    at_text_init(&brief);
    assert_int_equal(at_program_print_exact(P, &one), AT_OK);
    assert_int_equal(at_program_print(P, &brief), AT_OK);
    if (at_program_parse(&(at_program_text){.path = "printed", .s = one.s, .n = one.n}, NULL, &Q, &err))
        fail_msg("%s: %s\n%s", what, err.text, one.s);
    assert_int_equal(at_program_print_exact(Q, &two), AT_OK);
    if (strcmp(one.s, two.s) != 0)
        fail_msg("%s: printed\n%s\nread, and printed again\n%s", what, one.s, two.s);
    char p[65] = "", q[65] = "";
    double p_error = 0, q_error = 0;
    at_status s = text_model(P, p, &p_error, &of_p);
    if (text_model(Q, q, &q_error, &of_q) != s || strcmp(p, q) != 0 || p_error != q_error)
        fail_msg("%s: two models, %.16s (error %g, %s) and %.16s (error %g, %s), of\n%s", what, p, p_error,
                 of_p.text, q, q_error, of_q.text, one.s);
    at_text_release(&one);
    at_text_release(&two);
    at_text_release(&brief);
    at_program_free(Q);
    return s == AT_OK;
}

#endif
