/* The weights that a model has in other files.  Only files in src/model/onnx and
 * src/edit/onnx include this header. */
#pragma once

#include "model/onnx/wire.h"

struct fsd_graph;

/** The kinds of protobuf messages that lead from a model to its weights. */
enum fsd_onnx_message {
    FSD_MESSAGE_MODEL,
    FSD_MESSAGE_FUNCTION,
    FSD_MESSAGE_GRAPH,
    FSD_MESSAGE_NODE,
    FSD_MESSAGE_ATTRIBUTE,
    FSD_MESSAGE_SPARSE,
    FSD_MESSAGE_TENSOR,
    FSD_MESSAGE_DATA
};

/** Whether a field of a message may lead to weights.  If so, `to` receives the kind of
 * the message in that field. */
bool fsd_onnx_leads(enum fsd_onnx_message in, uint32_t field,
                    enum fsd_onnx_message *to);

/** Whether a tensor in the message `bytes` has its data in another file.  `is` is the
 *  kind of the message. */
bool fsd_weights_in(struct fsd_wire_walk *walk, struct fsd_slice bytes,
                    enum fsd_onnx_message is);

/** Finds the files with weights of the model.  The program does not read these files,
 *  but they belong to the input, so fsd_opened_note_path() records them.  `g->outside`
 *  receives the tensors whose files exist.  `g->absent` receives the first missing
 *  file, and `g->absent_tensors` the number of tensors in missing files.
 *  @return false if memory runs out */
bool fsd_weights_note(struct fsd_graph *g, struct fsd_arena *scratch,
                      const struct fsd_file *model, const struct fsd_wire *filtered);
