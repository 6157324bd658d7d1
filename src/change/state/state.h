/*
 * A state has the properties of one build that are compared: the outcome of each ONNX
 * node, the nodes that each fusion group computes, and the layers that the builder
 * inserted between groups.  A state is made from a run or read from a snapshot; both
 * give the same state.
 *
 *     node   Conv_34  core  int8   reads DequantizeLinear_30, and through it Relu_24
 *     group  compute  int8  Conv_34 Add_36 Relu_37; in: Relu_24 int8/chw32, ...
 *     move   quantize       from Relu_37 to Conv_47, fp16/chw32 -> int8/chw32
 *
 *     kernel gemm int8  [32x64 int8] -> [32x192 fp32], constant [64x192 int8]
 *
 * Layer names, layer order, tactics and tensor names are not compared, because they
 * vary from build to build without significance.  Nodes are in file order, which ONNX
 * requires to be topological.  Groups are sorted by their first node, and moves by the
 * nodes that they serve.  Constant nodes are left out.
 *
 * Every layer of the engine is in exactly one group or move, so that the times of
 * groups and moves add up to the time of the engine.
 */
#pragma once

#include "explain/diff/diff.h"

struct fsd_attr;

/** The role of a node in the comparison.  Each node has exactly one role. */
enum fsd_role {
    FSD_ROLE_CORE,      /**< a node that computes; it is in exactly one group if
                             layers compute it */
    FSD_ROLE_OPTIONAL,  /**< computes, but some exporters fold or omit it:
                             BatchNormalization, Cast */
    FSD_ROLE_QUANTIZER, /**< Q or DQ */
    FSD_ROLE_VIEW,      /**< forwards its data: Identity, Reshape, etc. */
    FSD_ROLE_SIDE,      /**< a folded node, or a node on which no output depends */
    FSD__ROLE_COUNT
};

/* The origin of a tensor is a node or an input of the network, and its destination is a
 * node or an output of the network.  Origins and destinations have different types.
 * Lists of origins and lists of destinations have different types, too.  So the number
 * of an input cannot be used as the number of an output.  Only the functions below
 * access the members. */

/** A node or an input of the network.  It is neither if the tensor is a constant or if
 *  the origin is unknown. */
struct fsd_origin {
    uint32_t ref;
};

/** A node or an output of the network; neither if unknown. */
struct fsd_destination {
    uint32_t ref;
};

/** A sorted range of fsd_state.refs or fsd_compare.pool. */
struct fsd_origins {
    uint32_t at, n;
};
struct fsd_destinations {
    uint32_t at, n;
};

#define FSD_REF_PORT       UINT32_C(0x80000000) /**< ORed with the port's number */
#define FSD_NO_ORIGIN      ((struct fsd_origin){FSD_NONE})
#define FSD_NO_DESTINATION ((struct fsd_destination){FSD_NONE})

static inline fsd_id fsd_ref_node(uint32_t ref)
{
    return ref & FSD_REF_PORT ? FSD_NONE : ref; /* FSD_NONE also has this bit */
}

static inline uint32_t fsd_ref_port(uint32_t ref)
{
    return ref != FSD_NONE && ref & FSD_REF_PORT ? ref & ~FSD_REF_PORT : FSD_NONE;
}

static inline uint32_t fsd_ref_of_port(uint32_t port)
{
    return port == FSD_NONE ? FSD_NONE : FSD_REF_PORT | port;
}

/** fsd_origin_node(): the node if the origin is a node, else FSD_NONE.
 *  fsd_origin_input(): the number of the network input if the origin is one, else
 *  FSD_NONE. */
static inline fsd_id fsd_origin_node(struct fsd_origin origin)
{
    return fsd_ref_node(origin.ref);
}
static inline uint32_t fsd_origin_input(struct fsd_origin origin)
{
    return fsd_ref_port(origin.ref);
}

/** Makes an origin from a node, or from the number of a network input.  FSD_NONE makes
 *  an origin that is neither node nor input. */
static inline struct fsd_origin fsd_node_origin(fsd_id node)
{
    return (struct fsd_origin){node};
}
static inline struct fsd_origin fsd_input_origin(uint32_t input)
{
    return (struct fsd_origin){fsd_ref_of_port(input)};
}

/** Whether the origin is a node or an input; false if it is neither. */
static inline bool fsd_is_origin(struct fsd_origin origin)
{
    return origin.ref != FSD_NONE;
}
static inline bool fsd_same_origin(struct fsd_origin a, struct fsd_origin b)
{
    return a.ref == b.ref;
}

/** fsd_destination_node(): the node if the destination is a node, else FSD_NONE.
 *  fsd_destination_output(): the number of the network output if the destination is
 *  one, else FSD_NONE. */
static inline fsd_id fsd_destination_node(struct fsd_destination destination)
{
    return fsd_ref_node(destination.ref);
}
static inline uint32_t fsd_destination_output(struct fsd_destination destination)
{
    return fsd_ref_port(destination.ref);
}

/** Makes a destination from a node, or from the number of a network output.  FSD_NONE
 *  makes a destination that is neither node nor output. */
static inline struct fsd_destination fsd_node_destination(fsd_id node)
{
    return (struct fsd_destination){node};
}
static inline struct fsd_destination fsd_output_destination(uint32_t output)
{
    return (struct fsd_destination){fsd_ref_of_port(output)};
}

/** Element i of a list of origins or destinations.
 *  @param refs the array that holds the list */
static inline struct fsd_origin fsd_origin_at(const uint32_t *refs,
                                              struct fsd_origins list, uint32_t i)
{
    return (struct fsd_origin){refs[list.at + i]};
}
static inline struct fsd_destination
fsd_destination_at(const uint32_t *refs, struct fsd_destinations list, uint32_t i)
{
    return (struct fsd_destination){refs[list.at + i]};
}

/** A tensor, identified by its origin and the index of the output. */
struct fsd_producer {
    struct fsd_origin at; /**< a node or a network input; neither if the tensor is a
                               constant, missing or unknown */
    uint32_t out;         /**< index among the outputs of the node */
};

struct fsd_state_node {
    fsd_sym key;    /**< the node's name, possibly with "#N" behind it; unique in its
                         state */
    fsd_sym op;     /**< the operator, with its domain in front unless this is the
                         default domain */
    fsd_sym traits; /**< attributes and the shape of the weight as text, for
                         comparison */
    fsd_sym attrs;  /**< as text, such as "alpha=0.5 axis=-2": the attributes that have
                         another value than the default, and the constant inputs that
                         are parameters */
    fsd_sym values; /**< short constant inputs, as text: "scale=0.02 zero_point=int8:0",
                         "#1=0.5"; 0 if none or unknown */
    fsd_sym makes;  /**< name of its first output; 0 if unknown, or in a snapshot */
    fsd_sym known;  /**< 0 for a node with a unique name.  For another node: the name of
                         its first output, which identifies the node even if the order
                         of nodes differs */
    fsd_sym weight; /**< name of the initializer from which its second input comes; 0 if
                         none */
    fsd_sym module; /**< module in the exporter's source, such as "model.layers.0"; 0 if
                         unknown, or in a snapshot */
    bool named;     /**< whether the key is the node's own name, which no other node
                         has */
    uint8_t role, fate;
    struct fsd_span in; /**< a span of fsd_state.sources: the direct producer of each
                             input, in order, without constant inputs at the end */
    uint8_t precision;  /**< enum fsd_dtype: the realised precision */
    /* fsd_state_finish() sets the next three members. */
    struct fsd_producer core; /**< for a core node: its first output.  For another
                                   node: the origin of its data, which is an output of a
                                   core node or a network input */
    struct fsd_span core_in;  /**< a span of sources: like `in`, but each tensor is
                                   followed back to a core node or input */
    fsd_id group;             /**< the group that computes it; FSD_NONE if there is
                                   none */
    uint32_t line; /**< its line number in the snapshot; 0 if the state is from a run.
                        This holds for all members `line` in this file */
};

/** Type and layout of an engine's tensor, "fp16/chw32"; 0 if unknown. */
struct fsd_state_form {
    uint8_t type;   /**< enum fsd_dtype */
    fsd_sym layout; /**< as fsd_layout_name() spells it */
};

/** A tensor that a group reads or writes, and the form in which the group reads or
 *  writes it. */
struct fsd_border {
    struct fsd_origin at; /**< for a tensor that the group reads: the core node or
                               network input from which it comes; for a tensor that the
                               group writes: FSD_NO_ORIGIN */
    fsd_id node;          /**< the node of the group that reads or writes the tensor */
    struct fsd_state_form form;
};

/** A tensor at a port of a layer. */
struct fsd_state_tensor {
    struct fsd_state_form form;
    fsd_sym sizes;  /**< "32x64"; 0 if unknown */
    bool unwritten; /**< for an input of the layer: true if the layers of the dump do
                         not write the whole tensor; false for a binding or constant */
    struct fsd_producer from; /**< for a kernel's input: the origin of the data, before
                                   any data-movement layers.  `at`: a network input, or
                                   the last node of the group that writes the data;
                                   FSD_NO_ORIGIN if unknown.  `out`: if a group writes
                                   the data, the index of the output among all outputs
                                   of the group's kernels */
};

/** A layer, without facts that vary from build to build. */
struct fsd_kernel {
    uint8_t kind, precision;
    fsd_sym type;     /**< the type of the layer in the engine's words, such as
                           "gemm" */
    fsd_sym does;     /**< the operations that it performs, such as "Mul+Add"; 0 if
                           unknown */
    fsd_sym attrs;    /**< its parameters as the engine states them, sorted; 0 if
                           none */
    fsd_sym provider; /**< the execution provider, such as "CPUExecutionProvider"; 0 if
                           unknown */
    struct fsd_span in, out;  /**< spans of fsd_state.tensors, in the layer's order */
    struct fsd_span consts;   /**< a span of tensors, sorted: weights and other
                                   constants */
    struct fsd_span computes; /**< a span of refs (fsd_id): the nodes that this kernel
                                   is known to compute; empty if it is the only kernel
                                   of its group, or belongs to a move */
    uint32_t line;
};

/** A set of nodes, and all layers that compute them.  Layers that compute the same node
 *  are in the same group, so that no node is in two groups. */
struct fsd_group {
    uint8_t kind, precision;
    bool loose;                 /**< whether it is unknown which of its layers computes
                                     which node */
    struct fsd_origins unasked; /**< in refs: nodes and network inputs.  A layer of the
                                     group reads them, but no node of this layer reads
                                     them in the model */
    bool guessed; /**< whether a layer is linked to a node only by structure, the
                       weakest evidence */
    uint32_t layers;
    struct fsd_span nodes;   /**< a span of refs (fsd_id), sorted */
    struct fsd_span in, out; /**< spans of borders, sorted */
    struct fsd_span kernels; /**< a span of fsd_state.kernels, sorted: one for each of
                                  its layers; empty if the state has no kernels */
    fsd_sym tactic;          /**< tactic of its only layer; 0 if it has several layers,
                                  or in a snapshot */
    struct fsd_spread ms;    /**< in milliseconds, as in fsd_state.total */
    uint32_t line;
};

/** A layer that computes no core node: a layer that the builder inserted, an unfused Q
 *  or DQ, or a view. */
struct fsd_move {
    uint8_t kind, cause;
    bool inserted;
    struct fsd_state_form before, after;
    struct fsd_origins from;    /**< in refs */
    struct fsd_destinations to; /**< in refs */
    struct fsd_span nodes;      /**< a span of refs (fsd_id): the Q, DQ and views that
                                     it computes */
    struct fsd_span kernels;    /**< a span of fsd_state.kernels: the kernel of its
                                     layer */
    struct fsd_spread ms;       /**< in milliseconds, as in fsd_state.total */
    uint32_t line;
};

struct fsd_state_port {
    fsd_sym name, shape; /**< `shape`: such as "1x3x224x224" */
    struct fsd_state_form form;
    struct fsd_producer from;      /**< for an output: its direct producer */
    struct fsd_producer core_from; /**< `from`, followed back to a core node or input;
                                        set by fsd_state_finish() */
    uint32_t line;
};

/** An input or output of the engine, as an application sees it. */
struct fsd_binding {
    uint8_t output; /**< 0 or 1 */
    fsd_sym name;
    struct fsd_state_form form;
    fsd_sym shape; /**< "?x3x224x224"; 0 if unknown */
    fsd_sym ranges,
        outside; /**< `ranges` and `outside` as in fsd_tensor; 0 if unknown */
    uint32_t line;
};

/** The kind of object at an end of a wire. */
enum fsd_end_kind {
    FSD_END_NONE,
    FSD_END_GROUP,
    FSD_END_MOVE,
    FSD_END_INPUT,  /**< an input of the network */
    FSD_END_OUTPUT, /**< an output of the network */
    FSD_END_TENSOR, /**< a tensor of the engine: either one with many producers and
                         consumers, or an engine input or output that the network does
                         not have under this name */
    FSD__END_COUNT
};
struct fsd_state_end {
    uint32_t kind; /**< enum fsd_end_kind */
    uint32_t item; /**< its number among items of this kind; for a tensor, its index in
                        `tensor_names` */
};

/** A tensor between two ends. */
struct fsd_state_wire {
    struct fsd_state_end from, to;
    struct fsd_state_form written, read; /**< its form at `from`, and at `to` */
};
typedef FSD_VEC(struct fsd_state_wire) fsd_state_wires;

/** The maximum number of builds, which are named A to Z. */
enum { FSD_MOST_BUILDS = 26 };

/** A row of fsd_matrix in which another build of a snapshot differs from the first
 *  build. */
struct fsd_variant {
    struct fsd_span nodes; /**< in refs: the nodes of the row's groups in all builds;
                                empty if the row is an input or output, or if it
                                consists of the moves that belong to no group */
    fsd_sym
        port;  /**< if the row is an input or output of the network or the engine: its
                    name; else 0.  Set only in a state that fsd_variants_nearest()
                    returned */
    bool less; /**< whether the variant states less than the first build. Such a variant
                    is used only if its build and the checked build state the same kinds
                    of facts (fsd_variants_nearest()) */
    uint32_t build; /**< the number of the build with this variant; 0 is the first
                         build */
    uint32_t apart; /**< in a state that fsd_variants_nearest() returned: the number of
                         differences between `build` and the checked build in the row */
    uint32_t line;  /**< line number in the snapshot; 0 if it is the first build's
                         variant */
};

#define FSD_LAYER_MOVES UINT32_C(0x80000000) /**< ORed with the number of a move */

/** How long the builder took to choose a kernel, according to the build log.  `name` is
 *  a layer, or a reformat that the builder tried. */
struct fsd_state_effort {
    fsd_sym name; /**< the name of the layer in the log */
    fsd_id layer; /**< the layer of the engine; FSD_NONE if no layer has this name */
    double seconds;
};

/** The version of the facts that this program derives from files.  Raise it whenever a
 *  change of a reader, of the matcher or of a table changes the facts about the same
 *  files.  A check then recognizes that another version of the program may have stated
 *  the facts of a snapshot differently. */
enum { FSD_READING = 3 };

struct fsd_state {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    const char *model_path, *engine_path; /**< for a snapshot, both are the path of the
                                               snapshot; for a model alone, both are the
                                               path of the model */
    struct fsd_command command;           /**< all members are NULL in a state from a
                                               snapshot */
    uint64_t model_hash[2], engine_hash[2];
    fsd_sym engine_kind, producer;
    bool only_timed; /**< as in the engine's graph; false in a state from a snapshot */
    fsd_sym stated;  /**< which facts the dump states about its layers: "names",
                          "tensors", "metadata" or "tensors,metadata"; 0 if unknown, as
                          in an old snapshot */
    fsd_built_vec built; /**< as in the engine's graph */
    bool whole;       /**< whether it has kernels, bindings and all attributes; an old
                           snapshot lacks them */
    uint32_t reading; /**< FSD_READING of the program version that made the state; 0 if
                           this version had no FSD_READING */
    uint32_t layers, computing, mapped;
    int64_t bytes; /**< bytes that the layers read and write, without the layers that
                        `bytes_unknown` counts; 0 if unknown, as in an old snapshot */
    uint32_t bytes_unknown; /**< number of layers whose bytes are unknown */
    uint32_t profiles;      /**< number of profiles from which the times come; 0 if
                                 there are no times */
    /** Number of layers that lack a time in at least one profile.  Layers of moves do
     *  not count.  A snapshot has times of groups, not of layers: if a group has no
     *  time, all its layers count. */
    uint32_t untimed;
    /** Milliseconds of all layers together.  Each profile gives one value: the sum of
     *  the layers' times, which are means over its runs.  fsd_spread_robust() makes a
     *  spread of these values. */
    struct fsd_spread total;
    /** Milliseconds of a whole run: fsd_spread_robust() over the times of `timed_runs`
     *  runs.  `timed_runs` is 0 if no times are known. */
    struct fsd_spread run;
    uint32_t timed_runs;
    FSD_VEC(struct fsd_state_port) inputs;
    FSD_VEC(struct fsd_state_port) outputs;
    FSD_VEC(struct fsd_state_node) nodes;
    FSD_VEC(struct fsd_binding) bindings; /**< inputs first, each part sorted by name */
    FSD_VEC(struct fsd_group) groups;
    FSD_VEC(struct fsd_move) moves;
    FSD_VEC(struct fsd_kernel) kernels;
    FSD_VEC(struct fsd_state_tensor) tensors;
    FSD_VEC(struct fsd_border) borders;
    FSD_VEC(struct fsd_producer) sources;
    FSD_VEC(uint32_t) refs; /**< nodes, origins and destinations */
    fsd_state_wires wires;  /**< sorted; valid if `wired` */
    bool wired;             /**< whether `wires` is set.  True for a model without an
                                 engine, and for a run whose engine states tensors */
    FSD_VEC(fsd_sym) tensor_names; /**< names for ends of kind FSD_END_TENSOR */
    /** The other builds of a snapshot.  Each is a copy of the first build with its own
     *  variants.  All builds share the arena, the names, and the arrays that spans
     *  index. */
    FSD_VEC(struct fsd_state *) also;
    FSD_VEC(struct fsd_variant) variants;
    FSD_VEC(struct fsd_state_effort) efforts; /**< empty if unknown, as in a snapshot */
    bool efforts_stamped; /**< whether the seconds are differences of time stamps; they
                               are then whole numbers */
    double build_seconds; /**< seconds of the longest step of the build; 0 or negative
                               if unknown */
    /* The next two members translate the numbers that a user may give for nodes and
     * layers.  They are NULL in a state from a snapshot. */
    uint32_t *number_of; /**< indexed by node: its number in the model */
    uint32_t *of_layer;  /**< indexed by layer: number of its group, or number of its
                              move ORed with FSD_LAYER_MOVES */
    /** Indexed by symbol, for symbols below `hashed`: fsd_hash_text() of the symbol's
     *  text.  Stored because a matrix uses the hashes in each of its comparisons. */
    const uint64_t *hashes;
    uint32_t hashed;
};

/** fsd_hash_text() of the symbol's text. */
static inline uint64_t fsd_state_hash(const struct fsd_state *s, fsd_sym sym)
{
    return sym < s->hashed ? s->hashes[sym] : fsd_hash_text(fsd_text(s->names, sym));
}

/** fsd_state_knows_nodes(): whether the operators and inputs of the nodes are known,
 *  from a model or from the parser's lines in a log.  fsd_state_knows_attributes():
 *  whether their attributes are also known, which needs a model. */
bool fsd_state_knows_nodes(const struct fsd_state *s);
bool fsd_state_knows_attributes(const struct fsd_state *s);

/** Whether both states come from the same bytes of a model file.  If so, their nodes
 *  can differ only because different versions of this program made the states. */
bool fsd_state_is_of_same_model(const struct fsd_state *a, const struct fsd_state *b);

/** Whether a node is a QuantizeLinear, and thus the first node of a Q/DQ pair. */
bool fsd_state_heads_pair(const struct fsd_state *s, fsd_id node);

/** Whether nodes of the network may be missing in the state.  They may be missing if
 *  fsd_state_knows_nodes() is false and the state has a region, because the name of a
 *  region states only the first and the last node of the region. */
bool fsd_state_elides(const struct fsd_state *s);

/** The group of a node; FSD_NONE if it has none or `node` is FSD_NONE. */
static inline fsd_id fsd_state_group_of(const struct fsd_state *s, fsd_id node)
{
    return node == FSD_NONE ? FSD_NONE : s->nodes.at[node].group;
}

/** The key of a node; NULL for FSD_NONE. */
static inline const char *fsd_state_node_key(const struct fsd_state *s, fsd_id node)
{
    return node == FSD_NONE ? NULL : fsd_text(s->names, s->nodes.at[node].key);
}

/** The outcome of a node, as text; NULL for FSD_NONE. */
static inline const char *fsd_state_fate(const struct fsd_state *s, fsd_id node)
{
    return node == FSD_NONE ? NULL
                            : fsd_fate_name((enum fsd_fate)s->nodes.at[node].fate);
}

/** The line number of a node in its snapshot; 0 for FSD_NONE. */
static inline uint32_t fsd_state_line(const struct fsd_state *s, fsd_id node)
{
    return node == FSD_NONE ? 0 : s->nodes.at[node].line;
}

/** The role of a node; FSD_ROLE_SIDE for FSD_NONE. */
static inline enum fsd_role fsd_state_role_of(const struct fsd_state *s, fsd_id node)
{
    return node == FSD_NONE ? FSD_ROLE_SIDE : (enum fsd_role)s->nodes.at[node].role;
}

/** Creates an empty state with its own arena and names; free it with
 *  fsd_state_free(). */
struct fsd_state *fsd_state_new(void);
void fsd_state_free(struct fsd_state *s); /**< may be NULL */

/** Makes the state of a run.  The run may be freed afterwards. */
struct fsd_state *fsd_state_of(const struct fsd_diff *d);

/** Makes the state of a model without an engine: each core node is a group without
 *  layers, with the types that the model states.
 *  @param scratch memory that is used only during the call. */
struct fsd_state *fsd_state_of_model(const struct fsd_graph *model,
                                     const struct fsd_facts *facts,
                                     struct fsd_arena *scratch);

/** Prints a tensor as in snapshots: "fp16/chw32:1x64x7x7". */
void fsd_put_state_tensor(const struct fsd_state *s, const struct fsd_state_tensor *t,
                          FILE *out);

/** Sets `hashes`.  Every function that makes a state calls this last. */
void fsd_state_hash_names(struct fsd_state *s);

/** Sets the group of every node. */
void fsd_state_set_groups(struct fsd_state *s);

/** Sets `untimed` to the number of layers in the groups that have no time. */
void fsd_state_set_untimed(struct fsd_state *s);

/** A word of a list such as "alpha=0.5 axis=-2", which has one blank between two words.
 *  Attributes, values and parameters of kernels are such lists. */
struct fsd_state_word {
    struct fsd_slice name, value; /**< `value`: empty if the word has none */
};

/** fsd_state_next_word() takes the next word of the list *at; false at the end of the
 *  list.  fsd_state_find_word() finds the word with this name; false if there is none
 *  (state_values.c). */
bool fsd_state_next_word(const char **at, struct fsd_state_word *word);
bool fsd_state_find_word(const char *list, struct fsd_slice name,
                         struct fsd_state_word *found);

/** Numbers the outputs of each group: first the outputs of its first kernel, then those
 *  of its second kernel, and so on.  fsd_state_tensor.from.out is such a number.
 *  @return array in `arena`, indexed by kernel: the number of its first output.
 *          state_sources.c */
uint32_t *fsd_state_number_outputs(const struct fsd_state *s, struct fsd_arena *arena);

/** The number of elements of sizes such as "2x1x256"; 0 if unknown
 *  (state_kernels.c). */
uint64_t fsd_state_count(const struct fsd_state *s, fsd_sym sizes);

/** The kernel that writes the tensor `from`.
 *  @param first the result of fsd_state_number_outputs()
 *  @param from as in fsd_state_tensor.from
 *  @param[out] out index of the tensor among the kernel's outputs
 *  @return FSD_NONE if `from` is an input of the network or unknown.  Also FSD_NONE if
 *          the kernel is in another variant of a snapshot. */
fsd_id fsd_state_writer(const struct fsd_state *s, const uint32_t *first,
                        struct fsd_producer from, uint32_t *out);

/** Sets `core`, `core_in` and `group` of all nodes, `core_from` of all outputs, and
 *  `untimed`.  Every function that makes a state from a run or from a snapshot calls
 *  this at the end. */
void fsd_state_finish(struct fsd_state *s);

/** Prints a form as "fp16 chw32" if `between` is ' ', as in reports, and as
 *  "fp16/chw32" if it is '/', as in snapshots; "?" if unknown. */
void fsd_put_state_form(const struct fsd_state *s, struct fsd_state_form form,
                        char between, FILE *out);
/** Prints the forms that a move reads and writes, such as "fp32 chw -> fp16 chw32";
 *  `between` as in fsd_put_state_form(). */
void fsd_put_move_forms(const struct fsd_state *s, const struct fsd_move *m,
                        char between, FILE *out);

/** The wires of a build: `wires` if the state is `wired`, else wires that are derived
 *  from the nodes.
 *  @param arena holds the derived wires. */
fsd_state_wires fsd_state_wires_of(const struct fsd_state *s, struct fsd_arena *arena);

/** The node to which a move belongs: the first core or optional node among the move's
 *  destinations.  If there is none: the first core or optional node among its origins;
 *  else FSD_NONE. */
fsd_id fsd_state_owner_of_move(const struct fsd_state *s, const struct fsd_move *m);

/** The key of the node, or the name of the input or output; "" for neither. */
const char *fsd_origin_text(const struct fsd_state *s, struct fsd_origin origin);
const char *fsd_destination_text(const struct fsd_state *s,
                                 struct fsd_destination destination);

/** A list of nodes, origins or destinations, with the kind of its items, for functions
 *  that accept all three kinds. */
struct fsd_ends {
    const struct fsd_state *s;
    enum { FSD_ENDS_NODES, FSD_ENDS_ORIGINS, FSD_ENDS_DESTINATIONS } are;
    const uint32_t *refs; /**< its items; invalid once the array with the list grows */
    uint32_t n;
};
static inline struct fsd_ends fsd_ends_of_nodes(const struct fsd_state *s,
                                                struct fsd_span nodes)
{
    return (struct fsd_ends){s, FSD_ENDS_NODES, nodes.n ? s->refs.at + nodes.at : NULL,
                             nodes.n};
}
static inline struct fsd_ends fsd_ends_of_destinations(const struct fsd_state *s,
                                                       struct fsd_destinations list)
{
    return (struct fsd_ends){s, FSD_ENDS_DESTINATIONS,
                             list.n ? s->refs.at + list.at : NULL, list.n};
}
/** @param refs the array that holds the list */
static inline struct fsd_ends fsd_ends_in(const struct fsd_state *s,
                                          const uint32_t *refs, struct fsd_origins list)
{
    return (struct fsd_ends){s, FSD_ENDS_ORIGINS, list.n ? refs + list.at : NULL,
                             list.n};
}
static inline struct fsd_ends fsd_ends_of_origins(const struct fsd_state *s,
                                                  struct fsd_origins list)
{
    return fsd_ends_in(s, s->refs.at, list);
}

/** fsd_end_node(): the node if end i is a node, else FSD_NONE. fsd_end_port(): the
 *  number of the input or output if end i is one, else FSD_NONE. */
static inline fsd_id fsd_end_node(struct fsd_ends ends, uint32_t i)
{
    return fsd_ref_node(ends.refs[i]);
}
static inline uint32_t fsd_end_port(struct fsd_ends ends, uint32_t i)
{
    return fsd_ref_port(ends.refs[i]);
}
/** End i as text: the key of the node, or the name of the input or output. */
const char *fsd_end_text(struct fsd_ends ends, uint32_t i);

/** Whether the role is core or optional. */
static inline bool fsd_role_computes(unsigned role)
{
    return role == FSD_ROLE_CORE || role == FSD_ROLE_OPTIONAL;
}
const char *fsd_role_name(unsigned value);

/** Whether the attribute has a value that means the same as a missing attribute, such
 *  as strides of 1 or pads of 0.  This holds for all operators with this attribute. */
bool fsd_state_attr_is_plain(const struct fsd_graph *g, const struct fsd_attr *a);

/** Prints item i of an attribute that is a list (state_kernels.c). */
void fsd_put_attr_item(FILE *out, const struct fsd_graph *g, const struct fsd_attr *a,
                       uint32_t i);
