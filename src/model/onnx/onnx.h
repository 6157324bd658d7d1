/*
 * An ONNX model as a graph.
 *
 *   - The nodes of the main graph come first, so that a node's number is its place in
 *     GraphProto.node; those of an If's, Loop's or Scan's graphs follow, and those of
 *     model-local functions, once for each call (FSD_NODE_CALL).  A body's nodes come
 * in one run, each body after the graph that it is in.
 *   - A graph input that an initializer gives a default (all of them, before IR 4) is a
 *     constant to a builder: it has FSD_TENSOR_CONSTANT, not FSD_TENSOR_INPUT, and is
 *     not among the main scope's inputs.  Other scopes list each input in its place.
 *   - Constant nodes stay nodes; their output has the value, but not the flag.
 *   - Weights are never read, other files never opened (model/onnx/wire.h).
 *
 * What is odd becomes a remark, its text the tensor's name:
 *
 *   input/bad-dim           a dimension below 0 or beyond 2^40; it is unknown now
 *   input/bad-value         a constant of another size than its shape says; not read
 *   input/duplicate-output  a name made twice in one graph; the second has no name now
 *   input/multi-device      configurations for several devices: they are not looked at
 *   input/newer-opset       an operator set that is newer than the operators known here
 *   input/undefined-tensor  a name that nothing makes
 *   input/unknown-type      an element type of a number beyond FLOAT6E3M2 (28)
 */
#ifndef FSD_ONNX_ONNX_H
#define FSD_ONNX_ONNX_H

#include "base/base.h"
#include "model/graph/graph.h"

/** Fills `g`, just made, and finishes it.  Nothing of `file` is needed afterwards.
 *  @return FSD_E_FORMAT or FSD_E_UNSUPPORTED for what is not a model, FSD_E_LIMIT for
 *          one that is too large or too deep, functions that call themselves included;
 *          `g` is of no use then. */
enum fsd_status fsd_onnx_load(struct fsd_graph *g, const struct fsd_file *file,
                              struct fsd_error *err);

/** True when the file names an operator set of that domain.  It may hold any bytes. */
bool fsd_onnx_imports(const struct fsd_file *file, const char *domain);

#endif
