/* Exit status as diff(1): 0, 1 findings at or above --fail-on, 2 trouble. */
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"

#include <stdio.h>

enum { OK, FINDINGS, TROUBLE };

static int complain(const struct fsd_error *err)
{
    char text[1024];

    end_progress();
    fprintf(stderr, "fusiondiff: %s\n", fsd_error_text(err, text, sizeof text));
    return TROUBLE;
}

static enum fsd_status write_all(const struct command_line *line,
                                 const struct fsd_diff *diff, struct fsd_error *err)
{
    for (unsigned i = 0; i < line->n_outputs; i++) {
        enum fsd_status status;

        if (line->outputs[i].path)
            progress_stage("writing");
        else
            end_progress();
        status = write_output(line, &line->outputs[i], diff, err);

        if (status != FSD_OK)
            return status;
    }
    return FSD_OK;
}

int main(int argc, char **argv)
{
    static char name[] = "fusiondiff"; /* getopt's messages begin with argv[0] */
    struct command_line line;
    struct fsd_error err = {0};
    struct fsd_diff *diff = NULL;
    int exit_status = OK;

    if (argc)
        argv[0] = name;
    parse_command_line(&line, argc, argv);
    show_progress(&line.run);
    if (check_outputs(&line, &err) != FSD_OK ||
        (!line.dump && fsd_diff_open(&diff, &line.run, &err) != FSD_OK) ||
        write_all(&line, diff, &err) != FSD_OK)
        exit_status = complain(&err);
    else if (diff && line.fail_on >= 0 &&
             fsd_diff_findings(diff, (enum fsd_severity)line.fail_on))
        exit_status = FINDINGS;
    end_progress();
    fsd_diff_free(diff);
    return exit_status;
}
