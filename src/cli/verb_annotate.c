/* fusiondiff annotate [MODEL] ENGINE -o FILE: writes a file that shows, in model
 * viewers, what the engine made of the model. */
#include "cli/edit.h"

static const struct option_row options[] = {
    {"layers", NULL,
     "With a MODEL: write the graph of the engine's layers, not the model",
     FLAG(annotate.of_layers)},
    {0},
};

static const char doc[] =
    "Writes the outcome of each node for model viewers.  -o FILE.onnx writes MODEL "
    "with the outcomes as metadata, which Netron shows; without MODEL, it writes a "
    "graph of the engine's layers.  -o FILE.nodedata.json writes data that Model "
    "Explorer shows next to MODEL.\vThe written model differs from MODEL only in the "
    "metadata, so it computes the same outputs.  A node in a function has one outcome "
    "for each call.  In a graph of layers, each layer is an operator of the domain "
    "`trt`, with formats, precision, times, tactic and advice as attributes.";

static void check_line(struct command_line *line)
{
    need_pair(line);
    if (line->format)
        usage_error("expected no -f: the extension of -o FILE (.onnx or "
                    ".nodedata.json) selects "
                    "the format");
    if (!line->outputs[0].path)
        usage_error("expected -o FILE.onnx or -o FILE.nodedata.json");
}

struct job {
    const struct fsd_diff *run;
    enum fsd_annotation as;
};

static enum fsd_status print(const void *payload, const struct sink *to)
{
    const struct job *job = payload;

    return fsd_diff_annotate(job->run, job->as, to->out, to->err);
}

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    static struct command_line one;
    struct fsd_diff *made = NULL;
    enum fsd_status status;
    bool moved = false;

    line->run.uncited = true;
    status = fsd_diff_open(&made, &line->run, err);
    if (status == FSD_OK)
        status = check_outputs(line, NULL, 0, err);
    one = *line;
    one.n_outputs = 1;
    for (unsigned i = 0; i < line->n_outputs && status == FSD_OK; i++) {
        struct job job = {made, ends_with(line->outputs[i].path, ".nodedata.json")
                                    ? FSD_ANNOTATE_NODE_DATA
                                : line->run.model && !line->annotate.of_layers
                                    ? FSD_ANNOTATE_MODEL
                                    : FSD_ANNOTATE_LAYERS};

        moved |= job.as == FSD_ANNOTATE_MODEL &&
                 !is_same_folder(line->run.model, line->outputs[i].path);
        one.outputs[0] = line->outputs[i];
        status = write_outputs(&one, print, &job, err);
    }
    if (status == FSD_OK && moved)
        note_weights(line);
    fsd_diff_free(made);
    return status;
}

const struct verb verb_annotate = {
    "annotate",
    "[MODEL] ENGINE -o FILE",
    "write a model or engine with the outcome of each node, for Netron",
    doc,
    {"model.onnx engine.json -o annotated.onnx", "engine.json -o engine.onnx",
     "model.onnx engine.json --profile p.json -o model.nodedata.json"},
    .options = options,
    .check = check_line,
    .one_format = true,
    .run = run,
    .subject = -1};
