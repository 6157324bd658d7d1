/* Weights that a model has in other files.  Only src/model/onnx includes this. */
#ifndef FSD_ONNX_EXTERNAL_H
#define FSD_ONNX_EXTERNAL_H

#include "model/onnx/pieces.h"
#include "model/onnx/wire.h"

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

/** Files that were opened for what they hold of a model. */
struct fsd_outside {
    struct fsd_arena *arena;
    const char *model; /**< its path: they are in its folder */
    struct fsd_error *err;
    enum fsd_status status; /**< of the first that could not be had */
    FSD_VEC(struct fsd_file) files;
    FSD_VEC(size_t) released; /* of each mapping */
};

/** True when a tensor of the message is in another file. */
bool fsd_external_in(struct fsd_wire_walk *walk, struct fsd_slice bytes,
                     enum fsd_onnx_message is);

/** The message, with all that it has in other files; what is missing sets the status of
 *  `from`. */
void fsd_external_inline(struct fsd_outside *from, struct fsd_slice bytes,
                         enum fsd_onnx_message is, struct fsd_pieces *to);

/** Looks whether the other files have all that the message has in them, likewise. */
void fsd_external_check(struct fsd_outside *from, struct fsd_slice bytes,
                        enum fsd_onnx_message is);

/** Notes the files that a model has weights in (fsd_opened_note_path()): they belong to
 *  the input though nothing of them has been read.
 *  @return false where there is no memory. */
bool fsd_external_note(struct fsd_arena *scratch, const struct fsd_file *model,
                       const struct fsd_wire *filtered);

/** Closes the files; the status of what was read of them. */
enum fsd_status fsd_outside_close(struct fsd_outside *from, enum fsd_status status,
                                  struct fsd_error *err);

#endif
