/* One pass over a build log. */
#ifndef FSD_LOG_READ_H
#define FSD_LOG_READ_H

#include "log/segment.h"
#include "model/history.h"

/** Reads the builder's steps in a log into an empty history, and finds the engines
 *  (h->scan).  Never fails: unknown lines are counted. */
void fsd_log_read(struct fsd_history *h, const struct fsd_file *file);

#endif
