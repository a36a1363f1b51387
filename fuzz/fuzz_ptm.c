/* fuzz_ptm.c: any bytes as a probabilistic Turing machine.
 *
 * Beyond not crashing: a refusal has words, in one line. What is accepted prints to a text that is read as the same machine and prints as the
 * same text. Its rows sum to 1, behind texts that are no runs, too. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/ngram.h>

#include "fuzz_printed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

FUZZ_PRINTED(at_ptm, at_ptm_read, at_ptm_print)

static void rows_try(const at_ptm *p, const uint8_t *data, size_t size)
{
    enum { LONGEST = 16 };
    uint32_t count[AT_PTM_STEPS + 1], under;
    int tape[2 * LONGEST + 1];
    double text[LONGEST];
    for (int n = 0; n <= LONGEST && (!n || p->steps); n++) {
        uint64_t sum = 0;
        if (n)
            text[n - 1] = data[(size_t)n % size] % p->steps;
        at_ptm_after(p, text, n, tape, count, &under);
        for (int t = 0; t <= p->steps; t++)
            sum += count[t];
        check(sum == under, "a row that does not sum to 1");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 4096)
        return 0;
    char *text = malloc(size + 1);
    at_arena a;
    at_arena_init(&a);
    if (text) {
        at_ptm *p;
        at_err err = {0};
        if (size)
            memcpy(text, data, size);
        text[size] = 0;
        at_status s = at_ptm_read(text, size, "x", &a, &p, &err);
        check((s == AT_OK) == (err.text[0] == 0) && !strchr(err.text, '\n'),
              "a failure without words, or in two lines");
        if (!s) {
            printed_try(p, &a);
            if (size)
                rows_try(p, data, size);
        }
    }
    at_arena_release(&a);
    free(text);
    return 0;
}
