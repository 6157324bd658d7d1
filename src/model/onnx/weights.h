/* The weights that a model has in other files.  Only src/model/onnx and src/edit/onnx
 * include this. */
#pragma once

#include "model/onnx/wire.h"

struct fsd_graph;

/** Kinds of messages between a model and its weights. */
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

/** The kind of message in a field that may lead to weights; false if it cannot. */
bool fsd_onnx_leads(enum fsd_onnx_message in, uint32_t field,
                    enum fsd_onnx_message *to);

/** Whether a tensor of the message is in another file. */
bool fsd_weights_in(struct fsd_wire_walk *walk, struct fsd_slice bytes,
                    enum fsd_onnx_message is);

/** Records the files that contain weights of the model by fsd_opened_note_path(): they
 *  belong to the input although they are not read.  Also records in the graph which of
 *  these files are missing.
 *  @return false if memory runs out */
bool fsd_weights_note(struct fsd_graph *g, struct fsd_arena *scratch,
                      const struct fsd_file *model, const struct fsd_wire *filtered);
