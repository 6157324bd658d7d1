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
 * Built by the passes in match.c's table; passes add links and evidence, and none
 * removes any, except links that Metadata spreads over a loop (pass_body.c), and those
 * that are one of several equal choices, which become regions (pass_choice.c).
 */
#ifndef FSD_MATCH_MATCH_H
#define FSD_MATCH_MATCH_H

#include "match/facts.h"
#include "match/story.h"
#include "model/ops/sizes.h"

#include <stdbool.h>

struct fsd_link {
    fsd_id layer, node;
    unsigned by; /**< mask of enum fsd_evidence */
};

struct fsd_region {
    struct fsd_span layers, nodes; /**< in fsd_match.pool */
    enum fsd_evidence by;
    bool equal; /**< the layers are alike, and so are the nodes: nothing decides */
};

/** The nodes between the boundary tensors of a unit. */
struct fsd_cut {
    struct fsd_span layers; /**< those that may compute it, in fsd_match.pool */
    struct fsd_span nodes;  /**< in fsd_match.pool; no constants */
    bool leaky; /**< the walk met tensors of other units that this one does not read */
};

/** Two pieces of evidence that cannot both be true. */
struct fsd_conflict {
    fsd_id layer, node;
    unsigned by;  /**< what links these two */
    fsd_id other; /**< the layer between whose tensors the node is */
};

/** A generated kernel for which match/kernel reached a limit: which. */
struct fsd_bound {
    fsd_id layer;
    const char *what; /**< "nodes": a literal */
};

struct fsd_match {
    struct fsd_arena *arena;
    const struct fsd_graph *model, *engine;
    const struct fsd_facts *facts;
    struct fsd_story *story; /**< the facts of the build log; NULL: none */
    unsigned evidence;       /**< what may be used */

    bool *gone; /**< by node: nothing of it is left to compute, proved by the model
                          or stated by the log */
    fsd_id *counterpart; /**< by engine tensor: its counterpart, the model's tensor it
                          holds; FSD_NONE */
    fsd_id *moved_q; /**< by engine tensor: the Q that was moved before it, so that it
                          holds the counterpart's quantized value; FSD_NONE */
    bool inferred;   /**< no name fits, and counterparts follow from weights, sizes and
                        paths (infer.c) */
    fsd_id *unit;    /**< by layer: the layers it shares engine-only tensors with */

    bool *layer_sourced; /**< by layer: its Metadata names nodes */
    bool *node_sourced;  /**< by node: the Metadata of some layer names it */

    FSD_VEC(struct fsd_link) links; /**< sorted by layer, then node */
    FSD_VEC(struct fsd_link)
    refuted;                   /**< links that Metadata contradicts, and that
                                           were removed */
    uint32_t indexed;          /**< of `links`; a pass adds behind these */
    struct fsd_span *of_layer; /**< by layer: in links */
    struct fsd_span *of_node;  /**< by node: in by_node */
    uint32_t *by_node;         /**< link numbers sorted by node, then layer */

    FSD_VEC(struct fsd_region) regions;
    fsd_id *region_of_layer; /**< FSD_NONE: none */
    fsd_id *region_of_node;
    fsd_id *dissolved_in; /**< by node: a layer between whose boundary tensors it is
                               without a link (as for views); FSD_NONE */
    bool *in_weights; /**< by node: its factor went into the weights of a product beside
                           it, so that no layer computes it */
    bool *runs; /**< by node: all its inputs are constant, and yet a layer computes it
                     at every inference */
    bool *replaced; /**< by model tensor: a unit that needs it reads another tensor of
                         the same value instead */
    struct fsd_cut *cuts; /**< by unit (the number of its first layer) */
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

/** The model's tensor that one of the engine holds; FSD_NONE, and for FSD_NONE. */
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

/** Whether a link or a region shows what computes a node, or what a layer computes. */
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

/** True for a layer's own weights, which a dump may list among a generated kernel's
 *  inputs: they have no producer, and are no input of the network. */
bool fsd_match_is_weight(const struct fsd_match *m, const struct fsd_port *port);

/** True if the log is usable and shows that no layer is left of the node. */
bool fsd_match_left(const struct fsd_match *m, fsd_id node);

/** Gives the model's named dimensions the sizes that the engine was built for,
 *  according to its inputs. */
void fsd_match_bind_sizes(const struct fsd_match *m, struct fsd_sizes *s);

/** The model's sizes with these. */
struct fsd_sizes *fsd_match_sizes(const struct fsd_match *m, struct fsd_arena *arena);

/** An input or output of the network in the form of the engine's list; if that has
 *  names only, in the form of its kernels.
 *  @param tensor of the engine. */
const struct fsd_form *fsd_match_binding_form(const struct fsd_match *m, fsd_id tensor);

/** How well model and engine fit: names in the engine that could be the model's, and
 *  the engine's inputs and outputs, and how many of each the model has; of these, how
 *  many have a size or a type that an engine of that model cannot have. */
struct fsd_fit {
    uint32_t names, names_found;
    uint32_t tensors, tensors_found, tensors_unlike;
    fsd_id unlike;     /**< the engine's first of these; FSD_NONE */
    uint32_t weighted; /**< layers with a known number of weights and a named node that
                            reads them */
    uint32_t weights_unlike; /**< of these, with another number than the node's
                                  weight */
    struct {
        fsd_id layer, node;
        int64_t count; /**< elements of the node's weight */
    } heavy;           /**< the first of those; FSD_NONE */
    uint32_t packed;   /**< weights of 4 bits in the model that a strongly typed engine
                              has as floats */
    fsd_id packed_layer, packed_node; /**< the first: its layer, the node that reads it;
                                           FSD_NONE */
    enum fsd_dtype packed_as;         /**< its type in the engine */
    enum fsd_dtype narrow, narrow_as; /**< a quantized type of the model and one of the
                                           engine, if these have none in common; else
                                           unknown */
    uint32_t quantizers; /**< the model's, if nothing in the engine is quantized; 0 if
                              something is, or not all types are known */
};
struct fsd_fit fsd_match_fit(const struct fsd_match *m);

#endif
