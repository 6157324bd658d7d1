/*
 * Reads the attributes of a node, and the constants that Constant nodes output.
 *
 * The filter (wire.h) drops a large list before protobuf-c parses the bytes, and keeps
 * only the size of the list.  The kind of such an attribute is FSD_ATTR_UNREAD, so that
 * the list does not seem to be empty.
 *
 * Before IR version 2, an attribute does not state its type; see guess_type().
 */
#include "model/graph/graph.h"
#include "model/onnx/parts.h"
#include "model/onnx/wire.h"

/* The numbers of those fields of AttributeProto that the filter may drop. */
enum { FIELD_STRING = 4, FIELD_FLOATS = 7, FIELD_INTS = 8, FIELD_STRINGS = 9 };

/* Returns the type of an attribute according to the field that has its value, because
 * files from before IR version 2 do not state the type. */
static Onnx__AttributeProto__AttributeType guess_type(const Onnx__AttributeProto *a)
{
    if (a->has_f)
        return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
    if (a->has_i)
        return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
    if (a->has_s || fsd_wire_dropped(&a->base, FIELD_STRING))
        return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
    if (a->t)
        return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR;
    if (a->g)
        return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH;
    if (a->n_floats || fsd_wire_dropped(&a->base, FIELD_FLOATS))
        return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS;
    if (a->n_ints || fsd_wire_dropped(&a->base, FIELD_INTS))
        return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
    if (a->n_strings || fsd_wire_dropped(&a->base, FIELD_STRINGS))
        return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS;
    if (a->n_graphs)
        return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPHS;
    return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED;
}

/* Returns the form of a list of n elements; n is -1 if their number is unknown. */
static fsd_id form_of_list(struct fsd_graph *g, enum fsd_dtype type, int64_t n)
{
    struct fsd_dim dim = {.size = n};

    return fsd_graph_add_form(g, (struct fsd_form){.type = type, .ranked = true}, &dim,
                              1);
}

static fsd_sym text_of(struct fsd_graph *g, ProtobufCBinaryData bytes)
{
    return fsd_intern_add(g->names, bytes.len ? (const char *)bytes.data : "",
                          bytes.len);
}

/* Reads the list in the field with this number.  If the filter dropped the list, stores
 * only its form and its size in bytes. */
static void read_list(struct fsd_graph *g, struct fsd_attr *attr,
                      const Onnx__AttributeProto *a, unsigned field)
{
    uint64_t dropped = fsd_wire_dropped(&a->base, field);
    bool floats = field == FIELD_FLOATS, ints = field == FIELD_INTS;

    if (dropped) {
        attr->form = form_of_list(
            g,
            floats ? FSD_FP32
            : ints ? FSD_INT64
                   : FSD_STRING,
            floats && dropped / 4 < INT64_MAX ? (int64_t)(dropped / 4) : -1);
        attr->value = fsd_graph_add_value(g, (struct fsd_value){.size = dropped});
    } else if (floats) {
        attr->kind = FSD_ATTR_FLOATS;
        attr->list = (struct fsd_span){g->floats.n, (uint32_t)a->n_floats};
        for (size_t i = 0; i < a->n_floats; i++)
            fsd_vec_push(g->arena, &g->floats, (double)a->floats[i]);
    } else if (ints) {
        attr->kind = FSD_ATTR_INTS;
        attr->list = (struct fsd_span){g->ints.n, (uint32_t)a->n_ints};
        for (size_t i = 0; i < a->n_ints; i++)
            fsd_vec_push(g->arena, &g->ints, a->ints[i]);
    } else {
        attr->kind = FSD_ATTR_STRINGS;
        attr->list = (struct fsd_span){g->links.n, (uint32_t)a->n_strings};
        for (size_t i = 0; i < a->n_strings; i++)
            fsd_vec_push(g->arena, &g->links, text_of(g, a->strings[i]));
    }
}

static void set_tensor(struct fsd_attr *attr, struct fsd_onnx_const constant)
{
    attr->kind = FSD_ATTR_TENSOR;
    attr->form = constant.form;
    attr->value = constant.value;
}

struct fsd_attr fsd_onnx_attr(struct fsd_graph *g, const Onnx__AttributeProto *a)
{
    struct fsd_attr attr = {.name = fsd_intern_str(g->names, a->name),
                            .kind = FSD_ATTR_UNREAD,
                            .value = FSD_NONE,
                            .form = FSD_NONE};

    switch ((int)(a->type ? a->type : guess_type(a))) {
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT:
        attr.kind = FSD_ATTR_FLOAT;
        attr.f = (double)a->f;
        break;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT:
        attr.kind = FSD_ATTR_INT;
        attr.i = a->i;
        break;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING:
        if (!fsd_wire_dropped(&a->base, FIELD_STRING)) {
            attr.kind = FSD_ATTR_STRING;
            attr.s = text_of(g, a->s);
        }
        break;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR:
        if (a->t)
            set_tensor(&attr, fsd_onnx_tensor(g, a->t, attr.name));
        break;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__SPARSE_TENSOR:
        if (a->sparse_tensor)
            set_tensor(&attr, fsd_onnx_sparse(g, a->sparse_tensor, attr.name));
        break;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS:
        read_list(g, &attr, a, FIELD_FLOATS);
        break;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS:
        read_list(g, &attr, a, FIELD_INTS);
        break;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS:
        read_list(g, &attr, a, FIELD_STRINGS);
        break;
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH:
    case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPHS:
        attr.kind = FSD_ATTR_GRAPH;
        break;
    default: /* a type of attribute that the program does not need */
        break;
    }
    return attr;
}

/* ------------------------------------------------------------------- Constant */

/* Returns the constant that a list or scalar attribute states.  A scalar has one
 * element and a form without dimensions.  The bits stay in the arena; they are few,
 * because a large list is FSD_ATTR_UNREAD. */
static struct fsd_onnx_const constant_of(struct fsd_graph *g,
                                         const struct fsd_attr *attr)
{
    bool list = attr->kind == FSD_ATTR_FLOATS || attr->kind == FSD_ATTR_INTS ||
                attr->kind == FSD_ATTR_STRINGS;
    bool floats = attr->kind == FSD_ATTR_FLOATS || attr->kind == FSD_ATTR_FLOAT;
    bool texts = attr->kind == FSD_ATTR_STRINGS || attr->kind == FSD_ATTR_STRING;
    uint32_t n = list ? attr->list.n : 1, at = attr->list.at;
    enum fsd_dtype type = texts ? FSD_STRING : floats ? FSD_FP32 : FSD_INT64;
    struct fsd_form scalar = {.type = type, .ranked = true};
    uint64_t *bits, bytes = 0;
    struct fsd_onnx_const out = {attr->form, attr->value};

    if (attr->kind == FSD_ATTR_TENSOR || attr->kind == FSD_ATTR_UNREAD ||
        attr->kind == FSD_ATTR_GRAPH)
        return out;
    out.form = list ? form_of_list(g, type, n) : fsd_graph_add_form(g, scalar, NULL, 0);
    if (texts) {
        for (uint32_t i = 0; i < n; i++)
            bytes += fsd_text_len(g->names, list ? g->links.at[at + i] : attr->s);
        out.value = fsd_graph_add_value(g, (struct fsd_value){.size = bytes});
        return out;
    }
    bits = FSD_NEW(g->arena, uint64_t, n);
    for (uint32_t i = 0; i < n; i++) {
        float single = (float)(list && floats ? g->floats.at[at + i] : attr->f);
        uint32_t word;

        memcpy(&word, &single, sizeof word);
        bits[i] = floats ? word : (uint64_t)(list ? g->ints.at[at + i] : attr->i);
    }
    out.value = fsd_onnx_value(g, bits, n, floats ? 4 : 8);
    return out;
}

struct fsd_onnx_const fsd_onnx_constant(struct fsd_graph *g, struct fsd_span attrs)
{
    static const char *const names[] = {"value",        "sparse_value", "value_float",
                                        "value_floats", "value_int",    "value_ints",
                                        "value_string", "value_strings"};

    for (uint32_t i = 0; i < attrs.n; i++) {
        struct fsd_attr attr = g->attrs.at[attrs.at + i];

        for (size_t k = 0; k < FSD_COUNT_OF(names); k++)
            if (!strcmp(fsd_text(g->names, attr.name), names[k]))
                return constant_of(g, &attr);
    }
    return (struct fsd_onnx_const){FSD_NONE, FSD_NONE};
}
