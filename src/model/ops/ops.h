/*
 * The properties of ONNX operators by definition: one row per operator in table.inc,
 * and functions to query them.
 *
 * An operator is a name in a domain.  Those of an unknown domain have no row, nor has
 * the call of a function that the model defines itself, whatever its name.
 */
#ifndef FSD_OPS_OPS_H
#define FSD_OPS_OPS_H

#include "model/graph/graph.h"
#include "model/ops/ids.h"

enum fsd_op_trait {
    FSD_OP_VIEW = 1 << 0,       /**< same elements in the same order, another shape */
    FSD_OP_QUANTIZE = 1 << 1,   /**< QuantizeLinear and its kin */
    FSD_OP_DEQUANTIZE = 1 << 2, /**< DequantizeLinear and its kin */
    FSD_OP_COMMUTES = 1 << 3,   /**< a per-tensor Q or DQ may move across it */
    FSD_OP_RANDOM = 1 << 4,     /**< its output is not a function of its inputs */
    FSD_OP_SHAPE = 1 << 5,      /**< Shape, Size: reads the shape, not the elements */
    FSD_OP_CONTROL = 1 << 6,    /**< If, Loop, Scan: has graphs of its own */
    FSD_OP_CONSTANT = 1 << 7,   /**< Constant */
    FSD_OP_WEIGHTED = 1 << 8,   /**< Conv, Gemm, MatMul: has a weight second and a bias
                                     third; runs in low precision only if both operands
                                     have it */
    FSD_OP_STANDARD = 1 << 9,   /**< has a row: it is known to be pure */
    FSD_OP_SHAPED = 1 << 10,    /**< its output's shape follows from its inputs' shapes,
                                     its attributes and its shape operands */
    FSD_OP_SYMMETRIC = 1 << 11, /**< its inputs may change places */
    FSD_OP_PARTS = 1 << 12,     /**< Concat, Slice, Split: copies parts of tensors */
    FSD_OP_LISTS = 1 << 13,     /**< takes or gives a sequence or an optional */
    FSD_OP_OPAQUE = 1 << 14,    /**< multiply-adds in ways that are not counted */
    FSD_OP_QLINEAR = 1 << 15,   /**< each operand has its scale and its zero point
                                     behind it */
    FSD_OP_OUTPUTS = 1 << 16,   /**< its rules cover all outputs, not only the first */
    FSD_OP_RECURRENT = 1 << 17, /**< LSTM, GRU, RNN: does the same step by step */
    FSD_OP_BARE = 1 << 18,   /**< has no attributes: its inputs are all that is known */
    FSD_OP_CASTS = 1 << 19,  /**< Cast, CastLike: the elements of its first input in
                                 another type; a second input only states that type */
    FSD_OP_COPIES = 1 << 20, /**< Transpose, Slice, Concat, Tile ...: copies elements,
                                  computes none */
    FSD_OP_ELEMENTWISE =
        1 << 21,                 /**< an element of the output follows from those at the
                                       same place of the inputs */
    FSD_OP_ACTIVATION = 1 << 22, /**< Relu, Sigmoid, Gelu ... */
    FSD_OP_SENSITIVE =
        1 << 23, /**< normalization, softmax, exponential, power: what it computes on
                      the way may leave FP16's range, or lose its small terms there */
    FSD_OP_REDUCES = 1 << 24 /**< adds up, or multiplies, elements of axes */
};

/** Elements of a reduction at which FP16 begins to lose small terms. */
enum { FSD_LONG_REDUCTION = 1024 };

#define FSD_OP_QDQ (FSD_OP_QUANTIZE | FSD_OP_DEQUANTIZE)

/** Data movement: the same elements in another place, shape or type. */
#define FSD_OP_MOVES (FSD_OP_VIEW | FSD_OP_QDQ | FSD_OP_CASTS | FSD_OP_COPIES)

/** The newest of ONNX's own operator sets whose operators are known. */
enum { FSD_OPSET_KNOWN = 28 };

/** The traits of a node's operator; 0 for one that has no row. */
unsigned fsd_op_traits(const struct fsd_graph *g, fsd_id node);

/** True for an operator of the default domain that quantizes or dequantizes. */
bool fsd_op_is_qdq(const char *name);

/** True when the inputs of the operator, one of the default domain, may change places.
 */
bool fsd_op_is_symmetric(const char *name);

/** True for an operator of the default domain whose values may leave FP16's range, such
 *  as a normalization. */
bool fsd_op_is_sensitive(const char *name);

/** Whether an operation of a kernel casts.
 *  @param operations "Mul+Cast+Add" */
bool fsd_ops_cast(const char *operations);

/** True if a node of that operator, one of the default domain, may leave out the
 *  attribute with this value: "axis=-1".
 *  @param opset 0: unknown */
bool fsd_op_is_default(const char *op, int64_t opset, const char *word);

/** What a kernel may compute an operator of that name as, in any domain, beside the
 *  operator itself: operators between blanks, lowerings between "|".  Where one is the
 *  beginning of another, the rest may have been folded into constants.  "": nothing. */
const char *fsd_op_lowerings(const char *name);

/** How many multiplications an Einsum takes, pair by pair from the first operand on, as
 *  builders compute it; 0 for any other node, and where the equation is unknown.
 *  @param sums  gets a bit for each that sums over what stands neither in an operand
 *               behind it nor in the result: the others multiply element by element */
uint32_t fsd_op_multiplies(const struct fsd_graph *g, fsd_id node, uint32_t *sums);

/** The word by which the forms of explain/pattern/find.c mean an operator of that name
 *  ("gelu", "activation"); NULL: none. */
const char *fsd_op_known_as(const char *name);

/** Bits: the inputs, of the first 32, whose values decide the shape of the output
 *  (Reshape's second). */
uint32_t fsd_op_shape_inputs(const struct fsd_graph *g, fsd_id node);

/** The element type of the i-th output, as far as it follows from the inputs. */
enum fsd_dtype fsd_op_type(const struct fsd_graph *g, fsd_id node, uint32_t i);

/** The operands of a node that may have another float type: bits of the inputs that
 *  are all of that type then, the 32nd for those behind it, and of the outputs that
 *  have it, too.  Others keep their types. */
struct fsd_op_floats {
    uint32_t inputs, outputs;
};

/** Which operands of a node may be FP32, FP16 or BF16; false where the operator, as the
 *  model's opset has it, does not take that type, or nothing is known of it.
 *  @param out  of FP32, what takes FP16. */
bool fsd_op_takes(const struct fsd_graph *g, fsd_id node, enum fsd_dtype type,
                  struct fsd_op_floats *out);

/** True when the first output has the shape of the first input, always. */
bool fsd_op_keeps_shape(const struct fsd_graph *g, fsd_id node);

/** True when the first output holds what the first input does, where that is a
 *  sequence or an optional. */
bool fsd_op_keeps_items(const struct fsd_graph *g, fsd_id node);

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
    FSD_SAME_ZERO,     /**< Add of 0 */
    FSD_SAME_ONE,      /**< Mul, Div by 1 */
    FSD_SAME_WINDOW,   /**< a pooling with windows of 1, step by step */
    FSD_SAME__COUNT
};

/** Proof that a node hands its first input on unchanged; FSD_SAME_NOT when nothing
 *  proves it. */
enum fsd_same fsd_op_same(const struct fsd_graph *g, fsd_id node);

/** The node adds a list of zeros, and leaves the shape as it is.  Builders keep such an
 *  Add as a bias: that nothing is left of it is no more than possible. */
bool fsd_op_adds_zeros(const struct fsd_graph *g, fsd_id node);

/** What the tensor is but for Identities: an initializer that is shared is copied. */
fsd_id fsd_op_copied(const struct fsd_graph *g, fsd_id tensor);

/** The values of a constant, or of one that it copies, as numbers in the arena.
 *  @param[out] n  how many, where the values are there, also if they are no numbers.
 *  @return NULL where they are not known. */
double *fsd_op_numbers(struct fsd_arena *arena, const struct fsd_graph *g,
                       fsd_id tensor, uint32_t *n);

/** A few words for a report: "Cast to the type it has".  Never NULL. */
const char *fsd_same_text(enum fsd_same value);

#endif
