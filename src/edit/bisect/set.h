/*
 * The smallest set of fusions that has to be split together for the engine to be right,
 * or that has to be there together for it to be wrong, by all results so far.
 *
 * A build "does" when it is right (or wrong); "in" it are the fusions that changed (or
 * stayed).  The set is in each build that does, and each other build lacks one of it:
 *
 *     in        does    the set is within    and has one of
 *     1 2 3 4   yes     1 2 3 4
 *     1 2       no                           3 4
 *     1 2 3     yes     1 2 3                3
 *     3         no      1 2 3                1 2
 *     1 3       yes     1 3                  1
 *
 * The smallest of these differences is halved until one fusion is left, or no break
 * divides it.
 */
#ifndef FSD_BISECT_SET_H
#define FSD_BISECT_SET_H

#include "edit/bisect/hunt.h"

/** How far a search for a set is. */
enum fsd_set_state {
    FSD_SET_ASKS,       /**< the next build is chosen */
    FSD_SET_IS_FOUND,   /**< h->found and h->also have it */
    FSD_SET_CONTRADICTS /**< no set explains the results */
};

/** Chooses the next build of a search for a set, of h->phase, or ends it. */
enum fsd_set_state fsd_set_next(struct fsd_hunt *h);

#endif
