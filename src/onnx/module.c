/*
 * The module that a node comes from, as exporters from PyTorch's graphs write it beside
 * the node, whose own name then tells nothing:
 *
 *     NodeProto "node_linear_3"
 *       metadata_props  pkg.torch.onnx.name_scopes
 *                       "['', 'model', 'model.layers.0', 'linear_3']"
 *                                        `--- its module
 *
 * What stands there besides (traces of the stack, mostly) is several times the graph,
 * and changes with every edit of a script: it is no part of what a model is, so it is
 * looked at here and neither unpacked nor hashed.  The filter has found the file to be
 * whole before.
 */
#include "onnx/parts.h"

#include "base/slice.h"

#include <string.h>

enum { MODEL_GRAPH = 7, GRAPH_NODE = 1, NODE_PROPS = 9, PROP_KEY = 1, PROP_VALUE = 2 };

struct field {
    uint32_t number;
    struct fsd_slice bytes; /* of a block; empty for numbers */
};

static bool take_varint(struct fsd_slice *t, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < 10 && t->n; i++) {
        unsigned char c = (unsigned char)*t->s;

        *t = fsd_slice_from(*t, 1);
        *value |= (uint64_t)(c & 0x7f) << 7 * i;
        if (c < 0x80)
            return true;
    }
    return false;
}

static bool take_field(struct fsd_slice *t, struct field *field)
{
    uint64_t tag, n = 0;

    if (!t->n || !take_varint(t, &tag))
        return false;
    *field = (struct field){(uint32_t)(tag >> 3), {t->s, 0}};
    if ((tag & 7) == 0)
        return take_varint(t, &n);
    if ((tag & 7) == 2 && (!take_varint(t, &n) || n > t->n))
        return false;
    n = (tag & 7) == 1 ? 8 : (tag & 7) == 5 ? 4 : n;
    if (n > t->n)
        return false;
    field->bytes = (struct fsd_slice){t->s, (size_t)n};
    *t = fsd_slice_from(*t, (size_t)n);
    return true;
}

/* "['', 'model', 'model.layers.0', 'linear_3']": the last but one. */
static struct fsd_slice module_of(struct fsd_slice list)
{
    struct fsd_slice last, rest = list;

    if (!fsd_slice_split_last(&rest, ", '", &last))
        return (struct fsd_slice){"", 0};
    if (!fsd_slice_split_last(&rest, ", '", &last))
        last = (struct fsd_slice){"", 0}; /* the first is the model itself */
    fsd_slice_drop(&last, "'");
    return last;
}

static struct fsd_slice scopes_of(struct fsd_slice node)
{
    struct field prop, part;

    while (take_field(&node, &prop)) {
        struct fsd_slice key = {"", 0}, value = {"", 0};

        if (prop.number != NODE_PROPS)
            continue;
        while (take_field(&prop.bytes, &part))
            *(part.number == PROP_KEY ? &key : &value) = part.bytes;
        if (fsd_slice_is(key, "pkg.torch.onnx.name_scopes"))
            return value;
    }
    return (struct fsd_slice){"", 0};
}

void fsd_onnx_modules(struct fsd_graph *g, const struct fsd_file *file)
{
    struct fsd_slice model = {(const char *)file->bytes, file->size};
    struct field graph, node;
    fsd_id id = 0;

    while (take_field(&model, &graph))
        while (graph.number == MODEL_GRAPH && take_field(&graph.bytes, &node))
            if (node.number == GRAPH_NODE && id < g->nodes.n) {
                struct fsd_slice module = module_of(scopes_of(node.bytes));

                g->nodes.at[id++].module = fsd_intern_slice(g->names, module);
            }
}
