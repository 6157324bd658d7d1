/*
 * Reads the bodies of a model.  A body is a graph, or the content of a model-local
 * function for one call.  A body is read in the following order, so that each name is
 * known when a node uses it, even if the nodes are not sorted:
 *
 *   - the constants and the inputs of the body
 *   - the outputs of all nodes
 *   - the outputs of the body, and the value infos
 *   - the nodes
 *   - the bodies of the nodes, each in the same order
 *
 * Nested bodies are read by recursion, at most BODY_DEPTH levels deep.
 */
#include "model/graph/graph.h"
#include "model/onnx/onnx.h"
#include "model/onnx/weights.h"
#include "model/onnx/parts.h"
#include "model/onnx/wire.h"
#include "base/base.h"
#include "model/ops/ops.h"

#include <assert.h>

enum {
    BODY_DEPTH = 256,      /* the maximum number of levels of nested bodies */
    NODE_LIMIT = 1 << 20,  /* the maximum number of nodes of a model, including the body
                              of each call of a function */
    NODE_FREE = 1 << 15,   /* even the smallest file may have this many nodes */
    NODE_BYTES = 32,       /* this many bytes of the file allow one further node.  This
                              limits the memory of a run, about 900 bytes per node */
    WORK_LIMIT = 64 << 20, /* the maximum number of entries of the graph's arrays,
                              approximately */
    WORK_FREE = 4 << 20,   /* even the smallest file may need this many entries */
    WORK_BYTE = 4,         /* each byte of the file allows this many further entries */
    ATTR_LIMIT = 256,      /* the maximum number of attributes of one node, because they
                              are searched linearly */
    MOST_TOLD = 8          /* the remark "input/multi-device" names at most this many
                              configurations */
};

struct loader {
    struct fsd_graph *g;
    const struct fsd_file *file;
    struct fsd_error *err;
    enum fsd_status status;
    struct fsd_onnx_names names;
    struct fsd_onnx_functions functions;
    uint64_t work;
};

/* The attributes of a node that calls a function.  `ref_attr_name` in the body of the
 * function refers to one of them. */
struct call {
    struct fsd_span attrs, defaults;
};

struct body {
    fsd_id scope;
    unsigned depth;
    const struct call *call; /* the call of the function that contains this body; NULL
                                in the main graph */
    Onnx__NodeProto **nodes;
    size_t n;
    fsd_id first_node, first_tensor;
};

/* The inputs or outputs of a body.  A graph states their types, a function only their
 * names. */
struct formals {
    Onnx__ValueInfoProto **infos; /* the declarations of a graph; NULL: `names` has the
                                     names of a function */
    char **names;
    size_t n;
};

static bool fail_limit(struct loader *l, uint64_t most, const char *of)
{
    l->status =
        fsd_fail(l->err, FSD_E_LIMIT, l->file->name, FSD_POS_NONE, 0,
                 "expected at most %llu %s, found more", (unsigned long long)most, of);
    return false;
}

static bool charge(struct loader *l, uint64_t words)
{
    uint64_t most = WORK_FREE + WORK_BYTE * l->file->size;

    if (most > WORK_LIMIT)
        most = WORK_LIMIT;
    l->work += words;
    return l->work <= most ||
           fail_limit(l, most,
                      "words of memory for the graph after all function calls are "
                      "expanded");
}

/* Returns the symbol of a name, and counts the bytes of the name as work, which is
 * limited.  The limit on nodes is not enough: if a function is called often and its
 * body has long names, the names take more time than the nodes. */
static fsd_sym sym_of(struct loader *l, const char *s)
{
    size_t n = s ? strlen(s) : 0;

    l->work += n / 8;
    return fsd_intern_add(l->g->names, s ? s : "", n);
}

/* -------------------------------------------------------------------- tensors */

/* Adds a tensor that a node outputs, or that is an input or a constant.  If the
 * graph already has a tensor with this name, the new tensor becomes unnamed. */
static fsd_id make_tensor(struct loader *l, fsd_sym name, fsd_id scope)
{
    if (name && fsd_onnx_names_own(&l->names, name, scope) != FSD_NONE) {
        fsd_onnx_remark(l->g, "input/duplicate-output", FSD_NONE, name);
        name = 0;
    }
    return fsd_onnx_names_add(&l->names, name, scope);
}

/* Returns the tensor that a node reads by this name.  If there is none, adds it, with a
 * remark that it has no producer. */
static fsd_id read_tensor(struct loader *l, fsd_sym name, fsd_id scope, fsd_id node)
{
    fsd_id id = fsd_onnx_names_find(&l->names, name, scope);

    if (id != FSD_NONE)
        return id;
    fsd_onnx_remark(l->g, "input/undefined-tensor", node, name);
    return fsd_onnx_names_add(&l->names, name, scope);
}

static void make_constant(struct loader *l, fsd_sym name, fsd_id scope,
                          struct fsd_onnx_const constant, unsigned flags)
{
    fsd_id id = make_tensor(l, name, scope);
    struct fsd_tensor *t = &l->g->tensors.at[id];

    t->form = constant.form;
    t->value = constant.value;
    t->flags = (uint8_t)flags;
}

static void read_constants(struct loader *l, const Onnx__GraphProto *graph,
                           fsd_id scope)
{
    for (size_t i = 0; i < graph->n_initializer; i++) {
        const Onnx__TensorProto *t = graph->initializer[i];
        fsd_sym name = sym_of(l, t->name);

        make_constant(l, name, scope, fsd_onnx_tensor(l->g, t, name),
                      FSD_TENSOR_CONSTANT);
    }
    for (size_t i = 0; i < graph->n_sparse_initializer; i++) {
        const Onnx__SparseTensorProto *t = graph->sparse_initializer[i];
        fsd_sym name = t->values ? sym_of(l, t->values->name) : 0;

        make_constant(l, name, scope, fsd_onnx_sparse(l->g, t, name),
                      FSD_TENSOR_CONSTANT | FSD_TENSOR_SPARSE);
    }
}

static void take_form(struct loader *l, fsd_id tensor, const Onnx__ValueInfoProto *info)
{
    struct fsd_graph *g = l->g;

    if (g->tensors.at[tensor].form == FSD_NONE)
        g->tensors.at[tensor].form =
            fsd_onnx_form(g, info->type, g->tensors.at[tensor].name);
    if (g->tensors.at[tensor].item == FSD_NONE)
        g->tensors.at[tensor].item =
            fsd_onnx_item(g, info->type, g->tensors.at[tensor].name);
}

/* Reads an input of a body.  An input with an initializer is a constant. */
static fsd_id read_input(struct loader *l, fsd_sym name, fsd_id scope)
{
    fsd_id id = name ? fsd_onnx_names_own(&l->names, name, scope) : FSD_NONE;

    if (fsd_tensor_is(l->g, id, FSD_TENSOR_CONSTANT))
        return id;
    id = make_tensor(l, name, scope);
    l->g->tensors.at[id].flags = FSD_TENSOR_INPUT;
    return id;
}

static void read_formals(struct loader *l, const struct formals *f, fsd_id scope,
                         bool outputs)
{
    struct fsd_graph *g = l->g;
    struct fsd_span span = {g->links.n, 0};

    for (size_t i = 0; i < f->n; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): one of both is set */
        fsd_sym name = sym_of(l, f->infos ? f->infos[i]->name : f->names[i]);
        fsd_id id = outputs ? read_tensor(l, name, scope, FSD_NONE)
                            : read_input(l, name, scope);
        struct fsd_tensor *t = &g->tensors.at[id];

        /* A body may output a tensor of an enclosing graph.  That tensor does not
         * become an output of the enclosing graph.  The main graph does not list an
         * input that has an initializer. */
        if (outputs && t->scope == scope)
            t->flags |= FSD_TENSOR_OUTPUT;
        if (outputs || scope || t->flags & FSD_TENSOR_INPUT)
            fsd_vec_push(g->arena, &g->links, id);
        if (f->infos)
            take_form(l, id, f->infos[i]);
    }
    span.n = g->links.n - span.at;
    if (outputs)
        g->scopes.at[scope].outputs = span;
    else
        g->scopes.at[scope].inputs = span;
}

/* ----------------------------------------------------------------------- nodes */

/* Adds the outputs of all nodes as consecutive ports. */
static bool declare_outputs(struct loader *l, const struct body *b)
{
    struct fsd_graph *g = l->g;

    for (size_t i = 0; i < b->n; i++) {
        const Onnx__NodeProto *p = b->nodes[i];

        if (!charge(l, 16 + 12 * p->n_output + p->n_input))
            return false;
        for (size_t k = 0; k < p->n_output; k++) {
            fsd_sym name = sym_of(l, p->output[k]);
            struct fsd_port port = {FSD_NONE, FSD_NONE};

            if (name)
                port.tensor = make_tensor(l, name, b->scope);
            fsd_vec_push(g->arena, &g->ports, port);
        }
    }
    return true;
}

static const struct fsd_attr *find_attr(const struct fsd_graph *g,
                                        struct fsd_span attrs, fsd_sym name)
{
    for (uint32_t i = 0; i < attrs.n; i++)
        if (g->attrs.at[attrs.at + i].name == name)
            return &g->attrs.at[attrs.at + i];
    return NULL;
}

/* Returns the attribute to which `ref_attr_name` refers: from the node that calls the
 * function, or else the default of the function; NULL if there is none. */
static const struct fsd_attr *referred(const struct loader *l, const struct call *call,
                                       fsd_sym name)
{
    const struct fsd_attr *found = call ? find_attr(l->g, call->attrs, name) : NULL;

    return found || !call ? found : find_attr(l->g, call->defaults, name);
}

static bool read_attrs(struct loader *l, const struct body *b, const Onnx__NodeProto *p,
                       struct fsd_node *node)
{
    struct fsd_graph *g = l->g;

    if (p->n_attribute > ATTR_LIMIT)
        return fail_limit(l, 256, "attributes of one node");
    node->attrs.at = g->attrs.n;
    for (size_t i = 0; i < p->n_attribute; i++) {
        const Onnx__AttributeProto *a = p->attribute[i];
        const struct fsd_attr *given = NULL;
        struct fsd_attr attr;
        const struct fsd_value *value;

        if (a->ref_attr_name && *a->ref_attr_name) {
            given = referred(l, b->call, sym_of(l, a->ref_attr_name));
            if (!given)
                continue;
            attr = *given;
            attr.name = sym_of(l, a->name);
            if (attr.kind == FSD_ATTR_GRAPH) /* a graph of the calling node is a body of
                                                that node, and not of this node */
                attr.kind = FSD_ATTR_UNREAD;
        } else {
            attr = fsd_onnx_attr(g, a);
        }
        fsd_vec_push(g->arena, &g->attrs, attr);
        value = fsd_graph_value(g, attr.value);
        if (!charge(l,
                    12 + attr.list.n + (value && value->bytes ? value->size / 8 : 0)))
            return false;
    }
    node->attrs.n = g->attrs.n - node->attrs.at;
    return true;
}

static bool read_nodes(struct loader *l, struct body *b, uint32_t outputs_at)
{
    struct fsd_graph *g = l->g;
    uint64_t most = NODE_FREE + l->file->size / NODE_BYTES;

    b->first_node = g->nodes.n;
    if (most > NODE_LIMIT)
        most = NODE_LIMIT;
    if (g->nodes.n + b->n > most)
        return fail_limit(l, most, "nodes after all function calls are expanded");
    for (size_t i = 0; i < b->n; i++) {
        const Onnx__NodeProto *p = b->nodes[i];
        struct fsd_node node = {.name = sym_of(l, p->name),
                                .op = sym_of(l, p->op_type),
                                .domain = sym_of(l, p->domain),
                                .scope = b->scope,
                                .where = (uint32_t)i,
                                .in = {g->ports.n, (uint32_t)p->n_input},
                                .out = {outputs_at, (uint32_t)p->n_output}};
        fsd_id id, out;

        outputs_at += node.out.n;
        if (fsd_onnx_function_find(&l->functions, g, p))
            node.flags = FSD_NODE_CALL;
        for (size_t k = 0; k < p->n_input; k++) {
            fsd_sym name = sym_of(l, p->input[k]);
            struct fsd_port port = {FSD_NONE, FSD_NONE};

            if (name)
                port.tensor = read_tensor(l, name, b->scope, g->nodes.n);
            fsd_vec_push(g->arena, &g->ports, port);
        }
        if (!read_attrs(l, b, p, &node))
            return false;
        id = fsd_graph_add_node(g, node);
        out = fsd_node_out_tensor(g, id, 0);
        if (out != FSD_NONE && !node.flags && fsd_node_is(g, id, FSD_ONNX_Constant)) {
            struct fsd_onnx_const made = fsd_onnx_constant(g, node.attrs);

            g->tensors.at[out].value = made.value;
            g->tensors.at[out].form = fsd_id_or(made.form, g->tensors.at[out].form);
        }
    }
    return true;
}

/* ---------------------------------------------------------------------- bodies */

static bool read_body(struct loader *l, struct body *b, const Onnx__GraphProto *graph,
                      const Onnx__FunctionProto *f);
static bool read_call(struct loader *l, struct fsd_onnx_function *f, fsd_id owner,
                      const struct body *outer);

/* Opens the scope of a body that belongs to the node `owner` in the body `outer`. */
static bool open_scope(struct loader *l, struct body *b, enum fsd_scope_kind kind,
                       fsd_id owner, fsd_sym label, const struct body *outer)
{
    if (outer->depth + 1 >= BODY_DEPTH)
        return fail_limit(l, BODY_DEPTH,
                          "levels of nested subgraphs and function calls");
    if (!charge(l, 16))
        return false;
    b->depth = outer->depth + 1;
    b->scope = fsd_graph_add_scope(l->g, (struct fsd_scope){.kind = kind,
                                                            .parent = outer->scope,
                                                            .owner = owner,
                                                            .label = label});
    fsd_onnx_names_open(&l->names, b->scope);
    b->first_tensor = l->g->tensors.n;
    return true;
}

static bool read_subgraph(struct loader *l, const Onnx__GraphProto *graph,
                          const char *label, fsd_id owner, const struct body *outer)
{
    struct body b = {.call = outer->call};

    return open_scope(l, &b, FSD_SCOPE_SUBGRAPH, owner, sym_of(l, label), outer) &&
           read_body(l, &b, graph, NULL);
}

static bool read_inner_bodies(struct loader *l, const struct body *b)
{
    fsd_id last_tensor = l->g->tensors.n;

    for (size_t i = 0; i < b->n; i++) {
        const Onnx__NodeProto *p = b->nodes[i];
        fsd_id owner = b->first_node + (fsd_id)i;

        for (size_t k = 0; k < p->n_attribute; k++) {
            const Onnx__AttributeProto *a = p->attribute[k];

            if (a->g && !read_subgraph(l, a->g, a->name, owner, b))
                return false;
            for (size_t j = 0; j < a->n_graphs; j++)
                if (!read_subgraph(l, a->graphs[j], a->name, owner, b))
                    return false;
        }
        if (l->g->nodes.at[owner].flags & FSD_NODE_CALL &&
            !read_call(l, fsd_onnx_function_find(&l->functions, l->g, p), owner, b))
            return false;
    }
    fsd_onnx_names_close(&l->names, b->first_tensor, last_tensor);
    return true;
}

/* Reads the body of a graph or, if `graph` is NULL, of a function. */
static bool read_body(struct loader *l, struct body *b, const Onnx__GraphProto *graph,
                      const Onnx__FunctionProto *f)
{
    assert(graph || f);
    struct formals in = {NULL, NULL, graph ? graph->n_input : f->n_input};
    struct formals out = {NULL, NULL, graph ? graph->n_output : f->n_output};
    Onnx__ValueInfoProto **infos = graph ? graph->value_info : f->value_info;
    size_t n_infos = graph ? graph->n_value_info : f->n_value_info;
    size_t constants = graph ? graph->n_initializer + graph->n_sparse_initializer : 0;
    uint32_t outputs_at = l->g->ports.n;

    if (!charge(l, 12 * (in.n + out.n + constants + n_infos)))
        return false;
    b->nodes = graph ? graph->node : f->node;
    b->n = graph ? graph->n_node : f->n_node;
    if (graph) {
        in.infos = graph->input;
        out.infos = graph->output;
        read_constants(l, graph, b->scope);
    } else {
        in.names = f->input;
        out.names = f->output;
    }
    read_formals(l, &in, b->scope, false);
    if (!declare_outputs(l, b))
        return false;
    read_formals(l, &out, b->scope, true);
    for (size_t i = 0; i < n_infos; i++) {
        fsd_id id = fsd_onnx_names_own(&l->names, sym_of(l, infos[i]->name), b->scope);

        if (id != FSD_NONE)
            take_form(l, id, infos[i]);
    }
    return read_nodes(l, b, outputs_at) && read_inner_bodies(l, b);
}

static bool read_call(struct loader *l, struct fsd_onnx_function *f, fsd_id owner,
                      const struct body *outer)
{
    struct call call = {l->g->nodes.at[owner].attrs, f->defaults};
    struct body b = {.call = &call};
    bool done;

    if (f->open) {
        l->status = fsd_fail(
            l->err, FSD_E_LIMIT, l->file->name, FSD_POS_NONE, 0,
            "expected functions without recursion, found that %.200s calls itself",
            fsd_text(l->g->names, f->name));
        return false;
    }
    if (f->defaults.n > ATTR_LIMIT)
        return fail_limit(l, 256, "attributes of one function");
    f->open = true;
    done = open_scope(l, &b, FSD_SCOPE_FUNCTION, owner, f->name, outer) &&
           read_body(l, &b, NULL, f->proto);
    f->open = false;
    return done;
}

/* ----------------------------------------------------------------------- model */

/* Adds a remark if the model uses an opset that is newer than FSD_OPSET_KNOWN: its
 * operators may differ from known ones with the same name. */
static void remark_newer(struct fsd_graph *g, const Onnx__OperatorSetIdProto *set)
{
    const char *text;

    if (!fsd_is_onnx_domain(set->domain ? set->domain : "") ||
        set->version <= FSD_OPSET_KNOWN)
        return;
    text = fsd_printed(
        g->arena,
        "the model uses operator set %lld; the newest that fusiondiff knows "
        "is %d",
        (long long)set->version, FSD_OPSET_KNOWN);
    fsd_onnx_remark(g, "input/newer-opset", FSD_NONE, fsd_intern_str(g->names, text));
}

static void read_header(struct fsd_graph *g, const Onnx__ModelProto *model)
{
    const char *name = model->producer_name ? model->producer_name : "";
    const char *version = model->producer_version ? model->producer_version : "";
    const char *space = *name && *version ? " " : "";

    g->producer =
        fsd_intern_str(g->names, fsd_printed(g->arena, "%s%s%s", name, space, version));
    g->ir_version = model->ir_version;
    for (size_t i = 0; i < model->n_opset_import; i++) {
        const Onnx__OperatorSetIdProto *set = model->opset_import[i];

        fsd_vec_push(
            g->arena, &g->opsets,
            (struct fsd_opset){fsd_intern_str(g->names, set->domain), set->version});
        remark_newer(g, set);
    }
    /* Exporters write the imports last, so they may be missing in a truncated file that
     * is readable otherwise. */
    if (!g->opsets.n && g->ir_version >= 3)
        fsd_onnx_remark(
            g, "input/no-opset", FSD_NONE,
            fsd_intern_str(g->names, "the file states no operator set; the file may be "
                                     "truncated"));
}

/* Adds a remark if the model states how its nodes are distributed over devices: by
 * device configurations, or by nodes that refer to them.  The program compares the
 * model with an engine for one device, and ignores the distribution. */
static void remark_devices(struct fsd_graph *g, const Onnx__ModelProto *model,
                           uint32_t placed)
{
    const char *text;

    if (!model->n_configuration && !placed)
        return;
    text =
        fsd_printed(g->arena, "the model has %zu configuration%s for several devices",
                    model->n_configuration, model->n_configuration == 1 ? "" : "s");
    for (size_t i = 0; i < model->n_configuration && i < MOST_TOLD; i++) {
        const char *name = model->configuration[i]->name;

        text = fsd_printed(g->arena, "%s%s %s (devices: %d)", text, i ? "," : ":",
                           name ? name : "", model->configuration[i]->num_devices);
    }
    fsd_onnx_remark(
        g, "input/multi-device", FSD_NONE,
        fsd_intern_str(g->names,
                       fsd_printed(g->arena,
                                   "%s; the model assigns %u node%s to these devices, "
                                   "but the report describes a single device",
                                   text, placed, fsd_plural(placed))));
}

static enum fsd_status read_model(struct fsd_graph *g, const struct fsd_file *file,
                                  const Onnx__ModelProto *model, struct fsd_error *err)
{
    struct loader l = {.g = g, .file = file, .err = err, .names = {.g = g}};
    struct body main = {.scope = 0};

    read_header(g, model);
    l.functions = fsd_onnx_functions_new(g, model);
    fsd_onnx_names_open(&l.names, 0);
    if (!read_body(&l, &main, model->graph, NULL))
        return l.status;
    fsd_onnx_infer(g);
    fsd_graph_finish(g);
    return FSD_OK;
}

/* protobuf-c allocates in an arena, which frees all messages together.  Without the
 * arena, protobuf-c would free each string separately. */
/* Allocates memory for protobuf-c.  The memory need not be zeroed, because protobuf-c
 * sets all bytes. */
static void *unpack_alloc(void *arena, size_t n)
{
    return fsd_arena_grow(arena, NULL, 0, n);
}

static void unpack_free(void *arena, void *at)
{
    (void)arena;
    (void)at;
}

enum fsd_status fsd_onnx_load(struct fsd_graph *g, const struct fsd_file *file,
                              struct fsd_error *err)
{
    struct fsd_arena *scratch = fsd_arena_new(), *unpacked = fsd_arena_new();
    ProtobufCAllocator allocator = {unpack_alloc, unpack_free, unpacked};
    Onnx__ModelProto *model = NULL;
    struct fsd_wire wire;
    enum fsd_status status, known;

    g->kind = "onnx";
    g->path = fsd_arena_strndup(g->arena, file->name, strlen(file->name));
    status = fsd_wire_filter(&wire, scratch, file, &onnx__model_proto__descriptor, err);
    if (status == FSD_OK) {
        fsd_hash_128(wire.bytes, wire.size, g->hash);
        if (!fsd_weights_note(g, scratch, file, &wire))
            status = fsd_fail_memory(err, file->name);
    }
    if (status == FSD_OK) {
        model = onnx__model_proto__unpack(&allocator, wire.size, wire.bytes);
        if (!model)
            status = fsd_fail_memory(err, file->name);
    }
    fsd_arena_free(scratch);
    if (model && model->graph && (model->graph->n_node || model->graph->n_output)) {
        status = read_model(g, file, model, err);
        if (status == FSD_OK)
            remark_devices(g, model, fsd_onnx_modules(g, file, &wire));
    } else if (model || status == FSD_E_FORMAT) {
        /* The bytes are no protobuf message, or the message has no nodes and no
         * outputs.  Most short files of other types reach this branch. */
        known = fsd_onnx_sniff(file, err);
        if (known)
            status = known;
        else if (model)
            status = fsd_fail(err, FSD_E_FORMAT, file->name, FSD_POS_NONE, 0,
                              "expected an ONNX model, found none: %s",
                              model->graph ? "the graph has no nodes and no outputs"
                                           : "the file has no graph");
    }
    fsd_arena_free(unpacked);
    return status;
}
