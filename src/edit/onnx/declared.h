/* The declaration of a tensor of a run's model in a list of inputs or outputs. */
#pragma once

#include "edit/run.h"
#include "model/onnx/edits.h"

/** ONNX's number of an element type; 0: unknown. */
int fsd_onnx_number_of(enum fsd_dtype type);

/** The declaration of a tensor; sizes that the model leaves open are the engine's.  Its
 *  pointers refer to the arena.  If `type` is 0, the type is unknown and the tensor
 *  cannot be declared. */
struct fsd_onnx_info fsd_tensor_info(struct fsd_arena *arena, const struct fsd_diff *d,
                                     fsd_id tensor);
