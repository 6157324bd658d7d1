/*
 * The properties of ONNX operators by definition: one row per operator in table.inc,
 * and functions to query them.
 *
 * An operator is a name in a domain.  Operators of an unknown domain have no row, nor
 * do calls of model-local functions, whatever their names.
 */
#pragma once

#include "model/graph/dtype.h"
#include "model/ops/ids.h"

struct fsd_graph;

enum fsd_op_trait {
    FSD_OP_VIEW = 1 << 0,       /**< same elements in the same order with a different
                                     shape */
    FSD_OP_QUANTIZE = 1 << 1,   /**< QuantizeLinear and similar operators */
    FSD_OP_DEQUANTIZE = 1 << 2, /**< DequantizeLinear and similar operators */
    FSD_OP_COMMUTES = 1 << 3,   /**< a per-tensor Q or DQ may be moved across the
                                     operator */
    FSD_OP_RANDOM = 1 << 4,     /**< its output is not a function of its inputs */
    FSD_OP_SHAPE = 1 << 5,      /**< Shape, Size: reads the shape, not the elements */
    FSD_OP_CONTROL = 1 << 6,    /**< If, Loop, Scan: has graphs of its own */
    FSD_OP_CONSTANT = 1 << 7,   /**< Constant */
    FSD_OP_WEIGHTED = 1 << 8,   /**< Conv, Gemm, MatMul: has a weight second and a bias
                                     third; runs in low precision only if both operands
                                     have it */
    FSD_OP_STANDARD = 1 << 9,   /**< the operator has a row, so it is known to be
                                     pure */
    FSD_OP_SHAPED = 1 << 10,    /**< its output's shape follows from its inputs' shapes,
                                     its attributes and its shape operands */
    FSD_OP_SYMMETRIC = 1 << 11, /**< its inputs may be exchanged */
    FSD_OP_PARTS = 1 << 12,     /**< Concat, Slice, Split: copies parts of tensors */
    FSD_OP_LISTS = 1 << 13,     /**< has a sequence or an optional as input or output */
    FSD_OP_OPAQUE = 1 << 14,    /**< does multiply-adds that are not counted */
    FSD_OP_QLINEAR = 1 << 15,   /**< its scale and its zero point follow each operand */
    FSD_OP_OUTPUTS = 1 << 16,   /**< its rules cover all outputs, not only the first */
    FSD_OP_RECURRENT = 1 << 17, /**< LSTM, GRU, RNN: repeats one computation per step */
    FSD_OP_BARE = 1 << 18,      /**< has no attributes: only its inputs matter */
    FSD_OP_CASTS = 1 << 19,     /**< Cast, CastLike: the elements of its first input in
                                 another type; a second input only states that type */
    FSD_OP_COPIES = 1 << 20,    /**< Transpose, Slice, Concat, Tile ...: only copies
                                  elements */
    FSD_OP_ELEMENTWISE = 1 << 21, /**< an output element depends only on the input
                                      elements at the same place */
    FSD_OP_ACTIVATION = 1 << 22,  /**< Relu, Sigmoid, Gelu ... */
    FSD_OP_SENSITIVE =
        1 << 23, /**< normalization, softmax, exponential, power: intermediate values
                      may exceed FP16's range, or lose their small terms */
    FSD_OP_REDUCES = 1 << 24 /**< sums or multiplies the elements along axes */
};

/** Number of elements in a reduction at which FP16 begins to lose small terms. */
enum { FSD_LONG_REDUCTION = 1024 };

#define FSD_OP_QDQ (FSD_OP_QUANTIZE | FSD_OP_DEQUANTIZE)

/** Data movement: the same elements at a different place, or in a different shape or
 *  type. */
#define FSD_OP_MOVES (FSD_OP_VIEW | FSD_OP_QDQ | FSD_OP_CASTS | FSD_OP_COPIES)

/** The newest of ONNX's own operator sets whose operators are known. */
enum { FSD_OPSET_KNOWN = 28 };

/** The traits of a node's operator; 0 if it has no row. */
unsigned fsd_op_traits(const struct fsd_graph *g, fsd_id node);

/** Whether an operator of the default domain quantizes or dequantizes. */
bool fsd_op_is_qdq(const char *name);

/** Whether the inputs of an operator of the default domain may be exchanged. */
bool fsd_op_is_symmetric(const char *name);

/** Whether values of an operator of the default domain, such as a normalization, may
 *  exceed FP16's range. */
bool fsd_op_is_sensitive(const char *name);

/** Whether a cast is among a kernel's operations.
 *  @param operations "Mul+Cast+Add" */
bool fsd_ops_cast(const char *operations);

/** Whether a node with this operator of the default domain may omit the attribute with
 *  this value: "axis=-1".
 *  @param opset 0: unknown */
bool fsd_op_is_default(const char *op, int64_t opset, const char *word);

/** The lowerings of an operator of this name, in any domain: the operations as which a
 *  kernel may compute it instead of by the operator itself.  Operators are separated by
 *  blanks, lowerings by "|".  If one lowering is the beginning of another, the
 *  remaining operators may have been folded into constants.  "": there is none. */
const char *fsd_op_lowerings(const char *name);

/** The number of products in which builders compute an Einsum, pair by pair from the
 *  first operand on; 0 for any other node, and if the equation is unknown.
 *  @param sums gets a bit for each product that sums over a letter that occurs neither
 *              in a later operand nor in the result; the other products multiply
 *              element by element */
uint32_t fsd_op_multiplies(const struct fsd_graph *g, fsd_id node, uint32_t *sums);

/** The word for an operator of this name in the forms of explain/pattern/find.c
 *  ("gelu", "activation"); NULL: none. */
const char *fsd_op_known_as(const char *name);

/** The inputs, of the first 32, whose values determine the shape of the output
 *  (Reshape's second), as bits. */
uint32_t fsd_op_shape_inputs(const struct fsd_graph *g, fsd_id node);

/** The element type of the i-th output, if it follows from the inputs; else unknown. */
enum fsd_dtype fsd_op_type(const struct fsd_graph *g, fsd_id node, uint32_t i);

/** The operands of a node that may have a different float type, as bits: the inputs,
 *  which must then all have this type (the 32nd bit is for all later inputs), and the
 *  outputs, which then have it, too.  Other operands keep their types. */
struct fsd_op_floats {
    uint32_t inputs, outputs;
};

/** Finds the operands of a node that may be FP32, FP16 or BF16; false if the operator
 *  does not accept the type in the model's opset, or if it is unknown.
 *  @param out for FP32, the operands that accept FP16 */
bool fsd_op_takes(const struct fsd_graph *g, fsd_id node, enum fsd_dtype type,
                  struct fsd_op_floats *out);

/** Whether the first output always has the shape of the first input. */
bool fsd_op_keeps_shape(const struct fsd_graph *g, fsd_id node);

/** Whether the first output contains the elements of the first input, if that is a
 *  sequence or an optional. */
bool fsd_op_keeps_items(const struct fsd_graph *g, fsd_id node);

/** The reason why a node needs no operation. */
enum fsd_same {
    FSD_SAME_NOT,
    FSD_SAME_IDENTITY, /**< Identity */
    FSD_SAME_DROPOUT,  /**< Dropout outside training */
    FSD_SAME_CAST,     /**< Cast to the type of its input */
    FSD_SAME_VIEW,     /**< Reshape, Flatten, Squeeze, Unsqueeze */
    FSD_SAME_PERM,     /**< Transpose that keeps the order of the axes */
    FSD_SAME_PAD,      /**< Pad whose pads are all 0 */
    FSD_SAME_SINGLE,   /**< Concat, Sum, Max, Min, Mean with one input */
    FSD_SAME_ZERO,     /**< Add of 0 */
    FSD_SAME_ONE,      /**< Mul, Div by 1 */
    FSD_SAME_WINDOW,   /**< a pooling with window and stride 1 */
    FSD_SAME__COUNT
};

/** Proves that a node outputs its first input unchanged; FSD_SAME_NOT if there is no
 *  proof. */
enum fsd_same fsd_op_same(const struct fsd_graph *g, fsd_id node);

/** Whether the node adds a list of zeros and keeps the shape.  Builders keep such an
 *  Add as a bias, so it may, but need not, disappear. */
bool fsd_op_adds_zeros(const struct fsd_graph *g, fsd_id node);

/** The tensor before all Identities: exporters copy a shared initializer by an
 *  Identity. */
fsd_id fsd_op_copied(const struct fsd_graph *g, fsd_id tensor);

/** The values of a constant, or of a copy of one, as numbers in the arena.
 *  @param[out] n the number of values if the constant is known, even if they are not
 *                numbers
 *  @return NULL if they are unknown */
double *fsd_op_numbers(struct fsd_arena *arena, const struct fsd_graph *g,
                       fsd_id tensor, uint32_t *n);

/** A short text for reports: "Cast to the type it has".  Never NULL. */
const char *fsd_same_text(enum fsd_same value);
