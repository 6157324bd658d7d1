/*
 * The sizes of a model's tensors, in numbers and in names of open ones, and what
 * follows from them.
 *
 * Sources of sizes in the order of their worth: the user's, the model's, those of an
 * engine built from it (explain/cost/shape.c), the operators' own rules.
 */
#ifndef FSD_OPS_SIZES_H
#define FSD_OPS_SIZES_H

#include "base/base.h"
#include "model/ops/amount.h"
#include "model/ops/ops.h"

#include <stdio.h>

enum { FSD_SHAPE_RANK = 8 };

/** The shape of a tensor, as far as it is known: sizes are amounts, -1 if unknown. */
struct fsd_shape {
    bool ranked;
    uint8_t rank;
    int64_t dims[FSD_SHAPE_RANK];
};

/** The elements of a small tensor of integers that decides shapes, in their order;
 *  amounts, since a size may be open. */
enum { FSD_INTS = 16 };
struct fsd_ints {
    uint8_t n;
    int64_t at[FSD_INTS];
};

struct fsd_sizes {
    const struct fsd_graph *g;
    struct fsd_arena *arena;
    struct fsd_amounts *amounts;
    struct fsd_shape *shapes;  /**< by tensor */
    struct fsd_shape *items;   /**< by tensor: what the elements of a sequence, or the
                                   value of an optional, have in common; NULL where the
                                   graph has no operator on these */
    struct fsd_lists bodies;   /**< by node */
    struct fsd_lists in_scope; /**< nodes by scope */
    int64_t *dim_sizes; /**< by symbol: the size of a named dimension; 0: not known */
    uint32_t n_dim_sizes;
    fsd_id *ints_of; /**< by tensor: in `ints`; FSD_NONE: not known */
    FSD_VEC(struct fsd_ints) ints;
};

/** The numbers of a tensor of integers; NULL where they are not known, and for
 *  FSD_NONE. */
static inline const struct fsd_ints *fsd_sizes_ints(const struct fsd_sizes *s,
                                                    fsd_id tensor)
{
    fsd_id known = fsd_id_at(s->ints_of, tensor);

    return known == FSD_NONE ? NULL : &s->ints.at[known];
}

/** Knows nothing yet but small constants; lives in the arena. */
struct fsd_sizes *fsd_sizes_new(struct fsd_arena *arena, const struct fsd_graph *g);

/** Adds all sizes in the model. */
void fsd_sizes_take_model(struct fsd_sizes *s);

/** The sizes that follow from the model alone. */
const struct fsd_sizes *fsd_sizes_of_model(struct fsd_arena *arena,
                                           const struct fsd_graph *g);

/** Binds an input's sizes, "images=1x3x224x224", and the names the model has for them.
 *  @return FSD_OK; FSD_E_ARG for an unknown input, another rank, or a size that
 *          contradicts the model. */
enum fsd_status fsd_sizes_bind(struct fsd_sizes *s, const char *word,
                               struct fsd_error *err);

/** Gives a named dimension of the model its size, unless it has one or it is none. */
void fsd_sizes_bind_dim(struct fsd_sizes *s, struct fsd_dim dim, int64_t size);

/** Completes a tensor's shape by a form of the graph `from`; one of another rank is
 *  not believed. */
void fsd_sizes_take_form(struct fsd_sizes *s, fsd_id tensor,
                         const struct fsd_graph *from, const struct fsd_form *form);

/** Gives what is open of a network's input these sizes, unless they contradict the rest
 *  of it; they count for the names that the model has for them, too.
 *  @return true where all of it is known then, and was not before. */
bool fsd_sizes_take_input(struct fsd_sizes *s, fsd_id tensor, const int64_t *sizes,
                          uint32_t n);

/** Gives unknown sizes names; with `inputs_only` only those of the network's inputs, so
 *  that sizes derived from them are expressed in these. */
void fsd_sizes_take_names(struct fsd_sizes *s, bool inputs_only);

/** One pass of the operators' rules over all nodes. */
void fsd_sizes_take_rules(struct fsd_sizes *s);

/** The size of a dimension, by itself or by its name; -1 when not known. */
int64_t fsd_sizes_dim(const struct fsd_sizes *s, struct fsd_dim dim);

/** The shape of a tensor; one that is not ranked for FSD_NONE. */
const struct fsd_shape *fsd_shape_of(const struct fsd_sizes *s, fsd_id tensor);

bool fsd_shape_is_full(const struct fsd_shape *shape);

/** Elements, an amount; -1 when a size is not known or there are more than 2^62. */
int64_t fsd_shape_count(struct fsd_amounts *t, const struct fsd_shape *shape);

/** Multiply-adds of a node, an amount: 0 where its operator does none worth counting,
 *  -1 where that is not known. */
int64_t fsd_op_macs(const struct fsd_sizes *s, fsd_id node);

/** How often the window of a pool with ceil_mode stands along a dimension of space. */
struct fsd_windows {
    int64_t inside; /**< starting in the data or the padding before them: ONNX's size */
    int64_t all;    /**< with one that starts in the padding behind them */
    int64_t before, behind; /**< padding */
    int64_t enough;         /**< padding behind with which, without ceil_mode, it stands
                         `inside` times */
};

/** False where that is not known, or the node is no pool with ceil_mode. */
bool fsd_op_windows(const struct fsd_sizes *s, fsd_id node, uint32_t axis,
                    struct fsd_windows *out);

/** One line a tensor that has a name: its scope, name, shape. */
void fsd_sizes_dump(const struct fsd_sizes *s, FILE *out);

#endif
