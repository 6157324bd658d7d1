/*
 * Build logs of TensorRT: the lines of a file, the engines in it, and what single lines
 * mean.  The reader of a log passes each line to the functions that read one kind of
 * lines.
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
    struct fsd_slice text; /**< a part of the file; may contain any byte */
    uint64_t number;       /**< from 1 */
    size_t at;             /**< offset of `text` in the file, in bytes */
    const char *stamp;     /**< "[MM/DD/YYYY-HH:MM:SS]"; NULL: a different stamp, or
                                none */
    char severity;         /**< V, I, W, E, F (fatal); 0: not stated */
    unsigned pieces;       /**< the number of pieces of its prefix: stamp, severity,
                                ... */
    bool prefixed;         /**< the line has a prefix, so a message begins here */
    bool trt;              /**< the prefix states that TensorRT wrote the line */
    bool session;          /**< the prefix states that an ONNX Runtime session wrote it
                                about its own steps */
};

enum { FSD_LOG_SAMPLES = 4 };

/** The prefix that another program writes before the lines of a log, as far as earlier
 *  lines have shown it (wrapper.c); zero: unknown. */
struct fsd_log_wrapper {
    struct fsd_slice samples[FSD_LOG_SAMPLES]; /**< slices of the file */
    unsigned n;
    size_t searched; /**< this many bytes were searched without a sample */
    bool looked;     /**< the first lines have been searched */
};

/** The length of the prefix that another program wrote before a line, from which the
 *  known prefixes are already removed.  Keeps the line as a sample of such prefixes.
 *  @param severity set if these bytes state one. */
size_t fsd_log_unwrap(struct fsd_log_wrapper *w, struct fsd_slice line, char *severity);

/** All fields but `file` and `end` are zero at the beginning; see fsd_log_lines(). */
struct fsd_log_lines {
    const struct fsd_file *file;
    struct fsd_log_wrapper wrapper;
    size_t at, end;  /**< offset of the next line; offset of the end */
    uint64_t number; /**< number of the last returned line */
    size_t released; /**< offset up to which pages were released */
    bool grows;      /**< the file is still being decompressed: `end` is its size so
                          far */
    const char
        *full;     /**< the last line with a full prefix of trtexec; NULL: none yet */
    char severity; /**< the severity in this prefix */
};

/** Starts at the beginning of a whole file, which must stay open as long as the lines
 *  are used. */
struct fsd_log_lines fsd_log_lines(const struct fsd_file *file);

/** Reads the next line; false after the last.  The bytes of earlier lines stay
 *  readable. */
bool fsd_log_next(struct fsd_log_lines *lines, struct fsd_log_line *out);

/* ---------------------------------------------------------------------------- layer */

/*
 * One line of a list of layers.  The builder writes, since TensorRT 8.5 and up to 8.4:
 *
 *     Layer(Reformat): N, Tactic: 0x03e8, x (Float[-1,3:4,8]) -> y (Half[-1,3,8])
 *     Layer(Reformat): N, Tactic: 1000, x[Float(-2,3,8)] -> y[Half(-2,3,8)]
 *
 * and the inspector writes (read/trt/inspector_text.c reads the rest of the line):
 *
 *     Name: N, LayerType: Reformat, Inputs: [ { Name: x, ...
 *
 * Names may hold commas, arrows and brackets: a builder's layer name ends at the last
 * ", Tactic: " with a number; a tensor name ends before a type with dimensions and a
 * separator.
 */

struct fsd_log_layer {
    struct fsd_slice type, name;
    struct fsd_slice tactic;  /**< only in the builder's lines */
    struct fsd_slice tensors; /**< the text after them */
};

/** Splits the builder's line; false if it is not such a line, or is truncated before
 *  its tactic. */
bool fsd_log_layer_split(struct fsd_slice line, struct fsd_log_layer *out);

/** Likewise for the inspector's line. */
bool fsd_log_text_layer(struct fsd_slice line, struct fsd_log_layer *out);

/** Likewise for "[GpuLayer] CONVOLUTION: N"; up to TensorRT 8.2 without a type.
 *  @param dla set to whether the DLA runs it. */
bool fsd_log_kind_layer(struct fsd_slice line, struct fsd_log_layer *out, bool *dla);

/** Whether the text is the title of such a list: "---------- Layers Running on DLA
 *  ----------". */
bool fsd_log_is_dla_title(struct fsd_slice text);

enum { FSD_LOG_RANK_MAX = 64 };

struct fsd_log_tensor {
    struct fsd_slice name, type;
    struct fsd_log_dim {
        int64_t size;          /**< -1: unknown */
        int64_t vector;        /**< "32:8": 8; 0: not stated */
        struct fsd_slice word; /**< the text of a dimension that is not a number */
    } dims[FSD_LOG_RANK_MAX];
    uint32_t rank;
    bool old;    /**< the syntax up to TensorRT 8.4 */
    bool output; /**< the tensor follows the arrow */
};

enum fsd_log_step {
    FSD_LOG_TENSOR, /**< the next tensor was read */
    FSD_LOG_END,    /**< there are no more tensors */
    FSD_LOG_BROKEN  /**< the rest is not a tensor with its form: the line is
                         truncated */
};

/** Reads the next tensor and removes it from `rest`. `out->output` must be false at the
 *  first call and is kept between calls. */
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
    FSD_LOG_BLOCK, /**< the builder's lines */
    FSD_LOG_TEXT,  /**< the inspector's */
    FSD_LOG_NAMES, /**< bare names */
    FSD_LOG_KINDS, /**< the list that the builder prints at severity INFO before it
                        chooses tactics */
    FSD__LOG_FORM_COUNT
};

/** One list of layers. */
struct fsd_log_list {
    size_t at, end;  /**< in bytes: from its first layer to its last layer or binding */
    uint64_t number; /**< the number of the list's first line, from 1; 0: there is no
                          list of this form */
    size_t layers_end; /**< the end of the last layer's line */
    size_t bindings;   /**< the beginning of the bindings; 0: none */
    bool io;           /**< the bindings are "I/O Tensors:", one line of keys each */
    uint32_t layers;
    bool prefixed;                  /**< its lines have prefixes */
    unsigned pieces;                /**< number of pieces of each prefix */
    struct fsd_log_wrapper wrapper; /**< the known wrapper at the end of the list */
};

/** Whether a line within the list is a message of another thread: it has a prefix, or a
 *  longer one than the list's own lines have. */
bool fsd_log_is_foreign(const struct fsd_log_list *list,
                        const struct fsd_log_line *line);

struct fsd_log_engine {
    struct fsd_log_list lists[FSD__LOG_FORM_COUNT];
    struct fsd_slice title; /**< the title of the network or file, from an earlier
                                 line */
    uint32_t attempt;       /**< the attempt that led to the engine */
};

typedef FSD_VEC(struct fsd_log_engine) fsd_log_engines;

/** The engines that a scan of the whole log found. */
struct fsd_log_scan {
    fsd_log_engines engines;
    fsd_log_failures failures;    /**< why attempts failed; fsd_log_find() leaves it
                                    empty */
    fsd_log_failures skipped;     /**< skipped tactics, with the reason */
    struct fsd_log_adding adding; /**< layers that the parser added */
    uint64_t lines;
    uint64_t overfull; /**< the line at which the log's layer times exceed a limit; 0:
                            none */
    uint64_t hash[2];  /**< the hash of the file; see struct fsd_digest */
    bool hashed;       /**< `hash` is known */
};

/** Goes through the lines of a file; see fsd_log_segment(). */
struct fsd_log_segmenter;

/** @param out complete after the last line; allocated from the arena */
struct fsd_log_segmenter *fsd_log_segmenter_new(struct fsd_arena *arena,
                                                const struct fsd_file *file,
                                                fsd_log_engines *out);

/** What the segmenter knows about a line. */
struct fsd_log_place {
    struct fsd_log_line line;
    uint32_t attempt; /**< the attempt that the line belongs to, from 0 */
    bool listed;      /**< the line belongs to a list and has no other meaning */
    size_t next;      /**< the offset of the next line, in bytes */
};

/** Reads the next line; false after the last, when all engines are known. */
bool fsd_log_segment(struct fsd_log_segmenter *s, struct fsd_log_place *out);

/** Finds the engines and counts the lines; reads nothing else. */
void fsd_log_find(struct fsd_arena *arena, const struct fsd_file *file,
                  struct fsd_log_scan *out);

/** The lines of a list. */
struct fsd_log_lines fsd_log_list_lines(const struct fsd_file *file,
                                        const struct fsd_log_list *list);

/** Splits a line of a list of this form; false if it is not a layer. */
bool fsd_log_listed_layer(enum fsd_log_form form, struct fsd_slice line,
                          struct fsd_log_layer *out);

/** Whether the layer is a region, which is one layer to the builder and several to the
 *  inspector. */
bool fsd_log_is_region(const struct fsd_log_layer *layer);

/* -------------------------------------------------------------------------- version */

/*
 * The version of the builder that wrote a log.  Reports state the version, and
 * comparisons compare it, since two versions build different engines of one model.
 */

/** The TensorRT version that trtexec's first line names, written as "TensorRT 8.2.3";
 *  false if the line is a different one.  Source: trtexec of TensorRT 8.0 to 10.16,
 *  "&&&& RUNNING TensorRT.trtexec [TensorRT v8203]": NV_TENSORRT_MAJOR * 1000 + MINOR *
 *  100 + PATCH, and MAJOR * 10000 from version 10 on. */
bool fsd_log_version(struct fsd_slice line, char out[32]);

/** Likewise for TensorRT for RTX, whose logs state no version: the lines around an
 *  engine's list show it.  False if a different builder wrote the log.  Source: builds
 *  by 1.4.0, 1.5.0, 1.6.1 and 1.7.1; 1.6 and 1.7 do not differ. */
bool fsd_log_rtx_version(const struct fsd_file *file, const struct fsd_log_list *list,
                         char out[32]);

/* ----------------------------------------------------------------------------- read */

/* One pass over a build log. */

/** Reads the builder's steps in a log into an empty history, and finds the engines
 *  (h->scan).  Never fails: unknown lines are counted. */
void fsd_log_read(struct fsd_history *h, const struct fsd_file *file);

/* -------------------------------------------------------------------------- profile */

/* Layer times that trtexec --dumpProfile prints into its console log. */

/** Reads tables line by line, so that one pass over a log can read them as well. */
struct fsd_log_tables {
    struct fsd_arena *arena;  /**< the profiles are allocated from it */
    struct fsd_intern *names; /**< interns the layers' names */
    const char *path;         /**< the path of the log */
    fsd_profile_vec *out;     /**< receives one profile for each table */
    uint32_t tables;
    uint64_t runs; /**< the number of runs of the next table; 0: unknown */
    bool open;     /**< a table is being read */
    bool full;     /**< the log has more tables or rows than the limit: no further line
                        is read */
    struct fsd_log_columns {
        int n, total, mean, runs; /**< the index of each number in a row; -1: the table
                                       has no such column */
        bool name_last;
    } columns;
    struct fsd_profile_entry last; /**< "Total": it is a layer only if another row
                                        follows */
    bool has_last;
};

/** Whether a line may belong to a table, by its first letter; most lines of a log do
 *  not. */
static inline bool fsd_log_may_be_table(const struct fsd_log_tables *r,
                                        struct fsd_slice t)
{
    return r->open || (t.n && (*t.s == ' ' || *t.s == '\t' || *t.s == '=' ||
                               *t.s == 'L' || *t.s == 'T'));
}

/** Reads a line without its prefix.
 *  @return whether it belongs to a table */
bool fsd_log_table_line(struct fsd_log_tables *r, struct fsd_slice t);

/** Drops a table without rows at the end of the log. */
void fsd_log_tables_end(struct fsd_log_tables *r);

/** Appends a profile for each table in the log; a truncated table yields the rows that
 *  exist.
 *  @param names interns the layers' names
 *  @return FSD_OK, even if there is no table; FSD_E_LIMIT */
enum fsd_status fsd_log_profile_read(struct fsd_arena *arena, struct fsd_intern *names,
                                     const struct fsd_file *file, fsd_profile_vec *out,
                                     struct fsd_error *err);

/** The error for a log with more times than the limit.
 *  @param line the line at which the limit is exceeded */
enum fsd_status fsd_log_fail_times(const struct fsd_file *file, uint64_t line,
                                   struct fsd_error *err);

/** Likewise reads the lines that a program's own IProfiler prints, one for each layer.
 */
struct fsd_log_printed {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    struct fsd_profile profile; /**< `path` is the path of the log */
    FSD_VEC(uint32_t) entry_of; /**< indexed by symbol: the entry plus 1 */
    FSD_VEC(uint32_t) times;    /**< indexed by entry: how often its time was printed */
    bool over;                  /**< the sum of all layers was printed, so the profile
                                     is complete */
    bool full;                  /**< the log has more layers than the limit */
};

/** Whether a line ends with a time; blanks and a carriage return at its end are
 *  ignored. */
static inline bool fsd_log_may_be_printed(struct fsd_slice t)
{
    while (t.n && (t.s[t.n - 1] == ' ' || t.s[t.n - 1] == '\t'))
        t.n--;
    return t.n > 2 && t.s[t.n - 1] == 's' && t.s[t.n - 2] == 'm';
}

void fsd_log_printed_line(struct fsd_log_printed *r, const struct fsd_log_line *line);

/** Appends the profile if it has at least two layers. */
void fsd_log_printed_end(struct fsd_log_printed *r, fsd_profile_vec *out);

/** Reads a whole file of such lines. */
enum fsd_status fsd_log_printed_read(struct fsd_arena *arena, struct fsd_intern *names,
                                     const struct fsd_file *file, fsd_profile_vec *out,
                                     struct fsd_error *err);

/* ---------------------------------------------------------------------------- event */

/* Parses one line of a build log, without its prefix, into events
 * (model/graph/history.h). */

/** A name in a line; it becomes a symbol only if a fact about it is stored. */
struct fsd_event_name {
    struct fsd_slice text; /**< a slice of the log */
    fsd_sym sym;           /**< FSD_NONE: not needed yet */
};

/** The state kept from line to line. */
struct fsd_event_reader {
    struct fsd_history *h;
    fsd_sym tried, tried_on;             /**< the last "Running: P on X" */
    struct fsd_event_name timed, runner; /**< the last "Timing Runner: X (R)" */
    struct fsd_event_name autotuned;     /**< the last "Autotuning Reformat: A -> B" */
    struct fsd_event_name formats; /**< the last "Autotuning format combination" */
    struct fsd_slice tuned;        /**< the last "Autotuning op X" */
    struct fsd_slice tuned_of;     /**< the region that was timed at that line */
    uint32_t tuned_rows;           /**< the number of rows of that line's table */
    uint32_t effort;   /**< the effort that is being timed, in h->efforts.list;
                            FSD_NONE: nothing is timed */
    const char *clock; /**< the last time stamp; NULL: none */
    uint32_t second;   /**< the time of day of that stamp, in seconds */
    size_t set_at;     /**< the position of " Set Tactic Name: " in the last such
                            line */
    struct fsd_slice dla_reason; /**< the last line about a limit of the DLA */
    uint64_t dla_line;           /**< the number of that line */
    FSD_VEC(char) sum;           /**< scratch */
    char severity;               /**< the line's severity; see fsd_log_line */
    uint32_t build;
    uint64_t line;
};

/** Reads the line.
 *  @return whether its form is known, even if no fact of it is stored */
bool fsd_event_read(struct fsd_event_reader *r, struct fsd_slice text);

/* --------------------------------------------------------------------------- timing */

/* Lines of a build log with measured times and with the cost of the build (effort.c).
 * Only event.c and read.c use these functions. */

/* Each function returns whether the line's form is known, even if no fact of it is
 * stored. */

/** Reads frequent lines that are recognized by their beginning; `p` is not empty. */
bool fsd_timing_read(struct fsd_event_reader *r, struct fsd_slice p);
/** "Optimizer Reformat(x -> <out>) [A -> B] got cached result: ..." */
bool fsd_timing_cached(struct fsd_event_reader *r, struct fsd_slice p);
/** "Fastest Tactic: ..." after other text. */
bool fsd_timing_fastest(struct fsd_event_reader *r, struct fsd_slice p);

/** Finds the measurements of each reformat that was added; call it after the last line.
 */
void fsd_timing_reformats(struct fsd_history *h);

/* -------------------------------------------------------------- effort.c */

/** Reads a time stamp that differs from the previous one: the seconds between them
 *  belong to the layer or step that is being timed. */
void fsd_log_effort_tick(struct fsd_event_reader *r, const char *stamp);

/** Reads the line's time stamp (may be NULL). Nearly every line has the time of the
 *  line before it: then their bytes are equal. */
static inline void fsd_log_effort_clock(struct fsd_event_reader *r, const char *stamp)
{
    enum { HOUR = 12, BYTES = 8 };

    if (stamp && !(r->clock && !memcmp(r->clock + HOUR, stamp + HOUR, BYTES)))
        fsd_log_effort_tick(r, stamp);
}

/** Ends the timed step: until a line states what is timed next, nothing is. */
static inline void fsd_log_effort_off(struct fsd_event_reader *r)
{
    r->effort = FSD_NONE;
}

/** "Tactic: 0x01 Time: 0.01", "Tactic: 4 skipped.  Scratch requested: ...": about the
 *  layer that is being timed. */
void fsd_log_effort_tactic(struct fsd_event_reader *r, struct fsd_slice p);

/* Each function returns whether the line's form is known. */

/** "CudnnConvolution has no valid tactics for this config, skipping" and similar lines.
 */
bool fsd_log_effort_skipped(struct fsd_event_reader *r, struct fsd_slice p);
/** "Engine generation completed in 15.4 seconds.", "Deleting timing cache: ..." */
bool fsd_log_effort_whole(struct fsd_event_reader *r, struct fsd_slice p);

/* --------------------------------------------------------------------------- device */

/* The builder's messages about the deep learning accelerator (DLA). */

/** Reads lines about layers that the user assigned to the DLA but the DLA does not run,
 *  of all severities except verbose.  Only event.c calls it.
 *  @return whether the line's form is known */
bool fsd_log_device_read(struct fsd_event_reader *r, struct fsd_slice text);

/** Stores the device of each layer in a list of kinds if at least one layer runs on the
 *  DLA.
 *  @param build the engine that the list describes */
void fsd_log_devices(struct fsd_history *h, const struct fsd_file *file,
                     const struct fsd_log_list *list, uint32_t build);

/* -------------------------------------------------------------------------- figures */

/* Lines of a build log with figures: bytes of the engine's memory, and the sizes with
 * which trtexec builds and runs the engine.  Only read.c uses these functions. */

/* Each function stores the figures of a line, and returns whether the line has some. */

bool fsd_log_memory_read(struct fsd_history *h, struct fsd_slice text, uint32_t build);
/** Reads the sizes of an input. */
bool fsd_log_shape_read(struct fsd_history *h, struct fsd_slice text, uint32_t build);

/* -------------------------------------------------------------------------- network */

/* Reconstructs a model from the network that the parser printed. */

/** Builds the network that leads to engine `h->build` from the lines in h->parser.  If
 *  the log has no such lines (a network made through the API), builds it from the list
 *  that the builder prints: layers without edges.
 *  @param g    an empty graph; finished on return, without nodes when the log holds no
 *              network.
 *  @param h `parsed_build` is set, to FSD_NONE if the parser printed nothing
 *  @param file the log that h was read from. */
void fsd_log_network(struct fsd_graph *g, struct fsd_history *h,
                     const struct fsd_file *file);

/** Whether the parser's lines seem complete: the last ones mark the outputs, and each
 *  tensor that a node reads has an origin.  An excerpt of a log may have the lines of
 *  only some nodes.
 *  @param network the network that fsd_log_network() built from them */
bool fsd_log_network_is_whole(const struct fsd_graph *network,
                              const struct fsd_history *h, const struct fsd_file *file);

/** Whether the line is one that the parser prints about a network, except the lines of
 *  a node, for which see fsd_log_opened(). */
bool fsd_log_is_network(struct fsd_slice t);

/* ----------------------------------------------------------------------------- body */

/*
 * Bodies of If, Loop, Scan and of model-local functions in the parser's lines.  The
 * parser enters a body after the inputs of its owner, and prints the owner's outputs
 * when it returns:
 *
 *     Parsing node: loop [Loop]
 *     loop [Loop] inputs: ...
 *     Parsing node: loop_body/add [Add]
 *     ...
 *     loop [Loop] outputs: ...
 *
 * The log does not show where one body ends and the next begins (the branches of an
 * If), so an owner gets one scope for all its bodies.
 */

enum { FSD_LOG_MOST_OPEN = 64 };

/** Nodes whose outputs have not been seen yet, the innermost last.  The parser itself
 *  refuses deeper nesting than this; nodes whose outputs are missing in a damaged log
 *  accumulate here. */
struct fsd_log_stack {
    struct fsd_log_open {
        struct fsd_slice head; /**< "NAME [Op]" */
        fsd_id node;
    } at[FSD_LOG_MOST_OPEN];
    unsigned n;
};

void fsd_log_open(struct fsd_log_stack *stack, struct fsd_slice head, fsd_id node);

/** The innermost open node that the line names: "NAME [Op] inputs: ..."; NULL if it
 *  names none. */
const struct fsd_log_open *fsd_log_opened(const struct fsd_log_stack *stack,
                                          struct fsd_slice line);

/** Closes the node whose outputs the line states, and the nodes in its body.
 *  @param open the result of fsd_log_opened() for that line. */
bool fsd_log_close(struct fsd_log_stack *stack, const struct fsd_log_open *open,
                   struct fsd_slice line);

struct fsd_log_bodies {
    fsd_id *owner;     /**< indexed by parsed node: the node whose body contains it;
                            FSD_NONE */
    fsd_id *scope;     /**< indexed by parsed node: the scope of its body; 0: it has no
                            body */
    uint32_t n;        /**< number of parsed nodes */
    uint32_t n_owners; /**< number of nodes with a body */
};

/** Finds the owners of the nodes parsed for an engine.  A node whose outputs were not
 *  printed owns no node: the end of its body is unknown.
 *  @param build the engine, in h->parser. */
struct fsd_log_bodies fsd_log_bodies(struct fsd_arena *arena,
                                     const struct fsd_history *h, uint32_t build,
                                     const struct fsd_file *file);

/** Numbers the nodes by scope, the main graph's first, as a graph requires.
 *  @return indexed by parsed node: its new number */
fsd_id *fsd_log_order_nodes(struct fsd_graph *g);

/* ---------------------------------------------------------------------------- sizes */

/* Dynamic sizes of the network, from the builder's list of layers. */

/** Gives the dynamic sizes of the network's inputs names, and derives the sizes of
 *  other tensors from these.
 *  @param g its nodes are those of h->parsed_build, in the parser's order */
void fsd_log_sizes(struct fsd_graph *g, const struct fsd_history *h,
                   const struct fsd_file *file);

/* -------------------------------------------------------------------------- options */

/* How an engine is built, as the log states it beforehand: trtexec's options and its
 * device, Polygraphy's configuration, the kernels that the builder loads. */

/** The state kept from line to line. */
struct fsd_log_options {
    bool build, polygraphy; /**< the next lines are in trtexec's list of build options,
                                 or in Polygraphy's list */
    bool command_loads;     /**< the command line shows that this run loads an engine */
    bool loads;             /**< the options or the command line show that this run
                                 loads an engine */
    bool measures;          /**< the lines about measuring follow */
    bool details;           /**< the clocks of the device are stored as well */
    bool transfers, spins;  /**< the measuring options that were printed */
    uint32_t section;       /**< number of facts stored before the section */
    uint32_t attempt;       /**< the attempt that the lines belong to */
    uint64_t sparse;        /**< number of layers that a sparse kernel may run */
};

/** Stores the facts in the line. */
void fsd_log_option_read(struct fsd_log_options *o, struct fsd_history *h,
                         const struct fsd_log_line *line);

/** Assigns all stored facts to their engines. */
void fsd_log_options_end(struct fsd_history *h, const fsd_log_engines *engines);
