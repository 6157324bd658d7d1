/* A comparison, judged by a policy. */
#ifndef FSD_GATE_CHECK_H
#define FSD_GATE_CHECK_H

#include "compare/compare.h"
#include "compare/snapshot.h"
#include "gate/list.h"
#include "gate/policy.h"

/** The findings of a comparison with a snapshot.  Marks ignores of the policy as used.
 *  @param lines of the snapshot, the old state.
 *  @return free it with fsd_list_free(), before the comparison. */
struct fsd_list *fsd_check_list(const struct fsd_compare *c, struct fsd_policy *policy,
                                const struct fsd_snapshot_lines *lines,
                                const struct fsd_check_options *options);

#endif
