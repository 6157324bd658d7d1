/* Flows of layers that have no tensors, from what their names say. */
#ifndef FSD_DIFF_FLOW_NAMED_H
#define FSD_DIFF_FLOW_NAMED_H

struct fsd_diff;

/** Completes the flows of Reformats without tensors. */
void fsd_flows_by_name(struct fsd_diff *d);

#endif
