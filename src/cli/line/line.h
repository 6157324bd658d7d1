/* The parser of the command line in pieces: its words by the rows of options, and what
 * it prints itself. */
#ifndef FSD_CLI_LINE_LINE_H
#define FSD_CLI_LINE_LINE_H

#include "cli/cli.h"

/** An option that a command line may have, or the heading of those behind it. */
struct listed {
    const struct option_row *row; /**< NULL: a heading */
    const char *heading;
    int group; /**< those of a lower one come first in a help */
};

/** Fills the members of all options on the line, which are `n` rows.  arguments.c
 *  @return  how many arguments there are; `argv` begins with them then. */
unsigned take_options(struct command_line *line, const struct listed *of, unsigned n,
                      int argc, char **argv);
/** Whether that very word is on the line that take_options() reads. */
bool is_on_line(const char *word);

/** Fills the member of a row, or prints a message and exits.  value.c */
void take_value(const struct option_row *row, struct command_line *line, char *arg);

/* What --usage and --help print.  usage.c */
void print_usage(const struct verb *verb, const struct listed *rows, unsigned n);
void print_help(const struct verb *verb, const struct listed *rows, unsigned n);

/* error.c */

enum { LINE_COLUMNS = 79 };

/** "fusiondiff compare", as messages begin. */
void name_program(const char *name);
const char *program_name(void);
/** Where to find help, and the end: behind a message of more than one piece. */
_Noreturn void end_usage_error(void);
/** Prints a text from a column on; its further lines begin with `indent` blanks. */
void put_wrapped(FILE *out, size_t column, size_t indent, const char *text);
void put_blanks(FILE *out, size_t n);

#endif
