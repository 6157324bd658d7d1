/*
 * Build logs of TensorRT: the lines of a file, the engines in it, and what single lines
 * mean.  A reader of a log passes each line on to the readers of its kinds.
 */
#ifndef FSD_LOG_LOG_H
#define FSD_LOG_LOG_H

#include "base/base.h"
#include "model/graph/graph.h"
#include "model/graph/history.h"
#include "model/graph/profile.h"
#include "read/log/failure.h"

#include <stdbool.h>
#include <stddef.h>

/* ---------------------------------------------------------------------------- lines */

/*
 * The lines of a log, each without what its writer put before it:
 *
 *     [03/19/2022-12:28:30] [03/19/2022-12:28:30] [V] [TRT] Parsing node: Conv_0 [Conv]
 *                                                           `-------- text --------'
 *
 * Nothing is copied, so that memory does not grow with the log; the pages of a mapped
 * file are given back behind the scan.
 */

struct fsd_log_line {
    struct fsd_slice text; /**< in the file; may hold any byte */
    uint64_t number;       /**< from 1 */
    size_t at;             /**< where `text` stands in the file, in bytes */
    const char *stamp;     /**< "[MM/DD/YYYY-HH:MM:SS]"; NULL: another stamp, or none */
    char severity;         /**< V, I, W, E, F (fatal); 0: not stated */
    unsigned pieces;       /**< what stood before it had so many: stamp, severity, .. */
    bool prefixed;         /**< something stood before it: a message begins here */
    bool trt;              /**< and said that TensorRT wrote it */
    bool session;          /**< and said that ONNX Runtime did, of its own steps */
};

enum { FSD_LOG_SAMPLES = 4 };

/** What another program puts before the lines of a log, as far as lines have shown it
 *  (wrapper.c); zero: nothing yet. */
struct fsd_log_wrapper {
    struct fsd_slice samples[FSD_LOG_SAMPLES]; /**< in the file */
    unsigned n;
    size_t searched; /**< so many bytes showed none */
    bool looked;     /**< the first lines are known */
};

/** How many bytes at the beginning of a line, whose known prefixes are gone, another
 *  program wrote; learns from the line.
 *  @param severity set if these bytes state one. */
size_t fsd_log_unwrap(struct fsd_log_wrapper *w, struct fsd_slice line, char *severity);

/** Zero but for `file` and `end` is the beginning; see fsd_log_lines(). */
struct fsd_log_lines {
    const struct fsd_file *file;
    struct fsd_log_wrapper wrapper;
    size_t at, end;  /**< of the next line; of the last */
    uint64_t number; /**< of the line that was given last */
    size_t released; /**< where pages were given back last */
    bool grows;      /**< `end` is as far as the file is there by now */
};

/** The beginning of a whole file.  Its bytes must stay open as long as the lines. */
struct fsd_log_lines fsd_log_lines(const struct fsd_file *file);

/** The next line; false behind the last.  The bytes of earlier lines stay readable. */
bool fsd_log_next(struct fsd_log_lines *lines, struct fsd_log_line *out);

/* ---------------------------------------------------------------------------- layer */

/*
 * One line of a list of layers.  The builder's, since TensorRT 8.5 and up to 8.4:
 *
 *     Layer(Reformat): N, Tactic: 0x03e8, x (Float[-1,3:4,8]) -> y (Half[-1,3,8])
 *     Layer(Reformat): N, Tactic: 1000, x[Float(-2,3,8)] -> y[Half(-2,3,8)]
 *
 * and the inspector's, of which the rest is read/trt/inspector_text.c's:
 *
 *     Name: N, LayerType: Reformat, Inputs: [ { Name: x, ...
 *
 * Names may hold commas, arrows and brackets: the builder's layer ends at the last
 * ", Tactic: " with a number, a tensor where a type with dimensions and then a
 * separator stand.
 */

struct fsd_log_layer {
    struct fsd_slice type, name;
    struct fsd_slice tactic;  /**< the builder's only */
    struct fsd_slice tensors; /**< what stands behind */
};

/** Takes the builder's line apart; false when it is no such line, or is cut before its
 *  tactic. */
bool fsd_log_layer_split(struct fsd_slice line, struct fsd_log_layer *out);

/** The same of the inspector's. */
bool fsd_log_text_layer(struct fsd_slice line, struct fsd_log_layer *out);

/** The same of "[GpuLayer] CONVOLUTION: N"; up to TensorRT 8.2 without a type.
 *  @param dla set to whether the DLA runs it. */
bool fsd_log_kind_layer(struct fsd_slice line, struct fsd_log_layer *out, bool *dla);

/** The title of such a list: "---------- Layers Running on DLA ----------". */
bool fsd_log_is_dla_title(struct fsd_slice text);

enum { FSD_LOG_RANK_MAX = 64 };

struct fsd_log_tensor {
    struct fsd_slice name, type;
    struct fsd_log_dim {
        int64_t size;          /**< -1 when it is not known */
        int64_t vector;        /**< "32:8": 8; 0: not stated */
        struct fsd_slice word; /**< what stands there when it is no number */
    } dims[FSD_LOG_RANK_MAX];
    uint32_t rank;
    bool old;    /**< in the syntax up to TensorRT 8.4 */
    bool output; /**< stands behind the arrow */
};

enum fsd_log_step {
    FSD_LOG_TENSOR, /**< another one */
    FSD_LOG_END,    /**< there are no more */
    FSD_LOG_BROKEN  /**< the rest is no tensor with its form: the line was cut */
};

/** The next tensor; what was read is taken off `rest`.  `out->output` must be false at
 *  the beginning and is kept from call to call. */
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
 * that keeps names only.  A log that is not verbose has, up to TensorRT 10,
 *
 *     ---------- Layers Running on DLA ----------
 *     [DlaLayer] {ForeignNode[A...B]}
 *     ---------- Layers Running on GPU ----------
 *     [GpuLayer] CONVOLUTION: N
 *
 * which is printed before tactics are chosen, and so without Reformats.  Several lists
 * of one engine are taken together.
 *
 * What leads to an engine is an attempt: a network is read, parsed and built.  One ends
 * where the next begins: behind the lists of its engine, or, when it failed and has
 * none, where a step comes that was behind it already.
 */

enum fsd_log_form {
    FSD_LOG_BLOCK, /**< the builder's lines */
    FSD_LOG_TEXT,  /**< the inspector's */
    FSD_LOG_NAMES, /**< bare names */
    FSD_LOG_KINDS, /**< the builder's before it chooses tactics, of severity INFO */
    FSD__LOG_FORM_COUNT
};

/** One list of layers. */
struct fsd_log_list {
    size_t at, end;  /**< its bytes: from its first layer to its last or last binding */
    uint64_t number; /**< of its first line, from 1; 0: it has none of this form */
    size_t layers_end; /**< behind the last layer's line */
    size_t bindings;   /**< where these begin; 0: none */
    bool io;           /**< they are "I/O Tensors:", a line of keys each */
    uint32_t layers;
    bool prefixed;                  /**< its lines have prefixes, too */
    unsigned pieces;                /**< and these so many pieces */
    struct fsd_log_wrapper wrapper; /**< what was known of these at its end */
};

/** Whether a line between its first and last is a message of another thread: it has a
 *  prefix, or more of one than the list's own lines have. */
bool fsd_log_is_foreign(const struct fsd_log_list *list,
                        const struct fsd_log_line *line);

struct fsd_log_engine {
    struct fsd_log_list lists[FSD__LOG_FORM_COUNT];
    struct fsd_slice title; /**< of the network or file, as an earlier line gives it */
    uint32_t attempt;       /**< that led to it */
};

typedef FSD_VEC(struct fsd_log_engine) fsd_log_engines;

/** The engines found by scanning a whole log. */
struct fsd_log_scan {
    fsd_log_engines engines;
    fsd_log_failures failures; /**< why attempts failed; not from fsd_log_find() */
    fsd_log_failures skipped;  /**< tactics, and why */
    uint64_t lines;
    uint64_t overfull; /**< the line where its times of layers exceed a limit; 0 */
    uint64_t hash[2];  /**< of the file; see struct fsd_digest */
    bool hashed;       /**< and it is known */
};

/** Goes through the lines of a file. */
struct fsd_log_segmenter;

/** @param out filled until the last line, from the arena. */
struct fsd_log_segmenter *fsd_log_segmenter_new(struct fsd_arena *arena,
                                                const struct fsd_file *file,
                                                fsd_log_engines *out);

/** What the segmenter says of a line. */
struct fsd_log_place {
    struct fsd_log_line line;
    uint32_t attempt; /**< which one it belongs to, from 0 */
    bool listed;      /**< it belongs to a list, and has no other meaning */
    size_t next;      /**< where the line behind it begins, in bytes */
};

/** The next line; false behind the last, when all engines are known. */
bool fsd_log_segment(struct fsd_log_segmenter *s, struct fsd_log_place *out);

/** Finds the engines, and counts the lines, when nothing else is asked. */
void fsd_log_find(struct fsd_arena *arena, const struct fsd_file *file,
                  struct fsd_log_scan *out);

/** The lines of a list. */
struct fsd_log_lines fsd_log_list_lines(const struct fsd_file *file,
                                        const struct fsd_log_list *list);

/** Takes a line of a list of that form apart; false when it is none. */
bool fsd_log_listed_layer(enum fsd_log_form form, struct fsd_slice line,
                          struct fsd_log_layer *out);

/** A region is one layer to the builder and several to the inspector. */
bool fsd_log_is_region(const struct fsd_log_layer *layer);

/* -------------------------------------------------------------------------- version */

/*
 * Which version of the builder wrote a log.  Reports state the version, and comparisons
 * compare it, since two versions build different engines of one model.
 */

/** The TensorRT version that trtexec's first line names, written as
 *  "TensorRT 8.2.3"; false when it is another line.
 *  Source: trtexec of TensorRT 8.0 to 10.16, "&&&& RUNNING TensorRT.trtexec [TensorRT
 *  v8203]": NV_TENSORRT_MAJOR * 1000 + MINOR * 100 + PATCH, from 10 on * 10000. */
bool fsd_log_version(struct fsd_slice line, char out[32]);

/** The same for TensorRT for RTX, whose logs state no version: by the lines around an
 *  engine's list.  False if the builder was another one.  Source: builds by 1.4.0,
 *  1.5.0, 1.6.1 and 1.7.1; 1.6 and 1.7 do not differ. */
bool fsd_log_rtx_version(const struct fsd_file *file, const struct fsd_log_list *list,
                         char out[32]);

/* ----------------------------------------------------------------------------- read */

/* One pass over a build log. */

/** Reads the builder's steps in a log into an empty history, and finds the engines
 *  (h->scan).  Never fails: unknown lines are counted. */
void fsd_log_read(struct fsd_history *h, const struct fsd_file *file);

/* -------------------------------------------------------------------------- profile */

/* Layer times that trtexec --dumpProfile prints into its console log. */

/** Reads tables line by line, so that a pass over a log can have them, too. */
struct fsd_log_tables {
    struct fsd_arena *arena;  /**< of the profiles */
    struct fsd_intern *names; /**< where the layers' names go */
    const char *path;         /**< of the log */
    fsd_profile_vec *out;     /**< gets one more for each table */
    uint32_t tables;
    uint64_t runs; /**< of the next table; 0: unknown */
    bool open;     /**< a table is being read */
    bool full;     /**< there are more tables or rows than a log may have: no further
                        line is read */
    struct fsd_log_columns {
        int n, total, mean, runs; /**< which number of a row is which; -1: the table
                                       does not have it */
        bool name_last;
    } columns;
    struct fsd_profile_entry last; /**< "Total": a layer only when a row follows it */
    bool has_last;
};

/** What a line may be by its first letter; most lines of a log are none of a table. */
static inline bool fsd_log_may_be_table(const struct fsd_log_tables *r,
                                        struct fsd_slice t)
{
    return r->open || (t.n && (*t.s == ' ' || *t.s == '\t' || *t.s == '=' ||
                               *t.s == 'L' || *t.s == 'T'));
}

/** Reads a line, as it stands behind its prefix.
 *  @return true for one of a table. */
bool fsd_log_table_line(struct fsd_log_tables *r, struct fsd_slice t);

/** Drops a table without rows at the end of the log. */
void fsd_log_tables_end(struct fsd_log_tables *r);

/** Appends a profile for each table in the log; a cut table has the rows that are
 * there.
 *  @param names where the layers' names go.
 *  @return FSD_OK, also when there is none; FSD_E_LIMIT. */
enum fsd_status fsd_log_profile_read(struct fsd_arena *arena, struct fsd_intern *names,
                                     const struct fsd_file *file, fsd_profile_vec *out,
                                     struct fsd_error *err);

/** The error for a log that has more times than one may have.
 *  @param line  where this shows. */
enum fsd_status fsd_log_fail_times(const struct fsd_file *file, uint64_t line,
                                   struct fsd_error *err);

/** Likewise what a program prints in its own IProfiler, a line for each layer. */
struct fsd_log_printed {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    struct fsd_profile profile; /**< its `path` is the log's */
    FSD_VEC(uint32_t) entry_of; /**< by symbol: plus 1 */
    FSD_VEC(uint32_t) times;    /**< by entry: how often it was printed */
    bool over;                  /**< the sum of all layers was printed */
    bool full;                  /**< there are more layers than a log may have */
};

/** Such a line ends with a time, blanks and a carriage return aside. */
static inline bool fsd_log_may_be_printed(struct fsd_slice t)
{
    while (t.n && (t.s[t.n - 1] == ' ' || t.s[t.n - 1] == '\t'))
        t.n--;
    return t.n > 2 && t.s[t.n - 1] == 's' && t.s[t.n - 2] == 'm';
}

void fsd_log_printed_line(struct fsd_log_printed *r, const struct fsd_log_line *line);

/** Appends the profile, but not where there are no two layers. */
void fsd_log_printed_end(struct fsd_log_printed *r, fsd_profile_vec *out);

/** Reads a whole file of such lines. */
enum fsd_status fsd_log_printed_read(struct fsd_arena *arena, struct fsd_intern *names,
                                     const struct fsd_file *file, fsd_profile_vec *out,
                                     struct fsd_error *err);

/* ---------------------------------------------------------------------------- event */

/* Parses one line of a build log, without its prefix, into events
 * (model/graph/history.h). */

/** A name of a line that was read: it becomes a symbol when something is kept of it. */
struct fsd_event_name {
    struct fsd_slice text; /**< in the log */
    fsd_sym sym;           /**< FSD_NONE: not asked for yet */
};

/** What must be remembered from line to line. */
struct fsd_event_reader {
    struct fsd_history *h;
    fsd_sym tried, tried_on;             /**< the last "Running: P on X" */
    struct fsd_event_name timed, runner; /**< the last "Timing Runner: X (R)" */
    struct fsd_event_name autotuned;     /**< the last "Autotuning Reformat: A -> B" */
    struct fsd_event_name formats; /**< the last "Autotuning format combination" */
    struct fsd_slice tuned;        /**< the last "Autotuning op X" */
    struct fsd_slice tuned_of;     /**< the region that was being timed then */
    uint32_t tuned_rows;           /**< of its table */
    uint32_t effort;   /**< what is being timed, in h->efforts.list; FSD_NONE */
    const char *clock; /**< the last time stamp; NULL: none */
    uint32_t second;   /**< of the day, of that */
    size_t set_at;     /**< where " Set Tactic Name: " stood in the last such line */
    struct fsd_slice dla_reason; /**< the last line on what the DLA cannot do */
    uint64_t dla_line;           /**< where it stood */
    FSD_VEC(char) sum;           /**< scratch */
    char severity;               /**< of the line, as in fsd_log_line */
    uint32_t build;
    uint64_t line;
};

/** Reads the line.
 *  @return true when its form is known, whether or not it says anything that is kept.
 */
bool fsd_event_read(struct fsd_event_reader *r, struct fsd_slice text);

/* --------------------------------------------------------------------------- timing */

/* Lines of a build log with measured times, and with what the build cost (effort.c).
 * Only event.c and read.c. */

/* Each returns true when the line's form is known, whether or not anything is kept. */

/** Lines that are many and known by their beginning; not empty. */
bool fsd_timing_read(struct fsd_event_reader *r, struct fsd_slice p);
/** "Optimizer Reformat(x -> <out>) [A -> B] got cached result: ..." */
bool fsd_timing_cached(struct fsd_event_reader *r, struct fsd_slice p);
/** "Fastest Tactic: ..." behind something else. */
bool fsd_timing_fastest(struct fsd_event_reader *r, struct fsd_slice p);

/** Finds what was measured of each reformat that was added, when all has been read. */
void fsd_timing_reformats(struct fsd_history *h);

/* -------------------------------------------------------------- effort.c */

/** The line's time stamp, or NULL: the seconds since the last one belong to what is
 *  being timed. */
void fsd_log_effort_clock(struct fsd_event_reader *r, const char *stamp);

/** Nothing is being timed, until a line states what is. */
static inline void fsd_log_effort_off(struct fsd_event_reader *r)
{
    r->effort = FSD_NONE;
}

/** "Tactic: 0x01 Time: 0.01", "Tactic: 4 skipped. Scratch requested: ...": of what is
 *  being timed. */
void fsd_log_effort_tactic(struct fsd_event_reader *r, struct fsd_slice p);

/* Each returns true when the line's form is known. */

/** "CudnnConvolution has no valid tactics for this config, skipping" and the like. */
bool fsd_log_effort_skipped(struct fsd_event_reader *r, struct fsd_slice p);
/** "Engine generation completed in 15.4 seconds.", "Deleting timing cache: ..." */
bool fsd_log_effort_whole(struct fsd_event_reader *r, struct fsd_slice p);

/* --------------------------------------------------------------------------- device */

/* What the builder says of the deep learning accelerator (DLA). */

/** Lines on layers that the DLA was asked for and does not run, of all severities but
 *  verbose.  Only event.c.
 *  @return true when the line's form is known. */
bool fsd_log_device_read(struct fsd_event_reader *r, struct fsd_slice text);

/** Keeps the device of each layer of a list of kinds, where any runs on the DLA.
 *  @param build  the engine whose list it is. */
void fsd_log_devices(struct fsd_history *h, const struct fsd_file *file,
                     const struct fsd_log_list *list, uint32_t build);

/* -------------------------------------------------------------------------- figures */

/* Lines of a build log with figures: bytes of the engine's memory, and the sizes that
 * trtexec builds and runs it with.  Only read.c. */

/* Each keeps a line's figures; true if it is such a line. */

bool fsd_log_memory_read(struct fsd_history *h, struct fsd_slice text, uint32_t build);
/** The sizes of an input. */
bool fsd_log_shape_read(struct fsd_history *h, struct fsd_slice text, uint32_t build);

/* -------------------------------------------------------------------------- network */

/* The network as the parser printed it, back into a model. */

/** Builds the network that leads to engine `h->build` from the lines in h->parser.
 *  Where the log has none of them (a network made through the API), from the list that
 *  the builder prints: layers without edges.
 *  @param g    an empty graph; finished on return, without nodes when the log holds no
 *              network.
 *  @param h    its parsed_build is set; FSD_NONE when the parser printed nothing.
 *  @param file the log that h was read from. */
void fsd_log_network(struct fsd_graph *g, struct fsd_history *h,
                     const struct fsd_file *file);

/** Whether the parser's lines are all there, as far as they show: its last ones mark
 *  the outputs, and each tensor that a node reads has an origin.  An excerpt of a log
 *  may hold the lines of some nodes only.
 *  @param network  what fsd_log_network() made of them. */
bool fsd_log_network_is_whole(const struct fsd_graph *network,
                              const struct fsd_history *h, const struct fsd_file *file);

/** True for a line that belongs there, but for those of a node: fsd_log_opened(). */
bool fsd_log_is_network(struct fsd_slice t);

/* ----------------------------------------------------------------------------- body */

/*
 * Bodies of If, Loop, Scan and of model-local functions in the parser's lines.  The
 * parser goes into a body when it has read what its owner uses, and comes back to say
 * what the owner makes:
 *
 *     Parsing node: loop [Loop]
 *     loop [Loop] inputs: ...
 *     Parsing node: loop_body/add [Add]
 *     ...
 *     loop [Loop] outputs: ...
 *
 * Where one body ends and the next begins (the branches of an If) is not printed: an
 * owner gets one scope for all of them.
 */

enum { FSD_LOG_MOST_OPEN = 64 };

/** Nodes whose outputs have not been seen yet, the innermost last.  The parser itself
 *  refuses deeper nesting than this; what is lost in a damaged log piles up here. */
struct fsd_log_stack {
    struct fsd_log_open {
        struct fsd_slice head; /**< "NAME [Op]" */
        fsd_id node;
    } at[FSD_LOG_MOST_OPEN];
    unsigned n;
};

void fsd_log_open(struct fsd_log_stack *stack, struct fsd_slice head, fsd_id node);

/** The innermost node that the line states: "NAME [Op] inputs: ..."; NULL. */
const struct fsd_log_open *fsd_log_opened(const struct fsd_log_stack *stack,
                                          struct fsd_slice line);

/** Closes the node whose outputs the line states, and those within it.
 *  @param open the result of fsd_log_opened() for that line. */
bool fsd_log_close(struct fsd_log_stack *stack, const struct fsd_log_open *open,
                   struct fsd_slice line);

struct fsd_log_bodies {
    fsd_id *owner;     /**< by parsed node: the parsed node it stands in; FSD_NONE */
    fsd_id *scope;     /**< by parsed node: of its body; 0: it has none */
    uint32_t n;        /**< parsed nodes */
    uint32_t n_owners; /**< of them have a body */
};

/** Finds the owners of the nodes parsed for an engine.  A node whose outputs were not
 *  printed owns nothing: the end of its body is unknown.
 *  @param build the engine, in h->parser. */
struct fsd_log_bodies fsd_log_bodies(struct fsd_arena *arena,
                                     const struct fsd_history *h, uint32_t build,
                                     const struct fsd_file *file);

/** Numbers the nodes by scope, the main graph's first, as a graph has them.
 *  @return by parsed node: its number now. */
fsd_id *fsd_log_order_nodes(struct fsd_graph *g);

/* ---------------------------------------------------------------------------- sizes */

/* Open sizes of the network, from the builder's list of layers. */

/** Names the open sizes of the network's inputs, and says from which of these the other
 *  tensors' follow.
 *  @param g its nodes are those of h->parsed_build, in the parser's order. */
void fsd_log_sizes(struct fsd_graph *g, const struct fsd_history *h,
                   const struct fsd_file *file);

/* -------------------------------------------------------------------------- options */

/* How an engine is built, as the log states it beforehand: trtexec's options and its
 * device, Polygraphy's configuration, the kernels that the builder loads. */

/** What must be remembered from line to line. */
struct fsd_log_options {
    bool build, polygraphy; /**< the lines of that section follow */
    bool command_loads;     /**< by its command this run builds no engine */
    bool loads;             /**< by its options or its command */
    bool measures;          /**< the lines on how it measures follow */
    bool details;           /**< clocks of the device are kept, too */
    bool transfers, spins;  /**< of these */
    uint32_t section;       /**< facts that were kept before the section */
    uint32_t attempt;       /**< which one the lines belong to */
    uint64_t sparse;        /**< layers that a sparse kernel may run */
};

/** Keeps the line's facts. */
void fsd_log_option_read(struct fsd_log_options *o, struct fsd_history *h,
                         const struct fsd_log_line *line);

/** Says of which engine all that was kept is. */
void fsd_log_options_end(struct fsd_history *h, const fsd_log_engines *engines);

#endif
