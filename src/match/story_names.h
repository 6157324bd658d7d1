/* Sets of nodes by the names of a log.  Only story.c. */
#ifndef FSD_MATCH_STORY_NAMES_H
#define FSD_MATCH_STORY_NAMES_H

#include "match/story.h"

enum {
    FSD_MOST_PARTS = 4096, /**< of one name */
    FSD_CROWD = 256        /**< larger sets are not copied: only the joining nodes get
                                the event */
};

void fsd_story_set(struct fsd_story *s, fsd_sym name, struct fsd_span nodes);
/** The union, each node once; the first set alone, and `cut`, if there are too many. */
struct fsd_span fsd_story_join(struct fsd_story *s, struct fsd_span a,
                               struct fsd_span b);
/** @param node  FSD_NONE: an empty set. */
struct fsd_span fsd_story_single(struct fsd_story *s, fsd_id node);
/** The nodes of "(a and b)", or of one name. */
struct fsd_span fsd_story_list(struct fsd_story *s, fsd_sym list);

#endif
