/* Builds states by function calls, for tests of alignment and comparison. */
#ifndef TESTS_BUILD_STATE_H
#define TESTS_BUILD_STATE_H

#include "change/state/state.h"

#include <stdarg.h>

/** Creates a state with one input "in" and no output. */
struct fsd_state *new_state(void);

/** Adds a core node that reads `n` sources. A source is the number of a node,
 * FSD_REF_PORT for the input, or FSD_NONE for a constant. `weight` may be NULL.
 * @return the number of the node */
fsd_id add_node(struct fsd_state *s, const char *key, const char *op,
                const char *weight, unsigned n, ...);

void add_output(struct fsd_state *s, const char *name, fsd_id from);

/** Adds a group: one layer that computes `n` nodes in a type. */
fsd_id add_group(struct fsd_state *s, enum fsd_dtype type, unsigned n, ...);

/** Completes the state and returns it. */
struct fsd_state *finished(struct fsd_state *s);

#endif
