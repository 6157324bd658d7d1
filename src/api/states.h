/* Runs opened by the library itself: of a model alone, and as sides of a comparison. */
#ifndef FSD_API_STATES_H
#define FSD_API_STATES_H

#include "change/compare/matrix.h"
#include "change/snapshot/snapshot.h"

/** As fsd_diff_open(), of a model without an engine, too: then of one without layers.
 *  Its findings cite nothing of lint (`uncited`). */
enum fsd_status fsd_run_open(struct fsd_diff **out, const struct fsd_options *opt,
                             struct fsd_error *err);

/** Makes all parts of a run that are not read: arena, names, model, engine, history,
 *  story, times and command are set.  A pair that does not belong together is refused
 *  where opt->model is set and opt->force is not.
 *  @return FSD_OK, or the status that `err` describes; the run is freed with
 *          fsd_diff_free() in either case. */
enum fsd_status fsd_run_explain(struct fsd_diff *d, const struct fsd_options *opt,
                                struct fsd_error *err);

/** Runs all passes over a pair and reduces the run to its state.  Of a snapshot of
 *  several builds that is the first one, which `opt->note` reports.
 *  @param out  set to the state on success, to NULL on failure; free it with
 *              fsd_state_free().
 *  @param run set to the run, NULL if a snapshot replaces it; free it with
 *         fsd_diff_free().  NULL: not needed.
 *  @return what fsd_diff_open() returns. */
enum fsd_status fsd_state_open(struct fsd_state **out, struct fsd_diff **run,
                               const struct fsd_options *opt, struct fsd_error *err);

/** The same for a check: how well model and engine fit each other is in its verdict,
 *  and not reported to `opt->note`. */
enum fsd_status fsd_state_open_judged(struct fsd_state **out, struct fsd_diff **run,
                                      const struct fsd_options *opt,
                                      struct fsd_error *err);

/** Adds to `list` the build that failed whose log is given as ENGINE, or as the only
 *  word, and why it failed; both texts are in `arena`.
 *  @return false, if it is no log of a failed build. */
bool fsd_failed_take(fsd_failed_builds *list, struct fsd_arena *arena,
                     const struct fsd_options *opt);

/** The label of a build; NULL: it has none. */
const char *fsd_state_label(const struct fsd_state *s);

/** Labels a build, and those that a snapshot holds besides; NULL: they keep theirs. */
void fsd_state_set_label(struct fsd_state *s, const char *label);

/** Several builds: those that were opened, and what snapshots of several hold besides.
 */
struct fsd_states {
    struct fsd_arena *arena; /**< of the failed builds; NULL: these are an error */
    fsd_failed_builds failed;
    struct fsd_state *opened[FSD_MOST_BUILDS];
    const struct fsd_state *builds[FSD_MOST_BUILDS];
    uint32_t n_opened, n;
};

/** Opens each as fsd_state_open() does; free them, whatever it returns.
 *  @param arena  where builds that failed are listed; NULL: they are an error.
 *  @return the same, or FSD_E_ARG for more builds than a snapshot holds. */
enum fsd_status fsd_states_open(struct fsd_states *out, struct fsd_arena *arena,
                                const struct fsd_options *opt, unsigned n,
                                struct fsd_error *err);
void fsd_states_free(struct fsd_states *states);

/** Two models of which less than half can be aligned are not exports of one network.
 *  @return FSD_OK, or FSD_E_MISMATCH. */
enum fsd_status fsd_check_network(const struct fsd_compare *c, struct fsd_error *err);

#endif
