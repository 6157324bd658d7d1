/*
 * Finds which tensors of a model may be marked as outputs of the network, and how marks
 * change the engine's fusions.
 *
 *     x -> Conv -> t -> Relu -> u -> MaxPool        layer 1 is Conv + Relu
 *
 *     t   inside layer 1: if marked, Conv and Relu are two layers
 *     u   between layers 1 and 2: if marked, both stay as they are
 *
 * A fusion is a group (change/state/state.h): nodes that layers compute together. The
 * rules come from rebuilt engines (tests/marks). Each rule has a sentence with the
 * builder's reason.
 */
#pragma once

#include "edit/run.h"

/** Where the values of a tensor are in the engine. */
enum fsd_place {
    FSD_PLACE_BETWEEN, /**< a layer writes the tensor, and a mark changes no fusion */
    FSD_PLACE_WRITTEN, /**< a layer writes the tensor, and a mark may change a fusion */
    FSD_PLACE_INSIDE,  /**< the tensor exists only inside the layer that computes it */
    FSD_PLACE_GONE,    /**< no layer computes the tensor as a tensor of its own */
    FSD_PLACE_UNKNOWN, /**< the engine does not show where the tensor is */
    FSD__PLACE_COUNT
};

/** The reason for a tensor's place. */
enum fsd_place_why {
    FSD_WHY_NONE, /**< none */
    FSD_WHY_INPUT,
    FSD_WHY_OUTPUT,    /**< the tensor is an output of the network */
    FSD_WHY_CONV,      /**< a generated kernel of a Conv writes the tensor */
    FSD_WHY_FORM,      /**< a generated kernel writes the tensor in a layout or shape
                            that an output of the network does not have */
    FSD_WHY_READER,    /**< a generated kernel reads the tensor in a layout or shape
                            that an output of the network does not have */
    FSD_WHY_SHARED,    /**< products in one kernel read the tensor and its duplicates */
    FSD_WHY_JOINED,    /**< the tensor is the result of one of several products in one
                            kernel */
    FSD_WHY_IN_PLACE,  /**< the layer writes the tensor in place into a Concat */
    FSD_WHY_CONCAT,    /**< the tensor is the output of a Concat, and layers write the
                            inputs in place */
    FSD_WHY_TURNED,    /**< the kernel that reads the tensor transposes it */
    FSD_WHY_LOOP,      /**< control flow or a recurrent operator uses the tensor */
    FSD_WHY_BODY,      /**< the tensor is in a body of control flow or of a function */
    FSD_WHY_SPREAD,    /**< several layers compute the fusion */
    FSD_WHY_QUANTIZED, /**< the tensor is the output of a Q */
    FSD_WHY_FOLDED,
    FSD_WHY_SIZE,
    FSD_WHY_DEAD,
    FSD_WHY_MERGED,
    FSD_WHY_VIEW,
    FSD_WHY_SCALED,   /**< the consumers of the tensor apply the scale of its DQ */
    FSD_WHY_PARTS,    /**< the tensor is the output of a Concat that no layer computes,
                           because layers write the inputs in place */
    FSD_WHY_NO_LAYER, /**< no layer is known to compute the tensor */
    FSD_WHY_OPAQUE,   /**< the layer is a region whose contents are unknown */
    FSD__WHY_COUNT
};

/** A tensor of the model. */
struct fsd_tensor_place {
    uint8_t place, why;
    fsd_id layer;  /**< the layer that writes the tensor or, for FSD_PLACE_INSIDE,
                        contains it; FSD_NONE: none */
    fsd_id port;   /**< the engine's port that writes the tensor; FSD_NONE: unknown */
    fsd_id holder; /**< for FSD_PLACE_GONE: another tensor with the same values;
                        FSD_NONE: none */
    bool together; /**< if one build marks all tensors with this flag, no fusion
                        changes */
};

/** The kind of a group as a fusion. */
enum fsd_fusion_kind {
    FSD_FUSION_NONE,       /**< a single node */
    FSD_FUSION_VERTICAL,   /**< nodes in a row, without a product */
    FSD_FUSION_HORIZONTAL, /**< products that share an input */
    FSD_FUSION_EPILOGUE,   /**< a product and nodes after it */
    FSD_FUSION_ATTENTION,  /**< two products and the Softmax between them */
    FSD_FUSION_GROUP,      /**< any other fusion, such as a region that is one layer */
    FSD__FUSION_COUNT
};

/** How to split a fusion. */
struct fsd_break {
    fsd_id tensor;          /**< the tensor to mark or forward; FSD_NONE: no exact break
                                 is known */
    struct fsd_span passed; /**< a span of fsd_marks.pool: tensors that Ifs forward,
                                 `tensor` first; empty: `tensor` is marked */
    const char *why;        /**< what the builder does because of the break, or why
                                 there is no break */
    struct fsd_span groups; /**< a span of fsd_marks.pool: the groups that change,
                                 sorted */
};

struct fsd_marks {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    struct fsd_state *state;
    fsd_id *group_of;                /**< indexed by node of the model: its group;
                                          FSD_NONE: none */
    fsd_id *layer_of;                /**< indexed by group: its first layer */
    uint8_t *kinds;                  /**< indexed by group: enum fsd_fusion_kind */
    struct fsd_tensor_place *places; /**< indexed by tensor of the model */
    struct fsd_break *breaks;        /**< indexed by group */
    FSD_VEC(fsd_id) pool;
    struct fsd_outlook *outlook; /**< facts about the model, for breaks by an If */
    fsd_id *next_same;           /**< indexed by tensor: the next tensor with the same
                                    value */
    struct fsd_users **users;    /**< indexed by value (fsd_facts.value): the result of
                                    fsd_marks_users(); NULL: not known yet */
    uint32_t *stamps, *walks;    /**< for fsd_marks_users(). *walks: number of walks so
                                    far. stamps: first an entry for each tensor (value),
                                    then an entry for each group. An entry is the number
                                    of the last walk that visited the value or group */
};

/** Finds all places, kinds and breaks.
 *  @return to be freed by fsd_marks_free(); the run must outlive it */
struct fsd_marks *fsd_marks_new(const struct fsd_diff *d);
void fsd_marks_free(struct fsd_marks *m); /**< may be NULL */

const char *fsd_place_name(unsigned value);       /**< "between" */
const char *fsd_place_why_name(unsigned why);     /**< "in-place"; "" if there is no
                                                       reason */
const char *fsd_place_why_text(unsigned why);     /**< a sentence without a full stop;
                                                       "" if there is no reason */
const char *fsd_fusion_kind_name(unsigned value); /**< "epilogue"; "single" for a group
                                                       of one node */

/** The group of a node. If the node is in no group: the group of the first of its
 *  layers that has a group; FSD_NONE if there is none. */
fsd_id fsd_marks_owner(const struct fsd_marks *m, fsd_id node);

/** Whether an exact break of the group's fusion is known. */
static inline bool fsd_marks_has_break(const struct fsd_marks *m, fsd_id group)
{
    return m->breaks[group].tensor != FSD_NONE;
}

/** Whether a tensor exists only inside the layer that computes it. False for
 *  FSD_NONE. */
static inline bool fsd_marks_is_inside(const struct fsd_marks *m, fsd_id tensor)
{
    return tensor != FSD_NONE && m->places[tensor].place == FSD_PLACE_INSIDE;
}

/** Whether marking the tensor as an output changes no fusion. False for an input or
 *  output of the network. */
static inline bool fsd_tensor_is_free(const struct fsd_marks *m, fsd_id tensor)
{
    return m->places[tensor].place == FSD_PLACE_BETWEEN &&
           m->places[tensor].why == FSD_WHY_NONE;
}

/** Whether the tensor is free even if all tensors with the flag `together` are marked
 *  in one build. */
static inline bool fsd_tensor_is_free_together(const struct fsd_marks *m, fsd_id tensor)
{
    return fsd_tensor_is_free(m, tensor) && m->places[tensor].together;
}

/** The i-th node of a group, as its number in the model. */
static inline fsd_id fsd_marks_node(const struct fsd_marks *m, fsd_id group, uint32_t i)
{
    const struct fsd_group *g = &m->state->groups.at[group];

    return m->state->number_of[m->state->refs.at[g->nodes.at + i]];
}

/** Finds the layers that `word` names. Appends the groups of these layers to `groups`:
 *  each group once, in the order of the layers in the engine.
 *  @return like fsd_pick_all(); FSD_E_ARG if none of the layers computes a node */
enum fsd_status fsd_marks_pick(const struct fsd_marks *m, struct fsd_arena *arena,
                               const char *word, fsd_id_vec *groups,
                               struct fsd_error *err);

/** The network input from which the condition of the inserted Ifs is computed: the
 *  first numeric input of the network; FSD_NONE if there is none. */
fsd_id fsd_marks_condition(const struct fsd_diff *d);

/* Shared by the files of this folder. */

/** The consumers of a tensor's values. Nodes without a layer are skipped on the way to
 *  the consumers. */
struct fsd_users {
    fsd_id_vec groups; /**< the consuming groups, each once, in the order in which they
                            are found */
    fsd_id *sorted;    /**< the same groups, by ascending number */
    bool outside;  /**< the values are an output of the model, or are read by a layer
                        without core nodes (change/state/state.h) */
    bool in_place; /**< the values are an input of a Concat that no layer computes */
    bool loops;    /**< control flow or a recurrent operator reads the values */
    bool merged;   /**< several nodes compute these values, and the builder merged one
                        of these nodes into another */
    bool joined;   /**< in one of the groups, one kernel computes several products */
};

/** The consumers of a tensor's values. The consumers are found once for all tensors
 *  with equal values, so these tensors have the same consumers.
 *  @return never NULL; FSD_NONE has no consumers */
const struct fsd_users *fsd_marks_users(const struct fsd_marks *m, fsd_id tensor);

bool fsd_users_have(const struct fsd_users *users, fsd_id group);

/** Whether the builder generated a kernel for the nodes of the layer, and all steps of
 *  this kernel are known. */
bool fsd_layer_is_generated(const struct fsd_graph *engine, fsd_id layer);
/** Whether the node is a Conv, Gemm or MatMul. */
bool fsd_node_is_product(const struct fsd_diff *d, fsd_id node);
bool fsd_node_is_conv(const struct fsd_diff *d, fsd_id node);

/** Whether the tensor consists of several matrices, such as a batch of sequences. To
 *  compute a product, the builder joins these matrices to one matrix. The sizes then
 *  differ from the sizes in the model. */
bool fsd_marks_is_stack(const struct fsd_marks *m, fsd_id tensor);

void fsd_marks_add_kinds(struct fsd_marks *m);
void fsd_marks_add_places(struct fsd_marks *m);
void fsd_marks_add_breaks(struct fsd_marks *m);

/** A text with at most three of a group's nodes, "Conv_3 + Relu_4", in the arena.
 *  view.c */
const char *fsd_marks_called(struct fsd_arena *arena, const struct fsd_marks *m,
                             fsd_id group);

/** The view of the marks. view.c */
fsd_view_fn fsd_view_tensors;
