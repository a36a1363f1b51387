/* formula.h: formulas that hold at positions of a word, and numbers that are counted there: what LTL, B-RASP, C-RASP, FOC[MOD;+] and
 * counter machines are made of. Each of these languages has its own reader and printer (lang.h); they share this meaning and
 * one compiler (front.h).
 *
 *     at_alphabet ab = {2, (const char *const[]){"a", "b"}};
 *     at_formulas *f;
 *     at_formulas_new(&ab, &arena, &f, &err);
 *     at_formula *a = at_formula_letter(f, 0);
 *     f->accept = at_formula_one(f, AT_F_ONCE, a);           // O a: an a stands here or before
 *     at_tri v;
 *     at_formulas_run(f, (const int[]){1, 0, 1}, 3, &v, &err); // of bab
 *
 * Positions are 1 .. n. Beside them there are two hidden ones, `begin` before the word and `end` behind it, where no letter is and
 * a formula may be read, but which nothing finds or counts. */
#ifndef ATTEST_FORMULA_H
#define ATTEST_FORMULA_H

#include <attest/automaton.h>

#define AT_FORMULA_MAX     4096    /* different parts of a text */
#define AT_FORMULA_NAMES   512     /* definitions */
#define AT_FORMULA_SETS    16      /* sets of positions */
#define AT_FORMULA_NUMBER  1000000 /* the largest constant, coefficient and modulus */
#define AT_FORMULA_DEPTH   200
#define AT_FORMULA_LONGEST 4096 /* letters of a word */

typedef enum {
    /* truths */
    AT_F_CONST,  /* value: 0 or 1 */
    AT_F_LETTER, /* letter `index` stands here */
    AT_F_CLASS,  /* the position is `index` modulo `modulus`; never at a hidden one */
    AT_F_SET,    /* the position is in set `index`; never at a hidden one */
    AT_F_NAME,   /* definition `index`, a truth or a number */
    AT_F_NOT,
    AT_F_AND,
    AT_F_OR,
    AT_F_IMPLIES,
    AT_F_IFF,
    AT_F_PREVIOUS, /* Y f: there is a position before this one, and f holds there. Weak (Z): or there is none */
    AT_F_WEAK_PREVIOUS,
    AT_F_ONCE,  /* O f */
    AT_F_HENCE, /* H f: always before */
    AT_F_SINCE, /* f S g */
    AT_F_NEXT,  /* X f; weak (N): or there is none */
    AT_F_WEAK_NEXT,
    AT_F_EVENTUALLY, /* F f */
    AT_F_ALWAYS,     /* G f */
    AT_F_UNTIL,      /* f U g */
    AT_F_WEAK_UNTIL, /* f W g: f U g or G f */
    AT_F_RELEASE,    /* f R g: not (not f U not g) */
    AT_F_FIND, /* arg: score S, value V, default D. V where S holds, at the last or first such j of the mask; else D */
    AT_F_LESS, /* arg[0] < arg[1] */
    AT_F_LESS_EQUAL,
    AT_F_EQUAL,
    AT_F_CONGRUENT, /* arg[0] is `index` modulo `modulus` */
    /* numbers */
    AT_F_NUMBER, /* value */
    AT_F_COUNT,  /* of the j of the mask where arg[0] holds */
    AT_F_ADD,
    AT_F_SUB,
    AT_F_TIMES, /* value times arg[0] */
    AT_F_IF,    /* arg[0] ? arg[1] : arg[2] */
    AT_F_MIN,
    AT_F_MAX,
    AT_F_OPS
} at_formula_op;

/* Which positions j are seen from i. */
typedef enum { AT_SEE_ALL, AT_SEE_BEFORE, AT_SEE_UPTO, AT_SEE_FROM, AT_SEE_AFTER, AT_SEES } at_see;
extern const char *const at_see_names[AT_SEES]; /* 1, j < i, j <= i, j >= i, j > i */

typedef struct at_formula {
    at_formula_op op;
    int64_t value;
    int index, modulus;
    at_see see;
    bool first; /* FIND: the first such j, else the last */
    bool other; /* inside the S and V of a FIND: said of j, else of i */
    struct at_formula *arg[3];
    int id;   /* its number among the parts, from 0 */
    bool two; /* some part of it is said of j */
    double
        most; /* of a number: no word to AT_FORMULA_LONGEST letters makes it larger, or less than minus that */
} at_formula;

/* Where it is read; `end` and `begin` are hidden, so the empty word has a verdict. */
typedef enum { AT_AT_LAST, AT_AT_FIRST, AT_AT_END, AT_AT_BEGIN, AT_ATS } at_read_at;
extern const char *const at_read_at_names[AT_ATS]; /* last, first, end, begin */

/* What finds a position: hard attention of its own side (rightmost for the last, leftmost for the first), which needs no positions;
 * or one kind for all, which then needs them where it is not of that side. Counts are means by average-hard attention where that
 * is asked for, else by softmax. */
typedef enum {
    AT_ATTEND_OWN,
    AT_ATTEND_SOFTMAX,
    AT_ATTEND_AVERAGE,
    AT_ATTEND_RIGHTMOST,
    AT_ATTEND_LEFTMOST,
    AT_ATTENDS
} at_formula_attend;
extern const char *const at_formula_attend_names[AT_ATTENDS]; /* own, softmax, average, rightmost, leftmost */

typedef struct {
    const char *name;
    at_formula *body;
} at_formula_name;

/* A predicate of positions, given as a table. */
typedef struct {
    const char *name;
    const bool *in; /* (AT_FORMULA_LONGEST + 1), [0] false */
} at_formula_set;

typedef struct {
    at_alphabet sigma;
    at_formula *accept; /* a truth */
    at_read_at at;
    at_formula_attend attend;
    bool strict; /* O, H, S, F, G, U, W and R speak of other positions only; else of this one, too */
    int n_names;
    at_formula_name names[AT_FORMULA_NAMES]; /* each uses earlier ones only */
    int n_sets;
    at_formula_set sets[AT_FORMULA_SETS];
    int n_parts;
    at_formula *parts[AT_FORMULA_MAX]; /* arguments come first */
    at_arena *arena;
    at_err err; /* the first failure of a maker below; it sticks */
} at_formulas;

at_status at_formulas_new(const at_alphabet *sigma, at_arena *a, at_formulas **out, at_err *err);
/* Makers. Equal parts are one part. NULL after a failure, which at_formulas_status tells; NULL as an argument is passed on. */
at_formula *at_formula_make(at_formulas *f, at_formula part);
at_formula *at_formula_const(at_formulas *f, bool value);
at_formula *at_formula_letter(at_formulas *f, int letter);
at_formula *at_formula_number(at_formulas *f, int64_t value);
at_formula *at_formula_one(at_formulas *f, at_formula_op op, at_formula *a);
at_formula *at_formula_two(at_formulas *f, at_formula_op op, at_formula *a, at_formula *b);
/* Defines a name; its number, -1 after a failure. */
int at_formulas_define(at_formulas *f, const char *name, at_formula *body);
int at_formulas_find(const at_formulas *f, const char *name, size_t n); /* -1: there is none */
/* A set of positions, in: (AT_FORMULA_LONGEST + 1), which is kept; its number, -1 after a failure. */
int at_formulas_set(at_formulas *f, const char *name, const bool *in);
at_status at_formulas_status(const at_formulas *f, at_err *err);

bool at_formula_is_number(const at_formulas *f, const at_formula *x); /* else it is a truth */
/* Does it speak of what stands before, behind? Of a name: of what it stands for. */
bool at_formula_looks(const at_formulas *f, const at_formula *x, bool back);
/* Temporal and counting operators on the longest way through it. */
int at_formula_depth(const at_formulas *f, const at_formula *x);

/* The reference. The empty word is AT_UNKNOWN where it is read at a position of the word. */
at_status at_formulas_run(const at_formulas *f, const int *word, int n, at_tri *out, at_err *err);
/* The value of one part at every position: (n + 2), begin first. It must not be `two`. */
at_status at_formulas_values(const at_formulas *f, const at_formula *x, const int *word, int n, at_arena *a,
                             int64_t **out, at_err *err);

/* The least automaton of the words, of all lengths, that formulas accept which look back and are read at the last position or behind the
 * word, or look ahead and are read at the first or before it. Refused in words where they look otherwise, count, speak of sets of
 * positions, or search by facts of i. empty: the answer for the empty word where there is none. */
at_status at_formulas_dfa(const at_formulas *f, bool empty, at_arena *a, at_dfa **out, at_err *err);

#endif
