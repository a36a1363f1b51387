/* dp_internal.h: what the files of the DP language share.
 *
 *     dp_lex.c    bytes -> tokens, and the words of an error
 *     dp_expr.c   expressions: recursive descent, names resolved on the spot
 *     dp_fold.c   min over ..., and what the answer gathers from many states
 *     dp_parse.c  declarations, rules, the answer
 *     dp_finish.c the whole: blocks of states become one, folds columns of it
 *     dp_print.c  back to text
 *     dp_every.c  the recurrence of every size up to some, as text
 *     dp_run.c    the interpreter (the reference), regularity
 *     dp_branch.c which branches an input takes
 *     dp_span.c   the same expressions over intervals
 *     dp_apart.c  and how far apart states are that are looked up together
 *     dp_bind.c   a problem at concrete sizes: the states, and what can be proved of them
 */
#ifndef DP_INTERNAL_H
#define DP_INTERNAL_H

#include <attest/lang.h>

enum {
    DP_NEST = 64,    /* brackets, if, not, minus inside each other */
    DP_TREE = 512,   /* depth of a tree (a + b + c + ... leans to the left) */
    DP_NODES = 4096, /* of a file */
    DP_TEXT = 1 << 16
};

/* ---- what a name can be: one row a kind, also the set of kinds an expression uses ------------- */

enum {
    DP_SIZE = 1,
    DP_INPUT = 2,
    DP_COUNTER = 4,
    DP_VALUE = 8,
    DP_TAKE = 16,
    DP_NEED = 32,
    DP_LET = 64,
    DP_TABLE = 128,
    DP_OVER = 256,  /* k of `min over k in a..b of e`, inside e; it is used as a counter */
    DP_READ = 512,  /* no kind of name: a value that is read in place, as cost(i-1, j) */
    DP_FOLD = 1024, /* nor this: a fold, known in the last of its rows */
    DP_KINDS = 9    /* of names */
};

/* ---- parsing ---------------------------------------------------------------------------------- */

typedef enum { DP_END, DP_NUMBER, DP_NAME, DP_STRING, DP_SYMBOL } dp_token_kind;

typedef struct {
    dp_token_kind kind;
    const char *s; /* n bytes of the text; of a string, without the quotes */
    size_t n;
    int64_t number;
    int line, column; /* from 1, columns in bytes */
} dp_token;

/* A tree node with what the parser must know of it; nodes of a parsed problem are all of this type. */
typedef struct {
    at_dpx e;
    unsigned uses;  /* kinds, through lets too */
    unsigned takes; /* which look-ups, through lets too */
    unsigned reads; /* which dependencies that are read in place, through lets too */
    int round;      /* 0: no look-up; else 1 + the highest round among them */
    int depth;
    bool truth;    /* 0 or 1 */
    bool made;     /* it does not stand in the file: it has no branches */
    at_dpx *older; /* the node that was made before it */
} dp_node;

typedef struct {
    unsigned kind;
    int index;
    const at_dp_name *name;
} dp_entry;

typedef struct {
    const char *path, *at, *end, *line_start;
    int line;
    dp_token t;       /* the token that comes next */
    at_status status; /* sticky: after a failure every token is DP_END and every node NULL */
    at_err *err;
    at_dp *d;
    int nest;
    dp_entry entry[DP_KINDS * AT_DP_MAX];
    int n_entries;
    at_dpx *newest;         /* of all nodes */
    at_dpx *guard[DP_NEST]; /* conditions of the ifs around what is read, */
    bool guard_is[DP_NEST]; /* and what they are there */
    int n_guards;
    bool folding; /* in the term of a fold */
    bool making;  /* of nodes that do not stand in the file */
    /* of the expression that is read: kinds it may use, and its name in messages */
    unsigned allowed;
    const char *where;
} dp_parser;

void dp_fail(dp_parser *p, int line, int column, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void dp_next(dp_parser *p);                                       /* reads the next token into p->t */
bool dp_is(const dp_parser *p, const char *word);                 /* is the next token this word or symbol? */
bool dp_accept(dp_parser *p, const char *word);                   /* and steps over it */
void dp_expect(dp_parser *p, const char *word, const char *what); /* or fails: expected "word" what */
/* How to show the next token: "xyz", or end of file. The text is in buf. */
const char *dp_shown(const dp_parser *p, char buf[64]);
const char *dp_kind_word(unsigned kind); /* "a counter" */

const dp_entry *dp_lookup(const dp_parser *p, const dp_token *name);
/* Fails: the name is unknown; suggests the nearest among the kinds. */
void dp_unknown(dp_parser *p, const dp_token *name, unsigned kinds, const char *allowed);
bool dp_reserved(const dp_token *name);

/* A node of the finished tree, at the place of `at`; NULL after a failure. */
at_dpx *dp_node_new(dp_parser *p, at_dpx_op op, int line, int column, at_dpx *a, at_dpx *b, at_dpx *c);
at_dpx *dp_const_new(dp_parser *p, const at_dpx *at, int64_t value);
at_dpx *dp_leaf_new(dp_parser *p, at_dpx_op op, const at_dpx *at, int index);
/* The block that is being declared. */
static inline int dp_block_now(const dp_parser *p)
{
    return p->d->n_blocks ? p->d->n_blocks - 1 : 0;
}
/* "over" NAME "in" expr ".." expr "of" expr; the operation and "over" were read. */
at_dpx *dp_fold_read(dp_parser *p, const dp_token *begin, at_dpx_op op);
/* "over" "(" range {"," range} ")" of the answer; the operation and its term were read. */
at_dpx *dp_gather_read(dp_parser *p, const dp_token *begin, at_dpx_op op, at_dpx *term);
/* "(" expr {"," expr} ")", a number for each counter of the block. */
void dp_tuple_read(dp_parser *p, int block, unsigned allowed, const char *where, at_dpx **out);
/* "[" expr ["," expr] "]" of an input or a table with so many columns (NULL: one place only): the place, and of two the second. */
at_dpx *dp_place_read(dp_parser *p, at_dpx *cols, at_dpx **column);
/* A new name of a kind, of which there are `count`; known after dp_name_declare. */
bool dp_name_new(dp_parser *p, unsigned kind, int count, at_dp_name *out);
void dp_name_declare(dp_parser *p, unsigned kind, int index, const at_dp_name *name);
void dp_range_read(dp_parser *p, unsigned allowed, const char *where, at_dpx **lo, at_dpx **hi);
void dp_counter_range_check(dp_parser *p, const at_dpx *e);
/* The look-ups and dependencies in e steer; returns the round that this makes, at least `round`. */
int dp_steer(dp_parser *p, int round, const at_dpx *e);
/* All is read: rows get their counters, needs their places among them, values their rows. */
void dp_finish(dp_parser *p);

/* NULL after a failure. */
at_dpx *dp_expr_read(dp_parser *p, unsigned allowed, const char *where);
at_dpx *dp_truth_read(dp_parser *p, unsigned allowed, const char *where);
static inline const dp_node *dp_node_of(const at_dpx *e)
{
    return (const dp_node *)e; /* the tree node is the first member */
}

/* ---- printing --------------------------------------------------------------------------------- */

/* Who writes expressions; `instead` (or NULL) writes some of them in its own way and returns true. */
typedef struct dp_writer {
    const at_dp *d;
    at_text *out;
    bool (*instead)(const struct dp_writer *w, const at_dpx *e);
    void *more;
} dp_writer;

void dp_write(const dp_writer *w, const at_dpx *e);
/* "(i-1, j)", or "(1..n, m)" where `to` is there. */
void dp_write_states(const dp_writer *w, int block, at_dpx *const *from, at_dpx *const *to);
void dp_write_take(const dp_writer *w, const at_dp_take *t); /* "a[i]" */
void dp_write_table(const at_dp_table *t, at_text *out); /* its declaration, without the end of the line */

/* ---- running ---------------------------------------------------------------------------------- */

/* Where an expression is evaluated: at a state, or (counters NULL) at sizes alone. */
typedef struct {
    const at_dp_instance *x;
    const int64_t *counter;
    const int64_t *input, *values; /* of all states, those before rank are known */
    int64_t rank;
    int64_t take[AT_DP_MAX];
    bool take_here[AT_DP_MAX];
    const int64_t *need[AT_DP_MAX]; /* the values of the needed state; NULL: absent */
    const int64_t *value;           /* of this state, or of the answer's; NULL: there is none */
    int64_t let[AT_DP_MAX];
    bool let_known[AT_DP_MAX];
    at_err *err;
} dp_env;

at_status dp_eval(dp_env *v, const at_dpx *e, int64_t *out);
/* Appends "(i=1, j=2)". */
void dp_state_print(const at_dp *d, const int64_t *counter, at_text *out);
int dp_block_of(const at_dp *d, const int64_t *counter); /* from 0 */
/* What counter m of a row is called in a block; NULL: the block has none there. */
const char *dp_counter_name(const at_dp *d, int block, int m);
/* The number of the row before it, or of the last row where counters are NULL. */
static inline int64_t dp_row_before(const at_dp_instance *x, const int64_t *counter, int64_t rank)
{
    return counter ? rank - 1 : x->n_states - 1;
}
/* A fold whose range is empty and which has no value then; the caller evaluated its ends. */
at_status dp_empty_fault(const at_dp *d, const at_dpx *e, const int64_t *counter, int64_t lo, int64_t hi,
                         at_err *err);
/* path:line:column: state (i=1, j=2): message. counter may be NULL. */
at_status dp_fail_at(const at_dp *d, const at_dpx *e, const int64_t *counter, at_err *err, const char *fmt,
                     ...) __attribute__((format(printf, 5, 6)));
at_status dp_need_fault(const at_dp_instance *x, int need, const int64_t *counter, const int64_t *wanted,
                        at_err *err);

/* ---- intervals -------------------------------------------------------------------------------- */

typedef struct {
    int64_t lo, hi;
} dp_span;
typedef enum { DP_ABSENT, DP_MAYBE, DP_HERE } dp_presence;

typedef struct {
    const at_dp_instance *x;
    const int64_t *counter;
    int64_t rank;
    dp_span take[AT_DP_MAX];
    int64_t take_at[AT_DP_MAX]; /* the first place that it may have in the inputs, from 1 */
    dp_presence take_here[AT_DP_MAX], need_here[AT_DP_MAX];
    int64_t need_rank[AT_DP_MAX]; /* -1: somewhere */
    dp_span let[AT_DP_MAX];
    bool let_known[AT_DP_MAX];
    dp_span *value;         /* (n_states, n_values) */
    const dp_span *answer;  /* the values of this state, or of the answer's; NULL: there is none */
    dp_span now[AT_DP_MAX]; /* the values of this state, as the look-ups are */
    bool sure;              /* the takes that steer are single numbers here: what may fail is an error */
    bool doubt;             /* set where something may fail and sure is false */
    int doubt_line, doubt_column; /* the first */
    int64_t reach;                /* the farthest row back that was needed so far */
    at_err *err;
} dp_scope;

/* An operation on intervals, all but TABLE and IF; MOD and DIV by one number, at least 1. False: a product left 64 bits. */
bool dp_span_operate(at_dpx_op op, dp_span a, dp_span b, dp_span *out);
at_status dp_span_eval(dp_scope *v, const at_dpx *e, dp_span *out);
at_status dp_states_analyse(at_dp_instance *x, at_err *err);

#endif
