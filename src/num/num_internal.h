/* num_internal.h: what the files of num share beyond pbit_rows.h: the door from integers into a format, and
 * the exact sum as inline code. */
#ifndef ATTEST_NUM_INTERNAL_H
#define ATTEST_NUM_INTERNAL_H

#include "pbit_rows.h"

/* (m + s) * 2^e rounded once into f, with the sign; m has its top bit set, s is 0 or, when sticky,
 * some number strictly between 0 and 1. The slow, general door through which integers enter a format. */
double at_p_pack(const at_pfmt *f, bool negative, uint64_t m, long e, bool sticky);

/* ---- exact sums: layout in acc.c ---------------------------------------------------------------- */

enum {
    AT_ACC_CARRY = 1 << 30 /* additions a limb can take between carry propagations */
};

void at_acc_carry(at_acc *s);                 /* propagates carries: limbs below hi in [0, 2^32) */
void at_acc_widen(at_acc *s, int lo, int hi); /* limbs lo..hi become part of the number, as zeros */
void at_acc_add_special(at_acc *s, double x); /* x infinite or NaN */

/* Makes limbs k..top ready for one more addition. */
static inline void at_acc_open(at_acc *s, int k, int top)
{
    if (AT_UNLIKELY((k < s->lo) | (top > s->hi)))
        at_acc_widen(s, k, top);
    if (AT_UNLIKELY(++s->pending > AT_ACC_CARRY))
        at_acc_carry(s);
}

/* Adds +-m * 2^(AT_ACC_BASE + bit), m < 2^53; sign is 0 or -1. */
static inline void at_acc_add_mantissa(at_acc *s, uint64_t m, int bit, int64_t sign)
{
    int k = bit >> 5, r = bit & 31;
    uint64_t low = m << r, high = (m >> 1) >> (63 - r); /* m * 2^r in two words */
    at_acc_open(s, k, k + 2);
    s->limb[k] += ((int64_t)(low & 0xffffffff) ^ sign) - sign;
    s->limb[k + 1] += ((int64_t)(low >> 32) ^ sign) - sign;
    s->limb[k + 2] += ((int64_t)high ^ sign) - sign;
}

static inline void at_acc_add_fast(at_acc *s, double x)
{
    uint64_t u = at_bits_of(x), m = u & 0xfffffffffffff;
    int e = (int)(u >> 52) & 2047;
    if (AT_UNLIKELY(e == 2047)) {
        at_acc_add_special(s, x);
        return;
    }
    m |= (uint64_t)(e != 0) << 52;
    at_acc_add_mantissa(s, m, e - (e != 0) - 1074 - AT_ACC_BASE, -(int64_t)(u >> 63));
}

/* x*y as integers: two mantissas of 53 bits make 106, so nothing is lost to underflow. A product that
 * fits in 53 bits (always for p <= 26) takes the three-limb road. */
static inline void at_acc_add_product_fast(at_acc *s, double x, double y)
{
    uint64_t u = at_bits_of(x), v = at_bits_of(y);
    int e = (int)(u >> 52) & 2047, d = (int)(v >> 52) & 2047;
    if (AT_UNLIKELY((e == 2047) | (d == 2047))) {
        at_acc_add_special(s, x * y);
        return;
    }
    uint64_t m = (u & 0xfffffffffffff) | (uint64_t)(e != 0) << 52;
    uint64_t n = (v & 0xfffffffffffff) | (uint64_t)(d != 0) << 52;
    unsigned __int128 w = (unsigned __int128)m * n;
    int bit = e - (e != 0) + d - (d != 0) - 2148 - AT_ACC_BASE;
    int64_t sign = -(int64_t)((u ^ v) >> 63);
    if (((uint64_t)w & 0x1fffffffffffff) == 0) {
        at_acc_add_mantissa(s, (uint64_t)(w >> 53), bit + 53, sign);
        return;
    }
    int k = bit >> 5, r = bit & 31;
    uint64_t low = (uint64_t)w << r, high = (uint64_t)(w >> 64);
    uint64_t mid = (high << r) | (((uint64_t)w >> 1) >> (63 - r)), top = (high >> 1) >> (63 - r);
    at_acc_open(s, k, k + 4);
    s->limb[k] += ((int64_t)(low & 0xffffffff) ^ sign) - sign;
    s->limb[k + 1] += ((int64_t)(low >> 32) ^ sign) - sign;
    s->limb[k + 2] += ((int64_t)(mid & 0xffffffff) ^ sign) - sign;
    s->limb[k + 3] += ((int64_t)(mid >> 32) ^ sign) - sign;
    s->limb[k + 4] += ((int64_t)top ^ sign) - sign;
}

#endif
