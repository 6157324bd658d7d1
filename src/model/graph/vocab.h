/*
 * The names that a layer's name may contain, and the meaning of each in the model.
 *
 * A layer name like "conv1.weight + QuantizeLinear_7 + Conv_9" can only be parsed with
 * the model's names, because a node's name may itself contain " + " or another
 * separator.  The vocabulary of these names is built from the model once.  The engine
 * reader uses the vocabulary and never sees the model.
 */
#pragma once

#include "base/base.h"

/** The meaning of a name, which may be the name of a node and of a tensor at once. */
struct fsd_meaning {
    struct fsd_span nodes; /**< the nodes with this name, in fsd_vocab.pool */
    fsd_id tensor; /**< the main graph's tensor with this name, or else the first one in
                        a body; FSD_NONE: there is none */
};

struct fsd_vocab {
    const struct fsd_graph *model;
    const struct fsd_intern *names;
    uint32_t symbols;
    struct fsd_meaning *meaning; /**< indexed by symbol of the exact name */
    struct fsd_meaning *loose;   /**< indexed by symbol of the rewritten name, in which
                                      '_' replaces each character other than a letter
                                      or a digit */
    FSD_VEC(fsd_id) pool;
    FSD_VEC(uint32_t)
    lengths; /**< the distinct lengths of known names, longest first */
};

/** Makes the vocabulary of a model: the names of its nodes, tensors and initializers.
 *  As in parsers, an unnamed node is "node_of_<first output>". */
struct fsd_vocab *fsd_vocab_new(struct fsd_arena *arena, const struct fsd_graph *model);

/** Returns the meaning of exactly these n bytes; NULL if they are no name of the
 * model. */
const struct fsd_meaning *fsd_vocab_find(const struct fsd_vocab *v, const char *s,
                                         size_t n);

/** Returns the tensor of `m`.  Returns an empty tensor if `m` is NULL or has no
 * tensor. */
const struct fsd_tensor *fsd_meaning_tensor(const struct fsd_vocab *v,
                                            const struct fsd_meaning *m);

/** Returns the meaning of a name in which an engine may have replaced each character
 *  other than a letter or a digit by '_'.  `s` may be the original or the rewritten
 *  name.  NULL if the name has no meaning. */
const struct fsd_meaning *fsd_vocab_find_loose(const struct fsd_vocab *v, const char *s,
                                               size_t n);
