/*
 * Operators as numbers.  In a table of names that fsd_op_names_new() made, the symbol
 * of an operator's name is its id, so that "is it a Conv?" compares two numbers:
 *
 *     fsd_node_is(g, node, FSD_ONNX_Conv)      the operator of a node
 *     step == FSD_ONNX_Conv                    what a kernel's name lists
 */
#pragma once

#include "base/base.h"

/* Operations of kernels that are not operators. */
#define FSD_OP_STEPS(row) row(Move, ) row(NotEqual, )

enum fsd_op_id {
    FSD_ONNX_NONE, /**< the empty name */
#define OP(name, ...) FSD_ONNX_##name,
#define ALSO(name, ...)
#include "model/ops/table.inc"
    FSD_OP_STEPS(OP)
#undef OP
#undef ALSO
        FSD_ONNX__COUNT
};

/** Whether a step of a kernel only moves data: a data-movement operator, or a Move. */
bool fsd_step_moves(fsd_sym step);

/** Whether the kernel of a product may apply this operation to its result: the
 *  operation computes each element from the elements at the same place, or only moves
 *  elements. */
bool fsd_step_is_epilogue(fsd_sym step);

/** The traits of ONNX's own operator with this name (ops.h: enum fsd_op_trait); 0 if it
 *  has no row. */
unsigned fsd_step_traits(fsd_sym step);

/** Creates a table of names for graphs in the arena. */
struct fsd_intern *fsd_op_names_new(struct fsd_arena *arena);
