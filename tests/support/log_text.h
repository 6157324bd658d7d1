/* Reads logs from text in memory, for unit tests. */
#ifndef TESTS_LOG_TEXT_H
#define TESTS_LOG_TEXT_H

#include "base/base.h"
#include "model/graph/graph.h"
#include "model/graph/history.h"

struct log {
    struct fsd_arena *arena; /**< contains all other members; the caller frees it */
    struct fsd_intern *names;
    struct fsd_file file;
    struct fsd_history *h;
};

/** Reads a log with TensorRT's reader.
 * @param text must outlive the log */
struct log read_log(const char *text);

/** The network that TensorRT's parser printed into the log. */
struct fsd_graph *log_network(struct log *l);

#endif
