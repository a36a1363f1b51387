/* program.h: the program IR, its exact interpreter, and the assembler that turns it into weights.
 *
 * A program is a list of single-assignment variables over positions: inputs, position features,
 * attention steps and pointwise expressions. Every theorem and every front end is written in it.
 *
 *     at_program *P = at_program_new("match2", N);
 *     at_var x    = at_token(P, "x", M);                       // a field, residues 0..M-1
 *     at_suffix(P, 1);                                         // one hidden blank after the end
 *     at_var cosx = at_lookup(P, "cos", x, cos_table);
 *     at_var sinx = at_lookup(P, "sin", x, sin_table);
 *     at_var blank = at_mark_suffix(P, "blank", 0);
 *     at_var paired = at_attend(P, "paired", &(at_attention){
 *         .query = AT_VEC(cosx, sinx, at_const(P, 1)),
 *         .key   = AT_VEC(cosx, at_neg(P, sinx), blank),
 *         .value = AT_VEC(at_not(P, blank)),
 *         .weighting = AT_SOFTMAX, .scale = c, .gap = gap});
 *     at_emit(P, AT_VEC(at_ramp(P, "y", paired, 1/6., 1/3.)), AT_READ_THRESHOLD, 0.5);
 *     at_assemble(P, &model, NULL, &err);
 *
 * Failures are sticky: builders return -1 after the first one and at_assemble reports it, so that a
 * proof reads without error handling between its lines.
 *
 * Meaning. Attention means "over the keys whose score is largest": their average (softmax, sparsemax,
 * average-hard, three-wise), or the leftmost/rightmost. `gap` promises that every other score is lower by
 * at least that much. Linear attention takes one-hot vectors (booleans, at most one of them 1) for query and
 * key: their product is 1 for equal ones, so the average runs over the keys of the query's class (over all keys
 * where there is none); or any numbers (kernel), and then it is what the model computes.
 *
 * Hard attention is made with a `tie`: scores that a run gets within tie of its largest count as equal to it. The
 * assembler proves for the score error e of every row, rounding included, that 2e < tie < gap - 2e, or, where `unique` says
 * that it does not matter which maximal key is chosen or the scores are exact integers, 2e < gap with tie 0; else it refuses.
 *
 * The assembler derives the scale from the gap and the wanted error, and carries the
 * error it leaves through the rest of the program; steps on integers are flat around integers, so they
 * remove errors below 1/2. It fails naming the variable whose error cannot be bounded.
 */
#ifndef ATTEST_PROGRAM_H
#define ATTEST_PROGRAM_H

#include <attest/exec.h>

typedef int at_var; /* -1: an earlier step failed */
typedef struct {
    int n;
    const at_var *v;
} at_vec;
#define AT_VEC(...)                                                                                          \
    ((at_vec){(int)(sizeof((at_var[]){__VA_ARGS__}) / sizeof(at_var)), (at_var[]){__VA_ARGS__}})

typedef struct at_program at_program;

/* A program for lengths 1..N. NULL when out of memory. */
at_program *at_program_new(const char *name, int N);
void at_program_free(at_program *P);
void at_program_lengths(at_program *P, int n_min); /* shortest length, default 1; 0: the empty input, too */
/* A failure found by the builder itself (a parameter, a table): sticky like the others. */
at_status at_program_fail(at_program *P, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
at_status at_program_oom(at_program *P); /* the builder itself ran out of memory: sticky too */
/* Variables that are made from now on come from this place, as in "sum.dp:5:9" (copied; NULL: none). Refusals that concern
 * them begin with it instead of the program's name. */
void at_program_place(at_program *P, const char *place);
/* Attention that is made from now on is for this, as people know it: a formula, a line of a program (copied; NULL: each is called
 * by its own name). Models carry it to pictures (at_model_name_head). */
void at_program_label(at_program *P, const char *label);
at_status at_program_status(const at_program *P, at_err *err);
/* For controls: every scale of attention times `factor`, behind the back of the error bounds. */
void at_program_weaken(at_program *P, double factor);
/* The arithmetic that the model will run in: f64 unless told, f32, or p bits. Error bounds include the rounding of every step
 * in it, in whatever order an executor adds. ball and exact: real numbers, which nothing rounds. */
void at_program_arithmetic(at_program *P, at_arith a);
/* For at_program_shape alone: the shape of the construction over the reals, at sizes where no bound on what rounds would
 * close, the interpreter's own rounding included. at_assemble refuses such a program. */
void at_program_reals(at_program *P);
/* As few coordinates as can be: steps are made in the last MLP that serves, and MLPs clear what nobody reads any more, so that attention
 * may write there. More units, and other weights. */
void at_program_narrow(at_program *P);

/* ---- inputs ------------------------------------------------------------------------------------ */

at_var at_token(at_program *P, const char *name, int size);
at_var at_subset(at_program *P, const char *name, int size, int pick);
/* d real inputs in [lo,hi]; returns the first of d consecutive variables name[0..d-1]. */
at_var at_reals(at_program *P, const char *name, int d, double lo, double hi);
at_var at_ints(at_program *P, const char *name, int d, double lo, double hi); /* the same, integers */
void at_prefix(at_program *P, int count); /* hidden positions, before any of the calls below */
void at_suffix(at_program *P, int count);
void at_origin(at_program *P, int origin); /* index of the first position, default 1 */

/* A field looked up in a table (part of the embedding): user positions; 0 at hidden ones. */
at_var at_lookup(at_program *P, const char *name, at_var field, const double *table);
/* m tables at once: rows (size or C(size,pick), m), row-major; returns the first of m variables. */
at_var at_lookup_rows(at_program *P, const char *name, at_var field, int m, const double *rows);
at_var at_number(at_program *P, const char *name, at_var field); /* a token as the number it is */
/* 1 at hidden position k, 0 elsewhere. */
at_var at_mark_prefix(at_program *P, const char *name, int k);
at_var at_mark_suffix(at_program *P, const char *name, int k);
/* The value of an input variable (lookup, number) at a hidden position. */
void at_hidden_prefix(at_program *P, at_var v, int k, double value);
void at_hidden_suffix(at_program *P, at_var v, int k, double value);
at_var at_position(at_program *P, const char *name, at_pos_kind kind); /* kinds with one feature */
/* m position tables of prefix+N+suffix rows each, row-major (rows, m); integer values stay integers. */
at_var at_position_rows(at_program *P, const char *name, int m, const double *rows);

/* ---- linear expressions: free, folded into the next matrix ------------------------------------------- */

at_var at_const(at_program *P, double c);
at_var at_add(at_program *P, at_var x, at_var y);
at_var at_sub(at_program *P, at_var x, at_var y);
at_var at_scaled(at_program *P, double k, at_var x);
at_var at_neg(at_program *P, at_var x);
at_var at_not(at_program *P, at_var b); /* 1-b */
/* x, of which the author knows more than its parts tell: it lies in lo..hi, everywhere; and, where the boolean
 * `when` is 1 (-1: everywhere), it is an integer. Where it is not, nobody may care. The interpreter refuses inputs on
 * which the author is wrong. */
at_var at_known(at_program *P, const char *name, at_var x, double lo, double hi, bool integer, at_var when);
at_var at_sum(at_program *P, const char *name, at_vec v, const double *coef,
              double c0); /* coef NULL: all 1 */

/* ---- pointwise steps: one ReLU layer each -------------------------------------------------------------- */

/* GeLU units instead of ReLU ones, in the whole program: relu(z) becomes gelu(lambda z)/lambda, which is lower by at
 * most AT_GELU_GAP/lambda; errors are carried as before. What is only carried stays exact. */
void at_gelu(at_program *P, double lambda);

at_var at_relu(at_program *P, const char *name, at_var x); /* max(x, 0): one unit */
/* x itself through two units: u = relu(u) - relu(-u), and exactly so for GeLU, whatever lambda. */
at_var at_pass(at_program *P, const char *name, at_var x);
/* x y of reals by four GeLU units (lemma A.1), within `error` of it for arguments without error. */
at_var at_times(at_program *P, const char *name, at_var x, at_var y, double error);
/* t >= alpha ? x : y, component by component, where |t| >= alpha > 0 is the author's word (lemma A.4): 2d+2 units
 * for d components, t unbounded. slack >= 1 multiplies the slope. Returns the first of d consecutive variables. */
at_var at_choose_rows(at_program *P, const char *name, at_var t, double alpha, at_vec x, at_vec y,
                      double slack);

at_var at_ramp(at_program *P, const char *name, at_var x, double a, double b); /* 0 below a, 1 above b */
at_var at_max2(at_program *P, const char *name, at_var x, at_var y);
at_var at_min2(at_program *P, const char *name, at_var x, at_var y);
at_var at_absolute(at_program *P, const char *name, at_var x);
at_var at_select(at_program *P, const char *name, at_var b, at_var x, at_var y); /* b ? x : y, b boolean */
at_var at_and(at_program *P, const char *name, at_var a, at_var b);
at_var at_or(at_program *P, const char *name, at_var a, at_var b);
/* On integers (flat around them, so errors below 1/2 vanish): */
at_var at_at_least(at_program *P, const char *name, at_var x, double t);          /* [x >= t], t an integer */
at_var at_equals(at_program *P, const char *name, at_var x, double t);            /* [x == t] */
at_var at_table(at_program *P, const char *name, at_var x, const double *values); /* values[x - lo(x)] */
at_var at_product(at_program *P, const char *name, at_var x, at_var y);           /* integers */
at_var at_floor_div(at_program *P, const char *name, at_var x, int m);            /* floor(x/m), x integer */
/* 1 where x >= half, 0 where x <= -half, exactly; that |x| >= half > 0, at every position, is the author's word. */
at_var at_compare(at_program *P, const char *name, at_var x, double half);
/* Are all of these booleans 1, is one of them? One unit. */
at_var at_all(at_program *P, const char *name, at_vec b);
at_var at_any(at_program *P, const char *name, at_vec b);
/* Sum of trapezoids: sum over c in centres of max(0, min(1, (r+w-|x-c|)/w)): 1 within r of a centre. */
at_var at_near(at_program *P, const char *name, at_var x, const double *centres, int n, double r, double w);

/* ---- attention ------------------------------------------------------------------------------------------- */

typedef struct {
    at_vec query, key, key2; /* linear in the variables; key2, value2: three-wise only */
    at_vec value, value2;    /* one variable comes out for each */
    at_weighting weighting;
    at_mask mask;
    at_post post; /* applied to the score, before scale in meaning: post(scale s) = scale post(s) */
    double gap;   /* > 0: every score below the largest is below it by at least this much */
    const double *
        gaps; /* NULL, or (prefix + N + suffix): the gap of the queries at each position, where they differ; then
                           `gap` is the least of them. Copied. */
    double scale; /* 0: derived from gap and error */
    double error; /* wanted error of the result, default 2^-20 of the value's range; with an explicit
                       scale it is a promise that the assembler relies on, rounding of scores included (0: computed
                       from the gap) */
    bool unique;  /* one key only reaches the largest score (or all reach equal values), so that the
                       result of integers is an integer, and leftmost and rightmost need no tie: whichever
                       maximal key rounding prefers, the value is the same */
    int most; /* at most so many keys reach the largest score (linear: are of the query's class, and one is); 0:
                       perhaps all. Fewer are rounded less */
    at_var base;    /* base_plus: the result is base + attention (in place when base is not used later) */
    bool base_plus; /* with one value only */
    double
        adds; /* linear, above 0: the sum over the keys of the query's class, and not their mean. key has one
                       component more than query, the anchor: a mark that is 1 at one hidden position, which every
                       row sees. It weighs AT_ANCHOR in every class, so that the denominator hardly depends on the
                       others, and its values are 0. Values are integers from 0 on; that no class sums up to more
                       than this is the author's word, which the interpreter checks */
    double
        total; /* softmax, above 0: at every row the maximal keys are a power of two of them, at most `most`,
                       and their values, integers from 0 on, add up to at most this. So neither the sums nor the
                       division is rounded in an arithmetic that holds the total; the interpreter checks it */
    at_vec
        wipe; /* adds: empty, or an integer -1..1 for each value: a key with 1 and a later one of its class with
                       -1 make the class's sum of this value 0 again, by rounding: it is a number far too large for
                       what was there. Both keys have the value 0; nothing is added and nobody asks for the class in
                       between. Only decoders run such a model, whose running sums are rounded after every token */
    bool kernel; /* linear: query and key are any numbers without error, and the weights are phi(q).phi(k)
                       over their sum, phi(x) = elu(x) + 1; gap, scale and error do not matter */
} at_attention;
#define AT_ANCHOR 0x1p60
/* Returns the first of value.n consecutive variables. A fully masked row gives 0 (plus base). */
at_var at_attend(at_program *P, const char *name, const at_attention *a);

/* ---- counts (counting.c) -------------------------------------------------------------------------------------
 *
 * Weightings are softmax or average-hard. A mean over n keys of booleans is a count over n. Counts c are kept as c u, u = 1/n, so that
 * sums of them are sums; with one hidden position at the start, which is in no count, u is the mean of its mark. */

/* The means of these values over all keys that the mask shows: uniform attention, without an error but for rounding. The first
 * of values.n variables. */
at_var at_mean(at_program *P, const char *name, at_vec values, at_weighting w, at_mask mask);

typedef struct {
    at_weighting weighting;
    at_mask mask;
    at_var here; /* the index j of a position, and its square: position features */
    at_var here2;
    double least; /* of u, over all rows that ask: 0: one over all positions */
    double error; /* wanted error; 0: what integers need */
} at_counting;
/* The values at the position whose index is the count c, from c u and u, where that position is one that the mask shows: by the
 * score u (2 c j - j^2), which is largest at j = c, by u. The first of values.n variables. */
at_var at_at_count(at_program *P, const char *name, at_var cu, at_var u, at_vec values,
                   const at_counting *how);
/* The same from v = 1/(c + 1), by -|j + 1 - (c + 1)| v; least: of v. The mask must show the position c. */
at_var at_at_share(at_program *P, const char *name, at_var v, at_vec values, const at_counting *how);

/* ---- copies: what stands at a given position ------------------------------------------------------------ */

typedef struct {
    int length;   /* positions that can occur */
    int block;    /* W, positions of a block (window: positions that are seen); 0: ceil(sqrt(length)) */
    double error; /* wanted error of a copy; 0: what integers need */
    double scale; /* of a copy by index; 0: derived from the error, which else is a promise */
    /* Constructions that fail, for controls: */
    int slots;    /* of a block; 0: W. Fewer lose values */
    int blocks;   /* linear: 0: as many as there are. Positions beyond the last are in none */
    bool uniform; /* sparse: a block's row averages over all that the mask shows */
    bool ends;    /* sparse: recent targets too come through the last row of their block */
} at_copying;
/* Made once a program (it holds the position and its square), freed before or after the program. NULL when out of
 * memory, which the program then knows; the copies take it. */
typedef struct at_copier at_copier;
at_copier *at_copier_new(at_program *P, const at_copying *how);
void at_copier_free(at_copier *c); /* NULL is allowed */
/* The values at 1-based position target (an integer, at most this position): the first of values.n variables.
 * steers: the result is used to find another position, so it must be nearly exact. standard: constant size; window:
 * the same, but only the last W positions (and block ends) are seen; linear and sparse: W slots a value. */
typedef at_var at_copy_fn(at_copier *c, const char *name, at_var target, at_vec values, bool steers);
at_copy_fn at_copy_standard, at_copy_window, at_copy_linear, at_copy_sparse;
/* The square of an integer in 1..this position, by standard attention: position k holds k^2. Constant size, while a
 * product needs units for every value. Elsewhere: the square of the nearest such integer. */
at_var at_copy_square(at_copier *c, const char *name, at_var x);

/* ---- output ------------------------------------------------------------------------------------------------ */

void at_emit(at_program *P, at_vec out, at_read_kind read, double threshold);
/* The same, of the last position only: of the last hidden one, where there is a suffix. */
void at_emit_last(at_program *P, at_vec out, at_read_kind read, double threshold);
/* The sign of v at the last position, -1 or 1, read by threshold 0, however small v is: two units leave (v, -v) of all that the
 * position holds, and a layer norm divides by their size. That |v| >= half > 0 there is the author's word; where the error
 * of v is not below it, the assembler refuses. */
void at_emit_normed(at_program *P, at_var v, double half);

/* ---- using a program ------------------------------------------------------------------------------------------ */

/* Declared range of a variable and the error bound that assembly derived for it, in the program's arithmetic. */
typedef struct {
    const char *name;
    double lo, hi, err;
    bool integer;
    const char *place; /* NULL, or where it comes from */
} at_var_info;
int at_program_vars(const at_program *P);
at_var_info at_program_var(const at_program *P, at_var v);
/* The text of a program (docs/program.md): for people, with six digits, long lists shortened and what assembly derived as
 * comments; or exactly, so that at_program_parse makes the same program of it. */
at_status at_program_print(const at_program *P, at_text *out);
at_status at_program_print_exact(const at_program *P, at_text *out);

/* A text, and where it stands: `path` and `line` (of its first line, from 1) are for messages, "path:line:column: ...". */
typedef struct {
    const char *path, *s;
    size_t n;
    int line;
} at_program_text;
#define AT_PROGRAM_TEXT_MAX ((size_t)1 << 26) /* bytes */
/* The parameters that a text declares, with ranges and defaults. They live in the arena. */
at_status at_program_params(const at_program_text *t, at_arena *a, at_param **schema, int *n, at_err *err);
/* The program of a text, its parameters as given (NULL, or of those that it has no other name for: their defaults). */
at_status at_program_parse(const at_program_text *t, const at_params *given, at_program **out, at_err *err);
/* The program of a file, its parameters set by `set` ("N=6 M=11", or NULL). */
at_status at_program_load(const char *path, const char *set, at_program **out, at_err *err);
/* The exact interpreter: values (T, R) of the outputs for input x, user positions only (or (1, R), at_emit_last), by
 * the meaning above and not by the weights. Results live in the arena. */
at_status at_program_run(const at_program *P, const at_input *x, at_arena *a, double **out, at_err *err);
/* Weights. m is initialised by this call. out_error: bound on |model's output - interpreter's| in the arithmetic that the
 * program is assembled for; may be NULL. */
at_status at_assemble(at_program *P, at_model *m, double *out_error, at_err *err);
/* Shapes: the model that at_assemble would make, by the same decisions, without weights (at_model_shape). For
 * sizes and costs at lengths whose weights would not fit. */
at_status at_program_shape(at_program *P, at_model *m, at_err *err);

#endif
