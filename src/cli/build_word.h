/* One build, given as one word on the command line. */
#ifndef FSD_CLI_BUILD_WORD_H
#define FSD_CLI_BUILD_WORD_H

#include "cli/options.h"

/** Room for what the word is taken apart into; lives as long as the run. */
struct build_word {
    char model[4096], engine[4096], log[4096], times[4096];
    char profile[MOST_OUTPUTS][4096];
    const char *profiles[MOST_OUTPUTS];
    unsigned n_profiles;
};

/** Takes "MODEL,ENGINE[,PROFILE[,LOG]]", or a directory, and fills the paths of `run`;
 *  the rest of `run` stays.
 *  @return FSD_OK; FSD_E_ARG for a word that is neither; FSD_E_IO. */
enum fsd_status take_build(struct build_word *build, const char *word,
                           struct fsd_options *run, struct fsd_error *err);

/** Where one directory was given for all files of a build, puts these into their places,
 *  as far as no option filled them, and says on standard error which was taken for
 *  what.
 *  @return FSD_OK, also when there was no directory; FSD_E_ARG when it does not hold
 *          one build; FSD_E_IO. */
enum fsd_status take_folder(struct build_word *build, struct fsd_options *run,
                            struct fsd_error *err);

#endif
