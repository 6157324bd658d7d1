/*
 * The row of an operator, and the rules to which rows refer.  Only files in
 * src/model/ops include this header.
 *
 * A rule computes one fact, such as a shape, for one output of a node, from the known
 * sizes of its tensors.  If it cannot derive a size, the size is -1; if it cannot
 * derive the rank, it returns false.  The rules follow the ONNX operator specification,
 * opsets 1 to 28, and ONNX Runtime's documentation of com.microsoft.
 */
#pragma once

#include "model/graph/graph.h"
#include "model/ops/sizes.h"

struct fsd_op;

struct fsd_op_case {
    const struct fsd_sizes *s;
    struct fsd_amounts *t;     /**< s->amounts */
    const struct fsd_graph *g; /**< s->g */
    const struct fsd_op *op;   /**< never NULL */
    fsd_id node;
    uint32_t out;  /**< the number of the output */
    bool *guessed; /**< set to true if a rule depends on an unknown fact */
};

typedef bool fsd_shape_fn(const struct fsd_op_case *c, struct fsd_shape *out);
typedef int64_t fsd_macs_fn(const struct fsd_op_case *c);
/** Computes the elements of the first output; returns false if they are unknown. */
typedef bool fsd_ints_fn(const struct fsd_op_case *c, struct fsd_ints *out);
typedef bool fsd_same_fn(const struct fsd_graph *g, const struct fsd_node *node);

enum fsd_domain {
    FSD_DOMAIN_ONNX = 1 << 0, /* spelled "" or "ai.onnx" */
    FSD_DOMAIN_MICROSOFT = 1 << 1,
    FSD_DOMAIN_TRT = 1 << 2, /* ModelOpt writes FP8 and INT4 quantizers with this
                                domain */
    FSD_DOMAIN_ML = 1 << 3,
    FSD_DOMAIN_TRAINING = 1 << 4, /* ai.onnx.preview.training */
    FSD_DOMAIN_PREVIEW = 1 << 5,  /* ai.onnx.preview */
    /* Sets of domains: an exporter may write an operator with any domain of its set.
     * FSD_DOMAIN_BUILDER is for operators that only a builder's parser knows,
     * FSD_DOMAIN_QDQ is for quantizers. */
    FSD_DOMAIN_BUILDER = FSD_DOMAIN_ONNX | FSD_DOMAIN_TRT,
    FSD_DOMAIN_QDQ = FSD_DOMAIN_ONNX | FSD_DOMAIN_MICROSOFT | FSD_DOMAIN_TRT
};

struct fsd_op {
    const char *name;
    uint8_t type, types; /* the type of output 0, and the type of the other outputs:
                            enum type of table.c */
    fsd_shape_fn *shape; /* the rule for the shape of each output; NULL: the shape is
                            unknown */
    fsd_shape_fn *items; /* if the output is a sequence: the rule for the shape of its
                            elements; if it is an optional: the rule for the shape of
                            its value; may be NULL */
    unsigned traits;     /* a set of enum fsd_op_trait without STANDARD, SHAPED and
                            ELEMENTWISE: fsd_op_traits() derives these from the row */
    uint32_t shape_operands; /* one bit per input: its values determine the shape of the
                                output */
    fsd_macs_fn *macs;       /* the rule for multiply-adds; NULL: the operator has none
                                worth counting */
    fsd_ints_fn *ints;       /* the rule for the elements of the first output; NULL: no
                                rule, because no shape depends on these elements */
    char variant;            /* selects a case of a rule that several operators share,
                                such as '+' for arithmetic */
    enum fsd_same same;      /* the reason why a node outputs its input unchanged */
    fsd_same_fn *holds;      /* the condition for `same`; NULL: `same` always holds */
    unsigned domains;        /* enum fsd_domain; 0 means FSD_DOMAIN_ONNX */
    const char *lowerings;   /* the result of fsd_op_lowerings(); NULL: the operator has
                                no lowerings */
    const char *known_as;    /* the result of fsd_op_known_as() */
};

/** Returns the row of a node's operator; NULL if there is none. */
const struct fsd_op *fsd_op_of(const struct fsd_graph *g, fsd_id node);

/** Returns all rows, sorted by name as strcmp() does; a name has one row per domain. */
const struct fsd_op *fsd_ops(uint32_t *n);

/* ---------------------------------------------------------- functions for the rules */

/** Returns the tensor of the i-th input, from 0; FSD_NONE if there is none. */
static inline fsd_id fsd_case_in(const struct fsd_op_case *c, uint32_t i)
{
    return fsd_node_in_tensor(c->g, c->node, i);
}

/** These functions return attributes of the node.  If the node does not have the
 *  attribute, they return NULL, "" or `otherwise`.  fsd_case_size() returns the result
 *  of fsd_case_int() as an amount (amount.h); -1 if the number cannot be a size.  To
 *  convert a number of a file to an amount, a rule must call fsd_case_size() or
 *  fsd_size(). */
const struct fsd_attr *fsd_case_attr(const struct fsd_op_case *c, const char *name);

static inline bool fsd_case_has(const struct fsd_op_case *c, uint32_t i)
{
    return fsd_case_in(c, i) != FSD_NONE;
}

static inline int64_t fsd_case_int(const struct fsd_op_case *c, const char *name,
                                   int64_t otherwise)
{
    const struct fsd_attr *attr = fsd_case_attr(c, name);

    return attr && attr->kind == FSD_ATTR_INT ? attr->i : otherwise;
}

static inline int64_t fsd_case_size(const struct fsd_op_case *c, const char *name,
                                    int64_t otherwise)
{
    return fsd_size(fsd_case_int(c, name, otherwise));
}

const char *fsd_case_word(const struct fsd_op_case *c, const char *name);
const int64_t *fsd_case_ints(const struct fsd_op_case *c, const char *name,
                             uint32_t *n);

/** Returns the shape of the i-th input, from 0; an unranked shape if there is no such
 * input. */
static inline const struct fsd_shape *fsd_shape_in(const struct fsd_op_case *c,
                                                   uint32_t i)
{
    return fsd_shape_of(c->s, fsd_case_in(c, i));
}

/** Returns the shape of the i-th operand, from 0; scales and zero points are not
 * counted as operands.  Returns an unranked shape if there is no such operand. */
static inline const struct fsd_shape *fsd_shape_operand(const struct fsd_op_case *c,
                                                        uint32_t i)
{
    return fsd_shape_in(c, c->op->traits & FSD_OP_QLINEAR ? 3 * i : i);
}

/** Returns the common shape of all elements if the i-th input is a sequence, or the
 *  shape of the value if the i-th input is an optional. */
static inline const struct fsd_shape *fsd_items_in(const struct fsd_op_case *c,
                                                   uint32_t i)
{
    static const struct fsd_shape unknown = {0};
    fsd_id tensor = fsd_case_in(c, i);

    return tensor == FSD_NONE || !c->s->items ? &unknown : &c->s->items[tensor];
}

/** Returns what two shapes have in common: sizes that differ become unknown.  If the
 *  ranks differ, or a rank is unknown, the result is unranked. */
struct fsd_shape fsd_shape_common(const struct fsd_shape *a, const struct fsd_shape *b);

/** Fills the unknown sizes of a tensor's shape from `shape`, unless both shapes
 * contradict each other. */
void fsd_shape_learn(struct fsd_sizes *s, fsd_id tensor, const struct fsd_shape *shape);

/** A node (`owner`) such as an If or a Loop owns bodies. fsd_body_enter() copies the
 *  shapes of the node's inputs to a body; fsd_body_leave() copies the shapes of the
 *  body's outputs to the node's outputs. */
void fsd_body_enter(struct fsd_sizes *s, fsd_id owner, fsd_id body);
void fsd_body_leave(struct fsd_sizes *s, fsd_id owner);

/** Returns the elements of the i-th input, which may be a constant or a result of shape
 * computations; NULL if the elements are unknown. */
const struct fsd_ints *fsd_ints_in(const struct fsd_op_case *c, uint32_t i);

/** Reads a list from an attribute or, in later opsets, from the i-th input.  Returns
 *  false if the list is unknown.  `*given` becomes true if the node has the attribute
 *  or the input, even if the elements are unknown. */
bool fsd_ints_of(const struct fsd_op_case *c, const char *attr, uint32_t i,
                 struct fsd_ints *out, bool *given);

/** Returns the value of the i-th input as an amount; -1 if the input does not have
 * exactly one element, or if that element is unknown. */
int64_t fsd_int_in(const struct fsd_op_case *c, uint32_t i);

/** Reads a shape whose sizes are the elements of the i-th input.  If only the number of
 *  elements is known, the sizes are unknown. */
bool fsd_shape_listed(const struct fsd_op_case *c, uint32_t i, struct fsd_shape *out);

/** Returns the axis that the attribute `axis` states, counted from the start; -1 if the
 * first input has no such axis. */
static inline int64_t fsd_case_axis(const struct fsd_op_case *c, int64_t otherwise)
{
    return fsd_axis(fsd_case_int(c, "axis", otherwise), fsd_shape_in(c, 0)->rank);
}

/** Applies NumPy's rule of broadcasting to the shapes `to` and `by`, except to their
 *  last `keep` dimensions.  `to` receives the result. */
void fsd_shape_broadcast(struct fsd_shape *to, const struct fsd_shape *by,
                         uint32_t keep);

/** The elements that a Slice takes, for each axis that it cuts. */
struct fsd_taken {
    uint32_t n;
    int64_t axis[FSD_SHAPE_RANK];
    int64_t from[FSD_SHAPE_RANK], step[FSD_SHAPE_RANK]; /**< the first element and the
                                                             step; valid if `count` is a
                                                             number */
    int64_t count[FSD_SHAPE_RANK];                      /**< the number of elements that
                                                             are taken, an amount
                                                             (amount.h); -1: unknown */
};

/** Finds the elements that a Slice takes.  Returns false if the axes that it cuts are
 * unknown. */
bool fsd_slice_cut(const struct fsd_op_case *c, struct fsd_taken *cut);

/** Reads the elements of the graph's constants. */
void fsd_ints_of_constants(struct fsd_sizes *s);

/** Sets the elements of a node's first output if they follow from known facts. */
void fsd_ints_by_rule(struct fsd_sizes *s, const struct fsd_op_case *c);

/* -------------------------------------------------------------------- the rules */

/* Rules in shape.c: elementwise operators, matrix products, recurrent layers. */
fsd_shape_fn fsd_shape_same, fsd_shape_second, fsd_shape_elementwise, fsd_shape_scalar,
    fsd_shape_quantized, fsd_shape_normalized, fsd_shape_statistics, fsd_shape_matmul,
    fsd_shape_matmul_bits, fsd_shape_det, fsd_shape_recurrent, fsd_shape_loss,
    fsd_shape_updated;

/* shape_einsum.c */
fsd_shape_fn fsd_shape_einsum;

/* Rules in shape_window.c: operators on the spatial dimensions after the channels. */
fsd_shape_fn fsd_shape_conv, fsd_shape_conv_transpose, fsd_shape_pool, fsd_shape_unpool,
    fsd_shape_global_pool, fsd_shape_resize, fsd_shape_pad, fsd_shape_center_crop,
    fsd_shape_blocks, fsd_shape_col2im, fsd_shape_affine_grid, fsd_shape_grid_sample,
    fsd_shape_roi;

/* Rules in shape_view.c: operators that move, choose or repeat elements. */
fsd_shape_fn fsd_shape_transpose, fsd_shape_flatten, fsd_shape_reshape,
    fsd_shape_concat, fsd_shape_split, fsd_shape_slice, fsd_shape_gather,
    fsd_shape_gather_nd, fsd_shape_squeeze, fsd_shape_unsqueeze, fsd_shape_reduce,
    fsd_shape_arg, fsd_shape_top_k, fsd_shape_chosen, fsd_shape_expand, fsd_shape_tile,
    fsd_shape_one_hot;

/* Rules in shape_made.c: outputs whose shape depends on sizes or values. */
fsd_shape_fn fsd_shape_filled, fsd_shape_attr, fsd_shape_range, fsd_shape_shape,
    fsd_shape_non_zero, fsd_shape_boxes, fsd_shape_multinomial, fsd_shape_window,
    fsd_shape_mel, fsd_shape_dft, fsd_shape_stft, fsd_shape_image,
    fsd_shape_string_split, fsd_shape_strings, fsd_shape_terms, fsd_shape_features,
    fsd_shape_targets, fsd_shape_classes, fsd_shape_categories, fsd_shape_columns,
    fsd_shape_gradient;

/* Rules in shape_list.c: sequences and optionals. */
fsd_shape_fn fsd_shape_item, fsd_shape_joined, fsd_shape_optional, fsd_items_construct,
    fsd_items_insert, fsd_items_same, fsd_items_split, fsd_items_optional;

/* attention.c */
fsd_shape_fn fsd_shape_attention, fsd_shape_linear_attention, fsd_shape_causal_conv;
fsd_macs_fn fsd_macs_attention;

/* macs.c */
fsd_macs_fn fsd_macs_conv, fsd_macs_matmul, fsd_macs_einsum, fsd_macs_recurrent;

/* ints.c */
fsd_ints_fn fsd_ints_shape, fsd_ints_size, fsd_ints_first, fsd_ints_cast,
    fsd_ints_gather, fsd_ints_concat, fsd_ints_arithmetic, fsd_ints_where,
    fsd_ints_fill, fsd_ints_slice, fsd_ints_transpose;

/* same.c */
fsd_same_fn fsd_same_dropout, fsd_same_cast, fsd_same_transpose, fsd_same_pad,
    fsd_same_sum, fsd_same_product, fsd_same_quotient, fsd_same_single, fsd_same_pool;
