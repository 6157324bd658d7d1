/* How an engine is built, as the log states it beforehand: trtexec's options and its
 * device, Polygraphy's configuration, the kernels that the builder loads. */
#ifndef FSD_LOG_OPTIONS_H
#define FSD_LOG_OPTIONS_H

#include "log/segment.h"
#include "model/history.h"

/** What must be remembered from line to line. */
struct fsd_log_options {
    bool build, polygraphy; /**< the lines of that section follow */
    bool command_loads;     /**< by its command this run builds no engine */
    bool loads;             /**< by its options or its command */
    bool measures;          /**< the lines on how it measures follow */
    bool transfers, spins;  /**< of these */
    uint32_t section;       /**< facts that were kept before the section */
};

/** Keeps the line's facts. */
void fsd_log_option_read(struct fsd_log_options *o, struct fsd_history *h,
                         const struct fsd_log_line *line);

/** Says of which engine all that was kept is. */
void fsd_log_options_end(struct fsd_history *h, const fsd_log_engines *engines);

#endif
