/* Constants, types and shapes: TensorProto and TypeProto to forms and values. */
#ifndef FSD_ONNX_TENSOR_H
#define FSD_ONNX_TENSOR_H

#include "model/graph.h"

#include <onnx.pb-c.h>

struct fsd_onnx_const {
    fsd_id form, value;
};

/** A remark on the tensor of that name. */
void fsd_onnx_remark(struct fsd_graph *g, const char *rule, fsd_id node, fsd_sym name);

/** Form and value of a constant; the elements are little endian and packed, whichever
 *  field held them.  `name` is for remarks. */
struct fsd_onnx_const fsd_onnx_tensor(struct fsd_graph *g, const Onnx__TensorProto *t,
                                      fsd_sym name);

/** The same for a sparse one, which is never read: its size is that of its values. */
struct fsd_onnx_const fsd_onnx_sparse(struct fsd_graph *g,
                                      const Onnx__SparseTensorProto *t, fsd_sym name);

/** A value made of n elements of `size` bytes, given as their bits. */
fsd_id fsd_onnx_value(struct fsd_graph *g, const uint64_t *bits, uint32_t n,
                      unsigned size);

/** The form that a ValueInfoProto tells; FSD_NONE when it tells nothing. */
fsd_id fsd_onnx_form(struct fsd_graph *g, const Onnx__TypeProto *type, fsd_sym name);

#endif
