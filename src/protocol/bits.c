/* bits.c: strings of bits, and numbers and exact sums written into them.
 *
 * Bits go in from the lowest: bit i of a string is bit i mod 8 of byte i/8. */
#include <attest/protocol.h>

#include <math.h>
#include <string.h>

void at_bits_release(at_bits *b)
{
    at_free(b->byte);
    *b = (at_bits){0};
}

static bool bits_room(at_bits *b, int more)
{
    size_t need = (b->n + (size_t)more + 7) / 8;
    if (need <= b->cap)
        return true;
    size_t cap = b->cap ? 2 * b->cap : 64;
    while (cap < need)
        cap *= 2;
    uint8_t *byte = at_realloc(b->byte, cap);
    if (!byte) {
        b->oom = true;
        return false;
    }
    for (size_t i = b->cap; i < cap; i++)
        byte[i] = 0;
    b->byte = byte;
    b->cap = cap;
    return true;
}

void at_bits_put(at_bits *b, uint64_t value, int bits)
{
    if (!bits_room(b, bits))
        return;
    while (bits > 0) {
        int at = (int)(b->n % 8), take = 8 - at < bits ? 8 - at : bits;
        unsigned mask = (1u << take) - 1;
        uint8_t *byte = &b->byte[b->n / 8];
        *byte = (uint8_t)((*byte & ~(mask << at)) | ((unsigned)value & mask) << at);
        value >>= take;
        b->n += (size_t)take;
        bits -= take;
    }
}

uint64_t at_bits_get(at_bits_reader *r, int bits)
{
    uint64_t value = 0;
    if (r->over || r->at + (size_t)bits > r->from->n) {
        r->over = true;
        return 0;
    }
    for (int got = 0; got < bits;) {
        int at = (int)(r->at % 8), take = 8 - at < bits - got ? 8 - at : bits - got;
        value |= (uint64_t)((unsigned)r->from->byte[r->at / 8] >> at & ((1u << take) - 1)) << got;
        got += take;
        r->at += (size_t)take;
    }
    return value;
}

/* ---- codes ------------------------------------------------------------------------------------------------ */

/* Bits that hold 0..most. */
static int bits_for(int most)
{
    int n = 0;
    while (most >> n)
        n++;
    return n;
}

at_code at_code_of(at_arith a, int T, bool wide)
{
    at_code c = {.f = at_pfmt_of(a), .exp_bits = a.exp_bits};
    c.number = c.f.p + c.exp_bits;
    c.low = 2 * (c.f.emin - c.f.p + 1);
    c.W = (wide ? 2 : 1) * (c.f.emax + 1) + bits_for(T - 1) - c.low; /* T terms below 2^(W + low) / T */
    c.A = c.W + 1;
    return c;
}

void at_code_number(const at_code *c, at_bits *b, double x)
{
    int p = c->f.p;
    uint64_t sign = !isnan(x) && signbit(x), field, mantissa, all = ((uint64_t)1 << c->exp_bits) - 1;
    double size = fabs(x);
    if (!isfinite(x)) {
        field = all;
        mantissa = isnan(x);
    } else if (size < c->f.norm) {
        field = 0;
        mantissa = (uint64_t)ldexp(size, p - 1 - c->f.emin);
    } else {
        int e = ilogb(size);
        field = (uint64_t)(e - c->f.emin + 1);
        mantissa = (uint64_t)ldexp(size, p - 1 - e) - ((uint64_t)1 << (p - 1));
    }
    at_bits_put(b, mantissa, p - 1);
    at_bits_put(b, field, c->exp_bits);
    at_bits_put(b, sign, 1);
}

double at_code_number_read(const at_code *c, at_bits_reader *r)
{
    int p = c->f.p;
    uint64_t mantissa = at_bits_get(r, p - 1), field = at_bits_get(r, c->exp_bits);
    bool negative = at_bits_get(r, 1);
    double size;
    if (field == ((uint64_t)1 << c->exp_bits) - 1)
        size = mantissa ? NAN : INFINITY;
    else if (field == 0)
        size = ldexp((double)mantissa, c->f.emin - p + 1);
    else
        size = ldexp((double)(mantissa + ((uint64_t)1 << (p - 1))), (int)field - 1 + c->f.emin - p + 1);
    return negative ? -size : size;
}

/* A sum is at most T max, which is 2^(W-p) units short of 2^W: the three integers below are never reached by one. */
enum { FINITE, PLUS_INFINITY, MINUS_INFINITY, NOT_A_NUMBER };

/* word (A bits, from the lowest) as one of the free integers; words beyond A are 0. */
static void special_fill(const at_code *c, int what, uint32_t *word)
{
    memset(word, 0, AT_ACC_LIMBS * sizeof *word);
    for (int k = 0; k < c->W && what == PLUS_INFINITY; k++)
        word[k / 32] |= (uint32_t)1 << k % 32;
    if (what != PLUS_INFINITY)
        word[c->W / 32] |= (uint32_t)1 << c->W % 32;
    if (what == MINUS_INFINITY)
        word[0] |= 1;
}

/* word = -word modulo 2^A. */
static void negate(const at_code *c, uint32_t *word)
{
    int n = (c->A + 31) / 32;
    uint64_t carry = 1;
    for (int k = 0; k < n; k++) {
        carry += (uint32_t)~word[k];
        word[k] = (uint32_t)carry;
        carry >>= 32;
    }
    if (c->A % 32)
        word[n - 1] &= ((uint32_t)1 << c->A % 32) - 1;
}

void at_code_sum(const at_code *c, at_bits *b, at_acc *s)
{
    uint32_t word[AT_ACC_LIMBS], odd[AT_ACC_LIMBS];
    bool negative;
    int low;
    if (s->special != 0) {
        special_fill(c,
                     isnan(s->special) ? NOT_A_NUMBER
                     : s->special > 0  ? PLUS_INFINITY
                                       : MINUS_INFINITY,
                     word);
    } else {
        int n = at_acc_words(s, &negative, &low, odd), shift = low - c->low;
        memset(word, 0, sizeof word);
        for (int k = 0; k < n; k++) {
            uint64_t two = (uint64_t)odd[k] << shift % 32;
            word[shift / 32 + k] |= (uint32_t)two;
            word[shift / 32 + k + 1] |= (uint32_t)(two >> 32);
        }
        if (negative)
            negate(c, word);
    }
    for (int k = 0; k < c->A; k += 32)
        at_bits_put(b, word[k / 32], c->A - k < 32 ? c->A - k : 32);
}

void at_code_sum_read(const at_code *c, at_bits_reader *r, at_acc *s)
{
    uint32_t word[AT_ACC_LIMBS] = {0}, free_one[AT_ACC_LIMBS];
    for (int k = 0; k < c->A; k += 32)
        word[k / 32] = (uint32_t)at_bits_get(r, c->A - k < 32 ? c->A - k : 32);
    static const double specials[] = {0, INFINITY, -INFINITY, NAN};
    for (int what = PLUS_INFINITY; what <= NOT_A_NUMBER; what++) {
        special_fill(c, what, free_one);
        if (!memcmp(word, free_one, sizeof word)) {
            at_acc_add(s, specials[what]);
            return;
        }
    }
    bool negative = word[c->W / 32] >> c->W % 32 & 1;
    if (negative)
        negate(c, word);
    int n = (c->A + 31) / 32;
    while (n && !word[n - 1])
        n--;
    at_acc_add_words(s, negative, c->low, word, n);
}
