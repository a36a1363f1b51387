/* fuzz_formula.c: any bytes as a formula of temporal logic, or as a program in B-RASP (chosen by the first byte).
 *
 * Beyond not crashing: a refusal has words, in one line. What is accepted prints to a text that is read as the same, by how it is
 * printed again and by its verdicts on short words. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/lang.h>

#include "fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef at_status reading(char *text, const char *path, const at_alphabet *given, at_arena *a,
                          at_formulas **out, int *longest, at_err *err);
typedef void printing(const at_formulas *f, at_text *out);

static const struct {
    reading *read;
    printing *print;
} languages[] = {{at_ltl_read, at_ltl_print}, {at_brasp_read, at_brasp_print}};
enum { LANGUAGES = sizeof languages / sizeof languages[0], LENGTH = 4 };

static void same_verdicts(const at_formulas *f, const at_formulas *g)
{
    at_err err = {0};
    for (int n = 0; n <= LENGTH; n++)
        for (int seed = 0; seed < 8; seed++) {
            int word[LENGTH];
            at_tri v, w;
            for (int i = 0; i < n; i++)
                word[i] = (seed >> i % 3 ^ i * seed) % f->sigma.n;
            if (at_formulas_run(f, word, n, &v, &err) || at_formulas_run(g, word, n, &w, &err))
                return;
            check(v == w, "printed and read: another verdict");
            bool inside = f->at == AT_AT_LAST || f->at == AT_AT_FIRST;
            check((v == AT_UNKNOWN) == (!n && inside), "a word without a verdict, or the empty one with one");
        }
}

static void text_try(int l, char *text, at_arena *a)
{
    at_err err = {0};
    at_formulas *f, *g;
    int longest;
    at_status s = languages[l].read(text, "x", NULL, a, &f, &longest, &err);
    check((s == AT_OK) == (err.text[0] == 0) && !strchr(err.text, '\n'),
          "a failure without words, or in two lines");
    if (s)
        return;
    at_text once, again;
    at_text_init(&once);
    at_text_init(&again);
    languages[l].print(f, &once);
    char *copy = once.oom ? NULL : at_arena_strdup(a, once.s);
    s = copy ? languages[l].read(copy, "printed", NULL, a, &g, &longest, &err) : AT_ENOMEM;
    check(!s || s == AT_ENOMEM, err.text);
    if (!s) {
        languages[l].print(g, &again);
        check(again.oom || strcmp(once.s, again.s) == 0, "printed, read and printed: another text");
        if (f->n_parts < 200)
            same_verdicts(f, g);
    }
    at_text_release(&once);
    at_text_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || size > 4096)
        return 0;
    char *text = malloc(size);
    at_arena a;
    at_arena_init(&a);
    if (text) {
        memcpy(text, data + 1, size - 1);
        text[size - 1] = 0;
        text_try(data[0] % LANGUAGES, text, &a);
    }
    at_arena_release(&a);
    free(text);
    return 0;
}
