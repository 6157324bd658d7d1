/*
 * fusiondiff: shows how the builder of an inference engine transformed an ONNX model.
 *
 * One run is one `struct fsd_diff`: open it from a model and an engine, query its
 * counts, write reports, free it.  The library neither prints nor exits, and runs share
 * no state; different runs may be in different threads.  The only settings are
 * fsd_on_out_of_memory(), fsd_map_files() and, for one thread, fsd_use_memory(),
 * fsd_use_readers(), fsd_use_layout() and fsd_opened_record().
 *
 * Files are read, without the weights of a model, and no signal handler is set.  With
 * fsd_map_files() they are mapped instead, which sets a handler of SIGBUS.
 *
 * Memory: every size in an input is checked against a limit first, so that memory only
 * runs out if the machine has too little.  A function that runs out of memory frees
 * what it allocated and returns FSD_E_MEMORY.
 *
 * The functions that write models are declared in <fusiondiff/edit.h>, which is
 * installed if the library was built with FSD_EDIT, as it is by default.
 *
 * Conventions.  Functions that can fail return `enum fsd_status` and describe a failure
 * in `err`, which may be NULL.  Texts are UTF-8 and end with a zero.  Times are
 * milliseconds, sizes are bytes.  What an fsd_*_open() function returns belongs to the
 * caller, who releases it with the fsd_*_free() function of the same name; each of
 * these accepts NULL.  Everything that a getter returns belongs to the object that was
 * passed to the getter, and is valid until that object is freed.
 *
 * Words (node, layer, link, evidence, fate, kind, cause) are explained in
 * docs/report.md.
 */
#ifndef FUSIONDIFF_FUSIONDIFF_H
#define FUSIONDIFF_FUSIONDIFF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FSD_VERSION "0.2.0"
#define FSD_SCHEMA  "fusiondiff/1"

#define FSD_API __attribute__((visibility("default")))

/* ------------------------------------------------------------------ errors */

/** The kinds of failure that a caller may want to treat differently. */
enum fsd_status {
    FSD_OK,
    FSD_E_IO,          /**< a file cannot be opened or read */
    FSD_E_FORMAT,      /**< a file has another format than expected, or is damaged */
    FSD_E_LIMIT,       /**< a count, depth or size is over its limit */
    FSD_E_UNSUPPORTED, /**< a known kind of file that this program cannot read */
    FSD_E_MISMATCH,    /**< model and engine do not belong together */
    FSD_E_WRITE,       /**< a report cannot be written */
    FSD_E_ARG,         /**< an option or a combination of options makes no sense */
    FSD_E_MEMORY,      /**< memory ran out; the function freed all that it had
                            allocated */
    FSD__STATUS_COUNT
};

/** What `fsd_error.pos` counts. */
enum fsd_pos_unit { FSD_POS_NONE, FSD_POS_BYTE, FSD_POS_LINE };

/** Filled on failure; the caller owns it.  `file` and `message` are never cut in
 *  the middle of a UTF-8 character and hold no control characters. */
struct fsd_error {
    enum fsd_status status;
    enum fsd_pos_unit unit;
    uint64_t pos; /**< meaningful unless unit is FSD_POS_NONE */
    char file[256];
    char message[1024];
};

/** A stable lower-case name ("format", "limit"); never NULL. */
FSD_API const char *fsd_status_name(enum fsd_status status);

/** Writes "file:pos: message" (position only where known) into `out`, at most
 *  `size` bytes with the closing zero, valid UTF-8 without control characters.
 *  Returns `out`. */
FSD_API const char *fsd_error_text(const struct fsd_error *err, char *out, size_t size);

/** Sets a function that ends the process when memory runs out, in any thread, for
 *  programs that have nothing to save.  The default, NULL, lets functions return
 *  FSD_E_MEMORY.
 *  @param end  a function that does not return and allocates no memory; or NULL. */
FSD_API void fsd_on_out_of_memory(void (*end)(void));

/** Sets whether the library maps the files that any thread opens from now on.  A mapped
 *  log or dump is not copied into memory.  The default is false.
 *  The first call with true installs a handler of SIGBUS, the signal that the process
 *  receives when another program truncates a mapped file: the run that reads the file
 *  then fails with FSD_E_IO.  The handler passes every other SIGBUS to the handler that
 *  was installed before. */
FSD_API void fsd_map_files(bool mapped);

/** Opens a stream that writes into memory, such as a report.  Unlike open_memstream(),
 *  it reports lost bytes: fclose() then returns EOF.
 *  @param[out] text,size  set by fclose(): the bytes, which the caller frees with
 *                         free(), and their number without the closing zero; `text` is
 *                         NULL if memory ran out.
 *  @return the stream; NULL if memory ran out. */
FSD_API FILE *fsd_memory_open(char **text, size_t *size);

/* ----------------------------------------------------------------- options */

/** The kinds of evidence that a layer computes a node, x; bits of a mask, the strongest
 *  first. */
enum fsd_evidence {
    FSD_BY_METADATA = 1 << 0,  /**< the engine's own "[ONNX Layer: x]" */
    FSD_BY_NAME = 1 << 1,      /**< the layer's name contains x */
    FSD_BY_LOG = 1 << 2,       /**< the build log shows this */
    FSD_BY_TENSOR = 1 << 3,    /**< x is between the layer's boundary tensors */
    FSD_BY_STRUCTURE = 1 << 4, /**< only this layer and this node fit each other */
    FSD_BY_PATH = 1 << 5,      /**< x is on a path between nodes in the layer's name:
                                    stronger than STRUCTURE */
    FSD_BY_ALL = (1 << 6) - 1
};

enum fsd_severity { FSD_INFO, FSD_WARNING, FSD_ERROR, FSD__SEVERITY_COUNT };

/** A callback that the library calls when a stage of a run begins ("matching").  It
 *  must not call functions on that run. */
typedef void fsd_progress_fn(void *payload, const char *stage);

/** A callback for remarks that are in no report: that a writer simplified a picture
 *  ("too large: drawn with ..."), or that the inputs of a snapshot may not belong
 *  together.  `message` is one line without a newline.  The callback must not call
 *  functions on that run. */
typedef void fsd_note_fn(void *payload, const char *message);

/** A file whose content is in memory. */
struct fsd_memory {
    const char *path; /**< the path by which functions of the library open it */
    const void *bytes;
    size_t size;
};

/** Makes every function that this thread calls from now on read these paths from
 *  memory.
 *  @param files  `n` files.  The library borrows them and their bytes until this thread
 *                calls the function again; NULL ends the borrowing, whatever `n` is. */
FSD_API void fsd_use_memory(const struct fsd_memory *files, size_t n);

/** A file that a function of the caller reads. */
struct fsd_file_reader {
    const char *path; /**< the path by which functions of the library open it */
    uint64_t size;    /**< the size of the file in bytes */
    /** Reads `n` bytes at `offset` into `to`.  The library may ask for bytes in any
     *  order and more than once.
     *  @return false if they cannot be read; the function that needs them then fails
     *          with FSD_E_IO. */
    bool (*read)(void *payload, uint64_t offset, void *to, size_t n);
    void *payload; /**< the first argument of `read` */
};

/** Makes every function that this thread calls from now on read these paths by the
 *  caller's functions, in windows of 64 KiB.  The library reads only the graph of a
 *  model.
 *  @param files  `n` files.  The library borrows them until this thread calls the
 *                function again; NULL ends the borrowing, whatever `n` is.  A path that
 *                fsd_use_memory() has as well is read from memory. */
FSD_API void fsd_use_readers(const struct fsd_file_reader *files, size_t n);

/** A callback that lays out a picture, given as DOT, and writes it in a format ("svg",
 *  "png", "pdf").
 *  @return false, with nothing written, if it cannot. */
typedef bool fsd_layout_fn(void *payload, const char *dot, const char *format,
                           FILE *out);

/** Makes every function that this thread calls from now on lay out pictures by the
 *  caller's function, instead of a child process.
 *  @param layout   the function; NULL returns to Graphviz, if the library has it.
 *  @param payload  the first argument of `layout`. */
FSD_API void fsd_use_layout(fsd_layout_fn *layout, void *payload);

/** A list of the files that runs have opened, with the external weights of their
 *  models.  Before a program writes an output, it looks for the output's path in the
 *  list, so that it does not replace an input.  The list identifies a file by device
 *  and inode, whatever the file's name is.  Several threads may use one list at
 *  once. */
struct fsd_opened;

/** Makes an empty list.
 *  @return the list, which the caller frees with fsd_opened_free(); NULL if memory ran
 *          out. */
FSD_API struct fsd_opened *fsd_opened_new(void);

/** Frees a list.
 *  @param opened  a list into which no thread records any more; may be NULL. */
FSD_API void fsd_opened_free(struct fsd_opened *opened);

/** Makes every function that this thread calls from now on add the files that it opens
 *  to a list.  fsd_file_kind() and fsd_snapshot_builds() add only files of a build:
 *  models, engines, logs and times.
 *  @param opened  the list, which the library borrows until the next call; NULL ends
 *                 the recording.
 *  @return the list that was set before; NULL if none was. */
FSD_API struct fsd_opened *fsd_opened_record(struct fsd_opened *opened);

/** Adds a file that is going to be read.
 *  @param path  its path, "-" for standard input; a missing file is not added.
 *  @return false if memory ran out. */
FSD_API bool fsd_opened_add(struct fsd_opened *opened, const char *path);

/** Returns whether a file is on the list, so that an output of that path would replace
 *  an input.
 *  @param path  its path, "-" for standard output. */
FSD_API bool fsd_opened_has(struct fsd_opened *opened, const char *path);

/*
 * Every function refuses, with FSD_E_ARG, a list that is NULL with a count above 0, a
 * list with a NULL among its texts, a value that an enum does not have, and a bit that
 * a mask does not have.  Functions without a status document what they return instead.
 */

/** Zero is the default of every field. */
struct fsd_options {
    const char *model;  /**< path of the ONNX model, or of a build log that lists its
                             nodes; "-" reads standard input; NULL uses the nodes that
                             the engine names */
    const char *engine; /**< path of the engine dump or build log; "-" as above */
    unsigned engine_number; /**< number of the engine in a log of several, from 1;
                                      0 for a log of one engine */
    unsigned opt_profile;   /**< optimization profile of an engine that has several:
                                      the builder's number plus 1; 0 selects the first
                                      profile in the dump */
    const char *log;        /**< path of the build log that belongs to a dump; or
                                      NULL */
    const char *const *profiles; /**< paths of files with layer times of this engine */
    unsigned n_profiles;
    const char *times;         /**< path of the file that trtexec --exportTimes wrote;
                                    or NULL */
    const char *const *shapes; /**< sizes of dynamic inputs: "input=1x3x224x224" */
    unsigned n_shapes;
    double peak_gb_s,
        peak_top_s;            /**< peak of the device in GB/s and in 10^12 operations
                                       per second, for the roofline; 0 if unknown */
    unsigned evidence;         /**< mask of enum fsd_evidence; 0 means all */
    bool force;                /**< continue although model and engine do not belong
                                       together */
    fsd_progress_fn *progress; /**< NULL if the caller needs no progress */
    fsd_note_fn *note;         /**< NULL if the caller needs no remarks */
    void *payload;             /**< the first argument of both callbacks */
    const char *label; /**< what the build is for, such as "sm86", in snapshots and
                            checks; NULL for none */
    /** Paths of numbers from outside: a table (CSV, JSON), one set of tensors (npz, or
     *  outputs that Polygraphy saved), or two sets with the reference first.
     *  docs/wrong-result.md defines what is measured. */
    const char *const *values;
    unsigned n_values;   /**< 0 to 2 */
    double values_limit; /**< the relative L2 error from which on a tensor counts as
                              wrong; 0 means 0.01 */
    const char *const *parts; /**< engines of which each computes a part of `model`,
                                   which must then be given; `engine` is the first of
                                   them.  A profile belongs to the engine whose layers
                                   it names; engines with equal layers get their
                                   profiles in order */
    unsigned n_parts;
    bool uncited;     /**< do not let findings cite the edits that lint proposes, which
                       saves time for reports without findings, such as pictures */
    bool values_rows; /**< compare each row of a batch, in one set of tensors, with the
                           row before it; for batches whose rows are equal inputs */
    bool unlisted;    /**< accept a build log that lists no layers as `engine`, for
                           views of the build itself, such as "buildtime" */
};

/** What a picture shows (dot, svg, png, pdf).  Zero is the default of every field.
 *  The library lays out svg, png and pdf in a child process (fork), which it kills when
 *  the time is over; callers that handle SIGCHLD see it. */
struct fsd_picture {
    const char
        *around;      /**< name or glob of nodes or layers, to draw only these and what
                             is near them; or NULL */
    unsigned depth;   /**< the number of steps that count as near; 0 means one */
    const char *only; /**< "reformats", "changes" or "precision", to draw only what is
                           near these; or NULL */
    const char *color_by;  /**< "precision", "time", "kind" or "fusion"; NULL means
                                "fusion" */
    const char *collapse;  /**< "none", "run" or "scope:N"; NULL collapses as far as
                                the size requires */
    const char *label;     /**< what the picture shows below a layer's name: some of
                                "ms", "bytes" and "tactic", separated by commas; NULL
                                means "ms,bytes" */
    double layout_seconds; /**< processor time for the layout of svg, png and pdf;
                                0 means 30 */
    fsd_note_fn *note;     /**< NULL if the caller needs no remarks */
    void *payload;         /**< the first argument of `note` */
};

/** How a report looks.  Zero is the default of every field. */
struct fsd_style {
    bool color;                        /**< print ANSI color codes */
    bool all;                          /**< fold no layers and shorten no list */
    bool tactics;                      /**< in comparisons, list changed tactics too */
    bool one_column;                   /**< never print nodes beside their layers */
    unsigned width;                    /**< columns of the terminal; 0 means 100 */
    const struct fsd_picture *picture; /**< NULL draws everything that can be drawn */
    bool quoted; /**< in texts, quote names that could be read as sentences */
};

/** The smallest size of a page.  A smaller one has no room for the lines that count
 * what the page leaves out. */
enum { FSD_LEAST_TOKENS = 200 };

/** Divides a report that was written as text into pages, and writes one of them: a
 *  language model can read it in about `tokens` tokens, an estimate.  The first page
 *  contains the whole summary and the beginning of each other block; each line is on
 *  one page.  Lines at the end of a page count what the page leaves out.
 *  @param tokens  at least FSD_LEAST_TOKENS.
 *  @param page    from 1.
 *  @return FSD_OK; FSD_E_ARG for a page that the text does not have; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_text_page(const char *text, unsigned tokens, unsigned page,
                                      FILE *out, struct fsd_error *err);

/** What a file is, by its content. */
enum fsd_file_kind {
    FSD_FILE_OTHER, /**< none of these, or its beginning does not show which */
    FSD_FILE_MODEL,
    FSD_FILE_ENGINE,  /**< a dump of layers that can be read */
    FSD_FILE_LOG,     /**< a verbose build log */
    FSD_FILE_PROFILE, /**< times of layers */
    FSD_FILE_TIMES,   /**< times of whole runs */
    FSD_FILE_SNAPSHOT,
    FSD_FILE_TUNING,   /**< the cache of a search over build options */
    FSD_FILE_METADATA, /**< options and device of a build, as trt-engine-explorer writes
                            them; it is read in place of a log */
    FSD__FILE_KIND_COUNT
};

/** Recognizes a file by its beginning.
 *  @return the kind; FSD_FILE_OTHER also for "-" and for a file that cannot be
 *          opened. */
FSD_API enum fsd_file_kind fsd_file_kind(const char *path);

/** Returns whether a file is an ONNX model.  A model that ONNX Runtime optimized is
 *  both a model and an engine; fsd_file_kind() returns FSD_FILE_ENGINE for it.  The
 *  result is false for "-" and for a file that cannot be opened. */
FSD_API bool fsd_file_is_model(const char *path);

/** Returns the noun of a kind in messages, such as "an ONNX model"; "another kind of
 *  file" for FSD_FILE_OTHER and for a value that the enum does not have. */
FSD_API const char *fsd_file_kind_noun(enum fsd_file_kind kind);

/** The subjects of reports.  Each has a function that writes it: fsd_diff_write(),
 *  fsd_comparison_write(), fsd_check_write(), fsd_diff_view(), fsd_linting_write(),
 *  fsd_failure_write(), and those named below. */
enum fsd_subject {
    FSD_OF_RUN,
    FSD_OF_COMPARISON,
    FSD_OF_CHECK,
    FSD_OF_VIEW,
    FSD_OF_LINT,
    FSD_OF_MATRIX,    /**< several builds, fsd_builds_write() */
    FSD_OF_STABILITY, /**< what varies among several builds, fsd_builds_write() */
    FSD_OF_MODELS,    /**< two models without engines, fsd_models_write() */
    FSD_OF_CHECKS,    /**< the checks of a list of builds, fsd_checks_write() */
    FSD_OF_ROUTES,    /**< builds by several sets of options, fsd_routing_write() */
    FSD_OF_FAILURE,   /**< a build that failed, fsd_failure_write() */
    FSD__SUBJECT_COUNT
};

/** The name of a file that marks the directory of a build that is not complete yet. */
#define FSD_UNFINISHED "UNFINISHED"

/** The files of one build that a directory holds. */
struct fsd_directory;
struct fsd_check_options;

/** Finds the files of a build in a directory.  If `opt` has a directory in place of a
 *  file, the function sets the fields of `opt` that are not set to the files in the
 *  directory, and reports to `opt->note` which file it took for which field.  It
 *  recognizes files by their content, and ignores other kinds of files and names that
 *  begin with a dot.
 *  @param out     set to an object that owns the texts to which `opt` then points; free
 *                 it with fsd_directory_free() after the last use of `opt`.  Set to
 *                 NULL if `opt` has no directory, and after a failure.
 *  @param opt     options with a directory as `engine`, or as `model` if `engine` is
 *                 NULL.
 *  @param follow  whether to follow links that lead out of the directory; false follows
 *                 only the link to a model that `fusiondiff collect` made.
 *  @return FSD_OK, also if `opt` has no directory; FSD_E_ARG if the directory does not
 *          hold exactly one complete build; FSD_E_IO. */
FSD_API enum fsd_status fsd_directory_open(struct fsd_directory **out,
                                           struct fsd_options *opt, bool follow,
                                           struct fsd_error *err);

/** If the snapshot of a check is a directory, lists the snapshots in it as
 *  `check->snapshots`.
 *  @param out     as for fsd_directory_open(), but also set after a failure.
 *  @param follow  whether to follow links that lead out of the directory.
 *  @return FSD_OK, also if the snapshot is no directory; FSD_E_ARG if there is no
 *          snapshot in it, there are too many, or one is a link that leads out;
 *          FSD_E_IO. */
FSD_API enum fsd_status fsd_directory_snapshots(struct fsd_directory **out,
                                                struct fsd_check_options *check,
                                                bool follow, struct fsd_error *err);

/** Lists the builds in a directory, sorted by name: directories and snapshots of one
 *  build each, or one model and its engines.
 *  @param out     as for fsd_directory_snapshots().
 *  @param follow  whether to follow links that lead out of the directory.
 *  @return FSD_OK; FSD_E_ARG for two models, or for a link that leads out; FSD_E_IO. */
FSD_API enum fsd_status fsd_directory_builds(struct fsd_directory **out,
                                             const char *path, bool follow,
                                             struct fsd_error *err);

/** Gets the i-th build of a directory, from 0.
 *  @param[out] model   its model; "" if it has none.
 *  @param[out] engine  its engine; "" if `model` is a directory or a snapshot.
 *  @return false if there are not so many. */
FSD_API bool fsd_directory_build(const struct fsd_directory *directory, uint32_t i,
                                 const char **model, const char **engine);

/** Frees the result of fsd_directory_open(), fsd_directory_snapshots() or
 *  fsd_directory_builds().
 *  @param directory  may be NULL. */
FSD_API void fsd_directory_free(struct fsd_directory *directory);

/** Returns whether a path is a symbolic link to something outside of its folder, which
 *  a stranger may have made.
 *  @param[out] to  the target of the link, cut to `size` bytes with the closing zero.
 *  */
FSD_API bool fsd_link_leads_out(const char *path, char *to, size_t size);

/* -------------------------------------------------------------------- runs */

struct fsd_diff;

/** Reads both inputs and runs all passes.
 *  @param out    set to the run on success, to NULL on failure; free it with
 *                fsd_diff_free().
 *  @param opt    its `engine` must not be NULL; its `model` may be.
 *  @param err    may be NULL.
 *  @return FSD_OK, or the status that `err` describes. */
FSD_API enum fsd_status fsd_diff_open(struct fsd_diff **out,
                                      const struct fsd_options *opt,
                                      struct fsd_error *err);

/** Frees a run.
 *  @param diff  may be NULL. */
FSD_API void fsd_diff_free(struct fsd_diff *diff);

/** A build log of several engines, which is read once for runs of each of them. */
struct fsd_engines;

/** Reads a build log.
 *  @param out   set to the log on success, also if the file is no log, which then has 0
 *               engines; to NULL on failure.  Free it with fsd_engines_free(), after
 *               its runs, in the same thread.
 *  @param path  "-" reads standard input.
 *  @return FSD_OK, or the status that `err` (which may be NULL) describes. */
FSD_API enum fsd_status fsd_engines_open(struct fsd_engines **out, const char *path,
                                         struct fsd_error *err);

/** Returns the number of engines in the log. */
FSD_API unsigned fsd_engines_count(const struct fsd_engines *engines);

/** Like fsd_diff_open(); if `opt->engine` is the path of the log, does not read the log
 *  again.  The result lives at most as long as `engines`.
 *  @param engines  NULL for fsd_diff_open(). */
FSD_API enum fsd_status fsd_engines_diff(struct fsd_diff **out,
                                         const struct fsd_engines *engines,
                                         const struct fsd_options *opt,
                                         struct fsd_error *err);

/** Frees a log.
 *  @param engines  may be NULL. */
FSD_API void fsd_engines_free(struct fsd_engines *engines);

/** Returns the number of findings at or above a severity; 0 for a value that the enum
 *  does not have. */
FSD_API uint32_t fsd_diff_findings(const struct fsd_diff *diff,
                                   enum fsd_severity least);

/** Writes one report.
 *  @param format one that fsd_format_of(FSD_OF_RUN) gives.
 *  @param style  may be NULL.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another
 *          format. */
FSD_API enum fsd_status fsd_diff_write(const struct fsd_diff *diff, const char *format,
                                       const struct fsd_style *style, FILE *out,
                                       struct fsd_error *err);

/** Writes one pair of many as a line of JSON, as pair.schema.json defines it.
 *  @param pair     the name of the pair in its line; NULL writes the schema of a line
 *                  instead.
 *  @param diff     the run of the pair; NULL if it failed.
 *  @param failure  the error of a run that failed; or NULL.  If both `diff` and
 *                  `failure` are NULL, the line has only the name; without its last
 *                  brace, it is how every line of this pair begins.
 *  @return as fsd_diff_write(). */
FSD_API enum fsd_status fsd_pair_write(const char *pair, const struct fsd_diff *diff,
                                       const struct fsd_error *failure, FILE *out,
                                       struct fsd_error *err);

/** What one question is about.  Zero is the default of every field. */
struct fsd_query {
    const char *const *words; /**< names or globs of nodes or layers */
    unsigned n_words;
    bool layers;              /**< the words name layers, in views of nodes */
    unsigned top;             /**< the largest number of rows; 0 means all */
    double min_ms, min_share; /**< leave out rows that take less time; the share is from
                                   0 to 1 */
    unsigned depth;           /**< depth of name scopes; 0 chooses a useful depth */
    const char *not_type;     /**< a type, "int8", to list nodes that run in others */
    const char *by;           /**< "nodes" ranks nodes; NULL ranks layers */
    const char *as;           /**< form of a list of names */
    const char *check;        /**< path of a list of names to check */
    uint32_t *unmatched; /**< set to the number of names of `check` that match nothing;
                              may be NULL */
    uint32_t *left_out;  /**< set to the number of names that the form cannot hold and
                              the text leaves out; may be NULL */
    const char *finding; /**< in "names": a rule, to list only nodes of its findings */
    const char *rank_by; /**< in "top": a column of fsd_options.values; NULL ranks by
                              time */
    bool only_free;      /**< in "tensors": only those that change no fusion when they
                              are marked as outputs */
    const char
        *break_at; /**< in "tensors": the layer or node whose fusion is to be split */
    bool
        realised; /**< in "names" for autocast and modelopt: write everything that these
                        tools need to choose the precisions of the engine */
};

/** Writes the answer to one question: "reformats", "where", "inside", "names", ...
 *  @param format one that fsd_format_of(FSD_OF_VIEW) gives.
 *  @param style  may be NULL.
 *  @return FSD_OK; FSD_E_ARG for an unknown view or format, or when a word names
 *          nothing; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_diff_view(const struct fsd_diff *diff, const char *view,
                                      const struct fsd_query *query, const char *format,
                                      const struct fsd_style *style, FILE *out,
                                      struct fsd_error *err);

/* ------------------------------------------------------------- a run as data */

/*
 * Layers and nodes have numbers from 0, as in reports, in the order of the engine and
 * of the model.  Links are sorted by layer, then by node.  All strings are valid until
 * the run is freed, and are NULL only where a comment states it.  These functions do
 * not change the run, and fail only for a number that is too large.  `size` is the
 * sizeof of the caller's struct: later versions add members at its end.
 */

enum fsd_part {
    FSD_PART_LAYERS,
    FSD_PART_NODES,
    FSD_PART_LINKS,
    FSD_PART_FINDINGS,
    FSD__PART_COUNT
};

/** Returns the number of layers, nodes, links or findings of a run; 0 for a value that
 *  the enum does not have. */
FSD_API uint32_t fsd_diff_count(const struct fsd_diff *diff, enum fsd_part part);

/** A layer of the engine. */
struct fsd_layer_data {
    const char *name, *type; /**< the builder's name and type of the layer */
    const char *kind,
        *cause;            /**< words of the report's schema; `cause`, why the builder
                                   inserted the layer, may be NULL */
    const char *precision; /**< "int8"; NULL if unknown */
    const char *tactic;    /**< name of the kernel; NULL if the engine states none */
    double ms;             /**< milliseconds per inference, the median of all
                                   profiles; negative if unknown */
    int64_t bytes, macs;   /**< bytes that one inference reads and writes, without the
                                   bias, and multiply-adds; negative if unknown */
    uint32_t first_link, n_links; /**< the layer's links, which are consecutive */
    bool inserted;                /**< the layer computes no node of the model */
    bool opaque; /**< the layer is a region whose inside the engine does not state:
                      fusions and precisions of its nodes are unknown */
};

/** A node of the model. */
struct fsd_node_data {
    const char *name, *op; /**< name ("" if it has none) and operator */
    const char *domain;    /**< domain of the operator; "" for ONNX's own */
    const char *fate,
        *why; /**< outcome, a word of the report's schema, and its proof in a few words;
                   "" if the outcome needs none */
    const char *requested,
        *realised;     /**< the type that the model requests, and the type
                                           in which the layer runs; NULL if unknown */
    double ms;         /**< the node's share of its layers' times, in milliseconds;
                            negative if unknown */
    int64_t macs;      /**< multiply-adds; negative if unknown */
    int64_t same_as;   /**< the node that this one duplicates, if it was merged; else
                            -1 */
    uint32_t n_layers; /**< the number of layers that compute the node: see
                            fsd_node_layer() */
};

/** A link: a layer computes a node. */
struct fsd_link_data {
    uint32_t layer, node;
    unsigned evidence; /**< mask of enum fsd_evidence */
};

/** A finding: something that a reviewer should look at. */
struct fsd_finding_data {
    const char *rule; /**< "inserted/reformat" */
    enum fsd_severity severity;
    const char *message;        /**< one line */
    uint32_t n_layers, n_nodes; /**< how many layers and nodes the finding has: see
                                     fsd_finding_subject() */
    const char *todo; /**< what to do, one sentence; NULL if nothing is known.  Since
                           version 0.2 */
};

/** These four fill `out` with the i-th layer, node, link or finding, from 0.
 *  @return false, with `out` unchanged, if there are not so many. */
FSD_API bool fsd_diff_layer(const struct fsd_diff *diff, uint32_t i,
                            struct fsd_layer_data *out, size_t size);
FSD_API bool fsd_diff_node(const struct fsd_diff *diff, uint32_t i,
                           struct fsd_node_data *out, size_t size);
FSD_API bool fsd_diff_link(const struct fsd_diff *diff, uint32_t i,
                           struct fsd_link_data *out, size_t size);
FSD_API bool fsd_diff_finding(const struct fsd_diff *diff, uint32_t i,
                              struct fsd_finding_data *out, size_t size);

/** A member of a layer, a node or a finding in the JSON report. */
struct fsd_member {
    const char *key;
    const char *text; /**< NULL if the value is `number`, which is 0 or 1 for a flag */
    double number;
};

/** A callback that receives a member of the i-th layer, node or finding.  The texts are
 *  valid until it returns. */
typedef void fsd_member_fn(void *payload, uint32_t i, const struct fsd_member *member);

/** Calls `take` for each member of all layers, nodes or findings, in the order of the
 *  report, except for members that are lists or objects.  Links have no members. */
FSD_API void fsd_diff_members(const struct fsd_diff *diff, enum fsd_part part,
                              fsd_member_fn *take, void *payload);

/** Returns the i-th layer that computes a node, from 0; UINT32_MAX if there are not so
 *  many. */
FSD_API uint32_t fsd_node_layer(const struct fsd_diff *diff, uint32_t node, uint32_t i);

/** Returns the i-th layer or node of a finding, from 0; UINT32_MAX if there are not so
 *  many, and for other parts. */
FSD_API uint32_t fsd_finding_subject(const struct fsd_diff *diff, uint32_t finding,
                                     enum fsd_part part, uint32_t i);

/* ------------------------------------------------------------------ comparing */

struct fsd_comparison;

/** Compares two builds of one network, or of two exports of it.
 *  @param out  set to the comparison on success, to NULL on failure; free it with
 *              fsd_comparison_free().
 *  @param before,after  options as for fsd_diff_open(), or with only one of `model` and
 *              `engine`, a snapshot or a build log.  `force` continues although the
 *              model and the engine of that build do not belong together; `force` of
 *              `after` also compares builds that seem to be of two networks.
 *  @param err  may be NULL.
 *  @return FSD_OK, or the status that `err` describes. */
FSD_API enum fsd_status fsd_comparison_open(struct fsd_comparison **out,
                                            const struct fsd_options *before,
                                            const struct fsd_options *after,
                                            struct fsd_error *err);

/** Frees a comparison.
 *  @param comparison  may be NULL. */
FSD_API void fsd_comparison_free(struct fsd_comparison *comparison);

/** Returns whether the builds differ in anything except times, tactics, names of layers
 *  and of tensors between them, and the order of layers. */
FSD_API bool fsd_comparison_differs(const struct fsd_comparison *comparison);

/** Writes one report.
 *  @param format one that fsd_format_of(FSD_OF_COMPARISON) gives.
 *  @param style  may be NULL.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_comparison_write(const struct fsd_comparison *comparison,
                                             const char *format,
                                             const struct fsd_style *style, FILE *out,
                                             struct fsd_error *err);

struct fsd_models;

/** Compares two models, two exports of one network, without engines.
 *  @param before,after paths of ONNX models.
 *  @param force        continue although they seem to be two networks.
 *  @param out          set on success, to NULL on failure; free it with
 *                      fsd_models_free().
 *  @return FSD_OK, or the status that `err` (which may be NULL) describes. */
FSD_API enum fsd_status fsd_models_open(struct fsd_models **out, const char *before,
                                        const char *after, bool force,
                                        struct fsd_error *err);

/** Frees a comparison of models.
 *  @param models  may be NULL. */
FSD_API void fsd_models_free(struct fsd_models *models);

/** Returns whether the models differ in anything except names, weights and the order of
 *  nodes. */
FSD_API bool fsd_models_differ(const struct fsd_models *models);

/** Writes one report.
 *  @param format one that fsd_format_of(FSD_OF_MODELS) gives.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_models_write(const struct fsd_models *models,
                                         const char *format,
                                         const struct fsd_style *style, FILE *out,
                                         struct fsd_error *err);

struct fsd_builds;

/** Compares several builds of one network with each other.
 *  @param out  set on success, to NULL on failure; free it with fsd_builds_free().
 *  @param opt  the options of `n` builds, 2 to 26, each as for fsd_comparison_open().
 *  @return FSD_OK, or the status that `err` (which may be NULL) describes. */
FSD_API enum fsd_status fsd_builds_open(struct fsd_builds **out,
                                        const struct fsd_options *opt, unsigned n,
                                        struct fsd_error *err);

/** Frees a comparison of several builds.
 *  @param builds  may be NULL. */
FSD_API void fsd_builds_free(struct fsd_builds *builds);

/** Returns whether one of the builds differs from the first, as defined by
 *  fsd_comparison_differs(), or may differ because something about it is unknown. */
FSD_API bool fsd_builds_differ(const struct fsd_builds *builds);

/** Writes one report.
 *  @param subject FSD_OF_MATRIX writes a table with a row for each group of nodes and a
 *                 column for each build; FSD_OF_STABILITY writes what varies, and in
 *                 which builds.
 *  @param format  one that fsd_format_of() gives for that subject.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_builds_write(const struct fsd_builds *builds,
                                         enum fsd_subject subject, const char *format,
                                         const struct fsd_style *style, FILE *out,
                                         struct fsd_error *err);

/* ---------------------------------------------------------------------- routes */

struct fsd_routing;

/** Compares builds of one network that differ in their options ("knobs"), and finds
 *  what each knob changes.  The knobs of a build are the values of its iteration in the
 *  cache or, without a cache, the options that its log states, its label, and the words
 *  "knob=value" in the name of its file or directory.
 *  @param cache path of the file that a search over build options wrote (trtexec
 *               --tuningCacheFile); or NULL.  Builds that belong to no iteration of it
 *               are left out, and reported to `opt->note`.
 *  @param opt   the options of `n` builds, at most 128, each as for
 *               fsd_comparison_open(); `n` may be 0 if there is a cache.
 *  @param out   set on success, to NULL on failure; free it with fsd_routing_free().
 *  @return FSD_OK, or the status that `err` (which may be NULL) describes; FSD_E_ARG
 *          for fewer than two routes. */
FSD_API enum fsd_status fsd_routing_open(struct fsd_routing **out, const char *cache,
                                         const struct fsd_options *opt, unsigned n,
                                         struct fsd_error *err);

/** Frees the result of fsd_routing_open().
 *  @param routing  may be NULL. */
FSD_API void fsd_routing_free(struct fsd_routing *routing);

/** Writes one report.
 *  @param format one that fsd_format_of(FSD_OF_ROUTES) gives.
 *  @param style  may be NULL.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_routing_write(const struct fsd_routing *routing,
                                          const char *format,
                                          const struct fsd_style *style, FILE *out,
                                          struct fsd_error *err);

/* ------------------------------------------------------- snapshots and the gate */

/** Writes a snapshot of a build: a text file with one line for each group of fused
 *  nodes, to be committed and reviewed.  The same inputs give the same bytes.
 *  @param opt   options as for each build of fsd_comparison_open().  The snapshot has
 *               the times of the profiles, or of a snapshot that is the input; layers
 *               without a time are reported to `opt->note`.
 *  @return FSD_OK, or the status that `err` (which may be NULL) describes. */
FSD_API enum fsd_status fsd_snapshot_make(const struct fsd_options *opt, FILE *out,
                                          struct fsd_error *err);

/** Writes a snapshot of several builds of one model: the first build, and the variants
 *  in which the others differ from it, which a check accepts as well.  If a build is
 *  itself such a snapshot, its variants are included.
 *  @param opt   the options of `n` builds, at least 1.  Variants that state less than
 *               the first build are not written, because a check would then pass what
 *               is unknown; they are reported to the `note` of the first options.
 *  @return as fsd_snapshot_make(); FSD_E_ARG for more than 26 builds, FSD_E_MISMATCH
 *          for a build of another model. */
FSD_API enum fsd_status fsd_snapshot_make_of(const struct fsd_options *opt, unsigned n,
                                             FILE *out, struct fsd_error *err);

/** Returns the number of builds in a snapshot; 0 if the file is no snapshot. */
FSD_API unsigned fsd_snapshot_builds(const char *path);

/** Writes what the library can do on this machine: its version, the files that it
 *  reads, the formats that it writes, and whether Graphviz can draw, which the function
 *  tests.
 *  @param format one that fsd_format_of(FSD_OF_VIEW) gives.
 *  @param style,err  may be NULL.
 *  @return FSD_OK, FSD_E_WRITE, or FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_about(const char *format, const struct fsd_style *style,
                                  FILE *out, struct fsd_error *err);

/** Returns the name that a user probably meant by a misspelt word of at most 64 bytes;
 *  NULL if no name is near, or `names` is NULL. */
FSD_API const char *fsd_nearest_name(const char *word, const char *const *names,
                                     unsigned n);

/** Returns the day "2026-01-31" as 20260131; 0 if the text is no day of the calendar.
 *  */
FSD_API unsigned fsd_day_parse(const char *text);

/** Returns the day, in UTC, of "1769817600" seconds since 1970, the form of
 *  SOURCE_DATE_EPOCH; 0 if the text is no such number. */
FSD_API unsigned fsd_day_of_epoch(const char *seconds);

/** Zero is the default of every field.  `snapshot` or `policy` must be given. */
struct fsd_check_options {
    const char
        *snapshot; /**< path of the snapshot to check against, or of the directory
                               of `snapshots`, for messages; NULL checks only the rules
                               of the policy that need no snapshot */
    const char *const
        *snapshots; /**< paths of several snapshots: the check uses the one
                                       for the build's label, version and GPU */
    unsigned n_snapshots;
    const char *policy;  /**< path of the policy; NULL for the default policy */
    unsigned today;      /**< today, as 20260131, to find expired entries of ignore
                              rules: those whose last day is earlier; 0: none
                              expires */
    bool accept;         /**< nothing fails, because the snapshot is to be rewritten */
    bool lint;           /**< check the model too, as fsd_linting_open() does */
    const char *builder; /**< the builder for `lint`, as in struct fsd_lint_options */
};

struct fsd_check;

/** Checks a build against a snapshot.
 *  @param out   set to the check on success, to NULL on failure; free it with
 *               fsd_check_free().
 *  @param opt   options as for each build of fsd_comparison_open(); `force` also checks
 *               a build that seems to be of another network.
 *  @param err   may be NULL.
 *  @return FSD_OK, whether the check passes or not; or the status that `err`
 *          describes: FSD_E_FORMAT with a line for a damaged snapshot or policy,
 *          FSD_E_UNSUPPORTED for a snapshot of a later version, FSD_E_MISMATCH for one
 *          of another model, and all that fsd_diff_open() returns. */
FSD_API enum fsd_status fsd_check_open(struct fsd_check **out,
                                       const struct fsd_options *opt,
                                       const struct fsd_check_options *check,
                                       struct fsd_error *err);

/** Frees a check.
 *  @param check  may be NULL. */
FSD_API void fsd_check_free(struct fsd_check *check);

/** Frees everything of a check except its verdict, so that a program that checks many
 *  builds has only one of them in memory.  fsd_checks_write(), fsd_check_failed() and
 *  fsd_check_snapshot() still accept the check; fsd_check_write() and
 *  fsd_check_update() then return FSD_E_ARG.
 *  @return FSD_OK; FSD_E_MEMORY, with the check unchanged. */
FSD_API enum fsd_status fsd_check_shrink(struct fsd_check *check,
                                         struct fsd_error *err);

/** Returns the path of the snapshot that the check used. */
FSD_API const char *fsd_check_snapshot(const struct fsd_check *check);

/** Returns whether a rule of level error exceeds its budget. */
FSD_API bool fsd_check_failed(const struct fsd_check *check);

/** Writes one report.
 *  @param format one that fsd_format_of(FSD_OF_CHECK) gives.
 *  @param style  may be NULL.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_check_write(const struct fsd_check *check,
                                        const char *format,
                                        const struct fsd_style *style, FILE *out,
                                        struct fsd_error *err);

/** One build of a list. */
struct fsd_checked {
    const struct fsd_check *check; /**< the check of the build; NULL if the check
                                        failed */
    const struct fsd_error *error; /**< why the check failed; ignored if `check` is not
                                        NULL */
    const char *label, *model,
        *engine; /**< names of a build without a check; `label` and
                                             `engine` may be NULL */
};

/** Writes the checks of several builds as one report: a table of all builds, then each
 *  check that did not pass.
 *  @param format one that fsd_format_of(FSD_OF_CHECKS) gives.
 *  @param style  may be NULL.
 *  @return as fsd_check_write(). */
FSD_API enum fsd_status fsd_checks_write(const struct fsd_checked *builds, unsigned n,
                                         const char *format,
                                         const struct fsd_style *style, FILE *out,
                                         struct fsd_error *err);

/** Writes the snapshot that would make the check pass, with times if the build has
 *  some.
 *  @return as fsd_check_write(). */
FSD_API enum fsd_status fsd_check_update(const struct fsd_check *check, FILE *out,
                                         struct fsd_error *err);

/* ------------------------------------------------------------------- failed builds */

/** Why a build failed, at which nodes, and what to try. */
struct fsd_failure;

/** Reads the log of a build that failed, and the model beside it.
 *  @param opt  options with the log as `engine`.  `model` may be NULL, or a file that
 *              cannot be read, which the report then states.  The function reads no
 *              other inputs.
 *  @param out  set on success, to NULL on failure; free it with fsd_failure_free().
 *  @param err  may be NULL.
 *  @return FSD_OK; FSD_E_FORMAT if the file is not the log of a failed build; FSD_E_IO;
 *          FSD_E_MEMORY. */
FSD_API enum fsd_status fsd_failure_open(struct fsd_failure **out,
                                         const struct fsd_options *opt,
                                         struct fsd_error *err);

/** Frees the result of fsd_failure_open().
 *  @param failure  may be NULL. */
FSD_API void fsd_failure_free(struct fsd_failure *failure);

/** Returns the conclusion, one sentence. */
FSD_API const char *fsd_failure_conclusion(const struct fsd_failure *failure);

/** Returns the builder that wrote the log, in the form of fsd_lint_options.builder. */
FSD_API const char *fsd_failure_builder(const struct fsd_failure *failure);

/** Returns the i-th node, from 0, of a part of the model that fails alone.  The result
 *  is a word for `nodes` of struct fsd_cut_options; NULL if there are not so many
 *  nodes, no node is known, or no model was read. */
FSD_API const char *fsd_failure_part(const struct fsd_failure *failure, unsigned i);

/** Writes one report.
 *  @param format one that fsd_format_of(FSD_OF_FAILURE) gives; "html" needs a model
 *                that can be read.
 *  @param style  may be NULL.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_failure_write(const struct fsd_failure *failure,
                                          const char *format,
                                          const struct fsd_style *style, FILE *out,
                                          struct fsd_error *err);

/* ------------------------------------------------------------------------ linting */

/** Zero is the default of every field. */
struct fsd_lint_options {
    const char
        *builder;       /**< the builder whose rules apply: "trt8", "rtx-1.7:sm89"; NULL
                              for the builder of the engine or, without an engine,
                              "rtx-1.7:sm89" */
    const char *policy; /**< path of the policy; NULL for the default policy */
    unsigned today;     /**< today, as 20260131, to find expired entries of ignore
                             rules: those whose last day is earlier; 0: none
                             expires */
};

struct fsd_linting;

/** Checks a model before its build.  If there is an engine as well, it confirms or
 *  refutes each finding.
 *  @param out  set on success, to NULL on failure; free it with fsd_linting_free().
 *  @param opt  options as for fsd_diff_open(), except that `engine` may be NULL and
 *              `model` must not.
 *  @param err  may be NULL.
 *  @return FSD_OK, or the status that `err` describes. */
FSD_API enum fsd_status fsd_linting_open(struct fsd_linting **out,
                                         const struct fsd_options *opt,
                                         const struct fsd_lint_options *lint,
                                         struct fsd_error *err);

/** Frees the result of fsd_linting_open().
 *  @param linting  may be NULL. */
FSD_API void fsd_linting_free(struct fsd_linting *linting);

/** Returns the number of findings at or above a severity. */
FSD_API uint32_t fsd_linting_findings(const struct fsd_linting *linting,
                                      enum fsd_severity least);

/** Writes one report.
 *  @param format one that fsd_format_of(FSD_OF_LINT) gives.
 *  @param style  may be NULL.
 *  @return as fsd_diff_write(). */
FSD_API enum fsd_status fsd_linting_write(const struct fsd_linting *linting,
                                          const char *format,
                                          const struct fsd_style *style, FILE *out,
                                          struct fsd_error *err);

/** Returns the run of the model, with its engine if one was given.  Its findings are
 *  those of a report, not those of lint. */
FSD_API const struct fsd_diff *fsd_linting_run(const struct fsd_linting *linting);

/** Writes all rules of lint, each with its level, the inputs that it needs, the
 *  builders that it applies to, the reason, what to do, and its source. */
FSD_API enum fsd_status fsd_linting_list(const char *format,
                                         const struct fsd_style *style, FILE *out,
                                         struct fsd_error *err);

/** Writes what a word means.  For a rule, this includes why it matters, what to do, and
 *  how to accept a finding.
 *  @param word   the id of a rule, a word of engines such as "kgen", or a layer's name
 *                that contains such words.
 *  @param format one that fsd_format_of(FSD_OF_VIEW) gives.
 *  @param style  may be NULL.
 *  @return FSD_OK; FSD_E_ARG for an unknown word or format; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_explain(const char *word, const char *format,
                                    const struct fsd_style *style, FILE *out,
                                    struct fsd_error *err);

/** Explains a rule as text, by fsd_explain(); if `rule` is NULL, explains all rules, by
 * fsd_explain_all(). */
FSD_API enum fsd_status fsd_rule_explain(const char *rule, FILE *out,
                                         struct fsd_error *err);

enum fsd_vocabulary { FSD_WORDS_OF_RULES, FSD_WORDS_OF_ENGINES };

/** Writes all words of a vocabulary; as text, each takes one line.  The other
 *  parameters and the result are those of fsd_explain(). */
FSD_API enum fsd_status fsd_explain_all(enum fsd_vocabulary of, const char *format,
                                        const struct fsd_style *style, FILE *out,
                                        struct fsd_error *err);

/** Writes the default policy as a file from which to start one.  A check with that file
 *  behaves as without a policy.
 *  @return FSD_OK; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_policy_print(FILE *out, struct fsd_error *err);

/** A build that `fusiondiff collect` ran.  Zero is the default of every field. */
struct fsd_collected {
    const char *const *command; /**< the words of the command that ran */
    unsigned n_command;
    const char *const *given; /**< the words of the command that the user gave */
    unsigned n_given;
    int status;        /**< the exit status of the command, or 128 plus the signal that
                            ended it */
    const char *model; /**< path of the build's ONNX model; NULL if unknown */
    const char *const *names, *const *values; /**< environment variables to record */
    unsigned n_environment;
};

/** Writes the record of a build as JSON, which docs/start.md describes: its command,
 *  the hash of its model, and the environment variables.  If the model cannot be read,
 *  the record has the reason in place of the hash.
 *  @return FSD_OK, or FSD_E_WRITE. */
FSD_API enum fsd_status fsd_collected_write(const struct fsd_collected *what, FILE *out,
                                            struct fsd_error *err);

/** Reads one input and writes its graph as sorted text.  Equal graphs give equal bytes.
 *  @param side "model" writes `opt->model`; "shapes" writes the shapes of its tensors
 *              as far as they can be inferred; "engine" writes `opt->engine`, with
 *              names of `opt->model` unless that is NULL; "log" counts the lines of
 *              `opt->log` or of a log as `opt->engine` by form, and lists those of
 *              unknown form.
 *  @return FSD_OK, or the status that `err` describes. */
FSD_API enum fsd_status fsd_dump(const char *side, const struct fsd_options *opt,
                                 FILE *out, struct fsd_error *err);

/** Returns the format of a name ("text", "json"), or of the ending of a path; NULL if
 *  there is none.  The string is static.  Not every subject has every format. */
FSD_API const char *fsd_format_find(const char *name);

/** Returns whether a format, given as in fsd_format_find(), is a picture. */
FSD_API bool fsd_format_draws(const char *name);

/** Returns the name of the i-th format, from 0; NULL if there are not so many. */
FSD_API const char *fsd_format_at(unsigned i);

/** Returns the name of the i-th format, from 0, that a subject is written in; NULL if
 *  there are not so many, and for a value that the enum does not have. */
FSD_API const char *fsd_format_of(enum fsd_subject subject, unsigned i);

#ifdef __cplusplus
}
#endif

#endif
