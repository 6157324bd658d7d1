/* Handles the arguments MODEL and ENGINE. A single argument is the ENGINE, unless
 * --part names the engines. need_pair() applies this rule after the parser has read all
 * words. */
#include "cli/cli.h"
#include "host/files.h"

static bool is_there(const char *path)
{
    struct stat st;

    return !strcmp(path, "-") || !stat(path, &st);
}

bool take_input(struct command_line *line, char *arg)
{
    const char *dot = strrchr(arg, '.');
    static const char *const endings[] = {".json", ".onnx", ".log", ".txt",
                                          ".xz",   ".gz",   ".zst"};
    bool file = is_there(arg);

    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        file = file || !strcmp(dot, endings[i]); /* with such an ending, `arg` is a
                                                    missing file, not a node */
    return (file || !line->run.model) && take_pair(line, arg);
}

bool take_pair(struct command_line *line, char *arg)
{
    if (!line->run.model)
        line->run.model = arg;
    else if (!line->run.engine)
        line->run.engine = arg;
    else
        return false;
    return true;
}

void take_one_pair(struct command_line *line, char *arg)
{
    if (!take_pair(line, arg))
        usage_error("expected MODEL and ENGINE, found a third file '%s'", arg);
}

void need_pair(struct command_line *line)
{
    if (!line->run.model && !line->run.engine)
        usage_error("expected MODEL and %s",
                    line->run.n_parts ? "--part ENGINE" : "ENGINE");
    if (line->run.engine && line->run.n_parts)
        usage_error("expected ENGINE or --part, found both '%s' and '%s'",
                    line->run.engine, line->parts[0]);
    if (line->run.n_parts)
        line->run.engine = line->parts[0];
    if (line->run.engine)
        return;
    line->run.engine = line->run.model;
    line->run.model = NULL;
}

/* -------------------------------------------------------------------- failed builds */

/* Opens ENGINE as the log of a failed build; NULL if it is not such a log. */
static struct fsd_failure *open_log(const struct command_line *line, const char *model)
{
    struct fsd_options opt = line->run;
    struct fsd_failure *failure = NULL;

    opt.model = model;
    if (opt.engine && !opt.n_parts && !opt.log && strcmp(opt.engine, "-") != 0)
        fsd_failure_open(&failure, &opt, NULL);
    return failure;
}

struct fsd_failure *open_failure(const struct command_line *line)
{
    return open_log(line, line->run.model);
}

bool is_failed_build(const struct command_line *line)
{
    struct fsd_failure *failure = open_log(line, NULL);

    fsd_failure_free(failure);
    return failure != NULL;
}

static enum fsd_status print_failure(const void *payload, const struct sink *to)
{
    return fsd_failure_write(payload, to->format, to->style, to->out, to->err);
}

bool report_failure(const struct command_line *line)
{
    struct fsd_failure *failure = open_failure(line);
    struct fsd_error why;
    char text[512];
    bool reported =
        failure && write_outputs(line, print_failure, failure, &why) == FSD_OK;

    /* The verb's own error states only that the build failed. If no report was written,
     * a note states the reason. */
    if (failure && !reported)
        print_note(NULL, fsd_error_text(&why, text, sizeof text));
    fsd_failure_free(failure);
    return reported;
}

void note_failure(const struct command_line *line, const struct fsd_failure *failure)
{
    if (!line->quiet)
        print_note(NULL, fsd_failure_conclusion(failure));
}
