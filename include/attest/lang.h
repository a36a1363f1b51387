/* lang.h: problems as text: read, run, analysed, printed.
 *
 *     at_dp *d;
 *     at_dp_load("examples/edit-distance.dp", &d, &err);      // errors carry file, line and column
 *     int64_t size[] = {6, 7};
 *     at_dp_instance *x;
 *     at_dp_bind(d, size, &x, &err);                          // concrete sizes: ranges and order are checked
 *     at_dp_run(x, input, &arena, &chain, &err);              // the reference: chain of states and values
 *
 * A recurrence has sizes, inputs (arrays of integers), states (a tuple of counters in lexicographic order, the
 * last fastest, bounds linear in sizes and earlier counters), values (integers with ranges), dependencies
 * (earlier states, as functions of the state), input look-ups (positions, as functions of the state), a
 * transition and an answer. Where inputs steer a look-up or a dependency, inputs are looked up in a round before.
 * docs/dp.md teaches the language. */
#ifndef ATTEST_LANG_H
#define ATTEST_LANG_H

#include <attest/formula.h>
#include <attest/ngram.h>
#include <attest/problem.h>

/* ---- recurrences (.dp) ----------------------------------------------------------------------------------- */

#define AT_DP_MAX    32 /* sizes, inputs, tables, counters, values, dependencies, look-ups and lets each */
#define AT_DP_BLOCKS 8  /* of states */
#define AT_DP_STATES ((int64_t)1 << 22) /* states, and inputs, of an instance */
#define AT_DP_NUMBER ((int64_t)1 << 53) /* no number, also in between, leaves -2^53..2^53 */

typedef enum {
    AT_DPX_CONST,
    AT_DPX_SIZE,    /* index: which size */
    AT_DPX_COUNTER, /* index: which state counter */
    AT_DPX_TAKE,    /* index: which input look-up */
    AT_DPX_NEED,    /* index: which dependency, field: which of its values */
    AT_DPX_VALUE,   /* index: a value of this state, in the answer and in what it gathers from many states */
    AT_DPX_OVER,    /* index: a folded value; the number that its term is for (k of `min over k in ...`) */
    AT_DPX_FOLD,    /* index: a folded value, as far as this row, which is its last where it is read */
    AT_DPX_BEFORE, /* index: a value in the row before this one, 0 where that is no state; behind all: the last */
    AT_DPX_FIRST, /* index: a gathered value; is this the first state that it is gathered from? */
    AT_DPX_LET,   /* index: which named expression; the last of the leaves */
    AT_DPX_ADD,
    AT_DPX_SUB,
    AT_DPX_MUL,
    AT_DPX_MOD,   /* by a constant or size expression, result in 0..m-1 */
    AT_DPX_DIV,   /* by such a one, rounded down */
    AT_DPX_TABLE, /* index: which table; argument: the place in it, from 1 */
    AT_DPX_MIN,
    AT_DPX_MAX,
    AT_DPX_NEG,
    AT_DPX_ABS,
    AT_DPX_EQ,
    AT_DPX_NE,
    AT_DPX_LT,
    AT_DPX_LE,
    AT_DPX_AND,
    AT_DPX_OR,
    AT_DPX_NOT,
    AT_DPX_IF /* args: condition, then, else; only the branch that is taken is evaluated. AND and OR evaluate the
                 second argument where the first leaves it open; all other operations evaluate every argument */
} at_dpx_op;

typedef struct at_dpx {
    at_dpx_op op;
    int64_t value; /* CONST */
    int index, field;
    struct at_dpx *arg[3];
    int line, column; /* where it begins */
    int node;         /* its number among the n_nodes of the problem, from 0 */
} at_dpx;

typedef struct {
    char name[32];
    int line, column; /* where it is declared */
} at_dp_name;

typedef struct {
    at_dp_name name;
    at_dpx *length, *lo, *hi; /* of sizes only */
    at_dpx *rows, *cols;      /* NULL, or of an input[rows, cols], whose length is their product */
    bool scalar;              /* a number by itself, of length 1 */
} at_dp_input;
typedef struct {
    at_dp_name name;
    int64_t *value; /* (n), and where cols is not 0: (n/cols, cols) */
    int n, cols;
} at_dp_table;
typedef struct {
    at_dp_name name;
    at_dpx *lo, *hi; /* of sizes and earlier counters; in counters linear, with min and max */
} at_dp_counter;
/* States that are declared together: `state i in 1..n, j in 1..m`. */
typedef struct {
    at_dp_counter counter[AT_DP_MAX];
    int n;
    int fold; /* the value that is folded first here, or -1 */
} at_dp_block;
/* A value is declared; or it is a column that the chain needs besides: a fold (`min over k in a..b of e`), or what the answer
 * gathers from many states (`max e over (1..n)`). The ranges of these follow from the analysis. */
typedef enum { AT_DP_DECLARED, AT_DP_FOLDED, AT_DP_GATHERED } at_dp_value_kind;
typedef struct {
    at_dp_name name;
    at_dp_value_kind kind;
    int block;       /* its states */
    at_dpx *lo, *hi; /* of sizes; folded: the range of k, of sizes and counters */
    at_dpx *rule;    /* transition f */
    at_dpx *own;     /* NULL: it has a value in every row; else it is 0 where this is 0 */
    at_dpx_op op;    /* folded, gathered: MIN, MAX or ADD, of this: */
    at_dpx *term;
    at_dpx *from[AT_DP_MAX],
        *to[AT_DP_MAX]; /* gathered: from these states, by counters of the block; of sizes */
} at_dp_value;
typedef struct {
    at_dp_name name;   /* "": it is read in place, as cost(i-1, j), and has a state wherever it is read */
    int block, reader; /* of the state that is needed, and of those that need it */
    at_dpx *counter[AT_DP_MAX]; /* the state that is needed: of sizes, counters and look-ups */
    at_dpx *when;               /* NULL: always; else it is absent (and must not be read) where this is 0 */
    int round;                  /* like that of a look-up */
    bool steers;                /* it is used by a look-up or by another dependency */
} at_dp_need;
typedef struct {
    at_dp_name name;  /* "": it is read in place, as a[i] */
    int input, block; /* of the states that look it up */
    at_dpx *index;    /* 1-based */
    at_dpx *column;   /* NULL, or of an input[rows, cols] the second of the two places */
    at_dpx *when;
    int round; /* 0: a function of the state only; r: of look-ups of round r-1 (and of earlier rounds) too */
} at_dp_take;
typedef struct {
    at_dp_name name;
    at_dpx *rule;
} at_dp_let;

typedef struct {
    char title[64];
    int n_sizes, n_inputs, n_tables, n_counters, n_values, n_needs, n_takes, n_lets, n_blocks;
    at_dp_name sizes[AT_DP_MAX];
    at_dpx *size_lo[AT_DP_MAX], *size_hi[AT_DP_MAX]; /* of earlier sizes */
    at_dpx *size_usual[AT_DP_MAX]; /* NULL, or its value unless told; such sizes come last */
    at_dp_input inputs[AT_DP_MAX];
    at_dp_table tables[AT_DP_MAX];
    at_dp_block blocks[AT_DP_BLOCKS];
    /* The counters of a row: `hidden` is 1 where the first says which block it is, from 1 (there are several, or a first counter
     * begins below 1); then those of the block, its folding counter, and zeros. */
    at_dp_counter counters[AT_DP_MAX];
    int hidden;
    at_dp_value values[AT_DP_MAX];
    at_dp_need needs[AT_DP_MAX];
    at_dp_take takes[AT_DP_MAX];
    at_dp_let lets[AT_DP_MAX];
    at_dpx *answer;                  /* of sizes and of the values at answer_state */
    at_dpx *answer_state[AT_DP_MAX]; /* of sizes; NULL: the last state */
    int answer_block;                /* of the values that it reads */
    unsigned steering;               /* bit t: look-up t is used by a later look-up or by a dependency */
    int n_nodes;                     /* of all expressions */
    const char *path;                /* where it was read from, for messages */
    char digest[65];                 /* of its text */
    const char *known;               /* NULL, or which of the shipped ones it is, by its text */
    at_arena arena;
} at_dp;

/* Errors are one line: path:line:column: what is wrong, what is allowed. */
at_status at_dp_load(const char *path, at_dp **out, at_err *err);
at_status at_dp_parse(const char *text, size_t n, const char *path, at_dp **out, at_err *err);
void at_dp_free(at_dp *d);

/* The shipped problems (examples/), by name: "edit-distance". */
typedef struct {
    const char *name, *text;
} at_dp_example;
extern const at_dp_example at_dp_examples[];
extern const int at_n_dp_examples;
at_status at_dp_example_load(const char *name, at_dp **out, at_err *err);

/* A problem at concrete sizes. */
typedef struct {
    const at_dp *d;
    int64_t size[AT_DP_MAX];
    int64_t n_input;                /* all inputs, concatenated in order */
    int64_t input_first[AT_DP_MAX]; /* 0-based start of each input */
    int64_t input_len[AT_DP_MAX], input_lo[AT_DP_MAX], input_hi[AT_DP_MAX];
    int64_t value_lo[AT_DP_MAX], value_hi[AT_DP_MAX];
    int64_t first[AT_DP_MAX]; /* of gathered values: the rank of the first state, or -1 */
    int64_t n_states;
    int64_t *state;   /* (n_states, n_counters) in order */
    int64_t L;        /* length of the whole sequence: n_input + 1 + n_states + 1 */
    int64_t locality; /* the least m such that every row after the inputs depends only on the m rows before it
                         (rows: inputs, separator, states, answer); -1: unknown, inputs steer too much */
    int64_t answer_lo, answer_hi; /* the answer lies between them, if proved */
    at_tri proved; /* AT_TRUE: at_dp_run succeeds on every input in range. AT_UNKNOWN: inputs steer
                                     in too many ways to try them all here, and at_dp_run checks what it meets */
    int doubt_line, doubt_column; /* not proved: the first place of the file that is in doubt */
    at_arena arena;
} at_dp_instance;
/* Sizes from a text such as "n1=6,n2=7": every size once, in any order; those with a default may be left out. */
at_status at_dp_sizes_parse(const at_dp *d, const char *text, int64_t size[AT_DP_MAX], at_err *err);
/* Checks: sizes allowed, dependencies strictly earlier and inside the order, look-ups inside their inputs, values
 * inside their ranges (by intervals, state by state). Errors name file, line, column and the state. d must outlive
 * the instance. */
at_status at_dp_bind(const at_dp *d, const int64_t *size, at_dp_instance **out, at_err *err);
/* at_dp_bind reads the sizes without a default and takes the others at theirs; this one reads all n_sizes. */
at_status at_dp_bind_all(const at_dp *d, const int64_t *size, at_dp_instance **out, at_err *err);
void at_dp_instance_free(at_dp_instance *x);
/* The position of a state in the order (0-based), or -1. */
int64_t at_dp_rank(const at_dp_instance *x, const int64_t *counters);

/* What state s looks at: take (n_takes) rows of the inputs, 0-based, need (n_needs) ranks of states; -1: absent. Refused where
 * inputs steer. */
at_status at_dp_fetches(const at_dp_instance *x, int64_t s, int64_t *take, int64_t *need, at_err *err);
/* How far apart values are that a state looks at together, for every input: intervals that dp_apart.c proves by induction over the
 * states. Refused where inputs steer, where states are in several blocks, fold or are gathered from, and where the instance is not
 * proved. */
typedef struct at_dp_apart at_dp_apart;
typedef struct {
    int64_t lo, hi;
} at_dp_range;
enum {
    AT_DP_ZERO,
    AT_DP_BEFORE,
    AT_DP_NEED
}; /* what is compared: 0, the state before, need k as AT_DP_NEED + k */
at_status at_dp_apart_new(const at_dp_instance *x, at_dp_apart **out, at_err *err);
void at_dp_apart_free(at_dp_apart *a); /* NULL is allowed */
/* At state s, of value v: out (n, n), n = AT_DP_NEED + n_needs: in row i, column j where i - j lies. here (n): whether there is such a
 * state; rows and columns of others mean nothing. */
void at_dp_apart_at(const at_dp_apart *a, int64_t s, int v, at_dp_range *out, bool *here);
/* The state whose values the answer reads; there is one. */
at_status at_dp_answer_rank(const at_dp_instance *x, int64_t *rank, at_err *err);

typedef struct {
    int64_t *value; /* (n_states, n_values) */
    int64_t answer;
} at_dp_chain;
/* Interprets: the reference. A value outside its declared range is an error that names the state. */
at_status at_dp_run(const at_dp_instance *x, const int64_t *input, at_arena *a, at_dp_chain *out,
                    at_err *err);

/* Which ways an operation of the definition went, bit k: way k of at_dp_way. */
typedef struct {
    const at_dpx *at; /* NULL: it was not met, or has one way only */
    unsigned ways;
} at_dp_branch;
/* Adds the branches that an input takes, in all states and the answer, to seen: (n_nodes), zeros at first. Nothing is
 * added when the input cannot be run. */
at_status at_dp_branches(const at_dp_instance *x, const int64_t *input, at_dp_branch *seen, at_err *err);
/* Way k of an operation in words; NULL: there is none.
 *     if               else, then
 *     ==, !=           unequal, equal
 *     <, <=, min, max  first below, equal, first above (a > b is read as b < a)
 *     abs              negative, zero, positive
 *     mod              inside, wraps
 *     div, a table     one way only
 *     and, or          the truths of both sides: "no, yes"
 * The when of a look-up or a dependency is such an expression and has no ways beside these. */
const char *at_dp_way(at_dpx_op op, int k);

/* The chain as a decoder must write it: n_states + 1 rows (0, state, values, 0), the last (0, 0, 0, answer). rows:
 * (n_states + 1, 2 + n_counters + n_values). */
void at_dp_rows(const at_dp_instance *x, const at_dp_chain *c, double *rows);

/* Is the chain a one-to-one function of the input (regular)? Enumerates all inputs; FALSE fills in a colliding
 * pair; UNKNOWN when there are more than `limit`, and then none is tried. distinct: chains seen. */
at_status at_dp_regular(const at_dp_instance *x, uint64_t limit, at_arena *a, at_tri *out, int64_t **first,
                        int64_t **second, uint64_t *distinct, at_err *err);

/* ---- a recurrence as a chain (problem.h): the inputs and |, then one row a state, then the answer ---------- */

/* Opens the chain of d at these sizes, all of them. letters: prompts use so many of the lowest values of each input; 0: all. own: d is
 * freed with the chain, or here when this fails. */
at_status at_dp_chain_open(at_dp *d, bool own, const int64_t *size, int64_t letters, void **self,
                           at_err *err);
const at_dp_instance *at_dp_chain_instance(const void *self);
void at_dp_chain_close(void *self);
int at_dp_chain_row_width(const void *self);
int at_dp_chain_prompt_max(const void *self);
int at_dp_chain_rows_max(const void *self);
uint64_t at_dp_chain_count(const void *self);
at_status at_dp_chain_nth(const void *self, uint64_t i, double *prompt, int *n, at_err *err);
/* Uniform; and inputs near which rules change their mind (docs/dp.md): at small sizes either reaches every
 * branch of the shipped problems. */
at_status at_dp_chain_sample(const void *self, at_rng *r, double *prompt, int *n, at_err *err);
at_status at_dp_chain_adversarial(const void *self, at_rng *r, double *prompt, int *n, at_err *err);
bool at_dp_chain_simpler(const void *self, const double *prompt, int n, int k, double *out);
at_status at_dp_chain_answer(const void *self, const double *prompt, int n, double *rows, int *n_rows,
                             at_err *err);
/* The fields of an at_chain whose `open` ends in at_dp_chain_open. */
#define AT_DP_CHAIN_FIELDS                                                                                   \
    .title = "the table of a recurrence, state by state, then its answer",                                   \
    .definition =                                                                                            \
        "after the inputs and |: one row 0/state/values/0 for each state in order, then 0/0/0/answer",       \
    .input_help = "the inputs in order, then |, as in 3 1 2 |", .close = at_dp_chain_close,                  \
    .row_width = at_dp_chain_row_width, .prompt_max = at_dp_chain_prompt_max,                                \
    .rows_max = at_dp_chain_rows_max, .count = at_dp_chain_count, .nth = at_dp_chain_nth,                    \
    .sample = at_dp_chain_sample, .adversarial = at_dp_chain_adversarial, .simpler = at_dp_chain_simpler,    \
    .answer = at_dp_chain_answer

/* One recurrence for every choice of sizes least..most, as text (docs/dp.md): a size that varies is an input, one number in front
 * of the others, arrays are as long as the largest sizes ask for, and the states are those of the largest. */
at_status at_dp_every(const at_dp *d, const int64_t *least, const int64_t *most, at_text *out, at_err *err);

/* The problem, printed back from its tree. */
at_status at_dp_print(const at_dp *d, at_text *out);
void at_dpx_print(const at_dp *d, const at_dpx *e, at_text *out);

/* ---- regular expressions (docs/languages.md) ----------------------------------------------------------------- */

#define AT_REGEX_DEPTH 200  /* of brackets, and of marks behind or before one part */
#define AT_REGEX_TIMES 1000 /* {m,n} */

typedef enum {
    AT_REGEX_SET,    /* one letter of a set; the empty set: no word */
    AT_REGEX_CONCAT, /* parts one after the other; none: the empty word */
    AT_REGEX_OR,
    AT_REGEX_AND,
    AT_REGEX_NOT,
    AT_REGEX_REPEAT, /* first, lo to hi times; hi -1: any number of times */
    AT_REGEX_PART    /* of CONCAT, OR and AND: first, then next */
} at_regex_op;
typedef struct at_regex {
    at_regex_op op;
    uint64_t set; /* bit k: letter k */
    struct at_regex *first, *next;
    int lo, hi;
} at_regex;

/* sigma NULL: the letters that occur. used: the alphabet. Errors name path (NULL: the command line), line, column; line and
 * column are where the text begins. */
at_status at_regex_parse(const char *text, const at_alphabet *sigma, const char *path, int line, int column,
                         at_arena *a, at_regex **out, at_alphabet *used, at_err *err);
void at_regex_print(const at_regex *e, const at_alphabet *sigma, at_text *out);
/* The reference, by definition; exponential in the worst case, for short words. */
bool at_regex_matches(const at_regex *e, const int *word, int n);
/* The least automaton. */
at_status at_regex_dfa(const at_regex *e, const at_alphabet *sigma, at_arena *a, at_dfa **out, at_err *err);

/* ---- languages of words (docs/languages.md) --------------------------------------------------------------------- */

#define AT_WORD_LONGEST 4096

/* A set of words over an alphabet: which of them are in it is the question, answered once, for the whole word. */
typedef struct at_recogniser {
    at_alphabet sigma;
    const at_dfa *dfa;           /* the least automaton; its answer is the reference */
    const at_formulas *formulas; /* or, where dfa is NULL, what these say */
    const char *text;            /* as printed */
    int longest;                 /* of the words that are asked about unless told */
    at_task task;
    at_param length;
} at_recogniser;
/* Makes p, whose title and definition are said, the problem of the words that the least automaton accepts; it and the text live in
 * p's arena. longest -1: 16. */
at_status at_recogniser_make(at_problem *p, const at_dfa *least, const char *text, int longest, at_err *err);
/* The same for formulas. Where they are read inside the word, the empty word is not asked about. */
at_status at_recogniser_formulas(at_problem *p, const at_formulas *f, const char *text, int longest,
                                 at_err *err);
const at_recogniser *at_recogniser_of(const at_problem *p); /* NULL: it is no such problem */

/* Makes p, whose id is said, the problem of an expression; alphabet NULL: the letters that occur. */
at_status at_regex_problem(at_problem *p, const char *text, const char *alphabet, at_err *err);
/* Refuses + with something behind it, which in textbooks means "or": a+b. */
at_status at_regex_textbook(const char *text, at_err *err);

/* A deterministic automaton as text (src/lang/dfa): lines, a file of JFLAP, or Graphviz, by how it begins; text is changed.
 * longest: of the line `length`, -1 where there is none. */
at_status at_dfa_read(char *text, const char *path, const at_alphabet *given, at_arena *a, at_dfa **out,
                      int *longest, at_err *err);
void at_dfa_print(const at_dfa *d, at_text *out);

/* ---- RASP (docs/languages.md) ------------------------------------------------------------------------------------ */

#define AT_RASP_DEPTH 250 /* of brackets and statements in each other, and of operators in a row times four */
#define AT_RASP_NODES 20000 /* of a flat program */
#define AT_RASP_TABLE 4096  /* rows of a list or a dict that is looked up */

/* A value at a position: a truth, a fraction in lowest terms (integers have den 1; a truth is 0 or 1 as a number), or a string. */
typedef enum { AT_RASP_BOOL, AT_RASP_NUMBER, AT_RASP_STRING } at_rasp_kind;
typedef struct {
    at_rasp_kind kind;
    int64_t num, den;
    const char *s;
} at_rasp_atom;

typedef enum {
    AT_RASP_CONST,
    AT_RASP_TOKENS,  /* the letter, as a string */
    AT_RASP_INTS,    /* the letter, as a number */
    AT_RASP_INDICES, /* 0 .. length - 1 */
    /* Pointwise: */
    AT_RASP_NEG,
    AT_RASP_ROUND, /* halves to the even side */
    AT_RASP_NOT,
    AT_RASP_INDICATOR, /* 1 where true, else 0 */
    AT_RASP_ADD,
    AT_RASP_SUB,
    AT_RASP_MUL,
    AT_RASP_DIV,
    AT_RASP_MOD,
    AT_RASP_POW,
    AT_RASP_EQ,
    AT_RASP_NE,
    AT_RASP_LT,
    AT_RASP_LE,
    AT_RASP_GT,
    AT_RASP_GE,
    AT_RASP_AND,
    AT_RASP_OR,
    AT_RASP_IF,     /* condition, then, else: all are evaluated */
    AT_RASP_LOOKUP, /* in a table; what is not in it is an error */
    AT_RASP_IN,     /* is it one of a list? */
    /* Selectors: */
    AT_RASP_SELECT, /* key, query, compare */
    AT_RASP_ALL,    /* select everything (atom true) or nothing */
    AT_RASP_BOTH,   /* and, or, not */
    AT_RASP_EITHER,
    AT_RASP_NEITHER,
    /* Out of selectors: */
    AT_RASP_AGGREGATE, /* selector, value; the mean over what is selected, or `atom` where nothing is */
    AT_RASP_WIDTH,     /* how many are selected */
    AT_RASP_OPS
} at_rasp_op;

typedef struct {
    int n;
    const at_rasp_atom *key, *value; /* (n); of IN keys only */
} at_rasp_table;
typedef struct {
    at_rasp_op op, compare; /* compare: EQ .. GE, of SELECT */
    int arg[3];             /* earlier nodes; -1: none */
    at_rasp_atom atom;
    bool given; /* AGGREGATE: atom was said; else it is 0, or "" among strings */
    const at_rasp_table *table;
    const char *name; /* NULL, or what the program calls it */
    const char *path; /* where it comes from */
    int line, column;
} at_rasp_node;

/* A flat program: functions inlined, loops unrolled, what is constant folded; equal parts are one node. */
typedef struct at_rasp {
    at_alphabet sigma;
    int longest; /* -1: not said */
    int n_nodes, n_outputs;
    const at_rasp_node *node;
    const char *
        *output; /* (n_outputs + 1): names of s-ops, in the order of their last assignment; then NULL */
    int *output_node;
    int usual;    /* the output that is asked for unless told */
    bool softmax; /* the line attention softmax; else average-hard */
    const char *path;
    const struct at_rasp_range *range; /* (n_nodes), for words of any length; NULL until it is a problem */
    at_task task;
    at_param params[2];
} at_rasp;

bool at_rasp_selects(at_rasp_op op); /* it is a selector */
/* The value of a pointwise operation; NULL, or what is wrong. Strings may live in the arena. */
const char *at_rasp_apply(const at_rasp_node *v, const at_rasp_atom *x, at_arena *a, at_rasp_atom *out);
bool at_rasp_equal(const at_rasp_atom *x, const at_rasp_atom *y);
/* Less, equal or greater: -1, 0, 1, of two numbers or two strings. */
int at_rasp_order(const at_rasp_atom *x, const at_rasp_atom *y);
void at_rasp_atom_print(const at_rasp_atom *x, at_text *out);

/* Reads a program; text is changed. given: NULL, or the alphabet of a text that does not say it. Errors are one line, path:line:column: what is wrong, what is allowed. Lives in the arena. */
at_status at_rasp_read(char *text, const char *path, const at_alphabet *given, at_arena *a, at_rasp **out,
                       at_err *err);
/* The flat program as a program again. */
void at_rasp_print(const at_rasp *r, at_text *out);
/* By definition: out (n) is the value of a node at every position of a word of n >= 1 letters. An error names the place, the
 * position and the word. */
at_status at_rasp_run(const at_rasp *r, int node, const int *word, int n, at_arena *a, at_rasp_atom *out,
                      at_err *err);
/* What a node can be, as far as its parts tell: strings (a list of all of them), truths, integers in lo..hi or fractions, on words of
 * at most N letters. */
typedef struct at_rasp_range {
    at_rasp_kind kind;
    bool whole;    /* numbers: integers */
    double lo, hi; /* numbers and truths */
    bool distinct; /* different at different positions */
    bool flat;     /* the same at all positions of a word; of a selector: the same keys for every query */
    bool permutes; /* it is 0 .. length - 1 in some order */
    bool line;     /* it is line_of[0] * indices + line_of[1] * length + line_of[2] */
    double line_of[3];
    bool once;           /* a selector: at most one key for every query */
    bool always;         /* at least one */
    bool self;           /* every position selects itself */
    int n;               /* strings */
    const char **string; /* (n) in order */
} at_rasp_range;
at_status at_rasp_ranges(const at_rasp *r, int N, at_arena *a, at_rasp_range **out, at_err *err);
/* The number that stands for a value of a node: itself, or of strings its place: in the alphabet where all of them are letters, else
 * among its own. */
double at_rasp_answer(const at_rasp *r, const at_rasp_range *of, const at_rasp_atom *x);
bool at_rasp_letters(const at_rasp *r, const at_rasp_range *of); /* all of its strings are letters */
const at_rasp *at_rasp_of(const at_problem *p);                  /* NULL: it is no such problem */
/* ---- formulas as text (docs/languages.md) ------------------------------------------------------------------------- */

/* A formula of temporal logic (src/lang/ltl), a program in B-RASP (src/lang/brasp); text is changed. given: NULL, or the alphabet of a
 * text that does not say it. longest: of the line `length`, -1
 * where there is none. What is printed is a file that is read as the same. */
at_status at_ltl_read(char *text, const char *path, const at_alphabet *given, at_arena *a, at_formulas **out,
                      int *longest, at_err *err);
void at_ltl_print(const at_formulas *f, at_text *out);
/* One part of f, for people: as in LTL, or as in B-RASP where it speaks of two positions. */
void at_formula_print(const at_formulas *f, const at_formula *x, at_text *out);
at_status at_brasp_read(char *text, const char *path, const at_alphabet *given, at_arena *a,
                        at_formulas **out, int *longest, at_err *err);
void at_brasp_print(const at_formulas *f, at_text *out);

/* ---- C-RASP, FOC[MOD;+], counter machines (docs/languages.md) ------------------------------------------------------ */

/* Formulas as text; text is changed. longest: of the line `length`, -1 where there is none. */
at_status at_crasp_read(char *text, const char *path, at_arena *a, at_formulas **out, int *longest,
                        at_err *err);
/* The same of the public interpreter's files, .cr. */
at_status at_cr_read(char *text, const char *path, at_arena *a, at_formulas **out, int *longest, at_err *err);
void at_crasp_print(const at_formulas *f, at_text *out); /* of both */
/* Of FOC[MOD;+]; quantifiers over counts are eliminated on the way. */
at_status at_foc_read(char *text, const char *path, at_arena *a, at_formulas **out, int *longest,
                      at_err *err);
void at_foc_print(const at_formulas *f, at_text *out);
/* Of a simplified and stateless counter machine: counters are definitions, linear in the counts of letters. */
at_status at_sscm_read(char *text, const char *path, at_arena *a, at_formulas **out, int *longest,
                       at_err *err);
void at_sscm_print(const at_formulas *f, at_text *out);

/* ---- Turing machines (.tm, docs/languages.md) --------------------------------------------------------------------- */

#define AT_TM_STATES  256
#define AT_TM_SYMBOLS 64      /* the blank among them */
#define AT_TM_NAME    20      /* bytes of the name of a state */
#define AT_TM_SYMBOL  8       /* bytes of a symbol */
#define AT_TM_TOKENS  4096    /* of its chains */
#define AT_TM_WORD    4096    /* letters of an input */
#define AT_TM_STEPS   1000000 /* of a run */

/* What a state that does not move says. */
typedef enum { AT_TM_RUNS, AT_TM_YES, AT_TM_NO, AT_TM_HALT } at_tm_verdict;
#define AT_TM_VERDICTS ((int)AT_TM_HALT + 1)
extern const char *const at_tm_verdict_names[AT_TM_VERDICTS];

typedef struct {
    int write, move, next; /* next -1: there is no transition, and the machine stops */
    int token;             /* of this step in chains */
} at_tm_rule;

/* A machine with one tape without ends. Symbol 0 is the blank, 1 .. letters are the letters of inputs. */
typedef struct at_tm {
    int states, symbols, letters, start;
    const char *const *state;  /* (states) names */
    const char *const *symbol; /* (symbols) */
    at_tm_verdict *verdict;    /* (states) AT_TM_RUNS: it has transitions */
    at_tm_rule *rule;          /* (states, symbols) */
    at_tm_verdict stuck;       /* where there is no transition: no, if some state accepts; else halt */
    int longest, budget;       /* letters and steps unless told */
    /* Tokens of chains: the symbols 0 .. letters, <start>, the different steps, yes, no, halt, <end>. */
    int begin, steps, tokens; /* <start>; the steps are begin + 1 .. begin + steps; all */
    const at_tm_rule **step;  /* (steps) a rule that makes it */
} at_tm;
/* Reads one of three forms: lines `state read write move next`, the YAML of turingmachine.io, a busy beaver in one word. Errors are
 * path:line:column: what, what is allowed. */
at_status at_tm_read(const char *text, const char *path, at_arena *a, at_tm **out, at_err *err);
/* In the first form; what is printed reads as the same machine, and prints as the same text. */
void at_tm_print(const at_tm *t, at_text *out);
bool at_tm_equal(const at_tm *x, const at_tm *y); /* names included */

/* The word of a token: "1", "<start>", "X/R/q1" (what is written, the move, the state), "yes", "<end>". */
void at_tm_word(const at_tm *t, int token, char out[AT_WORD_MAX + 1]);
int at_tm_token(const at_tm *t, at_tm_verdict v); /* of a verdict other than RUNS */

/* How a run ended. */
typedef struct {
    at_tm_verdict verdict; /* AT_TM_RUNS: the budget ended */
    int steps, head;       /* head: the cell it stands on; the input begins at cell 0 */
    int first, n;          /* cells from the first to the last that are not blank; n 0: there is none */
    int *tape;             /* (n) symbols */
} at_tm_end;
/* The reference. word: (n) of the symbols 0 .. letters. chain: NULL, or room for budget + 2 tokens, of which *n_chain are written: a
 * token a step, the verdict, <end>; without the last two where the budget ends first. */
at_status at_tm_run(const at_tm *t, const int *word, int n, int budget, at_arena *a, int *chain, int *n_chain,
                    at_tm_end *out, at_err *err);

/* How decoders of it find the head's cell: the parameter `form` of the problem. */
typedef enum {
    AT_TM_INTEGERS, /* positions i and i^2, softmax, three layers: for long runs */
    AT_TM_RATIONAL, /* positions 1/i and 1/i^2, average-hard, two layers */
    AT_TM_NONE      /* no positions, average-hard, three layers */
} at_tm_form;
extern const char *const at_tm_form_names[]; /* NULL-terminated */

/* The machine of a problem that is one; NULL: it is none. */
const at_tm *at_tm_of(const at_problem *p);

/* The shipped machines (examples/), by name: "bb4". */
typedef struct {
    const char *name, *text;
} at_tm_example;
extern const at_tm_example at_tm_examples[];
extern const int at_n_tm_examples;
at_status at_tm_example_load(const char *name, at_arena *a, at_tm **out, at_err *err);

/* ---- a machine as a chain: its input and <start>, then a token a step, its verdict, <end> -------------------------- */

/* Prompts are the inputs of 0..N letters on which the machine stops within T steps. own: NULL, or the arena that the machine lives in,
 * which is the chain's from now on, also when this fails. */
at_status at_tm_chain_open(const at_tm *t, at_arena *own, int N, int T, void **self, at_err *err);
void at_tm_chain_close(void *self);
int at_tm_chain_row_width(const void *self);
int at_tm_chain_tokens(const void *self);
int at_tm_chain_prompt_max(const void *self);
int at_tm_chain_rows_max(const void *self);
uint64_t at_tm_chain_count(const void *self);
at_status at_tm_chain_nth(const void *self, uint64_t i, double *prompt, int *n, at_err *err);
at_status at_tm_chain_sample(const void *self, at_rng *r, double *prompt, int *n, at_err *err);
at_status at_tm_chain_adversarial(const void *self, at_rng *r, double *prompt, int *n, at_err *err);
bool at_tm_chain_simpler(const void *self, const double *prompt, int n, int k, double *out);
at_status at_tm_chain_answer(const void *self, const double *prompt, int n, double *rows, int *n_rows,
                             at_err *err);
const char *at_tm_chain_unlisted(const void *self);
void at_tm_chain_print(const void *self, at_text *out);
/* The fields of an at_chain whose `open` ends in at_tm_chain_open. */
#define AT_TM_CHAIN_FIELDS                                                                                   \
    .title = "the run of a Turing machine, step by step, then its verdict",                                  \
    .definition = "after the input and <start>: one token written/move/state a step, then yes, no or halt, " \
                  "then <end>",                                                                              \
    .input_help = "letters of the input, as in 1011; the empty one is ''", .close = at_tm_chain_close,       \
    .row_width = at_tm_chain_row_width, .tokens = at_tm_chain_tokens, .prompt_max = at_tm_chain_prompt_max,  \
    .rows_max = at_tm_chain_rows_max, .count = at_tm_chain_count, .nth = at_tm_chain_nth,                    \
    .sample = at_tm_chain_sample, .adversarial = at_tm_chain_adversarial, .simpler = at_tm_chain_simpler,    \
    .answer = at_tm_chain_answer, .unlisted = at_tm_chain_unlisted, .nested = true,                          \
    .print = at_tm_chain_print, .language = "tm"

/* ---- languages -------------------------------------------------------------------------------------------- */

/* A language that something is written in. front.h has the table, and opens problems by name. */
typedef struct {
    const char *id;     /* at_problem.lang; without files of its own the name of its problem */
    const char *suffix; /* of its files, with the dot; NULL: it has none */
    const char *about;  /* one line */
    /* Is a file without a known suffix one of ours, by how it begins (its first 64 KiB)? NULL: never. */
    bool (*like)(const char *text, size_t n);
    /* Fills in p, whose path and arena are ready. On failure whatever p->close would release is released. It tells at_problem_keep
     * what the file holds. NULL: its files are no problems. */
    at_status (*open)(at_problem *p, at_err *err);
    /* The same from a text instead of its file; p->path is for messages. NULL: files of this language are not changed. */
    at_status (*parse)(at_problem *p, const char *text, size_t n, at_err *err);
    /* The same from the command line, where p has an id and no path; alphabet NULL: as the text says. NULL: it is written in files. */
    at_status (*line)(at_problem *p, const char *text, const char *alphabet, at_err *err);
    bool given; /* its files take an alphabet beside them: at_problem.alphabet */
} at_lang;

/* For those who write languages: what p was read from, whose digest it then has. */
at_status at_problem_keep(at_problem *p, const char *text, size_t n, at_err *err);

extern const at_lang at_lang_dp, at_lang_cases, at_lang_lines;
extern const at_lang at_lang_regex, at_lang_dfa, at_lang_jff, at_lang_dot, at_lang_gv;
extern const at_lang at_lang_ltl, at_lang_brasp;
extern const at_lang at_lang_arpa;
/* A row of probabilities (W + 1) over its sum: files have few digits, so their rows do not quite sum to 1. */
void at_ngram_shares(const at_ngram *g, int state, double *p);
/* Recognisers take a logarithm of a probability that is so little below as equal. */
#define AT_NGRAM_ACCEPT_NEAR 1e-9
#define AT_NGRAM_ACCEPT_ZONE 1e-6 /* and compiled ones are right where it is not nearer than this */
const at_ngram *at_ngram_of(const at_problem *p); /* the model of an .arpa file; NULL: it is something else */
extern const at_lang at_lang_pfsa;
const at_pfsa *
at_pfsa_of(const at_problem *p); /* the automaton of a .pfsa file; NULL: it is something else */
/* How a token is written, but the end: letters as they are, states in brackets. */
void at_pfsa_word(const at_pfsa *p, int token, char out[AT_WORD_MAX + 1]);
extern const at_lang at_lang_ptm;
const at_ptm *at_ptm_of(const at_problem *p); /* the machine of a .ptm file; NULL: it is something else */
/* How a step is written: written/move/state/letter, as in A/R/write/a. */
void at_ptm_word(const at_ptm *p, int token, char out[AT_WORD_MAX + 1]);
extern const at_lang at_lang_crasp, at_lang_cr;
extern const at_lang at_lang_tm;
extern const at_lang at_lang_foc, at_lang_sscm;
extern const at_lang at_lang_rasp;
/* Makes p the problem of a recurrence, which p owns from now on, also when this fails. */
at_status at_dp_problem(at_dp *d, at_problem *p, at_err *err);

#endif
