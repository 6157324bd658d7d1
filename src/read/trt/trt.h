/* TensorRT's reader: which file reads what, and the functions they share. */
#ifndef FSD_TRT_TRT_H
#define FSD_TRT_TRT_H

#include "base/base.h"
#include "read/engine/glossary.h"
#include "read/engine/reader.h"
#include "read/log/log.h"
#include "model/graph/dtype.h"
#include "model/graph/graph.h"
#include "model/graph/profile.h"
#include "model/graph/vocab.h"
#include "read/trt/name.h"

#include <stdbool.h>
#include <stddef.h>

/* ---------------------------------------------------------------------- format.c */

/* The inspector's words for a tensor's type and layout:
 * "Thirty-two wide channel vectorized row major Int8 format". */

struct fsd_trt_format {
    enum fsd_dtype type;
    struct fsd_layout layout;
    bool understood; /**< false: some word is unknown */
};

/** Reads n bytes.  What no word states stays unknown. */
struct fsd_trt_format fsd_trt_format(const char *s, size_t n);

/* ------------------------------------------------------------------------ kind.c */

/* TensorRT's words for a layer as neutral facts. */

/** The origin of a Reformat in the dump; other values do not determine its kind. */
enum fsd_trt_origin {
    FSD_TRT_ORIGIN_NONE,
    FSD_TRT_ORIGIN_REFORMAT,
    FSD_TRT_ORIGIN_SLICE,
    FSD_TRT_ORIGIN_QDQ,
    FSD_TRT_ORIGIN_IDENTITY
};

/** Whether TensorRT adds layers of this type for itself (TrainStation, copies of sizes
 *  between host and device, the end of the DLA's buffers), so that a name of theirs is
 *  no node's. */
bool fsd_trt_is_own_type(const char *type);

/** Fills the facts that follow from the layer's type (`node->op`), its origin, its
 *  tactic's name, and the `form` and `provider` that its name has. */
void fsd_trt_facts(const struct fsd_intern *names, const struct fsd_node *node,
                   enum fsd_trt_origin origin, struct fsd_layer *layer);

/* ---------------------------------------------------------------------- tactic.c */

/** The type that a layer multiplies in, or takes the maximum of, by the name of its
 * kernel and the types of its weights; unknown if these show nothing or contradict each
 *  other. */
enum fsd_dtype fsd_trt_computes_in(const struct fsd_layer *layer, const char *tactic);
/** The type of the data that a kernel reads, by the first pair of types in its name,
 *  "i8f16"; unknown if it has none. */
enum fsd_dtype fsd_trt_kernel_reads(const char *tactic);

/* ----------------------------------------------------------------------- build.c */

/*
 * From a dump's layers to the graph, whatever the dump's syntax.  A reader calls, for
 * each layer,
 *
 *     fsd_build_layer(b, name, type);
 *     fsd_build_port(b, ...) for its inputs, then for its outputs
 *     fsd_build_metadata(b, text), fsd_build_attr(b, ...), and sets b->layer's fields
 *     fsd_build_layer_end(b);
 *
 * and, after all layers, fsd_build_binding() for each binding and fsd_build_finish().
 */

/* Keys that show the generation of a dump (formats change, versions are not written).
 */
enum fsd_build_seen {
    FSD_SEEN_LOCATION = 1 << 0,       /**< a tensor has Location */
    FSD_SEEN_STREAM = 1 << 1,         /**< StreamId or Metadata */
    FSD_SEEN_CONVOLUTION = 1 << 2,    /**< a convolution with its parameters */
    FSD_SEEN_DYNAMIC_FILTER = 1 << 3, /**< HasDynamicFilter */
    FSD_SEEN_KERNELS = 1 << 4,        /**< kgen, gemm: Myelin's kernels one by one */
    FSD_SEEN_IO_TENSORS = 1 << 5,     /**< "I/O Tensors", or Datatype beside Format */
    FSD_SEEN_OLD_LINES = 1 << 6,      /**< a builder's line "x[Float(1,3)]" */
    FSD_SEEN_NEW_LINES = 1 << 7       /**< a builder's line "x (Float[1,3])" */
};

enum fsd_direction {
    FSD_DIRECTION_UNKNOWN,
    FSD_DIRECTION_IN,
    FSD_DIRECTION_OUT,
    FSD_DIRECTION_CONSTANT /**< of a layer: in its list of constants */
};

/** A tensor as a layer states it.  The name may be 0 (the dump gives none). */
struct fsd_build_tensor {
    fsd_sym name;
    fsd_sym format; /**< "Row major linear FP32"; 0 when absent */
    fsd_sym type;   /**< TensorRT 11's separate type; 0 when absent */
    bool ranked;
    const struct fsd_dim *dims; /**< borrowed for the call */
    uint32_t rank;
    const int64_t *strides;        /**< one per dimension, borrowed; NULL: not stated */
    const int64_t *order;          /**< rank of each stride, 0 the innermost;
                                        likewise */
    const struct fsd_dim *optimum; /**< binding: the sizes that TensorRT optimized for,
                                        one per dimension; NULL: not stated */
    fsd_sym ranges, outside;       /**< binding: as in fsd_tensor */
    uint16_t vector; /**< elements per vector along `vector_axis`; 0: not stated */
    uint8_t vector_axis;
};

struct fsd_build {
    struct fsd_graph *g;
    const struct fsd_vocab *vocab; /**< NULL: no model */
    struct fsd_name_reader names;
    unsigned seen;               /**< enum fsd_build_seen */
    fsd_sym version;             /**< as the input states it; 0: it does not */
    bool bound;                  /**< the dump lists its bindings */
    bool in_layer;               /**< between fsd_build_layer() and its end */
    struct fsd_node node;        /**< the layer that is being built */
    struct fsd_layer layer;      /**< its facts that only an engine's layer has */
    enum fsd_trt_origin origin;  /**< of that layer */
    fsd_sym subtype;             /**< ParameterType or PluginType; 0 when absent */
    bool elsewhere;              /**< this layer belongs to another profile */
    uint32_t remarks;            /**< that there were before it */
    FSD_VEC(int32_t) profile_of; /**< by region of kernels; -1: unknown */
    bool looked, ambiguous;      /**< whether the model's names hold FSD_TRT_PROFILE */
    FSD_VEC(uint8_t) uses;       /**< by tensor: produced, consumed */
    FSD_VEC(struct fsd_trt_format) formats; /**< that were read */
    FSD_VEC(fsd_id) format_of; /**< by symbol of the spelling, in formats; FSD_NONE */
};

void fsd_build_init(struct fsd_build *b, struct fsd_graph *g,
                    const struct fsd_vocab *vocab);

/* An engine has each of its layers once per optimization profile, and a run uses those
 * of one: layers and bindings of others are recognized by name and left out. g->profile
 * is the profile; if it is unset, that of the first layer. */

/** Looks at a layer's text before any layer is built: kernels do not have a profile's
 * number, but their tensors may, and all kernels of a region ("_myl1_7" is in region 1)
 *  belong to one profile.  Text without FSD_TRT_PROFILE need not be passed. */
void fsd_build_foresee(struct fsd_build *b, struct fsd_slice name,
                       struct fsd_slice text);

/** @param type 0 when the dump gives names only. */
void fsd_build_layer(struct fsd_build *b, fsd_sym name, fsd_sym type);
void fsd_build_port(struct fsd_build *b, enum fsd_direction direction,
                    const struct fsd_build_tensor *tensor);
void fsd_build_metadata(struct fsd_build *b, fsd_sym metadata);
void fsd_build_origin(struct fsd_build *b, fsd_sym origin);
/** Its lists are already in the graph's pools. */
void fsd_build_attr(struct fsd_build *b, struct fsd_attr attr);
void fsd_build_layer_end(struct fsd_build *b);

/** A remark on the current layer, or else on the dump. */
void fsd_build_remark(struct fsd_build *b, const char *rule, fsd_sym text);

/** A binding; its direction and form are known only from TensorRT 11 on. */
void fsd_build_binding(struct fsd_build *b, const struct fsd_build_tensor *tensor,
                       enum fsd_direction direction);

/** Finds inputs and outputs, names the generation, finishes the graph. */
void fsd_build_finish(struct fsd_build *b);

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

/** Reads one layer as a dump has it, an object or a name.
 *  @param number which of the file's layers, from 0: for messages. */
struct cJSON;
enum fsd_status fsd_json_layer(struct fsd_build *b, const struct fsd_file *file,
                               uint32_t number, const struct cJSON *layer,
                               struct fsd_error *err);

/** Fails if a file of its size may not have n layers. */
enum fsd_status fsd_json_layers_fit(const struct fsd_file *file, uint32_t n,
                                    struct fsd_error *err);

/** Reads one of "Bindings" or "I/O Tensors". */
enum fsd_status fsd_json_binding(struct fsd_build *b, const struct fsd_file *file,
                                 const struct cJSON *binding, struct fsd_error *err);

/* ----------------------------------------------------------------------- clean.c */

/* Converts almost-JSON to JSON, before cJSON parses it. */

struct fsd_cleaned {
    bool changed;   /**< the output differs from the input */
    size_t values;  /**< an upper bound on the number of values */
    uint32_t depth; /**< of JSON: how deep its lists and objects are nested */
};

/** Writes the bytes to `out` with these changes and returns how many there are then:
 *  control characters inside strings, which JSON forbids and some dumps have, are
 *  escaped; the zero byte, which a C string cannot hold, becomes the four characters
 *  \x00, escaped or not; NaN and Infinity become 1e999, which is no finite number
 *  either.  `out` may be NULL: then the bytes are only counted. */
size_t fsd_clean(const unsigned char *bytes, size_t n, char *out,
                 struct fsd_cleaned *about);

/** Where in the input the byte at `pos` of the output comes from. */
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

/** Reads what `polygraphy inspect model ENGINE` prints; the caller finishes the graph.
 *  @return FSD_OK; FSD_E_UNSUPPORTED where it has no layers; FSD_E_LIMIT;
 *          FSD_E_MEMORY. */
enum fsd_status fsd_inspected_read(struct fsd_build *b, const struct fsd_file *file,
                                   struct fsd_error *err);

/* ------------------------------------------------------------------ log_engine.c */

/* Engines in build logs, console logs and the inspector's text. */

/** Reads one engine of the file; the caller finishes the graph.
 *  @param number which, from 1; 0: the only one.
 *  @param scan the engines found in the file; NULL: they are searched here.
 *  @return FSD_OK; FSD_E_FORMAT when there is none; FSD_E_ARG when there are several
 *          and `number` is 0 (the message lists them), or fewer than `number`;
 *          FSD_E_LIMIT. */
enum fsd_status fsd_log_engine_read(struct fsd_build *b, const struct fsd_file *file,
                                    unsigned number, const struct fsd_log_scan *scan,
                                    struct fsd_error *err);

/* --------------------------------------------------------------------- profile.c */

/* Times that trtexec writes as JSON: --exportProfile and --exportTimes. */

/** Which JSON of times a file is; FSD_INPUT_ENGINE if none. */
enum fsd_input fsd_times_kind(const struct fsd_file *file);

/** Appends every profile of the file; a file may hold several, one list behind another.
 *  @param names interns the layers' names; most are the engine's.
 *  @return FSD_OK; FSD_E_FORMAT with the byte where the file is damaged, or when it is
 *          something else (a trace, a dump of layers); FSD_E_LIMIT. */
enum fsd_status fsd_profile_read(struct fsd_arena *arena, struct fsd_intern *names,
                                 const struct fsd_file *file, fsd_profile_vec *out,
                                 struct fsd_error *err);

/** Reads the file of --exportTimes; errors as above. */
enum fsd_status fsd_times_read(struct fsd_arena *arena, const struct fsd_file *file,
                               struct fsd_run_times *out, struct fsd_error *err);

/* ---------------------------------------------------------------------- tuning.c */

/** Reads the cache of a search over build routes into an empty one.
 *  @return FSD_OK, also when the file ends within an iteration (`out->cut`);
 *          FSD_E_FORMAT; FSD_E_LIMIT for more than 65,536 iterations. */
enum fsd_status fsd_tuning_read(struct fsd_arena *arena, struct fsd_intern *names,
                                const struct fsd_file *file, struct fsd_tuning *out,
                                struct fsd_error *err);

/* ---------------------------------------------------------------------- dryrun.c */

/** The type of a whole engine in what Torch-TensorRT prints of a dry run. */
#define FSD_TRT_DRY_RUN "TRT Engine"

/** Reads the engines, and the nodes that PyTorch runs, as layers.
 *  @return FSD_E_FORMAT, without a message, if there are none. */
enum fsd_status fsd_dryrun_read(struct fsd_build *b, const struct fsd_file *file,
                                struct fsd_error *err);

/* ------------------------------------------------------------------------ trex.c */

/** Whether a file is the metadata of trt-engine-explorer. */
bool fsd_trex_is(const struct fsd_file *file);

/** Reads the options of the build and the device that it states into an empty history,
 *  like those of a log. */
void fsd_trex_read(struct fsd_history *h, const struct fsd_file *file);

/* ----------------------------------------------------------------------- looks.c */

/* Whether names are those of layers, and what a file without any is. */

/** True for a name that a builder gives a layer, or a model's exporter a node. */
bool fsd_trt_looks_layer(const char *name);

/** True for a trace of PyTorch's own profiler: among the functions and operators of a
 *  whole program an engine is one call. */
bool fsd_trt_is_pytorch(const struct fsd_file *file);

/** @return FSD_E_UNSUPPORTED where the file is known to be another program's, else
 *          FSD_E_FORMAT; the error says what the file is, and which to give. */
enum fsd_status fsd_trt_refuse_json(const struct fsd_file *file,
                                    const struct cJSON *root, struct fsd_error *err);
/** Likewise of a file whose names are no layers'. */
enum fsd_status fsd_trt_refuse_names(const struct fsd_file *file,
                                     struct fsd_error *err);
enum fsd_status fsd_trt_refuse_text(const struct fsd_file *file, struct fsd_error *err);

/* ----------------------------------------------------------------------- trace.c */

/* Layer times of other profilers: traces, and lists by layer. */

/** True for what fsd_trace_read() reads, by its beginning. */
bool fsd_trace_is(const struct fsd_file *file);

/** As fsd_profile_read(). */
enum fsd_status fsd_trace_read(struct fsd_arena *arena, struct fsd_intern *names,
                               const struct fsd_file *file, fsd_profile_vec *out,
                               struct fsd_error *err);

/** Words of TensorRT that no name of a model makes: see fsd_engine_reader. */
extern const char fsd_trt_words[];
/** struct fsd_engine_reader.accepts_format(); format.c. */
bool fsd_trt_accepts_format(const struct fsd_graph *engine, enum fsd_dtype type,
                            const char *layout, uint32_t rank, bool input);

/** What they mean, for people; the last has no word.  glossary.c */
extern const struct fsd_gloss fsd_trt_glossary[];

#endif
