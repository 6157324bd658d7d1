/* Steps of the stages of diff, by the file that holds them.  Only src/explain/diff. */
#ifndef FSD_DIFF_STEP_H
#define FSD_DIFF_STEP_H

#include "explain/diff/diff.h"

/* log.c: what the build log adds; nothing without one. */
void fsd_add_log_to_node(const struct fsd_match *m, fsd_id node,
                         struct fsd_node_result *r);
void fsd_add_log_to_reason(const struct fsd_match *m, fsd_id layer,
                           struct fsd_reason *r);

/* precision.c */
enum fsd_dtype fsd_requested(const struct fsd_match *m, fsd_id node);
enum fsd_dtype fsd_realised(const struct fsd_match *m,
                            const struct fsd_layer_result *layers,
                            const enum fsd_dtype *shown, enum fsd_dtype requested,
                            fsd_id node);

/** computed.c: whether the layer continues what other layers of the node began. */
bool fsd_goes_on(const struct fsd_match *m, fsd_id layer, fsd_id node);

/** kind.c: whether a layer that only quantizes stands for the node.  If the quantizer
 *  of an input pads for a convolution, its name also has that convolution's
 *  DequantizeLinear nodes, which another layer computes. */
bool fsd_quantizes_as(const struct fsd_match *m, fsd_id layer, fsd_id node);

/** control.c: why the host computes a node that controls how often layers run, or with
 *  what a loop begins; NULL: it does not.
 *  @param sizes  of the model; NULL if the engine does not jump */
const char *fsd_why_of_control(const struct fsd_match *m, const struct fsd_sizes *sizes,
                               fsd_id node);

/** control.c: why the builder computes a node that reads nothing but constants and
 *  sizes, and what is made of those; NULL: the engine takes inputs of several sizes, or
 *  the node reads data. */
const char *fsd_why_of_fixed_sizes(const struct fsd_match *m, fsd_id node);

/** The branches of Ifs (branch.c). */
struct fsd_branches {
    bool *built;   /**< by scope: a layer computes a node in it */
    bool *decided; /**< by node: an If of which one branch alone was built */
};

/** Finds them; none is decided where the inside of a layer is unknown. */
struct fsd_branches fsd_find_branches(struct fsd_arena *arena,
                                      const struct fsd_match *m,
                                      const struct fsd_layer_result *layers);

/** Whether the node is in a branch of a decided If that was not built. */
bool fsd_is_left_out(const struct fsd_match *m, const struct fsd_branches *b,
                     fsd_id node);

/** cancel.c: whether a quantizer, or a factor between two, is eliminated because they
 *  cancel each other. */
bool fsd_cancels(const struct fsd_match *m, fsd_id node);

/** copied.c: whether a copy of what a layer of the node writes is a part of the Concat,
 *  of which no layer is left. */
bool fsd_is_copied_to_part(const struct fsd_match *m, fsd_id node, fsd_id concat);

/** advice_io.c: as fsd_put_advice(), for the cause io. */
bool fsd_advise_io(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** padding.c: the same for a layer that pads, or cuts off; prints nothing if it
 *  does neither. */
bool fsd_advise_padding(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** padding.c: whether a tensor of the model has sizes that its author may
 *  choose: it lies between two products, so that neither the data nor the result has
 *  them.  False for FSD_NONE. */
bool fsd_size_is_chosen(const struct fsd_diff *d, fsd_id tensor);

/** order.c: false if the layer, for all that the node asks, leaves the elements in
 *  their order: the node moves only axes of one element, or the layouts make its
 *  permutation a plain copy. */
bool fsd_asks_for_order(const struct fsd_match *m, fsd_id layer, fsd_id node);

/** order.c: whether the layer only moves data, and for nodes that ask for no other
 *  order of it. */
bool fsd_moves_unasked(const struct fsd_match *m, const struct fsd_layer_result *r,
                       fsd_id layer);

/** flow.c: the network's input from which the layer's data comes, and the network's
 *  output to which it goes, directly or through layers that move nothing; tensors that
 *  cross between two engines count as both.  FSD_NONE: there is none. */
fsd_id fsd_layer_border_in(const struct fsd_graph *engine,
                           const struct fsd_layer_result *layers, fsd_id layer);
fsd_id fsd_layer_border_out(const struct fsd_graph *engine,
                            const struct fsd_layer_result *layers, fsd_id layer);

/** flow_named.c: completes the flows of Reformats without tensors. */
void fsd_flows_by_name(const struct fsd_match *m, struct fsd_flows *flows);

#endif
