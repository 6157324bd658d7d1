/* Sizes that trtexec builds and runs an engine with. */
#ifndef FSD_LOG_SHAPES_H
#define FSD_LOG_SHAPES_H

#include "base/slice.h"
#include "model/history.h"

/** Keeps the sizes of an input in a line.
 *  @return true if it is such a line. */
bool fsd_log_shape_read(struct fsd_history *h, struct fsd_slice text, uint32_t build);

#endif
