/*
 * What load.c puts a graph together from, a file each.  Only src/model/onnx includes
 * this.
 */
#ifndef FSD_ONNX_PARTS_H
#define FSD_ONNX_PARTS_H

#include "base/base.h"
#include "model/graph/graph.h"

#include <onnx.pb-c.h>

/* ----------------------------------------------------------------------- tensor.c */

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

/** The form of a ValueInfoProto; FSD_NONE if it states none. */
fsd_id fsd_onnx_form(struct fsd_graph *g, const Onnx__TypeProto *type, fsd_sym name);

/** The form of a sequence's elements or an optional's value; FSD_NONE if it is neither.
 */
fsd_id fsd_onnx_item(struct fsd_graph *g, const Onnx__TypeProto *type, fsd_sym name);

/* ------------------------------------------------------------------------- attr.c */

/** The attribute, with its lists and constants in the graph's pools.  One that was too
 *  large is FSD_ATTR_UNREAD; form and value have what is known of a list. */
struct fsd_attr fsd_onnx_attr(struct fsd_graph *g, const Onnx__AttributeProto *a);

/** What a Constant node with these attributes makes; FSD_NONE where it is not known. */
struct fsd_onnx_const fsd_onnx_constant(struct fsd_graph *g, struct fsd_span attrs);

/* --------------------------------------------------------------------- function.c */

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

/* ------------------------------------------------------------------------ names.c */

/*
 * Which tensor a name means while bodies are read: one array look-up, however many
 * bodies use the name.
 *
 * Bodies are read depth first, each one's own tensors before the bodies inside it.  So
 * the newest tensor of a name that is not closed yet is the one that is meant, unless
 * it belongs to the caller of the function that is read, which its body does not see.
 */

struct fsd_onnx_names {
    struct fsd_graph *g;
    FSD_VEC(fsd_id) newest; /* by symbol: tensor, FSD_NONE */
    FSD_VEC(fsd_id) hidden; /* by tensor: what `newest` was before it */
    FSD_VEC(fsd_id) frame;  /* by scope: the main or function scope it is in */
};

/** A scope of g that was just made; the main one first. */
void fsd_onnx_names_open(struct fsd_onnx_names *names, fsd_id scope);

/** A new tensor.  Empty names are never found again. */
fsd_id fsd_onnx_names_add(struct fsd_onnx_names *names, fsd_sym name, fsd_id scope);

/** The tensor of that name in the scope that is read, FSD_NONE when it has none. */
fsd_id fsd_onnx_names_own(const struct fsd_onnx_names *names, fsd_sym name,
                          fsd_id scope);

/** The same, else that of an enclosing graph: what fsd_graph_resolve() finds. */
fsd_id fsd_onnx_names_find(const struct fsd_onnx_names *names, fsd_sym name,
                           fsd_id scope);

/** Forgets a scope's tensors, which are [from, to). */
void fsd_onnx_names_close(struct fsd_onnx_names *names, fsd_id from, fsd_id to);

/* ------------------------------------------------------------------------ infer.c */

/** Fills in what is not known yet, in passes over the nodes: the types of what nodes
 *  make, and the shape where it is that of the first input.  Nothing that the model
 * says is changed, and no shape is computed.  To be called before fsd_graph_finish().
 */
void fsd_onnx_infer(struct fsd_graph *g);

/* ---------------------------------------------------------------------- module.c */

/** Sets the module of the main graph's nodes, if the file states it.
 *  @return how many of them have a place in a configuration of several devices. */
uint32_t fsd_onnx_modules(struct fsd_graph *g, const struct fsd_file *file);

/* ------------------------------------------------------------------------ sniff.c */

/** Looks at the first bytes of a file that could not be read as a model.
 *  @return FSD_OK when they are like nothing known, else the status that `err` now
 *          describes: what it looks like, and what to give instead. */
enum fsd_status fsd_onnx_sniff(const struct fsd_file *file, struct fsd_error *err);

#endif
