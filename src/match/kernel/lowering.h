/*
 * A lowering is the sequence of operations by which a kernel computes a node: the
 * operator of the node, or simpler operations.  A builder may have several lowerings of
 * an operator.
 */
#pragma once

#include "match/facts.h"

enum {
    FSD_LOWERING_STEPS = 18,
    FSD_LOWERING_PARTS = 4 /* maximum size of an axis along which a kernel computes a
                              product in parts */
};

struct fsd_lowering {
    fsd_sym steps[FSD_LOWERING_STEPS];
    uint8_t n;
    bool pairs; /**< whether each step multiplies by one more operand of the node,
                     beginning with the second operand */
};

struct fsd_lowerings {
    FSD_VEC(struct fsd_lowering) all;
    struct fsd_span *of_op; /**< indexed by symbol of an operator's name: its lowerings,
                                 a span of `all` */
    struct fsd_span *of;    /**< indexed by node of the model: its lowerings, a span of
                                 `all` */
};

/** Finds the lowerings of all nodes of a model; the result is in the arena. */
struct fsd_lowerings *fsd_lowerings_new(struct fsd_arena *arena,
                                        const struct fsd_facts *facts);
