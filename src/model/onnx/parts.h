/*
 * The functions with which load.c builds a graph.  Each section of this header belongs
 * to one file.  Only files in src/model/onnx include it.
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

/** Adds a remark about the tensor with this name. */
void fsd_onnx_remark(struct fsd_graph *g, const char *rule, fsd_id node, fsd_sym name);

/** Returns the form and the value of a constant.  The elements are little endian and
 *  packed, regardless of the field that has them.  Remarks use `name`. */
struct fsd_onnx_const fsd_onnx_tensor(struct fsd_graph *g, const Onnx__TensorProto *t,
                                      fsd_sym name);

/** Returns the form and the value of a sparse constant.  Its elements are not read: the
 * value has only a size, which is the size of the listed elements. */
struct fsd_onnx_const fsd_onnx_sparse(struct fsd_graph *g,
                                      const Onnx__SparseTensorProto *t, fsd_sym name);

/** Adds a value of n elements of `size` bytes each, whose bits are in `bits`. */
fsd_id fsd_onnx_value(struct fsd_graph *g, const uint64_t *bits, uint32_t n,
                      unsigned size);

/** Returns the form that a TypeProto states; FSD_NONE if it states none. */
fsd_id fsd_onnx_form(struct fsd_graph *g, const Onnx__TypeProto *type, fsd_sym name);

/** Returns the form of the elements of a sequence type, or of the value of an optional
 * type; FSD_NONE for other types.
 */
fsd_id fsd_onnx_item(struct fsd_graph *g, const Onnx__TypeProto *type, fsd_sym name);

/* ------------------------------------------------------------------------- attr.c */

/** Returns the attribute, and adds its lists and constants to the graph's pools.  An
 *  attribute with a list that is too large is FSD_ATTR_UNREAD; its form and value then
 *  state only the type and the size. */
struct fsd_attr fsd_onnx_attr(struct fsd_graph *g, const Onnx__AttributeProto *a);

/** Returns the form and the value of the output of a Constant node with these
 * attributes; FSD_NONE for a fact that is unknown.
 */
struct fsd_onnx_const fsd_onnx_constant(struct fsd_graph *g, struct fsd_span attrs);

/* --------------------------------------------------------------------- function.c */

struct fsd_onnx_function {
    fsd_sym domain, name, overload; /* domain 0: ONNX's own ("" or "ai.onnx") */
    uint32_t place;                 /* index in ModelProto.functions */
    const Onnx__FunctionProto *proto;
    struct fsd_span defaults; /* the default attributes, which a call may omit; in
                                 g->attrs */
    bool open;                /* the body of the function is being read */
};

/** The functions of a model, sorted by name, domain and overload.  Of two functions
 * with the same key, the first one in the file counts. */
struct fsd_onnx_functions {
    struct fsd_onnx_function *at;
    uint32_t n;
};

struct fsd_onnx_functions fsd_onnx_functions_new(struct fsd_graph *g,
                                                 const Onnx__ModelProto *model);

/** Returns the function that a node calls; NULL if the node is an operator. */
struct fsd_onnx_function *fsd_onnx_function_find(const struct fsd_onnx_functions *all,
                                                 const struct fsd_graph *g,
                                                 const Onnx__NodeProto *node);

/* ------------------------------------------------------------------------ names.c */

/*
 * While bodies are read, these functions find the tensor that a name means.  They need
 * one array look-up, even if many bodies use the name.
 *
 * Bodies are read depth first; the tensors of a body are read before the bodies inside
 * it.  A name therefore means the newest tensor with this name whose scope is still
 * open.  The body of a function, however, does not see the tensors of its caller.
 */

struct fsd_onnx_names {
    struct fsd_graph *g;
    FSD_VEC(fsd_id) newest; /* indexed by symbol: the newest tensor; FSD_NONE: none */
    FSD_VEC(fsd_id)
    hidden; /* indexed by tensor: the older tensor of the same name,
                               which this tensor hides; FSD_NONE: none */
    FSD_VEC(fsd_id)
    frame; /* indexed by scope: the scope itself if it is a main or function scope, else
              the innermost such scope around it */
};

/** Opens a new scope of names->g.  The first call must open the main scope. */
void fsd_onnx_names_open(struct fsd_onnx_names *names, fsd_id scope);

/** Adds a tensor.  A tensor with an empty name cannot be found. */
fsd_id fsd_onnx_names_add(struct fsd_onnx_names *names, fsd_sym name, fsd_id scope);

/** Returns the tensor with this name in the current scope; FSD_NONE if there is
 * none. */
fsd_id fsd_onnx_names_own(const struct fsd_onnx_names *names, fsd_sym name,
                          fsd_id scope);

/** Returns the tensor with this name in the current scope or, if there is none, in an
 * enclosing graph.  The result is the same as from fsd_graph_resolve(). */
fsd_id fsd_onnx_names_find(const struct fsd_onnx_names *names, fsd_sym name,
                           fsd_id scope);

/** Ends a scope: removes its tensors, with the ids `from` to `to` - 1, from the
 * names. */
void fsd_onnx_names_close(struct fsd_onnx_names *names, fsd_id from, fsd_id to);

/* ------------------------------------------------------------------------ infer.c */

/** Completes unknown facts in passes over the nodes: the types of outputs, and their
 *  shapes if the operator keeps the shape of its first input.  It computes no other
 *  shapes, and changes no fact that the model states.  Call it before
 *  fsd_graph_finish(). */
void fsd_onnx_infer(struct fsd_graph *g);

/* ---------------------------------------------------------------------- module.c */

/** Sets the modules of the main graph's nodes, if the file states them.
 *  @return the number of nodes that state on which of several devices they run */
uint32_t fsd_onnx_modules(struct fsd_graph *g, const struct fsd_file *file,
                          const struct fsd_wire *filtered);

/* ------------------------------------------------------------------------ sniff.c */

/** Examines the first bytes of a file that could not be read as a model.
 *  @return FSD_OK if the file may be a damaged model.  Otherwise an error; `err` then
 *          states the type of the file, and which file to pass instead. */
enum fsd_status fsd_onnx_sniff(const struct fsd_file *file, struct fsd_error *err);
