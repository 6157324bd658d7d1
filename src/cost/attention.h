/* The sizes of an attention operator, for its shape and its multiply-adds. */
#ifndef FSD_COST_ATTENTION_H
#define FSD_COST_ATTENTION_H

#include "diff/diff.h"

/** Amounts, cost/amount.h; -1 where one is not known. */
struct fsd_attention {
    int64_t batch, queries, keys; /**< keys: with those of the past */
    int64_t across;  /**< of a query, over all heads: what is multiplied with a key */
    int64_t along;   /**< of a value, over all heads: what is summed for a query */
    int64_t last;    /**< the last dimension of the output */
    int64_t project; /**< multiply-adds that make queries, keys and values first */
};

/** Of ONNX's Attention (opset 23), and com.microsoft's Attention and
 *  MultiHeadAttention; all -1 for any other node. */
struct fsd_attention fsd_attention_of(const struct fsd_diff *d, fsd_id node);

/** Multiply-adds of both products and the projection.  A causal mask lets a kernel
 * leave out about half of the products; the definition has them, so they are counted.
 */
int64_t fsd_attention_macs(const struct fsd_diff *d, fsd_id node);

#endif
