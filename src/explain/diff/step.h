/* Declares functions that files of src/explain/diff share, with the file that defines
 * each.  Only this folder includes this file. */
#pragma once

#include "explain/diff/diff.h"

/* log.c: add the event of the build log that explains the outcome or the cause.
 * Without a log they only set `event` to FSD_NONE. */
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

/** computed.c: whether all layers that write inputs of `layer` compute `node`, too.
 *  `layer` then only continues their work.  False if there are no such layers, or if
 *  `node` owns a body. */
bool fsd_goes_on(const struct fsd_match *m, fsd_id layer, fsd_id node);

/** kind.c: whether a layer that only quantizes computes `node`, one of its linked
 *  nodes.  For example, if the layer pads data for a convolution, its name also
 *  contains the convolution and the DequantizeLinear nodes of the convolution, but
 *  another layer may compute these. */
bool fsd_quantizes_as(const struct fsd_match *m, fsd_id layer, fsd_id node);

/** control.c: why no kernel computes a node that controls how often layers run, or that
 *  is the initial state of a loop.  NULL if this is not proved.
 *  @param sizes sizes of the model; NULL if all layers run in every inference */
const char *fsd_why_of_control(const struct fsd_match *m, const struct fsd_sizes *sizes,
                               fsd_id node);

/** control.c: why the builder could compute the node itself.  The reason is that the
 *  node depends only on constants and on sizes that are fixed in the engine.  NULL if
 *  the node reads data, or if an input of the engine has a dynamic size. */
const char *fsd_why_of_fixed_sizes(const struct fsd_match *m, fsd_id node);

/** Which branches of Ifs the builder built (branch.c). */
struct fsd_branches {
    bool *built;   /**< indexed by scope: whether a layer computes a node in the
                        scope */
    bool *decided; /**< indexed by node: whether it is an If of which the builder built
                        only one branch */
};

/** Finds the branches that the builder built.  If the contents of a layer are unknown,
 *  no If is decided. */
struct fsd_branches fsd_find_branches(struct fsd_arena *arena,
                                      const struct fsd_match *m,
                                      const struct fsd_layer_result *layers);

/** Whether the node is in a branch of a decided If, and the builder did not build this
 *  branch. */
bool fsd_is_left_out(const struct fsd_match *m, const struct fsd_branches *b,
                     fsd_id node);

/** cancel.c: whether the builder eliminates `node`, because quantizers cancel each
 *  other.  `node` is one of the quantizers, or a multiplication between them. */
bool fsd_cancels(const struct fsd_match *m, fsd_id node);

/** copied.c: whether a layer copies the output of one of the node's layers to a part of
 *  the Concat, and no layer computes the Concat. */
bool fsd_is_copied_to_part(const struct fsd_match *m, fsd_id node, fsd_id concat);

/** advice_io.c: like fsd_put_advice(), for the cause io. */
bool fsd_advise_io(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** padding.c: like fsd_put_advice(), for a layer that pads or cuts off padding.  Prints
 *  nothing for other layers. */
bool fsd_advise_padding(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** padding.c: whether the author of the model can choose the sizes of the model's
 *  tensor: it is between two products, so that the inputs and outputs of the network do
 *  not determine its sizes.  False for FSD_NONE. */
bool fsd_size_is_chosen(const struct fsd_diff *d, fsd_id tensor);

/** order.c: whether the node requires that the layer changes the order of elements.
 *  False if the node only moves axes of size 1, or if the layouts of input and output
 *  make its permutation a plain copy. */
bool fsd_asks_for_order(const struct fsd_match *m, fsd_id layer, fsd_id node);

/** order.c: whether the layer only moves data, and its nodes do not require a different
 *  order of elements. */
bool fsd_moves_unasked(const struct fsd_match *m, const struct fsd_layer_result *r,
                       fsd_id layer);

/** flow.c: fsd_layer_border_in() returns the input of the network from which the data
 *  of the layer comes.  fsd_layer_border_out() returns the output of the network to
 *  which the data goes.  Only NoOps may be between the layer and the input or output.
 *  A tensor that one engine passes to another counts as an input and as an output.
 *  FSD_NONE if there is no such tensor. */
fsd_id fsd_layer_border_in(const struct fsd_graph *engine,
                           const struct fsd_layer_result *layers, fsd_id layer);
fsd_id fsd_layer_border_out(const struct fsd_graph *engine,
                            const struct fsd_layer_result *layers, fsd_id layer);

/** flow_named.c: completes the flows of Reformats whose tensors the engine does not
 *  list. */
void fsd_flows_by_name(const struct fsd_match *m, struct fsd_flows *flows);
