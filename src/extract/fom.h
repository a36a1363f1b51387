/* fom.h: sentences of first-order logic with majority, FOM[BIT], as syntax; what makes them and what runs them.
 *
 * Positions are 0..n-1. A sentence is made of letters, <, BIT, not, and, or, "there is", and one more quantifier: MORE x.. (f; g) says that more
 * tuples x.. satisfy f than g. Majority is MORE x.. (f; not f), and has MORE for it in turn (docs/logic.md). No number is written in a sentence:
 * a number below n^k is a tuple of k positions, its digits in base n, and constants are tuples of the first two positions. */
#ifndef ATTEST_EXTRACT_FOM_H
#define ATTEST_EXTRACT_FOM_H

#include <attest/extract.h>

enum { FOM_VARIABLES = 128, FOM_DIGITS = 20 };
typedef unsigned __int128 fom_set; /* of variables; and whole numbers */

typedef enum {
    FOM_TRUE,
    FOM_LETTER, /* position x[0] has letter k */
    FOM_LESS,   /* k digits: x.. < y.. as numbers; digit by digit this is a formula of < and = alone */
    FOM_BIT,    /* bit y[0] of the number of position x[0] */
    FOM_NOT,
    FOM_AND,
    FOM_OR,
    FOM_EXISTS, /* k variables x.. */
    FOM_MORE,   /* k variables x..: more of them satisfy arg[0] than arg[1] */
    FOM_NAMED   /* arg[0] itself, worked out only when its variables are known */
} fom_op;

typedef struct fom_node fom_node;
struct fom_node {
    fom_op op;
    bool apart; /* OR: no two of its parts hold at once */
    bool reads; /* some letter is asked for */
    int k, n;
    const int *x, *y; /* (k) variables */
    const fom_node **arg;
    const char *
        name; /* NAMED without letters: formulas of one name are one, up to the numbers of their variables x.. (k) */
    fom_set free;
    fom_set of_x, of_y;      /* LESS: its variables, x.. and y.. */
    bool x_differ, y_differ; /* no two of them are one */
};

struct at_fom {
    const fom_node *root;
    at_alphabet sigma;
};

/* ---- made: a failure sticks to the maker, and NULL goes through all of these ---- */

typedef struct {
    at_arena *a;
    at_err *err;
    int next;         /* variable */
    size_t nodes;     /* parts that were made */
    int zero, one, h; /* variables: the first two positions; the largest power of two among all */
} fom_maker;

typedef struct {
    int k, digit[FOM_DIGITS]; /* variables; the first digit weighs most */
} fom_number;
fom_number fom_number_new(fom_maker *m, int k);

const fom_node *fom_true(fom_maker *m);
const fom_node *fom_letter(fom_maker *m, int letter, int x);
const fom_node *fom_less(fom_maker *m, const int *x, const int *y, int k);
const fom_node *fom_bit(fom_maker *m, int x, int y);
const fom_node *fom_not(fom_maker *m, const fom_node *f);
const fom_node *fom_both(fom_maker *m, const fom_node *f, const fom_node *g);
const fom_node *fom_either(fom_maker *m, const fom_node *f, const fom_node *g);
const fom_node *fom_list(fom_maker *m, fom_op op, const fom_node **arg, int n, bool apart);
const fom_node *fom_exists(fom_maker *m, const int *x, int k, const fom_node *f);
const fom_node *fom_more(fom_maker *m, const int *x, int k, const fom_node *f, const fom_node *g);
const fom_node *fom_named(fom_maker *m, const char *name, const int *x, int k, const fom_node *f);

/* times h^power of[0] of[1] #(positions with the letter) n^all, or times the number of own.. that satisfy `where`. */
typedef struct {
    uint64_t times;
    int power, n_of, all;
    bool counts; /* a letter */
    int letter;
    fom_number of[2];
    const fom_node *where;
    fom_number own;
} fom_term;
/* The sum of these terms is larger than the sum of those: one MORE, over tuples that are a term's tag and its factors. */
const fom_node *fom_larger(fom_maker *m, const fom_term *left, int n_left, const fom_term *right,
                           int n_right);
/* Digits in base n >= 3 of a number below times (n - 1)^power + 1. */
int fom_digits(double times, int power);

#endif
