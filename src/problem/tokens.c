/* tokens.c: what the token tasks share: reading, drawing, enumerating and shrinking rows of residues.
 *
 * Two enumerations. Sequences: the index written in base M, the LAST position fastest, so consecutive
 * inputs share a prefix. Multisets: sorted sequences x_1 <= ... <= x_N in colexicographic order, the FIRST
 * position fastest. The map c_i = x_i + i - 1 makes them strictly increasing, and their rank is that of the
 * combinatorial number system,
 *
 *     index = sum over i = 1..N of C(x_i + i - 1, i),
 *
 * which names no M: so an index means the same input for every M that has it, and unranking works below any
 * count, even one too large to count.
 *
 * The successor of a sequence costs M/(M-1) steps on average. That of a multiset touches the first run of
 * equal tokens, about 1 + N/M of them. Nothing here allocates or keeps state. */
#include <assert.h>

#include <attest/model.h>

#include "problem_internal.h"

int at_tokens_width(const at_params *p)
{
    (void)p;
    return 1;
}

int at_tokens_size(const at_params *p)
{
    if (at_params_has(p, "V") || at_params_has(p, "M"))
        return at_params_int(p, at_params_has(p, "V") ? "V" : "M");
    return at_params_has(p, "k") ? 2 * at_params_int(p, "k") : 2;
}

int at_decision_answers(const at_params *p)
{
    (void)p;
    return 2;
}

void at_bits_word(const at_params *p, int token, char out[AT_WORD_MAX + 1])
{
    (void)p;
    out[0] = (char)('0' + token);
    out[1] = 0;
}

void at_tokens_read(const double *x, int N, int M, uint16_t *v)
{
    assert(N >= 1 && N <= AT_LENGTH_MAX && M >= 1 && M <= AT_MODULUS_MAX);
    for (int i = 0; i < N; i++) {
        int64_t a = (int64_t)x[i];
        if ((uint64_t)a >= (uint64_t)M) /* never for an input of the task: no division in the common case */
            a = at_mod(a, M);
        v[i] = (uint16_t)a;
    }
}

bool at_tokens_pair(const at_residues *s, const uint16_t *v, int n, int a, int M)
{
    for (int j = 0; j < n; j++)
        if (at_residues_has(s, at_mod_neg(at_mod_add(a, v[j], M), M)))
            return true;
    return false;
}

/* ---- draws ------------------------------------------------------------------------------------------ */

int at_tokens_draw(at_rng *r, int M)
{
    return (int)at_rng_below(r, (uint64_t)M);
}

int at_tokens_miss(at_rng *r)
{
    return at_rng_below(r, 2) ? 1 : -1;
}

int at_tokens_low(at_rng *r, int M, int terms)
{
    int most = (M - 1) / terms; /* 1..most: `terms` of them sum to 1..M-1 */
    return most < 1 ? 1 % M : 1 + at_tokens_draw(r, most);
}

int at_tokens_fold(at_rng *r, int M, int terms)
{
    int64_t t = (int64_t)at_rng_below(r, (uint64_t)terms);
    return at_mod((t * M + (int64_t)at_rng_below(r, (uint64_t)terms)) / terms, M);
}

void at_tokens_sample(const at_params *p, at_rng *r, double *x)
{
    int N = at_params_int(p, "N"), M = at_tokens_size(p);
    for (int i = 0; i < N; i++)
        x[i] = at_tokens_draw(r, M);
}

/* ---- enumeration ------------------------------------------------------------------------------------ */

uint64_t at_words_count(int letters, int n)
{
    uint64_t count = 1;
    for (int i = 0; i < n; i++)
        if (__builtin_mul_overflow(count, (uint64_t)letters, &count))
            return UINT64_MAX;
    return count;
}

void at_words_nth(int letters, int n, uint64_t index, double *x)
{
    for (int i = n - 1; i >= 0; i--, index /= (uint64_t)letters)
        x[i] = (double)(index % (uint64_t)letters);
}

bool at_words_simpler(const at_params *p, const double *x, int n, int k, double *out)
{
    (void)p;
    memcpy(out, x, (size_t)n * sizeof *out);
    for (int i = 0; i < n; i++)
        if (x[i] != 0 && k-- == 0) {
            out[i] = 0;
            return true;
        }
    return false;
}

uint64_t at_tokens_count(const at_params *p, at_enum e)
{
    int N = at_params_int(p, "N"), M = at_tokens_size(p);
    if (e == AT_ENUM_SEQUENCES)
        return at_words_count(M, N);
    if (e == AT_ENUM_MULTISETS) {
        int64_t count = at_choose((int64_t)M + N - 1, N);
        return count == INT64_MAX ? UINT64_MAX : (uint64_t)count;
    }
    return 0;
}

static void multiset_nth(int N, int M, uint64_t index, double *x)
{
    int64_t rest = (int64_t)index;
    int hi = M - 1; /* x_i is at most x_{i+1} */
    for (int i = N; i >= 1; i--) {
        int lo = 0;
        if (rest == 0)
            hi = 0;
        while (lo < hi) { /* the largest token whose C(token+i-1, i) still fits */
            int mid = lo + (hi - lo + 1) / 2;
            if (at_choose((int64_t)mid + i - 1, i) <= rest)
                lo = mid;
            else
                hi = mid - 1;
        }
        rest -= lo ? at_choose((int64_t)lo + i - 1, i) : 0;
        x[i - 1] = hi = lo;
    }
}

void at_tokens_nth(const at_params *p, at_enum e, uint64_t index, double *x)
{
    int N = at_params_int(p, "N"), M = at_tokens_size(p);
    if (e == AT_ENUM_MULTISETS) {
        multiset_nth(N, M, index, x);
        return;
    }
    at_words_nth(M, N, index, x);
}

/* After the last input comes the first again. */
void at_tokens_next(const at_params *p, at_enum e, uint64_t index, double *x)
{
    (void)index;
    int N = at_params_int(p, "N"), M = at_tokens_size(p);
    if (e == AT_ENUM_MULTISETS) {
        int i = 0;
        while (i < N && x[i] == (i + 1 < N ? x[i + 1] : M - 1))
            x[i++] = 0;
        if (i < N)
            x[i] += 1;
        return;
    }
    for (int i = N - 1; i >= 0; i--) {
        if (x[i] < M - 1) {
            x[i] += 1;
            return;
        }
        x[i] = 0;
    }
}

/* ---- shrinking -------------------------------------------------------------------------------------- */

/* Every candidate has a smaller sum of tokens than x, so greedy descent ends. Large steps come first: a
 * token to 0, then halved, then less by one; steps that would repeat an earlier one are left out (0 has
 * none, 1 has one, 2 has two). */
bool at_tokens_simpler(const at_params *p, const double *x, int n, int k, double *out)
{
    (void)p;
    for (int step = 0; step < 3; step++)
        for (int i = 0; i < n; i++) {
            if (x[i] < step + 1)
                continue;
            if (k-- > 0)
                continue;
            memcpy(out, x, (size_t)n * sizeof *x);
            out[i] = step == 0 ? 0 : step == 1 ? (double)((int64_t)x[i] / 2) : x[i] - 1;
            return true;
        }
    return false;
}
