/* Finds the nodes and layers that a word of the user names. model/graph/word.h lists
 * the forms of words.  If the caller wants nodes, the name of a layer stands for the
 * nodes that the layer computes.  If the caller wants layers, the name of a node stands
 * for the layers that compute the node.  The name of a tensor stands for its producers
 * or, if there are none, for its consumers. */
#pragma once

#include "match/match.h"

enum fsd_pick_want {
    FSD_PICK_NODES,
    FSD_PICK_LAYERS,
    FSD_PICK_BOTH /**< nodes and layers; "#4" is node 4 */
};

struct fsd_picked {
    bool *nodes, *layers; /**< indexed by id */
};

typedef FSD_VEC(fsd_id) fsd_id_vec;

/** Marks in `picked` what the word stands for: only nodes if `want` is FSD_PICK_NODES,
 *  only layers if it is FSD_PICK_LAYERS, otherwise nodes and layers.
 *  @return FSD_OK; FSD_E_ARG if the word names nothing: `err` then suggests the nearest
 *         names. */
enum fsd_status fsd_pick(const struct fsd_match *m, enum fsd_pick_want want,
                         const char *word, struct fsd_picked *picked,
                         struct fsd_error *err);

/** Resolves all words and appends the ids of the nodes or layers to `out`, in ascending
 *  order.  `want` must not be FSD_PICK_BOTH. */
enum fsd_status fsd_pick_all(struct fsd_arena *arena, const struct fsd_match *m,
                             enum fsd_pick_want want, const char *const *words,
                             unsigned n_words, fsd_id_vec *out, struct fsd_error *err);
