/* Lists ways to split a kernel of several nodes: how often each way worked, and what
 * else it changed. */
#pragma once

#include "explain/diff/diff.h"

/** Kinds of kernels, as bits. */
enum fsd_split_of {
    FSD_SPLIT_ATTENTION = 1 << 0,  /**< two products with a Softmax in between */
    FSD_SPLIT_HORIZONTAL = 1 << 1, /**< products that share an input */
    FSD_SPLIT_EPILOGUE = 1 << 2,   /**< a product, and operations on its output */
    FSD_SPLIT_CHAIN = 1 << 3       /**< several operations without a product */
};

/** One way to split a kernel. */
struct fsd_split_way {
    const char *way; /**< what to do */
    unsigned of;
    bool fp32;        /**< works for kernels in FP32 only; in other types the builder
                           removes the edit */
    const char *seen; /**< how many of the measured kernels were split in this way */
    const char *also; /**< what else the way changes */
};

/** Way i to split the kernel of that layer; NULL after the last way, or if no way was
 *  measured for the engine's builder. */
const struct fsd_split_way *fsd_split_way_at(const struct fsd_diff *d, fsd_id layer,
                                             uint32_t i);
