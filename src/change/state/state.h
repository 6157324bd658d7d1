/*
 * One build, as far as builds are compared: what became of each ONNX node, which nodes
 * each fusion group computes, what was inserted between them.  Made from a run or read
 * from a snapshot; both give the same state.
 *
 *     node   Conv_34  core  int8   reads DequantizeLinear_30, and through it Relu_24
 *     group  compute  int8  Conv_34 Add_36 Relu_37; in: Relu_24 int8/chw32, ...
 *     move   quantize       from Relu_37 to Conv_47, fp16/chw32 -> int8/chw32
 *
 *     kernel gemm int8  [32x64 int8] -> [32x192 fp32], made of [64x192 int8]
 *
 * Layer names, layer order, tactics and tensor names are not part of it, since they
 * change from build to build without any meaning.  Nodes are in file order, which ONNX
 * demands to be topological; groups and moves are sorted by the nodes they serve.
 * Constant nodes are left out.
 *
 * Every layer of the engine is in exactly one group or move, so that their times add up
 * to the engine's.
 */
#ifndef FSD_COMPARE_STATE_H
#define FSD_COMPARE_STATE_H

#include "explain/diff/diff.h"

/** The role of a node in the comparison, exactly one. */
enum fsd_role {
    FSD_ROLE_CORE,      /**< computes; fusion is a partition of these */
    FSD_ROLE_OPTIONAL,  /**< computes, but an exporter may fold it: BatchNormalization,
                           Cast */
    FSD_ROLE_QUANTIZER, /**< Q or DQ */
    FSD_ROLE_VIEW,      /**< forwards its data: Identity, Reshape, ... */
    FSD_ROLE_SIDE,      /**< folded or dead: on no path from input to output */
    FSD__ROLE_COUNT
};

/* Where a tensor comes from, a node or an input of the network, and where it goes to, a
 * node or an output of the network, are two types, as are lists of them: an input's
 * number means nothing among the outputs.  Only the functions below look inside. */

/** A node or an input of the network; neither for a constant. */
struct fsd_origin {
    uint32_t ref;
};

/** A node or an output of the network; neither where that is unknown. */
struct fsd_destination {
    uint32_t ref;
};

/** In fsd_state.refs or fsd_compare.pool, sorted. */
struct fsd_origins {
    uint32_t at, n;
};
struct fsd_destinations {
    uint32_t at, n;
};

#define FSD_REF_PORT       UINT32_C(0x80000000) /**< | number of an input or output */
#define FSD_NO_ORIGIN      ((struct fsd_origin){FSD_NONE})
#define FSD_NO_DESTINATION ((struct fsd_destination){FSD_NONE})

static inline fsd_id fsd_ref_node(uint32_t ref)
{
    return ref & FSD_REF_PORT ? FSD_NONE : ref; /* FSD_NONE has the bit, too */
}

static inline uint32_t fsd_ref_port(uint32_t ref)
{
    return ref != FSD_NONE && ref & FSD_REF_PORT ? ref & ~FSD_REF_PORT : FSD_NONE;
}

static inline uint32_t fsd_ref_of_port(uint32_t port)
{
    return port == FSD_NONE ? FSD_NONE : FSD_REF_PORT | port;
}

/** The node, or the number of the input; FSD_NONE if it is the other or neither. */
static inline fsd_id fsd_origin_node(struct fsd_origin origin)
{
    return fsd_ref_node(origin.ref);
}
static inline uint32_t fsd_origin_input(struct fsd_origin origin)
{
    return fsd_ref_port(origin.ref);
}

/** Neither for FSD_NONE. */
static inline struct fsd_origin fsd_node_origin(fsd_id node)
{
    return (struct fsd_origin){node};
}
static inline struct fsd_origin fsd_input_origin(uint32_t input)
{
    return (struct fsd_origin){fsd_ref_of_port(input)};
}

/** It is a node or an input. */
static inline bool fsd_is_origin(struct fsd_origin origin)
{
    return origin.ref != FSD_NONE;
}
static inline bool fsd_same_origin(struct fsd_origin a, struct fsd_origin b)
{
    return a.ref == b.ref;
}

/** The node, or the number of the output; FSD_NONE if it is the other or neither. */
static inline fsd_id fsd_destination_node(struct fsd_destination destination)
{
    return fsd_ref_node(destination.ref);
}
static inline uint32_t fsd_destination_output(struct fsd_destination destination)
{
    return fsd_ref_port(destination.ref);
}

/** Neither for FSD_NONE. */
static inline struct fsd_destination fsd_node_destination(fsd_id node)
{
    return (struct fsd_destination){node};
}
static inline struct fsd_destination fsd_output_destination(uint32_t output)
{
    return (struct fsd_destination){fsd_ref_of_port(output)};
}

/** The i-th of a list.
 *  @param refs what the list is in */
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

/** A tensor, by its producer. */
struct fsd_producer {
    struct fsd_origin at; /**< neither: constant, or left out */
    uint32_t out;         /**< which output of the node */
};

struct fsd_state_node {
    fsd_sym key;    /**< unique in its state: the node's name, or that and "#N" */
    fsd_sym op;     /**< with its domain before it when it is not the default one */
    fsd_sym traits; /**< attributes and weight shape as text; equal when they agree */
    fsd_sym attrs;  /**< attributes other than defaults, and constant inputs that are
                         parameters, as text: "alpha=0.5 axis=-2" */
    fsd_sym values; /**< short constants that it reads, as text: "scale=0.02
                         zero_point=int8:0", "#1=0.5"; 0: none, or unknown */
    fsd_sym makes;  /**< its first output; 0: unknown, or read from a snapshot */
    fsd_sym known;  /**< the first output of an unnamed node, which identifies it in
                         another order of nodes; 0: it is named */
    fsd_sym weight; /**< name of the initializer behind its second input; 0: none */
    fsd_sym module; /**< in the exporter's source, "model.layers.0"; 0: unknown, or read
                     from a snapshot */
    bool named;     /**< the key is the node's own name, which no other node has */
    uint8_t role, fate;
    struct fsd_span in; /**< in fsd_state.sources: the direct producer of each input, by
                             input; inputs that end in a constant are left out */
    uint8_t precision;  /**< enum fsd_dtype: realised; mostly that of its group */
    /* Set by fsd_state_finish(): */
    struct fsd_producer core; /**< its first output, resolved through all but core
                                   nodes: a core node's own */
    struct fsd_span core_in;  /**< in sources: `in`, each resolved so */
    fsd_id group;             /**< the group that computes it; FSD_NONE */
    uint32_t line; /**< its line in the snapshot, like all lines here; else 0 */
};

/** Type and layout as the engine has them, "fp16/chw32"; empty if unknown. */
struct fsd_state_form {
    uint8_t type;   /**< enum fsd_dtype */
    fsd_sym layout; /**< as fsd_layout_name() spells it */
};

/** A tensor that crosses the border of a group, in the form it has there. */
struct fsd_border {
    struct fsd_origin at; /**< of an input: the core node or input that it comes from;
                               of an output: neither */
    fsd_id node; /**< of an input: the group's node that reads it; of an output: its
                      producer */
    struct fsd_state_form form;
};

/** A tensor as a layer states it. */
struct fsd_state_tensor {
    struct fsd_state_form form;
    fsd_sym sizes;  /**< "32x64"; 0: unknown */
    bool unwritten; /**< an input that no layer of the dump writes and that is no input
                         or constant of the network: the dump lacks a layer */
    struct fsd_producer from; /**< of a kernel's input: an input of the network, or the
                                   last node of the group that writes it and its
                                   number among all outputs of the group's kernels;
                                   layers that only move data are skipped.  Neither:
                                   unknown */
};

/** A layer, without what changes from build to build. */
struct fsd_kernel {
    uint8_t kind, precision;
    fsd_sym type;     /**< as the engine calls it: "gemm" */
    fsd_sym does;     /**< the operations it performs, "Mul+Add"; 0: unknown */
    fsd_sym attrs;    /**< its parameters as the engine states them, sorted; 0: none */
    fsd_sym provider; /**< the execution provider, "CPUExecutionProvider"; 0: unknown */
    struct fsd_span in, out;  /**< in fsd_state.tensors, in the layer's order */
    struct fsd_span consts;   /**< in tensors, sorted: weights and other constants */
    struct fsd_span computes; /**< fsd_id in refs: of a group with several kernels the
                                   nodes that this one computes */
    uint32_t line;
};

/** The layers that compute some core nodes, and those nodes.  Layers that compute a
 *  node together are in one group: no node is in two. */
struct fsd_group {
    uint8_t kind, precision;
    bool loose;                 /**< which layer computes which node is unknown */
    struct fsd_origins unasked; /**< in refs: producers in other groups, or inputs, that
                                     its layers read though the model does not */
    bool guessed; /**< a layer is matched to a node by structure alone, the weakest
                       evidence */
    uint32_t layers;
    struct fsd_span nodes;   /**< fsd_id in refs, sorted; at least one computes */
    struct fsd_span in, out; /**< in borders, sorted */
    struct fsd_span kernels; /**< in fsd_state.kernels, sorted: all its layers; none in
                                  a state that holds no kernels */
    fsd_sym tactic;          /**< of its only layer; 0 if it has several; not in a
                                  snapshot */
    struct fsd_spread ms;    /**< as of fsd_state.total */
    uint32_t line;
};

/** A layer that computes no core node: inserted by the builder, an unfused Q or DQ, a
 *  view. */
struct fsd_move {
    uint8_t kind, cause;
    bool inserted;
    struct fsd_state_form before, after;
    struct fsd_origins from;    /**< in refs */
    struct fsd_destinations to; /**< in refs */
    struct fsd_span nodes;      /**< fsd_id in refs: Q, DQ and views that it realises */
    struct fsd_span kernels;    /**< in fsd_state.kernels: its layer */
    struct fsd_spread ms;       /**< as of fsd_state.total */
    uint32_t line;
};

struct fsd_state_port {
    fsd_sym name, shape; /**< "1x3x224x224" */
    struct fsd_state_form form;
    struct fsd_producer from;      /**< of an output: its producer, directly */
    struct fsd_producer core_from; /**< the same through all but core nodes; set by
                                      fsd_state_finish() */
    uint32_t line;
};

/** An input or output of the engine, as an application sees it. */
struct fsd_binding {
    uint8_t output; /**< 0 or 1 */
    fsd_sym name;
    struct fsd_state_form form;
    fsd_sym shape; /**< "?x3x224x224"; 0: unknown */
    fsd_sym ranges,
        outside; /**< of optimization profiles, as in fsd_tensor; 0: unknown */
    uint32_t line;
};

/** What is at an end of a wire. */
enum fsd_end_kind {
    FSD_END_NONE,
    FSD_END_GROUP,
    FSD_END_MOVE,
    FSD_END_INPUT,  /**< of the network */
    FSD_END_OUTPUT, /**< of the network */
    FSD_END_TENSOR, /**< a tensor of the engine: a port with another name in the
                         network, or a tensor with many producers and consumers */
    FSD__END_COUNT
};
struct fsd_state_end {
    uint32_t kind; /**< enum fsd_end_kind */
    uint32_t item; /**< its number among those; of a tensor in `tensor_names` */
};

/** A tensor on its way. */
struct fsd_state_wire {
    struct fsd_state_end from, to;
    struct fsd_state_form written, read; /**< as both ends have it */
};
typedef FSD_VEC(struct fsd_state_wire) fsd_state_wires;

/** Several builds are named by letters. */
enum { FSD_MOST_BUILDS = 26 };

/** A row of fsd_matrix in one of the other builds of a snapshot. */
struct fsd_variant {
    struct fsd_span nodes; /**< in refs: of its groups, in any build; empty: the row is
                                `port`, or of moves that belong to no group */
    fsd_sym
        port;  /**< an input or output of the network or the engine; 0: none.  Only in
                    the state that is nearest to a build */
    bool less; /**< it states less than the first build: of another version of the
                    builder, which would state the rest, it must not excuse a
                    difference */
    uint32_t build; /**< the build that it is of: 0 is the first */
    uint32_t apart; /**< in the state that is nearest to a build: by how much that build
                         differs */
    uint32_t line;  /**< 0: of the first build */
};

#define FSD_LAYER_MOVES UINT32_C(0x80000000) /**< in of_layer: | number of a move */

/** What the builder spent on choosing kernels for a layer, or for a reformat that it
 *  tried, as the build's log states. */
struct fsd_state_effort {
    fsd_sym name; /**< as the lines on its kernels call it */
    fsd_id layer; /**< of the engine; FSD_NONE: none has that name */
    double seconds;
};

/** The number of what this version states of given files.  It is raised whenever a
 *  reader, the match or a row of a table states something else of them, so that a
 *  check knows that a snapshot was taken otherwise. */
enum { FSD_READING = 3 };

struct fsd_state {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    const char *model_path, *engine_path; /**< the snapshot's for both, if read from
                                               one; of a model alone its own */
    struct fsd_command command;           /**< NULLs: of a snapshot */
    uint64_t model_hash[2], engine_hash[2];
    fsd_sym engine_kind, producer;
    bool only_timed; /**< as of the engine; false of a snapshot */
    fsd_sym stated; /**< "tensors", "metadata", "tensors,metadata": what the dump states
                        of its layers; 0: unknown, in an old snapshot */
    fsd_built_vec built; /**< as of the engine */
    bool whole;       /**< it holds kernels, bindings and all attributes, which an old
                     snapshot does not */
    uint32_t reading; /**< FSD_READING of the version that made it; 0: an older one */
    uint32_t layers, computing, mapped;
    int64_t bytes; /**< that its layers read and write, of those whose bytes are known;
                        0: unknown, as in an old snapshot */
    uint32_t bytes_unknown; /**< layers whose bytes are not known */
    uint32_t profiles;      /**< how many profiles the times are from; 0: there are no
                            times */
    /** Of the layers of groups: how many no profile names. */
    uint32_t untimed;
    /** Milliseconds of all layers: the median of the profiles, each of which has means
     * over its runs, and fsd_spread_robust() about it. */
    struct fsd_spread total;
    /** Milliseconds of a whole run, fsd_spread_robust() of `timed_runs`; 0: none are
     *  known. */
    struct fsd_spread run;
    uint32_t timed_runs;
    FSD_VEC(struct fsd_state_port) inputs;
    FSD_VEC(struct fsd_state_port) outputs;
    FSD_VEC(struct fsd_state_node) nodes;
    FSD_VEC(struct fsd_binding) bindings; /**< by name, inputs first */
    FSD_VEC(struct fsd_group) groups;
    FSD_VEC(struct fsd_move) moves;
    FSD_VEC(struct fsd_kernel) kernels;
    FSD_VEC(struct fsd_state_tensor) tensors;
    FSD_VEC(struct fsd_border) borders;
    FSD_VEC(struct fsd_producer) sources;
    FSD_VEC(uint32_t) refs; /**< nodes, origins and destinations, by the list */
    fsd_state_wires wires;  /**< sorted; those of fsd_state_wires_of() */
    bool wired;             /**< of a model alone, and of a run whose engine states
                                 tensors: `wires` is set */
    FSD_VEC(fsd_sym) tensor_names; /**< of ends of wires */
    /** The other builds of a snapshot of several.  They are the first one with their
     * variants, and share its arena, names and arrays of all that has spans. */
    FSD_VEC(struct fsd_state *) also;
    FSD_VEC(struct fsd_variant) variants;
    FSD_VEC(struct fsd_state_effort) efforts; /**< none: unknown, as in a snapshot */
    bool efforts_stamped; /**< in whole seconds, between time stamps */
    double build_seconds; /**< of the longest step; not positive: unknown */
    /* Numbers by which a user may refer to nodes and layers; NULL in a state read from
     * a snapshot. */
    uint32_t *number_of; /**< by node: its number in the model */
    uint32_t *of_layer;  /**< by layer: its group, or its move | FSD_LAYER_MOVES */
    /** By symbol below `hashed`: fsd_hash_text() of its text, since a matrix asks for
     * it in each of its comparisons. */
    const uint64_t *hashes;
    uint32_t hashed;
};

/** fsd_hash_text() of the symbol's text. */
static inline uint64_t fsd_state_hash(const struct fsd_state *s, fsd_sym sym)
{
    return sym < s->hashed ? s->hashes[sym] : fsd_hash_text(fsd_text(s->names, sym));
}

/** Whether a state has the operators and inputs of its nodes: of a model, or of the
 *  parser's lines in a log; and, of a model, their attributes. */
bool fsd_state_knows_nodes(const struct fsd_state *s);
bool fsd_state_knows_attributes(const struct fsd_state *s);

/** Whether both are of one model file, byte for byte: whatever else their nodes seem to
 *  differ in is another reading. */
bool fsd_state_is_of_same_model(const struct fsd_state *a, const struct fsd_state *b);

/** Whether a node is a QuantizeLinear, by which Q/DQ pairs are counted. */
bool fsd_state_heads_pair(const struct fsd_state *s, fsd_id node);

/** Whether nodes of the network may be missing: without a model, and with a region of
 *  which only the ends are named. */
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

/** The role of a node; FSD_ROLE_SIDE, as of what is on no path, for FSD_NONE. */
static inline enum fsd_role fsd_state_role_of(const struct fsd_state *s, fsd_id node)
{
    return node == FSD_NONE ? FSD_ROLE_SIDE : (enum fsd_role)s->nodes.at[node].role;
}

/** An empty state with its own arena and names. */
struct fsd_state *fsd_state_new(void);
void fsd_state_free(struct fsd_state *s); /**< may be NULL */

/** The state of a run.  The run may be freed afterwards. */
struct fsd_state *fsd_state_of(const struct fsd_diff *d);

/** The same of a model without an engine: each core node is a group of its own, which
 *  no layer computes, in the types that the model states.
 *  @param scratch only until it returns. */
struct fsd_state *fsd_state_of_model(const struct fsd_graph *model,
                                     const struct fsd_facts *facts,
                                     struct fsd_arena *scratch);

/** Prints a tensor in snapshot grammar, "fp16/chw32:1x64x7x7". */
void fsd_put_state_tensor(const struct fsd_state *s, const struct fsd_state_tensor *t,
                          FILE *out);

/** Computes what fsd_state_hash() returns; functions that make a state end with it. */
void fsd_state_hash_names(struct fsd_state *s);

/** Sets the group of every node. */
void fsd_state_set_groups(struct fsd_state *s);

/** Counts the layers of groups that have no time. */
void fsd_state_set_untimed(struct fsd_state *s);

/** A word of a node's attributes or values, or of a kernel's parameters, which are
 *  lists with one blank between the words: "alpha=0.5 axis=-2". */
struct fsd_state_word {
    struct fsd_slice name, value; /**< empty: it has none */
};

/** The next word of the list; false at its end.  state_values.c */
bool fsd_state_next_word(const char **at, struct fsd_state_word *word);
bool fsd_state_find_word(const char *list, struct fsd_slice name,
                         struct fsd_state_word *found);

/** By kernel of a group: the number of its first output among those of the group's
 *  kernels, as fsd_state_tensor.from has it.  state_sources.c */
uint32_t *fsd_state_number_outputs(const struct fsd_state *s, struct fsd_arena *arena);

/** How many values "2x1x256" has; 0: unknown.  state_kernels.c */
uint64_t fsd_state_count(const struct fsd_state *s, fsd_sym sizes);

/** The kernel that writes what an input comes from; FSD_NONE: an input of the network,
 *  unknown, or of another variant of a snapshot.
 *  @param first  fsd_state_number_outputs()
 *  @param[out] out  which of the kernel's outputs it is */
fsd_id fsd_state_writer(const struct fsd_state *s, const uint32_t *first,
                        struct fsd_producer from, uint32_t *out);

/** Derives the fields documented so; both ways to build a state, from a run and from a
 *  snapshot, end with it. */
void fsd_state_finish(struct fsd_state *s);

/** "fp16 chw32" for ' ', as in reports; "fp16/chw32" for '/', as in a snapshot; "?"
 *  when unknown. */
void fsd_put_state_form(const struct fsd_state *s, struct fsd_state_form form,
                        char between, FILE *out);
/** "fp32 chw -> fp16 chw32": what a move reads and writes, in the same spelling. */
void fsd_put_move_forms(const struct fsd_state *s, const struct fsd_move *m,
                        char between, FILE *out);

/** The wires of a build: the engine's tensors, or, unless the state is `wired`, those
 *  derived from the nodes.
 *  @param arena for the derived ones. */
fsd_state_wires fsd_state_wires_of(const struct fsd_state *s, struct fsd_arena *arena);

/** The node that a move belongs to: the first node it serves that can be in a group,
 *  else the first of these that it comes from; FSD_NONE. */
fsd_id fsd_state_owner_of_move(const struct fsd_state *s, const struct fsd_move *m);

/** The node's key, or the port's name; "" if it is neither. */
const char *fsd_origin_text(const struct fsd_state *s, struct fsd_origin origin);
const char *fsd_destination_text(const struct fsd_state *s,
                                 struct fsd_destination destination);

/** Any of these lists, with what its items are, for what treats all alike. */
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
/** @param refs what the list is in */
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

/** The i-th end: its node, or its number among the inputs or outputs; FSD_NONE if it is
 *  the other. */
static inline fsd_id fsd_end_node(struct fsd_ends ends, uint32_t i)
{
    return fsd_ref_node(ends.refs[i]);
}
static inline uint32_t fsd_end_port(struct fsd_ends ends, uint32_t i)
{
    return fsd_ref_port(ends.refs[i]);
}
/** The i-th end as text. */
const char *fsd_end_text(struct fsd_ends ends, uint32_t i);

/** Core or optional. */
static inline bool fsd_role_computes(unsigned role)
{
    return role == FSD_ROLE_CORE || role == FSD_ROLE_OPTIONAL;
}
const char *fsd_role_name(unsigned value);

/** Whether an attribute has the value that equals leaving it out, for all operators
 *  that have it: strides of 1, pads of 0. */
bool fsd_state_attr_is_plain(const struct fsd_graph *g, const struct fsd_attr *a);

/** The i-th item of an attribute that is a list.  state_kernels.c */
void fsd_put_attr_item(FILE *out, const struct fsd_graph *g, const struct fsd_attr *a,
                       uint32_t i);

#endif
