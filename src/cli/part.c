/* Handles the options that name a part of a model. */
#include "cli/edit.h"

bool names_part(const struct command_line *line)
{
    const struct fsd_cut_options *cut = &line->part.cut;

    return cut->n_layers || cut->n_groups || cut->n_nodes || cut->n_from || cut->n_to;
}

enum fsd_status name_failed_part(struct command_line *line,
                                 const struct fsd_failure *failure,
                                 struct fsd_error *err)
{
    static char words[MOST_CUT][16];
    const char *word;
    unsigned n = 0;

    if (names_part(line))
        return FSD_OK;
    for (; n < MOST_CUT && (word = fsd_failure_part(failure, n)); n++) {
        snprintf(words[n], sizeof words[n], "%s", word);
        line->part.nodes[n] = words[n];
    }
    line->part.cut.n_nodes = n;
    return n ? FSD_OK
             : fail_file(err, FSD_E_ARG, line->run.model,
                         "the log does not state at which nodes the build failed: "
                         "select nodes by --node");
}

void check_part(const struct command_line *line)
{
    if (line->run.engine)
        return;
    if (line->part.cut.n_layers || line->part.cut.n_groups)
        usage_error("--layer and --group need an ENGINE");
    if (line->run.log || line->run.n_profiles)
        usage_error("--log and --profile need an ENGINE");
}
