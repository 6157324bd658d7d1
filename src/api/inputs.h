/* The inputs of a run: the model, the engine, the build log, measured times. */
#pragma once

#include "match/story.h"
#include "read/profile/measured.h"
#include "explain/values/values.h"

/** Size limit of a log in bytes. It is large because logs are read line by line. */
#define FSD_LOG_LIMIT (UINT64_C(1) << 36)

/** The inputs of a run. They do not change after all are read. */
struct fsd_inputs {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    const struct fsd_engines *engines; /**< a log of several engines that was read
                                            before; NULL: none */
    struct fsd_graph *model, *engine;
    struct fsd_vocab *vocab;      /**< the model's names */
    struct fsd_history *history;  /**< the facts of the build log; NULL: no log */
    bool own_log;                 /**< the log is the engine's own file */
    fsd_profile_vec own_profiles; /**< layer times in the engine's file */
    struct fsd_measured times;    /**< times of the engine's layers */
};

/** Reports the start of a stage to the caller's `progress`. */
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

/** Corrects options whose files are in the wrong field. If `opt->model` is a build log,
 * and there is an engine but no `opt->log`, the file becomes `opt->log`, and the
 * network in the log is then the model. If `opt->engine` is a profile, and
 * `opt->profiles` is empty, the file also becomes the only profile: `opt->profiles` is
 * set to the address of the field `opt->engine`. */
void fsd_inputs_settle(struct fsd_options *opt);

/** Whether the user gave a profile as ENGINE. Must be called before
 * fsd_inputs_settle(). */
bool fsd_inputs_by_profile(const struct fsd_options *opt);

enum { FSD_FILE_POLICY = FSD__FILE_KIND_COUNT };

/** Whether the directory of a build may hold files of this kind. */
bool fsd_file_kind_is_of_build(enum fsd_file_kind kind);

/** Improves the error on a file whose format was refused. If the file is recognized as
 * another kind than `wanted`, `err` names this kind.
 * @param wanted the expected kind: enum fsd_file_kind, or FSD_FILE_POLICY
 * @param expected the expected kind in words
 * @return `status` */
enum fsd_status fsd_file_blame(const char *path, unsigned wanted, const char *expected,
                               enum fsd_status status, struct fsd_error *err);

/** Improves the error of a failed run. If opt->model or opt->engine is certainly a file
 * of the wrong kind, `err` names the kind of the file, and the right option for it.
 * @return the status that `err` then describes */
enum fsd_status fsd_inputs_blame(const struct fsd_options *opt, enum fsd_status status,
                                 struct fsd_error *err);

/** Reads the files of `opt` into new d->model, d->engine and d->history. Without an
 * engine, d->engine has no layers. If ENGINE is a log, this log is also the build
 * log. Without a model, the network in the build log is the model.
 * @return FSD_OK, or the status that `err` describes */
enum fsd_status fsd_inputs_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                struct fsd_error *err);

/** Reads the engines of opt->parts and their profiles, and joins all engines into
 * d->engine and d->times. Does nothing without opt->parts. Must be called after
 * fsd_inputs_load(). parts.c
 * @return FSD_OK, or the status that `err` describes */
enum fsd_status fsd_parts_load(struct fsd_inputs *d, const struct fsd_options *opt,
                               struct fsd_error *err);

/** Reads a further engine of the loaded model into a new graph. */
enum fsd_status fsd_inputs_load_part(struct fsd_inputs *d,
                                     const struct fsd_options *opt, const char *path,
                                     struct fsd_graph **out, struct fsd_error *err);

/** Like fsd_inputs_load(), but reads only one side.
 * @param model true: read the model only; false: read the engine, and the model if
 *         there is one */
enum fsd_status fsd_inputs_load_side(struct fsd_inputs *d,
                                     const struct fsd_options *opt, bool model,
                                     struct fsd_error *err);

/** Reads only a log: its facts into d->history, and its network into d->model. */
enum fsd_status fsd_inputs_load_log(struct fsd_inputs *d, const char *path,
                                    struct fsd_error *err);

/* A log of several engines, which is read once for the runs of all of them.
 * engines.c */

struct fsd_engines {
    struct fsd_arena *arena;
    const char *path; /**< the path that the caller passed */
    struct fsd_file file;
    struct fsd_history_parts *parts; /**< the facts of each engine; NULL: each run reads
                                          the file itself */
    unsigned n;
};

/** Returns `engines` if a run with these options can use this log: the run's engine
 * must be in the log, and the run must have no other log. Otherwise returns NULL.
 * @param engines may be NULL */
const struct fsd_engines *fsd_engines_of(const struct fsd_engines *engines,
                                         const struct fsd_options *opt);

/** The facts about one engine of the log. The symbols in these facts are in d->names.
 * @param number the engine's number, from 1 */
struct fsd_history *fsd_engines_history(const struct fsd_engines *engines,
                                        const struct fsd_inputs *d, unsigned number);

/* Functions that read layer times, and check that the times belong to the engine of the
 * run. profiles.c */

/** Reads opt->profiles. If the engine dump is truncated, a profile may have more layers
 * than the dump. The additional layers are added to the engine, with only their names,
 * and a remark reports this.
 * @return FSD_OK; FSD_E_MISMATCH for a profile of another engine, unless forced; or
 *         another status that `err` describes */
enum fsd_status fsd_profiles_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                  fsd_profile_vec *out, struct fsd_error *err);

/** The two steps of fsd_profiles_load(). fsd_profiles_read() reads all profiles.
 * fsd_profile_fit() checks that the profile `p` belongs to d->engine. */
enum fsd_status fsd_profiles_read(struct fsd_inputs *d, const struct fsd_options *opt,
                                  fsd_profile_vec *out, struct fsd_error *err);
enum fsd_status fsd_profile_fit(struct fsd_inputs *d, const struct fsd_profile *p,
                                bool force, struct fsd_error *err);

/** Whether the engine has layers that came from a profile. */
bool fsd_profiles_added(const struct fsd_graph *engine);

/** Reads opt->values; sets `*out` to NULL without opt->values. values.c */
enum fsd_status fsd_numbers_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                 const struct fsd_numbers **out, struct fsd_error *err);

/** Reads opt->times into d->times. */
enum fsd_status fsd_run_times_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                   struct fsd_error *err);
