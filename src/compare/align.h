/*
 * Which node of one model is which of another: the same network, exported anew.
 *
 * Two nodes are aligned only if no evidence contradicts it.  Each kind of evidence
 * proposes pairs that are unique on both sides; proposals that disagree cancel each
 * other, and their nodes are never aligned.  Accepted pairs anchor the next round.
 */
#ifndef FSD_COMPARE_ALIGN_H
#define FSD_COMPARE_ALIGN_H

#include "compare/state.h"

/** Why two nodes are aligned. */
enum fsd_align_by {
    FSD_ALIGN_NOT,
    FSD_ALIGN_MODEL,   /**< both models are the same */
    FSD_ALIGN_NAME,    /**< the same operator and the same name, of node or weight,
                            which no exporter's counter made */
    FSD_ALIGN_BOTH,    /**< equal subgraphs back to the inputs and on to the outputs */
    FSD_ALIGN_INPUTS,  /**< equal subgraphs back to the inputs, or to aligned nodes */
    FSD_ALIGN_OUTPUTS, /**< equal subgraphs on to the outputs, or to aligned nodes */
    FSD_ALIGN_AROUND,  /**< the only one of its kind between aligned nodes */
    FSD__ALIGN_COUNT
};

struct fsd_align {
    fsd_id *to_new;                 /**< by old node; FSD_NONE: only in the old model */
    fsd_id *to_old;                 /**< by new node */
    uint8_t *by;                    /**< by old node: enum fsd_align_by */
    fsd_id *new_input, *new_output; /**< by old port; FSD_NONE */
    fsd_id *old_input, *old_output; /**< by new port */
    uint32_t by_count[FSD__ALIGN_COUNT]; /**< of core nodes of the old model */
};

/** Whether an old node has a counterpart. */
static inline bool fsd_align_has(const struct fsd_align *align, fsd_id old)
{
    return align->to_new[old] != FSD_NONE;
}

/** The alignment, in the arena.  Folded and dead nodes are aligned only where both
 * models are the same. */
struct fsd_align *fsd_align_new(struct fsd_arena *arena, const struct fsd_state *old,
                                const struct fsd_state *new);

const char *fsd_align_name(unsigned value);

#endif
