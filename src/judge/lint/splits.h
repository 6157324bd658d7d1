/* Ways to split a kernel of several nodes, how often each worked, and what else it
 * changed. */
#pragma once

#include "explain/diff/diff.h"

/** Kinds of kernels, as bits. */
enum fsd_split_of {
    FSD_SPLIT_ATTENTION = 1 << 0,  /**< two products with a Softmax in between */
    FSD_SPLIT_HORIZONTAL = 1 << 1, /**< products that share an input */
    FSD_SPLIT_EPILOGUE = 1 << 2,   /**< a product, and operations on its output */
    FSD_SPLIT_CHAIN = 1 << 3       /**< without a product */
};

/** One way to split a kernel. */
struct fsd_split_way {
    const char *way; /**< what to do */
    unsigned of;
    bool fp32;        /**< only for kernels in FP32: elsewhere the builder removes the
                           edit */
    const char *seen; /**< how many of the measured kernels it split */
    const char *also; /**< what else it changes */
};

/** Way i to split the kernel of that layer, if a builder with rows made the engine;
 *  NULL after the last. */
const struct fsd_split_way *fsd_split_way_at(const struct fsd_diff *d, fsd_id layer,
                                             uint32_t i);
