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
 * runs out if the machine has too little.  The function that runs out of it frees what
 * it allocated and returns FSD_E_MEMORY.
 *
 * What writes models is declared in <fusiondiff/edit.h>, which is installed where the
 * library was built with FSD_EDIT, as it is by default.
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

/** What went wrong, as far as a caller can act differently on it. */
enum fsd_status {
    FSD_OK,
    FSD_E_IO,          /**< a file cannot be opened or read */
    FSD_E_FORMAT,      /**< a file is not what it should be, or is damaged */
    FSD_E_LIMIT,       /**< a count, depth or size is over its limit */
    FSD_E_UNSUPPORTED, /**< a known kind of file that this program cannot read */
    FSD_E_MISMATCH,    /**< model and engine do not belong together */
    FSD_E_WRITE,       /**< a report cannot be written */
    FSD_E_ARG,         /**< an option or a combination of options makes no sense */
    FSD_E_MEMORY,      /**< there is no memory; what was made so far is freed */
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

/** For a program that has nothing to save: what shall end the process when memory runs
 *  out, in all threads; NULL, the default: FSD_E_MEMORY is returned.
 *  @param end  must not return, and must not need memory. */
FSD_API void fsd_on_out_of_memory(void (*end)(void));

/** Whether the files that are opened from now on, in all threads, are mapped: a log or
 *  a dump of any size takes no memory of its own then, and is not copied.
 *  The first one sets a handler of SIGBUS, which comes when another program cuts a file
 *  that is being read: that run ends with FSD_E_IO.  A SIGBUS of any other origin goes
 *  on to the handler that was there before.  False is the default. */
FSD_API void fsd_map_files(bool mapped);

/** A stream into memory, to have a report there.  As open_memstream(), which drops what
 *  it has no memory for and tells nobody.
 *  @param[out] text,size  set by fclose(); `text` ends with a zero that `size` does not
 *                         count, and is the caller's to free(); NULL where there was no
 *                         memory, which fclose() reports as EOF.
 *  @return NULL where there is no memory. */
FSD_API FILE *fsd_memory_open(char **text, size_t *size);

/* ----------------------------------------------------------------- options */

/** Why a layer and a node are believed to belong together; bits of a mask,
 *  the strongest first. */
enum fsd_evidence {
    FSD_BY_METADATA = 1 << 0,  /**< the engine's own "[ONNX Layer: x]" */
    FSD_BY_NAME = 1 << 1,      /**< x stands in the layer's name */
    FSD_BY_LOG = 1 << 2,       /**< the builder's log says so */
    FSD_BY_TENSOR = 1 << 3,    /**< x lies between the layer's boundary tensors */
    FSD_BY_STRUCTURE = 1 << 4, /**< nothing else fits */
    FSD_BY_PATH = 1 << 5,      /**< x lies on a path between nodes in the layer's name:
                                    stronger than STRUCTURE */
    FSD_BY_ALL = (1 << 6) - 1
};

enum fsd_severity { FSD_INFO, FSD_WARNING, FSD_ERROR, FSD__SEVERITY_COUNT };

/** Told when a stage of a run begins ("matching"); must not call back into the run. */
typedef void fsd_progress_fn(void *payload, const char *stage);

/** Told what no report would say: what a writer decided on its own ("too large: drawn
 *  with ..."), or that the inputs of a snapshot may not belong together.  One line
 *  without a newline; must not call back into the run. */
typedef void fsd_note_fn(void *payload, const char *message);

/** A file that is in memory, under the name by which others would be opened. */
struct fsd_memory {
    const char *path;
    const void *bytes;
    size_t size;
};

/** What this thread opens by one of these paths from now on, in whichever function, is
 *  read from memory.
 *  @param files  borrowed, with their bytes, until the next call; NULL, whatever `n`
 *                is: none is in memory any more. */
FSD_API void fsd_use_memory(const struct fsd_memory *files, size_t n);

/** A file that the caller reads, under the name by which others would be opened. */
struct fsd_file_reader {
    const char *path;
    uint64_t size;
    /** Reads bytes of it, in any order and possibly again.
     *  @return false where they cannot be read: what needs them ends with FSD_E_IO. */
    bool (*read)(void *payload, uint64_t offset, void *to, size_t n);
    void *payload; /**< handed to it */
};

/** What this thread opens by one of these paths from now on, in whichever function, is
 *  read by these functions, in windows of 64 KiB: of a model only its graph.
 *  @param files  borrowed until the next call; NULL, whatever `n` is: the caller reads
 *                none any more.  fsd_use_memory() goes first. */
FSD_API void fsd_use_readers(const struct fsd_file_reader *files, size_t n);

/** Lays out a picture, which Graphviz's DOT describes.
 *  @return false where that cannot be done, with nothing written. */
typedef bool fsd_layout_fn(void *payload, const char *dot, const char *format,
                           FILE *out);

/** Whatever this thread draws from now on is laid out by a function of the caller's
 *  instead of a child process.
 *  @param layout  NULL: Graphviz lays out again, where the library has it. */
FSD_API void fsd_use_layout(fsd_layout_fn *layout, void *payload);

/** The files that one run, or several, have opened, and the external weights of their
 *  models: what a program asks before it writes an output.  A file is known by device
 *  and inode, under whichever name.  Several threads may use one list at once. */
struct fsd_opened;

/** @return an empty list, which fsd_opened_free() frees; NULL where there is no
 *          memory. */
FSD_API struct fsd_opened *fsd_opened_new(void);

/** @param opened  no thread may still record into it; may be NULL. */
FSD_API void fsd_opened_free(struct fsd_opened *opened);

/** Whatever this thread opens from now on, in whichever function, is put onto the list.
 *  What fsd_file_kind() and fsd_snapshot_builds() look at is not, but for files of a
 *  build: a model, an engine, a log, times.
 *  @param opened  borrowed until the next call; NULL: nothing is recorded any more.
 *  @return the list that was set before; NULL: none was. */
FSD_API struct fsd_opened *fsd_opened_record(struct fsd_opened *opened);

/** Puts a file onto the list that is going to be read.
 *  @param path  "-" is standard input; a missing file is left out.
 *  @return false where there is no memory. */
FSD_API bool fsd_opened_add(struct fsd_opened *opened, const char *path);

/** Whether the file behind a path is on the list, so that an output of that path would
 *  replace an input.
 *  @param path  "-" is standard output. */
FSD_API bool fsd_opened_has(struct fsd_opened *opened, const char *path);

/*
 * A list that is NULL with a count above 0, or has a NULL among its texts, a value that
 * an enum does not have and a bit that a mask does not have are refused with FSD_E_ARG,
 * here and in all other structs and arguments; functions that return no status say what
 * they return.
 */

/** Zero is the default of every field. */
struct fsd_options {
    const char *model;  /**< path of the ONNX model, or of a build log that holds its
                             nodes; "-" reads standard input; NULL: what `engine` tells
                             of the model's nodes */
    const char *engine; /**< path of the engine dump or build log; "-" as above */
    unsigned engine_number;      /**< which engine of a log, from 1; 0: its only one */
    unsigned opt_profile;        /**< which optimization profile of an engine that has
                                      several, from 1: the builder's number and one; 0:
                                      the first that it shows */
    const char *log;             /**< a build log beside the dump; NULL */
    const char *const *profiles; /**< of the same engine: layer times */
    unsigned n_profiles;
    const char *times;         /**< trtexec --exportTimes; NULL */
    const char *const *shapes; /**< "input=1x3x224x224", for dynamic dimensions */
    unsigned n_shapes;
    double peak_gb_s, peak_top_s; /**< of the device, for the roofline; 0: not known */
    unsigned evidence;            /**< mask of enum fsd_evidence; 0 means all */
    bool force;                   /**< go on though model and engine do not fit */
    fsd_progress_fn *progress;    /**< NULL: nobody wants to know */
    fsd_note_fn *note;            /**< the same */
    void *payload;                /**< handed to both */
    const char *label; /**< of snapshots and checks: what the build is for, as "sm86";
                            NULL: nobody says */
    /** Numbers from outside: a table (CSV, JSON), one set of tensors (npz, outputs that
     *  Polygraphy saved), or two, the reference first.  docs/wrong-result.md defines
     *  what is measured. */
    const char *const *values;
    unsigned n_values;   /**< 0 to 2 */
    double values_limit; /**< the relative L2 error from which on one counts; 0: 0.01 */
    const char *const *parts; /**< engines that compute a part each of `model`, which
                                   is then needed; `engine` is the first of them.  A
                                   profile is of the engine whose layers it names;
                                   engines with the same layers take theirs in order */
    unsigned n_parts;
    bool uncited; /**< findings do not cite what lint proposes, which takes time: for
                       reports without findings, such as pictures */
    bool values_rows; /**< of one set of tensors, each row of a batch is compared with
                           the one before it: rows that are equal at the input */
    bool unlisted;    /**< `engine` may be a build log that lists no layers: for what it
                        states of the build itself, as the view "buildtime" */
};

/** What a picture shows (dot, svg, png, pdf).  Zero is the default of every field.
 *  svg, png and pdf are laid out in a child process (fork), which is killed when its
 *  time is over; callers that handle SIGCHLD see it. */
struct fsd_picture {
    const char *around; /**< name or glob of nodes or layers: only what is near them */
    unsigned depth;     /**< steps that are near; 0: one */
    const char *only; /**< "reformats", "changes" or "precision": what is near those */
    const char *color_by;  /**< "precision", "time", "kind" or "fusion"; NULL: this */
    const char *collapse;  /**< "none", "run" or "scope:N"; NULL: as far as needed */
    const char *label;     /**< what is written below a layer's name: some of "ms",
                                "bytes" and "tactic", separated by commas; NULL: the
                                first two */
    double layout_seconds; /**< processor time for svg, png, pdf; not above 0: 30 */
    fsd_note_fn *note;     /**< NULL: nobody wants to know */
    void *payload;         /**< handed to `note` */
};

/** How a report looks.  Zero is the default of every field. */
struct fsd_style {
    bool color;                        /**< ANSI colours */
    bool all;                          /**< unfold runs of ordinary layers */
    bool tactics;                      /**< of comparisons: tell other tactics, too */
    bool one_column;                   /**< never put nodes beside layers */
    unsigned width;                    /**< columns of the terminal; 0 means 100 */
    const struct fsd_picture *picture; /**< NULL: all that can be drawn */
};

/** What a file is, by its content. */
enum fsd_file_kind {
    FSD_FILE_OTHER, /**< nothing of these, or nobody can be sure */
    FSD_FILE_MODEL,
    FSD_FILE_ENGINE,  /**< a dump of layers that can be read */
    FSD_FILE_LOG,     /**< a verbose build log */
    FSD_FILE_PROFILE, /**< times of layers */
    FSD_FILE_TIMES,   /**< times of whole runs */
    FSD_FILE_SNAPSHOT,
    FSD_FILE_TUNING,   /**< what a search over build options found */
    FSD_FILE_METADATA, /**< options and device of a build, as trt-engine-explorer notes
                            them: read in place of a log */
    FSD__FILE_KIND_COUNT
};

/** Looks at the beginning of a file; "-" and what cannot be opened is
 *  FSD_FILE_OTHER. */
FSD_API enum fsd_file_kind fsd_file_kind(const char *path);

/** Whether a file is an ONNX model.  One that ONNX Runtime optimized is a model, and an
 *  engine, as which fsd_file_kind() knows it.  "-" and what cannot be opened is
 *  none. */
FSD_API bool fsd_file_is_model(const char *path);

/** "an ONNX model", as messages call it; "another kind of file", for any other value,
 *  too. */
FSD_API const char *fsd_file_kind_noun(enum fsd_file_kind kind);

/** What reports tell of, each by a function of its own: fsd_diff_write(),
 *  fsd_comparison_write(), fsd_check_write(), fsd_diff_view(), fsd_linting_write(),
 *  fsd_failure_write(). */
enum fsd_subject {
    FSD_OF_RUN,
    FSD_OF_COMPARISON,
    FSD_OF_CHECK,
    FSD_OF_VIEW,
    FSD_OF_LINT,
    FSD_OF_MATRIX,    /**< several builds, fsd_builds_write() */
    FSD_OF_STABILITY, /**< what varies among them, likewise */
    FSD_OF_MODELS,    /**< two models without engines, fsd_models_write() */
    FSD_OF_CHECKS,    /**< the checks of a list of builds, fsd_checks_write() */
    FSD_OF_ROUTES,    /**< builds by several sets of options, fsd_routing_write() */
    FSD_OF_FAILURE,   /**< a build that failed, fsd_failure_write() */
    FSD__SUBJECT_COUNT
};

/** The file that a build's directory has until all of the build is there. */
#define FSD_UNFINISHED "UNFINISHED"

/** The files of one build that a directory holds. */
struct fsd_directory;
struct fsd_check_options;

/** Where a directory was given for all files of a build, or for all but the model, puts
 *  these into their places, as far as `opt` names no others, and tells `opt->note`
 *  which were taken for what.  Files are recognized by content; those of other kinds,
 *  and what begins with a dot, are ignored.
 *  @param out     what `opt` then points into, to be freed behind its last use; NULL
 *                 where no directory was given, and after a failure.
 *  @param opt     a directory as `engine`, which then holds an engine; or as `model`
 *                 where `engine` is NULL.
 *  @param follow  links in it that lead out of it are followed; false: only the one to
 *                 a model that `fusiondiff collect` made.
 *  @return FSD_OK, also where no directory was given; FSD_E_ARG when it does not hold
 *          one build, or not all of it; FSD_E_IO. */
FSD_API enum fsd_status fsd_directory_open(struct fsd_directory **out,
                                           struct fsd_options *opt, bool follow,
                                           struct fsd_error *err);

/** Where the snapshot of a check is a directory, lists those in it as its `snapshots`.
 *  @param out  as for fsd_directory_open(), but that it is set after a failure, too.
 *  @return FSD_OK, also where it is none; FSD_E_ARG where there is no snapshot in it,
 *          or too many, or one is a link that leads out; FSD_E_IO. */
FSD_API enum fsd_status fsd_directory_snapshots(struct fsd_directory **out,
                                                struct fsd_check_options *check,
                                                bool follow, struct fsd_error *err);

/** Lists the builds that a directory holds, by name: each a directory or a snapshot of
 *  its own, or one model and its engines.
 *  @param out  as for fsd_directory_snapshots().
 *  @return FSD_OK; FSD_E_ARG for two models, or a link that leads out; FSD_E_IO. */
FSD_API enum fsd_status fsd_directory_builds(struct fsd_directory **out,
                                             const char *path, bool follow,
                                             struct fsd_error *err);

/** The i-th of them.
 *  @param[out] model   "": there is none.
 *  @param[out] engine  "": `model` is a directory or a snapshot.
 *  @return false past the last. */
FSD_API bool fsd_directory_build(const struct fsd_directory *directory, uint32_t i,
                                 const char **model, const char **engine);

/** @param directory may be NULL. */
FSD_API void fsd_directory_free(struct fsd_directory *directory);

/** Whether a path is a symbolic link to something outside of its folder: where others
 *  have made it, it may lead anywhere.
 *  @param[out] to  where it leads, cut to `size` bytes with the closing zero. */
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

/** @param diff may be NULL. */
FSD_API void fsd_diff_free(struct fsd_diff *diff);

/** The number of findings at or above a severity; 0 for what is none. */
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

/** Writes one pair of many as a line of JSON, after pair.schema.json.
 *  @param pair     what the pair is called in its line; NULL: the schema of a line is
 *                  written in its place.
 *  @param diff     its run; NULL: there is none.
 *  @param failure  why there is none; NULL where there is one.  With neither the line
 *                  tells the name alone: but for its last brace every line of the pair
 *                  begins so.
 *  @return as fsd_diff_write(). */
FSD_API enum fsd_status fsd_pair_write(const char *pair, const struct fsd_diff *diff,
                                       const struct fsd_error *failure, FILE *out,
                                       struct fsd_error *err);

/** What one question is about.  Zero is the default of every field. */
struct fsd_query {
    const char *const *words; /**< names or globs of nodes or layers */
    unsigned n_words;
    bool layers;              /**< the words name layers where nodes are the default */
    unsigned top;             /**< so many at most; 0: all */
    double min_ms, min_share; /**< leave out what costs less; share from 0 to 1 */
    unsigned depth;           /**< of name scopes; 0: a useful one */
    const char *not_type;     /**< "int8": what runs in another type */
    const char *by;           /**< "nodes": what is ranked; NULL: layers */
    const char *as;           /**< form of a list of names */
    const char *check;        /**< path of a list of names to check */
    uint32_t *unmatched; /**< set to how many names of `check` match nothing; NULL */
    uint32_t *left_out;  /**< set to how many names the form cannot hold, which the text
                             leaves out; NULL: nobody wants to know */
    const char *finding; /**< of names: a rule, for the nodes of its findings alone */
    const char *rank_by; /**< of top: a column of fsd_options.values; NULL: times */
    bool only_free;      /**< of tensors: those that change no fusion when marked */
    const char
        *break_at; /**< of tensors: the layer or node whose fusion is to be split */
    bool realised; /**< of names: as autocast and modelopt, all that these tools
                              need to choose as the engine did */
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
 * Layers and nodes have numbers from 0, those that reports print, in the order of the
 * engine and of the model; links are sorted by layer, then node.  All strings are
 * zero-terminated, valid as long as the run, and never NULL but where it is said.  None
 * of these functions changes the run or fails but by a number past the last.  `size` is
 * the sizeof of the caller's struct: later versions add members at its end.
 */

enum fsd_part {
    FSD_PART_LAYERS,
    FSD_PART_NODES,
    FSD_PART_LINKS,
    FSD_PART_FINDINGS,
    FSD__PART_COUNT
};

/** How many there are in a run; 0 for an unknown part. */
FSD_API uint32_t fsd_diff_count(const struct fsd_diff *diff, enum fsd_part part);

/** A layer of the engine. */
struct fsd_layer_data {
    const char *name, *type;  /**< as the builder calls them */
    const char *kind, *cause; /**< words of the report's schema; cause: NULL, none */
    const char *precision;    /**< "int8"; NULL: not known */
    const char *tactic;       /**< NULL: not told */
    double ms;                /**< of one run, the median; negative: not known */
    int64_t bytes, macs;      /**< read and written once, without the bias;
                                   multiply-adds; negative: no number is known */
    uint32_t first_link, n_links; /**< the links of this layer stand together */
    bool inserted;                /**< computes no node */
    bool opaque; /**< a region whose inside the engine does not state: with what its
                      nodes are fused, and in which precision they run, is unknown */
};

/** A node of the model. */
struct fsd_node_data {
    const char *name, *op; /**< name: "" where it has none */
    const char *domain;    /**< "" for ONNX's own operators */
    const char *fate,
        *why; /**< why: the proof in a few words; "" where there is none */
    const char *requested, *realised; /**< types; NULL: not known */
    double ms;         /**< its part of its layers' times; negative: not known */
    int64_t macs;      /**< negative: no number is known */
    int64_t same_as;   /**< merged: the node that it duplicates; -1 */
    uint32_t n_layers; /**< that compute it: fsd_node_layer() */
};

/** That a layer computes a node. */
struct fsd_link_data {
    uint32_t layer, node;
    unsigned evidence; /**< mask of enum fsd_evidence */
};

/** What a reviewer should look at. */
struct fsd_finding_data {
    const char *rule; /**< "inserted/reformat" */
    enum fsd_severity severity;
    const char *message;        /**< one line */
    uint32_t n_layers, n_nodes; /**< that it is about: fsd_finding_subject() */
};

/** Fills `out` with the i-th.
 *  @return false when there are not so many; `out` is then as it was. */
FSD_API bool fsd_diff_layer(const struct fsd_diff *diff, uint32_t i,
                            struct fsd_layer_data *out, size_t size);
FSD_API bool fsd_diff_node(const struct fsd_diff *diff, uint32_t i,
                           struct fsd_node_data *out, size_t size);
FSD_API bool fsd_diff_link(const struct fsd_diff *diff, uint32_t i,
                           struct fsd_link_data *out, size_t size);
FSD_API bool fsd_diff_finding(const struct fsd_diff *diff, uint32_t i,
                              struct fsd_finding_data *out, size_t size);

/** What is known of a layer, a node or a finding, as the JSON report has it. */
struct fsd_member {
    const char *key;
    const char *text; /**< NULL: the value is `number`, of a flag 0 or 1 */
    double number;
};

/** Told of the i-th; texts are valid until it returns. */
typedef void fsd_member_fn(void *payload, uint32_t i, const struct fsd_member *member);

/** Tells `take` of each member of all layers, nodes or findings, in the report's order,
 *  but of those that are lists or objects; of links and unknown parts nothing. */
FSD_API void fsd_diff_members(const struct fsd_diff *diff, enum fsd_part part,
                              fsd_member_fn *take, void *payload);

/** The i-th layer that computes a node; UINT32_MAX past the last. */
FSD_API uint32_t fsd_node_layer(const struct fsd_diff *diff, uint32_t node, uint32_t i);

/** The i-th layer, or node, that a finding is about; UINT32_MAX past the last, and for
 *  another part. */
FSD_API uint32_t fsd_finding_subject(const struct fsd_diff *diff, uint32_t finding,
                                     enum fsd_part part, uint32_t i);

/* ------------------------------------------------------------------ comparing */

struct fsd_comparison;

/** Runs all passes over two builds, of the same network or two exports of it, and
 *  compares what the builder made of them.
 *  @param out  set to the comparison on success, to NULL on failure; free it with
 *              fsd_comparison_free().
 *  @param before,after  each as for fsd_diff_open(), or with one of `model` and
 *              `engine` only: a snapshot, or a build log.  `force` goes on with the
 *              pair that it is of; that of `after` compares what seems to be two
 *              networks, too.
 *  @param err  may be NULL.
 *  @return FSD_OK, or the status that `err` describes. */
FSD_API enum fsd_status fsd_comparison_open(struct fsd_comparison **out,
                                            const struct fsd_options *before,
                                            const struct fsd_options *after,
                                            struct fsd_error *err);

/** @param comparison may be NULL. */
FSD_API void fsd_comparison_free(struct fsd_comparison *comparison);

/** True when the builds differ in anything but times, tactics, names of layers and of
 *  tensors inside, and the order of layers. */
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
 *  @param force        go on though they seem to be two networks.
 *  @param out          set on success, to NULL on failure; free it with
 *                      fsd_models_free().
 *  @return FSD_OK, or the status that `err` (which may be NULL) describes. */
FSD_API enum fsd_status fsd_models_open(struct fsd_models **out, const char *before,
                                        const char *after, bool force,
                                        struct fsd_error *err);

/** @param models may be NULL. */
FSD_API void fsd_models_free(struct fsd_models *models);

/** True when anything but names, weights and the order of nodes is another. */
FSD_API bool fsd_models_differ(const struct fsd_models *models);

/** Writes one report.
 *  @param format one that fsd_format_of(FSD_OF_MODELS) gives.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_models_write(const struct fsd_models *models,
                                         const char *format,
                                         const struct fsd_style *style, FILE *out,
                                         struct fsd_error *err);

struct fsd_builds;

/** Runs all passes over several builds of one network, and puts them beside each other.
 *  @param out  set on success, to NULL on failure; free it with fsd_builds_free().
 *  @param opt  `n` of them, from 2 to 26, each as for fsd_comparison_open().
 *  @return FSD_OK, or the status that `err` (which may be NULL) describes. */
FSD_API enum fsd_status fsd_builds_open(struct fsd_builds **out,
                                        const struct fsd_options *opt, unsigned n,
                                        struct fsd_error *err);

/** @param builds may be NULL. */
FSD_API void fsd_builds_free(struct fsd_builds *builds);

/** True when one of them differs from the first, as fsd_comparison_differs() says, or
 *  is not known not to. */
FSD_API bool fsd_builds_differ(const struct fsd_builds *builds);

/** Writes one report.
 *  @param subject FSD_OF_MATRIX: one row what computes some nodes, one column a build;
 *                 FSD_OF_STABILITY: what varies, and in which builds it is how.
 *  @param format  one that fsd_format_of() gives for that subject.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_builds_write(const struct fsd_builds *builds,
                                         enum fsd_subject subject, const char *format,
                                         const struct fsd_style *style, FILE *out,
                                         struct fsd_error *err);

/* ---------------------------------------------------------------------- routes */

struct fsd_routing;

/** Runs all passes over builds of one network that differ in options ("knobs"), and
 *  finds what each knob does.  The values of a build's knobs are those of the cache's
 *  iteration that it is of, or else what its log states of how it was built, its label,
 *  and words "knob=value" in the name of its file or directory.
 *  @param cache what a search over build options found (trtexec --tuningCacheFile);
 *               builds that are no iteration of it are left out, and `opt->note` hears
 *               so; NULL: none.
 *  @param opt   `n` of them, at most 128, each as for fsd_comparison_open(); `n` may be
 *               0 beside a cache.
 *  @param out   set on success, to NULL on failure; free it with fsd_routing_free().
 *  @return FSD_OK, or the status that `err` (which may be NULL) describes; FSD_E_ARG
 *          for fewer than two routes. */
FSD_API enum fsd_status fsd_routing_open(struct fsd_routing **out, const char *cache,
                                         const struct fsd_options *opt, unsigned n,
                                         struct fsd_error *err);

/** @param routing may be NULL. */
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

/** Runs all passes and writes what a gate needs as a text file, one line a fusion
 *  group, to be committed and reviewed; the same bytes for the same inputs.
 *  @param opt   as for each side of fsd_comparison_open().
 *               Milliseconds are kept where there are any: of profiles, or of a
 *               snapshot as input; `opt->note` hears of layers that have none.
 *  @return FSD_OK, or the status that `err` (which may be NULL) describes. */
FSD_API enum fsd_status fsd_snapshot_make(const struct fsd_options *opt, FILE *out,
                                          struct fsd_error *err);

/** The same of several builds of one model: the first one, and what the others have
 *  otherwise, which a check then takes as well.  A build that is such a snapshot brings
 *  its own others along.
 *  @param opt   `n` of them, at least 1; the first one's `note` hears what of a build
 *               is not kept, since a check that took it would let pass what is not
 *               known.
 *  @return as fsd_snapshot_make(); FSD_E_ARG for more than 26 builds, FSD_E_MISMATCH
 *          for a build of another model. */
FSD_API enum fsd_status fsd_snapshot_make_of(const struct fsd_options *opt, unsigned n,
                                             FILE *out, struct fsd_error *err);

/** How many engines a build log holds; 0: the file has none, is not a log or cannot be
 *  read. */
FSD_API unsigned fsd_engines_in_log(const char *path);

/** How many builds a snapshot is of; 0: the file is none. */
FSD_API unsigned fsd_snapshot_builds(const char *path);

/** Writes what the program can do here: its version, the builders' files that it reads,
 *  the formats it writes, and whether Graphviz draws (which is tried).
 *  @param format one that fsd_format_of(FSD_OF_VIEW) gives.
 *  @param style,err  may be NULL.
 *  @return FSD_OK, FSD_E_WRITE, or FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_about(const char *format, const struct fsd_style *style,
                                  FILE *out, struct fsd_error *err);

/** The name that a user may have meant by a word that is none of them, of at most 64
 *  bytes; NULL: none is near, or `names` is NULL. */
FSD_API const char *fsd_nearest_name(const char *word, const char *const *names,
                                     unsigned n);

/** "2026-01-31" as 20260131; 0 when the text is no day of the calendar. */
FSD_API unsigned fsd_day_parse(const char *text);

/** The same of the day, in UTC, of "1769817600" seconds since 1970, which is how
 *  SOURCE_DATE_EPOCH tells it; 0 when the text is no such number. */
FSD_API unsigned fsd_day_of_epoch(const char *seconds);

/** Zero is the default of every field; one of `snapshot` and `policy` is needed. */
struct fsd_check_options {
    const char *snapshot; /**< path of the snapshot to check against; where there are
                               `snapshots`, of what holds them, for messages; NULL: only
                               what the policy promises of any build is checked */
    const char *const *snapshots; /**< several: the one that is for the build's version
                                       and GPU is taken */
    unsigned n_snapshots;
    const char *policy;  /**< path of the policy; NULL: the default one */
    unsigned today;      /**< 20260131, for ignores that expire; 0: none has expired */
    bool accept;         /**< nothing fails: the snapshot is to be rewritten */
    bool lint;           /**< the model is judged, too, as fsd_linting_open() does */
    const char *builder; /**< for whom; as in struct fsd_lint_options */
};

struct fsd_check;

/** Runs all passes over a build and checks it against a snapshot.
 *  @param out   set to the check on success, to NULL on failure; free it with
 *               fsd_check_free().
 *  @param opt   as for each side of fsd_comparison_open(); its `force` checks what
 *               seems to be another network, too.
 *  @param err   may be NULL.
 *  @return FSD_OK, whether the check passes or not; or the status that `err`
 *          describes: FSD_E_FORMAT with a line for a damaged snapshot or policy,
 *          FSD_E_UNSUPPORTED for a snapshot of a later version, FSD_E_MISMATCH for one
 *          of another model, and all that fsd_diff_open() returns. */
FSD_API enum fsd_status fsd_check_open(struct fsd_check **out,
                                       const struct fsd_options *opt,
                                       const struct fsd_check_options *check,
                                       struct fsd_error *err);

/** @param check may be NULL. */
FSD_API void fsd_check_free(struct fsd_check *check);

/** Releases all of the check but its verdict, which fsd_checks_write(),
 *  fsd_check_failed() and fsd_check_snapshot() still have: of many builds only one is
 *  then in memory at a time.  fsd_check_write() and fsd_check_update() refuse it with
 *  FSD_E_ARG.
 *  @return FSD_OK; FSD_E_MEMORY, with the check as it was. */
FSD_API enum fsd_status fsd_check_shrink(struct fsd_check *check,
                                         struct fsd_error *err);

/** The path of the snapshot that was checked against; as long as the check lives. */
FSD_API const char *fsd_check_snapshot(const struct fsd_check *check);

/** True when a rule of level error is over its budget. */
FSD_API bool fsd_check_failed(const struct fsd_check *check);

/** Writes one report.
 *  @param format one that fsd_format_of(FSD_OF_CHECK) gives.
 *  @param style  may be NULL.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for a format that
 *          checks are not written in. */
FSD_API enum fsd_status fsd_check_write(const struct fsd_check *check,
                                        const char *format,
                                        const struct fsd_style *style, FILE *out,
                                        struct fsd_error *err);

/** One build of a list: its check, or why there is none. */
struct fsd_checked {
    const struct fsd_check *check;      /**< NULL: the build could not be checked */
    const struct fsd_error *error;      /**< why; looked at where there is no check */
    const char *label, *model, *engine; /**< what such a build is called; may be NULL,
                                             but for `model` */
};

/** Writes the checks of several builds as one report: a table of all, and each that did
 *  not pass.
 *  @param format one that fsd_format_of(FSD_OF_CHECKS) gives.
 *  @param style  may be NULL.
 *  @return as fsd_check_write(). */
FSD_API enum fsd_status fsd_checks_write(const struct fsd_checked *builds, unsigned n,
                                         const char *format,
                                         const struct fsd_style *style, FILE *out,
                                         struct fsd_error *err);

/** Writes the snapshot that would make the check pass; with times where the build has
 *  them.  The errors are those of fsd_check_write(). */
FSD_API enum fsd_status fsd_check_update(const struct fsd_check *check, FILE *out,
                                         struct fsd_error *err);

/* ------------------------------------------------------------------- failed builds */

/** A build that failed: why, at which nodes, and what to try. */
struct fsd_failure;

/** Reads the log of a build that failed, and the model beside it.
 *  @param opt  `engine` is the log; `model` may be NULL, and may be a file that cannot
 *              be read, which is then reported as such; other inputs are not read.
 *  @param out  set on success, to NULL on failure; free it with fsd_failure_free().
 *  @param err  may be NULL.
 *  @return FSD_OK; FSD_E_FORMAT for what is no log of a failed build, as one whose
 *          build succeeded; FSD_E_IO, FSD_E_MEMORY. */
FSD_API enum fsd_status fsd_failure_open(struct fsd_failure **out,
                                         const struct fsd_options *opt,
                                         struct fsd_error *err);

/** @param failure may be NULL. */
FSD_API void fsd_failure_free(struct fsd_failure *failure);

/** The conclusion: one sentence, as long as the failure lives. */
FSD_API const char *fsd_failure_conclusion(const struct fsd_failure *failure);

/** The builder that the log is of, as struct fsd_lint_options takes it; as long as the
 *  failure lives. */
FSD_API const char *fsd_failure_builder(const struct fsd_failure *failure);

/** The i-th node to cut out of the model so that the part fails alone, as struct
 *  fsd_cut_options takes it; NULL past the last, and where no node is known or no model
 *  was read.  As long as the failure lives. */
FSD_API const char *fsd_failure_part(const struct fsd_failure *failure, unsigned i);

/** Writes one report.
 *  @param format one that fsd_format_of(FSD_OF_FAILURE) gives; a page needs a model
 *                that could be read.
 *  @param style  may be NULL.
 *  @return FSD_OK, FSD_E_WRITE when the stream fails, FSD_E_ARG for another format. */
FSD_API enum fsd_status fsd_failure_write(const struct fsd_failure *failure,
                                          const char *format,
                                          const struct fsd_style *style, FILE *out,
                                          struct fsd_error *err);

/* ------------------------------------------------------------------------ linting */

/** Zero is the default of every field. */
struct fsd_lint_options {
    const char *builder; /**< for whom the model is judged: "trt8", "rtx-1.7:sm89";
                              NULL: who made the engine, else rtx-1.7:sm89 */
    const char *policy;  /**< path of the policy; NULL: the default one */
    unsigned today;      /**< 20260131, for ignores that expire; 0: none has expired */
};

struct fsd_linting;

/** Judges a model before its build; with an engine each finding is confirmed or
 *  withdrawn by what was built.
 *  @param out  set on success, to NULL on failure; free it with fsd_linting_free().
 *  @param opt  as for fsd_diff_open(), but that its `engine` may be NULL and its
 *              `model` may not.
 *  @param err  may be NULL.
 *  @return FSD_OK, or the status that `err` describes. */
FSD_API enum fsd_status fsd_linting_open(struct fsd_linting **out,
                                         const struct fsd_options *opt,
                                         const struct fsd_lint_options *lint,
                                         struct fsd_error *err);

/** @param linting may be NULL. */
FSD_API void fsd_linting_free(struct fsd_linting *linting);

/** The number of findings at or above a severity. */
FSD_API uint32_t fsd_linting_findings(const struct fsd_linting *linting,
                                      enum fsd_severity least);

/** Writes one report; the errors are those of fsd_diff_write(). */
FSD_API enum fsd_status fsd_linting_write(const struct fsd_linting *linting,
                                          const char *format,
                                          const struct fsd_style *style, FILE *out,
                                          struct fsd_error *err);

/** The run that was judged, of the model alone or with its engine, as long as `linting`
 *  lives.  Its findings are its own, not those of lint. */
FSD_API const struct fsd_diff *fsd_linting_run(const struct fsd_linting *linting);

/** Writes all rules of lint: each with its level, what it needs, for which builders it
 *  holds, the reason, what to do about it, and where it is from. */
FSD_API enum fsd_status fsd_linting_list(const char *format,
                                         const struct fsd_style *style, FILE *out,
                                         struct fsd_error *err);

/** Writes what a word means: of a rule also why it matters, what to do about it and how
 *  to accept it; of a type of layer or a part of a name what a builder means by it.
 *  @param word   the id of a rule, a word of engines, or a name in which some stand.
 *  @param format one that fsd_format_of(FSD_OF_VIEW) gives.
 *  @param style  may be NULL.
 *  @return FSD_OK; FSD_E_ARG for an unknown word or format; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_explain(const char *word, const char *format,
                                    const struct fsd_style *style, FILE *out,
                                    struct fsd_error *err);

/** fsd_explain() as text; where `rule` is NULL, fsd_explain_all() of rules. */
FSD_API enum fsd_status fsd_rule_explain(const char *rule, FILE *out,
                                         struct fsd_error *err);

enum fsd_vocabulary { FSD_WORDS_OF_RULES, FSD_WORDS_OF_ENGINES };

/** Writes all words, a line each in text; the rest is as in fsd_explain(). */
FSD_API enum fsd_status fsd_explain_all(enum fsd_vocabulary of, const char *format,
                                        const struct fsd_style *style, FILE *out,
                                        struct fsd_error *err);

/** Writes the policy that holds where none is given, as a file to begin one with: read
 *  back, it changes nothing.
 *  @return FSD_OK; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_policy_print(FILE *out, struct fsd_error *err);

/** A build that was run.  Zero is the default of every field. */
struct fsd_collected {
    const char *const *command; /**< its words, as it was run */
    unsigned n_command;
    const char *const *given; /**< those that the user gave */
    unsigned n_given;
    int status;        /**< its exit status, or 128 and the signal that ended it */
    const char *model; /**< path of its ONNX model; NULL: not known */
    const char *const *names, *const *values; /**< of the environment, what is kept */
    unsigned n_environment;
};

/** Writes the record of a build, JSON after docs/start.md: its command, the hash of
 *  its model (as reports have it), and what of the environment is to be kept.  A model
 *  that cannot be read is no error: its reader finds the reason in place of the hash.
 *  @return FSD_OK, or FSD_E_WRITE. */
FSD_API enum fsd_status fsd_collected_write(const struct fsd_collected *what, FILE *out,
                                            struct fsd_error *err);

/** Reads one input and writes what was understood of it as sorted text, the same bytes
 *  for the same graph.
 *  @param side "model", which needs `opt->model`; "shapes", which needs it too and
 *              tells the shapes of its tensors as far as they follow; "engine", which
 *              needs `opt->engine` and uses the names of `opt->model` where that is
 *              not NULL; or "log", which needs `opt->log` or a log as `opt->engine`,
 *              and tells how many of its lines were understood as what, and which
 *              were not.
 *  @return FSD_OK, or the status that `err` describes. */
FSD_API enum fsd_status fsd_dump(const char *side, const struct fsd_options *opt,
                                 FILE *out, struct fsd_error *err);

/** The format that belongs to a name ("text", "json") or, when `name` is a path,
 *  to its ending; NULL when there is none.  The string is static.  Not every verb
 *  writes every format. */
FSD_API const char *fsd_format_find(const char *name);

/** Whether a format, by what fsd_format_find() takes, is a picture. */
FSD_API bool fsd_format_draws(const char *name);

/** The i-th format's name, NULL past the last. */
FSD_API const char *fsd_format_at(unsigned i);

/** The i-th of the formats that a subject is written in, NULL past the last, and for an
 *  unknown subject. */
FSD_API const char *fsd_format_of(enum fsd_subject subject, unsigned i);

#ifdef __cplusplus
}
#endif

#endif
