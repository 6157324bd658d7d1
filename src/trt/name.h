/* Taking a layer's name apart; the grammar is described in name.c. */
#ifndef FSD_TRT_NAME_H
#define FSD_TRT_NAME_H

#include "model/graph.h"
#include "model/vocab.h"
#include "trt/scan.h"

/** Reads names into a graph's mentions.  One serves all layers of a graph, since it
 *  keeps its scratch memory. */
struct fsd_name_reader {
    struct fsd_graph *g;
    const struct fsd_vocab *vocab; /**< NULL: nothing resolves */
    struct fsd_brackets brackets;  /**< .arena: the graph's */
};

/** Fills what a name tells of `layer`: form, provider, base_name, profile, served,
 *  made_as; and appends what it mentions to g->mentions. */
void fsd_name_read(struct fsd_name_reader *reader, fsd_sym name,
                   struct fsd_layer *layer);

/** Reads the Metadata of the layer that is about to be added into mentions. */
void fsd_metadata_read(struct fsd_graph *g, const struct fsd_vocab *vocab,
                       fsd_sym metadata);

#endif
