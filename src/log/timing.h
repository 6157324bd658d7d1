/* Lines of a build log with measured times, and with what the build cost (effort.c).
 * Only event.c and read.c. */
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

/* -------------------------------------------------------------- effort.c */

/** The line's time stamp, or NULL: the seconds since the last one belong to what is
 *  being timed. */
void fsd_log_effort_clock(struct fsd_event_reader *r, const char *stamp);

/** Nothing is being timed, until a line states what is. */
static inline void fsd_log_effort_off(struct fsd_event_reader *r)
{
    r->effort = FSD_NONE;
}

/** "Tactic: 0x01 Time: 0.01", "Tactic: 4 skipped. Scratch requested: ...": of what is
 *  being timed. */
void fsd_log_effort_tactic(struct fsd_event_reader *r, struct fsd_slice p);

/* Each returns true when the line's form is known. */

/** "CudnnConvolution has no valid tactics for this config, skipping" and the like. */
bool fsd_log_effort_skipped(struct fsd_event_reader *r, struct fsd_slice p);
/** "Engine generation completed in 15.4 seconds.", "Deleting timing cache: ..." */
bool fsd_log_effort_whole(struct fsd_event_reader *r, struct fsd_slice p);

#endif
