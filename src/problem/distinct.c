/* distinct.c: samples without duplicates: the numbers of those whose row, or prompt, none before them has.
 *
 * Stretches of samples are drawn in parallel and hashed; the hashes are met in order, in a table with open addresses. Two
 * different rows with one hash (a chance of 3e-8 in a million) would only lose the second. */
#include "stream.h"

#define STRETCH 1024
#define MORE    64    /* draws a row that is asked for, ... */
#define SURE    10000 /* ... and so many */

typedef struct {
    const at_source *d;
    uint64_t seed, first, hash[STRETCH];
    at_part split;
    bool of_prompts;
    at_err wrong[STRETCH];
} stretch;

static void hash_take(void *ctx, size_t k, int worker)
{
    (void)worker;
    stretch *x = ctx;
    at_sequence s = {.token = at_calloc((size_t)at_source_longest(x->d), sizeof(int))};
    x->wrong[k] = (at_err){0};
    if (!s.token)
        at_oom(&x->wrong[k]);
    else if (!at_source_sample(x->d, x->seed, x->split, x->first + k, &s, &x->wrong[k])) {
        size_t n = (size_t)(x->of_prompts ? s.prompt : s.n);
        x->hash[k] = at_hash64(s.token, n * sizeof *s.token, 0);
        x->hash[k] += !x->hash[k]; /* 0: an empty place */
    }
    at_free(s.token);
}

/* Was it there already? */
static bool met(uint64_t *table, uint64_t places, uint64_t hash)
{
    uint64_t i = hash & (places - 1);
    for (; table[i]; i = (i + 1) & (places - 1))
        if (table[i] == hash)
            return true;
    table[i] = hash;
    return false;
}

at_status at_source_distinct(const at_source *d, uint64_t seed, at_part split, uint64_t count,
                             bool of_prompts, int threads, uint64_t *index, uint64_t *found, at_err *err)
{
    uint64_t places = 2, most = MORE * count + SURE;
    while (places < 2 * count)
        places *= 2;
    uint64_t *table = at_calloc(places, sizeof *table);
    stretch *x = at_calloc(1, sizeof *x);
    at_status s = table && x ? AT_OK : at_oom(err);
    *found = 0;
    if (x)
        *x = (stretch){.d = d, .seed = seed, .split = split, .of_prompts = of_prompts};
    for (; !s && *found < count && x->first < most; x->first += STRETCH) {
        s = at_cancel_pending() ? at_fail(err, AT_ECANCEL, "interrupted")
                                : at_parallel(threads, STRETCH, hash_take, x, err);
        for (size_t k = 0; k < STRETCH && !s && *found < count; k++) {
            if (x->wrong[k].code)
                s = at_fail(err, x->wrong[k].code, "%s", x->wrong[k].text);
            else if (!met(table, places, x->hash[k]))
                index[(*found)++] = x->first + k;
        }
    }
    at_free(x);
    at_free(table);
    return s;
}
