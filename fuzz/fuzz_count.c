/* fuzz_count.c: any bytes as a text of a language that counts, chosen by the first byte: C-RASP, the same as its public interpreter has it,
 * FOC[MOD;+], a counter machine.
 *
 * Beyond not crashing: a refusal has words, in one line, and names the place. What is accepted prints to a text that is read, prints the same, and
 * answers the same on all short words. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/lang.h>

#include "fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef at_status reader(char *text, const char *path, at_arena *a, at_formulas **out, int *longest,
                         at_err *err);
typedef void writer(const at_formulas *f, at_text *out);
static const struct {
    reader *read, *again; /* .cr is printed as C-RASP */
    writer *print;
} languages[] = {
    {at_crasp_read, at_crasp_read, at_crasp_print},
    {at_cr_read, at_crasp_read, at_crasp_print},
    {at_foc_read, at_foc_read, at_foc_print},
    {at_sscm_read, at_sscm_read, at_sscm_print},
};

static void same_answers(const at_formulas *f, const at_formulas *g)
{
    check(f->sigma.n == g->sigma.n && f->at == g->at && f->attend == g->attend,
          "printed and read: another header");
    int letters = f->sigma.n < 3 ? f->sigma.n : 3, word[3], all = 1;
    for (int n = 0; n <= 3; n++, all *= letters)
        for (int k = 0; k < all; k++) {
            at_tri x, y;
            for (int i = 0, v = k; i < n; i++, v /= letters)
                word[i] = v % letters;
            if (at_formulas_run(f, word, n, &x, NULL) || at_formulas_run(g, word, n, &y, NULL))
                return;
            check(x == y, "printed and read: another answer");
        }
}

static void text_try(char *text, int language, at_arena *a)
{
    at_err err = {0};
    at_formulas *f, *g;
    int longest;
    at_text one, two;
    at_status s = languages[language].read(text, "x", a, &f, &longest, &err);
    check((s == AT_OK) == (err.text[0] == 0) && !strchr(err.text, '\n'),
          "a failure without words, or in two lines");
    check(s != AT_EINPUT || strncmp(err.text, "x:", 2) == 0, "a fault without a place");
    if (s)
        return;
    at_text_init(&one);
    at_text_init(&two);
    languages[language].print(f, &one);
    char *copy = one.oom ? NULL : at_arena_strdup(a, one.s);
    if (copy) {
        s = languages[language].again(copy, "printed", a, &g, &longest, &err);
        if (s && s != AT_ENOMEM)
            fprintf(stderr, "%s\n%s", err.text, one.s);
        check(!s || s == AT_ENOMEM, "what is printed is not read");
        if (!s) {
            languages[language].print(g, &two);
            check(two.oom || strcmp(one.s, two.s) == 0, "printed and read: printed otherwise");
            same_answers(f, g);
        }
    }
    at_text_release(&one);
    at_text_release(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || size > 2048)
        return 0;
    char *text = malloc(size);
    at_arena a;
    at_arena_init(&a);
    if (text) {
        memcpy(text, data + 1, size - 1);
        text[size - 1] = 0;
        text_try(text, data[0] % 4, &a);
    }
    at_arena_release(&a);
    free(text);
    return 0;
}
