/* dp_every.h: what one recurrence for every size is made of (private to dp/). dp_every.c finds it out, dp_every_text.c writes it. */
#ifndef ATTEST_LANG_DP_EVERY_H
#define ATTEST_LANG_DP_EVERY_H

#include "dp_internal.h"

/* How names are written. */
typedef enum {
    LARGEST, /* sizes as the largest numbers */
    RULE,    /* sizes as the inputs that they have become */
    LAST,    /* besides, counters as those of the answer's state */
    GATHER,  /* besides, values as those of this state, which a let holds */
    ANSWER   /* sizes, values and what is gathered as columns of the chain */
} dp_manner;

typedef struct {
    const at_dp *d;
    const int64_t *least, *most;
    bool varies[AT_DP_MAX]; /* sizes */
    at_dp_instance *top;    /* at the largest sizes */
    int64_t value_lo[AT_DP_MAX], value_hi[AT_DP_MAX];
    int64_t box_lo[AT_DP_BLOCKS][AT_DP_MAX], box_hi[AT_DP_BLOCKS][AT_DP_MAX]; /* counters of the largest */
    bool kept[AT_DP_MAX], sized[AT_DP_MAX]; /* values and sizes that the answer reads */
    bool now[AT_DP_MAX];                    /* values that it reads in any way */
    char size_name[AT_DP_MAX][32], now_name[AT_DP_MAX][32], kept_name[AT_DP_MAX][32],
        last_name[AT_DP_MAX][32];
    char made[4 * AT_DP_MAX][32]; /* names that are new */
    int n_made;
    dp_manner how;
    at_text *out;
    at_err wrong;
} dp_every;

/* Does it change with a size that varies? */
bool dp_every_varies(const dp_every *E, const at_dpx *e);
/* The word of an operation that gathers: "min", "max", "sum". */
const char *dp_every_op(at_dpx_op op);
/* Writes the recurrence to E->out; what cannot be written is in E->wrong. */
void dp_every_write(dp_every *E);

#endif
