/*
 * Lists the ways to split a kernel: options of the builder, and edits of the model at a
 * tensor inside the kernel. To add a way, add a row for each kind of kernel for which
 * it was measured.
 *
 * All ways were measured with TensorRT for RTX 1.7.1 without a GPU: each option on 9 to
 * 19 models, and the edits on 60 kernels of 26 models. A kernel counts as split if
 * several kernels compute its nodes afterwards.
 */
#include "judge/lint/splits.h"
#include "base/base.h"
#include "model/graph/graph.h"
#include "model/ops/ids.h"

#define SWITCH(word) "build with " word " in __LUNOWUD"
#define MARK         "mark a tensor inside the kernel as an output"
#define IF           "pass a tensor inside the kernel through an If with equal branches"
#define CASTS        "cast a tensor inside the kernel to FP16 and back"
#define PAIR         "add a Q/DQ pair inside the kernel"
#define ROUNDS       "; the casts round the values of the tensor"
#define PROOF        "; the pair changes values: use it to find a cause, not as a fix"

static const struct fsd_split_way ways[] = {
    {SWITCH("-peep:fc_h_fusion=off"), FSD_SPLIT_HORIZONTAL, false,
     "32 of 32 kernels were split",
     "then, each matrix product has a kernel of its own, which also computes the "
     "operators after the product; no other kernel changed"},
    {SWITCH("-copy_ppg=off"), FSD_SPLIT_ATTENTION, false,
     "attention kernels were split in 3 of 5 models",
     "in 11 of 19 models, the option also changed in-place Concats and INT8 epilogues"},
    {SWITCH("-reshape_ppg=off"), FSD_SPLIT_EPILOGUE, false,
     "13 of 178 kernels were split", "it is unknown which kernels the option splits"},
    {MARK, FSD_SPLIT_ATTENTION, false, "4 of 4 kernels were split",
     "no other kernel changed; the mark adds a network output"},
    {MARK, FSD_SPLIT_EPILOGUE, false, "9 of 14 kernels were split",
     "in 8 of these 9 cases, no other kernel changed; of 21 other kernels, in INT8 or "
     "FP8, only 1 was split; the mark adds a network output"},
    {MARK, FSD_SPLIT_CHAIN, false, "8 of 31 kernels were split",
     "in 3 of these 8 cases, no other kernel changed; the mark adds a network output"},
    {IF, FSD_SPLIT_ATTENTION, false, "4 of 4 kernels were split",
     "in 3 of these 4 cases, no other kernel changed"},
    {IF, FSD_SPLIT_HORIZONTAL, false, "10 of 11 kernels were split",
     "in 3 of these 10 cases, no other kernel changed; the builder rejected 1 of the "
     "edited models"},
    {IF, FSD_SPLIT_EPILOGUE, false, "14 of 14 kernels were split",
     "in 9 of these 14 cases, no other kernel changed"},
    {IF, FSD_SPLIT_CHAIN, false, "30 of 31 kernels were split",
     "in 16 of these 30 cases, no other kernel changed; the builder rejected 1 of the "
     "edited models"},
    {CASTS, FSD_SPLIT_ATTENTION, true, "2 of 4 kernels were split",
     "no other kernel changed" ROUNDS},
    {CASTS, FSD_SPLIT_HORIZONTAL, true, "6 of 11 kernels were split",
     "in 1 of these 6 cases, no other kernel changed" ROUNDS},
    {CASTS, FSD_SPLIT_EPILOGUE, true, "8 of 14 kernels were split",
     "in 7 of these 8 cases, no other kernel changed" ROUNDS},
    {CASTS, FSD_SPLIT_CHAIN, true, "21 of 31 kernels were split",
     "no other kernel changed" ROUNDS},
    {PAIR, FSD_SPLIT_ATTENTION, false, "4 of 4 kernels were split",
     "no other kernel changed" PROOF},
    {PAIR, FSD_SPLIT_HORIZONTAL, false, "10 of 10 kernels were split",
     "in 1 of these 10 cases, no other kernel changed" PROOF},
    {PAIR, FSD_SPLIT_EPILOGUE, false, "12 of 12 kernels were split",
     "in 10 of these 12 cases, no other kernel changed" PROOF},
    {PAIR, FSD_SPLIT_CHAIN, false, "31 of 31 kernels were split",
     "in 28 of these 31 cases, no other kernel changed" PROOF},
};

/* The kind of kernel that the layer is (enum fsd_split_of); 0 if it has a single node,
 * or if its nodes are unknown. */
static unsigned kind_of(const struct fsd_diff *d, fsd_id layer)
{
    uint32_t products = 0, softmaxes = 0;

    if (d->match->of_layer[layer].n < 2 || d->layers[layer].opaque)
        return 0;
    FSD_EACH_OF (node, d->match->links, d->match->of_layer[layer], node) {
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
