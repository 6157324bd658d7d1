/*
 * The relation between layers and nodes: links, each with its evidence, and regions.
 *
 *     layer 6 "conv + relu" ----metadata,tensor---- node 11 Conv
 *                           ----metadata,tensor---- node 12 Relu
 *
 * A link says "this layer computes this node", wholly or in part.  A node may have
 * several layers (it was split) and a layer several nodes (they were fused).
 *
 * A region remains where tensors, or the steps of kernels, show that some nodes are
 * computed by a group of layers, but not which layer computes which node:
 *
 *     layers {7, 8, 9}  compute  nodes {20, 21, 22, 23}
 *
 * The passes in match.c's table build the relation.  They only add links and evidence,
 * with two exceptions: pass_body.c moves links that Metadata spreads over a loop to the
 * Loop node, and pass_choice.c turns links that are one of several equal choices into
 * regions.
 */
#pragma once

#include "match/facts.h"
#include "match/story.h"
#include "model/ops/sizes.h"

struct fsd_port;

struct fsd_link {
    fsd_id layer, node;
    unsigned by; /**< mask of enum fsd_evidence */
};

struct fsd_region {
    struct fsd_span layers, nodes; /**< in fsd_match.pool */
    enum fsd_evidence by;
    bool equal; /**< whether the layers are equivalent and the nodes are equivalent, so
                     that nothing shows which layer computes which node */
};

/** The nodes between the boundary tensors of a unit. */
struct fsd_cut {
    struct fsd_span layers; /**< the layers of the unit that may compute the nodes, in
                                 fsd_match.pool */
    struct fsd_span nodes;  /**< in fsd_match.pool; no constants */
    bool leaky; /**< whether `nodes` may have too many nodes.  This is so if the
                     backward walk that finds them (cut.c) met a tensor that the engine
                     has in memory, and that this unit neither reads nor writes */
};

/** Two pieces of evidence that contradict each other: `by` links the node to `layer`,
 *  and tensors place the node in `other`. */
struct fsd_conflict {
    fsd_id layer, node;
    unsigned by;  /**< the evidence that links `layer` and `node` */
    fsd_id other; /**< the layer whose inputs and outputs enclose the node */
};

/** A generated kernel for which the search in match/kernel reached a limit. */
struct fsd_bound {
    fsd_id layer;
    const char *what; /**< the limit: a string literal, such as "nodes" */
};

struct fsd_match {
    struct fsd_arena *arena;
    const struct fsd_graph *model, *engine;
    const struct fsd_facts *facts;
    struct fsd_story *story; /**< the replayed build log; NULL if there is no log */
    unsigned evidence;       /**< mask of the evidence that passes may use */

    bool *gone; /**< indexed by node: whether no layer has to compute the node; the
                     model proves this, or the log states it */
    fsd_id *counterpart; /**< indexed by engine tensor: the model tensor whose value the
                              engine tensor holds; FSD_NONE if unknown */
    fsd_id *moved_q; /**< indexed by engine tensor: the Q that the builder moved back,
                          and applied to the counterpart.  The tensor holds the
                          result.  FSD_NONE: no Q was moved */
    bool inferred;   /**< whether infer.c inferred the counterparts from weights, sizes
                          and paths, because no name fits */
    fsd_id *unit;    /**< indexed by layer: the first layer of its unit.  Layers form
                          a unit if they share a tensor that the model does not have */

    bool *layer_sourced; /**< indexed by layer: whether its Metadata names nodes */
    bool *node_sourced;  /**< indexed by node: whether some layer's Metadata names it */

    FSD_VEC(struct fsd_link) links; /**< sorted by layer, then node */
    FSD_VEC(struct fsd_link)
    refuted;                   /**< rejected links, which Metadata or a layer type
                                    contradicts */
    uint32_t indexed;          /**< number of links that are sorted and indexed; a pass
                                    appends new links behind these */
    struct fsd_span *of_layer; /**< indexed by layer: its links, in `links` */
    struct fsd_span *of_node;  /**< indexed by node: its links, in `by_node` */
    uint32_t *by_node;         /**< indices in `links`, sorted by node, then layer */

    FSD_VEC(struct fsd_region) regions;
    fsd_id *region_of_layer; /**< indexed by layer: its region; FSD_NONE if the layer
                                  is in no region */
    fsd_id *region_of_node;
    fsd_id *dissolved_in; /**< indexed by node: for a node without a link (such as a
                               view), the layer whose inputs and outputs enclose the
                               node; FSD_NONE if there is none */
    bool *in_weights;     /**< indexed by node: whether the builder merged the node's
                               factor into the weights of an adjacent Conv or MatMul, so
                               that no layer computes the node */
    bool *runs;     /**< indexed by node: whether a layer computes the node at every
                         inference although all inputs of the node are constant */
    bool *replaced; /**< indexed by model tensor: whether some unit reads another tensor
                         of the same value instead of this tensor */
    struct fsd_cut *cuts; /**< indexed by the first layer of a unit */
    FSD_VEC(struct fsd_conflict) conflicts;
    FSD_VEC(struct fsd_bound) bounds;
    FSD_VEC(fsd_id) pool;
};

/** Runs the passes.
 *  @param evidence mask of enum fsd_evidence; a pass that uses none of these does not
 *         run.
 *  @param story the replayed build log; NULL if there is no log. */
struct fsd_match *fsd_match_new(struct fsd_arena *arena, const struct fsd_facts *facts,
                                const struct fsd_graph *engine, unsigned evidence,
                                struct fsd_story *story);

/** The counterpart of the engine tensor `tensor`; FSD_NONE if the counterpart is
 *  unknown or `tensor` is FSD_NONE. */
static inline fsd_id fsd_match_held(const struct fsd_match *m, fsd_id tensor)
{
    return fsd_id_at(m->counterpart, tensor);
}
static inline bool fsd_match_holds(const struct fsd_match *m, fsd_id tensor)
{
    return fsd_match_held(m, tensor) != FSD_NONE;
}

/** The range of a node's links, in `by_node`; empty for FSD_NONE.  fsd_match_of_node()
 *  returns one of the links. */
static inline struct fsd_span fsd_match_links_of(const struct fsd_match *m, fsd_id node)
{
    return node == FSD_NONE ? (struct fsd_span){0} : m->of_node[node];
}

/** The range of a region's nodes, in `pool`; empty for FSD_NONE. */
static inline struct fsd_span fsd_match_region_nodes(const struct fsd_match *m,
                                                     fsd_id region)
{
    return region == FSD_NONE ? (struct fsd_span){0} : m->regions.at[region].nodes;
}

/** Whether a layer is in a region. */
static inline bool fsd_match_in_region(const struct fsd_match *m, fsd_id layer)
{
    return m->region_of_layer[layer] != FSD_NONE;
}

/** fsd_match_maps_node(): whether a link or a region shows which layers compute the
 *  node.  fsd_match_maps_layer(): whether a link or a region shows which nodes the
 *  layer computes. */
static inline bool fsd_match_maps_node(const struct fsd_match *m, fsd_id node)
{
    return m->of_node[node].n || m->region_of_node[node] != FSD_NONE;
}
static inline bool fsd_match_maps_layer(const struct fsd_match *m, fsd_id layer)
{
    return m->of_layer[layer].n || fsd_match_in_region(m, layer);
}

/** The i-th link of a layer or of a node; i must be below of_layer[layer].n or
 *  of_node[node].n. */
const struct fsd_link *fsd_match_of_layer(const struct fsd_match *m, fsd_id layer,
                                          uint32_t i);
const struct fsd_link *fsd_match_of_node(const struct fsd_match *m, fsd_id node,
                                         uint32_t i);

/** Whether a link assigns the node to the layer; false if `node` is FSD_NONE. */
bool fsd_match_has(const struct fsd_match *m, fsd_id layer, fsd_id node);
/** Whether the model tensor `tensor` is an output of its graph, or a node that is not
 *  linked to the layer reads `tensor`. */
bool fsd_match_read_outside(const struct fsd_match *m, fsd_id layer, fsd_id tensor);

/** Whether the port is one of the layer's own weights, which a dump may list among the
 *  inputs of a generated kernel.  The tensor of such a port has no producer and is not
 *  an input of the network. */
bool fsd_match_is_weight(const struct fsd_match *m, const struct fsd_port *port);

/** Whether the log is usable and shows that no layer remains for the node. */
bool fsd_match_left(const struct fsd_match *m, fsd_id node);

/** Sets the named dimensions in `s` to the sizes of the engine's inputs.
 *  @param s sizes of the model. */
void fsd_match_bind_sizes(const struct fsd_match *m, struct fsd_sizes *s);

/** The model's sizes, with the named dimensions set by fsd_match_bind_sizes(); the
 *  result is in the arena. */
struct fsd_sizes *fsd_match_sizes(const struct fsd_match *m, struct fsd_arena *arena);

/** The form of an engine input or output.  The engine's list of bindings states the
 *  form; if the list has only names, the kernels state it.
 *  @param tensor a tensor of the engine. */
const struct fsd_form *fsd_match_binding_form(const struct fsd_match *m, fsd_id tensor);

/** How well model and engine fit.  These members are numbers:
 *    - `names`: the engine's names that may be names of the model,
 *    - `names_found`: those of `names` that the model has,
 *    - `tensors`: the inputs and outputs of the engine,
 *    - `tensors_found`: those of `tensors` that the model has,
 *    - `tensors_unlike`: those of `tensors_found` whose size or type contradicts the
 *      model. */
struct fsd_fit {
    uint32_t names, names_found;
    uint32_t tensors, tensors_found, tensors_unlike;
    fsd_id unlike;     /**< the first tensor in `tensors_unlike`; FSD_NONE if there is
                            none */
    uint32_t weighted; /**< number of layers whose weights can be compared. For these
                            layers, the number of weights is known, and Metadata or the
                            layer's name contains exactly one node with weights */
    uint32_t weights_unlike; /**< how many of the `weighted` layers have a different
                                  number of weights than the node */
    struct {
        fsd_id layer, node;
        int64_t count; /**< elements of the node's weight */
    } heavy;           /**< the first layer in `weights_unlike`; FSD_NONE if there is
                            none */
    uint32_t packed;   /**< number of the model's 4-bit weights that a strongly typed
                            engine stores as floats */
    fsd_id packed_layer, packed_node; /**< the layer and the node of the first weight in
                                           `packed`; FSD_NONE if there is none */
    enum fsd_dtype packed_as;         /**< the type of this weight in the engine */
    enum fsd_dtype narrow, narrow_as; /**< if model and engine have no quantized type in
                                           common: a quantized type of the model
                                           (`narrow`) and of the engine (`narrow_as`);
                                           else FSD_DTYPE_UNKNOWN */
    uint32_t quantizers; /**< number of the model's Q nodes that are neither folded nor
                              eliminated, if the engine quantizes nothing; 0 if it may
                              quantize something */
};
struct fsd_fit fsd_match_fit(const struct fsd_match *m);
