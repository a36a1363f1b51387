/* arith.c: names of arithmetics.
 *
 * An arithmetic is named by one word (f32, p12, p12e8, q4e3, ball256, exact). at_arith_name writes the shortest
 * word that parses back to the same arithmetic, so names can be keys. */
#include <attest/num.h>

#include "flint_compat.h"

#include <stdio.h>
#include <string.h>

/* FLINT, Arb and MPFR keep caches for each thread; those of a thread that ended would be lost. */
__attribute__((constructor)) static void caches_watch(void)
{
    at_thread_on_end(flint_cleanup);
}

enum { EXP_DEFAULT = 10, BALL_DEFAULT = 128, BALL_MIN = 24, BALL_MAX = 65536 };

/* Reads decimal digits without leading zeros at *s; -1 when there are none. Numbers above 10^6 all
 * become 10^6, which every range refuses. */
static int digits_read(const char **s)
{
    const char *t = *s;
    int v = 0;
    if (*t < '1' || *t > '9')
        return -1;
    for (; *t >= '0' && *t <= '9'; t++)
        v = v > 99999 ? 1000000 : v * 10 + (*t - '0');
    *s = t;
    return v;
}

static at_status unknown(const char *s, at_err *err)
{
    return at_fail(err, AT_EINPUT,
                   "%.40s: unknown arithmetic (allowed: f32, f64, pN, pNeE, qN, qNeE, ball, ballN, exact; "
                   "e.g. p12, p12e8)",
                   *s ? s : "(empty)");
}

static at_status pbit_parse(const char *s, at_arith *out, at_err *err)
{
    const char *t = s + 1;
    int p = digits_read(&t), e = EXP_DEFAULT;
    if (p < 0 && *t != '0')
        return unknown(s, err);
    if (p >= 0 && *t == 'e') {
        t++;
        e = digits_read(&t);
        if (e < 0 && *t != '0')
            return unknown(s, err);
    }
    if (p < 0 || p > 53 || p < 2)
        return at_fail(err, AT_EDOMAIN, "%.40s: mantissa bits must be 2..53", s);
    bool quotient = s[0] == 'q';
    if (quotient ? e < 3 || e > 10 : e != 11 && (e < 3 || e > 10))
        return at_fail(err, AT_EDOMAIN, "%.40s: exponent bits must be 3..10%s", s,
                       quotient ? "" : " (or p53e11, which is f64)");
    if (*t)
        return unknown(s, err);
    if (e == 11 && p != 53)
        return at_fail(err, AT_EDOMAIN, "%.40s: 11 exponent bits only with 53 mantissa bits (p53e11)", s);
    *out = (at_arith){quotient ? AT_QUOTIENT : AT_PBIT, p, e};
    return AT_OK;
}

static at_status ball_parse(const char *s, at_arith *out, at_err *err)
{
    const char *t = s + 4;
    int bits = *t ? digits_read(&t) : BALL_DEFAULT;
    if (*t && !(bits < 0 && *t == '0'))
        return unknown(s, err);
    if (bits < BALL_MIN || bits > BALL_MAX)
        return at_fail(err, AT_EDOMAIN, "%.40s: working precision must be %d..%d bits", s, BALL_MIN,
                       BALL_MAX);
    *out = (at_arith){AT_BALL, bits, 0};
    return AT_OK;
}

at_status at_arith_parse(const char *s, at_arith *out, at_err *err)
{
    if (!strcmp(s, "f32"))
        *out = (at_arith){AT_F32, 24, 8};
    else if (!strcmp(s, "f64"))
        *out = (at_arith){AT_F64, 53, 11};
    else if (!strcmp(s, "exact"))
        *out = (at_arith){AT_EXACT, 0, 0};
    else if (s[0] == 'p' || s[0] == 'q')
        return pbit_parse(s, out, err);
    else if (!strncmp(s, "ball", 4))
        return ball_parse(s, out, err);
    else
        return unknown(s, err);
    return AT_OK;
}

void at_arith_name(at_arith a, char out[16])
{
    switch (a.kind) {
    case AT_F32:
        snprintf(out, 16, "f32");
        break;
    case AT_F64:
        snprintf(out, 16, "f64");
        break;
    case AT_PBIT:
    case AT_QUOTIENT:
        out[0] = a.kind == AT_PBIT ? 'p' : 'q';
        if (a.exp_bits == EXP_DEFAULT)
            snprintf(out + 1, 15, "%d", a.bits);
        else
            snprintf(out + 1, 15, "%de%d", (int8_t)a.bits, (int8_t)a.exp_bits);
        break;
    case AT_BALL:
        if (a.bits == BALL_DEFAULT)
            snprintf(out, 16, "ball");
        else
            snprintf(out, 16, "ball%d", a.bits);
        break;
    case AT_EXACT:
        snprintf(out, 16, "exact");
        break;
    default:
        snprintf(out, 16, "?");
    }
}
