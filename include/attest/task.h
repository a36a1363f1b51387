/* task.h: what is to be computed: generators, brute-force answers, enumerators. A task knows no model.
 *
 *     const at_task *t = at_task_find("match2");
 *     at_params p;
 *     at_params_init(&p, t->params, t->n_params);
 *     at_params_set(&p, "N", 6, &err); at_params_set(&p, "M", 11, &err);
 *     at_rng r = at_rng_at(seed, i);
 *     t->sample(&p, &r, x);            // x: (N, row_width)
 *     t->answer(&p, x, y);             // y: (N, out_width), by brute force
 */
#ifndef ATTEST_TASK_H
#define ATTEST_TASK_H

#include <attest/core.h>

/* ---- parameters, shared by tasks and claims ----------------------------------------------------- */

typedef struct {
    const char *name, *doc;
    double lo, hi, value; /* allowed range and default */
    bool integer;
    const char *const *names; /* NULL, or the names of lo, lo+1, ..., hi, which are written instead */
} at_param;

#define AT_PARAMS_MAX 12
typedef struct {
    const at_param *schema;
    int n;
    double value[AT_PARAMS_MAX];
} at_params;
void at_params_init(at_params *p, const at_param *schema, int n); /* defaults */
bool at_params_has(const at_params *p, const char *name);
double at_params_get(const at_params *p, const char *name); /* the name must exist */
int at_params_int(const at_params *p, const char *name);
/* Unknown names get a suggestion; values outside lo..hi, or fractions for integers, name the range. */
at_status at_params_set(at_params *p, const char *name, double value, at_err *err);
at_status at_params_parse(at_params *p, const char *assignments, at_err *err); /* "N=6 M=11" */
void at_params_print(const at_params *p, at_text *out); /* canonical: schema order, "N=6 M=11" */

/* Parameters of which integers may be ranges, "a=0..4 b=0..4": all points of the box, the last parameter fastest. */
typedef struct {
    at_params first;
    double last[AT_PARAMS_MAX];
} at_sweep;
void at_sweep_init(at_sweep *w, const at_param *schema, int n);
at_status at_sweep_parse(at_sweep *w, const char *assignments, at_err *err);
uint64_t at_sweep_count(const at_sweep *w); /* at most 10^9 */
void at_sweep_nth(const at_sweep *w, uint64_t k, at_params *out);
void at_sweep_print(const at_sweep *w, at_text *out); /* like at_params_print */

/* ---- tasks --------------------------------------------------------------------------------------- */

/* How inputs are enumerated. SEQUENCES: every input of length N. MULTISETS: one representative (sorted)
 * of every orbit under permuting positions; only for tasks with `symmetric`. SUBSETS (qSA): inputs that
 * together use every q-subset as a query; the vectors z are drawn from the index. PAIRS (copy, block-mean): every
 * position with everything it may ask for, and the values that are worst for an output that is linear in them. */
typedef enum { AT_ENUM_SEQUENCES, AT_ENUM_MULTISETS, AT_ENUM_SUBSETS, AT_ENUM_PAIRS, AT_ENUMS } at_enum;
extern const char *const at_enum_names[AT_ENUMS];

typedef struct at_task {
    const char *id, *title, *definition; /* definition: one line of mathematics */
    const at_param *params;              /* always contains N, the length */
    int n_params;
    bool symmetric;         /* permuting positions permutes the answers */
    bool real;              /* answers are reals, compared in Euclidean norm per position with a tolerance */
    unsigned enums;         /* bit set over at_enum */
    const char *input_help; /* how a person writes an input */
    int (*row_width)(const at_params *p);
    int (*out_width)(const at_params *p);
    at_status (*validate)(const at_params *p,
                          at_err *err); /* ranges that join parameters, e.g. q <= N; may be NULL */
    void (*answer)(const at_params *p, const double *x, double *y);
    void (*sample)(const at_params *p, at_rng *r, double *x);
    /* Inputs near the decision boundary: near misses only, exactly one hit, crowds of near misses. */
    void (*adversarial)(const at_params *p, at_rng *r, double *x);
    uint64_t (*count)(const at_params *p, at_enum e); /* UINT64_MAX when too many to count */
    void (*nth)(const at_params *p, at_enum e, uint64_t index, double *x);
    /* The input after x in the enumeration; NULL: use nth. */
    void (*next)(const at_params *p, at_enum e, uint64_t index, double *x);
    /* A simpler input than x, the k-th candidate, for shrinking; false when there is no k-th. The
     * candidate must have the same length (lengths are shrunk by the checker). NULL: none. */
    bool (*simpler)(const at_params *p, const double *x, int n, int k, double *out);
} at_task;

/* Weights that a task's parameters name, for those who build it: relu-net's w1 (h, d1), b1 (h), w2 (d2, h), b2 (d2),
 * and linear-map's W (d2, d1). All are multiples of M/64 in [-M, M]. */
void at_relu_net_weights(const at_params *p, double *w1, double *b1, double *w2, double *b2);
void at_linear_map_weights(const at_params *p, double *W);

extern const at_task *const at_tasks[];
extern const int at_n_tasks;
const at_task *at_task_find(const char *id); /* NULL when unknown */

/* ---- expressions modulo a prime, and their chains ------------------------------------------------------
 *
 * An expression is a row of tokens without redundant brackets; its chain rewrites the leftmost handle, step by step:
 *
 *     ( 3 + 4 ) * 2 =  7 * 2 = 3 <eos>              modulo 11; what stands after the first = is the chain
 *
 * A handle is `a op b` that may be evaluated: numbers a and b, and not (op is + or - and * or / follows). With ( before
 * and ) behind it takes these along: 5 tokens become 1, else 3. So the chain is a function of the expression.
 * Brackets are redundant when the operators would be evaluated on the same operands without them: none in
 * a + ( b + c ), but those of a + ( b * c ), ( a + b ) + c and ( a ). docs/expressions.md has more. */
enum {
    AT_EXPR_PAD,
    AT_EXPR_CLS,
    AT_EXPR_EOS,
    AT_EXPR_ADD,
    AT_EXPR_SUB,
    AT_EXPR_MUL,
    AT_EXPR_DIV,
    AT_EXPR_OPEN,
    AT_EXPR_CLOSE,
    AT_EXPR_EQUALS,
    AT_EXPR_NUMBER /* residue r is AT_EXPR_NUMBER + r */
};
#define AT_EXPR_PRIME_MAX     251
#define AT_EXPR_OPERATORS_MAX 720 /* chains of about a million tokens */
/* With k operators: tokens of an expression, and of a chain with its end token. */
#define AT_EXPR_TOKENS(k) ((k) ? 4 * (k)-1 : 1)
#define AT_EXPR_CHAIN(k)  ((k) ? 2 * (k) * ((k)-1) + 2 : 2)

int at_expr_vocabulary(int p); /* number of tokens */
/* The word of a token: "<eos>", "+", "7". */
const char *at_expr_word(int token, char out[8]);
void at_expr_print(const int *token, int n, at_text *out); /* words with blanks between them */
/* p must be a prime of at most AT_EXPR_PRIME_MAX. */
at_status at_expr_prime(int p, at_err *err);
/* The expression that a text says, with or without a last "=", blanks where one likes; at most `most` operators.
 * Tokens (without "=") live in the arena. Everything that at_expr_value refuses is refused. */
at_status at_expr_parse(int p, const char *text, int most, at_arena *a, int **token, int *n, at_err *err);
/* By recursive descent: the value and the number of operators. What is no expression, redundant brackets, and division
 * by zero are refused with the position (from 1). */
at_status at_expr_value(int p, const int *token, int n, int *value, int *operators, at_err *err);
/* The chain of an expression that at_expr_value accepts, by rewriting: what follows its "=", ending with AT_EXPR_EOS;
 * returns its length. chain has room for AT_EXPR_CHAIN(operators). */
int at_expr_chain(int p, const int *token, int n, int *chain);

/* A random expression with k operators, built backwards: the answer is drawn, then k times a number is split into
 * `a op b` (number, operator, operands uniform), with brackets where its value needs them. Returns the number of
 * tokens; token has room for AT_EXPR_TOKENS(k). Sample i of a seed: at_rng_at(seed, i). */
int at_expr_sample(int p, int k, at_rng *r, int *token);
/* The same with a pair of brackets for every operator but one: the longest there are, AT_EXPR_TOKENS(k) tokens. */
int at_expr_sample_long(int p, int k, at_rng *r, int *token);

/* Every expression with least..most operators, those that divide by zero excluded. */
typedef struct {
    int p, least, most;
    uint64_t count;  /* UINT64_MAX: too many to count, and none can be asked for */
    uint64_t *value; /* (most+1, p): how many with k operators have this value */
} at_expr_space;
at_status at_expr_space_init(at_expr_space *s, int p, int least, int most, at_err *err);
void at_expr_space_release(at_expr_space *s);
/* Expression number i < count, fewer operators first; returns the number of tokens. */
int at_expr_nth(const at_expr_space *s, uint64_t i, int *token);

#endif
