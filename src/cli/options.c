/*
 * The options that every verb has, and the options that every verb on one build has. An
 * option that a row cannot describe has a function here.
 */
#include "cli/cli.h"
#include "host/host.h"

#include <errno.h>

void list_formats(int subject, char *list, size_t size)
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

static void take_format(struct command_line *line, char *arg)
{
    char formats[256];

    line->format = fsd_format_find(arg);
    list_formats(-1, formats, sizeof formats);
    if (!line->format)
        usage_error("unknown format '%s'; the formats are %s", arg, formats);
}

static void take_output(struct command_line *line, char *path)
{
    bool file = strcmp(path, "-") != 0;

    if (line->n_outputs == MOST_OUTPUTS)
        usage_error("expected at most %d outputs", MOST_OUTPUTS);
    line->outputs[line->n_outputs++] =
        (struct output){file ? path : NULL, file ? fsd_format_find(path) : NULL};
}

static void take_evidence(struct command_line *line, char *list)
{
    static const struct {
        const char *name;
        unsigned bit;
    } words[] = {{"metadata", FSD_BY_METADATA},
                 {"name", FSD_BY_NAME},
                 {"log", FSD_BY_LOG},
                 {"tensor", FSD_BY_TENSOR},
                 {"structure", FSD_BY_STRUCTURE},
                 {"path", FSD_BY_PATH},
                 {"all", FSD_BY_ALL}};
    unsigned mask = 0;

    while (*list) {
        size_t n = strcspn(list, ","), i = 0;

        while (i < sizeof words / sizeof *words &&
               (strlen(words[i].name) != n || strncmp(words[i].name, list, n) != 0))
            i++;
        if (i == sizeof words / sizeof *words)
            usage_error(
                "--evidence: expected metadata, name, log, tensor, structure or path, "
                "found '%.*s'",
                (int)n, list);
        else
            mask |= words[i].bit;
        list += n + (list[n] == ',');
    }
    if (!mask)
        usage_error("--evidence needs at least one word");
    line->run.evidence = mask;
}

/* The largest peak rate that a user may state. A device with a higher rate does not
 * exist: a larger number is a typing error. */
static const double MOST_PEAK = 1e9;

static void take_peak(struct command_line *line, char *word)
{
    char *end;

    line->run.peak_gb_s = strtod(word, &end);
    if (*end == ',')
        line->run.peak_top_s = strtod(end + 1, &end);
    if (*end || !(line->run.peak_gb_s > 0 && line->run.peak_gb_s <= MOST_PEAK) ||
        !(line->run.peak_top_s > 0 && line->run.peak_top_s <= MOST_PEAK))
        usage_error("--peak: expected bandwidth and compute of the device as "
                    "GB/s,TOP/s, found '%s'",
                    word);
}

/* Limits the memory that the program can write to, but not mappings of files. The
 * memory limit of CI does not count mappings either, and a model may have hundreds of
 * megabytes of weights that are never read. */
static void limit_memory(struct command_line *line, char *word)
{
    char *end;
    unsigned long mb = strtoul(word, &end, 10);

    (void)line;
    if (*end || end == word || *word == '-' || !mb || mb > UINT32_MAX)
        usage_error(
            "--max-memory: expected a number of megabytes from 1 to %u, found '%s'",
            UINT32_MAX, word);
    if (!fsd_host_limit_memory((uint64_t)mb << 20))
        usage_error("the system refuses --max-memory=%s: %s", word, strerror(errno));
}

static void take_engine(struct command_line *line, char *arg)
{
    line->every_engine = line->verb->subject == FSD_OF_RUN && !strcmp(arg, "all");
    if (!line->every_engine)
        line->run.engine_number =
            parse_number("engine", arg, 1, UINT32_MAX, "a number from 1");
}

enum { MOST_TOKENS = 1000000 };

static void take_budget(struct command_line *line, char *arg)
{
    char *comma = strchr(arg, ',');

    if (comma)
        *comma = '\0';
    line->tokens = parse_number("budget", arg, FSD_LEAST_TOKENS, MOST_TOKENS,
                                "200 to 1000000 tokens");
    line->page =
        comma ? parse_number("budget", comma + 1, 1, UINT32_MAX, "a page from 1") : 1;
    line->style.quoted = line->part.cut.quoted = true;
}

static void take_opt_profile(struct command_line *line, char *arg)
{
    line->run.opt_profile =
        1 + parse_number("opt-profile", arg, 0, INT32_MAX - 1, "a number from 0");
}

void take_label(struct command_line *line, char *arg)
{
    if (!*arg)
        usage_error("--label: expected a word, e.g. sm86, found ''");
    line->run.label = arg;
}

static const struct option_row of_all[] = {
    {"format", "FORMAT",
     "Format of the report (default: text); all formats are listed below",
     TAKEN_BY(take_format), .letter = 'f', .group = 1},
    {"output", "FILE",
     "Write the report to FILE, in the format of its extension; may be repeated",
     TAKEN_BY(take_output), .letter = 'o', .group = 1},
    {"follow", NULL, "Follow symbolic links that lead out of their folder",
     FLAG(follow), .group = 1},
    {"quiet", NULL,
     "Print only errors on standard error: no notes, no summary of written files",
     FLAG(quiet), .letter = 'q', .group = 1},
    {"all", NULL, "Show everything: do not fold repeated layers or shorten lists",
     FLAG(style.all), .group = 2},
    {"width", "COLUMNS", "Width of the text report",
     NUMBER(style.width, 40, 10000, "40 to 10000 columns"), .group = 2},
    {"budget", "TOKENS[,PAGE]",
     "Print one page of the text, with at most TOKENS tokens, as input to a language "
     "model. Page 1 (the default) begins with the summary. Each page states how many "
     "lines are on later pages",
     TAKEN_BY(take_budget), .group = 2},
    {"color", "WHEN", "Color the text: auto (the default), always or never",
     CHOICE(color, "auto always never"), .group = 2},
    {"evidence", "LIST",
     "Use only these kinds of evidence: metadata,name,log,tensor,structure,path",
     TAKEN_BY(take_evidence), .words = "metadata name log tensor structure path"},
    {"engine", "N",
     "Select the Nth engine of a log with several engines; 'all' reports each engine, "
     "and -o x.svg then writes x.1.svg, x.2.svg, ...",
     TAKEN_BY(take_engine)},
    {"force", NULL, "Continue even if MODEL and ENGINE do not belong together",
     FLAG(run.force)},
    {"max-memory", "MB",
     "Exit with an error (status 2) instead of using more than MB megabytes of memory",
     TAKEN_BY(limit_memory)},
    {NULL, NULL, NULL, FLAG(help), .letter = 'h', .hidden = true},
    {0},
};

static const struct option_row of_one_build[] = {
    {"no-side-by-side", NULL,
     "With --all: print nodes below their layer, not next to it",
     FLAG(style.one_column), .group = 2},
    {"log", "FILE", "Verbose log of the build", WORD(run.log)},
    {"part", "ENGINE",
     "In place of ENGINE: an engine that computes a part of the model; may be repeated",
     WORDS(parts, run.n_parts)},
    {"opt-profile", "N",
     "Select one of several optimization profiles of the engine (default: the first)",
     TAKEN_BY(take_opt_profile)},
    {"profile", "FILE",
     "Layer times of the engine, from trtexec --exportProfile; may be repeated",
     WORDS(profiles, run.n_profiles)},
    {"times", "FILE", "Times of whole inferences, from trtexec --exportTimes",
     WORD(run.times)},
    {"shape", "NAME=DIMS",
     "Dimensions of a dynamic input, e.g. images=1x3x224x224; may be repeated",
     WORDS(shapes, run.n_shapes)},
    {"peak", "GB/S,TOP/S",
     "Peak bandwidth and peak compute throughput of the device, for the roofline",
     TAKEN_BY(take_peak)},
    {"values", "FILE",
     "Numbers from other tools: a table (CSV, JSON) with the names of nodes, layers or "
     "tensors, or a file of tensors (npz, or outputs that Polygraphy saved). If you "
     "pass two files of tensors, the first is the reference",
     WORDS(values, run.n_values)},
    {"values-limit", "ERROR",
     "Report a tensor as wrong if its relative L2 error exceeds ERROR (default: 0.01)",
     AMOUNT(run.values_limit, ABOVE_0, 1e9, "a number above 0")},
    {"rows", NULL,
     "With --values: compare the rows of each tensor with each other; use this if "
     "every row of the batch holds the same sample",
     FLAG(run.values_rows)},
    {0},
};

bool is_row(const struct option_row *row)
{
    return row->name || row->letter;
}

const struct option_row *option_rows(const struct verb *verb, unsigned table)
{
    static const struct option_row none[] = {{0}};

    if (table == 1)
        return of_all;
    if (table == 2)
        return verb->two_builds ? none : of_one_build;
    return verb->options ? verb->options : none;
}
