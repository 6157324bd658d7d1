/* fusiondiff annotate [MODEL] ENGINE -o FILE: a run, for viewers of models. */
#define _GNU_SOURCE /* argp */
#include "cli/output.h"
#include "cli/target.h"
#include "cli/verb.h"

enum { KEY_LAYERS = 992 };

static const struct argp_option options[] = {
    {"layers", KEY_LAYERS, NULL, 0,
     "With a MODEL: write the graph of the engine's layers, not the model", 3},
    {0},
};

static const char doc[] =
    "Writes the outcome of each node for model viewers: into the "
    "metadata of MODEL, which Netron shows; without MODEL, the "
    "engine's layers as a graph; as FILE.nodedata.json, data that "
    "Model Explorer shows next to MODEL.\vAll other bytes of "
    "MODEL are kept, so its outputs are the same.  The node of a "
    "function has one outcome for each call.  Layers are "
    "operators of the domain `trt`, with formats, precision, "
    "times, tactic and advice as attributes.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;

    switch (key) {
    case KEY_LAYERS:
        line->of_layers = true;
        break;
    case ARGP_KEY_ARG:
        take_one_pair(line, arg, state);
        break;
    case ARGP_KEY_INIT:
        line->one_format = true;
        break;
    case ARGP_KEY_END:
        need_pair(line, state);
        if (line->format)
            argp_error(
                state,
                "expected -o FILE with the ending .onnx or .nodedata.json, and no -f");
        if (!line->outputs[0].path)
            argp_error(state, "expected -o FILE.onnx or -o FILE.nodedata.json");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

struct job {
    const struct fsd_diff *run;
    enum fsd_annotation as;
};

static enum fsd_status print(const void *payload, const char *format,
                             const struct fsd_style *style, FILE *out,
                             struct fsd_error *err)
{
    const struct job *job = payload;

    (void)format;
    (void)style;
    return fsd_diff_annotate(job->run, job->as, out, err);
}

static enum fsd_status run(struct command_line *line, int *exit_status,
                           struct fsd_error *err)
{
    struct fsd_diff *made = NULL;
    enum fsd_status status = check_outputs(line, &line->run, 1, err);
    static struct command_line one;

    (void)exit_status;
    if (status == FSD_OK)
        status = fsd_diff_open(&made, &line->run, err);
    one = *line;
    one.n_outputs = 1;
    for (unsigned i = 0; i < line->n_outputs && status == FSD_OK; i++) {
        struct job job = {made, ends_with(line->outputs[i].path, ".nodedata.json")
                                    ? FSD_ANNOTATE_NODE_DATA
                                : line->run.model && !line->of_layers
                                    ? FSD_ANNOTATE_MODEL
                                    : FSD_ANNOTATE_LAYERS};

        one.outputs[0] = line->outputs[i];
        status = write_outputs(&one, print, &job, err);
    }
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
    options,
    parse,
    run,
    false,
    -1};
