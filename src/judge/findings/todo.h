/* What to do about a run: the changes that are known to make it faster. */
#pragma once

#include "judge/findings/findings.h"

enum { FSD_MOST_TODOS = 3 };

struct fsd_todo {
    const char *text, *brief; /**< text: with the gain; brief: without names and
                                   reasons */
};

struct fsd_todos {
    uint32_t n;
    uint32_t facts;                     /**< number of entries that state that no change
                                             helps */
    struct fsd_todo at[FSD_MOST_TODOS]; /**< facts first, then by falling gain */
};

/** At most three entries, none of which is known to save less than 1 %: commands that
 *  can be run as they are, and changes of the model at named nodes.
 *  @param d  the run with its findings; the texts live in `arena`. */
struct fsd_todos fsd_find_todos(struct fsd_arena *arena, const struct fsd_diff *d);
