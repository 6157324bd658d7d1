/* Writes tensors with a new type: declarations, and initializers whose FP32 numbers
 * become 16-bit numbers. Only src/edit/onnx includes this. */
#pragma once

#include "edit/onnx/pieces.h"

/** Writes the ValueInfoProto with a new element type.
 *  @param type ONNX's number of the type */
void fsd_types_declare(struct fsd_arena *arena, struct fsd_slice info, int type,
                       struct fsd_pieces *to);

/** Writes an FP32 TensorProto with another type.
 *  @param type FSD_ONNX_FLOAT16 or FSD_ONNX_BFLOAT16 */
void fsd_types_narrow(struct fsd_arena *arena, struct fsd_slice tensor, int type,
                      struct fsd_pieces *to);
