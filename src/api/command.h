/* The words of a command line that asks for what options ask for. */
#ifndef FSD_API_COMMAND_H
#define FSD_API_COMMAND_H

#include "diff/diff.h"
#include "out/issue.h"

/** In the arena; paths are made valid UTF-8 as all names are. */
const struct fsd_command *fsd_command_new(struct fsd_arena *arena,
                                          struct fsd_intern *names,
                                          const struct fsd_options *opt);

/** Prints " OPTION WORD", the word as a shell takes it; of NULL nothing. */
void fsd_put_option(struct fsd_intern *names, const char *option, const char *word,
                    FILE *out);

/** The command of the build that `collect` put into the directory of the engine; NULL
 *  where it put none there.  issue_command.c
 *  @param names  owns its texts. */
const struct fsd_issue_command *fsd_issue_command_of(struct fsd_arena *arena,
                                                     struct fsd_intern *names,
                                                     const char *engine);

#endif
