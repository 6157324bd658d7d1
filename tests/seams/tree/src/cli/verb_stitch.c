/* fusiondiff stitch: a verb that prints its name. */
#define _GNU_SOURCE /* argp */
#include "cli/verb.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)key;
    (void)arg;
    (void)state;
    return ARGP_ERR_UNKNOWN;
}

static enum fsd_status run(struct command_line *line, int *exit_status,
                           struct fsd_error *err)
{
    (void)err;
    *exit_status = OK;
    fprintf(stdout, "%s\n", line->verb->name);
    return FSD_OK;
}

const struct verb verb_stitch = {
    "stitch", "", "prints its name", "Prints its name.", {""}, NULL, parse, run,
    true,     -1};
