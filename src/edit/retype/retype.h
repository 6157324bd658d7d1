/*
 * Applies the precisions that a builder chose to the model's types.  A weakly typed
 * builder chooses the type of each node; a strongly typed one uses the model's:
 *
 *     model    x -fp32-> Conv -fp32-> Relu -fp32-> Softmax -fp32-> y
 *     engine             fp16         fp16         fp32
 *     typed    x -Cast-> Conv -fp16-> Relu -Cast-> Softmax -fp32-> y
 *
 * First each node gets a type, or keeps its own (plan.c); Casts are added where the
 * types at a tensor then differ.  Inputs and outputs of graphs keep their types, and so
 * do quantizers.  Then the plan becomes edits of the file (edit.c).
 */
#pragma once

#include "edit/run.h"

/** What happens to the type of a node: exactly one of these. */
enum fsd_retyped {
    FSD_RETYPED_NOT,       /**< it has no floats, or the model's type is already the
                                engine's */
    FSD_RETYPED_SET,       /**< it gets the engine's type */
    FSD_RETYPED_FOLLOWS,   /**< it moves data, and gets the type of its input */
    FSD_RETYPED_QUANTIZED, /**< the engine runs it in a quantized type, which the
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

/** A tensor that is needed in a different type than that of its producer. */
struct fsd_retyped_cast {
    fsd_id tensor;
    enum fsd_dtype to;
    bool constant; /**< an initializer or output of a Constant, which may need no
                        Cast */
};

struct fsd_retype {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    struct fsd_retyped_node *nodes; /**< indexed by node */
    enum fsd_dtype *made;           /**< indexed by tensor: the type of its producer's
                                         output */
    enum fsd_dtype *read;           /**< indexed by port: the type that the node
                                         reads */
    bool *kept;   /**< indexed by tensor: an output of a graph, which keeps its name and
                       type */
    fsd_id *same; /**< indexed by tensor: the tensor from which a Cast of the model
                       produces it; consumers of that type read it instead; FSD_NONE */
    FSD_VEC(struct fsd_retyped_cast) casts; /**< sorted by tensor */
    uint32_t count[FSD__RETYPED_COUNT];     /**< number of nodes */
};

/** Decides all types.
 *  @param d must outlive the plan */
struct fsd_retype *fsd_retype_new(struct fsd_arena *arena, const struct fsd_diff *d);

/** The edits that apply the plan.
 * @param file the file of the model, in which weights are searched */
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
