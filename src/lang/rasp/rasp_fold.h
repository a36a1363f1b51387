/* rasp_fold.h: what the files share that make a program flat (rasp_fold.c). */
#ifndef ATTEST_RASP_FOLD_H
#define ATTEST_RASP_FOLD_H

#include "rasp_nodes.h"

enum { STEPS = 2000000, DEPTH = 1200, LIST = 100000 };

typedef enum { V_NONE, V_ATOM, V_SOP, V_SELECTOR, V_LIST, V_DICT, V_FUNCTION, V_WIDTH } value_kind;
extern const char *const fold_value_names[]; /* of a value_kind */

typedef struct value {
    value_kind kind;
    at_rasp_atom atom;
    int node; /* s-op, selector */
    int n;    /* list: values; dict: pairs */
    struct value *part;
    const rasp_statement *def;
    struct scope *home;
} value;

typedef struct binding {
    int symbol;
    long order;
    value v;
    struct binding *next;
} binding;

typedef struct scope {
    struct scope *parent;
    binding **of; /* (symbols), of the two outermost; NULL: a list */
    binding *list;
    bool library;
} scope;

typedef struct {
    rasp_reader *r;
    rasp_nodes k;
    long steps, order;
    int depth;
    const rasp_expr *call; /* where the library was called from, NULL: outside of it */
    value last;            /* s-op that was mentioned last */
    at_text letters;       /* of examples, blanks between */
} folder;

#define NODE(OP, ...)                                                                                        \
    ((at_rasp_node){.op = (OP), .arg = {-1, -1, -1}, .atom = {AT_RASP_NUMBER, 0, 1, NULL}, __VA_ARGS__})

at_status fold_fail(const folder *f, const rasp_expr *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
binding *fold_binding(const scope *s, int symbol);
at_status fold_bind(folder *f, scope *s, int symbol, const value *v);
at_status fold_unknown(const folder *f, const scope *s, const rasp_expr *e);
at_status fold_node(folder *f, const rasp_expr *e, at_rasp_node v, value *out);
at_status fold_sop(folder *f, const rasp_expr *e, const value *v, int *out);
at_status fold_op(folder *f, const rasp_expr *e, at_rasp_op op, const at_rasp_table *table, const value *x,
                  int n, value *out);
at_status fold_select(folder *f, const rasp_expr *e, at_rasp_op compare, const value *key, const value *query,
                      value *out);
at_status fold_aggregate(folder *f, const rasp_expr *e, const value *sel, const value *of, const value *none,
                         value *out);
value fold_leaf(folder *f, at_rasp_op op);
at_status fold_letters(folder *f, const rasp_expr *e, const char *text, value *out);
at_status fold_iterate(folder *f, scope *s, const rasp_expr *e, const rasp_names *names, const value *v);
at_status fold_over(const folder *f, const rasp_expr *e, const value *v);
at_status fold_values(folder *f, scope *s, const rasp_expr *e, value *out);
/* rasp_eval.c */
at_status fold_eval(folder *f, scope *s, const rasp_expr *e, value *out);
at_status fold_run(folder *f, scope *s, const rasp_statement *d);

#endif
