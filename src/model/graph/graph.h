/*
 * One graph type for both sides: an ONNX model and an engine.
 *
 *     scope 0 (main graph)
 *       node 0: Conv   in: port -> tensor "x"      out: port -> tensor "y"
 *       node 1: If     ...
 *     scope 1 (then_branch of node 1)
 *       node 2: Add    ...
 *
 * Nodes, tensors, forms and scopes are numbered; a number is an index into the graph's
 * arrays.  The nodes of scope 0 come first and in file order, so the number of a
 * main-graph node is its place in the file.  A port is one use of a tensor by a node,
 * with the form the tensor has there: in an engine, producer and consumer may see the
 * same tensor in different shapes.
 *
 * One reader builds a graph through the functions below and closes it with
 * fsd_graph_finish().  Afterwards its nodes and edges do not change, but readers of
 * other inputs add facts: layers of a profile (api/profiles.c), and the log's meaning
 * of mentions (match/story.c).
 */
#pragma once

#include "base/base.h"
#include "model/graph/built.h"
#include "model/graph/form.h"
#include "model/graph/layer.h"

#include <fusiondiff/fusiondiff.h>

struct fsd_port {
    fsd_id tensor; /**< FSD_NONE: an omitted optional input */
    fsd_id form;   /**< FSD_NONE: the form of the tensor */
};

/** The layers at the other ends of a port's edges, for tensors that several layers
 *  write. */
struct fsd_peers {
    struct fsd_span nodes; /**< in fsd_graph.links, once per use, in ascending order */
    bool known;            /**< false: all layers at the tensor are peers */
    bool part;             /**< the port has only a part of the tensor */
};

enum fsd_tensor_flag {
    FSD_TENSOR_INPUT = 1 << 0,    /**< an input of its scope's graph */
    FSD_TENSOR_OUTPUT = 1 << 1,   /**< an output of its scope's graph */
    FSD_TENSOR_CONSTANT = 1 << 2, /**< an initializer */
    FSD_TENSOR_SPARSE = 1 << 3,   /**< a sparse initializer */
    FSD_TENSOR_BINDING = 1 << 4,  /**< engine: listed among the bindings */
    FSD_TENSOR_CROSSES = 1 << 5   /**< engine: one of several engines writes the tensor
                                       for others */
};

struct fsd_tensor {
    fsd_sym name;
    fsd_id scope;
    fsd_id form;  /**< FSD_NONE: unknown */
    fsd_id item;  /**< the form of a sequence's elements, or of an optional's value;
                       empty if these are not tensors; FSD_NONE: not known to be a
                       sequence or an optional */
    fsd_id value; /**< in fsd_graph.values; FSD_NONE: not constant, or not read */
    fsd_id next_same_name;
    fsd_sym argument; /**< engine: the name of the model's tensor that a layer computes
                           with this tensor as an argument; 0: unknown */
    fsd_sym alias;    /**< engine: the name without suffixes that the engine appended;
                           0: none */
    uint32_t loop;    /**< engine: the number, from 1, of the loop or branch for which
                           the builder created the tensor, in the order of parsing; 0:
                           unknown */
    fsd_id bound;     /**< engine: the form in the list of the network's inputs and
                           outputs; kernels may see another form; FSD_NONE */
    fsd_id optimum; /**< engine: the form with the sizes for which the builder optimized
                         the dynamic dimensions; FSD_NONE */
    fsd_sym ranges; /**< engine: minimum, optimum and maximum of the tensor's sizes,
                         "1x3..4x3..8x3", one range per optimization profile; 0:
                         unknown */
    fsd_sym outside; /**< engine: the I/O format per profile, as the list of inputs and
                          outputs spells it; 0: unknown */
    uint8_t flags;
    /* Set by fsd_graph_finish(), in fsd_graph.links: */
    struct fsd_span producers; /**< nodes; an engine often has several */
    struct fsd_span consumers; /**< nodes, once per use, in ascending order */
};

/** A small constant.  Larger ones are not read: `bytes` is NULL, `size` is set. */
struct fsd_value {
    const unsigned char *bytes; /**< little endian, packed; NULL: not read */
    uint64_t size;              /**< bytes of the value, even if it was not read */
};

enum fsd_attr_kind {
    FSD_ATTR_UNREAD, /**< too large, or of a kind that the program does not use */
    FSD_ATTR_INT,
    FSD_ATTR_FLOAT,
    FSD_ATTR_STRING,
    FSD_ATTR_INTS,
    FSD_ATTR_FLOATS,
    FSD_ATTR_STRINGS,
    FSD_ATTR_TENSOR,
    FSD_ATTR_GRAPH /**< its scope is in fsd_graph.scopes */
};

struct fsd_attr {
    fsd_sym name;
    enum fsd_attr_kind kind;
    int64_t i; /**< INT */
    double f;  /**< FLOAT */
    fsd_sym s; /**< STRING */
    struct fsd_span
        list;     /**< INTS, FLOATS, STRINGS: in fsd_graph.ints, .floats, .links */
    fsd_id value; /**< TENSOR: in fsd_graph.values */
    fsd_id form;  /**< TENSOR: its type and shape */
};

struct fsd_node {
    fsd_sym name;         /**< 0: unnamed */
    fsd_sym op;           /**< ONNX op type, or the engine's layer type */
    fsd_sym domain;       /**< ONNX operator domain; 0 is the default one */
    fsd_sym module;       /**< the module in the exporter's source, "model.layers.0"; 0:
                               unknown */
    fsd_sym module_class; /**< its class, "transformers.LlamaDecoderLayer"; 0:
                               unknown */
    fsd_sym written;      /**< its line in the exporter's source, "model.py, line 7: x =
                               self.up(x)"; 0: unknown */
    fsd_id scope;
    uint32_t where; /**< position in its own list: index of the NodeProto or layer, or
                         line of the log */
    struct fsd_span in, out; /**< in fsd_graph.ports */
    struct fsd_span attrs;   /**< in fsd_graph.attrs */
    uint8_t flags;           /**< FSD_NODE_* */
};

enum fsd_node_flag {
    FSD_NODE_CALL = 1 << 0 /**< calls a model-local function; its body is a scope */
};

enum fsd_scope_kind { FSD_SCOPE_MAIN, FSD_SCOPE_SUBGRAPH, FSD_SCOPE_FUNCTION };

/** A graph within the graph.  The body of a model-local function is added once per
 *  call. */
struct fsd_scope {
    enum fsd_scope_kind kind;
    fsd_id parent; /**< scope; FSD_NONE for the main graph */
    fsd_id
        owner; /**< the If, Loop, Scan or calling node; FSD_NONE for the main graph */
    fsd_sym
        label; /**< "then_branch", "body", the function's name; 0 for the main graph */
    struct fsd_span inputs, outputs; /**< tensors, in fsd_graph.links */
};

/** A module of the exporter's source, and its class. */
struct fsd_class {
    fsd_sym module, name; /**< "model.layers.0", "transformers.LlamaDecoderLayer" */
};

/* ------------------------------------------------------ unusual, but readable input */

/** A remark of a reader: the input can be read but contains something unexpected. */
struct fsd_remark {
    const char *rule; /**< "input/unknown-format": a string literal */
    fsd_id node, tensor;
    fsd_sym text;
};

struct fsd_opset {
    fsd_sym domain;
    int64_t version;
};

/** A tensor at the border of one of several engines. */
struct fsd_part_port {
    fsd_id tensor;
    fsd_id form;  /**< the form that the engine itself states; FSD_NONE: none */
    bool written; /**< an output of the engine; else an input */
};

/** One of several engines that compute parts of one model. */
struct fsd_engine_part {
    const char *path;
    struct fsd_span layers;  /**< nodes of the graph */
    struct fsd_span borders; /**< in fsd_graph.borders; inputs first */
};

/** A tensor of the main graph whose elements are in another file. */
struct fsd_weights_file {
    fsd_sym tensor;
    const char *file; /**< as the model names it */
    uint64_t bytes;   /**< the size of these elements */
};

struct fsd_graph {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    const char *path; /**< as the user gave it */
    const char *file; /**< model: the content of `path`, which is opened again */
    const struct fsd_engine_reader *reader; /**< the reader of an engine; NULL for a
                                                 model */
    const char *kind; /**< "onnx", or the format of the engine's file in its reader's
                           words: a string literal */
    uint64_t hash[2]; /**< XXH3 128 of the file: low, high */
    fsd_sym producer; /**< "pytorch 2.1"; of an engine dump the version, or a range of
                           versions */
    int64_t ir_version;
    fsd_built_vec built; /**< engine: how it was built, as far as its log or dump states
                              this */
    bool strongly_typed; /**< engine: its builder keeps the types of the model */
    bool named_only;     /**< model: no model was given; its nodes come from names in an
                              engine, and edges, sizes and constants are unknown */
    const char *absent;  /**< model: the first missing file with weights; NULL: none is
                              missing */
    fsd_sym absent_tensor;   /**< the first tensor in that file */
    uint32_t absent_tensors; /**< number of tensors in all missing files */
    FSD_VEC(struct fsd_weights_file)
    outside;               /**< model: weights in files that exist */
    bool lacks_attributes; /**< model: it was printed in a log, without attributes */
    bool detailed;         /**< engine: layers have types and tensors, not only names */
    bool only_timed;       /**< engine: its file has only names and times of layers */
    bool jumps;            /**< engine: some layers do not run in every inference */
    uint32_t in_bodies;    /**< engine: number of nodes in bodies of its layers; these
                                nodes are not layers */
    FSD_VEC(struct fsd_span) loops; /**< engine: layers that run repeatedly */
    int32_t profile;   /**< engine: the optimization profile of its layers, numbered
                            from 0 like the builder's; negative: none was read */
    uint32_t profiles; /**< number of profiles of the engine, as far as the file
                            shows */
    FSD_VEC(fsd_sym)
    elsewhere; /**< the layers of its other profiles, which never run together with
                    these */
    FSD_VEC(struct fsd_engine_part)
    parts; /**< engine: the parts that fsd_graph_join() joined; else empty */
    FSD_VEC(struct fsd_part_port) borders;

    FSD_VEC(struct fsd_node) nodes;
    FSD_VEC(struct fsd_layer) layers; /**< engine: one per node; else empty */
    FSD_VEC(struct fsd_tensor) tensors;
    FSD_VEC(struct fsd_form) forms;
    FSD_VEC(struct fsd_port) ports;
    FSD_VEC(struct fsd_dim) dims;
    FSD_VEC(struct fsd_term) terms; /**< terms of dynamic dimensions */
    FSD_VEC(struct fsd_value) values;
    FSD_VEC(struct fsd_attr) attrs;
    FSD_VEC(struct fsd_scope) scopes;
    FSD_VEC(struct fsd_class)
    classes; /**< classes of modules; may contain
                                            duplicates */
    FSD_VEC(struct fsd_mention) mentions;
    FSD_VEC(struct fsd_remark) remarks;
    FSD_VEC(struct fsd_opset) opsets;
    FSD_VEC(int64_t) ints;
    FSD_VEC(double) floats;
    FSD_VEC(fsd_id) links; /**< pool of tensor, node and symbol numbers */
    FSD_VEC(fsd_id)
    by_name; /**< indexed by symbol: the newest tensor; use
                                  fsd_graph_find() */
    /* Set by fsd_graph_finish(): the number of the input at which each consumer in
     * `links` reads; the first consumer is at links.at[uses_at]. */
    uint32_t *use_input, uses_at;
    struct fsd_peers *peers; /**< indexed by port; NULL: no tensor has several
                                  producers */
};

/** The same graph, with a different path. */
const struct fsd_graph *fsd_graph_at(struct fsd_arena *arena, const struct fsd_graph *g,
                                     const char *path);

/* ------------------------------------------------------------------ building */

/** Creates a graph with an empty main scope, allocated from the arena. */
struct fsd_graph *fsd_graph_new(struct fsd_arena *arena, struct fsd_intern *names);

/** Adds a scope. */
static inline fsd_id fsd_graph_add_scope(struct fsd_graph *g, struct fsd_scope scope)
{
    fsd_vec_push(g->arena, &g->scopes, scope);
    return g->scopes.n - 1;
}

/** The tensor with this name in exactly this scope; FSD_NONE if there is none, or if
 *  `name` is FSD_NONE. */
fsd_id fsd_graph_find(const struct fsd_graph *g, fsd_sym name, fsd_id scope);

/** The tensor with this name in the main graph or, if there is none, the only one in
 *  all bodies; FSD_NONE if no body or several bodies have one. */
fsd_id fsd_graph_only(const struct fsd_graph *g, fsd_sym name);

/** Whether the engine's producer states that it builds for RTX. */
bool fsd_graph_is_rtx(const struct fsd_graph *engine);

/** Indexed by symbol, for all symbols that exist now: the first node with this name;
 *  FSD_NONE. */
fsd_id *fsd_graph_nodes_by_name(struct fsd_arena *arena, const struct fsd_graph *g);

/** The bodies that each node of a graph owns. */
struct fsd_lists fsd_graph_bodies(struct fsd_arena *arena, const struct fsd_graph *g);

/** The nodes of each scope. */
struct fsd_lists fsd_graph_by_scope(struct fsd_arena *arena, const struct fsd_graph *g);

/** The tensor that the name means in this scope: the scope's own, else an enclosing
 *  graph's.  A function's body does not see the tensors of its caller. */
fsd_id fsd_graph_resolve(const struct fsd_graph *g, fsd_sym name, fsd_id scope);

/** Adds a tensor without form and value.  The caller has checked that it does not
 *  exist. */
fsd_id fsd_graph_add_tensor(struct fsd_graph *g, fsd_sym name, fsd_id scope);

/** Appends a form to the pools and copies the dims; `dims` may be NULL if n is 0. */
fsd_id fsd_graph_add_form(struct fsd_graph *g, struct fsd_form form,
                          const struct fsd_dim *dims, uint32_t n);
static inline fsd_id fsd_graph_add_value(struct fsd_graph *g, struct fsd_value value)
{
    fsd_vec_push(g->arena, &g->values, value);
    return g->values.n - 1;
}

/** Appends the node; the caller has filled its `in`, `out` and `attrs` spans from the
 *  pools. */
static inline fsd_id fsd_graph_add_node(struct fsd_graph *g, struct fsd_node node)
{
    fsd_vec_push(g->arena, &g->nodes, node);
    return g->nodes.n - 1;
}

/** Lists the tensors with FSD_TENSOR_INPUT and FSD_TENSOR_OUTPUT as inputs and outputs
 *  of the main graph. */
void fsd_graph_list_borders(struct fsd_graph *g);

/** Computes producers and consumers.  No node or tensor may be added afterwards. */
void fsd_graph_finish(struct fsd_graph *g);

/** Joins several engines that compute parts of one model by concatenating their layers.
 *  Inputs and outputs with the same name become one tensor, which one engine writes and
 *  others read; all other tensors stay separate.
 *  @param parts `n` finished graphs, at least one, with the same table of names
 *  @param model a finished graph; its names show the borders that an engine does not
 *               list
 *  @return a finished graph in the first part's arena, which shares their texts */
struct fsd_graph *fsd_graph_join(struct fsd_graph *const *parts, uint32_t n,
                                 const struct fsd_graph *model);

/** The number of the joined engine to which a layer belongs; FSD_NONE if there is only
 *  one engine. */
fsd_id fsd_graph_part_of(const struct fsd_graph *g, fsd_id layer);

/** All nodes, each after the producers of its inputs; nodes on a cycle, and those after
 *  it, are last.  A dump may list layers in any order, except the producers of one
 *  tensor, which keep their order.
 *  @return one id per node, in the arena. */
fsd_id *fsd_graph_order(struct fsd_arena *arena, const struct fsd_graph *g);

/* ------------------------------------------------------------------- reading */

/** The form at a port: its own, else its tensor's, else an unknown form.  Valid as long
 *  as the graph. */
const struct fsd_form *fsd_port_form(const struct fsd_graph *g,
                                     const struct fsd_port *port);
/** The kind of a layer that only moves data; if it changes neither type nor layout, it
 *  is a copy. */
enum fsd_kind fsd_kind_of_move(const struct fsd_graph *g, const struct fsd_node *n);
const struct fsd_form *fsd_tensor_form(const struct fsd_graph *g, fsd_id tensor);

/** The node or tensor with a number that may be FSD_NONE.  For FSD_NONE, the result is
 *  empty: it has no name, operator, ports, form, producers and consumers. */
extern const struct fsd_node fsd_no_node;
extern const struct fsd_layer fsd_no_layer;
extern const struct fsd_tensor fsd_no_tensor;

static inline const struct fsd_node *fsd_graph_node(const struct fsd_graph *g,
                                                    fsd_id node)
{
    return node == FSD_NONE ? &fsd_no_node : &g->nodes.at[node];
}

static inline const struct fsd_layer *fsd_graph_layer(const struct fsd_graph *g,
                                                      fsd_id layer)
{
    return layer == FSD_NONE ? &fsd_no_layer : &g->layers.at[layer];
}

static inline const struct fsd_tensor *fsd_graph_tensor(const struct fsd_graph *g,
                                                        fsd_id tensor)
{
    return tensor == FSD_NONE ? &fsd_no_tensor : &g->tensors.at[tensor];
}

/** The form with this number; one of unknown type and shape for FSD_NONE. */
extern const struct fsd_form fsd_no_form;
static inline const struct fsd_form *fsd_graph_form(const struct fsd_graph *g,
                                                    fsd_id form)
{
    return form == FSD_NONE ? &fsd_no_form : &g->forms.at[form];
}

/** The value with this number, which may be unread; NULL for FSD_NONE. */
static inline const struct fsd_value *fsd_graph_value(const struct fsd_graph *g,
                                                      fsd_id value)
{
    return value == FSD_NONE ? NULL : &g->values.at[value];
}

/** The name of a tensor; NULL for FSD_NONE. */
static inline const char *fsd_tensor_name(const struct fsd_graph *g, fsd_id tensor)
{
    return tensor == FSD_NONE ? NULL : fsd_text(g->names, g->tensors.at[tensor].name);
}

/** Whether a tensor has one of these flags; false for FSD_NONE. */
static inline bool fsd_tensor_is(const struct fsd_graph *g, fsd_id tensor,
                                 unsigned flags)
{
    return fsd_graph_tensor(g, tensor)->flags & flags;
}

/** The i-th input or output; i must be below node->in.n or node->out.n. */
static inline const struct fsd_port *
fsd_node_in(const struct fsd_graph *g, const struct fsd_node *node, uint32_t i)
{
    return &g->ports.at[node->in.at + i];
}

static inline const struct fsd_port *
fsd_node_out(const struct fsd_graph *g, const struct fsd_node *node, uint32_t i)
{
    return &g->ports.at[node->out.at + i];
}

/** The index of the node's i-th port, inputs first. */
static inline uint32_t fsd_node_port(const struct fsd_node *node, uint32_t i)
{
    return i < node->in.n ? node->in.at + i : node->out.at + i - node->in.n;
}

/** How often the step occurs among the layer's known operations. */
uint32_t fsd_layer_count(const struct fsd_graph *engine, fsd_id layer, fsd_sym step);

/** The tensor of the i-th input or output; FSD_NONE if it is omitted, if i is past the
 *  end, or if the node is FSD_NONE. */
static inline fsd_id fsd_node_in_tensor(const struct fsd_graph *g, fsd_id node,
                                        uint32_t i)
{
    struct fsd_span in = fsd_graph_node(g, node)->in;

    return i < in.n ? g->ports.at[in.at + i].tensor : FSD_NONE;
}

static inline fsd_id fsd_node_out_tensor(const struct fsd_graph *g, fsd_id node,
                                         uint32_t i)
{
    struct fsd_span out = fsd_graph_node(g, node)->out;

    return i < out.n ? g->ports.at[out.at + i].tensor : FSD_NONE;
}

/** Whether the node has an i-th input or output that is not omitted. */
static inline bool fsd_node_has_in(const struct fsd_graph *g, fsd_id node, uint32_t i)
{
    return fsd_node_in_tensor(g, node, i) != FSD_NONE;
}

static inline bool fsd_node_has_out(const struct fsd_graph *g, fsd_id node, uint32_t i)
{
    return fsd_node_out_tensor(g, node, i) != FSD_NONE;
}

/** The attribute with this name; NULL if the node has none. */
const struct fsd_attr *fsd_node_attr(const struct fsd_graph *g,
                                     const struct fsd_node *node, const char *name);

/** The INT attribute with this name, or `otherwise` if the node has none. */
int64_t fsd_node_int(const struct fsd_graph *g, fsd_id node, const char *name,
                     int64_t otherwise);

/** The value of a constant tensor; NULL if it has none or it was not read. */
const struct fsd_value *fsd_tensor_value(const struct fsd_graph *g, fsd_id tensor);

/** The bits of the i-th element, of `width` bytes, little endian.
 *  @param value must have been read and have the element */
uint64_t fsd_element_bits(const struct fsd_value *value, unsigned width, uint64_t i);

/** The i-th element as a number; NAN if it is not a number.  Returns false if it does
 *  not exist, or has a type that fsd_dtype_number() does not read.
 *  @param value may be NULL or unread: then it has no elements */
bool fsd_element_number(const struct fsd_value *value, enum fsd_dtype type, uint64_t i,
                        double *out);

/** Whether the domain is that of ONNX's own operators, "" or "ai.onnx". */
bool fsd_is_onnx_domain(const char *domain);

/** The version of the default ONNX domain that the model imports; 0 if it states
 * none. */
int64_t fsd_graph_opset(const struct fsd_graph *g);

/** Whether the node has this operator of ONNX's own domain; false for FSD_NONE.
 *  @param op from model/ops/ids.h */
bool fsd_node_is(const struct fsd_graph *g, fsd_id node, fsd_sym op);

/** The producer of a tensor if it has exactly one; FSD_NONE otherwise, and if `tensor`
 * is FSD_NONE. */
fsd_id fsd_tensor_producer(const struct fsd_graph *g, fsd_id tensor);

/** The producer of the node's i-th input. */
static inline fsd_id fsd_node_in_producer(const struct fsd_graph *g, fsd_id node,
                                          uint32_t i)
{
    return fsd_tensor_producer(g, fsd_node_in_tensor(g, node, i));
}

/** The nodes that read a tensor, in `links`; empty for FSD_NONE. */
static inline struct fsd_span fsd_tensor_consumers(const struct fsd_graph *g,
                                                   fsd_id tensor)
{
    return fsd_graph_tensor(g, tensor)->consumers;
}

/** The only node that reads the tensor; FSD_NONE if several nodes do, if it is an
 *  output of its graph, and for FSD_NONE. */
fsd_id fsd_tensor_only_reader(const struct fsd_graph *g, fsd_id tensor);

/** The number of the node's first input that is this tensor; FSD_NONE if there is none,
 *  and for FSD_NONE.  Takes log(consumers of the tensor), however many inputs the node
 *  has. */
uint32_t fsd_node_input_of(const struct fsd_graph *g, fsd_id node, fsd_id tensor);

/** The producers of an input port's tensor, or the consumers of an output port's, in
 *  `links`: all of them if the tensor has one producer, else those that peers.c found;
 *  empty if the port has no tensor.
 *  @param port an index in `ports` */
struct fsd_span fsd_port_peers(const struct fsd_graph *g, uint32_t port,
                               bool producers);

/** The only producer of the tensor that an input port reads; FSD_NONE if there is none
 *  or several. */
fsd_id fsd_port_producer(const struct fsd_graph *g, uint32_t port);

/** Whether the port has only a part of a tensor that several layers write. */
static inline bool fsd_port_is_part(const struct fsd_graph *g, uint32_t port)
{
    return g->peers && g->peers[port].part;
}

/** Whether other ports of the port's tensor may have different peers. */
static inline bool fsd_port_has_own_peers(const struct fsd_graph *g, uint32_t port)
{
    return g->peers && g->peers[port].known;
}

/** Fills `peers`; called by fsd_graph_finish(). */
void fsd_graph_find_peers(struct fsd_graph *g);

/** Writes the graph as text, with equal bytes for equal graphs: for golden tests, for
 *  `--dump`, and to check what a reader understood.  The caller checks the stream for
 *  errors. */
void fsd_graph_dump(const struct fsd_graph *g, FILE *out);
