/* The parser of the command line: it parses options by their rows, and prints usage and
 * help. */
#pragma once

#include "cli/cli.h"

/** A line of --help: an option, or a heading above the next options. */
struct listed {
    const struct option_row *row; /**< NULL: a heading */
    const char *heading;
    int group; /**< groups are in ascending order in --help */
};

/** Handles all options of the command line. The `n` rows of `of` describe the options.
 * Moves the arguments to the beginning of `argv`. arguments.c
 * @return the number of arguments */
unsigned take_options(struct command_line *line, const struct listed *of, unsigned n,
                      int argc, char **argv);
/** Whether the command line that take_options() reads has exactly this word. */
bool is_on_line(const char *word);

/** Handles the option of `row` with the argument `arg`: calls row->take() or, if it is
 * NULL, sets the option's member of `line`. Prints a message and exits if the argument
 * is wrong. value.c */
void take_value(const struct option_row *row, struct command_line *line, char *arg);

/* Print the texts of --usage and --help. usage.c */
void print_usage(const struct verb *verb, const struct listed *rows, unsigned n);
void print_help(const struct verb *verb, const struct listed *rows, unsigned n);

/* error.c */

enum { LINE_COLUMNS = 79 };

/** Sets the program's name in messages, such as "fusiondiff compare". */
void name_program(const char *name);
const char *program_name(void);
/** Prints a hint on --help and exits. The caller has printed the message. */
_Noreturn void end_usage_error(void);
/** Prints a text in lines of LINE_COLUMNS. The first line begins at `column`; further
 * lines are indented by `indent` columns. */
void put_wrapped(FILE *out, size_t column, size_t indent, const char *text);
void put_blanks(FILE *out, size_t n);
