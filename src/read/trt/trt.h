/* The functions of TensorRT's reader: for each kind of input the function that reads
 * it, and the functions that several files share. */
#pragma once

#include "base/base.h"
#include "read/engine/glossary.h"
#include "read/engine/reader.h"
#include "read/log/log.h"
#include "model/graph/dtype.h"
#include "model/graph/profile.h"
#include "model/graph/vocab.h"

struct fsd_build;
struct fsd_layer;
struct fsd_node;

/* ---------------------------------------------------------------------- format.c */

/* The engine inspector describes the type and layout of a tensor in words: "Thirty-two
 * wide channel vectorized row major Int8 format". */

struct fsd_trt_format {
    enum fsd_dtype type;
    struct fsd_layout layout;
    bool understood; /**< false: a word is unknown */
};

/** Reads a description of n bytes.  If the description states no type, the type in the
 * result is FSD_DTYPE_UNKNOWN.  If it states no order, the order of the layout is
 * FSD_ORDER_UNKNOWN.  All other parts of the layout that it does not state are 0. */
struct fsd_trt_format fsd_trt_format(const char *s, size_t n);

/* ------------------------------------------------------------------------ kind.c */

/* Functions that convert TensorRT's words for a layer to facts that do not depend on
 * the builder. */

/** The values of Origin that determine the kind of a Reformat layer. */
enum fsd_trt_origin {
    FSD_TRT_ORIGIN_NONE,
    FSD_TRT_ORIGIN_REFORMAT,
    FSD_TRT_ORIGIN_SLICE,
    FSD_TRT_ORIGIN_QDQ,
    FSD_TRT_ORIGIN_IDENTITY
};

/** Whether TensorRT adds layers of this type for itself: TrainStation, copies of sizes
 *  between host and device, the end of the DLA's buffers.  The name of such a layer is
 *  no name of a node. */
bool fsd_trt_is_own_type(const char *type);

/** Sets the kind and other facts of `layer`, according to the type (`node->op`),
 *  `origin`, and the tactic, form and provider of `layer`.  The caller must already
 *  have set these three members of `layer`. */
void fsd_trt_facts(const struct fsd_intern *names, const struct fsd_node *node,
                   enum fsd_trt_origin origin, struct fsd_layer *layer);

/* ---------------------------------------------------------------------- tactic.c */

/** Returns the type in which a layer multiplies or, for a pooling, takes the maximum.
 *  The name of its kernel and the types of its weights show this type.  If they show
 *  nothing or contradict each other, returns FSD_DTYPE_UNKNOWN. */
enum fsd_dtype fsd_trt_computes_in(const struct fsd_layer *layer, const char *tactic);
/** Returns the type of the data that a kernel reads, from the first pair of types in
 *  its name, such as "i8f16"; FSD_DTYPE_UNKNOWN if the name has none. */
enum fsd_dtype fsd_trt_kernel_reads(const char *tactic);

/* ---------------------------------------------------------------------- kernel.c */

/** Sets the steps of a generated kernel, according to its name and type.  If all steps
 *  only move data, also sets the kind of the layer.  The other facts of the layer must
 *  already be set. */
void fsd_trt_kernel(struct fsd_graph *g, const struct fsd_node *node,
                    struct fsd_layer *layer);

/* ------------------------------------------------------------------------ json.c */

/* Functions that read engine dumps in JSON: json.c, json_file.c, json_objects.c. */

/** Reads all layers and bindings of a JSON dump.  The caller finishes the graph. */
enum fsd_status fsd_json_read(struct fsd_build *b, const struct fsd_file *file,
                              struct fsd_error *err);

/** Reads layers between other lines of a text, as a program prints them in a loop over
 *  get_layer_information().  Each layer is an object that shares no line with other
 *  text.
 *  @param n  receives the number of layers
 *  @return FSD_OK; FSD_E_FORMAT if a layer is truncated; FSD_E_LIMIT. */
enum fsd_status fsd_json_objects(struct fsd_build *b, const struct fsd_file *file,
                                 uint32_t *n, struct fsd_error *err);

/** Reads one layer of a dump.
 *  @param number  the number of the layer in the file, from 0, for messages
 *  @param layer  an object, or a string with the name of the layer */
struct cJSON;
enum fsd_status fsd_json_layer(struct fsd_build *b, const struct fsd_file *file,
                               uint32_t number, const struct cJSON *layer,
                               struct fsd_error *err);

/** Fails with FSD_E_LIMIT if n layers are too many for a file of this size. */
enum fsd_status fsd_json_layers_fit(const struct fsd_file *file, uint32_t n,
                                    struct fsd_error *err);

/** Reads one entry of "Bindings" or "I/O Tensors". */
enum fsd_status fsd_json_binding(struct fsd_build *b, const struct fsd_file *file,
                                 const struct cJSON *binding, struct fsd_error *err);

/* ----------------------------------------------------------------------- clean.c */

/* Functions that convert the text of a dump to JSON that cJSON can parse.  The JSON in
 * a dump is sometimes invalid. */

struct fsd_cleaned {
    bool changed;   /**< the output differs from the input */
    size_t values;  /**< an upper bound on the number of values in the text */
    uint32_t depth; /**< the depth of nested lists and objects, if the text is JSON */
};

/** Converts n bytes to valid JSON, writes them to `out`, and returns the number of
 *  bytes written.  If `out` is NULL, only counts them.  Control characters inside
 *  strings are escaped: JSON forbids them, but some dumps have them.  A zero byte,
 *  escaped or not, becomes the four characters \x00, because a C string cannot contain
 *  it.  NaN and Infinity become 1e999, which cJSON reads as infinity. */
size_t fsd_clean(const unsigned char *bytes, size_t n, char *out,
                 struct fsd_cleaned *about);

/** Converts `pos`, an offset in the output of fsd_clean(), to the corresponding offset
 * in the input. */
size_t fsd_clean_origin(const unsigned char *bytes, size_t n, size_t pos);

/* -------------------------------------------------------------- inspector_text.c */

/* Functions that read the text of the engine inspector, which has one line per
 * layer. */

/** Reads a layer from a line like "Name: N, LayerType: T, Inputs: [ { Name: n, ... }],
 *  ..., Metadata: M".
 *  @param number  the number of the layer in the engine, from 0, for messages
 *  @param whole  set to false if a part of the line was not understood; the text before
 *         that part is read
 *  @return FSD_OK; FSD_E_LIMIT. */
enum fsd_status fsd_inspector_layer(struct fsd_build *b, const struct fsd_file *file,
                                    uint32_t number, const char *s, size_t n,
                                    bool *whole, struct fsd_error *err);

/** Reads a line after "I/O Tensors:", like "Name: x, IOMode: Input, DataType: Float,
 *  Dimensions: [1,3], ...".  Ignores any other line.
 *  @return FSD_OK; FSD_E_LIMIT. */
enum fsd_status fsd_inspector_binding(struct fsd_build *b, const struct fsd_file *file,
                                      struct fsd_slice line, struct fsd_error *err);

/* ------------------------------------------------------------------- inspected.c */

/** Reads the text that `polygraphy inspect model ENGINE` prints.  The caller finishes
 *  the graph.
 *  @return FSD_OK; FSD_E_UNSUPPORTED if there are no layers; FSD_E_LIMIT;
 *          FSD_E_MEMORY */
enum fsd_status fsd_inspected_read(struct fsd_build *b, const struct fsd_file *file,
                                   struct fsd_error *err);

/* ------------------------------------------------------------------ log_engine.c */

/* Functions that read engines in build logs, console logs and the inspector's text. */

/** Reads one engine of the file.  The caller finishes the graph.
 *  @param number  the number of the engine in the file, from 1; 0: the only engine
 *  @param scan  the engines in the file; NULL: this function finds them
 *  @return FSD_OK; FSD_E_FORMAT if there is no engine; FSD_E_ARG if `number` is 0
 *          and there are several engines (the message lists them), or if there are
 *          fewer engines than `number`; FSD_E_LIMIT */
enum fsd_status fsd_log_engine_read(struct fsd_build *b, const struct fsd_file *file,
                                    unsigned number, const struct fsd_log_scan *scan,
                                    struct fsd_error *err);

/* --------------------------------------------------------------------- profile.c */

/* Functions that read times that trtexec writes as JSON: --exportProfile and
 * --exportTimes. */

/** Returns the kind of times in a JSON file; FSD_INPUT_ENGINE if the file has none. */
enum fsd_input fsd_times_kind(const struct fsd_file *file);

/** Appends all profiles in the file to `out`.  A file may contain several profiles, one
 *  list after another.
 *  @param names  receives the names of the layers
 *  @return FSD_OK; FSD_E_FORMAT with the position if the file is damaged, or if it is
 *          of another kind (a trace, a dump of layers); FSD_E_LIMIT. */
enum fsd_status fsd_profile_read(struct fsd_arena *arena, struct fsd_intern *names,
                                 const struct fsd_file *file, fsd_profile_vec *out,
                                 struct fsd_error *err);

/** Reads the file of trtexec --exportTimes.  The function returns the same errors as
 * fsd_profile_read(). */
enum fsd_status fsd_times_read(struct fsd_arena *arena, const struct fsd_file *file,
                               struct fsd_run_times *out, struct fsd_error *err);

/* ---------------------------------------------------------------------- tuning.c */

/** Reads the cache of a search over build options into an empty `out`.
 *  @return FSD_OK, even if the file ends within an iteration (`out->cut`);
 *          FSD_E_FORMAT; FSD_E_LIMIT for more than 65,536 iterations. */
enum fsd_status fsd_tuning_read(struct fsd_arena *arena, struct fsd_intern *names,
                                const struct fsd_file *file, struct fsd_tuning *out,
                                struct fsd_error *err);

/* ---------------------------------------------------------------------- dryrun.c */

/** The type of the layer that represents an engine in Torch-TensorRT's dry run. */
#define FSD_TRT_DRY_RUN "TRT Engine"

/** Reads the text of a dry run of Torch-TensorRT.  Its engines, and the nodes that
 *  PyTorch runs, become layers.
 *  @return FSD_OK; FSD_E_FORMAT, without a message, if there are no layers */
enum fsd_status fsd_dryrun_read(struct fsd_build *b, const struct fsd_file *file,
                                struct fsd_error *err);

/* ------------------------------------------------------------------------ trex.c */

/** Whether a file is the metadata of trt-engine-explorer. */
bool fsd_trex_is(const struct fsd_file *file);

/** Reads the build options and the device from the metadata of trt-engine-explorer into
 *  `h`, which must be empty.  Each entry is read like the same line of a log. */
void fsd_trex_read(struct fsd_history *h, const struct fsd_file *file);

/* ----------------------------------------------------------------------- looks.c */

/* Functions that decide whether names are names of layers, and that report the kind of
 * a file that describes no engine. */

/** Whether the name looks like the name of an engine's layer or the name of an exported
 * node. */
bool fsd_trt_looks_layer(const char *name);

/** Whether the file is a trace of PyTorch's own profiler.  In such a trace of a whole
 *  program, an engine is a single call, so the trace has no layer times. */
bool fsd_trt_is_pytorch(const struct fsd_file *file);

/** Fills `err` for a JSON file that is no engine: the kind of the file, and which file
 *  to pass instead.
 *  @return FSD_E_UNSUPPORTED if looks.c knows the other program that wrote the file,
 *          else FSD_E_FORMAT */
enum fsd_status fsd_trt_refuse_json(const struct fsd_file *file,
                                    const struct cJSON *root, struct fsd_error *err);
/** Fill `err` with the kind of the file, and with advice which file to pass instead.
 * fsd_trt_refuse_names() is for a file whose names are no names of layers,
 * fsd_trt_refuse_text() for a text that is no engine. */
enum fsd_status fsd_trt_refuse_names(const struct fsd_file *file,
                                     struct fsd_error *err);
enum fsd_status fsd_trt_refuse_text(const struct fsd_file *file, struct fsd_error *err);

/* ----------------------------------------------------------------------- trace.c */

/* Functions that read layer times of other profilers: traces, and lists of times for
 * each layer. */

/** Whether the beginning of the file has a form that fsd_trace_read() reads. */
bool fsd_trace_is(const struct fsd_file *file);

/** Appends all profiles in a trace or in a file with lists of times to `out`.
 * Parameters and results are as for fsd_profile_read(). */
enum fsd_status fsd_trace_read(struct fsd_arena *arena, struct fsd_intern *names,
                               const struct fsd_file *file, fsd_profile_vec *out,
                               struct fsd_error *err);

/** `words` of struct fsd_engine_reader: TensorRT's own words, which are not names of a
 * model.  Blanks separate the words. */
extern const char fsd_trt_words[];
/** Implements accepts_format() of struct fsd_engine_reader. */
bool fsd_trt_accepts_format(const struct fsd_graph *engine, enum fsd_dtype type,
                            const char *layout, uint32_t rank, bool input);

/** Explanations of TensorRT's words.  The last entry has no word. */
extern const struct fsd_gloss fsd_trt_glossary[];
