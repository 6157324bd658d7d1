/*
 * Ways to split a kernel: options of the builder, and edits of the model at a tensor
 * inside the kernel. To add one, add a row for each kind of kernel on which it was
 * measured.
 *
 * Measured on TensorRT for RTX 1.7.1 without a GPU: switches on 9 to 19 models, each
 * edit on 60 kernels of 26 models.  "Split" means that several kernels then compute the
 * kernel's nodes; "nothing else" means that all other kernels are unchanged.
 */
#include "judge/lint/splits.h"
#include "base/base.h"
#include "judge/lint/lint.h"
#include "model/ops/ids.h"

#include <string.h>

#define SWITCH(word) "build with " word " in __LUNOWUD"
#define MARK         "mark a tensor inside it as an output"
#define IF           "pass a tensor inside it through an If of two equal branches"
#define CASTS        "cast a tensor inside it to FP16 and back"
#define PAIR         "add a Q/DQ pair inside it"
#define ROUNDS       "; rounds the tensor"
#define PROOF        "; changes values: a proof, no cure"

static const struct fsd_split_way ways[] = {
    {SWITCH("-peep:fc_h_fusion=off"), FSD_SPLIT_HORIZONTAL, false, "split 32 of 32",
     "all such kernels are split, and what follows the products joins them; nothing "
     "else"},
    {SWITCH("-copy_ppg=off"), FSD_SPLIT_ATTENTION, false, "in 3 of 5 models",
     "Concats in place and INT8 epilogues change, too, in 11 of 19 models"},
    {SWITCH("-reshape_ppg=off"), FSD_SPLIT_EPILOGUE, false, "split 13 of 178",
     "which ones is not known"},
    {MARK, FSD_SPLIT_ATTENTION, false, "split 4 of 4",
     "one more output; nothing else in 4"},
    {MARK, FSD_SPLIT_EPILOGUE, false, "split 9 of 14",
     "one more output; nothing else in 8; in INT8 and FP8 it split 1 of 21"},
    {MARK, FSD_SPLIT_CHAIN, false, "split 8 of 31",
     "one more output; nothing else in 3"},
    {IF, FSD_SPLIT_ATTENTION, false, "split 4 of 4", "nothing else in 3"},
    {IF, FSD_SPLIT_HORIZONTAL, false, "split 10 of 11",
     "nothing else in 3; the builder refused 1"},
    {IF, FSD_SPLIT_EPILOGUE, false, "split 14 of 14", "nothing else in 9"},
    {IF, FSD_SPLIT_CHAIN, false, "split 30 of 31",
     "nothing else in 16; the builder refused 1"},
    {CASTS, FSD_SPLIT_ATTENTION, true, "split 2 of 4", "nothing else in 2" ROUNDS},
    {CASTS, FSD_SPLIT_HORIZONTAL, true, "split 6 of 11", "nothing else in 1" ROUNDS},
    {CASTS, FSD_SPLIT_EPILOGUE, true, "split 8 of 14", "nothing else in 7" ROUNDS},
    {CASTS, FSD_SPLIT_CHAIN, true, "split 21 of 31", "nothing else in 21" ROUNDS},
    {PAIR, FSD_SPLIT_ATTENTION, false, "split 4 of 4", "nothing else in 4" PROOF},
    {PAIR, FSD_SPLIT_HORIZONTAL, false, "split 10 of 10", "nothing else in 1" PROOF},
    {PAIR, FSD_SPLIT_EPILOGUE, false, "split 12 of 12", "nothing else in 10" PROOF},
    {PAIR, FSD_SPLIT_CHAIN, false, "split 31 of 31", "nothing else in 28" PROOF},
};

/* The kind of the layer's nodes; 0 for a single node, or if unknown. */
static unsigned kind_of(const struct fsd_diff *d, fsd_id layer)
{
    uint32_t products = 0, softmaxes = 0, n = d->match->of_layer[layer].n;

    if (n < 2 || d->layers[layer].opaque)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        fsd_id node = fsd_match_of_layer(d->match, layer, i)->node;

        products += (d->facts->traits[node] & FSD_OP_WEIGHTED) != 0;
        softmaxes += fsd_node_is(d->model, node, FSD_ONNX_Softmax);
    }
    return products >= 2 && softmaxes ? FSD_SPLIT_ATTENTION
           : products >= 2            ? FSD_SPLIT_HORIZONTAL
           : products                 ? FSD_SPLIT_EPILOGUE
                                      : FSD_SPLIT_CHAIN;
}

const struct fsd_split_way *fsd_split_way_at(const struct fsd_diff *d, fsd_id layer,
                                             uint32_t i)
{
    unsigned kind = fsd_graph_is_rtx(d->engine) ? kind_of(d, layer) : 0;

    for (uint32_t k = 0; k < FSD_COUNT_OF(ways); k++)
        if (ways[k].of & kind &&
            (!ways[k].fp32 || d->layers[layer].precision == FSD_FP32) && !i--)
            return &ways[k];
    return NULL;
}
