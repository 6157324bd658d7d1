/*
 * The command line, parsed by argp: the rows of the verb's options become argp's, each
 * table under its heading, and what argp finds fills the members that the rows name.
 * Then the verb checks the whole.
 */
#define _GNU_SOURCE /* argp */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MOST_ROWS = 64, FIRST_KEY = 256, GROUPS = 10 /* of a table */ };

static const struct option_row *rows[MOST_ROWS];
static struct argp_option options[MOST_ROWS + 1]; /* of the same indices */
static unsigned n_rows;

static struct argp_option *add_row(const struct option_row *row, unsigned table)
{
    int group = (int)table * GROUPS + (row->group ? row->group : GROUP_USUAL);
    int flags = (row->alias ? OPTION_ALIAS : 0) | (row->hidden ? OPTION_HIDDEN : 0) |
                (row->optional ? OPTION_ARG_OPTIONAL : 0);
    int key = row->letter ? row->letter : FIRST_KEY + (int)n_rows;

    rows[n_rows] = row;
    options[n_rows] =
        (struct argp_option){row->name, key, row->arg, flags, row->doc, group};
    return &options[n_rows++];
}

static void add_table(const struct verb *verb, unsigned table, const char *heading)
{
    const struct option_row *row = option_rows(verb, table);

    if (heading &&
        is_row(row)) { /* is a row without a name, in the group of the first */
        struct argp_option *made = add_row(row, table);

        *made = (struct argp_option){.doc = heading, .group = made->group};
    }
    for (; is_row(row); row++)
        add_row(row, table);
}

/* NULL: the key is one of argp's own. */
static const struct option_row *row_of(int key)
{
    for (unsigned i = 0; key > 0 && i < n_rows; i++)
        if (options[i].key == key)
            return rows[i];
    return NULL;
}

/* Where no verb was named, an argument may be one that is misspelt, or that stands
 * behind an option of its own. */
static void check_no_verb(const struct command_line *line, const char *arg,
                          struct argp_state *state)
{
    const char *first = line->run.model;

    if (!first && find_verb(arg) && access(arg, F_OK) != 0)
        argp_error(state,
                   "the verb %s lacks an option before it ('fusiondiff help %s' lists "
                   "its options)",
                   arg, arg);
    if (first && line->run.engine && !strpbrk(first, "./")) { /* mistyped */
        const char *near = near_verb(first);

        argp_error(state, "'%s' is not a verb%s%s%s", first,
                   near ? "; did you mean '" : " ('fusiondiff help' lists them)",
                   near ? near : "", near ? "'?" : "");
    }
}

static void take_argument(struct command_line *line, char *arg,
                          struct argp_state *state)
{
    const struct verb *verb = line->verb;

    if (!*verb->arguments)
        argp_error(state, "expected no files, found '%s'", arg);
    if (!line->named)
        check_no_verb(line, arg, state);
    if (!verb->most_words) {
        take_one_pair(line, arg, state);
        return;
    }
    if (line->query.n_words == verb->most_words && verb->most_words > 3)
        argp_error(state, "expected at most %u words, found one more '%s'",
                   verb->most_words, arg);
    if (line->query.n_words == verb->most_words)
        argp_error(state, "expected %s, found '%s' too", verb->arguments, arg);
    line->words[line->query.n_words++] = arg;
}

static bool want_color(int when)
{
    const char *no_color = getenv("NO_COLOR");

    return when ? when == COLOR_ALWAYS
                : isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

/* "x.foo" wants to be a foo; "x" and "/dev/null" get text. */
static void give_format(const struct command_line *line, struct output *to,
                        struct argp_state *state)
{
    const char *slash = to->path ? strrchr(to->path, '/') : NULL;
    bool any_name =
        line->verb->one_format || line->fix.wanted || line->print_policy || line->dump;

    if (line->format)
        to->format = line->format;
    else if (!to->format && to->path && !any_name &&
             strrchr(slash ? slash : to->path, '.'))
        argp_error(state, "the ending of '%s' is no known format: use -f", to->path);
}

/* Parts, and a directory in the place of files: what the verb checks are files then.  A
 * lone directory is all of a build, unless the verb can do without its engine. */
static void read_inputs(struct command_line *line)
{
    struct fsd_directory *directory = NULL;
    struct fsd_options *run = &line->run;
    bool lone = strstr(line->verb->arguments, "[ENGINE]") ||
                (line->dump && strcmp(line->dump, "engine") != 0);

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

static void finish(struct command_line *line, struct argp_state *state)
{
    if (!line->n_outputs)
        line->n_outputs = 1; /* standard output */
    for (unsigned i = 0; i < line->n_outputs; i++)
        give_format(line, &line->outputs[i], state);
    line->style.color = want_color(line->color);
    if (wants_sample(line))
        take_sample(line);
    if (!line->verb->most_words)
        read_inputs(line);
    if (line->error.status == FSD_OK && line->verb->check)
        line->verb->check(line, state);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;
    const struct option_row *row = row_of(key);

    if (row)
        take_value(row, line, arg, state);
    else if (key == ARGP_KEY_ARG && line->verb->take)
        line->verb->take(line, arg, state);
    else if (key == ARGP_KEY_ARG)
        take_argument(line, arg, state);
    else if (key == ARGP_KEY_END)
        finish(line, state);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

/* What lists of words are read from. */
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
    static const char *const headings[OPTION_TABLES] = {
        NULL, "Options for reports, and for reading builds:", "The build:"};
    struct argp argp = {.options = options,
                        .parser = parse,
                        .args_doc = verb->arguments,
                        .doc = verb->doc,
                        .help_filter = filter_help};
    struct winsize size;

    memset(line, 0, sizeof *line);
    line->verb = verb;
    line->named = named;
    line->fail_on = -1;
    if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
        line->style.width = size.ws_col;
    join_lists(line);
    for (unsigned table = 0; table < OPTION_TABLES; table++)
        add_table(verb, table, headings[table]);
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, line);
    if (verb->most_words) /* which of its words are files, it has found out by now */
        read_inputs(line);
}
