/* fuzz_program.c: any bytes as the text of a program: read, printed, read again, and, where it is small, assembled.
 *
 * Beyond not crashing: what was printed reads back to the same text, and assembles to the same model, or is refused with
 * the same status; a failure has words, in one line. The ceiling on a single allocation keeps tables small, so that an input takes
 * milliseconds. */
#include <attest/program.h>

#include <string.h>

#include "fuzz_check.h"

static at_status parse(const char *s, size_t n, at_program **out)
{
    at_err err = {0};
    at_status st = at_program_parse(&(at_program_text){.path = "fuzz", .s = s, .n = n}, NULL, out, &err);
    check((st == AT_OK) == (err.text[0] == 0), "a failure without words, or words without a failure");
    check(!strchr(err.text, '\n'), "more than one line of words");
    check((st == AT_OK) == (*out != NULL), "a failure with a program, or none without one");
    return st;
}

static at_status model(at_program *P, char hash[65])
{
    at_model m;
    at_err err = {0};
    at_status st = at_assemble(P, &m, NULL, &err);
    hash[0] = 0;
    if (st)
        return st;
    st = at_model_hash(&m, hash, &err);
    at_model_release(&m);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at_program *P = NULL, *Q = NULL;
    at_text one, two;
    at_alloc_ceiling((size_t)1 << 18);
    if (parse((const char *)data, size, &P))
        return 0;
    at_text_init(&one);
    at_text_init(&two);
    if (at_program_print_exact(P, &one) == AT_OK) {
        at_status s = parse(one.s, one.n, &Q);
        check(s != AT_EINPUT, "what was printed is refused");
        if (s == AT_OK && at_program_print_exact(Q, &two) == AT_OK)
            check(strcmp(one.s, two.s) == 0, "printed twice, two texts");
    }
    if (Q && at_program_vars(P) < 40 && size < 600) {
        char p[65], q[65];
        at_status s = model(P, p), t = model(Q, q);
        check(s == t && strcmp(p, q) == 0, "two models of one text");
    }
    at_text_release(&one);
    at_text_release(&two);
    at_program_free(P);
    at_program_free(Q);
    return 0;
}
