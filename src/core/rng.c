/* rng.c: a counter-based generator. Draw k of stream s under seed r is a fixed function of (r, s, k),
 * so sample i is the same whatever the number of threads. The mixer is SplitMix64's finaliser (Steele,
 * Lea, Flood 2014), applied twice with the key folded in between. */
#include <attest/core.h>

#include <math.h>
#include <string.h>

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

at_rng at_rng_at(uint64_t seed, uint64_t stream)
{
    return (at_rng){mix(seed + 0x9e3779b97f4a7c15u) ^ mix(mix(stream + 0x632be59bd9b4e019u)), 0};
}

uint64_t at_rng_u64(at_rng *r)
{
    return mix(mix(r->counter++ * 0x9e3779b97f4a7c15u + r->key) ^ r->key);
}

uint64_t at_rng_below(at_rng *r, uint64_t n)
{
    /* Lemire's multiply-shift with rejection of the short first interval. */
    unsigned __int128 m = (unsigned __int128)at_rng_u64(r) * n;
    if ((uint64_t)m < n) {
        uint64_t floor = -n % n;
        while ((uint64_t)m < floor)
            m = (unsigned __int128)at_rng_u64(r) * n;
    }
    return (uint64_t)(m >> 64);
}

double at_rng_unit(at_rng *r)
{
    return (double)(at_rng_u64(r) >> 11) * 0x1p-53;
}

double at_rng_normal(at_rng *r)
{
    double u = 1 - at_rng_unit(r), v = at_rng_unit(r); /* u in (0,1] */
    return sqrt(-2 * at_log(u)) * at_cos(6.283185307179586 * v);
}

uint64_t at_hash64(const void *data, size_t n, uint64_t seed)
{
    const unsigned char *p = data;
    uint64_t h = mix(seed ^ n);
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        h = mix(h ^ w) + 0x9e3779b97f4a7c15u;
    }
    uint64_t tail = 0;
    if (n)
        memcpy(&tail, p, n);
    return mix(h ^ tail);
}
