/* Functions of the stages of diff, by the file that defines them.  Only for
 * src/explain/diff. */
#pragma once

#include "explain/diff/diff.h"

/* log.c: add what the build log states; without a log they only set `event` to
 * FSD_NONE. */
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

/** computed.c: whether the layer continues what other layers began for the node. */
bool fsd_goes_on(const struct fsd_match *m, fsd_id layer, fsd_id node);

/** kind.c: whether a layer that only quantizes computes this quantizer.  If the layer
 *  pads for a convolution, its name also contains the DequantizeLinear nodes of that
 *  convolution, which another layer computes. */
bool fsd_quantizes_as(const struct fsd_match *m, fsd_id layer, fsd_id node);

/** control.c: why the host computes a node that controls how often layers run, or the
 *  initial state of a loop; NULL: the host does not compute the node.
 *  @param sizes sizes of the model; NULL if the engine does not jump */
const char *fsd_why_of_control(const struct fsd_match *m, const struct fsd_sizes *sizes,
                               fsd_id node);

/** control.c: why the builder computes a node that depends only on constants and sizes;
 *  NULL if the engine accepts inputs of several sizes, or if the node reads data. */
const char *fsd_why_of_fixed_sizes(const struct fsd_match *m, fsd_id node);

/** The branches of Ifs (branch.c). */
struct fsd_branches {
    bool *built;   /**< indexed by scope: a layer computes a node in it */
    bool *decided; /**< indexed by node: an If of which only one branch was built */
};

/** Finds the branches that were built.  No If is decided if the contents of some layer
 *  are unknown. */
struct fsd_branches fsd_find_branches(struct fsd_arena *arena,
                                      const struct fsd_match *m,
                                      const struct fsd_layer_result *layers);

/** Whether the node is in a branch that was not built, of a decided If. */
bool fsd_is_left_out(const struct fsd_match *m, const struct fsd_branches *b,
                     fsd_id node);

/** cancel.c: whether a quantizer, or a factor between two quantizers, is eliminated
 *  because quantizers cancel each other. */
bool fsd_cancels(const struct fsd_match *m, fsd_id node);

/** copied.c: whether one part of the Concat, which has no layer of its own, is a copy
 *  of the output of one of the node's layers. */
bool fsd_is_copied_to_part(const struct fsd_match *m, fsd_id node, fsd_id concat);

/** advice_io.c: like fsd_put_advice(), for the cause io. */
bool fsd_advise_io(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** padding.c: like fsd_put_advice(), for a layer that pads or cuts off padding; for
 *  others it prints nothing. */
bool fsd_advise_padding(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** padding.c: whether the author can choose the sizes of a tensor of the model: the
 *  tensor is between two products, so that neither the data nor the result of the
 *  network has these sizes.  False for FSD_NONE. */
bool fsd_size_is_chosen(const struct fsd_diff *d, fsd_id tensor);

/** order.c: whether the node requires the layer to change the order of elements.  False
 *  if the node only moves axes of size 1, or if the layouts make its permutation a
 *  plain copy. */
bool fsd_asks_for_order(const struct fsd_match *m, fsd_id layer, fsd_id node);

/** order.c: whether the layer only moves data although its nodes do not require a
 *  different order of elements. */
bool fsd_moves_unasked(const struct fsd_match *m, const struct fsd_layer_result *r,
                       fsd_id layer);

/** flow.c: the network's input from which the layer's data comes, or the network's
 *  output to which it goes, directly or through layers that move no data; tensors that
 *  cross between two engines count as both.  FSD_NONE if there is none. */
fsd_id fsd_layer_border_in(const struct fsd_graph *engine,
                           const struct fsd_layer_result *layers, fsd_id layer);
fsd_id fsd_layer_border_out(const struct fsd_graph *engine,
                            const struct fsd_layer_result *layers, fsd_id layer);

/** flow_named.c: completes the flows of Reformats without tensors. */
void fsd_flows_by_name(const struct fsd_match *m, struct fsd_flows *flows);
