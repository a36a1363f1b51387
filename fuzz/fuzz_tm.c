/* fuzz_tm.c: any bytes as a Turing machine, in any of its forms.
 *
 * Beyond not crashing: a refusal has words, in one line. What is accepted prints to a text that is read as the same machine, and prints as
 * the same text; its tokens have different words. A small machine becomes a decoder whose run on the empty input is the reference's. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/front.h>

#include "fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void printed_try(const at_tm *t, at_arena *a)
{
    at_err err = {0};
    at_text one, two;
    at_tm *again;
    at_text_init(&one);
    at_text_init(&two);
    at_tm_print(t, &one);
    if (!one.oom) {
        at_status s = at_tm_read(one.s, "printed", a, &again, &err);
        check(!s || s == AT_ENOMEM, err.text);
        if (!s) {
            at_tm_print(again, &two);
            check(at_tm_equal(t, again), "printed and read: another machine");
            check(two.oom || !strcmp(one.s, two.s), "printed, read and printed: another text");
        }
    }
    at_text_release(&one);
    at_text_release(&two);
}

static void words_try(const at_tm *t)
{
    char x[AT_WORD_MAX + 1], y[AT_WORD_MAX + 1];
    for (int i = 0; i < t->tokens; i++)
        for (int k = 0; k < i; k++) {
            at_tm_word(t, i, x);
            at_tm_word(t, k, y);
            check(strcmp(x, y) != 0, "two tokens with one word");
        }
}

/* form: by the input, so that all are met. */
static void run_try(const at_tm *t, at_tm_form form, at_arena *a)
{
    enum { STEPS = 12 };
    at_err err = {0}, given_up = {0};
    at_model m;
    at_tm_end end;
    int chain[STEPS + 2], n_chain, n;
    double *rows, margin, prompt = t->begin;
    if (at_tm_run(t, NULL, 0, STEPS, a, chain, &n_chain, &end, &err))
        return;
    at_status s = at_tm_model(t, &(at_tm_options){.steps = STEPS, .form = form}, &m, &err);
    check(!s || s == AT_ENOMEM, err.text);
    if (s)
        return;
    s = at_generate(&m, at_f64, &(at_input){1, &prompt}, a, &rows, &n, &margin, &given_up);
    if (s != AT_ENOMEM) {
        check((s == AT_OK) == (end.verdict != AT_TM_RUNS), "a run that stops, and a chain that does not");
        check(n >= n_chain && (s || n == n_chain), "a chain of another length");
        for (int k = 0; k < n_chain; k++)
            check(rows[k] == chain[k], "another step than the reference's");
        at_text out;
        at_text_init(&out);
        at_front_answer(&m, &(at_input){1, &prompt}, &(at_input){n, rows}, &out);
        at_text_release(&out);
    }
    at_model_release(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 4096)
        return 0;
    char *text = malloc(size + 1);
    at_arena a;
    at_arena_init(&a);
    if (text) {
        at_tm *t;
        at_err err = {0};
        if (size)
            memcpy(text, data, size);
        text[size] = 0;
        at_status s = at_tm_read(text, "x", &a, &t, &err);
        check((s == AT_OK) == (err.text[0] == 0) && !strchr(err.text, '\n'),
              "a failure without words, or in two lines");
        if (!s) {
            printed_try(t, &a);
            if (t->tokens < 200)
                words_try(t);
            if (t->states * t->symbols <= 40)
                run_try(t, (at_tm_form)(size % 3), &a);
        }
    }
    at_arena_release(&a);
    free(text);
    return 0;
}
