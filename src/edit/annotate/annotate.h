/* Writes a run for other tools: as metadata of the model's nodes, as an ONNX graph of
 * the engine's layers, and as node data of Model Explorer. */
#pragma once

#include "edit/run.h"

/** Edits that set `fusiondiff.*` in the metadata of the model and of its nodes. Nodes
 *  in the body of a function get no metadata, because the file has the body once for
 *  all calls. Each call gets the metadata of the nodes in it. */
struct fsd_onnx_edits *fsd_annotate_model(struct fsd_arena *arena,
                                          const struct fsd_diff *d);

/** Edits that write the engine as an ONNX graph. Each layer becomes a node whose
 *  operator is the layer's type.
 *  @param[out] file the file to which the edits apply. engine_model.c */
struct fsd_onnx_edits *fsd_annotate_layers(struct fsd_arena *arena,
                                           const struct fsd_diff *d,
                                           struct fsd_file *file);

/** Prints JSON that Model Explorer loads beside the model. For each node of the main
 *  graph it has the time in milliseconds or, without measured times, the precision in
 *  which the node runs. node_data.c */
void fsd_annotate_node_data(const struct fsd_diff *d, FILE *out);
