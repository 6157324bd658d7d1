/*
 * Finds the smallest set of fusions that must be split together for the engine to be
 * good, or that must exist together for it to be wrong, from all results so far.
 *
 * In this table, "in" lists the fusions that a build split, and "does" is "yes" if the
 * build is good. In the second case, "in" lists the fusions that a build kept, and
 * "does" is "yes" if the build is wrong. A build with "yes" has all fusions of the set;
 * a build with "no" lacks at least one of them:
 *
 *     in        does    the set is within    and has one of
 *     1 2 3 4   yes     1 2 3 4
 *     1 2       no                           3 4
 *     1 2 3     yes     1 2 3                3
 *     3         no      1 2 3                1 2
 *     1 3       yes     1 3                  1
 *
 * The fusions in the last column are a "difference". The smallest difference is halved
 * until it has one fusion, or until no break divides it.
 */
#pragma once

#include "edit/bisect/hunt.h"

/** The progress of a search for a set. */
enum fsd_set_state {
    FSD_SET_ASKS,       /**< the next build is chosen */
    FSD_SET_IS_FOUND,   /**< h->found and h->also contain the set */
    FSD_SET_CONTRADICTS /**< no set explains the results */
};

/** Chooses the next build of a search for a set, or ends the search. h->phase is the
 *  kind of set. */
enum fsd_set_state fsd_set_next(struct fsd_hunt *h);
