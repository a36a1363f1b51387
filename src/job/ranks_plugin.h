/* ranks_plugin.h: what attest asks of the shared object that knows MPI. It is loaded only when a launcher has started us, so
 * that attest itself links no MPI. The build must be ours to the letter: there is no other version of this table. */
#ifndef ATTEST_RANKS_PLUGIN_H
#define ATTEST_RANKS_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>

#define RANKS_PLUGIN_SYMBOL "attest_ranks_plugin"
enum { RANKS_WHY = 256 };

typedef struct {
    const char *build; /* AT_BUILD_ID */
    /* All return false with one line in why. open: once a process. */
    bool (*open)(int *rank, int *ranks, char why[RANKS_WHY]);
    /* Bytes begin[r]..begin[r+1]-1 of data come from rank r. Allocates nothing of ours. */
    bool (*gather)(void *data, const size_t *begin, char why[RANKS_WHY]);
    bool (*close)(char why[RANKS_WHY]); /* waits for the others */
} ranks_plugin;

#endif
