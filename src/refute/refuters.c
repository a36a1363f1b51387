/* refuters.c: every refuter, one row each, in the order in which they are tried: a list of cases first, then those
 * that need a special shape, the search that takes anything last. */
#include "refute_internal.h"

/* A row a refuter: the name of its struct in src/refute/refute_*.c. */
#define REFUTERS(ROW)                                                                                        \
    ROW(cases)                                                                                               \
    ROW(ffn)                                                                                                 \
    ROW(rnn)                                                                                                 \
    ROW(linear)                                                                                              \
    ROW(sparse)                                                                                              \
    ROW(one_layer)                                                                                           \
    ROW(indistinguishable)                                                                                   \
    ROW(hahn_pair)                                                                                           \
    ROW(hahn_restriction)                                                                                    \
    ROW(search)

#define DECLARE(name) extern const at_refuter refuter_##name;
REFUTERS(DECLARE)

#define REFER(name) &refuter_##name,
const at_refuter *const at_refuters[] = {REFUTERS(REFER) NULL};
const int at_n_refuters = sizeof at_refuters / sizeof *at_refuters - 1;
const at_registry at_refuter_registry =
    AT_REGISTRY("refuter", NULL, at_refuters, sizeof at_refuters / sizeof *at_refuters - 1, id);
