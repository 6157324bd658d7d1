/* fusiondiff lint MODEL [ENGINE]: the model before its build, proved by the engine. */
#define _GNU_SOURCE /* argp */
#include "cli/output.h"
#include "cli/verb.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_FOR = 896, KEY_POLICY, KEY_TODAY, KEY_LIST, KEY_FAIL_ON };

static const struct argp_option options[] = {
    {"for", KEY_FOR, "BUILDER", 0,
     "trt8, trt10, trt11 or rtx, with a version and a compute capability as "
     "rtx-1.7:sm89, which is the default; with an ENGINE the builder that made it",
     3},
    {"policy", KEY_POLICY, "FILE", 0, "Levels of rules, and what to ignore", 3},
    {"today", KEY_TODAY, "YYYY-MM-DD", 0, "For ignores that expire; else none has", 3},
    {"list", KEY_LIST, NULL, 0, "List all rules of lint, and end", 3},
    {"fail-on", KEY_FAIL_ON, "LEVEL", 0,
     "Exit status 1 when there are findings of info, warning or error, the default", 3},
    {0},
};

static const char doc[] =
    "Judges a model before its build: quantizers that cost fusions, scales, operators "
    "and types that the builder refuses, channels that fill no vector.  With ENGINE "
    "each finding is confirmed or withdrawn by what was built.\v"
    "-f json has the changes to the model, as a list that a script can apply.\n\n"
    "Exit status: 0 no finding at or above the --fail-on level, 1 findings, 2 trouble.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;

    switch (key) {
    case KEY_FOR:
        line->lint.builder = arg;
        break;
    case KEY_POLICY:
        line->lint.policy = arg;
        break;
    case KEY_TODAY:
        line->lint.today = parse_day(arg, state);
        break;
    case KEY_LIST:
        line->list = true;
        break;
    case KEY_FAIL_ON:
        line->fail_on = parse_severity(arg, state);
        break;
    case ARGP_KEY_ARG:
        take_one_pair(line, arg, state);
        break;
    case ARGP_KEY_INIT:
        line->fail_on = FSD_ERROR;
        return ARGP_ERR_UNKNOWN;
    case ARGP_KEY_END:
        if (!line->run.model && !line->list)
            argp_error(state, "expected MODEL");
        if (!line->run.engine && (line->run.log || line->run.n_profiles))
            argp_error(state, "a log or a profile is of an ENGINE, which is not given");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static enum fsd_status print_lint(const void *payload, const char *format,
                                  const struct fsd_style *style, FILE *out,
                                  struct fsd_error *err)
{
    return payload ? fsd_linting_write(payload, format, style, out, err)
                   : fsd_linting_list(format, style, out, err);
}

static enum fsd_status run(struct command_line *line, int *exit_status,
                           struct fsd_error *err)
{
    struct fsd_linting *linting = NULL;
    enum fsd_status status = FSD_OK;

    if (!line->list)
        status = fsd_linting_open(&linting, &line->run, &line->lint, err);
    if (status == FSD_OK)
        status = write_outputs(line, print_lint, linting, err);
    if (status == FSD_OK && linting &&
        fsd_linting_findings(linting, (enum fsd_severity)line->fail_on))
        *exit_status = FINDINGS;
    fsd_linting_free(linting);
    return status;
}

const struct verb verb_lint = {
    "lint",
    "MODEL [ENGINE]",
    "the model before the build, and its findings proved on the engine",
    doc,
    {"model.onnx", "model.onnx engine.json", "build/ -o lint.html"},
    options,
    parse,
    run,
    false,
    FSD_OF_LINT};
