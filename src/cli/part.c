/* Options that name a part of a model. */
#define _GNU_SOURCE /* argp */
#include "cli/part.h"

/* The list of an option, in the order of cut_words. */
static void take_word(struct command_line *line, int key, const char *word,
                      struct argp_state *state)
{
    struct fsd_cut_options *cut = &line->cut;
    unsigned *const counts[] = {&cut->n_layers, &cut->n_groups, &cut->n_nodes,
                                &cut->n_from, &cut->n_to};
    const char *const **const lists[] = {&cut->layers, &cut->groups, &cut->nodes,
                                         &cut->from, &cut->to};
    unsigned *n = counts[key - KEY_LAYER];

    if (*n == MOST_CUT)
        argp_error(state, "expected at most %d of one option", MOST_CUT);
    line->cut_words[key - KEY_LAYER][(*n)++] = word;
    *lists[key - KEY_LAYER] = line->cut_words[key - KEY_LAYER];
}

error_t parse_part_option(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;

    switch (key) {
    case KEY_LAYER:
    case KEY_GROUP:
    case KEY_NODE:
    case KEY_FROM:
    case KEY_TO:
        take_word(line, key, arg, state);
        return 0;
    case KEY_CONTEXT:
        line->cut.context =
            parse_number("--context", "a number of steps", arg, 0, 1000000, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

bool names_part(const struct command_line *line)
{
    const struct fsd_cut_options *cut = &line->cut;

    return cut->n_layers || cut->n_groups || cut->n_nodes || cut->n_from || cut->n_to;
}

void check_part(const struct command_line *line, struct argp_state *state)
{
    if ((line->cut.n_layers || line->cut.n_groups) && !line->run.engine)
        argp_error(state, "--layer and --group need an ENGINE");
    if (!line->run.engine && (line->run.log || line->run.n_profiles))
        argp_error(state, "a log or a profile needs an ENGINE");
}
