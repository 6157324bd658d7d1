/*
 * The program: its command line as a struct, the rows of its options, its verbs, and
 * their shared functions for reading builds and writing reports.
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

/* The command line, as a struct.  Nothing else reads argv. */

enum {
    MOST_OUTPUTS = 16,
    MOST_WORDS = 4096,
    MOST_BUILDS = 26,
    MOST_CUT = 256,
    MOST_JOBS = 256
};

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER }; /* as in the words of --color */

struct output {
    const char *path;   /* NULL: standard output */
    const char *format; /* NULL: the text format */
    bool updates; /* it replaces the input file of the same name, such as a snapshot
                     that is rewritten, but must not be a file of a build */
};

/* The options of verbs that write models, one struct for each kind. */

/* For cut, code and issue: a part of a model. part.c */
struct part_options {
    struct fsd_cut_options cut; /* its lists are the arrays below: */
    const char *layers[MOST_CUT], *groups[MOST_CUT], *nodes[MOST_CUT], *from[MOST_CUT],
        *to[MOST_CUT];
};

struct cut_options {
    const char *alone;  /* path of an engine of the part alone */
    const char *inputs; /* folder for the values of the part's inputs */
};

/* For lint --fix. */
struct fix_options {
    bool wanted; /* outputs are the fixed model */
    struct fsd_fix_options options;
    const char *what[MOST_OUTPUTS], *scales[MOST_WORDS];
};

struct issue_options {
    struct fsd_issue_options options;
    const char *names; /* file that maps new names to the original ones */
    bool verify;       /* build the part alone */
};

struct annotate_options {
    bool of_layers; /* view the engine's graph even if there is a model */
};

struct bisect_options {
    const char *state, *values; /* file of the search; file of a build's outputs */
    unsigned confirm;           /* runs of CMD for each build; 0: one */
};

/* Zero is the default of every member except fail_on. */
struct command_line {
    const struct verb *verb;
    bool named;             /* the command line names the verb */
    int exit_status;        /* OK until the verb finds something */
    struct fsd_error error; /* why files of the command line cannot be read */

    /* Options of all verbs. */
    struct fsd_options run;
    struct fsd_style style;
    struct output outputs[MOST_OUTPUTS];
    unsigned n_outputs;
    bool every_engine;     /* read each build of a log that holds several */
    bool follow;           /* follow links that lead out of their folders */
    bool help;             /* -h: print help only */
    bool quiet;            /* no notes, and no line about outputs written to files */
    unsigned tokens, page; /* of --budget, for text (0: all of it); of --page */
    int color;             /* COLOR_... */
    const char *format;    /* -f: format of outputs whose name does not imply one */
    const char *profiles[MOST_OUTPUTS];
    const char *shapes[MOST_OUTPUTS];
    const char *values[2];
    const char *parts[MOST_OUTPUTS];

    /* For views. */
    struct fsd_query query;
    const char *words[MOST_WORDS];

    /* For compare; `run` is the old build. */
    struct fsd_options other;

    /* For diff. */
    const char *debug; /* "log"; NULL: none */
    const char *dump;  /* "model" or "engine"; NULL: write a report */
    int fail_on;       /* enum fsd_severity; -1: never */

    /* For verbs that draw. */
    struct fsd_picture picture;

    /* For snapshot and check. */
    bool with_times;
    const char *merge_base;            /* the base of `snapshot --merge` */
    const char *also[MOST_BUILDS - 1]; /* further builds, unparsed */
    unsigned n_also;
    struct fsd_check_options check;
    const char *builds; /* --list: name of the list of builds; NULL: one build */
    bool print_policy;

    /* For explain: words to explain without a build. */
    const char *word;
    bool rules, vocabulary; /* list all of them, one per line */

    /* For batch, and for lists of builds. */
    unsigned jobs; /* number of threads; 0: the number of processors */
    bool resume;   /* keep the lines that the output already has */

    /* For collect. */
    bool copy_model;

    /* For lint. */
    struct fsd_lint_options lint;
    bool list; /* list the rules and do nothing else */

    /* For verbs that write models. */
    struct part_options part;
    struct cut_options cut;
    struct fix_options fix;
    struct issue_options issue;
    struct fsd_code_options code;
    struct annotate_options annotate;
    struct bisect_options bisect;
};

/* ------------------------------------------------------------------------------ row */

/* Options as rows: the name, the argument, and the member of struct command_line that
 * the option fills. The parser, --help, the manual and completion use these rows. */

/** Handles the argument of one particular option; exits with a message if wrong. */
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
    const char *name; /* NULL: it has only a letter */
    const char *arg;  /* its argument as --help shows it; NULL: none */
    const char *doc;
    enum takes takes;
    size_t at, n_at;      /* offsets in struct command_line */
    double least, most;   /* bounds, for numbers */
    const char *expected; /* the bounds in words, for messages */
    const char *words;    /* the words to choose from, or only those of completion */
    unsigned room;        /* capacity of a list */
    take_fn *take;        /* NULL: fill the member */
    int group;            /* group in --help; 0: GROUP_USUAL */
    char letter;
    bool optional; /* its argument may be left out */
    bool alias;    /* another name for the option of the previous row */
    bool hidden;
};

enum { GROUP_USUAL = 3 };

/* The offset of a member; does not compile if the member has a different type. */
#define FSD_AT(member, type)                                                           \
    (offsetof(struct command_line, member) +                                           \
     0 * sizeof(&((struct command_line *)0)->member == (type *)0))
#define FSD_ROOM(list)                                                                 \
    (sizeof((struct command_line *)0)->list / sizeof *((struct command_line *)0)->list)

/* The last members of an option's row, which follow its text. */
#define FLAG(member) TAKES_FLAG, FSD_AT(member, bool)
#define WORD(member) TAKES_WORD, FSD_AT(member, const char *)
/* At most as many words as `list` has room for. */
#define WORDS(list, n)                                                                 \
    TAKES_WORDS, offsetof(struct command_line, list), FSD_AT(n, unsigned),             \
        .room = FSD_ROOM(list)
/* Stores the index of the given word, such as an enum's value, or the word itself. */
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

/** Parses the number of option `name`; messages state its bounds as `expected`. */
unsigned parse_number(const char *name, const char *arg, double least, double most,
                      const char *expected);

/** The tables of a verb's options: its own (0), those of all verbs (1), those of verbs
 *  with one build (2). A row of zeros ends each. options.c */
enum { OPTION_TABLES = 3 };
const struct option_row *option_rows(const struct verb *verb, unsigned table);
bool is_row(const struct option_row *row); /* false for the final row of zeros */

/* ----------------------------------------------------------------------------- verb */

/* The verbs: the command line and the function of each.  To add one: a file
 * verb_<name>.c and a row in FSD_VERBS. */

enum { OK, FINDINGS, TROUBLE }; /* exit status, as for diff(1) */

struct verb {
    const char *name;
    const char *arguments;   /* "MODEL ENGINE", as --help shows them */
    const char *brief;       /* for the list of verbs: at most 66 characters */
    const char *doc;         /* one sentence; --help ends with what follows a '\v' */
    const char *examples[5]; /* command lines without program and verb, then NULL */
    const struct option_row *options; /* those not in options.c; NULL: none */
    unsigned most_words; /* number of arguments for line->words; 0: MODEL and ENGINE */
    take_fn *take;       /* handles an argument in a different way; NULL: none */
    /* Checks the whole line, and exits with a message if it is wrong; NULL: none. */
    void (*check)(struct command_line *line);
    enum fsd_status (*run)(struct command_line *line, struct fsd_error *err);
    bool two_builds; /* several builds: --log, --profile etc. are not options */
    bool one_format; /* an output's name need not imply a format */
    bool cites;      /* for views: its rows cite the edits that lint proposes */
    int subject;     /* enum fsd_subject: determines its formats; -1: one format */
};

/** check and snapshot for each build of line->builds. gate_list.c */
enum fsd_status check_list(struct command_line *line, struct fsd_error *err);
enum fsd_status snapshot_list(struct command_line *line, struct fsd_error *err);
/** Rewrites the snapshot that a check was compared with. snapshots.c */
enum fsd_status update_snapshot(const struct command_line *line,
                                const struct fsd_check *check, struct fsd_error *err);
/** Notes what is lost when a snapshot of several builds is overwritten. */
void report_dropped(const struct command_line *line, const char *path);
/** Refuses an option on the command line if it belongs in the lines of the list. */
void refuse_beside_list(const struct command_line *line);

/** Verb i; NULL after the last. verbs.c */
const struct verb *verb_at(unsigned i);
/** The verb with that name; NULL if there is none. */
const struct verb *find_verb(const char *word);
/** The verb that a misspelt word may mean; NULL if there is none. */
const char *near_verb(const char *word);

/** The row with the argument and text of the option that `word` begins with; NULL if
 *  the verb does not have it. */
const struct option_row *find_option(const struct verb *verb, const char *word);

/** The index of the first of `n` words that is neither an option of the verb nor an
 *  option's argument; n or more if there is none. */
unsigned first_argument(const struct verb *verb, unsigned n, char **words);

/** The index of the verb among `n` words; options that the verb supports may precede
 *  it. n if there is none. */
unsigned verb_place(unsigned n, char **words);

/** Prints one line per verb. help.c */
void print_verbs(FILE *out);
/** Prints what --help shows below a verb's options: its formats, `text`, and examples.
 *  @param text  NULL: none. */
void print_below_options(const struct verb *verb, const char *text, FILE *out);

/** Prints the manual page. manual.c */
void print_manual(FILE *out);
/** Prints the words that may replace the last word. complete.c */
void print_completions(unsigned n, char **words);

/** Prints a message and where to find help, and exits with TROUBLE.  line/error.c */
_Noreturn void usage_error(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/** Parses the command line, or prints a message and exits: 0 after --help, 2 after an
 *  error. Checks parts and replaces a directory by the files in it before the `check`
 *  function of a verb with MODEL and ENGINE; if that fails, line->error states why.
 *  @param named  the verb on the command line; NULL: none, which means diff */
void parse_command_line(struct command_line *line, const struct verb *named, int argc,
                        char **argv);

/* Arguments that options of several verbs share. */
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

/** Lists the formats of a subject, "text, json, csv"; all formats for -1. options.c */
void list_formats(int subject, char *list, size_t size);
/** Handles the argument of --label. */
void take_label(struct command_line *line, char *arg);

/* Arguments.  pair.c */

/** Takes the argument as MODEL, then as ENGINE; false if both are set. */
bool take_pair(struct command_line *line, char *arg);

/** Takes MODEL or ENGINE, for verbs without others: a third argument is an error. */
void take_one_pair(struct command_line *line, char *arg);
/** Takes MODEL or ENGINE, for verbs whose arguments end with names of nodes. False
 * for the name of a node: a second word that is not a file. */
bool take_input(struct command_line *line, char *arg);

/** Exits with a message unless MODEL and ENGINE are set; a lone argument is the ENGINE,
 *  a build log. */
void need_pair(struct command_line *line);
/** The failed build whose log is the ENGINE, to be freed; NULL if no build failed. */
struct fsd_failure *open_failure(const struct command_line *line);
bool is_failed_build(const struct command_line *line); /* reads only the log */
/** Writes all outputs as reports of the failed build; false if it cannot. */
bool report_failure(const struct command_line *line);
void note_failure(const struct command_line *line, const struct fsd_failure *failure);

/** Verbs that write models; a program without the edit library has none of them. */
#ifdef FSD_EDIT
#define FSD_EDIT_VERBS(row)                                                            \
    row(tensors) row(cut) row(code) row(issue) row(annotate) row(retype) row(bisect)
#else
#define FSD_EDIT_VERBS(row)
#endif

/** The verbs, in the order in which `help` lists them after diff and the views. */
#define FSD_VERBS(row)                                                                 \
    row(compare) row(routes) row(stability) row(snapshot) row(check) row(lint)         \
        FSD_EDIT_VERBS(row) row(batch) row(collect) row(doctor)

#define VERB_DECLARED(name) extern const struct verb verb_##name;
VERB_DECLARED(diff)
FSD_VERBS(VERB_DECLARED)

/** If a list of names had to leave out `n` of them, notes that and sets the exit status
 *  to FINDINGS. verb_views.c */
void note_left_out(struct command_line *line, uint32_t n);

/* One verb per view of the library; they follow diff in the list. verb_views.c */
extern const struct verb view_verbs[];
extern const size_t n_view_verbs;

/* ----------------------------------------------------------------------- build word */

/* One build, given as one word on the command line. */

/** Storage for the parsed word; must live as long as the run. */
struct build_word {
    char model[4096], engine[4096], log[4096];
    char profile[MOST_OUTPUTS][4096];
    const char *profiles[MOST_OUTPUTS];
    unsigned n_profiles;
    const char *parts[MOST_OUTPUTS]; /* parts of `engine` */
    unsigned n_parts;
};

/** Returns `n` empty words, valid until the next call. Options point into them. Static
 * arrays in the verbs with several builds would take 17 MB, which a leak checker reads
 * at each exit. */
struct build_word *new_build_words(unsigned n);

/** Parses "MODEL,ENGINE[+ENGINE...][,PROFILE[+PROFILE...][,LOG]]", or a directory, and
 *  sets the paths of `run`; the rest of `run` is unchanged.
 *  @param model  used for a word that does not begin with a model; NULL: none.
 *  @return FSD_OK; FSD_E_ARG for a word of neither form; FSD_E_IO. */
enum fsd_status take_also(struct build_word *build, const char *word, const char *model,
                          struct fsd_options *run, struct fsd_error *err);

/** Parses `n` words like take_also(), into `*n_runs` elements of `runs`. A lone
 * directory may hold several: directories, snapshots, or a model with its engines.
 *  @param like  the options that all of them share.
 *  @return like take_also(); FSD_E_ARG for less than two builds or more than `most`. */
enum fsd_status take_builds(struct build_word *builds, const char *const *words,
                            unsigned n, const struct fsd_options *like,
                            struct fsd_options *runs, unsigned most, unsigned *n_runs,
                            struct fsd_error *err);

/* Files that other users may have named must not lead out of their folder. inside.c */

/** Whether the path is a directory; false for NULL. */
bool is_directory(const char *path);

/** Sets whether files may lead out of their folder. Call it before all others. */
void allow_leading_out(bool allowed);

/** fsd_directory_open(), _snapshots() and _builds(), which follow links if that is
 *  allowed. */
enum fsd_status open_directory(struct fsd_directory **out, struct fsd_options *run,
                               struct fsd_error *err);
enum fsd_status open_snapshots(struct fsd_directory **out,
                               struct fsd_check_options *check, struct fsd_error *err);
enum fsd_status open_builds(struct fsd_directory **out, const char *path,
                            struct fsd_error *err);

/** Whether only the schema of the output is requested; then the smallest possible build
 *  replaces the inputs. sample.c */
bool wants_sample(const struct command_line *line);
void take_sample(struct command_line *line);

/** Frees a directory, which options point to, when the program ends. NULL: none. */
void keep_directory(struct fsd_directory *directory);

/** Checks files of --part: as for a report, none may be a link that leads out of its
 * folder. If its path is relative, the path must not lead through such a link. */
enum fsd_status check_parts(const char *const *paths, unsigned n,
                            struct fsd_error *err);

/** Checks a file that a line of a list names: it must be in or below the folder of the
 *  list, or the working directory.
 *  @param list  NULL: the lines came through a pipe and are the user's own words. */
enum fsd_status check_listed(const char *path, const char *list, struct fsd_error *err);

/** snapshot --merge: writes the changed side over ours. If both sides changed, the exit
 *  status is FINDINGS. */
enum fsd_status merge_snapshots(struct command_line *line, struct fsd_error *err);

/** The file to which the snapshot of a listed build is written: `to`, or, if that is or
 *  must become a folder, the file in it that is named after the build's label. Creates
 *  missing folders.
 *  @param list  as for check_listed() */
enum fsd_status find_snapshot_place(const struct fsd_options *run, const char *to,
                                    const char *list, char path[static PATH_MAX],
                                    struct fsd_error *err);

/** Called for a build in a directory, with MODEL ("" if there is none) and ENGINE; or
 *  with MODEL only, which is then a directory or a snapshot. */
typedef enum fsd_status build_fn(void *payload, const char *model, const char *engine,
                                 struct fsd_error *err);

/** Calls `each` for the builds in a directory, sorted by name: either each is a
 *  directory or a snapshot, or there is one model with its engines.
 *  @return what `each` returned if it is not FSD_OK; FSD_E_ARG for two models;
 *          FSD_E_IO. */
enum fsd_status each_build(const char *folder, build_fn *each, void *payload,
                           struct fsd_error *err);

/* ----------------------------------------------------------------------------- list */

/* A list of builds, which batch, check and snapshot read: one build per line. */

/** The raw lines of a list. */
struct list {
    const char *path; /**< path of the file or directory; NULL: a pipe */
    char **lines;
    unsigned n, room;
};

/** Reads the list in `path` (`-`: standard input), or lists the builds in a directory.
 *  @param[out] list  free it with free_list(), whatever this returns.
 *  @return FSD_OK; FSD_E_ARG for a file that belongs in a line, or without builds;
 *          FSD_E_IO. */
enum fsd_status read_list(struct list *list, const char *path, struct fsd_error *err);
void free_list(struct list *list);

/** The parsed contents of a line. */
struct list_line {
    char *text; /**< the text, split into words */
    struct fsd_options run;
    const char *snapshot, *policy; /**< for check and snapshot; NULL: not given */
    const char *profiles[MOST_OUTPUTS], *shapes[MOST_OUTPUTS];
    struct fsd_directory *directory; /**< NULL: the line names none */
};

/** Parses line i.
 *  @param like  options that all lines share.
 *  @param[out] p  zeroed by the caller; free_line() frees its contents.
 *  @return FSD_OK; FSD_E_ARG; FSD_E_IO. */
enum fsd_status take_line(struct list_line *p, const struct list *list, unsigned i,
                          const struct fsd_options *like, struct fsd_error *err);
void free_line(struct list_line *line);

/** Called for each of `n` items, in `jobs` threads (0: as many as there are
 *  processors), in any order. */
typedef void deed_fn(void *payload, unsigned i);
void do_each(unsigned n, unsigned jobs, deed_fn *deed, void *payload);

/** The number of threads: `jobs`, or the number of processors if 0. */
unsigned count_jobs(unsigned jobs);

/* --------------------------------------------------------------------------- target */

/** The folder of a path, with links resolved; false, with errno set, if there is
 *  none. */
bool folder_of(const char *path, char out[static PATH_MAX]);
/** Whether a path is the folder or below it; both must have links resolved. */
bool lies_under(const char *path, const char *folder);
/** Whether a folder on the path is a link that leads out of its own folder, and which.
 *  A relative path is looked up in the working directory, which may contain links of
 *  another user; an absolute path is trusted. */
bool folders_lead_out(const char *path, char part[static PATH_MAX],
                      char to[static PATH_MAX]);

/*
 * The type of file at an output's path, which determines how it may be written.
 *
 * A checked build may contain files and links of another user, and the program may run
 * as root, so a path may lead elsewhere. Only the file that the user named is ever
 * written, and files that cannot be replaced stay unchanged.
 */

enum target_kind {
    TARGET_NEW,       /**< no file exists */
    TARGET_FILE,      /**< a file with one name: a new file replaces it */
    TARGET_HARD_LINK, /**< a file with several names; all must show the report */
    TARGET_STREAM     /**< a device, pipe or socket, or a file that is already open */
};

struct target {
    enum target_kind kind;
    char path[PATH_MAX]; /**< the path with links resolved */
    int descriptor;      /**< STREAM that is already open (/dev/stdout), else -1 */
    struct stat old;     /**< FILE and HARD_LINK: the existing file */
};

/** Resolves `path` to the file to write. Refuses, with the reason in `err`: a link that
 *  leads out of its folder (unless `follow` is set or its target is a character device,
 *  pipe or open file), a file without write permission, a directory. */
enum fsd_status find_target(struct target *out, const char *path, bool follow,
                            struct fsd_error *err);

/** Whether the path has this ending; false for a `path` of NULL. */
bool ends_with(const char *path, const char *ending);

/** Whether two paths name files in the same folder. */
bool is_same_folder(const char *a, const char *b);

/** Fills `err` in the format of the library; text that does not fit is truncated. */
enum fsd_status fail_file(struct fsd_error *err, enum fsd_status status,
                          const char *file, const char *what, ...)
    __attribute__((format(printf, 4, 5)));
/** Fails with FSD_E_WRITE and the message for errno. */
enum fsd_status fail_errno(struct fsd_error *err, const char *file);

/* ----------------------------------------------------------------------------- ends */

/* Early ends of the program, and the removal of its temporary files. */

/** Makes writing to a closed pipe or a file over its limit an ordinary error, and
 *  removes temporary files if SIGINT, SIGTERM, SIGHUP or SIGQUIT ends the program. */
void prepare_ends(void);

/** Removes temporary files and ends the program because memory is exhausted. */
_Noreturn void end_without_memory(void);
/** Returns `memory`; ends the program if it is NULL. */
void *must(void *memory);

/** Removes temporary files and ends the program with a signal.
 *  @param whole_job  the terminal sent the signal only to a command: all processes of
 *          the program's own group get it, too. */
_Noreturn void end_by(int number, bool whole_job);

/** A file or directory that is removed when the program ends. The caller fills `path`;
 *  for a file to be made, it contains XXXXXX. */
struct temporary {
    char path[PATH_MAX + sizeof ".XXXXXX.onnx"];
    struct temporary *older;
};

/** Makes a file with mkstemps(), and removes it if the program ends before
 *  drop_temporary().
 *  @param suffix  number of characters after XXXXXX.
 *  @return  its descriptor; -1, with errno set, if it cannot be made: then do not call
 *          drop_temporary(). */
int make_temporary(struct temporary *t, int suffix) __attribute__((warn_unused_result));

/** Makes a directory, which is removed like a file of make_temporary(). */
bool make_temporary_folder(struct temporary *t) __attribute__((warn_unused_result));

/** Lists a file to be removed like those of make_temporary(). It will be created in a
 * directory of make_temporary_folder(), to which no other program has access. */
void add_temporary(struct temporary *t);

/** Takes a temporary file off the list of those that are removed at exit.
 *  @param gone  the file was renamed; false: remove it now. */
void drop_temporary(struct temporary *t, bool gone);

/* --------------------------------------------------------------------------- output */

/* Destinations of reports: standard output, or a file that is complete or absent. */

/** Writes all n bytes, with as many calls of write() as necessary; calls only functions
 *  that are safe in a child after fork().
 *  @return false, with errno set, if a write fails. */
bool write_all(int to, const void *bytes, size_t n);

/** Records every file that this thread opens from now on as an input, which no output
 *  may replace. reads.c */
void record_reads(void);

/** Records a file before it is opened. Ignores NULL. */
void add_read(const char *path);

/** Refuses an output that is one of the inputs, with FSD_E_ARG. */
enum fsd_status refuse_read(const struct output *to, struct fsd_error *err);

/** Refuses outputs that are inputs, once the inputs of all n builds are known. */
enum fsd_status check_outputs(const struct command_line *line,
                              const struct fsd_options *inputs, unsigned n,
                              struct fsd_error *err);

/** Refuses outputs that are inputs, once all inputs that the line names are known. */
enum fsd_status check_line_outputs(const struct command_line *line,
                                   struct fsd_error *err);

/** find_target() that refuses an output that is an input; all writers call it. */
enum fsd_status take_target(struct target *out, const struct output *to, bool follow,
                            struct fsd_error *err);

/** The destination of a report, and its format, which is never NULL. */
struct sink {
    const char *format;
    const struct fsd_style *style;
    FILE *out;
    struct fsd_error *err;
};

/** Prints one report. */
typedef enum fsd_status print_fn(const void *payload, const struct sink *to);

/** A text that is written like a report: completely or not at all. */
struct whole_text {
    char *at;
    size_t n;
    const char *path; /* name of the text in errors; NULL: none */
};
enum fsd_status print_text(const void *payload, const struct sink *to);
bool takes_any_name(const struct command_line *line); /* verbs of one format do */

/** Flushes the file `path` to the disk and closes it.
 *  @param status  the result of writing; returned if it is not FSD_OK */
enum fsd_status close_kept(FILE *out, const char *path, enum fsd_status status,
                           struct fsd_error *err);

/** Flushes the folder of a file to the disk, so that its new name persists. */
enum fsd_status sync_folder(const char *path, struct fsd_error *err);

/** Writes every output of the command line; a file is written as a temporary file next
 *  to it and then renamed. */
enum fsd_status write_outputs(const struct command_line *line, print_fn *print,
                              const void *payload, struct fsd_error *err);

/** Like write_outputs(), for a report with a verdict: if all outputs are files, a line
 * on standard error states the verdict in addition to the exit status. */
enum fsd_status write_judgement(const struct command_line *line, print_fn *print,
                                const void *payload, struct fsd_error *err);

/* ------------------------------------------------------------------------- progress */

/* Text on stderr in addition to the report: a progress bar (only on a terminal, and
 * only after a second), and notes. */

/** Sets `options->note`, and `options->progress` if stderr is a terminal. With `quiet`,
 *  sets neither, and no note is ever printed. */
void show_progress(struct fsd_options *options, bool quiet);
/** Reports the start of a stage of the program's own. */
void progress_stage(const char *stage);
/** Reports how much of the stage is done. */
void progress_count(unsigned done, unsigned of);
/** Prints a note; this is the fsd_note_fn of the program. */
void print_note(void *payload, const char *message);
/** Escapes a text for a terminal, so that the terminal interprets none of it. Text
 *  longer than an error's message is truncated.
 *  @return `out` */
const char *quoted(const char *text, char out[static sizeof(struct fsd_error)]);
/** Prints text with names of files to standard error, escaped by quoted(). */
void put_quoted(const char *text);
/** Erases the progress bar. */
void end_progress(void);

/* ---------------------------------------------------------------------------- child */

/* A command of the user, whose process group ends with this program. */

/** Receives the output of a command as it arrives.
 *  @param stream  0: its standard output; 1: standard error.
 *  @param n  0: this stream has ended.
 *  @return  false if the bytes could not be stored. */
typedef bool piece_fn(void *payload, int stream, const char *bytes, size_t n);

struct child {
    const char *const *words;     /**< ends with NULL */
    const char *variable, *value; /**< in its environment; value NULL: unchanged */
    int in, out;    /**< descriptors of its standard streams; -1: this program's */
    piece_fn *take; /**< receives both outputs instead of `out`; NULL: `out` is used */
    void *payload;
};

/** How a command ended. */
struct child_end {
    int status;     /**< its exit status, or 128 + the signal */
    int by;         /**< that signal; 0: no signal ended it */
    int stopped_by; /**< a signal that this program forwarded, or the terminal sent to
                         the command: call end_by(). 0: none */
    bool whole_job; /**< argument of end_by() */
};

/** Runs a command until it exits or, after a signal, until its group has ended.
 *  @return FSD_E_IO if it could not be started; FSD_E_WRITE, without a message, if
 *          `take` ever returned false. */
enum fsd_status run_child(const struct child *c, struct child_end *end,
                          struct fsd_error *err);

/* -------------------------------------------------------------------------- collect */

/* The parts of `collect`: the directory that it fills, the command line, and running
 * the command. */

/** DIR.partial, in which the build runs. */
struct partial {
    char folder[PATH_MAX],
        path[PATH_MAX];      /**< DIR and DIR.partial, as the user named them */
    char absolute[PATH_MAX]; /**< absolute path of DIR.partial */
    int dir, mark; /**< DIR.partial and its FSD_UNFINISHED, open and locked; or -1 */
};

/** Creates DIR.partial, or clears what an earlier collect left, and locks it.
 *  @param p  close it with close_partial(), whatever this returns.
 *  @return FSD_E_ARG if DIR exists; FSD_E_WRITE, without removing anything, if the
 *          directory is a link, has files of another user or is locked. */
enum fsd_status open_partial(struct partial *p, const char *folder,
                             struct fsd_error *err);
void close_partial(struct partial *p);

/** The path of a file in the directory; false if it is too long. */
bool path_in_partial(const struct partial *p, const char *name, char path[PATH_MAX]);

/** Creates a new file in the directory; a file that the command wrote is kept.
 *  @return  NULL, with the reason in `err`, if it cannot. */
FILE *create_in_partial(const struct partial *p, const char *name,
                        struct fsd_error *err);

/** Flushes the directory to the disk and renames it to DIR.
 *  @return FSD_OK; FSD_E_WRITE. */
enum fsd_status finish_partial(const struct partial *p, struct fsd_error *err);

enum { MOST_COMMAND = 4096, MOST_EXPORTS = 3 };

/** A file that the command writes, and the name that it gets in the directory. */
struct exported {
    const char *option; /**< trtexec's option, including its '='; a literal */
    const char *name;   /**< "layers.json" */
    const char *asked;  /**< the path that the user's own options state; NULL: none */
    char word[PATH_MAX + 64]; /**< the option that was added; "" if none was */
};

struct collect_command {
    const char *words[MOST_COMMAND + 1]; /**< the command that is run; ends with NULL */
    unsigned n;
    const char *model; /**< an ONNX model among its words; NULL: none */
    bool trtexec;
    struct exported exports[MOST_EXPORTS]; /**< layers, profile, times */
};

/** The user's command, with the options that trtexec needs to write its layers, its
 *  profile and a verbose log into `folder`, if its --help lists such options.
 *  @param given,n  the user's words, at least one; borrowed.
 *  @return FSD_E_ARG if there are too many. */
enum fsd_status complete_command(struct collect_command *out, const char *const *given,
                                 unsigned n, const char *folder, struct fsd_error *err);

/** Runs the command, prints its output, and writes it to a file. FUSIONDIFF_COLLECT is
 *  set to `folder` in its environment.
 *  @param log  always closed; `path` is its name in errors.
 *  @return FSD_E_IO if the command could not be started; FSD_E_WRITE if the log could
 *          not be written. */
enum fsd_status run_command(const char *const *words, const char *folder, FILE *log,
                            const char *path, struct child_end *end,
                            struct fsd_error *err);

/** Captures what a command prints to both streams, at most size - 1 bytes; "" if it
 *  cannot be run. A signal meanwhile ends the program. */
void read_command(const char *const *words, char *text, size_t size);
