/* Finds the nodes that compute the same value. */
#pragma once

#include "match/facts.h"

/** Fills `f->first_duplicate` and `f->value`.  Uses only the `traits` of `f`.
 *  `first_duplicate` of a node: the first node (in file order) of the same scope with
 *  the same operator, attributes and inputs; possibly the node itself.  `value` of a
 *  tensor: the corresponding output of the first duplicate of its producer.  Two inputs
 *  are the same in three cases: they are one tensor, they are the same output of
 *  duplicate nodes, or they are constants of the same type and shape whose bytes were
 *  read and are equal. */
void fsd_value_number(struct fsd_arena *arena, struct fsd_facts *f);
