/* The parts of the parser of the command line: parsing by the rows of options, and
 * printing usage and help. */
#pragma once

#include "cli/cli.h"

/** An option of the command line, or a heading for the options after it. */
struct listed {
    const struct option_row *row; /**< NULL: a heading */
    const char *heading;
    int group; /**< lower groups come first in --help */
};

/** Handles all options on the line, by `n` rows. arguments.c
 *  @return  the number of arguments, which are moved to the beginning of `argv`. */
unsigned take_options(struct command_line *line, const struct listed *of, unsigned n,
                      int argc, char **argv);
/** Whether the line that take_options() reads contains exactly this word. */
bool is_on_line(const char *word);

/** Sets the member of a row from its argument, or prints a message and exits.
 *  value.c */
void take_value(const struct option_row *row, struct command_line *line, char *arg);

/* Print the texts of --usage and --help. usage.c */
void print_usage(const struct verb *verb, const struct listed *rows, unsigned n);
void print_help(const struct verb *verb, const struct listed *rows, unsigned n);

/* error.c */

enum { LINE_COLUMNS = 79 };

/** Sets the program's name in messages, such as "fusiondiff compare". */
void name_program(const char *name);
const char *program_name(void);
/** Prints where to find help and exits, after a message that was printed in pieces. */
_Noreturn void end_usage_error(void);
/** Prints a text, starting at a column; its further lines are indented by `indent`. */
void put_wrapped(FILE *out, size_t column, size_t indent, const char *text);
void put_blanks(FILE *out, size_t n);
