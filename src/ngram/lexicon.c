/* lexicon.c: words and their ids, by a hash table of open addressing that is at most half full. */
#include "ngram_internal.h"

#include <string.h>

enum { BLOCK = 1 << 16 };

void ngram_lexicon_init(ngram_lexicon *x, at_arena *a)
{
    *x = (ngram_lexicon){.a = a};
}

void ngram_lexicon_release(ngram_lexicon *x)
{
    at_free(x->name);
    at_free(x->slot);
    *x = (ngram_lexicon){.a = x->a};
}

/* Where the word is, or would be. There are slots. */
static size_t place(const ngram_lexicon *x, const char *s, size_t n)
{
    size_t i = at_hash64(s, n, 0) & (x->slots - 1);
    for (; x->slot[i] >= 0; i = (i + 1) & (x->slots - 1)) {
        const char *name = x->name[x->slot[i]];
        if (!strncmp(name, s, n) && !name[n])
            break;
    }
    return i;
}

int ngram_lexicon_find(const ngram_lexicon *x, const char *s, size_t n)
{
    return x->slots && n < AT_NGRAM_WORD_MAX ? x->slot[place(x, s, n)] : -1;
}

static bool slots_grow(ngram_lexicon *x)
{
    size_t slots = x->slots ? 2 * x->slots : 256;
    int *slot = at_malloc(slots * sizeof *slot);
    if (!slot)
        return false;
    memset(slot, -1, slots * sizeof *slot);
    at_free(x->slot);
    x->slot = slot;
    x->slots = slots;
    for (int i = 0; i < x->n; i++)
        x->slot[place(x, x->name[i], strlen(x->name[i]))] = i;
    return true;
}

/* Names are cut from blocks: an arena's own pieces are large for words. */
static char *copy_of(ngram_lexicon *x, const char *s, size_t n)
{
    if (n + 1 > x->left) {
        x->left = n + 1 > BLOCK ? n + 1 : BLOCK;
        x->block = at_new(x->a, char, x->left);
        if (!x->block) {
            x->left = 0;
            return NULL;
        }
    }
    char *name = x->block;
    memcpy(name, s, n); /* the arena gave zeros: the NUL is there */
    x->block += n + 1;
    x->left -= n + 1;
    return name;
}

int ngram_lexicon_add(ngram_lexicon *x, const char *s, size_t n)
{
    if (2 * ((size_t)x->n + 1) > x->slots && !slots_grow(x))
        return -1;
    size_t i = place(x, s, n);
    if (x->slot[i] >= 0)
        return x->slot[i];
    if (x->n == x->room) {
        int room = x->room ? 2 * x->room : 256;
        const char **name = at_realloc(x->name, (size_t)room * sizeof *name);
        if (!name)
            return -1;
        x->name = name;
        x->room = room;
    }
    if (!(x->name[x->n] = copy_of(x, s, n)))
        return -1;
    x->slot[i] = x->n;
    return x->n++;
}
