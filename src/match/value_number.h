/* Finds the nodes that compute the same value. */
#pragma once

#include "match/facts.h"

/** Fills `f->first_duplicate` and `f->value`.  Uses only the `traits` of `f`.
 *    - `first_duplicate` of a node: the first node (in file order) of the same scope
 *      with the same operator, attributes and inputs.  This may be the node itself.
 *    - `value` of a tensor that is output i of a node: output i of the node's first
 *      duplicate.
 *  Two inputs are the same in three cases:
 *    - They are one tensor.
 *    - They are the same output of duplicate nodes.
 *    - They are constants of one type and shape.  Their bytes were read and are
 *      equal. */
void fsd_value_number(struct fsd_arena *arena, struct fsd_facts *f);
