/*
 * fusiondiff: shows how the builder of an inference engine transformed an ONNX model.
 *
 * One run is one `struct fsd_diff`: open it from a model and an engine, query its
 * counts, write reports, and free it.  The library neither prints nor exits.  Runs
 * share no state, so different threads may use different runs.  Two settings hold for
 * the process: fsd_on_out_of_memory() and fsd_map_files().  Four settings hold for one
 * thread: fsd_use_memory(), fsd_use_readers(), fsd_use_layout() and
 * fsd_opened_record().
 *
 * By default, the library reads files, except for the weights of a model, and sets no
 * signal handler.  After fsd_map_files(true), it maps files instead of reading them,
 * and sets a handler for SIGBUS.
 *
 * Memory: the library checks every size in an input against a limit before it allocates
 * memory.  Memory therefore runs out only if the machine has too little.  A function
 * that runs out of memory frees all that it allocated, and returns FSD_E_MEMORY.
 *
 * The functions that write models are declared in <fusiondiff/edit.h>, which is
 * installed if the library was built with FSD_EDIT, as it is by default.
 *
 * Conventions.  Functions that can fail return `enum fsd_status` and describe a failure
 * in `err`, which may be NULL.  Texts are UTF-8 and end with a zero.  Times are
 * milliseconds, sizes are bytes.  The object from an fsd_*_open() function belongs to
 * the caller, who frees it with the fsd_*_free() function of the same name.  Each
 * fsd_*_free() function accepts NULL.  A text or pointer that any other function
 * returns belongs to the object that the caller passed to that function, and is valid
 * until the object is freed.
 *
 * docs/report.md explains the words node, layer, link, evidence, fate, kind and cause.
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

/** The result of a function: success, or a kind of failure. */
enum fsd_status {
    FSD_OK,
    FSD_E_IO,          /**< a file cannot be opened or read */
    FSD_E_FORMAT,      /**< a file has another format than expected, or is damaged */
    FSD_E_LIMIT,       /**< a count, depth or size exceeds its limit */
    FSD_E_UNSUPPORTED, /**< the file is of a known kind that the library cannot read */
    FSD_E_MISMATCH,    /**< model and engine do not belong together */
    FSD_E_WRITE,       /**< a report cannot be written */
    FSD_E_ARG,         /**< an option or a combination of options makes no sense */
    FSD_E_MEMORY,      /**< memory ran out; the function freed all that it had
                            allocated */
    FSD__STATUS_COUNT
};

/** The unit of `fsd_error.pos`. */
enum fsd_pos_unit { FSD_POS_NONE, FSD_POS_BYTE, FSD_POS_LINE };

/** The description of a failure.  The caller owns the struct, and the function that
 *  fails fills it.  `file` and `message` contain only whole UTF-8 characters and no
 *  control characters. */
struct fsd_error {
    enum fsd_status status;
    enum fsd_pos_unit unit;
    uint64_t pos; /**< the position in the file; valid unless `unit` is FSD_POS_NONE */
    char file[256];
    char message[1024];
};

/** Returns the name of a status in lower case ("format", "limit"); never NULL.  The
 * name does not change between versions. */
FSD_API const char *fsd_status_name(enum fsd_status status);

/** Writes "file:pos: message" into `out`, or "file: message" if no position is known.
 *  The text has at most `size` bytes with the closing zero, and is valid UTF-8 without
 *  control characters.  Returns `out`. */
FSD_API const char *fsd_error_text(const struct fsd_error *err, char *out, size_t size);

/** Sets the function that the library calls if memory runs out in any thread.  It must
 *  end the process, so it suits programs that have nothing to save.  With the default,
 *  NULL, functions return FSD_E_MEMORY instead.
 *  @param end  a function that does not return and allocates no memory; or NULL. */
FSD_API void fsd_on_out_of_memory(void (*end)(void));

/** Sets whether the library maps the files that it opens from now on, in any thread.  A
 *  mapped log or dump is not copied into memory.  The default is false. The first call
 *  with true installs a handler for SIGBUS.  The process receives this signal if
 *  another program truncates a mapped file; the run that reads the file then fails with
 *  FSD_E_IO.  The handler passes every other SIGBUS to the handler that was installed
 *  before. */
FSD_API void fsd_map_files(bool mapped);

/** Opens a stream that writes into memory, for instance for a report.  If memory runs
 *  out, fclose() returns EOF; a stream of open_memstream() would lose bytes without an
 *  error.
 *  @param[out] text  set by fclose() to the bytes, which the caller frees with free();
 *                         NULL if memory ran out.
 *  @param[out] size  set by fclose() to the number of bytes without the closing zero.
 *  @return the stream; NULL if memory ran out. */
FSD_API FILE *fsd_memory_open(char **text, size_t *size);

/* ----------------------------------------------------------------- options */

/** The kinds of evidence that a layer computes the node x, as bits of a mask.  The
 *  strongest kind is first.  Exception: the last kind, FSD_BY_PATH, is stronger than
 *  FSD_BY_STRUCTURE. */
enum fsd_evidence {
    FSD_BY_METADATA = 1 << 0,  /**< the engine's Metadata states "[ONNX Layer: x]" */
    FSD_BY_NAME = 1 << 1,      /**< the layer's name contains x */
    FSD_BY_LOG = 1 << 2,       /**< the build log shows that the layer computes x */
    FSD_BY_TENSOR = 1 << 3,    /**< x is between the layer's boundary tensors */
    FSD_BY_STRUCTURE = 1 << 4, /**< only this layer and this node fit each other */
    FSD_BY_PATH = 1 << 5,      /**< the layer's name contains two nodes, and x is on a
                                    path between them */
    FSD_BY_ALL = (1 << 6) - 1
};

enum fsd_severity { FSD_INFO, FSD_WARNING, FSD_ERROR, FSD__SEVERITY_COUNT };

/** A callback that the library calls when a stage of a run begins.  `stage` is the name
 *  of the stage, such as "matching".  The callback must not call functions of the
 *  library for the same run. */
typedef void fsd_progress_fn(void *payload, const char *stage);

/** A callback that receives a remark that is in no report.  Examples: a picture was
 *  simplified ("too large: drawn with ..."), or the inputs of a snapshot may not belong
 *  together.  `message` is one line without a newline.  The callback must not call
 *  functions of the library for the same run. */
typedef void fsd_note_fn(void *payload, const char *message);

/** A file whose content is in memory. */
struct fsd_memory {
    const char *path; /**< the path by which functions of the library open it */
    const void *bytes;
    size_t size;
};

/** Makes the library read the files with these paths from memory, in all calls of this
 *  thread from now on.
 *  @param files  `n` files.  The array and the bytes must stay valid until this thread
 *                calls the function again.  NULL: the library reads no more files from
 *                memory, and ignores `n`. */
FSD_API void fsd_use_memory(const struct fsd_memory *files, size_t n);

/** A file whose bytes a function of the caller reads. */
struct fsd_file_reader {
    const char *path; /**< the path by which functions of the library open it */
    uint64_t size;    /**< the size of the file in bytes */
    /** Reads `n` bytes at `offset` into `to`.  The library may ask for bytes in any
     *  order and more than once.
     *  @return false if the bytes cannot be read; the library function that needs the
     *          bytes then fails with FSD_E_IO. */
    bool (*read)(void *payload, uint64_t offset, void *to, size_t n);
    void *payload; /**< the first argument of `read` */
};

/** Makes the library read the files with these paths by functions of the caller, in all
 *  calls of this thread from now on.  The library reads windows of 64 KiB.  Of a model,
 *  it reads only the windows with the graph.
 *  @param files  `n` files and their functions.  The array must stay valid until this
 *                thread calls fsd_use_readers() again.  NULL: the library calls no more
 *                such functions, and ignores `n`.  If a path was also passed to
 *                fsd_use_memory(), the file is read from memory. */
FSD_API void fsd_use_readers(const struct fsd_file_reader *files, size_t n);

/** A callback that lays out the graph `dot`, in the DOT language, and writes the
 *  picture to `out` in a format ("svg", "png", "pdf").
 *  @return false if the callback cannot lay out the graph; it must then write
 *          nothing. */
typedef bool fsd_layout_fn(void *payload, const char *dot, const char *format,
                           FILE *out);

/** Makes the library lay out pictures by the caller's function instead of a child
 *  process, in all calls of this thread from now on.
 *  @param layout  the function. NULL: the library uses Graphviz again, if the library
 *          was built with Graphviz.
 *  @param payload  the first argument of `layout`. */
FSD_API void fsd_use_layout(fsd_layout_fn *layout, void *payload);

/** A list of the files that were opened for runs, and of the files with the weights of
 *  the runs' models.  Before a program writes an output, it should search the list for
 *  the path of the output, so that it does not replace an input.  The list identifies a
 *  file by device and inode, because one file can have several names.  Several threads
 *  may use one list at once. */
struct fsd_opened;

/** Makes an empty list.
 *  @return the list, which the caller frees with fsd_opened_free(); NULL if memory ran
 *          out. */
FSD_API struct fsd_opened *fsd_opened_new(void);

/** Frees a list.
 *  @param opened  may be NULL.  No thread may still add files to the list. */
FSD_API void fsd_opened_free(struct fsd_opened *opened);

/** Makes the library add each file that it opens to a list, in all calls of this thread
 *  from now on. fsd_file_kind() adds only files of a build: models, engines, logs,
 *  times and metadata. fsd_file_is_model() and fsd_snapshot_builds() add no file.
 *  @param opened  the list, which must stay valid until this thread calls the function
 *                 again.  NULL: the library adds no more files.
 *  @return the list that was set before; NULL if none was. */
FSD_API struct fsd_opened *fsd_opened_record(struct fsd_opened *opened);

/** Adds a file to the list before the program reads it.
 *  @param path  the path of the file, "-" for standard input.  A missing file is not
 *          added.
 *  @return false if memory ran out. */
FSD_API bool fsd_opened_add(struct fsd_opened *opened, const char *path);

/** Returns whether a file is in the list.  If it is, an output with this path would
 *  replace an input.
 *  @param path  the path of the file, "-" for standard output. */
FSD_API bool fsd_opened_has(struct fsd_opened *opened, const char *path);

/*
 * Every function that returns a status returns FSD_E_ARG for these wrong arguments: a
 * list that is NULL and has a count above 0, a list that contains a NULL, a value that
 * the enum does not have, and a bit that the mask does not have.  For all other
 * functions, the comment of the function states the result for wrong arguments.
 */

/** The inputs and options of a run.  Zero is the default of every field. */
struct fsd_options {
    const char *model;  /**< path of the ONNX model, or of a build log that lists its
                             nodes. "-": standard input.  NULL: the model consists of
                             the nodes that the engine names */
    const char *engine; /**< path of the engine dump or build log; "-": standard
                             input */
    unsigned engine_number; /**< the number of the engine in a log of several engines,
                                 from 1; 0 for a log of one engine */
    unsigned opt_profile;   /**< selects one of several optimization profiles of the
                                 engine.  The builder numbers profiles from 0; this
                                 field is the builder's number plus 1.  0: the first
                                 profile in the dump */
    const char *log;        /**< path of the build log that belongs to a dump; or
                                 NULL */
    const char *const *profiles; /**< paths of files with layer times of this engine */
    unsigned n_profiles;
    const char *times;         /**< path of the file that trtexec --exportTimes wrote;
                                    or NULL */
    const char *const *shapes; /**< sizes of dynamic inputs: "input=1x3x224x224" */
    unsigned n_shapes;
    double peak_gb_s, peak_top_s; /**< the peaks of the device, for the roofline; 0 if
                                       unknown.  peak_gb_s: memory bandwidth in GB/s.
                                       peak_top_s: 10^12 operations per second */
    unsigned evidence;            /**< the kinds of evidence to use, a mask of enum
                                       fsd_evidence; 0 means all */
    bool force;                   /**< continues even if the model and the engine do not
                                       belong together */
    fsd_progress_fn *progress;    /**< NULL if the caller needs no progress */
    fsd_note_fn *note;            /**< NULL if the caller needs no remarks */
    void *payload;                /**< the first argument of both callbacks */
    const char *label; /**< the purpose of the build, such as "sm86", for snapshots and
                            checks; NULL for none */
    /** Paths of files with numbers that other programs measured.  Together, the files
     *  contain a table (CSV, JSON), one set of tensors (npz, or outputs that Polygraphy
     *  saved), or two sets of tensors.  Of two sets, the first is the reference.
     *  docs/wrong-result.md defines the errors that the library computes. */
    const char *const *values;
    unsigned n_values;        /**< 0 to 2 */
    double values_limit;      /**< the relative L2 error above which a tensor counts as
                                   wrong; 0 means 0.01 */
    const char *const *parts; /**< paths of several engines that each compute a part of
                                   `model`; NULL: one engine.  `model` must be set, and
                                   `engine` must be the first of these paths.  A profile
                                   belongs to the engine whose layers it names.  If
                                   several engines have these layers, the profile
                                   belongs to the engine with the fewest profiles so
                                   far.  If several of these have equally few profiles,
                                   the profile belongs to the first of them in
                                   `parts` */
    unsigned n_parts;
    bool uncited;     /**< findings do not cite the edits that lint proposes; this saves
                           time for reports without findings, such as pictures */
    bool values_rows; /**< all rows of the batch have equal inputs, so each row is
                           compared with the row before it.  `values` must be one file
                           with tensors */
    bool unlisted;    /**< `engine` may be a build log that lists no layers.  Such a log
                           suffices for views of the build, such as "buildtime" */
    bool unhashed;    /**< the engine's file is not hashed; this saves time for formats
                           that do not state the hash (fsd_format_hashes()).  The other
                           formats then state zeros */
};

/** The contents of a picture (dot, svg, png, pdf).  Zero is the default of every field.
 *  The library lays out svg, png and pdf in a child process (fork), which it kills
 *  after `layout_seconds`.  A caller that handles SIGCHLD receives this signal when the
 *  child process ends. */
struct fsd_picture {
    const char *around; /**< name or glob of nodes or layers: draws only these and their
                             neighbors; NULL: all */
    unsigned depth;     /**< nodes and layers that are at most this many steps away
                             count as neighbors; 0 means one */
    const char *only;   /**< draws only some layers and their neighbors. "reformats":
                             layers that only move data; "changes": fused and inserted
                             layers, and vanished nodes; "precision": layers with more
                             than one type; NULL: all */
    const char *color_by;  /**< "precision", "time", "kind" or "fusion"; NULL means
                                "fusion" */
    const char *collapse;  /**< which nodes or layers share a box.  "none": none. "run":
                                consecutive layers. "scope:N": nodes or layers whose
                                names have the same first N parts.  NULL: the library
                                chooses one of these, to limit the picture's size */
    const char *label;     /**< the text below a layer's name: some of "ms", "bytes" and
                                "tactic", separated by commas; NULL means "ms,bytes" */
    double layout_seconds; /**< the limit on processor time for the layout of svg, png
                                and pdf, in seconds; 0 means 30 */
    fsd_note_fn *note;     /**< NULL if the caller needs no remarks */
    void *payload;         /**< the first argument of `note` */
};

/** How a report looks.  Zero is the default of every field. */
struct fsd_style {
    bool color;                        /**< prints ANSI color codes */
    bool all;                          /**< folds no layers and shortens no list */
    bool tactics;                      /**< in comparisons, also lists changed
                                            tactics */
    bool one_column;                   /**< never prints nodes beside their layers */
    unsigned width;                    /**< the number of columns of the terminal; 0
                                            means 100 */
    const struct fsd_picture *picture; /**< the contents of a picture; NULL means all
                                            defaults */
    bool quoted; /**< in texts, puts quotes around names that a language model may take
                      for sentences */
};

/** The smallest size of a page, in tokens.  A smaller page has no room for the lines
 * that count the omitted lines. */
enum { FSD_LEAST_TOKENS = 200 };

/** Divides a report in the format "text" into pages for a language model, and writes
 *  one page.  A page takes about `tokens` tokens, which is an estimate.  The first page
 *  contains the summary, and the beginning of most other blocks.  Each line is on one
 *  page; only titles are repeated.  Where a page omits lines, it states how many lines
 *  follow on later pages.
 *  @param tokens  at least FSD_LEAST_TOKENS.
 *  @param page  the number of the page, from 1.
 *  @return FSD_OK; FSD_E_ARG for a page that the text does not have; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_text_page(const char *text, unsigned tokens, unsigned page,
                                      FILE *out, struct fsd_error *err);

/** The kind of a file, according to its content. */
enum fsd_file_kind {
    FSD_FILE_OTHER, /**< the file is of none of the other kinds, or its beginning does
                         not show its kind */
    FSD_FILE_MODEL,
    FSD_FILE_ENGINE,  /**< a dump of layers that the library can read */
    FSD_FILE_LOG,     /**< a verbose build log */
    FSD_FILE_PROFILE, /**< times of layers */
    FSD_FILE_TIMES,   /**< times of whole runs */
    FSD_FILE_SNAPSHOT,
    FSD_FILE_TUNING,   /**< the cache of a search over build options */
    FSD_FILE_METADATA, /**< options and device of a build, as trt-engine-explorer writes
                            them; the library reads this file in place of a log */
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

/** Returns a noun for a kind of file, such as "an ONNX model", for messages; "another
 *  kind of file" for FSD_FILE_OTHER and for a value that the enum does not have. */
FSD_API const char *fsd_file_kind_noun(enum fsd_file_kind kind);

/** The subjects of reports.  One function writes the reports of each subject:
 *  fsd_diff_write(), fsd_comparison_write(), fsd_check_write(), fsd_diff_view(),
 *  fsd_linting_write(), or a function that is named below. */
enum fsd_subject {
    FSD_OF_RUN,
    FSD_OF_COMPARISON,
    FSD_OF_CHECK,
    FSD_OF_VIEW,
    FSD_OF_LINT,
    FSD_OF_MATRIX,    /**< a table of several builds: fsd_builds_write() */
    FSD_OF_STABILITY, /**< the differences among several builds: fsd_builds_write() */
    FSD_OF_MODELS,    /**< two models without engines: fsd_models_write() */
    FSD_OF_CHECKS,    /**< the checks of a list of builds: fsd_checks_write() */
    FSD_OF_ROUTES,    /**< builds with several sets of options: fsd_routing_write() */
    FSD_OF_FAILURE,   /**< a build that failed: fsd_failure_write() */
    FSD__SUBJECT_COUNT
};

/** The name of a marker file.  A build is incomplete if its directory has this file. */
#define FSD_UNFINISHED "UNFINISHED"

/** What was found in a directory: the files of one build, several builds, or
 *  snapshots. */
struct fsd_directory;
struct fsd_check_options;

/** Finds the files of a build in a directory, and stores their paths in `opt`.  Fields
 *  of `opt` that already name a file stay unchanged.  `opt->note` receives one remark,
 *  which lists the stored files.  The function recognizes files by their content.  It
 *  ignores files of other kinds, and files whose names begin with a dot.
 *  @param out  set to an object that owns the paths in `opt`; free it with
 *                 fsd_directory_free() after the last use of `opt`.  Set to NULL if
 *                 `opt` has no directory, and after a failure.
 *  @param opt     `engine` is the directory.  If `engine` is NULL, `model` is the
 *                 directory.
 *  @param follow  true: follows links that lead out of the directory. false: returns
 *                 FSD_E_ARG if a file of the build is such a link.  A link to the model
 *                 is no error if `fusiondiff collect` made the link.
 *  @return FSD_OK, also if `opt` has no directory; FSD_E_ARG if the directory does not
 *          hold exactly one complete build; FSD_E_IO. */
FSD_API enum fsd_status fsd_directory_open(struct fsd_directory **out,
                                           struct fsd_options *opt, bool follow,
                                           struct fsd_error *err);

/** If `check->snapshot` is a directory, sets `check->snapshots` to the snapshots in it.
 *  @param out  set to an object that owns the paths, even after a failure; free it with
 *          fsd_directory_free().
 *  @param follow  whether to follow links that lead out of the directory.
 *  @return FSD_OK, also if the snapshot is no directory; FSD_E_ARG if the directory has
 *          no snapshot or too many, or if `follow` is false and a snapshot is a link
 *          that leads out of the directory; FSD_E_IO. */
FSD_API enum fsd_status fsd_directory_snapshots(struct fsd_directory **out,
                                                struct fsd_check_options *check,
                                                bool follow, struct fsd_error *err);

/** Lists the builds in a directory, sorted by name.  If the directory contains
 *  directories or snapshots, each of them is a build.  Otherwise, it contains one model
 *  and its engines, and each engine is a build.
 *  @param out  set to the list, even after a failure; free it with
 *          fsd_directory_free().
 *  @param follow  whether to follow links that lead out of the directory.
 *  @return FSD_OK; FSD_E_ARG if the directory has two models, or if `follow` is false
 *          and a build or the model is a link that leads out of the directory;
 *          FSD_E_IO. */
FSD_API enum fsd_status fsd_directory_builds(struct fsd_directory **out,
                                             const char *path, bool follow,
                                             struct fsd_error *err);

/** Gets the i-th build of a directory, from 0.
 *  @param[out] model  the path of the build if it is a directory or a snapshot.  If it
 *          is an engine: the path of its model; "" if there is no model.
 *  @param[out] engine  the path of the build if it is an engine; else "".
 *  @return false if the directory has fewer builds. */
FSD_API bool fsd_directory_build(const struct fsd_directory *directory, uint32_t i,
                                 const char **model, const char **engine);

/** Frees the result of fsd_directory_open(), fsd_directory_snapshots() or
 *  fsd_directory_builds().
 *  @param directory  may be NULL. */
FSD_API void fsd_directory_free(struct fsd_directory *directory);

/** Returns whether a path is a symbolic link to a file outside of its folder.  A
 *  stranger may have made such a link.
 *  @param[out] to  the target of the link, shortened to `size` bytes with the closing
 *          zero.
 * */
FSD_API bool fsd_link_leads_out(const char *path, char *to, size_t size);

/* -------------------------------------------------------------------- runs */

struct fsd_diff;

/** Reads the model and the engine, and finds out what the builder did with each node.
 *  @param out    set to the run on success, to NULL on failure; free it with
 *                fsd_diff_free().
 *  @param opt  `engine` must not be NULL; `model` may be NULL.
 *  @param err    may be NULL.
 *  @return FSD_OK, or the status that `err` describes. */
FSD_API enum fsd_status fsd_diff_open(struct fsd_diff **out,
                                      const struct fsd_options *opt,
                                      struct fsd_error *err);

/** Frees a run.
 *  @param diff  may be NULL. */
FSD_API void fsd_diff_free(struct fsd_diff *diff);

/** A build log of several engines.  The library reads it once for the runs of all its
 * engines. */
struct fsd_engines;

/** Reads a build log.
 *  @param out  set to the log on success, to NULL on failure.  If the file is no log,
 *               it counts as a log of 0 engines.  After all runs of the log are freed,
 *               free the log with fsd_engines_free(), in the thread that opened it.
 *  @param path  "-" reads standard input.
 *  @return FSD_OK, or the status that `err` (which may be NULL) describes. */
FSD_API enum fsd_status fsd_engines_open(struct fsd_engines **out, const char *path,
                                         struct fsd_error *err);

/** Returns the number of engines in the log. */
FSD_API unsigned fsd_engines_count(const struct fsd_engines *engines);

/** Opens a run like fsd_diff_open().  If `opt->engine` is the path of the log, the
 *  function does not read the log again.  The run must be freed before `engines`.
 *  @param engines  may be NULL; the function is then fsd_diff_open(). */
FSD_API enum fsd_status fsd_engines_diff(struct fsd_diff **out,
                                         const struct fsd_engines *engines,
                                         const struct fsd_options *opt,
                                         struct fsd_error *err);

/** Frees a log.
 *  @param engines  may be NULL. */
FSD_API void fsd_engines_free(struct fsd_engines *engines);

/** Returns the number of findings whose severity is `least` or higher; 0 for a value
 *  that the enum does not have. */
FSD_API uint32_t fsd_diff_findings(const struct fsd_diff *diff,
                                   enum fsd_severity least);

/** Writes a report on a run.
 *  @param format  a format that fsd_format_of(FSD_OF_RUN) returns.
 *  @param style  may be NULL.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_diff_write(const struct fsd_diff *diff, const char *format,
                                       const struct fsd_style *style, FILE *out,
                                       struct fsd_error *err);

/** Writes one line of JSON about one pair of a model and an engine: its run, or its
 *  error.  pair.schema.json defines the line.
 *  @param pair  the name of the pair; NULL: writes the schema of a line instead.
 *  @param diff     the run of the pair; NULL if the run failed.
 *  @param failure  the error, if the run failed; else NULL.  If `diff` and `failure`
 *          are both NULL, the line has only the name of the pair.  Without its last
 *          brace, this short line is a prefix of all lines about the pair.
 *  @return as fsd_diff_write(). */
FSD_API enum fsd_status fsd_pair_write(const char *pair, const struct fsd_diff *diff,
                                       const struct fsd_error *failure, FILE *out,
                                       struct fsd_error *err);

/** The parameters of a view.  Zero is the default of every field.  If the comment of a
 *  field begins with `in "names"`, only the view "names" uses the field. */
struct fsd_query {
    const char *const *words; /**< names or globs of nodes or layers */
    unsigned n_words;
    bool layers;              /**< `words` name layers, even in a view of nodes */
    unsigned top;             /**< the largest number of rows; 0 means all */
    double min_ms, min_share; /**< omits rows that take less time: less than `min_ms`
                                   milliseconds, or less than the share `min_share` (0
                                   to 1) of the total time */
    unsigned depth;           /**< the depth of name scopes; 0: the library chooses a
                                   useful depth */
    const char *not_type;     /**< a type such as "int8": lists only nodes that run in
                                   another type */
    const char *by;           /**< "nodes" ranks nodes; NULL ranks layers */
    const char *as;           /**< in "names" and "tensors": the form of the list */
    const char *check;        /**< in "names": path of a list of names to check */
    uint32_t *unmatched; /**< set to the number of names in `check` that match no node
                              or layer; may be NULL */
    uint32_t *left_out;  /**< set to the number of names that are omitted because they
                              cannot be written in the form `as`; may be NULL */
    const char *finding; /**< in "names": a rule; lists only nodes of its findings */
    const char *rank_by; /**< in "top": a column of fsd_options.values; NULL ranks by
                              time */
    bool only_free;      /**< in "tensors": lists only tensors that can be marked as
                              outputs without changing a fusion */
    const char
        *break_at; /**< in "tensors": the layer or node whose fusion should be split */
    bool realised; /**< in "names", if `as` is "autocast" or "modelopt": writes options
                        that make that tool choose the precisions of the engine */
};

/** Writes a view of the run: "reformats", "where", "inside", "names", ...
 *  @param format  a format that fsd_format_of(FSD_OF_VIEW) returns.
 *  @param style  may be NULL.
 *  @return FSD_OK; FSD_E_ARG for an unknown view or format, or a word that matches no
 *          name; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_diff_view(const struct fsd_diff *diff, const char *view,
                                      const struct fsd_query *query, const char *format,
                                      const struct fsd_style *style, FILE *out,
                                      struct fsd_error *err);

/* ------------------------------------------------------------- a run as data */

/*
 * The following functions return the data of a run, and do not change it.  Layers and
 * nodes have numbers from 0, as in reports, in the order of the engine and of the
 * model.  Links are sorted by layer, then by node.  Strings are valid until the run is
 * freed, and are NULL only where a comment states it.  A function fails only for a
 * number that is too large.  `size` is the sizeof of the caller's struct, because later
 * versions may add members at its end.
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
    const char *name, *type;  /**< the builder's name and type of the layer */
    const char *kind, *cause; /**< the kind of the layer, and the reason why the builder
                                   inserted it, as words of the report's schema; `cause`
                                   may be NULL */
    const char *precision;    /**< the precision, such as "int8"; NULL if unknown */
    const char *tactic;       /**< the name of the kernel; NULL if the engine states
                                   none */
    double ms;                /**< milliseconds per inference, the median of all
                                   profiles; negative if unknown */
    int64_t bytes, macs;      /**< `bytes`: bytes that the layer reads and writes per
                                   inference, without its bias; `macs`: the
                                   layer's multiply-adds per inference; both are
                                   negative if unknown */
    uint32_t first_link, n_links; /**< the number of the layer's first link, and the
                                       number of its links, which are consecutive */
    bool inserted;                /**< the layer computes no node of the model */
    bool opaque; /**< the layer is a region whose kernels the engine does not state.
                      The fusions and precisions of the region's nodes are unknown */
};

/** A node of the model. */
struct fsd_node_data {
    const char *name, *op; /**< the name ("" if it has none) and the operator */
    const char *domain;    /**< the domain of the operator; "" for ONNX's own */
    const char *fate,
        *why; /**< `fate`: the outcome, as a word of the report's schema; `why`: the
                   proof of the outcome in a few words, "" if it needs no proof */
    const char *requested,
        *realised;     /**< the type that the model requests, and the type in which the
                            engine computes the node; NULL if unknown */
    double ms;         /**< the node's share of the time of its layers, in milliseconds;
                            negative if unknown */
    int64_t macs;      /**< multiply-adds; negative if unknown */
    int64_t same_as;   /**< the number of the equal node with which the builder
                            merged this node; -1 if there is none */
    uint32_t n_layers; /**< the number of layers that compute the node; fsd_node_layer()
                            returns them */
};

/** A link: a layer computes a node. */
struct fsd_link_data {
    uint32_t layer, node;
    unsigned evidence; /**< a mask of enum fsd_evidence */
};

/** A finding: something that a reviewer should look at. */
struct fsd_finding_data {
    const char *rule; /**< the id of the rule, such as "inserted/reformat" */
    enum fsd_severity severity;
    const char *message;        /**< one line */
    uint32_t n_layers, n_nodes; /**< the numbers of layers and nodes of the finding;
                                     fsd_finding_subject() returns them */
    const char *todo; /**< the advice, one sentence; NULL if there is none.  Since
                           version 0.2 */
};

/** These four functions fill `out` with the i-th layer, node, link or finding, from 0.
 *  @return false, with `out` unchanged, if the run has fewer. */
FSD_API bool fsd_diff_layer(const struct fsd_diff *diff, uint32_t i,
                            struct fsd_layer_data *out, size_t size);
FSD_API bool fsd_diff_node(const struct fsd_diff *diff, uint32_t i,
                           struct fsd_node_data *out, size_t size);
FSD_API bool fsd_diff_link(const struct fsd_diff *diff, uint32_t i,
                           struct fsd_link_data *out, size_t size);
FSD_API bool fsd_diff_finding(const struct fsd_diff *diff, uint32_t i,
                              struct fsd_finding_data *out, size_t size);

/** A member (key and value) of a layer, a node or a finding in the JSON report. */
struct fsd_member {
    const char *key;
    const char *text; /**< the value as text; NULL: the value is in `number`, which
                           is 0 or 1 for a flag */
    double number;
};

/** A callback that receives a member of the i-th layer, node or finding.  The texts are
 *  valid until the callback returns. */
typedef void fsd_member_fn(void *payload, uint32_t i, const struct fsd_member *member);

/** Calls `take` for each member of all layers, nodes or findings, in the order of the
 *  report.  Members that are lists or objects are omitted.  Links have no members. */
FSD_API void fsd_diff_members(const struct fsd_diff *diff, enum fsd_part part,
                              fsd_member_fn *take, void *payload);

/** Returns the i-th layer that computes a node, from 0; UINT32_MAX if fewer layers
 *  compute it. */
FSD_API uint32_t fsd_node_layer(const struct fsd_diff *diff, uint32_t node, uint32_t i);

/** Returns the i-th layer or node of a finding, from 0; UINT32_MAX if the finding has
 *  fewer.  `part` selects layers or nodes; for another value, the result is
 *  UINT32_MAX. */
FSD_API uint32_t fsd_finding_subject(const struct fsd_diff *diff, uint32_t finding,
                                     enum fsd_part part, uint32_t i);

/* ------------------------------------------------------------------ comparing */

struct fsd_comparison;

/** Compares two builds of one network, from one export or from two.
 *  @param out  set to the comparison on success, to NULL on failure; free it with
 *              fsd_comparison_free().
 *  @param before,after  options as for fsd_diff_open().  A build may also consist of
 *              one file: a snapshot or a build log.  Only one of `model` and `engine`
 *              is then set, to the path of this file.  If `force` is set for a build,
 *              its model and its engine need not fit each other.  If after->force is
 *              set, the two builds need not be of one network.
 *  @param err  may be NULL.
 *  @return FSD_OK, or the status that `err` describes. */
FSD_API enum fsd_status fsd_comparison_open(struct fsd_comparison **out,
                                            const struct fsd_options *before,
                                            const struct fsd_options *after,
                                            struct fsd_error *err);

/** Frees a comparison.
 *  @param comparison  may be NULL. */
FSD_API void fsd_comparison_free(struct fsd_comparison *comparison);

/** Returns whether the builds differ.  Differences of these kinds do not count: times,
 *  tactics, the order of layers, names of layers, and names of tensors between
 *  layers. */
FSD_API bool fsd_comparison_differs(const struct fsd_comparison *comparison);

/** Writes a report on a comparison of two builds.
 *  @param format  a format that fsd_format_of(FSD_OF_COMPARISON) returns.
 *  @param style  may be NULL.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_comparison_write(const struct fsd_comparison *comparison,
                                             const char *format,
                                             const struct fsd_style *style, FILE *out,
                                             struct fsd_error *err);

struct fsd_models;

/** Compares two models without engines, such as two exports of one network.
 *  @param before,after  the paths of the ONNX models.
 *  @param force  continues even if the models seem to be different networks.
 *  @param out  set to the comparison on success, to NULL on failure; free it with
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

/** Writes a report on a comparison of two models.
 *  @param format  a format that fsd_format_of(FSD_OF_MODELS) returns.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_models_write(const struct fsd_models *models,
                                         const char *format,
                                         const struct fsd_style *style, FILE *out,
                                         struct fsd_error *err);

struct fsd_builds;

/** Compares several builds of one network with each other.
 *  @param out  set to the comparison on success, to NULL on failure; free it with
 *          fsd_builds_free().
 *  @param opt  the options of `n` builds, 2 to 26, each as for fsd_comparison_open().
 *  @return FSD_OK, or the status that `err` (which may be NULL) describes. */
FSD_API enum fsd_status fsd_builds_open(struct fsd_builds **out,
                                        const struct fsd_options *opt, unsigned n,
                                        struct fsd_error *err);

/** Frees a comparison of several builds.
 *  @param builds  may be NULL. */
FSD_API void fsd_builds_free(struct fsd_builds *builds);

/** Returns whether a build differs from the first one, as fsd_comparison_differs()
 *  defines it.  The result is also true if a build failed, or if incomplete data leaves
 *  open whether a build differs. */
FSD_API bool fsd_builds_differ(const struct fsd_builds *builds);

/** Writes a report on several builds.
 *  @param subject FSD_OF_MATRIX writes a table with a row for each group of nodes and a
 *                 column for each build; FSD_OF_STABILITY writes the differences, and
 *                 which builds have them.
 *  @param format  a format that fsd_format_of() returns for that subject.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_builds_write(const struct fsd_builds *builds,
                                         enum fsd_subject subject, const char *format,
                                         const struct fsd_style *style, FILE *out,
                                         struct fsd_error *err);

/* ---------------------------------------------------------------------- routes */

struct fsd_routing;

/** Compares builds of one network that differ in their options ("knobs"), and finds the
 *  effects of each knob.  With a cache, the knobs of a build are the values of its
 *  iteration in the cache.  Without a cache, the knobs of a build are the options in
 *  the build's log, the build's label, and the words "knob=value" in the name of the
 *  build's file or directory.
 *  @param cache  path of the file that a search over build options wrote (trtexec
 *               --tuningCacheFile); or NULL.  A build that belongs to no iteration of
 *               the cache is omitted, and `opt->note` receives a remark.
 *  @param opt   the options of `n` builds, at most 128, each as for
 *               fsd_comparison_open(); `n` may be 0 if there is a cache.
 *  @param out  set to the comparison on success, to NULL on failure; free it with
 *          fsd_routing_free().
 *  @return FSD_OK, or the status that `err` (which may be NULL) describes; FSD_E_ARG
 *          for fewer than two sets of options. */
FSD_API enum fsd_status fsd_routing_open(struct fsd_routing **out, const char *cache,
                                         const struct fsd_options *opt, unsigned n,
                                         struct fsd_error *err);

/** Frees the result of fsd_routing_open().
 *  @param routing  may be NULL. */
FSD_API void fsd_routing_free(struct fsd_routing *routing);

/** Writes a report on builds with several sets of options.
 *  @param format  a format that fsd_format_of(FSD_OF_ROUTES) returns.
 *  @param style  may be NULL.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_routing_write(const struct fsd_routing *routing,
                                          const char *format,
                                          const struct fsd_style *style, FILE *out,
                                          struct fsd_error *err);

/* ------------------------------------------------------- snapshots and the gate */

/** Writes a snapshot of a build: a text file with one line for each group of fused
 *  nodes.  It is meant to be committed and reviewed.  The same inputs give the same
 *  bytes.
 *  @param opt   options as for each build of fsd_comparison_open().  The times in the
 *               new snapshot come from opt->profiles.  If the build is itself given as
 *               a snapshot, they come from that snapshot.  `opt->note` receives a
 *               remark on layers without a time.
 *  @return FSD_OK, or the status that `err` (which may be NULL) describes. */
FSD_API enum fsd_status fsd_snapshot_make(const struct fsd_options *opt, FILE *out,
                                          struct fsd_error *err);

/** Writes one snapshot of several builds of one model.  It has the first build
 *  completely, and a variant for each difference of another build.  A check accepts
 *  the variants, too.  If a path in `opt` is itself a snapshot with variants, the new
 *  snapshot has these variants, too.
 *
 *  A variant may state fewer facts than the first build.  A check then accepts the
 *  variant only if the variant's build and the checked build have the same builder
 *  version.
 *  @param opt  the options of `n` builds, at least 1.  `opt[0].note` receives remarks
 *              on variants that state fewer facts, and on differences that are not
 *              written.
 *  @return as fsd_snapshot_make(); FSD_E_ARG for more than 26 builds, FSD_E_MISMATCH
 *          for a build of another model. */
FSD_API enum fsd_status fsd_snapshot_make_of(const struct fsd_options *opt, unsigned n,
                                             FILE *out, struct fsd_error *err);

/** Returns the number of builds in a snapshot; 0 if the file is no snapshot. */
FSD_API unsigned fsd_snapshot_builds(const char *path);

/** Writes the abilities of the library on this machine: its version, the files that it
 *  reads, the formats that it writes, and whether Graphviz can draw pictures.  The
 *  function runs Graphviz to find out.
 *  @param format  a format that fsd_format_of(FSD_OF_VIEW) returns.
 *  @param style,err  may be NULL.
 *  @return FSD_OK, FSD_E_WRITE, or FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_about(const char *format, const struct fsd_style *style,
                                  FILE *out, struct fsd_error *err);

/** Returns the name that is most similar to a misspelt word of at most 64 bytes; NULL
 *  if no name is similar, or if `names` is NULL. */
FSD_API const char *fsd_nearest_name(const char *word, const char *const *names,
                                     unsigned n);

/** Returns a day such as "2026-01-31" as the number 20260131; 0 if the text is no day
 * of the calendar.
 * */
FSD_API unsigned fsd_day_parse(const char *text);

/** Converts a number of seconds since 1970, such as "1769817600", to its day in UTC,
 *  such as 20260131.  SOURCE_DATE_EPOCH has this form.  Returns 0 if the text is no
 *  such number. */
FSD_API unsigned fsd_day_of_epoch(const char *seconds);

/** Options of a check.  Zero is the default of every field.  `snapshot` or `policy`
 * must be set. */
struct fsd_check_options {
    const char *snapshot; /**< path of the snapshot. If `snapshots` is set: path of the
                        directory of these snapshots, for messages. NULL: there is no
                        snapshot, and the check uses only rules of the policy that need
                        no snapshot */
    const char *const
        *snapshots; /**< paths of several snapshots; the check uses the snapshot for the
                         build's label, version and GPU */
    unsigned n_snapshots;
    const char *policy;  /**< path of the policy; NULL for the default policy */
    unsigned today;      /**< the current day, such as 20260131.  An ignore entry of the
                              policy has expired if its last day is earlier. 0: no
                              entry expires */
    bool accept;         /**< lets no rule fail; for callers that will rewrite the
                              snapshot */
    bool lint;           /**< also checks the model, as fsd_linting_open() does */
    const char *builder; /**< the builder for `lint`, as in struct fsd_lint_options */
};

struct fsd_check;

/** Checks a build against a snapshot.
 *  @param out   set to the check on success, to NULL on failure; free it with
 *               fsd_check_free().
 *  @param opt  options as for a build of fsd_comparison_open().  With `force`, the
 *               build and the snapshot need not be of one network.
 *  @param err   may be NULL.
 *  @return FSD_OK, whether the check passes or not; or the status that `err` describes:
 *          FSD_E_FORMAT, with the line number in `err`, for a damaged snapshot or
 *          policy; FSD_E_UNSUPPORTED for a snapshot of a later version; FSD_E_MISMATCH
 *          for a snapshot of another model; and all that fsd_diff_open() returns. */
FSD_API enum fsd_status fsd_check_open(struct fsd_check **out,
                                       const struct fsd_options *opt,
                                       const struct fsd_check_options *check,
                                       struct fsd_error *err);

/** Frees a check.
 *  @param check  may be NULL. */
FSD_API void fsd_check_free(struct fsd_check *check);

/** Frees all memory of a check except its verdict, so that a program that checks many
 *  builds needs memory for one of them only.  Afterwards, fsd_checks_write(),
 *  fsd_check_failed() and fsd_check_snapshot() still accept the check;
 *  fsd_check_write() and fsd_check_update() return FSD_E_ARG.
 *  @return FSD_OK; FSD_E_MEMORY, with the check unchanged. */
FSD_API enum fsd_status fsd_check_shrink(struct fsd_check *check,
                                         struct fsd_error *err);

/** Returns the path of the snapshot that the check used; NULL if it used none. */
FSD_API const char *fsd_check_snapshot(const struct fsd_check *check);

/** Returns whether the check failed: a rule that has the level "error" exceeds its
 *  budget. */
FSD_API bool fsd_check_failed(const struct fsd_check *check);

/** Writes a report on a check.
 *  @param format  a format that fsd_format_of(FSD_OF_CHECK) returns.
 *  @param style  may be NULL.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_check_write(const struct fsd_check *check,
                                        const char *format,
                                        const struct fsd_style *style, FILE *out,
                                        struct fsd_error *err);

/** One build in a list of checked builds. */
struct fsd_checked {
    const struct fsd_check *check; /**< the check of the build; NULL if the build could
                                        not be checked */
    const struct fsd_error *error; /**< the reason why the build could not be checked;
                                        ignored if `check` is not NULL */
    const char *label, *model,
        *engine; /**< label and paths of a build without a check; `label` and `engine`
                      may be NULL */
};

/** Writes the checks of several builds as one report: a table of all builds, and then
 *  each check that did not pass.
 *  @param format  a format that fsd_format_of(FSD_OF_CHECKS) returns.
 *  @param style  may be NULL.
 *  @return as fsd_check_write(). */
FSD_API enum fsd_status fsd_checks_write(const struct fsd_checked *builds, unsigned n,
                                         const char *format,
                                         const struct fsd_style *style, FILE *out,
                                         struct fsd_error *err);

/** Writes a snapshot with which the check would pass.  It has times if the build has
 *  times.
 *  @return as fsd_check_write(). */
FSD_API enum fsd_status fsd_check_update(const struct fsd_check *check, FILE *out,
                                         struct fsd_error *err);

/* ------------------------------------------------------------------- failed builds */

/** The reason why a build failed, the nodes at which it failed, and actions to try. */
struct fsd_failure;

/** Reads the log of a build that failed, and the model of the build.
 *  @param opt  `engine` is the path of the log.  `model` may be NULL; if the model
 *              cannot be read, the report states this.  The function reads no other
 *              inputs.
 *  @param out  receives what was read; NULL if this function fails; free it with
 *          fsd_failure_free().
 *  @param err  may be NULL.
 *  @return FSD_OK; FSD_E_FORMAT if the file is not the log of a failed build; FSD_E_IO;
 *          FSD_E_MEMORY. */
FSD_API enum fsd_status fsd_failure_open(struct fsd_failure **out,
                                         const struct fsd_options *opt,
                                         struct fsd_error *err);

/** Frees the result of fsd_failure_open().
 *  @param failure  may be NULL. */
FSD_API void fsd_failure_free(struct fsd_failure *failure);

/** Returns the reason why the build failed, as one sentence. */
FSD_API const char *fsd_failure_conclusion(const struct fsd_failure *failure);

/** Returns the builder that wrote the log, in the form of fsd_lint_options.builder. */
FSD_API const char *fsd_failure_builder(const struct fsd_failure *failure);

/** Returns the i-th node, from 0, of the part of the model that probably made the build
 *  fail.  A build of this part alone should fail, too.  The result is an entry for
 *  fsd_cut_options.nodes; NULL if there is no such node or if no model was read. */
FSD_API const char *fsd_failure_part(const struct fsd_failure *failure, unsigned i);

/** Writes a report on a failed build.
 *  @param format  a format that fsd_format_of(FSD_OF_FAILURE) returns; "html" needs a
 *                model that can be read.
 *  @param style  may be NULL.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_failure_write(const struct fsd_failure *failure,
                                          const char *format,
                                          const struct fsd_style *style, FILE *out,
                                          struct fsd_error *err);

/* ------------------------------------------------------------------------ linting */

/** Options of lint.  Zero is the default of every field. */
struct fsd_lint_options {
    const char *builder; /**< the builder whose rules apply, such as "trt8" or
                              "rtx-1.7:sm89"; NULL: the builder of the engine or,
                              without an engine, "rtx-1.7:sm89" */
    const char *policy;  /**< path of the policy; NULL for the default policy */
    unsigned today;      /**< the current day, such as 20260131. An ignore entry of the
                              policy has expired if its last day is earlier. 0: no
                              entry expires */
};

struct fsd_linting;

/** Checks a model before it is built.  If `opt` has an engine, the engine confirms or
 *  refutes each finding.
 *  @param out  set to the result on success, to NULL on failure; free it with
 *          fsd_linting_free().
 *  @param opt  options as for fsd_diff_open(), except that `engine` may be NULL and
 *              `model` must not be NULL.
 *  @param err  may be NULL.
 *  @return FSD_OK, or the status that `err` describes. */
FSD_API enum fsd_status fsd_linting_open(struct fsd_linting **out,
                                         const struct fsd_options *opt,
                                         const struct fsd_lint_options *lint,
                                         struct fsd_error *err);

/** Frees the result of fsd_linting_open().
 *  @param linting  may be NULL. */
FSD_API void fsd_linting_free(struct fsd_linting *linting);

/** Returns the number of findings whose severity is `least` or higher. */
FSD_API uint32_t fsd_linting_findings(const struct fsd_linting *linting,
                                      enum fsd_severity least);

/** Writes a report on the findings of lint.
 *  @param format  a format that fsd_format_of(FSD_OF_LINT) returns.
 *  @param style  may be NULL.
 *  @return as fsd_diff_write(). */
FSD_API enum fsd_status fsd_linting_write(const struct fsd_linting *linting,
                                          const char *format,
                                          const struct fsd_style *style, FILE *out,
                                          struct fsd_error *err);

/** Returns the run of the model, and of the engine if fsd_linting_open() read one. This
 *  run has the findings of a report, not the findings of lint. */
FSD_API const struct fsd_diff *fsd_linting_run(const struct fsd_linting *linting);

/** Writes all rules of lint.  For each rule, it writes the level, the inputs that the
 *  rule needs, the builders to which it applies, the reason, the advice, and the
 *  source. */
FSD_API enum fsd_status fsd_linting_list(const char *format,
                                         const struct fsd_style *style, FILE *out,
                                         struct fsd_error *err);

/** Writes the meaning of a word.  For a rule, it also writes why the rule matters, how
 *  to fix a finding, and how to accept one.
 *  @param word  the id of a rule; a word such as "kgen", which stands in names of
 *                layers; or a layer's name that contains such words.
 *  @param format  a format that fsd_format_of(FSD_OF_VIEW) returns.
 *  @param style  may be NULL.
 *  @return FSD_OK; FSD_E_ARG for an unknown word or format; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_explain(const char *word, const char *format,
                                    const struct fsd_style *style, FILE *out,
                                    struct fsd_error *err);

/** Writes the text of fsd_explain() for a rule; if `rule` is NULL, the text of
 * fsd_explain_all() for all rules. */
FSD_API enum fsd_status fsd_rule_explain(const char *rule, FILE *out,
                                         struct fsd_error *err);

enum fsd_vocabulary { FSD_WORDS_OF_RULES, FSD_WORDS_OF_ENGINES };

/** Writes all words of a vocabulary.  In the format "text", each word has one line.
 *  The other parameters and the result are as for fsd_explain(). */
FSD_API enum fsd_status fsd_explain_all(enum fsd_vocabulary of, const char *format,
                                        const struct fsd_style *style, FILE *out,
                                        struct fsd_error *err);

/** Writes the default policy as a file that users can edit.  A check with that file has
 *  the same result as a check without a policy.
 *  @return FSD_OK; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_policy_print(FILE *out, struct fsd_error *err);

/** Describes a build that `fusiondiff collect` ran.  Zero is the default of every
 * field. */
struct fsd_collected {
    const char *const *command; /**< the words of the command that ran: `given`,
                                     and options that `fusiondiff collect` added */
    unsigned n_command;
    const char *const *given; /**< the words of the command that the user gave */
    unsigned n_given;
    int status;        /**< the exit status of the command, or 128 plus the signal that
                            ended it */
    const char *model; /**< path of the build's ONNX model; NULL if unknown */
    const char *const *names, *const *values; /**< environment variables to record */
    unsigned n_environment;
};

/** Writes the details of a build as JSON, which docs/start.md describes: the command,
 *  the hash of the model, and the environment variables.  If the model cannot be read,
 *  the file has the reason in place of the hash.
 *  @return FSD_OK, or FSD_E_WRITE. */
FSD_API enum fsd_status fsd_collected_write(const struct fsd_collected *what, FILE *out,
                                            struct fsd_error *err);

/** Reads one input and writes its graph as sorted text.  Equal graphs give equal bytes.
 *  @param side  what to write:
 *              "model": the graph of `opt->model`.
 *              "shapes": the known shapes of the tensors in `opt->model`.
 *              "engine": the graph of `opt->engine`.  If `opt->model` is set, layer
 *              names are parsed with the names of the model.
 *              "log": for `opt->log`, the number of lines of each known form, and all
 *              lines of an unknown form.  If `opt->log` is NULL, `opt->engine` is the
 *              log.
 *  @return FSD_OK, or the status that `err` describes. */
FSD_API enum fsd_status fsd_dump(const char *side, const struct fsd_options *opt,
                                 FILE *out, struct fsd_error *err);

/** Returns the format with the name `name` ("text", "json").  If `name` is a path, the
 *  ending of the path determines the format.  The result is NULL if there is no such
 *  format.  The string is static.  Not every subject has every format. */
FSD_API const char *fsd_format_find(const char *name);

/** Returns whether a format is a picture.  `name` is the name of a format or a path, as
 * in fsd_format_find(). */
FSD_API bool fsd_format_draws(const char *name);

/** Returns whether reports in a format state the hashes of the files.  `name` is the
 *  name of a format or a path, as in fsd_format_find(). */
FSD_API bool fsd_format_hashes(const char *name);

/** Returns the name of the i-th format, from 0; NULL if there are fewer formats. */
FSD_API const char *fsd_format_at(unsigned i);

/** Returns the name of the i-th format, from 0, in which the reports of a subject can
 *  be written; NULL if there are fewer formats, and for a value that the enum does not
 *  have. */
FSD_API const char *fsd_format_of(enum fsd_subject subject, unsigned i);

#ifdef __cplusplus
}
#endif

#endif
