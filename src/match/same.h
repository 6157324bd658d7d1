/* Proof that a node hands its first input on unchanged. */
#ifndef FSD_MATCH_SAME_H
#define FSD_MATCH_SAME_H

#include "match/facts.h"

/** What leaves the node without work, FSD_SAME_NOT when nothing proves it.  Needs
 *  `traits` of the facts only. */
enum fsd_same fsd_same_find(const struct fsd_facts *f, fsd_id node);

#endif
