/* A model that lint has checked, for functions that write the model with the proposed
 * edits. */
#pragma once

#include "judge/gate/gate.h"
#include "judge/lint/lint.h"

struct fsd_linting {
    struct fsd_arena *arena;
    struct fsd_diff *run; /* the run of the model, and of its engine if there is
                             one */
    struct fsd_policy *policy;
    struct fsd_verdict *verdict;
    const struct fsd_lint *lint;
    unsigned today, n_values;
    const char *const *values; /* paths of the --values files */
    bool alone;                /* there is no engine, and the user gave no sizes of
                                  dynamic inputs (opt->shapes) */
    bool again;                /* made by fsd_linting_again(), which borrows `policy` */
};

/* Checks another model without an engine, with the same options as `like`.
 * @param like must outlive the result
 * @param out free it with fsd_linting_free(); NULL after a failure */
enum fsd_status fsd_linting_again(struct fsd_linting **out,
                                  const struct fsd_linting *like, const char *path,
                                  struct fsd_error *err);
