/* CLAIM funccomp-params: the parameters of the L-layer theorem fit together, and are not those of its statement.
 *
 * Source: Chen, Peng, Wu 2024, Definition 2.1 and Theorem 1.1 (seen through notes that garble one exponent).
 * Statement: with K = (HdpL)^8 8^(2L^2), x_l = K^(8^(L-l-1)), n_l = x_l^4:
 *     x_(l-1) = x_l^8,   m = (x_0 ... x_(L-1))^8 = K^(sum of 8^(l+1)),   N_l = N_(l-1) n_l,
 * as integers; the prompt has N_0 + ... + N_(L-1) + 2 tokens, about (HdpL)^64, ^608, ^4960 for L = 1, 2, 3, where the theorem prints
 * (Hdp)^16, ^256, ^4096.
 *
 * Proof: exponents of K. It is checked on the integers themselves, multiplied out, and the calculator's digits are counted in them.
 * The notes print the exponent of m as "sum of 8^l + 1". Read as sum of (8^l + 1), or as (sum of 8^l) + 1, it is not m by its own check through
 * the x_l: both readings are controls. */
#include "../shared/claim_limit.h"

#include "../../bound/funccomp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const groupings[] = {"inside", "each", "outside"};
static const at_param params[] = {
    {"L", "layers, and length of the composition", 1, 4, 2, true},
    {"H", "heads", 1, 1024, 1, true},
    {"d", "width of a head", 1, 1024, 2, true},
    {"p", "bits of a number", 1, 1024, 2, true},
    {"grouping", "exponent of m: 8^(l+1) (inside), 8^l + 1 each, or once outside the sum", 0, 2, 0, true,
     groupings},
};

/* The exponent of m as it is read. */
static unsigned long exponent_of_m(unsigned long L, int grouping)
{
    unsigned long sum = grouping == 2;
    for (unsigned long l = 0, power = 1; l < L; l++, power *= 8)
        sum += grouping == 0 ? 8 * power : grouping == 1 ? power + 1 : power;
    return sum;
}

/* The digits that the calculator counts in its line of this name; 0: it has none, or the number is printed whole. */
static unsigned long digits_said(const at_bound_result *r, const char *name)
{
    for (int i = 0; i < r->n_lines; i++)
        if (!strcmp(r->lines[i].name, name)) {
            const char *open = strrchr(r->lines[i].text, '(');
            return open ? strtoul(open + 1, NULL, 10) : 0;
        }
    return 0;
}

static unsigned long digits_of(const mpz_t x)
{
    char *s = mpz_get_str(NULL, 10, x);
    unsigned long n = (unsigned long)strlen(s);
    void (*release)(void *, size_t);
    mp_get_memory_functions(NULL, NULL, &release);
    release(s, n + 1);
    return n;
}

typedef struct {
    mpz_t K, x, before, product, m, tokens, t;
} numbers;

/* NULL: everything fits; else what does not. */
static const char *identities(numbers *q, unsigned long L, const mpz_t B, int grouping,
                              const at_bound_result *r)
{
    char name[32];
    mpz_t E;
    mpz_mul_ui(q->K, B, L); /* (HdpL)^8 (8^2)^(L L), one factor at a time */
    mpz_pow_ui(q->K, q->K, 8);
    for (unsigned long i = 0; i < L * L; i++)
        mpz_mul_ui(q->K, q->K, 64);
    funccomp_K(q->t, B, L);
    if (mpz_cmp(q->K, q->t))
        return "K is not (HdpL)^8 8^(2L^2)";
    mpz_set(q->x, q->K); /* x_(L-1) = K, x_(l-1) = x_l^8 */
    mpz_set_ui(q->product, 1);
    mpz_init(E);
    const char *why = NULL;
    for (unsigned long l = L; l-- > 0 && !why;) {
        funccomp_x(E, L, l);
        mpz_pow_ui(q->t, q->K, mpz_get_ui(E));
        if (mpz_cmp(q->t, q->x))
            why = "x_(l-1) is not x_l^8";
        mpz_mul(q->product, q->product, q->x);
        mpz_pow_ui(q->x, q->x, 8);
    }
    mpz_clear(E);
    mpz_pow_ui(q->m, q->product, 8);
    mpz_pow_ui(q->t, q->K, exponent_of_m(L, grouping));
    if (!why && mpz_cmp(q->m, q->t))
        why = "m is not the 8th power of the product of the x_l";
    if (!why && digits_said(r, "m") != digits_of(q->m))
        why = "the calculator counts other digits of m";
    mpz_set(q->before, q->m); /* N_0 = m, N_l = N_(l-1) x_l^4 */
    mpz_add_ui(q->tokens, q->m, 2);
    for (unsigned long l = 1; l < L && !why; l++) {
        mpz_pow_ui(q->x, q->K, 1UL << 3 * (L - l - 1));
        mpz_pow_ui(q->x, q->x, 4);
        mpz_mul(q->before, q->before, q->x);
        mpz_add(q->tokens, q->tokens, q->before);
        snprintf(name, sizeof name, "N_%lu", l);
        if (digits_said(r, name) != digits_of(q->before))
            why = "the calculator counts other digits of N_l";
    }
    if (!why && (!funccomp_tokens(q->t, B, L, (size_t)1 << 26) || mpz_cmp(q->t, q->tokens)))
        why = "the prompt has another number of tokens";
    return why;
}

static at_status trial(const at_params *p, const at_cell *cell, uint64_t limit, uint64_t seed,
                       const at_check_env *env, at_arena *a, at_verdict *out, at_err *err)
{
    (void)limit, (void)seed, (void)env;
    const at_bound *b = at_bound_find("funccomp-params");
    at_params q;
    at_bound_result r;
    at_params_init(&q, b->params, b->n_params);
    q.value[0] = at_params_get(p, "L");
    at_status s = AT_OK;
    static const char *const names[] = {"L", "H", "d", "p"};
    for (int i = 0; i < COUNT(names) && !s; i++)
        s = at_params_set(&q, names[i], at_params_get(p, names[i]), err);
    if (!s) /* long enough for every L here */
        s = at_params_set(&q, "zeros", 300, err);
    if (!s)
        s = at_bound_compute(b, &q, a, &r, err);
    if (s)
        return s;
    unsigned long L = (unsigned long)at_params_int(p, "L");
    numbers n;
    mpz_t B;
    mpz_inits(n.K, n.x, n.before, n.product, n.m, n.tokens, n.t, NULL);
    mpz_init_set_ui(B,
                    (unsigned long)(at_params_get(p, "H") * at_params_get(p, "d") * at_params_get(p, "p")));
    const char *why = identities(&n, L, B, at_params_int(p, "grouping"), &r);
    *out = (at_verdict){
        .holds = why ? AT_FALSE : AT_TRUE, .evidence = cell->evidence, .inputs = 1, .margin = NAN};
    out->note =
        why ? at_arena_strdup(a, why)
            : at_arena_printf(a, "m has %lu digits, the prompt %lu; Theorem 1.1 prints (Hdp)^%lu instead",
                              digits_of(n.m), digits_of(n.tokens), 1UL << 4 * L);
    mpz_clears(n.K, n.x, n.before, n.product, n.m, n.tokens, n.t, B, NULL);
    return out->note ? AT_OK : at_oom(err);
}

static const at_cell cells[] = {
    {"L=1..3", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"L=1..3 H=12 d=64 p=16", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"L=4 H=3 d=5 p=7", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_FULL, NULL},
    {"L=2 H=1 d=25 p=25", NULL, AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL}, /* K = 10^32 */
    {"L=1..3", "grouping=each", AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
    {"L=1..3", "grouping=outside", AT_EV_EXACT, 0, "exact", 0, AT_TIER_QUICK, NULL},
};

const at_claim claim_funccomp_params = {
    .id = "funccomp-params",
    .title = "The parameters of the L-layer theorem fit together, and are astronomical",
    .source = "Chen, Peng, Wu 2024, Definition 2.1 and Theorem 1.1",
    .statement = "K = (HdpL)^8 8^(2L^2), x_l = K^(8^(L-l-1)), n_l = x_l^4, m = (x_0...x_(L-1))^8 = K^(sum of "
                 "8^(l+1)), N_l = m n_1...n_l as exact "
                 "integers; they need n about (HdpL)^64, ^608, ^4960 for L = 1, 2, 3, where Theorem 1.1 "
                 "prints (Hdp)^16, ^256, ^4096.",
    .proof = "Exponents of K; checked on the integers, multiplied out, and in their digits.",
    .params = params,
    .n_params = COUNT(params),
    .trial = trial,
    .cells = cells,
    .n_cells = COUNT(cells),
    .look_params = "L=2",
};
