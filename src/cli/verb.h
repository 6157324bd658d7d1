/* The verbs: what each takes on the command line, and what it does.  To add one: a file
 * verb_<name>.c and a row in FSD_VERBS. */
#ifndef FSD_CLI_VERB_H
#define FSD_CLI_VERB_H

#include "cli/row.h"

enum { OK, FINDINGS, TROUBLE }; /* exit status, as diff(1) */

struct verb {
    const char *name;
    const char *arguments; /* "MODEL ENGINE", as --help shows them */
    const char *brief;     /* for the list of verbs: a line of at most 66 characters */
    const char *doc;       /* one sentence; what stands below the options after '\v' */
    const char *examples[5]; /* each the words behind the verb; ends with NULL */
    const struct option_row *options; /* its own, beside those of options.c; NULL */
    unsigned most_words; /* arguments, which go to line->words; 0: MODEL and ENGINE */
    take_fn *take;       /* takes an argument otherwise; NULL */
    /* Checks the whole line, and ends with a message where it is wrong; NULL. */
    void (*check)(struct command_line *line, struct argp_state *state);
    enum fsd_status (*run)(struct command_line *line, struct fsd_error *err);
    bool two_builds; /* so that a log, profiles and the like are no options */
    bool one_format; /* outputs may be called anything */
    int subject;     /* enum fsd_subject, which determines its formats; -1: it has only
                        one */
};

/** check and snapshot of each build of line->builds. gate_list.c */
enum fsd_status check_list(struct command_line *line, struct fsd_error *err);
enum fsd_status snapshot_list(struct command_line *line, struct fsd_error *err);
/** Rewrites the snapshot of a check. snapshots.c */
enum fsd_status update_snapshot(const struct command_line *line,
                                const struct fsd_check *check, struct fsd_error *err);
/** Notes what a snapshot of several builds, which is to be overwritten, loses. */
void report_dropped(const struct command_line *line, const char *path);
/** Refuses options that stand in the lines of a list, and not beside it. */
void refuse_beside_list(const struct command_line *line, struct argp_state *state);

/** The i-th verb, NULL past the last. verbs.c */
const struct verb *verb_at(unsigned i);

/** The verb of that name; NULL: none. */
const struct verb *find_verb(const char *word);
/** The verb that a misspelt word may mean; NULL: none. */
const char *near_verb(const char *word);

/** The row with argument and text of the option that `word` begins with; NULL: the verb
 *  has none of that name. */
const struct option_row *find_option(const struct verb *verb, const char *word);

/** The index of the first of `n` words that is no option of the verb, nor the value of
 *  one; n or more: there is none. */
unsigned first_argument(const struct verb *verb, unsigned n, char **words);

/** The index of the verb among `n` words: options that it takes may stand before it.
 *  n: there is none. */
unsigned verb_place(unsigned n, char **words);

/** A line a verb. help.c */
void print_verbs(FILE *out);
/** For argp, whose `input` is the command line: puts the verb's formats on top of what
 *  --help says below the options, and examples under it.
 *  @return `text`, or what argp frees */
char *filter_help(int key, const char *text, void *input);

/** The page of the manual, in mdoc. manual.c */
void print_manual(FILE *out);
/** What may stand in place of the last word. complete.c */
void print_completions(unsigned n, char **words);

/** Parses, or prints a message and exits: 0 after --help, 2 after an error.
 *  @param named  the verb on the command line; NULL: none, which is diff */
void parse_command_line(struct command_line *line, const struct verb *named, int argc,
                        char **argv);

/* What options of several verbs take. */
#define SEVERITIES "info warning error"
#define BUILDERS   "trt8 trt10 trt11 rtx"
#define JOBS       NUMBER(jobs, 1, MOST_JOBS, "1 to 256 threads")
#define ROW_LAYOUT_TIMEOUT                                                             \
    {                                                                                  \
        "layout-timeout", "SECONDS",                                                   \
            "svg, png, pdf: fail if the layout takes more processor time (default: "   \
            "30)",                                                                     \
            AMOUNT(picture.layout_seconds, ABOVE_0, 86400, "seconds, up to a day"),    \
            .group = 5                                                                 \
    }

/** "text, json, csv": a subject's formats, all of them for -1. options.c */
void list_formats(int subject, char *list, size_t size);
/** Takes the word of --label. */
void take_label(struct command_line *line, char *arg, struct argp_state *state);

/* Arguments.  pair.c */

/** Takes the argument as MODEL, then as ENGINE; false when both are there. */
bool take_pair(struct command_line *line, char *arg);

/** The same of verbs that take nothing else: a third is an error. */
void take_one_pair(struct command_line *line, char *arg, struct argp_state *state);

/** The same where names of nodes follow: a second word that is no file is one of
 *  them. */
bool take_input(struct command_line *line, char *arg);

/** Ends with a message unless MODEL and ENGINE are there; a lone argument is the
 * ENGINE, a build log. */
void need_pair(struct command_line *line, struct argp_state *state);

/** The verbs, as `help` lists them behind diff and those of views. */
#define FSD_VERBS(row)                                                                 \
    row(compare) row(routes) row(stability) row(snapshot) row(check) row(lint)         \
        row(cut) row(code) row(issue) row(annotate) row(retype) row(bisect) row(batch) \
            row(collect) row(doctor)

#define VERB_DECLARED(name) extern const struct verb verb_##name;
VERB_DECLARED(diff)
FSD_VERBS(VERB_DECLARED)

/* One verb a view of the library, behind diff in the list. verb_views.c */
extern const struct verb view_verbs[];
extern const size_t n_view_verbs;

#endif
