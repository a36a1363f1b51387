/* parse_internal.h: the reader of program texts as its files see it. */
#ifndef ATTEST_PROGRAM_PARSE_INTERNAL_H
#define ATTEST_PROGRAM_PARSE_INTERNAL_H

#include "text_internal.h"

#define TEXT_DEPTH   64                 /* brackets and calls within each other */
#define TEXT_NAME    1000               /* bytes of a name */
#define TEXT_NUMBERS ((int64_t)1 << 25) /* in all tables and hidden positions of a program */
#define TEXT_VARS    (1 << 20)          /* variables, those inside of lines included */

typedef enum { T_END, T_NUMBER, T_NAME, T_TEXT, T_SYMBOL } token_kind;
typedef struct {
    token_kind kind;
    const char *s; /* name: without quotes; else as it stands in the file */
    size_t n;
    const char *from; /* where it begins in the file */
    int line, column;
    double number;
    int nth;     /* x@2: 2; x: 0 */
    bool quoted; /* never a word of the language */
} token;

static inline bool text_unnamed(const token *t) /* @2 */
{
    return t->kind == T_NAME && !t->n && !t->quoted;
}

/* A name that is a number: a parameter, or the one that a list runs over. */
typedef struct {
    const char *s;
    size_t n;
    double value;
} constant;

typedef struct {
    const char *path;
    const char *at, *end, *line_start;
    int line;
    token t;
    at_status status;
    at_err *err;
    at_program *P; /* NULL before its first line */
    labels names;
    at_vec unnamed; /* @1, @2, ... */
    int cap_unnamed;
    int known; /* variables that have labels already */
    const at_params *given;
    constant constants[AT_PARAMS_MAX + 1];
    int n_constants;
    at_param schema[AT_PARAMS_MAX];
    int depth;
    int64_t numbers;    /* that tables may still hold */
    const char *naming; /* the line that is being read: steps within it are naming.1, naming.2, ... */
    int serial;
    const char *wanted; /* what a step is called that the next operand is; NULL: the next of those */
    at_var made;        /* the step that was, or -1 */
    at_arena scratch;   /* of a line */
} parser;

/* ---- tokens (lex.c) ------------------------------------------------------------------------------------ */

/* The first failure sticks: from then on every token is the end. */
void text_fail(parser *p, int line, int column, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void text_fail_here(parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_oom(parser *p);
void text_next(parser *p);
bool text_is(const parser *p, const char *word); /* a symbol, or a name without quotes */
bool text_says(const parser *p,
               const char *word); /* and it does not begin a line of its own, as in word = ... */
bool text_accept(parser *p, const char *word);
void text_expect(parser *p, const char *word, const char *why);
bool text_followed_by(const parser *p, char c); /* is c the next character after this token? */
const char *text_shown(const parser *p, char buf[64]);
/* A kind, as in leftmost-hard or 1/i^2: up to a blank, a comma or a bracket. -1, and a failure, when it is none of them. */
int text_kind(parser *p, const char *what, const char *const *names, int n);

/* ---- expressions (parse_expr.c) ------------------------------------------------------------------------- */

/* c0 + sum coef*arg. plain: a variable stands alone. */
typedef struct {
    double c0;
    bool has_c0, plain;
    int n, cap;
    at_var *arg;
    double *coef;
} sum;

/* coef*v, or, with v < 0, the number coef. */
typedef struct {
    double coef;
    at_var v;
    bool plain;
} term;

sum expr_read(parser *p);
term constant_term(double c);
term operand(parser *p, const sum *s); /* whatever was read, as one operand */
const constant *constant_find(const parser *p);
double number_read(parser *p, const char *what);
int integer_read(parser *p, const char *what, double lo, double hi);
/* A variable: one that has a name, or a new expression. name: the one that the expression gets, or NULL. */
at_var var_read(parser *p, const char *name);
/* rows of m numbers within brackets that are open already (open) or here; the text may give a rule: for k: k*k, where k runs
 * from `first`. In the scratch arena. */
double *list_read(parser *p, const char *what, int64_t rows, int m, double first, bool open);
/* Are so many numbers more allowed? Else it fails. */
bool numbers_spend(parser *p, int64_t rows, int m);
/* Looks for a variable by the current token, a name. */
at_var name_read(parser *p);
at_vec vec_read(parser *p);
void place_set(parser *p, int line, int column);
bool program_failed(
    parser *p); /* a builder has refused: its words become ours. Or there are too many variables */

/* ---- calls (parse_calls.c) -------------------------------------------------------------------------------- */

bool call_is(parser *p); /* does a function with its bracket stand here? One that is unknown is a failure */
/* A function of numbers, or a step. name: of the step, NULL: it is inside another. */
term call_read(parser *p, const char *name);
const char *step_name(parser *p, const char *name); /* name, or the next one of the line */

/* ---- steps (parse_steps.c) -------------------------------------------------------------------------------- */

/* The rest of NAME = ..., which makes variables of this name. */
void line_read(parser *p, const char *name);

#endif
