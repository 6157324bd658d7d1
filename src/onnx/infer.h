/* Types and shapes that an operator's definition gives away. */
#ifndef FSD_ONNX_INFER_H
#define FSD_ONNX_INFER_H

#include "model/graph.h"

/** Fills in what is not known yet, in one pass over the nodes: the types of what nodes
 *  make, and the shape where it is that of the first input.  Nothing that the model
 * says is changed, and no shape is computed.  To be called before fsd_graph_finish().
 */
void fsd_onnx_infer(struct fsd_graph *g);

#endif
