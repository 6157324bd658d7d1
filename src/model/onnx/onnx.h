/*
 * An ONNX model as a graph.
 *
 *   - The nodes of the main graph come first, so that a node's number is its place in
 *     GraphProto.node; those of an If's, Loop's or Scan's graphs follow, and those of
 *     model-local functions, once for each call (FSD_NODE_CALL).  The nodes of a
 *     body are consecutive, and follow those of the graph that contains it.
 *   - A graph input with an initializer as its default (before IR 4, each initializer
 *     has such an input) is a constant to a builder: it has FSD_TENSOR_CONSTANT, not
 *     FSD_TENSOR_INPUT, and is not among the main scope's inputs.  Other scopes list
 *     each input in its place.
 *   - Constant nodes stay nodes; their output has the value, but not the flag.
 *   - Weights are never read, other files never opened (model/onnx/wire.h).
 *
 * Oddities become remarks, whose text is the tensor's name:
 *
 *   input/bad-dim           a dimension below 0 or beyond 2^40; it is unknown now
 *   input/bad-value         a constant whose size contradicts its shape; not read
 *   input/duplicate-output  a second output with this name in a graph; it is unnamed
 *   input/multi-device      configurations for several devices, which are ignored
 *   input/newer-opset       an operator set that is newer than the operators known here
 *   input/undefined-tensor  a tensor that is read but has no producer
 *   input/unknown-type      an element type with a number above FLOAT6E3M2 (28)
 */
#pragma once

#include "base/base.h"

struct fsd_graph;

/** Fills the new graph `g` and finishes it. `file` is not needed afterwards.
 *  @return FSD_OK; FSD_E_FORMAT or FSD_E_UNSUPPORTED if the file is not a model;
 *          FSD_E_LIMIT if the model is too large or too deep, also because functions
 *          call themselves; on failure, `g` must not be used */
enum fsd_status fsd_onnx_load(struct fsd_graph *g, const struct fsd_file *file,
                              struct fsd_error *err);

/** Whether the file imports an operator set of this domain.  The file may have any
 *  content. */
bool fsd_onnx_imports(const struct fsd_file *file, const char *domain);
