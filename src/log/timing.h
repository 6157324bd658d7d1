/* Lines of a build log with measured times.  Only event.c. */
#ifndef FSD_LOG_TIMING_H
#define FSD_LOG_TIMING_H

#include "base/slice.h"
#include "log/event.h"

/* Each returns true when the line's form is known, whether or not anything is kept. */

/** Lines that are many and known by their beginning; not empty. */
bool fsd_timing_read(struct fsd_event_reader *r, struct fsd_slice p);
/** "Optimizer Reformat(x -> <out>) [A -> B] got cached result: ..." */
bool fsd_timing_cached(struct fsd_event_reader *r, struct fsd_slice p);
/** "Fastest Tactic: ..." behind something else. */
bool fsd_timing_fastest(struct fsd_event_reader *r, struct fsd_slice p);

/** Finds what was measured of each reformat that was added, when all has been read. */
void fsd_timing_reformats(struct fsd_history *h);

#endif
