/* BOUND funccomp-params: L layers do not do L-sequential composition, with parameters that are astronomical.
 *
 * Source: Chen, Peng, Wu 2024. Theorem 1.1: for L <= O~(log log n), no L-layer decoder solves it when Hdp <= n^(2^(-4L)). The proof takes
 *     K = (HdpL)^8 8^(2L^2),   x_l = K^(8^(L-l-1)),   n_l = x_l^4,   m = (x_0 ... x_(L-1))^8,   N_l = m n_1 ... n_l,
 * and the prompt has N_0 + ... + N_(L-1) + 2 tokens (player i of 1..L holds N_(i-1), players 0 and -1 one each).
 *
 * These are two printings, and they do not agree: the parameters need n ~ (HdpL)^64, ^608, ^4960 for L = 1, 2, 3, where the theorem prints
 * (Hdp)^16, ^256, ^4096. Both are computed here. It binds where both hold; where one of them does, the verdict is "up to a constant".
 * L <= O~(log log n) is read as 2^(2^L) <= n.
 *
 * n is n * 10^zeros, so that it can be written. Powers are compared by their number of bits first and computed only where they are
 * about as long as n. */
#include "bound_internal.h"
#include "funccomp.h"

#include <math.h>

#define SHOWN  4                 /* levels l that are printed, of those there are */
#define BITS_N ((size_t)1 << 24) /* beyond, a start is text only */
#define L_MOST 40

enum { L, H, d, p, n, zeros };
static const at_param params[] = {
    {"L", "layers, and length of the composition", 1, L_MOST, 1, true},
    {"H", "heads", 1, BOUND_MOST, 1, true},
    {"d", "width of a head", 1, BOUND_MOST, 2, true},
    {"p", "bits of a number", 1, BOUND_MOST, 2, true},
    {"n", "length of the prompt, times 10^zeros", 2, BOUND_MOST, 1000000, true},
    {"zeros", "decimal zeros after n", 0, 100000, 60, true},
};

/* ---- the parameters --------------------------------------------------------------------------------------------------- */

static void power_of_8(mpz_t out, unsigned long k)
{
    mpz_set_ui(out, 1);
    mpz_mul_2exp(out, out, 3 * k);
}

void funccomp_K(mpz_t K, const mpz_t B, unsigned long l)
{
    mpz_mul_ui(K, B, l);
    mpz_pow_ui(K, K, 8);
    mpz_mul_2exp(K, K, 6 * l * l);
}

void funccomp_x(mpz_t E, unsigned long levels, unsigned long l)
{
    power_of_8(E, levels - l - 1);
}

void funccomp_n(mpz_t E, unsigned long levels, unsigned long l)
{
    funccomp_x(E, levels, l);
    mpz_mul_2exp(E, E, 2);
}

void funccomp_m(mpz_t E, unsigned long levels)
{
    mpz_t t;
    mpz_init(t);
    mpz_set_ui(E, 0);
    for (unsigned long l = 0; l < levels; l++) {
        power_of_8(t, l + 1);
        mpz_add(E, E, t);
    }
    mpz_clear(t);
}

void funccomp_N(mpz_t E, unsigned long levels, unsigned long l)
{
    mpz_t t;
    mpz_init(t);
    funccomp_m(E, levels);
    for (unsigned long k = 1; k <= l; k++) {
        funccomp_n(t, levels, k);
        mpz_add(E, E, t);
    }
    mpz_clear(t);
}

bool funccomp_tokens(mpz_t out, const mpz_t B, unsigned long levels, size_t bits)
{
    mpz_t K, E, t;
    mpz_inits(K, E, t, NULL);
    funccomp_K(K, B, levels);
    funccomp_N(E, levels, levels - 1);
    mpz_mul_ui(t, E, mpz_sizeinbase(K, 2) - 1); /* K^E has more bits than that */
    bool fits = mpz_cmp_ui(t, bits) < 0;
    if (fits) {
        mpz_set_ui(out, 2);
        for (unsigned long l = 0; l < levels; l++) {
            funccomp_N(E, levels, l);
            mpz_pow_ui(t, K, mpz_get_ui(E));
            mpz_add(out, out, t);
        }
        fits = mpz_sizeinbase(out, 2) <= bits;
    }
    mpz_clears(K, E, t, NULL);
    return fits;
}

/* ---- the two printings ----------------------------------------------------------------------------------------------- */

static void length_of(mpz_t out, const mpz_t *v)
{
    mpz_ui_pow_ui(out, 10, mpz_get_ui(v[zeros]));
    mpz_mul(out, out, v[n]);
}

static void size_of(mpz_t B, const mpz_t *v)
{
    mpz_mul(B, v[H], v[d]);
    mpz_mul(B, B, v[p]);
}

/* B^(16^L), when it has at most `bits` bits. */
static bool theorem_length(mpz_t out, const mpz_t B, unsigned long levels, size_t bits)
{
    mpz_set_ui(out, 1);
    if (!mpz_cmp_ui(B, 1))
        return true;
    mpz_mul_2exp(out, out, 4 * levels);
    mpz_mul_ui(out, out, mpz_sizeinbase(B, 2) - 1);
    if (mpz_cmp_ui(out, bits) >= 0)
        return false;
    mpz_pow_ui(out, B, 1UL << (4 * levels));
    return true;
}

static bool levels_allowed(const mpz_t levels, const mpz_t length)
{
    return mpz_cmp_ui(levels, L_MOST) <= 0 && mpz_sizeinbase(length, 2) > (size_t)1 << mpz_get_ui(levels);
}

static bool theorem_holds(const mpz_t *v, const mpz_t length)
{
    mpz_t B, t;
    mpz_inits(B, t, NULL);
    size_of(B, v);
    bool out = levels_allowed(v[L], length) &&
               theorem_length(t, B, mpz_get_ui(v[L]), mpz_sizeinbase(length, 2)) && mpz_cmp(t, length) <= 0;
    mpz_clears(B, t, NULL);
    return out;
}

static bool parameters_hold(const mpz_t *v, const mpz_t length)
{
    mpz_t B, t;
    mpz_inits(B, t, NULL);
    size_of(B, v);
    bool out = levels_allowed(v[L], length) &&
               funccomp_tokens(t, B, mpz_get_ui(v[L]), mpz_sizeinbase(length, 2)) && mpz_cmp(t, length) <= 0;
    mpz_clears(B, t, NULL);
    return out;
}

static bool binds(const mpz_t *v)
{
    mpz_t length;
    mpz_init(length);
    length_of(length, v);
    bool out = theorem_holds(v, length) && parameters_hold(v, length);
    mpz_clear(length);
    return out;
}

static limit_way way(const mpz_t *v, int i)
{
    (void)v;
    return i == n || i == zeros ? LIMIT_RISES : LIMIT_FALLS;
}

/* The least length for which both hold; false: it has more than BITS_N bits. */
static bool length_needed(mpz_t out, const mpz_t *v)
{
    unsigned long levels = mpz_get_ui(v[L]);
    mpz_t B, t;
    mpz_inits(B, t, NULL);
    size_of(B, v);
    bool fits =
        levels < 24 && theorem_length(out, B, levels, BITS_N) && funccomp_tokens(t, B, levels, BITS_N);
    if (fits) {
        if (mpz_cmp(t, out) > 0)
            mpz_set(out, t);
        mpz_set_ui(t, 1);
        mpz_mul_2exp(t, t, (mp_bitcnt_t)1 << levels);
        if (mpz_cmp(t, out) > 0)
            mpz_set(out, t);
    }
    mpz_clears(B, t, NULL);
    return fits;
}

/* Bisection would go through all bits of a long number: n and zeros follow from the length at once. */
static const char *solve(sheet *s, const mpz_t *v, int i, double *at)
{
    if (i != n && i != zeros)
        return NULL;
    const char *name = i == n ? "n" : "zeros", *out;
    mpz_t need, t;
    mpz_inits(need, t, NULL);
    if (!length_needed(need, v)) {
        mpz_t B, K;
        mpz_inits(B, K, NULL);
        size_of(B, v);
        funccomp_K(K, B, mpz_get_ui(v[L]));
        funccomp_N(t, mpz_get_ui(v[L]), mpz_get_ui(v[L]) - 1);
        out = sheet_text(s, "from n * 10^zeros above %s", number_power_text(s, K, t));
        mpz_clears(B, K, NULL);
    } else {
        if (i == n) { /* n >= need / 10^zeros */
            mpz_ui_pow_ui(t, 10, mpz_get_ui(v[zeros]));
            mpz_cdiv_q(t, need, t);
            if (mpz_cmp_ui(t, 2) < 0)
                mpz_set_ui(t, 2);
        } else { /* the least power of ten that is at least need / n */
            mpz_cdiv_q(need, need, v[n]);
            unsigned long k = number_digits(need) - 1;
            mpz_ui_pow_ui(t, 10, k);
            mpz_set_ui(t, mpz_cmp(t, need) < 0 ? k + 1 : k);
        }
        bool all = !mpz_cmp_ui(t, i == n ? 2 : 0);
        *at = mpz_sizeinbase(t, 2) <= 53 ? mpz_get_d(t) : NAN;
        out =
            all ? sheet_text(s, "for every %s", name) : sheet_text(s, "from %s = %s", name, sheet_int(s, t));
    }
    mpz_clears(need, t, NULL);
    return out;
}

static at_status check(const at_params *ps, const mpz_t *v, at_err *err)
{
    mpz_t length;
    mpz_init(length);
    length_of(length, v);
    bool ok = levels_allowed(v[L], length);
    double loglog = at_log2(number_log2(length));
    mpz_clear(length);
    if (ok)
        return AT_OK;
    return at_fail(err, AT_EDOMAIN,
                   "the theorem wants L <= O(log log n): L=%d, and log2 log2 n = %.3f at these n and zeros",
                   at_params_int(ps, "L"), loglog);
}

/* The largest L that a printing rules out at this length; 0: none. */
static unsigned long most_ruled_out(const mpz_t *v, const mpz_t length,
                                    bool (*holds)(const mpz_t *, const mpz_t))
{
    mpz_t w[COUNT(params)];
    for (int i = 0; i < COUNT(params); i++)
        mpz_init_set(w[i], v[i]);
    unsigned long out = 0;
    for (mpz_set_ui(w[L], 1); holds((const mpz_t *)w, length); mpz_add_ui(w[L], w[L], 1))
        out++;
    for (int i = 0; i < COUNT(params); i++)
        mpz_clear(w[i]);
    return out;
}

static void levels_print(sheet *s, const mpz_t K, unsigned long levels)
{
    mpz_t E;
    mpz_init(E);
    funccomp_m(E, levels);
    sheet_line(s, "m", "K^%s = %s", sheet_int(s, E), number_power_text(s, K, E));
    for (unsigned long l = 0; l < levels && l < SHOWN; l++) {
        funccomp_x(E, levels, l);
        sheet_line(s, sheet_text(s, "x_%lu", l), "K^%s = %s", sheet_int(s, E), number_power_text(s, K, E));
        if (l) {
            funccomp_n(E, levels, l);
            sheet_line(s, sheet_text(s, "n_%lu", l), "K^%s = %s", sheet_int(s, E),
                       number_power_text(s, K, E));
        }
        funccomp_N(E, levels, l);
        sheet_line(s, sheet_text(s, "N_%lu", l), "K^%s = %s", sheet_int(s, E), number_power_text(s, K, E));
    }
    if (levels > SHOWN) {
        funccomp_N(E, levels, levels - 1);
        sheet_line(s, sheet_text(s, "N_%lu", levels - 1), "K^%s = %s", sheet_int(s, E),
                   number_power_text(s, K, E));
    }
    mpz_clear(E);
}

static void report(sheet *s, const mpz_t *v)
{
    unsigned long levels = mpz_get_ui(v[L]);
    mpz_t B, K, E, length;
    mpz_inits(B, K, E, length, NULL);
    size_of(B, v);
    length_of(length, v);
    funccomp_K(K, B, levels);
    bool theorem = theorem_holds(v, length), given = parameters_hold(v, length);
    if (theorem != given)
        s->out->verdict = AT_BOUND_SHAPE;
    mpz_set_ui(E, 1);
    mpz_mul_2exp(E, E, 4 * levels);
    const char *wanted = number_power_text(s, B, E);
    s->out->inequality = sheet_text(s, "(Hdp)^(16^L) = %s^%s = %s %s n = %s", sheet_int(s, B),
                                    sheet_int(s, E), wanted, theorem ? "<=" : ">", sheet_int(s, length));
    funccomp_N(E, levels, levels - 1);
    mpz_mul_2exp(E, E, 3);
    sheet_line(s, "Theorem 1.1", "n >= (Hdp)^%.0f = %s: %s", at_pow(16, (double)levels), wanted,
               theorem ? "binds" : "does not bind");
    mpz_t tokens;
    mpz_init(tokens);
    bool fits = funccomp_tokens(tokens, B, levels, BITS_N);
    mpz_fdiv_q_2exp(length, E,
                    3); /* only for its text, the length is not needed below until it is made again */
    sheet_line(s, "its parameters", "n >= %s, about (HdpL)^%s 8^(2L^2 %s): %s",
               fits ? sheet_int(s, tokens) : number_power_text(s, K, length), sheet_int(s, E),
               sheet_int(s, length), given ? "bind" : "do not bind");
    mpz_clear(tokens);
    sheet_line(s, "K", "(HdpL)^8 8^(2L^2) = %s", sheet_int(s, K));
    levels_print(s, K, levels);
    length_of(length, v);
    sheet_line(s, "Hdp", "%s = n^%.4g; small means n^o(1)", sheet_int(s, B),
               number_log2(B) / number_log2(length));
    sheet_line(s, "largest L ruled out", "%lu by Theorem 1.1, %lu by its parameters",
               most_ruled_out(v, length, theorem_holds), most_ruled_out(v, length, parameters_hold));
    s->out->meaning =
        theorem && given
            ? sheet_text(s, "No decoder with L = %lu and this Hdp solves %lu-sequential composition.", levels,
                         levels)
        : theorem || given
            ? "The two printings of the theorem differ here: one of them binds, the other does not."
            : "The prompt is too short for either printing: nothing is ruled out.";
    mpz_clears(B, K, E, length, NULL);
}

static at_bound_bits counts(const mpz_t *v)
{
    (void)v;
    return AT_BITS_SOURCE;
}

const limit limit_funccomp_params = {.binds = binds,
                                     .counts = counts,
                                     .way = way,
                                     .solve = solve,
                                     .least = L,
                                     .least_times = -1,
                                     .check = check,
                                     .report = report};

const at_bound bound_funccomp_params = {
    .id = "funccomp-params",
    .title = "L layers do not do L-sequential composition: the parameters",
    .source = "Chen, Peng, Wu 2024, Theorem 1.1",
    .statement = "For L <= O~(log log n), no decoder of L layers solves L-sequential composition with "
                 "prompts of length n when Hdp <= n^(2^(-4L)); the "
                 "proof's parameters are printed beside, and ask for other n.",
    .constant = "two printings that do not agree; binding where both hold",
    .params = params,
    .n_params = COUNT(params),
    .unit = "layers",
    .size = "zeros",
    .compute = bound_compute,
};
