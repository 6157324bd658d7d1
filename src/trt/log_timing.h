/* Lines of a build log that tell what was timed.  Only log_event.c. */
#ifndef FSD_TRT_LOG_TIMING_H
#define FSD_TRT_LOG_TIMING_H

#include "trt/log_event.h"
#include "trt/slice.h"

/* Each returns true when the line's form is known, whether or not anything is kept. */

/** Lines that are many and known by their beginning; not empty. */
bool fsd_timing_read(struct fsd_event_reader *r, struct fsd_slice p);
/** "Optimizer Reformat(x -> <out>) [A -> B] got cached result: ..." */
bool fsd_timing_cached(struct fsd_event_reader *r, struct fsd_slice p);
/** "Fastest Tactic: ..." behind something else. */
bool fsd_timing_fastest(struct fsd_event_reader *r, struct fsd_slice p);

#endif
