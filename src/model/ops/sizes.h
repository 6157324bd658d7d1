/*
 * The sizes of a model's tensors, as numbers or as names of dynamic sizes, and counts
 * that depend on these sizes.
 *
 * Sizes have four sources, the most trusted first: the user, the model, an engine built
 * from the model (explain/cost/shape.c), and the rules of operators.
 */
#pragma once

#include "base/base.h"
#include "model/ops/amount.h"
#include "model/ops/ops.h"

struct fsd_dim;
struct fsd_form;

enum { FSD_SHAPE_RANK = 8 };

/** The shape of a tensor.  Sizes are amounts; -1: unknown. */
struct fsd_shape {
    bool ranked;
    uint8_t rank;
    int64_t dims[FSD_SHAPE_RANK];
};

/** The elements of a small integer tensor that determines shapes, in order.  An element
 *  may depend on a dynamic size, so `at` has amounts (amount.h). */
enum { FSD_INTS = 16 };
struct fsd_ints {
    uint8_t n;
    int64_t at[FSD_INTS];
};

struct fsd_sizes {
    const struct fsd_graph *g;
    struct fsd_arena *arena;
    struct fsd_amounts *amounts;
    struct fsd_shape *shapes;  /**< indexed by tensor */
    struct fsd_shape *items;   /**< indexed by tensor.  For a sequence: the common shape
                                    of its elements; for an optional: the shape of its
                                    value.  NULL: the graph has no sequence and no
                                    optional */
    struct fsd_lists bodies;   /**< indexed by node: its bodies */
    struct fsd_lists in_scope; /**< indexed by scope: its nodes */
    int64_t *dim_sizes;        /**< indexed by symbol: the size of a named dimension; 0:
                                    unknown */
    uint32_t n_dim_sizes;
    fsd_id *ints_of; /**< indexed by tensor: the index of its elements in `ints`;
                          FSD_NONE: unknown */
    FSD_VEC(struct fsd_ints) ints;
};

/** Returns the elements of an integer tensor; NULL if they are unknown, or if `tensor`
 * is FSD_NONE. */
static inline const struct fsd_ints *fsd_sizes_ints(const struct fsd_sizes *s,
                                                    fsd_id tensor)
{
    fsd_id known = fsd_id_at(s->ints_of, tensor);

    return known == FSD_NONE ? NULL : &s->ints.at[known];
}

/** Creates a table of sizes in the arena.  It only knows the elements of small
 * constants. */
struct fsd_sizes *fsd_sizes_new(struct fsd_arena *arena, const struct fsd_graph *g);

/** Adds all sizes that the model states. */
void fsd_sizes_take_model(struct fsd_sizes *s);

/** Returns the sizes that follow from the model alone. */
const struct fsd_sizes *fsd_sizes_of_model(struct fsd_arena *arena,
                                           const struct fsd_graph *g);

/** Sets the sizes of an input, "images=1x3x224x224".  If a dimension of the input has a
 *  name, all dimensions with this name get the same size.
 *  @return FSD_OK; FSD_E_ARG for an unknown input, a different rank, or a size that
 *          contradicts the model */
enum fsd_status fsd_sizes_bind(struct fsd_sizes *s, const char *word,
                               struct fsd_error *err);

/** Sets the size of a named dimension of the model, unless its size is known or `size`
 *  is invalid. */
void fsd_sizes_bind_dim(struct fsd_sizes *s, struct fsd_dim dim, int64_t size);

/** Fills the unknown sizes of a tensor from `form`, which belongs to the graph `from`.
 *  A form of a different rank is ignored. */
void fsd_sizes_take_form(struct fsd_sizes *s, fsd_id tensor,
                         const struct fsd_graph *from, const struct fsd_form *form);

/** Fills the unknown sizes of a network input, unless `sizes` contradict known sizes.
 *  If a dimension of the input has a name, all dimensions with this name get the same
 *  size.
 *  @return true if the call completed the shape */
bool fsd_sizes_take_input(struct fsd_sizes *s, fsd_id tensor, const int64_t *sizes,
                          uint32_t n);

/** Turns unknown sizes into dynamic sizes.  The dynamic size is the value of the
 *  dimension's expression, or else the dimension's name.  If a dimension of a network
 *  input has neither, it gets a name such as "image[2]".
 *  @param inputs_only  true: uses only the names that occur at a network input, because
 *          rules may derive the other sizes from these */
void fsd_sizes_take_names(struct fsd_sizes *s, bool inputs_only);

/** Applies the operators' rules once to all nodes. */
void fsd_sizes_take_rules(struct fsd_sizes *s);

/** Returns the size of a dimension as a number; -1 if it is unknown.  If `dim.size` is
 *  unknown, the function uses the known size of `dim.name`, or the value of the
 *  expression `dim.term`. */
int64_t fsd_sizes_dim(const struct fsd_sizes *s, struct fsd_dim dim);

/** Returns the shape of a tensor; an unranked shape for FSD_NONE. */
const struct fsd_shape *fsd_shape_of(const struct fsd_sizes *s, fsd_id tensor);

bool fsd_shape_is_full(const struct fsd_shape *shape);

/** Returns an axis counted from the start; a negative `axis` counts from the end.
 *  Returns -1 if there is no such axis. */
int64_t fsd_axis(int64_t axis, uint32_t rank);

/** Returns the number of elements as an amount; -1 if a size is unknown, or if the
 *  number exceeds 2^62. */
int64_t fsd_shape_count(struct fsd_amounts *t, const struct fsd_shape *shape);

/** Returns the number of multiply-adds of a node as an amount; -1 if it is unknown.  It
 *  is 0 for an operator whose multiply-adds are not counted. */
int64_t fsd_op_macs(const struct fsd_sizes *s, fsd_id node);

/** The windows of a pooling operator with ceil_mode along one spatial dimension. */
struct fsd_windows {
    int64_t inside; /**< the number of windows that start in the data or in the padding
                         before the data; by ONNX's definition, this number is the
                         output size */
    int64_t all;    /**< `inside`, plus 1 if a window starts in the padding after the
                         data */
    int64_t before, behind; /**< the padding before and after the data, in elements */
    int64_t enough;         /**< the least padding after the data, in elements, that
                                 gives the same output size (`inside`) without
                                 ceil_mode */
};

/** Computes the windows of a pooling operator.  Returns false if they are unknown, or
 * if the node is not a pooling with ceil_mode. */
bool fsd_op_windows(const struct fsd_sizes *s, fsd_id node, uint32_t axis,
                    struct fsd_windows *out);

/** Prints one line for each tensor with a name: its scope, name and shape. */
void fsd_sizes_dump(const struct fsd_sizes *s, FILE *out);
