#define _GNU_SOURCE /* argp */
#include "cli/options.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    KEY_EVIDENCE = 256,
    KEY_FORCE,
    KEY_ALL,
    KEY_ONE_COLUMN,
    KEY_DUMP,
    KEY_FAIL_ON,
    KEY_WIDTH,
    KEY_COLOR
};

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0, "text or json; text is the default", 1},
    {"output", 'o', "FILE", 0,
     "Write to FILE, in the format its ending tells; may be repeated", 1},
    {"all", KEY_ALL, NULL, 0, "Show everything: no runs folded, no lists cut", 2},
    {"no-side-by-side", KEY_ONE_COLUMN, NULL, 0,
     "Nodes below their layer, not beside it", 2},
    {"width", KEY_WIDTH, "COLUMNS", 0, "Width of the text report", 2},
    {"color", KEY_COLOR, "WHEN", 0, "auto (the default), always or never", 2},
    {"evidence", KEY_EVIDENCE, "LIST", 0,
     "Use only this evidence: metadata,name,log,tensor,structure", 3},
    {"force", KEY_FORCE, NULL, 0, "Go on though model and engine do not fit", 3},
    {"fail-on", KEY_FAIL_ON, "SEVERITY", 0,
     "Exit with 1 when there is a finding of at least info, warning or error", 3},
    {NULL, 'h', NULL, OPTION_HIDDEN, NULL, 4},
    {"dump", KEY_DUMP, "SIDE", 0, "Write what was read of the model or the engine", 4},
    {0},
};

static const char doc[] =
    "Shows what an inference engine's builder did to an ONNX model: which layer "
    "computes "
    "which nodes, what became of every node, what was inserted and why.\v"
    "MODEL is an ONNX file, ENGINE the JSON that trtexec --exportLayerInfo writes; '-' "
    "reads standard input.\n\n"
    "Exit status: 0 nothing at or above the --fail-on level, 1 findings, 2 trouble.";

/* Seen by the C library, so that --version is there. */
FSD_API const char *argp_program_version = "fusiondiff " FSD_VERSION;

static unsigned parse_evidence(const char *list, struct argp_state *state)
{
    static const struct {
        const char *name;
        unsigned bit;
    } words[] = {{"metadata", FSD_BY_METADATA},
                 {"name", FSD_BY_NAME},
                 {"log", FSD_BY_LOG},
                 {"tensor", FSD_BY_TENSOR},
                 {"structure", FSD_BY_STRUCTURE},
                 {"all", FSD_BY_ALL}};
    unsigned mask = 0;

    while (*list) {
        size_t n = strcspn(list, ","), i = 0;

        while (i < sizeof words / sizeof *words &&
               (strlen(words[i].name) != n || strncmp(words[i].name, list, n) != 0))
            i++;
        if (i == sizeof words / sizeof *words)
            argp_error(state, "unknown evidence '%.*s'", (int)n, list);
        else
            mask |= words[i].bit;
        list += n + (list[n] == ',');
    }
    if (!mask)
        argp_error(state, "--evidence needs at least one word");
    return mask;
}

static int parse_severity(const char *word, struct argp_state *state)
{
    if (!strcmp(word, "info"))
        return FSD_INFO;
    if (!strcmp(word, "warning"))
        return FSD_WARNING;
    if (!strcmp(word, "error"))
        return FSD_ERROR;
    argp_error(state, "--fail-on takes info, warning or error, not '%s'", word);
    return -1;
}

static unsigned parse_width(const char *word, struct argp_state *state)
{
    char *end;
    unsigned long width = strtoul(word, &end, 10);

    if (*end || end == word || width < 40 || width > 10000)
        argp_error(state, "--width takes 40 to 10000 columns, not '%s'", word);
    return (unsigned)width;
}

static bool want_color(const char *when, struct argp_state *state)
{
    const char *no_color = getenv("NO_COLOR");

    if (!strcmp(when, "always"))
        return true;
    if (strcmp(when, "never") != 0 && strcmp(when, "auto") != 0)
        argp_error(state, "--color takes auto, always or never, not '%s'", when);
    return !strcmp(when, "auto") && isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

static void add_output(struct command_line *line, const char *path,
                       struct argp_state *state)
{
    if (line->n_outputs == MOST_OUTPUTS)
        argp_error(state, "at most %d outputs", MOST_OUTPUTS);
    line->outputs[line->n_outputs].path = strcmp(path, "-") ? path : NULL;
    line->outputs[line->n_outputs++].format =
        strcmp(path, "-") ? fsd_format_find(path) : NULL;
}

static void add_argument(struct command_line *line, char *arg, struct argp_state *state)
{
    if (state->arg_num == 0 && !strcmp(arg, "diff"))
        return;
    if (!line->run.model)
        line->run.model = arg;
    else if (!line->run.engine)
        line->run.engine = arg;
    else
        argp_error(state, "expected MODEL and ENGINE, found a third file '%s'", arg);
}

/* "x.foo" says that it wants to be a foo; "x" and "/dev/null" get text. */
static bool has_ending(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return path && strrchr(slash ? slash : path, '.');
}

static void finish(struct command_line *line, struct argp_state *state)
{
    if (line->dump && line->run.model && !line->run.engine &&
        !strcmp(line->dump, "engine")) {
        line->run.engine = line->run.model; /* the only file is the engine */
        line->run.model = NULL;
    } else if (!line->run.model || (!line->run.engine && !line->dump)) {
        argp_error(state, "expected MODEL and ENGINE");
    }
    if (!line->n_outputs)
        line->n_outputs = 1; /* standard output */
    for (unsigned i = 0; i < line->n_outputs; i++)
        if (line->format)
            line->outputs[i].format = line->format;
        else if (!line->outputs[i].format && has_ending(line->outputs[i].path) &&
                 !line->dump)
            argp_error(state, "'%s' does not tell its format: use -f",
                       line->outputs[i].path);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;

    switch (key) {
    case 'f':
        line->format = fsd_format_find(arg);
        if (!line->format)
            argp_error(state, "unknown format '%s'", arg);
        break;
    case 'o':
        add_output(line, arg, state);
        break;
    case KEY_ALL:
        line->style.all = true;
        break;
    case KEY_ONE_COLUMN:
        line->style.one_column = true;
        break;
    case KEY_WIDTH:
        line->style.width = parse_width(arg, state);
        break;
    case KEY_COLOR:
        line->style.color = want_color(arg, state);
        break;
    case KEY_EVIDENCE:
        line->run.evidence = parse_evidence(arg, state);
        break;
    case KEY_FORCE:
        line->run.force = true;
        break;
    case KEY_FAIL_ON:
        line->fail_on = parse_severity(arg, state);
        break;
    case KEY_DUMP:
        if (strcmp(arg, "model") != 0 && strcmp(arg, "engine") != 0)
            argp_error(state, "--dump takes model or engine, not '%s'", arg);
        line->dump = arg;
        break;
    case 'h':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        break;
    case ARGP_KEY_ARG:
        add_argument(line, arg, state);
        break;
    case ARGP_KEY_END:
        finish(line, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static unsigned terminal_width(void)
{
    struct winsize size;

    return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size)
               ? size.ws_col
               : 0;
}

void parse_command_line(struct command_line *line, int argc, char **argv)
{
    static const struct argp argp = {
        options, parse_option, "[diff] MODEL ENGINE", doc, NULL, NULL, NULL};

    memset(line, 0, sizeof *line);
    line->fail_on = -1;
    line->style.width = terminal_width();
    line->style.color = want_color("auto", NULL);
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, line);
}
