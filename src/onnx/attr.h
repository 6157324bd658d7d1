/* Attributes: AttributeProto to fsd_attr. */
#ifndef FSD_ONNX_ATTR_H
#define FSD_ONNX_ATTR_H

#include "onnx/tensor.h"

/** The attribute, its lists and constants in the graph's pools.  One that was too large
 *  is FSD_ATTR_UNREAD; form and value tell what is known of a list. */
struct fsd_attr fsd_onnx_attr(struct fsd_graph *g, const Onnx__AttributeProto *a);

/** What a Constant node with these attributes makes; FSD_NONE where it is not known. */
struct fsd_onnx_const fsd_onnx_constant(struct fsd_graph *g, struct fsd_span attrs);

#endif
