/* Engines in build logs, console logs and the inspector's text. */
#ifndef FSD_TRT_LOG_ENGINE_H
#define FSD_TRT_LOG_ENGINE_H

#include "base/file.h"
#include "log/segment.h"
#include "trt/build.h"

/** Reads one engine of the file; the caller finishes the graph.
 *  @param number which, from 1; 0: the only one.
 *  @param scan   what was found of the file; NULL: it is searched here.
 *  @return FSD_OK; FSD_E_FORMAT when there is none; FSD_E_ARG when there are several
 *          and `number` is 0 (the message lists them), or fewer than `number`;
 *          FSD_E_LIMIT. */
enum fsd_status fsd_log_engine_read(struct fsd_build *b, const struct fsd_file *file,
                                    unsigned number, const struct fsd_log_scan *scan,
                                    struct fsd_error *err);

#endif
