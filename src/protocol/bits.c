/* bits.c: strings of bits, and numbers and exact sums written into them.
 *
 * Bits go in from the lowest: bit i of a string is bit i mod 8 of byte i/8. */
#include <attest/protocol.h>

#include <math.h>

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
    int high = (wide ? 2 : 1) * (c.f.emax + 1) + bits_for(T - 1); /* T terms below 2^high/T */
    c.W = high - c.low;
    c.length_bits = bits_for(c.W + 2);
    c.shift_bits = bits_for(c.W - 1);
    c.A = c.length_bits + 1 + c.shift_bits + c.W;
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

void at_code_sum(const at_code *c, at_bits *b, at_acc *s)
{
    uint32_t word[AT_ACC_LIMBS];
    bool negative;
    int low;
    if (s->special != 0) {
        at_bits_put(b, (uint64_t)(c->W + (isnan(s->special) ? 2 : 1)), c->length_bits);
        at_bits_put(b, s->special < 0, 1);
        return;
    }
    int n = at_acc_words(s, &negative, &low, word);
    int length = n ? 32 * n - __builtin_clz(word[n - 1]) : 0;
    at_bits_put(b, (uint64_t)length, c->length_bits);
    if (!n)
        return;
    at_bits_put(b, negative, 1);
    at_bits_put(b, (uint64_t)(low - c->low), c->shift_bits);
    for (int k = 0; k < n; k++)
        at_bits_put(b, word[k], k + 1 < n ? 32 : length - 32 * k);
}

void at_code_sum_read(const at_code *c, at_bits_reader *r, at_acc *s)
{
    uint32_t word[AT_ACC_LIMBS];
    int length = (int)at_bits_get(r, c->length_bits), n = (length + 31) / 32;
    if (length == 0)
        return;
    bool negative = at_bits_get(r, 1);
    if (length > c->W) {
        at_acc_add(s, length == c->W + 1 ? (negative ? -INFINITY : INFINITY) : NAN);
        return;
    }
    int low = (int)at_bits_get(r, c->shift_bits) + c->low;
    for (int k = 0; k < n; k++)
        word[k] = (uint32_t)at_bits_get(r, k + 1 < n ? 32 : length - 32 * k);
    if (!r->over)
        at_acc_add_words(s, negative, low, word, n);
}
