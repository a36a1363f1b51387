/* onnx_graph.c: the verbs of onnx_graph.h. Everything lives in one arena; lists keep the order in which operators were said, which
 * is an order in which they can be run. */
#include "onnx_graph.h"

#include <string.h>

void onnx_graph_init(onnx_graph *g, const at_model *m, at_arena *arena, onnx_graph *outer)
{
    *g = (onnx_graph){.m = m, .arena = arena, .outer = outer, .label = outer ? outer->label : "model"};
    g->last_node = &g->nodes;
    g->last_input = &g->inputs;
    g->last_output = &g->outputs;
}

/* Names and constants are those of the outermost graph. */
static onnx_graph *whole(onnx_graph *g)
{
    while (g->outer)
        g = g->outer;
    return g;
}

static void *room(onnx_graph *g, size_t n, size_t size)
{
    void *p = at_arena_alloc(g->arena, n, size);
    if (!p)
        whole(g)->oom = true;
    return p;
}

static const char *name_new(onnx_graph *g, const char *kind)
{
    char *s = at_arena_printf(g->arena, "%s/%s_%d", g->label, kind, whole(g)->serial++);
    if (!s)
        whole(g)->oom = true;
    return s ? s : "";
}

void onnx_op_many(onnx_graph *g, const char *op, const onnx_value *in, int n_in, onnx_value *out, int n_out)
{
    onnx_node *n = room(g, 1, sizeof *n);
    onnx_value *ins = room(g, (size_t)n_in + 1, sizeof *ins), *outs = room(g, (size_t)n_out, sizeof *outs);
    for (int k = 0; k < n_out; k++)
        out[k] = "";
    if (!n || !ins || !outs)
        return;
    memcpy(ins, in, (size_t)n_in * sizeof *ins);
    for (int k = 0; k < n_out; k++)
        out[k] = outs[k] = name_new(g, op);
    *n = (onnx_node){.op = op, .name = outs[0], .in = ins, .out = outs, .n_in = n_in, .n_out = n_out};
    *g->last_node = g->current = n;
    g->last_node = &n->next;
    g->n_nodes++;
}

onnx_value onnx_op(onnx_graph *g, const char *op, const onnx_value *in, int n_in)
{
    onnx_value out;
    onnx_op_many(g, op, in, n_in, &out, 1);
    return out;
}

static onnx_attribute *attribute(onnx_graph *g, const char *name)
{
    onnx_attribute *a = room(g, 1, sizeof *a);
    if (!a || whole(g)->oom)
        return NULL;
    *a = (onnx_attribute){.name = name, .next = g->current->attributes};
    g->current->attributes = a;
    g->current->n_attributes++;
    return a;
}

void onnx_int(onnx_graph *g, const char *name, int64_t v)
{
    onnx_attribute *a = attribute(g, name);
    if (a)
        a->i = v;
}

void onnx_ints(onnx_graph *g, const char *name, int n, const int64_t *v)
{
    onnx_attribute *a = attribute(g, name);
    int64_t *own = room(g, (size_t)n, sizeof *own);
    if (!a || !own)
        return;
    memcpy(own, v, (size_t)n * sizeof *own);
    a->ints = own;
    a->n = n;
}

void onnx_body(onnx_graph *g, const char *name, const onnx_graph *body)
{
    onnx_attribute *a = attribute(g, name);
    if (a)
        a->body = body;
}

/* ---- constants ---------------------------------------------------------------------------------------------- */

onnx_type onnx_real(const onnx_graph *g)
{
    return g->m->f32 ? ONNX_FLOAT : ONNX_DOUBLE;
}

/* One of the same bytes that is there already, or a new one with a copy of them. */
static onnx_value constant(onnx_graph *inner, onnx_type type, int rank, size_t count, const double *numbers,
                           const int64_t *integers)
{
    onnx_graph *g = whole(inner);
    for (const onnx_constant *c = g->constants; c; c = c->next)
        if (c->type == type && c->rank == rank && c->count == count &&
            !(numbers ? !c->numbers || memcmp(c->numbers, numbers, count * sizeof *numbers)
                      : !c->whole || memcmp(c->whole, integers, count * sizeof *integers)))
            return c->name;
    onnx_constant *c = room(g, 1, sizeof *c);
    int64_t *bytes = room(g, count, 8);
    if (!c || !bytes)
        return "";
    memcpy(bytes, numbers ? (const void *)numbers : (const void *)integers, count * 8);
    char *name = at_arena_printf(g->arena, "constant_%d", g->serial++);
    *c = (onnx_constant){.name = name ? name : "",
                         .type = type,
                         .rank = rank,
                         .shape = {(int64_t)count},
                         .count = count,
                         .numbers = numbers ? (const double *)(const void *)bytes : NULL,
                         .whole = numbers ? NULL : bytes,
                         .next = g->constants};
    g->oom = g->oom || !name;
    g->constants = c;
    g->n_constants++;
    return c->name;
}

onnx_value onnx_number(onnx_graph *g, double v)
{
    return constant(g, onnx_real(g), 0, 1, &v, NULL);
}

onnx_value onnx_double(onnx_graph *g, double v)
{
    return constant(g, ONNX_DOUBLE, 0, 1, &v, NULL);
}

onnx_value onnx_index(onnx_graph *g, int64_t v)
{
    return constant(g, ONNX_INT64, 0, 1, NULL, &v);
}

onnx_value onnx_whole(onnx_graph *g, int n, const int64_t *v)
{
    return constant(g, ONNX_INT64, 1, (size_t)n, NULL, v);
}

onnx_value onnx_matrix(onnx_graph *inner, const char *name, int64_t rows, int64_t columns, const double *w)
{
    onnx_graph *g = whole(inner);
    onnx_constant *c = room(g, 1, sizeof *c);
    if (!c)
        return "";
    *c = (onnx_constant){.name = name,
                         .type = onnx_real(g),
                         .rank = columns ? 2 : 1,
                         .shape = {rows, columns},
                         .count = (size_t)rows * (size_t)(columns ? columns : 1),
                         .numbers = w,
                         .next = g->constants};
    g->constants = c;
    g->n_constants++;
    return name;
}

onnx_value onnx_weight(onnx_graph *g, int tensor)
{
    const at_tensor *t = &g->m->tensors[tensor];
    for (const onnx_constant *c = whole(g)->constants; c; c = c->next)
        if (c->numbers == g->m->weights + t->offset)
            return c->name;
    return onnx_matrix(g, t->name, t->shape[0], t->rank == 2 ? t->shape[1] : 0, g->m->weights + t->offset);
}

/* ---- operators with their settings ---------------------------------------------------------------------------- */

onnx_value onnx_cast(onnx_graph *g, onnx_value x, onnx_type type)
{
    onnx_value y = onnx_op(g, "Cast", ONNX_IN(x));
    onnx_int(g, "to", type);
    return y;
}

onnx_value onnx_transpose(onnx_graph *g, onnx_value x, int n, const int64_t *perm)
{
    onnx_value y = onnx_op(g, "Transpose", ONNX_IN(x));
    onnx_ints(g, "perm", n, perm);
    return y;
}

onnx_value onnx_reshape(onnx_graph *g, onnx_value x, int n, const int64_t *shape)
{
    return onnx_op(g, "Reshape", ONNX_IN(x, onnx_whole(g, n, shape)));
}

onnx_value onnx_slice(onnx_graph *g, onnx_value x, onnx_value begin, onnx_value end, int64_t axis)
{
    return onnx_op(g, "Slice", ONNX_IN(x, begin, end, ONNX_WHOLE(g, axis)));
}

onnx_value onnx_concat(onnx_graph *g, int64_t axis, const onnx_value *in, int n)
{
    onnx_value y = onnx_op(g, "Concat", in, n);
    onnx_int(g, "axis", axis);
    return y;
}

onnx_value onnx_size(onnx_graph *g, onnx_value x, int64_t axis)
{
    return onnx_slice(g, onnx_op(g, "Shape", ONNX_IN(x)), ONNX_WHOLE(g, axis), ONNX_WHOLE(g, axis + 1), 0);
}

/* Of ReduceSum the axes are an input since opset 13; of the others a setting until 18. */
onnx_value onnx_reduce(onnx_graph *g, const char *op, onnx_value x, bool keep)
{
    bool sum = !strcmp(op, "ReduceSum");
    onnx_value y = sum ? onnx_op(g, op, ONNX_IN(x, ONNX_WHOLE(g, -1))) : onnx_op(g, op, ONNX_IN(x));
    if (!sum)
        onnx_ints(g, "axes", 1, (int64_t[]){-1});
    onnx_int(g, "keepdims", 1);
    if (!keep) { /* of no rows onnxruntime's reductions drop other axes, too, or leave this one as it is: its first is taken */
        y = onnx_op(g, "Gather", ONNX_IN(y, onnx_index(g, 0)));
        onnx_int(g, "axis", -1);
    }
    return y;
}

/* ---- inputs and outputs ------------------------------------------------------------------------------------------ */

static onnx_port *port(onnx_graph *g, onnx_value v, onnx_type type, int rank)
{
    static onnx_port none;
    onnx_port *p = room(g, 1, sizeof *p);
    if (!p)
        return &none;
    *p = (onnx_port){.value = v, .type = type, .rank = rank};
    return p;
}

onnx_port *onnx_input(onnx_graph *g, const char *name, onnx_type type, int rank)
{
    const char *own = at_arena_strdup(g->arena, name);
    onnx_port *p = port(g, own ? own : "", type, rank);
    whole(g)->oom = whole(g)->oom || !own;
    if (!whole(g)->oom) {
        *g->last_input = p;
        g->last_input = &p->next;
        g->n_inputs++;
    }
    return p;
}

onnx_port *onnx_output(onnx_graph *g, const char *name, onnx_value v, onnx_type type, int rank)
{
    const char *own = at_arena_strdup(g->arena, name);
    onnx_port *p = port(g, own ? own : "", type, rank);
    onnx_op(g, "Identity", ONNX_IN(v));
    whole(g)->oom = whole(g)->oom || !own;
    if (whole(g)->oom)
        return p;
    ((onnx_value *)g->current->out)[0] = own;
    *g->last_output = p;
    g->last_output = &p->next;
    g->n_outputs++;
    return p;
}

void onnx_dim(onnx_port *p, int k, const char *name, int64_t n)
{
    p->dim[k].name = name;
    p->dim[k].n = n;
}
