/* rasp_internal.h: a program as it is written: words, expressions, statements. */
#ifndef ATTEST_RASP_INTERNAL_H
#define ATTEST_RASP_INTERNAL_H

#include <attest/lang.h>

/* ---- words ------------------------------------------------------------------------------------------------------- */

typedef enum { T_END, T_NAME, T_INT, T_FLOAT, T_STRING, T_MARK } rasp_token_kind;
/* Marks are their characters: '=' alone is '='; "==", "<=", ">=", "!=" are these: */
enum { M_EQ = 256, M_LE, M_GE, M_NE };

/* Names with a meaning, in the order of at_rasp_reserved; they are the first symbols. */
enum {
    W_IF,
    W_ELSE,
    W_NOT,
    W_AND,
    W_OR,
    W_OUT,
    W_DEF,
    W_RETURN,
    W_RANGE,
    W_FOR,
    W_IN,
    W_ZIP,
    W_LEN,
    W_GET,
    W_ROUND,
    W_INDICATOR,
    W_SELECT,
    W_AGGREGATE,
    W_LOAD,
    W_DRAW,
    W_TOKENS_ASIS,
    W_TOKENS_STR,
    W_TOKENS_INT,
    W_TOKENS_FLOAT,
    W_TOKENS_BOOL,
    W_INDICES,
    W_TRUE,
    W_FALSE,
    W_RESERVED, /* from here on names may be set */
    W_TOKENS = W_RESERVED,
    W_LENGTH,
    W_SELECTOR_WIDTH,
    W_SET,
    W_SHOW,
    W_EXAMPLE,
    W_EXAMPLES,
    W_SELECTOR,
    W_FULL,
    W_EXIT,
    W_QUIT,
    W_KNOWN
};
extern const char *const rasp_words[W_KNOWN];

typedef struct {
    rasp_token_kind kind;
    int mark;      /* a character or M_..; of names the symbol */
    const char *s; /* of a string without quotes, of numbers as written */
    int line, column;
} rasp_token;

typedef struct {
    const char **s; /* (n) */
    int n, room;
    int *slot;
    size_t slots;
} rasp_symbols;

typedef struct rasp_reader {
    const char *path;
    at_arena *a;
    at_err *err;
    rasp_token *t; /* words; the last is T_END */
    size_t n, at;
    rasp_symbols sym;
    int depth;
    bool stop; /* exit */
} rasp_reader;

int rasp_symbol(rasp_reader *r, const char *s, size_t n); /* -1: out of memory */
/* Cuts a text into words: r->t, r->n. */
at_status rasp_lex(rasp_reader *r, char *text, int line);
at_status rasp_fail(const rasp_reader *r, const rasp_token *t, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "'x'", "the end of the text", ... */
const char *rasp_seen(const rasp_reader *r, const rasp_token *t, char out[64]);

/* ---- what is written -------------------------------------------------------------------------------------------------- */

typedef enum {
    X_ATOM,
    X_NAME,   /* symbol */
    X_OP,     /* op: a pointwise one, on s-ops, selectors or atoms; first, then next */
    X_PLUS,   /* +x */
    X_SELECT, /* op: the comparison; key, query */
    X_AGGREGATE,
    X_CALL,  /* first: what is called, then the arguments */
    X_INDEX, /* first: what is looked into, then where */
    X_LIST,
    X_DICT, /* key, value, key, value, ... */
    X_RANGE,
    X_ZIP,
    X_LEN,
    X_LISTCOMP, /* value, iterable; names */
    X_DICTCOMP, /* key, value, iterable; names */
} rasp_form;

typedef struct rasp_names {
    int symbol;
    struct rasp_names *next;
} rasp_names;

typedef struct rasp_expr {
    rasp_form form;
    at_rasp_op op;
    int symbol, depth;
    at_rasp_atom atom;
    struct rasp_expr *first, *next;
    rasp_names *names;
    int line, column;
} rasp_expr;

typedef enum { S_EXPR, S_ASSIGN, S_DEF, S_FOR, S_EXAMPLE, S_NOTHING } rasp_sort;
typedef struct rasp_statement {
    rasp_sort sort;
    rasp_names *names; /* ASSIGN, FOR; DEF: its name, then its arguments */
    rasp_expr *value;  /* expressions; DEF: what is returned; FOR: over what */
    struct rasp_statement *body, *next;
    int line, column;
} rasp_statement;

/* All statements of r->t. */
at_status rasp_parse(rasp_reader *r, rasp_statement **out);

/* The library, and a program of two texts made flat. sigma may be empty: then it is found, in examples and in letters that are
 * compared. */
extern const char rasp_library[];
at_status rasp_fold(rasp_reader *r, const rasp_statement *library, const rasp_statement *program,
                    at_rasp *out);

/* Is x op y, op one of == != < <= > >=? NULL, or why it cannot be asked; then *out is not written. */
const char *rasp_atoms_compare(at_rasp_op op, const at_rasp_atom *x, const at_rasp_atom *y, bool *out);

/* A letter that can stand in the line `alphabet` in quotes only. */
bool rasp_quoted(const char *letter);

#endif
