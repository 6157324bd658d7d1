/*
 * The names that a layer's name may contain, and the meaning of each in the model.
 *
 * A layer name like "conv1.weight + QuantizeLinear_7 + Conv_9" can only be parsed with
 * the model's names, since node names may contain every separator themselves.  The
 * vocabulary of these names is built from the model once; the engine reader uses it and
 * never sees the model.
 */
#pragma once

#include "base/base.h"

/** The meaning of a name, which may be the name of a node and of a tensor at once. */
struct fsd_meaning {
    struct fsd_span
        nodes;     /**< in fsd_vocab.pool; several if several nodes have the name */
    fsd_id tensor; /**< the main graph's tensor, else the first one in a body;
                        FSD_NONE */
};

struct fsd_vocab {
    const struct fsd_graph *model;
    const struct fsd_intern *names;
    uint32_t symbols;
    struct fsd_meaning *meaning; /**< indexed by symbol of the exact name */
    struct fsd_meaning *loose;   /**< indexed by symbol of the rewritten name */
    FSD_VEC(fsd_id) pool;
    FSD_VEC(uint32_t)
    lengths; /**< the distinct lengths of known names, longest first */
};

/** Names of nodes (an unnamed one is "node_of_<first output>", as parsers call it),
 *  tensors and initializers. */
struct fsd_vocab *fsd_vocab_new(struct fsd_arena *arena, const struct fsd_graph *model);

/** The meaning of exactly these n bytes; NULL if there is none. */
const struct fsd_meaning *fsd_vocab_find(const struct fsd_vocab *v, const char *s,
                                         size_t n);

/** The tensor of a meaning; an empty one if it has none, and for NULL. */
const struct fsd_tensor *fsd_meaning_tensor(const struct fsd_vocab *v,
                                            const struct fsd_meaning *m);

/** The meaning of a name after the engine replaced each character other than a letter
 *  or a digit by '_'; `s` may be in either form.  NULL if there is none. */
const struct fsd_meaning *fsd_vocab_find_loose(const struct fsd_vocab *v, const char *s,
                                               size_t n);
