/* ranks.c: one training on several ranks, bit for bit that of one.
 *
 * What a step adds up is a tree over S gradient slots. A block of B slots, B a power of 2, that starts at a multiple of B is
 * a subtree of it; so whoever owns a block adds it up alone, and the rest of the tree needs the heads only:
 *
 *     slots    0   1   2   3   4   5   6   7        S = 8, B = 2, 3 ranks
 *     blocks   \___/   \___/   \___/   \___/        rank 0: block 0, rank 1: block 1, rank 2: blocks 2, 3
 *     heads      0       1       2       3          gathered by all, then added as a tree by all
 *
 * The heads are moved to the front, so that what a rank owns is one stretch of memory and one gather brings all of them to
 * everyone. Bytes are moved, nothing is added on the way: no order of additions, no sign of a zero depends on who talks
 * to whom. Every rank then makes the same step from the same numbers. */
#include "train_internal.h"

#include <string.h>

at_status at_trainer_ranks(at_trainer *t, const at_train_ranks *r, at_err *err)
{
    if (r->ranks < 1 || r->rank < 0 || r->rank >= r->ranks)
        return at_fail(err, AT_EDOMAIN, "rank %d of %d; allowed: 0..%d", r->rank, r->ranks, r->ranks - 1);
    t->ranks = *r;
    t->begin = at_new(&t->arena, size_t, r->ranks + 1);
    at_status s = t->begin ? AT_OK : at_oom(err);
    uint64_t print = 0;
    const void *parts[] = {t->weights, t->moment1, t->moment2};
    at_text record;
    char *arch = NULL;
    at_text_init(&record);
    train_record_print(t, &record);
    if (!s && record.oom)
        s = at_oom(err);
    if (!s && t->based && !(arch = train_base_print(t, err))) /* masks, scales, ... */
        s = AT_ENOMEM;
    if (!s)
        print = at_hash64(record.s, record.n, print);
    if (arch)
        print = at_hash64(arch, strlen(arch), print);
    at_free(arch);
    at_text_release(&record);
    print = at_hash64(t->kernel->isa, strlen(t->kernel->isa), print);
    for (size_t i = 0; i < 3; i++)
        print = at_hash64(parts[i], t->plan.n * t->kernel->size, print);
    s = train_agree(t, s, NULL, print, err);
    if (s)
        t->ranks = (at_train_ranks){0};
    return s;
}

at_status train_agree(const at_trainer *t, at_status mine, bool *stop, uint64_t same, at_err *err)
{
    bool none = false;
    return t->ranks.ranks > 1 ? t->ranks.agree(t->ranks.ctx, mine, stop ? stop : &none, same, err) : mine;
}

static int block_first(const train_share *h, int rank, int ranks)
{
    return (int)((int64_t)h->blocks * rank / ranks);
}

train_share train_share_of(const at_trainer *t, int slots)
{
    int ranks = t->ranks.ranks > 1 ? t->ranks.ranks : 1, least = slots;
    train_share h = {.slots = slots, .blocks = 1, .last_block = 1, .last = slots};
    if (ranks == 1)
        return h;
    /* The fewest slots for the busiest rank; among those the fewest heads to gather. */
    h.block = 1;
    for (int B = 1; B <= slots; B *= 2) {
        int blocks = (slots + B - 1) / B, load = (blocks + ranks - 1) / ranks * B;
        if (load <= least) {
            least = load;
            h.block = B;
        }
    }
    h.blocks = (slots + h.block - 1) / h.block;
    h.first_block = block_first(&h, t->ranks.rank, ranks);
    h.last_block = block_first(&h, t->ranks.rank + 1, ranks);
    h.first = h.first_block * h.block;
    h.last = h.last_block * h.block < slots ? h.last_block * h.block : slots;
    return h;
}

void train_share_reduce(const at_trainer *t, const train_share *h, size_t n, size_t lo, size_t hi)
{
    size_t z = t->kernel->size;
    for (int b = h->first_block; b < h->last_block; b++) {
        int slot = b * h->block, count = h->slots - slot < h->block ? h->slots - slot : h->block;
        char *from = (char *)t->gradient + (size_t)slot * n * z,
             *to = (char *)t->gradient + (size_t)b * n * z;
        t->kernel->reduce(from, n, count, lo, hi);
        if (to != from) /* slot b is in a block before b, which is added up already, or is another rank's */
            memcpy(to + lo * z, from + lo * z, (hi - lo) * z);
    }
}

at_status train_share_gather(const at_trainer *t, const train_share *h, bool back, size_t n, at_err *err)
{
    int ranks = t->ranks.ranks;
    if (ranks <= 1)
        return AT_OK;
    for (int r = 0; r <= ranks; r++) {
        int slot = block_first(h, r, ranks) * h->block;
        t->begin[r] = (size_t)(slot < h->slots ? slot : h->slots) * sizeof *t->loss;
    }
    at_status s = t->ranks.gather(t->ranks.ctx, t->loss, t->begin, err);
    if (s || !back)
        return s;
    for (int r = 0; r <= ranks; r++)
        t->begin[r] = (size_t)block_first(h, r, ranks) * n * t->kernel->size;
    return t->ranks.gather(t->ranks.ctx, t->gradient, t->begin, err);
}
