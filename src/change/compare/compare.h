/*
 * Compares two builds. The nodes of both models are aligned. Each build divides the
 * nodes into groups, and groups of both builds that share nodes form a region. Each
 * region states what happened to its nodes:
 *
 *     old   {Conv_34 Add_42 Relu_43}              one INT8 layer
 *     new   {Conv_34} {Add_42 Relu_43}            INT8, FP16, and a Reformat
 *     one region of 3 nodes: fusion lost, higher precision, one move added, +0.11 ms
 *
 * Both states must outlive the comparison. Ids in fields named `old...` belong to the
 * old state, ids in fields named `new...` to the new one. `order` lists the regions,
 * worst first; all else is sorted by position in the new model, then in the old one.
 */
#pragma once

#include "change/compare/align.h"

/** What happened to the fusion of a region's nodes. */
enum fsd_happened {
    FSD_HAPPENED_SAME,      /**< the same nodes are fused */
    FSD_HAPPENED_LOST,      /**< every new group is part of an old one */
    FSD_HAPPENED_GAINED,    /**< every old group is part of a new one */
    FSD_HAPPENED_REGROUPED, /**< grouped differently, but neither lost nor gained */
    FSD_HAPPENED_OPAQUE,    /**< groups or numbers of layers differ, but this proves no
                                 change. For example, a layer is a foreign region; its
                                 nodes are unknown; or it is matched by structure alone
                                 (the weakest evidence), but only in one build */
    FSD_HAPPENED_OLD_ONLY,  /**< no group of the new build has a node of the region */
    FSD_HAPPENED_NEW_ONLY,  /**< no group of the old build has a node of the region */
    FSD__HAPPENED_COUNT
};

/** How the rank of a type changed (fsd_dtype_rank()), from the best change to the
 *  worst. NARROWED is a change to a lower precision, WIDENED a change to a higher
 *  precision. */
enum fsd_width {
    FSD_WIDTH_SAME,
    FSD_WIDTH_NARROWED,
    FSD_WIDTH_OTHER,   /**< one of the types is unknown, or neither type has a rank
                            (integers for counts or addresses have no rank) */
    FSD_WIDTH_RETYPED, /**< a different type of equal rank, such as FP8 to INT8; or only
                            one of the types has a rank */
    FSD_WIDTH_WIDENED,
    FSD__WIDTH_COUNT
};

/** The cause of the time difference of a region, or of a move. */
enum fsd_blame {
    FSD_BLAME_FUSION,    /**< the fusion differs; includes the region's moves */
    FSD_BLAME_PRECISION, /**< same fusion, different precision */
    FSD_BLAME_KERNEL,    /**< same fusion and precision: a different tactic, or noise */
    FSD_BLAME_MOVES,     /**< moves in regions with the same fusion, or in no region */
    FSD__BLAME_COUNT
};

/** The aspects of how a build was made: its model, options, builder and device. */
enum fsd_aspect_id {
    FSD_ASPECT_NODES, /**< operators, attributes, producers of inputs */
    FSD_ASPECT_CONSTANTS,
    FSD_ASPECT_PORTS,    /**< inputs and outputs of the network */
    FSD_ASPECT_PROFILES, /**< sizes of the optimization profiles */
    FSD_ASPECT_OPTIONS,
    FSD_ASPECT_BUILDER, /**< the builder's version */
    FSD_ASPECT_DEVICE,
    FSD__ASPECT_COUNT
};
enum fsd_aspect_state { FSD_ASPECT_UNKNOWN, FSD_ASPECT_EQUAL, FSD_ASPECT_DIFFERENT };
/** Which build does not state an aspect. */
enum fsd_missing { FSD_MISSING_OLD, FSD_MISSING_NEW, FSD_MISSING_BOTH };
struct fsd_difference {
    uint8_t aspect;   /**< enum fsd_aspect_id */
    const char *what; /**< in words, such as "`res` is Mul, before Add" */
};
struct fsd_account {
    uint8_t state[FSD__ASPECT_COUNT];
    uint8_t missing[FSD__ASPECT_COUNT]; /**< enum fsd_missing, for unknown aspects */
    FSD_VEC(struct fsd_difference) different; /**< sorted by aspect */
};

/** A change of a node that both models have (struct fsd_node_edit). compare_model.c
 *  finds these changes. */
#define FSD_EDIT_WEIGHT "shape of the weight" /**< a value of fsd_node_edit.of */
enum fsd_edit_what {
    FSD_EDIT_OPERATOR,
    FSD_EDIT_ATTRIBUTE,
    FSD_EDIT_SOURCE,
    FSD_EDIT_VALUE /**< the value of a short constant; calibration or training may have
                        changed the value */
};
struct fsd_node_edit {
    uint8_t what;
    fsd_id old, new;       /**< nodes */
    const char *of;        /**< "operator", "alpha", "input 1" or "scale" */
    const char *was, *now; /**< "" if the model does not state the value, or if the
                                value is the default */
};

/** A change of the precision of an aligned node that both builds compute. */
struct fsd_node_change {
    fsd_id old, new;       /**< nodes */
    uint8_t before, after; /**< enum fsd_dtype */
    uint8_t width;
};

/** How a node differs between the builds. FSD_ONLY_OLD and FSD_ONLY_NEW: only one model
 *  has the node. Other values: both models have it, but its outcome differs or may
 *  differ. */
enum fsd_presence {
    FSD_ONLY_OLD,   /**< not aligned; `new` is FSD_NONE */
    FSD_ONLY_NEW,   /**< not aligned; `old` is FSD_NONE */
    FSD_ELIMINATED, /**< a layer of the old build computes the node, and no layer of the
                         new build does */
    FSD_KEPT,       /**< no layer of the old build computes the node, and a layer of the
                         new build does */
    FSD_LOST_TRACK, /**< the node's fate is unexplained in the new build, but not in
                         the old build */
    FSD_FOUND,      /**< the node's fate is unexplained in the old build, but not in
                         the new build */
    FSD_LEFT,       /**< the node is outside of all engines in the new build, but not
                         in the old build */
    FSD_UNLISTED,   /**< one build lists the node; the other build has a region whose
                         nodes are not listed, so the node may be in that region */
    FSD__PRESENCE_COUNT
};
struct fsd_node_presence {
    fsd_id old, new;
    uint8_t what;
};

/** An edge whose type or layout changed. `old_to` and `new_to` are the consumer that
 *  reads a different type or layout. If there is none, they are FSD_NONE: only the
 *  producer's output differs. An inserted layer then reads this output, or the network
 *  returns it. */
struct fsd_edge_change {
    struct fsd_origin old_from, new_from;
    fsd_id old_to, new_to; /**< the consumers; FSD_NONE if no consumer differs */
    struct fsd_state_form before, after;
    uint8_t width;
    fsd_id region;
};

/** A move added, removed or changed. */
enum fsd_move_what { FSD_MOVE_ADDED, FSD_MOVE_REMOVED, FSD_MOVE_CHANGED };
struct fsd_move_change {
    uint8_t what;
    bool nodes;      /**< the move realises other nodes than before */
    fsd_id old, new; /**< moves; FSD_NONE: this build has no such move */
    fsd_id region;   /**< FSD_NONE: in no region */
    bool missed;     /**< the move was removed, but the layers before and after it are
                          unchanged, so they still need it */
};

/** A change of a kernel: the kernel changed, was added or was removed. The kernel
 *  belongs to a region or to a pair of moves. */
enum fsd_kernel_what { FSD_KERNEL_CHANGED, FSD_KERNEL_ADDED, FSD_KERNEL_REMOVED };
struct fsd_kernel_change {
    uint8_t what;
    uint8_t width;           /**< enum fsd_width: the worst change of a type */
    fsd_id old, new;         /**< kernels; FSD_NONE: this build has no such kernel */
    uint32_t old_of, new_of; /**< the kernel's group. If the kernel belongs to a
                                  move: the move | FSD_LAYER_MOVES. FSD_NONE: this build
                                  has no such kernel */
    fsd_id region;           /**< FSD_NONE: in no region */
    struct fsd_state_tensor before, after; /**< the tensor whose type changed most:
                                                `before` in the old build, `after` in
                                                the new build */
    struct fsd_state_tensor lost;          /**< if `type_lost`: the first tensor whose
                                                type only the old build states */
    struct fsd_state_form from, to;        /**< layouts of the first tensor whose layout
                                                differs */
    fsd_sym sizes_before, sizes_after;     /**< sizes of the first tensor whose sizes
                                                differ */
    bool type_lost, layout, layout_lost;   /**< type_lost: only the old build states a
                                                type (of an input, output or constant)
                                                or the kernel's precision. layout: the
                                                layout of an input or output differs.
                                                layout_lost: only the old build states
                                                such a layout */
    bool sizes;                            /**< the sizes of an input or output
                                                differ */
    bool ports;                            /**< the number of inputs or outputs
                                                differs */
    bool unwritten; /**< the kernel has an input that a layer of the old build wrote
                         and that no layer of the new build writes */
    bool consts, consts_lost;         /**< consts: the constants of the kernel differ.
                                           consts_lost: only the old build states
                                           constants */
    bool type, does, attrs, computes; /**< whether these members of fsd_kernel differ */
    bool activation;                  /**< the activation in the kernel's attributes
                                           differs */
    bool provider;  /**< the provider differs, or only the old build states the
                         provider */
    bool source;    /**< an input of the kernel has a different origin
                         (fsd_state_tensor.from) */
    uint32_t input; /**< if `source`: the index of the first input with a different
                         origin */
    fsd_id old_writer, new_writer; /**< the kernels that write input `input`; FSD_NONE:
                                        none is known */
    bool missed;                   /**< see struct fsd_move_change */
};

/** Bits for kinds of facts. A build may lack all facts of a kind, because the format of
 *  its dump cannot state them. */
enum {
    FSD_STATES_TYPES = 1 << 0,
    FSD_STATES_LAYOUTS = 1 << 1,
    FSD_STATES_CONSTS = 1 << 2,    /**< weights and other constants */
    FSD_STATES_PROVIDERS = 1 << 4, /**< the provider of each kernel */
    FSD_STATES_RANGES = 1 << 3     /**< formats and profiles of inputs and outputs */
};

/** An input or output of the engine that changed, was added or was removed. */
struct fsd_binding_change {
    const struct fsd_binding *old, *new; /**< NULL: this build has no such input or
                                              output */
    bool form, outside, shape, ranges;
    bool lost; /**< the new build does not state a fact that the old build states,
                    although the new build states such facts for other bindings */
};

/** A fact that only the old build states. The comparison reports such a fact, because
 *  the fact may have changed. */
enum fsd_fact_kind { FSD_FACT_TYPE, FSD_FACT_LAYOUT, FSD_FACT_SHAPE };
enum fsd_fact_of {
    FSD_OF_NODE,
    FSD_OF_EDGE,
    FSD_OF_WRITTEN, /**< the output of a node, as the node's group writes it */
    FSD_OF_MOVE,
    FSD_OF_INPUT,
    FSD_OF_OUTPUT
};
struct fsd_fact_lost {
    uint8_t kind, of;
    fsd_id old, new;        /**< a node, move or port; FSD_OF_EDGE: the consumer;
                          FSD_OF_WRITTEN: the producer */
    struct fsd_origin from; /**< for an edge: the origin in the new
                                              model */
    struct fsd_state_form before, after; /**< the fact in the old and in the new
                                              build; for a node, `type` is its
                                              precision */
};

/** A version, GPU or option that differs between the builds or that only one states. */
struct fsd_built_change {
    const char *key;            /**< a key of model/graph/built.h */
    const char *before, *after; /**< NULL: the build does not state the fact */
};
typedef FSD_VEC(struct fsd_built_change) fsd_built_changes;

struct fsd_port_change {
    bool output;
    fsd_id old, new;        /**< ports; FSD_NONE: this build has no such port */
    bool name, shape, form; /**< what changed if both builds have the port */
};

struct fsd_region_diff {
    struct fsd_span old_groups, new_groups; /**< spans of fsd_compare.pool, sorted */
    struct fsd_span old_moves, new_moves;   /**< spans of fsd_compare.pool: moves of the
                                                 region */
    uint8_t happened;
    uint8_t width; /**< enum fsd_width: the worst change of precision among the nodes */
    bool untyped;  /**< the precision of a group is unknown in the old or the new build;
                        `width` covers the known precisions */
    bool hidden;   /**< the groups are the same, but a group is a foreign region of
                        several nodes. Its kernels are not listed, so the fusion may
                        have changed */
    bool layout;   /**< the layout of an edge into the region differs */
    bool layers;   /**< the number of layers for the same group of nodes differs */
    bool tactic;   /**< the region is one layer in each build, and the tactics differ */
    bool moves;    /**< a move of the region was added, removed or changed */
    bool rerouted; /**< a move of the region was added or changed */
    bool kernels;  /**< a kernel of the region was added, removed or changed */
    bool type_lost; /**< only the old build states the type of a tensor in the region */
    struct fsd_origins
        unasked;          /**< a span of fsd_compare.pool: origins in the new state that
                               the region's new layers read. Neither the region's old
                               layers nor its nodes in the model read them */
    uint32_t as_before;   /**< number of kernels of the new build that do the same work
                               as a kernel of the old build */
    bool differs;         /**< anything differs except the tactic */
    double before, after; /**< milliseconds of the region including its moves; negative:
                               unknown */
    double moves_before, moves_after; /**< milliseconds of the region's moves alone */
};

/** How one of two builders divides the network. */
struct fsd_builder {
    const char *name;     /**< "ONNX Runtime" */
    uint32_t groups;      /**< number of groups in the regions that both builds
                               compute. Regions with FSD_HAPPENED_OPAQUE are left out */
    uint32_t fuses_more;  /**< of the same regions: the number in which this builder
                               has fewer groups than the other */
    uint32_t conversions; /**< reformats and copies that take time */
    uint32_t quantizers;  /**< unfused Q and DQ */
    double groups_ms, conversions_ms, quantizers_ms; /**< milliseconds: sums of known
                                                          times */
};

/** The seconds that each build spent on choosing kernels, for all layers of one region,
 *  or for all layers of one name outside of regions. */
struct fsd_effort_change {
    fsd_sym old, new; /**< in each build: name of the layer with the most
                            seconds; 0: the log states no seconds for these
                            layers */
    double before, after;
};

struct fsd_compare {
    struct fsd_arena *arena;
    const struct fsd_state *old, *new;
    const struct fsd_exports *exports; /**< the changes if two models are compared
                                            without builds; else NULL */
    bool across; /**< the builds come from different builders: layouts, kernels and
                      tactics are not compared */
    struct fsd_builder builders[2]; /**< of the old and the new build, if `across` */
    struct fsd_align *align;
    FSD_VEC(struct fsd_region_diff)
    regions;                  /**< sorted by first node in the new
                                                  model */
    uint32_t untyped, hidden; /**< number of regions whose member `untyped` or `hidden`
                                   is set */
    fsd_id *order; /**< regions, worst first: by time difference if both builds have
                        times, then by `happened` */
    fsd_id *old_region, *new_region;     /**< indexed by group */
    FSD_VEC(struct fsd_node_edit) edits; /**< sorted by new node */
    struct fsd_account account;          /**< what the builds were made from */
    FSD_VEC(struct fsd_node_change) precisions;
    FSD_VEC(struct fsd_node_presence) presences;
    FSD_VEC(struct fsd_edge_change) edges;
    FSD_VEC(struct fsd_move_change) moves;
    FSD_VEC(struct fsd_port_change) ports;
    FSD_VEC(struct fsd_kernel_change) kernels;
    FSD_VEC(struct fsd_binding_change) bindings;
    uint32_t *kernel_of[2]; /**< for the old and the new build, indexed by kernel: the
                                 kernel's group, or the kernel's move |
                                 FSD_LAYER_MOVES */
    fsd_built_changes built;
    bool unlike; /**< the sizes of the inputs differ, so times are not compared */
    uint32_t items_before, items_after; /**< first size (batch) of the inputs whose
                                             shape changed: in the old and in the new
                                             build. Set only if all these inputs share
                                             the two values, and none of their other
                                             sizes changed; else 0 */
    bool reread;       /**< true: as far as known, both states are of the same build,
                      but an older version of this program made the old state. No
                      difference then counts as a change */
    unsigned unstated; /**< FSD_STATES_*: facts that only the old build states */
    unsigned unheld;   /**< FSD_STATES_*: facts that only the new build states */
    FSD_VEC(struct fsd_fact_lost) lost; /**< facts of nodes, edges, moves and ports */
    FSD_VEC(uint32_t) pool;

    /** Largest difference first; empty unless both builds' logs state seconds. */
    FSD_VEC(struct fsd_effort_change) efforts;
    double effort_before, effort_after; /**< seconds: sums over `efforts` */

    bool timed;                                       /**< both builds have times for
                                                           inputs of equal sizes */
    double before, after, by_blame[FSD__BLAME_COUNT]; /**< milliseconds; the entries of
                                                           `by_blame` add up to after -
                                                           before */
    uint32_t by_happened[FSD__HAPPENED_COUNT], by_width[FSD__WIDTH_COUNT];
    uint32_t by_presence[FSD__PRESENCE_COUNT];
    uint32_t moves_by_what[3];
    bool differs; /**< anything differs except times and tactics */
};

static inline bool fsd_aspect_differs(const struct fsd_compare *c,
                                      enum fsd_aspect_id id)
{
    return c->account.state[id] == FSD_ASPECT_DIFFERENT;
}

/** Whether the builds differ in an aspect of the whole engine, not of single nodes:
 *  ports, profiles, options, builder or device. Defined in account.c. */
bool fsd_is_built_otherwise(const struct fsd_compare *c);

/** Prints the change of a node, to be printed after its name: " is Mul, before Add".
 *  @param many prints the plural for several nodes: " are Mul, before Add" */
void fsd_put_node_edit(const struct fsd_node_edit *edit, bool many, FILE *out);

const char *fsd_aspect_name(unsigned value);  /**< "build options" */
const char *fsd_missing_name(unsigned value); /**< "old", "new", "both" */

/** Compares two states.
 *  @param old may be the same state as `new` */
struct fsd_compare *fsd_compare_new(const struct fsd_state *old,
                                    const struct fsd_state *new);
/** Like fsd_compare_new(), but checks whether the builds come from two different
 *  builders. If so, sets `across`: layouts, kernels and tactics are not compared. */
struct fsd_compare *fsd_compare_builds(const struct fsd_state *old,
                                       const struct fsd_state *new);
void fsd_compare_free(struct fsd_compare *c); /**< may be NULL; frees no state */

/** A region, or NULL for FSD_NONE. */
static inline struct fsd_region_diff *fsd_compare_region(const struct fsd_compare *c,
                                                         fsd_id region)
{
    return region == FSD_NONE ? NULL : &c->regions.at[region];
}

/** The region of a group; FSD_NONE for FSD_NONE. */
static inline fsd_id fsd_compare_region_of(const struct fsd_compare *c, bool new,
                                           fsd_id group)
{
    return fsd_id_at(new ? c->new_region : c->old_region, group);
}
static inline fsd_id fsd_compare_region_of_node(const struct fsd_compare *c, bool new,
                                                fsd_id node)
{
    return fsd_compare_region_of(c, new,
                                 fsd_state_group_of(new ? c->new : c->old, node));
}

/** The region of a move, which is the region of the node that owns the move; FSD_NONE
 *  if the move is in no region. */
static inline fsd_id fsd_compare_region_of_move(const struct fsd_compare *c, bool new,
                                                fsd_id move)
{
    const struct fsd_state *s = new ? c->new : c->old;

    return fsd_compare_region_of_node(c, new,
                                      fsd_state_owner_of_move(s, &s->moves.at[move]));
}

/** The build in which a change is shown. This is the new build, or the old build if
 *  only the old build has the node, move or port. `at` is the number of the node, move
 *  or port in that build. */
struct fsd_shown {
    const struct fsd_state *s;
    fsd_id at;
};
static inline struct fsd_shown fsd_compare_shown(const struct fsd_compare *c,
                                                 fsd_id old, fsd_id new)
{
    return new == FSD_NONE ? (struct fsd_shown){c->old, old}
                           : (struct fsd_shown){c->new, new};
}

/** Whether a build has only weak evidence for a region: a layer is a foreign region, or
 *  is matched by structure alone, or it is unknown which nodes the layer computes.
 *  @param new selects the build */
bool fsd_region_is_weak(const struct fsd_compare *c, const struct fsd_region_diff *r,
                        bool new);

/** Whether two aligned nodes agree in their attributes and in the sizes of their
 *  weights and constants, as far as both sides state these. */
bool fsd_traits_agree(const struct fsd_compare *c, const struct fsd_state_node *old,
                      const struct fsd_state_node *new);

/** Lists differences in how the builds were made. The texts belong to the states, or
 *  are literals. */
void fsd_compare_built(struct fsd_arena *arena, const struct fsd_state *old,
                       const struct fsd_state *new, fsd_built_changes *out);

/** Compares how the times of the builds were measured. Adds a change to `out` if the
 *  method differs, or if only one build states it. */
void fsd_compare_measured(struct fsd_arena *arena, const struct fsd_state *old,
                          const struct fsd_state *new, fsd_built_changes *out);

/** How far two builds agree in builder version and GPU. */
struct fsd_built_fit {
    struct fsd_built_change other; /**< the first fact that both builds state
                                        differently; `key` is NULL if there is none */
    uint32_t alike;                /**< number of facts that agree */
};
struct fsd_built_fit fsd_compare_built_fit(struct fsd_arena *arena,
                                           const struct fsd_state *old,
                                           const struct fsd_state *new);

/** Numbers of core nodes. `old` and `new` count all core nodes of a model. `aligned`
 *  counts the aligned core nodes of the old model. */
struct fsd_alignment_count {
    uint32_t old, new, aligned;
    uint32_t rewritten; /**< see struct fsd_align */
};
struct fsd_alignment_count fsd_alignment_count(const struct fsd_compare *c);
/** Whether the models can be two exports of one network: `aligned` plus `rewritten` is
 *  at least half of the core nodes of the smaller model. */
bool fsd_alignment_fits(struct fsd_alignment_count n);

/** The key of the edge's consumer in the new build. If only the producer shows the
 *  change (e->new_to is FSD_NONE): "(its consumers)". */
const char *fsd_edge_reader(const struct fsd_compare *c,
                            const struct fsd_edge_change *e);

const char *fsd_happened_name(unsigned value);       /**< "fusion-lost", etc. */
uint8_t fsd_width_of(uint8_t before, uint8_t after); /**< enum fsd_width */
const char *fsd_width_name(unsigned value);          /**< "widened", etc. */
/** The name of r->width, such as "widened". If r->width is FSD_WIDTH_SAME, but the
 *  precision of a group is unknown (r->untyped): "unknown". */
const char *fsd_region_precision(const struct fsd_region_diff *r);
const char *fsd_blame_name(unsigned value); /**< "fusion", "kernel", etc. */
const char *fsd_presence_name(unsigned value);
const char *fsd_move_what_name(unsigned what);
const char *fsd_kernel_what_name(unsigned value); /**< "changed", etc. */
/** Prints how a kernel changed: " now performs Add, has Activation NONE, before RELU".
 *  @param types whether to print changes of types, too. */
void fsd_put_kernel_change(const struct fsd_compare *c,
                           const struct fsd_kernel_change *k, bool types, FILE *out);

/** Prints the new origin of a kernel's input: "reads as input 0 an output of `a`,
 *  before: an output of `b`". */
void fsd_put_kernel_source(const struct fsd_compare *c,
                           const struct fsd_kernel_change *k, FILE *out);

/** Whether this kernel differs only in facts that the new build does not state. */
bool fsd_only_lost(const struct fsd_kernel_change *k);

/** Whether both types are known and differ. */
static inline bool fsd_types_differ(uint8_t before, uint8_t after)
{
    return before != FSD_DTYPE_UNKNOWN && after != FSD_DTYPE_UNKNOWN && before != after;
}
static inline bool fsd_texts_differ(const struct fsd_compare *c, fsd_sym before,
                                    fsd_sym after)
{
    return before && after &&
           strcmp(fsd_text(c->old->names, before), fsd_text(c->new->names, after)) != 0;
}
/** Whether both layouts are known and differ. Layout names are specific to a builder,
 *  so layouts of different builders are not compared. */
static inline bool fsd_layouts_differ(const struct fsd_compare *c, fsd_sym old,
                                      fsd_sym new)
{
    return !c->across && fsd_texts_differ(c, old, new);
}
static inline bool fsd_forms_differ(const struct fsd_compare *c,
                                    struct fsd_state_form old,
                                    struct fsd_state_form new)
{
    return fsd_types_differ(old.type, new.type) ||
           fsd_layouts_differ(c, old.layout, new.layout);
}
/** Whether the change concerns only layers that take no time, such as a NoOp. By
 *  default, text does not list such changes. */
bool fsd_move_change_is_free(const struct fsd_compare *c,
                             const struct fsd_move_change *m);
/** Whether the change is about moves that are unfused Q or DQ, or about a node that is
 *  a Q or DQ. Always false if both builds come from one builder. By default, text and
 *  tables do not list such changes. */
bool fsd_move_change_is_quantizer(const struct fsd_compare *c,
                                  const struct fsd_move_change *m);
bool fsd_presence_is_quantizer(const struct fsd_compare *c,
                               const struct fsd_node_presence *p);
