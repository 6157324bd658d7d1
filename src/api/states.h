/* Runs that the library itself opens: of a model alone, or as a side of a
 * comparison. */
#pragma once

#include "change/compare/matrix.h"
#include "change/snapshot/snapshot.h"

/** Like fsd_diff_open(), but also without an engine: the run then has no layers. Its
 *  findings do not cite lint (`uncited`). */
enum fsd_status fsd_run_open(struct fsd_diff **out, const struct fsd_options *opt,
                             struct fsd_error *err);

/** Computes all parts of a run that are not read from files. Arena, names, model,
 *  engine, history, story, times and command must be set. A model and engine that do
 *  not belong together are refused if opt->model is set and opt->force is not.
 *  @return FSD_OK, or the status that `err` describes; free the run with
 *          fsd_diff_free() in either case. */
enum fsd_status fsd_run_explain(struct fsd_diff *d, const struct fsd_options *opt,
                                struct fsd_error *err);

/** Runs all passes over a build and reduces the run to its state. Of a snapshot of
 *  several builds, takes the first one and reports that to `opt->note`.
 *  @param out  set to the state on success, to NULL on failure; free it with
 *          fsd_state_free().
 *  @param run  set to the run, or to NULL if the build is a snapshot; free it with
 *          fsd_diff_free(). NULL: not needed.
 *  @return what fsd_diff_open() returns. */
enum fsd_status fsd_state_open(struct fsd_state **out, struct fsd_diff **run,
                               const struct fsd_options *opt, struct fsd_error *err);

/** Like fsd_state_open(), for a check: the verdict states how well model and engine fit
 * each other, so `opt->note` does not receive it. */
enum fsd_status fsd_state_open_judged(struct fsd_state **out, struct fsd_diff **run,
                                      const struct fsd_options *opt,
                                      struct fsd_error *err);

/** Adds a failed build to `list`, with the reason; both texts are in `arena`. Its log
 *  is given as ENGINE, or as the only argument.
 *  @return false if that file is not the log of a failed build. */
bool fsd_failed_take(fsd_failed_builds *list, struct fsd_arena *arena,
                     const struct fsd_options *opt);

/** The label of a build; NULL if it has none. */
const char *fsd_state_label(const struct fsd_state *s);

/** Labels a build and the other builds of its snapshot; NULL: they keep their
 *  labels. */
void fsd_state_set_label(struct fsd_state *s, const char *label);

/** Several builds: those that were opened, and the further builds of opened
 *  snapshots. */
struct fsd_states {
    struct fsd_arena *arena; /**< holds `failed`; NULL: a failed build is an error */
    fsd_failed_builds failed;
    struct fsd_state *opened[FSD_MOST_BUILDS];
    const struct fsd_state *builds[FSD_MOST_BUILDS];
    uint32_t n_opened, n;
};

/** Opens each build as fsd_state_open() does; free `out`, whatever this returns.
 *  @param arena  holds the list of failed builds; NULL: a failed build is an error.
 *  @return like fsd_state_open(), or FSD_E_ARG for more builds than a snapshot can
 *          hold. */
enum fsd_status fsd_states_open(struct fsd_states *out, struct fsd_arena *arena,
                                const struct fsd_options *opt, unsigned n,
                                struct fsd_error *err);
void fsd_states_free(struct fsd_states *states);

/** Checks that two models are exports of one network: at least half of their nodes must
 * be aligned.
 * @return FSD_OK, or FSD_E_MISMATCH. */
enum fsd_status fsd_check_network(const struct fsd_compare *c, struct fsd_error *err);
