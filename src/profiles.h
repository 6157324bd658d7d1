/* The stage of a run that reads times and finds out whether they are this engine's. */
#ifndef FSD_PROFILES_H
#define FSD_PROFILES_H

#include "inputs.h"

/** Reads opt->profiles.  An engine whose dump was cut off, so that a profile knows
 * every layer of it and others, gets these others as layers of which only the name is
 * known; each with a remark.
 *  @return FSD_E_MISMATCH for a profile of another engine, unless forced. */
enum fsd_status fsd_profiles_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                  fsd_profile_vec *out, struct fsd_error *err);

/** True when layers were added that only a profile knows. */
bool fsd_profiles_added(const struct fsd_graph *engine);

/** Reads opt->times into d->times. */
enum fsd_status fsd_run_times_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                   struct fsd_error *err);

#endif
