/*
 * From what a dump says of a layer to the graph, whatever the dump's syntax.  A reader
 * calls, for each layer,
 *
 *     fsd_build_layer(b, name, type);
 *     fsd_build_port(b, ...) for its inputs, then for its outputs
 *     fsd_build_metadata(b, text), fsd_build_attr(b, ...), and sets b->layer's fields
 *     fsd_build_layer_end(b);
 *
 * and, when all layers are in, fsd_build_binding() for each binding and
 * fsd_build_finish().
 */
#ifndef FSD_TRT_BUILD_H
#define FSD_TRT_BUILD_H

#include "model/graph.h"
#include "model/vocab.h"
#include "trt/kind.h"
#include "trt/name.h"

/* Keys that tell the generation of a dump (formats change, versions are not written).
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

/** A tensor as a layer shows it.  The name may be 0 (the dump gives none). */
struct fsd_build_tensor {
    fsd_sym name;
    fsd_sym format; /**< "Row major linear FP32"; 0 when absent */
    fsd_sym type;   /**< TensorRT 11's separate type; 0 when absent */
    bool ranked;
    const struct fsd_dim *dims; /**< borrowed for the call */
    uint32_t rank;
    const int64_t *strides; /**< one a dimension, borrowed; NULL: not told */
    const int64_t *order;   /**< of the strides, 0 the innermost; likewise */
    uint16_t vector;        /**< elements a vector along `vector_axis`; 0: not told */
    uint8_t vector_axis;
};

struct fsd_build {
    struct fsd_graph *g;
    const struct fsd_vocab *vocab; /**< NULL: no model */
    struct fsd_name_reader names;
    unsigned seen;                /**< enum fsd_build_seen */
    fsd_sym version;              /**< as the input names it; 0: it does not */
    bool bound;                   /**< the dump lists its bindings */
    bool in_layer;                /**< between fsd_build_layer() and its end */
    struct fsd_node node;         /**< the layer that is being built */
    struct fsd_layer layer;       /**< and what only an engine's layer has */
    enum fsd_trt_origin origin;   /**< of that layer */
    fsd_sym subtype;              /**< ParameterType or PluginType; 0 when absent */
    FSD_VEC(uint8_t) uses;        /**< by tensor: produced, consumed */
    FSD_VEC(uint8_t) odd_formats; /**< by symbol: this spelling has had its remark */
};

void fsd_build_init(struct fsd_build *b, struct fsd_graph *g,
                    const struct fsd_vocab *vocab);

/** @param type 0 when the dump gives names only. */
void fsd_build_layer(struct fsd_build *b, fsd_sym name, fsd_sym type);
void fsd_build_port(struct fsd_build *b, enum fsd_direction direction,
                    const struct fsd_build_tensor *tensor);
void fsd_build_metadata(struct fsd_build *b, fsd_sym metadata);
void fsd_build_origin(struct fsd_build *b, fsd_sym origin);
/** Its lists have been appended to the graph's pools. */
void fsd_build_attr(struct fsd_build *b, struct fsd_attr attr);
void fsd_build_layer_end(struct fsd_build *b);

/** A remark on the layer that is being built; outside any, on the dump. */
void fsd_build_remark(struct fsd_build *b, const char *rule, fsd_sym text);

/** A binding; its direction and form are known only from TensorRT 11 on. */
void fsd_build_binding(struct fsd_build *b, const struct fsd_build_tensor *tensor,
                       enum fsd_direction direction);

/** Tells in- and outputs, names the generation, finishes the graph. */
void fsd_build_finish(struct fsd_build *b);

#endif
