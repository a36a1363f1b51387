/* decoder.h: what an L-layer strict-causal decoder lets player L's input be seen by: indistinguishable decompositions and pairs,
 * by enumeration of all prompts of task funccomp. */
#ifndef ATTEST_REFUTE_DECODER_H
#define ATTEST_REFUTE_DECODER_H

#include <attest/refute.h>

enum {
    DECODER_LEVELS = 6,
    DECODER_PLAYERS = DECODER_LEVELS + 2
}; /* players -1..L are numbered 0..L+1 here */

/* Sets of inputs of a player, or of players >= l: indices, ascending. */
typedef struct {
    int n;
    int *at;
} decoder_set;

/* Level l: Z_{<l} by player, R_{>=l} (tuples z_L..z_l as one number, z_L slowest). */
typedef struct {
    int l;
    decoder_set Z[DECODER_PLAYERS]; /* players -1..l-1 */
    decoder_set R;
} decoder_level;

typedef struct {
    bool exists; /* a decomposition at l = L, with two inputs of player L that differ at a reachable point */
    bool
        counted; /* and |R| > N_{L-1}^(N_{L-1} - n_{L-1} |I|): Lemma 4.3's pigeonhole alone says that they do */
    int levels;
    decoder_level level[DECODER_LEVELS]; /* l = 2..L */
    int reachable;                       /* |I(Z_{<L})| */
    int z[2];                            /* inputs of player L in R that differ ... */
    int prompt[2];                       /* ... and the prompts in which that is asked */
} decoder_decomposition;

/* How two prompts fail to be told apart, the strongest first; all but the last: two inputs of player L, with the same
 * inputs of the others. */
typedef enum {
    DECODER_VIEWS, /* no state of players -1..L-1 differs, in any layer: no message separates them */
    DECODER_STATE, /* the state of the last position does not, after the last attention layer */
    DECODER_VALUE, /* the readout does not */
    DECODER_OTHER, /* the same of two prompts that differ elsewhere too */
    DECODER_NONE
} decoder_likeness;

typedef struct {
    int L, prompts;
    int players[DECODER_PLAYERS]; /* |A_i|, i = -1..L */
    decoder_likeness best;
    int pair[2]; /* prompts (in the task's enumeration) of the best pair */
    decoder_decomposition d;
} decoder_study;

/* AT_OK when m is a decoder such as the theorem speaks of, and all prompts can be run. */
at_status decoder_fits(const at_subject *s, at_err *why);
/* Runs all prompts. Lists live in the arena. Also for decoders with one layer more than the theorem speaks of: views are those
 * of layers 1..L all the same, the last state is that of the last layer. */
at_status decoder_examine(const at_subject *s, int threads, at_arena *a, decoder_study *out, at_err *err);
/* The definition itself, by running the model again: for all z_{<l} in Z_{<l} and all pairs of R_{>=l}, are the states of
 * players -1..l-1 after layers 1..l equal? *pairs counts the comparisons. */
at_status decoder_recheck(const at_subject *s, const decoder_level *level, at_arena *a, bool *holds,
                          uint64_t *pairs, at_err *err);

#endif
