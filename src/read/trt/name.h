/* Readers of names: name.c describes the grammar of layer names, metadata.c the grammar
 * of Metadata. */
#pragma once

#include "model/graph/vocab.h"
#include "read/trt/grammar.h"

/** The text before the number of an optimization profile in names of layers and
 *  tensors: "conv [profile 1]". */
#define FSD_TRT_PROFILE " [profile "

/* ------------------------------------------------------------ name.c, metadata.c */

/** Reads names into a graph's mentions.  One reader serves all layers of a graph, since
 *  it keeps its scratch memory. */
struct fsd_name_reader {
    struct fsd_graph *g;
    const struct fsd_vocab *vocab; /**< NULL: no name resolves */
    struct fsd_brackets brackets;  /**< .arena: the graph's */
};

/** Fills in the members of `layer` that its name states: form, provider, base_name,
 *  profile, served, made_as; and appends its mentions to g->mentions. */
void fsd_name_read(struct fsd_name_reader *reader, fsd_sym name,
                   struct fsd_layer *layer);

/** Reads the Metadata of the layer that is being built into mentions. */
void fsd_metadata_read(struct fsd_graph *g, const struct fsd_vocab *vocab,
                       fsd_sym metadata);

/* ----------------------------------------------------------------- tensor_name.c */

/* The model's tensor within an engine's tensor name. */

/** Sets `alias` of every tensor whose name becomes a name of the model when " [profile
 *  N]" is removed from its end (TensorRT 10.16, engines with several profiles).
 *
 *  Names that Myelin generated ("relu_2.1_myl4") are not aliases although they look
 *  like one: in corpus/inspector-text-trt10.16 the input of the first matrix product,
 *  [-1,3136], is named Activation3_output.1_4_myl6 after an activation of [-1,1024]. */
void fsd_trt_tensor_aliases(struct fsd_graph *g, const struct fsd_vocab *vocab);

/** N of a name that ends in " [profile N]"; -1 if it does not. */
int32_t fsd_trt_tensor_profile(const struct fsd_intern *names, fsd_sym name);
