/*
 * Builds a graph from the lines that the parser prints for each node, in the order of
 * the nodes:
 *
 *     Parsing node: NAME [Op]
 *     NAME [Op] inputs: [t -> (1, 8)[FLOAT]], [optional input, not set],
 *     NAME [Op] outputs: [u -> (1, 8)[FLOAT]],
 *
 * The parser prints the nodes of a body between the inputs and the outputs of the node
 * that owns the body (body.c).  It does not print attributes, values, or the inputs and
 * outputs of the body itself.  So the program can prove less with this graph than with
 * the model itself.
 */
#include "model/graph/graph.h"
#include "read/log/log.h"

#include "base/base.h"

enum { MOST_DIMS = 64, MOST_LINE = 4000 };

struct net {
    struct fsd_graph *g;
    struct fsd_log_stack open;
    struct fsd_log_bodies bodies;
    uint32_t parsed;
    bool marked; /* the parser's lines marked the network's outputs */
    uint64_t line;
};

/* ---------------------------------------------------------------------- tensors */

static fsd_id tensor(struct net *net, struct fsd_slice name, fsd_id scope)
{
    fsd_sym s = fsd_intern_slice(net->g->names, name);
    fsd_id t = fsd_graph_find(net->g, s, scope);

    return t == FSD_NONE ? fsd_graph_add_tensor(net->g, s, scope) : t;
}

static void flag(struct net *net, struct fsd_slice name, fsd_id scope, uint8_t flags)
{
    fsd_id t = tensor(net, name, scope); /* this call may move g->tensors, so it
                                            comes first */

    net->g->tensors.at[t].flags |= flags;
}

struct sizes {
    struct fsd_dim at[MOST_DIMS];
    uint32_t n;
    bool too_many, too_large; /* `too_many`: the tensor has more than MOST_DIMS
                                 dimensions; `too_large`: a size exceeds FSD_DIM_MAX and
                                 counts as unknown */
};

/* Reads the sizes of a shape: "1, 64, -1". */
static void read_sizes(struct fsd_slice t, struct sizes *out)
{
    out->n = 0;
    out->too_large = false;
    while (t.n && out->n < MOST_DIMS) {
        uint64_t size;
        bool known = fsd_slice_take_number(&t, FSD_DIM_MAX + 1, &size);
        const char *comma;

        /* Any other text is a dynamic size: "-1", "?". */
        out->too_large |= size > FSD_DIM_MAX;
        out->at[out->n++].size = known && size <= FSD_DIM_MAX ? (int64_t)size : -1;
        comma = memchr(t.s, ',', t.n);
        t = fsd_slice_from(t, comma ? (size_t)(comma - t.s) : t.n);
        fsd_slice_take(&t, ",");
        fsd_slice_take(&t, " ");
    }
    out->too_many = t.n != 0;
}

/* Sets the form of a tensor.
 * @param dims  the text in the brackets; its `s` is NULL if the brackets are
 *         incomplete */
static void set_form(struct net *net, fsd_id t, struct fsd_slice dims,
                     struct fsd_slice type)
{
    struct fsd_graph *g = net->g;
    struct fsd_form form = {.type = fsd_dtype_read(type.s, type.n)};
    struct sizes sizes = {0};

    if (g->tensors.at[t].form != FSD_NONE)
        return;
    read_sizes(dims, &sizes);
    form.ranked = dims.s && !sizes.too_many;
    g->tensors.at[t].form =
        fsd_graph_add_form(g, form, sizes.at, form.ranked ? sizes.n : 0);
    if (sizes.too_many || sizes.too_large)
        fsd_vec_push(g->arena, &g->remarks,
                     (struct fsd_remark){"input/bad-dim", FSD_NONE, FSD_NONE,
                                         g->tensors.at[t].name});
}

/* Reads a tensor: "name -> (1, 8)[FLOAT]". */
static fsd_id read_tensor(struct net *net, struct fsd_slice item, fsd_id scope,
                          bool made)
{
    const char *arrow = fsd_slice_find_last(item, " -> (");
    struct fsd_slice name = item, dims = {NULL, 0}, type = {"", 0};
    const char *close;
    fsd_id t;

    if (!arrow)
        return FSD_NONE;
    name.n = (size_t)(arrow - item.s);
    close = memchr(arrow, ')', item.n - name.n);
    if (close) {
        type = (struct fsd_slice){close + 1, (size_t)(item.s + item.n - close) - 1};
        dims = (struct fsd_slice){arrow + 5, (size_t)(close - arrow) - 5};
    }
    fsd_slice_take(&type, "[");
    fsd_slice_drop(&type, "]");
    t = made ? FSD_NONE
             : fsd_graph_resolve(net->g, fsd_intern_slice(net->g->names, name), scope);
    if (t == FSD_NONE) {
        t = tensor(net, name, scope);
        /* The parser does not print the inputs of a body, so a tensor without a
         * producer counts as an input of the body. */
        if (!made && scope)
            net->g->tensors.at[t].flags |= FSD_TENSOR_INPUT;
    }
    set_form(net, t, dims, type);
    return t;
}

/* Returns the offset of the ']' that ends the first item of t; t.n if there is none.
 * After this bracket, t ends or continues with ", ".  The ']' of a type such as
 * "[FLOAT]" is followed by another ']'. */
static size_t item_end(struct fsd_slice t)
{
    for (size_t i = 0; i < t.n; i++)
        if (t.s[i] == ']' && (i + 1 == t.n || t.s[i + 1] == ',') &&
            (i + 2 >= t.n || t.s[i + 2] == ' ' || t.s[i + 2] == '\r'))
            return i;
    return t.n;
}

/* Adds the ports of a list of tensors: "[a -> ...], [b -> ...], ". */
static struct fsd_span read_ports(struct net *net, struct fsd_slice t, fsd_id scope,
                                  bool made)
{
    struct fsd_span ports = {net->g->ports.n, 0};

    fsd_slice_skip(&t, " ");
    while (fsd_slice_take(&t, "[")) {
        struct fsd_slice item = {t.s, item_end(t)};

        fsd_vec_push(net->g->arena, &net->g->ports,
                     (struct fsd_port){read_tensor(net, item, scope, made), FSD_NONE});
        ports.n++;
        t = fsd_slice_from(t, item.n);
        fsd_slice_take(&t, "]");
        fsd_slice_take(&t, ",");
        fsd_slice_skip(&t, " ");
    }
    return ports;
}

/* ------------------------------------------------------------------------ lines */

/* Returns the scope of the parsed node with the number `parsed`; 0 for a node of the
 * main graph.  If the node is in a body without a scope, adds the scope.  The node that
 * owns the body must already be in the graph. */
static fsd_id scope_of(struct net *net, uint32_t parsed)
{
    fsd_id owner = net->bodies.owner[parsed];
    fsd_id *scope = owner == FSD_NONE ? NULL : &net->bodies.scope[owner];

    if (!scope)
        return 0;
    if (!*scope)
        *scope = fsd_graph_add_scope(
            net->g, (struct fsd_scope){.kind = FSD_SCOPE_SUBGRAPH,
                                       .parent = net->g->nodes.at[owner].scope,
                                       .owner = owner,
                                       .label = fsd_intern_str(net->g->names, "body")});
    return *scope;
}

static void open_node(struct net *net, struct fsd_slice head)
{
    struct fsd_slice name = head, op = {"", 0};
    const char *at = fsd_slice_find_last(head, " [");
    struct fsd_node node = {.where = (uint32_t)net->line};

    if (at && head.s[head.n - 1] == ']') {
        name.n = (size_t)(at - head.s);
        op = (struct fsd_slice){at + 2, head.n - name.n - 3};
    }
    node.name = fsd_intern_slice(net->g->names, name);
    node.op = fsd_intern_slice(net->g->names, op);
    node.scope = scope_of(net, net->parsed++);
    fsd_log_open(&net->open, head, fsd_graph_add_node(net->g, node));
}

/* Adds an unknown output, for a node whose outputs are not printed. */
static struct fsd_span unknown_output(struct net *net, fsd_id scope)
{
    fsd_id t = fsd_graph_add_tensor(net->g, 0, scope);
    struct fsd_span out = {net->g->ports.n, 1};

    net->g->tensors.at[t].flags |= FSD_TENSOR_OUTPUT;
    fsd_vec_push(net->g->arena, &net->g->ports, (struct fsd_port){t, FSD_NONE});
    return out;
}

/* Reads the inputs or outputs of a node: "NAME [Op] inputs: ...". */
static void read_uses(struct net *net, struct fsd_slice t)
{
    const struct fsd_log_open *open = fsd_log_opened(&net->open, t);
    struct fsd_slice rest;
    struct fsd_span ports;
    bool any = false;
    fsd_id scope;

    if (!open)
        return;
    rest = fsd_slice_from(t, open->head.n);
    scope = net->g->nodes.at[open->node].scope;
    if (fsd_slice_take(&rest, " inputs:")) {
        ports = read_ports(net, rest, scope, false);
        net->g->nodes.at[open->node].in = ports;
    } else if (fsd_log_close(&net->open, open, t)) {
        fsd_slice_take(&rest, " outputs:");
        ports = read_ports(net, rest, scope, true);
        FSD_EACH_OF (tensor, net->g->ports, ports, tensor)
            any |= tensor != FSD_NONE;
        ports = any ? ports : unknown_output(net, scope);
        net->g->nodes.at[open->node].out = ports;
    }
}

/* Reads an input of the network: "x with dtype: float32, dimensions: (-1, 1, 28,
 * 28)". */
static void read_input(struct net *net, struct fsd_slice t)
{
    const char *with = fsd_slice_find_last(t, " with dtype: ");
    struct fsd_slice name = t, type = {"", 0}, dims = {NULL, 0};
    const char *at;
    fsd_id id;

    if (with) {
        name.n = (size_t)(with - t.s);
        type = (struct fsd_slice){with + 13, t.n - name.n - 13};
        at = fsd_slice_find(type, ", dimensions: (");
        if (at) {
            if (type.s[type.n - 1] == ')')
                dims = (struct fsd_slice){at + 15, (size_t)(type.s + type.n - at) - 16};
            type.n = (size_t)(at - type.s);
        }
    }
    id = tensor(net, name, 0);
    net->g->tensors.at[id].flags |= FSD_TENSOR_INPUT;
    if (with)
        set_form(net, id, dims, type);
}

static void read_opset(struct net *net, struct fsd_slice t)
{
    uint64_t version;

    t = fsd_slice_trim(t);
    if (!fsd_slice_take_number(&t, FSD_DIM_MAX, &version) || !version)
        return;
    if (net->g->opsets.n) /* an earlier line of the log stated an opset, too */
        net->g->opsets.at[0].version = (int64_t)version;
    else
        fsd_vec_push(net->g->arena, &net->g->opsets,
                     (struct fsd_opset){0, (int64_t)version});
}

/* Reads a line of the builder's list of layers, such as "IDENTITY (Unnamed Layer* 0)
 * [Identity]".  This list is used only if the parser printed no lines for the network.
 * The line states no tensors, so the node gets one output.  The name of the output is
 * the layer's name, followed by "_output", as TensorRT names an unnamed output. */
static void read_layer(struct net *net, struct fsd_slice t)
{
    const char *space = memchr(t.s, ' ', t.n);
    struct fsd_slice op = t, name = {"", 0};
    struct fsd_node node = {.where = (uint32_t)net->line};
    char output[MOST_LINE + 8];

    if (!space || space == t.s || t.n > MOST_LINE)
        return;
    op.n = (size_t)(space - t.s);
    name = (struct fsd_slice){space + 1, t.n - op.n - 1};
    memcpy(output, name.s, name.n);
    memcpy(output + name.n, "_output", 7);
    node.name = fsd_intern_slice(net->g->names, name);
    node.op = fsd_intern_slice(net->g->names, op);
    node.out = (struct fsd_span){net->g->ports.n, 1};
    fsd_vec_push(net->g->arena, &net->g->ports,
                 (struct fsd_port){
                     tensor(net, (struct fsd_slice){output, name.n + 7}, 0), FSD_NONE});
    net->g->tensors.at[net->g->ports.at[node.out.at].tensor].flags |= FSD_TENSOR_OUTPUT;
    fsd_graph_add_node(net->g, node);
}

bool fsd_log_is_network(struct fsd_slice t)
{
    static const char *const words[] = {
        "Importing initializer: ", "Adding network input: ", "Marking ",
        "Opset version:", "Producer name:"};

    for (size_t i = 0; i < FSD_COUNT_OF(words); i++)
        if (t.n && *words[i] == *t.s && fsd_slice_begins(t, words[i]))
            return true;
    return false;
}

static void read_line(struct net *net, struct fsd_slice t)
{
    struct fsd_slice name;

    if (fsd_slice_take(&t, "Parsing node: "))
        open_node(net, t);
    else if (fsd_slice_take(&t, "Importing initializer: ")) /* a body may begin with
                                                               such a line */
        flag(net, t,
             net->open.n && net->parsed < net->bodies.n ? scope_of(net, net->parsed)
                                                        : 0,
             FSD_TENSOR_CONSTANT);
    else if (fsd_slice_take(&t, "Adding network input: "))
        read_input(net, t);
    else if (fsd_slice_take(&t, "Opset version:"))
        read_opset(net, t);
    else if (fsd_slice_take(&t, "Producer name:")) {
        t = fsd_slice_trim(t);
        if (t.n)
            net->g->producer = fsd_intern_slice(net->g->names, t);
    } else if (fsd_log_opened(&net->open, t))
        read_uses(net, t);
    else if (fsd_slice_take(&t, "Marking ") &&
             fsd_slice_split_last(&t, " as output: ", &name)) {
        /* The text is like "tensor-15_3 as output: tensor-15". */
        flag(net, name, 0, FSD_TENSOR_OUTPUT);
        net->marked = true;
    }
}

/* Marks tensors without consumers as outputs, because their producers would otherwise
 * seem unused.  In a body, all such tensors are marked, because the parser prints no
 * outputs of bodies.  In the main graph, they are marked only if the log has no line
 * about the network's outputs, as in a truncated log. */
static void guess_outputs(struct net *net)
{
    struct fsd_graph *g = net->g;
    FSD_SCRATCH(scratch);
    bool *used = FSD_NEW(scratch, bool, g->tensors.n);

    for (fsd_id i = 0; i < g->nodes.n; i++)
        for (uint32_t k = 0; k < g->nodes.at[i].in.n; k++)
            if (fsd_node_has_in(g, i, k))
                used[fsd_node_in_tensor(g, i, k)] = true;
    for (fsd_id i = 0; i < g->nodes.n; i++)
        FSD_EACH_OF (t, g->ports, g->nodes.at[i].out, tensor)
            if (t != FSD_NONE && !used[t] && (g->nodes.at[i].scope || !net->marked))
                g->tensors.at[t].flags |= FSD_TENSOR_OUTPUT;
}

/* Lists the inputs or outputs of each scope: counts them, allocates the spans, fills
 * them. */
static void list_flagged(struct fsd_graph *g, uint8_t flag)
{
    uint32_t at = g->links.n;

    for (int fill = 0; fill < 2; fill++) {
        for (fsd_id t = 0; t < g->tensors.n; t++) {
            struct fsd_scope *s = &g->scopes.at[g->tensors.at[t].scope];
            struct fsd_span *span = flag == FSD_TENSOR_INPUT ? &s->inputs : &s->outputs;

            if (!(g->tensors.at[t].flags & flag))
                continue;
            if (fill)
                g->links.at[span->at + span->n] = t;
            span->n++;
        }
        for (fsd_id i = 0; !fill && i < g->scopes.n; i++) {
            struct fsd_scope *s = &g->scopes.at[i];
            struct fsd_span *span = flag == FSD_TENSOR_INPUT ? &s->inputs : &s->outputs;

            span->at = at;
            at += span->n;
            for (; span->n; span->n--)
                fsd_vec_push(g->arena, &g->links, FSD_NONE);
        }
    }
}

void fsd_log_network(struct fsd_graph *g, struct fsd_history *h,
                     const struct fsd_file *file)
{
    struct net *net = FSD_NEW(g->arena, struct net, 1);

    net->g = g;
    /* Uses the parser's lines for the requested engine, `h->build`.  If there are none,
     * the lines for the nearest earlier engine are used: if a log has several engines
     * of one network, the parser may have printed lines only for the first. */
    h->parsed_build = FSD_NONE;
    for (uint32_t i = 0; i < h->parser.n; i++)
        if (h->parser.at[i].build <= h->build && h->parser.at[i].says == FSD_SAYS_NODE)
            h->parsed_build = h->parser.at[i].build;
    net->bodies = fsd_log_bodies(g->arena, h, h->parsed_build, file);
    FSD_EACH (const struct fsd_parser_line, l, h->parser) {
        struct fsd_slice t = {(const char *)file->bytes + l->at, l->n};

        net->line = l->line;
        if (l->says != FSD_SAYS_LAYER && l->build == h->parsed_build)
            read_line(net, t);
        else if (l->says == FSD_SAYS_LAYER && h->parsed_build == FSD_NONE &&
                 l->build == h->build)
            read_layer(net, t);
    }
    fsd_log_sizes(g, h, file);
    fsd_file_release(file, file->size);
    for (fsd_id i = 0; i < g->nodes.n; i++)
        if (!g->nodes.at[i].out.n) {
            struct fsd_span out = unknown_output(net, g->nodes.at[i].scope);

            g->nodes.at[i].out = out;
        }
    guess_outputs(net);
    h->parsed_node = fsd_log_order_nodes(g);
    list_flagged(g, FSD_TENSOR_INPUT);
    list_flagged(g, FSD_TENSOR_OUTPUT);
    g->path = h->path;
    g->kind = "trt-log";
    g->lacks_attributes = true;
    fsd_graph_finish(g);
}

/* Whether a node reads a tensor that has no producer and is neither an input nor a
 * constant. */
static bool misses_a_line(const struct fsd_graph *network)
{
    FSD_EACH (const struct fsd_tensor, t, network->tensors)
        if (!t->scope && t->consumers.n && !t->producers.n &&
            !(t->flags & (FSD_TENSOR_INPUT | FSD_TENSOR_CONSTANT)))
            return true;
    return false;
}

bool fsd_log_network_is_whole(const struct fsd_graph *network,
                              const struct fsd_history *h, const struct fsd_file *file)
{
    bool marked = h->parsed_build == FSD_NONE; /* the parser's lines are missing, so no
                                                  line can mark outputs */

    for (uint32_t i = 0; i < h->parser.n && !marked; i++) {
        const struct fsd_parser_line *l = &h->parser.at[i];
        struct fsd_slice t = {(const char *)file->bytes + l->at, l->n};

        marked = l->build == h->parsed_build && fsd_slice_begins(t, "Marking ");
    }
    return marked && !misses_a_line(network);
}
