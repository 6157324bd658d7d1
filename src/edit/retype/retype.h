/*
 * Gives a model the types that a builder chose. A weakly typed builder chooses the type
 * of each node; a strongly typed builder uses the types of the model:
 *
 *     model    x -fp32-> Conv -fp32-> Relu -fp32-> Softmax -fp32-> y
 *     engine             fp16         fp16         fp32
 *     typed    x -Cast-> Conv -fp16-> Relu -Cast-> Softmax -fp32-> y
 *
 * First, plan.c chooses the type of each node, and adds a Cast where producer and
 * consumer of a tensor have different types. Quantizers, and inputs and outputs of
 * graphs, keep their types. Then edit.c converts the plan to edits of the file.
 */
#pragma once

#include "edit/run.h"

/** What happens to the type of a node. */
enum fsd_retyped {
    FSD_RETYPED_NOT,       /**< the node has no floats, or already has the engine's
                                type */
    FSD_RETYPED_SET,       /**< the node gets the engine's type */
    FSD_RETYPED_FOLLOWS,   /**< the node only moves data, and gets the type of its
                                input */
    FSD_RETYPED_QUANTIZED, /**< the engine runs the node in a quantized type, which the
                                model's quantizers determine */
    FSD_RETYPED_LOST,      /**< the engine's type could not be applied */
    FSD__RETYPED_COUNT
};

struct fsd_retyped_node {
    enum fsd_retyped what;
    enum fsd_dtype chosen; /**< the engine's type; FSD_TF32 becomes FSD_FP32 */
    enum fsd_dtype type;   /**< the node's type in the typed model; FSD_DTYPE_UNKNOWN:
                                no floats */
    const char *why;       /**< for LOST: a string literal */
};

/** A tensor that a node reads in a different type than its producer writes. */
struct fsd_retyped_cast {
    fsd_id tensor;
    enum fsd_dtype to;
    bool constant; /**< the tensor is an initializer or the output of a Constant. Such
                        a tensor may need no Cast */
};

struct fsd_retype {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    struct fsd_retyped_node *nodes; /**< indexed by node */
    enum fsd_dtype *made;           /**< indexed by tensor: the type in which its node
                                         produces it */
    enum fsd_dtype *read;           /**< indexed by port: the type in which the node
                                         reads the tensor */
    bool *kept;   /**< indexed by tensor: the tensor is an output of a graph, and keeps
                       name and type */
    fsd_id *same; /**< indexed by tensor: the input of the model's Cast that produces
                       the tensor. A consumer that needs the type of this input will
                       read the input instead of the tensor. FSD_NONE: no Cast produces
                       the tensor, or no consumer needs this type */
    FSD_VEC(struct fsd_retyped_cast) casts; /**< sorted by tensor */
    uint32_t count[FSD__RETYPED_COUNT];     /**< indexed by enum fsd_retyped: number of
                                                 nodes */
};

/** Decides all types.
 *  @param d must outlive the plan */
struct fsd_retype *fsd_retype_new(struct fsd_arena *arena, const struct fsd_diff *d);

/** The edits that apply the plan.
 *  @param file the file of the model, in which initializers are searched */
struct fsd_onnx_edits *fsd_retype_edits(const struct fsd_retype *plan,
                                        const struct fsd_file *file);

/** Whether the type is FP32, FP16 or BF16, between which a Cast may convert. */
static inline bool fsd_is_float(enum fsd_dtype type)
{
    return type == FSD_FP32 || type == FSD_FP16 || type == FSD_BF16;
}

/** The model's own type of a tensor. */
enum fsd_dtype fsd_own_type(const struct fsd_graph *g, fsd_id tensor);

/** The view of the plan. view.c */
fsd_view_fn fsd_view_retype;
