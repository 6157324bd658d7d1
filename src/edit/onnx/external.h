/* Weights that a model stores in other files.  Only src/edit/onnx includes this. */
#pragma once

#include "edit/onnx/pieces.h"
#include "model/onnx/weights.h"

/** The files that contain weights of a model, opened on demand. */
struct fsd_outside {
    struct fsd_arena *arena;
    const char *model; /**< path of the model; the files are in its folder */
    struct fsd_error *err;
    enum fsd_status status; /**< the error of the first file that could not be read;
                                 FSD_OK: none */
    FSD_VEC(struct fsd_file) files;
    FSD_VEC(size_t)
    released; /* indexed by file: the offset up to which pages of its
                                 mapping were released */
};

/** Writes the message with all external data inside. If data is missing, sets
 *  from->status. */
void fsd_external_inline(struct fsd_outside *from, struct fsd_slice bytes,
                         enum fsd_onnx_message is, struct fsd_pieces *to);

/** Checks that all external data of the message exists. If data is missing, sets
 *  from->status. */
void fsd_external_check(struct fsd_outside *from, struct fsd_slice bytes,
                        enum fsd_onnx_message is);

/** Closes the files.
 *  @return `status` or, if that is FSD_OK, from->status */
enum fsd_status fsd_outside_close(struct fsd_outside *from, enum fsd_status status,
                                  struct fsd_error *err);
