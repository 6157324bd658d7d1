/*
 * The program: its command line as a struct, the rows of its options, its verbs, and
 * the functions with which verbs read builds and write reports.
 */
#pragma once

#include "host/files.h"

#include <float.h>
#include <fusiondiff/edit.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------- options */

/* The command line as a struct. Only the parser reads argv. */

enum {
    MOST_OUTPUTS = 16,
    MOST_WORDS = 4096,
    MOST_BUILDS = 26,
    MOST_CUT = 256,
    MOST_JOBS = 256
};

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER }; /* indexes of the words of --color */

struct output {
    const char *path;   /* NULL: standard output */
    const char *format; /* NULL: text */
    bool updates;       /* may replace an input that is not in `named` (reads.c) */
};

/* The whole command line. Zero is the default of every member except fail_on. */
struct command_line {
    const struct verb *verb;
    bool named;             /* whether the command line names the verb */
    int exit_status;        /* OK, unless the verb sets FINDINGS */
    struct fsd_error error; /* the error if files of the command line cannot be read */

    /* Options of all verbs. */
    struct fsd_options run;
    struct fsd_style style;
    struct output outputs[MOST_OUTPUTS];
    unsigned n_outputs;
    bool every_engine;     /* read all builds of a log of several builds */
    bool follow;           /* follow links that point out of their folders */
    bool help;             /* -h: print help only */
    bool quiet;            /* no notes, and no line about outputs written to files */
    unsigned tokens, page; /* --budget, in tokens (0: no limit); --page */
    int color;             /* COLOR_... */
    const char *format;    /* -f: format of outputs whose names imply no format */
    const char *profiles[MOST_OUTPUTS];
    const char *shapes[MOST_OUTPUTS];
    const char *values[2];
    const char *parts[MOST_OUTPUTS];

    /* For views. */
    struct fsd_query query;
    const char *words[MOST_WORDS];

    /* For several verbs. */
    struct fsd_picture picture; /* for verbs that draw */
    int fail_on; /* for diff, lint and batch: enum fsd_severity; -1: never */

    struct list_options { /* for batch, check and snapshot */
        const char *path; /* --list; NULL: none. The list of batch is a word */
        unsigned jobs;    /* number of threads; 0: the number of processors */
    } list;
    struct part_options { /* a part of a model, for cut, code and issue (part.c) */
        struct fsd_cut_options cut; /* its lists are the arrays below */
        const char *layers[MOST_CUT], *groups[MOST_CUT], *nodes[MOST_CUT],
            *from[MOST_CUT], *to[MOST_CUT];
    } part;

    /* For one verb each. */
    struct diff_options {
        const char *debug; /* "log"; NULL: none */
        const char *dump;  /* "model" or "engine": the graph to write; NULL: none */
    } diff;
    struct explain_options {    /* without a build */
        const char *word;       /* the word to explain; NULL: none */
        bool rules, vocabulary; /* list all rules; list the whole vocabulary */
    } explain;
    struct batch_options {
        bool resume; /* keep the lines that the output file already has */
    } batch;
    struct snapshot_options {
        bool with_times;        /* refuse to write a snapshot without times */
        const char *merge_base; /* --merge: path of BASE; NULL: no merge */
        const char *also[MOST_BUILDS - 1]; /* one word for each further build */
        unsigned n_also;
    } snapshot;
    struct check_options {
        struct fsd_check_options options;
        bool print_policy;
    } check;
    struct lint_options {
        struct fsd_lint_options options;
        bool list; /* only list the rules */
    } lint;
    struct fix_options { /* of lint */
        bool wanted; /* whether --fix is given; the output is then the fixed model */
        struct fsd_fix_options options;
        const char *what[MOST_OUTPUTS], *scales[MOST_WORDS];
    } fix;
    struct collect_options {
        bool copy_model;
    } collect;
    struct cut_options {
        const char *alone;  /* path of an engine that was built from only the part */
        const char *inputs; /* folder for the values of the part's inputs */
    } cut;
    struct issue_options {
        struct fsd_issue_options options;
        const char *names; /* path of the list of original names */
        bool verify;       /* build the part with its builder */
    } issue;
    struct fsd_code_options code;
    struct annotate_options {
        bool of_layers; /* write the engine's graph even if there is a model */
    } annotate;
    struct bisect_options {
        const char *state;  /* --state: path of the file that keeps the search */
        const char *values; /* --values: path of the file with correct outputs */
        unsigned confirm;   /* number of runs of CMD for each build; 0: one */
    } bisect;
};

/* ------------------------------------------------------------------------------ row */

/* An option is a row: its name, its argument, and the member of struct command_line
 * that it sets. The parser, --help, the manual and completion use these rows. */

/** Handles the argument of an option; exits with a message if it is wrong. */
typedef void take_fn(struct command_line *line, char *arg);

enum takes {
    TAKES_FLAG,
    TAKES_WORD,
    TAKES_WORDS,
    TAKES_CHOICE,
    TAKES_ONE_OF,
    TAKES_NUMBER,
    TAKES_AMOUNT,
    TAKES_DAY
};

struct option_row {
    const char *name; /* NULL: the option has only a letter */
    const char *arg;  /* the argument as --help shows it; NULL: the option takes none */
    const char *doc;
    enum takes takes;
    size_t at, n_at;      /* offsets in struct command_line */
    double least, most;   /* for numbers: the bounds */
    const char *expected; /* for numbers: the bounds in words, for messages */
    const char *words;    /* the allowed words, or words that completion offers */
    unsigned room;        /* for lists: the capacity */
    take_fn *take;        /* handles the argument; NULL: the parser sets the member */
    int group;            /* group in --help; 0: GROUP_USUAL */
    char letter;
    bool optional; /* users may omit the argument */
    bool input;    /* the argument is the path of an input (reads.c) */
    bool alias;    /* another name for the option of the previous row */
    bool hidden;
};

enum { GROUP_USUAL = 3 };

/* The offset of a member. Compiles only if the type of the member is `type`. */
#define FSD_AT(member, type)                                                           \
    (offsetof(struct command_line, member) +                                           \
     0 * sizeof(&((struct command_line *)0)->member == (type *)0))
#define FSD_ROOM(list)                                                                 \
    (sizeof((struct command_line *)0)->list / sizeof *((struct command_line *)0)->list)

/* Macros that stand after `doc` in an option's row and set other members of the row. */
#define FLAG(member)  TAKES_FLAG, FSD_AT(member, bool)
#define WORD(member)  TAKES_WORD, FSD_AT(member, const char *)
#define INPUT(member) WORD(member), .input = true
/* Several words. They are stored in the array `list`, and their number in `n`. */
#define WORDS(list, n)                                                                 \
    TAKES_WORDS, offsetof(struct command_line, list), FSD_AT(n, unsigned),             \
        .room = FSD_ROOM(list)
/* CHOICE stores the index of the word (an enum); ONE_OF stores the word itself. */
#define CHOICE(member, choices)                                                        \
    TAKES_CHOICE,                                                                      \
        offsetof(struct command_line, member) +                                        \
            0 * sizeof(_Generic(((struct command_line *)0)->member, int : 1,           \
                                unsigned : 1)),                                        \
        .words = (choices)
#define ONE_OF(member, choices)                                                        \
    TAKES_ONE_OF, FSD_AT(member, const char *), .words = (choices)
#define NUMBER(member, least, most, expected)                                          \
    TAKES_NUMBER, FSD_AT(member, unsigned), 0, least, most, expected
#define AMOUNT(member, least, most, expected)                                          \
    TAKES_AMOUNT, FSD_AT(member, double), 0, least, most, expected
#define ABOVE_0            DBL_TRUE_MIN
#define DAY(member)        TAKES_DAY, FSD_AT(member, unsigned)
#define TAKEN_BY(function) .take = (function)

/** Parses the number of option `name`. Messages print the bounds as `expected`. */
unsigned parse_number(const char *name, const char *arg, double least, double most,
                      const char *expected);

/** A table of options. `table` is 0 for the verb's own options, 1 for the options that
 * every verb has, 2 for the options that every verb on one build has. A row of zeros
 * ends each table. options.c */
enum { OPTION_TABLES = 3 };
const struct option_row *option_rows(const struct verb *verb, unsigned table);
bool is_row(const struct option_row *row); /* false for the final row of zeros */

/* ----------------------------------------------------------------------------- verb */

/* The verbs. A new verb needs a file verb_<name>.c and a row in FSD_VERBS. */

enum { OK, FINDINGS, TROUBLE }; /* exit status, as for diff(1) */

struct verb {
    const char *name;
    const char *arguments;   /* "MODEL ENGINE", as --help shows them */
    const char *brief;       /* for the list of verbs; at most 66 characters */
    const char *doc;         /* for --help; text after a '\v' is below the options */
    const char *examples[5]; /* without program and verb; the last is NULL */
    const struct option_row *options; /* the verb's own options; NULL: none */
    unsigned most_words; /* maximum of query.n_words; 0: MODEL and ENGINE */
    take_fn *take;       /* handles an argument; NULL: the parser does */
    /* Checks the whole line; exits with a message if it is wrong. NULL: no check. */
    void (*check)(struct command_line *line);
    enum fsd_status (*run)(struct command_line *line, struct fsd_error *err);
    bool two_builds; /* the verb lacks the options for one build, such as --log */
    bool one_format; /* the verb has one format, so any output name is allowed */
    bool cites;      /* for views: the rows cite the edits that lint proposes */
    int subject;     /* enum fsd_subject: determines the formats; -1: one format */
};

/** Run check or snapshot for each build of the list line->builds. gate_list.c */
enum fsd_status check_list(struct command_line *line, struct fsd_error *err);
enum fsd_status snapshot_list(struct command_line *line, struct fsd_error *err);
/** Rewrites the snapshot of a check. snapshots.c */
enum fsd_status update_snapshot(const struct command_line *line,
                                const struct fsd_check *check, struct fsd_error *err);
/** Prints a note if a snapshot of several builds is about to be overwritten. */
void report_dropped(const struct command_line *line, const char *path);
/** Refuses options, such as --log, that belong in the lines of the list. */
void refuse_beside_list(const struct command_line *line);

/** Verb i; NULL after the last. verbs.c */
const struct verb *verb_at(unsigned i);
/** The verb with that name; NULL if there is none. */
const struct verb *find_verb(const char *word);
/** The verb whose name is most similar to a misspelt word; NULL if none is similar. */
const char *near_verb(const char *word);

/** The row of the option in `word`, such as "-n3" or "--number=3". For an alias, the
 * row of the option that the alias stands for. NULL if the verb has no such option. */
const struct option_row *find_option(const struct verb *verb, const char *word);

/** The index of the first of `n` words that is neither an option of the verb nor an
 * option's argument. If there is none: n, or n + 1 if an option lacks its argument. */
unsigned first_argument(const struct verb *verb, unsigned n, char **words);

/** The index of the first verb among `n` words; n if there is none. Only options of the
 * verb, with their arguments, may precede it. */
unsigned verb_place(unsigned n, char **words);

/** Prints one line per verb. help.c */
void print_verbs(FILE *out);
/** Prints the part of --help below a verb's options: its formats, `text`, and examples.
 * @param text NULL: none */
void print_below_options(const struct verb *verb, const char *text, FILE *out);

/** Prints the manual page. manual.c */
void print_manual(FILE *out);
/** Prints the completions of the last word. complete.c */
void print_completions(unsigned n, char **words);

/** Prints a message and a hint on --help, and exits with TROUBLE. line/error.c */
_Noreturn void usage_error(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/** Parses the command line. Exits with 0 after --help, and with 2 after a usage error.
 * Then checks the paths of --part, and replaces a directory by its files. If this
 * fails, line->error has the reason. The verb's `check` runs before these steps. If the
 * verb takes MODEL and ENGINE (most_words is 0), it runs after them, unless they fail.
 * @param named the verb on the command line; NULL: none, so the verb is diff */
void parse_command_line(struct command_line *line, const struct verb *named, int argc,
                        char **argv);

/* Macros for the rows of options that several verbs have. */
#define SEVERITIES "info warning error"
#define BUILDERS   "trt8 trt10 trt11 rtx"
#define JOBS       NUMBER(list.jobs, 1, MOST_JOBS, "1 to 256 threads")
#define ROW_LAYOUT_TIMEOUT                                                             \
    {                                                                                  \
        "layout-timeout", "SECONDS",                                                   \
            "svg, png, pdf: fail if the layout takes more processor time (default: "   \
            "30)",                                                                     \
            AMOUNT(picture.layout_seconds, ABOVE_0, 86400, "seconds, up to a day"),    \
            .group = 5                                                                 \
    }

/** Lists the formats of a subject, "text, json, csv"; for -1, all formats. options.c */
void list_formats(int subject, char *list, size_t size);
/** Handles the argument of --label. */
void take_label(struct command_line *line, char *arg);

/* Arguments.  pair.c */

/** Stores the argument as MODEL, then as ENGINE; false if both are set. */
bool take_pair(struct command_line *line, char *arg);

/** Like take_pair(), but exits with a message if both are set. */
void take_one_pair(struct command_line *line, char *arg);
/** Like take_pair(), for verbs whose last arguments are names of nodes. Returns false
 * if `arg` is such a name: if ENGINE is set, or MODEL is set and `arg` is no file. */
bool take_input(struct command_line *line, char *arg);

/** Completes MODEL and ENGINE, or exits with a message. Without --part, a single
 * argument becomes the ENGINE, which must then be a build log. */
void need_pair(struct command_line *line);
/** Opens ENGINE as the log of a failed build; NULL if ENGINE is not such a log. The
 * caller frees the result with fsd_failure_free(). */
struct fsd_failure *open_failure(const struct command_line *line);
bool is_failed_build(const struct command_line *line); /* reads only the log */
/** Writes all outputs as reports on the failed build; returns false if it cannot. */
bool report_failure(const struct command_line *line);
void note_failure(const struct command_line *line, const struct fsd_failure *failure);

/** The verbs that write models. A program without the edit library lacks them. */
#define FSD_EDIT_VERBS(row)                                                            \
    FSD_IF_EDIT(row(tensors) row(cut) row(code) row(issue) row(annotate) row(retype)   \
                    row(bisect), )

/** The verbs, in the order in which `help` lists them after diff and the views. */
#define FSD_VERBS(row)                                                                 \
    row(compare) row(routes) row(stability) row(snapshot) row(check) row(lint)         \
        FSD_EDIT_VERBS(row) row(batch) row(collect) row(doctor)

#define VERB_DECLARED(name) extern const struct verb verb_##name;
VERB_DECLARED(diff)
FSD_VERBS(VERB_DECLARED)

/** If n > 0, prints a note that a list omits `n` names because its form cannot express
 * them, and sets the exit status to FINDINGS. verb_views.c */
void note_left_out(struct command_line *line, uint32_t n);

/* The verbs of views, one for each view of the library. verb_views.c */
extern const struct verb view_verbs[];
extern const size_t n_view_verbs;

/* ----------------------------------------------------------------------- build word */

/** A build that one word of the command line names. It must live as long as the run. */
struct build_word {
    char model[4096], engine[4096], log[4096];
    char profile[MOST_OUTPUTS][4096];
    const char *profiles[MOST_OUTPUTS];
    unsigned n_profiles;
    const char *parts[MOST_OUTPUTS]; /* paths of several engines; point to `engine` */
    unsigned n_parts;
};

/** Returns `n` empty words, valid until the next call. They are allocated, because
 * static arrays would have 17 MB, which a leak checker reads at each exit. */
struct build_word *new_build_words(unsigned n);

/** Parses "MODEL,ENGINE[+ENGINE...][,PROFILE[+PROFILE...][,LOG]]", or a directory, and
 *  sets the paths in `run`. Other members of `run` are unchanged.
 *  @param model the MODEL if `word` begins with ENGINE; NULL: none
 *  @return FSD_OK; FSD_E_ARG if the word has neither form; FSD_E_IO */
enum fsd_status take_also(struct build_word *build, const char *word, const char *model,
                          struct fsd_options *run, struct fsd_error *err);

/** Parses `n` words like take_also(), and stores the builds in the first `*n_runs`
 * elements of `runs`. A single word may be a directory of several builds. This
 * directory contains directories, snapshots, or one model with its engines.
 * @param like the options of all builds
 * @return like take_also(); FSD_E_ARG for less than two builds or more than `most` */
enum fsd_status take_builds(struct build_word *builds, const char *const *words,
                            unsigned n, const struct fsd_options *like,
                            struct fsd_options *runs, unsigned most, unsigned *n_runs,
                            struct fsd_error *err);

/* Paths that another user may have chosen must not leave their folder. inside.c */

/** Whether the path is a directory; false for NULL. */
bool is_directory(const char *path);

/** Sets whether paths may lead out of their folder (--follow). Must be called first. */
void allow_leading_out(bool allowed);

/** Wrappers of fsd_directory_open(), _snapshots() and _builds(). For `follow`, they
 * pass what allow_leading_out() stored. */
enum fsd_status open_directory(struct fsd_directory **out, struct fsd_options *run,
                               struct fsd_error *err);
enum fsd_status open_snapshots(struct fsd_directory **out,
                               struct fsd_check_options *check, struct fsd_error *err);
enum fsd_status open_builds(struct fsd_directory **out, const char *path,
                            struct fsd_error *err);

/** Whether the user requests only the schema of an output and names no input. In this
 * case take_sample() sets a minimal build as the input. sample.c */
bool wants_sample(const struct command_line *line);
void take_sample(struct command_line *line);

/** Keeps a directory until the program ends: options point into it. Ignores NULL. */
void keep_directory(struct fsd_directory *directory);

/** Checks that no file of --part, and no folder in a relative path, is a link that
 * leads out of its folder. */
enum fsd_status check_parts(const char *const *paths, unsigned n,
                            struct fsd_error *err);

/** Checks a file that a line of a list names: it must be in or below the folder of the
 * list, or in or below the working directory.
 * @param list path of the list; NULL: a pipe, whose paths are not checked */
enum fsd_status check_listed(const char *path, const char *list, struct fsd_error *err);

/** Runs `snapshot --merge=BASE OURS THEIRS`. If only THEIRS differs from BASE, writes
 * it to OURS. If all three differ, sets the exit status to FINDINGS. */
enum fsd_status merge_snapshots(struct command_line *line, struct fsd_error *err);

/** Sets `path` to the file for the snapshot of a listed build. This is `to` or, if `to`
 * is a folder, a file in this folder, named after the build's label. Creates missing
 * folders.
 * @param list like for check_listed() */
enum fsd_status find_snapshot_place(const struct fsd_options *run, const char *to,
                                    const char *list, char path[static PATH_MAX],
                                    struct fsd_error *err);

/** Handles a build of a directory: MODEL ("" if there is none) and ENGINE. If `engine`
 * is "", `model` is a directory or a snapshot. */
typedef enum fsd_status build_fn(void *payload, const char *model, const char *engine,
                                 struct fsd_error *err);

/** Calls `each` for the builds in a directory, sorted by name. The directory has
 * directories and snapshots, or one model with its engines. Ends if `each` fails.
 * @return FSD_OK; the status of `each`; FSD_E_ARG for two models; FSD_E_IO */
enum fsd_status each_build(const char *folder, build_fn *each, void *payload,
                           struct fsd_error *err);

/* ----------------------------------------------------------------------------- list */

/* A list of builds for batch, check and snapshot: one build per line. */

/** The raw lines of a list. */
struct list {
    const char *path; /**< path of the list or directory; NULL: a pipe */
    char **lines;
    unsigned n, room;
};

/** Reads the list in the file `path` (`-`: standard input), or lists the builds in the
 * directory `path`.
 * @param[out] list free it with free_list(), also after a failure
 * @return FSD_OK; FSD_E_ARG if the file is not a list but a file of a build, or if
 *         there are no builds; FSD_E_IO */
enum fsd_status read_list(struct list *list, const char *path, struct fsd_error *err);
void free_list(struct list *list);

/** The parsed contents of a line. */
struct list_line {
    char *text; /**< the text of the line, split into words */
    struct fsd_options run;
    const char *snapshot, *policy; /**< for check and snapshot; NULL: none */
    const char *profiles[MOST_OUTPUTS], *shapes[MOST_OUTPUTS];
    struct fsd_directory *directory; /**< NULL: the line names none */
};

/** Parses line i.
 * @param like the options of all lines
 * @param[out] p the caller has set it to zero; free_line() frees its contents
 * @return FSD_OK; FSD_E_ARG; FSD_E_IO */
enum fsd_status take_line(struct list_line *p, const struct list *list, unsigned i,
                          const struct fsd_options *like, struct fsd_error *err);
void free_line(struct list_line *line);

/** do_each() calls a function of this type for each of `n` items, in any order, in
 * `jobs` threads (0: one thread per processor). */
typedef void deed_fn(void *payload, unsigned i);
void do_each(unsigned n, unsigned jobs, deed_fn *deed, void *payload);

/** The number of threads: `jobs`, or the number of processors if 0. */
unsigned count_jobs(unsigned jobs);

/* --------------------------------------------------------------------------- target */

/** Resolves the links in the folder of a path. Returns false, with errno set, if the
 * folder does not exist. */
bool folder_of(const char *path, char out[static PATH_MAX]);
/** Whether `path` is `folder` or below it. Both must have no links. */
bool lies_under(const char *path, const char *folder);
/** Whether a folder in `path` is a link to a place outside the folder of the link. If
 * so, sets `part` to this link and `to` to its target. False for an absolute path:
 * links of other users are expected only in the working directory. */
bool folders_lead_out(const char *path, char part[static PATH_MAX],
                      char to[static PATH_MAX]);

/*
 * The kind of file at an output's path, which determines how the output is written.
 *
 * A build under review may contain files and links of another user, and the program may
 * run as root. It therefore writes only the file that the user named, and follows no
 * link that leads elsewhere.
 */

enum target_kind {
    TARGET_NEW,       /**< no file exists */
    TARGET_FILE,      /**< a file with one name; a new file replaces it */
    TARGET_HARD_LINK, /**< a file with several names (hard links), which is overwritten
                           so that all names have the report */
    TARGET_STREAM     /**< a device, pipe or socket, or a file that is already open */
};

struct target {
    enum target_kind kind;
    char path[PATH_MAX]; /**< the output's path with links resolved */
    int descriptor;      /**< for TARGET_STREAM: the descriptor if it is already open
                              (/dev/stdout); otherwise -1 */
    struct stat old;     /**< for TARGET_FILE and TARGET_HARD_LINK: the existing file */
};

/** Finds the file that `path` leads to. Refuses a directory, and a file without write
 * permission. If `follow` is false, also refuses a link that leads out of its folder.
 * But a link to a character device, a pipe, a socket or an open file is allowed. */
enum fsd_status find_target(struct target *out, const char *path, bool follow,
                            struct fsd_error *err);

/** Whether the path has this ending; false if `path` is NULL. */
bool ends_with(const char *path, const char *ending);

/** Whether two paths name files in the same folder. */
bool is_same_folder(const char *a, const char *b);

/** Fills `err`, truncates text that does not fit, and returns `status`. */
enum fsd_status fail_file(struct fsd_error *err, enum fsd_status status,
                          const char *file, const char *what, ...)
    __attribute__((format(printf, 4, 5)));
/** Fails with FSD_E_WRITE and the message for errno. */
enum fsd_status fail_errno(struct fsd_error *err, const char *file);

/* ----------------------------------------------------------------------------- ends */

/* Early ends of the program, and the removal of its temporary files. */

/** Prepares the program for signals. Writing to a closed pipe, or to a file over its
 * size limit, becomes an ordinary error. If SIGINT, SIGTERM, SIGHUP or SIGQUIT ends the
 * program, its temporary files are removed. */
void prepare_ends(void);

/** Ends the program because memory is exhausted. Removes temporary files. */
_Noreturn void end_without_memory(void);
/** Returns `memory`; ends the program if it is NULL. */
void *must(void *memory);

/** Removes temporary files, and ends the program with the signal `number`.
 * @param whole_job true: also sends the signal to this program's process group. Needed
 *         if the terminal sent it only to the group of a command */
_Noreturn void end_by(int number, bool whole_job);

/** A file or directory that is removed when the program ends. The caller sets `path`.
 * For make_temporary() and make_temporary_folder(), `path` must contain XXXXXX. */
struct temporary {
    char path[PATH_MAX + sizeof ".fusiondiff-XXXXXX"];
    struct temporary *older;
};

/** Creates a file with mkstemps(). The file is removed if the program ends before
 * drop_temporary().
 * @param suffix number of characters after XXXXXX
 * @return the descriptor; -1, with errno set, if the file cannot be created. Do not
 *         call drop_temporary() in this case */
int make_temporary(struct temporary *t, int suffix) __attribute__((warn_unused_result));

/** Creates a directory, which is removed like a file of make_temporary().
 * @return false, with errno set, if the directory cannot be created */
bool make_temporary_folder(struct temporary *t) __attribute__((warn_unused_result));

/** Registers a file that will be removed like a file of make_temporary(). The caller
 * creates it later, in a directory of make_temporary_folder(), to which other users
 * have no access. */
void add_temporary(struct temporary *t);

/** Unregisters a temporary file or directory.
 * @param gone true: it was renamed; false: remove it now */
void drop_temporary(struct temporary *t, bool gone);

/* --------------------------------------------------------------------------- output */

/* Outputs: standard output, or a file that is written completely or not at all. */

/** Writes all n bytes, in several calls if needed. Safe in a child after fork().
 * @return false, with errno set, if a write fails */
bool write_all(int to, const void *bytes, size_t n);

/** Records as inputs all files that this thread opens from now on. No output may
 * replace an input. reads.c */
void record_reads(void);

/** Records a file as an input before it is opened. Ignores NULL. */
void add_read(const char *path);

/** Fails with FSD_E_ARG if an output is one of the inputs. */
enum fsd_status refuse_read(const struct output *to, struct fsd_error *err);

/** Records the inputs of n builds, and fails if an output is an input. */
enum fsd_status check_outputs(const struct command_line *line,
                              const struct fsd_options *inputs, unsigned n,
                              struct fsd_error *err);

/** Records all inputs that the line names, and fails if an output is an input. */
enum fsd_status check_line_outputs(const struct command_line *line,
                                   struct fsd_error *err);

/** Like find_target(), but fails if the output is an input. For all output files. */
enum fsd_status take_target(struct target *out, const struct output *to, bool follow,
                            struct fsd_error *err);

/** The destination of a report, and its format. `format` is never NULL. */
struct sink {
    const char *format;
    const struct fsd_style *style;
    FILE *out;
    struct fsd_error *err;
};

/** Prints one report to `to`. */
typedef enum fsd_status print_fn(const void *payload, const struct sink *to);

/** A finished text that is written like a report: completely or not at all. */
struct whole_text {
    char *at;
    size_t n;
    const char *path; /* name of the text in error messages; NULL: none */
};
enum fsd_status print_text(const void *payload, const struct sink *to);
/** Whether the outputs have one format, so that their paths may have any extension. */
bool takes_any_name(const struct command_line *line);

/** Flushes the file `path` to the disk, and closes it.
 * @param status the status of the preceding writes. If this is not FSD_OK, the function
 *         returns it */
enum fsd_status close_kept(FILE *out, const char *path, enum fsd_status status,
                           struct fsd_error *err);

/** Flushes the folder of a file to the disk, so that the file's new name persists. */
enum fsd_status sync_folder(const char *path, struct fsd_error *err);

/** Writes every output of the command line. A file is written under a temporary name in
 * the same folder and then renamed. */
enum fsd_status write_outputs(const struct command_line *line, print_fn *print,
                              const void *payload, struct fsd_error *err);

/** Like write_outputs(), for a report with a verdict. If all outputs are files, also
 * prints the verdict as a line on standard error. */
enum fsd_status write_judgement(const struct command_line *line, print_fn *print,
                                const void *payload, struct fsd_error *err);

/* ------------------------------------------------------------------------- progress */

/* Text on standard error: a progress bar (on a terminal, after a second), and notes. */

/** Sets `options->note`, and `options->progress` if standard error is a terminal. If
 * `quiet` is true, sets neither, and print_note() prints nothing. */
void show_progress(struct fsd_options *options, bool quiet);
/** Reports the start of a stage that the program itself performs. */
void progress_stage(const char *stage);
/** Reports that `done` of `of` items of the stage are done. */
void progress_count(unsigned done, unsigned of);
/** Prints a note. The library calls this function as fsd_note_fn. */
void print_note(void *payload, const char *message);
/** Escapes a text, so that a terminal interprets no part of it. Truncates long text.
 * @return `out` */
const char *quoted(const char *text, char out[static sizeof(struct fsd_error)]);
/** Prints a text to standard error, escaped by quoted(). */
void put_quoted(const char *text);
/** Erases the progress bar. */
void end_progress(void);

/* ---------------------------------------------------------------------------- child */

/* Runs a command of the user. The command's process group ends with this program. */

/** Receives a piece of a command's output.
 * @param stream 0: standard output; 1: standard error
 * @param n number of bytes; 0: the stream has ended
 * @return false if the bytes could not be stored */
typedef bool piece_fn(void *payload, int stream, const char *bytes, size_t n);

struct child {
    const char *const *words;     /**< ends with NULL */
    const char *variable, *value; /**< an environment variable for the command, and its
                                       value; `value` NULL: none */
    int in, out;    /**< its standard input and output; -1: those of this program */
    piece_fn *take; /**< receives both outputs; NULL: `out` receives them */
    void *payload;
};

/** How a command ended. */
struct child_end {
    int status;     /**< the exit status; 128 + `by` if a signal ended the command */
    int by;         /**< the signal that ended the command; 0: none */
    int stopped_by; /**< the fatal signal that this program or the terminal sent to the
                         command; 0: none. If not 0, the caller must call end_by() */
    bool whole_job; /**< the argument `whole_job` for end_by() */
};

/** Runs a command until it exits or, after a signal, until its process group has ended.
 * @return FSD_OK; FSD_E_IO if the command cannot be started; FSD_E_WRITE, without a
 *         message, if `take` returned false */
enum fsd_status run_child(const struct child *c, struct child_end *end,
                          struct fsd_error *err);

/* -------------------------------------------------------------------------- collect */

/* The verb `collect`: the directory that it fills, and its command. */

/** DIR.partial, the directory that `collect` fills. */
struct partial {
    char folder[PATH_MAX],
        path[PATH_MAX];      /**< DIR and DIR.partial, as the user named them */
    char absolute[PATH_MAX]; /**< absolute path of DIR.partial */
    int dir, mark; /**< locked descriptors of DIR.partial and of FSD_UNFINISHED in it;
                        -1: not open */
};

/** Creates and locks DIR.partial. Removes the files that an earlier collect left in it.
 * @param p close it with close_partial(), also after a failure
 * @return FSD_OK; FSD_E_ARG if DIR is a link or is not empty; FSD_E_WRITE, without
 *         removing any file, if DIR.partial is a link, is locked or has other files */
enum fsd_status open_partial(struct partial *p, const char *folder,
                             struct fsd_error *err);
void close_partial(struct partial *p);

/** Sets `path` to DIR.partial/`name`. Returns false if it is too long. */
bool path_in_partial(const struct partial *p, const char *name, char path[PATH_MAX]);

/** Creates a new file in the directory. Does not replace a file that the command wrote.
 * @return NULL, with the reason in `err`, if the file cannot be created */
FILE *create_in_partial(const struct partial *p, const char *name,
                        struct fsd_error *err);

/** Flushes the directory to the disk and renames it to DIR.
 * @return FSD_OK; FSD_E_WRITE */
enum fsd_status finish_partial(const struct partial *p, struct fsd_error *err);

enum { MOST_COMMAND = 4096, MOST_EXPORTS = 3 };

/** A file that the command writes, and its name in the directory. */
struct exported {
    const char *option;       /**< trtexec's option, including the '='; a literal */
    const char *name;         /**< "layers.json" */
    const char *asked;        /**< the path in the user's own option; NULL: none */
    char word[PATH_MAX + 64]; /**< the option that collect added; "": none */
};

struct collect_command {
    const char *words[MOST_COMMAND + 1]; /**< the command to run; ends with NULL */
    unsigned n;
    const char *model; /**< an ONNX model among the words; NULL: none */
    bool trtexec;
    struct exported exports[MOST_EXPORTS]; /**< layers, profile, times */
};

/** Completes the user's command: adds options with which trtexec writes its layers, its
 * profile and a verbose log into `folder`, if its --help lists these options.
 * @param given,n the user's words, at least one; `out` points to them
 * @return FSD_OK; FSD_E_ARG if there are too many words */
enum fsd_status complete_command(struct collect_command *out, const char *const *given,
                                 unsigned n, const char *folder, struct fsd_error *err);

/** Runs the command with FUSIONDIFF_COLLECT=`folder` in its environment. Prints its
 * output, and also writes it to a file.
 * @param log is closed, also after a failure; `path` is its name in errors
 * @return FSD_OK; FSD_E_IO if the command cannot be started; FSD_E_WRITE if the log
 *         cannot be written */
enum fsd_status run_command(const char *const *words, const char *folder, FILE *log,
                            const char *path, struct child_end *end,
                            struct fsd_error *err);

/** Runs a command, and stores both of its outputs in `text`: at most size - 1 bytes, ""
 * if it cannot be started. If a fatal signal arrives meanwhile, ends the program. */
void read_command(const char *const *words, char *text, size_t size);
