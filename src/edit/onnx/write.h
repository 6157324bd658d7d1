/*
 * The one writer of ONNX: a model's file again, with some of it changed.  The rest of
 * the file is copied byte by byte, so that unknown fields are kept as they are:
 *
 *     file     [ir_version] [graph: node node | node    | node weights ... ] [opset]
 *     written  [ir_version] [graph: node node new renamed node weights ... new] [opset]
 *
 * Weights stream from the mapping to the output, and external data stays where it is:
 * its location is copied like any other field.
 */
#ifndef FSD_ONNX_WRITE_H
#define FSD_ONNX_WRITE_H

#include "model/onnx/edits.h"

/** Sets `found` of each initializer of the main graph whose numbers are in the file, as
 *  FP32 and all of them.
 *  @param found  by tensor. */
void fsd_onnx_find_floats(const struct fsd_graph *g, const struct fsd_file *file,
                          bool *found);

/** Writes the file with the edits.
 *  @param file  the one that the graph was read of.
 *  @return before anything is written FSD_E_MISMATCH, where it is another one by now,
 *          or an edit has no place in it, FSD_E_IO or FSD_E_FORMAT, where weights that
 *          are looked for in other files are not there, and FSD_E_LIMIT, where the
 *          result is larger than protobuf's readers take (2 GiB); FSD_E_WRITE. */
enum fsd_status fsd_onnx_write(const struct fsd_onnx_edits *edits,
                               const struct fsd_file *file, FILE *out,
                               struct fsd_error *err);

/** True of a model that was read from an ONNX file, which can be opened again. */
bool fsd_onnx_can_reopen(const struct fsd_graph *model);

/** Opens the file of a model that was read, to write it again.
 *  @param out  to be ended by fsd_file_done(), however it comes back.
 *  @param who  "retype", which needs the file twice, for the message.
 *  @return FSD_E_ARG for what is no ONNX file, or standard input; as
 *          fsd_file_open_decompressed(). */
enum fsd_status fsd_onnx_reopen(struct fsd_file *out, const struct fsd_graph *model,
                                const char *who, struct fsd_error *err);

/** Opens the file of the model that the edits are of, and writes it with them.
 *  @return as the two above. */
enum fsd_status fsd_onnx_write_again(const struct fsd_onnx_edits *edits,
                                     const char *who, FILE *out, struct fsd_error *err);

#endif
