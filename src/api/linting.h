/* A model that lint judged, for those who write it again with the proposed edits. */
#ifndef FSD_API_LINTING_H
#define FSD_API_LINTING_H

#include "judge/gate/gate.h"
#include "judge/lint/lint.h"

struct fsd_linting {
    struct fsd_arena *arena;
    struct fsd_diff *run; /* of the model alone, or with an engine */
    struct fsd_policy *policy;
    struct fsd_verdict *verdict;
    const struct fsd_lint *lint;
};

#endif
