/* A model that lint has judged, for code that writes the model with the proposed
 * edits. */
#pragma once

#include "judge/gate/gate.h"
#include "judge/lint/lint.h"

struct fsd_linting {
    struct fsd_arena *arena;
    struct fsd_diff *run; /* the run: of the model alone, or with an engine */
    struct fsd_policy *policy;
    struct fsd_verdict *verdict;
    const struct fsd_lint *lint;
    unsigned today, n_values;
    const char *const *values; /* files of measured tensors */
    bool alone;                /* neither an engine nor sizes were given */
    bool again;                /* the policy belongs to another linting */
};

/* Judges another model with the options of `like`, without an engine.
 * @param like  must outlive the result.
 * @param out   NULL after a failure; else free it with fsd_linting_free(). */
enum fsd_status fsd_linting_again(struct fsd_linting **out,
                                  const struct fsd_linting *like, const char *path,
                                  struct fsd_error *err);
