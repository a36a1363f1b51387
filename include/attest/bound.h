/* bound.h: lower bounds as numbers. For the user's own sizes: does a theorem bind, from where on, and what is ruled out?
 *
 *     const at_bound *b = at_bound_find("compose-bound");
 *     at_params p; at_params_init(&p, b->params, b->n_params);
 *     at_params_parse(&p, "n=300 H=4 d=16 p=32", &err);
 *     at_bound_result r;
 *     at_bound_compute(b, &p, &arena, &r, &err);
 *     puts(r.inequality);
 *
 * Integers and rationals are exact (GMP), logarithms are balls: an inequality is decided by them, never by rounding. */
#ifndef ATTEST_BOUND_H
#define ATTEST_BOUND_H

#include <attest/core.h>

typedef enum {
    AT_BOUND_BINDS,   /* no model of these sizes does it */
    AT_BOUND_VACUOUS, /* the theorem says nothing at these sizes */
    AT_BOUND_SHAPE, /* up to a constant that no proof here makes a number: the formula without it is printed */
    AT_BOUND_VERDICTS
} at_bound_verdict;
extern const char
    *const at_bound_verdict_names[AT_BOUND_VERDICTS]; /* "binding", "vacuous", "up to a constant" */

/* Which bits a bound counts. Two of them can be compared, or one with a construction, only when these agree. */
typedef enum {
    AT_BITS_UNSAID,
    AT_BITS_REALS,  /* none: it holds for reals */
    AT_BITS_STATE,  /* those of a state, whatever is in it */
    AT_BITS_SOURCE, /* p bits a number, sums too: as papers count. No format of floats is meant */
    AT_BITS_FLOATS, /* floats: mantissa p, exponent e, the sign, less the bit that is not stored: p + e; no sums are counted */
    AT_BITS_ROUNDED, /* the same, and sums are such floats, rounded after every term */
    AT_BITS_EXACT,   /* the same, and sums are exact, rounded once at the end */
    AT_BITS_KINDS
} at_bound_bits;
extern const char *const at_bound_bits_names[AT_BITS_KINDS]; /* "floats, exact sums" */

/* One more number, by name; text is exact, and short: what is astronomical is a power with its digits counted. */
typedef struct {
    const char *name, *text;
} at_bound_line;

/* Where it starts to bind when one parameter moves and the others stay. */
typedef struct {
    const char *param;
    const char *text; /* "from n = 270", "up to p = 28", "for every H", "never" */
    double at;        /* the number in it; NaN when there is none, or none that a double holds exactly */
} at_bound_start;

typedef struct {
    at_bound_verdict verdict;
    at_bound_bits bits;     /* never AT_BITS_UNSAID */
    const char *inequality; /* one line: the theorem's, with the numbers in it */
    const char *meaning;    /* one sentence: what it rules out here, or why it says nothing */
    double
        least; /* the least size (in the bound's unit) that is not ruled out; NaN: none such, or no double */
    const char *least_text; /* the same as text, also when astronomical; NULL: none such */
    const at_bound_line *lines;
    int n_lines;
    const at_bound_start *starts;
    int n_starts;
} at_bound_result;

typedef struct {
    const char *id, *title, *source;
    const char *statement; /* one or two sentences, with the hypotheses */
    const char *constant;  /* where the constant comes from, or that it is hidden */
    const at_param *params;
    int n_params;
    const char *unit; /* of `least`: "H d p", "width", "bits of state" */
    const char *size; /* the parameter that is the size of the problem: what plots run over */
    /* Parameters outside the theorem's hypotheses are refused in words, AT_EDOMAIN. */
    at_status (*compute)(const at_params *p, at_arena *a, at_bound_result *out, at_err *err);
    /* The catalogue's construction to draw beside it: a claim, how its parameters follow from the size ("N=%d q=2"), which of its sizes is
     * compared (layers, heads, head width, width, parameters), and NULL or what else is different about it. {problem} stands for the value
     * of the parameter of that name. NULL: there is none. */
    const char *construction, *construction_params, *construction_size, *construction_note;
} at_bound;

extern const at_bound *const at_bounds[];
extern const int at_n_bounds;
extern const at_registry at_bound_registry;
const at_bound *at_bound_find(const char *id); /* NULL when unknown */
/* Sizes of well-known models, as far as their papers or their configuration files print them: layers, heads, the width of a head, the
 * width; numbers are halves, 16 bits: 11 of mantissa, 5 of exponent (bf16: 8 and 8 are as many). */
typedef struct {
    const char *id, *source;
    int layers, heads, head_dim, width, mantissa, exponent;
} at_model_sizes;
extern const at_model_sizes *const at_model_sizes_all[];
extern const int at_n_model_sizes;
extern const at_registry at_model_sizes_registry;
/* Puts them into those parameters of the bound that mean the same: H, d or m or w, layers or D, and p (with e where a number has a
 * mantissa; else all bits of a number, as sources count). Parameters of the problem stay. exact: sums=exact is asked for. */
at_status at_bound_sizes(const at_bound *b, const at_model_sizes *m, bool exact, at_params *p, at_err *err);
/* Only whether it binds, quickly. */
at_status at_bound_binds(const at_bound *b, const at_params *p, bool *out, at_err *err);
at_status at_bound_compute(const at_bound *b, const at_params *p, at_arena *a, at_bound_result *out,
                           at_err *err);

#endif
