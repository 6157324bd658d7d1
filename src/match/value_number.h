/* Finds the nodes that compute the same value. */
#pragma once

#include "match/facts.h"

/** Fills `f->first_duplicate` and `f->value`.  Uses only the `traits` of `f`.
 *    - `first_duplicate` of a node: the first node (in file order) of the same scope
 *      with the same operator, attributes and inputs.  This may be the node itself.
 *    - `value` of a tensor: the first tensor with the same value, or itself.
 *  Inputs are the same if they have the same `value`.  Two tensors have the same
 *  `value` in three cases:
 *    - They are the same output of duplicate nodes.
 *    - They are constants of one type and shape.  Their bytes were read and are equal.
 *    - One is an initializer, and the other is its copy by an Identity. */
void fsd_value_number(struct fsd_arena *arena, struct fsd_facts *f);
