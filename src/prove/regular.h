/* regular.h: potentials of an automaton, component by component. */
#ifndef ATTEST_REGULAR_H
#define ATTEST_REGULAR_H

#include "prove_internal.h"

/* One round of a component: labels are pairs of a letter and a class of the round before; n_maps maps of labels to integers sum to 0 on
 * every cycle, so each state has a potential. Classes are states with the same potentials, and of the same class before. */
typedef struct {
    int n_maps;
    int64_t *map;       /* (n_maps, letters, classes before) */
    int64_t *potential; /* (n_maps, states of the automaton) */
    int n_before, n_classes;
    int *before, *class; /* (states of the automaton) */
} regular_round;

typedef struct {
    int n, *state; /* its states */
    int n_rounds;
    regular_round *round;
} regular_component;

typedef struct {
    const at_dfa *d;
    int n;
    regular_component *at; /* components, those that are reached first before the others */
    int *of;               /* (states): which component */
} regular_parts;

at_status regular_parts_find(const at_dfa *least, at_arena *a, regular_parts *out, at_err *err);
/* Two states of one component and one class; false: there are none. */
bool regular_alike(const regular_parts *r, int *component, int *one, int *two);

/* The truth "the automaton accepts what stands before here", in f, whose letters are those of the automaton; NULL after a failure. */
at_formula *regular_program(const regular_parts *r, at_formulas *f, int tag, at_arena *a);

#endif
