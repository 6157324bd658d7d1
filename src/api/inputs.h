/* The inputs of a run: the model, the engine, the build log, measured times. */
#pragma once

#include "match/story.h"
#include "read/profile/measured.h"
#include "explain/values/values.h"

/** A log is read line by line. */
#define FSD_LOG_LIMIT (UINT64_C(1) << 36)

/** The inputs of a run; constant once all are read. */
struct fsd_inputs {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    const struct fsd_engines *engines; /**< a log that has been read; NULL */
    struct fsd_graph *model, *engine;
    struct fsd_vocab *vocab;      /**< the model's names */
    struct fsd_history *history;  /**< the facts of the build log; NULL: no log */
    bool own_log;                 /**< the log is the engine's own file */
    fsd_profile_vec own_profiles; /**< layer times in the engine's file */
    struct fsd_measured times;    /**< times of the engine's layers */
};

/** Reports the start of a stage, or a remark, through the caller's callbacks. */
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

/** Moves files that were given in the wrong place. A build log as the model of another
 *  engine becomes that engine's --log, and its nodes serve as the model; a profile as
 *  the engine supplies layer names and times. What it sets lives as long as `opt`. */
void fsd_inputs_settle(struct fsd_options *opt);

/** Whether a profile was given as ENGINE. Call it with options before
 *  fsd_inputs_settle(). */
bool fsd_inputs_by_profile(const struct fsd_options *opt);

enum { FSD_FILE_POLICY = FSD__FILE_KIND_COUNT };

/** Whether the directory of a build has files of this kind. */
bool fsd_file_kind_is_of_build(enum fsd_file_kind kind);

/** After a file was refused for its format: if it is certainly a different kind of file
 *  than expected, `err` states that kind.
 *  @param wanted    enum fsd_file_kind, or FSD_FILE_POLICY.
 *  @param expected  the expected kind in words.
 *  @return status. */
enum fsd_status fsd_file_blame(const char *path, unsigned wanted, const char *expected,
                               enum fsd_status status, struct fsd_error *err);

/** After a failure: if a file is certainly of a different kind than the one it was
 *  given as, `err` states that, and which option takes such a file.
 *  @return the status that `err` then describes. */
enum fsd_status fsd_inputs_blame(const struct fsd_options *opt, enum fsd_status status,
                                 struct fsd_error *err);

/** Reads the files in `opt` into new d->model, d->engine and d->history. Without an
 *  engine, d->engine has no layers. A log given as ENGINE is also its own build log,
 *  and the model if no model is given.
 *  @return FSD_OK, or the status that `err` describes. */
enum fsd_status fsd_inputs_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                struct fsd_error *err);

/** If opt->parts is set, also reads these engines and their profiles, and joins all
 *  into d->engine and d->times. Call it after fsd_inputs_load(). parts.c
 *  @return FSD_OK, or the status that `err` describes. */
enum fsd_status fsd_parts_load(struct fsd_inputs *d, const struct fsd_options *opt,
                               struct fsd_error *err);

/** Reads one more engine of the loaded model into a new graph. */
enum fsd_status fsd_inputs_load_part(struct fsd_inputs *d,
                                     const struct fsd_options *opt, const char *path,
                                     struct fsd_graph **out, struct fsd_error *err);

/** Like fsd_inputs_load() for one side: the model only, or the engine with the model if
 *  there is one. */
enum fsd_status fsd_inputs_load_side(struct fsd_inputs *d,
                                     const struct fsd_options *opt, bool model,
                                     struct fsd_error *err);

/** Reads a log and nothing else into d->history, and the network that it states into
 *  d->model. */
enum fsd_status fsd_inputs_load_log(struct fsd_inputs *d, const char *path,
                                    struct fsd_error *err);

/* engines.c: a log of several engines, which is read once for runs of each. */

struct fsd_engines {
    struct fsd_arena *arena;
    const char *path; /**< as the caller gave it */
    struct fsd_file file;
    struct fsd_history_parts *parts; /**< NULL: each run reads the file itself */
    unsigned n;
};

/** The log if a run with these options can use it: the engine is one of its engines,
 *  and there is no other log; else NULL.
 *  @param engines  may be NULL. */
const struct fsd_engines *fsd_engines_of(const struct fsd_engines *engines,
                                         const struct fsd_options *opt);

/** The facts about the engine with this number, counted from 1, with symbols in
 * d->names. */
struct fsd_history *fsd_engines_history(const struct fsd_engines *engines,
                                        const struct fsd_inputs *d, unsigned number);

/* profiles.c: times of layers, and whether they belong to this engine. */

/** Reads opt->profiles. If the engine's dump was truncated, so that a profile has all
 *  its layers and more, the additional layers are added to the engine with nothing but
 *  their names, and a remark reports each.
 *  @return FSD_E_MISMATCH for a profile of another engine, unless forced. */
enum fsd_status fsd_profiles_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                  fsd_profile_vec *out, struct fsd_error *err);

/** The two steps of fsd_profiles_load(): read all; check that one belongs to
 *  d->engine. */
enum fsd_status fsd_profiles_read(struct fsd_inputs *d, const struct fsd_options *opt,
                                  fsd_profile_vec *out, struct fsd_error *err);
enum fsd_status fsd_profile_fit(struct fsd_inputs *d, const struct fsd_profile *p,
                                bool force, struct fsd_error *err);

/** Whether layers were added that only a profile has. */
bool fsd_profiles_added(const struct fsd_graph *engine);

/** values.c: reads opt->values; sets `*out` to NULL if there are none. */
enum fsd_status fsd_numbers_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                 const struct fsd_numbers **out, struct fsd_error *err);

/** Reads opt->times into d->times. */
enum fsd_status fsd_run_times_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                   struct fsd_error *err);
