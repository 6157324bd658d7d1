/*
 * Which tensors of a model may be marked as outputs of the network, and what that does
 * to the engine's fusions.
 *
 *     x -> Conv -> t -> Relu -> u -> MaxPool        layer 1 is Conv + Relu
 *
 *     t   inside layer 1: marked, Conv and Relu become two layers
 *     u   between layers 1 and 2: marked, both stay as they are
 *
 * A fusion is a group of change/state/state.h: the nodes that some layers compute
 * together. The rules were found in rebuilt engines (tests/marks); each has a sentence
 * with the builder's reason.
 */
#ifndef FSD_MARK_MARK_H
#define FSD_MARK_MARK_H

#include "edit/run.h"

/** Where the values of a tensor are in the engine, exactly one. */
enum fsd_place {
    FSD_PLACE_BETWEEN, /**< a layer writes it; if marked, all fusions stay */
    FSD_PLACE_WRITTEN, /**< a layer writes it; if marked, a fusion may change */
    FSD_PLACE_INSIDE,  /**< only the layer that computes it has it */
    FSD_PLACE_GONE,    /**< no layer computes it under this name */
    FSD_PLACE_UNKNOWN, /**< the engine does not show it */
    FSD__PLACE_COUNT
};

/** Why it is there. */
enum fsd_place_why {
    FSD_WHY_NONE, /**< nothing that matters */
    FSD_WHY_INPUT,
    FSD_WHY_OUTPUT,   /**< it is an output already */
    FSD_WHY_CONV,     /**< a generated kernel of a Conv writes it */
    FSD_WHY_FORM,     /**< a generated kernel writes it in another form */
    FSD_WHY_READER,   /**< likewise, of the kernel that reads it */
    FSD_WHY_SHARED,   /**< products that one kernel computes read its duplicates, too */
    FSD_WHY_JOINED,   /**< one product of several that one kernel computes */
    FSD_WHY_IN_PLACE, /**< it is written in place into a Concat */
    FSD_WHY_CONCAT,   /**< a Concat makes it whose inputs are written in place */
    FSD_WHY_TURNED,   /**< a Transpose behind it is computed with what reads it */
    FSD_WHY_LOOP,     /**< control flow or a recurrent operator has it */
    FSD_WHY_BODY,     /**< it is in a body of control flow or of a function */
    FSD_WHY_SPREAD,   /**< several layers compute its fusion */
    FSD_WHY_QUANTIZED, /**< a Q makes it */
    FSD_WHY_FOLDED,
    FSD_WHY_SIZE,
    FSD_WHY_DEAD,
    FSD_WHY_MERGED,
    FSD_WHY_VIEW,
    FSD_WHY_SCALED,   /**< its consumers apply the scale of its DQ */
    FSD_WHY_PARTS,    /**< the inputs of a Concat are written in place */
    FSD_WHY_NO_LAYER, /**< no layer is known to compute it */
    FSD_WHY_OPAQUE,   /**< the layer is a region whose inside is unknown */
    FSD__WHY_COUNT
};

/** A tensor of the model. */
struct fsd_tensor_place {
    uint8_t place, why;
    fsd_id layer;  /**< the layer that writes it, or that it is inside of; FSD_NONE */
    fsd_id port;   /**< in the engine's `ports`: where it is written; FSD_NONE */
    fsd_id holder; /**< gone: the tensor that has its values; FSD_NONE */
    bool together; /**< free, and may be marked in one build with all others that are */
};

/** The kind of a group of nodes as a fusion, exactly one. */
enum fsd_fusion_kind {
    FSD_FUSION_NONE,       /**< one node */
    FSD_FUSION_VERTICAL,   /**< one node after the other */
    FSD_FUSION_HORIZONTAL, /**< products that share an input */
    FSD_FUSION_EPILOGUE,   /**< a product with its epilogue */
    FSD_FUSION_ATTENTION,  /**< two products and the Softmax between */
    FSD_FUSION_GROUP,      /**< any other, such as a region listed as one layer */
    FSD__FUSION_COUNT
};

/** How to split a fusion. */
struct fsd_break {
    fsd_id tensor;          /**< the tensor that splits it; FSD_NONE: no exact break is
                                 known */
    struct fsd_span passed; /**< in fsd_marks.pool: an If is to pass on these, of which
                                 `tensor` is the first; none: it is to be marked */
    const char *why;        /**< what the builder then does, or why there is no break */
    struct fsd_span groups; /**< the groups that change, in fsd_marks.pool, sorted */
};

struct fsd_marks {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    struct fsd_state *state;
    fsd_id *group_of;                /**< by node of the model; FSD_NONE: none */
    fsd_id *layer_of;                /**< by group: its first layer */
    uint8_t *kinds;                  /**< by group: enum fsd_fusion_kind */
    struct fsd_tensor_place *places; /**< by tensor of the model */
    struct fsd_break *breaks;        /**< by group */
    FSD_VEC(fsd_id) pool;
    fsd_id *next_same;        /**< by tensor: another one of the same value */
    uint32_t *stamps, *walks; /**< of fsd_marks_users() */
};

/** Computes all of it.
 *  @return to be freed by fsd_marks_free(); the run must outlive it. */
struct fsd_marks *fsd_marks_new(const struct fsd_diff *d);
void fsd_marks_free(struct fsd_marks *m); /**< may be NULL */

const char *fsd_place_name(unsigned value);       /**< "between" */
const char *fsd_place_why_name(unsigned why);     /**< "in-place"; "" of none */
const char *fsd_place_why_text(unsigned why);     /**< a sentence without a full stop;
                                                       "" */
const char *fsd_fusion_kind_name(unsigned value); /**< "epilogue"; "single" for none */

/** The group that computes a node, or one of its layers; FSD_NONE: none. */
fsd_id fsd_marks_owner(const struct fsd_marks *m, fsd_id node);

/** Whether an exact break of the group's fusion is known. */
static inline bool fsd_marks_has_break(const struct fsd_marks *m, fsd_id group)
{
    return m->breaks[group].tensor != FSD_NONE;
}

/** Whether only the layer that computes a tensor has it; false for FSD_NONE. */
static inline bool fsd_marks_is_inside(const struct fsd_marks *m, fsd_id tensor)
{
    return tensor != FSD_NONE && m->places[tensor].place == FSD_PLACE_INSIDE;
}

/** Whether it may be marked as an output without a fusion changing; false of what is an
 *  input or an output already. */
static inline bool fsd_tensor_is_free(const struct fsd_marks *m, fsd_id tensor)
{
    return m->places[tensor].place == FSD_PLACE_BETWEEN &&
           m->places[tensor].why == FSD_WHY_NONE;
}

/** Whether it may be marked in one build with all others of which this is true. */
static inline bool fsd_tensor_is_free_together(const struct fsd_marks *m, fsd_id tensor)
{
    return fsd_tensor_is_free(m, tensor) && m->places[tensor].together;
}

/** The i-th node of a group, by its number in the model. */
static inline fsd_id fsd_marks_node(const struct fsd_marks *m, fsd_id group, uint32_t i)
{
    const struct fsd_group *g = &m->state->groups.at[group];

    return m->state->number_of[m->state->refs.at[g->nodes.at + i]];
}

/** The groups of the layers that the word names, each once, in engine order.
 *  @return as fsd_pick_all(); FSD_E_ARG where none of the layers computes a node. */
enum fsd_status fsd_marks_pick(const struct fsd_marks *m, struct fsd_arena *arena,
                               const char *word, fsd_id_vec *groups,
                               struct fsd_error *err);

/** The input of the network on which the condition of an If may depend: the first one
 *  of numbers; FSD_NONE: none. */
fsd_id fsd_marks_condition(const struct fsd_diff *d);

/* What the files of this folder share. */

/** The consumers of a tensor's values, through nodes without a layer. */
struct fsd_users {
    FSD_VEC(fsd_id) groups; /**< each once */
    bool outside;  /**< an output of the model, or a layer that computes no core node */
    bool in_place; /**< a Concat that no layer computes */
    bool loops;    /**< control flow, or a recurrent operator */
};
struct fsd_users fsd_marks_users(const struct fsd_marks *m, fsd_id tensor);

/** Whether the kernel was generated for its nodes, and all its steps are known. */
bool fsd_layer_is_generated(const struct fsd_graph *engine, fsd_id layer);
/** Whether it is a Conv, Gemm or MatMul. */
bool fsd_node_is_product(const struct fsd_diff *d, fsd_id node);
bool fsd_node_is_conv(const struct fsd_diff *d, fsd_id node);

/** Whether it is several matrices, such as a batch of sequences: the builder computes
 *  products of it as of one matrix, with other sizes than the model's. */
bool fsd_marks_is_stack(const struct fsd_marks *m, fsd_id tensor);

void fsd_marks_add_kinds(struct fsd_marks *m);
void fsd_marks_add_places(struct fsd_marks *m);
void fsd_marks_add_breaks(struct fsd_marks *m);

/** "Conv_3 + Relu_4", at most three of a group's nodes, in the arena.  view.c */
const char *fsd_marks_called(struct fsd_arena *arena, const struct fsd_marks *m,
                             fsd_id group);

/** The view of them.  view.c */
fsd_view_fn fsd_view_tensors;

#endif
