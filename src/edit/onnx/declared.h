/* Declares a tensor of a run's model, as an entry for the lists of inputs and
 * outputs. */
#pragma once

#include "edit/run.h"
#include "model/onnx/edits.h"

/** The declaration of a tensor. Sizes that the model leaves open come from the engine.
 *  If the field `type` of the result is 0, the type is unknown, and the tensor cannot
 *  be declared. The texts and sizes of the result are in the arena. */
struct fsd_onnx_info fsd_tensor_info(struct fsd_arena *arena, const struct fsd_diff *d,
                                     fsd_id tensor);
