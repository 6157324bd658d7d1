/*
 * The properties of one build that are compared: the outcome of each ONNX node, the
 * nodes that each fusion group computes, and the layers inserted between groups.  A
 * state is made from a run or read from a snapshot; both give the same state.
 *
 *     node   Conv_34  core  int8   reads DequantizeLinear_30, and through it Relu_24
 *     group  compute  int8  Conv_34 Add_36 Relu_37; in: Relu_24 int8/chw32, ...
 *     move   quantize       from Relu_37 to Conv_47, fp16/chw32 -> int8/chw32
 *
 *     kernel gemm int8  [32x64 int8] -> [32x192 fp32], made of [64x192 int8]
 *
 * Layer names, layer order, tactics and tensor names are not part of the state, since
 * they vary from build to build without significance.  Nodes are in file order, which
 * ONNX requires to be topological; groups and moves are sorted by the nodes they serve.
 * Constant nodes are left out.
 *
 * Every layer of the engine is in exactly one group or move, so that their times add up
 * to the engine's.
 */
#pragma once

#include "explain/diff/diff.h"

struct fsd_attr;

/** The role of a node in the comparison; exactly one holds. */
enum fsd_role {
    FSD_ROLE_CORE,      /**< computes; fusion is a partition of these */
    FSD_ROLE_OPTIONAL,  /**< computes, but an exporter may fold it: BatchNormalization,
                             Cast */
    FSD_ROLE_QUANTIZER, /**< Q or DQ */
    FSD_ROLE_VIEW,      /**< forwards its data: Identity, Reshape, etc. */
    FSD_ROLE_SIDE,      /**< folded or dead: not on a path from an input to an output */
    FSD__ROLE_COUNT
};

/* The origin of a tensor (a node or an input of the network) and its destination (a
 * node or an output of the network) are two different types, and so are lists of them,
 * since an input's number means nothing among the outputs. Only the functions below
 * access the members. */

/** A node or an input of the network; neither for a constant. */
struct fsd_origin {
    uint32_t ref;
};

/** A node or an output of the network; neither if it is unknown. */
struct fsd_destination {
    uint32_t ref;
};

/** A sorted range in fsd_state.refs or fsd_compare.pool. */
struct fsd_origins {
    uint32_t at, n;
};
struct fsd_destinations {
    uint32_t at, n;
};

#define FSD_REF_PORT       UINT32_C(0x80000000) /**< ORed with a port's number */
#define FSD_NO_ORIGIN      ((struct fsd_origin){FSD_NONE})
#define FSD_NO_DESTINATION ((struct fsd_destination){FSD_NONE})

static inline fsd_id fsd_ref_node(uint32_t ref)
{
    return ref & FSD_REF_PORT ? FSD_NONE : ref; /* FSD_NONE also has this bit set */
}

static inline uint32_t fsd_ref_port(uint32_t ref)
{
    return ref != FSD_NONE && ref & FSD_REF_PORT ? ref & ~FSD_REF_PORT : FSD_NONE;
}

static inline uint32_t fsd_ref_of_port(uint32_t port)
{
    return port == FSD_NONE ? FSD_NONE : FSD_REF_PORT | port;
}

/** The node, or the number of the input; FSD_NONE if the origin is of the other kind or
 *  neither. */
static inline fsd_id fsd_origin_node(struct fsd_origin origin)
{
    return fsd_ref_node(origin.ref);
}
static inline uint32_t fsd_origin_input(struct fsd_origin origin)
{
    return fsd_ref_port(origin.ref);
}

/** FSD_NONE gives an origin that is neither a node nor an input. */
static inline struct fsd_origin fsd_node_origin(fsd_id node)
{
    return (struct fsd_origin){node};
}
static inline struct fsd_origin fsd_input_origin(uint32_t input)
{
    return (struct fsd_origin){fsd_ref_of_port(input)};
}

/** Whether it is a node or an input. */
static inline bool fsd_is_origin(struct fsd_origin origin)
{
    return origin.ref != FSD_NONE;
}
static inline bool fsd_same_origin(struct fsd_origin a, struct fsd_origin b)
{
    return a.ref == b.ref;
}

/** The node, or the number of the output; FSD_NONE if the destination is of the other
 *  kind or neither. */
static inline fsd_id fsd_destination_node(struct fsd_destination destination)
{
    return fsd_ref_node(destination.ref);
}
static inline uint32_t fsd_destination_output(struct fsd_destination destination)
{
    return fsd_ref_port(destination.ref);
}

/** FSD_NONE gives a destination that is neither a node nor an output. */
static inline struct fsd_destination fsd_node_destination(fsd_id node)
{
    return (struct fsd_destination){node};
}
static inline struct fsd_destination fsd_output_destination(uint32_t output)
{
    return (struct fsd_destination){fsd_ref_of_port(output)};
}

/** Element i of a list.
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

/** A tensor, identified by its producer. */
struct fsd_producer {
    struct fsd_origin at; /**< neither: a constant, or an input that is left out */
    uint32_t out;         /**< which output of the node */
};

struct fsd_state_node {
    fsd_sym key;    /**< unique in its state: the node's name, possibly followed by
                         "#N" */
    fsd_sym op;     /**< prefixed with its domain unless this is the default domain */
    fsd_sym traits; /**< attributes and weight shape as text; equal text means that they
                         agree */
    fsd_sym attrs;  /**< non-default attributes, and constant inputs that are
                         parameters, as text: "alpha=0.5 axis=-2" */
    fsd_sym values; /**< short constants among its inputs, as text: "scale=0.02
                         zero_point=int8:0", "#1=0.5"; 0: none, or unknown */
    fsd_sym makes;  /**< name of its first output; 0: unknown, or read from a
                         snapshot */
    fsd_sym known;  /**< name of the first output of an unnamed node, which identifies
                         it if the order of nodes differs; 0: it is named */
    fsd_sym weight; /**< name of the initializer that its second input comes from; 0:
                         none */
    fsd_sym module; /**< module in the exporter's source, such as "model.layers.0"; 0:
                         unknown, or read from a snapshot */
    bool named;     /**< the key is the node's own name, which no other node has */
    uint8_t role, fate;
    struct fsd_span in; /**< in fsd_state.sources: the direct producer of each input, in
                             order; trailing inputs that are constant are left out */
    uint8_t precision;  /**< enum fsd_dtype: the realised precision, mostly that of its
                             group */
    /* Set by fsd_state_finish(): */
    struct fsd_producer core; /**< its first output, resolved through all nodes except
                                   core nodes; a core node's own output */
    struct fsd_span core_in;  /**< in sources: the producers of `in`, resolved in the
                                   same way */
    fsd_id group;             /**< the group that computes it; FSD_NONE: none */
    uint32_t line; /**< line number in the snapshot, as for all members `line` here;
                        else 0 */
};

/** Type and layout as in the engine, "fp16/chw32"; empty if unknown. */
struct fsd_state_form {
    uint8_t type;   /**< enum fsd_dtype */
    fsd_sym layout; /**< in the spelling of fsd_layout_name() */
};

/** A tensor that crosses the border of a group, with its form at that border. */
struct fsd_border {
    struct fsd_origin at; /**< for an input: its core node or network input; for an
                               output: FSD_NO_ORIGIN */
    fsd_id node; /**< for an input: the consuming node of the group; for an output: its
                      producer */
    struct fsd_state_form form;
};

/** A tensor as a layer states it. */
struct fsd_state_tensor {
    struct fsd_state_form form;
    fsd_sym sizes;  /**< "32x64"; 0: unknown */
    bool unwritten; /**< an input that no layer of the dump writes and that is not an
                         input or constant of the network: the dump lacks a layer */
    struct fsd_producer from; /**< for a kernel's input: an input of the network, or the
                                   last node of the group that writes it, with the index
                                   of the tensor among all outputs of the group's
                                   kernels; data-movement layers are skipped. Neither:
                                   unknown */
};

/** A layer, without the facts that vary from build to build. */
struct fsd_kernel {
    uint8_t kind, precision;
    fsd_sym type;     /**< the engine's name of the type, such as "gemm" */
    fsd_sym does;     /**< the operations that it performs, "Mul+Add"; 0: unknown */
    fsd_sym attrs;    /**< its parameters as the engine states them, sorted; 0: none */
    fsd_sym provider; /**< the execution provider, such as "CPUExecutionProvider"; 0:
                           unknown */
    struct fsd_span in, out;  /**< in fsd_state.tensors, in the layer's order */
    struct fsd_span consts;   /**< in tensors, sorted: weights and other constants */
    struct fsd_span computes; /**< fsd_id in refs: if the group has several kernels, the
                                   nodes that this one computes */
    uint32_t line;
};

/** A set of core nodes, and all layers that compute them. Layers that compute a common
 *  node are in one group, so no node is in two groups. */
struct fsd_group {
    uint8_t kind, precision;
    bool loose;                 /**< it is unknown which layer computes which node */
    struct fsd_origins unasked; /**< in refs: producers in other groups, or network
                                     inputs, that its layers read although the model's
                                     nodes do not */
    bool guessed; /**< a layer was matched to a node by structure alone, the weakest
                       evidence */
    uint32_t layers;
    struct fsd_span nodes;   /**< fsd_id in refs, sorted; at least one node computes */
    struct fsd_span in, out; /**< in borders, sorted */
    struct fsd_span kernels; /**< in fsd_state.kernels, sorted: all its layers; empty if
                                  the state holds no kernels */
    fsd_sym tactic;          /**< tactic of its only layer; 0 if it has several layers;
                                  not in a snapshot */
    struct fsd_spread ms;    /**< in milliseconds, as in fsd_state.total */
    uint32_t line;
};

/** A layer that computes no core node: inserted by the builder, an unfused Q or DQ, or
 *  a view. */
struct fsd_move {
    uint8_t kind, cause;
    bool inserted;
    struct fsd_state_form before, after;
    struct fsd_origins from;    /**< in refs */
    struct fsd_destinations to; /**< in refs */
    struct fsd_span nodes;      /**< fsd_id in refs: the Q, DQ and views that it
                                     realises */
    struct fsd_span kernels;    /**< in fsd_state.kernels: the kernel of its layer */
    struct fsd_spread ms;       /**< in milliseconds, as in fsd_state.total */
    uint32_t line;
};

struct fsd_state_port {
    fsd_sym name, shape; /**< shape as "1x3x224x224" */
    struct fsd_state_form form;
    struct fsd_producer from;      /**< for an output: its direct producer */
    struct fsd_producer core_from; /**< the same, resolved through all nodes except core
                                        nodes; set by fsd_state_finish() */
    uint32_t line;
};

/** An input or output of the engine, as applications see it. */
struct fsd_binding {
    uint8_t output; /**< 0 or 1 */
    fsd_sym name;
    struct fsd_state_form form;
    fsd_sym shape; /**< "?x3x224x224"; 0: unknown */
    fsd_sym ranges,
        outside; /**< ranges of the optimization profiles, as in fsd_tensor; 0:
                      unknown */
    uint32_t line;
};

/** The kind of object at an end of a wire. */
enum fsd_end_kind {
    FSD_END_NONE,
    FSD_END_GROUP,
    FSD_END_MOVE,
    FSD_END_INPUT,  /**< an input of the network */
    FSD_END_OUTPUT, /**< an output of the network */
    FSD_END_TENSOR, /**< a tensor of the engine: a port whose name in the network
                         differs, or a tensor with many producers and consumers */
    FSD__END_COUNT
};
struct fsd_state_end {
    uint32_t kind; /**< enum fsd_end_kind */
    uint32_t item; /**< its number among items of that kind; for a tensor, in
                        `tensor_names` */
};

/** A tensor between two ends. */
struct fsd_state_wire {
    struct fsd_state_end from, to;
    struct fsd_state_form written, read; /**< its form at the two ends */
};
typedef FSD_VEC(struct fsd_state_wire) fsd_state_wires;

/** Several builds are named A to Z. */
enum { FSD_MOST_BUILDS = 26 };

/** A row of fsd_matrix in one of the further builds of a snapshot. */
struct fsd_variant {
    struct fsd_span nodes; /**< in refs: the nodes of its groups in all builds; empty:
                                the row is `port`, or the moves that belong to no
                                group */
    fsd_sym
        port;  /**< an input or output of the network or the engine; 0: none. Set only
                    in the state returned by fsd_variants_nearest() */
    bool less; /**< it states less than the first build.  If a different version of the
                    builder would state the rest, the variant must not excuse a
                    difference */
    uint32_t build; /**< the build with this variant; 0 is the first build */
    uint32_t apart; /**< in the state returned by fsd_variants_nearest(): by how much
                         that build differs */
    uint32_t line;  /**< line number in the snapshot; 0: the first build's variant */
};

#define FSD_LAYER_MOVES UINT32_C(0x80000000) /**< ORed with a move's number */

/** The time that the builder spent on choosing kernels for a layer, or for a reformat
 *  that it tried, as the build's log states. */
struct fsd_state_effort {
    fsd_sym name; /**< the name in the log's lines on its kernels */
    fsd_id layer; /**< the engine's layer; FSD_NONE: no layer has that name */
    double seconds;
};

/** The version of what this program reads out of files.  It is raised whenever a
 *  reader, the matcher or a table changes the facts that are stated about the same
 *  files: a check then knows that another version of the program may have stated the
 *  snapshot's facts differently. */
enum { FSD_READING = 3 };

struct fsd_state {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    const char *model_path, *engine_path; /**< for a snapshot, both are its own path;
                                               for a model alone, both are the
                                               model's */
    struct fsd_command command;           /**< NULLs in a state from a snapshot */
    uint64_t model_hash[2], engine_hash[2];
    fsd_sym engine_kind, producer;
    bool only_timed; /**< as in the engine's graph; false in a state from a snapshot */
    fsd_sym stated;  /**< what the dump states of its layers: "tensors", "metadata" or
                          "tensors,metadata"; 0: unknown, in an old snapshot */
    fsd_built_vec built; /**< as in the engine's graph */
    bool whole;       /**< it holds kernels, bindings and all attributes, which an old
                           snapshot lacks */
    uint32_t reading; /**< FSD_READING of the version that made it; 0: that version had
                           none */
    uint32_t layers, computing, mapped;
    int64_t bytes; /**< bytes that its layers read and write, where known; 0: unknown,
                        as in an old snapshot */
    uint32_t bytes_unknown; /**< number of layers whose bytes are unknown */
    uint32_t profiles;      /**< number of profiles that the times come from; 0: there
                                 are no times */
    /** Number of layers in groups that no profile names. */
    uint32_t untimed;
    /** Milliseconds of all layers: the median over the profiles, with
     *  fsd_spread_robust() around it.  Each profile states means over its runs. */
    struct fsd_spread total;
    /** Milliseconds of a whole run: fsd_spread_robust() of `timed_runs` times; 0: none
     *  are known. */
    struct fsd_spread run;
    uint32_t timed_runs;
    FSD_VEC(struct fsd_state_port) inputs;
    FSD_VEC(struct fsd_state_port) outputs;
    FSD_VEC(struct fsd_state_node) nodes;
    FSD_VEC(struct fsd_binding) bindings; /**< sorted by name, inputs first */
    FSD_VEC(struct fsd_group) groups;
    FSD_VEC(struct fsd_move) moves;
    FSD_VEC(struct fsd_kernel) kernels;
    FSD_VEC(struct fsd_state_tensor) tensors;
    FSD_VEC(struct fsd_border) borders;
    FSD_VEC(struct fsd_producer) sources;
    FSD_VEC(uint32_t) refs; /**< nodes, origins and destinations */
    fsd_state_wires wires;  /**< sorted; as fsd_state_wires_of() returns them */
    bool wired;             /**< `wires` is set: for a model alone, and for a run whose
                                 engine states tensors */
    FSD_VEC(fsd_sym) tensor_names; /**< names of wire ends that are tensors */
    /** The further builds of a snapshot. Each is the first build with its own variants
     *  applied, and shares the first build's arena, names and all arrays that spans
     *  index. */
    FSD_VEC(struct fsd_state *) also;
    FSD_VEC(struct fsd_variant) variants;
    FSD_VEC(struct fsd_state_effort) efforts; /**< empty: unknown, as in a snapshot */
    bool efforts_stamped; /**< the seconds are differences of time stamps, and thus
                               whole */
    double build_seconds; /**< seconds of the longest build step; not positive:
                               unknown */
    /* Numbers that users may give for nodes and layers; NULL in a state from a
     * snapshot. */
    uint32_t *number_of; /**< indexed by node: its number in the model */
    uint32_t *of_layer;  /**< indexed by layer: its group, or its move |
                              FSD_LAYER_MOVES */
    /** Indexed by symbol below `hashed`: fsd_hash_text() of the symbol's text, stored
     *  because a matrix uses these hashes in each of its comparisons. */
    const uint64_t *hashes;
    uint32_t hashed;
};

/** fsd_hash_text() of the symbol's text. */
static inline uint64_t fsd_state_hash(const struct fsd_state *s, fsd_sym sym)
{
    return sym < s->hashed ? s->hashes[sym] : fsd_hash_text(fsd_text(s->names, sym));
}

/** Whether a state has the operators and inputs of its nodes, from a model or from the
 *  parser's lines in a log. With a model it also has their attributes. */
bool fsd_state_knows_nodes(const struct fsd_state *s);
bool fsd_state_knows_attributes(const struct fsd_state *s);

/** Whether both come from the same model file, byte for byte: differences between their
 *  nodes then come from the reading. */
bool fsd_state_is_of_same_model(const struct fsd_state *a, const struct fsd_state *b);

/** Whether a node is a QuantizeLinear, of which each Q/DQ pair has one. */
bool fsd_state_heads_pair(const struct fsd_state *s, fsd_id node);

/** Whether nodes of the network may be missing: there is no model, and a region's name
 *  lists only its ends. */
bool fsd_state_elides(const struct fsd_state *s);

/** The group of a node; FSD_NONE for FSD_NONE. */
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

/** The line of a node in its snapshot; 0 for FSD_NONE. */
static inline uint32_t fsd_state_line(const struct fsd_state *s, fsd_id node)
{
    return node == FSD_NONE ? 0 : s->nodes.at[node].line;
}

/** The role of a node; FSD_ROLE_SIDE for FSD_NONE, as for nodes that are on no path. */
static inline enum fsd_role fsd_state_role_of(const struct fsd_state *s, fsd_id node)
{
    return node == FSD_NONE ? FSD_ROLE_SIDE : (enum fsd_role)s->nodes.at[node].role;
}

/** An empty state with its own arena and names. */
struct fsd_state *fsd_state_new(void);
void fsd_state_free(struct fsd_state *s); /**< may be NULL */

/** The state of a run.  The run may be freed afterwards. */
struct fsd_state *fsd_state_of(const struct fsd_diff *d);

/** The state of a model without an engine: each core node is a separate group without
 *  layers, in the types that the model states.
 *  @param scratch used only until this returns. */
struct fsd_state *fsd_state_of_model(const struct fsd_graph *model,
                                     const struct fsd_facts *facts,
                                     struct fsd_arena *scratch);

/** Prints a tensor in the grammar of snapshots, "fp16/chw32:1x64x7x7". */
void fsd_put_state_tensor(const struct fsd_state *s, const struct fsd_state_tensor *t,
                          FILE *out);

/** Computes the hashes for fsd_state_hash(); every function that makes a state calls it
 *  last. */
void fsd_state_hash_names(struct fsd_state *s);

/** Sets the group of every node. */
void fsd_state_set_groups(struct fsd_state *s);

/** Counts the layers of groups without a time. */
void fsd_state_set_untimed(struct fsd_state *s);

/** A word of a list with one blank between the words, such as a node's attributes or
 *  values, or a kernel's parameters: "alpha=0.5 axis=-2". */
struct fsd_state_word {
    struct fsd_slice name, value; /**< value: empty if the word has none */
};

/** Takes the next word of the list; false at its end. state_values.c */
bool fsd_state_next_word(const char **at, struct fsd_state_word *word);
bool fsd_state_find_word(const char *list, struct fsd_slice name,
                         struct fsd_state_word *found);

/** Indexed by kernel: the number of its first output among all outputs of its group's
 *  kernels, as fsd_state_tensor.from counts them. state_sources.c */
uint32_t *fsd_state_number_outputs(const struct fsd_state *s, struct fsd_arena *arena);

/** The number of values of "2x1x256"; 0: unknown. state_kernels.c */
uint64_t fsd_state_count(const struct fsd_state *s, fsd_sym sizes);

/** The kernel that writes a tensor; FSD_NONE if `from` is an input of the network,
 *  unknown, or belongs to another variant of a snapshot.
 *  @param first  from fsd_state_number_outputs()
 *  @param[out] out  which of the kernel's outputs it is */
fsd_id fsd_state_writer(const struct fsd_state *s, const uint32_t *first,
                        struct fsd_producer from, uint32_t *out);

/** Sets the members whose comments name this function.  Every function that makes a
 *  state, from a run or from a snapshot, calls it at the end. */
void fsd_state_finish(struct fsd_state *s);

/** Prints "fp16 chw32" with ' ' between, as in reports; "fp16/chw32" with '/', as in a
 *  snapshot; "?" if unknown. */
void fsd_put_state_form(const struct fsd_state *s, struct fsd_state_form form,
                        char between, FILE *out);
/** Prints the forms that a move reads and writes, "fp32 chw -> fp16 chw32", in the same
 *  spelling. */
void fsd_put_move_forms(const struct fsd_state *s, const struct fsd_move *m,
                        char between, FILE *out);

/** The wires of a build: the engine's tensors if the state is `wired`, else wires
 *  derived from the nodes.
 *  @param arena for the derived wires. */
fsd_state_wires fsd_state_wires_of(const struct fsd_state *s, struct fsd_arena *arena);

/** The node that a move belongs to: the first of its destinations that can be in a
 *  group, else the first such origin; FSD_NONE if there is none. */
fsd_id fsd_state_owner_of_move(const struct fsd_state *s, const struct fsd_move *m);

/** The node's key, or the port's name; "" if it is neither. */
const char *fsd_origin_text(const struct fsd_state *s, struct fsd_origin origin);
const char *fsd_destination_text(const struct fsd_state *s,
                                 struct fsd_destination destination);

/** A list of nodes, origins or destinations, together with the kind of its items, for
 *  code that treats all kinds alike. */
struct fsd_ends {
    const struct fsd_state *s;
    enum { FSD_ENDS_NODES, FSD_ENDS_ORIGINS, FSD_ENDS_DESTINATIONS } are;
    const uint32_t *refs; /**< valid until the list's array grows */
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

/** End i: its node, or its number among the inputs or outputs; FSD_NONE if the end is
 *  of the other kind. */
static inline fsd_id fsd_end_node(struct fsd_ends ends, uint32_t i)
{
    return fsd_ref_node(ends.refs[i]);
}
static inline uint32_t fsd_end_port(struct fsd_ends ends, uint32_t i)
{
    return fsd_ref_port(ends.refs[i]);
}
/** End i as text. */
const char *fsd_end_text(struct fsd_ends ends, uint32_t i);

/** Whether the role is core or optional. */
static inline bool fsd_role_computes(unsigned role)
{
    return role == FSD_ROLE_CORE || role == FSD_ROLE_OPTIONAL;
}
const char *fsd_role_name(unsigned value);

/** Whether an attribute has the value that is equivalent to leaving it out for all
 *  operators that have it: strides of 1, pads of 0. */
bool fsd_state_attr_is_plain(const struct fsd_graph *g, const struct fsd_attr *a);

/** Prints item i of an attribute that is a list. state_kernels.c */
void fsd_put_attr_item(FILE *out, const struct fsd_graph *g, const struct fsd_attr *a,
                       uint32_t i);
