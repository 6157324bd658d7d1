/* Sets of nodes, indexed by names of a log.  Only for story.c. */
#pragma once

#include "match/story.h"

enum {
    FSD_MOST_PARTS = 4096, /**< parts of one name */
    FSD_CROWD = 256        /**< larger sets are not copied: only the nodes that join
                                them get the event */
};

void fsd_story_set(struct fsd_story *s, fsd_sym name, struct fsd_span nodes);
/** The union of both sets, each node once.  If it would be too large, returns `a` alone
 *  and sets `cut`. */
struct fsd_span fsd_story_join(struct fsd_story *s, struct fsd_span a,
                               struct fsd_span b);
/** A set of one node.
 *  @param node FSD_NONE: returns an empty set. */
struct fsd_span fsd_story_single(struct fsd_story *s, fsd_id node);
/** The nodes of a list such as "(a and b)", or of one name. */
struct fsd_span fsd_story_list(struct fsd_story *s, fsd_sym list);
