/* One pass over a build log. */
#ifndef FSD_LOG_READ_H
#define FSD_LOG_READ_H

#include "base/file.h"
#include "log/segment.h"
#include "model/history.h"

/** Reads what the log tells of the builder's steps into an empty history.  Never fails:
 *  lines that say nothing known are counted. */
void fsd_log_read(struct fsd_history *h, const struct fsd_file *file);

/** The same, and finds the engines in the same pass over the bytes.
 *  @param scan empty; its arrays are of the history's arena. */
void fsd_log_read_all(struct fsd_history *h, const struct fsd_file *file,
                      struct fsd_log_scan *scan);

#endif
