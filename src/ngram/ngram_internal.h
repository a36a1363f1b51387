/* ngram_internal.h: how the tables of an n-gram model lie in memory, and what makes them.
 *
 * All k-grams of all orders are nodes of one trie: node 0 is the empty one, level k are the k-grams, sorted by parent (the k-gram without
 * its last word), then by last word. So the children of a node stand together, and those of level k's last node end where level
 * k + 1 ends. Nodes below level n are contexts; a state is a context.
 *
 *     link: the longest proper suffix of a context that is a node. A context that is not in the tables has no children and the back-off
 *           weight 1, so following links is following all suffixes. */
#ifndef ATTEST_NGRAM_INTERNAL_H
#define ATTEST_NGRAM_INTERNAL_H

#include <attest/ngram.h>

/* ---- words and their ids ------------------------------------------------------------------------------------ */

typedef struct {
    at_arena *a; /* of the names */
    char *block;
    size_t left;       /* bytes of block */
    const char **name; /* (n) */
    int n, room;
    int *slot; /* (slots): ids by hash, -1 where there is none */
    size_t slots;
} ngram_lexicon;
void ngram_lexicon_init(ngram_lexicon *x, at_arena *a);
void ngram_lexicon_release(ngram_lexicon *x); /* all but the names */
int ngram_lexicon_find(const ngram_lexicon *x, const char *s, size_t n);
/* The id of a word, new or not; -1: out of memory. */
int ngram_lexicon_add(ngram_lexicon *x, const char *s, size_t n);

/* ---- the model ------------------------------------------------------------------------------------------------ */

struct at_ngram_tables {
    int base[AT_NGRAM_ORDER_MAX + 2]; /* level k: nodes base[k] .. base[k+1]-1 */
    int *word;                        /* (nodes): the last one */
    double *p;                        /* (nodes): log10 p(last word | the others); of <s> -INFINITY */
    double *backoff;                  /* (contexts): log10 of the weight */
    int *first;                       /* (contexts + 1): children are nodes first[i] .. first[i+1]-1 */
    int *link;                        /* (contexts): of node 0 itself */
    double *unigram;                  /* (V): 10^p of level 1 */
    ngram_lexicon lexicon;            /* name and slot in the arena */
    const uint64_t *count, *total;    /* NULL, or (histories, V) and (histories): at_ngram_of_counts */
};
int ngram_child(const struct at_ngram_tables *t, int node, int word); /* -1: none */
/* Does the context tell histories apart that its suffixes do not? */
static inline bool ngram_matters(const struct at_ngram_tables *t, int node)
{
    return !node || t->first[node + 1] > t->first[node] || t->backoff[node] != 0;
}
double ngram_power(double log10p); /* 10^log10p, 0 of -INFINITY */
double ngram_log10(double p);      /* -INFINITY of 0 */

/* ---- building: level by level, each filled, then closed --------------------------------------------------------- */

typedef struct {
    int parent, word; /* parent: an entry of the level below; of level 1: 0 */
    double p, backoff;
    int tag; /* the builder's own */
} ngram_entry;
typedef struct {
    int n, room;
    ngram_entry *e;
    int *first; /* (n + 1): once the level above is closed, where the children are */
} ngram_level;
typedef struct {
    int order;
    int total; /* entries of all levels */
    ngram_level level[AT_NGRAM_ORDER_MAX + 1];
    ngram_lexicon lexicon;                /* when sealed: words, </s>, <s> */
    const uint64_t *count, *count_of_row; /* become count and total of the tables */
} ngram_builder;
void ngram_builder_init(ngram_builder *b, int order, at_arena *a);
void ngram_builder_release(ngram_builder *b);
/* AT_EBUDGET beyond AT_NGRAM_MAX entries. */
at_status ngram_builder_add(ngram_builder *b, int k, const ngram_entry *e, at_err *err);
/* Sorts level k; *twice: a tag of the second of two equal entries, -1: none. */
at_status ngram_builder_close(ngram_builder *b, int k, int *twice, at_err *err);
int ngram_builder_find(const ngram_builder *b, const int *word,
                       int k); /* an entry of level k, closed or being filled above it; -1 */
/* The model; b is released in any case. */
at_status ngram_builder_seal(ngram_builder *b, at_arena *a, at_ngram **out, at_err *err);

#endif
