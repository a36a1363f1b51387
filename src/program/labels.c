/* labels.c: a table from names to variables, in the order in which they were made. */
#include "text_internal.h"

#include <string.h>

/* nth 0: v counts the variables of this name. */
struct label {
    const char *name;
    size_t n;
    int nth;
    at_var v;
};

void labels_release(labels *l)
{
    at_free(l->slot);
    *l = (labels){0};
}

static label *slot_of(const labels *l, const char *name, size_t n, int nth)
{
    size_t k = (size_t)at_hash64(name, n, (uint64_t)nth) & (l->cap - 1);
    while (l->slot[k].name &&
           (l->slot[k].nth != nth || l->slot[k].n != n || memcmp(l->slot[k].name, name, n) != 0))
        k = (k + 1) & (l->cap - 1);
    return &l->slot[k];
}

static bool grow(labels *l)
{
    labels more = {.cap = l->cap ? 2 * l->cap : 64, .n = l->n};
    if (!(more.slot = at_calloc(more.cap, sizeof *more.slot)))
        return false;
    for (size_t k = 0; k < l->cap; k++)
        if (l->slot[k].name)
            *slot_of(&more, l->slot[k].name, l->slot[k].n, l->slot[k].nth) = l->slot[k];
    at_free(l->slot);
    *l = more;
    return true;
}

bool labels_add(labels *l, const char *name, size_t n, at_var v)
{
    if (2 * (l->n + 2) > l->cap && !grow(l))
        return false;
    label *count = slot_of(l, name, n, 0);
    l->n += !count->name;
    *count = (label){name, n, 0, count->v + 1};
    *slot_of(l, name, n, count->v) = (label){name, n, count->v, v};
    l->n++;
    return true;
}

int labels_count(const labels *l, const char *name, size_t n)
{
    return l->cap ? slot_of(l, name, n, 0)->v : 0;
}

at_var labels_find(const labels *l, const char *name, size_t n, int nth)
{
    const label *x = l->cap && nth > 0 ? slot_of(l, name, n, nth) : NULL;
    return x && x->name ? x->v : -1;
}
