/* Finds the set of nodes that a layer name in a log stands for.  Only story.c includes
 * this. */
#pragma once

#include "match/story.h"

enum {
    FSD_MOST_PARTS = 4096, /**< maximum number of parts of a name */
    FSD_CROWD = 256        /**< maximum number of nodes in a small set.  A larger set
                                grows in place if possible.  Events about a larger
                                set are not stored, except FSD_EVENT_MEMBERS */
};

void fsd_story_set(struct fsd_story *s, fsd_sym name, struct fsd_span nodes);
/** The union of both sets, each node once.  If the pool would become too large, returns
 *  `a` alone and sets s->cut. */
struct fsd_span fsd_story_join(struct fsd_story *s, struct fsd_span a,
                               struct fsd_span b);
/** A set that contains one node.
 *  @param node if it is FSD_NONE, the set is empty. */
struct fsd_span fsd_story_single(struct fsd_story *s, fsd_id node);
/** The nodes of a list such as "(a and b)", or of one name. */
struct fsd_span fsd_story_list(struct fsd_story *s, fsd_sym list);
