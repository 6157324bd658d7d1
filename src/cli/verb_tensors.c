/* fusiondiff tensors MODEL ENGINE: lists the tensors that can be marked as outputs, and
 * writes the model with these outputs. */
#include "cli/edit.h"

#include <string.h>

static const struct option_row options[] = {
    {"free", NULL,
     "List only tensors that you can mark as outputs without changing a fusion: first "
     "the tensors that you can mark together in one build, then the tensors of which "
     "you can mark only one per build",
     FLAG(query.only_free)},
    {"break", "LAYER",
     "List the tensors that split the fusion LAYER if you mark them as outputs or pass "
     "them through an If, and list all fusions that then change; LAYER is a name, 12, "
     "node:12 or a pattern",
     WORD(query.break_at)},
    {"as", "FORM",
     "Print only the names of the tensors to mark, in this form: names, trtexec, "
     "polygraphy or api (Python). With --break, these are the tensors that split the "
     "fusion; otherwise, all tensors that you can mark together",
     WORD(query.as), .words = "names trtexec polygraphy api"},
    {0},
};

static const char doc[] =
    "For each tensor of the model, shows where its values are in the engine: between "
    "layers (if you mark such a tensor as an output, no fusion changes), inside a "
    "fusion, or gone (another tensor may have the same values).\v"
    "-o FILE.onnx writes the model "
    "with additional outputs: the tensors that can be marked together (the default), "
    "or the tensors of --break.  If no additional output splits a fusion of --break, "
    "fusiondiff splits this fusion by an If with two equal branches.  To compare "
    "engines that were built from FILE.onnx, pass the original model.";

struct job {
    const struct fsd_diff *diff;
    const struct command_line *line;
    uint32_t *left_out; /* out: number of names that cannot be written in the list's
                           form (--as), and are left out */
};

static enum fsd_status print_report(const void *payload, const struct sink *to)
{
    const struct job *job = payload;
    struct fsd_query query = job->line->query;

    query.left_out = strcmp(to->format, "text") ? NULL : job->left_out;
    return fsd_edit_view(job->diff, "tensors", &query, to->format, to->style, to->out,
                         to->err);
}

static enum fsd_status print_model(const void *payload, const struct sink *to)
{
    const struct job *job = payload;

    return fsd_diff_mark(job->diff, &job->line->query, to->out, to->err);
}

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    struct fsd_diff *diff = NULL;
    enum fsd_status status = fsd_diff_open(&diff, &line->run, err);
    uint32_t left_out = 0;
    struct job job = {diff, line, &left_out};

    if (status == FSD_OK)
        status = write_models(line, print_model, print_report, &job, err);
    if (status == FSD_OK)
        note_left_out(line, left_out);
    fsd_diff_free(diff);
    return status;
}

const struct verb verb_tensors = {
    "tensors",
    "MODEL ENGINE",
    "list tensors that can be marked as outputs without breaking "
    "a fusion",
    doc,
    {"model.onnx engine.json --free", "model.onnx engine.json --break Conv_28",
     "model.onnx engine.json --break Conv_28 -o split.onnx",
     "model.onnx engine.json --free --as polygraphy"},
    .options = options,
    .check = need_pair,
    .one_format = true,
    .run = run,
    .subject = FSD_OF_VIEW};
