/* dp_internal.h: what the files of the DP language share.
 *
 *     dp_lex.c    bytes -> tokens, and the words of an error
 *     dp_expr.c   expressions: recursive descent, names resolved on the spot
 *     dp_parse.c  declarations, rules, the answer
 *     dp_print.c  back to text
 *     dp_run.c    the interpreter (the reference), regularity
 *     dp_branch.c which branches an input takes
 *     dp_span.c   the same expressions over intervals
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

enum { DP_SIZE = 1, DP_INPUT = 2, DP_COUNTER = 4, DP_VALUE = 8, DP_TAKE = 16, DP_NEED = 32, DP_LET = 64 };

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
    int round;      /* 0: no look-up; else 1 + the highest round among them */
    int depth;
    bool truth; /* 0 or 1 */
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
    dp_entry entry[7 * AT_DP_MAX];
    int n_entries;
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

/* NULL after a failure. */
at_dpx *dp_expr_read(dp_parser *p, unsigned allowed, const char *where);
at_dpx *dp_truth_read(dp_parser *p, unsigned allowed, const char *where);
static inline const dp_node *dp_node_of(const at_dpx *e)
{
    return (const dp_node *)e; /* the tree node is the first member */
}

/* ---- running ---------------------------------------------------------------------------------- */

/* Where an expression is evaluated: at a state, or (counters NULL) at sizes alone. */
typedef struct {
    const at_dp_instance *x;
    const int64_t *counter;
    int64_t take[AT_DP_MAX];
    bool take_here[AT_DP_MAX];
    const int64_t *need[AT_DP_MAX]; /* the values of the needed state; NULL: absent */
    const int64_t *value;           /* of the answer's state; NULL: there is none */
    int64_t let[AT_DP_MAX];
    bool let_known[AT_DP_MAX];
    at_err *err;
} dp_env;

at_status dp_eval(dp_env *v, const at_dpx *e, int64_t *out);
/* Appends "(i=1, j=2)". */
void dp_state_print(const at_dp *d, const int64_t *counter, at_text *out);
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
    dp_presence take_here[AT_DP_MAX], need_here[AT_DP_MAX];
    int64_t need_rank[AT_DP_MAX]; /* -1: somewhere */
    dp_span let[AT_DP_MAX];
    bool let_known[AT_DP_MAX];
    dp_span *value;        /* (n_states, n_values) */
    const dp_span *answer; /* the values of the answer's state; NULL: there is none */
    bool sure;             /* the takes that steer are single numbers here: what may fail is an error */
    bool doubt;            /* set where something may fail and sure is false */
    int doubt_line, doubt_column; /* the first */
    int64_t reach;                /* the farthest row back that was needed so far */
    at_err *err;
} dp_scope;

at_status dp_span_eval(dp_scope *v, const at_dpx *e, dp_span *out);
at_status dp_states_analyse(at_dp_instance *x, at_err *err);

#endif
