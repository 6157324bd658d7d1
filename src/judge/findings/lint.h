/* Functions that the rules of lint share. Only findings/lint_*.c include this. */
#pragma once

#include "judge/findings/finder.h"
#include "judge/lint/lint.h"
#include "explain/pattern/form.h"

/** Opens a finding about the node. */
void fsd_lint_open(struct fsd_finder *f, fsd_id node);

/** Closes the finding. If there is an engine, the function first adds to the finding
 *  what the engine shows about its nodes. */
void fsd_lint_close(struct fsd_finder *f);

/** Proposes the edit. The functions below fill edits that several rules propose. */
void fsd_edit_add(struct fsd_finder *f, struct fsd_edit edit);
/** Proposes a Q/DQ pair before an input of the node.
 *  @param like the quantizer whose scale the pair gets; NULL: the scale must be
 *          measured
 *  @param effect the effect on the values */
void fsd_edit_insert(struct fsd_finder *f, fsd_id node, uint32_t input,
                     const struct fsd_quantizer *like, const char *effect);
/** Proposes to remove the pair that begins with this Q. */
void fsd_edit_remove(struct fsd_finder *f, const struct fsd_quantizer *q,
                     const char *effect);
/** Proposes to give quantizer `q` the scale of `like`. */
void fsd_edit_scale(struct fsd_finder *f, const struct fsd_quantizer *q,
                    const struct fsd_quantizer *like, const char *effect);
/** Proposes the zero point 0 for the Q and the DQs after it, with a scale that covers
 *  the same range. Proposes nothing if the scale is unknown, or if the quantized data
 *  is stored in the model. */
void fsd_edit_symmetric(struct fsd_finder *f, const struct fsd_quantizer *q);
/** Proposes to repeat the single scale of weights, once for each output channel. */
void fsd_edit_spread(struct fsd_finder *f, const struct fsd_quantizer *q);
/** Proposes a tensor of one dimension instead of the scalar that the DQ reads. */
void fsd_edit_dimension(struct fsd_finder *f, fsd_id dq);
/** Proposes another type for the stored constant that the DQ reads. Weights of an
 *  operator become INT8 with the zero point 0. Any other constant becomes the floats
 *  that the DQ outputs. */
void fsd_edit_store(struct fsd_finder *f, fsd_id dq);
/** Proposes to move the Q/DQ pair of `q` to the input `input` of the node `to`. */
void fsd_edit_move(struct fsd_finder *f, const struct fsd_quantizer *q, fsd_id to,
                   uint32_t input, const char *effect);
/** Proposes an edit of a block. The edit is applied only together with all other edits
 *  of its finding, and only if the user names its rule.
 *  @param edit has node, input and the members that its action requires; the function
 *          sets the others */
void fsd_edit_of_block(struct fsd_finder *f, struct fsd_edit edit);
/** Removes the edits of the open finding. */
void fsd_edits_drop(struct fsd_finder *f);

/** Whether the model scales down an operand before the matrix product. The result of
 *  the product is then no larger than the input of the softmax. lint_range.c */
bool fsd_lint_is_scaled_first(const struct fsd_lint *l, fsd_id product);
/** The constant with which the node multiplies its input; NaN if the node does anything
 *  else. */
double fsd_lint_factor(const struct fsd_lint *l, fsd_id node);

/** The name of a tensor of the model; "" for FSD_NONE. */
const char *fsd_lint_tensor(const struct fsd_finder *f, fsd_id tensor);

/** The Q whose output the DQ reads; NULL if there is none, as for weights that are
 *  stored quantized. */
const struct fsd_quantizer *fsd_lint_q_of(const struct fsd_lint *l,
                                          const struct fsd_quantizer *dq);

/** The matrix product whose result reaches the softmax, directly or through scaling,
 *  masks and quantizers; FSD_NONE if there is none. lint_products.c */
fsd_id fsd_lint_product_before(const struct fsd_lint *l, fsd_id softmax);

/** The quantized convolution that outputs the tensor, directly or through operators
 *  that builders fuse into it, such as a normalization or a bias; FSD_NONE if there is
 *  none. */
fsd_id fsd_lint_conv_behind(const struct fsd_lint *l, fsd_id tensor);
