/*
 * The replayed events of the build log: which nodes each layer of the builder has at
 * the end, and the events of each node and each layer.
 *
 *     Registering layer: Conv_9 for ONNX node: Conv_9      Conv_9            = {9}
 *     ConvReluFusion: Fusing Conv_9 with Relu_10           Conv_9 + Relu_10  = {9, 10}
 *     Running: QConvScaleFusion on Conv_12, then
 *     Removing BatchNormalization_13                       Conv_12           = {12, 13}
 *
 * Only names and events are used here: no tensors, no engine.
 */
#pragma once

#include "model/graph/history.h"
#include "model/graph/vocab.h"

struct fsd_mention;

/** An event that involves a node. */
struct fsd_scene {
    fsd_id node;
    uint32_t event; /**< in fsd_history.events */
};

/** How the log shows that no layer computes a node. */
enum fsd_left {
    FSD_LEFT_NOT,
    FSD_LEFT_ERASED,   /**< passes that erase layers without effect removed all its
                            layers */
    FSD_LEFT_MERGED,   /**< removed as a duplicate of another node */
    FSD_LEFT_IN_PLACE, /**< a slice: its consumers read a part of its input */
};

struct fsd_leaving {
    enum fsd_left how;
    fsd_id other;   /**< MERGED: the node that replaces it */
    uint32_t event; /**< in fsd_history.events */
};

struct fsd_story {
    const struct fsd_history *h;
    const struct fsd_graph *model;
    const struct fsd_vocab *vocab;
    struct fsd_arena *arena;
    FSD_VEC(struct fsd_span) of_name; /**< indexed by symbol: span in `pool` */
    FSD_VEC(uint8_t) known;           /**< indexed by symbol: of_name is set */
    FSD_VEC(fsd_id) pool;
    FSD_VEC(uint32_t)
    made; /**< indexed by symbol: the event that added a Reformat of that name or a copy
               of that tensor, plus 1; 0: none */
    FSD_VEC(struct fsd_scene) scenes; /**< sorted by node, then event */
    struct fsd_span *of_node;         /**< indexed by node: span in `scenes` */
    struct fsd_leaving *left;         /**< indexed by node: how the log shows that no
                                           layer computes it */
    uint32_t *layers; /**< scratch, by node: number of its layers that were not
                           erased */
    uint32_t *mark;   /**< scratch, by node */
    uint32_t stamp;
    unsigned depth; /**< scratch: how deep names are nested */
    bool cut; /**< some sets were too large, or names nested too deep, and were left
                   out */
    bool registered; /**< the log states which layers the parser created for which
                          nodes */
};

/** Compares the network in the log with the model: sets h->node_of, n_parsed and
 *  unlike.
 *  @param parsed the result of fsd_log_network(); may be the model itself. */
void fsd_story_compare(struct fsd_history *h, const struct fsd_graph *parsed,
                       const struct fsd_graph *model, const struct fsd_vocab *vocab);

/** Replays the events of the engine that h->build selects; the result is in the
 *  arena. */
struct fsd_story *fsd_story_new(struct fsd_arena *arena, const struct fsd_history *h,
                                const struct fsd_graph *model,
                                const struct fsd_vocab *vocab);

/** The nodes that the layer of that name has at the end; empty if the log states
 *  none. */
struct fsd_span fsd_story_nodes(struct fsd_story *story, fsd_sym name);

/** The layer name in the log that a mention refers to; 0 if the mention may refer to a
 *  layer that the log does not contain. */
fsd_sym fsd_story_name(const struct fsd_story *story,
                       const struct fsd_mention *mention);

/** The event that inserted an engine layer (a Reformat or a copy); FSD_NONE if there is
 *  none. */
uint32_t fsd_story_added(const struct fsd_story *story, const struct fsd_graph *engine,
                         fsd_id layer);

/** Corrects the meanings of names with the log: the parser calls the second layer of
 *  node `linear` "linear_1", which may also be the name of a node. */
void fsd_story_correct(struct fsd_story *story, struct fsd_graph *engine);
