/*
 * What can be proved on the ONNX graph alone, before any engine is looked at.
 *
 * Each array is as long as the graph's nodes or tensors.  A claim here is a proof:
 * where the model leaves it open (an unknown shape, a weight that was not read, an
 * unknown operator) the claim is not made.
 */
#ifndef FSD_MATCH_FACTS_H
#define FSD_MATCH_FACTS_H

#include "model/ops.h"

/** Why no operation is left of a node. */
enum fsd_same {
    FSD_SAME_NOT,
    FSD_SAME_IDENTITY, /**< Identity */
    FSD_SAME_DROPOUT,  /**< Dropout outside training */
    FSD_SAME_CAST,     /**< Cast to the type it has */
    FSD_SAME_VIEW,     /**< Reshape, Flatten, Squeeze, Unsqueeze */
    FSD_SAME_PERM,     /**< Transpose that leaves every axis in its place */
    FSD_SAME_PAD,      /**< Pad by nothing */
    FSD_SAME_SINGLE,   /**< Concat, Sum, Max, Min, Mean of one input */
    FSD_SAME__COUNT
};

struct fsd_facts {
    const struct fsd_graph *g;
    unsigned *traits;   /**< by node: fsd_op_trait */
    bool *constant;     /**< by tensor: its value is fixed when the engine is built */
    bool *folded;       /**< by node: every output is constant */
    bool *live;         /**< by node: reaches an output of the model */
    uint8_t *same;      /**< by node: enum fsd_same */
    fsd_id *root;       /**< by tensor: itself, or what it was before Q and DQ */
    fsd_id *first_twin; /**< by node: the first node that computes the very same, or
                           itself */
    fsd_id *value; /**< by tensor: the first tensor of the very same value, or itself */
};

/** Computes all facts of a finished graph, in the arena. */
struct fsd_facts *fsd_facts_new(struct fsd_arena *arena, const struct fsd_graph *g);

/** A few words for a report: "Cast to the type it has".  Never NULL. */
const char *fsd_same_text(enum fsd_same same);

#endif
