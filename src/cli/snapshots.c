/* Snapshots that are rewritten: by `check --update`, of one build or of a list, and by
 * `snapshot`, which notes what of the old one goes. */
#define _GNU_SOURCE /* argp */
#include "cli/cli.h"

static enum fsd_status print_snapshot(const void *payload, const struct sink *to)
{
    return fsd_check_update(payload, to->out, to->err);
}

/* As any report is written: whole, or not at all. */
enum fsd_status update_snapshot(const struct command_line *line,
                                const struct fsd_check *check, struct fsd_error *err)
{
    struct command_line to = *line;

    to.n_outputs = 1;
    to.outputs[0] = (struct output){.path = fsd_check_snapshot(check), .updates = true};
    return write_outputs(&to, print_snapshot, check, err);
}

/* What is overwritten is not lost without a word. */
void report_dropped(const struct command_line *line, const char *path)
{
    unsigned builds = path ? fsd_snapshot_builds(path) : 0;
    char text[256];

    if (builds < 2 || !line->run.note)
        return;
    snprintf(text, sizeof text,
             "%.150s: the variants of its %u builds are dropped (--also keeps them)",
             path, builds);
    line->run.note(line->run.payload, text);
}
