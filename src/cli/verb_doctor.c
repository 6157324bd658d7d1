/* fusiondiff doctor: what the program can do here. */
#define _GNU_SOURCE /* argp */
#include "cli/output.h"
#include "cli/verb.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    argp_error(state, "doctor: expected no files, found '%s'", arg);
    return 0;
}

static enum fsd_status print_about(const void *payload, const char *format,
                                   const struct fsd_style *style, FILE *out,
                                   struct fsd_error *err)
{
    (void)payload;
    return fsd_about(format, style, out, err);
}

static enum fsd_status run(struct command_line *line, int *exit_status,
                           struct fsd_error *err)
{
    (void)exit_status;
    return write_outputs(line, print_about, line, err);
}

static const char doc[] =
    "Shows what this program supports on this machine: the files it reads, the formats "
    "it writes, and whether Graphviz works, which it tests.";

const struct verb verb_doctor = {"doctor",
                                 "",
                                 "show what this program supports on this machine",
                                 doc,
                                 {"", "-f json"},
                                 NULL,
                                 parse,
                                 run,
                                 true,
                                 FSD_OF_VIEW};
