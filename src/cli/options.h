/* The command line, as a struct.  Nothing else reads argv. */
#ifndef FSD_CLI_OPTIONS_H
#define FSD_CLI_OPTIONS_H

#include <fusiondiff/fusiondiff.h>

enum { MOST_OUTPUTS = 16 };

struct output {
    const char *path;   /* NULL: standard output */
    const char *format; /* NULL: by the path's ending, or text */
};

struct command_line {
    struct fsd_options run;
    struct fsd_style style;
    struct output outputs[MOST_OUTPUTS];
    unsigned n_outputs;
    const char *format; /* -f: for the outputs without a telling ending */
    const char *dump;   /* "model" or "engine"; NULL: report */
    int fail_on;        /* enum fsd_severity; -1: never */
};

/** Parses, or prints a message and exits: 0 after --help, 2 after an error. */
void parse_command_line(struct command_line *line, int argc, char **argv);

#endif
