/*
 * Where the layers that only move data sit.
 *
 *     model    MaxPool_12 --270--> QuantizeLinear_15, input 0
 *     engine   MaxPool_12 --> Reformat --> Reformat --> QuantizeLinear_15
 *
 * A mover is a layer that moves data for the builder's sake or the quantizers': an
 * inserted layer, a copy, a Q or DQ left standing.  Its flow is the edge of the model
 * that it sits on, told through chains of inserted layers, and the chain of movers that
 * it is a link of.  Everything else has no flow.
 */
#ifndef FSD_DIFF_FLOW_H
#define FSD_DIFF_FLOW_H

#include "match/match.h"

struct fsd_diff;

/** Who reads what a mover carries. */
struct fsd_reader {
    fsd_id layer; /**< the first behind it that is not inserted; FSD_NONE: an output
                       of the network */
    fsd_id
        node; /**< which of its nodes reads the model's tensor; FSD_NONE: not known */
    uint32_t input; /**< the node's input; of no meaning without a node */
};

struct fsd_flow {
    bool there;          /**< false: the layer is no mover, and the rest says nothing */
    bool cut;            /**< there are more readers than are listed */
    fsd_id source;       /**< the layer that made the data, before all inserted ones;
                              FSD_NONE: an input of the network, or not known */
    fsd_id model_tensor; /**< the edge, a tensor of the model; FSD_NONE: not known */
    fsd_id producer; /**< the node that makes it; FSD_NONE: an input of the model, or
                          not known */
    struct fsd_span readers; /**< in fsd_flows.readers */
    fsd_id served;           /**< of a layer without tensors: the one that its name says
                                  it is for; FSD_NONE */
    fsd_id before;           /**< the mover whose output this one reads; FSD_NONE */
    fsd_id head;             /**< the first of its chain; itself when it stands alone */
};

struct fsd_flows {
    struct fsd_flow *of; /**< by layer */
    FSD_VEC(struct fsd_reader) readers;
};

/** Needs kinds and links. */
const struct fsd_flows *fsd_diff_flows(const struct fsd_diff *d);

/** The form of a layer's first input or output; NULL when it has none. */
const struct fsd_form *fsd_layer_form_in(const struct fsd_diff *d, fsd_id layer);
const struct fsd_form *fsd_layer_form_out(const struct fsd_diff *d, fsd_id layer);

#endif
