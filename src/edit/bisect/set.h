/*
 * Finds the smallest set of fusions that must be split together for the engine to be
 * good, or that must exist together for it to be wrong, from all results so far.
 *
 * A build "does" if it is good (or wrong); "in" it are the fusions that changed (or
 * stayed).  Each build that does contains the set, and each other build lacks at least
 * one of its fusions:
 *
 *     in        does    the set is within    and has one of
 *     1 2 3 4   yes     1 2 3 4
 *     1 2       no                           3 4
 *     1 2 3     yes     1 2 3                3
 *     3         no      1 2 3                1 2
 *     1 3       yes     1 3                  1
 *
 * The smallest of these differences is halved until it has one fusion, or no break
 * divides it.
 */
#ifndef FSD_BISECT_SET_H
#define FSD_BISECT_SET_H

#include "edit/bisect/hunt.h"

/** The progress of a search for a set. */
enum fsd_set_state {
    FSD_SET_ASKS,       /**< the next build is chosen */
    FSD_SET_IS_FOUND,   /**< h->found and h->also contain the set */
    FSD_SET_CONTRADICTS /**< no set explains the results */
};

/** Chooses the next build of a search for a set, in phase h->phase, or ends the search.
 */
enum fsd_set_state fsd_set_next(struct fsd_hunt *h);

#endif
