/*
 * Finds the origin of a node in the source code.  PyTorch's exporter writes the origin
 * into the metadata of the node; the name of the node does not contain its module:
 *
 *     NodeProto "node_linear_3"
 *       metadata_props
 *         pkg.torch.onnx.name_scopes      "['', 'model', 'model.layers.0', 'linear_3']"
 *                                                         `--- its module
 *         pkg.torch.onnx.class_hierarchy  "['m.Llama', 'm.Model', 'm.Layer', 'linear']"
 *                                                                 `--- of this class
 *         pkg.torch.onnx.stack_trace      'File "a/model.py", line 7, in forward
 *                                              x = self.up(x)'
 *                                          `--- where it is written: the last frame
 *                                               that is not PyTorch's own
 *
 * This metadata is several times as large as the graph, and changes with every edit of
 * a script.  The functions here therefore read it directly from the file: protobuf-c
 * does not parse it, and it is not part of the hash that identifies the model.  The
 * filter (wire.h) has already checked the file.
 */
#include "model/graph/graph.h"
#include "model/onnx/parts.h"
#include "model/onnx/wire.h"

#include "base/base.h"

/* Removes the last entry from a list such as "['', 'model', 'linear_3']".  Returns
 * false if only the first entry is left, which is the model itself. */
static bool take_last(struct fsd_slice *list, struct fsd_slice *last)
{
    if (!fsd_slice_split_last(list, ", '", last))
        return false;
    fsd_slice_drop(last, "]");
    fsd_slice_drop(last, "'");
    return true;
}

/* Returns the line of the source from a stack trace, as "model.py, line 7: x =
 * self.up(x)"; 0 if there is no trace. */
static fsd_sym place_of(struct fsd_graph *g, struct fsd_arena *scratch,
                        struct fsd_slice trace)
{
    struct fsd_slice file = {"", 0}, line = {"", 0}, code = {"", 0}, frame, rest;

    while (fsd_slice_split_last(&trace, "File \"", &frame) &&
           fsd_slice_split_at(&frame, "\", line ", &rest)) {
        bool own = fsd_slice_find(frame, "/torch/nn/");

        if (own && line.n)
            continue;
        line = rest;
        file = frame;
        if (!own)
            break;
    }
    if (!line.n)
        return 0;
    rest = file;
    fsd_slice_split_last(&rest, "/", &file);
    if (fsd_slice_split_at(&line, "\n", &code))
        code = fsd_slice_trim(code);
    fsd_slice_split_at(&code, "\n", &rest);
    fsd_slice_split_at(&line, ",", &rest);
    return fsd_intern_str(g->names,
                          fsd_printed(scratch, "%.*s, line %.*s%s%.*s", (int)file.n,
                                      file.s, (int)line.n, line.s, code.n ? ": " : "",
                                      (int)code.n, code.s));
}

struct props {
    struct fsd_slice scopes, classes, trace;
    bool placed; /* the node states on which of several devices it runs */
};

/* The numbers of two fields of NodeProto.  The generated code lacks them, because they
 * would enlarge the struct of each node. */
enum { NODE_PROPS = 9, NODE_DEVICES = 10 };

/* The numbers of the other fields that are read. */
struct numbers {
    uint32_t graph, node, key, value;
};

static struct props read_props(const struct fsd_file *file, const struct numbers *is,
                               struct fsd_slice node)
{
    struct props props = {{"", 0}, {"", 0}, {"", 0}, false};
    struct fsd_wire_block prop, part;

    while (fsd_wire_take_of(file, &node, &prop)) {
        struct fsd_slice key = {"", 0}, value = {"", 0};

        props.placed |= prop.number == NODE_DEVICES;
        if (prop.number != NODE_PROPS)
            continue;
        while (fsd_wire_take_of(file, &prop.bytes, &part))
            if (part.number == is->key || part.number == is->value)
                *(part.number == is->key ? &key : &value) =
                    fsd_wire_read(file, part.bytes);
        if (fsd_slice_is(key, "pkg.torch.onnx.name_scopes"))
            props.scopes = value;
        else if (fsd_slice_is(key, "pkg.torch.onnx.class_hierarchy"))
            props.classes = value;
        else if (fsd_slice_is(key, "pkg.torch.onnx.stack_trace"))
            props.trace = value;
    }
    return props;
}

/* Sets the module of a node and the class of the module.  In each of the lists
 * props.scopes and props.classes, the last entry is the node itself, and the entry
 * before it is the innermost module that contains the node. */
static void name_module(struct fsd_graph *g, struct fsd_arena *scratch,
                        struct fsd_node *node, struct props props)
{
    struct fsd_slice path, class;
    fsd_sym innermost = 0;

    node->written = place_of(g, scratch, props.trace);
    if (!take_last(&props.scopes, &path))
        return;
    take_last(&props.classes, &class);
    while (take_last(&props.scopes, &path)) {
        bool known = take_last(&props.classes, &class);
        fsd_sym module = fsd_intern_slice(g->names, path);

        fsd_sym name = known ? fsd_intern_slice(g->names, class) : 0;

        if (!innermost) {
            node->module = innermost = module;
            node->module_class = name;
        }
        if (name)
            fsd_vec_push(g->arena, &g->classes, ((struct fsd_class){module, name}));
    }
}

uint32_t fsd_onnx_modules(struct fsd_graph *g, const struct fsd_file *file,
                          const struct fsd_wire *filtered)
{
    struct fsd_slice model = {(const char *)file->bytes, file->size};
    struct fsd_wire_walk walk = {file, 0};
    struct fsd_arena *scratch;
    const struct numbers is = {
        fsd_wire_number(&onnx__model_proto__descriptor, "graph"),
        fsd_wire_number(&onnx__graph_proto__descriptor, "node"),
        fsd_wire_number(&onnx__string_string_entry_proto__descriptor, "key"),
        fsd_wire_number(&onnx__string_string_entry_proto__descriptor, "value")};
    struct fsd_wire_block graph, node;
    uint32_t placed = 0;
    fsd_id id = 0;

    if (!(filtered->of_nodes >> NODE_PROPS & 1 ||
          filtered->of_nodes >> NODE_DEVICES & 1))
        return 0;
    scratch = fsd_arena_new();
    while (fsd_wire_walk(&walk, &model, &graph))
        while (graph.number == is.graph && fsd_wire_walk(&walk, &graph.bytes, &node))
            if (node.number == is.node && id < g->nodes.n) {
                struct props props = read_props(file, &is, node.bytes);

                name_module(g, scratch, &g->nodes.at[id], props);
                placed += props.placed;
                id++;
            }
    fsd_arena_free(scratch);
    return placed;
}
