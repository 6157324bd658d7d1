/* The kind of a layer, as its type, its Origin and the words of its name tell. */
#ifndef FSD_TRT_KIND_H
#define FSD_TRT_KIND_H

#include "model/graph.h"

/** Sets `kind` and `plugin` of every layer.  Needs op, origin, form. */
void fsd_trt_kinds(struct fsd_graph *g);

#endif
