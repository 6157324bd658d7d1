/* A run in the files of other tools: as metadata of the model's nodes, as a graph of
 * the engine's layers, as node data. */
#pragma once

#include "edit/run.h"

/** Edits that set `fusiondiff.*` in the metadata of the model's nodes, and of the
 *  model.  Nodes in the bodies of functions get no metadata, since the file has them
 *  once for all calls; each call gets the metadata of the nodes in it. */
struct fsd_onnx_edits *fsd_annotate_model(struct fsd_arena *arena,
                                          const struct fsd_diff *d);

/** The engine as a graph: a layer becomes a node, and the layer's type its operator.
 *  @param file set to the file to which the edits apply. engine_model.c */
struct fsd_onnx_edits *fsd_annotate_layers(struct fsd_arena *arena,
                                           const struct fsd_diff *d,
                                           struct fsd_file *file);

/** JSON that Model Explorer loads beside the model: for each node of the main graph its
 *  time in milliseconds or, without measured times, the precision in which it runs.
 *  node_data.c */
void fsd_annotate_node_data(const struct fsd_diff *d, FILE *out);
