/* fusiondiff lint MODEL [ENGINE]: the model before its build, proved by the engine. */
#define _GNU_SOURCE /* argp */
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/target.h"
#include "cli/verb.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEY_FOR = 896,
    KEY_POLICY,
    KEY_TODAY,
    KEY_LIST,
    KEY_FAIL_ON,
    KEY_FIX,
    KEY_SCALE
};

static const struct argp_option options[] = {
    {"for", KEY_FOR, "BUILDER", 0,
     "Target builder: trt8, trt10, trt11 or rtx, with version and compute capability, "
     "e.g. rtx-1.7:sm89 (the default; with an ENGINE, its builder)",
     3},
    {"policy", KEY_POLICY, "FILE", 0, "Levels of rules, and what to ignore", 3},
    {"today", KEY_TODAY, "YYYY-MM-DD", 0,
     "Day for expiry dates of the policy (default: nothing expires)", 3},
    {"list", KEY_LIST, NULL, 0, "List all rules of lint and exit", 3},
    {"fail-on", KEY_FAIL_ON, "LEVEL", 0,
     "Exit with 1 if there is a finding of this level or above: info, warning or error "
     "(the default)",
     3},
    {"fix", KEY_FIX, "RULE|ID,...", OPTION_ARG_OPTIONAL,
     "Apply the edits of all findings, or of a RULE or fingerprint ID, and write the "
     "model to -o FILE; without -o, list the edits",
     3},
    {"scale", KEY_SCALE, "TENSOR=VALUE", 0,
     "With --fix: scale of a tensor that is listed as to calibrate; may be repeated",
     3},
    {0},
};

static const char doc[] =
    "Checks a model before its build: quantizers that prevent fusions, scales, "
    "operators and types that the builder does not support, unaligned channels.  With "
    "ENGINE, the built engine confirms or withdraws each finding.\v-f json has the "
    "edits as a list that a script can apply; --fix applies them and keeps all other "
    "bytes of MODEL.\n\nExit status: 0 no finding at or above the --fail-on level, or "
    "--fix was given; 1 findings; 2 an error.";

/* Cuts the list at its commas. */
static void take_what(struct command_line *line, char *list, struct argp_state *state)
{
    char *rest = list, *word;

    while ((word = strsep(&rest, ","))) {
        if (!*word)
            argp_error(state,
                       "--fix: expected rules or fingerprints, separated by commas");
        if (line->fix.n_what == MOST_OUTPUTS)
            argp_error(state, "--fix: expected at most %d words", MOST_OUTPUTS);
        line->fix_what[line->fix.n_what++] = word;
    }
}

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
    case KEY_FIX:
        line->fixes = line->one_format = true;
        if (arg)
            take_what(line, arg, state);
        break;
    case KEY_SCALE:
        if (line->fix.n_scales == MOST_WORDS)
            argp_error(state, "--scale: expected at most %d of them", MOST_WORDS);
        line->fix_scales[line->fix.n_scales++] = arg;
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
        if (line->fixes && (line->list || line->format))
            argp_error(state, "--fix writes a model or lists edits as text: it cannot "
                              "be combined with --list or -f");
        if (line->fix.n_scales && !line->fixes)
            argp_error(state, "--scale needs --fix");
        line->fix.what = line->fix_what;
        line->fix.scales = line->fix_scales;
        if (!line->run.engine && (line->run.log || line->run.n_profiles))
            argp_error(state, "a log or a profile needs an ENGINE");
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

struct fix_job {
    const struct fsd_linting *linting;
    const struct fsd_fix_options *fix;
    bool write;
};

/* The list, or where a model is written that; "line" is asked for beside it. */
static enum fsd_status print_fix(const void *payload, const char *format,
                                 const struct fsd_style *style, FILE *out,
                                 struct fsd_error *err)
{
    const struct fix_job *job = payload;

    (void)style;
    return job->write && strcmp(format, "line") != 0
               ? fsd_linting_fix(job->linting, job->fix, out, err)
               : fsd_linting_list_fixes(job->linting, job->fix, format, out, err);
}

static enum fsd_status fix(struct command_line *line, const struct fsd_linting *linting,
                           struct fsd_error *err)
{
    struct fix_job job = {linting, &line->fix, line->outputs[0].path != NULL};
    bool moved = false;
    enum fsd_status status;

    for (unsigned i = 0; i < line->n_outputs; i++) {
        if ((line->outputs[i].path != NULL) != job.write)
            return fail_file(err, FSD_E_ARG, "-o",
                             "expected files, found standard output beside one");
        moved |= job.write && !is_same_folder(line->run.model, line->outputs[i].path);
    }
    status = write_judgement(line, print_fix, &job, err);
    if (status == FSD_OK && moved && !line->quiet && fsd_linting_has_external(linting))
        print_note(NULL, "the weights are in external files: copy them into the folder "
                         "of the fixed model");
    return status;
}

static enum fsd_status run(struct command_line *line, int *exit_status,
                           struct fsd_error *err)
{
    struct fsd_linting *linting = NULL;
    enum fsd_status status = FSD_OK;

    if (!line->list)
        status = fsd_linting_open(&linting, &line->run, &line->lint, err);
    if (status == FSD_OK)
        status = line->fixes ? fix(line, linting, err)
                             : write_outputs(line, print_lint, linting, err);
    if (status == FSD_OK && linting && !line->fixes &&
        fsd_linting_findings(linting, (enum fsd_severity)line->fail_on))
        *exit_status = FINDINGS;
    fsd_linting_free(linting);
    return status;
}

const struct verb verb_lint = {
    "lint",
    "MODEL [ENGINE]",
    "check a model before its build, and fix it",
    doc,
    {"model.onnx", "model.onnx engine.json", "model.onnx --fix -o fixed.onnx"},
    options,
    parse,
    run,
    false,
    FSD_OF_LINT};
