/* Which nodes compute the very same value. */
#ifndef FSD_MATCH_VALUE_NUMBER_H
#define FSD_MATCH_VALUE_NUMBER_H

#include "match/facts.h"

/** For each node the first node (in file order) with the same operator, attributes and
 *  inputs in the same scope, itself when it is the first.  Inputs are the same when
 *  they are one tensor, come from nodes found to be the same, or are constants of one
 *  type and shape whose bytes were read and are equal.  Needs `traits` only. */
fsd_id *fsd_value_number(struct fsd_arena *arena, const struct fsd_facts *f);

#endif
