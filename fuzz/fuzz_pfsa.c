/* fuzz_pfsa.c: any bytes as a probabilistic automaton.
 *
 * Beyond not crashing: a refusal has words, in one line. What is accepted prints to a text that is read as the same automaton and prints as
 * the same text. Its rows sum to 1; its tightness agrees with its mass; the probability of a short word is one. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/ngram.h>

#include "fuzz_printed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

FUZZ_PRINTED(at_pfsa, at_pfsa_read, at_pfsa_print)

static void rows_try(const at_pfsa *p, at_arena *a)
{
    uint32_t count[AT_PFSA_LETTERS + AT_PFSA_STATES + 1], under;
    double belief[AT_PFSA_STATES], row[AT_PFSA_LETTERS + 1];
    for (int q = -1; q < p->states; q++)
        for (int l = -1; l < p->letters; l++) {
            uint64_t sum = 0;
            at_pfsa_next(p, q, l, count, &under);
            for (int t = 0; t < at_pfsa_tokens(p); t++)
                sum += count[t];
            check(sum == under, "a row that does not sum to 1");
        }
    at_pfsa_begin(p, belief);
    at_pfsa_row(p, belief, row);
    double sum = 0;
    for (int l = 0; l <= p->letters; l++)
        sum += row[l];
    check(fabs(sum - 1) < 1e-9, "a first row that does not sum to 1");
    at_err err = {0};
    const char *said;
    int word[2] = {0, p->letters - 1};
    at_status s = at_pfsa_probability(p, word, p->letters ? 2 : 0, a, &said, &err);
    check(s == AT_ENOMEM || (!s && *said != '-'), "a probability below 0");
}

static void tight_try(const at_pfsa *p, at_arena *a)
{
    at_err err = {0};
    at_tight t;
    at_status s = at_pfsa_tight(p, a, &t, &err);
    check(!s || s == AT_ENOMEM, err.text);
    check(s || t.tight == (t.dead == 0), "tight, and a state that cannot end");
    check(s || t.tight == !strcmp(t.mass, "1"), "tight, and a sum that is not 1");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 4096)
        return 0;
    char *text = malloc(size + 1);
    at_arena a;
    at_arena_init(&a);
    if (text) {
        at_pfsa *p;
        at_err err = {0};
        if (size)
            memcpy(text, data, size);
        text[size] = 0;
        at_status s = at_pfsa_read(text, size, "x", &a, &p, &err);
        check((s == AT_OK) == (err.text[0] == 0) && !strchr(err.text, '\n'),
              "a failure without words, or in two lines");
        if (!s) {
            printed_try(p, &a);
            rows_try(p, &a);
            if (p->states <= 8)
                tight_try(p, &a);
        }
    }
    at_arena_release(&a);
    free(text);
    return 0;
}
