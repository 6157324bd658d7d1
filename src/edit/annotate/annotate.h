/* A run in files of other tools: as metadata of the model's nodes, as a graph of the
 * engine's layers, as node data. */
#ifndef FSD_OUT_ANNOTATE_H
#define FSD_OUT_ANNOTATE_H

#include "edit/run.h"

/** Edits that set `fusiondiff.*` in the metadata of the model's nodes, and of the
 *  model.  Nodes in the bodies of functions are there once for all calls and get none;
 *  a call gets that of the nodes in it. */
struct fsd_onnx_edits *fsd_annotate_model(struct fsd_arena *arena,
                                          const struct fsd_diff *d);

/** The engine as a graph: a layer is a node, its type the operator.
 *  @param file  set to the file that the edits are of.  engine_model.c */
struct fsd_onnx_edits *fsd_annotate_layers(struct fsd_arena *arena,
                                           const struct fsd_diff *d,
                                           struct fsd_file *file);

/** JSON that Model Explorer loads beside the model: by the name of each node of the
 *  main graph its milliseconds, or where nothing was measured in what it runs.
 *  node_data.c */
void fsd_annotate_node_data(const struct fsd_diff *d, FILE *out);

#endif
