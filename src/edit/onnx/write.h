/*
 * Writes all ONNX files, as copies of a model's file with changes. All that does not
 * change is copied byte by byte, so unknown fields stay:
 *
 *     file     [ir_version] [graph: node node | node    | node weights ... ] [opset]
 *     written  [ir_version] [graph: node node new renamed node weights ... new] [opset]
 *
 * Weights are copied directly from the mapping to the output. External data stays where
 * it is, and its location is copied like any other field.
 */
#pragma once

#include "model/onnx/edits.h"

struct fsd_graph;

/** Sets `found` for each initializer of the main graph whose FP32 numbers are all in
 *  the file.
 *  @param found indexed by tensor */
void fsd_onnx_find_floats(const struct fsd_graph *g, const struct fsd_file *file,
                          bool *found);

/** Writes the file with the edits.
 *  @param file the file from which the graph was read
 *  @return FSD_E_MISMATCH if the file has changed, or if an edit has no place in the
 *          file; FSD_E_IO or FSD_E_FORMAT if external weights are missing; FSD_E_LIMIT
 *          if the result is larger than protobuf's readers accept (2 GiB). In these
 *          cases nothing is written. FSD_E_WRITE if the output cannot be written */
enum fsd_status fsd_onnx_write(const struct fsd_onnx_edits *edits,
                               const struct fsd_file *file, FILE *out,
                               struct fsd_error *err);

/** Whether a model was read from an ONNX file that can be opened again. */
bool fsd_onnx_can_reopen(const struct fsd_graph *model);

/** Opens the file of a model again, to copy it with changes.
 *  @param out the caller ends it with fsd_file_done(), even after an error
 *  @param who for the message: the command that needs the file twice, such as "retype"
 *  @return FSD_E_ARG if the model was not read from an ONNX file, or if it was read
 *          from standard input; else like fsd_file_open_decompressed() */
enum fsd_status fsd_onnx_reopen(struct fsd_file *out, const struct fsd_graph *model,
                                const char *who, struct fsd_error *err);

/** Opens the file of the model to which the edits belong, and writes the model with the
 *  edits.
 *  @return like fsd_onnx_reopen() and fsd_onnx_write() */
enum fsd_status fsd_onnx_write_again(const struct fsd_onnx_edits *edits,
                                     const char *who, FILE *out, struct fsd_error *err);
