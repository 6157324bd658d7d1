/* Layers as the engine inspector writes them in its one-line form. */
#ifndef FSD_TRT_INSPECTOR_TEXT_H
#define FSD_TRT_INSPECTOR_TEXT_H

#include "base/file.h"
#include "base/slice.h"
#include "trt/build.h"

/** Reads "Name: N, LayerType: T, Inputs: [ { Name: n, ... }], ..., Metadata: M".
 *  @param number which of the engine's layers, from 0: for messages.
 *  @param whole  set to false when a part of the line was not understood; what stands
 *                before it is read all the same.
 *  @return FSD_OK; FSD_E_LIMIT. */
enum fsd_status fsd_inspector_layer(struct fsd_build *b, const struct fsd_file *file,
                                    uint32_t number, const char *s, size_t n,
                                    bool *whole, struct fsd_error *err);

/** Reads a line of "I/O Tensors:", "Name: x, IOMode: Input, DataType: Float,
 *  Dimensions: [1,3], ..."; nothing when it is none.
 *  @return FSD_OK; FSD_E_LIMIT. */
enum fsd_status fsd_inspector_binding(struct fsd_build *b, const struct fsd_file *file,
                                      struct fsd_slice line, struct fsd_error *err);

#endif
