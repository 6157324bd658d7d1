/* fusiondiff lint MODEL [ENGINE]: the model before its build, proved by the engine. */
#define _GNU_SOURCE /* argp */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const char doc[] =
    "Checks a model before its build: quantizers that prevent fusions, scales, "
    "operators and types that the builder does not support, unaligned channels.  With "
    "ENGINE, the built engine confirms or withdraws each finding.\v-f json has the "
    "edits as a list that a script can apply; --fix applies them and keeps all other "
    "bytes of MODEL.\n\nExit status: 0 no finding at or above the --fail-on level, or "
    "--fix was given; 1 findings; 2 an error.";

/* Cuts the list, if there is one, at its commas. */
static void take_fix(struct command_line *line, char *list, struct argp_state *state)
{
    char *rest = list, *word;

    line->fixes = true;
    while ((word = strsep(&rest, ","))) {
        if (!*word)
            argp_error(state,
                       "--fix: expected rules or fingerprints, separated by commas");
        if (line->fix.n_what == MOST_OUTPUTS)
            argp_error(state, "--fix: expected at most %d words", MOST_OUTPUTS);
        line->fix_what[line->fix.n_what++] = word;
    }
}

static const struct option_row options[] = {
    {"for", "BUILDER",
     "Target builder: trt8, trt10, trt11 or rtx, with version and compute capability, "
     "e.g. rtx-1.7:sm89 (the default; with an ENGINE, its builder)",
     WORD(lint.builder), .words = BUILDERS},
    {"policy", "FILE", "Levels of rules, and what to ignore", WORD(lint.policy)},
    {"today", "YYYY-MM-DD",
     "Day for expiry dates of the policy (default: nothing expires)", DAY(lint.today)},
    {"list", NULL, "List all rules of lint and exit", FLAG(list)},
    {"fail-on", "LEVEL",
     "Exit with 1 if there is a finding of this level or above: info, warning or error "
     "(the default)",
     CHOICE(fail_on, SEVERITIES)},
    {"fix", "RULE|ID,...",
     "Apply the edits of all findings, or of a RULE or fingerprint ID, and write the "
     "model to -o FILE; without -o, list the edits",
     TAKEN_BY(take_fix), .optional = true},
    {"scale", "TENSOR=VALUE",
     "With --fix: scale of a tensor that is listed as to calibrate; may be repeated",
     WORDS(fix_scales, fix.n_scales)},
    {0},
};

static void check_line(struct command_line *line, struct argp_state *state)
{
    if (line->fail_on < 0)
        line->fail_on = FSD_ERROR;
    if (!line->run.model && !line->list)
        argp_error(state, "expected MODEL");
    if (line->fixes && (line->list || line->format))
        argp_error(state, "--fix writes a model or lists edits as text: it cannot be "
                          "combined with --list or -f");
    if (line->fix.n_scales && !line->fixes)
        argp_error(state, "--scale needs --fix");
    if (!line->run.engine && (line->run.log || line->run.n_profiles))
        argp_error(state, "a log or a profile needs an ENGINE");
}

static enum fsd_status print_lint(const void *payload, const struct sink *to)
{
    return payload ? fsd_linting_write(payload, to->format, to->style, to->out, to->err)
                   : fsd_linting_list(to->format, to->style, to->out, to->err);
}

struct fix_job {
    const struct fsd_linting *linting;
    const struct fsd_fix_options *fix;
    bool write;
};

/* The list, or where a model is written that; "line" is asked for beside it. */
static enum fsd_status print_fix(const void *payload, const struct sink *to)
{
    const struct fix_job *job = payload;

    return job->write && strcmp(to->format, "line") != 0
               ? fsd_linting_fix(job->linting, job->fix, to->out, to->err)
               : fsd_linting_list_fixes(job->linting, job->fix, to->format, to->out,
                                        to->err);
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

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
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
        line->exit_status = FINDINGS;
    fsd_linting_free(linting);
    return status;
}

const struct verb verb_lint = {
    "lint",
    "MODEL [ENGINE]",
    "check a model before its build, and fix it",
    doc,
    {"model.onnx", "model.onnx engine.json", "model.onnx --fix -o fixed.onnx"},
    .options = options,
    .check = check_line,
    .run = run,
    .subject = FSD_OF_LINT};
