/* acc.c: exact sums in fixed point.
 *
 * A number is kept as limbs of 32 bits in 64-bit words (Kulisch's long accumulator with room for delayed
 * carries):
 *
 *     limb[0]            limb[k]                      limb[135]
 *     |.carry.|.32 bits.| ... |.carry.|.32 bits.| ... |
 *     2^-2176            2^(32k-2176)
 *
 * Adding a double touches three limbs, a product of two doubles three or five; carries wait in the upper
 * halves for up to 2^30 additions. Because the value is an integer times 2^-2176, addition is associative
 * and the result cannot depend on order or on how a sum was split.
 *
 * Invariants: |limb| <= (pending + 1) * 2^32; only limbs lo..hi are initialised, the others count as 0.
 * After at_acc_carry limbs lo..hi-1 are in [0, 2^32) and limb hi carries the sign. */
#include "num_internal.h"

void at_acc_zero(at_acc *s)
{
    s->pending = 0;
    s->lo = AT_ACC_LIMBS;
    s->hi = -1;
    s->special = 0;
}

void at_acc_widen(at_acc *s, int lo, int hi)
{
    if (s->lo > s->hi) {
        s->lo = lo;
        s->hi = lo - 1;
    }
    while (s->lo > lo)
        s->limb[--s->lo] = 0;
    while (s->hi < hi)
        s->limb[++s->hi] = 0;
}

void at_acc_carry(at_acc *s)
{
    int64_t carry = 0;
    for (int k = s->lo; k < s->hi; k++) {
        int64_t v = s->limb[k] + carry;
        carry = v >> 32; /* arithmetic shift: towards minus infinity */
        s->limb[k] = v & 0xffffffff;
    }
    if (s->lo <= s->hi) {
        int64_t v = s->limb[s->hi] + carry;
        while ((v >= (int64_t)1 << 32 || v < -((int64_t)1 << 32)) && s->hi < AT_ACC_LIMBS - 1) {
            s->limb[s->hi++] = v & 0xffffffff;
            v >>= 32;
        }
        s->limb[s->hi] = v;
    }
    s->pending = 0;
}

void at_acc_add_special(at_acc *s, double x)
{
    s->special += x;
}

void at_acc_add(at_acc *s, double x)
{
    at_acc_add_fast(s, x);
}

void at_acc_add_product(at_acc *s, double x, double y)
{
    at_acc_add_product_fast(s, x, y);
}

void at_acc_merge(at_acc *s, const at_acc *t)
{
    s->special += t->special;
    if (t->lo > t->hi)
        return;
    if (s->pending + t->pending >= AT_ACC_CARRY - 2)
        at_acc_carry(s);
    if (t->lo < s->lo || t->hi > s->hi)
        at_acc_widen(s, t->lo, t->hi);
    for (int k = t->lo; k <= t->hi; k++)
        s->limb[k] += t->limb[k];
    s->pending += t->pending + 1;
}

/* The magnitude of s, carried: limbs lo..top of 32 bits, the top one not 0. top < lo when s is 0. */
typedef struct {
    bool negative;
    int lo, top;
    uint32_t limb[AT_ACC_LIMBS];
} magnitude;

static void magnitude_of(at_acc *s, magnitude *m)
{
    at_acc_carry(s);
    m->lo = s->lo;
    m->top = s->hi;
    m->negative = s->lo <= s->hi && s->limb[s->hi] < 0;
    int64_t carry = 0;
    for (int k = s->lo; k <= s->hi; k++) {
        int64_t v = (m->negative ? -s->limb[k] : s->limb[k]) + carry;
        carry = v >> 32;
        m->limb[k] = (uint32_t)v;
    }
    if (carry) /* only -2^32 in the top limb: its magnitude needs one limb more */
        m->limb[++m->top] = (uint32_t)carry;
    while (m->top >= m->lo && m->limb[m->top] == 0)
        m->top--;
}

double at_acc_round(at_acc *s, const at_pfmt *f)
{
    magnitude m;
    if (s->special != 0)
        return s->special;
    magnitude_of(s, &m);
    if (m.top < m.lo)
        return 0;
    /* The top 64 bits come from at most three limbs; all that lies below is sticky. */
    uint64_t word[3] = {0, 0, 0}; /* top limb first */
    for (int i = 0; i < 3 && m.top - i >= m.lo; i++)
        word[i] = m.limb[m.top - i];
    int lead = __builtin_clz((uint32_t)word[0]);
    uint64_t high = (word[0] << 32 | word[1]) << lead | word[2] >> (32 - lead);
    bool sticky = (word[2] << lead & 0xffffffff) != 0;
    for (int k = m.top - 3; k >= m.lo && !sticky; k--)
        sticky = m.limb[k] != 0;
    return at_p_pack(f, m.negative, high, 32L * (m.top - 1) + AT_ACC_BASE - lead, sticky);
}

double at_acc_double(at_acc *s)
{
    at_pfmt f64 = at_pfmt_of((at_arith){AT_F64, 53, 11});
    return at_acc_round(s, &f64);
}

int at_acc_bits(at_acc *s)
{
    magnitude m;
    magnitude_of(s, &m);
    if (m.top < m.lo)
        return 0;
    int low = m.lo;
    while (m.limb[low] == 0)
        low++;
    return 32 * (m.top - low + 1) - __builtin_clz(m.limb[m.top]) - __builtin_ctz(m.limb[low]);
}

int at_acc_words(at_acc *s, bool *negative, int *low, uint32_t word[AT_ACC_LIMBS])
{
    magnitude m;
    magnitude_of(s, &m);
    *negative = m.negative;
    *low = 0;
    while (m.lo <= m.top && m.limb[m.lo] == 0)
        m.lo++;
    if (m.top < m.lo)
        return 0;
    int shift = __builtin_ctz(m.limb[m.lo]), n = m.top - m.lo + 1;
    for (int k = 0; k < n; k++) {
        uint64_t above = k + 1 < n ? m.limb[m.lo + k + 1] : 0;
        word[k] = (uint32_t)((above << 32 | m.limb[m.lo + k]) >> shift);
    }
    *low = 32 * m.lo + AT_ACC_BASE + shift;
    return n - (word[n - 1] == 0);
}

void at_acc_add_words(at_acc *s, bool negative, int low, const uint32_t *word, int n)
{
    for (int k = 0; k < n; k++)
        at_acc_add_mantissa(s, word[k], low + 32 * k - AT_ACC_BASE, -(int64_t)negative);
}
