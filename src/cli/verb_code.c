/* fusiondiff code MODEL [ENGINE]: a model as a Python program. */
#define _GNU_SOURCE /* argp */
#include "cli/output.h"
#include "cli/part.h"

#include <string.h>

enum { KEY_API = KEY_PART_END, KEY_MODULES };

static const struct argp_option options[] = {
    {"api", KEY_API, "API", 0,
     "tensorrt (the default): a program that builds the engine; "
     "torch: pseudo code in the style of PyTorch",
     3},
    {"depth", KEY_MODULES, "N", 0,
     "Number of name parts that form a module (default: the number "
     "that gives the shortest program)",
     3},
    PART_OPTIONS("Only"){0},
};

static const char doc[] = "Writes a model as Python: a function per module, one for "
                          "equal modules, and a statement per node, with the type and "
                          "sizes of its output.  With an ENGINE, comments state which "
                          "layer computes the following nodes, its precision and "
                          "time.\vThe program defines the network with TensorRT's API "
                          "and builds it.  It reads the weights from MODEL by name and "
                          "names layers as TensorRT's ONNX parser does, so that "
                          "fusiondiff maps its engine to MODEL.  For a node that it "
                          "cannot express the program raises "
                          "NotImplementedError.\n\nWith options that name nodes it "
                          "writes these alone, with the Q/DQ pairs at their edges, as "
                          "`cut` does.";

static void check_line(const struct command_line *line, struct argp_state *state)
{
    if (!line->run.model)
        argp_error(state, "expected MODEL");
    check_part(line, state);
    if (line->cut.context && !names_part(line))
        argp_error(state, "--context needs an option that names nodes");
    if (line->format)
        argp_error(state, "code has only one format: --api selects the language");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;

    switch (key) {
    case KEY_API:
        if (strcmp(arg, "tensorrt") != 0 && strcmp(arg, "torch") != 0)
            argp_error(state, "--api: expected tensorrt or torch, found '%s'", arg);
        line->code.api = strcmp(arg, "torch") ? FSD_CODE_TENSORRT : FSD_CODE_TORCH;
        break;
    case KEY_MODULES:
        line->code.depth =
            parse_number("--depth", "a number of parts", arg, 1, 100, state);
        break;
    case ARGP_KEY_ARG:
        take_one_pair(line, arg, state);
        break;
    case ARGP_KEY_INIT:
        line->one_format = true;
        break;
    case ARGP_KEY_END:
        check_line(line, state);
        break;
    default:
        return parse_part_option(key, arg, state);
    }
    return 0;
}

struct job {
    const struct fsd_coding *coding;
    const struct fsd_code_options *opt;
};

static enum fsd_status print(const void *payload, const char *format,
                             const struct fsd_style *style, FILE *out,
                             struct fsd_error *err)
{
    const struct job *job = payload;

    (void)format;
    (void)style;
    return fsd_coding_write(job->coding, job->opt, out, err);
}

static enum fsd_status run(struct command_line *line, int *exit_status,
                           struct fsd_error *err)
{
    struct fsd_coding *coding = NULL;
    enum fsd_status status = check_outputs(line, &line->run, 1, err);

    (void)exit_status;
    line->code.part = names_part(line) ? &line->cut : NULL;
    if (status == FSD_OK)
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
    options,
    parse,
    run,
    false,
    -1};
