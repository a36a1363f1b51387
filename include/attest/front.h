/* front.h: what was read (lang.h) compiled into transformers that reason step by step: recurrences, and expressions
 * modulo a prime.
 *
 *     at_dp_model(x, &(at_dp_options){AT_ATTENTION_LINEAR}, &m, &err);   // the decoder that writes the chain of instance x
 */
#ifndef ATTEST_FRONT_H
#define ATTEST_FRONT_H

#include <attest/lang.h>
#include <attest/program.h>

/* ---- compiling --------------------------------------------------------------------------------------- */

/* scale and fewer break a model on purpose, for controls: 0 and 0 is as it should be. */
typedef struct {
    at_attention_kind attention;
    double scale;          /* factor on the scales of attention; 0: 1 */
    int fewer;             /* blocks (linear), slots (sparse) or rows of the window (local) left out */
    const at_arith *arith; /* that the decoder will run in, for its error bounds; NULL: f64 */
    bool reals; /* at_dp_shape: of the construction over the reals, whether or not an arithmetic can run it */
} at_dp_options;

/* The program of a decoder that writes the chain, one row a state: rows are (input, state, value, answer), see
 * docs/dp.md. One program serves one size. local: block-sparse with blocks of m rows, m the locality, which must be
 * known. */
at_status at_dp_program(const at_dp_instance *x, const at_dp_options *o, at_program **out, at_err *err);
/* The decoder itself: assembled, with its stop rule. m is initialised by this call. */
at_status at_dp_model(const at_dp_instance *x, const at_dp_options *o, at_model *m, at_err *err);
/* Its shapes and stop rule, without weights: seconds where the model would take all memory. */
at_status at_dp_shape(const at_dp_instance *x, const at_dp_options *o, at_model *m, at_err *err);

/* ---- expressions modulo a prime (problem.h) --------------------------------------------------------------- */

/* A decoder that evaluates expressions with at most `operators` operators, one token a step:
 *
 *     ( 3 + 4 ) * 2 =  ->  7 * 2 = 3 <eos>
 *
 * Prompts are tokens of at_expr_parse and a last AT_EXPR_EQUALS. The shapes of its tensors depend on p alone. */
typedef struct {
    int p;                  /* the prime */
    int operators;          /* 1..AT_EXPR_OPERATORS_MAX */
    at_attention_kind kind; /* standard or sparse */
    int block; /* sparse: B, the window and the block; 0: 4 operators, the least that serves all */
    /* For controls, wrong on purpose: */
    bool any_handle;       /* a + b is taken for a handle also before * and / */
    double scale;          /* factor on the scales of attention; 0: 1 */
    const at_arith *arith; /* as in at_dp_options */
} at_expr_spec;
at_status at_expr_program(const at_expr_spec *s, at_program **out, at_err *err);
/* The decoder itself: assembled, with its stop rule and its words. m is initialised by this call. */
at_status at_expr_model(const at_expr_spec *s, at_model *m, at_err *err);
/* Does a decoder speak of expressions, by its words? Then for which prime, and how many operators a prompt may have. */
bool at_expr_model_is(const at_model *m, int *p, int *operators);

/* ---- the table of front ends --------------------------------------------------------------------------------- */

typedef struct {
    at_attention_kind attention;
    const at_arith *arith; /* NULL: f64 */
} at_front_options;
/* What compiles the problems of a language. A new one is a file compile_LANG.c and a row in fronts.c. */
typedef struct {
    const char *lang, *about; /* the language (at_problem.lang), and one line */
    /* The decoder at these parameters, which are of the problem's chain. m is initialised by this call. */
    at_status (*model)(const at_params *p, const at_front_options *o, at_model *m, at_err *err);
    /* Its shapes without weights, likewise, where weights would take long; NULL: the model will do. */
    at_status (*shape)(const at_params *p, const at_front_options *o, at_model *m, at_err *err);
} at_front;
extern const at_front *const at_fronts[];
extern const int at_n_fronts;
const at_front *at_front_of(const at_problem *p); /* NULL: it cannot be compiled */
at_status at_front_shape(const at_front *f, const at_params *p, const at_front_options *o, at_model *m,
                         at_err *err); /* its `shape`, or its `model` */

extern const at_front at_front_dp, at_front_expr;

#endif
