/*
 * The precision that a builder chose, as types of the model.  A weakly typed builder
 * picks the type of each node; a strongly typed one takes the model's:
 *
 *     model    x -fp32-> Conv -fp32-> Relu -fp32-> Softmax -fp32-> y
 *     engine             fp16         fp16         fp32
 *     typed    x -Cast-> Conv -fp16-> Relu -Cast-> Softmax -fp32-> y
 *
 * First each node gets a type, or keeps its own (plan.c); what then does not agree on a
 * tensor gets a Cast.  Inputs and outputs of graphs keep their types, and so do
 * quantizers.  Then the plan becomes edits of the file (edit.c).
 */
#ifndef FSD_RETYPE_RETYPE_H
#define FSD_RETYPE_RETYPE_H

#include "edit/run.h"

/** What becomes of a node's type: exactly one. */
enum fsd_retyped {
    FSD_RETYPED_NOT,       /**< it has no floats, or the model's type is the engine's */
    FSD_RETYPED_SET,       /**< it gets the engine's type */
    FSD_RETYPED_FOLLOWS,   /**< it moves data, and has the type of what it reads */
    FSD_RETYPED_QUANTIZED, /**< the engine runs it in a quantized type, of which the
                                quantizers of the model decide */
    FSD_RETYPED_LOST,      /**< the engine's type could not be carried over */
    FSD__RETYPED_COUNT
};

struct fsd_retyped_node {
    enum fsd_retyped what;
    enum fsd_dtype chosen; /**< the engine's; FSD_TF32 is FSD_FP32 */
    enum fsd_dtype type;   /**< in the typed model; FSD_DTYPE_UNKNOWN: no floats */
    const char *why;       /**< of LOST: a literal */
};

/** A tensor that is needed in another type than it is made in. */
struct fsd_retyped_cast {
    fsd_id tensor;
    enum fsd_dtype to;
    bool constant; /**< an initializer, or of a Constant: maybe it needs no Cast */
};

struct fsd_retype {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    struct fsd_retyped_node *nodes; /**< by node */
    enum fsd_dtype *made;           /**< by tensor: the type in which it is made */
    enum fsd_dtype *read;           /**< by port: the type that the node reads */
    bool *kept;   /**< by tensor: an output of a graph, whose name keeps its type */
    fsd_id *same; /**< by tensor: what a Cast of the model widens to it, which is read
                       in its place by who reads that type; FSD_NONE */
    FSD_VEC(struct fsd_retyped_cast) casts; /**< by tensor */
    uint32_t count[FSD__RETYPED_COUNT];     /**< nodes */
};

/** Decides all of it.
 *  @param d  outlives the plan. */
struct fsd_retype *fsd_retype_new(struct fsd_arena *arena, const struct fsd_diff *d);

/** The edits that make it.
 *  @param file  of the model, from which weights are looked up. */
struct fsd_onnx_edits *fsd_retype_edits(const struct fsd_retype *plan,
                                        const struct fsd_file *file);

/** True of FP32, FP16 and BF16: types that a Cast may exchange. */
static inline bool fsd_is_float(enum fsd_dtype type)
{
    return type == FSD_FP32 || type == FSD_FP16 || type == FSD_BF16;
}

/** The model's own type of a tensor. */
static inline enum fsd_dtype fsd_own_type(const struct fsd_graph *g, fsd_id tensor)
{
    return fsd_tensor_form(g, tensor)->type;
}

/** The view of it.  view.c */
fsd_view_fn fsd_view_retype;

#endif
