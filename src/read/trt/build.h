/* Builds the graph of an engine, independently of the syntax of the dump.  For each
 * layer, a reader calls
 *
 *     fsd_build_layer(b, name, type);
 *     fsd_build_port(b, ...) for its inputs, then for its outputs
 *     fsd_build_metadata(b, text), fsd_build_attr(b, ...), and sets b->layer's fields
 *     fsd_build_layer_end(b);
 *
 * After all layers, the reader calls fsd_build_binding() for each binding, and then
 * fsd_build_finish().
 */
#pragma once

#include "base/base.h"
#include "model/graph/graph.h"
#include "read/trt/name.h"
#include "read/trt/trt.h"

/* Properties of a dump that show which versions of TensorRT may have written it; a dump
 * does not state its version.
 */
enum fsd_build_seen {
    FSD_SEEN_LOCATION = 1 << 0,       /**< a tensor has the key Location */
    FSD_SEEN_STREAM = 1 << 1,         /**< a layer has StreamId or Metadata */
    FSD_SEEN_CONVOLUTION = 1 << 2,    /**< a convolution lists its parameters */
    FSD_SEEN_DYNAMIC_FILTER = 1 << 3, /**< a layer has the key HasDynamicFilter */
    FSD_SEEN_KERNELS = 1 << 4,        /**< layers have the types kgen and gemm: the dump
                                           lists each kernel of Myelin */
    FSD_SEEN_IO_TENSORS = 1 << 5,     /**< the dump has the key "I/O Tensors", or a
                                           tensor has both Datatype and Format */
    FSD_SEEN_OLD_LINES = 1 << 6,      /**< a line of the builder has the form
                                           "x[Float(1,3)]" */
    FSD_SEEN_NEW_LINES = 1 << 7       /**< a line of the builder has the form "x
                                           (Float[1,3])" */
};

enum fsd_direction {
    FSD_DIRECTION_UNKNOWN,
    FSD_DIRECTION_IN,
    FSD_DIRECTION_OUT,
    FSD_DIRECTION_CONSTANT /**< the tensor is in the layer's list of constants */
};

/** A tensor, as a layer or a binding states it.  The name is 0 if the dump states
 * none. */
struct fsd_build_tensor {
    fsd_sym name;
    fsd_sym format; /**< the format, "Row major linear FP32"; 0: not stated */
    fsd_sym type;   /**< the type, which TensorRT 11 states separately; 0: not stated */
    bool ranked;
    const struct fsd_dim *dims; /**< the sizes; must be valid during the call */
    uint32_t rank;
    const int64_t *strides;        /**< one per dimension; must be valid during the
                                        call; NULL: not stated */
    const int64_t *order;          /**< for each dimension: 0 if it is the innermost, 1
                                        if it is the next one, and so on; must be valid
                                        during the call; NULL: not stated */
    const struct fsd_dim *optimum; /**< for a binding: the optimum sizes, one per
                                        dimension; NULL: not stated */
    fsd_sym ranges, outside;       /**< for a binding: as in struct fsd_tensor */
    uint16_t vector; /**< the number of elements per vector along `vector_axis`; 0: not
                          stated */
    uint8_t vector_axis;
};

struct fsd_build {
    struct fsd_graph *g;
    const struct fsd_vocab *vocab; /**< NULL: no model */
    struct fsd_name_reader names;
    unsigned seen;               /**< a set of enum fsd_build_seen */
    fsd_sym version;             /**< the version of TensorRT, as the input states it;
                                      0: not stated */
    bool bound;                  /**< the dump lists its bindings */
    bool in_layer;               /**< true between fsd_build_layer() and
                                      fsd_build_layer_end() */
    struct fsd_node node;        /**< the current layer */
    struct fsd_layer layer;      /**< further facts about the current layer; nodes of a
                                      model do not have them */
    enum fsd_trt_origin origin;  /**< the origin of the current layer */
    fsd_sym subtype;             /**< the current layer's ParameterType or PluginType;
                                      0: not stated */
    bool elsewhere;              /**< the current layer belongs to another optimization
                                      profile */
    uint32_t remarks;            /**< g->remarks.n before the current layer */
    FSD_VEC(int32_t) profile_of; /**< indexed by region: its profile; -1: unknown */
    bool looked, ambiguous;      /**< `looked`: `ambiguous` is already known;
                                      `ambiguous`: a name of the model contains
                                      FSD_TRT_PROFILE */
    FSD_VEC(uint8_t) uses;       /**< indexed by tensor: produced, consumed, or both */
    FSD_VEC(struct fsd_trt_format) formats; /**< the formats that were read so far */
    FSD_VEC(fsd_id)
    format_of; /**< indexed by symbol of the spelling: the index in `formats`; FSD_NONE:
                    not yet read */
};

void fsd_build_init(struct fsd_build *b, struct fsd_graph *g,
                    const struct fsd_vocab *vocab);

/* An engine contains each layer once per optimization profile.  The graph has only the
 * layers of one profile: g->profile or, if this is not set, the profile of the first
 * layer.  The names of layers and bindings show their profile. */

/** Finds the optimization profile of a kernel's region.  The name of a kernel has no
 *  number of a profile, but the names of its tensors may have one.  All kernels of a
 *  region ("_myl1_7" is in region 1) belong to one profile.  Before the first layer is
 *  built, the reader must call this function for each layer whose text has
 *  FSD_TRT_PROFILE.
 *  @param name  the name of the layer
 *  @param text  the text of the layer, with the names of its tensors */
void fsd_build_foresee(struct fsd_build *b, struct fsd_slice name,
                       struct fsd_slice text);

/** Begins a layer.
 * @param type  the LayerType; 0: the dump has only names */
void fsd_build_layer(struct fsd_build *b, fsd_sym name, fsd_sym type);
void fsd_build_port(struct fsd_build *b, enum fsd_direction direction,
                    const struct fsd_build_tensor *tensor);
void fsd_build_metadata(struct fsd_build *b, fsd_sym metadata);
void fsd_build_origin(struct fsd_build *b, fsd_sym origin);
/** Adds an attribute to the current layer.  The lists of `attr` must already be in the
 * graph's pools. */
void fsd_build_attr(struct fsd_build *b, struct fsd_attr attr);
void fsd_build_layer_end(struct fsd_build *b);

/** Adds a remark about the current layer or, if there is none, about the dump. */
void fsd_build_remark(struct fsd_build *b, const char *rule, fsd_sym text);

/** Adds a binding.  Only TensorRT 11 and later state its direction and form. */
void fsd_build_binding(struct fsd_build *b, const struct fsd_build_tensor *tensor,
                       enum fsd_direction direction);

/** Finds the inputs and outputs of the engine, derives the range of TensorRT versions,
 * and finishes the graph. */
void fsd_build_finish(struct fsd_build *b);
