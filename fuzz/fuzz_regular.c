/* fuzz_regular.c: any bytes as a regular expression, or as a deterministic automaton (chosen by the first byte): lines, or what
 * begins as files of JFLAP or of Graphviz do.
 *
 * Beyond not crashing: a refusal has words, in one line. What is accepted prints to a text that is read as the same language. An
 * expression agrees with its definition on short words; an automaton and its cascade of resets, where it has one, are in
 * the same state after every letter. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/lang.h>

#include "fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void words_of(at_status s, const at_err *err)
{
    check((s == AT_OK) == (err->text[0] == 0) && !strchr(err->text, '\n'),
          "a failure without words, or in two lines");
}

static void cascade_check(const at_dfa *d, at_arena *a)
{
    at_err err = {0};
    at_place p;
    at_cascade *c;
    if (d->states > 12 || at_place_find(d, a, &p, &err) || !p.m || p.monoid > 500 || p.star_free != AT_TRUE ||
        at_cascade_make(p.m, a, &c, &err) || c->levels > 32)
        return;
    int at[32], q = p.least->start, L = p.least->sigma.n;
    memcpy(at, c->initial, sizeof *at * (size_t)c->levels);
    for (int i = 0; i < 64; i++) {
        int letter = (i * 7 + i / 3) % L;
        q = p.least->to[q * L + letter];
        at_cascade_step(c, letter, at);
        check(at_cascade_state(c, at) == q, "a cascade in another state than its automaton");
    }
}

/* Is e of a size whose definition can be tried? */
static int weight(const at_regex *e)
{
    int w = 1;
    for (const at_regex *k = e->first; k; k = k->next)
        w += weight(k);
    return w + (e->op == AT_REGEX_REPEAT ? 3 + e->lo : 0);
}

static void regex_try(const char *text, at_arena *a)
{
    at_err err = {0};
    at_regex *e, *f;
    at_alphabet sigma, again;
    at_dfa *d, *other;
    at_status s = at_regex_parse(text, NULL, NULL, 1, 1, a, &e, &sigma, &err);
    words_of(s, &err);
    if (s)
        return;
    at_text t;
    at_text_init(&t);
    at_regex_print(e, &sigma, &t);
    s = t.oom ? AT_ENOMEM : at_regex_parse(t.s, &sigma, NULL, 1, 1, a, &f, &again, &err);
    check(!s || s == AT_ENOMEM, err.text);
    at_text_release(&t);
    if (s || weight(e) > 60)
        return;
    s = at_regex_dfa(e, &sigma, a, &d, &err);
    words_of(s, &err);
    if (s || at_regex_dfa(f, &sigma, a, &other, &err))
        return;
    check(at_dfa_equal(d, other), "printed and read: another language");
    int w[3];
    for (int n = 0; n <= 3 && sigma.n <= 4 && weight(e) <= 20; n++)
        for (int k = 0, all = n == 0   ? 1
                              : n == 1 ? sigma.n
                              : n == 2 ? sigma.n * sigma.n
                                       : sigma.n * sigma.n * sigma.n;
             k < all; k++) {
            for (int i = 0, v = k; i < n; i++, v /= sigma.n)
                w[i] = v % sigma.n;
            check(at_dfa_accepts(d, w, n) == at_regex_matches(e, w, n),
                  "another language than by definition");
        }
    cascade_check(d, a);
}

static void dfa_try(char *text, at_arena *a)
{
    at_err err = {0};
    at_dfa *d, *again;
    int longest;
    at_status s = at_dfa_read(text, "x", NULL, a, &d, &longest, &err);
    words_of(s, &err);
    if (s || d->states > 200)
        return;
    at_text t;
    at_text_init(&t);
    at_dfa_print(d, &t);
    if (!t.oom) {
        int *word, n;
        s = at_dfa_read(t.s, "printed", NULL, a, &again, &longest, &err);
        check(!s || s == AT_ENOMEM, err.text);
        if (!s && !at_dfa_differ(d, again, a, &word, &n, &err))
            check(n < 0, "printed and read: another language");
    }
    at_text_release(&t);
    cascade_check(d, a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || size > 2048)
        return 0;
    static const char *const begins[] = {"", "", "<structure>", "digraph {"}; /* 0: an expression */
    const char *begin = begins[data[0] % 4];
    size_t n = strlen(begin);
    char *text = malloc(n + size);
    at_arena a;
    at_arena_init(&a);
    if (text) {
        memcpy(text, begin, n);
        memcpy(text + n, data + 1, size - 1);
        text[n + size - 1] = 0;
        if (data[0] % 4)
            dfa_try(text, &a);
        else
            regex_try(text, &a);
    }
    at_arena_release(&a);
    free(text);
    return 0;
}
