/* modular.c: languages that are star-free once the position modulo a number is known.
 *
 * The words over letters (a, r), r the position of a modulo m, counted from 0: d reads a and counts along; where r is not what it
 * counts, the word is rejected for good. By Barrington, Compton, Straubing and Therien (1992) a regular language is in FO[<, MOD]
 * if and only if for some m this automaton has no periods; the stable length s of place.c is such an m, and where a divisor of it
 * does, that is taken: fewer letters, and a smaller automaton. */
#include <attest/automaton.h>

/* Letters a/0, ..., a/m-1, b/0, ... */
static at_status letters_make(const at_alphabet *sigma, int m, at_arena *a, at_alphabet *out, at_err *err)
{
    const char **letter = at_new(a, const char *, sigma->n *m);
    if (!letter)
        return at_oom(err);
    for (int k = 0; k < sigma->n * m; k++)
        if (!(letter[k] = at_arena_printf(a, "%s/%d", sigma->letter[k / m], k % m)))
            return at_oom(err);
    *out = (at_alphabet){sigma->n * m, letter};
    return AT_OK;
}

at_status at_dfa_modular(const at_dfa *d, int m, at_arena *a, at_dfa **out, at_err *err)
{
    at_alphabet sigma;
    at_dfa *all;
    int L = d->sigma.n;
    *out = NULL;
    if (m < 1 || (int64_t)m * L > AT_LETTERS_MAX)
        return at_fail(err, AT_EBUDGET,
                       "positions modulo %d and %d letters: at most %d pairs of both are worked with", m, L,
                       AT_LETTERS_MAX);
    if ((int64_t)m * d->states >= AT_STATES_MAX)
        return at_fail(err, AT_EBUDGET, "an automaton of more than %d states; that many are worked with",
                       AT_STATES_MAX);
    at_status s = letters_make(&d->sigma, m, a, &sigma, err);
    int sink = d->states * m;
    if (!s)
        s = at_dfa_new(&sigma, sink + 1, a, &all, err);
    if (s)
        return s;
    all->start = d->start * m;
    for (int q = 0; q <= sink; q++)
        for (int k = 0; k < sigma.n; k++) {
            bool right = q < sink && k % m == q % m;
            /* state q is state q / m of d, and q % m letters were read, modulo m */
            all->to[q * sigma.n + k] = right ? d->to[q / m * L + k / m] * m + (q + 1) % m : sink;
        }
    for (int q = 0; q < sink; q++)
        all->accept[q] = d->accept[q / m];
    return at_dfa_minimize(all, a, out, err);
}

at_status at_place_modular(const at_place *p, at_arena *a, int *m, at_place *out, at_err *err)
{
    *m = 0;
    if (p->fo_mod != AT_TRUE)
        return at_fail(err, AT_EREFUSED, "positions modulo a number do not make it star-free");
    for (int k = 1; k <= p->modulus; k++) {
        at_dfa *d;
        if (p->modulus % k)
            continue;
        at_status s = at_dfa_modular(p->least, k, a, &d, err);
        if (!s)
            s = at_place_find(d, a, out, err);
        if (s)
            return s;
        if (out->star_free == AT_TRUE) {
            *m = k;
            return AT_OK;
        }
    }
    return at_fail(err, AT_EBUDGET,
                   "with positions modulo %d its monoid has more than %d elements: nothing is known",
                   p->modulus, AT_MONOID_MAX);
}
