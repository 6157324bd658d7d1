/* fusiondiff lint MODEL [ENGINE]: checks the model before its build. An engine confirms
 * findings. */
#include "cli/edit.h"

/* A program without the edit library has no --fix. */
#ifdef FSD_EDIT
#define FIX_ROWS                                                                       \
    {"fix", "RULE|ID,...",                                                             \
     "Apply the edits of all findings, of a RULE, or of the finding with fingerprint " \
     "ID, and write the model to -o FILE; without -o, list the edits",                 \
     TAKEN_BY(take_fix), .optional = true},                                            \
        {"scale", "TENSOR=VALUE",                                                      \
         "With --fix: set the scale of TENSOR, if the list of edits says that TENSOR " \
         "must be calibrated; may be repeated",                                        \
         WORDS(fix.scales, fix.options.n_scales)},
#else
#define FIX_ROWS
#define fix_model(line, linting, err) FSD_OK
#endif

#define FIXES FSD_IF_EDIT("; --fix applies them and keeps all other bytes of MODEL", "")

#define NO_STATUS FSD_IF_EDIT(", or --fix has applied or listed edits", "")
#define NO_EDIT   FSD_IF_EDIT(", or --fix found no edit to apply and wrote no file", "")

static const char doc[] =
    "Checks a model before its build for operators, types and scales that the builder "
    "does not support, for unaligned channels, and for quantizers that prevent "
    "fusions.  With ENGINE, lint reports whether the built engine confirms each "
    "finding.  ENGINE may be the log of a failed build, which states the target "
    "builder.\v-f json lists the edits for a script to apply" FIXES
    ".\n\nExit status: 0: no finding of the --fail-on level or above" NO_STATUS "; "
    "1: there is such a finding" NO_EDIT "; 2: an error.";

static const struct option_row options[] = {
    {"for", "BUILDER",
     "Target builder: trt8, trt10, trt11 or rtx, with version and compute "
     "capability (default: the builder of ENGINE; without an ENGINE, rtx-1.7:sm89)",
     WORD(lint.options.builder), .words = BUILDERS},
    {"policy", "FILE",
     "Policy file with the levels of rules, and the findings to ignore",
     INPUT(lint.options.policy)},
    {"today", "YYYY-MM-DD",
     "Compare the expiry dates of the policy with this date (default: nothing expires)",
     DAY(lint.options.today)},
    {"list", NULL, "List all rules of lint and exit", FLAG(lint.list)},
    {"fail-on", "LEVEL",
     "Exit with 1 if there is a finding of this level or above: info, warning or error "
     "(the default)",
     CHOICE(fail_on, SEVERITIES)},
    FIX_ROWS{0},
};

static void check_line(struct command_line *line)
{
    if (line->fail_on < 0)
        line->fail_on = FSD_ERROR;
    if (!line->run.model && !line->lint.list)
        usage_error("expected MODEL");
    if (line->fix.wanted && (line->lint.list || line->format))
        usage_error("--fix writes a model or lists edits as text: it cannot be "
                    "combined with --list or -f");
    if (line->fix.options.n_scales && !line->fix.wanted)
        usage_error("--scale needs --fix");
    if (!line->run.engine && (line->run.log || line->run.n_profiles))
        usage_error("--log and --profile need an ENGINE");
}

static enum fsd_status print_lint(const void *payload, const struct sink *to)
{
    return payload ? fsd_linting_write(payload, to->format, to->style, to->out, to->err)
                   : fsd_linting_list(to->format, to->style, to->out, to->err);
}

/* Opens the linting. A failed build has no engine to confirm findings: lint then only
 * uses the builder that wrote the log. */
static enum fsd_status open_linting(struct command_line *line,
                                    struct fsd_linting **linting, struct fsd_error *err)
{
    enum fsd_status status =
        fsd_linting_open(linting, &line->run, &line->lint.options, err);
    struct fsd_failure *failure = status == FSD_E_FORMAT ? open_failure(line) : NULL;
    struct fsd_lint_options lint = line->lint.options;

    if (!failure)
        return status;
    note_failure(line, failure);
    lint.builder = lint.builder ? lint.builder : fsd_failure_builder(failure);
    line->run.engine = NULL;
    status = fsd_linting_open(linting, &line->run, &lint, err);
    fsd_failure_free(failure);
    return status;
}

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    struct fsd_linting *linting = NULL;
    enum fsd_status status = FSD_OK;

    if (!line->lint.list)
        status = open_linting(line, &linting, err);
    if (status == FSD_OK)
        status = line->fix.wanted ? fix_model(line, linting, err)
                                  : write_outputs(line, print_lint, linting, err);
    if (status == FSD_OK && linting && !line->fix.wanted &&
        fsd_linting_findings(linting, (enum fsd_severity)line->fail_on))
        line->exit_status = FINDINGS;
    fsd_linting_free(linting);
    return status;
}

const struct verb verb_lint = {
    "lint",
    "MODEL [ENGINE]",
    "check a model before its build" FSD_IF_EDIT(", and fix it", ""),
    doc,
    {"model.onnx", "model.onnx engine.json",
     FSD_IF_EDIT("model.onnx --fix -o fixed.onnx", NULL)},
    .options = options,
    .check = check_line,
    .run = run,
    .subject = FSD_OF_LINT};
