/* Reading what TensorRT tells about an engine into a graph. */
#ifndef FSD_TRT_TRT_H
#define FSD_TRT_TRT_H

#include "base/file.h"
#include "model/graph.h"
#include "model/vocab.h"

/** Reads an engine dump or a log with one, recognised by its content, into an empty
 *  graph.
 *  @param vocab the model's names; NULL when there is no model, and every name in the
 *               dump then stays text.
 *  @return FSD_OK; FSD_E_UNSUPPORTED for a file that is something else and can be told
 *          (the message says what, and what to run instead); FSD_E_FORMAT for one that
 *          is damaged or cannot be told; FSD_E_LIMIT for one that is too large.  On
 *          failure the graph is in no defined state. */
enum fsd_status fsd_trt_load(struct fsd_graph *g, const struct fsd_file *file,
                             const struct fsd_vocab *vocab, struct fsd_error *err);

/** The same for one engine of a log that holds several.
 *  @param number which, from 1; 0: the only one.
 *  @return also FSD_E_ARG when it must be told which (the message lists them), or when
 *          there is none of that number. */
enum fsd_status fsd_trt_load_engine(struct fsd_graph *g, const struct fsd_file *file,
                                    unsigned number, const struct fsd_vocab *vocab,
                                    struct fsd_error *err);

/** The same when the log has been gone through already (log/read.h).
 *  @param scan what was found of `file`; NULL: nothing. */
struct fsd_log_scan;
enum fsd_status fsd_trt_load_scanned(struct fsd_graph *g, const struct fsd_file *file,
                                     unsigned number, const struct fsd_log_scan *scan,
                                     const struct fsd_vocab *vocab,
                                     struct fsd_error *err);

/** Appends layers of which only the names are known to a graph that was loaded: another
 *  input of the same engine knew them.
 *  @param vocab as above. */
void fsd_trt_add_names(struct fsd_graph *g, const fsd_sym *names, uint32_t n,
                       const struct fsd_vocab *vocab);

#endif
