/* What the builder says of memory in its log. */
#ifndef FSD_LOG_MEMORY_H
#define FSD_LOG_MEMORY_H

#include "base/slice.h"
#include "model/history.h"

/** Keeps a line's figures on memory.
 *  @return true if it is such a line. */
bool fsd_log_memory_read(struct fsd_history *h, struct fsd_slice text, uint32_t build);

#endif
