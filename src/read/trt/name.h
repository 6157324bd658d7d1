/* Functions that read names. name.c describes the grammar of layer names, metadata.c
 * the grammar of Metadata. */
#pragma once

#include "model/graph/vocab.h"
#include "read/trt/grammar.h"

/** The first part of " [profile 1]". Names of layers and tensors may end with this
 *  text, which states the optimization profile. */
#define FSD_TRT_PROFILE " [profile "

/* ------------------------------------------------------------ name.c, metadata.c */

/** The state of a reader of layer names.  The reader finds names of the model in the
 *  name of a layer, and appends them to g->mentions.  One reader serves all layers of a
 *  graph, so that its memory is reused. */
struct fsd_name_reader {
    struct fsd_graph *g;
    const struct fsd_vocab *vocab; /**< the names of the model; NULL: there is no
                                        model */
    struct fsd_brackets brackets;  /**< allocated from the graph's arena */
};

/** Sets the members of `layer` that follow from its name (form, provider, base_name,
 *  profile, served, made_as), and appends the mentions in its name to g->mentions. */
void fsd_name_read(struct fsd_name_reader *reader, fsd_sym name,
                   struct fsd_layer *layer);

/** Reads the Metadata of the current layer, and appends its mentions to g->mentions. */
void fsd_metadata_read(struct fsd_graph *g, const struct fsd_vocab *vocab,
                       fsd_sym metadata);

/* ----------------------------------------------------------------- tensor_name.c */

/* Functions that find the model's tensor in the name of an engine's tensor. */

/** TensorRT derives names of the engine's tensors from names of the model's tensors;
 *  tensor_name.c lists the forms.  For each such name, finds the model's tensor.
 *
 *  If both are the same tensor, sets `alias`.  For example, TensorRT 10.16 writes "x
 *  [profile 1]" for x in engines with several optimization profiles.
 *
 *  For a name like "x.1_4_myl6", sets `argument` instead, because this tensor is not x.
 *  In corpus/inspector-text-trt10.16, the input Activation3_output.1_4_myl6 of the
 *  first matrix product has the shape [-1,3136], but Activation3_output has the shape
 *  [-1,1024]. */
void fsd_trt_tensor_aliases(struct fsd_graph *g, const struct fsd_vocab *vocab);

/** Returns N if the name ends with " [profile N]"; else -1. */
int32_t fsd_trt_tensor_profile(const struct fsd_intern *names, fsd_sym name);
