/* One build, given as one word on the command line. */
#ifndef FSD_CLI_BUILD_WORD_H
#define FSD_CLI_BUILD_WORD_H

#include "cli/options.h"

/** The file that a build's directory has until `collect` has all of it there. */
#define FSD_UNFINISHED "UNFINISHED"

/** Room for the parsed word; must live as long as the run. */
struct build_word {
    char model[4096], engine[4096], log[4096], times[4096];
    char profile[MOST_OUTPUTS][4096];
    const char *profiles[MOST_OUTPUTS];
    unsigned n_profiles;
    const char *parts[MOST_OUTPUTS]; /* in `engine` */
    unsigned n_parts;
};

/** Takes "MODEL,ENGINE[+ENGINE...][,PROFILE[+PROFILE...][,LOG]]", or a directory, and
 *  fills the paths of `run`; the rest of `run` stays.
 *  @param model  of a word that does not begin with one; NULL: none.
 *  @return FSD_OK; FSD_E_ARG for a word that is neither; FSD_E_IO. */
enum fsd_status take_also(struct build_word *build, const char *word, const char *model,
                          struct fsd_options *run, struct fsd_error *err);

/** Takes each word so.  One directory alone may hold several builds: each a directory
 *  or a snapshot of its own, or one model and its engines.
 *  @param like  what all of them have besides: `n` words become `*n_runs` of `runs`.
 *  @return as take_also(); FSD_E_ARG for less than two builds, or more than `most`. */
enum fsd_status take_builds(struct build_word *builds, const char *const *words,
                            unsigned n, const struct fsd_options *like,
                            struct fsd_options *runs, unsigned most, unsigned *n_runs,
                            struct fsd_error *err);

/** NULL is none. */
bool is_directory(const char *path);

/** Called with a build in a directory: MODEL, "" if there is none, and ENGINE; or with
 *  a directory or a snapshot that is one, as MODEL alone. */
typedef enum fsd_status build_fn(void *payload, const char *model, const char *engine,
                                 struct fsd_error *err);

/** Calls `each` for the builds in a directory, by name: each a directory or a snapshot
 *  of its own, or one model and its engines.
 *  @return what `each` returned other than FSD_OK; FSD_E_ARG for two models;
 *  FSD_E_IO. */
enum fsd_status each_build(const char *folder, build_fn *each, void *payload,
                           struct fsd_error *err);

/** Room for the snapshots of a directory. */
struct snapshots_word {
    char path[128][4096];
    const char *paths[128];
};

/** Where the snapshot of a check is a directory, lists those in it.
 *  @return FSD_OK, also when it is none; FSD_E_ARG when there is no snapshot in it, or
 *          too many; FSD_E_IO. */
enum fsd_status take_snapshots(struct snapshots_word *out,
                               struct fsd_check_options *check, struct fsd_error *err);

/** Where one directory was given for all files of a build, puts these into their
 *  places, as far as no option filled them, and says on standard error which was taken
 *  for what.
 *  @return FSD_OK, also when there was no directory; FSD_E_ARG when it does not hold
 *          one build; FSD_E_IO. */
enum fsd_status take_folder(struct build_word *build, struct fsd_options *run,
                            struct fsd_error *err);

#endif
