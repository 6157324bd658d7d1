/* fusiondiff snapshot MODEL ENGINE -o FILE: what a gate compares with. */
#define _GNU_SOURCE /* argp */
#include "cli/output.h"
#include "cli/verb.h"

enum { KEY_WITH_TIMES = 640 };

static const struct argp_option options[] = {
    {"with-times", KEY_WITH_TIMES, NULL, 0,
     "Refuse to write a snapshot without milliseconds, which are kept of any --profile",
     3},
    {0},
};

static const char doc[] =
    "Writes what the builder made of a model as a text file to commit: one line a node "
    "and one a fusion group, in the model's order.\v"
    "The same inputs give the same bytes, and a change of one fusion changes a handful "
    "of lines. 'fusiondiff check' compares a later build with it. There is one format.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        line->one_format = true;
        break;
    case KEY_WITH_TIMES:
        line->with_times = true;
        break;
    case ARGP_KEY_ARG:
        take_one_pair(line, arg, state);
        break;
    case ARGP_KEY_END:
        need_pair(line, state);
        if (line->format)
            argp_error(state, "a snapshot has no other format");
        if (line->with_times && line->run.model && !line->run.n_profiles)
            argp_error(state, "--with-times needs a --profile");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static enum fsd_status print_snapshot(const void *payload, const char *format,
                                      const struct fsd_style *style, FILE *out,
                                      struct fsd_error *err)
{
    const struct command_line *line = payload;

    (void)format;
    (void)style;
    return fsd_snapshot_make(&line->run, out, err);
}

static enum fsd_status run(struct command_line *line, int *exit_status,
                           struct fsd_error *err)
{
    (void)exit_status;
    return write_outputs(line, print_snapshot, line, err);
}

const struct verb verb_snapshot = {"snapshot", "MODEL ENGINE", doc, options, parse,
                                   run,        false,          -1};
