/*
 * Functions that return the properties of ONNX operators. table.inc has one row of
 * properties per operator.
 *
 * An operator is identified by its name and its domain.  An operator of an unknown
 * domain has no row.  A call of a model-local function has no row either, even if the
 * function has the name of an operator.
 */
#pragma once

#include "model/graph/dtype.h"
#include "model/ops/ids.h"

struct fsd_graph;

enum fsd_op_trait {
    FSD_OP_VIEW = 1 << 0,       /**< outputs the same elements in the same order, with a
                                     different shape */
    FSD_OP_QUANTIZE = 1 << 1,   /**< QuantizeLinear and similar operators */
    FSD_OP_DEQUANTIZE = 1 << 2, /**< DequantizeLinear and similar operators */
    FSD_OP_COMMUTES = 1 << 3,   /**< the builder may move a per-tensor Q or DQ across
                                     the operator */
    FSD_OP_RANDOM = 1 << 4,     /**< its output is not a function of its inputs */
    FSD_OP_SHAPE = 1 << 5,      /**< Shape, Size: reads the shape, not the elements */
    FSD_OP_CONTROL = 1 << 6,    /**< If, Loop, Scan: has graphs of its own */
    FSD_OP_CONSTANT = 1 << 7,   /**< Constant */
    FSD_OP_WEIGHTED = 1 << 8,   /**< Conv, Gemm, MatMul: the second input is a weight,
                                     the third a bias; the operator runs in low
                                     precision only if both data and weight have low
                                     precision */
    FSD_OP_STANDARD = 1 << 9,   /**< the operator has a row in table.inc.  If it has
                                     neither FSD_OP_RANDOM nor FSD_OP_CONTROL, its
                                     output depends only on its inputs */
    FSD_OP_SHAPED = 1 << 10,    /**< the shape of its output follows from the shapes of
                                     its inputs, its attributes, and the values of its
                                     shape operands */
    FSD_OP_SYMMETRIC = 1 << 11, /**< its inputs may be exchanged */
    FSD_OP_PARTS = 1 << 12,     /**< Concat, Slice, Split: copies parts of tensors */
    FSD_OP_LISTS = 1 << 13,     /**< an input or output is a sequence or an optional */
    FSD_OP_OPAQUE = 1 << 14,    /**< does multiply-adds that are not counted */
    FSD_OP_QLINEAR = 1 << 15,   /**< after each operand come the scale and the zero
                                     point of that operand */
    FSD_OP_OUTPUTS = 1 << 16,   /**< its rules hold for all outputs, not only for the
                                     first */
    FSD_OP_RECURRENT = 1 << 17, /**< LSTM, GRU, RNN: computes a state step by step */
    FSD_OP_BARE = 1 << 18,      /**< has no attributes */
    FSD_OP_CASTS = 1 << 19,     /**< Cast, CastLike: outputs the elements of its first
                                     input in another type; a second input only states
                                     that type */
    FSD_OP_COPIES = 1 << 20,    /**< Transpose, Slice, Concat, Tile ...: only copies
                                     elements */
    FSD_OP_ELEMENTWISE = 1 << 21, /**< an output element depends only on the input
                                       elements at the same place */
    FSD_OP_ACTIVATION = 1 << 22,  /**< Relu, Sigmoid, Gelu ... */
    FSD_OP_SENSITIVE =
        1 << 23, /**< normalization, softmax, exponential, power: intermediate values
                      may exceed FP16's range, or sums may lose small terms */
    FSD_OP_REDUCES = 1 << 24 /**< sums or multiplies the elements along axes */
};

/** A reduction of at least this number of elements loses small terms in FP16. */
enum { FSD_LONG_REDUCTION = 1024 };

#define FSD_OP_QDQ (FSD_OP_QUANTIZE | FSD_OP_DEQUANTIZE)

/** Data movement: an operator that outputs the elements of its input at a different
 *  place, in a different shape, or in a different type. */
#define FSD_OP_MOVES (FSD_OP_VIEW | FSD_OP_QDQ | FSD_OP_CASTS | FSD_OP_COPIES)

/** The newest opset of ONNX's own domain whose operators have rows. */
enum { FSD_OPSET_KNOWN = 28 };

/** Returns the traits (enum fsd_op_trait) of a node's operator; 0 if it has no row. */
unsigned fsd_op_traits(const struct fsd_graph *g, fsd_id node);

/** Whether an operator of the default domain quantizes or dequantizes. */
bool fsd_op_is_qdq(const char *name);

/** Whether the inputs of an operator of the default domain may be exchanged. */
bool fsd_op_is_symmetric(const char *name);

/** Whether intermediate values of an operator of the default domain, such as a
 *  normalization, may exceed the range of FP16. */
bool fsd_op_is_sensitive(const char *name);

/** Whether the operations of a kernel include a cast.
 *  @param operations  such as "Mul+Cast+Add" */
bool fsd_ops_cast(const char *operations);

/** Whether `word` states the default value of an attribute, so that a node may omit the
 *  attribute.
 *  @param op  an operator of the default domain
 *  @param opset  the opset of the model; 0: unknown
 *  @param word  the attribute and its value, "axis=-1" */
bool fsd_op_is_default(const char *op, int64_t opset, const char *word);

/** Returns the lowerings of an operator with this name, in any domain; "" if there are
 *  none.  A lowering is a sequence of operations with which a kernel may compute the
 *  operator: "MatMul Mul Add|MatMul Mul" is two lowerings.  A lowering may lack the
 *  last operations of a longer one, because the builder folded them into constants. */
const char *fsd_op_lowerings(const char *name);

/** Returns the number of products with which a builder computes an Einsum.  The builder
 *  multiplies the first two operands, then the result by the third operand, and so on.
 *  Returns 0 if the node is no Einsum, or if there are more than 31 products.  Also
 *  returns 0 if the equation is unknown, has no "->", or does not list one operand per
 *  input.
 *  @param sums  receives one bit per product: 1 if the product sums over a letter, 0 if
 *         it multiplies element by element.  A product sums over a letter if neither
 *         the later operands nor the result of the Einsum have the letter. */
uint32_t fsd_op_multiplies(const struct fsd_graph *g, fsd_id node, uint32_t *sums);

/** Returns the word that stands for an operator with this name in the patterns of
 *  explain/pattern/find.c, such as "gelu" for QuickGelu; NULL if there is none. */
const char *fsd_op_known_as(const char *name);

/** Returns, as bits, the inputs whose values determine the shape of the output, such as
 *  the second input of a Reshape.  Only the first 32 inputs are examined. */
uint32_t fsd_op_shape_inputs(const struct fsd_graph *g, fsd_id node);

/** Returns the element type of the i-th output, if it follows from the inputs; else
 * FSD_DTYPE_UNKNOWN. */
enum fsd_dtype fsd_op_type(const struct fsd_graph *g, fsd_id node, uint32_t i);

/** One bit per input and per output of a node: 1 if this operand may change to another
 *  float type.  All inputs and outputs with the bit 1 must have the same type.  Other
 *  operands keep their types.  The 32nd bit stands for all inputs from the 32nd on. */
struct fsd_op_floats {
    uint32_t inputs, outputs;
};

/** Finds the operands of a node that may have the type `type`: FP32, FP16 or BF16.
 *  Returns false if the operator is unknown, or does not accept `type` in the model's
 *  opset.
 *  @param out  receives the operands; they are the same for all three types */
bool fsd_op_takes(const struct fsd_graph *g, fsd_id node, enum fsd_dtype type,
                  struct fsd_op_floats *out);

/** Whether the first output always has the shape of the first input. */
bool fsd_op_keeps_shape(const struct fsd_graph *g, fsd_id node);

/** Whether the first output is a sequence or an optional with the elements of the first
 *  input. */
bool fsd_op_keeps_items(const struct fsd_graph *g, fsd_id node);

/** The reason why a node outputs its input unchanged, so that no kernel is needed. */
enum fsd_same {
    FSD_SAME_NOT,
    FSD_SAME_IDENTITY, /**< Identity */
    FSD_SAME_DROPOUT,  /**< Dropout in inference */
    FSD_SAME_CAST,     /**< Cast to the type that its input has */
    FSD_SAME_VIEW,     /**< Reshape, Flatten, Squeeze, Unsqueeze */
    FSD_SAME_PERM,     /**< Transpose that does not change the order of the axes */
    FSD_SAME_PAD,      /**< Pad whose pads are all 0 */
    FSD_SAME_SINGLE,   /**< Concat, Sum, Max, Min, Mean with one input */
    FSD_SAME_ZERO,     /**< Add of 0 */
    FSD_SAME_ONE,      /**< Mul, Div by 1 */
    FSD_SAME_WINDOW,   /**< a pooling with window and stride 1 */
    FSD_SAME__COUNT
};

/** Returns the reason why a node outputs one of its inputs unchanged; FSD_SAME_NOT if
 *  there is no proof.  An Add of a constant 0 or a Mul by a constant 1 outputs its
 *  other input.  Any other such node outputs its first input. */
enum fsd_same fsd_op_same(const struct fsd_graph *g, fsd_id node);

/** Whether the node adds a list of zeros, without changing the shape.  A builder may
 *  remove such an Add, or keep it as a bias. */
bool fsd_op_adds_zeros(const struct fsd_graph *g, fsd_id node);

/** Returns the tensor that Identity nodes copied to `tensor`; `tensor` itself if no
 *  Identity outputs it.  Exporters copy a shared initializer by an Identity. */
fsd_id fsd_op_copied(const struct fsd_graph *g, fsd_id tensor);

/** Returns the values of a constant as numbers in the arena.  `tensor` is the constant,
 *  or a copy of it by Identity nodes.
 *  @param[out] n  the number of values of the constant, even if they are not numbers
 *  @return NULL if the values are unknown, or not numbers */
double *fsd_op_numbers(struct fsd_arena *arena, const struct fsd_graph *g,
                       fsd_id tensor, uint32_t *n);

/** Returns a short text for reports, "Cast to the type it has"; never NULL. */
const char *fsd_same_text(enum fsd_same value);
