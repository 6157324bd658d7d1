/* Layers as the engine inspector writes them in its one-line form. */
#ifndef FSD_TRT_INSPECTOR_TEXT_H
#define FSD_TRT_INSPECTOR_TEXT_H

#include "trt/build.h"
#include "base/file.h"

/** Reads "Name: N, LayerType: T, Inputs: [ { Name: n, ... }], ..., Metadata: M".
 *  @param number which of the engine's layers, from 0: for messages.
 *  @param whole  set to false when a part of the line was not understood; what stands
 *                before it is read all the same.
 *  @return FSD_OK; FSD_E_LIMIT. */
enum fsd_status fsd_inspector_layer(struct fsd_build *b, const struct fsd_file *file,
                                    uint32_t number, const char *s, size_t n,
                                    bool *whole, struct fsd_error *err);

#endif
