/* The network as the parser printed it, back into a model. */
#ifndef FSD_LOG_NETWORK_H
#define FSD_LOG_NETWORK_H

#include "base/file.h"
#include "base/slice.h"
#include "model/graph.h"
#include "model/history.h"

/** Builds the network that leads to engine `h->build` from the lines in h->parser.
 *  Where the log has none of them (a network made through the API), from the list that
 *  the builder prints: layers without edges.
 *  @param g    an empty graph; finished on return, without nodes when the log holds no
 *              network.
 *  @param h    its parsed_build is set; FSD_NONE when the parser printed nothing.
 *  @param file the log that h was read from. */
void fsd_log_network(struct fsd_graph *g, struct fsd_history *h,
                     const struct fsd_file *file);

/** True for a line that belongs there, but for those of a node: fsd_log_opened(). */
bool fsd_log_is_network(struct fsd_slice t);

#endif
