/* Runs opened by the library itself: of a model alone, and as sides of a comparison. */
#ifndef FSD_STATES_H
#define FSD_STATES_H

#include "compare/state.h"

/** As fsd_diff_open(), of a model without an engine, too: then of one without layers. */
enum fsd_status fsd_run_open(struct fsd_diff **out, const struct fsd_options *opt,
                             struct fsd_error *err);

/** Runs all passes over a pair and keeps what builds are compared by.
 *  @param out  set to the state on success, to NULL on failure; free it with
 *              fsd_state_free().
 *  @param run  set to the run, NULL where a snapshot stands in for one; free it with
 *              fsd_diff_free().  NULL: nobody wants it.
 *  @return what fsd_diff_open() returns. */
enum fsd_status fsd_state_open(struct fsd_state **out, struct fsd_diff **run,
                               const struct fsd_options *opt, struct fsd_error *err);

#endif
