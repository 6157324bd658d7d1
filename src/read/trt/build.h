/* Builds the graph from a dump's layers, independently of the dump's syntax.  A reader
 * calls, for each layer,
 *
 *     fsd_build_layer(b, name, type);
 *     fsd_build_port(b, ...) for its inputs, then for its outputs
 *     fsd_build_metadata(b, text), fsd_build_attr(b, ...), and sets b->layer's fields
 *     fsd_build_layer_end(b);
 *
 * and, after all layers, fsd_build_binding() for each binding and fsd_build_finish().
 */
#pragma once

#include "base/base.h"
#include "model/graph/graph.h"
#include "read/trt/name.h"
#include "read/trt/trt.h"

/* Keys that show the generation of a dump (formats change, versions are not written).
 */
enum fsd_build_seen {
    FSD_SEEN_LOCATION = 1 << 0,       /**< a tensor has the key Location */
    FSD_SEEN_STREAM = 1 << 1,         /**< a layer has StreamId or Metadata */
    FSD_SEEN_CONVOLUTION = 1 << 2,    /**< a convolution lists its parameters */
    FSD_SEEN_DYNAMIC_FILTER = 1 << 3, /**< HasDynamicFilter */
    FSD_SEEN_KERNELS = 1 << 4,        /**< types kgen and gemm: Myelin's kernels are
                                           listed one by one */
    FSD_SEEN_IO_TENSORS = 1 << 5,     /**< "I/O Tensors", or Datatype beside Format */
    FSD_SEEN_OLD_LINES = 1 << 6,      /**< a builder's line "x[Float(1,3)]" */
    FSD_SEEN_NEW_LINES = 1 << 7       /**< a builder's line "x (Float[1,3])" */
};

enum fsd_direction {
    FSD_DIRECTION_UNKNOWN,
    FSD_DIRECTION_IN,
    FSD_DIRECTION_OUT,
    FSD_DIRECTION_CONSTANT /**< a layer's list of constants has it */
};

/** A tensor as a layer states it.  The name is 0 if the dump gives none. */
struct fsd_build_tensor {
    fsd_sym name;
    fsd_sym format; /**< "Row major linear FP32"; 0: absent */
    fsd_sym type;   /**< the separate type of TensorRT 11; 0: absent */
    bool ranked;
    const struct fsd_dim *dims; /**< borrowed for the call */
    uint32_t rank;
    const int64_t *strides;        /**< one per dimension, borrowed; NULL: not stated */
    const int64_t *order;          /**< rank of each stride, 0 for the innermost;
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
    fsd_sym version;             /**< as the input states it; 0: not stated */
    bool bound;                  /**< the dump lists its bindings */
    bool in_layer;               /**< between fsd_build_layer() and its end */
    struct fsd_node node;        /**< the layer that is being built */
    struct fsd_layer layer;      /**< the fields that only an engine's layer has */
    enum fsd_trt_origin origin;  /**< the origin of that layer */
    fsd_sym subtype;             /**< ParameterType or PluginType; 0: absent */
    bool elsewhere;              /**< the layer belongs to a different profile */
    uint32_t remarks;            /**< the number of remarks before the layer */
    FSD_VEC(int32_t) profile_of; /**< indexed by region of kernels; -1: unknown */
    bool looked, ambiguous;      /**< `looked`: `ambiguous` is set; it states whether
                                      the model's names contain FSD_TRT_PROFILE */
    FSD_VEC(uint8_t) uses;       /**< indexed by tensor: produced, consumed */
    FSD_VEC(struct fsd_trt_format) formats; /**< the formats read so far */
    FSD_VEC(fsd_id)
    format_of; /**< indexed by symbol of the spelling: the index in
                                    `formats`; FSD_NONE */
};

void fsd_build_init(struct fsd_build *b, struct fsd_graph *g,
                    const struct fsd_vocab *vocab);

/* An engine contains each layer once per optimization profile, and a run uses one
 * profile: layers and bindings of other profiles are recognized by name and left out.
 * g->profile is the profile; if it is unset, the first layer's profile is used. */

/** Looks at a layer's text before any layer is built, to find the optimization profile
 * of each region.  The names of kernels have no profile's number, but the names of
 * their tensors may, and all kernels of a region ("_myl1_7" is in region 1) belong to
 * one profile.  Text without FSD_TRT_PROFILE need not be passed. */
void fsd_build_foresee(struct fsd_build *b, struct fsd_slice name,
                       struct fsd_slice text);

/** @param type 0: the dump has only names */
void fsd_build_layer(struct fsd_build *b, fsd_sym name, fsd_sym type);
void fsd_build_port(struct fsd_build *b, enum fsd_direction direction,
                    const struct fsd_build_tensor *tensor);
void fsd_build_metadata(struct fsd_build *b, fsd_sym metadata);
void fsd_build_origin(struct fsd_build *b, fsd_sym origin);
/** The lists of `attr` are already in the graph's pools. */
void fsd_build_attr(struct fsd_build *b, struct fsd_attr attr);
void fsd_build_layer_end(struct fsd_build *b);

/** Adds a remark on the current layer, or on the dump if there is none. */
void fsd_build_remark(struct fsd_build *b, const char *rule, fsd_sym text);

/** Adds a binding; its direction and form are known only since TensorRT 11. */
void fsd_build_binding(struct fsd_build *b, const struct fsd_build_tensor *tensor,
                       enum fsd_direction direction);

/** Finds inputs and outputs, derives the version range, and finishes the graph. */
void fsd_build_finish(struct fsd_build *b);
