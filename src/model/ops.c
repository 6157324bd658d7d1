#include "model/ops.h"

#include <stdlib.h>
#include <string.h>

struct row {
    const char *op;
    unsigned traits;
};

/* Sorted by name.  Which operators a Q or DQ may cross: domain knowledge from
 * TensorRT's Q/DQ propagation ("Swapping MaxPool_12 with QuantizeLinear_15", 8.4). */
static const struct row rows[] = {
    {"Bernoulli", FSD_OP_RANDOM},
    {"Concat", FSD_OP_COMMUTES},
    {"Constant", FSD_OP_CONSTANT},
    {"Conv", FSD_OP_WEIGHTED},
    {"ConvTranspose", FSD_OP_WEIGHTED},
    {"DepthToSpace", FSD_OP_COMMUTES},
    {"DequantizeLinear", FSD_OP_DEQUANTIZE},
    {"Expand", FSD_OP_COMMUTES},
    {"Flatten", FSD_OP_VIEW | FSD_OP_COMMUTES},
    {"Gather", FSD_OP_COMMUTES},
    {"Gemm", FSD_OP_WEIGHTED},
    {"Identity", FSD_OP_COMMUTES},
    {"If", FSD_OP_CONTROL},
    {"Loop", FSD_OP_CONTROL},
    {"MatMul", FSD_OP_WEIGHTED},
    {"MaxPool", FSD_OP_COMMUTES},
    {"Multinomial", FSD_OP_RANDOM},
    {"QuantizeLinear", FSD_OP_QUANTIZE},
    {"RandomNormal", FSD_OP_RANDOM},
    {"RandomNormalLike", FSD_OP_RANDOM},
    {"RandomUniform", FSD_OP_RANDOM},
    {"RandomUniformLike", FSD_OP_RANDOM},
    {"Reshape", FSD_OP_VIEW | FSD_OP_COMMUTES},
    {"Scan", FSD_OP_CONTROL},
    {"SequenceMap", FSD_OP_CONTROL},
    {"Shape", FSD_OP_SHAPE},
    {"Size", FSD_OP_SHAPE},
    {"Slice", FSD_OP_COMMUTES},
    {"SpaceToDepth", FSD_OP_COMMUTES},
    {"Split", FSD_OP_COMMUTES},
    {"Squeeze", FSD_OP_VIEW | FSD_OP_COMMUTES},
    {"TRT_FP8DequantizeLinear", FSD_OP_DEQUANTIZE},
    {"TRT_FP8QuantizeLinear", FSD_OP_QUANTIZE},
    {"TRT_INT4DequantizeLinear", FSD_OP_DEQUANTIZE},
    {"TRT_INT4QuantizeLinear", FSD_OP_QUANTIZE},
    {"Tile", FSD_OP_COMMUTES},
    {"Transpose", FSD_OP_COMMUTES},
    {"Unsqueeze", FSD_OP_VIEW | FSD_OP_COMMUTES},
};

static int by_op(const void *key, const void *row)
{
    return strcmp(key, ((const struct row *)row)->op);
}

/* Quantizers live in other domains too: com.microsoft's take more types, trt's are
 * what ModelOpt writes for FP8 and INT4. */
static bool domain_is_known(const struct fsd_graph *g, fsd_sym domain, unsigned traits)
{
    const char *text = fsd_text(g->names, domain);

    if (!*text || !strcmp(text, "ai.onnx"))
        return true;
    return (traits & FSD_OP_QDQ) &&
           (!strcmp(text, "com.microsoft") || !strcmp(text, "trt"));
}

unsigned fsd_op_traits(const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_node *n = &g->nodes.at[node];
    const struct row *row = bsearch(fsd_text(g->names, n->op), rows, FSD_COUNT_OF(rows),
                                    sizeof *rows, by_op);
    unsigned traits = row ? row->traits : 0;

    if ((n->flags & FSD_NODE_CALL) || !domain_is_known(g, n->domain, traits))
        return 0;
    return traits | FSD_OP_STANDARD;
}
