/* fusiondiff cut MODEL [ENGINE] --layer 12 -o FILE: writes a part of a model as a
 * model. */
#include "cli/edit.h"
#include "host/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct option_row options[] = {
    PART_ROWS("Cut"),
    {"inputs", "DIR",
     "Write values for the inputs of the part to DIR/inputs.npz: random values, or the "
     "values of --values",
     WORD(cut.inputs)},
    {"values", "FILE",
     "Read the values for --inputs from FILE: an .npz archive, or outputs that "
     "Polygraphy saved, with the names of tensors of MODEL. If the inputs and the "
     "outputs of a run are in two files, pass --values twice",
     WORDS(values, part.cut.n_values)},
    {"alone", "ENGINE",
     "Report whether ENGINE, which was built from the part alone, has the same fusions "
     "as the part within MODEL; ENGINE is an engine or a build log",
     INPUT(cut.alone)},
    {0},
};

static const char doc[] =
    "Cuts a part with its weights out of a model, and writes the part as a separate "
    "model; prints the nodes of the part, and the commands to build it.  Without "
    "-o FILE, it writes no model.\vThe part includes the Q/DQ pairs at its edges (an "
    "INT8 layer thus stays INT8), and the nodes that compute its constants.  "
    "ENGINE supplies "
    "sizes that the model leaves dynamic.  If nodes compute a size from known sizes, "
    "the part has this size as an initializer.  All other bytes are the same as in "
    "MODEL.  If ENGINE is the log of a failed build, the part has the nodes at which "
    "the build "
    "failed.\n\nExternal weights stay in their files if FILE is in the folder of "
    "MODEL; otherwise cut copies the weights into FILE.";

static void check_line(struct command_line *line)
{
    if (!line->run.model)
        usage_error("expected MODEL");
    if (!names_part(line) && !is_failed_build(line))
        usage_error("expected a part to cut: --layer, --group, --node, --from or --to, "
                    "or the log of a failed build");
    check_part(line);
    if (line->part.cut.n_values && !line->cut.inputs)
        usage_error("--values requires --inputs DIR");
    if (line->format)
        usage_error("cut writes only ONNX files: -f is not supported");
    if (line->n_outputs > 1)
        usage_error("expected at most one output file, found several");
}

static enum fsd_status print_part(const void *payload, const struct sink *to)
{
    return fsd_cutting_write(payload, to->out, to->err);
}

static enum fsd_status print_inputs(const void *payload, const struct sink *to)
{
    return fsd_cutting_write_inputs(payload, to->out, to->err);
}

struct report_job {
    const struct fsd_cutting *cutting;
    const char *path, *alone;
};

static enum fsd_status print_report(const void *payload, const struct sink *to)
{
    const struct report_job *job = payload;

    return fsd_cutting_report(job->cutting, job->path, job->alone, to->out, to->err);
}

/* Sets `path` to DIR/inputs.npz. Fails if this file, or another output file, would
 * replace an input file. */
static enum fsd_status aim_inputs(const struct command_line *line,
                                  struct command_line *to, char path[PATH_MAX],
                                  struct fsd_error *err)
{
    enum fsd_status status = check_outputs(line, NULL, 0, err);

    if (status != FSD_OK)
        return status;
    if (snprintf(path, PATH_MAX, "%s/inputs.npz", line->cut.inputs) >= PATH_MAX)
        return fail_file(err, FSD_E_ARG, line->cut.inputs, "the path is too long");
    to->outputs[0] = (struct output){.path = path, .format = "npz"};
    to->n_outputs = 1;
    to->follow = line->follow;
    return check_outputs(to, NULL, 0, err);
}

/* Writes DIR/inputs.npz. Creates DIR if it is missing, and removes it again after a
 * failure. */
static enum fsd_status write_inputs(const struct command_line *line,
                                    const struct fsd_cutting *cutting,
                                    struct fsd_error *err)
{
    static struct command_line other;
    char path[PATH_MAX];
    enum fsd_status status = aim_inputs(line, &other, path, err);
    bool is_new;

    if (status != FSD_OK)
        return status;
    is_new = !mkdir(line->cut.inputs, 0777);
    if (!is_new && errno != EEXIST)
        return fail_errno(err, line->cut.inputs);
    status = write_outputs(&other, print_inputs, cutting, err);
    if (status != FSD_OK && is_new)
        rmdir(line->cut.inputs);
    return status;
}

/* Prints the report to standard output, in addition to other outputs. */
static enum fsd_status report(const struct command_line *line,
                              const struct fsd_cutting *cutting, struct fsd_error *err)
{
    static struct command_line other;
    struct report_job job = {cutting, line->outputs[0].path, line->cut.alone};

    other.n_outputs = 1;
    other.tokens = line->tokens;
    other.page = line->page;
    return line->quiet && job.path ? FSD_OK
                                   : write_outputs(&other, print_report, &job, err);
}

/* Opens the cut. For a failed build, the part is the nodes at which the build failed,
 * unless the user names nodes. */
static enum fsd_status open_cutting(struct command_line *line,
                                    struct fsd_cutting **cutting, struct fsd_error *err)
{
    enum fsd_status status =
        fsd_cutting_open(cutting, &line->run, &line->part.cut, err);
    struct fsd_failure *failure = status == FSD_E_FORMAT ? open_failure(line) : NULL;

    if (!failure)
        return status;
    note_failure(line, failure);
    line->run.engine = NULL;
    line->part.cut.fails = true;
    status = name_failed_part(line, failure, err);
    fsd_failure_free(failure);
    return status == FSD_OK
               ? fsd_cutting_open(cutting, &line->run, &line->part.cut, err)
               : status;
}

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    const char *path = line->outputs[0].path;
    struct fsd_cutting *cutting = NULL;
    enum fsd_status status;

    line->part.cut.inline_weights = path && !is_same_folder(line->run.model, path);
    status = open_cutting(line, &cutting, err);
    if (status == FSD_OK && line->cut.inputs) /* first, because the values of the inputs
                                                 may be refused */
        status = write_inputs(line, cutting, err);
    if (status == FSD_OK && path)
        status = write_outputs(line, print_part, cutting, err);
    if (status == FSD_OK)
        status = report(line, cutting, err);
    fsd_cutting_free(cutting);
    return status;
}

const struct verb verb_cut = {
    "cut",
    "MODEL [ENGINE]",
    "write a part of a model, such as the nodes of a layer, as a separate model",
    doc,
    {"model.onnx engine.json --layer 12 -o part.onnx",
     "model.onnx engine.json --group 12 --context 1 -o part.onnx --inputs data",
     "model.onnx --from x --to y -o part.onnx", "model.onnx failed.log -o part.onnx"},
    .options = options,
    .check = check_line,
    .one_format = true,
    .run = run,
    .subject = -1};
