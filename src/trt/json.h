/* Engine dumps in JSON. */
#ifndef FSD_TRT_JSON_H
#define FSD_TRT_JSON_H

#include "base/file.h"
#include "trt/build.h"

/** Reads all layers and bindings; the caller finishes the graph. */
enum fsd_status fsd_json_read(struct fsd_build *b, const struct fsd_file *file,
                              struct fsd_error *err);

/** Reads one layer as a dump has it, an object or a name.
 *  @param number which of the file's layers, from 0: for messages. */
struct cJSON;
enum fsd_status fsd_json_layer(struct fsd_build *b, const struct fsd_file *file,
                               uint32_t number, const struct cJSON *layer,
                               struct fsd_error *err);

/** Reads one of "Bindings" or "I/O Tensors". */
void fsd_json_binding(struct fsd_build *b, const struct fsd_file *file,
                      const struct cJSON *binding);

#endif
