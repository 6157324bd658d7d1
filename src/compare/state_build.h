/* What the two halves of making a state from a run share.  Only state*.c. */
#ifndef FSD_COMPARE_STATE_BUILD_H
#define FSD_COMPARE_STATE_BUILD_H

#include "compare/state.h"

struct fsd_state_build {
    const struct fsd_diff *d;
    struct fsd_state *s;
    struct fsd_arena *scratch;
    fsd_id *of_node;    /**< by model node: its state node; FSD_NONE */
    fsd_ref *of_tensor; /**< by model tensor: the core node or input it comes from,
                             FSD_NONE */
    double *const *ms;
    uint32_t profiles;
};

/** The string in the state's own table. */
fsd_sym fsd_state_copy(struct fsd_state_build *b, fsd_sym sym);

void fsd_state_add_nodes(struct fsd_state_build *b);
void fsd_state_add_layers(struct fsd_state_build *b);

#endif
