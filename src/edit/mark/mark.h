/*
 * Finds the tensors of a model that may be marked as outputs of the network, and the
 * effect on the engine's fusions.
 *
 *     x -> Conv -> t -> Relu -> u -> MaxPool        layer 1 is Conv + Relu
 *
 *     t   inside layer 1: marked, Conv and Relu become two layers
 *     u   between layers 1 and 2: marked, both stay as they are
 *
 * A fusion is a group of change/state/state.h: the nodes that some layers compute
 * together.  The rules come from rebuilt engines (tests/marks); each has a sentence
 * with the builder's reason.
 */
#pragma once

#include "edit/run.h"

/** Where the values of a tensor are in the engine, exactly one. */
enum fsd_place {
    FSD_PLACE_BETWEEN, /**< a layer writes it; if marked, all fusions stay */
    FSD_PLACE_WRITTEN, /**< a layer writes it; if marked, a fusion may change */
    FSD_PLACE_INSIDE,  /**< it exists only inside the layer that computes it */
    FSD_PLACE_GONE,    /**< no layer computes it under this name */
    FSD_PLACE_UNKNOWN, /**< the engine does not show it */
    FSD__PLACE_COUNT
};

/** The reason for a tensor's place. */
enum fsd_place_why {
    FSD_WHY_NONE, /**< no particular reason */
    FSD_WHY_INPUT,
    FSD_WHY_OUTPUT,    /**< it already is an output */
    FSD_WHY_CONV,      /**< a generated kernel of a Conv writes it */
    FSD_WHY_FORM,      /**< a generated kernel writes it in a different form */
    FSD_WHY_READER,    /**< a generated kernel reads it in a different form */
    FSD_WHY_SHARED,    /**< its duplicates are also read, by products in one kernel */
    FSD_WHY_JOINED,    /**< it is one of several products in one kernel */
    FSD_WHY_IN_PLACE,  /**< it is written in place into a Concat */
    FSD_WHY_CONCAT,    /**< it is the output of a Concat whose inputs are written in
                           place */
    FSD_WHY_TURNED,    /**< a Transpose after it is computed together with its
                           consumer */
    FSD_WHY_LOOP,      /**< control flow or a recurrent operator uses it */
    FSD_WHY_BODY,      /**< it is in a body of control flow or of a function */
    FSD_WHY_SPREAD,    /**< several layers compute its fusion */
    FSD_WHY_QUANTIZED, /**< it is the output of a Q */
    FSD_WHY_FOLDED,
    FSD_WHY_SIZE,
    FSD_WHY_DEAD,
    FSD_WHY_MERGED,
    FSD_WHY_VIEW,
    FSD_WHY_SCALED,   /**< its consumers apply the scale of its DQ */
    FSD_WHY_PARTS,    /**< the inputs of a Concat are written in place */
    FSD_WHY_NO_LAYER, /**< no layer is known to compute it */
    FSD_WHY_OPAQUE,   /**< the layer is a region whose contents are unknown */
    FSD__WHY_COUNT
};

/** A tensor of the model. */
struct fsd_tensor_place {
    uint8_t place, why;
    fsd_id layer;  /**< the layer that writes it or contains it; FSD_NONE */
    fsd_id port;   /**< in the engine's `ports`: the port that writes it; FSD_NONE */
    fsd_id holder; /**< GONE: the tensor that has its values; FSD_NONE */
    bool together; /**< it is free, and may be marked in one build together with all
                        other tensors that have this flag */
};

/** The kind of a group as a fusion, exactly one. */
enum fsd_fusion_kind {
    FSD_FUSION_NONE,       /**< a single node */
    FSD_FUSION_VERTICAL,   /**< consecutive nodes */
    FSD_FUSION_HORIZONTAL, /**< products that share an input */
    FSD_FUSION_EPILOGUE,   /**< a product with its epilogue */
    FSD_FUSION_ATTENTION,  /**< two products and the Softmax between them */
    FSD_FUSION_GROUP,      /**< any other, such as a region listed as one layer */
    FSD__FUSION_COUNT
};

/** How to split a fusion. */
struct fsd_break {
    fsd_id tensor;          /**< the tensor that splits the fusion; FSD_NONE: no exact
                                 break is known */
    struct fsd_span passed; /**< in fsd_marks.pool: tensors that an If forwards,
                                 `tensor` first; none: `tensor` is marked */
    const char *why;        /**< the builder's reaction, or the reason why there is no
                                 break */
    struct fsd_span groups; /**< the groups that change, in fsd_marks.pool, sorted */
};

struct fsd_marks {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    struct fsd_state *state;
    fsd_id *group_of;                /**< indexed by node of the model; FSD_NONE:
                                          none */
    fsd_id *layer_of;                /**< indexed by group: its first layer */
    uint8_t *kinds;                  /**< indexed by group: enum fsd_fusion_kind */
    struct fsd_tensor_place *places; /**< indexed by tensor of the model */
    struct fsd_break *breaks;        /**< indexed by group */
    FSD_VEC(fsd_id) pool;
    struct fsd_outlook *reach; /**< facts about the model, for breaks by an If */
    fsd_id *next_same;         /**< indexed by tensor: the next one with the same
                                   value */
    struct fsd_users **users;  /**< indexed by value of a tensor: see
                                   fsd_marks_users(); NULL: not known yet */
    uint32_t *stamps, *walks;  /**< for fsd_marks_users(): the last walk that visited
                                    each value and group; the number of walks */
};

/** Computes all members.
 *  @return to be freed by fsd_marks_free(); the run must outlive it */
struct fsd_marks *fsd_marks_new(const struct fsd_diff *d);
void fsd_marks_free(struct fsd_marks *m); /**< may be NULL */

const char *fsd_place_name(unsigned value);       /**< "between" */
const char *fsd_place_why_name(unsigned why);     /**< "in-place"; "" if there is no
                                                       reason */
const char *fsd_place_why_text(unsigned why);     /**< a sentence without a full stop;
                                                       "" */
const char *fsd_fusion_kind_name(unsigned value); /**< "epilogue"; "single" for a group
                                                       of one node */

/** The group that computes a node, or that contains one of its layers; FSD_NONE: none.
 */
fsd_id fsd_marks_owner(const struct fsd_marks *m, fsd_id node);

/** Whether an exact break of the group's fusion is known. */
static inline bool fsd_marks_has_break(const struct fsd_marks *m, fsd_id group)
{
    return m->breaks[group].tensor != FSD_NONE;
}

/** Whether a tensor exists only inside the layer that computes it; false for FSD_NONE.
 */
static inline bool fsd_marks_is_inside(const struct fsd_marks *m, fsd_id tensor)
{
    return tensor != FSD_NONE && m->places[tensor].place == FSD_PLACE_INSIDE;
}

/** Whether the tensor may be marked as an output without changing a fusion; false for
 * an input or output. */
static inline bool fsd_tensor_is_free(const struct fsd_marks *m, fsd_id tensor)
{
    return m->places[tensor].place == FSD_PLACE_BETWEEN &&
           m->places[tensor].why == FSD_WHY_NONE;
}

/** Whether the tensor may be marked in one build together with all others for which
 * this is true. */
static inline bool fsd_tensor_is_free_together(const struct fsd_marks *m, fsd_id tensor)
{
    return fsd_tensor_is_free(m, tensor) && m->places[tensor].together;
}

/** The i-th node of a group, as a number in the model. */
static inline fsd_id fsd_marks_node(const struct fsd_marks *m, fsd_id group, uint32_t i)
{
    const struct fsd_group *g = &m->state->groups.at[group];

    return m->state->number_of[m->state->refs.at[g->nodes.at + i]];
}

/** The groups of the layers that the word names, each once, in engine order.
 *  @return like fsd_pick_all(); FSD_E_ARG if none of the layers computes a node */
enum fsd_status fsd_marks_pick(const struct fsd_marks *m, struct fsd_arena *arena,
                               const char *word, fsd_id_vec *groups,
                               struct fsd_error *err);

/** The network input on which the condition of an If may depend: the first numeric one;
 *  FSD_NONE: none. */
fsd_id fsd_marks_condition(const struct fsd_diff *d);

/* Shared by the files of this folder. */

/** The consumers of a tensor's values, found through nodes without a layer. */
struct fsd_users {
    fsd_id_vec groups; /**< each once, in the order in which they are found */
    fsd_id *sorted;    /**< the same groups, ascending */
    bool outside;  /**< an output of the model, or a layer that computes no core node,
                        uses it */
    bool in_place; /**< a Concat that no layer computes uses it */
    bool loops;    /**< control flow, or a recurrent operator, uses it */
    bool merged;   /**< one of several nodes that compute these values is merged */
    bool joined;   /**< one of the groups has several products in one kernel */
};

/** Tensors of equal values share their consumers, which are found once.
 *  @return never NULL; FSD_NONE has no consumers */
const struct fsd_users *fsd_marks_users(const struct fsd_marks *m, fsd_id tensor);

bool fsd_users_have(const struct fsd_users *users, fsd_id group);

/** Whether the kernel was generated for its nodes, and all its steps are known. */
bool fsd_layer_is_generated(const struct fsd_graph *engine, fsd_id layer);
/** Whether the node is a Conv, Gemm or MatMul. */
bool fsd_node_is_product(const struct fsd_diff *d, fsd_id node);
bool fsd_node_is_conv(const struct fsd_diff *d, fsd_id node);

/** Whether the tensor consists of several matrices, such as a batch of sequences: the
 *  builder computes its products as those of one matrix, with sizes that differ from
 *  the model's. */
bool fsd_marks_is_stack(const struct fsd_marks *m, fsd_id tensor);

void fsd_marks_add_kinds(struct fsd_marks *m);
void fsd_marks_add_places(struct fsd_marks *m);
void fsd_marks_add_breaks(struct fsd_marks *m);

/** "Conv_3 + Relu_4", at most three of a group's nodes, in the arena.  view.c */
const char *fsd_marks_called(struct fsd_arena *arena, const struct fsd_marks *m,
                             fsd_id group);

/** The view of the marks. view.c */
fsd_view_fn fsd_view_tensors;
