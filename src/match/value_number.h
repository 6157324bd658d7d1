/* Finds the nodes that compute the same value. */
#pragma once

#include "match/facts.h"

/** Fills `f->first_duplicate` and `f->value`.  A node's first duplicate is the first
 *  node (in file order) with the same operator, attributes and inputs in the same
 *  scope; it may be the node itself.  A tensor's value is the corresponding output of
 *  its producer's first duplicate.  Two inputs are the same in three cases: they are
 *  one tensor, they are the same output of duplicate nodes, or they are constants of
 *  the same type and shape whose bytes were read and are equal.  Uses only the `traits`
 *  of `f`. */
void fsd_value_number(struct fsd_arena *arena, struct fsd_facts *f);
