/* What can be said of a layer that moves data: where it sits, and what to do about it.
 */
#ifndef FSD_DIFF_ADVICE_H
#define FSD_DIFF_ADVICE_H

#include "diff/diff.h"

#include <stdio.h>

/** "MaxPool_12 -> QuantizeLinear_15 (input 0), Add_36 (input 1)"; names as they are. */
void fsd_put_edge(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** "fp32 chw -> fp16 chw32", or only one form where they are the same; nothing when the
 *  layer has no tensors. */
void fsd_put_change(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** One sentence on what makes the layer unnecessary, without a full stop; says nothing
 *  for a free layer and one that does not move data. */
void fsd_put_advice(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** True for a layer that costs nothing: a NoOp, or one measured to take no time. */
bool fsd_layer_is_free(const struct fsd_diff *d, fsd_id layer);

/** The word for why a mover is there: its cause, or that it is a quantizer; "".  */
const char *fsd_mover_word(const struct fsd_diff *d, fsd_id layer);

#endif
