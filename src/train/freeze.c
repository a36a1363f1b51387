/* freeze.c: tensors that keep their weights while the rest learns.
 *
 * AdamW moves a weight even where its gradient is 0 (decay, and moments of earlier steps), so frozen weights are not left
 * alone by their gradient: they are kept aside and put back after every step. Their gradient is cleared before that, so that
 * clipping and at_trainer_gradient do not see it. */
#include "train_internal.h"

#include <stdio.h>
#include <string.h>

/* Where tensor k lies within lo..hi; false: nowhere. */
static bool part_of(const at_trainer *t, int k, size_t lo, size_t hi, size_t *from, size_t *to)
{
    const at_train_tensor *e = &t->plan.tensor[k];
    size_t end = e->offset + (size_t)e->rows * (size_t)e->cols;
    *from = e->offset > lo ? e->offset : lo;
    *to = end < hi ? end : hi;
    return t->frozen[k] && *from < *to;
}

void train_frozen_clear(const at_trainer *t, size_t lo, size_t hi)
{
    size_t z = t->kernel->size, from, to;
    for (int k = 0; t->frozen && k < t->plan.n_tensors; k++)
        if (part_of(t, k, lo, hi, &from, &to))
            memset((char *)t->gradient + from * z, 0, (to - from) * z);
}

void train_frozen_restore(const at_trainer *t, size_t lo, size_t hi)
{
    size_t z = t->kernel->size, from, to;
    for (int k = 0; t->frozen && k < t->plan.n_tensors; k++)
        if (part_of(t, k, lo, hi, &from, &to))
            memcpy((char *)t->weights + from * z, (const char *)t->kept + from * z, (to - from) * z);
}

/* Is this tensor one of the heads of that name? Its group is in its own name: block.B.attn.G.q */
static bool of_head(const at_trainer *t, const char *tensor, const char *name, size_t n)
{
    const at_model *m = &t->base;
    for (int b = 0; t->based && b < m->n_blocks; b++)
        for (int g = 0; m->blocks[b].kind == AT_BLOCK_ATTN && g < m->blocks[b].n_groups; g++) {
            const char *own = m->blocks[b].groups[g].name;
            char begin[AT_NAME_MAX + 1];
            int len = snprintf(begin, sizeof begin, "block.%d.attn.%d.", b, g);
            if (own && strlen(own) == n && !memcmp(own, name, n) && !strncmp(tensor, begin, (size_t)len))
                return true;
        }
    return false;
}

static bool is_named(const at_trainer *t, const char *tensor, const char *name, size_t n)
{
    if (n && name[n - 1] == '*')
        return !strncmp(tensor, name, n - 1);
    return (strlen(tensor) == n && !memcmp(tensor, name, n)) || of_head(t, tensor, name, n);
}

at_status at_trainer_freeze(at_trainer *t, const char *names, bool others, at_err *err)
{
    int count = t->plan.n_tensors, left = 0;
    bool *frozen = at_new(&t->arena, bool, count);
    void *kept = at_arena_alloc(&t->arena, t->plan.n, t->kernel->size);
    if (!frozen || !kept)
        return at_oom(err);
    for (const char *name = names, *end; name; name = *end ? end + 1 : NULL) {
        bool found = false;
        end = name + strcspn(name, ",");
        for (int k = 0; k < count; k++)
            if (is_named(t, t->plan.tensor[k].name, name, (size_t)(end - name)))
                found = frozen[k] = true;
        if (!found)
            return at_fail(err, AT_EINPUT,
                           "no tensor or head is called '%.*s'; tensors are %s, ..., %s, and block.0.* is "
                           "all of a block",
                           (int)(end - name < 60 ? end - name : 60), name, t->plan.tensor[0].name,
                           t->plan.tensor[count - 1].name);
    }
    for (int k = 0; k < count; k++) {
        frozen[k] = frozen[k] != others;
        left += !frozen[k];
    }
    if (!left)
        return at_fail(err, AT_EINPUT, "nothing is left to learn: all %d tensors are frozen", count);
    memcpy(kept, t->weights, t->plan.n * t->kernel->size);
    t->frozen = frozen;
    t->kept = kept;
    return AT_OK;
}
