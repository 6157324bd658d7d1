/* Runs that the library opens itself: the run of a model without an engine, or the run
 * of a build in a comparison. */
#pragma once

#include "change/compare/matrix.h"
#include "change/snapshot/snapshot.h"

/** Like fsd_diff_open(), but findings do not cite lint (`uncited`), and the engine is
 * optional. A run without an engine has no layers. */
enum fsd_status fsd_run_open(struct fsd_diff **out, const struct fsd_options *opt,
                             struct fsd_error *err);

/** Computes all parts of a run. The caller must have set `arena`, `names`, `model`,
 * `engine`, `history`, `story`, `times` and `command`. Refuses a model and an engine
 * that do not belong together, if opt->model is set and opt->force is false.
 * @return FSD_OK, or the status that `err` describes; in both cases, free the run with
 *         fsd_diff_free() */
enum fsd_status fsd_run_explain(struct fsd_diff *d, const struct fsd_options *opt,
                                struct fsd_error *err);

/** Computes the run of a build and reduces it to its state; or reads a snapshot. If a
 *  snapshot has several builds, takes the first one and reports this to `opt->note`.
 *  @param out becomes the state; free it with fsd_state_free(). NULL after a failure
 *  @param run `*run` becomes the run, or NULL if the build is a snapshot; free it with
 *          fsd_diff_free(). `run` may be NULL if the caller does not need the run
 *  @return like fsd_diff_open() */
enum fsd_status fsd_state_open(struct fsd_state **out, struct fsd_diff **run,
                               const struct fsd_options *opt, struct fsd_error *err);

/** Like fsd_state_open(), but for a check. If inputs do not fit each other, the
 * findings about this are in the verdict, and `opt->note` does not receive them. */
enum fsd_status fsd_state_open_judged(struct fsd_state **out, struct fsd_diff **run,
                                      const struct fsd_options *opt,
                                      struct fsd_error *err);

/** Adds the path of a failed build and the reason of its failure to `list`, both in
 * `arena`. The build's log is opt->engine or, without an engine, opt->model.
 * @return false if this file is not the log of a failed build */
bool fsd_failed_take(fsd_failed_builds *list, struct fsd_arena *arena,
                     const struct fsd_options *opt);

/** The label of a build; NULL if it has none. */
const char *fsd_state_label(const struct fsd_state *s);

/** Sets the label of a build. If the build comes from a snapshot of several builds,
 * sets the label of all these builds.
 * @param label NULL: the labels stay unchanged */
void fsd_state_set_label(struct fsd_state *s, const char *label);

/** Several builds, from several files.  A file may be a snapshot of several builds.
 *  `opened` has only the first build of each file; `builds` has all builds. */
struct fsd_states {
    struct fsd_arena *arena; /**< the memory of `failed`; NULL: a failed build is an
                                  error */
    fsd_failed_builds failed;
    struct fsd_state *opened[FSD_MOST_BUILDS];
    const struct fsd_state *builds[FSD_MOST_BUILDS];
    uint32_t n_opened, n;
};

/** Opens each build with fsd_state_open(). Free `out` also after a failure.
 * @param arena the memory of the list of failed builds; NULL: a failed build is an
 *         error
 * @return like fsd_state_open(); FSD_E_ARG for more builds than a snapshot can
 *         contain */
enum fsd_status fsd_states_open(struct fsd_states *out, struct fsd_arena *arena,
                                const struct fsd_options *opt, unsigned n,
                                struct fsd_error *err);
void fsd_states_free(struct fsd_states *states);

/** Checks that two models are exports of one network: at least half of their nodes must
 * be aligned.
 * @return FSD_OK; FSD_E_MISMATCH */
enum fsd_status fsd_check_network(const struct fsd_compare *c, struct fsd_error *err);
