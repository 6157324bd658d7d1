/* The nodes and layers that a word of the user names: model/graph/word.h lists the
 * forms of words.  A word that names the other kind stands for what is related: a layer
 * for the nodes that it computes, a node for the layers that compute it, a tensor for
 * its producers or, if it has none, its consumers. */
#ifndef FSD_MATCH_PICK_H
#define FSD_MATCH_PICK_H

#include "match/match.h"

enum fsd_pick_want {
    FSD_PICK_NODES,
    FSD_PICK_LAYERS,
    FSD_PICK_BOTH /**< any kind; a number is a node's */
};

struct fsd_picked {
    bool *nodes, *layers; /**< by id */
};

typedef FSD_VEC(fsd_id) fsd_id_vec;

/** Marks what the word names; for FSD_PICK_BOTH nodes and layers, else only the wanted
 *  kind.
 *  @return FSD_OK; FSD_E_ARG, with the nearest names, if it names nothing. */
enum fsd_status fsd_pick(const struct fsd_match *m, enum fsd_pick_want want,
                         const char *word, struct fsd_picked *picked,
                         struct fsd_error *err);

/** For all words; `out` in the order of the model or the engine.  Not FSD_PICK_BOTH. */
enum fsd_status fsd_pick_all(struct fsd_arena *arena, const struct fsd_match *m,
                             enum fsd_pick_want want, const char *const *words,
                             unsigned n_words, fsd_id_vec *out, struct fsd_error *err);

#endif
