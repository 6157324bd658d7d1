/* What an ONNX operator means to a builder, as far as the type alone tells. */
#ifndef FSD_MODEL_OPS_H
#define FSD_MODEL_OPS_H

#include "model/graph.h"

enum fsd_op_trait {
    FSD_OP_VIEW = 1 << 0,       /**< same elements in the same order, another shape */
    FSD_OP_QUANTIZE = 1 << 1,   /**< QuantizeLinear and its kin */
    FSD_OP_DEQUANTIZE = 1 << 2, /**< DequantizeLinear and its kin */
    FSD_OP_COMMUTES = 1 << 3,   /**< a per-tensor Q or DQ may move across it */
    FSD_OP_RANDOM = 1 << 4,     /**< its output is not a function of its inputs */
    FSD_OP_SHAPE = 1 << 5,      /**< Shape, Size: reads the shape, not the elements */
    FSD_OP_CONTROL = 1 << 6,    /**< If, Loop, Scan: has graphs of its own */
    FSD_OP_CONSTANT = 1 << 7,   /**< Constant */
    FSD_OP_WEIGHTED =
        1 << 8, /**< Conv, Gemm, MatMul: runs narrow only if both sides do */
    FSD_OP_SHAPED = 1 << 10, /**< its output's shape follows from its inputs' shapes,
                                its attributes and its shape operands */
    FSD_OP_STANDARD = 1 << 9 /**< of a domain whose operators are known to be pure */
};
#define FSD_OP_QDQ (FSD_OP_QUANTIZE | FSD_OP_DEQUANTIZE)

/** The traits of a node's operator; 0 for one of an unknown domain, and for a call of a
 *  model-local function. */
unsigned fsd_op_traits(const struct fsd_graph *g, fsd_id node);

/** Shape operands are among a node's first inputs. */
enum { FSD_OP_SHAPE_OPERANDS = 32 };

/** True when the value of the i-th input decides the shape of the output (Reshape's
 *  second). */
bool fsd_op_input_is_shape(const struct fsd_graph *g, fsd_id node, uint32_t i);

#endif
