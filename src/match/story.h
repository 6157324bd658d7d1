/*
 * Replays the build log.  The result has the nodes of each layer at the end of the
 * build, and the events of each node and each layer.
 *
 *     Registering layer: Conv_9 for ONNX node: Conv_9      Conv_9            = {9}
 *     ConvReluFusion: Fusing Conv_9 with Relu_10           Conv_9 + Relu_10  = {9, 10}
 *     Running: QConvScaleFusion on Conv_12, then
 *     Removing BatchNormalization_13                       Conv_12           = {12, 13}
 *
 * The replay uses only names and events: no tensors and no engine.
 */
#pragma once

#include "model/graph/history.h"
#include "model/graph/vocab.h"

struct fsd_mention;

/** A node, and an event that involves the node. */
struct fsd_scene {
    fsd_id node;
    uint32_t event; /**< index in fsd_history.events */
};

/** How the log shows that no layer computes a node. */
enum fsd_left {
    FSD_LEFT_NOT,
    FSD_LEFT_ERASED,   /**< the builder's passes removed all layers of the node, because
                            the layers have no effect */
    FSD_LEFT_MERGED,   /**< the builder removed the node as a duplicate of another
                            node */
    FSD_LEFT_IN_PLACE, /**< the node is a slice, and its consumers directly read a part
                            of its input */
};

struct fsd_leaving {
    enum fsd_left how;
    fsd_id other;   /**< FSD_LEFT_MERGED: the node that replaces this node; else
                         FSD_NONE */
    uint32_t event; /**< index in fsd_history.events */
};

struct fsd_story {
    const struct fsd_history *h;
    const struct fsd_graph *model;
    const struct fsd_vocab *vocab;
    struct fsd_arena *arena;
    FSD_VEC(struct fsd_span) of_name; /**< indexed by name: the nodes, in `pool` */
    FSD_VEC(uint8_t) known;           /**< indexed by name: whether `of_name` is set */
    FSD_VEC(fsd_id) pool;
    FSD_VEC(uint32_t)
    made; /**< indexed by name: 1 plus the index of the event that added a Reformat with
               this name, or a copy of the tensor with this name; 0 if there is none */
    FSD_VEC(struct fsd_scene) scenes; /**< sorted by node, then event */
    struct fsd_span *of_node;         /**< indexed by node: its scenes, a span of
                                           `scenes` */
    struct fsd_leaving *left;         /**< indexed by node: why no layer computes the
                                           node; FSD_LEFT_NOT: not stated */
    uint32_t *layers; /**< working memory, indexed by node: number of its layers that
                           the builder did not erase */
    uint32_t *mark;   /**< working memory, indexed by node */
    uint32_t stamp;
    unsigned depth; /**< working memory: nesting depth of the current name */
    bool cut; /**< whether nodes or events are missing because a limit was reached */
    bool registered; /**< whether the log states which layers the parser created for
                          each node */
};

/** Compares the network in the log with the model, and stores the result in members of
 *  `h`: node_of, n_parsed, unlike, unlike_name, and those whose names begin with
 *  "unparsed".
 *  @param parsed the network in the log, from fsd_log_network(); may be the model
 *         itself. */
void fsd_story_compare(struct fsd_history *h, const struct fsd_graph *parsed,
                       const struct fsd_graph *model, const struct fsd_vocab *vocab);

/** Replays the events of the build h->build; the result is in the arena. */
struct fsd_story *fsd_story_new(struct fsd_arena *arena, const struct fsd_history *h,
                                const struct fsd_graph *model,
                                const struct fsd_vocab *vocab);

/** The nodes that the layer `name` has at the end of the build; empty if the log states
 *  none. */
struct fsd_span fsd_story_nodes(struct fsd_story *story, fsd_sym name);

/** The layer name in the log that the mention refers to; 0 if the mention may refer to
 *  a layer that the log does not contain. */
fsd_sym fsd_story_name(const struct fsd_story *story,
                       const struct fsd_mention *mention);

/** The index of the event that inserted an engine layer (a Reformat or a copy);
 *  FSD_NONE if there is no such event. */
uint32_t fsd_story_added(const struct fsd_story *story, const struct fsd_graph *engine,
                         fsd_id layer);

/** Corrects the engine's mentions with the log.  This is needed because names may
 *  collide: if a node is named "linear", the parser gives its second layer the name
 *  "linear_1", and another node of the model may have this name. */
void fsd_story_correct(struct fsd_story *story, struct fsd_graph *engine);
