/* chains_ed.c: words that edit distance tells apart, counted.
 *
 * Take b = 1...1 2...2 ... k...k, letter x m_x times, m_1 + ... + m_k = n. Words a of n letters in which each x of 1..k occurs at most m_x
 * times, and one more letter at will, have different tables (docs/bounds.md, dp-hard, has the proof). Most words are such when the m_x
 * are as equal as they can be and k is as large as it can be: one below the number of letters, and at most n.
 *
 * Two such words one behind the other are one again, of both lengths, so of long words pieces are counted: C_n >= C_r C_256^j, n = 256 j + r. */
#include "bound_internal.h"

#include <assert.h>

/* g[m] for m <= n: words of m letters over `kinds` letters that each occur at most `most` times, and one more letter at will when `other`.
 *
 * Their exponential generating function is G = E^kinds, or e^z E^kinds, with E = 1 + z + ... + z^most / most!. E G' = kinds E' G (+ E G), which is
 *   g_m = sum over 1 <= j <= most of (kinds C(m-1, j-1) - C(m-1, j)) g_(m-j)   (+ sum over 0 <= j <= most of C(m-1, j) g_(m-1-j)). */
static void capped(mpz_t *g, unsigned long n, unsigned long kinds, unsigned long most, bool other)
{
    mpz_t c, t;
    mpz_inits(c, t, NULL);
    mpz_set_ui(g[0], 1);
    for (unsigned long m = 1; m <= n; m++) {
        mpz_set_ui(g[m], 0);
        mpz_set_ui(c, 1); /* C(m-1, j) */
        for (unsigned long j = 0; j <= most && j < m; j++) {
            mpz_mul(t, c, g[m - 1 - j]);
            mpz_addmul_ui(g[m], t, (j < most ? kinds : 0) + other);
            if (j)
                mpz_submul(g[m], c, g[m - j]);
            mpz_mul_ui(c, c, m - 1 - j);
            mpz_divexact_ui(c, c, j + 1);
        }
    }
    mpz_clears(c, t, NULL);
}

static unsigned long kinds_of(unsigned long n, unsigned long letters)
{
    return letters - 1 < n ? letters - 1 : n;
}

static void words_count(mpz_t out, unsigned long n, unsigned long letters)
{
    mpz_t few[CHAINS_ED_PIECE + 1], many[CHAINS_ED_PIECE + 1], c;
    unsigned long k = kinds_of(n, letters), most = k ? n / k : 0, longer = k ? n % k : 0;
    mpz_set_ui(out, 0);
    mpz_setbit(out, n);
    if (k <= 1) /* all words of two letters */
        return;
    mpz_init_set_ui(c, 1); /* C(n, i) */
    for (unsigned long i = 0; i <= n; i++)
        mpz_inits(few[i], many[i], NULL);
    capped(few, n, k - longer, most, true);
    capped(many, n, longer, most + 1, false);
    mpz_set_ui(out, 0);
    for (unsigned long i = 0; i <= n; i++) {
        mpz_mul(many[i], many[i], c);
        mpz_addmul(out, many[i], few[n - i]);
        mpz_mul_ui(c, c, n - i);
        mpz_divexact_ui(c, c, i + 1);
    }
    for (unsigned long i = 0; i <= n; i++)
        mpz_clears(few[i], many[i], NULL);
    mpz_clear(c);
}

/* Searches for the least width, or the least n, ask for the same numbers again and again; one of n letters out of 256 has at most 2048 bits. */
#define KEPT  64
#define LIMBS (CHAINS_ED_PIECE * 8 / 64 + 1)
static _Thread_local struct {
    unsigned long n, letters; /* letters 0: nothing yet */
    size_t limbs;
    uint64_t limb[LIMBS];
} kept[KEPT];

void chains_ed_words(mpz_t out, unsigned long n, unsigned long letters)
{
    size_t at = (n * 31 + letters) % KEPT;
    if (kept[at].letters == letters && kept[at].n == n) {
        mpz_import(out, kept[at].limbs, -1, sizeof(uint64_t), 0, 0, kept[at].limb);
        return;
    }
    words_count(out, n, letters);
    assert(n <= CHAINS_ED_PIECE && letters <= CHAINS_ED_LETTERS && mpz_sizeinbase(out, 2) <= 64 * LIMBS);
    kept[at].n = n;
    kept[at].letters = letters;
    mpz_export(kept[at].limb, &kept[at].limbs, -1, sizeof(uint64_t), 0, 0, out);
}

/* At least rest * piece^times chains, of which times is 0 for words that are counted whole. */
static void pieces(mpz_t rest, mpz_t piece, mpz_t times, const mpz_t n, const mpz_t letters)
{
    unsigned long k = mpz_cmp_ui(letters, CHAINS_ED_LETTERS) < 0 ? mpz_get_ui(letters) : CHAINS_ED_LETTERS;
    unsigned long more = mpz_fdiv_q_ui(times, n, CHAINS_ED_PIECE);
    chains_ed_words(rest, more, k);
    mpz_set_ui(piece, 1);
    if (mpz_sgn(times))
        chains_ed_words(piece, CHAINS_ED_PIECE, k);
}

bool chains_ed_above(const mpz_t n, const mpz_t letters, const mpz_t x)
{
    mpz_t rest, piece, times;
    mpz_inits(rest, piece, times, NULL);
    pieces(rest, piece, times, n, letters);
    bool out = number_below_log_product(x, rest, piece, times);
    mpz_clears(rest, piece, times, NULL);
    return out;
}

double chains_ed_log2(const mpz_t n, const mpz_t letters)
{
    mpz_t rest, piece, times;
    mpz_inits(rest, piece, times, NULL);
    pieces(rest, piece, times, n, letters);
    double out = number_log2(rest) + number_log2_power(piece, times);
    mpz_clears(rest, piece, times, NULL);
    return out;
}

const char *chains_ed_text(sheet *s, const mpz_t n, const mpz_t letters)
{
    bool whole = mpz_cmp_ui(n, CHAINS_ED_PIECE) <= 0;
    unsigned long length = whole ? mpz_get_ui(n) : CHAINS_ED_PIECE;
    unsigned long k = kinds_of(length, mpz_cmp_ui(letters, CHAINS_ED_LETTERS) < 0 ? mpz_get_ui(letters)
                                                                                  : CHAINS_ED_LETTERS);
    double log = chains_ed_log2(n, letters);
    if (k == 1)
        return sheet_text(s, "at least 2^%s", sheet_int(s, n));
    return sheet_text(s, "at least 2^%.10g: words with at most %lu%s of each of %lu letters%s", log,
                      length / k, length % k ? sheet_text(s, " or %lu", length / k + 1) : "", k,
                      whole ? "" : ", in pieces of 256");
}

void chains_ed_letters_top(const mpz_t n, mpz_t out)
{
    mpz_add_ui(out, n, 1);
    if (mpz_cmp_ui(out, CHAINS_ED_LETTERS) > 0)
        mpz_set_ui(out, CHAINS_ED_LETTERS);
}
