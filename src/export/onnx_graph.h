/* onnx_graph.h: a graph of ONNX operators as plain data, and the verbs that build it.
 *
 *     y = onnx_op(g, "Add", ONNX_IN(x, onnx_weight(g, m->readout.b)));
 *     s = onnx_op(g, "Softmax", ONNX_IN(s));
 *     onnx_int(g, "axis", -1);                    // of the operator before
 *
 * A value is its name. Failure is sticky: after a lack of memory verbs return "" and onnx_pack says so. The model's
 * tensors become initializers under their own names and in their own shapes; a matrix is turned round by an operator. */
#ifndef ATTEST_ONNX_GRAPH_H
#define ATTEST_ONNX_GRAPH_H

#include "export_internal.h"

typedef const char *onnx_value;
typedef enum {
    ONNX_FLOAT = 1,
    ONNX_INT64 = 7,
    ONNX_BOOL = 9,
    ONNX_DOUBLE = 11
} onnx_type; /* TensorProto.DataType */

#define ONNX_DIMS 5
typedef struct onnx_attribute {
    const char *name;
    int64_t i;
    const int64_t *ints; /* NULL: one integer */
    int n;
    const struct onnx_graph *body; /* NULL: integers */
    struct onnx_attribute *next;
} onnx_attribute;
typedef struct onnx_node {
    const char *op, *name;
    const onnx_value *in, *out;
    int n_in, n_out, n_attributes;
    onnx_attribute *attributes; /* last first */
    struct onnx_node *next;
} onnx_node;
typedef struct onnx_constant {
    const char *name;
    onnx_type type;
    int rank;
    int64_t shape[2];
    size_t count;
    const double *numbers; /* of float and double */
    const int64_t *whole;  /* of integers */
    struct onnx_constant *next;
} onnx_constant;
typedef struct onnx_port { /* an input or output of the graph */
    onnx_value value;
    onnx_type type;
    int rank;
    struct {
        const char *name; /* NULL: a number */
        int64_t n;
    } dim[ONNX_DIMS];
    struct onnx_port *next;
} onnx_port;

typedef struct onnx_graph {
    const at_model *m;
    at_arena *arena;
    struct onnx_graph *outer; /* of the body of a loop; it holds the constants */
    onnx_node *nodes, **last_node, *current;
    onnx_constant *constants;
    onnx_port *inputs, **last_input, *outputs, **last_output;
    int n_nodes, n_constants, n_inputs, n_outputs, serial;
    const char *label; /* what operators are for: begins their names */
    bool oom;
} onnx_graph;

void onnx_graph_init(onnx_graph *g, const at_model *m, at_arena *arena, onnx_graph *outer);

#define ONNX_IN(...)                                                                                         \
    (const onnx_value[]){__VA_ARGS__}, (int)(sizeof((onnx_value[]){__VA_ARGS__}) / sizeof(onnx_value))
onnx_value onnx_op(onnx_graph *g, const char *op, const onnx_value *in, int n_in);
/* The same with several results. */
void onnx_op_many(onnx_graph *g, const char *op, const onnx_value *in, int n_in, onnx_value *out, int n_out);
void onnx_int(onnx_graph *g, const char *name, int64_t v);
void onnx_ints(onnx_graph *g, const char *name, int n, const int64_t *v);
void onnx_body(onnx_graph *g, const char *name, const onnx_graph *body);

onnx_type onnx_real(const onnx_graph *g);        /* of the numbers of the graph */
onnx_value onnx_number(onnx_graph *g, double v); /* one of them */
onnx_value onnx_index(onnx_graph *g, int64_t v); /* an integer of no dimension */
onnx_value onnx_double(onnx_graph *g, double v); /* a double, whatever the numbers of the graph are */
#define ONNX_WHOLE(g, ...)                                                                                   \
    onnx_whole(g, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]){__VA_ARGS__})
onnx_value onnx_whole(onnx_graph *g, int n, const int64_t *v); /* a vector of integers */
onnx_value onnx_weight(onnx_graph *g, int tensor);
/* A matrix of numbers that is no tensor of the model. The graph keeps w. */
onnx_value onnx_matrix(onnx_graph *g, const char *name, int64_t rows, int64_t columns, const double *w);

onnx_value onnx_cast(onnx_graph *g, onnx_value x, onnx_type type);
onnx_value onnx_transpose(onnx_graph *g, onnx_value x, int n, const int64_t *perm);
onnx_value onnx_reshape(onnx_graph *g, onnx_value x, int n, const int64_t *shape);
/* Along one axis, from begin to end: vectors of one integer. */
onnx_value onnx_slice(onnx_graph *g, onnx_value x, onnx_value begin, onnx_value end, int64_t axis);
onnx_value onnx_concat(onnx_graph *g, int64_t axis, const onnx_value *in, int n);
onnx_value onnx_size(onnx_graph *g, onnx_value x, int64_t axis);                /* a vector of one integer */
onnx_value onnx_reduce(onnx_graph *g, const char *op, onnx_value x, bool keep); /* over the last axis */

onnx_port *onnx_input(onnx_graph *g, const char *name, onnx_type type, int rank);
onnx_port *onnx_output(onnx_graph *g, const char *name, onnx_value v, onnx_type type, int rank);
void onnx_dim(onnx_port *p, int k, const char *name, int64_t n); /* name NULL: the number n */

/* The file. Notes become metadata_props. */
at_status onnx_pack(const onnx_graph *g, const archive_note *notes, int n_notes, at_text *out, at_err *err);

/* ---- onnx_attend.c: attention ------------------------------------------------------------------------------ */

typedef struct {
    onnx_graph *g;
    const at_model *m;
    bool cache;
    onnx_value rows;  /* vector: positions of this call, hidden ones included */
    onnx_value past;  /* vector: positions before them; NULL without a cache */
    onnx_value batch; /* vector */
    onnx_value t, j;  /* (rows, 1), (1, all): numbers of queries and keys, from 0 */
    struct onnx_mask {
        at_mask mask;
        onnx_value allowed, number; /* (rows, all): as booleans, and as 0 and 1 */
        struct onnx_mask *next;
    } * masks;
} onnx_emit;

onnx_value onnx_linear(onnx_graph *g, onnx_value x, int w, int b); /* x W' + b; b < 0: none */
onnx_value onnx_sparsemax(onnx_graph *g, onnx_value s,
                          const struct onnx_mask *mask); /* over the last axis; mask NULL: all */
at_status onnx_group(onnx_emit *e, int block, int group, onnx_value y, onnx_value *out, at_err *err);

#endif
