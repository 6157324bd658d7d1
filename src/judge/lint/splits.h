/* Ways to split a kernel of several nodes, how often each did, what else it changed. */
#ifndef FSD_LINT_SPLITS_H
#define FSD_LINT_SPLITS_H

#include "explain/diff/diff.h"

/** What a kernel is, as bits. */
enum fsd_split_of {
    FSD_SPLIT_ATTENTION = 1 << 0,  /**< two products and the Softmax between */
    FSD_SPLIT_HORIZONTAL = 1 << 1, /**< products that share an input */
    FSD_SPLIT_EPILOGUE = 1 << 2,   /**< a product, and what is done to its output */
    FSD_SPLIT_CHAIN = 1 << 3       /**< no product */
};

/** A row. */
struct fsd_split_way {
    const char *way; /**< what to do */
    unsigned of;
    bool fp32;        /**< in FP32 alone: elsewhere the builder removes it */
    const char *seen; /**< how often it split such a kernel */
    const char *also; /**< what else it changes */
};

/** The i-th way to split the kernel of that layer, which a builder of rows made; NULL:
 *  past the last. */
const struct fsd_split_way *fsd_split_way_at(const struct fsd_diff *d, fsd_id layer,
                                             uint32_t i);

#endif
