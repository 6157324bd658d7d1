/* TensorRT's reader: the file that reads each kind of input, and the functions that
 * these files share. */
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

/* The inspector's words for a tensor's type and layout:
 * "Thirty-two wide channel vectorized row major Int8 format". */

struct fsd_trt_format {
    enum fsd_dtype type;
    struct fsd_layout layout;
    bool understood; /**< false: some word is unknown */
};

/** Reads n bytes.  Facts that no word states stay unknown. */
struct fsd_trt_format fsd_trt_format(const char *s, size_t n);

/* ------------------------------------------------------------------------ kind.c */

/* Converts TensorRT's words for a layer to neutral facts. */

/** The origin of a Reformat in the dump; other origins do not determine the layer's
 *  kind. */
enum fsd_trt_origin {
    FSD_TRT_ORIGIN_NONE,
    FSD_TRT_ORIGIN_REFORMAT,
    FSD_TRT_ORIGIN_SLICE,
    FSD_TRT_ORIGIN_QDQ,
    FSD_TRT_ORIGIN_IDENTITY
};

/** Whether TensorRT adds layers of this type for itself (TrainStation, copies of sizes
 *  between host and device, the end of the DLA's buffers), so that their names are
 *  never names of nodes. */
bool fsd_trt_is_own_type(const char *type);

/** Fills in the facts of `layer` that follow from its type (`node->op`), its origin,
 *  its tactic's name, and the `form` and `provider` that its name gave it. */
void fsd_trt_facts(const struct fsd_intern *names, const struct fsd_node *node,
                   enum fsd_trt_origin origin, struct fsd_layer *layer);

/* ---------------------------------------------------------------------- tactic.c */

/** The type in which a layer multiplies, or takes the maximum, by the name of its
 *  kernel and the types of its weights; unknown if these show nothing or contradict
 *  each other. */
enum fsd_dtype fsd_trt_computes_in(const struct fsd_layer *layer, const char *tactic);
/** The type of the data that a kernel reads, by the first pair of types in its name,
 *  "i8f16"; unknown if it has none. */
enum fsd_dtype fsd_trt_kernel_reads(const char *tactic);

/* ---------------------------------------------------------------------- kernel.c */

/** Fills the steps of a generated kernel, derived from its name and type, and its kind
 *  if all of them only move data.  Its other facts must be filled already. */
void fsd_trt_kernel(struct fsd_graph *g, const struct fsd_node *node,
                    struct fsd_layer *layer);

/* ------------------------------------------------------------------------ json.c */

/* Engine dumps in JSON: json.c, json_file.c, json_objects.c. */

/** Reads all layers and bindings; the caller finishes the graph. */
enum fsd_status fsd_json_read(struct fsd_build *b, const struct fsd_file *file,
                              struct fsd_error *err);

/** Reads single layers in other text, as a loop over get_layer_information() prints
 *  them: objects that begin and end with a line.
 *  @param n set to how many there are.
 *  @return FSD_OK; FSD_E_FORMAT if one is truncated; FSD_E_LIMIT. */
enum fsd_status fsd_json_objects(struct fsd_build *b, const struct fsd_file *file,
                                 uint32_t *n, struct fsd_error *err);

/** Reads one layer of a dump, an object or a name.
 *  @param number which of the file's layers, from 0: for messages. */
struct cJSON;
enum fsd_status fsd_json_layer(struct fsd_build *b, const struct fsd_file *file,
                               uint32_t number, const struct cJSON *layer,
                               struct fsd_error *err);

/** Fails if a file of this size may not have n layers. */
enum fsd_status fsd_json_layers_fit(const struct fsd_file *file, uint32_t n,
                                    struct fsd_error *err);

/** Reads an entry of "Bindings" or "I/O Tensors". */
enum fsd_status fsd_json_binding(struct fsd_build *b, const struct fsd_file *file,
                                 const struct cJSON *binding, struct fsd_error *err);

/* ----------------------------------------------------------------------- clean.c */

/* Converts almost-JSON to JSON, which cJSON can parse. */

struct fsd_cleaned {
    bool changed;   /**< the output differs from the input */
    size_t values;  /**< an upper bound on the number of values */
    uint32_t depth; /**< how deep lists and objects are nested, if the text is JSON */
};

/** Writes the bytes to `out`, with changes, and returns the number of bytes written.
 *  Control characters inside strings, which JSON forbids and some dumps have, are
 *  escaped.  The zero byte, which a C string cannot hold, becomes the four characters
 *  \x00, whether it is escaped or not.  NaN and Infinity become 1e999, which is not
 *  finite either.  If `out` is NULL, the bytes are only counted. */
size_t fsd_clean(const unsigned char *bytes, size_t n, char *out,
                 struct fsd_cleaned *about);

/** The offset in the input from which the output byte at `pos` comes. */
size_t fsd_clean_origin(const unsigned char *bytes, size_t n, size_t pos);

/* -------------------------------------------------------------- inspector_text.c */

/* Layers in the one-line text of the engine inspector. */

/** Reads "Name: N, LayerType: T, Inputs: [ { Name: n, ... }], ..., Metadata: M".
 *  @param number which of the engine's layers, from 0: for messages.
 *  @param whole set to false if a part of the line was not understood; the text
 *         before it is still read.
 *  @return FSD_OK; FSD_E_LIMIT. */
enum fsd_status fsd_inspector_layer(struct fsd_build *b, const struct fsd_file *file,
                                    uint32_t number, const char *s, size_t n,
                                    bool *whole, struct fsd_error *err);

/** Reads a line of "I/O Tensors:", "Name: x, IOMode: Input, DataType: Float,
 *  Dimensions: [1,3], ..."; ignores any other.
 *  @return FSD_OK; FSD_E_LIMIT. */
enum fsd_status fsd_inspector_binding(struct fsd_build *b, const struct fsd_file *file,
                                      struct fsd_slice line, struct fsd_error *err);

/* ------------------------------------------------------------------- inspected.c */

/** Reads the text that `polygraphy inspect model ENGINE` prints; the caller finishes
 *  the graph.
 *  @return FSD_OK; FSD_E_UNSUPPORTED if there are no layers; FSD_E_LIMIT;
 *          FSD_E_MEMORY */
enum fsd_status fsd_inspected_read(struct fsd_build *b, const struct fsd_file *file,
                                   struct fsd_error *err);

/* ------------------------------------------------------------------ log_engine.c */

/* Engines in build logs, console logs and the inspector's text. */

/** Reads one engine of the file; the caller finishes the graph.
 *  @param number which engine, from 1; 0: the only one
 *  @param scan the engines found in the file; NULL: this function searches them
 *  @return FSD_OK; FSD_E_FORMAT if there is no engine; FSD_E_ARG if there are several
 *          and `number` is 0 (the message lists them), or fewer than `number`;
 *          FSD_E_LIMIT */
enum fsd_status fsd_log_engine_read(struct fsd_build *b, const struct fsd_file *file,
                                    unsigned number, const struct fsd_log_scan *scan,
                                    struct fsd_error *err);

/* --------------------------------------------------------------------- profile.c */

/* Times that trtexec writes as JSON: --exportProfile and --exportTimes. */

/** The kind of times in a JSON file; FSD_INPUT_ENGINE if it has none. */
enum fsd_input fsd_times_kind(const struct fsd_file *file);

/** Appends every profile of the file; a file may contain several, one list after
 *  another.
 *  @param names interns the layers' names; most are the engine's.
 *  @return FSD_OK; FSD_E_FORMAT with the byte where the file is damaged, or when it is
 *          something else (a trace, a dump of layers); FSD_E_LIMIT. */
enum fsd_status fsd_profile_read(struct fsd_arena *arena, struct fsd_intern *names,
                                 const struct fsd_file *file, fsd_profile_vec *out,
                                 struct fsd_error *err);

/** Reads the file of --exportTimes; the errors are those of fsd_profile_read(). */
enum fsd_status fsd_times_read(struct fsd_arena *arena, const struct fsd_file *file,
                               struct fsd_run_times *out, struct fsd_error *err);

/* ---------------------------------------------------------------------- tuning.c */

/** Reads the cache of a search over build routes into an empty `out`.
 *  @return FSD_OK, even if the file ends within an iteration (`out->cut`);
 *          FSD_E_FORMAT; FSD_E_LIMIT for more than 65,536 iterations. */
enum fsd_status fsd_tuning_read(struct fsd_arena *arena, struct fsd_intern *names,
                                const struct fsd_file *file, struct fsd_tuning *out,
                                struct fsd_error *err);

/* ---------------------------------------------------------------------- dryrun.c */

/** The type of the layer that represents an engine in Torch-TensorRT's dry run. */
#define FSD_TRT_DRY_RUN "TRT Engine"

/** Reads the engines, and the nodes that PyTorch runs, as layers.
 *  @return FSD_E_FORMAT, without a message, if there are none. */
enum fsd_status fsd_dryrun_read(struct fsd_build *b, const struct fsd_file *file,
                                struct fsd_error *err);

/* ------------------------------------------------------------------------ trex.c */

/** Whether a file is the metadata of trt-engine-explorer. */
bool fsd_trex_is(const struct fsd_file *file);

/** Reads the build options and the device from the file into an empty history, like
 *  those of a log. */
void fsd_trex_read(struct fsd_history *h, const struct fsd_file *file);

/* ----------------------------------------------------------------------- looks.c */

/* Decides whether names are layer names, and which kind of file has other names. */

/** Whether the name looks like the name of a builder's layer or of an exported node. */
bool fsd_trt_looks_layer(const char *name);

/** Whether the file is a trace of PyTorch's own profiler, in which an engine is one
 *  call among the functions and operators of a whole program. */
bool fsd_trt_is_pytorch(const struct fsd_file *file);

/** @return FSD_E_UNSUPPORTED if another program's file is recognized, else
 *          FSD_E_FORMAT; the error states what the file is, and which file to pass
 *          instead */
enum fsd_status fsd_trt_refuse_json(const struct fsd_file *file,
                                    const struct cJSON *root, struct fsd_error *err);
/** Likewise for a file whose names are not layer names. */
enum fsd_status fsd_trt_refuse_names(const struct fsd_file *file,
                                     struct fsd_error *err);
enum fsd_status fsd_trt_refuse_text(const struct fsd_file *file, struct fsd_error *err);

/* ----------------------------------------------------------------------- trace.c */

/* Layer times of other profilers: traces, and lists by layer. */

/** Whether the file's beginning is one that fsd_trace_read() reads. */
bool fsd_trace_is(const struct fsd_file *file);

/** See fsd_profile_read(). */
enum fsd_status fsd_trace_read(struct fsd_arena *arena, struct fsd_intern *names,
                               const struct fsd_file *file, fsd_profile_vec *out,
                               struct fsd_error *err);

/** TensorRT's own words, which no model's names contain: see fsd_engine_reader. */
extern const char fsd_trt_words[];
/** Implements accepts_format() of fsd_engine_reader; format.c. */
bool fsd_trt_accepts_format(const struct fsd_graph *engine, enum fsd_dtype type,
                            const char *layout, uint32_t rank, bool input);

/** Explanations of these words for people; the last entry has no word. glossary.c */
extern const struct fsd_gloss fsd_trt_glossary[];
