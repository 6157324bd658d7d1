/* What the rules of lint share.  Only findings/lint_*.c. */
#ifndef FSD_FINDINGS_LINT_H
#define FSD_FINDINGS_LINT_H

#include "judge/findings/finder.h"
#include "judge/lint/lint.h"
#include "explain/pattern/form.h"

/** Opens a finding about the node. */
void fsd_lint_open(struct fsd_finder *f, fsd_id node);

/** Closes it: with an engine, after adding what the engine shows of the node. */
void fsd_lint_close(struct fsd_finder *f);

/** Proposes a Q/DQ pair before an input of the node, with the scale of `like`; NULL: a
 *  scale that is to be measured.
 *  @param effect how that changes the numbers. */
void fsd_edit_insert(struct fsd_finder *f, fsd_id node, uint32_t input,
                     const struct fsd_quantizer *like, const char *effect);
/** Proposes to remove the pair that begins with this Q. */
void fsd_edit_remove(struct fsd_finder *f, const struct fsd_quantizer *q,
                     const char *effect);
/** Proposes to give the quantizer the other one's scale. */
void fsd_edit_scale(struct fsd_finder *f, const struct fsd_quantizer *q,
                    const struct fsd_quantizer *like, const char *effect);
/** Proposes the zero point 0 for the Q and the DQs that undo it, with the scale that
 *  covers its whole range; nothing where that is not known, or the data is stored. */
void fsd_edit_symmetric(struct fsd_finder *f, const struct fsd_quantizer *q);
/** Proposes to repeat the one scale of weights for each output channel. */
void fsd_edit_spread(struct fsd_finder *f, const struct fsd_quantizer *q);
/** Proposes one dimension for the stored scalar that the DQ reads. */
void fsd_edit_dimension(struct fsd_finder *f, fsd_id dq);
/** Proposes to store the constant that the DQ reads as INT8 around the zero point 0, if
 *  it is the weights of an operator, else as the floats that the DQ makes. */
void fsd_edit_store(struct fsd_finder *f, fsd_id dq);
/** Moves the pair of a quantizer to the input `input` of the node `to`. */
void fsd_edit_move(struct fsd_finder *f, const struct fsd_quantizer *q, fsd_id to,
                   uint32_t input, const char *effect);
/** Makes the node compute in FP32: a Cast before each input of FP16, and one back
 *  behind each output. */
void fsd_edit_cast(struct fsd_finder *f, fsd_id node, const char *effect);
/** Proposes an edit of a block that applies with all others of its finding, and where
 *  its rule is named.
 *  @param edit  node, input and what its action takes; the rest is filled in. */
void fsd_edit_of_block(struct fsd_finder *f, struct fsd_edit edit);
/** Takes back what was proposed in the finding that is open. */
void fsd_edits_drop(struct fsd_finder *f);

/** Whether an operand of the product is made smaller by a factor that the model has, so
 *  that the product is no larger than what a softmax reads.  lint_range.c */
bool fsd_lint_is_scaled_first(const struct fsd_lint *l, fsd_id product);
/** By how much the node multiplies what it reads, if it does only that, with a stored
 *  number; NaN. */
double fsd_lint_factor(const struct fsd_lint *l, fsd_id node);

/** The name of a tensor of the model; "" for FSD_NONE. */
const char *fsd_lint_tensor(const struct fsd_finder *f, fsd_id tensor);

/** The Q of the DQ; NULL if it has none, as for stored weights. */
const struct fsd_quantizer *fsd_lint_q_of(const struct fsd_lint *l,
                                          const struct fsd_quantizer *dq);

/** The product of matrices that feeds the softmax, through scaling, masks and
 *  quantizers; FSD_NONE.  lint_products.c */
fsd_id fsd_lint_product_before(const struct fsd_lint *l, fsd_id softmax);

/** The quantized convolution that outputs the tensor, possibly through operators that
 *  builders fuse into it: a normalization, a bias; FSD_NONE. */
fsd_id fsd_lint_conv_behind(const struct fsd_lint *l, fsd_id tensor);

#endif
