/*
 * Operators as numbers. fsd_op_names_new() makes a table of names in which the symbol
 * of an operator's name is the operator's id.  The question "is it a Conv?" then
 * compares two numbers:
 *
 *     fsd_node_is(g, node, FSD_ONNX_Conv)      the operator of a node
 *     step == FSD_ONNX_Conv                    an operation in a kernel's name
 */
#pragma once

#include "base/base.h"

/* Operations in the names of kernels.  These operations are not ONNX operators. */
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

/** Whether an operation of a kernel only moves data: it is a data-movement operator, or
 * a Move. */
bool fsd_step_moves(fsd_sym step);

/** Whether a kernel of a matrix product or convolution may apply this operation to its
 *  result.  The operation must be elementwise, or only move elements. */
bool fsd_step_is_epilogue(fsd_sym step);

/** Returns the traits (enum fsd_op_trait) of ONNX's own operator with this name; 0 if
 *  table.inc has no row for the operator. */
unsigned fsd_step_traits(fsd_sym step);

/** Creates a table of names for graphs in the arena. */
struct fsd_intern *fsd_op_names_new(struct fsd_arena *arena);
