/* onnx_pack.c: the graph as bytes: protobuf messages of the schema that comes with libonnx, packed by protobuf-c.
 *
 * Where the machine has neither at build time, attest is built all the same, and refuses this format in words. */
#include "onnx_graph.h"

#ifdef AT_ONNX

#include <onnx.pb-c.h>

#include <string.h>

#define PROTOBUF_MOST ((size_t)0x7fffffff) /* bytes of a message */

typedef struct {
    at_arena *arena;
    bool f32, oom;
} packing;

static void *room(packing *p, size_t n, size_t size)
{
    void *to = at_arena_alloc(p->arena, n ? n : 1, size);
    p->oom = p->oom || !to;
    return to;
}

static char *text(packing *p, const char *s)
{
    char *own = at_arena_strdup(p->arena, s);
    p->oom = p->oom || !own;
    return own;
}

/* An array of n messages of a type, each made by its init. */
#define MESSAGES(p, T, INIT, n, to)                                                                          \
    do {                                                                                                     \
        T *all_ = room(p, (size_t)(n), sizeof(T));                                                           \
        (to) = room(p, (size_t)(n), sizeof(T *));                                                            \
        for (int k_ = 0; k_ < (n) && all_ && (to); k_++) {                                                   \
            all_[k_] = (T)INIT;                                                                              \
            (to)[k_] = &all_[k_];                                                                            \
        }                                                                                                    \
    } while (0)

static void port_pack(packing *p, Onnx__ValueInfoProto *to, const onnx_port *from)
{
    Onnx__TypeProto *type = room(p, 1, sizeof *type);
    Onnx__TypeProto__Tensor *tensor = room(p, 1, sizeof *tensor);
    Onnx__TensorShapeProto *shape = room(p, 1, sizeof *shape);
    Onnx__TensorShapeProto__Dimension **dims;
    MESSAGES(p, Onnx__TensorShapeProto__Dimension, ONNX__TENSOR_SHAPE_PROTO__DIMENSION__INIT, from->rank,
             dims);
    to->name = text(p, from->value);
    if (p->oom)
        return;
    *type = (Onnx__TypeProto)ONNX__TYPE_PROTO__INIT;
    *tensor = (Onnx__TypeProto__Tensor)ONNX__TYPE_PROTO__TENSOR__INIT;
    *shape = (Onnx__TensorShapeProto)ONNX__TENSOR_SHAPE_PROTO__INIT;
    for (int k = 0; k < from->rank; k++)
        if (from->dim[k].name) {
            dims[k]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
            dims[k]->dim_param = text(p, from->dim[k].name);
        } else {
            dims[k]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
            dims[k]->dim_value = from->dim[k].n;
        }
    shape->n_dim = (size_t)from->rank;
    shape->dim = dims;
    tensor->has_elem_type = 1;
    tensor->elem_type = from->type;
    tensor->shape = shape;
    type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    type->tensor_type = tensor;
    to->type = type;
}

static void ports_pack(packing *p, const onnx_port *from, Onnx__ValueInfoProto **to)
{
    for (int k = 0; from && !p->oom; from = from->next, k++)
        port_pack(p, to[k], from);
}

static void constant_pack(packing *p, Onnx__TensorProto *to, const onnx_constant *from)
{
    at_text bytes;
    at_text_init(&bytes);
    to->name = text(p, from->name);
    to->has_data_type = 1;
    to->data_type = from->type;
    to->n_dims = (size_t)from->rank;
    to->dims = room(p, (size_t)from->rank, sizeof *to->dims);
    for (int k = 0; k < from->rank && to->dims; k++)
        to->dims[k] = from->shape[k];
    if (from->numbers)
        export_numbers_add(&bytes, from->numbers, from->count, from->type == ONNX_FLOAT);
    else
        for (size_t i = 0; i < from->count; i++)
            at_text_add_le(&bytes, (uint64_t)from->whole[i], 8);
    to->has_raw_data = 1;
    to->raw_data.len = bytes.n;
    to->raw_data.data = room(p, bytes.n, 1);
    if (to->raw_data.data && bytes.n)
        memcpy(to->raw_data.data, bytes.s, bytes.n);
    p->oom = p->oom || bytes.oom;
    at_text_release(&bytes);
}

static Onnx__GraphProto *graph_pack(packing *p, const onnx_graph *g);

static void attribute_pack(packing *p, Onnx__AttributeProto *to, const onnx_attribute *from)
{
    to->name = text(p, from->name);
    to->has_type = 1;
    if (from->body) {
        to->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH;
        to->g = graph_pack(p, from->body);
    } else if (from->ints) {
        to->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
        to->n_ints = (size_t)from->n;
        to->ints = room(p, (size_t)from->n, sizeof *to->ints);
        for (int k = 0; k < from->n && to->ints; k++)
            to->ints[k] = from->ints[k];
    } else {
        to->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
        to->has_i = 1;
        to->i = from->i;
    }
}

static void node_pack(packing *p, Onnx__NodeProto *to, const onnx_node *from)
{
    to->op_type = text(p, from->op);
    to->name = text(p, from->name);
    to->n_input = (size_t)from->n_in;
    to->input = room(p, (size_t)from->n_in, sizeof *to->input);
    for (int k = 0; k < from->n_in && to->input; k++)
        to->input[k] = text(p, from->in[k]);
    to->n_output = (size_t)from->n_out;
    to->output = room(p, (size_t)from->n_out, sizeof *to->output);
    for (int k = 0; k < from->n_out && to->output; k++)
        to->output[k] = text(p, from->out[k]);
    to->n_attribute = (size_t)from->n_attributes;
    MESSAGES(p, Onnx__AttributeProto, ONNX__ATTRIBUTE_PROTO__INIT, from->n_attributes, to->attribute);
    int k = 0;
    for (const onnx_attribute *a = from->attributes; a && !p->oom; a = a->next)
        attribute_pack(p, to->attribute[k++], a);
}

static Onnx__GraphProto *graph_pack(packing *p, const onnx_graph *g)
{
    Onnx__GraphProto *to = room(p, 1, sizeof *to);
    if (!to)
        return NULL;
    *to = (Onnx__GraphProto)ONNX__GRAPH_PROTO__INIT;
    to->name = text(p, g->outer ? g->label : *g->m->name ? g->m->name : "model");
    to->n_node = (size_t)g->n_nodes;
    to->n_initializer = (size_t)g->n_constants;
    to->n_input = (size_t)g->n_inputs;
    to->n_output = (size_t)g->n_outputs;
    MESSAGES(p, Onnx__NodeProto, ONNX__NODE_PROTO__INIT, g->n_nodes, to->node);
    MESSAGES(p, Onnx__TensorProto, ONNX__TENSOR_PROTO__INIT, g->n_constants, to->initializer);
    MESSAGES(p, Onnx__ValueInfoProto, ONNX__VALUE_INFO_PROTO__INIT, g->n_inputs, to->input);
    MESSAGES(p, Onnx__ValueInfoProto, ONNX__VALUE_INFO_PROTO__INIT, g->n_outputs, to->output);
    int k = 0;
    for (const onnx_node *n = g->nodes; n && !p->oom; n = n->next)
        node_pack(p, to->node[k++], n);
    k = 0;
    for (const onnx_constant *c = g->constants; c && !p->oom; c = c->next)
        constant_pack(p, to->initializer[k++], c);
    if (!p->oom) {
        ports_pack(p, g->inputs, to->input);
        ports_pack(p, g->outputs, to->output);
    }
    return to;
}

at_status onnx_pack(const onnx_graph *g, const archive_note *notes, int n_notes, at_text *out, at_err *err)
{
    size_t weights = 0;
    for (const onnx_constant *c = g->constants; c; c = c->next)
        weights += c->count * (c->type == ONNX_FLOAT ? 4 : 8);
    if (weights > PROTOBUF_MOST / 8 * 7)
        return at_fail(err, AT_EREFUSED, "onnx files hold at most 2 GB; the weights alone are %zu bytes",
                       weights);
    packing p = {.arena = g->arena, .f32 = g->m->f32};
    Onnx__ModelProto model = ONNX__MODEL_PROTO__INIT;
    Onnx__OperatorSetIdProto opset = ONNX__OPERATOR_SET_ID_PROTO__INIT, *opsets[] = {&opset};
    opset.has_version = 1;
    opset.version = 17;
    opset.domain = (char *)"";
    model.has_ir_version = 1;
    model.ir_version = 8;
    model.n_opset_import = 1;
    model.opset_import = opsets;
    model.producer_name = (char *)"attest";
    MESSAGES(&p, Onnx__StringStringEntryProto, ONNX__STRING_STRING_ENTRY_PROTO__INIT, n_notes,
             model.metadata_props);
    for (int k = 0; k < n_notes && !p.oom; k++)
        if (notes[k].text) {
            Onnx__StringStringEntryProto *one = model.metadata_props[model.n_metadata_props++];
            one->key = (char *)notes[k].key;
            one->value = (char *)notes[k].text;
        }
    model.graph = graph_pack(&p, g);
    if (p.oom)
        return at_oom(err);
    size_t n = protobuf_c_message_get_packed_size(&model.base);
    if (n > PROTOBUF_MOST)
        return at_fail(err, AT_EREFUSED, "onnx files hold at most 2 GB; this one would have %zu bytes", n);
    uint8_t *bytes = at_malloc(n ? n : 1);
    if (!bytes)
        return at_oom(err);
    protobuf_c_message_pack(&model.base, bytes);
    at_text_addn(out, (const char *)bytes, n);
    at_free(bytes);
    return out->oom ? at_oom(err) : AT_OK;
}

#else

at_status onnx_pack(const onnx_graph *g, const archive_note *notes, int n_notes, at_text *out, at_err *err)
{
    (void)g, (void)notes, (void)n_notes, (void)out;
    return at_fail(
        err, AT_EREFUSED,
        "this attest was built without protobuf-c and the schema of libonnx, which onnx files need (Debian: "
        "libprotobuf-c-dev protobuf-c-compiler libonnx-dev; then build again)");
}

#endif
