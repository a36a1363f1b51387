/* rasp_nodes.h: the nodes of a flat program while it is made. */
#ifndef ATTEST_RASP_NODES_H
#define ATTEST_RASP_NODES_H

#include "rasp_internal.h"

typedef struct {
    at_arena *a;
    at_rasp_node *v; /* (n) */
    bool *whole;     /* numbers that are surely integers */
    int n, room;
    int *slot;
    size_t slots;
    const char *bad; /* why the last one could not be made */
} rasp_nodes;

/* The node of an operation, an earlier one where it is equal; -1: k->bad says why not. Constants are folded, and forms that say the
 * width of a selector in other words become it:
 *
 *     1 / aggregate(S or select(indices, 0, ==), indicator(indices == 0))       where S selects position 0 for sure
 *     length * aggregate(full_s, B)   (indices + 1) * aggregate(select(indices, indices, <=), B)   indices * aggregate(.., <)
 *
 * B is 0 or 1 everywhere, and where nothing is selected both sides are 0. */
int rasp_node(rasp_nodes *k, at_rasp_node v);
int rasp_node_const(rasp_nodes *k, at_rasp_atom x, const at_rasp_node *like);

#endif
