/*
 * Collects the edits of a model, indexed by node or by name. The functions here pack
 * new messages with protobuf-c, so edit/onnx/write.c only copies bytes.
 */
#include "model/graph/graph.h"
#include "model/onnx/collected.h"
#include "base/base.h"
#include "model/onnx/parts.h"
#include "model/ops/ids.h"

struct fsd_onnx_edits *fsd_onnx_edits_new(struct fsd_arena *arena,
                                          const struct fsd_graph *g)
{
    struct fsd_onnx_edits *e = FSD_NEW(arena, struct fsd_onnx_edits, 1);

    e->arena = arena;
    e->g = g;
    e->change_of = fsd_ids_new(arena, g->nodes.n + 1);
    e->holds = FSD_NEW(arena, bool, g->scopes.n + 1);
    e->first = fsd_ids_new(arena, g->scopes.n + 1);
    e->bodies = fsd_graph_bodies(arena, g);

    e->n_listed_of = fsd_intern_count(g->names);
    e->listed_of = fsd_ids_new(arena, e->n_listed_of + 1);
    for (fsd_id i = g->nodes.n; i-- > 0;)
        e->first[g->nodes.at[i].scope] = i;
    return e;
}

bool fsd_onnx_can_edit(const struct fsd_graph *g, fsd_id node)
{
    fsd_id scope = g->nodes.at[node].scope;

    while (scope != FSD_NONE && g->scopes.at[scope].kind != FSD_SCOPE_FUNCTION)
        scope = g->scopes.at[scope].parent;
    return scope == FSD_NONE;
}

/* Marks the scope, and the scopes around it, as edited. */
static void hold(struct fsd_onnx_edits *e, fsd_id scope)
{
    for (fsd_id s = scope; s != FSD_NONE; s = e->g->scopes.at[s].parent)
        e->holds[s] = true;
}

static struct fsd_node_rewrite *change_of(struct fsd_onnx_edits *e, fsd_id node)
{
    if (e->change_of[node] == FSD_NONE) {
        e->change_of[node] = e->changes.n;
        fsd_vec_push(e->arena, &e->changes, (struct fsd_node_rewrite){.drop = false});
        hold(e, e->g->nodes.at[node].scope);
    }
    return &e->changes.at[e->change_of[node]];
}

static struct fsd_slice copy_name(struct fsd_arena *arena, const char *name)
{
    size_t n = strlen(name);

    return (struct fsd_slice){fsd_arena_strndup(arena, name, n), n};
}

static void set_name(struct fsd_arena *arena, struct fsd_renamed *of, uint32_t place,
                     const char *name)
{
    while (of->names.n <= place)
        fsd_vec_push(arena, &of->names, ((struct fsd_slice){NULL, 0}));
    of->n_set += !of->names.at[place].s;
    of->names.at[place] = copy_name(arena, name);
}

void fsd_onnx_set_input(struct fsd_onnx_edits *e, fsd_id node, uint32_t input,
                        const char *name)
{
    set_name(e->arena, &change_of(e, node)->inputs, input, name);
}

void fsd_onnx_set_output(struct fsd_onnx_edits *e, fsd_id node, uint32_t output,
                         const char *name)
{
    set_name(e->arena, &change_of(e, node)->outputs, output, name);
}

void fsd_onnx_drop_node(struct fsd_onnx_edits *e, fsd_id node)
{
    change_of(e, node)->drop = true;
}

/* Copies a text, because protobuf-c needs texts that are not const. */
static char *own(struct fsd_onnx_edits *e, const char *text)
{
    return fsd_arena_strndup(e->arena, text, strlen(text));
}

static struct fsd_slice pack(struct fsd_arena *arena, const ProtobufCMessage *message)
{
    size_t n = protobuf_c_message_get_packed_size(message);
    unsigned char *bytes = FSD_NEW(arena, unsigned char, n + 1);

    protobuf_c_message_pack(message, bytes);
    return (struct fsd_slice){(const char *)bytes, n};
}

static char **own_all(struct fsd_onnx_edits *e, const char *const *texts, uint32_t n)
{
    char **all = FSD_NEW(e->arena, char *, n + 1);

    for (uint32_t i = 0; i < n; i++)
        all[i] = own(e, texts[i]);
    return all;
}

static Onnx__AttributeProto *new_attribute(struct fsd_onnx_edits *e,
                                           const struct fsd_onnx_new_attribute *a)
{
    Onnx__AttributeProto *proto = FSD_NEW(e->arena, Onnx__AttributeProto, 1);

    *proto = (Onnx__AttributeProto)ONNX__ATTRIBUTE_PROTO__INIT;
    proto->name = own(e, a->name);
    proto->has_type = true;
    if (a->text) {
        proto->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
        proto->has_s = true;
        proto->s = (ProtobufCBinaryData){strlen(a->text), (uint8_t *)own(e, a->text)};
    } else if (a->is_float) {
        proto->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
        proto->has_f = true;
        proto->f = (float)a->real;
    } else {
        proto->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
        proto->has_i = true;
        proto->i = a->number;
    }
    return proto;
}

static struct fsd_slice pack_entry(struct fsd_onnx_edits *e, const char *key,
                                   const char *value)
{
    Onnx__StringStringEntryProto proto = ONNX__STRING_STRING_ENTRY_PROTO__INIT;

    proto.key = own(e, key);
    proto.value = own(e, value);
    return pack(e->arena, &proto.base);
}

/* Returns the message with one more field at its end. protobuf-c cannot pack this
 * field, because the generated code has no descriptor of it. */
static struct fsd_slice with_block(struct fsd_onnx_edits *e, struct fsd_slice message,
                                   uint32_t number, struct fsd_slice bytes)
{
    char head[2 * FSD_WIRE_VARINT], *all;
    size_t n = fsd_wire_put_head(head, number, bytes.n);

    all = FSD_NEW(e->arena, char, message.n + n + bytes.n + 1);
    if (message.n)
        memcpy(all, message.s, message.n);
    memcpy(all + message.n, head, n);
    memcpy(all + message.n + n, bytes.s, bytes.n);
    return (struct fsd_slice){all, message.n + n + bytes.n};
}

/* Packs a branch of an If, which forwards a tensor of the enclosing graph:
 *
 *     else_branch:  name = Identity(tensor) */
static struct fsd_slice pack_branch(struct fsd_onnx_edits *e, const char *attribute,
                                    const char *name, const char *tensor, int type)
{
    Onnx__AttributeProto proto = ONNX__ATTRIBUTE_PROTO__INIT;
    Onnx__GraphProto graph = ONNX__GRAPH_PROTO__INIT;
    Onnx__NodeProto node = ONNX__NODE_PROTO__INIT, *nodes = &node;
    Onnx__ValueInfoProto output = ONNX__VALUE_INFO_PROTO__INIT, *outputs = &output;
    Onnx__TypeProto of = ONNX__TYPE_PROTO__INIT;
    Onnx__TypeProto__Tensor element = ONNX__TYPE_PROTO__TENSOR__INIT;
    char *in = own(e, tensor), *out = own(e, name);
    struct fsd_slice packed;

    node.op_type = own(e, fsd_text(e->g->names, FSD_ONNX_Identity));
    node.name = output.name = out;
    node.n_input = node.n_output = 1;
    node.input = &in;
    node.output = &out;
    element.has_elem_type = true;
    element.elem_type = type;
    of.value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    of.tensor_type = &element;
    output.type = &of;
    graph.n_node = graph.n_output = 1;
    graph.node = &nodes;
    graph.output = &outputs;
    proto.name = own(e, attribute);
    proto.has_type = true;
    proto.type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH;
    packed = with_block(e, pack(e->arena, &graph.base), GRAPH_NAME, fsd_slice_of(out));
    return with_block(e, pack(e->arena, &proto.base), ATTRIBUTE_GRAPH, packed);
}

static struct fsd_slice with_branches(struct fsd_onnx_edits *e,
                                      const struct fsd_onnx_new_node *node,
                                      struct fsd_slice packed)
{
    static const char *const branches[] = {"then_branch", "else_branch"};

    for (size_t i = 0; i < FSD_COUNT_OF(branches); i++) {
        const char *name = fsd_onnx_new_name(
            e, fsd_printed(e->arena, "%s_%.4s", node->name, branches[i]));

        packed = with_block(
            e, packed, NODE_ATTRIBUTE,
            pack_branch(e, branches[i], name, node->passes.tensor, node->passes.type));
    }
    return packed;
}

static struct fsd_slice pack_whole(struct fsd_onnx_edits *e,
                                   const struct fsd_onnx_whole_node *node)
{
    Onnx__NodeProto proto = ONNX__NODE_PROTO__INIT;
    struct fsd_slice packed;

    proto.op_type = own(e, node->op);
    proto.name = own(e, node->name);
    proto.domain = node->domain ? own(e, node->domain) : NULL;
    proto.input = own_all(e, node->inputs, node->n_inputs);
    proto.n_input = node->n_inputs;
    proto.output = own_all(e, node->outputs, node->n_outputs);
    proto.n_output = node->n_outputs;
    proto.attribute = FSD_NEW(e->arena, Onnx__AttributeProto *, node->n_attributes + 1);
    for (; proto.n_attribute < node->n_attributes; proto.n_attribute++)
        proto.attribute[proto.n_attribute] =
            new_attribute(e, &node->attributes[proto.n_attribute]);
    packed = pack(e->arena, &proto.base);
    for (uint32_t i = 0; i < node->n_metadata; i++)
        packed =
            with_block(e, packed, NODE_METADATA,
                       pack_entry(e, node->metadata[i].key, node->metadata[i].value));
    return packed;
}

static struct fsd_slice pack_node(struct fsd_onnx_edits *e,
                                  const struct fsd_onnx_new_node *node)
{
    struct fsd_onnx_new_attribute attribute = {.name = node->drops_sizes   ? "keepdims"
                                                       : node->along_first ? "axis"
                                                                           : "to",
                                               .number = node->to};
    struct fsd_onnx_whole_node whole = {.op = node->op,
                                        .name = node->name,
                                        .inputs = node->inputs,
                                        .outputs = &node->output,
                                        .n_outputs = 1,
                                        .attributes = &attribute,
                                        .n_attributes = node->to || node->drops_sizes ||
                                                        node->along_first};
    struct fsd_slice packed;

    while (whole.n_inputs < 4 && node->inputs[whole.n_inputs])
        whole.n_inputs++;
    packed = pack_whole(e, &whole);
    return node->passes.tensor ? with_branches(e, node, packed) : packed;
}

void fsd_onnx_add_node(struct fsd_onnx_edits *e, const struct fsd_onnx_whole_node *node)
{
    fsd_vec_push(e->arena, &e->at_end, pack_whole(e, node));
}

void fsd_onnx_insert_node(struct fsd_onnx_edits *e, fsd_id before,
                          const struct fsd_onnx_new_node *node)
{
    fsd_vec_push(e->arena, &change_of(e, before)->before, pack_node(e, node));
}

void fsd_onnx_append_node(struct fsd_onnx_edits *e, fsd_id behind,
                          const struct fsd_onnx_new_node *node)
{
    fsd_vec_push(e->arena, &change_of(e, behind)->behind, pack_node(e, node));
}

/* ------------------------------------------------------------- lists of the graph */

static void add_listed(struct fsd_onnx_edits *e, unsigned lists, fsd_sym name,
                       struct fsd_slice bytes)
{
    struct fsd_listed_change change = {lists, bytes, FSD_NONE};
    uint32_t *first = name < e->n_listed_of ? &e->listed_of[name] : NULL;

    if (first) {
        change.next = *first;
        *first = e->listed.n;
    }
    fsd_vec_push(e->arena, &e->listed, change);
}

static void put_listed(struct fsd_onnx_edits *e, unsigned list, const char *name,
                       struct fsd_slice bytes)
{
    add_listed(e, list, fsd_intern_find(e->g->names, name, strlen(name)), bytes);
}

void fsd_onnx_drop_listed(struct fsd_onnx_edits *e, unsigned lists, fsd_sym name)
{
    add_listed(e, lists, name, (struct fsd_slice){NULL, 0});
}

void fsd_onnx_add_shaped(struct fsd_onnx_edits *e, const char *name, int type,
                         const int64_t *dims, uint32_t rank, const void *bytes,
                         size_t n)
{
    Onnx__TensorProto proto = ONNX__TENSOR_PROTO__INIT;
    uint8_t *copy = FSD_NEW(e->arena, uint8_t, n + 1);

    proto.name = own(e, name);
    proto.has_data_type = true;
    proto.data_type = type;
    proto.has_raw_data = true;
    proto.dims = FSD_NEW(e->arena, int64_t, rank + 1);
    if (rank)
        memcpy(proto.dims, dims, rank * sizeof *dims);
    proto.n_dims = rank;
    memcpy(copy, bytes, n);
    proto.raw_data = (ProtobufCBinaryData){n, copy};
    put_listed(e, FSD_ONNX_INITIALIZERS, name, pack(e->arena, &proto.base));
    if (e->g->ir_version < 4) /* before IR version 4, each initializer must also be an
                                 input */
        fsd_onnx_declare(e, FSD_ONNX_INPUTS,
                         &(struct fsd_onnx_info){.name = name,
                                                 .type = type,
                                                 .ranked = true,
                                                 .rank = rank,
                                                 .sizes = dims});
}

void fsd_onnx_add_array(struct fsd_onnx_edits *e, const char *name, int type,
                        int64_t count, const void *bytes, size_t n)
{
    fsd_onnx_add_shaped(e, name, type, &count, count >= 0, bytes, n);
}

void fsd_onnx_add_tensor(struct fsd_onnx_edits *e, const char *name, int type,
                         const void *bytes, size_t n)
{
    fsd_onnx_add_array(e, name, type, -1, bytes, n);
}

void fsd_onnx_set_type(struct fsd_onnx_edits *e, fsd_id tensor, int type)
{
    if (!e->type_of)
        e->type_of = FSD_NEW(e->arena, uint8_t, e->g->tensors.n + 1);
    e->type_of[tensor] = (uint8_t)type;
    hold(e, e->g->tensors.at[tensor].scope);
}

/* Fills the shape of a ValueInfoProto from the sizes in `info`. */
static void fill_shape(struct fsd_onnx_edits *e, const struct fsd_onnx_info *info,
                       Onnx__TensorShapeProto *shape)
{
    Onnx__TensorShapeProto__Dimension *all =
        FSD_NEW(e->arena, Onnx__TensorShapeProto__Dimension, info->rank + 1);

    shape->n_dim = info->rank;
    shape->dim = FSD_NEW(e->arena, Onnx__TensorShapeProto__Dimension *, info->rank + 1);
    for (uint32_t i = 0; i < info->rank; i++) {
        const char *name = info->names ? info->names[i] : NULL;

        all[i] = (Onnx__TensorShapeProto__Dimension)
            ONNX__TENSOR_SHAPE_PROTO__DIMENSION__INIT;
        shape->dim[i] = &all[i];
        if (info->sizes[i] >= 0) {
            all[i].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
            all[i].dim_value = info->sizes[i];
        } else if (name && *name) {
            all[i].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
            all[i].dim_param = own(e, name);
        }
    }
}

void fsd_onnx_declare(struct fsd_onnx_edits *e, enum fsd_onnx_list list,
                      const struct fsd_onnx_info *info)
{
    Onnx__ValueInfoProto proto = ONNX__VALUE_INFO_PROTO__INIT;
    Onnx__TypeProto type = ONNX__TYPE_PROTO__INIT;
    Onnx__TypeProto__Tensor tensor = ONNX__TYPE_PROTO__TENSOR__INIT;
    Onnx__TensorShapeProto shape = ONNX__TENSOR_SHAPE_PROTO__INIT;
    struct fsd_slice packed;

    proto.name = own(e, info->name);
    proto.type = &type;
    type.value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    type.tensor_type = &tensor;
    tensor.has_elem_type = true;
    tensor.elem_type = info->type;
    if (info->ranked) {
        fill_shape(e, info, &shape);
        tensor.shape = &shape;
    }
    packed = pack(e->arena, &proto.base);
    if (info->doc && *info->doc)
        packed = with_block(e, packed, VALUE_INFO_DOC, fsd_slice_of(own(e, info->doc)));
    put_listed(e, list, info->name, packed);
}

/* ------------------------------------------------------------------------- the rest */

void fsd_onnx_keep_functions(struct fsd_onnx_edits *e,
                             const struct fsd_onnx_called *functions, uint32_t n)
{
    static const struct fsd_onnx_called none;

    e->functions = n ? functions : &none;
    e->n_functions = n;
}

void fsd_onnx_drop_training(struct fsd_onnx_edits *e)
{
    e->drops_training = true;
}

void fsd_onnx_set_weights(struct fsd_onnx_edits *e, enum fsd_onnx_weights weights)
{
    e->weights = weights;
}

void fsd_onnx_set_property(struct fsd_onnx_edits *e, fsd_id node, const char *key,
                           const char *value)
{
    fsd_properties *of =
        node == FSD_NONE ? &e->metadata : &change_of(e, node)->metadata;

    fsd_vec_push(e->arena, of,
                 ((struct fsd_property){own(e, key), pack_entry(e, key, value)}));
}

static bool is_named(const struct fsd_onnx_edits *e, const char *name)
{
    size_t n = strlen(name);

    return (e->named && fsd_intern_has(e->named, name, n)) ||
           fsd_intern_has(e->g->names, name, n);
}

const char *fsd_onnx_new_name(struct fsd_onnx_edits *e, const char *base)
{
    const char *name = fsd_arena_strndup(e->arena, base, strlen(base));

    for (unsigned i = 2; is_named(e, name); i++)
        name = fsd_printed(e->arena, "%s_%u", base, i);
    if (!e->named)
        e->named = fsd_intern_new(e->arena);
    fsd_intern_str(e->named, name);
    return name;
}

enum fsd_status fsd_onnx_identify(const struct fsd_file *file, uint64_t hash[2],
                                  struct fsd_error *err)
{
    FSD_SCRATCH(scratch);
    struct fsd_wire wire;
    enum fsd_status status =
        fsd_wire_filter(&wire, scratch, file, &onnx__model_proto__descriptor, err);

    if (status == FSD_OK)
        fsd_hash_128(wire.bytes, wire.size, hash);
    return status;
}

struct fsd_onnx_edits *fsd_onnx_edits_of_nothing(struct fsd_arena *arena,
                                                 struct fsd_intern *names,
                                                 const char *domain,
                                                 struct fsd_file *file)
{
    struct fsd_graph *g = fsd_graph_new(arena, names);
    struct fsd_onnx_edits *e = fsd_onnx_edits_new(arena, g);
    Onnx__ModelProto model = ONNX__MODEL_PROTO__INIT;
    Onnx__OperatorSetIdProto set = ONNX__OPERATOR_SET_ID_PROTO__INIT, *sets = &set;
    struct fsd_slice bytes;

    model.has_ir_version = true;
    model.ir_version = ONNX__VERSION__IR_VERSION_2024_3_25; /* the first IR version in
                                                               which nodes have
                                                               metadata */
    model.producer_name = own(e, "fusiondiff");
    model.producer_version = own(e, FSD_VERSION);
    set.domain = own(e, domain);
    set.has_version = true;
    set.version = 1;
    model.opset_import = &sets;
    model.n_opset_import = 1;
    bytes =
        with_block(e, (struct fsd_slice){NULL, 0}, GRAPH_NAME, fsd_slice_of(domain));
    bytes = with_block(e, pack(arena, &model.base), MODEL_GRAPH, bytes);
    *file = (struct fsd_file){
        .name = "", .bytes = (const unsigned char *)bytes.s, .size = bytes.n};
    fsd_onnx_identify(file, g->hash, NULL);
    return e;
}
