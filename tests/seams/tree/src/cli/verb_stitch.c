/* fusiondiff stitch: a verb that prints its name. */
#define _GNU_SOURCE /* argp */
#include "cli/cli.h"

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    (void)err;
    fprintf(stdout, "%s\n", line->verb->name);
    return FSD_OK;
}

const struct verb verb_stitch = {"stitch",           "",           "prints its name",
                                 "Prints its name.", {""},         .run = run,
                                 .two_builds = true, .subject = -1};
