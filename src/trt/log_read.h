/* One pass over a build log. */
#ifndef FSD_TRT_LOG_READ_H
#define FSD_TRT_LOG_READ_H

#include "base/file.h"
#include "model/history.h"
#include "trt/log_find.h"

/** Reads what the log tells of the builder's steps into an empty history.  Never fails:
 *  lines that say nothing known are counted. */
void fsd_log_read(struct fsd_history *h, const struct fsd_file *file);

/** The same, and finds the engines in the same pass over the bytes.
 *  @param scan empty; its arrays are of the history's arena. */
void fsd_log_read_all(struct fsd_history *h, const struct fsd_file *file,
                      struct fsd_log_scan *scan);

/** True when the file is a build log, by its content. */
bool fsd_is_log(const struct fsd_file *file);

/** False when the file is certainly something else: a model, a dump, an archive.  For a
 *  file that the user calls a log, which may begin with anything. */
bool fsd_may_be_log(const struct fsd_file *file);

#endif
