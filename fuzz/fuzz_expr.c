/* fuzz_expr.c: any bytes as an expression modulo a prime (chosen by the first byte).
 *
 * Beyond not crashing: a refusal has words, in one line. What is accepted prints to a text that is the same expression;
 * its chain has the length that is promised and ends in the judge's value, and each segment of it is an expression with
 * one operator less and the same value. Any row of tokens is judged too, not only what the parser lets through. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/problem.h>

#include "fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void chain_check(int p, const int *token, int n, int value, int operators, at_arena *a)
{
    int *chain = at_new(a, int, AT_EXPR_CHAIN(operators)), from = 0;
    if (!chain)
        return;
    int length = at_expr_chain(p, token, n, chain);
    check(length >= 2 && length <= AT_EXPR_CHAIN(operators), "the length of the chain");
    check(chain[length - 1] == AT_EXPR_EOS && chain[length - 2] == AT_EXPR_NUMBER + value,
          "the end of the chain");
    for (int i = 0; i < length; i++)
        if (chain[i] == AT_EXPR_EQUALS || chain[i] == AT_EXPR_EOS) {
            int v, k;
            operators -= operators > 0;
            check(!at_expr_value(p, chain + from, i - from, &v, &k, NULL), "a segment is no expression");
            check(v == value && k == operators, "a segment has another value, or not one operator less");
            from = i + 1;
        }
}

static void text_try(int p, const char *text, at_arena *a)
{
    at_err err = {0};
    int *token, *again, n, m, value, operators;
    at_status s = at_expr_parse(p, text, 12, a, &token, &n, &err);
    check((s == AT_OK) == (err.text[0] == 0) && !strchr(err.text, '\n'),
          "a failure without words, or in two lines");
    if (s)
        return;
    check(!at_expr_value(p, token, n, &value, &operators, &err), err.text);
    at_text t;
    at_text_init(&t);
    at_expr_print(token, n, &t);
    if (!t.oom && !at_expr_parse(p, t.s, 12, a, &again, &m, &err))
        check(m == n && !memcmp(token, again, (size_t)n * sizeof *token),
              "printed and read: another expression");
    else
        check(t.oom || err.code == AT_ENOMEM, err.text);
    at_text_release(&t);
    chain_check(p, token, n, value, operators, a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int primes[] = {2, 3, 5, 11, 97, 251};
    if (!size || size > 4096)
        return 0;
    int p = primes[data[0] % 6], n = (int)size - 1, value, operators;
    char *text = malloc(size);
    int *token = calloc(size, sizeof *token);
    at_arena a;
    at_arena_init(&a);
    if (text && token) {
        memcpy(text, data + 1, size - 1);
        text[size - 1] = 0;
        text_try(p, text, &a);
        for (int i = 0; i < n; i++) /* now the bytes are tokens */
            token[i] = data[i + 1] % (at_expr_vocabulary(p) + 1);
        at_err err = {0};
        at_status s = at_expr_value(p, token, n, &value, &operators, &err);
        check((s == AT_OK) == (err.text[0] == 0), "a failure without words");
        if (!s && operators <= 12)
            chain_check(p, token, n, value, operators, &a);
    }
    at_arena_release(&a);
    free(text);
    free(token);
    return 0;
}
