/* Parses one line of a build log, without its prefix, into events (model/history.h). */
#ifndef FSD_LOG_EVENT_H
#define FSD_LOG_EVENT_H

#include "base/slice.h"
#include "model/history.h"

/** A name of a line that was read: it becomes a symbol when something is kept of it. */
struct fsd_event_name {
    struct fsd_slice text; /**< in the log */
    fsd_sym sym;           /**< FSD_NONE: not asked for yet */
};

/** What must be remembered from line to line. */
struct fsd_event_reader {
    struct fsd_history *h;
    fsd_sym tried, tried_on;             /**< the last "Running: P on X" */
    struct fsd_event_name timed, runner; /**< the last "Timing Runner: X (R)" */
    struct fsd_event_name autotuned;     /**< the last "Autotuning Reformat: A -> B" */
    struct fsd_event_name formats; /**< the last "Autotuning format combination" */
    struct fsd_slice tuned;        /**< the last "Autotuning op X" */
    uint32_t tuned_rows;           /**< of its table */
    uint32_t effort;   /**< what is being timed, in h->efforts.list; FSD_NONE */
    const char *clock; /**< the last time stamp; NULL: none */
    uint32_t second;   /**< of the day, of that */
    size_t set_at;     /**< where " Set Tactic Name: " stood in the last such line */
    FSD_VEC(char) sum; /**< scratch */
    char severity;     /**< of the line, as in fsd_log_line */
    uint32_t build;
    uint64_t line;
};

/** Reads the line.
 *  @return true when its form is known, whether or not it says anything that is kept.
 */
bool fsd_event_read(struct fsd_event_reader *r, struct fsd_slice text);

#endif
