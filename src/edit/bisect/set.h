/*
 * Finds the smallest set of fusions, from all results so far. There are two kinds:
 *
 *     FSD_HUNT_SPLIT    if all fusions of the set are split, the engine is good
 *     FSD_HUNT_KEPT     if all fusions of the set exist, the engine is wrong
 *
 * The table below is an example for FSD_HUNT_SPLIT. The column "in" lists the fusions
 * that a build split; "does" is "yes" if the build is good. For FSD_HUNT_KEPT, "in"
 * would list the fusions that a build kept; "does" would be "yes" if the build is
 * wrong. If "does" is "yes", "in" lists all fusions of the set. If "does" is "no", at
 * least one fusion of the set is not in "in":
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
