/* The operators that a model defines itself. */
#ifndef FSD_ONNX_FUNCTION_H
#define FSD_ONNX_FUNCTION_H

#include "model/graph.h"

#include <onnx.pb-c.h>

struct fsd_onnx_function {
    fsd_sym domain, name,
        overload;   /* domain 0: the standard one, however it is spelt */
    uint32_t place; /* in ModelProto.functions */
    const Onnx__FunctionProto *proto;
    struct fsd_span defaults; /* attributes that a call may leave out: in g->attrs */
    bool open;                /* its body is being read */
};

/** In the order of their keys.  Of two with one key the first in the file counts. */
struct fsd_onnx_functions {
    struct fsd_onnx_function *at;
    uint32_t n;
};

struct fsd_onnx_functions fsd_onnx_functions_new(struct fsd_graph *g,
                                                 const Onnx__ModelProto *model);

/** The function that a node calls, NULL when it is an operator. */
struct fsd_onnx_function *fsd_onnx_function_find(const struct fsd_onnx_functions *all,
                                                 const struct fsd_graph *g,
                                                 const Onnx__NodeProto *node);

#endif
