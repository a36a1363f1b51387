/* fuzz_arpa.c: any bytes as an ARPA file; and, when they are none, as a text to fit.
 *
 * Beyond not crashing: a refusal has words, in one line. What is accepted prints to a text that is read as the same model and prints as the
 * same text. The rows of a small model are the probabilities one by one; its tightness is decided, and agrees with its sum. A fitted
 * model's rows sum to 1. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/ngram.h>

#include "fuzz_printed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void arpa_print(const at_ngram *g, at_text *out)
{
    at_ngram_print(g, NULL, out);
}

FUZZ_PRINTED(at_ngram, at_ngram_read, arpa_print)

static void rows_try(const at_ngram *g, bool fitted, at_arena *a)
{
    double *p = at_new(a, double, g->words + 1);
    int history[AT_NGRAM_ORDER_MAX];
    for (int state = 0; p && state < at_ngram_states(g); state++) {
        double sum = 0;
        if (!at_ngram_is_state(g, state))
            continue;
        int n = at_ngram_state_words(g, state, history);
        check(at_ngram_state(g, history, n) == state, "the state of a state's words is another");
        at_ngram_state_row(g, state, p);
        for (int w = 0; w <= g->words; w++) {
            double x = at_ngram_next(g, history, n, w), y = x == -INFINITY ? 0 : pow(10, x);
            check(p[w] == y || fabs(p[w] - y) <= 1e-9 * y, "a row with another probability than its word");
            sum += p[w];
        }
        check(!fitted || fabs(sum - 1) <= 1e-9, "a fitted row that does not sum to 1");
    }
}

static void tight_try(const at_ngram *g, at_arena *a)
{
    at_err err = {0};
    at_tight t;
    at_status s = at_ngram_tight(g, NULL, a, &t, &err);
    check(!s || s == AT_ENOMEM, err.text);
    check(s || t.tight == (t.dead == 0), "tight, and a state that cannot end");
    check(s || !t.mass || t.tight == !strcmp(t.mass, "1"), "tight, and a sum that is not 1");
}

static void fit_try(const uint8_t *data, size_t size, const char *text, at_arena *a)
{
    at_ngram *g;
    at_err err = {0};
    at_fit how = {
        1 + data[0] % 4, (at_smoothing)(data[0] / 4 % AT_SMOOTHINGS), (at_tokens)(size % AT_TOKENS), 0.5, 0,
        data[0] / 64};
    if (!at_ngram_fit(&how, text + 1, size - 1, "x", NULL, a, &g, NULL, &err) && size < 100) {
        printed_try(g, a);
        rows_try(g, true, a);
        if (at_ngram_states(g) <= 16)
            tight_try(g, a);
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
        at_ngram *g;
        at_err err = {0};
        if (size)
            memcpy(text, data, size);
        text[size] = 0;
        at_status s = at_ngram_read(text, size, "x", &a, &g, &err);
        check((s == AT_OK) == (err.text[0] == 0) && !strchr(err.text, '\n'),
              "a failure without words, or in two lines");
        if (!s) {
            printed_try(g, &a);
            rows_try(g, false, &a);
            if (at_ngram_states(g) <= 16)
                tight_try(g, &a);
        } else if (size)
            fit_try(data, size, text, &a);
    }
    at_arena_release(&a);
    free(text);
    return 0;
}
