/*
 * The functions from which load.c builds a graph; each section is a file.  Only
 * src/model/onnx includes this.
 */
#pragma once

#include "base/base.h"
#include "model/onnx/wire.h"

#include <onnx.pb-c.h>

struct fsd_graph;

/* ----------------------------------------------------------------------- tensor.c */

struct fsd_onnx_const {
    fsd_id form, value;
};

/** Adds a remark on the tensor of this name. */
void fsd_onnx_remark(struct fsd_graph *g, const char *rule, fsd_id node, fsd_sym name);

/** Form and value of a constant; the elements are little endian and packed, whichever
 *  field held them.  `name` is for remarks. */
struct fsd_onnx_const fsd_onnx_tensor(struct fsd_graph *g, const Onnx__TensorProto *t,
                                      fsd_sym name);

/** Likewise for a sparse tensor, which is never read: the value's size is the size of
 * the listed elements. */
struct fsd_onnx_const fsd_onnx_sparse(struct fsd_graph *g,
                                      const Onnx__SparseTensorProto *t, fsd_sym name);

/** Adds a value of n elements of `size` bytes, given as their bits. */
fsd_id fsd_onnx_value(struct fsd_graph *g, const uint64_t *bits, uint32_t n,
                      unsigned size);

/** The form of a ValueInfoProto; FSD_NONE if it states none. */
fsd_id fsd_onnx_form(struct fsd_graph *g, const Onnx__TypeProto *type, fsd_sym name);

/** The form of a sequence's elements or an optional's value; FSD_NONE if it is neither.
 */
fsd_id fsd_onnx_item(struct fsd_graph *g, const Onnx__TypeProto *type, fsd_sym name);

/* ------------------------------------------------------------------------- attr.c */

/** The attribute, with its lists and constants in the graph's pools.  A list that was
 *  too large is FSD_ATTR_UNREAD; `form` and `value` state what is known about it. */
struct fsd_attr fsd_onnx_attr(struct fsd_graph *g, const Onnx__AttributeProto *a);

/** The output of a Constant node with these attributes; FSD_NONE where it is unknown.
 */
struct fsd_onnx_const fsd_onnx_constant(struct fsd_graph *g, struct fsd_span attrs);

/* --------------------------------------------------------------------- function.c */

struct fsd_onnx_function {
    fsd_sym domain, name, overload; /* domain 0: the standard one, in either spelling */
    uint32_t place;                 /* index in ModelProto.functions */
    const Onnx__FunctionProto *proto;
    struct fsd_span defaults; /* attributes that a call may leave out: in g->attrs */
    bool open;                /* its body is being read */
};

/** Sorted by key.  Of two functions with the same key, the first in the file counts. */
struct fsd_onnx_functions {
    struct fsd_onnx_function *at;
    uint32_t n;
};

struct fsd_onnx_functions fsd_onnx_functions_new(struct fsd_graph *g,
                                                 const Onnx__ModelProto *model);

/** The function that a node calls; NULL if the node is an operator. */
struct fsd_onnx_function *fsd_onnx_function_find(const struct fsd_onnx_functions *all,
                                                 const struct fsd_graph *g,
                                                 const Onnx__NodeProto *node);

/* ------------------------------------------------------------------------ names.c */

/*
 * Finds the tensor that a name means while bodies are read, by one array look-up,
 * however many bodies use the name.
 *
 * Bodies are read depth first, each one's own tensors before the bodies inside it.  So
 * a name means its newest tensor whose scope is not closed yet, unless that tensor
 * belongs to the caller of the current function, which the function's body does not
 * see.
 */

struct fsd_onnx_names {
    struct fsd_graph *g;
    FSD_VEC(fsd_id) newest; /* indexed by symbol: the tensor; FSD_NONE */
    FSD_VEC(fsd_id) hidden; /* indexed by tensor: the value of `newest` before it */
    FSD_VEC(fsd_id)
    frame; /* indexed by scope: the main or function scope that
                               contains it */
};

/** Opens a new scope of g; the main scope must be the first. */
void fsd_onnx_names_open(struct fsd_onnx_names *names, fsd_id scope);

/** Adds a tensor.  Empty names are never found again. */
fsd_id fsd_onnx_names_add(struct fsd_onnx_names *names, fsd_sym name, fsd_id scope);

/** The tensor of this name in the current scope; FSD_NONE if there is none. */
fsd_id fsd_onnx_names_own(const struct fsd_onnx_names *names, fsd_sym name,
                          fsd_id scope);

/** Likewise; if there is none, the tensor of an enclosing graph.  The result is that of
 * fsd_graph_resolve(). */
fsd_id fsd_onnx_names_find(const struct fsd_onnx_names *names, fsd_sym name,
                           fsd_id scope);

/** Removes the tensors of a scope from the names; they are [from, to). */
void fsd_onnx_names_close(struct fsd_onnx_names *names, fsd_id from, fsd_id to);

/* ------------------------------------------------------------------------ infer.c */

/** Completes unknown facts in passes over the nodes: the types of outputs, and the
 *  shape if it is that of the first input.  Changes no fact that the model states, and
 *  computes no shape.  Call it before fsd_graph_finish(). */
void fsd_onnx_infer(struct fsd_graph *g);

/* ---------------------------------------------------------------------- module.c */

/** Sets the module of the main graph's nodes, if the file states it.
 *  @return the number of nodes that are placed in a configuration of several devices */
uint32_t fsd_onnx_modules(struct fsd_graph *g, const struct fsd_file *file,
                          const struct fsd_wire *filtered);

/* ------------------------------------------------------------------------ sniff.c */

/** Examines the first bytes of a file that could not be read as a model.
 *  @return FSD_OK if they match no known type; else the status of `err`, which states
 *          what the file looks like and which file to pass instead */
enum fsd_status fsd_onnx_sniff(const struct fsd_file *file, struct fsd_error *err);
