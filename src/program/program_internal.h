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
    char *name; /* NULL: an unnamed linear expression, printed in place */
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
    double err;      /* set by assembly */
} var;

typedef struct {
    at_attention a; /* vectors copied into the arena */
    double scale;   /* set by assembly */
    double tie;     /* hard weightings: set by assembly, before scale */
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
    bool last;     /* only the last position is read */
    double weaken; /* factor on scales: 1, but for controls */
    double lambda; /* GeLU units of this sharpness; 0: ReLU units */
    at_err err;
    at_arena arena;
};

void name_copy(char out[AT_NAME_MAX + 1], const char *s);   /* shortened between two characters */
int program_longest(const at_program *P);                   /* T at length N */
double position_feature(at_pos_kind k, double i, double T); /* of those kinds with one value */
int64_t field_rows(const at_field *f);                      /* rows of its table: size or C(size,pick) */

/* ---- building (build.c, build_steps.c) --------------------------------------------------------------- */

#define TABLE_MAX (1 << 24)     /* entries of a table */
at_var fail_oom(at_program *P); /* -1 */
/* A new variable whose args are copied; -1 after a failure. Only a linear expression may have no name. */
at_var var_add(at_program *P, const char *name, op o, const at_var *args, int n_args);
const char *component_name(at_program *P, const char *fmt, const char *name, int k);
void range_of_table(at_program *P, var *v, int64_t rows); /* lo, hi, integer; fails unless finite */

/* ---- MLP synthesis (mlp.c) -------------------------------------------------------------------------- */

/* An affine form over the units of one level: c0 + sum coef[k]*unit[k]. */
typedef struct {
    int n;
    int *unit;
    double *coef;
    double c0;
} form;

/* What the allocator tells the synthesiser about residual coordinates: coordinate of a variable or -1. */
typedef struct {
    const at_program *P;
    const int *coord; /* (n_vars) */
    const int *phase; /* (n_vars) block in which a variable is computed */
    int now;          /* the block that is being written */
    const int *level; /* (n_vars) hidden level of a variable inside its own block */
    at_arena *arena;
    at_err *err;
    int D;
} mlp_site;
/* The residual form of v: its coordinate, or a linear expression of such. */
form *residual_form(const mlp_site *s, at_var v);

typedef struct {
    int n_levels; /* hidden layers */
    int *units;   /* (n_levels+1): units[0] = D */
    form **pre;   /* pre[l][u]: pre-activation of unit u of level l, over level l-1; l = 1..n_levels */
    form *out;    /* (D) result for each coordinate, over the last level */
} mlp_net;
/* want[k] is written to coordinate at[k]; with erase[k] >= 0 the value of that variable is subtracted. */
at_status mlp_synthesise(const mlp_site *s, const at_var *want, const int *at, const at_var *erase, int n,
                         int levels, mlp_net *out);
/* GeLU programs: what the units of the pointwise step v add to its error, once the errors of its arguments are
 * known. */
double point_unit_error(const at_program *P, const var *v);
/* At least u Phi(-u), what gelu lacks to relu, at u and everywhere above; AT_GELU_GAP below 1. */
double mlp_gelu_gap(double u);
/* The L of the four units of a product: gelu((x+y)/L) and so on. */
double times_scale(const at_program *P, const var *v);
/* Does lowering v make many units, so that its argument should be narrow? */
bool point_is_wide(const var *v);

#endif
