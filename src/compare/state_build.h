/* What the parts of making a state from a run share.  Only state*.c. */
#ifndef FSD_COMPARE_STATE_BUILD_H
#define FSD_COMPARE_STATE_BUILD_H

#include "compare/state.h"

struct fsd_state_build {
    const struct fsd_diff *d;
    struct fsd_state *s;
    struct fsd_arena *scratch;
    fsd_id *of_node;      /**< by model node: its state node; FSD_NONE: a Constant */
    uint32_t *out_number; /**< by model tensor: which output of its producer it is */
    uint32_t *of_layer;   /**< by layer: its group, or its move | FSD_LAYER_MOVES */
};

#define FSD_LAYER_MOVES UINT32_C(0x80000000) /**< in of_layer: | number of a move */

/** The string in the state's own table. */
fsd_sym fsd_state_copy(struct fsd_state_build *b, fsd_sym sym);

/** True when the next of the model's inputs, listed in its order, is one of the
 * state's: not a constant, nor listed before.
 *  @param seen by tensor of the model; the caller starts with none. */
bool fsd_state_is_input(const struct fsd_graph *g, bool *seen, fsd_id tensor);

/** What a model tensor comes from, directly or through all but core nodes. */
struct fsd_source fsd_state_direct(const struct fsd_state_build *b, fsd_id tensor);
struct fsd_source fsd_state_core(const struct fsd_state_build *b, fsd_id tensor);

/** The engine's form as the state keeps it. */
struct fsd_state_form fsd_state_form(struct fsd_state_build *b,
                                     const struct fsd_form *f);

/* The steps, in their order.  Layers become groups and moves, without borders and ends;
 * then edges give them those; times last. */
void fsd_state_add_nodes(struct fsd_state_build *b);
void fsd_state_add_ports(struct fsd_state_build *b);
void fsd_state_add_layers(struct fsd_state_build *b);
void fsd_state_add_edges(struct fsd_state_build *b);
void fsd_state_add_times(struct fsd_state_build *b);

/** Sets the group of every node. */
void fsd_state_set_groups(struct fsd_state *s);

/** Derives core and core_in of nodes and core_from of outputs. */
void fsd_state_see_through(struct fsd_state *s);

#endif
