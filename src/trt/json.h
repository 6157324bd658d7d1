/* Engine dumps in JSON. */
#ifndef FSD_TRT_JSON_H
#define FSD_TRT_JSON_H

#include "base/file.h"
#include "trt/build.h"

/** Reads all layers and bindings; the caller finishes the graph. */
enum fsd_status fsd_json_read(struct fsd_build *b, const struct fsd_file *file,
                              struct fsd_error *err);

#endif
