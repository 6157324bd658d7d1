/* Sizes that trtexec builds and runs an engine with. */
#ifndef FSD_LOG_SHAPES_H
#define FSD_LOG_SHAPES_H

#include "base/slice.h"
#include "model/history.h"

/** Keeps what a line tells of an input's sizes.
 *  @return true when it is a line of that kind. */
bool fsd_log_shape_read(struct fsd_history *h, struct fsd_slice text, uint32_t build);

#endif
