/* What a stretch of text means in the model, and writing it down as a mention. */
#ifndef FSD_ENGINE_MENTION_H
#define FSD_ENGINE_MENTION_H

#include "model/graph.h"
#include "model/vocab.h"

/** True when the meaning is one that a layer can have: a node or a constant.  The name
 *  of an ordinary tensor means something only where tensors are copied. */
bool fsd_meaning_fits(const struct fsd_vocab *vocab, const struct fsd_meaning *what);

/** Appends `mention`, whose text stands at s, with what the meaning adds to it: its
 *  node, tensor and number of candidates.  A node wins over a tensor of the same name.
 *  A text that several nodes bear becomes a mention for each, a few at most; one that
 *  means nothing (NULL) becomes FSD_MENTION_UNKNOWN. */
void fsd_mention_add(struct fsd_graph *g, const struct fsd_vocab *vocab,
                     struct fsd_mention mention, const char *s, size_t n,
                     const struct fsd_meaning *what);

#endif
