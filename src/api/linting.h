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
    unsigned today, n_values;
    const char *const *values; /* files of measured tensors */
    bool alone; /* of a model without an engine and without given sizes */
    bool again; /* the policy is another linting's */
};

/* Judges another model as `like` was, without an engine.
 * @param like  outlives it.
 * @param out   NULL after a failure; else to be freed by fsd_linting_free(). */
enum fsd_status fsd_linting_again(struct fsd_linting **out,
                                  const struct fsd_linting *like, const char *path,
                                  struct fsd_error *err);

#endif
