/*
 * Which tensor a name means while bodies are read: one array look-up, however many
 * bodies use the name.
 *
 * Bodies are read depth first, each one's own tensors before the bodies inside it.  So
 * the newest tensor of a name that is not closed yet is the one that is meant, unless
 * it belongs to the caller of the function that is read, which its body does not see.
 */
#ifndef FSD_ONNX_NAMES_H
#define FSD_ONNX_NAMES_H

#include "model/graph.h"

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

#endif
