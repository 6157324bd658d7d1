/* Tensors of another type than the file has them: declarations, and initializers whose
 * FP32 numbers are written in 16 bits each.  Only src/edit/onnx includes this. */
#ifndef FSD_ONNX_TYPES_H
#define FSD_ONNX_TYPES_H

#include "edit/onnx/pieces.h"

/** The ValueInfoProto with another element type, by ONNX's number. */
void fsd_types_declare(struct fsd_arena *arena, struct fsd_slice info, int type,
                       struct fsd_pieces *to);

/** The TensorProto, of FP32, with FSD_ONNX_FLOAT16 or FSD_ONNX_BFLOAT16. */
void fsd_types_narrow(struct fsd_arena *arena, struct fsd_slice tensor, int type,
                      struct fsd_pieces *to);

#endif
