/* The model's tensor inside a tensor name that the engine has added to. */
#ifndef FSD_TRT_TENSOR_NAME_H
#define FSD_TRT_TENSOR_NAME_H

#include "model/vocab.h"

/** Sets `alias` of every tensor whose name is not the model's but becomes it when
 *  " [profile N]" is taken off its end (TensorRT 10.16, engines with several profiles).
 *
 *  Names that Myelin made ("relu_2.1_myl4") are no aliases although they look like it:
 * in corpus/inspector-text-trt10.16 the input of the first matrix product, [-1,3136],
 * is named Activation3_output.1_4_myl6 after an activation of [-1,1024]. */
void fsd_trt_tensor_aliases(struct fsd_graph *g, const struct fsd_vocab *vocab);

#endif
