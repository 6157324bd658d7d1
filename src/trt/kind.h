/* What TensorRT's words for a layer say in everybody's. */
#ifndef FSD_TRT_KIND_H
#define FSD_TRT_KIND_H

#include "model/graph.h"

/** Why a Reformat is there, in the dump's word; others say nothing of its kind. */
enum fsd_trt_origin {
    FSD_TRT_ORIGIN_NONE,
    FSD_TRT_ORIGIN_REFORMAT,
    FSD_TRT_ORIGIN_SLICE,
    FSD_TRT_ORIGIN_QDQ,
    FSD_TRT_ORIGIN_IDENTITY
};

/** Fills the facts that follow from the layer's type (`node->op`), its origin, its
 *  tactic's name, and from what its name has made of `form` and `provider`. */
void fsd_trt_facts(const struct fsd_intern *names, const struct fsd_node *node,
                   enum fsd_trt_origin origin, struct fsd_layer *layer);

#endif
