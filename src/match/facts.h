/*
 * Facts that are proved from the ONNX graph alone, before an engine is read.
 *
 * Each array has one element per node or per tensor of the graph.  A fact is true only
 * if the model proves it.  A fact is false if the model leaves it open, for example
 * because of an unknown shape, a weight that was not read, or an unknown operator.
 */
#pragma once

#include "model/ops/ops.h"

struct fsd_facts {
    const struct fsd_graph *g;
    unsigned *traits; /**< indexed by node: fsd_op_trait */
    bool *constant;   /**< indexed by tensor: whether its value is fixed when the engine
                           is built */
    bool *folded;     /**< indexed by node: whether all outputs of the node are constant
                           and the node does not compute a size */
    bool *size;       /**< indexed by node: whether the node computes a shape operand
                           from sizes and constants alone, so that no kernel has to
                           compute the node */
    bool *live;       /**< indexed by node: whether an output of the model depends on
                           the node */
    uint8_t *same;    /**< indexed by node: enum fsd_same, why the node needs no
                           operation */
    fsd_id *root;     /**< indexed by tensor: if Q or DQ nodes output the tensor, the
                           tensor before these nodes; else the tensor itself */
    fsd_id *first_duplicate; /**< indexed by node: the first node that computes the same
                                  value, or itself */
    fsd_id *value; /**< indexed by tensor: the first tensor with the same value, or
                        itself */
};

/** The traits of the node's operator; 0 for FSD_NONE. */
static inline unsigned fsd_traits_of(const struct fsd_facts *f, fsd_id node)
{
    return node == FSD_NONE ? 0 : f->traits[node];
}

/** Whether the value of the tensor is a build-time constant; false for FSD_NONE. */
static inline bool fsd_is_constant(const struct fsd_facts *f, fsd_id tensor)
{
    return tensor != FSD_NONE && f->constant[tensor];
}

/** Whether the tensor is computed at run time; false for FSD_NONE. */
static inline bool fsd_is_data(const struct fsd_facts *f, fsd_id tensor)
{
    return tensor != FSD_NONE && !f->constant[tensor];
}

/** Whether the tensor is a constant or a size, which exist before any kernel runs. */
bool fsd_is_build_constant(const struct fsd_facts *f, fsd_id tensor);

/** Whether the tensor is computed at run time and is not a size; false for FSD_NONE. */
static inline bool fsd_is_run_data(const struct fsd_facts *f, fsd_id tensor)
{
    return tensor != FSD_NONE && !fsd_is_build_constant(f, tensor);
}

/** Whether any input of the node is computed at run time and is not a size. */
bool fsd_reads_run_data(const struct fsd_facts *f, fsd_id node);

/** Computes all facts of a finished graph; the result is in the arena. */
struct fsd_facts *fsd_facts_new(struct fsd_arena *arena, const struct fsd_graph *g);
