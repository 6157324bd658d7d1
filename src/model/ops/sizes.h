/*
 * The sizes of a model's tensors, as numbers or names of dynamic sizes, and what
 * follows from them.
 *
 * Sources of sizes, the most trusted first: the user, the model, an engine built from
 * it (explain/cost/shape.c), the operators' own rules.
 */
#pragma once

#include "base/base.h"
#include "model/ops/amount.h"
#include "model/ops/ops.h"

struct fsd_dim;
struct fsd_form;

enum { FSD_SHAPE_RANK = 8 };

/** The shape of a tensor, as far as it is known: sizes are amounts, -1 if unknown. */
struct fsd_shape {
    bool ranked;
    uint8_t rank;
    int64_t dims[FSD_SHAPE_RANK];
};

/** The elements of a small integer tensor that determines shapes, in order.  They are
 *  amounts, since a size may be dynamic. */
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
    struct fsd_shape *items;   /**< indexed by tensor: the common shape of a sequence's
                                    elements, or that of an optional's value; NULL if
                                    the graph has no operators on these */
    struct fsd_lists bodies;   /**< indexed by node */
    struct fsd_lists in_scope; /**< nodes by scope */
    int64_t *dim_sizes;        /**< indexed by symbol: the size of a named dimension; 0:
                             unknown */
    uint32_t n_dim_sizes;
    fsd_id *ints_of; /**< indexed by tensor: in `ints`; FSD_NONE: unknown */
    FSD_VEC(struct fsd_ints) ints;
};

/** The numbers of an integer tensor; NULL if they are unknown, and for FSD_NONE. */
static inline const struct fsd_ints *fsd_sizes_ints(const struct fsd_sizes *s,
                                                    fsd_id tensor)
{
    fsd_id known = fsd_id_at(s->ints_of, tensor);

    return known == FSD_NONE ? NULL : &s->ints.at[known];
}

/** Creates sizes that contain only small constants, in the arena. */
struct fsd_sizes *fsd_sizes_new(struct fsd_arena *arena, const struct fsd_graph *g);

/** Adds all sizes in the model. */
void fsd_sizes_take_model(struct fsd_sizes *s);

/** Returns the sizes that follow from the model alone. */
const struct fsd_sizes *fsd_sizes_of_model(struct fsd_arena *arena,
                                           const struct fsd_graph *g);

/** Binds an input's sizes, "images=1x3x224x224", and the names the model has for them.
 *  @return FSD_OK; FSD_E_ARG for an unknown input, a different rank, or a size that
 *          contradicts the model */
enum fsd_status fsd_sizes_bind(struct fsd_sizes *s, const char *word,
                               struct fsd_error *err);

/** Gives a named dimension of the model its size, unless it has one or `size` is
 *  invalid. */
void fsd_sizes_bind_dim(struct fsd_sizes *s, struct fsd_dim dim, int64_t size);

/** Completes a tensor's shape from a form of the graph `from`; a form of different rank
 *  is ignored. */
void fsd_sizes_take_form(struct fsd_sizes *s, fsd_id tensor,
                         const struct fsd_graph *from, const struct fsd_form *form);

/** Fills unknown sizes of a network input, unless they contradict the known ones; the
 *  sizes also apply to the model's names for these dimensions.
 *  @return true if the whole shape is known now, and was not before */
bool fsd_sizes_take_input(struct fsd_sizes *s, fsd_id tensor, const int64_t *sizes,
                          uint32_t n);

/** Gives unknown sizes names.  With `inputs_only`, only sizes of the network's inputs
 *  get names, so that other sizes can be derived from them. */
void fsd_sizes_take_names(struct fsd_sizes *s, bool inputs_only);

/** Applies the operators' rules once to all nodes. */
void fsd_sizes_take_rules(struct fsd_sizes *s);

/** The size of a dimension, from itself or from its name; -1 if unknown. */
int64_t fsd_sizes_dim(const struct fsd_sizes *s, struct fsd_dim dim);

/** The shape of a tensor; an unranked shape for FSD_NONE. */
const struct fsd_shape *fsd_shape_of(const struct fsd_sizes *s, fsd_id tensor);

bool fsd_shape_is_full(const struct fsd_shape *shape);

/** Converts an axis counted from the end to one counted from the start; -1 if there is
 *  no such axis. */
int64_t fsd_axis(int64_t axis, uint32_t rank);

/** The number of elements as an amount; -1 if a size is unknown or there are more than
 *  2^62. */
int64_t fsd_shape_count(struct fsd_amounts *t, const struct fsd_shape *shape);

/** Multiply-adds of a node as an amount: 0 if its operator does none worth counting, -1
 *  if the number is unknown. */
int64_t fsd_op_macs(const struct fsd_sizes *s, fsd_id node);

/** The number of windows of a pool with ceil_mode along a spatial dimension. */
struct fsd_windows {
    int64_t inside; /**< windows that start in the data or the padding before them: the
                         size by ONNX's definition */
    int64_t all;    /**< including one that starts in the padding after the data */
    int64_t before, behind; /**< padding before and after the data */
    int64_t enough;         /**< padding after the data with which a pool without
                                 ceil_mode has `inside` windows */
};

/** False if the windows are unknown, or the node is not a pool with ceil_mode. */
bool fsd_op_windows(const struct fsd_sizes *s, fsd_id node, uint32_t axis,
                    struct fsd_windows *out);

/** Prints one line for each tensor with a name: its scope, name, shape. */
void fsd_sizes_dump(const struct fsd_sizes *s, FILE *out);
