/* program_internal.h: the IR as the module sees it. See program.h for the meaning. */
#ifndef ATTEST_PROGRAM_INTERNAL_H
#define ATTEST_PROGRAM_INTERNAL_H

#include <attest/program.h>

typedef enum {
    OP_FIELD,  /* a token or subset field: only to be looked up                      */
    OP_EMBED,  /* a table of a field                                                 */
    OP_REAL,   /* a real input component                                             */
    OP_POS,    /* a position feature with one value                                  */
    OP_ROWS,   /* a column of a position table                                       */
    OP_LINEAR, /* c0 + sum coef*arg                                                  */
    OP_RAMP,
    OP_RELU,
    OP_PASS,  /* the argument through a pair of units                               */
    OP_TIMES, /* product of reals; GeLU only                                        */
    OP_MAX,
    OP_MIN,
    OP_ABS,
    OP_SELECT,
    OP_AND,
    OP_OR,
    OP_AT_LEAST,
    OP_COMPARE, /* 1 where the argument is at least 1, 0 where it is at most 0 */
    OP_EQUALS,
    OP_TABLE,
    OP_PRODUCT,
    OP_NEAR,
    OP_ATTEND /* component `component` of attention `step` */
} op;

static inline bool op_is_input(op o)
{
    return o <= OP_ROWS;
}

static inline bool op_is_point(op o)
{
    return o >= OP_RAMP && o <= OP_NEAR;
}

typedef struct {
    char *name;        /* NULL: an unnamed linear expression, printed in place */
    const char *place; /* where its author wrote it, or NULL */
    op op;
    double lo, hi;
    bool integer;
    int n_args;
    at_var *args;
    double *coef; /* LINEAR: n_args */
    double c0;    /* LINEAR constant, AT_LEAST/EQUALS t, RAMP a, NEAR r, TIMES wanted error */
    double c1;    /* RAMP b, NEAR w */
    /* tables: EMBED stride/rows of the field, TABLE values, NEAR centres, ROWS position rows */
    const double *table;
    int n_table, stride;
    int field;               /* FIELD, EMBED, REAL: index of the field */
    int component;           /* REAL: component; ATTEND: value index */
    at_pos_kind pos;         /* POS */
    double *prefix, *suffix; /* inputs: values at hidden positions */
    int step;                /* ATTEND: index into steps */
    bool known;              /* LINEAR: range and integrality are the author's word */
    at_var when;     /* known: where integrality is meant, for the interpreter alone; -1: everywhere */
    bool accumulate; /* LINEAR base + attention: wants base's coordinate */
    /* Set by assembly. Beyond the first two they know the arithmetic. */
    double real; /* |weights' value - interpreter's| in real arithmetic */
    int grain;   /* the interpreter's values are multiples of 2^grain; GRAIN_NONE: they are any numbers */
    double err;  /* |weights' value - interpreter's|, rounding included */
    double over; /* how far the weights' value can leave lo..hi */
    bool narrow, clean; /* remedies: made one unit before it is read; a boolean made exactly 0 or 1 */
} var;

typedef struct {
    at_attention a;    /* vectors copied into the arena */
    const char *label; /* what the head is for */
    double scale;      /* set by assembly */
    double tie;        /* hard weightings: set by assembly, before scale */
} step;

struct at_program {
    char *name;
    int N, n_min, n_prefix, n_suffix, origin;
    at_field fields[AT_MAX_FIELDS];
    int n_fields;
    var *vars;
    int n_vars, cap_vars;
    step *steps;
    int n_steps, cap_steps;
    at_vec out;
    at_read_kind read;
    double threshold;
    bool last;      /* only the last position is read */
    double half;    /* 0, or of an output that is normed (at_emit_normed) */
    double weaken;  /* factor on scales: 1, but for controls */
    double lambda;  /* GeLU units of this sharpness; 0: ReLU units */
    at_arith arith; /* that it is assembled for */
    at_pfmt fmt;
    double unit;       /* its unit roundoff; 0: real numbers */
    double meaning;    /* MEANING; 0: the interpreter is taken to be exact, for shapes alone */
    const char *place; /* of the variables that are being made, or NULL */
    bool sums;         /* some attention adds up (at_attention.adds, total) */
    bool few;          /* coordinates: at_program_narrow */
    const char *label; /* of the attention that is being made, or NULL: its name */
    at_err err;
    at_arena arena;
};

void name_copy(char out[AT_NAME_MAX + 1], const char *s);     /* shortened between two characters */
int program_longest(const at_program *P);                     /* T at length N */
double position_feature(at_pos_kind k, int64_t i, int64_t T); /* of those kinds with one value */
int64_t field_rows(const at_field *f);                        /* rows of its table: size or C(size,pick) */

/* A refusal that concerns v: "program p: name: ..." or "sum.dp:5:9: this step: ...". */
at_status step_fail(const at_program *P, const var *v, at_err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- building (build.c, build_steps.c) --------------------------------------------------------------- */

#define TABLE_MAX (1 << 24)     /* entries of a table */
at_var fail_oom(at_program *P); /* -1 */
/* A new variable whose args are copied; -1 after a failure. Only a linear expression may have no name. */
at_var var_add(at_program *P, const char *name, op o, const at_var *args, int n_args);
const char *component_name(at_program *P, const char *fmt, const char *name, int k);
void range_of_table(at_program *P, var *v, int64_t rows); /* lo, hi, integer; fails unless finite */
at_var mark_new(at_program *P, const char *name); /* 0 everywhere, until hidden values are set; in 0..1 */
/* The step of at_compare, of x/(2 half) + 1/2. */
at_var compare_unit(at_program *P, const char *name, at_var x);
/* What the parts of a linear expression tell of it; and what its author knows beyond that. */
void linear_range(const at_program *P, const var *x, double *lo, double *hi, bool *integer);
bool linear_know(at_program *P, at_var v, double lo, double hi, bool integer, bool known, at_var when);

/* ---- rounding (rounding.c) --------------------------------------------------------------------------- */

#define GRAIN_NONE (-1074) /* every double is a multiple of this power of two */
#define MEANING    0x1p-53 /* unit roundoff of the interpreter, and of the constants that steps are made of */

/* A number that the model computes, a unit or a coordinate: it lies in lo..hi, within `off` of a multiple of 2^grain. */
typedef struct {
    double lo, hi, off;
    int grain;
} extent;

/* An affine form over the units of one level: c0 + sum coef[k]*unit[k]. */
typedef struct {
    int n;
    int *unit;
    double *coef;
    double c0;
    int level;   /* of the units */
    double slop; /* what the rounding of its own coefficients does to its value */
    double peak,
        run; /* sums of its first terms: none is larger than peak, all add up to at most run in size */
    double spared
        [2]; /* its positive terms, and its negative ones: they are known to add up to so much less than their ranges allow */
    double err, over; /* as in var, of the variable that it is the value of */
} form;

/* Terms that are multiplied and added up, in an order that is not known. */
typedef struct {
    int terms;       /* that are not 0 */
    bool products;   /* some were multiplied by more than a power of 2 */
    bool shrinks;    /* some by less than 1, and may have become too small for the format */
    double mass;     /* of their sizes */
    double up, down; /* no partial sum leaves -down..up */
    double off;      /* their distances from multiples of 2^grain, added up */
    int grain;
} tally;
#define TALLY_NONE ((tally){.grain = 2000})
double bound_of(double e);                    /* e; infinite where it is NaN: nothing is known */
double extent_size(extent x);                 /* the largest |x| */
extent extent_of(const var *v);               /* of the coordinate that holds v */
int grain_of(double c);                       /* the power of 2 of its last binary digit */
void tally_add(tally *t, double c, extent x); /* c times x */
double tally_rounding(const at_program *P, const tally *t);
/* Computing f from units x: the error that it adds, the rounding of its weights included; what comes out. */
double form_rounding(const at_program *P, const form *f, const extent *x, extent *out);
double sum_error(double a, double b); /* |a+b - fl(a+b)| in doubles */
/* What the interpreter's own rounding adds at a linear expression. */
double meaning_rounding(const at_program *P, const var *v);
int var_grain(const at_program *P, const var *v); /* from its arguments' */
void input_rounding(const at_program *P, var *v); /* err of an input in the residual stream */

/* ---- MLP synthesis (mlp.c) -------------------------------------------------------------------------- */

#define CLEAN_LEVELS 3 /* hidden levels that making a boolean exact adds to its step */

/* What the allocator tells the synthesiser about residual coordinates: coordinate of a variable or -1. */
typedef struct {
    const at_program *P;
    const int *coord; /* (n_vars) */
    const int *phase; /* (n_vars) block in which a variable is computed */
    int now;          /* the block that is being written */
    const int *level; /* (n_vars) hidden level of a variable inside its own block */
    const extent *x;  /* (D) what coordinates hold */
    at_arena *arena;
    at_err *err;
    int D;
    at_program *to; /* errors of variables and remedies go there: it is P */
} mlp_site;
/* The residual form of v: its coordinate, or a linear expression of such. */
form *residual_form(const mlp_site *s, at_var v);

typedef struct {
    int n_levels; /* hidden layers */
    int *units;   /* (n_levels+1): units[0] = D */
    form **pre;   /* pre[l][u]: pre-activation of unit u of level l, over level l-1; l = 1..n_levels */
    form *out;    /* (D) result for each coordinate, over the last level */
    bool again;   /* a remedy is wanted: variables were marked, and all must be planned anew */
} mlp_net;
/* want[k] is written to coordinate at[k]; with erase[k] >= 0 the value of that variable is subtracted; want[k] -1: what stands there is
 * cleared. Sets the errors of what is computed here. */
at_status mlp_synthesise(const mlp_site *s, const at_var *want, const int *at, const at_var *erase, int n,
                         int levels, mlp_net *out);
/* ---- pointwise steps before they have units (points.c) ------------------------------------------------ */

#define COARSE 0x1p-6 /* noise that is worth a remedy */
/* The flat radius around integers for an argument of error `real` in real numbers and `err` with rounding. */
double flat_radius(const at_program *P, double real, double err);
/* How far a step leaves its range because its arguments leave theirs by `over`, err being its error. */
double point_over(const at_program *P, const var *v, const double over[3], double err);
/* GeLU programs: what the units of the pointwise step v add to its error, e being those of its arguments. */
double point_unit_error(const at_program *P, const var *v, const double e[3]);
/* A table of integers (or a product) is a staircase, flat around integers, where its argument has an error in real
 * arithmetic; else the polygon through its points, which passes errors on, times its steepest slope. */
bool point_is_stairs(const at_program *P, const var *v);
double point_slope(const at_program *P, const var *v);
/* The error of the pointwise step v, from those of its arguments and how far these leave their ranges, without the
 * rounding of its own evaluation. Fails where an integer is not recognised (errors.c). */
at_status point_error(const at_program *P, const var *v, const double e[3], const double over[3], double *out,
                      at_err *err);
/* At least u Phi(-u), what gelu lacks to relu, at u and everywhere above; AT_GELU_GAP below 1. */
double mlp_gelu_gap(double u);
/* The L of the four units of a product: gelu((x+y)/L) and so on. */
double times_scale(const at_program *P, const var *v);
/* Does lowering v make many units, so that its argument should be narrow? */
bool point_is_wide(const var *v);

#endif
