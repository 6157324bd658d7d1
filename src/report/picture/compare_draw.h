/*
 * What a picture of a comparison shows: the old build's fusion groups on one side, the
 * new build's on the other, ties between the groups that share nodes.
 *
 *     old                             new
 *     [Conv Add Relu  int8] ==tie==== [Conv  int8]
 *                           `======== [Add Relu  fp16]
 *                                     [+ Reformat]
 *
 * Only src/report includes this.
 */
#ifndef FSD_REPORT_COMPARE_DRAW_H
#define FSD_REPORT_COMPARE_DRAW_H

#include "compare/compare.h"

enum fsd_mark_kind { FSD_MARK_GROUP, FSD_MARK_MOVE, FSD_MARK_INPUT, FSD_MARK_OUTPUT };

/** A box. */
struct fsd_mark {
    bool new;
    uint8_t kind;
    uint8_t change; /**< of a move: enum fsd_move_what, or FSD_MOVE_UNCHANGED */
    fsd_id id;      /**< group, move or port */
    fsd_id region;  /**< FSD_NONE */
};
#define FSD_MOVE_UNCHANGED 3

struct fsd_mark_wire {
    fsd_id from, to; /**< marks of one side */
    struct fsd_state_form form;
};

struct fsd_mark_tie {
    fsd_id old, new; /**< marks */
    fsd_id region;
    bool first; /**< of its region: it says what happened */
};

/** What is drawn for its own sake; its neighbours are drawn beside it. */
struct fsd_compare_pick {
    bool *regions; /**< by region */
    bool loose;    /**< moves of no region, when they changed */
    bool partial;  /**< not everything: moves that neither changed nor feed a picked
                        region are left out */
    const char *subject; /**< of a part: "what changed" */
};

struct fsd_compare_drawing {
    struct fsd_arena *arena;
    const struct fsd_compare *c;
    struct fsd_compare_pick pick;
    FSD_VEC(struct fsd_mark) marks;
    FSD_VEC(struct fsd_mark_wire) wires; /**< sorted, each once */
    FSD_VEC(struct fsd_mark_tie) ties;   /**< sorted */
};

/** The drawing, in the arena. */
struct fsd_compare_drawing *fsd_compare_draw(const struct fsd_compare *c,
                                             struct fsd_compare_pick pick,
                                             struct fsd_arena *arena);

#endif
