/* fuzz_extract.c: bytes choose a small model of words, and what is extracted from it says what it says.
 *
 * What must hold, of every word to length LONGEST:
 *   - unique-hard attention: the least automaton, the formula of temporal logic and the program in B-RASP, where there is one, and its circuit
 *     at one length, answer as the model does;
 *   - softmax and average-hard attention in q3e3: so do the program in C-RASP or the formula of FOC[MOD;+], and the circuit;
 *   - a model that is refused, or too large, is so with a reason.
 * Layout of the input: CHOICES bytes pick the kind of model, each further byte is a weight, a multiple of the step from -2 to 2; those that are
 * missing are drawn. */
#include <stdint.h>
#include <string.h>

#include <attest/circuit.h>
#include <attest/extract.h>

#include "../src/claim/shared/claim_drawn.h"
#include "fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHOICES = 8, LONGEST = 5, LENGTH = 4, VALUES = 24 };

static const at_weighting weightings[] = {AT_LEFTMOST_HARD, AT_RIGHTMOST_HARD, AT_SOFTMAX, AT_AVERAGE_HARD};
static const at_mask_kind masks[] = {AT_MASK_STRICT, AT_MASK_CAUSAL, AT_MASK_NONE};

static bool one(at_weighting w)
{
    return w == AT_LEFTMOST_HARD || w == AT_RIGHTMOST_HARD;
}

static bool made(at_status s, const at_err *err)
{
    check(!s || s == AT_EREFUSED || s == AT_EBUDGET || s == AT_EDOMAIN, err->text);
    check(!s || err->text[0], "no reason is given");
    return !s;
}

static void formulas_judge(const at_model *m, at_arith arith, const at_formulas *f, const char *what,
                           at_arena *a)
{
    uint64_t words = 0, yes;
    const char *why;
    at_err err = {0};
    check(!claim_drawn_equal(m, arith, f, LONGEST, 0, a, &words, &yes, &why, &err), err.text);
    if (why)
        fprintf(stderr, "%s: %s\n", what, why);
    check(!why, "a formula is not the model");
}

static void automaton_judge(const at_model *m, at_arena *a)
{
    at_extracted x;
    at_err err = {0};
    int word[LONGEST];
    if (!made(at_extract_dfa(m, a, &x, &err), &err))
        return;
    for (int n = 0; n <= LONGEST; n++)
        for (int w = 0; w < 1 << n; w++) {
            bool says;
            int state = x.dfa->start;
            for (int i = 0; i < n; i++) {
                word[i] = w >> i & 1;
                state = x.dfa->to[state * x.dfa->sigma.n + word[i]];
            }
            check(!claim_drawn_says(m, at_f64, word, n, a, &says, &err), err.text);
            check(says == x.dfa->accept[state], "an automaton is not the model");
        }
}

static void past_judge(const at_model *m, at_logic logic, at_arena *a)
{
    at_extracted_past x;
    at_err err = {0};
    if (made(at_extract_past(m, &(at_extract_options){.logic = logic, .values = VALUES}, a, &x, &err), &err))
        formulas_judge(m, at_f64, x.formulas, logic == AT_LOGIC_LTL ? "ltl" : "brasp", a);
}

static void counts_judge(const at_model *m, at_arith q, bool ordered, at_arena *a)
{
    at_extracted_count x;
    at_err err = {0};
    if (made((ordered ? at_extract_crasp : at_extract_foc)(m, q, VALUES, a, &x, &err), &err) &&
        at_formula_written(x.formulas, x.formulas->accept) < 20000)
        formulas_judge(m, q, x.formulas, ordered ? "crasp" : "foc", a);
}

static void circuit_judge(const at_model *m, at_arith run, at_arith of)
{
    at_circuit *c;
    at_circuit_compared r;
    at_err err = {0};
    at_circuit_budget budget = {.gates = 20000, .values = 2000, .sums = 2000};
    if (!made(at_circuit_of_model(m, of, LENGTH, &budget, &c, &err), &err))
        return;
    check(!at_circuit_compare(c, m, run, LENGTH, 1, &r, &err), err.text);
    check(!r.differ, "a circuit is not the model");
    at_circuit_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t c[CHOICES] = {0};
    at_model m;
    at_arena a;
    at_err err = {0};
    memcpy(c, data, size < CHOICES ? size : CHOICES);
    claim_drawn d = {.weighting = weightings[c[0] % 4],
                     .mask = masks[c[1] % 3],
                     .layers = 1 + c[2] % 2,
                     .heads = c[2] % 2 ? 1 : 1 + c[3] % 2, /* two layers of two heads take seconds */
                     .dv = 1 + c[4] % 2,
                     .prefix = c[5] % 2,
                     .longest = CLAIM_DRAWN_LONG,
                     .period = c[6] % 4 == 3 ? 2 : 0,
                     .step = 0.5,
                     .most = 2};
    check(!claim_drawn_model(&d, 1, c[7], &m, &err), err.text);
    for (size_t i = CHOICES; !m.n_pos && i < size && i - CHOICES < m.n_weights; i++)
        m.weights[i - CHOICES] = d.step * (data[i] % 5 - 2);
    at_arena_init(&a);
    at_arith q = {AT_QUOTIENT, 3, 3};
    if (one(d.weighting)) {
        automaton_judge(&m, &a);
        past_judge(&m, AT_LOGIC_LTL, &a);
        past_judge(&m, AT_LOGIC_BRASP, &a);
        circuit_judge(&m, at_f64, (at_arith){.kind = AT_EXACT});
    } else {
        counts_judge(&m, q, d.mask != AT_MASK_NONE, &a);
        circuit_judge(&m, q, q);
    }
    at_arena_release(&a);
    at_model_release(&m);
    return 0;
}
