/*
 * Reads the operations of a kernel from its name.  Myelin names a kernel after its
 * operations, in order, each abbreviated:
 *
 *     __myl_FcAddDivErfAddMulMul_myl0_18     MatMul Add Div Erf Add Mul Mul
 *     __myl_MeanSubMulMeanAddSqrtDivMul...   a LayerNormalization begins like this
 *     __myl_IotaCastSlicReshReplEtc_myl0_29  "Etc" stands for the rest
 *
 * Kernels from a library have the name of a node instead; the type of the layer shows
 * their operation.
 */
#include "model/ops/ids.h"
#include "read/trt/trt.h"
#include "model/graph/graph.h"
#include "base/base.h"

#include <stdlib.h>

struct word_steps {
    const char *word;
    fsd_sym steps[7]; /* up to the first 0 */
};

/* The abbreviations, sorted.  If a word has no row here, it stands for the operator
 * whose name begins with the word ("Add", "Relu", "Mul"). */
static const struct word_steps words[] = {
    {"Asin", {FSD_ONNX_Asin}},
    {"Bott", {FSD_ONNX_TopK}},
    {"Ceil", {FSD_ONNX_Ceil}},
    {"Conc", {FSD_ONNX_Concat}},
    {"Corr", {FSD_ONNX_Conv}},
    {"Cums", {FSD_ONNX_CumSum}},
    {"Deco", {FSD_ONNX_ConvTranspose}},
    {"Dyna", {FSD_ONNX_DynamicQuantizeLinear}},
    {"Eql", {FSD_ONNX_Equal}},
    {"Fc", {FSD_ONNX_MatMul}},
    {"Floo", {FSD_ONNX_Floor}},
    {"Gath", {FSD_ONNX_Gather}},
    {"Gnor", {FSD_ONNX_InstanceNormalization, FSD_ONNX_Mul, FSD_ONNX_Add}},
    {"Grid", {FSD_ONNX_GridSample}},
    {"Gtr", {FSD_ONNX_Greater}},
    {"Inor", {FSD_ONNX_InstanceNormalization}},
    {"Iota", {FSD_ONNX_Range}},
    {"Isin", {FSD_ONNX_IsInf}},
    {"Isna", {FSD_ONNX_IsNaN}},
    {"Lt", {FSD_ONNX_Less}},
    {"Maxr", {FSD_ONNX_ReduceMax}},
    {"Mean", {FSD_ONNX_ReduceMean}},
    {"Minr", {FSD_ONNX_ReduceMin}},
    {"Neq", {FSD_ONNX_NotEqual}},
    {"One", {FSD_ONNX_OneHot}},
    {"Prod", {FSD_ONNX_ReduceProd}},
    {"Repl", {FSD_ONNX_Expand}},
    {"Resh", {FSD_ONNX_Reshape}},
    {"Resi", {FSD_ONNX_Resize}},
    {"Reve", {FSD_ONNX_ReverseSequence}},
    {"Roun", {FSD_ONNX_Round}},
    {"Scat", {FSD_ONNX_ScatterND}},
    {"Sele", {FSD_ONNX_Where}},
    {"Sigm", {FSD_ONNX_Sigmoid}},
    {"Silu", {FSD_ONNX_Sigmoid, FSD_ONNX_Mul}},
    {"Slic", {FSD_ONNX_Slice}},
    {"Sum", {FSD_ONNX_ReduceSum}},
    {"Topk", {FSD_ONNX_TopK}},
    {"Tran", {FSD_ONNX_Transpose}},
};

static void add_step(struct fsd_graph *g, struct fsd_layer *layer, fsd_sym step)
{
    fsd_vec_push(g->arena, &g->links, step);
    layer->steps.n++;
}

static void add_steps(struct fsd_graph *g, struct fsd_layer *layer,
                      const struct word_steps *word)
{
    for (size_t i = 0; i < FSD_COUNT_OF(word->steps) && word->steps[i]; i++)
        add_step(g, layer, word->steps[i]);
}

/* Moves the step with the index `before`, and all steps after it, to the front.  They
 * are the steps of a group normalization.  The name of a kernel lists them last, but
 * the kernel runs them before the activation. */
static void put_first(struct fsd_graph *g, const struct fsd_layer *layer,
                      uint32_t before)
{
    fsd_id *steps = g->links.at + layer->steps.at;

    for (uint32_t i = before; i < layer->steps.n; i++) {
        fsd_id step = steps[i];

        memmove(steps + i - before + 1, steps + i - before, before * sizeof *steps);
        steps[i - before] = step;
    }
}

static void read_words(struct fsd_graph *g, struct fsd_layer *layer, const char *name)
{
    while (*name >= 'A' && *name <= 'Z') {
        const struct word_steps *row;
        char word[16];
        size_t n = 1;
        uint32_t before = layer->steps.n;

        while ((name[n] >= 'a' && name[n] <= 'z') || (name[n] >= '0' && name[n] <= '9'))
            n++;
        if (n >= sizeof word)
            break;
        memcpy(word, name, n);
        word[n] = '\0';
        name += n;
        row = bsearch(word, words, FSD_COUNT_OF(words), sizeof *words, fsd_by_name);
        if (!strcmp(word, "Etc"))
            layer->more_steps = FSD_STEPS_LACK_SOME;
        else if (row)
            add_steps(g, layer, row);
        else
            add_step(g, layer, fsd_intern_str(g->names, word));
        if (!strcmp(word, "Gnor"))
            put_first(g, layer, before);
    }
}

/* Reads a kernel of several matrix products, "a/MatMul+b/MatMul": one product per name.
 * In "a/MatMul+__mye47+__mye35", it is unknown whether the last two names are further
 * products or parts of one product, and in which order they run. */
static void read_products(struct fsd_graph *g, struct fsd_layer *layer)
{
    uint32_t n = 0;
    bool own = false;

    FSD_EACH_IN (const struct fsd_mention, m, g->mentions, layer->mentions) {
        n += m->by == FSD_BY_NAME && m->role == FSD_MENTION_COMPUTES;
        own |= m->role == FSD_MENTION_HELPER;
    }
    if (n && own)
        return;
    do
        add_step(g, layer, FSD_ONNX_MatMul);
    while (n-- > 1);
}

/* Returns what is known of the factor by which a library kernel scales its matrix
 * product.  A constant such as "__mye7fc_alpha_myl0" means the default factor, 1.  If
 * all constants have other names, one of them is the factor, because Myelin fused a
 * scaling of the product into the kernel. */
static enum fsd_factor factor_of(const struct fsd_graph *g,
                                 const struct fsd_layer *layer)
{
    FSD_EACH_OF (t, g->ports, layer->constants, tensor)
        if (t != FSD_NONE &&
            strstr(fsd_text(g->names, g->tensors.at[t].name), "_alpha_myl"))
            return FSD_FACTOR_ONE;
    return layer->constants.n ? FSD_FACTOR_GIVEN : FSD_FACTOR_NOT_TOLD;
}

/* Whether the kernel applies operations that its name does not show.  A kernel
 * such as "__myl_Fc_myl0_34" hides an addition if it has a second constant, a bias. */
static bool hides_steps(const struct fsd_layer *layer)
{
    return layer->multiplies && layer->steps.n == 1 && layer->constants.n > 1;
}

static void read_kernel(struct fsd_graph *g, const struct fsd_node *node,
                        struct fsd_layer *layer)
{
    static const struct word_steps types[] = {{"correlation", {FSD_ONNX_Conv}},
                                              {"deconv", {FSD_ONNX_ConvTranspose}},
                                              {"maxpool", {FSD_ONNX_MaxPool}},
                                              {"avgpool", {FSD_ONNX_AveragePool}}};
    /* The steps of every attention kernel.  If the network scales or masks, the kernel
     * has further steps. */
    static const struct word_steps attention = {
        "mha",
        {FSD_ONNX_MatMul, FSD_ONNX_ReduceMax, FSD_ONNX_Sub, FSD_ONNX_Exp,
         FSD_ONNX_ReduceSum, FSD_ONNX_Div, FSD_ONNX_MatMul}};
    struct fsd_slice name = fsd_slice_of(fsd_text(g->names, node->name));
    const char *type = fsd_text(g->names, node->op);

    layer->steps = (struct fsd_span){g->links.n, 0};
    if (fsd_slice_take(&name, "__myl_")) {
        read_words(g, layer, name.s);
    } else if (fsd_slice_begins(name, "_gemm_mha") ||
               fsd_slice_begins(name, "_gemv_mha")) {
        add_steps(g, layer, &attention);
        layer->more_steps = FSD_STEPS_LACK_SOME;
    } else if (!strcmp(type, "gemm")) {
        read_products(g, layer);
        layer->more_steps = FSD_STEPS_GO_ON;
        layer->factor = (uint8_t)factor_of(g, layer);
    }
    for (size_t i = 0; !layer->steps.n && i < FSD_COUNT_OF(types); i++)
        if (!strcmp(types[i].word, type)) {
            add_steps(g, layer, &types[i]);
            layer->more_steps = FSD_STEPS_GO_ON;
        }
}

/* Whether the kernel only moves data.  This function does not decide which nodes of the
 * model the kernel computes; match/ does.
 */
static bool only_moves(const struct fsd_graph *g, const struct fsd_layer *l)
{
    uint32_t n = 0, repeats = 0;

    FSD_EACH_ID (step, g->links, l->steps) {
        repeats += step == FSD_ONNX_Expand;
        n += fsd_step_moves(step) && step != FSD_ONNX_Expand && step != FSD_ONNX_Gather;
    }
    /* If all steps are Expand, the kernel copies the operand of a matrix product for
     * each element of a batch, so it only moves data.  A kernel with Expand and Concat
     * fills the border of a Pad, which is more than a move. */
    return l->steps.n && (n == l->steps.n || repeats == l->steps.n) &&
           l->more_steps == FSD_STEPS_ARE_ALL;
}

void fsd_trt_kernel(struct fsd_graph *g, const struct fsd_node *node,
                    struct fsd_layer *layer)
{
    if (layer->provider != FSD_PROVIDER_COMPILER)
        return;
    read_kernel(g, node, layer);
    FSD_EACH_ID (step, g->links, layer->steps)
        layer->multiplies |= step == FSD_ONNX_Conv || step == FSD_ONNX_MatMul ||
                             step == FSD_ONNX_ConvTranspose;
    if (hides_steps(layer) && layer->more_steps == FSD_STEPS_ARE_ALL)
        layer->more_steps = FSD_STEPS_GO_ON;
    if (layer->kind == FSD_KIND_COMPUTE && only_moves(g, layer))
        layer->kind = fsd_kind_of_move(g, node);
}
