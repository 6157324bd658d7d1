/* Tensors with a new type: declarations, and initializers whose FP32 numbers are
 * written in 16 bits each.  Only src/edit/onnx includes this. */
#pragma once

#include "edit/onnx/pieces.h"

/** Writes the ValueInfoProto with a new element type, given by ONNX's number. */
void fsd_types_declare(struct fsd_arena *arena, struct fsd_slice info, int type,
                       struct fsd_pieces *to);

/** Writes an FP32 TensorProto with type FSD_ONNX_FLOAT16 or FSD_ONNX_BFLOAT16. */
void fsd_types_narrow(struct fsd_arena *arena, struct fsd_slice tensor, int type,
                      struct fsd_pieces *to);
