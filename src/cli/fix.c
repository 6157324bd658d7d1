/* lint --fix: applies edits to the model, or lists the edits. */
#include "cli/edit.h"

#include <string.h>

/* Stores the words of the list, which commas separate. `list` may be NULL. */
void take_fix(struct command_line *line, char *list)
{
    char *next = list;

    line->fix.wanted = true;
    while (next) {
        char *word = next, *comma = strchr(word, ',');

        next = comma ? comma + 1 : NULL;
        if (comma)
            *comma = '\0';
        if (!*word)
            usage_error("--fix: expected rules or fingerprints, separated by commas");
        if (line->fix.options.n_what == MOST_OUTPUTS)
            usage_error("--fix: expected at most %d rules and fingerprints",
                        MOST_OUTPUTS);
        line->fix.what[line->fix.options.n_what++] = word;
    }
}

struct fix_job {
    const struct fsd_linting *linting;
    const struct fsd_fix_options *fix;
    bool write;
};

/* Prints the list of edits or writes the model. With the format "line", prints the list
 * even if a model is written. */
static enum fsd_status print_fix(const void *payload, const struct sink *to)
{
    const struct fix_job *job = payload;

    return job->write && strcmp(to->format, "line") != 0
               ? fsd_linting_fix(job->linting, job->fix, to->out, to->err)
               : fsd_linting_list_fixes(job->linting, job->fix, to->format, to->out,
                                        to->err);
}

/* If no edit applies, prints the list, which has the reasons, and writes no model. */
static enum fsd_status say_nothing_applies(struct command_line *line,
                                           const struct fix_job *job,
                                           struct fsd_error *err)
{
    line->exit_status = FINDINGS;
    end_progress();
    return line->quiet
               ? FSD_OK
               : fsd_linting_list_fixes(job->linting, job->fix, "text", stderr, err);
}

enum fsd_status fix_model(struct command_line *line, const struct fsd_linting *linting,
                          struct fsd_error *err)
{
    struct fix_job job = {linting, &line->fix.options, line->outputs[0].path != NULL};
    bool moved = false;
    enum fsd_status status;

    for (unsigned i = 0; i < line->n_outputs; i++) {
        if ((line->outputs[i].path != NULL) != job.write)
            return fail_file(
                err, FSD_E_ARG, "-o",
                "expected either standard output or files as outputs, found both");
        moved |= job.write && !is_same_folder(line->run.model, line->outputs[i].path);
    }
    status = write_judgement(line, print_fix, &job, err);
    if (status == FSD_E_UNSUPPORTED && job.write)
        return say_nothing_applies(line, &job, err);
    if (status == FSD_OK && moved)
        note_weights(line);
    return status;
}
