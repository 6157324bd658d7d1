/*
 * A minimal build for `-f schema` without inputs, which prints the schema of a report's
 * JSON. The schema depends on the record types of the report, not on their contents, so
 * one node and its layer are enough.
 */
#include "cli/cli.h"

#define MODEL  "(sample).onnx"
#define ENGINE "(sample).json"

/* The graph x -> a -> y in protobuf. Node a has a non-standard operator; x and y have
 * one FP32 element. */
static const char model[] =
    "\010\010:6\012\017\012\001x\022\001y\032\001a\042\004Noop\022\001gZ\017\012\001x"
    "\022\012\012\010\010\001\022\004\012\002\010\001b\017\012\001y\022\012\012\010\010"
    "\001\022\004\012\002\010\001B\004\012\000\020\021";
static const char engine[] =
    "{\"Layers\": [{\"Name\": \"a\", \"LayerType\": \"PointWise\", \"Inputs\": ["
    "{\"Name\": \"x\", \"Dimensions\": [1], \"Format/Datatype\": \"Row major linear "
    "FP32\"}], \"Outputs\": [{\"Name\": \"y\", \"Dimensions\": [1], "
    "\"Format/Datatype\": \"Row major linear FP32\"}]}], \"Bindings\": [\"x\", "
    "\"y\"]}";

static const struct fsd_memory files[] = {
    {.path = MODEL, .bytes = model, .size = sizeof model - 1},
    {.path = ENGINE, .bytes = engine, .size = sizeof engine - 1}};

bool wants_sample(const struct command_line *line)
{
    const struct fsd_options *run = &line->run;

    for (unsigned i = 0; i < line->n_outputs; i++)
        if (!line->outputs[i].format || strcmp(line->outputs[i].format, "schema") != 0)
            return false;
    return *line->verb->arguments && !run->model && !run->engine && !run->n_parts &&
           !line->query.n_words && !line->list.path && !line->lint.list &&
           !line->explain.rules && !line->explain.vocabulary;
}

void take_sample(struct command_line *line)
{
    const char *arguments = line->verb->arguments;
    size_t n = strlen(arguments);
    bool words = n > 3 && !strcmp(arguments + n - 3, "...");

    fsd_use_memory(files, sizeof files / sizeof *files);
    line->quiet = true;
    if (line->verb->most_words) {
        /* --lint allows a check without a snapshot. */
        line->check.options.lint = strstr(arguments, "SNAPSHOT");
        line->words[line->query.n_words++] = line->check.options.lint ? MODEL : ENGINE;
        line->words[line->query.n_words++] = ENGINE;
        return;
    }
    line->run.model = MODEL;
    if (strstr(arguments, "--part")) {
        line->parts[line->run.n_parts++] = ENGINE;
        line->parts[line->run.n_parts++] = ENGINE;
    } else if (!strstr(arguments, "[ENGINE]"))
        line->run.engine = ENGINE;
    if (words || strstr(arguments, "WORD"))
        line->words[line->query.n_words++] = "a";
}
