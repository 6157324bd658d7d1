/* How a tensor of a run's model is declared in a list of inputs or outputs. */
#ifndef FSD_OUT_DECLARED_H
#define FSD_OUT_DECLARED_H

#include "edit/run.h"
#include "model/onnx/edits.h"

/** ONNX's number of an element type; 0: unknown. */
int fsd_onnx_number_of(enum fsd_dtype type);

/** A tensor as it is declared: its sizes are the engine's where the model leaves them
 *  open.  What it points to lives in the arena; a `type` of 0 is unknown, and cannot be
 *  declared. */
struct fsd_onnx_info fsd_tensor_info(struct fsd_arena *arena, const struct fsd_diff *d,
                                     fsd_id tensor);

#endif
