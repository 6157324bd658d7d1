/*
 * One line of a list of layers.  The builder's, since TensorRT 8.5 and up to 8.4:
 *
 *     Layer(Reformat): N, Tactic: 0x03e8, x (Float[-1,3:4,8]) -> y (Half[-1,3,8])
 *     Layer(Reformat): N, Tactic: 1000, x[Float(-2,3,8)] -> y[Half(-2,3,8)]
 *
 * and the inspector's, of which the rest is trt/inspector_text.c's:
 *
 *     Name: N, LayerType: Reformat, Inputs: [ { Name: x, ...
 *
 * Names may hold commas, arrows and brackets: the builder's layer ends at the last
 * ", Tactic: " with a number, a tensor where a type with dimensions and then a
 * separator stand.
 */
#ifndef FSD_LOG_LAYER_H
#define FSD_LOG_LAYER_H

#include "base/slice.h"
#include "model/graph.h"

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
    FSD_LOG_BROKEN  /**< text is left that is no tensor with its form: it is cut */
};

/** The next tensor; what was read is taken off `rest`.  `out->output` must be false at
 *  the beginning and is kept from call to call. */
enum fsd_log_step fsd_log_tensor_next(struct fsd_slice *rest,
                                      struct fsd_log_tensor *out);

#endif
