/* The model's tensor inside a tensor name that the engine has added to. */
#ifndef FSD_TRT_TENSOR_NAME_H
#define FSD_TRT_TENSOR_NAME_H

#include "model/vocab.h"

/** Sets `alias` of every tensor whose name is not the model's but becomes it when what
 *  Myelin and profiles append is taken off: "relu_2.1_myl4", "/Add_output_0'.1_74",
 *  "x [profile 1]" (TensorRT 10.x).  Where two readings both exist, none is taken. */
void fsd_trt_tensor_aliases(struct fsd_graph *g, const struct fsd_vocab *vocab);

#endif
