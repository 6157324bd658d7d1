/* The nodes and layers that a word of the user names: model/graph/word.h lists the
 * forms of words.  If the caller wants nodes and the word names a layer, the result is
 * the nodes that the layer computes; if the caller wants layers and the word names a
 * node, the layers that compute it.  A tensor stands for its producers or, if it has
 * none, its consumers. */
#pragma once

#include "match/match.h"

enum fsd_pick_want {
    FSD_PICK_NODES,
    FSD_PICK_LAYERS,
    FSD_PICK_BOTH /**< any kind; a bare number is a node number */
};

struct fsd_picked {
    bool *nodes, *layers; /**< indexed by id */
};

typedef FSD_VEC(fsd_id) fsd_id_vec;

/** Marks everything the word names: for FSD_PICK_BOTH nodes and layers, otherwise only
 *  the wanted kind.
 *  @return FSD_OK; FSD_E_ARG, with the nearest names, if it names nothing. */
enum fsd_status fsd_pick(const struct fsd_match *m, enum fsd_pick_want want,
                         const char *word, struct fsd_picked *picked,
                         struct fsd_error *err);

/** Resolves all words and appends the ids to `out`, in the order of the model or
 *  engine.  `want` must not be FSD_PICK_BOTH. */
enum fsd_status fsd_pick_all(struct fsd_arena *arena, const struct fsd_match *m,
                             enum fsd_pick_want want, const char *const *words,
                             unsigned n_words, fsd_id_vec *out, struct fsd_error *err);
