/* Prints the table of operators, a line a row, for schemas.py: name, domains, shape
 * operands, then words for what the row states. */
#include "model/ops/rule.h"

#include <stdio.h>

int main(void)
{
    uint32_t n;
    const struct fsd_op *ops = fsd_ops(&n);

    for (uint32_t i = 0; i < n; i++) {
        const struct fsd_op *op = &ops[i];

        printf("%s %u %u", op->name, op->domains ? op->domains : FSD_DOMAIN_ONNX,
               op->shape_operands);
        printf("%s%s%s%s%s%s%s\n", op->type ? " type" : "", op->types ? " types" : "",
               op->shape ? " shape" : "",
               op->traits & FSD_OP_CONTROL    ? " control"
               : op->traits & FSD_OP_LISTS    ? " lists"
               : op->traits & FSD_OP_CONSTANT ? " constant"
               : op->traits & FSD_OP_RANDOM   ? " random"
                                              : "",
               op->traits & FSD_OP_OUTPUTS ? " outputs" : "",
               op->traits & FSD_OP_SYMMETRIC ? " symmetric" : "",
               op->traits & FSD_OP_BARE ? " bare" : "");
    }
    return 0;
}
