/*
 * Functions that read build logs of TensorRT: the lines of a file, the engines in it,
 * and the meaning of each line.  The reader of a log passes each line to functions that
 * each read one kind of line.
 */
#pragma once

#include "base/base.h"
#include "model/graph/history.h"
#include "model/graph/profile.h"
#include "read/log/failure.h"

struct fsd_graph;

/* ---------------------------------------------------------------------------- lines */

/*
 * The lines of a log, each without the prefixes that its writer added:
 *
 *     [03/19/2022-12:28:30] [03/19/2022-12:28:30] [V] [TRT] Parsing node: Conv_0 [Conv]
 *                                                           `-------- text --------'
 *
 * Nothing is copied, so that memory does not grow with the log; the pages of a mapped
 * file are released after the scan has passed them.
 */

struct fsd_log_line {
    struct fsd_slice text; /**< the text after the prefix, a part of the file; may
                                contain any byte */
    uint64_t number;       /**< the number of the line in the file, from 1 */
    size_t at;             /**< the offset of `text` in the file, in bytes */
    const char *stamp;     /**< the time stamp "[MM/DD/YYYY-HH:MM:SS]"; NULL: none, or
                                in another form */
    char severity;         /**< V (verbose), I (info), W (warning), E (error), F
                                (fatal); 0: not stated */
    unsigned pieces;       /**< the number of pieces (stamp, severity, ...) of the
                                prefix */
    bool prefixed;         /**< the line has a prefix, so a message begins here */
    bool trt;              /**< the prefix states that TensorRT wrote the line */
    bool session;          /**< the prefix shows that the line is a message of an ONNX
                                Runtime session, not of TensorRT */
};

enum { FSD_LOG_SAMPLES = 4 };

/** The prefixes that another program writes before the lines of a log.  wrapper.c finds
 *  them in the lines themselves.  All members are zero at first. */
struct fsd_log_wrapper {
    struct fsd_slice samples[FSD_LOG_SAMPLES]; /**< examples of prefixes, as slices of
                                                    the file */
    unsigned n;
    size_t searched; /**< the number of bytes that were searched without finding a
                          sample */
    bool looked;     /**< the first lines of the log were searched */
};

/** Returns the length of another program's prefix at the beginning of `line`; 0 if
 *  `line` has none.  The caller must already have removed TensorRT's own prefixes.  A
 *  new prefix of another program becomes a sample.
 *  @param severity  set if the prefix states a severity */
size_t fsd_log_unwrap(struct fsd_log_wrapper *w, struct fsd_slice line, char *severity);

/** A position in a file, for reading its lines. fsd_log_lines() initializes it; all
 * members but `file` and `end` are zero at first. */
struct fsd_log_lines {
    const struct fsd_file *file;
    struct fsd_log_wrapper wrapper;
    size_t at, end;  /**< the offset of the next line, and the offset after the last
                          line to read */
    uint64_t number; /**< the number of the last returned line, from 1 */
    size_t released; /**< all pages before this offset were released */
    bool grows;      /**< a thread is still decompressing the file, so `end` is only its
                          present size */
    const char *full; /**< the last line whose prefix has a time stamp, a severity and
                        "[TRT]"; NULL: none yet */
    char severity;    /**< the severity in the line `full` */
};

/** Starts at the beginning of a file.  The file must stay open as long as the lines are
 *  used. */
struct fsd_log_lines fsd_log_lines(const struct fsd_file *file);

/** Reads the next line.  Returns false after the last line.  The bytes of earlier lines
 *  stay readable. */
bool fsd_log_next(struct fsd_log_lines *lines, struct fsd_log_line *out);

/* ---------------------------------------------------------------------------- layer */

/*
 * One line in a list of layers.  The builder writes the first form since TensorRT 8.5,
 * and the second form up to 8.4:
 *
 *     Layer(Reformat): N, Tactic: 0x03e8, x (Float[-1,3:4,8]) -> y (Half[-1,3,8])
 *     Layer(Reformat): N, Tactic: 1000, x[Float(-2,3,8)] -> y[Half(-2,3,8)]
 *
 * The engine inspector writes this form (read/trt/inspector_text.c reads the rest of
 * the line):
 *
 *     Name: N, LayerType: Reformat, Inputs: [ { Name: x, ...
 *
 * Names may contain commas, arrows and brackets.  In the builder's forms, the name of a
 * layer ends at the last ", Tactic: " with a number.  The name of a tensor ends
 * before a type with dimensions.  A separator or the end of the line follows the
 * dimensions.
 */

struct fsd_log_layer {
    struct fsd_slice type, name;
    struct fsd_slice tactic;  /**< the tactic; only in the builder's lines */
    struct fsd_slice tensors; /**< the text of the tensors, after the name and the
                                   tactic */
};

/** Splits a line of the builder's list.  Returns false if it is no such line, or is
 *  truncated before its tactic. */
bool fsd_log_layer_split(struct fsd_slice line, struct fsd_log_layer *out);

/** Splits a line of the inspector's list.  Returns false if it is no such line. */
bool fsd_log_text_layer(struct fsd_slice line, struct fsd_log_layer *out);

/** Splits a line such as "[GpuLayer] CONVOLUTION: N" or, up to TensorRT 8.2,
 *  "[GpuLayer] N", which states no type.  Returns false if it is no such line.
 *  @param dla  set to true if the DLA runs the layer, else to false */
bool fsd_log_kind_layer(struct fsd_slice line, struct fsd_log_layer *out, bool *dla);

/** Whether the text is the title of such a list: "---------- Layers Running on DLA
 *  ----------". */
bool fsd_log_is_dla_title(struct fsd_slice text);

enum { FSD_LOG_RANK_MAX = 64 };

struct fsd_log_tensor {
    struct fsd_slice name, type;
    struct fsd_log_dim {
        int64_t size;          /**< -1: unknown */
        int64_t vector;        /**< the vector width, such as 8 in "32:8"; 0: not
                                    stated */
        struct fsd_slice word; /**< the text of the dimension if it is not a number */
    } dims[FSD_LOG_RANK_MAX];
    uint32_t rank;
    bool old;    /**< the line has the syntax up to TensorRT 8.4 */
    bool output; /**< the tensor is an output: it follows the arrow */
};

enum fsd_log_step {
    FSD_LOG_TENSOR, /**< the next tensor was read */
    FSD_LOG_END,    /**< there are no more tensors */
    FSD_LOG_BROKEN  /**< the line is truncated: the rest has no type with dimensions */
};

/** Reads the next tensor and removes it from `rest`.  Before the first call, the caller
 *  must set `out->output` to false; between calls, `out` must not change. */
enum fsd_log_step fsd_log_tensor_next(struct fsd_slice *rest,
                                      struct fsd_log_tensor *out);

/* -------------------------------------------------------------------------- segment */

/*
 * A log, or other text, cut into builds.  An engine's layers come in lists,
 *
 *     Engine Layer Information:          Layers:                       Layers:
 *     Layer(T): N, Tactic: ...           Name: N, LayerType: T, ...    N
 *     ...                                ...                           ...
 *                                        Bindings:                     Bindings:
 *
 * from the builder (verbose), from the inspector, and from the inspector of an engine
 * that stores only names.  A log that is not verbose has, up to TensorRT 10,
 *
 *     ---------- Layers Running on DLA ----------
 *     [DlaLayer] {ForeignNode[A...B]}
 *     ---------- Layers Running on GPU ----------
 *     [GpuLayer] CONVOLUTION: N
 *
 * which is printed before tactics are chosen and therefore lacks Reformats.  Several
 * lists of one engine are combined.
 *
 * An attempt leads to an engine: a network is read, parsed and built.  An attempt ends
 * where the next begins: after the lists of its engine or, if the attempt failed and
 * has no list, at a step that the attempt had already completed.
 */

enum fsd_log_form {
    FSD_LOG_BLOCK, /**< a list by the builder */
    FSD_LOG_TEXT,  /**< a list by the engine inspector */
    FSD_LOG_NAMES, /**< a list of names only */
    FSD_LOG_KINDS, /**< the list of layers and their kinds that the builder prints at
                        severity INFO before it chooses tactics */
    FSD__LOG_FORM_COUNT
};

/** One list of layers. */
struct fsd_log_list {
    size_t at, end;    /**< `at`: the offset of the first layer's line, in bytes;
                            `end`: the offset after the line of the last layer or
                            binding */
    uint64_t number;   /**< the number of the list's first line, from 1; 0: there is no
                            list of this form */
    size_t layers_end; /**< the offset of the end of its last layer's line */
    size_t bindings;   /**< the offset of its bindings; 0: it has none */
    bool io;           /**< the bindings follow "I/O Tensors:", and each is one line of
                            keys and values */
    uint32_t layers;
    bool prefixed;                  /**< the lines of the list have prefixes */
    unsigned pieces;                /**< the number of pieces of each prefix */
    struct fsd_log_wrapper wrapper; /**< the prefixes of other programs that were
                                         known when the last layer was read */
};

/** Whether a line within the list is a message of another thread.  Such a message has a
 *  prefix.  The lines of the list have no prefix, or a prefix of fewer pieces. */
bool fsd_log_is_foreign(const struct fsd_log_list *list,
                        const struct fsd_log_line *line);

struct fsd_log_engine {
    struct fsd_log_list lists[FSD__LOG_FORM_COUNT];
    struct fsd_slice title; /**< the title of the network or of its file, from an
                                 earlier line */
    uint32_t attempt;       /**< the attempt that led to the engine */
};

typedef FSD_VEC(struct fsd_log_engine) fsd_log_engines;

/** The engines and other facts that a scan of the whole log found. */
struct fsd_log_scan {
    fsd_log_engines engines;
    fsd_log_failures failures;    /**< the reasons why attempts failed; fsd_log_find()
                                       leaves it empty */
    fsd_log_failures skipped;     /**< the skipped tactics, with their reasons */
    struct fsd_log_adding adding; /**< the layers that the parser added */
    uint64_t lines;
    uint64_t overfull; /**< the number of the line at which the log has more tables or
                            rows of layer times than the limit; 0: there is none */
    uint64_t hash[2];  /**< the hash of the file; see fsd_digest_end() */
    bool hashed;       /**< `hash` is known */
};

/** Goes through the lines of a file and finds the engines; see fsd_log_segment(). */
struct fsd_log_segmenter;

/** Creates a segmenter in the arena.
 * @param out  receives the engines; complete after the last line */
struct fsd_log_segmenter *fsd_log_segmenter_new(struct fsd_arena *arena,
                                                const struct fsd_file *file,
                                                fsd_log_engines *out);

/** A line of the log, and the build attempt to which it belongs. */
struct fsd_log_place {
    struct fsd_log_line line;
    uint32_t attempt; /**< the number of the build attempt to which the line belongs,
                           from 0 */
    bool listed;      /**< the line belongs to a list and has no other meaning */
    size_t next;      /**< the offset of the next line, in bytes */
};

/** Reads the next line.  Returns false after the last line; all engines are then
 * known. */
bool fsd_log_segment(struct fsd_log_segmenter *s, struct fsd_log_place *out);

/** Finds the engines and counts the lines; reads nothing else. */
void fsd_log_find(struct fsd_arena *arena, const struct fsd_file *file,
                  struct fsd_log_scan *out);

/** Returns the lines of a list. */
struct fsd_log_lines fsd_log_list_lines(const struct fsd_file *file,
                                        const struct fsd_log_list *list);

/** Splits a line in a list of this form.  Returns false if it is no layer. */
bool fsd_log_listed_layer(enum fsd_log_form form, struct fsd_slice line,
                          struct fsd_log_layer *out);

/** Whether the layer is a region.  The builder lists a region as one layer, the
 *  inspector as several. */
bool fsd_log_is_region(const struct fsd_log_layer *layer);

/* -------------------------------------------------------------------------- version */

/*
 * The version of the builder that wrote a log.  A report states this version, and a
 * comparison compares the versions of two logs, because two versions build different
 * engines of one model.
 */

/** Writes the TensorRT version to `out`, such as "TensorRT 8.2.3".  Returns false if
 *  the line is not trtexec's first line, "&&&& RUNNING TensorRT.trtexec [TensorRT
 *  v8203]".  The number in that line is MAJOR * 1000 + MINOR * 100 + PATCH, and since
 *  version 10, MAJOR * 10000 + MINOR * 100 + PATCH.  Source: trtexec of TensorRT 8.0 to
 *  10.16. */
bool fsd_log_version(struct fsd_slice line, char out[32]);

/** Writes the version of TensorRT for RTX to `out`.  The logs of TensorRT for RTX do
 *  not state the version, but the lines around a list of layers depend on it.  If
 *  several versions write the same lines, such as 1.6 and 1.7, `out` receives a range:
 *  "TensorRT for RTX 1.6 or later".  If the lines show no version, `out` receives
 *  "TensorRT for RTX".  Returns false if another builder wrote the log.  Source: logs
 *  of the versions 1.4.0, 1.5.0, 1.6.1 and 1.7.1.
 *  @param list  a list of layers in the log */
bool fsd_log_rtx_version(const struct fsd_file *file, const struct fsd_log_list *list,
                         char out[32]);

/* ----------------------------------------------------------------------------- read */

/* One pass over a build log. */

/** Reads the builder's steps in a log into an empty history, and finds the engines
 *  (h->scan).  The function cannot fail: it counts unknown lines. */
void fsd_log_read(struct fsd_history *h, const struct fsd_file *file);

/* -------------------------------------------------------------------------- profile */

/* Layer times that trtexec --dumpProfile prints into its console log. */

/** Reads the tables line by line, during the one pass over a log. */
struct fsd_log_tables {
    struct fsd_arena *arena;  /**< the arena of the profiles */
    struct fsd_intern *names; /**< receives the names of the layers */
    const char *path;         /**< the path of the log */
    fsd_profile_vec *out;     /**< receives one profile for each table */
    uint32_t tables;
    uint64_t runs; /**< the number of runs of the next table; 0: unknown */
    bool open;     /**< the next line may belong to the current table */
    bool full;     /**< the log has more tables or rows than the limit, so no further
                        line is read */
    struct fsd_log_columns {
        int n, total, mean, runs; /**< `n`: the number of columns with numbers.
                                       `total`, `mean`, `runs`: the indices of the
                                       columns with these numbers; -1: the table has no
                                       such column */
        bool name_last;
    } columns;
    struct fsd_profile_entry last; /**< a row named "Total", which is a layer only if
                                        another row follows */
    bool has_last;
};

/** Whether a line may belong to a table.  The first letter excludes most lines of a
 *  log. */
static inline bool fsd_log_may_be_table(const struct fsd_log_tables *r,
                                        struct fsd_slice t)
{
    return r->open || (t.n && (*t.s == ' ' || *t.s == '\t' || *t.s == '=' ||
                               *t.s == 'L' || *t.s == 'T'));
}

/** Reads a line, whose prefix is already removed.
 *  @return whether the line belongs to a table */
bool fsd_log_table_line(struct fsd_log_tables *r, struct fsd_slice t);

/** Ends the last table at the end of the log; drops it if it has no rows. */
void fsd_log_tables_end(struct fsd_log_tables *r);

/** Appends a profile for each table in the log.  If a table is truncated, its profile
 *  has the rows that exist.
 *  @param names receives the names of the layers
 *  @return FSD_OK, even if there is no table; FSD_E_LIMIT if there are more tables or
 *          rows than the limit */
enum fsd_status fsd_log_profile_read(struct fsd_arena *arena, struct fsd_intern *names,
                                     const struct fsd_file *file, fsd_profile_vec *out,
                                     struct fsd_error *err);

/** Fills `err` with the error for a log that has more layer times than the limit.
 *  @param line  the number of the line at which the limit is exceeded
 *  @return FSD_E_LIMIT */
enum fsd_status fsd_log_fail_times(const struct fsd_file *file, uint64_t line,
                                   struct fsd_error *err);

/** The state of reading layer times that a program's own IProfiler prints, one line for
 *  each layer.  The one pass over a log (read.c) reads these lines, too. */
struct fsd_log_printed {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    struct fsd_profile profile; /**< the profile; its `path` is the path of the log */
    FSD_VEC(uint32_t) entry_of; /**< indexed by symbol: the layer's entry, plus 1 */
    FSD_VEC(uint32_t) times;    /**< indexed by entry: the number of printed times */
    bool over;                  /**< the program printed the sum of all layers, so the
                                     profile is complete */
    bool full;                  /**< the log has more layers than the limit */
};

/** Whether a line ends with a time.  Blanks and a carriage return at its end do not
 *  matter. */
static inline bool fsd_log_may_be_printed(struct fsd_slice t)
{
    while (t.n && (t.s[t.n - 1] == ' ' || t.s[t.n - 1] == '\t'))
        t.n--;
    return t.n > 2 && t.s[t.n - 1] == 's' && t.s[t.n - 2] == 'm';
}

void fsd_log_printed_line(struct fsd_log_printed *r, const struct fsd_log_line *line);

/** Appends the profile to `out` if it has at least two layers. */
void fsd_log_printed_end(struct fsd_log_printed *r, fsd_profile_vec *out);

/** Reads a file of lines that a program's own IProfiler printed, and appends the
 * profile to `out`. */
enum fsd_status fsd_log_printed_read(struct fsd_arena *arena, struct fsd_intern *names,
                                     const struct fsd_file *file, fsd_profile_vec *out,
                                     struct fsd_error *err);

/* ---------------------------------------------------------------------------- event */

/* Parses one line of a build log, without its prefix, into events
 * (model/graph/history.h). */

/** A name in a line.  It becomes a symbol only if the history stores a fact about
 * it. */
struct fsd_event_name {
    struct fsd_slice text; /**< the name, a slice of the log */
    fsd_sym sym;           /**< the symbol of the name; FSD_NONE: not made yet */
};

/** The state kept from line to line. */
struct fsd_event_reader {
    struct fsd_history *h;
    fsd_sym tried, tried_on;             /**< the pass P and the layer X of the last
                                              "Running: P on X" */
    struct fsd_event_name timed, runner; /**< the layer X and the runner R of the last
                                              "Timing Runner: X (R)" */
    struct fsd_event_name autotuned;     /**< the text "A -> B" of the last "Autotuning
                                              Reformat: A -> B" */
    struct fsd_event_name formats;       /**< the formats of the last "Autotuning format
                                              combination" */
    struct fsd_slice tuned;    /**< the name X of the last "Autotuning op X" */
    struct fsd_slice tuned_of; /**< the region that contains the operation X of `tuned`;
                                    empty: unknown */
    uint32_t tuned_rows;       /**< the number of rows so far of the table after
                                    "Autotuning op X" */
    uint32_t effort;   /**< the index in h->efforts.list of the layer and runner that
                            the builder is timing; FSD_NONE: none */
    const char *clock; /**< the last time stamp; NULL: there was none */
    uint32_t second;   /**< the time of day of `clock`, in seconds */
    size_t set_at;     /**< the position of " Set Tactic Name: " in the last line that
                            has these words */
    struct fsd_slice dla_reason; /**< the last line about a limit of the DLA */
    uint64_t dla_line;           /**< the number of the line with `dla_reason` */
    FSD_VEC(char) sum;           /**< a buffer for names that are put together */
    char severity;               /**< the severity of the current line; see struct
                                      fsd_log_line */
    uint32_t build;
    uint64_t line;
};

/** Reads a line of the log, without its prefix.
 *  @return whether the form of the line is known, even if the history stores no fact
 *          from it */
bool fsd_event_read(struct fsd_event_reader *r, struct fsd_slice text);

/* --------------------------------------------------------------------------- timing */

/* Lines of a build log with measured times and with the cost of the build (effort.c).
 * Only event.c and read.c use these functions. */

/* Each of these functions returns whether the form of the line is known, even if the
 * history stores no fact from it. */

/** Reads a line of one of the frequent forms.  `p` must not be empty. */
bool fsd_timing_read(struct fsd_event_reader *r, struct fsd_slice p);
/** Reads a line like "Optimizer Reformat(x -> <out>) [A -> B] got cached result:
 * ...". */
bool fsd_timing_cached(struct fsd_event_reader *r, struct fsd_slice p);
/** Reads a line that has other text before "Fastest Tactic: ...". */
bool fsd_timing_fastest(struct fsd_event_reader *r, struct fsd_slice p);

/** Finds the measurement of each reformat layer that the builder added.  Call it after
 * the last line.
 */
void fsd_timing_reformats(struct fsd_history *h);

/* -------------------------------------------------------------- effort.c */

/** Reads a time stamp that differs from the previous stamp.  The seconds between the
 *  two stamps belong to the layer or step that the builder was timing. */
void fsd_log_effort_tick(struct fsd_event_reader *r, const char *stamp);

/** Reads the time stamp of the line (may be NULL).  Nearly every line has the same time
 *  as the line before it, so the function first compares the bytes. */
static inline void fsd_log_effort_clock(struct fsd_event_reader *r, const char *stamp)
{
    enum { HOUR = 12, BYTES = 8 };

    if (stamp && !(r->clock && !memcmp(r->clock + HOUR, stamp + HOUR, BYTES)))
        fsd_log_effort_tick(r, stamp);
}

/** Ends the timing of a layer.  Until a line states the next layer, seconds belong to
 * no layer. */
static inline void fsd_log_effort_off(struct fsd_event_reader *r)
{
    r->effort = FSD_NONE;
}

/** Reads a line about a tactic of the layer that the builder is timing: "Tactic: 0x01
 *  Time: 0.01", "Tactic: 4 skipped.  Scratch requested: ...". */
void fsd_log_effort_tactic(struct fsd_event_reader *r, struct fsd_slice p);

/* Each of these functions returns whether the form of the line is known. */

/** Reads a line about skipped tactics, such as "CudnnConvolution has no valid tactics
 * for this config, skipping".
 */
bool fsd_log_effort_skipped(struct fsd_event_reader *r, struct fsd_slice p);
/** Reads a line about the whole build: "Engine generation completed in 15.4 seconds.",
 * "Deleting timing cache: ...". */
bool fsd_log_effort_whole(struct fsd_event_reader *r, struct fsd_slice p);

/* --------------------------------------------------------------------------- device */

/* The builder's messages about the deep learning accelerator (DLA). */

/** Reads a line about a layer that the user assigned to the DLA but that the DLA does
 *  not run.  Only event.c calls it, with lines of all severities except verbose.
 *  @return whether the form of the line is known */
bool fsd_log_device_read(struct fsd_event_reader *r, struct fsd_slice text);

/** Reads a list of the kind FSD_LOG_KINDS, and stores in `h` the device of each of its
 *  layers, if at least one of them runs on the DLA.
 *  @param build  the number of the engine that the list describes */
void fsd_log_devices(struct fsd_history *h, const struct fsd_file *file,
                     const struct fsd_log_list *list, uint32_t build);

/* -------------------------------------------------------------------------- figures */

/* Functions that read figures in a build log: bytes of the engine's memory, and the
 * input sizes with which trtexec builds and runs the engine.  Only read.c uses them. */

/* Each function stores the figures of a line, and returns whether the line has
 * figures. */

bool fsd_log_memory_read(struct fsd_history *h, struct fsd_slice text, uint32_t build);
/** Reads a line about the sizes of an input. */
bool fsd_log_shape_read(struct fsd_history *h, struct fsd_slice text, uint32_t build);

/* -------------------------------------------------------------------------- network */

/* Reconstructs a model from the network that the parser printed. */

/** Builds the network of the engine `h->build` from the parser's lines in h->parser.
 *  If this engine has no such lines, uses those of the nearest earlier engine, or else
 *  those of attempts that led to no engine.  If a program made the network through
 *  TensorRT's API, the log has no lines of the parser.  The network then consists of
 *  the layers in the builder's list, and has no edges.
 *  @param g  an empty graph.  On return, it is finished; it has no nodes if the log has
 *              no network.
 *  @param h  the function sets h->parsed_build to the number of the engine whose lines
 *          are used; to FSD_NONE if neither this engine nor an earlier one has any
 *  @param file  the log from which `h` was read */
void fsd_log_network(struct fsd_graph *g, struct fsd_history *h,
                     const struct fsd_file *file);

/** Whether the parser's lines seem complete.  An excerpt of a log may lack the lines of
 *  some nodes.  The lines seem complete if both of these conditions are met:
 *  - A line marks an output of the network.  Such lines are the parser's last lines.
 *    If the network comes from the builder's list of layers, this condition counts as
 *    met.
 *  - Each tensor that a node reads has a producer, or is an input or a constant.
 *  @param network  the network that fsd_log_network() built from these lines */
bool fsd_log_network_is_whole(const struct fsd_graph *network,
                              const struct fsd_history *h, const struct fsd_file *file);

/** Whether the line is a line of the parser about the network, but not about a node.
 *  For lines about a node, see fsd_log_opened(). */
bool fsd_log_is_network(struct fsd_slice t);

/* ----------------------------------------------------------------------------- body */

/*
 * The bodies of If, Loop, Scan and of model-local functions in the parser's lines.  The
 * parser prints the inputs of the node that owns the body, then the nodes of the body,
 * and then the outputs of the owner:
 *
 *     Parsing node: loop [Loop]
 *     loop [Loop] inputs: ...
 *     Parsing node: loop_body/add [Add]
 *     ...
 *     loop [Loop] outputs: ...
 *
 * If a node has several bodies, such as the branches of an If, the log does not show
 * where the first ends.  A node therefore has one scope for all its bodies.
 */

enum { FSD_LOG_MOST_OPEN = 64 };

/** The nodes whose outputs are not printed yet, the innermost last.  The parser refuses
 *  a model with deeper nesting than FSD_LOG_MOST_OPEN.  So only a damaged log, which
 *  lacks the outputs of nodes, can overflow the stack. */
struct fsd_log_stack {
    struct fsd_log_open {
        struct fsd_slice head; /**< "NAME [Op]" */
        fsd_id node;
    } at[FSD_LOG_MOST_OPEN];
    unsigned n;
};

void fsd_log_open(struct fsd_log_stack *stack, struct fsd_slice head, fsd_id node);

/** Returns the innermost open node that the line names, as in "NAME [Op] inputs: ...";
 *  NULL if it names none. */
const struct fsd_log_open *fsd_log_opened(const struct fsd_log_stack *stack,
                                          struct fsd_slice line);

/** Closes a node, and the nodes in its body, if the line states the outputs of the
 *  node.  Returns whether the node was closed.
 *  @param open  the result of fsd_log_opened() for the line */
bool fsd_log_close(struct fsd_log_stack *stack, const struct fsd_log_open *open,
                   struct fsd_slice line);

struct fsd_log_bodies {
    fsd_id *owner;     /**< indexed by parsed node: the node whose body contains it;
                            FSD_NONE: the node is in the main graph */
    fsd_id *scope;     /**< indexed by parsed node: the scope of its body; 0: it has no
                            body */
    uint32_t n;        /**< the number of parsed nodes */
    uint32_t n_owners; /**< the number of nodes with a body */
};

/** Finds the owner of each node that was parsed for an engine.  The owner is the node
 *  whose body contains the parsed node.  If the log lacks the outputs of a node, the
 *  end of its body is unknown.  Such a node counts as a node without a body.
 *  @param build  the number of the engine, as in h->parser */
struct fsd_log_bodies fsd_log_bodies(struct fsd_arena *arena,
                                     const struct fsd_history *h, uint32_t build,
                                     const struct fsd_file *file);

/** Numbers the nodes by scope, as a graph requires: the nodes of the main graph come
 *  first.
 *  @return indexed by parsed node: its new number */
fsd_id *fsd_log_order_nodes(struct fsd_graph *g);

/* ---------------------------------------------------------------------------- sizes */

/* Dynamic sizes of the network, from the builder's list of layers. */

/** Gives names to the dynamic sizes of the network's inputs, and derives the sizes of
 *  other tensors from them.
 *  @param g  a graph with the nodes of h->parsed_build, in the order of parsing */
void fsd_log_sizes(struct fsd_graph *g, const struct fsd_history *h,
                   const struct fsd_file *file);

/* -------------------------------------------------------------------------- options */

/* Facts about a build that the log states before the build: trtexec's options and its
 * device, Polygraphy's configuration, the kernels that the builder loads. */

/** The state kept from line to line. */
struct fsd_log_options {
    bool build, polygraphy; /**< `build`: the next lines list trtexec's build options;
                                 `polygraphy`: the next lines list Polygraphy's build
                                 configuration */
    bool command_loads;     /**< the command line shows that this run loads an engine */
    bool loads;             /**< the options or the command line show that this run
                                 loads an engine */
    bool measures;          /**< the next lines are trtexec's options for measuring */
    bool details;           /**< set by the caller: also store the number of SMs and the
                                 clocks of the device */
    bool transfers, spins;  /**< whether trtexec's options "Data transfers" and
                                 "Spin-wait" are enabled */
    uint32_t section;       /**< the value of h->built.n at the beginning of the current
                                 section of options */
    uint32_t attempt;       /**< the number of the attempt to which the lines belong */
    uint64_t sparse;        /**< the number of layers that a sparse kernel may run */
};

/** Stores the facts that the line states about the build. */
void fsd_log_option_read(struct fsd_log_options *o, struct fsd_history *h,
                         const struct fsd_log_line *line);

/** Assigns all stored facts to their engines. */
void fsd_log_options_end(struct fsd_history *h, const fsd_log_engines *engines);
