/* The inputs of a run: the model, the engine, the build log, measured times. */
#ifndef FSD_API_INPUTS_H
#define FSD_API_INPUTS_H

#include "match/story.h"
#include "read/profile/measured.h"
#include "explain/values/values.h"

/** What a run reads; nothing of it changes when all is read. */
struct fsd_inputs {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    struct fsd_graph *model, *engine;
    struct fsd_vocab *vocab;      /**< the model's names */
    struct fsd_history *history;  /**< the facts of the build log; NULL: no log */
    bool own_log;                 /**< and the log is the engine's own file */
    fsd_profile_vec own_profiles; /**< the times of layers in the engine's file */
    struct fsd_measured times;    /**< of the engine's layers */
};

/** Reports a stage that begins, and a remark, to the caller's callbacks. */
static inline void fsd_announce(const struct fsd_options *opt, const char *stage)
{
    if (opt->progress)
        opt->progress(opt->payload, stage);
}
static inline void fsd_note(const struct fsd_options *opt, const char *text)
{
    if (opt->note)
        opt->note(opt->payload, text);
}

/** Puts files that were given in the place of others where they belong: a build log as
 *  the model of another engine is its log, which has the model's nodes; a profile as
 *  the engine names layers, and has their times.  What it sets lives as long as
 *  `opt`. */
void fsd_inputs_settle(struct fsd_options *opt);

/** True when a profile was given as ENGINE; of options that are not settled. */
bool fsd_inputs_by_profile(const struct fsd_options *opt);

enum { FSD_FILE_POLICY = FSD__FILE_KIND_COUNT };

/** Whether the directory of a build has files of this kind. */
bool fsd_file_kind_is_of_build(enum fsd_file_kind kind);

/** After a file was refused for its format: says what it is, where that is surely
 *  another kind of file than was wanted.
 *  @param wanted    enum fsd_file_kind, or FSD_FILE_POLICY.
 *  @param expected  the same in words.
 *  @return status. */
enum fsd_status fsd_file_blame(const char *path, unsigned wanted, const char *expected,
                               enum fsd_status status, struct fsd_error *err);

/** After a failure: if a file is surely of another kind than the one it was given as,
 *  `err` states that, and where such a file belongs.
 *  @return the status that `err` describes then. */
enum fsd_status fsd_inputs_blame(const struct fsd_options *opt, enum fsd_status status,
                                 struct fsd_error *err);

/** Reads what `opt` names (without an engine: one without layers) into d->model,
 *  d->engine and d->history, which are made here. A log as ENGINE is its own build log,
 *  and the model where there is none.
 *  @return FSD_OK, or the status that `err` describes. */
enum fsd_status fsd_inputs_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                struct fsd_error *err);

/** Where opt->parts are given: reads them, too, their profiles, and joins all into
 *  d->engine and d->times.  To be called behind fsd_inputs_load(). parts.c
 *  @return FSD_OK, or the status that `err` describes. */
enum fsd_status fsd_parts_load(struct fsd_inputs *d, const struct fsd_options *opt,
                               struct fsd_error *err);

/** Reads one more engine of the model that was read into a graph of its own. */
enum fsd_status fsd_inputs_load_part(struct fsd_inputs *d,
                                     const struct fsd_options *opt, const char *path,
                                     struct fsd_graph **out, struct fsd_error *err);

/** The same for one side only: a model, or an engine with what model there is. */
enum fsd_status fsd_inputs_load_side(struct fsd_inputs *d,
                                     const struct fsd_options *opt, bool model,
                                     struct fsd_error *err);

/** Reads a log and nothing else into d->history, and the network that it states into
 *  d->model. */
enum fsd_status fsd_inputs_load_log(struct fsd_inputs *d, const char *path,
                                    struct fsd_error *err);

/* profiles.c: the times that go with them, and whether they are this engine's. */

/** Reads opt->profiles.  An engine whose dump was cut off, so that a profile knows
 * every layer of it and others, gets these others as layers of which only the name is
 * known; each with a remark.
 *  @return FSD_E_MISMATCH for a profile of another engine, unless forced. */
enum fsd_status fsd_profiles_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                  fsd_profile_vec *out, struct fsd_error *err);

/** The two halves of it: reading, and whether one profile is of d->engine. */
enum fsd_status fsd_profiles_read(struct fsd_inputs *d, const struct fsd_options *opt,
                                  fsd_profile_vec *out, struct fsd_error *err);
enum fsd_status fsd_profile_fit(struct fsd_inputs *d, const struct fsd_profile *p,
                                bool force, struct fsd_error *err);

/** True when layers were added that only a profile knows. */
bool fsd_profiles_added(const struct fsd_graph *engine);

/** values.c: reads opt->values; `*out` is NULL where there are none. */
enum fsd_status fsd_numbers_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                 const struct fsd_numbers **out, struct fsd_error *err);

/** Reads opt->times into d->times. */
enum fsd_status fsd_run_times_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                   struct fsd_error *err);

#endif
