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
 * change from build to build without meaning anything.  Nodes stand in file order,
 * which ONNX demands to be topological; groups and moves are sorted by the nodes they
 * serve.  Constant nodes are left out.
 *
 * Every layer of the engine is in exactly one group or move, so that their times add up
 * to the engine's.
 */
#ifndef FSD_COMPARE_STATE_H
#define FSD_COMPARE_STATE_H

#include "diff/diff.h"

/** What a node is to the comparison, exactly one. */
enum fsd_role {
    FSD_ROLE_CORE,      /**< computes; fusion is a partition of these */
    FSD_ROLE_OPTIONAL,  /**< computes, but an exporter may fold it: BatchNormalization,
                           Cast */
    FSD_ROLE_QUANTIZER, /**< Q or DQ */
    FSD_ROLE_VIEW,      /**< hands its data on: Identity, Reshape, ... */
    FSD_ROLE_SIDE,      /**< folded or dead: on no way from input to output */
    FSD__ROLE_COUNT
};

/** Where a tensor comes from or goes to: a node, or a port of the network; FSD_NONE
 *  when that is neither (a constant). */
typedef uint32_t fsd_ref;
#define FSD_REF_PORT UINT32_C(0x80000000) /**< | number of an input or output */

/** A tensor, as the thing that makes it. */
struct fsd_maker {
    fsd_ref at;   /**< node or input; FSD_NONE: constant, or left out */
    uint32_t out; /**< which output of the node */
};

struct fsd_state_node {
    fsd_sym key;    /**< unique in its state: the name, or with "#N" behind it */
    fsd_sym op;     /**< with its domain before it when it is not the default one */
    fsd_sym traits; /**< attributes and weight shape as text; equal when they agree */
    fsd_sym attrs;  /**< all attributes that are not as when left out, and what constant
                       inputs say that are parameters, as text: "alpha=0.5 axis=-2" */
    fsd_sym makes;  /**< its first output; 0: not told, or of a snapshot */
    fsd_sym known;  /**< of an unnamed node its first output, by which it is the same in
                       another order of nodes; 0: it is named */
    fsd_sym weight; /**< name of the initializer behind its second input; 0: none */
    fsd_sym
        module; /**< of the exporter's source, "model.layers.0"; 0: not told, or of a
                         snapshot */
    bool named; /**< the key is the node's own name, and no other's */
    uint8_t role, fate;
    struct fsd_span in; /**< in fsd_state.sources: where each input comes from directly,
                             by input; what is constant at the end is left out */
    uint8_t precision;  /**< enum fsd_dtype: realised; mostly that of its group */
    /* Set by fsd_state_finish(): */
    struct fsd_maker core;   /**< what its first output is, seen through all but core
                                   nodes: itself for a core node */
    struct fsd_span core_in; /**< in sources: `in`, each seen so */
    fsd_id group;            /**< that computes it; FSD_NONE */
    uint32_t line; /**< of a snapshot, as of the rest: where it stands; else 0 */
};

/** Type and layout as they were, "fp16/chw32"; what is not known is empty. */
struct fsd_state_form {
    uint8_t type;   /**< enum fsd_dtype */
    fsd_sym layout; /**< as fsd_layout_name() spells it */
};

/** A tensor that a group reads from, or hands to, others, in the form it has there. */
struct fsd_border {
    fsd_ref at;  /**< in: the core node or input that it comes from; out: FSD_NONE */
    fsd_id node; /**< in: the group's node that reads it; out: the one that makes it */
    struct fsd_state_form form;
};

/** A tensor as a layer shows it. */
struct fsd_state_tensor {
    struct fsd_state_form form;
    fsd_sym sizes;  /**< "32x64"; 0: not told */
    bool unwritten; /**< read, though no layer of the dump writes it, and it is no input
                         or constant: the dump lacks a layer */
};

/** A layer, as far as another build of the same thing has it likewise. */
struct fsd_kernel {
    uint8_t kind, precision;
    fsd_sym type;     /**< as the engine calls it: "gemm" */
    fsd_sym does;     /**< the operations it performs, "Mul+Add"; 0: not told */
    fsd_sym attrs;    /**< its parameters as the engine states them, sorted; 0: none */
    fsd_sym provider; /**< who runs it, "CPUExecutionProvider"; 0: not told */
    struct fsd_span in, out;  /**< in fsd_state.tensors, as it lists them */
    struct fsd_span consts;   /**< in tensors, sorted: weights and other constants */
    struct fsd_span computes; /**< fsd_id in refs: of a group with several kernels the
                                   nodes that are this one's */
    uint32_t line;
};

/** The layers that compute some core nodes, and those nodes.  Layers that compute a
 *  node together are one group: no node is in two. */
struct fsd_group {
    uint8_t kind, precision;
    bool loose; /**< which layer computes which of the nodes is not known */
    struct fsd_span unasked; /**< fsd_ref in refs, sorted: what its layers read, from
                                  other groups or inputs than the model says */
    bool guessed; /**< a layer is linked to a node by structure alone: weaker evidence
                     than any other */
    uint32_t layers;
    struct fsd_span nodes;   /**< fsd_id in refs, sorted; at least one computes */
    struct fsd_span in, out; /**< in borders, sorted */
    struct fsd_span kernels; /**< in fsd_state.kernels, sorted: all its layers; none in
                                  a state that holds no kernels */
    fsd_sym tactic;          /**< of its only layer; 0 otherwise; not in a snapshot */
    struct fsd_spread ms;    /**< as of fsd_state.total */
    uint32_t line;
};

/** A layer that computes no core node: inserted, a standing Q or DQ, a view. */
struct fsd_move {
    uint8_t kind, cause;
    bool inserted;
    struct fsd_state_form before, after;
    struct fsd_span from, to; /**< fsd_ref in refs, sorted; `to`: inputs of nodes, or
                                   outputs of the network */
    struct fsd_span nodes;    /**< fsd_id in refs: Q, DQ and views that it realises */
    struct fsd_span kernels;  /**< in fsd_state.kernels: its layer */
    struct fsd_spread ms;     /**< as of fsd_state.total */
    uint32_t line;
};

struct fsd_state_port {
    fsd_sym name, shape; /**< "1x3x224x224" */
    struct fsd_state_form form;
    struct fsd_maker from;      /**< of an output: what makes it, directly */
    struct fsd_maker core_from; /**< the same through all but core nodes; set by
                                      fsd_state_finish() */
    uint32_t line;
};

/** An input or output of the engine, as it is handed over. */
struct fsd_binding {
    uint8_t output; /**< 0 or 1 */
    fsd_sym name;
    struct fsd_state_form form;
    fsd_sym shape; /**< "?x3x224x224"; 0: not told */
    fsd_sym ranges,
        outside; /**< of optimization profiles, as in fsd_tensor; 0: not told */
    uint32_t line;
};

/** What stands at an end of a wire. */
enum fsd_end_kind {
    FSD_END_NONE,
    FSD_END_GROUP,
    FSD_END_MOVE,
    FSD_END_INPUT,  /**< of the network */
    FSD_END_OUTPUT, /**< of the network */
    FSD_END_TENSOR, /**< an engine's: a port that the network calls otherwise, or one
                         that many layers write and many read */
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

/** Builds are called by letters, where there are several. */
enum { FSD_MOST_BUILDS = 26 };

/** A row of fsd_matrix, as one of the other builds of a snapshot has it. */
struct fsd_variant {
    struct fsd_span nodes; /**< in refs: of its groups, in any build; none: of the moves
                                that belong to no group, or `port` */
    fsd_sym
        port;  /**< an input or output of the network or the engine; 0: none.  Only in
                       what is nearest to a build */
    bool less; /**< it states less than the first build's: a build by another version,
                       which would state the rest, is not let pass by it */
    uint32_t build; /**< which build's it is: 0 is the first */
    uint32_t apart; /**< in what is nearest to a build: how much that differs */
    uint32_t line;  /**< 0: of the first build */
};

#define FSD_LAYER_MOVES UINT32_C(0x80000000) /**< in of_layer: | number of a move */

struct fsd_state {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    const char *model_path, *engine_path; /**< or the snapshot's for both */
    struct fsd_command command;           /**< NULLs: of a snapshot */
    uint64_t model_hash[2], engine_hash[2];
    fsd_sym engine_kind, producer;
    fsd_sym tells; /**< "tensors", "metadata", "tensors,metadata": what its layers are
                      told with; 0: not known, of a snapshot that was taken before */
    fsd_built_vec built; /**< as of the engine */
    bool whole; /**< it holds kernels, bindings and all attributes: a snapshot that was
                     taken before they were held does not */
    uint32_t layers, computing, mapped;
    uint32_t profiles; /**< how many the times are from; 0: there are no times */
    /** Of the layers of groups: those that a profile does not name. */
    uint32_t untimed;
    /** Milliseconds of all layers: the median of what the profiles tell, which is a
     * mean over their runs, and fsd_spread_robust() about it. */
    struct fsd_spread total;
    FSD_VEC(struct fsd_state_port) inputs;
    FSD_VEC(struct fsd_state_port) outputs;
    FSD_VEC(struct fsd_state_node) nodes;
    FSD_VEC(struct fsd_binding) bindings; /**< by name, inputs first */
    FSD_VEC(struct fsd_group) groups;
    FSD_VEC(struct fsd_move) moves;
    FSD_VEC(struct fsd_kernel) kernels;
    FSD_VEC(struct fsd_state_tensor) tensors;
    FSD_VEC(struct fsd_border) borders;
    FSD_VEC(struct fsd_maker) sources;
    FSD_VEC(uint32_t) refs;
    fsd_state_wires wires; /**< sorted; those of fsd_state_wires_of() */
    bool wired;            /**< of a run whose engine states tensors: `wires` is set */
    FSD_VEC(fsd_sym) tensor_names; /**< of ends of wires */
    /** Of a snapshot of several builds: the others.  They are as the first one but for
     *  their variants, and share its arena, names and arrays of all that has spans. */
    FSD_VEC(struct fsd_state *) also;
    FSD_VEC(struct fsd_variant) variants;
    /* What a user may call by numbers; NULL of a snapshot, which has none. */
    uint32_t *number_of; /**< by node: its number in the model */
    uint32_t *of_layer;  /**< by layer: its group, or its move | FSD_LAYER_MOVES */
};

/** An empty state with an arena and names of its own. */
struct fsd_state *fsd_state_new(void);
void fsd_state_free(struct fsd_state *s); /**< may be NULL */

/** The state of a run.  The run may be freed afterwards. */
struct fsd_state *fsd_state_of(const struct fsd_diff *d);

/** The nodes and ports of a model alone, of which no engine is known.
 *  @param scratch only until it returns. */
struct fsd_state *fsd_state_of_model(const struct fsd_graph *model,
                                     const struct fsd_facts *facts,
                                     struct fsd_arena *scratch);

/** Puts a tensor as a snapshot has it, "fp16/chw32:1x64x7x7". */
void fsd_put_state_tensor(const struct fsd_state *s, const struct fsd_state_tensor *t,
                          FILE *out);

/** Sets the group of every node. */
void fsd_state_set_groups(struct fsd_state *s);

/** Counts the layers of groups that have no time. */
void fsd_state_set_untimed(struct fsd_state *s);

/** Derives what the fields marked so hold; both makers of states call it last. */
void fsd_state_finish(struct fsd_state *s);

/** "fp16 chw32" with ' ' between them, as reports have it, "fp16/chw32" with '/', as a
 *  snapshot has it; "?" when nothing is known. */
void fsd_put_state_form(const struct fsd_state *s, struct fsd_state_form form,
                        char between, FILE *out);
/** "fp32 chw -> fp16 chw32": what a move reads and writes, likewise. */
void fsd_put_move_forms(const struct fsd_state *s, const struct fsd_move *m,
                        char between, FILE *out);

/** What flows in the build: the engine's tensors, or, unless the state is `wired`, what
 *  is derived from the nodes.
 *  @param arena for those that are derived. */
fsd_state_wires fsd_state_wires_of(const struct fsd_state *s, struct fsd_arena *arena);

/** The node that a move belongs to, whatever computes it: the first it serves that can
 *  be of a group, else the first of these that it comes from; FSD_NONE. */
fsd_id fsd_state_owner_of_move(const struct fsd_state *s, const struct fsd_move *m);

/** Text of a reference: the node's key, or the port's name; `out`: ports are outputs.
 */
const char *fsd_state_ref_text(const struct fsd_state *s, fsd_ref ref, bool out);

/** Core or optional. */
static inline bool fsd_role_computes(uint8_t role)
{
    return role == FSD_ROLE_CORE || role == FSD_ROLE_OPTIONAL;
}
const char *fsd_role_name(unsigned value);

#endif
