/* What options that name a part of a model ask for. */
#define _GNU_SOURCE /* argp */
#include "cli/edit.h"

bool names_part(const struct command_line *line)
{
    const struct fsd_cut_options *cut = &line->part.cut;

    return cut->n_layers || cut->n_groups || cut->n_nodes || cut->n_from || cut->n_to;
}

void check_part(const struct command_line *line, struct argp_state *state)
{
    if (line->run.engine)
        return;
    if (line->part.cut.n_layers || line->part.cut.n_groups)
        argp_error(state, "--layer and --group need an ENGINE");
    if (line->run.log || line->run.n_profiles)
        argp_error(state, "a log or a profile needs an ENGINE");
}
