/* The summary at the top of reports on a run and on a check: what changed, what runs,
 * where the time goes, what to do, what is unknown. */
#pragma once

#include "judge/findings/findings.h"

enum {
    FSD_BRIEF_LINES = 8,    /**< maximum number of terminal rows below the verdict; a
                                 row has FSD_BRIEF_COLUMNS columns */
    FSD_BRIEF_COLUMNS = 80, /**< width of a line, including topic and indentation */
    FSD_BRIEF_TOPIC = 9     /**< columns of a topic */
};

struct fsd_brief_line {
    const char *topic; /**< "layers", "time", "to do", etc. */
    const char *text;  /**< valid UTF-8, may contain control characters */
};

struct fsd_brief {
    uint32_t n;
    struct fsd_brief_line at[FSD_BRIEF_LINES];
};

/** The summary of a run. Its texts live in `arena`.
 *  @param d the run with its findings */
struct fsd_brief fsd_brief_of(struct fsd_arena *arena, const struct fsd_diff *d);

/** The summary of a check.
 *  @param says three texts: what changed, what the change costs, what to do; all three
 *          are NULL if no cause is known
 *  @param saves whether the second text states a gain instead of a cost
 *  @param d the run of the build; NULL: the build is a snapshot, and only the three
 *          texts are printed */
struct fsd_brief fsd_brief_of_check(struct fsd_arena *arena, const char *const says[3],
                                    bool saves, const struct fsd_diff *d);
