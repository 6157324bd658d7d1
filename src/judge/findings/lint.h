/* Functions that the rules of lint share. For findings/lint_*.c only. */
#pragma once

#include "judge/findings/finder.h"
#include "judge/lint/lint.h"
#include "explain/pattern/form.h"

/** Opens a finding about the node. */
void fsd_lint_open(struct fsd_finder *f, fsd_id node);

/** Closes the finding; with an engine, first adds what the engine shows of the node. */
void fsd_lint_close(struct fsd_finder *f);

/** Proposes a Q/DQ pair before an input of the node, with the scale of `like`; NULL:
 *  the scale must be measured.
 *  @param effect the effect on the values. */
void fsd_edit_insert(struct fsd_finder *f, fsd_id node, uint32_t input,
                     const struct fsd_quantizer *like, const char *effect);
/** Proposes to remove the pair that begins with this Q. */
void fsd_edit_remove(struct fsd_finder *f, const struct fsd_quantizer *q,
                     const char *effect);
/** Proposes to give quantizer `q` the scale of `like`. */
void fsd_edit_scale(struct fsd_finder *f, const struct fsd_quantizer *q,
                    const struct fsd_quantizer *like, const char *effect);
/** Proposes the zero point 0 for the Q and the DQs that undo it, with a scale that
 *  covers the whole range of the quantizer.  Proposes nothing if the scale is unknown,
 *  or if the data is stored. */
void fsd_edit_symmetric(struct fsd_finder *f, const struct fsd_quantizer *q);
/** Proposes to repeat the single scale of weights for each output channel. */
void fsd_edit_spread(struct fsd_finder *f, const struct fsd_quantizer *q);
/** Proposes to store the scalar that the DQ reads as a tensor of one dimension. */
void fsd_edit_dimension(struct fsd_finder *f, fsd_id dq);
/** Proposes a different form for the constant that the DQ reads: INT8 with the zero
 *  point 0 for the weights of an operator, else the floats that the DQ outputs. */
void fsd_edit_store(struct fsd_finder *f, fsd_id dq);
/** Proposes to move the pair of a quantizer to the input `input` of the node `to`. */
void fsd_edit_move(struct fsd_finder *f, const struct fsd_quantizer *q, fsd_id to,
                   uint32_t input, const char *effect);
/** Proposes to compute the node in FP32: a Cast before each FP16 input, and a Cast back
 *  after each output. */
void fsd_edit_cast(struct fsd_finder *f, fsd_id node, const char *effect);
/** Proposes an edit of a block.  It is applied only together with all others of its
 *  finding, and only if its rule is named.
 *  @param edit node, input and what its action requires; the function sets the other
 *  members. */
void fsd_edit_of_block(struct fsd_finder *f, struct fsd_edit edit);
/** Removes the edits of the open finding. */
void fsd_edits_drop(struct fsd_finder *f);

/** Whether the model scales down an operand of the matrix product, so that the product
 *  is no larger than the input of the softmax. lint_range.c */
bool fsd_lint_is_scaled_first(const struct fsd_lint *l, fsd_id product);
/** The stored factor with which the node multiplies its input, if it does only that;
 *  else NaN. */
double fsd_lint_factor(const struct fsd_lint *l, fsd_id node);

/** The name of a tensor of the model; "" for FSD_NONE. */
const char *fsd_lint_tensor(const struct fsd_finder *f, fsd_id tensor);

/** The Q of the DQ; NULL if it has none, as for stored weights. */
const struct fsd_quantizer *fsd_lint_q_of(const struct fsd_lint *l,
                                          const struct fsd_quantizer *dq);

/** The matrix product that feeds the softmax, through scaling, masks and quantizers;
 *  FSD_NONE if there is none. lint_products.c */
fsd_id fsd_lint_product_before(const struct fsd_lint *l, fsd_id softmax);

/** The quantized convolution that outputs the tensor, possibly through operators that
 *  builders fuse into it (a normalization, a bias); FSD_NONE if there is none. */
fsd_id fsd_lint_conv_behind(const struct fsd_lint *l, fsd_id tensor);
