/*
 * Which version of the builder wrote a log.  Reports state the version, and comparisons
 * compare it, since two versions build different engines of one model.
 */
#ifndef FSD_LOG_VERSION_H
#define FSD_LOG_VERSION_H

#include "base/file.h"
#include "log/segment.h"

#include <stdbool.h>

/** The TensorRT version that trtexec's first line names, written as
 *  "TensorRT 8.2.3"; false when it is another line.
 *  Source: trtexec of TensorRT 8.0 to 10.16, "&&&& RUNNING TensorRT.trtexec [TensorRT
 *  v8203]": NV_TENSORRT_MAJOR * 1000 + MINOR * 100 + PATCH, from 10 on * 10000. */
bool fsd_log_version(struct fsd_slice line, char out[32]);

/** The same for TensorRT for RTX, whose logs state no version: by the lines around an
 *  engine's list.  False if the builder was another one.  Source: builds by 1.4.0,
 *  1.5.0, 1.6.1 and 1.7.1; 1.6 and 1.7 do not differ. */
bool fsd_log_rtx_version(const struct fsd_file *file, const struct fsd_log_list *list,
                         char out[32]);

#endif
