/* fusiondiff compare OLD NEW */
#define _GNU_SOURCE /* argp */
#include "cli/build_word.h"
#include "cli/output.h"
#include "cli/verb.h"

static const char doc[] =
    "Compares what the builder made of a network in two builds: which fusions, "
    "precisions, inserted layers and times changed.\v"
    "OLD and NEW are each MODEL,ENGINE[,PROFILE[,LOG]], or a directory that holds one "
    "model, one engine and at most one profile. The models may be two exports of one "
    "network: nodes are aligned by names that identify them, else by structure.\n\n"
    "Pictures show both builds side by side; --all draws all of large builds, too.\n\n"
    "Exit status: 0 the builds do not differ, 1 they do, 2 trouble. Times, tactics, "
    "names of layers and the order of layers make no difference.";

static const struct argp_option options[] = {
    {"profile", KEY_PROFILE, "FILE", OPTION_HIDDEN, NULL, 3},
    {"log", KEY_LOG, "FILE", OPTION_HIDDEN, NULL, 3},
    {"times", KEY_TIMES, "FILE", OPTION_HIDDEN, NULL, 3},
    {"around", KEY_AROUND, "NODE", 0,
     "Pictures: only what became of these nodes (a glob), and what is next to it", 5},
    {"only", KEY_ONLY, "changes", 0,
     "Pictures: only what changed and what is next to it; by default of large builds",
     5},
    {"layout-timeout", KEY_LAYOUT_TIMEOUT, "SECONDS", 0,
     "svg, png, pdf: fewer changes when the layout takes longer; 10", 5},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        if (line->query.n_words == 2)
            argp_error(state, "expected OLD and NEW, found a third build '%s'", arg);
        line->words[line->query.n_words++] = arg;
        break;
    case ARGP_KEY_END:
        if (line->query.n_words != 2)
            argp_error(state, "expected OLD and NEW");
        break;
    case KEY_PROFILE:
    case KEY_LOG:
    case KEY_TIMES:
        argp_error(state, "compare takes profiles and logs within OLD and NEW");
        break;
    default:
        return parse_picture_option(key, arg, state);
    }
    return 0;
}

static enum fsd_status print_comparison(const void *payload, const char *format,
                                        const struct fsd_style *style, FILE *out,
                                        struct fsd_error *err)
{
    return fsd_comparison_write(payload, format, style, out, err);
}

static enum fsd_status run(struct command_line *line, int *exit_status,
                           struct fsd_error *err)
{
    static struct build_word words[2];
    struct fsd_comparison *comparison = NULL;
    enum fsd_status status;

    line->other = line->run;
    status = take_build(&words[0], line->words[0], &line->run, err);
    if (status == FSD_OK)
        status = take_build(&words[1], line->words[1], &line->other, err);
    if (status == FSD_OK)
        status = check_outputs(line, err);
    if (status == FSD_OK)
        status = fsd_comparison_open(&comparison, &line->run, &line->other, err);
    if (status == FSD_OK)
        status = write_judgement(line, print_comparison, comparison, err);
    if (status == FSD_OK && fsd_comparison_differs(comparison))
        *exit_status = FINDINGS;
    fsd_comparison_free(comparison);
    return status;
}

const struct verb verb_compare = {"compare", "OLD NEW", doc,  options,
                                  parse,     run,       true, FSD_OF_COMPARISON};
