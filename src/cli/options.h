/* The command line, as a struct.  Nothing else reads argv. */
#ifndef FSD_CLI_OPTIONS_H
#define FSD_CLI_OPTIONS_H

#include <fusiondiff/fusiondiff.h>

enum {
    MOST_OUTPUTS = 16,
    MOST_WORDS = 4096,
    MOST_BUILDS = 26,
    MOST_CUT = 256,
    MOST_JOBS = 256
};

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER }; /* in the order of the option's words */

struct output {
    const char *path;   /* NULL: standard output */
    const char *format; /* NULL: text */
};

struct verb;

/* Zero is the default of every field but fail_on. */
struct command_line {
    const struct verb *verb;
    bool named;      /* the verb, on the command line */
    int exit_status; /* OK, until the verb has found something */

    /* Options of all verbs. */
    struct fsd_options run;
    struct fsd_style style;
    struct output outputs[MOST_OUTPUTS];
    unsigned n_outputs;
    bool every_engine;  /* of a log that holds several: each */
    bool follow;        /* links that lead out of their folders */
    bool quiet;         /* no notes, and no word on what went to files */
    int color;          /* COLOR_... */
    const char *format; /* -f: for outputs whose name does not imply a format */
    const char *profiles[MOST_OUTPUTS];
    const char *shapes[MOST_OUTPUTS];
    const char *values[2];
    const char *parts[MOST_OUTPUTS];

    /* Of views. */
    struct fsd_query query;
    const char *words[MOST_WORDS];

    /* Of compare: `run` is the old build. */
    struct fsd_options other;

    /* Of diff. */
    const char *debug; /* "log"; NULL: nothing */
    const char *dump;  /* "model" or "engine"; NULL: report */
    int fail_on;       /* enum fsd_severity; -1: never */

    /* Of verbs that draw. */
    struct fsd_picture picture;

    /* Of snapshot and check. */
    bool with_times;
    const char *also[MOST_BUILDS - 1]; /* builds, as words */
    unsigned n_also;
    struct fsd_check_options check;
    const char *builds; /* --list: many builds, by the name of the list; NULL: one */
    bool print_policy;

    /* Of bisect. */
    const char *state; /* the file that keeps the search */

    /* Of explain: rules are explained without a build. */
    const char *rule;
    bool rules; /* of all of them, a line each */

    /* Of batch, and of lists of builds. */
    unsigned jobs; /* threads; 0: as many as there are processors */
    bool resume;   /* the output keeps the lines that it has */

    /* Of collect. */
    bool copy_model;

    /* Of lint. */
    struct fsd_lint_options lint;
    bool list;  /* its rules, and nothing else */
    bool fixes; /* outputs are the fixed model */
    struct fsd_fix_options fix;
    const char *fix_what[MOST_OUTPUTS], *fix_scales[MOST_WORDS];

    /* Of code. */
    struct fsd_code_options code;

    /* Of annotate. */
    bool of_layers; /* the engine's graph, though a model is there */

    /* Of verbs that take a part of a model: part.c. */
    struct fsd_cut_options cut;
    const char *cut_layers[MOST_CUT], *cut_groups[MOST_CUT], *cut_nodes[MOST_CUT],
        *cut_from[MOST_CUT], *cut_to[MOST_CUT];

    /* Of cut. */
    const char *alone;  /* an engine of the part */
    const char *inputs; /* folder for values of its inputs */

    /* Of issue, with `cut`. */
    struct fsd_issue_options issue;
    const char *names; /* the file that has what the new names stand for */
};

#endif
