#define _GNU_SOURCE /* argp */
#include "cli/picture_options.h"
#include "cli/progress.h"

#include <stdlib.h>
#include <string.h>

static unsigned parse_depth(const char *word, struct argp_state *state)
{
    char *end;
    unsigned long depth = strtoul(word, &end, 10);

    if (*end || *word < '1' || *word > '9' || depth > 1000)
        argp_error(state, "--depth takes 1 to 1000 steps, not '%s'", word);
    return (unsigned)depth;
}

static double parse_seconds(const char *word, struct argp_state *state)
{
    char *end;
    double seconds = strtod(word, &end);

    if (*end || end == word || !(seconds > 0 && seconds <= 86400))
        argp_error(state, "--layout-timeout takes seconds, up to a day, not '%s'",
                   word);
    return seconds;
}

error_t parse_picture_option(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;

    switch (key) {
    case KEY_AROUND:
        line->picture.around = arg;
        break;
    case KEY_DEPTH:
        line->picture.depth = parse_depth(arg, state);
        break;
    case KEY_ONLY:
        line->picture.only = arg;
        break;
    case KEY_COLLAPSE:
        line->picture.collapse = arg;
        break;
    case KEY_LAYOUT_TIMEOUT:
        line->picture.layout_seconds = parse_seconds(arg, state);
        break;
    case ARGP_KEY_INIT:
        line->picture.note = print_note;
        line->style.picture = &line->picture;
        return ARGP_ERR_UNKNOWN;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}
