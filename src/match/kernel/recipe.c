/*
 * What an operator is lowered to in generated kernels, as one table: each row is a
 * sequence of operations that a builder's kernels were seen to perform for the
 * operator, in the kernels' own order.  An operator has several rows, since a builder
 * chooses by shape and type; a sequence that is the beginning of another has a row too,
 * because its rest may have been folded into constants.  The table is expanded once a
 * model, by symbol, so that the replay compares numbers, not strings.
 */
#include "match/kernel/recipe.h"

#include <string.h>

/* Ways beside the operator itself.  Where one is the beginning of another, both are
 * there: the rest was folded into constants. */
static const struct {
    const char *op, *steps;
} ways[] = {
    {"Add", "Sub"},
    {"Attention", "MatMul ReduceMax Sub Exp ReduceSum Div MatMul"},
    {"AveragePool", "ReduceMean"},
    {"AveragePool", "ReduceSum Mul"},
    {"BatchNormalization", "Mul Add"},
    {"BatchNormalization", "Add"},
    {"BatchNormalization", "Add Mul Mul Add"}, /* behind what is no product */
    {"Clip", "Max Min"},
    {"Clip", "Min Max"},
    {"Clip", "Max"},
    {"Clip", "Min"},
    {"ConstantOfShape", "Expand"},
    {"Conv", "Conv Add"},
    {"Conv", "Conv Mul Add"}, /* of integers: brought to floats, and the bias */
    {"Conv", "Conv Mul"},
    {"Conv", "MatMul Add"}, /* without a window */
    {"Conv", "MatMul"},
    {"Conv", "Mul Mul Add"}, /* along an axis of two, three, four, taken apart */
    {"Conv", "Slice Slice Mul Mul Add"},
    {"Conv", "Mul Mul Mul Add Add"},
    {"Conv", "Slice Slice Slice Mul Mul Mul Add Add"},
    {"Conv", "Mul Mul Mul Mul Add Add Add"},
    {"Conv", "Slice Slice Slice Slice Mul Mul Mul Mul Add Add Add"},
    {"DepthToSpace", "Transpose"},
    {"DequantizeLinear", "Cast Mul"},
    {"Div", "Mul"},
    {"Div", "Div Mul"},
    {"Erf", "Erf"},
    {"Gather", "Slice"},
    {"GatherElements", "Gather"},
    {"GatherND", "Gather"},
    {"Gelu", "Mul Erf Add Mul Mul"},
    {"Gelu", "Div Erf Add Mul Mul"},
    {"Gemm", "MatMul Add"},
    {"Gemm", "MatMul Mul Add"}, /* likewise */
    {"Gemm", "MatMul Mul"},
    {"Gemm", "MatMul"},
    {"Gemm", "Mul ReduceSum Add"},
    {"Gemm", "Mul ReduceSum"},
    {"Gemm", "Mul Mul Add"},
    {"Gemm", "Slice Slice Mul Mul Add"},
    {"Gemm", "Mul Mul Mul Add Add"},
    {"Gemm", "Slice Slice Slice Mul Mul Mul Add Add"},
    {"Gemm", "Mul Mul Mul Mul Add Add Add"},
    {"Gemm", "Slice Slice Slice Slice Mul Mul Mul Mul Add Add Add"},
    {"GlobalAveragePool", "ReduceMean"},
    {"GlobalAveragePool", "AveragePool"},
    {"GlobalMaxPool", "ReduceMax"},
    {"GlobalMaxPool", "MaxPool"},
    {"GreaterOrEqual", "Less Not"},
    {"GroupNormalization", "InstanceNormalization Mul Add"},
    {"InstanceNormalization", "ReduceMean Sub Mul ReduceMean Add Sqrt Div Mul Mul Add"},
    {"InstanceNormalization", "ReduceMean Sub Mul ReduceMean Add Sqrt Div Mul Add"},
    {"InstanceNormalization", "ReduceMean Sub Mul ReduceMean Add Sqrt Div Mul"},
    {"HardSigmoid", "Mul Add Max Min"},
    {"HardSigmoid", "Mul Add Min Max"},
    {"HardSwish", "Mul Add Max Min Mul"},
    {"HardSwish", "Mul Add Min Max Mul"},
    {"LayerNormalization", "ReduceMean Sub Mul ReduceMean Add Sqrt Div Mul Mul Add"},
    {"LayerNormalization", "ReduceMean Sub Mul ReduceMean Add Sqrt Div Mul Mul"},
    {"LayerNormalization", "ReduceMean Sub Mul ReduceMean Add Sqrt Div Mul"},
    {"LeakyRelu", "Mul Less Where"},
    {"LeakyRelu", "Mul Max"},
    {"LessOrEqual", "Greater Not"},
    {"LogSoftmax", "ReduceMax Sub Exp ReduceSum Log Sub"},
    {"LogSoftmax", "ReduceMax Sub Exp ReduceSum Div Mul Log"},
    {"MatMul", "Cast Mul Cast MatMul"},        /* of weights kept narrow, */
    {"MatMul", "Expand Cast Mul Cast MatMul"}, /* a scale a block */
    {"MatMul", "Mul ReduceSum"},
    {"MatMul", "Mul Mul Add"},
    {"MatMul", "Slice Slice Mul Mul Add"},
    {"MatMul", "Mul Mul Mul Add Add"},
    {"MatMul", "Slice Slice Slice Mul Mul Mul Add Add"},
    {"MatMul", "Mul Mul Mul Mul Add Add Add"},
    {"MatMul", "Slice Slice Slice Slice Mul Mul Mul Mul Add Add Add"},
    {"MatMul", "MatMul Mul"}, /* likewise */
    {"Mean", "Add Mul"},
    {"Mean", "Add Div"},
    {"Mul", "Div"},
    {"PRelu", "Mul Less Where"},
    {"Pow", "Mul"},
    {"Pow", "Mul Mul"},
    {"Pow", "Sqrt"},
    {"QuantizeLinear", "Mul Min Max Round"},
    {"QuantizeLinear", "Mul Round Min Max"},
    {"QuantizeLinear", "Div Min Max Round"},
    {"QuantizeLinear", "Min Max Round"},
    {"QuantizeLinear", "Mul Cast"}, /* to FP8, which rounds and saturates itself */
    {"RMSNormalization", "Mul ReduceMean Add Sqrt Div Mul Mul"},
    {"RMSNormalization", "Mul ReduceMean Add Sqrt Div Mul"},
    {"Reciprocal", "Div"},
    {"ReduceL1", "Abs ReduceSum"},
    {"ReduceL2", "Mul ReduceSum Sqrt"},
    {"ReduceLogSum", "ReduceSum Log"},
    {"ReduceLogSumExp", "ReduceMax Sub Exp ReduceSum Log Add"},
    {"ReduceMax", "Slice Slice Max"}, /* along an axis of two, */
    {"ReduceMean", "Slice Slice Add Mul"},
    {"ReduceSum", "Slice Slice Add"},
    {"ReduceSumSquare", "Mul ReduceSum"},
    {"Relu", "Max"},
    {"ScatterElements", "ScatterND"},
    {"SimplifiedLayerNormalization", "Mul ReduceMean Add Sqrt Div Mul Mul"},
    {"Softmax", "ReduceMax Sub Exp ReduceSum Div Mul"},
    {"Softmax", "ReduceMax Sub Exp ReduceSum Div"},
    {"Softmax", "Slice Slice Max Sub Exp Slice Slice Add Div Mul"}, /* likewise */
    {"Softmax", "Slice Slice Max Sub Exp Slice Slice Add Div"},
    {"SpaceToDepth", "Transpose"},
    {"Split", "Slice"},
    {"Sum", "Add"},
    {"TRT_FP4DynamicQuantize", "DynamicQuantizeLinear"},
    {"TRT_MXFP8DequantizeLinear", "Cast Expand Cast Mul Cast"},
    {"TRT_MXFP8DynamicQuantize", "DynamicQuantizeLinear"},
    {"Tile", "Expand"},
};

/* "A B C" behind `op`. */
static void add(struct fsd_recipes *r, const struct fsd_graph *g,
                struct fsd_arena *arena, fsd_sym op, const char *steps)
{
    struct fsd_recipe recipe = {.n = 0};

    while (*steps && recipe.n < FSD_RECIPE_STEPS) {
        size_t n = strcspn(steps, " ");

        recipe.steps[recipe.n++] = fsd_intern_add(g->names, steps, n);
        steps += n + (steps[n] == ' ');
    }
    if (!r->of_op[op].n)
        r->of_op[op].at = r->all.n;
    r->of_op[op].n++;
    fsd_vec_push(arena, &r->all, recipe);
}

static void add_op(struct fsd_recipes *r, const struct fsd_graph *g,
                   struct fsd_arena *arena, fsd_sym op, bool view)
{
    const char *name = fsd_text(g->names, op);

    if (view && strcmp(name, "Reshape") != 0)
        add(r, g, arena, op, "Reshape");
    add(r, g, arena, op, name);
    for (size_t i = 0; i < FSD_COUNT_OF(ways); i++)
        if (!strcmp(ways[i].op, name))
            add(r, g, arena, op, ways[i].steps);
}

struct fsd_recipes *fsd_recipes_new(struct fsd_arena *arena,
                                    const struct fsd_facts *facts)
{
    const struct fsd_graph *g = facts->g;
    struct fsd_recipes *r = FSD_NEW(arena, struct fsd_recipes, 1);
    fsd_sym most = 0;

    for (fsd_id i = 0; i < g->nodes.n; i++)
        most = g->nodes.at[i].op > most ? g->nodes.at[i].op : most;
    r->of_op = FSD_NEW(arena, struct fsd_span, most + 1);
    r->of = FSD_NEW(arena, struct fsd_span, g->nodes.n);
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        fsd_sym op = g->nodes.at[i].op;

        if (!r->of_op[op].n)
            add_op(r, g, arena, op, facts->traits[i] & FSD_OP_VIEW);
        r->of[i] = r->of_op[op];
    }
    return r;
}
