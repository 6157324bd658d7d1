/* Shapes of the model's tensors: what cost/ asks of them. */
#ifndef FSD_COST_SHAPE_H
#define FSD_COST_SHAPE_H

#include "cost/cost.h"

/** The size of a dimension, by itself or by the user's --shape; -1 when not known. */
int64_t fsd_dim_size(const struct fsd_diff *d, struct fsd_dim dim);

/** The i-th size of a use of an engine's tensor, an amount; what the engine leaves open
 *  is the model's. */
int64_t fsd_port_size(const struct fsd_diff *d, const struct fsd_port *port,
                      const struct fsd_form *form, uint32_t i);

/** The shape of a model's tensor; one that is not ranked for FSD_NONE. */
const struct fsd_shape *fsd_shape_of(const struct fsd_diff *d, fsd_id tensor);

/** Elements, an amount; -1 when a size is not known or there are more than 2^62. */
int64_t fsd_shape_count(const struct fsd_diff *d, const struct fsd_shape *shape);

/** True when the node is of that type in the domain com.microsoft. */
bool fsd_node_is_microsoft(const struct fsd_diff *d, fsd_id node, const char *op);

/** An INTS attribute; FSD_NONE-like NULL when the node has none.  Sets *n. */
const int64_t *fsd_node_ints(const struct fsd_graph *g, fsd_id node, const char *name,
                             uint32_t *n);

/** An attribute that is a size, or `otherwise`; -1 for a number that is none.  What a
 *  file says goes into amounts only through this and fsd_size(). */
int64_t fsd_node_size(const struct fsd_graph *g, fsd_id node, const char *name,
                      int64_t otherwise);
/** A number as an amount; -1 where it is no size. */
int64_t fsd_size(int64_t number);

/** An INT attribute, or `otherwise`. */
int64_t fsd_node_int(const struct fsd_graph *g, fsd_id node, const char *name,
                     int64_t otherwise);

#endif
