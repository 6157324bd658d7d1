/*
 * Which tensors of a model may be marked as outputs of the network, and what that does
 * to the engine's fusions.
 *
 *     x -> Conv -> t -> Relu -> u -> MaxPool        layer 1 is Conv + Relu
 *
 *     t   inside layer 1: marked, Conv and Relu become two layers
 *     u   between layers 1 and 2: marked, both stay as they are
 *
 * A fusion is a group of compare/state.h: the nodes that some layers compute together.
 * The rules are those that rebuilt engines showed (tests/marks); each has a sentence,
 * which says why the builder does so.
 */
#ifndef FSD_MARK_MARK_H
#define FSD_MARK_MARK_H

#include "compare/state.h"
#include "match/pick.h"

/** Where the values of a tensor are in the engine, exactly one. */
enum fsd_place {
    FSD_PLACE_BETWEEN, /**< a layer writes it; marked, all fusions stay */
    FSD_PLACE_WRITTEN, /**< a layer writes it; marked, a fusion may change */
    FSD_PLACE_INSIDE,  /**< only the layer that computes it has it */
    FSD_PLACE_GONE,    /**< nobody computes it under this name */
    FSD_PLACE_UNKNOWN, /**< the engine does not tell */
    FSD__PLACE_COUNT
};

/** Why it is there. */
enum fsd_place_why {
    FSD_WHY_NONE, /**< nothing that matters */
    FSD_WHY_INPUT,
    FSD_WHY_OUTPUT,    /**< it is an output already */
    FSD_WHY_CONV,      /**< a generated kernel of a Conv writes it */
    FSD_WHY_FORM,      /**< a generated kernel writes it in another form */
    FSD_WHY_READER,    /**< the same of the kernel that reads it */
    FSD_WHY_JOINED,    /**< one product of several that one kernel computes */
    FSD_WHY_IN_PLACE,  /**< it is written into its place in a Concat */
    FSD_WHY_LOOP,      /**< control flow or a recurrent operator has it */
    FSD_WHY_BODY,      /**< it is of a body of control flow or of a function */
    FSD_WHY_SPREAD,    /**< several layers share the work of its fusion */
    FSD_WHY_QUANTIZED, /**< a Q makes it */
    FSD_WHY_FOLDED,
    FSD_WHY_SIZE,
    FSD_WHY_DEAD,
    FSD_WHY_MERGED,
    FSD_WHY_VIEW,
    FSD_WHY_SCALED,   /**< whoever reads it applies the scale of its DQ */
    FSD_WHY_PARTS,    /**< the parts of a Concat are written in place */
    FSD_WHY_NO_LAYER, /**< no layer is known that computes it */
    FSD_WHY_OPAQUE,   /**< the layer is a region of which nothing is told */
    FSD__WHY_COUNT
};

/** A tensor of the model. */
struct fsd_tensor_place {
    uint8_t place, why;
    fsd_id layer;  /**< that writes it, or that it is inside of; FSD_NONE */
    fsd_id port;   /**< in the engine's `ports`: as it is written; FSD_NONE */
    fsd_id holder; /**< gone: the tensor that has its values; FSD_NONE */
};

/** What a group of nodes is as a fusion, exactly one. */
enum fsd_fusion_kind {
    FSD_FUSION_NONE,       /**< one node */
    FSD_FUSION_VERTICAL,   /**< one node after the other */
    FSD_FUSION_HORIZONTAL, /**< products that share an input */
    FSD_FUSION_EPILOGUE,   /**< a product and what follows it */
    FSD_FUSION_ATTENTION,  /**< two products and the Softmax between */
    FSD_FUSION_GROUP,      /**< anything else, as a region given as one layer */
    FSD__FUSION_COUNT
};

/** How a fusion is to be split. */
struct fsd_break {
    fsd_id tensor;          /**< to be marked; FSD_NONE: no exact break is known */
    const char *why;        /**< what the builder does then, or why there is none */
    struct fsd_span groups; /**< that change, in fsd_marks.pool, sorted */
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

/** All of it.  @return what fsd_marks_free() frees; the run must outlive it. */
struct fsd_marks *fsd_marks_new(const struct fsd_diff *d);
void fsd_marks_free(struct fsd_marks *m); /**< may be NULL */

const char *fsd_place_name(unsigned value);       /**< "between" */
const char *fsd_place_why_name(unsigned why);     /**< "in-place"; "" of none */
const char *fsd_place_why_text(unsigned why);     /**< a sentence without its end; "" */
const char *fsd_fusion_kind_name(unsigned value); /**< "epilogue"; "single" of none */

/** The group that computes a node, or a layer of it; FSD_NONE: none. */
fsd_id fsd_marks_owner(const struct fsd_marks *m, fsd_id node);

/** The i-th node of a group, as the model numbers it. */
static inline fsd_id fsd_marks_node(const struct fsd_marks *m, fsd_id group, uint32_t i)
{
    const struct fsd_group *g = &m->state->groups.at[group];

    return m->state->number_of[m->state->refs.at[g->nodes.at + i]];
}

/* What the files of this folder share. */

/** By whom the values of a tensor are used, seen through nodes without a layer. */
struct fsd_users {
    FSD_VEC(fsd_id) groups; /**< each once */
    bool outside;  /**< an output of the model, or a layer that computes no core node */
    bool in_place; /**< a Concat that no layer computes */
    bool loops;    /**< control flow, or a recurrent operator */
};
struct fsd_users fsd_marks_users(const struct fsd_marks *m, fsd_id tensor);

/** The kernel was generated for its nodes, of which each step is known. */
bool fsd_layer_is_generated(const struct fsd_graph *engine, fsd_id layer);
/** A Conv, Gemm or MatMul with a row of its own: what multiplies. */
bool fsd_node_is_product(const struct fsd_diff *d, fsd_id node);
bool fsd_node_is_conv(const struct fsd_diff *d, fsd_id node);

void fsd_marks_add_kinds(struct fsd_marks *m);
void fsd_marks_add_places(struct fsd_marks *m);
void fsd_marks_add_breaks(struct fsd_marks *m);

#endif
