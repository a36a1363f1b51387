/* ask_internal.h: a question of one's own while its cells are made (ask.c, ask_reach.c). */
#ifndef ATTEST_CLAIM_ASK_INTERNAL_H
#define ATTEST_CLAIM_ASK_INTERNAL_H

#include <attest/front.h>

#include "claim_file.h"

#define QUICK_INPUTS ((uint64_t)1 << 22) /* of a model at positions: exact up to here, */
#define QUICK_WORK   1e11                /* and as long as they cost no more: some minutes of a core */

#define LONGEST "longest" /* the parameter of compiled languages: N of the model */

typedef struct {
    const at_ask *q;
    at_claim_file *f;
    at_view view;
    const at_model *m; /* NULL: compiled */
    bool lengths;      /* what is compiled takes words to its N: its last parameter is LONGEST */
    int longest;       /* and that is this in the next cell */
    uint64_t inputs;   /* of a sampled cell in the quick tier; 0: as the question says */
    at_text *left_out;
    at_err *err;
} asking;

/* The numbers of --lengths, in whatever range. */
at_status ask_lengths(const asking *k, int64_t *lo, int64_t *hi);
/* The kind of attention that is wanted, or -1. */
int ask_kind(const asking *k);
/* A cell of every kind of attention that compiles at the points of w, which `params` says. */
at_status ask_kinds(asking *k, const at_sweep *w, const char *params);

/* ---- how far it is right (ask_reach.c) ------------------------------------------------------------------- */

/* Is a language compiled, and asked how far it is right? */
bool ask_reaches(const asking *k);
/* Cells of every word to a length and of long words, and the table; of how EXACT the first alone. */
at_status ask_words(asking *k, const char *set);
/* Of decoders that take words: a cell of longer ones, and the table. */
at_status ask_chains(asking *k, const char *set);

#endif
