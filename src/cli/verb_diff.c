/* fusiondiff [diff] MODEL ENGINE: the main verb. */
#include "cli/cli.h"
#include "host/files.h"

static const struct option_row options[] = {
    {"fail-on", "SEVERITY",
     "Exit with 1 if there is a finding of this level or above: info, warning or error",
     CHOICE(fail_on, SEVERITIES)},
    {"dump", "SIDE",
     "Print the model or the engine as fusiondiff read it, or the known shapes",
     ONE_OF(diff.dump, "model engine shapes"), .group = 4},
    {"debug", "WHAT",
     "log: print to standard error which lines of the build log fusiondiff understood, "
     "and which it did not",
     ONE_OF(diff.debug, "log"), .group = 4},
    {"around", "NAME",
     "Pictures: draw only the neighborhood of this node or layer (a glob)",
     WORD(picture.around), .group = 5},
    {"depth", "N", "Pictures: size of the neighborhood in steps (default: 1)",
     NUMBER(picture.depth, 1, 1000, "1 to 1000 steps"), .group = 5},
    {"only", "WHAT",
     "Pictures: draw only layers of this kind and their neighbors: reformats, changes "
     "(fused or inserted layers), or precision (layers with several types)",
     WORD(picture.only), .words = "reformats changes precision", .group = 5},
    {"color-by", "WHAT",
     "Pictures: color layers by fusion (the default), precision, time, kind or "
     "provider; with --values, also by error or values",
     WORD(picture.color_by), .group = 5},
    {"label", "LIST",
     "Pictures: print these facts below the name of a layer: any of ms, bytes and "
     "tactic (default: ms,bytes)",
     WORD(picture.label), .words = "ms bytes tactic", .group = 5},
    {"collapse", "HOW",
     "Pictures: HOW is none (one box for each layer), run (one box for each run of "
     "equal layers) or scope:N (one box for all layers whose nodes have names that "
     "begin with the same N parts); default: none, but fewer boxes if the graph is "
     "large",
     WORD(picture.collapse), .words = "run none scope:1 scope:2", .group = 5},
    ROW_LAYOUT_TIMEOUT,
    {0},
};

static const char doc[] =
    "Shows how TensorRT transformed an ONNX model: which layer computes which nodes, "
    "the outcome of every node, which layers were inserted, and why.\vMODEL is an ONNX "
    "file.  ENGINE is the JSON of trtexec --exportLayerInfo, a verbose build log, "
    "inspector text, or ONNX Runtime's optimized model; '-' reads standard input.  "
    "Without MODEL, the report has the nodes that ENGINE names.  In place of the "
    "files, you can pass a directory that holds one build.  For the log of a failed "
    "build, the report has the class of the failure, the nodes at which the build "
    "failed, and what to try.\n\nExit "
    "status: 0: no finding is at or above the --fail-on level; 1: a finding is at or "
    "above it; 2: an error.";

/* Requires MODEL and ENGINE. --dump model needs only MODEL. */
static void check_line(struct command_line *line)
{
    if (!line->diff.dump || !line->run.model || !strcmp(line->diff.dump, "engine"))
        need_pair(line);
}

static enum fsd_status print_dump(const void *payload, const struct sink *to)
{
    const struct command_line *line = payload;

    return fsd_dump(line->diff.dump, &line->run, to->out, to->err);
}

static enum fsd_status print_diff(const void *payload, const struct sink *to)
{
    return fsd_diff_write(payload, to->format, to->style, to->out, to->err);
}

/* Sets run.uncited if all outputs are pictures, because pictures show no findings. Sets
 * run.unhashed if no output states hashes of files; few formats do. */
static void omit_unused(struct command_line *line)
{
    line->run.uncited = line->run.unhashed = true;
    for (unsigned i = 0; i < line->n_outputs; i++) {
        const char *format = line->outputs[i].format;

        line->run.uncited &= format && fsd_format_draws(format);
        line->run.unhashed &= !format || !fsd_format_hashes(format);
    }
}

/* Writes the report of one run.
 * @param engines the log of several engines that was read before; NULL: none */
static enum fsd_status run_one(struct command_line *line,
                               const struct fsd_engines *engines, struct fsd_error *err)
{
    struct fsd_diff *diff = NULL;
    enum fsd_status status;

    if (line->diff.dump)
        return write_outputs(line, print_dump, line, err);
    if (line->diff.debug) {
        status = fsd_dump(line->diff.debug, &line->run, stderr, err);
        if (status != FSD_OK)
            return status;
    }
    omit_unused(line);
    status = fsd_engines_diff(&diff, engines, &line->run, err);
    if (status == FSD_E_FORMAT)
        report_failure(line); /* in addition to the error, which determines the exit
                                 status */
    if (status == FSD_OK)
        status = line->fail_on >= 0 ? write_judgement(line, print_diff, diff, err)
                                    : write_outputs(line, print_diff, diff, err);
    if (status == FSD_OK && line->fail_on >= 0 &&
        fsd_diff_findings(diff, (enum fsd_severity)line->fail_on))
        line->exit_status = FINDINGS;
    fsd_diff_free(diff);
    return status;
}

/* ------------------------------------------------------------ all engines of a log */

/* Inserts a number into a path: "out/x.svg" becomes "out/x.2.svg". */
static char *numbered(const char *path, unsigned number)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = *name ? strchr(name + 1, '.') : NULL;
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    size_t room = strlen(path) + sizeof ".4294967295";
    char *out = malloc(room);

    if (out)
        snprintf(out, room, "%.*s.%u%s", (int)stem, path, number, path + stem);
    return out;
}

/* Prints the number of the engine above its text on standard output. */
static void put_title(const struct command_line *line, unsigned number, unsigned n)
{
    for (unsigned i = 0; i < line->n_outputs; i++)
        if (!line->outputs[i].path &&
            (!line->outputs[i].format || !strcmp(line->outputs[i].format, "text")))
            fprintf(stdout, "%sengine %u of %u\n\n", number > 1 ? "\n" : "", number, n);
}

static enum fsd_status run_numbered(struct command_line *line,
                                    const struct fsd_engines *engines, unsigned number,
                                    struct fsd_error *err)
{
    struct command_line one = *line;
    enum fsd_status status;

    one.run.engine_number = number;
    for (unsigned i = 0; i < line->n_outputs; i++)
        if (line->outputs[i].path)
            one.outputs[i].path = numbered(line->outputs[i].path, number);
    put_title(&one, number, fsd_engines_count(engines));
    status = check_outputs(&one, &one.run, 1, err);
    if (status == FSD_OK)
        status = run_one(&one, engines, err);
    line->exit_status |= one.exit_status;
    for (unsigned i = 0; i < line->n_outputs; i++)
        if (line->outputs[i].path)
            free((char *)(uintptr_t)one.outputs[i].path);
    return status;
}

/* Writes the report of one run. If --engine=all is given, and the file is a log with
 * engines, writes a report on each engine instead. run_one() reports errors of the
 * file. */
static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    const char *log = line->run.engine ? line->run.engine : line->run.model;
    struct fsd_engines *engines = NULL;
    enum fsd_status status = FSD_OK;
    unsigned n = 0;

    if (line->every_engine && fsd_engines_open(&engines, log, NULL) == FSD_OK)
        n = fsd_engines_count(engines);
    if (!n)
        status = run_one(line, NULL, err);
    for (unsigned i = 1; i <= n && status == FSD_OK; i++)
        status = run_numbered(line, engines, i, err);
    fsd_engines_free(engines);
    return status;
}

const struct verb verb_diff = {
    "diff",
    "[MODEL] ENGINE",
    "show the whole report: layers, nodes, outcomes, findings, pictures",
    doc,
    {"model.onnx engine.json --profile profile.json", "build.log -o report.svg",
     "model.onnx engine.json --around Conv_28 --depth 2 -o near.svg"},
    .options = options,
    .check = check_line,
    .run = run,
    .subject = FSD_OF_RUN};
