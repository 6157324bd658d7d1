/* What names say; the grammar of layers' names is described in name.c, that of Metadata
 * in metadata.c. */
#ifndef FSD_TRT_NAME_H
#define FSD_TRT_NAME_H

#include "model/graph.h"
#include "model/vocab.h"
#include "trt/grammar.h"

/** What the number of an optimization profile stands behind, in names of layers and
 *  tensors: "conv [profile 1]". */
#define FSD_TRT_PROFILE " [profile "

/* ------------------------------------------------------------ name.c, metadata.c */

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

/* ----------------------------------------------------------------- tensor_name.c */

/* The model's tensor inside a tensor name that the engine has added to. */

/** Sets `alias` of every tensor whose name is not the model's but becomes it when
 *  " [profile N]" is taken off its end (TensorRT 10.16, engines with several profiles).
 *
 *  Names that Myelin made ("relu_2.1_myl4") are no aliases although they look like it:
 * in corpus/inspector-text-trt10.16 the input of the first matrix product, [-1,3136],
 * is named Activation3_output.1_4_myl6 after an activation of [-1,1024]. */
void fsd_trt_tensor_aliases(struct fsd_graph *g, const struct fsd_vocab *vocab);

/** N of a name that ends in " [profile N]"; -1 of another. */
int32_t fsd_trt_tensor_profile(const struct fsd_intern *names, fsd_sym name);

#endif
