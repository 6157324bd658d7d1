/* fusiondiff retype MODEL ENGINE -o typed.onnx: the precision that a weakly typed
 * engine chose, as types of the model. */
#define _GNU_SOURCE /* argp */
#include "cli/output.h"
#include "cli/verb.h"

static const char doc[] =
    "Writes the precision that a weakly typed builder chose for "
    "each node into the model, as Casts and typed initializers, "
    "so that a strongly typed builder (TensorRT 11, TensorRT for "
    "RTX) uses it again; prints which nodes keep their precision, "
    "and which do not, with the reason.  Without -o FILE.onnx it "
    "writes no model.\vInputs and outputs keep their types.  "
    "Quantizers are kept: they decide what runs in INT8 or FP8.  "
    "Casts are inserted only between nodes of different types.  "
    "Weights in FILE beyond the range of FP16 become its largest "
    "number, as TensorRT does.  External weights stay in their "
    "files, behind a Cast.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        take_one_pair(line, arg, state);
        break;
    case ARGP_KEY_INIT:
        line->one_format = true;
        break;
    case ARGP_KEY_END:
        need_pair(line, state);
        if (!line->run.model)
            argp_error(state, "expected MODEL and ENGINE");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static enum fsd_status print_model(const void *payload, const char *format,
                                   const struct fsd_style *style, FILE *out,
                                   struct fsd_error *err)
{
    (void)format;
    (void)style;
    return fsd_diff_retype(payload, out, err);
}

static enum fsd_status print_report(const void *payload, const char *format,
                                    const struct fsd_style *style, FILE *out,
                                    struct fsd_error *err)
{
    const struct fsd_query query = {0};

    return fsd_diff_view(payload, "retype", &query, format, style, out, err);
}

static enum fsd_status run(struct command_line *line, int *exit_status,
                           struct fsd_error *err)
{
    struct fsd_diff *made = NULL;
    enum fsd_status status = check_outputs(line, &line->run, 1, err);

    (void)exit_status;
    if (status == FSD_OK)
        status = fsd_diff_open(&made, &line->run, err);
    if (status == FSD_OK)
        status = write_models(line, print_model, print_report, made, err);
    fsd_diff_free(made);
    return status;
}

const struct verb verb_retype = {
    "retype",
    "MODEL ENGINE",
    "write the precisions that a weakly typed engine chose into a model",
    doc,
    {"model.onnx old_engine.json -o typed.onnx", "model.onnx old_engine.json -f json"},
    NULL,
    parse,
    run,
    false,
    FSD_OF_VIEW};
