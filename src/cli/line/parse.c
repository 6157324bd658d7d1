/*
 * Parses the command line. The options of a verb are rows of tables, and each table has
 * a heading in --help. An option sets the member that its row names. Afterwards the
 * verb checks the whole line.
 */
#include "cli/line/line.h"
#include "host/files.h"

#include <stdlib.h>
#include <string.h>

/* GROUPS: how many group numbers are reserved for each table. */
enum { MOST_ROWS = 64, GROUPS = 10 };

static const struct verb *chosen;
static struct listed rows[MOST_ROWS];
static unsigned n_rows;

static _Noreturn void end_well(void)
{
    exit(fflush(stdout) ? TROUBLE : OK);
}

static void give_help(struct command_line *line, char *arg)
{
    (void)line, (void)arg;
    print_help(chosen, rows, n_rows);
    end_well();
}

static void give_usage(struct command_line *line, char *arg)
{
    (void)line, (void)arg;
    print_usage(chosen, rows, n_rows);
    end_well();
}

/* Prints the version. "--version --json" prints it for scripts. */
static void give_version(struct command_line *line, char *arg)
{
    (void)line, (void)arg;
    if (is_on_line("--json"))
        fsd_about("json", NULL, stdout, NULL);
    else
        fputs("fusiondiff " FSD_VERSION "\n", stdout);
    end_well();
}

static const struct option_row of_parser[] = {
    {"help", NULL, "Give this help list", TAKEN_BY(give_help), .letter = '?'},
    {"usage", NULL, "Give a short usage message", TAKEN_BY(give_usage)},
    {"version", NULL, "Print program version", TAKEN_BY(give_version), .letter = 'V'},
    {0},
};

static int group_of(const struct option_row *row, unsigned table)
{
    return (int)table * GROUPS + (row->group ? row->group : GROUP_USUAL);
}

/* Adds a heading (NULL: none) and then the rows of a table. The heading gets the group
 * of the table's first row. */
static void add_table(const struct option_row *row, unsigned table, const char *heading)
{
    if (heading && is_row(row))
        rows[n_rows++] = (struct listed){NULL, heading, group_of(row, table)};
    for (; is_row(row); row++)
        rows[n_rows++] = (struct listed){row, NULL, group_of(row, table)};
}

static void add_tables(const struct verb *verb)
{
    static const char *const headings[OPTION_TABLES] = {
        NULL, "Options for reports, and for reading builds:", "The build:"};

    for (unsigned table = 0; table < OPTION_TABLES; table++)
        add_table(option_rows(verb, table), table, headings[table]);
    add_table(of_parser, OPTION_TABLES, NULL);
}

/* Called if no verb was found. Exits with a message in two cases:
 * - `arg` is the name of a verb, but the verb lacks the option before `arg`.
 * - There are three arguments, and the first is probably a misspelt verb. */
static void check_no_verb(const struct command_line *line, const char *arg)
{
    const char *first = line->run.model;

    if (!first && find_verb(arg) && access(arg, F_OK) != 0)
        usage_error("the option before the verb '%s' does not belong to this verb "
                    "('fusiondiff help %s' lists the verb's options)",
                    arg, arg);
    if (first && line->run.engine && !strpbrk(first, "./")) { /* the first argument is
                                                                 probably a misspelt
                                                                 verb */
        const char *near = near_verb(first);

        usage_error("'%s' is not a verb%s%s%s", first,
                    near ? "; did you mean '" : " ('fusiondiff help' lists them)",
                    near ? near : "", near ? "'?" : "");
    }
}

static void take_argument(struct command_line *line, char *arg)
{
    const struct verb *verb = line->verb;

    if (!*verb->arguments)
        usage_error("expected no files, found '%s'", arg);
    if (!line->named)
        check_no_verb(line, arg);
    if (!verb->most_words) {
        take_one_pair(line, arg);
        return;
    }
    if (line->query.n_words == verb->most_words && verb->most_words > 3)
        usage_error("expected at most %u words, found another word '%s'",
                    verb->most_words, arg);
    if (line->query.n_words == verb->most_words)
        usage_error("expected %s, found '%s' too", verb->arguments, arg);
    line->words[line->query.n_words++] = arg;
}

static bool want_color(int when)
{
    const char *no_color = getenv("NO_COLOR");

    return when ? when == COLOR_ALWAYS
                : isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

bool takes_any_name(const struct command_line *line)
{
    return line->verb->one_format || line->fix.wanted || line->check.print_policy ||
           line->diff.dump;
}

/* Sets the format of an output. The extension names the format: "x.foo" is an error if
 * there is no format foo. "x" and "/dev/null" are text. */
static void give_format(const struct command_line *line, struct output *to)
{
    const char *slash = to->path ? strrchr(to->path, '/') : NULL;

    if (line->format)
        to->format = line->format;
    else if (!to->format && to->path && !takes_any_name(line) &&
             strrchr(slash ? slash : to->path, '.'))
        usage_error(
            "the extension of '%s' names no known format: select a format with -f",
            to->path);
    if (line->tokens && to->format && strcmp(to->format, "text") != 0)
        usage_error("--budget can shorten only a report in format text, not in %s",
                    to->format);
}

/* Checks the paths of parts, and replaces a directory by its files. A directory as the
 * only argument is a whole build, so it becomes the ENGINE. It stays the MODEL if
 * --part names the engines, or if the verb works without an ENGINE. */
static void read_inputs(struct command_line *line)
{
    struct fsd_directory *directory = NULL;
    struct fsd_options *run = &line->run;
    bool lone = strstr(line->verb->arguments, "[ENGINE]") ||
                (line->diff.dump && strcmp(line->diff.dump, "engine") != 0);

    record_reads();
    show_progress(run, line->quiet);
    allow_leading_out(line->follow);
    if (check_parts(run->parts, run->n_parts, &line->error) != FSD_OK)
        return;
    if (!run->engine && !lone && is_directory(run->model)) {
        run->engine = run->n_parts ? line->parts[0] : run->model;
        run->model = run->n_parts ? run->model : NULL;
    }
    open_directory(&directory, run, &line->error);
    keep_directory(directory);
}

static void finish(struct command_line *line)
{
    if (!line->n_outputs)
        line->n_outputs = 1; /* standard output */
    for (unsigned i = 0; i < line->n_outputs; i++)
        give_format(line, &line->outputs[i]);
    line->style.color = want_color(line->color);
    if (wants_sample(line))
        take_sample(line);
    if (!line->verb->most_words)
        read_inputs(line);
    if (line->error.status == FSD_OK && line->verb->check)
        line->verb->check(line);
}

/* Sets the lists of the options to the words that the parser collected. */
static void join_lists(struct command_line *line)
{
    line->run.profiles = line->profiles;
    line->run.parts = line->parts;
    line->run.shapes = line->shapes;
    line->run.values = line->values;
    line->query.words = line->words;
    line->picture.note = print_note;
    line->style.picture = &line->picture;
    line->fix.options.what = line->fix.what;
    line->fix.options.scales = line->fix.scales;
    line->part.cut.values = line->values;
    line->part.cut.layers = line->part.layers;
    line->part.cut.groups = line->part.groups;
    line->part.cut.nodes = line->part.nodes;
    line->part.cut.from = line->part.from;
    line->part.cut.to = line->part.to;
}

void parse_command_line(struct command_line *line, const struct verb *named, int argc,
                        char **argv)
{
    const struct verb *verb = named ? named : verb_at(0);
    unsigned n;

    line->verb = verb;
    line->named = named;
    line->fail_on = -1;
    line->style.width = fsd_host_columns();
    join_lists(line);
    name_program(argv[0]);
    chosen = verb;
    add_tables(verb);
    n = take_options(line, rows, n_rows, argc, argv);
    if (line->help)
        give_help(line, NULL);
    for (unsigned i = 0; i < n; i++)
        (verb->take ? verb->take : take_argument)(line, argv[i]);
    finish(line);
    if (verb->most_words) /* only now: verb->check(), which finish() calls, finds out
                                which words are files */
        read_inputs(line);
}
