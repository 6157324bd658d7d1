/*
 * An ONNX model as a graph.
 *
 *   - The nodes of the main graph come first, so that a node's number is its place in
 *     GraphProto.node.  The nodes of bodies follow.  A body is a graph of an If, Loop
 *     or Scan, or the body of a model-local function, once for each call
 *     (FSD_NODE_CALL).  The nodes of a body are consecutive, and follow the nodes of
 *     the graph that contains the body.
 *   - A graph input may have an initializer as its default.  Before IR version 4, each
 *     initializer has such an input.  Builders treat the input as a constant, so it has
 *     the flag FSD_TENSOR_CONSTANT, not FSD_TENSOR_INPUT.  The main scope does not list
 *     such an input.  The scope of a body lists all inputs of the body.
 *   - Constant nodes stay nodes.  Their output has a value, but not the flag
 *     FSD_TENSOR_CONSTANT.
 *   - Weights are not read, and other files are not opened (model/onnx/wire.h).
 *
 * Unexpected contents become remarks with the rules below.  The text of a remark is the
 * name of the tensor; for input/multi-device and input/newer-opset, it is a sentence.
 *
 *   input/bad-dim           a dimension below 0 or beyond 2^40; it counts as unknown
 *   input/bad-value         a constant whose size contradicts its shape; not read
 *   input/duplicate-output  a second output with the same name in a graph; unnamed
 *   input/multi-device      configurations for several devices, which are ignored
 *   input/newer-opset       an operator set that is newer than the operators known here
 *   input/undefined-tensor  a tensor that is read but has no producer
 *   input/unknown-type      an element type with a number above FLOAT6E3M2 (28)
 */
#pragma once

#include "base/base.h"

struct fsd_graph;

/** Reads an ONNX file into the new graph `g`, and finishes the graph.  `file` is not
 *  needed afterwards.
 *  @return FSD_OK; FSD_E_FORMAT or FSD_E_UNSUPPORTED if the file is not a model;
 *          FSD_E_LIMIT if the model is too large, or nested too deep, as when a
 *          function calls itself.  After a failure, `g` must not be used. */
enum fsd_status fsd_onnx_load(struct fsd_graph *g, const struct fsd_file *file,
                              struct fsd_error *err);

/** Whether the file imports an operator set of this domain.  The file need not be a
 *  model. */
bool fsd_onnx_imports(const struct fsd_file *file, const char *domain);
