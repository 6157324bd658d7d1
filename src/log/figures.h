/* Lines of a build log with figures: bytes of the engine's memory, and the sizes that
 * trtexec builds and runs it with.  Only read.c. */
#ifndef FSD_LOG_FIGURES_H
#define FSD_LOG_FIGURES_H

#include "base/slice.h"
#include "model/history.h"

/* Each keeps a line's figures; true if it is such a line. */

bool fsd_log_memory_read(struct fsd_history *h, struct fsd_slice text, uint32_t build);
/** The sizes of an input. */
bool fsd_log_shape_read(struct fsd_history *h, struct fsd_slice text, uint32_t build);

#endif
