/* Weights that a model has in other files.  Only src/edit/onnx includes this. */
#ifndef FSD_ONNX_EXTERNAL_H
#define FSD_ONNX_EXTERNAL_H

#include "edit/onnx/pieces.h"
#include "model/onnx/weights.h"

/** Files that were opened for what they hold of a model. */
struct fsd_outside {
    struct fsd_arena *arena;
    const char *model; /**< its path: they are in its folder */
    struct fsd_error *err;
    enum fsd_status status; /**< of the first that could not be had */
    FSD_VEC(struct fsd_file) files;
    FSD_VEC(size_t) released; /* of each mapping */
};

/** The message, with all that it has in other files; what is missing sets the status of
 *  `from`. */
void fsd_external_inline(struct fsd_outside *from, struct fsd_slice bytes,
                         enum fsd_onnx_message is, struct fsd_pieces *to);

/** Looks whether the other files have all that the message has in them, likewise. */
void fsd_external_check(struct fsd_outside *from, struct fsd_slice bytes,
                        enum fsd_onnx_message is);

/** Closes the files; the status of what was read of them. */
enum fsd_status fsd_outside_close(struct fsd_outside *from, enum fsd_status status,
                                  struct fsd_error *err);

#endif
