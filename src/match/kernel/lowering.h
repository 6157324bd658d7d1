/*
 * The operations that a kernel performs when it computes a node: the operator itself,
 * or simpler ones that it is composed of.  A builder may have several such lowerings.
 */
#pragma once

#include "match/facts.h"

enum {
    FSD_LOWERING_STEPS = 18,
    FSD_LOWERING_PARTS = 4 /* longest axis along which a product is computed in parts */
};

struct fsd_lowering {
    fsd_sym steps[FSD_LOWERING_STEPS];
    uint8_t n;
    bool pairs; /**< each step multiplies by one more operand of the node, beginning
                     with the second operand */
};

struct fsd_lowerings {
    FSD_VEC(struct fsd_lowering) all;
    struct fsd_span *of_op; /**< indexed by symbol of the operator's name: span in
                                 `all` */
    struct fsd_span *of;    /**< indexed by node of the model: span in `all` */
};

/** The lowerings of all nodes of a model; the result is in the arena. */
struct fsd_lowerings *fsd_lowerings_new(struct fsd_arena *arena,
                                        const struct fsd_facts *facts);
