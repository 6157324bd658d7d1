/*
 * Finds which node of one model corresponds to which node of the other, if one network
 * was exported twice.
 *
 * Two nodes are aligned only if no evidence contradicts the pair. Each kind of evidence
 * proposes pairs that are unique on both sides; proposals that disagree cancel each
 * other, and their nodes are never aligned. Accepted pairs anchor the next round.
 */
#pragma once

#include "change/state/state.h"

/** Why two nodes are aligned. */
enum fsd_align_by {
    FSD_ALIGN_NOT,
    FSD_ALIGN_MODEL,   /**< both models are the same */
    FSD_ALIGN_NAME,    /**< the same operator and the same name of node or weight,
                            without an exporter's counter */
    FSD_ALIGN_BOTH,    /**< equal subgraphs up to the inputs and down to the outputs */
    FSD_ALIGN_INPUTS,  /**< equal subgraphs up to the inputs, or to aligned nodes */
    FSD_ALIGN_OUTPUTS, /**< equal subgraphs down to the outputs, or to aligned nodes */
    FSD_ALIGN_AROUND,  /**< the only node of its kind between aligned nodes */
    FSD__ALIGN_COUNT
};

struct fsd_align {
    fsd_id *to_new;                 /**< indexed by old node: its counterpart; FSD_NONE:
                                         none */
    fsd_id *to_old;                 /**< indexed by new node: its counterpart; FSD_NONE:
                                         none */
    uint8_t *by;                    /**< indexed by old node: enum fsd_align_by */
    fsd_id *new_input, *new_output; /**< indexed by old port: its counterpart; FSD_NONE:
                                         none */
    fsd_id *old_input, *old_output; /**< indexed by new port: its counterpart; FSD_NONE:
                                         none */
    uint32_t by_count[FSD__ALIGN_COUNT]; /**< indexed by enum fsd_align_by: how many
                                              core nodes of the old model were aligned
                                              for this reason. At FSD_ALIGN_NOT: how
                                              many were not aligned */
    uint32_t rewritten; /**< number of old core nodes whose matrix product was
                             rewritten: one model has a Gemm, the other a MatMul and an
                             Add, and the weights have equally many values. These nodes
                             are not aligned */
};

/** Maps the origin of a tensor from the old model to the new model. Returns
 *  FSD_NO_ORIGIN if the new model lacks the origin, or if `old` is FSD_NO_ORIGIN. */
static inline struct fsd_origin fsd_align_new_origin(const struct fsd_align *a,
                                                     struct fsd_origin old)
{
    uint32_t node = fsd_origin_node(old), input = fsd_origin_input(old);

    if (node != FSD_NONE)
        return fsd_node_origin(a->to_new[node]);
    return input == FSD_NONE ? old : fsd_input_origin(a->new_input[input]);
}

/** Like fsd_align_new_origin(), from the new model to the old one. */
static inline struct fsd_origin fsd_align_old_origin(const struct fsd_align *a,
                                                     struct fsd_origin new)
{
    uint32_t node = fsd_origin_node(new), input = fsd_origin_input(new);

    if (node != FSD_NONE)
        return fsd_node_origin(a->to_old[node]);
    return input == FSD_NONE ? new : fsd_input_origin(a->old_input[input]);
}
static inline struct fsd_destination
fsd_align_old_destination(const struct fsd_align *a, struct fsd_destination new)
{
    uint32_t node = fsd_destination_node(new), output = fsd_destination_output(new);

    if (node != FSD_NONE)
        return fsd_node_destination(a->to_old[node]);
    return output == FSD_NONE ? new : fsd_output_destination(a->old_output[output]);
}

/** Maps entry i of `ends`, a list of the new model, to the old model. Returns FSD_NONE
 *  if the old model lacks the entry. */
static inline uint32_t fsd_align_old_end(const struct fsd_align *a,
                                         struct fsd_ends ends, uint32_t i)
{
    uint32_t ref = ends.refs[i];

    return ends.are == FSD_ENDS_DESTINATIONS
               ? fsd_align_old_destination(a, (struct fsd_destination){ref}).ref
               : fsd_align_old_origin(a, (struct fsd_origin){ref}).ref;
}

/** Whether the new model lacks entry i of `ends`, a list of the old model. */
static inline bool fsd_align_lacks_end(const struct fsd_align *a, struct fsd_ends ends,
                                       uint32_t i)
{
    struct fsd_destination to = {ends.refs[i]};

    if (ends.are != FSD_ENDS_DESTINATIONS)
        return !fsd_is_origin(
            fsd_align_new_origin(a, (struct fsd_origin){ends.refs[i]}));
    return fsd_destination_node(to) != FSD_NONE
               ? a->to_new[fsd_destination_node(to)] == FSD_NONE
               : fsd_destination_output(to) != FSD_NONE &&
                     a->new_output[fsd_destination_output(to)] == FSD_NONE;
}

/** Whether an old node has a counterpart. */
static inline bool fsd_align_has(const struct fsd_align *align, fsd_id old)
{
    return align->to_new[old] != FSD_NONE;
}

/** The alignment, allocated in the arena. Folded and dead nodes are aligned only if
 *  both models are the same. */
struct fsd_align *fsd_align_new(struct fsd_arena *arena, const struct fsd_state *old,
                                const struct fsd_state *new);

const char *fsd_align_name(unsigned value);
