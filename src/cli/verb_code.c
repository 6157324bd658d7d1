/* fusiondiff code MODEL [ENGINE]: writes a model as a Python program. */
#include "cli/edit.h"

#include <string.h>

static const struct option_row options[] = {
    {"api", "API",
     "tensorrt (the default): a program that builds the engine; torch: pseudo code in "
     "the style of PyTorch",
     CHOICE(code.api, "tensorrt torch")},
    {"depth", "N",
     "Use the first N parts of a node's name as the node's module (default: the N that "
     "gives the shortest program)",
     NUMBER(code.depth, 1, 100, "a number of parts")},
    PART_ROWS("Only"),
    {0},
};

static const char doc[] =
    "Writes a model as Python: one function for each module "
    "(equal modules share a function), and one statement for each "
    "node, with the type and sizes of its output.  With an "
    "ENGINE, comments state which layer computes the following nodes, and the "
    "precision and time of this layer.\vThe program defines the "
    "network with TensorRT's API and builds it.  The program reads the weights from "
    "MODEL by name, and names layers as TensorRT's ONNX parser does, so that "
    "fusiondiff can map the engine to MODEL.  For a node that TensorRT's API cannot "
    "express, the program raises NotImplementedError.\n\nWith options that select "
    "nodes, `code` writes only these nodes and the Q/DQ pairs at their edges, like "
    "`cut`.";

static void check_line(struct command_line *line)
{
    if (!line->run.model)
        usage_error("expected MODEL");
    check_part(line);
    if (line->part.cut.context && !names_part(line))
        usage_error("--context needs an option that selects nodes");
    if (line->format)
        usage_error("code supports --api, but not -f: it writes only Python");
}

struct job {
    const struct fsd_coding *coding;
    const struct fsd_code_options *opt;
};

static enum fsd_status print(const void *payload, const struct sink *to)
{
    const struct job *job = payload;

    return fsd_coding_write(job->coding, job->opt, to->out, to->err);
}

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    struct fsd_coding *coding = NULL;
    enum fsd_status status;

    line->code.part = names_part(line) ? &line->part.cut : NULL;
    status = fsd_coding_open(&coding, &line->run, err);
    if (status == FSD_OK)
        status = write_outputs(line, print, &(struct job){coding, &line->code}, err);
    fsd_coding_free(coding);
    return status;
}

const struct verb verb_code = {
    "code",
    "MODEL [ENGINE]",
    "write a model as Python: TensorRT's API, or torch-like pseudo code",
    doc,
    {"model.onnx engine.json -o network.py", "model.onnx --api torch",
     "model.onnx engine.json --layer 12"},
    .options = options,
    .check = check_line,
    .one_format = true,
    .run = run,
    .subject = -1};
