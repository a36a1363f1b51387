/* words_test.h: regular languages as models against their automata. For the tests of this module. */
#ifndef ATTEST_WORDS_TEST_H
#define ATTEST_WORDS_TEST_H

#include <attest/front.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/test/test_arena.h"
#include "../../core/test/test_scale.h"

static inline at_place place_of(const char *text, const char *letters)
{
    at_alphabet given, sigma;
    at_regex *e;
    at_dfa *d;
    at_place p;
    if ((letters && at_alphabet_parse(letters, &arena, &given, &err)) ||
        at_regex_parse(text, letters ? &given : NULL, NULL, 1, 1, &arena, &e, &sigma, &err) ||
        at_regex_dfa(e, &sigma, &arena, &d, &err) || at_place_find(d, &arena, &p, &err))
        fail_msg("%s: %s", text, err.text);
    return p;
}

/* Words to this length on which model and automaton differ. */
static inline int wrong(const at_model *m, at_arith arith, const at_dfa *d, int longest, int *words)
{
    int bad = 0;
    *words = 0;
    for (int n = 0; n <= longest; n++) {
        int all = 1, w[32];
        double x[32];
        for (int i = 0; i < n; i++)
            all *= d->sigma.n;
        for (int k = 0; k < all; k++, ++*words) {
            at_mark mark = at_arena_mark(&arena);
            for (int i = 0, v = k; i < n; i++, v /= d->sigma.n)
                x[i] = w[i] = v % d->sigma.n;
            at_output y;
            if (at_run(m, arith, &(at_input){n, x}, NULL, &arena, &y, &err))
                fail_msg("%s", err.text);
            bad += y.decided[0] != AT_TRUE || (y.decision[0] != 0) != at_dfa_accepts(d, w, n);
            at_arena_reset(&arena, mark);
        }
    }
    return bad;
}

#endif
