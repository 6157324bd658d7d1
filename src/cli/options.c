/*
 * The options that verbs share, in three argp tables: those of every verb, those of
 * verbs that look at one build, and a verb's own, which argp takes as parent and
 * children.  Each parser checks its value and reports a bad one as a usage error, so
 * that the library only sees valid options. --help and the manual are generated from
 * the same tables, and print_version() answers --version.
 */
#define _GNU_SOURCE /* argp */
#include "cli/list.h"
#include "cli/progress.h"
#include "cli/verb.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    KEY_EVIDENCE = 256,
    KEY_FORCE,
    KEY_ALL,
    KEY_ONE_COLUMN,
    KEY_WIDTH,
    KEY_COLOR,
    KEY_ENGINE,
    KEY_OPT_PROFILE,
    KEY_PART,
    KEY_SHAPE,
    KEY_PEAK,
    KEY_VALUES,
    KEY_VALUES_LIMIT,
    KEY_FOLLOW,
    KEY_MAX_MEMORY
};

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0,
     "Format of the report (default: text); all formats are listed below", 1},
    {"output", 'o', "FILE", 0,
     "Write the report to FILE, in the format of its ending; may be repeated", 1},
    {"follow", KEY_FOLLOW, NULL, 0,
     "Follow symbolic links that lead out of their folder", 1},
    {"quiet", 'q', NULL, 0,
     "Print only errors on standard error: no notes, no summary of written files", 1},
    {"all", KEY_ALL, NULL, 0,
     "Show everything: fold no repeated layers, shorten no lists", 2},
    {"width", KEY_WIDTH, "COLUMNS", 0, "Width of the text report", 2},
    {"color", KEY_COLOR, "WHEN", 0,
     "Color the text: auto (the default), always or never", 2},
    {"evidence", KEY_EVIDENCE, "LIST", 0,
     "Use only these kinds of evidence: metadata,name,log,tensor,structure", 3},
    {"engine", KEY_ENGINE, "N", 0,
     "Which engine of a log that holds several; 'all' reports each: -o x.svg writes "
     "x.1.svg, x.2.svg, ...",
     3},
    {"force", KEY_FORCE, NULL, 0,
     "Continue although model and engine do not belong together", 3},
    {"max-memory", KEY_MAX_MEMORY, "MB", 0,
     "Exit with an error (status 2) rather than use more memory", 3},
    {NULL, 'h', NULL, OPTION_HIDDEN, NULL, 4},
    {0},
};

static const struct argp_option one_build_options[] = {
    {"no-side-by-side", KEY_ONE_COLUMN, NULL, 0,
     "With --all: print nodes below their layer, not next to it", 2},
    {"log", KEY_LOG, "FILE", 0, "Verbose log of the build", 3},
    {"part", KEY_PART, "ENGINE", 0,
     "In place of ENGINE: an engine that computes a part of the model; may be repeated",
     3},
    {"opt-profile", KEY_OPT_PROFILE, "N", 0,
     "Select an optimization profile of an engine with several (default: the first)",
     3},
    {"profile", KEY_PROFILE, "FILE", 0,
     "Layer times of the engine, from trtexec --exportProfile; may be repeated", 3},
    {"times", KEY_TIMES, "FILE", 0, "Times of whole runs, from trtexec --exportTimes",
     3},
    {"shape", KEY_SHAPE, "NAME=DIMS", 0,
     "Dimensions of a dynamic input, e.g. images=1x3x224x224; may be repeated", 3},
    {"peak", KEY_PEAK, "GB/S,TOP/S", 0,
     "Peak bandwidth and compute of the device, for the roofline", 3},
    {"values", KEY_VALUES, "FILE", 0,
     "External numbers by name: a table (CSV, JSON), or tensors "
     "(npz, Polygraphy's saved outputs); if given twice, the "
     "errors of the second against the first",
     3},
    {"values-limit", KEY_VALUES_LIMIT, "ERROR", 0,
     "Relative L2 error from which a tensor counts as wrong "
     "(default: 0.01)",
     3},
    {0},
};

/* "--version --json" is for scripts, in whichever order. */
static void print_version(FILE *out, struct argp_state *state)
{
    for (int i = 1; i < state->argc; i++)
        if (!strcmp(state->argv[i], "--json")) {
            fsd_about("json", NULL, out, NULL);
            return;
        }
    fputs("fusiondiff " FSD_VERSION "\n", out);
}

/* Seen by the C library, so that --version is there. */
FSD_API void (*argp_program_version_hook)(FILE *, struct argp_state *) = print_version;

/* "text, json, csv": a subject's formats, all of them for -1. */
static void list_formats(int subject, char *list, size_t size)
{
    const char *name;
    size_t n = 0;

    for (unsigned i = 0; n < size; i++) {
        name = subject < 0 ? fsd_format_at(i)
                           : fsd_format_of((enum fsd_subject)subject, i);
        if (!name)
            break;
        n += (size_t)snprintf(list + n, size - n, "%s%s", i ? ", " : "", name);
    }
}

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
            argp_error(state,
                       "--evidence: expected metadata, name, log, tensor or structure, "
                       "found '%.*s'",
                       (int)n, list);
        else
            mask |= words[i].bit;
        list += n + (list[n] == ',');
    }
    if (!mask)
        argp_error(state, "--evidence needs at least one word");
    return mask;
}

unsigned parse_number(const char *option, const char *what, const char *word,
                      unsigned long least, unsigned long most, struct argp_state *state)
{
    char *end;
    unsigned long number = strtoul(word, &end, 10);

    if (*end || end == word || *word == '-' || number < least || number > most)
        argp_error(state, "%s takes %s, not '%s'", option, what, word);
    return (unsigned)number;
}

double parse_amount(const char *option, const char *what, const char *word,
                    bool positive, double most, struct argp_state *state)
{
    char *end;
    double amount = strtod(word, &end);

    if (*end || end == word || !(amount >= 0) || (positive && !(amount > 0)) ||
        amount > most)
        argp_error(state, "%s takes %s, not '%s'", option, what, word);
    return amount;
}

unsigned parse_jobs(const char *word, struct argp_state *state)
{
    return parse_number("--jobs", "1 to 256 threads", word, 1, MOST_JOBS, state);
}

int parse_severity(const char *word, struct argp_state *state)
{
    static const char *const words[] = {"info", "warning", "error"};

    for (int i = 0; i < 3; i++)
        if (!strcmp(word, words[i]))
            return FSD_INFO + i;
    argp_error(state, "--fail-on: expected info, warning or error, found '%s'", word);
    return -1;
}

static const char *parse_label(const char *word, struct argp_state *state)
{
    if (!*word)
        argp_error(state, "--label: expected a word, e.g. sm86, found ''");
    return word;
}

unsigned parse_day(const char *word, struct argp_state *state)
{
    unsigned day = fsd_day_parse(word);

    if (!day)
        argp_error(state, "--today: expected a day as YYYY-MM-DD, found '%s'", word);
    return day;
}

static bool want_color(const char *when, struct argp_state *state)
{
    const char *no_color = getenv("NO_COLOR");

    if (!strcmp(when, "always"))
        return true;
    if (strcmp(when, "never") != 0 && strcmp(when, "auto") != 0)
        argp_error(state, "--color: expected auto, always or never, found '%s'", when);
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

static bool is_there(const char *path)
{
    struct stat st;

    return !strcmp(path, "-") || !stat(path, &st);
}

bool take_input(struct command_line *line, char *arg)
{
    const char *dot = strrchr(arg, '.');
    static const char *const endings[] = {".json", ".onnx", ".log", ".txt",
                                          ".xz",   ".gz",   ".zst"};
    bool file = is_there(arg);

    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        file =
            file || !strcmp(dot, endings[i]); /* is missed as a file, not as a name */
    return (file || !line->run.model) && take_pair(line, arg);
}

bool take_pair(struct command_line *line, char *arg)
{
    if (!line->run.model)
        line->run.model = arg;
    else if (!line->run.engine)
        line->run.engine = arg;
    else
        return false;
    return true;
}

void take_one_pair(struct command_line *line, char *arg, struct argp_state *state)
{
    if (!take_pair(line, arg))
        argp_error(state, "expected MODEL and ENGINE, found a third file '%s'", arg);
}

void need_pair(struct command_line *line, struct argp_state *state)
{
    if (!line->run.model)
        argp_error(state, "expected MODEL and %s",
                   line->run.n_parts ? "its --part ENGINE" : "ENGINE");
    if (line->run.engine && line->run.n_parts)
        argp_error(state, "expected ENGINE or --part, found both '%s' and '%s'",
                   line->run.engine, line->parts[0]);
    if (line->run.n_parts) {
        line->run.engine = line->parts[0];
        line->run.parts = line->parts;
    }
    if (line->run.engine)
        return;
    line->run.engine = line->run.model;
    line->run.model = NULL;
}

static void finish(struct command_line *line, struct argp_state *state)
{
    if (!line->n_outputs)
        line->n_outputs = 1; /* standard output */
    for (unsigned i = 0; i < line->n_outputs; i++) {
        struct output *to = &line->outputs[i];
        const char *slash = to->path ? strrchr(to->path, '/') : NULL;
        /* "x.foo" wants to be a foo; "x" and "/dev/null" get text. */
        bool ending = to->path && strrchr(slash ? slash : to->path, '.');

        if (line->format)
            to->format = line->format;
        else if (!to->format && ending && !line->dump && !line->one_format)
            argp_error(state, "the ending of '%s' is no known format: use -f",
                       to->path);
    }
    line->run.profiles = line->profiles;
    line->run.shapes = line->shapes;
    line->run.values = line->values;
}

static void add_word(const char **list, unsigned *n, const char *word,
                     struct argp_state *state)
{
    if (*n == MOST_OUTPUTS)
        argp_error(state, "at most %d of '%s'", MOST_OUTPUTS, word);
    list[(*n)++] = word;
}

/* No device has a million times what one of today has; what is beyond is a slip. */
static const double MOST_PEAK = 1e9;

static void parse_peak(struct command_line *line, const char *word,
                       struct argp_state *state)
{
    char *end;

    line->run.peak_gb_s = strtod(word, &end);
    if (*end == ',')
        line->run.peak_top_s = strtod(end + 1, &end);
    if (*end || !(line->run.peak_gb_s > 0 && line->run.peak_gb_s <= MOST_PEAK) ||
        !(line->run.peak_top_s > 0 && line->run.peak_top_s <= MOST_PEAK))
        argp_error(state, "--peak: expected GB/s,TOP/s of the device, found '%s'",
                   word);
}

/* What is written to, and no maps of files: those cost nothing that CI counts, and a
 * model may be hundreds of megabytes of weights that are never read. */
static void limit_memory(const char *word, struct argp_state *state)
{
    char *end;
    unsigned long mb = strtoul(word, &end, 10);
    struct rlimit limit;

    if (*end || end == word || *word == '-' || !mb || mb > UINT32_MAX)
        argp_error(state, "--max-memory: expected a number of MB from 1, found '%s'",
                   word);
    if (getrlimit(RLIMIT_DATA, &limit) || mb << 20 < limit.rlim_cur) {
        limit.rlim_cur = mb << 20;
        if (setrlimit(RLIMIT_DATA, &limit))
            argp_error(state, "the system refuses --max-memory=%s: %s", word,
                       strerror(errno));
    }
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;
    char formats[256];

    switch (key) {
    case 'f':
        line->format = fsd_format_find(arg);
        list_formats(-1, formats, sizeof formats);
        if (!line->format)
            argp_error(state, "unknown format '%s'; the formats are %s", arg, formats);
        break;
    case 'o':
        add_output(line, arg, state);
        break;
    case 'q':
        line->quiet = true;
        break;
    case KEY_FOLLOW:
        line->follow = true;
        break;
    case KEY_ALL:
        line->style.all = true;
        break;
    case KEY_WIDTH:
        line->style.width =
            parse_number("--width", "40 to 10000 columns", arg, 40, 10000, state);
        break;
    case KEY_COLOR:
        line->style.color = want_color(arg, state);
        break;
    case KEY_EVIDENCE:
        line->run.evidence = parse_evidence(arg, state);
        break;
    case KEY_MAX_MEMORY:
        limit_memory(arg, state);
        break;
    case KEY_FORCE:
        line->run.force = true;
        break;
    case KEY_ENGINE:
        line->every_engine = line->verb->subject == FSD_OF_RUN && !strcmp(arg, "all");
        if (!line->every_engine)
            line->run.engine_number =
                parse_number("--engine", "a number from 1", arg, 1, UINT32_MAX, state);
        break;
    case 'h':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        break;
    case ARGP_KEY_END:
        finish(line, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static error_t parse_build_option(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;

    switch (key) {
    case KEY_ONE_COLUMN:
        line->style.one_column = true;
        break;
    case KEY_LOG:
        line->run.log = arg;
        break;
    case KEY_OPT_PROFILE:
        line->run.opt_profile = 1 + parse_number("--opt-profile", "a number from 0",
                                                 arg, 0, INT32_MAX - 1, state);
        break;
    case KEY_PART:
        add_word(line->parts, &line->run.n_parts, arg, state);
        break;
    case KEY_PROFILE:
        add_word(line->profiles, &line->run.n_profiles, arg, state);
        break;
    case KEY_TIMES:
        line->run.times = arg;
        break;
    case KEY_SHAPE:
        add_word(line->shapes, &line->run.n_shapes, arg, state);
        break;
    case KEY_PEAK:
        parse_peak(line, arg, state);
        break;
    case KEY_VALUES:
        if (line->run.n_values == sizeof line->values / sizeof *line->values)
            argp_error(state,
                       "--values is given once or twice: the reference, then the "
                       "values to judge");
        line->values[line->run.n_values++] = arg;
        break;
    case KEY_VALUES_LIMIT:
        line->run.values_limit =
            parse_amount("--values-limit", "a number above 0", arg, true, 1e9, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

error_t parse_list_option(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;

    switch (key) {
    case KEY_OF_LIST:
        line->builds = arg;
        break;
    case 'j':
        line->jobs = parse_jobs(arg, state);
        break;
    case KEY_LABEL:
        line->run.label = parse_label(arg, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

error_t parse_picture_option(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;

    switch (key) {
    case KEY_AROUND:
        line->picture.around = arg;
        break;
    case KEY_DEPTH:
        line->picture.depth =
            parse_number("--depth", "1 to 1000 steps", arg, 1, 1000, state);
        break;
    case KEY_ONLY:
        line->picture.only = arg;
        break;
    case KEY_COLOR_BY:
        line->picture.color_by = arg;
        break;
    case KEY_COLLAPSE:
        line->picture.collapse = arg;
        break;
    case KEY_LAYOUT_TIMEOUT:
        line->picture.layout_seconds = parse_amount(
            "--layout-timeout", "seconds, up to a day", arg, true, 86400, state);
        break;
    case ARGP_KEY_INIT:
        line->picture.note = print_note;
        line->style.picture = &line->picture;
        return ARGP_ERR_UNKNOWN;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp common = {options, parse_option, NULL, NULL, NULL, NULL, NULL};
static const struct argp one_build = {
    one_build_options, parse_build_option, NULL, NULL, NULL, NULL, NULL};

static const struct verb *current; /* argp's parser functions have no other way to it */

const struct argp_option *verb_options(const struct verb *verb, unsigned i)
{
    static const struct argp_option none[] = {{0}};

    if (i == 2)
        return options;
    if (i == 1)
        return verb->two_builds ? none : one_build_options;
    return verb->options ? verb->options : none;
}

const struct argp_option *find_option(const struct verb *verb, const char *word)
{
    size_t n = strcspn(word, "=");

    if (word[0] != '-' || !word[1])
        return NULL;
    for (unsigned i = 0; i < 3; i++) {
        const struct argp_option *own = NULL;

        for (const struct argp_option *o = verb_options(verb, i); o->key; o++) {
            own = o->flags & OPTION_ALIAS ? own : o;
            if (o->name && word[1] == '-' ? n > 2 && strlen(o->name) == n - 2 &&
                                                !strncmp(o->name, word + 2, n - 2)
                                          : o->key < 128 && word[1] == o->key)
                return own;
        }
    }
    return NULL;
}

/* How many words of a command line the option is that begins with `word`, its value
 * among them; 0: `word` is no option of the verb. */
static unsigned option_words(const struct verb *verb, const char *word)
{
    const struct argp_option *option = find_option(verb, word);
    char letter[] = "-?";

    if (!option)
        return 0;
    if (word[1] == '-')
        return option->arg && !(option->flags & OPTION_ARG_OPTIONAL) &&
                       !strchr(word, '=')
                   ? 2
                   : 1;
    for (word++; *word; word++) { /* letters may share a word: -qn3 */
        letter[1] = *word;
        option = find_option(verb, letter);
        if (!option || option->arg)
            return !option ? 0 : word[1] ? 1 : 2;
    }
    return 1;
}

unsigned first_argument(const struct verb *verb, unsigned n, char **words)
{
    unsigned at = 0, taken;

    while (at < n && (taken = option_words(verb, words[at])))
        at += taken;
    return at;
}

unsigned verb_place(unsigned n, char **words)
{
    const struct verb *verb;
    unsigned i = 0;

    while (i < n &&
           (!(verb = find_verb(words[i])) || first_argument(verb, n, words) != i))
        i++;
    return i;
}

static error_t parse_with_verb(int key, char *arg, struct argp_state *state)
{
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = state->input;
        if (!current->two_builds)
            state->child_inputs[1] = state->input;
    }
    return current->parse(key, arg, state);
}

/* Puts the verb's formats on top of what --help says below the options, and examples
 * under it.  argp frees what is not `text`. */
static char *filter_help(int key, const char *text, void *input)
{
    char list[256], *help = NULL;
    size_t size;
    FILE *out;

    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)(uintptr_t)text;
    out = fsd_memory_open(&help, &size);
    if (current->subject >= 0) {
        list_formats(current->subject, list, sizeof list);
        fprintf(out, "Formats: %s.\n\n", list);
    }
    if (text)
        fprintf(out, "%s\n\n", text);
    if (!strcmp(current->name, "diff")) {
        print_verbs(out);
        putc('\n', out);
    }
    print_examples(current, out);
    if (fclose(out)) {
        free(help);
        return (char *)(uintptr_t)text;
    }
    return help;
}

/* Groups of options, as argp sorts them in a help: a verb's own are below this. */
enum { FIRST_SHARED = 6 };

void parse_command_line(struct command_line *line, const struct verb *verb, int argc,
                        char **argv)
{
    const struct argp_child children[] = {
        {&common, 0, "Options for reports, and for reading builds:", FIRST_SHARED},
        {verb->two_builds ? NULL : &one_build, 0, "The build:", FIRST_SHARED + 1},
        {0}};
    struct argp argp = {.options = verb->options,
                        .parser = parse_with_verb,
                        .args_doc = verb->arguments,
                        .doc = verb->doc,
                        .children = children,
                        .help_filter = filter_help};
    struct winsize size;

    memset(line, 0, sizeof *line);
    line->verb = verb;
    line->fail_on = -1;
    if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
        line->style.width = size.ws_col;
    line->style.color = want_color("auto", NULL);
    current = verb;
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, line);
}
