/* Finds what to do about a run: changes that are known to make it faster. */
#pragma once

#include "judge/findings/findings.h"

enum { FSD_MOST_TODOS = 3 };

struct fsd_todo {
    const char *text, *brief; /**< text: with names, reasons and the gain; brief:
                                   without names and reasons */
};

struct fsd_todos {
    uint32_t n;
    uint32_t facts; /**< number of entries that only state that no
                                             change helps */
    struct fsd_todo
        at[FSD_MOST_TODOS]; /**< the facts, then the others by falling gain */
};

/** At most three entries: commands that can be run as they are, and changes of the
 *  model at named nodes. Entries that are known to save less than 1 % are left out. The
 *  texts live in `arena`.
 *  @param d the run with its findings */
struct fsd_todos fsd_find_todos(struct fsd_arena *arena, const struct fsd_diff *d);
