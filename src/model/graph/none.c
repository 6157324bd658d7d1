/*
 * The objects that functions of graph.h return for FSD_NONE: a node without name,
 * operator and ports, a layer without facts, a tensor without producers and consumers,
 * and an unknown form. With them, callers need not test for FSD_NONE.
 */
#include "model/graph/graph.h"

const struct fsd_node fsd_no_node = {.scope = FSD_NONE};
const struct fsd_layer fsd_no_layer = {.kind = FSD_KIND_COMPUTE};
const struct fsd_tensor fsd_no_tensor = {.scope = FSD_NONE,
                                         .form = FSD_NONE,
                                         .item = FSD_NONE,
                                         .value = FSD_NONE,
                                         .next_same_name = FSD_NONE,
                                         .bound = FSD_NONE,
                                         .optimum = FSD_NONE};
const struct fsd_form fsd_no_form = {.type = FSD_DTYPE_UNKNOWN};
