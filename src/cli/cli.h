/*
 * The program: its command line as a struct, the rows of its options, its verbs, and
 * what these share to read builds and to write reports.
 */
#ifndef FSD_CLI_CLI_H
#define FSD_CLI_CLI_H

#include "host/files.h"

#include <float.h>
#include <fusiondiff/edit.h>
#include <limits.h>
#include <stddef.h>

/* -------------------------------------------------------------------------- options */

/* The command line, as a struct.  Nothing else reads argv. */

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
    bool updates; /* it replaces the file that was read under its name, as a snapshot
                     that is rewritten, and may be none of a build's files */
};

struct verb;

/* The options of verbs that write models, a struct for each. */

/* Of cut, code and issue: a part of a model.  part.c */
struct part_options {
    struct fsd_cut_options cut; /* its lists are these: */
    const char *layers[MOST_CUT], *groups[MOST_CUT], *nodes[MOST_CUT], *from[MOST_CUT],
        *to[MOST_CUT];
};

struct cut_options {
    const char *alone;  /* an engine of the part */
    const char *inputs; /* folder for values of its inputs */
};

/* Of lint. */
struct fix_options {
    bool wanted; /* outputs are the fixed model */
    struct fsd_fix_options options;
    const char *what[MOST_OUTPUTS], *scales[MOST_WORDS];
};

struct issue_options {
    struct fsd_issue_options options;
    const char *names; /* the file that has what the new names stand for */
    bool verify;       /* the part is built alone */
};

struct annotate_options {
    bool of_layers; /* the engine's graph, though a model is there */
};

struct bisect_options {
    const char *state, *values; /* the file that keeps the search; the right outputs */
    unsigned confirm;           /* runs of CMD for each build; 0: one */
};

/* Zero is the default of every field but fail_on. */
struct command_line {
    const struct verb *verb;
    bool named;             /* the verb, on the command line */
    int exit_status;        /* OK, until the verb has found something */
    struct fsd_error error; /* why the files of the line cannot be read */

    /* Options of all verbs. */
    struct fsd_options run;
    struct fsd_style style;
    struct output outputs[MOST_OUTPUTS];
    unsigned n_outputs;
    bool every_engine;     /* of a log that holds several: each */
    bool follow;           /* links that lead out of their folders */
    bool help;             /* -h: nothing else is done */
    bool quiet;            /* no notes, and no word on what went to files */
    unsigned tokens, page; /* of a text: --budget; 0: all of it */
    int color;             /* COLOR_... */
    const char *format;    /* -f: for outputs whose name does not imply a format */
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
    const char *merge_base;            /* of snapshot --merge */
    const char *also[MOST_BUILDS - 1]; /* builds, as words */
    unsigned n_also;
    struct fsd_check_options check;
    const char *builds; /* --list: many builds, by the name of the list; NULL: one */
    bool print_policy;

    /* Of explain: words are explained without a build. */
    const char *word;
    bool rules, vocabulary; /* all of them, a line each */

    /* Of batch, and of lists of builds. */
    unsigned jobs; /* threads; 0: as many as there are processors */
    bool resume;   /* the output keeps the lines that it has */

    /* Of collect. */
    bool copy_model;

    /* Of lint. */
    struct fsd_lint_options lint;
    bool list; /* its rules, and nothing else */

    /* Of verbs that write models. */
    struct part_options part;
    struct cut_options cut;
    struct fix_options fix;
    struct issue_options issue;
    struct fsd_code_options code;
    struct annotate_options annotate;
    struct bisect_options bisect;
};

/* ------------------------------------------------------------------------------ row */

/* Options as rows: what an option is called, what it takes, and which member of the
 * command line it fills.  The parser, --help, the manual and completion read them. */

/** What only one option takes; ends with a message where that is wrong. */
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
    const char *arg;  /* as --help shows it; NULL: it takes none */
    const char *doc;
    enum takes takes;
    size_t at, n_at;      /* offsets in struct command_line */
    double least, most;   /* of numbers */
    const char *expected; /* the bounds in words, for messages */
    const char *words;    /* what is chosen from, or only offered to be completed */
    unsigned room;        /* of a list */
    take_fn *take;        /* NULL: the member is filled */
    int group;            /* in a help; 0: GROUP_USUAL */
    char letter;
    bool optional; /* its argument */
    bool alias;    /* another name of the row before it */
    bool hidden;
};

enum { GROUP_USUAL = 3 };

/* The offset of a member; does not compile where that has another type. */
#define FSD_AT(member, type)                                                           \
    (offsetof(struct command_line, member) +                                           \
     0 * sizeof(&((struct command_line *)0)->member == (type *)0))
#define FSD_ROOM(list)                                                                 \
    (sizeof((struct command_line *)0)->list / sizeof *((struct command_line *)0)->list)

/* What stands behind the text of a row. */
#define FLAG(member) TAKES_FLAG, FSD_AT(member, bool)
#define WORD(member) TAKES_WORD, FSD_AT(member, const char *)
/* At most as many words as `list` has room for. */
#define WORDS(list, n)                                                                 \
    TAKES_WORDS, offsetof(struct command_line, list), FSD_AT(n, unsigned),             \
        .room = FSD_ROOM(list)
/* The index of one of the words, as an enum may have it; or that word. */
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

/** The number that an option called `name` takes, of the bounds that are `expected`. */
unsigned parse_number(const char *name, const char *arg, double least, double most,
                      const char *expected);

/** The tables of a verb's options: its own (0), of all verbs (1), of those that take
 *  one build (2); each is ended by a row of zeros.  options.c */
enum { OPTION_TABLES = 3 };
const struct option_row *option_rows(const struct verb *verb, unsigned table);
bool is_row(const struct option_row *row); /* and not that of zeros */

/* ----------------------------------------------------------------------------- verb */

/* The verbs: what each takes on the command line, and what it does.  To add one: a file
 * verb_<name>.c and a row in FSD_VERBS. */

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
    void (*check)(struct command_line *line);
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
void refuse_beside_list(const struct command_line *line);

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
/** What --help says below a verb's options: its formats, `text`, and examples.
 *  @param text  NULL: none. */
void print_below_options(const struct verb *verb, const char *text, FILE *out);

/** The page of the manual, in mdoc. manual.c */
void print_manual(FILE *out);
/** What may stand in place of the last word. complete.c */
void print_completions(unsigned n, char **words);

/** Prints a message and where to find help, and exits with TROUBLE.  line/error.c */
_Noreturn void usage_error(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/** Parses, or prints a message and exits: 0 after --help, 2 after an error.  Parts are
 *  checked, and a directory is replaced by the files in it, before a verb of MODEL and
 *  ENGINE checks them; where that fails, line->error states why.
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
void take_label(struct command_line *line, char *arg);

/* Arguments.  pair.c */

/** Takes the argument as MODEL, then as ENGINE; false when both are there. */
bool take_pair(struct command_line *line, char *arg);

/** The same of verbs that take nothing else: a third is an error. */
void take_one_pair(struct command_line *line, char *arg);
/** The same where names of nodes follow: a second word that is no file is one of
 *  them. */
bool take_input(struct command_line *line, char *arg);

/** Ends with a message unless MODEL and ENGINE are there; a lone argument is the
 * ENGINE, a build log. */
void need_pair(struct command_line *line);
/** The failed build whose log is the ENGINE, to be freed; NULL: it is none. */
struct fsd_failure *open_failure(const struct command_line *line);
bool is_failed_build(const struct command_line *line); /* only the log is read */
/** Writes all outputs as its report; false where that cannot be. */
bool report_failure(const struct command_line *line);
void note_failure(const struct command_line *line, const struct fsd_failure *failure);

/** Those that write models: a program without the library of edits has none of them. */
#ifdef FSD_EDIT
#define FSD_EDIT_VERBS(row)                                                            \
    row(tensors) row(cut) row(code) row(issue) row(annotate) row(retype) row(bisect)
#else
#define FSD_EDIT_VERBS(row)
#endif

/** The verbs, as `help` lists them behind diff and those of views. */
#define FSD_VERBS(row)                                                                 \
    row(compare) row(routes) row(stability) row(snapshot) row(check) row(lint)         \
        FSD_EDIT_VERBS(row) row(batch) row(collect) row(doctor)

#define VERB_DECLARED(name) extern const struct verb verb_##name;
VERB_DECLARED(diff)
FSD_VERBS(VERB_DECLARED)

/** Where a form of names could not hold `n` of them, notes that, which is a finding.
 *  verb_views.c */
void note_left_out(struct command_line *line, uint32_t n);

/* One verb a view of the library, behind diff in the list. verb_views.c */
extern const struct verb view_verbs[];
extern const size_t n_view_verbs;

/* ----------------------------------------------------------------------- build word */

/* One build, given as one word on the command line. */

/** Room for the parsed word; must live as long as the run. */
struct build_word {
    char model[4096], engine[4096], log[4096];
    char profile[MOST_OUTPUTS][4096];
    const char *profiles[MOST_OUTPUTS];
    unsigned n_profiles;
    const char *parts[MOST_OUTPUTS]; /* in `engine` */
    unsigned n_parts;
};

/** `n` of them, empty.  They live until the next call, mostly as long as the program:
 *  options point into them.  Static arrays of the verbs that take several builds would
 *  be 17 MB, which a leak checker reads at each end of the program. */
struct build_word *new_build_words(unsigned n);

/** Takes "MODEL,ENGINE[+ENGINE...][,PROFILE[+PROFILE...][,LOG]]", or a directory, and
 *  fills the paths of `run`; the rest of `run` stays.
 *  @param model  of a word that does not begin with one; NULL: none.
 *  @return FSD_OK; FSD_E_ARG for a word that is neither; FSD_E_IO. */
enum fsd_status take_also(struct build_word *build, const char *word, const char *model,
                          struct fsd_options *run, struct fsd_error *err);

/** Takes each word so.  One directory alone may hold several builds: each a directory
 *  or a snapshot of its own, or one model and its engines.
 *  @param like  what all of them have besides: `n` words become `*n_runs` of `runs`.
 *  @return as take_also(); FSD_E_ARG for less than two builds, or more than `most`. */
enum fsd_status take_builds(struct build_word *builds, const char *const *words,
                            unsigned n, const struct fsd_options *like,
                            struct fsd_options *runs, unsigned most, unsigned *n_runs,
                            struct fsd_error *err);

/* Files that another user named, or a link: they must not lead out.  inside.c */

/** NULL is none. */
bool is_directory(const char *path);

/** With --follow they may.  Set once, before any of the others is asked. */
void allow_leading_out(bool allowed);

/** fsd_directory_open(), _snapshots() and _builds(), which follow links where that is
 *  allowed. */
enum fsd_status open_directory(struct fsd_directory **out, struct fsd_options *run,
                               struct fsd_error *err);
enum fsd_status open_snapshots(struct fsd_directory **out,
                               struct fsd_check_options *check, struct fsd_error *err);
enum fsd_status open_builds(struct fsd_directory **out, const char *path,
                            struct fsd_error *err);

/** Whether nothing but the schema of what a verb writes is asked for, and the smallest
 *  build in the place of inputs.  sample.c */
bool wants_sample(const struct command_line *line);
void take_sample(struct command_line *line);

/** Frees a directory, into which options point, when the program ends; NULL: none. */
void keep_directory(struct fsd_directory *directory);

/** The files of --part: like a report, none is a link that leads out of its folder, or
 *  lies behind one where the path is relative. */
enum fsd_status check_parts(const char *const *paths, unsigned n,
                            struct fsd_error *err);

/** A file that a line of a list names: it must be in or below the folder of the list,
 *  or the one that is worked in.
 *  @param list  NULL: the lines came through a pipe, and are the user's own words. */
enum fsd_status check_listed(const char *path, const char *list, struct fsd_error *err);

/** snapshot --merge: writes the side that changed over ours.  Where both did, the exit
 *  status is that of findings. */
enum fsd_status merge_snapshots(struct command_line *line, struct fsd_error *err);

/** Where the snapshot of a build of a list is written: the file `to`, or, if that is or
 *  is to be a folder, the one in it that is called like the build's label.  Makes
 *  folders that are missing.
 *  @param list  as of check_listed() */
enum fsd_status find_snapshot_place(const struct fsd_options *run, const char *to,
                                    const char *list, char path[static PATH_MAX],
                                    struct fsd_error *err);

/** Called with a build in a directory: MODEL, "" if there is none, and ENGINE; or with
 *  a directory or a snapshot that is one, as MODEL alone. */
typedef enum fsd_status build_fn(void *payload, const char *model, const char *engine,
                                 struct fsd_error *err);

/** Calls `each` for the builds in a directory, by name: each a directory or a snapshot
 *  of its own, or one model and its engines.
 *  @return what `each` returned other than FSD_OK; FSD_E_ARG for two models;
 *  FSD_E_IO. */
enum fsd_status each_build(const char *folder, build_fn *each, void *payload,
                           struct fsd_error *err);

/* ----------------------------------------------------------------------------- list */

/* A list of builds, which batch, check and snapshot read: one build a line. */

/** The lines of a list, as it has them. */
struct list {
    const char *path; /**< of the file or directory; NULL: they came through a pipe */
    char **lines;
    unsigned n, room;
};

/** What `path` (`-`: standard input) lists, or the builds that a directory holds.
 *  @param[out] list  free it with free_list(), whatever comes back.
 *  @return FSD_OK; FSD_E_ARG for a file that a line would name, or for no build at all;
 *          FSD_E_IO. */
enum fsd_status read_list(struct list *list, const char *path, struct fsd_error *err);
void free_list(struct list *list);

/** What a line says. */
struct list_line {
    char *text; /**< cut into words */
    struct fsd_options run;
    const char *snapshot, *policy; /**< of check and snapshot; NULL: not said */
    const char *profiles[MOST_OUTPUTS], *shapes[MOST_OUTPUTS];
    struct fsd_directory *directory; /**< NULL: it names none */
};

/** Takes the i-th line apart.
 *  @param like  what all lines have besides.
 *  @param[out] p  all zero before; free_line() frees what it holds.
 *  @return FSD_OK; FSD_E_ARG; FSD_E_IO. */
enum fsd_status take_line(struct list_line *p, const struct list *list, unsigned i,
                          const struct fsd_options *like, struct fsd_error *err);
void free_line(struct list_line *line);

/** Does something with each of `n` things, in `jobs` threads (0: as many as there are
 *  processors), in any order. */
typedef void deed_fn(void *payload, unsigned i);
void do_each(unsigned n, unsigned jobs, deed_fn *deed, void *payload);

/** How many threads to take: `jobs`, or as many as there are processors. */
unsigned count_jobs(unsigned jobs);

/* --------------------------------------------------------------------------- target */

/** The folder that a path lies in, without links; false, with errno set, if there is
 *  none. */
bool folder_of(const char *path, char out[static PATH_MAX]);
/** Whether a path is the folder, or in or below it; both are without links. */
bool lies_under(const char *path, const char *folder);
/** Whether a folder on the way is a link out of its own, and which.  A relative path
 *  stands for something in the folder that is worked in, which may be a stranger's; an
 *  absolute path is its user's word. */
bool folders_lead_out(const char *path, char part[static PATH_MAX],
                      char to[static PATH_MAX]);

/*
 * What stands behind an output's path, and so how it may be written.
 *
 * A build that is checked may hold a stranger's files, and the one who checks it may be
 * root: a path is not what it seems.  Nothing but the file that the user named is ever
 * written, and what cannot be replaced is not.
 */

enum target_kind {
    TARGET_NEW,       /**< nothing is there */
    TARGET_FILE,      /**< a file of one name: another one takes its place */
    TARGET_HARD_LINK, /**< a file of several names: all of them shall show the report */
    TARGET_STREAM     /**< a device, pipe or socket, or a file that is open already */
};

struct target {
    enum target_kind kind;
    char path[PATH_MAX]; /**< where the links end */
    int descriptor;      /**< STREAM that is open already (/dev/stdout), else -1 */
    struct stat old;     /**< FILE and HARD_LINK: what is there */
};

/** Follows `path` to what is to be written.
 *  Refuses, with the reason in `err`: a link that leads out of the folder it lies in
 *  (unless `follow`, or a character device, pipe or open file is at its end), a file
 *  without write permission, a directory. */
enum fsd_status find_target(struct target *out, const char *path, bool follow,
                            struct fsd_error *err);

/** @param path  may be NULL, which has no ending. */
bool ends_with(const char *path, const char *ending);

/** True when two paths are of files in one folder. */
bool is_same_folder(const char *a, const char *b);

/** Fills `err` as the library does; what does not fit is cut. */
enum fsd_status fail_file(struct fsd_error *err, enum fsd_status status,
                          const char *file, const char *what, ...)
    __attribute__((format(printf, 4, 5)));
/** FSD_E_WRITE, in the words of errno. */
enum fsd_status fail_errno(struct fsd_error *err, const char *file);

/* ----------------------------------------------------------------------------- ends */

/* How the program ends before its end, and what it then leaves nowhere. */

/** A closed pipe and a file over its limit become errors like any other; who ends the
 *  program by SIGINT, SIGTERM, SIGHUP or SIGQUIT leaves no temporary file behind. */
void prepare_ends(void);

/** Ends the program so, where there is no memory to be had. */
_Noreturn void end_without_memory(void);
/** `memory`; the program ends where there is none. */
void *must(void *memory);

/** Ends the program so, by a signal.
 *  @param whole_job  the terminal has sent it to a command alone: all processes of the
 *                    program's own group get it, too. */
_Noreturn void end_by(int number, bool whole_job);

/** A file or a directory that ends with the program; `path` is filled by the caller,
 *  and ends in XXXXXX where the file is to be made. */
struct temporary {
    char path[PATH_MAX + sizeof ".XXXXXX.onnx"];
    struct temporary *older;
};

/** Makes a file by mkstemps(), and removes it where the program ends before
 *  drop_temporary().
 *  @param suffix  characters behind XXXXXX.
 *  @return  its descriptor; -1, with errno set, where it cannot be made: there is
 *           nothing to drop then. */
int make_temporary(struct temporary *t, int suffix) __attribute__((warn_unused_result));

/** The same for a directory, by mkdtemp(). */
bool make_temporary_folder(struct temporary *t) __attribute__((warn_unused_result));

/** The same for a file that will be in such a directory, where no other program has
 *  any. */
void add_temporary(struct temporary *t);

/** Ends that.
 *  @param gone  it has another name now; false: it is removed. */
void drop_temporary(struct temporary *t, bool gone);

/* --------------------------------------------------------------------------- output */

/* Where reports go: standard output, or a file that appears whole or not at all. */

/** All n bytes, however many write() takes at once; calls nothing that a child may not
 *  call behind fork().
 *  @return false, with errno set, where a write fails. */
bool write_all(int to, const void *bytes, size_t n);

/** What this thread opens from now on is an input, which no output may replace.
 *  reads.c */
void record_reads(void);

/** The same of a file that will be opened; NULL is none. */
void add_read(const char *path);

/** Refuses an output that is one of the inputs, with FSD_E_ARG. */
enum fsd_status refuse_read(const struct output *to, struct fsd_error *err);

/** The same of each output of the line, once the inputs of n builds are known. */
enum fsd_status check_outputs(const struct command_line *line,
                              const struct fsd_options *inputs, unsigned n,
                              struct fsd_error *err);

/** The same, once all inputs are known that the line itself names. */
enum fsd_status check_line_outputs(const struct command_line *line,
                                   struct fsd_error *err);

/** find_target() of an output that is none of the inputs; whoever writes asks it. */
enum fsd_status take_target(struct target *out, const struct output *to, bool follow,
                            struct fsd_error *err);

/** Where a report goes, and how; `format` is never NULL. */
struct sink {
    const char *format;
    const struct fsd_style *style;
    FILE *out;
    struct fsd_error *err;
};

/** Prints one report. */
typedef enum fsd_status print_fn(const void *payload, const struct sink *to);

/** A text that is written as any report is: whole, or not at all. */
struct whole_text {
    char *at;
    size_t n;
    const char *path; /* named in errors; NULL: none is */
};
enum fsd_status print_text(const void *payload, const struct sink *to);
bool takes_any_name(const struct command_line *line); /* of files, in one format */

/** Closes what was written to `path`, once all of it is on the disk.
 *  @param status  how the writing went; comes back where that was not well */
enum fsd_status close_kept(FILE *out, const char *path, enum fsd_status status,
                           struct fsd_error *err);

/** Brings the name of a file to the disk. */
enum fsd_status sync_folder(const char *path, struct fsd_error *err);

/** Writes every output of the command line; a file by way of a temporary one beside it
 *  that is renamed. */
enum fsd_status write_outputs(const struct command_line *line, print_fn *print,
                              const void *payload, struct fsd_error *err);

/** The same for a report with a verdict: if all of it went to files, a line on standard
 *  error states the verdict, so that the user has more than an exit status. */
enum fsd_status write_judgement(const struct command_line *line, print_fn *print,
                                const void *payload, struct fsd_error *err);

/* ------------------------------------------------------------------------- progress */

/* Words on stderr beside the report: a bar with what is done, for who waits (only on a
 * terminal, only after a second), and notes. */

/** Sets `options->note`, and `options->progress` when stderr is a terminal; neither,
 *  and no note is ever printed, where all shall be `quiet`. */
void show_progress(struct fsd_options *options, bool quiet);
/** Says that a stage of the program's own begins. */
void progress_stage(const char *stage);
/** How much of the stage is done. */
void progress_count(unsigned done, unsigned of);
/** A fsd_note_fn. */
void print_note(void *payload, const char *message);
/** A text as a terminal may see it, in `out`: nothing in it is obeyed.  What is longer
 *  than an error's message is cut.
 *  @return `out` */
const char *quoted(const char *text, char out[static sizeof(struct fsd_error)]);
/** What may hold names of files, so, on standard error. */
void put_quoted(const char *text);
/** Wipes what was said. */
void end_progress(void);

/* ---------------------------------------------------------------------------- child */

/* A command of the user's, run in a group of its own that ends with this program. */

/** Receives what a command prints, as it comes.
 *  @param stream  0: its standard output; 1: standard error.
 *  @param n  0: no more of this stream comes.
 *  @return  false where it could not be kept. */
typedef bool piece_fn(void *payload, int stream, const char *bytes, size_t n);

struct child {
    const char *const *words;     /**< the last is NULL */
    const char *variable, *value; /**< of its environment; value NULL: as it is */
    int in, out;    /**< descriptors of its standard streams; -1: this program's own */
    piece_fn *take; /**< receives both outputs, and `out` is unused; NULL: none does */
    void *payload;
};

/** How a command ended. */
struct child_end {
    int status;     /**< its exit status, or 128 and the signal that ended it */
    int by;         /**< that signal; 0: none */
    int stopped_by; /**< a signal that this program has forwarded, or that the terminal
                         sent to the command; 0: none: end_by() is due */
    bool whole_job; /**< for end_by() */
};

/** Runs a command, or its group where a signal is to end this program, to its end.
 *  @return FSD_E_IO where it could not be started; FSD_E_WRITE, without a message,
 *          where `take` was ever false. */
enum fsd_status run_child(const struct child *c, struct child_end *end,
                          struct fsd_error *err);

/* -------------------------------------------------------------------------- collect */

/* What `collect` is made of: the directory that it fills, the command as it is run, and
 * the running of it. */

/** DIR.partial, where the build is made. */
struct partial {
    char folder[PATH_MAX],
        path[PATH_MAX];      /**< DIR and DIR.partial, as they are named */
    char absolute[PATH_MAX]; /**< the latter */
    int dir, mark; /**< it and FSD_UNFINISHED in it, open and locked; -1: not open */
};

/** Makes it, or clears the one that an earlier collect left, and locks it.
 *  @param p  close it with close_partial(), whatever comes back.
 *  @return FSD_E_ARG where DIR is there already; FSD_E_WRITE where the directory is a
 *          link, has files of another user or is locked: nothing is removed then. */
enum fsd_status open_partial(struct partial *p, const char *folder,
                             struct fsd_error *err);
void close_partial(struct partial *p);

/** The path of a file in it; false where that is too long. */
bool path_in_partial(const struct partial *p, const char *name, char path[PATH_MAX]);

/** Makes a new file in it: what the command has written is kept.
 *  @return  NULL, with the reason in `err`, where it cannot. */
FILE *create_in_partial(const struct partial *p, const char *name,
                        struct fsd_error *err);

/** Gives it the name DIR, once all of it is on the disk.
 *  @return FSD_OK; FSD_E_WRITE. */
enum fsd_status finish_partial(const struct partial *p, struct fsd_error *err);

enum { MOST_COMMAND = 4096, MOST_EXPORTS = 3 };

/** A file that the command writes, and the one of the directory that it becomes. */
struct exported {
    const char *option; /**< trtexec's, with its '=': a literal */
    const char *name;   /**< "layers.json" */
    const char *asked; /**< where the user's own words have it written; NULL: nowhere */
    char word[PATH_MAX + 64]; /**< the option that was added; "" where none was */
};

struct collect_command {
    const char *words[MOST_COMMAND + 1]; /**< as it is run; ends with NULL */
    unsigned n;
    const char *model; /**< among its words, an ONNX model; NULL: none is */
    bool trtexec;
    struct exported exports[MOST_EXPORTS]; /**< layers, profile, times */
};

/** The words of the user with what trtexec lacks to write its layers, its profile and a
 *  verbose log into `folder`, as far as its --help lists such options.
 *  @param given,n  the user's words, at least one; borrowed.
 *  @return FSD_E_ARG where there are too many. */
enum fsd_status complete_command(struct collect_command *out, const char *const *given,
                                 unsigned n, const char *folder, struct fsd_error *err);

/** Runs the command, prints its output, and writes it to a file.
 *  FUSIONDIFF_COLLECT is `folder` in its environment.
 *  @param log  closed, whatever comes back; `path` is its name in errors.
 *  @return FSD_E_IO where it could not be started; FSD_E_WRITE where the log could not
 *          be written. */
enum fsd_status run_command(const char *const *words, const char *folder, FILE *log,
                            const char *path, struct child_end *end,
                            struct fsd_error *err);

/** What a command prints, both streams, at most size - 1 bytes; "" where it cannot be
 *  run.  A signal meanwhile ends the program. */
void read_command(const char *const *words, char *text, size_t size);

#endif
