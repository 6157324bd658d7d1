/* The summary at the top of reports on a run and on a check: what changed, what runs,
 * where the time goes, what to do, what is unknown. */
#pragma once

#include "judge/findings/findings.h"

enum {
    FSD_BRIEF_LINES = 8,    /**< below the verdict, on a terminal of this width */
    FSD_BRIEF_COLUMNS = 80, /**< including topics and indentation */
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

/** @param d  the run with its findings; the texts live in `arena`. */
struct fsd_brief fsd_brief_of(struct fsd_arena *arena, const struct fsd_diff *d);

/** The summary of a check.
 *  @param says what changed, what it costs, what to do: all three NULL if no cause is
 *          known; else they are printed in full
 *  @param saves whether the second text states a gain
 *  @param d the run of the build; NULL: the build is a snapshot, for which only the
 *          causes are printed */
struct fsd_brief fsd_brief_of_check(struct fsd_arena *arena, const char *const says[3],
                                    bool saves, const struct fsd_diff *d);
