/* compile_rasp.h: what the files of the RASP compiler share: what s-ops and selectors are inside a program.
 *
 * There is a hidden position before the word, BEGIN, and where a selector looks to the right one behind it, END. Every variable
 * that stands for a part of an s-op is 0 there: `user` is the constant 1 of all other places. So hidden keys are what a head says
 * they are, and nothing else. */
#ifndef ATTEST_COMPILE_RASP_H
#define ATTEST_COMPILE_RASP_H

#include "front_internal.h"

enum { RASP_CLASSES = 128, RASP_TABLE = 4096, RASP_MEANS = 3 };

/* An s-op: an integer over den, a mean, or a string as booleans, one for each that it can be. */
typedef enum { RASP_INTEGER, RASP_MEAN, RASP_TEXT } rasp_sort;
typedef struct {
    rasp_sort sort;
    at_var v;
    double den; /* integer: v/den; mean: v is a multiple of 1/(den w...), w how many a selector selects */
    int mean[RASP_MEANS]; /* the selectors, nodes */
    int n_means;
    bool boolean; /* v is 0 or 1, den 1 */
    at_var *is;   /* text: (n) in the order of its strings */
    int n;
    const char **string;
    bool constant;
} rasp_value;

/* A selector: sum of q k, over classes c. TABLE: it is 1 where the selector selects, else 0; the q are 0 or 1, and one of them is 1 at
 * every position of the word; the k are 0 or 1. ZERO: selects where the sum is 0, which lies in lo..hi and is 0 or at least 1
 * in size. LESS: where it is at most 0, and else it is at least 1. And only what lies on this side of the query, which a
 * mask says. */
typedef enum { RASP_ANYWHERE, RASP_BEFORE, RASP_UP_TO, RASP_FROM, RASP_AFTER } rasp_side;
typedef enum { RASP_BY_TABLE, RASP_BY_ZERO, RASP_BY_LESS } rasp_way;
typedef struct {
    rasp_way way;
    int n;
    at_var *q, *k;
    double lo, hi;
    double times; /* what is compared is taken so many times: 1, or what makes fractions whole */
    rasp_side side;
} rasp_form;

typedef struct {
    const at_rasp *r;
    const at_rasp_range *range;
    at_program *P;
    int N;
    at_weighting weighting;
    const at_rasp_options *o;
    at_var user, begin, end, hidden; /* marks; end: -1 where there is none */
    at_var here, indices;            /* 0 at BEGIN, then 1, 2, ...; and what RASP calls indices */
    rasp_value *value;               /* (nodes) */
    rasp_form **form;
    int *depth; /* (nodes): heads on the way to it */
    at_arena *a;
    at_err *err;
    char label[64];
} rasp_maker;

at_status rasp_refuse(const rasp_maker *m, int node, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
const char *rasp_label(rasp_maker *m, int node);
/* What the next heads are for, in pictures: the name, or where the node stands. -1: each is called by its own name. */
void rasp_serves(rasp_maker *m, int node);

/* compile_rasp_point.c */
at_status rasp_point(rasp_maker *m, int node);
/* [x compare y], 0 at hidden positions. */
at_status rasp_compare(rasp_maker *m, int node, at_rasp_op compare, const rasp_value *x, const rasp_value *y,
                       at_var *out);
/* Truth of a value. */
at_status rasp_truth(rasp_maker *m, int node, const rasp_value *x, at_var *out);
/* x without its value c at hidden positions. */
at_var rasp_without(rasp_maker *m, at_var x, double c);
at_var rasp_not(rasp_maker *m, at_var b); /* of a boolean */
/* Strings as their places in a list that holds the strings of both, in order. */
at_status rasp_ranks(rasp_maker *m, const rasp_value *x, const rasp_value *y, rasp_value *rx, rasp_value *ry);
at_var rasp_one_of(rasp_maker *m, const rasp_value *x, const char *s); /* -1: it never is */

/* compile_rasp_select.c */
at_status rasp_select(rasp_maker *m, int node, rasp_form **out);
/* compile_rasp_attend.c */
at_status rasp_attend(rasp_maker *m, int node);

#endif
