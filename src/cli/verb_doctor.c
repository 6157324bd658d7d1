/* fusiondiff doctor: shows what the program can do on this machine. */
#include "cli/cli.h"

static enum fsd_status print_about(const void *payload, const struct sink *to)
{
    (void)payload;
    return fsd_about(to->format, to->style, to->out, to->err);
}

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    return write_outputs(line, print_about, line, err);
}

static const char doc[] =
    "Shows what fusiondiff supports on this machine: the files it reads, the formats "
    "it writes, and whether a test of Graphviz succeeds.";

const struct verb verb_doctor = {"doctor",
                                 "",
                                 "show what fusiondiff supports on this machine",
                                 doc,
                                 {"", "-f json"},
                                 .run = run,
                                 .two_builds = true,
                                 .subject = FSD_OF_VIEW};
