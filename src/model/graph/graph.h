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
 * main-graph node is its place in the file.  A port is one use of a tensor by a node.
 * It has a form of its own, because in an engine, producer and consumer may see the
 * same tensor in different shapes.
 *
 * One reader builds a graph with the functions below and ends with fsd_graph_finish().
 * Afterwards, the nodes and edges that the reader added do not change, but two other
 * sources add facts.  A profile may add layers (api/profiles.c).  A log may show which
 * nodes the names in a layer's name mean (struct fsd_mention, match/story.c).
 */
#pragma once

#include "base/base.h"
#include "model/graph/built.h"
#include "model/graph/form.h"
#include "model/graph/layer.h"

#include <fusiondiff/fusiondiff.h>

struct fsd_port {
    fsd_id tensor; /**< FSD_NONE: an omitted optional input */
    fsd_id form;   /**< FSD_NONE: the port has the tensor's form */
};

/** The layers at the other end of a port's edges.  This struct is used only if several
 *  layers write a tensor. */
struct fsd_peers {
    struct fsd_span nodes; /**< in fsd_graph.links, in ascending order; a layer that
                                uses the tensor twice occurs twice */
    bool known;            /**< false: `nodes` is not set, and all producers (or
                                consumers) of the port's tensor are peers */
    bool part;             /**< the port reads or writes only a part of the tensor */
};

enum fsd_tensor_flag {
    FSD_TENSOR_INPUT = 1 << 0,    /**< an input of its scope's graph */
    FSD_TENSOR_OUTPUT = 1 << 1,   /**< an output of its scope's graph */
    FSD_TENSOR_CONSTANT = 1 << 2, /**< an initializer */
    FSD_TENSOR_SPARSE = 1 << 3,   /**< a sparse initializer */
    FSD_TENSOR_BINDING = 1 << 4,  /**< engine: listed among the bindings */
    FSD_TENSOR_CROSSES = 1 << 5   /**< joined engines: one engine writes the tensor,
                                       and a different engine reads it */
};

struct fsd_tensor {
    fsd_sym name;
    fsd_id scope;
    fsd_id form;  /**< FSD_NONE: unknown */
    fsd_id item;  /**< for a sequence, the form of its elements; for an optional, the
                       form of its value.  The form is empty if the elements or the
                       value are not tensors.  FSD_NONE: the tensor is neither a
                       sequence nor an optional, or its kind is unknown */
    fsd_id value; /**< the value, in fsd_graph.values; FSD_NONE: not constant, or not
                       read */
    fsd_id next_same_name;
    fsd_sym argument; /**< engine: this tensor is an argument of the kernel that
                           computes the model tensor with this name; 0: unknown */
    fsd_sym alias;    /**< engine: the name without suffixes that the engine appended;
                           0: none */
    uint32_t loop;    /**< engine: the number of the loop or branch for which the
                           builder created the tensor, from 1 in the order of parsing;
                           0: unknown */
    fsd_id bound;     /**< engine: the form that the list of the network's inputs and
                           outputs states; the form at the kernels may differ;
                           FSD_NONE: not listed */
    fsd_id optimum;   /**< engine: the form with the optimum sizes of the optimization
                           profile; FSD_NONE: unknown */
    fsd_sym ranges;   /**< engine: the minimum, optimum and maximum sizes of the tensor,
                           "1x3..4x3..8x3", for each optimization profile; 0: unknown */
    fsd_sym outside;  /**< engine: the I/O format for each optimization profile, as the
                           list of inputs and outputs spells it; 0: unknown */
    uint8_t flags;
    /* fsd_graph_finish() sets these spans of fsd_graph.links: */
    struct fsd_span producers; /**< nodes in ascending order; in an engine often
                                    several */
    struct fsd_span consumers; /**< nodes in ascending order; a node that reads the
                                    tensor twice occurs twice */
};

/** The value of a constant.  Only small values are read; of a large one, `bytes` is
 * NULL and only `size` is set. */
struct fsd_value {
    const unsigned char *bytes; /**< little endian, packed; NULL: not read */
    uint64_t size;              /**< the size of the value in bytes, even if it was not
                                     read */
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
    FSD_ATTR_GRAPH /**< the graph is a scope in fsd_graph.scopes */
};

struct fsd_attr {
    fsd_sym name;
    enum fsd_attr_kind kind;
    int64_t i; /**< INT */
    double f;  /**< FLOAT */
    fsd_sym s; /**< STRING */
    struct fsd_span
        list;     /**< INTS, FLOATS, STRINGS: the values, in fsd_graph.ints, .floats or
                       .links */
    fsd_id value; /**< TENSOR: its value, in fsd_graph.values */
    fsd_id form;  /**< TENSOR: its form, in fsd_graph.forms */
};

struct fsd_node {
    fsd_sym name;         /**< 0: unnamed */
    fsd_sym op;           /**< ONNX op type, or the engine's layer type */
    fsd_sym domain;       /**< ONNX operator domain; 0: the default domain */
    fsd_sym module;       /**< the module in the exporter's source, "model.layers.0"; 0:
                               unknown */
    fsd_sym module_class; /**< the class of that module,
                               "transformers.LlamaDecoderLayer"; 0: unknown */
    fsd_sym written;      /**< the line of the source from which the exporter made the
                               node, "model.py, line 7: x = self.up(x)"; 0: unknown */
    fsd_id scope;
    uint32_t where; /**< the position in the input: the index of the NodeProto or layer,
                         or the line of the log */
    struct fsd_span in, out; /**< in fsd_graph.ports */
    struct fsd_span attrs;   /**< in fsd_graph.attrs */
    uint8_t flags;           /**< a set of FSD_NODE_* flags */
};

enum fsd_node_flag {
    FSD_NODE_CALL = 1 << 0 /**< the node calls a model-local function, whose body is a
                                scope */
};

enum fsd_scope_kind { FSD_SCOPE_MAIN, FSD_SCOPE_SUBGRAPH, FSD_SCOPE_FUNCTION };

/** A graph within the graph.  The body of a model-local function is added once per
 *  call. */
struct fsd_scope {
    enum fsd_scope_kind kind;
    fsd_id parent; /**< the scope that contains this one; FSD_NONE for the main graph */
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

/** A remark of a reader about unexpected contents of a file.  The reader can read the
 * file nevertheless. */
struct fsd_remark {
    const char *rule; /**< the rule, a string literal: "input/unknown-format" */
    fsd_id node, tensor;
    fsd_sym text;
};

struct fsd_opset {
    fsd_sym domain;
    int64_t version;
};

/** An input or output of one of several joined engines. */
struct fsd_part_port {
    fsd_id tensor;
    fsd_id form;  /**< the form that this engine states; FSD_NONE: it states none */
    bool written; /**< true: an output of the engine; false: an input */
};

/** One of several joined engines, each of which computes a part of the model. */
struct fsd_engine_part {
    const char *path;
    struct fsd_span layers;  /**< nodes of the graph */
    struct fsd_span borders; /**< inputs, then outputs, in fsd_graph.borders */
};

/** A tensor of the main graph whose elements are in another file. */
struct fsd_weights_file {
    fsd_sym tensor;
    const char *file; /**< the path of the file, as the model spells it */
    uint64_t bytes;   /**< the size of the tensor's elements in bytes */
};

struct fsd_graph {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    const char *path; /**< the path of the input, as the user gave it */
    const char *file; /**< model: the path under which the model's bytes can be opened
                           again */
    const struct fsd_engine_reader *reader; /**< the reader of an engine; NULL for a
                                                 model */
    const char *kind; /**< the format of the file, a string literal: "onnx", or the name
                           that the engine's reader gives its format */
    uint64_t hash[2]; /**< the 128-bit XXH3 of the file, the low half first */
    fsd_sym producer; /**< model: the exporter, "pytorch 2.1"; engine: the builder's
                           version, or a range of versions */
    int64_t ir_version;
    fsd_built_vec built; /**< engine: the facts about its build that its log or dump
                              states */
    bool strongly_typed; /**< engine: its builder keeps the types of the model */
    bool named_only;     /**< model: the user gave no model.  The nodes were made from
                              names in an engine; edges, sizes and constants are
                              unknown */
    const char *absent;  /**< model: the first weights file that is missing; NULL: none
                              is missing */
    fsd_sym absent_tensor;   /**< the first tensor in the file `absent` */
    uint32_t absent_tensors; /**< the number of tensors in all missing files */
    FSD_VEC(struct fsd_weights_file)
    outside;               /**< model: weights in files that exist */
    bool lacks_attributes; /**< model: it was read from a log, which prints no
                                attributes */
    bool detailed;         /**< engine: the file states the types and tensors of layers,
                                not only their names */
    bool only_timed;       /**< engine: the file has only the names and times of
                                layers */
    bool jumps;            /**< engine: some layers do not run in every inference */
    uint32_t in_bodies;    /**< engine: the number of nodes in the bodies of its layers;
                                such nodes are not layers */
    FSD_VEC(struct fsd_span) loops; /**< engine: the layers of each loop */
    int32_t profile;   /**< engine: the optimization profile to which its layers belong,
                            as a number from 0; negative: unknown */
    uint32_t profiles; /**< engine: the number of optimization profiles that the file
                            shows */
    FSD_VEC(fsd_sym)
    elsewhere; /**< engine: the names of the layers of its other optimization profiles,
                    which never run together with `nodes` */
    FSD_VEC(struct fsd_engine_part)
    parts; /**< engine: the engines that fsd_graph_join() joined; empty for a single
                engine */
    FSD_VEC(struct fsd_part_port) borders;

    FSD_VEC(struct fsd_node) nodes;
    FSD_VEC(struct fsd_layer) layers; /**< engine: one per node; else empty */
    FSD_VEC(struct fsd_tensor) tensors;
    FSD_VEC(struct fsd_form) forms;
    FSD_VEC(struct fsd_port) ports;
    FSD_VEC(struct fsd_dim) dims;
    FSD_VEC(struct fsd_term) terms; /**< expressions of dynamic dimensions */
    FSD_VEC(struct fsd_value) values;
    FSD_VEC(struct fsd_attr) attrs;
    FSD_VEC(struct fsd_scope) scopes;
    FSD_VEC(struct fsd_class)
    classes; /**< the class of each module; may contain duplicates */
    FSD_VEC(struct fsd_mention) mentions;
    FSD_VEC(struct fsd_remark) remarks;
    FSD_VEC(struct fsd_opset) opsets;
    FSD_VEC(int64_t) ints;
    FSD_VEC(double) floats;
    FSD_VEC(fsd_id) links; /**< a pool of numbers of tensors, nodes and symbols */
    FSD_VEC(fsd_id)
    by_name; /**< indexed by symbol: the newest tensor with this name; use
                  fsd_graph_find() */
    /* fsd_graph_finish() sets these.  From index `uses_at` on, `links` has the
     * consumers of all tensors.  The consumer links[uses_at + i] reads its tensor at
     * the input with the number use_input[i]. */
    uint32_t *use_input, uses_at;
    struct fsd_peers *peers; /**< indexed by port; NULL: no tensor has several
                                  producers */
};

/** Returns a copy of the graph with a different path. */
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

/** Returns the tensor with this name in exactly this scope; FSD_NONE if there is none,
 *  or if `name` is FSD_NONE. */
fsd_id fsd_graph_find(const struct fsd_graph *g, fsd_sym name, fsd_id scope);

/** Returns the main graph's tensor with this name.  If the main graph has no such
 *  tensor, but exactly one body has, returns the body's tensor.  Otherwise returns
 *  FSD_NONE. */
fsd_id fsd_graph_only(const struct fsd_graph *g, fsd_sym name);

/** Whether the engine comes from the builder for RTX, according to its producer. */
bool fsd_graph_is_rtx(const struct fsd_graph *engine);

/** Returns an array indexed by symbol, with one entry for each symbol that exists now.
 *  The entry is the first node whose name is the symbol; FSD_NONE if there is none. */
fsd_id *fsd_graph_nodes_by_name(struct fsd_arena *arena, const struct fsd_graph *g);

/** Returns the bodies (scopes) that each node of a graph owns. */
struct fsd_lists fsd_graph_bodies(struct fsd_arena *arena, const struct fsd_graph *g);

/** Returns the nodes of each scope. */
struct fsd_lists fsd_graph_by_scope(struct fsd_arena *arena, const struct fsd_graph *g);

/** Returns the tensor to which a name refers in this scope: a tensor of the scope, or
 *  else of an enclosing graph.  The body of a function does not see the tensors of its
 *  caller. */
fsd_id fsd_graph_resolve(const struct fsd_graph *g, fsd_sym name, fsd_id scope);

/** Adds a tensor without form and value.  The caller must check first that it does not
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

/** Appends the node.  The caller must add its ports and attributes first, and set the
 *  spans `in`, `out` and `attrs`. */
static inline fsd_id fsd_graph_add_node(struct fsd_graph *g, struct fsd_node node)
{
    fsd_vec_push(g->arena, &g->nodes, node);
    return g->nodes.n - 1;
}

/** Sets the inputs and outputs of the main scope: the tensors with the flags
 *  FSD_TENSOR_INPUT and FSD_TENSOR_OUTPUT. */
void fsd_graph_list_borders(struct fsd_graph *g);

/** Computes the producers and consumers of all tensors.  No node or tensor may be added
 * afterwards. */
void fsd_graph_finish(struct fsd_graph *g);

/** Joins engines that compute parts of one model.  The layers of the parts follow one
 *  after the other.  Inputs and outputs with the same name become one tensor.  All
 *  other tensors stay separate, even if their names are equal.
 *  @param parts  `n` finished graphs with the same table of names; `n` is at least 1
 *  @param model  a finished graph.  If a part does not list its inputs and outputs, the
 *         function finds them by the names of this model's tensors.
 *  @return a finished graph in the arena of parts[0].  It shares texts with all parts,
 *          so the parts must outlive it. */
struct fsd_graph *fsd_graph_join(struct fsd_graph *const *parts, uint32_t n,
                                 const struct fsd_graph *model);

/** Returns the index in `parts` of the engine to which a layer belongs; FSD_NONE if
 *  there is only one engine. */
fsd_id fsd_graph_part_of(const struct fsd_graph *g, fsd_id layer);

/** Sorts all nodes topologically: each comes after the producers of its inputs.  Nodes
 *  on a cycle, and nodes that depend on a cycle, are last.  The producers of one tensor
 *  keep the order of the file.
 *  @return one id per node, in the arena. */
fsd_id *fsd_graph_order(struct fsd_arena *arena, const struct fsd_graph *g);

/* ------------------------------------------------------------------- reading */

/** Returns the form at a port: the port's own form, or else the tensor's, or else an
 *  unknown form.  The result is valid as long as the graph. */
const struct fsd_form *fsd_port_form(const struct fsd_graph *g,
                                     const struct fsd_port *port);
/** Returns the kind of a layer that only moves data: FSD_KIND_COPY if it changes
 *  neither type nor layout, else FSD_KIND_REFORMAT. */
enum fsd_kind fsd_kind_of_move(const struct fsd_graph *g, const struct fsd_node *n);
const struct fsd_form *fsd_tensor_form(const struct fsd_graph *g, fsd_id tensor);

/** Empty objects.  If an id is FSD_NONE, the functions below return a pointer to one of
 *  these objects.  Their members are 0, FSD_NONE or empty. */
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

/** The form that fsd_graph_form() returns for FSD_NONE: its type and shape are
 * unknown. */
extern const struct fsd_form fsd_no_form;
static inline const struct fsd_form *fsd_graph_form(const struct fsd_graph *g,
                                                    fsd_id form)
{
    return form == FSD_NONE ? &fsd_no_form : &g->forms.at[form];
}

/** Returns the value with this number; NULL for FSD_NONE.  The value may be large and
 * therefore unread. */
static inline const struct fsd_value *fsd_graph_value(const struct fsd_graph *g,
                                                      fsd_id value)
{
    return value == FSD_NONE ? NULL : &g->values.at[value];
}

/** Returns the name of a tensor; NULL for FSD_NONE. */
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

/** Returns the i-th input or output of a node, from 0; i must be below node->in.n or
 * node->out.n. */
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

/** Returns the index in fsd_graph.ports of the node's i-th port; inputs come before
 * outputs. */
static inline uint32_t fsd_node_port(const struct fsd_node *node, uint32_t i)
{
    return i < node->in.n ? node->in.at + i : node->out.at + i - node->in.n;
}

/** Returns how often an operator occurs among the layer's known operations
 * (fsd_layer.steps). */
uint32_t fsd_layer_count(const struct fsd_graph *engine, fsd_id layer, fsd_sym step);

/** Returns the tensor of the i-th input or output, from 0.  Returns FSD_NONE if this
 *  input or output is omitted, if i is past the end, or if `node` is FSD_NONE. */
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

/** Returns the attribute with this name; NULL if the node has none. */
const struct fsd_attr *fsd_node_attr(const struct fsd_graph *g,
                                     const struct fsd_node *node, const char *name);

/** Returns the INT attribute with this name, or `otherwise` if the node has none. */
int64_t fsd_node_int(const struct fsd_graph *g, fsd_id node, const char *name,
                     int64_t otherwise);

/** Returns the value of a constant tensor; NULL if the tensor is not constant or its
 * value was not read. */
const struct fsd_value *fsd_tensor_value(const struct fsd_graph *g, fsd_id tensor);

/** Returns the bits of the i-th element, which is stored in `width` bytes, little
 *  endian.
 *  @param value  must have been read, and have more than i elements */
uint64_t fsd_element_bits(const struct fsd_value *value, unsigned width, uint64_t i);

/** Writes the i-th element to `out`, as a number; NAN if its bits represent no number.
 *  Returns false if `value` is NULL or unread, if it has no i-th element, or if
 *  fsd_dtype_number() does not decode the type. */
bool fsd_element_number(const struct fsd_value *value, enum fsd_dtype type, uint64_t i,
                        double *out);

/** Whether the domain has ONNX's own operators: "" or "ai.onnx". */
bool fsd_is_onnx_domain(const char *domain);

/** The version of the default ONNX domain that the model imports; 0 if it states
 * none. */
int64_t fsd_graph_opset(const struct fsd_graph *g);

/** Whether the node has this operator of ONNX's own domain; false for FSD_NONE.
 *  @param op from model/ops/ids.h */
bool fsd_node_is(const struct fsd_graph *g, fsd_id node, fsd_sym op);

/** Returns the only producer of a tensor.  Returns FSD_NONE if the tensor has no
 *  producer or several, or if `tensor` is FSD_NONE. */
fsd_id fsd_tensor_producer(const struct fsd_graph *g, fsd_id tensor);

/** Returns the producer of the node's i-th input, as fsd_tensor_producer() does. */
static inline fsd_id fsd_node_in_producer(const struct fsd_graph *g, fsd_id node,
                                          uint32_t i)
{
    return fsd_tensor_producer(g, fsd_node_in_tensor(g, node, i));
}

/** Returns the nodes that read a tensor, as a span of fsd_graph.links; empty for
 * FSD_NONE. */
static inline struct fsd_span fsd_tensor_consumers(const struct fsd_graph *g,
                                                   fsd_id tensor)
{
    return fsd_graph_tensor(g, tensor)->consumers;
}

/** Returns the only node that reads the tensor.  Returns FSD_NONE if several nodes or
 *  none read it, if it is an output of its graph, or if `tensor` is FSD_NONE. */
fsd_id fsd_tensor_only_reader(const struct fsd_graph *g, fsd_id tensor);

/** Returns the number of the first input of `node` that is `tensor`.  Returns FSD_NONE
 *  if the node does not read the tensor, or if `node` or `tensor` is FSD_NONE.  The
 *  function does not walk through the inputs: it does a binary search among the
 *  consumers of the tensor. */
uint32_t fsd_node_input_of(const struct fsd_graph *g, fsd_id node, fsd_id tensor);

/** Returns the layers to which a port is connected, in fsd_graph.links: producers for
 *  an input port, consumers for an output port.  If several layers write the tensor of
 *  the port, the result is only the layers that peers.c found for this port.  The
 *  result is empty if the port has no tensor.
 *  @param port  an index in fsd_graph.ports
 *  @param producers  true for an input port, false for an output port */
struct fsd_span fsd_port_peers(const struct fsd_graph *g, uint32_t port,
                               bool producers);

/** Returns the only producer to which an input port is connected (fsd_port_peers());
 *  FSD_NONE if the port has no producer or several. */
fsd_id fsd_port_producer(const struct fsd_graph *g, uint32_t port);

/** Whether the port has only a part of a tensor that several layers write. */
static inline bool fsd_port_is_part(const struct fsd_graph *g, uint32_t port)
{
    return g->peers && g->peers[port].part;
}

/** Whether the port has its own list of peers.  If not, all producers or consumers of
 *  its tensor are its peers. */
static inline bool fsd_port_has_own_peers(const struct fsd_graph *g, uint32_t port)
{
    return g->peers && g->peers[port].known;
}

/** Fills fsd_graph.peers. fsd_graph_finish() calls this function. */
void fsd_graph_find_peers(struct fsd_graph *g);

/** Writes the graph as text.  Equal graphs give equal bytes, so golden tests can
 *  compare them; `--dump` prints this text, too.  The caller must check the stream for
 *  errors. */
void fsd_graph_dump(const struct fsd_graph *g, FILE *out);
