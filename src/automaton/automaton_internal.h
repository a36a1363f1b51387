/* automaton_internal.h: shared by the files of src/automaton. */
#ifndef ATTEST_AUTOMATON_INTERNAL_H
#define ATTEST_AUTOMATON_INTERNAL_H

#include <attest/automaton.h>

/* Strongly connected components of the graph with edges next (n, letters), -1: none. class (n): an edge to another component goes
 * to a lower number. False: out of memory. */
bool graph_components(int n, int letters, const int *next, int *class, at_arena *scratch);

#endif
