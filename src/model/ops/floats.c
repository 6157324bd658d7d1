/*
 * Finds which operands of an operator may be FP16 or BF16 instead of FP32. The rows are
 * in floats.inc; tests/ops/floats.py generates them from onnx's own schemas.
 */
#include "model/ops/rule.h"

#include <stdlib.h>

struct float_row {
    const char *name;
    uint8_t half, brain; /* the first opset in which the operator accepts FP16 (`half`)
                            or BF16 (`brain`); 255: it never accepts the type */
    struct fsd_op_floats floats;
};

bool fsd_op_takes(const struct fsd_graph *g, fsd_id node, enum fsd_dtype type,
                  struct fsd_op_floats *out)
{
#define FLOATS(name, half, brain, inputs, outputs)                                     \
    {#name, half, brain, {inputs, outputs}},
    static const struct float_row rows[] = {
#include "model/ops/floats.inc"
    };
#undef FLOATS
    const struct fsd_node *n = &g->nodes.at[node];
    const struct float_row *row =
        fsd_is_onnx_domain(fsd_text(g->names, n->domain)) && !(n->flags & FSD_NODE_CALL)
            ? bsearch(fsd_text(g->names, n->op), rows, FSD_COUNT_OF(rows), sizeof *rows,
                      fsd_by_name)
            : NULL;

    if (!row)
        return false;
    *out = row->floats;
    return type == FSD_FP32 ||
           fsd_graph_opset(g) >= (type == FSD_BF16 ? row->brain : row->half);
}
