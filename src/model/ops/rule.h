/*
 * The row of an operator, and the rules that rows name.  Only src/model/ops includes
 * this.
 *
 * A rule handles one case: a node, one of its outputs, and the known sizes around it.
 * A size that does not follow is -1; a rule that cannot even determine the rank returns
 * false.  Definitions: the ONNX operator specification, opsets 1 to 28; com.microsoft
 * as ONNX Runtime documents it.
 */
#ifndef FSD_OPS_RULE_H
#define FSD_OPS_RULE_H

#include "model/ops/sizes.h"

struct fsd_op;

struct fsd_op_case {
    const struct fsd_sizes *s;
    struct fsd_amounts *t;     /**< s->amounts */
    const struct fsd_graph *g; /**< s->g */
    const struct fsd_op *op;   /**< never NULL */
    fsd_id node;
    uint32_t out;  /**< which output */
    bool *guessed; /**< becomes true if a rule needs something unknown */
};

typedef bool fsd_shape_fn(const struct fsd_op_case *c, struct fsd_shape *out);
typedef int64_t fsd_macs_fn(const struct fsd_op_case *c);
/** Elements of the first output. */
typedef bool fsd_ints_fn(const struct fsd_op_case *c, struct fsd_ints *out);
typedef bool fsd_same_fn(const struct fsd_graph *g, const struct fsd_node *node);

enum fsd_domain {
    FSD_DOMAIN_ONNX = 1 << 0, /* written "" or "ai.onnx" */
    FSD_DOMAIN_MICROSOFT = 1 << 1,
    FSD_DOMAIN_TRT = 1 << 2, /* what ModelOpt writes for FP8 and INT4 */
    FSD_DOMAIN_ML = 1 << 3,
    FSD_DOMAIN_TRAINING = 1 << 4, /* ai.onnx.preview.training */
    FSD_DOMAIN_PREVIEW = 1 << 5,  /* ai.onnx.preview */
    /* Where exporters leave operators of one builder's parser, and quantizers. */
    FSD_DOMAIN_BUILDER = FSD_DOMAIN_ONNX | FSD_DOMAIN_TRT,
    FSD_DOMAIN_QDQ = FSD_DOMAIN_ONNX | FSD_DOMAIN_MICROSOFT | FSD_DOMAIN_TRT
};

struct fsd_op {
    const char *name;
    uint8_t type, types; /* of output 0, of the others: enum type of table.c */
    fsd_shape_fn *shape; /* NULL: unknown */
    fsd_shape_fn *items; /* of a sequence's elements, or an optional's value; NULL */
    unsigned traits;     /* enum fsd_op_trait; SHAPED and STANDARD are understood */
    uint32_t shape_operands; /* bits: inputs whose values decide the output's shape */
    fsd_macs_fn *macs;       /* NULL: none worth counting */
    fsd_ints_fn *ints;       /* NULL: none that decide shapes */
    char variant;            /* of a rule that knows several: '+' of arithmetic */
    enum fsd_same same;      /* why no operation is left of it, */
    fsd_same_fn *holds;      /* where this holds; NULL: always */
    unsigned domains;        /* enum fsd_domain; 0 is FSD_DOMAIN_ONNX */
    const char *lowerings;   /* fsd_op_lowerings(); NULL: none but itself */
    const char *known_as;    /* fsd_op_known_as() */
};

/** The row of a node's operator; NULL. */
const struct fsd_op *fsd_op_of(const struct fsd_graph *g, fsd_id node);

/** All rows, in strcmp's order; of one name those of several domains. */
const struct fsd_op *fsd_ops(uint32_t *n);

/* ----------------------------------------------------------- what rules may ask */

/** The tensor of the i-th input; FSD_NONE where there is none. */
static inline fsd_id fsd_case_in(const struct fsd_op_case *c, uint32_t i)
{
    return fsd_node_in_tensor(c->g, c->node, i);
}

/** An attribute, NULL when it has none; an INT or `otherwise`; one that is a size, or
 *  -1 for a number that is none; a STRING, "" when it has none; INTS, NULL when it has
 *  none.  What a file says goes into amounts only through fsd_case_size() and
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

/** The shape of the i-th input; one that is not ranked where there is none. */
static inline const struct fsd_shape *fsd_shape_in(const struct fsd_op_case *c,
                                                   uint32_t i)
{
    return fsd_shape_of(c->s, fsd_case_in(c, i));
}

/** The same of the i-th operand: inputs but for scales and zero points. */
static inline const struct fsd_shape *fsd_shape_operand(const struct fsd_op_case *c,
                                                        uint32_t i)
{
    return fsd_shape_in(c, c->op->traits & FSD_OP_QLINEAR ? 3 * i : i);
}

/** What the elements of the i-th input, a sequence or an optional, have in common. */
static inline const struct fsd_shape *fsd_items_in(const struct fsd_op_case *c,
                                                   uint32_t i)
{
    static const struct fsd_shape unknown = {0};
    fsd_id tensor = fsd_case_in(c, i);

    return tensor == FSD_NONE || !c->s->items ? &unknown : &c->s->items[tensor];
}

/** What two shapes have in common: a rank, and the sizes that are equal. */
struct fsd_shape fsd_shape_common(const struct fsd_shape *a, const struct fsd_shape *b);

/** Completes what is known of a tensor's shape, unless it contradicts that. */
void fsd_shape_learn(struct fsd_sizes *s, fsd_id tensor, const struct fsd_shape *shape);

/** Gives the body of an owner what the owner's inputs are; the bodies' results to its
 *  outputs. */
void fsd_body_enter(struct fsd_sizes *s, fsd_id owner, fsd_id body);
void fsd_body_leave(struct fsd_sizes *s, fsd_id owner);

/** The elements of the i-th input, a constant or computed from shapes; NULL: not known.
 */
const struct fsd_ints *fsd_ints_in(const struct fsd_op_case *c, uint32_t i);

/** The list of an attribute, or if it has none, of the i-th input (as in later opsets).
 *  False if both are unknown; *given is set if there should be one. */
bool fsd_ints_of(const struct fsd_op_case *c, const char *attr, uint32_t i,
                 struct fsd_ints *out, bool *given);

/** What the i-th input is, an amount; -1 when it is not one element that is known. */
int64_t fsd_int_in(const struct fsd_op_case *c, uint32_t i);

/** A shape that the i-th input lists; of unknown sizes where only their number is
 *  known. */
bool fsd_shape_listed(const struct fsd_op_case *c, uint32_t i, struct fsd_shape *out);

/** An axis counted from the end made one from the start; -1 when there is none such. */
int64_t fsd_axis(int64_t axis, uint32_t rank);
/** The axis that the attribute `axis` names of the first input; -1. */
static inline int64_t fsd_case_axis(const struct fsd_op_case *c, int64_t otherwise)
{
    return fsd_axis(fsd_case_int(c, "axis", otherwise), fsd_shape_in(c, 0)->rank);
}

/** Numpy's rule; `keep` trailing dimensions of the result are left as they are. */
void fsd_shape_broadcast(struct fsd_shape *to, const struct fsd_shape *by,
                         uint32_t keep);

/** What a Slice takes of each axis it cuts. */
struct fsd_taken {
    uint32_t n;
    int64_t axis[FSD_SHAPE_RANK];
    int64_t from[FSD_SHAPE_RANK], step[FSD_SHAPE_RANK]; /**< where count is a number */
    int64_t count[FSD_SHAPE_RANK];                      /**< -1: not known */
};

/** False when it is not known which axes it cuts. */
bool fsd_slice_cut(const struct fsd_op_case *c, struct fsd_taken *cut);

/** The elements of constants of the graph. */
void fsd_ints_of_constants(struct fsd_sizes *s);

/** Sets the elements of a node's first output, where they follow from what is known. */
void fsd_ints_by_rule(struct fsd_sizes *s, const struct fsd_op_case *c);

/* -------------------------------------------------------------------- the rules */

/* shape.c: elements, products, recurrent layers */
fsd_shape_fn fsd_shape_same, fsd_shape_second, fsd_shape_elementwise, fsd_shape_scalar,
    fsd_shape_quantized, fsd_shape_normalized, fsd_shape_statistics, fsd_shape_matmul,
    fsd_shape_matmul_bits, fsd_shape_det, fsd_shape_recurrent, fsd_shape_loss,
    fsd_shape_updated;

/* shape_einsum.c */
fsd_shape_fn fsd_shape_einsum;

/* shape_window.c: what sees the space behind the channels */
fsd_shape_fn fsd_shape_conv, fsd_shape_conv_transpose, fsd_shape_pool, fsd_shape_unpool,
    fsd_shape_global_pool, fsd_shape_resize, fsd_shape_pad, fsd_shape_center_crop,
    fsd_shape_blocks, fsd_shape_col2im, fsd_shape_affine_grid, fsd_shape_grid_sample,
    fsd_shape_roi;

/* shape_view.c: what moves, chooses or repeats elements */
fsd_shape_fn fsd_shape_transpose, fsd_shape_flatten, fsd_shape_reshape,
    fsd_shape_concat, fsd_shape_split, fsd_shape_slice, fsd_shape_gather,
    fsd_shape_gather_nd, fsd_shape_squeeze, fsd_shape_unsqueeze, fsd_shape_reduce,
    fsd_shape_arg, fsd_shape_top_k, fsd_shape_chosen, fsd_shape_expand, fsd_shape_tile,
    fsd_shape_one_hot;

/* shape_made.c: what is made of sizes, or of what elements say */
fsd_shape_fn fsd_shape_filled, fsd_shape_attr, fsd_shape_range, fsd_shape_shape,
    fsd_shape_non_zero, fsd_shape_boxes, fsd_shape_multinomial, fsd_shape_window,
    fsd_shape_mel, fsd_shape_dft, fsd_shape_stft, fsd_shape_image,
    fsd_shape_string_split, fsd_shape_strings, fsd_shape_terms, fsd_shape_features,
    fsd_shape_targets, fsd_shape_classes, fsd_shape_categories, fsd_shape_columns,
    fsd_shape_gradient;

/* shape_list.c: sequences and optionals */
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

#endif
