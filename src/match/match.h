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
    bool equal; /**< the layers are equivalent, and so are the nodes: nothing shows
                     which layer computes which node */
};

/** The nodes between the boundary tensors of a unit. */
struct fsd_cut {
    struct fsd_span layers; /**< the layers of the unit that may compute the nodes, in
                                 fsd_match.pool */
    struct fsd_span nodes;  /**< in fsd_match.pool; no constants */
    bool leaky; /**< the walk met tensors of other units that this unit does not read */
};

/** Two pieces of evidence that cannot both be true. */
struct fsd_conflict {
    fsd_id layer, node;
    unsigned by;  /**< the evidence that links `layer` and `node` */
    fsd_id other; /**< the layer whose inputs and outputs enclose the node */
};

/** A generated kernel for which match/kernel reached a limit, and which limit. */
struct fsd_bound {
    fsd_id layer;
    const char *what; /**< "nodes": a string literal */
};

struct fsd_match {
    struct fsd_arena *arena;
    const struct fsd_graph *model, *engine;
    const struct fsd_facts *facts;
    struct fsd_story *story; /**< the replayed build log; NULL: there is none */
    unsigned evidence;       /**< mask of the evidence that passes may use */

    bool *gone; /**< indexed by node: no layer has to compute it, as the model proves or
                     the log states */
    fsd_id *counterpart; /**< indexed by engine tensor: its counterpart, the model
                              tensor whose value it holds; FSD_NONE if unknown */
    fsd_id *moved_q; /**< indexed by engine tensor: the Q that the builder moved before
                          the tensor, which therefore holds the quantized value of its
                          counterpart; FSD_NONE if there is none */
    bool inferred;   /**< no name fits, so that counterparts were inferred from weights,
                          sizes and paths (infer.c) */
    fsd_id *unit;    /**< indexed by layer: the first layer of its unit (the layers that
                          share engine-only tensors) */

    bool *layer_sourced; /**< indexed by layer: its Metadata names nodes */
    bool *node_sourced;  /**< indexed by node: the Metadata of some layer names it */

    FSD_VEC(struct fsd_link) links; /**< sorted by layer, then node */
    FSD_VEC(struct fsd_link)
    refuted;                   /**< removed links, which Metadata contradicts */
    uint32_t indexed;          /**< number of links that are sorted and indexed; a pass
                                    adds new ones after these */
    struct fsd_span *of_layer; /**< indexed by layer: its links, in `links` */
    struct fsd_span *of_node;  /**< indexed by node: its links, in `by_node` */
    uint32_t *by_node;         /**< link numbers sorted by node, then layer */

    FSD_VEC(struct fsd_region) regions;
    fsd_id *region_of_layer; /**< FSD_NONE: in no region */
    fsd_id *region_of_node;
    fsd_id *dissolved_in; /**< indexed by node: for a node without a link (such as a
                               view), a layer whose boundary tensors enclose the node;
                               FSD_NONE */
    bool *in_weights;     /**< indexed by node: the builder merged the node's factor
                               into the weights of an adjacent product, so that no layer
                               computes the node */
    bool *runs;     /**< indexed by node: all inputs of the node are constant, and yet a
                         layer computes the node at every inference */
    bool *replaced; /**< indexed by model tensor: a unit that needs this tensor reads
                         another one of the same value instead */
    struct fsd_cut *cuts; /**< indexed by unit (the number of its first layer) */
    FSD_VEC(struct fsd_conflict) conflicts;
    FSD_VEC(struct fsd_bound) bounds;
    FSD_VEC(fsd_id) pool;
};

/** Runs the passes.
 *  @param evidence mask of enum fsd_evidence; passes outside it do not run.
 *  @param story    the build log, replayed; NULL when there is none. */
struct fsd_match *fsd_match_new(struct fsd_arena *arena, const struct fsd_facts *facts,
                                const struct fsd_graph *engine, unsigned evidence,
                                struct fsd_story *story);

/** The model tensor that an engine tensor holds; FSD_NONE if it is unknown, or `tensor`
 *  is FSD_NONE. */
static inline fsd_id fsd_match_held(const struct fsd_match *m, fsd_id tensor)
{
    return fsd_id_at(m->counterpart, tensor);
}
static inline bool fsd_match_holds(const struct fsd_match *m, fsd_id tensor)
{
    return fsd_match_held(m, tensor) != FSD_NONE;
}

/** The links of a node, by fsd_match_of_node(); none for FSD_NONE. */
static inline struct fsd_span fsd_match_links_of(const struct fsd_match *m, fsd_id node)
{
    return node == FSD_NONE ? (struct fsd_span){0} : m->of_node[node];
}

/** The nodes of a region, in `pool`; none for FSD_NONE. */
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

/** Whether a link or a region shows which layers compute a node, or which nodes a layer
 *  computes. */
static inline bool fsd_match_maps_node(const struct fsd_match *m, fsd_id node)
{
    return m->of_node[node].n || m->region_of_node[node] != FSD_NONE;
}
static inline bool fsd_match_maps_layer(const struct fsd_match *m, fsd_id layer)
{
    return m->of_layer[layer].n || fsd_match_in_region(m, layer);
}

/** The i-th link of a layer or of a node; i is below of_layer[layer].n or
 *  of_node[node].n. */
const struct fsd_link *fsd_match_of_layer(const struct fsd_match *m, fsd_id layer,
                                          uint32_t i);
const struct fsd_link *fsd_match_of_node(const struct fsd_match *m, fsd_id node,
                                         uint32_t i);

/** True if a link says that the layer computes the node; false for node FSD_NONE. */
bool fsd_match_has(const struct fsd_match *m, fsd_id layer, fsd_id node);
/** Whether a node that is not in the layer reads a tensor of the model, or the tensor
 *  is an output of its graph. */
bool fsd_match_read_outside(const struct fsd_match *m, fsd_id layer, fsd_id tensor);

/** Whether the port is one of the layer's own weights, which a dump may list among a
 *  generated kernel's inputs: such a tensor has no producer and is not an input of the
 *  network. */
bool fsd_match_is_weight(const struct fsd_match *m, const struct fsd_port *port);

/** Whether the log is usable and shows that no layer remains for the node. */
bool fsd_match_left(const struct fsd_match *m, fsd_id node);

/** Binds the model's named dimensions to the sizes of the engine's inputs. */
void fsd_match_bind_sizes(const struct fsd_match *m, struct fsd_sizes *s);

/** The model's sizes after fsd_match_bind_sizes(). */
struct fsd_sizes *fsd_match_sizes(const struct fsd_match *m, struct fsd_arena *arena);

/** The form of an engine input or output as the engine's list of bindings states it; if
 *  the list has only names, as the kernels state it.
 *  @param tensor a tensor of the engine. */
const struct fsd_form *fsd_match_binding_form(const struct fsd_match *m, fsd_id tensor);

/** How well model and engine fit: the number of names in the engine that could be names
 *  of the model, and how many the model has; the number of inputs and outputs of the
 *  engine, how many the model has, and how many have a size or type that an engine of
 *  that model cannot have. */
struct fsd_fit {
    uint32_t names, names_found;
    uint32_t tensors, tensors_found, tensors_unlike;
    fsd_id unlike;     /**< the first engine tensor that counts as unlike; FSD_NONE */
    uint32_t weighted; /**< layers whose number of weights is known and whose name has a
                            node that reads weights */
    uint32_t weights_unlike; /**< of these, layers with a different number of weights
                                  than the node's weight */
    struct {
        fsd_id layer, node;
        int64_t count; /**< elements of the node's weight */
    } heavy;           /**< the first such layer; FSD_NONE: there is none */
    uint32_t packed;   /**< 4-bit weights of the model that a strongly typed engine
                            stores as floats */
    fsd_id packed_layer, packed_node; /**< of the first of these weights: the layer, and
                                           the node that reads it; FSD_NONE */
    enum fsd_dtype packed_as;         /**< the type in the engine */
    enum fsd_dtype narrow, narrow_as; /**< a quantized type of the model and one of the
                                           engine, if they have no quantized type in
                                           common; else FSD_DTYPE_UNKNOWN */
    uint32_t quantizers; /**< number of the model's quantizers, if nothing in the engine
                              is quantized; 0 if something is, or if not all types are
                              known */
};
struct fsd_fit fsd_match_fit(const struct fsd_match *m);
