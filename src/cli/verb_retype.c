/* fusiondiff retype MODEL ENGINE -o typed.onnx: writes the model with explicit types:
 * the precisions that a weakly typed engine chose. */
#include "cli/edit.h"

static const char doc[] =
    "Inserts Casts and typed initializers into the model, so that a strongly typed "
    "builder (TensorRT 11, TensorRT for RTX) runs each node in the precision that a "
    "weakly typed builder chose.  Prints which nodes get this precision, and why other "
    "nodes do not.  Without -o FILE.onnx, retype writes no model.\vInputs and outputs "
    "keep their types.  "
    "retype keeps quantizers, because they decide which nodes run in INT8 or FP8.  It "
    "inserts Casts only between nodes of different types.  "
    "If a weight in the model's file exceeds the range of FP16, it becomes the "
    "largest number of FP16, as in TensorRT.  Weights in other files are unchanged, "
    "and retype adds a Cast after them.";

static void check_line(struct command_line *line)
{
    need_pair(line);
    if (!line->run.model)
        usage_error("expected MODEL and ENGINE, or the directory of a build");
}

static enum fsd_status print_model(const void *payload, const struct sink *to)
{
    return fsd_diff_retype(payload, to->out, to->err);
}

static enum fsd_status print_report(const void *payload, const struct sink *to)
{
    const struct fsd_query query = {0};

    return fsd_edit_view(payload, "retype", &query, to->format, to->style, to->out,
                         to->err);
}

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    struct fsd_diff *made = NULL;
    enum fsd_status status;

    line->run.uncited = true;
    status = fsd_diff_open(&made, &line->run, err);
    if (status == FSD_OK)
        status = write_models(line, print_model, print_report, made, err);
    fsd_diff_free(made);
    return status;
}

const struct verb verb_retype = {
    "retype",
    "MODEL ENGINE",
    "write into a model the precisions that a weakly typed engine chose",
    doc,
    {"model.onnx old_engine.json -o typed.onnx", "model.onnx old_engine.json -f json"},
    .check = check_line,
    .one_format = true,
    .run = run,
    .subject = FSD_OF_VIEW};
