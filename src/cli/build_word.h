/* One build, given as one word on the command line. */
#ifndef FSD_CLI_BUILD_WORD_H
#define FSD_CLI_BUILD_WORD_H

#include <fusiondiff/fusiondiff.h>

/** Room for what the word is taken apart into; lives as long as the run. */
struct build_word {
    char model[4096], engine[4096], profile[4096], log[4096];
    const char *profiles[1];
};

/** Takes "MODEL,ENGINE[,PROFILE[,LOG]]", or a directory that holds one model, one
 * engine and at most one profile, and fills the paths of `run`; the rest of `run`
 * stays.
 *  @return FSD_OK; FSD_E_ARG for a word that is neither; FSD_E_IO. */
enum fsd_status take_build(struct build_word *build, const char *word,
                           struct fsd_options *run, struct fsd_error *err);

#endif
